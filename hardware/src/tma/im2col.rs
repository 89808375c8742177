//! TMA descriptors of convolutions: a box of pixels times channels, taken from the place of a filter on an image (PTX
//! "im2col mode"; cuda.h `cuTensorMapEncodeIm2col`; CuTe's `make_im2col_tma_copy`).
//!
//! The tensor has dimensions C, W, (H, (D,)) N, innermost first. The pixels of a box walk a *bounding box* of the image, from its
//! lower corner to its upper one, W first, in the steps of the convolution; the offsets of the instruction say which element of
//! the filter is read, so they move all pixels at once.

use super::load::Move;
use super::tensor_map::{Issue, Severity, TensorMap, TensorMapSwizzle, driver, error};
use crate::element::Element;
use crate::refusal::{Refusal, Rule};
use crate::shared_layout::SharedLayout;
use cute_algebra::ops::coalesce::coalesce;
use cute_algebra::ops::composition::composition;
use cute_algebra::ops::identity::make_identity_layout;
use cute_algebra::ops::inverse::right_inverse;
use cute_algebra::ops::shape_arithmetic::product_each;
use cute_algebra::{Int, Layout, Verdict};

/// The most channels of a box.
pub const MAX_CHANNELS: i64 = 256;
/// The most pixels of a box.
pub const MAX_PIXELS: i64 = 1024;

/// The inputs of an `im2col` copy. Lists are in the order W, H, D.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Im2colRequest {
    /// The type of the elements.
    pub element: Element,
    /// The image: `((W,H,D,N),C)`, in elements.
    pub global: Layout,
    /// The shared layout of one CTA tile: `(pixels, channels)`.
    pub shared: SharedLayout,
    /// Number of CTAs of the cluster that share the tile.
    pub multicast: i64,
    /// The lower corner of the bounding box: minus the padding in front.
    pub lower_corner: Vec<i64>,
    /// The upper corner, from the last pixel: the padding behind minus the reach of the filter.
    pub upper_corner: Vec<i64>,
    /// The strides of the convolution.
    pub strides: Vec<i64>,
}

/// The arguments of the driver for an `im2col` tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Im2colMap {
    /// Type, extents, strides, swizzle and fill; its box is `channels_per_pixel` in the first dimension and 1 in the others, its
    /// element strides are those of the convolution.
    pub tensor: TensorMap,
    /// The lower corner of the bounding box, from the first pixel.
    pub lower_corner: Vec<i64>,
    /// The upper corner of the bounding box, from the last pixel.
    pub upper_corner: Vec<i64>,
    /// The channels of the box.
    pub channels_per_pixel: i64,
    /// The pixels of the box.
    pub pixels_per_column: i64,
}

