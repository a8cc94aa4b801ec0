//! Questions of servers to clients: sampling, elicitation, roots. Ids are ours on the way out and the
//! server's on the way back.

use super::Line;
use super::forward::with_token;
use super::message::notification;
use mcp::{Claim, Client, GONE, OVER, Said, Splice, WeakClient, member_at};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// What a client answered: its `result`, or its `error`.
pub(super) type Answer = Result<Box<RawValue>, Box<RawValue>>;

/// The answer to a server whose client has cancelled the request that it asked about.
const CANCELLED: &str =
    r#""error":{"code":-32603,"message":"The client cancelled the request that this belonged to"}"#;

/// How many ids an instance has before they come again.
const IDS: u64 = 1 << 20;

/// How many beginnings there are for the ids of an instance. All ids fit the numbers that every client can hold.
const BEGINNINGS: u64 = 1 << 24;

/// Questions that wait for a client's answer.
pub(super) struct Questions {
    /// The id before the first of this instance, drawn by lot: the answer to a question of another instance that
    /// lands here is nobody's.
    before: u64,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    asked: u64,
    by_id: HashMap<u64, Question>,
}

impl Default for Questions {
    fn default() -> Self {
        let drawn = RandomState::new().hash_one(std::process::id());
        Self { before: drawn % BEGINNINGS * IDS, open: Mutex::default() }
    }
}

struct Question {
    guest: u64,
    asker: Asker,
}

/// Who wants to know.
enum Asker {
    /// A server that asked by itself.
    Server(Asked),
    /// A request that needs the answer for its next round.
    Here(oneshot::Sender<Answer>),
}

/// What a server wants to know.
struct Asked {
    server: Client,
    /// Its own id of the question.
    id: Box<RawValue>,
    /// The token under which it wants to hear of progress.
    token: Option<Box<str>>,
    claim: Claim,
    /// The question as its client was asked it.
    message: Vec<u8>,
}

/// Why questions end that nobody has answered.
#[derive(Clone, Copy)]
pub(super) enum Over {
    /// The client is gone, or does not take them.
    Gone,
    /// The client cancelled the request that they belonged to.
    Cancelled,
    /// That request has its reply.
    Done,
    /// The time of that request is over.
    Late,
}

impl Over {
    /// What its server is told in place of an answer.
    fn to_server(self) -> &'static str {
        match self {
            Self::Gone => GONE,
            Self::Cancelled => CANCELLED,
            Self::Done | Self::Late => OVER,
        }
    }

    fn to_client(self) -> &'static str {
        match self {
            Self::Gone => "it cannot be answered any more",
            Self::Cancelled => "the request that it belonged to was cancelled",
            Self::Done => "the request that it belonged to is over",
            Self::Late => "the time of the request is over",
        }
    }
}

/// A question that is waited for.
pub(super) struct Asking<'a> {
    id: u64,
    answer: oneshot::Receiver<Answer>,
    line: &'a Line,
    all: &'a Questions,
}

impl Asking<'_> {
    /// The answer; `None` when there will be none.
    pub(super) async fn answer(&mut self) -> Option<Answer> {
        (&mut self.answer).await.ok()
    }

    /// Takes the question back: nobody waits for its answer any more.
    pub(super) async fn withdraw(&self) {
        for message in self.all.end(&[self.id], Over::Late) {
            let _ = self.line.send(message).await;
        }
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.all.call_off(&[self.id], Over::Cancelled, self.line);
    }
}

impl Questions {
    /// Passes a server's request on: the message for the client, under an id of ours.
    pub(super) fn ask(&self, guest: u64, mut said: Said) -> Option<(u64, Vec<u8>)> {
        let id = said.take()?;
        let params = said.params.as_deref().map(RawValue::get);
        let token = params.and_then(token_at);
        let own = token.clone().zip(params).map(|(at, params)| params[at].into());
        let (server, claim) = (said.from.clone(), said.claim.clone());
        let message = |number: u64| {
            // Servers choose their tokens without knowing of each other; ours is the number, which nobody else has.
            let renamed = token.zip(params).map(|(at, params)| replaced(params, at, &number.to_string()));
            write(number, &said.method, renamed.as_deref().or(params))
        };
        let mut asked = Vec::new();
        let number = self.open(guest, |number| {
            asked = message(number);
            Asker::Server(Asked { server, id, token: own, claim, message: asked.clone() })
        });
        Some((number, asked))
    }

