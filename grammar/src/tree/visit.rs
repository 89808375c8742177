//! Walking over a tree.

use super::{
    Binding, Branch, Condition, Expr, ExprKind, Function, Ident, If, Item, ItemKind, Lambda, Path,
    Qualifier, Record, Requirement, Requires, TemplateParam, TemplateParamKind, Unit, UsingKind,
};

/// The actions at each part of a tree. Every method's default goes on to the parts inside; a method that is written
/// anew decides by calling the function of the same name here, or not.
pub trait Visitor {
    /// At a declaration or statement.
    fn item(&mut self, item: &Item) {
        walk_item(self, item);
    }

    /// At an expression or type.
    fn expr(&mut self, expr: &Expr) {
        walk_expr(self, expr);
    }

    /// At a name, introduced or used.
    fn ident(&mut self, _ident: &Ident) {}
}

/// Visits all items of a source.
///
/// ```
/// # use tree_sitter_cute::{Budget, Host, Syntax, tree::{Ident, Visitor, walk_unit}};
/// struct Names(Vec<String>);
/// impl Visitor for Names {
///     fn ident(&mut self, ident: &Ident) {
///         self.0.push(ident.name.clone());
///     }
/// }
/// let text = "auto sA = make_layout(bM);";
/// let unit = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap().lower(text);
/// let mut names = Names(Vec::new());
/// walk_unit(&mut names, &unit);
/// assert_eq!(names.0, ["sA", "make_layout", "bM"]);
/// ```
pub fn walk_unit(visitor: &mut (impl Visitor + ?Sized), unit: &Unit) {
    items(visitor, &unit.items);
}

/// Visits the parts of an item.
pub fn walk_item(visitor: &mut (impl Visitor + ?Sized), item: &Item) {
    match &item.kind {
        ItemKind::Binding(inner) => binding(visitor, inner),
        ItemKind::StructuredBinding(inner) => {
            inner.names.iter().for_each(|name| visitor.ident(name));
            inner.members.iter().for_each(|name| visitor.ident(name));
            option(visitor, inner.init.as_ref());
        }
        ItemKind::Function(inner) => function(visitor, inner),
        ItemKind::Record(inner) => record(visitor, inner),
        ItemKind::Enum(inner) => {
            inner.name.iter().for_each(|name| visitor.ident(name));
            option(visitor, inner.base.as_ref());
            for enumerator in &inner.enumerators {
                visitor.ident(&enumerator.name);
                option(visitor, enumerator.value.as_ref());
            }
        }
        ItemKind::Namespace(inner) => {
            inner.names.iter().for_each(|name| visitor.ident(name));
            items(visitor, &inner.items);
        }
        ItemKind::Using(inner) => {
            if let UsingKind::NamespaceAlias(name) | UsingKind::Renamed(name) = &inner.kind {
                visitor.ident(name);
            }
            visitor.expr(&inner.path);
        }
        ItemKind::Impl(inner) => {
            tparams(visitor, &inner.tparams);
            option(visitor, inner.of.as_ref());
            visitor.expr(&inner.target);
            items(visitor, &inner.items);
        }
        ItemKind::ModuleFile(inner) => visitor.ident(&inner.name),
        ItemKind::Instantiation(inner) => {
            visitor.expr(&inner.target);
            exprs(visitor, inner.params.as_deref().unwrap_or_default());
        }
        ItemKind::If(inner) => condition(visitor, inner),
        ItemKind::Loop(inner) => {
            items(visitor, &inner.init);
            option(visitor, inner.condition.as_ref());
            option(visitor, inner.step.as_ref());
            items(visitor, &inner.body);
        }
        ItemKind::Switch(inner) => {
            option(visitor, inner.condition.as_ref());
            items(visitor, &inner.before);
            for case in &inner.cases {
                option(visitor, case.value.as_ref());
                items(visitor, &case.body);
            }
        }
        ItemKind::Block(inner) => items(visitor, inner),
        ItemKind::Given(inner) => {
            visitor.ident(&inner.name);
            items(visitor, &inner.body);
        }
        ItemKind::Return(value) => option(visitor, value.as_ref()),
        ItemKind::Expr(inner) => visitor.expr(inner),
        ItemKind::StaticAssert(inner) => {
            visitor.expr(&inner.condition);
            option(visitor, inner.message.as_ref());
        }
        ItemKind::Include(inner) => visitor.ident(&inner.path),
        ItemKind::Define(inner) => {
            visitor.ident(&inner.name);
            inner
                .params
                .iter()
                .flatten()
                .for_each(|name| visitor.ident(name));
            option(visitor, inner.value.as_ref());
        }
        ItemKind::Undef(name) => visitor.ident(name),
        ItemKind::Conditional(inner) => inner.branches.iter().for_each(|b| branch(visitor, b)),
        ItemKind::Jump(_) | ItemKind::ErrorDirective | ItemKind::Opaque(_) => {}
    }
}

