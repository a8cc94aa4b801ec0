//! The side that carries orders out, where a [`Host`](super::Host) keeps the journals: an order runs in a task of its
//! own, and stops at every record until the host has kept it.

use super::host::{Answer, Duty, Order, Over, Stride};
use super::live::Live;
use super::{Engine, Error, Inner};
use crate::session::reply::Reply;
use crate::session::state::State;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use store::{Claim, Created, SessionLimits, SessionRow};
use tokio::sync::{Mutex as Lock, mpsc, oneshot};
use tokio::task::AbortHandle;

tokio::task_local! {
    /// The session of an order and where its records go, in the task of the order.
    static OUTLET: (String, mpsc::Sender<Said>);
}

/// The orders that are carried out here, by session.
#[derive(Default)]
pub(super) struct Turns(Mutex<HashMap<String, Arc<Turn>>>);

/// One order.
struct Turn {
    invocation: String,
    name: String,
    inbox: mpsc::UnboundedSender<(String, Order)>,
    outlet: Lock<Outlet>,
    task: AbortHandle,
}

struct Outlet {
    said: mpsc::Receiver<Said>,
    /// The number of the next stride.
    next: usize,
    /// The last stride.
    last: Option<Stride>,
    /// What the host keeps, and the store does not have yet.
    pending: Option<Box<Record>>,
}

enum Said {
    Record(Box<Record>),
    Over(Box<Over>),
}

struct Record {
    row: SessionRow,
    /// How many events there were before.
    at: u64,
    events: Vec<String>,
    /// The key and the limits, for the first record of a session.
    made: Option<(Option<String>, SessionLimits)>,
    kept: oneshot::Sender<Result<Created, store::Error>>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Turns {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Turn>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an order to the one that is being carried out here; says whether there was one to take it.
    pub(super) fn tell(&self, session: &str, name: &str, order: &Order) -> bool {
        let Some(turn) = self.lock().get(session).cloned() else { return false };
        turn.name != name && turn.inbox.send((name.to_owned(), order.clone())).is_ok()
    }
}

impl Engine {
    /// Carries an order out up to its next record, or to its end. What was under way here before is taken up; an
    /// order that was begun by a process that is gone goes on as the journal says. While the store cannot take the
    /// copy of what is kept, this fails, and is to be tried again.
    pub async fn stride(&self, duty: &Duty) -> Result<Stride, store::Error> {
        let mut turn = self.0.hosting.turns.lock().get(&duty.session).cloned();
        if let Some(found) = &turn
            && !found.fits(duty).await
        {
            turn = None;
        }
        let turn = match turn {
            Some(turn) => turn,
            None => match self.0.begin(duty).await? {
                Ok(turn) => turn,
                Err(over) => return Ok(Stride::Over(Box::new(over))),
            },
        };
        let mut outlet = turn.outlet.lock().await;
        if outlet.next == duty.stride + 1
            && let Some(last) = &outlet.last
        {
            return Ok(last.clone());
        }
        self.0.next(&mut outlet, duty).await
    }

    /// The end of an order has been kept.
    pub fn close_turn(&self, session: &str, invocation: &str) {
        let mut turns = self.0.hosting.turns.lock();
        if turns.get(session).is_some_and(|turn| turn.invocation == invocation) {
            turns.remove(session);
        }
    }
}

impl Turn {
    /// Whether this is the order, and it stands where the host says.
    async fn fits(&self, duty: &Duty) -> bool {
        let next = self.outlet.lock().await.next;
        self.invocation == duty.invocation && (next == duty.stride || next == duty.stride + 1)
    }
}

impl Inner {
    /// Begins to carry an order out.
    async fn begin(&self, duty: &Duty) -> Result<Result<Arc<Turn>, Over>, store::Error> {
        if duty.stride > 0
            && let Some(answer) = self.catch_up(duty).await?
        {
            let (due, meanwhile) = (None, Vec::new());
            return Ok(Err(Over { answer, meanwhile, due, open: false, follows: false }));
        }
        let Some(inner) = self.me.upgrade() else { return Err(store::Error::Closed) };
        let (inbox, told) = mpsc::unbounded_channel();
        let (out, said) = mpsc::channel(1);
        let work = inner.drive(duty.clone(), told, out.clone());
        let task = tokio::spawn(OUTLET.scope((duty.session.clone(), out), work)).abort_handle();
        let outlet = Lock::new(Outlet { said, next: duty.stride, last: None, pending: None });
        let (invocation, name) = (duty.invocation.clone(), duty.name.clone());
        let turn = Arc::new(Turn { invocation, name, inbox, outlet, task });
        self.hosting.turns.lock().insert(duty.session.clone(), Arc::clone(&turn));
        Ok(Ok(turn))
    }

