//! Tasks that a modern client listens to. Each server is listened to for this client alone, so that nobody else hears
//! of its tasks.

use super::Guest;
use super::catalog::Target;
use super::tasks::knows_tasks;
use crate::access::Pass;
use crate::caller::Caller;
use crate::carried::Carried;
use crate::errand::{Errand, Params};
use crate::gateway::Gateway;
use crate::hooks::Trace;
use crate::sent::Sent;
use crate::server::{Listen, Server};
use mcp::{Era, member_at};
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The notification of a task that is in another state.
pub(super) const MOVED: &str = "notifications/tasks";

/// How many may wait for a client that reads slowly.
const WAITING_MAX: usize = 64;

/// What servers say of the tasks of one client, until it is dropped.
pub(super) struct Moves {
    heard: mpsc::Receiver<Box<RawValue>>,
    ears: JoinSet<()>,
}

impl Moves {
    /// The parameters of the next; `None` when a server tells no more, so that the client listens anew. Where there is
    /// nothing to listen to, nothing comes.
    pub(super) async fn next(moves: &mut Option<Self>) -> Option<Box<RawValue>> {
        let Some(Self { heard, ears }) = moves else { return std::future::pending().await };
        tokio::select! {
            biased;
            Some(params) = heard.recv() => Some(params),
            Some(_) = ears.join_next() => None,
            else => std::future::pending().await,
        }
    }
}

impl Gateway {
    /// Begins to listen to those of these tasks that may be the caller's and are on modern servers, in the words of the
    /// client's `_meta`. The tasks that stay are those that their servers will tell of.
    pub(super) async fn listen_to_tasks(
        self: &Arc<Self>,
        guest: &Guest,
        name: Option<&str>,
        pass: Option<&Arc<Pass>>,
        meta: &str,
        ids: &mut Vec<String>,
    ) -> Option<Moves> {
        let caller = Caller::guest(guest, name).with(pass.map(Arc::as_ref));
        let asked = std::mem::take(ids);
        if asked.is_empty() || !knows_tasks(guest) {
            return None;
        }
        // A token is the client's own, and means something else to the server.
        let meta = mcp::without(meta, |name| name == "progressToken");
        let mut by_server: Vec<(Arc<Server>, Vec<String>)> = Vec::new();
        for id in asked {
            // A session that was started as a task is no server's business.
            if self.sessions.engine.task(caller.id(), &id).await.is_ok() {
                continue;
            }
            let Ok(server) = self.server_of_task(&caller, Era::Modern, &id) else { continue };
            match by_server.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &server)) {
                Some((_, tasks)) => tasks.push(id),
                None => by_server.push((server, vec![id])),
            }
        }
        let (sender, heard) = mpsc::channel(WAITING_MAX);
        let mut ears = JoinSet::new();
        for (server, mut tasks) in by_server {
            let connection = server.connection().filter(|connection| connection.peer.era == Era::Modern);
            let Some(connection) = connection else { continue };
            if let Some(gates) = server.gates()
                && gates.count(&self.store, server.name()).await.is_err()
            {
                continue;
            }
            let list = serde_json::to_string(&tasks).expect("a list of texts is JSON");
            let params = format!(r#"{{"notifications":{{"taskIds":{list}}},"_meta":{meta}}}"#);
            let Some(mut listen) = Listen::send_as(&connection.client, &params) else { continue };
            let accepted = listen.accepted("taskIds").await;
            let Ok(Some(accepted)) = accepted else { continue };
            tasks.retain(|id| accepted.contains(id));
            ids.extend_from_slice(&tasks);
            let (gateway, sender, guest) = (self.clone(), sender.clone(), guest.clone());
            let (name, pass) = (name.map(str::to_owned), pass.cloned());
            ears.spawn(async move {
                let caller = Caller::guest(&guest, name.as_deref()).with(pass.as_deref());
                while let Some(mut said) = listen.next().await {
                    let Some(params) = said.params.take_if(|_| said.method == MOVED) else { continue };
                    // Servers take all clients for one.
                    let Some(id) = task_id(&params).filter(|id| tasks.contains(id)) else { continue };
                    let passed = gateway.passed(caller, &server, id, params).await;
                    if let Some(params) = passed
                        && sender.send(params).await.is_err()
                    {
                        return;
                    }
                }
            });
        }
        Some(Moves { heard, ears })
    }

    /// What is said of a task, whose result passes the post hooks as it would have when it was fetched; nothing where
    /// they withhold it.
    async fn passed(
        &self,
        caller: Caller<'_>,
        server: &Arc<Server>,
        id: String,
        params: Box<RawValue>,
    ) -> Option<Box<RawValue>> {
        let settings = self.settings();
        if member_at(params.get(), "result").is_none() {
            return Some(params);
        }
        let target = Target { server: server.clone(), own: id.into() };
        let nothing = Sent::new(None, &[]);
        let asked = Params::Sent(&nothing);
        let errand = Errand { caller, method: "tasks/get", target, params: asked, timeout: None, key: None };
        let carried = Carried { outcome: Ok(params), code: None, trace: Trace::default(), era: None };
        self.fetched(&errand, &settings, carried).await.outcome.ok()
    }
}

/// The task that something is said of.
fn task_id(params: &RawValue) -> Option<String> {
    let text = params.get();
    serde_json::from_str(&text[member_at(text, "taskId")?]).ok()
}
