//! Actions of a function, besides the values of its names: the copies, products and barrier operations that one
//! instance of it issues, in order, with the values of their operands and the branches and loops around them.
//! [`crate::cost`] reads it.

use std::sync::Arc;

use cute_hardware::Architecture;
use tree_sitter_cute::tree::{Expr, Function, Item, Span};

use crate::hash::HashMap;
use crate::held::Held;
use crate::origin::{Place, Root};
use crate::reason::Reason;
use crate::value::Value;

/// One evaluation of a function of the file whose facts are kept.
#[derive(Debug)]
pub(crate) struct Run<'u> {
    /// The function.
    pub(crate) function: &'u Function,
    /// The instance of it.
    pub(crate) instance: Option<Arc<str>>,
    /// Whether this instance is not known to exist: an overload that may not be the one.
    pub(crate) is_uncertain: bool,
    /// The architecture that it is compiled for, where the build says so.
    pub(crate) target: Option<Architecture>,
    /// Its own actions, in order.
    pub(crate) actions: Vec<Action<'u>>,
    /// Effects of callees that receive its memory, each with the number of own actions before it.
    pub(crate) followed: Vec<(usize, Action<'u>)>,
    /// Those functions.
    pub(crate) bodies: Vec<&'u Function>,
    /// Arguments of their parameters, by their declarations: the argument, and the variable that it is. Nothing where
    /// two calls differ.
    pub(crate) arguments: HashMap<Span, Option<Given<'u>>>,
    /// The objects that it keeps in shared memory.
    pub(crate) shared: Vec<SharedObject>,
    /// Its launches, where it is a kernel.
    pub(crate) launches: Vec<Launch>,
    /// The constants in its statements.
    pub(crate) constants: Constants,
    /// The blocks that it can be launched with.
    pub(crate) bounds: Bounds,
    /// Loops that are known to go as often.
    pub(crate) counters: Vec<Counter>,
    /// The results of `state.index()`.
    pub(crate) states: Vec<State>,
    /// Declarations of its pipelines whose consumers arrive in other CTAs, too, with the CTAs of the cluster.
    pub(crate) remote_pipelines: Vec<(Span, i64)>,
    /// Its plain loads and stores, until they are described.
    pub(crate) accesses: Option<crate::access::Walked>,
}

/// Constants that are written in the statements of a function, with the values that they have in an instance of it.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// Each `sizeof` of a class of the source, with the instance of the class.
    pub(crate) sizes: Vec<(Span, usize)>,
    /// Numbers with a qualified name (`Traits::kStages`), and static ones (`size<2>(tensor)`). Nothing where one place has
    /// several.
    numbers: HashMap<Span, Option<i64>>,
}

impl Constants {
    /// Notes the number of an expression.
    pub(crate) fn note(&mut self, place: Span, number: i64) {
        let known = self.numbers.entry(place).or_insert(Some(number));
        if *known != Some(number) {
            *known = None;
        }
    }

    /// The number of an expression.
    pub(crate) fn number(&self, place: Span) -> Option<i64> {
        self.numbers.get(&place).copied().flatten()
    }
}

/// The argument of a parameter: the expression, and the declaration of the variable that it is.
pub(crate) type Given<'u> = (Option<&'u Expr>, Option<Span>);

/// A call that is followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'u> {
    /// The call, in its caller.
    pub(crate) span: Span,
    /// The function that is called.
    pub(crate) function: &'u Function,
}

/// The counter of a loop whose bounds are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counter {
    /// The loop.
    pub(crate) repeat: Span,
    /// The declaration of the counter.
    pub(crate) declared: Span,
    /// Its number in the last pass.
    pub(crate) last: i64,
    /// The passes.
    pub(crate) trips: i64,
}

/// The index of a `PipelineState`, which goes from 0 to the number of stages and begins anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    /// The symbol of the index.
    pub(crate) symbol: String,
    /// The declaration of the state.
    pub(crate) declared: Span,
    /// Its stages.
    pub(crate) stages: i64,
}

impl<'u> Run<'u> {
    /// The statements of the function.
    pub(crate) fn body(&self) -> &'u [Item] {
        self.function.body.as_deref().unwrap_or_default()
    }

    /// Whether it is a `__global__` function.
    pub(crate) fn is_kernel(&self) -> bool {
        self.function.flags.global
    }

    /// Its own actions and those of callees that receive its memory, in order.
    pub(crate) fn everything(&self) -> impl Iterator<Item = &Action<'u>> {
        let mut followed = self.followed.iter().peekable();
        (0..=self.actions.len()).flat_map(move |index| {
            let mut here = Vec::new();
            while let Some((_, action)) = followed.next_if(|(before, _)| *before <= index) {
                here.push(action);
            }
            here.extend(self.actions.get(index));
            here
        })
    }

    /// Its actions of one kind, where control reaches them.
    pub(crate) fn reached(&self, kind: ActionKind) -> impl Iterator<Item = &Action<'u>> {
        self.actions
            .iter()
            .filter(move |action| action.kind == kind && action.is_reached())
    }
}

