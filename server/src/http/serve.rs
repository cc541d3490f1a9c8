//! The connections: so many at once and no more, each with a limit on how long a request may take to
//! come, so that senders who dawdle cannot keep the others out.

use std::{convert::Infallible, io, sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;

/// Connections at once. Those beyond wait in the system's queue until one ends.
const CONNECTIONS: usize = 1_024;
/// How long the head of the next request may take to come; a connection that is idle so long is closed.
const HEAD: Duration = Duration::from_secs(30);
/// Pause after the system refused to accept, as it does when it has run out of files.
const PAUSE: Duration = Duration::from_millis(200);

/// Serves a router until told to stop; then accepts no more, and returns when the requests that are being
/// answered are.
///
/// # Errors
/// When the listener is of no use any more.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) -> io::Result<()> {
    serve_within(listener, router, stop, HEAD).await
}

async fn serve_within(
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
    head: Duration,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let connections = TaskTracker::new();
    while let Some(accepted) = stop.run_until_cancelled(accept(&listener, &places)).await {
        let (stream, place) = accepted?;
        let (router, stop) = (router.clone(), stop.clone());
        connections.spawn(async move {
            attend(stream, router, stop, head).await;
            drop(place);
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return Ok((stream, place)),
            // Gone before it was accepted: the other side's affair.
            Err(error) if is_theirs(&error) => {}
            Err(error) if error.raw_os_error().is_some() => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
}

fn is_theirs(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// One connection to its end.
async fn attend(stream: TcpStream, router: Router, stop: CancellationToken, head: Duration) {
    // Events are small and shall not wait for more.
    let _slower = stream.set_nodelay(true);
    let answer = service_fn(move |request: hyper::Request<Incoming>| {
        let request: Request = request.map(Body::new);
        let answer = router.clone().oneshot(request);
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended badly");
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        sync::Notify,
        task::JoinHandle,
    };

    use super::*;

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: box\r\n\r\n";

    async fn started(
        router: Router,
        stop: &CancellationToken,
        head: Duration,
    ) -> (TcpStream, JoinHandle<io::Result<()>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let serving = tokio::spawn(serve_within(listener, router, stop.clone(), head));
        (TcpStream::connect(address).await.expect("a connection"), serving)
    }

    #[tokio::test]
    async fn a_sender_who_dawdles_over_the_head_is_cut_off() {
        let router = Router::new().route("/", get(|| async { "well" }));
        let stop = CancellationToken::new();
        let (mut stream, serving) = started(router, &stop, Duration::from_millis(50)).await;
        stream.write_all(&REQUEST[..10]).await.expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("closed");
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        stop.cancel();
        serving.await.expect("joined").expect("served");
    }

    #[tokio::test]
    async fn what_is_being_answered_is_answered_to_its_end_and_then_no_more() {
        let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (begin, wait) = (begun.clone(), go_on.clone());
        let slow = get(move || async move {
            begin.notify_one();
            wait.notified().await;
            "done"
        });
        let stop = CancellationToken::new();
        let (mut stream, serving) = started(Router::new().route("/", slow), &stop, HEAD).await;
        stream.write_all(REQUEST).await.expect("sent");
        begun.notified().await;
        stop.cancel();
        go_on.notify_one();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("answered, then closed");
        assert!(answer.ends_with(b"done"), "{}", String::from_utf8_lossy(&answer));
        serving.await.expect("joined").expect("served");
    }

    #[tokio::test]
    async fn an_idle_connection_does_not_hold_up_the_end() {
        let router = Router::new().route("/", get(|| async { "well" }));
        let stop = CancellationToken::new();
        let (mut stream, serving) = started(router, &stop, HEAD).await;
        stream.write_all(REQUEST).await.expect("sent");
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.expect("answered");
        assert_eq!(&answer, b"HTTP/1.1 200");
        stop.cancel();
        serving.await.expect("joined").expect("served");
    }
}
