//! Permutations of shared memory by TMA.

use crate::refusal::{Refusal, Rule};
use crate::smem_atom::Span;
use cute_algebra::Swizzle;

/// The permutation of shared-memory addresses by TMA; the discriminant is the driver's `CUtensorMapSwizzle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TensorMapSwizzle {
    /// No permutation.
    None = 0,
    /// 16-byte units over 32 bytes.
    B32 = 1,
    /// 16-byte units over 64 bytes.
    B64 = 2,
    /// 16-byte units over 128 bytes.
    B128 = 3,
    /// 32-byte units over 128 bytes (`sm_100`).
    B128Atom32 = 4,
    /// 32-byte units over 128 bytes, halves of 16 bytes exchanged in every other row (`sm_100`).
    B128Atom32Flip8 = 5,
    /// 64-byte units over 128 bytes (`sm_100`).
    B128Atom64 = 6,
}

impl TensorMapSwizzle {
    /// All modes, in the order of the driver's codes.
    pub const ALL: [TensorMapSwizzle; 7] = [
        TensorMapSwizzle::None,
        TensorMapSwizzle::B32,
        TensorMapSwizzle::B64,
        TensorMapSwizzle::B128,
        TensorMapSwizzle::B128Atom32,
        TensorMapSwizzle::B128Atom32Flip8,
        TensorMapSwizzle::B128Atom64,
    ];

    /// The mode for a CuTe swizzle of byte addresses.
    ///
    /// Errors: [`Rule::UnsupportedSwizzle`] with CuTe's text and the legal swizzles.
    pub fn of_swizzle(swizzle: Swizzle) -> Result<Self, Refusal> {
        let (bits, base, shift) = (swizzle.bits(), swizzle.base(), swizzle.shift());
        let text = match (bits, base, shift) {
            (0, 4, 3) => return Ok(TensorMapSwizzle::None),
            (1, 4, 3) => return Ok(TensorMapSwizzle::B32),
            (2, 4, 3) => return Ok(TensorMapSwizzle::B64),
            (3, 4, 3) => return Ok(TensorMapSwizzle::B128),
            (2, 5, 2) => return Ok(TensorMapSwizzle::B128Atom32),
            (2, 6, _) => return Ok(TensorMapSwizzle::B128Atom64),
            (_, 4, 3) => "Expected B = 0,1,2, or 3 when M == 4. Unsupported layout swizzle.",
            (_, 4, _) => "Expected S = 3 when M == 4. Unsupported layout swizzle.",
            (2, 5, _) => "Expected S = 2 when M == 5. Unsupported layout swizzle.",
            (_, 5, _) => "Expected B = 2 when M == 5. Unsupported layout swizzle.",
            (_, 6, _) => "Expected B = 2 when M == 6. Unsupported layout swizzle.",
            _ => "Unsupported layout swizzle.",
        };
        let refusal =
            Refusal::asserted(Rule::UnsupportedSwizzle, text).with("swizzle", swizzle.to_string());
        Err(Span::WIDEST_FIRST
            .iter()
            .filter_map(|span| span.swizzle().ok())
            .fold(refusal, |refusal, legal| refusal.legal(legal.to_string())))
    }

    /// The driver's code.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The bytes over which units are permuted; `None` without a swizzle.
    pub fn span_bytes(self) -> Option<i64> {
        match self {
            TensorMapSwizzle::None => None,
            TensorMapSwizzle::B32 => Some(32),
            TensorMapSwizzle::B64 => Some(64),
            _ => Some(128),
        }
    }

    /// The shared-memory address, in bytes, at which the byte of linear address `address` is found (PTX "Swizzling
    /// modes").
    pub fn apply(self, address: i64) -> i64 {
        let bits = |low: u32, mask: i64| address >> low & mask;
        match self {
            TensorMapSwizzle::None => address,
            TensorMapSwizzle::B32 => address ^ bits(7, 1) << 4,
            TensorMapSwizzle::B64 => address ^ bits(7, 3) << 4,
            TensorMapSwizzle::B128 => address ^ bits(7, 7) << 4,
            TensorMapSwizzle::B128Atom32 => address ^ bits(7, 3) << 5,
            TensorMapSwizzle::B128Atom32Flip8 => address ^ bits(7, 3) << 5 ^ bits(7, 1) << 3,
            TensorMapSwizzle::B128Atom64 => address ^ bits(7, 1) << 6,
        }
    }

    /// The alignment of the buffer, in bytes, at which a layout function alone says where bytes are.
    pub fn pattern_bytes(self) -> i64 {
        match self {
            TensorMapSwizzle::None => 128,
            TensorMapSwizzle::B32 | TensorMapSwizzle::B128Atom64 => 256,
            TensorMapSwizzle::B64
            | TensorMapSwizzle::B128Atom32
            | TensorMapSwizzle::B128Atom32Flip8 => 512,
            TensorMapSwizzle::B128 => 1024,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzles_are_those_of_cute_and_no_others() {
        for (bits, base, shift, mode) in [
            (0, 4, 3, 0),
            (1, 4, 3, 1),
            (2, 4, 3, 2),
            (3, 4, 3, 3),
            (2, 5, 2, 4),
        ] {
            let swizzle = Swizzle::new(bits, base, shift).unwrap();
            let tma = TensorMapSwizzle::of_swizzle(swizzle).unwrap();
            assert_eq!(tma.code(), mode);
            for address in (0..4096).step_by(8) {
                assert_eq!(
                    tma.apply(address),
                    swizzle.apply(address),
                    "{swizzle} {address}"
                );
            }
        }
        let refusal = TensorMapSwizzle::of_swizzle(Swizzle::new(3, 3, 3).unwrap()).unwrap_err();
        assert_eq!(refusal.cute.message(), Some("Unsupported layout swizzle."));
        assert_eq!(refusal.legal[0], "Sw<3,4,3>");
    }
}
