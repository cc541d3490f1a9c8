//! The line diagram as geometry: from an overview to tracks, berths, boards and signals with their places.
//!
//! Read from left to right: submissions, the lanes of the queue, the breaker as the main signal, the fleet's
//! gate, the berths of the pool, the sites with a signal each; below, the siding of the quarantine and the
//! branch line by the reviewers' desk, on which rules go back to the start. Every track runs level or at 45°. Only what the overview knows is drawn.

use uuid::Uuid;

use super::{
    aspect::{self, Aspect},
    seats,
};
use crate::{
    model::{
        breaker::BreakerState,
        order::Desk,
        overview::{Berth, Overview},
        pool::InstanceState,
        task::{Lane, TaskState},
    },
    ui::{breaker, code, number},
};

/// Berths that are drawn; of more, the last row tells how many.
const BERTH_ROWS: usize = 6;
/// Sites that are drawn, the busiest.
const SITE_ROWS: usize = 5;
/// Blocks on a lane's track, one for each waiting task.
const BLOCKS: u64 = 12;
/// Instances on the platform.
const INSTANCES: usize = 8;

const LANE_STEP: i32 = 56;
const BERTH_STEP: i32 = 38;
const SITE_STEP: i32 = 52;
const BLOCK_STEP: i32 = 18;
/// Where the lanes fan out.
const FAN: i32 = 112;
/// A berth's size.
pub const BERTH: (i32, i32) = (148, 28);

/// The reviewers' desk's size.
pub const DESK: (i32, i32) = (312, 28);

/// The line between the lanes and the ladder: the main signal stands at its start, the gate's board behind.
const APPROACH: i32 = 168;
/// The room above the line that the main signal and its words take: width and height.
pub const MAIN: (i32, i32) = (162, 90);
/// How high above the line the main signal's arm is.
pub const MAIN_POST: i32 = 48;

/// A place in the drawing.
pub type Point = (i32, i32);

/// What a track is, for its looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A running line.
    Line,
    /// The quarantine's siding.
    Siding,
    /// The branch line by the reviewers' desk.
    Branch,
}

/// A piece of track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// What it is.
    pub kind: Kind,
    /// Whether a route is set over it: a task runs there.
    pub lit: bool,
    /// Its corners.
    pub points: Vec<Point>,
}

impl Track {
    /// The track as the data of an SVG path.
    #[must_use]
    pub fn path(&self) -> String {
        let mut out = String::with_capacity(self.points.len() * 10);
        for (index, (x, y)) in self.points.iter().enumerate() {
            let verb = if index == 0 { 'M' } else { 'L' };
            out.push_str(&format!("{verb}{x} {y}"));
        }
        out
    }
}

/// A lane of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneAt {
    /// Its name.
    pub name: String,
    /// Where its track begins.
    pub at: Point,
    /// Tasks that could start but for slots and gates.
    pub ready: u64,
    /// Tasks that wait for a time.
    pub held: u64,
    /// Where its blocks stand, the front of the lane first, and whether each is held.
    pub blocks: Vec<(i32, bool)>,
}

/// What stands in a berth's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BerthIs {
    /// Nobody.
    Free,
    /// A task.
    Busy {
        /// The task.
        task: Uuid,
        /// Its four characters.
        code: String,
        /// Its name.
        name: String,
        /// Its site.
        domain: Option<String>,
        /// The step it is at, from 1, and how many there are.
        step: Option<(u32, u32)>,
    },
    /// The berths that have no row.
    More {
        /// How many of them are busy.
        busy: usize,
        /// How many they are.
        all: usize,
    },
}

/// A berth of the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BerthAt {
    /// Its left upper corner.
    pub at: Point,
    /// What is in it.
    pub is: BerthIs,
}

/// A site with its signal.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteAt {
    /// Where its signal stands.
    pub at: Point,
    /// Its name.
    pub domain: String,
    /// What its signal shows.
    pub aspect: Aspect,
    /// Tasks that run there.
    pub running: u64,
    /// Tasks that are queued for it.
    pub waiting: u64,
    /// Documents a second.
    pub per_s: f64,
}

/// The main signal: the fleet's breaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MainAt {
    /// Where its post stands on the line.
    pub at: Point,
    /// The name of what it shows: `clear`, `probe` or `stop`.
    pub aspect: &'static str,
    /// The breaker in a few words.
    pub says: String,
    /// Why it is not closed.
    pub why: Option<String>,
}