impl Im2colMap {
    /// The arguments that CuTe passes to the driver.
    ///
    /// Errors, as CuTe asserts: tile and shared layout of different shapes ([`Rule::TmaTile`]), less than two modes
    /// that shared and global memory walk together, a swizzle that TMA does not have.
    pub fn new(request: &Im2colRequest) -> Result<Self, Refusal> {
        let bits = request.element.bits();
        let data_type = request.element.tensor_map_type().ok_or_else(|| {
            Refusal::asserted(Rule::TmaType, "Unknown TMA Format!")
                .with("type", request.element.to_string())
        })?;
        let [channels, pixels] = box_of(request)?;
        let image = request.global.mode(0)?;
        let extents = image.view().modes().map(cute_algebra::LayoutView::size);
        let mut dims = vec![request.global.mode(1)?.size()?];
        for extent in extents {
            dims.push(extent?);
        }
        let spatial = dims.len().saturating_sub(2);
        for (name, list) in [
            ("lower_corner", &request.lower_corner),
            ("upper_corner", &request.upper_corner),
            ("strides", &request.strides),
        ] {
            if list.len() != spatial {
                return Err(Refusal::uncompilable(
                    Rule::Algebra(cute_algebra::Rule::RankMismatch),
                    "one number for each of W, H and D",
                )
                .with(name, list.len())
                .with("spatial_modes", spatial));
            }
        }
        let mut strides_bytes = Vec::new();
        for step in image.stride().leaves() {
            let step = step.as_int().cloned().ok_or_else(|| {
                Refusal::uncompilable(Rule::TmaTile, "not an address")
                    .with("stride", step.to_string())
            })?;
            strides_bytes.push(step.mul(&Int::fixed(bits))?.div(&Int::fixed(8))?);
        }
        let mut element_strides = vec![1];
        element_strides.extend(&request.strides);
        element_strides.push(1);
        let mut box_dims = vec![1; dims.len()];
        if let Some(first) = box_dims.first_mut() {
            *first = channels;
        }
        Ok(Im2colMap {
            tensor: TensorMap {
                data_type,
                element_bits: bits,
                dims,
                strides_bytes,
                box_dims,
                element_strides,
                interleave: 0,
                swizzle: TensorMapSwizzle::of_swizzle(request.shared.swizzle)?,
                l2_promotion: 2,
                oob_fill: 0,
            },
            lower_corner: request.lower_corner.clone(),
            upper_corner: request.upper_corner.clone(),
            channels_per_pixel: channels,
            pixels_per_column: pixels,
        })
    }

    /// Number of spatial modes among W, H and D.
    pub fn spatial_modes(&self) -> usize {
        self.tensor.rank().saturating_sub(2)
    }

    /// The bytes that one load signals.
    pub fn box_bytes(&self) -> i64 {
        self.channels_per_pixel * self.pixels_per_column * self.tensor.element_bits / 8
    }

    /// Every rule that does not hold on `architecture` (ten times the compute capability).
    pub fn issues(&self, architecture: u16) -> Vec<Issue> {
        let mut issues = Vec::new();
        let rank = self.tensor.rank();
        if !(3..=super::basis::MAX_RANK).contains(&rank) {
            issues.push(error(
                driver(Rule::TmaRank)
                    .with("rank", rank)
                    .with("least", 3_i64)
                    .with("most", 5_i64),
            ));
        }
        self.tensor.check_tensor(&mut issues);
        self.tensor.check_swizzle(architecture, &mut issues);
        self.check_corners(&mut issues);
        self.check_box(&mut issues);
        issues
    }

    fn check_corners(&self, issues: &mut Vec<Issue>) {
        let half = match self.spatial_modes() {
            1 => 1_i64 << 15,
            2 => 1 << 7,
            _ => 1 << 4,
        };
        let corners = [
            ("lower_corner", &self.lower_corner),
            ("upper_corner", &self.upper_corner),
        ];
        for (name, list) in corners {
            for (mode, &corner) in list.iter().enumerate() {
                if !(-half..half).contains(&corner) {
                    issues.push(error(
                        driver(Rule::TmaCorner)
                            .with(name, corner)
                            .inside(mode)
                            .legal(corner.clamp(-half, half - 1).to_string()),
                    ));
                }
            }
        }
        for (mode, (lower, upper)) in self.lower_corner.iter().zip(&self.upper_corner).enumerate() {
            let extent = self.tensor.dims.get(mode + 1).and_then(Int::value);
            if let Some(extent) = extent.filter(|extent| extent + upper - lower <= 0) {
                issues.push(error(
                    driver(Rule::TmaCorner)
                        .with("pixels_of_the_bounding_box", extent + upper - lower)
                        .inside(mode),
                ));
            }
        }
    }

