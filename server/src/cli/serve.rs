//! `serve`: the server.

use toml::Value;

use super::{
    Done, Failure,
    args::{Common, ServeFlags},
    block_on, log,
    settings::{Flag, settings},
};
use crate::engine;

pub(super) fn run(common: &Common, flags: &ServeFlags) -> Done {
    let settings = settings(common, places(flags))?;
    log("info");
    block_on(async { engine::serve(settings).await.map_err(Failure::failed) })
}

/// The places in the settings that the flags stand for.
fn places(flags: &ServeFlags) -> Vec<Flag> {
    let text = |key: &str, value: &Option<String>| {
        value.as_ref().map(|value| (key.to_owned(), Value::String(value.clone())))
    };
    let number =
        |key: &str, value: Option<u32>| value.map(|value| (key.to_owned(), Value::Integer(value.into())));
    let allow =
        flags.allow.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|one| !one.is_empty());
    let allow: Vec<Value> = allow.map(|one| Value::String(one.to_owned())).collect();
    [
        text("server.listen", &flags.listen),
        text("server.public_url", &flags.public_url),
        number("server.drain_s", flags.drain_s),
        number("pool.slots", flags.slots),
        text("pool.binary", &flags.chrome),
        number("queue.capacity", flags.capacity),
        (!allow.is_empty()).then(|| ("egress.allow".to_owned(), Value::Array(allow))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Sources, load};

    #[test]
    fn every_flag_reaches_its_setting() {
        let flags = ServeFlags {
            listen: Some("127.0.0.1:1".to_owned()),
            public_url: Some("https://box.example".to_owned()),
            slots: Some(7),
            capacity: Some(8),
            drain_s: Some(9),
            chrome: Some("/opt/chrome".to_owned()),
            allow: vec!["127.0.0.1:8123, 10.0.0.0/8".to_owned(), "localhost:90".to_owned()],
        };
        let settings = load(&Sources { flags: places(&flags), ..Sources::default() }).expect("good settings");
        assert_eq!(settings.server.listen, "127.0.0.1:1");
        assert_eq!(settings.server.public_url.as_deref(), Some("https://box.example"));
        assert_eq!((settings.pool.slots, settings.queue.capacity, settings.server.drain_s), (7, 8, 9));
        assert_eq!(settings.pool.binary, "/opt/chrome");
        assert_eq!(settings.egress.allow, ["127.0.0.1:8123", "10.0.0.0/8", "localhost:90"]);
    }
}
