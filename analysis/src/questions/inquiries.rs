//! Shape, stride, size, rank and the like of a layout or a tuple.

use cute_algebra::{AnyLayout, Int, IntTuple, Layout, Refusal, Rule, ops};

use super::Value;
use super::question::{Judged, Question, accepted, unknown};

fn number(n: usize) -> Int {
    Int::fixed(i64::try_from(n).unwrap_or(i64::MAX))
}

/// An inquiry with an answer for layouts and one for tuples.
fn of<T: Into<Value>>(
    q: &Question<'_>,
    layout: impl FnOnce(&Layout) -> Result<T, Refusal>,
    tuple: impl FnOnce(IntTuple) -> Result<T, Refusal>,
) -> Judged {
    accepted(if q.is_layout(0) {
        layout(q.any(0)?.domain())?
    } else {
        tuple(q.tuple(0)?)?
    })
}

/// An inquiry that a composed layout or a tuple does not have.
fn of_affine<T: Into<Value>>(
    q: &Question<'_>,
    f: impl FnOnce(&Layout) -> Result<T, Refusal>,
) -> Judged {
    if !q.is_layout(0) {
        q.tuple(0)?;
        return Err(unknown(q.op()));
    }
    match q.any(0)? {
        AnyLayout::Affine(layout) => accepted(f(&layout)?),
        AnyLayout::Composed(_) => Err(Refusal::uncompilable(
            Rule::Unsupported,
            "use of deleted function",
        )
        .with("operation", q.op())),
    }
}

/// `shape(A)`.
pub(crate) fn shape(q: &Question<'_>) -> Judged {
    of(q, |layout| Ok(layout.shape()), Ok)
}

/// `stride(A)`.
pub(crate) fn stride(q: &Question<'_>) -> Judged {
    of_affine(q, |layout| Ok(layout.stride()))
}

/// `size(A)`.
pub(crate) fn size(q: &Question<'_>) -> Judged {
    of(q, Layout::size, |tuple| tuple.size())
}

/// `rank(A)`.
pub(crate) fn rank(q: &Question<'_>) -> Judged {
    of(
        q,
        |layout| Ok(number(layout.rank())),
        |tuple| Ok(number(tuple.rank())),
    )
}

/// `depth(A)`.
pub(crate) fn depth(q: &Question<'_>) -> Judged {
    of(
        q,
        |layout| Ok(number(layout.depth())),
        |tuple| Ok(number(tuple.depth())),
    )
}

/// `cosize(A)`.
pub(crate) fn cosize(q: &Question<'_>) -> Judged {
    of(q, Layout::cosize, |_| Err(unknown(q.op())))
}

/// `coshape(A)`.
pub(crate) fn coshape(q: &Question<'_>) -> Judged {
    of_affine(q, ops::coshape)
}

/// `coprofile(A)`.
pub(crate) fn coprofile(q: &Question<'_>) -> Judged {
    of_affine(q, ops::coprofile)
}
