//! Arithmetic of shapes, and relations between two of them.

use cute_algebra::ops::complement::ceil_div_by_layout;
use cute_algebra::ops::shape_arithmetic as arithmetic;
use cute_algebra::{Int, Shape, Tuple, TupleView};

use super::question::{Judged, Question, accepted, truth};

/// Both operands as shapes; 1 where the second is left out.
fn both(q: &Question<'_>) -> Result<(Shape, Shape), cute_algebra::Refusal> {
    let second = match q.count() {
        1 => Tuple::leaf(Int::ONE),
        _ => q.shape(1)?,
    };
    Ok((q.shape(0)?, second))
}

type View<'a> = TupleView<'a, Int>;

fn arithmetic_of(
    q: &Question<'_>,
    f: impl FnOnce(View<'_>, View<'_>) -> Result<Shape, cute_algebra::Refusal>,
) -> Judged {
    let (a, b) = both(q)?;
    accepted(f(a.view(), b.view())?)
}

/// `ceil_div(a, b)`.
pub(crate) fn ceil_div(q: &Question<'_>) -> Judged {
    if q.is_layout(1) {
        return accepted(ceil_div_by_layout(&q.shape(0)?, &q.layout(1)?)?);
    }
    arithmetic_of(q, arithmetic::ceil_div)
}

/// `shape_div(a, b)`.
pub(crate) fn shape_div(q: &Question<'_>) -> Judged {
    arithmetic_of(q, arithmetic::shape_div)
}

/// `round_up(a, b)`.
pub(crate) fn round_up(q: &Question<'_>) -> Judged {
    arithmetic_of(q, arithmetic::round_up)
}

/// `elem_scale(a, b)`.
pub(crate) fn elem_scale(q: &Question<'_>) -> Judged {
    arithmetic_of(q, arithmetic::elem_scale)
}

/// `product_each(a)`.
pub(crate) fn product_each(q: &Question<'_>) -> Judged {
    arithmetic_of(q, |a, _| arithmetic::product_each(a))
}

/// `product_like(a, guide)`.
pub(crate) fn product_like(q: &Question<'_>) -> Judged {
    arithmetic_of(q, arithmetic::product_like)
}

/// `prefix_product(a)`.
pub(crate) fn prefix_product(q: &Question<'_>) -> Judged {
    arithmetic_of(q, |a, _| arithmetic::prefix_product(a))
}

/// `congruent(a, b)`.
pub(crate) fn congruent(q: &Question<'_>) -> Judged {
    let (a, b) = both(q)?;
    truth(Int::fixed_bool(a.view().is_congruent(b.view())))
}

/// `weakly_congruent(a, b)`.
pub(crate) fn weakly_congruent(q: &Question<'_>) -> Judged {
    let (a, b) = both(q)?;
    truth(Int::fixed_bool(a.view().is_weakly_congruent(b.view())))
}

/// `compatible(a, b)`.
pub(crate) fn compatible(q: &Question<'_>) -> Judged {
    let (a, b) = both(q)?;
    truth(arithmetic::compatible(a.view(), b.view())?)
}

/// `evenly_divides(a, b)`.
pub(crate) fn evenly_divides(q: &Question<'_>) -> Judged {
    let (a, b) = both(q)?;
    truth(arithmetic::evenly_divides(a.view(), b.view())?)
}
