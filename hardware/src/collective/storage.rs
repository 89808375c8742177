//! Bytes of objects in shared memory: their order and alignment (Itanium C++ ABI).

use crate::multiprocessor::BARRIER_BYTES;

/// The size and the alignment of an object, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// `sizeof`.
    pub bytes: i64,
    /// `alignof`; a power of two.
    pub align: i64,
}

impl Extent {
    /// An object of this size and alignment.
    pub(super) fn new(bytes: i64, align: i64) -> Self {
        Extent { bytes, align }
    }

    /// A class without data.
    pub(super) fn empty() -> Self {
        Extent::new(1, 1)
    }

    /// The storage of a pipeline: a full and an empty barrier for each stage. Without stages two empty arrays remain.
    pub(super) fn pipeline(stages: i64) -> Self {
        if stages == 0 {
            Extent::new(2, 1)
        } else {
            Extent::new(2 * BARRIER_BYTES * stages, BARRIER_BYTES)
        }
    }

    /// `count` barriers.
    pub(super) fn barriers(count: i64) -> Self {
        Extent::new(BARRIER_BYTES * count, BARRIER_BYTES)
    }

    /// The object in an `alignas(align)` member, or in a class that is aligned so.
    #[must_use]
    pub(super) fn aligned(self, align: i64) -> Self {
        Extent::new(self.bytes, self.align.max(align))
    }

    /// A struct of these members in order.
    pub(super) fn sequence(members: impl IntoIterator<Item = Extent>) -> Self {
        let (mut end, mut align) = (0, 1);
        for member in members {
            end = round_up(end, member.align) + member.bytes;
            align = align.max(member.align);
        }
        Extent::new(round_up(end.max(1), align), align)
    }

    /// A union of these members.
    pub(super) fn union(members: impl IntoIterator<Item = Extent>) -> Self {
        let (mut bytes, mut align) = (1, 1);
        for member in members {
            bytes = bytes.max(member.bytes);
            align = align.max(member.align);
        }
        Extent::new(round_up(bytes, align), align)
    }

    /// A separate class with this content: its size is a multiple of its alignment.
    #[must_use]
    pub(super) fn closed(self) -> Self {
        Extent::new(round_up(self.bytes, self.align), self.align)
    }
}

/// The next multiple of `step`.
pub(super) fn round_up(value: i64, step: i64) -> i64 {
    let step = step.max(1);
    value.div_euclid(step) * step + if value.rem_euclid(step) == 0 { 0 } else { step }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_follow_each_other_at_their_alignment() {
        let storage = Extent::sequence([Extent::new(229_376, 128), Extent::pipeline(7)]);
        assert_eq!(storage, Extent::new(229_504, 128));
        assert_eq!(Extent::sequence([]), Extent::empty());
        assert_eq!(
            Extent::union([Extent::new(10, 4), Extent::new(3, 16)]),
            Extent::new(16, 16)
        );
    }

    #[test]
    fn rounding_up_reaches_the_next_multiple() {
        assert_eq!(
            (round_up(0, 16), round_up(1, 16), round_up(16, 16)),
            (0, 16, 16)
        );
    }
}
