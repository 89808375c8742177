//! Offsets that are computed in 32 bits and do not fit: of tensors that are larger, and of plain indices.

use cute_algebra::{Delta, Int};
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, ItemKind, Span, UnaryOp};

use super::called::{self, Called};
use super::sizes::Given;
use super::{Costs, Seen, budget, rings};
use crate::access::wraps::RULE;
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::{Space, Tensor};
use crate::value::Value;
use crate::walk;

/// The largest `int`.
const LARGEST_INT: i64 = (1 << 31) - 1;
/// The largest `unsigned`.
const LARGEST_UNSIGNED: i64 = (1 << 32) - 1;
/// The message at an operand that decides on the width.
const COMPUTED: &str = "computed in 32 bits";
/// Expressions and variables inside each other that are followed.
const DEPTH: usize = 24;

/// Looks at all tensors in global memory and at all elements of pointers.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let mut found: Vec<Finding> = Vec::new();
    let (Some(first), Some(last)) = (seen.run.body().first(), seen.run.body().last()) else {
        return;
    };
    let body = first.span.to(last.span);
    for fact in &seen.output.facts {
        if body.encloses(fact.name_span)
            && fact.instance.as_deref() == seen.run.instance.as_deref()
            && let Value::Tensor(tensor) = &*fact.value
            && tensor.engine.space == Space::Global
        {
            found.extend(of_tensor(seen, tensor, fact.name_span));
        }
    }
    if seen.run.is_kernel() {
        walk::expressions(seen.run.body(), &mut |expr| {
            if let ExprKind::Index(array, indices) = &expr.kind
                && let [index] = indices.as_slice()
                && is_pointer(seen, array)
            {
                found.extend(of_index(seen, index));
            }
        });
    }
    for finding in found {
        let is_known = |known: &Finding| {
            known.rule == RULE
                && (known.span == finding.span
                    || known.related.iter().any(|other| other.span == finding.span))
        };
        let mut known = costs.findings.iter().chain(&seen.output.findings);
        if !known.any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// The width in which C++ computes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// `int`, and types that are promoted to it.
    Signed,
    /// `unsigned`.
    Unsigned,
    /// 64 bits.
    Wide,
}

impl Width {
    /// The type of the result of an operator on two numbers.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Wide, _) | (_, Self::Wide) => Self::Wide,
            (Self::Unsigned, _) | (_, Self::Unsigned) => Self::Unsigned,
            _ => Self::Signed,
        }
    }

    fn largest(self) -> i64 {
        match self {
            Self::Signed => LARGEST_INT,
            Self::Unsigned => LARGEST_UNSIGNED,
            Self::Wide => i64::MAX,
        }
    }
}

/// The width of a type, where it is written out.
fn width_of_type(ty: &Expr) -> Option<Width> {
    match &ty.kind {
        ExprKind::Const(inner) | ExprKind::Reference(inner, _) => width_of_type(inner),
        ExprKind::Name(path) => match path.last()?.name.name.as_str() {
            "int" | "int32_t" | "short" | "int16_t" | "uint16_t" | "unsigned short" => {
                Some(Width::Signed)
            }
            "unsigned" | "unsigned int" | "uint32_t" | "uint" => Some(Width::Unsigned),
            "int64_t" | "uint64_t" | "size_t" | "ssize_t" | "ptrdiff_t" | "long long"
            | "unsigned long long" | "long long int" => Some(Width::Wide),
            _ => None,
        },
        _ => None,
    }
}

/// The width of an extent or stride, where its type is known.
fn width(seen: &Seen<'_, '_>, expr: &Expr, depth: usize) -> Option<Width> {
    let depth = depth.checked_sub(1)?;
    match &expr.kind {
        ExprKind::Int(_) => is_plain_literal(seen, expr).then_some(Width::Signed),
        ExprKind::Cast(_, ty, _) => width_of_type(ty),
        ExprKind::Construct { ty, args, .. } => {
            let name = ty.as_path().and_then(|path| path.last());
            let is_static = args.is_empty()
                && name
                    .is_some_and(|name| name.name.name == "Int" || name.name.name.starts_with('_'));
            // `Int<N>` has the type of `int` where N fits.
            if is_static {
                return Some(Width::Signed);
            }
            width_of_type(ty)
        }
        ExprKind::Name(_) => {
            let declared = seen.variable(expr)?;
            let binding = seen.declared.binding(declared)?;
            match &binding.ty.as_ref()?.kind {
                ExprKind::Auto => width(seen, seen.initialiser(declared)?, depth),
                _ => width_of_type(binding.ty.as_ref()?),
            }
        }
        ExprKind::Binary(
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
            left,
            right,
        ) => Some(width(seen, left, depth)?.with(width(seen, right, depth)?)),
        _ => None,
    }
}

