//! A parsed source: parsed anew after each edit at the cost of the edit, lowered on demand.

use std::borrow::Cow;
use std::fmt;
use std::time::{Duration, Instant};

use crate::outline::Part;
use crate::tree::{Comment, Item, Span, Unit};
use crate::{Host, cuda, limits, python, rust};

/// The time limit of a parse. Asked often (about every 5 microseconds), so the answer must be fast.
pub struct Budget<'a>(Option<Box<dyn FnMut() -> bool + 'a>>);

impl<'a> Budget<'a> {
    /// No bound but the size of the source.
    pub fn unlimited() -> Self {
        Self(None)
    }

    /// Goes on while `goes_on` says so: for cancelling from another thread.
    pub fn while_true(goes_on: impl FnMut() -> bool + 'a) -> Self {
        Self(Some(Box::new(goes_on)))
    }

    /// Goes on for this long.
    pub fn for_at_most(time: Duration) -> Self {
        let start = Instant::now();
        Self::while_true(move || start.elapsed() < time)
    }

    fn goes_on(&mut self) -> bool {
        self.0.as_mut().is_none_or(|goes_on| goes_on())
    }
}

/// Why a source was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotParsed {
    /// It has more bytes than [`limits::SOURCE_BYTES`]; this many.
    TooLarge(usize),
    /// The budget was spent.
    OutOfTime,
}

impl fmt::Display for NotParsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(bytes) => write!(
                f,
                "the source has {bytes} bytes; sources of up to {} bytes are read",
                limits::SOURCE_BYTES
            ),
            Self::OutOfTime => write!(f, "parsing was stopped before its end"),
        }
    }
}

impl std::error::Error for NotParsed {}

/// A parsed source. Versions of a source share their common parts.
#[derive(Debug, Clone)]
pub struct Syntax(Parsed);

/// The data of a source that each host keeps.
#[derive(Debug, Clone)]
enum Parsed {
    CudaCpp(cuda::Source),
    Python(python::Source),
    Rust(rust::Source),
}

impl Syntax {
    /// Parses `text`. With the syntax of an earlier version of it in `old`, only the declarations
    /// that edits touched are parsed and later lowered again; they are found by comparing the
    /// texts, so any number of edits may be between. The result is the same as without `old`.
    /// Bad source is not an error: see [`Unit::errors`].
    ///
    /// # Errors
    /// The source is too large, or the budget was spent; then there is no partial result.
    ///
    /// ```
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let old = Syntax::parse(Host::CudaCpp, "auto x = _8{};", None, Budget::unlimited()).unwrap();
    /// let text = "auto x = _16{};";
    /// let new = Syntax::parse(Host::CudaCpp, text, Some(&old), Budget::unlimited()).unwrap();
    /// assert_eq!(new.lower(text).items.len(), 1);
    /// ```
    pub fn parse(
        host: Host,
        text: &str,
        old: Option<&Self>,
        mut budget: Budget<'_>,
    ) -> Result<Self, NotParsed> {
        if text.len() > limits::SOURCE_BYTES {
            return Err(NotParsed::TooLarge(text.len()));
        }
        let old = old.map(|old| &old.0);
        let parsed = match host {
            Host::CudaCpp => {
                let old = match old {
                    Some(Parsed::CudaCpp(old)) => Some(old),
                    _ => None,
                };
                cuda::Source::parse(text, old, || budget.goes_on()).map(Parsed::CudaCpp)
            }
            Host::Python => {
                let old = match old {
                    Some(Parsed::Python(old)) => Some(old),
                    _ => None,
                };
                python::Source::parse(text, old, || budget.goes_on()).map(Parsed::Python)
            }
            Host::Rust => {
                let old = match old {
                    Some(Parsed::Rust(old)) => Some(old),
                    _ => None,
                };
                rust::Source::parse(text, old, || budget.goes_on()).map(Parsed::Rust)
            }
        };
        parsed.map(Self).ok_or(NotParsed::OutOfTime)
    }

    /// The language it was parsed as.
    pub fn host(&self) -> Host {
        match &self.0 {
            Parsed::CudaCpp(_) => Host::CudaCpp,
            Parsed::Python(_) => Host::Python,
            Parsed::Rust(_) => Host::Rust,
        }
    }

    /// Lowers the source; `text` is the text that was parsed.
    pub fn lower(&self, text: &str) -> Unit {
        self.lower_and(text, true)
    }

    /// The same for a source of which no later version is parsed: nothing has to be kept for one.
    ///
    /// ```
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let text = "auto x = _8{};";
    /// let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
    /// assert_eq!(syntax.into_unit(text).items.len(), 1);
    /// ```
    pub fn into_unit(self, text: &str) -> Unit {
        self.lower_and(text, false)
    }

