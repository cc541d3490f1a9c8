//! A port of the proxy: one attempt's way out, and who the attempt is to the proxy.

use std::{
    future::Future,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use parking_lot::{Mutex, RwLock};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;

use super::{
    dial::{Limits, reach},
    forward::serve,
    policy::{Policy, RefusedPorts},
    target::Target,
    verdict::{Verdict, Verdicts},
};

/// How long accepting rests when the machine has no more file handles.
const ACCEPT_REST: Duration = Duration::from_millis(50);

/// The filtering proxy. Clones are the same proxy.
#[derive(Clone)]
pub struct Egress(Arc<House>);

/// What all ports share.
struct House {
    policy: RwLock<Arc<Policy>>,
    limits: Limits,
    lookups: Arc<Semaphore>,
}

/// What a port's connections share.
pub struct Shared {
    house: Arc<House>,
    verdicts: Mutex<Verdicts>,
    /// Cancelled when the port is dropped.
    closed: CancellationToken,
}

/// One attempt's port on loopback. Dropping it closes it with all its connections and tunnels.
pub struct Port {
    addr: SocketAddr,
    shared: Arc<Shared>,
    /// The set that the port itself was added to.
    refused_ports: RefusedPorts,
}

impl Egress {
    /// A proxy under a policy, with the usual limits.
    #[must_use]
    pub fn start(policy: Policy) -> Self {
        Self::with_limits(policy, Limits::default())
    }

    /// A proxy under a policy, with limits of its own.
    #[must_use]
    pub fn with_limits(policy: Policy, limits: Limits) -> Self {
        let lookups = Arc::new(Semaphore::new(limits.lookups));
        Self(Arc::new(House { policy: RwLock::new(Arc::new(policy)), limits, lookups }))
    }

    /// Puts another policy in the place of the one before, for every request from now on; tunnels that are
    /// open stay open.
    pub fn set_policy(&self, policy: Policy) {
        *self.0.policy.write() = Arc::new(policy);
    }

    /// Opens a port for one attempt.
    ///
    /// # Errors
    /// When no port of loopback can be listened on.
    pub async fn open_port(&self) -> io::Result<Port> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let addr = listener.local_addr()?;
        // A job that reached another's port would borrow its identity.
        let refused_ports = self.0.policy.read().refused_ports().clone();
        refused_ports.add(addr.port());
        let shared = Arc::new(Shared {
            house: Arc::clone(&self.0),
            verdicts: Mutex::default(),
            closed: CancellationToken::new(),
        });
        shared.spawn(accept(listener, Arc::clone(&shared)));
        Ok(Port { addr, shared, refused_ports })
    }
}

impl Port {
    /// Where the port listens: what the browser context is given as its proxy.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The newest verdict on a host as it stands in an address, and a port.
    #[must_use]
    pub fn verdict_for(&self, host: &str, port: u16) -> Option<Verdict> {
        self.shared.verdicts.lock().of(&Target::new(host, port)?)
    }

    /// The newest verdict on each target, oldest first; those of a few hundred targets are kept.
    #[must_use]
    pub fn verdicts(&self) -> Vec<(Target, Verdict)> {
        self.shared.verdicts.lock().all()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.shared.closed.cancel();
        self.refused_ports.remove(self.addr.port());
    }
}

impl Shared {
    /// Reaches a target under the policy of this moment, and remembers the verdict.
    ///
    /// # Errors
    /// The verdict, where it could not be reached.
    pub async fn reach(&self, target: &Target) -> Result<TcpStream, Verdict> {
        let policy = Arc::clone(&self.house.policy.read());
        let outcome = reach(&policy, target, &self.house.limits, &self.house.lookups).await;
        self.record(target, outcome.as_ref().err().cloned().unwrap_or(Verdict::Allowed));
        outcome
    }

    /// Remembers a verdict.
    pub fn record(&self, target: &Target, verdict: Verdict) {
        if verdict != Verdict::Allowed {
            tracing::debug!(%target, ?verdict, "not reached");
        }
        self.verdicts.lock().record(target, verdict);
    }

    /// Runs something until it ends or the port is dropped.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(self.closed.clone().run_until_cancelled_owned(task));
    }
}

/// Accepts as many connections as the port may hold; further ones wait in the listener's queue.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(shared.house.limits.connections));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let _ = stream.set_nodelay(true);
                shared.spawn(converse(stream, Arc::clone(&shared), Arc::new(place)));
            }
            Err(error) => {
                tracing::warn!(%error, "the proxy cannot accept a connection");
                tokio::time::sleep(ACCEPT_REST).await;
            }
        }
    }
}

async fn converse(stream: TcpStream, shared: Arc<Shared>, place: Arc<OwnedSemaphorePermit>) {
    let service = service_fn(|request| serve(Arc::clone(&shared), Arc::clone(&place), request));
    // No time limit on idling: the peer is the attempt's own browser, and the port ends with the attempt.
    let _ = http1::Builder::new()
        .preserve_header_case(true)
        .auto_date_header(false)
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
}
