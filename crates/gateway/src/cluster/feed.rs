//! What `/api/events` tells: everything that happens on any instance, in one numbered row. The last of it is kept, so
//! that a reader whose connection broke can catch up.

use super::share::Outbox;
use crate::gateway::Gateway;
use crate::hub::{News, Numbered};
use crate::told::Told;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::broadcast::{self, error::RecvError};

/// How many events are kept for readers that come back.
const KEPT_MAX: usize = 1024;

/// How many events a slow reader may lag behind.
const LAG_MAX: usize = 256;

/// One event.
#[derive(Clone, Debug)]
pub struct FeedEvent {
    number: u64,
    /// What a reader comes back with.
    pub id: String,
    /// Its kind.
    pub name: String,
    /// A JSON object.
    pub data: String,
    /// Which move of which session it tells.
    moved: Option<(Arc<str>, u64)>,
}

/// The events of all instances. Nobody pays for it until somebody reads it.
pub(crate) struct Feed {
    instance: Arc<str>,
    begun: AtomicBool,
    row: Mutex<Row>,
    told: broadcast::Sender<Arc<Told<FeedEvent>>>,
    pub(super) outbox: Outbox,
}

#[derive(Default)]
struct Row {
    newest: u64,
    kept: VecDeque<Arc<Told<FeedEvent>>>,
    /// The newest move of every session that is told in what is kept.
    moves: HashMap<Arc<str>, u64>,
}

impl Row {
    /// Keeps an event; the oldest makes room for it.
    fn keep(&mut self, event: Arc<Told<FeedEvent>>) {
        if self.kept.len() == KEPT_MAX
            && let Some((session, records)) = self.kept.pop_front().and_then(|oldest| oldest.moved.clone())
            && self.moves.get(&session) == Some(&records)
        {
            self.moves.remove(&session);
        }
        self.moves.extend(event.moved.clone());
        self.kept.push_back(event);
    }

    /// Whether a move tells nothing that was not told: what several instances record of one session comes here in any
    /// order, and a reader must not end with a session as it was before.
    fn knows(&self, (session, records): &(Arc<str>, u64)) -> bool {
        self.moves.get(session).is_some_and(|newest| records <= newest)
    }
}

/// A reader of the feed.
pub struct Feeding {
    missed: VecDeque<Arc<Told<FeedEvent>>>,
    told: broadcast::Receiver<Arc<Told<FeedEvent>>>,
    instance: Arc<str>,
}

impl Feed {
    pub(crate) fn new(instance: &Arc<str>) -> Self {
        Self {
            instance: Arc::clone(instance),
            begun: AtomicBool::new(false),
            row: Mutex::default(),
            told: broadcast::channel(LAG_MAX).0,
            outbox: Outbox::default(),
        }
    }

    /// Whether somebody reads it here.
    pub(super) fn is_read(&self) -> bool {
        self.told.receiver_count() > 0
    }

    /// Something happened on an instance.
    pub(super) fn add(&self, instance: &str, name: &str, mut data: Value) {
        data["instance"] = instance.into();
        let moved = if name == "session" { move_in(&data) } else { None };
        let mut row = self.row();
        if moved.as_ref().is_some_and(|moved| row.knows(moved)) {
            return;
        }
        row.newest += 1;
        let (number, id) = (row.newest, self.id(row.newest));
        let event = Told::new(FeedEvent { number, id, name: name.to_owned(), data: data.to_string(), moved });
        row.keep(Arc::clone(&event));
        // Nobody reading is fine. The lock is held, so that nobody who begins to read misses anything.
        let _ = self.told.send(event);
    }

    /// Something happened here: others hear of it where one of them wants to.
    fn add_own(&self, name: &'static str, data: Value) {
        self.outbox.push(name, &data);
        self.add(&self.instance, name, data);
    }

    /// Something may have happened elsewhere that was not heard here: readers are told to read everything again.
    pub(super) fn add_lost(&self) {
        self.add(&self.instance, "lost", json!({}));
    }

