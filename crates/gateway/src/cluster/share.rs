//! What instances say to each other over the bus of the store: what happens, where somebody reads it, and which
//! sessions are over. Messages are gathered for a moment, so that many events cost one.

use super::feed::Feed;
use crate::gateway::Gateway;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::{MESSAGE_MAX, Word};
use tokio::sync::Notify;

/// How long events are gathered before they are told.
const GATHER: Duration = Duration::from_millis(20);

/// How often an instance whose feed is read asks for the events of others.
const ASK: Duration = Duration::from_secs(5);

/// For how long after it was asked an instance tells its events.
const WANTED: Duration = Duration::from_secs(15);

/// How many events wait to be told; instead of what comes on top the others are told that they miss something.
const WAITING_MAX: usize = 2048;

/// One message on the bus.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Message {
    /// The instance that says it.
    from: String,
    /// Whether it wants to hear events.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    asks: bool,
    /// Whether it has just begun, and wants to know whether somebody hears its events.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    begins: bool,
    /// Whose beginning this answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    welcomes: String,
    /// What happened there: names with data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<(String, Value)>,
    /// Sessions that are over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ended: Vec<String>,
}

/// What is to be told to the others.
#[derive(Default)]
pub(crate) struct Outbox {
    events: Mutex<Vec<(&'static str, Value)>>,
    ended: Mutex<Vec<String>>,
    /// Whether some instance wants to hear events.
    wanted: AtomicBool,
    /// Whether something happened since nobody seemed to want to hear it.
    skipped: AtomicBool,
    /// Whether the others miss something that they should have been told.
    unsaid: AtomicBool,
    filled: Notify,
}

impl Outbox {
    /// Keeps an event for the others, where one of them wants it.
    pub(super) fn push(&self, name: &'static str, data: &Value) {
        if !self.wanted.load(Ordering::Relaxed) {
            self.skipped.store(true, Ordering::Relaxed);
            return;
        }
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() < WAITING_MAX {
            events.push((name, data.clone()));
        } else {
            self.unsaid.store(true, Ordering::Relaxed);
        }
        drop(events);
        self.filled.notify_one();
    }

    /// Some instance wants to hear events, or none does any more. What could not be said before is tried again.
    fn want(&self, wanted: bool) {
        let before = self.wanted.swap(wanted, Ordering::Relaxed);
        if before && !wanted {
            self.skipped.store(false, Ordering::Relaxed);
        }
        if wanted && self.unsaid.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    /// This instance heard nobody for a while: one that wanted its events may have asked in vain.
    fn was_deaf(&self) {
        if self.skipped.swap(false, Ordering::Relaxed) {
            self.unsaid.store(true, Ordering::Relaxed);
        }
        self.wake();
    }

    /// Keeps the end of a session for the others.
    pub(crate) fn push_ended(&self, session: &str) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.len() < WAITING_MAX {
            ended.push(session.to_owned());
        }
        drop(ended);
        self.filled.notify_one();
    }

    /// Lets the teller look at once.
    pub(super) fn wake(&self) {
        self.filled.notify_one();
    }

    fn take(&self) -> (Vec<(&'static str, Value)>, Vec<String>) {
        let mut events = std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner));
        if self.wanted.load(Ordering::Relaxed) && self.unsaid.swap(false, Ordering::Relaxed) {
            events.insert(0, ("lost", json!({})));
        }
        let ended = std::mem::take(&mut *self.ended.lock().unwrap_or_else(PoisonError::into_inner));
        (events, ended)
    }
}

/// Whether others want the events of this instance.
#[derive(Default)]
struct Asked {
    last: Option<Instant>,
    /// Whether one of them was there before this instance.
    welcome: bool,
}

impl Gateway {
    /// Hears what other instances say, and tells them what happens here.
    pub(super) async fn hear_others(self: &Arc<Self>) {
        let mut heard = self.store.bus().subscribe();
        let mut asked = Asked::default();
        let mut ask = tokio::time::interval(ASK);
        self.say(Message { from: self.around.instance.to_string(), begins: true, ..Message::default() })
            .await;
        loop {
            tokio::select! {
                word = heard.next_word() => match word {
                    Some(Word::Said(text)) => {
                        if let Some(begun) = self.hear(&text, &mut asked) {
                            self.ask(begun).await;
                            ask.reset();
                        }
                    }
                    Some(Word::Missed) => {
                        self.feed.add_lost();
                        self.feed.outbox.was_deaf();
                        self.ask(String::new()).await;
                        ask.reset();
                    }
                    None => return,
                },
                _ = ask.tick() => {
                    let wanted = asked.last.is_some_and(|at| at.elapsed() < WANTED);
                    self.feed.outbox.want(wanted);
                    self.ask(String::new()).await;
                }
                () = self.feed.outbox.filled.notified() => {
                    tokio::time::sleep(GATHER).await;
                    self.tell_all(&mut ask).await;
                }
            }
        }
    }

    /// Takes a message; names the instance that says in it that it begins.
    fn hear(self: &Arc<Self>, text: &str, asked: &mut Asked) -> Option<String> {
        let Ok(message) = serde_json::from_str::<Message>(text) else {
            tracing::debug!("another instance said something that cannot be read");
            return None;
        };
        if message.from == *self.around.instance {
            return None;
        }
        if message.asks {
            asked.last = Some(Instant::now());
            self.begin_feed();
            self.feed.outbox.want(true);
            if message.welcomes == *self.around.instance && !std::mem::replace(&mut asked.welcome, true) {
                self.tell_start();
            }
        }
        message.ended.iter().for_each(|session| self.sessions.engine.nudge(session));
        for (name, data) in message.events {
            if let Some(id) = data.get("sessionId").and_then(Value::as_str).filter(|_| name == "session") {
                self.sessions.engine.nudge(id);
            }
            if data.is_object() {
                self.feed.add(&message.from, &name, data);
            }
        }
        message.begins.then_some(message.from)
    }

