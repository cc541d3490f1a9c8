//! What claims, ends and people do to the breakers, inside the writes that do it, and what is told of it once
//! the write stands.

use app::model::{
    Timestamp,
    breaker::{BreakerState, SetBreaker},
};
use futures::FutureExt;
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::{
    Rooms,
    choose::{Hold, SITE_BREAKER},
};
use crate::{
    breaker::{Breaker, Counts, Event, Standing, Turn, Verdict},
    config::BreakerSettings,
    store::{
        StoreError,
        breakers::{self as sql, FLEET},
        claim,
    },
};

/// Sites whose breakers are looked at when the server starts.
const MOST_SHUT: i64 = 100_000;
/// Sites whose breakers are shown anew to `/metrics` by the clock.
const MOST_SHOWN: i64 = 500;

/// A breaker that was changed.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    scope: String,
    breaker: Breaker,
    standing: Standing,
    turns: Vec<Turn>,
}

/// The breakers in one write.
pub(super) struct Breakers<'r> {
    rules: &'r BreakerSettings,
    now: Timestamp,
    fleet: Standing,
    changed: Vec<Changed>,
}

impl<'r> Breakers<'r> {
    pub(super) fn new(rules: &'r BreakerSettings, now: Timestamp) -> Self {
        Self { rules, now, fleet: Standing::Closed, changed: Vec::new() }
    }

    /// What was changed, to be told of after the commit.
    pub(super) fn changed(self) -> Vec<Changed> {
        self.changed
    }

    /// Changes those that change by the clock.
    pub(super) async fn pass_time(&mut self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        for (scope, breaker) in sql::due(connection, self.now).await? {
            let (after, turns) = self.step(connection, &scope, breaker, [Event::Tick]).await?;
            if turns.is_empty() {
                // What its row says is not what it is: else it would be due for ever.
                sql::put(connection, &scope, &after, self.rules).await?;
                hold(connection, &scope, after.standing(self.rules)).await?;
            }
        }
        Ok(())
    }

    /// What the fleet's breaker lets go: looked at before any attempt begins.
    pub(super) async fn fleet(&mut self, connection: &mut SqliteConnection) -> Result<Standing, StoreError> {
        self.fleet = sql::get(&mut *connection, FLEET).await?.standing(self.rules);
        Ok(self.fleet)
    }

    /// An attempt begins, on a site whose breaker stood so; where a breaker is half-open it is its probe.
    /// Returns whether the site's tasks are now held by its breaker.
    pub(super) async fn began(
        &mut self,
        connection: &mut SqliteConnection,
        domain: &str,
        stood: Standing,
        attempt: Uuid,
    ) -> Result<bool, StoreError> {
        if self.fleet.state() == BreakerState::HalfOpen {
            let fleet = sql::get(&mut *connection, FLEET).await?;
            self.step(connection, FLEET, fleet, [Event::Asked { attempt }]).await?;
        }
        if domain.is_empty() || stood == Standing::Closed {
            return Ok(false);
        }
        let site = sql::get(&mut *connection, domain).await?;
        let (site, _) = self.step(connection, domain, site, [Event::Asked { attempt }]).await?;
        Ok(site.standing(self.rules).holds())
    }

    /// An attempt is over: what that says counts, and where it was a probe its permit ends.
    pub(super) async fn over(
        &mut self,
        connection: &mut SqliteConnection,
        domain: &str,
        attempt: Uuid,
        counts: &Counts,
    ) -> Result<(), StoreError> {
        let began = match counts {
            Counts { site: Verdict::Neither, fleet: Verdict::Neither } => Timestamp::default(),
            _ => sql::began(connection, attempt).await?,
        };
        let over = |verdict: &Verdict| Event::Over { attempt, began, verdict: verdict.clone() };
        let (mut site_was_closed, mut tripped) = (true, false);
        if !domain.is_empty() {
            let site = sql::get(&mut *connection, domain).await?;
            site_was_closed = site.state() == BreakerState::Closed;
            let (_, turns) = self.step(connection, domain, site, [over(&counts.site)]).await?;
            tripped = turns.contains(&Turn { from: BreakerState::Closed, to: BreakerState::Open });
        }
        let fleet = sql::get(&mut *connection, FLEET).await?;
        let mut events = vec![over(counts.for_fleet(fleet.opened_by_sites(), site_was_closed))];
        if tripped {
            events.push(Event::SiteOpened { open: sql::open_sites(connection).await? });
        }
        self.step(connection, FLEET, fleet, events).await?;
        Ok(())
    }

