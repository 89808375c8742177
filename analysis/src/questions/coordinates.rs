//! Coordinates, indices and offsets; slices.

use cute_algebra::judge::Judgement;
use cute_algebra::ops::{self, swizzled_slice};
use cute_algebra::{Coord, Stride, coord};

use super::Value;
use super::question::{Judged, Question, accepted, beyond_cute, offset_value};

/// The places of the coordinate and of the layout: CuTe writes `slice(coord, layout)`, and a layout is called with the
/// coordinate behind it.
fn places(q: &Question<'_>) -> (usize, usize) {
    if q.is_layout(0) { (1, 0) } else { (0, 1) }
}

/// `slice(coordinate, A)`.
pub(crate) fn slice(q: &Question<'_>) -> Judged {
    let (at, of) = places(q);
    let sliced = swizzled_slice::slice_any(&q.parse::<Coord>(at)?, &q.any(of)?)?;
    if sliced.rank() == 0 && q.is_composed(of) {
        return beyond_cute(sliced, "no matching function for call to make_layout()");
    }
    accepted(sliced)
}

/// `dice(coordinate, A)`.
pub(crate) fn dice(q: &Question<'_>) -> Judged {
    let (at, of) = places(q);
    accepted(ops::dice(&q.parse::<Coord>(at)?, &q.layout(of)?)?)
}

/// `slice_and_offset(coordinate, A)`.
pub(crate) fn slice_and_offset(q: &Question<'_>) -> Judged {
    let (at, of) = places(q);
    let coordinate = q.parse::<Coord>(at)?;
    let (slice, offset) = swizzled_slice::slice_and_offset_any(&coordinate, &q.any(of)?)?;
    Ok((Value::SliceAndOffset(slice, offset), Judgement::accepted()))
}

/// `eval(A, coordinate)`: `A(coordinate)`.
pub(crate) fn eval(q: &Question<'_>) -> Judged {
    let (layout, coordinate) = (q.any(0)?, q.tuple(1)?);
    offset_value(
        layout.eval_coord(&coordinate)?,
        layout.domain().stride_view(),
    )
}

/// `crd2idx(coordinate, shape, stride)`, `crd2idx(coordinate, A)`.
pub(crate) fn crd2idx(q: &Question<'_>) -> Judged {
    if q.count() == 3 {
        let stride: Stride = q.parse(2)?;
        let (coordinate, shape) = (q.tuple(0)?, q.tuple(1)?);
        let offset = coord::crd2idx(coordinate.view(), shape.view(), stride.view())?;
        return offset_value(offset, stride.view());
    }
    if q.is_layout(1) {
        let layout = q.any(1)?;
        let offset = layout.eval_coord(&q.tuple(0)?)?;
        return offset_value(offset, layout.domain().stride_view());
    }
    let (coordinate, shape) = (q.tuple(0)?, q.tuple(1)?);
    accepted(coord::crd2idx_colex(coordinate.view(), shape.view())?)
}

/// `idx2crd(index, shape, stride)`.
pub(crate) fn idx2crd(q: &Question<'_>) -> Judged {
    if q.count() == 3 {
        let stride: Stride = q.parse(2)?;
        let (index, shape) = (q.tuple(0)?, q.tuple(1)?);
        return accepted(coord::idx2crd_stride(
            index.view(),
            shape.view(),
            stride.view(),
        )?);
    }
    accepted(coord::idx2crd(q.tuple(0)?.view(), q.shape(1)?.view())?)
}

/// `crd2crd(coordinate, from, to)`.
pub(crate) fn crd2crd(q: &Question<'_>) -> Judged {
    let (coordinate, from, to) = (q.tuple(0)?, q.tuple(1)?, q.tuple(2)?);
    accepted(coord::crd2crd(coordinate.view(), from.view(), to.view())?)
}
