//! Every table is a finite sequence of compositions (paper §2.4.3, completeness).
//!
//! The paper reaches `f` on `N` indices with `N - 2` layouts: the right ones send `i` to `2^(i-1)`, the leftmost one
//! sends `2^(i-1)` to `f(i)`. We keep that construction and spend a layout only where it is needed. As long as
//! `f(x) = f(x - b) + s` holds, nothing is added. Where it fails at index `x`, the leftmost layout gets a mode with step
//! `f(x)` at position `P`, the product of its extents so far, and `(x,1):(1,X)` on the right sends `x` to `X`, which the
//! layouts to its left send to `P`. With `a = ceil(x/b)` the last extent so far, `X = a*b`, since `b` goes to the
//! position of the last mode. When `X = x`, that layout is the identity and is left out: a table that a layout has gives
//! exactly this layout.

use super::flat_layout;
use super::reading::{Beginning, Table};
use crate::layout::Layout;

/// Layouts whose composition has the function `f(x) - f(0)`, the last one applied first; `None` when the positions or
/// steps would leave 64 bits.
pub(super) fn sequence_of(values: &[i64]) -> Option<Vec<Layout>> {
    let table = Table::new(values, |value| value);
    let origin = *values.first()?;
    let step_to = |index: usize| values.get(index)?.checked_sub(origin);

    let mut modes: Vec<(i64, i64)> = Vec::new();
    let mut rerouted: Vec<Layout> = Vec::new();
    let mut size = 1_i64;
    let mut newest = Beginning {
        at: 1,
        step: step_to(1)?,
    };
    loop {
        let departure = table.first_departure(newest, newest.at + 1);
        let end = departure.unwrap_or(values.len());
        let extent = i64::try_from(end.div_ceil(newest.at)).ok()?;
        modes.push((extent, newest.step));
        size = size.checked_mul(extent)?;
        let Some(index) = departure else { break };
        let target = extent.checked_mul(i64::try_from(newest.at).ok()?)?;
        let from = i64::try_from(index).ok()?;
        if target != from {
            rerouted.push(flat_layout(&[(from, 1), (1, target)]));
        }
        newest = Beginning {
            at: index,
            step: step_to(index)?,
        };
    }
    let mut layouts = vec![flat_layout(&modes)];
    layouts.append(&mut rerouted);
    Some(layouts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Refusal;

    fn text(values: &[i64]) -> Option<String> {
        let layouts = sequence_of(values)?;
        Some(
            layouts
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" o "),
        )
    }

    #[test]
    fn it_is_the_paper_s_sequence_where_nothing_is_regular() {
        assert_eq!(
            text(&[0, 7, 3, 11, 5, 100]).as_deref(),
            Some(
                "(_2,_2,_2,_2,_2):(_7,_3,_11,_5,_100) o (_3,_1):(_1,_4) o (_4,_1):(_1,_6) o (_5,_1):(_1,_8)"
            )
        );
    }

    #[test]
    fn it_is_the_layout_where_there_is_one() {
        assert_eq!(
            text(&[0, 4, 8, 1, 5, 9]).as_deref(),
            Some("(_3,_2):(_4,_1)")
        );
    }

    #[test]
    fn regular_runs_cost_nothing() -> Result<(), Refusal> {
        let values: Vec<i64> = (0..100).chain(500..550).chain([3]).collect();
        let layouts = sequence_of(&values).unwrap_or_default();
        assert_eq!(layouts.len(), 2);
        for (index, value) in (0_i64..).zip(&values) {
            let reached = layouts
                .iter()
                .rev()
                .try_fold(index, |c, layout| layout.eval_number(c))?;
            assert_eq!(reached, *value);
        }
        Ok(())
    }

    #[test]
    fn too_many_irregular_values_are_refused() {
        let values: Vec<i64> = (0..70).map(|i: i64| i * i * i).collect();
        assert_eq!(sequence_of(&values), None);
    }
}
