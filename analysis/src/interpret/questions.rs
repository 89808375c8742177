//! Questions about template parameters whose answer depends on `const` and references, which types do not have here.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Item, Segment, TemplateParam};

use super::Interpreter;
use super::frame::Frame;
use super::ids::{ModuleId, RecordId};
use super::integers::QUALIFIED;
use crate::qualifiers::Qualifiers;
use crate::types::Type;
use crate::value::Value;
use crate::walk;

impl<'u> Interpreter<'u> {
    /// Makes classes among template arguments unknown that are surely constants or references, where the template has a
    /// question about them.
    pub(super) fn hide_asked_about(
        &self,
        values: &mut [Value],
        written: &[Expr],
        records: &[RecordId],
        frame: &Frame<'u>,
    ) {
        for (place, (value, written)) in values.iter_mut().zip(written).enumerate() {
            let is_class = matches!(value, Value::Type(ty) if matches!(**ty, Type::Record(_)));
            if is_class
                && self.is_surely_qualified(written, frame)
                && records.iter().any(|id| self.class_asks_about(place, *id))
            {
                *value = Value::Unknown(QUALIFIED);
            }
        }
    }

    /// Whether a template argument is written as a constant or a reference, or is the type of a variable that is one.
    fn is_surely_qualified(&self, written: &Expr, frame: &Frame<'u>) -> bool {
        match &written.kind {
            ExprKind::Const(_) | ExprKind::Reference(..) => true,
            ExprKind::Decltype(operand) => operand
                .as_plain_name()
                .and_then(|name| self.variable_declared(name, frame))
                .is_some_and(|binding| !Qualifiers::written_plainly(binding)),
            _ => false,
        }
    }

    /// Whether a class template has a question about one of its parameters whose answer depends on `const` and
    /// references.
    fn class_asks_about(&self, place: usize, id: RecordId) -> bool {
        let Some(record) = self.record(id) else {
            return false;
        };
        let Some(parameter) = record.tparams.get(place) else {
            return false;
        };
        let members = record.members.as_deref().unwrap_or_default();
        let mut bases = record.bases.iter();
        bases.any(|base| is_question(base, parameter)) || ask_about(members, parameter)
    }

    /// Whether a function template has such a question, or a class that it gives the parameter to.
    pub(super) fn function_asks_about(
        &self,
        place: usize,
        function: &Function,
        module: ModuleId,
    ) -> bool {
        let Some(parameter) = function.tparams.get(place) else {
            return false;
        };
        let around = self.modules_around(module);
        let is_of_class = |segment: &Segment, index: usize| {
            let modules = around.iter().filter_map(|id| self.program.module(*id));
            let mut named = modules.filter_map(|it| it.records.get(segment.name.name.as_str()));
            named.any(|records| records.iter().any(|id| self.class_asks_about(index, *id)))
        };
        let body = function.body.as_deref().unwrap_or_default();
        let mut found = false;
        walk::expressions(body, &mut |expr| {
            found |= is_question(expr, parameter) || takes_parameter(expr, parameter, &is_of_class);
        });
        found
    }
}

/// Whether the body of a function template, or its result, names one of its parameters: `sizeof(T)`, `T(x)`, `Traits<T>`.
pub(super) fn names_parameter_in(function: &Function, place: usize) -> bool {
    let parameter = function.tparams.get(place);
    let Some(name) = parameter.and_then(|parameter| parameter.name.as_ref()) else {
        return false;
    };
    let mut found = false;
    let mut look = |expr: &Expr| found |= expr.as_plain_name() == Some(&name.name);
    if let Some(result) = &function.ret {
        walk::subexpressions(result, &mut look);
    }
    walk::expressions(function.body.as_deref().unwrap_or_default(), &mut look);
    found
}

/// Whether an expression is a question about a template parameter whose answer depends on `const` and references:
/// `std::is_same_v<T, int>`.
fn is_question(expr: &Expr, parameter: &TemplateParam) -> bool {
    takes_parameter(expr, parameter, &|segment, _| {
        segment.name.name.starts_with("is_")
    })
}

/// Whether an expression names a template that is meant, with a template parameter at the place that is meant.
fn takes_parameter(
    expr: &Expr,
    parameter: &TemplateParam,
    is_meant: &dyn Fn(&Segment, usize) -> bool,
) -> bool {
    let (Some(name), Some(path)) = (&parameter.name, expr.as_path()) else {
        return false;
    };
    path.segments.iter().any(|segment| {
        let mut args = segment.args.iter().flatten().enumerate();
        args.any(|(index, arg)| arg.as_plain_name() == Some(&name.name) && is_meant(segment, index))
    })
}

/// Whether one of some statements is such a question.
pub(super) fn ask_about(body: &[Item], parameter: &TemplateParam) -> bool {
    let mut found = false;
    walk::expressions(body, &mut |expr| found |= is_question(expr, parameter));
    found
}
