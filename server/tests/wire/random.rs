//! Repeatable chance, and places in a text.

/// A small generator of repeatable random numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    /// The numbers that belong to a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(0x9E37_79B9_7F4A_7C15 ^ seed)
    }

    /// A number below a bound; 0 where nothing is below it.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// The last character boundary up to an offset that is not between `\r` and `\n`.
pub(crate) fn boundary(text: &str, near: usize) -> usize {
    (0..=near.min(text.len()))
        .rev()
        .find(|at| {
            text.is_char_boundary(*at)
                && !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n'))
        })
        .expect("0 is one")
}
