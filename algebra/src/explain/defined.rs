//! Operations that are defined by others, or leaf by leaf: their derivations are those of their parts.

use super::tree::{By, Derivation, Notation, Value};
use super::{composition, inverse, regroup};
use crate::coord::{Coord, CoordLeaf};
use crate::int::Int;
use crate::layout::Layout;
use crate::ops;
use crate::ops::shape_arithmetic::{ceil_div, product_each};
use crate::refusal::Refusal;
use crate::tuple::{IntTuple, Shape, Tuple};

/// Explains [`ops::tile_to_shape`](fn@crate::ops::tile_to_shape): how many blocks fill the shape, in which order, and their blocked product.
pub fn tile_to_shape(block: &Layout, target: &Shape, order: Option<&IntTuple>) -> Derivation {
    let n = Notation::of([block]);
    let ordered = order.map_or_else(String::new, |order| format!(", {}", n.tuple(order)));
    let expression = format!(
        "tile_to_shape({}, {}{ordered})",
        n.layout(block.view()),
        n.tuple(target)
    );
    let steps = blocks(block, target, order, n).unwrap_or_default();
    let result = ops::tile_to_shape(block, target, order);
    Derivation::of(expression, steps, result, n)
}

fn blocks(
    block: &Layout,
    target: &Shape,
    order: Option<&IntTuple>,
    n: Notation,
) -> Result<Vec<Derivation>, Refusal> {
    let padded = ops::append_to_rank(block, target.rank(), &Layout::unit())?;
    let shape = product_each(padded.shape_view())?;
    let counts = ceil_div(product_each(target.view())?.view(), shape.view())?;
    let text = format!("blocks of {} fill {}", n.tuple(&shape), n.tuple(target));
    let grid = match order {
        Some(order) => ops::make_ordered_layout(&counts, order)?,
        None => Layout::left(counts.clone())?,
    };
    let placed = match order {
        Some(order) => format!("in the order {}", n.tuple(order)),
        None => "leftmost first".to_owned(),
    };
    Ok(vec![
        Derivation::step(By::Mode, text, Value::Tuple(counts), n),
        Derivation::step(By::Mode, placed, grid.clone(), n),
        regroup::blocked_product(&padded, &grid),
    ])
}

/// Explains [`ops::upcast`]: leaf by leaf.
pub fn upcast(layout: &Layout, factor: i64) -> Derivation {
    leaf_by_leaf("upcast", layout, factor, &ops::upcast)
}

/// Explains [`ops::downcast`]: leaf by leaf.
pub fn downcast(layout: &Layout, factor: i64) -> Derivation {
    // A single leaf has no stride-1 mode beside it, which the whole layout must have.
    let leaf = |leaf: &Layout, factor: i64| {
        let beside = Layout::concat([Layout::single(Int::ONE, Int::ONE).view(), leaf.view()])?;
        ops::downcast(&beside, factor)?.mode(1)
    };
    let mut derivation = leaf_by_leaf("downcast", layout, factor, &leaf);
    derivation.value = ops::downcast(layout, factor).into();
    derivation
}

fn leaf_by_leaf(
    name: &str,
    layout: &Layout,
    factor: i64,
    operation: &dyn Fn(&Layout, i64) -> Result<Layout, Refusal>,
) -> Derivation {
    let n = Notation::of([layout]);
    let expression = format!("{name}({}, {factor})", n.layout(layout.view()));
    let view = layout.view();
    let mut steps = Vec::new();
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let leaf = Layout::single(extent.clone(), step.clone());
        let text = match operation(&leaf, factor) {
            Ok(after) if after == leaf => format!("{} stays", n.layout(leaf.view())),
            Ok(after) => format!(
                "{} becomes {}",
                n.layout(leaf.view()),
                n.layout(after.view())
            ),
            Err(refusal) => format!(
                "{} is refused: {}",
                n.layout(leaf.view()),
                refusal.message()
            ),
        };
        steps.push(Derivation::note(By::Mode, text, n));
    }
    Derivation::of(expression, steps, operation(layout, factor), n)
}

/// Explains [`ops::max_common_layout`]: the contiguous part of `a` after the inverse of `b` (paper §3.4.2).
pub fn max_common_layout(a: &Layout, b: &Layout) -> Derivation {
    let n = Notation::of([a, b]);
    let expression = format!(
        "max_common_layout({}, {})",
        n.layout(a.view()),
        n.layout(b.view())
    );
    Derivation::of(expression, common(a, b, n), ops::max_common_layout(a, b), n)
}

/// Explains [`ops::max_common_vector`]: the extent of that part.
pub fn max_common_vector(a: &Layout, b: &Layout) -> Derivation {
    let n = Notation::of([a, b]);
    let expression = format!(
        "max_common_vector({}, {})",
        n.layout(a.view()),
        n.layout(b.view())
    );
    let value = match ops::max_common_vector(a, b) {
        Ok(count) => Value::Number(count),
        Err(refusal) => Value::Refused(refusal),
    };
    Derivation::of(expression, common(a, b, n), value, n)
}

fn common(a: &Layout, b: &Layout, n: Notation) -> Vec<Derivation> {
    let mut steps = vec![inverse::right_inverse(b)];
    if let Ok(inverse) = ops::right_inverse(b) {
        steps.push(composition::derive(a.view(), &inverse, n));
        if let Ok(simple) = ops::composition(a, &inverse).and_then(|both| ops::coalesce(&both)) {
            let text = "its first mode is common when its stride is 1";
            steps.push(Derivation::step(By::Coalesce, text, simple, n));
        }
    }
    steps
}

/// Explains [`ops::slice`](fn@crate::ops::slice): the modes under `_`, and the offset of the rest (paper §2.5.1, equation 10).
pub fn slice(coordinate: &Coord, layout: &Layout) -> Derivation {
    let n = Notation::of([layout]);
    let expression = format!(
        "slice({}, {})",
        n.coord(coordinate),
        n.layout(layout.view())
    );
    let mut steps = Vec::new();
    if let Ok((_, offset)) = ops::slice_and_offset(coordinate, layout) {
        let fixed: Tuple<Int> = coordinate.map(|leaf| match leaf {
            CoordLeaf::Int(index) => index.clone(),
            CoordLeaf::Underscore => Int::ZERO,
        });
        let text = format!("the first element is at {}", n.tuple(&fixed));
        steps.push(Derivation::step(
            By::InnerProduct,
            text,
            Value::Tuple(offset),
            n,
        ));
    }
    Derivation::of(expression, steps, ops::slice(coordinate, layout), n)
}
