//! Expressions.

use std::borrow::Cow;
use std::sync::Arc;

use tree_sitter::Node;

use super::{
    Arg, ArgKind, BinaryOp, Body, Clause, CompareOp, Comprehension, ComprehensionKind, Conditional,
    Expr, ExprKind, FormatPart, Formatted, Function, LogicalOp, Name, Reader, Stmt, StmtKind,
    UnaryOp, children, fields, span,
};

impl BinaryOp {
    /// The operator that is written so.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        Some(match text {
            "+" => Self::Add,
            "-" => Self::Sub,
            "*" => Self::Mul,
            "/" => Self::Div,
            "//" => Self::FloorDiv,
            "%" => Self::Mod,
            "**" => Self::Pow,
            "<<" => Self::Shl,
            ">>" => Self::Shr,
            "&" => Self::And,
            "|" => Self::Or,
            "^" => Self::Xor,
            "@" => Self::MatMul,
            _ => return None,
        })
    }
}

impl CompareOp {
    fn of_text(text: &str) -> Option<Self> {
        Some(match text {
            "==" => Self::Eq,
            "!=" | "<>" => Self::Ne,
            "<" => Self::Lt,
            "<=" => Self::Le,
            ">" => Self::Gt,
            ">=" => Self::Ge,
            "in" => Self::In,
            "not in" => Self::NotIn,
            "is" => Self::Is,
            "is not" => Self::IsNot,
            _ => return None,
        })
    }
}

/// `*f(x), 1`: the tree has the star at `f`, Python at the whole call.
fn starred_whole(kind: ExprKind) -> ExprKind {
    let (rest, value) = match kind {
        ExprKind::Call(value, args) => (Trailer::Call(args), value),
        ExprKind::Attribute(value, name) => (Trailer::Attribute(name), value),
        ExprKind::Subscript(value, index) => (Trailer::Subscript(index), value),
        other => return other,
    };
    let (value, is_starred) = match *value {
        Expr {
            kind: ExprKind::Starred(inner),
            ..
        } => (inner, true),
        plain => (Box::new(plain), false),
    };
    let inner_span = value.span;
    let kind = match rest {
        Trailer::Call(args) => ExprKind::Call(value, args),
        Trailer::Attribute(name) => ExprKind::Attribute(value, name),
        Trailer::Subscript(index) => ExprKind::Subscript(value, index),
    };
    if is_starred {
        ExprKind::Starred(Box::new(Expr {
            kind,
            span: inner_span,
        }))
    } else {
        kind
    }
}

/// The part that follows a value.
enum Trailer {
    Call(Vec<Arg>),
    Attribute(Name),
    Subscript(Box<Expr>),
}

