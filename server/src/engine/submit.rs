//! From a submission to a row: every fault named by its place, every default taken.

use std::collections::BTreeMap;

use app::model::{
    Timestamp,
    flow::{Environment, Flow, ParameterSpec, params, parse, slug::slug},
    problem::{AppError, FieldError},
    task::{FlowInput, Lane, NewTask},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::SqlitePool;
use url::Url;
use uuid::Uuid;

use super::errors::{internal, store};
use crate::{
    config::{QueueSettings, Settings, SiteBy},
    gate,
    queue::{is_private, order},
    store::{
        flows::{self, FlowRow, NewVersion},
        tasks::NewRow,
    },
};

/// Longest name, key, domain or account, in characters.
const LONGEST_TEXT: usize = 200;
/// Longest value of a parameter, in bytes.
const LONGEST_VALUE: usize = 65_536;
/// Most attempts that a task may ask for.
const MOST_ATTEMPTS: u32 = 100;
/// Longest time that an attempt may ask for: a day.
const LONGEST_TIMEOUT_S: u64 = 86_400;
/// Longest that a submission may wait for room.
const LONGEST_WAIT_S: u64 = 60;

/// A flow version that a task is to run: one that is kept, or one to keep with the task.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Kept already.
    Kept {
        /// Its slug.
        name: String,
        /// Its version.
        version: u32,
    },
    /// To be kept with the task.
    New(Box<NewVersion>),
}

/// A submission that is ready to be stored.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub source: Source,
    pub row: NewRow,
    pub wait_s: u64,
}

/// The flow of a submission, read.
struct Resolved {
    source: Source,
    title: String,
    content_hash: String,
    recording: Value,
    specs: BTreeMap<String, ParameterSpec>,
}

/// Checks a submission.
///
/// # Errors
/// Bad input with every place.
pub(super) async fn prepare(
    read: &SqlitePool,
    settings: &Settings,
    new: NewTask,
    retry_of: Option<Uuid>,
    now: Timestamp,
) -> Result<Ready, AppError> {
    let mut faults = options(&new);
    let resolved = match resolve(read, settings.gate.site, &new.flow, now).await {
        Ok(resolved) => resolved,
        Err(AppError::BadInput { errors }) => {
            faults.extend(errors);
            return Err(AppError::BadInput { errors: faults });
        }
        Err(other) => return Err(other),
    };
    let given: BTreeMap<String, String> =
        new.parameters.into_iter().map(|(name, value)| (name, value.into_text())).collect();
    let values = values(&resolved, given, &mut faults);
    let domain = domain(&resolved, &values, new.domain.as_deref(), settings.gate.site, &mut faults);
    if !faults.is_empty() {
        return Err(AppError::BadInput { errors: faults });
    }
    let queue = &settings.queue;
    let priority = new.priority.unwrap_or(5);
    let attempts = new.attempts.unwrap_or(queue.attempts);
    let timeout_s = new.timeout_s.unwrap_or(queue.timeout_s);
    let name = new.name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| resolved.title.clone());
    let body = json!({
        "flow": resolved.content_hash, "parameters": values, "name": name, "lane": "main", "priority": priority,
        "domain": domain, "account": new.account, "not_before": new.not_before, "deadline": new.deadline,
        "attempts": attempts, "timeout_s": timeout_s,
    });
    let (flow_name, flow_version) = match &resolved.source {
        Source::Kept { name, version } => (name.clone(), *version),
        Source::New(version) => (version.name.clone(), 0),
    };
    let row = NewRow {
        id: Uuid::now_v7(),
        words: words(&name, new.key.as_deref(), &values, &resolved.specs, &settings.evidence.mask),
        name,
        flow_name,
        flow_version,
        parameters: serde_json::to_string(&values).map_err(internal)?,
        lane: Lane::Main.as_str(),
        priority,
        domain: domain.unwrap_or_default(),
        account: new.account,
        key: new.key,
        body_hash: hash(&body),
        order_key: key(queue, new.not_before, now, priority),
        run_at: new.not_before.filter(|at| *at > now).unwrap_or(now),
        not_before: new.not_before,
        deadline: new.deadline,
        max_attempts: attempts,
        timeout_s,
        retry_of,
        now,
    };
    Ok(Ready { source: resolved.source, row, wait_s: new.wait_s.unwrap_or(0) })
}

