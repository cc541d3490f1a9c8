//! Key steps.

use app::model::flow::Step;
use serde::Deserialize;
use serde_json::json;

use super::keys::Key;
use super::run::Attempt;
use super::stop::Stop;

/// What pressing Enter where the focus is would submit.
#[derive(Debug, Deserialize)]
struct Submits {
    method: Option<String>,
    inside: bool,
}

impl Attempt {
    /// Presses a key where the focus is.
    pub async fn key_down(&self, step: &Step, name: &str) -> Result<(), Stop> {
        let frame = self.reach_place().await?;
        let (page, session) = self.page_of(&frame)?;
        self.world().to_front(&frame).await?;
        let key = Key::named(name);
        let modifiers = self.ledger(|ledger| {
            ledger.modifiers |= key.modifier();
            ledger.modifiers
        });
        let submits = if key.is_enter() { self.focus_submits(&frame).await? } else { None };
        if let Some((focused, _)) = &submits {
            self.refill(focused).await?;
        }
        let posts = submits.is_some_and(|(_, method)| method == "post");
        self.mark_if_critical(step.critical.unwrap_or(posts)).await?;
        self.check()?;
        self.input(&session, "Input.dispatchKeyEvent", vec![key.down(modifiers)]).await?;
        if key.is_enter() {
            self.ledger(|ledger| ledger.filled.clear());
        }
        self.after_input(&frame, &page).await
    }

    /// Lets a key go.
    pub async fn key_up(&self, step: &Step, name: &str) -> Result<(), Stop> {
        let frame = self.reach_place().await?;
        let (page, session) = self.page_of(&frame)?;
        self.world().to_front(&frame).await?;
        let key = Key::named(name);
        let modifiers = self.ledger(|ledger| {
            ledger.modifiers &= !key.modifier();
            ledger.modifiers
        });
        // A button is activated when the space bar goes up.
        let submits = if key.is_space() { self.focus_submits(&frame).await? } else { None };
        let posts = submits.is_some_and(|(_, method)| method == "post");
        self.mark_if_critical(step.critical.unwrap_or(posts)).await?;
        self.check()?;
        self.input(&session, "Input.dispatchKeyEvent", vec![key.up(modifiers)]).await?;
        self.after_input(&frame, &page).await
    }

    /// The frame that has the focus and how activating what has it there submits a form.
    async fn focus_submits(&self, frame: &str) -> Result<Option<(String, String)>, Stop> {
        let inner = self.world().look(|state| state.descendants(frame));
        for frame in std::iter::once(frame.to_owned()).chain(inner) {
            let submits = self.on_page::<Option<Submits>>(&frame, "enterSubmits", json!([])).await?.flatten();
            match submits {
                Some(Submits { inside: true, .. }) => {}
                Some(Submits { method: Some(method), .. }) => return Ok(Some((frame, method))),
                _ if !self.focus_is_inside(&frame).await? => return Ok(None),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Whether the focus may be in another frame than this.
    async fn focus_is_inside(&self, frame: &str) -> Result<bool, Stop> {
        let has = self.on_page::<bool>(frame, "hasFocus", json!([])).await?;
        Ok(!has.unwrap_or(false))
    }
}
