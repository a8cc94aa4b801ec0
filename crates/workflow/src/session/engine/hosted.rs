//! The side that asks, where a [`Host`] keeps the journals: every call becomes an order.

use super::host::{Answer, Host, Order};
use super::live::Live;
use super::turn::Turns;
use super::{Continue, Ear, Engine, Error, Inner, Start};
use crate::session::plan::Plan;
use crate::session::reply::Reply;
use crate::session::state::State;
use model::session::WorkflowSession;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many sessions are taken over in one go.
const BATCH: usize = 256;

/// Where journals are kept, if not in the store.
#[derive(Default)]
pub(crate) struct Hosting {
    elsewhere: AtomicBool,
    host: OnceLock<Arc<dyn Host>>,
    /// Orders that are carried out here.
    pub(super) turns: Turns,
    /// Who hears what happens during an order, by its name.
    ears: Mutex<HashMap<String, Ear>>,
}

/// An order that is to reach a session whose step is under way on some instance.
#[derive(Serialize, Deserialize)]
struct Hint {
    /// The session.
    interrupts: String,
    name: String,
    order: Order,
}

impl Engine {
    /// From now on journals are kept elsewhere; until [`Engine::set_host`] sessions cannot be used.
    pub fn expect_host(&self) {
        self.0.hosting.elsewhere.store(true, Ordering::Relaxed);
    }

    /// From now on this host keeps the journals. It is set once.
    pub fn set_host(&self, host: Arc<dyn Host>) {
        self.expect_host();
        if self.0.hosting.host.set(host).is_err() {
            tracing::error!("sessions have a host already");
        }
    }

    /// Whether journals are kept elsewhere.
    pub fn is_hosted(&self) -> bool {
        self.0.is_hosted()
    }

    /// Has the host look at sessions that are under way or have timers, which may have begun without it.
    pub async fn take_over(&self) {
        loop {
            match self.0.store.sessions().take_up(i64::MAX, &self.0.lease(), BATCH).await {
                Ok(taken) if taken.is_empty() => return,
                Ok(taken) => taken.into_iter().for_each(|id| self.0.post(id, Order::Look)),
                Err(error) => {
                    return tracing::warn!(reason = %error, "sessions that were under way cannot be read");
                }
            }
        }
    }

    /// The events of a session as the store has them.
    pub async fn copied(&self, id: &str) -> Result<Option<Vec<String>>, store::Error> {
        self.0.store.sessions().events_after(id, 0).await
    }

    /// Passes orders on to steps that are under way here, until the store is gone.
    pub(super) async fn hear_hints(&self) {
        let mut heard = self.0.store.bus().subscribe();
        while let Some(text) = heard.next().await {
            if let Ok(hint) = serde_json::from_str::<Hint>(&text) {
                self.0.hosting.turns.tell(&hint.interrupts, &hint.name, &hint.order);
            }
        }
    }
}

