//! Calls in a kernel: functions of the source are walked with their arguments.

use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, Item, Lambda, Reference, UnaryOp};

use super::super::names::Meaning;
use super::super::overloads::{Asked, Selection};
use super::super::site::Site;
use super::held::{Count, Held, Local, Pointer, Ty};
use super::places::is_place;
use super::{Scope, Walker};
use crate::access::terms::{IntKind, Operator, SymbolKind, Term, TermId};
use crate::access::{AccessKind, AccessSpace};
use crate::cuda_functions::{ATOMICS, LOADS, STORES, is_alone};
use crate::limits;
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
    "printf",
];

/// Those of them that wait for no thread of another warp.
const UNORDERED: &[&str] = &[
    "__syncwarp",
    "__pipeline_commit",
    "__pipeline_wait_prior",
    "assert",
    "printf",
];

impl<'u> Walker<'_, 'u> {
    pub(super) fn call(&mut self, expr: &'u Expr, callee: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        if let Some(expansion) = self.it.expansion(expr, callee, &self.frame) {
            return self.value(expansion);
        }
        if let ExprKind::Lambda(lambda) = &callee.kind {
            self.lambda(lambda);
            return self.call_lambda(lambda, self.outer.len(), args);
        }
        let ExprKind::Name(path) = &callee.kind else {
            if let ExprKind::Member { object, member, .. } = &callee.kind {
                let held = self.value(object);
                if self.it.is_rust()
                    && let Some(found) = self.rust_method(expr, (held.clone(), member), args)
                {
                    return found;
                }
                if let Held::Group(group) = held {
                    return self.of_group(expr, group, &member.name.name, args);
                }
                if let Some(methods) = self.methods_of(&held, &member.name.name) {
                    return self.not_entered(expr, args, &methods);
                }
            }
            return self.not_followed(expr, args);
        };
        let name = path.last().map_or("", |segment| segment.name.name.as_str());
        if let Some(local) = callee.as_plain_name().and_then(|name| self.find(name)) {
            return match local.held {
                Held::Lambda(lambda, home) => self.call_lambda(lambda, home, args),
                _ => self.sliced(expr, args),
            };
        }
        if self.it.is_rust()
            && let Some(found) = self.rust_function(path, expr, args)
        {
            return found;
        }
        let meaning = self.it.meaning(path, &mut self.frame);
        if let Meaning::Functions(ids) = meaning {
            let values = self.passed(args);
            let explicit = self.it.template_arguments(path.last(), &mut self.frame);
            let given: Vec<_> = values
                .iter()
                .map(|held| held.to_value(&self.out.terms))
                .collect();
            let arguments = self.it.arguments_of(&[], &given, &mut self.frame);
            let asked = Asked {
                explicit: &explicit,
                values: &given,
                arguments: &arguments,
                constant: None,
            };
            let named = self.it.named_functions(&ids);
            if let Selection::One(chosen) = self.it.overload(&named, None, &asked)
                && let Some(body) = &chosen.function.body
            {
                let site = Site {
                    module: chosen.module,
                    record: None,
                    this: None,
                };
                return self.walk_function(
                    chosen.function,
                    body,
                    &site,
                    &chosen.bound.tparams,
                    (args, values),
                );
            }
            for (arg, held) in args.iter().zip(values) {
                match held {
                    Held::Place(place) => {
                        self.loaded_from(arg, Ok(place));
                    }
                    Held::Lambda(lambda, _) => self.lose_all_to(lambda),
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
            return Held::Other(why.into(), None);
        }
        if walk::is_assembly(expr) {
            return self.assembly(expr, args);
        }
        if let Some(group) = self.group(path, args) {
            return group;
        }
        self.word(expr, name, args)
            .unwrap_or_else(|| self.not_followed(expr, args))
    }

    pub(super) fn values(&mut self, args: &'u [Expr]) -> Vec<Held<'u>> {
        args.iter().map(|arg| self.value(arg)).collect()
    }

    /// The arguments of a function of the source: an object in memory is not loaded where the parameter is a reference.
    fn passed(&mut self, args: &'u [Expr]) -> Vec<Held<'u>> {
        args.iter()
            .map(|arg| {
                let is_other_name = || {
                    let local = arg.as_plain_name().and_then(|name| self.find(name));
                    local.is_some_and(|local| matches!(local.held, Held::Place(_)))
                };
                if !is_place(arg) && !is_other_name() {
                    return self.value(arg);
                }
                match self.place(arg) {
                    Some(Ok(place)) if !matches!(place.target, Ty::Array(..)) => Held::Place(place),
                    Some(place) => self.loaded_from(arg, place),
                    None => self.value(arg),
                }
            })
            .collect()
    }

    /// A lambda: its changes to variables around it by reference are followed where it is called.
    pub(super) fn lambda(&mut self, lambda: &'u Lambda) -> Held<'u> {
        let by_reference = lambda.default_capture == Some('&') && lambda.captures.is_empty();
        for name in super::statements::changed_in(&lambda.body, &[]) {
            if self.find(name).is_none() {
                continue;
            }
            if !by_reference {
                self.lose_to_lambda(name);
            } else if !self.lambdas.changed_in_lambdas.contains(&name) {
                self.lambdas.changed_in_lambdas.push(name);
            }
        }
        Held::Lambda(lambda, self.outer.len())
    }

    pub(super) fn lose_to_lambda(&mut self, name: &'u str) {
        if !self.lambdas.changed_by_lambdas.contains(&name) {
            self.lambdas.changed_by_lambdas.push(name);
            self.forget(name, "a lambda changes it");
        }
    }

    /// A lambda that other code calls may change its variables at any time.
    pub(super) fn lose_all_to(&mut self, lambda: &'u Lambda) {
        for name in super::statements::changed_in(&lambda.body, &[]) {
            self.lose_to_lambda(name);
        }
    }

    /// Walks a lambda among the variables around it.
    fn call_lambda(&mut self, lambda: &'u Lambda, home: usize, args: &'u [Expr]) -> Held<'u> {
        let values = self.passed(args);
        let key = std::ptr::from_ref(lambda).cast::<Function>();
        if self.calls.len() >= limits::ACCESS_DEPTH || self.calls.contains(&key) {
            self.unseen();
            return Held::Other("calls inside calls".into(), None);
        }
        self.calls.push(key);
        let away = self.outer.get_mut(home).map(|(scopes, frame)| {
            std::mem::swap(scopes, &mut self.scopes);
            std::mem::swap(&mut **frame, &mut self.frame);
        });
        let held = self.walk_called(
            &lambda.params,
            &lambda.body,
            (args, away.is_none()),
            &values,
        );
        if away.is_some() {
            // Under which conditions of the functions between is not seen here.
            self.lose_all_to(lambda);
        }
        if let Some((scopes, frame)) = self.outer.get_mut(home) {
            std::mem::swap(scopes, &mut self.scopes);
            std::mem::swap(&mut **frame, &mut self.frame);
        }
        self.calls.pop();
        held
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
        if let ("__pipeline_memcpy_async", [to, from, bytes, ..]) = (name, args) {
            self.copied(expr, to, from, bytes);
            return Some(Held::Other("a copy".into(), None));
        }
        if ATOMICS.contains(&name) {
            let place = self.pointed(args.first()?);
            for arg in args.get(1..).unwrap_or_default() {
                self.value(arg);
            }
            let ty = place.as_ref().ok().map(|place| place.target.clone());
            self.met(expr.span, AccessKind::Atomic, &place, None);
            // A lock or a flag may be made of it.
            self.fence();
            let why = format!("`{name}` gives each thread another value");
            return Some(match ty {
                Some(Ty::Int(kind)) => Held::Int(self.unknown(&why, kind)),
                ty => Held::Other(why.into(), ty),
            });
        }
        let operator = match (name, args) {
            ("__shfl_sync", [_, value, _]) => {
                let value = self.term(value);
                return Some(Held::Int(self.of_warp(value)));
            }
            ("min" | "umin", [_, _]) => Operator::Min,
            ("max" | "umax", [_, _]) => Operator::Max,
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
            (name, _) if name.starts_with("make_") => {
                let values = self.values(args);
                return match self.parts(name.get(5..)?, values) {
                    parts @ Held::Parts(_) => Some(parts),
                    other => Some(other),
                };
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

    /// The value of one lane, given to all of its warp: the number itself where it is the same in a warp, as
    /// `threadIdx.x / 32` in blocks whose rows are whole warps.
    fn of_warp(&mut self, value: TermId) -> TermId {
        const WARP: i64 = 32;
        let kind = self.out.terms.kind(value);
        let why = "a number of another lane";
        let terms = &self.out.terms;
        if !terms.varies(value) && terms.unknown_in(value).is_none() {
            return value;
        }
        let mut inner = value;
        while let Term::Convert(of) = terms.term(inner) {
            inner = *of;
        }
        let is_of_warp = match terms.term(inner) {
            Term::Binary(Operator::Div, of, by) => terms
                .as_number(*by)
                .is_some_and(|by| by > 0 && by % WARP == 0)
                .then_some(*of),
            Term::Binary(Operator::Shr, of, by) => (terms.as_number(*by) >= Some(5)).then_some(*of),
            _ => None,
        };
        let mut of = is_of_warp;
        while let Some(Term::Convert(inner)) = of.map(|of| terms.term(of)) {
            of = Some(*inner);
        }
        let symbol = of.and_then(|of| terms.symbol(terms.as_symbol(of)?));
        if !symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Thread(0)) {
            return self.unknown(why, kind);
        }
        let terms = self.terms();
        let row = terms.shared("blockDim.x", SymbolKind::BlockSize(0), IntKind::UNSIGNED, 1);
        let warp = terms.number(WARP, IntKind::INT);
        let rest = terms.binary(Operator::Rem, row, warp);
        let zero = terms.number(0, IntKind::INT);
        let whole = terms.binary(Operator::Equal, rest, zero);
        let otherwise = terms.unknown(why, kind);
        terms.select(whole, value, otherwise)
    }

    /// A copy of a thread from global to shared memory.
    fn copied(&mut self, expr: &'u Expr, to: &'u Expr, from: &'u Expr, bytes: &'u Expr) {
        let bytes = self.term(bytes);
        let bytes = self.out.terms.as_number(bytes);
        for (pointer, kind) in [(from, AccessKind::Load), (to, AccessKind::Store)] {
            let place = self.pointed(pointer).and_then(|pointer| {
                let each = pointer.target.bytes().filter(|each| *each > 0);
                let elements = each.zip(bytes).map(|(each, bytes)| bytes / each);
                match elements.filter(|elements| *elements > 0) {
                    Some(elements) => Ok(Pointer {
                        target: Ty::Array(Box::new(pointer.target), Some(Count::Known(elements))),
                        ..pointer
                    }),
                    None => Err("how much is copied is not known".into()),
                }
            });
            self.met(expr.span, kind, &place, None);
        }
    }

    fn pointed(&mut self, expr: &'u Expr) -> Result<Pointer, Arc<str>> {
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
    fn not_followed(&mut self, expr: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        for held in self.values(args) {
            if let Held::Lambda(lambda, _) = held {
                self.lose_all_to(lambda);
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

    fn walk_function(
        &mut self,
        function: &'u Function,
        body: &'u [Item],
        site: &Site,
        tparams: &[crate::value::Value],
        (args, values): (&'u [Expr], Vec<Held<'u>>),
    ) -> Held<'u> {
        let key = std::ptr::from_ref(function);
        if self.calls.len() >= limits::ACCESS_DEPTH || self.calls.contains(&key) {
            self.forget_passed(args);
            self.unseen();
            return Held::Other("calls inside calls".into(), None);
        }
        let mut frame = self.it.function_frame(function, site, self.frame.steps);
        self.it
            .template_scope(&function.tparams, tparams, &mut frame);
        frame.scopes.push(super::super::frame::Scope::default());
        let outer = std::mem::replace(&mut self.frame, frame);
        let scopes = std::mem::replace(&mut self.scopes, vec![Scope::default()]);
        self.outer.push((scopes, Box::new(outer)));
        self.calls.push(key);
        self.names.called += 1;
        let caller = std::mem::replace(&mut self.names.call, self.names.called);
        let (held, after) = self.walk_body(&function.params, body, args, &values);
        self.calls.pop();
        if let Some((scopes, frame)) = self.outer.pop() {
            self.scopes = scopes;
            let callee = std::mem::replace(&mut self.frame, *frame);
            self.frame.steps = callee.steps;
            self.give_back(&function.params, args, &after);
            // The result has a type of the callee.
            let own = std::mem::replace(&mut self.frame, callee);
            let held = self.as_returned(function, held);
            self.frame = own;
            self.names.call = caller;
            return held;
        }
        self.names.call = caller;
        held
    }

    /// The return value of a function, in its declared type.
    fn as_returned(&mut self, function: &'u Function, held: Held<'u>) -> Held<'u> {
        let ret = function.ret.as_ref();
        match ret {
            Some(ret) if !super::super::deduction::is_deduced(ret, &function.tparams) => {
                let ty = match &ret.kind {
                    ExprKind::Auto => Ty::Auto,
                    ExprKind::Reference(..) => return held,
                    _ => self.ty(ret),
                };
                if matches!(ty, Ty::Int(_) | Ty::Pointer(_)) {
                    self.converted(held, &ty)
                } else {
                    held
                }
            }
            _ => held,
        }
    }

    /// Walks the body of a lambda. `is_home` says that its arguments are variables around it.
    fn walk_called(
        &mut self,
        params: &'u [Binding],
        body: &'u [Item],
        (args, is_home): (&'u [Expr], bool),
        values: &[Held<'u>],
    ) -> Held<'u> {
        let (held, after) = self.walk_body(params, body, args, values);
        if is_home {
            self.give_back(params, args, &after);
        }
        held
    }

    /// Walks the body of a function or lambda: its result, and its parameters afterwards.
    fn walk_body(
        &mut self,
        params: &'u [Binding],
        body: &'u [Item],
        args: &'u [Expr],
        values: &[Held<'u>],
    ) -> (Held<'u>, Scope<'u>) {
        self.scopes.push(Scope::default());
        for (index, param) in params.iter().enumerate() {
            let Some(name) = &param.name else { continue };
            let ty = param.ty.as_ref().map_or(Ty::Auto, |ty| self.ty(ty));
            let ty = match ty {
                // The type deduced from a pointer is that of its pointee.
                Ty::Pointer(target) if matches!(*target, Ty::Open(..)) => Ty::Auto,
                ty => ty,
            };
            let given = values.get(index).cloned();
            let held = match (given, &param.init) {
                // Another name of the same memory.
                (Some(held @ Held::Place(_)), _) if param.reference != Reference::None => held,
                (Some(Held::Place(place)), _) => {
                    let held = match args.get(index) {
                        Some(arg) => self.loaded_from(arg, Ok(place)),
                        None => Held::Other("an argument".into(), None),
                    };
                    self.converted(held, &ty)
                }
                (Some(held), _) => self.converted(held, &ty),
                (None, Some(init)) => {
                    let held = self.value(init);
                    self.converted(held, &ty)
                }
                (None, None) => {
                    Held::Other("an argument that is not given".into(), Some(ty.clone()))
                }
            };
            let ty = match ty {
                Ty::Auto | Ty::Other(..) => held.ty(&self.out.terms).unwrap_or(ty),
                ty => ty,
            };
            self.declare(&name.name, Local::new(held, ty));
        }
        let returns = std::mem::take(&mut self.returns);
        let (entry, loops) = (self.course.entry, self.course.loops_at_entry);
        self.course.entry = self.course.guards.len();
        self.course.loops_at_entry = self.course.loops.len();
        let ended = std::mem::replace(&mut self.course.ended, false);
        let switch = std::mem::replace(&mut self.course.in_switch, false);
        self.scopes.push(Scope::default());
        self.walk_all(body);
        self.scopes.pop();
        self.course.guards.truncate(self.course.entry);
        (
            self.course.entry,
            self.course.loops_at_entry,
            self.course.ended,
            self.course.in_switch,
        ) = (entry, loops, ended, switch);
        let own = std::mem::replace(&mut self.returns, returns);
        let after = self.scopes.pop().unwrap_or_default();
        (self.returned(own), after)
    }

    /// Gives the arguments of reference parameters the values of the parameters afterwards.
    fn give_back(&mut self, params: &'u [Binding], args: &'u [Expr], after: &Scope<'u>) {
        for (param, arg) in params.iter().zip(args) {
            let is_changed = param.reference == Reference::Lvalue && !param.specifiers.constant;
            if let (true, Some(name)) = (is_changed, &param.name)
                && let Some(local) = after.get(name.name.as_str())
                && let Some(given) = arg.as_plain_name()
                && self
                    .find(given)
                    .is_some_and(|given| !matches!(given.ty, Ty::Array(..)))
            {
                let held = local.held.clone();
                if !matches!(held, Held::Place(_)) {
                    self.store(arg, held);
                }
            }
        }
    }

    /// The value of a function with these `return`s, each with the condition under which it is reached.
    fn returned(
        &mut self,
        returns: Vec<(Option<crate::access::terms::TermId>, Held<'u>)>,
    ) -> Held<'u> {
        let mut returns = returns.into_iter().rev();
        let Some((_, last)) = returns.next() else {
            return Held::Other("it returns nothing".into(), None);
        };
        returns.fold(last, |after, (condition, held)| match condition {
            Some(condition) => self.joined(condition, held, after),
            None => held,
        })
    }

    /// A parameter of the kernel.
    pub(super) fn declare_parameter(&mut self, param: &'u Binding) {
        let (Some(name), Some(ty)) = (&param.name, &param.ty) else {
            return;
        };
        let ty = self.ty(ty);
        let held = match &ty {
            Ty::Int(kind) => {
                let kind = *kind;
                if let Some(value) = self.it.assumed_value(&name.name, name.span) {
                    let own = name.name.as_str().into();
                    self.out.assumed.push((own, value));
                    self.number(value, kind)
                } else {
                    Held::Int(self.terms().shared(
                        &name.name,
                        SymbolKind::Uniform,
                        kind,
                        super::LEAST,
                    ))
                }
            }
            Ty::Pointer(target) => {
                let target = Ty::clone(target);
                self.pointer_to(&name.name, target, AccessSpace::Global, None)
            }
            // Its members are looked up where they are named.
            Ty::Other(crate::types::Type::Record(_) | crate::types::Type::Class(_), _) => return,
            _ => Held::Other(
                format!("`{}` is not an integer", name.name).into(),
                Some(ty.clone()),
            ),
        };
        if let Held::Int(term) = &held {
            self.out.origins.declare(*term, name.span);
            if let Some(symbol) = self.out.terms.as_symbol(*term) {
                self.out.origins.give(symbol);
            }
        }
        self.declare(&name.name, Local::new(held, ty));
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

fn callee_of(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call(callee, _) => Some(callee),
        _ => None,
    }
}
