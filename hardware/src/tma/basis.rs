//! The elements of global memory that one TMA box covers: CuTe's `construct_tma_gbasis`.
//!
//! The shared layout is inverted, so that consecutive shared elements name global coordinates; the longest prefix that
//! walks global modes in unit steps becomes the box. Modes that are contiguous in global memory for static strides are
//! merged as long as the box stays within 256.

use crate::refusal::{Refusal, Rule};
use cute_algebra::ops::coalesce::coalesce;
use cute_algebra::ops::composition::{composition, composition_by};
use cute_algebra::ops::identity::make_identity_layout;
use cute_algebra::ops::inverse::right_inverse;
use cute_algebra::ops::recast::recast_layout;
use cute_algebra::{Delta, Int, Layout, Shape, Stride, Tiler, Tuple, TupleView};

/// The most elements of a box in one dimension.
pub const MAX_BOX: i64 = 256;
/// The most dimensions of a TMA tensor.
pub const MAX_RANK: usize = 5;

/// The global modes of one TMA dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasisMode {
    /// Number of elements of each global mode in the box, beside the path of that mode; innermost first.
    pub steps: Vec<(i64, Vec<u16>)>,
    /// Whether CuTe prints the mode as a tuple although it has one step: the fifth of five dimensions.
    is_grouped: bool,
}

impl BasisMode {
    /// The extent of the box in this dimension.
    pub fn extent(&self) -> i64 {
        self.steps.iter().map(|(extent, _)| extent).product()
    }
}

/// The TMA dimensions, innermost first: CuTe's `tma_gbasis`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TmaBasis {
    /// One entry for each dimension.
    pub modes: Vec<BasisMode>,
}

impl TmaBasis {
    /// Number of elements that one instruction moves, before multicast splits the box.
    pub fn size(&self) -> i64 {
        self.modes.iter().map(BasisMode::extent).product()
    }

    /// The dimension that steps in the global mode at this path.
    pub fn dimension_of(&self, path: &[u16]) -> Option<usize> {
        self.modes
            .iter()
            .position(|mode| mode.steps.iter().any(|(_, step)| step == path))
    }

    /// CuTe's layout: box extents, with unit steps of global coordinates.
    pub fn layout(&self) -> Result<Layout, Refusal> {
        let group = |mode: &BasisMode| -> Result<(Shape, Stride), Refusal> {
            let extents: Vec<Int> = mode
                .steps
                .iter()
                .map(|(extent, _)| Int::fixed(*extent))
                .collect();
            let steps: Vec<Delta> = mode
                .steps
                .iter()
                .map(|(_, path)| Delta::basis(Int::ONE, path.iter().copied()))
                .collect();
            match (&extents[..], &steps[..]) {
                ([extent], [step]) if !mode.is_grouped => {
                    Ok((Tuple::leaf(extent.clone()), Tuple::leaf(step.clone())))
                }
                _ => Ok((Tuple::flat(extents)?, Tuple::flat(steps)?)),
            }
        };
        let (shapes, strides): (Vec<_>, Vec<_>) = self
            .modes
            .iter()
            .map(group)
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .unzip();
        Ok(Layout::new(Tuple::group(shapes)?, Tuple::group(strides)?)?)
    }
}

/// The inputs of [`TmaBasis`].
pub(crate) struct BasisInputs<'a> {
    /// The global tensor, in elements.
    pub(crate) global: &'a Layout,
    /// The shared layout without its swizzle, in elements.
    pub(crate) shared: &'a Layout,
    /// CTA values to global coordinates: CuTe's `cta_v_map`.
    pub(crate) values: &'a Layout,
    /// The width of an element, in bits.
    pub(crate) element_bits: i64,
    /// The width of an element for TMA, in bits.
    pub(crate) tma_bits: i64,
    /// Whether runs of more than [`MAX_BOX`] elements are cut.
    pub(crate) cuts_boxes: bool,
}

