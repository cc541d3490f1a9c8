//! Evidence by content: the same bytes are kept once, compressed, under their SHA-256.
//!
//! Who refers to which digest, and when a digest may go, is the evidence index's affair.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

/// The most bytes that are given back: nothing larger was put, and a damaged file must not fill the memory.
const LARGEST: u64 = 256 << 20;

/// The SHA-256 of what is kept; its text is 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::str::FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("'{text}' is not a SHA-256 in hexadecimal");
        if text.len() != 64 || !text.is_ascii() {
            return Err(wrong());
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[index * 2..index * 2 + 2], 16).map_err(|_| wrong())?;
        }
        Ok(Self(bytes))
    }
}

/// Why evidence could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// There is nothing under this digest.
    #[error("there is no evidence under {0}")]
    Missing(Digest),
    /// What is there is not what was put.
    #[error("the evidence under {0} is damaged")]
    Damaged(Digest),
    /// The disk, or whatever stands in its place, refused.
    #[error("evidence cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
}

/// A place that keeps bytes by their content.
#[async_trait]
pub trait Keep: Send + Sync {
    /// Keeps bytes durably: when this returns they survive a crash.
    ///
    /// # Errors
    /// When they cannot be written.
    async fn put(&self, bytes: Vec<u8>) -> Result<Digest, KeepError>;
    /// The bytes under a digest.
    ///
    /// # Errors
    /// When there are none, or not what was put.
    async fn get(&self, digest: Digest) -> Result<Vec<u8>, KeepError>;
    /// Forgets what is under a digest; nothing happens where there is nothing.
    ///
    /// # Errors
    /// When it cannot be removed.
    async fn remove(&self, digest: Digest) -> Result<(), KeepError>;
}

/// Files under a folder: `ab/abcdef….gz`.
#[derive(Clone, Debug)]
pub struct Files {
    root: PathBuf,
}

impl Files {
    /// Keeps in `<data>/evidence`; the folder is made when it is first needed.
    #[must_use]
    pub fn under(data: &Path) -> Self {
        Self { root: data.join("evidence") }
    }

    /// Where what is under a digest lies.
    #[must_use]
    pub fn path(&self, digest: Digest) -> PathBuf {
        let name = digest.to_string();
        self.root.join(&name[..2]).join(format!("{name}.gz"))
    }

    fn write(&self, bytes: &[u8]) -> Result<Digest, KeepError> {
        let digest = Digest::of(bytes);
        let path = self.path(digest);
        if path.exists() {
            return Ok(digest);
        }
        let folder = self.root.join(&digest.to_string()[..2]);
        std::fs::create_dir_all(&folder)?;
        // A name of its own, so that two writers of the same bytes do not meet.
        let draft = folder.join(format!("{}.part", uuid::Uuid::now_v7()));
        let written = compress_into(&draft, bytes).and_then(|()| std::fs::rename(&draft, &path));
        if let Err(reason) = written {
            let _ = std::fs::remove_file(&draft);
            return Err(reason.into());
        }
        // The name must survive a power cut as the bytes do.
        std::fs::File::open(&folder)?.sync_all()?;
        std::fs::File::open(&self.root)?.sync_all()?;
        Ok(digest)
    }

    fn read(&self, digest: Digest) -> Result<Vec<u8>, KeepError> {
        let file = match std::fs::File::open(self.path(digest)) {
            Ok(file) => file,
            Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => {
                return Err(KeepError::Missing(digest));
            }
            Err(reason) => return Err(reason.into()),
        };
        let mut bytes = Vec::new();
        GzDecoder::new(file).take(LARGEST).read_to_end(&mut bytes).map_err(|_| KeepError::Damaged(digest))?;
        if Digest::of(&bytes) == digest { Ok(bytes) } else { Err(KeepError::Damaged(digest)) }
    }
}

fn compress_into(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let file = std::fs::File::create_new(path)?;
    let mut encoder = GzEncoder::new(file, Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()?.sync_all()
}

#[async_trait]
impl Keep for Files {
    async fn put(&self, bytes: Vec<u8>) -> Result<Digest, KeepError> {
        let files = self.clone();
        on_a_thread(move || files.write(&bytes)).await
    }

    async fn get(&self, digest: Digest) -> Result<Vec<u8>, KeepError> {
        let files = self.clone();
        on_a_thread(move || files.read(digest)).await
    }

    async fn remove(&self, digest: Digest) -> Result<(), KeepError> {
        let path = self.path(digest);
        on_a_thread(move || match std::fs::remove_file(path) {
            Err(reason) if reason.kind() != std::io::ErrorKind::NotFound => Err(reason.into()),
            _ => Ok(()),
        })
        .await
    }
}

/// Disk work away from the threads that serve everything else.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, KeepError> + Send + 'static,
) -> Result<T, KeepError> {
    tokio::task::spawn_blocking(work).await.map_err(|reason| KeepError::Io(std::io::Error::other(reason)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_put_comes_back_and_the_same_bytes_are_kept_once() {
        let data = tempfile::tempdir().expect("a folder");
        let files = Files::under(data.path());
        let bytes = "the same ".repeat(1000).into_bytes();
        let digest = files.put(bytes.clone()).await.expect("kept");
        assert_eq!(files.put(bytes.clone()).await.expect("kept"), digest);
        assert_eq!(files.get(digest).await.expect("there"), bytes);
        assert!(std::fs::metadata(files.path(digest)).expect("a file").len() < 200, "it is compressed");
        let folder = files.path(digest).parent().expect("a folder").to_owned();
        assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), 1, "no draft is left");
    }

    #[tokio::test]
    async fn a_missing_and_a_damaged_file_are_told_apart() {
        let data = tempfile::tempdir().expect("a folder");
        let files = Files::under(data.path());
        let digest = files.put(b"some evidence".to_vec()).await.expect("kept");
        std::fs::write(files.path(digest), b"something else").expect("written");
        assert!(matches!(files.get(digest).await, Err(KeepError::Damaged(_))));
        files.remove(digest).await.expect("removed");
        files.remove(digest).await.expect("nothing to remove");
        assert!(matches!(files.get(digest).await, Err(KeepError::Missing(_))));
    }

    #[test]
    fn a_digest_reads_as_it_is_written() {
        let digest = Digest::of(b"");
        assert_eq!(digest.to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
        assert!("e3".parse::<Digest>().is_err());
    }
}
