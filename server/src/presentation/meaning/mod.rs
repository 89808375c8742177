//! The consequences of a value that a kernel writer would work out by hand.

mod access;
mod places;
mod tiled;
mod triton;

use cute_algebra::coverage::{Coverage, Covers};
use cute_algebra::ops::swizzled::{downcast_swizzle, upcast_swizzle};
use cute_algebra::properties::is_compact;
use cute_algebra::{AnyLayout, ComposedLayout, Int, Layout, LayoutView, Refusal, Swizzle};
use cute_analysis::{ForeignSwizzle, Space, Tensor, Value};
use cute_hardware::tma::TensorMapSwizzle;
use cute_hardware::{CopyAtom, MmaAtom, SharedLayout};

pub use triton::no_integer_strides;

/// Sentences about a value, the most useful first; none where there is nothing to add.
pub fn of(value: &Value) -> Vec<String> {
    match value {
        Value::Layout(layout) => of_affine(layout),
        Value::Composed(composed) => of_composed(composed),
        Value::Tensor(tensor) => of_tensor(tensor),
        Value::Swizzle(swizzle) => vec![of_swizzle(*swizzle)],
        Value::ForeignSwizzle(foreign) => of_foreign(foreign),
        Value::Shared(shared) => of_shared(shared),
        Value::Triton(layout) => triton::of(layout),
        Value::Tuple(_) => of_tuple(value).into_iter().collect(),
        Value::CopyAtom(atom) => tiled::of_copy_atom(atom),
        Value::TiledCopy(copy) => tiled::of_tiled_copy(copy),
        Value::ThrCopy(thread) => tiled::of_tiled_copy(&thread.copy),
        Value::MmaAtom(atom) => tiled::of_mma_atom(atom),
        Value::TiledMma(mma) => tiled::of_tiled_mma(mma),
        Value::ThrMma(thread) => tiled::of_tiled_mma(&thread.mma),
        Value::Collective(collective) => super::collective::of(collective),
        _ => Vec::new(),
    }
}

/// The first sentence about a value that is not one about another value.
pub fn differing(value: &Value, other: &Value) -> Option<String> {
    let known = of(other);
    of(value).into_iter().find(|line| !known.contains(line))
}

/// An atom, a tiled copy or a tiled MMA in a few words, for a hint; nothing for a value with its own print.
pub fn in_short(value: &Value) -> Option<String> {
    match value {
        Value::CopyAtom(atom) => Some(tiled::copy_atom_in_short(atom)),
        Value::TiledCopy(copy) => tiled::tiled_copy_in_short(copy),
        Value::MmaAtom(atom) => Some(atom.name.clone()),
        Value::TiledMma(mma) => tiled::tiled_mma_in_short(mma),
        _ => None,
    }
}

/// Whether a copy is one by TMA, whose box is known.
pub fn is_tma(value: &Value) -> bool {
    match value {
        Value::CopyAtom(atom) => atom.tma_box.is_some(),
        Value::TiledCopy(copy) => copy.atom().tma_box.is_some(),
        _ => false,
    }
}

/// `size 1024, cosize 1024, rank 2`.
fn measures(size: Result<Int, Refusal>, cosize: Option<Int>, rank: usize) -> String {
    let mut parts = Vec::new();
    if let Ok(size) = size {
        parts.push(measure("size", &size));
    }
    if let Some(cosize) = cosize {
        parts.push(measure("cosize", &cosize));
    }
    parts.push(format!("rank {rank}"));
    parts.join(", ")
}

/// The most characters of a run-time measure: a longer formula says less than that it depends on run-time sizes.
const MEASURE: usize = 32;

/// The most characters of the names that a run-time measure depends on.
const SYMBOLS: usize = 48;

