//! The entry of the pages in the browser: hydrates the islands of the page that the server rendered.

use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the page's own script once the code is there.
#[wasm_bindgen]
pub fn hydrate() {
    // Naming something of `app` links it, and with it the islands that the page's script looks up by name.
    let _ = app::ui::ISLANDS;
    leptos::mount::hydrate_islands();
}
