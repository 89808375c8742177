//! Questions that CuTe has no function for: properties, images, common domains.

use super::question::{Judged, Question, beyond_cute, unknown};
use super::value::Value;
use cute_algebra::image::{image, is_bijective, is_surjective};
use cute_algebra::int::Int;
use cute_algebra::judge::Judgement;
use cute_algebra::layout::Layout;
use cute_algebra::limits;
use cute_algebra::ops;
use cute_algebra::properties::{
    Decision, admissibility, full_inverse, is_compact, is_contiguous, is_injective,
};
use cute_algebra::refusal::{Refusal, Rule};
use cute_algebra::tiler::Tiler;
use cute_algebra::tuple::Tuple;
use cute_algebra::verdict::Verdict;

/// CuTe's verdict on all of these.
const NO_SUCH_FUNCTION: &str = "CuTe has no such function";

fn decided(decision: Decision) -> Judged {
    let holds = decision
        .holds
        .ok_or_else(|| Refusal::uncompilable(Rule::NotProvable, NO_SUCH_FUNCTION))?;
    let judgement = Judgement {
        cute: Verdict::CompileError(NO_SUCH_FUNCTION),
        checked: decision.checked,
        ..Judgement::accepted()
    };
    Ok((Value::Truth(Int::fixed_bool(holds)), judgement))
}

type Splitter = fn(&Layout, &Tiler) -> Result<Layout, Refusal>;

/// A splitter of [`ops::hier_unzip`] by its name.
fn splitter(name: &str) -> Result<Splitter, Refusal> {
    match name.trim() {
        "logical_divide" => Ok(ops::logical_divide),
        "logical_product" => Ok(ops::logical_product),
        _ => Err(unknown(name)),
    }
}

/// The size that a property is about: the second operand, or the size of the layout.
fn target(q: &Question<'_>, layout: &Layout) -> Result<i64, Refusal> {
    if q.count() > 1 {
        return q.number(1);
    }
    let size = layout.size()?;
    size.value().ok_or_else(|| {
        Refusal::uncompilable(Rule::NotProvable, NO_SUCH_FUNCTION).with("size", &size)
    })
}

/// `hier_unzip(splitter, A, tiler)`.
pub(crate) fn hier_unzip(q: &Question<'_>) -> Judged {
    let split = splitter(q.text(0)?)?;
    let result = ops::hier_unzip(&split, &q.layout(1)?, &q.tiler(2)?)?;
    beyond_cute(result, NO_SUCH_FUNCTION)
}

/// `common_domain(a, b)`.
pub(crate) fn common_domain(q: &Question<'_>) -> Judged {
    let (a, b) = (q.shape(0)?, q.shape(1)?);
    beyond_cute(ops::common_domain(a.view(), b.view())?, NO_SUCH_FUNCTION)
}

/// `common_coarsening(a, b)`.
pub(crate) fn common_coarsening(q: &Question<'_>) -> Judged {
    let (a, b) = (q.shape(0)?, q.shape(1)?);
    beyond_cute(
        ops::common_coarsening(a.view(), b.view())?,
        NO_SUCH_FUNCTION,
    )
}

/// `common_refinement(a, b)`.
pub(crate) fn common_refinement(q: &Question<'_>) -> Judged {
    let (a, b) = (q.shape(0)?, q.shape(1)?);
    beyond_cute(
        ops::common_refinement(a.view(), b.view())?,
        NO_SUCH_FUNCTION,
    )
}

/// `coordinates(shape)`: all of them, in order.
pub(crate) fn coordinates(q: &Question<'_>) -> Judged {
    let shape = q.shape(0)?;
    // One more than a tuple may have, so that more are refused and not listed.
    let listed = cute_algebra::coord::coordinates(&shape)?.take(limits::RANK + 1);
    let all = listed.collect::<Result<Vec<_>, _>>()?;
    beyond_cute(Tuple::group(all)?, NO_SUCH_FUNCTION)
}

/// `injective(A)`.
pub(crate) fn injective(q: &Question<'_>) -> Judged {
    decided(is_injective(&q.layout(0)?))
}

/// `contiguous(A)`.
pub(crate) fn contiguous(q: &Question<'_>) -> Judged {
    decided(is_contiguous(&q.layout(0)?))
}

/// `compact(A)`.
pub(crate) fn compact(q: &Question<'_>) -> Judged {
    decided(is_compact(&q.layout(0)?))
}

/// `surjective(A, size)`.
pub(crate) fn surjective(q: &Question<'_>) -> Judged {
    let layout = q.layout(0)?;
    decided(is_surjective(&layout, target(q, &layout)?)?)
}

/// `bijective(A, size)`.
pub(crate) fn bijective(q: &Question<'_>) -> Judged {
    let layout = q.layout(0)?;
    decided(is_bijective(&layout, target(q, &layout)?)?)
}

/// `image(A)`.
pub(crate) fn image_of(q: &Question<'_>) -> Judged {
    beyond_cute(image(&q.layout(0)?)?, NO_SUCH_FUNCTION)
}

/// `full_inverse(A)`.
pub(crate) fn inverse_of(q: &Question<'_>) -> Judged {
    beyond_cute(full_inverse(&q.layout(0)?)?, NO_SUCH_FUNCTION)
}

/// `weakly_admissible(A, B)`.
pub(crate) fn weakly_admissible(q: &Question<'_>) -> Judged {
    decided(admissibility(&q.layout(0)?, &q.layout(1)?)?.all_held)
}

/// `exactly_admissible(A, B)`.
pub(crate) fn exactly_admissible(q: &Question<'_>) -> Judged {
    decided(admissibility(&q.layout(0)?, &q.layout(1)?)?.one_to_one)
}
