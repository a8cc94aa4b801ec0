//! Numbers for ids and for the choice of what is traced. They need to differ, not to be secret.

use std::cell::Cell;
use std::hash::{BuildHasher, Hasher, RandomState};

thread_local! {
    static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish());
}

/// The next number of this thread (splitmix64).
pub(crate) fn number() -> u64 {
    STATE.with(|state| {
        let next = state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        state.set(next);
        let mixed = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

/// The id of a span.
pub(crate) fn span() -> u64 {
    number().max(1)
}

/// The id of a trace.
pub(crate) fn trace() -> u128 {
    (u128::from(number()) << 64 | u128::from(number())).max(1)
}

/// Whether a request is among the given part of all.
pub(crate) fn chosen(part: f64) -> bool {
    // 53 bits, as many as a fraction of this type tells apart.
    ((number() >> 11) as f64) < part * (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_the_given_part_is_chosen() {
        assert!(!(0..1000).any(|_| chosen(0.0)));
        assert!((0..1000).all(|_| chosen(1.0)));
        let chosen = (0..100_000).filter(|_| chosen(0.1)).count();
        assert!((9_000..11_000).contains(&chosen), "{chosen}");
    }
}
