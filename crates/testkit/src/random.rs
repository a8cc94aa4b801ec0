//! Random numbers that come again with the same seed (splitmix64).

/// A source of numbers; the same seed always gives the same ones.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A source that begins at this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end as u64).expect("it is below a usize")
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Whether it is the one case among `cases`.
    pub fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    /// This many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.number().to_le_bytes()[0]).collect()
    }

    /// This many characters out of `alphabet`.
    pub fn text(&mut self, alphabet: &[&str], count: usize) -> String {
        (0..count).map(|_| self.pick(alphabet)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_known_numbers() {
        let mut random = Random::new(0);
        assert_eq!(random.number(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.number(), 0x6E78_9E6A_A1B9_65F4);
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
