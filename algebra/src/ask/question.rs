//! One question: its operands are read as the operation needs them, and the operation is applied.

use super::operations::ARITIES;
use super::value::Value;
use crate::composed::AnyLayout;
use crate::coord::{self, Coord};
use crate::int::Int;
use crate::judge::{self, Judgement};
use crate::layout::Layout;
use crate::ops::{self, shape_arithmetic, swizzled, swizzled_slice};
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, Stride};
use crate::swizzle::Swizzle;
use crate::text::{Parse, Reading};
use crate::tiler::Tiler;
use crate::tuple::{IntTuple, Shape, Tuple, TupleView};
use crate::verdict::Verdict;

/// Further operands of a binary or ternary operation.
enum Right {
    Layout(AnyLayout),
    Tiler(Tiler),
}

/// The operands of one question.
pub(super) struct Question<'a> {
    args: &'a [&'a str],
    reading: Reading,
}

pub(super) type Judged = Result<(Value, Judgement), Refusal>;

#[allow(clippy::unnecessary_wraps, reason = "the common end of all answers")]
fn accepted(value: impl Into<Value>) -> Judged {
    Ok((value.into(), Judgement::accepted()))
}

/// A value of ours where CuTe's templates do not compile.
#[allow(clippy::unnecessary_wraps, reason = "the common end of all answers")]
pub(super) fn beyond_cute(value: impl Into<Value>, why: &'static str) -> Judged {
    Ok((
        value.into(),
        Judgement {
            cute: Verdict::CompileError(why),
            ..Judgement::accepted()
        },
    ))
}

/// An offset as CuTe leaves it: a single basis among the strides is scaled, and not expanded to a tuple.
fn offset_value(offset: IntTuple, stride: TupleView<'_, Delta>) -> Judged {
    let mut bases = stride.leaves().iter().filter_map(Delta::as_basis);
    if let (Some(basis), None) = (bases.next(), bases.next())
        && let Some(value) = offset.get_path(
            &basis
                .path
                .iter()
                .map(|&m| usize::from(m))
                .collect::<Vec<_>>(),
        )
        && let Some(value) = value.as_leaf()
    {
        return accepted(Value::Step(Delta::basis(
            value.clone(),
            basis.path.iter().copied(),
        )));
    }
    accepted(offset)
}

fn truth(value: Int) -> Judged {
    accepted(Value::Truth(value))
}

