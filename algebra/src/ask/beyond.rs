//! Questions that CuTe has no function for: properties, images, common domains.

use super::question::{Judged, Question, beyond_cute, unknown};
use super::value::Value;
use crate::image::{image, is_bijective, is_surjective};
use crate::int::Int;
use crate::judge::Judgement;
use crate::layout::Layout;
use crate::limits;
use crate::ops;
use crate::properties::{
    Decision, admissibility, full_inverse, is_compact, is_contiguous, is_injective,
};
use crate::refusal::{Refusal, Rule};
use crate::tiler::Tiler;
use crate::tuple::Tuple;
use crate::verdict::Verdict;

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

impl Question<'_> {
    /// The size that a property is about: the second operand, or the size of the layout.
    fn target(&self, layout: &Layout) -> Result<i64, Refusal> {
        if self.count() > 1 {
            return self.number(1);
        }
        let size = layout.size()?;
        size.value().ok_or_else(|| {
            Refusal::uncompilable(Rule::NotProvable, NO_SUCH_FUNCTION).with("size", &size)
        })
    }

    /// The answer to an operation that CuTe does not have.
    pub(super) fn beyond(&self, op: &str) -> Judged {
        match op {
            "concatenate" => {
                let modes = (0..self.count())
                    .map(|i| self.layout(i))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok((
                    Layout::concat(modes.iter().map(Layout::view))?.into(),
                    Judgement::accepted(),
                ))
            }
            "unflatten" => {
                let target = Layout::left(self.shape(1)?.map(|_| Int::ONE))?;
                let result = ops::modes::unflatten(&self.layout(0)?, target.view())?;
                Ok((result.into(), Judgement::accepted()))
            }
            "hier_unzip" => {
                let split = splitter(self.text(0)?)?;
                let result = ops::hier_unzip(&split, &self.layout(1)?, &self.tiler(2)?)?;
                beyond_cute(result, NO_SUCH_FUNCTION)
            }
            "common_domain" | "common_coarsening" | "common_refinement" => {
                let (a, b) = (self.shape(0)?, self.shape(1)?);
                let f = match op {
                    "common_domain" => ops::common_domain,
                    "common_coarsening" => ops::common_coarsening,
                    _ => ops::common_refinement,
                };
                beyond_cute(f(a.view(), b.view())?, NO_SUCH_FUNCTION)
            }
            "coordinates" => {
                let shape = self.shape(0)?;
                // One more than a tuple may have, so that more are refused and not listed.
                let listed = crate::coord::coordinates(&shape)?.take(limits::RANK + 1);
                let all = listed.collect::<Result<Vec<_>, _>>()?;
                beyond_cute(Tuple::group(all)?, NO_SUCH_FUNCTION)
            }
            _ => self.property(op),
        }
    }

    fn property(&self, op: &str) -> Judged {
        let layout = self.layout(0)?;
        match op {
            "injective" => decided(is_injective(&layout)),
            "contiguous" => decided(is_contiguous(&layout)),
            "compact" => decided(is_compact(&layout)),
            "surjective" => decided(is_surjective(&layout, self.target(&layout)?)?),
            "bijective" => decided(is_bijective(&layout, self.target(&layout)?)?),
            "image" => beyond_cute(image(&layout)?, NO_SUCH_FUNCTION),
            "full_inverse" => beyond_cute(full_inverse(&layout)?, NO_SUCH_FUNCTION),
            "weakly_admissible" => decided(admissibility(&layout, &self.layout(1)?)?.all_held),
            "exactly_admissible" => decided(admissibility(&layout, &self.layout(1)?)?.one_to_one),
            _ => Err(unknown(op)),
        }
    }
}
