//! Descriptors: the textual layouts of bases, `((1@0, 8@1), 1@2)`, and their normal form.
//!
//! ```text
//! layout = group
//! group  = "(" [ entry { "," entry } ] ")"
//! entry  = group | basis
//! basis  = count "@" dim { "@" dim }
//! count  = int | int "/" int
//! ```
//!
//! A descriptor maps a coordinate for each of its bases to the sum of count times coordinate in each
//! basis's dimension. The notation reads every descriptor; [`normalise`] takes the trees that are
//! one.

use std::fmt::{self, Display, Formatter};

use crate::parse_error::ParseError;
use crate::tree::{Expr, ExprKind, UnaryOp};

/// A descriptor in normal form: counts are integers, no group has a group as its only entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// Its entries in order; none is the degenerate empty layout.
    pub entries: Vec<Entry>,
}

/// A part of a [`Descriptor`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Entry {
    /// `(1@0, 8@1)`
    Group(Vec<Entry>),
    /// `8@1`
    Basis(Basis),
}

/// A step of `count` in a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Basis {
    /// The size of one step.
    pub count: i64,
    /// The dimension, innermost first: `1@0@1` is in dimension 0 of dimension 1. At least one.
    pub dims: Vec<usize>,
}

impl Descriptor {
    /// The bases in order, without their groups: the function of the layout depends on nothing else.
    pub fn bases(&self) -> Vec<&Basis> {
        let mut bases = Vec::new();
        gather(&self.entries, &mut bases);
        bases
    }
}

fn gather<'d>(entries: &'d [Entry], bases: &mut Vec<&'d Basis>) {
    for entry in entries {
        match entry {
            Entry::Group(inner) => gather(inner, bases),
            Entry::Basis(basis) => bases.push(basis),
        }
    }
}

/// The normal form of a descriptor, which has the same function.
///
/// Fractions become the integers that they are, and groups around one group go. The order of the
/// bases stays.
///
/// # Errors
/// The first entry that is not a basis, or whose count is not an integer: with its place.
///
/// ```
/// # use tree_sitter_cute::notation::{normalise, parse};
/// let descriptor = normalise(&parse("( ((4/2@0, 8@1)),1@2 )")?)?;
/// assert_eq!(descriptor.to_string(), "((2@0, 8@1), 1@2)");
///
/// let error = normalise(&parse("(1/2@0, 4@1)")?).unwrap_err();
/// assert_eq!(error.to_string(), "expected an integral count, found `1/2` at byte 1");
/// # Ok::<(), tree_sitter_cute::ParseError>(())
/// ```
pub fn normalise(expr: &Expr) -> Result<Descriptor, ParseError> {
    match &expr.kind {
        ExprKind::Tuple(modes) => {
            let mut entries = group(modes)?;
            while let [Entry::Group(inner)] = entries.as_mut_slice() {
                entries = std::mem::take(inner);
            }
            Ok(Descriptor { entries })
        }
        _ => Err(unfit(expr, "a group of bases in parentheses")),
    }
}

fn group(modes: &[Expr]) -> Result<Vec<Entry>, ParseError> {
    modes.iter().map(entry).collect()
}

fn entry(expr: &Expr) -> Result<Entry, ParseError> {
    match &expr.kind {
        ExprKind::Tuple(modes) => {
            let mut entries = group(modes)?;
            match (entries.pop(), entries.is_empty()) {
                // A group of one entry is that entry.
                (Some(only), true) => Ok(only),
                (last, _) => {
                    entries.extend(last);
                    Ok(Entry::Group(entries))
                }
            }
        }
        ExprKind::Basis(count, dims) => Ok(Entry::Basis(Basis {
            count: integral(count)?,
            dims: dims.clone(),
        })),
        _ => Err(unfit(expr, "a basis such as `8@1`, or a group of bases")),
    }
}

/// The count as an integer.
fn integral(count: &Expr) -> Result<i64, ParseError> {
    let whole = match &count.kind {
        ExprKind::Int(value) | ExprKind::Static(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Minus, operand) => match operand.kind {
            ExprKind::Int(value) => value.checked_neg(),
            _ => None,
        },
        ExprKind::Rational(count) => count
            .numerator
            .checked_rem(count.denominator)
            .filter(|rest| *rest == 0)
            .and_then(|_| count.numerator.checked_div(count.denominator)),
        _ => None,
    };
    whole.ok_or_else(|| unfit(count, "an integral count"))
}

fn unfit(expr: &Expr, expected: &str) -> ParseError {
    ParseError {
        span: expr.span,
        expected: expected.to_owned(),
        found: super::print(expr),
    }
}

impl Display for Descriptor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_group(f, &self.entries)
    }
}

impl Display for Entry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(entries) => write_group(f, entries),
            Self::Basis(basis) => basis.fmt(f),
        }
    }
}

impl Display for Basis {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.count)?;
        self.dims.iter().try_for_each(|dim| write!(f, "@{dim}"))
    }
}

fn write_group(f: &mut Formatter<'_>, entries: &[Entry]) -> fmt::Result {
    f.write_str("(")?;
    for (at, entry) in entries.iter().enumerate() {
        let separator = if at > 0 { ", " } else { "" };
        write!(f, "{separator}{entry}")?;
    }
    f.write_str(")")
}
