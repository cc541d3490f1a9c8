//! Steps that wait for something.

use app::model::fault::{Fault, FaultClass};
use app::model::flow::{Action, Comparison};
use app::model::message::Message;
use serde::Deserialize;
use serde_json::{Value, json};

use super::find::{Missed, Tried};
use super::frame::CallError;
use super::run::Attempt;
use super::stop::Stop;

/// What the script sees of the awaited elements.
#[derive(Debug, Deserialize)]
struct Seen {
    served: Option<usize>,
    tries: Vec<Tried>,
    all: u32,
    visible: u32,
    differs: Option<String>,
}

impl Attempt {
    /// Waits until elements are there in the number and state wanted.
    pub async fn wait_for_element(&self, action: &Action) -> Result<(), Stop> {
        let Action::WaitForElement { selectors, comparison, count, visible, properties, attributes } = action
        else {
            return Ok(());
        };
        let want = json!({"properties": properties, "attributes": attributes});
        let deadline = self.deadline();
        let mut missed = Missed::default();
        let mut last: Option<Seen> = None;
        let mut look = 0;
        loop {
            self.check()?;
            match self.place() {
                Err(fault) => missed.place = Some(fault),
                Ok(frame) => {
                    missed.place = None;
                    match self.world().call::<Seen>(&frame, deadline, "look", json!([selectors, want])).await
                    {
                        Ok(seen) => {
                            missed.tries.clone_from(&seen.tries);
                            if holds(&seen, *comparison, *count, *visible) {
                                self.served(selectors, seen.served.unwrap_or(0), &seen.tries);
                                return Ok(());
                            }
                            last = Some(seen);
                        }
                        Err(CallError::Gone) => {}
                        Err(other) => return Err(self.failed_call(other)),
                    }
                }
            }
            self.tried(selectors, &missed.tries);
            if self.clock().now() >= deadline {
                let plain = *comparison == Comparison::AtLeast && *count == 1 && *visible != Some(false);
                return Err(match last {
                    Some(seen) if missed.place.is_none() && (seen.all > 0 || !plain) => {
                        self.not_awaited(&seen, *comparison, *count, *visible).into()
                    }
                    _ => self.not_found(selectors, missed).await,
                });
            }
            self.pause(Self::between(look), deadline).await;
            look += 1;
        }
    }

    fn not_awaited(&self, seen: &Seen, comparison: Comparison, count: u32, visible: Option<bool>) -> Fault {
        let ms = self.step_ms();
        let found = if visible.is_some() { seen.visible } else { seen.all };
        let counted = visible != Some(false) && compares(found, comparison, count);
        let what = match (&seen.differs, visible) {
            (Some(differs), _) if counted => {
                Message::new("timeout.property").with("ms", ms).with("what", differs)
            }
            (_, Some(true)) if compares(seen.all, comparison, count) && !counted => {
                Message::new("timeout.property").with("ms", ms).with("what", "it is not visible")
            }
            (_, Some(false)) => {
                Message::new("timeout.property").with("ms", ms).with("what", "it is still visible")
            }
            _ => {
                let how = match comparison {
                    Comparison::AtLeast => "at least",
                    Comparison::Exactly => "exactly",
                    Comparison::AtMost => "at most",
                };
                Message::new("timeout.count")
                    .with("ms", ms)
                    .with("wanted", format!("{how} {count}"))
                    .with("found", found)
            }
        };
        Fault::new(FaultClass::Timeout, what)
    }

    /// Waits until an expression of the page is true.
    pub async fn wait_for_expression(&self, expression: &str) -> Result<(), Stop> {
        let deadline = self.deadline();
        let wrapped = truth_of(expression);
        let mut why = None;
        let mut look = 0;
        loop {
            self.check()?;
            if let Ok(frame) = self.place() {
                match self.world().evaluate(&frame, deadline, &wrapped).await {
                    Ok(Value::Bool(true)) => return Ok(()),
                    Ok(_) => why = None,
                    Err(CallError::Threw(text)) => why = Some(text),
                    Err(CallError::Gone) => {}
                    // An expression that waits itself is slow, and no fault of Chrome's.
                    Err(CallError::Slow(_)) => {}
                    Err(other) => return Err(self.failed_call(other)),
                }
            }
            if self.clock().now() >= deadline {
                self.place()?;
                let what = match why {
                    Some(why) => {
                        Message::new("timeout.expression_threw").with("ms", self.step_ms()).with("why", why)
                    }
                    None => Message::new("timeout.expression").with("ms", self.step_ms()),
                };
                return Err(Fault::new(FaultClass::Timeout, what).into());
            }
            self.pause(Self::between(look), deadline).await;
            look += 1;
        }
    }
}

fn compares(found: u32, comparison: Comparison, count: u32) -> bool {
    match comparison {
        Comparison::AtLeast => found >= count,
        Comparison::Exactly => found == count,
        Comparison::AtMost => found <= count,
    }
}

/// Whether what is seen is what is waited for. Wanted hidden: the number is not visible.
fn holds(seen: &Seen, comparison: Comparison, count: u32, visible: Option<bool>) -> bool {
    match visible {
        Some(false) => !compares(seen.visible, comparison, count),
        Some(true) => compares(seen.visible, comparison, count) && seen.differs.is_none(),
        None => compares(seen.all, comparison, count) && seen.differs.is_none(),
    }
}

/// An expression whose value is the truth of the given one; a function's is that of what it returns.
fn truth_of(expression: &str) -> String {
    let bare = expression.trim().trim_end_matches(';');
    format!(
        "(async () => {{ let value = await (\n{bare}\n); if (typeof value === 'function') value = await value(); \
         return Boolean(value); }})()"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(all: u32, visible: u32) -> Seen {
        Seen { served: None, tries: Vec::new(), all, visible, differs: None }
    }

    #[test]
    fn counts_compare_as_the_step_says() {
        assert!(holds(&seen(2, 0), Comparison::AtLeast, 1, None));
        assert!(!holds(&seen(2, 0), Comparison::AtLeast, 1, Some(true)));
        assert!(holds(&seen(2, 2), Comparison::Exactly, 2, Some(true)));
        assert!(holds(&seen(0, 0), Comparison::Exactly, 0, None));
        assert!(!holds(&seen(3, 3), Comparison::AtMost, 2, None));
    }

    #[test]
    fn hidden_is_wanted_where_visible_is_false() {
        assert!(holds(&seen(1, 0), Comparison::AtLeast, 1, Some(false)));
        assert!(holds(&seen(0, 0), Comparison::AtLeast, 1, Some(false)));
        assert!(!holds(&seen(1, 1), Comparison::AtLeast, 1, Some(false)));
    }
}