/// Whether a literal is an `int`: it has no suffix, and fits.
fn is_plain_literal(seen: &Seen<'_, '_>, expr: &Expr) -> bool {
    let ExprKind::Int(value) = expr.kind else {
        return false;
    };
    let is_here = seen.file.contains(expr.span);
    let text = if is_here { seen.written(expr.span) } else { "" };
    let is_decimal = text.chars().all(|c| c.is_ascii_digit() || c == '\'');
    is_here && is_decimal && value <= LARGEST_INT
}

/// A tensor with elements that a 32-bit offset does not reach.
fn of_tensor(seen: &Seen<'_, '_>, tensor: &Tensor, name: Span) -> Option<Finding> {
    let launches = seen.run.launches.iter();
    let given = launches.map(|launch| Given::of(seen, launch));
    let reach = reach_of(tensor, &|int| int.value()).or_else(|| {
        let reaches = given.filter_map(|given| {
            reach_of(tensor, &|int| {
                int.value().or_else(|| given.on_host(int)?.value())
            })
        });
        reaches.max()
    })?;
    if reach <= LARGEST_INT {
        return None;
    }
    let (widths, written) = strides(seen, seen.initialiser(name)?)?;
    let written = &written;
    let coordinates = if is_indexed_by_cta(seen) {
        Width::Unsigned
    } else {
        Width::Signed
    };
    let largest = coordinates.largest();
    if widths.contains(&Width::Wide) || reach <= largest {
        return None;
    }
    let bits = match coordinates {
        Width::Signed => "an int holds",
        _ => "32 bits hold",
    };
    let message = format!(
        "offsets of {} reach {reach}, but {bits} {largest} at most: its strides have 32 bits",
        seen.written(name)
    );
    Some(Finding {
        numbers: vec![
            ("offset".to_owned(), Number::Integer(reach)),
            ("largest".to_owned(), Number::Integer(largest)),
        ],
        related: related(seen, written.span, written, COMPUTED),
        ..seen.finding(RULE, Severity::Error, name, message)
    })
}

/// The offset of the last element of a tensor.
fn reach_of(tensor: &Tensor, number: &dyn Fn(&Int) -> Option<i64>) -> Option<i64> {
    let layout = tensor.layout.as_affine()?;
    let mut reach = 0_i64;
    for (extent, stride) in layout.shape().leaves().iter().zip(layout.stride().leaves()) {
        let Delta::Int(stride) = stride else {
            return None;
        };
        let stride = number(stride).filter(|stride| *stride >= 0)?;
        reach = reach.checked_add((number(extent)? - 1).checked_mul(stride)?)?;
    }
    Some(reach)
}

