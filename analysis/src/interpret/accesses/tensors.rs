//! Tensors of CuTe in memory, element by element: `make_tensor(pointer, layout)(i, j)`, and tiles of them.

use cute_algebra::{Layout, Tuple};
use tree_sitter_cute::tree::{Expr, ExprKind};

use super::super::names::Meaning;
use super::Walker;
use super::held::{Held, Pointer};
use super::layouts::{coordinate, is_layout};
use crate::access::INDEX;
use crate::access::terms::{Operator, TermId};
use crate::value::Value;

impl<'u> Walker<'_, 'u> {
    /// The tensor that a call of a function of CuTe makes.
    pub(super) fn tensor_made(
        &mut self,
        meaning: &Meaning<'u>,
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let Meaning::Vocabulary(word) = meaning else {
            return None;
        };
        match (word.name.name.as_str(), args) {
            ("make_gmem_ptr" | "make_smem_ptr", [pointer]) if word.args.is_none() => {
                match self.value(pointer) {
                    held @ Held::Pointer(_) => Some(held),
                    _ => None,
                }
            }
            ("make_tensor", [pointer, layout]) => {
                let layout = self.it.eval(layout, &mut self.frame);
                if !is_layout(&layout) {
                    return None;
                }
                match self.value(pointer) {
                    Held::Pointer(start) if start.memory.is_some() => {
                        Some(Held::Laid(Box::new((start, layout))))
                    }
                    _ => None,
                }
            }
            ("local_tile", [tensor, tiler, coord]) => {
                let tiler = self.it.eval(tiler, &mut self.frame);
                let Held::Laid(of) = self.value(tensor) else {
                    return None;
                };
                self.tile(*of, &tiler, coord)
            }
            _ => None,
        }
    }

    /// A tile of a tensor whose modes have one stride each: the modes of its layout are those of the tiler.
    fn tile(
        &mut self,
        (start, layout): (Pointer, Value),
        tiler: &Value,
        coord: &'u Expr,
    ) -> Option<Held<'u>> {
        let Value::Layout(layout) = layout else {
            return None;
        };
        let (extents, coords) = (tiler.to_shape()?, coordinate(coord)?);
        let (view, extents) = (layout.view(), extents.view());
        let rank = view.rank();
        if view.is_leaf() || extents.is_leaf() || rank != extents.rank() || rank != coords.len() {
            return None;
        }
        let mut first = self.terms().number(0, INDEX);
        let (mut shape, mut stride) = (Vec::new(), Vec::new());
        for ((mode, extent), coord) in view.modes().zip(extents.modes()).zip(coords) {
            let (extent, step) = (extent.as_leaf()?, mode.steps().first()?.clone());
            if !mode.is_leaf() {
                return None;
            }
            let Held::Int(at) = self.value(coord) else {
                return None;
            };
            let (tile, by) = (self.int(extent)?, self.int(step.as_int()?)?);
            let part = self.step_of_tile([at, tile, by]);
            first = self.terms().binary(Operator::Add, first, part);
            shape.push(extent.clone());
            stride.push(step);
        }
        let tile = Layout::new(Tuple::flat(shape).ok()?, Tuple::flat(stride).ok()?).ok()?;
        let Held::Pointer(start) = self.stepped(start, first, false) else {
            return None;
        };
        Some(Held::Laid(Box::new((start, tile.into()))))
    }

    fn step_of_tile(&mut self, factors: [TermId; 3]) -> TermId {
        let terms = self.terms();
        let one = terms.number(1, INDEX);
        factors.into_iter().fold(one, |product, factor| {
            let factor = terms.convert(factor, INDEX);
            terms.binary(Operator::Mul, product, factor)
        })
    }

    /// An element of a tensor that a call makes at its place.
    pub(super) fn element_of_made(
        &mut self,
        callee: &'u Expr,
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        if !matches!(callee.kind, ExprKind::Call(..)) {
            return None;
        }
        match self.value(callee) {
            Held::Laid(of) => self.element_of_tensor(*of, args),
            _ => None,
        }
    }

    /// An element of a tensor.
    pub(super) fn element_of_tensor(
        &mut self,
        (start, layout): (Pointer, Value),
        args: &'u [Expr],
    ) -> Option<Held<'u>> {
        let Held::Int(offset) = self.offset_in(&layout, args)? else {
            return None;
        };
        match self.stepped(start, offset, false) {
            Held::Pointer(place) => Some(Held::Place(place)),
            _ => None,
        }
    }
}
