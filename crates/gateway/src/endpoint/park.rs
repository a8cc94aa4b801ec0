//! A legacy server that asks its client something, while the client is modern: the call is parked, the
//! client gets `input_required`, and its retry lets the server go on.

use super::catalog::Target;
use super::forward::Relay;
use super::note::Notebook;
use super::{Asked, Guest, message};
use crate::call::Carried;
use crate::exchange::Hearing;
use crate::gateway::Gateway;
use crate::sent::Sent;
use mcp::{Client, Era, Said, member_at};
use model::{Code, Fault};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Calls that may be parked at once.
const PARKED_MAX: usize = 1000;

/// What a sealed `requestState` is for.
const PURPOSE: &str = "mcp-request-state";

/// The answer to a state that no call waits under here.
const STRAY: &str = "Invalid or expired requestState; no call waits under it on this instance. Make the call again \
                     without requestState";

/// The one key under which a server's question is passed on.
const KEY: &str = "question";

/// Calls that wait for their client to come back.
#[derive(Default)]
pub(super) struct Parking {
    lots: Mutex<HashMap<u64, Parked>>,
}

impl Parking {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Parked>> {
        self.lots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that may outlive the request it came with.
struct Flying {
    work: Work,
    heard: mcp::Receiver<Box<Said>>,
    ticks: Option<Arc<Notify>>,
    /// Set while the call waits for its client.
    waiting: Arc<AtomicBool>,
}

/// Who drives a call: whoever waits for it, or, while it is parked, itself.
enum Work {
    Here(Pin<Box<dyn Future<Output = Carried> + Send>>),
    Alone(JoinHandle<Carried>),
}

impl Future for Work {
    type Output = Carried;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Carried> {
        match self.get_mut() {
            Work::Here(work) => work.as_mut().poll(context),
            Work::Alone(task) => Pin::new(task).poll(context).map(|done| {
                done.unwrap_or_else(|_| Carried::refused(Fault::new(Code::InternalError, "Internal error")))
            }),
        }
    }
}

impl Work {
    /// The call goes on by itself, so that its time runs.
    fn alone(&mut self) {
        if let Work::Here(work) = self {
            let work = std::mem::replace(work, Box::pin(std::future::pending()));
            *self = Work::Alone(tokio::spawn(work));
        }
    }
}

/// Whoever stops listening for good ends the call.
impl Drop for Work {
    fn drop(&mut self) {
        if let Work::Alone(task) = self {
            task.abort();
        }
    }
}

struct Parked {
    flying: Flying,
    asker: Client,
    question: Box<RawValue>,
    /// What was asked for, so that no other request can take its place.
    about: String,
}

impl Gateway {
    /// A modern client's request to a legacy server.
    pub(super) async fn fly(
        self: &Arc<Self>,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
    ) -> Vec<u8> {
        let key = asked.pass.map_or("", |pass| pass.name());
        let about = format!("{} {} {} {key}", asked.method, target.server.name(), target.own);
        let params = asked.params.map_or("{}", RawValue::get);
        let flying = match member_at(params, "requestState").map(|at| &params[at]) {
            None => self.take_off(asked, target),
            Some(state) => match self.unpark(state, params, &about) {
                Some(flying) => flying,
                None => return message::error(asked.id, -32602, STRAY, None),
            },
        };
        self.attend(asked, sent, flying, target, about).await
    }

    fn take_off(self: &Arc<Self>, asked: &Asked<'_>, target: &Target) -> Flying {
        let settings = self.settings();
        let (hearing, heard) = Hearing::new(asked.guest.number, &settings);
        let (ticks, waiting) = (hearing.ticks.clone(), hearing.listener.waiting.clone());
        let (gateway, target, guest) = (self.clone(), target.clone(), asked.guest.clone());
        let (method, params) = (asked.method.to_owned(), asked.params.map(ToOwned::to_owned));
        let (id, line) = (asked.id.to_owned(), asked.line.clone());
        let (name, pass) = (asked.name.map(str::to_owned), asked.pass.cloned());
        let work = Box::pin(async move {
            let asked = Asked {
                guest: &guest,
                name: name.as_deref(),
                pass: pass.as_ref(),
                id: &id,
                method: &method,
                params: params.as_deref(),
                line: &line,
                note: &Notebook::new(Instant::now()),
            };
            let sent = Sent::new(asked.params, asked.key_path());
            gateway.once(&asked, &sent, &target, &hearing, &settings).await
        });
        Flying { work: Work::Here(work), heard, ticks, waiting }
    }

