//! The questions to a machine, and its answers: one value for every executor.

use cute_algebra::{AnyLayout, Layout};
use cute_hardware::{Refusal, SharedLayout};

use crate::Failure;
use crate::banks::{BankAccess, BankTiming};
use crate::compare::{self, Comparison};
use crate::copy::{Copy, Misplaced, Rates};
use crate::cpu;
use crate::fragments::{Compared, Direction, Fragments};
use crate::gemm::Gemm;
use crate::job::{Job, Outcome, Timing};
use crate::plan::Plan;
use crate::product::Product;
use crate::tma::{TmaAnswer, TmaLoad};
use crate::watch::{Stop, Watch};

/// A question to a machine.
#[derive(Clone, Debug)]
pub enum Experiment {
    /// Is the program of this layout the layout?
    Offsets(Box<Plan>),
    /// Does every element arrive, and how fast?
    Copy(Box<Copy>),
    /// The wavefronts of this access of a warp.
    Banks(Box<BankAccess>),
    /// Does TMA put a tile where the layout says?
    Tma(Box<TmaLoad>),
    /// Does every lane have the elements that the layout says?
    Fragments(Box<Fragments>),
    /// Do the descriptors lead the tensor cores to the elements of the tiles?
    Product(Box<Product>),
    /// Is the generic product that of these layouts?
    Gemm(Box<Gemm>),
}

/// The answer of a machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    /// The comparison of the offsets with the algebra.
    Offsets(Comparison),
    /// The first element that did not arrive, and how fast all did where it was measured.
    Copy {
        /// The first element that is not where the algebra says.
        misplaced: Option<Misplaced>,
        /// Bandwidths, of a GPU only.
        rates: Option<Rates>,
    },
    /// The measurement; the model's figures are the experiment's own.
    Banks(Option<BankTiming>),
    /// The comparison of shared memory.
    Tma(TmaAnswer),
    /// The comparison of the elements of a fragment, a tile or a matrix.
    Elements(Compared),
}

impl Measured {
    /// Whether the machine and the algebra agree.
    pub fn agrees(&self) -> bool {
        match self {
            Self::Offsets(comparison) => comparison.difference.is_none(),
            Self::Copy { misplaced, .. } => misplaced.is_none(),
            Self::Banks(_) => true,
            Self::Tma(answer) => answer.agrees(),
            Self::Elements(compared) => compared.wrong.is_none(),
        }
    }
}

impl Experiment {
    /// The offsets of a layout; of at most `samples` coordinates where that is said.
    ///
    /// # Errors
    /// As [`Plan::of_offsets`].
    pub fn offsets(layout: &AnyLayout, samples: Option<i64>) -> Result<Self, Refusal> {
        let plan = Plan::of_offsets(layout)?;
        Ok(Self::Offsets(Box::new(match samples {
            Some(samples) => plan.at_most(samples),
            None => plan,
        })))
    }

    /// A copy between two layouts.
    ///
    /// # Errors
    /// As [`Copy::between`].
    pub fn copy(
        source: &AnyLayout,
        destination: &AnyLayout,
        element_bits: i64,
        watch: &dyn Watch,
    ) -> Result<Self, Stop> {
        let copy = Copy::between(source, destination, element_bits, watch)?;
        Ok(Self::Copy(Box::new(copy)))
    }

    /// One warp's access to shared memory.
    ///
    /// # Errors
    /// As [`BankAccess::of`].
    pub fn banks(layout: &AnyLayout, element_bits: i64) -> Result<Self, Refusal> {
        BankAccess::of(layout, element_bits).map(|access| Self::Banks(Box::new(access)))
    }

    /// Loads of a tile by TMA, from a tensor or from one of the tile's extents.
    ///
    /// # Errors
    /// As [`TmaLoad::from_tensor`].
    pub fn tma(shared: &SharedLayout, tensor: Option<&Layout>) -> Result<Self, Refusal> {
        let load = match tensor {
            Some(tensor) => TmaLoad::from_tensor(shared, tensor),
            None => TmaLoad::of(shared),
        };
        Ok(Self::Tma(Box::new(load?)))
    }

