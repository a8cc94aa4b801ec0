//! What the log says of a store that is away.

use crate::Error;

/// Whether the store fails for somebody who asks it again and again. The log tells the beginning of that and its end;
/// what is between is for `debug`.
#[derive(Debug, Default)]
pub struct Outage {
    failing: bool,
}

impl Outage {
    /// The store failed; `words` say what cannot be done because of that.
    pub fn failed(&mut self, error: &Error, words: &str) {
        if std::mem::replace(&mut self.failing, true) {
            tracing::debug!(reason = %error, "{words}");
        } else {
            tracing::warn!(reason = %error, "{words}; trying again");
        }
    }

    /// Whether it failed the last time.
    pub fn lasts(&self) -> bool {
        self.failing
    }

    /// The store did what was asked; `words` say that it does so again, where it failed before.
    pub fn over(&mut self, words: &str) {
        if std::mem::take(&mut self.failing) {
            tracing::info!("{words}");
        }
    }
}
