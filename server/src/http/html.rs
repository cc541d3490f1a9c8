//! The frame of the pages that this room makes itself: no scripts, one stylesheet each.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

/// A text as HTML text or the value of an attribute in double quotes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// A page with a title, its stylesheet's address, and its body's HTML.
pub(super) fn page(status: StatusCode, title: &str, stylesheet: &str, body: &str) -> Response {
    let title = escape(title);
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"{stylesheet}\">\n\
         </head>\n<body>\n{body}\n</body>\n</html>\n"
    );
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response()
}

/// A stylesheet that is part of the program.
pub(super) fn stylesheet(css: &'static str) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, "public, max-age=3600")];
    (headers, css).into_response()
}
