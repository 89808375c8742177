//! The actions of a lowered kernel, with the branches and loops around them.

use tree_sitter_cute::tree::{Expr, ExprKind, Item, ItemKind, Span};

use super::calls::Done;
use crate::hash::HashMap;
use crate::trace::{Action, Step, Way};
use crate::walk;

/// Initialisers of declared names, by the place of the name.
pub(super) fn initialisers(items: &[Item]) -> HashMap<Span, &Expr> {
    let mut found = HashMap::default();
    walk::items(items, &mut |item| match &item.kind {
        ItemKind::Binding(binding) => {
            if let (Some(name), Some(init)) = (&binding.name, &binding.init) {
                found.insert(name.span, init);
            }
        }
        ItemKind::StructuredBinding(binding) => {
            for name in &binding.names {
                if let Some(init) = &binding.init {
                    found.insert(name.span, init);
                }
            }
        }
        _ => {}
    });
    found
}

/// The actions of the statements of a kernel, in order.
pub(super) fn actions<'u>(items: &'u [Item], acts: &HashMap<Span, Done>) -> Vec<Action<'u>> {
    let mut finder = Finder {
        acts,
        path: Vec::new(),
        found: Vec::new(),
    };
    finder.items(items);
    finder.found
}

struct Finder<'d, 'u> {
    acts: &'d HashMap<Span, Done>,
    path: Vec<Step<'u>>,
    found: Vec<Action<'u>>,
}

impl<'u> Finder<'_, 'u> {
    fn items(&mut self, items: &'u [Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &'u Item) {
        walk::own_subexpressions(item, &mut |expr| self.expression(expr));
        match &item.kind {
            ItemKind::If(branch) => {
                if let Some(condition) = &branch.condition {
                    self.within(item.span, Way::Then(condition), &branch.then);
                }
                let otherwise = branch.otherwise.as_deref().unwrap_or_default();
                self.within(item.span, Way::Else, otherwise);
            }
            ItemKind::Loop(repeat) => self.within(item.span, Way::Loop(None), &repeat.body),
            ItemKind::Block(items) => self.items(items),
            _ => {}
        }
    }

    fn within(&mut self, span: Span, way: Way<'u>, items: &'u [Item]) {
        self.path.push(Step {
            span,
            way,
            within: None,
        });
        self.items(items);
        self.path.pop();
    }

    fn expression(&mut self, expr: &'u Expr) {
        let ExprKind::Call(_, args) = &expr.kind else {
            return;
        };
        let Some(done) = self.acts.get(&expr.span) else {
            return;
        };
        if self.found.iter().any(|known| known.span() == expr.span) {
            return;
        }
        let mut action = Action::of_element(expr, self.path.clone());
        action.kind = done.kind;
        action.args = args;
        action.values.clone_from(&done.values);
        action.result = done.result.clone();
        self.found.push(action);
    }
}
