//! Matrix descriptors: how `wgmma` and `tcgen05.mma` are told where an operand is in shared memory.
//!
//! The 64 bits of [`MatrixDescriptor`] name a start, two strides and a swizzle; [`canonical`] finds them in a layout,
//! or says why it is not one of the layouts that the hardware reads. [`instruction`] has the 32 bits that describe a
//! `tcgen05.mma` itself.

pub mod canonical;
pub mod instruction;

use crate::refusal::{Refusal, Rule};
use crate::smem_atom::Span;

/// The instruction that reads the descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// `wgmma` of `sm_90a` (PTX "Matrix Descriptor Format" of wgmma).
    Wgmma,
    /// `tcgen05.mma` of `sm_100a` and later (PTX "Shared memory descriptor" of tcgen05).
    Tcgen05,
}

/// A shared-memory matrix descriptor by field. Addresses and offsets are in units of 16 bytes, as the fields are.
///
/// ```
/// use cute_hardware::descriptor::{Generation, MatrixDescriptor};
/// let descriptor = MatrixDescriptor::decode(Generation::Wgmma, 0x4000_0040_0001_0000)?;
/// assert_eq!(descriptor.stride_offset_bytes(), 1024);
/// assert_eq!(descriptor.encode()?, 0x4000_0040_0001_0000);
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixDescriptor {
    /// The instruction that reads it.
    pub generation: Generation,
    /// The shared-memory address of the first element, in 16 bytes.
    pub start_address: i64,
    /// The leading-dimension offset (LBO), in 16 bytes.
    pub leading_offset: i64,
    /// The stride-dimension offset (SBO), in 16 bytes.
    pub stride_offset: i64,
    /// The start of the swizzle pattern, in 128 bytes modulo 8; 0 for an aligned buffer.
    pub base_offset: i64,
    /// Whether the leading offset is an absolute address (`sm_103a`).
    pub leading_is_absolute: bool,
    /// The swizzle.
    pub span: Span,
}

/// One bit field of a descriptor, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, in snake case.
    pub name: &'static str,
    /// The lowest bit.
    pub low_bit: u32,
    /// The number of bits.
    pub width: u32,
    /// The value in the field.
    pub value: u64,
    /// The unit of the value: `16 B`, `128 B`, `8 columns`, or nothing for a code.
    pub unit: &'static str,
    /// The meaning of the value.
    pub meaning: String,
}

impl Field {
    pub(crate) fn new(
        name: &'static str,
        low_bit: u32,
        width: u32,
        value: i64,
        unit: &'static str,
        meaning: impl Into<String>,
    ) -> Self {
        Field {
            name,
            low_bit,
            width,
            value: value as u64,
            unit,
            meaning: meaning.into(),
        }
    }
}

/// Puts the fields together; refuses a value that its field cannot hold.
pub(crate) fn pack(fields: &[Field]) -> Result<u64, Refusal> {
    fields.iter().try_fold(0, |word, field| {
        if field.value >> field.width != 0 {
            let most = (1_u64 << field.width) - 1;
            return Err(
                Refusal::new(Rule::DescriptorField, cute_algebra::Verdict::Accepts)
                    .with("field", field.name)
                    .with("value", field.value as i64)
                    .with("most", most as i64)
                    .legal(most.to_string()),
            );
        }
        Ok(word | field.value << field.low_bit)
    })
}

/// The bits `low..low + width` of a word.
pub(crate) fn bits(word: u64, low: u32, width: u32) -> i64 {
    (word >> low & ((1 << width) - 1)) as i64
}