    /// Passes on what is said until the call is done or asks something.
    async fn attend(
        self: &Arc<Self>,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        mut flying: Flying,
        target: &Target,
        about: String,
    ) -> Vec<u8> {
        let mut relay = Relay::new(self, asked, sent.token(), flying.ticks.clone());
        let mut lacking = None;
        loop {
            tokio::select! {
                biased;
                Some(said) = flying.heard.recv() => match (said.id.is_some(), asked.guest.can_answer(&said.method)) {
                    (false, _) => relay.pass(*said).await,
                    (true, Ok(())) => return self.park(asked, flying, *said, about),
                    // It may be the server's own idea, so the call goes on; if it fails, this is why.
                    (true, Err(capability)) => {
                        relay.pass(*said).await;
                        lacking = Some(capability);
                    }
                },
                carried = &mut flying.work => {
                    while let Some(said) = flying.heard.try_recv() {
                        relay.pass(*said).await;
                    }
                    return match lacking.filter(|_| carried.outcome.is_err()) {
                        Some(capability) => missing_capability(asked, capability),
                        None => self.reply(asked, target, Era::Legacy, carried),
                    };
                }
            }
        }
    }

    fn park(self: &Arc<Self>, asked: &Asked<'_>, mut flying: Flying, said: Said, about: String) -> Vec<u8> {
        let Some(question) = said.id else { return message::error(asked.id, -32603, "Internal error", None) };
        let number = Guest::fresh_number();
        {
            let mut lots = self.endpoint.parking.lock();
            if lots.len() >= PARKED_MAX {
                return message::error(
                    asked.id,
                    -32603,
                    "Too many calls wait for their clients; try again later",
                    None,
                );
            }
            flying.waiting.store(true, Relaxed);
            flying.work.alone();
            lots.insert(number, Parked { flying, asker: said.from, question, about });
        }
        self.tow_away_later(number);
        let state = self.seal.seal(PURPOSE, &number.to_le_bytes());
        let params = said.params.as_deref().map_or("{}", RawValue::get);
        message::signed(
            asked.id,
            &format!(
                r#"{{"resultType":"input_required","inputRequests":{{"{KEY}":{{"method":"{}","params":{params}}}}},"requestState":"{state}"}}"#,
                said.method
            ),
        )
    }

    /// A client that does not come back does not hold its call for ever.
    fn tow_away_later(self: &Arc<Self>, number: u64) {
        let (gateway, limit) = (Arc::downgrade(self), Duration::from_millis(self.settings().max_timeout));
        tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            if let Some(gateway) = gateway.upgrade() {
                gateway.endpoint.parking.lock().remove(&number);
            }
        });
    }

    /// Gives the client's answer to the server and lets the call go on. Each state is good once.
    fn unpark(&self, state: &str, params: &str, about: &str) -> Option<Flying> {
        let token: String = serde_json::from_str(state).ok()?;
        let number = u64::from_le_bytes(self.seal.open(PURPOSE, &token)?.try_into().ok()?);
        let answer = member_at(params, "inputResponses").map(|at| &params[at]);
        let answer = answer.and_then(|all| member_at(all, KEY).map(|at| &all[at]))?;
        let mut lots = self.endpoint.parking.lock();
        if lots.get(&number)?.about != about {
            return None;
        }
        let parked = lots.remove(&number)?;
        drop(lots);
        parked.flying.waiting.store(false, Relaxed);
        parked.asker.answer(&parked.question, &format!(r#""result":{answer}"#));
        Some(parked.flying)
    }
}

fn missing_capability(asked: &Asked<'_>, capability: &str) -> Vec<u8> {
    let text = format!("The server asks for '{capability}', which the client does not offer");
    let data = json!({"requiredCapabilities": {capability: {}}});
    message::error(asked.id, -32021, &text, Some(&data))
}
