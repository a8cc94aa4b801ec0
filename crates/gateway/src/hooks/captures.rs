//! The last requests that passed, kept in memory so that a draft of a hook can be tried on real traffic.
//! Values of secret-looking keys, and of the server's own variables, are masked before anybody sees them.

use super::mask::masked;
use super::subject::{alias, request_type};
use super::verdict::error_of;
use crate::carried::Failure;
use crate::endpoint::Target;
use crate::errand::Errand;
use model::{Code, Fault, Settings};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The most bytes of parameters or of a reply that are kept whole.
const TEXT_MAX: usize = 64 * 1024;

/// The most bytes of all texts together.
const TOTAL_MAX: usize = 4 * 1024 * 1024;

/// A ring of requests. It is written once per request and read by people.
#[derive(Default)]
pub(crate) struct Captures {
    /// Whether none are kept, so that nobody looks further.
    off: AtomicBool,
    ring: Mutex<Ring>,
}

#[derive(Default)]
struct Ring {
    /// How many are kept.
    most: usize,
    next: u64,
    bytes: usize,
    kept: VecDeque<Kept>,
}

impl Ring {
    /// Fills the place of the next: that of the oldest, where one more would be too many.
    fn fill(&mut self, fill: impl FnOnce(&mut Kept)) {
        self.next += 1;
        match self.kept.len() < self.most {
            true => self.kept.push_back(Kept::default()),
            false => self.kept.rotate_left(self.kept.len().min(1)),
        }
        // None where nothing is kept any more.
        let Some(kept) = self.kept.back_mut() else { return };
        self.bytes -= kept.size();
        kept.number = self.next;
        fill(kept);
        self.bytes += kept.size();
        self.trim();
    }

    /// Lets the oldest go that are too many, or too much.
    fn trim(&mut self) {
        while self.kept.len() > self.most || self.bytes > TOTAL_MAX {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.size();
        }
    }
}

/// One request. Its texts stay where they are when another takes its place: pieces of memory of their size cost more
/// than what is written into them.
#[derive(Default)]
struct Kept {
    number: u64,
    at: i64,
    method: String,
    client: String,
    target: Option<Target>,
    params: Text,
    result: Text,
    error: Option<Value>,
    micros: u64,
}

/// A text, unless it was too large.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    kept: bool,
}

impl Text {
    /// Puts a text of about this length in the place of the one before.
    fn put(&mut self, length: usize, write: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.clear();
        self.kept = length <= TEXT_MAX;
        // A short text does not keep the room of a long one.
        if !self.kept || self.bytes.capacity() > 2 * length + 1024 {
            self.bytes = Vec::new();
        }
        if self.kept {
            self.bytes.reserve_exact(length);
            write(&mut self.bytes);
        }
    }

    fn get(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|_| self.kept)
    }
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
    /// The resource, where one was read, as its server calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_uri: Option<String>,
    /// The prompt, where one was asked for, as its server calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_name: Option<String>,
    /// The parameters as they came in, masked; null when they were too large to be kept.
    pub params: Value,
    /// What the server answered, masked; null when it failed, or was too large to be kept.
    pub response: Value,
    /// Which of `params` and `response` were too large, or nested too deeply, to be kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub truncated: Vec<&'static str>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// Milliseconds from request to reply.
    pub duration: f64,
}

impl Captures {
    /// Keeps a request to a server, as it came in and as it was answered.
    pub(crate) fn add(&self, errand: &Errand<'_>, took: Duration, outcome: &Result<Box<RawValue>, Failure>) {
        if self.off.load(Relaxed) || request_type(errand.method).is_none() {
            return;
        }
        let (at, error) = (super::book::now(), outcome.as_ref().err().map(error_of));
        self.lock().fill(|kept| {
            kept.at = at;
            errand.method.clone_into(&mut kept.method);
            errand.caller.id().clone_into(&mut kept.client);
            kept.target = Some(errand.target.clone());
            kept.params.put(errand.text_len(), |out| errand.write_text(out));
            let result = outcome.as_ref().map_or("", |result| result.get());
            kept.result.put(result.len(), |out| out.extend_from_slice(result.as_bytes()));
            kept.error = error;
            kept.micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        });
    }

