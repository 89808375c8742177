//! Calls of function-like macros, expanded as the preprocessor does and read as C++.
//!
//! The result has the spans of the source: what an argument brought is where the argument is
//! written, the rest is where the macro is defined. So what is known inside an argument (often a
//! whole lambda: `BOOL_SWITCH(x, X, [&] { .. })`) is known at its own place.

use super::fragment;
use super::macros;
use super::tokens::{Token, TokenKind, scan};
use crate::limits::SOURCE_BYTES;
use crate::tree::{Expr, Function, Ident, ItemKind, Shift, Span};
use crate::{Budget, Host, Syntax};

/// A function-like macro and one call of it.
#[derive(Debug, Clone, Copy)]
pub struct MacroCall<'t> {
    /// The macro's parameters.
    pub params: &'t [Ident],
    /// Whether it takes more arguments than that.
    pub variadic: bool,
    /// Its replacement text.
    pub body: &'t str,
    /// Where that starts.
    pub body_start: usize,
    /// The call, from the macro's name to the closing parenthesis at least.
    pub call: &'t str,
    /// Where that starts.
    pub call_start: usize,
}

/// Whether the replacement text of a macro has nothing but what decorates a declaration:
/// `__grid_constant__`, `inline`, nothing at all.
pub fn only_decorates(text: &str) -> bool {
    scan(text).tokens.iter().all(|token| {
        token.kind == TokenKind::Word && macros::is_decoration(token.span().text(text))
    })
}

/// The text with blanks in the place of the words that `is_left_out` names; as long as before.
pub fn without_words(text: &str, is_left_out: &dyn Fn(&str) -> bool) -> String {
    let mut kept = text.to_owned();
    for token in scan(text).tokens {
        let span = token.span();
        if token.kind == TokenKind::Word && is_left_out(span.text(text)) {
            kept.replace_range(span.start..span.end, &" ".repeat(span.len()));
        }
    }
    kept
}

impl MacroCall<'_> {
    /// The expansion, where it is an expression.
    ///
    /// ```
    /// # use tree_sitter_cute::{cuda::MacroCall, tree::{ExprKind, Ident, Span}};
    /// let params = [Ident { name: "x".into(), span: Span::new(12, 13) }];
    /// let call = MacroCall {
    ///     params: &params, variadic: false,
    ///     body: "f(x, 8)", body_start: 15, call: "F(tile)", call_start: 30,
    /// };
    /// let expansion = call.expression().unwrap();
    /// let ExprKind::Call(_, args) = &expansion.kind else { panic!() };
    /// assert_eq!(args[0].span, Span::new(32, 36)); // in the call
    /// assert_eq!(args[1].span, Span::new(20, 21)); // in the definition
    /// ```
    pub fn expression(&self) -> Option<Expr> {
        let expansion = self.expanded()?;
        let mut expr = fragment::expression(&expansion.text).ok()?;
        expr.map_spans(&|span| expansion.origin(span));
        Some(expr)
    }

    /// The function whose head the expansion is: its body is empty.
    pub fn function_head(&self) -> Option<Function> {
        let mut expansion = self.expanded()?;
        expansion.text.push_str(" {}");
        let text = &expansion.text;
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).ok()?;
        let mut items = syntax.lower(text).items.into_iter();
        let mut function = match (items.next()?.kind, items.next()) {
            (ItemKind::Function(function), None) => *function,
            _ => return None,
        };
        function.map_spans(&|span| expansion.origin(span));
        Some(function)
    }

    pub(super) fn expanded(&self) -> Option<Expansion> {
        let arguments = self.arguments()?;
        let fixed = self.params.len();
        if arguments.len() < fixed || (arguments.len() > fixed && !self.variadic) {
            return None;
        }
        // `__VA_OPT__(..)` is what is in it, or nothing.
        if self.body.contains("__VA_OPT__") {
            return None;
        }
        let mut expansion = Expansion {
            text: String::new(),
            chunks: Vec::new(),
            whole: Span::new(self.call_start, self.call_start + self.call.len()),
        };
        let tokens = scan(self.body).tokens;
        let mut at = 0;
        for (index, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Word {
                continue;
            }
            let Some(argument) = self.argument(*token, &arguments) else {
                continue;
            };
            let span = token.span();
            // `#x` is the text of the argument, which no layout depends on.
            let before = index.checked_sub(1).and_then(|index| tokens.get(index));
            let twice = index.checked_sub(2).and_then(|index| tokens.get(index));
            let is_hash = |token: Option<&Token>| token.is_some_and(|token| token.is(b'#'));
            if let Some(hash) = before.filter(|_| is_hash(before) && !is_hash(twice)) {
                expansion.take(self.body, self.body_start, Span::new(at, hash.span().start));
                expansion.text.push_str("\"\"");
                at = span.end;
                continue;
            }
            let mut upto = span.start;
            if span.text(self.body) == VARIADIC
                && let Some(comma) = comma_pasted_before(&tokens, index)
            {
                // `, ## __VA_ARGS__`: the comma goes where there are no arguments, and else nothing is pasted.
                upto = if argument.is_empty() {
                    comma.start
                } else {
                    comma.end
                };
            }
            expansion.take(self.body, self.body_start, Span::new(at, upto));
            expansion.take(self.call, self.call_start, argument);
            at = span.end;
        }
        expansion.take(self.body, self.body_start, Span::new(at, self.body.len()));
        (expansion.text.len() <= SOURCE_BYTES).then(|| expansion.pasted())
    }

    /// The argument that a word of the replacement stands for.
    fn argument(&self, word: Token, arguments: &[Span]) -> Option<Span> {
        let word = word.span().text(self.body);
        if word == VARIADIC && self.variadic {
            let rest = arguments.get(self.params.len()..)?;
            return match (rest.first(), rest.last()) {
                (Some(first), Some(last)) => Some(first.to(*last)),
                _ => Some(Span::default()),
            };
        }
        let place = self.params.iter().position(|param| param.name == word)?;
        arguments.get(place).copied()
    }

    /// The arguments of the call as the preprocessor separates them: only parentheses bind.
    fn arguments(&self) -> Option<Vec<Span>> {
        let tokens = scan(self.call).tokens;
        let open = tokens.iter().position(|token| token.is(b'('))?;
        let mut arguments = Vec::new();
        let mut start = tokens.get(open)?.span().end;
        let mut depth = 0_usize;
        for token in tokens.get(open + 1..)? {
            match token.kind {
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') if depth > 0 => depth -= 1,
                TokenKind::Punct(b')') => {
                    arguments.push(self.trimmed(Span::new(start, token.span().start)));
                    let none =
                        self.params.is_empty() && arguments.iter().all(|span| span.is_empty());
                    return Some(if none { Vec::new() } else { arguments });
                }
                TokenKind::Punct(b',') if depth == 0 => {
                    arguments.push(self.trimmed(Span::new(start, token.span().start)));
                    start = token.span().end;
                }
                _ => {}
            }
        }
        None
    }

    fn trimmed(&self, span: Span) -> Span {
        let text = span.text(self.call);
        let start = span.start + (text.len() - text.trim_start().len());
        Span::new(start, start + text.trim().len())
    }
}