/// Visits the parts of an expression.
pub fn walk_expr(visitor: &mut (impl Visitor + ?Sized), expr: &Expr) {
    match &expr.kind {
        ExprKind::Name(inner) => path(visitor, inner),
        ExprKind::UserLiteral(inner, _)
        | ExprKind::Decltype(inner)
        | ExprKind::Pointer(inner)
        | ExprKind::Reference(inner, _)
        | ExprKind::Const(inner)
        | ExprKind::Array(inner, None)
        | ExprKind::Unary(_, inner)
        | ExprKind::Sizeof(inner)
        | ExprKind::Alignof(inner)
        | ExprKind::Expand(inner)
        | ExprKind::Basis(inner, _) => visitor.expr(inner),
        ExprKind::Offsetof(ty, member) => {
            visitor.expr(ty);
            visitor.ident(member);
        }
        ExprKind::Array(left, Some(right))
        | ExprKind::Binary(_, left, right)
        | ExprKind::Cast(_, left, right)
        | ExprKind::Layout(left, right)
        | ExprKind::Divide(left, right)
        | ExprKind::Product(left, right) => {
            visitor.expr(left);
            visitor.expr(right);
        }
        ExprKind::FunctionType(first, rest)
        | ExprKind::Call(first, rest)
        | ExprKind::Construct {
            ty: first,
            args: rest,
            ..
        }
        | ExprKind::Index(first, rest) => {
            visitor.expr(first);
            exprs(visitor, rest);
        }
        ExprKind::Launch {
            callee,
            config,
            args,
        } => {
            visitor.expr(callee);
            exprs(visitor, config);
            exprs(visitor, args);
        }
        ExprKind::Braced(inner)
        | ExprKind::Tuple(inner)
        | ExprKind::Composition(inner)
        | ExprKind::Tiler(inner) => exprs(visitor, inner),
        ExprKind::Designated(name, value) => {
            visitor.ident(name);
            visitor.expr(value);
        }
        ExprKind::Member { object, member, .. } => {
            visitor.expr(object);
            visitor.ident(&member.name);
            exprs(visitor, member.args.as_deref().unwrap_or_default());
        }
        ExprKind::Macro(inner) => {
            path(visitor, &inner.path);
            exprs(visitor, inner.args.as_deref().unwrap_or_default());
        }
        ExprKind::Assign(inner) => {
            visitor.expr(&inner.target);
            visitor.expr(&inner.value);
        }
        ExprKind::Ternary(first, second, third) => {
            for part in [first, second, third] {
                visitor.expr(part);
            }
        }
        ExprKind::SizeofPack(name) => visitor.ident(name),
        ExprKind::Lambda(inner) => lambda(visitor, inner),
        ExprKind::Requires(inner) => requires(visitor, inner),
        ExprKind::Fold(_, left, right) => {
            option(visitor, left.as_deref());
            option(visitor, right.as_deref());
        }
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Char(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Null
        | ExprKind::Auto
        | ExprKind::Static(_)
        | ExprKind::Rational(_)
        | ExprKind::Xor(_)
        | ExprKind::Unknown(_)
        | ExprKind::Underscore
        | ExprKind::Swizzle(..)
        | ExprKind::Engine(_)
        | ExprKind::Attribute(_)
        | ExprKind::Opaque(_) => {}
    }
}

fn items(visitor: &mut (impl Visitor + ?Sized), items: &[Item]) {
    for item in items {
        visitor.item(item);
    }
}

fn exprs(visitor: &mut (impl Visitor + ?Sized), exprs: &[Expr]) {
    for expr in exprs {
        visitor.expr(expr);
    }
}

fn option(visitor: &mut (impl Visitor + ?Sized), expr: Option<&Expr>) {
    if let Some(expr) = expr {
        visitor.expr(expr);
    }
}

fn path(visitor: &mut (impl Visitor + ?Sized), path: &Path) {
    if let Qualifier::Type(ty) = &path.qualifier {
        visitor.expr(ty);
    }
    for segment in &path.segments {
        visitor.ident(&segment.name);
        exprs(visitor, segment.args.as_deref().unwrap_or_default());
    }
}

fn tparams(visitor: &mut (impl Visitor + ?Sized), tparams: &[TemplateParam]) {
    for param in tparams {
        if let TemplateParamKind::Value(ty) = &param.kind {
            visitor.expr(ty);
        }
        param.name.iter().for_each(|name| visitor.ident(name));
        option(visitor, param.default.as_ref());
    }
}

fn binding(visitor: &mut (impl Visitor + ?Sized), binding: &Binding) {
    tparams(visitor, &binding.tparams);
    exprs(visitor, &binding.alignas);
    option(visitor, binding.ty.as_ref());
    binding.scope.iter().for_each(|scope| path(visitor, scope));
    binding.name.iter().for_each(|name| visitor.ident(name));
    exprs(visitor, binding.special_args.as_deref().unwrap_or_default());
    option(visitor, binding.bits.as_ref());
    match binding.init.as_ref().map(|init| &init.kind) {
        // `T x(a)` has its type once in the source and was visited with the binding.
        Some(ExprKind::Construct { ty, args, .. }) if binding.ty.as_ref() == Some(&**ty) => {
            exprs(visitor, args);
        }
        _ => option(visitor, binding.init.as_ref()),
    }
}

fn function(visitor: &mut (impl Visitor + ?Sized), function: &Function) {
    exprs(visitor, &function.decorators);
    tparams(visitor, &function.tparams);
    option(visitor, function.ret.as_ref());
    function.scope.iter().for_each(|scope| path(visitor, scope));
    visitor.ident(&function.name);
    exprs(
        visitor,
        function.special_args.as_deref().unwrap_or_default(),
    );
    function
        .params
        .iter()
        .for_each(|param| binding(visitor, param));
    option(visitor, function.requires.as_ref());
    for init in &function.member_inits {
        visitor.expr(&init.target);
        exprs(visitor, &init.args);
    }
    items(visitor, function.body.as_deref().unwrap_or_default());
}

fn record(visitor: &mut (impl Visitor + ?Sized), record: &Record) {
    tparams(visitor, &record.tparams);
    exprs(visitor, &record.alignas);
    record.scope.iter().for_each(|scope| path(visitor, scope));
    record.name.iter().for_each(|name| visitor.ident(name));
    exprs(visitor, record.special_args.as_deref().unwrap_or_default());
    option(visitor, record.requires.as_ref());
    exprs(visitor, &record.bases);
    items(visitor, record.members.as_deref().unwrap_or_default());
}

fn requires(visitor: &mut (impl Visitor + ?Sized), requires: &Requires) {
    requires
        .params
        .iter()
        .for_each(|param| binding(visitor, param));
    for requirement in &requires.requirements {
        match requirement {
            Requirement::Type(expr) | Requirement::Holds(expr) => visitor.expr(expr),
            Requirement::Valid(expr, constraint) => {
                visitor.expr(expr);
                option(visitor, constraint.as_ref());
            }
        }
    }
}

fn lambda(visitor: &mut (impl Visitor + ?Sized), lambda: &Lambda) {
    for capture in &lambda.captures {
        visitor.ident(&capture.name);
        option(visitor, capture.init.as_ref());
    }
    tparams(visitor, &lambda.tparams);
    lambda
        .params
        .iter()
        .for_each(|param| binding(visitor, param));
    option(visitor, lambda.ret.as_ref());
    items(visitor, &lambda.body);
}

fn condition(visitor: &mut (impl Visitor + ?Sized), branch: &If) {
    items(visitor, &branch.init);
    option(visitor, branch.condition.as_ref());
    items(visitor, &branch.then);
    items(visitor, branch.otherwise.as_deref().unwrap_or_default());
}

fn branch(visitor: &mut (impl Visitor + ?Sized), branch: &Branch) {
    match &branch.condition {
        Condition::If(condition) => visitor.expr(condition),
        Condition::Defined(name) | Condition::NotDefined(name) => visitor.ident(name),
        Condition::Else => {}
    }
    items(visitor, &branch.items);
}
