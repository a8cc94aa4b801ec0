//! The record of one call, from its beginning to its end, or to its client's leaving.

use super::fold::Refusal;
use super::writer::Shared;
use crate::caller::Caller;
use crate::hooks::Trace;
use model::Code;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::time::Instant;
use store::AuditDraft;

/// A call under way.
pub(crate) struct Record<'a>(Option<Begun<'a>>);

struct Begun<'a> {
    shared: &'a Shared,
    at: i64,
    began: Instant,
    who: String,
    method: String,
    subject: String,
    /// What tells whether arguments were these, and nothing else of them.
    arguments: String,
    is_step: bool,
}

impl<'a> Record<'a> {
    /// Nothing is recorded.
    pub(super) fn none() -> Self {
        Self(None)
    }

    pub(super) fn new(
        shared: &'a Shared,
        caller: &Caller<'_>,
        method: &str,
        subject: String,
        arguments: &str,
    ) -> Self {
        let digest = Sha256::digest(arguments.as_bytes());
        Self(Some(Begun {
            shared,
            at: crate::hooks::now(),
            began: Instant::now(),
            who: caller.id().to_owned(),
            method: method.to_owned(),
            subject,
            arguments: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            is_step: caller.is_step(),
        }))
    }

    /// The call has come to its end.
    pub(crate) fn over(mut self, code: Option<Code>, hooks: &Trace) {
        if let Some(begun) = self.0.take() {
            match code {
                // Of calls that limits turn away there may be very many.
                Some(code @ (Code::RateLimited | Code::Overloaded | Code::CircuitOpen)) => {
                    begun.refused(code)
                }
                code => begun.end(code.map_or("OK", Code::name), hooks),
            }
        }
    }
}

/// Nobody waits for the call any more.
impl Drop for Record<'_> {
    fn drop(&mut self) {
        if let Some(begun) = self.0.take() {
            begun.end("CANCELLED", &Trace::default());
        }
    }
}

impl Begun<'_> {
    fn refused(self, code: Code) {
        let (who, method) = (self.who.as_str(), self.method.as_str());
        let refusal = Refusal { kind: "call", who, source: None, method, code, status: None };
        self.shared.refuse(&refusal, || self.subject.clone());
    }

    fn end(self, outcome: &str, hooks: &Trace) {
        let mut body = json!({
            "method": self.method,
            "outcome": outcome,
            "ms": u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            "arguments": format!("sha256:{}", self.arguments),
        });
        if !hooks.is_empty() {
            body["hooks"] = hooks.to_string().into();
        }
        if self.is_step {
            body["step"] = true.into();
        }
        self.shared.add(AuditDraft {
            at: self.at,
            kind: "call".into(),
            who: self.who,
            subject: self.subject,
            body: body.to_string(),
        });
    }
}
