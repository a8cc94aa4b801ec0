//! Tasks: a server that works on a call for longer gives it a task id, under which the client asks again.

use super::catalog::Target;
use super::following::{Following, Lasting, Tale};
use super::{Asked, Guest, Line, message};
use crate::call::Carried;
use crate::caller::Caller;
use crate::errand::Errand;
use crate::gateway::Gateway;
use crate::hooks::{Left, Subject};
use crate::sent::Sent;
use crate::server::Server;
use mcp::{Era, Splice, Word, member_at};
use model::{Code, Settings};
use serde_json::value::RawValue;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// What a modern client declares that knows tasks.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

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
    /// The client that called it, and the caller's id.
    client: u64,
    caller: Box<str>,
    /// The request as the hooks left it, while there is room for it.
    request: Option<Request>,
    /// Who hears of its progress, until it has ended.
    following: Option<Following>,
}

/// What hooks that see the result of a task see of the request that began it.
#[derive(Clone)]
struct Request {
    params: Arc<str>,
    shared: Option<Arc<str>>,
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
}

impl Tasks {
    /// Remembers the task that a result for a client names, if it names one; its id.
    fn note(
        &self,
        asked: &Asked<'_>,
        result: &str,
        target: impl FnOnce() -> Target,
        left: &Left,
    ) -> Option<String> {
        static ID: Word = Word::new("\"taskId\"");
        let id = ID.is_in(result.as_bytes()).then(|| task_in(result)).flatten()?;
        let target = target();
        let (client, begins) = (asked.guest.number, asked.method == "tools/call");
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = known.by_id.entry(id.clone()).or_default();
        // A task that is asked about keeps the tool that began it. A server that gives an id again, such as one that was
        // started anew, gives it to whoever called.
        let is_known = |one: &Begun| one.is_of(target.server.name()) && (one.client == client || !begins);
        if !begun.iter().any(is_known) {
            let caller = asked.caller().id().into();
            let sent = asked.params.filter(|_| begins).map(RawValue::get);
            let params = if left.params.is_empty() { sent } else { Some(&*left.params) };
            let request = params.map(|params| Request {
                params: params.into(),
                shared: left.shared.as_deref().map(Into::into),
            });
            let bytes = request.as_ref().map(Request::bytes);
            begun.push(Begun { target, client, caller, request, following: None });
            if let Some(bytes) = bytes {
                known.bytes += bytes;
                known.whole.push_back(id.clone());
                known.make_room();
            }
            known.order.push_back(id.clone());
        }
        if known.order.len() > TASKS_MAX
            && let Some(oldest) = known.order.pop_front()
        {
            known.forget(&oldest);
        }
        Some(id)
    }

    /// Keeps what follows a task that a client began, in place of what did before.
    pub(super) fn follow(&self, client: u64, server: &str, id: &str, following: Following) {
        let known = &mut self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = known.own(client, server, id) {
            own.following = Some(following);
        }
    }

    /// A client waits for the result of a task. It may hear of its progress there, where it began it.
    pub(super) fn await_result(&self, asked: &Asked<'_>, server: &str, id: &str) {
        let known = &mut self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let own = known.own(asked.guest.number, server, id).and_then(|one| one.following.as_mut());
        own.into_iter().for_each(|following| following.line = Some(asked.line.clone()));
    }

    /// What is told of a task to the client that began it.
    pub(super) fn tale(&self, client: u64, server: &str, id: &str) -> Option<Arc<Tale>> {
        let known = &mut self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Some(known.own(client, server, id)?.following.as_ref()?.tale.clone())
    }

    /// Where a client waited last for the result of its task.
    pub(super) fn line(&self, client: u64, server: &str, id: &str) -> Option<Line> {
        let known = &mut self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.own(client, server, id)?.following.as_ref()?.line.clone()
    }

