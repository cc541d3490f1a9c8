//! The folder of one launch: `<data>/chrome/<launch>/`, with the profile and beside it who uses it.
//!
//! What is provably ours is swept at start: a process that the owner's file names by pid, start time and boot,
//! the rest of its process group, and any process started on a profile in our own data folder, which nobody else
//! holds. Other Chromes are spared.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use rustix::process::{Pid, Signal, WaitOptions};
use serde::{Deserialize, Serialize};

use super::error::PoolError;
use super::proc::{self, Process};

/// The name of the file beside the profile.
const OWNER: &str = "owner.json";

/// How long the end of a killed group is waited for.
const GROUP_ENDS_WITHIN: Duration = Duration::from_secs(3);

/// How long zombies that are not ours are waited for.
const REAPED_WITHIN: Duration = Duration::from_millis(500);

/// Which process uses a profile.
#[derive(Debug, Serialize, Deserialize)]
struct Owner {
    pid: i32,
    started: u64,
    boot: String,
    name: String,
}

/// The folder of one launch.
#[derive(Debug)]
pub(super) struct LaunchFolder(PathBuf);

impl LaunchFolder {
    /// Makes a new one under `<data>/chrome/`.
    pub(super) fn create(data: &Path) -> Result<Self, PoolError> {
        let folder = home(data).join(uuid::Uuid::now_v7().simple().to_string());
        fs::create_dir_all(folder.join("profile")).map_err(|e| files(&folder, &e))?;
        Ok(Self(folder))
    }

    /// Chrome's user data folder.
    pub(super) fn profile(&self) -> PathBuf {
        self.0.join("profile")
    }

    /// Writes down who uses the profile.
    pub(super) fn write_owner(&self, pid: i32) -> Result<(), PoolError> {
        // A process that has ended already leaves nothing to name.
        let Some(process) = proc::process(pid) else { return Ok(()) };
        let owner = Owner { pid, started: process.started, boot: proc::boot_id(), name: process.name };
        let path = self.0.join(OWNER);
        let text = serde_json::to_vec(&owner).map_err(|e| files(&path, &e.into()))?;
        fs::write(&path, text).map_err(|e| files(&path, &e))
    }

    /// Removes the folder and Chrome's socket folder in the temporary folder. Chrome must have ended.
    pub(super) fn remove(&self) {
        remove_socket_folder(&self.profile());
        // A helper that is just ending may still write into it.
        for _ in 0..20 {
            match fs::remove_dir_all(&self.0) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => thread::sleep(Duration::from_millis(25)),
                _ => return,
            }
        }
        tracing::warn!(folder = %self.0.display(), "a Chrome profile could not be removed; the next start will");
    }
}

/// Ends and removes what earlier servers left under `<data>/chrome/`; the number of launches found. Blocks.
pub(super) fn sweep(data: &Path) -> Result<usize, PoolError> {
    let home = home(data);
    let entries = match fs::read_dir(&home) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(e) => return Err(files(&home, &e)),
    };
    let mut swept = 0;
    for entry in entries.flatten() {
        let folder = LaunchFolder(entry.path());
        for group in groups_of(&folder) {
            end_group(group);
        }
        folder.remove();
        swept += 1;
    }
    Ok(swept)
}

