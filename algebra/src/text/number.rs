//! Reading numbers: static and run-time integers, symbolic expressions, bases, xor strides.

use super::leaf::Leaf;
use super::scanner::{Scanner, is_name_or_sign};
use crate::int::Int;
use crate::limits;
use crate::refusal::Refusal;
use crate::stride::{Path, ScaledBasis};

impl<'a> Scanner<'a> {
    pub(super) fn digits(&mut self) -> Result<i64, Refusal> {
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

    pub(super) fn signed(&mut self) -> Result<i64, Refusal> {
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

    /// `8`, `_8`, `_-1` or `-1`, if one is here.
    pub(super) fn integer(&mut self) -> Result<Option<Int>, Refusal> {
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

    pub(super) fn path(&mut self) -> Result<Path, Refusal> {
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

    /// `1/2@0`, if one is here: a rational count needs its `@` to be told from a quotient.
    pub(super) fn rational(&mut self) -> Result<Option<ScaledBasis>, Refusal> {
        let start = self.at;
        let Some(value) = self.integer()? else {
            return Ok(None);
        };
        if self.eat("/")
            && let Some(denominator) = self.integer()?
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
        self.at = start;
        Ok(None)
    }

    pub(super) fn name(&mut self) -> &'a str {
        self.skip_space();
        self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '#'))
    }

    pub(super) fn leaf(&mut self) -> Result<Leaf, Refusal> {
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

    pub(super) fn with_path(&mut self, value: Int) -> Result<Leaf, Refusal> {
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
    pub(super) fn xor_bits(&mut self) -> Option<i64> {
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
    pub(super) fn expression(&mut self, depth: usize) -> Result<Int, Refusal> {
        let first = self.operand(depth)?;
        self.continue_sum(first, depth)
    }

    pub(super) fn continue_sum(&mut self, first: Int, depth: usize) -> Result<Int, Refusal> {
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

    pub(super) fn continue_product(&mut self, first: Int, depth: usize) -> Result<Int, Refusal> {
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

    pub(super) fn operand(&mut self, depth: usize) -> Result<Int, Refusal> {
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
                    value.signum()
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
    pub(super) fn mixed(&mut self, known: &str) -> Result<Int, Refusal> {
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
}