    async fn next(&self, outlet: &mut Outlet, duty: &Duty) -> Result<Stride, store::Error> {
        if let Some(record) = &outlet.pending {
            let copied = match self.copy(record, &duty.journal).await {
                Err(error) if !matches!(error, store::Error::Gone(_) | store::Error::Moved) => {
                    return Err(error);
                }
                copied => copied,
            };
            if let Some(record) = outlet.pending.take() {
                // Nobody waits when the order was given up.
                let _ = record.kept.send(copied);
            }
        }
        let stride = match outlet.said.recv().await {
            Some(Said::Record(record)) => {
                let events = record.events.clone();
                outlet.pending = Some(record);
                Stride::Keep(events)
            }
            Some(Said::Over(over)) => Stride::Over(over),
            // The task fell over.
            None => Stride::Over(Box::new(Over {
                answer: Answer::Reply(Box::new(Reply::error("Internal error"))),
                meanwhile: Vec::new(),
                due: None,
                open: true,
                follows: false,
            })),
        };
        (outlet.next, outlet.last) = (duty.stride + 1, Some(stride.clone()));
        Ok(stride)
    }

    /// Brings what the host keeps into the store.
    async fn copy(&self, record: &Record, journal: &[String]) -> Result<Created, store::Error> {
        let (sessions, row, events) = (self.store.sessions(), record.row.clone(), record.events.clone());
        if let Some((key, limits)) = &record.made {
            let id = row.id.clone();
            return match self.make_copy(row, key.as_ref(), events, *limits).await {
                // It was made in a try that nobody saw the end of.
                Ok(Created::Exists(same)) | Err(store::Error::Taken(same)) if same == id => Ok(Created::Made),
                other => other,
            };
        }
        if !sessions.append(row, record.at, events, Claim::Free).await? {
            self.append_missing(record.row.clone(), journal).await?;
        }
        Ok(Created::Made)
    }

    async fn append_missing(&self, row: SessionRow, journal: &[String]) -> Result<(), store::Error> {
        let sessions = self.store.sessions();
        let have = sessions.events_after(&row.id, 0).await?.map_or(0, |events| events.len());
        if let Some(missing @ [_, ..]) = journal.get(have..) {
            sessions.append(row, have as u64, missing.to_vec(), Claim::Free).await?;
        }
        Ok(())
    }

    /// Brings the store up to the journal, where an order is taken up that another process began; an answer ends it.
    async fn catch_up(&self, duty: &Duty) -> Result<Option<Answer>, store::Error> {
        let state = match State::replay(&duty.session, &duty.journal) {
            Ok(state) => state,
            Err(error) => return Ok(Some(Err(Error::Definition(error.to_string())).into())),
        };
        let sessions = self.store.sessions();
        if sessions.row(&duty.session).await?.is_some() {
            self.append_missing(state.row(), &duty.journal).await?;
            return Ok(None);
        }
        let Order::Start { start, .. } = &duty.order else {
            return Ok(Some(Err(Error::NotFound(duty.session.clone())).into()));
        };
        // What is offered here may be other workflows by now: the store is asked.
        let since = state.session.workflow_version.map(|_| u64::MAX);
        let limits = SessionLimits { since, ..self.room() };
        match self.make_copy(state.row(), start.key.as_ref(), duty.journal.clone(), limits).await {
            Ok(Created::Made) => Ok(None),
            Ok(Created::Exists(first)) => Ok(Some(Answer::First(first))),
            Ok(Created::Full) => Ok(Some(Err(Error::Full(limits.most)).into())),
            Err(store::Error::Moved) => Ok(Some(Err(Error::NoWorkflow(state.session.workflow_name)).into())),
            Err(error) => Err(error),
        }
    }

