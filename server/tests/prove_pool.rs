//! What the pool promises, over the long run: five hundred tasks, one in twenty crashing or hanging, then a
//! SIGKILL of the server, and nothing is left behind.

mod program;

use std::time::Duration;

use program::{Dice, House};
use serde_json::json;

const TASKS: u64 = 500;

#[test]
fn five_hundred_tasks_with_crashes_and_hangs_leave_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let house =
        House::new(folder.path(), &[("SIGNALBOX_QUEUE__ATTEMPTS", "1"), ("SIGNALBOX_POOL__SLOTS", "4")]);
    let mut dice = Dice::new();
    let mut server = house.serve();
    let (mut crashes, mut hangs) = (0, 0);
    for n in 0..TASKS {
        let (path, timeout) = match dice.below(40) {
            0 => ("/trouble/memory?now=1", 30_000),
            1 => ("/trouble/never", 1_000),
            _ => ("/help", 30_000),
        };
        crashes += u64::from(path.starts_with("/trouble/memory"));
        hangs += u64::from(path == "/trouble/never");
        let flow = json!({"title": "soak", "timeout": timeout, "steps": [
            {"type": "navigate", "url": format!("http://{}{path}", house.site)},
            {"type": "waitForElement", "selectors": ["h1"]}]});
        house.post("/api/v1/tasks", &json!({"flow": flow, "key": format!("k{n}"), "timeout_s": 60}));
    }
    house.until(&["succeeded", "failed", "escalated", "quarantined"], TASKS, Duration::from_secs(1_200));
    let succeeded = house.count(&["succeeded"]);
    println!("{TASKS} tasks: {succeeded} succeeded, {crashes} were made to crash, {hangs} to hang");
    assert_eq!(succeeded, TASKS - crashes - hangs, "no neighbour of a crash may fail");
    for (class, made) in [("renderer_crash", crashes), ("timeout", hangs)] {
        let failed = house.tasks().iter().filter(|task| task["fault"]["class"] == class).count() as u64;
        assert_eq!(failed, made, "{class}");
    }
    let profiles = house.profiles();
    assert!(profiles <= 8, "{profiles} profiles for 4 slots");
    server.0.kill().expect("killed");
    server.0.wait().expect("reaped");
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(house.chromes(), 0, "no Chrome outlives the server by 5 s");
    let mut server = house.serve();
    house.until(&["succeeded"], succeeded, Duration::from_secs(10));
    assert!(house.profiles() <= 2, "the next start removes what the killed one left");
    rustix::process::kill_process(rustix::process::Pid::from_child(&server.0), rustix::process::Signal::TERM)
        .expect("told to stop");
    assert!(server.0.wait().expect("ends").success());
    assert_eq!((house.chromes(), house.profiles()), (0, 0), "an orderly end leaves nothing at all");
}
