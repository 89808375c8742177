//! The way of one thread through a kernel, statement by statement, with a number for each size that only the running
//! program knows: which copies, groups, waits and barriers it comes to, in order, and which stage each copy is of.
//!
//! Nothing is known where control depends on more than such sizes and counters, or where something with unknown effects
//! is called.

pub(super) mod aliases;
pub(super) mod arrays;
mod barriers;
mod calls;
mod cuda_pipelines;
pub(super) mod followed;
pub(super) mod meetings;
mod numbers;
mod pipelines;
mod tokens;
mod turns;

use std::cell::RefCell;
use std::sync::Arc;

use tree_sitter_cute::tree::{
    Assignment, Binding, Condition, Expr, ExprKind, Function, If, Item, ItemKind, Jump, Loop,
    LoopKind, Span, StructuredBinding,
};

use super::called::Called;
use super::thread_sets::{self, on_numbers};
use super::threads::Threads;
use super::{Seen, groups, rings};
use crate::hash::HashMap;
use crate::origin::Root;
use crate::tensor::{Space, Tensor};
use crate::trace::{Action, ActionKind};
use crate::value::Value;
use crate::walk;
use meetings::Meetings;
use turns::{Turn, first_turn, turn};

/// Statements and expressions that are gone through at most.
const STEPS: usize = 20_000;
/// Expressions inside each other that are followed.
const DEPTH: usize = 64;

/// An event on the way of a thread.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event<'s, 'u> {
    /// A copy or product reads a tensor.
    Read(&'s Action<'u>, &'u Expr, View),
    /// A copy writes a tensor, from the tile of that number.
    Write(&'s Action<'u>, &'u Expr, View, Option<i64>),
    /// A group of asynchronous copies is closed.
    Commit,
    /// A wait that leaves this number of groups open.
    Wait(&'s Action<'u>, i64),
    /// All threads of the CTA come here.
    Barrier,
    /// A barrier in shared memory is given its number of arrivals.
    Init(&'s Action<'u>, Slot, i64),
    /// Bytes are announced to one, by an arrival where the last is set.
    Announce(&'s Action<'u>, Slot, i64, bool),
    /// A wait for a phase of one.
    Phase(&'s Action<'u>, Slot, Until),
    /// TMA fills a tensor, and its bytes arrive at one.
    Fill(&'s Action<'u>, Slot, i64, Option<View>),
    /// The products so far arrive at one when they are done.
    Done(&'s Action<'u>, Slot),
    /// An arrival at a named barrier, which counts as many threads.
    Meet(&'s Action<'u>, Slot, i64),
}

/// The phase that a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// Of this parity.
    Parity(i64),
    /// The one in which the thread arrived, by its event.
    Of(usize),
}

/// A barrier in shared memory: which array, and which element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) array: usize,
    pub(super) index: i64,
}

/// The arrays of barriers that were met, by their numbers.
pub(super) type Arrays = RefCell<Vec<(Root, Vec<Arc<str>>)>>;

/// The executing thread.
#[derive(Clone, Copy)]
pub(super) struct Part<'s> {
    /// The thread.
    pub(super) thread: i64,
    /// All threads that go the same way.
    pub(super) threads: &'s Threads,
    /// The barriers.
    pub(super) arrays: &'s Arrays,
}

/// A tensor, or one stage of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct View {
    /// The declaration of the tensor that it is a view of.
    pub(super) tensor: Span,
    /// Whether its last mode counts stages.
    pub(super) is_staged: bool,
    /// The stage.
    pub(super) stage: Option<i64>,
    /// Number of stages, where it is known.
    pub(super) stages: Option<i64>,
    /// Whether it is in shared memory.
    pub(super) is_shared: bool,
    /// The declaration of the variable that counts the stage.
    pub(super) counter: Option<Span>,
}

/// The flow of control behind a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
    Return,
}

/// The end of a rehearsal: something unknown, or too many steps.
#[derive(Debug)]
struct Stopped;

type Done<T> = Result<T, Stopped>;

