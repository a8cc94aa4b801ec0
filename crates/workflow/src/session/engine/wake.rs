//! What sessions do without a call: timers, events, and the first look after a restart.

use super::advance::After;
use super::doubt::{outcomes, overdue};
use super::entry::{Approval, Continue, wrong_result};
use super::host::Order;
use super::live::{Draft, Live};
use super::unasked::unasked;
use super::{Engine, Error, Inner, check_levels};
use crate::session::event::{Event, Held};
use crate::session::input::base;
use crate::session::memory::Memory;
use crate::session::plan::{Plan, View};
use crate::session::reply::{self, Reply};
use crate::session::state::{Hold, State};
use futures_util::{StreamExt, stream};
use model::session::{OnTimeout, SessionStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::Outage;

/// How often timers are looked at when none is near.
const LOOK: Duration = Duration::from_millis(500);

/// How many sessions are woken at one look.
const BATCH: usize = 256;

/// How many sessions an event is brought to at once.
const AT_ONCE: usize = 64;

/// An event from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wake {
    /// Its name.
    pub event: String,
    /// What it brings.
    pub data: Value,
    /// The session that it is meant for; nothing stands for every one that waits for it.
    pub session: Option<String>,
}

impl Engine {
    /// Takes up what was under way when the process ended. To be called once, before sessions are used, where no
    /// other process uses the store: it does not wait until the leases of a process that died are over.
    pub async fn recover(&self) -> Result<usize, Error> {
        let sessions = self.0.store.sessions();
        sessions.release_all(None).await?;
        let mut count = 0;
        loop {
            let taken = sessions.take_up(self.0.now(), &self.0.lease(), BATCH).await?;
            if taken.is_empty() {
                break;
            }
            count += taken.len();
            taken.into_iter().for_each(|id| self.0.spawn_taken(id));
        }
        // The process may have ended between the end of a session and that of those that it ran.
        for orphan in sessions.orphans(usize::MAX).await? {
            tokio::spawn(Arc::clone(&self.0).end_orphan(orphan));
        }
        let answered = sessions.answered(usize::MAX).await?;
        count += answered.len();
        answered.into_iter().for_each(|id| self.0.spawn_wake(id));
        Ok(count)
    }

    /// Wakes sessions whose time has come and takes up those that were left, until the future is dropped.
    pub async fn keep_time(&self) {
        if self.0.is_hosted() {
            // Timers are those of whoever keeps the journals.
            tokio::join!(self.hold_on(), self.hear_hints());
        } else {
            tokio::join!(self.hold_on(), self.look_around());
        }
    }

    async fn look_around(&self) {
        let mut outage = Outage::default();
        loop {
            match self.0.store.sessions().take_up(self.0.now(), &self.0.lease(), BATCH).await {
                Ok(taken) => {
                    outage.over("timers of sessions can be read again");
                    taken.into_iter().for_each(|id| self.0.spawn_taken(id));
                }
                Err(store::Error::Closed) => {}
                Err(error) => outage.failed(&error, "timers of sessions cannot be read"),
            }
            let next = self.0.store.sessions().next_due().await.ok().flatten();
            let near = next.map(|next| u64::try_from(next.saturating_sub(self.0.now())).unwrap_or(0));
            let wait = near.map_or(LOOK, |ms| Duration::from_millis(ms.max(50)).min(LOOK));
            tokio::time::sleep(wait).await;
        }
    }

    /// Brings an event to the sessions that wait for it; says how many took it.
    pub async fn signal(&self, wake: &Wake) -> Result<usize, Error> {
        check_levels([&wake.data])?;
        let word = format!("event:{}", wake.event);
        let ids = match &wake.session {
            Some(id) => vec![id.clone()],
            None => self.0.store.sessions().waiting(&word, usize::MAX).await?,
        };
        let (inner, wake) = (Arc::clone(&self.0), wake.clone());
        // It reaches all of them, also when whoever brought it does not wait; and a slow step holds up no other.
        let brought = tokio::spawn(async move {
            let each = ids.into_iter().map(|id| bring(Arc::clone(&inner), id, wake.clone()));
            let all: Vec<_> = stream::iter(each).buffer_unordered(AT_ONCE).collect().await;
            all.into_iter().sum()
        });
        brought.await.unwrap_or_else(|_| Ok(0))
    }