    /// Tells those who were reading before this instance began how its servers stand: it is asked only now.
    fn tell_start(&self) {
        for server in self.registry().servers() {
            let (name, status) = (server.name(), server.status());
            self.feed.outbox.push("server", &json!({"name": name, "status": status}));
        }
    }

    /// Asks the others for their events, where somebody reads the feed here.
    async fn ask(&self, welcomes: String) {
        if self.feed.is_read() {
            let from = self.around.instance.to_string();
            self.say(Message { from, asks: true, welcomes, ..Message::default() }).await;
        }
    }

    async fn tell_all(&self, ask: &mut tokio::time::Interval) {
        let (events, ended) = self.feed.outbox.take();
        if events.is_empty() && ended.is_empty() {
            // Somebody has begun to read.
            self.ask(String::new()).await;
            ask.reset();
        }
        let wanted = !events.is_empty();
        for message in messages(&self.around.instance, events, ended) {
            if !self.say(message).await {
                // The rest would hardly get through either.
                self.feed.outbox.unsaid.fetch_or(wanted, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Says something to the others; tells whether that got through.
    async fn say(&self, message: Message) -> bool {
        let text = serde_json::to_string(&message).expect("a message is plain data");
        let said = self.store.bus().publish(&text).await;
        if let Err(error) = &said {
            tracing::debug!(reason = %error, "the other instances could not be told");
        }
        said.is_ok()
    }
}

/// What is to be told, in as few messages as hold it.
fn messages(from: &str, events: Vec<(&'static str, Value)>, ended: Vec<String>) -> Vec<Message> {
    let empty = || Message { from: from.to_owned(), ..Message::default() };
    let (mut all, mut one, mut size) = (Vec::new(), empty(), 100);
    let mut room = |one: &mut Message, bytes: usize| {
        if size + bytes > MESSAGE_MAX {
            all.push(std::mem::replace(one, empty()));
            size = 100;
        }
        size += bytes;
    };
    for (name, data) in events {
        let bytes = data.to_string().len() + name.len() + 10;
        // What is too large is cut down to what it is about.
        let (data, bytes) = if bytes > MESSAGE_MAX / 2 { (identity(&data), 1000) } else { (data, bytes) };
        room(&mut one, bytes);
        one.events.push((name.to_owned(), data));
    }
    for session in ended {
        room(&mut one, session.len() + 3);
        one.ended.push(session);
    }
    if !one.events.is_empty() || !one.ended.is_empty() {
        all.push(one);
    }
    all
}

/// The short members of an event that name what it is about.
fn identity(data: &Value) -> Value {
    let mut kept = json!({"cut": true});
    for key in ["id", "name", "sessionId", "workflowId"] {
        if let Some(value) = data.get(key).filter(|value| value.as_str().is_some_and(|id| id.len() <= 200)) {
            kept[key] = value.clone();
        }
    }
    kept
}

impl Feed {
    /// A session is over; whoever runs a step of it elsewhere should know.
    pub(crate) fn session_ended(&self, session: &str) {
        self.outbox.push_ended(session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_events_go_in_few_messages_none_of_which_is_too_long() {
        let events: Vec<_> = (0..500).map(|n| ("run", json!({"id": format!("run-{n}")}))).collect();
        let ended: Vec<_> = (0..300).map(|n| format!("session-{n}")).collect();
        let all = messages("abc", events, ended);
        assert!(all.len() < 10, "{}", all.len());
        for message in &all {
            let text = serde_json::to_string(message).expect("text");
            assert!(text.len() <= MESSAGE_MAX, "{}", text.len());
            assert_eq!(serde_json::from_str::<Message>(&text).expect("a message"), *message);
        }
        assert_eq!(all.iter().map(|one| one.events.len()).sum::<usize>(), 500);
        assert_eq!(all.iter().map(|one| one.ended.len()).sum::<usize>(), 300);
    }

    #[test]
    fn an_event_that_is_too_large_is_cut_down_to_what_it_is_about() {
        let large = json!({"sessionId": "s", "workflowName": "x".repeat(MESSAGE_MAX)});
        let all = messages("abc", vec![("session", large)], Vec::new());
        assert_eq!(all[0].events, [("session".to_owned(), json!({"cut": true, "sessionId": "s"}))]);
    }

    fn names(outbox: &Outbox) -> Vec<&'static str> {
        outbox.take().0.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn whoever_misses_events_is_told_once() {
        let outbox = Outbox::default();
        outbox.want(true);
        for _ in 0..WAITING_MAX + 2 {
            outbox.push("run", &json!({}));
        }
        let told = names(&outbox);
        assert_eq!((told.len(), told[0], told[1]), (WAITING_MAX + 1, "lost", "run"), "more than wait");
        assert!(names(&outbox).is_empty(), "it is told once");
        outbox.want(false);
        outbox.push("run", &json!({}));
        outbox.want(true);
        assert!(names(&outbox).is_empty(), "nobody wanted it");
        outbox.want(false);
        outbox.push("run", &json!({}));
        outbox.was_deaf();
        assert!(names(&outbox).is_empty(), "nobody wants it yet");
        outbox.want(true);
        assert_eq!(names(&outbox), ["lost"], "somebody may have wanted it");
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let outbox = Outbox::default();
        outbox.push("run", &json!({}));
        assert!(outbox.take().0.is_empty());
        outbox.wanted.store(true, Ordering::Relaxed);
        outbox.push("run", &json!({}));
        assert_eq!(outbox.take().0.len(), 1);
    }
}
