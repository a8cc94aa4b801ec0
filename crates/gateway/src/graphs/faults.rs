//! What users are told when workflows cannot be used or changed as they asked.

use super::active::Broken;
use crate::gateway::unstored;
use model::{Code, Fault};
use workflow::Problem;

/// No workflow has that id.
pub(super) fn unknown(id: &str) -> Fault {
    Fault::new(Code::NotFound, format!("Workflow '{id}' not found")).with("id", id)
}

/// No run has that id.
pub(super) fn unknown_run(id: &str) -> Fault {
    Fault::new(Code::NotFound, format!("Run '{id}' not found; it may have been trimmed")).with("id", id)
}

/// No template has that name.
pub(super) fn unknown_template(name: &str) -> Fault {
    Fault::new(Code::NotFound, format!("Template '{name}' not found")).with("name", name)
}

/// The workflow is not active.
pub(super) fn disabled(id: &str) -> Fault {
    Fault::new(Code::Conflict, format!("Workflow is disabled: {id}")).with("id", id)
}

/// The workflow is active and cannot run.
pub(super) fn broken(broken: &Broken) -> Fault {
    Fault::new(Code::Conflict, broken.message()).with("id", &*broken.workflow).with("reason", &*broken.reason)
}

/// The workflow cannot be made active; the first problem is the reason.
pub(crate) fn unfit(problems: &[Problem]) -> Option<Fault> {
    let reason = workflow::reason(problems)?;
    let node = problems.iter().find(|problem| problem.message == reason).and_then(|one| one.node.clone());
    let fault = Fault::new(Code::Conflict, reason);
    Some(match node {
        Some(node) => fault.with("node", node),
        None => fault,
    })
}

/// Somebody else has changed the workflow meanwhile.
pub(super) fn outdated(revision: u64) -> Fault {
    let message = format!("The workflow was changed meanwhile and is at revision {revision}; read it again");
    Fault::new(Code::Conflict, message).with("revision", revision)
}

/// The store refused a change.
pub(super) fn unkept(error: store::Error) -> Fault {
    match error {
        store::Error::Gone(id) => unknown(&id),
        error => unstored(&error),
    }
}

/// A body or a parameter breaks a rule.
pub(super) fn wrong(field: &str, message: impl Into<String>) -> Fault {
    Fault::new(Code::ValidationError, message).with("field", field)
}
