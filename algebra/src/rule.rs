//! The rules of the algebra: what can be wrong with an operation, by stable name.

/// Why an operation has no (correct) result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// A stride of the right operand neither divides nor is smaller than a shape it passes (paper, condition 20).
    StrideDivisibility,
    /// A mode of the right operand ends inside a mode of the left one (paper, condition 21).
    ShapeDivisibility,
    /// CuTe accepts it, and the result is not the composition of the functions.
    NotAComposition,
    /// CuTe accepts it, and the result does not undo the layout (paper §3.4).
    NotAnInverse,
    /// Two coordinates have the same offset where they must not.
    NotInjective,
    /// A swizzle `<B,M,S>` needs `B >= 0`, `M >= 0` and `abs(S) >= B`.
    SwizzleIllegal,
    /// The tiles cover more than there is.
    OverCovers,
    /// Operands differ in rank, or a tiler has too many modes.
    RankMismatch,
    /// The operation is defined by CuTe for static strides only.
    NeedsStaticStrides,
    /// A division that has to be exact is not.
    NotDivisible,
    /// Finer elements need a mode of stride 1 to hold them.
    DowncastNotAdjacent,
    /// The block of `tile_to_shape` does not divide the target shape.
    TileDoesNotDivide,
    /// It holds for some values of the symbols and not for others, or no fact decides it.
    NotProvable,
    /// A number leaves the range of 64-bit integers.
    Overflow,
    /// A value is larger than the library accepts (see [`crate::limits`]).
    Limit,
    /// A text is not a value of the wanted kind.
    Malformed,
    /// Shape and stride, or operand and coordinate, differ in their profile.
    NotCongruent,
    /// Two strides live in different codomains and cannot be added.
    UnlikeCodomains,
    /// A division by zero.
    DivisionByZero,
    /// A negative stride or extent where the operation has no meaning.
    NegativeStride,
    /// A mode is named that is not there.
    NoSuchMode,
    /// The operation has no meaning for this kind of operand.
    Unsupported,
    /// No layout has the wanted property.
    NoSuchLayout,
}

impl Rule {
    /// The stable kebab-case name, as it appears in findings and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Rule::StrideDivisibility => "stride-divisibility",
            Rule::ShapeDivisibility => "shape-divisibility",
            Rule::NotAComposition => "not-a-composition",
            Rule::NotAnInverse => "not-an-inverse",
            Rule::NotInjective => "not-injective",
            Rule::SwizzleIllegal => "swizzle-illegal",
            Rule::OverCovers => "over-covers",
            Rule::RankMismatch => "rank-mismatch",
            Rule::NeedsStaticStrides => "needs-static-strides",
            Rule::NotDivisible => "not-divisible",
            Rule::DowncastNotAdjacent => "downcast-not-adjacent",
            Rule::TileDoesNotDivide => "tile-does-not-divide",
            Rule::NotProvable => "not-provable",
            Rule::Overflow => "overflow",
            Rule::Limit => "limit",
            Rule::Malformed => "malformed",
            Rule::NotCongruent => "not-congruent",
            Rule::UnlikeCodomains => "unlike-codomains",
            Rule::DivisionByZero => "division-by-zero",
            Rule::NegativeStride => "negative-stride",
            Rule::NoSuchMode => "no-such-mode",
            Rule::Unsupported => "unsupported",
            Rule::NoSuchLayout => "no-such-layout",
        }
    }

    /// One sentence that says what is wrong, without the numbers.
    pub fn sentence(self) -> &'static str {
        match self {
            Rule::StrideDivisibility => {
                "the stride of the right operand neither divides nor is smaller than the shape it passes"
            }
            Rule::ShapeDivisibility => {
                "a mode of the right operand does not fill whole modes of the left one"
            }
            Rule::NotAComposition => "the result is not the composition of the two functions",
            Rule::NotAnInverse => "the result is not an inverse of the layout",
            Rule::NotInjective => "two coordinates have the same offset",
            Rule::SwizzleIllegal => "a swizzle <B,M,S> needs B >= 0, M >= 0 and abs(S) >= B",
            Rule::OverCovers => "the tiles cover more elements than the layout has",
            Rule::RankMismatch => "the ranks do not match",
            Rule::NeedsStaticStrides => "the operation needs static strides",
            Rule::NotDivisible => "the division is not exact",
            Rule::DowncastNotAdjacent => {
                "no mode has stride 1, so the finer elements are not adjacent"
            }
            Rule::TileDoesNotDivide => "the block does not divide the target shape",
            Rule::NotProvable => "what is known of the symbols does not decide it",
            Rule::Overflow => "a number leaves the range of 64-bit integers",
            Rule::Limit => "the value is larger than the limit",
            Rule::Malformed => "the text is malformed",
            Rule::NotCongruent => "the profiles do not match",
            Rule::UnlikeCodomains => "strides of different codomains cannot be added",
            Rule::DivisionByZero => "division by zero",
            Rule::NegativeStride => "a negative stride or extent has no meaning here",
            Rule::NoSuchMode => "there is no such mode",
            Rule::Unsupported => "the operation has no meaning for this operand",
            Rule::NoSuchLayout => "no layout has this property",
        }
    }
}
