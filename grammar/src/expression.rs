//! Expressions in whatever form a person types them.

use crate::parse_error::ParseError;
use crate::tree::Expr;
use crate::{cuda, notation};

/// Reads the notation or a C++ expression, whichever `text` is.
///
/// The notation is tried first: the two agree wherever both apply, except that `(4,8)` is a tuple
/// (C++: the comma operator), `_` a slice and `_8` a static integer without looking them up.
///
/// # Errors
/// When `text` is neither, the error of the reading that came further.
///
/// ```
/// # use tree_sitter_cute::parse_any_expression;
/// for text in ["(4,8):(1,4)", "make_layout(Shape<_4,_8>{}, LayoutRight{})", "x ? 4 : 8"] {
///     assert!(parse_any_expression(text).is_ok(), "{text}");
/// }
/// ```
pub fn parse_any_expression(text: &str) -> Result<Expr, ParseError> {
    let as_notation = match notation::parse(text) {
        Ok(expr) => return Ok(expr),
        Err(error) => error,
    };
    match cuda::parse_expression(text) {
        Ok(expr) => Ok(expr),
        Err(as_cpp) if as_cpp.span.start > as_notation.span.start => Err(as_cpp),
        Err(_) => Err(as_notation),
    }
}
