//! The audit log: who did what, when, with which outcome. Written in batches, off the road of a call.
//!
//! Changes over the admin routes are always recorded; calls with `audit.calls: true`. What could not be recorded is
//! counted, and the count is recorded as soon as that is possible.

mod query;
mod record;
mod writer;

pub use query::{AuditQuery, AuditView};
pub(crate) use record::Record;

use crate::caller::Caller;
use crate::errand::{Errand, Params};
use crate::gateway::Gateway;
use model::Settings;
use serde_json::json;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use store::{AuditDraft, Store};
use tokio::task::JoinHandle;
use writer::{Shared, Writer};

/// The way to the audit log.
pub(crate) struct Audit {
    shared: Arc<Shared>,
    writing: Mutex<Option<JoinHandle<()>>>,
}

/// A change over the admin routes, or one that was refused for want of a role.
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
    pub(crate) fn begin<'a>(&'a self, errand: &Errand<'_>, settings: &Settings) -> Record<'a> {
        if !settings.audit.calls || !matches!(errand.method, "tools/call" | "prompts/get" | "resources/read")
        {
            return Record::none();
        }
        let subject = format!("{}/{}", errand.target.server.name(), errand.target.own);
        match &errand.params {
            Params::Input(input) => self.record(&errand.caller, errand.method, subject, input.get()),
            Params::Sent(sent) => {
                let text = sent.text();
                let arguments = mcp::member_at(text, "arguments").map_or("{}", |at| &text[at]);
                self.record(&errand.caller, errand.method, subject, arguments)
            }
        }
    }

    /// The same for a tool that is not a server's.
    pub(crate) fn begin_own<'a>(
        &'a self,
        caller: &Caller<'_>,
        tool: &str,
        params: &str,
        settings: &Settings,
    ) -> Record<'a> {
        if !settings.audit.calls {
            return Record::none();
        }
        let arguments = mcp::member_at(params, "arguments").map_or("{}", |at| &params[at]);
        self.record(caller, "tools/call", format!("{}/{tool}", crate::access::OWN), arguments)
    }

    fn record<'a>(
        &'a self,
        caller: &Caller<'_>,
        method: &str,
        subject: String,
        arguments: &str,
    ) -> Record<'a> {
        Record::new(&self.shared, caller, method, subject, arguments)
    }

    pub(crate) fn change(&self, change: &Change<'_>) {
        let mut body = json!({"method": change.method, "status": change.status});
        if let Some(source) = change.source {
            body["source"] = source.to_string().into();
        }
        self.shared.add(AuditDraft {
            at: crate::hooks::now(),
            kind: if change.status == 403 { "refusal" } else { "change" }.into(),
            who: change.who.to_owned(),
            subject: change.path.to_owned(),
            body: body.to_string(),
        });
    }
}

impl Gateway {
    /// Records a change over the admin routes.
    pub fn record_change(&self, change: &Change<'_>) {
        self.audit.change(change);
    }
}
