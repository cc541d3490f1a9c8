//! The durable, bounded priority queue: what is decided of it, as pure functions with time passed in.
//!
//! - [`order`]: the order in a lane, and which lane is next;
//! - [`decide`]: what becomes of a task when an attempt is over.
//!
//! Storing is [`store`](crate::store)'s; giving slots is [`scheduler`](crate::scheduler)'s.

pub mod decide;
pub mod order;

use std::collections::BTreeMap;

use app::model::flow::ParameterSpec;

/// Whether a parameter's value is masked wherever it would be shown or written: because its flow says so,
/// or because it is named like what is masked in addresses, such as `password`.
#[must_use]
pub fn is_private(name: &str, specs: &BTreeMap<String, ParameterSpec>, mask: &[String]) -> bool {
    specs.get(name).is_some_and(|spec| spec.private)
        || mask.iter().any(|masked| masked.eq_ignore_ascii_case(name))
}
