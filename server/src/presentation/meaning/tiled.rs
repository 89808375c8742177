//! The description of atoms, tiled copies and tiled MMAs: threads, values, tile, instruction.

use cute_algebra::Layout;
use cute_hardware::copy::TmaBox;
use cute_hardware::{
    Architecture, Argument, CopyAtom, MmaAtom, MmaOperand, Operand, OperandMemory, TemplateId,
    TiledCopy, TiledMma, ValueCopyAtom,
};

/// The bits that a copy instruction moves.
pub(super) fn of_copy_operation(atom: &CopyAtom) -> Vec<String> {
    let mut lines = Vec::new();
    let threads = atom.thread_id.size().ok().and_then(|size| size.value());
    let bits = number(&atom.reference, 1);
    if let (Some(threads), Some(bits)) = (threads, bits.filter(|bits| *bits > 1)) {
        lines.push(format!(
            "{} {bits} bits each",
            doing(threads, "copies", "copy")
        ));
    }
    lines.extend(issued(&atom.name, atom.mnemonic.as_deref()));
    if atom.architecture != Architecture::ANY {
        lines.push(format!("from {}", atom.architecture));
    }
    lines
}

/// `TMA: box 64 x 128 of 16 bits (dim 0 first), 128B swizzle, 1 instruction for the tile`.
fn of_tma_box(tma: &TmaBox) -> String {
    let extents: Vec<String> = tma.extents.iter().map(ToString::to_string).collect();
    let plural = if tma.instructions == 1 { "" } else { "s" };
    let shared = if tma.multicast > 1 {
        format!(", multicast to {} CTAs", tma.multicast)
    } else {
        String::new()
    };
    format!(
        "TMA: box {} of {} bits (dim 0 first), {}, {} instruction{plural} for the tile{shared}",
        extents.join(" x "),
        tma.element_bits,
        super::tma_swizzle(tma.swizzle),
        tma.instructions,
    )
}

/// `32 threads copy 4 values of 32 bits each`, and the instruction.
pub(super) fn of_copy_atom(atom: &ValueCopyAtom) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(atom.tma_box.as_deref().map(of_tma_box));
    let threads = number(&atom.source, 0).or_else(|| number(&atom.reference, 0));
    if let (Some(threads), Some(values)) = (threads, values_of_a_thread(atom)) {
        lines.push(format!(
            "{} {} of {} bits each",
            doing(threads, "copies", "copy"),
            several(values, "value"),
            atom.value_bits
        ));
    }
    lines.extend(issued(&atom.atom.name, atom.atom.mnemonic.as_deref()));
    lines
}

/// The values of an instruction that are one thread's. Values in tensor memory, or in shared memory that a whole warp
/// reads, count for each of its threads as a whole on that side; the registers are a thread's own.
fn values_of_a_thread(atom: &ValueCopyAtom) -> Option<i64> {
    let (source, destination) = (number(&atom.source, 1)?, number(&atom.destination, 1)?);
    Some(source.min(destination))
}

/// Threads, values and tile of a copy, and the instruction.
pub(super) fn of_tiled_copy(copy: &TiledCopy) -> Vec<String> {
    let mut lines = Vec::new();
    let layout = copy.thread_value_layout();
    if let (Some(threads), Some(values), Ok(tile)) =
        (number(layout, 0), number(layout, 1), copy.tile_shape())
    {
        let bytes = values * copy.atom().value_bits / 8;
        lines.push(format!(
            "{} {} ({bytes} bytes) each: a tile of {tile:#}",
            doing(threads, "copies", "copy"),
            several(values, "value")
        ));
    }
    let atom = copy.atom();
    lines.extend(atom.tma_box.as_deref().map(of_tma_box));
    if let Some(values) = values_of_a_thread(atom) {
        let bytes = values * atom.value_bits / 8;
        lines.push(format!("each instruction moves {bytes} bytes per thread"));
    }
    lines.extend(issued(&atom.atom.name, atom.atom.mnemonic.as_deref()));
    lines
}

/// `TMA box 64x128 of 16 bits, 128B swizzle`.
fn tma_in_short(tma: &TmaBox) -> String {
    let extents: Vec<String> = tma.extents.iter().map(ToString::to_string).collect();
    format!(
        "TMA box {} of {} bits, {}",
        extents.join("x"),
        tma.element_bits,
        super::tma_swizzle(tma.swizzle)
    )
}

/// The copy of CuTe that takes the widest access of an alignment in bits.
const ALIGNED: &str = "AutoVectorizingCopyWithAssumedAlignment";