/// `cosize 1024`, `cosize 8*M`, or the symbols that it depends on.
fn measure(name: &str, number: &Int) -> String {
    let text = format!("{number:#}");
    if text.chars().count() <= MEASURE {
        format!("{name} {text}")
    } else {
        let symbols = number.to_expression().symbols();
        let names = symbols.join(", ");
        if names.chars().count() <= SYMBOLS {
            format!("{name} depends on {names}")
        } else {
            format!("{name} depends on {} run-time sizes", symbols.len())
        }
    }
}

fn of_affine(layout: &Layout) -> Vec<String> {
    let mut lines = vec![measures(layout.size(), layout.cosize().ok(), layout.rank())];
    let parts: Vec<String> = [contiguous_mode(layout), covered(layout)]
        .into_iter()
        .flatten()
        .collect();
    if !parts.is_empty() {
        lines.push(parts.join("; "));
    }
    lines
}

fn of_composed(composed: &ComposedLayout) -> Vec<String> {
    let mut lines = vec![measures(composed.size(), None, composed.inner.rank())];
    if let Some(swizzle) = composed.swizzle() {
        lines.push(of_swizzle(swizzle));
    }
    lines
}

/// Layouts that free a tile of shared memory of bank conflicts; nothing where it has none, or where an address is
/// unknown.
pub fn remedies(value: &Value) -> Vec<String> {
    let Value::Tensor(tensor) = value else {
        return Vec::new();
    };
    let bits = tensor.engine.bits().map(i64::from);
    match (tensor.engine.space, bits) {
        (Space::Shared, Some(bits)) => {
            access::remedies(&tensor.layout, bits, tensor.engine.swizzle).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// The description of an instruction, by its name; nothing for another name.
pub fn of_operation(name: &str) -> Vec<String> {
    if let Ok(atom) = MmaAtom::named(name) {
        return tiled::of_mma_atom(&atom);
    }
    CopyAtom::named(name).map_or_else(|_| Vec::new(), |atom| tiled::of_copy_operation(&atom))
}

/// The costs of a tensor's memory, then the layout's own measures.
fn of_tensor(tensor: &Tensor) -> Vec<String> {
    let measures = || match &tensor.layout {
        AnyLayout::Affine(layout) => of_affine(layout),
        AnyLayout::Composed(composed) => of_composed(composed),
    };
    let bits = tensor.engine.bits().map(i64::from);
    match tensor.engine.space {
        Space::Coordinates => places::of_coordinates(tensor.layout.domain()),
        Space::TensorMemory => places::of_tensor_memory(tensor.layout.domain(), bits),
        Space::WgmmaDescriptors | Space::UmmaDescriptors => {
            places::of_descriptors(tensor.layout.domain())
        }
        Space::Shared | Space::Registers | Space::Global | Space::Generic | Space::Array(_) => {
            let mut lines = bits.map_or_else(Vec::new, |bits| of_memory(tensor, bits));
            lines.extend(measures());
            lines
        }
    }
}

fn of_memory(tensor: &Tensor, bits: i64) -> Vec<String> {
    let widest = access::widest(&tensor.layout, bits);
    match tensor.engine.space {
        Space::Shared => {
            let swizzle = tensor.engine.swizzle;
            vec![
                Some(occupied(&tensor.layout, bits, "shared memory")),
                access::bank_conflicts(&tensor.layout, bits, swizzle),
            ]
            .into_iter()
            .flatten()
            .collect()
        }
        Space::Registers => vec![of_registers(&tensor.layout, bits)],
        Space::Global => with_width(occupied(&tensor.layout, bits, "global memory"), widest),
        _ => with_width(occupied(&tensor.layout, bits, "memory"), widest),
    }
}

fn with_width(line: String, widest: Option<String>) -> Vec<String> {
    match widest {
        Some(widest) => vec![format!("{line}; {widest}")],
        None => vec![line],
    }
}

/// `elements of 16 bits in shared memory, 2048 bytes`.
fn occupied(layout: &AnyLayout, bits: i64, place: &str) -> String {
    let bytes = reach(layout)
        .and_then(|elements| elements.checked_mul(bits))
        .map(|all| format!(", {} bytes", all.div_euclid(8)));
    format!(
        "{bits}-bit elements in {place}{}",
        bytes.unwrap_or_default()
    )
}

/// Number of elements that a buffer needs for a layout. A swizzle moves offsets inside of blocks: a layout that fills
/// whole blocks fills the same ones with it.
fn reach(layout: &AnyLayout) -> Option<i64> {
    let composed = match layout {
        AnyLayout::Affine(layout) => return layout.cosize().ok()?.value(),
        AnyLayout::Composed(composed) => composed,
    };
    let swizzle = composed.swizzle()?;
    let is_at_start = composed.offset.as_leaf().and_then(Int::value) == Some(0);
    let bits = swizzle.bits() + swizzle.base() + swizzle.shift().abs();
    let block = 1_i64.checked_shl(u32::try_from(bits).ok()?)?;
    let elements = composed.inner.cosize().ok()?.value()?;
    let fills =
        elements.checked_rem(block)? == 0 && is_compact(&composed.inner).holds == Some(true);
    (is_at_start && fills).then_some(elements)
}

/// `64 values of 32 bits per thread: 64 registers`.
fn of_registers(layout: &AnyLayout, bits: i64) -> String {
    let values = layout.size().ok().and_then(|size| size.value());
    let registers = values.and_then(|values| values.checked_mul(bits));
    match (values, registers) {
        (Some(values), Some(all)) => {
            let registers = all.div_euclid(32) + i64::from(all % 32 != 0);
            let plural = if registers == 1 { "" } else { "s" };
            format!("{values} {bits}-bit values per thread: {registers} register{plural}")
        }
        _ => format!("{bits}-bit values in registers"),
    }
}

/// `mode 1 is contiguous (64 elements)`; `mode 0.1` where only a part of mode 0 is. Nothing where several are.
fn contiguous_mode(layout: &Layout) -> Option<String> {
    let mut found = Vec::new();
    for (index, mode) in layout.view().modes().enumerate() {
        contiguous_parts(mode, &index.to_string(), &mut found);
    }
    match found.as_slice() {
        [(name, elements)] => Some(format!("mode {name} is contiguous ({elements} elements)")),
        _ => None,
    }
}

/// The outermost parts of a mode that run through offsets one by one, with their sizes. Layouts are at most 256 levels
/// deep.
fn contiguous_parts(mode: LayoutView<'_>, name: &str, found: &mut Vec<(String, String)>) {
    if let Some(elements) = run(mode) {
        if !elements.is_constant(1) {
            found.push((name.to_owned(), format!("{elements:#}")));
        }
        return;
    }
    if mode.as_leaf().is_none() {
        for (index, part) in mode.modes().enumerate() {
            contiguous_parts(part, &format!("{name}.{index}"), found);
        }
    }
}

/// Number of elements of a part that steps by 1 from its first coordinate to its last; nothing where it does not, or is
/// not known to.
fn run(mode: LayoutView<'_>) -> Option<Int> {
    let mut elements = Int::fixed(1);
    for (extent, step) in mode.extents().iter().zip(mode.steps()) {
        if extent.is_constant(1) {
            continue;
        }
        let step = step.as_int()?;
        if step.value() != elements.value() || step.value().is_none() {
            return None;
        }
        elements = elements.mul(extent).ok()?;
    }
    Some(elements)
}

/// The coverage of the offsets between the smallest and the largest.
fn covered(layout: &Layout) -> Option<String> {
    let (least, most) = range(layout)?;
    if least < 0 {
        return Some(format!("offsets run from {least} to {most}"));
    }
    let shared = repeats(layout)?;
    if shared > 1 {
        return Some(format!("stride 0: {shared} coordinates share each offset"));
    }
    let end = most.checked_add(1)?;
    let coverage = Coverage::of(layout, end).ok()?;
    match coverage.covers() {
        Covers::Exact if coverage.size == 1 => None,
        Covers::Exact => Some(format!("compact: offsets 0 to {most}, each once")),
        Covers::Repeats => Some("some coordinates share an offset".to_owned()),
        Covers::LeavesHoles => {
            let hole = coverage.first_hole?;
            Some(format!(
                "not compact: offset {hole} (of 0 to {most}) is never used"
            ))
        }
        Covers::OverCovers | Covers::LeavesHolesAndOverCovers => None,
    }
}

/// The smallest and the largest offset; none where a number is not known.
fn range(layout: &Layout) -> Option<(i64, i64)> {
    let view = layout.view();
    let mut modes = view.extents().iter().zip(view.steps());
    modes.try_fold((0_i64, 0_i64), |(low, high), (extent, step)| {
        let steps = extent.value()?.checked_sub(1)?;
        let reach = steps.checked_mul(step.as_int()?.value()?)?;
        Some((
            low.checked_add(reach.min(0))?,
            high.checked_add(reach.max(0))?,
        ))
    })
}

/// Number of coordinates that the modes of stride 0 send to each offset.
fn repeats(layout: &Layout) -> Option<i64> {
    let view = layout.view();
    let modes = view.extents().iter().zip(view.steps());
    modes
        .filter(|(_, step)| step.as_int().and_then(Int::value) == Some(0))
        .try_fold(1_i64, |product, (extent, _)| {
            product.checked_mul(extent.value()?)
        })
}

/// CuTe's convention in words: which bits are changed by which, and the elements that move.
fn of_swizzle(swizzle: Swizzle) -> String {
    if swizzle.is_identity() {
        return "a swizzle of 0 bits changes nothing".to_owned();
    }
    let (bits, base, shift) = (swizzle.bits(), swizzle.base(), swizzle.shift());
    let (to, from) = (base - shift.min(0), base + shift.max(0));
    let highest = to.max(from) + bits;
    let plural = if bits == 1 { "" } else { "s" };
    let power = |exponent: i64| {
        u32::try_from(exponent)
            .ok()
            .and_then(|e| 1_i64.checked_shl(e))
    };
    let moved = match (power(base), power(highest)) {
        (Some(chunk), Some(period)) => {
            format!(": permutes chunks of {chunk}, the pattern repeats every {period} offsets")
        }
        _ => String::new(),
    };
    let range = |first: i64| match bits {
        1 => first.to_string(),
        _ => format!("{first}-{}", first + bits - 1),
    };
    format!(
        "bit{plural} {} ^= bit{plural} {}{moved}",
        range(to),
        range(from)
    )
}

/// A swizzle in the convention of another library: its form in CuTe's, on elements and on bytes.
fn of_foreign(foreign: &ForeignSwizzle) -> Vec<String> {
    let [bits, base, shift] = foreign.written;
    let (library, meant) = (foreign.convention.library(), foreign.convention.meaning());
    let swizzle = foreign.swizzle;
    let mut lines = vec![format!(
        "<{bits},{base},{shift}> of {library}: {meant}; {swizzle} in CuTe's convention"
    )];
    let wide = |by: i64| {
        let other = if foreign.convention.is_in_bytes() {
            upcast_swizzle(&swizzle, by)
        } else {
            downcast_swizzle(&swizzle, by)
        };
        other.ok()
    };
    if let (Some(halves), Some(words)) = (wide(2), wide(4)) {
        lines.push(if foreign.convention.is_in_bytes() {
            format!("on 16-bit elements {halves}, on 32-bit elements {words}")
        } else {
            format!("on bytes {halves} for 16-bit elements, {words} for 32-bit elements")
        });
    }
    if foreign.convention.is_in_bytes() {
        lines.push(tma_mode(swizzle));
    }
    lines
}

/// A layout of shared memory: its bytes and bank conflicts, its swizzle on elements and as a mode of
/// TMA.
fn of_shared(shared: &SharedLayout) -> Vec<String> {
    let layout = &shared.layout;
    let bits = shared.element_bits;
    let swizzle = (!shared.swizzle.is_identity()).then_some(shared.swizzle);
    let whole = AnyLayout::Affine(layout.clone());
    let mut lines = vec![occupied(&whole, bits, "shared memory")];
    lines.extend(access::bank_conflicts(&whole, bits, swizzle));
    lines.push(measures(layout.size(), layout.cosize().ok(), layout.rank()));
    if shared.swizzle.is_identity() {
        return lines;
    }
    let elements = shared.element_swizzle().map_or_else(
        |_| String::new(),
        |elements| format!(", {elements} on {}-bit elements", shared.element_bits),
    );
    lines.push(format!("{} on bytes{elements}", shared.swizzle));
    lines.push(tma_mode(shared.swizzle));
    lines
}

/// `128B swizzle of TMA`.
fn tma_mode(bytes: Swizzle) -> String {
    match TensorMapSwizzle::of_swizzle(bytes) {
        Ok(mode) => format!("{} of TMA", tma_swizzle(mode)),
        Err(_) => "TMA cannot encode this swizzle".to_owned(),
    }
}

/// `128B swizzle`, `no swizzle`.
fn tma_swizzle(mode: TensorMapSwizzle) -> String {
    match mode.span_bytes() {
        Some(span) => format!("{span}B swizzle"),
        None => "no swizzle".to_owned(),
    }
}

/// The product of a tuple of integers.
fn of_tuple(value: &Value) -> Option<String> {
    let shape = value.to_shape()?;
    let size = shape.size().ok()?;
    Some(format!("rank {}, product {size:#}", shape.rank()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(layout: &str) -> Vec<String> {
        of(&Value::from(
            layout.parse::<cute_algebra::Layout>().unwrap(),
        ))
    }

    #[test]
    fn a_packed_layout() {
        assert_eq!(
            lines("(_128,_8):(_1,_128)"),
            [
                "size 1024, cosize 1024, rank 2",
                "mode 0 is contiguous (128 elements); compact: offsets 0 to 1023, each once",
            ]
        );
    }

    #[test]
    fn a_padded_layout_and_a_reversed_one() {
        assert_eq!(
            lines("(_64,_8):(_1,_65)")[1],
            "mode 0 is contiguous (64 elements); not compact: offset 64 (of 0 to 518) is never used"
        );
        assert_eq!(lines("_4:_-1")[1], "offsets run from -3 to 0");
    }

    #[test]
    fn only_what_steps_by_1_is_called_contiguous() {
        let said = |layout: &str| contiguous_mode(&layout.parse().unwrap());
        let is = |text: &str| Some(format!("mode {text} elements)"));
        // zipped_divide((4,8):(8,1), (2,4)): mode 0 runs 0, 8, 1, 9.
        assert_eq!(
            said("((_2,_4),(_2,_2)):((_8,_1),(_16,_4))"),
            is("0.1 is contiguous (4")
        );
        assert_eq!(
            said("(_2,(_2,_8)):(_8,(_16,_1))"),
            is("1.1 is contiguous (8")
        );
        assert_eq!(said("((_4,_2),_8):((_1,_4),_8)"), is("0 is contiguous (8"));
        assert_eq!(
            said("((_4,_2),_8):((_1,_32),_4)"),
            is("0.0 is contiguous (4")
        );
        assert_eq!(said("((_1,_8),_4):((_0,_1),_8)"), is("0 is contiguous (8"));
        assert_eq!(said("(_4,_8):(_2,_8)"), None);
        assert_eq!(said("(_4,_8):(_1,_1)"), None);
    }

    #[test]
    fn a_swizzle_names_bits_and_chunks() {
        assert_eq!(
            of(&Value::Swizzle(Swizzle::new(3, 3, 3).unwrap())),
            ["bits 3-5 ^= bits 6-8: permutes chunks of 8, the pattern repeats every 512 offsets"]
        );
    }
}
