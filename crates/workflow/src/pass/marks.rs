//! Which nodes ran for a request, for the log and, where wanted, for the reply.

use crate::plan::Spot;
use crate::scripts::Module;
use sandbox::{Level, Limit, Phase, Report, Script, Verdict};
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

/// The hooks that nodes of a job run, each with the number of its node.
#[derive(Default)]
pub(super) struct Used(Vec<(usize, Arc<dyn Module>)>);

impl Used {
    /// Adds one, and gives its script.
    pub(super) fn add(&mut self, spot: usize, module: Arc<dyn Module>) -> Arc<Script> {
        let script = Arc::clone(module.script());
        self.0.push((spot, module));
        script
    }

    /// That of a node.
    pub(super) fn of(&self, spot: usize) -> Option<&dyn Module> {
        self.0.iter().find(|(number, _)| *number == spot).map(|(_, module)| &**module)
    }

    /// Its name.
    pub(super) fn name(&self, spot: usize) -> Option<&Arc<str>> {
        self.of(spot).map(|module| &module.script().name)
    }

    /// The only one of a job for one node.
    pub(super) fn take(&mut self) -> Option<Arc<dyn Module>> {
        self.0.pop().map(|(_, module)| module)
    }
}

pub(super) const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Pre => "pre",
        Phase::Post => "post",
    }
}

/// Notes what a script wrote, why it failed, and that its hook ran, if it is one of the list.
pub(super) fn log(workflow: &str, spot: &Spot, module: Option<&dyn Module>, report: &Report) {
    if let Some(module) = module {
        module.ran(report);
    }
    let (id, node) = (&*spot.id, &*spot.name);
    let (hook, hook_id) = (module.map(|module| &*module.script().name), module.map(Module::id));
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
