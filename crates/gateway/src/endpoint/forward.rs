//! Requests that go on to a server, and what the server says meanwhile.

use super::catalog::Target;
use super::{Asked, Guest, message};
use crate::call::{Failure, running};
use crate::exchange::{Ask, Hearing, exchange};
use crate::faults;
use crate::gateway::Gateway;
use crate::request::ToolCall;
use crate::sent::{Needs, Sent};
use mcp::{Era, Kind, Outcome, Said, Splice, member_at};
use model::{Code, Fault, Settings};
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::Notify;

impl Gateway {
    pub(super) async fn call_tool(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let sent = Sent::new(asked.params, &["name"]);
        let Some(name) = sent.key() else { return missing(asked, "name") };
        let Some(target) = self.catalog().find(Kind::Tools, &name) else {
            let fault =
                Fault::new(Code::ToolNotFound, format!("Tool '{name}' not found")).with("toolName", name);
            return message::refusal(asked.id, &fault);
        };
        self.forward(asked, sent, &target).await
    }

    pub(super) async fn get_prompt(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let sent = Sent::new(asked.params, &["name"]);
        let Some(name) = sent.key() else { return missing(asked, "name") };
        match self.catalog().find(Kind::Prompts, &name) {
            Some(target) => self.forward(asked, sent, &target).await,
            None => message::error(asked.id, -32602, &format!("Prompt '{name}' not found"), None),
        }
    }

    /// A resource that nobody lists is looked for on every server that has resources.
    pub(super) async fn read_resource(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let sent = Sent::new(asked.params, &["uri"]);
        let Some(uri) = sent.key() else { return missing(asked, "uri") };
        let mut refused = None;
        let targets = self.catalog().find_resource(&uri);
        if let [only] = &targets[..] {
            return self.forward(asked, sent, only).await;
        }
        for target in targets {
            match self.ask_target(asked, sent.clone(), &target).await {
                Ok(result) => return reply(asked, era_of(&target), Ok(result)),
                Err(failure) => refused = refused.or(Some(failure)),
            }
        }
        match refused {
            Some(failure) => message::failure(asked, &failure),
            None => {
                let code = if asked.guest.era() == Era::Modern { -32602 } else { -32002 };
                let data = serde_json::json!({ "uri": uri });
                message::error(asked.id, code, "Resource not found", Some(&data))
            }
        }
    }

    pub(super) async fn complete(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let by_name = Sent::new(asked.params, &["ref", "name"]);
        let by_uri = Sent::new(asked.params, &["ref", "uri"]);
        let (sent, target) = match (by_name.key(), by_uri.key()) {
            (Some(name), _) => (by_name, self.catalog().find(Kind::Prompts, &name)),
            (None, Some(uri)) => {
                let found = self.catalog().find(Kind::Templates, &uri);
                (by_uri, found.or_else(|| self.catalog().find_resource(&uri).into_iter().next()))
            }
            (None, None) => return missing(asked, "ref"),
        };
        match target {
            Some(target) => self.forward(asked, sent, &target).await,
            None => message::error(asked.id, -32602, "No such prompt or resource to complete for", None),
        }
    }

