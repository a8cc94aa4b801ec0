//! Calls of tools that are not those of a server, with what happens meanwhile told as log messages.

use super::note::Note;
use super::rounds::{Again, Patience, may_ask};
use super::{Asked, message, names};
use crate::called;
use crate::carried::Carried;
use crate::errand::Errand;
use crate::gateway::Gateway;
use crate::sent::Sent;
use mcp::{Era, Kind, Sender, Word};
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::time::Instant;
use workflow::session::{Ear, Listen, News};

/// Log messages that may wait for a client that reads slowly; more are dropped.
const LOGS: usize = 64;

/// A session of ours is named by this member.
static SESSION: Word = Word::new("sessionId");

/// How a modern client asks for log messages.
static LEVEL: Word = Word::new("logLevel");

impl Gateway {
    /// Whether a tool of this name is not a server's, and there for whoever asks.
    pub(super) fn is_own(&self, asked: &Asked<'_>, name: &str) -> bool {
        let own = self.sessions.own();
        !own.is_empty() && own.get(name).is_some() && self.permits_own(&asked.caller(), name)
    }

    pub(super) async fn call_own_tool(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        // What hooks asked is no business of the tool's own rounds.
        let own = asked.sent(&["name"]).for_server();
        let params = own.as_deref().or(asked.params).map_or("{}", RawValue::get);
        let answer = match self.next_round_of(asked, params) {
            Ok(answer) => answer,
            Err(refusal) => return refusal,
        };
        let put_off = answer.as_deref().and_then(|chosen| self.put_off(asked, params, chosen));
        if let Some(chosen) = answer.as_deref()
            && put_off.is_none()
            && !called::name(chosen.get()).is_some_and(|name| self.is_own(asked, &name))
        {
            // What was offered may be a tool of a server, which takes the road of every other call.
            let reply =
                Box::pin(self.call_chosen(&Asked { params: Some(chosen), talk: None, ..*asked })).await;
            return self.within_round(asked, chosen, reply);
        }
        let shown = asked.talk.and_then(|talk| {
            Sent::new(answer.as_deref().or(asked.params), &["name"]).with_answers(&talk.for_hooks())
        });
        let called = shown.as_deref().or(answer.as_deref()).or(asked.params);
        let params = called.map_or("{}", RawValue::get);
        if let Some(reply) = self.start_as_task(asked, params).await {
            return reply;
        }
        let began = Instant::now();
        let mut carried = self.call_own_once(asked, params, put_off.as_deref()).await;
        let name = called::name(params).unwrap_or_default();
        if may_ask(asked, &carried) {
            let patience = Patience::of_own(&name, &self.settings(), began);
            let (sent, again) = (Sent::new(called, &["name"]), Again::Own(put_off.as_deref()));
            carried = Box::pin(self.in_rounds(asked, &sent, &patience, again, carried)).await;
        }
        let carried = self.with_talk(asked, carried);
        let hooks = self.told_of(&carried.trace);
        let outcome = carried.outcome.map(|result| message::traced(result, &hooks));
        asked.note.set(Note::own(&name, carried.code, carried.trace));
        match outcome {
            Ok(result) => match self.as_round(asked, &tool_of(asked), &result) {
                Some(round) => message::signed(asked.id, &round, &hooks),
                None => message::passed(asked, result.get()),
            },
            Err(failure) => message::failure(asked, Era::Legacy, &failure, &hooks),
        }
    }

    /// The call of a server's tool that was chosen in a round, which may be a further round of that call.
    async fn call_chosen(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        match self.talk_in(asked) {
            None => self.call_tool(asked).await,
            Some((talk, params)) => {
                self.call_tool(&Asked { talk: Some(&talk), params: Some(&params), ..*asked }).await
            }
        }
    }