/// CTA values to global coordinates: CuTe's `cta_v_map`.
pub(crate) fn tile_coordinates(global: &Layout, tile: &Tiler) -> Result<Layout, Refusal> {
    Ok(composition_by(
        &make_identity_layout(&global.shape())?,
        tile,
    )?)
}

/// The TMA dimensions of a tile.
///
/// Errors: [`Rule::TmaTile`] when tile and shared layout differ in size, or share no contiguous run; [`Rule::TmaRank`]; the
/// refusals of the composition.
pub(crate) fn tma_basis(inputs: &BasisInputs<'_>) -> Result<TmaBasis, Refusal> {
    let (shared_size, tile_size) = (inputs.shared.size()?, inputs.values.size()?);
    if shared_size.equals(&tile_size) != Some(true) {
        let text = "TMA requires CTA_Tile and SLayout top-level size equivalence.";
        return Err(Refusal::asserted(Rule::TmaTile, text)
            .with("shared_elements", &shared_size)
            .with("tile_elements", &tile_size));
    }
    let mut runs = unit_runs(&coalesce(&composition(
        inputs.values,
        &right_inverse(inputs.shared)?,
    )?)?)?;
    // With more modes it is the last dimension, of several modes, that is cut.
    if inputs.cuts_boxes && inputs.global.view().extents().len() <= MAX_RANK {
        cut(&mut runs);
    }
    let recast = recast_runs(inputs, &runs)?;
    let mut modes = merge(&recast);
    append_missing(inputs.global, inputs, &mut modes)?;
    if modes.len() >= MAX_RANK {
        let tail: Vec<_> = modes
            .split_off(MAX_RANK - 1)
            .into_iter()
            .flat_map(|mode| mode.steps)
            .collect();
        modes.push(BasisMode {
            steps: tail,
            is_grouped: true,
        });
    }
    Ok(TmaBasis { modes })
}

/// The longest prefix of modes that step in one global coordinate by 1.
fn unit_runs(walk: &Layout) -> Result<Vec<(i64, Vec<u16>)>, Refusal> {
    let mut runs = Vec::new();
    let view = walk.view();
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        let Some(basis) = step
            .as_basis()
            .filter(|basis| basis.value.is_constant(1) && basis.denominator == 1)
        else {
            break;
        };
        let extent = extent
            .value()
            .ok_or_else(|| not_known("tile_extent", extent))?;
        runs.push((extent, basis.path.iter().copied().collect()));
    }
    if runs.is_empty() {
        let text = "Could not find a common tile-gmem vectorization. Does the Tile select out major GMEM modes?";
        return Err(Refusal::asserted(Rule::TmaTile, text).with("walk", walk.to_string()));
    }
    Ok(runs)
}

/// Cuts the run of more than [`MAX_BOX`] elements to its largest divisor within, where it is the first or the last; what is
/// behind it is of other instructions. Elsewhere the DSL makes boxes that no descriptor holds.
fn cut(runs: &mut Vec<(i64, Vec<u16>)>) {
    let Some(at) = runs.iter().position(|(extent, _)| *extent > MAX_BOX) else {
        return;
    };
    let is_last = at + 1 == runs.len();
    let Some((extent, _)) = runs.get_mut(at) else {
        return;
    };
    let part = (1..=MAX_BOX).rev().find(|part| *extent % part == 0);
    match part {
        Some(part) if is_last && at > 0 || part > 1 && at == 0 => {
            *extent = part;
            runs.truncate(at + 1);
        }
        _ => {}
    }
}

/// A run of global elements in units of the TMA type: extent, global stride, path.
type Run = (i64, Delta, Vec<u16>);

fn recast_runs(inputs: &BasisInputs<'_>, runs: &[(i64, Vec<u16>)]) -> Result<Vec<Run>, Refusal> {
    let strides = inputs.global.stride();
    let steps = runs
        .iter()
        .map(|(_, path)| leaf_at(strides.view(), path))
        .collect::<Result<Vec<_>, _>>()?;
    let extents = runs.iter().map(|(extent, _)| Int::fixed(*extent));
    let layout = Layout::new(Tuple::flat(extents)?, Tuple::flat(steps)?)?;
    let layout = recast_layout(&layout, inputs.element_bits, inputs.tma_bits)?;
    let view = layout.view();
    let paths = runs.iter().map(|(_, path)| path.clone());
    view.extents()
        .iter()
        .zip(view.steps())
        .zip(paths)
        .map(|((extent, step), path)| {
            Ok((
                extent
                    .value()
                    .ok_or_else(|| not_known("tile_extent", extent))?,
                step.clone(),
                path,
            ))
        })
        .collect()
}