    /// `ldmatrix` or `stmatrix` on the first matrices of a tile.
    ///
    /// # Errors
    /// As [`Fragments::of`].
    pub fn fragments(shared: &SharedLayout, direction: Direction) -> Result<Self, Refusal> {
        Fragments::of(shared, direction).map(|fragments| Self::Fragments(Box::new(fragments)))
    }

    /// The generic product of three layouts.
    ///
    /// # Errors
    /// As [`Gemm::of`].
    pub fn gemm(layouts: [&AnyLayout; 3], seed: u64, watch: &dyn Watch) -> Result<Self, Stop> {
        Ok(Self::Gemm(Box::new(Gemm::of(layouts, seed, watch)?)))
    }

    /// The jobs of a GPU: the experiment itself, then those that it is measured against.
    ///
    /// # Errors
    /// Those of the kernels.
    pub fn jobs(&self) -> Result<Vec<Job>, Refusal> {
        match self {
            Self::Offsets(plan) => Ok(vec![plan.job()?]),
            Self::Copy(copy) => {
                let timing = Some(Timing::STANDARD);
                Ok(vec![
                    copy.job(timing, false)?,
                    copy.identity()?.job(timing, true)?,
                ])
            }
            Self::Banks(access) => access.jobs(),
            Self::Tma(load) => load.jobs(),
            Self::Fragments(fragments) => Ok(vec![fragments.job()?]),
            Self::Product(product) => product.jobs(),
            Self::Gemm(gemm) => Ok(vec![gemm.job()?]),
        }
    }

    /// The answer of this machine's processor.
    ///
    /// # Errors
    /// Refusals of the subject, and the end by the watch.
    pub fn on_cpu(&self, watch: &dyn Watch) -> Result<Measured, Stop> {
        Ok(match self {
            Self::Offsets(plan) => {
                let offsets = cpu::offsets(plan, watch)?;
                Measured::Offsets(compare::with_algebra(plan, &offsets, watch)?)
            }
            Self::Copy(copy) => Measured::Copy {
                misplaced: copy.first_misplaced(&copy.on_cpu(watch)?, watch)?,
                rates: None,
            },
            Self::Banks(_) => Measured::Banks(None),
            Self::Tma(load) => Measured::Tma(load.answer_of_the_cpu()?),
            Self::Fragments(fragments) => {
                Measured::Elements(fragments.compared(&fragments.on_cpu()?)?)
            }
            Self::Product(product) => Measured::Elements(product.compared(&product.on_cpu()?)?),
            Self::Gemm(gemm) => Measured::Elements(gemm.compared(&gemm.on_cpu(watch)?, watch)?),
        })
    }

    /// The answer in the results of the jobs on a GPU, in their order.
    ///
    /// # Errors
    /// Outcomes that cannot be judged, and the end by the watch.
    pub fn answer_of(&self, outcomes: &[Outcome], watch: &dyn Watch) -> Result<Measured, Failure> {
        let stopped = |stop: Stop| match stop {
            Stop::Refused(refusal) => Failure::Crashed(refusal.to_string()),
            Stop::Cancelled => Failure::Cancelled,
            Stop::TimedOut(seconds) => Failure::TimedOut(seconds),
        };
        let bytes = outcomes.first().and_then(|outcome| outcome.results.first());
        let bytes = bytes.ok_or_else(|| Failure::Crashed("nothing was read back".to_owned()))?;
        Ok(match self {
            Self::Offsets(plan) => {
                let offsets = Plan::offsets_in(bytes);
                let comparison = compare::with_algebra(plan, &offsets, watch);
                Measured::Offsets(comparison.map_err(stopped)?)
            }
            Self::Copy(copy) => Measured::Copy {
                misplaced: copy.first_misplaced(bytes, watch).map_err(stopped)?,
                rates: Rates::of(copy, outcomes),
            },
            Self::Banks(_) => Measured::Banks(BankTiming::of(outcomes)),
            Self::Tma(load) => Measured::Tma(load.answer_of(outcomes)?),
            Self::Fragments(fragments) => Measured::Elements(fragments.answer_of(outcomes)?),
            Self::Product(product) => Measured::Elements(product.answer_of(outcomes)?),
            Self::Gemm(gemm) => {
                let compared = gemm.compared(&Gemm::floats_in(bytes), watch);
                Measured::Elements(compared.map_err(stopped)?)
            }
        })
    }
}
