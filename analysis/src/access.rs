//! Layouts that are written nowhere: the offset of each load and store of a kernel, as a function of the thread.
//!
//! The interpreter walks a kernel and keeps the address of each access as a term over `threadIdx`, `blockIdx`, the
//! passes of loops and numbers that are the same for all threads of a block ([`terms`]). Once all launches are seen,
//! the terms are computed for each thread of a block ([`lanes`]), a layout with these offsets is looked for, and their
//! cost for a warp is counted ([`describe`]). Accesses that cannot be followed are Unknown with the reason.

pub(crate) mod alike;
mod arrived;
pub(crate) mod beyond;
pub(crate) mod bits;
mod chosen;
mod crossed;
mod departed;
mod describe;
mod division;
mod found;
mod judge;
pub(crate) mod lanes;
mod layout;
mod left_out;
mod misaligned;
mod numbers;
mod replaced;
pub(crate) mod stored;
pub(crate) mod terms;
pub(crate) mod text;
pub(crate) mod trials;
mod unordered;
pub(crate) mod unwritten;
pub(crate) mod wraps;

use std::sync::Arc;

use cute_algebra::symbol::Expression;
use cute_hardware::descriptor::Generation;
use cute_hardware::mma::Tcgen05Kind;
use tree_sitter_cute::tree::Span;

pub(crate) use beyond::Launches;
pub(crate) use found::describe;
pub use layout::AccessLayout;

use crate::finding::Move;
use crate::limits;
use terms::{IntKind, Repeat, TermId, Terms};

/// The kind of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It does both at once: `atomicAdd`.
    Atomic,
}

impl AccessKind {
    /// `load`, `store` or `atomic`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
        }
    }
}

/// The memory of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessSpace {
    /// Memory behind a pointer that the kernel receives, and variables of the device.
    Global,
    /// `__shared__`.
    Shared,
}

impl AccessSpace {
    /// `global` or `shared`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
        }
    }
}

/// The source of the size of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockFrom {
    /// A launch of the kernel.
    Launch,
    /// `cute: assume blockDim.x = 256`.
    Directive,
    /// `#[launch_contract(block = (16, 16, 1))]` of `cuda-oxide`: no other block is launched.
    Contract,
    /// `__launch_bounds__`: the most threads, in one direction.
    Bounds,
    /// No source gives it.
    Assumed,
}

impl BlockFrom {
    /// Whether blocks of this size exist.
    pub(crate) fn is_certain(self) -> bool {
        matches!(self, Self::Launch | Self::Directive | Self::Contract)
    }
}

/// The cost of an access for a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AccessCost {
    /// The warp that is worst, counted from 0.
    pub warp: i64,
    /// Its lanes that take part.
    pub lanes: i64,
    /// Sectors of 32 bytes in global memory, wavefronts of 128 bytes in shared memory.
    pub count: i64,
    /// The fewest that move as many bytes.
    pub ideal: i64,
    /// Whether the part of the offset that is common to a warp is taken for a multiple of 128 bytes, of any warp.
    pub is_aligned_by_assumption: bool,
}

/// An access as a function of the thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AccessMap {
    /// The offset as C++ writes it, in [units](Access::unit).
    pub expression: String,
    /// Threads of a block in x, y and z, with the source of these numbers; nothing without a source where no size can
    /// be assumed.
    pub block: Option<([i64; 3], BlockFrom)>,
    /// From threads, and passes of loops, to offsets in [units](Access::unit), without the part that is the same for
    /// all of them.
    pub layout: Option<AccessLayout>,
    /// The part that is the same for all threads of a block, in [units](Access::unit).
    pub base: Option<Expression>,
    /// The loops whose passes are modes of the layout, the innermost first, with how often each goes.
    pub loops: Vec<(String, i64)>,
    /// Under which conditions of the running program a thread comes here.
    pub guards: Vec<String>,
    /// Its cost for a warp.
    pub cost: Option<AccessCost>,
}

