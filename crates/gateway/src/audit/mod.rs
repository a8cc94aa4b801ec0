//! The audit log: who did what, when, with which outcome. Written in batches, off the road of a call.
//!
//! Changes over the admin routes and refusals at the door are always recorded; calls with `audit.calls: true`, also
//! those that were refused before they got anywhere. What could not be recorded is
//! counted, and the count is recorded as soon as that is possible.

mod fold;
mod query;
mod record;
mod writer;

pub use query::{AuditQuery, AuditView};
pub(crate) use record::Record;

use crate::caller::Caller;
use crate::errand::Errand;
use crate::gateway::Gateway;
use fold::Refusal;
use model::{Code, Settings};
use serde_json::json;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use store::Store;
use tokio::task::JoinHandle;
use writer::{Shared, Writer};

/// The way to the audit log.
pub(crate) struct Audit {
    shared: Arc<Shared>,
    writing: Mutex<Option<JoinHandle<()>>>,
}

/// A change over the admin routes, or a request that was refused at the door.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// Who made it.
    pub who: &'a str,
    /// From where.
    pub source: Option<IpAddr>,
    /// The method of the request.
    pub method: &'a str,
    /// Its path.
    pub path: &'a str,
    /// The HTTP status of the answer.
    pub status: u16,
    /// What it made, by the id or the name under which that is reached from then on.
    pub made: &'a [String],
}

impl Audit {
    /// Starts to write.
    pub(crate) fn start(store: &Store, settings: &Settings) -> Self {
        let shared = Arc::new(Shared::new(store.clone(), settings.audit.days));
        let writing = tokio::spawn(Writer::new(shared.clone()).run());
        Self { shared, writing: Mutex::new(Some(writing)) }
    }

    /// Writes what is left and ends.
    pub(crate) async fn stop(&self) {
        self.shared.close();
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writing) = writing {
            let _ = writing.await;
        }
    }

    /// Other settings from now on.
    pub(crate) fn keep(&self, settings: &Settings) {
        self.shared.set_days(settings.audit.days);
    }

    /// Begins the record of a request to a server, where calls are recorded.
    pub(crate) fn begin<'a>(
        &'a self,
        errand: &'a Errand<'_>,
        settings: &Settings,
        began: Instant,
    ) -> Record<'a> {
        if !settings.audit.calls || !is_call(errand.method) {
            return Record::none();
        }
        let subject = [errand.target.server.name(), "/", &errand.target.own];
        let arguments = match errand.params.sent() {
            Err(input) => input,
            Ok(sent) => {
                let text = sent.text();
                mcp::member_at(text, "arguments").map_or("{}", |at| &text[at])
            }
        };
        Record::new(&self.shared, &errand.caller, errand.method, subject, arguments, began)
    }

    /// The same for a tool that is not a server's.
    pub(crate) fn begin_own<'a>(
        &'a self,
        caller: &'a Caller<'_>,
        tool: &'a str,
        params: &'a str,
        settings: &Settings,
    ) -> Record<'a> {
        if !settings.audit.calls {
            return Record::none();
        }
        let arguments = mcp::member_at(params, "arguments").map_or("{}", |at| &params[at]);
        let subject = [crate::access::OWN, "/", tool];
        Record::new(&self.shared, caller, "tools/call", subject, arguments, Instant::now())
    }

    /// Records a call that was refused before its road began.
    fn refuse(&self, caller: &Caller<'_>, method: &str, code: Code, subject: impl FnOnce() -> String) {
        let refusal = Refusal { kind: "call", who: caller.id(), source: None, method, code, status: None };
        self.shared.refuse(&refusal, subject);
    }

    pub(crate) fn change(&self, change: &Change<'_>) {
        let mut body = json!({"method": change.method, "status": change.status});
        if let Some(source) = change.source {
            body["source"] = source.to_string().into();
        }
        if !change.made.is_empty() {
            body["made"] = change.made.into();
        }
        let at = crate::hooks::now();
        let body = body.to_string();
        self.shared.add(at, "change", change.who, &[change.path], |text| text.push(&body));
    }
}

impl Gateway {
    /// Records a change over the admin routes.
    pub fn record_change(&self, change: &Change<'_>) {
        self.audit.change(change);
    }

    /// Records a request that was refused at the door. Of many in a second there is one entry for each client, source
    /// and reason.
    pub fn record_refusal(&self, refused: &Change<'_>, code: Code) {
        let Change { who, source, method, path, status, .. } = *refused;
        let refusal = Refusal { kind: "refusal", who, source, method, code, status: Some(status) };
        self.audit.shared.refuse(&refusal, || path.to_owned());
    }

    /// Records a call that was refused before its road began, where calls are recorded.
    pub(crate) fn refuse_call(
        &self,
        caller: &Caller<'_>,
        method: &str,
        code: Code,
        subject: impl FnOnce() -> String,
    ) {
        if is_call(method) && self.around.settings.load().audit.calls {
            self.audit.refuse(caller, method, code, subject);
        }
    }
}

/// Whether requests of a method are recorded as calls.
fn is_call(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}
