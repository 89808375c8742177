//! MMA atoms as data: the tile of one tensor-core instruction, and the elements of each thread.
//!
//! The atoms are generated from rules (PTX's fragments, CuTe's descriptor operands), one rule per generation:
//! [`warp`](self) for `mma.sync`, `wgmma` for `sm_90a`, `tcgen05` for `sm_100a` and later.
//! A name of CUTLASS 4.2 with its template arguments is all that [`MmaAtom::named`] needs.

mod declared;
mod operation;
pub mod product;
pub mod selector;
mod tcgen05;
mod warp;
mod wgmma;

pub use tcgen05::Kind as Tcgen05Kind;

use crate::architecture::Architecture;
use crate::element::Element;
use crate::name::{Argument, TemplateId};
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{Mode, consecutive_threads, thread_value};
use cute_algebra::{Int, Layout, Shape, Tuple};

/// The direction in which the elements of an operand are adjacent in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// Along M (operand A) or N (operand B).
    Mn,
    /// Along K.
    K,
}

impl Major {
    /// The major of CuTe's enumerator: `K` or `MN`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "K" => Some(Major::K),
            "MN" | "M" | "N" => Some(Major::Mn),
            _ => None,
        }
    }

    /// CuTe's enumerator.
    pub fn name(self) -> &'static str {
        match self {
            Major::Mn => "MN",
            Major::K => "K",
        }
    }
}

/// The memory in which an instruction finds an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandMemory {
    /// In the registers of the threads.
    Registers,
    /// In shared memory, by a matrix descriptor.
    Shared(Major),
    /// In tensor memory (`sm_100a`).
    TensorMemory(TensorMemoryFragment),
}

/// The columns and lanes of an operand in tensor memory: CuTe's `UMMA::tmem_frg` and `tmem_frg_ws`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemoryFragment {
    /// Bits that an element takes.
    pub storage_bits: i64,
    /// The use of the lanes.
    pub allocation: Allocation,
}

/// The use of the 128 lanes of tensor memory by the rows of an operand (`UMMA::TmemAllocMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Allocation {
    /// One CTA: 64 rows take half of the lanes, and the next tile the other half.
    Interleaved,
    /// One CTA: 64 rows take half of the lanes, and the other half stays free.
    NonInterleaved,
    /// A pair of CTAs: 64 rows of each are in two halves of the lanes.
    Pair,
    /// A pair of CTAs: both halves of the lanes have all columns.
    PairDuplicated,
    /// One CTA, with B kept (`.ws`): 64 rows are in two halves of the lanes, 32 rows in four quarters.
    WeightStationary,
}

/// One operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MmaOperand {
    /// The type of its elements.
    pub element: Element,
    /// The type that a thread holds them as: CuTe's `ValTypeA`, `ValTypeB`, `ValTypeC`. The operands of `sm_120` are bytes,
    /// whatever the instruction reads in them.
    pub value: Element,
    /// Number of logical elements in one stored element: 1 dense, 2 or 4 structured sparse.
    pub sparsity: i64,
    /// The memory.
    pub place: OperandMemory,
    /// `(thread, value) -> offset` into the column-major operand: CuTe's `ALayout`, `BLayout`, `CLayout`.
    /// A is M x K, B is N x K, C is M x N.
    pub layout: Layout,
}

/// The scale factors of one operand of a block-scaled instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScaleFactors {
    /// The type of a scale factor.
    pub element: Element,
    /// Number of elements along K that one factor scales.
    pub vector: i64,
    /// `(thread, value) -> offset`, for warp instructions.
    pub layout: Option<Layout>,
}

/// The instruction of PTX that an atom issues.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The opcode with its modifiers.
    pub mnemonic: String,
    /// Number of issues for one atom (4 and 3 for complex products).
    pub times: u32,
}

impl Instruction {
    pub(crate) fn once(mnemonic: String) -> Self {
        Instruction { mnemonic, times: 1 }
    }
}

/// One matrix-multiply instruction: CuTe's `MMA_Traits`.
///
/// ```
/// use cute_hardware::MmaAtom;
/// let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN")?;
/// assert_eq!(atom.shape_mnk(), [16, 8, 16]);
/// assert_eq!(atom.a.layout.to_string(), "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))");
/// assert_eq!(atom.instruction.unwrap().mnemonic, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MmaAtom {
    /// The name as requested, with single spaces.
    pub name: String,
    /// The first architecture that has it.
    pub architecture: Architecture,
    /// The PTX instruction; `None` for `UniversalFMA`, where the compiler chooses.
    pub instruction: Option<Instruction>,
    /// Rows of C, columns of C, and the depth of the product.
    shape: [i64; 3],
    /// The threads that take part: logical thread -> thread of the warp, warp group or CTA pair.
    pub thread_id: Layout,
    /// Operand A, M x K.
    pub a: MmaOperand,
    /// Operand B, N x K.
    pub b: MmaOperand,
    /// Accumulator, M x N.
    pub c: MmaOperand,
    /// `(thread, value) -> offset` of the sparsity metadata.
    pub metadata: Option<Layout>,
    /// The scale factors of A.
    pub scale_a: Option<ScaleFactors>,
    /// The scale factors of B.
    pub scale_b: Option<ScaleFactors>,
    /// The kind of a `tcgen05.mma`; `None` for other instructions.
    pub tcgen05: Option<Tcgen05Kind>,
    /// Why the instruction cannot be issued although CuTe describes it: an M or N out of its range, a declaration that
    /// does not compile. CuTe's traits say nothing of it until the atom is called.
    pub not_issuable: Option<Refusal>,
    /// The stride of `ALayout` as CUTLASS writes it, where that is not the stride of a layout.
    declared_a_stride: Option<&'static str>,
}

