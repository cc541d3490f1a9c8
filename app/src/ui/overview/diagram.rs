//! The line diagram as SVG, from its geometry. Every part is a link to its page and has a name.
//!
//! Every part has the same elements in every state, so that a change sets attributes and texts only: focus
//! and pointer stay where they are.

use leptos::prelude::*;

use super::{
    aspect,
    geometry::{
        BERTH, BerthAt, BerthIs, DESK, Drawing, Kind, LaneAt, MAIN, MAIN_POST, MainAt, SiteAt, Track,
    },
    words,
};
use crate::ui::{number, state};

/// The drawing.
pub fn view(drawing: &Drawing) -> impl IntoView + use<> {
    let (width, height) = drawing.size;
    let (entry_x, entry_y) = drawing.entry;
    let (board_x, board_y) = drawing.board;
    let ((quarantine_x, quarantine_y), quarantined) = drawing.quarantine;
    let ((desk_x, desk_y), desk) = drawing.desk;
    let (feed_x, feed_y) = drawing.feed;
    view! {
        <svg
            class="box"
            viewBox=format!("0 0 {width} {height}")
            role="graphics-document"
            aria-labelledby="box-name"
            aria-describedby="box-says"
        >
            <title id="box-name">{words::DIAGRAM}</title>
            <desc id="box-says">{words::DIAGRAM_SAYS}</desc>
            <g class="tracks" aria-hidden="true">{drawing.tracks.iter().map(track).collect_view()}</g>
            <g class="entry">
                <a href="/submit">
                    <text class="strong" x=entry_x y=entry_y - 14>{words::ENTRY}</text>
                    <path class="arrow" d=format!("M{} {}l-8 -6v12z", entry_x + 60, entry_y)/>
                </a>
            </g>
            <g class="lanes">{drawing.lanes.iter().map(lane).collect_view()}</g>
            {main_signal(&drawing.main)}
            <g class="board">
                <a href="/gates" aria-label=format!("{}: {}", words::GATE, drawing.rate)>
                    <rect x=board_x - 32 y=board_y - 14 width="64" height="28" rx="6"/>
                    <text class="strong mid" x=board_x y=board_y + 5>{drawing.rate.clone()}</text>
                    <text class="small mid" x=board_x y=board_y - 24>{words::GATE}</text>
                </a>
            </g>
            {platform(drawing)}
            <g class="berths">{drawing.berths.iter().map(berth).collect_view()}</g>
            <g class="sites">{drawing.sites.iter().map(site).collect_view()}</g>
            <g class=siding_class(quarantined)>
                <a href="/quarantine" aria-label=words::quarantined(quarantined)>
                    <path class="buffer" d=format!("M{quarantine_x} {}v20", quarantine_y - 10)/>
                    <text class="end" x=quarantine_x - 10 y=quarantine_y + 5>
                        {format!("{} {}", words::QUARANTINE, number::count(quarantined))}
                    </text>
                </a>
            </g>
            <g class=siding_class(desk.open)>
                <a href="/orders" aria-label=words::orders(desk)>
                    <rect
                        class="desk"
                        x=desk_x - DESK.0 / 2
                        y=desk_y - DESK.1 / 2
                        width=DESK.0
                        height=DESK.1
                        rx="6"
                    />
                    <text class="mid" x=desk_x y=desk_y + 5>{format!("{}: {}", words::DESK, words::desk(desk))}</text>
                </a>
            </g>
            <g class="feed" aria-hidden="true">
                <path class="arrow" d=format!("M{} {}l2 11l9 -9z", feed_x - 5, feed_y - 5)/>
                <text class="small end" x=feed_x - 16 y=feed_y + 8>{words::FEED}</text>
            </g>
        </svg>
    }
}

fn siding_class(count: u64) -> &'static str {
    if count > 0 { "aside has-some" } else { "aside" }
}

/// The breaker: a semaphore taller than those of the sites, with its state beside it.
fn main_signal(main: &MainAt) -> impl IntoView + use<> {
    let (x, y) = main.at;
    let top = y - MAIN_POST;
    let why = main.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
    let says = format!("{}: {}{why}", words::BREAKER, main.says);
    view! {
        <g class=format!("signal main is-{}", main.aspect)>
            <a href="/breaker" aria-label=says.clone()>
                <title>{says.clone()}</title>
                <rect class="hit" x=x - 10 y=y - MAIN.1 width=MAIN.0 height=MAIN.1 - 38/>
                <path class="post" d=format!("M{x} {}V{top}", y - 2)/>
                <path class="arm" d=format!("M{x} {top}{}", aspect::arm(main.aspect, 26))/>
                <circle class="lamp" cx=x cy=top r="7"/>
                <circle class="light" cx=x + 8 cy=y - 16 r="4"/>
                <circle class="light" cx=x + 18 cy=y - 26 r="4"/>
                <text class="strong" x=x + 14 y=y - 74>{words::BREAKER}</text>
                <text class="small" x=x + 14 y=y - 58><tspan class="aspect">{main.says.clone()}</tspan></text>
            </a>
        </g>
    }
}

