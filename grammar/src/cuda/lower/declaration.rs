//! Declarations of variables, members and aliases.

use tree_sitter::Node;

use super::declarator::Declared;
use super::template::Head;
use super::{Context, Lowering, child_of_kind, has_token, named_children};
use crate::tree::{
    Binding, Expr, ExprKind, Item, ItemKind, Path, Qualifier, Reference, Role, Segment, Span,
    Specifiers, StructuredBinding,
};

impl Lowering<'_> {
    /// `T a = 1, *b;` and everything else that the grammar calls a declaration: functions, records
    /// with variables behind them, calls that look like declarations.
    pub(super) fn declaration_into(
        &mut self,
        node: Node<'_>,
        place: Context,
        head: &Head,
        items: &mut Vec<Item>,
    ) {
        let whole = head.span.unwrap_or(self.span(node));
        let specifiers = self.specifiers(node);
        let alignas = self.alignments(node);
        let start = Span {
            end: self.span(node).start,
            ..self.span(node)
        };
        let type_node = node.child_by_field_name("type");
        let mut cursor = node.walk();
        let has_declarator = node
            .children_by_field_name("declarator", &mut cursor)
            .next()
            .is_some();
        if let Some(definition) = type_node.filter(|ty| is_definition(*ty, has_declarator)) {
            let head = if has_declarator {
                Head::default()
            } else {
                head.clone()
            };
            self.definition_into(definition, head, items);
        }
        let base = type_node.map(|ty| self.expr(ty));
        let mut last: Option<usize> = None;
        for (field, child) in fields(node) {
            match field {
                Some("declarator") => {
                    let before = items.len();
                    let declaration = Declaration {
                        node,
                        place,
                        specifiers,
                        alignas: &alignas,
                        base: base.as_ref(),
                        whole,
                        start,
                    };
                    self.declare_into(&declaration, child, head, items);
                    last = (items.len() > before).then_some(before);
                }
                _ if child.kind() == "," => last = None,
                _ if child.kind() == "bitfield_clause" => {
                    let width = child.named_child(0).map(|width| self.expr(width));
                    let place = last.unwrap_or_else(|| {
                        // Bits without a name: `: 2`.
                        let unnamed = self.declarator(None, base.clone(), specifiers.constant);
                        let declaration = Declaration {
                            node,
                            place,
                            specifiers,
                            alignas: &alignas,
                            base: base.as_ref(),
                            whole,
                            start,
                        };
                        items.push(declaration.binding(unnamed, None, self.span(child), head));
                        items.len() - 1
                    });
                    if let Some(ItemKind::Binding(binding)) =
                        items.get_mut(place).map(|item| &mut item.kind)
                    {
                        binding.bits = width;
                    }
                }
                Some("default_value" | "value") => {
                    if let Some(item) = last.and_then(|last| items.get_mut(last)) {
                        self.initialise(item, child);
                    }
                }
                _ => {}
            }
        }
    }

    /// One declarator of a declaration.
    fn declare_into(
        &mut self,
        declaration: &Declaration<'_, '_>,
        node: Node<'_>,
        head: &Head,
        items: &mut Vec<Item>,
    ) {
        if node.kind() == "operator_cast" {
            items.push(self.conversion(declaration.node, node, head.clone()));
            return;
        }
        let (declarator, value) = match node.kind() {
            "init_declarator" => (
                node.child_by_field_name("declarator"),
                node.child_by_field_name("value"),
            ),
            _ => (Some(node), None),
        };
        let declared = self.declarator(
            declarator,
            declaration.base.cloned(),
            declaration.specifiers.constant,
        );
        if declared.is_garbled() {
            return;
        }
        let item = if let Some(function) = declared.function {
            match self.construction(declaration, function, &declared, head) {
                Some(init) => declaration.binding(declared, Some(init), self.span(node), head),
                None => self.function(declaration.node, declared, head.clone()),
            }
        } else if let Some(call) = declaration.as_call(&declared) {
            Item::new(ItemKind::Expr(call), declaration.whole)
        } else {
            let init = match child_of_kind(node, "ERROR") {
                Some(error) => value.map(|value| self.misread_initialiser(error, value)),
                None => value.map(|value| self.initialiser(value, node, declared.ty.as_ref())),
            };
            declaration.binding(declared, init, self.span(node), head)
        };
        items.push(item);
    }

    /// `dim3 grid(M, N)` in a function body: the grammar may say that this declares a function.
    /// Functions are all but never declared there, so it is a construction if it can be one.
    fn construction(
        &mut self,
        declaration: &Declaration<'_, '_>,
        function: Node<'_>,
        declared: &Declared<'_>,
        head: &Head,
    ) -> Option<Expr> {
        let ty = declared.ty.as_ref()?;
        let list = function.child_by_field_name("parameters")?;
        if declaration.place != Context::Block
            || head.span.is_some()
            || function.named_child_count() > 2
        {
            return None;
        }
        let args = self.params_as_args(list).filter(|args| !args.is_empty())?;
        let kind = ExprKind::Construct {
            ty: Box::new(ty.clone()),
            args,
            braces: false,
        };
        Some(Expr::new(kind, self.span(list)))
    }

    /// The right side of a declaration; `owner` is the node in which `=` is if there is one.
    fn initialiser(&mut self, value: Node<'_>, owner: Node<'_>, ty: Option<&Expr>) -> Expr {
        let braces = match value.kind() {
            "argument_list" => false,
            "initializer_list" if !has_token(owner, "=") => true,
            _ => return self.expr(value),
        };
        let Some(ty) = ty else {
            return self.expr(value);
        };
        let args = self.listed(value);
        let kind = ExprKind::Construct {
            ty: Box::new(ty.clone()),
            args,
            braces,
        };
        Expr::new(kind, self.span(value))
    }

    /// The right side of a declaration that the grammar does not read: `MACRO(4, 8){}`, or nothing that is known.
    fn misread_initialiser(&mut self, error: Node<'_>, value: Node<'_>) -> Expr {
        let place = self.span(error).to(self.span(value));
        let call = error
            .named_child(0)
            .filter(|call| call.kind() == "call_expression" && error.child_count() == 1);
        let is_in_front = error.end_byte() == value.start_byte();
        match call {
            Some(call) if is_in_front && value.kind() == "initializer_list" => {
                let kind = ExprKind::Construct {
                    ty: Box::new(self.expr(call)),
                    args: self.listed(value),
                    braces: true,
                };
                Expr::new(kind, place)
            }
            _ => Expr::new(ExprKind::Opaque("a syntax error"), place),
        }
    }

    /// Attaches the value that the grammar keeps beside the declarator (members, conditions).
    fn initialise(&mut self, item: &mut Item, value: Node<'_>) {
        match &mut item.kind {
            ItemKind::Binding(binding) => {
                let equals = value
                    .prev_sibling()
                    .is_some_and(|token| token.kind() == "=");
                let init = match value.kind() {
                    "initializer_list" if !equals => {
                        self.initialiser(value, value, binding.ty.as_ref())
                    }
                    _ => self.expr(value),
                };
                binding.span = binding.span.to(init.span);
                binding.init = Some(init);
            }
            ItemKind::StructuredBinding(binding) => binding.init = Some(self.expr(value)),
            _ => {}
        }
    }

    /// `using X = T;`
    pub(super) fn alias(&mut self, node: Node<'_>, head: Head) -> Option<Item> {
        let name = self.ident(node.child_by_field_name("name")?);
        // `using X = struct { .. };` is a record named `X`.
        if let Some(definition) = unnamed_definition(node) {
            let mut items = Vec::new();
            self.definition_into(definition, head, &mut items);
            let mut item = items.pop()?;
            if let ItemKind::Record(record) = &mut item.kind {
                record.name = Some(name);
            }
            return Some(item);
        }
        let ty = node.child_by_field_name("type").map(|ty| self.expr(ty));
        let whole = head.span.unwrap_or(self.span(node));
        let mut binding = alias_binding(ty, self.span(node));
        binding.name = Some(name);
        binding.tparams = head.tparams;
        Some(Item::new(ItemKind::Binding(Box::new(binding)), whole))
    }

    /// `typedef T X, *P;`
    pub(super) fn typedef_into(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let Some(type_node) = node.child_by_field_name("type") else {
            return;
        };
        if is_definition(type_node, true) {
            self.definition_into(type_node, Head::default(), items);
        }
        let defined = items.len();
        let base = self.expr(type_node);
        let constant = self.has_qualifier(node, "const");
        // A type of another alignment or width than the one that is named.
        let attributes: Vec<Expr> = named_children(node)
            .into_iter()
            .flat_map(|child| self.attribute_alignments(child))
            .map(|operand| Self::unfollowed_type(&operand))
            .collect();
        for declarator in node.children_by_field_name("declarator", &mut node.walk()) {
            let declared = self.declarator(Some(declarator), Some(base.clone()), constant);
            if declared.is_garbled() {
                continue;
            }
            let name = declared.name.clone();
            let ty = attributes.first().cloned().or(declared.whole_type());
            let mut binding = alias_binding(ty, self.span(node));
            binding.name = name;
            items.push(Item::new(
                ItemKind::Binding(Box::new(binding)),
                self.span(node),
            ));
        }
        name_after_typedef(items, defined);
    }
}

