//! Selection among several functions of a name: C++ [over.match], where the types of the arguments are known.
//!
//! Unknown facts about them are followed as several worlds: where each leads to the same function, or to a program that
//! no compiler takes, that one is called.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Segment, TemplateParamKind};

use super::Interpreter;
use super::bound::Bound;
use super::classes::SETTLED_DEPTH;
use super::deduction::bind;
use super::frame::{Frame, Scope, Variable};
use super::ids::{FunctionId, ModuleId};
use super::matching::{Fit, compared};
use super::preferred::{
    Winner, deduce_written, deduces_two_types, hide_open_integers, is_better, level, open,
    rank_of_object, without_declarations, worlds,
};
use super::questions::names_parameter_in;
use super::rank::Rank;
use super::written_arguments::Argument;
use crate::limits;
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::Value;

/// A function that may be called.
#[derive(Debug, Clone)]
pub(super) struct Candidate<'u> {
    /// Its place among the functions; methods have none.
    pub(super) id: Option<FunctionId>,
    pub(super) function: &'u Function,
    pub(super) bound: Bound,
    pub(super) module: ModuleId,
    /// The class instance whose method it is.
    pub(super) record: Option<usize>,
    /// Whether its head has constraints.
    pub(super) constrained: bool,
}

/// The requirements of a call.
pub(super) struct Asked<'a> {
    pub(super) explicit: &'a [Value],
    pub(super) values: &'a [Value],
    pub(super) arguments: &'a [Argument],
    /// Whether the object of the method is constant, where that is known.
    pub(super) constant: Option<bool>,
}

/// The callee that was selected for a call.
pub(super) enum Selection<'u> {
    One(Candidate<'u>),
    /// No function takes the arguments.
    Nothing,
    /// Each of these may be called.
    Open(Reason, Vec<Candidate<'u>>),
}

/// The functions of a name, each where it is declared.
pub(super) type Named<'u> = (Option<FunctionId>, &'u Function, ModuleId);

/// The preference between two candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Better,
    Open,
    Not,
}

