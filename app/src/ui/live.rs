//! The live stream in an island: events of `/api/v1/events` into what the island shows.
//!
//! One stream per page. It mends itself: the browser reconnects what broke, and what the browser gives up
//! is opened afresh after a pause. It is closed while the page has been hidden for a minute, and opened
//! when it is seen again; fresh states follow every opening, so nothing is missed.

use leptos::prelude::*;

use super::{clock::Clock, words};
use crate::model::{Timestamp, event::Topic};

/// How the page stands to the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// As the server rendered it: true at its time, and not followed yet.
    Still,
    /// Followed.
    Live,
    /// Lost: what is shown may be stale. Mending goes on.
    Lost,
}

/// What an event is given to: its data, as JSON.
pub type Handler = Box<dyn Fn(&str)>;

/// The stream of an island.
#[derive(Clone, Copy)]
pub struct Stream {
    /// How it stands.
    pub link: RwSignal<Link>,
    /// When the last event came, by the server's clock.
    pub last: RwSignal<Timestamp>,
}

/// Follows the stream at `address`, giving each event of a topic to its handler. Inert on the server.
#[must_use]
pub fn use_stream(address: String, clock: Clock, handlers: Vec<(Topic, Handler)>) -> Stream {
    let stream = Stream { link: RwSignal::new(Link::Still), last: RwSignal::new(clock.now.get_untracked()) };
    #[cfg(feature = "hydrate")]
    browser::follow(address, clock, handlers, stream);
    #[cfg(not(feature = "hydrate"))]
    let _ = (address, handlers);
    stream
}

/// Reads an event's data; one that cannot be read is left out, as the next state makes up for it.
pub fn read<T: serde::de::DeserializeOwned>(data: &str) -> Option<T> {
    serde_json::from_str(data).ok()
}

/// How the stream stands, in words, where everybody sees it.
pub fn light(stream: Stream, clock: Clock) -> impl IntoView {
    view! {
        <p class="link" role="status" data-link=move || match stream.link.get() {
            Link::Still => "still",
            Link::Live => "live",
            Link::Lost => "lost",
        }>
            {move || match stream.link.get() {
                Link::Still => words::link_still(stream.last.get()),
                Link::Live => words::LINK_LIVE.to_owned(),
                Link::Lost => words::link_lost(stream.last.get(), clock.now.get()),
            }}
        </p>
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::{cell::RefCell, rc::Rc, time::Duration};

    use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};
    use wasm_bindgen::{JsCast, closure::Closure};
    use web_sys::{Event, EventSource, MessageEvent, VisibilityState};

    use super::{Clock, Handler, Link, Stream, Topic};

    /// Hidden for so long, the stream is closed.
    const HIDDEN: Duration = Duration::from_secs(60);
    /// After so long, what the browser has given up is opened afresh.
    const AFRESH: Duration = Duration::from_secs(3);

    type OnEvent = Closure<dyn FnMut(Event)>;

    /// What is kept while the island is there.
    struct Kept {
        source: RefCell<Option<EventSource>>,
        timer: RefCell<Option<TimeoutHandle>>,
        on_event: Closure<dyn FnMut(MessageEvent)>,
        on_open: OnEvent,
        on_error: RefCell<Option<OnEvent>>,
        topics: Vec<Topic>,
        address: String,
        stream: Stream,
    }

    impl Kept {
        fn open(&self) {
            self.close();
            let Ok(source) = EventSource::new(&self.address) else { return };
            for topic in &self.topics {
                let listener = self.on_event.as_ref().unchecked_ref();
                let _ = source.add_event_listener_with_callback(topic.as_str(), listener);
            }
            source.set_onopen(Some(self.on_open.as_ref().unchecked_ref()));
            if let Some(on_error) = self.on_error.borrow().as_ref() {
                source.set_onerror(Some(on_error.as_ref().unchecked_ref()));
            }
            *self.source.borrow_mut() = Some(source);
        }

        fn close(&self) {
            if let Some(source) = self.source.borrow_mut().take() {
                source.set_onopen(None);
                source.set_onerror(None);
                source.close();
            }
        }

        fn later(self: &Rc<Self>, after: Duration, then: impl Fn(&Rc<Self>) + 'static) {
            let this = Rc::clone(self);
            let handle = set_timeout_with_handle(move || then(&this), after).ok();
            if let Some(before) = std::mem::replace(&mut *self.timer.borrow_mut(), handle) {
                before.clear();
            }
        }

        fn at_once(&self) {
            if let Some(timer) = self.timer.borrow_mut().take() {
                timer.clear();
            }
        }
    }

    pub(super) fn follow(address: String, clock: Clock, handlers: Vec<(Topic, Handler)>, stream: Stream) {
        let topics = handlers.iter().map(|(topic, _)| *topic).collect();
        let on_event = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            stream.last.set(clock.now.get_untracked());
            stream.link.set(Link::Live);
            let name = event.type_();
            if let Some(data) = event.data().as_string()
                && let Some((_, handler)) = handlers.iter().find(|(topic, _)| topic.as_str() == name)
            {
                handler(&data);
            }
        });
        let kept = Rc::new(Kept {
            source: RefCell::default(),
            timer: RefCell::default(),
            on_event,
            on_open: Closure::new(move |_| stream.link.set(Link::Live)),
            on_error: RefCell::default(),
            topics,
            address,
            stream,
        });
        // Weak: the island's end drops what is kept, though the browser still holds the closure's handle.
        let weak = Rc::downgrade(&kept);
        *kept.on_error.borrow_mut() = Some(Closure::new(move |_| {
            let Some(kept) = weak.upgrade() else { return };
            kept.stream.link.set(Link::Lost);
            let given_up = kept
                .source
                .borrow()
                .as_ref()
                .is_none_or(|source| source.ready_state() == EventSource::CLOSED);
            if given_up {
                kept.later(AFRESH, |kept| kept.open());
            }
        }));
        let seen = {
            let kept = Rc::clone(&kept);
            move |_: Event| {
                if document().visibility_state() == VisibilityState::Hidden {
                    kept.later(HIDDEN, |kept| kept.close());
                } else {
                    kept.at_once();
                    if kept.source.borrow().is_none() {
                        kept.open();
                    }
                }
            }
        };
        let listener = listen("visibilitychange", seen);
        kept.open();
        let guard = leptos::__reexports::send_wrapper::SendWrapper::new((kept, listener));
        on_cleanup(move || {
            let (kept, listener) = guard.take();
            kept.at_once();
            kept.close();
            listener.end();
        });
    }

    /// A listener on the document, which ends when it is told.
    struct Listener {
        name: &'static str,
        closure: OnEvent,
    }

    impl Listener {
        fn end(&self) {
            let _ = document()
                .remove_event_listener_with_callback(self.name, self.closure.as_ref().unchecked_ref());
        }
    }

    fn listen(name: &'static str, act: impl FnMut(Event) + 'static) -> Listener {
        let closure = Closure::<dyn FnMut(Event)>::new(act);
        let _ = document().add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
        Listener { name, closure }
    }
}