/// The kind of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ActionKind {
    /// `copy(atom, src, dst)`, `copy(src, dst)`.
    Copy,
    /// `copy_if(atom, predicate, src, dst)`.
    CopyWhere,
    /// `gemm(mma, A, B, C)`.
    Gemm,
    /// `axpby(alpha, x, beta, y)`.
    Update,
    /// A tensor of registers or tensor memory that a thread owns.
    Fragment,
    /// A barrier is given the number of arrivals of a phase.
    InitBarrier,
    /// An arrival that also announces bytes.
    ArriveAndExpect,
    /// Bytes are announced without an arrival.
    Expect,
    /// An arrival.
    Arrive,
    /// A wait for a phase of a barrier.
    WaitBarrier,
    /// A pipeline of CUTLASS waits until a stage is full or empty.
    WaitStage,
    /// The tensor core arrives when its work is done.
    Commit,
    /// A function of the source that is one bulk copy whose bytes arrive at a barrier.
    BulkCopy,
    /// A copy that a barrier of CUDA waits for by itself: `cuda::memcpy_async(to, from, bytes, barrier)`.
    AwaitedCopy,
    /// A bulk copy out of shared memory.
    BulkStore,
    /// `create_tma_multicast_mask<modes...>(layout, coord)`.
    MulticastMask,
    /// `make_tma_atom(op, gtensor, slayout, ..)`, `make_tma_copy(..)`.
    MakeTma,
    /// `warpgroup_reg_alloc<N>`: registers of a thread from here on.
    SetRegisters,
    /// Columns of tensor memory are allocated.
    AllocateColumns,
    /// Columns of tensor memory are given back.
    FreeColumns,
    /// `local_tile(tensor, tiler, coord, ..)`.
    LocalTile,
    /// `tensor(_, _, stage)` of shared memory or tensor memory; the tensor is the first value.
    Slice,
    /// `tma_partition(atom, cta_coord, cta_layout, stensor, gtensor)`.
    TmaPartition,
    /// `tensor(_, blockIdx.x, ..)` of global memory; the tensor is the first value.
    CtaSlice,
    /// `make_tensor(pointer, layout)` of shared memory.
    Lay,
    /// `cp_async_fence()`: a group of asynchronous copies is closed.
    CommitCopies,
    /// `cp_async_wait<N>()`: until at most N groups are open.
    WaitCopies,
    /// `__syncthreads()`.
    SyncThreads,
    /// `local_partition(tensor, layout, index)`; `thread.partition_S(tensor)` and the like, with the slice of the
    /// tiled copy or MMA as the first value.
    Partition,
    /// `copy.get_slice(index)`, with the tiled copy or MMA as the first value.
    ThreadSlice,
    /// A call of a function outside of the library, with memory among its arguments.
    Handover,
}

/// One branch or loop around an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step<'u> {
    /// The `if`, loop, `switch` or lambda.
    pub(crate) span: Span,
    /// The way through it.
    pub(crate) way: Way<'u>,
    /// The followed call whose body it is in.
    pub(crate) within: Option<Span>,
}

/// The way of control through a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Way<'u> {
    /// The branch of a condition that only the running program knows.
    Then(&'u Expr),
    /// The other branch of it.
    Else,
    /// A loop, with the number of passes where it is known.
    Loop(Option<i64>),
    /// A case of a `switch`.
    Case(usize),
    /// Compiled but never reached.
    Aside,
    /// The body of a lambda.
    Lambda,
}

impl Eq for Way<'_> {}

/// Something that a function does.
#[derive(Debug, Clone)]
pub(crate) struct Action<'u> {
    /// Its kind.
    pub(crate) kind: ActionKind,
    /// The call.
    pub(crate) call: &'u Expr,
    /// Its arguments as written.
    pub(crate) args: &'u [Expr],
    /// Their values.
    pub(crate) values: Vec<Value>,
    /// Values of the template arguments.
    pub(crate) targs: Vec<Value>,
    /// The value of the call.
    pub(crate) result: Value,
    /// The barrier it works on, or that its copy completes on.
    pub(crate) barrier: Option<Place>,
    /// Whether its copy operation is given a barrier at all: `atom.with(barrier, ..)`.
    pub(crate) has_barrier: bool,
    /// The expression of the multicast mask of its copy operation.
    pub(crate) mask: Option<&'u Expr>,
    /// The expression that a library object was given the number with: `params.transaction_bytes = x`.
    pub(crate) given: Option<&'u Expr>,
    /// The memory of each argument, where it is in shared memory.
    pub(crate) places: Vec<Option<Place>>,
    /// The branches and loops around it, the outermost first.
    pub(crate) path: Vec<Step<'u>>,
    /// In a branch that may never be compiled.
    pub(crate) is_uncertain: bool,
    /// The calls that lead to it from the function whose run it is in, the outermost first.
    pub(crate) calls: Vec<Call<'u>>,
    /// The start of the tensor that is laid on shared memory.
    pub(crate) address: Option<Address>,
}

