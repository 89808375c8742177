//! Why the hardware, or CuTe on its behalf, does not accept something: rule, numbers, nearest legal values.
//!
//! The rules of the algebra keep their own names ([`Rule::Algebra`]); the rules of this crate are about instructions,
//! descriptors and memory. Text is made from the data only at the edge, by [`Reason::message`].

use core::fmt;
use core::ops::Deref;
use cute_algebra::{Number, Verdict};

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $sentence:literal;)*) => {
        /// Which rule is broken.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule {
            /// A rule of the layout algebra.
            Algebra(cute_algebra::Rule),
            $($(#[$doc])* $variant,)*
        }

        impl Rule {
            /// The rules of this crate, in the order of the documentation.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            /// The stable kebab-case name, as it appears in findings and in JSON.
            pub fn name(self) -> &'static str {
                match self {
                    Rule::Algebra(rule) => rule.name(),
                    $(Rule::$variant => $name,)*
                }
            }

            /// One sentence that says what is wrong, without the numbers.
            pub fn sentence(self) -> &'static str {
                match self {
                    Rule::Algebra(rule) => rule.sentence(),
                    $(Rule::$variant => $sentence,)*
                }
            }
        }
    };
}

rules! {
    /// No instruction of CUTLASS 4.2 has this name.
    UnknownAtom, "unknown-atom", "CUTLASS 4.2 has no atom of this name";
    /// No element type has this name.
    UnknownType, "unknown-type", "no element type has this name";
    /// A name that is not a C++ template id, or lacks template arguments that it needs.
    AtomParameters, "atom-parameters", "the template arguments do not fit the atom";
    /// An M, N or K that the instruction does not have.
    MmaShape, "mma-shape", "the instruction has no such shape";
    /// An operand type, major or scale vector that the instruction does not take.
    MmaOperand, "mma-operand", "the instruction does not take such an operand";
    /// CUTLASS 4.2 declares the atom otherwise than the instruction works.
    AtomDefect, "atom-defect", "CUTLASS declares the atom otherwise than the instruction works";
    /// A swizzle that a matrix descriptor or a TMA descriptor cannot express.
    UnsupportedSwizzle, "unsupported-swizzle", "the hardware has no such swizzle";
    /// A shared-memory layout that is not one of the canonical layouts of the tensor core.
    NotCanonical, "not-canonical", "the layout is not a canonical layout of the tensor core";
    /// A number that the bit field of a descriptor cannot hold.
    DescriptorField, "descriptor-field", "the number does not fit its field of the descriptor";
    /// A thread has fewer values than one instruction moves.
    TooFewValues, "too-few-values", "a thread has fewer values than the atom moves";
    /// The two sides of a copy have different sizes, or different numbers of modes.
    CopySize, "copy-size", "source and destination of the copy differ";
    /// The first mode of a partition is not what one instruction of the copy atom moves.
    CopyValues, "copy-values", "the first mode is not what one instruction of the atom moves";
    /// The values of a partition do not lie side by side as the registers of the copy atom need them.
    CopyVector, "copy-vector", "the values do not lie side by side as the instruction needs them";
    /// Operands of `gemm` whose modes do not fit each other or the MMA.
    GemmShape, "gemm-shape", "the operands of the product do not fit together";
    /// Two threads, or two values, have the same cell.
    DuplicateCell, "duplicate-cell", "two values have the same cell of the tile";
    /// A cell of the tile that no thread has.
    MissingCell, "missing-cell", "no value has this cell of the tile";
    /// The values of one vector access are not adjacent.
    NonContiguousAtom, "non-contiguous-atom", "the values of one access are not adjacent in memory";
    /// A vector access that does not start at a multiple of its size.
    MisalignedStart, "misaligned-start", "an access does not start at a multiple of its size";
    /// A coordinate outside of what it indexes.
    OutOfRange, "out-of-range", "the coordinate is out of range";
    /// A TMA tensor has 1 to 5 dimensions.
    TmaRank, "tma-rank", "a TMA tensor has 1 to 5 dimensions";
    /// The global address of a TMA tensor is a multiple of 16 bytes (32 for some modes).
    TmaAddressAlignment, "tma-address-alignment", "the global address is not aligned for TMA";
    /// A TMA extent is 1 to 2^32.
    TmaDimension, "tma-dimension", "an extent of the TMA tensor is out of range";
    /// TMA strides are multiples of 16 bytes (32 for some modes).
    TmaStrideAlignment, "tma-stride-alignment", "a stride of the TMA tensor is not a multiple of 16 bytes";
    /// TMA strides are below 2^40 bytes.
    TmaStrideRange, "tma-stride-range", "a stride of the TMA tensor is not below 2^40 bytes";
    /// A TMA box is 1 to 256 elements in each dimension.
    TmaBox, "tma-box", "an extent of the TMA box is not between 1 and 256";
    /// The inner extent of a TMA box is a multiple of 16 bytes and within the span of the swizzle.
    TmaInnerBox, "tma-inner-box", "the inner extent of the TMA box does not fit";
    /// TMA element strides are 1 to 8.
    TmaElementStride, "tma-element-stride", "an element stride of the TMA box is not between 1 and 8";
    /// A TMA interleave that does not go with rank or swizzle.
    TmaInterleave, "tma-interleave", "the TMA interleave does not fit";
    /// The contiguous mode of global and of shared memory differ.
    TmaMajor, "tma-major", "the contiguous modes of global and of shared memory differ";
    /// CTA tile and shared layout differ in size, or in structure.
    TmaTile, "tma-tile", "the CTA tile and the shared layout do not fit together";
    /// No TMA data type stands for this element type.
    TmaType, "tma-type", "TMA has no data type for these elements";
    /// A multicast over a number of CTAs that does not divide the box.
    TmaMulticast, "tma-multicast", "the multicast does not divide the box";
    /// A TMA box is at most the shared memory of a CTA.
    TmaBoxBytes, "tma-box-bytes", "the TMA box is larger than the shared memory of a CTA";
    /// Modes that share a dimension of a TMA tensor, but are not contiguous.
    TmaMerged, "tma-merged", "modes that share a TMA dimension are not contiguous, so the box reads other elements";
    /// A fill value other than zero is for floating-point elements.
    TmaFill, "tma-fill", "elements of this type cannot be filled with NaN";
    /// A corner or an offset of an `im2col` tensor, which the number of dimensions limits.
    TmaCorner, "tma-corner", "a corner or an offset of the im2col box is out of range";
    /// An `im2col` box has 1 to 256 channels and 1 to 1024 pixels.
    TmaPixels, "tma-pixels", "the channels or the pixels of the im2col box are out of range";
    /// A store that starts before the tensor.
    TmaStoreStart, "tma-store-start", "a TMA store cannot start at a negative coordinate";
    /// An offset that an instruction touches and that is not in the data's layout.
    OffsetMissing, "offset-missing", "the layout does not have an offset that the instruction touches";
    /// A tile or an epilogue tile that a collective builder does not take.
    CollectiveTile, "collective-tile", "the collective builder does not take this tile";
    /// Fewer stages than a mainloop needs, or a stage that does not fit.
    CollectiveStages, "collective-stages", "the mainloop needs two stages";
    /// A combination of types, orders and schedules that a collective builder does not have.
    CollectiveUnsupported, "collective-unsupported", "the collective builder has no such collective";
    /// A kernel that needs more shared memory than a CTA can have.
    SmemExceedsCapacity, "smem-exceeds-capacity", "the kernel needs more shared memory than a CTA can have";
    /// An instruction that the architecture does not have.
    Architecture, "architecture", "the architecture does not have it";
}