    /// Takes a breaker through events, stores it where it changed, and corrects what is held.
    async fn step(
        &mut self,
        connection: &mut SqliteConnection,
        scope: &str,
        breaker: Breaker,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<(Breaker, Vec<Turn>), StoreError> {
        let before = breaker.standing(self.rules);
        let mut after = breaker.clone();
        let mut turns = Vec::new();
        for event in events {
            let (next, effects) = after.after(event, self.now, self.rules);
            after = next;
            turns.extend(effects.turns);
        }
        if after == breaker {
            return Ok((after, turns));
        }
        sql::put(connection, scope, &after, self.rules).await?;
        let standing = after.standing(self.rules);
        if standing != before || !turns.is_empty() {
            hold(connection, scope, standing).await?;
        }
        self.changed.push(Changed {
            scope: scope.to_owned(),
            breaker: after.clone(),
            standing,
            turns: turns.clone(),
        });
        Ok((after, turns))
    }
}

/// Holds a site's tasks where its breaker lets nobody go, and lets them go where it was what held them. What
/// else holds them is found at the next look.
async fn hold(connection: &mut SqliteConnection, scope: &str, standing: Standing) -> Result<(), StoreError> {
    if scope == FLEET {
        return Ok(());
    }
    if standing.holds() {
        let hold = Hold::by_breaker(scope, standing);
        claim::hold(connection, scope, hold.until, hold.why).await
    } else {
        claim::unhold(connection, scope, SITE_BREAKER).await
    }
}

/// Changes the breakers that change by the clock. Returns how many did.
pub(super) async fn pass_time(rooms: &Rooms, now: Timestamp) -> Result<usize, StoreError> {
    if !sql::any_due(rooms.store.read(), now).await? {
        return Ok(0);
    }
    let settings = rooms.settings.clone();
    let changed = rooms
        .store
        .write(move |connection| {
            async move {
                let mut breakers = Breakers::new(&settings.breaker, now);
                breakers.pass_time(connection).await?;
                Ok::<_, StoreError>(breakers.changed())
            }
            .boxed()
        })
        .await?;
    tell(rooms, &changed);
    Ok(changed.len())
}

/// Forgets what needs no row.
pub(super) async fn forget(rooms: &Rooms, now: Timestamp) -> Result<u64, StoreError> {
    rooms.store.write(move |connection| async move { sql::forget(connection, now).await }.boxed()).await
}

/// Takes the breakers over from the run before: under the settings of now, which may differ.
pub(super) async fn recover(rooms: &Rooms) -> Result<(), StoreError> {
    let settings = rooms.settings.clone();
    let shut = rooms
        .store
        .write(move |connection| {
            async move {
                let (rules, now) = (&settings.breaker, crate::clock::now());
                let mut shut = sql::shut(&mut *connection, MOST_SHUT).await?;
                shut.push((FLEET.to_owned(), sql::get(&mut *connection, FLEET).await?));
                let mut standings = Vec::with_capacity(shut.len());
                for (scope, breaker) in shut {
                    let (breaker, _) = breaker.after(Event::Tick, now, rules);
                    sql::put(connection, &scope, &breaker, rules).await?;
                    let standing = breaker.standing(rules);
                    hold(connection, &scope, standing).await?;
                    standings.push((scope, standing));
                }
                Ok::<_, StoreError>(standings)
            }
            .boxed()
        })
        .await?;
    for (scope, standing) in shut.iter().filter(|(_, standing)| *standing != Standing::Closed) {
        let whose = if scope == FLEET { "the fleet" } else { scope };
        let until = standing.until().map(Timestamp::rfc3339);
        let state = standing.state().as_str();
        tracing::warn!(breaker = whose, until, "the breaker of {whose} is still {state}");
    }
    Ok(())
}

/// Shows the fleet's breaker and those that are not closed to `/metrics`.
pub(super) async fn show(rooms: &Rooms) -> Result<(), StoreError> {
    let (read, rules) = (rooms.store.read(), &rooms.settings.breaker);
    gauge(FLEET, sql::get(read, FLEET).await?.standing(rules));
    for (scope, breaker) in sql::shut(read, MOST_SHOWN).await? {
        gauge(&scope, breaker.standing(rules));
    }
    Ok(())
}

/// Sets a breaker by hand. The domain is a site's key.
pub(crate) async fn set_breaker(rooms: &Rooms, set: SetBreaker, by: String) -> Result<(), StoreError> {
    let settings = rooms.settings.clone();
    let changed = rooms
        .store
        .write(move |connection| {
            async move {
                let mut breakers = Breakers::new(&settings.breaker, crate::clock::now());
                let scope = set.domain.as_deref().unwrap_or(FLEET);
                let breaker = sql::get(&mut *connection, scope).await?;
                let event = Event::Set { to: set.state, by, reason: set.reason };
                breakers.step(connection, scope, breaker, [event]).await?;
                Ok::<_, StoreError>(breakers.changed())
            }
            .boxed()
        })
        .await?;
    tell(rooms, &changed);
    Ok(())
}

/// Tells of changed breakers: the log, the metrics and whoever watches.
pub(super) fn tell(rooms: &Rooms, changed: &[Changed]) {
    for one in changed {
        let scope = one.scope.as_str();
        let domain = (scope != FLEET).then_some(scope);
        for turn in &one.turns {
            log(domain.unwrap_or("the fleet"), one, *turn);
        }
        if !one.turns.is_empty() {
            gauge(scope, one.standing);
        }
        // Of a closed one that only counts nobody is told, but for the fleet's, which every page shows.
        if domain.is_none() || !one.turns.is_empty() || one.standing != Standing::Closed {
            rooms.changes.breaker(domain);
        }
        if let Some(domain) = domain.filter(|_| !one.turns.is_empty()) {
            rooms.changes.gate(domain);
        }
    }
}

fn log(whose: &str, changed: &Changed, turn: Turn) {
    let reason = changed.breaker.reason().unwrap_or_default();
    match turn.to {
        BreakerState::Open => {
            let until = changed.standing.until().map(Timestamp::rfc3339);
            tracing::warn!(breaker = whose, until, reason, "the breaker of {whose} is open");
        }
        BreakerState::HalfOpen => {
            tracing::info!(breaker = whose, "the breaker of {whose} is half-open: only its probes go");
        }
        BreakerState::Closed => tracing::info!(breaker = whose, reason, "the breaker of {whose} is closed"),
    }
}

/// Shows a breaker to `/metrics`: 1 while it keeps attempts back, half-open too.
fn gauge(scope: &str, standing: Standing) {
    let scope = if scope == FLEET { "fleet" } else { scope };
    let open = if standing == Standing::Closed { 0.0 } else { 1.0 };
    metrics::gauge!("signalbox_breaker_open", "scope" => scope.to_owned()).set(open);
}

#[cfg(test)]
#[path = "breakers_tests.rs"]
mod tests;
