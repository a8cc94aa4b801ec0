//! Sessions that are in use here, and how events reach the store.

use super::orders::choice;
use super::run::Run;
use super::seats;
use super::{Ear, Error, Inner, News};
use crate::session::event::Event;
use crate::session::state::State;
use model::session::Face;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use store::Claim;
use tokio::sync::{Mutex as Turn, Notify, watch};

/// The most sessions that are held in memory when nobody uses them.
const IDLE: usize = 1024;

/// The sessions in use, by id.
#[derive(Default)]
pub(crate) struct Lives(Mutex<HashMap<String, Arc<Live>>>);

/// One session in use.
pub(crate) struct Live {
    pub(crate) id: String,
    /// Held by whoever runs a step: the steps of a session are sequential.
    pub(crate) turn: Arc<Turn<()>>,
    /// As it is recorded; nothing until it was read, or when a record failed half-way.
    pub(super) recorded: Turn<Option<Arc<State>>>,
    /// Whether this instance holds it, as far as is known here.
    pub(super) mine: AtomicBool,
    /// Tells that another instance recorded something of it.
    pub(super) nudged: Notify,
    /// Becomes true when it is finished: a step that is under way is given up.
    pub(crate) ended: watch::Sender<bool>,
    /// Whose call runs the step that is under way.
    caller: Mutex<Option<Ear>>,
    /// The step at which a session stood, and what the call whose step is under way brought and nobody recorded.
    unrecorded: Mutex<(usize, Vec<Event>)>,
    /// What became of the members of the step that runs here.
    pub(super) run: watch::Sender<Run>,
}

impl Lives {
    pub(crate) fn get(&self, id: &str) -> Arc<Live> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(live) = all.get(id) {
            return Arc::clone(live);
        }
        if all.len() >= IDLE {
            all.retain(|_, live| Arc::strong_count(live) > 1);
        }
        let live = Arc::new(Live {
            id: id.to_owned(),
            turn: Arc::default(),
            recorded: Turn::new(None),
            mine: AtomicBool::new(false),
            nudged: Notify::new(),
            ended: watch::Sender::new(false),
            caller: Mutex::default(),
            unrecorded: Mutex::default(),
            run: watch::Sender::default(),
        });
        all.insert(id.to_owned(), Arc::clone(&live));
        live
    }

    /// A session that is in use here.
    pub(super) fn find(&self, id: &str) -> Option<Arc<Live>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// The sessions that this instance holds and somebody here has the turn of.
    pub(super) fn at_work(&self) -> Vec<Arc<Live>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let busy = |live: &&Arc<Live>| live.mine.load(Ordering::Relaxed) && live.turn.try_lock().is_err();
        all.values().filter(busy).cloned().collect()
    }

    pub(crate) fn forget(&self, id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

impl Live {
    /// From now on whoever called hears what happens to the session; nobody does when it is dropped.
    pub(crate) fn heard_by(&self, ear: Option<Ear>) -> Hearing<'_> {
        *self.caller.lock().unwrap_or_else(PoisonError::into_inner) = ear;
        Hearing(self)
    }

    /// Keeps a draft, with one more event, within reach of whoever ends the session, until this is dropped.
    pub(super) fn brings(&self, draft: &Draft, event: Event) -> Brought<'_> {
        let events = draft.events.iter().cloned().chain([event]).collect();
        let brought = (draft.base.next, events);
        *self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner) = brought;
        Brought(self)
    }
}

/// As long as this lives, a caller hears what happens to a session.
pub(crate) struct Hearing<'a>(&'a Live);

impl Drop for Hearing<'_> {
    fn drop(&mut self) {
        *self.0.caller.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// As long as this lives, a step is under way whose call is not recorded.
pub(super) struct Brought<'a>(&'a Live);

impl Drop for Brought<'_> {
    fn drop(&mut self) {
        *self.0.unrecorded.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }
}

/// What is about to be recorded: the state as it was, with events on top.
pub(crate) struct Draft {
    /// Shared with nobody until it is recorded.
    pub(crate) state: Arc<State>,
    pub(super) base: Arc<State>,
    events: Vec<Event>,
    /// The input that the step which runs has without mappers, where its branches ask for it.
    pub(super) unmapped: Option<Value>,
    /// Whether nobody looked what other instances recorded before the base was taken for the truth.
    guessed: bool,
}

