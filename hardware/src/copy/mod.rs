//! Copy atoms as data: which bits one copy instruction moves, and which thread holds them.
//!
//! Generated from rules: vector accesses by width, `ldmatrix` / `stmatrix` by matrix count, `tcgen05.ld/st/cp` by shape
//! and repetition, bulk copies by size. [`CopyAtom::named`] takes CUTLASS 4.2's name with its template arguments.

mod bulk;
mod matrix;
mod tensor_memory;
pub mod transfer;
mod vector;

pub use tensor_memory::widest_repeat;
pub(crate) use tensor_memory::{BITS_OF_A_LANE, widest_times};

use crate::architecture::Architecture;
use crate::element::Element;
use crate::name::{Argument, TemplateId};
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{Mode, thread_value};
use crate::tma::TensorMapSwizzle;
use crate::tma::instruction::TmaKind;
use cute_algebra::ops::recast::recast_layout;
use cute_algebra::{Layout, Stride};
use std::sync::Arc;

/// One copy instruction: CuTe's `Copy_Traits`. Its layouts map `(thread, bit)` to a bit of the data, so that they serve
/// values of every width.
///
/// ```
/// use cute_hardware::CopyAtom;
/// let atom = CopyAtom::named("SM75_U32x4_LDSM_N")?;
/// assert_eq!(atom.source.to_string(), "(_32,_128):(_128,_1)");
/// assert_eq!(atom.destination.to_string(), "(_32,(_32,_4)):(_32,(_1,_1024))");
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopyAtom {
    /// The name as requested, with single spaces.
    pub name: String,
    /// The first architecture that has it.
    pub architecture: Architecture,
    /// The PTX instruction; `None` where the compiler chooses.
    pub mnemonic: Option<String>,
    /// The memories that it moves between, in the order of its operands.
    pub operands: CopyOperands,
    /// The threads that take part: CuTe's `ThrID`.
    pub thread_id: Layout,
    /// `(source thread, bit) -> bit`: CuTe's `SrcLayout`.
    pub source: Layout,
    /// `(destination thread, bit) -> bit`: CuTe's `DstLayout`.
    pub destination: Layout,
    /// The one of the two that tiled copies are described in: CuTe's `RefLayout`.
    pub reference: Layout,
    /// `value bit -> bit of tensor memory`, for an instruction that touches it: CuTe's `ValID`.
    pub tensor_memory: Option<Layout>,
    /// Why the instruction cannot be issued although CuTe describes it.
    pub not_issuable: Option<Refusal>,
}

/// The memories between which a copy instruction moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyOperands {
    /// Loads, stores and moves that the compiler chooses.
    OfTheCompiler,
    /// Global memory to registers.
    Load,
    /// Registers to global memory.
    Store,
    /// `cp.async`: global to shared memory, by one thread.
    Async,
    /// `shfl`: registers of other lanes.
    Shuffle,
    /// `ldmatrix`: shared memory to the registers of a warp.
    MatrixLoad,
    /// `stmatrix`: the registers of a warp to shared memory.
    MatrixStore,
    /// `movmatrix`: registers of a warp, transposed.
    MatrixMove,
    /// `tcgen05.ld`: tensor memory to registers.
    TensorMemoryLoad(TensorMemoryAccess),
    /// `tcgen05.st`: registers to tensor memory.
    TensorMemoryStore(TensorMemoryAccess),
    /// `tcgen05.cp`: shared memory, by descriptor, to tensor memory.
    TensorMemoryCopy,
    /// A tile, by TMA descriptor; the instruction names the number of coordinates, which the tensor decides.
    Tma(TmaKind),
    /// A run of bytes, global to shared memory.
    BulkLoad,
    /// A run of bytes, shared to global memory.
    BulkStore,
    /// A run of bytes of global memory, into the L2 cache.
    BulkPrefetch,
}

/// The part that each warp of a `tcgen05.ld` or `tcgen05.st` touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorMemoryAccess {
    /// Number of lanes, of the 32 of the warp.
    pub lanes: i64,
    /// Number of columns of 32 bits.
    pub columns: i64,
    /// Whether the upper half of the columns has a separate immediate offset (`16x32bx2`).
    pub is_split: bool,
}

impl TensorMemoryAccess {
    /// `(column, lane) -> address` of the four warps of a warp group, from the address of the access, in units of 32 bits
    /// (paper §3.4.4): a column is 1, a lane 65536. A split access is taken with adjacent halves.
    ///
    /// ```
    /// use cute_hardware::{CopyAtom, copy::CopyOperands};
    /// let atom = CopyAtom::named("SM100_TMEM_LOAD_16dp256b1x")?;
    /// let CopyOperands::TensorMemoryLoad(access) = atom.operands else { panic!() };
    /// assert_eq!(access.offsets()?.to_string(), "(_8,(_16,_4)):(_1,(_65536,_2097152))");
    /// # Ok::<(), cute_hardware::Refusal>(())
    /// ```
    pub fn offsets(self) -> Result<Layout, Refusal> {
        const LANE: i64 = 1 << 16;
        let lanes = if self.lanes == 32 {
            Mode::Leaf(128, LANE)
        } else {
            Mode::group(&[(self.lanes, LANE), (4, 32 * LANE)])
        };
        thread_value(&Mode::Leaf(self.columns, 1), &lanes)
    }
}

/// The common parts of all atoms of one kind.
struct Parts {
    architecture: Architecture,
    mnemonic: Option<String>,
    operands: CopyOperands,
    thread_id: Layout,
    source: Layout,
    destination: Layout,
    refers_to_source: bool,
}

