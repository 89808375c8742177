//! Calls of function-like macros, expanded as the preprocessor does and read as C++.
//!
//! The result has the spans of the source: the text of an argument is where the argument is written, the rest is where
//! the macro is defined. So a value inside an argument (often a whole lambda: `BOOL_SWITCH(x, X, [&] { .. })`) is known
//! at its own place.

use super::fragment;
use super::fragments::Fragments;
use super::macros;
use super::replace::{Arguments, Macro, Macros, Piece, Replacing, pieces};
use super::tokens::{TokenKind, scan};
use crate::assembled::Assembled;
use crate::limits::CALL_BYTES;
use crate::tree::{Expr, Function, Item, ItemKind, Shift, Span};
use crate::{Budget, Host, Syntax};

/// A call of a macro.
#[derive(Debug, Clone, Copy)]
pub struct MacroCall<'t> {
    /// The macro.
    pub called: Macro<'t>,
    /// The call, from the macro's name to the closing parenthesis at least.
    pub call: &'t str,
    /// The start of that text.
    pub call_start: usize,
    /// Whether calls in it that are written in one piece are expanded, too.
    pub whole: bool,
    /// The trees of expansions that were read before.
    pub fragments: &'t Fragments,
}

/// Whether the replacement text of a macro has nothing but decorations of a declaration: `__grid_constant__`, `inline`,
/// nothing at all.
pub fn only_decorates(text: &str) -> bool {
    scan(text).tokens.iter().all(|token| {
        token.kind == TokenKind::Word && macros::is_decoration(token.span().text(text))
    })
}

/// The end of the call with which a text begins: `NAME(..)`.
pub fn call_end(text: &str) -> Option<usize> {
    let mut end = text.len().min(CALL_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let call = pieces(text.get(..end)?, 0);
    let (_, length) = Arguments::of(&call)?;
    let last = call.get(length.checked_sub(1)?)?;
    Some(last.origin?.start + last.text.len())
}

impl<'t> MacroCall<'t> {
    /// The expansion, where it is an expression; `macros` are those in force.
    ///
    /// ```
    /// # use tree_sitter_cute::{cuda::{Fragments, Macro, MacroCall}, tree::{ExprKind, Ident, Span}};
    /// let params = [Ident { name: "x".into(), span: Span::new(12, 13) }];
    /// let called = Macro { params: Some(&params), variadic: false, body: "f(x, 8)", body_start: 15 };
    /// let fragments = Fragments::default();
    /// let call = MacroCall { called, call: "F(tile)", call_start: 30, whole: false, fragments: &fragments };
    /// let expansion = call.expression(&|_| None).unwrap();
    /// let ExprKind::Call(_, args) = &expansion.kind else { panic!() };
    /// assert_eq!(args[0].span, Span::new(32, 36)); // in the call
    /// assert_eq!(args[1].span, Span::new(20, 21)); // in the definition
    /// ```
    pub fn expression(&self, macros: &Macros<'_, 't>) -> Option<Expr> {
        let expansion = self.expanded(macros)?;
        if is_statement(&expansion.text) {
            return None;
        }
        let mut expr = self.fragments.expression(&expansion.text)?;
        expr.map_spans(&|span| expansion.origin(span));
        Some(expr)
    }

    /// The statements that the expansion is; `None` where its brackets have no partners.
    pub fn statements(&self, macros: &Macros<'_, 't>) -> Option<Vec<Item>> {
        let expansion = self.expanded(macros)?;
        let mut items = self.fragments.statements(&expansion.text)?;
        items.map_spans(&|span| expansion.origin(span));
        Some(items)
    }

    /// The declarations of a file that the expansion is.
    pub fn declarations(&self, macros: &Macros<'_, 't>) -> Option<Vec<Item>> {
        let expansion = self.expanded(macros)?;
        let mut items = file(&expansion.text)?;
        items.map_spans(&|span| expansion.origin(span));
        Some(items)
    }

    /// The function whose head the expansion is: its body is empty.
    pub fn function_head(&self, macros: &Macros<'_, 't>) -> Option<Function> {
        let mut expansion = self.expanded(macros)?;
        expansion.text.push_str(" {}");
        let mut items = file(&expansion.text)?.into_iter();
        let mut function = match (items.next()?.kind, items.next()) {
            (ItemKind::Function(function), None) => *function,
            _ => return None,
        };
        function.map_spans(&|span| expansion.origin(span));
        Some(function)
    }

    fn expanded(&self, macros: &Macros<'_, 't>) -> Option<Assembled> {
        let call = pieces(self.call, self.call_start);
        let name = call.first()?.text.clone();
        let (arguments, _) = Arguments::of(&call)?;
        let mut replacing = Replacing::with(macros, self.whole);
        let hidden = [name.as_ref()];
        let made = if self.whole {
            replacing.replaced_by_parts(self.called, &arguments, &hidden)
        } else {
            replacing.replaced(self.called, &arguments, &hidden)
        }?;
        assembled(
            &made,
            Span::new(self.call_start, self.call_start + self.call.len()),
        )
    }
}

/// The expression that `text` is, which starts at `start`, with all `macros` replaced; `None` where that is not an
/// expression. Its spans are those of the source; a part made up from several places has that of the whole.
///
/// ```
/// # use tree_sitter_cute::cuda::{Macro, replaced};
/// let sum = Macro { params: None, variadic: false, body: "1 + 2", body_start: 10 };
/// let expr = replaced("SUM * 2", 50, &|name| (name == "SUM").then_some(sum)).unwrap();
/// assert_eq!(expr.to_string(), "(1 + (2 * 2))");
/// ```
pub fn replaced<'t>(text: &'t str, start: usize, macros: &Macros<'_, 't>) -> Option<Expr> {
    let made = Replacing::with(macros, true).again(&pieces(text, start), &[])?;
    let expansion = assembled(&made, Span::new(start, start + text.len()))?;
    let mut expr = fragment::expression(&expansion.text).ok()?;
    expr.map_spans(&|span| expansion.origin(span));
    Some(expr)
}

