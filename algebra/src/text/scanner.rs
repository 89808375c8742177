//! Reading groups: tuples, layouts, swizzles, compositions, tilers.

use super::Reading;
use super::leaf::{FromLeaf, Leaf};
use crate::composed::{AnyLayout, ComposedLayout, Outer};
use crate::int::Int;
use crate::layout::Layout;
use crate::limits;
use crate::refusal::{Refusal, Rule};
use crate::stride::Stride;
use crate::swizzle::Swizzle;
use crate::tiler::Tiler;
use crate::tuple::{IntTuple, Shape, Tuple, TupleBuilder};

/// A text and how far it is read.
pub(super) struct Scanner<'a> {
    text: &'a str,
    pub(super) at: usize,
    pub(super) reading: Reading,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, reading: Reading) -> Result<Self, Refusal> {
        if text.len() > limits::TEXT {
            return Err(Refusal::limit("text bytes", limits::TEXT));
        }
        Ok(Scanner {
            text,
            at: 0,
            reading,
        })
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn skip_space(&mut self) {
        // Most often there is none.
        let next = self.text.as_bytes().get(self.at);
        if !next.is_some_and(u8::is_ascii_graphic) {
            self.skip_white_space();
        }
    }

    fn skip_white_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest().chars().next()
    }

    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// The longest prefix of these characters, right here.
    pub(super) fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    #[cold]
    pub(super) fn malformed(&self, expected: &str) -> Refusal {
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

    pub(super) fn expect(&mut self, wanted: &str) -> Result<(), Refusal> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(self.malformed(&format!("`{wanted}`")))
        }
    }

    pub(super) fn end<T>(mut self, value: T) -> Result<T, Refusal> {
        if self.peek().is_none() {
            Ok(value)
        } else {
            Err(self.malformed("the end"))
        }
    }

    pub(super) fn tuple<T: FromLeaf>(&mut self) -> Result<Tuple<T>, Refusal> {
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
    pub(super) fn close_groups<T: FromLeaf>(
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
    pub(super) fn unparenthesise<T: FromLeaf>(
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
    pub(super) fn matching_open(&self, close: usize) -> usize {
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

    pub(super) fn convert<T: FromLeaf>(&self, leaf: Leaf) -> Result<T, Refusal> {
        T::from_leaf(leaf).map_err(|leaf| {
            Refusal::uncompilable(Rule::Malformed, "malformed")
                .with("at", self.at)
                .with("expected", T::WANTED)
                .with("found", format!("`{}`", leaf.text()))
        })
    }

    pub(super) fn layout(&mut self) -> Result<Layout, Refusal> {
        let shape: Shape = self.tuple()?;
        self.expect(":")?;
        let stride: Stride = self.tuple()?;
        Layout::new(shape, stride)
    }

    pub(super) fn swizzle(&mut self) -> Result<Option<Swizzle>, Refusal> {
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

    pub(super) fn compose_sign(&mut self) -> bool {
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

    pub(super) fn any_layout(&mut self) -> Result<AnyLayout, Refusal> {
        let outer = if let Some(swizzle) = self.swizzle()? {
            Outer::Swizzle(swizzle)
        } else {
            let layout = self.layout()?;
            if !self.compose_sign() {
                return Ok(AnyLayout::Affine(layout));
            }
            return self
                .composed(Outer::Layout(layout))
                .map(AnyLayout::Composed);
        };
        if !self.compose_sign() {
            return Err(self.malformed("`o`"));
        }
        self.composed(outer).map(AnyLayout::Composed)
    }

    /// `offset o inner`, or only `inner`, after `outer o`.
    pub(super) fn composed(&mut self, outer: Outer) -> Result<ComposedLayout, Refusal> {
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

    pub(super) fn tiler(&mut self, depth: usize) -> Result<Tiler, Refusal> {
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

/// Whether a character goes on a name, or begins a number behind `_`.
pub(super) fn is_name_or_sign(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}
