//! Tasks that were begun through this gateway: at which server, by whom, with which request.

use super::catalog::Target;
use super::following::{Following, Tale};
use super::{Asked, Line};
use crate::caller::Caller;
use crate::carried::{Carried, Failure};
use crate::errand::Errand;
use crate::hooks::Left;
use mcp::{Era, Splice, Word, member_at};
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many tasks are remembered; the oldest are forgotten first.
const TASKS_MAX: usize = 10_000;

/// How many bytes of the requests that began tasks are kept; those of the oldest go first.
const BYTES_MAX: usize = 16 << 20;

/// Which server has which task, and of which tool.
#[derive(Default)]
pub(super) struct Tasks {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Those with the same id, which several servers may give.
    by_id: HashMap<String, Vec<Begun>>,
    order: VecDeque<String>,
    /// Those whose request is kept, and its bytes in all.
    whole: VecDeque<String>,
    bytes: usize,
}

/// A task that a caller began.
struct Begun {
    /// The tool.
    target: Target,
    /// The client that called it, its era, and the caller's id.
    client: u64,
    era: Era,
    caller: Box<str>,
    /// The session that has a process of the server to itself, whose ids mean nothing elsewhere.
    process: Option<u64>,
    /// The request as the hooks left it, while there is room for it.
    request: Option<Request>,
    /// Who hears of its progress, until it has ended.
    following: Option<Following>,
    /// When it was begun, and for how long its server promised to keep it.
    began: Instant,
    ttl: Option<Duration>,
    /// Whether there is nothing left to fetch: its result was, or it was cancelled.
    fetched: bool,
}

/// Where the caller's own task of an id is.
pub(super) enum Found {
    /// At the server of this name.
    At(String),
    /// At more than one server, and nothing tells which is meant.
    Several,
    /// Others have such a task.
    Foreign,
    /// Nobody has begun one.
    Unknown,
}

/// What hooks that see the result of a task see of the request that began it.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) params: Arc<str>,
    pub(super) shared: Option<Arc<str>>,
}

impl Request {
    fn bytes(&self) -> usize {
        self.params.len() + self.shared.as_deref().map_or(0, str::len)
    }
}

impl Begun {
    fn is_of(&self, server: &str) -> bool {
        self.target.server.name() == server
    }

    /// The process that gave the id.
    fn place(&self) -> (&str, Option<u64>) {
        (self.target.server.name(), self.process)
    }

    /// Whether its server need not have it any more.
    fn is_past(&self) -> bool {
        self.ttl.is_some_and(|ttl| self.began.elapsed() >= ttl)
    }

    /// Whether it is that caller's, from where the caller is.
    fn is_own(&self, caller: &Caller<'_>) -> bool {
        let reached = self.process.is_none() || self.process == caller.session();
        reached && *self.caller == *caller.id()
    }
}

/// Those that are still meant, the newest first. A server that gives an id again, such as one that was started anew,
/// means the last; each process gives ids of its own.
fn standing(begun: &[Begun]) -> impl Iterator<Item = &Begun> {
    let mut met = HashSet::new();
    begun.iter().rev().filter(move |one| met.insert(one.place()))
}