impl MmaAtom {
    /// The atom of this C++ name with its template arguments, for example
    /// `SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>`. A list as in `MMA_Traits<Op, Args...>` is accepted too.
    ///
    /// Errors: [`Rule::UnknownAtom`], [`Rule::AtomParameters`], [`Rule::MmaShape`], [`Rule::UnknownType`].
    pub fn named(name: &str) -> Result<Self, Refusal> {
        let list = TemplateId::parse_list(name)?;
        match &list[..] {
            [Argument::Name(id), rest @ ..] => MmaAtom::of_id(id, rest),
            _ => Err(unknown(name)),
        }
    }

    /// The atom of this template id; `rest` are the further arguments of `MMA_Traits<Op, Args...>`.
    pub fn of_id(id: &TemplateId, rest: &[Argument]) -> Result<Self, Refusal> {
        if let ("MMA_Atom" | "MMA_Traits", [Argument::Name(inner), inner_rest @ ..]) =
            (id.base(), id.args())
        {
            return MmaAtom::of_id(inner, inner_rest);
        }
        let mut atom = if id.base() == "UniversalFMA" {
            universal_fma(id)?
        } else if let Some(atom) = tcgen05::atom(id, rest)? {
            atom
        } else if let Some(operation) = operation::Operation::read(id) {
            match wgmma::atom(&operation, id)? {
                Some(atom) => atom,
                None => warp::atom(&operation, id)?,
            }
        } else {
            warp::special(id)?
        };
        atom.name = std::iter::once(id.to_string())
            .chain(rest.iter().map(ToString::to_string))
            .collect::<Vec<_>>()
            .join(", ");
        Ok(atom)
    }

    /// Whether C is in tensor memory: an instruction of `tcgen05`, whose descriptors of shared memory differ from those of
    /// `wgmma`.
    pub fn accumulates_in_tensor_memory(&self) -> bool {
        matches!(self.c.place, OperandMemory::TensorMemory(_))
    }

    /// M, N and K: rows of C, columns of C, and the depth of the product.
    pub fn shape_mnk(&self) -> [i64; 3] {
        self.shape
    }

    /// CuTe's `Shape_MNK`, static.
    pub fn shape_tuple(&self) -> Shape {
        Tuple::flat(self.shape.map(Int::fixed)).unwrap_or_else(|_| Tuple::leaf(Int::ONE))
    }

    /// CuTe's print of `ALayout`. One atom pair of CUTLASS 4.2 (`SM80_16x8x128_S32U1U1S32_TN_*`) declares a stride that
    /// is not congruent with its shape; this is that print, while [`MmaAtom::a`] has the layout that was meant.
    pub fn declared_a_layout(&self) -> String {
        match self.declared_a_stride {
            Some(stride) => format!("{}:{stride}", self.a.layout.shape()),
            None => self.a.layout.to_string(),
        }
    }
}

pub(crate) fn unknown(name: &str) -> Refusal {
    Refusal::uncompilable(
        Rule::UnknownAtom,
        "MMA_Traits not implemented for this MMA_Operation.",
    )
    .with("name", name)
}

/// A dense operand in registers.
pub(crate) fn in_registers(
    element: Element,
    (threads, values): (Mode, Mode),
) -> Result<MmaOperand, Refusal> {
    Ok(MmaOperand {
        element,
        value: element,
        sparsity: 1,
        place: OperandMemory::Registers,
        layout: thread_value(&threads, &values)?,
    })
}

/// The type arguments of an atom, in order.
pub(crate) fn element_arguments(
    id: &TemplateId,
    args: &[Argument],
    count: usize,
) -> Result<Vec<Element>, Refusal> {
    if args.len() < count {
        return Err(too_few(id, count));
    }
    args.iter()
        .take(count)
        .map(|arg| match arg.type_id() {
            Some(ty) => Element::of_id(ty),
            None => Err(Refusal::uncompilable(Rule::UnknownType, "not a type")
                .with("type", arg.to_string())),
        })
        .collect()
}

pub(crate) fn too_few(id: &TemplateId, count: usize) -> Refusal {
    Refusal::uncompilable(Rule::AtomParameters, "wrong number of template arguments")
        .with("name", id.to_string())
        .with("needed", count)
}

/// `d = a * b + c` of one thread.
fn universal_fma(id: &TemplateId) -> Result<MmaAtom, Refusal> {
    let given = id.args().len();
    let elements = element_arguments(id, id.args(), given)?;
    let d = *elements.first().unwrap_or(&Element::F32);
    let a = *elements.get(1).unwrap_or(&d);
    let b = *elements.get(2).unwrap_or(&a);
    let scalar = || (Mode::Leaf(1, 0), Mode::Leaf(1, 0));
    Ok(MmaAtom {
        name: String::new(),
        architecture: Architecture::ANY,
        instruction: None,
        shape: [1, 1, 1],
        thread_id: consecutive_threads(1),
        a: in_registers(a, scalar())?,
        b: in_registers(b, scalar())?,
        c: in_registers(d, scalar())?,
        metadata: None,
        scale_a: None,
        scale_b: None,
        tcgen05: None,
        not_issuable: None,
        declared_a_stride: None,
    })
}
