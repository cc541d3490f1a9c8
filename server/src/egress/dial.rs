//! From a target to an open connection: judged by name, looked up once, judged by every address, dialled at
//! those very addresses. Nothing is looked up again, so an answer that changes in between opens nothing.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
    time::Duration,
};

use tokio::{
    net::{TcpStream, lookup_host},
    sync::Semaphore,
    time::{Instant, timeout},
};

use super::{policy::Policy, target::Target, verdict::Verdict};

/// Addresses of one name that are dialled at most.
const MOST_ADDRESSES: usize = 16;

/// The proxy's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest look-up of a name. A resolver that asks three servers in turn needs some of it.
    pub resolve: Duration,
    /// Longest time to reach a target, over all its addresses.
    pub connect: Duration,
    /// Connections that one port holds at once; further ones wait to be accepted. A browser opens up to 32
    /// to a proxy, and as many as 255 for web sockets.
    pub connections: usize,
    /// Names that are looked up at once over all ports; each holds a thread while it lasts.
    pub lookups: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            resolve: Duration::from_secs(5),
            connect: Duration::from_secs(10),
            connections: 256,
            lookups: 32,
        }
    }
}

/// Reaches a target, or says why not.
///
/// # Errors
/// The verdict that is not [`Verdict::Allowed`].
pub async fn reach(
    policy: &Policy,
    target: &Target,
    limits: &Limits,
    lookups: &Arc<Semaphore>,
) -> Result<TcpStream, Verdict> {
    let refused = |refusal: super::policy::Refusal| Verdict::Refused { why: refusal.to_string() };
    policy.judge_name(target).map_err(refused)?;
    let addresses = match (&target.host, target.address()) {
        (_, Some(address)) => vec![address],
        // RFC 6761: such a name means this machine, whatever a resolver would say.
        _ if target.is_loopback_name() => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        (url::Host::Domain(name), None) => {
            match timeout(limits.resolve, resolve(name.clone(), lookups)).await {
                Ok(Some(addresses)) if !addresses.is_empty() => addresses,
                _ => return Err(Verdict::DnsFailed),
            }
        }
        (_, None) => return Err(Verdict::DnsFailed),
    };
    let allowed = policy.judge(target, &addresses).map_err(refused)?;
    let end = Instant::now() + limits.connect;
    let mut verdict = Verdict::ConnectTimeout;
    for (tried, address) in allowed.iter().enumerate() {
        // Each address has its share of the time that is left, so that a silent one does not use it up.
        let share = end.saturating_duration_since(Instant::now()) / (allowed.len() - tried) as u32;
        match timeout(share, TcpStream::connect(*address)).await {
            Ok(Ok(stream)) => {
                // Small packets of a page's many requests must not wait for each other.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => verdict = Verdict::ConnectFailed { why: error.kind().to_string() },
            Err(_) => verdict = Verdict::ConnectTimeout,
        }
    }
    Err(verdict)
}

/// A name's addresses, each once; none where it has none.
async fn resolve(name: String, lookups: &Arc<Semaphore>) -> Option<Vec<IpAddr>> {
    let permit = Arc::clone(lookups).acquire_owned().await.ok()?;
    // The look-up holds its thread to its end, also when nobody waits for it any more: so does its permit.
    let found = tokio::spawn(async move {
        let found = lookup_host((name.as_str(), 0)).await;
        drop(permit);
        found.map(|found| found.map(|address| address.ip()).collect::<Vec<_>>())
    });
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in found.await.ok()?.ok()? {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses.truncate(MOST_ADDRESSES);
    Some(addresses)
}
