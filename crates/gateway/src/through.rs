//! The active graph around a request: after the pre hooks of the list, before its post hooks (spec 3.4, 3.5).

use crate::carried::Failure;
use crate::gateway::Gateway;
use crate::graphs::Active;
use crate::hooks::{self, Answer, Passage};
use mcp::RpcError;
use model::settings::OnGraphError;
use model::{Code, Fault, Settings};
use sandbox::Follow;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use workflow::{Pass, Stop, Tools, Trouble};

/// Why a graph gave no reply.
pub(crate) enum Halt {
    /// It blocked the request or its reply, or a node that must not fail did.
    Stopped(Fault),
    /// The request itself failed.
    Failed(Failure),
}

/// JSON-RPC codes with which a server refuses the request itself: it is not understood, not known, not valid.
const REFUSED: [i64; 4] = [-32700, -32600, -32601, -32602];

impl Trouble for Failure {
    fn message(&self) -> String {
        match self {
            Failure::Fault(fault) => fault.message.clone(),
            Failure::Rpc(error) => RpcError::read(error).message,
        }
    }

    fn error(&self) -> Value {
        hooks::error_of(self)
    }

    fn is_passing(&self) -> bool {
        match self {
            Failure::Fault(fault) => fault.code.retry(),
            Failure::Rpc(error) => !REFUSED.contains(&RpcError::read(error).code),
        }
    }
}

impl Gateway {
    /// What a call that is to be answered later must pass then: the graph, where that would look at the reply.
    pub(crate) fn graph_behind(&self) -> Option<Active> {
        self.graphs.active("tools/call").filter(Active::reads_reply)
    }

    /// Carries the result of a call that was made earlier the rest of the way that it would have gone at once: the
    /// nodes of the graph that follow the call, and the post hooks of the list.
    pub(crate) async fn after_task(
        &self,
        passage: &mut Passage<'_>,
        settings: &Settings,
        graph: Option<Active>,
        (params, shared): (String, Option<String>),
        result: Box<RawValue>,
    ) -> Result<Box<RawValue>, Failure> {
        passage.resume(params.clone(), shared);
        let Some(graph) = graph else { return passage.after(Ok(result)).await };
        let outcome = match hooks::unambiguous_reply(passage.method(), result) {
            Err(failure) => Err(failure),
            Ok(result) => {
                passage.came_late(result);
                let again = |_| async {
                    Err(Failure::from(Fault::new(Code::InternalError, "a call is not made for its result")))
                };
                match self.through(&graph, passage, settings, &params, &(), again).await {
                    Ok(result) => Ok(result),
                    Err(Halt::Failed(failure)) => Err(failure),
                    Err(Halt::Stopped(fault)) => return Err(fault.into()),
                }
            }
        };
        passage.after(outcome).await
    }

    /// Carries a request through a graph. `call` makes the request itself, with other parameters when nodes
    /// changed them; with an answer that a hook gave it is not called.
    pub(crate) async fn through<C, F>(
        &self,
        graph: &Active,
        passage: &mut Passage<'_>,
        settings: &Settings,
        params: &str,
        tools: &dyn Tools,
        call: C,
    ) -> Result<Box<RawValue>, Halt>
    where
        C: Fn(Option<Box<RawValue>>) -> F + Send + Sync,
        F: Future<Output = Result<Box<RawValue>, Failure>> + Send,
    {
        let bypass = settings.workflow.on_error == OnGraphError::Bypass;
        let graph = match graph {
            Active::Graph(graph) => graph,
            // It failed before the call; what the settings say of that holds here too.
            Active::Broken(_) if bypass => {
                return match passage.take_answer() {
                    Some(answer) => Ok(answer.reply),
                    None => {
                        let began = Instant::now();
                        let outcome = call(None).await;
                        passage.took(Some(began.elapsed()), Duration::ZERO);
                        outcome.map_err(Halt::Failed)
                    }
                };
            }
            Active::Broken(broken) => return Err(Halt::Stopped(broken.fault())),
        };
        if graph.is_scripted() {
            hooks::unambiguous(params).map_err(Halt::Stopped)?;
        }
        // Without scripts and records nobody reads them.
        let read = graph.is_scripted() || self.graphs.recorder().is_some() || passage.is_watched();
        let text = read.then(|| (passage.metadata_text(), passage.top_text()));
        let (metadata, top) = text.as_ref().map_or(("{}", "{}"), |(metadata, top)| (metadata, top));
        let answer = passage.take_answer();
        let (asked, renamed) = (*passage.asked(), Mutex::new(None));
        let follow = |params: &RawValue| {
            let named = tools.named(params)?;
            let about = asked.about(&named);
            *renamed.lock().unwrap_or_else(PoisonError::into_inner) = Some(named);
            Some(about)
        };
        let pass = Pass {
            method: passage.method(),
            params,
            metadata,
            top,
            follow: Some(Follow(&follow)),
            shared: passage.take_shared(),
            limit: passage.limit(),
            bypass,
            answer: answer.map(|Answer { reply, skip, late }| workflow::Answer { reply, skip, late }),
            scripts: &self.hooks.sandbox,
            modules: &self.hooks,
            tools,
            sides: self.graphs.sides(),
            recorder: self.graphs.recorder(),
            watched: passage.is_watched(),
            ended: &|run| self.graphs.ended(run),
            left: &|nodes| asked.left(nodes),
            store: Some(self.graphs.store()),
        };
        let asked = AtomicU64::new(0);
        let (call, away) = (&call, &asked);
        let (read, method) = (graph.reads_reply(), passage.method());
        let timed = |params| async move {
            let began = Instant::now();
            let outcome = call(params).await;
            away.fetch_add(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX), Relaxed);
            if read { outcome.and_then(|result| hooks::unambiguous_reply(method, result)) } else { outcome }
        };
        let passed = graph.run(pass, timed).await;
        let server = Duration::from_micros(asked.into_inner());
        let whole = passed.run.ended().map_or(server, |(took, _)| took);
        passage.took((!server.is_zero()).then_some(server), whole.saturating_sub(server));
        passage.went_through(passed.marks, passed.shared);
        // A graph that was gone round has led the request nowhere.
        if !passed.bypassed {
            passage.rename(renamed.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        passage.keep_run(passed.run);
        passed.outcome.map_err(|stop| match stop {
            Stop::Call(failure) => Halt::Failed(failure),
            Stop::Blocked { phase, hook, code, message } => {
                Halt::Stopped(hooks::blocked(phase, &hook, code, message))
            }
            Stop::Failed { hook: Some(hook), error, .. } => Halt::Stopped(hooks::failed(&hook, Some(&error))),
            Stop::Failed { node, error, .. } => Halt::Stopped(hooks::failed_node(&node, &error)),
        })
    }
}
