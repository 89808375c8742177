//! Layouts in shared memory: a layout in elements under a swizzle of byte addresses.
//!
//! CuTe prints them `Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)`. The swizzle permutes the bits of the
//! *address*, as the hardware does, so where an element is depends on where the buffer starts; the layout that does not
//! depend on it, for a buffer that is aligned enough, is [`SharedLayout::position_independent`].

use crate::refusal::{Refusal, Rule};
use core::fmt;
use cute_algebra::ops::recast::recast_layout;
use cute_algebra::ops::swizzled::{downcast_swizzle, upcast_swizzle};
use cute_algebra::{AnyLayout, ComposedLayout, Int, IntTuple, Layout, Swizzle};

/// A layout of shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedLayout {
    /// The permutation of address bits, in bytes; `Sw<0,4,3>` permutes nothing.
    pub swizzle: Swizzle,
    /// The width of an element, in bits.
    pub element_bits: i64,
    /// Number of logical elements in one stored element; 1 for dense data.
    pub sparsity: i64,
    /// `coordinate -> element`, without the swizzle.
    pub layout: Layout,
}

impl SharedLayout {
    /// A layout of elements of this width under a swizzle of byte addresses.
    pub fn new(swizzle: Swizzle, element_bits: i64, layout: Layout) -> Self {
        SharedLayout {
            swizzle,
            element_bits,
            sparsity: 1,
            layout,
        }
    }

    /// A layout without swizzle.
    pub fn plain(element_bits: i64, layout: Layout) -> Result<Self, Refusal> {
        Ok(SharedLayout::new(
            Swizzle::new(0, 4, 3)?,
            element_bits,
            layout,
        ))
    }

    /// A layout by itself. A swizzle in it acts on element offsets, not on addresses; descriptors and TMA need the
    /// other meaning, so it is refused as CuTe does.
    pub fn of_offsets(layout: &AnyLayout, element_bits: i64) -> Result<Self, Refusal> {
        match layout {
            AnyLayout::Affine(layout) => SharedLayout::plain(element_bits, layout.clone()),
            AnyLayout::Composed(composed) => Err(Refusal::uncompilable(
                Rule::NotCanonical,
                "the swizzle acts on offsets; it has to be part of the pointer (smem_ptr)",
            )
            .with("layout", composed.to_string())),
        }
    }

    /// The same swizzle over another layout of the same elements.
    #[must_use]
    pub fn with_layout(&self, layout: Layout) -> Self {
        SharedLayout {
            layout,
            ..self.clone()
        }
    }

    /// The layout in units of another width: CuTe's `recast`.
    pub fn recast(&self, bits: i64) -> Result<Self, Refusal> {
        let layout = recast_layout(&self.layout, self.element_bits, bits)?;
        Ok(SharedLayout {
            element_bits: bits,
            layout,
            ..self.clone()
        })
    }

    /// The swizzle in elements: CuTe's `recast_layout<uint8_t, T>` of it.
    pub fn element_swizzle(&self) -> Result<Swizzle, Refusal> {
        Ok(match self.element_bits {
            8 => self.swizzle,
            bits if bits > 8 => upcast_swizzle(&self.swizzle, bits / 8)?,
            bits => downcast_swizzle(&self.swizzle, 8 / bits)?,
        })
    }

    /// The function from coordinates to element offsets of a buffer whose address is a multiple of the swizzle's
    /// pattern: CuTe's `as_position_independent_swizzle_layout`.
    pub fn position_independent(&self) -> Result<AnyLayout, Refusal> {
        let swizzle = self.element_swizzle()?;
        if self.swizzle.is_identity() {
            return Ok(self.layout.clone().into());
        }
        Ok(ComposedLayout {
            offset: IntTuple::leaf(Int::ZERO),
            ..ComposedLayout::swizzled(swizzle, self.layout.clone())
        }
        .into())
    }

    /// The address alignment, in bytes, at which [`SharedLayout::position_independent`] says where elements are.
    pub fn pattern_bytes(&self) -> i64 {
        let swizzle = self.swizzle;
        if swizzle.is_identity() {
            1 << swizzle.base().min(4)
        } else {
            1 << (swizzle.base() + swizzle.shift().abs() + swizzle.bits())
        }
    }
}

impl fmt::Display for SharedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.sparsity == 1 {
            "smem_ptr".to_owned()
        } else {
            format!("smem_sparse<{}>_ptr", self.sparsity)
        };
        write!(
            f,
            "{} o {pointer}[{}b](unset) o {}",
            self.swizzle, self.element_bits, self.layout
        )
    }
}

/// Reads CuTe's print of a tensor or a layout in shared memory: `Sw<3,4,3>_smem_ptr[16b](PTR) o L`,
/// `Sw<3,4,3> o smem_ptr[16b](unset) o L`, `smem_ptr[16b](PTR) o L`.
impl core::str::FromStr for SharedLayout {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let malformed = || {
            Refusal::uncompilable(
                Rule::Algebra(cute_algebra::Rule::Malformed),
                "not a layout in shared memory",
            )
            .with("text", text)
            .legal("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)")
        };
        let (engine, layout) = text.rsplit_once(" o ").ok_or_else(malformed)?;
        let (swizzle, pointer) = engine.split_once("smem_ptr").ok_or_else(malformed)?;
        let bits = pointer
            .trim_start()
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("b]"));
        let bits: i64 = bits
            .and_then(|(digits, _)| digits.trim().parse().ok())
            .ok_or_else(malformed)?;
        let swizzle = swizzle.trim().trim_end_matches(['_', 'o']).trim();
        let swizzle = if swizzle.is_empty() {
            Swizzle::new(0, 4, 3)?
        } else {
            swizzle.parse()?
        };
        if !(1..=1024).contains(&bits) {
            return Err(malformed());
        }
        Ok(SharedLayout::new(swizzle, bits, layout.parse()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_print_reads_back() {
        let text = "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))";
        assert_eq!(text.parse::<SharedLayout>().unwrap().to_string(), text);
        let tensor: SharedLayout =
            "Sw<3,4,3>_smem_ptr[16b](PTR) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))"
                .parse()
                .unwrap();
        assert_eq!(tensor.to_string(), text);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "smem_ptr[16b] o",
            "smem_ptr[0b](PTR) o _8:_1",
            "Sw<9,4,3> o smem_ptr[16b](unset) o _8:_1",
            "gmem_ptr[16b](PTR) o 8:1",
        ] {
            assert!(text.parse::<SharedLayout>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_swizzle_in_elements_is_the_swizzle_in_bytes() {
        let shared: SharedLayout = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"
            .parse()
            .unwrap();
        let elements = shared.position_independent().unwrap();
        assert_eq!(elements.to_string(), "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)");
        for i in 0..512 {
            let byte = shared
                .swizzle
                .apply(shared.layout.eval_number(i).unwrap() * 2);
            assert_eq!(
                elements.eval(i).unwrap().to_string(),
                (byte / 2).to_string()
            );
        }
        assert_eq!(shared.pattern_bytes(), 1024);
    }

    #[test]
    fn a_swizzle_of_offsets_is_not_one_of_addresses() {
        let layout = ComposedLayout::swizzled(
            Swizzle::new(3, 3, 3).unwrap(),
            "(_64,_64):(_64,_1)".parse().unwrap(),
        );
        assert_eq!(
            SharedLayout::of_offsets(&layout.into(), 16)
                .unwrap_err()
                .rule,
            Rule::NotCanonical
        );
    }
}
