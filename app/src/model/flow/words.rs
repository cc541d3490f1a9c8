//! A flow's steps in words.

use super::{Action, Chain, Comparison, ExtractSource, Flow, Step, TextRule};

/// Every step of a flow in words.
#[must_use]
pub fn steps(flow: &Flow) -> Vec<String> {
    flow.steps.iter().map(step).collect()
}

/// One step in words.
#[must_use]
pub fn step(step: &Step) -> String {
    let mut words = action(&step.action);
    if !step.frame.is_empty() {
        words.push_str(", in a frame");
    }
    if let Some(target) = step.target.as_deref().filter(|target| *target != "main") {
        words.push_str(&format!(", in {target}"));
    }
    if let Some(url) = step.asserted_events.iter().find_map(|event| event.url.as_deref())
        && !matches!(step.action, Action::Navigate { .. })
    {
        words.push_str(&format!(", which leads to {url}"));
    }
    if step.critical == Some(true) {
        words.push_str(" (critical)");
    }
    words
}

fn action(action: &Action) -> String {
    match action {
        Action::SetViewport { width, height, mobile, .. } => {
            let device = if *mobile { " as a phone" } else { "" };
            format!("Set the window to {width} × {height}{device}")
        }
        Action::Navigate { url } => format!("Go to {url}"),
        Action::Click { selectors, .. } => format!("Click {}", element(selectors)),
        Action::DoubleClick { selectors, .. } => format!("Double-click {}", element(selectors)),
        Action::Hover { selectors } => format!("Point at {}", element(selectors)),
        Action::Change { selectors, value } => format!("Set {} to “{}”", element(selectors), cut(value, 60)),
        Action::KeyDown { key } => format!("Press {key}"),
        Action::KeyUp { key } => format!("Let go of {key}"),
        Action::Scroll { selectors, x, y } if selectors.is_empty() => format!("Scroll the page to {x}, {y}"),
        Action::Scroll { selectors, x, y } => format!("Scroll {} to {x}, {y}", element(selectors)),
        Action::WaitForElement { selectors, comparison, count, visible, .. } => {
            let how = match comparison {
                Comparison::AtLeast => "at least",
                Comparison::Exactly => "exactly",
                Comparison::AtMost => "at most",
            };
            let seen = match visible {
                Some(true) => ", visible",
                Some(false) => ", hidden",
                None => "",
            };
            match (comparison, count) {
                (Comparison::AtLeast, 1) => format!("Wait for {}{seen}", element(selectors)),
                (_, 0) => format!("Wait until {} is gone", element(selectors)),
                _ => format!("Wait for {how} {count} of {}{seen}", element(selectors)),
            }
        }
        Action::WaitForExpression { expression } => format!("Wait until {} is true", cut(expression, 80)),
        Action::EmulateNetworkConditions { download, upload, latency_ms } => format!(
            "Slow the network to {:.0} kB/s down, {:.0} kB/s up, {latency_ms} ms",
            download / 1000.0,
            upload / 1000.0
        ),
        Action::Close => "Close the page".to_owned(),
        Action::Extract { name, selectors, source, all } => {
            let what = match source {
                ExtractSource::Text => "the text of".to_owned(),
                ExtractSource::Attribute(name) => format!("the attribute {name} of"),
                ExtractSource::Property(name) => format!("the property {name} of"),
            };
            let every = if *all { "every " } else { "" };
            format!("Take {what} {every}{} as {name}", element(selectors))
        }
        Action::Screenshot { full_page, selectors, .. } => {
            if !selectors.is_empty() {
                format!("Take a picture of {}", element(selectors))
            } else if *full_page {
                "Take a picture of the whole page".to_owned()
            } else {
                "Take a picture".to_owned()
            }
        }
        Action::AssertText { selectors, rule } => {
            let wanted = match rule {
                TextRule::Contains(text) => format!("contains “{}”", cut(text, 60)),
                TextRule::Equals(text) => format!("is “{}”", cut(text, 60)),
                TextRule::Matches(pattern) => format!("matches {}", cut(pattern, 60)),
            };
            format!("Check that {} {wanted}", element(selectors))
        }
        Action::ExpectStatus { statuses } => {
            let list: Vec<String> = statuses.iter().map(ToString::to_string).collect();
            format!("Expect the answer {}", list.join(" or "))
        }
    }
}

/// The element that chains name, said by its most readable chain: its accessible name or its text where
/// it has one.
fn element(selectors: &[Chain]) -> String {
    let parts = |prefix: &str| {
        selectors
            .iter()
            .filter_map(|chain| chain.last())
            .find_map(|part| part.strip_prefix(prefix).map(str::to_owned))
    };
    if let Some(name) = parts("aria/").filter(|name| !name.starts_with("[role")) {
        let (name, role) = match name.split_once("[role=") {
            Some((name, role)) => (name.to_owned(), Some(role.trim_matches(['"', ']']).to_owned())),
            None => (name, None),
        };
        return match role {
            Some(role) => format!("the {role} “{}”", cut(&name, 60)),
            None => format!("“{}”", cut(&name, 60)),
        };
    }
    if let Some(text) = parts("text/") {
        return format!("“{}”", cut(&text, 60));
    }
    match selectors.first() {
        Some(chain) => cut(&chain.join(" >> "), 80),
        None => "the page".to_owned(),
    }
}

/// Cuts a text at a number of characters, with an ellipsis.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
