//! `make_tma_atom` and `make_tma_copy`: from layouts to a TMA descriptor, exactly as CuTe does it.

use super::basis::{
    BasisInputs, MAX_RANK, TmaBasis, leaf_at, leaf_paths, tile_coordinates, tma_basis,
};
use super::instruction::TmaKind;
use super::tensor_map::{Issue, PACKED_FOUR_BITS, Severity, TensorMap, TensorMapSwizzle};
use crate::copy::{CopyAtom, CopyOperands, TmaBox, ValueCopyAtom};
use crate::element::Element;
use crate::name::{Argument, TemplateId};
use crate::refusal::{Refusal, Rule};
use crate::shared_layout::SharedLayout;
use crate::tiled::TiledCopy;
use cute_algebra::ops::composition::composition;
use cute_algebra::ops::inverse::right_inverse;
use cute_algebra::ops::recast::recast_layout;
use cute_algebra::ops::shape_arithmetic::product_each;
use cute_algebra::ops::tile_to_shape::tile_to_shape;
use cute_algebra::{Delta, Int, Layout, ScaledBasis, Stride, Tiler, Tuple, Verdict};
use std::sync::Arc;

/// The inputs of a TMA copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TmaRequest {
    /// The operation: `SM90_TMA_LOAD`, `SM90_TMA_STORE`, `SM90_TMA_LOAD_MULTICAST`, ...
    pub operation: TemplateId,
    /// The type of the elements.
    pub element: Element,
    /// The type that TMA shall see, when it is another one (`make_tma_copy<T>`).
    pub tma_element: Option<Element>,
    /// The global tensor, in elements.
    pub global: Layout,
    /// The shared layout of one CTA tile.
    pub shared: SharedLayout,
    /// The CTA tile in the global tensor.
    pub tile: Tiler,
    /// Number of CTAs of the cluster that share the tile; 1 without multicast.
    pub multicast: i64,
    /// Whether a box is cut that has more than 256 elements in one dimension, as the Python DSL does; C++ refuses it.
    pub cuts_boxes: bool,
}

/// A TMA copy of one tile: CuTe's `Copy_Atom` of a TMA operation.
///
/// ```
/// use cute_hardware::tma::{TmaAtom, TmaRequest};
/// use cute_hardware::{Element, TemplateId};
/// use cute_algebra::{Shape, Tiler};
/// let atom = TmaAtom::new(&TmaRequest {
///     operation: TemplateId::parse("SM90_TMA_LOAD")?,
///     element: Element::F16,
///     tma_element: None,
///     global: "(512,1024):(1024,_1)".parse()?,
///     shared: "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))".parse()?,
///     tile: Tiler::of_shape(&"(_128,_64)".parse::<Shape>()?),
///     multicast: 1,
///     cuts_boxes: false,
/// })?;
/// assert_eq!(atom.map.box_dims, [64, 128]);
/// assert_eq!(atom.instructions, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TmaAtom {
    /// The global modes of the dimensions of the descriptor.
    pub basis: TmaBasis,
    /// The arguments of the driver.
    pub map: TensorMap,
    /// The tensor of TMA coordinates, `get_tma_tensor(shape)`.
    pub coordinates: Layout,
    /// The copy atom, which moves the box before multicast splits it.
    pub atom: ValueCopyAtom,
    /// Number of instructions for one CTA tile, over all CTAs that share it for each box.
    pub instructions: i64,
    /// CTA values to global coordinates: CuTe's `cta_v_map`.
    pub values: Layout,
    /// The part of the request that decides [`TmaAtom::issues`] beside the map.
    limits: Limits,
}

/// Rules that need more than the arguments of the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Limits {
    /// Number of modes of the global tensor that a descriptor counts.
    global_modes: usize,
    /// A dimension whose modes are not contiguous, with the reason.
    torn: Option<Refusal>,
    /// Whether the instruction reads global memory.
    is_load: bool,
}

