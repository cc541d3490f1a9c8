//! The data folder, its database, and the address to listen at.

use std::{
    fs, io,
    net::TcpListener,
    path::{Path, PathBuf},
};

use super::{Finding, machine};
use crate::{
    cli::lock::DataLock,
    config::Settings,
    engine,
    store::look::{Look, look as look_at},
};

pub(super) async fn look(settings: &Settings) -> Vec<Finding> {
    let data = &settings.server.data;
    let holder = DataLock::held_by(data);
    let mut findings = vec![folder(data), machine::disk(&nearest(data)), lock(data, holder.as_deref())];
    findings.push(database(settings).await);
    findings.push(address(&settings.server.listen, holder.as_deref()));
    findings
}

/// The folder itself, or the nearest above it that is there.
fn nearest(folder: &Path) -> PathBuf {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    whole.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/")).to_owned()
}

fn folder(data: &Path) -> Finding {
    const WHAT: &str = "data folder";
    let nearest = nearest(data);
    let probe = nearest.join(format!(".signalbox-doctor-{}", std::process::id()));
    let written = fs::write(&probe, "").and_then(|()| fs::remove_file(&probe));
    match written {
        Err(why) => Finding::missing(
            WHAT,
            format!("{} cannot be written: {why}", nearest.display()),
            "give the right to write there, or name another folder with --data",
        ),
        Ok(()) if data.is_dir() => Finding::good(WHAT, data.display().to_string()),
        Ok(()) => Finding::good(WHAT, format!("{} is made at the first run", data.display())),
    }
}

fn lock(data: &Path, holder: Option<&str>) -> Finding {
    match holder {
        Some(holder) => Finding::good("lock", format!("a server runs on {} ({holder})", data.display())),
        None => Finding::good("lock", "free: no server runs on the data folder"),
    }
}

async fn database(settings: &Settings) -> Finding {
    const WHAT: &str = "database";
    let remedy = "restore it from a backup, or name another one with --database";
    let path = match engine::database(settings) {
        Ok(path) => path,
        Err(error) => return Finding::missing(WHAT, error.to_string(), "name it as sqlite:PATH"),
    };
    if !path.exists() {
        return Finding::good(WHAT, format!("{} is made at the first run", path.display()));
    }
    match look_at(&path).await {
        Ok(Look::UpToDate) => Finding::good(WHAT, format!("{} is up to date", path.display())),
        Ok(Look::Behind { missing }) => Finding::good(
            WHAT,
            format!("{} is brought up to date at the next start ({missing} changes)", path.display()),
        ),
        Ok(Look::Ahead) => Finding::missing(
            WHAT,
            format!("{} was written by a newer signalbox", path.display()),
            "run the newer one, or restore a backup from before",
        ),
        Err(error) => Finding::missing(WHAT, error.to_string(), remedy),
    }
}

fn address(listen: &str, holder: Option<&str>) -> Finding {
    const WHAT: &str = "address";
    let remedy = "choose another one with --listen";
    match (TcpListener::bind(listen), holder) {
        (Ok(_), _) => Finding::good(WHAT, format!("{listen} is free")),
        (Err(why), Some(holder)) if why.kind() == io::ErrorKind::AddrInUse => {
            Finding::good(WHAT, format!("{listen} is in use, as the server runs ({holder})"))
        }
        (Err(why), _) => Finding::missing(WHAT, format!("cannot listen at {listen}: {why}"), remedy),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Grade;
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_is_looked_for_above() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(nearest(&dir.path().join("a/b")), dir.path());
        assert_eq!(folder(&dir.path().join("a/b")).grade, Grade::Good);
        assert!(fs::read_dir(dir.path()).expect("read").next().is_none(), "nothing is left behind");
    }

    #[test]
    fn an_address_that_is_in_use_is_missing_unless_our_server_runs() {
        let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
        let listen = taken.local_addr().expect("an address").to_string();
        assert_eq!(address(&listen, None).grade, Grade::Missing);
        assert_eq!(address(&listen, Some("process 1")).grade, Grade::Good);
        assert_eq!(address("no address", None).grade, Grade::Missing);
    }

    #[tokio::test]
    async fn a_file_that_is_no_database_is_named() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut settings = Settings::default();
        settings.server.data = dir.path().to_owned();
        assert_eq!(database(&settings).await.grade, Grade::Good, "made at the first run");
        fs::write(dir.path().join("signalbox.db"), "this is no database at all, whatever its name says")
            .expect("written");
        assert_eq!(database(&settings).await.grade, Grade::Missing);
    }
}
