//! Expressions that a person writes by themselves: on a command line, in a panel of an editor.

use cute_analysis::{Evaluation, Integers, Options, evaluate};
use tree_sitter_cute::tree::Expr;
use tree_sitter_cute::{ParseError, cuda, notation};

/// Reads an expression in the notation, else as C++.
///
/// # Errors
/// Of the two errors the one further on.
pub fn parsed(text: &str) -> Result<Expr, ParseError> {
    notation::parse(text).or_else(|error| {
        cuda::parse_expression(text).map_err(|other| {
            if other.span.start > error.span.start {
                other
            } else {
                error
            }
        })
    })
}

/// Evaluates an expression of the notation or of C++.
///
/// # Errors
/// As [`parsed`].
pub fn evaluated(
    text: &str,
    integers: Integers,
    options: &Options,
) -> Result<Evaluation, ParseError> {
    let mut options = options.clone();
    options.integers = integers;
    Ok(evaluate(&parsed(text)?, &options))
}