impl Parts {
    fn into_atom(self) -> CopyAtom {
        let reference = if self.refers_to_source {
            &self.source
        } else {
            &self.destination
        }
        .clone();
        CopyAtom {
            name: String::new(),
            architecture: self.architecture,
            mnemonic: self.mnemonic,
            operands: self.operands,
            thread_id: self.thread_id,
            source: self.source,
            destination: self.destination,
            reference,
            tensor_memory: None,
            not_issuable: None,
        }
    }
}

impl CopyAtom {
    /// The atom of this C++ name with its template arguments, for example `UniversalCopy<uint128_t>`,
    /// `SM80_CP_ASYNC_CACHEALWAYS<uint128_t>`. A list as in `Copy_Traits<Op, Args...>` is accepted too:
    /// `SM90_TMA_LOAD, Int<65536>, tuple<>`.
    ///
    /// Errors: [`Rule::UnknownAtom`], [`Rule::AtomParameters`], [`Rule::UnknownType`].
    pub fn named(name: &str) -> Result<Self, Refusal> {
        let list = TemplateId::parse_list(name)?;
        match &list[..] {
            [Argument::Name(id), rest @ ..] => CopyAtom::of_id(id, rest),
            _ => Err(unknown(name)),
        }
    }

    /// The atom of this template id; `rest` are the further arguments of `Copy_Traits<Op, Args...>`.
    pub fn of_id(id: &TemplateId, rest: &[Argument]) -> Result<Self, Refusal> {
        if let ("Copy_Traits", [Argument::Name(inner), inner_rest @ ..]) = (id.base(), id.args()) {
            return CopyAtom::of_id(inner, inner_rest);
        }
        let kinds = [vector::atom, matrix::atom, tensor_memory::atom, bulk::atom];
        for kind in kinds {
            if let Some(mut atom) = kind(id, rest)? {
                atom.name = std::iter::once(id.to_string())
                    .chain(rest.iter().map(ToString::to_string))
                    .collect::<Vec<_>>()
                    .join(", ");
                return Ok(atom);
            }
        }
        Err(unknown(&id.to_string()))
    }
}

/// A copy atom for values of one width: CuTe's `Copy_Atom<Op, T>`. Its layouts count values instead of bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ValueCopyAtom {
    /// The instruction.
    pub atom: CopyAtom,
    /// The width of a value, in bits.
    pub value_bits: i64,
    /// The type of a value, where it is known: CuTe's `ValType`.
    pub element: Option<Element>,
    /// `(source thread, value) -> value`: CuTe's `ValLayoutSrc`.
    pub source: Layout,
    /// `(destination thread, value) -> value`: CuTe's `ValLayoutDst`.
    pub destination: Layout,
    /// CuTe's `ValLayoutRef`.
    pub reference: Layout,
    /// The steps of TMA coordinates in each mode of the global tensor, for an atom that was made of a descriptor:
    /// CuTe's `aux_params_.g_stride_`.
    pub tma_strides: Option<Stride>,
    /// The box that one instruction moves, for an atom that was made of a TMA descriptor.
    pub tma_box: Option<Arc<TmaBox>>,
}

/// The box that one instruction of a TMA atom moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TmaBox {
    /// Elements in each dimension of the descriptor, the contiguous one first.
    pub extents: Vec<i64>,
    /// Bits of one element, as TMA sees it.
    pub element_bits: i64,
    /// Its permutation of shared memory.
    pub swizzle: TensorMapSwizzle,
    /// Number of instructions for the tile of one CTA.
    pub instructions: i64,
    /// Number of CTAs that share the box.
    pub multicast: i64,
}

impl TmaBox {
    /// The bytes of one box.
    pub fn bytes(&self) -> i64 {
        self.extents.iter().product::<i64>() * self.element_bits / 8
    }
}

impl ValueCopyAtom {
    /// The atom in units of values.
    ///
    /// Errors: [`Rule::TooFewValues`] when a value is wider than the part that a thread moves.
    pub(crate) fn new(atom: CopyAtom, value_bits: i64) -> Result<Self, Refusal> {
        let threads = atom.thread_id.size()?;
        let in_values = |layout: &Layout, text: &'static str| -> Result<Layout, Refusal> {
            let values = recast_layout(layout, 1, value_bits)?;
            if values.mode(0)?.size()?.equals(&threads) == Some(false) {
                return Err(Refusal::asserted(Rule::TooFewValues, text)
                    .with("value_bits", value_bits)
                    .with("bits_of_a_thread", &layout.mode(1)?.size()?));
            }
            Ok(values)
        };
        Ok(ValueCopyAtom {
            source: in_values(
                &atom.source,
                "CopyOperation is not valid for Src of ValType.",
            )?,
            destination: in_values(
                &atom.destination,
                "CopyOperation is not valid for Dst of ValType.",
            )?,
            reference: in_values(
                &atom.reference,
                "CopyOperation is not valid for Ref of ValType.",
            )?,
            value_bits,
            element: None,
            atom,
            tma_strides: None,
            tma_box: None,
        })
    }
}

fn unknown(name: &str) -> Refusal {
    Refusal::uncompilable(
        Rule::UnknownAtom,
        "Copy_Traits not implemented for this Copy_Operation",
    )
    .with("name", name)
}

/// `bits` consecutive bits of one thread; bit 0 only when there is one.
fn run_of_bits(bits: i64) -> Result<Layout, Refusal> {
    thread_value(&Mode::Leaf(1, 0), &Mode::Leaf(bits, i64::from(bits != 1)))
}
