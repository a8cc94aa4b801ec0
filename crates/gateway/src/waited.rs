//! Requests that nobody waits for any more (spec 5.4).

use crate::errand::Errand;

/// Somebody waits for a request. Dropped before the end of it, the log says that it was cancelled.
pub(crate) struct Waited<'a> {
    errand: &'a Errand<'a>,
    over: bool,
}

impl<'a> Waited<'a> {
    pub(crate) fn new(errand: &'a Errand<'a>) -> Self {
        Self { errand, over: false }
    }

    /// The request has come to its end.
    pub(crate) fn over(mut self) {
        self.over = true;
    }
}

impl Drop for Waited<'_> {
    fn drop(&mut self) {
        if !self.over {
            let Errand { method, target, .. } = self.errand;
            tracing::info!(
                method,
                server = target.server.name(),
                name = &*target.own,
                "the request was cancelled"
            );
        }
    }
}
