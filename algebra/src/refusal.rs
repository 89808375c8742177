//! A refusal is data: which rule, which mode, which numbers, which legal values are near.
//!
//! Text is made from it only at the edge, by [`Reason::message`].

use crate::int::Int;
use crate::verdict::Verdict;
use core::fmt;
use core::ops::{Deref, DerefMut};

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

/// A value that a refusal names: a number, or a text where the value is symbolic or a layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// A known integer.
    Known(i64),
    /// A symbolic expression, a layout or a piece of source text.
    Text(String),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Known(value) => write!(f, "{value}"),
            Number::Text(text) => f.write_str(text),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Number::Known(value)
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        Number::Known(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<&Int> for Number {
    fn from(value: &Int) -> Self {
        value
            .value()
            .map_or_else(|| Number::Text(value.to_string()), Number::Known)
    }
}

impl From<&str> for Number {
    fn from(text: &str) -> Self {
        Number::Text(text.to_owned())
    }
}

impl From<String> for Number {
    fn from(text: String) -> Self {
        Number::Text(text)
    }
}

/// Everything that a [`Refusal`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Which rule is broken.
    pub rule: Rule,
    /// What CuTe C++ 4.2 does with the same operands.
    pub cute: Verdict,
    /// The mode of the right (or only) operand at which it happens, outermost first; empty for the whole.
    pub mode: Vec<usize>,
    /// The numbers that decide it, named in snake case.
    pub numbers: Vec<(&'static str, Number)>,
    /// Values near by that would be legal, best first, as texts that parse.
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

/// Why an operation has no result. One pointer wide, so that the good path stays cheap.
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

    /// A number leaves the range of 64-bit integers.
    #[cold]
    pub fn overflow(operation: &'static str) -> Self {
        Refusal::uncompilable(Rule::Overflow, "overflow in a constant expression")
            .with("in", operation)
    }

    /// A value is beyond one of [`crate::limits`].
    #[cold]
    pub fn limit(what: &'static str, limit: usize) -> Self {
        Refusal::uncompilable(Rule::Limit, "too large")
            .with("of", what)
            .with("limit", limit)
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

    /// Puts `mode` in front of the path at which it happened.
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

impl DerefMut for Refusal {
    fn deref_mut(&mut self) -> &mut Reason {
        &mut self.0
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl core::error::Error for Refusal {}