    /// A question that a server asked and that still waits, as its client was asked it.
    pub(super) fn message(&self, id: u64) -> Option<Vec<u8>> {
        match &self.lock().by_id.get(&id)?.asker {
            Asker::Server(one) => Some(one.message.clone()),
            Asker::Here(_) => None,
        }
    }

    /// Passes on what a client tells of the progress of its answer, to the server that asked it.
    pub(super) fn progress(&self, guest: u64, params: &str) {
        let token = member_at(params, "progressToken").and_then(|at| params[at].parse::<u64>().ok());
        let asked = token.and_then(|id| match self.lock().by_id.get(&id)? {
            Question { guest: asked, asker: Asker::Server(one) } if *asked == guest => {
                Some((one.server.clone(), with_token(params, one.token.as_deref()?)))
            }
            _ => None,
        });
        if let Some((server, params)) = asked {
            server.notify("notifications/progress", Some(&params));
        }
    }

    /// Asks a client on behalf of a request that waits here.
    pub(super) fn ask_here<'a>(
        &'a self,
        (guest, line): (u64, &'a Line),
        method: &str,
        params: Option<&str>,
    ) -> (Asking<'a>, Vec<u8>) {
        let (sender, answer) = oneshot::channel();
        let id = self.open(guest, |_| Asker::Here(sender));
        (Asking { id, answer, line, all: self }, write(id, method, params))
    }

    fn open(&self, guest: u64, asker: impl FnOnce(u64) -> Asker) -> u64 {
        let mut open = self.lock();
        let id = loop {
            open.asked += 1;
            let id = self.before + open.asked % IDS;
            if !open.by_id.contains_key(&id) {
                break id;
            }
        };
        open.by_id.insert(id, Question { guest, asker: asker(id) });
        id
    }