    /// The comments of the source, in its order.
    pub fn comments(&self) -> &[Comment] {
        match &self.0 {
            Parsed::CudaCpp(source) => source.comments(),
            Parsed::Python(source) => source.comments(),
            Parsed::Rust(source) => source.comments(),
        }
    }

    /// The pieces that were parsed each on its own; of CUDA C++ only.
    pub fn pieces(&self) -> Option<SyntaxPieces<'_>> {
        match &self.0 {
            Parsed::CudaCpp(source) => Some(SyntaxPieces(source)),
            Parsed::Python(_) | Parsed::Rust(_) => None,
        }
    }

    fn lower_and(&self, text: &str, keeps: bool) -> Unit {
        match &self.0 {
            Parsed::CudaCpp(source) => source.lower(text, keeps),
            Parsed::Python(source) => source.lower(text, keeps),
            Parsed::Rust(source) => source.lower(text, keeps),
        }
    }
}

/// The pieces of a parsed source. The lowered items of one depend on its text alone.
#[derive(Debug, Clone, Copy)]
pub struct SyntaxPieces<'s>(&'s cuda::Source);

impl<'s> SyntaxPieces<'s> {
    /// Their positions, in source order: [`Unit::pieces`].
    pub fn places(&self) -> impl Iterator<Item = Span> + 's {
        self.0.places()
    }

    /// Their nesting.
    pub fn parts(&self) -> &'s [Part] {
        self.0.parts()
    }

    /// Whether a piece is the line of an `#if`, of which only the condition counts.
    pub fn is_condition(&self, piece: usize) -> bool {
        self.0.is_condition(piece)
    }

    /// A key of the text of a piece: a hash, so pieces of one key are taken for the same.
    pub fn key(&self, piece: usize) -> u64 {
        self.0.key(piece)
    }

    /// The items of a piece; their spans count from its start. `text` is the text that was parsed.
    ///
    /// ```
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let text = "auto x = 1;\nauto y = 2;\n";
    /// let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
    /// let items = syntax.pieces().unwrap().items(1, text).unwrap().into_owned();
    /// assert_eq!(items[0].span.start, 0);
    /// ```
    pub fn items(&self, piece: usize, text: &str) -> Option<Cow<'s, [Item]>> {
        self.0.items_of(piece, text)
    }

    /// Lowers the source, `text`, without the pieces that are not `wanted`.
    ///
    /// ```
    /// # use tree_sitter_cute::{Budget, Host, Syntax};
    /// let text = "auto x = 1;\nauto y = 2;\n";
    /// let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
    /// let unit = syntax.pieces().unwrap().lower(text, &|piece| piece == 1);
    /// assert_eq!(unit.items, &syntax.lower(text).items[1..]);
    /// ```
    pub fn lower(&self, text: &str, wanted: &dyn Fn(usize) -> bool) -> Unit {
        self.0.lower_wanted(text, true, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_one_byte_over_the_limit_is_refused() {
        let text = " ".repeat(limits::SOURCE_BYTES + 1);
        let parse = |text| Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).err();
        assert_eq!(
            parse(&text),
            Some(NotParsed::TooLarge(limits::SOURCE_BYTES + 1))
        );
        assert_eq!(parse(&text[1..]), None);
    }

    #[test]
    fn a_source_is_lowered_the_same_whether_something_is_kept_of_it() {
        let sources = [
            (
                Host::CudaCpp,
                "#if A\nauto x = _8{};\n#endif\nnamespace n { int f(); }",
            ),
            (Host::Python, "x = f(1)\ndef g(a):\n    return a\n"),
            (Host::Rust, "const X: usize = 8;\nfn f() {}\n"),
        ];
        for (host, text) in sources {
            let parsed = || Syntax::parse(host, text, None, Budget::unlimited()).unwrap();
            let kept = parsed();
            let unit = kept.lower(text);
            assert_eq!(unit.items.len(), 2, "{host:?}");
            assert_eq!(parsed().into_unit(text), unit, "{host:?}");
            assert_eq!(kept.into_unit(text), unit, "{host:?}");
        }
    }

    #[test]
    fn a_spent_budget_stops_the_parse() {
        let text = "auto x = f(1);\n".repeat(10_000);
        let stopped = Syntax::parse(Host::CudaCpp, &text, None, Budget::while_true(|| false));
        assert_eq!(stopped.err(), Some(NotParsed::OutOfTime));
    }
}
