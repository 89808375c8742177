//! Identity layouts: each coordinate is its own offset (paper §2.4.2).

use crate::layout::Layout;
use crate::refusal::Refusal;
use crate::stride::{Delta, Path, Stride};
use crate::tuple::{LEAF, Shape, Tuple};

/// The unit basis `1@..` of each leaf of a shape. Linear.
///
/// `make_basis_like((4,(2,3))) = (1@0,(1@0@1,1@1@1))`.
pub fn make_basis_like(shape: &Shape) -> Result<Stride, Refusal> {
    let mut leaves = Vec::with_capacity(shape.leaves().len());
    // For each open group: the index of its next member, and how many members it has.
    let mut open: Vec<(u16, u16)> = Vec::new();
    for &node in shape.profile().nodes() {
        if node == LEAF {
            let path: Path = open.iter().map(|(index, _)| *index).collect();
            leaves.push(if path.is_empty() {
                Delta::ONE
            } else {
                Delta::basis(crate::int::Int::ONE, path)
            });
        } else if node > 0 {
            open.push((0, node));
            continue;
        }
        while let Some((index, rank)) = open.last_mut() {
            *index += 1;
            if index < rank {
                break;
            }
            open.pop();
        }
    }
    Tuple::new(shape.profile().clone(), leaves)
}

/// The layout that maps each coordinate of a shape to itself.
pub fn make_identity_layout(shape: &Shape) -> Result<Layout, Refusal> {
    Layout::new(shape.clone(), make_basis_like(shape)?)
}
