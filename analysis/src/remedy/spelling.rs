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
            Some(python_tuple(&modes?))
        }
        ExprKind::Layout(shape, stride) => Some(format!(
            "{module}make_layout({}, stride={})",
            in_python(shape, module)?,
            in_python(stride, module)?
        )),
        _ => None,
    }
}

/// The argument of a macro of the notation, `tiler!(4)`: it contains the notation itself.
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

/// The form of a layout in C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CppForm {
    /// As its type: `Layout<Shape<Int<4>, Int<2>>, Stride<Int<1>, Int<4>>>`.
    Type,
    /// As a call of `make_layout`: inside of an expression a nested template argument list would be
    /// read as a comparison.
    Call,
    /// The same where the source does not open the namespace: `cute::make_layout`.
    QualifiedCall,
}

impl CppForm {
    /// The words for a layout, its shape and its stride.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::Type => ["Layout", "Shape", "Stride"],
            Self::Call => ["make_layout", "make_shape", "make_stride"],
            Self::QualifiedCall => ["cute::make_layout", "cute::make_shape", "cute::make_stride"],
        }
    }

    fn integer(self, value: i64) -> String {
        match self {
            Self::Type => format!("Int<{value}>"),
            Self::Call => format!("Int<{value}>{{}}"),
            Self::QualifiedCall => format!("cute::Int<{value}>{{}}"),
        }
    }

    fn around(self, word: &str, modes: &[String]) -> String {
        let modes = modes.join(", ");
        match self {
            Self::Type => format!("{word}<{modes}>"),
            Self::Call | Self::QualifiedCall => format!("{word}({modes})"),
        }
    }
}

/// A layout of static integers in C++; nothing where there are others.
///
/// # Example
/// ```
/// use cute_analysis::{CppForm, layout_in_cpp};
///
/// let layout: cute_algebra::Layout = "(_4,_2):(_1,_4)".parse()?;
/// let written = layout_in_cpp(&layout, CppForm::Type);
/// assert_eq!(written.as_deref(), Some("Layout<Shape<Int<4>, Int<2>>, Stride<Int<1>, Int<4>>>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn layout_in_cpp(layout: &Layout, form: CppForm) -> Option<String> {
    let [whole, shape, stride] = form.words();
    let shape = tuple(layout.view(), shape, form, &|(extent, _)| extent.value())?;
    let stride = tuple(layout.view(), stride, form, &|(_, step)| {
        step.as_int().and_then(Int::value)
    })?;
    Some(form.around(whole, &[shape, stride]))
}

fn tuple(
    layout: LayoutView<'_>,
    word: &str,
    form: CppForm,
    number: &dyn Fn((&Int, &Delta)) -> Option<i64>,
) -> Option<String> {
    if let Some(leaf) = layout.as_leaf() {
        return Some(form.integer(number(leaf)?));
    }
    let modes = layout.modes().map(|mode| tuple(mode, word, form, number));
    Some(form.around(word, &modes.collect::<Option<Vec<_>>>()?))
}

/// The shape and the stride of a layout of static integers in Python; nothing where there are others.
///
/// # Example
/// ```
/// use cute_analysis::shape_and_stride_in_python;
///
/// let layout: cute_algebra::Layout = "(_4,(_2)):(_1,(_4))".parse()?;
/// let written = shape_and_stride_in_python(&layout);
/// assert_eq!(written, Some(["(4, (2,))".to_owned(), "(1, (4,))".to_owned()]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shape_and_stride_in_python(layout: &Layout) -> Option<[String; 2]> {
    let shape = numbers_in_python(layout.view(), &|(extent, _)| extent.value())?;
    let stride = numbers_in_python(layout.view(), &|(_, step)| {
        step.as_int().and_then(Int::value)
    })?;
    Some([shape, stride])
}

fn numbers_in_python(
    layout: LayoutView<'_>,
    number: &dyn Fn((&Int, &Delta)) -> Option<i64>,
) -> Option<String> {
    if let Some(leaf) = layout.as_leaf() {
        return Some(number(leaf)?.to_string());
    }
    let modes = layout.modes().map(|mode| numbers_in_python(mode, number));
    Some(python_tuple(&modes.collect::<Option<Vec<_>>>()?))
}

fn python_tuple(modes: &[String]) -> String {
    match modes {
        [only] => format!("({only},)"),
        modes => format!("({})", modes.join(", ")),
    }
}