/// The common part of all declarators of one declaration.
struct Declaration<'n, 'e> {
    node: Node<'n>,
    place: Context,
    specifiers: Specifiers,
    alignas: &'e [Expr],
    base: Option<&'e Expr>,
    /// The declaration with its template head.
    whole: Span,
    /// The empty span at which the declaration itself starts.
    start: Span,
}

impl Declaration<'_, '_> {
    fn binding(
        &self,
        declared: Declared<'_>,
        init: Option<Expr>,
        declarator: Span,
        head: &Head,
    ) -> Item {
        let mut specifiers = self.specifiers;
        specifiers.constant = declared.constant;
        specifiers.pack = declared.pack;
        let kind = if declared.names.is_empty() {
            ItemKind::Binding(Box::new(Binding {
                role: match self.place {
                    Context::Record => Role::Member,
                    Context::Namespace | Context::Block => Role::Var,
                },
                name: declared.name,
                tparams: head.tparams.clone(),
                special_args: declared.special_args,
                scope: declared.scope,
                ty: declared.ty,
                reference: declared.reference,
                init,
                specifiers,
                alignas: self.alignas.to_vec(),
                bits: None,
                span: self.start.to(declarator),
            }))
        } else {
            ItemKind::StructuredBinding(Box::new(StructuredBinding {
                names: declared.names,
                members: Vec::new(),
                init,
                reference: declared.reference,
                specifiers,
            }))
        };
        Item::new(kind, self.whole)
    }

