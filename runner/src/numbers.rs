//! Numbers of layouts that a run cannot do without.

use cute_algebra::{AnyLayout, Int, Layout, Rule, Verdict};
use cute_hardware::Refusal;

use crate::job::BUFFER_BYTES;
use crate::watch::{Stop, Watch, step};

/// A refusal of ours, of something that CuTe has no say in.
pub(crate) fn refusal(rule: impl Into<cute_hardware::Rule>) -> Refusal {
    Refusal::new(rule.into(), Verdict::Accepts)
}

/// An extent that has to be known.
pub(crate) fn known(int: &Int) -> Result<i64, Refusal> {
    int.value()
        .ok_or_else(|| refusal(Rule::NotProvable).with("size", int))
}

/// The offset of a coordinate, in elements, as a number.
pub(crate) fn offset(layout: &AnyLayout, coordinate: i64) -> Result<i64, Refusal> {
    let offset = layout.eval(coordinate)?;
    offset
        .as_leaf()
        .and_then(Int::value)
        .ok_or_else(|| refusal(Rule::Unsupported).with("offset", offset.to_string()))
}

/// The offset of a coordinate in memory, which starts at 0.
pub(crate) fn place(layout: &AnyLayout, coordinate: i64) -> Result<usize, Refusal> {
    let offset = offset(layout, coordinate)?;
    usize::try_from(offset).map_err(|_| {
        refusal(Rule::Unsupported)
            .with("coordinate", coordinate)
            .with("offset", offset)
    })
}

/// The same layout with every number that is known fixed: the program is made for these numbers, whether or not a
/// compiler would have known them.
pub(crate) fn with_fixed_numbers(layout: &AnyLayout) -> Result<AnyLayout, Refusal> {
    Ok(layout.map_domain(|domain| Ok(domain.to_fixed()))?)
}

/// Elements from offset 0 to the last offset of a layout.
///
/// Errors: `Unsupported` for an offset below zero, and `Limit` for more than the buffers of a run may have together: it is
/// said before anything is allocated.
pub(crate) fn span(layout: &AnyLayout, element_bytes: i64, watch: &dyn Watch) -> Result<i64, Stop> {
    let elements = match layout.as_affine().filter(|layout| is_ascending(layout)) {
        Some(layout) => known(&layout.cosize()?)?,
        None => visited_span(layout, watch)?,
    };
    let limit = BUFFER_BYTES as i64 / element_bytes.max(1);
    if elements > limit {
        return Err(refusal(Rule::Limit)
            .with("elements", elements)
            .with("limit", limit)
            .into());
    }
    Ok(elements)
}

/// Whether no stride leads below zero.
fn is_ascending(layout: &Layout) -> bool {
    let strides = layout.stride();
    let steps = strides.leaves();
    steps.iter().all(|step| {
        step.as_int()
            .and_then(Int::value)
            .is_some_and(|step| step >= 0)
    })
}

fn visited_span(layout: &AnyLayout, watch: &dyn Watch) -> Result<i64, Stop> {
    let size = known(&layout.size()?)?;
    let mut end = 0;
    for coordinate in 0..size {
        step(watch, coordinate, size)?;
        let place = place(layout, coordinate)? as i64;
        end = end.max(place.saturating_add(1));
    }
    Ok(end)
}

/// The extents of the top-level modes.
pub(crate) fn extents(layout: &Layout) -> Result<Vec<i64>, Refusal> {
    (0..layout.rank())
        .map(|mode| known(&layout.mode(mode)?.size()?))
        .collect()
}

/// The two extents of a matrix: its top-level modes may have their own modes.
pub(crate) fn matrix_extents(layout: &Layout) -> Result<[i64; 2], Refusal> {
    let found = extents(layout)?;
    <[i64; 2]>::try_from(found).map_err(|found| {
        refusal(Rule::RankMismatch)
            .with("rank", found.len())
            .with("expected", 2_i64)
    })
}

/// The top-level mode along which elements are adjacent; the first where none is.
pub(crate) fn contiguous_mode(layout: &Layout) -> Result<usize, Refusal> {
    for mode in 0..layout.rank() {
        let part = layout.mode(mode)?;
        let is_contiguous = part
            .stride()
            .leaves()
            .iter()
            .zip(part.shape().leaves())
            .any(|(stride, extent)| {
                stride.as_int().and_then(Int::value) == Some(1) && extent.value() != Some(1)
            });
        if is_contiguous {
            return Ok(mode);
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;

    #[test]
    fn the_span_is_known_before_anything_is_allocated() {
        let of = |text: &str| span(&text.parse().unwrap(), 4, &Unwatched);
        assert_eq!(of("(4,4):(8,1)"), Ok(28));
        assert_eq!(of("Sw<2,0,3> o 0 o (4,8):(8,1)"), Ok(32));
        for (text, rule) in [
            ("(2,2):(1,1000000000000)", Rule::Limit),
            ("Sw<1,0,3> o 0 o (2,2):(1,1000000000000)", Rule::Limit),
            ("4:-1", Rule::Unsupported),
        ] {
            let Err(Stop::Refused(refused)) = of(text) else {
                panic!("{text} has a span");
            };
            assert_eq!(refused.rule, rule.into(), "{text}");
        }
    }
}
