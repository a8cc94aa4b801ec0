//! What requests of one method pass through: the graph of the active workflow, or the word that it cannot run.

use model::{Code, Fault, WorkflowType};
use std::sync::Arc;
use workflow::Graph;

/// The active workflow of a type.
#[derive(Clone)]
pub(crate) enum Active {
    /// It runs.
    Graph(Arc<Graph>),
    /// Something that it needs is gone. It may be a guard, so requests fail and never go without it.
    Broken(Arc<Broken>),
}

/// A workflow that is active and cannot run here.
#[derive(Debug, PartialEq)]
pub(crate) struct Broken {
    pub(super) workflow: String,
    pub(super) name: String,
    pub(super) reason: String,
}

impl Active {
    /// The graph, where it runs.
    pub(crate) fn graph(&self) -> Option<&Arc<Graph>> {
        match self {
            Active::Graph(graph) => Some(graph),
            Active::Broken(_) => None,
        }
    }

    /// Whether nothing may pass that its nodes after the call have not seen.
    pub(crate) fn reads_reply(&self) -> bool {
        self.graph().is_none_or(|graph| graph.reads_reply())
    }

    /// Why it cannot run.
    pub(super) fn broken(&self) -> Option<&Arc<Broken>> {
        match self {
            Active::Graph(_) => None,
            Active::Broken(broken) => Some(broken),
        }
    }
}

impl Broken {
    /// What every request that would pass through it is told: what one gets whose hook would not start (spec 2.7).
    pub(crate) fn fault(&self) -> Fault {
        Fault::new(Code::ToolExecutionError, self.message())
            .with("workflow", &*self.name)
            .with("workflowId", &*self.workflow)
            .with("code", "EXECUTION_ERROR")
            .with("reason", &*self.reason)
    }

    /// What happened, and what to do.
    pub(super) fn message(&self) -> String {
        let Self { name, reason, .. } = self;
        format!(
            "Workflow '{name}' is active and cannot run: {reason}. Bring back what it needs and reload, change the \
             workflow, or switch it off"
        )
    }

    /// Tells the log.
    pub(super) fn log(&self, kind: WorkflowType) {
        tracing::error!(
            workflowId = self.workflow,
            workflow = self.name,
            method = kind.name(),
            reason = self.reason,
            "the workflow is active and cannot run; every request that would pass through it fails until it can, \
             is changed, or is switched off"
        );
    }
}
