//! The last requests that passed, kept in memory so that a draft of a hook can be tried on real traffic.
//! Values of secret-looking keys, and of the server's own variables, are masked before anybody sees them.

use super::mask::masked;
use super::subject::request_type;
use super::verdict::error_of;
use crate::call::Failure;
use crate::endpoint::Target;
use crate::errand::Errand;
use model::Settings;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The most bytes of parameters or of a reply that are kept whole.
const TEXT_MAX: usize = 64 * 1024;

/// The most bytes of all texts together.
const TOTAL_MAX: usize = 4 * 1024 * 1024;

/// A ring of requests. It is written once per request and read by people.
#[derive(Default)]
pub(crate) struct Captures {
    ring: Mutex<Ring>,
}

#[derive(Default)]
struct Ring {
    next: u64,
    bytes: usize,
    kept: VecDeque<Kept>,
}

struct Kept {
    number: u64,
    at: i64,
    method: Box<str>,
    client: Box<str>,
    target: Option<Target>,
    params: Option<Box<str>>,
    reply: Reply,
    micros: u64,
}

enum Reply {
    Result(Option<Box<str>>),
    Error(Value),
}

/// A request that passed, as people see it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capture {
    /// Names it when a draft is tried on it.
    pub id: String,
    /// When it was done, in milliseconds since 1970.
    pub at: i64,
    /// The MCP method.
    pub method: String,
    /// The client.
    pub client_id: String,
    /// The server, where one was addressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
    /// The tool, where one was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The parameters as they came in, masked; null when they were too large to be kept.
    pub params: Value,
    /// What the server answered, masked; null when it failed, or was too large to be kept.
    pub response: Value,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// Milliseconds from request to reply.
    pub duration: f64,
}

