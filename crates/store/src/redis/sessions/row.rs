//! The row of a session as two texts: what never changes, and what does.

use crate::SessionRow;
use serde_json::{Error, from_str, json};

/// What never changes, with the key of the session, and what does.
pub(super) fn texts(row: &SessionRow, key: Option<&str>) -> (String, String) {
    let base = json!([row.workflow, row.caller, row.started_at, row.parent, key]);
    let state =
        json!([row.status, row.open, row.updated_at, row.completed_at, row.waiting, row.due, row.definition]);
    (base.to_string(), state.to_string())
}

/// The row that two texts make, with the key.
pub(super) fn read(id: String, base: &str, state: &str) -> Result<(SessionRow, Option<String>), Error> {
    type Base = (String, String, i64, Option<String>, Option<String>);
    type State = (String, bool, i64, Option<i64>, Option<String>, Option<i64>, String);
    let (workflow, caller, started_at, parent, key): Base = from_str(base)?;
    let (status, open, updated_at, completed_at, waiting, due, definition): State = from_str(state)?;
    let row = SessionRow {
        id,
        workflow,
        caller,
        status,
        open,
        started_at,
        updated_at,
        completed_at,
        parent,
        waiting,
        due,
        definition,
    };
    Ok((row, key))
}