/// The variables of CUDA's own library, by their declarations.
#[derive(Debug, Default)]
struct OfCuda {
    /// The arrivals whose tokens variables hold, by their events.
    tokens: HashMap<Span, usize>,
    pipelines: HashMap<Span, cuda_pipelines::Pipeline>,
}

/// The actions, reads and calls on the way of a thread, by their places.
#[derive(Clone, Copy)]
pub(super) struct Followed<'s, 'u> {
    pub(super) actions: &'s HashMap<Span, &'s Action<'u>>,
    /// Reads of single elements of shared memory.
    pub(super) elements: &'s HashMap<Span, Action<'u>>,
    /// Calls at named barriers.
    pub(super) meetings: Option<&'s Meetings<'u>>,
}

/// A thread on its way.
struct Thread<'s, 'a, 'u> {
    seen: &'s Seen<'a, 'u>,
    /// The value assumed for a run-time size.
    size: i64,
    followed: Followed<'s, 'u>,
    /// The thread that goes, where that matters.
    part: Option<Part<'s>>,
    /// The run-time size that was used, where all have to be one.
    sized: Option<cute_algebra::Int>,
    numbers: HashMap<Span, i64>,
    states: HashMap<Span, Turn>,
    views: HashMap<Span, View>,
    /// The calls of functions in which something is done.
    calls: HashMap<Span, &'u Function>,
    cuda: OfCuda,
    /// The arrays that bulk copies fill, with the bytes of each.
    filled: arrays::Filled,
    /// The views of tensors laid on shared memory, by the calls that lay them.
    laid: Vec<(Span, View)>,
    events: Vec<Event<'s, 'u>>,
    steps: usize,
}

/// The events of a thread where each run-time size is `size`; nothing where they are unknown.
pub(super) fn events<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
    followed: Followed<'s, 'u>,
    size: i64,
    part: Option<Part<'s>>,
) -> Option<Vec<Event<'s, 'u>>> {
    let mut thread = Thread {
        seen,
        size,
        followed,
        part,
        sized: None,
        numbers: HashMap::default(),
        states: HashMap::default(),
        views: HashMap::default(),
        calls: followed::calls(seen),
        cuda: OfCuda::default(),
        filled: match part {
            Some(_) => arrays::filled(seen),
            None => arrays::Filled::default(),
        },
        laid: Vec::new(),
        events: Vec::new(),
        steps: STEPS,
    };
    thread.all(seen.run.body()).ok()?;
    Some(thread.events)
}

