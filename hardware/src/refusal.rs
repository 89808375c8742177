//! Why the hardware, or CuTe on its behalf, does not accept something: rule, numbers, nearest legal values.
//!
//! The rules of the algebra keep their own names ([`Rule::Algebra`]); the rules of this crate are about instructions,
//! descriptors and memory. The content of a refusal is [`cute_algebra::Refusal`].

use cute_algebra::{RuleSet, WiderRules};

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $sentence:literal $(, $template:literal)*;)*) => {
        /// The broken rule.
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

            /// One sentence on the error, without the numbers.
            pub fn sentence(self) -> &'static str {
                match self {
                    Rule::Algebra(rule) => rule.sentence(),
                    $(Rule::$variant => $sentence,)*
                }
            }

            /// Sentences with places for numbers, the best first; see [`cute_algebra::sentence`].
            pub fn templates(self) -> &'static [&'static str] {
                match self {
                    Rule::Algebra(rule) => rule.templates(),
                    $(Rule::$variant => &[$($template),*],)*
                }
            }
        }
    };
}

rules! {
    /// No instruction of CUTLASS 4.2 has this name.
    UnknownAtom, "unknown-atom", "CUTLASS 4.2 has no atom of this name",
        "CUTLASS 4.2 has no atom `{name}`";
    /// No element type has this name.
    UnknownType, "unknown-type", "no element type has this name",
        "no element type is named `{type}`";
    /// A name that is not a C++ template id, or lacks template arguments that it needs.
    AtomParameters, "atom-parameters", "the atom does not take these template arguments",
        "cp.async copies 4, 8 or 16 bytes, not {bytes}";
    /// An M, N or K that the instruction does not have.
    MmaShape, "mma-shape", "no instruction has this shape",
        "tile M = {tile_m} is not a multiple of {multiple_of}",
        "tile N = {tile_n} is not a multiple of {multiple_of}",
        "tile K = {tile_k} is not a multiple of {multiple_of}",
        "no instruction has M = {m} and K = {k}",
        "no instruction has N = {n}",
        "no instruction has M = {m}";
    /// An operand type, major or scale vector that the instruction does not take.
    MmaOperand, "mma-operand", "the instruction does not take this operand",
        "the instruction does not take elements of {type}";
    /// CUTLASS 4.2 declares the atom otherwise than the instruction works.
    AtomDefect, "atom-defect", "CUTLASS declares this atom differently from what the instruction does";
    /// A swizzle that a matrix descriptor or a TMA descriptor cannot express.
    UnsupportedSwizzle, "unsupported-swizzle", "the hardware does not have this swizzle",
        "no TMA mode or matrix descriptor encodes {swizzle}";
    /// A shared-memory layout that is not one of the canonical layouts of the tensor core.
    NotCanonical, "not-canonical", "the tensor core cannot read this layout: it is not canonical",
        "the tensor core cannot read this layout: a step of M or N is {stride_mn} units of 16 bytes, not {expected_units_of_16_bytes}";
    /// A number that the bit field of a descriptor cannot hold.
    DescriptorField, "descriptor-field", "the number does not fit its descriptor field",
        "{value} does not fit descriptor field {field}: at most {most}",
        "{value} does not fit descriptor field {field}";
    /// A thread has fewer values than one instruction moves.
    TooFewValues, "too-few-values", "a thread has fewer values than the atom moves",
        "a thread has {values} values, but one instruction of the atom moves {atom_values}";
    /// The two sides of a copy have different sizes, or different numbers of modes.
    CopySize, "copy-size", "source and destination of the copy differ in size",
        "the source has {source_size} elements, but the destination has {destination_size}",
        "the source has {source_bits} bits, but the destination has {destination_bits}";
    /// The first mode of a partition is not the part that one instruction of the copy atom moves.
    CopyValues, "copy-values", "mode 0 is not what one instruction of the atom moves",
        "mode 0 has {source_values} values in the source, but one instruction reads {atom_source_values}";
    /// The values of a partition are not adjacent, as the registers of the copy atom need them.
    CopyVector, "copy-vector", "the values are not adjacent as the instruction needs them",
        "the {side} {layout} is not contiguous: the instruction moves {register_bits} bits at once";
    /// Operands of `gemm` whose modes do not fit each other or the MMA.
    GemmShape, "gemm-shape", "the operands of the product do not fit",
        "mode {left} has {left_size} elements, but {right} has {right_size}",
        "D, A, B and C have ranks {rank_of_d}, {rank_of_a}, {rank_of_b}, {rank_of_c}: no gemm takes them";
    /// Two threads, or two values, have the same cell.
    DuplicateCell, "duplicate-cell", "two values share a cell of the tile",
        "cell {cell} belongs to thread {thread} and to thread {other_thread}";
    /// A cell of the tile that no thread has.
    MissingCell, "missing-cell", "a cell of the tile has no value",
        "cell {cell} of {cells} has no value: {missing} are missing";
    /// The values of one vector access are not adjacent.
    NonContiguousAtom, "non-contiguous-atom", "the values of one access are not adjacent in memory",
        "thread {thread}, value {value} is at offset {offset}, not at {expected}";
    /// A vector access that does not start at a multiple of its size.
    MisalignedStart, "misaligned-start", "an access does not start at a multiple of its size",
        "offset {offset} of thread {thread} is not a multiple of {access_elements} elements",
        "address {address} is not a multiple of {width_bytes} bytes";
    /// A coordinate out of range.
    OutOfRange, "out-of-range", "the coordinate is out of range";
    /// A TMA tensor has 1 to 5 dimensions.
    TmaRank, "tma-rank", "a TMA tensor has 1 to 5 dimensions",
        "rank {rank}: a TMA tensor has {least} to {most} dimensions",
        "the tensor has {global_modes} modes, but TMA takes at most {most}";
    /// The global address of a TMA tensor is a multiple of 16 bytes (32 for some modes).
    TmaAddressAlignment, "tma-address-alignment", "the global address is not aligned for TMA",
        "address {address} is not a multiple of {multiple_of} bytes, which TMA needs";
    /// A TMA extent is 1 to 2^32.
    TmaDimension, "tma-dimension", "an extent of the TMA tensor is out of range",
        "dimension {mode} has extent {extent}: TMA takes 1 to 2^32";
    /// TMA strides are multiples of 16 bytes (32 for some modes).
    TmaStrideAlignment, "tma-stride-alignment", "a TMA stride is not a multiple of 16 bytes",
        "dimension {mode} has a stride of {stride_bytes} bytes, not a multiple of {multiple_of}";
    /// TMA strides are below 2^40 bytes.
    TmaStrideRange, "tma-stride-range", "a TMA stride must be below 2^40 bytes",
        "dimension {mode} has a stride of {stride_bytes} bytes: TMA takes less than 2^40";
    /// A TMA box is 1 to 256 elements in each dimension.
    TmaBox, "tma-box", "a TMA box has 1 to 256 elements along each dimension",
        "the TMA box has {box} elements along dimension {mode}: 1 to 256 are possible";
    /// The inner extent of a TMA box is a multiple of 16 bytes and within the span of the swizzle.
    TmaInnerBox, "tma-inner-box", "the TMA box does not fit along dimension 0",
        "a row of the TMA box has {inner_bytes} bytes, not a multiple of {multiple_of}",
        "a row of the TMA box has {inner_bytes} bytes: the swizzle takes up to {swizzle_bytes}",
        "a row of the TMA box has {inner_elements} elements";
    /// TMA element strides are 1 to 8.
    TmaElementStride, "tma-element-stride", "an element stride of the TMA box must be 1 to 8",
        "element stride {element_stride} along dimension {mode}: 1 to 8 are possible";
    /// A TMA interleave that does not go with rank or swizzle.
    TmaInterleave, "tma-interleave", "the TMA interleave does not fit";
    /// The contiguous mode of global and of shared memory differ.
    TmaMajor, "tma-major", "shared and global memory are contiguous along different modes",
        "the contiguous mode of the tile has stride {stride} in global memory: TMA needs {expected}";
    /// CTA tile and shared layout differ in size, or in structure.
    TmaTile, "tma-tile", "the CTA tile and the shared layout differ in size",
        "the shared layout has {shared_elements} elements, but the CTA tile has {tile_elements}";
    /// There is no TMA data type for this element type.
    TmaType, "tma-type", "TMA has no data type for these elements",
        "TMA has no data type for {type}";
    /// A multicast over a number of CTAs that does not divide the box.
    TmaMulticast, "tma-multicast", "the multicast does not divide the box",
        "{multicast} CTAs cannot share a box of {box} elements evenly";
    /// A TMA box is at most the shared memory of a CTA.
    TmaBoxBytes, "tma-box-bytes", "the TMA box exceeds the shared memory of a CTA",
        "the TMA box has {box_bytes} bytes, but a CTA has at most {most} of shared memory";
    /// Modes that share a dimension of a TMA tensor, but are not contiguous.
    TmaMerged, "tma-merged", "modes that share a TMA dimension are not contiguous: the box reads wrong elements",
        "dimension {mode} merges modes: the box steps by {expected} where the tensor has stride {stride}";
    /// A fill value other than zero is for floating-point elements.
    TmaFill, "tma-fill", "elements of this type cannot be filled with NaN";
    /// A corner or an offset of an `im2col` tensor, which the number of dimensions limits.
    TmaCorner, "tma-corner", "a corner or an offset of the im2col box is out of range";
    /// An `im2col` box has 1 to 256 channels and 1 to 1024 pixels.
    TmaPixels, "tma-pixels", "the channels or the pixels of the im2col box are out of range";
    /// A store that starts before the tensor.
    TmaStoreStart, "tma-store-start", "a TMA store cannot start at a negative coordinate",
        "a TMA store cannot start at coordinate {coordinate}";
    /// An offset that an instruction touches and that is not in the data's layout.
    OffsetMissing, "offset-missing", "the layout lacks an offset that the instruction accesses";
    /// A tile or an epilogue tile that a collective builder does not take.
    CollectiveTile, "collective-tile", "the collective builder does not take this tile",
        "the collective builder does not take a tile of M = {tile_m} and N = {tile_n}",
        "the collective builder does not take a tile of M = {tile_m}",
        "the collective builder does not take a tile of N = {tile_n}";
    /// Fewer stages than a mainloop needs, or a stage that does not fit.
    CollectiveStages, "collective-stages", "the mainloop has too few stages",
        "the mainloop has {stages} stages of {stage_bytes} bytes: it needs at least 2";
    /// A combination of types, orders and schedules that a collective builder does not have.
    CollectiveUnsupported, "collective-unsupported", "the collective builder has no such collective";
    /// A kernel that needs more shared memory than a CTA can have.
    SmemExceedsCapacity, "smem-exceeds-capacity", "the kernel needs more shared memory than a CTA can have",
        "the kernel needs {bytes} bytes of shared memory, but a CTA has at most {capacity}";
    /// Lanes of a warp that want different words of one bank of shared memory at once.
    BankConflict, "bank-conflict", "lanes of a warp collide on shared-memory banks",
        "bank conflict: an access of a warp takes {wavefronts} wavefronts instead of {without_conflicts}";
    /// An access to global memory that moves more sectors of 32 bytes than its bytes need.
    Uncoalesced, "uncoalesced", "a warp moves more 32-byte sectors than it needs",
        "uncoalesced: a warp moves {sectors} sectors of 32 bytes where {fewest} would do";
    /// An instruction that the architecture does not have.
    Architecture, "architecture", "the architecture does not support this";
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

    fn templates(self) -> &'static [&'static str] {
        Rule::templates(self)
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
    fn each_sentence_fits_in_a_first_line() {
        for rule in Rule::ALL {
            let sentence = rule.sentence();
            let length = sentence.chars().count();
            assert!(length <= cute_algebra::sentence::FIRST_LINE, "{sentence}");
        }
    }

    #[test]
    fn a_message_has_rule_numbers_mode_and_legal_values() {
        let refusal = Refusal::asserted(Rule::TmaStrideAlignment, "")
            .with("stride_bytes", 1000_i64)
            .inside(1)
            .legal("1008");
        assert_eq!(
            refusal.message(),
            "a TMA stride is not a multiple of 16 bytes: stride bytes 1000 (mode 1); would work: 1008"
        );
    }
}
