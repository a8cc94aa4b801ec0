//! A legacy server that asks its client something, while the client is modern: the call is parked, the
//! client gets `input_required`, and its retry lets the server go on.

use super::catalog::Target;
use super::forward::era_of;
use super::guest::is_question;
use super::note::{Note, Notebook};
use super::relay::Relay;
use super::{Asked, Cancel, Guest, message};
use crate::caller::Caller;
use crate::carried::Carried;
use crate::exchange::Hearing;
use crate::gateway::Gateway;
use crate::hooks::Trace;
use crate::sent::Sent;
use crate::sight::Seen;
use mcp::{Era, Kind, Means, Said, Word, member_at, mentions};
use model::{Code, Fault};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
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
    hearing: Arc<Hearing>,
    /// How the client ends it: where the server's reason comes from.
    cancel: Option<Cancel>,
    /// Where the call leaves what it was for when nobody waits for it any more.
    note: Arc<Notebook>,
}

/// Takes over what a call leaves that ends with the request that waits for it.
struct Heir<'a> {
    call: Option<Arc<Notebook>>,
    request: &'a Notebook,
}

impl Drop for Heir<'_> {
    fn drop(&mut self) {
        if let Some(note) = self.call.take().and_then(Arc::into_inner) {
            self.request.footprint.take_over(note.footprint);
        }
    }
}

/// Takes over why a later round was cancelled: the call knows only how its first one may be.
struct Reason {
    call: Option<Cancel>,
    round: Option<Cancel>,
}

impl Drop for Reason {
    fn drop(&mut self) {
        if let (Some(call), Some(reason)) = (&self.call, self.round.as_ref().and_then(Cancel::reason)) {
            call.explain(reason);
        }
    }
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
    /// Whether nothing is waited for any more, such as a call whose time is over.
    fn is_over(&self) -> bool {
        matches!(self, Work::Alone(task) if task.is_finished())
    }

    /// Ends it; gives what came of it where it has come to its end before.
    async fn end(mut self) -> Option<Carried> {
        let Work::Alone(task) = &mut self else { return None };
        task.abort();
        task.await.ok()
    }

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
    /// The server's question.
    said: Said,
    /// What was asked for, so that no other request can take its place.
    about: String,
    /// The same for the log of requests, and by whom.
    client: String,
    method: String,
    target: Target,
}

impl Gateway {
    /// Whether a request may have to outlive the round in which it came: its server may ask, and its client answers with
    /// the next. Hooks and graphs may lead it to such a server.
    pub(super) fn flies(&self, asked: &Asked<'_>, target: &Target) -> bool {
        if asked.guest.era() != Era::Modern || asked.key_path().is_empty() {
            return false;
        }
        match (state_in(asked), era_of(target)) {
            (Some(_), Era::Legacy) => true,
            (None, Era::Legacy) => asked.guest.can_be_asked(),
            (Some(state), Era::Modern) if self.number_in(state).is_some() => true,
            (_, Era::Modern) => asked.guest.can_be_asked() && self.may_be_led(asked.method),
        }
    }

    /// Whether a request may go to another server than it names.
    fn may_be_led(&self, method: &str) -> bool {
        let named = matches!(method, "tools/call" | "prompts/get" | "resources/read");
        named && (!self.hooks.idle(&self.settings()) || self.graphs.active(method).is_some())
    }

    /// Whether a state that is not of a call parked here may be a modern server's own, or a hook's.
    fn may_be_foreign(&self, asked: &Asked<'_>, state: &str, target: &Target) -> bool {
        let led = era_of(target) == Era::Modern || self.may_be_led(asked.method);
        led && self.number_in(state).is_none()
    }

    /// A modern client's request that may have to wait for its client.
    pub(super) async fn fly(
        self: &Arc<Self>,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
    ) -> Vec<u8> {
        match self.flown(asked, sent, target).await {
            Ok(carried) => self.reply(asked, target, carried),
            Err(reply) => reply,
        }
    }

    /// What came of it; a reply where the client must do something first.
    pub(super) async fn flown(
        self: &Arc<Self>,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
    ) -> Result<Carried, Vec<u8>> {
        let flying = match state_in(asked) {
            None => self.take_off(asked, sent, target),
            Some(state) if self.may_be_foreign(asked, state, target) => self.take_off(asked, sent, target),
            Some(state) => self.unpark(asked, state, &about(asked, target))?,
        };
        self.attend(asked, sent, flying, target).await
    }

