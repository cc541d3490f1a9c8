//! Chrome, by really starting it: which version, and whether it opens a page with its sandbox.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::process::Command;

use super::Finding;
use crate::pool::find_chrome;

const WHAT: &str = "Chrome";
const SANDBOX: &str = "Chrome's sandbox";
/// How long Chrome may take to say its version or to open an empty page.
const PATIENCE: Duration = Duration::from_secs(20);
const INSTALL: &str = "on Debian: apt-get install chromium-headless-shell; or name one with [pool] binary";

pub(super) async fn look(setting: &str) -> Vec<Finding> {
    let binary = match find_chrome(setting) {
        Ok(binary) => binary,
        Err(error) => return vec![Finding::missing(WHAT, error.to_string(), INSTALL)],
    };
    let version = match run(&binary, &["--version"]).await {
        Ok(version) => version.trim().to_owned(),
        Err(why) => {
            return vec![Finding::missing(
                WHAT,
                format!("{} does not start: {why}", binary.display()),
                INSTALL,
            )];
        }
    };
    let found = format!("{version}, {}", binary.display());
    if opens_a_page(&binary, true).await.is_ok() {
        return vec![Finding::good(WHAT, found), Finding::good(SANDBOX, "works")];
    }
    match opens_a_page(&binary, false).await {
        Ok(()) => vec![
            Finding::good(WHAT, found),
            Finding::note(
                SANDBOX,
                "does not work here, so Chrome runs without it",
                "do not run as root, and allow unprivileged user namespaces",
            ),
        ],
        Err(why) => vec![Finding::missing(WHAT, format!("{found}, opens no page: {why}"), INSTALL)],
    }
}

/// Opens an empty page in a profile that is removed afterwards.
async fn opens_a_page(binary: &Path, sandbox: bool) -> Result<(), String> {
    let profile = tempfile_folder()?;
    let profile_flag = format!("--user-data-dir={}", profile.display());
    let mut flags = vec!["--headless", "--disable-gpu", "--no-first-run", profile_flag.as_str()];
    if !sandbox {
        flags.push("--no-sandbox");
    }
    flags.extend(["--dump-dom", "about:blank"]);
    let page = run(binary, &flags).await;
    // It lies in the folder for what is temporary: where this fails the system removes it in time.
    let _left = std::fs::remove_dir_all(&profile);
    match page? {
        page if page.contains("<html") => Ok(()),
        _ => Err("it ended without a page".to_owned()),
    }
}

fn tempfile_folder() -> Result<std::path::PathBuf, String> {
    let folder = std::env::temp_dir().join(format!("signalbox-doctor-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    Ok(folder)
}

/// What a program writes to its standard output, if it ends well and in time.
async fn run(binary: &Path, flags: &[&str]) -> Result<String, String> {
    let child = Command::new(binary)
        .args(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|why| why.to_string())?;
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
        .await
        .map_err(|_| format!("no answer in {} s", PATIENCE.as_secs()))?
        .map_err(|why| why.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    Err(format!("{} {last}", output.status).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Grade;
    use super::*;

    #[tokio::test]
    async fn a_chrome_that_is_not_there_is_named_with_a_remedy() {
        let findings = look("/nowhere/chrome").await;
        assert_eq!(findings[0].grade, Grade::Missing);
        assert!(findings[0].detail.contains("/nowhere/chrome"), "{:?}", findings[0]);
        assert!(findings[0].remedy.is_some());
    }

    #[tokio::test]
    async fn a_program_that_is_no_chrome_is_found_out() {
        let findings = look("/bin/false").await;
        assert_eq!(findings[0].grade, Grade::Missing, "{findings:?}");
    }
}
