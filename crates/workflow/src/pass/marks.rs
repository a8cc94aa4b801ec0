//! Which nodes ran for a request, for the log and, where wanted, for the reply.

use crate::plan::Spot;
use crate::scripts::Module;
use sandbox::{Level, Limit, Phase, Report, Verdict};
use std::sync::Arc;

/// One node whose script ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMark {
    /// Its id.
    pub node: Arc<str>,
    /// Its name, or that of the hook that it runs.
    pub name: Arc<str>,
    /// The revision of its workflow, or the version of that hook.
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

/// Notes what a script wrote, why it failed, and that it ran: its hook counts it, or its node.
pub(super) fn log(workflow: &str, spot: &Spot, module: Option<&Arc<dyn Module>>, report: &Report) {
    match module {
        Some(module) => module.ran(report),
        None => spot.count(report),
    }
    let (id, node) = (&*spot.id, &*spot.name);
    let (hook, hook_id) = (module.map(|module| &*module.script().name), module.map(|module| module.id()));
    // The level is part of what a place in the code is, so each has its own.
    macro_rules! say {
        ($level:ident, $($field:tt)*) => {
            tracing::$level!(workflowId = workflow, nodeId = id, node, hookId = hook_id, hook, $($field)*)
        };
    }
    for line in &report.console {
        let text = line.text.as_str();
        match line.level {
            Level::Error => say!(error, text, "console"),
            Level::Warn => say!(warn, text, "console"),
            Level::Debug => say!(debug, text, "console"),
            Level::Log | Level::Info => say!(info, text, "console"),
        }
    }
    if let Verdict::Failed(error) = &report.verdict {
        say!(
            warn,
            code = error.code.name(),
            limit = error.limit.map(Limit::name),
            line = error.line,
            column = error.column,
            reason = error.message,
            "a node failed"
        );
    }
}