impl Captures {
    /// Keeps a request to a server, as it came in and as it was answered.
    pub(crate) fn add(
        &self,
        settings: &Settings,
        errand: &Errand<'_>,
        began: Instant,
        outcome: &Result<Box<RawValue>, Failure>,
    ) {
        if settings.captures.keep == 0 || request_type(errand.method).is_none() {
            return;
        }
        let reply = match outcome {
            Ok(result) => Reply::Result(small(result.get().into())),
            Err(failure) => Reply::Error(error_of(failure)),
        };
        self.push(
            settings,
            Kept {
                number: 0,
                at: super::book::now(),
                method: errand.method.into(),
                client: errand.caller.id().into(),
                target: Some(errand.target.clone()),
                params: small(errand.text()),
                reply,
                micros: u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX),
            },
        );
    }

    fn push(&self, settings: &Settings, kept: Kept) {
        let keep = usize::try_from(settings.captures.keep).unwrap_or(usize::MAX);
        // Mostly one goes for each that comes.
        let (mut gone, mut more) = (None, Vec::new());
        let mut ring = self.lock();
        ring.next += 1;
        ring.bytes += kept.size();
        let number = ring.next;
        ring.kept.push_back(Kept { number, ..kept });
        while ring.kept.len() > keep || ring.bytes > TOTAL_MAX {
            let Some(oldest) = ring.kept.pop_front() else { break };
            ring.bytes -= oldest.size();
            more.extend(gone.replace(oldest));
        }
        // What is freed is freed outside the lock.
        drop(ring);
        drop((gone, more));
    }

    /// Everything that is kept, the newest first.
    pub(crate) fn list(&self) -> Vec<Capture> {
        self.lock().kept.iter().rev().map(Kept::show).collect()
    }

    /// One of them.
    pub(crate) fn get(&self, id: &str) -> Option<Capture> {
        let number: u64 = id.parse().ok()?;
        self.lock().kept.iter().find(|kept| kept.number == number).map(Kept::show)
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A text that is not too large.
fn small(text: Cow<'_, str>) -> Option<Box<str>> {
    (text.len() <= TEXT_MAX).then(|| text.into())
}

impl Kept {
    fn size(&self) -> usize {
        let reply = match &self.reply {
            Reply::Result(text) => text.as_deref().map_or(0, str::len),
            Reply::Error(_) => 0,
        };
        reply + self.params.as_deref().map_or(0, str::len)
    }

    fn show(&self) -> Capture {
        // What the server knows as a secret is one here too, under whatever key it stands.
        let unsecret = |mut value: Value| {
            self.target.iter().for_each(|target| target.server.mask_secrets(&mut value));
            value
        };
        let value = |text: &Option<Box<str>>| unsecret(masked(text.as_deref()));
        let (response, error) = match &self.reply {
            Reply::Result(text) => (value(text), None),
            Reply::Error(error) => (Value::Null, Some(unsecret(error.clone()))),
        };
        Capture {
            id: self.number.to_string(),
            at: self.at,
            method: self.method.to_string(),
            client_id: self.client.to_string(),
            server_name: self.target.as_ref().map(|target| target.server.name().to_owned()),
            tool_name: self
                .target
                .as_ref()
                .filter(|_| &*self.method == "tools/call")
                .map(|target| target.own.to_string()),
            params: value(&self.params),
            response,
            error,
            duration: self.micros as f64 / 1000.0,
        }
    }
}

impl Capture {
    /// The context that hooks of a phase would see of it.
    pub(crate) fn context(&self, post: bool) -> Value {
        let mut metadata = Map::new();
        metadata.insert("clientId".into(), self.client_id.clone().into());
        if let Some(server) = &self.server_name {
            metadata.insert("serverName".into(), server.clone().into());
            metadata.insert("serverId".into(), server.clone().into());
        }
        metadata.insert("startTime".into(), self.at.into());
        let mut context = json!({
            "request": {"method": self.method, "params": self.params},
            "requestType": request_type(&self.method),
        });
        for (key, name) in [("toolName", &self.tool_name), ("serverName", &self.server_name)] {
            if let Some(name) = name {
                context[key] = name.clone().into();
            }
        }
        if post {
            metadata.insert("duration".into(), json!(self.duration));
            if let Some(error) = &self.error {
                metadata.insert("error".into(), error.clone());
            } else {
                context["response"] = self.response.clone();
            }
        }
        context["metadata"] = metadata.into();
        context
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(params: &str) -> Kept {
        Kept {
            number: 0,
            at: 5,
            method: "tools/list".into(),
            client: "c".into(),
            target: None,
            params: small(params.into()),
            reply: Reply::Result(small(r#"{"apiKey":"s3cret","tools":[]}"#.into())),
            micros: 1500,
        }
    }

    #[test]
    fn the_newest_are_kept_and_their_secrets_masked() {
        let captures = Captures::default();
        let mut settings = Settings::default();
        settings.captures.keep = 2;
        for n in 0..3 {
            captures.push(&settings, kept(&json!({"n": n, "password": "p"}).to_string()));
        }
        let list = captures.list();
        assert_eq!(list.iter().map(|one| &one.params["n"]).collect::<Vec<_>>(), [&json!(2), &json!(1)]);
        assert_eq!(list[0].params["password"], "[masked]");
        assert_eq!(list[0].response, json!({"apiKey": "[masked]", "tools": []}));
        assert_eq!(captures.get(&list[1].id).map(|one| one.params["n"].clone()), Some(json!(1)));
        assert!(captures.get("1").is_none());
    }

    #[test]
    fn many_bytes_push_out_the_old() {
        let captures = Captures::default();
        let settings = Settings::default();
        for _ in 0..200 {
            captures.push(&settings, kept(&format!("\"{}\"", "x".repeat(TEXT_MAX - 2))));
        }
        let list = captures.list();
        assert!(list.len() > 10 && list.len() < 100, "{}", list.len());
        captures.push(&settings, kept(&format!("\"{}\"", "x".repeat(TEXT_MAX))));
        assert_eq!(captures.list()[0].params, Value::Null);
    }
}
