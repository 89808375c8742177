//! `mma.sync` and its relatives: SM61 dot products, SM70 quad pairs, SM75 to SM90 warps, SM120 with scales and sparsity.

use super::operation::Operation;
use super::{
    Instruction, MmaAtom, MmaOperand, ScaleFactors, element_arguments, in_registers, too_few,
    unknown,
};
use crate::architecture::Architecture;
use crate::element::Element;
use crate::name::TemplateId;
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{
    Mode, consecutive_threads, elements_per_register, thread_id, thread_value, warp_fragment,
};
use cute_algebra::{Layout, Verdict};

/// The atoms whose name has no `MxNxK_types`.
pub(super) fn special(id: &TemplateId) -> Result<MmaAtom, Refusal> {
    let scalar = |k| {
        (
            Mode::Leaf(1, 0),
            if k == 1 {
                Mode::Leaf(1, 0)
            } else {
                Mode::Leaf(k, 1)
            },
        )
    };
    let (shape, element, accumulator, mnemonic) = match id.base() {
        "SM61_DP4A" => ([1, 1, 4], Element::S8, Element::S32, "dp4a.s32.s32"),
        "SM61_DP2A" => ([1, 1, 2], Element::S16, Element::S32, "dp2a.s32.s32"),
        _ => return Err(unknown(&id.to_string())),
    };
    let mut atom = dense(
        Architecture::portable(61),
        shape,
        consecutive_threads(1),
        in_registers(element, scalar(shape[2]))?,
        in_registers(element, scalar(shape[2]))?,
        in_registers(accumulator, scalar(1))?,
        Some(Instruction::once(mnemonic.to_owned())),
    );
    // PTX has `dp2a.lo` and `dp2a.hi`; CUTLASS 4.2 writes neither, which the assembler refuses.
    atom.not_issuable = (element == Element::S16).then(|| {
        Refusal::uncompilable(
            Rule::AtomDefect,
            "'.hi/.lo' modifier required for instruction 'dp2a'",
        )
        .with("instruction", mnemonic)
        .legal("dp2a.lo.s32.s32")
    });
    Ok(atom)
}

/// The atom of an operation that one warp (or a quad pair, or one thread) executes.
pub(super) fn atom(operation: &Operation<'_>, id: &TemplateId) -> Result<MmaAtom, Refusal> {
    match operation.generation {
        70 => quad_pair(operation, id),
        75 | 80 | 89 | 90 => warp(operation, id),
        100 => packed_fma(operation, id),
        120 => sm120(operation, id),
        _ => Err(unknown(&id.to_string())),
    }
}

fn dense(
    architecture: Architecture,
    shape: [i64; 3],
    thread_id: Layout,
    a: MmaOperand,
    b: MmaOperand,
    c: MmaOperand,
    instruction: Option<Instruction>,
) -> MmaAtom {
    MmaAtom {
        name: String::new(),
        architecture,
        instruction,
        shape,
        thread_id,
        a,
        b,
        c,
        metadata: None,
        scale_a: None,
        scale_b: None,
        tcgen05: None,
        not_issuable: None,
        declared_a_stride: None,
    }
}

/// Eight threads of a Volta warp, `8x8x4`.
fn quad_pair(operation: &Operation<'_>, id: &TemplateId) -> Result<MmaAtom, Refusal> {
    use Element::{F16, F32};
    let (&[d, F16, F16, _], [8, 8, 4]) = (&operation.types[..], operation.shape) else {
        return Err(unknown(&id.to_string()));
    };
    // T is K-major for A and for B, N is the other; PTX says row for a K-major A and col for a K-major B.
    let (a_is_k_major, b_is_k_major) = match operation.flags[..] {
        ["TN"] => (true, true),
        ["TT"] => (true, false),
        ["NT"] => (false, false),
        ["NN"] => (false, true),
        _ => return Err(unknown(&id.to_string())),
    };
    let source = |k_major| {
        let threads = if k_major {
            Mode::Leaf(8, 1)
        } else {
            Mode::group(&[(4, 8), (2, 4)])
        };
        (
            threads,
            if k_major {
                Mode::Leaf(4, 8)
            } else {
                Mode::Leaf(4, 1)
            },
        )
    };
    let accumulator = match (d, operation.types[3]) {
        (F16, F16) => (Mode::Leaf(8, 1), Mode::Leaf(8, 8)),
        (F32, F32) => (
            Mode::group(&[(2, 1), (2, 16), (2, 4)]),
            Mode::group(&[(2, 8), (2, 2), (2, 32)]),
        ),
        _ => return Err(unknown(&id.to_string())),
    };
    let orders = [
        if a_is_k_major { "row" } else { "col" },
        if b_is_k_major { "col" } else { "row" },
    ];
    let mnemonic = format!(
        "mma.sync.aligned.m8n8k4.{}.{}.{d}.f16.f16.{d}",
        orders[0],
        orders[1],
        d = d.ptx()
    );
    Ok(dense(
        Architecture::portable(70),
        operation.shape,
        thread_id(&Mode::group(&[(4, 1), (2, 16)]))?,
        in_registers(F16, source(a_is_k_major))?,
        in_registers(F16, source(b_is_k_major))?,
        in_registers(d, accumulator)?,
        Some(Instruction::once(mnemonic)),
    ))
}

