//! Tasks: a server that works on a call for longer gives it a task id, under which the client asks again.

use super::catalog::Target;
use super::{Asked, message};
use crate::gateway::Gateway;
use crate::sent::Sent;
use mcp::member_at;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// How many tasks are remembered; the oldest are forgotten first.
const TASKS_MAX: usize = 10_000;

/// Which server has which task.
#[derive(Default)]
pub(super) struct Tasks {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    servers: HashMap<String, String>,
    order: VecDeque<String>,
}

impl Tasks {
    /// Remembers the task that a result names, if it names one.
    pub(super) fn note(&self, result: &str, server: &str) {
        if !result.contains("\"taskId\"") {
            return;
        }
        let inner = member_at(result, "task").map_or(result, |at| &result[at]);
        let id = member_at(inner, "taskId").and_then(|at| serde_json::from_str::<String>(&inner[at]).ok());
        let Some(id) = id else { return };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.servers.insert(id.clone(), server.to_owned()).is_none() {
            known.order.push_back(id);
        }
        if known.order.len() > TASKS_MAX
            && let Some(oldest) = known.order.pop_front()
        {
            known.servers.remove(&oldest);
        }
    }

    fn server(&self, id: &str) -> Option<String> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).servers.get(id).cloned()
    }
}

impl Gateway {
    /// `tasks/…`: to the server that has the task. One that nobody knows may be on the only server with
    /// tasks, started before this gateway was.
    pub(super) async fn ask_about_task(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let sent = Sent::new(asked.params, asked.key_path());
        let Some(id) = sent.key() else { return super::forward::missing(asked, "taskId") };
        let catalog = self.catalog();
        let known = self.endpoint.tasks.server(&id).and_then(|name| self.registry().get(&name).cloned());
        let server = known.or_else(|| catalog.only_with_tasks().cloned());
        match server {
            Some(server) => self.forward(asked, sent, &Target { server, own: id }).await,
            None => message::error(asked.id, -32602, "Task not found", None),
        }
    }

    /// `tasks/list`: cursors of several servers cannot be put together, so only one may have tasks.
    pub(super) async fn list_tasks(self: &Arc<Self>, asked: &Asked<'_>) -> Vec<u8> {
        let server = self.catalog().only_with_tasks().cloned();
        match server {
            Some(server) => {
                self.forward(asked, Sent::new(asked.params, &[]), &Target { server, own: String::new() })
                    .await
            }
            None => {
                message::error(asked.id, -32601, "Tasks can be listed when exactly one server has them", None)
            }
        }
    }
}
