//! A running Chrome as leases and the pool see it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::chrome::Chrome;
use super::error::Lost;
use crate::cdp::Connection;

/// How long after its connection the end of a process is waited for, so that a loss gets its true reason.
const REASON_WITHIN: Duration = Duration::from_millis(500);

/// One running Chrome. Its process is held by the task that watches over it.
#[derive(Debug)]
pub(super) struct Instance {
    pub id: String,
    pub connection: Connection,
    /// The process group, for measuring.
    pub group: i32,
    /// The DevTools port's address.
    pub address: Option<SocketAddr>,
    /// Contexts that are open in it.
    pub contexts: AtomicU32,
    lost: watch::Sender<Option<Lost>>,
    end: CancellationToken,
}

impl Instance {
    pub(super) fn new(id: String, connection: Connection, chrome: &Chrome) -> Self {
        let lost = watch::Sender::new(None);
        let (group, address) = (chrome.group(), chrome.address());
        Self {
            id,
            connection,
            group,
            address,
            contexts: AtomicU32::new(0),
            lost,
            end: CancellationToken::new(),
        }
    }

    /// Asks for a polite end.
    pub(super) fn end(&self) {
        self.end.cancel();
    }

    /// Declares it lost; the first reason stands.
    pub(super) fn lose(&self, why: &str) {
        self.lost.send_if_modified(|lost| {
            let first = lost.is_none();
            lost.get_or_insert_with(|| self.loss(why));
            first
        });
    }

    /// Why it was lost, when it was.
    pub(super) fn is_lost(&self) -> Option<Lost> {
        self.lost.borrow().clone()
    }

    /// Resolves, with the reason, when it is lost.
    pub(super) async fn lost(&self) -> Lost {
        let mut lost = self.lost.subscribe();
        // The sender lives as long as `self`, so the wait ends with a reason.
        match lost.wait_for(Option::is_some).await.map(|lost| lost.clone()) {
            Ok(Some(lost)) => lost,
            _ => self.loss("was forgotten"),
        }
    }

    fn loss(&self, why: &str) -> Lost {
        Lost {
            instance: self.id.clone(),
            why: why.to_owned(),
            contexts: self.contexts.load(Ordering::Relaxed),
        }
    }

    /// Watches over its Chrome to the end; returns whether it was lost, then clears everything away.
    pub(super) async fn watch(&self, chrome: &mut Chrome) -> Option<Lost> {
        tokio::select! {
            biased;
            () = self.end.cancelled() => return None,
            why = chrome.exited() => self.lose(&why),
            reason = self.connection.closed() => {
                let exited = tokio::time::timeout(REASON_WITHIN, chrome.exited()).await;
                self.lose(&exited.unwrap_or_else(|_| reason.to_string()));
            }
            _ = self.lost() => {}
        }
        self.is_lost()
    }
}
