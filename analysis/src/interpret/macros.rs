//! Function-like macros: calls of them are what their expansion is.

use tree_sitter_cute::Host;
use tree_sitter_cute::cuda::{self, MacroCall, MacroText};
use tree_sitter_cute::tree::{Define, Expr, ExprKind, Function, Ident, Item, Span};

use super::Interpreter;
use super::frame::Frame;
use super::program::{MacroAt, Program};
use crate::reason::Reason;
use crate::vocabulary;

/// Macros that stand for one another in a row: a longer one goes in circles.
const ALIASES: usize = 8;

impl<'u> Program<'u> {
    /// The function-like macro that a name is at a place, also through `#define NAME OTHER`.
    pub(super) fn function_macro(&self, name: &str, used: Span) -> Option<&'u Define> {
        let mut name = name;
        for _ in 0..ALIASES {
            name = match self.macro_at(name, used) {
                MacroAt::Defined(define) if define.params.is_some() => return Some(define),
                MacroAt::Defined(define) => define.value.as_ref()?.as_plain_name()?,
                MacroAt::Undefined if !self.macro_times.contains_key(name) => {
                    self.macros.replacement(name)?.as_plain_name()?
                }
                MacroAt::Undefined | MacroAt::Open => return None,
            };
        }
        None
    }

    /// A function whose head is the call of a macro: `KERNEL(name, int N) { .. }`.
    pub(super) fn expanded_function(
        &self,
        function: &'u Function,
        item: &'u Item,
    ) -> Option<&'u Function> {
        let define = self.function_macro(&function.name.name, function.name.span)?;
        let start = function.name.span.start;
        let body = cuda::without_words(self.slice(define.body), &|word| self.decorates(word));
        let mut head = self
            .macro_call(define, &body, Span::new(start, item.span.end))?
            .function_head()?;
        head.body.clone_from(&function.body);
        Some(self.environment?.arena.function(head))
    }

    /// The definition of a macro where it is used.
    fn text_macro(&self, name: &str, used: Span) -> Option<&'u Define> {
        match self.macro_at(name, used) {
            MacroAt::Defined(define) => Some(define),
            MacroAt::Undefined | MacroAt::Open => None,
        }
    }

    /// Whether a macro is defined several times.
    fn is_redefined(&self, name: &str) -> bool {
        self.macro_times
            .get(name)
            .is_some_and(|times| times.len() > 1)
    }

    /// What an object-like macro stands for where it is used.
    pub(super) fn macro_value(&self, name: &str, used: Span) -> Option<&'u Expr> {
        let define = self.text_macro(name, used)?;
        let body = self.slice(define.body);
        if cuda::mentions(body, &|word| self.is_redefined(word)) {
            let find = |name: &str| Some(self.text_of(self.text_macro(name, used)?));
            let expr = cuda::replaced(body, define.body.start, &find)?;
            return Some(self.environment?.arena.expr(expr));
        }
        define.value.as_ref()
    }

    fn text_of(&self, define: &'u Define) -> MacroText<'u> {
        MacroText {
            params: define.params.as_deref(),
            variadic: define.variadic,
            body: self.slice(define.body),
            body_start: define.body.start,
        }
    }

    /// Whether what stands beside a macro may bind a part of its replacement: `1 + 2`.
    fn is_loose(&self, define: &'u Define, used: Span, depth: usize) -> bool {
        let body = self.slice(define.body);
        let is_loose_word = |word: &str| {
            let is_param = |param: &Ident| param.name == word;
            let params = define.params.as_deref().unwrap_or_default();
            params.iter().any(is_param)
                || self
                    .text_macro(word, used)
                    .is_some_and(|inner| depth < ALIASES && self.is_loose(inner, used, depth + 1))
        };
        !cuda::is_operand(body) || cuda::outer_words(body).any(is_loose_word)
    }

    /// Whether a word is a macro whose replacement is read with what stands beside it, or one with arguments.
    fn is_read_with_text(&self, word: &str, used: Span) -> bool {
        self.is_redefined(word)
            || self
                .text_macro(word, used)
                .is_some_and(|define| define.params.is_some() || self.is_loose(define, used, 0))
    }

    /// The expression in a text that starts at a place, with all macros replaced; those of a function come first.
    fn replaced(&self, text: &str, start: usize, own: &[&'u Define]) -> Option<&'u Expr> {
        let used = Span::new(start, start + text.len());
        let find = |name: &str| {
            let own = own.iter().rev().find(|define| define.name.name == name);
            let define = own.copied().or_else(|| self.text_macro(name, used))?;
            Some(self.text_of(define))
        };
        let expr = cuda::replaced(text, start, &find)?;
        Some(self.environment?.arena.expr(expr))
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
            None => self.program.function_macro(name, expr.span)?,
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
        let (body, text) = (
            self.program.slice(define.body),
            self.program.slice(expr.span),
        );
        let arguments = text.get(name.len()..).unwrap_or_default();
        let is_read_with_text = |word: &str| {
            frame.macros.iter().any(|own| own.name.name == word)
                || self.program.is_read_with_text(word, expr.span)
        };
        let expansion = if [body, arguments]
            .iter()
            .any(|text| cuda::mentions(text, &is_read_with_text))
        {
            self.program.replaced(text, expr.span.start, &frame.macros)
        } else {
            let call = self.program.macro_call(define, body, expr.span);
            let expansion = call.and_then(|call| call.expression());
            expansion.map(|expansion| arena.expr(expansion))
        };
        self.expansions.insert(key, expansion);
        expansion
    }

    /// An operator with its macros replaced, where what one of them stands for is no operand: `SUM * 2`. An error where
    /// that is no expression.
    pub(super) fn respelt(
        &mut self,
        expr: &'u Expr,
        frame: &Frame<'u>,
    ) -> Option<Result<&'u Expr, Reason>> {
        if self.host != Host::CudaCpp
            || (self.program.object_macros.is_empty() && self.program.function_macros.is_empty())
        {
            return None;
        }
        let define = self.loose_operand(expr, frame)?;
        let key = (expr.span, define.name.span);
        let known = if let Some(known) = self.expansions.get(&key) {
            *known
        } else {
            let text = self.program.slice(expr.span);
            let read = self.program.replaced(text, expr.span.start, &frame.macros);
            self.expansions.insert(key, read);
            read
        };
        match known {
            // A macro that names itself.
            Some(known) if std::ptr::eq(known, expr) => None,
            Some(known) => Some(Ok(known)),
            None => Some(Err(Reason::Construct("an operator with this macro"))),
        }
    }

    /// The macro that an operand of an operator is, where its replacement is none.
    fn loose_operand(&self, expr: &'u Expr, frame: &Frame<'u>) -> Option<&'u Define> {
        let operands = match &expr.kind {
            ExprKind::Binary(_, left, right) => [Some(left), Some(right), None],
            ExprKind::Ternary(condition, then, otherwise) => {
                [Some(condition), Some(then), Some(otherwise)]
            }
            ExprKind::Unary(_, operand)
            | ExprKind::Cast(_, _, operand)
            | ExprKind::Member {
                object: operand, ..
            }
            | ExprKind::Index(operand, _) => [Some(operand), None, None],
            _ => return None,
        };
        operands.into_iter().flatten().find_map(|operand| {
            self.loose_macro(operand, frame)
                .or_else(|| self.loose_operand(operand, frame))
        })
    }

    fn loose_macro(&self, expr: &'u Expr, frame: &Frame<'u>) -> Option<&'u Define> {
        let (name, has_arguments) = match &expr.kind {
            ExprKind::Name(_) => (expr.as_plain_name()?, false),
            ExprKind::Call(callee, _) if callee.span.start == expr.span.start => {
                (callee.as_plain_name()?, true)
            }
            _ => return None,
        };
        let is_meant = |define: &&&'u Define| define.name.name == name;
        let own = frame.macros.iter().rev().find(is_meant).copied();
        let define = match own {
            Some(own) => own,
            None if frame.find(name).is_some() => return None,
            None => self.program.text_macro(name, expr.span)?,
        };
        let is_called = define.params.is_some() == has_arguments;
        (is_called && self.program.is_loose(define, expr.span, 0)).then_some(define)
    }
}
