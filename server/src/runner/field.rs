//! Filling fields, and making sure that the page keeps what was filled.

use app::model::fault::{Fault, FaultClass};
use app::model::flow::{Chain, Step};
use app::model::message::Message;
use serde::Deserialize;
use serde_json::{Value, json};

use super::classify::cut;
use super::find::Need;
use super::keys::Key;
use super::ledger::Filled;
use super::run::Attempt;
use super::stop::Stop;
use crate::cdp::Session;

/// Up to so many characters are typed key by key, as pages with suggestions want it; longer texts, and secrets,
/// are inserted at once.
const TYPED: usize = 100;

/// How many keys are sent before their answers are waited for.
const KEYS_AT_ONCE: usize = 32;

/// What the script answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Begun {
    fault: Option<String>,
    what: Option<String>,
    typed: bool,
    empty: bool,
    holds: Option<String>,
    wanted: Option<String>,
}

/// What a filled element looks like to the script that finds it.
#[derive(Debug, Deserialize)]
struct Refound {
    served: Option<Element>,
}

#[derive(Debug, Deserialize)]
struct Element {
    element: u64,
}

/// What came of filling a field.
enum Filling {
    /// What it holds now.
    Holds(String),
    /// The element went away.
    Gone,
    /// A list without the option, which may still come.
    NoOption,
}

impl Attempt {
    /// Sets a field to a value.
    pub async fn change_field(&self, step: &Step, chains: &[Chain], value: &str) -> Result<(), Stop> {
        let mut look = 0;
        let mut refilled = false;
        let mut marked = false;
        loop {
            let found = self.find(chains, Need::Field, None).await?;
            if !marked {
                self.mark_critical(step).await?;
                marked = true;
            }
            match self.fill(&found.frame, found.element, value).await? {
                Filling::Holds(held) if kept(value, &held) => {
                    self.remember(&found.frame, chains, value, held);
                    let (page, _) = self.page_of(&found.frame)?;
                    return self.after_input(&found.frame, &page).await;
                }
                Filling::Holds(_) if refilled => return Err(lost().into()),
                Filling::Holds(_) => refilled = true,
                Filling::NoOption if self.clock().now() >= self.deadline() => {
                    let what = Message::new("selector.no_option").with("value", cut(value, 100));
                    return Err(Fault::new(FaultClass::Selector, what).into());
                }
                Filling::NoOption | Filling::Gone => {}
            }
            self.again(&mut look).await?;
        }
    }

    /// Fills an element, once.
    async fn fill(&self, frame: &str, element: u64, value: &str) -> Result<Filling, Stop> {
        let Some(begun) = self.on_page::<Begun>(frame, "beginField", json!([element, value])).await? else {
            return Ok(Filling::Gone);
        };
        match begun.fault.as_deref() {
            None => {}
            Some("no_option") => return Ok(Filling::NoOption),
            Some("gone") => return Ok(Filling::Gone),
            Some("disabled") => {
                return Err(Fault::new(FaultClass::Selector, Message::new("selector.disabled")).into());
            }
            Some(_) => {
                let what = begun.what.unwrap_or_else(|| "no field".to_owned());
                let what = Message::new("selector.not_editable").with("what", what);
                return Err(Fault::new(FaultClass::Selector, what).into());
            }
        }
        if !begun.typed {
            let holds = begun.holds.unwrap_or_default();
            // Set by the script: it knows by another name what was wanted.
            let as_wanted = begun.wanted.is_some_and(|wanted| kept(&wanted, &holds));
            return Ok(Filling::Holds(if as_wanted { value.to_owned() } else { holds }));
        }
        let (_, session) = self.page_of(frame)?;
        self.type_text(&session, value, begun.empty).await?;
        let Some(ended) = self.on_page::<Begun>(frame, "endField", json!([element])).await? else {
            return Ok(Filling::Gone);
        };
        Ok(ended.holds.map_or(Filling::Gone, Filling::Holds))
    }