/// A task that comes for later enters its lane when its time comes.
fn key(queue: &QueueSettings, not_before: Option<Timestamp>, now: Timestamp, priority: u8) -> i64 {
    order::key(not_before.filter(|at| *at > now).unwrap_or(now), priority, queue.age_step_s)
}

/// The faults of what is said beside flow and parameters.
fn options(new: &NewTask) -> Vec<FieldError> {
    let mut faults = Vec::new();
    let mut add = |place: &str, message: String| faults.push(FieldError::new(place, message));
    if let Some(lane) = new.lane.filter(|lane| *lane != Lane::Main) {
        add("/lane", format!("the lane {} is the server's own: leave it out, or say main", lane.as_str()));
    }
    if new.priority.is_some_and(|priority| priority > 9) {
        add("/priority", "must be from 0 (first) to 9".to_owned());
    }
    if new.attempts.is_some_and(|attempts| attempts == 0 || attempts > MOST_ATTEMPTS) {
        add("/attempts", format!("must be from 1 to {MOST_ATTEMPTS}"));
    }
    if new.timeout_s.is_some_and(|timeout| timeout == 0 || timeout > LONGEST_TIMEOUT_S) {
        add("/timeout_s", format!("must be from 1 to {LONGEST_TIMEOUT_S} seconds"));
    }
    if new.wait_s.is_some_and(|wait| wait > LONGEST_WAIT_S) {
        add("/wait_s", format!("must be from 0 to {LONGEST_WAIT_S} seconds"));
    }
    for (place, text) in [("/name", &new.name), ("/key", &new.key), ("/account", &new.account)] {
        if text.as_ref().is_some_and(|text| text.chars().count() > LONGEST_TEXT) {
            add(place, format!("must be at most {LONGEST_TEXT} characters"));
        }
    }
    for (place, text) in [("/key", &new.key), ("/account", &new.account)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            add(place, "is empty: leave it out instead".to_owned());
        }
    }
    if let (Some(start), Some(end)) = (new.not_before, new.deadline)
        && end <= start
    {
        add("/deadline", "must be after not_before".to_owned());
    }
    faults
}

async fn resolve(
    read: &SqlitePool,
    by: SiteBy,
    input: &FlowInput,
    now: Timestamp,
) -> Result<Resolved, AppError> {
    match input {
        FlowInput::Name(name) => {
            let row = named(read, name).await?.ok_or_else(|| {
                AppError::bad_input(
                    "/flow",
                    format!("there is no saved flow '{name}': save it first, or send a recording"),
                )
            })?;
            let environment = row.environment().map_err(store)?;
            let specs = row.parameters().map_err(store)?;
            let recording = row.recording().map_err(store)?;
            Ok(Resolved {
                content_hash: content_hash(&recording, &specs, &environment),
                source: Source::Kept { name: row.name, version: row.version as u32 },
                title: row.title,
                recording,
                specs,
            })
        }
        FlowInput::Recording(recording) => {
            let flow = parse::flow(recording).map_err(under_flow)?;
            let version =
                new_version(recording, &flow, None, BTreeMap::new(), Environment::default(), false, by, now)?;
            Ok(Resolved {
                title: flow.title,
                content_hash: version.content_hash.clone(),
                source: Source::New(Box::new(version)),
                recording: recording.clone(),
                specs: BTreeMap::new(),
            })
        }
    }
}

/// The flow that a name means: `name@version`, or the newest listed version of `name`.
pub(super) async fn named(read: &SqlitePool, name: &str) -> Result<Option<FlowRow>, AppError> {
    if let Some((name, version)) = name.rsplit_once('@') {
        let Ok(version) = version.parse::<i64>() else { return Ok(None) };
        return flows::version_of(read, name, version).await.map_err(store);
    }
    let Some((Some(listed), _)) = flows::newest(read, name).await.map_err(store)? else { return Ok(None) };
    flows::version_of(read, name, listed).await.map_err(store)
}

/// A flow version to keep.
#[expect(clippy::too_many_arguments, reason = "the parts of a version, each from another place")]
pub(super) fn new_version(
    recording: &Value,
    flow: &Flow,
    name: Option<&str>,
    mut parameters: BTreeMap<String, ParameterSpec>,
    environment: Environment,
    listed: bool,
    by: SiteBy,
    now: Timestamp,
) -> Result<NewVersion, AppError> {
    // A parameter of which nothing is said is one all the same, and is to be asked for.
    for name in params::names(recording) {
        parameters.entry(name).or_default();
    }
    Ok(NewVersion {
        name: slug(name.unwrap_or(&flow.title)),
        title: flow.title.clone(),
        listed,
        content_hash: content_hash(recording, &parameters, &environment),
        recording: serde_json::to_string(recording).map_err(internal)?,
        domain: site_of(flow, by),
        parameters,
        environment,
        now,
    })
}

