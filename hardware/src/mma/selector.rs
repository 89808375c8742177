//! The `wgmma` that CUTLASS takes for a tile: `GMMA::ss_op_selector`, `rs_op_selector` and their sparse forms.

use super::operation::type_word;
use super::wgmma::legal_columns;
use super::{Major, MmaAtom};
use crate::element::Element;
use crate::refusal::{Refusal, Rule};

/// The request to the selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WgmmaRequest {
    /// The type of A.
    pub a: Element,
    /// The type of B.
    pub b: Element,
    /// The type of the accumulator.
    pub accumulator: Element,
    /// M, N and K of the tile.
    pub tile: [i64; 3],
    /// The major of A.
    pub major_a: Major,
    /// The major of B.
    pub major_b: Major,
    /// Whether A comes from registers (`rs_op_selector`).
    pub a_in_registers: bool,
    /// Whether A is 2:4 sparse.
    pub sparse: bool,
    /// Whether `CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED` is defined.
    pub extended_shapes: bool,
}

/// The values of N that are always there.
const BASE_COLUMNS: [i64; 8] = [8, 16, 32, 64, 96, 128, 192, 256];

/// The instruction with the largest N that divides the tile's.
///
/// ```
/// use cute_hardware::mma::selector::{WgmmaRequest, select_wgmma};
/// use cute_hardware::{Element, Major};
/// let request = WgmmaRequest {
///     a: Element::F16, b: Element::F16, accumulator: Element::F32, tile: [128, 80, 64],
///     major_a: Major::K, major_b: Major::K, a_in_registers: false, sparse: false, extended_shapes: false,
/// };
/// assert_eq!(select_wgmma(&request)?.shape_mnk(), [64, 16, 16]);
/// let extended = WgmmaRequest { extended_shapes: true, ..request };
/// assert_eq!(select_wgmma(&extended)?.shape_mnk(), [64, 80, 16]);
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: [`Rule::MmaShape`] for a tile that no instruction divides, [`Rule::MmaOperand`] for types or majors that do not
/// exist together.
pub fn select_wgmma(request: &WgmmaRequest) -> Result<MmaAtom, Refusal> {
    let [m, n, k] = request.tile;
    let depth = 256 / request.a.bits() * if request.sparse { 2 } else { 1 };
    refuse_unless_multiple("tile_m", m, 64, "Tile_M must be a multiple of 64.")?;
    refuse_unless_multiple("tile_n", n, 8, "Tile_N must be a multiple of 8.")?;
    refuse_unless_multiple(
        "tile_k",
        k,
        depth,
        "Tile_K must be a multiple of the K of the instruction.",
    )?;
    let takes_majors = request.a.bits() == 16;
    let major_refusal =
        |text: &'static str| Refusal::asserted(Rule::MmaOperand, text).legal("GMMA::Major::K");
    if request.major_a == Major::Mn && request.a_in_registers {
        return Err(major_refusal(
            "Register source A operand GMMAs must have K-major A layout.",
        ));
    }
    if request.major_a == Major::Mn && !takes_majors {
        return Err(major_refusal(
            "MajorA must be GMMA::Major::K for this config.",
        ));
    }
    if request.major_b == Major::Mn && !takes_majors {
        return Err(major_refusal(
            "MajorB must be GMMA::Major::K for this config.",
        ));
    }
    let columns = if request.extended_shapes {
        legal_columns(matches!(request.a, Element::S8 | Element::U8))
    } else {
        BASE_COLUMNS.to_vec()
    };
    let columns = columns
        .into_iter()
        .rev()
        .find(|columns| n % columns == 0)
        .unwrap_or(8);
    MmaAtom::named(&name(request, columns, depth)).map_err(|_| {
        Refusal::asserted(
            Rule::MmaOperand,
            "No eligible GMMA operator for request configuration.",
        )
        .with("a", request.a.to_string())
        .with("b", request.b.to_string())
        .with("accumulator", request.accumulator.to_string())
    })
}

fn refuse_unless_multiple(
    name: &'static str,
    extent: i64,
    step: i64,
    text: &'static str,
) -> Result<(), Refusal> {
    if extent > 0 && extent % step == 0 {
        return Ok(());
    }
    let below = (extent / step).max(1) * step;
    Err(Refusal::asserted(Rule::MmaShape, text)
        .with(name, extent)
        .with("multiple_of", step)
        .legal(below.to_string())
        .legal((below + step).to_string()))
}

fn name(request: &WgmmaRequest, columns: i64, depth: i64) -> String {
    let prefix = if request.sparse {
        "SM90::GMMA::SPARSE::GMMA"
    } else {
        "SM90"
    };
    let types: String = [request.accumulator, request.a, request.b]
        .into_iter()
        .map(type_word)
        .collect();
    let source = if request.a_in_registers { "RS" } else { "SS" };
    let scales = "GMMA::ScaleIn::One, GMMA::ScaleIn::One";
    let selector = if request.sparse {
        ", GMMA::SparseSel::Zero"
    } else {
        ""
    };
    let (suffix, arguments) = match request.a {
        Element::F16 | Element::Bf16 => {
            let (a, b) = (request.major_a.name(), request.major_b.name());
            (
                "",
                format!("<GMMA::Major::{a}, GMMA::Major::{b}, {scales}{selector}>"),
            )
        }
        Element::S8 | Element::U8 if request.sparse => {
            ("_TN", "<GMMA::SparseSel::Zero>".to_owned())
        }
        Element::S8 | Element::U8 => ("_TN", String::new()),
        _ => ("_TN", format!("<{scales}{selector}>")),
    };
    format!("{prefix}_64x{columns}x{depth}_{types}_{source}{suffix}{arguments}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> WgmmaRequest {
        WgmmaRequest {
            a: Element::F16,
            b: Element::F16,
            accumulator: Element::F32,
            tile: [128, 128, 64],
            major_a: Major::K,
            major_b: Major::Mn,
            a_in_registers: false,
            sparse: false,
            extended_shapes: false,
        }
    }

    #[test]
    fn every_refusal_has_its_number_or_its_major() {
        let rule = |request: WgmmaRequest| select_wgmma(&request).unwrap_err();
        assert_eq!(
            rule(WgmmaRequest {
                tile: [96, 128, 64],
                ..request()
            })
            .legal,
            ["64", "128"]
        );
        assert_eq!(
            rule(WgmmaRequest {
                tile: [64, 128, 24],
                ..request()
            })
            .legal,
            ["16", "32"]
        );
        let bytes = WgmmaRequest {
            a: Element::E4m3,
            b: Element::E4m3,
            ..request()
        };
        assert_eq!(rule(bytes).rule, Rule::MmaOperand);
        let mixed = WgmmaRequest {
            b: Element::Bf16,
            ..request()
        };
        assert_eq!(
            rule(mixed).cute.message(),
            Some("No eligible GMMA operator for request configuration.")
        );
    }

    #[test]
    fn sparse_operands_double_the_depth() {
        let atom = select_wgmma(&WgmmaRequest {
            sparse: true,
            ..request()
        })
        .unwrap();
        assert_eq!((atom.shape_mnk(), atom.a.sparsity), ([64, 128, 32], 2));
    }
}