impl TmaAtom {
    /// `make_tma_atom(op, gtensor, slayout, cta_tile, cluster_size)`.
    ///
    /// Errors: CuTe's assertions, at compile time or at run time, with the numbers. A refusal by the driver alone is in
    /// [`TmaAtom::issues`].
    pub fn new(request: &TmaRequest) -> Result<Self, Refusal> {
        TmaAtom::of_values(request, &tile_coordinates(&request.global, &request.tile)?)
    }

    /// CuTe's `make_tma_copy_atom`: `values` maps the values of a CTA to global coordinates, in place of the tile of the
    /// request.
    ///
    /// Errors: as [`TmaAtom::new`].
    pub fn of_values(request: &TmaRequest, values: &Layout) -> Result<Self, Refusal> {
        let tma_element = request.tma_element.unwrap_or(request.element);
        let data_type = tma_element.tensor_map_type().ok_or_else(|| {
            Refusal::asserted(Rule::TmaType, "Unknown TMA Format!")
                .with("type", tma_element.to_string())
        })?;
        let bits = tma_element.bits();
        let basis = tma_basis(&BasisInputs {
            global: &request.global,
            shared: &request.shared.layout,
            values,
            element_bits: request.element.bits(),
            tma_bits: bits,
            cuts_boxes: request.cuts_boxes,
        })?;
        let recast = recast_layout(&request.global, request.element.bits(), bits)?;
        let (dims, strides) = dimensions(&basis, &recast)?;
        let strides_bytes = byte_strides(&dims, &strides, bits)?;
        let map = TensorMap {
            data_type,
            element_bits: bits,
            element_strides: vec![1; dims.len()],
            dims,
            strides_bytes,
            box_dims: multicast_box(&basis, request.multicast)?,
            interleave: 0,
            swizzle: TensorMapSwizzle::of_swizzle(request.shared.swizzle)?,
            l2_promotion: 2,
            oob_fill: 0,
        };
        refuse_what_cute_asserts(&map)?;
        let limits = Limits {
            global_modes: counted_modes(&recast)?,
            torn: torn_dimension(&basis, &recast, &map)?,
            is_load: true,
        };
        let moved_bits = basis.size() * bits;
        let copy = CopyAtom::of_id(&request.operation, &[Argument::Integer(moved_bits)])?;
        let tile_bits = known(&request.shared.layout.size()?)? * request.element.bits();
        let is_load = !matches!(
            copy.operands,
            CopyOperands::Tma(TmaKind::Store | TmaKind::Im2colStore | TmaKind::Reduce(_))
        );
        let coordinates = coordinate_layout(request, &basis, &recast, &map)?;
        let mut atom = copy.with_value_bits(request.element.bits())?;
        atom.element = Some(request.element);
        let instructions = (tile_bits + moved_bits - 1) / moved_bits;
        atom.tma_strides = Some(coordinates.stride());
        atom.tma_box = Some(Arc::new(TmaBox {
            extents: map.box_dims.clone(),
            element_bits: map.element_bits,
            swizzle: map.swizzle,
            instructions,
            multicast: request.multicast,
        }));
        Ok(TmaAtom {
            coordinates,
            instructions,
            atom,
            values: values.clone(),
            limits: Limits { is_load, ..limits },
            basis,
            map,
        })
    }

    /// The rules of the driver and the hardware that CuTe does not check.
    pub fn issues(&self, architecture: u16) -> Vec<Issue> {
        let mut issues = self.map.issues(architecture);
        let issue = |severity, refusal| Issue { severity, refusal };
        if let Some(torn) = &self.limits.torn {
            issues.push(issue(Severity::Error, torn.clone()));
        } else if self.limits.global_modes > MAX_RANK {
            // Their coordinates are added up, so a step beyond one of them lands in another instead of out of bounds.
            issues.push(issue(
                Severity::Warning,
                Refusal::new(Rule::TmaRank, Verdict::Accepts)
                    .with("global_modes", self.limits.global_modes)
                    .with("most", MAX_RANK),
            ));
        }
        if self.map.data_type == PACKED_FOUR_BITS && !self.limits.is_load {
            issues.push(issue(
                Severity::Error,
                Refusal::new(Rule::TmaType, Verdict::Accepts)
                    .with("data_type", i64::from(self.map.data_type))
                    .with("operation", self.atom.atom.name.clone())
                    .legal("a load"),
            ));
        }
        issues
    }

