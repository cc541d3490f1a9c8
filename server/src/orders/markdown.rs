//! What people write about orders: Markdown, shown as HTML in which nothing runs and nothing is loaded.

use std::{collections::HashSet, sync::LazyLock};

use ammonia::Builder;
use pulldown_cmark::{Options, Parser, html};

/// Longest text that may be written at once, in bytes.
pub const LONGEST: usize = 20_000;

/// What may stand in it: text and its structure. No pictures (they would be fetched from elsewhere), no styles,
/// no forms; links go nowhere but to http(s), open beside and tell nobody where from.
const TAGS: [&str; 23] = [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::default();
    cleaner
        .tags(HashSet::from(TAGS))
        .tag_attributes(std::collections::HashMap::from([
            ("a", HashSet::from(["href"])),
            ("ol", HashSet::from(["start"])),
        ]))
        .generic_attributes(HashSet::new())
        .url_schemes(HashSet::from(["http", "https"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .set_tag_attribute_value("a", "target", "_blank");
    cleaner
});

/// The text as HTML.
#[must_use]
pub fn to_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    html::push_html(&mut out, Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES));
    CLEANER.clean(&out).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn structure_stays_and_what_would_run_or_call_out_goes() {
        assert_eq!(to_html("**Moved** to `#buy`"), "<p><strong>Moved</strong> to <code>#buy</code></p>\n");
        let hostile = to_html(
            "<script>alert(1)</script>\n\n<img src=http://e.test/x onerror=alert(1)>\n\n[go](javascript:alert(1)) \
             <a href='http://e.test' style='x' onclick='y'>there</a> ![p](http://e.test/p.png) <form action=/fn/x>",
        );
        for bad in ["script", "alert", "onerror", "onclick", "javascript", "<img", "style", "<form"] {
            assert!(!hostile.contains(bad), "{bad}: {hostile}");
        }
        assert!(
            hostile.contains("rel=\"noopener noreferrer nofollow\"") && hostile.contains("http://e.test")
        );
    }

    #[test]
    fn a_link_into_the_control_room_is_no_link() {
        assert!(!to_html("[x](/fn/close_order)").contains("href"));
        assert!(!to_html("[x](//e.test)").contains("href"));
    }

    proptest! {
        #[test]
        fn whatever_is_written_no_tag_comes_out_that_is_not_allowed(text in "[<>a-z\"'=/ !\\[\\]()#*`:&;]{0,80}") {
            let out = to_html(&text);
            for piece in out.split('<').skip(1) {
                let name: String = piece.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
                prop_assert!(TAGS.contains(&name.as_str()), "{name} in {out}");
            }
        }
    }
}
