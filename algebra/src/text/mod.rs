//! Reading CuTe's print: the inverse of every `Display` of this crate.
//!
//! Parsing is iterative over groups, so no nesting exhausts the stack; [`crate::limits`] bounds text, rank, depth and
//! nodes. White space is free. [`Reading`] is the meaning of a plain integer.

mod leaf;
mod number;
mod scanner;
mod tensor;

use crate::composed::{AnyLayout, ComposedLayout};
use crate::coord::Coord;
use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, Stride};
use crate::swizzle::Swizzle;
use crate::tensor::Tensor;
use crate::tiler::Tiler;
use crate::tuple::{Shape, Tuple};
use core::str::FromStr;
use leaf::FromLeaf;
use scanner::Scanner;

/// The meaning of a plain integer such as `8`; `_8` is static under both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Every plain integer is static: how people write layouts.
    Plain,
    /// A plain integer is a run-time value, as CuTe prints them.
    #[default]
    Cute,
}

impl Reading {
    fn plain(self, value: i64) -> Int {
        match self {
            Reading::Plain => Int::fixed(value),
            Reading::Cute => Int::dynamic(value),
        }
    }
}

/// A value that CuTe's print denotes.
pub trait Parse: Sized {
    /// Reads the whole text, or says where it is malformed.
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal>;
}

impl<T: FromLeaf> Parse for Tuple<T> {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        let mut scanner = Scanner::new(text, reading)?;
        let tuple = scanner.tuple()?;
        scanner.end(tuple)
    }
}

impl Parse for Int {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        let mut scanner = Scanner::new(text, reading)?;
        let int = scanner.expression(0)?;
        scanner.end(int)
    }
}

impl Parse for Delta {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        let mut scanner = Scanner::new(text, reading)?;
        let leaf = scanner.leaf()?;
        let delta = scanner.convert(leaf)?;
        scanner.end(delta)
    }
}

impl Parse for Layout {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        let mut scanner = Scanner::new(text, reading)?;
        let layout = scanner.layout()?;
        scanner.end(layout)
    }
}

impl Parse for Swizzle {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        let mut scanner = Scanner::new(text, reading)?;
        match scanner.swizzle()? {
            Some(swizzle) => scanner.end(swizzle),
            None => Err(scanner.malformed("`Sw<B,M,S>`")),
        }
    }
}

impl Parse for AnyLayout {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        let mut scanner = Scanner::new(text, reading)?;
        let layout = scanner.any_layout()?;
        scanner.end(layout)
    }
}

impl Parse for ComposedLayout {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        match AnyLayout::parse(text, reading)? {
            AnyLayout::Composed(composed) => Ok(composed),
            AnyLayout::Affine(_) => Err(Refusal::uncompilable(Rule::Malformed, "malformed")
                .with("expected", "a composed layout")
                .with("found", text.trim())),
        }
    }
}

impl Parse for Tiler {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        let mut scanner = Scanner::new(text, reading)?;
        let tiler = scanner.tiler(0)?;
        scanner.end(tiler)
    }
}

impl Parse for Tensor {
    fn parse(text: &str, reading: Reading) -> Result<Self, Refusal> {
        let mut scanner = Scanner::new(text, reading)?;
        let tensor = scanner.tensor()?;
        scanner.end(tensor)
    }
}

macro_rules! from_str_reads_cutes_print {
    ($($kind:ty),*) => {$(
        impl FromStr for $kind {
            type Err = Refusal;
            /// Reads CuTe's print: `_8` is static, `8` is a run-time value.
            fn from_str(text: &str) -> Result<Self, Refusal> {
                <$kind>::parse(text, Reading::Cute)
            }
        }
    )*};
}

from_str_reads_cutes_print!(
    Int,
    Delta,
    Shape,
    Stride,
    Coord,
    Layout,
    Swizzle,
    ComposedLayout,
    AnyLayout,
    Tiler,
    Tensor
);
