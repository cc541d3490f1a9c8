//! From flags, environment and file to the settings, and what the help says of each.

use std::path::Path;

use toml::Value;

use super::{Failure, args::Common};
use crate::config::{Settings, Sources, load};

/// A flag's place in the settings with its value.
pub(super) type Flag = (String, Value);

/// The settings of a command.
pub(super) fn settings(common: &Common, mut flags: Vec<Flag>) -> Result<Settings, Failure> {
    if let Some(data) = &common.data {
        flags.push(("server.data".to_owned(), Value::String(text(data)?)));
    }
    if let Some(database) = &common.database {
        flags.push(("server.database".to_owned(), Value::String(database.clone())));
    }
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    load(&Sources { file: common.config.clone(), environment, flags }).map_err(Failure::usage)
}

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::usage(format!("the path {} is not UTF-8, which the settings cannot hold", path.display()))
    })
}

/// The address that people use, where nobody listens yet: as set, else that of the listening address.
pub(super) fn public_url(settings: &Settings) -> String {
    match &settings.server.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => {
            let listen = &settings.server.listen;
            let port = listen.strip_prefix("0.0.0.0:").or_else(|| listen.strip_prefix("[::]:"));
            port.map_or_else(|| format!("http://{listen}"), |port| format!("http://127.0.0.1:{port}"))
        }
    }
}

/// Every setting with why it has the default that it has, for the help.
const WHY: &[(&str, &str)] = &[
    ("server.listen", "loopback, because reaching it from elsewhere should be a decision"),
    ("server.public_url", "for links that are printed; without it the listening address"),
    ("server.data", "database, evidence and Chrome profiles, in the current folder"),
    ("server.database", "without it signalbox.db in the data folder"),
    ("server.drain_s", "what running attempts are given to end; service managers wait 90 s and more"),
    ("queue.capacity", "a runaway producer is refused before the disk is full"),
    ("queue.attempts", "one for a passing fault, one to be sure, and then a person"),
    ("queue.lost_max", "a task that has taken its holder with it so often is set aside"),
    ("queue.timeout_s", "longest time of one attempt, gate waits not counted"),
    ("queue.lease_s", "how soon a task is taken from a holder that is gone"),
    ("queue.heartbeat_s", "a quarter of the lease, so that one late heartbeat costs nothing"),
    ("queue.retry_base_s", "first back-off; it doubles with each attempt"),
    ("queue.retry_cap_s", "longest back-off"),
    ("queue.age_step_s", "waiting that weighs as much as one step of priority, so that nothing starves"),
    ("pool.slots", "attempts at once: by default one a core, at least 2"),
    ("pool.contexts_per_instance", "contexts share a Chrome, but do not all die with one"),
    ("pool.warm", "ready beyond what is in use, so that a task does not wait for Chrome to start"),
    ("pool.max_uses", "contexts after which a Chrome is replaced, because its memory grows"),
    ("pool.max_age_s", "the same by age"),
    ("pool.idle_s", "an instance beyond the warm ones ends when nothing uses it so long"),
    ("pool.max_pss_mib", "the same by memory of its process tree"),
    ("pool.binary", "auto looks for Chrome, headless shell first because it is several times faster"),
    ("pool.remote", "addresses of remote Chrome endpoints"),
    ("gate.global_per_s", "documents a second over all sites"),
    ("gate.global_burst", "documents at once after a rest"),
    ("gate.domain_per_s", "documents a second on one site: polite to whoever runs it"),
    ("gate.domain_burst", "1, so that the rate holds in any window"),
    ("gate.domain_concurrency", "attempts at once on one site"),
    ("gate.lead_ms", "how long before its gate is clear a task may be given a slot"),
    ("gate.wait_s", "longest wait at a gate inside an attempt; past it the task goes back at no cost"),
    ("gate.retry_after_cap_s", "longest Retry-After that is honoured"),
    ("gate.site", "host, or registrable by the public suffix list"),
    ("breaker.window", "outcomes that a breaker remembers, the fleet's and each site's own"),
    ("breaker.window_s", "and no longer than this: what was five minutes ago says little of now"),
    ("breaker.min", "so many outcomes before it opens, so that a single failure shuts nothing"),
    ("breaker.failure_rate", "share of failures at which it opens"),
    ("breaker.sites", "sites that fail together: then the trouble is ours, and the fleet's breaker opens"),
    ("breaker.open_s", "how long it stays open; doubled each time that a probe fails"),
    ("breaker.open_cap_s", "longest time that it stays open"),
    ("breaker.probes", "attempts that try whether the trouble is over; all others wait for them"),
    ("breaker.half_open_s", "what a probe has to answer; past it the breaker opens again"),
    ("quarantine.after", "crashes in a row after which a task is set aside"),
    ("orders.claim_s", "how long an order stays with who has stopped working on it"),
    ("egress.allow", "private addresses that jobs may reach; none, because recordings come from elsewhere"),
    ("egress.deny", "what jobs may never reach; stands above allow"),
    ("egress.listen", "where the proxy listens for remote Chrome endpoints"),
    ("egress.advertise", "the address under which they reach it"),
    ("http.token_per_s", "requests a second that one caller may send"),
    ("http.token_burst", "requests at once after a rest"),
    ("evidence.keep_days", "a month to look at what failed"),
    ("evidence.max_mib", "over it the oldest goes first"),
    ("evidence.good_every_s", "a picture of success once a day, to compare failures with"),
    ("evidence.mask", "names of query fields whose values are masked in addresses"),
];

/// The list of settings that closes the long help.
pub(super) fn help() -> String {
    let mut out = String::from(
        "Settings, as section.key in the file of --config or as SIGNALBOX_SECTION__KEY in the environment,\n\
         with their defaults:\n",
    );
    let defaults = Value::try_from(Settings::default()).unwrap_or(Value::Boolean(false));
    for (key, why) in WHY {
        let default = default(&defaults, key);
        out.push_str(&format!("  {key} = {default}\n      {why}\n"));
    }
    out
}

fn default(defaults: &Value, key: &str) -> String {
    let (section, key) = key.split_once('.').unwrap_or_default();
    match defaults.get(section).and_then(|section| section.get(key)) {
        Some(value) => value.to_string(),
        None => "(not set)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_tells_every_setting_and_no_other() {
        let defaults = Value::try_from(Settings::default()).expect("the defaults are TOML");
        let sections = defaults.as_table().expect("a table");
        for (section, keys) in sections {
            for key in keys.as_table().expect("a section").keys() {
                assert!(WHY.iter().any(|(known, _)| *known == format!("{section}.{key}")), "{section}.{key}");
            }
        }
        for (key, _) in WHY {
            let (section, _) = key.split_once('.').expect("section.key");
            let flag = ((*key).to_owned(), Value::Boolean(true));
            let error = load(&Sources { flags: vec![flag], ..Sources::default() }).map(|_| ());
            let unknown = error.is_err_and(|error| error.to_string().contains("unknown field"));
            assert!(sections.contains_key(section) && !unknown, "{key}");
        }
    }

    #[test]
    fn links_name_an_address_that_can_be_opened() {
        let mut settings = Settings::default();
        assert_eq!(public_url(&settings), "http://127.0.0.1:3000");
        settings.server.listen = "0.0.0.0:80".to_owned();
        assert_eq!(public_url(&settings), "http://127.0.0.1:80");
        settings.server.public_url = Some("https://box.example/".to_owned());
        assert_eq!(public_url(&settings), "https://box.example");
    }
}
