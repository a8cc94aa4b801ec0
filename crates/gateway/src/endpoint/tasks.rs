//! Tasks: a server that works on a call for longer gives it a task id, under which the client asks again.

use super::begun::{Found, ttl_in};
use super::catalog::Target;
use super::following::Lasting;
use super::{Asked, Guest, message};
use crate::caller::Caller;
use crate::carried::{Carried, Failure};
use crate::errand::Errand;
use crate::gateway::Gateway;
use crate::hooks::Subject;
use crate::sent::Sent;
use crate::server::Server;
use mcp::{Era, Splice, member_at};
use model::{Code, Settings};
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::Arc;

/// What a modern client declares that knows tasks.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The answer about a task that is not the caller's, as far as this gateway knows.
const UNKNOWN: &str = "Task not found";

/// Whether a modern client knows tasks.
pub(super) fn knows_tasks(guest: &Guest) -> bool {
    guest.capabilities.get("extensions").is_some_and(|all| all.get(EXTENSION).is_some())
}

/// Whether a server speaks the other era: the two know tasks in forms that cannot be translated.
fn foreign(asked: &Asked<'_>, server: &Server) -> bool {
    server.connection().is_some_and(|connection| connection.peer.era != asked.guest.era())
}

/// Which side lacks what.
fn lacks(client: Era) -> &'static str {
    match client {
        Era::Legacy => {
            "The server speaks 2026-07-28, and the client an older revision; their tasks cannot be translated"
        }
        Era::Modern => {
            "The client speaks 2026-07-28, and the server an older revision; their tasks cannot be translated"
        }
    }
}

/// Refuses a legacy client's call that is to become a task, where the server that it has come to knows no such tasks. The
/// modern era has no such parameter, and wants it ignored.
pub(crate) fn no_foreign_task(errand: &Errand<'_>, server: Era) -> Result<(), Failure> {
    let legacy = errand.caller.as_guest().is_some_and(|guest| guest.era() == Era::Legacy);
    if !legacy || server == Era::Legacy || !errand.is_call() {
        return Ok(());
    }
    match errand.params.sent() {
        Ok(sent) if member_at(sent.text(), "task").is_some() => {
            let text = format!("{}. Call the tool without 'task'", lacks(Era::Legacy));
            Err(message::own_error(-32602, &text, &json!({})))
        }
        _ => Ok(()),
    }
}

impl Gateway {
    /// `tasks/…`: to the server that has the task.
    pub(super) async fn ask_about_task(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        if asked.guest.era() == Era::Modern && !knows_tasks(asked.guest) {
            let text =
                format!("This method needs the extension {EXTENSION}, which the client does not declare");
            let data = json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}});
            return message::error(asked.id, -32021, &text, Some(&data));
        }
        let sent = Sent::new(asked.params, asked.key_path());
        let Some(id) = sent.key() else { return super::forward::missing(asked, "taskId") };
        if let Some(reply) = self.ask_about_session(asked, &id).await {
            return reply;
        }
        match self.server_of_task(&asked.caller(), asked.guest.era(), &id) {
            Ok(server) if foreign(asked, &server) => {
                message::error(asked.id, -32602, lacks(asked.guest.era()), None)
            }
            Ok(server) => self.forward(asked, &sent, &Target { server, own: id.into() }).await,
            Err(why) => message::error(asked.id, -32602, why, None),
        }
    }

    /// The server that has the caller's task of that id, or why there is none. One that nobody knows may be on the only
    /// server with tasks, begun before this gateway was started.
    pub(super) fn server_of_task(
        &self,
        caller: &Caller<'_>,
        era: Era,
        id: &str,
    ) -> Result<Arc<Server>, &'static str> {
        let server = match self.endpoint.tasks.find(caller, era, id) {
            Found::At(name) if caller.sees(&name) => self.registry().get(&name).cloned(),
            Found::Unknown if self.may_guess() => self.catalog_of(caller).only_with_tasks(era).cloned(),
            Found::Several => return Err("Several servers have a task of this id"),
            Found::At(_) | Found::Unknown | Found::Foreign => None,
        };
        server.ok_or(UNKNOWN)
    }

    /// Whether a task that nobody knows may be looked for at all. With keys it may be somebody else's, and hooks and
    /// graphs must know which tool began it.
    fn may_guess(&self) -> bool {
        let free = self.hooks.idle(&self.settings()) && self.graphs.active("tools/call").is_none();
        free && self.access.is_open()
    }

    /// Remembers the task that a server made of a call, or that one has ended. What the server goes on to say of it under
    /// the client's token is passed on.
    pub(super) fn note_task(
        &self,
        asked: &Asked<'_>,
        target: &Target,
        carried: &Carried,
        begun: Option<&(Target, String)>,
        lasting: Option<Lasting<'_>>,
    ) {
        let tasks = &self.endpoint.tasks;
        if asked.method == "tasks/result" {
            self.endpoint.tell_rest(asked.guest.number, target);
        }
        tasks.learn(asked, target.server.name(), &target.own, &carried.outcome);
        let Some((tool, id)) = begun else { return };
        // Its client was told that it cannot have such a task, so it means none by that id.
        if foreign(asked, &tool.server) {
            return;
        }
        let ttl = carried.outcome.as_ref().ok().and_then(|begun| ttl_in(begun.get()));
        tasks.note(asked, tool.clone(), id, carried.trace.left(), ttl);
        if let Some(lasting) = lasting {
            self.follow_task(asked.guest.number, tool.server.name(), id, lasting);
        }
    }

    /// The result of a call that became a task passes the nodes after the call and the post hooks when it is fetched, as
    /// it would have passed them when it was awaited.
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
        let graph = self.graph_behind();
        if graph.is_none() && self.hooks.idle(settings) {
            return carried;
        }
        let (server, id) = (errand.target.server.name(), &*errand.target.own);
        // Hooks that came into effect while its result was waited for must know the tool too.
        let Some((tool, request)) = self.endpoint.tasks.begun(&errand.caller, server, id) else {
            let outcome = Err(message::own_error(-32602, UNKNOWN, &json!({})));
            return Carried { outcome, code: Some(Code::ValidationError), ..carried };
        };
        let params = match &request {
            Some(request) => request.params.to_string(),
            None => json!({"name": tool, "arguments": {}}).to_string(),
        };
        let shared = request.and_then(|request| Some(request.shared.as_deref()?.to_owned()));
        let mut passage = self.hooks.open(Subject::task(errand, &tool), settings);
        let inner = RawValue::from_string(whole.get()[at.clone()].to_owned());
        let Ok(inner) = inner else { return carried };
        let passed = self.after_task(&mut passage, settings, graph, (params, shared), inner).await;
        let outcome = passed.map(|inner| {
            let mut out = Vec::with_capacity(whole.get().len());
            let mut splice = Splice::new(whole.get());
            splice.replace(at, inner.get().as_bytes());
            splice.write(&mut out);
            let text = String::from_utf8(out).unwrap_or_default();
            RawValue::from_string(text).unwrap_or_else(|_| inner.clone())
        });
        let code = outcome.is_err().then_some(Code::ToolExecutionError);
        let (mut trace, era) = (passage.trace(), carried.era);
        carried.trace.spent().server.into_iter().for_each(|took| trace.add_server(took));
        Carried { outcome, code, trace, era }
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