impl<'a> Question<'a> {
    pub(super) fn new(args: &'a [&'a str], reading: Reading) -> Self {
        Question { args, reading }
    }

    pub(super) fn args(&self) -> &[&'a str] {
        self.args
    }

    pub(super) fn count(&self) -> usize {
        self.args.len()
    }

    pub(super) fn reading(&self) -> Reading {
        self.reading
    }

    pub(super) fn text(&self, index: usize) -> Result<&str, Refusal> {
        self.args.get(index).copied().ok_or_else(|| {
            Refusal::uncompilable(Rule::Malformed, "too few arguments").with("argument", index)
        })
    }

    pub(super) fn parse<T: Parse>(&self, index: usize) -> Result<T, Refusal> {
        let refused = |mut refusal: Refusal| {
            refusal.numbers.push(("argument", index.into()));
            refusal
        };
        T::parse(self.text(index)?, self.reading).map_err(refused)
    }

    /// Whether the argument is a layout: it has a `:` outside of parentheses, or begins with a swizzle.
    fn is_layout(&self, index: usize) -> bool {
        let Some(text) = self.args.get(index) else {
            return false;
        };
        let mut depth = 0_usize;
        for c in text.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ':' if depth == 0 => return true,
                _ => {}
            }
        }
        false
    }

    fn is_composed(&self, index: usize) -> bool {
        matches!(self.any(index), Ok(AnyLayout::Composed(_)))
    }

    fn is_swizzle(&self, index: usize) -> bool {
        !self.is_layout(index) && self.parse::<Swizzle>(index).is_ok()
    }

    /// The argument as a layout; a shape is its compact layout, as in the paper.
    fn any(&self, index: usize) -> Result<AnyLayout, Refusal> {
        if !self.is_layout(index)
            && let Ok(shape) = self.tuple(index)
        {
            return Layout::left(shape).map(AnyLayout::Affine);
        }
        self.parse(index)
    }

    pub(super) fn layout(&self, index: usize) -> Result<Layout, Refusal> {
        match self.any(index)? {
            AnyLayout::Affine(layout) => Ok(layout),
            AnyLayout::Composed(composed) => Err(Refusal::uncompilable(
                Rule::Unsupported,
                "no match for a composed layout",
            )
            .with("layout", composed.to_string())),
        }
    }

    fn tuple(&self, index: usize) -> Result<IntTuple, Refusal> {
        self.parse(index)
    }

    /// A shape, or the shape of a layout.
    pub(super) fn shape(&self, index: usize) -> Result<Shape, Refusal> {
        if self.is_layout(index) {
            Ok(self.any(index)?.shape())
        } else {
            self.tuple(index)
        }
    }

    pub(super) fn number(&self, index: usize) -> Result<i64, Refusal> {
        let int: Int = self.parse(index)?;
        int.value().ok_or_else(|| {
            Refusal::uncompilable(
                Rule::NotProvable,
                "the value is not usable in a constant expression",
            )
            .with("value", &int)
        })
    }

    fn index(&self, index: usize) -> Result<usize, Refusal> {
        let number = self.number(index)?;
        usize::try_from(number).map_err(|_| {
            Refusal::uncompilable(Rule::NoSuchMode, "index out of range").with("index", number)
        })
    }

    fn right(&self, index: usize) -> Result<Right, Refusal> {
        if self.is_layout(index) {
            self.any(index).map(Right::Layout)
        } else {
            self.parse(index).map(Right::Tiler)
        }
    }

    /// The right operand as a tiler; a composed layout is not one.
    pub(super) fn tiler(&self, index: usize) -> Result<Tiler, Refusal> {
        match self.right(index)? {
            Right::Tiler(tiler) => Ok(tiler),
            Right::Layout(AnyLayout::Affine(layout)) => Ok(Tiler::Layout(layout)),
            Right::Layout(AnyLayout::Composed(composed)) => Err(Refusal::uncompilable(
                Rule::Unsupported,
                "a composed layout is not a tiler",
            )
            .with("tiler", composed.to_string())),
        }
    }

    fn check_arity(&self, op: &str) -> Result<(), Refusal> {
        let Some((_, fewest, most)) = ARITIES.iter().find(|(name, ..)| *name == op) else {
            return Err(
                Refusal::uncompilable(Rule::Unsupported, "no such operation").with("operation", op),
            );
        };
        if self.args.len() < *fewest || self.args.len() > *most {
            return Err(
                Refusal::uncompilable(Rule::Malformed, "wrong number of arguments")
                    .with("arguments", self.args.len())
                    .with("wanted", *fewest),
            );
        }
        Ok(())
    }

    /// The answer to `op`, whose name is without its family.
    pub(super) fn answer(&self, op: &str) -> Judged {
        self.check_arity(op)?;
        match self.tensor_operand() {
            Some((index, tensor)) => self.on_tensor(op, index, &tensor),
            None => self.answer_on_layouts(op),
        }
    }

    /// The answer to `op` where no operand is a tensor.
    pub(super) fn answer_on_layouts(&self, op: &str) -> Judged {
        match op {
            "composition" | "make_composed_layout" | "swizzle_apply" => self.composition(),
            "logical_divide" | "zipped_divide" | "tiled_divide" | "flat_divide" => self.divide(op),
            "logical_product" | "zipped_product" | "tiled_product" | "flat_product" => {
                self.product(op)
            }
            "blocked_product" | "raked_product" | "tile_to_shape" => self.product_by_rank(op),
            "complement" | "left_inverse" | "right_inverse" | "max_common_layout"
            | "max_common_vector" | "nullspace" => self.inverse(op),
            "coalesce" | "filter" | "filter_zeros" | "flatten" | "group" | "group_modes"
            | "take" | "select" | "append" | "prepend" | "replace" | "get" | "layout" | "zip" => {
                self.modes(op)
            }
            "upcast" | "downcast" | "recast_layout" | "max_alignment" => self.recast(op),
            "slice" | "dice" | "slice_and_offset" | "crd2idx" | "idx2crd" | "crd2crd" | "eval" => {
                self.coordinates(op)
            }
            "make_layout"
            | "make_layout_right"
            | "make_ordered_layout"
            | "make_layout_like"
            | "make_fragment_like"
            | "make_identity_layout"
            | "make_basis_like"
            | "domain_distribute" => self.make(op),
            "shape" | "stride" | "size" | "rank" | "depth" | "coshape" | "cosize" | "coprofile" => {
                self.inquire(op)
            }
            "ceil_div" | "shape_div" | "round_up" | "elem_scale" | "product_each"
            | "product_like" | "prefix_product" | "congruent" | "weakly_congruent"
            | "compatible" | "evenly_divides" => self.shapes(op),
            _ => self.beyond(op),
        }
    }

    fn composition(&self) -> Judged {
        if self.is_swizzle(0) {
            let outer: Swizzle = self.parse(0)?;
            return match self.args.len() {
                1 => Ok((Value::Swizzle(outer), Judgement::accepted())),
                2 if self.is_swizzle(1) => {
                    let merged = swizzled::compose_swizzles(outer, self.parse(1)?)?;
                    Ok((Value::Swizzle(merged), Judgement::accepted()))
                }
                2 => accepted(swizzled::compose_swizzle(
                    outer,
                    Tuple::leaf(Int::ZERO),
                    self.layout(1)?,
                )),
                _ => accepted(swizzled::compose_swizzle(
                    outer,
                    self.tuple(1)?,
                    self.layout(2)?,
                )),
            };
        }
        let a = self.any(0)?;
        if self.is_swizzle(1) {
            return accepted(swizzled::compose_layout_with_swizzle(
                &self.layout(0)?,
                self.parse(1)?,
            )?);
        }
        match self.right(1)? {
            Right::Layout(AnyLayout::Affine(b)) => {
                judge::composition(&a, &Tiler::Layout(b)).into_answer()
            }
            Right::Layout(b) => accepted(swizzled::compose_any(&a, &b)?),
            Right::Tiler(tiler) => judge::composition(&a, &tiler).into_answer(),
        }
    }

    fn divide(&self, op: &str) -> Judged {
        let (a, tiler) = (self.any(0)?, self.tiler(1)?);
        let form = match op {
            "logical_divide" => judge::Form::Logical,
            "zipped_divide" => judge::Form::Zipped,
            "tiled_divide" => judge::Form::Tiled,
            _ => judge::Form::Flat,
        };
        judge::divide(&a, &tiler, form).into_answer()
    }

    fn product(&self, op: &str) -> Judged {
        let a = self.any(0)?;
        if let (
            AnyLayout::Affine(block),
            Right::Layout(AnyLayout::Composed(tiler)),
            "logical_product",
        ) = (&a, self.right(1)?, op)
        {
            return accepted(swizzled::logical_product_with_swizzled(block, &tiler)?);
        }
        let form = match op {
            "logical_product" => judge::Form::Logical,
            "zipped_product" => judge::Form::Zipped,
            "tiled_product" => judge::Form::Tiled,
            _ => judge::Form::Flat,
        };
        judge::product(&a, &self.tiler(1)?, form).into_answer()
    }

    fn product_by_rank(&self, op: &str) -> Judged {
        let a = self.any(0)?;
        let f: &dyn Fn(&Layout) -> Result<Layout, Refusal> = match op {
            "blocked_product" => &|block| ops::blocked_product(block, &self.layout(1)?),
            "raked_product" => &|block| ops::raked_product(block, &self.layout(1)?),
            _ => &|block| self.tile_to_shape(block),
        };
        accepted(a.map_domain(f)?)
    }

    fn tile_to_shape(&self, block: &Layout) -> Result<Layout, Refusal> {
        let target = self.shape(1)?;
        match self.args.get(2).copied() {
            None | Some("LayoutLeft" | "GenColMajor") => ops::tile_to_shape(block, &target, None),
            Some("LayoutRight" | "GenRowMajor") => {
                let order = (0..target.rank())
                    .rev()
                    .map(|i| Int::fixed(i64::try_from(i).unwrap_or(i64::MAX)));
                ops::tile_to_shape(block, &target, Some(&Tuple::flat(order)?))
            }
            Some(_) => ops::tile_to_shape(block, &target, Some(&self.tuple(2)?)),
        }
    }

    fn inverse(&self, op: &str) -> Judged {
        let a = self.any(0)?;
        match op {
            "complement" => {
                let cotarget = if self.args.len() > 1 {
                    Some(self.shape(1)?)
                } else {
                    None
                };
                judge::complement(a.domain(), cotarget.as_ref()).into_answer()
            }
            "left_inverse" => judge::left_inverse(&a).into_answer(),
            "right_inverse" => judge::right_inverse(&a).into_answer(),
            "max_common_layout" => accepted(swizzled::max_common_layout_any(&a, &self.any(1)?)?),
            "max_common_vector" => accepted(swizzled::max_common_vector_any(&a, &self.any(1)?)?),
            _ => match &a {
                AnyLayout::Affine(layout) => accepted(ops::nullspace(layout)?),
                AnyLayout::Composed(_) => accepted(Layout::unit()),
            },
        }
    }

    fn modes(&self, op: &str) -> Judged {
        if !self.is_layout(0) {
            return self.modes_of_tuple(op);
        }
        let a = self.any(0)?;
        let profile = || self.tuple(1);
        let result = match op {
            "layout" => a,
            "coalesce" if self.args.len() > 1 => {
                a.map_domain(|l| ops::coalesce_by(l, &profile()?))?
            }
            "coalesce" => a.map_domain(ops::coalesce)?,
            "filter" if self.args.len() > 1 => a.map_domain(|l| ops::filter_by(l, &profile()?))?,
            "filter" => a.map_domain(ops::filter)?,
            "filter_zeros" if self.args.len() > 1 => {
                a.map_domain(|l| ops::filter::filter_zeros_by(l, &profile()?))?
            }
            "filter_zeros" => a.map_domain(ops::filter_zeros)?,
            "flatten" => a.map_domain(ops::flatten)?,
            "group" | "group_modes" => {
                a.map_domain(|l| ops::group(l, self.index(1)?, self.index(2)?))?
            }
            "take" => a.map_domain(|l| ops::take(l, self.index(1)?, self.index(2)?))?,
            "select" => {
                let modes = (1..self.args.len())
                    .map(|i| self.index(i))
                    .collect::<Result<Vec<_>, _>>()?;
                a.map_domain(|l| ops::select(l, &modes))?
            }
            "get" => a.map_domain(|l| l.mode(self.index(1)?))?,
            "replace" => a.map_domain(|l| ops::replace(l, self.index(1)?, &self.layout(2)?))?,
            "zip" => a.map_domain(|l| ops::zip::zip(l, &self.layout(1)?))?,
            "append" | "prepend" => {
                let other = if self.args.len() > 1 {
                    self.layout(1)?
                } else {
                    Layout::unit()
                };
                let f = if op == "append" {
                    ops::append
                } else {
                    ops::prepend
                };
                a.map_domain(|l| f(l, &other))?
            }
            _ => return Err(unknown(op)),
        };
        accepted(result)
    }

    fn modes_of_tuple(&self, op: &str) -> Judged {
        let tuple = self.tuple(0)?;
        match op {
            "layout" => accepted(Layout::left(tuple)?),
            "flatten" => accepted(tuple.flatten()?),
            "coalesce" => accepted(ops::coalesce::coalesce_shape(&tuple)?),
            _ => self.layout(0).and_then(|_| Err(unknown(op))),
        }
    }

    fn recast(&self, op: &str) -> Judged {
        if self.is_swizzle(0) {
            let swizzle: Swizzle = self.parse(0)?;
            let cast = match op {
                "upcast" => swizzled::upcast_swizzle(&swizzle, self.number(1)?)?,
                "downcast" => swizzled::downcast_swizzle(&swizzle, self.number(1)?)?,
                _ => return Err(unknown(op)),
            };
            return Ok((Value::Swizzle(cast), Judgement::accepted()));
        }
        let a = self.any(0)?;
        match op {
            "downcast" => accepted(swizzled::downcast_any(&a, self.number(1)?)?),
            "upcast" | "recast_layout" => {
                let (result, grows) = if op == "upcast" {
                    (swizzled::upcast_any(&a, self.number(1)?)?, true)
                } else {
                    let (old, new) = (self.number(1)?, self.number(2)?);
                    (swizzled::recast_any(&a, old, new)?, new > old)
                };
                if grows
                    && a.domain()
                        .view()
                        .steps()
                        .iter()
                        .any(|step| step.as_basis().is_some())
                {
                    return beyond_cute(result, "invalid operands to binary operator%");
                }
                accepted(result)
            }
            _ => accepted(ops::max_alignment(&self.layout(0)?)?),
        }
    }

    fn coordinates(&self, op: &str) -> Judged {
        // CuTe writes `slice(coord, layout)`, and a layout is called with the coordinate behind it.
        let (at, of) = if self.is_layout(0) { (1, 0) } else { (0, 1) };
        match op {
            "slice" => {
                let sliced = swizzled_slice::slice_any(&self.parse::<Coord>(at)?, &self.any(of)?)?;
                if sliced.rank() == 0 && self.is_composed(of) {
                    return beyond_cute(sliced, "no matching function for call to make_layout()");
                }
                accepted(sliced)
            }
            "dice" => accepted(ops::dice(&self.parse::<Coord>(at)?, &self.layout(of)?)?),
            "slice_and_offset" => {
                let (slice, offset) = swizzled_slice::slice_and_offset_any(
                    &self.parse::<Coord>(at)?,
                    &self.any(of)?,
                )?;
                Ok((Value::SliceAndOffset(slice, offset), Judgement::accepted()))
            }
            "eval" => {
                let (layout, coordinate) = (self.any(0)?, self.tuple(1)?);
                offset_value(
                    layout.eval_coord(&coordinate)?,
                    layout.domain().stride_view(),
                )
            }
            "crd2idx" if self.args.len() == 3 => {
                let stride: Stride = self.parse(2)?;
                let offset =
                    coord::crd2idx(self.tuple(0)?.view(), self.tuple(1)?.view(), stride.view())?;
                offset_value(offset, stride.view())
            }
            "crd2idx" if self.is_layout(1) => {
                let layout = self.any(1)?;
                offset_value(
                    layout.eval_coord(&self.tuple(0)?)?,
                    layout.domain().stride_view(),
                )
            }
            "crd2idx" => accepted(coord::crd2idx_colex(
                self.tuple(0)?.view(),
                self.tuple(1)?.view(),
            )?),
            "idx2crd" if self.args.len() == 3 => {
                let stride: Stride = self.parse(2)?;
                accepted(coord::idx2crd_stride(
                    self.tuple(0)?.view(),
                    self.tuple(1)?.view(),
                    stride.view(),
                )?)
            }
            "idx2crd" => accepted(coord::idx2crd(
                self.tuple(0)?.view(),
                self.shape(1)?.view(),
            )?),
            _ => accepted(coord::crd2crd(
                self.tuple(0)?.view(),
                self.tuple(1)?.view(),
                self.tuple(2)?.view(),
            )?),
        }
    }

    fn make(&self, op: &str) -> Judged {
        match op {
            "make_layout" if self.args.len() == 1 => accepted(Layout::left(self.tuple(0)?)?),
            "make_layout" | "make_layout_right" => match self.args.get(1).copied() {
                Some("LayoutLeft" | "GenColMajor") => accepted(Layout::left(self.tuple(0)?)?),
                None | Some("LayoutRight" | "GenRowMajor") => {
                    accepted(Layout::right(self.tuple(0)?)?)
                }
                Some(_) => accepted(Layout::new(self.tuple(0)?, self.parse(1)?)?),
            },
            "make_ordered_layout" => {
                accepted(ops::make_ordered_layout(&self.tuple(0)?, &self.tuple(1)?)?)
            }
            "make_layout_like" => accepted(ops::make_layout_like(&self.layout(0)?)?),
            "make_fragment_like" if self.is_layout(0) => {
                accepted(ops::make_fragment_like(self.any(0)?.domain())?)
            }
            "make_fragment_like" => accepted(Layout::left(self.tuple(0)?)?),
            "make_identity_layout" => accepted(ops::make_identity_layout(&self.tuple(0)?)?),
            "make_basis_like" => Ok((
                Value::Stride(ops::make_basis_like(&self.tuple(0)?)?),
                Judgement::accepted(),
            )),
            _ => accepted(ops::domain_distribute(
                &self.shape(0)?,
                &self.parse::<Int>(1)?,
            )?),
        }
    }

    fn inquire(&self, op: &str) -> Judged {
        let number = |n: usize| Int::fixed(i64::try_from(n).unwrap_or(i64::MAX));
        if self.is_layout(0) {
            let a = self.any(0)?;
            let inner = a.domain();
            return match (op, &a) {
                ("shape", _) => accepted(inner.shape()),
                ("size", _) => accepted(inner.size()?),
                ("rank", _) => accepted(number(inner.rank())),
                ("depth", _) => accepted(number(inner.depth())),
                ("cosize", _) => accepted(inner.cosize()?),
                ("stride", AnyLayout::Affine(layout)) => {
                    Ok((Value::Stride(layout.stride()), Judgement::accepted()))
                }
                ("coshape", AnyLayout::Affine(layout)) => accepted(ops::coshape(layout)?),
                ("coprofile", AnyLayout::Affine(layout)) => accepted(ops::coprofile(layout)?),
                _ => Err(
                    Refusal::uncompilable(Rule::Unsupported, "use of deleted function")
                        .with("operation", op),
                ),
            };
        }
        let tuple = self.tuple(0)?;
        match op {
            "shape" => accepted(tuple),
            "size" => accepted(tuple.size()?),
            "rank" => accepted(number(tuple.rank())),
            "depth" => accepted(number(tuple.depth())),
            _ => Err(unknown(op)),
        }
    }

    fn shapes(&self, op: &str) -> Judged {
        if op == "ceil_div" && self.is_layout(1) {
            return accepted(ops::complement::ceil_div_by_layout(
                &self.shape(0)?,
                &self.layout(1)?,
            )?);
        }
        let a = self.shape(0)?;
        let b = if self.args.len() > 1 {
            self.shape(1)?
        } else {
            Tuple::leaf(Int::ONE)
        };
        let (x, y) = (a.view(), b.view());
        match op {
            "ceil_div" => accepted(shape_arithmetic::ceil_div(x, y)?),
            "shape_div" => accepted(shape_arithmetic::shape_div(x, y)?),
            "round_up" => accepted(shape_arithmetic::round_up(x, y)?),
            "elem_scale" => accepted(shape_arithmetic::elem_scale(x, y)?),
            "product_each" => accepted(shape_arithmetic::product_each(x)?),
            "product_like" => accepted(shape_arithmetic::product_like(x, y)?),
            "prefix_product" => accepted(shape_arithmetic::prefix_product(x)?),
            "congruent" => truth(Int::fixed_bool(x.is_congruent(y))),
            "weakly_congruent" => truth(Int::fixed_bool(x.is_weakly_congruent(y))),
            "compatible" => truth(shape_arithmetic::compatible(x, y)?),
            "evenly_divides" => truth(shape_arithmetic::evenly_divides(x, y)?),
            _ => Err(unknown(op)),
        }
    }
}

pub(super) fn unknown(op: &str) -> Refusal {
    Refusal::uncompilable(Rule::Unsupported, "no such operation for these operands")
        .with("operation", op)
}
