//! `wgmma.mma_async` of `sm_90a`: 128 threads, B (and A) read from shared memory by matrix descriptors.

use super::operation::Operation;
use super::{Argument, Instruction, Major, MmaAtom, MmaOperand, OperandMemory, too_few, unknown};
use crate::architecture::Architecture;
use crate::element::Element;
use crate::name::TemplateId;
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{Mode, consecutive_threads, elements_per_register, thread_value};
use cute_algebra::Layout;

/// Threads of a warp group.
const THREADS: i64 = 128;

/// The atom, or `None` when the operation is not one of a warp group.
pub(super) fn atom(operation: &Operation<'_>, id: &TemplateId) -> Result<Option<MmaAtom>, Refusal> {
    let (90, &[d, a, b]) = (operation.generation, &operation.types[..]) else {
        return Ok(None);
    };
    let in_registers = match operation.flags.first() {
        Some(&"SS") => false,
        Some(&"RS") => true,
        _ => return Err(unknown(&id.to_string())),
    };
    let sparsity = if operation.sparse { 2 } else { 1 };
    let [_, n, k] = operation.shape;
    refuse_unless_typed(operation, [d, a, b], id)?;
    refuse_unless_shaped(operation, a)?;
    let (major_a, major_b) = majors(operation, a, id)?;
    let shared = |element, rows, major, sparsity| -> Result<MmaOperand, Refusal> {
        Ok(MmaOperand {
            element,
            value: element,
            sparsity,
            place: OperandMemory::Shared(major),
            layout: descriptor_operand(rows, k)?,
        })
    };
    let a_operand = if in_registers {
        MmaOperand {
            element: a,
            value: a,
            sparsity,
            place: OperandMemory::Registers,
            layout: register_operand(k, a.bits(), sparsity)?,
        }
    } else {
        shared(a, 64, major_a, sparsity)?
    };
    let types = [d, a, b].map(Element::ptx).join(".");
    let sparse = if operation.sparse { ".sp" } else { "" };
    let saturate = if operation.has("SATURATE") {
        ".satfinite"
    } else {
        ""
    };
    Ok(Some(MmaAtom {
        name: String::new(),
        architecture: Architecture::specific(90),
        instruction: Some(Instruction::once(format!(
            "wgmma.mma_async{sparse}.sync.aligned.m64n{n}k{k}.{types}{saturate}"
        ))),
        shape: operation.shape,
        thread_id: consecutive_threads(THREADS),
        a: a_operand,
        b: shared(b, n, major_b, 1)?,
        c: MmaOperand {
            element: d,
            value: d,
            sparsity: 1,
            place: OperandMemory::Registers,
            layout: accumulator(n)?,
        },
        metadata: if operation.sparse {
            Some(metadata(a.bits())?)
        } else {
            None
        },
        scale_a: None,
        scale_b: None,
        tcgen05: None,
        declared_a_stride: None,
        not_issuable: (in_registers && major_a == Major::Mn).then(|| {
            Refusal::asserted(
                Rule::MmaOperand,
                "Register source operand A must have K major layout.",
            )
            .legal("GMMA::Major::K")
        }),
    }))
}

/// The types of D, A and B that exist together, and the flags that go with them.
fn refuse_unless_typed(
    operation: &Operation<'_>,
    [d, a, b]: [Element; 3],
    id: &TemplateId,
) -> Result<(), Refusal> {
    use Element::{Bf16, E4m3, E5m2, F16, F32, S8, S32, Tf32, U8};
    let flags = &operation.flags[1..];
    let exists = match (d, a, b) {
        (F16 | F32, F16, F16) | (F32, Bf16, Bf16) => flags.is_empty(),
        (F32, Tf32, Tf32) | (F16 | F32, E4m3 | E5m2, E4m3 | E5m2) => flags == ["TN"],
        (S32, S8 | U8, S8 | U8) => flags == ["TN"] || flags == ["TN", "SATURATE"],
        _ => false,
    };
    if exists {
        Ok(())
    } else {
        Err(unknown(&id.to_string()))
    }
}

/// M is 64, N a multiple of 8 up to 256 (for integers 8, 24 or a multiple of 16), K is 256 bits.
fn refuse_unless_shaped(operation: &Operation<'_>, a: Element) -> Result<(), Refusal> {
    let [m, n, k] = operation.shape;
    let depth = 256 / a.bits() * if operation.sparse { 2 } else { 1 };
    if m != 64 || k != depth {
        return Err(Refusal::uncompilable(Rule::MmaShape, "no such operation")
            .with("m", m)
            .with("k", k)
            .legal(format!("64x{n}x{depth}")));
    }
    let legal = legal_columns(matches!(a, Element::S8 | Element::U8));
    if legal.contains(&n) {
        return Ok(());
    }
    let refusal = Refusal::uncompilable(Rule::MmaShape, "no such operation").with("n", n);
    let below = legal.iter().rev().find(|&&legal| legal < n);
    let above = legal.iter().find(|&&legal| legal > n);
    Err(below
        .into_iter()
        .chain(above)
        .fold(refusal, |refusal, n| refusal.legal(n.to_string())))
}

