//! Runs of the program in a folder of their own.

use std::{
    path::Path,
    process::{Command, Output},
};

/// A command in a folder, with an environment that holds nothing of the caller's settings.
pub fn signalbox(folder: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_signalbox"));
    command.args(flags).current_dir(folder).env_remove("RUST_LOG");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SIGNALBOX_")) {
        command.env_remove(name);
    }
    command
}

/// What a run printed and its exit code.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

pub fn run(folder: &Path, flags: &[&str]) -> Ran {
    signalbox(folder, flags).output().expect("a run").into()
}
