//! Swizzles `<B,M,S>`: an involution on offsets that xors one group of bits into another.

use crate::int::Int;
use crate::mixed;
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;
use core::fmt;

/// CuTe's `Swizzle<B,M,S>`: the `B` bits at position `M + max(S,0)` are xored into those at `M - min(S,0)`.
///
/// Invariants: `B >= 0`, `M >= 0`, `abs(S) >= B`, and all bits are below bit 62.
///
/// ```
/// use cute_algebra::Swizzle;
/// let swizzle = Swizzle::new(2, 0, 3)?;
/// assert_eq!(swizzle.apply(8), 9);
/// assert_eq!(swizzle.apply(swizzle.apply(27)), 27);
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    bits: u8,
    base: u8,
    shift: i8,
}

/// Bits that a swizzle may touch; offsets are non-negative `i64`.
const WIDTH: i64 = 62;

impl Swizzle {
    /// The swizzle of `bits` bits above `base` constant ones, over a distance of `shift`.
    pub fn new(bits: i64, base: i64, shift: i64) -> Result<Self, Refusal> {
        let illegal = |text| {
            Err(Refusal::new(Rule::SwizzleIllegal, text)
                .with("bits", bits)
                .with("base", base)
                .with("shift", shift))
        };
        if base < 0 {
            return illegal(Verdict::StaticAssert("MBase must be positive."));
        }
        if bits < 0 {
            return illegal(Verdict::StaticAssert("BBits must be positive."));
        }
        if shift.checked_abs().is_none_or(|s| s < bits) {
            let legal = if shift < 0 { -bits } else { bits };
            return illegal(Verdict::StaticAssert(
                "abs(SShift) must be more than BBits.",
            ))
            .map_err(|r: Refusal| {
                r.legal(format!("Sw<{bits},{base},{legal}>"))
                    .legal(format!("Sw<{},{base},{shift}>", shift.abs()))
            });
        }
        if base
            .checked_add(shift.abs())
            .and_then(|w| w.checked_add(bits))
            .is_none_or(|w| w > WIDTH)
        {
            return illegal(Verdict::CompileError("the bits are beyond an int"));
        }
        Ok(Swizzle {
            bits: bits as u8,
            base: base as u8,
            shift: shift as i8,
        })
    }

    /// The swizzle that xors the bits of the mask `source` into those of `target`: CuTe's `make_swizzle<Y,Z>`.
    pub fn from_masks(source: i64, target: i64) -> Result<Self, Refusal> {
        let wrong = |text| {
            Refusal::asserted(Rule::SwizzleIllegal, text)
                .with("source_mask", source)
                .with("target_mask", target)
        };
        if source < 0 || target < 0 || source.count_ones() != target.count_ones() {
            return Err(wrong("Number of bits in Y and Z don't match"));
        }
        // CuTe counts zeros of 32-bit masks: an empty mask has 32 of them, and 32 % 32 = 0.
        let zeros = |mask: i64| {
            if mask == 0 {
                32
            } else {
                i64::from(mask.trailing_zeros())
            }
        };
        let base = zeros(source).min(zeros(target)) % 32;
        let bits = i64::from(source.count_ones());
        let swizzle = Swizzle::new(bits, base, zeros(source) - zeros(target))?;
        if swizzle.source_mask() | swizzle.target_mask() != source | target {
            return Err(wrong("Something went wrong."));
        }
        Ok(swizzle)
    }

    /// Number of exchanged bits (`B`).
    pub fn bits(self) -> i64 {
        i64::from(self.bits)
    }

    /// Number of low bits that stay constant (`M`).
    pub fn base(self) -> i64 {
        i64::from(self.base)
    }

    /// The distance of the two groups, signed (`S`).
    pub fn shift(self) -> i64 {
        i64::from(self.shift)
    }

    /// The bits that are read (CuTe's `yyy_msk`).
    pub fn source_mask(self) -> i64 {
        ((1_i64 << self.bits) - 1) << (self.base() + self.shift().max(0))
    }

    /// The bits that are changed (CuTe's `zzz_msk`).
    pub fn target_mask(self) -> i64 {
        ((1_i64 << self.bits) - 1) << (self.base() - self.shift().min(0))
    }

    /// Whether it changes nothing.
    pub fn is_identity(self) -> bool {
        self.bits == 0
    }

    /// The swizzled offset.
    #[inline]
    pub fn apply(self, offset: i64) -> i64 {
        offset ^ self.shifted(offset & self.source_mask())
    }

    /// The swizzled offset, static bits staying static. Refused for negative and for symbolic offsets.
    pub fn apply_int(self, offset: &Int) -> Result<Int, Refusal> {
        if offset.value().is_some_and(|o| o < 0) {
            return Err(Refusal::new(Rule::NegativeStride, Verdict::Accepts)
                .with("swizzled_offset", offset));
        }
        let source = mixed::and(offset, &Int::fixed(self.source_mask()))?;
        mixed::xor(offset, &mixed::shifted(&source, self.shift())?)
    }

    /// The source bits moved onto the target bits; CuTe's `shiftr(x, S)`.
    #[inline]
    pub(crate) fn shifted(self, bits: i64) -> i64 {
        shift_right(bits, self.shift())
    }
}

/// `x >> s` for positive `s`, `x << -s` otherwise.
#[inline]
pub(crate) fn shift_right(x: i64, s: i64) -> i64 {
    if s >= 0 { x >> s } else { x << -s }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", self.bits, self.base, self.shift)
    }
}
