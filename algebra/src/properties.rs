//! Properties of a layout as a function: injective, contiguous, bijective, compact, and the common part with another
//! one.
//!
//! Each is decided by a theorem where one applies, and otherwise at up to a budget of coordinates; a [`Decision`] says
//! which. All are for known integer strides; symbols leave a property open.

use crate::int::Int;
use crate::layout::Layout;
use crate::limits;
use crate::ops;
use crate::proof;
use crate::refusal::{Refusal, Rule};
use crate::verdict::Verdict;
use crate::witness::Checked;

/// A decision on a property, and its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The answer; `None` when neither a theorem nor the budget decides it.
    pub holds: Option<bool>,
    /// The proof.
    pub checked: Checked,
}

impl Decision {
    pub(crate) fn theorem(holds: bool) -> Self {
        Decision {
            holds: Some(holds),
            checked: Checked::ByTheorem,
        }
    }

    fn open(checked: Checked) -> Self {
        Decision {
            holds: None,
            checked,
        }
    }
}

/// The extents above 1 with the sizes of their steps, smallest step first; `None` when a number is unknown.
fn modes_by_step(layout: &Layout) -> Option<Vec<(i64, i64)>> {
    let view = layout.view();
    let mut modes = Vec::with_capacity(view.extents().len());
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let (extent, step) = (extent.value()?, step.as_int()?.value()?);
        if extent < 1 {
            return None;
        }
        if extent > 1 {
            modes.push((extent, step.checked_abs()?));
        }
    }
    modes.sort_by_key(|(_, step)| *step);
    Some(modes)
}

/// Whether different coordinates have different offsets.
///
/// Theorem: yes, if each step is larger than the reach of all smaller ones together. No, if a step is 0, two steps are
/// equal, or there are more coordinates than offsets between the smallest and the largest.
pub fn is_injective(layout: &Layout) -> Decision {
    let (Some(modes), Some(size)) = (modes_by_step(layout), known(layout.size())) else {
        return Decision::open(Checked::Not);
    };
    let mut reach = 0_i64;
    let mut separated = true;
    let mut previous = 0;
    for &(extent, step) in &modes {
        if step == previous {
            return Decision::theorem(false);
        }
        separated &= step > reach;
        previous = step;
        let Some(next) = (extent - 1)
            .checked_mul(step)
            .and_then(|r| r.checked_add(reach))
        else {
            return Decision::open(Checked::Not);
        };
        reach = next;
    }
    if separated {
        return Decision::theorem(true);
    }
    if size > reach.saturating_add(1) {
        return Decision::theorem(false);
    }
    let budget = limits::BUDGET;
    match proof::first_collision(layout, budget) {
        Some(_) => Decision {
            holds: Some(false),
            checked: Checked::Everywhere,
        },
        None if size.unsigned_abs() <= budget => Decision {
            holds: Some(true),
            checked: Checked::Everywhere,
        },
        None => Decision::open(Checked::First(budget)),
    }
}

/// Whether the offsets are all the integers between the smallest and the largest.
///
/// Theorem: with steps in ascending order, yes if and only if each step is at most one more than the reach of the smaller
/// ones.
pub fn is_contiguous(layout: &Layout) -> Decision {
    let Some(modes) = modes_by_step(layout) else {
        return Decision::open(Checked::Not);
    };
    let mut reach = 0_i64;
    for (extent, step) in modes {
        if step > reach + 1 {
            return Decision::theorem(false);
        }
        match (extent - 1)
            .checked_mul(step)
            .and_then(|r| r.checked_add(reach))
            .filter(|r| *r < i64::MAX)
        {
            Some(next) => reach = next,
            None => return Decision::open(Checked::Not),
        }
    }
    Decision::theorem(true)
}