    /// `f (x);` in a function body, which the grammar may read as a declaration of `x`.
    fn as_call(&self, declared: &Declared<'_>) -> Option<Expr> {
        let ambiguous = self.place == Context::Block
            && declared.only_parentheses
            && self.specifiers == Specifiers::default();
        let callee = declared
            .ty
            .as_ref()
            .filter(|ty| ambiguous && ty.as_path().is_some())?;
        let argument = declared.name.clone()?;
        let whole = callee.span.to(argument.span);
        let segments = vec![Segment {
            name: argument.clone(),
            args: declared.special_args.clone(),
        }];
        let path = Path {
            qualifier: Qualifier::None,
            segments,
        };
        let argument = Expr::new(ExprKind::Name(path), argument.span);
        Some(Expr::new(
            ExprKind::Call(Box::new(callee.clone()), vec![argument]),
            whole,
        ))
    }
}

fn alias_binding(ty: Option<Expr>, place: Span) -> Binding {
    Binding {
        role: Role::Alias,
        name: None,
        tparams: Vec::new(),
        special_args: None,
        scope: None,
        ty: None,
        reference: Reference::None,
        init: ty,
        specifiers: Specifiers::default(),
        alignas: Vec::new(),
        bits: None,
        span: place,
    }
}

/// The class without a name that an alias names.
fn unnamed_definition(alias: Node<'_>) -> Option<Node<'_>> {
    let ty = alias
        .child_by_field_name("type")?
        .child_by_field_name("type")?;
    let is_class = matches!(
        ty.kind(),
        "struct_specifier" | "class_specifier" | "union_specifier"
    );
    let is_unnamed =
        ty.child_by_field_name("name").is_none() && ty.child_by_field_name("body").is_some();
    (is_class && is_unnamed).then_some(ty)
}

/// Whether the type in a declaration also defines or declares a record or enum.
fn is_definition(ty: Node<'_>, has_declarator: bool) -> bool {
    matches!(
        ty.kind(),
        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier"
    ) && (!has_declarator || ty.child_by_field_name("body").is_some())
}

/// Children with the names of the fields in which they are.
pub(super) fn fields(node: Node<'_>) -> Vec<(Option<&str>, Node<'_>)> {
    let mut cursor = node.walk();
    let mut found = Vec::new();
    if cursor.goto_first_child() {
        loop {
            found.push((cursor.field_name(), cursor.node()));
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    found
}

/// `typedef struct { .. } X;` is a record named `X`, and so is an enumeration.
fn name_after_typedef(items: &mut Vec<Item>, defined: usize) {
    let (before, after) = items.split_at_mut(defined);
    let name = match before.last_mut().map(|item| &mut item.kind) {
        Some(ItemKind::Record(record)) => &mut record.name,
        Some(ItemKind::Enum(declared)) => &mut declared.name,
        _ => return,
    };
    let [
        Item {
            kind: ItemKind::Binding(alias),
            ..
        },
    ] = after
    else {
        return;
    };
    let is_plain = alias
        .init
        .as_ref()
        .is_some_and(|ty| matches!(ty.kind, ExprKind::Opaque(_)));
    if name.is_none() && is_plain {
        name.clone_from(&alias.name);
        items.truncate(defined);
    }
}
