//! Requests that go on to a server.

use super::catalog::Target;
use super::following::Lasting;
use super::note::Note;
use super::relay::Relay;
use super::rounds::{Again, Patience};
use super::{Asked, Guest, message};
use crate::carried::{Carried, Failure};
use crate::errand::{Errand, Params};
use crate::exchange::Hearing;
use crate::gateway::Gateway;
use crate::hooks::Trace;
use crate::sent::Sent;
use mcp::{Era, Kind, Means, Splice, member_at};
use model::{Code, Fault, Settings};
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::time::Instant;

impl Gateway {
    pub(super) async fn call_tool(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let sent = asked.sent(&["name"]);
        let Some(name) = sent.key() else { return missing(asked, "name") };
        if self.is_own(asked, &name) {
            return Box::pin(self.call_own_tool(asked)).await;
        }
        let Some(target) = self.catalog_of(&asked.caller()).find(Kind::Tools, &name) else {
            self.refuse_call(&asked.caller(), asked.method, Code::ToolNotFound, || name.to_string());
            // What is no name of a tool anywhere may be anything.
            if model::check_name(&name, model::TOOL_NAME_MAX).is_ok() {
                asked.note.set(Note::own(&name, Some(Code::ToolNotFound), Trace::default()));
            }
            let fault =
                Fault::new(Code::ToolNotFound, format!("Tool '{name}' not found")).with("toolName", name);
            return message::refusal(asked.id, &fault);
        };
        self.forward(asked, &sent, &target).await
    }

    /// What a request is about, as the audit log names it: `server/name`, where the name is known.
    pub(super) fn subject_of(&self, asked: &Asked<'_>) -> String {
        let sent = Sent::new(asked.params, asked.key_path());
        let name = sent.key().unwrap_or_default();
        match self.target_of(asked, &name) {
            Some(target) => format!("{}/{}", target.server.name(), target.own),
            None if self.is_own(asked, &name) => format!("{}/{name}", crate::access::OWN),
            None => name.to_string(),
        }
    }

    /// How many milliseconds a request has at the server that it is meant for, where that is known.
    pub(super) fn time_of(&self, asked: &Asked<'_>) -> Option<u64> {
        let sent = Sent::new(asked.params, asked.key_path());
        Some(self.target_of(asked, &sent.key()?)?.server.timeout(&self.settings()))
    }

    fn target_of(&self, asked: &Asked<'_>, name: &str) -> Option<Target> {
        let kind = match asked.method {
            "prompts/get" => Kind::Prompts,
            "resources/read" => Kind::Resources,
            _ => Kind::Tools,
        };
        self.catalog_of(&asked.caller()).find(kind, name)
    }

    pub(super) async fn get_prompt(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let sent = asked.sent(&["name"]);
        let Some(name) = sent.key() else { return missing(asked, "name") };
        match self.catalog_of(&asked.caller()).find(Kind::Prompts, &name) {
            Some(target) => self.forward(asked, &sent, &target).await,
            None => {
                self.refuse_call(&asked.caller(), asked.method, Code::NotFound, || name.to_string());
                let fault =
                    Fault::new(Code::NotFound, format!("Prompt '{name}' not found")).with("name", name);
                message::refusal(asked.id, &fault.as_jsonrpc(-32602))
            }
        }
    }

    /// A resource that nobody lists is looked for on every server that has resources.
    pub(super) async fn read_resource(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let sent = asked.sent(&["uri"]);
        let Some(uri) = sent.key() else { return missing(asked, "uri") };
        let mut refused = None;
        let targets = self.catalog_of(&asked.caller()).find_resource(&uri);
        let parked = if targets.len() > 1 { self.parked_at(asked, &targets) } else { targets.first() };
        if let Some(only) = parked {
            return self.forward(asked, &sent, only).await;
        }
        for target in targets {
            let carried = match self.try_target(asked, &sent, &target).await {
                Ok(carried) => carried,
                Err(reply) => return reply,
            };
            let withheld =
                matches!(&carried.outcome, Err(Failure::Fault(fault)) if fault.details.contains_key("hook"));
            if carried.outcome.is_ok() || withheld {
                return self.reply(asked, &target, carried);
            }
            refused = refused.or(Some((target, carried)));
        }
        match refused {
            Some((target, carried)) => self.reply(asked, &target, carried),
            None => {
                self.refuse_call(&asked.caller(), asked.method, Code::NotFound, || uri.to_string());
                let code = if asked.guest.era() == Era::Modern { -32602 } else { -32002 };
                let data = serde_json::json!({ "uri": uri });
                message::error(asked.id, code, "Resource not found", Some(&data))
            }
        }
    }