/// Merges neighbours that are contiguous for static strides: CuTe's `coalesce_256`.
fn merge(runs: &[Run]) -> Vec<BasisMode> {
    let mut modes: Vec<BasisMode> = Vec::new();
    let mut end: Option<(i64, i64)> = None;
    for (extent, step, path) in runs.iter().filter(|(extent, ..)| *extent != 1) {
        let stride = step.as_int().and_then(Int::as_static);
        match (&mut end, modes.last_mut()) {
            (Some((next, merged)), Some(mode))
                if stride == Some(*next) && *merged * extent <= MAX_BOX =>
            {
                *merged *= extent;
                *next *= extent;
                mode.steps.push((*extent, path.clone()));
            }
            _ => {
                end = stride.map(|stride| (stride * extent, *extent));
                modes.push(BasisMode {
                    steps: vec![(*extent, path.clone())],
                    is_grouped: false,
                });
            }
        }
    }
    modes
}

/// Appends a dimension of extent 1 for each global mode that the box does not walk.
fn append_missing(
    global: &Layout,
    inputs: &BasisInputs<'_>,
    modes: &mut Vec<BasisMode>,
) -> Result<(), Refusal> {
    let recast = recast_layout(global, inputs.element_bits, inputs.tma_bits)?;
    let (shape, stride) = (recast.shape(), recast.stride());
    for path in leaf_paths(shape.view()) {
        let extent = leaf_at(shape.view(), &path)?;
        let step = leaf_at(stride.view(), &path)?;
        let is_walked = modes
            .iter()
            .any(|mode| mode.steps.iter().any(|(_, walked)| *walked == path));
        if !(extent.is_constant(1) || step.is_constant(0) || is_walked) {
            modes.push(BasisMode {
                steps: vec![(1, path)],
                is_grouped: false,
            });
        }
    }
    if modes.is_empty() {
        return Err(
            Refusal::uncompilable(Rule::TmaRank, "a TMA of one element has no dimension")
                .with("rank", 0_i64),
        );
    }
    Ok(())
}

/// The paths of the leaves, in order.
pub(crate) fn leaf_paths<T>(view: TupleView<'_, T>) -> Vec<Vec<u16>> {
    let mut paths = Vec::new();
    let mut pending = vec![(view, Vec::new())];
    while let Some((view, path)) = pending.pop() {
        if view.is_leaf() {
            paths.push(path);
            continue;
        }
        let modes: Vec<_> = view.modes().collect();
        for (index, mode) in modes.into_iter().enumerate().rev() {
            let mut path = path.clone();
            path.push(u16::try_from(index).unwrap_or(u16::MAX));
            pending.push((mode, path));
        }
    }
    paths
}

/// The leaf at a path.
pub(crate) fn leaf_at<T: Clone>(view: TupleView<'_, T>, path: &[u16]) -> Result<T, Refusal> {
    let indices: Vec<usize> = path.iter().map(|&index| usize::from(index)).collect();
    view.get_path(&indices)
        .and_then(|leaf| leaf.as_leaf().cloned())
        .ok_or_else(|| {
            Refusal::uncompilable(
                Rule::Algebra(cute_algebra::Rule::NoSuchMode),
                "no such mode",
            )
            .with("path", format!("{path:?}"))
        })
}

pub(crate) fn not_known(name: &'static str, value: &Int) -> Refusal {
    Refusal::uncompilable(
        Rule::Algebra(cute_algebra::Rule::NotProvable),
        "not a constant expression",
    )
    .with(name, value)
}