/// The site of a flow's first navigate step, where it is not left to a parameter.
fn site_of(flow: &Flow, by: SiteBy) -> Option<String> {
    gate::site_key(&Url::parse(flow.first_address()?).ok()?, by)
}

/// Faults of a recording, under the place where the body has it.
pub(super) fn under_flow(errors: Vec<FieldError>) -> AppError {
    AppError::BadInput {
        errors: errors
            .into_iter()
            .map(|fault| FieldError::new(format!("/flow{}", fault.pointer), fault.message))
            .collect(),
    }
}

/// The values of every parameter, the defaults taken; faults for what is missing, unknown or wrong.
fn values(
    resolved: &Resolved,
    mut given: BTreeMap<String, String>,
    faults: &mut Vec<FieldError>,
) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for name in params::names(&resolved.recording) {
        let spec = resolved.specs.get(&name);
        let place = format!("/parameters/{name}");
        let value = given.remove(&name).or_else(|| spec.and_then(|spec| spec.default.clone()));
        let Some(value) = value else {
            faults.push(FieldError::new(place, format!("the flow needs a value for its parameter {name}")));
            continue;
        };
        if value.len() > LONGEST_VALUE {
            faults.push(FieldError::new(&place, format!("must be at most {LONGEST_VALUE} bytes")));
        }
        if let Some(pattern) = spec.and_then(|spec| spec.pattern.as_deref())
            && !matches_whole(pattern, &value)
        {
            faults.push(FieldError::new(&place, format!("must match {pattern}")));
        }
        values.insert(name, value);
    }
    for name in given.keys() {
        faults.push(FieldError::new(
            format!("/parameters/{name}"),
            format!("the flow has no parameter {name}"),
        ));
    }
    values
}

/// A pattern that is no regular expression was refused when the flow was saved.
fn matches_whole(pattern: &str, value: &str) -> bool {
    regex::Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|pattern| pattern.is_match(value))
}

/// The site whose gate the task waits on. Checks the flow once more with its values, because an address
/// may come from a parameter.
fn domain(
    resolved: &Resolved,
    values: &BTreeMap<String, String>,
    given: Option<&str>,
    by: SiteBy,
    faults: &mut Vec<FieldError>,
) -> Option<String> {
    let flow = match parse::flow(&params::fill(&resolved.recording, values)) {
        Ok(flow) => flow,
        Err(errors) => {
            let errors = errors.into_iter();
            faults.extend(
                errors.map(|fault| FieldError::new(format!("/flow{}", fault.pointer), fault.message)),
            );
            return None;
        }
    };
    if let Some(given) = given {
        return match gate::canonical_domain(given, by) {
            Ok(domain) => Some(domain),
            Err(why) => {
                faults.push(FieldError::new("/domain", why));
                None
            }
        };
    }
    let address = flow.first_address()?;
    // An address that still has an open parameter has been named as a missing one.
    if address.contains("{{") {
        return None;
    }
    match Url::parse(address) {
        Ok(url) => gate::site_key(&url, by),
        Err(why) => {
            let step = flow.steps.iter().position(|step| step.action.type_name() == "navigate").unwrap_or(0);
            faults.push(FieldError::new(
                format!("/flow/steps/{step}/url"),
                format!("'{address}' is no address: {why}"),
            ));
            None
        }
    }
}

/// Words for the search: nothing private.
fn words(
    name: &str,
    key: Option<&str>,
    values: &BTreeMap<String, String>,
    specs: &BTreeMap<String, ParameterSpec>,
    mask: &[String],
) -> String {
    let open = values.iter().filter(|(name, _)| !is_private(name, specs, mask));
    let mut words = vec![name, key.unwrap_or_default()];
    words.extend(open.map(|(_, value)| value.as_str()));
    words.join(" ")
}

/// Hash of what makes two flow versions the same.
fn content_hash(
    recording: &Value,
    specs: &BTreeMap<String, ParameterSpec>,
    environment: &Environment,
) -> String {
    hash(&json!({"recording": recording, "parameters": specs, "environment": environment}))
}

/// SHA-256 of a value's canonical JSON (keys sorted), in hexadecimal.
fn hash(value: &Value) -> String {
    Sha256::digest(value.to_string().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
