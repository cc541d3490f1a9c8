//! Choosing and leasing in one transaction.

use std::{collections::HashMap, time::Duration};

use app::model::{Timestamp, task::Lane};
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::{
    breakers::{Breakers, Changed},
    choose::{Bounds, Choice, choose},
};
use crate::{
    breaker::Standing,
    config::{BreakerSettings, GateSettings},
    gate::Gates,
    queue::order::LaneTurn,
    store::{
        StoreError, TaskRow,
        claim::{self as sql, Lease, UNTIL_CLEARED},
        stats,
    },
};

/// Heads looked at in one go. Those that are found held are put aside, so the next look goes further.
const LOOK: i64 = 16;
/// Looks for one slot, so that a transaction stays short; the rest is found at the next one.
const LOOKS: usize = 8;

/// What is asked for.
pub(super) struct Request {
    /// Slots to fill.
    pub free: u32,
    /// Slots in all.
    pub slots: u32,
    /// How long a lease lasts.
    pub lease: Duration,
    /// Who asks.
    pub node: String,
    /// Which lanes were served last.
    pub turn: LaneTurn,
    /// Attempts that have a slot and have not yet come to their site's door, by site.
    pub approaching: HashMap<String, u32>,
    /// Quotas and lead.
    pub gate: GateSettings,
    /// The gates, to look at.
    pub gates: Gates,
    /// The breakers' settings.
    pub breaker: BreakerSettings,
}

/// What was claimed.
pub(super) struct Claimed {
    /// The tasks with their leases.
    pub taken: Vec<(TaskRow, Lease)>,
    /// The memory of lanes after that.
    pub turn: LaneTurn,
    /// When another look is worth it, where a gate or the fleet's breaker holds everybody.
    pub look_again: Option<Timestamp>,
    /// The breakers that changed.
    pub breakers: Vec<Changed>,
}

/// Claims up to `free` tasks.
pub(super) async fn claim(
    connection: &mut SqliteConnection,
    mut request: Request,
) -> Result<Claimed, StoreError> {
    let now = crate::clock::now();
    sql::promote(connection, now).await?;
    let rules = request.breaker.clone();
    let mut breakers = Breakers::new(&rules, now);
    breakers.pass_time(connection).await?;
    let fleet = breakers.fleet(connection).await?;
    let mut claimed =
        Claimed { taken: Vec::new(), turn: request.turn, look_again: fleet.until(), breakers: Vec::new() };
    let free = fleet.room().map_or(request.free, |room| room.min(request.free));
    for _ in 0..free {
        let mut served = None;
        let order = claimed.turn.order();
        for (index, lane) in order.into_iter().enumerate() {
            match one(connection, lane, &request, &mut breakers, now).await? {
                One::Taken(taken) => {
                    served = Some((lane, order[1 - index], *taken));
                    break;
                }
                One::NotBefore(at) => {
                    claimed.look_again = Some(claimed.look_again.map_or(at, |known| known.min(at)))
                }
                One::Nobody => {}
            }
        }
        let Some((lane, other, (row, lease))) = served else { break };
        let other_waits = !sql::heads(connection, other.as_str(), 1).await?.is_empty();
        claimed.turn = claimed.turn.served(lane, other_waits);
        if !row.domain.is_empty() {
            *request.approaching.entry(row.domain.clone()).or_default() += 1;
        }
        claimed.taken.push((row, lease));
    }
    claimed.breakers = breakers.changed();
    Ok(claimed)
}

enum One {
    Taken(Box<(TaskRow, Lease)>),
    NotBefore(Timestamp),
    Nobody,
}

async fn one(
    connection: &mut SqliteConnection,
    lane: Lane,
    request: &Request,
    breakers: &mut Breakers<'_>,
    now: Timestamp,
) -> Result<One, StoreError> {
    let bounds = Bounds {
        concurrency: request.gate.domain_concurrency,
        slots: request.slots,
        lead_ms: request.gate.lead_ms,
    };
    for _ in 0..LOOKS {
        let heads = sql::heads(connection, lane.as_str(), LOOK).await?;
        let (choice, holds) = choose(&heads, bounds, now, |domain| {
            let ahead = request.approaching.get(domain).copied().unwrap_or(0);
            let own = request.gates.clear_at(Some(domain), ahead);
            // The global gate lets those to other sites through as well.
            let all = request.gates.clear_at(None, request.approaching.values().sum());
            if all.at > own.at { all } else { own }
        });
        for hold in &holds {
            sql::hold(connection, &hold.domain, hold.until, hold.why).await?;
        }
        match choice {
            Choice::Take(domain) => {
                let head = heads.iter().find(|head| head.domain == domain);
                return take(connection, lane, &domain, request, head, breakers, now).await;
            }
            Choice::NotBefore(at) => return Ok(One::NotBefore(at)),
            // All that were looked at are held now; there may be others behind them.
            Choice::Nobody if !holds.is_empty() && heads.len() as i64 == LOOK => {}
            Choice::Nobody => return Ok(One::Nobody),
        }
    }
    Ok(One::NotBefore(now))
}

async fn take(
    connection: &mut SqliteConnection,
    lane: Lane,
    domain: &str,
    request: &Request,
    head: Option<&sql::Head>,
    breakers: &mut Breakers<'_>,
    now: Timestamp,
) -> Result<One, StoreError> {
    let lease = Lease {
        attempt: Uuid::now_v7(),
        token: Uuid::new_v4(),
        until: now.plus_ms(request.lease.as_millis() as i64),
        node: request.node.clone(),
    };
    let Some(row) = sql::claim(connection, lane.as_str(), domain, &lease, now).await? else {
        return Ok(One::Nobody);
    };
    let running = head.map_or(0, |head| head.running) + 1;
    let stands = head.map_or(Standing::Closed, |head| head.breaker);
    let held = breakers.began(connection, domain, stands, lease.attempt).await?;
    if !domain.is_empty() && !held && running >= i64::from(request.gate.domain_concurrency) {
        sql::hold(connection, domain, UNTIL_CLEARED, "domain_concurrency").await?;
    }
    let waited = now.since(Timestamp(row.run_at)).max(0) as u64;
    stats::count(connection, now, &[format!("wait:{}", bucket(waited))]).await?;
    Ok(One::Taken(Box::new((row, lease))))
}

/// The bucket of a wait: its upper bound is 2^(n/2) milliseconds, so that a percentile is right to 41 %
/// however long waits are.
pub(crate) fn bucket(ms: u64) -> u32 {
    ((ms.max(1) as f64).log2() * 2.0).ceil() as u32
}

/// The upper bound of a bucket in milliseconds.
pub(crate) fn bucket_ms(bucket: u32) -> u64 {
    2f64.powf(f64::from(bucket) / 2.0).round() as u64
}
