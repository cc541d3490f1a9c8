use app::model::{
    caller::CallerKind,
    order::CloseOrder,
    pool::PoolPatch,
    task::{NewTask, TaskState},
};
use proptest::prelude::*;

use super::*;

fn refused<T: DeserializeOwned>(body: &str) -> (u16, Vec<String>) {
    let Err(refusal) = parse::<T>(body.as_bytes()) else { panic!("must be refused: {body}") };
    (refusal.problem.status, refusal.problem.errors.into_iter().map(|fault| fault.pointer).collect())
}

#[test]
fn a_body_that_is_no_json_is_400() {
    for body in ["{", "nonsense", "{\"flow\": \"a\"} {}", "[1,]", "\u{0}"] {
        assert_eq!(refused::<NewTask>(body), (400, vec![]), "{body}");
    }
    assert!(parse::<NewTask>(b"\xff\xfe").is_err_and(|refusal| refusal.problem.status == 400));
    let deep = format!("{{\"flow\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(refused::<NewTask>(&deep).0, 400);
}

#[test]
fn faults_in_a_body_name_their_place() {
    for (body, place) in [
        ("{}", "/flow"),
        ("{\"flow\": \"a\", \"colour\": 1}", "/colour"),
        ("{\"flow\": \"a\", \"a~/b\": 1}", "/a~0~1b"),
        ("{\"flow\": \"a\", \"priority\": \"high\"}", "/priority"),
        ("{\"flow\": \"a\", \"priority\": 300}", "/priority"),
        ("{\"flow\": \"a\", \"lane\": \"fast\"}", "/lane"),
        ("{\"flow\": \"a\", \"not_before\": \"soon\"}", "/not_before"),
        ("{\"flow\": \"a\", \"parameters\": {\"q\": [1]}}", "/parameters/q"),
        ("{\"flow\": \"a\", \"flow\": \"b\"}", "/flow"),
        ("[]", ""),
    ] {
        assert_eq!(refused::<NewTask>(body), (422, vec![place.to_owned()]), "{body}");
    }
    assert_eq!(refused::<PoolPatch>("{\"drain\": [\"c1\", 2]}"), (422, vec!["/drain/1".to_owned()]));
}

#[test]
fn what_an_unknown_field_is_called_is_in_the_words() {
    let Err(refusal) = parse::<PoolPatch>(b"{\"slot\": 1}") else { panic!("must be refused") };
    let fault = &refusal.problem.errors[0];
    assert!(fault.message.contains("slot") && fault.message.contains("slots"), "{fault}");
    assert!(!fault.message.contains("line"), "{fault}");
}

#[test]
fn a_query_is_read_by_name_and_every_fault_is_told() {
    let mut params = Params::of("state=queued&limit=20&after=abc&q=&topics=a,b");
    assert_eq!(params.parsed::<TaskState>("state"), Some(TaskState::Queued));
    assert_eq!(params.page(), PageQuery { limit: Some(20), after: Some("abc".to_owned()) });
    assert_eq!(params.text("q"), None, "empty is as good as not given");
    assert!(params.list::<TaskState>("topics").is_empty());
    let Err(refusal) = params.done() else { panic!("must be refused") };
    assert_eq!(refusal.problem.errors.len(), 2, "{:?}", refusal.problem.errors);

    let mut params = Params::of("limit=0&task=7&task=8&statee=queued");
    params.page();
    params.id("task");
    let Err(refusal) = params.done() else { panic!("must be refused") };
    let mut places: Vec<_> = refusal.problem.errors.iter().map(|fault| fault.pointer.as_str()).collect();
    places.sort_unstable();
    assert_eq!(places, ["limit", "statee", "task", "task"]);
}

#[test]
fn who_may_not_call_is_told_that_before_what_is_wrong_with_the_input() {
    let caller =
        Caller { id: Uuid::nil(), name: "v".to_owned(), role: Role::Viewer, kind: CallerKind::Token };
    let fault = || parse::<NewTask>(b"{}");
    assert_eq!(checked(fault(), &caller, Role::Operator).map_err(|r| r.problem.status), Err(403));
    assert_eq!(checked(fault(), &caller, Role::Viewer).map_err(|r| r.problem.status), Err(422));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_with_400_or_422(body in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Err(refusal) = parse::<NewTask>(&body) {
            prop_assert!(matches!(refusal.problem.status, 400 | 422));
        }
    }

    #[test]
    fn any_query_is_read_or_refused(query in ".{0,64}") {
        let mut params = Params::of(&query);
        params.page();
        if let Err(refusal) = params.done() {
            prop_assert_eq!(refusal.problem.status, 422);
        }
    }
}

#[test]
fn a_value_of_the_wrong_kind_is_an_input_at_fault_and_not_broken_json() {
    let of = |body: &str| match parse::<CloseOrder>(body.as_bytes()) {
        Err(refusal) => {
            (refusal.problem.status, refusal.problem.errors.first().map(|fault| fault.pointer.clone()))
        }
        Ok(close) => panic!("{close:?}"),
    };
    let token = "\"claim_token\": \"0190a000-0000-7000-8000-000000000000\"";
    let other = "\"conclusion\": {\"kind\": \"other\"}";
    assert_eq!(of(&format!("{{{token}, {other}, \"tasks\": 5}}")), (422, Some("/tasks".to_owned())));
    assert_eq!(
        of(&format!("{{{token}, \"conclusion\": {{\"kind\": null}}}}")),
        (422, Some("/conclusion/kind".to_owned()))
    );
    assert_eq!(of(&format!("{{{token}, {other}, \"tasks\": 5")).0, 400, "it is cut off");
}