    /// Keeps a session whose first record the host has, unless its workflow was taken out of the store meanwhile: whoever
    /// did that saw no session of it.
    async fn make_copy(
        &self,
        row: SessionRow,
        key: Option<&String>,
        events: Vec<String>,
        mut limits: SessionLimits,
    ) -> Result<Created, store::Error> {
        let sessions = self.store.sessions();
        loop {
            match sessions.create(row.clone(), key.cloned(), events.clone(), limits, Claim::Free).await {
                Err(store::Error::Moved) => match Box::pin(self.count_with(&row.workflow)).await {
                    Ok(count) => limits.since = Some(count),
                    Err(Error::Store(error)) => return Err(error),
                    Err(_) => return Err(store::Error::Moved),
                },
                made => return made,
            }
        }
    }

    /// How many sessions there may be when one more is to be made.
    pub(super) fn room(&self) -> SessionLimits {
        let limits = self.limits();
        let ttl = i64::try_from(limits.session_ttl_ms).unwrap_or(i64::MAX);
        SessionLimits {
            most: limits.max_sessions,
            finished_before: self.now().saturating_sub(ttl),
            evict_open: limits.evict_oldest,
            since: None,
        }
    }

    /// Carries an order out, and those that come meanwhile.
    async fn drive(
        self: Arc<Self>,
        duty: Duty,
        mut told: mpsc::UnboundedReceiver<(String, Order)>,
        out: mpsc::Sender<Said>,
    ) {
        let live = self.lives.get(&duty.session);
        let (mut answer, mut meanwhile, mut others) = (None, Vec::new(), FuturesUnordered::new());
        {
            let mut main = pin!(self.carry_out(&live, &duty));
            while answer.is_none() || !others.is_empty() {
                tokio::select! {
                    biased;
                    Some(one) = others.next(), if !others.is_empty() => meanwhile.push(one),
                    done = &mut main, if answer.is_none() => answer = Some(Answer::from(done)),
                    Some((name, order)) = told.recv(), if answer.is_none() => {
                        let live = Arc::clone(&live);
                        let inner = &self;
                        others.push(async move { (name, Answer::from(inner.ordered(&live, order, None).await)) });
                    }
                }
            }
        }
        let over = self.over(&live, answer.unwrap_or(Answer::Done(false)), meanwhile, &duty.order).await;
        let _ = out.send(Said::Over(Box::new(over))).await;
    }

    async fn over(
        &self,
        live: &Live,
        answer: Answer,
        meanwhile: Vec<(String, Answer)>,
        order: &Order,
    ) -> Over {
        let Ok(state) = self.recorded(live).await else {
            return Over { answer, meanwhile, due: None, open: false, follows: false };
        };
        let left = |at: i64| u64::try_from(at.saturating_sub(self.now())).unwrap_or(0);
        let follows = matches!(order, Order::Start { detached: true, .. }) && state.goes_on();
        let open = state.session.status.is_open();
        Over { answer, meanwhile, due: state.due().map(|at| (at, left(at))), open, follows }
    }

    /// Whether somebody asks about a session whose journal is kept elsewhere, who is not carrying out an order on it.
    pub(super) fn is_outside(&self, id: &str) -> bool {
        self.is_hosted() && !OUTLET.try_with(|(session, _)| session == id).unwrap_or(false)
    }

    /// Appends to the journal of a session, wherever it is kept.
    pub(super) async fn append(
        &self,
        row: SessionRow,
        at: u64,
        events: Vec<String>,
        claim: Claim,
    ) -> Result<bool, store::Error> {
        if !self.is_hosted() {
            return self.store.sessions().append(row, at, events, claim).await;
        }
        hand_over(row, at, events, None).await.map(|_| true)
    }

    /// Keeps a new session, wherever journals are kept.
    pub(super) async fn make(
        &self,
        row: SessionRow,
        key: Option<String>,
        events: Vec<String>,
        limits: SessionLimits,
        claim: Claim,
    ) -> Result<Created, store::Error> {
        if !self.is_hosted() {
            return self.store.sessions().create(row, key, events, limits, claim).await;
        }
        hand_over(row, 0, events, Some((key, limits))).await
    }
}

/// Gives a record to the host, and returns when it is kept. Outside of an order there is none.
async fn hand_over(
    row: SessionRow,
    at: u64,
    events: Vec<String>,
    made: Option<(Option<String>, SessionLimits)>,
) -> Result<Created, store::Error> {
    let out = OUTLET.try_with(|(_, out)| out.clone()).map_err(|_| store::Error::Closed)?;
    let (kept, done) = oneshot::channel();
    let record = Record { row, at, events, made, kept };
    out.send(Said::Record(Box::new(record))).await.map_err(|_| store::Error::Closed)?;
    done.await.map_err(|_| store::Error::Closed)?
}
