//! One request to the proxy: CONNECT becomes a tunnel, `http://…` is sent on with its body streaming, and
//! what may not be reached or cannot be is answered in plain words.
//!
//! The site sees the request as the browser made it, header case included; that a proxy stands between is
//! not told to it (no `Via`), because it is part of the browser's own machine.
//!
//! Each request has a connection of its own to the site. A kept one may be closed by the site in the very
//! moment of its use; the request would then have to fail, or be repeated without a token of the gate.

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::{
    Method, Request, Response, StatusCode, Uri, Version,
    body::Incoming,
    client::conn::http1,
    header::{self, HeaderValue},
    http::uri::PathAndQuery,
    upgrade::OnUpgrade,
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, copy_bidirectional_with_sizes},
    net::TcpStream,
    sync::OwnedSemaphorePermit,
};

use super::{headers, port::Shared, target::Target, verdict::Verdict};

/// What a tunnel reads at once in each direction.
const TUNNEL_BUFFER: usize = 32 * 1_024;

/// Headers of an answer that are read; hyper's own bound of 100 is less than some sites send.
const MOST_HEADERS: usize = 512;

type Body = Either<Incoming, Full<Bytes>>;

/// Answers one request. The permit is the connection's place among those that the port may hold; a tunnel
/// keeps it.
pub async fn serve(
    port: Arc<Shared>,
    place: Arc<OwnedSemaphorePermit>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let outcome = if request.method() == Method::CONNECT {
        connect(&port, place, request).await
    } else {
        forward(&port, place, request).await
    };
    Ok(outcome.unwrap_or_else(|fault| fault.answer()))
}

/// Why a request was not sent on.
enum Fault {
    /// It is no request to a proxy.
    Malformed,
    /// Its scheme is not for jobs.
    Scheme(String),
    /// Its target was judged or tried.
    Unreached(Target, Verdict),
}

impl Fault {
    fn answer(self) -> Response<Body> {
        // The error names are those of RFC 9209.
        let (status, error, sentence) = match self {
            Self::Malformed => {
                let sentence =
                    "This is a proxy: it takes CONNECT host:port and http://host/ requests.".to_owned();
                (StatusCode::BAD_REQUEST, "http_request_error", sentence)
            }
            Self::Scheme(scheme) => {
                let sentence = format!("The scheme {scheme} is not allowed: only http and https are.");
                (StatusCode::FORBIDDEN, "http_request_denied", sentence)
            }
            Self::Unreached(target, Verdict::Refused { why }) => {
                let sentence = format!("{target} is not allowed: {why}.");
                (StatusCode::FORBIDDEN, "destination_ip_prohibited", sentence)
            }
            Self::Unreached(target, Verdict::DnsFailed) => {
                let sentence = format!("The name {} cannot be found.", target.host);
                (StatusCode::BAD_GATEWAY, "dns_error", sentence)
            }
            Self::Unreached(target, Verdict::ConnectTimeout) => {
                let sentence = format!("{target} did not answer in time.");
                (StatusCode::GATEWAY_TIMEOUT, "connection_timeout", sentence)
            }
            Self::Unreached(target, Verdict::ConnectFailed { why }) => {
                let sentence = format!("{target} could not be reached: {why}.");
                (StatusCode::BAD_GATEWAY, "connection_terminated", sentence)
            }
            Self::Unreached(target, Verdict::Allowed) => {
                let sentence = format!("{target} did not answer.");
                (StatusCode::BAD_GATEWAY, "connection_terminated", sentence)
            }
        };
        let mut response = Response::new(Either::Right(Full::from(format!("{sentence}\n"))));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Ok(value) = HeaderValue::from_str(&format!("signalbox; error={error}")) {
            headers.insert("proxy-status", value);
        }
        response
    }
}

