//! What a job may reach, decided without touching the network.
//!
//! Public addresses may be reached; all others only where an entry of the allow list says so; the deny list
//! stands above the allow list; the control room's own ports and Chrome's DevTools ports on this machine
//! stand above both. A cloud's metadata address is opened only by an entry of its own, not by a block that
//! happens to hold it.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use parking_lot::RwLock;
use thiserror::Error;

use super::{
    address::{Kind, embedded, is_metadata, is_own, not_public},
    rules::{Rule, RuleError},
    target::Target,
};
use crate::config::EgressSettings;

/// Why a job may not reach something; the words complete "it is not allowed: …".
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The deny list says so.
    #[error("the deny list has {0}")]
    Denied(String),
    /// The control room itself, or a DevTools port.
    #[error("port {0} of this machine belongs to the control room")]
    OwnPort(u16),
    /// Not a public address and not on the allow list.
    #[error("{0} is {1} and not on the allow list")]
    NotPublic(IpAddr, Kind),
}

/// The ports of this machine that no job ever reaches: the control room's own, each DevTools port, each
/// attempt's proxy. Clones are the same set; it may change while jobs run.
#[derive(Clone, Debug, Default)]
pub struct RefusedPorts(Arc<RwLock<HashMap<u16, usize>>>);

impl RefusedPorts {
    /// Adds a port. One that is added twice must be removed twice.
    pub fn add(&self, port: u16) {
        *self.0.write().entry(port).or_default() += 1;
    }

    /// Removes a port that nothing listens on any more.
    pub fn remove(&self, port: u16) {
        let mut ports = self.0.write();
        if let Some(times) = ports.get_mut(&port) {
            *times -= 1;
            if *times == 0 {
                ports.remove(&port);
            }
        }
    }

    /// Whether a port is in the set.
    #[must_use]
    pub fn contains(&self, port: u16) -> bool {
        self.0.read().contains_key(&port)
    }
}

/// The rules of what a job may reach.
#[derive(Clone, Debug)]
pub struct Policy {
    allow: Vec<Rule>,
    deny: Vec<Rule>,
    refused_ports: RefusedPorts,
    is_own: fn(IpAddr) -> bool,
}

impl Policy {
    /// Reads the two lists.
    ///
    /// # Errors
    /// At the first entry that cannot be understood, naming it.
    pub fn new(settings: &EgressSettings, refused_ports: RefusedPorts) -> Result<Self, RuleError> {
        Ok(Self {
            allow: settings.allow.iter().map(|entry| Rule::allow(entry)).collect::<Result<_, _>>()?,
            deny: settings.deny.iter().map(|entry| Rule::deny(entry)).collect::<Result<_, _>>()?,
            refused_ports,
            is_own,
        })
    }

    /// The ports that are refused whatever the lists say.
    #[must_use]
    pub fn refused_ports(&self) -> &RefusedPorts {
        &self.refused_ports
    }

    /// Judges the name alone, before it is looked up: a denied name must not even be asked for.
    ///
    /// # Errors
    /// When the deny list names it.
    pub fn judge_name(&self, target: &Target) -> Result<(), Refusal> {
        match self.deny.iter().find(|rule| rule.names(target)) {
            Some(rule) => Err(Refusal::Denied(rule.text.clone())),
            None => Ok(()),
        }
    }

    /// Judges a target with every address that it leads to; what comes back may be dialled, in this order.
    ///
    /// One refused address refuses the target, for a name that leads inside as well as outside is an
    /// attempt to get in. Two things are no such attempt and only left out: those addresses of a loopback
    /// name that are not allowed while another is, and another form of an IPv4 address that is fine itself
    /// (networks that translate add them to every name).
    ///
    /// # Errors
    /// The first refusal that counts.
    pub fn judge(&self, target: &Target, addresses: &[IpAddr]) -> Result<Vec<SocketAddr>, Refusal> {
        self.judge_name(target)?;
        let mut allowed = Vec::new();
        let mut left_out = None;
        for address in addresses {
            match self.judge_address(target, *address) {
                Ok(()) => allowed.push(SocketAddr::new(*address, target.port)),
                Err(refusal) if self.is_harmless(&refusal, target) => left_out = left_out.or(Some(refusal)),
                Err(refusal) => return Err(refusal),
            }
        }
        match left_out {
            Some(refusal) if allowed.is_empty() => Err(refusal),
            _ => Ok(allowed),
        }
    }

    fn judge_address(&self, target: &Target, address: IpAddr) -> Result<(), Refusal> {
        let faces = faces(address);
        let faces = || faces.iter().copied().flatten();
        if let Some(rule) = self.deny.iter().find(|rule| faces().any(|face| rule.covers(face, target.port))) {
            return Err(Refusal::Denied(rule.text.clone()));
        }
        if self.refused_ports.contains(target.port) && faces().any(self.is_own) {
            return Err(Refusal::OwnPort(target.port));
        }
        for face in faces() {
            if let Some(kind) = not_public(face)
                && !self.is_allowed(target, face)
            {
                return Err(Refusal::NotPublic(address, kind));
            }
        }
        Ok(())
    }

    /// Whether the allow list opens an address that is not public.
    fn is_allowed(&self, target: &Target, face: IpAddr) -> bool {
        let listed = |face: IpAddr| {
            self.allow.iter().any(|rule| {
                if is_metadata(face) {
                    rule.is_exactly(face, target.port)
                } else {
                    rule.covers(face, target.port)
                }
            })
        };
        // The mapped form of an address is opened by the address itself: they are dialled as one.
        let mapped =
            matches!(face, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some_and(|v4| listed(v4.into())));
        let by_name = face.is_loopback()
            && target.is_loopback_name()
            && self.allow.iter().any(|rule| rule.names(target));
        listed(face) || mapped || by_name
    }

    fn is_harmless(&self, refusal: &Refusal, target: &Target) -> bool {
        let Refusal::NotPublic(address, _) = refusal else { return false };
        let translated = match address {
            IpAddr::V6(v6) => embedded(*v6).is_some_and(|v4| self.judge_address(target, v4.into()).is_ok()),
            IpAddr::V4(_) => false,
        };
        translated || (target.is_loopback_name() && address.is_loopback())
    }
}

/// An address and the IPv4 address that it leads to in another form.
fn faces(address: IpAddr) -> [Option<IpAddr>; 2] {
    let inner = match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(v6) => embedded(v6).map(IpAddr::V4),
    };
    [Some(address), inner]
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
