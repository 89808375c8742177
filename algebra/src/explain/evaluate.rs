//! The offset of an index, step by step (paper §2.4.1).

use super::tree::{By, Derivation, Notation, Value};
use crate::coord::{crd2idx, idx2crd};
use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::Refusal;
use crate::tuple::{IntTuple, Tuple, TupleView};

/// Explains `layout(index)`: the coordinates of the index, from the coarsest to the natural one, and their inner product
/// with the stride.
///
/// ```
/// let layout = "((_2,_2),(_4,_2)):((_1,_8),(_2,_16))".parse()?;
/// let derivation = cute_algebra::explain::evaluate(&layout, &cute_algebra::Int::fixed(22).into());
/// assert!(derivation.to_string().starts_with("((2,2),(4,2)):((1,8),(2,16)) at 22 = 26\n"));
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn evaluate(layout: &Layout, coordinate: &IntTuple) -> Derivation {
    let notation = Notation::of([layout]);
    let expression = format!(
        "{} at {}",
        notation.layout(layout.view()),
        coordinate.map(|c| notation.int(c))
    );
    let offset = layout.eval_coord(coordinate);
    let mut steps = Vec::new();
    match coordinates(coordinate, layout.shape_view()) {
        Ok(coordinates) => {
            steps.extend(
                coordinates.into_iter().map(|c| {
                    Derivation::step(By::IndexToCoordinate, "", Value::Tuple(c), notation)
                }),
            );
        }
        Err(refusal) => {
            return Derivation::of(expression, steps, Value::Refused(refusal), notation);
        }
    }
    if let Ok(terms) = inner_product(layout, coordinate, notation) {
        steps.push(Derivation::note(By::InnerProduct, terms, notation));
    }
    let value = match offset {
        Ok(offset) => Value::Tuple(offset),
        Err(refusal) => Value::Refused(refusal),
    };
    Derivation::of(expression, steps, value, notation)
}

/// The equivalent coordinates, one level of the hierarchy finer each.
fn coordinates(coordinate: &IntTuple, shape: TupleView<'_, Int>) -> Result<Vec<IntTuple>, Refusal> {
    let natural = idx2crd(coordinate.view(), shape)?;
    let mut levels = Vec::new();
    if coordinate.is_leaf() && !shape.is_leaf() && shape.depth() > 1 {
        let flat = Tuple::flat(
            shape
                .modes()
                .map(TupleView::size)
                .collect::<Result<Vec<_>, _>>()?,
        )?;
        levels.push(idx2crd(coordinate.view(), flat.view())?);
    }
    if natural != *coordinate {
        levels.push(natural);
    }
    Ok(levels)
}

/// `0*1 + 1*8 + ...`
fn inner_product(
    layout: &Layout,
    coordinate: &IntTuple,
    notation: Notation,
) -> Result<String, Refusal> {
    let natural = idx2crd(coordinate.view(), layout.shape_view())?;
    let view = layout.view();
    let terms: Vec<String> = natural
        .leaves()
        .iter()
        .zip(view.steps())
        .map(|(digit, step)| format!("{}*{}", notation.int(digit), notation.delta(step)))
        .collect();
    let offset = crd2idx(natural.view(), layout.shape_view(), layout.stride_view())?;
    Ok(format!(
        "{} = {}",
        terms.join(" + "),
        notation.tuple(&offset)
    ))
}
