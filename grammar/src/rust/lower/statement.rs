//! Statements, and the value of a block.

use tree_sitter::Node;

use super::Lowering;
use crate::nodes::{child_of_kind, has_token, named_children};
use crate::tree::{
    Expr, ExprKind, If, Item, ItemKind, Jump, Lambda, Loop, LoopKind, Span, Switch, SwitchCase,
};

impl Lowering<'_> {
    /// The statements of a block; its value is returned if requested, else dropped.
    pub(super) fn block(&mut self, block: Node<'_>, returns: bool) -> Vec<Item> {
        let mut items = Vec::new();
        let nodes: Vec<_> = named_children(block)
            .into_iter()
            .filter(|node| !node.is_extra())
            .collect();
        for (index, node) in nodes.iter().enumerate() {
            if self.truncated {
                break;
            }
            let is_value = returns && index + 1 == nodes.len() && !has_token(*node, ";");
            self.descend_into_item(|lowering| {
                if Self::declares(*node) {
                    lowering.declaration_into(*node, &mut items);
                } else {
                    lowering.statement_into(*node, is_value, &mut items);
                }
            });
        }
        items
    }

    /// Appends a statement; one that `is_value` is the result of the block around it.
    pub(super) fn statement_into(&mut self, node: Node<'_>, is_value: bool, items: &mut Vec<Item>) {
        let span = self.span(node);
        let kind = match node.kind() {
            "expression_statement" => {
                if let Some(inner) = node.named_child(0) {
                    self.statement_into(inner, is_value, items);
                }
                return;
            }
            "attribute_item"
            | "inner_attribute_item"
            | "label"
            | "empty_statement"
            | "line_comment"
            | "block_comment" => return,
            "ERROR" => {
                for child in named_children(node) {
                    self.descend(|lowering| lowering.statement_into(child, false, items));
                }
                return;
            }
            "let_declaration" => return self.let_into(node, items),
            "block" | "unsafe_block" | "const_block" | "async_block" | "try_block" => {
                let body = inner_block(node);
                ItemKind::Block(body.map(|b| self.block(b, is_value)).unwrap_or_default())
            }
            "if_expression" => self.branch(node, is_value),
            "match_expression" => self.switch(node, is_value),
            "for_expression" | "while_expression" | "loop_expression" => self.repeat(node),
            "return_expression" => {
                ItemKind::Return(node.named_child(0).map(|value| self.expr(value)))
            }
            "break_expression" => ItemKind::Jump(Jump::Break),
            "continue_expression" => ItemKind::Jump(Jump::Continue),
            _ => {
                let value = self.expr(node);
                if is_value {
                    ItemKind::Return(Some(value))
                } else {
                    ItemKind::Expr(value)
                }
            }
        };
        items.push(Item::new(kind, span));
    }

    fn let_into(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let ty = node.child_by_field_name("type").map(|ty| self.ty(ty));
        let init = self.field(node, "value");
        if let Some(otherwise) = node.child_by_field_name("alternative") {
            let then = self.block(otherwise, false);
            let condition = Expr::new(
                ExprKind::Opaque("a pattern that may not match"),
                self.span(node),
            );
            items.push(Item::new(
                ItemKind::If(Box::new(plain_if(Some(condition), then, None))),
                self.span(otherwise),
            ));
        }
        if let Some(pattern) = node.child_by_field_name("pattern") {
            let mutable = Self::is_mutable(node);
            self.bindings_into(pattern, (ty, init), mutable, self.span(node), items);
        }
    }

    fn branch(&mut self, node: Node<'_>, is_value: bool) -> ItemKind {
        let mut init = Vec::new();
        let condition = node
            .child_by_field_name("condition")
            .and_then(|condition| self.condition(condition, &mut init));
        let then = node
            .child_by_field_name("consequence")
            .map(|block| self.block(block, is_value))
            .unwrap_or_default();
        let otherwise = node.child_by_field_name("alternative").and_then(|clause| {
            let inner = named_children(clause)
                .into_iter()
                .find(|child| !child.is_extra())?;
            Some(if inner.kind() == "block" {
                self.block(inner, is_value)
            } else {
                let mut items = Vec::new();
                self.descend_into_item(|l| l.statement_into(inner, is_value, &mut items));
                items
            })
        });
        let mut branch = plain_if(condition, then, otherwise);
        branch.init = init;
        ItemKind::If(Box::new(branch))
    }

    /// A condition; the names that a `let` in it binds go to `init`.
    fn condition(&mut self, node: Node<'_>, init: &mut Vec<Item>) -> Option<Expr> {
        match node.kind() {
            "let_condition" | "let_chain" => {
                let mut rest = vec![node];
                while let Some(node) = rest.pop() {
                    match node.kind() {
                        "let_condition" => {
                            if let Some(value) = node.child_by_field_name("value") {
                                let value = self.expr(value);
                                let span = value.span;
                                init.push(Item::new(ItemKind::Expr(value), span));
                            }
                            if let Some(pattern) = node.child_by_field_name("pattern") {
                                self.parts_of_pattern_into(pattern, init);
                            }
                        }
                        "let_chain" => rest.extend(named_children(node).into_iter().rev()),
                        _ if node.is_extra() => {}
                        _ => {
                            let value = self.expr(node);
                            let span = value.span;
                            init.push(Item::new(ItemKind::Expr(value), span));
                        }
                    }
                }
                None
            }
            _ => Some(self.expr(node)),
        }
    }

    fn switch(&mut self, node: Node<'_>, is_value: bool) -> ItemKind {
        let condition = self.field(node, "value");
        let arms = node.child_by_field_name("body").map(named_children);
        let mut cases = Vec::new();
        for arm in arms.unwrap_or_default() {
            if arm.kind() != "match_arm" {
                continue;
            }
            let mut body = Vec::new();
            if let Some(pattern) = arm.child_by_field_name("pattern") {
                if let Some(guard) = pattern.child_by_field_name("condition") {
                    let guard = self.condition(guard, &mut body);
                    body.extend(guard.map(|guard| {
                        let span = guard.span;
                        Item::new(ItemKind::Expr(guard), span)
                    }));
                }
                if let Some(inner) = pattern.named_child(0) {
                    self.parts_of_pattern_into(inner, &mut body);
                }
            }
            if let Some(value) = arm.child_by_field_name("value") {
                self.descend_into_item(|l| l.statement_into(value, is_value, &mut body));
            }
            cases.push(SwitchCase { value: None, body });
        }
        ItemKind::Switch(Box::new(Switch { condition, cases }))
    }

    fn repeat(&mut self, node: Node<'_>) -> ItemKind {
        if self.on_device
            && let Some(counted) = self.counted(node)
        {
            return counted;
        }
        let mut init = Vec::new();
        let (kind, condition) = match node.kind() {
            "for_expression" => {
                let range = self.field(node, "value");
                if let Some(pattern) = node.child_by_field_name("pattern") {
                    self.parts_of_pattern_into(pattern, &mut init);
                }
                (LoopKind::Range, range)
            }
            "while_expression" => {
                let condition = node.child_by_field_name("condition");
                let condition = condition.and_then(|node| self.condition(node, &mut init));
                (LoopKind::While, condition)
            }
            _ => (LoopKind::While, None),
        };
        let body = node
            .child_by_field_name("body")
            .map(|body| self.block(body, false))
            .unwrap_or_default();
        ItemKind::Loop(Box::new(Loop {
            kind,
            init,
            condition,
            step: None,
            body,
        }))
    }

    /// A statement whose value is used: `if`, `match`, a block.
    pub(super) fn as_value(&mut self, node: Node<'_>) -> ExprKind {
        let mut items = Vec::new();
        self.descend_into_item(|lowering| {
            if let Some(block) = inner_block(node) {
                items = lowering.block(block, true);
            } else {
                lowering.statement_into(node, true, &mut items);
            }
        });
        if let [
            Item {
                kind: ItemKind::Return(Some(value)),
                ..
            },
        ] = items.as_slice()
        {
            return value.kind.clone();
        }
        called(items, self.span(node))
    }
}

/// The block of `unsafe { }` and its kin, or a block itself.
fn inner_block(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "block" => Some(node),
        "unsafe_block" | "const_block" | "async_block" | "try_block" => {
            child_of_kind(node, "block")
        }
        _ => None,
    }
}

fn plain_if(condition: Option<Expr>, then: Vec<Item>, otherwise: Option<Vec<Item>>) -> If {
    If {
        constexpr: false,
        init: Vec::new(),
        condition,
        then,
        otherwise,
    }
}

/// Statements whose value is used: a lambda that is called.
fn called(body: Vec<Item>, span: Span) -> ExprKind {
    let lambda = Lambda {
        default_capture: Some('&'),
        captures: Vec::new(),
        tparams: Vec::new(),
        params: Vec::new(),
        ret: None,
        body,
    };
    let lambda = Expr::new(ExprKind::Lambda(Box::new(lambda)), span);
    ExprKind::Call(Box::new(lambda), Vec::new())
}
