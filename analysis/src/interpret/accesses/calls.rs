//! Calls in a kernel: functions of the source are walked with their arguments.

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind, Path, UnaryOp};

use super::super::ids::{FunctionId, RecordId};
use super::super::names::Meaning;
use super::super::overloads::{Asked, Named, Selection};
use super::super::site::Site;
use super::Walker;
use super::bodies::Callee;
use super::held::{Held, Pointer, Ty};
use super::methods::Receiver;
use super::strided::Strided;
use crate::access::alike::{Alike, WARP};
use crate::access::terms::{IntKind, Operator, SymbolKind, TermId};
use crate::access::{AccessKind, GroupStep};
use crate::cuda_functions::{ATOMICS, LOADS, STORES, is_alone};
use crate::value::Value;
use crate::walk;

/// Functions of which nothing comes that an address depends on, and that change no variable.
const SILENT: &[&str] = &[
    "__syncthreads",
    "__syncwarp",
    "__threadfence",
    "__threadfence_block",
    "__pipeline_commit",
    "__pipeline_wait_prior",
    "assert",
    "cp_async_bulk_commit_group",
    "cp_async_bulk_wait_group",
    "cp_async_bulk_wait_group_read",
    "fence_proxy_async",
    "fence_proxy_async_shared_cta",
    "printf",
];

/// Those of them that wait for no thread of another warp.
const UNORDERED: &[&str] = &[
    "__syncwarp",
    "__pipeline_commit",
    "__pipeline_wait_prior",
    "assert",
    "cp_async_bulk_commit_group",
    "cp_async_bulk_wait_group",
    "cp_async_bulk_wait_group_read",
    "fence_proxy_async",
    "fence_proxy_async_shared_cta",
    "printf",
];