/// The base of an address in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Base {
    /// The dynamic shared memory of the CTA, which all `extern __shared__` arrays begin.
    Dynamic,
    /// A variable, or the one object of a class.
    Object(Root),
}

/// The start of something in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// The base from which it is counted.
    pub(crate) base: Base,
    /// Bits from there.
    pub(crate) start: i64,
    /// The array or member that it was reached through.
    pub(crate) within: Option<Extent>,
}

impl Address {
    /// The start of something.
    pub(crate) fn at(base: Base) -> Self {
        Self {
            base,
            start: 0,
            within: None,
        }
    }
}

/// An array or member in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// The place of its declaration.
    pub(crate) span: Option<Span>,
    /// Bits from the base of the address.
    pub(crate) start: i64,
    /// Its bits.
    pub(crate) bits: i64,
}

impl<'u> Action<'u> {
    /// An access to one element of a tensor, in these branches and loops.
    pub(crate) fn of_element(access: &'u Expr, path: Vec<Step<'u>>) -> Self {
        Self {
            kind: ActionKind::Copy,
            call: access,
            args: &[],
            values: Vec::new(),
            targs: Vec::new(),
            result: Value::Nothing,
            barrier: None,
            has_barrier: false,
            mask: None,
            given: None,
            places: Vec::new(),
            path,
            is_uncertain: false,
            calls: Vec::new(),
            address: None,
        }
    }

    /// The places of control on the way to it: in the function itself, then in each callee.
    pub(crate) fn chain(&self) -> impl Iterator<Item = Span> {
        let calls = self.calls.iter().map(|call| call.span);
        calls.chain(std::iter::once(self.span()))
    }

    /// The place of the action.
    pub(crate) fn span(&self) -> Span {
        self.call.span
    }

    /// The place of its number: that of a library object is apart from the call.
    pub(crate) fn number_span(&self) -> Span {
        self.given.unwrap_or(self.call).span
    }

    /// Whether control comes here at all.
    pub(crate) fn is_reached(&self) -> bool {
        !self.path.iter().any(|step| step.way == Way::Aside)
    }

    /// The conditions that hold where it is.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &'u Expr> {
        self.path.iter().filter_map(|step| match step.way {
            Way::Then(condition) => Some(condition),
            _ => None,
        })
    }

    /// The loops around it.
    pub(crate) fn loops(&self) -> Vec<(Span, Option<i64>)> {
        self.path
            .iter()
            .filter_map(|step| match step.way {
                Way::Loop(trips) => Some((step.span, trips)),
                _ => None,
            })
            .collect()
    }
}

/// An object in shared memory.
#[derive(Debug, Clone)]
pub(crate) struct SharedObject {
    /// Its name, or that of its class.
    pub(crate) name: Arc<str>,
    /// The declaration or cast that makes it.
    pub(crate) span: Span,
    /// The start of places in it.
    pub(crate) root: Root,
    /// Whether its bytes are requested at launch.
    pub(crate) is_dynamic: bool,
    /// Its layout in memory.
    pub(crate) layout: Result<SharedLayout, Reason>,
}

/// The layout of an object in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedLayout {
    /// Bytes.
    pub(crate) size: u64,
    /// Alignment in bytes.
    pub(crate) align: u64,
    /// Its parts that have no parts, in order; those of a union overlap.
    pub(crate) parts: Vec<SharedPart>,
}

/// A part of an object in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedPart {
    /// The members that lead to it, `tensors.A`.
    pub(crate) path: Vec<Arc<str>>,
    /// Bytes before it.
    pub(crate) offset: u64,
    /// Its bytes.
    pub(crate) size: u64,
    /// Whether it is made of barriers, by its type.
    pub(crate) is_barrier: bool,
}

/// The blocks that a kernel can be launched with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounds {
    /// The arguments of `__launch_bounds__` or `#[launch_bounds(..)]`.
    pub(crate) most: Vec<Value>,
    /// The only block: `#[launch_contract(block = (16, 16, 1))]`.
    pub(crate) only: Option<Value>,
}

/// A launch of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// The launching expression.
    pub(crate) span: Span,
    /// CTAs in each direction.
    pub(crate) grid: Value,
    /// Threads in each direction.
    pub(crate) block: Value,
    /// CTAs of a cluster in each direction, where there are clusters.
    pub(crate) cluster: Option<Value>,
    /// Bytes of dynamic shared memory.
    pub(crate) bytes: Value,
    /// Conditions that the host has checked before.
    pub(crate) held: Vec<Held>,
    /// The instance whose callers have checked something.
    pub(crate) guards: Option<usize>,
    /// The arguments of the kernel's parameters, in symbols of the host.
    pub(crate) arguments: Vec<Option<Value>>,
}