/// The instruction of a copy and the width of a value, or the box of a TMA.
pub(super) fn copy_atom_in_short(atom: &ValueCopyAtom) -> String {
    if let Some(tma) = atom.tma_box.as_deref() {
        return tma_in_short(tma);
    }
    // The name of a copy whose width the compiler chooses is longer than a hint.
    let name = &atom.atom.name;
    let said = match TemplateId::parse(name) {
        Ok(id) if id.base() == ALIGNED => match id.args() {
            [Argument::Integer(bits)] => format!("vectorised, up to {bits} bits"),
            _ => name.clone(),
        },
        _ => name.clone(),
    };
    format!("{said}, {}b", atom.value_bits)
}

/// Tile, threads and values of each; of a TMA its box.
pub(super) fn tiled_copy_in_short(copy: &TiledCopy) -> Option<String> {
    if let Some(tma) = copy.atom().tma_box.as_deref() {
        return Some(tma_in_short(tma));
    }
    let layout = copy.thread_value_layout();
    let (threads, values) = (number(layout, 0)?, number(layout, 1)?);
    let tile = copy.tile_shape().ok()?;
    Some(format!(
        "tile {tile:#}, {} x {}",
        count(threads),
        several(values, "value")
    ))
}

/// Tile, threads and instruction.
pub(super) fn tiled_mma_in_short(mma: &TiledMma) -> Option<String> {
    let threads = mma.size().ok()?.value()?;
    let tile = mma.tile_shape().ok()?;
    let [m, n, k] = mma.atom().shape_mnk();
    let who = workers(mma.atom(), threads);
    Some(format!("tile {tile:#}, {who}, atom {m}x{n}x{k}"))
}

/// Shape, threads and operands of an instruction.
pub(super) fn of_mma_atom(atom: &MmaAtom) -> Vec<String> {
    let [m, n, k] = atom.shape_mnk();
    let threads = atom.thread_id.size().ok().and_then(|size| size.value());
    let by = threads.map_or_else(String::new, |threads| {
        format!(" by {}", workers(atom, threads))
    });
    let operand = |name: &str, operand: &MmaOperand| format!("{name} {}", held(operand));
    let operands = [
        operand("A", &atom.a),
        operand("B", &atom.b),
        operand("C", &atom.c),
    ];
    let mut lines = vec![
        format!("multiplies {m}x{n}x{k}{by}, from {}", atom.architecture),
        operands.join("; "),
    ];
    let mnemonic = atom
        .instruction
        .as_ref()
        .map(|found| found.mnemonic.as_str());
    lines.extend(issued(&atom.name, mnemonic));
    lines
}

/// Threads and tile of an MMA, and how many values a thread holds of each operand.
pub(super) fn of_tiled_mma(mma: &TiledMma) -> Vec<String> {
    let mut lines = Vec::new();
    let threads = mma.size().ok().and_then(|size| size.value());
    if let (Some(threads), Ok(tile)) = (threads, mma.tile_shape()) {
        let verb = if threads == 1 {
            "multiplies"
        } else {
            "multiply"
        };
        lines.push(format!(
            "{} {verb} a tile of {tile:#} (M,N,K)",
            workers(mma.atom(), threads)
        ));
    }
    let operands = [("A", Operand::A), ("B", Operand::B), ("C", Operand::C)];
    let values: Vec<String> = operands
        .into_iter()
        .filter_map(|(name, operand)| {
            let layout = mma.thread_value_layout(operand).ok()?;
            Some(format!("{} of {name}", number(&layout, 1)?))
        })
        .collect();
    if values.len() == operands.len() {
        let owner = if is_of_ctas(mma.atom()) {
            "CTA"
        } else {
            "thread"
        };
        lines.push(format!("values per {owner}: {}", values.join(", ")));
    }
    let [m, n, k] = mma.atom().shape_mnk();
    lines.push(format!("atom {} ({m}x{n}x{k})", mma.atom().name));
    lines
}

fn held(operand: &MmaOperand) -> String {
    let element = operand.element;
    match operand.place {
        OperandMemory::Registers => match number(&operand.layout, 1) {
            Some(values) => format!("{values} x {element} per thread"),
            None => format!("{element} in registers"),
        },
        OperandMemory::Shared(major) => {
            format!("{element} in shared memory, {}-major", major.name())
        }
        OperandMemory::TensorMemory(_) => format!("{element} in tensor memory"),
    }
}

/// The size of a mode of a thread-value layout, where it is known.
fn number(layout: &Layout, mode: usize) -> Option<i64> {
    layout.mode(mode).ok()?.size().ok()?.value()
}

fn count(threads: i64) -> String {
    several(threads, "thread")
}

