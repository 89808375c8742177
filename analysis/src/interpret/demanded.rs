//! Macros that the build of a source must define, and that nothing visible defines: without them it comes to an
//! `#error`, or there is nothing in it.

use tree_sitter_cute::tree::{
    BinaryOp, Branch, Condition, Conditional, Expr, ExprKind, Item, ItemKind, UnaryOp,
};

use super::preprocessor::guards_itself;
use super::program::Program;
use crate::walk;

/// A macro that the build must define; its value in code is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Demanded {
    pub(super) name: String,
    /// Whether its being defined, or its being true, decides what is compiled; else any value may be wanted.
    pub(super) is_flag: bool,
}

/// Macros without which the root says nothing.
#[derive(Debug, Default)]
pub(super) struct Demand {
    /// Those without which the root refuses to be compiled or is empty, and that nothing visible defines.
    pub(super) demanded: Vec<Demanded>,
    /// Whether the root declares nothing, or did without them.
    pub(super) is_filled: bool,
}

impl Demand {
    /// Whether the build must define a macro.
    pub(super) fn is_for(&self, name: &str) -> bool {
        self.demanded.iter().any(|it| it.name == name)
    }

    /// Whether it must define it as a flag.
    pub(super) fn is_flag(&self, name: &str) -> bool {
        self.demanded.iter().any(|it| it.name == name && it.is_flag)
    }
}

/// The use of a macro in a condition.
#[derive(Debug, Clone, Copy)]
enum Wanted<'i> {
    /// `defined(NAME)`
    Defined(&'i str),
    /// `#if NAME`
    True(&'i str),
}

impl Wanted<'_> {
    fn as_flag(self) -> Demanded {
        let (Self::Defined(name) | Self::True(name)) = self;
        Demanded {
            name: name.to_owned(),
            is_flag: true,
        }
    }

    /// As one without which there is an error: `#ifndef NAME`, `#error`.
    fn as_value(self) -> Demanded {
        Demanded {
            is_flag: matches!(self, Self::True(_)),
            ..self.as_flag()
        }
    }
}

impl Program<'_> {
    /// The macro without which the compiler comes to an `#error`. Of several that would do, the first.
    pub(super) fn demanded_macro(&self, items: &[Item]) -> Option<Demanded> {
        let mut found = None;
        walk::items(items, &mut |item| {
            if let (ItemKind::Conditional(conditional), None) = (&item.kind, &found) {
                found = self.demanded_by(&conditional.branches);
            }
        });
        found
    }

    fn demanded_by(&self, branches: &[Branch]) -> Option<Demanded> {
        let refuses = |branch: &Branch| {
            let mut items = branch.items.iter();
            items.any(|item| matches!(item.kind, ItemKind::ErrorDirective))
        };
        let compiled = self.compiled_branches(branches);
        let [refused] = compiled.as_slice() else {
            return None;
        };
        if !refuses(refused) {
            return None;
        }
        let mut would_be_compiled = branches
            .iter()
            .take_while(|branch| !std::ptr::eq(*branch, *refused))
            .filter(|branch| !refuses(branch));
        would_be_compiled
            .find_map(|branch| self.wanted_by(&branch.condition, true))
            .map(Wanted::as_flag)
            .or_else(|| {
                self.wanted_by(&refused.condition, false)
                    .map(Wanted::as_value)
            })
    }

    /// The macro without which a file declares nothing: all that it has is in an `#if` that nothing visible fulfils, as
    /// where the build switches whole sources on and off.
    pub(super) fn filling_macro(&self, items: &[Item]) -> Option<Demanded> {
        if self.declares(items) {
            return None;
        }
        self.filling(items).map(Wanted::as_flag)
    }

    /// Whether anything but directives is compiled of these items.
    pub(super) fn declares(&self, items: &[Item]) -> bool {
        items.iter().any(|item| match &item.kind {
            ItemKind::Conditional(conditional) => {
                let mut compiled = self.compiled_or_guarded(conditional).into_iter();
                compiled.any(|branch| self.declares(&branch.items))
            }
            ItemKind::Namespace(namespace) => self.declares(&namespace.items),
            kind => is_declaration(kind),
        })
    }

    fn filling<'i>(&self, items: &'i [Item]) -> Option<Wanted<'i>> {
        items.iter().find_map(|item| match &item.kind {
            ItemKind::Namespace(namespace) => self.filling(&namespace.items),
            ItemKind::Conditional(conditional) => {
                let compiled = self.compiled_or_guarded(conditional);
                if !compiled.is_empty() {
                    let mut compiled = compiled.into_iter();
                    return compiled.find_map(|branch| self.filling(&branch.items));
                }
                let first = conditional.branches.first()?;
                let mut is_filled = false;
                walk::items(&first.items, &mut |item| {
                    is_filled |= is_declaration(&item.kind);
                });
                is_filled
                    .then(|| self.wanted_by(&first.condition, true))
                    .flatten()
            }
            _ => None,
        })
    }

    /// The branches that may be compiled, and the body of an include guard: its macro was defined in it.
    fn compiled_or_guarded<'i>(&self, conditional: &'i Conditional) -> Vec<&'i Branch> {
        if let [branch] = conditional.branches.as_slice()
            && guards_itself(branch)
        {
            return vec![branch];
        }
        self.compiled_branches(&conditional.branches)
    }

    /// The macro whose definition makes a condition true (`holds`), or false, and that nothing defines: one
    /// that is defined already is wanted with another value.
    fn wanted_by<'i>(&self, condition: &'i Condition, holds: bool) -> Option<Wanted<'i>> {
        let wanted = match condition {
            Condition::Defined(name) if holds => Some(name.name.as_str()),
            Condition::NotDefined(name) if !holds => Some(name.name.as_str()),
            Condition::If(expr) => return self.wanted_by_expression(expr, holds),
            _ => None,
        };
        wanted
            .filter(|name| self.is_undefined(name))
            .map(Wanted::Defined)
    }

    fn wanted_by_expression<'i>(&self, expr: &'i Expr, holds: bool) -> Option<Wanted<'i>> {
        let either = |left, right| {
            self.wanted_by_expression(left, holds)
                .or_else(|| self.wanted_by_expression(right, holds))
        };
        match &expr.kind {
            ExprKind::Name(_) if holds => {
                let name = expr.as_plain_name();
                name.filter(|name| self.is_undefined(name))
                    .map(Wanted::True)
            }
            ExprKind::Call(callee, args) if holds && callee.as_plain_name() == Some("defined") => {
                let name = args.first()?.as_plain_name();
                name.filter(|name| self.is_undefined(name))
                    .map(Wanted::Defined)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => self.wanted_by_expression(operand, !holds),
            // Of operands of `&&`, one after the other; of operands of `||`, the first.
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => either(left, right),
            _ => None,
        }
    }

    fn is_undefined(&self, name: &str) -> bool {
        self.is_defined(name) == Some(false)
    }
}

/// Whether it declares something, and is not a mere directive.
fn is_declaration(kind: &ItemKind) -> bool {
    !matches!(
        kind,
        ItemKind::Include(_)
            | ItemKind::Define(_)
            | ItemKind::Undef(_)
            | ItemKind::ErrorDirective
            | ItemKind::Using(_)
            | ItemKind::Conditional(_)
            | ItemKind::Namespace(_)
            | ItemKind::Opaque(_)
    )
}