    fn check_box(&self, issues: &mut Vec<Issue>) {
        let limits = [
            ("channels", self.channels_per_pixel, MAX_CHANNELS),
            ("pixels", self.pixels_per_column, MAX_PIXELS),
        ];
        for (name, count, most) in limits {
            if !(1..=most).contains(&count) {
                issues.push(error(
                    driver(Rule::TmaPixels)
                        .with(name, count)
                        .legal(count.clamp(1, most).to_string()),
                ));
            }
        }
        let inner_bits = self.channels_per_pixel * self.tensor.element_bits;
        if inner_bits % 128 != 0 {
            issues.push(error(
                driver(Rule::TmaInnerBox)
                    .with("inner_bytes", inner_bits / 8)
                    .with("multiple_of", 16_i64),
            ));
        }
        for (mode, &step) in self.tensor.element_strides.iter().enumerate() {
            if !(1..=8).contains(&step) {
                issues.push(error(
                    driver(Rule::TmaElementStride)
                        .with("element_stride", step)
                        .inside(mode),
                ));
            }
        }
        if self.box_bytes() > super::tensor_map::MAX_SHARED_BYTES {
            issues.push(error(
                driver(Rule::TmaBoxBytes)
                    .with("box_bytes", self.box_bytes())
                    .with("most", super::tensor_map::MAX_SHARED_BYTES),
            ));
        }
    }

    /// The moves of a load: `coordinates` (C, W, (H, (D,)) N) name the first pixel inside the bounding box, `offsets` (W, (H,
    /// (D))) the element of the filter.
    ///
    /// Errors: [`Rule::TmaRank`] for a wrong number of coordinates or offsets, [`Rule::TmaCorner`] for an offset that the
    /// instruction cannot hold, and the first broken rule of [`Im2colMap::issues`].
    pub fn load(
        &self,
        coordinates: &[i64],
        offsets: &[i64],
        shared_address: i64,
    ) -> Result<Vec<Move>, Refusal> {
        self.refuse_unless_loadable(coordinates, offsets)?;
        let known = |value: &Int| {
            value
                .value()
                .ok_or_else(|| super::basis::not_known("value", value))
        };
        let dims = self
            .tensor
            .dims
            .iter()
            .map(known)
            .collect::<Result<Vec<_>, _>>()?;
        let element_bytes = (self.tensor.element_bits / 8).max(1);
        let mut strides = vec![element_bytes];
        for stride in &self.tensor.strides_bytes {
            strides.push(known(stride)?);
        }
        let mut moves = Vec::new();
        let mut pixel = coordinates.get(1..).unwrap_or_default().to_vec();
        for row in 0..self.pixels_per_column {
            for channel in 0..self.channels_per_pixel {
                let mut position = vec![coordinates.first().copied().unwrap_or(0) + channel];
                position.extend(
                    pixel
                        .iter()
                        .enumerate()
                        .map(|(mode, index)| index + offsets.get(mode).copied().unwrap_or(0)),
                );
                let is_inside = position
                    .iter()
                    .zip(&dims)
                    .all(|(index, dim)| (0..*dim).contains(index));
                let byte: i64 = position
                    .iter()
                    .zip(&strides)
                    .map(|(index, stride)| index * stride)
                    .sum();
                let linear =
                    shared_address + (row * self.channels_per_pixel + channel) * element_bytes;
                moves.push(Move {
                    shared_byte: self.tensor.swizzle.apply(linear) - shared_address,
                    global_byte: is_inside.then_some(byte),
                });
            }
            self.next_pixel(&mut pixel, &dims);
        }
        Ok(moves)
    }

    /// One step of the convolution inside the bounding box: W first, then H, D, and the next image.
    fn next_pixel(&self, pixel: &mut [i64], dims: &[i64]) {
        for mode in 0..self.spatial_modes() {
            let step = self
                .tensor
                .element_strides
                .get(mode + 1)
                .copied()
                .unwrap_or(1);
            let end = dims.get(mode + 1).copied().unwrap_or(1)
                + self.upper_corner.get(mode).copied().unwrap_or(0);
            let Some(index) = pixel.get_mut(mode) else {
                return;
            };
            *index += step;
            if *index < end {
                return;
            }
            *index = self.lower_corner.get(mode).copied().unwrap_or(0);
        }
        if let Some(image) = pixel.last_mut() {
            *image += 1;
        }
    }