/// The whole drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its size.
    pub size: Point,
    /// The tracks, those with a route last, so that they lie on top.
    pub tracks: Vec<Track>,
    /// Where submissions come in.
    pub entry: Point,
    /// The lanes.
    pub lanes: Vec<LaneAt>,
    /// The fleet's breaker.
    pub main: MainAt,
    /// Where the fleet's rate board stands.
    pub board: Point,
    /// The fleet's rate.
    pub rate: String,
    /// The platform's left upper corner.
    pub platform: Point,
    /// Slots, and how many are busy.
    pub slots: (u32, u32),
    /// The instances on the platform.
    pub instances: Vec<(String, InstanceState)>,
    /// How many instances have no place on it.
    pub more_instances: usize,
    /// The berths.
    pub berths: Vec<BerthAt>,
    /// The sites.
    pub sites: Vec<SiteAt>,
    /// Where the quarantine's siding ends, and how many stand there.
    pub quarantine: (Point, u64),
    /// Where the reviewers' desk is, and what is on it.
    pub desk: (Point, Desk),
    /// The middle of the branch line's way back to the start, which rises to the left at 45°.
    pub feed: Point,
    /// Who stands in which berth; the next drawing starts from it.
    pub seats: Vec<Option<Uuid>>,
}

/// Rows around a middle line.
fn rows(count: usize, step: i32, middle: i32) -> Vec<i32> {
    let top = middle - (count.saturating_sub(1) as i32) * step / 2;
    (0..count as i32).map(|row| top + row * step).collect()
}

/// How far the outermost of some rows is from the middle.
fn reach(count: usize, step: i32) -> i32 {
    (count.saturating_sub(1) as i32) * step / 2
}

/// Draws an overview; `before` are the seats of the drawing before it.
#[must_use]
pub fn draw(overview: &Overview, before: &[Option<Uuid>]) -> Drawing {
    let running: Vec<Uuid> = overview.berths.iter().map(|berth| berth.task).collect();
    let seats = seats::seat(before, &running, overview.pool.slots as usize);
    let lanes: Vec<&Lane> =
        Lane::ALL.iter().filter(|lane| overview.lanes.contains_key(lane.as_str())).collect();
    let berth_rows = seats.len().min(BERTH_ROWS);
    let sites = &overview.gates[..overview.gates.len().min(SITE_ROWS)];

    let lane_reach = reach(lanes.len(), LANE_STEP);
    let berth_reach = reach(berth_rows, BERTH_STEP);
    let site_reach = reach(sites.len(), SITE_STEP);
    let middle = (berth_reach + 92).max(lane_reach + 56).max(site_reach + 44);
    let below = (berth_reach + 48).max(lane_reach + 26).max(site_reach + 36);

    // The stations along the line, from left to right.
    let lanes_from = FAN + lane_reach;
    let lanes_to = lanes_from + BLOCKS as i32 * BLOCK_STEP + 12;
    let merged = lanes_to + lane_reach;
    let ladder = merged + APPROACH;
    let berths_from = ladder + berth_reach + 10;
    let berths_to = berths_from + BERTH.0;
    let throat = berths_to + 10 + berth_reach;
    let siding_y = middle + below;
    let desk_y = siding_y + 46;
    // Wide enough for the desk between the two slopes of its branch line, also where the line is short.
    let fan = (throat + 44).max(72 + 2 * (desk_y - middle) + DESK.0);
    let signals = fan + site_reach + 12;

    let busy = !running.is_empty();
    let mut tracks = vec![track(Kind::Line, false, vec![(16, middle), (FAN, middle)])];
    for y in rows(lanes.len(), LANE_STEP, middle) {
        let off = (y - middle).abs();
        tracks.push(track(
            Kind::Line,
            false,
            vec![
                (FAN, middle),
                (FAN + off, y),
                (lanes_from, y),
                (lanes_to, y),
                (merged - off, y),
                (merged, middle),
            ],
        ));
    }
    tracks.push(track(Kind::Line, busy, vec![(merged, middle), (ladder, middle)]));
    tracks.push(track(Kind::Line, busy && !sites.is_empty(), vec![(throat, middle), (fan, middle)]));

    let berth_ys = rows(berth_rows, BERTH_STEP, middle);
    let berths: Vec<BerthAt> = berth_ys
        .iter()
        .enumerate()
        .map(|(row, y)| BerthAt {
            at: (berths_from, y - BERTH.1 / 2),
            is: berth_is(row, &seats, &overview.berths),
        })
        .collect();
    for (y, berth) in berth_ys.iter().zip(&berths) {
        let off = (y - middle).abs();
        let lit = !matches!(berth.is, BerthIs::Free | BerthIs::More { busy: 0, .. });
        let way_in = vec![(ladder, middle), (ladder + off, *y), (berths_from, *y)];
        let way_out = vec![(berths_to, *y), (throat - off, *y), (throat, middle)];
        if !lit {
            tracks.push(track(Kind::Line, false, vec![(berths_from, *y), (berths_to, *y)]));
        }
        tracks.push(track(Kind::Line, lit, way_in));
        tracks.push(track(Kind::Line, lit, way_out));
    }
    for (y, gate) in rows(sites.len(), SITE_STEP, middle).into_iter().zip(sites) {
        let off = (y - middle).abs();
        let points = vec![(fan, middle), (fan + off, y), (signals + 22, y)];
        tracks.push(track(Kind::Line, gate.running > 0, points));
    }
    // Both leave the line between throat and fan and run beside the ladder: parallel, so they never cross.
    let siding_end = berths_from + 24;
    let drop = siding_y - middle;
    tracks.push(track(
        Kind::Siding,
        false,
        vec![
            (throat + 18, middle),
            (throat + 18 - drop, siding_y),
            (siding_end.min(throat + 18 - drop), siding_y),
        ],
    ));
    let drop = desk_y - middle;
    tracks.push(track(
        Kind::Branch,
        false,
        vec![(fan - 8, middle), (fan - 8 - drop, desk_y), (64 + drop, desk_y), (64, middle)],
    ));
    tracks.sort_by_key(|track| track.lit);

    Drawing {
        size: (signals + 300, desk_y + 34),
        tracks,
        entry: (16, middle),
        lanes: rows(lanes.len(), LANE_STEP, middle)
            .into_iter()
            .zip(lanes)
            .map(|(y, lane)| lane_at(lane.as_str(), overview, (lanes_from, y), lanes_to))
            .collect(),
        main: main_at((merged + 16, middle), overview),
        board: (merged + 112, middle),
        rate: number::rate(overview.global_per_s),
        platform: (berths_from, middle - berth_reach - BERTH.1 / 2 - 46),
        slots: (overview.pool.slots, overview.pool.busy),
        instances: overview
            .pool
            .instances
            .iter()
            .take(INSTANCES)
            .map(|instance| (instance.id.clone(), instance.state))
            .collect(),
        more_instances: overview.pool.instances.len().saturating_sub(INSTANCES),
        berths,
        sites: rows(sites.len(), SITE_STEP, middle)
            .into_iter()
            .zip(sites)
            .map(|(y, gate)| SiteAt {
                at: (signals, y),
                domain: gate.domain.clone(),
                aspect: Aspect::of(gate, overview.at),
                running: gate.running,
                waiting: gate.waiting,
                per_s: gate.per_s,
            })
            .collect(),
        quarantine: (
            (siding_end.min(throat + 18 - (siding_y - middle)), siding_y),
            overview.count(TaskState::Quarantined),
        ),
        desk: (((fan - 8 + 64) / 2, desk_y), overview.desk),
        feed: (64 + drop / 2, middle + drop / 2),
        seats,
    }
}