impl AccessMap {
    /// Threads of the block times passes of the loops.
    pub(crate) fn entries(&self) -> Option<i64> {
        let (block, _) = self.block?;
        let trips = self.loops.iter().map(|(_, trips)| *trips);
        let mut all = block.into_iter().chain(trips);
        all.try_fold(1_i64, i64::checked_mul)
    }

    /// The offset of a thread at a pass, in [units](Access::unit): threads count first, then the innermost loop.
    pub(crate) fn offset(&self, entry: i64) -> Option<Expression> {
        let within = self.layout.as_ref()?.offset(entry)?;
        self.base.as_ref()?.add(&within)
    }
}

/// A load or store of a kernel through a pointer, an array or a subscript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The subscript, the dereferenced expression or the call.
    pub span: Span,
    /// The kernel.
    pub function: Arc<str>,
    /// The instance of it, where there are several.
    pub instance: Option<String>,
    /// Its kind.
    pub kind: AccessKind,
    /// Its memory.
    pub space: AccessSpace,
    /// Bytes that each thread moves; 0 where the size of the type is not known.
    pub bytes: i64,
    /// The pointer or array from which offsets count.
    pub memory: String,
    /// The lengths of the array that it is, the outermost first, if they are known.
    pub lengths: Arc<[i64]>,
    /// Bytes of one step of an offset: an element of the memory; 0 where it is an element whose size is not known.
    pub unit: i64,
    /// The offset of each thread, or why it is not known.
    pub map: Result<AccessMap, String>,
}

impl Access {
    /// Whether it does the same as another one: each thread at each pass moves as many bytes at the same place. `false`
    /// where one of them has no layout.
    pub fn is_as(&self, other: &Self) -> bool {
        let (Ok(one), Ok(two)) = (&self.map, &other.map) else {
            return false;
        };
        let entries = one
            .entries()
            .filter(|entries| *entries <= limits::ACCESS_COMPARED);
        let Some(entries) = entries.filter(|entries| two.entries() == Some(*entries)) else {
            return false;
        };
        (self.kind, self.space, self.bytes, self.unit)
            == (other.kind, other.space, other.bytes, other.unit)
            && self.memory == other.memory
            && one.guards == two.guards
            && (0..entries).all(|entry| {
                let offset = one.offset(entry);
                offset.is_some() && offset == two.offset(entry)
            })
    }

    /// The access at its new place.
    pub(crate) fn moved(&self, to: Move<'_>) -> Option<Self> {
        Some(Self {
            span: to(self.span)?,
            ..self.clone()
        })
    }
}

/// A condition under which control comes to an access.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// The condition.
    pub(crate) condition: TermId,
    /// As the source has it.
    pub(crate) text: Arc<str>,
    /// The `return` by which the other threads have left the kernel.
    pub(crate) exit: Option<Span>,
}

/// Memory from which offsets count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Memory {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// Its memory.
    pub(crate) space: AccessSpace,
    /// Bytes of an element, where the type there is known; `sizeof(T)` is a symbol.
    pub(crate) element: Option<TermId>,
    /// Its bytes, where it is an array of a known size.
    pub(crate) extent: Option<i64>,
    /// The lengths of an array of arrays, the outermost first, if they are known.
    pub(crate) lengths: Arc<[i64]>,
    /// Its declaration, if it is shared memory.
    pub(crate) declared: Option<Span>,
    /// Bytes of which its start is a multiple as it is declared; 1 where nothing says so.
    pub(crate) align: i64,
    /// Whether it is dynamic shared memory, whose bytes the launch requests.
    pub(crate) is_dynamic: bool,
}

