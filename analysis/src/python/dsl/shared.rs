//! Layouts of shared memory that the DSL's helpers choose, and the effect of a tile on the choice.

use cute_algebra::Layout;

use super::super::heap::Function;
use super::super::machine::Machine;
use super::super::refusal::Refusal;
use super::super::value::Py;
use crate::finding::{Number, Severity};
use crate::types::Scalar;
use crate::value::Value;

/// Bytes of a row of the narrowest swizzle, `S<0,4,3>`; each bit more doubles it.
const NARROWEST: i64 = 16;
/// Bits of the widest swizzle.
const WIDEST: i64 = 3;

/// The module whose helpers choose the layout of an operand by the width of its tile, and give it a mode for each of the tile.
const MODULE: &str = "cutlass.utils.hopper_helpers";

/// Tells of a layout with a narrow swizzle that a helper chose because no wider one divides the tile.
pub(crate) fn judge_chosen(
    machine: &mut Machine<'_>,
    function: &Function,
    element: Option<Scalar>,
    made: &Py,
    span: tree_sitter_cute::tree::Span,
) {
    let module = machine.files.get(function.file).map(|file| &*file.module);
    let is_helper =
        module == Some(MODULE) && function.code.name.text.starts_with("make_smem_layout_");
    let (true, Some(element), Py::Leaf(Value::Composed(layout))) = (is_helper, element, made)
    else {
        return;
    };
    let Some(swizzle) = layout.swizzle().filter(|swizzle| swizzle.bits() < WIDEST) else {
        return;
    };
    let width = NARROWEST << swizzle.bits();
    let bits = i64::from(super::numbers::dsl_bits(&element));
    let Some(row) = contiguous_mode(&layout.inner).map(|extent| extent * bits / 8) else {
        return;
    };
    if row <= width {
        return;
    }
    let message = format!(
        "rows of {row} bytes are swizzled by {width}: no wider swizzle divides them\n\
         a tile whose rows are a multiple of {} bytes gets one of 128\nthe DSL compiles this",
        NARROWEST << WIDEST
    );
    let refusal = Refusal {
        severity: Severity::Information,
        ..Refusal::error("narrow-swizzle", message)
    };
    let refusal = refusal
        .with("row", Number::Integer(row))
        .with("swizzle", Number::Integer(width));
    machine.report(refusal, span);
}

/// The elements of the mode whose neighbours are next to each other.
fn contiguous_mode(layout: &Layout) -> Option<i64> {
    (0..layout.rank()).find_map(|at| {
        let mode = layout.mode(at).ok()?;
        let is_contiguous = mode.view().steps().iter().any(|step| step.is_constant(1));
        let size = mode.size().ok()?.as_static()?;
        (is_contiguous && size > 1).then_some(size)
    })
}
