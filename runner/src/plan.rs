//! What is to be computed: the offsets of the coordinates of a layout, all of them or an even sample.

use cute_algebra::{AnyLayout, Rule, Verdict};
use cute_hardware::Refusal;
use cute_hardware::address::Program;

/// The most coordinates that one run visits: each costs an evaluation by the executor and one by the algebra, and a
/// million are compared in well under a second.
pub const COORDINATES: i64 = 1 << 20;

/// The offsets of a layout's coordinates, to be computed by its address program.
#[derive(Clone, Debug)]
pub struct Plan {
    layout: AnyLayout,
    program: Program,
    size: i64,
    step: i64,
}

impl Plan {
    /// The plan that computes the offset of every coordinate, or of [`COORDINATES`] spread evenly where there are more.
    ///
    /// Errors: `NotProvable` for extents or strides that are not known numbers, and for offsets that are no numbers.
    pub fn of_offsets(layout: &AnyLayout) -> Result<Self, Refusal> {
        let size = layout.size()?;
        let Some(known) = size.value() else {
            let refusal = Refusal::new(Rule::NotProvable.into(), Verdict::Accepts);
            return Err(refusal.with("size", &size));
        };
        Ok(Plan {
            layout: layout.clone(),
            program: Program::of_index(layout)?,
            size: known,
            step: step_over(known),
        })
    }

    /// The layout whose function is computed.
    pub fn layout(&self) -> &AnyLayout {
        &self.layout
    }

    /// The program that computes it.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The number of coordinates of the layout.
    pub fn size(&self) -> i64 {
        self.size
    }

    /// Whether every coordinate is visited.
    pub fn is_exhaustive(&self) -> bool {
        self.step == 1
    }

    /// The colexicographic indices that are visited, in increasing order.
    pub fn indices(&self) -> impl Iterator<Item = i64> + use<> {
        let (size, step) = (self.size, self.step);
        std::iter::successors((size > 0).then_some(0), move |index: &i64| {
            index.checked_add(step).filter(|next| *next < size)
        })
    }
}

/// The distance of the visited indices: 1, or an odd number, so that a sample does not keep to one column of a layout
/// whose extents are powers of two.
fn step_over(size: i64) -> i64 {
    if size <= COORDINATES {
        1
    } else {
        (size / COORDINATES + 1) | 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(layout: &str) -> Plan {
        Plan::of_offsets(&layout.parse().unwrap()).unwrap()
    }

    #[test]
    fn every_coordinate_is_visited_up_to_the_limit_and_a_sample_beyond_it() {
        let all = plan(&format!("{COORDINATES}:1"));
        assert!(all.is_exhaustive());
        assert_eq!(all.indices().count() as i64, COORDINATES);
        let sample = plan(&format!("{}:1", COORDINATES + 1));
        assert!(!sample.is_exhaustive());
        let huge = plan("(1048576,1048576,1048576):(1,1048576,1099511627776)");
        for sample in [sample, huge] {
            let count = sample.indices().count() as i64;
            assert!((COORDINATES / 4..=COORDINATES).contains(&count), "{count}");
            assert!(sample.indices().all(|index| index < sample.size()));
        }
    }

    #[test]
    fn an_unknown_extent_is_refused_by_its_name() {
        let layout = "(M,4):(4,1)".parse().unwrap();
        let refusal = Plan::of_offsets(&layout).unwrap_err();
        assert_eq!(refusal.rule, Rule::NotProvable.into());
        assert!(refusal.to_string().contains('M'), "{refusal}");
    }
}