impl<'s, 'u> Thread<'s, '_, 'u> {
    fn step(&mut self) -> Done<()> {
        self.steps = self.steps.checked_sub(1).ok_or(Stopped)?;
        Ok(())
    }

    fn all(&mut self, items: &'u [Item]) -> Done<Flow> {
        for item in items {
            match self.item(item)? {
                Flow::On => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::On)
    }

    fn item(&mut self, item: &'u Item) -> Done<Flow> {
        self.step()?;
        match &item.kind {
            ItemKind::Binding(binding) => {
                if let Some(name) = &binding.name {
                    self.declare_pipeline(binding, name)?;
                    self.hold(name.span, binding.init.as_ref())?;
                }
                if let Some(init) = &binding.init {
                    self.read_elements(init)?;
                }
                self.binding(binding)?;
            }
            ItemKind::StructuredBinding(binding) => self.partitioned(binding),
            ItemKind::Expr(expr) => self.statement(expr)?,
            ItemKind::If(branch) => return self.branch(branch),
            ItemKind::Loop(repeat) => return self.repeat(repeat),
            ItemKind::Block(items) => return self.all(items),
            ItemKind::Return(_) => return Ok(Flow::Return),
            ItemKind::Jump(Jump::Break) => return Ok(Flow::Break),
            ItemKind::Jump(Jump::Continue) => return Ok(Flow::Continue),
            ItemKind::Jump(Jump::Goto) => return Err(Stopped),
            ItemKind::Conditional(conditional) => {
                let mut compiled = conditional.branches.iter().filter(|branch| {
                    let is_never =
                        matches!(&branch.condition, Condition::If(expr) if matches!(expr.kind, ExprKind::Int(0)));
                    !is_never && self.is_of_interest(&branch.items)
                });
                let first = compiled.next();
                if compiled.next().is_some() {
                    return Err(Stopped);
                }
                if let Some(branch) = first {
                    return self.all(&branch.items);
                }
            }
            _ if self.is_of_interest(std::slice::from_ref(item)) => return Err(Stopped),
            _ => {}
        }
        Ok(Flow::On)
    }

    /// Whether statements do something that matters, change followed values, or leave their place.
    fn is_of_interest(&self, items: &'u [Item]) -> bool {
        let mut found = false;
        walk::items(items, &mut |item| {
            found |= matches!(item.kind, ItemKind::Return(_) | ItemKind::Jump(_));
        });
        walk::expressions(items, &mut |expr| {
            found |= self.is_done_at(expr.span);
            let changed = match &expr.kind {
                ExprKind::Assign(assignment) => Some(&assignment.target),
                ExprKind::Unary(op, target) if op.is_step() => Some(&**target),
                _ => None,
            };
            found |= changed
                .and_then(|target| self.seen.variable(target))
                .is_some_and(|it| {
                    self.numbers.contains_key(&it)
                        || self.views.contains_key(&it)
                        || self.states.contains_key(&it)
                });
        });
        found
    }

    fn binding(&mut self, binding: &'u Binding) -> Done<()> {
        let Some(name) = &binding.name else {
            return Ok(());
        };
        let Some(init) = &binding.init else {
            // `PipelineState<3> state;`
            if let Some(Value::Instance(ty)) = rings::value_of(self.seen, name.span)
                && let Some(turn) = first_turn(ty)
            {
                self.states.insert(name.span, turn);
            }
            return Ok(());
        };
        match rings::value_of(self.seen, name.span) {
            Some(Value::Instance(ty)) if self.part.is_some() => {
                match turn(ty, init) {
                    Some(turn) => self.states.insert(name.span, turn),
                    None => self.states.remove(&name.span),
                };
            }
            Some(Value::Tensor(tensor)) => {
                let is_shared = tensor.engine.space == Space::Shared;
                let is_memory = is_shared || tensor.engine.space == Space::Global;
                let own = View {
                    tensor: name.span,
                    is_staged: tensor.layout.domain().rank() > 2,
                    stage: None,
                    stages: stages_of(tensor),
                    is_shared,
                    counter: None,
                };
                let view = match self.view(init) {
                    None if is_shared => Some(self.on_same_memory(init, own)?),
                    None => is_memory.then_some(own),
                    known => known,
                };
                match view {
                    Some(view) => self.views.insert(name.span, view),
                    None => self.views.remove(&name.span),
                };
            }
            _ => match self.number(init, DEPTH) {
                Some(number) => {
                    self.numbers.insert(name.span, number);
                }
                None => {
                    self.numbers.remove(&name.span);
                }
            },
        }
        Ok(())
    }

    /// `auto [global, shared] = tma_partition(atom, cta, layout, stensor, gtensor)`: the second is a view of the fourth.
    fn partitioned(&mut self, binding: &'u StructuredBinding) {
        let called = binding.init.as_ref().and_then(Called::of);
        let tensor = called
            .filter(|called| called.name == "tma_partition")
            .and_then(|called| called.args.get(3));
        if let (Some(name), Some(tensor)) = (binding.names.get(1), tensor) {
            match self.view(tensor) {
                Some(view) => self.views.insert(name.span, view),
                None => self.views.remove(&name.span),
            };
        }
    }

    fn branch(&mut self, branch: &'u If) -> Done<Flow> {
        self.all(&branch.init)?;
        let condition = branch.condition.as_ref();
        match condition.and_then(|condition| self.number(condition, DEPTH)) {
            Some(0) => match &branch.otherwise {
                Some(otherwise) => self.all(otherwise),
                None => Ok(Flow::On),
            },
            Some(_) => self.all(&branch.then),
            None => {
                let otherwise = branch.otherwise.as_deref().unwrap_or_default();
                if self.is_of_interest(&branch.then) || self.is_of_interest(otherwise) {
                    return Err(Stopped);
                }
                // Some threads go there and only read.
                let is_for_some = self.part.is_none()
                    && condition.is_some_and(|condition| {
                        thread_sets::asks_for_thread(self.seen, condition, DEPTH)
                    });
                if is_for_some
                    && self
                        .followed
                        .elements
                        .keys()
                        .any(|read| branch.then.iter().any(|item| item.span.encloses(*read)))
                {
                    return self.all(&branch.then);
                }
                Ok(Flow::On)
            }
        }
    }

    fn repeat(&mut self, repeat: &'u Loop) -> Done<Flow> {
        if repeat.kind == LoopKind::Range {
            let matters = self.is_of_interest(&repeat.body);
            return if matters { Err(Stopped) } else { Ok(Flow::On) };
        }
        if let Some(wait) = self.wait_in(repeat) {
            self.action(wait)?;
            return Ok(Flow::On);
        }
        let strides = self.strides_by_grid(repeat);
        match strides {
            Some(counter) => {
                self.numbers.insert(counter, 0);
            }
            None => {
                self.all(&repeat.init)?;
            }
        }
        let mut is_first = repeat.kind == LoopKind::DoWhile;
        loop {
            self.step()?;
            let condition = repeat.condition.as_ref();
            let goes_on = match condition {
                _ if std::mem::take(&mut is_first) => true,
                Some(condition) => match self.number(condition, DEPTH) {
                    Some(truth) => truth != 0,
                    None if self.is_of_interest(&repeat.body) => return Err(Stopped),
                    None => false,
                },
                None => true,
            };
            if !goes_on {
                return Ok(Flow::On);
            }
            match self.all(&repeat.body)? {
                Flow::On | Flow::Continue => {}
                Flow::Break => return Ok(Flow::On),
                Flow::Return => return Ok(Flow::Return),
            }
            if let Some(counter) = strides {
                *self.numbers.entry(counter).or_default() += 1;
            } else if let Some(step) = &repeat.step {
                self.statement(step)?;
            }
        }
    }

    fn statement(&mut self, expr: &'u Expr) -> Done<()> {
        if self.at_pipeline(expr)? || self.at_pipeline_of_cuda(expr)? {
            return Ok(());
        }
        self.read_elements(expr)?;
        if let Some(action) = self.followed.actions.get(&expr.span).copied() {
            return self.action(action);
        }
        if self.at_meeting(expr)? || self.at_call(expr)? {
            return Ok(());
        }
        if self.held(expr)? {
            return Ok(());
        }
        if self.has_action(expr) {
            return Err(Stopped);
        }
        if let ExprKind::Assign(assignment) = &expr.kind {
            self.assign(assignment)?;
        } else {
            self.number(expr, DEPTH);
        }
        Ok(())
    }

    /// Whether something that matters is inside of something else.
    fn has_action(&self, expr: &'u Expr) -> bool {
        let mut is_inside = false;
        walk::subexpressions(expr, &mut |part| {
            is_inside |= self.is_done_at(part.span);
        });
        is_inside
    }

    /// Whether something is done by a call.
    fn is_done_at(&self, call: Span) -> bool {
        self.followed.actions.contains_key(&call)
            || self.calls.contains_key(&call)
            || self.meeting_at(call).is_some()
    }

    fn assign(&mut self, assignment: &'u Assignment) -> Done<()> {
        let Some(declared) = assignment
            .target
            .as_plain_name()
            .and_then(|_| self.seen.variable(&assignment.target))
        else {
            return Ok(());
        };
        if self.views.contains_key(&declared) {
            let view = self.view(&assignment.value).ok_or(Stopped)?;
            self.views.insert(declared, view);
            return Ok(());
        }
        let value = self.number(&assignment.value, DEPTH);
        let before = self.numbers.get(&declared).copied();
        let value = match assignment.op {
            None => value,
            Some(op) => before
                .zip(value)
                .and_then(|(left, right)| on_numbers(op, left, right)),
        };
        match value {
            Some(value) => self.numbers.insert(declared, value),
            None => self.numbers.remove(&declared),
        };
        Ok(())
    }

    fn action(&mut self, action: &'s Action<'u>) -> Done<()> {
        if let Some(part) = self.part
            && self.at_barrier(action, part)?
        {
            return Ok(());
        }
        match (action.kind, action.args) {
            (ActionKind::Copy, [source, destination] | [_, source, destination])
            | (ActionKind::CopyWhere, [_, source, destination] | [_, _, source, destination]) => {
                let from = self.operand(source)?;
                if let Some(from) = from.filter(|from| from.is_shared) {
                    self.events.push(Event::Read(action, source, from));
                }
                if let Some(to) = self.operand(destination)?.filter(|to| to.is_shared) {
                    let tile = from.and_then(|from| from.stage);
                    self.events
                        .push(Event::Write(action, destination, to, tile));
                }
            }
            (ActionKind::Gemm, [a, b, _] | [_, a, b, _] | [_, _, a, b, _]) => {
                for operand in [a, b] {
                    if let Some(read) = self.operand(operand)?.filter(|read| read.is_shared) {
                        self.events.push(Event::Read(action, operand, read));
                    }
                }
            }
            (ActionKind::CommitCopies, _) => self.events.push(Event::Commit),
            (ActionKind::WaitCopies, _) => {
                let open = groups::left_open(action).ok_or(Stopped)?;
                self.events.push(Event::Wait(action, open));
            }
            (ActionKind::SyncThreads, _) => self.events.push(Event::Barrier),
            _ => return Err(Stopped),
        }
        Ok(())
    }

    /// The tensor in memory that an operand is; a stage that is not known stops everything.
    fn operand(&mut self, expr: &'u Expr) -> Done<Option<View>> {
        let view = self.view(expr);
        match view {
            Some(view) if view.is_shared && view.is_staged && view.stage.is_none() => Err(Stopped),
            _ => Ok(view),
        }
    }

    fn view(&mut self, expr: &'u Expr) -> Option<View> {
        match &expr.kind {
            ExprKind::Name(_) => self.views.get(&self.seen.variable(expr)?).copied(),
            ExprKind::Index(..) => self.element_of_array(expr),
            ExprKind::Call(callee, args) => match &callee.kind {
                ExprKind::Name(_) if self.seen.variable(callee).is_some() => {
                    let view = self.view(callee)?;
                    let last = args.last()?;
                    if !view.is_staged || view.stage.is_some() || last.as_plain_name() == Some("_")
                    {
                        return Some(view);
                    }
                    let stage = self.number(last, DEPTH);
                    let counter = last.as_plain_name().and_then(|_| self.seen.variable(last));
                    Some(View {
                        stage,
                        counter,
                        ..view
                    })
                }
                ExprKind::Name(path) => {
                    let name = path.last()?.name.name.as_str();
                    let is_view =
                        name == "local_partition" || super::partitions::VIEWS.contains(&name);
                    is_view.then(|| self.view(args.first()?))?
                }
                ExprKind::Member { member, .. } => {
                    let is_view = matches!(
                        member.name.name.as_str(),
                        "partition_S"
                            | "partition_D"
                            | "partition_A"
                            | "partition_B"
                            | "partition_C"
                            | "make_fragment_A"
                            | "make_fragment_B"
                    );
                    is_view.then(|| self.view(args.first()?))?
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The extent of the last mode of a tensor with stages.
fn stages_of(tensor: &Tensor) -> Option<i64> {
    let domain = tensor.layout.domain();
    let last = domain.rank().checked_sub(1).filter(|last| *last > 1)?;
    domain.mode(last).ok()?.size().ok()?.value()
}
