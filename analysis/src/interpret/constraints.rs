//! Constraints: concepts, `requires` clauses and expressions, conditions in declarations that drop out where they do
//! not hold.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Path, Reference, Requirement, Requires, Segment, Span, TemplateParam,
    TemplateParamKind,
};

use super::Interpreter;
use super::frame::{Frame, Scope, Variable};
use super::ids::ModuleId;
use super::matching::Fit;
use super::program::Constant;
use crate::qualifiers::{Qualifiers, is_temporary, named_without_qualifiers};
use crate::reason::Reason;
use crate::types::Type;
use crate::value::{Truth, Value};
use crate::vocabulary;
use crate::walk;

/// A constraint with a name.
enum Concept<'u> {
    /// Of the sources.
    Declared(ModuleId, &'u Binding),
    /// Of the standard library: the trait that says the same.
    Standard(&'static str),
}

/// The concepts of `<concepts>` that are traits.
const STANDARD: &[(&str, &str)] = &[
    ("integral", "is_std_integral"),
    ("signed_integral", "is_signed_integral"),
    ("unsigned_integral", "is_unsigned_integral"),
    ("floating_point", "is_floating_point"),
    ("same_as", "is_same"),
    ("convertible_to", "is_convertible"),
    ("derived_from", "is_derived_from"),
    ("invocable", "is_invocable"),
    ("constructible_from", "is_constructible"),
    ("default_initializable", "is_default_constructible"),
];

/// Whether a trait's answer is true, as a value or as a type.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Type(ty) => match &**ty {
            Type::Of(value) => value.as_truth() == Some(true),
            _ => false,
        },
        value => value.as_truth() == Some(true),
    }
}

fn is_pointer(value: &Value) -> bool {
    matches!(value, Value::Type(ty) if matches!(**ty, Type::Pointer(_)))
}

impl<'u> Interpreter<'u> {
    /// The answer of `is_same`: types are compared without `const` and references, which are looked at here.
    pub(super) fn told_by_qualifiers(
        &self,
        name: &str,
        segment: &'u Segment,
        answer: vocabulary::Evaluated,
        values: &[Value],
        frame: &Frame<'u>,
    ) -> vocabulary::Evaluated {
        let Some([a, b]) = segment.args.as_deref() else {
            return answer;
        };
        let is_true = matches!(&answer, Ok(value) if is_true(value));
        if !matches!(name, "is_same" | "is_same_v") || !is_true || !self.settings.is_cpp() {
            return answer;
        }
        match (self.qualifiers(a, frame), self.qualifiers(b, frame)) {
            // A pointer may hide in an alias, or in the type of a variable.
            (Some(a), Some(b)) if a != b && a.pointers() == b.pointers() => {
                Ok(if name == "is_same_v" {
                    Value::Bool(Truth::run_time(false))
                } else {
                    let constant = Value::Bool(Truth::fixed(false));
                    Value::Type(Box::new(Type::Of(Box::new(constant))))
                })
            }
            (Some(a), Some(b)) if a == b || (a.is_plain() && b.is_plain()) => answer,
            (Some(_), Some(_)) => Err(vocabulary::Problem::Unknown(Reason::Construct(
                "a comparison of types that may be constant or references",
            ))),
            // Where one shows its qualifiers, those of the other matter.
            (Some(known), None) | (None, Some(known)) if !known.is_plain() => {
                Err(vocabulary::Problem::Unknown(Reason::Construct(
                    "a comparison of types that may be constant or references",
                )))
            }
            // Their pointees may be constant.
            _ if values.iter().any(is_pointer) => Err(vocabulary::Problem::Unknown(
                Reason::Construct("a comparison of types that may be constant or references"),
            )),
            _ => answer,
        }
    }

