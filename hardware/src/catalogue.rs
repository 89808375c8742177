//! Names of instructions, for a person who types one: by family and architecture, with the work of each.
//!
//! The names are made by combining shapes, types and forms; names that no rule accepts are left out, so the list cannot
//! name an instruction that does not exist. It is not complete: types and forms are the common ones, and N of `wgmma` a
//! selection.

use crate::architecture::Architecture;
use crate::copy::CopyAtom;
use crate::mma::MmaAtom;
use std::sync::LazyLock;

/// An instruction of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name in CuTe, with template arguments where it needs them.
    pub name: String,
    /// The first architecture that has it.
    pub architecture: Architecture,
    /// Its work: `16x8x16`, or the elements that it moves.
    pub summary: String,
}

/// All instructions, by name.
pub fn all() -> &'static [Listed] {
    static ALL: LazyLock<Vec<Listed>> = LazyLock::new(|| {
        let mut all: Vec<Listed> = mma_names().iter().filter_map(|name| mma(name)).collect();
        all.extend(copy_names().iter().filter_map(|name| copy(name)));
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all.dedup();
        all
    });
    &ALL
}

/// The instructions whose names begin so.
///
/// ```
/// let found: Vec<_> = cute_hardware::catalogue::beginning("SM75_U32x").collect();
/// assert_eq!(found[0].name, "SM75_U32x1_LDSM_N");
/// assert_eq!(found[0].architecture.to_string(), "sm_75");
/// ```
pub fn beginning(prefix: &str) -> impl Iterator<Item = &'static Listed> {
    all()
        .iter()
        .filter(move |listed| listed.name.starts_with(prefix))
}

fn mma(name: &str) -> Option<Listed> {
    let atom = MmaAtom::named(name).ok()?;
    if atom.not_issuable.is_some() {
        return None;
    }
    let [m, n, k] = atom.shape_mnk();
    Some(Listed {
        name: name.to_owned(),
        architecture: atom.architecture,
        summary: format!(
            "{m}x{n}x{k}, {} x {} -> {}",
            atom.a.element, atom.b.element, atom.c.element
        ),
    })
}

fn copy(name: &str) -> Option<Listed> {
    let atom = CopyAtom::named(name).ok()?;
    if atom.not_issuable.is_some() {
        return None;
    }
    let bits = atom.reference.mode(1).ok()?.size().ok()?.value();
    let threads = atom.thread_id.size().ok()?.value()?;
    let moved = match bits {
        Some(bits) if bits > 1 => format!("{bits} bits of {threads} threads"),
        _ => "as wide as the tensors allow".to_owned(),
    };
    Some(Listed {
        name: name.to_owned(),
        architecture: atom.architecture,
        summary: moved,
    })
}

fn mma_names() -> Vec<String> {
    const TYPES: [&str; 14] = [
        "F16F16F16F16",
        "F32F16F16F32",
        "F32BF16BF16F32",
        "F32TF32TF32F32",
        "F64F64F64F64",
        "S32S8S8S32",
        "S32U8U8S32",
        "S32S4S4S32",
        "S32U4U4S32",
        "F32E4M3E4M3F32",
        "F32E5M2E5M2F32",
        "F32E4M3E5M2F32",
        "F32E5M2E4M3F32",
        "F16E4M3E4M3F16",
    ];
    const SHAPES: [(u16, &str); 12] = [
        (75, "16x8x8"),
        (75, "8x8x16"),
        (80, "16x8x4"),
        (80, "16x8x8"),
        (80, "16x8x16"),
        (80, "16x8x32"),
        (80, "16x8x64"),
        (80, "8x8x4"),
        (80, "8x8x16"),
        (80, "8x8x32"),
        (89, "16x8x32"),
        (120, "16x8x32"),
    ];
    let mut names = vec![
        "UniversalFMA<float>".to_owned(),
        "SM61_DP4A".to_owned(),
        "SM61_DP2A".to_owned(),
    ];
    for types in ["F16F16F16F16", "F32F16F16F32"] {
        for major in ["TN", "TT", "NN", "NT"] {
            names.push(format!("SM70_8x8x4_{types}_{major}"));
        }
    }
    for (generation, shape) in SHAPES {
        names.extend(TYPES.map(|types| format!("SM{generation}_{shape}_{types}_TN")));
    }
    let majors = "<GMMA::Major::K, GMMA::Major::K>";
    for n in [8, 16, 32, 64, 96, 128, 192, 256] {
        for (k, types) in [
            (16, "F16F16F16"),
            (16, "F32F16F16"),
            (16, "F32BF16BF16"),
            (8, "F32TF32TF32"),
            (32, "S32S8S8"),
            (32, "F32E4M3E4M3"),
            (32, "F32E5M2E5M2"),
        ] {
            for form in ["SS", "RS"] {
                let name = format!("SM90_64x{n}x{k}_{types}_{form}");
                names.push(format!("{name}{majors}"));
                names.push(format!("{name}_TN<>"));
            }
        }
    }
    names
}

fn copy_names() -> Vec<String> {
    let mut names = vec!["DefaultCopy".to_owned(), "AutoVectorizingCopy".to_owned()];
    for width in ["uint16_t", "uint32_t", "uint64_t", "uint128_t"] {
        names.push(format!("UniversalCopy<{width}>"));
        for cache in ["CACHEALWAYS", "CACHEGLOBAL"] {
            names.push(format!("SM80_CP_ASYNC_{cache}<{width}>"));
            names.push(format!("SM80_CP_ASYNC_{cache}_ZFILL<{width}>"));
        }
    }
    for count in [1, 2, 4, 8] {
        names.push(format!("SM75_U32x{count}_LDSM_N"));
        names.push(format!("SM75_U16x{count}_LDSM_T"));
        names.push(format!("SM90_U32x{count}_STSM_N"));
        names.push(format!("SM90_U16x{count}_STSM_T"));
    }
    for shape in ["16dp64b", "16dp128b", "16dp256b", "32dp32b"] {
        for power in 0..8_u32 {
            let repeats = 1_u32 << power;
            names.push(format!("SM100_TMEM_LOAD_{shape}{repeats}x"));
            names.push(format!("SM100_TMEM_STORE_{shape}{repeats}x"));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_is_there_and_no_name_twice() {
        let names: Vec<&str> = all().iter().map(|listed| listed.name.as_str()).collect();
        assert!(names.is_sorted_by(|a, b| a < b));
        for name in [
            "SM70_8x8x4_F32F16F16F32_TN",
            "SM80_16x8x16_F32F16F16F32_TN",
            "SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>",
            "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>",
            "SM75_U16x8_LDSM_T",
            "SM100_TMEM_LOAD_32dp32b1x",
            "UniversalCopy<uint128_t>",
        ] {
            assert!(names.contains(&name), "{name}");
        }
        // No cp.async of 16 bits exists.
        let unwanted = all().iter().filter(|listed| listed.name.contains("ASYNC"));
        assert!(
            unwanted
                .clone()
                .all(|listed| !listed.name.contains("uint16_t"))
        );
    }
}