fn main_at(at: Point, overview: &Overview) -> MainAt {
    let breaker = &overview.breaker;
    let why = breaker.reason.clone().filter(|_| breaker.state != BreakerState::Closed);
    MainAt { at, aspect: aspect::of_breaker(breaker.state), says: breaker::words::brief(breaker), why }
}

fn track(kind: Kind, lit: bool, points: Vec<Point>) -> Track {
    Track { kind, lit, points }
}

fn lane_at(name: &str, overview: &Overview, at: Point, to: i32) -> LaneAt {
    let load = overview.lanes.get(name).cloned().unwrap_or_default();
    let ready = load.ready.min(BLOCKS);
    let held = load.held.min(BLOCKS - ready);
    let blocks =
        (0..ready + held).map(|place| (to - 6 - (place as i32 + 1) * BLOCK_STEP, place >= ready)).collect();
    LaneAt { name: name.to_owned(), at, ready: load.ready, held: load.held, blocks }
}

fn berth_is(row: usize, seats: &[Option<Uuid>], running: &[Berth]) -> BerthIs {
    if row + 1 == BERTH_ROWS && seats.len() > BERTH_ROWS {
        let rest = &seats[row..];
        return BerthIs::More { busy: rest.iter().flatten().count(), all: rest.len() };
    }
    let Some(berth) = seats[row].and_then(|task| running.iter().find(|berth| berth.task == task)) else {
        return BerthIs::Free;
    };
    BerthIs::Busy {
        task: berth.task,
        code: code::code(berth.task),
        name: berth.name.clone(),
        domain: berth.domain.clone(),
        step: berth.step.map(|(at, of)| (at + 1, of)),
    }
}