    /// Types over what is selected.
    async fn type_text(&self, session: &Session, value: &str, empty: bool) -> Result<(), Stop> {
        if value.is_empty() {
            if !empty {
                let delete = Key::named("Delete");
                self.input(session, "Input.dispatchKeyEvent", vec![delete.down(0), delete.up(0)]).await?;
            }
            return Ok(());
        }
        // Key by key a page could write down a secret's beginnings, which no mask would know.
        let secret =
            self.secrets().iter().any(|secret| !secret.is_empty() && value.contains(secret.as_str()));
        if secret || value.chars().count() > TYPED {
            return self.input(session, "Input.insertText", vec![json!({"text": value})]).await;
        }
        let mut events: Vec<Value> = Vec::new();
        for c in value.chars() {
            match Key::writing(c) {
                Some(key) => {
                    events.push(key.down(0));
                    events.push(key.up(0));
                }
                None => {
                    self.input(session, "Input.dispatchKeyEvent", std::mem::take(&mut events)).await?;
                    self.input(session, "Input.insertText", vec![json!({"text": c.to_string()})]).await?;
                }
            }
            if events.len() >= KEYS_AT_ONCE {
                self.input(session, "Input.dispatchKeyEvent", std::mem::take(&mut events)).await?;
            }
        }
        self.input(session, "Input.dispatchKeyEvent", events).await
    }

    fn remember(&self, frame: &str, chains: &[Chain], value: &str, held: String) {
        let loader = self.loader(frame);
        self.ledger(|ledger| {
            ledger.filled.retain(|field| field.chains != chains && field.loader == loader);
            ledger.filled.push(Filled {
                frame: frame.to_owned(),
                loader,
                chains: chains.to_vec(),
                value: value.to_owned(),
                held,
            });
        });
    }

    fn loader(&self, frame: &str) -> String {
        self.world()
            .look(|state| state.frames.get(frame).map(|frame| frame.loader.clone()))
            .unwrap_or_default()
    }

    /// Before what was filled is sent: looks whether the page still holds it, and fills once more what it has
    /// wiped. Tells whether it filled anything.
    pub async fn refill(&self, frame: &str) -> Result<bool, Stop> {
        let loader = self.loader(frame);
        let fields: Vec<Filled> = self.ledger(|ledger| {
            ledger
                .filled
                .iter()
                .filter(|field| field.frame == frame && field.loader == loader)
                .cloned()
                .collect()
        });
        if fields.is_empty() {
            return Ok(false);
        }
        let wiped = self.wiped(frame, &fields).await?;
        if wiped.is_empty() {
            return Ok(false);
        }
        for field in &wiped {
            let args = json!([field.chains, field.chains.len(), "field", null]);
            let found = self.on_page::<Refound>(frame, "find", args).await?.and_then(|found| found.served);
            let Some(Element { element }) = found else { return Err(lost().into()) };
            if !matches!(self.fill(frame, element, &field.value).await?, Filling::Holds(held) if kept(&field.value, &held))
            {
                return Err(lost().into());
            }
        }
        if self.wiped(frame, &wiped).await?.is_empty() { Ok(true) } else { Err(lost().into()) }
    }

    /// The fields that hold something else than when they were filled; one that is not there any more is the
    /// page's own affair.
    async fn wiped(&self, frame: &str, fields: &[Filled]) -> Result<Vec<Filled>, Stop> {
        let chains: Vec<&Vec<Vec<String>>> = fields.iter().map(|field| &field.chains).collect();
        let holds = self.on_page::<Vec<Option<String>>>(frame, "readFields", json!([chains])).await?;
        Ok(fields
            .iter()
            .zip(holds.unwrap_or_default())
            .filter(|(field, now)| {
                now.as_deref()
                    .is_some_and(|now| now != field.held && !kept(&field.value, now) && !is_flag(now))
            })
            .map(|(field, _)| field.clone())
            .collect())
    }
}

/// What a box or radio holds is not what it was set to in words.
fn is_flag(held: &str) -> bool {
    matches!(held, "true" | "false")
}

fn lost() -> Fault {
    Fault::new(FaultClass::Selector, Message::new("selector.value_lost"))
}

/// Whether a field holds a value, though the page may have written it in its own way: grouped digits, another
/// case, another way to end a line.
pub(super) fn kept(wanted: &str, held: &str) -> bool {
    if wanted == held {
        return true;
    }
    let bare = |text: &str| {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    let (wanted_bare, held_bare) = (bare(wanted), bare(held));
    if !wanted_bare.is_empty() && wanted_bare == held_bare {
        return true;
    }
    matches!((wanted.trim().parse::<f64>(), held.trim().parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn a_value_may_be_written_in_the_pages_own_way() {
        assert!(kept("5551234567", "(555) 123-4567"));
        assert!(kept("ab12 cd", "AB12CD"));
        assert!(kept("1.50", "1.5"));
        assert!(kept("a\nb", "a\r\nb"));
        assert!(kept("", ""));
    }

    #[test]
    fn a_blank_or_another_value_is_lost() {
        assert!(!kept("hello", ""));
        assert!(!kept("hello", "hell"));
        assert!(!kept("!!!", ""));
        assert!(!kept("15", "1.5e"));
    }
}
