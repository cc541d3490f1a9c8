//! What a new page, popup or frame is told before anything of it runs.

use serde_json::{Value, json};

use super::state::{Frame, Page};
use super::{EVENTS, World};
use crate::cdp::ask::{ask, tell};
use crate::cdp::{Attached, CdpError, Session};
use crate::runner::wire::FOLLOWED;

/// The most pages that an attempt may have open: a page that opens windows without end gets no more.
const MOST_PAGES: usize = 20;

impl World {
    /// Sets a new target up and lets it run.
    pub(super) fn adopt(&self, attached: Attached) {
        let page = match attached.info.kind.as_str() {
            "page" => true,
            "iframe" => false,
            _ => {
                // Workers need nothing: what they may reach is the proxy's affair.
                let _ = attached.resume();
                return;
            }
        };
        let session = &attached.session;
        if self.look(|state| state.page(&attached.info.target_id).is_some()) {
            // Somebody else looks at it as well.
            let _ = attached.resume();
            return;
        }
        let open = self.look(|state| state.pages.iter().filter(|page| page.is_open()).count());
        if page && open >= MOST_PAGES {
            let close = tell("Target.closeTarget", json!({"targetId": attached.info.target_id}));
            let _ = self.connection.root().tell(close);
            return;
        }
        {
            let mut events = self.events.lock();
            match events.as_ref() {
                Some(events) => events.also(session, FOLLOWED),
                None => *events = Some(session.events(FOLLOWED, EVENTS)),
            }
        }
        let first = self.look(|state| state.pages.is_empty());
        // Fails only when the target is gone already, and then there is nothing to set up.
        let _ = self.instruct(session, page, first);
        self.change(|state| {
            let id = attached.info.target_id.clone();
            let order = state.order();
            if page {
                state.front = Some(id.clone());
                state.pages.push(Page {
                    id: id.clone(),
                    session: session.clone(),
                    main_frame: id.clone(),
                    runs: false,
                    in_flight: None,
                    heading: None,
                    requested: None,
                    navigations: 0,
                    last_document: None,
                });
            }
            let frame = state.frames.entry(id).or_insert_with(|| Frame {
                parent: None,
                session: session.clone(),
                url: attached.info.url.clone(),
                loader: String::new(),
                parsed: true,
                order,
                world: None,
                page_world: None,
            });
            frame.session = session.clone();
            frame.world = None;
            frame.page_world = None;
        });
        // Known before it runs, or its first request would pass the door unseen.
        let _ = attached.resume();
        self.change(|state| state.resumed(&attached.info.target_id));
        self.watch_end(session.clone());
    }

    fn instruct(&self, session: &Session, page: bool, first: bool) -> Result<(), CdpError> {
        let say = |method, params| session.tell(tell(method, params));
        if page {
            say(
                "Fetch.enable",
                json!({"patterns": [{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}]}),
            )?;
        }
        say("Page.enable", json!({}))?;
        say("Runtime.enable", json!({}))?;
        // Bodies are of no use here, and would be kept in Chrome's memory.
        say("Network.enable", json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}))?;
        if page {
            // A page that is loaded ahead would pass the door unseen.
            say("Page.setPrerenderingAllowed", json!({"isAllowed": false}))?;
            say("Emulation.setFocusEmulationEnabled", json!({"enabled": true}))?;
            if let Some(size) = self.environment.viewport {
                say("Emulation.setDeviceMetricsOverride", metrics(size.width, size.height, 1.0, false))?;
            }
        }
        if !self.environment.headers.is_empty() {
            say("Network.setExtraHTTPHeaders", json!({"headers": self.environment.headers}))?;
        }
        if let Some(agent) = self.agent_override() {
            say("Emulation.setUserAgentOverride", agent)?;
        }
        // The first page's are checked: a name that Chrome does not know must not go unseen.
        if !first {
            for (method, params) in self.regional() {
                say(method, params)?;
            }
        }
        session.tell_auto_attach()
    }

    /// Locale and time zone.
    fn regional(&self) -> Vec<(&'static str, Value)> {
        let mut told = Vec::new();
        if let Some(locale) = &self.environment.locale {
            told.push(("Emulation.setLocaleOverride", json!({"locale": locale.replace('-', "_")})));
        }
        if let Some(zone) = &self.environment.time_zone {
            told.push(("Emulation.setTimezoneOverride", json!({"timezoneId": zone})));
        }
        told
    }

    /// Gives the first page its locale and time zone, and waits until it has taken up its set-up: sent somewhere
    /// before, it may never tell of its first document.
    pub(super) async fn check_environment(&self, session: &Session) -> Result<(), CdpError> {
        session.call(tell("Page.enable", json!({}))).await?;
        for (method, params) in self.regional() {
            session.call(tell(method, params)).await?;
        }
        Ok(())
    }

    /// Asks Chrome what it says it is, where only the locale is to change.
    pub(super) async fn learn_agent(&self) -> Result<(), CdpError> {
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            user_agent: String,
        }
        let own = match (&self.environment.user_agent, &self.environment.locale) {
            (Some(agent), _) => Some(agent.clone()),
            (None, None) => None,
            (None, Some(_)) => {
                let version =
                    self.connection.root().call(ask::<Version>("Browser.getVersion", json!({}))).await?;
                Some(version.user_agent)
            }
        };
        *self.agent.lock() = own;
        Ok(())
    }

    fn agent_override(&self) -> Option<Value> {
        let agent = self.agent.lock().clone()?;
        let mut told = json!({"userAgent": agent});
        if let Some(locale) = &self.environment.locale {
            told["acceptLanguage"] = accept_language(locale).into();
        }
        Some(told)
    }

    /// Wakes who waits when a page or frame ends.
    fn watch_end(&self, session: Session) {
        let stop = self.stop.clone();
        let version = self.version.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = session.gone() => version.send_modify(|version| *version += 1),
                () = stop.cancelled() => {}
            }
        });
    }
}

/// A window's size for `Emulation.setDeviceMetricsOverride`.
pub(in crate::runner) fn metrics(width: u32, height: u32, scale: f64, mobile: bool) -> Value {
    json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile})
}

/// A locale and its language, as browsers ask for them.
fn accept_language(locale: &str) -> String {
    match locale.split_once('-') {
        Some((language, _)) => format!("{locale},{language}"),
        None => locale.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_locale_asks_for_its_language_too() {
        assert_eq!(super::accept_language("de-CH"), "de-CH,de");
        assert_eq!(super::accept_language("fr"), "fr");
    }
}
