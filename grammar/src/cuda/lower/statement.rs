//! Statements, and the choice of the kind of an item.

use tree_sitter::Node;

use super::super::kind_of;
use super::super::tokens::is_word_byte;
use super::template::Head;
use super::{Context, Lowering, children, has_token, named_children};
use crate::tree::{
    Expr, ExprKind, Given, Ident, If, Item, ItemKind, Jump, Loop, LoopKind, Namespace, Role, Span,
    StaticAssert, Switch, SwitchCase, Using, UsingKind,
};

impl Lowering<'_> {
    /// Appends the item that `node` is, or the items that it holds.
    pub(super) fn item_into(&mut self, node: Node<'_>, place: Context, items: &mut Vec<Item>) {
        let done =
            self.descend_into_item(|l| l.headed_item_into(node, place, &Head::default(), items));
        if done.is_none() && !self.truncated {
            items.push(Item::new(
                ItemKind::Opaque("beyond the limits"),
                self.span(node),
            ));
        }
    }

    /// The same for an item behind a template head.
    pub(super) fn headed_item_into(
        &mut self,
        node: Node<'_>,
        place: Context,
        head: &Head,
        items: &mut Vec<Item>,
    ) {
        match node.kind() {
            "declaration" | "field_declaration" => {
                self.declaration_into(node, place, head, items);
            }
            "function_definition" => {
                self.function_definition_into(node, place, head.clone(), items);
            }
            "template_declaration" => self.template_into(node, place, items),
            "type_definition" => self.typedef_into(node, items),
            "concept_definition" => items.extend(self.concept(node, head)),
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                self.definition_into(node, head.clone(), items);
            }
            "linkage_specification" => {
                if let Some(body) = node.child_by_field_name("body") {
                    match body.kind() {
                        "declaration_list" => items.extend(self.items(body, place)),
                        _ => self.item_into(body, place, items),
                    }
                }
            }
            "labeled_statement" if self.is_given(node) => {
                let kind = self.given(node);
                items.push(Item::new(kind, self.span(node)));
            }
            "labeled_statement" | "attributed_statement" | "else_clause" => {
                for inner in named_children(node) {
                    self.item_into(inner, place, items);
                }
            }
            "case_statement" => {
                let switch = Switch {
                    condition: None,
                    before: Vec::new(),
                    cases: vec![self.case(node)],
                };
                let kind = ItemKind::Switch(Box::new(switch));
                items.push(Item::new(kind, self.span(node)));
            }
            "ERROR" => self.items_into(&children(node), place, items),
            kind if kind.starts_with("preproc_") => self.preprocessor_into(node, place, items),
            _ => {
                if let Some(kind) = self.single_item(node, head) {
                    items.push(Item::new(kind, head.span.unwrap_or(self.span(node))));
                }
            }
        }
    }

    /// Items that come one to a node. `None` for other nodes: attributes, access specifiers, fragments inside an error.
    fn single_item(&mut self, node: Node<'_>, head: &Head) -> Option<ItemKind> {
        Some(match node.kind() {
            "alias_declaration" => self.alias(node, head.clone())?.kind,
            "template_instantiation" => self.instantiation(node)?.kind,
            "namespace_definition" => self.namespace(node),
            "using_declaration" | "namespace_alias_definition" => self.using(node)?,
            "static_assert_declaration" => self.static_assert(node)?,
            "expression_statement" => match self.pointer_to_array(node) {
                Some(declaration) => declaration,
                None => ItemKind::Expr(self.only_expr(node)?),
            },
            "compound_statement" | "declaration_list" => {
                ItemKind::Block(self.items(node, Context::Block))
            }
            "if_statement" => self.if_statement(node),
            "for_statement" => self.for_statement(node),
            "for_range_loop" => self.range_loop(node),
            "while_statement" => self.while_statement(node),
            "do_statement" => self.do_statement(node),
            "switch_statement" => self.switch(node),
            "return_statement" | "co_return_statement" => ItemKind::Return(self.only_expr(node)),
            "break_statement" => ItemKind::Jump(Jump::Break),
            "continue_statement" => ItemKind::Jump(Jump::Continue),
            "goto_statement" => ItemKind::Jump(Jump::Goto),
            "try_statement" => self.try_statement(node)?,
            "friend_declaration"
            | "throw_statement"
            | "seh_try_statement"
            | "co_yield_statement"
            | "export_declaration"
            | "import_declaration"
            | "expansion_statement"
            | "consteval_block_declaration" => ItemKind::Opaque(kind_of(node)),
            _ => return None,
        })
    }

    /// Whether a labelled block is a call of a macro in the source, which the pre-pass wrote so.
    fn is_given(&self, node: Node<'_>) -> bool {
        let mut all = children(node).into_iter();
        let colon = all.find(|child| child.kind() == ":");
        colon.is_some_and(|colon| self.text(colon) != ":")
    }

    fn given(&mut self, node: Node<'_>) -> ItemKind {
        let start = self.span(node).start;
        let text = self.text(node);
        let end = text.bytes().position(|byte| !is_word_byte(byte));
        let name = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
        let block = named_children(node)
            .into_iter()
            .find(|inner| inner.kind() == "compound_statement");
        ItemKind::Given(Given {
            name: Ident {
                name: name.to_owned(),
                span: Span::new(start, start + name.len()),
            },
            body: block
                .map(|block| self.items(block, Context::Block))
                .unwrap_or_default(),
        })
    }

    fn only_expr(&mut self, node: Node<'_>) -> Option<Expr> {
        let inner = named_children(node)
            .into_iter()
            .find(|n| !n.is_error() && !n.is_missing())?;
        Some(self.expr(inner))
    }

    /// The statements of a body, with or without braces.
    fn body(&mut self, node: Option<Node<'_>>) -> Vec<Item> {
        let Some(node) = node else { return Vec::new() };
        if node.kind() == "compound_statement" {
            return self.items(node, Context::Block);
        }
        let mut items = Vec::new();
        self.item_into(node, Context::Block, &mut items);
        items
    }

    fn if_statement(&mut self, node: Node<'_>) -> ItemKind {
        let (init, condition) = self.condition(node);
        let then = self.body(node.child_by_field_name("consequence"));
        let alternative = node.child_by_field_name("alternative");
        let otherwise = alternative.map(|clause| {
            let statement = named_children(clause).into_iter().find(|n| !n.is_error());
            self.body(statement)
        });
        let constexpr = has_token(node, "constexpr");
        ItemKind::If(Box::new(If {
            constexpr,
            init,
            condition,
            then,
            otherwise,
        }))
    }

    /// `(init; condition)`, `(T x = value)` or `(condition)`.
    fn condition(&mut self, node: Node<'_>) -> (Vec<Item>, Option<Expr>) {
        let mut init = Vec::new();
        let Some(clause) = node.child_by_field_name("condition") else {
            return (init, None);
        };
        if let Some(first) = clause.child_by_field_name("initializer") {
            for inner in named_children(first) {
                self.item_into(inner, Context::Block, &mut init);
            }
        }
        let value = match clause.kind() {
            "condition_clause" => clause.child_by_field_name("value"),
            _ => Some(clause),
        };
        let condition = match value {
            Some(declaration) if declaration.kind() == "declaration" => {
                self.item_into(declaration, Context::Block, &mut init);
                None
            }
            Some(value) => Some(self.expr(value)),
            None => None,
        };
        (init, condition)
    }

    fn for_statement(&mut self, node: Node<'_>) -> ItemKind {
        let mut init = Vec::new();
        if let Some(first) = node.child_by_field_name("initializer") {
            if first.kind() == "declaration" {
                self.item_into(first, Context::Block, &mut init);
            } else {
                let expr = self.expr(first);
                init.push(Item::new(ItemKind::Expr(expr), self.span(first)));
            }
        }
        let condition = node.child_by_field_name("condition").map(|n| self.expr(n));
        let step = node.child_by_field_name("update").map(|n| self.expr(n));
        let body = self.body(node.child_by_field_name("body"));
        ItemKind::Loop(Box::new(Loop {
            kind: LoopKind::For,
            init,
            condition,
            step,
            body,
        }))
    }

    fn range_loop(&mut self, node: Node<'_>) -> ItemKind {
        let mut init = Vec::new();
        if let Some(first) = node.child_by_field_name("initializer") {
            for inner in named_children(first) {
                self.item_into(inner, Context::Block, &mut init);
            }
        }
        self.declaration_into(node, Context::Block, &Head::default(), &mut init);
        let condition = node.child_by_field_name("right").map(|n| self.expr(n));
        let body = self.body(node.child_by_field_name("body"));
        let kind = LoopKind::Range;
        ItemKind::Loop(Box::new(Loop {
            kind,
            init,
            condition,
            step: None,
            body,
        }))
    }

    fn while_statement(&mut self, node: Node<'_>) -> ItemKind {
        let (declared, condition) = self.condition(node);
        let body = self.body(node.child_by_field_name("body"));
        ItemKind::Loop(Box::new(Loop {
            kind: LoopKind::While,
            init: Vec::new(),
            condition,
            step: None,
            body: behind_condition(declared, body),
        }))
    }

    /// `try` as a choice: which of its statements are reached before one throws is not known, and neither is who catches.
    pub(super) fn try_statement(&mut self, node: Node<'_>) -> Option<ItemKind> {
        let body = node.child_by_field_name("body")?;
        let mut otherwise: Option<Vec<Item>> = None;
        for clause in named_children(node).into_iter().rev() {
            if clause.kind() != "catch_clause" {
                continue;
            }
            let handler = self.handler(clause);
            otherwise = Some(match otherwise {
                None => handler,
                Some(next) => {
                    vec![Item::new(one_of(handler, Some(next)), self.span(clause))]
                }
            });
        }
        Some(one_of(self.items(body, Context::Block), otherwise))
    }

    /// The statements of `catch (T& x) { ... }` behind the declaration of what is caught.
    fn handler(&mut self, clause: Node<'_>) -> Vec<Item> {
        let mut items = Vec::new();
        let caught = clause.child_by_field_name("parameters");
        for param in caught.map(named_children).unwrap_or_default() {
            if param.kind() == "parameter_declaration" {
                let mut caught = self.param(param);
                caught.role = Role::Var;
                if caught.name.is_some() {
                    items.push(Item::new(
                        ItemKind::Binding(Box::new(caught)),
                        self.span(param),
                    ));
                }
            }
        }
        items.extend(self.body(clause.child_by_field_name("body")));
        items
    }

    fn do_statement(&mut self, node: Node<'_>) -> ItemKind {
        let condition = node.child_by_field_name("condition").map(|n| self.expr(n));
        let body = self.body(node.child_by_field_name("body"));
        let (kind, init) = (LoopKind::DoWhile, Vec::new());
        ItemKind::Loop(Box::new(Loop {
            kind,
            init,
            condition,
            step: None,
            body,
        }))
    }

    fn switch(&mut self, node: Node<'_>) -> ItemKind {
        let (mut init, mut condition) = self.condition(node);
        // `switch (int k = f())` selects by the variable.
        if condition.is_none()
            && let Some(ItemKind::Binding(binding)) = init.last().map(|item| &item.kind)
            && let Some(name) = &binding.name
        {
            condition = Some(Expr::plain_name(&name.name, name.span));
        }
        let mut switch = Switch {
            condition,
            before: Vec::new(),
            cases: Vec::new(),
        };
        let body = node.child_by_field_name("body");
        for child in body.map(named_children).unwrap_or_default() {
            if child.kind() == "case_statement" {
                switch.cases.push(self.case(child));
                continue;
            }
            let last = switch.cases.last_mut().map(|case| &mut case.body);
            let place = last.unwrap_or(&mut switch.before);
            self.item_into(child, Context::Block, place);
        }
        let switch = ItemKind::Switch(Box::new(switch));
        if init.is_empty() {
            return switch;
        }
        init.push(Item::new(switch, self.span(node)));
        ItemKind::Block(init)
    }

    fn case(&mut self, node: Node<'_>) -> SwitchCase {
        let value = node.child_by_field_name("value");
        let statements = children(node).into_iter().filter(|n| Some(*n) != value);
        let statements: Vec<_> = statements.collect();
        let value = value.map(|value| self.expr(value));
        let mut body = Vec::new();
        self.items_into(&statements, Context::Block, &mut body);
        SwitchCase { value, body }
    }

    fn namespace(&mut self, node: Node<'_>) -> ItemKind {
        let name = node.child_by_field_name("name").map(|name| self.path(name));
        let names = name
            .into_iter()
            .flat_map(|path| path.segments)
            .map(|part| part.name);
        let names = names.collect();
        let body = node.child_by_field_name("body");
        let items = body
            .map(|body| self.items(body, Context::Namespace))
            .unwrap_or_default();
        ItemKind::Namespace(Namespace {
            names,
            inline: has_token(node, "inline"),
            items,
        })
    }

    fn using(&mut self, node: Node<'_>) -> Option<ItemKind> {
        let kind = match node.child_by_field_name("name") {
            Some(name) => UsingKind::NamespaceAlias(self.ident(name)),
            None if has_token(node, "namespace") => UsingKind::Namespace,
            None => UsingKind::Declaration,
        };
        let target = named_children(node)
            .pop()
            .filter(|target| !target.is_error())?;
        let path = self.expr(target);
        matches!(path.kind, ExprKind::Name(_)).then_some(ItemKind::Using(Using { kind, path }))
    }

    fn static_assert(&mut self, node: Node<'_>) -> Option<ItemKind> {
        let condition = self.expr(node.child_by_field_name("condition")?);
        let message = node
            .child_by_field_name("message")
            .map(|message| self.expr(message));
        Some(ItemKind::StaticAssert(StaticAssert { condition, message }))
    }
}

/// One of two lists of statements, where nothing tells which.
fn one_of(then: Vec<Item>, otherwise: Option<Vec<Item>>) -> ItemKind {
    ItemKind::If(Box::new(If {
        constexpr: false,
        init: Vec::new(),
        condition: None,
        then,
        otherwise,
    }))
}

/// The body of a loop whose condition is a declaration, which is made again before each pass:
/// `{ T x = value; if (x) {} else break; ... }`.
fn behind_condition(declared: Vec<Item>, body: Vec<Item>) -> Vec<Item> {
    let Some(last) = declared.last() else {
        return body;
    };
    let name = match &last.kind {
        ItemKind::Binding(binding) => binding.name.as_ref(),
        _ => None,
    };
    let test = If {
        constexpr: false,
        init: Vec::new(),
        condition: name.map(|name| Expr::plain_name(&name.name, name.span)),
        then: Vec::new(),
        otherwise: Some(vec![Item::new(ItemKind::Jump(Jump::Break), last.span)]),
    };
    let test = Item::new(ItemKind::If(Box::new(test)), last.span);
    declared.into_iter().chain([test]).chain(body).collect()
}