/// What stands for the arguments of `...`.
const VARIADIC: &str = "__VA_ARGS__";

/// The comma of `, ## __VA_ARGS__`.
fn comma_pasted_before(tokens: &[Token], index: usize) -> Option<Span> {
    let [comma, first, second] = tokens.get(index.checked_sub(3)?..index)? else {
        return None;
    };
    (comma.is(b',') && first.is(b'#') && second.is(b'#')).then(|| comma.span())
}

/// The text of an expansion, and where each part of it comes from.
pub(super) struct Expansion {
    pub(super) text: String,
    /// Places in `text`, each with where it starts in the source, in order.
    pub(super) chunks: Vec<(Span, usize)>,
    /// The call.
    pub(super) whole: Span,
}

impl Expansion {
    pub(super) fn take(&mut self, text: &str, base: usize, part: Span) {
        let start = self.text.len();
        self.text.push_str(part.text(text));
        let end = self.text.len();
        if end > start {
            self.chunks.push((Span::new(start, end), base + part.start));
        }
    }

    /// The same with `##` and the blanks around it taken out.
    fn pasted(mut self) -> Self {
        while let Some(at) = self.text.find("##") {
            let before = self.text.get(..at).unwrap_or_default();
            let after = self.text.get(at + 2..).unwrap_or_default();
            let start = before.trim_end().len();
            let end = at + 2 + (after.len() - after.trim_start().len());
            self.text.replace_range(start..end, "");
            // A pasted name is of no place but the whole call's.
            self.chunks.clear();
        }
        self
    }

    /// Where a span of the expansion comes from: the call, where several parts make it up.
    pub(super) fn origin(&self, span: Span) -> Span {
        let part_at = |offset: usize| self.chunks.iter().find(|(part, _)| part.contains(offset));
        let last_byte = span.end.saturating_sub(1).max(span.start);
        match (part_at(span.start), part_at(last_byte)) {
            (Some(first), Some(last)) if first == last => {
                let (part, base) = first;
                Span::new(span.start - part.start + base, span.end - part.start + base)
            }
            _ => self.whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::ExprKind;

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
        MacroCall {
            params,
            variadic,
            body,
            body_start: 1000,
            call,
            call_start: 2000,
        }
    }

    #[test]
    fn a_lambda_with_commas_is_one_variadic_argument() {
        let params = [ident("C"), ident("N")];
        let body = "[&] { if (C) { constexpr bool N = true; return __VA_ARGS__(); } }()";
        let text = "SWITCH(a, B, [&] { f<B, 2>(x); })";
        let expr = call(&params, true, body, text)
            .expression()
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
            .function_head()
            .expect("a function");
        assert_eq!(head.name.name, "fwd");
        assert_eq!(head.name.span, Span::new(2007, 2010));
        assert_eq!(head.tparams.len(), 3);
        assert!(head.flags.global);
    }

    #[test]
    fn words_that_decorate_are_left_out() {
        assert!(only_decorates("") && only_decorates("__grid_constant__ inline"));
        assert!(!only_decorates("const"));
        let kept = without_words("F(MODIFIER const P p)", &|word| word == "MODIFIER");
        assert_eq!(kept, "F(         const P p)");
    }

    #[test]
    fn the_text_of_an_argument_is_some_string() {
        let params = [ident("n")];
        let expr = call(&params, false, "run(#n \" x \" #n, _##n{})", "RUN(64)").expression();
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
        assert!(call(&params, false, "a + b", "F(1)").expression().is_none());
        assert!(
            call(&params, false, "a + b", "F(1, 2, 3)")
                .expression()
                .is_none()
        );
        assert!(call(&params, false, "a + b", "F").expression().is_none());
        let sum = call(&params, false, "a ## b", "F(x, 2)").expression();
        assert!(sum.is_some_and(|expr| matches!(expr.kind, ExprKind::Name(_))));
    }
}
