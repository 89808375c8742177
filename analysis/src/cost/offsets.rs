//! Tensors in global memory whose strides have 32 bits and do not reach their last element. Addresses of plain loads and
//! stores are in [`crate::access::wraps`].

use cute_algebra::{Delta, Int};
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span};

use super::called::{self, Called};
use super::sizes::Given;
use super::{Costs, Seen};
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

/// Looks at all tensors in global memory.
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
            let layout = made_as(seen, layout)?.clone();
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
    let parts = made_as(seen, &of)?;
    let parts = Called::of(parts)
        .filter(|called| matches!(called.name, "make_shape" | "make_stride"))?
        .args;
    let widths: Option<Vec<Width>> = parts.iter().map(|part| width(seen, part, DEPTH)).collect();
    let dynamic = parts
        .iter()
        .find(|part| !matches!(part.kind, ExprKind::Construct { .. }));
    Some((widths?, dynamic.or(parts.first())?.clone()))
}

/// The expression that a variable is made of, also on the host: a kernel is given it.
fn made_as<'e>(seen: &'e Seen<'_, '_>, expr: &'e Expr) -> Option<&'e Expr> {
    let mut made = expr;
    for _ in 0..DEPTH {
        if !matches!(made.kind, ExprKind::Name(_)) {
            return Some(made);
        }
        made = seen.made_of(made)?;
    }
    None
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