/// The values of N that `wgmma` has.
pub(crate) fn legal_columns(integer: bool) -> Vec<i64> {
    (8..=256)
        .step_by(8)
        .filter(|n| !integer || n % 16 == 0 || *n == 8 || *n == 24)
        .collect()
}

/// The majors of A and B: template arguments for 16-bit operands, K otherwise.
fn majors(
    operation: &Operation<'_>,
    a: Element,
    id: &TemplateId,
) -> Result<(Major, Major), Refusal> {
    if operation.has("TN") || a.bits() != 16 {
        return Ok((Major::K, Major::K));
    }
    let major = |arg: Option<&Argument>| {
        let (ty, name) = arg
            .ok_or_else(|| too_few(id, 2))?
            .enumerator()
            .unwrap_or_default();
        Major::named(name).filter(|_| ty == "Major").ok_or_else(|| {
            Refusal::uncompilable(Rule::AtomParameters, "not a major")
                .with("argument", name)
                .legal("GMMA::Major::K")
                .legal("GMMA::Major::MN")
        })
    };
    Ok((major(id.args().first())?, major(id.args().get(1))?))
}

/// An operand that the instruction reads by descriptor: every thread names the whole of it.
fn descriptor_operand(rows: i64, k: i64) -> Result<Layout, Refusal> {
    thread_value(
        &Mode::Leaf(THREADS, 0),
        &Mode::group(&[(rows, 1), (k, rows)]),
    )
}

/// A in registers: four warps of sixteen rows, each as `mma.sync` has it.
fn register_operand(k: i64, bits: i64, sparsity: i64) -> Result<Layout, Refusal> {
    let packed = elements_per_register(bits) * sparsity;
    let threads = Mode::group(&[(4, packed * 64), (8, 1), (4, 16)]);
    thread_value(
        &threads,
        &Mode::squeezed(&[(packed, 64), (2, 8), (k / (4 * packed), 4 * packed * 64)]),
    )
}

/// The accumulator (PTX, "Register Fragments for wgmma"): row `16 * warp + lane / 4`, column `2 * (lane % 4)`.
fn accumulator(n: i64) -> Result<Layout, Refusal> {
    let threads = Mode::group(&[(4, 128), (8, 1), (4, 16)]);
    thread_value(&threads, &Mode::group(&[(2, 64), (2, 8), (n / 8, 512)]))
}

/// The sparsity metadata of A for elements of this width: CuTe's `ELayout_64x{16,32,64}`.
fn metadata(bits: i64) -> Result<Layout, Refusal> {
    let (threads, values) = match bits {
        8 => (
            Mode::group(&[(2, 8), (2, 2048), (8, 1), (4, 16)]),
            Mode::group(&[(32, 64)]),
        ),
        16 => (
            Mode::group(&[(2, 1024), (2, 0), (8, 1), (4, 16)]),
            Mode::group(&[(16, 64), (2, 8)]),
        ),
        _ => (
            Mode::group(&[(2, 512), (2, 0), (8, 1), (4, 16)]),
            Mode::group(&[(8, 64), (2, 8)]),
        ),
    };
    thread_value(&threads, &values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_columns_are_multiples_of_sixteen_and_two_more() {
        let columns = legal_columns(true);
        assert_eq!(columns[..5], [8, 16, 24, 32, 48]);
        assert_eq!(columns.len(), 18);
        assert_eq!(legal_columns(false).len(), 32);
    }

    #[test]
    fn the_accumulator_is_where_ptx_says() {
        let layout = accumulator(64).unwrap();
        // Thread 37 is lane 5 of warp 1: row 16 + 1, columns 2 and 3; value 2 is eight rows below.
        assert_eq!(layout.eval_number(37).unwrap(), 17 + 64 * 2);
        assert_eq!(layout.eval_number(37 + 128).unwrap(), 17 + 64 * 3);
        assert_eq!(layout.eval_number(37 + 128 * 2).unwrap(), 25 + 64 * 2);
    }

    #[test]
    fn a_register_operand_must_be_k_major() {
        let atom =
            MmaAtom::named("SM90_64x8x16_F32F16F16_RS<GMMA::Major::MN, GMMA::Major::K>").unwrap();
        assert_eq!(atom.not_issuable.unwrap().rule, Rule::MmaOperand);
    }
}
