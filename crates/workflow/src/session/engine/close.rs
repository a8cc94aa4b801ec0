//! The end of a session: completed, failed, cancelled; what is undone before, and who is told after.

use super::host::Order;
use super::live::{Draft, Live};
use super::{Error, Inner};
use crate::session::event::Event;
use crate::session::execution::caught;
use crate::session::plan::Plan;
use crate::session::reply::{self, Reply};
use crate::session::state::State;
use futures_util::future::BoxFuture;
use model::session::{Face, SessionStatus};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// How many sessions that run as steps are ended at once with the session that runs them.
const CHILDREN: usize = 1000;

impl Inner {
    /// Fails the session at its next step.
    pub(super) async fn fail(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        draft: Draft,
        error: String,
    ) -> Result<Reply, Error> {
        let step = draft.state.work.as_ref().map_or(draft.state.next, |work| work.step);
        self.fail_at(live, plan, draft, step, error).await
    }

    /// Fails the session at a step: what must be undone is, then it is over.
    pub(super) async fn fail_at(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        draft: Draft,
        step: usize,
        error: String,
    ) -> Result<Reply, Error> {
        let state = self.record_failure(live, plan, draft, step, &error).await?;
        let reply = reply::failed(plan, &state, step, &error);
        self.closed(live, plan, state).await?;
        Ok(reply)
    }

    /// Records that the session failed, or is about to once its steps are undone.
    pub(super) async fn record_failure(
        &self,
        live: &Live,
        plan: &Plan,
        mut draft: Draft,
        step: usize,
        error: &str,
    ) -> Result<Arc<State>, Error> {
        self.suppose(plan, &mut draft);
        let undo = to_undo(plan, &draft.state);
        draft.push(Event::Failed { at: self.now(), step, error: error.to_owned(), undo });
        self.settle(live, draft).await
    }

    /// The last step is done.
    pub(super) async fn finished(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        state: Arc<State>,
    ) -> Result<Reply, Error> {
        let reply = state.answers.last().map(|answer| reply::of_answer(plan, &state, answer));
        self.closed(live, plan, state).await?;
        Ok(reply.unwrap_or_else(|| Reply::error("Internal error")))
    }

    /// Ends a session, whatever it is doing.
    pub(super) async fn cancel(&self, live: &Arc<Live>, compensate: bool) -> Result<Reply, Error> {
        self.cut(live, &Cut::Cancel { compensate, asked: true }).await
    }

    pub(super) async fn cut(&self, live: &Arc<Live>, cut: &Cut) -> Result<Reply, Error> {
        let (state, cut_step) = loop {
            let state = self.recorded(live).await?;
            if state.undo.is_some() {
                return Ok(reply::undoing("cancel"));
            }
            if !state.session.status.is_open() {
                return Ok(reply::cannot("cancel", state.session.status));
            }
            let plan = self.plan_of(&state.definition).await?;
            let mut draft = Draft::under_way(state, live);
            let step = draft.state.work.as_ref().map_or(draft.state.next, |work| work.step);
            let cut_step = match cut {
                Cut::Fail(error) => self.cut_short(live, &plan, &mut draft, error),
                Cut::Cancel { .. } => None,
            };
            if !matches!(cut, Cut::Cancel { compensate: false, .. }) {
                self.suppose(&plan, &mut draft);
            }
            let (at, undo) = (self.now(), to_undo(&plan, &draft.state));
            if matches!(cut, Cut::Cancel { asked: true, .. }) {
                draft.choose(Face::Cancel, at);
            }
            draft.push(match cut {
                Cut::Cancel { compensate: true, .. } => Event::Cancelled { at, undo, compensate: true },
                Cut::Cancel { compensate: false, .. } => {
                    Event::Cancelled { at, undo: Vec::new(), compensate: false }
                }
                Cut::Fail(error) => Event::Failed { at, step, error: error.clone(), undo },
            });
            match self.commit(live, draft).await {
                Err(Error::Overtaken) => {}
                other => break (other?, cut_step),
            }
        };
        // Whoever runs a step lets go of it now.
        live.ended.send_replace(true);
        let plan = self.plan_of(&state.definition).await?;
        let _turn = live.turn.lock().await;
        if let Cut::Fail(error) = cut {
            self.tell_cut(live, &plan, cut_step, error).await;
        }
        self.closed(live, &plan, state).await?;
        Ok(reply::done(&*self.recorded(live).await?, "cancelled"))
    }

    /// Undoes what must be, then tells everybody that the session is over.
    pub(super) async fn closed(
        &self,
        live: &Arc<Live>,
        plan: &Arc<Plan>,
        state: Arc<State>,
    ) -> Result<(), Error> {
        if state.undo.is_some() {
            return self.undo(live, plan).await;
        }
        self.tell_end(plan, &state).await;
        Ok(())
    }

