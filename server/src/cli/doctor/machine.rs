//! Memory, disk and fonts.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Finding, size};

/// Memory of one more page in a Chrome that runs, with room to spare (measured: about 43 MiB).
const PER_SLOT: u64 = 100 << 20;
/// Memory of Chrome and the server without pages.
const BASE: u64 = 512 << 20;
/// Disk below which evidence and database soon have no room.
const DISK_LOW: u64 = 1 << 30;
/// Disk below which nothing works.
const DISK_NONE: u64 = 100 << 20;
/// How deep font folders are looked through.
const DEPTH: u32 = 5;

pub(super) fn memory(slots: u32) -> Finding {
    const WHAT: &str = "memory";
    let Some(available) = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text)) else {
        return Finding::note(WHAT, "cannot be told on this system", "see that there is 1 GiB free");
    };
    let wanted = BASE + u64::from(slots) * PER_SLOT;
    if available < wanted {
        let detail = format!("{} free, {slots} slots want {}", size(available), size(wanted));
        return Finding::note(WHAT, detail, "give the server fewer slots or more memory");
    }
    Finding::good(WHAT, format!("{} free for {slots} slots", size(available)))
}

/// The memory that can be had, of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

pub(super) fn disk(folder: &Path) -> Finding {
    const WHAT: &str = "disk";
    let remedy = "make room, or name another folder with --data";
    match rustix::fs::statvfs(folder) {
        Ok(found) => {
            let free = found.f_bavail.saturating_mul(found.f_frsize);
            let detail = format!("{} free at {}", size(free), folder.display());
            match free {
                free if free < DISK_NONE => Finding::missing(WHAT, detail, remedy),
                free if free < DISK_LOW => Finding::note(WHAT, detail, remedy),
                _ => Finding::good(WHAT, detail),
            }
        }
        Err(why) => Finding::note(WHAT, format!("cannot be told at {}: {why}", folder.display()), remedy),
    }
}

pub(super) fn fonts() -> Finding {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/share/fonts"));
    let system = ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts"].map(PathBuf::from);
    if system.into_iter().chain(home).any(|folder| has_font(&folder, DEPTH)) {
        return Finding::good("fonts", "there are some");
    }
    Finding::note(
        "fonts",
        "none was found: screenshots show boxes instead of text",
        "on Debian: apt-get install fonts-liberation fonts-noto-cjk",
    )
}

fn has_font(folder: &Path, depth: u32) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        let is_font = path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| matches!(extension, "ttf" | "otf" | "ttc" | "pfb" | "woff2"));
        is_font || (depth > 0 && path.is_dir() && has_font(&path, depth - 1))
    })
}

#[cfg(test)]
mod tests {
    use super::super::Grade;
    use super::*;

    #[test]
    fn the_memory_that_can_be_had_is_read() {
        assert_eq!(available("MemTotal:  1 kB\nMemAvailable:    2048 kB\n"), Some(2 << 20));
        assert_eq!(available("nothing"), None);
    }

    #[test]
    fn fonts_are_found_in_folders_within_folders() {
        let dir = tempfile::tempdir().expect("a folder");
        let deep = dir.path().join("truetype/one");
        fs::create_dir_all(&deep).expect("made");
        assert!(!has_font(dir.path(), DEPTH));
        fs::write(deep.join("a.ttf"), "").expect("written");
        assert!(has_font(dir.path(), DEPTH));
    }

    #[test]
    fn a_disk_that_is_not_there_is_no_panic() {
        assert_eq!(disk(Path::new("/nowhere/at/all")).grade, Grade::Note);
        assert_ne!(disk(Path::new("/")).detail, "");
    }
}