impl Hosting {
    pub(super) fn ear(&self, name: &str) -> Option<Ear> {
        self.ears.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

impl Inner {
    /// Whether journals are kept elsewhere.
    pub(super) fn is_hosted(&self) -> bool {
        self.hosting.elsewhere.load(Ordering::Relaxed)
    }

    /// A session as the store has it.
    pub(super) async fn copy_of(&self, id: &str) -> Result<(Arc<Live>, Arc<State>), Error> {
        let stored = self.store.sessions().get(id).await?;
        let stored = stored.ok_or_else(|| Error::NotFound(id.to_owned()))?;
        let state =
            State::replay(id, &stored.events).map_err(|error| Error::Definition(error.to_string()))?;
        Ok((self.lives.get(id), Arc::new(state)))
    }

    /// Has an order carried out.
    pub(super) async fn ask(&self, id: &str, order: Order, ear: Option<Ear>) -> Result<Answer, Error> {
        self.ask_as(id, &super::entry::new_id(), order, ear).await
    }

    async fn ask_as(&self, id: &str, name: &str, order: Order, ear: Option<Ear>) -> Result<Answer, Error> {
        let host = self.hosting.host.get().ok_or_else(|| Error::Away("the gateway is starting".into()))?;
        let ears = || self.hosting.ears.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ear) = ear {
            ears().insert(name.to_owned(), ear);
        }
        let answer = host.ask(id, name, order).await;
        ears().remove(name);
        match answer.map_err(Error::Away)? {
            Answer::Refused(refusal) => Err(refusal.into()),
            answer => Ok(answer),
        }
    }

    /// The same, for what is answered with a reply.
    pub(super) async fn ask_reply(&self, id: &str, order: Order, ear: Option<Ear>) -> Result<Reply, Error> {
        self.ask(id, order, ear).await.and_then(reply_of)
    }

    /// Has an order carried out some time.
    pub(super) fn post(&self, id: String, order: Order) {
        let Some(host) = self.hosting.host.get().cloned() else { return };
        tokio::spawn(async move {
            if let Err(reason) = host.post(&id, order).await {
                tracing::warn!(session = id, reason, "a session could not be woken");
            }
        });
    }

    /// Has an order carried out that must not wait for the step that is under way: whoever runs it is told.
    pub(super) async fn interrupt(&self, live: &Live, order: Order) -> Result<Reply, Error> {
        let (id, name) = (live.id.as_str(), super::entry::new_id());
        if !self.hosting.turns.tell(id, &name, &order) && self.store.is_shared() {
            let hint = Hint { interrupts: id.to_owned(), name: name.clone(), order: order.clone() };
            let text = serde_json::to_string(&hint).expect("an order is plain data");
            if let Err(error) = self.store.bus().publish(&text).await {
                tracing::debug!(reason = %error, "other instances could not be told");
            }
        }
        self.ask_as(id, &name, order, None).await.and_then(reply_of)
    }

    /// Starts a session; gives its id, or that of the one that was started before with the same key.
    pub(super) async fn start_hosted(
        &self,
        id: String,
        plan: &Plan,
        mut start: Start,
    ) -> Result<(String, Reply), Error> {
        self.keep_definition(plan).await?;
        let (ear, steps) = (start.ear.take(), start.steps);
        let order = Order::Start { definition: plan.hash.clone(), start: Box::new(start), detached: false };
        match self.ask(&id, order, ear).await? {
            Answer::First(first) => {
                let reply = self.ask_reply(&first, Order::Again { steps }, None).await?;
                Ok((first, reply))
            }
            other => Ok((id, reply_of(other)?)),
        }
    }

    /// Starts a session whose steps nobody waits for.
    pub(super) async fn detach_hosted(&self, plan: &Plan, start: Start) -> Result<WorkflowSession, Error> {
        self.keep_definition(plan).await?;
        let order = Order::Start { definition: plan.hash.clone(), start: Box::new(start), detached: true };
        match self.ask(&super::entry::new_id(), order, None).await? {
            Answer::Session(session) => Ok(*session),
            Answer::First(first) => Ok(self.open(&first).await?.1.session.clone()),
            _ => Err(unexpected()),
        }
    }

    /// Runs the next step of a session.
    pub(super) async fn proceed_hosted(&self, workflow: &str, mut request: Continue) -> Result<Reply, Error> {
        let id = match self.meant(workflow, &request).await? {
            Ok(id) => id,
            Err(reply) => return Ok(reply),
        };
        let (_, known) = self.known(&id).await?;
        self.check_owner(Some(workflow), request.client_id.as_deref(), &known)?;
        request.session = Some(id.clone());
        request.seen.get_or_insert(known.events);
        let ear = request.ear.take();
        let order = Order::Continue { workflow: workflow.to_owned(), request: Box::new(request) };
        self.ask_reply(&id, order, ear).await
    }

    /// Brings an event to one session; says whether it took it.
    pub(super) async fn bring(&self, id: &str, wake: super::Wake) -> Result<bool, Error> {
        self.known(id).await?;
        Ok(matches!(self.ask(id, Order::Event(wake), None).await?, Answer::Done(true)))
    }
}

fn reply_of(answer: Answer) -> Result<Reply, Error> {
    match answer {
        Answer::Reply(reply) => Ok(*reply),
        _ => Err(unexpected()),
    }
}

/// Only an instance of another version answers with something else.
fn unexpected() -> Error {
    Error::Away("another instance gave an answer that cannot be read".into())
}
