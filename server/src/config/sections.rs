//! The sections of the settings.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How the server is reached and ends.
    pub server: ServerSettings,
    /// The queue.
    pub queue: QueueSettings,
    /// The Chrome instances.
    pub pool: PoolSettings,
    /// The rate gates.
    pub gate: GateSettings,
    /// The circuit breakers.
    pub breaker: BreakerSettings,
    /// What becomes of tasks that crash.
    pub quarantine: QuarantineSettings,
    /// Work orders.
    pub orders: OrderSettings,
    /// What jobs may reach.
    pub egress: EgressSettings,
    /// The API's own limits.
    pub http: HttpSettings,
    /// What is kept of failed attempts.
    pub evidence: EvidenceSettings,
}

/// `[server]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSettings {
    /// Where the server listens. Loopback, because reaching it from elsewhere should be a decision.
    pub listen: String,
    /// The address that people use, for links that are printed; by default the listening address.
    pub public_url: Option<String>,
    /// The folder that holds database, evidence and Chrome profiles.
    pub data: PathBuf,
    /// The database: `sqlite:PATH`; by default `signalbox.db` in the data folder.
    pub database: Option<String>,
    /// Seconds that running attempts are given to end when the server is told to stop.
    pub drain_s: u64,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:3000".to_owned(),
            public_url: None,
            data: PathBuf::from("data"),
            database: None,
            drain_s: 30,
        }
    }
}

/// `[queue]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueSettings {
    /// Tasks that may be queued at once; over it submissions are refused.
    pub capacity: u64,
    /// Attempts a task may spend unless it says otherwise.
    pub attempts: u32,
    /// Lost leases after which a task is quarantined.
    pub lost_max: u32,
    /// Longest time of one attempt in seconds, gate waits not counted.
    pub timeout_s: u64,
    /// Seconds a lease lasts without a heartbeat.
    pub lease_s: u64,
    /// Seconds between heartbeats.
    pub heartbeat_s: u64,
    /// First step of the back-off in seconds; it doubles with each attempt.
    pub retry_base_s: u64,
    /// Longest back-off in seconds.
    pub retry_cap_s: u64,
    /// Seconds of waiting that weigh as much as one step of priority, so that nothing starves.
    pub age_step_s: u64,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self {
            capacity: 10_000,
            attempts: 3,
            lost_max: 5,
            timeout_s: 300,
            lease_s: 60,
            heartbeat_s: 15,
            retry_base_s: 5,
            retry_cap_s: 900,
            age_step_s: 900,
        }
    }
}

/// `[pool]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PoolSettings {
    /// Attempts that run at once; by default the number of cores, at least 2.
    pub slots: u32,
    /// Contexts that one Chrome instance may hold at once.
    pub contexts_per_instance: u32,
    /// Instances kept ready beyond what is in use.
    pub warm: u32,
    /// Contexts after which an instance is replaced, because Chrome's memory grows.
    pub max_uses: u32,
    /// Seconds after which an instance is replaced.
    pub max_age_s: u64,
    /// Seconds after which an instance beyond the warm ones ends when nothing uses it.
    pub idle_s: u64,
    /// Memory (PSS) of an instance's process tree in MiB, over which it is replaced.
    pub max_pss_mib: u64,
    /// The Chrome to run: a path, or `auto` to look for one, headless shell first.
    pub binary: String,
    /// Addresses of remote Chrome endpoints.
    pub remote: Vec<String>,
}

impl Default for PoolSettings {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, |n| n.get() as u32);
        Self {
            slots: cores.max(2),
            contexts_per_instance: 4,
            warm: 1,
            max_uses: 50,
            max_age_s: 1_800,
            idle_s: 120,
            max_pss_mib: 1_500,
            binary: "auto".to_owned(),
            remote: Vec::new(),
        }
    }
}

/// By what two addresses belong to the same site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SiteBy {
    /// The host, and the port where it is not the scheme's own.
    #[default]
    Host,
    /// The registrable domain, by the public suffix list.
    Registrable,
}

