//! The numeric types of CUTLASS's Python.

use crate::types::Scalar;

/// The types of `cutlass`, and their names in CuTe.
const TYPES: &[(&str, &str)] = &[
    ("Boolean", "bool"),
    ("Int4", "int4_t"),
    ("Int8", "int8_t"),
    ("Int16", "int16_t"),
    ("Int32", "int"),
    ("Int64", "int64_t"),
    ("Uint8", "uint8_t"),
    ("Uint16", "uint16_t"),
    ("Uint32", "uint32_t"),
    ("Uint64", "uint64_t"),
    ("Float16", "half_t"),
    ("BFloat16", "bfloat16_t"),
    ("TFloat32", "tfloat32_t"),
    ("Float32", "float"),
    ("Float64", "double"),
    ("Float8E4M3FN", "float_e4m3_t"),
    ("Float8E5M2", "float_e5m2_t"),
    ("Float8E8M0FNU", "float_ue8m0_t"),
    ("Float6E2M3FN", "float_e2m3_t"),
    ("Float6E3M2FN", "float_e3m2_t"),
    ("Float4E2M1FN", "float_e2m1_t"),
];

/// The numeric type of a name of `cutlass`.
pub(crate) fn scalar(name: &str) -> Option<Scalar> {
    Scalar::of_spelling(spelling_of(name)?)
}

/// The name in CuTe of a numeric type of `cutlass`.
fn spelling_of(name: &str) -> Option<&'static str> {
    let (_, spelling) = TYPES.iter().find(|(spelled, _)| *spelled == name)?;
    Some(spelling)
}

/// The names of the numeric types of `cutlass`.
pub(crate) fn scalar_names() -> impl Iterator<Item = &'static str> {
    TYPES.iter().map(|(name, _)| *name)
}

/// The name of a numeric type in `cutlass`.
pub(crate) fn scalar_name(scalar: &Scalar) -> Option<&'static str> {
    let is_it = |spelling| Scalar::of_spelling(spelling).is_some_and(|it| it.name == scalar.name);
    let found = TYPES.iter().find(|(_, spelling)| is_it(spelling));
    found.map(|(name, _)| *name)
}
