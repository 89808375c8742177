//! Layouts of CuTe as functions of an index: `layout(threadIdx.x, k)` in plain code.

use cute_algebra::symbol::Expression;
use cute_algebra::{ComposedLayout, Int, LayoutView, Swizzle};
use tree_sitter_cute::tree::{Expr, ExprKind, Path};

use super::super::names::Meaning;
use super::Walker;
use super::held::Held;
use crate::access::terms::{IntKind, Operator, SymbolKind, TermId};
use crate::value::Value;
use crate::vocabulary;

impl<'u> Walker<'_, 'u> {
    /// The layout that a call of a function of CuTe makes.
    pub(super) fn layout_made(
        &mut self,
        expr: &'u Expr,
        meaning: &Meaning<'u>,
    ) -> Option<Held<'u>> {
        // Other calls are evaluated elsewhere.
        let Meaning::Vocabulary(word) = meaning else {
            return None;
        };
        if !vocabulary::is_of_layouts(&word.name.name) {
            return None;
        }
        let value = self.it.eval(expr, &mut self.frame);
        is_layout(&value).then(|| Held::Layout(Box::new(value)))
    }

    /// The layout that is called: `Layout<Shape<_4, _8>>{}` or `make_layout(..)` before its coordinate.
    pub(super) fn layout_called(&mut self, callee: &'u Expr) -> Option<Value> {
        match &callee.kind {
            ExprKind::Construct { args, .. } if args.is_empty() => {
                let value = self.it.eval(callee, &mut self.frame);
                is_layout(&value).then_some(value)
            }
            ExprKind::Call(..) => match self.value(callee) {
                Held::Layout(value) => Some(*value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The offset of a coordinate.
    pub(super) fn offset_in(&mut self, layout: &Value, args: &'u [Expr]) -> Option<Held<'u>> {
        match layout {
            Value::Layout(layout) => self.offset_of(layout.view(), args).map(Held::Int),
            Value::Composed(composed) => self.swizzled_offset(composed, args).map(Held::Int),
            _ => None,
        }
    }

    fn swizzled_offset(&mut self, composed: &ComposedLayout, args: &'u [Expr]) -> Option<TermId> {
        let swizzle = composed.swizzle()?;
        let first = composed.offset.as_leaf()?;
        let (inner, first) = (
            self.offset_of(composed.inner.view(), args)?,
            self.int(first)?,
        );
        let offset = self.terms().binary(Operator::Add, inner, first);
        self.swizzled_term(offset, swizzle)
    }

    /// `x ^ ((x >> S) & mask)`.
    pub(super) fn swizzled_term(&mut self, offset: TermId, swizzle: Swizzle) -> Option<TermId> {
        let ones = 1_i64.checked_shl(u32::try_from(swizzle.bits()).ok()?)? - 1;
        let mask = ones.checked_shl(u32::try_from(swizzle.base()).ok()?)?;
        let shift = u32::try_from(swizzle.shift()).ok()?;
        let terms = self.terms();
        let kind = terms.kind(offset);
        let (mask, shift) = (
            terms.number(mask, kind),
            terms.number(i64::from(shift), IntKind::INT),
        );
        let moved = terms.binary(Operator::Shr, offset, shift);
        let moved = terms.binary(Operator::And, moved, mask);
        Some(terms.binary(Operator::Xor, offset, moved))
    }

    /// The offset of a coordinate of a layout: one number for all of its modes, or one for each.
    pub(super) fn offset_of(&mut self, layout: LayoutView<'_>, args: &'u [Expr]) -> Option<TermId> {
        if let [only] = args {
            return self.offset_at(layout, only);
        }
        if layout.is_leaf() || layout.rank() != args.len() {
            return None;
        }
        let mut sum = self.terms().number(0, IntKind::INT);
        for (mode, arg) in layout.modes().zip(args) {
            let part = self.offset_at(mode, arg)?;
            sum = self.terms().binary(Operator::Add, sum, part);
        }
        Some(sum)
    }

    fn offset_at(&mut self, mode: LayoutView<'_>, arg: &'u Expr) -> Option<TermId> {
        if let Some(parts) = coordinate(arg) {
            return self.offset_of(mode, parts);
        }
        let Held::Int(index) = self.value(arg) else {
            return None;
        };
        self.offset_of_index(mode, index)
    }

    /// The offset of an index that counts all modes, the first one fastest.
    fn offset_of_index(&mut self, layout: LayoutView<'_>, index: TermId) -> Option<TermId> {
        let mut rest = index;
        let (extents, steps) = (layout.extents(), layout.steps());
        let mut sum = self.terms().number(0, IntKind::INT);
        for (position, (extent, step)) in extents.iter().zip(steps).enumerate() {
            let (extent, step) = (self.int(extent)?, self.int(step.as_int()?)?);
            let is_last = position + 1 == extents.len();
            let terms = self.terms();
            let digit = if is_last {
                rest
            } else {
                terms.binary(Operator::Rem, rest, extent)
            };
            let part = terms.binary(Operator::Mul, digit, step);
            sum = terms.binary(Operator::Add, sum, part);
            rest = terms.binary(Operator::Div, rest, extent);
        }
        Some(sum)
    }

    /// An integer of the interpreter: a number, or a multiple of one that a name has.
    pub(super) fn int(&mut self, int: &Int) -> Option<TermId> {
        if let Some(number) = int.value() {
            // The type of a run-time number may be one of 64 bits, elsewhere.
            let kind = if int.is_static() {
                IntKind::INT
            } else {
                IntKind::LONG
            };
            return Some(self.terms().number(number, kind));
        }
        let expression = int.as_expression()?;
        let symbols = expression.symbols();
        let [name] = symbols.as_slice() else {
            return None;
        };
        let at = |value| {
            let known = expression.substitute(&|_| Some(Expression::known(value)))?;
            known.as_known()
        };
        let factor = at(1)?;
        if at(0)? != 0 || at(2)? != factor.checked_mul(2)? || at(5)? != factor.checked_mul(5)? {
            return None;
        }
        let number = match self.find(name).map(|local| local.held.clone()) {
            Some(Held::Int(number)) => number,
            Some(_) => return None,
            None => self
                .terms()
                .shared(name, SymbolKind::Uniform, IntKind::INT, super::LEAST),
        };
        let factor = self.terms().number(factor, IntKind::INT);
        Some(self.terms().binary(Operator::Mul, factor, number))
    }
}

pub(super) fn is_layout(value: &Value) -> bool {
    match value {
        Value::Layout(_) => true,
        Value::Composed(composed) => composed.swizzle().is_some(),
        _ => false,
    }
}

/// The parts of `make_coord(a, b)`.
pub(super) fn coordinate(arg: &Expr) -> Option<&[Expr]> {
    let ExprKind::Call(callee, args) = &arg.kind else {
        return None;
    };
    let name = callee.as_path().and_then(Path::last)?;
    (name.name.name == "make_coord").then_some(args)
}