    /// Reads from now on; after the event of that id, where the reader comes back.
    fn read(&self, last: Option<&str>) -> Feeding {
        let row = self.row();
        let missed = last.map_or_else(VecDeque::new, |last| {
            self.missed(&row, last).unwrap_or_else(|| VecDeque::from([self.lost(row.newest)]))
        });
        Feeding { missed, told: self.told.subscribe(), instance: Arc::clone(&self.instance) }
    }

    /// What came after an event; nothing where that is not all known here.
    fn missed(&self, row: &Row, last: &str) -> Option<VecDeque<Arc<Told<FeedEvent>>>> {
        let (instance, number) = last.rsplit_once('-')?;
        let number: u64 = number.parse().ok()?;
        let oldest = row.kept.front().map_or(row.newest + 1, |event| event.number);
        let known = *instance == *self.instance && number <= row.newest && number + 1 >= oldest;
        known.then(|| row.kept.iter().filter(|event| event.number > number).cloned().collect())
    }

    /// Tells a reader to read everything again.
    fn lost(&self, number: u64) -> Arc<Told<FeedEvent>> {
        let data = json!({"instance": &*self.instance}).to_string();
        Told::new(FeedEvent { number, id: self.id(number), name: "lost".into(), data, moved: None })
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.instance)
    }

    fn row(&self) -> MutexGuard<'_, Row> {
        self.row.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Feeding {
    /// The next event; nothing once the gateway is gone.
    pub async fn next(&mut self) -> Option<Arc<Told<FeedEvent>>> {
        if let Some(event) = self.missed.pop_front() {
            return Some(event);
        }
        match self.told.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(count)) => {
                let data = json!({"events": count, "instance": &*self.instance}).to_string();
                let (number, id, name) = (0, String::new(), "lost".into());
                Some(Told::new(FeedEvent { number, id, name, data, moved: None }))
            }
            Err(RecvError::Closed) => None,
        }
    }
}

impl Gateway {
    /// Reads what happens on every instance from now on, or from the event of that id on.
    pub fn feed(self: &Arc<Self>, last: Option<&str>) -> Feeding {
        self.begin_feed();
        let feeding = self.feed.read(last);
        // Others are asked to tell what happens there.
        self.feed.outbox.wake();
        feeding
    }

    /// Listens to what happens here, from the first time on that somebody wants to know.
    pub(super) fn begin_feed(self: &Arc<Self>) {
        if self.feed.begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let sources = (self.news(), self.runs_ended(), self.sessions_moved());
        tokio::spawn(gather(Arc::downgrade(self), sources));
    }
}

type Sources = (
    broadcast::Receiver<Numbered>,
    broadcast::Receiver<crate::graphs::RunEnded>,
    broadcast::Receiver<crate::sessions::SessionMoved>,
);

async fn gather(gateway: Weak<Gateway>, (mut news, mut runs, mut sessions): Sources) {
    loop {
        let next = tokio::select! {
            next = news.recv() => next.map(|(_, news)| of_news(&news)),
            next = runs.recv() => next.map(|run| {
                Some(("run", json!({"id": run.id, "workflowId": run.graph.workflow()})))
            }),
            next = sessions.recv() => next.map(|moved| Some(("session", json!(moved)))),
        };
        let Some(gateway) = gateway.upgrade() else { return };
        match next {
            Ok(Some((name, data))) => gateway.feed.add_own(name, data),
            Ok(None) => {}
            Err(RecvError::Lagged(count)) => gateway.feed.add_own("lost", json!({"events": count})),
            Err(RecvError::Closed) => return,
        }
    }
}

/// Which move of which session an event tells.
fn move_in(data: &Value) -> Option<(Arc<str>, u64)> {
    Some((data.get("sessionId")?.as_str()?.into(), data.get("records")?.as_u64()?))
}