/// The widths of the factors of the strides of a tensor, and where the largest of them is written.
fn strides(seen: &Seen<'_, '_>, made: &Expr) -> Option<(Vec<Width>, Expr)> {
    let made = Called::of(made).filter(|called| called.name == "make_tensor")?;
    let (shape, stride) = match made.args {
        [_, layout] => {
            let of_layout = |layout: &Expr| {
                let variable = seen.variable(layout);
                variable
                    .and_then(|declared| seen.initialiser(declared))
                    .cloned()
            };
            let layout = match &layout.kind {
                ExprKind::Name(_) => of_layout(layout)?,
                _ => layout.clone(),
            };
            let called = Called::of(&layout)?;
            match (called.name, called.args) {
                ("make_layout", [shape]) => (shape.clone(), None),
                ("make_layout", [shape, stride]) => (shape.clone(), Some(stride.clone())),
                _ => return None,
            }
        }
        [_, shape, stride] => (shape.clone(), Some(stride.clone())),
        _ => return None,
    };
    let is_order = |stride: &Expr| {
        matches!(&stride.kind, ExprKind::Construct { ty, .. }
            if matches!(ty.as_path().and_then(|path| path.last()).map(|last| last.name.name.as_str()),
                Some("LayoutLeft" | "LayoutRight" | "GenColMajor" | "GenRowMajor")))
    };
    let of = match stride {
        Some(stride) if !is_order(&stride) => stride,
        _ => shape,
    };
    let parts = match &of.kind {
        ExprKind::Name(_) => seen.initialiser(seen.variable(&of)?)?,
        _ => &of,
    };
    let parts = Called::of(parts)
        .filter(|called| matches!(called.name, "make_shape" | "make_stride"))?
        .args;
    let widths: Option<Vec<Width>> = parts.iter().map(|part| width(seen, part, DEPTH)).collect();
    let dynamic = parts
        .iter()
        .find(|part| !matches!(part.kind, ExprKind::Construct { .. }));
    Some((widths?, dynamic.or(parts.first())?.clone()))
}

/// Whether tensors are divided at the index of a CTA, which is unsigned.
fn is_indexed_by_cta(seen: &Seen<'_, '_>) -> bool {
    let mut found = false;
    for called in called::calls(seen.run.body()) {
        for arg in called.args {
            walk::subexpressions(arg, &mut |part| {
                found |= matches!(&part.kind, ExprKind::Member { object, .. }
                    if object.as_plain_name() == Some("blockIdx"));
            });
        }
    }
    found
}

/// Whether an expression is a pointer that a function is given.
fn is_pointer(seen: &Seen<'_, '_>, expr: &Expr) -> bool {
    let declared = expr.as_plain_name().and_then(|_| seen.variable(expr));
    let binding = declared.and_then(|declared| seen.declared.binding(declared));
    let ty = binding.and_then(|binding| binding.ty.as_ref());
    ty.is_some_and(walk::is_pointer_type)
}

/// The expression computed in 32 bits, and the declarations of its variables.
fn related(seen: &Seen<'_, '_>, factor: Span, whole: &Expr, message: &str) -> Vec<Related> {
    let mut found = vec![Related {
        span: factor,
        message: message.to_owned(),
    }];
    walk::subexpressions(whole, &mut |part| {
        let declared = part.as_plain_name().and_then(|_| seen.variable(part));
        let here = declared.filter(|span| seen.file.contains(*span));
        found.extend(here.map(|span| Related {
            span,
            message: "declared here".to_owned(),
        }));
    });
    found
}

/// The largest number that an expression comes to, and how it is computed.
#[derive(Debug, Clone, Copy)]
struct Reach<'u> {
    /// The smallest number, which has to be at least 0.
    least: i64,
    most: i64,
    width: Width,
    /// An `int` in it that is not this number. Arithmetic of unsigned numbers makes it right again.
    wrapped: Option<Overflow<'u>>,
}

/// A number that does not fit.
#[derive(Debug, Clone, Copy)]
struct Overflow<'u> {
    expr: &'u Expr,
    most: i64,
    /// The type that is too narrow.
    width: Width,
    /// It was computed in a wider type.
    is_converted: bool,
}

/// An index with a sum or product that does not fit.
fn of_index<'u>(seen: &Seen<'_, 'u>, index: &'u Expr) -> Option<Finding> {
    let mut overflow: Option<Overflow<'u>> = None;
    let whole = reach(seen, index, &mut overflow, DEPTH)?;
    let found = overflow.or(whole.wrapped)?;
    let (at, most) = (found.expr, found.most);
    let (factor, message_there) = match &at.kind {
        _ if found.is_converted => (at.span, "converted to 32 bits"),
        ExprKind::Binary(_, factor, _) => (factor.span, COMPUTED),
        _ => (at.span, COMPUTED),
    };
    let largest = found.width.largest();
    let what = match found.width {
        Width::Signed => "int",
        _ => "unsigned",
    };
    let message =
        format!("the index reaches {most}, but an {what} holds {largest} at most: it wraps around");
    Some(Finding {
        numbers: vec![
            ("offset".to_owned(), Number::Integer(most)),
            ("largest".to_owned(), Number::Integer(largest)),
        ],
        related: related(seen, factor, at, message_there),
        ..seen.finding(RULE, Severity::Error, at.span, message)
    })
}

