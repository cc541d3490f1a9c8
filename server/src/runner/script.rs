//! The script that stands in each frame's isolated world and looks, aims and reads there.
//!
//! It runs in a world of its own: the page can neither see nor change it, and what the page has put over the
//! DOM's own functions does not reach it.

/// Defines `signalbox` in the world that evaluates it. Once for each document and frame.
pub(super) const INSTALL: &str = concat!(
    "(() => { 'use strict';\n",
    include_str!("page/tree.js"),
    include_str!("page/name.js"),
    include_str!("page/select.js"),
    include_str!("page/field.js"),
    include_str!("page/act.js"),
    include_str!("page/read.js"),
    "globalThis.signalbox = { find, count, enterSubmits: () => { const s = enterSubmits(); return s && ",
    "{ method: s.method ?? null, inside: s.inside ?? false }; }, throughFrame, beginField, endField, readFields, ",
    "takeFrom, takeAll, look, check, scroll, boxOf, nameOf, roleOf, query, hasFocus: () => document.hasFocus(), ",
    "breath: () => new Promise(done => { const way = new MessageChannel(); way.port1.onmessage = () => done(); ",
    "way.port2.postMessage(0); }) };\n})()",
);

/// Calls one of its functions with the arguments given.
pub(super) const CALL: &str = "function (name, args) { return signalbox[name](...args); }";

/// Calls one of its functions with `this`, an element, before the arguments.
pub(super) const CALL_ON: &str = "function (name, args) { return signalbox[name](this, ...args); }";
