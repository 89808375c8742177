//! Modes of a layout: merged, grouped, taken, added.

use cute_algebra::ops;
use cute_algebra::{AnyLayout, Layout, Refusal};

use super::question::{Judged, Question, accepted, unknown};

/// An operation on the layout that a layout has inside.
fn on_domain(q: &Question<'_>, f: impl FnOnce(&Layout) -> Result<Layout, Refusal>) -> Judged {
    if !q.is_layout(0) {
        q.tuple(0)?;
        return q.layout(0).and_then(|_| Err(unknown(q.op())));
    }
    accepted(q.any(0)?.map_domain(f)?)
}

/// An operation with one form for all modes and one by a profile.
fn by_profile(
    q: &Question<'_>,
    whole: fn(&Layout) -> Result<Layout, Refusal>,
    by: fn(&Layout, &cute_algebra::IntTuple) -> Result<Layout, Refusal>,
) -> Judged {
    on_domain(q, |layout| match q.count() {
        1 => whole(layout),
        _ => by(layout, &q.tuple(1)?),
    })
}

/// `coalesce(A, profile)`; of a shape its compact form.
pub(crate) fn coalesce(q: &Question<'_>) -> Judged {
    if !q.is_layout(0) {
        return accepted(ops::coalesce::coalesce_shape(&q.tuple(0)?)?);
    }
    by_profile(q, ops::coalesce, ops::coalesce_by)
}

/// `filter(A, profile)`.
pub(crate) fn filter(q: &Question<'_>) -> Judged {
    by_profile(q, ops::filter, ops::filter_by)
}

/// `filter_zeros(A, profile)`.
pub(crate) fn filter_zeros(q: &Question<'_>) -> Judged {
    by_profile(q, ops::filter_zeros, ops::filter::filter_zeros_by)
}

/// `flatten(A)`; of a tuple its leaves.
pub(crate) fn flatten(q: &Question<'_>) -> Judged {
    if !q.is_layout(0) {
        return accepted(q.tuple(0)?.flatten()?);
    }
    on_domain(q, ops::flatten)
}

/// `layout(A)`: the argument, printed; of a shape its compact layout.
pub(crate) fn layout(q: &Question<'_>) -> Judged {
    if !q.is_layout(0) {
        return accepted(Layout::left(q.tuple(0)?)?);
    }
    accepted(q.any(0)?)
}

/// `group(A, begin, end)`.
pub(crate) fn group(q: &Question<'_>) -> Judged {
    on_domain(q, |layout| ops::group(layout, q.index(1)?, q.index(2)?))
}

/// `take(A, begin, end)`.
pub(crate) fn take(q: &Question<'_>) -> Judged {
    on_domain(q, |layout| ops::take(layout, q.index(1)?, q.index(2)?))
}

/// `select(A, modes...)`.
pub(crate) fn select(q: &Question<'_>) -> Judged {
    on_domain(q, |layout| {
        let modes: Vec<usize> = (1..q.count())
            .map(|i| q.index(i))
            .collect::<Result<_, _>>()?;
        ops::select(layout, &modes)
    })
}

/// `get(A, mode)`.
pub(crate) fn get(q: &Question<'_>) -> Judged {
    on_domain(q, |layout| layout.mode(q.index(1)?))
}

/// `replace(A, mode, B)`.
pub(crate) fn replace(q: &Question<'_>) -> Judged {
    on_domain(q, |layout| ops::replace(layout, q.index(1)?, &q.layout(2)?))
}

/// `zip(A, B)`.
pub(crate) fn zip(q: &Question<'_>) -> Judged {
    on_domain(q, |layout| ops::zip::zip(layout, &q.layout(1)?))
}

/// A layout beside another one.
fn beside(q: &Question<'_>, f: fn(&Layout, &Layout) -> Result<Layout, Refusal>) -> Judged {
    let other = || match q.count() {
        1 => Ok(Layout::unit()),
        _ => q.layout(1),
    };
    on_domain(q, |layout| f(layout, &other()?))
}

/// `append(A, B)`.
pub(crate) fn append(q: &Question<'_>) -> Judged {
    beside(q, ops::append)
}

/// `prepend(A, B)`.
pub(crate) fn prepend(q: &Question<'_>) -> Judged {
    beside(q, ops::prepend)
}

/// `unflatten(A, shape)`: the modes in the hierarchy of the shape.
pub(crate) fn unflatten(q: &Question<'_>) -> Judged {
    let target = Layout::left(q.shape(1)?.map(|_| cute_algebra::Int::ONE))?;
    let result = ops::modes::unflatten(&q.layout(0)?, target.view())?;
    accepted(AnyLayout::Affine(result))
}

/// `concatenate(A, B, ...)`.
pub(crate) fn concatenate(q: &Question<'_>) -> Judged {
    let modes = (0..q.count())
        .map(|i| q.layout(i))
        .collect::<Result<Vec<_>, _>>()?;
    accepted(Layout::concat(modes.iter().map(Layout::view))?)
}
