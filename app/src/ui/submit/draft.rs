//! The submit form as it was typed: the task that it asks for, and a shelf that keeps what was refused, so
//! that nothing typed is lost.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::quick::{self, What};
use crate::{
    model::{
        Timestamp,
        problem::{AppError, FieldError},
        task::{FlowInput, NewTask, ParameterValue},
    },
    ui::{clock::server_now, note::Shelf},
};

/// The ways to submit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A recording.
    Recording,
    /// A quick check of an address.
    Quick,
    /// A flow that is kept.
    Flow,
}

impl Way {
    /// All, as the page offers them.
    pub const ALL: [Way; 3] = [Self::Recording, Self::Quick, Self::Flow];

    /// Its name in the address.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Quick => "quick",
            Self::Flow => "flow",
        }
    }

    /// The way that a name asks for; by default a recording.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::ALL.into_iter().find(|way| way.as_str() == text).unwrap_or(Self::Recording)
    }
}

/// What the form holds, all as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// Which way: `recording`, `quick` or `flow`.
    pub way: String,
    /// The recording's JSON.
    pub recording: String,
    /// The name of a kept flow.
    pub flow: String,
    /// The address of a quick check.
    pub address: String,
    /// What to do there.
    pub what: String,
    /// Which element to extract.
    pub selector: String,
    /// `on` where every match is extracted.
    pub all: String,
    /// The task's name.
    pub name: String,
    /// 0 to 9.
    pub priority: String,
    /// Date and time in the zone of `zone_min`.
    pub not_before: String,
    /// Date and time in the zone of `zone_min`.
    pub deadline: String,
    /// Minutes that the zone of the two times is ahead of UTC.
    pub zone_min: String,
    /// Attempts it may spend.
    pub attempts: String,
    /// Longest time of one attempt, in seconds.
    pub timeout_s: String,
    /// The submitter's own key.
    pub key: String,
    /// Values of parameters, one field each.
    pub p: BTreeMap<String, String>,
    /// Values of parameters, one line each: `name=value`.
    pub more: String,
}

/// A recording from its text.
///
/// # Errors
/// Bad input where it is not JSON, saying where it stops being that.
pub fn recording(text: &str) -> Result<Value, AppError> {
    let text = text.trim().trim_start_matches('\u{feff}');
    if text.is_empty() {
        return Err(AppError::bad_input(
            "/flow",
            "is empty: paste or drop one that Chrome DevTools exported as JSON",
        ));
    }
    serde_json::from_str(text).map_err(|error| AppError::bad_input("/flow", format!("is not JSON: {error}")))
}

impl Draft {
    /// Which way it goes.
    #[must_use]
    pub fn way(&self) -> Way {
        Way::of(&self.way)
    }

    /// The task that it asks for.
    ///
    /// # Errors
    /// Every field that cannot be read.
    pub fn task(&self) -> Result<NewTask, Vec<FieldError>> {
        let mut errors = Vec::new();
        let flow = match self.way() {
            Way::Recording => {
                recording(&self.recording).map(FlowInput::Recording).map_err(|error| match error {
                    AppError::BadInput { errors } => errors,
                    other => vec![FieldError::new("/flow", other.to_string())],
                })
            }
            Way::Quick => {
                quick::recording(&self.address, What::of(&self.what), &self.selector, !self.all.is_empty())
                    .map(FlowInput::Recording)
            }
            Way::Flow => Ok(FlowInput::Name(self.flow.trim().to_owned())),
        };
        let flow = flow.unwrap_or_else(|found| {
            errors.extend(found);
            FlowInput::Name(String::new())
        });
        let mut task = NewTask {
            parameters: self.parameters(&mut errors),
            name: given(&self.name),
            key: given(&self.key),
            priority: number(&self.priority, "/priority", &mut errors),
            attempts: number(&self.attempts, "/attempts", &mut errors),
            timeout_s: number(&self.timeout_s, "/timeout_s", &mut errors),
            ..NewTask::of(flow)
        };
        task.not_before = self.moment(&self.not_before, "/not_before", &mut errors);
        task.deadline = self.moment(&self.deadline, "/deadline", &mut errors);
        if errors.is_empty() { Ok(task) } else { Err(errors) }
    }