    /// Keeps as many as the settings say from now on, and lets go of the others.
    pub(crate) fn limit(&self, settings: &Settings) {
        let mut ring = self.lock();
        ring.most = usize::try_from(settings.captures.keep).unwrap_or(usize::MAX);
        ring.trim();
        self.off.store(ring.most == 0, Relaxed);
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

impl Kept {
    fn size(&self) -> usize {
        self.params.bytes.capacity() + self.result.bytes.capacity()
    }

    fn show(&self) -> Capture {
        // What the server knows as a secret is one here too, under whatever key it stands.
        let unsecret = |mut value: Value| {
            self.target.iter().for_each(|target| target.server.mask_secrets(&mut value));
            value
        };
        let value = |text: &Text| text.get().and_then(masked).map(unsecret);
        let (params, response) = (value(&self.params), value(&self.result));
        // What failed has no response that could be too large.
        let lost = [("params", params.is_none()), ("response", response.is_none() && self.error.is_none())];
        let own = |name: &str| {
            let target = self.target.as_ref().filter(|_| alias(&self.method) == Some(name));
            let own = target.map(|target| unsecret(Value::from(&*target.own)));
            own.and_then(|own| own.as_str().map(str::to_owned))
        };
        Capture {
            id: self.number.to_string(),
            at: self.at,
            method: self.method.clone(),
            client_id: self.client.clone(),
            server_name: self.target.as_ref().map(|target| target.server.name().to_owned()),
            tool_name: own("toolName"),
            resource_uri: own("resourceUri"),
            prompt_name: own("promptName"),
            params: params.unwrap_or_default(),
            response: response.unwrap_or_default(),
            truncated: lost.into_iter().filter(|(_, lost)| *lost).map(|(name, _)| name).collect(),
            error: self.error.clone().map(unsecret),
            duration: self.micros as f64 / 1000.0,
        }
    }
}

impl Capture {
    /// Refuses to be tried in a phase whose context it does not hold.
    pub(crate) fn suits(&self, post: bool) -> Result<(), Fault> {
        let phase = if post { "post" } else { "pre" };
        let needed = |name: &&&'static str| post || **name == "params";
        let Some(missing) = self.truncated.iter().find(needed) else { return Ok(()) };
        let id = &self.id;
        let message = format!(
            "Capture '{id}' has no {missing} for the {phase} phase: too large or too deep to be kept"
        );
        let fault = Fault::new(Code::Conflict, message).with("captureId", self.id.as_str());
        Err(fault.with("truncated", self.truncated.clone()))
    }

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
        for (key, name) in [
            ("toolName", &self.tool_name),
            ("resourceUri", &self.resource_uri),
            ("promptName", &self.prompt_name),
            ("serverName", &self.server_name),
        ] {
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

    /// Adds a request with these parameters, in the place of an old one where there is one.
    fn add(captures: &Captures, keep: usize, params: &str) {
        let put =
            |text: &mut Text, new: &str| text.put(new.len(), |out| out.extend_from_slice(new.as_bytes()));
        captures.lock().most = keep;
        captures.lock().fill(|kept| {
            put(&mut kept.params, params);
            put(&mut kept.result, r#"{"apiKey":"s3cret","tools":[]}"#);
        });
    }

    #[test]
    fn the_newest_are_kept_and_their_secrets_masked() {
        let captures = Captures::default();
        for n in 0..3 {
            add(&captures, 2, &json!({"n": n, "password": "p"}).to_string());
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
        for _ in 0..200 {
            add(&captures, 100, &format!("\"{}\"", "x".repeat(TEXT_MAX - 2)));
        }
        let list = captures.list();
        assert!(list.len() > 10 && list.len() < 100, "{}", list.len());
        add(&captures, 100, &format!("\"{}\"", "x".repeat(TEXT_MAX)));
        assert_eq!(captures.list()[0].params, Value::Null);
    }

    #[test]
    fn nothing_is_left_of_the_one_whose_place_is_taken() {
        let captures = Captures::default();
        let bytes = || captures.lock().kept.iter().map(Kept::size).sum::<usize>();
        for params in [format!("\"{}\"", "x".repeat(50_000)), "[1,2,3]".into(), "[4]".into(), "[5,6]".into()]
        {
            add(&captures, 1, &params);
            let list = captures.list();
            assert_eq!((list.len(), list[0].params.to_string()), (1, params));
            let counted = captures.lock().bytes;
            assert_eq!(counted, bytes());
        }
        assert!(bytes() < 4096, "short texts do not hold the room of a long one");
    }
}