/// The largest value of an expression of an index; nothing where something in it is unknown.
fn reach<'u>(
    seen: &Seen<'_, 'u>,
    expr: &'u Expr,
    overflow: &mut Option<Overflow<'u>>,
    depth: usize,
) -> Option<Reach<'u>> {
    let depth = depth.checked_sub(1)?;
    match &expr.kind {
        ExprKind::Int(value) => is_plain_literal(seen, expr).then_some(Reach {
            least: *value,
            most: *value,
            width: Width::Signed,
            wrapped: None,
        }),
        ExprKind::Cast(_, ty, inner) => {
            let of = reach(seen, inner, overflow, depth)?;
            Some(kept(inner, of, width_of_type(ty)?, overflow))
        }
        ExprKind::Construct { ty, args, .. } => match args.as_slice() {
            [only] => {
                let of = reach(seen, only, overflow, depth)?;
                Some(kept(only, of, width_of_type(ty)?, overflow))
            }
            _ => None,
        },
        ExprKind::Member { object, member, .. } => {
            of_builtin(seen, object.as_plain_name()?, &member.name.name)
        }
        ExprKind::Name(_) => of_variable(seen, expr, overflow, depth),
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), left, right) => {
            let one = reach(seen, left, overflow, depth)?;
            let other = reach(seen, right, overflow, depth)?;
            let width = one.width.with(other.width);
            let (least, most) = match op {
                BinaryOp::Add => (
                    one.least.checked_add(other.least)?,
                    one.most.checked_add(other.most)?,
                ),
                _ => (
                    one.least.checked_mul(other.least)?,
                    one.most.checked_mul(other.most)?,
                ),
            };
            if least < 0 {
                return None;
            }
            if most > width.largest() && overflow.is_none() {
                *overflow = Some(Overflow {
                    expr,
                    most,
                    width,
                    is_converted: false,
                });
            }
            let wrapped = one.wrapped.or(other.wrapped);
            Some(Reach {
                least,
                most,
                width,
                wrapped: wrapped.filter(|_| width != Width::Unsigned),
            })
        }
        ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), left, right) => {
            let was_right = overflow.is_none();
            let one = reach(seen, left, overflow, depth)?;
            let other = reach(seen, right, overflow, depth)?;
            // A number that wraps around may be meant to, where only its rest counts.
            let wraps = was_right && overflow.is_some() || one.wrapped.is_some();
            if wraps && *op == BinaryOp::Rem {
                return None;
            }
            let by = Some(other.least).filter(|by| *by > 0 && *by == other.most)?;
            let (least, most) = match op {
                BinaryOp::Div => (one.least / by, one.most / by),
                _ => (0, one.most.min(by - 1)),
            };
            let width = one.width.with(other.width);
            Some(Reach {
                least,
                most,
                width,
                wrapped: one.wrapped,
            })
        }
        _ => None,
    }
}

/// `threadIdx.x`, `blockIdx.y`, `blockDim.x`, `gridDim.x` of all launches, where they agree.
fn of_builtin<'u>(seen: &Seen<'_, 'u>, name: &str, axis: &str) -> Option<Reach<'u>> {
    let axis = ["x", "y", "z"].iter().position(|known| *known == axis)?;
    let mut extents = seen.run.launches.iter().map(|launch| {
        let of = match name {
            "threadIdx" | "blockDim" => &launch.block,
            "blockIdx" | "gridDim" => &launch.grid,
            _ => return None,
        };
        budget::three(of)?.get(axis).copied()
    });
    let extent = extents.next()??;
    if extents.any(|other| other != Some(extent)) {
        return None;
    }
    let (least, most) = match name {
        "threadIdx" | "blockIdx" => (0, extent - 1),
        _ => (extent, extent),
    };
    Some(Reach {
        least,
        most,
        width: Width::Unsigned,
        wrapped: None,
    })
}