/// Whether a text begins or ends as no expression does: to read it as one first takes as long as to read it.
fn is_statement(text: &str) -> bool {
    let text = text.trim();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let first = text.split(|letter| !is_part(letter)).next();
    text.ends_with(';') || first.is_some_and(|word| STATEMENTS.contains(&word))
}

/// Words with which statements begin, and no expression or type does.
const STATEMENTS: [&str; 8] = [
    "do",
    "if",
    "for",
    "while",
    "switch",
    "return",
    "else",
    "static_assert",
];

/// The items of a text, read as a file.
fn file(text: &str) -> Option<Vec<Item>> {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).ok()?;
    Some(syntax.lower(text).items)
}

/// The tokens in the place of `whole`; `None` where there are too many.
fn assembled(made: &[Piece<'_>], whole: Span) -> Option<Assembled> {
    let mut assembled = Assembled::new(whole);
    let mut before: Option<&Piece<'_>> = None;
    for piece in made {
        let is_line = before.is_some_and(Piece::is_directive) || piece.is_directive();
        let separator = if is_line { '\n' } else { ' ' };
        assembled.add(&piece.text, piece.gap, piece.origin, separator);
        before = Some(piece);
    }
    assembled.within_limit()
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::tree::{ExprKind, Ident};

    #[test]
    fn statements_are_told_by_their_ends() {
        for text in [
            "do { f(); } while (0)",
            " if (x) { f(); }",
            "f(x);",
            "return\n1",
        ] {
            assert!(is_statement(text), "{text}");
        }
        for text in ["f(x)", "done(x)", "[&] { return f(x); }()", "{ 1, 2 }", ""] {
            assert!(!is_statement(text), "{text}");
        }
    }

    static FRAGMENTS: LazyLock<Fragments> = LazyLock::new(Fragments::default);

    fn ident(name: &str) -> Ident {
        Ident {
            name: name.to_owned(),
            span: Span::default(),
        }
    }

    fn call<'t>(
        params: &'t [Ident],
        variadic: bool,
        body: &'t str,
        call: &'t str,
    ) -> MacroCall<'t> {
        let called = Macro {
            params: Some(params),
            variadic,
            body,
            body_start: 1000,
        };
        MacroCall {
            called,
            call,
            call_start: 2000,
            whole: false,
            fragments: &FRAGMENTS,
        }
    }

    #[test]
    fn a_lambda_with_commas_is_one_variadic_argument() {
        let params = [ident("C"), ident("N")];
        let body = "[&] { if (C) { constexpr bool N = true; return __VA_ARGS__(); } }()";
        let text = "SWITCH(a, B, [&] { f<B, 2>(x); })";
        let expr = call(&params, true, body, text)
            .expression(&|_| None)
            .expect("an expression");
        assert_eq!(
            expr.to_string(),
            "[&]() { if  a   var constexpr B: bool = true   return [&]() { f<B, 2>(x) }() }()",
        );
        assert_eq!(expr.span, Span::new(2000, 2000 + text.len()));
    }

    #[test]
    fn a_head_of_a_function_is_read_with_the_template_that_the_macro_adds() {
        let params = [ident("name")];
        let body = "template <class Traits, __VA_ARGS__> \\\n__global__ void name(P const p)";
        let head = call(&params, true, body, "KERNEL(fwd, bool A, int B)")
            .function_head(&|_| None)
            .expect("a function");
        assert_eq!(head.name.name, "fwd");
        assert_eq!(head.name.span, Span::new(2007, 2010));
        assert_eq!(head.tparams.len(), 3);
        assert!(head.flags.global);
    }

    #[test]
    fn words_that_decorate_are_known() {
        assert!(only_decorates("") && only_decorates("__grid_constant__ inline"));
        assert!(!only_decorates("const"));
    }

    #[test]
    fn the_text_of_an_argument_is_some_string() {
        let params = [ident("n")];
        let expr =
            call(&params, false, "run(#n \" x \" #n, _##n{})", "RUN(64)").expression(&|_| None);
        let expr = expr.expect("an expression");
        let ExprKind::Call(_, args) = &expr.kind else {
            panic!("{expr}");
        };
        assert_eq!(
            args.get(1).map(ToString::to_string).as_deref(),
            Some("_64{}")
        );
    }

    #[test]
    fn too_few_arguments_or_none_are_no_call() {
        let params = [ident("a"), ident("b")];
        assert!(
            call(&params, false, "a + b", "F(1)")
                .expression(&|_| None)
                .is_none()
        );
        assert!(
            call(&params, false, "a + b", "F(1, 2, 3)")
                .expression(&|_| None)
                .is_none()
        );
        assert!(
            call(&params, false, "a + b", "F")
                .expression(&|_| None)
                .is_none()
        );
        let sum = call(&params, false, "a ## b", "F(x, 2)").expression(&|_| None);
        assert!(sum.is_some_and(|expr| matches!(expr.kind, ExprKind::Name(_))));
    }

    /// The expansion of a call with some macros: `(name, parameters, replacement)`.
    fn statements(macros: &[(&str, Option<&[&str]>, &str)], text: &str) -> String {
        let params: Vec<Option<Vec<Ident>>> = macros
            .iter()
            .map(|(_, params, _)| params.map(|all| all.iter().map(|name| ident(name)).collect()))
            .collect();
        let known = |name: &str| {
            let index = macros.iter().position(|(known, ..)| *known == name)?;
            let (_, _, body) = macros.get(index)?;
            let params = params.get(index)?.as_deref();
            Some(Macro {
                params,
                variadic: body.contains("__VA_") || body.contains("rest"),
                body,
                body_start: 1000 * (index + 1),
            })
        };
        let end = text.find('(').expect("a call");
        let called = known(&text[..end]).expect("a macro");
        let call = MacroCall {
            called,
            call: text,
            call_start: 0,
            whole: false,
            fragments: &Fragments::default(),
        };
        let items = call.statements(&known).unwrap_or_default();
        let unit = crate::tree::Unit {
            items,
            ..crate::tree::Unit::default()
        };
        unit.to_string()
    }

    #[test]
    fn calls_that_a_replacement_puts_together_are_replaced() {
        let case = ("CASE", Some(&["T"][..]), "{ using X = T; __VA_ARGS__; }");
        let both = (
            "BOTH",
            Some(&[][..]),
            "CASE(float, __VA_ARGS__) CASE(int, __VA_ARGS__)",
        );
        assert_eq!(
            statements(&[both, case], "BOTH(f<X, 2>(a))"),
            "block\n  alias X = float\n  f<X, 2>(a)\nblock\n  alias X = int\n  f<X, 2>(a)\n"
        );
        // One that is an argument as a whole is left to whoever reads it.
        let run = ("RUN", Some(&[][..]), "{ __VA_ARGS__; }");
        assert_eq!(
            statements(&[run, case], "RUN(CASE(X, g()))"),
            "block\n  CASE(X, g())\n"
        );
        let list = ("LIST", Some(&["F"][..]), "F(1) F(2)");
        let one = ("ONE", Some(&["n"][..]), "f##n(n);");
        assert_eq!(statements(&[list, one], "LIST(ONE)"), "f1(1)\nf2(2)\n");
        let twice = ("TWICE", Some(&["F", "x"][..]), "F(F(x));");
        let add = ("ADD", Some(&["n"][..]), "(n + 1)");
        assert_eq!(
            statements(&[twice, add], "TWICE(ADD, 3)"),
            "((3 + 1) + 1)\n"
        );
        let name = ("NAME", None, "f(1,");
        let rest = ("REST", Some(&["a"][..]), "NAME a);");
        assert_eq!(statements(&[rest, name], "REST(2)"), "f(1, 2)\n");
    }

    #[test]
    fn the_rest_of_the_arguments_may_be_nothing_or_have_a_name() {
        let comma = ("F", Some(&["a"][..]), "g(a, ##__VA_ARGS__);");
        assert_eq!(statements(&[comma], "F(1)"), "g(1)\n");
        assert_eq!(statements(&[comma], "F(1, 2, 3)"), "g(1, 2, 3)\n");
        let optional = ("F", Some(&["a"][..]), "g(a __VA_OPT__(, h(__VA_ARGS__)));");
        assert_eq!(statements(&[optional], "F(1)"), "g(1)\n");
        assert_eq!(statements(&[optional], "F(1, 2, 3)"), "g(1, h(2, 3))\n");
        let named = ("F", Some(&["a", "rest"][..]), "g(rest, a);");
        assert_eq!(statements(&[named], "F(1, 2, 3)"), "g(2, 3, 1)\n");
    }

    #[test]
    fn macros_that_go_in_circles_or_grow_without_end_stop() {
        let (a, b) = (
            ("A", Some(&["x"][..]), "B(x);"),
            ("B", Some(&["x"][..]), "A(x)"),
        );
        assert_eq!(statements(&[a, b], "A(1)"), "A(1)\n");
        let names: Vec<String> = (0..40).map(|n| format!("M{n}")).collect();
        let bodies: Vec<String> = (1..41).map(|n| format!("M{n}(x x)")).collect();
        let macros: Vec<_> = names
            .iter()
            .zip(&bodies)
            .map(|(name, body)| (name.as_str(), Some(&["x"][..]), body.as_str()))
            .collect();
        assert_eq!(statements(&macros, "M0(f();)"), "");
        assert_eq!(
            statements(&[("OPEN", Some(&["x"][..]), "if (x) {")], "OPEN(1)"),
            ""
        );
    }

    fn read(text: &str) -> Option<String> {
        let one = [ident("x")];
        let two = [ident("x"), ident("y")];
        let text_of = |params, body| Macro {
            params,
            variadic: false,
            body,
            body_start: 0,
        };
        let find = |name: &str| {
            Some(match name {
                "SUM" => text_of(None, "1 + 2"),
                "ALIAS" => text_of(None, "SUM"),
                "LOOP" => text_of(None, "LOOP + 1"),
                "NEGATIVE" => text_of(None, "-1"),
                "SAME" => text_of(Some(one.as_slice()), "x"),
                "PRODUCT" => text_of(Some(two.as_slice()), "x * y"),
                "PASTE" => text_of(Some(two.as_slice()), "x##y"),
                _ => return None,
            })
        };
        replaced(text, 100, &find).map(|expr| expr.to_string())
    }

    #[test]
    fn replacements_are_read_with_what_stands_beside_them() {
        for (text, expected) in [
            ("SUM * 2", "(1 + (2 * 2))"),
            ("2 * SUM", "((2 * 1) + 2)"),
            ("(SUM) * 2", "((1 + 2) * 2)"),
            ("ALIAS * 2", "(1 + (2 * 2))"),
            ("2 - NEGATIVE", "(2 - -1)"),
            ("2 -NEGATIVE", "(2 - -1)"),
            ("SAME(1 + 2) * 3", "(1 + (2 * 3))"),
            ("PRODUCT(SUM, SAME(SUM))", "((1 + (2 * 1)) + 2)"),
            ("LOOP * 2", "(LOOP + (1 * 2))"),
            ("f(SUM) * 2", "(f((1 + 2)) * 2)"),
            ("PASTE(a, b) + 1", "(ab + 1)"),
            ("SAME + 1", "(SAME + 1)"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(read("PRODUCT(1)"), None);
    }

    #[test]
    fn spans_are_those_of_the_source() {
        let sum = Macro {
            params: None,
            variadic: false,
            body: "1 + a",
            body_start: 10,
        };
        let expr = replaced("b * SUM", 50, &|name| (name == "SUM").then_some(sum));
        let expr = expr.expect("an expression");
        assert_eq!(expr.span, Span::new(50, 57));
        let ExprKind::Binary(_, left, right) = &expr.kind else {
            panic!("{expr}");
        };
        assert_eq!(right.span, Span::new(14, 15));
        assert_eq!(left.span, Span::new(50, 57));
    }
}
