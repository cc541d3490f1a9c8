//! Reading and layering the settings.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{BreakerSettings, Settings};

/// Prefix of the environment's names.
const PREFIX: &str = "SIGNALBOX_";

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the settings file {path}: {why}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
    /// The file is no TOML.
    #[error("{path} is not TOML: {why}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and what.
        why: toml::de::Error,
    },
    /// A key is unknown or its value is of the wrong kind.
    #[error("in the settings, {key}: {why}")]
    Key {
        /// The key, as `section.key`, or the name in the environment.
        key: String,
        /// What is wrong.
        why: String,
    },
}

/// What stands above the defaults.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The file that `--config` names.
    pub file: Option<PathBuf>,
    /// The environment's `SIGNALBOX_SECTION__KEY` pairs; others are ignored.
    pub environment: Vec<(String, String)>,
    /// What flags set: `section.key` with a TOML value.
    pub flags: Vec<(String, Value)>,
}

/// Layers file, environment and flags over the defaults and checks the whole.
///
/// # Errors
/// [`ConfigError`], naming the file or key.
pub fn load(sources: &Sources) -> Result<Settings, ConfigError> {
    let mut table = match &sources.file {
        Some(path) => read(path)?,
        None => Table::new(),
    };
    for (name, text) in &sources.environment {
        let Some((section, key)) = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once("__")) else {
            continue;
        };
        let (section, key) = (section.to_ascii_lowercase(), key.to_ascii_lowercase());
        set(&mut table, &section, &key, from_text(&section, &key, text));
    }
    for (path, value) in &sources.flags {
        if let Some((section, key)) = path.split_once('.') {
            set(&mut table, section, key, value.clone());
        }
    }
    let settings: Settings = serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
        ConfigError::Key { key: error.path().to_string(), why: error.into_inner().to_string() }
    })?;
    check(&settings)?;
    Ok(settings)
}

fn read(path: &Path) -> Result<Table, ConfigError> {
    let text =
        std::fs::read_to_string(path).map_err(|why| ConfigError::Unreadable { path: path.into(), why })?;
    toml::from_str(&text).map_err(|why| ConfigError::Syntax { path: path.into(), why })
}

fn set(table: &mut Table, section: &str, key: &str, value: Value) {
    let entry = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
    if let Some(section) = entry.as_table_mut() {
        section.insert(key.to_owned(), value);
    }
}

/// A value from the environment takes the type that the default has; a list is written with commas.
fn from_text(section: &str, key: &str, text: &str) -> Value {
    let defaults = Value::try_from(Settings::default()).unwrap_or_else(|_| Value::Table(Table::new()));
    match defaults.get(section).and_then(|section| section.get(key)) {
        Some(Value::Integer(_)) => {
            text.parse().map_or_else(|_| Value::String(text.to_owned()), Value::Integer)
        }
        Some(Value::Float(_)) => text.parse().map_or_else(|_| Value::String(text.to_owned()), Value::Float),
        Some(Value::Boolean(_)) => {
            text.parse().map_or_else(|_| Value::String(text.to_owned()), Value::Boolean)
        }
        Some(Value::Array(_)) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
        }
        _ => Value::String(text.to_owned()),
    }
}

fn check(settings: &Settings) -> Result<(), ConfigError> {
    let wrong = |key: &str, why: &str| Err(ConfigError::Key { key: key.to_owned(), why: why.to_owned() });
    let Settings { queue, pool, gate, .. } = settings;
    if pool.slots == 0 {
        return wrong("pool.slots", "must be 1 or more");
    }
    if pool.contexts_per_instance == 0 {
        return wrong("pool.contexts_per_instance", "must be 1 or more");
    }
    if queue.heartbeat_s == 0 || queue.lease_s < queue.heartbeat_s * 2 {
        return wrong(
            "queue.lease_s",
            "must be at least twice queue.heartbeat_s, or one late heartbeat loses a task",
        );
    }
    if queue.attempts == 0 {
        return wrong("queue.attempts", "must be 1 or more");
    }
    for (key, rate) in [("gate.global_per_s", gate.global_per_s), ("gate.domain_per_s", gate.domain_per_s)] {
        if !(rate > 0.0 && rate <= 1_000_000.0) {
            return wrong(key, "must be more than 0 and at most 1000000");
        }
    }
    for (key, burst) in [("gate.global_burst", gate.global_burst), ("gate.domain_burst", gate.domain_burst)] {
        if burst == 0 {
            return wrong(key, "must be 1 or more");
        }
    }
    if settings.orders.claim_s == 0 {
        return wrong("orders.claim_s", "must be 1 or more");
    }
    if gate.domain_concurrency == 0 {
        return wrong("gate.domain_concurrency", "must be 1 or more");
    }
    check_breaker(&settings.breaker)
}