impl From<cute_algebra::Rule> for Rule {
    fn from(rule: cute_algebra::Rule) -> Self {
        Rule::Algebra(rule)
    }
}

/// Everything that a [`Refusal`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Which rule is broken.
    pub rule: Rule,
    /// What CuTe C++ 4.2 does with the same operands.
    pub cute: Verdict,
    /// The mode at which it happens, outermost first; empty for the whole.
    pub mode: Vec<usize>,
    /// The numbers that decide it, named in snake case; units stand in the names (`stride_bytes`).
    pub numbers: Vec<(&'static str, Number)>,
    /// Values near by that would be legal, best first.
    pub legal: Vec<String>,
}

impl Reason {
    /// The number of this name.
    pub fn number(&self, name: &str) -> Option<&Number> {
        self.numbers
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// The refusal as one sentence with its numbers.
    pub fn message(&self) -> String {
        let mut text = self.rule.sentence().to_owned();
        if !self.numbers.is_empty() {
            let numbers: Vec<String> = self
                .numbers
                .iter()
                .map(|(key, value)| format!("{} {value}", key.replace('_', " ")))
                .collect();
            text.push_str(": ");
            text.push_str(&numbers.join(", "));
        }
        if !self.mode.is_empty() {
            let path: Vec<String> = self.mode.iter().map(ToString::to_string).collect();
            text.push_str(" (mode ");
            text.push_str(&path.join("."));
            text.push(')');
        }
        if !self.legal.is_empty() {
            text.push_str("; legal: ");
            text.push_str(&self.legal.join(", "));
        }
        text
    }
}

/// Why something has no result. One pointer wide, so that the good path stays cheap.
///
/// ```
/// use cute_hardware::{MmaAtom, Rule};
/// let refusal = MmaAtom::named("SM90_64x12x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>").unwrap_err();
/// assert_eq!(refusal.rule, Rule::MmaShape);
/// assert_eq!(refusal.legal, ["8", "16"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(Box<Reason>);

impl Refusal {
    /// A refusal by `rule` that CuTe C++ states as `cute`.
    #[cold]
    pub fn new(rule: Rule, cute: Verdict) -> Self {
        Refusal(Box::new(Reason {
            rule,
            cute,
            mode: Vec::new(),
            numbers: Vec::new(),
            legal: Vec::new(),
        }))
    }

