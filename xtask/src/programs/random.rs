//! Random numbers that a seed decides.

/// A generator (`SplitMix64`).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator of a seed; `stream` tells those of one seed apart.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        let count = (most - least).max(0).unsigned_abs() + 1;
        least + (self.next() % count) as i64
    }

    /// True once in this many times.
    pub(crate) fn one_in(&mut self, times: i64) -> bool {
        self.between(1, times) == 1
    }

    /// One of several.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.next() as usize % of.len()]
    }
}
