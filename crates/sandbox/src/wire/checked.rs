//! What a worker says of scripts that it compiled.

use crate::{Limit, ScriptError};

/// What came of scripts that were to be compiled, in their order. After one that took too long there are no more.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The number that came with them.
    pub(crate) number: u64,
    pub(crate) results: Vec<Result<(), ScriptError>>,
    /// The worker must not be used again.
    pub(crate) renew: bool,
}

impl Checked {
    /// Whether it can have come of so many scripts.
    pub(crate) fn fits(&self, count: usize) -> bool {
        let has = self.results.len();
        has == count || (has > 0 && has < count && self.is_late())
    }

    /// Whether the last one took too long.
    fn is_late(&self) -> bool {
        let late = |error: &ScriptError| error.limit == Some(Limit::Time);
        self.results.last().is_some_and(|last| last.as_ref().is_err_and(late))
    }
}