    /// Answers the question of a session that is not paused: an answer lifts no pause.
    pub async fn decide(&self, id: &str, approval: Approval) -> Result<Reply, Error> {
        let (_, state) = self.0.open(id).await?;
        let Some(Hold::Question(_)) = &state.hold else {
            return Ok(Reply::error(format!("Session {id} does not wait for approval.")));
        };
        if state.session.status == SessionStatus::Paused {
            return Ok(Reply::error(format!("Session {id} is paused; continue it first.")));
        }
        let workflow = state.session.workflow_name.clone();
        let (session, seen) = (Some(id.to_owned()), Some(state.events));
        let request = Continue { session, approval: Some(approval), seen, ..Continue::default() };
        self.proceed(&workflow, request).await
    }
}

/// Brings an event to one session: 1 when it took it.
async fn bring(inner: Arc<Inner>, id: String, wake: Wake) -> Result<usize, Error> {
    let event = wake.event.clone();
    let took = tokio::spawn(async move {
        match inner.is_hosted() {
            true => inner.bring(&id, wake).await,
            false => inner.took(&id, &wake).await,
        }
    });
    match took.await {
        Ok(Ok(took)) => Ok(usize::from(took)),
        Ok(Err(Error::NotFound(_) | Error::Overtaken)) => Ok(0),
        Ok(Err(error)) => Err(error),
        Err(_) => {
            tracing::error!(event, "an event could not be delivered");
            Ok(0)
        }
    }
}

impl Inner {
    /// Looks at a session in a task of its own, once nobody else here runs a step of it.
    pub(super) fn spawn_wake(&self, id: String) {
        self.spawn_look(id, false);
    }

    /// Looks at a session that was handed out to this instance.
    fn spawn_taken(&self, id: String) {
        self.spawn_look(id, true);
    }

    fn spawn_look(&self, id: String, taken: bool) {
        if self.is_hosted() {
            return self.post(id, Order::Look);
        }
        let Some(inner) = self.me.upgrade() else { return };
        tokio::spawn(async move {
            match inner.wake(&id, taken).await {
                Ok(()) | Err(Error::NotFound(_) | Error::Overtaken | Error::Stopping) => {}
                Err(error) => tracing::error!(session = id, reason = %error, "a session could not be woken"),
            }
        });
    }

    /// Looks at the sessions that run as steps: one may have ended before it was known to be waited for.
    pub(super) fn look_at_children(&self, state: &State) {
        let Some(inner) = self.me.upgrade() else { return };
        let undoes = state.undo.iter().filter_map(|undo| Some(&undo.waits.as_ref()?.1));
        let nested = state.work.iter().flat_map(|work| work.nested.values()).chain(undoes);
        let nested: Vec<String> = nested.map(|child| child.session.clone()).collect();
        let id = state.session.session_id.clone();
        tokio::spawn(async move {
            for child in nested {
                if let Ok((_, child)) = inner.open(&child).await
                    && !child.session.status.is_open()
                {
                    return inner.spawn_wake(id);
                }
            }
        });
    }

    /// Does what is due for one session. Whoever has the turn keeps the time of what it runs and sees to what was
    /// taken up; the end of a child is news that must not be missed.
    async fn wake(&self, id: &str, taken: bool) -> Result<(), Error> {
        let (live, _) = self.known(id).await?;
        if taken {
            live.mine.store(true, Ordering::Relaxed);
        }
        let _turn = match live.turn.try_lock() {
            Ok(turn) => turn,
            Err(_) if taken => return Ok(()),
            Err(_) => live.turn.lock().await,
        };
        let state = self.refreshed(&live).await?;
        if state.session.status.is_open() && (taken || !state.needs_hands() || self.claim(&live).await?) {
            let plan = self.plan_of(&state.definition).await?;
            self.due(&live, &plan, state).await?;
        }
        // One that is still at work is tried again when the lease is over.
        if !self.recorded(&live).await?.at_work() {
            self.let_go(&live).await?;
        }
        Ok(())
    }

