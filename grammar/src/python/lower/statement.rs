//! Statements.

use tree_sitter::Node;

use super::definition::binding;
use super::{Lowering, fields, named_children, opaque, span};
use crate::tree::{
    Assignment, BinaryOp, Expr, ExprKind, If, Item, ItemKind, Jump, Loop, LoopKind, Reference,
    Specifiers, StructuredBinding, Switch,
};

impl Lowering<'_> {
    /// Appends the items that a statement is lowered to.
    pub(super) fn statement(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let lowered = self.descend(2, |lowering| lowering.statement_kind(node, items));
        if lowered.is_none() {
            items.push(Item::new(ItemKind::Opaque("too deep"), span(node)));
        }
    }

    fn statement_kind(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let place = span(node);
        let kind = match node.kind() {
            "expression_statement" => return self.expression_statement(node, items),
            "import_statement" => return self.import(node, items),
            "import_from_statement" => return self.import_from(node, items),
            "decorated_definition" => return self.decorated(node, items),
            "function_definition" | "class_definition" => {
                return self.definition(node, Vec::new(), place, items);
            }
            "global_statement" | "nonlocal_statement" => return self.outer_names(node, items),
            "pass_statement" | "future_import_statement" => return,
            // The recognisable items of a part that could not be parsed.
            "ERROR" | "block" => {
                items.append(&mut self.body(node));
                return;
            }
            "if_statement" => self.branch(node, "consequence", &fields(node, "alternative")),
            "for_statement" => self.for_loop(node),
            "while_statement" => self.while_loop(node),
            "try_statement" => self.attempt(node),
            "with_statement" => self.with(node),
            "match_statement" => {
                let subject = node.child_by_field_name("subject");
                ItemKind::Switch(Box::new(Switch {
                    condition: subject.map(|subject| self.expr(subject)),
                    before: Vec::new(),
                    cases: self.cases(node),
                }))
            }
            "return_statement" => {
                let value = named_children(node).into_iter().next();
                ItemKind::Return(value.map(|value| self.expr(value)))
            }
            // The statements behind are not reached, as after a `return` of nothing.
            "break_statement" => ItemKind::Jump(Jump::Break),
            "continue_statement" => ItemKind::Jump(Jump::Continue),
            "assert_statement" => match named_children(node).as_slice() {
                [condition, ..] => ItemKind::Expr(self.expr(*condition)),
                [] => return,
            },
            kind if kind.ends_with("_statement") => ItemKind::Opaque(super::super::kind_of(node)),
            _ => ItemKind::Expr(self.expr(node)),
        };
        items.push(Item::new(kind, place));
    }

    fn expression_statement(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let children = named_children(node);
        match children.as_slice() {
            [only] if only.kind() == "assignment" => self.assignment(*only, items),
            [only] => {
                let expr = self.expr(*only);
                items.push(Item::new(ItemKind::Expr(expr), span(node)));
            }
            several => {
                let tuple = ExprKind::Tuple(self.exprs(several));
                let expr = Expr::new(tuple, span(node));
                items.push(Item::new(ItemKind::Expr(expr), span(node)));
            }
        }
    }

    /// `a = b = value` binds each target to the value.
    fn assignment(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let mut targets = Vec::new();
        let mut last = node;
        loop {
            targets.extend(last.child_by_field_name("left"));
            match last.child_by_field_name("right") {
                Some(right) if right.kind() == "assignment" => last = right,
                _ => break,
            }
        }
        let ty = node
            .child_by_field_name("type")
            .map(|ty| self.annotation(ty));
        let value = last
            .child_by_field_name("right")
            .map(|value| self.expr(value));
        for target in targets {
            items.push(self.bind(target, ty.clone(), value.clone(), node));
        }
    }

    /// One target bound to a value.
    fn bind(
        &mut self,
        target: Node<'_>,
        ty: Option<Expr>,
        value: Option<Expr>,
        statement: Node<'_>,
    ) -> Item {
        let place = span(statement);
        let kind = match (target.kind(), value) {
            ("identifier", value) => {
                let bound = binding(Some(self.ident(target)), ty, value, place);
                ItemKind::Binding(Box::new(bound))
            }
            (_, value) if is_pattern(target) && all_names(&named_children(target)) => {
                let names = named_children(target);
                ItemKind::StructuredBinding(Box::new(StructuredBinding {
                    names: names.into_iter().map(|name| self.ident(name)).collect(),
                    members: Vec::new(),
                    init: value,
                    reference: Reference::None,
                    specifiers: Specifiers::default(),
                }))
            }
            (_, Some(value)) => {
                let target = self.expr(target);
                ItemKind::Expr(assign(None, target, value, place))
            }
            (_, None) => ItemKind::Expr(self.expr(target)),
        };
        Item::new(kind, place)
    }

    /// `if` or `elif`, with the branches that follow.
    fn branch(&mut self, node: Node<'_>, then: &str, alternatives: &[Node<'_>]) -> ItemKind {
        let condition = node.child_by_field_name("condition");
        let condition = condition.map(|condition| self.expr(condition));
        let then = self.block(node, then);
        let otherwise = match alternatives.split_first() {
            None => None,
            Some((first, _)) if first.kind() == "else_clause" => Some(self.block(*first, "body")),
            Some((first, rest)) => {
                let nested =
                    self.descend(2, |lowering| lowering.branch(*first, "consequence", rest));
                let nested = nested.unwrap_or(ItemKind::Opaque("too deep"));
                Some(vec![Item::new(nested, span(*first))])
            }
        };
        ItemKind::If(Box::new(If {
            constexpr: false,
            init: Vec::new(),
            condition,
            then,
            otherwise,
        }))
    }

    /// `for target in range`; a target that is not a name is assigned in the body.
    fn for_loop(&mut self, node: Node<'_>) -> ItemKind {
        let mut init = Vec::new();
        if let Some(target) = node.child_by_field_name("left") {
            let names = if is_pattern(target) {
                named_children(target)
            } else {
                vec![target]
            };
            let element = (!all_names(&names)).then(|| {
                let place = span(target);
                Expr::new(ExprKind::Opaque("an element"), place)
            });
            init.push(self.bind(target, None, element, target));
        }
        let range = node.child_by_field_name("right");
        let condition = range.map(|range| self.expr(range));
        let mut body = self.block(node, "body");
        if let Some(otherwise) = node.child_by_field_name("alternative") {
            body.append(&mut self.block(otherwise, "body"));
        }
        ItemKind::Loop(Box::new(Loop {
            kind: LoopKind::Range,
            init,
            condition,
            step: None,
            body,
        }))
    }

    fn while_loop(&mut self, node: Node<'_>) -> ItemKind {
        let condition = node.child_by_field_name("condition");
        ItemKind::Loop(Box::new(Loop {
            kind: LoopKind::While,
            init: Vec::new(),
            condition: condition.map(|condition| self.expr(condition)),
            step: None,
            body: self.block(node, "body"),
        }))
    }

    /// `try`: each handler may run or not.
    fn attempt(&mut self, node: Node<'_>) -> ItemKind {
        let mut items = self.block(node, "body");
        for clause in named_children(node) {
            match clause.kind() {
                "except_clause" | "except_group_clause" => {
                    let mut then = Vec::new();
                    for child in named_children(clause) {
                        if child.kind() == "block" {
                            then.append(&mut self.body(child));
                        } else if child.kind() == "as_pattern" {
                            self.target_of_as(child, &mut then);
                        }
                    }
                    let handler = If {
                        constexpr: false,
                        init: Vec::new(),
                        condition: Some(opaque(clause)),
                        then,
                        otherwise: None,
                    };
                    let kind = ItemKind::If(Box::new(handler));
                    items.push(Item::new(kind, span(clause)));
                }
                "else_clause" => items.append(&mut self.block(clause, "body")),
                "finally_clause" => {
                    for child in named_children(clause) {
                        items.append(&mut self.body(child));
                    }
                }
                _ => {}
            }
        }
        ItemKind::Block(items)
    }

    /// `with value as name:` — the value decides what `name` is bound to.
    fn with(&mut self, node: Node<'_>) -> ItemKind {
        let mut items = Vec::new();
        let clauses = named_children(node);
        for clause in clauses.iter().filter(|child| child.kind() == "with_clause") {
            for item in named_children(*clause) {
                match item.child_by_field_name("value") {
                    Some(value) if value.kind() == "as_pattern" => {
                        if let Some(inner) = named_children(value).first() {
                            let expr = self.expr(*inner);
                            items.push(Item::new(ItemKind::Expr(expr), span(*inner)));
                        }
                        self.target_of_as(value, &mut items);
                    }
                    Some(value) => {
                        let expr = self.expr(value);
                        items.push(Item::new(ItemKind::Expr(expr), span(value)));
                    }
                    None => {}
                }
            }
        }
        items.append(&mut self.block(node, "body"));
        ItemKind::Block(items)
    }

    /// The name behind `as`.
    fn target_of_as(&mut self, pattern: Node<'_>, items: &mut Vec<Item>) {
        if let Some(target) = pattern.child_by_field_name("alias") {
            self.captured(target, items);
        }
    }

    /// `target op= value`, `target := value`.
    pub(super) fn assigned(
        &mut self,
        op: Option<BinaryOp>,
        target: Node<'_>,
        value: Node<'_>,
        node: Node<'_>,
    ) -> Expr {
        let (target, value) = (self.expr(target), self.expr(value));
        assign(op, target, value, span(node))
    }
}

fn assign(op: Option<BinaryOp>, target: Expr, value: Expr, place: crate::tree::Span) -> Expr {
    let assignment = Assignment { op, target, value };
    Expr::new(ExprKind::Assign(Box::new(assignment)), place)
}

fn all_names(nodes: &[Node<'_>]) -> bool {
    nodes.iter().all(|node| node.kind() == "identifier")
}

fn is_pattern(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "pattern_list" | "tuple_pattern" | "list_pattern"
    )
}
