//! Something that many readers are told, written once for all of them.

use bytes::Bytes;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// Something to tell, with the bytes that its first reader made of it.
#[derive(Debug)]
pub struct Told<T> {
    what: T,
    written: OnceLock<Bytes>,
}

impl<T> Told<T> {
    pub(crate) fn new(what: T) -> Arc<Self> {
        Arc::new(Self { what, written: OnceLock::new() })
    }

    /// The bytes for a reader. All readers share those of the first, so `write` must always give the same.
    pub fn written(&self, write: impl FnOnce(&T) -> Bytes) -> Bytes {
        self.written.get_or_init(|| write(&self.what)).clone()
    }
}

impl<T> Deref for Told<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.what
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_readers_share_the_bytes_of_the_first() {
        let told = Told::new(7);
        let first = told.written(|n| Bytes::from(format!("number {n}")));
        let second = told.written(|_| unreachable!("it is written already"));
        assert_eq!(first, "number 7");
        assert_eq!(first.as_ptr(), second.as_ptr());
    }
}
