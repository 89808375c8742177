//! Function-like macros: calls of them are their expansions.

use tree_sitter_cute::cuda::{self, Macro, MacroCall};
use tree_sitter_cute::tree::{
    Define, Expr, ExprKind, Function, Given, Ident, Item, ItemKind, Span,
};

use super::Interpreter;
use super::frame::Frame;
use super::ids::ModuleId;
use super::macro_times::is_keyword;
use super::preprocessed::{Expansion, is_literal};
use super::program::{MacroAt, Program};
use crate::limits;
use crate::reason::Reason;
use crate::vocabulary;
use crate::walk;
use crate::words::identifiers;

/// Macros that name one another in a row: a longer one goes in circles.
const ALIASES: usize = 8;

impl<'u> Program<'u> {
    /// The function-like macro that a name is at a place, also through `#define NAME OTHER`.
    pub(super) fn function_macro(&self, name: &str, used: Span) -> Option<&'u Define> {
        self.note_named(name);
        let mut name = name;
        for _ in 0..ALIASES {
            name = match self.macro_at(name, used) {
                MacroAt::Defined(define) if define.params.is_some() => return Some(define),
                MacroAt::Defined(define) => define.value.as_ref()?.as_plain_name()?,
                MacroAt::Undefined if !self.preprocessed.macro_times.contains_key(name) => self
                    .preprocessed
                    .macros
                    .replacement(name)?
                    .as_plain_name()?,
                MacroAt::Undefined | MacroAt::Open => return None,
            };
        }
        None
    }

    /// The macro of a name at a place, for the assembly of calls: not a word of ours; where a call is not replaced as a
    /// `whole`, not one that is a value.
    fn replacement_of(&self, name: &str, place: Span, whole: bool) -> Option<Macro<'u>> {
        if is_word_of_ours(name) {
            return None;
        }
        let object = || {
            let define = self.text_macro(name, place)?;
            (whole || define.value.is_none()).then_some(define)
        };
        let define = self.function_macro(name, place).or_else(object)?;
        Some(self.as_replaced(define))
    }

    fn as_replaced(&self, define: &'u Define) -> Macro<'u> {
        Macro {
            params: define.params.as_deref(),
            variadic: define.variadic,
            body: self.slice(define.body),
            body_start: define.body.start,
        }
    }

    /// A function whose head is the call of a macro: `KERNEL(name, int N) { .. }`.
    pub(super) fn expanded_function(
        &self,
        function: &'u Function,
        item: &'u Item,
    ) -> Option<&'u Function> {
        let start = function.name.span;
        let define = self.function_macro(&function.name.name, start)?;
        let call = self.macro_call(define, Span::new(start.start, item.span.end), false)?;
        let mut head = call.function_head(&|name| self.replacement_of(name, start, false))?;
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
        self.preprocessed
            .macro_times
            .get(name)
            .is_some_and(|times| times.len() > 1)
    }

    /// The replacement of an object-like macro where it is used.
    pub(super) fn macro_value(&self, name: &str, used: Span) -> Option<&'u Expr> {
        self.note_named(name);
        if !self.preprocessed.macro_times.contains_key(name) {
            let flag = self.preprocessed.macros.replacement(name)?;
            return is_literal(flag).then_some(flag);
        }
        let define = self.text_macro(name, used)?;
        let body = self.slice(define.body);
        if cuda::mentions(body, &|word| self.is_redefined(word)) {
            let find = |name: &str| Some(self.as_replaced(self.text_macro(name, used)?));
            let expr = cuda::replaced(body, define.body.start, &find)?;
            return Some(self.environment?.arena.expr(expr));
        }
        define.value.as_ref()
    }

    /// Whether the text beside a macro may bind a part of its replacement: `1 + 2`.
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

    /// Whether a word is a macro whose replacement is read with the text beside it.
    fn is_read_with_text(&self, word: &str, used: Span) -> bool {
        self.is_redefined(word)
            || self
                .text_macro(word, used)
                .is_some_and(|define| self.is_loose(define, used, 0))
            || self
                .function_macro(word, used)
                .is_some_and(|define| self.slice(define.body).trim().is_empty())
    }

    /// Adds the declarations of the call of a macro, where an item is one.
    pub(super) fn add_expansion(&mut self, item: &'u Item, module: ModuleId) {
        let ItemKind::Expr(expr) = &item.kind else {
            return;
        };
        if let ExprKind::Macro(call) = &expr.kind {
            return self.add_items_of_macro((expr, call), module);
        }
        let ExprKind::Call(callee, _) = &expr.kind else {
            return;
        };
        let is_of_library = |file: &crate::sources::SourceFile| file.is_library();
        let Some(name) = callee.as_plain_name() else {
            return;
        };
        if callee.span.start != expr.span.start
            || self.reading.depth > limits::INCLUDE_DEPTH
            || self.file_of(expr.span).is_none_or(is_of_library)
        {
            return;
        }
        self.read_macros_called(name, expr.span);
        let declared = || {
            let define = self.function_macro(name, expr.span)?;
            let call = self.macro_call(define, expr.span, true)?;
            let items = call.declarations(&|name| self.replacement_of(name, expr.span, false))?;
            let block = Item::new(ItemKind::Block(items), expr.span);
            Some(self.environment?.arena.item(block))
        };
        if let Some(block) = declared() {
            self.add_made(block, expr.span, module);
        }
    }

    /// Adds the declarations that the call of a macro makes.
    pub(super) fn add_made(&mut self, block: &'u Item, call: Span, module: ModuleId) {
        let first = self.functions.len();
        self.reading.depth += 1;
        self.add_all(std::slice::from_ref(block), module);
        self.reading.depth -= 1;
        self.by_macros.expanded.extend(first..self.functions.len());
        self.by_macros.expanded_at.push(call);
    }

    /// Adds the macros that the body of a function defines: they are in force behind it, too.
    pub(super) fn add_macros_in(&mut self, items: &'u [Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Define(define)
                    if define.params.is_some() && !is_keyword(&define.name.name) =>
                {
                    self.add_macro(define);
                }
                ItemKind::Undef(name)
                    if self
                        .preprocessed
                        .macro_times
                        .contains_key(name.name.as_str()) =>
                {
                    self.take_macro_back(name);
                }
                ItemKind::Conditional(conditional) => {
                    let possible = self.compiled_branches(&conditional.branches);
                    let is_one_of_several = possible.len() > 1;
                    for branch in possible {
                        let may_be_skipped = is_one_of_several || self.may_be_skipped(branch);
                        let around = self.preprocessed.macros.enter(may_be_skipped);
                        self.add_macros_in(&branch.items);
                        self.preprocessed.macros.leave(around);
                    }
                }
                _ => walk::inner_items(item, &mut |inner| self.add_macros_in(inner)),
            }
        }
    }

    /// Reads the headers that define a macro, or one that its replacement calls; whether there were any.
    fn read_macros_called(&mut self, name: &str, place: Span) -> bool {
        if !self.has_unread() {
            return false;
        }
        let mut found = self.read_macro(name);
        let mut defines: Vec<&'u Define> = self.function_macro(name, place).into_iter().collect();
        while let Some(define) = defines.pop() {
            if !self.preprocessed.followed_macros.insert(define.name.span) {
                continue;
            }
            for name in identifiers(self.slice(define.body)) {
                found |= self.read_macro(name);
                defines.extend(self.function_macro(name, place));
            }
        }
        found
    }

    /// The call of a macro that begins where a span does.
    fn macro_call(&self, define: &'u Define, span: Span, whole: bool) -> Option<MacroCall<'u>> {
        let file = self.file_of(span)?;
        let own = file.slice(span);
        // A call that no `;` ends is read as if it had no arguments.
        let rest = || file.slice(Span::new(span.start, file.span().end.saturating_sub(1)));
        let call = match cuda::call_end(own) {
            Some(_) => own,
            None => rest().get(..cuda::call_end(rest())?)?,
        };
        Some(MacroCall {
            called: self.as_replaced(define),
            call,
            call_start: span.start,
            whole,
            fragments: self.file_of(define.body)?.fragments(),
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
        match self.expanded_call(name, callee.span, expr.span, frame) {
            Expansion::Expression(expansion) => Some(expansion),
            _ => None,
        }
    }

    /// The statements that a call comes to, if it is one of a macro and no expression.
    pub(super) fn statements_of(
        &mut self,
        expr: &'u Expr,
        frame: &Frame<'u>,
    ) -> Option<&'u [Item]> {
        let callee = match &expr.kind {
            ExprKind::Call(callee, _) => callee,
            ExprKind::Macro(call) => return self.statements_of_macro(expr, call, frame),
            _ => return None,
        };
        let name = callee.as_plain_name()?;
        match self.expanded_call(name, callee.span, expr.span, frame) {
            Expansion::Statements(items) => Some(items),
            _ => None,
        }
    }

    /// The replacement text of the macro that is called.
    pub(super) fn replacement_of_call(&self, expr: &'u Expr, frame: &Frame<'u>) -> Option<&'u str> {
        let define = self.macro_called(expr, frame)?;
        Some(self.program.as_replaced(define).body)
    }

    /// The macro that is called.
    pub(super) fn macro_called(&self, expr: &'u Expr, frame: &Frame<'u>) -> Option<&'u Define> {
        let ExprKind::Call(callee, _) = &expr.kind else {
            return None;
        };
        self.function_macro(callee.as_plain_name()?, expr.span, frame)
    }

    /// The call of a macro that is given statements; where the macro is not visible, these.
    pub(super) fn exec_given(&mut self, given: &'u Given, item: Span, frame: &mut Frame<'u>) {
        let name = &given.name;
        match self.expanded_call(&name.name, name.span, item, frame) {
            Expansion::Statements(items) => {
                self.nested(|it| it.exec_all(items, frame));
            }
            Expansion::Expression(expr) => {
                self.eval(expr, frame);
            }
            Expansion::Neither => {
                self.nested(|it| it.exec_block(&given.body, frame));
                // Nothing says whether control comes there.
                frame.control.ended = false;
            }
        }
    }

    /// The expansion of a call of a macro at a span.
    fn expanded_call(
        &mut self,
        name: &str,
        callee: Span,
        call: Span,
        frame: &Frame<'u>,
    ) -> Expansion<'u> {
        if vocabulary::function(name).is_none() && self.program.read_macros_called(name, call) {
            self.lookups.forget();
        }
        let Some(define) = self.function_macro(name, call, frame) else {
            return Expansion::Neither;
        };
        // Inside of an expansion a call may be put together from several places; and a macro is never in its own
        // replacement.
        if callee.start != call.start || define.body.encloses(callee) {
            return Expansion::Neither;
        }
        let key = (call, define.name.span);
        if let Some(known) = self.readings.expansions.get(&key) {
            return *known;
        }
        let expansion = self
            .expand_call(define, call, frame)
            .unwrap_or(Expansion::Neither);
        self.readings.expansions.insert(key, expansion);
        expansion
    }

    fn expand_call(
        &self,
        define: &'u Define,
        span: Span,
        frame: &Frame<'u>,
    ) -> Option<Expansion<'u>> {
        let arena = self.program.environment?.arena;
        let mut call = self.program.macro_call(define, span, false)?;
        let is_read_with_text = |word: &str| {
            frame.macros.named(word).is_some() || self.program.is_read_with_text(word, span)
        };
        let arguments = call.call.get(define.name.name.len()..).unwrap_or_default();
        let texts = [call.called.body, arguments];
        call.whole = texts
            .iter()
            .any(|text| cuda::mentions(text, &is_read_with_text));
        let replacement_of = |name: &str| match frame.macros.named(name) {
            Some(local) => local.map(|define| self.program.as_replaced(define)),
            None => self.program.replacement_of(name, span, call.whole),
        };
        if let Some(expr) = call.expression(&replacement_of) {
            return Some(Expansion::Expression(arena.expr(expr)));
        }
        Expansion::of_statements(arena, call.statements(&replacement_of)?, span)
    }

    /// The function-like macro of a name that is in force where something is evaluated.
    pub(super) fn function_macro(
        &self,
        name: &str,
        place: Span,
        frame: &Frame<'u>,
    ) -> Option<&'u Define> {
        match frame.macros.named(name) {
            Some(local) => local.filter(|define| define.params.is_some()),
            None => self.program.function_macro(name, place),
        }
    }

    /// The expression in a text that starts at a place, with all macros replaced; those of a function come first.
    fn replaced(&self, text: &'u str, start: usize, frame: &Frame<'u>) -> Option<&'u Expr> {
        let used = Span::new(start, start + text.len());
        let find = |name: &str| {
            let define = match frame.macros.named(name) {
                Some(local) => local,
                None => self.program.text_macro(name, used),
            };
            Some(self.program.as_replaced(define?))
        };
        let expr = cuda::replaced(text, start, &find)?;
        Some(self.program.environment?.arena.expr(expr))
    }

    /// An operator with its macros replaced, where the replacement of one of them is not an operand: `SUM * 2`. An
    /// error where that is not an expression.
    pub(super) fn respelt(
        &mut self,
        expr: &'u Expr,
        frame: &Frame<'u>,
    ) -> Option<Result<&'u Expr, Reason>> {
        if !self.settings.is_cpp()
            || (self.program.preprocessed.object_macros.is_empty()
                && self.program.preprocessed.function_macros.is_empty())
        {
            return None;
        }
        let define = self.loose_operand(expr, frame)?;
        let key = (expr.span, define.name.span);
        let known = if let Some(known) = self.readings.expansions.get(&key) {
            *known
        } else {
            let text = self.program.slice(expr.span);
            let read = self.replaced(text, expr.span.start, frame);
            let read = read.map_or(Expansion::Neither, Expansion::Expression);
            self.readings.expansions.insert(key, read);
            read
        };
        match known {
            // A macro that names itself.
            Expansion::Expression(known) if std::ptr::eq(known, expr) => None,
            Expansion::Expression(known) => Some(Ok(known)),
            Expansion::Statements(_) | Expansion::Neither => {
                Some(Err(Reason::Construct("an operator with this macro")))
            }
        }
    }

    /// The macro that an operand of an operator is, where its replacement is not an operand.
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
        let define = match frame.macros.named(name) {
            Some(own) => own?,
            None if frame.find(name).is_some() => return None,
            None => self.program.text_macro(name, expr.span)?,
        };
        let is_called = define.params.is_some() == has_arguments;
        (is_called && self.program.is_loose(define, expr.span, 0)).then_some(define)
    }
}

/// Whether a name is one that we know the meaning of ourselves.
fn is_word_of_ours(name: &str) -> bool {
    vocabulary::function(name).is_some() || vocabulary::MACROS.contains(&name)
}
