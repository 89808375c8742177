//! Arguments of `cuTensorMapEncodeTiled` (cuda.h, group `CUDA_TENSOR_MEMORY`): the names of its codes, and what the driver
//! refuses.

use cute_hardware::tma::{Severity, TensorMap, TensorMapSwizzle};

use super::Remark;
use super::tiled::is_certain;
use super::tma::NEWEST_ARCHITECTURE;

/// The beginning of all names.
const PREFIX: &str = "CU_TENSOR_MAP_";

/// The types of elements by their codes, with their bits.
const TYPES: &[(&str, i64)] = &[
    ("UINT8", 8),
    ("UINT16", 16),
    ("UINT32", 32),
    ("INT32", 32),
    ("UINT64", 64),
    ("INT64", 64),
    ("FLOAT16", 16),
    ("FLOAT32", 32),
    ("FLOAT64", 64),
    ("BFLOAT16", 16),
    ("FLOAT32_FTZ", 32),
    ("TFLOAT32", 32),
    ("TFLOAT32_FTZ", 32),
    ("16U4_ALIGN8B", 4),
    ("16U4_ALIGN16B", 4),
    ("16U6_ALIGN16B", 6),
];

/// The other enumerations, by the beginning of their names: each with its names by their codes.
const CODES: &[(&str, &[&str])] = &[
    ("INTERLEAVE_", &["NONE", "16B", "32B"]),
    (
        "SWIZZLE_",
        &[
            "NONE",
            "32B",
            "64B",
            "128B",
            "128B_ATOM_32B",
            "128B_ATOM_32B_FLIP_8B",
            "128B_ATOM_64B",
        ],
    ),
    ("L2_PROMOTION_", &["NONE", "L2_64B", "L2_128B", "L2_256B"]),
    ("FLOAT_OOB_FILL_", &["NONE", "NAN_REQUEST_ZERO_FMA"]),
];

/// The code of an enumerator of the driver, also under the names of bindings for Rust:
/// `CUtensorMapSwizzle_enum_CU_TENSOR_MAP_SWIZZLE_128B`.
pub(crate) fn code_of(name: &str) -> Option<u8> {
    let (_, name) = name.split_once(PREFIX)?;
    if let Some(name) = name.strip_prefix("DATA_TYPE_") {
        let place = TYPES.iter().position(|(known, _)| *known == name);
        return u8::try_from(place?).ok();
    }
    CODES.iter().find_map(|(begin, names)| {
        let name = name.strip_prefix(begin)?;
        let place = names.iter().position(|known| *known == name);
        u8::try_from(place?).ok()
    })
}

/// The name and the bits of a type of elements.
pub(crate) fn type_of_code(code: u8) -> Option<(&'static str, i64)> {
    TYPES.get(usize::from(code)).copied()
}

/// A swizzle of shared memory.
pub(crate) fn swizzle_of_code(code: u8) -> Option<TensorMapSwizzle> {
    let mut all = TensorMapSwizzle::ALL.into_iter();
    all.find(|swizzle| swizzle.code() == code)
}

/// The rules of the driver that these arguments break.
pub(crate) fn refused(map: &TensorMap) -> Vec<Remark> {
    let issues = map.issues(NEWEST_ARCHITECTURE).into_iter();
    let certain =
        issues.filter(|issue| issue.severity == Severity::Error && is_certain(&issue.refusal));
    certain
        .map(|issue| Remark::of_hardware(issue.refusal))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_driver() {
        for (name, code) in [
            ("CU_TENSOR_MAP_DATA_TYPE_BFLOAT16", Some(9)),
            (
                "CUtensorMapDataType_enum_CU_TENSOR_MAP_DATA_TYPE_FLOAT16",
                Some(6),
            ),
            ("CU_TENSOR_MAP_SWIZZLE_128B", Some(3)),
            ("CU_TENSOR_MAP_L2_PROMOTION_L2_256B", Some(3)),
            ("CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE", Some(0)),
            ("CU_TENSOR_MAP_DATA_TYPE_FLOAT12", None),
            ("SWIZZLE_128B", None),
        ] {
            assert_eq!(code_of(name), code, "{name}");
        }
        assert_eq!(type_of_code(13), Some(("16U4_ALIGN8B", 4)));
    }
}
