//! Reading CuTe's print: the inverse of every `Display` of this crate.
//!
//! Parsing is iterative over groups, so no nesting exhausts the stack; [`crate::limits`] bounds text, rank, depth and
//! nodes. White space is free. [`Reading`] says what a plain integer means.

use crate::composed::{AnyLayout, ComposedLayout, Outer};
use crate::coord::{Coord, CoordLeaf};
use crate::int::Int;
use crate::layout::Layout;
use crate::limits;
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, Path, ScaledBasis, Stride};
use crate::swizzle::Swizzle;
use crate::tiler::Tiler;
use crate::tuple::{IntTuple, Shape, Tuple, TupleBuilder};
use core::str::FromStr;
use std::sync::Arc;

/// What a plain integer such as `8` means; `_8` is static under both.
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

/// A leaf before it is known what kind of tuple it belongs to.
enum Leaf {
    Int(Int),
    Basis(ScaledBasis),
    Xor(i64),
    Underscore,
}

impl Leaf {
    fn text(&self) -> String {
        match self {
            Leaf::Int(int) => int.to_string(),
            Leaf::Basis(basis) => basis.to_string(),
            Leaf::Xor(bits) => format!("f{bits}"),
            Leaf::Underscore => "_".to_owned(),
        }
    }
}

/// What a tuple of some kind accepts as a leaf.
trait FromLeaf: Sized {
    const WANTED: &'static str;
    fn from_leaf(leaf: Leaf) -> Result<Self, Leaf>;
}

impl FromLeaf for Int {
    const WANTED: &'static str = "an integer";
    fn from_leaf(leaf: Leaf) -> Result<Self, Leaf> {
        match leaf {
            Leaf::Int(int) => Ok(int),
            // Among extents and coordinates `f5` is a symbol.
            Leaf::Xor(bits) => Ok(Int::symbol(&format!("f{bits}"))),
            other => Err(other),
        }
    }
}

impl FromLeaf for Delta {
    const WANTED: &'static str = "a stride";
    fn from_leaf(leaf: Leaf) -> Result<Self, Leaf> {
        match leaf {
            Leaf::Int(int) => Ok(Delta::Int(int)),
            Leaf::Basis(basis) => Ok(Delta::Basis(Arc::new(basis))),
            Leaf::Xor(bits) => Ok(Delta::Xor(bits)),
            Leaf::Underscore => Err(Leaf::Underscore),
        }
    }
}

impl FromLeaf for CoordLeaf {
    const WANTED: &'static str = "an index or `_`";
    fn from_leaf(leaf: Leaf) -> Result<Self, Leaf> {
        match leaf {
            Leaf::Underscore => Ok(CoordLeaf::Underscore),
            other => Int::from_leaf(other).map(CoordLeaf::Int),
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    reading: Reading,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, reading: Reading) -> Result<Self, Refusal> {
        if text.len() > limits::TEXT {
            return Err(Refusal::limit("text bytes", limits::TEXT));
        }
        Ok(Scanner {
            text,
            at: 0,
            reading,
        })
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// The longest prefix of these characters, right here.
    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    #[cold]
    fn malformed(&self, expected: &str) -> Refusal {
        let found: String = self.rest().chars().take(12).collect();
        let found = if found.is_empty() {
            "the end".to_owned()
        } else {
            format!("`{found}`")
        };
        Refusal::uncompilable(Rule::Malformed, "malformed")
            .with("at", self.at)
            .with("expected", expected)
            .with("found", found)
    }

    fn expect(&mut self, wanted: &str) -> Result<(), Refusal> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(self.malformed(&format!("`{wanted}`")))
        }
    }

    fn end<T>(mut self, value: T) -> Result<T, Refusal> {
        if self.peek().is_none() {
            Ok(value)
        } else {
            Err(self.malformed("the end"))
        }
    }

