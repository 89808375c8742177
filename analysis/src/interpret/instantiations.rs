//! Instances that are made without a call: by explicit instantiations and specialisations
//! (`template void run<128>(Params);`, `template <> void run<128>(Params) { .. }`), and where a
//! template is named with all its arguments (`cudaFuncSetAttribute(kernel<128>, ..)`, `auto pointer = &kernel<128>;`):
//! to name one in evaluated code instantiates it (C++ [temp.inst]).

use std::sync::Arc;

use tree_sitter_cute::tree::{Instantiation, Segment, Span};

use super::Interpreter;
use super::bound::Bound;
use super::deduction::as_template_argument;
use super::frame::Frame;
use super::ids::{FunctionId, ModuleId};
use super::names::Meaning;
use super::reports::Naming;
use super::site::Caller;
use crate::limits;
use crate::trace::Way;
use crate::types::Type;
use crate::value::Value;

/// Functions of CUTLASS that are, or launch, the kernel which the class is that they are given.
const KERNELS_OF_CLASSES: [&str; 2] = ["device_kernel", "kernel_launch"];

impl<'u> Interpreter<'u> {
    /// Evaluates explicit instantiations.
    pub(super) fn run_instantiations(
        &mut self,
        instantiations: &[(ModuleId, &'u Instantiation, Span)],
    ) {
        for &(module, instantiation, span) in instantiations {
            let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
            let target = &instantiation.target;
            let meaning = target.as_path().map(|path| self.meaning(path, &mut frame));
            let Some(Meaning::Functions(ids)) = meaning else {
                // A class: its instance is made here and reported with the others.
                let class = self.eval_type(target, &mut frame);
                if let Type::Record(class) = &class {
                    self.computed.reports.calls_made.note_whole(class.instance);
                }
                self.use_type(&class);
                continue;
            };
            let segment = target.as_path().and_then(|path| path.last());
            let explicit = self.template_arguments(segment, &mut frame);
            let place = self.instantiation_name(self.program.slice(target.span), span);
            let arity = instantiation.params.as_ref().map(Vec::len);
            for id in ids {
                if let Some(bound) = self.instantiated(id, &explicit, arity) {
                    self.record_instance_of(
                        id,
                        &bound,
                        Some(Arc::clone(&place)),
                        Caller::default(),
                    );
                }
            }
        }
    }

    /// The template arguments with which a function template is named; `None` when this one cannot be
    /// meant: with `arity` as many parameters are.
    pub(super) fn instantiated(
        &self,
        id: FunctionId,
        explicit: &[Value],
        arity: Option<usize>,
    ) -> Option<Bound> {
        let function = self.program.functions.get(id)?.function;
        if function.body.is_none()
            || function.tparams.is_empty()
            || explicit.len() > function.tparams.len()
            || arity.is_some_and(|arity| arity != function.params.len())
        {
            return None;
        }
        let given = |index: usize| explicit.get(index);
        let tparams = function
            .tparams
            .iter()
            .enumerate()
            .map(|(index, tparam)| match given(index) {
                Some(_) if tparam.pack => {
                    Value::Pack(explicit.get(index..).unwrap_or_default().to_vec())
                }
                Some(value) => as_template_argument(value, tparam),
                None => Value::Nothing,
            })
            .collect();
        Some(Bound {
            tparams,
            params: vec![None; function.params.len()],
        })
    }

    /// Notes the instance that the name of functions with template arguments denotes.
    pub(super) fn note_naming(
        &mut self,
        ids: &[FunctionId],
        explicit: &[Value],
        span: Span,
        frame: &Frame<'u>,
    ) {
        if explicit.is_empty() || !instantiates(frame) || !explicit.iter().all(is_known) {
            return;
        }
        let Some((id, bound)) = self.named_instance(ids, explicit) else {
            return;
        };
        let of_function = self
            .computed
            .reports
            .namings
            .iter()
            .filter(|naming| naming.id == id);
        let known = of_function.clone().any(|naming| naming.bound == bound);
        if known || of_function.count() >= limits::INSTANCES_PER_FUNCTION {
            return;
        }
        let place = self.instance_name(span, frame);
        let Some(deferred) = self.defer_instance(id, &place) else {
            return;
        };
        self.computed.reports.namings.push(Naming {
            id,
            bound,
            place,
            caller: Caller::of(frame),
            deferred,
        });
    }

    /// Notes the use of a class whose kernel is a function of CUTLASS that is not visible:
    /// `cutlass::device_kernel<Kernel>`.
    pub(super) fn note_kernel_of_class(&mut self, segment: &'u Segment, frame: &mut Frame<'u>) {
        let name = segment.name.name.as_str();
        if segment.args.is_none() || !KERNELS_OF_CLASSES.contains(&name) || !instantiates(frame) {
            return;
        }
        let arguments = self.template_arguments(Some(segment), frame);
        if let Some(Value::Type(class)) = arguments.first() {
            self.use_type(class);
        }
    }

    /// The only template that takes the arguments, where those and its defaults are all it has: a deduction depends on
    /// the use of the name.
    fn named_instance(
        &self,
        ids: &[FunctionId],
        explicit: &[Value],
    ) -> Option<(FunctionId, Bound)> {
        let mut found = None;
        for &id in ids {
            let function = self.program.functions.get(id)?.function;
            // A specialisation may take the place of the template.
            if function.flags.specialised || function.special_args.is_some() {
                return None;
            }
            let Some(bound) = self.instantiated(id, explicit, None) else {
                continue;
            };
            let mut rest = function.tparams.iter().skip(explicit.len());
            let is_deduced = rest.any(|tparam| tparam.default.is_none() && !tparam.pack);
            if is_deduced || found.is_some() {
                return None;
            }
            found = Some((id, bound));
        }
        found
    }

    /// Evaluates the instances that are named, except those that are called as well: a call tells more about the
    /// arguments. Says whether there were any.
    pub(super) fn run_named(&mut self) -> bool {
        let mut any = false;
        while !self.computed.reports.namings.is_empty() {
            for naming in std::mem::take(&mut self.computed.reports.namings) {
                let Naming {
                    id,
                    bound,
                    place,
                    caller,
                    deferred,
                } = naming;
                if !self.goal.reports(&deferred.name) {
                    continue;
                }
                let reports = &self.computed.reports;
                let is_called = reports.has_called(id, |with| is_same(&bound, with));
                if !is_called {
                    any = true;
                    let around = self.computed.reports.deferrals.begin(Some(deferred));
                    self.record_instance_of(id, &bound, Some(place), caller);
                    self.end_report(around);
                }
            }
        }
        any
    }
}

/// Whether an instance has the template arguments that a name gives; the others are defaults.
fn is_same(named: &Bound, called: &Bound) -> bool {
    let mut pairs = named.tparams.iter().zip(&called.tparams);
    pairs.all(|(named, called)| matches!(named, Value::Nothing) || named == called)
}

/// Whether a name there instantiates its template: not in an operand that is not evaluated, in a template that nothing
/// instantiates, or in code that `if constexpr` leaves out.
fn instantiates(frame: &Frame<'_>) -> bool {
    let is_left_out = || frame.actions.path.iter().any(|step| step.way == Way::Aside);
    frame.mode.recording && !frame.mode.unevaluated && !frame.mode.open && !is_left_out()
}

/// Whether a template argument is known.
fn is_known(value: &Value) -> bool {
    match value {
        Value::Unknown(_) => false,
        Value::Type(ty) => !matches!(**ty, Type::Unknown(_) | Type::Parameter(_) | Type::Part(_)),
        _ => true,
    }
}
