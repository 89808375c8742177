//! The comparison of an executor's results with the algebra.

use crate::numbers::offset;
use crate::plan::Plan;
use crate::watch::{Stop, Watch, step};

/// The number of compared values, and their first difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The number of coordinates that were compared.
    pub compared: usize,
    /// The first coordinate whose offset differs.
    pub difference: Option<Difference>,
}

/// A coordinate whose computed offset is not the layout's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The colexicographic index of the coordinate.
    pub coordinate: i64,
    /// The offset by the algebra, in elements.
    pub expected: i64,
    /// The offset that was computed; `None` where the executor gave too few.
    pub got: Option<i64>,
}

/// Compares computed offsets, in the order of [`Plan::indices`], with the layout as a function.
///
/// Errors: those of the evaluation of the layout; `Unsupported` where its offsets are not numbers; the end by the
/// watch.
pub fn with_algebra(plan: &Plan, offsets: &[i64], watch: &dyn Watch) -> Result<Comparison, Stop> {
    let mut offsets = offsets.iter().copied();
    let mut compared = 0;
    for coordinate in plan.indices() {
        step(watch, compared as i64, plan.visited())?;
        let expected = offset(plan.layout(), coordinate)?;
        let got = offsets.next();
        compared += 1;
        if got != Some(expected) {
            return Ok(Comparison {
                compared,
                difference: Some(Difference {
                    coordinate,
                    expected,
                    got,
                }),
            });
        }
    }
    Ok(Comparison {
        compared,
        difference: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Unwatched;

    #[test]
    fn the_first_wrong_or_missing_offset_is_named() {
        let plan = Plan::of_offsets(&"(2,3):(3,1)".parse().unwrap()).unwrap();
        let right = [0, 3, 1, 4, 2, 5];
        assert_eq!(
            with_algebra(&plan, &right, &Unwatched).unwrap().difference,
            None
        );
        let mut wrong = right;
        wrong[3] = 7;
        let difference = with_algebra(&plan, &wrong, &Unwatched)
            .unwrap()
            .difference
            .unwrap();
        assert_eq!(
            (difference.coordinate, difference.expected, difference.got),
            (3, 4, Some(7))
        );
        let difference = with_algebra(&plan, &right[..5], &Unwatched)
            .unwrap()
            .difference
            .unwrap();
        assert_eq!((difference.coordinate, difference.got), (5, None));
    }
}
