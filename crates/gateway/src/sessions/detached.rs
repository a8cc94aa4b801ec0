//! Sessions that are started to go on by themselves, such as those that become tasks.

use super::call::Call;
use super::own::{OwnTool, offered};
use crate::caller::Caller;
use crate::gateway::Gateway;
use crate::hooks::Trace;
use crate::waited::Waited;
use model::Code;
use model::session::{Face, WorkflowSession};
use std::time::Instant;
use workflow::session::arguments::start;
use workflow::session::{Reply, Steps};

/// What came of such a start.
pub(crate) struct Detached {
    /// The tool that was called.
    pub(crate) tool: String,
    /// The session, or the reply where there is none.
    pub(crate) outcome: Result<WorkflowSession, Reply>,
    /// How it counts; `None` is a success.
    pub(crate) code: Option<Code>,
    pub(crate) trace: Trace,
}

impl Gateway {
    /// Starts a session that goes on by itself. Nothing where the call is no start of several steps, or hooks want to see
    /// the reply.
    pub(crate) async fn start_detached(&self, caller: Caller<'_>, params: &str) -> Option<Detached> {
        let Call { name: tool, arguments, meta } = serde_json::from_str(params).ok()?;
        let own = self.sessions.own();
        let Some(OwnTool::Face(plan, Face::Start)) = own.get(&tool) else { return None };
        let settings = self.settings();
        // A reply that comes later passes no hook, so with hooks the call is answered when it is done. So it is where the
        // store lost its data: then it is refused.
        if self.store_lost() || self.graphs.active("tools/call").is_some() || !self.hooks.idle(&settings) {
            return None;
        }
        let mut arguments = arguments.unwrap_or_default();
        let offered = offered(&mut arguments);
        let start = start(Some(plan), arguments, &meta, caller.id(), None).ok()?;
        if start.steps == Steps::One {
            return None;
        }
        let began = Instant::now();
        let waited = Waited { caller, method: "tools/call", server: None, name: &tool, over: false };
        let record = self.audit.begin_own(&caller, &tool, params, &settings);
        let outcome = match self.note_choice(Some(caller.id()), offered, &tool, start.key.as_deref()).await {
            Some(reply) => Err(reply),
            None => self.sessions.engine.start_detached(plan.name(), start).await.map_err(Reply::from),
        };
        let code = outcome.is_err().then_some(Code::ToolExecutionError);
        let trace = Trace::straight(Some(began.elapsed()));
        waited.over();
        record.over(code, &trace);
        Some(Detached { tool, outcome, code, trace })
    }
}
