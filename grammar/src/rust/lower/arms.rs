//! Arms of `match`: the condition of each, where its pattern is one of numbers.

use tree_sitter::Node;

use super::Lowering;
use super::statement::MAY_NOT_MATCH;
use crate::nodes::{child_of_kind, has_token, named_children};
use crate::tree::{BinaryOp, Expr, ExprKind, Item, SwitchCase, UnaryOp};

/// Alternatives of a pattern that are read.
const ALTERNATIVES: usize = 64;

/// The condition of a pattern.
enum Condition {
    /// It matches all values.
    Always,
    /// It matches where the expression holds.
    Holds(Expr),
}

impl Lowering<'_> {
    /// The cases of a `match` on `value`. The value of a case is its condition; an arm that takes the rest has none.
    pub(super) fn arms(
        &mut self,
        node: Node<'_>,
        value: Option<&Expr>,
        is_value: bool,
    ) -> Vec<SwitchCase> {
        let arms = node.child_by_field_name("body").map(named_children);
        let mut cases = Vec::new();
        for arm in arms.unwrap_or_default() {
            if arm.kind() != "match_arm" {
                continue;
            }
            let mut body = Vec::new();
            let pattern = arm.child_by_field_name("pattern");
            let condition = pattern.and_then(|pattern| self.condition_of_arm(pattern, value));
            if let Some(pattern) = pattern {
                self.guard_into(pattern, &mut body);
                if let Some(inner) = pattern.named_child(0) {
                    self.names_into(inner, value, &mut body);
                }
            }
            if let Some(value) = arm.child_by_field_name("value") {
                self.descend_into_item(|l| l.statement_into(value, is_value, &mut body));
            }
            cases.push(SwitchCase {
                value: condition,
                body,
            });
        }
        // One of the arms matches: the last takes what the others leave.
        if let Some(last) = cases.last_mut() {
            last.value = None;
        }
        cases
    }

    /// Binds the names of a pattern: one that is a name is the value.
    fn names_into(&mut self, pattern: Node<'_>, value: Option<&Expr>, body: &mut Vec<Item>) {
        let value = value.filter(|value| is_without_effects(value));
        let is_name = pattern.kind() == "identifier";
        if is_name && self.is_constant(pattern) {
            return;
        }
        match value.filter(|_| is_name) {
            Some(value) => {
                let span = self.span(pattern);
                let parts = (None, Some(value.clone()));
                self.bindings_into(pattern, parts, false, span, body);
            }
            None => self.parts_of_pattern_into(pattern, body),
        }
    }

    /// Whether a name in a pattern is one of a constant: it is in capitals.
    fn is_constant(&self, name: Node<'_>) -> bool {
        self.text(name).starts_with(char::is_uppercase)
    }

    fn condition_of_arm(&mut self, arm: Node<'_>, value: Option<&Expr>) -> Option<Expr> {
        let open = Expr::new(ExprKind::Opaque(MAY_NOT_MATCH), self.span(arm));
        if arm.child_by_field_name("condition").is_some() {
            return Some(open);
        }
        // `_`, which takes the rest, has no node with a name.
        let pattern = arm.named_child(0)?;
        let mut left = ALTERNATIVES;
        let value = value.filter(|value| is_without_effects(value));
        match value.and_then(|value| self.condition_of_pattern(pattern, value, &mut left)) {
            Some(Condition::Always) => None,
            Some(Condition::Holds(condition)) => Some(condition),
            None => Some(open),
        }
    }

    /// The condition under which a pattern matches a value; `None` where it is not one of numbers.
    fn condition_of_pattern(
        &mut self,
        pattern: Node<'_>,
        value: &Expr,
        left: &mut usize,
    ) -> Option<Condition> {
        *left = left.checked_sub(1)?;
        let span = self.span(pattern);
        let compared = |operator, limit: Expr| {
            let kind = ExprKind::Binary(operator, Box::new(value.clone()), Box::new(limit));
            Expr::new(kind, span)
        };
        match pattern.kind() {
            "integer_literal" | "negative_literal" | "boolean_literal" | "char_literal"
            | "scoped_identifier" => {
                let number = self.expr(pattern);
                Some(Condition::Holds(compared(BinaryOp::Eq, number)))
            }
            "identifier" if self.is_constant(pattern) => {
                let number = self.expr(pattern);
                Some(Condition::Holds(compared(BinaryOp::Eq, number)))
            }
            "identifier" => Some(Condition::Always),
            "captured_pattern" => {
                let inner = named_children(pattern).into_iter().next_back()?;
                self.condition_of_pattern(inner, value, left)
            }
            "range_pattern" => {
                let mut bound = |name: &str, operator| {
                    let limit = pattern.child_by_field_name(name)?;
                    Some(compared(operator, self.expr(limit)))
                };
                let from = bound("left", BinaryOp::Ge);
                let is_closed = has_token(pattern, "..=") || has_token(pattern, "...");
                let operator = if is_closed {
                    BinaryOp::Le
                } else {
                    BinaryOp::Lt
                };
                let to = bound("right", operator);
                let both = match (from, to) {
                    (Some(from), Some(to)) => joined(BinaryOp::And, from, to),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => return None,
                };
                Some(Condition::Holds(both))
            }
            "or_pattern" => {
                let mut any: Option<Expr> = None;
                for alternative in named_children(pattern) {
                    let Condition::Holds(one) =
                        self.condition_of_pattern(alternative, value, left)?
                    else {
                        return Some(Condition::Always);
                    };
                    any = Some(match any {
                        Some(any) => joined(BinaryOp::Or, any, one),
                        None => one,
                    });
                }
                any.map(Condition::Holds)
            }
            _ => None,
        }
    }

    /// The guard of an arm, `pattern if guard`.
    fn guard_into(&mut self, pattern: Node<'_>, body: &mut Vec<Item>) {
        if let Some(guard) = pattern.child_by_field_name("condition") {
            self.condition_into(guard, body);
        }
    }

    /// Whether the rest of a `match` is taken by a pattern: `_` and `None`.
    pub(super) fn is_rest(&self, arm: Node<'_>) -> bool {
        arm.child_by_field_name("pattern").is_some_and(|pattern| {
            let is_plain = pattern.child_by_field_name("condition").is_none();
            let none = child_of_kind(pattern, "identifier").map(|name| self.text(name));
            is_plain && (pattern.named_child_count() == 0 || none == Some("None"))
        })
    }
}

fn joined(operator: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
    Expr::new(kind, span)
}

/// Whether an expression can be evaluated again: it calls nothing.
fn is_without_effects(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Bool(_) => true,
        ExprKind::Unary(op, inner) => {
            matches!(op, UnaryOp::Minus | UnaryOp::Not) && is_without_effects(inner)
        }
        ExprKind::Cast(_, _, inner) => is_without_effects(inner),
        ExprKind::Binary(_, left, right) => is_without_effects(left) && is_without_effects(right),
        ExprKind::Member { object, .. } => is_without_effects(object),
        _ => false,
    }
}
