//! The breakers, for the control room: looking, setting by hand, and what a waiting task shows of them.

use std::collections::HashMap;

use app::{
    api::room::Answer,
    model::{
        breaker::{BreakerState, BreakerView, SetBreaker},
        caller::Caller,
        message::Message,
        problem::{AppError, FieldError},
        task::{WaitKind, WaitingOn, waiting},
    },
};

use super::{Engine, errors::store};
use crate::{
    breaker::{Event, Standing},
    gate::canonical_domain,
    scheduler::set_breaker,
    store::breakers::{self, FLEET},
};

/// Sites whose breakers are shown when they are not closed.
const MOST_SHOWN: i64 = 499;
/// Longest reason, in characters.
const LONGEST_REASON: usize = 1_000;

impl Engine {
    /// The fleet's breaker, or that of a site as a person writes it.
    pub(super) async fn one_breaker(&self, domain: Option<String>) -> Answer<BreakerView> {
        let domain = domain.map(|domain| self.site(&domain)).transpose();
        let domain = domain.map_err(|why| AppError::bad_input("domain", why))?;
        self.breaker_now(domain.as_deref()).await
    }

    /// The fleet's breaker, or a site's by its key.
    pub(super) async fn breaker_now(&self, domain: Option<&str>) -> Answer<BreakerView> {
        let breaker = breakers::get(self.store().read(), domain.unwrap_or(FLEET)).await.map_err(store)?;
        let rules = &self.settings().breaker;
        let (breaker, _) = breaker.after(Event::Tick, self.now(), rules);
        Ok(breaker.view(domain, self.scheduler().started(), rules))
    }

    /// The fleet's breaker, then those of sites that are not closed, the newest first.
    pub(super) async fn breakers_now(&self) -> Answer<Vec<BreakerView>> {
        let mut views = vec![self.breaker_now(None).await?];
        let (rules, now) = (&self.settings().breaker, self.now());
        let shut = breakers::shut(self.store().read(), MOST_SHOWN).await.map_err(store)?;
        views.extend(shut.into_iter().map(|(domain, breaker)| {
            let (breaker, _) = breaker.after(Event::Tick, now, rules);
            breaker.view(Some(&domain), self.scheduler().started(), rules)
        }));
        Ok(views)
    }

    /// Opens or closes a breaker for a person.
    pub(super) async fn set_breaker_by(&self, caller: &Caller, mut set: SetBreaker) -> Answer<BreakerView> {
        let mut errors = Vec::new();
        set.reason = set.reason.trim().to_owned();
        if set.reason.is_empty() {
            errors.push(FieldError::new("/reason", "say why, for whoever looks at it next"));
        } else if set.reason.chars().count() > LONGEST_REASON {
            errors.push(FieldError::new("/reason", format!("must be at most {LONGEST_REASON} characters")));
        }
        match set.domain.as_deref().map(|domain| self.site(domain)).transpose() {
            Ok(domain) => set.domain = domain,
            Err(why) => errors.push(FieldError::new("/domain", why)),
        }
        if !errors.is_empty() {
            return Err(AppError::BadInput { errors });
        }
        let domain = set.domain.clone();
        set_breaker(&self.0.rooms, set, caller.name.clone()).await.map_err(store)?;
        self.scheduler().wake();
        self.breaker_now(domain.as_deref()).await
    }

    fn site(&self, domain: &str) -> Result<String, String> {
        canonical_domain(domain, self.settings().gate.site)
    }

    /// Where the breakers of these sites stand; one that is missing is closed.
    pub(super) async fn standings(&self, domains: &[&str]) -> Answer<HashMap<String, Standing>> {
        breakers::standings(self.store().read(), domains).await.map_err(store)
    }

    /// What a task that could start waits on, where that is a breaker: the fleet's before its site's. What was
    /// read is kept in `known`.
    pub(super) async fn waits_on_breaker(
        &self,
        domain: &str,
        known: &mut HashMap<String, Standing>,
    ) -> Answer<Option<WaitingOn>> {
        let scopes: &[&str] = if domain.is_empty() { &[FLEET] } else { &[FLEET, domain] };
        let unknown: Vec<&str> = scopes.iter().copied().filter(|scope| !known.contains_key(*scope)).collect();
        if !unknown.is_empty() {
            let mut found = self.standings(&unknown).await?;
            for scope in unknown {
                let standing = found.remove(scope).unwrap_or_default();
                known.insert(scope.to_owned(), standing);
            }
        }
        Ok(scopes.iter().find_map(|scope| {
            let standing = known.get(*scope).copied().filter(|standing| standing.holds())?;
            Some(waits(scope, standing))
        }))
    }
}

fn waits(scope: &str, standing: Standing) -> WaitingOn {
    let probing = standing.state() == BreakerState::HalfOpen;
    let (kind, code) = match (scope == FLEET, probing) {
        (true, false) => (WaitKind::Breaker, "wait.breaker"),
        (true, true) => (WaitKind::Breaker, "wait.breaker_probing"),
        (false, false) => (WaitKind::SiteBreaker, "wait.site_breaker"),
        (false, true) => (WaitKind::SiteBreaker, "wait.site_breaker_probing"),
    };
    let mut detail = Message::new(code);
    if scope != FLEET {
        detail = detail.with("domain", scope);
    }
    waiting(kind, &detail, standing.until())
}

#[cfg(test)]
mod tests {
    use app::model::Timestamp;

    use super::*;

    #[test]
    fn a_wait_says_whose_breaker_it_is_and_what_it_waits_for() {
        let until = Timestamp(1_000);
        let open = waits("shop.example", Standing::Open { until });
        assert_eq!((open.kind, open.until), (WaitKind::SiteBreaker, Some(until)));
        assert_eq!(open.detail, "the breaker of shop.example is open");
        let probing = waits(FLEET, Standing::HalfOpen { permits: 0, until: Some(until) });
        assert_eq!(probing.kind, WaitKind::Breaker);
        assert_eq!(probing.detail, "the fleet's breaker is half-open and waits for its probes");
    }
}