/// `1 value`, `8 values`.
fn several(number: i64, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// Whether the "threads" of an instruction are CTAs: one thread of each issues it, and its sums are in tensor memory.
fn is_of_ctas(atom: &MmaAtom) -> bool {
    atom.accumulates_in_tensor_memory()
}

/// `128 threads`, `2 CTAs`.
fn workers(atom: &MmaAtom, number: i64) -> String {
    several(number, if is_of_ctas(atom) { "CTA" } else { "thread" })
}

fn doing(threads: i64, one: &str, several: &str) -> String {
    format!(
        "{} {}",
        count(threads),
        if threads == 1 { one } else { several }
    )
}

fn issued(name: &str, mnemonic: Option<&str>) -> Option<String> {
    mnemonic.map(|mnemonic| format!("{name}: {mnemonic}"))
}

#[cfg(test)]
mod tests {
    use cute_hardware::CopyAtom;

    use super::*;

    #[test]
    fn a_tiled_copy_says_threads_values_and_tile() {
        let atom = CopyAtom::named("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>").unwrap();
        let copy = TiledCopy::of_layouts(
            atom.with_value_bits(16).unwrap(),
            &"(_16,_8):(_8,_1)".parse().unwrap(),
            &"(_1,_8):(_0,_1)".parse().unwrap(),
        )
        .unwrap();
        assert_eq!(
            of_tiled_copy(&copy),
            [
                "128 threads copy 8 values (16 bytes) each: a tile of (16,64)",
                "each instruction moves 16 bytes per thread",
                "SM80_CP_ASYNC_CACHEALWAYS<uint128_t>: cp.async.ca.shared.global.L2::128B",
            ]
        );
    }

    #[test]
    fn in_short_it_is_tile_threads_and_values() {
        let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap();
        let mma = TiledMma::new(atom, Some("(_2,_2):(_1,_2)".parse().unwrap()), vec![]).unwrap();
        assert_eq!(
            tiled_mma_in_short(&mma).as_deref(),
            Some("tile (32,16,16), 128 threads, atom 16x8x16")
        );
        let atom = CopyAtom::named("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>").unwrap();
        let atom = atom.with_value_bits(16).unwrap();
        assert_eq!(
            copy_atom_in_short(&atom),
            "SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, 16b"
        );
        let copy = TiledCopy::of_layouts(
            atom,
            &"(_16,_8):(_8,_1)".parse().unwrap(),
            &"(_1,_8):(_0,_1)".parse().unwrap(),
        )
        .unwrap();
        assert_eq!(
            tiled_copy_in_short(&copy).as_deref(),
            Some("tile (16,64), 128 threads x 8 values")
        );
    }

    #[test]
    fn a_copy_whose_width_the_compiler_chooses_says_the_widest() {
        let atom = CopyAtom::named("AutoVectorizingCopyWithAssumedAlignment<128>").unwrap();
        assert_eq!(
            copy_atom_in_short(&atom.with_value_bits(16).unwrap()),
            "vectorised, up to 128 bits, 16b"
        );
    }

    #[test]
    fn an_mma_of_tensor_memory_is_of_ctas() {
        let name = "SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 256, UMMA::Major::K, UMMA::Major::K>";
        let mma = TiledMma::new(MmaAtom::named(name).unwrap(), None, vec![]).unwrap();
        assert_eq!(
            tiled_mma_in_short(&mma).as_deref(),
            Some("tile (256,256,16), 2 CTAs, atom 256x256x16")
        );
        let lines = of_tiled_mma(&mma);
        assert_eq!(
            lines.first().map(String::as_str),
            Some("2 CTAs multiply a tile of (256,256,16) (M,N,K)")
        );
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("values per CTA: "))
        );
    }

    #[test]
    fn a_load_of_tensor_memory_moves_the_registers_of_a_thread() {
        let atom = CopyAtom::named("SM100_TMEM_LOAD_32dp32b1x").unwrap();
        let lines = of_copy_atom(&atom.with_value_bits(32).unwrap());
        assert_eq!(
            lines.first().map(String::as_str),
            Some("32 threads copy 1 value of 32 bits each")
        );
    }

    #[test]
    fn an_mma_says_what_each_thread_holds() {
        let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap();
        assert_eq!(
            of_mma_atom(&atom)[..2],
            [
                "multiplies 16x8x16 by 32 threads, from sm_80",
                "A 8 x half_t per thread; B 4 x half_t per thread; C 4 x float per thread",
            ]
        );
        let mma = TiledMma::new(atom, Some("(_2,_2):(_1,_2)".parse().unwrap()), vec![]).unwrap();
        assert_eq!(
            of_tiled_mma(&mma),
            [
                "128 threads multiply a tile of (32,16,16) (M,N,K)",
                "values per thread: 8 of A, 4 of B, 4 of C",
                "atom SM80_16x8x16_F32F16F16F32_TN (16x8x16)",
            ]
        );
    }
}
