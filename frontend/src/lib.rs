//! The entry of the pages in the browser.
