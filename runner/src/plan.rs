//! The subject of a computation: the offsets of the coordinates of a layout, all of them or an even sample.

use cute_algebra::{AnyLayout, Delta, Int, Layout, Rule};
use cute_hardware::Refusal;
use cute_hardware::address::{Program, ptx::offsets_kernel};

use crate::job::{Argument, Buffer, Job, Launch};
use crate::numbers::{known, refusal};

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
    most: Option<i64>,
}

impl Plan {
    /// The plan that computes the offset of every coordinate, or of [`COORDINATES`] spread evenly where there are more.
    ///
    /// Errors: `NotProvable` for extents or strides that are not known numbers, and for offsets that are not numbers.
    pub fn of_offsets(layout: &AnyLayout) -> Result<Self, Refusal> {
        let known = known(&layout.size()?)?;
        let program = Program::of_index(layout)?;
        if let Some(unknown) = program.parameters().first() {
            return Err(refusal(Rule::NotProvable).with("value", unknown));
        }
        Ok(Plan {
            layout: layout.clone(),
            program,
            size: known,
            step: step_over(known, COORDINATES),
            most: None,
        })
    }

    /// The same plan, with at most `count` coordinates, spread evenly.
    #[must_use]
    pub fn at_most(mut self, count: i64) -> Self {
        self.step = self.step.max(step_over(self.size, count));
        self.most = Some(count);
        self
    }

    /// The requested limit on the number of coordinates.
    pub fn most(&self) -> Option<i64> {
        self.most
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

    /// Number of visited coordinates.
    pub fn visited(&self) -> i64 {
        (self.size + self.step - 1) / self.step
    }

    /// The launch that computes the same offsets on a GPU.
    ///
    /// Errors: `Overflow` where the sampled indices leave 64-bit integers.
    pub fn job(&self) -> Result<Job, Refusal> {
        let count = self.indices().count() as u32;
        let program = if self.is_exhaustive() {
            self.program.clone()
        } else {
            let shape = Int::fixed(i64::from(count)).into();
            let visited = Layout::new(shape, Delta::from(Int::fixed(self.step)).into())?;
            Program::of_index(&visited.into())?.then(&self.program)
        };
        let kernel = offsets_kernel(&program);
        Ok(Job {
            buffers: vec![Buffer::result("offsets", u64::from(count) * 8, 0xFF)],
            arguments: vec![Argument::Buffer(0), Argument::Word(count)],
            maps: Vec::new(),
            launch: Launch {
                blocks: count.div_ceil(kernel.threads).max(1),
                ..Launch::one(kernel.threads, 0)
            },
            kernel,
            timing: None,
            driver_copy: None,
        })
    }

    /// The offsets in the bytes that the job leaves.
    pub fn offsets_in(bytes: &[u8]) -> Vec<i64> {
        bytes
            .as_chunks::<8>()
            .0
            .iter()
            .map(|offset| i64::from_le_bytes(*offset))
            .collect()
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
fn step_over(size: i64, count: i64) -> i64 {
    if size <= count {
        1
    } else {
        (size / count.max(1) + 1) | 1
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
    fn the_job_of_a_sample_computes_the_sampled_indices() {
        let sample = plan(&format!("(2,{COORDINATES}):({COORDINATES},1)"));
        let job = sample.job().unwrap();
        assert_eq!(job.bytes(), 8 * sample.indices().count() as u64);
        assert!(job.to_string().contains("launch layout_offsets<<<"));
        let bytes: Vec<u8> = [3_i64, -1].iter().flat_map(|o| o.to_le_bytes()).collect();
        assert_eq!(Plan::offsets_in(&bytes), [3, -1]);
    }

    #[test]
    fn fewer_coordinates_are_visited_where_that_is_asked_for() {
        for count in [1, 2, 7, 64, 100] {
            let sampled = plan("(10,10):(1,10)").at_most(count);
            let visited = sampled.indices().count() as i64;
            assert!((1..=count).contains(&visited), "{count}: {visited}");
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