    /// Whether a request is the retry that lets a parked call go on. That one is in flight and has its place within the
    /// limits, which its client must not need twice.
    pub(super) fn goes_on(&self, asked: &Asked<'_>) -> bool {
        if asked.guest.era() != Era::Modern || state_in(asked).is_none() {
            return false;
        }
        let sent = Sent::new(asked.params, asked.key_path());
        let Some(key) = sent.key() else { return false };
        if asked.method == "tools/call" && self.is_own(asked, &key) {
            // What is parked may be the call that was chosen in a round.
            let chosen = self.next_round_of(asked, sent.text()).ok().flatten();
            return chosen.is_some_and(|chosen| self.goes_on(&Asked { params: Some(&chosen), ..*asked }));
        }
        let catalog = self.catalog_of(&asked.caller());
        let targets = match asked.method {
            "tools/call" => catalog.find(Kind::Tools, &key).into_iter().collect(),
            "prompts/get" => catalog.find(Kind::Prompts, &key).into_iter().collect(),
            "resources/read" => catalog.find_resource(&key),
            _ => Vec::new(),
        };
        self.parked_at(asked, &targets).is_some_and(|target| self.flies(asked, target))
    }

    /// Which of these has the call that a retry is about.
    pub(super) fn parked_at<'t>(&self, asked: &Asked<'_>, targets: &'t [Target]) -> Option<&'t Target> {
        let number = self.number_in(state_in(asked)?)?;
        let lots = self.endpoint.parking.lock();
        let parked = lots.get(&number)?;
        targets.iter().find(|target| about(asked, target) == parked.about)
    }

    fn take_off(self: &Arc<Self>, asked: &Asked<'_>, sent: &Sent<'_>, target: &Target) -> Flying {
        let settings = self.settings();
        let (mut hearing, heard) = Hearing::new(&asked.caller(), asked.cancel, &settings);
        hearing.listener.means = Means::Reply;
        let hearing = Arc::new(hearing);
        let its_hearing = Arc::clone(&hearing);
        let (gateway, target, guest) = (self.clone(), target.clone(), asked.guest.clone());
        let (method, params) = (asked.method.to_owned(), asked.params.map(ToOwned::to_owned));
        let talk = asked.talk.cloned();
        let (id, line) = (asked.id.to_owned(), asked.line.clone());
        let (name, pass, places) =
            (asked.name.map(str::to_owned), asked.pass.cloned(), sent.places().clone());
        let note = Arc::new(Notebook::new(asked.note.way, Instant::now()));
        let its = Arc::clone(&note);
        // Held as long as the server has the call.
        let entered = asked.entered.cloned();
        let work = Box::pin(async move {
            let asked = Asked {
                guest: &guest,
                name: name.as_deref(),
                pass: pass.as_ref(),
                id: &id,
                method: &method,
                params: params.as_deref(),
                talk: talk.as_ref(),
                line: &line,
                note: &its,
                cancel: None,
                entered: entered.as_ref(),
            };
            let sent = Sent::at(asked.params, places).within(asked.talk);
            let done = gateway.once(&asked, &sent, &target, &its_hearing, &settings).await;
            gateway.note_task(&asked, &target, &done, its_hearing.begun.get(), None);
            done
        });
        Flying { work: Work::Here(work), heard, hearing, cancel: asked.cancel.cloned(), note }
    }

    /// Passes on what is said until the call is done or asks something.
    async fn attend(
        self: &Arc<Self>,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        flying: Flying,
        target: &Target,
    ) -> Result<Carried, Vec<u8>> {
        // Dropped after the call is.
        let _heir = Heir { call: Some(Arc::clone(&flying.note)), request: asked.note };
        let mut flying = flying;
        let Hearing { ticks, listener, .. } = &*flying.hearing;
        let mut relay = Relay::new(self, asked, sent.token(), ticks.clone(), listener);
        // Dropped before the call is.
        let _reason = Reason { call: flying.cancel.clone(), round: asked.cancel.cloned() };
        loop {
            tokio::select! {
                biased;
                Some(said) = flying.heard.recv() => match is_asked(&said) && can_answer(asked.guest, &said) {
                    true if said.is_open() => return Err(self.park(asked, flying, *said, target)),
                    // The call that it belonged to is over.
                    true => drop(said),
                    false => relay.pass(*said).await,
                },
                carried = &mut flying.work => {
                    while let Some(said) = flying.heard.try_recv() {
                        // What is asked now is for another call of the client.
                        if !is_asked(&said) {
                            relay.pass(*said).await;
                        }
                    }
                    return Ok(relay.explain(carried));
                }
            }
        }
    }

