//! The rules of the algebra: the errors of operations, by stable name.

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

    /// One sentence on the error, without the numbers.
    pub fn sentence(self) -> &'static str {
        match self {
            Rule::StrideDivisibility => "a stride crosses an extent unevenly",
            Rule::ShapeDivisibility => "an extent does not split evenly into the modes it covers",
            Rule::NotAComposition => "the result is not A(B(c)) for every coordinate c",
            Rule::NotAnInverse => "the result is not an inverse of the layout",
            Rule::NotInjective => "two coordinates share an offset",
            Rule::SwizzleIllegal => "a swizzle <B,M,S> needs B >= 0, M >= 0 and abs(S) >= B",
            Rule::OverCovers => "the tiles cover more elements than the layout has",
            Rule::RankMismatch => "the ranks differ",
            Rule::NeedsStaticStrides => "a stride is known at run time only and must be static",
            Rule::NotDivisible => "the division leaves a remainder",
            Rule::DowncastNotAdjacent => {
                "no mode has stride 1, so the finer elements are not adjacent"
            }
            Rule::TileDoesNotDivide => "the block does not divide the target shape",
            Rule::NotProvable => "the facts known about the symbols do not decide it",
            Rule::Overflow => "a number leaves the range of 64-bit integers",
            Rule::Limit => "the value exceeds a limit",
            Rule::Malformed => "the text cannot be parsed",
            Rule::NotCongruent => "the profiles differ",
            Rule::UnlikeCodomains => "the strides have different codomains and cannot be added",
            Rule::DivisionByZero => "division by zero",
            Rule::NegativeStride => "strides and extents must not be negative here",
            Rule::NoSuchMode => "the mode does not exist",
            Rule::Unsupported => "the operation does not apply to this operand",
            Rule::NoSuchLayout => "no layout has this property",
        }
    }

    /// Sentences with places for numbers and names, the best first; see [`crate::sentence`].
    pub fn templates(self) -> &'static [&'static str] {
        match self {
            Rule::StrideDivisibility => &[
                "stride {stride} of {right} crosses an extent of {shape} in {left} unevenly: {stride} % {shape} = {remainder}",
                "stride {stride} crosses an extent of {shape} unevenly: {stride} % {shape} = {remainder}",
            ],
            Rule::ShapeDivisibility => &[
                "extent {shape} of {right} covers a mode of {left} unevenly: {shape} % {available} = {remainder}",
                "extent {shape} covers a mode unevenly: {shape} % {available} = {remainder}",
                "neither of the extents {left_extent} and {right_extent} divides the other",
            ],
            Rule::NotAComposition => &[
                "{compiler} compiles this and gets it wrong: at coordinate {coordinate} the result is {got}, {A}({B}({coordinate})) is {expected}",
                "{compiler} gets this wrong: at coordinate {coordinate} the result is {got}, {A}({B}({coordinate})) is {expected}",
                "{compiler} compiles this and gets it wrong: coordinate {coordinate} gives {got}, not {expected}",
            ],
            Rule::NotAnInverse => &[
                "{compiler} compiles this and gets it wrong: coordinate {coordinate} gives {got}, not {expected}",
            ],
            Rule::NotInjective => &[
                "coordinates {first_coordinate} and {second_coordinate} share offset {offset}: stride {stride} is below {reached}, the end of the modes before it",
                "coordinates {first_coordinate} and {second_coordinate} share offset {offset}",
                "stride {stride} is smaller than {reached}, the end of the modes before it",
            ],
            Rule::SwizzleIllegal => &[
                "Swizzle<{bits},{base},{shift}> is illegal: <B,M,S> needs B >= 0, M >= 0 and abs(S) >= B",
                "swizzles of shift {left_shift} and {right_shift} do not merge",
            ],
            Rule::OverCovers => {
                &["the tiles cover {covered} elements, but the layout has only {size}"]
            }
            Rule::RankMismatch => &[
                "the tiler has {tiler_rank} modes, but the layout has {layout_rank}",
                "the profile has {profile_rank} modes, but the layout has {layout_rank}",
                "the coordinate has {coordinate_rank} modes, but the layout has {layout_rank}",
                "the block has {layout_rank} modes, but the target shape has {target_rank}",
                "the shape has {shape_rank} modes, but the order has {order_rank}",
                "the left operand has {left_rank} modes, but the right one has {right_rank}",
                "the operand has {rank} modes, but needs {wanted_rank}",
            ],
            Rule::NeedsStaticStrides => {
                &["stride {stride} is known at run time only and must be static"]
            }
            Rule::NotDivisible => &[
                "{dividend} % {divisor} = {remainder}, not 0",
                "{divisor} does not divide {dividend}",
                "neither of stride {stride} and factor {factor} divides the other",
                "stride {stride} is not a multiple of {reached}, the end of the modes before it",
                "{factor} is not a power of two",
            ],
            Rule::DowncastNotAdjacent => &[
                "no stride of {stride} is 1, so the {factor} parts of an element are not adjacent",
            ],
            Rule::TileDoesNotDivide => &["block {block} does not divide the target shape {target}"],
            Rule::Overflow => &["the {in} of {left} and {right} exceeds 64-bit integers"],
            Rule::Limit => &["limit exceeded: {of} may be at most {limit}"],
            Rule::Malformed => &["expected {expected} at byte {at}, found {found}"],
            Rule::NotCongruent => &[
                "shape {shape} and stride {stride} are not congruent",
                "coordinate {coordinate} does not fit the shape",
            ],
            Rule::UnlikeCodomains => {
                &["strides {left} and {right} have different codomains and cannot be added"]
            }
            Rule::DivisionByZero => &["{dividend} / {divisor} divides by zero"],
            Rule::NegativeStride => &[
                "extent {extent} with stride {stride}: neither may be negative here",
                "stride {stride}: this operation does not allow negative strides",
            ],
            Rule::NoSuchMode => &["mode {index} does not exist: the rank is {rank}"],
            Rule::NotProvable => &["it is unknown whether {divisor} divides {dividend}"],
            Rule::Unsupported | Rule::NoSuchLayout => &[],
        }
    }
}
