//! The filtering proxy against a real origin over real sockets.

mod egress_support;

use std::{net::SocketAddr, time::Duration};

use egress_support::{Client, Origin, policy, proxy};
use server::egress::{Egress, Limits, RefusedPorts, Verdict};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

const SOON: Duration = Duration::from_secs(5);

fn refusal(verdict: Option<Verdict>) -> String {
    match verdict {
        Some(Verdict::Refused { why }) => why,
        other => panic!("not refused but {other:?}"),
    }
}

#[tokio::test]
async fn an_allowed_origin_is_reached_by_plain_http_as_the_browser_asked() {
    let origin = Origin::start().await;
    let egress = proxy(&[&origin.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    let (head, body) = client
        .ask(&format!(
            "GET http://{}/echo?x=1 HTTP/1.1\r\nHost: other.example\r\nProxy-Connection: keep-alive\r\n\
             Connection: X-Hop\r\nX-Hop: 1\r\nX-Kept: Yes\r\nAccept-Encoding: br\r\n\r\n",
            origin.addr
        ))
        .await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("X-Origin: here") && !head.contains("X-Origin-Hop"), "{head}");
    assert!(body.starts_with("GET /echo?x=1 HTTP/1.1\r\n"), "{body}");
    assert!(
        body.contains(&format!("Host: {}\r\n", origin.addr)) && body.contains("X-Kept: Yes\r\n"),
        "{body}"
    );
    for gone in ["X-Hop", "Proxy-Connection", "other.example", "Connection:"] {
        assert!(!body.contains(gone), "{gone} in {body}");
    }
    assert_eq!(port.verdict_for("127.0.0.1", origin.addr.port()), Some(Verdict::Allowed));

    // The same connection of the browser serves further requests.
    let (head, body) = client.ask(&format!("GET http://{}/again HTTP/1.1\r\n\r\n", origin.addr)).await;
    assert!(head.starts_with("HTTP/1.1 200") && body.starts_with("GET /again "), "{head}{body}");
}

#[tokio::test]
async fn an_allowed_origin_is_reached_through_a_tunnel() {
    let origin = Origin::start().await;
    let egress = proxy(&[&origin.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    let head = client.tunnel(&origin.addr.to_string()).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let (head, body) = client.ask("GET /inside HTTP/1.1\r\nHost: shop.example\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(body.starts_with("GET /inside HTTP/1.1\r\nHost: shop.example\r\n"), "{body}");
}

#[tokio::test]
async fn what_is_not_allowed_is_answered_403_and_never_connected_to() {
    let origin = Origin::start().await;
    let egress = proxy(&[]);
    let port = egress.open_port().await.expect("a port");
    let number = origin.addr.port();
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "localhost",
        "LOCALHOST.",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "0.0.0.0",
    ] {
        let mut client = Client::connect(port.addr()).await;
        let head = client.tunnel(&format!("{host}:{number}")).await;
        assert!(head.starts_with("HTTP/1.1 403"), "{host}: {head}");
        let mut client = Client::connect(port.addr()).await;
        let (head, body) = client.ask(&format!("GET http://{host}:{number}/ HTTP/1.1\r\n\r\n")).await;
        assert!(head.starts_with("HTTP/1.1 403") && head.contains("text/plain"), "{host}: {head}");
        assert!(body.contains("is not allowed: "), "{body}");
    }
    assert_eq!(origin.connections(), 0);
    assert!(refusal(port.verdict_for("127.0.0.1", number)).contains("a loopback address"));
    assert!(refusal(port.verdict_for("localhost", number)).contains("a loopback address"));
    assert_eq!(port.verdict_for("127.0.0.1", 1), None);
}

#[tokio::test]
async fn a_loopback_name_is_reached_where_it_is_allowed() {
    let origin = Origin::start().await;
    let number = origin.addr.port();
    let egress = proxy(&[&format!("localhost:{number}"), &format!("shop.localhost:{number}")]);
    let port = egress.open_port().await.expect("a port");
    for (host, status) in
        [("localhost", 200), ("shop.localhost", 200), ("other.localhost", 403), ("127.0.0.1", 403)]
    {
        let mut client = Client::connect(port.addr()).await;
        let (head, _) = client.ask(&format!("GET http://{host}:{number}/ HTTP/1.1\r\n\r\n")).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {head}");
    }
}

#[tokio::test]
async fn a_redirect_is_judged_again_where_it_leads() {
    let origin = Origin::start().await;
    let egress = proxy(&[&origin.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    let (head, _) = client.ask(&format!("GET http://{}/redirect HTTP/1.1\r\n\r\n", origin.addr)).await;
    let to = head.lines().find_map(|line| line.strip_prefix("Location: ")).expect("a redirect");
    let (head, _) = client.ask(&format!("GET {to} HTTP/1.1\r\n\r\n")).await;
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    assert!(refusal(port.verdict_for("169.254.169.254", 80)).contains("metadata"));
}

#[tokio::test]
async fn a_name_that_cannot_be_found_is_told_from_a_refusal() {
    let limits = Limits { resolve: Duration::from_secs(2), ..Limits::default() };
    let egress = Egress::with_limits(policy(&[], &RefusedPorts::default()), limits);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    let head = client.tunnel("nowhere.invalid:443").await;
    assert!(head.starts_with("HTTP/1.1 502") && head.contains("error=dns_error"), "{head}");
    assert_eq!(port.verdict_for("Nowhere.invalid.", 443), Some(Verdict::DnsFailed));
}

#[tokio::test]
async fn the_control_rooms_ports_are_refused_though_they_are_allowed() {
    let origin = Origin::start().await;
    let ports = RefusedPorts::default();
    let egress =
        Egress::start(policy(&["127.0.0.0/8", &format!("localhost:{}", origin.addr.port())], &ports));
    let port = egress.open_port().await.expect("a port");
    let neighbour = egress.open_port().await.expect("a port");
    // Ports that are opened while the proxy runs are known at once.
    ports.add(origin.addr.port());
    for target in [
        origin.addr.to_string(),
        format!("localhost:{}", origin.addr.port()),
        neighbour.addr().to_string(),
        port.addr().to_string(),
    ] {
        let mut client = Client::connect(port.addr()).await;
        let head = client.tunnel(&target).await;
        assert!(head.starts_with("HTTP/1.1 403"), "{target}: {head}");
    }
    assert_eq!(origin.connections(), 0);
    assert!(
        refusal(port.verdict_for("127.0.0.1", origin.addr.port())).contains("belongs to the control room")
    );
    let closed = neighbour.addr().port();
    drop(neighbour);
    assert!(!ports.contains(closed));
}

#[tokio::test]
async fn dropping_the_port_ends_its_tunnels_and_frees_its_address() {
    let origin = Origin::start().await;
    let egress = proxy(&[&origin.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");
    let addr = port.addr();
    let mut tunnel = Client::connect(addr).await;
    tunnel.tunnel(&origin.addr.to_string()).await;
    let mut idle = Client::connect(addr).await;
    idle.ask(&format!("GET http://{}/ HTTP/1.1\r\n\r\n", origin.addr)).await;
    drop(port);
    timeout(SOON, tunnel.ended()).await.expect("the tunnel ends");
    timeout(SOON, idle.ended()).await.expect("the connection ends");
    timeout(SOON, async {
        while TcpStream::connect(addr).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("nobody listens there any more");
    timeout(SOON, origin.idle()).await.expect("the origin's side ends, too");
}

#[tokio::test]
async fn bodies_stream_in_both_directions() {
    let origin = Origin::start().await;
    let egress = proxy(&[&origin.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    // The origin sends back each part of the body as it comes: a proxy that waits for all of it never ends.
    client
        .send(&format!("POST http://{}/reflect HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", origin.addr))
        .await;
    assert!(client.head().await.starts_with("HTTP/1.1 200"));
    for part in ["one", "three", "eleven"] {
        client.send(&format!("{:x}\r\n{part}\r\n", part.len())).await;
        assert_eq!(timeout(SOON, client.chunk()).await.expect("at once"), part);
    }
}

#[tokio::test]
async fn a_large_body_comes_through_whole() {
    let origin = Origin::start().await;
    let egress = proxy(&[&origin.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    let (head, body) = client.ask(&format!("GET http://{}/large HTTP/1.1\r\n\r\n", origin.addr)).await;
    assert!(head.to_ascii_lowercase().contains("content-length: 8000000"), "{head}");
    assert_eq!(body.len(), 8_000_000);
}

#[tokio::test]
async fn a_web_socket_over_plain_http_becomes_a_tunnel() {
    let origin = Origin::start().await;
    let egress = proxy(&[&origin.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    client
        .send(&format!(
            "GET http://{}/socket HTTP/1.1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n",
            origin.addr
        ))
        .await;
    let head = client.head().await.to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 101") && head.contains("upgrade: websocket"), "{head}");
    client.send("hello").await;
    assert_eq!(client.exactly(5).await, "hello");
}

#[tokio::test]
async fn an_origin_that_does_not_accept_or_hangs_up_is_told_apart() {
    let origin = Origin::start().await;
    let closed = TcpSocket::new_v4().expect("a socket");
    closed.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("an address");
    let closed = closed.local_addr().expect("an address");
    let egress = proxy(&[&origin.addr.to_string(), &closed.to_string()]);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    assert!(client.tunnel(&closed.to_string()).await.starts_with("HTTP/1.1 502"));
    let why = "connection refused".to_owned();
    assert_eq!(port.verdict_for("127.0.0.1", closed.port()), Some(Verdict::ConnectFailed { why }));

    let mut client = Client::connect(port.addr()).await;
    let (head, _) = client.ask(&format!("GET http://{}/hang-up HTTP/1.1\r\n\r\n", origin.addr)).await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let verdict = port.verdict_for("127.0.0.1", origin.addr.port());
    assert!(
        matches!(&verdict, Some(Verdict::ConnectFailed { why }) if why.contains("hung up")),
        "{verdict:?}"
    );
}

#[tokio::test]
async fn an_origin_that_does_not_answer_is_given_up_in_time() {
    // A listener whose queue is full lets further connections wait for ever.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("an address");
    let listener = socket.listen(1).expect("a listener");
    let addr = listener.local_addr().expect("an address");
    let mut filling = Vec::new();
    while let Ok(Ok(stream)) = timeout(Duration::from_millis(50), TcpStream::connect(addr)).await {
        filling.push(stream);
    }
    let limits = Limits { connect: Duration::from_millis(100), ..Limits::default() };
    let egress = Egress::with_limits(policy(&[&addr.to_string()], &RefusedPorts::default()), limits);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    let head = timeout(SOON, client.tunnel(&addr.to_string())).await.expect("in time");
    assert!(head.starts_with("HTTP/1.1 504"), "{head}");
    assert_eq!(port.verdict_for("127.0.0.1", addr.port()), Some(Verdict::ConnectTimeout));
}

#[tokio::test]
async fn connections_beyond_the_bound_wait_until_one_ends() {
    let origin = Origin::start().await;
    let limits = Limits { connections: 1, ..Limits::default() };
    let egress = Egress::with_limits(policy(&[&origin.addr.to_string()], &RefusedPorts::default()), limits);
    let port = egress.open_port().await.expect("a port");
    let mut first = Client::connect(port.addr()).await;
    first.tunnel(&origin.addr.to_string()).await;
    let mut second = Client::connect(port.addr()).await;
    second.send(&format!("GET http://{}/ HTTP/1.1\r\n\r\n", origin.addr)).await;
    assert!(
        timeout(Duration::from_millis(100), second.head()).await.is_err(),
        "the tunnel holds the one place"
    );
    drop(first);
    assert!(timeout(SOON, second.head()).await.expect("its turn").starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn what_is_no_request_to_a_proxy_is_refused_in_words() {
    let origin = Origin::start().await;
    let egress = proxy(&[&origin.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n".to_owned(), 400),
        (format!("GET http://me:secret@{}/ HTTP/1.1\r\n\r\n", origin.addr), 400),
        ("CONNECT shop.example HTTP/1.1\r\n\r\n".to_owned(), 400),
        ("CONNECT me@shop.example:443 HTTP/1.1\r\n\r\n".to_owned(), 400),
        (format!("GET https://{}/ HTTP/1.1\r\n\r\n", origin.addr), 403),
        (format!("GET ftp://{}/ HTTP/1.1\r\n\r\n", origin.addr), 403),
        ("GET file:///etc/passwd HTTP/1.1\r\n\r\n".to_owned(), 400),
    ] {
        let mut client = Client::connect(port.addr()).await;
        client.send(&request).await;
        let head = client.head().await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {head}");
    }
    assert_eq!(origin.connections(), 0);
}

#[tokio::test]
async fn a_new_policy_holds_for_the_next_request() {
    let origin = Origin::start().await;
    let egress = proxy(&[]);
    let port = egress.open_port().await.expect("a port");
    let mut client = Client::connect(port.addr()).await;
    let ask = format!("GET http://{}/ HTTP/1.1\r\n\r\n", origin.addr);
    assert!(client.ask(&ask).await.0.starts_with("HTTP/1.1 403"));
    egress.set_policy(policy(&[&origin.addr.to_string()], &RefusedPorts::default()));
    assert!(client.ask(&ask).await.0.starts_with("HTTP/1.1 200"));
    assert_eq!(port.verdicts().len(), 1, "the newest verdict on a target stands alone");
}

#[tokio::test]
async fn the_port_listens_on_loopback_only() {
    let port = proxy(&[]).open_port().await.expect("a port");
    assert!(port.addr().ip().is_loopback());
    let mut raw = TcpStream::connect(port.addr()).await.expect("it listens");
    raw.write_all(b"\x16\x03\x01 this is no HTTP\r\n\r\n").await.expect("written");
    let mut answer = Vec::new();
    timeout(SOON, raw.read_to_end(&mut answer)).await.expect("answered or closed").ok();
}
