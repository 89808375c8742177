//! Names: identifiers, template names and qualified names, of values and of types alike.

use tree_sitter::Node;

use super::{Lowering, named_children};
use crate::tree::{Expr, ExprKind, Ident, Path, Qualifier, Segment};

/// Whether `node` is a name in any of the shapes that the grammar gives to one.
pub(super) fn is_name(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "identifier"
            | "type_identifier"
            | "field_identifier"
            | "namespace_identifier"
            | "statement_identifier"
            | "primitive_type"
            | "sized_type_specifier"
            | "template_type"
            | "template_function"
            | "template_method"
            | "qualified_identifier"
            | "nested_namespace_specifier"
            | "dependent_name"
            | "dependent_type"
            | "destructor_name"
            | "operator_name"
            | "this"
    )
}

/// Whether C++ keeps a word for itself, so that nothing can be declared under it. A word that a compiler without the
/// type lets a header define (`char16_t`) is not among them.
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "alignas"
            | "alignof"
            | "auto"
            | "bool"
            | "break"
            | "case"
            | "catch"
            | "char"
            | "class"
            | "const"
            | "constexpr"
            | "const_cast"
            | "continue"
            | "decltype"
            | "default"
            | "delete"
            | "do"
            | "double"
            | "dynamic_cast"
            | "else"
            | "enum"
            | "explicit"
            | "extern"
            | "false"
            | "float"
            | "for"
            | "friend"
            | "goto"
            | "if"
            | "inline"
            | "int"
            | "long"
            | "mutable"
            | "namespace"
            | "new"
            | "noexcept"
            | "nullptr"
            | "operator"
            | "private"
            | "protected"
            | "public"
            | "reinterpret_cast"
            | "return"
            | "short"
            | "signed"
            | "sizeof"
            | "static"
            | "static_assert"
            | "static_cast"
            | "struct"
            | "switch"
            | "template"
            | "thread_local"
            | "throw"
            | "true"
            | "try"
            | "typedef"
            | "typeid"
            | "typename"
            | "union"
            | "unsigned"
            | "using"
            | "virtual"
            | "void"
            | "volatile"
            | "while"
    )
}

impl Lowering<'_> {
    /// A name as an expression, without the `typename` before it.
    pub(super) fn name(&mut self, node: Node<'_>) -> Expr {
        if node.kind() == "dependent_type"
            && let Some(named) = node.named_child(0)
        {
            return self.expr(named);
        }
        // Inside angle brackets the grammar reads a call as a function type, and its arguments as types.
        let kind = match self.text(node) {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "nullptr" => ExprKind::Null,
            _ => ExprKind::Name(self.path(node)),
        };
        Expr::new(kind, self.span(node))
    }

    /// A name as a path.
    pub(super) fn path(&mut self, node: Node<'_>) -> Path {
        let mut path = Path {
            qualifier: Qualifier::None,
            segments: Vec::new(),
        };
        let mut rest = Some(node);
        // `a::b::c` nests to the right: scope `a`, name `b::c`.
        while let Some(node) = rest.take() {
            if node.kind() != "qualified_identifier" {
                self.segments_into(node, &mut path);
                break;
            }
            match node.child_by_field_name("scope") {
                Some(scope) => self.segments_into(scope, &mut path),
                None if path.segments.is_empty() => path.qualifier = Qualifier::Global,
                None => {}
            }
            rest = node
                .children_by_field_name("name", &mut node.walk())
                .find(Node::is_named);
        }
        path
    }

    /// Appends the names on one side of `::`.
    fn segments_into(&mut self, node: Node<'_>, path: &mut Path) {
        match node.kind() {
            "template_type" | "template_function" | "template_method" => {
                self.template_name_into(node, path);
            }
            "dependent_name" | "dependent_type" | "nested_namespace_specifier" => {
                for part in named_children(node) {
                    let Some(part) = self.descend(|lowering| lowering.path(part)) else {
                        continue;
                    };
                    if path.segments.is_empty() && part.qualifier != Qualifier::None {
                        path.qualifier = part.qualifier;
                    }
                    path.segments.extend(part.segments);
                }
            }
            "decltype" => path.qualifier = Qualifier::Type(Box::new(self.expr(node))),
            _ => add(
                path,
                Segment {
                    name: self.simple_name(node),
                    args: None,
                },
            ),
        }
    }

    fn template_name_into(&mut self, node: Node<'_>, path: &mut Path) {
        let Some(name) = node.child_by_field_name("name") else {
            return;
        };
        let list = node.child_by_field_name("arguments");
        let args = list.map(|list| {
            self.descend(|lowering| lowering.listed(list))
                .unwrap_or_default()
        });
        let name = self.simple_name(name);
        add(path, Segment { name, args });
    }

    /// An unqualified name, its words joined by single spaces (`unsigned int`).
    pub(super) fn simple_name(&self, node: Node<'_>) -> Ident {
        let text = self.text(node);
        let name = if text.contains(char::is_whitespace) {
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            text.to_owned()
        };
        Ident {
            name,
            span: self.span(node),
        }
    }

    /// The member of `a.member`: its last name with template arguments.
    pub(super) fn member_segment(&mut self, node: Node<'_>) -> Segment {
        let last = self.path(node).segments.pop();
        last.unwrap_or_else(|| Segment {
            name: self.simple_name(node),
            args: None,
        })
    }

    /// A name that introduces a member defined elsewhere: `Foo<T>::bar<int>` as scope `Foo<T>`,
    /// name `bar`, arguments `<int>`.
    pub(super) fn declared_path(&mut self, node: Node<'_>) -> (Option<Path>, Option<Segment>) {
        let mut path = self.path(node);
        let last = path.segments.pop();
        let is_scoped = !path.segments.is_empty() || path.qualifier != Qualifier::None;
        (is_scoped.then_some(path), last)
    }
}

/// Appends a segment. Most names have one and no room for more.
fn add(path: &mut Path, segment: Segment) {
    path.segments.reserve_exact(1);
    path.segments.push(segment);
}
