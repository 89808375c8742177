//! Triton's layouts: attributes of its IR as values, and values as such attributes.

mod read;
mod write;

use std::fmt;

use cute_algebra::triton::{CuteForm, Encoding, LinearLayout};
use cute_algebra::{Refusal, Rule, Verdict};
use tree_sitter_cute::attribute::TypedAttribute;

pub use write::{distributed_attribute, shared_attribute};

/// A layout of Triton over a tensor of one shape.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TritonLayout {
    /// The encoding of the attribute.
    pub encoding: Encoding,
    /// Places of hardware to coordinates.
    pub linear: LinearLayout,
    /// The same function as a layout of `CuTe`.
    pub cute: CuteForm,
    /// Bits of an element, where the tensor's type says it.
    pub element_bits: Option<u64>,
}

impl TritonLayout {
    /// The encoding that an attribute gives its tensor.
    ///
    /// # Errors
    /// A field that is missing, of another kind or not known; a shape that is neither written nor said by the attribute;
    /// the refusals of [`Encoding::to_cute`].
    pub(crate) fn new(typed: &TypedAttribute) -> Result<Self, Refusal> {
        let encoding = read::encoding(&typed.attribute)?;
        let shape = match &typed.shape {
            Some(shape) => read::extents(shape)?,
            None => encoding.own_shape().ok_or_else(|| {
                Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
                    .with("attribute", format!("#{}", typed.attribute.name))
                    .with("needs", "the shape of its tensor, `on 128x64`")
            })?,
        };
        let element_bits = typed.element.as_deref().and_then(element_bits);
        let linear = encoding.linear(&shape)?;
        let cute = match element_bits {
            Some(bits) => encoding.to_cute_of(&shape, bits)?,
            None => encoding.to_cute(&shape)?,
        };
        Ok(Self {
            encoding,
            linear,
            cute,
            element_bits,
        })
    }

    /// The same layout by its bases: `#ttg.linear`, `#ttg.shared_linear`, with the shape of its tensor.
    ///
    /// # Errors
    /// Padding, which is not linear; tensor memory, for which Triton prints no bases.
    pub fn by_bases(&self) -> Result<TypedAttribute, Refusal> {
        write::by_bases(self)
    }
}

impl fmt::Display for TritonLayout {
    /// As `CuTe` prints the layout of the same function.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cute.layout.fmt(f)
    }
}

/// The bits of an element type of MLIR: `f16`, `bf16`, `i8`, `f8E4M3FN`.
fn element_bits(name: &str) -> Option<u64> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let end = digits.find(|c: char| !c.is_ascii_digit());
    digits
        .get(..end.unwrap_or(digits.len()))?
        .parse()
        .ok()
        .filter(|bits: &u64| bits.is_power_of_two() && *bits <= 64)
}