    /// What a modern server wants to hear in every request and a legacy client said in its handshake.
    fn missing_meta(&self, guest: &Guest, server: Era) -> String {
        if guest.era() == Era::Modern || server == Era::Legacy {
            return String::new();
        }
        let info = serde_json::json!({"name": guest.name, "version": ""});
        let capabilities = serde_json::Value::Object(guest.capabilities.clone());
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

    /// Every server that logs is told the level; which one it is only the client knows.
    pub(super) fn set_level(&self, asked: &Asked<'_>) -> Vec<u8> {
        let params = asked.params.map_or("{}", RawValue::get);
        if member_at(params, "level").is_none() {
            return missing(asked, "level");
        }
        let level =
            member_at(params, "level").and_then(|at| serde_json::from_str::<String>(&params[at]).ok());
        let Some(level) = level.filter(|level| LEVELS.contains(&level.as_str())) else {
            return message::error(asked.id, -32602, "Invalid log level", None);
        };
        self.endpoint.levels.set(asked.guest.number, level);
        for server in self.catalog().able("logging") {
            if let Some(connection) = server.connection() {
                let sent =
                    connection.client.request("logging/setLevel", |_, out| Splice::new(params).write(out));
                // The reply says nothing that matters here.
                drop(sent);
            }
        }
        message::own(asked.id, "", asked.guest.era())
    }

    pub(super) async fn forward(
        self: &Arc<Self>,
        asked: &Asked<'_>,
        sent: Sent<'_>,
        target: &Target,
    ) -> Vec<u8> {
        if asked.guest.era() == Era::Modern && era_of(target) == Era::Legacy && !asked.key_path().is_empty() {
            return self.fly(asked, &sent, target).await;
        }
        let outcome = self.ask_target(asked, sent, target).await;
        if let Ok(result) = &outcome {
            self.endpoint.tasks.note(result.get(), target.server.name());
        }
        reply(asked, era_of(target), outcome)
    }

    /// One request to the server that a name stands for. A modern server's questions to a legacy client
    /// are asked, and the request is made again with the answers.
    pub(super) async fn ask_target(
        &self,
        asked: &Asked<'_>,
        mut sent: Sent<'_>,
        target: &Target,
    ) -> Result<Box<RawValue>, Failure> {
        for _ in 0..super::rounds::MAX {
            let result = self.heard(asked, &sent, target).await?;
            match self.next_round(asked, &result).await? {
                Some(answers) => sent = sent.with(answers),
                None => return Ok(result),
            }
        }
        Err(Fault::new(Code::ToolExecutionError, "The server asks for input without end").into())
    }

    /// One round, while what the server says about it is passed on to the client, in order.
    async fn heard(
        &self,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
    ) -> Result<Box<RawValue>, Failure> {
        let settings = self.settings();
        let (hearing, mut heard) = Hearing::new(asked.guest.number, &settings);
        let mut relay = Relay::new(self, asked, sent.token(), hearing.ticks.clone());
        let mut work = std::pin::pin!(self.once(asked, sent, target, &hearing, &settings));
        let done = loop {
            tokio::select! {
                biased;
                Some(said) = heard.recv() => relay.pass(*said).await,
                done = &mut work => break done,
            }
        };
        // What was said before the reply is passed on before it.
        while let Ok(said) = heard.try_recv() {
            relay.pass(*said).await;
        }
        done
    }

    /// The request itself. A call takes the road of every call.
    pub(super) async fn once(
        &self,
        asked: &Asked<'_>,
        sent: &Sent<'_>,
        target: &Target,
        hearing: &Hearing,
        settings: &Settings,
    ) -> Result<Box<RawValue>, Failure> {
        let server = &target.server;
        let connection = running(server)?;
        let needs = Needs {
            meta: self.missing_meta(asked.guest, connection.peer.era),
            strip: asked.guest.era() == Era::Modern && connection.peer.era == Era::Legacy,
            progress: hearing.ticks.is_some(),
        };
        if asked.method == "tools/call" {
            let mut call = ToolCall {
                server: Some(server.name().into()),
                tool: target.own.as_str().into(),
                input: RawValue::NULL,
                timeout: None,
                sent: Some((sent.clone(), needs)),
            };
            return self.carry(&mut call, settings, Some(hearing)).await;
        }
        let ask = Ask { method: asked.method, subject: &target.own, ms: server.timeout(settings) };
        let write = |id: u64, out: &mut Vec<u8>| sent.write(&target.own, id, &needs, out);
        match exchange(server, &connection, &ask, settings, Some(hearing), write).await? {
            Outcome::Result(result) => Ok(result),
            Outcome::Error(error) => Err(Failure::Rpc(error)),
            Outcome::Invalid => Err(faults::internal().into()),
        }
    }
}

/// Passes on what a server says about one request.
pub(super) struct Relay<'a> {
    gateway: &'a Gateway,
    asked: &'a Asked<'a>,
    token: Option<&'a str>,
    ticks: Option<Arc<Notify>>,
    questions: Vec<u64>,
}