    /// The tiled copy of all instructions of the tile, one CTA after the other sharing it: CuTe's `make_tma_copy`.
    pub fn tiled_copy(&self, request: &TmaRequest) -> Result<TiledCopy, Refusal> {
        let ctas = Layout::left(Tuple::leaf(Int::fixed(request.multicast)))?;
        self.tiled_copy_over(request, &ctas)
    }

    /// The tiled copy of all instructions of the tile for a map of CTAs of the cluster to their places among those that
    /// share it: CuTe's `make_tma_copy_tiled`.
    pub fn tiled_copy_over(
        &self,
        request: &TmaRequest,
        ctas: &Layout,
    ) -> Result<TiledCopy, Refusal> {
        let elements = self.atom.reference.mode(1)?.size()?;
        let inverse = right_inverse(&request.shared.layout)?;
        let values = composition(&inverse, &Layout::single(elements.clone(), Delta::ONE))?;
        let values = Layout::concat([values.view()])?;
        let values = tile_to_shape(&values, &Tuple::leaf(self.values.size()?), None)?;
        let places = ctas.cosize()?;
        let share = elements.div(&places)?;
        let starts = Layout::single(places, Delta::Int(share));
        let threads = composition(&inverse, &composition(&starts, ctas)?)?;
        let thread_value = Layout::concat([threads.view(), values.view()])?;
        let extents = product_each(self.values.shape_view())?;
        TiledCopy::new(self.atom.clone(), thread_value, Tiler::of_shape(&extents))
    }
}

fn known(value: &Int) -> Result<i64, Refusal> {
    value
        .value()
        .ok_or_else(|| super::basis::not_known("value", value))
}

/// Extents and strides of the dimensions, in elements: CuTe's `fill_tma_gmem_shape_stride`.
fn dimensions(basis: &TmaBasis, global: &Layout) -> Result<(Vec<Int>, Vec<Int>), Refusal> {
    let (shape, stride) = (global.shape(), global.stride());
    let at = |path: &[u16]| -> Result<(Int, Int), Refusal> {
        let step = leaf_at(stride.view(), path)?;
        let step = step.as_int().cloned().ok_or_else(|| {
            Refusal::uncompilable(Rule::TmaTile, "not an address").with("stride", step.to_string())
        })?;
        Ok((leaf_at(shape.view(), path)?, step))
    };
    let mut dims = Vec::new();
    let mut strides = Vec::new();
    for mode in &basis.modes {
        let (dim, stride) = match &mode.steps[..] {
            [(_, path)] => at(path)?,
            steps => merged_dimension(steps.iter().map(|(_, path)| at(path)))?,
        };
        dims.push(dim);
        strides.push(stride);
    }
    Ok((dims, strides))
}

/// The modes that need a dimension: those of an extent and a stride that are not statically trivial.
fn counted_modes(global: &Layout) -> Result<usize, Refusal> {
    let (shape, stride) = (global.shape(), global.stride());
    let mut count = 0;
    for path in leaf_paths(shape.view()) {
        let is_trivial = leaf_at(shape.view(), &path)?.is_constant(1)
            || leaf_at(stride.view(), &path)?.is_constant(0);
        count += usize::from(!is_trivial);
    }
    Ok(count)
}

