//! Variables that may change after their declaration, and the places of the changes.
//!
//! The answers err on the side of "may change": a run-time integer becomes the symbol of its name
//! then, and a value that is fixed by its type cannot change.

use tree_sitter_cute::tree::{
    BinaryOp, Binding, Expr, ExprKind, Ident, Item, ItemKind, Jump, Lambda, Loop, LoopKind, Path,
    Reference, Segment, Span, UnaryOp,
};

use crate::hash::HashSet;
use crate::vocabulary;
use crate::walk;

/// Names that change in ways that cannot be followed.
#[derive(Debug, Default)]
pub(super) struct Untraceable<'u> {
    /// They are symbols from their declaration on.
    pub(super) changed: HashSet<&'u str>,
    /// Something in the function changes them, or may.
    pub(super) assigned: HashSet<&'u str>,
    /// Whether the function calls others, which may change objects outside of it.
    pub(super) calls: bool,
    /// Something keeps a reference to them that is not followed: each reader may see another value.
    pub(super) escaped: HashSet<&'u str>,
}

/// The ways in which an expression may change something.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change<'u> {
    /// It is assigned to, or its address is taken.
    Target(&'u Expr),
    /// It is an argument of a call.
    Argument {
        callee: &'u Expr,
        args: &'u [Expr],
        argument: &'u Expr,
    },
    /// A method of it is called: which, and with how many arguments.
    Receiver {
        object: &'u Expr,
        method: &'u Segment,
        count: usize,
    },
    /// It is called.
    Called(&'u Expr),
}

impl<'u> Change<'u> {
    /// The changed expression, if there is one.
    pub(super) fn target(self) -> &'u Expr {
        match self {
            Self::Target(target)
            | Self::Argument {
                argument: target, ..
            }
            | Self::Receiver { object: target, .. }
            | Self::Called(target) => target,
        }
    }
}

/// The names that change in ways that cannot be followed: through their address, a reference, a
/// lambda, or code that was not understood. `alone` says of a function of the sources whether it takes its arguments
/// by value or as constants.
pub(super) fn untraceable_names<'u>(
    items: &'u [Item],
    text_of: &dyn Fn(Span) -> &'u str,
    alone: &dyn Fn(&str) -> bool,
) -> Untraceable<'u> {
    let mut names = Untraceable::default();
    let mut references: Vec<Kept<'u>> = Vec::new();
    let mut jumps = false;
    walk::items(items, &mut |item| match &item.kind {
        // An iterator gives access to the elements of its container.
        ItemKind::Binding(binding) if binding.init.as_ref().is_some_and(gives_access) => {
            if let (Some(name), Some(init)) = (&binding.name, &binding.init) {
                references.push(Kept {
                    names: std::slice::from_ref(name),
                    init,
                    constant: false,
                });
            }
        }
        ItemKind::Binding(binding) if binding.reference != Reference::None => {
            if let (Some(name), Some(init)) = (&binding.name, &binding.init) {
                references.push(Kept {
                    names: std::slice::from_ref(name),
                    init,
                    constant: binding.specifiers.constant,
                });
            }
        }
        ItemKind::StructuredBinding(binding) if binding.reference != Reference::None => {
            if let Some(init) = &binding.init {
                references.push(Kept {
                    names: &binding.names,
                    init,
                    constant: binding.specifiers.constant,
                });
            }
        }
        ItemKind::Binding(binding) => names.calls |= makes_object(binding),
        ItemKind::Opaque(_) => names.changed.extend(identifiers(text_of(item.span))),
        ItemKind::Jump(Jump::Goto) => jumps = true,
        _ => {}
    });
    names.refer(&references, items, alone);
    walk::expressions(items, &mut |expr| match &expr.kind {
        ExprKind::Unary(UnaryOp::AddressOf, operand) => {
            roots(operand, &mut |name| {
                names.changed.insert(name);
            });
        }
        ExprKind::Lambda(lambda) => {
            names
                .changed
                .extend(changed_names(&lambda.body, &mut |change| {
                    may_change(change, &|_| false)
                }));
        }
        ExprKind::Opaque(_) => names.changed.extend(identifiers(text_of(expr.span))),
        ExprKind::Construct { ty, args, .. } => {
            names.calls |= !leaves_arguments_alone(ty, args, &|_| false);
        }
        _ => {}
    });
    names.assigned = changed_names(items, &mut |change| match change {
        Change::Target(_) => true,
        Change::Argument { callee, args, .. } => !leaves_arguments_alone(callee, args, alone),
        Change::Receiver { method, count, .. } => {
            let is_other = !is_method_of_cute(&method.name.name, count);
            names.calls |= is_other;
            is_other
        }
        Change::Called(callee) => {
            names.calls |= !leaves_arguments_alone(callee, &[], &|_| false);
            false
        }
    });
    if jumps {
        let all = changed_names(items, &mut |change| may_change(change, &|_| false));
        names.changed.extend(all);
    }
    names
}

