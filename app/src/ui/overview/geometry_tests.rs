//! What must hold of every drawing.

use std::collections::BTreeMap;

use proptest::prelude::*;
use uuid::Uuid;

use super::geometry::{BERTH, BerthIs, DESK, Drawing, Kind, MAIN, draw};
use crate::model::{
    Timestamp,
    breaker::{BreakerState, BreakerView},
    gate::GateView,
    order::Desk,
    overview::{Berth, LaneLoad, Overview},
    pool::PoolView,
};

fn fleet(slots: u32, running: u32, sites: usize, lanes: usize, ready: u64, held: u64) -> Overview {
    let names = ["main", "rerun", "proof"];
    Overview {
        at: Timestamp(1_000_000),
        tasks: BTreeMap::from([("escalated".to_owned(), 3), ("quarantined".to_owned(), 1)]),
        lanes: names[..lanes].iter().map(|name| ((*name).to_owned(), LaneLoad { ready, held })).collect(),
        capacity: 100,
        pool: PoolView { slots, busy: running, instances: Vec::new() },
        berths: (0..running)
            .map(|n| Berth {
                task: Uuid::from_u128(u128::from(n) + 1),
                name: format!("task {n}"),
                domain: Some("site0.test".to_owned()),
                since: Timestamp(999_000),
                step: Some((n, 9)),
            })
            .collect(),
        global_per_s: 50.0,
        global_burst: 50,
        gates: (0..sites)
            .map(|n| GateView {
                domain: format!("site{n}.test"),
                per_s: 1.0,
                burst: 1,
                concurrency: 2,
                next_clear_at: None,
                waiting: 1,
                running: u64::from(n == 0),
                cooldown: None,
                breaker: Default::default(),
            })
            .collect(),
        desk: Desk { open: 3, claimed: 1, oldest_at: None },
        ..Overview::default()
    }
}

fn pieces(drawing: &Drawing) -> impl Iterator<Item = ((i32, i32), (i32, i32))> + '_ {
    drawing.tracks.iter().flat_map(|track| track.points.windows(2).map(|pair| (pair[0], pair[1])))
}

proptest! {
    #[test]
    fn every_track_runs_level_or_at_45_degrees_inside_the_drawing(
        slots in 0u32..40, running in 0u32..40, sites in 0usize..9, lanes in 0usize..4,
        ready in 0u64..30, held in 0u64..30,
    ) {
        let drawing = draw(&fleet(slots, running, sites, lanes, ready, held), &[]);
        for ((x0, y0), (x1, y1)) in pieces(&drawing) {
            let (dx, dy) = ((x1 - x0).abs(), (y1 - y0).abs());
            prop_assert!(dy == 0 || dx == dy, "({x0},{y0}) to ({x1},{y1})");
            for (x, y) in [(x0, y0), (x1, y1)] {
                prop_assert!((0..=drawing.size.0).contains(&x) && (0..=drawing.size.1).contains(&y));
            }
        }
        for berth in &drawing.berths {
            prop_assert!(berth.at.1 > drawing.platform.1);
        }
        for pair in drawing.berths.windows(2) {
            prop_assert!(pair[1].at.1 >= pair[0].at.1 + BERTH.1);
        }
        for lane in &drawing.lanes {
            prop_assert!(lane.blocks.iter().all(|(x, _)| *x >= lane.at.0));
        }
        prop_assert!(drawing.platform.1 >= 0);
        // The desk stands on the level part of its branch line, and the siding clear of the lowest berth.
        let branch = drawing.tracks.iter().find(|track| track.kind == Kind::Branch);
        let level = branch.map(|branch| (branch.points[2].0, branch.points[1].0)).unwrap_or_default();
        let desk = drawing.desk.0.0;
        prop_assert!(level.0 <= desk - DESK.0 / 2 && desk + DESK.0 / 2 <= level.1);
        for berth in &drawing.berths {
            prop_assert!(berth.at.1 + BERTH.1 + 20 <= drawing.quarantine.0.1);
        }
        // The branch line's way back is where it is said to be.
        let way_back = branch.map(|branch| (branch.points[2], branch.points[3])).unwrap_or_default();
        prop_assert_eq!(drawing.feed.1 - way_back.1.1, drawing.feed.0 - way_back.1.0);
        prop_assert!(way_back.1.0 < drawing.feed.0 && drawing.feed.0 < way_back.0.0);
    }

    #[test]
    fn the_main_signal_has_room_for_itself_and_its_words(
        slots in 0u32..40, sites in 0usize..9, lanes in 0usize..4,
    ) {
        let drawing = draw(&fleet(slots, 0, sites, lanes, 30, 0), &[]);
        let (x, y) = drawing.main.at;
        let (top, right) = (y - MAIN.1, x + MAIN.0);
        prop_assert!(top >= 0);
        // No track passes through its words: the lanes come together before it, the berths fan out behind.
        for ((x0, y0), (x1, y1)) in pieces(&drawing) {
            let (dx, dy) = ((x1 - x0).signum(), (y1 - y0).signum());
            for step in 0..=(x1 - x0).abs() {
                let (at_x, at_y) = (x0 + dx * step, y0 + dy * step);
                prop_assert!(!((x..=right).contains(&at_x) && (top..=y - 50).contains(&at_y)), "({at_x},{at_y})");
            }
        }
        prop_assert!(drawing.platform.0 >= right, "the platform is behind it");
        for lane in &drawing.lanes {
            prop_assert!(lane.at.0 + 228 <= x, "the lanes' labels are before it");
        }
        prop_assert!(drawing.board.0 - 32 > x + 44 && drawing.board.0 + 32 < drawing.platform.0);
    }

    #[test]
    fn every_slot_is_drawn_or_told_of(slots in 0u32..40, running in 0u32..40) {
        let drawing = draw(&fleet(slots, running, 2, 3, 0, 0), &[]);
        let (mut busy, mut all) = (0, 0);
        for berth in &drawing.berths {
            match berth.is {
                BerthIs::Free => all += 1,
                BerthIs::Busy { .. } => { busy += 1; all += 1 }
                BerthIs::More { busy: b, all: a } => { busy += b; all += a }
            }
        }
        prop_assert_eq!(busy, running as usize);
        prop_assert_eq!(all, slots.max(running) as usize);
    }
}

