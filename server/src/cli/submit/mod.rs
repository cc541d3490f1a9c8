//! `submit`: sends recordings to a running server, and follows them to their ends.
//!
//! - here: from file, parameters and rows to tasks;
//! - `client`: the calls of the API;
//! - `csv`: the rows;
//! - `watch`: following.

mod client;
mod csv;
mod watch;

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use app::model::task::Task;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Done, Failure, args::Submission, note, say};
use client::{Client, Refused};

/// How long the server is asked to wait for room in its queue, before it refuses.
const WAIT_S: u64 = 60;

/// One task to submit, or submitted.
struct Row {
    /// The line of the CSV file it comes from; none without one.
    line: Option<usize>,
    parameters: BTreeMap<String, String>,
}

impl Row {
    /// A fault with the line that it is about.
    fn named(&self, why: impl std::fmt::Display) -> String {
        match self.line {
            Some(line) => format!("line {line}: {why}"),
            None => why.to_string(),
        }
    }
}

pub(super) fn run(submission: &Submission) -> Done {
    let recording = recording(&submission.file)?;
    let given: BTreeMap<String, String> = submission.params.iter().cloned().collect();
    let rows = match &submission.csv {
        None => vec![Row { line: None, parameters: given }],
        Some(file) => rows(file, &given)?,
    };
    let client = Client::new(&submission.server, &submission.token)?;
    let many = submission.csv.is_some();
    // A key for each row makes it safe to send one again when its answer was lost.
    let run = Uuid::now_v7();
    let mut sent = Vec::with_capacity(rows.len());
    for (at, row) in rows.into_iter().enumerate() {
        let task = send(&client, &recording, &row, many.then(|| format!("submit-{run}-{at}")))
            .map_err(|why| Failure::failed(stopped(&row, why, sent.len(), many)))?;
        if !submission.watch {
            say(task.id)?;
        }
        sent.push((row, task.id));
    }
    if many {
        note(format_args!("{} tasks submitted", sent.len()));
    }
    if submission.watch { watch::run(&client, sent) } else { Ok(()) }
}

fn stopped(row: &Row, why: String, before: usize, many: bool) -> String {
    let words = row.named(why);
    if many { format!("{words}\n{before} tasks were submitted before it") } else { words }
}

fn recording(file: &Path) -> Result<Value, Failure> {
    let text =
        fs::read(file).map_err(|why| Failure::failed(format!("cannot read {}: {why}", file.display())))?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    serde_json::from_slice(text)
        .map_err(|why| Failure::failed(format!("{} is not JSON: {why}", file.display())))
}

/// The rows of a CSV file, all read before the first is sent; a row's value stands above a given one.
fn rows(file: &Path, given: &BTreeMap<String, String>) -> Result<Vec<Row>, Failure> {
    let text =
        fs::read(file).map_err(|why| Failure::failed(format!("cannot read {}: {why}", file.display())))?;
    let table = csv::read(&text).map_err(|fault| Failure::failed(format!("{}, {fault}", file.display())))?;
    let rows = table.rows.into_iter().map(|(line, values)| {
        let mut parameters = given.clone();
        parameters.extend(table.header.iter().cloned().zip(values));
        Row { line: Some(line), parameters }
    });
    Ok(rows.collect())
}

/// Submits one task; waits where the queue is full, for as long as it takes.
fn send(client: &Client, recording: &Value, row: &Row, key: Option<String>) -> Result<Task, String> {
    let mut body = json!({ "flow": recording, "parameters": row.parameters, "wait_s": WAIT_S });
    if let Some(key) = key {
        body["key"] = Value::String(key);
    }
    let mut failures = 0;
    loop {
        match client.post::<Task>("/api/v1/tasks", &body) {
            Ok(task) => return Ok(task),
            Err(Refused::Busy { detail, retry_after }) => {
                note(format_args!("{detail}; trying again in {} s", retry_after.as_secs()));
                std::thread::sleep(retry_after);
            }
            // Without a key, sending again could make a second task.
            Err(Refused::Unreachable(_)) if body.get("key").is_some() && failures < 5 => {
                failures += 1;
                std::thread::sleep(Duration::from_secs(failures));
            }
            Err(other) => return Err(other.to_string()),
        }
    }
}
