//! What people read and the server makes: a code with parameters, worded only when it is shown, so that
//! it can be read in every language.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

/// A code with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Message {
    /// Which sentence: a key of the wording table.
    #[cfg_attr(feature = "ssr", schema(value_type = String))]
    pub code: Cow<'static, str>,
    /// What stands in the sentence's places.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
}

impl Message {
    /// A message without parameters.
    #[must_use]
    pub fn new(code: &'static str) -> Self {
        Self { code: Cow::Borrowed(code), params: BTreeMap::new() }
    }

    /// The message with one more parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.params.insert(name.to_owned(), value.to_string());
        self
    }

    /// The sentence in English. A code that no table knows is shown as it is, with its parameters, so
    /// that nothing is hidden.
    #[must_use]
    pub fn english(&self) -> String {
        match ENGLISH.iter().find(|(code, _)| *code == self.code) {
            Some((_, sentence)) => fill(sentence, &self.params),
            None => {
                let params: Vec<String> = self.params.iter().map(|(k, v)| format!("{k}={v}")).collect();
                format!("{} {}", self.code, params.join(" ")).trim_end().to_owned()
            }
        }
    }
}

/// Puts each parameter where the sentence names it in braces.
fn fill(sentence: &str, params: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(sentence.len() + 32);
    let mut rest = sentence;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        let Some(end) = rest[start..].find('}').map(|i| start + i) else { break };
        match params.get(&rest[start + 1..end]) {
            Some(value) => out.push_str(value),
            None => out.push_str(&rest[start..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// The sentences. Each code is `area.what`.
const ENGLISH: &[(&str, &str)] = &[
    // selector
    ("selector.none", "No element matched any of {chains} selectors within {ms} ms ({tried})"),
    ("selector.covered", "The element is covered by {by}: the click would land there"),
    ("selector.disabled", "The element is disabled"),
    ("selector.moving", "The element did not stop moving within {ms} ms"),
    ("selector.outside", "The element cannot be scrolled into view"),
    ("selector.invisible", "The element is there but has no visible box"),
    ("selector.many", "{count} elements match and none of the selectors matches one alone ({tried})"),
    (
        "selector.in_frame",
        "No element matched ({tried}), but one does inside frame {frame}: record the step in that frame",
    ),
    ("selector.frame", "There is no frame at position {path}"),
    ("selector.target", "There is no page or frame with the address {target}"),
    ("selector.not_editable", "The element cannot take a value: it is {what}"),
    ("selector.no_option", "The list has no option with the value {value}"),
    ("selector.value_lost", "The page did not keep the value that was typed: it holds a different one"),
    ("selector.bad", "The selector {selector} is not valid: {why}"),
    // navigation
    ("navigation.dns", "The name {host} cannot be found"),
    ("navigation.refused", "{host} does not accept connections"),
    ("navigation.failed", "The page at {url} could not be loaded: {why}"),
    ("navigation.redirect_loop", "The page at {url} redirects without end"),
    ("navigation.tls", "The certificate of {host} is not valid: {why}"),
    // timeouts
    ("timeout.navigation", "The page at {url} did not load within {ms} ms"),
    ("timeout.asserted", "The expected navigation to {url} did not come within {ms} ms (now at {now})"),
    ("timeout.count", "Waited {ms} ms for {wanted} elements and found {found}"),
    ("timeout.property", "Waited {ms} ms: the element is there, but {what}"),
    ("timeout.expression", "The expression did not become true within {ms} ms"),
    ("timeout.task", "The task ran longer than its {s} s"),
    ("timeout.gate", "Waited {s} s at the gate of {domain} and was not let through"),
    ("timeout.chrome", "Chrome did not answer {method} within {ms} ms"),
    // answers of the site
    ("http.status", "The page at {url} answered {status}"),
    ("http.unexpected", "The page at {url} answered {status}, expected {wanted}"),
    ("blocked.retry_after", "{domain} answered {status} and asks to wait until {until}"),
    ("blocked.status", "{domain} answered {status}: it refuses us"),
    ("auth.status", "The page at {url} answered {status}: it wants a sign-in"),
    // data
    ("business.text", "The text {found} {rule} {wanted}: it does not"),
    ("download.started", "The address {url} is a download and not a page"),
    // machine
    ("renderer.crashed", "The page's renderer crashed"),
    ("instance.lost", "The Chrome instance ended while the task ran: {why}"),
    (
        "uncertain.lost",
        "The attempt was lost after a critical step had begun: whether it took effect is not known",
    ),
    ("uncertain.failed", "After a critical step had begun: {why}"),
    ("policy.address", "{host} is not allowed: {why}"),
    ("policy.scheme", "The address {url} is not allowed: only http and https are"),
    ("deadline.passed", "The deadline {deadline} passed before the task succeeded"),
    ("lost.lease", "The attempt's holder was lost before it reported"),
    ("lost.spent", "The task was lost {count} times"),
    ("crash.spent", "The task crashed its context {count} times in a row"),
    ("internal", "Failed inside; the log has it under {incident}"),
    // work orders
    ("order.step", "Step {step} of {flow} on {domain}: {what} ({words})"),
    ("order.step_nowhere", "Step {step} of {flow}: {what} ({words})"),
    ("order.flow", "The flow {flow} on {domain}: {what}"),
    ("order.flow_nowhere", "The flow {flow}: {what}"),
    ("class.business", "the data is wrong"),
    ("class.selector", "element not found or unusable"),
    ("class.auth", "the site wants a sign-in"),
    ("class.download", "a download instead of a page"),
    ("class.uncertain", "uncertain whether a critical step took effect"),
    ("class.navigation", "the page cannot be loaded"),
    ("class.timeout", "what was awaited did not come"),
    ("class.http_status", "the page answers an error"),
    ("class.blocked", "the site refuses us"),
    ("class.renderer_crash", "the page crashes its renderer"),
    ("class.instance_lost", "Chrome ends while it runs"),
    ("class.internal", "failed inside"),
    ("class.policy", "not allowed"),
    ("class.deadline", "the deadline passed"),
    // rules
    ("rule.finished", "A rule ends this task ({rule})"),
    ("rule.quarantined", "A rule sets this task aside ({rule})"),
    // waits
    ("wait.turn", "{place} in its lane"),
    ("wait.schedule", "not before {until}"),
    ("wait.retry", "tries again at {until}"),
    ("wait.gate_global", "the fleet's rate is spent"),
    ("wait.gate_domain", "the rate of {domain} is spent"),
    ("wait.cooldown", "{domain} asked to wait"),
    ("wait.domain_concurrency", "{domain} already has {running} running"),
    ("wait.breaker", "the fleet's breaker is open"),
    ("wait.breaker_probing", "the fleet's breaker is half-open and waits for its probes"),
    ("wait.site_breaker", "the breaker of {domain} is open"),
    ("wait.site_breaker_probing", "the breaker of {domain} is half-open and waits for its probes"),
    // breakers
    ("breaker.tripped", "{failed} of the last {total} attempts failed"),
    ("breaker.probe_failed", "A probe failed: {why}"),
    ("breaker.no_answer", "A probe gave no answer within {s} s"),
    ("breaker.sites", "{sites} sites failed together: their breakers are open at once"),
    ("breaker.recovered", "Its probes succeeded"),
    // more of what was awaited
    ("timeout.status", "No document answered within {ms} ms; expected {wanted}"),
    ("timeout.expression_threw", "The expression did not become true within {ms} ms: it throws {why}"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_worded_with_its_parameters() {
        let message = Message::new("http.status").with("url", "http://shop/").with("status", 500);
        assert_eq!(message.english(), "The page at http://shop/ answered 500");
    }

    #[test]
    fn a_parameter_with_braces_is_not_filled_again() {
        let message = Message::new("navigation.dns").with("host", "{host}");
        assert_eq!(message.english(), "The name {host} cannot be found");
    }

    #[test]
    fn an_unknown_code_hides_nothing() {
        assert_eq!(Message::new("new.code").with("a", 1).english(), "new.code a=1");
    }

    #[test]
    fn codes_are_unique() {
        let mut codes: Vec<_> = ENGLISH.iter().map(|(code, _)| code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ENGLISH.len());
    }
}
