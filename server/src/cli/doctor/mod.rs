//! `doctor`: what is there, what is missing, and what to do about it. It changes nothing.
//!
//! - here: the report;
//! - `chrome`: Chrome, by really starting it;
//! - `machine`: memory, disk and fonts;
//! - `home`: data folder, database and address.

mod chrome;
mod home;
mod machine;

use super::{Done, Failure, args::Common, block_on, say, settings::settings};

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// There and well.
    Good,
    /// Works, and could be better.
    Note,
    /// The server will not work without it.
    Missing,
}

/// What was found of one thing.
#[derive(Debug)]
pub struct Finding {
    /// The thing.
    pub what: &'static str,
    /// How it stands.
    pub grade: Grade,
    /// What was found.
    pub detail: String,
    /// What to do, where something can be done.
    pub remedy: Option<String>,
}

impl Finding {
    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, grade: Grade::Good, detail: detail.into(), remedy: None }
    }

    fn note(what: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, grade: Grade::Note, detail: detail.into(), remedy: Some(remedy.into()) }
    }

    fn missing(what: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what, grade: Grade::Missing, detail: detail.into(), remedy: Some(remedy.into()) }
    }
}

pub(super) fn run(common: &Common) -> Done {
    let settings = settings(common, Vec::new())?;
    let findings = block_on(async {
        let mut findings = chrome::look(&settings.pool.binary).await;
        findings.push(machine::fonts());
        findings.push(machine::memory(settings.pool.slots));
        findings.extend(home::look(&settings).await);
        Ok(findings)
    })?;
    for finding in &findings {
        say(line(finding))?;
    }
    match findings.iter().filter(|finding| finding.grade == Grade::Missing).count() {
        0 => say("everything that is needed is there"),
        1 => Err(Failure::failed("one thing is missing")),
        many => Err(Failure::failed(format!("{many} things are missing"))),
    }
}

fn line(finding: &Finding) -> String {
    let grade = match finding.grade {
        Grade::Good => "ok     ",
        Grade::Note => "note   ",
        Grade::Missing => "MISSING",
    };
    let remedy = finding.remedy.as_ref().map(|remedy| format!("\n          → {remedy}")).unwrap_or_default();
    format!("{grade}   {}: {}{remedy}", finding.what, finding.detail)
}

/// A size in words.
fn size(bytes: u64) -> String {
    let mib = bytes / (1 << 20);
    if mib >= 10 * 1024 { format!("{} GiB", mib / 1024) } else { format!("{mib} MiB") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_a_thing_stands_and_what_to_do() {
        let finding = Finding::missing("Chrome", "none was found", "install it");
        assert_eq!(line(&finding), "MISSING   Chrome: none was found\n          → install it");
        assert_eq!(line(&Finding::good("memory", "8 GiB")), "ok        memory: 8 GiB");
    }

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        assert_eq!((size(300 << 20).as_str(), size(20 << 30).as_str()), ("300 MiB", "20 GiB"));
    }
}
