//! Function-like macros: calls of them are what their expansion is.

use tree_sitter_cute::cuda::{self, MacroCall};
use tree_sitter_cute::tree::{Define, Expr, Function, Item, Span};

use super::Interpreter;
use super::frame::Frame;
use super::program::Program;
use crate::vocabulary;

/// Macros that stand for one another in a row: a longer one goes in circles.
const ALIASES: usize = 8;

impl<'u> Program<'u> {
    /// The function-like macro of a name, also through `#define NAME OTHER`.
    pub(super) fn function_macro(&self, name: &str) -> Option<&'u Define> {
        let mut name = name;
        for _ in 0..ALIASES {
            if let Some(define) = self.function_macros.get(name) {
                return Some(define);
            }
            name = self.macros.replacement(name)?.as_plain_name()?;
        }
        None
    }

    /// A function whose head is the call of a macro: `KERNEL(name, int N) { .. }`.
    pub(super) fn expanded_function(
        &self,
        function: &'u Function,
        item: &'u Item,
    ) -> Option<&'u Function> {
        let define = self.function_macro(&function.name.name)?;
        let start = function.name.span.start;
        let body = cuda::without_words(self.slice(define.body), &|word| self.decorates(word));
        let mut head = self
            .macro_call(define, &body, Span::new(start, item.span.end))?
            .function_head()?;
        head.body.clone_from(&function.body);
        Some(self.environment?.arena.function(head))
    }

    /// Whether a word is a macro that stands for decorations only.
    fn decorates(&self, word: &str) -> bool {
        self.object_macros
            .get(word)
            .is_some_and(|define| cuda::only_decorates(self.slice(define.body)))
    }

    /// The call of a macro with this replacement at a span.
    fn macro_call<'t>(&self, define: &'t Define, body: &'t str, span: Span) -> Option<MacroCall<'t>>
    where
        'u: 't,
    {
        Some(MacroCall {
            params: define.params.as_ref()?,
            variadic: define.variadic,
            body,
            body_start: define.body.start,
            call: self.slice(span),
            call_start: span.start,
        })
    }
}

impl<'u> Interpreter<'u> {
    /// The expansion of a call, if it is one of a macro and an expression.
    pub(super) fn expansion(
        &mut self,
        expr: &'u Expr,
        callee: &'u Expr,
        frame: &Frame<'u>,
    ) -> Option<&'u Expr> {
        let name = callee.as_plain_name()?;
        let is_meant = |define: &&&Define| define.name.name == name;
        if vocabulary::function(name).is_none() && self.program.read_macro(name) {
            self.forget_where_names_are();
        }
        let define = match frame.macros.iter().rev().find(is_meant) {
            Some(local) => *local,
            None => self.program.function_macro(name)?,
        };
        // Inside of an expansion a call may be put together from several places.
        if callee.span.start != expr.span.start {
            return None;
        }
        let key = (expr.span, define.name.span);
        if let Some(known) = self.expansions.get(&key) {
            return *known;
        }
        let arena = self.program.environment?.arena;
        let expansion = self
            .program
            .macro_call(define, self.program.slice(define.body), expr.span)
            .and_then(|call| call.expression())
            .map(|expansion| arena.expr(expansion));
        self.expansions.insert(key, expansion);
        expansion
    }
}
