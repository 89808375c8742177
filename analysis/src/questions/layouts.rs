//! Layouts made of shapes, strides, orders and other layouts.

use cute_algebra::judge::Judgement;
use cute_algebra::ops;
use cute_algebra::{Int, Layout};

use super::Value;
use super::question::{Judged, Question, accepted};

/// `make_layout(shape, stride)`; without a stride the leftmost mode is fastest.
pub(crate) fn make_layout(q: &Question<'_>) -> Judged {
    match q.args().get(1).copied() {
        None | Some("LayoutLeft" | "GenColMajor") => accepted(Layout::left(q.tuple(0)?)?),
        Some("LayoutRight" | "GenRowMajor") => accepted(Layout::right(q.tuple(0)?)?),
        Some(_) => accepted(Layout::new(q.tuple(0)?, q.parse(1)?)?),
    }
}

/// `make_layout_right(shape)`: the rightmost mode is fastest.
pub(crate) fn make_layout_right(q: &Question<'_>) -> Judged {
    match q.count() {
        1 => accepted(Layout::right(q.tuple(0)?)?),
        _ => make_layout(q),
    }
}

/// `make_ordered_layout(shape, order)`.
pub(crate) fn make_ordered_layout(q: &Question<'_>) -> Judged {
    accepted(ops::make_ordered_layout(&q.tuple(0)?, &q.tuple(1)?)?)
}

/// `make_layout_like(A)`.
pub(crate) fn make_layout_like(q: &Question<'_>) -> Judged {
    accepted(ops::make_layout_like(&q.layout(0)?)?)
}

/// `make_fragment_like(A)`.
pub(crate) fn make_fragment_like(q: &Question<'_>) -> Judged {
    if q.is_layout(0) {
        return accepted(ops::make_fragment_like(q.any(0)?.domain())?);
    }
    accepted(Layout::left(q.tuple(0)?)?)
}

/// `make_identity_layout(shape)`.
pub(crate) fn make_identity_layout(q: &Question<'_>) -> Judged {
    accepted(ops::make_identity_layout(&q.tuple(0)?)?)
}

/// `make_basis_like(shape)`.
pub(crate) fn make_basis_like(q: &Question<'_>) -> Judged {
    let strides = ops::make_basis_like(&q.tuple(0)?)?;
    Ok((Value::Stride(strides), Judgement::accepted()))
}

/// `domain_distribute(shape, workers)`.
pub(crate) fn domain_distribute(q: &Question<'_>) -> Judged {
    accepted(ops::domain_distribute(&q.shape(0)?, &q.parse::<Int>(1)?)?)
}
