//! Why the hardware, or CuTe on its behalf, does not accept something: rule, numbers, nearest legal values.
//!
//! The rules of the algebra keep their own names ([`Rule::Algebra`]); the rules of this crate are about instructions,
//! descriptors and memory. What a refusal holds is [`cute_algebra::Refusal`].

use cute_algebra::{RuleSet, WiderRules};

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
    /// Lanes of a warp that want different words of one bank of shared memory at once.
    BankConflict, "bank-conflict", "lanes of a warp want different words of one bank";
    /// An access to global memory that moves more sectors of 32 bytes than its bytes need.
    Uncoalesced, "uncoalesced", "a warp moves more sectors of 32 bytes than it needs";
    /// An instruction that the architecture does not have.
    Architecture, "architecture", "the architecture does not have it";
}

impl From<cute_algebra::Rule> for Rule {
    fn from(rule: cute_algebra::Rule) -> Self {
        Rule::Algebra(rule)
    }
}

impl RuleSet for Rule {
    fn sentence(self) -> &'static str {
        Rule::sentence(self)
    }
}

impl WiderRules for Rule {}

/// Why the hardware does not take something: a refusal by one of these rules or by one of the algebra's.
///
/// ```
/// use cute_hardware::{MmaAtom, Rule};
/// let refusal = MmaAtom::named("SM90_64x12x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>").unwrap_err();
/// assert_eq!(refusal.rule, Rule::MmaShape);
/// assert_eq!(refusal.legal, ["8", "16"]);
/// ```
pub type Refusal = cute_algebra::Refusal<Rule>;

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
