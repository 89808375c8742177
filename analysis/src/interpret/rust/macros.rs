//! Calls of macros that `macro_rules!` defines: they are their expansions.

use tree_sitter_cute::rust::{RulesCall, RulesText};
use tree_sitter_cute::tree::{Define, Expr, Item, ItemKind, MacroCall, Span};

use crate::interpret::Interpreter;
use crate::interpret::frame::Frame;
use crate::interpret::ids::ModuleId;
use crate::interpret::preprocessed::Expansion;
use crate::interpret::program::Program;

/// The syntax of an expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Expression,
    Statements,
}

impl<'u> Program<'u> {
    fn rules(&self, define: &'u Define) -> RulesText<'u> {
        RulesText {
            text: self.slice(define.body),
            start: define.body.start,
        }
    }

    /// Adds the items that the call of a macro comes to, where it is one in a module.
    pub(in crate::interpret) fn add_items_of_macro(
        &mut self,
        (expr, call): (&'u Expr, &'u MacroCall),
        module: ModuleId,
    ) {
        let items = || {
            let name = &call.path.last()?.name.name;
            let rules = self.rules(self.function_macro(name, expr.span)?);
            let items = self.rules_call(rules, expr.span).items(&|name| {
                let define = self.function_macro(name, expr.span)?;
                Some(self.rules(define))
            })?;
            let block = Item::new(ItemKind::Block(items), expr.span);
            Some(self.environment?.arena.item(block))
        };
        if let Some(block) = items() {
            self.add_made(block, expr.span, module);
        }
    }

    fn rules_call(&self, rules: RulesText<'u>, call: Span) -> RulesCall<'u> {
        RulesCall {
            rules,
            call: self.slice(call),
            call_start: call.start,
        }
    }
}

impl<'u> Interpreter<'u> {
    /// The expression that a call is.
    pub(in crate::interpret) fn expression_of_macro(
        &mut self,
        expr: &'u Expr,
        call: &'u MacroCall,
        frame: &Frame<'u>,
    ) -> Option<&'u Expr> {
        match self.expanded_by_rules(expr, call, Syntax::Expression, frame) {
            Expansion::Expression(expansion) => Some(expansion),
            _ => None,
        }
    }

    /// The statements that a call is where it is one.
    pub(in crate::interpret) fn statements_of_macro(
        &mut self,
        expr: &'u Expr,
        call: &'u MacroCall,
        frame: &Frame<'u>,
    ) -> Option<&'u [Item]> {
        match self.expanded_by_rules(expr, call, Syntax::Statements, frame) {
            Expansion::Statements(items) => Some(items),
            _ => None,
        }
    }

    fn expanded_by_rules(
        &mut self,
        expr: &'u Expr,
        call: &'u MacroCall,
        syntax: Syntax,
        frame: &Frame<'u>,
    ) -> Expansion<'u> {
        let name = call.path.last().map(|last| &*last.name.name);
        let define = name.and_then(|name| self.function_macro(name, expr.span, frame));
        let Some(define) = define.filter(|define| !define.body.encloses(expr.span)) else {
            return Expansion::Neither;
        };
        let key = (expr.span, define.name.span);
        if let Some(known) = self.readings.expansions.get(&key) {
            return *known;
        }
        let expansion = self
            .expand_by_rules(define, expr.span, syntax, frame)
            .unwrap_or(Expansion::Neither);
        self.readings.expansions.insert(key, expansion);
        expansion
    }

    fn expand_by_rules(
        &self,
        define: &'u Define,
        span: Span,
        syntax: Syntax,
        frame: &Frame<'u>,
    ) -> Option<Expansion<'u>> {
        let arena = self.program.environment?.arena;
        let call = self.program.rules_call(self.program.rules(define), span);
        let macros = |name: &str| {
            let define = self.function_macro(name, span, frame)?;
            Some(self.program.rules(define))
        };
        if syntax == Syntax::Expression {
            return Some(Expansion::Expression(arena.expr(call.expression(&macros)?)));
        }
        Expansion::of_statements(arena, call.statements(&macros)?, span)
    }
}