    fn park(self: &Arc<Self>, asked: &Asked<'_>, mut flying: Flying, said: Said, target: &Target) -> Vec<u8> {
        let number = Guest::fresh_number();
        let ran = flying.hearing.ran.get().cloned().unwrap_or_default();
        let (reply, server) = (self.asks(asked, number, &said, &ran), said.from.clone());
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
            flying.hearing.listener.ear.set_waiting(true);
            flying.work.alone();
            let (about, target) = (about(asked, target), target.clone());
            let (client, method) = (asked.caller().id().to_owned(), asked.method.to_owned());
            lots.insert(number, Parked { flying, said, about, client, method, target });
        }
        // It may have ended meanwhile.
        server.sweep();
        asked.note.set(Note::new(asked, target.clone(), None, ran));
        self.tow_away_later(number);
        reply
    }

    /// The server's question as a result, with the state under which its call waits.
    fn asks(&self, asked: &Asked<'_>, number: u64, said: &Said, ran: &Trace) -> Vec<u8> {
        let state = self.seal.seal(PURPOSE, &number.to_le_bytes());
        let params = said.params.as_deref().map(|params| format!(r#","params":{}"#, params.get()));
        let question = format!(r#"{{"method":"{}"{}}}"#, said.method, params.unwrap_or_default());
        message::signed(
            asked.id,
            &format!(
                r#"{{"resultType":"input_required","inputRequests":{{"{KEY}":{question}}},"requestState":"{state}"}}"#
            ),
            &self.told_of(ran),
        )
    }

    /// A client that does not come back does not hold its call for ever.
    fn tow_away_later(self: &Arc<Self>, number: u64) {
        let (gateway, limit) = (Arc::downgrade(self), Duration::from_millis(self.settings().max_timeout));
        tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            let Some(gateway) = gateway.upgrade() else { return };
            let parked = gateway.endpoint.parking.lock().remove(&number);
            if let Some(parked) = parked {
                gateway.tow_away(parked).await;
            }
        });
    }

    /// Ends a call whose client did not come back. No request waits for it, so it is seen as one of its own.
    async fn tow_away(&self, parked: Parked) {
        let Parked { flying: Flying { work, note, .. }, client, method, target, .. } = parked;
        let carried = work.end().await;
        let caller = Caller::new(Some(&client)).leaving(&note.footprint);
        let visit = self.visited(note.way, &method, note.began).by(caller);
        if let Some(Carried { code, trace, .. }) = carried {
            let (server, tool) =
                (Some(target.server.name()), (method == "tools/call").then_some(&*target.own));
            visit.close(&Seen { caller, server, tool, code, hooks: Some(&trace) });
        }
    }

    /// Gives the client's answer to the server and lets the call go on. Each state is good for one answer, which reaches the
    /// server also where this call is over and another of the client waits for it. Who comes back without it is asked
    /// again, unless the call is over or the server has taken back its question meanwhile.
    fn unpark(&self, asked: &Asked<'_>, state: &str, about: &str) -> Result<Flying, Vec<u8>> {
        let stray = || message::error(asked.id, -32602, STRAY, None);
        let number = self.number_in(state).ok_or_else(stray)?;
        let params = asked.params.map_or("{}", RawValue::get);
        let answers = member_at(params, "inputResponses").map(|at| &params[at]);
        let answer = answers.and_then(|all| member_at(all, KEY).map(|at| &all[at]));
        let mut lots = self.endpoint.parking.lock();
        let parked = lots.get(&number).filter(|parked| parked.about == about).ok_or_else(stray)?;
        let open = parked.said.is_open();
        match answer {
            None if open && !parked.flying.work.is_over() => {
                let ran = parked.flying.hearing.ran.get().cloned().unwrap_or_default();
                return Err(self.asks(asked, number, &parked.said, &ran));
            }
            Some(answer) if open && !answer.starts_with('{') => {
                let text = format!("Invalid inputResponses: '{KEY}' must be an object");
                return Err(message::error(asked.id, -32602, &text, None));
            }
            _ => {}
        }
        let Parked { flying, mut said, .. } = lots.remove(&number).ok_or_else(stray)?;
        drop(lots);
        flying.hearing.listener.ear.set_waiting(false);
        // Without an answer it goes to the other call that it may belong to.
        if let Some(answer) = answer.filter(|_| said.is_open()) {
            said.answer(&format!(r#""result":{answer}"#));
        }
        Ok(flying)
    }

    /// The number of the call that a state stands for.
    fn number_in(&self, state: &str) -> Option<u64> {
        let token: String = serde_json::from_str(state).ok()?;
        Some(u64::from_le_bytes(self.seal.open(PURPOSE, &token)?.try_into().ok()?))
    }
}

/// What is asked for, and by whom.
fn about(asked: &Asked<'_>, target: &Target) -> String {
    let key = asked.pass.map_or("", |pass| pass.name());
    format!("{} {} {} {key}", asked.method, target.server.name(), target.own)
}

/// The state that a retry brings, as it was written.
pub(super) fn state_in<'a>(asked: &Asked<'a>) -> Option<&'a str> {
    let params = asked.params?.get();
    static STATE: Word = Word::new("requestState");
    let at = mentions(params, &STATE).then(|| member_at(params, STATE.text())).flatten();
    at.map(|at| &params[at])
}

/// Whether a server wants to know something of a modern client.
fn is_asked(said: &Said) -> bool {
    said.id.is_some() && is_question(&said.method)
}

fn can_answer(guest: &Guest, said: &Said) -> bool {
    guest.can_answer(&said.method, said.params.as_deref().map_or("{}", RawValue::get)).is_ok()
}