impl MatrixDescriptor {
    /// The code of the swizzle in the descriptor; `None` when the instruction does not have it.
    #[allow(
        clippy::match_same_arms,
        reason = "one row for each code of a generation"
    )]
    fn swizzle_code(generation: Generation, span: Span) -> Option<i64> {
        match (generation, span) {
            (_, Span::B16) => Some(0),
            (Generation::Wgmma, Span::B128) => Some(1),
            (Generation::Wgmma, Span::B64) => Some(2),
            (Generation::Wgmma, Span::B32) => Some(3),
            (Generation::Wgmma, Span::B128Base32) => None,
            (Generation::Tcgen05, Span::B128Base32) => Some(1),
            (Generation::Tcgen05, Span::B128) => Some(2),
            (Generation::Tcgen05, Span::B64) => Some(4),
            (Generation::Tcgen05, Span::B32) => Some(6),
        }
    }

    /// The fields, lowest bit first.
    ///
    /// Errors: [`Rule::UnsupportedSwizzle`] for a swizzle that the instruction does not have.
    pub fn fields(&self) -> Result<Vec<Field>, Refusal> {
        let code = Self::swizzle_code(self.generation, self.span).ok_or_else(|| {
            Refusal::asserted(Rule::UnsupportedSwizzle, "Unsupported layout swizzle")
                .with("swizzle", format!("{:?}", self.span))
        })?;
        let bytes = |units: i64| format!("{} bytes", units * 16);
        let swizzle = match self.span {
            Span::B16 => "no swizzle".to_owned(),
            Span::B128Base32 => "128-byte swizzle in units of 32 bytes".to_owned(),
            span => format!("{}-byte swizzle", span.bytes()),
        };
        let mut fields = vec![
            Field::new(
                "start_address",
                0,
                14,
                self.start_address,
                "16 B",
                bytes(self.start_address),
            ),
            Field::new(
                "leading_byte_offset",
                16,
                14,
                self.leading_offset,
                "16 B",
                bytes(self.leading_offset),
            ),
            Field::new(
                "stride_byte_offset",
                32,
                14,
                self.stride_offset,
                "16 B",
                bytes(self.stride_offset),
            ),
        ];
        match self.generation {
            Generation::Wgmma => {
                fields.push(Field::new(
                    "base_offset",
                    49,
                    3,
                    self.base_offset,
                    "128 B",
                    bytes(self.base_offset * 8),
                ));
                fields.push(Field::new("layout_type", 62, 2, code, "", swizzle));
            }
            Generation::Tcgen05 => {
                fields.push(Field::new("version", 46, 2, 1, "", "sm_100"));
                fields.push(Field::new(
                    "base_offset",
                    49,
                    3,
                    self.base_offset,
                    "128 B",
                    bytes(self.base_offset * 8),
                ));
                let mode = if self.leading_is_absolute {
                    "leading offset is an address"
                } else {
                    "leading offset is relative"
                };
                fields.push(Field::new(
                    "lbo_mode",
                    52,
                    1,
                    i64::from(self.leading_is_absolute),
                    "",
                    mode,
                ));
                fields.push(Field::new("layout_type", 61, 3, code, "", swizzle));
            }
        }
        Ok(fields)
    }

    /// The 64 bits.
    ///
    /// Errors: [`Rule::DescriptorField`] for a number that its field cannot hold (CuTe truncates it silently),
    /// [`Rule::UnsupportedSwizzle`].
    pub fn encode(&self) -> Result<u64, Refusal> {
        pack(&self.fields()?)
    }

    /// The fields of 64 bits.
    ///
    /// Errors: [`Rule::DescriptorField`] for bits that must be 0 or a code that means nothing.
    pub fn decode(generation: Generation, word: u64) -> Result<Self, Refusal> {
        let invalid = |field: &'static str, value: i64| {
            Err(
                Refusal::new(Rule::DescriptorField, cute_algebra::Verdict::Accepts)
                    .with("field", field)
                    .with("value", value),
            )
        };
        let code = match generation {
            Generation::Wgmma => bits(word, 62, 2),
            Generation::Tcgen05 => bits(word, 61, 3),
        };
        let spans = [
            Span::B16,
            Span::B32,
            Span::B64,
            Span::B128,
            Span::B128Base32,
        ];
        let Some(span) = spans
            .into_iter()
            .find(|&span| Self::swizzle_code(generation, span) == Some(code))
        else {
            return invalid("layout_type", code);
        };
        let descriptor = MatrixDescriptor {
            generation,
            start_address: bits(word, 0, 14),
            leading_offset: bits(word, 16, 14),
            stride_offset: bits(word, 32, 14),
            base_offset: bits(word, 49, 3),
            leading_is_absolute: generation == Generation::Tcgen05 && bits(word, 52, 1) == 1,
            span,
        };
        let rest = word ^ descriptor.encode()?;
        if rest == 0 {
            Ok(descriptor)
        } else {
            invalid("reserved", rest as i64)
        }
    }

    /// The leading-dimension offset in bytes.
    pub fn leading_offset_bytes(&self) -> i64 {
        self.leading_offset * 16
    }

    /// The stride-dimension offset in bytes.
    pub fn stride_offset_bytes(&self) -> i64 {
        self.stride_offset * 16
    }

    /// The descriptor of a tile that starts `bytes` further, as the loop over K advances it. The hardware swizzles
    /// absolute address bits, so the other fields stay.
    ///
    /// Errors: [`Rule::MisalignedStart`] for a step that is not a multiple of 16 bytes, [`Rule::DescriptorField`] when the
    /// address leaves its field (CuTe's addition would carry into the next one).
    pub fn advance(&self, bytes: i64) -> Result<Self, Refusal> {
        if bytes % 16 != 0 {
            return Err(
                Refusal::new(Rule::MisalignedStart, cute_algebra::Verdict::Accepts)
                    .with("bytes", bytes)
                    .legal((bytes.div_euclid(16) * 16).to_string())
                    .legal((bytes.div_euclid(16) * 16 + 16).to_string()),
            );
        }
        let moved = MatrixDescriptor {
            start_address: self.start_address + bytes / 16,
            ..*self
        };
        if moved.start_address < 0 {
            return Err(
                Refusal::new(Rule::DescriptorField, cute_algebra::Verdict::Accepts)
                    .with("field", "start_address")
                    .with("value", moved.start_address),
            );
        }
        moved.encode().map(|_| moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_descriptors_decode_and_encode() {
        for word in [
            0x0000_0008_0080_0000,
            0xc000_0010_0001_0000,
            0x8000_0020_0001_0000,
            0x4000_0040_0200_0000,
        ] {
            assert_eq!(
                MatrixDescriptor::decode(Generation::Wgmma, word)
                    .unwrap()
                    .encode(),
                Ok(word)
            );
        }
        for word in [
            0x0000_4008_0080_0000,
            0xc000_4010_0001_0000,
            0x4000_4040_0001_0000,
        ] {
            assert_eq!(
                MatrixDescriptor::decode(Generation::Tcgen05, word)
                    .unwrap()
                    .encode(),
                Ok(word)
            );
        }
    }

    #[test]
    fn meaningless_bits_are_refused() {
        // A reserved bit, a swizzle code that tcgen05 does not have, a missing version.
        for (generation, word) in [
            (Generation::Wgmma, 1 << 14),
            (Generation::Tcgen05, 3 << 61 | 1 << 46),
            (Generation::Tcgen05, 0),
        ] {
            assert_eq!(
                MatrixDescriptor::decode(generation, word).unwrap_err().rule,
                Rule::DescriptorField
            );
        }
    }

    #[test]
    fn offsets_beyond_the_field_are_refused_not_truncated() {
        let descriptor =
            MatrixDescriptor::decode(Generation::Wgmma, 0x4000_0040_0001_0000).unwrap();
        let too_far = MatrixDescriptor {
            stride_offset: 1 << 14,
            ..descriptor
        };
        assert_eq!(
            too_far
                .encode()
                .unwrap_err()
                .number("most")
                .unwrap()
                .to_string(),
            "16383"
        );
        assert_eq!(descriptor.advance(32).unwrap().start_address, 2);
        assert_eq!(
            descriptor.advance(8).unwrap_err().rule,
            Rule::MisalignedStart
        );
        assert_eq!(
            descriptor.advance(1 << 18).unwrap_err().rule,
            Rule::DescriptorField
        );
    }
}
