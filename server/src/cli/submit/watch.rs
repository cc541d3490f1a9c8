//! Following tasks to their ends.

use std::time::{Duration, Instant};

use app::model::task::{Task, TaskState};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    Row,
    client::{Client, Refused},
};
use crate::cli::{Done, Failure, note, say};

/// Pause between two looks at everything that is followed.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a server may be away before following it is given up: it may be starting anew.
const AWAY: Duration = Duration::from_secs(60);

/// Follows until nothing moves by itself any more: a task has ended, or waits for a person.
pub(super) fn run(client: &Client, mut following: Vec<(Row, Uuid)>) -> Done {
    let total = following.len();
    let (mut bad, mut last_answer) = (0, Instant::now());
    let mut told = String::new();
    loop {
        let mut still = Vec::with_capacity(following.len());
        for (row, id) in following {
            match client.get::<Task>(&format!("/api/v1/tasks/{id}")) {
                Ok(task) => {
                    last_answer = Instant::now();
                    if is_over(task.state) {
                        bad += u32::from(task.state != TaskState::Succeeded);
                        report(&row, &task)?;
                        continue;
                    }
                    if total == 1 {
                        progress(&task, &mut told);
                    }
                }
                Err(Refused::Busy { retry_after, .. }) => std::thread::sleep(retry_after),
                Err(Refused::Unreachable(_)) if last_answer.elapsed() < AWAY => {}
                Err(refused) => return Err(Failure::failed(row.named(refused))),
            }
            still.push((row, id));
        }
        if still.is_empty() {
            break;
        }
        following = still;
        std::thread::sleep(PAUSE);
    }
    match bad {
        0 => Ok(()),
        _ if total == 1 => Err(Failure::failed("the task did not succeed")),
        _ => Err(Failure::failed(format!("{bad} of {total} tasks did not succeed"))),
    }
}

fn is_over(state: TaskState) -> bool {
    state.is_end() || matches!(state, TaskState::Escalated | TaskState::Quarantined)
}

/// What became of a task: its result alone, or for one of many rows a line that says whose it is.
fn report(row: &Row, task: &Task) -> Done {
    let fault = task.fault.as_ref().map(|fault| fault.message());
    if task.state != TaskState::Succeeded {
        let waits = if task.state.is_end() { "" } else { ", which waits for a person" };
        let why = fault.as_deref().map(|fault| format!(": {fault}")).unwrap_or_default();
        note(row.named(format_args!("task {} is {}{waits}{why}", task.id, task.state.as_str())));
    }
    match row.line {
        None if task.state == TaskState::Succeeded => {
            let result = task.result.clone().unwrap_or_else(|| json!({}));
            say(serde_json::to_string_pretty(&result).map_err(Failure::failed)?)
        }
        None => Ok(()),
        Some(line) => {
            let mut of_row = json!({ "line": line, "task": task.id, "state": task.state });
            if let Some(result) = &task.result {
                of_row["result"] = result.clone();
            }
            if let Some(fault) = fault {
                of_row["fault"] = Value::String(fault);
            }
            say(of_row)
        }
    }
}

/// Says how a task is getting on, where that has changed.
fn progress(task: &Task, told: &mut String) {
    let mut words = task.state.as_str().to_owned();
    if let Some(waiting) = &task.waiting_on {
        words.push_str(&format!(": {}", waiting.detail));
    }
    let running = task.attempts.iter().flatten().next_back().filter(|attempt| attempt.outcome.is_none());
    if let Some(attempt) = running {
        words.push_str(&format!(", attempt {}", attempt.number));
        if let Some(step) = attempt.at_step {
            words.push_str(&format!(", step {}", step + 1));
        }
    }
    if words != *told {
        note(&words);
        *told = words;
    }
}