/// The shapes that a generation has for these types, empty when it has none.
fn warp_shapes(generation: u16, [d, a, b, c]: [Element; 4]) -> &'static [[i64; 3]] {
    use Element::{Bf16, C64, E4m3, E5m2, F16, F32, F64, GaussC64, S4, S8, S32, Tf32, U1, U4, U8};
    match (generation, (d, a, b, c)) {
        // Accumulation in 16 bits came with CUTLASS 4.7.
        (75, (F16, F16, F16, F16) | (F32, F16, F16, F32)) => &[[16, 8, 8]],
        (75, (S32, S8, S8, S32)) => &[[8, 8, 16]],
        (80, (F16, F16, F16, F16) | (F32, F16, F16, F32) | (F32, Bf16, Bf16, F32)) => {
            &[[16, 8, 8], [16, 8, 16]]
        }
        (80, (F32, Tf32, Tf32, F32)) => &[[16, 8, 4], [16, 8, 8]],
        (80, (F64, F64, F64, F64) | (C64, C64, C64, C64) | (GaussC64, C64, C64, GaussC64)) => {
            &[[8, 8, 4]]
        }
        (80, (S32, S8 | U8, S8 | U8, S32)) => &[[8, 8, 16], [16, 8, 16], [16, 8, 32]],
        (80, (S32, S4 | U4, S4 | U4, S32)) => &[[8, 8, 32], [16, 8, 32], [16, 8, 64]],
        (80, (S32, U1, U1, S32)) => &[[8, 8, 128], [16, 8, 128], [16, 8, 256]],
        (89, (F32, E4m3 | E5m2, E4m3 | E5m2, F32) | (F16, E4m3 | E5m2, E4m3 | E5m2, F16)) => {
            &[[16, 8, 32]]
        }
        (90, (F64, F64, F64, F64) | (C64, C64, C64, C64)) => &[[16, 8, 4], [16, 8, 8], [16, 8, 16]],
        _ => &[],
    }
}

fn warp(operation: &Operation<'_>, id: &TemplateId) -> Result<MmaAtom, Refusal> {
    let &[d, a, b, c] = &operation.types[..] else {
        return Err(unknown(&id.to_string()));
    };
    let shapes = warp_shapes(operation.generation, [d, a, b, c]);
    if shapes.is_empty() {
        return Err(unknown(&id.to_string()));
    }
    if !shapes.contains(&operation.shape) {
        let refusal =
            Refusal::uncompilable(Rule::MmaShape, "no such operation").with("name", id.to_string());
        return Err(shapes.iter().fold(refusal, |refusal, [m, n, k]| {
            refusal.legal(format!("{m}x{n}x{k}"))
        }));
    }
    let suffix = match (a, &operation.flags[..]) {
        (Element::U1, ["TN", "XORPOPC"]) => ".xor.popc",
        (Element::U1, ["TN", "ANDPOPC"]) => ".and.popc",
        (Element::S8 | Element::U8 | Element::S4 | Element::U4, ["TN", "SATURATE"])
            if operation.generation == 80 =>
        {
            ".satfinite"
        }
        (element, ["TN"]) if element != Element::U1 => "",
        _ => return Err(unknown(&id.to_string())),
    };
    let [m, n, k] = operation.shape;
    let packed = elements_per_register(a.bits());
    // CUTLASS writes the single value mode of 4-bit operands as a tuple of rank 1.
    let shaped = |(threads, values): (Mode, Mode)| match values {
        Mode::Leaf(extent, stride) if a.bits() == 4 => (threads, Mode::group(&[(extent, stride)])),
        values => (threads, values),
    };
    let mut atom = dense(
        Architecture::portable(operation.generation),
        operation.shape,
        consecutive_threads(32),
        in_registers(a, shaped(warp_fragment(m, k, packed)))?,
        in_registers(b, shaped(warp_fragment(n, k, packed)))?,
        in_registers(d, warp_fragment(m, n, 2))?,
        Some(warp_instruction(operation.shape, [d, a, b, c], suffix)),
    );
    declare_as_cutlass_does(&mut atom)?;
    Ok(atom)
}