/// Longest time that a breaker may be told: a year in seconds.
const YEAR_S: u64 = 31_536_000;
/// Most outcomes that a breaker may remember: they are stored anew with each one that comes.
const MOST_REMEMBERED: u32 = 1_000;

fn check_breaker(breaker: &BreakerSettings) -> Result<(), ConfigError> {
    let wrong = |key: &str, why: String| Err(ConfigError::Key { key: format!("breaker.{key}"), why });
    for (key, n) in [("window", breaker.window), ("sites", breaker.sites), ("probes", breaker.probes)] {
        if !(1..=MOST_REMEMBERED).contains(&n) {
            return wrong(key, format!("must be from 1 to {MOST_REMEMBERED}"));
        }
    }
    if !(1..=breaker.window).contains(&breaker.min) {
        return wrong("min", format!("must be from 1 to breaker.window ({})", breaker.window));
    }
    if !(breaker.failure_rate > 0.0 && breaker.failure_rate <= 1.0) {
        return wrong("failure_rate", "must be more than 0 and at most 1".to_owned());
    }
    for (key, seconds) in [
        ("window_s", breaker.window_s),
        ("open_s", breaker.open_s),
        ("open_cap_s", breaker.open_cap_s),
        ("half_open_s", breaker.half_open_s),
    ] {
        if !(1..=YEAR_S).contains(&seconds) {
            return wrong(key, format!("must be from 1 to {YEAR_S}"));
        }
    }
    if breaker.open_cap_s < breaker.open_s {
        return wrong("open_cap_s", format!("must be at least breaker.open_s ({})", breaker.open_s));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Sources {
        Sources {
            environment: pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..Sources::default()
        }
    }

    #[test]
    fn flags_stand_above_the_environment_and_that_above_the_file() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("signalbox.toml");
        std::fs::write(&file, "[queue]\ncapacity = 1\nattempts = 7\n[pool]\nslots = 3\n").expect("written");
        let mut sources = environment(&[("SIGNALBOX_QUEUE__CAPACITY", "2"), ("SIGNALBOX_POOL__SLOTS", "4")]);
        sources.file = Some(file);
        sources.flags = vec![("pool.slots".to_owned(), Value::Integer(5))];
        let settings = load(&sources).expect("good settings");
        assert_eq!((settings.queue.attempts, settings.queue.capacity, settings.pool.slots), (7, 2, 5));
    }

    #[test]
    fn lists_and_rates_come_from_the_environment() {
        let sources = environment(&[
            ("SIGNALBOX_EGRESS__ALLOW", "127.0.0.1:8123, 10.0.0.0/8"),
            ("SIGNALBOX_GATE__DOMAIN_PER_S", "20"),
        ]);
        let settings = load(&sources).expect("good settings");
        assert_eq!(settings.egress.allow, ["127.0.0.1:8123", "10.0.0.0/8"]);
        assert!((settings.gate.domain_per_s - 20.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_fault_names_its_key() {
        for (name, text, key) in [
            ("SIGNALBOX_QUEUE__CAPACITY", "many", "queue.capacity"),
            ("SIGNALBOX_QUEUE__COLOUR", "red", "queue"),
            ("SIGNALBOX_POOL__SLOTS", "0", "pool.slots"),
            ("SIGNALBOX_GATE__DOMAIN_PER_S", "0", "gate.domain_per_s"),
            ("SIGNALBOX_BREAKER__MIN", "21", "breaker.min"),
            ("SIGNALBOX_BREAKER__FAILURE_RATE", "1.5", "breaker.failure_rate"),
            ("SIGNALBOX_BREAKER__OPEN_CAP_S", "59", "breaker.open_cap_s"),
            ("SIGNALBOX_BREAKER__PROBES", "0", "breaker.probes"),
        ] {
            let error = load(&environment(&[(name, text)])).expect_err("must be refused").to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
