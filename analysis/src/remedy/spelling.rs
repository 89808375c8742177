//! Values of the notation as a host language writes them.

use cute_algebra::{Delta, Int, Layout, LayoutView, Swizzle};
use tree_sitter_cute::tree::{Expr, ExprKind};
use tree_sitter_cute::{Host, notation};

/// A legal operand, given as a text of the notation, as it is written in the place of `operand` in a
/// call of `callee`. `None` where the language, or the library, has no such form.
pub(super) fn operand(
    legal: &str,
    operand: &Expr,
    callee: &Expr,
    host: Host,
    text: &str,
) -> Option<Written> {
    let value = notation::parse(legal).ok()?;
    match host {
        Host::CudaCpp => Some(Written {
            span: operand.span,
            text: in_cuda(&value)?,
        }),
        Host::Python => {
            let module = match &callee.kind {
                ExprKind::Member { object, .. } => format!("{}.", object.span.text(text)),
                _ => String::new(),
            };
            Some(Written {
                span: operand.span,
                text: in_python(&value, &module)?,
            })
        }
        Host::Rust => in_macro(&value, operand),
    }
}

/// A text and the place where it goes.
pub(super) struct Written {
    pub(super) span: tree_sitter_cute::tree::Span,
    pub(super) text: String,
}

fn in_cuda(value: &Expr) -> Option<String> {
    match &value.kind {
        ExprKind::Int(value) | ExprKind::Static(value) => Some(format!("Int<{value}>{{}}")),
        ExprKind::Underscore => Some("_".to_owned()),
        ExprKind::Tuple(modes) | ExprKind::Tiler(modes) => {
            let modes: Option<Vec<String>> = modes.iter().map(in_cuda).collect();
            Some(format!("make_tile({})", modes?.join(", ")))
        }
        ExprKind::Layout(shape, stride) => Some(format!(
            "Layout<{}, {}>{{}}",
            as_type(shape, "Shape")?,
            as_type(stride, "Stride")?
        )),
        _ => None,
    }
}

/// A tuple of integers as a type.
fn as_type(value: &Expr, name: &str) -> Option<String> {
    match &value.kind {
        ExprKind::Int(value) | ExprKind::Static(value) => Some(format!("Int<{value}>")),
        ExprKind::Tuple(modes) => {
            let modes: Option<Vec<String>> = modes.iter().map(|mode| as_type(mode, name)).collect();
            Some(format!("{name}<{}>", modes?.join(", ")))
        }
        _ => None,
    }
}

fn in_python(value: &Expr, module: &str) -> Option<String> {
    match &value.kind {
        ExprKind::Int(value) | ExprKind::Static(value) => Some(value.to_string()),
        ExprKind::Underscore => Some("None".to_owned()),
        ExprKind::Tuple(modes) | ExprKind::Tiler(modes) => {
            let modes: Option<Vec<String>> =
                modes.iter().map(|mode| in_python(mode, module)).collect();
            match modes?.as_slice() {
                [only] => Some(format!("({only},)")),
                modes => Some(format!("({})", modes.join(", "))),
            }
        }
        ExprKind::Layout(shape, stride) => Some(format!(
            "{module}make_layout({}, stride={})",
            in_python(shape, module)?,
            in_python(stride, module)?
        )),
        _ => None,
    }
}

/// The argument of a macro of the notation, `tiler!(4)`: the notation itself stands in it.
fn in_macro(value: &Expr, operand: &Expr) -> Option<Written> {
    match &operand.kind {
        ExprKind::Unary(_, inner) | ExprKind::Reference(inner, _) => in_macro(value, inner),
        ExprKind::Macro(call) => {
            let [only] = call.args.as_deref()? else {
                return None;
            };
            Some(Written {
                span: only.span,
                text: in_notation(value)?,
            })
        }
        _ => None,
    }
}

fn in_notation(value: &Expr) -> Option<String> {
    let each = |modes: &[Expr]| -> Option<String> {
        let modes: Option<Vec<String>> = modes.iter().map(in_notation).collect();
        Some(modes?.join(", "))
    };
    match &value.kind {
        ExprKind::Int(value) | ExprKind::Static(value) => Some(value.to_string()),
        ExprKind::Underscore => Some("_".to_owned()),
        ExprKind::Tuple(modes) => Some(format!("({})", each(modes)?)),
        ExprKind::Tiler(modes) => Some(format!("<{}>", each(modes)?)),
        ExprKind::Layout(shape, stride) => {
            Some(format!("{}:{}", in_notation(shape)?, in_notation(stride)?))
        }
        _ => None,
    }
}

/// `Swizzle<3,3,3>`.
pub(super) fn swizzle(swizzle: Swizzle) -> String {
    let (bits, base, shift) = (swizzle.bits(), swizzle.base(), swizzle.shift());
    format!("Swizzle<{bits},{base},{shift}>")
}

/// A static layout as its C++ type.
pub(super) fn layout(layout: &Layout) -> Option<String> {
    let shape = tuple(layout.view(), "Shape", &|(extent, _)| extent.value())?;
    let stride = tuple(layout.view(), "Stride", &|(_, step)| {
        step.as_int().and_then(Int::value)
    })?;
    Some(format!("Layout<{shape}, {stride}>"))
}

fn tuple(
    layout: LayoutView<'_>,
    name: &str,
    number: &dyn Fn((&Int, &Delta)) -> Option<i64>,
) -> Option<String> {
    if let Some(leaf) = layout.as_leaf() {
        return Some(format!("Int<{}>", number(leaf)?));
    }
    let modes: Option<Vec<String>> = layout
        .modes()
        .map(|mode| tuple(mode, name, number))
        .collect();
    Some(format!("{name}<{}>", modes?.join(", ")))
}
