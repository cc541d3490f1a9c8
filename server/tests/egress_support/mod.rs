//! An origin and a client for the proxy's tests: hand-written HTTP, so that every byte is seen.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use server::{
    config::EgressSettings,
    egress::{Egress, Policy, RefusedPorts},
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// A policy with these entries allowed.
pub fn policy(allow: &[&str], ports: &RefusedPorts) -> Policy {
    let allow = allow.iter().map(|entry| (*entry).to_owned()).collect();
    Policy::new(&EgressSettings { allow, ..EgressSettings::default() }, ports.clone()).expect("good entries")
}

/// A proxy with these entries allowed.
pub fn proxy(allow: &[&str]) -> Egress {
    Egress::start(policy(allow, &RefusedPorts::default()))
}

/// A site on loopback that counts who connects to it.
pub struct Origin {
    pub addr: SocketAddr,
    connections: Arc<AtomicUsize>,
    open: watch::Sender<usize>,
}

impl Origin {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let connections = Arc::new(AtomicUsize::new(0));
        let open = watch::Sender::new(0);
        let (counted, opened) = (Arc::clone(&connections), open.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, SeqCst);
                opened.send_modify(|open| *open += 1);
                let opened = opened.clone();
                tokio::spawn(async move {
                    // However a conversation ends, it is over.
                    let _ = converse(BufReader::new(stream)).await;
                    opened.send_modify(|open| *open -= 1);
                });
            }
        });
        Self { addr, connections, open }
    }

    /// How many have connected so far.
    #[allow(dead_code, reason = "not every test binary counts")]
    pub fn connections(&self) -> usize {
        self.connections.load(SeqCst)
    }

    /// Ends when nobody is connected.
    #[allow(dead_code, reason = "not every test binary waits for it")]
    pub async fn idle(&self) {
        self.open.subscribe().wait_for(|open| *open == 0).await.expect("the origin lives");
    }
}

async fn read_head(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(head)
}

async fn read_chunk(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut size = String::new();
    stream.read_line(&mut size).await?;
    let size = usize::from_str_radix(size.trim(), 16).map_err(std::io::Error::other)?;
    let mut part = vec![0; size + 2];
    stream.read_exact(&mut part).await?;
    part.truncate(size);
    String::from_utf8(part).map_err(std::io::Error::other)
}

async fn converse(mut stream: BufReader<TcpStream>) -> std::io::Result<()> {
    loop {
        let head = read_head(&mut stream).await?;
        let path = head.split(' ').nth(1).unwrap_or("/");
        match path {
            "/redirect" => {
                let answer = "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0\r\n\r\n";
                stream.write_all(answer.as_bytes()).await?;
            }
            "/hang-up" => return Ok(()),
            "/large" => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8000000\r\n\r\n").await?;
                stream.write_all(&vec![b'x'; 8_000_000]).await?;
            }
            "/socket" => {
                stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n").await?;
                let mut byte = [0];
                while stream.read(&mut byte).await? == 1 {
                    stream.write_all(&byte).await?;
                }
                return Ok(());
            }
            "/reflect" => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await?;
                loop {
                    let part = read_chunk(&mut stream).await?;
                    stream.write_all(format!("{:x}\r\n{part}\r\n", part.len()).as_bytes()).await?;
                }
            }
            _ => {
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nX-Origin: here\r\nConnection: X-Origin-Hop\r\nX-Origin-Hop: 1\r\n\
                     Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{head}",
                    head.len()
                );
                stream.write_all(answer.as_bytes()).await?;
            }
        }
    }
}

/// A browser's connection to the proxy, by hand.
#[allow(dead_code, reason = "not every test binary speaks by hand")]
pub struct Client(BufReader<TcpStream>);

#[allow(dead_code, reason = "not every test binary speaks by hand")]
impl Client {
    pub async fn connect(addr: SocketAddr) -> Self {
        Self(BufReader::new(TcpStream::connect(addr).await.expect("the proxy listens")))
    }

    pub async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.expect("written");
    }

    pub async fn head(&mut self) -> String {
        read_head(&mut self.0).await.expect("an answer")
    }

    pub async fn chunk(&mut self) -> String {
        read_chunk(&mut self.0).await.expect("a chunk")
    }

    pub async fn exactly(&mut self, bytes: usize) -> String {
        let mut read = vec![0; bytes];
        self.0.read_exact(&mut read).await.expect("as many bytes");
        String::from_utf8(read).expect("text")
    }

    /// A request and its answer: head and body.
    pub async fn ask(&mut self, request: &str) -> (String, String) {
        self.send(request).await;
        let head = self.head().await;
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let body = self.exactly(length.unwrap_or(0)).await;
        (head, body)
    }

    /// Asks for a tunnel; the answer's head.
    pub async fn tunnel(&mut self, target: &str) -> String {
        self.send(&format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n")).await;
        self.head().await
    }

    /// Ends when the other side has closed.
    pub async fn ended(&mut self) {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).await.ok();
    }
}