/// Whether an initialiser is an iterator of a container. (`data` is that of tensors too, whose layouts it leaves alone.)
fn gives_access(init: &Expr) -> bool {
    let ExprKind::Call(callee, _) = &init.kind else {
        return iterated(init).is_some();
    };
    let given = match &callee.kind {
        ExprKind::Member { member, .. } => Some(&member.name),
        _ => callee.as_path().and_then(Path::last).map(|last| &last.name),
    };
    let is_iterator = |name: &str| name != "data" && ITERATORS.contains(&name);
    iterated(init).is_some() && given.is_some_and(|given| is_iterator(&given.name))
}

/// Whether a declaration without an initialiser makes an object of a class of the sources, whose constructor and
/// destructor are functions.
fn makes_object(binding: &Binding) -> bool {
    let is_variable = binding.role == tree_sitter_cute::tree::Role::Var && binding.init.is_none();
    let mut ty = binding.ty.as_ref();
    while let Some(ExprKind::Array(element, _)) = ty.map(|ty| &ty.kind) {
        ty = Some(element);
    }
    let path = ty.and_then(Expr::as_path).filter(|_| is_variable);
    path.and_then(Path::last)
        .is_some_and(|last| !vocabulary::is_type_name(&last.name.name))
}

/// References that a declaration keeps.
struct Kept<'u> {
    names: &'u [Ident],
    init: &'u Expr,
    constant: bool,
}

impl<'u> Untraceable<'u> {
    /// Notes which variables references are kept to. Where neither the reference nor its possible referent changes, it
    /// does not matter.
    fn refer(&mut self, references: &[Kept<'u>], items: &'u [Item], alone: &dyn Fn(&str) -> bool) {
        if references.is_empty() {
            return;
        }
        let changed = changed_names(items, &mut |change| match change {
            Change::Target(_) | Change::Called(_) => true,
            Change::Argument { callee, args, .. } => !leaves_arguments_alone(callee, args, alone),
            Change::Receiver { method, count, .. } => !is_method_of_cute(&method.name.name, count),
        });
        for kept in references {
            let init = kept.init;
            let mut behind: HashSet<&'u str> = HashSet::default();
            roots(init, &mut |name| {
                behind.insert(name);
            });
            // `int& r = id(g);` may be a reference to g.
            if let ExprKind::Call(callee, args) = &init.kind
                && !leaves_arguments_alone(callee, args, alone)
            {
                for arg in args {
                    roots(arg, &mut |name| {
                        behind.insert(name);
                    });
                }
            }
            let mut names = kept.names.iter().map(|name| name.name.as_str());
            let is_written = !kept.constant && names.clone().any(|name| changed.contains(name));
            if !is_written && behind.is_disjoint(&changed) {
                continue;
            }
            let all: HashSet<&'u str> = names.by_ref().chain(behind).collect();
            self.changed.extend(&all);
            if !is_path(init) {
                self.escaped.extend(all);
            }
        }
    }
}

/// Whether an expression is a variable or a part of one whose place is written out.
fn is_path(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Member { object, arrow, .. } => {
            is_path(object) && (!arrow || object.as_plain_name() == Some("this"))
        }
        ExprKind::Index(object, _) => is_path(object),
        _ => false,
    }
}

/// The names that statements may change, where `decide` tells whether a possible change is one.
pub(super) fn changed_names<'u>(
    items: &'u [Item],
    decide: &mut dyn FnMut(Change<'u>) -> bool,
) -> HashSet<&'u str> {
    let mut names = HashSet::default();
    changes(items, &mut |change| {
        if decide(change) {
            roots(change.target(), &mut |name| {
                names.insert(name);
            });
        }
    });
    names
}

/// Calls `found` with the possible changes of statements.
pub(super) fn changes<'u>(items: &'u [Item], found: &mut dyn FnMut(Change<'u>)) {
    walk::items(items, &mut |item| {
        if let ItemKind::Loop(repeat) = &item.kind
            && let Some(range) = changed_range(repeat)
        {
            found(Change::Target(range));
        }
    });
    walk::expressions(items, &mut |expr| changes_by(expr, found));
}

/// The range of `for (auto& x : range)`, whose elements may change.
pub(super) fn changed_range(repeat: &Loop) -> Option<&Expr> {
    let refers = |reference, constant: bool| {
        matches!(reference, Reference::Lvalue | Reference::Rvalue) && !constant
    };
    let by_reference = repeat.init.iter().any(|init| match &init.kind {
        ItemKind::Binding(it) => refers(it.reference, it.specifiers.constant),
        ItemKind::StructuredBinding(it) => refers(it.reference, it.specifiers.constant),
        _ => false,
    });
    let range = repeat.condition.as_ref();
    range.filter(|_| repeat.kind == LoopKind::Range && by_reference)
}

