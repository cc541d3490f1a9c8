//! Settings: defaults in code, then a TOML file, then the environment, then flags.
//!
//! - here: the sections with their defaults and why;
//! - [`load`]: reading and layering, with errors that name the key and the remedy.
//!
//! Every key of section `[section]` is also read from `SIGNALBOX_SECTION__KEY`.

mod load;
mod sections;

pub use load::{ConfigError, Sources, load};
pub use sections::{
    BreakerSettings, EgressSettings, EvidenceSettings, GateSettings, HttpSettings, PoolSettings,
    QuarantineSettings, QueueSettings, ServerSettings, Settings, SiteBy,
};
