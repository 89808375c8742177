//! Divides, products, and blocks that are repeated.

use cute_algebra::judge::{self, Form};
use cute_algebra::ops::{self, swizzled};
use cute_algebra::{AnyLayout, Int, Layout, Refusal, Tuple};

use super::question::{Judged, Question, Right, accepted, judged};

fn divide(q: &Question<'_>, form: Form) -> Judged {
    let (a, tiler) = (q.any(0)?, q.tiler(1)?);
    judged(judge::divide(&a, &tiler, form))
}

/// `logical_divide(A, tiler)`.
pub(crate) fn logical_divide(q: &Question<'_>) -> Judged {
    divide(q, Form::Logical)
}

/// `zipped_divide(A, tiler)`.
pub(crate) fn zipped_divide(q: &Question<'_>) -> Judged {
    divide(q, Form::Zipped)
}

/// `tiled_divide(A, tiler)`.
pub(crate) fn tiled_divide(q: &Question<'_>) -> Judged {
    divide(q, Form::Tiled)
}

/// `flat_divide(A, tiler)`.
pub(crate) fn flat_divide(q: &Question<'_>) -> Judged {
    divide(q, Form::Flat)
}

fn product(q: &Question<'_>, form: Form) -> Judged {
    let block = q.any(0)?;
    judged(judge::product(&block, &q.tiler(1)?, form))
}

/// `logical_product(block, tiler)`.
pub(crate) fn logical_product(q: &Question<'_>) -> Judged {
    match (q.any(0)?, q.right(1)?) {
        (AnyLayout::Affine(block), Right::Layout(AnyLayout::Composed(tiler))) => {
            accepted(swizzled::logical_product_with_swizzled(&block, &tiler)?)
        }
        _ => product(q, Form::Logical),
    }
}

/// `zipped_product(block, tiler)`.
pub(crate) fn zipped_product(q: &Question<'_>) -> Judged {
    product(q, Form::Zipped)
}

/// `tiled_product(block, tiler)`.
pub(crate) fn tiled_product(q: &Question<'_>) -> Judged {
    product(q, Form::Tiled)
}

/// `flat_product(block, tiler)`.
pub(crate) fn flat_product(q: &Question<'_>) -> Judged {
    product(q, Form::Flat)
}

/// `blocked_product(block, tiler)`.
pub(crate) fn blocked_product(q: &Question<'_>) -> Judged {
    let block = q.any(0)?;
    accepted(block.map_domain(|block| ops::blocked_product(block, &q.layout(1)?))?)
}

/// `raked_product(block, tiler)`.
pub(crate) fn raked_product(q: &Question<'_>) -> Judged {
    let block = q.any(0)?;
    accepted(block.map_domain(|block| ops::raked_product(block, &q.layout(1)?))?)
}

/// `tile_to_shape(block, shape, order)`.
pub(crate) fn tile_to_shape(q: &Question<'_>) -> Judged {
    let block = q.any(0)?;
    accepted(block.map_domain(|block| repeated(q, block))?)
}

fn repeated(q: &Question<'_>, block: &Layout) -> Result<Layout, Refusal> {
    let target = q.shape(1)?;
    match q.args().get(2).copied() {
        None | Some("LayoutLeft" | "GenColMajor") => ops::tile_to_shape(block, &target, None),
        Some("LayoutRight" | "GenRowMajor") => {
            let order = (0..target.rank())
                .rev()
                .map(|i| Int::fixed(i64::try_from(i).unwrap_or(i64::MAX)));
            ops::tile_to_shape(block, &target, Some(&Tuple::flat(order)?))
        }
        Some(_) => ops::tile_to_shape(block, &target, Some(&q.tuple(2)?)),
    }
}