    /// Asks one of several servers that may have a resource. A reply in place of an outcome is for the client.
    async fn try_target(
        self: &Arc<Self>,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
    ) -> Result<Carried, Vec<u8>> {
        // A state that no call waits under here may be one of a modern server's own.
        if self.flies(asked, target) && member_at(sent.text(), "requestState").is_none() {
            return Box::pin(self.flown(asked, sent, target)).await;
        }
        Ok(self.ask_target(asked, sent, target).await)
    }

    pub(super) async fn complete(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let by_name = Sent::new(asked.params, &["ref", "name"]);
        let by_uri = Sent::new(asked.params, &["ref", "uri"]);
        let (sent, target) = match (by_name.key(), by_uri.key()) {
            (Some(name), _) => (by_name, self.catalog_of(&asked.caller()).find(Kind::Prompts, &name)),
            (None, Some(uri)) => {
                let found = self.catalog_of(&asked.caller()).find(Kind::Templates, &uri);
                (
                    by_uri,
                    found.or_else(|| self.catalog_of(&asked.caller()).find_resource(&uri).into_iter().next()),
                )
            }
            (None, None) => return missing(asked, "ref"),
        };
        match target {
            Some(target) => self.forward(asked, &sent, &target).await,
            None => message::error(asked.id, -32602, "No such prompt or resource to complete for", None),
        }
    }

    /// What a modern server wants to hear in every request and a legacy client said in its handshake.
    pub(crate) fn missing_meta(&self, guest: &Guest, server: Era) -> String {
        if guest.era() == Era::Modern || server == Era::Legacy {
            return String::new();
        }
        let info = serde_json::json!({"name": guest.name, "version": guest.release});
        let mut capabilities = serde_json::Value::Object(guest.capabilities.clone());
        // Its tasks are others.
        if let Some(extensions) = capabilities.get_mut("extensions").and_then(|all| all.as_object_mut()) {
            extensions.remove(super::tasks::EXTENSION);
        }
        let level = self.endpoint.levels.get(guest.number);
        format!(
            concat!(
                r#""io.modelcontextprotocol/protocolVersion":"{}","io.modelcontextprotocol/clientInfo":{},"#,
                r#""io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"{}""#
            ),
            mcp::MODERN,
            info,
            capabilities,
            level
        )
    }

    pub(super) async fn forward(
        self: &Arc<Self>,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
    ) -> Vec<u8> {
        if self.flies(asked, target) {
            return Box::pin(self.fly(asked, sent, target)).await;
        }
        let carried = self.ask_target(asked, sent, target).await;
        self.reply(asked, target, carried)
    }

    /// One request to the server that a name stands for. A modern server's questions to a legacy client
    /// are asked, and the request is made again with the answers.
    pub(super) async fn ask_target(&self, asked: &Asked<'_>, sent: &Sent<'_>, target: &Target) -> Carried {
        let settings = self.settings();
        let began = Instant::now();
        let carried = self.heard(asked, sent, target, &settings).await;
        if !super::rounds::may_ask(asked, &carried) {
            return carried;
        }
        let patience = Patience::new(target, &settings, began);
        Box::pin(self.in_rounds(asked, sent, &patience, Again::Server(target, &settings), carried)).await
    }