    /// The callbacks, the session that runs this one as a step, and the sessions that it runs.
    pub(super) async fn tell_end(&self, plan: &Plan, state: &State) {
        let session = &state.session;
        let id = session.session_id.as_str();
        if let Some(callbacks) = &plan.callbacks {
            let told = match session.status {
                SessionStatus::Completed => {
                    caught("onSuccess", async { callbacks.on_success(&session.memory, id).await }).await
                }
                SessionStatus::Failed => {
                    let error = session.error.as_deref().unwrap_or("");
                    caught("onFailure", async { callbacks.on_failure(error, id).await }).await
                }
                _ => Ok(()),
            };
            let status = session.status.name();
            let last = caught("onComplete", async { callbacks.on_complete(status, id).await }).await;
            for reason in [told, last].into_iter().filter_map(Result::err) {
                tracing::warn!(workflow = plan.name(), session = id, reason, "a callback failed");
            }
        }
        if session.status != SessionStatus::Completed {
            drop(self.children_ending(id, &Cut::of(state), &[]).await);
        }
        if let Some(parent) = session.parent_session_id.clone() {
            self.spawn_wake(parent);
        }
    }

    /// Ends one of them. The type is spelt out because the end of a session may lead to that of another.
    pub(super) fn end_child(self: Arc<Self>, id: String, cut: Cut) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Ok((live, _)) = self.open(&id).await else { return };
            let ended = match self.is_hosted() {
                true => self.interrupt(&live, cut.order()).await,
                false => self.cut(&live, &cut).await,
            };
            if let Err(error) = ended {
                tracing::error!(session = id, reason = %error, "the session of a step could not be ended");
            }
        })
    }

    /// Ends a session that runs as a step of one that is over, and was left when a process ended.
    pub(super) fn end_orphan(self: Arc<Self>, id: String) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Ok((_, state)) = self.open(&id).await else { return };
            let parent = state.session.parent_session_id.as_deref().unwrap_or_default();
            let cut = match self.open(parent).await {
                Ok((_, parent)) => Cut::of(&parent),
                Err(_) => Cut::Cancel { compensate: false, asked: false },
            };
            self.end_child(id, cut).await;
        })
    }

    /// Ends the sessions that run as steps of this one but for these.
    pub(super) async fn children_ending(&self, id: &str, cut: &Cut, but: &[String]) -> Vec<JoinHandle<()>> {
        let end = |id| self.me.upgrade().map(|inner| tokio::spawn(inner.end_child(id, cut.clone())));
        self.open_children(id, but).await.into_iter().filter_map(end).collect()
    }

    /// The sessions that run as steps of this one, but for these, and have not ended.
    pub(super) async fn open_children(&self, id: &str, but: &[String]) -> Vec<String> {
        let filter = store::SessionFilter { parent: Some(id), ..store::SessionFilter::default() };
        let children = match self.store.sessions().list(filter, CHILDREN, 0).await {
            Ok(children) => children,
            Err(error) => {
                tracing::error!(session = id, reason = %error, "sessions of its steps cannot be found");
                return Vec::new();
            }
        };
        let open =
            children.into_iter().map(|child| child.row).filter(|row| row.open && !but.contains(&row.id));
        open.map(|row| row.id).collect()
    }
}

/// How a session is ended before its time.
#[derive(Clone)]
pub(super) enum Cut {
    /// Somebody asked for that, or ended the session that runs it as a step; its steps are undone where that was
    /// asked for.
    Cancel { compensate: bool, asked: bool },
    /// It failed, with this error.
    Fail(String),
}

impl Cut {
    /// How a session that runs as a step of this one ends with it.
    pub(super) fn of(state: &State) -> Self {
        let (status, error) = match &state.undo {
            Some(undo) => (undo.status, &undo.error),
            None => (state.session.status, &state.session.error),
        };
        match error {
            Some(error) if status == SessionStatus::Failed => Self::Fail(error.clone()),
            _ => Self::Cancel { compensate: state.compensates, asked: false },
        }
    }

    /// The same as an order.
    fn order(self) -> Order {
        match self {
            Self::Cancel { compensate, asked } => Order::Cancel { compensate, asked },
            Self::Fail(error) => Order::Fail { error },
        }
    }
}

/// Positions of the steps that succeeded and can be undone, or of which nobody knows; the last one goes first.
fn to_undo(plan: &Plan, state: &State) -> Vec<usize> {
    let can = |step: usize, member: usize| {
        plan.steps
            .get(step)
            .and_then(|step| step.members.get(member))
            .is_some_and(|one| one.compensate.is_some())
    };
    let done = state.done.iter().map(|done| (done.step, done.member, done.doubtful));
    // Members of a group that is cut short count as done from then on.
    let left = state.work.iter().flat_map(|work| {
        let good = work.ended.iter().filter(|(_, one)| one.counts());
        good.map(|(member, one)| (work.step, *member, one.doubtful))
    });
    let all = done.chain(left).enumerate();
    let undone = all.filter(|(_, (step, member, doubtful))| *doubtful || can(*step, *member));
    undone.map(|(position, _)| position).collect()
}
