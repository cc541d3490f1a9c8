//! What a form of the breaker's page asks for.

use crate::model::{
    breaker::{BreakerSetting, SetBreaker},
    problem::{AppError, FieldError},
};

/// The most characters of a reason.
pub const REASON_MOST: usize = 500;

/// Whose breaker a form is about: it says so itself, so that a site's form without a site is not taken for
/// the fleet's.
pub const FLEET: &str = "fleet";
/// A site's.
pub const SITE: &str = "site";

/// The setting that a form asks for. Closing takes a yes.
///
/// # Errors
/// Bad input with every place.
pub fn setting(
    state: BreakerSetting,
    whose: &str,
    site: &str,
    reason: &str,
    sure: bool,
) -> Result<SetBreaker, AppError> {
    let mut errors = Vec::new();
    let domain = match (whose, site_of(site)) {
        (FLEET, _) => None,
        (SITE, Some(domain)) => Some(domain),
        (SITE, None) => {
            errors.push(FieldError::new("/site", "must name a site"));
            None
        }
        _ => {
            errors.push(FieldError::new("/whose", "must be the fleet or a site"));
            None
        }
    };
    let reason = reason.trim();
    if reason.is_empty() {
        errors.push(FieldError::new("/reason", "must not be empty"));
    } else if reason.chars().count() > REASON_MOST {
        errors.push(FieldError::new("/reason", format!("must have at most {REASON_MOST} characters")));
    }
    if state == BreakerSetting::Closed && !sure {
        errors.push(FieldError::new("/confirmation", "closing takes a tick: waiting tasks start at once"));
    }
    if !errors.is_empty() {
        return Err(AppError::BadInput { errors });
    }
    Ok(SetBreaker { domain, state, reason: reason.to_owned() })
}

/// The site's key that somebody typed, who may have pasted an address; none where there is none.
fn site_of(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let (default_port, rest) = if let Some(rest) = text.strip_prefix("https://") {
        (":443", rest)
    } else if let Some(rest) = text.strip_prefix("http://") {
        (":80", rest)
    } else {
        ("", &*text)
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = if default_port.is_empty() { host } else { host.strip_suffix(default_port).unwrap_or(host) };
    let host = host.trim_end_matches('.');
    (!host.is_empty()).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(error: AppError) -> Vec<String> {
        let AppError::BadInput { errors } = error else { panic!("another error: {error}") };
        errors.into_iter().map(|error| error.pointer).collect()
    }

    #[test]
    fn a_sites_form_without_a_site_is_never_the_fleets() {
        let error = setting(BreakerSetting::Open, SITE, "  ", "down", false).expect_err("no site");
        assert_eq!(places(error), ["/site"]);
        let error = setting(BreakerSetting::Open, "", "", "down", false).expect_err("nobody's");
        assert_eq!(places(error), ["/whose"]);
    }

    #[test]
    fn opening_takes_a_reason_and_closing_a_yes_too() {
        let open = setting(BreakerSetting::Open, FLEET, "", " down for hours ", false).expect("a setting");
        assert_eq!((open.domain, open.reason.as_str()), (None, "down for hours"));
        let error = setting(BreakerSetting::Closed, FLEET, "", " ", false).expect_err("two faults");
        assert_eq!(places(error), ["/reason", "/confirmation"]);
        assert!(setting(BreakerSetting::Closed, FLEET, "", "up again", true).is_ok());
    }

    #[test]
    fn a_pasted_address_is_read_as_its_site() {
        for (typed, site) in [
            ("Shop.Test", "shop.test"),
            (" shop.test. ", "shop.test"),
            ("https://shop.test/cart?x=1", "shop.test"),
            ("http://shop.test:8080/", "shop.test:8080"),
            ("https://shop.test:443/", "shop.test"),
            ("127.0.0.1:8123", "127.0.0.1:8123"),
        ] {
            assert_eq!(site_of(typed).as_deref(), Some(site), "{typed}");
        }
        assert_eq!(site_of("https:///"), None);
    }
}
