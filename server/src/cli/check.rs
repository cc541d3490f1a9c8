//! `check-config`: reads the settings as `serve` would and prints them whole.

use super::{Done, Failure, args::Common, note, say, settings::settings};

pub(super) fn run(common: &Common) -> Done {
    let settings = settings(common, Vec::new())?;
    let whole = toml::to_string(&settings).map_err(Failure::failed)?;
    note("the settings are good; with all defaults they are:");
    say(whole.trim_end())
}
