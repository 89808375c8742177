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
//!            | "<" [ expression { "," expression } ] ">"                     a tiler
//!            | "[" [ expression { ";" expression } ] "]"                     a tiler
//!            | [ integer ] "e" mode | "E<" mode { "," mode } ">"             basis vectors
//!            | "f" integer                                                   an xor stride
//!            | ("Sw" | "S" | "Swizzle") "<" bits "," base "," shift ">"
//!            | [ swizzle ] pointer "[" bits "b](" address ")"                as CuTe prints it
//!            | path { "(" arguments ")" | "{" arguments "}" }
//! path       = [ "::" ] name [ "<" arguments ">" ] { "::" name [ "<" arguments ">" ] }
//! ```
//!
//! White space is free. `A ∘ B ⊘ C` is `(A ∘ B) ⊘ C`. Parentheses make a tuple, `(4)` one of one
//! mode; they only group around a single infix operation, `A ∘ (B ∘ C)`, and around an operand of
//! arithmetic, `(M+127)/128`.
//!
//! # Two readers
//!
//! Editors and other tools read the notation with the tree-sitter grammar, [`LANGUAGE`]
//! (`grammar/notation`), which also knows assertions and directives. Values are read by [`parse`], a separate parser,
//! for two reasons, both measured. Speed: layouts are short and dense, a token every 1.6 bytes, and building a
//! tree-sitter tree of them alone takes more than ten times as long as [`parse`] (2 MB/s against 33,
//! `docs/measurements.md`). Errors: a generated parser recovers by skipping or inserting whatever costs least, so that
//! `(4,8)∶(1,4)` is reported at its beginning, and the token that does not fit is found only by replaying the parse.
//! That both accept the same texts and give the same trees is a law, tested in `grammar/tests/notation_grammar.rs`.

mod descriptor;
mod forms;
mod lexer;
mod look_alike;
mod parser;
mod print;

pub use descriptor::{Basis, Descriptor, Entry, normalise};
pub use print::print;
pub use tree_sitter_cute_notation::LANGUAGE;

use crate::limits;
use crate::parse_error::ParseError;
use crate::tree::{Expr, ExprKind, Span};

/// Reads a text in the notation. Spans are byte offsets in `text`.
///
/// # Errors
/// The first place that does not fit, the expected text, and the text there.
///
/// ```
/// # use tree_sitter_cute::notation;
/// let layout = notation::parse("((2,2),4) : ((1,8),2)").unwrap();
/// assert_eq!(notation::print(&layout), "((2,2),4):((1,8),2)");
///
/// let error = notation::parse("(4,8:(1,4)").unwrap_err();
/// assert_eq!(error.to_string(), "expected `,` or `)` at the end");
///
/// let error = notation::parse("(4,8)\u{2236}(1,4)").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected `:` rather than its look-alike U+2236, found `\u{2236}` at byte 5"
/// );
/// ```
pub fn parse(text: &str) -> Result<Expr, ParseError> {
    match too_large(text) {
        Some(error) => Err(error),
        None => parser::Parser::strict(text),
    }
}

/// Reads the readable part of a text in the notation, and reports the rest: for a text that is being typed.
///
/// A part that is not understood leaves a hole, [`ExprKind::Opaque`]; an open bracket ends where it has to. Without
/// errors the result is that of [`parse`]. At most [`limits::PARSE_ERRORS`] errors are told.
///
/// ```
/// # use tree_sitter_cute::notation;
/// let (layout, errors) = notation::parse_partial("(4, $, (2, x y), 8):(1,4");
/// assert_eq!(layout.to_string(), "(4, <?error?>, (2, x), 8):(1, 4)");
/// let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
/// assert_eq!(errors, [
///     "expected a layout, a tuple, an integer or a name, found `$` at byte 4",
///     "expected `,` or `)`, found `y` at byte 13",
///     "expected `,` or `)` at the end",
/// ]);
/// ```
pub fn parse_partial(text: &str) -> (Expr, Vec<ParseError>) {
    match too_large(text) {
        Some(error) => {
            let hole = ExprKind::Opaque(parser::HOLE);
            (Expr::new(hole, Span::new(0, text.len())), vec![error])
        }
        None => parser::Parser::lenient(text),
    }
}

