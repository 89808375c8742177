//! The literal notation of layouts, as people write it and as CuTe prints it.
//!
//! ```text
//! expression = layout { ("o" | "∘" | "⊘" | "(/)" | "⊗" | "(*)") layout }     left to right
//! layout     = sum [ ":" sum ]
//! sum        = basis { ("+" | "-") basis }
//! basis      = term { "@" mode }                                             4@0, 1/2@0, 1@0@1
//! term       = factor { ("*" | "/" | "%") factor }
//! factor     = integer | "_" integer | "_" | "-" factor | "?" [ "{div=" integer "}" ]
//!            | "(" [ expression { "," expression } ] ")"
//!            | "<" expression { "," expression } ">"                         a tiler
//!            | "[" expression { ";" expression } "]"                         a tiler
//!            | "e" mode | integer "e" mode | "E<" mode { "," mode } ">"      basis vectors
//!            | "f" integer                                                   an xor stride
//!            | ("Sw" | "S" | "Swizzle") "<" bits "," base "," shift ">"
//!            | [ swizzle "_" ] pointer "[" bits "b](" address ")"            as CuTe prints it
//!            | path { "(" arguments ")" | "{" arguments "}" }
//! path       = [ "::" ] name [ "<" arguments ">" ] { "::" name [ "<" arguments ">" ] }
//! ```
//!
//! White space is free. `A ∘ B ⊘ C` is `(A ∘ B) ⊘ C`. Parentheses make a tuple, `(4)` one of one
//! mode; they only group around a single infix operation, `A ∘ (B ∘ C)`, and around an operand of
//! arithmetic, `(M+127)/128`.

mod lexer;
mod parser;

use crate::limits;
use crate::parse_error::ParseError;
use crate::tree::{Expr, Span};

/// Reads a text in the notation. Spans are byte offsets in `text`.
///
/// # Errors
/// The first place that does not fit, what would have, and what stands there.
///
/// ```
/// # use tree_sitter_cute::notation;
/// let layout = notation::parse("((2,2),4) : ((1,8),2)").unwrap();
/// assert_eq!(layout.to_string(), "((2, 2), 4):((1, 8), 2)");
///
/// let error = notation::parse("(4,8:(1,4)").unwrap_err();
/// assert_eq!(error.to_string(), "expected `,` or `)` at the end");
/// ```
pub fn parse(text: &str) -> Result<Expr, ParseError> {
    if text.len() > limits::SOURCE_BYTES {
        return Err(ParseError {
            span: Span::new(limits::SOURCE_BYTES, text.len()),
            expected: format!("at most {} bytes", limits::SOURCE_BYTES),
            found: format!("{} bytes", text.len()),
        });
    }
    parser::Parser::new(text).whole()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, printed: &str) {
        match parse(text) {
            Ok(expr) => assert_eq!(expr.to_string(), printed, "{text}"),
            Err(error) => panic!("{text}: {error}"),
        }
    }

    fn check_error(text: &str, message: &str) {
        match parse(text) {
            Ok(expr) => panic!("{text} is {expr}"),
            Err(error) => assert_eq!(error.to_string(), message, "{text}"),
        }
    }

    #[test]
    fn what_cute_prints_comes_back() {
        for text in [
            "((2, 2), 4):((1, 8), 2)",
            "_8",
            "_-1",
            "20:2",
            "():()",
            "(4):(1)",
            "Sw<3,3,3> o 0 o (8, 64):(64, 1)",
            "Sw<2,1,-2> o 0 o (4, 8):(8, 1)",
            "Sw<3,4,3>_smem_ptr[16b](PTR) o (_8, _16):(_64, _1)",
            "smem_ptr[16b](unset) o 4:1",
            "tmem_[32b](PTR.0000) o 4:1",
            "ArithTuple(0, 0) o (4, 8):(1@0, 1@1)",
            "UMMA::DescriptorIterator o 4:1",
            "(1@0, (1@0@1, 1@1@1))",
            "1/2@0",
            "(8:1, _, 2:1)",
            "LayoutRight",
            "?",
            "?{div=8}",
            "4:-1",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn what_people_write() {
        check(" ( 4 , 8 ):( 1 , 4 ) ", "(4, 8):(1, 4)");
        check("S<3,4,3>", "Sw<3,4,3>");
        check(
            "composition(A, (4,8):(1,4))",
            "composition(A, (4, 8):(1, 4))",
        );
        check("logical_divide(A, <4,8>)", "logical_divide(A, <4, 8>)");
        check("<4:1, 8:2>", "<4:1, 8:2>");
        check("[4:1; 8:2]", "<4:1, 8:2>");
        check("A \u{2218} B", "A o B");
        check("A (/) B \u{2298} C", "((A \u{2298} B) \u{2298} C)");
        check("A (*) B", "(A \u{2297} B)");
        check("(e0, 6e1)", "(1@0, 6@1)");
        check("(2,2):(f1,f5)", "(2, 2):(f1, f5)");
        check("E<0,1>{}", "_1@1@0");
        check(
            "size<0>(make_layout(Int<4>{}))",
            "size<0>(make_layout(Int<4>{}))",
        );
        check(
            "(M, ceil_div(N, 128) * 2):(_1, ldA)",
            "(M, (ceil_div(N, 128) * 2)):(_1, ldA)",
        );
        check("4*lda@1", "(4 * lda)@1");
        check("(M+127)/128", "((M + 127) / 128)");
        check("(2*M)", "((2 * M))");
        check("(A o B) (/) C", "((A o B) \u{2298} C)");
        check("o o o", "o o o");
    }

    #[test]
    fn errors_say_where_what_and_what_else() {
        check_error(
            "",
            "expected a layout, a tuple, an integer or a name at the end",
        );
        check_error("(4,8", "expected `,` or `)` at the end");
        check_error(
            "(4,,8)",
            "expected a layout, a tuple, an integer or a name, found `,` at byte 3",
        );
        check_error(
            "4:1)",
            "expected an operator or the end, found `)` at byte 3",
        );
        check_error("1@", "expected the number of a mode at the end");
        check_error("1@x", "expected the number of a mode, found `x` at byte 2");
        check_error(
            "1/0@0",
            "expected a denominator other than zero, found `0` at byte 2",
        );
        check_error("Sw<3,4>", "expected `,`, found `>` at byte 6");
        check_error("?{mod=2}", "expected `div`, found `mod` at byte 2");
        check_error("[4:1 8:2]", "expected `;` or `]`, found `8` at byte 5");
        check_error(
            "99999999999999999999",
            "expected an integer of at most 64 bits, found `99999999999999999999` at byte 0",
        );
    }

    #[test]
    fn depth_is_bounded_and_says_so() {
        let nested = |levels: usize| format!("{}4{}", "(".repeat(levels), ")".repeat(levels));
        assert!(parse(&nested(100)).is_ok());
        let error = parse(&nested(100_000)).map_err(|error| error.expected);
        assert_eq!(error, Err("at most 256 levels".to_owned()));
        let chain = "1+".repeat(100_000) + "1";
        assert_eq!(
            parse(&chain).map_err(|e| e.expected),
            Err("at most 256 levels".to_owned())
        );
        let calls = "f".to_owned() + &"()".repeat(100_000);
        assert_eq!(
            parse(&calls).map_err(|e| e.expected),
            Err("at most 256 levels".to_owned())
        );
    }
}
