//! Rust's arithmetic types.

use crate::types::Scalar;

/// Rust's spelling, and that of [`Scalar`].
const SPELLINGS: &[(&str, &str)] = &[
    ("bool", "bool"),
    ("i8", "int8_t"),
    ("i16", "int16_t"),
    ("i32", "int"),
    ("i64", "int64_t"),
    ("isize", "int64_t"),
    ("u8", "uint8_t"),
    ("u16", "uint16_t"),
    ("u32", "uint32_t"),
    ("u64", "uint64_t"),
    ("usize", "uint64_t"),
    ("u128", "uint128_t"),
    ("f16", "half_t"),
    ("bf16", "bfloat16_t"),
    ("f32", "float"),
    ("f64", "double"),
];

/// The arithmetic type of a name: of the language, or (`f16`, `bf16`) of a crate.
pub(crate) fn primitive(name: &str) -> Option<Scalar> {
    let (_, spelling) = SPELLINGS.iter().find(|(rust, _)| *rust == name)?;
    Scalar::of_spelling(spelling)
}