/// `[gate]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateSettings {
    /// Main-frame documents a second, over all sites.
    pub global_per_s: f64,
    /// How many of them at once after a rest.
    pub global_burst: u32,
    /// Main-frame documents a second on one site.
    pub domain_per_s: f64,
    /// How many of them at once after a rest. With 1 the rate holds in any window.
    pub domain_burst: u32,
    /// Attempts at once on one site.
    pub domain_concurrency: u32,
    /// How long before its gate is clear a task may be given a slot, in milliseconds.
    pub lead_ms: u64,
    /// Longest wait at a gate inside an attempt in seconds; past it the task goes back at no cost.
    pub wait_s: u64,
    /// Longest Retry-After that is honoured, in seconds.
    pub retry_after_cap_s: u64,
    /// By what two addresses belong to the same site.
    pub site: SiteBy,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self {
            global_per_s: 50.0,
            global_burst: 50,
            domain_per_s: 1.0,
            domain_burst: 1,
            domain_concurrency: 2,
            lead_ms: 300,
            wait_s: 120,
            retry_after_cap_s: 3_600,
            site: SiteBy::Host,
        }
    }
}

/// `[breaker]`: the fleet's has these values, and each site's own has them too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BreakerSettings {
    /// Outcomes that a breaker remembers at most.
    pub window: u32,
    /// Seconds that it remembers an outcome.
    pub window_s: u64,
    /// Outcomes it must have counted before it opens.
    pub min: u32,
    /// Share of failures at which it opens, more than 0 and at most 1.
    pub failure_rate: f64,
    /// Sites whose breakers are open at once at which the fleet's opens.
    pub sites: u32,
    /// Seconds that it stays open; doubled with each opening that follows a failed probe.
    pub open_s: u64,
    /// Longest time that it stays open, in seconds.
    pub open_cap_s: u64,
    /// Attempts that go while it is half-open, and must all succeed to close it.
    pub probes: u32,
    /// Seconds that a probe has to answer before the breaker opens again.
    pub half_open_s: u64,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            window: 20,
            window_s: 300,
            min: 10,
            failure_rate: 0.5,
            sites: 3,
            open_s: 60,
            open_cap_s: 900,
            probes: 1,
            half_open_s: 120,
        }
    }
}

/// `[quarantine]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuarantineSettings {
    /// Crashes in a row after which a task is set aside.
    pub after: u32,
}

impl Default for QuarantineSettings {
    fn default() -> Self {
        Self { after: 3 }
    }
}

/// `[orders]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OrderSettings {
    /// Seconds after which a claim that is not kept alive runs out.
    pub claim_s: u64,
}

impl Default for OrderSettings {
    fn default() -> Self {
        Self { claim_s: 1_800 }
    }
}

/// `[egress]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EgressSettings {
    /// Addresses that jobs may reach though they are private or loopback: an address, `address:port`, a
    /// CIDR block, or a loopback name with port. A public name allows that name at public addresses only.
    pub allow: Vec<String>,
    /// Addresses and names that jobs may never reach, in the same forms; stands above `allow`.
    pub deny: Vec<String>,
    /// Where the proxy listens for remote Chrome endpoints.
    pub listen: Option<String>,
    /// The address under which remote Chrome endpoints reach the proxy.
    pub advertise: Option<String>,
}

/// `[http]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpSettings {
    /// Requests a second that one caller may send.
    pub token_per_s: f64,
    /// How many at once after a rest.
    pub token_burst: u32,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self { token_per_s: 100.0, token_burst: 400 }
    }
}

/// `[evidence]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvidenceSettings {
    /// Days that evidence is kept.
    pub keep_days: u32,
    /// Size of all evidence in MiB, over which the oldest goes first.
    pub max_mib: u64,
    /// Seconds between two baselines of a flow that succeeds.
    pub good_every_s: u64,
    /// Names of query and fragment fields whose values are masked in addresses; whole names, any case.
    pub mask: Vec<String>,
}

impl Default for EvidenceSettings {
    fn default() -> Self {
        let mask = [
            "code",
            "token",
            "access_token",
            "id_token",
            "refresh_token",
            "key",
            "api_key",
            "sig",
            "password",
            "secret",
            "session",
        ];
        Self { keep_days: 30, max_mib: 2_048, good_every_s: 86_400, mask: mask.map(str::to_owned).to_vec() }
    }
}