impl<'u> Interpreter<'u> {
    /// The functions under these numbers.
    pub(super) fn named_functions(&self, ids: &[FunctionId]) -> Vec<Named<'u>> {
        ids.iter()
            .filter_map(|id| {
                let found = self.program.functions.get(*id)?;
                Some((Some(*id), found.function, found.module))
            })
            .collect()
    }

    /// Whether a function of the name takes the arguments.
    pub(super) fn any_takes(
        &mut self,
        ids: &[FunctionId],
        explicit: &[Value],
        values: &[Value],
    ) -> bool {
        let named = self.named_functions(ids);
        named
            .iter()
            .any(|(_, function, _)| bind(self, function, explicit, values).is_some())
    }

    /// The function of a name that a call calls. `record` is the class instance whose methods they are.
    pub(super) fn overload(
        &mut self,
        functions: &[Named<'u>],
        record: Option<usize>,
        asked: &Asked<'_>,
    ) -> Selection<'u> {
        let is_special =
            |function: &Function| function.flags.specialised || function.special_args.is_some();
        let mut candidates: Vec<Candidate<'u>> = Vec::new();
        for &(id, function, module) in functions {
            if !is_special(function)
                && let Some(mut bound) = bind(self, function, asked.explicit, asked.values)
            {
                let params = (&function.params, &function.tparams);
                let asks = |place: usize| self.function_asks_about(place, function, module);
                deduce_written(params.0, params.1, &asks, &mut bound, asked);
                // Nothing narrow is left of a number that is a symbol.
                hide_open_integers(
                    (&function.params, &function.tparams),
                    &mut bound,
                    asked,
                    &|place, int| int.value().is_some() && names_parameter_in(function, place),
                );
                let constrained = self.is_constrained(function, module);
                candidates.push(Candidate {
                    id,
                    function,
                    bound,
                    module,
                    record,
                    constrained,
                });
            }
        }
        let selection = self.best(&candidates, asked);
        let special: Vec<Named<'u>> = functions
            .iter()
            .filter(|(_, function, _)| is_special(function))
            .copied()
            .collect();
        match selection {
            Selection::One(chosen) if !special.is_empty() => self.specialised(chosen, &special),
            // The template that it specialises is not visible.
            Selection::Nothing if !special.is_empty() => self.only_special(&special, asked),
            other => other,
        }
    }

    fn best(&mut self, candidates: &[Candidate<'u>], asked: &Asked<'_>) -> Selection<'u> {
        let mut candidates = without_declarations(candidates);
        if candidates.len() < 2 {
            return candidates.pop().map_or(Selection::Nothing, Selection::One);
        }
        let mut enabled: Vec<(Candidate<'u>, Option<Reason>)> = Vec::new();
        for candidate in candidates {
            match self.takes_part(&candidate) {
                Fit::Yes => enabled.push((candidate, None)),
                Fit::Open(reason) => enabled.push((candidate, Some(reason))),
                Fit::No => {}
            }
        }
        if enabled.len() < 2 {
            return enabled
                .pop()
                .map_or(Selection::Nothing, |(only, _)| Selection::One(only));
        }
        let mut chosen: Option<usize> = None;
        for world in worlds(asked.arguments) {
            match self.winner(&enabled, &world, asked) {
                Winner::One(index) if chosen.is_none_or(|chosen| chosen == index) => {
                    chosen = Some(index);
                }
                // No compiler takes such a program.
                Winner::Nothing => {}
                Winner::One(_) | Winner::Open => return open(enabled, asked),
            }
        }
        match chosen {
            Some(index) => Selection::One(enabled.swap_remove(index).0),
            None => open(enabled, asked),
        }
    }

    /// The candidate that is better than all others where the integers among the arguments have these types.
    fn winner(
        &mut self,
        candidates: &[(Candidate<'u>, Option<Reason>)],
        world: &[Option<Scalar>],
        asked: &Asked<'_>,
    ) -> Winner {
        let mut ranks: Vec<Vec<Rank>> = Vec::with_capacity(candidates.len());
        for (candidate, _) in candidates {
            let mut frame = self.candidate_frame(candidate);
            let given = asked.explicit.len();
            let function = candidate.function;
            let mut own = self.ranks(function, given, asked.arguments, world, &mut frame);
            if candidate.record.is_some() {
                own.push(rank_of_object(candidate.function, asked.constant));
            }
            if deduces_two_types(candidate.function, world, asked) {
                own.push(Rank::NOT);
            }
            ranks.push(own);
        }
        level(&mut ranks, candidates);
        let may_take: Vec<usize> = (0..candidates.len())
            .filter(|index| {
                ranks
                    .get(*index)
                    .is_some_and(|own| own.iter().all(|rank| rank.may_take()))
            })
            .collect();
        let is_certain = |index: usize| {
            let takes = ranks
                .get(index)
                .is_some_and(|own| own.iter().all(|rank| rank.takes()));
            takes
                && candidates
                    .get(index)
                    .is_some_and(|(_, open)| open.is_none())
        };
        match may_take.as_slice() {
            [] => return Winner::Nothing,
            [only] => return Winner::One(*only),
            _ => {}
        }
        let mut is_open = false;
        for &index in &may_take {
            let mut order = if is_certain(index) {
                Order::Better
            } else {
                Order::Open
            };
            for &other in may_take.iter().filter(|other| **other != index) {
                match is_better(candidates, &ranks, index, other, asked.values.len()) {
                    Order::Better => {}
                    Order::Open if is_certain(other) || order == Order::Not => {
                        order = if order == Order::Not {
                            Order::Not
                        } else {
                            Order::Open
                        };
                    }
                    Order::Open => order = Order::Open,
                    // One that may not take part at all is not a certain obstacle.
                    Order::Not if !is_certain(other) && order != Order::Not => order = Order::Open,
                    Order::Not => order = Order::Not,
                }
            }
            match order {
                Order::Better => return Winner::One(index),
                Order::Open => is_open = true,
                Order::Not => {}
            }
        }
        if is_open {
            Winner::Open
        } else {
            Winner::Nothing
        }
    }

    /// Whether no condition leaves a candidate out. One that asks for itself on the way says nothing: `swap` of `std::`, whose
    /// conditions look `swap` up.
    fn takes_part(&mut self, candidate: &Candidate<'u>) -> Fit {
        let (function, arguments) = (candidate.function, &candidate.bound.tparams);
        if function.tparams.is_empty() {
            return self.meets_conditions(candidate);
        }
        let are_known = arguments
            .iter()
            .all(|argument| self.is_settled_value(argument, SETTLED_DEPTH));
        if !self.nesting.begin_candidate(function, arguments, are_known) {
            return Fit::Open(Reason::Circular(function.name.name.as_str().into()));
        }
        let fit = self.meets_conditions(candidate);
        self.nesting.end_candidate();
        fit
    }

    fn meets_conditions(&mut self, candidate: &Candidate<'u>) -> Fit {
        let function = candidate.function;
        let mut frame = self.candidate_frame(candidate);
        let mut open = None;
        // A parameter without a name is not a variable of the scope.
        for (index, tparam) in function.tparams.iter().enumerate() {
            let given = candidate.bound.tparams.get(index);
            let default = tparam
                .default
                .as_ref()
                .filter(|_| matches!(given, None | Some(Value::Nothing)));
            let kind = match &tparam.kind {
                TemplateParamKind::Value(ty) => Some(ty),
                _ => None,
            };
            for condition in default.into_iter().chain(kind) {
                match self.drops_out(condition, &mut frame) {
                    Fit::Yes => {}
                    Fit::No => return Fit::No,
                    Fit::Open(reason) => open = open.or(Some(reason)),
                }
            }
        }
        // A type that a parameter names has to be there: `typename T::X*`.
        let named = function.params.iter().filter_map(|param| param.ty.as_ref());
        let named = named.filter(|ty| !function.tparams.is_empty() && is_nested(ty));
        for ty in named.chain(&function.ret) {
            match self.drops_out(ty, &mut frame) {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => open = open.or(Some(reason)),
            }
        }
        let bound = &candidate.bound.tparams;
        match self.satisfies(
            &function.tparams,
            function.requires.as_ref(),
            bound,
            &mut frame,
        ) {
            Fit::Yes => open.map_or(Fit::Yes, Fit::Open),
            other => other,
        }
    }

    /// Whether a type in a declaration is valid.
    fn drops_out(&mut self, ty: &'u Expr, frame: &mut Frame<'u>) -> Fit {
        let pointed = match &ty.kind {
            ExprKind::Pointer(inner) | ExprKind::Const(inner) | ExprKind::Reference(inner, _) => {
                return self.drops_out(inner, frame);
            }
            _ => ty,
        };
        match self.eval(pointed, frame) {
            Value::Unknown(reason) => match super::constraints::failure(reason) {
                Fit::Open(_) if !super::constraints::is_conditional(ty) => Fit::Yes,
                fit => fit,
            },
            Value::Type(found) => match &*found {
                Type::Unknown(reason) => match super::constraints::failure(reason.clone()) {
                    Fit::Open(_) if !super::constraints::is_conditional(ty) => Fit::Yes,
                    fit => fit,
                },
                _ => Fit::Yes,
            },
            _ => Fit::Yes,
        }
    }

    /// Whether the head of a function has constraints.
    fn is_constrained(&mut self, function: &'u Function, module: ModuleId) -> bool {
        let frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
        function.requires.is_some()
            || function
                .tparams
                .iter()
                .any(|tparam| self.is_concept(tparam, &frame))
    }

    /// The frame in which the parameters of a candidate are bound.
    fn candidate_frame(&mut self, candidate: &Candidate<'u>) -> Frame<'u> {
        let function = candidate.function;
        let mut frame = Frame::new(candidate.module, limits::STEPS_PER_INSTANCE);
        if let Some(record) = candidate.record {
            frame.scopes = self.computed.classes.scopes_of(record);
            frame.owner.record = Some(record);
        }
        self.template_scope(&function.tparams, &candidate.bound.tparams, &mut frame);
        frame.scopes.push(Scope::default());
        for (param, value) in function.params.iter().zip(&candidate.bound.params) {
            if let (Some(name), Some(value)) = (&param.name, value) {
                let variable = Variable {
                    value: value.clone(),
                    declared: name.span,
                    read: true,
                };
                frame.declare(&name.name, variable);
            }
        }
        frame
    }

    /// The explicit specialisation that takes the place of a template with these arguments.
    fn specialised(&mut self, chosen: Candidate<'u>, special: &[Named<'u>]) -> Selection<'u> {
        let mut taken: Option<Candidate<'u>> = None;
        for &(id, function, module) in special {
            if chosen.function.tparams.is_empty() {
                continue;
            }
            match self.specialises(&chosen, function, module) {
                Fit::Yes => {
                    taken = Some(Candidate {
                        id,
                        function,
                        bound: Bound {
                            tparams: Vec::new(),
                            params: chosen.bound.params.clone(),
                        },
                        module,
                        record: chosen.record,
                        constrained: false,
                    });
                }
                Fit::No => {}
                Fit::Open(reason) => return Selection::Open(reason, vec![chosen]),
            }
        }
        Selection::One(taken.unwrap_or(chosen))
    }

    /// Whether a specialisation is that of a template for the arguments that it is called with.
    fn specialises(
        &mut self,
        chosen: &Candidate<'u>,
        function: &'u Function,
        module: ModuleId,
    ) -> Fit {
        let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
        if let Some(record) = chosen.record {
            frame.scopes = self.computed.classes.scopes_of(record);
            frame.owner.record = Some(record);
        }
        let explicit = function.special_args.as_deref().unwrap_or_default();
        let explicit = self.class_arguments(explicit, &mut frame);
        let mut types = Vec::with_capacity(function.params.len());
        for param in &function.params {
            types.push(match &param.ty {
                Some(ty) => Value::Instance(Box::new(self.eval_type(ty, &mut frame))),
                None => return Fit::Open(Reason::Construct("a parameter without a type")),
            });
        }
        let Some(own) = bind(self, chosen.function, &explicit, &types) else {
            return Fit::No;
        };
        let mut open = None;
        let pairs = own.tparams.iter().zip(&chosen.bound.tparams);
        for (own, given) in pairs {
            let fit = match (own, given) {
                (Value::Nothing, _) | (_, Value::Nothing) => continue,
                (Value::Pack(own), Value::Pack(given)) if own.len() != given.len() => Fit::No,
                (Value::Pack(own), Value::Pack(given)) => {
                    let mut parts = own
                        .iter()
                        .zip(given)
                        .map(|(own, given)| compared(own, given));
                    parts.find(|fit| *fit != Fit::Yes).unwrap_or(Fit::Yes)
                }
                (own, given) => compared(own, given),
            };
            match fit {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => open = open.or(Some(reason)),
            }
        }
        open.map_or(Fit::Yes, Fit::Open)
    }

    /// A specialisation of a template that is not visible: one that has the very arguments.
    fn only_special(&mut self, special: &[Named<'u>], asked: &Asked<'_>) -> Selection<'u> {
        for &(id, function, module) in special {
            let Some(own) = &function.special_args else {
                continue;
            };
            let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
            let own = self.eval_all(own, &mut frame);
            let is_it = own.len() == asked.explicit.len()
                && own.iter().zip(asked.explicit).all(|(own, given)| {
                    own.same_numbers(given) && !matches!(given, Value::Unknown(_))
                });
            if is_it && let Some(bound) = bind(self, function, &[], asked.values) {
                return Selection::One(Candidate {
                    id,
                    function,
                    bound,
                    module,
                    record: None,
                    constrained: false,
                });
            }
        }
        Selection::Nothing
    }

    /// `template <> int S<int>::f() { .. }`: the definition of a method for the very arguments of its class.
    pub(super) fn specialised_method(
        &mut self,
        instance: usize,
        method: &'u Function,
    ) -> Result<&'u Function, Reason> {
        let classes = self.classes_around(instance);
        let Some(class) = classes.last() else {
            return Ok(method);
        };
        let name = super::records::name_of(class);
        let Some(outside) = self.program.apart.outside.get(name) else {
            return Ok(method);
        };
        let module = self.module_of_record(instance);
        let special: Vec<(&'u Function, &'u [Segment])> = outside
            .iter()
            .filter(|outside| {
                let function = outside.function;
                function.flags.specialised
                    && function.name.name == method.name.name
                    && function.params.len() == method.params.len()
            })
            .filter_map(|outside| {
                let named = self.program.classes_named(outside, &classes, module)?;
                Some((outside.function, named))
            })
            .collect();
        for (function, named) in special {
            let mut fit = Fit::No;
            let mut around = Some(instance);
            for segment in named.iter().rev() {
                let Some(found) = around.and_then(|around| self.computed.classes.get(around))
                else {
                    break;
                };
                around = found.outer;
                let Some(args) = segment.args.as_deref() else {
                    continue;
                };
                let arguments = found.arguments.clone();
                fit = match (self.fit_of_class(args, &arguments, module), fit) {
                    (Fit::Yes, Fit::Open(reason)) => Fit::Open(reason),
                    (fit, _) => fit,
                };
                if matches!(fit, Fit::No) {
                    break;
                }
            }
            match fit {
                Fit::Yes if function.special_args.is_some() || !method.tparams.is_empty() => {
                    return Err(Reason::Construct("a specialised member template"));
                }
                Fit::Yes => return Ok(function),
                Fit::No => {}
                Fit::Open(reason) => return Err(reason),
            }
        }
        Ok(method)
    }
}

impl<'u> Interpreter<'u> {
    /// Whether the arguments of a class in the name of a method are those of an instance.
    fn fit_of_class(&mut self, args: &'u [Expr], arguments: &[Value], module: ModuleId) -> Fit {
        let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
        let own = self.class_arguments(args, &mut frame);
        let mut fit = Fit::Yes;
        for (own, given) in own.iter().zip(arguments) {
            match compared(own, given) {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => fit = Fit::Open(reason),
            }
        }
        fit
    }
}

/// Whether a type is a member of another one.
fn is_nested(ty: &Expr) -> bool {
    match &ty.kind {
        ExprKind::Const(inner) | ExprKind::Reference(inner, _) | ExprKind::Pointer(inner) => {
            is_nested(inner)
        }
        _ => ty.as_path().is_some_and(|path| path.segments.len() > 1),
    }
}
