//! Tensors of CuTe in memory, element by element: `make_tensor(pointer, layout)(i, j)`, and tiles of them.

use cute_algebra::{Delta, Int, Layout, Tuple};
use tree_sitter_cute::tree::{Expr, ExprKind};

use super::super::names::Meaning;
use super::Walker;
use super::held::{Held, Pointer};
use super::layouts::coordinate;
use crate::access::INDEX;
use crate::access::terms::{Operator, TermId};
use crate::value::Value;

impl<'u> Walker<'_, 'u> {
    /// The tensor that a call of a function of CuTe makes.
    pub(super) fn tensor_made(
        &mut self,
        expr: &'u Expr,
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
            // A layout, or a shape with or without strides.
            ("make_tensor", [pointer, of] | [pointer, of, _]) => {
                let layout = match self.value(of) {
                    Held::Layout(layout) if args.len() == 2 => *layout,
                    _ => match self.it.eval(expr, &mut self.frame) {
                        Value::Tensor(tensor) => tensor.layout_value(),
                        _ => return None,
                    },
                };
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
            ("local_partition", [tensor, threads, index]) => {
                let threads = match self.value(threads) {
                    Held::Layout(layout) => *layout,
                    _ => self.it.eval(threads, &mut self.frame),
                };
                let Held::Laid(of) = self.value(tensor) else {
                    return None;
                };
                self.partition(*of, &threads, index)
            }
            ("size", [tensor]) => {
                let Held::Laid(of) = self.part(tensor)?.held.clone() else {
                    return None;
                };
                let mode = match word.args.as_deref().unwrap_or_default() {
                    [] => None,
                    [mode] => Some(self.term(mode)),
                    _ => return None,
                };
                let size = match (&of.1, mode) {
                    (Value::Layout(layout), Some(mode)) => {
                        let mode = self.out.terms.as_number(mode)?;
                        layout.view().mode(usize::try_from(mode).ok()?).ok()?.size()
                    }
                    (Value::Layout(layout), None) => layout.size(),
                    _ => return None,
                };
                self.int(&size.ok()?).map(Held::Int)
            }
            _ => None,
        }
    }

    /// The elements of one thread: every `n`-th of a mode for `n` threads along it, from the coordinate of the thread on.
    fn partition(
        &mut self,
        (start, layout): (Pointer, Value),
        threads: &Value,
        index: &'u Expr,
    ) -> Option<Held<'u>> {
        let (Value::Layout(layout), Value::Layout(threads)) = (layout, threads) else {
            return None;
        };
        let (view, threads) = (layout.view(), threads.view());
        let rank = view.rank();
        if view.is_leaf() || threads.is_leaf() || rank != threads.rank() {
            return None;
        }
        let Held::Int(index) = self.value(index) else {
            return None;
        };
        let mut first = self.terms().number(0, INDEX);
        let (mut shape, mut stride) = (Vec::new(), Vec::new());
        for (mode, along) in view.modes().zip(threads.modes()) {
            let (extent, count) = (mode.size().ok()?.value()?, along.size().ok()?.value()?);
            let (step, between) = (
                mode.steps().first()?.clone(),
                along.steps().first()?.clone(),
            );
            let is_even = count > 0 && extent % count == 0;
            if !mode.is_leaf() || !along.is_leaf() || !is_even {
                return None;
            }
            let at = self.coordinate_of(index, count, between.as_int()?.value()?)?;
            let (one, by) = (self.terms().number(1, INDEX), self.int(step.as_int()?)?);
            let part = self.step_of_tile([at, one, by]);
            first = self.terms().binary(Operator::Add, first, part);
            shape.push(Int::fixed(extent / count));
            stride.push(step.scale(&Int::fixed(count)).ok()?);
        }
        self.part_of_tensor(start, first, (shape, stride))
    }

    /// The tensor with these modes that begins some elements behind the start of another one.
    fn part_of_tensor(
        &mut self,
        start: Pointer,
        first: TermId,
        (shape, stride): (Vec<Int>, Vec<Delta>),
    ) -> Option<Held<'u>> {
        let layout = Layout::new(Tuple::flat(shape).ok()?, Tuple::flat(stride).ok()?).ok()?;
        match self.stepped(start, first, false) {
            Held::Pointer(start) => Some(Held::Laid(Box::new((start, layout.into())))),
            _ => None,
        }
    }

    /// `index / stride % extent`, the coordinate of a thread in one mode of the layout of threads.
    fn coordinate_of(&mut self, index: TermId, extent: i64, stride: i64) -> Option<TermId> {
        if extent == 1 || stride <= 0 {
            return (extent == 1).then(|| self.terms().number(0, INDEX));
        }
        let terms = self.terms();
        let index = terms.convert(index, INDEX);
        let (stride, extent) = (terms.number(stride, INDEX), terms.number(extent, INDEX));
        let quotient = terms.binary(Operator::Div, index, stride);
        Some(terms.binary(Operator::Rem, quotient, extent))
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
        self.part_of_tensor(start, first, (shape, stride))
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
            Held::Pointer(place) => Some(Held::Pointed(place)),
            _ => None,
        }
    }
}