fn of_news(news: &News) -> Option<(&'static str, Value)> {
    match news {
        News::Status(name, status) => Some(("server", json!({"name": &**name, "status": status}))),
        News::Changed(kind, _) => Some(("list", json!({"list": kind.member()}))),
        News::Hooks => Some(("hooks", json!({}))),
        News::Workflows => Some(("workflows", json!({}))),
        // Whoever listens here is told of the list, and of the hooks and workflows themselves.
        News::Tools(_) | News::Rerouted(_) | News::Said { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed() -> Feed {
        Feed::new(&"abc".into())
    }

    async fn numbers(mut feeding: Feeding, count: usize) -> Vec<String> {
        let mut all = Vec::new();
        for _ in 0..count {
            let event = feeding.next().await.expect("an event");
            all.push(format!("{} {}", event.name, event.id));
        }
        assert!(feeding.missed.is_empty() && feeding.told.is_empty(), "no more than that");
        all
    }

    #[tokio::test]
    async fn a_reader_that_comes_back_hears_what_it_missed() {
        let feed = feed();
        for n in 0..4 {
            feed.add("abc", "server", json!({"n": n}));
        }
        let back = feed.read(Some("abc-2"));
        feed.add("xyz", "run", json!({}));
        assert_eq!(numbers(back, 3).await, ["server abc-3", "server abc-4", "run abc-5"]);
        assert!(numbers(feed.read(Some("abc-5")), 0).await.is_empty());
        assert!(numbers(feed.read(None), 0).await.is_empty());
    }

    #[tokio::test]
    async fn a_reader_that_cannot_catch_up_is_told_to_read_everything_again() {
        let feed = feed();
        for n in 0..KEPT_MAX + 10 {
            feed.add("abc", "server", json!({"n": n}));
        }
        let newest = KEPT_MAX + 10;
        for last in ["abc-9", "other-1030", "abc-99999", "abc-x", "nonsense", ""] {
            assert_eq!(numbers(feed.read(Some(last)), 1).await, [format!("lost abc-{newest}")], "{last}");
        }
        assert_eq!(feed.read(Some("abc-10")).missed.len(), KEPT_MAX);
    }

    #[tokio::test]
    async fn a_session_does_not_go_back_to_what_it_was_before() {
        let feed = feed();
        let reader = feed.read(None);
        let moves = [("a", 3), ("b", 2), ("a", 2), ("a", 3), ("a", 4), ("b", 1)];
        for (session, records) in moves {
            feed.add("xyz", "session", json!({"sessionId": session, "records": records}));
        }
        // An instance of another version may not say it.
        feed.add("xyz", "session", json!({"sessionId": "a"}));
        let heard = ["session abc-1", "session abc-2", "session abc-3", "session abc-4"];
        assert_eq!(numbers(reader, 4).await, heard);
        let known: Vec<_> = feed.row().kept.iter().map(|event| event.moved.clone()).collect();
        let told = |session: &str, records| Some((session.into(), records));
        assert_eq!(known, [told("a", 3), told("b", 2), told("a", 4), None]);
    }

    #[test]
    fn of_sessions_no_more_is_known_than_of_what_is_kept() {
        let feed = feed();
        for n in 0..KEPT_MAX {
            feed.add("abc", "session", json!({"sessionId": format!("s{}", n / 2), "records": n}));
        }
        assert_eq!(feed.row().moves.len(), KEPT_MAX / 2);
        for _ in 0..KEPT_MAX - 1 {
            feed.add("abc", "hooks", json!({}));
        }
        assert_eq!(feed.row().moves.len(), 1, "the last one is kept still");
        feed.add("abc", "hooks", json!({}));
        assert!(feed.row().moves.is_empty());
    }

    #[tokio::test]
    async fn every_event_names_its_instance() {
        let feed = feed();
        let mut reader = feed.read(None);
        feed.add("xyz", "server", json!({"name": "s"}));
        let event = reader.next().await.expect("an event");
        assert_eq!(event.data, json!({"name": "s", "instance": "xyz"}).to_string());
    }
}
