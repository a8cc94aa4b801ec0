//! Which nodes ran for a request, for the log and, where wanted, for the reply.

use crate::plan::{Graph, Ready, Spot};
use crate::scripts::Module;
use sandbox::{ConsoleLine, Estate, Level, Limit, Phase, Report, Verdict};
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

/// Says something of the script of a node. The level is part of what a place in the code is, so each has its own.
macro_rules! say {
    (($workflow:ident, $spot:ident, $module:ident), $level:ident, $($field:tt)*) => {
        tracing::$level!(
            workflowId = $workflow,
            nodeId = &*$spot.id,
            node = &*$spot.name,
            hookId = $module.map(|module| module.id()),
            hook = $module.map(|module| &*module.script().name),
            $($field)*
        )
    };
}

/// Notes what scripts did for which nobody waits any more. One that was broken off has decided nothing.
pub(super) fn inherit(graph: &Graph, spots: &[usize], ready: &Ready, estate: &Estate) {
    let Estate { reports, broken } = estate;
    let spot = |at: usize| Some((&graph.spots[*spots.get(at)?], ready.module(at)));
    for (at, report) in reports.iter().enumerate() {
        spot(at).into_iter().for_each(|(spot, module)| log(&graph.workflow, spot, module, report));
    }
    if let (Some(broken), Some((spot, module))) = (broken, spot(reports.len())) {
        console(&graph.workflow, spot, module, &broken.console);
    }
}

/// Notes what a script wrote, why it failed, and that it ran: its hook counts it, or its node.
pub(super) fn log(workflow: &str, spot: &Spot, module: Option<&Arc<dyn Module>>, report: &Report) {
    match module {
        Some(module) => module.ran(report),
        None => spot.count(report),
    }
    console(workflow, spot, module, &report.console);
    if let Verdict::Failed(error) = &report.verdict {
        say!(
            (workflow, spot, module),
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

/// Notes what a script wrote.
fn console(workflow: &str, spot: &Spot, module: Option<&Arc<dyn Module>>, lines: &[ConsoleLine]) {
    for line in lines {
        let text = line.text.as_str();
        match line.level {
            Level::Error => say!((workflow, spot, module), error, text, "console"),
            Level::Warn => say!((workflow, spot, module), warn, text, "console"),
            Level::Debug => say!((workflow, spot, module), debug, text, "console"),
            Level::Log | Level::Info => say!((workflow, spot, module), info, text, "console"),
        }
    }
}
