//! What a server says about one request, passed on to the client that made it.

use super::forward::with_token;
use super::guest::is_question;
use super::levels::Level;
use super::questions::Over;
use super::{Asked, Cancel, message};
use crate::carried::{Carried, Failure};
use crate::gateway::Gateway;
use crate::sent::Sent;
use crate::talk::Asker;
use mcp::{COMPLETE, Ear, Era, Listener, Means, Said};
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::Notify;

impl Gateway {
    /// A legacy client gets log messages as loud as it asked for once; a modern client only when its request
    /// asks for them.
    pub(super) fn wants_logs(&self, asked: &Asked<'_>, params: &str) -> bool {
        if asked.guest.era() == Era::Legacy {
            return self.endpoint.levels.admits(asked.guest.number, params);
        }
        let sent = Sent::new(asked.params, &[]);
        let wanted = sent.meta("io.modelcontextprotocol/logLevel").and_then(Level::read);
        wanted.is_some_and(|wanted| Level::of(params).is_none_or(|said| said >= wanted))
    }
}

/// Passes on what a server says about one request.
pub(super) struct Relay<'a> {
    gateway: &'a Gateway,
    asked: &'a Asked<'a>,
    token: Option<&'a str>,
    ticks: Option<Arc<Notify>>,
    /// Where the questions are noted that the client was asked and that wait for an answer.
    ear: Arc<Ear>,
    means: Means,
    /// What a modern client would have to offer in order to be asked what its server wanted to know.
    lacking: Option<&'static str>,
}

impl<'a> Relay<'a> {
    pub(super) fn new(
        gateway: &'a Gateway,
        asked: &'a Asked<'a>,
        token: Option<&'a str>,
        ticks: Option<Arc<Notify>>,
        listener: &Listener,
    ) -> Self {
        let (ear, means) = (listener.ear.clone(), listener.means);
        Self { gateway, asked, token, ticks, ear, means, lacking: None }
    }

    pub(super) async fn pass(&mut self, said: Said) {
        if said.id.is_some() {
            return self.ask(said).await;
        }
        if let Some(id) = said.again {
            if let Some(message) = self.gateway.endpoint.questions.message(id) {
                let _ = self.asked.line.send(message).await;
            }
            return;
        }
        let params = said.params.as_deref().map_or("{}", RawValue::get);
        let message = match said.method.as_str() {
            "notifications/progress" => {
                if let Some(ticks) = &self.ticks {
                    ticks.notify_one();
                }
                match self.token {
                    Some(token) => message::notification(&said.method, Some(&with_token(params, token))),
                    None => return,
                }
            }
            "notifications/message" if !self.gateway.wants_logs(self.asked, params) => return,
            COMPLETE if !self.wants_complete(&said) => return,
            "notifications/cancelled" => {
                match self.gateway.endpoint.questions.withdraw(&self.ear.held(), &said.from, params) {
                    Some((_, message)) => message,
                    None => return,
                }
            }
            method => message::notification(method, said.params.as_deref().map(RawValue::get)),
        };
        // A client that is gone is noticed by its transport.
        let _ = self.asked.line.send(message).await;
    }

    /// What came of the request. A question that nobody could put to a modern client may have been the server's own
    /// idea, so the request went on; if it failed, this is why.
    pub(super) fn explain(&self, carried: Carried) -> Carried {
        match self.lacking.filter(|_| carried.outcome.is_err()) {
            Some(capability) => {
                Carried { outcome: Err(missing_capability(Asker::Server, capability)), ..carried }
            }
            None => carried,
        }
    }

    /// What its client was asked and has not answered, and no other request of the client takes over.
    pub(super) fn left(&self) -> Vec<u64> {
        self.left_by(false)
    }

    /// The same; whether its stream broke, so that the client may not have heard what it was asked there.
    fn left_by(&self, broken: bool) -> Vec<u64> {
        let mut left = self.ear.release();
        left.retain(|id| !self.gateway.endpoint.questions.pass_on(*id, broken));
        left
    }

    /// The request is over: its client is told that what is left is so, too.
    pub(super) async fn close(&mut self, left: Vec<u64>) {
        for message in self.gateway.endpoint.questions.end(&left, Over::Done) {
            let _ = self.asked.line.send(message).await;
        }
    }

    async fn ask(&mut self, mut said: Said) {
        if self.asked.guest.era() == Era::Modern && is_question(&said.method) {
            if self.means == Means::None {
                // Another request of the same client may wait for its answer.
                said = match Box::new(said).hand_on() {
                    Ok(()) => return,
                    Err(back) => *back,
                };
            }
            let params = said.params.as_deref().map_or("{}", RawValue::get);
            self.lacking = self.asked.guest.can_answer(&said.method, params).err().or(self.lacking);
        }
        if let Some((id, message)) = self.gateway.endpoint.put(self.asked.guest, said) {
            self.ear.hold(id);
            let _ = self.asked.line.send(message).await;
        }
    }

    /// Whether its client is to hear here that an elicitation is done. One that listens hears it there, and the modern
    /// era has no such word.
    fn wants_complete(&self, said: &Said) -> bool {
        let (endpoint, guest) = (&self.gateway.endpoint, self.asked.guest);
        let params = said.params.as_deref().map_or("{}", RawValue::get);
        let own = || endpoint.elicited.client(params) == Some(guest.number);
        guest.era() == Era::Legacy && (!said.apart || (own() && !endpoint.streams.has(guest.number)))
    }
}

impl Drop for Relay<'_> {
    fn drop(&mut self) {
        let cancelled = self.asked.cancel.is_some_and(Cancel::is_told);
        let over = if cancelled { Over::Cancelled } else { Over::Gone };
        self.gateway.endpoint.questions.call_off(&self.left_by(!cancelled), over, self.asked.line);
    }
}

/// The error for a modern client that lacks what it would be asked for.
pub(super) fn missing_capability(by: Asker, capability: &str) -> Failure {
    let text = format!("{} asks for '{capability}', which the client does not offer", by.subject());
    let required = capability.rsplit('.').fold(json!({}), |part, name| json!({name: part}));
    message::own_error(-32021, &text, &json!({"requiredCapabilities": required}))
}
