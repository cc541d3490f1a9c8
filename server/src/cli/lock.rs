//! The lock that keeps a second server off a data folder: on SQLite it proves that no other holder of
//! leases lives.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
};

/// The lock's file in the data folder. It stays there; what counts is the lock on it, which ends with its
/// process, however that ends.
const FILE: &str = "lock";

/// Why a data folder is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another server uses it.
    #[error("the data folder {data} is in use by another signalbox ({holder}): stop that one, or name another folder with --data", data = .data.display())]
    Held {
        /// The folder.
        data: PathBuf,
        /// The other one's process, in words.
        holder: String,
    },
    /// The lock's file cannot be made or locked.
    #[error("cannot lock the data folder {data}: {why}", data = .data.display())]
    Unusable {
        /// The folder.
        data: PathBuf,
        /// The system's words.
        why: std::io::Error,
    },
}

/// The lock of a data folder, held as long as this lives.
#[derive(Debug)]
pub struct DataLock {
    _file: File,
}

impl DataLock {
    /// Takes the lock, and writes this process's id into it.
    ///
    /// # Errors
    /// [`LockError`]: held by another, with its process id; or the file cannot be used.
    pub fn take(data: &Path) -> Result<Self, LockError> {
        let unusable = |why| LockError::Unusable { data: data.to_owned(), why };
        let mut file = open(data, true).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LockError::Held { data: data.to_owned(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(why)) => return Err(unusable(why)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .and_then(|()| file.flush())
            .map_err(unusable)?;
        Ok(Self { _file: file })
    }

    /// Who holds a data folder's lock, in words; none where nobody does or there is no folder yet.
    #[must_use]
    pub fn held_by(data: &Path) -> Option<String> {
        let mut file = open(data, false).ok()?;
        // Shared and let go at once: a look that keeps nobody out for longer than it takes.
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(holder(&mut file)),
            _ => None,
        }
    }
}

fn open(data: &Path, create: bool) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create(create).truncate(false).open(data.join(FILE))
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(32).read_to_string(&mut text));
    match (read, text.trim().parse::<u32>()) {
        (Ok(_), Ok(pid)) => format!("process {pid}"),
        // It may be just about to write its id.
        _ => "its process is not known".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_refused_and_told_of_the_first() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(DataLock::held_by(dir.path()), None);
        let first = DataLock::take(dir.path()).expect("free");
        let second = DataLock::take(dir.path()).expect_err("held").to_string();
        assert!(second.contains(&format!("process {}", std::process::id())), "{second}");
        assert_eq!(DataLock::held_by(dir.path()), Some(format!("process {}", std::process::id())));
        drop(first);
        assert_eq!(DataLock::held_by(dir.path()), None);
        DataLock::take(dir.path()).expect("free again");
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = DataLock::take(Path::new("/nowhere/at/all")).expect_err("no folder").to_string();
        assert!(error.contains("/nowhere/at/all"), "{error}");
    }
}