/// Two declarations of CUTLASS 4.2 are not the fragments of PTX. We show the results of CuTe with them, with a refusal
/// that says so.
fn declare_as_cutlass_does(atom: &mut MmaAtom) -> Result<(), Refusal> {
    match (atom.a.element.bits(), atom.shape_mnk()) {
        (1, [16, 8, 128]) => {
            let stride = "((_512,_1),((_16,_8)))";
            atom.declared_a_stride = Some(stride);
            atom.not_issuable = Some(
                Refusal::uncompilable(
                    Rule::AtomDefect,
                    "the stride of ALayout is not congruent with its shape",
                )
                .with("declared_stride", stride)
                .with("fragment_stride", atom.a.layout.stride().to_string()),
            );
        }
        (4, [16, 8, 32]) => {
            let fragment = atom.b.layout.clone();
            atom.b.layout =
                thread_value(&Mode::group(&[(4, 32), (8, 1)]), &Mode::group(&[(8, 8)]))?;
            atom.not_issuable = Some(
                Refusal::new(Rule::AtomDefect, Verdict::Accepts)
                    .with("declared_b_layout", atom.b.layout.to_string())
                    .with("fragment", fragment.to_string()),
            );
        }
        _ => {}
    }
    Ok(())
}

fn warp_instruction([m, n, k]: [i64; 3], [d, a, b, c]: [Element; 4], suffix: &str) -> Instruction {
    let types = [d, a, b, c].map(Element::ptx).join(".");
    let times = match d {
        Element::C64 => 4,
        Element::GaussC64 => 3,
        _ => 1,
    };
    Instruction {
        mnemonic: format!("mma.sync.aligned.m{m}n{n}k{k}.row.col.{types}{suffix}"),
        times,
    }
}

/// Two single-precision products in one instruction (`sm_100`).
fn packed_fma(operation: &Operation<'_>, id: &TemplateId) -> Result<MmaAtom, Refusal> {
    let pair = || (Mode::Leaf(1, 0), Mode::Leaf(2, 1));
    let single = || (Mode::Leaf(1, 0), Mode::Leaf(1, 0));
    let is_single_precision = operation.types == [Element::F32; 4] && operation.flags.is_empty();
    let (a, b) = match operation.shape {
        [2, 1, 1] if is_single_precision => (pair(), single()),
        [1, 2, 1] if is_single_precision => (single(), pair()),
        _ => return Err(unknown(&id.to_string())),
    };
    Ok(dense(
        Architecture::portable(100),
        operation.shape,
        consecutive_threads(1),
        in_registers(Element::F32, a)?,
        in_registers(Element::F32, b)?,
        in_registers(Element::F32, pair())?,
        Some(Instruction::once("fma.rn.f32x2".to_owned())),
    ))
}