fn too_large(text: &str) -> Option<ParseError> {
    (text.len() > limits::SOURCE_BYTES).then(|| ParseError {
        span: Span::new(text.len(), text.len()),
        expected: format!("at most {} bytes", limits::SOURCE_BYTES),
        found: format!("{} bytes", text.len()),
    })
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
    fn functions_of_python_are_those_of_the_notation() {
        let same = |python: &str, ours: &str| {
            let printed = |text: &str| parse(text).map(|expr| expr.to_string());
            assert_eq!(printed(python).ok(), printed(ours).ok(), "{python}");
        };
        same(
            "cute.make_layout((8,4), stride=(4,1))",
            "make_layout((8,4), (4,1))",
        );
        same(
            "cutlass.cute.composition(S<3,4,3> o 0 o (8,64):(64,1), cute.make_layout(8))",
            "composition(S<3,4,3> o 0 o (8,64):(64,1), make_layout(8))",
        );
        // Other arguments by name, and in another order, are not read.
        assert!(parse("cute.make_layout(stride=(4,1), shape=(8,4))").is_err());
        assert!(parse("cute.make_layout((8,4), order=(4,1))").is_err());
        assert!(parse("cute.(8,4)").is_err());
        assert!(parse("stride=(4,1)").is_err());
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
    fn look_alikes_are_named() {
        for (text, message) in [
            (
                "(4\u{ff0c}8)",
                "expected `,` rather than its look-alike U+FF0C, found `\u{ff0c}` at byte 2",
            ),
            (
                "\u{ff08}4)",
                "expected `(` rather than its look-alike U+FF08, found `\u{ff08}` at byte 0",
            ),
            (
                "(4,8):(1,\u{41c})",
                "expected `M` rather than its look-alike U+041C, found `\u{41c}` at byte 9",
            ),
            (
                "(4,\u{200b}8)",
                "expected a layout, a tuple, an integer or a name, without the invisible U+200B, \
                 found `\u{200b}` at byte 3",
            ),
        ] {
            check_error(text, message);
        }
    }

    fn check_partial(text: &str, printed: &str, messages: &[&str]) {
        let (expr, errors) = parse_partial(text);
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            (expr.to_string(), errors),
            (
                printed.to_owned(),
                messages.iter().map(|m| (*m).to_owned()).collect()
            ),
            "{text}"
        );
    }

    #[test]
    fn the_rest_is_understood() {
        const OPERAND: &str = "expected a layout, a tuple, an integer or a name";
        check_partial("(4,8):(1,4)", "(4, 8):(1, 4)", &[]);
        check_partial("", "<?error?>", &[&format!("{OPERAND} at the end")]);
        check_partial(
            "(4,,8):(1,4,32)",
            "(4, <?error?>, 8):(1, 4, 32)",
            &[&format!("{OPERAND}, found `,` at byte 3")],
        );
        check_partial(
            "(4,(8,2:(1,4)",
            "(4, (8, 2:(1, 4)))",
            &["expected `,` or `)` at the end"],
        );
        check_partial(
            "((4,[8,2),3)",
            "((4, <8, 2>), 3)",
            &["expected `;` or `]`, found `)` at byte 8"],
        );
        check_partial(
            "(1@, 2@1)",
            "(1, 2@1)",
            &["expected the number of a mode, found `,` at byte 3"],
        );
        check_partial(
            "(Sw<3,4>, A<4>::, 1/0@1, 8)",
            "(<?error?>, <?error?>, (1 / 0), 8)",
            &[
                "expected `,`, found `>` at byte 7",
                "expected a name, found `,` at byte 16",
                "expected a denominator other than zero, found `0` at byte 20",
            ],
        );
        // A look-alike is read as the mark that it looks like.
        check_partial(
            "\u{ff08}4\u{ff0c}8)\u{2236}(1,4)",
            "(4, 8):(1, 4)",
            &[
                "expected `(` rather than its look-alike U+FF08, found `\u{ff08}` at byte 0",
                "expected `,` rather than its look-alike U+FF0C, found `\u{ff0c}` at byte 4",
                "expected `:` rather than its look-alike U+2236, found `\u{2236}` at byte 9",
            ],
        );
    }

    #[test]
    fn depth_is_bounded_and_says_so() {
        const LIMIT: usize = limits::DEPTH;
        let nested = |levels: usize| format!("{}4{}", "(".repeat(levels), ")".repeat(levels));
        let chain = |levels: usize| "1+".repeat(levels) + "1";
        let calls = |levels: usize| "f".to_owned() + &"()".repeat(levels);
        let expected = |text: String| parse(&text).map(|_| ()).map_err(|error| error.expected);
        let texts: [&dyn Fn(usize) -> String; 3] = [&nested, &chain, &calls];
        for text in texts {
            assert_eq!(expected(text(LIMIT - 1)), Ok(()));
            for levels in [LIMIT, 100_000] {
                assert_eq!(expected(text(levels)), Err("at most 256 levels".to_owned()));
                let (_, errors) = parse_partial(&text(levels));
                assert!(!errors.is_empty() && errors.len() <= limits::PARSE_ERRORS);
            }
        }
    }
}
