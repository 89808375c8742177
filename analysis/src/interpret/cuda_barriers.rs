//! Barriers and bulk copies of CUDA's library (`cuda::barrier`, `cuda::device`, `cuda::ptx`): each function and method by the
//! kind that it is, as the functions of CuTe and CUTLASS have one.

use tree_sitter_cute::tree::{
    BinaryOp, Expr, ExprKind, ItemKind, LoopKind, Path, Segment, UnaryOp,
};

use super::Interpreter;
use super::frame::Frame;
use super::ids::FunctionId;
use super::names::Meaning;
use super::traced_names::is_barrier_of_cuda;
use crate::object_layout::BARRIER_OF_CUDA;
use crate::trace::{Action, ActionKind, Run};
use crate::value::Value;
use crate::vocabulary;
use crate::walk;

/// The namespace of the library.
const NAMESPACE: &str = "cuda";
/// The scope of the barriers that are one `mbarrier` each.
const BLOCK: &str = "thread_scope_block";
/// The place of memory that is another CTA's.
const CLUSTER: &str = "space_cluster";
/// A size that says how it is aligned: `cuda::aligned_size_t<16>(bytes)`.
const ALIGNED: &str = "aligned_size_t";

/// A function of the library.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) name: &'static str,
    /// The number of its arguments.
    pub(super) arguments: usize,
    kind: ActionKind,
    /// The place of the barrier among them.
    barrier: Option<usize>,
    /// The place of the number of arrivals or bytes.
    number: Option<usize>,
}

pub(super) const fn word(
    name: &'static str,
    arguments: usize,
    kind: ActionKind,
    barrier: Option<usize>,
    number: Option<usize>,
) -> Word {
    Word {
        name,
        arguments,
        kind,
        barrier,
        number,
    }
}

/// All of them (libcu++, "Extended API", and `cuda::ptx`). Those without a barrier store from shared memory.
const WORDS: &[Word] = &[
    word("init", 2, ActionKind::InitBarrier, Some(0), Some(1)),
    word(
        "barrier_arrive_tx",
        3,
        ActionKind::ArriveAndExpect,
        Some(0),
        Some(2),
    ),
    word("barrier_expect_tx", 2, ActionKind::Expect, Some(0), Some(1)),
    word("memcpy_async_tx", 4, ActionKind::BulkCopy, Some(3), Some(2)),
    word("memcpy_async", 4, ActionKind::AwaitedCopy, Some(3), Some(2)),
    word("memcpy_async", 5, ActionKind::AwaitedCopy, Some(4), Some(3)),
    word(
        "cp_async_bulk_global_to_shared",
        4,
        ActionKind::BulkCopy,
        Some(3),
        Some(2),
    ),
    word(
        "cp_async_bulk_tensor_1d_global_to_shared",
        4,
        ActionKind::BulkCopy,
        Some(3),
        None,
    ),
    word(
        "cp_async_bulk_tensor_2d_global_to_shared",
        5,
        ActionKind::BulkCopy,
        Some(4),
        None,
    ),
    word(
        "cp_async_bulk_tensor_3d_global_to_shared",
        6,
        ActionKind::BulkCopy,
        Some(5),
        None,
    ),
    word(
        "cp_async_bulk_tensor_4d_global_to_shared",
        7,
        ActionKind::BulkCopy,
        Some(6),
        None,
    ),
    word(
        "cp_async_bulk_tensor_5d_global_to_shared",
        8,
        ActionKind::BulkCopy,
        Some(7),
        None,
    ),
    word(
        "cp_async_bulk_shared_to_global",
        3,
        ActionKind::BulkStore,
        None,
        Some(2),
    ),
    word(
        "cp_async_bulk_tensor_1d_shared_to_global",
        3,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "cp_async_bulk_tensor_2d_shared_to_global",
        4,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "cp_async_bulk_tensor_3d_shared_to_global",
        5,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "cp_async_bulk_tensor_4d_shared_to_global",
        6,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "cp_async_bulk_tensor_5d_shared_to_global",
        7,
        ActionKind::BulkStore,
        None,
        None,
    ),
    word(
        "mbarrier_init",
        2,
        ActionKind::InitBarrier,
        Some(0),
        Some(1),
    ),
    word("mbarrier_arrive", 1, ActionKind::Arrive, Some(0), None),
    word("mbarrier_arrive", 4, ActionKind::Arrive, Some(3), None),
    word(
        "mbarrier_arrive_expect_tx",
        5,
        ActionKind::ArriveAndExpect,
        Some(3),
        Some(4),
    ),
    word(
        "mbarrier_try_wait_parity",
        2,
        ActionKind::WaitBarrier,
        Some(0),
        Some(1),
    ),
    word(
        "mbarrier_try_wait_parity",
        4,
        ActionKind::WaitBarrier,
        Some(2),
        Some(3),
    ),
    word(
        "mbarrier_test_wait_parity",
        2,
        ActionKind::WaitBarrier,
        Some(0),
        Some(1),
    ),
    word(
        "mbarrier_expect_tx",
        5,
        ActionKind::Expect,
        Some(3),
        Some(4),
    ),
    word("cp_async_bulk", 6, ActionKind::BulkCopy, Some(5), Some(4)),
    word("cp_async_bulk", 5, ActionKind::BulkStore, None, Some(4)),
    word(
        "cp_async_bulk_tensor",
        6,
        ActionKind::BulkCopy,
        Some(5),
        None,
    ),
    word("cp_async_bulk_tensor", 5, ActionKind::BulkStore, None, None),
];

