//! Items: the declarations of a file, a module, an `impl` or a block.

use tree_sitter::Node;

use super::Lowering;
use crate::nodes::{child_of_kind, has_token, named_children};
use crate::tree::{
    Binding, Define, Enum, Enumerator, Expr, ExprKind, Ident, Impl, Item, ItemKind, ModuleFile,
    Namespace, Path, Qualifier, Record, RecordKind, Reference, Role, Segment, Specifiers,
    StaticAssert, Using, UsingKind,
};

/// A binding of a name in a role, with nothing else said.
pub(super) fn binding(role: Role, name: Option<Ident>, span: crate::tree::Span) -> Binding {
    Binding {
        role,
        name,
        tparams: Vec::new(),
        special_args: None,
        scope: None,
        ty: None,
        reference: Reference::None,
        init: None,
        specifiers: Specifiers::default(),
        alignas: Vec::new(),
        bits: None,
        span,
    }
}

/// The marks of functions of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Device {
    /// One that is launched.
    Kernel,
    /// One that kernels call, or a module of such functions.
    Function,
}

impl Lowering<'_> {
    /// Appends the declarations and statements among the children of `node`.
    pub(super) fn items_into(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        // The file to which the next `mod name;` is sent by an attribute.
        let mut path = None;
        let mut mark = None;
        let mut decorators = Vec::new();
        for child in named_children(node) {
            if self.truncated {
                return;
            }
            if child.kind() == "attribute_item" {
                path = self.path_attribute(child).or(path);
                mark = self.device_attribute(child).or(mark);
                decorators.extend(self.launch_attribute(child));
                continue;
            }
            if child.kind() != "function_item" {
                // All functions of a module of the device may be called by its kernels.
                let is_device = child.kind() == "mod_item" && mark.is_some();
                let outer = self.inside.on_device;
                self.inside.on_device |= is_device;
                self.item_into(child, path.take(), items);
                self.inside.on_device = outer;
                if !child.is_extra() {
                    mark = None;
                    decorators.clear();
                }
                continue;
            }
            let decorators = std::mem::take(&mut decorators);
            let outer = self.inside.on_device;
            self.inside.on_device |= mark.is_some();
            let first = items.len();
            self.item_into(child, path.take(), items);
            self.inside.on_device = outer;
            if mark.take() == Some(Device::Kernel)
                && let Some(Item {
                    kind: ItemKind::Function(kernel),
                    ..
                }) = items.get_mut(first)
            {
                kernel.flags.global = true;
                kernel.decorators = decorators;
            }
        }
    }

    /// The mark of a function of the device: `#[kernel]`, `#[device]`, `#[cube(launch)]`, `#[spirv(compute(..))]`; or of a
    /// module of such functions.
    fn device_attribute(&self, node: Node<'_>) -> Option<Device> {
        let attribute = child_of_kind(node, "attribute")?;
        let name = self.text(attribute.named_child(0)?);
        match name.rsplit("::").next()? {
            "kernel" => Some(Device::Kernel),
            "cube" if self.text(attribute).contains("launch") => Some(Device::Kernel),
            "spirv" if self.text(attribute).contains("compute(") => Some(Device::Kernel),
            "cube" | "cuda_module" | "device" => Some(Device::Function),
            _ => None,
        }
    }

    fn item_into(&mut self, node: Node<'_>, path: Option<Ident>, items: &mut Vec<Item>) {
        self.descend_into_item(|lowering| match node.kind() {
            "line_comment"
            | "block_comment"
            | "inner_attribute_item"
            | "empty_statement"
            | "shebang" => {}
            "use_declaration" => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    lowering.uses_into(argument, Vec::new(), lowering.span(node), items);
                }
            }
            "extern_crate_declaration" => lowering.extern_crate_into(node, items),
            "foreign_mod_item" => {
                if let Some(body) = node.child_by_field_name("body") {
                    lowering.items_into(body, items);
                }
            }
            "ERROR" => lowering.items_into(node, items),
            _ => {
                if let Some(kind) = lowering.item_kind(node, path) {
                    items.push(Item::new(kind, lowering.span(node)));
                } else {
                    lowering.statement_into(node, false, items);
                }
            }
        });
    }

    /// Whether a node is an item that may be in a block too.
    pub(super) fn declares(node: Node<'_>) -> bool {
        matches!(
            node.kind(),
            "const_item"
                | "static_item"
                | "type_item"
                | "associated_type"
                | "function_item"
                | "function_signature_item"
                | "struct_item"
                | "union_item"
                | "trait_item"
                | "impl_item"
                | "enum_item"
                | "mod_item"
                | "macro_definition"
                | "use_declaration"
                | "extern_crate_declaration"
                | "foreign_mod_item"
        )
    }

    /// An item in a block.
    pub(super) fn declaration_into(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        self.item_into(node, None, items);
    }

    fn item_kind(&mut self, node: Node<'_>, path: Option<Ident>) -> Option<ItemKind> {
        Some(match node.kind() {
            "const_item" | "static_item" => self.constant(node),
            "type_item" | "associated_type" => self.alias(node),
            "function_item" | "function_signature_item" => {
                ItemKind::Function(Box::new(self.function(node)?))
            }
            "struct_item" | "union_item" => self.record(node),
            "trait_item" => self.record_with(node, RecordKind::Trait, |lowering, body, members| {
                lowering.items_into(body, members);
            }),
            "impl_item" => self.implementation(node),
            "enum_item" => self.enumeration(node),
            "mod_item" => self.module(node, path)?,
            "macro_definition" => ItemKind::Define(Define {
                name: self.name_of(node)?,
                params: Some(Vec::new()),
                variadic: true,
                body: self.span(node),
                value: None,
            }),
            _ => return None,
        })
    }

    /// `const X: T = v;`, `static X: T = v;`; `const _: () = assert!(v);` asserts.
    fn constant(&mut self, node: Node<'_>) -> ItemKind {
        let name = self.name_of(node).filter(|name| name.name != "_");
        let init = self.field(node, "value");
        if name.is_none()
            && let Some(condition) = init.as_ref().and_then(asserted)
        {
            return ItemKind::StaticAssert(StaticAssert {
                condition: condition.clone(),
                message: None,
            });
        }
        let mut constant = binding(Role::Var, name, self.span(node));
        constant.ty = node.child_by_field_name("type").map(|ty| self.ty(ty));
        constant.init = init;
        let is_static = node.kind() == "static_item";
        constant.specifiers.is_static = is_static;
        constant.specifiers.shared = is_static && self.is_in_shared_memory(node);
        constant.specifiers.constexpr = !is_static;
        constant.specifiers.constant = child_of_kind(node, "mutable_specifier").is_none();
        ItemKind::Binding(Box::new(constant))
    }

    /// Whether `#[address_space(shared)]` is before a declaration.
    fn is_in_shared_memory(&self, node: Node<'_>) -> bool {
        let mut before = node.prev_named_sibling();
        while let Some(attribute) = before.filter(|it| it.kind() == "attribute_item") {
            let inner = child_of_kind(attribute, "attribute");
            let name = inner.and_then(|inner| inner.named_child(0));
            let is_space = name.is_some_and(|name| self.text(name) == "address_space");
            let arguments = inner.and_then(|inner| inner.child_by_field_name("arguments"));
            let space = arguments.and_then(|list| list.named_child(0));
            if is_space && space.is_some_and(|space| self.text(space) == "shared") {
                return true;
            }
            before = attribute.prev_named_sibling();
        }
        false
    }

    fn alias(&mut self, node: Node<'_>) -> ItemKind {
        let mut alias = binding(Role::Alias, self.name_of(node), self.span(node));
        alias.tparams = self.generics(node);
        alias.init = node.child_by_field_name("type").map(|ty| self.ty(ty));
        ItemKind::Binding(Box::new(alias))
    }

    fn record(&mut self, node: Node<'_>) -> ItemKind {
        let kind = if node.kind() == "union_item" {
            RecordKind::Union
        } else {
            RecordKind::Struct
        };
        self.record_with(node, kind, |lowering, body, members| {
            lowering.fields_into(body, members);
        })
    }

    fn record_with(
        &mut self,
        node: Node<'_>,
        kind: RecordKind,
        body: impl FnOnce(&mut Self, Node<'_>, &mut Vec<Item>),
    ) -> ItemKind {
        let mut members = Vec::new();
        if let Some(list) = node.child_by_field_name("body") {
            body(self, list, &mut members);
        }
        ItemKind::Record(Box::new(Record {
            kind,
            name: self.name_of(node),
            scope: None,
            tparams: self.generics(node),
            special_args: None,
            requires: None,
            alignas: Vec::new(),
            bases: Vec::new(),
            members: Some(members),
        }))
    }

    /// The fields of a struct; those of a tuple struct are named by their numbers.
    fn fields_into(&mut self, list: Node<'_>, members: &mut Vec<Item>) {
        let mut number = 0_usize;
        for child in named_children(list) {
            let (name, ty) = match child.kind() {
                "field_declaration" => (self.name_of(child), child.child_by_field_name("type")),
                "attribute_item" | "visibility_modifier" | "line_comment" | "block_comment" => {
                    continue;
                }
                _ => {
                    let name = Ident {
                        name: number.to_string(),
                        span: self.span(child),
                    };
                    number += 1;
                    (Some(name), Some(child))
                }
            };
            let mut field = binding(Role::Member, name, self.span(child));
            field.ty = ty.map(|ty| self.ty(ty));
            let span = field.span;
            members.push(Item::new(ItemKind::Binding(Box::new(field)), span));
        }
    }

    fn implementation(&mut self, node: Node<'_>) -> ItemKind {
        let mut items = Vec::new();
        if let Some(body) = node.child_by_field_name("body") {
            self.items_into(body, &mut items);
        }
        let target = match node.child_by_field_name("type") {
            Some(ty) => self.ty(ty),
            None => self.opaque(node),
        };
        ItemKind::Impl(Box::new(Impl {
            tparams: self.generics(node),
            of: node.child_by_field_name("trait").map(|of| self.ty(of)),
            target,
            items,
        }))
    }

    fn enumeration(&mut self, node: Node<'_>) -> ItemKind {
        let list = node.child_by_field_name("body");
        let variants = list.map(named_children).unwrap_or_default();
        let enumerators = variants
            .into_iter()
            .filter(|variant| variant.kind() == "enum_variant")
            .filter_map(|variant| {
                Some(Enumerator {
                    name: self.name_of(variant)?,
                    value: self.field(variant, "value"),
                })
            });
        let enumerators = enumerators.collect();
        ItemKind::Enum(Enum {
            name: self.name_of(node),
            scoped: true,
            base: None,
            enumerators,
        })
    }

    fn module(&mut self, node: Node<'_>, path: Option<Ident>) -> Option<ItemKind> {
        let name = self.name_of(node)?;
        let Some(body) = node.child_by_field_name("body") else {
            return Some(ItemKind::ModuleFile(ModuleFile { name, path }));
        };
        let mut items = Vec::new();
        self.items_into(body, &mut items);
        Some(ItemKind::Namespace(Namespace {
            names: vec![name],
            inline: false,
            items,
        }))
    }

    /// The text of `#[path = "text"]`.
    fn path_attribute(&self, node: Node<'_>) -> Option<Ident> {
        let attribute = child_of_kind(node, "attribute")?;
        let is_path = attribute
            .named_child(0)
            .is_some_and(|name| self.text(name) == "path");
        let value = attribute.child_by_field_name("value").filter(|_| is_path)?;
        let content = child_of_kind(value, "string_content")?;
        Some(Ident {
            name: self.text(content).to_owned(),
            span: self.span(content),
        })
    }

    fn extern_crate_into(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let Some(name) = self.name_of(node) else {
            return;
        };
        let alias = node.child_by_field_name("alias");
        let segment = Segment { name, args: None };
        let kind = match alias {
            Some(alias) => UsingKind::Renamed(self.ident(alias)),
            None => UsingKind::Declaration,
        };
        let path = path_expr(Qualifier::Global, vec![segment]);
        let span = self.span(node);
        items.push(Item::new(ItemKind::Using(Using { kind, path }), span));
    }

    /// One item for each name that a `use` brings; `outer` are the segments in front.
    fn uses_into(
        &mut self,
        node: Node<'_>,
        outer: Vec<Segment>,
        span: crate::tree::Span,
        items: &mut Vec<Item>,
    ) {
        self.descend(|lowering| {
            let path_in = |lowering: &mut Self, node: Option<Node<'_>>, mut outer: Vec<Segment>| {
                let mut qualifier = Qualifier::None;
                if let Some(node) = node {
                    let path = lowering.path(node);
                    qualifier = path.qualifier;
                    outer.extend(path.segments);
                }
                (qualifier, outer)
            };
            let mut push = |kind: UsingKind, (qualifier, segments): (Qualifier, Vec<Segment>)| {
                if !segments.is_empty() {
                    let path = path_expr(qualifier, segments);
                    items.push(Item::new(ItemKind::Using(Using { kind, path }), span));
                }
            };
            match node.kind() {
                "use_list" => {
                    for child in named_children(node) {
                        lowering.uses_into(child, outer.clone(), span, items);
                    }
                }
                "scoped_use_list" => {
                    let head = node.child_by_field_name("path");
                    let (_, segments) = path_in(lowering, head, outer);
                    if let Some(list) = node.child_by_field_name("list") {
                        lowering.uses_into(list, segments, span, items);
                    }
                }
                "use_wildcard" => {
                    let head = node.named_child(0);
                    push(UsingKind::Namespace, path_in(lowering, head, outer));
                }
                "use_as_clause" => {
                    let head = node.child_by_field_name("path");
                    let path = path_in(lowering, head, outer);
                    if let Some(alias) = node.child_by_field_name("alias") {
                        push(UsingKind::Renamed(lowering.ident(alias)), path);
                    }
                }
                "line_comment" | "block_comment" => {}
                // `use a::{self}` brings `a`.
                "self" if !outer.is_empty() => {
                    push(UsingKind::Declaration, (Qualifier::None, outer));
                }
                _ => push(UsingKind::Declaration, path_in(lowering, Some(node), outer)),
            }
        });
    }

    /// The generic parameters of an item.
    pub(super) fn generics(&mut self, node: Node<'_>) -> Vec<crate::tree::TemplateParam> {
        node.child_by_field_name("type_parameters")
            .map(|list| self.generic_params(list))
            .unwrap_or_default()
    }

    /// Whether a parameter or variable is declared `mut`.
    pub(super) fn is_mutable(node: Node<'_>) -> bool {
        child_of_kind(node, "mutable_specifier").is_some() || has_token(node, "mut")
    }
}

fn path_expr(qualifier: Qualifier, segments: Vec<Segment>) -> Expr {
    let first = segments.first().map(|segment| segment.name.span);
    let last = segments.last().map(|segment| segment.name.span);
    let span = first
        .zip(last)
        .map_or_else(Default::default, |(first, last)| first.to(last));
    let path = Path {
        qualifier,
        segments,
    };
    Expr::new(ExprKind::Name(path), span)
}

/// The condition of `assert!(condition, ..)`.
fn asserted(init: &Expr) -> Option<&Expr> {
    let ExprKind::Macro(call) = &init.kind else {
        return None;
    };
    let name = call.path.last()?;
    (name.name.name == "assert").then_some(())?;
    call.args.as_ref()?.first()
}