fn of_variable<'u>(
    seen: &Seen<'_, 'u>,
    expr: &'u Expr,
    overflow: &mut Option<Overflow<'u>>,
    depth: usize,
) -> Option<Reach<'u>> {
    let declared = seen.variable(expr)?;
    // A condition may keep it smaller.
    if is_asked_about(seen, declared) {
        return None;
    }
    let ty = seen.declared.binding(declared)?.ty.as_ref()?;
    let counter = seen
        .run
        .counters
        .iter()
        .find(|counter| counter.declared == declared);
    if let Some(counter) = counter {
        return Some(Reach {
            least: 0,
            most: counter.last,
            width: width_of_type(ty)?,
            wrapped: None,
        });
    }
    if seen.is_assigned(declared, 0..usize::MAX) {
        return None;
    }
    let known = rings::value_of(seen, declared).and_then(|value| value.as_int()?.value());
    if let Some(value) = known {
        return Some(Reach {
            least: value,
            most: value,
            width: width_of_type(ty).or_else(|| width(seen, expr, depth))?,
            wrapped: None,
        });
    }
    let init = seen.initialiser(declared)?;
    let made = reach(seen, init, overflow, depth)?;
    let width = match ty.kind {
        ExprKind::Auto => made.width,
        _ => width_of_type(ty)?,
    };
    Some(kept(init, made, width, overflow))
}

/// A number that is converted to a type, which may be too narrow for it.
fn kept<'u>(
    expr: &'u Expr,
    of: Reach<'u>,
    width: Width,
    overflow: &mut Option<Overflow<'u>>,
) -> Reach<'u> {
    let is_too_narrow = of.most > width.largest() && of.width.largest() > width.largest();
    let converted = is_too_narrow.then_some(Overflow {
        expr,
        most: of.most,
        width,
        is_converted: true,
    });
    let wrapped = match width {
        Width::Unsigned => None,
        Width::Signed => of.wrapped.or(converted),
        Width::Wide => of.wrapped,
    };
    if width == Width::Unsigned && overflow.is_none() {
        *overflow = converted;
    }
    Reach {
        width,
        wrapped,
        ..of
    }
}

/// Whether a condition of the function is made from a variable, or from a value made of it.
fn is_asked_about(seen: &Seen<'_, '_>, declared: Span) -> bool {
    let mut found = false;
    let mut asks = |condition: &Expr| {
        walk::subexpressions(condition, &mut |part| {
            found |= matches!(part.kind, ExprKind::Name(_)) && {
                let variable = seen.variable(part);
                variable == Some(declared)
                    || variable
                        .and_then(|variable| seen.initialiser(variable))
                        .is_some_and(|init| mentions(seen, init, declared, DEPTH))
            };
        });
    };
    walk::items(seen.run.body(), &mut |item| match &item.kind {
        ItemKind::If(branch) => branch.condition.iter().for_each(&mut asks),
        ItemKind::Loop(repeat) if !is_own_loop(seen, item.span, declared) => {
            repeat.condition.iter().for_each(&mut asks);
        }
        _ => {}
    });
    walk::expressions(seen.run.body(), &mut |expr| match &expr.kind {
        ExprKind::Ternary(condition, ..) => asks(condition),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, _) => asks(left),
        ExprKind::Unary(UnaryOp::AddressOf, inner) => asks(inner),
        _ => {}
    });
    found
}

/// Whether a loop counts by a variable.
fn is_own_loop(seen: &Seen<'_, '_>, repeat: Span, declared: Span) -> bool {
    let mut counters = seen.run.counters.iter();
    counters.any(|counter| counter.repeat == repeat && counter.declared == declared)
}

fn mentions(seen: &Seen<'_, '_>, expr: &Expr, declared: Span, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    let mut found = false;
    walk::subexpressions(expr, &mut |part| {
        if let (ExprKind::Name(_), Some(variable)) = (&part.kind, seen.variable(part)) {
            found |= variable == declared
                || seen
                    .initialiser(variable)
                    .filter(|init| !init.span.encloses(part.span))
                    .is_some_and(|init| mentions(seen, init, declared, depth));
        }
    });
    found
}
