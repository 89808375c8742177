//! In which order declarations are evaluated that nothing orders.

/// In which order declarations of a file are evaluated that nothing orders. The results should not depend on it; the
/// test `order` counts where they do.
///
/// ```
/// use cute_analysis::Sequence;
/// let (mut one, mut other) = ([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]);
/// Sequence::Source.put(&mut one);
/// Sequence::Shuffled(7).put(&mut other);
/// assert_eq!(one, [1, 2, 3, 4, 5, 6, 7, 8]);
/// assert_ne!(one, other);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sequence {
    /// The order of the source.
    #[default]
    Source,
    /// Another one, by a seed.
    Shuffled(u64),
}

impl Sequence {
    /// Puts items in the order of the source into this one.
    pub fn put<T>(self, items: &mut [T]) {
        let Self::Shuffled(mut state) = self else {
            return;
        };
        for behind in (1..items.len()).rev() {
            let choices = behind as u64 + 1;
            let other = usize::try_from(next(&mut state) % choices).unwrap_or_default();
            items.swap(behind, other);
        }
    }
}

/// splitmix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