impl Draft {
    pub(crate) fn of(base: Arc<State>) -> Self {
        Self {
            state: Arc::new(State::clone(&base)),
            base,
            events: Vec::new(),
            unmapped: None,
            guessed: false,
        }
    }

    /// On top of what is known here: it is recorded only where that was all there is.
    pub(super) fn guess(base: Arc<State>) -> Self {
        Self { guessed: true, ..Self::of(base) }
    }

    /// On top of that, and of what the call whose step is under way brought, where that is not recorded.
    pub(super) fn under_way(base: Arc<State>, live: &Live) -> Self {
        let mut draft = Self::of(base);
        let (next, events) = &*live.unrecorded.lock().unwrap_or_else(PoisonError::into_inner);
        if draft.state.work.is_none() && draft.state.next == *next {
            events.iter().for_each(|event| draft.push(event.clone()));
        }
        draft
    }

    /// What is under way as a draft of its own, as certain of its base as this one.
    pub(super) fn shown(&self, live: &Live) -> Option<Self> {
        let shown = Self { guessed: self.guessed, ..Self::under_way(Arc::clone(&self.base), live) };
        Some(shown).filter(|shown| shown.state.work.is_some())
    }

    pub(crate) fn push(&mut self, event: Event) {
        Arc::make_mut(&mut self.state).apply(&event);
        self.events.push(event);
    }

    /// Notes that a tool of the workflow itself was called, where the last step offered it.
    pub(super) fn choose(&mut self, face: Face, at: i64) {
        let tool = face.tool(&self.state.session.workflow_name);
        choice(&self.state, &tool, None, at).into_iter().for_each(|event| self.push(event));
    }

    /// Passes over what stands before that step.
    pub(super) fn pass(&mut self, to: usize) {
        while self.state.next < to {
            self.push(Event::Passed { step: self.state.next });
        }
    }

    /// The same events on top of a newer state, where what changed meanwhile leaves room for them.
    fn rebased(&mut self, newer: &Arc<State>) -> Result<(), Error> {
        let (old, new) = (&self.base, newer);
        let fits = new.session.status.is_open()
            && (new.next, &new.work, &new.hold, &new.undo) == (old.next, &old.work, &old.hold, &old.undo);
        if !fits {
            return Err(Error::Overtaken);
        }
        let mut state = State::clone(newer);
        self.events.iter().for_each(|event| state.apply(event));
        (self.base, self.state) = (Arc::clone(newer), Arc::new(state));
        Ok(())
    }
}

impl Inner {
    /// The session, as it is recorded.
    pub(crate) async fn open(&self, id: &str) -> Result<(Arc<Live>, Arc<State>), Error> {
        if self.is_outside(id) {
            return self.copy_of(id).await;
        }
        let (live, _) = self.known(id).await?;
        let state = self.refreshed(&live).await?;
        Ok((live, state))
    }

    /// The session, as it is known here: what others recorded lately may be missing.
    pub(super) async fn known(&self, id: &str) -> Result<(Arc<Live>, Arc<State>), Error> {
        if self.is_outside(id) {
            return self.copy_of(id).await;
        }
        let live = self.lives.get(id);
        let mut recorded = live.recorded.lock().await;
        let finished = |state: &Arc<State>| !state.session.status.is_open();
        // What is finished may have been removed meanwhile, and so may any session where the oldest makes room.
        if self.limits().evict_oldest || recorded.as_ref().is_some_and(finished) {
            *recorded = None;
        }
        let state = self.read(&live, &mut recorded).await?;
        drop(recorded);
        Ok((live, state))
    }

    /// The state of a session as it is recorded.
    pub(crate) async fn recorded(&self, live: &Live) -> Result<Arc<State>, Error> {
        let mut recorded = live.recorded.lock().await;
        self.read(live, &mut recorded).await
    }

    pub(super) async fn read(
        &self,
        live: &Live,
        recorded: &mut Option<Arc<State>>,
    ) -> Result<Arc<State>, Error> {
        if let Some(state) = recorded {
            return Ok(Arc::clone(state));
        }
        let Some(stored) = self.store.sessions().get(&live.id).await? else {
            self.lives.forget(&live.id);
            return Err(Error::NotFound(live.id.clone()));
        };
        let state = State::replay(&live.id, &stored.events);
        let state = Arc::new(state.map_err(|error| Error::Definition(error.to_string()))?);
        *recorded = Some(Arc::clone(&state));
        Ok(state)
    }

