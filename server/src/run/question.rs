//! A question to a machine, made from values of a source or of an expression.

use cute_algebra::{AnyLayout, Layout, Rule, Verdict};
use cute_analysis::Value;
use cute_hardware::descriptor::Generation;
use cute_hardware::{Refusal, SharedLayout};
use cute_runner::experiment::Experiment;
use cute_runner::fragments::Direction;
use cute_runner::product::{Product, Role};
use cute_runner::watch::{Stop, Watch};

use crate::presentation::placement;

/// The subject of a run: a layout, and the swizzle of addresses if it has one.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The function from coordinates to offsets.
    pub layout: AnyLayout,
    /// As a layout of shared memory, where it says that it is one.
    pub shared: Option<SharedLayout>,
    /// Bits of an element: those of the value, else the assumed ones.
    pub element_bits: i64,
}

impl Subject {
    /// The subject that a value is; elements have `element_bits` where the value does not say.
    ///
    /// # Errors
    /// Why the value is not a layout.
    pub fn of(value: &Value, element_bits: i64) -> Result<Self, String> {
        let (layout, shared, stated) = match value {
            Value::Shared(shared) => (
                shared.position_independent().ok(),
                Some((**shared).clone()),
                Some(shared.element_bits),
            ),
            Value::Tensor(_) => (
                placement::of(value).transpose()?,
                None,
                placement::element_bits(value),
            ),
            other => (other.as_any_layout(), None, None),
        };
        let layout = layout.ok_or_else(|| match value {
            Value::Unknown(reason) => reason.to_string(),
            other => format!("is not a layout but a {}", other.kind().name()),
        })?;
        Ok(Self {
            layout,
            shared,
            element_bits: stated.unwrap_or(element_bits),
        })
    }

    /// As a layout of shared memory.
    ///
    /// # Errors
    /// A swizzle of offsets, which the hardware does not know.
    pub fn shared(&self) -> Result<SharedLayout, Refusal> {
        match &self.shared {
            Some(shared) => Ok(shared.clone()),
            None => SharedLayout::of_offsets(&self.layout, self.element_bits),
        }
    }
}

/// The question about a subject.
#[derive(Debug, Clone)]
pub enum Question {
    /// Its offsets, or at most this many of them.
    Offsets(Option<i64>),
    /// A copy to another layout.
    Copy(Box<AnyLayout>),
    /// The wavefronts of a warp.
    Banks,
    /// A load by TMA, from this tensor or from one of the tile's extents.
    Tma(Option<Layout>),
    /// The fragments of matrix copies.
    Fragments(Direction),
    /// A product of tensor cores with an identity; the subject is this operand.
    Identity(Generation, Role),
    /// A product of tensor cores with another tile, of integers from a seed.
    Product(Generation, SharedLayout, u64),
    /// The generic product with B into C, of integers from a seed.
    Gemm(Box<[AnyLayout; 2]>, u64),
}

impl Question {
    /// The experiment that answers it.
    ///
    /// # Errors
    /// The refusals of the experiment, and the end by the watch.
    pub fn of(&self, subject: &Subject, watch: &dyn Watch) -> Result<Experiment, Stop> {
        let product = |product| Experiment::Product(Box::new(product));
        Ok(match self {
            Self::Offsets(samples) => Experiment::offsets(&subject.layout, *samples)?,
            Self::Copy(destination) => {
                Experiment::copy(&subject.layout, destination, subject.element_bits, watch)?
            }
            Self::Banks => Experiment::banks(&subject.layout, subject.element_bits)?,
            Self::Tma(tensor) => Experiment::tma(&subject.shared()?, tensor.as_ref())?,
            Self::Fragments(direction) => Experiment::fragments(&subject.shared()?, *direction)?,
            Self::Identity(generation, role) => {
                product(Product::identity(*generation, &subject.shared()?, *role)?)
            }
            Self::Product(generation, other, seed) => product(Product::random(
                *generation,
                &subject.shared()?,
                other,
                *seed,
            )?),
            Self::Gemm(operands, seed) => {
                let [b, c] = &**operands;
                Experiment::gemm([&subject.layout, b, c], *seed, watch)?
            }
        })
    }
}

/// The affine layout of a tensor in global memory.
///
/// # Errors
/// `Unsupported` for a layout with a swizzle or an offset, which TMA does not know.
pub fn tensor(layout: &AnyLayout) -> Result<Layout, Refusal> {
    layout.as_affine().cloned().ok_or_else(|| {
        Refusal::new(Rule::Unsupported.into(), Verdict::Accepts).with("tensor", layout.to_string())
    })
}

/// A number that no one chose, for fresh inputs.
pub fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // Before 1970 any number will do. JSON keeps integers up to 2^53.
    now.map_or(1, |since| since.subsec_nanos().into())
}
