//! The DevTools ports of the running instances, which no job may reach.

use std::{collections::HashSet, sync::Arc};

use parking_lot::Mutex;

use crate::egress::RefusedPorts;

/// The ports that were refused because an instance's DevTools listens there. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DevtoolsPorts {
    refused: RefusedPorts,
    known: Arc<Mutex<HashSet<u16>>>,
}

impl DevtoolsPorts {
    /// None yet.
    #[must_use]
    pub fn new(refused: RefusedPorts) -> Self {
        Self { refused, known: Arc::default() }
    }

    /// These ports and no others.
    pub fn set(&self, ports: impl IntoIterator<Item = u16>) {
        let now: HashSet<u16> = ports.into_iter().collect();
        let mut known = self.known.lock();
        for port in now.difference(&known) {
            self.refused.add(*port);
        }
        for port in known.difference(&now) {
            self.refused.remove(*port);
        }
        *known = now;
    }
}
