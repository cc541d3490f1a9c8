//! `practice-site`: the web shop to practise on.

use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

use super::{Done, Failure, block_on, log, say};
use crate::practice;

pub(super) fn run(listen: &str) -> Done {
    log("info");
    block_on(async {
        let listener = TcpListener::bind(listen).await.map_err(|why| {
            Failure::failed(format!("cannot listen at {listen}: {why}; choose another one with --listen"))
        })?;
        let address = listener.local_addr().map_err(Failure::failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(Failure::failed)?;
        say(format_args!("the practice shop is at http://{address}/"))?;
        let told_to_stop = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        };
        practice::serve(listener, told_to_stop).await.map_err(Failure::failed)
    })
}