/// The warp instructions of `sm_120`, whose types are template arguments.
fn sm120(operation: &Operation<'_>, id: &TemplateId) -> Result<MmaAtom, Refusal> {
    let scaled = operation.has("VS");
    let [m, n, k] = operation.shape;
    let packed_a = match (operation.sparse, scaled, k) {
        (false, _, 32) => 4,
        (false, true, 64) | (true, _, 64) => 8,
        (true, true, 128) => 16,
        _ => return Err(unknown(&id.to_string())),
    };
    if (m, n) != (16, 8) || !operation.has("TN") {
        return Err(unknown(&id.to_string()));
    }
    // Sparse operands hold two logical elements for each stored one, so B has half as many in a register.
    let packed_b = if operation.sparse {
        packed_a / 2
    } else {
        packed_a
    };
    let types = element_arguments(id, id.args(), if scaled { 4 } else { 3 })?;
    let sparsity = if operation.sparse { 2 } else { 1 };
    let mut atom = dense(
        Architecture::specific(120),
        operation.shape,
        consecutive_threads(32),
        MmaOperand {
            sparsity,
            ..in_registers(types[0], warp_fragment(m, k, packed_a))?
        },
        in_registers(types[1], warp_fragment(n, k, packed_b))?,
        in_registers(types[2], warp_fragment(m, n, 2))?,
        None,
    );
    // Of a dense pair of `mxf4` operands two are in a byte; A of a sparse product names its own type.
    let container = if packed_b == 8 {
        Element::U4
    } else {
        Element::U8
    };
    atom.b.value = container;
    if !operation.sparse {
        atom.a.value = container;
    }
    if operation.sparse {
        atom.metadata = Some(sm120_metadata(k)?);
    }
    if scaled {
        let vector = id
            .args()
            .get(4)
            .and_then(super::Argument::value)
            .ok_or_else(|| too_few(id, 5))?;
        let factors = |threads: Mode, stride| -> Result<_, Refusal> {
            let layout = Some(thread_value(&threads, &Mode::Leaf(k, stride))?);
            Ok(Some(ScaleFactors {
                element: types[3],
                vector,
                layout,
            }))
        };
        // Sixteen threads hold the factors of A, eight those of B: the modes of stride 0.
        atom.scale_a = factors(Mode::group(&[(2, 8), (2, 0), (8, 1)]), 16)?;
        atom.scale_b = factors(Mode::group(&[(4, 0), (8, 1)]), 8)?;
    }
    atom.instruction = Some(Instruction::once(sm120_mnemonic(&atom)));
    atom.not_issuable = sm120_vector_refusal(&atom);
    Ok(atom)
}

/// Metadata of the sparse A operand: one thread holds the bits of `k / 2` positions of a row.
fn sm120_metadata(k: i64) -> Result<Layout, Refusal> {
    let threads = Mode::group(&[(2, 8), (2, 8 * k), (8, 1)]);
    let values = if k == 128 {
        Mode::group(&[(k / 2, 16)])
    } else {
        Mode::Leaf(k / 2, 16)
    };
    thread_value(&threads, &values)
}

/// One factor scales 32 elements of 8 bits, or 16 or 32 of 4 bits; twice as many when A is sparse.
fn sm120_vector_refusal(atom: &MmaAtom) -> Option<Refusal> {
    let vector = atom.scale_a.as_ref()?.vector;
    let sparsity = atom.a.sparsity;
    let legal: &[i64] = if atom.shape_mnk()[2] == 32 * sparsity {
        &[32]
    } else {
        &[16, 32]
    };
    if legal.iter().any(|&dense| dense * sparsity == vector) {
        return None;
    }
    let text = "Scaling factor vector size has to be 32 for MXF8F6F4 MMA.";
    let refusal = Refusal::asserted(Rule::MmaOperand, text).with("scale_vector", vector);
    Some(legal.iter().fold(refusal, |refusal, dense| {
        refusal.legal((dense * sparsity).to_string())
    }))
}

fn sm120_mnemonic(atom: &MmaAtom) -> String {
    let [m, n, k] = atom.shape_mnk();
    let sparse = if atom.a.sparsity == 1 {
        ""
    } else {
        ".sp::ordered_metadata"
    };
    let types = [
        atom.c.element,
        atom.a.element,
        atom.b.element,
        atom.c.element,
    ]
    .map(Element::ptx)
    .join(".");
    let Some(scale) = &atom.scale_a else {
        return format!("mma.sync.aligned.kind::f8f6f4{sparse}.m{m}n{n}k{k}.row.col.{types}");
    };
    let (kind, scales) = match (k / atom.a.sparsity, scale.element) {
        (32, _) => ("mxf8f6f4", "1X"),
        (_, Element::Ue8m0) => ("mxf4nvf4", "2X"),
        _ => ("mxf4nvf4", "4X"),
    };
    let scale_type = scale.element.ptx();
    format!(
        "mma.sync.aligned.kind::{kind}{sparse}.block_scale.scale_vec::{scales}.m{m}n{n}k{k}.row.col.{types}.{scale_type}"
    )
}
