//! Going through a tree without evaluating it.

use tree_sitter_cute::tree::{Condition, Expr, ExprKind, Item, ItemKind, Requirement, UnaryOp};

/// Calls `visit` with every item below `items`, outer ones first, in source order.
pub(crate) fn items<'u>(items: &'u [Item], visit: &mut dyn FnMut(&'u Item)) {
    for item in items {
        visit(item);
        inner_items(item, &mut |inner| self::items(inner, visit));
    }
}

/// Calls `visit` with the lists of statements or members directly inside an item.
pub(crate) fn inner_items<'u>(item: &'u Item, visit: &mut dyn FnMut(&'u [Item])) {
    match &item.kind {
        ItemKind::Function(function) => function.body.as_deref().into_iter().for_each(visit),
        ItemKind::Record(record) => record.members.as_deref().into_iter().for_each(visit),
        ItemKind::Namespace(namespace) => visit(&namespace.items),
        ItemKind::Impl(apart) => visit(&apart.items),
        ItemKind::If(branch) => {
            visit(&branch.init);
            visit(&branch.then);
            branch.otherwise.as_deref().into_iter().for_each(visit);
        }
        ItemKind::Loop(repeat) => {
            visit(&repeat.init);
            visit(&repeat.body);
        }
        ItemKind::Switch(switch) => {
            visit(&switch.before);
            switch.cases.iter().for_each(|case| visit(&case.body));
        }
        ItemKind::Block(items) => visit(items),
        ItemKind::Given(given) => visit(&given.body),
        ItemKind::Conditional(conditional) => {
            let branches = conditional.branches.iter();
            branches.for_each(|branch| visit(&branch.items));
        }
        _ => {}
    }
}

/// Calls `visit` with every expression of `items` and of the items inside them, outer ones first.
pub(crate) fn expressions<'u>(items: &'u [Item], visit: &mut dyn FnMut(&'u Expr)) {
    self::items(items, &mut |item| own_subexpressions(item, visit));
}

/// Calls `visit` with every expression in an item, but not in the items inside it.
pub(crate) fn own_subexpressions<'u>(item: &'u Item, visit: &mut dyn FnMut(&'u Expr)) {
    own_expressions(item, &mut |expr| subexpressions(expr, visit));
}

/// Calls `visit` with the expressions directly in an item.
fn own_expressions<'u>(item: &'u Item, visit: &mut dyn FnMut(&'u Expr)) {
    match &item.kind {
        ItemKind::Binding(binding) => binding.ty.iter().chain(&binding.init).for_each(visit),
        ItemKind::StructuredBinding(binding) => binding.init.iter().for_each(visit),
        ItemKind::If(branch) => branch.condition.iter().for_each(visit),
        ItemKind::Loop(repeat) => repeat.condition.iter().chain(&repeat.step).for_each(visit),
        ItemKind::Switch(switch) => {
            let values = switch.cases.iter().filter_map(|case| case.value.as_ref());
            switch.condition.iter().chain(values).for_each(visit);
        }
        ItemKind::Return(value) => value.iter().for_each(visit),
        ItemKind::Expr(expr) => visit(expr),
        ItemKind::StaticAssert(assert) => visit(&assert.condition),
        ItemKind::Conditional(conditional) => {
            for branch in &conditional.branches {
                if let Condition::If(expr) = &branch.condition {
                    visit(expr);
                }
            }
        }
        _ => {}
    }
}

/// Calls `visit` with `expr` and every expression inside it, lambda bodies included.
pub(crate) fn subexpressions<'u>(expr: &'u Expr, visit: &mut dyn FnMut(&'u Expr)) {
    visit(expr);
    children(expr, &mut |child| subexpressions(child, visit));
    if let ExprKind::Lambda(lambda) = &expr.kind {
        expressions(&lambda.body, visit);
    }
}

/// Calls `visit` with the expressions directly inside an expression.
pub(crate) fn children<'u>(expr: &'u Expr, visit: &mut dyn FnMut(&'u Expr)) {
    match &expr.kind {
        ExprKind::Name(path) => {
            let segments = path.segments.iter();
            let args = segments.flat_map(|segment| segment.args.iter().flatten());
            args.for_each(visit);
        }
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
        | ExprKind::Basis(inner, _) => visit(inner),
        ExprKind::Array(inner, size) => {
            visit(inner);
            size.as_deref().into_iter().for_each(visit);
        }
        ExprKind::FunctionType(inner, args)
        | ExprKind::Call(inner, args)
        | ExprKind::Construct {
            ty: inner, args, ..
        }
        | ExprKind::Index(inner, args) => {
            visit(inner);
            args.iter().for_each(visit);
        }
        ExprKind::Launch {
            callee,
            config,
            args,
        } => {
            visit(callee);
            config.iter().chain(args).for_each(visit);
        }
        ExprKind::Braced(args)
        | ExprKind::Tuple(args)
        | ExprKind::Composition(args)
        | ExprKind::Tiler(args) => args.iter().for_each(visit),
        ExprKind::Member { object, member, .. } => {
            visit(object);
            member.args.iter().flatten().for_each(visit);
        }
        ExprKind::Binary(_, left, right)
        | ExprKind::Cast(_, left, right)
        | ExprKind::Layout(left, right)
        | ExprKind::Divide(left, right)
        | ExprKind::Product(left, right) => {
            visit(left);
            visit(right);
        }
        ExprKind::Macro(call) => call.args.iter().flatten().for_each(visit),
        ExprKind::Assign(assignment) => {
            visit(&assignment.target);
            visit(&assignment.value);
        }
        ExprKind::Ternary(condition, then, otherwise) => {
            visit(condition);
            visit(then);
            visit(otherwise);
        }
        ExprKind::Lambda(lambda) => {
            let captures = lambda.captures.iter();
            captures
                .filter_map(|capture| capture.init.as_ref())
                .for_each(visit);
        }
        ExprKind::Requires(requires) => {
            for param in &requires.params {
                param.ty.iter().for_each(&mut *visit);
            }
            for requirement in &requires.requirements {
                match requirement {
                    Requirement::Type(expr) | Requirement::Holds(expr) => visit(expr),
                    Requirement::Valid(expr, constraint) => {
                        visit(expr);
                        constraint.iter().for_each(&mut *visit);
                    }
                }
            }
        }
        ExprKind::Fold(_, left, right) => {
            let both = left.as_deref().into_iter().chain(right.as_deref());
            both.for_each(visit);
        }
        _ => {}
    }
}

/// Whether a type is written as a pointer, which may be `const` itself.
pub(crate) fn is_pointer_type(ty: &Expr) -> bool {
    match &ty.kind {
        ExprKind::Const(inner) => matches!(inner.kind, ExprKind::Pointer(_)),
        kind => matches!(kind, ExprKind::Pointer(_)),
    }
}

/// The variable that an operand of assembly writes. The tree has an output as its address, at the place of the variable: an
/// input that is an address begins with its `&`.
pub(crate) fn written_by_assembly(operand: &Expr) -> Option<&Expr> {
    match &operand.kind {
        ExprKind::Unary(UnaryOp::AddressOf, inner) if operand.span == inner.span => Some(inner),
        _ => None,
    }
}

/// `asm("..." : ..)`, which the tree has as a call.
pub(crate) fn is_assembly(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(callee, _) => callee.as_plain_name() == Some("asm"),
        _ => false,
    }
}
