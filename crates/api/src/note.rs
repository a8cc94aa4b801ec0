//! What the log line of a request says besides method, path and status.

use model::Code;

/// Left by a handler in its response for the log; never sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Note {
    pub(crate) server: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) code: Option<Code>,
}
