//! Help, settings and wrong use.

use std::fs;

use crate::program::{run, signalbox};

#[test]
fn wrong_use_is_exit_code_2_and_help_is_0() {
    let dir = tempfile::tempdir().expect("a folder");
    for flags in [
        &["fly"][..],
        &[],
        &["serve", "--slots", "many"],
        &["token", "create", "--name", "a", "--role", "king"],
        &["token", "create", "--name", " ", "--role", "viewer"],
        &["user", "add", "ada"],
        &["submit", "a.json", "--token", "t", "--param", "novalue"],
        &["--config", "nowhere.toml", "check-config"],
        &["--database", "mysql:somewhere", "token", "create", "--name", "a", "--role", "viewer"],
    ] {
        let ran = run(dir.path(), flags);
        assert_eq!(ran.code, 2, "{flags:?}: {ran:?}");
        assert_eq!(ran.out, "", "{flags:?}");
    }
    for flags in [&["--help"][..], &["serve", "--help"], &["--version"], &["submit", "--help"]] {
        let ran = run(dir.path(), flags);
        assert_eq!((ran.code, ran.out.is_empty()), (0, false), "{flags:?}");
    }
    let help = run(dir.path(), &["--help"]).out;
    assert!(help.contains("queue.capacity = 10000"), "{help}");
}

#[test]
fn check_config_prints_the_whole_settings_or_names_the_fault() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("box.toml"), "[queue]\ncapacity = 7\n").expect("written");
    let ran = run(dir.path(), &["check-config", "--config", "box.toml", "--data", "elsewhere"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in ["capacity = 7", "data = \"elsewhere\"", "lease_s = 60"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let from_environment = signalbox(dir.path(), &["check-config"])
        .env("SIGNALBOX_QUEUE__CAPACITY", "8")
        .output()
        .expect("a run");
    assert!(String::from_utf8_lossy(&from_environment.stdout).contains("capacity = 8"));
    fs::write(dir.path().join("box.toml"), "[queue]\ncapacty = 7\n").expect("written");
    let ran = run(dir.path(), &["check-config", "--config", "box.toml"]);
    assert_eq!((ran.code, ran.err.contains("capacty")), (2, true), "{ran:?}");
}
