//! The coordinates of a codomain `Z^(*,...)`, each treated as the integers (paper §2.3.1, §3.4, §3.5).
//!
//! Complement and inverses are defined per coordinate: the modes that step in one coordinate are a layout into the
//! integers, and the results are together in the profile of the codomain. The integers themselves are the codomain with
//! a single coordinate of empty path, so that there is one algorithm.

use crate::int::Int;
use crate::layout::{Layout, LayoutBuilder, LayoutView};
use crate::ops::coshape::coprofile_view;
use crate::ops::identity::make_basis_like;
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, Path};
use crate::tuple::{IntTuple, LEAF};
use smallvec::SmallVec;

/// The coordinates of a codomain.
pub(crate) struct Codomain {
    /// A zero for each coordinate.
    profile: IntTuple,
    /// The path of each coordinate; empty for the integers.
    pub(crate) paths: SmallVec<[Path; 2]>,
}

impl Codomain {
    /// The codomain into which a layout steps.
    pub(crate) fn of(layout: LayoutView<'_>) -> Result<Self, Refusal> {
        if let Some(step) = layout
            .stride
            .iter()
            .find(|step| matches!(step, Delta::Xor(bits) if *bits != 0))
        {
            return Err(
                Refusal::uncompilable(Rule::Unsupported, "xor strides have no order")
                    .with("stride", step.to_string()),
            );
        }
        if layout.stride.iter().all(|step| step.as_basis().is_none()) {
            return Ok(Codomain {
                profile: IntTuple::leaf(Int::ZERO),
                paths: smallvec::smallvec![Path::new()],
            });
        }
        let profile = coprofile_view(layout)?;
        let paths = make_basis_like(&profile)?
            .leaves()
            .iter()
            .map(|step| {
                step.as_basis()
                    .map(|basis| basis.path.clone())
                    .unwrap_or_default()
            })
            .collect();
        Ok(Codomain { profile, paths })
    }

    /// The parts, one per coordinate, in the profile of the codomain.
    pub(crate) fn assemble(&self, parts: &[Layout]) -> Result<Layout, Refusal> {
        let mut builder = LayoutBuilder::new();
        let mut parts = parts.iter();
        for &node in self.profile.profile().nodes() {
            if node != LEAF {
                let mark = builder.open();
                builder.close(mark, usize::from(node));
            } else if let Some(part) = parts.next() {
                builder.view(part.view());
            }
        }
        builder.finish()
    }

    /// The part of a target that belongs to each coordinate.
    pub(crate) fn split(&self, target: &IntTuple) -> Result<Vec<IntTuple>, Refusal> {
        let missing = || {
            Refusal::uncompilable(Rule::NotCongruent, "the target has no such coordinate")
                .with("target", target.to_string())
                .with("codomain", self.profile.to_string())
        };
        self.paths
            .iter()
            .map(|path| {
                let path: Vec<usize> = path.iter().map(|&mode| usize::from(mode)).collect();
                if !path.is_empty() && target.is_leaf() {
                    return Err(missing());
                }
                target
                    .get_path(&path)
                    .map(crate::tuple::TupleView::to_tuple)
                    .ok_or_else(missing)
            })
            .collect()
    }
}

/// The step of a stride in the coordinate `path`; `None` when it steps elsewhere.
pub(crate) fn step_in(stride: &Delta, path: &Path) -> Result<Option<Int>, Refusal> {
    match stride {
        Delta::Int(int) if path.is_empty() => Ok(Some(int.clone())),
        Delta::Basis(basis) if basis.path == *path => basis.integral().map(Some),
        _ => Ok(None),
    }
}

/// The layout into the integers as one into the coordinate `path`.
pub(crate) fn lift(layout: Layout, path: &Path) -> Result<Layout, Refusal> {
    if path.is_empty() {
        return Ok(layout);
    }
    let stride = layout.stride().map(|step| match step {
        Delta::Int(int) if !int.is_constant(0) => Delta::basis(int.clone(), path.iter().copied()),
        other => other.clone(),
    });
    Layout::new(layout.shape(), stride)
}
