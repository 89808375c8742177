//! The derivation of an operation that is written as an expression: `explain EXPR`.

use std::fmt;

use cute_algebra::explain::{self, Derivation};
use cute_algebra::{Layout, Shape, Tiler};
use tree_sitter_cute::tree::{Expr, ExprKind};

use crate::evaluate::evaluate;
use crate::options::Options;
use crate::reason::Reason;
use crate::value::Value;

/// Why an expression has no derivation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotExplained {
    /// It is no operation on layouts that has one; the names of those that have.
    NoOperation(Vec<&'static str>),
    /// An operand is not known.
    Operand(Reason),
    /// An operand is not of the kind that the operation takes: its place, and what is taken.
    Unsuitable(usize, &'static str),
}

impl fmt::Display for NotExplained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOperation(names) => {
                write!(
                    f,
                    "there is nothing to derive; operations: {}",
                    names.join(", ")
                )
            }
            Self::Operand(reason) => reason.fmt(f),
            Self::Unsuitable(index, takes) => write!(f, "operand {} has to be {takes}", index + 1),
        }
    }
}

impl std::error::Error for NotExplained {}

/// How an operation takes its operands.
enum Form {
    One(fn(&Layout) -> Derivation),
    Layouts(fn(&Layout, &Layout) -> Derivation),
    Tiled(fn(&Layout, &Tiler) -> Derivation),
    Within(fn(&Layout, &Shape) -> Derivation),
}

/// The operations with a derivation, by CuTe's names.
const OPERATIONS: &[(&str, Form)] = &[
    ("blocked_product", Form::Layouts(explain::blocked_product)),
    ("coalesce", Form::One(explain::coalesce)),
    ("complement", Form::Within(explain::complement)),
    ("composition", Form::Tiled(composition)),
    ("filter", Form::One(explain::filter)),
    ("flat_divide", Form::Tiled(explain::flat_divide)),
    ("flat_product", Form::Tiled(explain::flat_product)),
    ("left_inverse", Form::One(explain::left_inverse)),
    ("logical_divide", Form::Tiled(explain::logical_divide)),
    ("logical_product", Form::Tiled(explain::logical_product)),
    ("raked_product", Form::Layouts(explain::raked_product)),
    ("right_inverse", Form::One(explain::right_inverse)),
    ("tiled_divide", Form::Tiled(explain::tiled_divide)),
    ("tiled_product", Form::Tiled(explain::tiled_product)),
    ("zipped_divide", Form::Tiled(explain::zipped_divide)),
    ("zipped_product", Form::Tiled(explain::zipped_product)),
];

/// With a layout as the right operand a composition, else one by mode.
fn composition(left: &Layout, right: &Tiler) -> Derivation {
    match right {
        Tiler::Layout(right) => explain::composition(left, right),
        tiler => explain::composition_by(left, tiler),
    }
}

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
    let unexplained =
        || NotExplained::NoOperation(OPERATIONS.iter().map(|(name, _)| *name).collect());
    let (name, operands) = operation(expr).ok_or_else(unexplained)?;
    let (_, form) = OPERATIONS
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(unexplained)?;
    let values = operands
        .iter()
        .map(|operand| match evaluate(operand, options).value {
            Value::Unknown(reason) => Err(NotExplained::Operand(reason)),
            value => Ok(value),
        })
        .collect::<Result<Vec<Value>, NotExplained>>()?;
    let left = layout(&values, 0)?;
    match form {
        Form::One(run) => Ok(run(&left)),
        Form::Layouts(run) => Ok(run(&left, &layout(&values, 1)?)),
        Form::Tiled(run) => {
            let tiler = values.get(1).and_then(Value::to_tiler);
            let tiler = tiler.ok_or(NotExplained::Unsuitable(1, "a layout or a tiler"))?;
            Ok(run(&left, &tiler))
        }
        Form::Within(run) => {
            let shape = match values.get(1) {
                Some(value) => value.to_shape(),
                None => left.cosize().ok().map(Shape::from),
            };
            let shape = shape.ok_or(NotExplained::Unsuitable(1, "a size or a shape"))?;
            Ok(run(&left, &shape))
        }
    }
}

/// CuTe's name of the outermost operation, and its operands.
fn operation(expr: &Expr) -> Option<(&str, Vec<&Expr>)> {
    match &expr.kind {
        ExprKind::Call(callee, args) => {
            let name = callee.as_path()?.last()?.name.name.as_str();
            Some((name, args.iter().collect()))
        }
        ExprKind::Composition(parts) if parts.len() == 2 => {
            Some(("composition", parts.iter().collect()))
        }
        ExprKind::Divide(layout, tiler) => Some(("logical_divide", vec![&**layout, &**tiler])),
        ExprKind::Product(block, tiler) => Some(("logical_product", vec![&**block, &**tiler])),
        _ => None,
    }
}

fn layout(values: &[Value], index: usize) -> Result<Layout, NotExplained> {
    match values.get(index) {
        Some(Value::Layout(layout)) => Ok(layout.clone()),
        _ => Err(NotExplained::Unsuitable(index, "a layout")),
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
        assert_eq!(explained("(6,2):(8,2) o (4,3):(3,1)").unwrap(), call);
        assert_eq!(
            explained("(8,8):(1,8) ⊘ <4,2>"),
            explained("logical_divide((8,8):(1,8), <4,2>)")
        );
    }

    #[test]
    fn every_operation_of_the_table_has_a_derivation() {
        for (name, form) in OPERATIONS {
            let operands = match form {
                Form::One(_) => "(4,8):(8,1)",
                Form::Layouts(_) => "(4,8):(8,1), (2,2):(1,2)",
                Form::Tiled(_) => "(4,8):(8,1), 4:1",
                Form::Within(_) => "(4,8):(8,1), 64",
            };
            let text = explained(&format!("{name}({operands})")).expect(name);
            assert!(text.contains(" = "), "{name}: {text}");
        }
    }

    #[test]
    fn what_is_no_operation_is_refused() {
        assert!(matches!(
            explained("(4,8):(8,1)"),
            Err(NotExplained::NoOperation(_))
        ));
        assert!(matches!(
            explained("rank((4,8):(8,1))"),
            Err(NotExplained::NoOperation(_))
        ));
        let unsuitable = Err(NotExplained::Unsuitable(0, "a layout"));
        assert_eq!(explained("coalesce(5)"), unsuitable);
    }
}