/// The same for an expression and its parts.
pub(super) fn changes_in<'u>(expr: &'u Expr, found: &mut dyn FnMut(Change<'u>)) {
    walk::subexpressions(expr, &mut |part| changes_by(part, found));
}

/// Calls `found` with the possible changes of an expression itself, without its parts.
fn changes_by<'u>(expr: &'u Expr, found: &mut dyn FnMut(Change<'u>)) {
    match &expr.kind {
        ExprKind::Assign(assignment) => found(Change::Target(&assignment.target)),
        ExprKind::Unary(op, operand) if op.may_change() => found(Change::Target(operand)),
        // `std::cin >> m`
        ExprKind::Binary(BinaryOp::Shr, _, right) => found(Change::Target(right)),
        ExprKind::Call(callee, args) => {
            match &callee.kind {
                ExprKind::Member { object, member, .. } => found(Change::Receiver {
                    object,
                    method: member,
                    count: args.len(),
                }),
                ExprKind::Name(_) => found(Change::Called(callee)),
                _ => {}
            }
            arguments(callee, args, found);
        }
        ExprKind::Construct { ty, args, .. } => arguments(ty, args, found),
        _ => {}
    }
}

fn arguments<'u>(callee: &'u Expr, args: &'u [Expr], found: &mut dyn FnMut(Change<'u>)) {
    let is_variable = |argument: &&Expr| match &argument.kind {
        ExprKind::Unary(UnaryOp::Deref, inner) => is_path(inner),
        ExprKind::Lambda(_) => true,
        _ => is_path(argument),
    };
    let handed = args.iter().map(|arg| iterated(arg).unwrap_or(arg));
    for argument in handed.filter(is_variable) {
        found(Change::Argument {
            callee,
            args,
            argument,
        });
    }
}

/// Methods of containers through whose results their elements change.
const ITERATORS: &[&str] = &["begin", "end", "rbegin", "rend", "data"];

/// Methods of containers that give an element itself.
const ELEMENTS: &[&str] = &["front", "back"];

/// Algorithms of the standard library that read what iterators give access to.
const READERS: &[&str] = &[
    "accumulate",
    "adjacent_find",
    "all_of",
    "any_of",
    "binary_search",
    "count",
    "count_if",
    "distance",
    "equal",
    "find",
    "find_if",
    "inner_product",
    "is_sorted",
    "lower_bound",
    "max_element",
    "min_element",
    "minmax_element",
    "next",
    "none_of",
    "prev",
    "reduce",
    "upper_bound",
];

/// Algorithms of the standard library that write to arrays, with the names of functions of CuTe that do not.
const WRITERS: &[&str] = &["copy", "copy_if", "fill", "reverse", "transform"];

/// Whether a callee is an algorithm that only reads.
pub(super) fn only_reads(callee: &Expr) -> bool {
    let name = callee.as_path().and_then(name_in_std);
    name.is_some_and(|name| READERS.contains(&name))
}

/// The name of a function of the standard library that a path writes out.
fn name_in_std(path: &Path) -> Option<&str> {
    match path.segments.as_slice() {
        [first, .., last] if first.name.name == "std" => Some(&last.name.name),
        _ => None,
    }
}

/// The container whose elements an argument gives access to: `a.begin() + 1`, `std::begin(a)`.
pub(super) fn iterated(argument: &Expr) -> Option<&Expr> {
    let is_iterator = |name: &str| ITERATORS.contains(&name);
    match &argument.kind {
        ExprKind::Call(callee, args) => match (&callee.kind, args.as_slice()) {
            (ExprKind::Member { object, member, .. }, []) => {
                let name = member.name.name.as_str();
                (is_iterator(name) || ELEMENTS.contains(&name)).then_some(&**object)
            }
            (ExprKind::Name(path), [only]) => {
                let last = path.last()?;
                is_iterator(&last.name.name).then_some(only)
            }
            _ => None,
        },
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, _) => iterated(left),
        _ => None,
    }
}

/// Whether something changes, while the meanings of the names are unknown. `alone` says of a function of the sources
/// whether it takes its arguments by value or as constants.
pub(super) fn may_change(change: Change<'_>, alone: &dyn Fn(&str) -> bool) -> bool {
    match change {
        Change::Target(_) => true,
        Change::Argument {
            callee,
            args,
            argument,
        } => argument.as_plain_name().is_some() && !leaves_arguments_alone(callee, args, alone),
        // That is decided again where it is called.
        Change::Receiver { .. } | Change::Called(_) => false,
    }
}