fn track(track: &Track) -> impl IntoView + use<> {
    let kind = match track.kind {
        Kind::Line => "track",
        Kind::Siding => "track siding",
        Kind::Branch => "track branch",
    };
    let class = if track.lit { format!("{kind} lit") } else { kind.to_owned() };
    view! { <path class=class d=track.path()/> }
}

fn lane(lane: &LaneAt) -> impl IntoView + use<> {
    let (x, y) = lane.at;
    let load = words::load(lane.ready, lane.held);
    let blocks = lane
        .blocks
        .iter()
        .map(|(at, held)| {
            let class = if *held { "block held" } else { "block" };
            view! { <rect class=class x=*at y=y - 6 width="14" height="12" rx="2"/> }
        })
        .collect_view();
    view! {
        <g class="lane">
            <a
                href=format!("/tasks?state=queued&lane={}", lane.name)
                aria-label=format!("lane {}: {load}", lane.name)
            >
                <rect class="hit" x=x y=y - 32 width="228" height="44"/>
                <text class="strong" x=x y=y - 14>{lane.name.clone()}</text>
                <text class="small end" x=x + 228 y=y - 14>{load.clone()}</text>
                {blocks}
            </a>
        </g>
    }
}

fn platform(drawing: &Drawing) -> impl IntoView + use<> {
    let (x, y) = drawing.platform;
    let busy = words::slots(drawing.slots);
    let nobody = drawing.instances.is_empty();
    let instances = drawing
        .instances
        .iter()
        .enumerate()
        .map(|(place, (id, is))| {
            let look = state::instance(*is);
            let at = x + 8 + place as i32 * 17;
            view! {
                <g class=format!("instance tone-{}", look.tone) role="graphics-symbol" aria-label=format!("{id}: {}", look.word)>
                    <title>{format!("{id}: {}", look.word)}</title>
                    <text class="mid" x=at + 4 y=y + 31>{look.shape}</text>
                </g>
            }
        })
        .collect_view();
    view! {
        <g class="platform">
            <a href="/pool" aria-label=format!("{}: {busy}", words::POOL)>
                <rect class="slab" x=x y=y + 16 width=BERTH.0 height="22" rx="3"/>
                <text class="strong" x=x y=y + 8>{words::POOL}</text>
                <text class="small end" x=x + BERTH.0 y=y + 8>{busy.clone()}</text>
                <text class="small mid" x=x + BERTH.0 / 2 y=y + 31>
                    {if nobody { words::NO_INSTANCES } else { "" }}
                </text>
                <text class="small end" x=x + BERTH.0 - 6 y=y + 31>
                    {if drawing.more_instances > 0 { format!("+{}", drawing.more_instances) } else { String::new() }}
                </text>
            </a>
            {instances}
        </g>
    }
}

fn berth(berth: &BerthAt) -> impl IntoView + use<> {
    let (x, y) = berth.at;
    let (class, code, step, name, href) = match &berth.is {
        BerthIs::Free => ("berth", String::new(), String::new(), "free berth".to_owned(), "/pool".to_owned()),
        BerthIs::More { busy, all } => {
            let words = words::more_berths(*busy, *all);
            ("berth is-more", String::new(), words.clone(), words, "/pool".to_owned())
        }
        BerthIs::Busy { task, code, name, domain, step } => {
            let step = step.map(|(at, of)| format!("step {at} of {of}")).unwrap_or_default();
            let site = domain.as_deref().map(|domain| format!(" at {domain}")).unwrap_or_default();
            let says = format!("{code}: {name}{site}, {step}");
            ("berth is-busy", code.clone(), step, says, format!("/tasks/{task}"))
        }
    };
    view! {
        <g class=class>
            <a href=href aria-label=name.clone()>
                <title>{name.clone()}</title>
                <rect x=x y=y width=BERTH.0 height=BERTH.1 rx="4"/>
                <text class="code" x=x + 10 y=y + 19>{code}</text>
                <text class="small end" x=x + BERTH.0 - 10 y=y + 19>{step}</text>
            </a>
        </g>
    }
}

fn site(site: &SiteAt) -> impl IntoView + use<> {
    let (x, y) = site.at;
    let (name, aspect) = (site.aspect.name(), site.aspect.words());
    let says = format!(
        "{}: {}, {}",
        site.domain,
        site.aspect.says(),
        words::site(site.running, site.waiting, site.per_s)
    );
    view! {
        <g class=format!("signal site is-{name}")>
            <a href=format!("/gates#site-{}", site.domain) aria-label=says.clone()>
                <title>{says.clone()}</title>
                <rect class="hit" x=x y=y - 22 width="280" height="44"/>
                <path class="post" d=format!("M{x} {}v-18", y - 2)/>
                <path class="arm" d=format!("M{x} {}{}", y - 18, aspect::arm(name, 17))/>
                <circle class="lamp" cx=x cy=y - 18 r="5"/>
                <circle class="light" cx=x + 6 cy=y - 7 r="2.5"/>
                <circle class="light" cx=x + 12 cy=y - 13 r="2.5"/>
                <text class="strong" x=x + 34 y=y - 4>{super::cut(&site.domain, 30)}</text>
                <text class="small" x=x + 34 y=y + 14>
                    <tspan class="aspect">{aspect}</tspan>
                    {format!(" · {} running · {} waiting", site.running, number::count(site.waiting))}
                </text>
            </a>
        </g>
    }
}