    /// Puts a session that was just created among those in use.
    pub(crate) async fn adopt(&self, live: &Live, state: Arc<State>) {
        *live.recorded.lock().await = Some(state);
    }

    /// Records a draft. Where something else was recorded meanwhile that leaves room for it, it goes on top.
    pub(crate) async fn commit(&self, live: &Live, mut draft: Draft) -> Result<Arc<State>, Error> {
        self.record(live, &mut draft).await
    }

    /// The same; after an error the draft can be tried again.
    pub(super) async fn record(&self, live: &Live, draft: &mut Draft) -> Result<Arc<State>, Error> {
        if draft.events.is_empty() {
            return Ok(Arc::clone(&draft.base));
        }
        let mut recorded = live.recorded.lock().await;
        loop {
            let newest = self.read(live, &mut recorded).await?;
            if !Arc::ptr_eq(&newest, &draft.base) {
                draft.rebased(&newest)?;
            }
            // Whoever stops waiting half-way leaves nothing behind that is not recorded.
            *recorded = None;
            let texts = draft.events.iter().map(Event::text).collect();
            let claim = self.claim_for(&newest, &draft.state);
            let held = match &claim {
                Claim::Keep => None,
                Claim::Take(_) => Some(true),
                Claim::Free => Some(false),
            };
            let span = otlp::child(|| "store append".into(), otlp::Kind::Internal);
            seats::leave();
            let appended = Box::pin(self.append(draft.state.row(), newest.events, texts, claim)).await;
            drop(span);
            match appended {
                Ok(true) => {
                    held.into_iter().for_each(|held| live.mine.store(held, Ordering::Relaxed));
                    break;
                }
                Ok(false) if draft.guessed => return Err(Error::Overtaken),
                Ok(false) => {}
                Err(store::Error::Gone(_)) => {
                    self.lives.forget(&live.id);
                    live.ended.send_replace(true);
                    return Err(Error::NotFound(live.id.clone()));
                }
                Err(error) => return Err(error.into()),
            }
        }
        let state = Arc::clone(&draft.state);
        *recorded = Some(Arc::clone(&state));
        if !state.session.status.is_open() {
            live.ended.send_replace(true);
        }
        drop(recorded);
        self.tell(&News::Changed { session: &state.session, events: state.events });
        Ok(state)
    }

    /// Tells the caller whose step runs, and everybody else.
    pub(crate) fn tell_of(&self, live: &Live, news: &News<'_>) {
        if let Some(Ear(listener)) = &*live.caller.lock().unwrap_or_else(PoisonError::into_inner) {
            listener.hear(news);
        }
        self.tell(news);
    }

    /// The session as it is recorded, where the step that was begun is still the one under way: what another instance
    /// took up meanwhile, or somebody ended, is no longer for whoever began it to tell.
    pub(super) async fn still_at(&self, live: &Live, begun: &State) -> Result<Arc<State>, Error> {
        let state = self.recorded_at_last(live).await?;
        if state.is_still_at(begun) { Ok(state) } else { Err(Error::Overtaken) }
    }

    /// The same after a look at what others recorded, for what no comparison guards.
    pub(super) async fn surely_at(&self, live: &Live, begun: &State) -> Result<(), Error> {
        if !self.is_hosted()
            && let Err(error) = self.refreshed(live).await
        {
            tracing::debug!(session = live.id, reason = %error, "what others recorded cannot be read");
        }
        self.still_at(live, begun).await.map(drop)
    }

    /// Whether this is all that is recorded of a session, for what no comparison guards.
    pub(super) async fn surely_all(&self, live: &Live, known: &State) -> Result<(), Error> {
        let newest = if self.is_hosted() { self.recorded(live).await? } else { self.refreshed(live).await? };
        if newest.events == known.events { Ok(()) } else { Err(Error::Overtaken) }
    }

    /// Records one event of a step that was begun, on top of whatever else is recorded of its session. What became of a
    /// member or an attempt is held on to like the outcome of a step.
    pub(crate) async fn note(&self, live: &Live, begun: &State, event: Event) -> Result<Arc<State>, Error> {
        loop {
            let mut draft = Draft::of(self.still_at(live, begun).await?);
            draft.push(event.clone());
            match self.settle(live, draft).await {
                Err(Error::Overtaken) => {}
                other => return other,
            }
        }
    }
}