    fn parameters(&self, errors: &mut Vec<FieldError>) -> BTreeMap<String, ParameterValue> {
        let mut values = BTreeMap::new();
        for line in self.more.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match line.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    values.insert(name.trim().to_owned(), ParameterValue::Text(value.to_owned()));
                }
                _ => errors
                    .push(FieldError::new("/parameters", format!("'{line}' is not of the form name=value"))),
            }
        }
        for (name, value) in self.p.iter().filter(|(_, value)| !value.is_empty()) {
            values.insert(name.clone(), ParameterValue::Text(value.clone()));
        }
        values
    }

    fn moment(&self, text: &str, pointer: &str, errors: &mut Vec<FieldError>) -> Option<Timestamp> {
        let text = given(text)?;
        // A browser's field leaves the seconds out where they are zero.
        let whole =
            if text.len() == "2026-11-30T09:15".len() { format!("{text}:00Z") } else { format!("{text}Z") };
        match Timestamp::parse(&whole).or_else(|_| Timestamp::parse(&text)) {
            Ok(at) => Some(at.plus_ms(-self.zone_min.trim().parse().unwrap_or(0) * 60_000)),
            Err(why) => {
                errors.push(FieldError::new(pointer, why));
                None
            }
        }
    }
}

fn given(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn number<T: std::str::FromStr>(text: &str, pointer: &str, errors: &mut Vec<FieldError>) -> Option<T> {
    let text = given(text)?;
    let value = text.parse().ok();
    if value.is_none() {
        errors.push(FieldError::new(pointer, format!("'{text}' is not a whole number in its range")));
    }
    value
}

/// A draft that was refused, with why; or one that was only to be read.
pub type Refused = (Draft, Option<AppError>);

static DRAFTS: Mutex<Shelf<Refused>> = Mutex::new(Shelf::new());

/// Keeps what was typed for the page that shows it again.
#[must_use]
pub fn keep(owner: Uuid, draft: Draft, why: Option<AppError>) -> Uuid {
    let id = Uuid::now_v7();
    let bytes =
        1_000 + draft.recording.len() + draft.more.len() + draft.p.values().map(String::len).sum::<usize>();
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner).put(id, owner, server_now(), bytes, (draft, why));
    id
}

/// What an address says was kept, for the one who typed it.
#[must_use]
pub fn kept(id: &str, owner: Uuid) -> Option<Refused> {
    let id = id.parse().ok()?;
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner).get(id, owner, server_now())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> Draft {
        Draft {
            way: "recording".to_owned(),
            recording: r#"{"title":"A","steps":[]}"#.to_owned(),
            ..Draft::default()
        }
    }

    #[test]
    fn fields_that_are_left_empty_are_left_to_the_server() {
        let task = draft().task().expect("a task");
        assert_eq!(task, NewTask::of(FlowInput::Recording(serde_json::json!({"title": "A", "steps": []}))));
    }

    #[test]
    fn times_are_read_in_the_zone_of_the_form() {
        let typed = Draft {
            not_before: "2026-11-30T10:00".to_owned(),
            deadline: "2026-11-30T11:00:30".to_owned(),
            zone_min: "60".to_owned(),
            ..draft()
        };
        let task = typed.task().expect("a task");
        assert_eq!(task.not_before, Timestamp::parse("2026-11-30T09:00:00Z").ok());
        assert_eq!(task.deadline, Timestamp::parse("2026-11-30T10:00:30Z").ok());
    }

    #[test]
    fn lines_and_fields_give_parameters_and_the_fields_win() {
        let typed = Draft {
            more: "query=lamp\r\n\r\n note = a=b \n".to_owned(),
            p: BTreeMap::from([
                ("query".to_owned(), "shade".to_owned()),
                ("empty".to_owned(), String::new()),
            ]),
            ..draft()
        };
        let task = typed.task().expect("a task");
        assert_eq!(task.parameters.len(), 2);
        assert_eq!(task.parameters["query"], "shade".into());
        assert_eq!(task.parameters["note"], " a=b".into());
    }

    #[test]
    fn every_field_that_cannot_be_read_is_named_at_once() {
        let typed = Draft {
            recording: "{".to_owned(),
            priority: "high".to_owned(),
            deadline: "tomorrow".to_owned(),
            more: "nothing".to_owned(),
            ..draft()
        };
        let places: Vec<String> =
            typed.task().expect_err("faults").into_iter().map(|error| error.pointer).collect();
        assert_eq!(places, ["/flow", "/parameters", "/priority", "/deadline"]);
    }

    #[test]
    fn a_byte_order_mark_is_no_fault() {
        assert!(recording("\u{feff}{}").is_ok());
        assert!(recording(" \n").is_err());
    }

    #[test]
    fn a_kept_draft_comes_back_whole_to_its_owner_only() {
        let (me, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let id = keep(me, draft(), None).to_string();
        assert_eq!(kept(&id, me), Some((draft(), None)));
        assert_eq!(kept(&id, other), None);
        assert_eq!(kept("junk", me), None);
    }
}
