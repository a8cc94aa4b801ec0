//! Which nodes ran for a request, for the log and, where wanted, for the reply.

use crate::plan::Spot;
use sandbox::{Level, Limit, Phase, Report, Verdict};
use std::sync::Arc;

/// One node whose script ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMark {
    /// Its id.
    pub node: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// The revision of its workflow.
    pub version: u64,
    /// `pre` or `post`.
    pub phase: &'static str,
    /// What came of it.
    pub verdict: &'static str,
    /// How long it ran, in microseconds.
    pub micros: u64,
}

pub(super) const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Pre => "pre",
        Phase::Post => "post",
    }
}

/// What a script wrote, and why it failed.
pub(super) fn log(workflow: &str, spot: &Spot, report: &Report) {
    let (id, name) = (&*spot.id, &*spot.name);
    for line in &report.console {
        let text = line.text.as_str();
        match line.level {
            Level::Error => tracing::error!(workflowId = workflow, nodeId = id, node = name, text, "console"),
            Level::Warn => tracing::warn!(workflowId = workflow, nodeId = id, node = name, text, "console"),
            Level::Debug => tracing::debug!(workflowId = workflow, nodeId = id, node = name, text, "console"),
            Level::Log | Level::Info => {
                tracing::info!(workflowId = workflow, nodeId = id, node = name, text, "console");
            }
        }
    }
    if let Verdict::Failed(error) = &report.verdict {
        tracing::warn!(
            workflowId = workflow,
            nodeId = id,
            node = name,
            code = error.code.name(),
            limit = error.limit.map(Limit::name),
            line = error.line,
            column = error.column,
            reason = error.message,
            "a node failed"
        );
    }
}
