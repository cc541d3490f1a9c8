//! The thread that starts Chrome.
//!
//! The kernel sends the parent-death signal when the *thread* that forked ends, so every Chrome is forked by one
//! thread that lives as long as the pool: neither a runtime worker that retires nor anything else ends it early.

use std::io;
use std::sync::mpsc;
use std::thread;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// A program to start, and where to say what came of it.
struct Order {
    command: Command,
    done: oneshot::Sender<io::Result<Child>>,
}

/// The thread's address. The thread, and every process it started, ends when this is dropped.
#[derive(Debug)]
pub(super) struct Spawner {
    orders: mpsc::Sender<Order>,
}

impl Spawner {
    /// Starts the thread. To be called within a runtime, which will see the children end.
    pub(super) fn start() -> io::Result<Self> {
        let (orders, inbox) = mpsc::channel::<Order>();
        let runtime = Handle::current();
        thread::Builder::new().name("chrome-spawner".to_owned()).spawn(move || {
            let _runtime = runtime.enter();
            while let Ok(Order { mut command, done }) = inbox.recv() {
                // Whoever asked may be gone; the child is killed on drop then.
                let _ = done.send(command.spawn());
            }
        })?;
        Ok(Self { orders })
    }

    /// Starts a program as the leader of a process group of its own; it is killed when it is dropped, and when
    /// this process ends.
    pub(super) async fn spawn(&self, mut command: Command) -> io::Result<Child> {
        command.kill_on_drop(true).process_group(0);
        die_with_parent(&mut command);
        let (done, answer) = oneshot::channel();
        let gone = || io::Error::other("the thread that starts Chrome has ended");
        self.orders.send(Order { command, done }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

fn die_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    let arm = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // Had the parent died before the signal was armed, it would never come.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    };
    // SAFETY: between fork and exec only two system calls are made; nothing is allocated and no lock is
    // taken.
    #[expect(unsafe_code, reason = "the parent-death signal can only be armed in the child itself")]
    unsafe {
        command.pre_exec(arm);
    }
}
