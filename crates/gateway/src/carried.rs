//! What came of a request, on whatever way it was made.

use crate::hooks::Trace;
use crate::talk::Asker;
use mcp::Era;
use model::{Code, Fault};
use serde_json::value::RawValue;

/// Why a call has no result.
#[derive(Debug)]
pub enum Failure {
    /// The gateway says so.
    Fault(Fault),
    /// The server answered with a JSON-RPC error, given as it was written.
    Rpc(Box<RawValue>),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::Fault(fault)
    }
}

/// What came of a request, with what the log says of it.
pub struct Carried {
    /// The result, as it was written, or why there is none.
    pub outcome: Result<Box<RawValue>, Failure>,
    /// How it counts; `None` is a success.
    pub code: Option<Code>,
    /// The hooks that ran.
    pub trace: Trace,
    /// What the server speaks that was asked last, where one was and somebody listened; hooks may have led the request to
    /// another than it named.
    pub(crate) era: Option<Era>,
}

impl Carried {
    /// Who asks where the result does: what no server was asked for is a hook's.
    pub(crate) fn asker(&self) -> Asker {
        if self.era.is_none() { Asker::Hook } else { Asker::Server }
    }

    pub(crate) fn refused(fault: Fault) -> Self {
        Self { code: Some(fault.code), outcome: Err(fault.into()), trace: Trace::default(), era: None }
    }
}
