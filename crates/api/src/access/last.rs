//! The key that came last over a connection. Most connections bring the same one again and again, and its digest takes
//! longer than anything else at the door.

use model::access::Digest;
use std::sync::{Mutex, PoisonError};

/// A longer one, which is no key of ours but may be a token, is not kept.
const KEPT_MAX: usize = 4096;

/// What a connection remembers. Whether a key is good is asked each time.
#[derive(Default)]
pub(crate) struct Last(Mutex<Option<(Box<str>, Digest)>>);

impl Last {
    /// The digest of a key.
    pub(super) fn digest(&self, key: &str) -> Digest {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, digest)) = &*last
            && is_same(known, key)
        {
            return *digest;
        }
        let digest = Digest::of(key.as_bytes());
        if key.len() <= KEPT_MAX {
            *last = Some((key.into(), digest));
        }
        digest
    }
}

/// Whether two texts are the same, in a time that does not tell where they differ: behind a proxy clients may share a
/// connection.
fn is_same(one: &str, other: &str) -> bool {
    let differ = |all, (a, b): (u8, u8)| all | (a ^ b);
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, differ) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_own_digest_whatever_came_before() {
        let last = Last::default();
        let long = "x".repeat(KEPT_MAX + 1);
        for key in ["one", "one", "two", "onf", "on", "", &long, &long, "one", "two"] {
            assert_eq!(last.digest(key), Digest::of(key.as_bytes()), "{}", key.len());
        }
        let kept = last.0.lock().expect("kept").as_ref().map(|(key, _)| key.to_string());
        assert_eq!(kept.as_deref(), Some("two"));
    }
}
