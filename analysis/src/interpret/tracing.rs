//! Actions of a function, recorded while it is evaluated.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Path, Segment, Span};

use super::Interpreter;
use super::cuda_barriers::{STEPS_OF_CUDA, Word};
use super::frame::Frame;
use super::names::Meaning;
use super::traced_names::{
    BARRIER_METHODS, has_stages, is_action, is_allocator, is_barrier_class, is_global,
    is_laid_on_shared_memory, is_of_cta, is_of_library, is_owned, is_tiled, is_view, kind_of,
};
use crate::hash::HashMap;
use crate::origin::Place;
use crate::trace::{Action, ActionKind, Bounds, Constants, Run};
use crate::value::Value;
use crate::vocabulary;
use crate::walk;

/// Methods of barriers that only wait.
const WAITS: &[&str] = &["try_wait", "test_wait", "invalidate"];

/// Barrier classes of CUTLASS (`cutlass/arch/barrier.h`).
pub(super) const BARRIER_CLASSES: &[&str] = &["ClusterBarrier", "ClusterTransactionBarrier"];

/// Initialisers that are followed from one variable to the next.
const FOLLOWED: usize = 8;

/// The attribute that bounds the launches of a kernel (CUDA C++ programming guide, "Launch Bounds").
pub(super) const LAUNCH_BOUNDS: &str = "__launch_bounds__";

