//! Functions.

use tree_sitter::Node;

use super::constraint::all_of;
use super::declarator::Declared;
use super::name::is_name;
use super::template::Head;
use super::{Context, Lowering, child_of_kind, has_token, named_children};
use crate::tree::{
    Binding, Expr, ExprKind, Function, FunctionFlags, Ident, Item, ItemKind, MemberInit, Span,
};

/// The attribute that bounds the launches of a kernel (CUDA C++ programming guide, "Launch Bounds").
const LAUNCH_BOUNDS: &str = "__launch_bounds__";

/// A parameter list.
#[derive(Default)]
pub(super) struct Params {
    pub(super) params: Vec<Binding>,
    /// It ends with C's `...`.
    pub(super) variadic: bool,
}

impl Lowering<'_> {
    /// A function definition, or in a function body a macro call with a block behind it.
    pub(super) fn function_definition_into(
        &mut self,
        node: Node<'_>,
        place: Context,
        head: Head,
        items: &mut Vec<Item>,
    ) {
        let Some(declarator) = node.child_by_field_name("declarator") else {
            return;
        };
        if declarator.kind() == "operator_cast" {
            items.push(self.conversion(node, declarator, head));
            return;
        }
        let ty = node.child_by_field_name("type").map(|ty| self.expr(ty));
        let constant = self.has_qualifier(node, "const");
        let declared = self.declarator(Some(declarator), ty, constant);
        // `MACRO (f()) { .. }` may as well declare a function `f` in needless parentheses: no grammar tells them apart,
        // and the parses before decide.
        let in_parentheses = declarator.kind() == "parenthesized_declarator"
            && child_of_kind(declarator, "function_declarator").is_some();
        if place == Context::Block && (declared.ty.is_none() || in_parentheses) {
            // `MACRO(a, b) { .. }`
            if let Some(body) = node.child_by_field_name("body") {
                let statements = self.items(body, place);
                items.push(Item::new(ItemKind::Block(statements), self.span(node)));
            }
            return;
        }
        if declared.is_garbled() {
            return;
        }
        items.push(self.function(node, declared, head));
    }

    /// A function from its whole node (declaration or definition) and its declarator.
    pub(super) fn function(&mut self, node: Node<'_>, declared: Declared<'_>, head: Head) -> Item {
        let whole = head.span.unwrap_or(self.span(node));
        let name = declared.name.clone();
        let name = name.unwrap_or_else(|| Ident {
            name: String::new(),
            span: whole,
        });
        let (scope, special_args) = (declared.scope.clone(), declared.special_args.clone());
        let declarator = declared.function;
        let params = declarator.and_then(|d| d.child_by_field_name("parameters"));
        let placeholders = params;
        let params = params.map(|list| self.params(list)).unwrap_or_default();
        let placeholders =
            placeholders.and_then(|list| self.constrained_placeholders(list, &params.params));
        let trailing = declarator.and_then(|d| self.trailing_return(d));
        let requires = declarator.and_then(|d| child_of_kind(d, "requires_clause"));
        let mut flags = self.function_flags(node);
        flags.variadic = params.variadic;
        flags.specialised = head.specialised;
        flags.is_virtual |=
            declarator.is_some_and(|d| child_of_kind(d, "virtual_specifier").is_some());
        flags.constant = declarator.is_some_and(|d| self.has_qualifier(d, "const"));
        let function = Function {
            name,
            scope,
            tparams: head.tparams,
            special_args,
            requires: all_of([
                head.requires,
                requires.map(|clause| self.requires(clause)),
                placeholders,
            ]),
            params: params.params,
            ret: trailing.or_else(|| declared.whole_type()),
            member_inits: self.member_inits(node),
            body: self.function_body(node),
            flags,
            decorators: self.launch_bounds(node),
        };
        Item::new(ItemKind::Function(Box::new(function)), whole)
    }

    /// `operator T() const`
    pub(super) fn conversion(&mut self, node: Node<'_>, cast: Node<'_>, head: Head) -> Item {
        let whole = head.span.unwrap_or(self.span(node));
        let ty = cast.child_by_field_name("type");
        let end = ty.map_or(cast.start_byte(), |ty| ty.end_byte());
        let source = self
            .texts
            .source
            .get(cast.start_byte()..end)
            .unwrap_or_default();
        let name = source.split_whitespace().collect::<Vec<_>>().join(" ");
        let start = self.span(cast).start;
        let place = Span::new(start, start + source.len());
        let name = Ident { name, span: place };
        let ret = ty.map(|ty| self.expr(ty));
        let function = Function {
            name,
            scope: None,
            tparams: head.tparams,
            special_args: None,
            requires: head.requires,
            params: Vec::new(),
            ret,
            member_inits: Vec::new(),
            body: self.function_body(node),
            flags: self.function_flags(node),
            decorators: Vec::new(),
        };
        Item::new(ItemKind::Function(Box::new(function)), whole)
    }

    pub(super) fn params(&mut self, list: Node<'_>) -> Params {
        let mut params = Params {
            params: Vec::new(),
            variadic: has_token(list, "..."),
        };
        for node in named_children(list) {
            match node.kind() {
                "parameter_declaration"
                | "optional_parameter_declaration"
                | "variadic_parameter_declaration" => {
                    let param = self.descend(|lowering| lowering.param(node));
                    params.params.extend(param);
                }
                "explicit_object_parameter_declaration" => {
                    if let Some(inner) = child_of_kind(node, "parameter_declaration") {
                        params.params.push(self.param(inner));
                    }
                }
                _ => {}
            }
        }
        // `f(void)` takes nothing.
        if let [
            Binding {
                name: None,
                ty: Some(ty),
                ..
            },
        ] = params.params.as_slice()
            && ty.as_plain_name() == Some("void")
        {
            params.params.clear();
        }
        params
    }

    pub(super) fn trailing_return(&mut self, declarator: Node<'_>) -> Option<Expr> {
        let trailing = child_of_kind(declarator, "trailing_return_type")?;
        trailing.named_child(0).map(|ty| self.expr(ty))
    }

    fn function_flags(&self, node: Node<'_>) -> FunctionFlags {
        FunctionFlags {
            damaged: self.is_damaged(node),
            constexpr: self.has_qualifier(node, "constexpr")
                || self.has_qualifier(node, "consteval"),
            is_static: self.has_qualifier(node, "static"),
            global: has_token(node, "__global__") || self.has_qualifier(node, "__global__"),
            deleted: child_of_kind(node, "delete_method_clause").is_some(),
            defaulted: child_of_kind(node, "default_method_clause").is_some(),
            constant: false,
            variadic: false,
            explicit: child_of_kind(node, "explicit_function_specifier").is_some(),
            is_virtual: has_token(node, "virtual"),
            specialised: false,
        }
    }

    /// `__launch_bounds__(threads, blocks)` before a kernel's name, as a call.
    fn launch_bounds(&mut self, node: Node<'_>) -> Vec<Expr> {
        let bounds = child_of_kind(node, "launch_bounds");
        bounds
            .and_then(|bounds| self.launch_bound(bounds))
            .into_iter()
            .collect()
    }

    fn launch_bound(&mut self, bounds: Node<'_>) -> Option<Expr> {
        let word = bounds.child(0)?;
        let args = child_of_kind(bounds, "argument_list")?;
        let callee = Expr::plain_name(LAUNCH_BOUNDS, self.span(word));
        let kind = ExprKind::Call(Box::new(callee), self.listed(args));
        Some(Expr::new(kind, self.span(bounds)))
    }

    fn member_inits(&mut self, node: Node<'_>) -> Vec<MemberInit> {
        let list = child_of_kind(node, "field_initializer_list");
        let inits = list.map(named_children).unwrap_or_default();
        let inits = inits
            .into_iter()
            .filter(|init| init.kind() == "field_initializer");
        inits.filter_map(|init| self.member_init(init)).collect()
    }

    fn member_init(&mut self, init: Node<'_>) -> Option<MemberInit> {
        let [target, args] = named_children(init).try_into().ok()?;
        let target = self.expr(target);
        Some(MemberInit {
            target,
            args: self.listed(args),
        })
    }

    fn function_body(&mut self, node: Node<'_>) -> Option<Vec<Item>> {
        let body = node.child_by_field_name("body")?;
        if body.kind() == "try_statement" {
            let kind = self.try_statement(body)?;
            return Some(vec![Item::new(kind, self.span(body))]);
        }
        Some(self.items(body, Context::Block))
    }

    /// A function whose closing brace is not typed yet: the parser leaves its parts side by side
    /// in an error node. `nodes[index]` is its declarator, when it is one.
    pub(super) fn unfinished_function(&mut self, nodes: &[Node<'_>], index: usize) -> Option<Item> {
        let declarator = nodes
            .get(index)
            .filter(|node| node.kind() == "function_declarator")?;
        let after = nodes.get(index + 1..)?;
        let brace = after.iter().take(4).position(|node| node.kind() == "{")?;
        let before = nodes.get(..index)?;
        let belongs = |node: &&Node<'_>| is_in_front_of_declarator(**node);
        let front: Vec<_> = before.iter().rev().take_while(belongs).copied().collect();
        let ty = front
            .first()
            .filter(|node| is_name(**node) || node.kind().contains("type"));
        let ty = ty.map(|ty| self.expr(*ty));
        let template = front
            .iter()
            .find(|node| node.kind() == "template_parameter_list");
        let tparams = template
            .map(|list| self.template_params(*list))
            .unwrap_or_default();
        let start = front.last().unwrap_or(declarator);
        let end = nodes.last().unwrap_or(declarator);
        let whole = self.span(*start).to(self.span(*end));
        let head = Head {
            tparams,
            span: Some(whole),
            ..Head::default()
        };
        let declared = self.declarator(Some(*declarator), ty, false);
        if declared.is_garbled() {
            return None;
        }
        let mut item = self.function(*declarator, declared, head);
        if let ItemKind::Function(function) = &mut item.kind {
            let mut body = Vec::new();
            self.items_into(after.get(brace + 1..)?, Context::Block, &mut body);
            function.body = Some(body);
            function.flags.global = front.iter().any(|node| node.kind() == "__global__");
            let bounds = front.iter().find(|node| node.kind() == "launch_bounds");
            function.decorators = bounds
                .and_then(|bounds| self.launch_bound(*bounds))
                .into_iter()
                .collect();
        }
        Some(item)
    }
}

/// Parts of a declaration before its declarator, as they are side by side in an error.
fn is_in_front_of_declarator(node: Node<'_>) -> bool {
    is_name(node)
        || matches!(
            node.kind(),
            "template"
                | "template_parameter_list"
                | "storage_class_specifier"
                | "type_qualifier"
                | "placeholder_type_specifier"
                | "decltype"
                | "attribute_declaration"
                | "launch_bounds"
                | "__global__"
                | "__device__"
                | "__host__"
                | "__forceinline__"
                | "__noinline__"
        )
}
