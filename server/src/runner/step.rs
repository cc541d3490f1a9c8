//! What each type of step does.

use app::model::flow::{Action, Step};
use serde_json::{Value, json};

use super::find::Need;
use super::run::Attempt;
use super::stop::Stop;
use super::world::setup::metrics;
use crate::cdp::ask::tell;

impl Attempt {
    /// Does one step, and waits for what it is expected to bring.
    pub async fn step(&self, step: &Step) -> Result<(), Stop> {
        match &step.action {
            Action::SetViewport { width, height, scale, mobile, touch, landscape } => {
                self.mark_critical(step).await?;
                let mut size = metrics(*width, *height, if *scale > 0.0 { *scale } else { 1.0 }, *mobile);
                if *landscape {
                    size["screenOrientation"] = json!({"type": "landscapePrimary", "angle": 90});
                }
                self.tell_page("Emulation.setDeviceMetricsOverride", size).await?;
                self.tell_page("Emulation.setTouchEmulationEnabled", json!({"enabled": touch})).await?;
            }
            Action::Navigate { url } => {
                self.mark_critical(step).await?;
                self.navigate(url).await?;
            }
            Action::Click { selectors, pointer } => self.click(step, selectors, pointer, 1).await?,
            Action::DoubleClick { selectors, pointer } => self.click(step, selectors, pointer, 2).await?,
            Action::Hover { selectors } => self.hover(step, selectors).await?,
            Action::Change { selectors, value } => self.change_field(step, selectors, value).await?,
            Action::KeyDown { key } => self.key_down(step, key).await?,
            Action::KeyUp { key } => self.key_up(step, key).await?,
            Action::Scroll { selectors, x, y } => self.scroll(step, selectors, *x, *y).await?,
            Action::WaitForElement { .. } => self.wait_for_element(&step.action).await?,
            Action::WaitForExpression { expression } => self.wait_for_expression(expression).await?,
            Action::EmulateNetworkConditions { download, upload, latency_ms } => {
                let conditions = json!({
                    "offline": false, "latency": latency_ms,
                    "downloadThroughput": throughput(*download), "uploadThroughput": throughput(*upload),
                });
                self.tell_page("Network.emulateNetworkConditions", conditions).await?;
            }
            Action::Close => {
                let frame = self.reach_place().await?;
                let (page, _) = self.page_of(&frame)?;
                self.world().close_page(&page).await;
            }
            Action::Extract { name, selectors, source, all } => {
                self.extract(name, selectors, source, *all).await?;
            }
            Action::Screenshot { name, full_page, selectors } => {
                self.screenshot(name.as_deref(), *full_page, selectors).await?;
            }
            Action::AssertText { selectors, rule } => self.assert_text(selectors, rule).await?,
            Action::ExpectStatus { statuses } => self.expect_status(statuses).await?,
        }
        self.asserted(step).await?;
        self.check()
    }

    /// Records a critical step's beginning, where the flow says itself that it is one.
    pub async fn mark_critical(&self, step: &Step) -> Result<(), Stop> {
        self.mark_if_critical(step.critical == Some(true)).await
    }

    /// Records a critical step's beginning, durably, before anything of it is sent.
    pub async fn mark_if_critical(&self, critical: bool) -> Result<(), Stop> {
        if !critical {
            return Ok(());
        }
        let index = self.index();
        self.world().outside.progress.critical(index).await?;
        self.ledger(|ledger| {
            ledger.critical_step.get_or_insert(index);
        });
        Ok(())
    }

    /// Tells the step's page something.
    async fn tell_page(&self, method: &'static str, params: Value) -> Result<(), Stop> {
        let frame = self.reach_place().await?;
        let (_, session) = self.page_of(&frame)?;
        session.call(tell(method, params)).await?;
        Ok(())
    }

    async fn scroll(&self, step: &Step, chains: &[Vec<String>], x: f64, y: f64) -> Result<(), Stop> {
        self.mark_critical(step).await?;
        let mut look = 0;
        loop {
            let (frame, element) = if chains.is_empty() {
                (self.reach_place().await?, Value::Null)
            } else {
                let found = self.find(chains, Need::Scroll, None).await?;
                (found.frame, found.element.into())
            };
            match self.on_page::<Value>(&frame, "scroll", json!([element, x, y])).await? {
                Some(done) if done.get("gone").is_none() => return Ok(()),
                _ => self.again(&mut look).await?,
            }
        }
    }
}

/// A throughput as Chrome takes it; nothing stated means no limit.
fn throughput(bytes_per_s: f64) -> f64 {
    if bytes_per_s > 0.0 { bytes_per_s } else { -1.0 }
}
