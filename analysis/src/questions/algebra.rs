//! Composition, complement, inverses and recasts.

use cute_algebra::judge::{self, Judgement};
use cute_algebra::ops::{self, swizzled};
use cute_algebra::{AnyLayout, Int, Layout, Swizzle, Tiler, Tuple};

use super::Value;
use super::question::{Judged, Question, Right, accepted, beyond_cute, judged, unknown};

/// `composition(A, B)`; `composition(swizzle, offset, layout)`.
pub(crate) fn composition(q: &Question<'_>) -> Judged {
    if q.is_swizzle(0) {
        return of_swizzle(q);
    }
    let a = q.any(0)?;
    if q.is_swizzle(1) {
        return accepted(swizzled::compose_layout_with_swizzle(
            &q.layout(0)?,
            q.parse(1)?,
        )?);
    }
    match q.right(1)? {
        Right::Layout(AnyLayout::Affine(b)) => judged(judge::composition(&a, &Tiler::Layout(b))),
        Right::Layout(b) => accepted(swizzled::compose_any(&a, &b)?),
        Right::Tiler(tiler) => judged(judge::composition(&a, &tiler)),
    }
}

fn of_swizzle(q: &Question<'_>) -> Judged {
    let outer: Swizzle = q.parse(0)?;
    match q.count() {
        1 => Ok((Value::Swizzle(outer), Judgement::accepted())),
        2 if q.is_swizzle(1) => {
            let merged = swizzled::compose_swizzles(outer, q.parse(1)?)?;
            Ok((Value::Swizzle(merged), Judgement::accepted()))
        }
        2 => accepted(swizzled::compose_swizzle(
            outer,
            Tuple::leaf(Int::ZERO),
            q.layout(1)?,
        )),
        _ => accepted(swizzled::compose_swizzle(outer, q.tuple(1)?, q.layout(2)?)),
    }
}

/// `complement(A, cotarget)`.
pub(crate) fn complement(q: &Question<'_>) -> Judged {
    let a = q.any(0)?;
    let cotarget = match q.count() {
        1 => None,
        _ => Some(q.shape(1)?),
    };
    judged(judge::complement(a.domain(), cotarget.as_ref()))
}

/// `left_inverse(A)`.
pub(crate) fn left_inverse(q: &Question<'_>) -> Judged {
    judged(judge::left_inverse(&q.any(0)?))
}

/// `right_inverse(A)`.
pub(crate) fn right_inverse(q: &Question<'_>) -> Judged {
    judged(judge::right_inverse(&q.any(0)?))
}

/// `nullspace(A)`.
pub(crate) fn nullspace(q: &Question<'_>) -> Judged {
    match q.any(0)? {
        AnyLayout::Affine(layout) => accepted(ops::nullspace(&layout)?),
        AnyLayout::Composed(_) => accepted(Layout::unit()),
    }
}

/// `max_common_layout(A, B)`.
pub(crate) fn max_common_layout(q: &Question<'_>) -> Judged {
    accepted(swizzled::max_common_layout_any(&q.any(0)?, &q.any(1)?)?)
}

/// `max_common_vector(A, B)`.
pub(crate) fn max_common_vector(q: &Question<'_>) -> Judged {
    accepted(swizzled::max_common_vector_any(&q.any(0)?, &q.any(1)?)?)
}

/// `upcast(A, factor)`.
pub(crate) fn upcast(q: &Question<'_>) -> Judged {
    if q.is_swizzle(0) {
        let cast = swizzled::upcast_swizzle(&q.parse(0)?, q.number(1)?)?;
        return Ok((Value::Swizzle(cast), Judgement::accepted()));
    }
    let a = q.any(0)?;
    let result = swizzled::upcast_any(&a, q.number(1)?)?;
    recast(&a, result, true)
}

/// `downcast(A, factor)`.
pub(crate) fn downcast(q: &Question<'_>) -> Judged {
    if q.is_swizzle(0) {
        let cast = swizzled::downcast_swizzle(&q.parse(0)?, q.number(1)?)?;
        return Ok((Value::Swizzle(cast), Judgement::accepted()));
    }
    accepted(swizzled::downcast_any(&q.any(0)?, q.number(1)?)?)
}

/// `recast_layout(A, old bits, new bits)`.
pub(crate) fn recast_layout(q: &Question<'_>) -> Judged {
    if q.is_swizzle(0) {
        return Err(unknown(q.op()));
    }
    let a = q.any(0)?;
    let (old, new) = (q.number(1)?, q.number(2)?);
    let result = swizzled::recast_any(&a, old, new)?;
    recast(&a, result, new > old)
}

/// CuTe has no larger elements along a coordinate.
fn recast(a: &AnyLayout, result: AnyLayout, grows: bool) -> Judged {
    let mut steps = a.domain().view().steps().iter();
    if grows && steps.any(|step| step.as_basis().is_some()) {
        return beyond_cute(result, "invalid operands to binary operator%");
    }
    accepted(result)
}

/// `max_alignment(A)`.
pub(crate) fn max_alignment(q: &Question<'_>) -> Judged {
    if q.is_swizzle(0) {
        return Err(unknown(q.op()));
    }
    accepted(ops::max_alignment(&q.layout(0)?)?)
}
