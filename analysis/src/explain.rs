//! The derivation of an operation that is written as an expression: `explain EXPR`.

use std::fmt;

use cute_algebra::Reading;
use cute_algebra::explain::{Derivation, Value as Derived};
use tree_sitter_cute::tree::{Expr, ExprKind, Span, Unit};

use crate::ask::{self, operation_name};
use crate::evaluate::evaluate;
use crate::fact::Analysis;
use crate::options::{Integers, Options};
use crate::reason::Reason;
use crate::value::Value;
use crate::walk;

/// Why an expression has no derivation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotExplained {
    /// It is not an operation on layouts.
    NoOperation,
    /// An operand is not known.
    Operand(Reason),
}

impl fmt::Display for NotExplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOperation => f.write_str(
                "nothing to derive: the expression is not an operation such as `coalesce`, \
                 `complement`, `composition` or `logical_divide`",
            ),
            Self::Operand(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for NotExplained {}

/// The derivation of the outermost operation of an expression; its operands are evaluated.
///
/// ```
/// use cute_analysis::{Options, explain};
/// let expr = tree_sitter_cute::notation::parse("complement((2,2):(1,6), 24)")?;
/// let derivation = explain(&expr, &Options::default())?;
/// assert!(derivation.to_string().starts_with("complement((2,2):(1,6), 24) = "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain(expr: &Expr, options: &Options) -> Result<Derivation, NotExplained> {
    let (name, operands) = operation(expr).ok_or(NotExplained::NoOperation)?;
    let operands = operands
        .iter()
        .map(|operand| match evaluate(operand, options).value {
            Value::Unknown(reason) => Err(NotExplained::Operand(reason)),
            value => Ok(value),
        })
        .collect::<Result<Vec<Value>, NotExplained>>()?;
    let result = || evaluate(expr, options).value;
    derived(name, &operands, options.integers, result).ok_or_else(|| match result() {
        Value::Unknown(reason) => NotExplained::Operand(reason),
        _ => NotExplained::NoOperation,
    })
}

/// The derivation of an operation on these operands. An operation on a layout of shared memory is one on the layout
/// behind its pointer; nothing where `result`, the value of the whole, says otherwise.
fn derived(
    name: &str,
    operands: &[Value],
    integers: Integers,
    result: impl FnOnce() -> Value,
) -> Option<Derivation> {
    let (reading, written): (_, fn(&Value) -> String) = match integers {
        Integers::Static => (Reading::Plain, |value| format!("{value:#}")),
        Integers::Cute => (Reading::Cute, Value::to_string),
    };
    let of = |operands: &[Value]| {
        let texts: Vec<String> = operands.iter().map(written).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        ask::explained(name, &texts, reading)
    };
    let is_shared = |value: &Value| matches!(value, Value::Shared(_));
    if !operands.iter().any(is_shared) {
        return Some(of(operands));
    }
    let layouts: Vec<Value> = operands.iter().map(without_pointer).collect();
    let derivation = of(&layouts);
    let result = result();
    let is_it = match (&derivation.value, &result) {
        (Derived::Layout(layout), Value::Shared(shared)) => {
            layout.as_affine() == Some(&shared.layout)
        }
        (Derived::Number(number), Value::Int(int)) => number == int,
        _ => false,
    };
    let texts: Vec<String> = operands.iter().map(written).collect();
    let whole = format!("{name}({})", texts.join(", "));
    is_it.then(|| derivation.behind(whole, written(&result)))
}

/// The layout of a layout of shared memory; any other value as it is.
fn without_pointer(value: &Value) -> Value {
    match value {
        Value::Shared(shared) => shared.layout.clone().into(),
        other => other.clone(),
    }
}

/// An operation on layouts, with the values of its operands.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// CuTe's name: `composition`, `logical_divide`, ...
    pub name: String,
    /// Its operands.
    pub operands: Vec<Value>,
}

/// The outermost operation of an expression; nothing for any other expression. An operand may be unknown.
pub fn operation_of(expr: &Expr, options: &Options) -> Option<Operation> {
    let (name, operands) = operation(expr)?;
    Some(Operation {
        name: name.to_owned(),
        operands: operands
            .into_iter()
            .map(|operand| evaluate(operand, options).value)
            .collect(),
    })
}

