//! Bytes that are made once and served until they are stale.

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// A cache of one value that never outlives a change.
#[derive(Default)]
pub(crate) struct Ready {
    bytes: ArcSwapOption<Bytes>,
    changes: AtomicU64,
}

impl Ready {
    /// The bytes; made by `make` when there are none.
    pub(crate) fn get(&self, make: impl FnOnce() -> Bytes) -> Bytes {
        if let Some(ready) = &*self.bytes.load() {
            return Bytes::clone(ready);
        }
        let before = self.changes.load(SeqCst);
        let made = make();
        self.bytes.store(Some(Arc::new(made.clone())));
        if self.changes.load(SeqCst) != before {
            // Something changed meanwhile: what was made may be old.
            self.bytes.store(None);
        }
        made
    }

    /// The bytes are stale.
    pub(crate) fn forget(&self) {
        self.changes.fetch_add(1, SeqCst);
        self.bytes.store(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_made_once_and_a_change_while_making_them_is_not_lost() {
        let ready = Ready::default();
        assert_eq!(ready.get(|| Bytes::from("a")), "a");
        assert_eq!(ready.get(|| Bytes::from("b")), "a");
        ready.forget();
        let made = ready.get(|| {
            ready.forget();
            Bytes::from("old")
        });
        assert_eq!(made, "old");
        assert_eq!(ready.get(|| Bytes::from("new")), "new");
    }
}
