//! What users are told when hooks cannot be changed as they asked.

use crate::gateway::unstored;
use model::{Code, Fault, Hook};
use sandbox::{Limit, ScriptError};

/// No hook has that id.
pub(in crate::hooks) fn unknown(id: &str) -> Fault {
    Fault::new(Code::NotFound, format!("Hook '{id}' not found")).with("id", id)
}

/// Another hook has that name.
pub(in crate::hooks) fn taken(name: &str) -> Fault {
    Fault::new(Code::Conflict, format!("Hook name '{name}' is taken"))
        .with("field", "name")
        .with("name", name)
}

/// Refuses a change that is meant for another version of the hook: somebody else has changed it meanwhile.
pub(in crate::hooks) fn check_version(hook: &Hook, wanted: Option<u64>) -> Result<(), Fault> {
    let now = hook.version;
    if wanted.is_none_or(|wanted| wanted == now) {
        return Ok(());
    }
    let message = format!("The hook was changed meanwhile and is at version {now}; read it again");
    Err(Fault::new(Code::Conflict, message).with("version", now))
}

/// The store refused a change.
pub(super) fn unkept(error: store::Error) -> Fault {
    match error {
        store::Error::Taken(name) => taken(&name),
        store::Error::Gone(id) => unknown(&id),
        error => unstored(&error),
    }
}

/// A script that does not compile. `field` is where it stands in the body, `label` goes before the
/// engine's message.
pub(in crate::hooks) fn invalid(error: &ScriptError, field: &str, label: &str) -> Fault {
    if error.limit == Some(Limit::Workers) {
        tracing::error!(reason = error.message, "a script could not be checked");
        return Fault::new(Code::InternalError, "The script could not be checked now; try again");
    }
    let message = format!("Invalid hook script: {label}{}", error.message);
    let mut fault = Fault::new(Code::ValidationError, message).with("field", field);
    for (key, place) in [("line", error.line), ("column", error.column)] {
        if let Some(place) = place {
            fault = fault.with(key, place);
        }
    }
    fault
}