/// The derivation of the first operation that a source has inside a span, with the values of operands in `analysis` (in
/// the first instance). Nothing without an operation or with an unknown operand.
pub fn derivation_in(unit: &Unit, analysis: &Analysis, span: Span) -> Option<Derivation> {
    let (expr, operation) = found_in(unit, analysis, span)?;
    let result = || {
        let whole = analysis.mentions_at(expr.span.start);
        let whole = whole.iter().find(|mention| mention.span == expr.span);
        whole.map_or(Value::Nothing, |mention| Value::clone(&mention.value))
    };
    derived(&operation.name, &operation.operands, Integers::Cute, result)
}

/// The first operation that a source has inside a span, with the values of its operands in `analysis` (in the first
/// instance). Nothing without an operation or with an unknown operand.
pub fn operation_in(unit: &Unit, analysis: &Analysis, span: Span) -> Option<Operation> {
    found_in(unit, analysis, span).map(|(_, operation)| operation)
}

/// The same with the expression that is the operation.
fn found_in<'u>(unit: &'u Unit, analysis: &Analysis, span: Span) -> Option<(&'u Expr, Operation)> {
    let mut found: Option<(&Expr, &str, Vec<&Expr>)> = None;
    walk::expressions(&unit.items, &mut |expr| {
        if found.is_none() && span.encloses(expr.span) {
            found = operation(expr).map(|(name, operands)| (expr, name, operands));
        }
    });
    let (expr, name, operands) = found?;
    let operands = operands
        .iter()
        .map(|operand| {
            let known = analysis
                .mentions()
                .iter()
                .find(|mention| mention.span == operand.span)?;
            (!matches!(*known.value, Value::Unknown(_))).then(|| Value::clone(&known.value))
        })
        .collect::<Option<Vec<Value>>>()?;
    let name = name.to_owned();
    Some((expr, Operation { name, operands }))
}

/// CuTe's name of the outermost operation, and its operands.
fn operation(expr: &Expr) -> Option<(&str, Vec<&Expr>)> {
    match &expr.kind {
        ExprKind::Call(callee, args) => {
            let name = operation_name(&callee.as_path()?.last()?.name.name);
            ask::is_operation(name).then(|| (name, args.iter().collect()))
        }
        ExprKind::Composition(parts) if parts.len() == 2 => {
            Some(("composition", parts.iter().collect()))
        }
        ExprKind::Divide(layout, tiler) => Some(("logical_divide", vec![&**layout, &**tiler])),
        ExprKind::Product(block, tiler) => Some(("logical_product", vec![&**block, &**tiler])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(text: &str) -> Result<String, NotExplained> {
        let expr = tree_sitter_cute::notation::parse(text).unwrap();
        explain(&expr, &Options::default()).map(|derivation| derivation.to_string())
    }

    #[test]
    fn infix_and_call_are_the_same() {
        let call = explained("composition((6,2):(8,2), (4,3):(3,1))").unwrap();
        assert!(call.starts_with("(6,2):(8,2) o (4,3):(3,1) = "), "{call}");
        assert_eq!(explained("(6,2):(8,2) o (4,3):(3,1)"), Ok(call));
        let divided = explained("logical_divide((8,8):(1,8), <4,2>)");
        assert_eq!(explained("(8,8):(1,8) ⊘ <4,2>"), divided);
    }

    #[test]
    fn an_operation_on_shared_memory_is_one_on_the_layout_behind_the_pointer() {
        let atom = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)";
        let said = explained(&format!("composition({atom}, (4,8):(1,4))")).unwrap();
        let lines: Vec<&str> = said.lines().collect();
        assert!(
            lines[0].starts_with("composition(Sw<3,4,3> o smem_ptr[16b](unset) o "),
            "{said}"
        );
        assert!(
            lines[0]
                .ends_with(" = Sw<3,4,3> o smem_ptr[16b](unset) o (_4,(_2,_4)):(_64,(_256,_1))"),
            "{said}"
        );
        assert!(
            said.contains("(8,64):(64,1) o (4,8):(1,4) = (4,(2,4)):(64,(256,1))"),
            "{said}"
        );
        // A derivation that needs unknown shared memory is not made without it.
        assert!(explained(&format!("right_inverse({atom})")).is_err());
    }

    #[test]
    fn operands_are_evaluated() {
        let nested = explained("coalesce(composition((8,4):(1,8), 16:2))").unwrap();
        assert!(nested.starts_with("coalesce(16:2) = "), "{nested}");
    }

    #[test]
    fn what_is_no_operation_is_refused() {
        assert_eq!(explained("(4,8):(8,1)"), Err(NotExplained::NoOperation));
        assert_eq!(
            explained("no_such((4,8):(8,1))"),
            Err(NotExplained::NoOperation)
        );
    }
}