/// The callee, where it matters to the actions of a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum Called<'u> {
    /// A word of the vocabulary, or of the library at least.
    Word(&'u Segment),
    /// A method of a barrier's class: `ClusterBarrier::init`.
    BarrierMethod(&'u Segment),
    /// A function of the source that is one instruction on a barrier.
    Instruction(ActionKind),
    /// A function of CUDA's library on barriers.
    OfCuda(&'static Word),
    /// A function, method or lambda of the source, or an unknown one.
    Other,
    /// A tensor with stages.
    Staged,
    /// A tensor of global memory, of which a CTA may take its part.
    Divided,
    /// The construction of a type, a layout at a coordinate: nothing is done.
    Nothing,
}

impl<'u> Interpreter<'u> {
    /// Whether a place is in the file of the traced function.
    pub(super) fn is_of_run(&self, run: usize, place: Span) -> bool {
        let run = self.computed.reports.runs.get(run);
        run.is_some_and(|run| {
            self.recorder
                .focus
                .share_a_file(run.function.name.span, place)
        })
    }

    /// Begins to record the actions of an instance of a function, where its facts are kept.
    pub(super) fn start_run(&mut self, function: &'u Function, frame: &mut Frame<'u>) {
        // Of Rust, only the addresses of kernels are followed.
        let is_followed = self.settings.is_cpp() || self.is_rust() && function.flags.global;
        if !self.settings.looks_for.costs
            || !is_followed
            || !self.recorder.keeps(function.name.span, frame)
        {
            return;
        }
        frame.actions.run = Some(self.computed.reports.runs.len());
        self.computed.reports.runs.push(Run {
            function,
            instance: frame.owner.instance.clone(),
            is_uncertain: frame.mode.uncertain,
            target: self.program.target(),
            actions: Vec::new(),
            followed: Vec::new(),
            bodies: Vec::new(),
            arguments: HashMap::default(),
            shared: Vec::new(),
            launches: Vec::new(),
            constants: Constants::default(),
            bounds: Bounds::default(),
            counters: Vec::new(),
            states: Vec::new(),
            remote_pipelines: Vec::new(),
            accesses: None,
        });
    }

    /// The callee of a call.
    pub(super) fn called(
        &mut self,
        callee: &'u Expr,
        meaning: &Meaning<'u>,
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> Called<'u> {
        if frame.actions.run.is_none() {
            return Called::Nothing;
        }
        self.note_reserved_at_call(callee, frame);
        if let ExprKind::Name(path) = &callee.kind
            && let Some(method) = self.barrier_method(path, frame)
        {
            return Called::BarrierMethod(method);
        }
        let segment = callee.as_path().and_then(|path| path.last());
        let word = callee.as_path().filter(|_| !self.is_rust());
        if let Some(word) = word.and_then(|path| self.word_of_cuda(path, meaning, values.len())) {
            return Called::OfCuda(word);
        }
        match meaning {
            Meaning::Library(_) | Meaning::Nothing(_) if self.is_rust() => {
                let word = callee.as_path();
                let word = word.and_then(|path| self.word_of_device(path, meaning, values, frame));
                word.map_or(Called::Other, Called::OfCuda)
            }
            Meaning::Vocabulary(segment) => Called::Word(segment),
            // Functions of the source under a name of the library, none of which takes this.
            Meaning::Functions(ids) => match segment {
                // Its header is read, too: `cutlass::arch::umma_arrive`.
                Some(segment) if is_of_library(callee) && is_action(segment) => {
                    Called::Word(segment)
                }
                Some(segment) if is_action(segment) => {
                    let recording = frame.mode.pause();
                    let explicit = self.template_arguments(Some(segment), frame);
                    frame.mode.recording = recording;
                    if self.any_takes(ids, &explicit, values) {
                        Called::Other
                    } else {
                        Called::Word(segment)
                    }
                }
                _ => match self.instruction_on_barrier(ids) {
                    Some(kind) => Called::Instruction(kind),
                    None if self.is_bulk_copy(ids) => Called::Instruction(ActionKind::BulkCopy),
                    None => Called::Other,
                },
            },
            Meaning::Value(Value::Callable(_) | Value::Unknown(_)) => Called::Other,
            Meaning::Value(Value::Tensor(tensor)) if has_stages(tensor.engine.space) => {
                Called::Staged
            }
            Meaning::Value(Value::Tensor(tensor)) if is_global(tensor.engine.space) => {
                Called::Divided
            }
            Meaning::Value(_) => Called::Nothing,
            _ => Called::Other,
        }
    }

    /// The method of `cutlass::arch::ClusterBarrier::method`, also through an alias of the class.
    fn barrier_method(&mut self, path: &'u Path, frame: &mut Frame<'u>) -> Option<&'u Segment> {
        let (method, scopes) = path.segments.split_last()?;
        let class = scopes.last()?;
        if BARRIER_CLASSES.contains(&class.name.name.as_str()) {
            return Some(method);
        }
        let [alias] = scopes else {
            return None;
        };
        // Most paths are not barriers: look only where the method may be one.
        if !BARRIER_METHODS
            .iter()
            .map(|(name, _)| *name)
            .chain(WAITS.iter().copied())
            .any(|name| name == method.name.name)
        {
            return None;
        }
        match self.meaning_of_plain(alias, frame) {
            Meaning::Value(Value::Type(ty)) => is_barrier_class(&ty).then_some(method),
            _ => None,
        }
    }

    /// Writes down a call of a function.
    pub(super) fn trace_call(
        &mut self,
        called: Called<'u>,
        call: &'u Expr,
        args: &'u [Expr],
        values: &[Value],
        result: &Value,
        frame: &mut Frame<'u>,
    ) {
        if walk::is_assembly(call)
            && let Some((kind, first)) = self.assembly_on_barrier(call, args)
        {
            let (args, values) = (args.get(first..), values.get(first..));
            let (args, values) = (args.unwrap_or_default(), values.unwrap_or_default());
            self.trace(kind, None, call, None, args, values, result, frame);
            return;
        }
        let (kind, segment) = match called {
            Called::Nothing => return,
            Called::OfCuda(word) => {
                if self.trace_word_of_cuda(word, call, args, values, frame) {
                    return;
                }
                (ActionKind::Handover, None)
            }
            Called::Word(segment) => {
                let name = segment.name.name.as_str();
                match vocabulary::action(name) {
                    Some(kind) => (kind, Some(segment)),
                    None if vocabulary::function(name).is_some() => return,
                    None => (ActionKind::Handover, None),
                }
            }
            Called::BarrierMethod(method) => {
                let name = method.name.name.as_str();
                match kind_of(BARRIER_METHODS, name) {
                    Some(kind) => (kind, None),
                    None => return,
                }
            }
            Called::Staged => {
                if values.iter().any(|at| !matches!(at, Value::Underscore)) {
                    self.trace_slice(ActionKind::Slice, call, args, values, result, frame);
                }
                return;
            }
            Called::Divided => {
                if values.iter().any(is_of_cta) {
                    self.trace_slice(ActionKind::CtaSlice, call, args, values, result, frame);
                }
                return;
            }
            Called::Instruction(kind) => (kind, None),
            Called::Other => (ActionKind::Handover, None),
        };
        self.trace(kind, segment, call, None, args, values, result, frame);
    }

    /// Records a slice of a tensor, with the tensor before the coordinates.
    fn trace_slice(
        &mut self,
        kind: ActionKind,
        call: &'u Expr,
        args: &'u [Expr],
        values: &[Value],
        result: &Value,
        frame: &mut Frame<'u>,
    ) {
        let ExprKind::Call(callee, _) = &call.kind else {
            return;
        };
        let recording = frame.mode.pause();
        let tensor = self.eval(callee, frame);
        frame.mode.recording = recording;
        let mut all = vec![tensor];
        all.extend_from_slice(values);
        self.trace(kind, None, call, None, args, &all, result, frame);
    }

    /// Writes down a call of a method.
    #[allow(clippy::too_many_arguments)] // A call of a method has this many parts.
    pub(super) fn trace_method(
        &mut self,
        call: &'u Expr,
        object: (&'u Expr, &Value),
        method: &'u Segment,
        args: &'u [Expr],
        values: &[Value],
        result: &Value,
        frame: &mut Frame<'u>,
    ) {
        if frame.actions.run.is_none() {
            return;
        }
        let name = method.name.name.as_str();
        let (object, value) = object;
        if self.trace_pipeline_method(call, object, method, args, values, frame) {
            return;
        }
        let own = vocabulary::action_of_method(name);
        if let Some(kind @ (ActionKind::ThreadSlice | ActionKind::Partition)) = own {
            if is_tiled(value) {
                let all: Vec<Value> = std::iter::once(value).chain(values).cloned().collect();
                self.trace(kind, None, call, None, args, &all, result, frame);
            }
            return;
        }
        if name == "sync" && args.is_empty() && self.is_block_of_cuda(object, frame) {
            let kind = ActionKind::SyncThreads;
            self.trace(kind, Some(method), call, None, args, values, result, frame);
            return;
        }
        if STEPS_OF_CUDA.contains(&name)
            && let Some(stages) = self.stages_of_cuda(object, frame)
        {
            let (at, kind) = (Some(object), ActionKind::WaitStage);
            self.trace(kind, Some(method), call, at, args, &[stages], result, frame);
            return;
        }
        let may_be_of_cuda = matches!(value, Value::Instance(_) | Value::Unknown(_));
        if may_be_of_cuda && self.is_of_cuda(object, frame) {
            for kind in Self::actions_of_cuda(name, args.len()) {
                let at = Some(object);
                self.trace(*kind, Some(method), call, at, args, values, result, frame);
            }
            return;
        }
        let (kind, receiver) = match value {
            Value::Instance(ty) if is_barrier_class(ty) => match kind_of(BARRIER_METHODS, name) {
                Some(kind) => (kind, Some(object)),
                None => return,
            },
            // An element of an array of barriers.
            Value::Unknown(_) if self.is_barrier_element(object, frame) => {
                match kind_of(BARRIER_METHODS, name) {
                    Some(kind) => (kind, Some(object)),
                    None => return,
                }
            }
            Value::Instance(ty) if name == "allocate" && is_allocator(ty) => {
                (ActionKind::AllocateColumns, None)
            }
            Value::Instance(ty) if name == "free" && is_allocator(ty) => {
                (ActionKind::FreeColumns, None)
            }
            Value::Object(found) if self.only_looks(found.class.instance, name) => return,
            Value::Object(_) => (ActionKind::Handover, Some(object)),
            _ => match own {
                Some(kind @ ActionKind::Fragment) => (kind, None),
                _ if vocabulary::method(name).is_some() => return,
                _ => (ActionKind::Handover, None),
            },
        };
        self.trace(
            kind,
            Some(method),
            call,
            receiver,
            args,
            values,
            result,
            frame,
        );
    }

    #[allow(clippy::too_many_arguments)] // An action has this many parts.
    fn trace(
        &mut self,
        kind: ActionKind,
        segment: Option<&'u Segment>,
        call: &'u Expr,
        receiver: Option<&'u Expr>,
        args: &'u [Expr],
        values: &[Value],
        result: &Value,
        frame: &mut Frame<'u>,
    ) {
        let Some(run) = frame.actions.run else { return };
        if !frame.is_traced() || !self.is_of_run(run, call.span) {
            return;
        }
        let kind = match kind {
            ActionKind::Fragment if is_owned(result) => kind,
            ActionKind::Fragment if is_laid_on_shared_memory(result) => ActionKind::Lay,
            ActionKind::Fragment => return,
            kind => kind,
        };
        // To whom memory is given matters where barriers in it are judged.
        if kind == ActionKind::Handover
            && (!self.announces(run) || self.pointer_behind(call, frame).is_some())
        {
            return;
        }
        let targs = match kind {
            ActionKind::MulticastMask | ActionKind::SetRegisters | ActionKind::WaitCopies => {
                let recording = frame.mode.pause();
                let targs = self.template_arguments(segment, frame);
                frame.mode.recording = recording;
                targs
            }
            _ => Vec::new(),
        };
        let places: Vec<Option<Place>> = args
            .iter()
            .map(|arg| self.place_in_memory(arg, frame))
            .collect();
        let mut barrier = None;
        let mut has_barrier = false;
        let mut mask = None;
        match kind {
            ActionKind::InitBarrier
            | ActionKind::Arrive
            | ActionKind::ArriveAndExpect
            | ActionKind::Expect
            | ActionKind::WaitBarrier
            | ActionKind::Commit => {
                barrier = match receiver {
                    Some(object) => self.place_in_memory(object, frame),
                    None => places.first().cloned().flatten(),
                };
                // Whoever only waits does not work on it.
                has_barrier = kind != ActionKind::WaitBarrier;
            }
            ActionKind::BulkCopy => {
                barrier = self.initialised_among(run, &places);
                has_barrier = true;
            }
            ActionKind::Copy => {
                if let Some(given) = args.first().and_then(|atom| self.given_to(atom, frame)) {
                    has_barrier = true;
                    barrier = given
                        .first()
                        .and_then(|barrier| self.place_in_memory(barrier, frame));
                    mask = given.get(1);
                }
            }
            _ => {}
        }
        let address = match (kind, args.first()) {
            (ActionKind::Lay, Some(pointer)) => self.address(pointer, frame),
            _ => None,
        };
        let mut values = values.to_vec();
        if receiver.is_some() && kind != ActionKind::Handover {
            // As where the barrier is the first argument.
            values.insert(0, Value::Nothing);
        }
        let mut places = places;
        if kind == ActionKind::Handover
            && let Some(object) = receiver
        {
            places.push(self.place_in_memory(object, frame));
        }
        if kind == ActionKind::Handover
            && (places.iter().all(Option::is_none) || self.follow(call, args, &places, frame))
        {
            return;
        }
        let action = Action {
            kind,
            call,
            args,
            values,
            targs,
            result: result.clone(),
            barrier,
            has_barrier,
            mask,
            given: None,
            places,
            path: frame.actions.path.clone(),
            is_uncertain: frame.mode.uncertain || frame.control.conditional > 0,
            calls: frame.actions.calls.clone(),
            address,
        };
        self.keep_action(run, action);
    }

    /// The place, of some, at which a barrier was initialised before.
    fn initialised_among(&self, run: usize, places: &[Option<Place>]) -> Option<Place> {
        let is_one = |place: &&Place| self.is_initialised(Some(run), place);
        places.iter().flatten().find(is_one).cloned()
    }

    /// Whether a barrier of an array was initialised before.
    pub(super) fn is_initialised(&self, run: Option<usize>, place: &Place) -> bool {
        let run = run.and_then(|run| self.computed.reports.runs.get(run));
        let mut actions = run.into_iter().flat_map(|run| &run.actions);
        actions.any(|action| {
            let known = action.barrier.as_ref();
            action.kind == ActionKind::InitBarrier
                && known.is_some_and(|known| known.array() == place.array())
        })
    }

    /// Adds an action to those of a function.
    pub(super) fn keep_action(&mut self, run: usize, action: Action<'u>) {
        let Some(run) = self.computed.reports.runs.get_mut(run) else {
            return;
        };
        if action.calls.is_empty() {
            run.actions.push(action);
        } else {
            run.followed.push((run.actions.len(), action));
        }
    }

    /// The arguments of `atom.with(..)`, written in place or in the initialiser of a variable.
    fn given_to(&self, atom: &'u Expr, frame: &mut Frame<'u>) -> Option<&'u [Expr]> {
        let mut atom = atom;
        for _ in 0..FOLLOWED {
            if let ExprKind::Call(callee, args) = &atom.kind {
                return match &callee.kind {
                    ExprKind::Member { member, .. } if member.name.name == "with" => Some(args),
                    _ => None,
                };
            }
            let declared = frame.find(atom.as_plain_name()?)?.declared;
            atom = self.computed.written.get(&declared).copied()?;
        }
        None
    }

    /// Whether the methods of a name only compute views: nothing in them copies or touches a barrier.
    fn only_looks(&mut self, record: usize, name: &str) -> bool {
        let methods = self.methods(record, name);
        let mut only = !methods.is_empty();
        for function in methods {
            let body = function.body.as_deref().unwrap_or_default();
            only &= function.body.is_some();
            walk::expressions(body, &mut |expr| {
                if let ExprKind::Call(callee, _) = &expr.kind {
                    only &= is_view(callee);
                }
            });
        }
        only
    }

    fn is_barrier_element(&mut self, object: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let ExprKind::Index(base, _) = &object.kind else {
            return false;
        };
        let recording = frame.mode.pause();
        let base = self.eval(base, frame);
        frame.mode.recording = recording;
        match base {
            Value::Pointer(pointer) => pointer.element.as_deref().is_some_and(is_barrier_class),
            _ => false,
        }
    }

    /// Notes a constant in the statements of a function: a variable may be another number when it is named again.
    pub(super) fn trace_constant(&mut self, expr: &Expr, value: &Value, frame: &Frame<'u>) {
        let (Some(run), Value::Int(int)) = (frame.actions.run, value) else {
            return;
        };
        let is_constant = match &expr.kind {
            ExprKind::Name(path) => path.segments.len() > 1 || int.is_static(),
            ExprKind::Call(..) | ExprKind::Construct { .. } | ExprKind::Member { .. } => {
                int.is_static()
            }
            _ => false,
        };
        if let (true, Some(number)) = (is_constant, int.value())
            && let Some(run) = self.computed.reports.runs.get_mut(run)
        {
            run.constants.note(expr.span, number);
        }
    }
}