    /// A refusal that CuTe states as this `static_assert`.
    #[cold]
    pub fn asserted(rule: Rule, text: &'static str) -> Self {
        Refusal::new(rule, Verdict::StaticAssert(text))
    }

    /// A refusal that CuTe states by not compiling.
    #[cold]
    pub fn uncompilable(rule: Rule, why: &'static str) -> Self {
        Refusal::new(rule, Verdict::CompileError(why))
    }

    /// Adds a number by name.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Number>) -> Self {
        self.0.numbers.push((name, value.into()));
        self
    }

    /// Adds a legal neighbour.
    #[must_use]
    pub fn legal(mut self, value: impl Into<String>) -> Self {
        self.0.legal.push(value.into());
        self
    }

    /// The same refusal, stated by CuTe as `cute`.
    #[must_use]
    pub(crate) fn stated_as(mut self, cute: Verdict) -> Self {
        self.0.cute = cute;
        self
    }

    /// Says at which mode it happened, in front of what is already said.
    #[must_use]
    pub fn inside(mut self, mode: usize) -> Self {
        self.0.mode.insert(0, mode);
        self
    }
}

impl Deref for Refusal {
    type Target = Reason;
    fn deref(&self) -> &Reason {
        &self.0
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl core::error::Error for Refusal {}

impl From<cute_algebra::Refusal> for Refusal {
    fn from(refusal: cute_algebra::Refusal) -> Self {
        Refusal(Box::new(Reason {
            rule: Rule::Algebra(refusal.rule),
            cute: refusal.cute,
            mode: refusal.mode.clone(),
            numbers: refusal.numbers.clone(),
            legal: refusal.legal.clone(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_names_are_kebab_case_and_distinct() {
        let mut names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        assert!(
            names
                .iter()
                .all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        );
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Rule::ALL.len());
    }

    #[test]
    fn a_message_has_rule_numbers_mode_and_legal_values() {
        let refusal = Refusal::asserted(Rule::TmaStrideAlignment, "")
            .with("stride_bytes", 1000_i64)
            .inside(1)
            .legal("1008");
        assert_eq!(
            refusal.message(),
            "a stride of the TMA tensor is not a multiple of 16 bytes: stride bytes 1000 (mode 1); legal: 1008"
        );
    }
}