    /// Follows a task no longer that has ended, as the answer to a question about it shows.
    pub(super) fn learn(&self, asked: &Asked<'_>, server: &str, id: &str, result: &str) {
        let ended = match asked.method {
            "tasks/result" => true,
            "tasks/get" | "tasks/cancel" => has_ended(result),
            _ => false,
        };
        if ended {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).end(server, id);
        }
    }

    /// Follows no task any longer of a client that has left.
    pub(super) fn left(&self, client: u64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let all = known.by_id.values_mut().flatten();
        all.filter(|one| one.client == client).for_each(|one| one.following = None);
    }

    /// The tool that began the caller's own task of that id; an error where only others have such a task.
    fn target(&self, caller: &Caller<'_>, id: &str) -> Result<Option<Target>, ()> {
        Ok(self.begun(caller, id)?.map(|(target, _)| target))
    }

    /// The same with the request.
    fn begun(&self, caller: &Caller<'_>, id: &str) -> Result<Option<(Target, Option<Request>)>, ()> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(begun) = known.by_id.get(id) else { return Ok(None) };
        let own = begun.iter().rev().find(|one| *one.caller == *caller.id());
        own.map(|one| Some((one.target.clone(), one.request.clone()))).ok_or(())
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
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = id.and_then(|id| known.by_id.get(&id));
        let server = errand.target.server.name();
        begun.is_some_and(|all| all.iter().any(|one| one.is_of(server) && *one.caller == *errand.caller.id()))
    }

    /// Whom it concerns that a task of a server has another status.
    pub(super) fn client(&self, server: &str, params: &str) -> Option<u64> {
        let id: String = serde_json::from_str(&params[member_at(params, "taskId")?]).ok()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
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

/// The task that a result names, if it names one.
fn task_in(result: &str) -> Option<String> {
    let inner = member_at(result, "task").map_or(result, |at| &result[at]);
    serde_json::from_str(&inner[member_at(inner, "taskId")?]).ok()
}

/// Whether a task has ended, as what is said of it shows.
fn has_ended(task: &str) -> bool {
    let status = member_at(task, "status").map(|at| &task[at]);
    matches!(status, Some(r#""completed""# | r#""failed""# | r#""cancelled""#))
}

/// Whether a modern client knows tasks.
pub(super) fn knows_tasks(guest: &Guest) -> bool {
    guest.capabilities.get("extensions").is_some_and(|all| all.get(EXTENSION).is_some())
}

/// Whether a server speaks the other era: the two know tasks in forms that cannot be translated.
fn foreign(asked: &Asked<'_>, server: &Server) -> bool {
    server.connection().is_some_and(|connection| connection.peer.era != asked.guest.era())
}

/// Which side lacks what.
fn lacks(asked: &Asked<'_>) -> &'static str {
    match asked.guest.era() {
        Era::Legacy => {
            "The server speaks 2026-07-28, and the client an older revision; their tasks cannot be translated"
        }
        Era::Modern => {
            "The client speaks 2026-07-28, and the server an older revision; their tasks cannot be translated"
        }
    }
}

/// The answer to a legacy client's call that is to become a task, where its server knows no such tasks. The
/// modern era has no such parameter, and wants it ignored.
pub(super) fn refused(asked: &Asked<'_>, server: &Server) -> Option<Vec<u8>> {
    let legacy = asked.guest.era() == Era::Legacy;
    let wanted = legacy && asked.method == "tools/call" && foreign(asked, server);
    let params = asked.params.filter(|_| wanted)?;
    member_at(params.get(), "task")?;
    let text = format!("{}. Call the tool without 'task'", lacks(asked));
    Some(message::error(asked.id, -32602, &text, None))
}

impl Gateway {
    /// `tasks/…`: to the server that has the task. One that nobody knows may be on the only server with
    /// tasks, started before this gateway was.
    pub(super) async fn ask_about_task(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        if asked.guest.era() == Era::Modern && !knows_tasks(asked.guest) {
            let text =
                format!("This method needs the extension {EXTENSION}, which the client does not declare");
            let data = serde_json::json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}});
            return message::error(asked.id, -32021, &text, Some(&data));
        }
        let sent = Sent::new(asked.params, asked.key_path());
        let Some(id) = sent.key() else { return super::forward::missing(asked, "taskId") };
        if let Some(reply) = self.ask_about_session(asked, &id).await {
            return reply;
        }
        match self.server_of_task(&asked.caller(), asked.guest.era(), &id) {
            Some(server) if foreign(asked, &server) => message::error(asked.id, -32602, lacks(asked), None),
            Some(server) => self.forward(asked, &sent, &Target { server, own: id.into() }).await,
            None => message::error(asked.id, -32602, "Task not found", None),
        }
    }

    /// The server that has a task of the caller; `None` where only others have one of that id.
    pub(super) fn server_of_task(&self, caller: &Caller<'_>, era: Era, id: &str) -> Option<Arc<Server>> {
        let known = self.endpoint.tasks.target(caller, id).ok()?;
        let known = known.filter(|known| caller.sees(known.server.name()));
        let known = known.and_then(|known| self.registry().get(known.server.name()).cloned());
        known.or_else(|| self.catalog_of(caller).only_with_tasks(era).cloned())
    }

    /// Remembers the task that a result names, or that it has ended. It is with the server that hooks led the call to.
    /// What the server goes on to say of it under the client's token is passed on.
    pub(super) fn note_task(
        &self,
        asked: &Asked<'_>,
        target: &Target,
        carried: &Carried,
        lasting: Option<Lasting<'_>>,
    ) {
        let tasks = &self.endpoint.tasks;
        if asked.method == "tasks/result" {
            self.endpoint.tell_rest(asked.guest.number, target);
        }
        let Ok(result) = &carried.outcome else { return };
        let left = carried.trace.left();
        let task = tasks.note(asked, result.get(), || self.led_to(target, left), left);
        tasks.learn(asked, target.server.name(), &target.own, result.get());
        if let (Some(task), Some(lasting)) = (task, lasting) {
            let server = self.led_to(target, left).server.name().to_owned();
            self.follow_task(asked.guest.number, server, task, lasting);
        }
    }

    /// The tool that was called: the one that hooks led the call to, or else the one that was meant.
    pub(super) fn led_to(&self, target: &Target, left: &Left) -> Target {
        let led = left.named.as_ref().and_then(|named| {
            let server = self.registry().get(named.server.as_deref()?)?.clone();
            Some(Target { server, own: named.tool.as_deref()?.into() })
        });
        led.unwrap_or_else(|| target.clone())
    }

    /// The result of a call that became a task passes the post hooks when it is fetched, as it would have
    /// passed them when it was awaited.
    pub(super) async fn fetched(
        &self,
        errand: &Errand<'_>,
        settings: &Settings,
        carried: Carried,
    ) -> Carried {
        let Ok(whole) = &carried.outcome else { return carried };
        let at = match errand.method {
            "tasks/result" => Some(0..whole.get().len()),
            "tasks/get" => member_at(whole.get(), "result"),
            _ => None,
        };
        let Some(at) = at.filter(|at| whole.get()[at.clone()].starts_with('{')) else { return carried };
        if self.hooks.idle(settings) {
            return carried;
        }
        let begun = self.endpoint.tasks.begun(&errand.caller, &errand.target.own).ok().flatten();
        let tool = begun.as_ref().map_or("", |(target, _)| &*target.own);
        let request = begun.as_ref().and_then(|(_, request)| request.as_ref());
        let params = match request {
            Some(request) => request.params.to_string(),
            None => serde_json::json!({"name": tool, "arguments": {}}).to_string(),
        };
        let shared = request.and_then(|request| Some(request.shared.as_deref()?.to_owned()));
        let mut passage = self.hooks.open(Subject::task(errand, tool), settings);
        let inner = RawValue::from_string(whole.get()[at.clone()].to_owned());
        let Ok(inner) = inner else { return carried };
        let outcome = passage.after_task(params, shared, inner).await.map(|inner| {
            let mut out = Vec::with_capacity(whole.get().len());
            let mut splice = Splice::new(whole.get());
            splice.replace(at, inner.get().as_bytes());
            splice.write(&mut out);
            let text = String::from_utf8(out).unwrap_or_default();
            RawValue::from_string(text).unwrap_or_else(|_| inner.clone())
        });
        let code = outcome.is_err().then_some(Code::ToolExecutionError);
        let mut trace = passage.trace();
        carried.trace.spent().server.into_iter().for_each(|took| trace.add_server(took));
        Carried { outcome, code, trace }
    }

    /// `tasks/list`: cursors of several servers cannot be put together, so only one may have tasks.
    pub(super) async fn list_tasks(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let server = self.catalog_of(&asked.caller()).only_with_tasks(Era::Legacy).cloned();
        match server {
            Some(server) => {
                self.forward(asked, &Sent::new(asked.params, &[]), &Target { server, own: "".into() }).await
            }
            None => {
                message::error(asked.id, -32601, "Tasks can be listed when exactly one server has them", None)
            }
        }
    }
}
