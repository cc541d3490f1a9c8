//! What an attempt finds at the sites' doors: the gates before them and the filtering proxy behind.

use std::{sync::Arc, time::Duration};

use app::model::Timestamp;
use async_trait::async_trait;
use url::Url;

use super::{Scheduler, running::Entry};
use crate::{
    egress::{Port, Verdict},
    gate::{GateError, Gates, retry_after, site_key},
    runner::{Door, Held, Reach},
};

pub(super) struct SiteDoor {
    pub scheduler: Scheduler,
    pub entry: Arc<Entry>,
    pub port: Arc<Port>,
}

impl SiteDoor {
    fn gates(&self) -> &Gates {
        &self.scheduler.rooms().gates
    }

    fn key(&self, url: &Url) -> Option<String> {
        site_key(url, self.scheduler.rooms().settings.gate.site)
    }
}

#[async_trait]
impl Door for SiteDoor {
    async fn pass(&self, url: &Url) -> Result<Duration, Held> {
        // Whatever is no site, such as about:blank, has no door.
        let Some(domain) = self.key(url) else { return Ok(Duration::ZERO) };
        if self.entry.arrived() {
            // From here on the gate itself knows of this attempt, and others may be looked for.
            self.scheduler.wake();
        }
        let limit = Duration::from_secs(self.scheduler.rooms().settings.gate.wait_s);
        let passed = self.gates().pass(&domain, limit).await;
        self.scheduler.rooms().changes.gate(&domain);
        match passed {
            Ok(passed) => Ok(passed.waited),
            Err(GateError::TooLong { domain, waited, until, .. }) => {
                Err(Held { domain, waited, until: Some(until) })
            }
        }
    }

    fn same_site(&self, from: &Url, to: &Url) -> bool {
        self.key(from) == self.key(to)
    }

    fn answered(&self, url: &Url, status: u16, header: Option<&str>) -> Option<Timestamp> {
        if status != 429 && !(status == 503 && header.is_some()) {
            return None;
        }
        let domain = self.key(url)?;
        let settings = &self.scheduler.rooms().settings;
        let default = Duration::from_secs(settings.queue.retry_base_s);
        let cap = Duration::from_secs(settings.gate.retry_after_cap_s);
        let asked = retry_after::read(header.unwrap_or_default(), self.scheduler.now(), default, cap);
        if asked.capped {
            tracing::warn!(%domain, until = %asked.until, "Retry-After is longer than gate.retry_after_cap_s: cut");
        }
        self.gates().cool_down(&domain, asked.until, &format!("answered {status}"));
        self.scheduler.rooms().changes.gate(&domain);
        Some(asked.until)
    }

    fn reach(&self, host: &str, port: u16) -> Reach {
        match self.port.verdict_for(host, port) {
            None | Some(Verdict::Allowed) => Reach::Allowed,
            Some(Verdict::Refused { why }) => Reach::Refused { why: why.to_string() },
            Some(Verdict::DnsFailed) => Reach::DnsFailed,
            Some(Verdict::ConnectFailed { why }) => Reach::ConnectFailed { why },
            Some(Verdict::ConnectTimeout) => Reach::ConnectTimeout,
        }
    }
}