impl Reader<'_> {
    pub(super) fn expr(&mut self, node: Node<'_>) -> Expr {
        let kind = self.descend(|reader| reader.kind(node)).flatten();
        let kind = kind.map(starred_whole);
        Expr {
            kind: kind.unwrap_or(ExprKind::Unread),
            span: span(node),
        }
    }

    fn exprs(&mut self, nodes: Vec<Node<'_>>) -> Vec<Expr> {
        nodes.into_iter().map(|node| self.expr(node)).collect()
    }

    fn part(&mut self, node: Node<'_>, field: &str) -> Option<Box<Expr>> {
        node.child_by_field_name(field)
            .map(|part| Box::new(self.expr(part)))
    }

    fn kind(&mut self, node: Node<'_>) -> Option<ExprKind> {
        Some(match node.kind() {
            "identifier" | "keyword_identifier" => ExprKind::Name(self.identifier(node)),
            "integer" => integer(self.text(node)).map_or(ExprKind::LargeInt, ExprKind::Int),
            "float" => ExprKind::Float(self.text(node).replace('_', "").parse().ok()?),
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "none" => ExprKind::None,
            "ellipsis" => ExprKind::Ellipsis,
            "string" => self.string(&[node]),
            "concatenated_string" => self.string(&children(node)),
            "parenthesized_expression" | "await" | "type" | "as_pattern_target" => {
                return self.only(node);
            }
            "tuple" | "expression_list" | "pattern_list" | "tuple_pattern" => {
                ExprKind::Tuple(self.exprs(children(node)))
            }
            "list" | "list_pattern" => ExprKind::List(self.exprs(children(node))),
            "set" => ExprKind::Set(self.exprs(children(node))),
            "dictionary" => ExprKind::Dict(self.entries(node)),
            "unary_operator" => {
                let operator = match self.text(node.child_by_field_name("operator")?) {
                    "-" => UnaryOp::Minus,
                    "+" => UnaryOp::Plus,
                    _ => UnaryOp::Invert,
                };
                ExprKind::Unary(operator, self.part(node, "argument")?)
            }
            "not_operator" => ExprKind::Unary(UnaryOp::Not, self.part(node, "argument")?),
            "binary_operator" => {
                let operator = self.text(node.child_by_field_name("operator")?);
                let operator = BinaryOp::of_text(operator)?;
                ExprKind::Binary(
                    operator,
                    self.part(node, "left")?,
                    self.part(node, "right")?,
                )
            }
            "boolean_operator" => {
                let operator = match self.text(node.child_by_field_name("operator")?) {
                    "and" => LogicalOp::And,
                    _ => LogicalOp::Or,
                };
                ExprKind::Logical(
                    operator,
                    self.part(node, "left")?,
                    self.part(node, "right")?,
                )
            }
            "comparison_operator" => self.comparison(node)?,
            "call" => self.call(node)?,
            "attribute" => {
                let name = self.name(node.child_by_field_name("attribute")?);
                ExprKind::Attribute(self.part(node, "object")?, name)
            }
            "subscript" => self.subscript(node)?,
            "generic_type" | "union_type" | "member_type" => self.type_of(node)?,
            "slice" => self.slice(node),
            "list_splat" | "list_splat_pattern" => {
                let inner = children(node).first().copied()?;
                ExprKind::Starred(Box::new(self.expr(inner)))
            }
            "conditional_expression" => match children(node).as_slice() {
                [then, test, orelse] => ExprKind::Conditional(Box::new(Conditional {
                    test: self.expr(*test),
                    then: self.expr(*then),
                    orelse: self.expr(*orelse),
                })),
                _ => return None,
            },
            "lambda" => ExprKind::Lambda(Arc::new(self.lambda(node)?)),
            "list_comprehension" => self.comprehension(node, ComprehensionKind::List)?,
            "set_comprehension" => self.comprehension(node, ComprehensionKind::Set)?,
            "dictionary_comprehension" => self.comprehension(node, ComprehensionKind::Dict)?,
            "generator_expression" => self.comprehension(node, ComprehensionKind::Generator)?,
            "named_expression" => {
                let name = self.name(node.child_by_field_name("name")?);
                ExprKind::Walrus(name, self.part(node, "value")?)
            }
            "yield" => {
                self.yields = true;
                let value = children(node).first().copied();
                if let Some(items) = value
                    && node
                        .children(&mut node.walk())
                        .any(|child| child.kind() == "from")
                {
                    return Some(ExprKind::YieldFrom(Box::new(self.expr(items))));
                }
                ExprKind::Yield(value.map(|value| Box::new(self.expr(value))))
            }
            _ => return None,
        })
    }

    /// `Optional[int]`, `int | None`, `typing.Any`: a type is an expression.
    fn type_of(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let parts = children(node);
        let [first, second] = parts.as_slice() else {
            return None;
        };
        let of = Box::new(self.expr(*first));
        Some(match node.kind() {
            "generic_type" => {
                let mut arguments = self.exprs(children(*second));
                let index = match arguments.len() {
                    1 => arguments.pop()?,
                    _ => Expr {
                        kind: ExprKind::Tuple(arguments),
                        span: span(node),
                    },
                };
                ExprKind::Subscript(of, Box::new(index))
            }
            "union_type" => ExprKind::Binary(BinaryOp::Or, of, Box::new(self.expr(*second))),
            _ => ExprKind::Attribute(of, self.name(*second)),
        })
    }

    /// The single expression between parentheses.
    fn only(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let inner = children(node).first().copied()?;
        self.descend(|reader| reader.kind(inner)).flatten()
    }

    fn entries(&mut self, node: Node<'_>) -> Vec<(Option<Expr>, Expr)> {
        let mut entries = Vec::new();
        for child in children(node) {
            let parts = children(child);
            match (child.kind(), parts.as_slice()) {
                ("pair", [key, value]) => {
                    entries.push((Some(self.expr(*key)), self.expr(*value)));
                }
                ("dictionary_splat", [rest]) => entries.push((None, self.expr(*rest))),
                _ => {}
            }
        }
        entries
    }

    fn comparison(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let mut operands = self.exprs(children(node)).into_iter();
        let first = operands.next()?;
        let operators: Vec<CompareOp> = node
            .children(&mut node.walk())
            .filter(|child| !child.is_named())
            .map(|child| CompareOp::of_text(self.text(child)))
            .collect::<Option<_>>()?;
        let rest: Vec<_> = operators.into_iter().zip(operands).collect();
        Some(ExprKind::Compare(Box::new(first), rest))
    }

    fn call(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let callee = self.part(node, "function")?;
        let arguments = node.child_by_field_name("arguments")?;
        let args = match arguments.kind() {
            "generator_expression" => vec![Arg {
                kind: ArgKind::Plain,
                value: self.expr(arguments),
            }],
            _ => self.args(arguments),
        };
        Some(ExprKind::Call(callee, args))
    }

    pub(super) fn args(&mut self, list: Node<'_>) -> Vec<Arg> {
        let mut args = Vec::new();
        for node in children(list) {
            let inner = children(node).first().copied();
            let (kind, value) = match (node.kind(), inner) {
                ("keyword_argument", Some(name)) => {
                    let Some(value) = node.child_by_field_name("value") else {
                        continue;
                    };
                    (ArgKind::Named(self.name(name)), value)
                }
                ("list_splat", Some(inner)) => (ArgKind::Star, inner),
                ("dictionary_splat", Some(inner)) => (ArgKind::DoubleStar, inner),
                _ => (ArgKind::Plain, node),
            };
            let value = self.expr(value);
            args.push(Arg { kind, value });
        }
        args
    }

    fn subscript(&mut self, node: Node<'_>) -> Option<ExprKind> {
        let value = self.part(node, "value")?;
        let subscripts = fields(node, "subscript");
        let comma = node
            .children(&mut node.walk())
            .any(|child| child.kind() == ",");
        let index = match subscripts.as_slice() {
            [only] if !comma => self.expr(*only),
            _ => Expr {
                kind: ExprKind::Tuple(self.exprs(subscripts)),
                span: span(node),
            },
        };
        Some(ExprKind::Subscript(value, Box::new(index)))
    }

    fn slice(&mut self, node: Node<'_>) -> ExprKind {
        let mut parts = [None, None, None];
        let mut at = 0;
        for child in node.children(&mut node.walk()) {
            if child.kind() == ":" {
                at += 1;
            } else if let Some(part) = parts.get_mut(at)
                && child.is_named()
                && !child.is_extra()
            {
                *part = Some(Box::new(self.expr(child)));
            }
        }
        ExprKind::Slice(parts)
    }

    fn lambda(&mut self, node: Node<'_>) -> Option<Function> {
        let outer = std::mem::take(&mut self.yields);
        let params = match node.child_by_field_name("parameters") {
            Some(list) => self.params(list),
            None => Vec::new(),
        };
        let value = self.part(node, "body")?;
        self.yields = outer;
        Some(Function {
            name: Name {
                text: "<lambda>".into(),
                span: span(node),
            },
            decorators: Vec::new(),
            params,
            returns: None,
            body: Body::from(vec![Stmt {
                span: value.span,
                kind: StmtKind::Return(Some(*value)),
            }]),
            is_generator: false,
            span: span(node),
        })
    }

    fn comprehension(&mut self, node: Node<'_>, kind: ComprehensionKind) -> Option<ExprKind> {
        let body = node.child_by_field_name("body")?;
        let (element, value) = match kind {
            ComprehensionKind::Dict => (*self.part(body, "key")?, Some(*self.part(body, "value")?)),
            _ => (self.expr(body), None),
        };
        let mut clauses = Vec::new();
        for clause in children(node) {
            match clause.kind() {
                "for_in_clause" => {
                    let target = *self.part(clause, "left")?;
                    let rights = fields(clause, "right");
                    let iterable = match rights.as_slice() {
                        [only] => self.expr(*only),
                        _ => Expr {
                            kind: ExprKind::Tuple(self.exprs(rights)),
                            span: span(clause),
                        },
                    };
                    clauses.push(Clause::For(target, iterable));
                }
                "if_clause" => {
                    let test = children(clause).first().copied()?;
                    clauses.push(Clause::If(self.expr(test)));
                }
                _ => {}
            }
        }
        Some(ExprKind::Comprehension(Arc::new(Comprehension {
            kind,
            element,
            value,
            clauses,
        })))
    }

    /// A string, or several that are one after the other.
    fn string(&mut self, strings: &[Node<'_>]) -> ExprKind {
        let mut parts = Vec::new();
        let mut text = String::new();
        for string in strings {
            let prefix = string.child(0).map_or("", |start| self.text(start));
            let raw = prefix.contains(['r', 'R']);
            let formatted = prefix.contains(['f', 'F']);
            for part in children(*string) {
                match part.kind() {
                    "interpolation" => {
                        if !text.is_empty() {
                            parts.push(FormatPart::Text(std::mem::take(&mut text).into()));
                        }
                        if let Some(value) = part.child_by_field_name("expression") {
                            parts.push(self.format_part(part, value));
                        }
                    }
                    "string_content" => {
                        let content = self.text(part);
                        let content = if formatted {
                            Cow::Owned(content.replace("{{", "{").replace("}}", "}"))
                        } else {
                            Cow::Borrowed(content)
                        };
                        if raw {
                            text.push_str(&content);
                        } else {
                            unescape(&content, &mut text);
                        }
                    }
                    _ => {}
                }
            }
        }
        if parts.is_empty() {
            return ExprKind::Str(text.into());
        }
        if !text.is_empty() {
            parts.push(FormatPart::Text(text.into()));
        }
        ExprKind::Format(parts)
    }

    /// `{value}`, with how it is written.
    fn format_part(&mut self, part: Node<'_>, value: Node<'_>) -> FormatPart {
        let behind = self.text(part).get(value.end_byte() - part.start_byte()..);
        let behind = behind.unwrap_or_default().trim_start();
        let is_labelled = behind.starts_with('=');
        let behind = behind.trim_start_matches('=').trim_start();
        let label = is_labelled.then(|| Arc::from(format!("{}=", self.text(value))));
        let conversion = behind.strip_prefix('!').and_then(|it| it.chars().next());
        let spec = children(part)
            .into_iter()
            .find(|child| child.kind() == "format_specifier")
            .map(|spec| self.spec(spec))
            .unwrap_or_default();
        let value = self.expr(value);
        if label.is_none() && conversion.is_none() && spec.is_empty() {
            return FormatPart::Value(value);
        }
        FormatPart::Formatted(Box::new(Formatted {
            value,
            label,
            conversion,
            spec,
        }))
    }

    /// The parts of a format behind its colon.
    fn spec(&mut self, node: Node<'_>) -> Vec<FormatPart> {
        let whole = self.text(node);
        let mut parts = Vec::new();
        let mut from = usize::from(whole.starts_with(':'));
        let text = |range: std::ops::Range<usize>| {
            let text = whole.get(range).filter(|text| !text.is_empty());
            text.map(|text| FormatPart::Text(text.into()))
        };
        for child in children(node) {
            let (start, end) = (
                child.start_byte() - node.start_byte(),
                child.end_byte() - node.start_byte(),
            );
            if let Some(value) = child.child_by_field_name("expression") {
                parts.extend(text(from..start));
                parts.push(self.format_part(child, value));
                from = end;
            }
        }
        parts.extend(text(from..whole.len()));
        parts
    }
}

/// The meaning of the escapes in a string; those that need more than one character behind the backslash stay.
fn unescape(text: &str, into: &mut String) {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            into.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => into.push('\n'),
            Some('t') => into.push('\t'),
            Some('\n') => {}
            Some(quoted @ ('\\' | '\'' | '"')) => into.push(quoted),
            Some(other) => {
                into.push('\\');
                into.push(other);
            }
            None => into.push('\\'),
        }
    }
}

/// The value of an integer literal, where 64 bits hold it.
fn integer(text: &str) -> Option<i64> {
    let digits = text.replace('_', "").to_ascii_lowercase();
    if let Some(hexadecimal) = digits.strip_prefix("0x") {
        return i64::from_str_radix(hexadecimal, 16).ok();
    }
    if let Some(binary) = digits.strip_prefix("0b") {
        return i64::from_str_radix(binary, 2).ok();
    }
    if let Some(octal) = digits.strip_prefix("0o") {
        return i64::from_str_radix(octal, 8).ok();
    }
    digits.parse().ok()
}