    fn refuse_unless_loadable(&self, coordinates: &[i64], offsets: &[i64]) -> Result<(), Refusal> {
        if let Some(issue) = self
            .issues(100)
            .into_iter()
            .find(|issue| issue.severity == Severity::Error)
        {
            return Err(issue.refusal);
        }
        let rank = self.tensor.rank();
        if coordinates.len() != rank || offsets.len() != self.spatial_modes() {
            return Err(Refusal::new(Rule::TmaRank, Verdict::Accepts)
                .with("coordinates", coordinates.len())
                .with("offsets", offsets.len())
                .with("rank", rank));
        }
        let most = match self.spatial_modes() {
            1 => 1_i64 << 16,
            2 => 1 << 8,
            _ => 1 << 5,
        };
        match offsets
            .iter()
            .enumerate()
            .find(|(_, offset)| !(0..most).contains(*offset))
        {
            Some((mode, offset)) => Err(Refusal::new(Rule::TmaCorner, Verdict::Accepts)
                .with("offset", *offset)
                .with("most", most - 1)
                .inside(mode)),
            None => Ok(()),
        }
    }
}

/// Channels and pixels that one instruction moves: the two modes that shared and global memory walk together.
fn box_of(request: &Im2colRequest) -> Result<[i64; 2], Refusal> {
    let tile = product_each(request.shared.layout.shape_view())?;
    let extents = product_each(request.global.shape_view())?;
    if request.global.rank() != 2 || tile.rank() != 2 {
        let text = "TMA requires CTA_Tile and SLayout top-level shape equivalence.";
        return Err(Refusal::asserted(Rule::TmaTile, text)
            .with("shared", request.shared.layout.to_string())
            .with("global", request.global.to_string()));
    }
    let values = make_identity_layout(&tile)?;
    let walk = composition(&values, &right_inverse(&request.shared.layout)?)?;
    let walk = coalesce(&walk)?;
    let is_unit = |step: &cute_algebra::Delta| {
        step.as_basis()
            .is_some_and(|basis| basis.value.is_constant(1) && basis.denominator == 1)
    };
    let view = walk.view();
    let modes: Vec<(i64, bool)> = view
        .extents()
        .iter()
        .zip(view.steps())
        .take_while(|(_, step)| is_unit(step))
        .filter_map(|(extent, step)| {
            // Mode 1 of the tile is the channels.
            let is_channel = step.as_basis()?.path.first() == Some(&1);
            Some((extent.value()?, is_channel))
        })
        .collect();
    let [(channels, true), (pixels, false), ..] = modes[..] else {
        let text = "IM2COL expects at least 2 modes of the smem to vectorize with gmem.";
        return Err(Refusal::asserted(Rule::TmaTile, text)
            .with("walk", walk.to_string())
            .with("tile", extents.to_string()));
    };
    if request.multicast < 1 || pixels % request.multicast != 0 {
        return Err(Refusal::asserted(Rule::TmaMulticast, "Static assert")
            .with("pixels", pixels)
            .with("multicast", request.multicast));
    }
    Ok([channels, pixels / request.multicast])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 3x3 filter with padding 1 over images of 8x6 pixels of 64 channels.
    fn request() -> Im2colRequest {
        Im2colRequest {
            element: Element::F16,
            global: "((8,6,4),64):((64,512,3072),_1)".parse().unwrap(),
            shared: "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_64,_1)):((_64,_512),(_1,_0))"
                .parse()
                .unwrap(),
            multicast: 1,
            lower_corner: vec![-1, -1],
            upper_corner: vec![-1, -1],
            strides: vec![1, 1],
        }
    }

    fn rules(change: fn(&mut Im2colMap)) -> Vec<Rule> {
        let mut map = Im2colMap::new(&request()).unwrap();
        change(&mut map);
        map.issues(90)
            .into_iter()
            .map(|issue| issue.refusal.rule)
            .collect()
    }

    #[test]
    fn the_arguments_are_those_of_the_image() {
        let map = Im2colMap::new(&request()).unwrap();
        let dims: Vec<Option<i64>> = map.tensor.dims.iter().map(Int::value).collect();
        assert_eq!(dims, [Some(64), Some(8), Some(6), Some(4)]);
        let strides: Vec<Option<i64>> = map.tensor.strides_bytes.iter().map(Int::value).collect();
        assert_eq!(strides, [Some(128), Some(1024), Some(6144)]);
        assert_eq!((map.channels_per_pixel, map.pixels_per_column), (64, 64));
        assert_eq!(map.box_bytes(), 8192);
        assert_eq!(map.issues(90), []);
        let shared = Im2colMap::new(&Im2colRequest {
            multicast: 4,
            ..request()
        })
        .unwrap();
        assert_eq!(shared.pixels_per_column, 16);
    }

    /// The definition of a convolution: output pixel `p` of filter element `(s, r)` reads input `(p_w + s - 1, p_h + r - 1)`.
    #[test]
    fn a_load_reads_what_the_convolution_does() {
        let map = Im2colMap::new(&request()).unwrap();
        for (s, r) in [(0, 0), (2, 1), (1, 2)] {
            // Output pixels 40 and up: row 5 of the first image, then the second image.
            let moves = map.load(&[0, -1, 5 - 1, 0], &[s, r], 0).unwrap();
            for pixel in 0..64_i64 {
                let (output, image) = ((40 + pixel) % 48, (40 + pixel) / 48);
                let (w, h) = (output % 8 + s - 1, output / 8 + r - 1);
                let inside = (0..8).contains(&w) && (0..6).contains(&h);
                let byte = 2 * (64 * w + 512 * h + 3072 * image);
                let index = usize::try_from(64 * pixel).unwrap();
                assert_eq!(moves[index].global_byte, inside.then_some(byte), "{pixel}");
            }
        }
    }

    #[test]
    fn strides_of_the_convolution_skip_pixels() {
        let map = Im2colMap::new(&Im2colRequest {
            strides: vec![2, 2],
            ..request()
        })
        .unwrap();
        let moves = map.load(&[0, -1, -1, 0], &[1, 1], 0).unwrap();
        let pixel = |index: usize| moves[64 * index].global_byte;
        assert_eq!(
            [pixel(0), pixel(1), pixel(4)],
            [Some(0), Some(2 * 128), Some(2 * 1024)]
        );
    }

    #[test]
    fn every_rule_is_found() {
        assert_eq!(rules(|_| {}), []);
        assert_eq!(rules(|map| map.lower_corner[0] = -129), [Rule::TmaCorner]);
        assert_eq!(rules(|map| map.upper_corner[1] = -9), [Rule::TmaCorner]);
        assert_eq!(rules(|map| map.pixels_per_column = 1025), [Rule::TmaPixels]);
        assert_eq!(rules(|map| map.channels_per_pixel = 4), [Rule::TmaInnerBox]);
        assert_eq!(
            rules(|map| map.tensor.element_strides[1] = 9),
            [Rule::TmaElementStride]
        );
        assert_eq!(
            rules(|map| map.tensor.strides_bytes[0] = Int::fixed(136)),
            [Rule::TmaStrideAlignment]
        );
        let map = Im2colMap::new(&request()).unwrap();
        assert_eq!(
            map.load(&[0; 4], &[256, 0], 0).unwrap_err().rule,
            Rule::TmaCorner
        );
        assert_eq!(
            map.load(&[0; 3], &[0, 0], 0).unwrap_err().rule,
            Rule::TmaRank
        );
    }

    #[test]
    fn tiles_of_pixels_alone_are_refused() {
        let shared = "smem_ptr[16b](unset) o (_64,_64):(_1,_64)".parse().unwrap();
        let refusal = Im2colMap::new(&Im2colRequest {
            shared,
            ..request()
        })
        .unwrap_err();
        assert_eq!(refusal.rule, Rule::TmaTile);
    }
}
