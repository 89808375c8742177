//! Ranks of conversions: how far an argument is from a parameter.

use tree_sitter_cute::tree::{Expr, ExprKind, UnaryOp};

use super::conversions::is_builtin;
use super::frame::Frame;
use super::written_arguments::is_constant;
use crate::types::{Scalar, ScalarClass};

/// The value category of an argument: named or temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Category {
    /// It has none: it is a result, a number.
    Rvalue,
    /// A variable, and whether it is constant.
    Lvalue {
        constant: bool,
    },
    Unknown,
}

/// The best and the worst possible rank of the conversion of an argument to a parameter; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rank {
    pub(super) best: u16,
    pub(super) worst: u16,
    /// The share of both that the kind of reference causes: it counts beside another reference only.
    pub(super) reference: (u16, u16),
    /// Whether the parameter is a value.
    pub(super) is_value: bool,
}

impl Rank {
    pub(super) const EXACT: Self = Self::of(0);

    pub(super) const PROMOTION: Self = Self::of(10);

    /// To a base: the nearer, the better.
    pub(super) const BASE: u16 = 50;

    pub(super) const CONVERSION: Self = Self::of(100);

    pub(super) const TO_BOOL: Self = Self::of(110);

    const USER: u16 = 200;

    pub(super) const ELLIPSIS: Self = Self::of(400);

    /// The parameter does not take the argument.
    pub(super) const NOT: Self = Self::of(1000);

    pub(super) const UNKNOWN: Self = Self::between(0, Self::NOT.worst);

    pub(super) const MAYBE_USER: Self = Self::between(Self::USER, Self::NOT.worst);

    pub(super) const fn of(rank: u16) -> Self {
        Self::between(rank, rank)
    }

    pub(super) const fn between(best: u16, worst: u16) -> Self {
        Self {
            best,
            worst,
            reference: (0, 0),
            is_value: false,
        }
    }

    /// Both as they compare: how references bind does not count beside a value.
    pub(super) fn beside(self, other: Self) -> (Self, Self) {
        let plain = |rank: Self| {
            Self::between(
                rank.best - rank.reference.0.min(rank.best),
                rank.worst - rank.reference.1.min(rank.worst),
            )
        };
        if self.is_value == other.is_value {
            let same = |rank: Self| Self::between(rank.best, rank.worst);
            (same(self), same(other))
        } else {
            (plain(self), plain(other))
        }
    }

    pub(super) fn takes(self) -> bool {
        self.worst < Self::NOT.best
    }

    pub(super) fn may_take(self) -> bool {
        self.best < Self::NOT.best
    }

    /// A conversion by a function, then this one.
    pub(super) fn after_user(self) -> Self {
        if self.may_take() {
            Self::between(Self::USER + self.best, Self::USER + self.worst)
        } else {
            self
        }
    }

    /// The same with a reference that fits less well.
    pub(super) fn behind(self, by: u16) -> Self {
        Self {
            reference: (by, by),
            ..Self::between(self.best + by, self.worst + by)
        }
    }
}

/// [conv.prom], [conv.integral], [conv.double], [conv.fpint].
pub(super) fn between_scalars(target: Scalar, given: Scalar) -> Rank {
    use ScalarClass::{Bool, Char, Float, Signed, Unsigned};
    if target == given {
        return Rank::EXACT;
    }
    if !is_builtin(target) || !is_builtin(given) {
        return Rank::MAYBE_USER;
    }
    let promotes = match (target.name, given.class) {
        ("int", Signed | Unsigned) => given.bits < 32,
        ("int", Bool | Char) | ("double", Float) => true,
        _ => false,
    };
    if promotes {
        Rank::PROMOTION
    } else {
        Rank::CONVERSION
    }
}

pub(super) fn category(expr: &Expr, frame: &Frame<'_>) -> Category {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::Null
        | ExprKind::Construct { .. }
        | ExprKind::Sizeof(_)
        | ExprKind::SizeofPack(_)
        | ExprKind::Binary(..)
        | ExprKind::Lambda(_) => Category::Rvalue,
        ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Not | UnaryOp::AddressOf, _) => {
            Category::Rvalue
        }
        ExprKind::Name(_) => match is_constant(expr, frame) {
            Some(constant) => Category::Lvalue { constant },
            None => Category::Unknown,
        },
        _ => Category::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(target: &str, given: &str) -> Rank {
        let scalar = |name| Scalar::of_spelling(name).unwrap();
        between_scalars(scalar(target), scalar(given))
    }

    #[test]
    fn the_same_type_is_nearer_than_a_promotion_and_that_than_a_conversion() {
        assert_eq!(between("int", "int"), Rank::EXACT);
        for (target, given) in [("int", "short"), ("int", "bool"), ("double", "float")] {
            assert_eq!(between(target, given), Rank::PROMOTION, "{given}");
        }
        for (target, given) in [
            ("long", "int"),
            ("float", "double"),
            ("unsigned int", "int"),
        ] {
            assert_eq!(between(target, given), Rank::CONVERSION, "{given}");
        }
        assert_eq!(between("half_t", "float"), Rank::MAYBE_USER);
    }

    #[test]
    fn the_binding_of_a_reference_counts_beside_a_reference_only() {
        let reference = Rank::EXACT.behind(1);
        let value = Rank {
            is_value: true,
            ..Rank::EXACT
        };
        let (beside_reference, _) = reference.beside(Rank::EXACT);
        assert_eq!(beside_reference, Rank::of(1));
        let (beside_value, _) = reference.beside(value);
        assert_eq!(beside_value, Rank::EXACT);
    }

    #[test]
    fn what_may_not_convert_is_neither_taken_nor_excluded() {
        assert!(Rank::EXACT.takes() && !Rank::NOT.may_take());
        assert!(!Rank::UNKNOWN.takes() && Rank::UNKNOWN.may_take());
        assert_eq!(Rank::NOT.after_user(), Rank::NOT);
        assert_eq!(Rank::PROMOTION.after_user(), Rank::of(210));
    }
}