async fn connect(
    port: &Arc<Shared>,
    place: Arc<OwnedSemaphorePermit>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Fault> {
    let target = Target::of_connect(request.uri()).ok_or(Fault::Malformed)?;
    let upstream = reach(port, target).await?;
    let client = hyper::upgrade::on(request);
    port.spawn(async move {
        if let Ok(client) = client.await {
            tunnel(TokioIo::new(client), upstream).await;
        }
        drop(place);
    });
    Ok(Response::new(Either::Right(Full::default())))
}

async fn forward(
    port: &Arc<Shared>,
    place: Arc<OwnedSemaphorePermit>,
    mut request: Request<Incoming>,
) -> Result<Response<Body>, Fault> {
    match request.uri().scheme_str() {
        Some("http") => {}
        Some(other) => return Err(Fault::Scheme(other.to_owned())),
        None => return Err(Fault::Malformed),
    }
    let target = Target::of_http(request.uri()).ok_or(Fault::Malformed)?;
    let upstream = reach(port, target.clone()).await?;
    let client = hyper::upgrade::on(&mut request);
    let wanted = to_origin(&mut request);

    let hung_up = |error: hyper::Error| {
        let why = format!("it hung up without an answer ({error})");
        let verdict = Verdict::ConnectFailed { why };
        port.record(&target, verdict.clone());
        Fault::Unreached(target.clone(), verdict)
    };
    let (mut sender, connection) = http1::Builder::new()
        .preserve_header_case(true)
        .max_headers(MOST_HEADERS)
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .handshake(TokioIo::new(upstream))
        .await
        .map_err(hung_up)?;
    // The connection ends with its one answer, with the browser's interest in it, or with the port.
    port.spawn(async move {
        let _ = connection.with_upgrades().await;
    });
    let mut response = sender.send_request(request).await.map_err(hung_up)?;

    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let granted = headers::upgrade(response.headers()).filter(|_| wanted.is_some());
        let Some(protocol) = granted else { return Err(Fault::Unreached(target, Verdict::Allowed)) };
        let origin = hyper::upgrade::on(&mut response);
        port.spawn(async move {
            join(client, origin).await;
            drop(place);
        });
        headers::strip(response.headers_mut());
        headers::set_upgrade(response.headers_mut(), protocol);
        return Ok(response.map(|_| Either::Right(Full::default())));
    }
    headers::strip(response.headers_mut());
    *response.version_mut() = Version::HTTP_11;
    Ok(response.map(Either::Left))
}

async fn reach(port: &Shared, target: Target) -> Result<TcpStream, Fault> {
    port.reach(&target).await.map_err(|verdict| Fault::Unreached(target, verdict))
}

/// Makes a request to a proxy one to the site itself; the protocol that it asks to change to, if it does.
fn to_origin(request: &mut Request<Incoming>) -> Option<HeaderValue> {
    let wanted = headers::upgrade(request.headers());
    headers::strip(request.headers_mut());
    if let Some(protocol) = &wanted {
        headers::set_upgrade(request.headers_mut(), protocol.clone());
    }
    // The address decides where a request goes; a Host header that says otherwise would mislead the site.
    if let Some(host) = request.uri().authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
    let path = request.uri().path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    *request.uri_mut() = Uri::from(path);
    *request.version_mut() = Version::HTTP_11;
    wanted
}

async fn join(client: OnUpgrade, origin: OnUpgrade) {
    if let (Ok(client), Ok(origin)) = tokio::join!(client, origin) {
        tunnel(TokioIo::new(client), TokioIo::new(origin)).await;
    }
}

/// Copies both ways until both sides are done or one breaks off; how it ended is the two ends' own matter.
async fn tunnel(
    mut client: impl AsyncRead + AsyncWrite + Unpin,
    mut origin: impl AsyncRead + AsyncWrite + Unpin,
) {
    let _ = copy_bidirectional_with_sizes(&mut client, &mut origin, TUNNEL_BUFFER, TUNNEL_BUFFER).await;
}
