//! Maps and sets of names and places. They are asked for every name of a source, so their hash is a
//! quick one; nobody gains by names that collide, and what a map costs is bounded by the steps of
//! an analysis.

use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Quick>>;
pub(crate) type HashSet<T> = std::collections::HashSet<T, BuildHasherDefault<Quick>>;

/// Multiplies, a word at a time, and folds both halves of the product, so that every bit of a word
/// reaches every bit of the hash.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quick(u64);

/// An odd number whose bits look random: the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Where a hash begins; any number but zero.
const START: u64 = 0x2545_f491_4f6c_dd1d;

impl Default for Quick {
    fn default() -> Self {
        Self(START)
    }
}

impl Quick {
    fn add(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(FACTOR);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.add(word.try_into().map_or(0, u64::from_le_bytes));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            let word = rest
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | u64::from(*byte));
            self.add(word);
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.add(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.add(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;

    fn hash_of(name: &str) -> u64 {
        let mut hasher = Quick::default();
        name.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn names_that_differ_anywhere_have_different_hashes() {
        let names = (0..10_000).map(|number| format!("tCsA_{number}_copy_view"));
        let mut low: Vec<u64> = names.map(|name| hash_of(&name)).collect();
        low.sort_unstable();
        low.dedup();
        assert_eq!(low.len(), 10_000);
    }

    #[test]
    fn numbers_in_a_row_are_spread_over_a_table() {
        let mut slots: Vec<u64> = (0..1_024_u64)
            .map(|number| {
                let mut hasher = Quick::default();
                number.hash(&mut hasher);
                hasher.finish() & 1_023
            })
            .collect();
        slots.sort_unstable();
        slots.dedup();
        // Of so many random slots about 647 are different.
        assert!(slots.len() > 500, "{}", slots.len());
    }
}
