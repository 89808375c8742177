//! The statement of a comment, leaf by leaf.

use cute_algebra::ScaledBasis;
use tree_sitter_cute::tree::{Expr, ExprKind, UnaryOp};

/// A shape or a stride as stated.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stated {
    Number(i64),
    /// `8@1`, the outermost mode first.
    Basis(i64, Vec<u16>),
    /// A name, or anything else that fixes no number.
    Name,
    Group(Vec<Stated>),
}

impl Stated {
    pub(super) fn of(expr: &Expr) -> Self {
        match &expr.kind {
            ExprKind::Int(value) | ExprKind::Static(value) => Self::Number(*value),
            ExprKind::Unary(UnaryOp::Minus, operand) => match Self::of(operand) {
                Self::Number(value) => value.checked_neg().map_or(Self::Name, Self::Number),
                _ => Self::Name,
            },
            ExprKind::Tuple(modes) => Self::Group(modes.iter().map(Self::of).collect()),
            ExprKind::Basis(coefficient, path) => {
                let modes: Option<Vec<u16>> = path
                    .iter()
                    .rev()
                    .map(|mode| u16::try_from(*mode).ok())
                    .collect();
                match (Self::of(coefficient), modes) {
                    (Self::Number(value), Some(modes)) => Self::Basis(value, modes),
                    _ => Self::Name,
                }
            }
            _ => Self::Name,
        }
    }

    /// The product of its numbers, if it has nothing else.
    pub(super) fn size(&self) -> Option<i64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Group(modes) => modes
                .iter()
                .try_fold(1_i64, |size, mode| size.checked_mul(mode.size()?)),
            _ => None,
        }
    }

    /// Whether it is certain to be another stride than a basis element.
    pub(super) fn differs_from_basis(&self, basis: &ScaledBasis) -> bool {
        let coefficient = basis.value.value();
        match self {
            Self::Basis(value, modes) => {
                basis.path.as_slice() != modes || coefficient.is_some_and(|known| known != *value)
            }
            Self::Number(value) => coefficient.is_some_and(|known| known != 0 || *value != 0),
            _ => false,
        }
    }
}

/// A layout as stated, with the text before it.
pub(super) struct StatedLayout<'e> {
    /// The layout, without the text before it.
    pub(super) layout: &'e Expr,
    pub(super) shape: Stated,
    pub(super) stride: Stated,
    /// As printed; and whether it permutes addresses rather than offsets.
    pub(super) swizzle: Option<(String, bool)>,
    /// Bits of one element.
    pub(super) bits: Option<i64>,
}

impl<'e> StatedLayout<'e> {
    /// `None` where the literal is not a layout but a swizzle alone.
    pub(super) fn of(literal: &'e Expr) -> Option<Self> {
        let parts = match &literal.kind {
            ExprKind::Composition(parts) => parts.as_slice(),
            _ => std::slice::from_ref(literal),
        };
        let (layout, before) = parts.split_last()?;
        let ExprKind::Layout(shape, stride) = &layout.kind else {
            return None;
        };
        let mut swizzle = None;
        let mut bits = None;
        let mut is_of_addresses = false;
        for part in before {
            match &part.kind {
                ExprKind::Swizzle(b, m, s) => swizzle = Some((*b, *m, *s)),
                ExprKind::Engine(engine) => {
                    is_of_addresses = true;
                    bits = Some(engine.bits);
                    swizzle = swizzle.or(engine.swizzle);
                }
                // A composition of two layouts is printed as its result: another notation.
                ExprKind::Layout(..) => return None,
                _ => {}
            }
        }
        Some(Self {
            layout,
            shape: Stated::of(shape),
            stride: Stated::of(stride),
            swizzle: swizzle.map(|(b, m, s)| (format!("Sw<{b},{m},{s}>"), is_of_addresses)),
            bits,
        })
    }
}