    /// One round, while what the server says about it is passed on to the client, in order.
    pub(super) async fn heard(
        &self,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
        settings: &Settings,
    ) -> Carried {
        let (mut hearing, mut heard) = Hearing::new(&asked.caller(), asked.cancel, settings);
        hearing.listener.task = (asked.method == "tasks/result").then(|| target.own.clone());
        if hearing.listener.task.is_some() {
            self.endpoint.tasks.await_result(asked, target.server.name(), &target.own);
        }
        let lasting = sent.token().filter(|_| super::following::may_last(asked));
        hearing.listener.lasts = lasting.is_some();
        if asked.guest.era() == Era::Legacy {
            hearing.listener.means = Means::Stream;
        }
        let mut relay = Relay::new(self, asked, sent.token(), hearing.ticks.clone(), &hearing.listener);
        let mut work = std::pin::pin!(self.once(asked, sent, target, &hearing, settings));
        let done = loop {
            tokio::select! {
                biased;
                // Most calls say nothing, and carry nothing of what would pass it on.
                Some(said) = heard.recv() => Box::pin(relay.pass(*said)).await,
                done = &mut work => break done,
            }
        };
        // What was said before the reply is passed on before it.
        while let Some(said) = heard.try_recv() {
            Box::pin(relay.pass(*said)).await;
        }
        let left = relay.left();
        if !left.is_empty() {
            Box::pin(relay.close(left)).await;
        }
        let lasting = lasting.map(|token| Lasting { token, sink: hearing.listener.sink.clone(), heard });
        self.note_task(asked, target, &done, hearing.begun.get(), lasting);
        relay.explain(done)
    }

    /// The request itself, on the road of every request.
    pub(super) async fn once(
        &self,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
        hearing: &Hearing,
        settings: &Settings,
    ) -> Carried {
        let errand = Errand {
            caller: asked.caller(),
            method: asked.method,
            target: target.clone(),
            params: Params::Sent(sent),
            timeout: None,
            key: None,
        };
        let carried = self.carry(&errand, settings, Some(hearing)).await;
        match asked.method {
            "tasks/result" | "tasks/get" => Box::pin(self.fetched(&errand, settings, carried)).await,
            "tasks/list" => self.endpoint.tasks.of_caller(&errand, carried),
            _ => carried,
        }
    }

    /// The reply to a request that was carried to a server, noted for the log.
    pub(super) fn reply(&self, asked: &Asked<'_>, target: &Target, carried: Carried) -> Vec<u8> {
        let Carried { outcome, code, trace, era } = self.with_talk(asked, carried);
        let server = era.unwrap_or_else(|| era_of(target));
        let hooks = self.told_of(&trace);
        asked.note.set(Note::new(asked, target.clone(), code, trace));
        match outcome {
            Ok(result) => message::passed(asked, message::traced(result, &hooks).get()),
            Err(failure) => {
                if let Failure::Rpc(error) = &failure {
                    self.endpoint.elicited.refused(asked.guest.number, error);
                }
                message::failure(asked, server, &failure, &hooks)
            }
        }
    }

    /// What the reply to a request tells of the hooks that ran.
    pub(super) fn told_of(&self, trace: &Trace) -> message::Ran {
        match self.around.settings.load().hooks.trace == model::settings::Trace::Reply {
            false => message::Ran::Untold,
            true if trace.is_empty() => message::Ran::None,
            true => message::Ran::These(trace.to_json()),
        }
    }
}

/// The client's own token in place of ours.
pub(super) fn with_token(params: &str, token: &str) -> String {
    let mut out = Vec::with_capacity(params.len() + token.len());
    let mut splice = Splice::new(params);
    if let Some(at) = member_at(params, "progressToken") {
        splice.replace(at, token.as_bytes());
    }
    splice.write(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

pub(super) fn era_of(target: &Target) -> Era {
    target.server.connection().map_or(Era::Legacy, |connection| connection.peer.era)
}

/// The answer to a request that does not name what it is for, or names it twice: which of the two the server would take
/// nobody knows.
pub(super) fn missing(asked: &Asked<'_>, field: &str) -> Vec<u8> {
    let params = asked.params.map_or("{}", RawValue::get);
    if member_at(params, field).is_some() && mcp::only_members_at(params, [field]) == [None] {
        let rule = format!("Invalid params: the parameters have the member '{field}' twice");
        return message::error(asked.id, -32602, &rule, None);
    }
    message::error(asked.id, -32602, &format!("Missing parameter: {field}"), None)
}