#[test]
fn a_route_is_lit_from_the_gate_over_the_berth_to_the_site() {
    let drawing = draw(&fleet(2, 1, 2, 3, 4, 0), &[]);
    let lit = drawing.tracks.iter().filter(|track| track.lit).count();
    // The line before the pool, the berth's way in and out, the line behind the pool, the site's track.
    assert_eq!(lit, 5);
    assert!(drawing.tracks.last().is_some_and(|track| track.lit), "routes lie on top");
    let still = draw(&fleet(2, 0, 0, 3, 4, 0), &[]);
    assert!(still.tracks.iter().all(|track| !track.lit));
}

#[test]
fn a_short_line_with_many_sites_has_room_for_the_desk() {
    let drawing = draw(&fleet(0, 0, 5, 0, 0, 0), &[]);
    let branch = drawing.tracks.iter().find(|track| track.kind == Kind::Branch).expect("a branch line");
    assert!(branch.points[1].0 - branch.points[2].0 >= DESK.0);
}

#[test]
fn siding_and_branch_are_always_there_once() {
    let drawing = draw(&fleet(3, 1, 3, 3, 0, 0), &[]);
    let of = |kind| drawing.tracks.iter().filter(|track| track.kind == kind).count();
    assert_eq!((of(Kind::Siding), of(Kind::Branch)), (1, 1));
    assert_eq!((drawing.quarantine.1, drawing.desk.1.open, drawing.desk.1.claimed), (1, 3, 1));
}

#[test]
fn the_main_signal_shows_the_fleets_breaker() {
    let closed = draw(&fleet(2, 0, 1, 3, 0, 0), &[]);
    assert_eq!((closed.main.aspect, closed.main.says.as_str(), closed.main.why), ("clear", "closed", None));
    let breaker = BreakerView {
        state: BreakerState::Open,
        until: Some(Timestamp(1_796_029_700_250)),
        reason: Some("3 sites fail together".to_owned()),
        ..BreakerView::default()
    };
    let open = draw(&Overview { breaker: breaker.clone(), ..fleet(2, 0, 1, 3, 0, 0) }, &[]);
    assert_eq!((open.main.aspect, open.main.says.as_str()), ("stop", "open until 09:08:20"));
    assert_eq!(open.main.why.as_deref(), Some("3 sites fail together"));
    let half = BreakerView { state: BreakerState::HalfOpen, probes: 1, ..breaker };
    let half = draw(&Overview { breaker: half, ..fleet(2, 0, 1, 3, 0, 0) }, &[]);
    assert_eq!((half.main.aspect, half.main.says.as_str()), ("probe", "half-open, 1 probe out"));
    assert_eq!(half.main.at, open.main.at, "it stands where it stood");
}

#[test]
fn a_lane_shows_a_block_for_each_task_to_twelve_the_held_ones_last() {
    let drawing = draw(&fleet(2, 0, 1, 1, 2, 3), &[]);
    let held: Vec<bool> = drawing.lanes[0].blocks.iter().map(|(_, held)| *held).collect();
    assert_eq!(held, [false, false, true, true, true]);
    let full = draw(&fleet(2, 0, 1, 1, 40, 3), &[]);
    assert_eq!(full.lanes[0].blocks.len(), 12);
    assert!(full.lanes[0].blocks.iter().all(|(_, held)| !held));
}

#[test]
fn a_task_keeps_its_berth_from_one_drawing_to_the_next() {
    let first = draw(&fleet(3, 3, 1, 3, 0, 0), &[]);
    let mut next = fleet(3, 3, 1, 3, 0, 0);
    next.berths.remove(0);
    let second = draw(&next, &first.seats);
    assert_eq!(second.berths[0].is, BerthIs::Free);
    assert_eq!(second.berths[1].is, first.berths[1].is);
    assert_eq!(second.berths[2].is, first.berths[2].is);
}