impl<'u> Walker<'_, 'u> {
    /// The value of a call; of one that gives a reference, the place in memory.
    pub(super) fn called(&mut self, expr: &'u Expr) -> Held<'u> {
        let ExprKind::Call(callee, args) = &expr.kind else {
            return self.value(expr);
        };
        if !self.step() {
            return Held::Other("the kernel is too large".into(), None);
        }
        self.nested(|it| it.call(expr, callee, args))
            .unwrap_or_else(|| {
                self.unseen();
                Held::Other("too many nested evaluations".into(), None)
            })
    }

    fn call(&mut self, expr: &'u Expr, callee: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        if let Some(expansion) = self.it.expansion(expr, callee, &self.frame) {
            return self.expanded_from(expr, |it| it.value(expansion));
        }
        if let ExprKind::Lambda(lambda) = &callee.kind {
            let closure = self.lambda(lambda);
            return self.call_lambda(&closure, args);
        }
        let ExprKind::Name(path) = &callee.kind else {
            return self.call_unnamed(expr, callee, args);
        };
        let name = path.last().map_or("", |segment| segment.name.name.as_str());
        if let Some(local) = callee.as_plain_name().and_then(|name| self.find(name)) {
            return match local.held.clone() {
                Held::Lambda(closure) => self.call_lambda(&closure, args),
                Held::Layout(layout) => match self.offset_in(&layout, args) {
                    Some(offset) => offset,
                    None => self.sliced(expr, args),
                },
                Held::Strided(of) => self.indexed_strided(*of, args),
                Held::Laid(of) => match self.element_of_tensor(*of, args) {
                    Some(element) => element,
                    None => self.sliced(expr, args),
                },
                Held::Parts(ref parts) if parts.instance().is_some() => {
                    let receiver = self.receiver(callee, false);
                    self.method(expr, (receiver, callee), ("operator()", None), args)
                }
                _ => self.sliced(expr, args),
            };
        }
        let meaning = self.it.meaning(path, &mut self.frame);
        if !self.it.is_rust()
            && matches!(meaning, Meaning::Value(_))
            && let Some(parts) = self.given_by_name(callee)
        {
            let receiver = (Receiver::Given(parts), callee);
            return self.method(expr, receiver, ("operator()", None), args);
        }
        if self.it.is_rust()
            && !matches!(meaning, Meaning::Functions(_) | Meaning::Methods(..))
            && let Some(found) = self.rust_function(path, expr, args)
        {
            return found;
        }
        if let Meaning::Methods(record, methods) = &meaning {
            let segment = path.last();
            return self.method_by_name(expr, (*record, methods, segment), args);
        }
        let known = self.thread_of_cutlass(expr, path, &meaning);
        if let Some(known) = known.or_else(|| self.tuple_made(path, args)) {
            return known;
        }
        if let Meaning::Functions(ids) = &meaning {
            return self.call_one_of(expr, path, ids, args);
        }
        if walk::is_assembly(expr) {
            return self.assembly(expr, args);
        }
        if let Meaning::Vocabulary(word) = &meaning
            && word.name.name == "mdspan"
        {
            return self.construct(expr, callee, args);
        }
        if let Some(made) = self
            .group(path, args)
            .or_else(|| self.layout_made(expr, &meaning))
            .or_else(|| self.tensor_made(expr, &meaning, args))
        {
            return made;
        }
        self.word(expr, name, args)
            .unwrap_or_else(|| self.not_followed(expr, args))
    }

    /// A call of a method, or of a layout or a tensor that is made at its place.
    fn call_unnamed(&mut self, expr: &'u Expr, callee: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        if let ExprKind::Member {
            object,
            member,
            arrow,
        } = &callee.kind
        {
            if let Some(of) = self.strided_named(callee) {
                return self.indexed_strided(of, args);
            }
            let receiver = self.receiver_of(object, *arrow, &member.name.name);
            if let Receiver::Value(Held::Strided(of)) = &receiver {
                let of = Strided::clone(of);
                return self
                    .method_of_strided(of, &member.name.name, args)
                    .unwrap_or_else(|| self.not_followed(expr, args));
            }
            if let Receiver::Value(held) = &receiver {
                if self.it.is_rust()
                    && let Some(found) = self.rust_method(expr, (held.clone(), member), args)
                {
                    return found;
                }
                if let Held::Group(group) = held {
                    return self.of_group(expr, *group, &member.name.name, args);
                }
                let named = (expr, member.name.name.as_str());
                if let Some(stage) = self.stage_of_state(held, named, args) {
                    return stage;
                }
            }
            let name = (member.name.name.as_str(), Some(member));
            return self.method(expr, (receiver, object), name, args);
        }
        if let Some(layout) = self.layout_called(callee)
            && let Some(offset) = self.offset_in(&layout, args)
        {
            return offset;
        }
        if let Some(element) = self.element_of_made(callee, args) {
            return element;
        }
        self.not_followed(expr, args)
    }

    /// Walks the function of the source that a call chooses.
    fn call_one_of(
        &mut self,
        expr: &'u Expr,
        path: &'u Path,
        ids: &[FunctionId],
        args: &'u [Expr],
    ) -> Held<'u> {
        let name = path.last().map_or("", |segment| segment.name.name.as_str());
        let values = self.passed(args);
        let explicit = self.it.template_arguments(path.last(), &mut self.frame);
        let named = self.it.named_functions(ids);
        if let Selection::One(chosen) = self.overload(&named, None, &explicit, &values)
            && chosen.function.body.is_some()
        {
            let site = Site {
                module: chosen.module,
                record: None,
                this: None,
            };
            let callee = Callee {
                function: chosen.function,
                site,
                tparams: chosen.bound.tparams,
                own: None,
            };
            let outer = self.course.site;
            self.course.site = outer.or(Some(expr.span));
            let held = self.walk_function(callee, (args, values)).0;
            self.course.site = outer;
            return held;
        }
        for (arg, held) in args.iter().zip(values) {
            match held {
                Held::Pointed(place) => {
                    self.loaded_from(arg, Ok(place));
                }
                Held::Lambda(closure) => self.lose_all_to(closure.lambda),
                _ => {}
            }
        }
        if !is_alone(name) {
            self.unseen();
        }
        // An argument that all of them take by value stays as it is.
        let functions: Vec<_> = named.iter().map(|(_, function, _)| *function).collect();
        self.forget_changed_by(args, &functions);
        let why = format!("which `{name}` is called is not known");
        Held::Other(why.into(), None)
    }

    /// The function among some, of a class where one is given, that arguments choose; `explicit` are those of templates.
    pub(super) fn overload(
        &mut self,
        named: &[Named<'u>],
        record: Option<RecordId>,
        explicit: &[Value],
        values: &[Held<'u>],
    ) -> Selection<'u> {
        let given: Vec<Value> = values
            .iter()
            .map(|held| held.to_value(&self.out.terms))
            .collect();
        let arguments = self.it.arguments_of(&[], &given, &mut self.frame);
        let asked = Asked {
            explicit,
            values: &given,
            arguments: &arguments,
            constant: None,
        };
        self.it.overload(named, record, &asked)
    }

    pub(super) fn values(&mut self, args: &'u [Expr]) -> Vec<Held<'u>> {
        args.iter().map(|arg| self.value(arg)).collect()
    }

    /// The arguments of a function of the source: an object in memory is not loaded where the parameter is a reference.
    pub(super) fn passed(&mut self, args: &'u [Expr]) -> Vec<Held<'u>> {
        args.iter()
            .map(|arg| match self.lent(arg) {
                Some(held) => held,
                None => self.passed_one(arg),
            })
            .collect()
    }

    /// An argument, where no variable is lent to the function.
    pub(super) fn passed_one(&mut self, arg: &'u Expr) -> Held<'u> {
        if let Some(held) = self.read_element(arg) {
            return held;
        }
        if !self.is_place(arg) && !self.names_place(arg) {
            if let Some(parts) = self.given_by_name(arg) {
                return Held::Parts(parts);
            }
            return self.value(arg);
        }
        self.value_or_place(arg)
    }

    /// The functions of asynchronous copies; a copy has a result, a step of its groups has none.
    fn pipelined(&mut self, expr: &'u Expr, name: &str, args: &'u [Expr]) -> Option<Held<'u>> {
        match (name, args) {
            ("__pipeline_memcpy_async", [to, from, bytes, ..]) => {
                self.copied(expr, to, from, bytes);
                return Some(Held::Other("a copy".into(), None));
            }
            ("__pipeline_commit", []) => self.grouped(expr.span, GroupStep::Close),
            ("__pipeline_wait_prior", [open]) => {
                let open = self.term(open);
                let open = self.out.terms.as_number(open);
                let step = open.map_or(GroupStep::Unknown, GroupStep::Wait);
                self.grouped(expr.span, step);
            }
            _ => {}
        }
        None
    }

    /// An atomic operation on a place.
    pub(super) fn atomic(
        &mut self,
        expr: &'u Expr,
        place: &Result<Pointer, Arc<str>>,
        name: &str,
    ) -> Held<'u> {
        let ty = place.as_ref().ok().map(|place| place.target.clone());
        self.met(expr.span, AccessKind::Atomic, place, None);
        // A lock or a flag may be made of it.
        self.fence();
        let why = format!("`{name}` gives each thread another value");
        match ty {
            Some(Ty::Int(kind)) => Held::Int(self.unknown(&why, kind)),
            ty => Held::Other(why.into(), ty),
        }
    }

    /// A function of CUDA.
    fn word(&mut self, expr: &'u Expr, name: &str, args: &'u [Expr]) -> Option<Held<'u>> {
        if LOADS.contains(&name) {
            let place = self.pointed(args.first()?);
            return Some(self.load(expr.span, place));
        }
        if STORES.contains(&name) {
            let place = self.pointed(args.first()?);
            self.value(args.get(1)?);
            self.met(expr.span, AccessKind::Store, &place, None);
            return Some(Held::Other("a store".into(), None));
        }
        if let Some(held) = self
            .pipelined(expr, name, args)
            .or_else(|| self.stored_in_bulk(expr, name, args))
        {
            return Some(held);
        }
        if ATOMICS.contains(&name) {
            let place = self.pointed(args.first()?);
            for arg in args.get(1..).unwrap_or_default() {
                self.value(arg);
            }
            return Some(self.atomic(expr, &place, name));
        }
        if let Some(held) = self.word_of_warp(expr, name, args) {
            return Some(held);
        }
        let operator = match (name, args) {
            // It is its first argument, of type `long`.
            ("__builtin_expect", [value, likely]) => {
                let value = self.term(value);
                self.value(likely);
                return Some(Held::Int(self.terms().convert(value, IntKind::LONG)));
            }
            ("min" | "umin", [_, _]) => Operator::Min,
            ("max" | "umax", [_, _]) => Operator::Max,
            ("__umulhi", [_, _]) => return self.upper_half(args, IntKind::UNSIGNED),
            ("__umul64hi", [_, _]) => return self.upper_half(args, IntKind::UNSIGNED_LONG),
            ("__mul24" | "__umul24", [_, _]) => Operator::Mul,
            ("abs", [only]) => {
                let term = self.term(only);
                let terms = self.terms();
                let zero = terms.number(0, IntKind::INT);
                let opposite = terms.binary(Operator::Sub, zero, term);
                return Some(Held::Int(terms.binary(Operator::Max, term, opposite)));
            }
            (
                "__cvta_generic_to_shared"
                | "__builtin_assume_aligned"
                | "make_gmem_ptr"
                | "make_smem_ptr",
                [only, ..],
            ) => {
                let held = self.value(only);
                if let Held::Pointer(pointer) = &held {
                    self.begins_at(expr.span, pointer);
                }
                return Some(held);
            }
            (name, _) if SILENT.contains(&name) => {
                self.values(args);
                if name.starts_with("__syncthreads") {
                    self.barrier(expr.span);
                } else if !UNORDERED.contains(&name) {
                    self.fence();
                }
                return Some(Held::Other("nothing".into(), None));
            }
            (name, _) if is_vector_maker(name) => {
                let values = self.values(args);
                return Some(self.parts(name.get(5..)?, values));
            }
            // Types that are called like functions: `int(x)`.
            (_, [only])
                if matches!(
                    self.it.eval(callee_of(expr)?, &mut self.frame),
                    crate::value::Value::Type(_)
                ) =>
            {
                let held = self.value(only);
                let ty = self.ty(callee_of(expr)?);
                return Some(self.converted(held, &ty));
            }
            _ => return None,
        };
        let [left, right] = args else {
            return None;
        };
        let (left, right) = (self.value(left), self.value(right));
        let (Held::Int(left), Held::Int(right)) = (&left, &right) else {
            return Some(Held::Other("it is not an integer".into(), None));
        };
        Some(Held::Int(self.terms().binary(operator, *left, *right)))
    }

    /// The upper half of the bits of a product of unsigned numbers.
    fn upper_half(&mut self, factors: &'u [Expr], kind: IntKind) -> Option<Held<'u>> {
        let [left, right] = factors else { return None };
        let (left, right) = (self.term(left), self.term(right));
        let terms = self.terms();
        let (left, right) = (terms.convert(left, kind), terms.convert(right, kind));
        Some(Held::Int(terms.binary(Operator::High, left, right)))
    }

    /// The value of one lane, given to all of its warp: the number itself where it is the same in a warp, as
    /// `threadIdx.x / 32` in blocks whose rows are whole warps; another one is a number of the warp where all of it take
    /// it from the same `lane`.
    pub(super) fn of_warp(&mut self, value: TermId, lane: Option<TermId>, name: &str) -> TermId {
        let kind = self.out.terms.kind(value);
        let why = "a number of another lane";
        match self.out.terms.alike(value) {
            Some(Alike::Block) => value,
            Some(Alike::Warp) => {
                let terms = self.terms();
                let row =
                    terms.shared("blockDim.x", SymbolKind::BlockSize(0), IntKind::UNSIGNED, 1);
                let warp = terms.number(WARP, IntKind::INT);
                let rest = terms.binary(Operator::Rem, row, warp);
                let zero = terms.number(0, IntKind::INT);
                let whole = terms.binary(Operator::Equal, rest, zero);
                // It has no value in other blocks.
                let otherwise = self.number_of_warp(name, value);
                self.terms().select(whole, value, otherwise)
            }
            None => {
                let is_same = lane.is_some_and(|lane| self.out.terms.alike(lane).is_some());
                if !is_same {
                    return self.unknown(why, kind);
                }
                self.number_of_warp(name, value)
            }
        }
    }

    /// A number that all lanes of a warp have, and only the running program knows: made of numbers of the lanes. Loaded ones
    /// are not below 0.
    fn number_of_warp(&mut self, name: &str, of: TermId) -> TermId {
        let terms = self.terms();
        let kind = terms.kind(of);
        let least = match terms.unknown_in(of) {
            Some(_) => super::LEAST,
            None => kind.least(),
        };
        terms.fresh_from(name, SymbolKind::OfWarp, kind, least)
    }

    /// A number that a function of CUDA gives to all lanes of a warp.
    fn word_of_warp(&mut self, expr: &'u Expr, name: &str, args: &'u [Expr]) -> Option<Held<'u>> {
        let term = match (name, args) {
            ("__shfl_sync", [_, value, lane, width @ ..]) => {
                let held = self.value(value);
                let lane = self.term(lane);
                let width: Vec<TermId> = width.iter().map(|width| self.term(width)).collect();
                let is_whole = |width: &TermId| self.out.terms.as_number(*width) == Some(WARP);
                let lane = width.iter().all(is_whole).then_some(lane);
                let Held::Int(value) = held else {
                    return Some(held);
                };
                let written = self.text(expr.span);
                self.of_warp(value, lane, &written)
            }
            ("__any_sync" | "__all_sync" | "__ballot_sync", [_, _]) | ("__activemask", []) => {
                self.values(args);
                let kind = match name {
                    "__any_sync" | "__all_sync" => IntKind::INT,
                    _ => IntKind::UNSIGNED,
                };
                let written = self.text(expr.span);
                let terms = self.terms();
                terms.fresh_from(&written, SymbolKind::OfWarp, kind, 0)
            }
            (
                "__reduce_add_sync" | "__reduce_min_sync" | "__reduce_max_sync"
                | "__reduce_and_sync" | "__reduce_or_sync" | "__reduce_xor_sync",
                [_, _],
            ) => match self.values(args).pop()? {
                Held::Int(value) => {
                    let written = self.text(expr.span);
                    self.number_of_warp(&written, value)
                }
                other => return Some(other),
            },
            _ => return None,
        };
        Some(Held::Int(term))
    }

    pub(super) fn pointed(&mut self, expr: &'u Expr) -> Result<Pointer, Arc<str>> {
        match self.value(expr) {
            Held::Pointer(pointer) => Ok(pointer),
            other => Err(other.reason()),
        }
    }

    /// `tensor(_, _, stage)`.
    fn sliced(&mut self, expr: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        for arg in args {
            let is_number =
                !matches!(arg.kind, ExprKind::Int(_)) && arg.as_plain_name() != Some("_");
            // Twice without effects: a slice has no others.
            if is_number && is_arithmetic(arg) {
                let index = self.term(arg);
                self.indexed(arg.span, index);
            }
        }
        self.not_followed(expr, args)
    }

    /// A call of a function that is not visible: it may change objects whose address it receives.
    pub(super) fn not_followed(&mut self, expr: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        for held in self.values(args) {
            if let Held::Lambda(closure) = held {
                self.lose_all_to(closure.lambda);
            }
        }
        self.forget_passed(args);
        let name = match callee_of(expr).map(|callee| &callee.kind) {
            Some(ExprKind::Name(path)) => path.last().map(|segment| segment.name.name.as_str()),
            _ => None,
        };
        if !name.is_some_and(is_alone) {
            self.unseen();
        }
        let why = format!("`{}` is not followed", self.text(expr.span));
        Held::Other(why.into(), None)
    }
}

/// Whether an expression is made of names and numbers by operators that change nothing.
fn is_arithmetic(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Int(_) => true,
        ExprKind::Cast(_, _, inner) => is_arithmetic(inner),
        ExprKind::Unary(op, inner) => matches!(op, UnaryOp::Minus) && is_arithmetic(inner),
        ExprKind::Binary(_, left, right) => is_arithmetic(left) && is_arithmetic(right),
        ExprKind::Ternary(condition, then, otherwise) => [condition, then, otherwise]
            .into_iter()
            .all(|part| is_arithmetic(part)),
        _ => false,
    }
}

/// Whether a function makes a vector of CUDA: `make_int2`.
fn is_vector_maker(name: &str) -> bool {
    let vector = name.strip_prefix("make_");
    vector.is_some_and(|vector| crate::cuda_vectors::size_and_alignment(vector).is_some())
}

fn callee_of(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call(callee, _) => Some(callee),
        _ => None,
    }
}
