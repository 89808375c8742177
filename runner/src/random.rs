//! Numbers that no one chose, the same again for the same seed.

/// A sequence of numbers (splitmix64; Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// An integer from `-most` to `most`: few enough bits that sums of products are exact.
    pub(crate) fn small(&mut self, most: i64) -> i64 {
        (self.next() % (2 * most.unsigned_abs() + 1)) as i64 - most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_numbers_and_all_of_the_range() {
        let numbers = |seed| -> Vec<i64> {
            let mut random = Random::new(seed);
            (0..500).map(|_| random.small(8)).collect()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert!((-8..=8).all(|number| numbers(7).contains(&number)));
        assert!(numbers(7).iter().all(|number| (-8..=8).contains(number)));
    }
}