    /// The qualifiers of a written type; `None` where they are not visible.
    fn qualifiers(&self, ty: &'u Expr, frame: &Frame<'u>) -> Option<Qualifiers> {
        let (written, named) = Qualifiers::written(ty);
        if !written.is_plain() {
            return Some(written);
        }
        let ExprKind::Decltype(operand) = &named.kind else {
            return named_without_qualifiers(named).then_some(written);
        };
        let Some(name) = operand.as_plain_name() else {
            return is_temporary(&operand.kind).then_some(written);
        };
        let binding = self.variable_declared(name, frame)?;
        // A template parameter may be deduced as a constant type.
        let of_parameter = binding.ty.as_ref().and_then(Expr::as_plain_name);
        if of_parameter.is_some_and(|name| frame.find(name).is_some())
            && binding.reference != Reference::None
            && !binding.specifiers.constant
        {
            return None;
        }
        let start = operand.span.start;
        let is_expression = self
            .program
            .slice(Span::new(start.saturating_sub(1), start))
            == "("
            && self
                .program
                .slice(Span::new(start.saturating_sub(2), start))
                == "((";
        Some(written.of_variable(binding, is_expression))
    }

    /// Whether the constraints of template parameters and a `requires` clause hold; the parameters are bound in
    /// `frame`, and to `bound`.
    pub(super) fn satisfies(
        &mut self,
        tparams: &'u [TemplateParam],
        requires: Option<&'u Expr>,
        bound: &[Value],
        frame: &mut Frame<'u>,
    ) -> Fit {
        let mut open = None;
        for (index, tparam) in tparams.iter().enumerate() {
            let value = tparam
                .name
                .as_ref()
                .and_then(|name| frame.find(&name.name))
                .map(|variable| variable.value.clone())
                .or_else(|| bound.get(index).cloned());
            let Some(value) = value else { continue };
            match self.meets_type_constraint(tparam, &value, frame) {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => open = open.or(Some(reason)),
            }
        }
        if let Some(requires) = requires {
            match self.holds(requires, frame) {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => open = open.or(Some(reason)),
            }
        }
        open.map_or(Fit::Yes, Fit::Open)
    }

    /// `C T` and `C<A> T` in a template head.
    fn meets_type_constraint(
        &mut self,
        tparam: &'u TemplateParam,
        value: &Value,
        frame: &mut Frame<'u>,
    ) -> Fit {
        let TemplateParamKind::Value(ty) = &tparam.kind else {
            return Fit::Yes;
        };
        let Some(path) = ty.as_path() else {
            return Fit::Yes;
        };
        let Some(concept) = self.concept(path, frame) else {
            // A type where a value is expected: the word is a concept that is declared nowhere.
            let is_unseen = matches!(value, Value::Type(ty) if !matches!(**ty, Type::Named(_)))
                && matches!(self.eval(ty, frame), Value::Unknown(_));
            return if is_unseen {
                let name = path.last().map_or("", |last| &last.name.name);
                Fit::Open(Reason::Undeclared(name.into()))
            } else {
                Fit::Yes
            };
        };
        let rest = path.last().and_then(|last| last.args.as_deref());
        let rest = self.eval_all(rest.unwrap_or_default(), frame);
        let items = match value {
            Value::Pack(items) => items.clone(),
            other => vec![other.clone()],
        };
        let mut open = None;
        for item in items {
            let mut args = vec![item];
            args.extend(rest.iter().cloned());
            match self.concept_holds(&concept, &args, frame) {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => open = open.or(Some(reason)),
            }
        }
        open.map_or(Fit::Yes, Fit::Open)
    }

    /// Whether a template parameter is constrained by a concept.
    pub(super) fn is_concept(&mut self, tparam: &'u TemplateParam, frame: &Frame<'u>) -> bool {
        match &tparam.kind {
            TemplateParamKind::Value(ty) => ty
                .as_path()
                .is_some_and(|path| self.concept(path, frame).is_some()),
            _ => false,
        }
    }