impl<'a> Relay<'a> {
    pub(super) fn new(
        gateway: &'a Gateway,
        asked: &'a Asked<'a>,
        token: Option<&'a str>,
        ticks: Option<Arc<Notify>>,
    ) -> Self {
        Self { gateway, asked, token, ticks, questions: Vec::new() }
    }

    pub(super) async fn pass(&mut self, said: Said) {
        if said.id.is_some() {
            return self.ask(said).await;
        }
        let params = said.params.as_deref().map_or("{}", RawValue::get);
        let message = match said.method.as_str() {
            "notifications/progress" => {
                if let Some(ticks) = &self.ticks {
                    ticks.notify_one();
                }
                match self.token {
                    Some(token) => message::notification(&said.method, &with_token(params, token)),
                    None => return,
                }
            }
            "notifications/message" if !self.wants_logs(params) => return,
            method => message::notification(method, params),
        };
        // A client that is gone is noticed by its transport.
        let _ = self.asked.line.send(message).await;
    }

    async fn ask(&mut self, said: Said) {
        let guest = self.asked.guest;
        let refuse = |text: &str| {
            if let Some(id) = &said.id {
                let error = serde_json::json!({"code": -32603, "message": text});
                said.from.answer(id, &format!(r#""error":{error}"#));
            }
        };
        if let Err(capability) = guest.can_answer(&said.method) {
            return refuse(&format!("The client does not offer '{capability}'"));
        }
        if guest.era() == Era::Modern {
            return refuse("The client speaks 2026-07-28 and cannot be asked while a request is under way");
        }
        if let Some((id, message)) = self.gateway.endpoint.questions.ask(guest.number, said) {
            self.questions.push(id);
            let _ = self.asked.line.send(message).await;
        }
    }

    /// A modern client gets log messages only when its request asks for them, and only that loud.
    fn wants_logs(&self, params: &str) -> bool {
        if self.asked.guest.era() == Era::Legacy {
            return true;
        }
        let level = |text: Option<&str>| {
            let word: String = serde_json::from_str(text?).ok()?;
            LEVELS.iter().position(|level| *level == word)
        };
        let asked = Sent::new(self.asked.params, &[]);
        let wanted = level(asked.meta("io.modelcontextprotocol/logLevel"));
        let said = level(member_at(params, "level").map(|at| &params[at]));
        wanted.is_some_and(|wanted| said.is_none_or(|said| said >= wanted))
    }
}

impl Drop for Relay<'_> {
    fn drop(&mut self) {
        self.gateway.endpoint.questions.forget(&self.questions);
    }
}

/// From the quietest to the loudest.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The client's own token in place of ours.
fn with_token(params: &str, token: &str) -> String {
    let mut out = Vec::with_capacity(params.len() + token.len());
    let mut splice = Splice::new(params);
    if let Some(at) = member_at(params, "progressToken") {
        splice.replace(at, token.as_bytes());
    }
    splice.write(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn era_of(target: &Target) -> Era {
    target.server.connection().map_or(Era::Legacy, |connection| connection.peer.era)
}

pub(super) fn reply(asked: &Asked<'_>, server: Era, outcome: Result<Box<RawValue>, Failure>) -> Vec<u8> {
    match outcome {
        Ok(result) => message::passed(asked, result.get(), server),
        Err(failure) => message::failure(asked, &failure),
    }
}

pub(super) fn missing(asked: &Asked<'_>, field: &str) -> Vec<u8> {
    message::error(asked.id, -32602, &format!("Missing parameter: {field}"), None)
}
