//! Going through a tree without evaluating it.

use tree_sitter_cute::tree::{Condition, Expr, ExprKind, Item, ItemKind};

/// Calls `visit` with every item below `items`, outer ones first, in source order.
pub(crate) fn items<'u>(items: &'u [Item], visit: &mut dyn FnMut(&'u Item)) {
    for item in items {
        visit(item);
        for inner in inner_items(item) {
            self::items(inner, visit);
        }
    }
}

/// The lists of statements or members directly inside an item.
pub(crate) fn inner_items(item: &Item) -> Vec<&[Item]> {
    match &item.kind {
        ItemKind::Function(function) => function.body.as_deref().into_iter().collect(),
        ItemKind::Record(record) => record.members.as_deref().into_iter().collect(),
        ItemKind::Namespace(namespace) => vec![&namespace.items],
        ItemKind::Impl(apart) => vec![&apart.items],
        ItemKind::If(branch) => {
            let mut lists: Vec<&[Item]> = vec![&branch.init, &branch.then];
            lists.extend(branch.otherwise.as_deref());
            lists
        }
        ItemKind::Loop(repeat) => vec![&repeat.init, &repeat.body],
        ItemKind::Switch(switch) => switch.cases.iter().map(|case| &*case.body).collect(),
        ItemKind::Block(items) => vec![items],
        ItemKind::Conditional(conditional) => conditional
            .branches
            .iter()
            .map(|branch| &*branch.items)
            .collect(),
        _ => Vec::new(),
    }
}

/// Calls `visit` with every expression of `items` and of what is inside them, outer ones first.
pub(crate) fn expressions<'u>(items: &'u [Item], visit: &mut dyn FnMut(&'u Expr)) {
    self::items(items, &mut |item| {
        for expr in own_expressions(item) {
            subexpressions(expr, visit);
        }
    });
}

/// Calls `visit` with every expression that stands in an item, but not in the items inside it.
pub(crate) fn own_subexpressions<'u>(item: &'u Item, visit: &mut dyn FnMut(&'u Expr)) {
    for expr in own_expressions(item) {
        subexpressions(expr, visit);
    }
}

/// The expressions that stand directly in an item.
fn own_expressions(item: &Item) -> Vec<&Expr> {
    match &item.kind {
        ItemKind::Binding(binding) => binding.ty.iter().chain(&binding.init).collect(),
        ItemKind::StructuredBinding(binding) => binding.init.iter().collect(),
        ItemKind::If(branch) => branch.condition.iter().collect(),
        ItemKind::Loop(repeat) => repeat.condition.iter().chain(&repeat.step).collect(),
        ItemKind::Switch(switch) => switch
            .condition
            .iter()
            .chain(switch.cases.iter().filter_map(|case| case.value.as_ref()))
            .collect(),
        ItemKind::Return(value) => value.iter().collect(),
        ItemKind::Expr(expr) => vec![expr],
        ItemKind::StaticAssert(assert) => vec![&assert.condition],
        ItemKind::Conditional(conditional) => conditional
            .branches
            .iter()
            .filter_map(|branch| match &branch.condition {
                Condition::If(expr) => Some(expr),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Calls `visit` with `expr` and every expression inside it, lambda bodies included.
pub(crate) fn subexpressions<'u>(expr: &'u Expr, visit: &mut dyn FnMut(&'u Expr)) {
    visit(expr);
    for child in children(expr) {
        subexpressions(child, visit);
    }
    if let ExprKind::Lambda(lambda) = &expr.kind {
        expressions(&lambda.body, visit);
    }
}

/// The expressions directly inside an expression.
pub(crate) fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Name(path) => path
            .segments
            .iter()
            .flat_map(|segment| segment.args.iter().flatten())
            .collect(),
        ExprKind::UserLiteral(inner, _)
        | ExprKind::Decltype(inner)
        | ExprKind::Pointer(inner)
        | ExprKind::Reference(inner, _)
        | ExprKind::Const(inner)
        | ExprKind::Designated(_, inner)
        | ExprKind::Unary(_, inner)
        | ExprKind::Sizeof(inner)
        | ExprKind::Alignof(inner)
        | ExprKind::Offsetof(inner, _)
        | ExprKind::Expand(inner)
        | ExprKind::Basis(inner, _) => vec![inner],
        ExprKind::Array(inner, size) => {
            let mut all: Vec<&Expr> = vec![inner];
            all.extend(size.as_deref());
            all
        }
        ExprKind::FunctionType(inner, args)
        | ExprKind::Call(inner, args)
        | ExprKind::Construct {
            ty: inner, args, ..
        }
        | ExprKind::Index(inner, args) => std::iter::once(&**inner).chain(args).collect(),
        ExprKind::Launch {
            callee,
            config,
            args,
        } => std::iter::once(&**callee)
            .chain(config)
            .chain(args)
            .collect(),
        ExprKind::Braced(args)
        | ExprKind::Tuple(args)
        | ExprKind::Composition(args)
        | ExprKind::Tiler(args) => args.iter().collect(),
        ExprKind::Member { object, member, .. } => std::iter::once(&**object)
            .chain(member.args.iter().flatten())
            .collect(),
        ExprKind::Binary(_, left, right)
        | ExprKind::Cast(_, left, right)
        | ExprKind::Layout(left, right)
        | ExprKind::Divide(left, right)
        | ExprKind::Product(left, right) => vec![left, right],
        ExprKind::Macro(call) => call.args.iter().flatten().collect(),
        ExprKind::Assign(assignment) => vec![&assignment.target, &assignment.value],
        ExprKind::Ternary(condition, then, otherwise) => vec![condition, then, otherwise],
        ExprKind::Lambda(lambda) => lambda
            .captures
            .iter()
            .filter_map(|(_, init)| init.as_ref())
            .collect(),
        ExprKind::Fold(_, left, right) => left
            .as_deref()
            .into_iter()
            .chain(right.as_deref())
            .collect(),
        _ => Vec::new(),
    }
}