    pub(super) async fn due(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        state: Arc<State>,
    ) -> Result<Option<Reply>, Error> {
        let now = self.now();
        if state.undo.is_some() {
            self.undo(live, plan).await?;
            return Ok(None);
        }
        if let Some(step) = overdue(plan, &state, now) {
            return self.time_out(live, plan, step).await.map(Some);
        }
        if state.work.is_some() {
            return self.abandoned(live, plan, state).await;
        }
        let mut draft = Draft::of(Arc::clone(&state));
        match &state.hold {
            Some(Hold::Question(held)) if held.expires.is_some_and(|at| at <= now) => {
                let after = held.expires.unwrap_or(now).saturating_sub(held.at);
                let after =
                    self.refused(live, plan, draft, format!("Approval expired after {after}ms")).await?;
                self.follow(live, plan, after).await
            }
            Some(Hold::Event { step, event, until: Some(until), .. }) if *until <= now => {
                let wait = plan.steps.get(*step).and_then(|step| step.wait.as_ref());
                let goes_on = wait.is_some_and(|(wait, _)| wait.on_timeout == OnTimeout::Continue);
                if goes_on {
                    draft.push(Event::Came { at: now, step: *step, data: None });
                    return self.advance(live, plan, draft, Map::new()).await.map(Some);
                }
                let error = format!("The event {event} did not come in time");
                let after = self.refused(live, plan, draft, error).await?;
                self.follow(live, plan, after).await
            }
            Some(Hold::Allowed(_) | Hold::Came { .. }) if state.at_work() => {
                self.advance(live, plan, draft, Map::new()).await.map(Some)
            }
            None if state.goes_on() => self.advance(live, plan, draft, Map::new()).await.map(Some),
            _ => Ok(None),
        }
    }

    /// The steps that follow one, where that was asked for.
    pub(super) async fn follow(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        after: After,
    ) -> Result<Option<Reply>, Error> {
        match after {
            After::Stops(reply) => Ok(Some(reply)),
            After::Goes(state) => {
                // The reply lists that one too.
                let first = state.answers.len().saturating_sub(1);
                self.advance_from(first, live, plan, Draft::of(state), Map::new()).await.map(Some)
            }
        }
    }

    /// What a continue does that meets a question or an event which has not come. The time of either may have run out
    /// while the session was paused, and nobody looked.
    pub(super) async fn met(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        mut request: Continue,
    ) -> Result<Reply, Error> {
        if draft.state.hold_ends().is_some_and(|end| end <= self.now()) {
            let state = self.commit(live, draft).await?;
            return self.due(live, plan, state).await?.ok_or(Error::Overtaken);
        }
        let result = request.result.take().filter(|result| draft.state.previous.as_ref() != Some(result));
        if let Some(result) = result {
            if request.approval.is_some() {
                return Ok(Reply::error("A result changes what is asked; give it first, then the approval."));
            }
            if let Some(refusal) = unasked(plan, &draft.state, &request) {
                return Ok(refusal);
            }
            if let Some(refusal) = wrong_result(&draft.state, &result) {
                return Ok(refusal);
            }
            draft.push(Event::Given { at: self.now(), result });
            // A step that an event has let run keeps the input that came with it.
            let asks_anew = |held: &Held| plan.steps.get(held.step).is_some_and(|step| step.wait.is_none());
            if matches!(&draft.state.hold, Some(Hold::Question(held)) if asks_anew(held)) {
                return self.advance(live, plan, draft, request.arguments).await;
            }
        }
        match draft.state.hold {
            Some(Hold::Question(_)) => {
                let said = request.arguments.get("approval").is_some_and(|said| !said.is_null());
                if said && request.approval.is_none() {
                    return Ok(Reply::error("approval must have digest, a text, and allow, true or false."));
                }
                self.decided(live, plan, draft, request.approval.as_ref()).await
            }
            _ => Ok(reply::waiting(plan, &*self.commit(live, draft).await?)),
        }
    }

