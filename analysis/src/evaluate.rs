//! The value of one expression by itself: `eval EXPR`.

use tree_sitter_cute::tree::Expr;

use crate::finding::Finding;
use crate::interpret::interpret_expression;
use crate::options::Options;
use crate::value::Value;

/// The value of an expression, and the findings about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The value; a static class type counts as the value that its objects have.
    pub value: Value,
    /// The findings, in the order of evaluation; spans are in the text of the expression.
    pub findings: Vec<Finding>,
}

/// Evaluates an expression of the literal notation or of C++, with the same vocabulary as sources.
///
/// ```
/// use cute_analysis::{Options, evaluate};
/// let expr = tree_sitter_cute::notation::parse("composition((6,2):(8,2), (4,3):(3,1))")?;
/// let answer = evaluate(&expr, &Options::default());
/// assert_eq!(answer.value.to_string(), "((_2,_2),_3):((_24,_2),_8)");
/// # Ok::<(), tree_sitter_cute::ParseError>(())
/// ```
pub fn evaluate(expr: &Expr, options: &Options) -> Evaluation {
    let (value, output) = interpret_expression(expr, options);
    Evaluation {
        value: value.reported().clone(),
        findings: output.findings,
    }
}