/// The first dimension of several modes whose box does not walk them in equal steps, so that the descriptor reads other
/// elements than the tile has. CuTe takes the greatest common divisor of their strides without a look at the box.
fn torn_dimension(
    basis: &TmaBasis,
    global: &Layout,
    map: &TensorMap,
) -> Result<Option<Refusal>, Refusal> {
    let stride = global.stride();
    for (dimension, mode) in basis
        .modes
        .iter()
        .enumerate()
        .filter(|(_, m)| m.steps.len() > 1)
    {
        let unit = match dimension
            .checked_sub(1)
            .and_then(|index| map.strides_bytes.get(index))
        {
            Some(bytes) => bytes
                .value()
                .map(|bytes| bytes * 8 / map.element_bits.max(1)),
            None => Some(1),
        };
        // Strides that only the program knows may be equal steps.
        let Some(mut expected) = unit else {
            continue;
        };
        for (extent, path) in mode.steps.iter().filter(|(extent, _)| *extent > 1) {
            let step = leaf_at(stride.view(), path)?;
            let Some(found) = step.value().value() else {
                break;
            };
            if found != expected {
                return Ok(Some(
                    Refusal::new(Rule::TmaMerged, Verdict::Accepts)
                        .with("stride", found)
                        .with("expected", expected)
                        .with("box", *extent)
                        .inside(dimension)
                        .legal("a box of 1 in all of these modes but the first"),
                ));
            }
            expected *= extent;
        }
    }
    Ok(None)
}

/// Several global modes as one dimension: its stride is the greatest common divisor of theirs.
fn merged_dimension(
    modes: impl Iterator<Item = Result<(Int, Int), Refusal>>,
) -> Result<(Int, Int), Refusal> {
    let (mut dim, mut stride) = (Int::dynamic(1), Int::dynamic(0));
    for mode in modes {
        let (extent, step) = mode?;
        let common = common_divisor(&stride, &step)?;
        dim = if common.value() == Some(0) {
            extent.to_dynamic()
        } else {
            let less = |extent: &Int| extent.sub(&Int::ONE);
            let before = less(&dim)?.mul(&stride.div(&common)?)?;
            let own = less(&extent)?.mul(&step.div(&common)?)?;
            before.add(&own)?.add(&Int::ONE)?.to_dynamic()
        };
        stride = common;
    }
    Ok((dim, stride))
}

/// The greatest common divisor, a number of the running program; where the symbols leave it open it has a name that says of
/// which it is.
fn common_divisor(a: &Int, b: &Int) -> Result<Int, Refusal> {
    let divides = |divisor: &Int, of: &Int| {
        divisor.value() != Some(0) && of.rem(divisor).is_ok_and(|rest| rest.value() == Some(0))
    };
    let common = if a.value() == Some(0) || divides(b, a) {
        b.abs()?
    } else if b.value() == Some(0) || divides(a, b) {
        a.abs()?
    } else if a.value().is_some() && b.value().is_some() {
        a.abs()?.gcd(&b.abs()?)?
    } else {
        Int::symbol(&format!("gcd({a},{b})"))
    };
    Ok(common.to_dynamic())
}

/// The strides of dimensions 1 and up, in bytes; dimension 0 has to be contiguous. It is not where the compiler knows
/// another one to be.
fn byte_strides(dims: &[Int], strides: &[Int], bits: i64) -> Result<Vec<Int>, Refusal> {
    let Some((first, rest)) = strides.split_first() else {
        return Ok(Vec::new());
    };
    if first.equals(&Int::ONE) != Some(true) {
        let mut others = rest.iter().zip(dims.iter().skip(1));
        let is_elsewhere = others.any(|(stride, dim)| stride.is_constant(1) && !dim.is_constant(1));
        let rule = if first.value().is_some() || is_elsewhere {
            Rule::TmaMajor
        } else {
            Rule::Algebra(cute_algebra::Rule::NotProvable)
        };
        return Err(Refusal::new(rule, Verdict::Traps)
            .with("stride", first)
            .with("expected", 1_i64)
            .legal("1"));
    }
    let in_bytes = |stride: &Int| -> Result<Int, Refusal> {
        Ok(stride.mul(&Int::fixed(bits))?.div(&Int::fixed(8))?)
    };
    rest.iter().map(in_bytes).collect()
}

