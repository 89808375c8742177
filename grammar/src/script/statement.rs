//! Statements.

use std::sync::Arc;

use tree_sitter::Node;

use super::{
    Alias, Arg, BinaryOp, Body, Case, Class, Expr, ExprKind, Function, Handler, Name, Param,
    ParamKind, Pattern, Reader, Stmt, StmtKind, children, fields, span,
};

impl Reader<'_> {
    /// The statements among the children of a node.
    pub(super) fn statements(&mut self, node: Node<'_>) -> Vec<Stmt> {
        children(node).into_iter().map(|it| self.read(it)).collect()
    }

    /// One statement.
    pub(super) fn read(&mut self, node: Node<'_>) -> Stmt {
        let kind = self.descend(|reader| reader.statement(node));
        Stmt {
            kind: kind.unwrap_or(StmtKind::Unread),
            span: span(node),
        }
    }

    /// The statements of the block under a field.
    fn block(&mut self, node: Node<'_>, field: &str) -> Vec<Stmt> {
        node.child_by_field_name(field)
            .map(|block| self.statements(block))
            .unwrap_or_default()
    }

    fn statement(&mut self, node: Node<'_>) -> StmtKind {
        let first = children(node).first().copied();
        match node.kind() {
            "expression_statement" => self.expression_statement(node),
            "return_statement" => StmtKind::Return(first.map(|value| self.expr(value))),
            "raise_statement" => {
                let cause = node.child_by_field_name("cause");
                let error = first.filter(|it| cause.is_none_or(|cause| cause.id() != it.id()));
                StmtKind::Raise(
                    error.map(|value| self.expr(value)),
                    cause.map(|value| self.expr(value)),
                )
            }
            "assert_statement" => match first {
                Some(test) => {
                    let message = children(node).get(1).copied();
                    StmtKind::Assert(self.expr(test), message.map(|it| self.expr(it)))
                }
                None => StmtKind::Unread,
            },
            "delete_statement" => {
                StmtKind::Delete(children(node).into_iter().map(|it| self.expr(it)).collect())
            }
            "pass_statement" | "type_alias_statement" => StmtKind::Pass,
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "global_statement" => StmtKind::Global(self.names(node)),
            "nonlocal_statement" => StmtKind::Nonlocal(self.names(node)),
            "import_statement" => StmtKind::Import(self.aliases(node)),
            "import_from_statement" | "future_import_statement" => self.import_from(node),
            "if_statement" => self.conditional(node),
            "while_statement" => match node.child_by_field_name("condition") {
                Some(test) => {
                    let test = self.expr(test);
                    StmtKind::While(test, self.block(node, "body"), self.orelse(node))
                }
                None => StmtKind::Unread,
            },
            "for_statement" => {
                let (target, iterable) = (
                    node.child_by_field_name("left"),
                    node.child_by_field_name("right"),
                );
                let (Some(target), Some(iterable)) = (target, iterable) else {
                    return StmtKind::Unread;
                };
                StmtKind::For {
                    target: self.expr(target),
                    iterable: self.expr(iterable),
                    body: self.block(node, "body"),
                    orelse: self.orelse(node),
                }
            }
            "with_statement" => self.with(node),
            "try_statement" => self.attempt(node),
            "function_definition" => StmtKind::Function(Arc::new(self.function(node, Vec::new()))),
            "class_definition" => StmtKind::Class(Arc::new(self.class(node, Vec::new()))),
            "decorated_definition" => self.decorated(node),
            "match_statement" => self.selection(node),
            _ => StmtKind::Unread,
        }
    }

    fn expression_statement(&mut self, node: Node<'_>) -> StmtKind {
        let parts = children(node);
        let [only] = parts.as_slice() else {
            return StmtKind::Expr(Expr {
                kind: ExprKind::Tuple(parts.into_iter().map(|it| self.expr(it)).collect()),
                span: span(node),
            });
        };
        match only.kind() {
            "assignment" => self.assignment(*only),
            "augmented_assignment" => self.augmented(*only),
            _ => StmtKind::Expr(self.expr(*only)),
        }
    }

    fn assignment(&mut self, node: Node<'_>) -> StmtKind {
        let mut targets = Vec::new();
        let mut at = node;
        loop {
            let Some(left) = at.child_by_field_name("left") else {
                return StmtKind::Unread;
            };
            let target = self.expr(left);
            if let Some(annotation) = at.child_by_field_name("type") {
                return StmtKind::Annotated {
                    target,
                    annotation: self.expr(annotation),
                    value: at.child_by_field_name("right").map(|it| self.expr(it)),
                };
            }
            targets.push(target);
            match at.child_by_field_name("right") {
                Some(right) if right.kind() == "assignment" => at = right,
                Some(right) => return StmtKind::Assign(targets, self.expr(right)),
                None => return StmtKind::Unread,
            }
        }
    }

    fn augmented(&mut self, node: Node<'_>) -> StmtKind {
        let part = |field| node.child_by_field_name(field);
        let (Some(left), Some(operator), Some(right)) =
            (part("left"), part("operator"), part("right"))
        else {
            return StmtKind::Unread;
        };
        match BinaryOp::of_text(self.text(operator).trim_end_matches('=')) {
            Some(operator) => StmtKind::Augmented(self.expr(left), operator, self.expr(right)),
            None => StmtKind::Unread,
        }
    }

    fn names(&self, node: Node<'_>) -> Vec<Name> {
        children(node).into_iter().map(|it| self.name(it)).collect()
    }

    fn aliases(&self, node: Node<'_>) -> Vec<Alias> {
        let of = |child: Node<'_>| match child.kind() {
            "aliased_import" => Alias {
                path: child
                    .child_by_field_name("name")
                    .map(|name| self.dotted(name))
                    .unwrap_or_default(),
                alias: child.child_by_field_name("alias").map(|it| self.name(it)),
            },
            _ => Alias {
                path: self.dotted(child),
                alias: None,
            },
        };
        fields(node, "name").into_iter().map(of).collect()
    }

    pub(super) fn dotted(&self, node: Node<'_>) -> Vec<Name> {
        match node.kind() {
            "identifier" => vec![self.name(node)],
            _ => children(node).into_iter().map(|it| self.name(it)).collect(),
        }
    }

    fn import_from(&self, node: Node<'_>) -> StmtKind {
        let everything = children(node)
            .iter()
            .any(|child| child.kind() == "wildcard_import");
        let (mut level, mut module) = (0, Vec::new());
        if let Some(from) = node.child_by_field_name("module_name") {
            if from.kind() == "relative_import" {
                for part in children(from) {
                    match part.kind() {
                        "import_prefix" => level = self.text(part).matches('.').count(),
                        _ => module = self.dotted(part),
                    }
                }
            } else {
                module = self.dotted(from);
            }
        }
        StmtKind::ImportFrom {
            level,
            module,
            names: (!everything).then(|| self.aliases(node)),
        }
    }

    fn conditional(&mut self, node: Node<'_>) -> StmtKind {
        let Some(test) = node.child_by_field_name("condition") else {
            return StmtKind::Unread;
        };
        let test = self.expr(test);
        let body = self.block(node, "consequence");
        let mut orelse = Vec::new();
        // The last alternative is innermost.
        for alternative in fields(node, "alternative").into_iter().rev() {
            if alternative.kind() == "else_clause" {
                orelse = self.block(alternative, "body");
                continue;
            }
            let Some(test) = alternative.child_by_field_name("condition") else {
                continue;
            };
            let test = self.expr(test);
            let body = self.block(alternative, "consequence");
            orelse = vec![Stmt {
                kind: StmtKind::If(test, body, std::mem::take(&mut orelse)),
                span: span(alternative),
            }];
        }
        StmtKind::If(test, body, orelse)
    }

    /// The statements of the `else` of a loop.
    fn orelse(&mut self, node: Node<'_>) -> Vec<Stmt> {
        match node.child_by_field_name("alternative") {
            Some(clause) => self.block(clause, "body"),
            None => Vec::new(),
        }
    }

    fn with(&mut self, node: Node<'_>) -> StmtKind {
        let mut items = Vec::new();
        for clause in children(node) {
            if clause.kind() != "with_clause" {
                continue;
            }
            for item in children(clause) {
                let Some(value) = item.child_by_field_name("value") else {
                    continue;
                };
                let parts = children(value);
                items.push(match (value.kind(), parts.as_slice()) {
                    ("as_pattern", [context, target]) => {
                        let target = children(*target).first().copied().unwrap_or(*target);
                        (self.expr(*context), Some(self.expr(target)))
                    }
                    _ => (self.expr(value), None),
                });
            }
        }
        StmtKind::With(items, self.block(node, "body"))
    }

    fn attempt(&mut self, node: Node<'_>) -> StmtKind {
        let body = self.block(node, "body");
        let (mut handlers, mut orelse, mut finally) = (Vec::new(), Vec::new(), Vec::new());
        for part in children(node) {
            match part.kind() {
                "except_clause" | "except_group_clause" => handlers.push(self.handler(part)),
                "else_clause" => orelse = self.block(part, "body"),
                "finally_clause" => {
                    for block in children(part) {
                        finally = self.statements(block);
                    }
                }
                _ => {}
            }
        }
        StmtKind::Try {
            body,
            handlers,
            orelse,
            finally,
        }
    }

    fn handler(&mut self, node: Node<'_>) -> Handler {
        let mut handler = Handler {
            kind: None,
            name: None,
            body: Vec::new(),
        };
        for part in children(node) {
            match part.kind() {
                "block" => handler.body = self.statements(part),
                "as_pattern" => {
                    let parts = children(part);
                    handler.kind = parts.first().map(|it| self.expr(*it));
                    handler.name = parts.get(1).map(|it| self.name(*it));
                }
                _ if handler.kind.is_none() => handler.kind = Some(self.expr(part)),
                // Older versions of the grammar have the name as its own child.
                _ => handler.name = Some(self.name(part)),
            }
        }
        handler
    }

    fn decorated(&mut self, node: Node<'_>) -> StmtKind {
        let mut decorators = Vec::new();
        for child in children(node) {
            if child.kind() == "decorator"
                && let Some(value) = children(child).first()
            {
                decorators.push(self.expr(*value));
            }
        }
        match node.child_by_field_name("definition") {
            Some(class) if class.kind() == "class_definition" => {
                StmtKind::Class(Arc::new(self.class(class, decorators)))
            }
            Some(function) => StmtKind::Function(Arc::new(self.function(function, decorators))),
            None => StmtKind::Unread,
        }
    }

    fn function(&mut self, node: Node<'_>, decorators: Vec<Expr>) -> Function {
        let outer = std::mem::take(&mut self.yields);
        let params = match node.child_by_field_name("parameters") {
            Some(list) => self.params(list),
            None => Vec::new(),
        };
        let returns = node
            .child_by_field_name("return_type")
            .map(|it| self.expr(it));
        let body = match node.child_by_field_name("body") {
            Some(block) => self.body(block),
            None => Body::default(),
        };
        let is_generator = std::mem::replace(&mut self.yields, outer);
        Function {
            name: match node.child_by_field_name("name") {
                Some(name) => self.name(name),
                None => Name {
                    text: "".into(),
                    span: span(node),
                },
            },
            decorators,
            params,
            returns,
            body,
            is_generator,
            span: span(node),
        }
    }

    pub(super) fn params(&mut self, list: Node<'_>) -> Vec<Param> {
        let mut params = Vec::new();
        let mut plain = ParamKind::Plain;
        for node in children(list) {
            if node.kind() == "keyword_separator" {
                plain = ParamKind::Named;
            } else if node.kind() == "positional_separator" {
                for param in &mut params {
                    let param: &mut Param = param;
                    param.kind = ParamKind::Positional;
                }
            } else if let Some(param) = self.param(node, plain) {
                if param.kind == ParamKind::Rest {
                    plain = ParamKind::Named;
                }
                params.push(param);
            }
        }
        params
    }

    fn param(&mut self, node: Node<'_>, plain: ParamKind) -> Option<Param> {
        let annotation = node.child_by_field_name("type").map(|it| self.expr(it));
        let default = node.child_by_field_name("value").map(|it| self.expr(it));
        let named = match node.kind() {
            "default_parameter" | "typed_default_parameter" => node.child_by_field_name("name")?,
            "typed_parameter" => children(node).first().copied()?,
            _ => node,
        };
        let (kind, name) = match named.kind() {
            "identifier" => (plain, named),
            "list_splat_pattern" => (ParamKind::Rest, children(named).first().copied()?),
            "dictionary_splat_pattern" => (ParamKind::NamedRest, children(named).first().copied()?),
            _ => return None,
        };
        Some(Param {
            name: self.name(name),
            kind,
            annotation,
            default,
        })
    }

    fn class(&mut self, node: Node<'_>, decorators: Vec<Expr>) -> Class {
        let bases: Vec<Arg> = match node.child_by_field_name("superclasses") {
            Some(list) => self.args(list),
            None => Vec::new(),
        };
        let own = node
            .child_by_field_name("name")
            .map(|name| Arc::from(self.text(name).trim_start_matches('_')));
        let outer = std::mem::replace(&mut self.class, own);
        let body = self.block(node, "body");
        self.class = outer;
        Class {
            name: match node.child_by_field_name("name") {
                Some(name) => self.name(name),
                None => Name {
                    text: "".into(),
                    span: span(node),
                },
            },
            decorators,
            bases,
            body,
            span: span(node),
        }
    }

    fn selection(&mut self, node: Node<'_>) -> StmtKind {
        let Some(subject) = node.child_by_field_name("subject") else {
            return StmtKind::Unread;
        };
        let subject = self.expr(subject);
        let mut cases = Vec::new();
        for block in fields(node, "body") {
            for clause in children(block) {
                if clause.kind() == "case_clause" {
                    cases.push(self.case(clause));
                }
            }
        }
        StmtKind::Match(subject, cases)
    }

    fn case(&mut self, node: Node<'_>) -> Case {
        let mut patterns = Vec::new();
        let mut guard = None;
        for part in children(node) {
            match part.kind() {
                "case_pattern" => patterns.push(self.pattern(part)),
                "if_clause" => guard = children(part).first().map(|test| self.expr(*test)),
                _ => {}
            }
        }
        // `case a, b:` is a sequence without brackets.
        let is_sequence = patterns.len() != 1
            || node
                .children(&mut node.walk())
                .any(|child| child.kind() == ",");
        let pattern = match patterns.pop() {
            Some(only) if !is_sequence => only,
            Some(last) => {
                patterns.push(last);
                Pattern::Sequence(patterns)
            }
            None => Pattern::Unread,
        };
        Case {
            pattern,
            guard,
            body: self.block(node, "consequence"),
        }
    }
}
