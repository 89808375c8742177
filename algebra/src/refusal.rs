//! A refusal is data: which rule, which mode, which numbers, which legal values are near.
//!
//! Text is made from it only at the edge, by [`crate::sentence`].

use crate::int::Int;
pub use crate::rule::Rule;
use crate::verdict::Verdict;
use core::fmt;
use core::ops::{Deref, DerefMut};

/// The rules by which a crate refuses. Each crate that knows more than the algebra has a separate enum.
pub trait RuleSet: Copy {
    /// One sentence on the error, without the numbers.
    fn sentence(self) -> &'static str;

    /// Sentences with places for numbers and names (`{stride}`), the best first; see [`crate::sentence`].
    fn templates(self) -> &'static [&'static str] {
        &[]
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

/// Rules that include those of the algebra, so that `?` takes a refusal of the algebra to one of theirs.
pub trait WiderRules: RuleSet + From<Rule> {}

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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason<R = Rule> {
    /// The broken rule.
    pub rule: R,
    /// The verdict of CuTe C++ 4.2 on the same operands.
    pub cute: Verdict,
    /// The mode of the right (or only) operand at which it happens, outermost first; empty for the whole.
    pub mode: Vec<usize>,
    /// The numbers that decide it, named in snake case; units are in the names (`stride_bytes`).
    pub numbers: Vec<(&'static str, Number)>,
    /// Values near by that would be legal, best first, as texts that parse.
    pub legal: Vec<String>,
}

impl<R: RuleSet> Reason<R> {
    /// The number of this name.
    pub fn number(&self, name: &str) -> Option<&Number> {
        self.numbers
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }
}

/// Why an operation has no result. One pointer wide, so that the good path stays cheap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Refusal<R = Rule>(Box<Reason<R>>);

impl<R> Refusal<R> {
    /// A refusal by `rule` that CuTe C++ states as `cute`.
    #[cold]
    pub fn new(rule: R, cute: Verdict) -> Self {
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
    pub fn asserted(rule: R, text: &'static str) -> Self {
        Refusal::new(rule, Verdict::StaticAssert(text))
    }

    /// A refusal that CuTe states by not compiling.
    #[cold]
    pub fn uncompilable(rule: R, why: &'static str) -> Self {
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
    pub fn stated_as(mut self, cute: Verdict) -> Self {
        self.0.cute = cute;
        self
    }

    /// Puts `mode` before the path at which it happened.
    #[must_use]
    pub fn inside(mut self, mode: usize) -> Self {
        self.0.mode.insert(0, mode);
        self
    }
}

impl Refusal {
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
}

impl<R: WiderRules> From<Refusal> for Refusal<R> {
    fn from(refusal: Refusal) -> Self {
        let Reason {
            rule,
            cute,
            mode,
            numbers,
            legal,
        } = *refusal.0;
        Refusal(Box::new(Reason {
            rule: rule.into(),
            cute,
            mode,
            numbers,
            legal,
        }))
    }
}

impl<R> Deref for Refusal<R> {
    type Target = Reason<R>;
    fn deref(&self) -> &Reason<R> {
        &self.0
    }
}

impl<R> DerefMut for Refusal<R> {
    fn deref_mut(&mut self) -> &mut Reason<R> {
        &mut self.0
    }
}

impl<R: RuleSet> fmt::Display for Refusal<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl<R: RuleSet + fmt::Debug> core::error::Error for Refusal<R> {}