/// A function that waits by itself; the others try once.
const WAIT: &str = "mbarrier_wait";

/// Names of them that others have, too: only a barrier among the arguments tells.
const OF_OTHERS: &[&str] = &["init", "memcpy_async"];

/// Methods of a pipeline of CUDA, each a wait or an arrival at a stage.
pub(super) const STEPS_OF_CUDA: &[&str] = &[
    "consumer_release",
    "consumer_wait",
    "producer_acquire",
    "producer_commit",
];
/// The function that makes one.
const PIPELINE: &str = "make_pipeline";
/// The class of its state, with the number of stages.
const STATE: &str = "pipeline_shared_state";
/// The function that gives the group of all threads of a block.
const GROUP: &str = "this_thread_block";

impl<'u> Interpreter<'u> {
    /// The class `cuda::barrier` of the threads of a block, whether its header is read or not.
    pub(super) fn class_of_cuda(segments: &[Segment]) -> Option<Value> {
        let [scope, class] = segments else {
            return None;
        };
        if scope.name.name != NAMESPACE || class.name.name != "barrier" {
            return None;
        }
        let [of] = class.args.as_deref()? else {
            return None;
        };
        let of = of.as_path()?.last()?;
        (of.name.name == BLOCK).then(|| vocabulary::library_class(BARRIER_OF_CUDA, &[]))
    }