/// Classes of libraries without constructors: their members are copies of the arguments.
const AGGREGATES: &[&str] = &["ClusterLaunchParams"];

/// Whether a function of the standard library, or of `cute/util/type_traits.hpp`, only gives its argument:
/// `std::forward<T>(x)`, `cute::move(x)`.
pub(super) fn passes_on(path: &Path) -> bool {
    matches!(path.segments.as_slice(), [.., scope, function]
        if matches!(scope.name.name.as_str(), "std" | "cute")
            && matches!(function.name.name.as_str(), "as_const" | "forward" | "move"))
}

/// Whether a callee is known to take its arguments by value or as constants. `alone` says that of a function of the
/// sources. A function of CuTe's leaves them to the lambda that it is given: `for_each(shape, [](auto& n) { n = 4; })`.
pub(super) fn leaves_arguments_alone(
    callee: &Expr,
    args: &[Expr],
    alone: &dyn Fn(&str) -> bool,
) -> bool {
    let path = match &callee.kind {
        ExprKind::Name(path) => path,
        // Methods of CuTe's own objects change nothing they are given.
        ExprKind::Member { member, .. } => return is_method_of_cute(&member.name.name, args.len()),
        _ => return false,
    };
    path.last().is_some_and(|segment| {
        let name = &segment.name.name;
        if name_in_std(path).is_some_and(|name| WRITERS.contains(&name)) {
            return false;
        }
        if args.iter().any(is_writing_lambda) {
            return false;
        }
        alone(name)
            || AGGREGATES.contains(&name.as_str())
            || vocabulary::function(name).is_some()
            || vocabulary::is_type_name(name)
            || passes_on(path)
    })
}

/// Whether an expression is a lambda that changes what its parameters refer to.
fn is_writing_lambda(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Lambda(lambda) if writes_parameters(lambda))
}

/// Whether a lambda changes what its parameters refer to.
pub(super) fn writes_parameters(lambda: &Lambda) -> bool {
    let is_open =
        |param: &&Binding| param.reference != Reference::None && !param.specifiers.constant;
    let names = lambda.params.iter().filter(is_open);
    let mut names = names.filter_map(|param| param.name.as_ref()).peekable();
    if names.peek().is_none() {
        return false;
    }
    let changed = changed_names(&lambda.body, &mut |change| match change {
        Change::Target(_) => true,
        Change::Argument { callee, args, .. } => !leaves_arguments_alone(callee, args, &|_| false),
        Change::Receiver { method, count, .. } => !is_method_of_cute(&method.name.name, count),
        Change::Called(_) => false,
    });
    names.any(|name| changed.contains(name.name.as_str()))
}

/// Whether the name and the number of arguments are those of a method of CuTe's: `x.get("m", m, 1)` is not one.
pub(super) fn is_method_of_cute(name: &str, count: usize) -> bool {
    vocabulary::method(name).is_some() && (name != "get" || count == 0)
}

/// Calls `found` with the variables at the bottom of `x`, `x.y`, `x[i]`, `*x`, `x.y()`, `get<0>(x)`, `c ? x : y`; not of
/// a call of `x` itself, which for a tensor changes an element and not the layout.
pub(super) fn roots<'e>(expr: &'e Expr, found: &mut dyn FnMut(&'e str)) {
    match &expr.kind {
        // Of `space::n` the last part is the name of the variable.
        ExprKind::Name(path) => {
            if let Some(last) = path.last() {
                found(&last.name.name);
            }
        }
        ExprKind::Member { object, .. } | ExprKind::Index(object, _) => roots(object, found),
        ExprKind::Unary(
            UnaryOp::Deref | UnaryOp::AddressOf | UnaryOp::PreIncrement | UnaryOp::PreDecrement,
            inner,
        )
        | ExprKind::Cast(_, _, inner) => roots(inner, found),
        ExprKind::Ternary(_, then, otherwise) => {
            roots(then, found);
            roots(otherwise, found);
        }
        ExprKind::Binary(BinaryOp::Comma, _, right) => roots(right, found),
        ExprKind::Assign(assignment) => roots(&assignment.target, found),
        ExprKind::Call(callee, args) => match &callee.kind {
            // The result of a method may be a part of its object.
            ExprKind::Member { object, .. } => roots(object, found),
            // `get<0>(x) = 4` changes x, and `f(std::move(x))` may.
            ExprKind::Name(path)
                if passes_on(path) || path.last().is_some_and(|last| last.args.is_some()) =>
            {
                if let Some(first) = args.first() {
                    roots(first, found);
                }
            }
            _ => {}
        },
        _ => {}
    }
}

/// The identifiers in a piece of source that was not understood.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}
