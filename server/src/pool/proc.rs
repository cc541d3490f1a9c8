//! What `/proc` says of processes: identity, groups and memory.

use std::fs;

/// A process as `/proc/<pid>/stat` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: i32,
    /// The program's short name, at most 15 bytes.
    pub name: String,
    /// `Z` is a zombie.
    pub state: char,
    /// The process group.
    pub group: i32,
    /// When it was started, in clock ticks since the boot: with the boot and the pid, who it is.
    pub started: u64,
}

/// The process `pid`, if there is one.
pub(super) fn process(pid: i32) -> Option<Process> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(pid: i32, stat: &str) -> Option<Process> {
    // The name is in parentheses and may hold anything, parentheses and spaces too.
    let (head, tail) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = tail.split_whitespace().collect();
    Some(Process {
        pid,
        name,
        state: fields.first()?.chars().next()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

/// All processes that there are.
pub(super) fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(process).collect()
}

/// The processes of a group, zombies too.
pub(super) fn members(group: i32) -> Vec<Process> {
    processes().into_iter().filter(|process| process.group == group).collect()
}

/// The command line of a process, its parts apart; empty when it cannot be read.
pub(super) fn command_line(pid: i32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    bytes.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// The kernel's id of this boot.
pub(super) fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// The memory of a group in KiB: the proportional set size, which counts a shared page once. A process that
/// does not let it be read counts with what it does not share.
pub(super) fn memory_kib(group: i32) -> u64 {
    members(group)
        .iter()
        .map(|process| pss_kib(process.pid).or_else(|| own_kib(process.pid)).unwrap_or(0))
        .sum()
}

fn pss_kib(pid: i32) -> Option<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn own_kib(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_is_read_whole() {
        let stat = "77 (a (b) c) S 1 70 70 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 4242 1000 10";
        let process = parse(77, stat).expect("read");
        assert_eq!((process.name.as_str(), process.state), ("a (b) c", 'S'));
        assert_eq!((process.group, process.started), (70, 4242));
    }

    #[test]
    fn this_process_is_found_with_its_memory() {
        let me = process(std::process::id() as i32).expect("this process");
        assert!(me.started > 0 && !boot_id().is_empty());
        assert!(pss_kib(me.pid).is_some_and(|kib| kib > 0));
    }
}
