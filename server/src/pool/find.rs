//! Where Chrome is on this machine.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::error::PoolError;

/// Names looked for on the search path, best first: the headless shell runs a fresh-context task several times
/// faster than a full Chrome.
const NAMES: [&str; 7] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
];

/// A script that only runs a program is shorter than this, in bytes; a program is not read further.
const SCRIPT: u64 = 1024;

/// Where packages put it when it is not on the search path.
const PATHS: [&str; 5] = [
    "/usr/lib/chromium/chromium-headless-shell",
    "/opt/google/chrome/chrome",
    "/usr/lib/chromium/chromium",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The Chrome that the setting `pool.binary` means: `auto` (or empty) looks for one, a bare name is looked for
/// on the search path, anything else is a path.
///
/// # Errors
/// [`PoolError::NoChrome`], naming what was tried.
pub fn find_chrome(setting: &str) -> Result<PathBuf, PoolError> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&search).collect();
    find_in(setting, &folders, &PATHS).map(|path| unwrapped(&path).unwrap_or(path))
}

/// The program behind a script that does nothing but run it. Debian's headless shell is such a script, and runs
/// Chrome as a child: the parent-death signal would reach the shell alone and leave Chrome behind.
fn unwrapped(path: &Path) -> Option<PathBuf> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(SCRIPT).read_to_string(&mut text).ok()?;
    let mut lines = text.strip_prefix("#!")?.lines().skip(1).map(str::trim);
    let mut commands = lines.by_ref().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (only, more) = (commands.next()?, commands.next());
    let program = PathBuf::from(only.trim_start_matches("exec ").strip_suffix("\"$@\"")?.trim());
    (more.is_none() && program.is_absolute() && is_program(&program)).then_some(program)
}

fn find_in(setting: &str, folders: &[PathBuf], paths: &[&str]) -> Result<PathBuf, PoolError> {
    let named = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| is_program(path));
    if setting.contains('/') {
        let path = PathBuf::from(setting);
        return if is_program(&path) { Ok(path) } else { Err(no_chrome([setting])) };
    }
    if !setting.is_empty() && setting != "auto" {
        return named(setting).ok_or_else(|| no_chrome([setting]));
    }
    let by_path = || paths.iter().map(PathBuf::from).find(|path| is_program(path));
    let found = NAMES.iter().find_map(|name| named(name)).or_else(by_path);
    found.ok_or_else(|| no_chrome(NAMES.iter().chain(paths).copied()))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn no_chrome<'a>(looked: impl IntoIterator<Item = &'a str>) -> PoolError {
    PoolError::NoChrome { looked: looked.into_iter().map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn program(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, "#!/bin/sh\n").expect("written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("made a program");
        path
    }

    #[test]
    fn the_headless_shell_is_preferred_to_a_full_chrome() {
        let folder = tempfile::tempdir().expect("a folder");
        program(folder.path(), "chromium");
        let shell = program(folder.path(), "chromium-headless-shell");
        assert_eq!(find_in("auto", &[folder.path().to_owned()], &[]), Ok(shell));
    }

    #[test]
    fn a_file_that_cannot_be_run_is_no_chrome() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("chromium"), "").expect("written");
        let found = find_in("auto", &[folder.path().to_owned()], &[]);
        let message = found.expect_err("nothing to run").to_string();
        assert!(message.contains("chromium-headless-shell") && message.contains("pool.binary"), "{message}");
    }

    #[test]
    fn a_script_that_only_runs_chrome_is_seen_through_and_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, script) = (program(folder.path(), "real"), folder.path().join("script"));
        let behind = |text: String| {
            std::fs::write(&script, text).expect("written");
            unwrapped(&script)
        };
        let run = format!("{} \"$@\"", real.display());
        assert_eq!(behind(format!("#!/bin/sh -e\n# run it\n{run}\n")), Some(real.clone()));
        assert_eq!(behind(format!("#!/bin/sh\nexec {run}\n")), Some(real));
        assert_eq!(behind(format!("#!/bin/sh\nexport A=1\n{run}\n")), None, "it does more than that");
        assert_eq!(behind("#!/bin/sh\n/nowhere/chrome \"$@\"\n".to_owned()), None);
    }

    #[test]
    fn a_path_that_is_set_is_taken_or_named_in_the_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = program(folder.path(), "mine");
        assert_eq!(find_in(&path.to_string_lossy(), &[], &[]), Ok(path));
        let missing = find_in("/nowhere/chrome", &[], &[]).expect_err("not there").to_string();
        assert!(missing.contains("/nowhere/chrome"), "{missing}");
    }
}
