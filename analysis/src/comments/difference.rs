//! Certain differences between a stated value and the evaluated one.

use cute_algebra::ops::coalesce;
use cute_algebra::{Delta, Int, LayoutView};

use super::stated::Stated;
use crate::value::Value;

/// Whether a stated layout is certain to be another one. A leaf in the place of a nested mode has to be the coalesced
/// form of that mode; a group of one mode counts as that mode; the stride of an extent of 1 says nothing.
pub(super) fn layouts_differ(shape: &Stated, stride: &Stated, actual: LayoutView<'_>) -> bool {
    let mut actual = actual;
    while let (1, false, Ok(only)) = (actual.rank(), actual.is_leaf(), actual.mode(0)) {
        actual = only;
    }
    match (shape, stride) {
        (Stated::Name, Stated::Name) => false,
        (Stated::Group(shapes), Stated::Group(strides)) => {
            if let ([shape], [stride]) = (&**shapes, &**strides) {
                return layouts_differ(shape, stride, actual);
            }
            if actual.is_leaf() || actual.rank() != shapes.len() {
                return true;
            }
            shapes
                .iter()
                .zip(strides)
                .zip(actual.modes())
                .any(|((shape, stride), mode)| layouts_differ(shape, stride, mode))
        }
        _ => match actual.as_leaf() {
            Some((extent, step)) => {
                extent_differs(shape, extent)
                    || (!extent.is_constant(1) && stride_differs(stride, step))
            }
            None => nested_mode_differs(shape, stride, actual),
        },
    }
}

fn nested_mode_differs(shape: &Stated, stride: &Stated, actual: LayoutView<'_>) -> bool {
    let layout = actual.to_layout();
    let size_differs = layout.size().is_ok_and(|size| extent_differs(shape, &size));
    if size_differs || matches!(stride, Stated::Name) {
        return size_differs;
    }
    match coalesce(&layout) {
        Ok(flat) if Value::from(flat.clone()).is_known() => match flat.view().as_leaf() {
            Some((extent, step)) => !extent.is_constant(1) && stride_differs(stride, step),
            None => true,
        },
        _ => false,
    }
}

fn extent_differs(stated: &Stated, actual: &Int) -> bool {
    matches!((stated.size(), actual.value()), (Some(stated), Some(actual)) if stated != actual)
}

fn stride_differs(stated: &Stated, actual: &Delta) -> bool {
    match (stated, actual) {
        (_, Delta::Basis(basis)) => stated.differs_from_basis(basis),
        (Stated::Number(stated), Delta::Int(int)) => {
            int.value().is_some_and(|known| known != *stated)
        }
        (Stated::Basis(..), Delta::Int(int)) => int.value().is_some(),
        _ => false,
    }
}

/// The difference between a stated shape and a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShapeDifference {
    /// Another number of modes.
    Rank { stated: usize, actual: usize },
    /// Another size of a mode.
    Size { mode: usize },
}

/// The first certain difference between a stated shape and a tuple; `None` if there is none. A group around all modes
/// is not a difference.
pub(super) fn shape_difference(stated: &[Stated], actual: &Value) -> Option<ShapeDifference> {
    if let Value::Tuple(modes) = actual
        && let [only @ Value::Tuple(_)] = modes.as_slice()
    {
        return shape_difference(stated, only);
    }
    let Value::Tuple(modes) = actual else {
        // A value in the place of a shape that is not given may have any number of modes.
        size(actual)?;
        return Some(ShapeDifference::Rank {
            stated: stated.len(),
            actual: 1,
        });
    };
    if modes.len() != stated.len() {
        return Some(ShapeDifference::Rank {
            stated: stated.len(),
            actual: modes.len(),
        });
    }
    let mode = stated
        .iter()
        .zip(modes)
        .position(|(stated, mode)| size_differs(stated, mode))?;
    Some(ShapeDifference::Size { mode })
}

fn size_differs(stated: &Stated, actual: &Value) -> bool {
    match (stated, actual) {
        (Stated::Group(stated), Value::Tuple(modes)) if stated.len() == modes.len() => stated
            .iter()
            .zip(modes)
            .any(|(stated, mode)| size_differs(stated, mode)),
        _ => matches!(
            (stated.size(), size(actual)),
            (Some(stated), Some(actual)) if stated != actual
        ),
    }
}

/// The product of the integers of a tuple, if all are known.
fn size(value: &Value) -> Option<i64> {
    match value {
        Value::Int(int) => int.value(),
        Value::Tuple(modes) => modes
            .iter()
            .try_fold(1_i64, |product, mode| product.checked_mul(size(mode)?)),
        _ => None,
    }
}