/// Only those that are rather meant, where there are any.
fn prefer(all: &mut Vec<&Begun>, meant: impl Fn(&Begun) -> bool) {
    if all.iter().any(|one| meant(one)) {
        all.retain(|one| meant(one));
    }
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the task that a server made of a call of that tool.
    pub(super) fn note(
        &self,
        asked: &Asked<'_>,
        target: Target,
        id: &str,
        left: &Left,
        ttl: Option<Duration>,
    ) {
        let sent = asked.params.map(RawValue::get);
        let params = if left.params.is_empty() { sent } else { Some(&*left.params) };
        let request = params
            .map(|params| Request { params: params.into(), shared: left.shared.as_deref().map(Into::into) });
        let bytes = request.as_ref().map(Request::bytes);
        let begun = Begun {
            process: target.server.clients().and(asked.guest.session()),
            target,
            client: asked.guest.number,
            era: asked.guest.era(),
            caller: asked.caller().id().into(),
            request,
            following: None,
            began: Instant::now(),
            ttl,
            fetched: false,
        };
        let mut known = self.lock();
        let all = known.by_id.entry(id.to_owned()).or_default();
        // What had this id before is over.
        let before = all.iter_mut().filter(|one| one.place() == begun.place());
        before.for_each(|one| one.following = None);
        all.push(begun);
        if let Some(bytes) = bytes {
            known.bytes += bytes;
            known.whole.push_back(id.to_owned());
            known.make_room();
        }
        known.order.push_back(id.to_owned());
        if known.order.len() > TASKS_MAX
            && let Some(oldest) = known.order.pop_front()
        {
            known.forget(&oldest);
        }
    }

    /// Keeps what follows a task that a client began, in place of what did before.
    pub(super) fn follow(&self, client: u64, server: &str, id: &str, following: Following) {
        let known = &mut self.lock();
        if let Some(own) = known.own(client, server, id) {
            own.following = Some(following);
        }
    }

    /// A client waits for the result of a task. It may hear of its progress there, where it began it.
    pub(super) fn await_result(&self, asked: &Asked<'_>, server: &str, id: &str) {
        let known = &mut self.lock();
        let own = known.own(asked.guest.number, server, id).and_then(|one| one.following.as_mut());
        own.into_iter().for_each(|following| following.line = Some(asked.line.clone()));
    }

    /// What is told of a task to the client that began it.
    pub(super) fn tale(&self, client: u64, server: &str, id: &str) -> Option<Arc<Tale>> {
        let known = &mut self.lock();
        Some(known.own(client, server, id)?.following.as_ref()?.tale.clone())
    }

    /// Where a client waited last for the result of its task.
    pub(super) fn line(&self, client: u64, server: &str, id: &str) -> Option<Line> {
        let known = &mut self.lock();
        known.own(client, server, id)?.following.as_ref()?.line.clone()
    }

    /// Follows a task no longer that has ended, as the answer to a question about it shows, and learns whether anything
    /// is left to fetch.
    pub(super) fn learn(
        &self,
        asked: &Asked<'_>,
        server: &str,
        id: &str,
        outcome: &Result<Box<RawValue>, Failure>,
    ) {
        // An error may be that of a task that failed, or of an answer that may come later.
        let Ok(result) = outcome else { return };
        let text = result.get();
        let (ended, fetched) = match asked.method {
            "tasks/result" => (true, true),
            "tasks/get" | "tasks/cancel" => {
                let done = ["result", "error"].iter().any(|name| member_at(text, name).is_some());
                (has_ended(text), has_ended(text) && (done || status(text) == Some(r#""cancelled""#)))
            }
            _ => return,
        };
        let known = &mut self.lock();
        if ended {
            known.end(server, id);
        }
        let mut all = known.by_id.get_mut(id).into_iter().flatten().rev();
        let own = all.find(|one| one.is_of(server) && one.is_own(&asked.caller()));
        if let Some(own) = own {
            own.fetched |= fetched;
            if asked.method != "tasks/result" {
                own.ttl = ttl_in(text).or(own.ttl);
            }
        }
    }

    /// Follows no task any longer of a client that has left.
    pub(super) fn left(&self, client: u64) {
        let mut known = self.lock();
        let all = known.by_id.values_mut().flatten();
        all.filter(|one| one.client == client).for_each(|one| one.following = None);
    }

    /// Where the caller's own task of that id is. Of several, those are meant that this very session began, or a client
    /// of this era, and rather those from which something is still to come: servers that count their tasks all give the
    /// same ids, one after the other.
    pub(super) fn find(&self, caller: &Caller<'_>, era: Era, id: &str) -> Found {
        let known = self.lock();
        let Some(begun) = known.by_id.get(id) else { return Found::Unknown };
        let mut own: Vec<&Begun> = standing(begun).filter(|one| one.is_own(caller)).collect();
        prefer(&mut own, |one| Some(one.client) == caller.session());
        prefer(&mut own, |one| one.era == era);
        prefer(&mut own, |one| !one.fetched && !one.is_past());
        prefer(&mut own, |one| !one.is_past());
        match own[..] {
            [] => Found::Foreign,
            [only] => Found::At(only.target.server.name().to_owned()),
            _ => Found::Several,
        }
    }

    /// The tool that began the caller's own task at a server, and with which request.
    pub(super) fn begun(
        &self,
        caller: &Caller<'_>,
        server: &str,
        id: &str,
    ) -> Option<(Arc<str>, Option<Request>)> {
        let known = self.lock();
        let own = standing(known.by_id.get(id)?).find(|one| one.is_of(server) && one.is_own(caller))?;
        Some((own.target.own.clone(), own.request.clone()))
    }

    /// A list of tasks with those alone that the caller began. A server sees one client, and lists the tasks of all.
    pub(super) fn of_caller(&self, errand: &Errand<'_>, mut carried: Carried) -> Carried {
        let Ok(result) = &mut carried.outcome else { return carried };
        let text = result.get();
        let Some(at) = member_at(text, "tasks") else { return carried };
        let all: Vec<&RawValue> = serde_json::from_str(&text[at.clone()]).unwrap_or_default();
        let own = all.iter().map(|task| task.get()).filter(|task| self.is_own(errand, task));
        let own: Vec<&str> = own.collect();
        if own.len() < all.len() {
            let mut splice = Splice::new(text);
            splice.replace(at, format!("[{}]", own.join(",")).into_bytes());
            let mut out = Vec::with_capacity(text.len());
            splice.write(&mut out);
            let listed = String::from_utf8(out).ok().and_then(|text| RawValue::from_string(text).ok());
            *result = listed.expect("a list with fewer tasks is JSON");
        }
        carried
    }

    fn is_own(&self, errand: &Errand<'_>, task: &str) -> bool {
        let id = member_at(task, "taskId").and_then(|at| serde_json::from_str::<String>(&task[at]).ok());
        id.is_some_and(|id| self.begun(&errand.caller, errand.target.server.name(), &id).is_some())
    }

    /// Whom it concerns that a task of a server has another status.
    pub(super) fn client(&self, server: &str, params: &str) -> Option<u64> {
        let id: String = serde_json::from_str(&params[member_at(params, "taskId")?]).ok()?;
        let mut known = self.lock();
        let client = known.by_id.get(&id)?.iter().rev().find(|one| one.is_of(server))?.client;
        if has_ended(params) {
            known.end(server, &id);
        }
        Some(client)
    }
}

impl Known {
    /// The task that a client began.
    fn own(&mut self, client: u64, server: &str, id: &str) -> Option<&mut Begun> {
        self.by_id.get_mut(id)?.iter_mut().rev().find(|one| one.client == client && one.is_of(server))
    }

    /// Nobody hears of a task any more that has ended.
    fn end(&mut self, server: &str, id: &str) {
        let begun = self.by_id.get_mut(id).into_iter().flatten();
        begun.filter(|one| one.is_of(server)).for_each(|one| one.following = None);
    }

    /// Forgets the oldest task of that id.
    fn forget(&mut self, id: &str) {
        if let Some(begun) = self.by_id.get_mut(id) {
            let gone = begun.remove(0);
            if begun.is_empty() {
                self.by_id.remove(id);
            }
            if let Some(request) = gone.request {
                self.bytes -= request.bytes();
                // It is the oldest of those that are whole, since it is the oldest of all.
                self.whole.pop_front();
            }
        }
    }

    /// Lets go of the oldest requests until the rest fits.
    fn make_room(&mut self) {
        while self.bytes > BYTES_MAX
            && let Some(id) = self.whole.pop_front()
        {
            let begun = self.by_id.get_mut(&id).into_iter().flatten();
            let request = begun.filter_map(|one| one.request.take()).next();
            self.bytes -= request.map_or(0, |request| request.bytes());
        }
    }
}

/// The task that a server made of a call, if its result names one.
pub(crate) fn task_in(result: &str) -> Option<String> {
    static ID: Word = Word::new("\"taskId\"");
    if !ID.is_in(result.as_bytes()) {
        return None;
    }
    let inner = member_at(result, "task").map_or(result, |at| &result[at]);
    serde_json::from_str(&inner[member_at(inner, "taskId")?]).ok()
}

/// Whether a task has ended, as what is said of it shows.
fn has_ended(task: &str) -> bool {
    matches!(status(task), Some(r#""completed""# | r#""failed""# | r#""cancelled""#))
}

fn status(task: &str) -> Option<&str> {
    member_at(task, "status").map(|at| &task[at])
}

/// For how long a server will keep a task, as it says of the task that it made of a call, or of any.
pub(super) fn ttl_in(text: &str) -> Option<Duration> {
    let task = member_at(text, "task").map_or(text, |at| &text[at]);
    let [old, new] = mcp::members_at(task, ["ttl", "ttlMs"]);
    task[old.or(new)?].parse().ok().map(Duration::from_millis)
}
