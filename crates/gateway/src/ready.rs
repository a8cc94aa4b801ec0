//! A value that is made once and served until it is stale.

use arc_swap::ArcSwapOption;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A cache of one value that never outlives a change.
pub(crate) struct Ready<T> {
    value: ArcSwapOption<T>,
    changes: AtomicU64,
}

impl<T> Default for Ready<T> {
    fn default() -> Self {
        Self { value: ArcSwapOption::empty(), changes: AtomicU64::new(0) }
    }
}

impl<T> Ready<T> {
    /// The value; made by `make` when there is none.
    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(ready) = self.value.load_full() {
            return ready;
        }
        let before = self.changes.load(SeqCst);
        let made = Arc::new(make());
        self.value.store(Some(made.clone()));
        if self.changes.load(SeqCst) != before {
            // Something changed meanwhile: what was made may be old.
            self.value.store(None);
        }
        made
    }

    /// The value is stale.
    pub(crate) fn forget(&self) {
        self.changes.fetch_add(1, SeqCst);
        self.value.store(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_and_a_change_while_making_it_is_not_lost() {
        let ready = Ready::default();
        assert_eq!(*ready.get(|| "a"), "a");
        assert_eq!(*ready.get(|| "b"), "a");
        ready.forget();
        let made = ready.get(|| {
            ready.forget();
            "old"
        });
        assert_eq!(*made, "old");
        assert_eq!(*ready.get(|| "new"), "new");
    }
}
