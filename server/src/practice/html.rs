//! The frame of every page, and the small pieces that pages are made of.

use axum::http::StatusCode;

use super::{catalog, design::Named, visit::Visit};

/// The shop's name.
pub(super) const SHOP: &str = "Halden Lamps & Tools";

/// A page of the shop.
#[derive(Debug)]
pub(super) struct Page {
    pub status: StatusCode,
    /// Its title as text, without the shop's name.
    pub title: String,
    /// What stands in `<main>`, as markup.
    pub body: String,
}

impl Page {
    pub(super) fn new(title: impl Into<String>, body: impl Into<String>) -> Self {
        Self { status: StatusCode::OK, title: title.into(), body: body.into() }
    }

    pub(super) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }
}

/// Makes a text safe in markup and in attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// An amount in words.
pub(super) fn money(cents: u32) -> String {
    format!("€{}.{:02}", cents / 100, cents % 100)
}

/// `data-testid`, in the designs that have it.
pub(super) fn test_id(visit: &Visit, id: &str) -> String {
    if visit.look().test_ids { format!(" data-testid=\"{id}\"") } else { String::new() }
}

/// A labelled input with room for what is wrong with it.
#[derive(Debug)]
pub(super) struct Field<'a> {
    pub named: Named,
    /// The name it is sent under; the same in every design.
    pub name: &'a str,
    pub kind: &'a str,
    pub value: &'a str,
    pub error: Option<&'a str>,
    /// Further attributes, as markup.
    pub more: &'a str,
}

impl Field<'_> {
    pub(super) fn html(&self) -> String {
        let Named { id, label } = self.named;
        let (wrong, described, words) = match self.error {
            Some(error) => (
                " aria-invalid=\"true\"",
                format!(" aria-describedby=\"{id}-error\""),
                format!("<p class=\"field-error\" id=\"{id}-error\">{}</p>", escape(error)),
            ),
            None => ("", String::new(), String::new()),
        };
        format!(
            "<div class=\"field\"><label for=\"{id}\">{label}</label>\
             <input id=\"{id}\" name=\"{name}\" type=\"{kind}\" value=\"{value}\"{wrong}{described} {more}>{words}</div>",
            label = escape(label),
            name = self.name,
            kind = self.kind,
            value = escape(self.value),
            more = self.more,
        )
    }
}

/// The whole document.
pub(super) fn document(visit: &Visit, page: &Page) -> String {
    let title = match page.title.as_str() {
        "" => escape(SHOP),
        title => format!("{} | {}", escape(title), escape(SHOP)),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <link rel=\"icon\" href=\"/icon.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"/style.css\">\n</head>\n<body class=\"{body_class}\">\n\
         <a class=\"skip\" href=\"#content\">Skip to the content</a>\n{header}\n\
         <main id=\"content\" tabindex=\"-1\">\n{body}\n</main>\n{footer}\n</body>\n</html>\n",
        body_class = visit.look().body_class,
        header = header(visit),
        body = page.body,
        footer = FOOTER,
    )
}

const FOOTER: &str = "<footer class=\"site-footer\"><div class=\"wide\">\
    <p>Halden Lamps &amp; Tools, Storgata 4, Halden. Nothing here is for sale: this is Signalbox’s practice site.</p>\
    <ul><li><a href=\"/help\">Help</a></li><li><a href=\"/help/delivery\">Delivery and returns</a></li>\
    <li><a href=\"/trouble\">Trouble pages</a></li><li><a href=\"/control\">Control</a></li></ul></div></footer>";

fn header(visit: &Visit) -> String {
    let look = visit.look();
    let session = visit.session();
    let categories: String = catalog::CATEGORIES
        .iter()
        .map(|category| {
            format!("<li><a href=\"/products?category={}\">{}</a></li>", category.slug, escape(category.name))
        })
        .collect();
    let account = if session.signed_in {
        format!(
            "<a id=\"{}\" href=\"/profile\">{}</a> <a id=\"{}\" href=\"/orders\">{}</a>",
            look.account_link.id, look.account_link.label, look.orders_link.id, look.orders_link.label
        )
    } else {
        format!("<a id=\"{}\" href=\"/sign-in\">{}</a>", look.sign_in_link.id, look.sign_in_link.label)
    };
    let search = format!(
        "<form class=\"site-search\" role=\"search\" action=\"/search\" method=\"get\">\
         <label class=\"unseen\" for=\"{id}\">{label}</label>\
         <input id=\"{id}\" name=\"q\" type=\"search\" value=\"{value}\" placeholder=\"{hint}\" autocomplete=\"off\">\
         <button id=\"{go_id}\" type=\"submit\">{go}</button></form>",
        id = look.search.id,
        label = look.search.label,
        value = escape(visit.query("q")),
        hint = look.search_hint,
        go_id = look.search_go.id,
        go = look.search_go.label,
    );
    let links = format!(
        "<nav class=\"site-account\" aria-label=\"Your account\">{account} \
         <a id=\"{}\" href=\"/cart\">{} (<span class=\"count\">{}</span>)</a></nav>",
        look.cart_link.id,
        look.cart_link.label,
        session.pieces()
    );
    let brand = "<a class=\"brand\" href=\"/\"><svg viewBox=\"0 0 32 32\" width=\"28\" height=\"28\" \
                 aria-hidden=\"true\"><rect width=\"32\" height=\"32\" rx=\"7\" fill=\"currentColor\"/>\
                 <path d=\"M9 18 13 8h6l4 10z\" fill=\"#f2c14e\"/><path d=\"M15 18h2v6h4v2H11v-2h4z\" fill=\"#fff\"/>\
                 </svg><span>Halden <small>Lamps &amp; Tools</small></span></a>";
    let menu = format!("<nav class=\"site-menu\" aria-label=\"Departments\"><ul>{categories}</ul></nav>");
    let row = if visit.design.second {
        format!("<div class=\"wide\">{links}{brand}{menu}</div><div class=\"wide\">{search}</div>")
    } else {
        format!("<div class=\"wide\">{brand}{search}{links}</div><div class=\"wide\">{menu}</div>")
    };
    format!("<header class=\"site-header\">{row}</header>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_have_two_decimals() {
        assert_eq!(money(4_905), "€49.05");
        assert_eq!(money(7), "€0.07");
    }

    proptest! {
        #[test]
        fn an_escaped_text_holds_nothing_that_opens_markup_or_closes_an_attribute(text in ".*") {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            let back = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
            prop_assert_eq!(back, text);
        }
    }
}
