//! Steps that read a page: extract, assertText, screenshot.

use std::time::Duration;

use app::model::fault::{Fault, FaultClass};
use app::model::flow::{Chain, ExtractSource, TextRule};
use app::model::message::Message;
use serde::Deserialize;
use serde_json::{Value, json};

use super::classify::cut;
use super::find::{Missed, Need, Tried};
use super::frame::CallError;
use super::job::Picture;
use super::run::Attempt;
use super::stop::Stop;
use crate::evidence::capture::{self, Area};

/// The most pictures that one attempt takes.
const PICTURES: usize = 20;

/// How long a picture may take beyond the step's time.
const PICTURE_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug, Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Taken {
    gone: bool,
    value: Value,
}

#[derive(Debug, Deserialize)]
struct TakenAll {
    served: Option<usize>,
    values: Vec<Value>,
    tries: Vec<Tried>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Checked {
    gone: bool,
    holds: bool,
    found: String,
    bad: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Boxed {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Attempt {
    /// Takes text, an attribute or a property into the result.
    pub async fn extract(
        &self,
        name: &str,
        chains: &[Chain],
        source: &ExtractSource,
        all: bool,
    ) -> Result<(), Stop> {
        let source = match source {
            ExtractSource::Text => json!({}),
            ExtractSource::Attribute(name) => json!({"attribute": name}),
            ExtractSource::Property(name) => json!({"property": name}),
        };
        let value =
            if all { self.take_all(chains, &source).await? } else { self.take_one(chains, &source).await? };
        self.ledger(|ledger| ledger.result.insert(name.to_owned(), value));
        Ok(())
    }

    async fn take_one(&self, chains: &[Chain], source: &Value) -> Result<Value, Stop> {
        let mut look = 0;
        loop {
            let found = self.find(chains, Need::Read, None).await?;
            match self.on_page::<Taken>(&found.frame, "takeFrom", json!([found.element, source])).await? {
                Some(taken) if !taken.gone => return Ok(taken.value),
                _ => self.again(&mut look).await?,
            }
        }
    }

    async fn take_all(&self, chains: &[Chain], source: &Value) -> Result<Value, Stop> {
        let deadline = self.deadline();
        let mut missed = Missed::default();
        let mut look = 0;
        loop {
            self.check()?;
            match self.place() {
                Err(fault) => missed.place = Some(fault),
                Ok(frame) => {
                    missed.place = None;
                    match self
                        .world()
                        .call::<TakenAll>(&frame, deadline, "takeAll", json!([chains, source]))
                        .await
                    {
                        Ok(taken) => {
                            missed.tries = taken.tries;
                            if let Some(index) = taken.served {
                                self.served(chains, index, &missed.tries);
                                return Ok(Value::Array(taken.values));
                            }
                        }
                        Err(CallError::Gone) => {}
                        Err(other) => return Err(self.failed_call(other)),
                    }
                }
            }
            self.tried(chains, &missed.tries);
            if self.clock().now() >= deadline {
                return Err(self.not_found(chains, missed).await);
            }
            self.pause(Self::between(look), deadline).await;
            look += 1;
        }
    }

    /// Waits until an element's text is as it should be; that it is not is the data's fault.
    pub async fn assert_text(&self, chains: &[Chain], rule: &TextRule) -> Result<(), Stop> {
        let (asked, words, wanted) = match rule {
            TextRule::Contains(text) => (json!({"contains": text}), "should contain", text),
            TextRule::Equals(text) => (json!({"equals": text}), "should be", text),
            TextRule::Matches(pattern) => (json!({"matches": pattern}), "should match", pattern),
        };
        let mut look = 0;
        let mut last: Option<String> = None;
        loop {
            let found = match self.find(chains, Need::Read, None).await {
                Ok(found) => found,
                Err(stop) => match last {
                    // It was there and said something else.
                    Some(text) if stop.0.class == FaultClass::Selector => {
                        return Err(business(&text, words, wanted).into());
                    }
                    _ => return Err(stop),
                },
            };
            let checked =
                self.on_page::<Checked>(&found.frame, "check", json!([found.element, asked])).await?;
            match checked {
                Some(Checked { bad: Some(why), .. }) => {
                    let what =
                        Message::new("selector.bad").with("selector", cut(wanted, 200)).with("why", why);
                    return Err(Fault::new(FaultClass::Selector, what).into());
                }
                Some(checked) if checked.holds => return Ok(()),
                Some(checked) if !checked.gone => last = Some(checked.found),
                _ => {}
            }
            if self.clock().now() >= self.deadline()
                && let Some(text) = &last
            {
                return Err(business(text, words, wanted).into());
            }
            self.again(&mut look).await?;
        }
    }

    /// Takes a picture of the page, or of one element.
    pub async fn screenshot(
        &self,
        name: Option<&str>,
        full_page: bool,
        chains: &[Chain],
    ) -> Result<(), Stop> {
        let (frame, area) = if chains.is_empty() {
            let area = if full_page { Area::WholePage } else { Area::Window };
            (self.reach_place().await?, area)
        } else {
            let found = self.find(chains, Need::Scroll, None).await?;
            let boxed = self.on_page::<Boxed>(&found.frame, "boxOf", json!([found.element])).await?;
            let area = boxed.map_or(Area::Window, |b| Area::Part {
                x: b.x,
                y: b.y,
                width: b.width,
                height: b.height,
            });
            (found.frame, area)
        };
        let subject = self.subject(&frame)?;
        let limit = self.deadline().max(self.clock().now()) + PICTURE_LIMIT;
        let taking = capture::masked_picture(&subject, area, self.secrets());
        let Some(taken) = self.clock().within(limit, taking).await else {
            return Err(super::classify::slow("Page.captureScreenshot", self.step_ms()).into());
        };
        let picture = Picture { name: name.map(str::to_owned), step: self.index(), png: taken?.png };
        self.ledger(|ledger| {
            if ledger.pictures.len() < PICTURES {
                ledger.pictures.push(picture);
            }
        });
        Ok(())
    }
}

fn business(found: &str, rule: &str, wanted: &str) -> Fault {
    let what = Message::new("business.text")
        .with("found", format!("“{}”", cut(found, 200)))
        .with("rule", rule)
        .with("wanted", format!("“{}”", cut(wanted, 200)));
    Fault::new(FaultClass::Business, what)
}
