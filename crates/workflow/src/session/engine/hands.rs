//! Who works on which session, where several instances share a store.
//!
//! Whoever records that a step begins holds the session from then on, and shows signs of life; a session whose
//! holder shows none is taken up by another instance. A claim only decides who tries: a record counts only on top
//! of exactly the events that were seen.

use super::live::{Draft, Live};
use super::{Engine, Error, Inner};
use crate::session::event::Event;
use crate::session::state::State;
use model::session::SessionStatus;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use store::{Claim, Lease, Outage};

/// How often a call that waits for a step of another instance looks at the session.
const LOOK: Duration = Duration::from_millis(100);

/// For how long the outcome of a step is kept while the store cannot be reached, and how often it is tried.
const PATIENCE: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(500);

/// How many sessions that were left behind are looked at in one go.
const BATCH: usize = 256;

impl Engine {
    /// Another instance recorded something of this session.
    pub fn nudge(&self, id: &str) {
        let Some(live) = self.0.lives.find(id).filter(|_| !self.0.is_hosted()) else { return };
        live.nudged.notify_waiters();
        let inner = Arc::clone(&self.0);
        tokio::spawn(async move {
            // Whoever runs a step of a session that was ended elsewhere lets go of it.
            match inner.refreshed(&live).await {
                Ok(state) => inner.wake_held_parent(&state),
                Err(error) => {
                    tracing::debug!(session = live.id, reason = %error, "a session that moved could not be read");
                }
            }
        });
    }

    /// Gives up the steps that are under way, whose outcome is then as unknown as after a crash, and lets go of every
    /// session, so that others need not wait until the lease is over. Nothing is begun any more.
    pub async fn leave(&self) {
        self.0.leaving.send_replace(true);
        if let Err(error) = self.0.store.sessions().release_all(Some(&self.0.instance)).await {
            tracing::debug!(reason = %error, "sessions could not be let go of");
        }
    }

    /// Goes by the clock of the store from now on, on which all instances agree. To be called before sessions are used:
    /// times that were told by another clock are not taken back.
    pub async fn agree_on_time(&self) {
        self.0.agree_on_time().await;
    }

    /// The time in milliseconds since 1970 as far as sessions are concerned. It never goes back.
    pub fn now(&self) -> i64 {
        self.0.now()
    }

    /// Shows signs of life for the sessions at work here, and looks after those that were left behind.
    pub(super) async fn hold_on(&self) {
        let (mut before, mut outage) = (HashSet::new(), Outage::default());
        loop {
            self.0.agree_on_time().await;
            if !self.0.is_hosted() {
                self.0.renew(&mut outage).await;
            }
            match self.0.strays(&before).await {
                Ok(seen) => before = seen,
                Err(error) => tracing::debug!(reason = %error, "sessions left behind cannot be looked for"),
            }
            tokio::time::sleep(Duration::from_millis(self.0.lease().ms / 3).max(LOOK)).await;
        }
    }
}

impl Inner {
    pub(super) fn lease(&self) -> Lease {
        Lease { holder: Arc::clone(&self.instance), ms: self.limits().lease_ms }
    }

    /// Who holds a session once a draft is recorded. Work that goes on stays with whoever does it.
    pub(super) fn claim_for(&self, base: &State, draft: &State) -> Claim {
        // Whoever leaves takes nothing on, but what is done is recorded.
        if !draft.at_work() || *self.leaving.borrow() {
            Claim::Free
        } else if base.at_work() && base.same_work(draft) {
            Claim::Keep
        } else {
            Claim::Take(self.lease())
        }
    }

    /// Does some work unless the process ends first.
    pub(super) async fn unless_leaving<T>(&self, work: impl Future<Output = T>) -> Result<T, Error> {
        let mut leaving = self.leaving.subscribe();
        tokio::select! {
            biased;
            // First, because servers that are stopped make calls fail.
            _ = leaving.wait_for(|leaving| *leaving) => Err(Error::Stopping),
            done = work => Ok(done),
        }
    }

    /// Claims a session, unless another instance works on it.
    pub(super) async fn claim(&self, live: &Live) -> Result<bool, Error> {
        if self.is_hosted() {
            // Whoever keeps the journals has orders carried out one at a time.
            return Ok(true);
        }
        let claimed = self.store.sessions().claim(&live.id, &self.lease()).await?;
        live.mine.store(claimed, Ordering::Relaxed);
        Ok(claimed)
    }

    /// The session as it is recorded now, once no other instance works on it. The caller holds the turn.
    pub(super) async fn in_hand(&self, live: &Live) -> Result<Arc<State>, Error> {
        self.in_hand_after(live, &mut None).await
    }

