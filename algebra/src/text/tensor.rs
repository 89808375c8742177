//! Reading tensors: CuTe's print of a pointer or an iterator, then `o`, then a layout.

use super::scanner::Scanner;
use crate::int::Int;
use crate::refusal::{Refusal, Rule};
use crate::tensor::{Accessor, Pointer, Space, Tensor};

/// The spaces, those whose prefix is not the beginning of another.
const SPACES: [Space; 5] = [
    Space::Global,
    Space::Shared,
    Space::Registers,
    Space::TensorMemory,
    Space::Plain,
];

impl Scanner<'_> {
    pub(super) fn tensor(&mut self) -> Result<Tensor, Refusal> {
        let accessor = self.accessor()?;
        if !self.compose_sign() {
            return Err(self.malformed("`o`"));
        }
        Ok(Tensor {
            accessor,
            layout: self.any_layout()?,
        })
    }

    pub(super) fn accessor(&mut self) -> Result<Accessor, Refusal> {
        if self.eat("ArithTuple") {
            return self.tuple().map(Accessor::Coordinates);
        }
        for (open, close) in [("counting_iter(", ")"), ("{", "}")] {
            if self.eat(open) {
                let start = self.expression(0)?;
                self.expect(close)?;
                return Ok(Accessor::Counting(start));
            }
        }
        let swizzle = self.swizzle()?;
        if swizzle.is_some() {
            self.expect("_")?;
        }
        let space = SPACES
            .into_iter()
            .find(|space| self.eat(space.prefix()))
            .ok_or_else(|| self.malformed("a pointer, `counting_iter(..)` or `ArithTuple(..)`"))?;
        self.expect("[")?;
        let element_bits = self.element_bits()?;
        self.expect("b")?;
        self.expect("]")?;
        self.expect("(")?;
        let offset = self.address()?;
        self.expect(")")?;
        Ok(Accessor::Pointer(Pointer {
            space,
            element_bits,
            swizzle,
            offset,
        }))
    }

    fn element_bits(&mut self) -> Result<u32, Refusal> {
        let bits = self.signed()?;
        u32::try_from(bits)
            .ok()
            .filter(|bits| *bits > 0)
            .ok_or_else(|| {
                Refusal::uncompilable(Rule::Malformed, "malformed")
                    .with("expected", "bits of an element")
                    .with("found", bits)
            })
    }

    /// `PTR`, `unset`, `0x7f00` or `PTR.0000`, none of which is kept, and the offset behind it.
    fn address(&mut self) -> Result<Int, Refusal> {
        if self.name().is_empty() {
            return Err(self.malformed("an address"));
        }
        if self.eat("+") {
            self.expression(0)
        } else {
            Ok(Int::ZERO)
        }
    }
}
