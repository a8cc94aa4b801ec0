//! Calls to Restate: orders over its ingress, and what else goes over HTTP.

use crate::object::Call;
use crate::{HANDLER, OBJECT};
use mcp::{FetchError, Request, Target};
use model::Address;
use serde_json::Value;
use std::time::{Duration, Instant};
use workflow::session::{Answer, Host, Order, Running};

/// The largest answer.
const ANSWER_MAX: usize = 256 << 20;

/// For how long an order is sent again that Restate may have, and how often.
const PATIENCE: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(250);

/// Speaks to one Restate.
pub(crate) struct Client {
    ingress: Target,
    admin: Target,
}

/// What came of a request.
enum Failed {
    /// Restate did not get it.
    Away(String),
    /// Restate may have it.
    Lost(String),
    /// Restate does not want it.
    Refused(String),
}

impl Client {
    pub(crate) fn new(ingress: &Address, admin: &Address) -> Self {
        let target = |address: &Address| Target {
            address: address.clone(),
            headers: Vec::new(),
            admits: |_| true,
            tokens: None,
        };
        Self { ingress: target(ingress), admin: target(admin) }
    }

    /// Sends JSON to a path of the admin address.
    pub(crate) async fn administer(&self, path: &str, body: &Value) -> Result<Value, String> {
        let sent = self.send(&self.admin, path, None, body.to_string()).await;
        let text = sent.map_err(|failed| match failed {
            Failed::Away(reason) | Failed::Lost(reason) | Failed::Refused(reason) => reason,
        })?;
        serde_json::from_slice(&text).map_err(|error| error.to_string())
    }

    async fn send(
        &self,
        to: &Target,
        path: &str,
        name: Option<&str>,
        body: String,
    ) -> Result<Vec<u8>, Failed> {
        let mut target = to.clone();
        target.address.path = format!("{}{path}", target.address.path.trim_end_matches('/'));
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.extend(name.map(|name| ("idempotency-key".to_owned(), name.to_owned())));
        let request = Request { method: "POST".into(), headers, body: body.into_bytes() };
        match mcp::send(&target, request, ANSWER_MAX).await {
            Ok((200..300, body)) => Ok(body.to_vec()),
            Ok((status @ (502..=504 | 429), body)) => Err(Failed::Lost(said(status, &body))),
            Ok((status, body)) => Err(Failed::Refused(said(status, &body))),
            Err(error @ FetchError::Unreachable(_)) => Err(Failed::Away(format!("Restate: {error}"))),
            Err(error) => Err(Failed::Lost(format!("Restate: {error}"))),
        }
    }

    /// Sends an order. Once Restate may have it, it is asked for the answer until there is one: the name sees to it
    /// that the order is carried out once.
    async fn order(
        &self,
        session: &str,
        name: Option<&str>,
        order: Order,
        verb: &str,
    ) -> Result<Vec<u8>, String> {
        let call = Call { name: name.unwrap_or_default().to_owned(), order, timer: None };
        let body = serde_json::to_string(&call).map_err(|error| error.to_string())?;
        let path = format!("/{OBJECT}/{session}/{HANDLER}{verb}");
        let mut lost: Option<Instant> = None;
        loop {
            let failed = match self.send(&self.ingress, &path, name, body.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            let reason = match failed {
                Failed::Refused(reason) => return Err(reason),
                Failed::Away(reason) if lost.is_none() => return Err(reason),
                Failed::Away(reason) => reason,
                Failed::Lost(reason) => {
                    lost.get_or_insert_with(Instant::now);
                    reason
                }
            };
            if lost.is_some_and(|since| since.elapsed() > PATIENCE) {
                return Err(format!("{reason}; what was asked may still be done"));
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}

/// The message of a refusal.
fn said(status: u16, body: &[u8]) -> String {
    let message = serde_json::from_slice::<Value>(body).ok();
    match message.as_ref().and_then(|body| body["message"].as_str()) {
        Some(message) => format!("Restate answered {status}: {message}"),
        None => format!("Restate answered {status}"),
    }
}

impl Host for Client {
    fn ask<'a>(
        &'a self,
        session: &'a str,
        name: &'a str,
        order: Order,
    ) -> Running<'a, Result<Answer, String>> {
        Box::pin(async move {
            let answer = self.order(session, Some(name), order, "").await?;
            serde_json::from_slice(&answer).map_err(|error| error.to_string())
        })
    }

    fn post<'a>(&'a self, session: &'a str, order: Order) -> Running<'a, Result<(), String>> {
        Box::pin(async move {
            // What is posted may be done twice.
            self.order(session, None, order, "/send").await.map(drop)
        })
    }
}