/// An access as the walk found it.
#[derive(Debug, Clone)]
pub(crate) struct Met {
    pub(crate) span: Span,
    pub(crate) kind: AccessKind,
    /// Bytes of a thread; 0 where they are not known.
    pub(crate) bytes: i64,
    /// A number that its address has to be a multiple of; 0 where it is not known.
    pub(crate) align: i64,
    /// They as a term; nothing where the type there is unknown.
    pub(crate) size: Option<TermId>,
    /// Whether they are one number, not a vector or an object.
    pub(crate) is_number: bool,
    /// The memory, and the bytes from its start; or why the address is not known.
    pub(crate) address: Result<(Arc<Memory>, TermId), Arc<str>>,
    /// The stored value, where it is an integer or an element of memory as it is.
    pub(crate) stored: Option<stored::StoredTerm>,
    /// The conditions on the way to it.
    pub(crate) guards: Vec<Guard>,
    /// The loops around it, the outermost first, by their place.
    pub(crate) loops: Vec<usize>,
    /// The call in the kernel through which it is reached, where it is in a function that is called.
    pub(crate) site: Option<Span>,
    /// Whether it is a copy that arrives later: `cp.async`.
    pub(crate) is_asynchronous: bool,
}

/// A step of the groups of asynchronous copies of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupStep {
    /// The copies so far that are in no group become one.
    Close,
    /// A wait until at most this number of groups is open.
    Wait(i64),
    /// A wait for all copies, also for those that are in no group.
    WaitForAll,
    /// A wait for a number of groups that is not known.
    Unknown,
}

/// A place of a kernel where a thread closes a group of asynchronous copies, or waits for some.
#[derive(Debug, Clone)]
pub(crate) struct GroupMark {
    pub(crate) step: GroupStep,
    pub(crate) span: Span,
    /// The number of accesses before it.
    pub(crate) before: usize,
    /// The conditions on the way to it.
    pub(crate) guards: Vec<Guard>,
    /// The loops around it, the outermost first, by their place.
    pub(crate) loops: Vec<usize>,
}

/// A place of a kernel where threads may wait for each other, or with unknown effects.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    /// The number of accesses before it.
    pub(crate) before: usize,
    /// The loops around it, the outermost first, by their place.
    pub(crate) loops: Vec<usize>,
    /// The conditions on the way to it.
    pub(crate) guards: Vec<TermId>,
}

/// The known order of the accesses of a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Order {
    /// The places where threads may wait for each other.
    pub(crate) fences: Vec<Fence>,
    /// The groups of asynchronous copies.
    pub(crate) groups: Vec<GroupMark>,
    /// Whether something was left out, or threads talk to each other by `volatile` memory: then nothing is said of order.
    pub(crate) is_open: bool,
}

/// The accesses of one instance of a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Walked {
    pub(crate) terms: Terms,
    pub(crate) loops: Vec<Repeat>,
    pub(crate) met: Vec<Met>,
    pub(crate) order: Order,
    /// The barriers of the block.
    pub(crate) barriers: Vec<Met>,
    /// Whether something may write that is not followed: a function, `asm`.
    pub(crate) is_unseen: bool,
    /// `blockDim` as a directive gives it.
    pub(crate) directive: [Option<i64>; 3],
    /// Directions of a block that the kernel asks for.
    pub(crate) axes: [bool; 3],
    /// Places that are not accesses.
    pub(crate) marks: Marks,
    /// Indices of the modes of tensors.
    pub(crate) indices: Vec<beyond::Indexed>,
    /// Addresses from which tensors begin.
    pub(crate) pointers: Vec<Met>,
    /// The places of terms in the source.
    pub(crate) origins: wraps::Origins,
    /// Parameters whose values are assumed.
    pub(crate) assumed: wraps::Assumed,
    /// The statements of the kernel.
    pub(crate) body: Option<Span>,
}

/// Places of a kernel about which something is said though they are not accesses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// Indices of arrays of a thread that only the running program knows.
    pub(crate) registers: Vec<(Span, String)>,
    /// Numbers that an instruction of the tensor cores takes as matrix descriptors.
    pub(crate) descriptors: Vec<(Span, Generation, TermId)>,
    /// Numbers that one takes as the descriptor of the instruction.
    pub(crate) instructions: Vec<(Span, Tcgen05Kind, TermId)>,
}

/// The type of indices into memory, `ptrdiff_t`.
pub(crate) const INDEX: IntKind = IntKind::LONG;