    /// The same, with how many events there were at the first look.
    async fn in_hand_after(&self, live: &Live, seen: &mut Option<u64>) -> Result<Arc<State>, Error> {
        loop {
            let nudged = live.nudged.notified();
            let state = self.refreshed(live).await?;
            seen.get_or_insert(state.events);
            if !state.needs_hands() {
                return Ok(state);
            }
            if self.claim(live).await? {
                // Whoever had it may have recorded the end of its work, and more, before it let go.
                if self.refreshed(live).await?.events == state.events {
                    return Ok(state);
                }
                self.let_go(live).await?;
                continue;
            }
            tokio::select! {
                () = nudged => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// The session as the call that is to run this step finds it. Where the step is the one that comes next as far as
    /// is known here, nobody is asked: whatever another instance did meanwhile shows when the step is recorded, and the
    /// call begins anew then. Where somebody is asked, `seen` is how many events there were at the first look.
    pub(super) async fn at_step(
        &self,
        live: &Live,
        expected: Option<usize>,
        seen: &mut Option<u64>,
    ) -> Result<Draft, Error> {
        let state = self.recorded(live).await?;
        let ready = state.session.status == SessionStatus::Running
            && !state.needs_hands()
            && (&state.hold, &state.undo) == (&None, &None);
        if ready && expected == Some(state.next) {
            return Ok(Draft::guess(state));
        }
        Ok(Draft::of(self.in_hand_after(live, seen).await?))
    }

    /// The state of a session with what others recorded meanwhile.
    pub(super) async fn refreshed(&self, live: &Live) -> Result<Arc<State>, Error> {
        let mut recorded = live.recorded.lock().await;
        let Some(known) = recorded.clone() else { return self.read(live, &mut recorded).await };
        let Some(later) = self.store.sessions().events_after(&live.id, known.events).await? else {
            *recorded = None;
            self.lives.forget(&live.id);
            live.ended.send_replace(true);
            return Err(Error::NotFound(live.id.clone()));
        };
        if later.is_empty() {
            return Ok(known);
        }
        let mut state = State::clone(&known);
        for text in &later {
            let event: Event =
                serde_json::from_str(text).map_err(|error| Error::Definition(error.to_string()))?;
            state.apply(&event);
        }
        let state = Arc::new(state);
        *recorded = Some(Arc::clone(&state));
        if !state.session.status.is_open() || state.undo.is_some() {
            live.ended.send_replace(true);
        }
        Ok(state)
    }

    /// Records the outcome of a step that has run. While the store cannot be reached it is tried again for a while:
    /// what is not recorded counts as not known. A step that was not recorded before it ran had no effect that anybody
    /// could see, and whoever called can call again: it fails at once.
    pub(super) async fn settle(&self, live: &Live, mut draft: Draft) -> Result<Arc<State>, Error> {
        let end = Instant::now() + PATIENCE;
        let mut matters = draft.base.work.is_some() || draft.base.undo.is_some();
        loop {
            match self.record(live, &mut draft).await {
                Err(Error::Store(error @ store::Error::Unavailable { .. })) if Instant::now() < end => {
                    // It may have been recorded, and then the answer must be told.
                    matters |= error.may_be_done();
                    if !matters {
                        return Err(error.into());
                    }
                    tokio::time::sleep(AGAIN).await;
                }
                other => return other,
            }
        }
    }

    /// The session as it is recorded, for whoever has an outcome to record. While the store cannot be reached it is tried
    /// again for a while.
    pub(super) async fn recorded_at_last(&self, live: &Live) -> Result<Arc<State>, Error> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.recorded(live).await {
                Err(Error::Store(store::Error::Unavailable { .. })) if Instant::now() < end => {
                    tokio::time::sleep(AGAIN).await;
                }
                other => return other,
            }
        }
    }

    /// Lets go of a session that was taken up and needs nobody any more.
    pub(super) async fn let_go(&self, live: &Live) -> Result<(), Error> {
        if !live.mine.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        Ok(self.store.sessions().release(&live.id, &self.instance).await?)
    }

    /// Wakes the session that runs this one as a step, where this one is over and that one is held here: nobody else
    /// could go on with it before the lease ends.
    fn wake_held_parent(&self, state: &State) {
        let parent = state.session.parent_session_id.as_deref().filter(|_| !state.session.status.is_open());
        let held = parent.and_then(|id| self.lives.find(id)).filter(|live| live.mine.load(Ordering::Relaxed));
        held.into_iter().for_each(|live| self.spawn_wake(live.id.clone()));
    }

    /// Holds on to the sessions that are at work here.
    async fn renew(&self, outage: &mut Outage) {
        let held = self.lives.at_work();
        if held.is_empty() {
            return;
        }
        let ids: Vec<String> = held.iter().map(|live| live.id.clone()).collect();
        let kept = match self.store.sessions().renew(&ids, &self.lease()).await {
            Ok(kept) => kept,
            Err(error) => {
                return outage.failed(&error, "this instance could not hold on to its sessions");
            }
        };
        outage.over("this instance holds on to its sessions again");
        for live in held.iter().filter(|live| !kept.contains(&live.id)) {
            // It was freed by a record of this instance, ended elsewhere, or taken up by another instance.
            live.mine.store(false, Ordering::Relaxed);
            if let Err(error) = self.refreshed(live).await {
                tracing::debug!(session = live.id, reason = %error, "a session that was lost cannot be read");
            }
        }
    }

    /// Looks after what an instance that died could leave behind without a claim: open sessions that run as steps of
    /// one that is over, and sessions that wait for one that is over. The instance that ended it sees to them at
    /// once, so only what was seen before is touched.
    async fn strays(&self, before: &HashSet<String>) -> Result<HashSet<String>, Error> {
        let orphans = self.store.sessions().orphans(BATCH).await?;
        let answered = self.store.sessions().answered(BATCH).await?;
        for orphan in orphans.iter().filter(|id| before.contains(*id)) {
            if let Some(inner) = self.me.upgrade() {
                tokio::spawn(inner.end_orphan(orphan.clone()));
            }
        }
        answered.iter().filter(|id| before.contains(*id)).for_each(|id| self.spawn_wake(id.clone()));
        Ok(orphans.into_iter().chain(answered).collect())
    }

    /// Goes by the clock of the store, on which all instances agree.
    async fn agree_on_time(&self) {
        if !self.own_clock {
            return;
        }
        let before = (self.clock)();
        if let Ok(now) = self.store.now().await {
            let here = before.midpoint((self.clock)());
            self.ahead.store(now.saturating_sub(here), Ordering::Relaxed);
        }
    }
}
