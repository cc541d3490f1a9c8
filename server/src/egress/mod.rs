//! The filtering proxy: a job reaches only what it may.
//!
//! - [`target`]: where a request wants to go, in one normal form;
//! - [`address`]: which addresses are public;
//! - [`rules`]: the entries of the two lists;
//! - [`policy`]: the decision, pure;
//! - [`dial`]: look up once, judge every address, dial those and never look up again;
//! - [`verdict`]: what became of each target, for telling why a navigation failed;
//! - [`headers`], [`forward`]: one request;
//! - [`Egress`], [`Port`]: each attempt gets a port of its own on loopback, and the port is its identity.
//!
//! Chrome sends loopback and link-local addresses past a proxy unless its bypass list holds `<-loopback>`:
//! who gives a context its proxy must give it that list ([`BYPASS`]) too. Schemes that never come to a proxy
//! (`file:`, `data:`, …) are for the runner to refuse. Ports listen on loopback, for Chrome instances of this
//! machine.

pub mod address;
pub mod dial;
pub mod forward;
pub mod headers;
pub mod policy;
mod port;
pub mod rules;
pub mod target;
pub mod verdict;

pub use dial::Limits;
pub use policy::{Policy, Refusal, RefusedPorts};
pub use port::{Egress, Port};
pub use rules::RuleError;
pub use target::Target;
pub use verdict::Verdict;

/// The proxy bypass list that lets nothing pass the proxy by, loopback and link-local included.
pub const BYPASS: &str = "<-loopback>";