/// Whether the offsets are exactly `0..size`, each once: the layout has a full inverse (paper §3.4.1, *compact*).
pub fn is_compact(layout: &Layout) -> Decision {
    let starts_at_zero = layout
        .view()
        .steps()
        .iter()
        .zip(layout.view().extents())
        .all(|(step, extent)| {
            extent.value() == Some(1)
                || step
                    .as_int()
                    .and_then(Int::value)
                    .is_some_and(|step| step >= 0)
        });
    let (contiguous, injective) = (is_contiguous(layout), is_injective(layout));
    match (contiguous.holds, injective.holds) {
        (Some(false), _) => contiguous,
        (Some(true), Some(true)) => Decision {
            holds: Some(starts_at_zero),
            checked: injective.checked,
        },
        _ => injective,
    }
}

/// The inverse of a compact layout: `L(R(k)) = k = R(L(k))` for all `k < size(L)` (paper §3.4.1).
///
/// Refused for a layout that is not compact, naming its size and the size of its largest right inverse.
pub fn full_inverse(layout: &Layout) -> Result<Layout, Refusal> {
    let inverse = ops::right_inverse(layout)?;
    let (size, found) = (layout.size()?, inverse.size()?);
    if size.equals(&found) == Some(true) {
        return Ok(inverse);
    }
    Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
        .with("size", &size)
        .with("right_inverse_size", &found)
        .with("layout", format!("{layout:#}")))
}

/// Whether one layout holds all offsets that another one accesses, and where (paper §3.4.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admissibility {
    /// `A^ o T`: for each coordinate of the instruction the coordinate of the data.
    pub coordinates: Layout,
    /// Every offset is held: `A(A^(T(i))) = T(i)`.
    pub all_held: Decision,
    /// Every offset is held at a separate coordinate.
    pub one_to_one: Decision,
    /// The first `i` whose offset the data does not hold.
    pub first_missing: Option<i64>,
}

/// Whether `data` holds every offset that `instruction` accesses, and at which coordinates (paper §3.4.4).
///
/// Refused where the left inverse of `data` or its composition with `instruction` is.
///
/// ```
/// use cute_algebra::{Layout, properties::admissibility};
/// let data: Layout = "(_128,_64):(_16384,_1)".parse()?;
/// let load: Layout = "(_2,_128):(_1,_16384)".parse()?;
/// let found = admissibility(&data, &load)?;
/// assert_eq!(found.all_held.holds, Some(true));
/// assert_eq!(found.coordinates.to_string(), "(_2,_128):(_128,_1)");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn admissibility(data: &Layout, instruction: &Layout) -> Result<Admissibility, Refusal> {
    let inverse = ops::left_inverse(data)?;
    let coordinates = ops::composition(&inverse, instruction)?;
    let (Some(data_size), Some(size)) = (data.size()?.value(), instruction.size()?.value()) else {
        let open = Decision::open(Checked::Not);
        return Ok(Admissibility {
            coordinates,
            all_held: open,
            one_to_one: open,
            first_missing: None,
        });
    };
    let budget = i64::try_from(limits::BUDGET).unwrap_or(i64::MAX);
    let mut first_missing = None;
    for i in 0..size.min(budget) {
        let offset = instruction.eval_number(i)?;
        let coordinate = inverse.eval_number(offset)?;
        if coordinate >= data_size || data.eval_number(coordinate)? != offset {
            first_missing = Some(i);
            break;
        }
    }
    let checked = if size <= budget {
        Checked::Everywhere
    } else {
        Checked::First(limits::BUDGET)
    };
    let all_held = match first_missing {
        Some(_) => Decision {
            holds: Some(false),
            checked: Checked::Everywhere,
        },
        None if size <= budget => Decision {
            holds: Some(true),
            checked,
        },
        None => Decision::open(checked),
    };
    let one_to_one = match all_held.holds {
        Some(true) => is_injective(instruction),
        _ => all_held,
    };
    Ok(Admissibility {
        coordinates,
        all_held,
        one_to_one,
        first_missing,
    })
}

fn known(size: Result<Int, Refusal>) -> Option<i64> {
    size.ok()?.value()
}