/// The box of one CTA: the last dimensions are split among the CTAs that share the tile.
fn multicast_box(basis: &TmaBasis, multicast: i64) -> Result<Vec<i64>, Refusal> {
    let mut extents: Vec<i64> = basis
        .modes
        .iter()
        .map(super::basis::BasisMode::extent)
        .collect();
    let mut ctas = multicast;
    for extent in extents.iter_mut().rev() {
        if ctas <= 1 {
            break;
        }
        if *extent % ctas != 0 && ctas % *extent != 0 {
            return Err(Refusal::new(Rule::TmaMulticast, Verdict::Traps)
                .with("box", *extent)
                .with("multicast", multicast));
        }
        let rest = (ctas + *extent - 1) / *extent;
        *extent = (*extent + ctas - 1) / ctas;
        ctas = rest;
    }
    if ctas > 1 || multicast < 1 {
        return Err(Refusal::new(Rule::TmaMulticast, Verdict::Traps)
            .with("multicast", multicast)
            .with("box", basis.size()));
    }
    Ok(extents)
}

/// CuTe's run-time assertions, which vanish in release builds.
fn refuse_what_cute_asserts(map: &TensorMap) -> Result<(), Refusal> {
    let asserted = |rule| {
        matches!(
            rule,
            Rule::TmaDimension | Rule::TmaStrideAlignment | Rule::TmaStrideRange | Rule::TmaBox
        )
    };
    let broken = map
        .issues(100)
        .into_iter()
        .find(|issue| issue.severity == Severity::Error && asserted(issue.refusal.rule));
    match broken {
        Some(issue) => Err(issue.refusal.stated_as(Verdict::Traps)),
        None => Ok(()),
    }
}

/// Global coordinates to TMA coordinates: CuTe's `get_tma_tensor`.
fn coordinate_layout(
    request: &TmaRequest,
    basis: &TmaBasis,
    recast: &Layout,
    map: &TensorMap,
) -> Result<Layout, Refusal> {
    let shape = request.global.shape();
    let (recast_shape, recast_stride, stride) =
        (recast.shape(), recast.stride(), request.global.stride());
    let mut steps = Vec::new();
    for path in leaf_paths(shape.view()) {
        let step = leaf_at(recast_stride.view(), &path)?;
        let is_fixed = leaf_at(recast_shape.view(), &path)?.is_constant(1) || step.is_constant(0);
        let dimension = basis.dimension_of(&path).filter(|_| !is_fixed);
        steps.push(match dimension {
            None => Delta::ZERO,
            Some(0) => {
                let step = leaf_at(stride.view(), &path)?;
                // Half a coordinate where an element of the descriptor holds two of the tensor.
                let bits = step.value().mul(&Int::fixed(request.element.bits()))?;
                let whole = ScaledBasis::fraction(bits, map.element_bits, [0])?;
                Delta::Basis(Arc::new(whole))
            }
            Some(j) => Delta::basis(
                coordinate_scale(basis, map, j, &step.value())?,
                [u16::try_from(j).unwrap_or(u16::MAX)],
            ),
        });
    }
    let stride: Stride = Tuple::new(shape.profile().clone(), steps)?;
    Ok(Layout::new(shape, stride)?)
}

/// Number of TMA coordinates in one step of a global mode; more than one only where modes were merged.
fn coordinate_scale(
    basis: &TmaBasis,
    map: &TensorMap,
    dimension: usize,
    step: &Int,
) -> Result<Int, Refusal> {
    let is_single = basis
        .modes
        .get(dimension)
        .is_some_and(|mode| mode.steps.len() == 1);
    if is_single {
        return Ok(Int::ONE);
    }
    let sixteen = Int::dynamic(16);
    let stride = map.strides_bytes.get(dimension - 1).unwrap_or(&sixteen);
    let bits = step.mul(&Int::fixed(map.element_bits))?;
    Ok(match (bits.value(), stride.value()) {
        (Some(bits), Some(stride)) => Int::dynamic((bits / stride.max(16) + 7) / 8),
        // The stride divides the step: it is the greatest common divisor of all of them.
        _ => match bits.div_exact(&stride.mul(&Int::fixed(8))?) {
            Ok(exact) => exact.to_dynamic(),
            Err(_) => Int::coordinate(&format!("{step}/{stride}")),
        },
    })
}