/// The process groups that are provably those of a launch.
fn groups_of(folder: &LaunchFolder) -> Vec<i32> {
    let all = proc::processes();
    let profile = folder.profile();
    let switch = format!("--user-data-dir={}", profile.display());
    let own_group = rustix::process::getpgrp().as_raw_nonzero().get();
    let by_profile =
        all.iter().filter(|p| p.group != own_group && proc::command_line(p.pid).contains(&switch));
    let by_profile = by_profile.map(|process| process.group);
    let owner = fs::read(folder.0.join(OWNER)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let by_owner = owner.filter(|owner| owns_group(owner, &all)).map(|owner: Owner| owner.pid);
    let mut groups: Vec<i32> = by_profile.chain(by_owner).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// Whether the group that an owner led is still that one's: its leader lives, or is gone and what is left looks
/// like it and is younger. A pid taken by another process is not ours, nor is its group.
fn owns_group(owner: &Owner, all: &[Process]) -> bool {
    if owner.boot != proc::boot_id() {
        return false;
    }
    match all.iter().find(|process| process.pid == owner.pid) {
        Some(leader) => leader.started == owner.started && leader.group == owner.pid,
        None => all
            .iter()
            .filter(|process| process.group == owner.pid)
            .all(|process| process.started >= owner.started && kin(&process.name, &owner.name)),
    }
}

/// Whether two short program names are those of one Chrome: helpers run the same program, or its crash handler.
fn kin(helper: &str, leader: &str) -> bool {
    helper == leader || helper.starts_with("chrome_crashpad")
}

/// Makes what Chrome's processes leave behind fall to this process, wherever it runs, so that [`end_group`] can
/// reap it: the first process of a container often reaps nothing.
pub(super) fn inherit_orphans() {
    if let Err(reason) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        tracing::debug!(%reason, "what Chrome's helpers leave is the system's to reap");
    }
}

/// Kills a process group, waits (bounded) until it is gone, and reaps what has fallen to us. Blocks.
pub(super) fn end_group(group: i32) {
    let Some(pgid) = Pid::from_raw(group).filter(|_| group > 1) else { return };
    let began = Instant::now();
    loop {
        // It fails when the group is gone, which is what is wanted.
        let _ = rustix::process::kill_process_group(pgid, Signal::KILL);
        while let Ok(Some(_)) = rustix::process::waitpgid(pgid, WaitOptions::NOHANG) {}
        let left = proc::members(group);
        let dead = left.iter().all(|process| process.state == 'Z');
        // Those of an earlier server are reaped by the system, in its own time.
        if left.is_empty() || (dead && began.elapsed() > REAPED_WITHIN) {
            return;
        }
        if began.elapsed() > GROUP_ENDS_WITHIN {
            tracing::warn!(group, "processes of a Chrome outlive SIGKILL");
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Full Chrome keeps its single-instance socket in a folder of its own in the temporary folder; the profile has
/// a link to it.
fn remove_socket_folder(profile: &Path) {
    let Ok(socket) = fs::read_link(profile.join("SingletonSocket")) else { return };
    let Some(folder) = socket.parent() else { return };
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_chromes = name.starts_with("org.chromium.") || name.starts_with("com.google.Chrome.");
    if is_chromes && folder.starts_with(std::env::temp_dir()) {
        // Chrome removes it itself when it ends well.
        let _ = fs::remove_dir_all(folder);
    }
}

fn home(data: &Path) -> PathBuf {
    data.join("chrome")
}

fn files(path: &Path, reason: &io::Error) -> PoolError {
    PoolError::Files { path: path.display().to_string(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, group: i32, started: u64, name: &str) -> Process {
        Process { pid, name: name.to_owned(), state: 'S', group, started }
    }

    fn owner(boot: &str) -> Owner {
        Owner { pid: 10, started: 500, boot: boot.to_owned(), name: "headless_shell".to_owned() }
    }

    #[test]
    fn a_pid_taken_by_another_process_is_spared() {
        let all = [process(10, 10, 900, "headless_shell")];
        assert!(!owns_group(&owner(&proc::boot_id()), &all));
    }

    #[test]
    fn a_process_of_another_boot_is_spared() {
        let all = [process(10, 10, 500, "headless_shell")];
        assert!(!owns_group(&owner("another"), &all));
    }

    #[test]
    fn helpers_whose_leader_is_gone_are_ours() {
        let all = [process(11, 10, 501, "headless_shell"), process(12, 10, 502, "chrome_crashpad")];
        assert!(owns_group(&owner(&proc::boot_id()), &all));
    }

    #[test]
    fn strangers_in_a_group_whose_leader_is_gone_are_spared() {
        let all = [process(11, 10, 501, "postgres")];
        assert!(!owns_group(&owner(&proc::boot_id()), &all));
    }
}