    fn digits(&mut self) -> Result<i64, Refusal> {
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.malformed("a number"));
        }
        digits.parse().map_err(|_| {
            self.at = start;
            Refusal::overflow("number")
                .with("at", start)
                .with("text", digits)
        })
    }

    fn signed(&mut self) -> Result<i64, Refusal> {
        self.skip_space();
        if !self.eat("-") {
            return self.digits();
        }
        // `-9223372036854775808` has no positive counterpart.
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.malformed("a number"));
        }
        format!("-{digits}").parse().map_err(|_| {
            Refusal::overflow("number")
                .with("at", start)
                .with("text", digits)
        })
    }

    /// `8`, `_8`, `_-1` or `-1`, if one stands here.
    fn integer(&mut self) -> Result<Option<Int>, Refusal> {
        let c = self.peek();
        let rest = self.rest();
        if c == Some('_') {
            let after = rest.get(1..).unwrap_or_default();
            let is_static = after.starts_with(|c: char| c.is_ascii_digit())
                || (after.starts_with('-')
                    && after
                        .get(1..)
                        .is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit())));
            if !is_static {
                return Ok(None);
            }
            self.at += 1;
            return self.signed().map(|v| Some(Int::fixed(v)));
        }
        match c {
            Some('0'..='9') => self.digits().map(|v| Some(self.reading.plain(v))),
            Some('-')
                if rest
                    .get(1..)
                    .is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit())) =>
            {
                self.signed().map(|v| Some(self.reading.plain(v)))
            }
            _ => Ok(None),
        }
    }

    fn path(&mut self) -> Result<Path, Refusal> {
        let mut path = Path::new();
        while self.eat("@") {
            self.skip_space();
            let mode = self.digits()?;
            let mode = u16::try_from(mode)
                .ok()
                .filter(|m| usize::from(*m) < limits::RANK);
            path.push(mode.ok_or_else(|| Refusal::limit("rank", limits::RANK))?);
            if path.len() > limits::DEPTH {
                return Err(Refusal::limit("depth", limits::DEPTH));
            }
        }
        path.reverse();
        Ok(path)
    }

    /// `1/2@0`, if one stands here: a rational count needs its `@` to be told from a quotient.
    fn rational(&mut self) -> Result<Option<ScaledBasis>, Refusal> {
        let start = self.at;
        let Some(value) = self.integer()? else {
            return Ok(None);
        };
        if self.eat("/") {
            if let Some(denominator) = self.integer()?
                && self.peek() == Some('@')
            {
                let denominator = denominator
                    .value()
                    .filter(|d| *d > 0)
                    .ok_or_else(|| self.malformed("a positive denominator"))?;
                return Ok(Some(ScaledBasis {
                    value,
                    denominator,
                    path: self.path()?,
                }));
            }
        }
        self.at = start;
        Ok(None)
    }

    fn name(&mut self) -> &'a str {
        self.skip_space();
        self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '#'))
    }

    fn leaf(&mut self) -> Result<Leaf, Refusal> {
        if self.peek() == Some('_')
            && !self
                .rest()
                .get(1..)
                .is_some_and(|t| t.starts_with(is_name_or_sign))
        {
            self.at += 1;
            return Ok(Leaf::Underscore);
        }
        if let Some(basis) = self.rational()? {
            return Ok(Leaf::Basis(basis));
        }
        if let Some(bits) = self.xor_bits() {
            return Ok(Leaf::Xor(bits));
        }
        let value = self.expression(0)?;
        self.with_path(value)
    }

    fn with_path(&mut self, value: Int) -> Result<Leaf, Refusal> {
        if self.peek() == Some('@') {
            return Ok(Leaf::Basis(ScaledBasis {
                value,
                denominator: 1,
                path: self.path()?,
            }));
        }
        Ok(Leaf::Int(value))
    }

    /// `f5`, standing alone.
    fn xor_bits(&mut self) -> Option<i64> {
        let start = self.at;
        if self.eat("f") {
            let bits = self.take_while(|c| c.is_ascii_digit()).parse().ok();
            let alone = self.peek().is_none_or(|c| matches!(c, ',' | ')' | '>'));
            if bits.is_some() && alone {
                return bits;
            }
        }
        self.at = start;
        None
    }

    /// A sum of products; `depth` counts the parentheses around it.
    fn expression(&mut self, depth: usize) -> Result<Int, Refusal> {
        let first = self.operand(depth)?;
        self.continue_sum(first, depth)
    }

    fn continue_sum(&mut self, first: Int, depth: usize) -> Result<Int, Refusal> {
        let mut sum = self.continue_product(first, depth)?;
        loop {
            if self.eat("+") {
                let next = self.operand(depth)?;
                sum = sum.add(&self.continue_product(next, depth)?)?;
            } else if self.peek() == Some('-') {
                self.at += 1;
                let next = self.operand(depth)?;
                sum = sum.sub(&self.continue_product(next, depth)?)?;
            } else {
                return Ok(sum);
            }
        }
    }

    fn continue_product(&mut self, first: Int, depth: usize) -> Result<Int, Refusal> {
        let mut product = first;
        loop {
            if self.eat("*") {
                product = product.mul(&self.operand(depth)?)?;
            } else if self.eat("/") {
                product = product.div(&self.operand(depth)?)?;
            } else if self.eat("%") {
                product = product.rem(&self.operand(depth)?)?;
            } else {
                return Ok(product);
            }
        }
    }

    fn operand(&mut self, depth: usize) -> Result<Int, Refusal> {
        if depth > limits::DEPTH {
            return Err(Refusal::limit("depth", limits::DEPTH));
        }
        if let Some(int) = self.integer()? {
            return Ok(int);
        }
        if self.eat("-") {
            return self.operand(depth + 1)?.neg();
        }
        if self.eat("(") {
            let value = self.expression(depth + 1)?;
            self.expect(")")?;
            return Ok(value);
        }
        if !self.peek().is_some_and(|c| c.is_alphabetic() || c == '_') {
            return Err(self.malformed("an integer"));
        }
        let start = self.at;
        let name = self.name();
        if let Some(known) = name.strip_prefix("M_")
            && self.eat("|(")
        {
            return self.mixed(known);
        }
        match name {
            "min" | "max" if self.eat("(") => {
                let left = self.expression(depth + 1)?;
                self.expect(",")?;
                let right = self.expression(depth + 1)?;
                self.expect(")")?;
                if name == "min" {
                    left.min(&right)
                } else {
                    left.max(&right)
                }
            }
            "abs" | "signum" if self.eat("(") => {
                let value = self.expression(depth + 1)?;
                self.expect(")")?;
                if name == "abs" {
                    value.abs()
                } else {
                    Ok(value.signum())
                }
            }
            "o" => {
                self.at = start;
                Err(self.malformed("an integer"))
            }
            _ => Ok(Int::symbol(name)),
        }
    }

    /// The rest of `M_0|(32&32)=32`.
    fn mixed(&mut self, known: &str) -> Result<Int, Refusal> {
        let narrow =
            |v: i64| u32::try_from(v).map_err(|_| Refusal::overflow("mixed bits").with("value", v));
        let known: i64 = known.parse().map_err(|_| self.malformed("static bits"))?;
        let bits = self.signed()?;
        self.expect("&")?;
        let flags = self.signed()?;
        self.expect(")")?;
        self.expect("=")?;
        self.signed()?;
        Ok(Int::mixed(narrow(known)?, narrow(flags)?, narrow(bits)?))
    }

    fn tuple<T: FromLeaf>(&mut self) -> Result<Tuple<T>, Refusal> {
        let mut builder = TupleBuilder::new();
        // Open groups: where they start, and how many members they have.
        let mut open: Vec<(usize, usize)> = Vec::new();
        loop {
            if builder.node_count() > limits::NODES {
                return Err(Refusal::limit("tuple nodes", limits::NODES));
            }
            if self.eat("(") {
                if open.len() >= limits::DEPTH {
                    return Err(Refusal::limit("depth", limits::DEPTH));
                }
                open.push((builder.open(), 0));
                if self.peek() != Some(')') {
                    continue;
                }
            } else {
                let leaf = self.leaf()?;
                builder.leaf(self.convert(leaf)?);
                if let Some((_, rank)) = open.last_mut() {
                    *rank += 1;
                }
            }
            self.close_groups(&mut builder, &mut open)?;
            if open.is_empty() {
                return builder.finish();
            }
        }
    }

    /// After a member: closes every group that ends here, and stops before the next member.
    fn close_groups<T: FromLeaf>(
        &mut self,
        builder: &mut TupleBuilder<T>,
        open: &mut Vec<(usize, usize)>,
    ) -> Result<(), Refusal> {
        while let Some(&(mark, rank)) = open.last() {
            if rank > 0 && self.eat(",") {
                if rank >= limits::RANK {
                    return Err(Refusal::limit("rank", limits::RANK));
                }
                // `(4,)` is a rank-1 tuple in Python's spelling.
                if !(rank == 1 && self.peek() == Some(')')) {
                    return Ok(());
                }
            }
            let start = self.at;
            self.expect(")")?;
            open.pop();
            builder.close(mark, rank);
            if rank == 1
                && self
                    .peek()
                    .is_some_and(|c| matches!(c, '/' | '*' | '%' | '+' | '-' | '@'))
            {
                self.at = start;
                self.unparenthesise(builder, mark)?;
            }
            if let Some((_, rank)) = open.last_mut() {
                *rank += 1;
            }
        }
        Ok(())
    }

    /// A group of one number before an operator was a parenthesis: `(M+127)/128`. Reads it again as a number.
    fn unparenthesise<T: FromLeaf>(
        &mut self,
        builder: &mut TupleBuilder<T>,
        mark: usize,
    ) -> Result<(), Refusal> {
        if builder.ungroup_single(mark).is_none() {
            return Err(self.malformed("`,` or the end of the tuple"));
        }
        let close = self.at;
        self.at = self.matching_open(close);
        let leaf = self.leaf()?;
        builder.leaf(self.convert(leaf)?);
        Ok(())
    }

    /// The `(` that the `)` at `close` belongs to.
    fn matching_open(&self, close: usize) -> usize {
        let mut depth = 0_usize;
        let before = self.text.get(..=close).unwrap_or(self.text);
        for (at, c) in before.char_indices().rev() {
            match c {
                ')' => depth += 1,
                '(' => {
                    depth -= 1;
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        close
    }

    fn convert<T: FromLeaf>(&self, leaf: Leaf) -> Result<T, Refusal> {
        T::from_leaf(leaf).map_err(|leaf| {
            Refusal::uncompilable(Rule::Malformed, "malformed")
                .with("at", self.at)
                .with("expected", T::WANTED)
                .with("found", format!("`{}`", leaf.text()))
        })
    }

    fn layout(&mut self) -> Result<Layout, Refusal> {
        let shape: Shape = self.tuple()?;
        self.expect(":")?;
        let stride: Stride = self.tuple()?;
        Layout::new(shape, stride)
    }

    fn swizzle(&mut self) -> Result<Option<Swizzle>, Refusal> {
        let start = self.at;
        if !(self.eat("Sw<") || self.eat("S<") || self.eat("Swizzle<")) {
            self.at = start;
            return Ok(None);
        }
        let bits = self.signed()?;
        self.expect(",")?;
        let base = self.signed()?;
        let shift = if self.eat(",") { self.signed()? } else { bits };
        self.expect(">")?;
        Swizzle::new(bits, base, shift).map(Some)
    }

    fn compose_sign(&mut self) -> bool {
        let start = self.at;
        if self.eat("∘") {
            return true;
        }
        if self.eat("o") && !self.rest().starts_with(is_name_or_sign) {
            return true;
        }
        self.at = start;
        false
    }

    fn any_layout(&mut self) -> Result<AnyLayout, Refusal> {
        let outer = match self.swizzle()? {
            Some(swizzle) => Outer::Swizzle(swizzle),
            None => {
                let layout = self.layout()?;
                if !self.compose_sign() {
                    return Ok(AnyLayout::Affine(layout));
                }
                return self
                    .composed(Outer::Layout(layout))
                    .map(AnyLayout::Composed);
            }
        };
        if !self.compose_sign() {
            return Err(self.malformed("`o`"));
        }
        self.composed(outer).map(AnyLayout::Composed)
    }

    /// `offset o inner`, or only `inner`, after `outer o`.
    fn composed(&mut self, outer: Outer) -> Result<ComposedLayout, Refusal> {
        let first: IntTuple = self.tuple()?;
        if self.eat(":") {
            let stride: Stride = self.tuple()?;
            let inner = Layout::new(first, stride)?;
            return Ok(ComposedLayout {
                outer,
                offset: Tuple::leaf(Int::ZERO),
                inner,
            });
        }
        if !self.compose_sign() {
            return Err(self.malformed("`o`"));
        }
        Ok(ComposedLayout {
            outer,
            offset: first,
            inner: self.layout()?,
        })
    }

    fn tiler(&mut self, depth: usize) -> Result<Tiler, Refusal> {
        if depth > limits::DEPTH {
            return Err(Refusal::limit("depth", limits::DEPTH));
        }
        let start = self.at;
        let tiler = if self.eat("(") {
            let mut modes = Vec::new();
            while self.peek() != Some(')') {
                modes.push(self.tiler(depth + 1)?);
                if modes.len() > limits::RANK {
                    return Err(Refusal::limit("rank", limits::RANK));
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            Tiler::Modes(modes)
        } else {
            match self.leaf()? {
                Leaf::Underscore => Tiler::Skip,
                leaf => Tiler::Int(self.convert(leaf)?),
            }
        };
        match self.peek() {
            Some(':') => {
                self.at = start;
                self.layout().map(Tiler::Layout)
            }
            Some('/' | '*' | '%' | '+' | '-') if matches!(&tiler, Tiler::Modes(m) if m.len() == 1) =>
            {
                self.at = start;
                let value = self.expression(0)?;
                if self.peek() == Some(':') {
                    self.at = start;
                    return self.layout().map(Tiler::Layout);
                }
                Ok(Tiler::Int(value))
            }
            _ => Ok(tiler),
        }
    }
}

fn is_name_or_sign(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
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
    Tiler
);