    /// One call, while what happens is told to a client that wants to hear of it.
    pub(super) async fn call_own_once(
        &self,
        asked: &Asked<'_>,
        params: &str,
        put_off: Option<&str>,
    ) -> Carried {
        let (log, mut logs) = mcp::mail::<String>(LOGS);
        // A legacy client has logging on once it has said how loud it wants it (spec 4.6), a modern one for the call.
        let asked_for_logs = match asked.guest.era() {
            Era::Legacy => self.endpoint.levels.said(asked.guest.number).is_some(),
            Era::Modern => asked.params.is_some_and(|params| mcp::mentions(params.get(), &LEVEL)),
        };
        let ear = asked_for_logs.then(|| Ear(Arc::new(Log(log))));
        let pass = async |params: String| {
            if self.wants_logs(asked, &params) {
                let _ = asked.line.send(message::notification("notifications/message", Some(&params))).await;
            }
        };
        let work = async {
            match put_off {
                Some(workflow) => Box::pin(self.pause_unlisted(asked.caller(), workflow, params)).await,
                None => self.call_own(asked.caller(), params, ear).await,
            }
        };
        let mut work = std::pin::pin!(work);
        let carried = loop {
            tokio::select! {
                biased;
                Some(params) = logs.recv() => pass(params).await,
                carried = &mut work => break carried,
            }
        };
        while let Some(params) = logs.try_recv() {
            pass(params).await;
        }
        carried
    }

    /// The session that the arguments of a call name, as far as there are sessions that could have offered its tool.
    pub(crate) fn session_named(&self, errand: &Errand<'_>) -> Option<String> {
        if !errand.is_call() || errand.caller.is_step() || self.sessions.own().is_empty() {
            return None;
        }
        let arguments = match errand.params.sent() {
            Err(input) => input,
            // What brings answers to a server's questions is the same call once more.
            Ok(sent) if !mcp::mentions(sent.text(), &SESSION) || sent.answers() => return None,
            Ok(sent) => &sent.text()[mcp::member_at(sent.text(), "arguments")?],
        };
        if !mcp::mentions(arguments, &SESSION) {
            return None;
        }
        serde_json::from_str(&arguments[mcp::member_at(arguments, SESSION.text())?]).ok()
    }

    /// Notes in a session that a tool of a server which it offered is called with its id, under whichever name it was
    /// offered. What hooks made of the call is `left`; one that cannot be made chooses nothing.
    pub(crate) async fn note_offer(&self, errand: &Errand<'_>, left: &Errand<'_>, id: &str) {
        if self.permit(left).is_err() || self.ready_for(left).await.is_err() {
            return;
        }
        let (server, own) = (errand.target.server.name(), &*errand.target.own);
        let called = errand.params.sent().ok().and_then(Sent::key);
        let names = called.into_iter().chain([own.to_owned(), names::long(Kind::Tools, server, own)]);
        for name in names {
            let noted = self.sessions.engine.chosen(Some(errand.caller.id()), id, &name, None).await;
            // A session of another program has ids too; those are not ours to know.
            if !matches!(noted, Ok(false)) {
                return;
            }
        }
    }
}

/// The tool that the client called.
pub(super) fn tool_of(asked: &Asked<'_>) -> String {
    let params = asked.params.map_or("{}", RawValue::get);
    let name = mcp::member_at(params, "name").and_then(|at| serde_json::from_str(&params[at]).ok());
    name.unwrap_or_default()
}

/// Turns news of a session into log messages.
struct Log(Sender<String>);

impl Listen for Log {
    fn hear(&self, news: &News<'_>) {
        let (level, text) = match news {
            News::Began { activity, .. } => ("info", format!("[{activity}] began execution")),
            News::Ended { activity, took, error: None, .. } => {
                ("info", format!("[{activity}] completed in {took}ms"))
            }
            News::Ended { activity, error: Some(error), .. } => {
                ("error", format!("[{activity}] failed with error: {error}"))
            }
            News::Changed { .. } => return,
        };
        let message = Message { level, logger: model::PRODUCT, data: text };
        let _ = self.0.offer(serde_json::to_string(&message).expect("a message is plain data"));
    }
}

/// The parameters of a log message.
#[derive(Serialize)]
struct Message {
    level: &'static str,
    logger: &'static str,
    data: String,
}
