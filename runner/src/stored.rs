//! Integers as the elements of a matrix operand, and back.

use cute_algebra::Rule;
use cute_hardware::Refusal;

use crate::numbers::refusal;

/// The form in which an operand's elements are stored, by their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// 8-bit integers.
    S8,
    /// 16-bit floats.
    F16,
    /// 32-bit floats of which the tensor cores read 19 bits.
    Tf32,
}

impl Stored {
    pub(crate) fn of_bits(bits: i64) -> Result<Self, Refusal> {
        match bits {
            8 => Ok(Self::S8),
            16 => Ok(Self::F16),
            32 => Ok(Self::Tf32),
            _ => Err([8, 16, 32].iter().fold(
                refusal(Rule::Unsupported).with("element_bits", bits),
                |refusal, legal| refusal.legal(legal.to_string()),
            )),
        }
    }

    /// The largest integer up to which all are elements.
    pub(crate) fn most(self) -> i64 {
        match self {
            Self::S8 => 127,
            Self::F16 | Self::Tf32 => 2047,
        }
    }

    /// The bytes of an integer between `-most` and `most`.
    pub(crate) fn bytes(self, value: i64) -> Vec<u8> {
        match self {
            Self::S8 => vec![value as i8 as u8],
            Self::F16 => half(value as i16).to_le_bytes().to_vec(),
            Self::Tf32 => f32::from(value as i16).to_le_bytes().to_vec(),
        }
    }

    /// The integer of such bytes; `None` for too few.
    pub(crate) fn value(self, bytes: &[u8]) -> Option<i64> {
        match self {
            Self::S8 => bytes.first().map(|byte| i64::from(*byte as i8)),
            Self::F16 => integer(u16::from_le_bytes(*bytes.first_chunk()?)),
            Self::Tf32 => Some(f32::from_le_bytes(*bytes.first_chunk()?) as i64),
        }
    }
}

/// The 16-bit float (IEEE 754 binary16: 5 bits of exponent, biased by 15, and 10 of fraction) of an integer below 2048.
fn half(value: i16) -> u16 {
    let sign = u16::from(value < 0) << 15;
    let magnitude = value.unsigned_abs();
    match magnitude.checked_ilog2() {
        None => sign,
        Some(exponent) => {
            let fraction = (u32::from(magnitude) << 10 >> exponent) & 0x3FF;
            sign | (exponent as u16 + 15) << 10 | fraction as u16
        }
    }
}

/// The integer of a 16-bit float; `None` for any other value, or too large for [`half`].
fn integer(half: u16) -> Option<i64> {
    let (exponent, fraction) = (half >> 10 & 0x1F, i64::from(half & 0x3FF));
    let magnitude = match exponent {
        0 if fraction == 0 => 0,
        15..=25 => {
            let scaled = (fraction | 0x400) << (exponent - 15);
            if scaled % 0x400 != 0 {
                return None;
            }
            scaled / 0x400
        }
        _ => return None,
    };
    Some(if half >> 15 == 0 {
        magnitude
    } else {
        -magnitude
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_integer_comes_back() {
        for stored in [Stored::S8, Stored::F16, Stored::Tf32] {
            for value in -stored.most()..=stored.most() {
                assert_eq!(
                    stored.value(&stored.bytes(value)),
                    Some(value),
                    "{stored:?}"
                );
            }
        }
    }

    #[test]
    fn halves_are_those_of_the_standard() {
        for (value, bits) in [
            (0, 0),
            (1, 0x3C00),
            (-2, 0xC000),
            (3, 0x4200),
            (2047, 0x67FF),
        ] {
            assert_eq!(half(value), bits);
        }
        assert_eq!(integer(0x3800), None, "a half is not an integer");
        assert_eq!(integer(0x7C00), None, "infinity is not an integer");
    }
}
