//! Statements, and the value of a block.

use tree_sitter::Node;

use super::Lowering;
use crate::nodes::{child_of_kind, has_token, named_children};
use crate::tree::{
    Expr, ExprKind, Ident, If, Item, ItemKind, Jump, Lambda, Loop, LoopKind, Segment, Span, Switch,
    UnaryOp,
};

/// The contents of options that a condition names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    /// Names are bound to them.
    Bound,
    /// They are other ones in each pass of a loop.
    Open,
}

/// A condition that only the running program decides.
pub(super) const MAY_NOT_MATCH: &str = "a pattern that may not match";

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
            "macro_invocation" if !is_value => match self.unrolled(node) {
                Some(unrolled) => return items.extend(unrolled),
                None => ItemKind::Expr(self.expr(node)),
            },
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
        let value = node.child_by_field_name("value");
        let init = match value.and_then(|value| self.one_branch(value, items)) {
            Some(init) => Some(init),
            None => self.field(node, "value"),
        };
        if let Some(otherwise) = node.child_by_field_name("alternative") {
            let pattern = node.child_by_field_name("pattern");
            let content = pattern.and_then(|pattern| self.content_of(pattern));
            let then = self.block(otherwise, false);
            // `let Some(x) = value else { return };` is `let x = value?;`.
            let leaves = is_only_a_return(&then);
            if !(content.is_some() && leaves) {
                let condition = Expr::new(ExprKind::Opaque(MAY_NOT_MATCH), self.span(node));
                items.push(Item::new(
                    ItemKind::If(Box::new(plain_if(Some(condition), then, None))),
                    self.span(otherwise),
                ));
            }
            if let (Some(content), Some(init)) = (content, init.clone()) {
                let value = if leaves {
                    content_of(init)
                } else {
                    field_of(init)
                };
                self.content_into(content, value, self.span(node), items);
                return;
            }
        }
        if let Some(pattern) = node.child_by_field_name("pattern") {
            let mutable = Self::is_mutable(node);
            self.bindings_into(pattern, (ty, init), mutable, self.span(node), items);
        }
    }

    /// `if c { value } else { return }` and `if c { return } else { value }`: the value, behind the branch that leaves.
    fn one_branch(&mut self, node: Node<'_>, items: &mut Vec<Item>) -> Option<Expr> {
        let condition = node.child_by_field_name("condition")?;
        let then = node.child_by_field_name("consequence")?;
        let clause = node.child_by_field_name("alternative")?;
        let mut inner = named_children(clause).into_iter();
        let otherwise = inner.find(|child| !child.is_extra())?;
        let is_plain = !matches!(condition.kind(), "let_condition" | "let_chain");
        if node.kind() != "if_expression" || otherwise.kind() != "block" || !is_plain {
            return None;
        }
        let (value, branch) = match (leaves(then), leaves(otherwise)) {
            (false, true) => {
                let condition = self.expr(condition);
                let out = self.block(otherwise, false);
                (then, plain_if(Some(condition), Vec::new(), Some(out)))
            }
            (true, false) => {
                let condition = self.expr(condition);
                let out = self.block(then, false);
                (otherwise, plain_if(Some(condition), out, None))
            }
            _ => return None,
        };
        items.push(Item::new(ItemKind::If(Box::new(branch)), self.span(node)));
        Some(self.expr(value))
    }

    fn branch(&mut self, node: Node<'_>, is_value: bool) -> ItemKind {
        let mut init = Vec::new();
        let condition = node
            .child_by_field_name("condition")
            .and_then(|condition| self.condition(condition, Contents::Bound, &mut init));
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
    fn condition(
        &mut self,
        node: Node<'_>,
        contents: Contents,
        init: &mut Vec<Item>,
    ) -> Option<Expr> {
        match node.kind() {
            "let_condition" | "let_chain" => {
                let mut rest = vec![node];
                while let Some(node) = rest.pop() {
                    match node.kind() {
                        "let_condition" => self.let_condition_into(node, contents, init),
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

    /// A condition as a statement, with the names that a `let` in it binds.
    pub(super) fn condition_into(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        if let Some(condition) = self.condition(node, Contents::Open, items) {
            let span = condition.span;
            items.push(Item::new(ItemKind::Expr(condition), span));
        }
    }

    /// `let pattern = value` in a condition: a binding to `value?` where the pattern is that of an option, else the value,
    /// its names without values, and what cannot be decided where it has none.
    fn let_condition_into(&mut self, node: Node<'_>, contents: Contents, init: &mut Vec<Item>) {
        let pattern = node.child_by_field_name("pattern");
        let content = pattern
            .filter(|_| contents == Contents::Bound)
            .and_then(|pattern| self.content_of(pattern));
        let Some(value) = self.field(node, "value") else {
            return;
        };
        if let Some(content) = content {
            return self.content_into(content, content_of(value), self.span(node), init);
        }
        let span = value.span;
        init.push(Item::new(ItemKind::Expr(value), span));
        let before = init.len();
        if let Some(pattern) = pattern {
            self.parts_of_pattern_into(pattern, init);
        }
        if init.len() == before {
            let open = Expr::new(ExprKind::Opaque(MAY_NOT_MATCH), span);
            init.push(Item::new(ItemKind::Expr(open), span));
        }
    }

    /// The two arms of a `match`, the one that takes the rest behind.
    fn arms_of_option<'n>(&self, node: Node<'n>) -> Option<(Node<'n>, Node<'n>)> {
        let arms = named_children(node.child_by_field_name("body")?).into_iter();
        let arms: Vec<_> = arms.filter(|arm| !arm.is_extra()).collect();
        let [first, second] = <[Node<'n>; 2]>::try_from(arms).ok()?;
        if self.is_rest(second) {
            Some((first, second))
        } else if self.is_rest(first) {
            Some((second, first))
        } else {
            None
        }
    }

    /// `match value { Some(x) => .., None => .. }` as an `if let`.
    fn match_of_option(&mut self, node: Node<'_>, is_value: bool) -> Option<ItemKind> {
        let (some, none) = self.arms_of_option(node)?;
        let pattern = some.child_by_field_name("pattern")?;
        if pattern.child_by_field_name("condition").is_some() {
            return None;
        }
        let content = self.content_of(pattern.named_child(0)?)?;
        let value = self.field(node, "value")?;
        let mut init = Vec::new();
        self.content_into(content, content_of(value), self.span(node), &mut init);
        let mut body_of = |arm: Node<'_>| {
            let mut body = Vec::new();
            if let Some(value) = arm.child_by_field_name("value") {
                self.descend_into_item(|l| l.statement_into(value, is_value, &mut body));
            }
            body
        };
        let then = body_of(some);
        let otherwise = body_of(none);
        let mut branch = plain_if(None, then, Some(otherwise));
        branch.init = init;
        Some(ItemKind::If(Box::new(branch)))
    }

    fn switch(&mut self, node: Node<'_>, is_value: bool) -> ItemKind {
        if let Some(branch) = self.match_of_option(node, is_value) {
            return branch;
        }
        let condition = self.field(node, "value");
        let cases = self.arms(node, condition.as_ref(), is_value);
        ItemKind::Switch(Box::new(Switch {
            condition,
            before: Vec::new(),
            cases,
        }))
    }

    fn repeat(&mut self, node: Node<'_>) -> ItemKind {
        if self.inside.on_device
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
                let condition =
                    condition.and_then(|node| self.condition(node, Contents::Open, &mut init));
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

    /// `match value { Some(x) => x, None => return }` is `value?`.
    fn content_or_return(&mut self, node: Node<'_>) -> Option<Expr> {
        if node.kind() != "match_expression" {
            return None;
        }
        let (some, none) = self.arms_of_option(node)?;
        let content = self.content_of(some.child_by_field_name("pattern")?.named_child(0)?)?;
        let name = self.text(Self::only_name(content)?);
        let given = some.child_by_field_name("value")?;
        let leaves = none.child_by_field_name("value")?;
        let is_value = given.kind() == "identifier" && self.text(given) == name;
        let is_return = leaves.kind() == "return_expression" && leaves.named_child_count() == 0;
        if !is_value || !is_return {
            return None;
        }
        self.field(node, "value").map(content_of)
    }

    /// A statement whose value is used: `if`, `match`, a block. Of a block that is only a value, it is this value.
    pub(super) fn as_value(&mut self, node: Node<'_>) -> Expr {
        if let Some(content) = self.content_or_return(node) {
            return content;
        }
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
            return value.clone();
        }
        let span = self.span(node);
        Expr::new(called(items, span), span)
    }
}

/// Whether statements only leave the function.
fn is_only_a_return(items: &[Item]) -> bool {
    matches!(
        items,
        [Item {
            kind: ItemKind::Return(None),
            ..
        }]
    )
}

/// `option?`
fn content_of(option: Expr) -> Expr {
    let place = option.span;
    Expr::new(ExprKind::Unary(UnaryOp::Try, Box::new(option)), place)
}

/// The field of `Some(x)`, where something else has decided that there is one.
fn field_of(option: Expr) -> Expr {
    let place = option.span;
    let member = Segment {
        name: Ident {
            name: "0".to_owned(),
            span: place,
        },
        args: None,
    };
    let kind = ExprKind::Member {
        object: Box::new(option),
        member,
        arrow: false,
    };
    Expr::new(kind, place)
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

/// Whether a block ends by leaving what is around it.
fn leaves(block: Node<'_>) -> bool {
    let last = named_children(block)
        .into_iter()
        .rfind(|node| !node.is_extra());
    let inner = last.and_then(|last| match last.kind() {
        "expression_statement" => last.named_child(0),
        _ => Some(last),
    });
    inner.is_some_and(|inner| {
        matches!(
            inner.kind(),
            "return_expression" | "break_expression" | "continue_expression"
        )
    })
}