    /// The concept that a path names.
    fn concept(&mut self, path: &'u Path, frame: &Frame<'u>) -> Option<Concept<'u>> {
        let (last, scopes) = path.segments.split_last()?;
        let name = last.name.name.as_str();
        self.read_declarations_of(name, last.args.as_ref().map(Vec::len));
        let scopes: Vec<&str> = scopes
            .iter()
            .map(|scope| scope.name.name.as_str())
            .collect();
        for &module in self.visible_modules(frame).iter() {
            let place = if scopes.is_empty() {
                Some(module)
            } else {
                self.module_of_path(module, &scopes)
            };
            let declared = place
                .and_then(|place| self.program.module(place))
                .and_then(|module| module.constants.get(name));
            if let (Some(place), Some(Constant::Binding(binding))) = (place, declared)
                && binding.specifiers.concept
            {
                return Some(Concept::Declared(place, binding));
            }
        }
        let standard = STANDARD.iter().find(|(known, _)| *known == name)?;
        (scopes == ["std"]).then_some(Concept::Standard(standard.1))
    }

    fn concept_holds(
        &mut self,
        concept: &Concept<'u>,
        args: &[Value],
        frame: &mut Frame<'u>,
    ) -> Fit {
        match concept {
            Concept::Declared(module, binding) => {
                let Some(init) = &binding.init else {
                    return Fit::Open(Reason::Construct("a concept"));
                };
                let mut scope = Frame::new(*module, frame.steps);
                self.template_scope(&binding.tparams, args, &mut scope);
                let fit = self.holds(init, &mut scope);
                frame.steps = scope.steps;
                fit
            }
            Concept::Standard(name) => {
                let truth = |name: &str, args: &[Value]| match vocabulary::name(name, Some(args)) {
                    Some(Ok(value)) => value.as_truth(),
                    _ => None,
                };
                let fit = match *name {
                    "is_signed_integral" | "is_unsigned_integral" => {
                        let kind = if *name == "is_signed_integral" {
                            "is_signed_v"
                        } else {
                            "is_unsigned_v"
                        };
                        let integral = truth("is_integral_v", args);
                        match integral {
                            Some(true) => truth(kind, args),
                            other => other,
                        }
                    }
                    name => truth(&format!("{name}_v"), args),
                };
                match fit {
                    Some(true) => Fit::Yes,
                    Some(false) => Fit::No,
                    None => Fit::Open(Reason::NotEvaluated((*name).into())),
                }
            }
        }
    }

    /// Whether a constraint holds. An invalid type or expression makes it false.
    pub(super) fn holds(&mut self, constraint: &'u Expr, frame: &mut Frame<'u>) -> Fit {
        if let ExprKind::Binary(op, left, right) = &constraint.kind {
            use tree_sitter_cute::tree::BinaryOp::{And, Or};
            let decided = match op {
                And => Some(Fit::No),
                Or => Some(Fit::Yes),
                _ => None,
            };
            if let Some(decided) = decided {
                let left = self.holds(left, frame);
                if left == decided {
                    return left;
                }
                let right = self.holds(right, frame);
                return match (left, right) {
                    (_, right) if right == decided => right,
                    (open @ Fit::Open(_), _) => open,
                    (_, right) => right,
                };
            }
        }
        if let ExprKind::Name(path) = &constraint.kind
            && let Some(concept) = self.concept(path, frame)
        {
            let args = path.last().and_then(|last| last.args.as_deref());
            let args = self.class_arguments(args.unwrap_or_default(), frame);
            if let Some(Value::Unknown(reason)) =
                args.iter().find(|arg| matches!(arg, Value::Unknown(_)))
            {
                return failure(reason.clone());
            }
            return self.concept_holds(&concept, &args, frame);
        }
        let recording = frame.mode.pause();
        let value = self.eval(constraint, frame);
        frame.mode.recording = recording;
        match value {
            Value::Unknown(reason) => failure(reason),
            value => match value.as_truth() {
                Some(true) => Fit::Yes,
                Some(false) => Fit::No,
                None => Fit::Open(Reason::RunTime("this condition".into())),
            },
        }
    }

    /// The truth of a `requires` expression.
    pub(super) fn eval_requires(&mut self, requires: &'u Requires, frame: &mut Frame<'u>) -> Value {
        frame.scopes.push(Scope::default());
        let recording = frame.mode.pause();
        let fit = self.requirements_hold(requires, frame);
        frame.mode.recording = recording;
        frame.scopes.pop();
        match fit {
            Fit::Yes => Value::Bool(Truth::run_time(true)),
            Fit::No => Value::Bool(Truth::run_time(false)),
            Fit::Open(reason) => Value::Unknown(reason),
        }
    }

    fn requirements_hold(&mut self, requires: &'u Requires, frame: &mut Frame<'u>) -> Fit {
        for param in &requires.params {
            let ty = match &param.ty {
                Some(ty) => self.eval_type(ty, frame),
                None => Type::Placeholder,
            };
            if let Type::Unknown(reason) = &ty
                && failure(reason.clone()) == Fit::No
            {
                return Fit::No;
            }
            let Some(name) = &param.name else { continue };
            let value = self.symbolic_value(&ty, name, frame);
            let variable = Variable {
                value,
                declared: name.span,
                read: true,
            };
            frame.declare(&name.name, variable);
        }
        let mut open = None;
        for requirement in &requires.requirements {
            let fit = match requirement {
                Requirement::Type(ty) => match self.eval_type(ty, frame) {
                    Type::Unknown(reason) => failure(reason),
                    Type::Parameter(name) => Fit::Open(Reason::Unbound(name)),
                    _ => Fit::Yes,
                },
                Requirement::Holds(condition) => self.holds(condition, frame),
                Requirement::Valid(expr, constraint) => {
                    self.is_valid(expr, constraint.as_ref(), frame)
                }
            };
            match fit {
                Fit::Yes => {}
                Fit::No => return Fit::No,
                Fit::Open(reason) => open = open.or(Some(reason)),
            }
        }
        open.map_or(Fit::Yes, Fit::Open)
    }

    fn is_valid(
        &mut self,
        expr: &'u Expr,
        constraint: Option<&'u Expr>,
        frame: &mut Frame<'u>,
    ) -> Fit {
        let value = self.eval(expr, frame);
        let value = match value {
            Value::Unknown(reason) => return failure(reason),
            value => value,
        };
        let Some(path) = constraint.map(Expr::as_path) else {
            return Fit::Yes;
        };
        let Some(path) = path else {
            return Fit::Open(Reason::Construct("this constraint"));
        };
        // Its integer type is unknown.
        if matches!(&value, Value::Int(int) if !int.is_static()) {
            return Fit::Open(Reason::RunTime("the type of an integer".into()));
        }
        let Some(concept) = self.concept(path, frame) else {
            return Fit::Open(Reason::Construct("this constraint"));
        };
        let rest = path.last().and_then(|last| last.args.as_deref());
        let mut args = vec![Value::Type(Box::new(Type::of(&value)))];
        args.extend(self.class_arguments(rest.unwrap_or_default(), frame));
        self.concept_holds(&concept, &args, frame)
    }
}

/// The outcome of a constraint that contains something unknown: a member that a class lacks is not valid.
pub(super) fn failure(reason: Reason) -> Fit {
    match reason {
        Reason::NotEnabled | Reason::NoMember(..) => Fit::No,
        reason => Fit::Open(reason),
    }
}

/// Whether an expression says under which condition a declaration takes part.
pub(super) fn is_conditional(expr: &Expr) -> bool {
    let mut found = false;
    walk::subexpressions(expr, &mut |part| {
        found |= match &part.kind {
            ExprKind::Decltype(_) | ExprKind::Requires(_) => true,
            ExprKind::Name(path) => path.segments.iter().any(|segment| {
                let name = segment.name.name.as_str();
                name.starts_with("enable_if") || name == "void_t"
            }),
            _ => false,
        };
    });
    found
}
