//! Requests that come before every server has been tried: which of them wait, and for what.

use super::catalog::Target;
use super::{Asked, lists, names};
use crate::called;
use crate::gateway::Gateway;
use crate::sent::Sent;
use mcp::{Era, Kind, member_at};
use model::Status;
use serde_json::value::RawValue;
use std::time::Duration;

/// How often a request that waits for a server that is starting looks whether it runs.
const LOOK: Duration = Duration::from_millis(20);

impl Gateway {
    /// Whether the answer to a request depends on what servers have. What is refused whatever they have is refused at
    /// once, and so is what nobody knows; a level of log messages is kept, and told to servers as they come up.
    pub(super) fn needs_servers(&self, asked: &Asked<'_>) -> bool {
        let is_legacy = asked.guest.era() == Era::Legacy;
        let params = asked.params.map(RawValue::get);
        let is_named = || Sent::new(asked.params, asked.key_path()).key().is_some();
        match asked.method {
            // Hooks and graphs see a list first, and may ask for another page of it.
            "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
                lists::may_be_cursor(params) || self.leads_on(asked.method)
            }
            "tools/call" | "prompts/get" | "resources/read" | "tasks/get" | "tasks/cancel" => is_named(),
            "tasks/result" | "resources/subscribe" | "resources/unsubscribe" => is_legacy && is_named(),
            "tasks/update" => !is_legacy && is_named(),
            "tasks/list" => is_legacy,
            "completion/complete" => params.is_some_and(|params| member_at(params, "ref").is_some()),
            _ => false,
        }
    }

    /// Whether hooks or a graph may lead a request elsewhere.
    fn leads_on(&self, method: &str) -> bool {
        !self.hooks.idle(&self.settings()) || self.graphs.active(method).is_some()
    }

    /// Waits until all servers have been tried, or the one that the request names in full is running. What a short name
    /// stands for, and where hooks lead, is known only then.
    pub(super) async fn tried_for(&self, asked: &Asked<'_>) {
        let kind = match asked.method {
            "tools/call" => Some(Kind::Tools),
            "prompts/get" => Some(Kind::Prompts),
            _ => None,
        };
        let name = kind.and_then(|_| called::name(asked.params?.get()));
        let (Some(kind), Some(name)) = (kind, name) else {
            self.ready.wait().await;
            return;
        };
        let leads_on = self.leads_on(asked.method);
        let runs = || {
            let target = self.catalog_of(&asked.caller()).find(kind, &name).filter(|_| !leads_on);
            target.is_some_and(|Target { server, own }| {
                server.status() == Status::Running && names::long(kind, server.name(), &own) == name
            })
        };
        while self.ready.get().is_none() && !runs() {
            let _ = tokio::time::timeout(LOOK, self.ready.wait()).await;
        }
    }
}
