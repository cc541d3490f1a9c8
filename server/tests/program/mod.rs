//! The real program over a practice site, for tests that start and kill it.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port()
}

/// A small generator of numbers for choosing when to do harm: the same seed does the same.
pub struct Dice(u64);

impl Dice {
    /// With the seed of `PROVE_SEED`, or one that is printed.
    pub fn new() -> Self {
        let given = std::env::var("PROVE_SEED").ok().and_then(|text| text.parse().ok());
        let seed = given.unwrap_or_else(|| u64::from(std::process::id()) * 2_654_435_761);
        println!("seed: PROVE_SEED={seed}");
        Self(seed.max(1))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A running program; killed when dropped.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is reaped.
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}

/// A place for the program: its data, its address, a practice site that it may reach, and a token.
pub struct House {
    pub data: PathBuf,
    pub port: u16,
    pub site: String,
    token: String,
    pub environment: Vec<(String, String)>,
    _site: Running,
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_signalbox"))
}

fn made_token(data: &Path, name: &str, role: &str) -> String {
    let made = program()
        .args(["token", "create", "--name", name, "--role", role, "--data"])
        .arg(data)
        .output()
        .expect("the program runs");
    let token = String::from_utf8(made.stdout).expect("a token is text").trim().to_owned();
    assert!(!token.is_empty(), "{}", String::from_utf8_lossy(&made.stderr));
    token
}

impl House {
    pub fn new(folder: &Path, environment: &[(&str, &str)]) -> Self {
        let site = format!("127.0.0.1:{}", free_port());
        let child = program()
            .args(["practice-site", "--listen", &site])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the practice site starts");
        let data = folder.join("data");
        let token = made_token(&data, "prove", "operator");
        let mut all = vec![
            ("SIGNALBOX_EGRESS__ALLOW".to_owned(), site.clone()),
            ("LEPTOS_SITE_ROOT".to_owned(), folder.display().to_string()),
            ("SIGNALBOX_GATE__DOMAIN_PER_S".to_owned(), "1000".to_owned()),
            ("SIGNALBOX_GATE__DOMAIN_BURST".to_owned(), "1000".to_owned()),
            ("SIGNALBOX_GATE__GLOBAL_PER_S".to_owned(), "1000".to_owned()),
            ("SIGNALBOX_GATE__GLOBAL_BURST".to_owned(), "1000".to_owned()),
            ("SIGNALBOX_GATE__DOMAIN_CONCURRENCY".to_owned(), "100".to_owned()),
        ];
        all.extend(environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        Self { data, port: free_port(), site, token, environment: all, _site: Running(child) }
    }

    /// Starts the server and returns once it answers.
    pub fn serve(&self) -> Running {
        let mut child = program()
            .args(["serve", "--listen", &format!("127.0.0.1:{}", self.port), "--data"])
            .arg(&self.data)
            .envs(self.environment.iter().cloned())
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe"));
        let running = Running(child);
        assert!(
            lines.lines().map_while(Result::ok).any(|line| line.starts_with("Signalbox is at")),
            "it says where"
        );
        running
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        let sent = ureq::post(self.url(path)).header("Authorization", self.bearer()).send_json(body);
        sent.expect("accepted").body_mut().read_json().expect("JSON")
    }

    /// Another token, of a role.
    pub fn token(&self, name: &str, role: &str) -> String {
        made_token(&self.data, name, role)
    }

    /// The status and the body of an answer, whatever it is.
    pub fn try_post(&self, token: &str, path: &str, body: &Value) -> (u16, Value) {
        let mut answer = ureq::post(self.url(path))
            .config()
            .http_status_as_error(false)
            .build()
            .header("Authorization", format!("Bearer {token}"))
            .send_json(body)
            .expect("answered");
        (answer.status().as_u16(), answer.body_mut().read_json().expect("JSON"))
    }

    pub fn get(&self, path: &str) -> Value {
        let sent = ureq::get(self.url(path)).header("Authorization", self.bearer()).call();
        sent.expect("answered").body_mut().read_json().expect("JSON")
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// How many tasks are in these states, by the overview.
    pub fn count(&self, states: &[&str]) -> u64 {
        let overview = self.get("/api/v1/overview");
        states.iter().map(|state| overview["tasks"][state].as_u64().expect("a count")).sum()
    }

    /// Asks until so many tasks are in these states, for at most a time.
    pub fn until(&self, states: &[&str], wanted: u64, limit: Duration) {
        let began = Instant::now();
        while self.count(states) < wanted {
            assert!(began.elapsed() < limit, "{}", self.get("/api/v1/overview"));
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Every task of the list.
    pub fn tasks(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut after = String::new();
        loop {
            let page = self.get(&format!("/api/v1/tasks?limit=500{after}"));
            all.extend(page["items"].as_array().expect("items").iter().cloned());
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => return all,
            }
        }
    }

    /// Processes that have the data folder in their command line: the server's Chromes.
    pub fn chromes(&self) -> usize {
        let needle = self.data.display().to_string();
        let folders = std::fs::read_dir("/proc").expect("a proc folder").flatten();
        folders
            .filter(|entry| {
                let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                line.contains(&needle) && line.contains("--user-data-dir")
            })
            .count()
    }

    /// Profiles that lie in the data folder.
    pub fn profiles(&self) -> usize {
        std::fs::read_dir(self.data.join("chrome")).map_or(0, |entries| entries.count())
    }
}
