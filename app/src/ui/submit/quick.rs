//! The flow of a quick check: go to an address, and do one thing there.

use serde_json::{Value, json};

use crate::model::problem::FieldError;

/// What to do at the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// See that it loads.
    Load,
    /// Take a screenshot of the whole page.
    Screenshot,
    /// Extract what a selector finds.
    Extract,
}

impl What {
    /// All, as the form offers them.
    pub const ALL: [What; 3] = [Self::Load, Self::Screenshot, Self::Extract];

    /// Its value in the form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Screenshot => "screenshot",
            Self::Extract => "extract",
        }
    }

    /// What a form's value asks for; by default to see that it loads.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::ALL.into_iter().find(|what| what.as_str() == text).unwrap_or(Self::Load)
    }
}

/// The recording that does it.
///
/// # Errors
/// An address that is none, or a selector that is missing.
pub fn recording(address: &str, what: What, selector: &str, all: bool) -> Result<Value, Vec<FieldError>> {
    let (url, host) = address_of(address).map_err(|error| vec![error])?;
    let go = json!({"type": "navigate", "url": url});
    let (title, more) = match what {
        What::Load => (format!("Check {host}"), None),
        What::Screenshot => {
            let step = json!({"type": "customStep", "name": "screenshot", "parameters": {"full_page": true}});
            (format!("Screenshot of {host}"), Some(step))
        }
        What::Extract => {
            let selector = selector_of(selector).map_err(|error| vec![error])?;
            let parameters = json!({"name": "found", "selectors": [[selector]], "all": all});
            let step = json!({"type": "customStep", "name": "extract", "parameters": parameters});
            (format!("Extract from {host}"), Some(step))
        }
    };
    let steps: Vec<Value> = std::iter::once(go).chain(more).collect();
    Ok(json!({"title": title, "steps": steps}))
}

/// The address with its scheme, and its host for the title. One without a scheme is taken for https.
fn address_of(text: &str) -> Result<(String, String), FieldError> {
    let text = text.trim();
    let wrong = |why: &str| FieldError::new("/address", why);
    if text.is_empty() {
        return Err(wrong("is missing: which page?"));
    }
    if text.chars().any(char::is_whitespace) {
        return Err(wrong("must not have spaces in it"));
    }
    let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
    if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
        return Err(wrong("must start with http:// or https://"));
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    if host.is_empty() {
        return Err(wrong("has no host"));
    }
    Ok((format!("{scheme}://{rest}"), host.to_owned()))
}

/// A selector as a recording writes it: CSS as it is, a path marked as XPath.
fn selector_of(text: &str) -> Result<String, FieldError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(FieldError::new("/selector", "is missing: which element?"));
    }
    let is_path = text.starts_with('/') || text.starts_with("(/");
    Ok(if is_path { format!("xpath/{text}") } else { text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::flow::parse;

    #[test]
    fn every_quick_check_is_a_recording_that_is_accepted() {
        for what in What::ALL {
            let recording = recording("shop.test/a?b=1", what, "h1", true).expect("a recording");
            let checked = parse::check(&recording).expect("accepted");
            assert_eq!(checked.steps[0], "Go to https://shop.test/a?b=1");
            assert_eq!(checked.steps.len(), if what == What::Load { 1 } else { 2 });
        }
    }

    #[test]
    fn an_xpath_is_marked_as_one() {
        let recording = recording("http://shop.test/", What::Extract, "//h1", false).expect("a recording");
        assert_eq!(recording["steps"][1]["parameters"]["selectors"][0][0], "xpath///h1");
        assert_eq!(recording["title"], "Extract from shop.test");
    }

    #[test]
    fn what_is_no_page_is_refused_by_its_field() {
        for address in ["", "  ", "file:///etc/passwd", "javascript://x", "https://", "two words"] {
            let errors = recording(address, What::Load, "", false).expect_err(address);
            assert_eq!(errors[0].pointer, "/address");
        }
        let errors = recording("shop.test", What::Extract, " ", false).expect_err("no selector");
        assert_eq!(errors[0].pointer, "/selector");
    }

    #[test]
    fn a_password_in_the_address_stays_out_of_the_title() {
        let recording =
            recording("https://me:secret@shop.test/", What::Load, "", false).expect("a recording");
        assert_eq!(recording["title"], "Check shop.test");
    }
}