    /// The function of the library that a path with this meaning is.
    pub(super) fn word_of_cuda(
        &self,
        path: &Path,
        meaning: &Meaning<'u>,
        arguments: usize,
    ) -> Option<&'static Word> {
        let (last, scopes) = path.segments.split_last()?;
        let name = last.name.name.as_str();
        let word = WORDS
            .iter()
            .find(|word| word.name == name && word.arguments == arguments)?;
        let is_of_it = match meaning {
            Meaning::Functions(ids) => ids.iter().all(|id| self.is_in_cuda(*id)),
            // A friend of the class, which the barrier among the arguments finds.
            _ if scopes.is_empty() => word.kind == ActionKind::InitBarrier,
            _ => true,
        };
        is_of_it.then_some(word)
    }

    fn is_in_cuda(&self, id: FunctionId) -> bool {
        let Some(root) = self.program.module(0) else {
            return false;
        };
        let library = root.children.get(NAMESPACE);
        let mut next = self.program.functions.get(id).map(|found| found.module);
        while let Some(id) = next {
            if Some(&id) == library {
                return true;
            }
            next = self.program.module(id).and_then(|module| module.parent);
        }
        false
    }

    /// Writes down a call of such a function; whether it is one, by its arguments.
    pub(super) fn trace_word_of_cuda(
        &mut self,
        word: &'static Word,
        call: &'u Expr,
        args: &'u [Expr],
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> bool {
        let barrier = word.barrier.and_then(|place| args.get(place));
        let is_one = match barrier.filter(|_| OF_OTHERS.contains(&word.name)) {
            Some(it)
                if word.kind == ActionKind::AwaitedCopy && self.is_pipeline_of_cuda(it, frame) =>
            {
                true
            }
            Some(it) => self.is_of_cuda(it, frame),
            None => true,
        };
        if !is_one {
            return false;
        }
        let Some(run) = frame.actions.run else {
            return true;
        };
        if !frame.is_traced() || !self.is_of_run(run, call.span) {
            return true;
        }
        // The second argument counts arrivals.
        let is_one = |value: Option<&Value>| value.and_then(vocabulary::number) == Some(1);
        let arrives_once = word.name != "barrier_arrive_tx" || is_one(values.get(1));
        let is_remote = word.name.starts_with("mbarrier_") && args.iter().any(is_of_cluster);
        let is_whole = word.kind != ActionKind::WaitBarrier
            || word.name == WAIT
            || self.is_tried_until(run, call);
        let is_known = arrives_once && !is_remote && is_whole;
        let number = word.number.and_then(|place| {
            let written = args.get(place)?;
            Some(match aligned(written) {
                Some(inner) => self.eval(inner, frame),
                None => values.get(place)?.clone(),
            })
        });
        let copies = matches!(
            word.kind,
            ActionKind::BulkCopy | ActionKind::AwaitedCopy | ActionKind::BulkStore
        );
        // A barrier is the first operand.
        let from = word.barrier.filter(|_| !copies).unwrap_or(0);
        let operands = args.get(from..).unwrap_or_default();
        let first = (!copies).then_some(Value::Nothing);
        let places = operands
            .iter()
            .map(|arg| self.place_in_memory(arg, frame))
            .collect();
        let place = barrier.and_then(|barrier| self.place_in_memory(barrier, frame));
        let action = Action {
            kind: if is_known {
                word.kind
            } else {
                ActionKind::Handover
            },
            args: operands,
            values: first.into_iter().chain(number).collect(),
            barrier: place.filter(|_| is_known),
            // Whoever only waits does not work on it.
            has_barrier: barrier.is_some() && is_known && word.kind != ActionKind::WaitBarrier,
            places,
            is_uncertain: frame.mode.uncertain || frame.control.conditional > 0,
            calls: frame.actions.calls.clone(),
            ..Action::of_element(call, frame.actions.path.clone())
        };
        self.keep_action(run, action);
        true
    }

    /// Whether a trial is the condition of a loop that does nothing else: together they are a wait.
    fn is_tried_until(&self, run: usize, call: &Expr) -> bool {
        let run = self.computed.reports.runs.get(run);
        let mut found = false;
        walk::items(run.map(Run::body).unwrap_or_default(), &mut |item| {
            if let ItemKind::Loop(repeat) = &item.kind
                && let Some(Expr {
                    kind: ExprKind::Unary(UnaryOp::Not, tried),
                    ..
                }) = &repeat.condition
            {
                let mut is_empty = repeat.kind == LoopKind::While;
                walk::expressions(&repeat.body, &mut |_| is_empty = false);
                found |= is_empty && tried.span == call.span;
            }
        });
        found
    }

    /// The actions of a method of the class, one after the other; of the others, nothing is known.
    pub(super) fn actions_of_cuda(method: &str, arguments: usize) -> &'static [ActionKind] {
        match (method, arguments) {
            ("arrive", 0) => &[ActionKind::Arrive],
            ("wait" | "wait_parity", 1) => &[ActionKind::WaitBarrier],
            ("arrive_and_wait", 0) => &[ActionKind::Arrive, ActionKind::WaitBarrier],
            _ => &[ActionKind::Handover],
        }
    }

    /// Whether a variable is a pipeline of the library: one of all threads of a block, by its initialiser.
    pub(super) fn is_pipeline_of_cuda(&self, object: &Expr, frame: &Frame<'u>) -> bool {
        self.is_made_by((PIPELINE, 2), object, frame)
    }

    /// The number of stages of such a pipeline: that of its state in shared memory.
    pub(super) fn stages_of_cuda(&mut self, object: &Expr, frame: &mut Frame<'u>) -> Option<Value> {
        if !self.is_pipeline_of_cuda(object, frame) {
            return None;
        }
        let declared = frame.find(object.as_plain_name()?)?.declared;
        let ExprKind::Call(_, args) = &self.computed.written.get(&declared)?.kind else {
            return None;
        };
        let ExprKind::Unary(UnaryOp::AddressOf, state) = &args.get(1)?.kind else {
            return None;
        };
        let declared = frame.find(state.as_plain_name()?)?.declared;
        let class = frame.locals.written_types.get(&declared)?.ty.as_ref()?;
        let class = class.as_path()?.last()?;
        match (class.name.name.as_str(), class.args.as_deref()) {
            (STATE, Some([_, stages])) => Some(self.eval(stages, frame)),
            _ => None,
        }
    }

    /// Whether a variable is the group of all threads of a block.
    pub(super) fn is_block_of_cuda(&self, object: &Expr, frame: &Frame<'u>) -> bool {
        self.is_made_by((GROUP, 0), object, frame)
    }

    /// Whether the initialiser of a variable is a call of a function of this name, with this number of arguments.
    fn is_made_by(
        &self,
        (name, arguments): (&str, usize),
        object: &Expr,
        frame: &Frame<'u>,
    ) -> bool {
        let variable = object.as_plain_name().and_then(|name| frame.find(name));
        let init = variable.and_then(|variable| self.computed.written.get(&variable.declared));
        let Some(ExprKind::Call(callee, args)) = init.map(|init| &init.kind) else {
            return false;
        };
        let last = callee.as_path().and_then(Path::last);
        last.is_some_and(|last| last.name.name == name) && args.len() == arguments
    }

    /// Whether an expression is a barrier of the library, or points to one: by the type of the variable or member behind it.
    pub(super) fn is_of_cuda(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let value = match &expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf | UnaryOp::Deref, inner)
            | ExprKind::Index(inner, _)
            | ExprKind::Binary(BinaryOp::Add, inner, _) => return self.is_of_cuda(inner, frame),
            ExprKind::Name(_) => {
                let variable = expr.as_plain_name().and_then(|name| frame.find(name));
                variable.map(|variable| variable.value.clone())
            }
            ExprKind::Member { .. } => {
                let recording = frame.mode.pause();
                let member = self.eval(expr, frame);
                frame.mode.recording = recording;
                Some(member)
            }
            _ => None,
        };
        match value {
            Some(Value::Instance(ty)) => is_barrier_of_cuda(&ty),
            Some(Value::Pointer(pointer)) => {
                pointer.element.as_deref().is_some_and(is_barrier_of_cuda)
            }
            _ => false,
        }
    }
}

fn is_of_cluster(arg: &Expr) -> bool {
    let last = arg.as_path().and_then(Path::last);
    last.is_some_and(|last| last.name.name == CLUSTER)
}

/// The size in `cuda::aligned_size_t<16>(size)`.
fn aligned(size: &Expr) -> Option<&Expr> {
    let (class, args) = match &size.kind {
        ExprKind::Call(callee, args) => (callee, args),
        ExprKind::Construct { ty, args, .. } => (ty, args),
        _ => return None,
    };
    let last = class.as_path()?.last()?;
    match args.as_slice() {
        [only] if last.name.name == ALIGNED => Some(only),
        _ => None,
    }
}