    /// The answer to a question, or the question again.
    pub(super) async fn decided(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        mut draft: Draft,
        approval: Option<&Approval>,
    ) -> Result<Reply, Error> {
        let Some(Hold::Question(held)) = draft.state.hold.clone() else { return Err(Error::Overtaken) };
        let Some(approval) = approval else {
            let state = self.commit(live, draft).await?;
            return Ok(reply::waiting(plan, &state));
        };
        if approval.digest != held.digest {
            return Ok(Reply::error("The approval is for another question; look at the session again."));
        }
        if held.api_only && !approval.over_api {
            return Ok(Reply::error("This step can only be allowed over the API or the web UI."));
        }
        let at = self.now();
        if approval.allow {
            draft.push(Event::Allowed { at, step: held.step, by: approval.by.clone() });
            return self.advance(live, plan, draft, Map::new()).await;
        }
        let error = match approval.reason.as_deref().filter(|reason| !reason.is_empty()) {
            Some(reason) => format!("Approval refused: {reason}"),
            None => "Approval refused".into(),
        };
        let after = self.refused(live, plan, draft, error).await?;
        self.follow(live, plan, after).await?.ok_or(Error::Overtaken)
    }

    /// The step fails without having run to its end.
    pub(super) async fn refused(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        draft: Draft,
        error: String,
    ) -> Result<After, Error> {
        let step = draft.state.work.as_ref().map_or(draft.state.next, |work| work.step);
        let ended = draft.state.work.as_ref().map(|work| work.ended.clone()).unwrap_or_default();
        let outcomes = outcomes(plan, step, &ended, self.now(), |_| Err(error.clone()));
        self.end_step(live, plan, draft, outcomes).await
    }

    /// Brings an event to one session, if it waits for it.
    pub(super) async fn took(&self, id: &str, wake: &Wake) -> Result<bool, Error> {
        let (live, _) = self.open(id).await?;
        let _turn = live.turn.lock().await;
        let state = self.recorded(&live).await?;
        let Some(Hold::Event { step, event, arguments, .. }) = &state.hold else { return Ok(false) };
        let over = state.hold_ends().is_some_and(|end| end <= self.now());
        if *event != wake.event || !state.session.status.is_open() || over {
            return Ok(false);
        }
        let plan = self.plan_of(&state.definition).await?;
        let waits = plan.steps.get(*step);
        let filter = waits.and_then(|waits| waits.wait.as_ref()?.1.as_ref());
        if let (Some(waits), Some(filter)) = (waits, filter) {
            let memory = Memory::new(Arc::clone(&state.session.memory));
            let input = base(waits.input.as_ref(), state.previous(), arguments);
            let view = View {
                memory: Some(&memory),
                input: input.as_ref(),
                previous: state.previous(),
                event: Some(&wake.data),
                ..View::default()
            };
            match filter.holds(view).await {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(reason) => {
                    tracing::warn!(session = id, reason, "the filter of an event failed");
                    return Ok(false);
                }
            }
        }
        let mut draft = Draft::of(Arc::clone(&state));
        draft.push(Event::Came { at: self.now(), step: *step, data: Some(wake.data.clone()) });
        if state.session.status == SessionStatus::Paused {
            // It is kept, and the step runs with the next continue.
            self.commit(&live, draft).await?;
            return Ok(true);
        }
        self.advance(&live, &plan, draft, Map::new()).await?;
        Ok(true)
    }
}
