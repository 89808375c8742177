//! Expressions that a person writes by themselves: on a command line, in a panel of an editor.

use cute_analysis::{Evaluation, Integers, Options, evaluate};
use tree_sitter_cute::tree::Expr;
use tree_sitter_cute::{ParseError, attribute_text, cuda, notation};

/// Reads an expression in the notation, else as C++, else as a layout attribute of Triton.
///
/// # Errors
/// Of the errors the one furthest on, of several there that of the notation.
pub fn parsed(text: &str) -> Result<Expr, ParseError> {
    let further = |error: ParseError, other: ParseError| {
        if other.span.start > error.span.start {
            other
        } else {
            error
        }
    };
    let in_notation = notation::parse(text);
    let in_cpp = in_notation
        .or_else(|error| cuda::parse_expression(text).map_err(|other| further(error, other)));
    in_cpp.or_else(|error| attribute_text::parse(text).map_err(|other| further(error, other)))
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