    /// Gives a client's answer to whoever asked, and says whether it was one to a question of this instance. One that
    /// comes too late is dropped, since the client could not know; and so is one of a client that was not asked.
    pub(super) fn answer(&self, guest: u64, id: u64, answer: Answer) -> bool {
        let mut open = self.lock();
        let Some(question) = open.by_id.get(&id) else {
            return id.checked_sub(self.before).is_some_and(|own| own > 0 && own < IDS && own <= open.asked);
        };
        if question.guest != guest {
            return true;
        }
        let Some(question) = open.by_id.remove(&id) else { return true };
        drop(open);
        match question.asker {
            Asker::Here(waiting) => drop(waiting.send(answer)),
            Asker::Server(Asked { server, id, .. }) => match answer {
                Ok(result) => server.answer(&id, &format!(r#""result":{}"#, result.get())),
                Err(error) => server.answer(&id, &format!(r#""error":{}"#, error.get())),
            },
        }
        true
    }

    /// Ends the question among these that a server takes back: the id that the client knows it by, and what tells it.
    pub(super) fn withdraw(&self, among: &[u64], from: &Client, params: &str) -> Option<(u64, Vec<u8>)> {
        let at = member_at(params, "requestId")?;
        let mut open = self.lock();
        let meant = |id: &&u64| match open.by_id.get(id).map(|question| &question.asker) {
            Some(Asker::Server(one)) => one.id.get() == &params[at.clone()] && one.server.is(from),
            _ => false,
        };
        let id = *among.iter().find(meant)?;
        open.by_id.remove(&id);
        let params = replaced(params, at, &id.to_string());
        Some((id, notification("notifications/cancelled", Some(&params))))
    }

    /// Ends those of these questions that a server asked which is gone: their ids, and what tells the client.
    pub(super) fn withdraw_all(&self, among: &[u64], from: &WeakClient) -> Vec<(u64, Vec<u8>)> {
        let mut open = self.lock();
        let asked = |id: &&u64| match open.by_id.get(id).map(|question| &question.asker) {
            Some(Asker::Server(one)) => from.is(&one.server),
            _ => false,
        };
        let ids: Vec<u64> = among.iter().filter(asked).copied().collect();
        let told = |id: u64| {
            open.by_id.remove(&id);
            (id, withdrawal(id, "the server that asked is gone"))
        };
        ids.into_iter().map(told).collect()
    }

    /// Leaves a question to another request of the same client that it may belong to, where it is put again if the client
    /// may not have heard it; whether there is one.
    pub(super) fn pass_on(&self, id: u64, unheard: bool) -> bool {
        let asked = match self.lock().by_id.get(&id) {
            Some(Question { asker: Asker::Server(one), .. }) => Some((one.server.clone(), one.claim.clone())),
            _ => None,
        };
        asked.is_some_and(|(server, claim)| server.pass_on(&claim, id, unheard))
    }

    /// Forgets questions that nobody will answer any more; the servers that asked them are told why. What tells the
    /// client of each that was still open.
    pub(super) fn end(&self, ids: &[u64], over: Over) -> Vec<Vec<u8>> {
        let told = |id: &u64| {
            let question = self.lock().by_id.remove(id)?;
            if let Asker::Server(Asked { server, id, .. }) = question.asker {
                server.answer(&id, over.to_server());
            }
            Some(withdrawal(*id, over.to_client()))
        };
        ids.iter().filter_map(told).collect()
    }

    /// The same where nobody can wait: the client is told as far as there is room.
    pub(super) fn call_off(&self, ids: &[u64], over: Over, line: &Line) {
        for message in self.end(ids, over) {
            let _ = line.offer(message);
        }
    }

    /// The same where the client is gone, too.
    pub(super) fn abandon(&self, ids: &[u64]) {
        self.end(ids, Over::Gone);
    }

    /// The same for all that a client was asked, on whichever stream.
    pub(super) fn left(&self, guest: u64) {
        let asked = |(id, question): (&u64, &Question)| (question.guest == guest).then_some(*id);
        let ids: Vec<u64> = self.lock().by_id.iter().filter_map(asked).collect();
        self.abandon(&ids);
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tells a client that a question is over.
fn withdrawal(id: u64, reason: &str) -> Vec<u8> {
    let params = format!(r#"{{"requestId":{id},"reason":"{reason}"}}"#);
    notification("notifications/cancelled", Some(&params))
}

/// Where a request says under which token its server wants to hear of progress.
fn token_at(params: &str) -> Option<Range<usize>> {
    let meta = member_at(params, "_meta")?;
    let token = member_at(&params[meta.clone()], "progressToken")?;
    Some(meta.start + token.start..meta.start + token.end)
}

/// A text with something else in one place.
fn replaced(text: &str, at: Range<usize>, with: &str) -> String {
    [&text[..at.start], with, &text[at.end..]].concat()
}

/// A request without parameters stays without them.
fn write(id: u64, method: &str, params: Option<&str>) -> Vec<u8> {
    let mut out = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"#).into_bytes();
    // It is a server's, and so anything.
    mcp::quote(method, &mut out);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        Splice::new(params).write(&mut out);
    }
    out.push(b'}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Answer {
        Ok(RawValue::from_string("{}".into()).expect("JSON"))
    }

    fn id(asked: &[u8]) -> u64 {
        mcp::Message::parse(asked).and_then(|message| message.own_id()).expect("a number")
    }

    #[tokio::test]
    async fn an_answer_reaches_only_the_question_that_it_was_given_to() {
        // Two instances, each with an open question to the same client.
        let instances = [IDS, 7 * IDS].map(|before| Questions { before, open: Mutex::default() });
        let (line, _out) = mcp::mail(4);
        let [(_, first), (mut waits, second)] =
            instances.each_ref().map(|one| one.ask_here((5, &line), "m", Some("{}")));
        let [one, two] = &instances;
        assert!(!two.answer(5, id(&first), answer()), "it was asked elsewhere");
        assert!(two.answer(6, id(&second), answer()), "somebody else was asked, and it is only dropped");
        assert!(!two.answer(5, 999, answer()), "nobody asked");
        assert!(!two.answer(5, id(&second) + 1, answer()), "nobody asked yet");
        assert!(two.answer(5, id(&second), answer()));
        assert!(waits.answer().await.is_some());
        assert!(two.answer(5, id(&second), answer()), "it comes too late, and is only dropped");
        assert!(!one.answer(5, id(&second), answer()));
    }

    #[test]
    fn ids_are_numbers_that_every_client_can_hold_and_those_of_instances_differ() {
        let (line, _out) = mcp::mail(4);
        let ids = [(); 2].map(|()| id(&Questions::default().ask_here((1, &line), "m", Some("{}")).1));
        assert!(ids.iter().all(|id| *id < 1 << 45), "{ids:?}");
        assert_ne!(ids[0] / IDS, ids[1] / IDS);
    }
}
