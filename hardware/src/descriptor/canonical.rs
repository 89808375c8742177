//! The layouts that the tensor cores read, in units of 16 bytes (PTX "Canonical layouts"; CuTe's `make_gmma_desc` and
//! `make_umma_desc`). With `W` the 16-byte units of the swizzle span:
//!
//! | major | span | layout |
//! |---|---|---|
//! | K | none | `((8,m),(1,2)) : ((1,SBO),(1,LBO))` |
//! | K | 32, 64, 128 bytes | `((8,m),(1,2)) : ((W,SBO),(1,1))` |
//! | MN | none | `((1,m),(8,k)) : ((1,SBO),(1,LBO))` |
//! | MN | 32, 64, 128 bytes | `((W,m),(8,k)) : ((1,LBO),(W,SBO))` |
//!
//! Leading and stride offset change their roles between the rows of this table; that is how the hardware defines them.

use super::{Generation, MatrixDescriptor};
use crate::mma::Major;
use crate::refusal::{Refusal, Rule};
use crate::shared_layout::SharedLayout;
use crate::smem_atom::{SmemAtom, Span};
use cute_algebra::ops::divide::logical_divide;
use cute_algebra::{Delta, Int, Layout, LayoutView, Tiler, Tuple, Verdict};

/// The texts of CuTe's assertions, for each of its two functions.
struct Texts {
    rank: &'static str,
    mn_profile: &'static str,
    mn_stride: &'static str,
    k_rows: &'static str,
    k_profile: &'static str,
    k_stride: &'static str,
}

const WGMMA: Texts = Texts {
    rank: "GMMA Descriptors can only be constructed on rank-2 tensors.",
    mn_profile: "Not a canonical GMMA_MN Layout: Expected profile failure.",
    mn_stride: "Not a canonical GMMA_MN Layout: Expected stride failure.",
    k_rows: "Not a canonical GMMA_K Layout: Expected MN-size multiple of 8.",
    k_profile: "Not a canonical GMMA_K Layout: Expected profile failure.",
    k_stride: "Not a canonical GMMA_K Layout: Expected stride failure.",
};

const TCGEN05: Texts = Texts {
    rank: "UMMA Descriptors can only be constructed on rank-2 tensors.",
    mn_profile: "Not a canonical UMMA_MN Layout: Expected profile failure.",
    mn_stride: "Not a canonical UMMA_MN Layout: Expected stride failure.",
    k_rows: "Not a canonical UMMA_K Layout: Expected MN-size multiple of 8.",
    k_profile: "Not a canonical UMMA_K Layout: Expected profile failure.",
    k_stride: "Not a canonical UMMA_K Layout: Expected stride failure.",
};

const MN_DEPTH: &str = "Not a canonical GMMA_MN Layout: Expected K-size 256/sizeof_bits<T> for dense or (128|512)/sizeof_bits<T> for sparse.";
const K_DEPTH: &str = "Not a canonical GMMA_K Layout: Expected K-size 2 for dense or 4 for sparse (in units of uint128_t).";

/// The descriptor of the operand that one instruction reads: `tile` is its (M or N, K) slice, at address 0.
///
/// ```
/// use cute_hardware::descriptor::{Generation, canonical::describe};
/// use cute_hardware::{Major, SmemAtom, smem_atom::tile_to_shape};
/// let atom = SmemAtom::named("GMMA::Layout_K_SW32_Atom<half_t>")?.layout()?;
/// let tile = tile_to_shape(&atom, &"(_128,_16)".parse()?, None)?;
/// let descriptor = describe(Generation::Wgmma, Major::K, &tile)?;
/// assert_eq!(descriptor.encode()?, 0xc000_0010_0001_0000);
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: [`Rule::UnsupportedSwizzle`], [`Rule::NotCanonical`] with the number that does not fit, and the refusals of the
/// division. `legal` names the atoms whose tiles are canonical.
pub fn describe(
    generation: Generation,
    major: Major,
    tile: &SharedLayout,
) -> Result<MatrixDescriptor, Refusal> {
    let texts = match generation {
        Generation::Wgmma => &WGMMA,
        Generation::Tcgen05 => &TCGEN05,
    };
    if tile.layout.rank() != 2 {
        return Err(
            Refusal::asserted(Rule::NotCanonical, texts.rank).with("rank", tile.layout.rank())
        );
    }
    let span = span_of(generation, major, tile)?;
    let units = tile.recast(128)?.layout;
    let offsets = match major {
        Major::Mn => mn_offsets(generation, texts, span, tile, &units),
        Major::K => k_offsets(generation, texts, span, tile, &units),
    };
    let [leading_offset, stride_offset] = offsets?;
    let descriptor = MatrixDescriptor {
        generation,
        start_address: 0,
        leading_offset,
        stride_offset,
        base_offset: 0,
        leading_is_absolute: false,
        span,
    };
    descriptor.encode().map(|_| descriptor)
}

/// The span of the swizzle, where the instruction has it for this major.
fn span_of(generation: Generation, major: Major, tile: &SharedLayout) -> Result<Span, Refusal> {
    let swizzle = tile.swizzle;
    let text = match generation {
        Generation::Wgmma => "Unsupported layout swizzle",
        Generation::Tcgen05 if swizzle.base() == 4 => {
            "Expected S = 3 when M == 4. Unsupported layout swizzle."
        }
        Generation::Tcgen05 if swizzle.base() == 5 => {
            "Expected B = 2 when M == 5. Unsupported layout swizzle."
        }
        Generation::Tcgen05 => {
            "Only 16B and 32B Atoms are supported for UMMA. Unsupported layout swizzle."
        }
    };
    // Without bits the base and the shift mean nothing, but CuTe asks for <0,4,3>.
    let refusal = |text| {
        let refusal =
            Refusal::asserted(Rule::UnsupportedSwizzle, text).with("swizzle", swizzle.to_string());
        (0..4).rev().fold(refusal, |refusal, bits| {
            refusal.legal(format!("Sw<{bits},4,3>"))
        })
    };
    match (Span::of_swizzle(swizzle), generation, major) {
        (Some(Span::B128Base32), Generation::Wgmma, _) | (None, ..) => Err(refusal(text)),
        (Some(Span::B128Base32), Generation::Tcgen05, Major::K) => {
            Err(refusal("SWIZZLE_128B_BASE32B is invalid for Major-K"))
        }
        (Some(span), ..) => Ok(span),
    }
}

fn mn_offsets(
    generation: Generation,
    texts: &Texts,
    span: Span,
    tile: &SharedLayout,
    units: &Layout,
) -> Result<[i64; 2], Refusal> {
    let depth = known(&units.mode(1)?.size()?)?;
    let dense = 256 / tile.element_bits;
    if generation == Generation::Wgmma && ![dense, dense / 2, dense * 2].contains(&depth) {
        return Err(Refusal::asserted(Rule::NotCanonical, MN_DEPTH)
            .with("k", depth)
            .legal(dense.to_string()));
    }
    let rows_of_atom = if span == Span::B128Base32 { 4 } else { 8 };
    let canonical = divide(units, span.units(), rows_of_atom)?;
    let [[s00, s01], [s10, s11]] = strides(&canonical, texts.mn_profile, tile, Major::Mn)?;
    let is_interleaved = span == Span::B16;
    if !is_interleaved {
        expect_stride(texts.mn_stride, "stride_mn", s00, 1, tile, Major::Mn)?;
    }
    expect_stride(
        texts.mn_stride,
        "stride_k",
        s10,
        span.units(),
        tile,
        Major::Mn,
    )?;
    Ok(if is_interleaved {
        [s11, s01]
    } else {
        [s01, s11]
    })
}

fn k_offsets(
    generation: Generation,
    texts: &Texts,
    span: Span,
    tile: &SharedLayout,
    units: &Layout,
) -> Result<[i64; 2], Refusal> {
    let rows = known(&units.mode(0)?.size()?)?;
    if rows % 8 != 0 {
        return Err(Refusal::asserted(Rule::NotCanonical, texts.k_rows)
            .with("mn", rows)
            .legal((rows / 8 * 8).max(8).to_string())
            .legal((rows / 8 * 8 + 8).to_string()));
    }
    let depth = known(&units.mode(1)?.size()?)?;
    if generation == Generation::Wgmma && depth != 2 && depth != 4 {
        let elements = 128 / tile.element_bits;
        return Err(Refusal::asserted(Rule::NotCanonical, K_DEPTH)
            .with("k", depth * elements)
            .with("units_of_16_bytes", depth)
            .legal((2 * elements).to_string()));
    }
    let canonical = divide(units, 8, 2)?;
    let [[s00, s01], [s10, _]] = strides(&canonical, texts.k_profile, tile, Major::K)?;
    expect_stride(
        texts.k_stride,
        "stride_mn",
        s00,
        span.units(),
        tile,
        Major::K,
    )?;
    if span != Span::B16 {
        expect_stride(texts.k_stride, "stride_k", s10, 1, tile, Major::K)?;
    }
    Ok([s10, s01])
}

/// `logical_divide(units, <first:1, second:1>)`.
fn divide(units: &Layout, first: i64, second: i64) -> Result<Layout, Refusal> {
    let mode = |extent: i64| {
        Tiler::Layout(Layout::single(
            Int::fixed(extent),
            Delta::fixed(i64::from(extent != 1)),
        ))
    };
    Ok(logical_divide(
        units,
        &Tiler::Modes(vec![mode(first), mode(second)]),
    )?)
}

/// The four strides of a layout of profile `((_,_),(_,_))`.
fn strides(
    layout: &Layout,
    text: &'static str,
    tile: &SharedLayout,
    major: Major,
) -> Result<[[i64; 2]; 2], Refusal> {
    let pair =
        |mode: Result<LayoutView<'_>, cute_algebra::Refusal>| -> Result<Option<[i64; 2]>, Refusal> {
            let mode = mode?;
            if mode.rank() != 2 || !mode.modes().all(LayoutView::is_leaf) || mode.is_leaf() {
                return Ok(None);
            }
            let steps = mode.steps();
            Ok(Some([known_step(&steps[0])?, known_step(&steps[1])?]))
        };
    match (pair(layout.view().mode(0))?, pair(layout.view().mode(1))?) {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => Err(suggest(
            Refusal::asserted(Rule::NotCanonical, text).with("divided", layout.to_string()),
            tile,
            major,
        )),
    }
}

fn expect_stride(
    text: &'static str,
    name: &'static str,
    found: i64,
    expected: i64,
    tile: &SharedLayout,
    major: Major,
) -> Result<(), Refusal> {
    if found == expected {
        return Ok(());
    }
    let refusal = Refusal::asserted(Rule::NotCanonical, text)
        .with(name, found)
        .with("expected_units_of_16_bytes", expected);
    Err(suggest(refusal, tile, major))
}

/// Names the atoms whose tiles of this shape are canonical, widest swizzle first.
fn suggest(refusal: Refusal, tile: &SharedLayout, major: Major) -> Refusal {
    let extent = |mode: usize| {
        tile.layout
            .mode(mode)
            .and_then(|mode| mode.size())
            .ok()
            .and_then(|size| size.value())
    };
    let (Some(rows), Some(depth)) = (extent(0), extent(1)) else {
        return refusal;
    };
    let element = crate::element::Element::unsigned_of_bits(tile.element_bits)
        .map_or("T", |element| element.cutlass_name());
    Span::WIDEST_FIRST
        .into_iter()
        .map(|span| SmemAtom::dense(major, span, tile.element_bits))
        .filter(|atom| rows % atom.extents()[0] == 0 && depth % atom.extents()[1] == 0)
        .fold(refusal, |refusal, atom| {
            refusal.legal(atom.cutlass_name(element))
        })
}

fn known(value: &Int) -> Result<i64, Refusal> {
    value.value().ok_or_else(|| not_provable(value.to_string()))
}

fn known_step(step: &Delta) -> Result<i64, Refusal> {
    step.as_int()
        .and_then(Int::value)
        .ok_or_else(|| not_provable(step.to_string()))
}

fn not_provable(value: String) -> Refusal {
    Refusal::new(
        Rule::Algebra(cute_algebra::Rule::NotProvable),
        Verdict::CompileError("not a constant expression"),
    )
    .with("value", value)
}

/// The tile that a descriptor describes, the inverse of [`describe`]: (M or N, K) coordinates to elements, for `rows` of M
/// or N and `depth` of K.
///
/// Errors: [`Rule::NotCanonical`] when the extents are not whole numbers of the units that the descriptor counts in.
pub fn described_tile(
    descriptor: &MatrixDescriptor,
    major: Major,
    element_bits: i64,
    rows: i64,
    depth: i64,
) -> Result<SharedLayout, Refusal> {
    let t = 128 / element_bits;
    let w = descriptor.span.units();
    let (lbo, sbo) = (descriptor.leading_offset * t, descriptor.stride_offset * t);
    let rows_of_atom = if descriptor.span == Span::B128Base32 {
        4
    } else {
        8
    };
    let modes: [&[(i64, i64)]; 2] = match (major, descriptor.span) {
        (Major::K, Span::B16) => [&[(8, t), (rows / 8, sbo)], &[(t, 1), (depth / t, lbo)]],
        (Major::K, _) => [&[(8, w * t), (rows / 8, sbo)], &[(t, 1), (depth / t, t)]],
        (Major::Mn, Span::B16) => [&[(t, 1), (rows / t, sbo)], &[(8, t), (depth / 8, lbo)]],
        (Major::Mn, _) => [
            &[(t, 1), (w, t), (rows / (t * w), lbo)],
            &[(rows_of_atom, w * t), (depth / rows_of_atom, sbo)],
        ],
    };
    let covered: Vec<i64> = modes
        .iter()
        .map(|mode| mode.iter().map(|step| step.0).product())
        .collect();
    if covered != [rows, depth] {
        return Err(Refusal::new(Rule::NotCanonical, Verdict::Accepts)
            .with("mn", rows)
            .with("k", depth)
            .with("covered", format!("{covered:?}")));
    }
    let shape = modes.map(|mode| Tuple::flat(mode.iter().map(|step| Int::fixed(step.0))));
    let stride = modes.map(|mode| Tuple::flat(mode.iter().map(|step| Delta::fixed(step.1))));
    let [shape_mn, shape_k] = shape;
    let [stride_mn, stride_k] = stride;
    let layout = Layout::new(
        Tuple::group([shape_mn?, shape_k?])?,
        Tuple::group([stride_mn?, stride_k?])?,
    )?;
    Ok(SharedLayout::new(
        descriptor.span.swizzle()?,
        element_bits,
        layout,
    ))
}

/// The layout that a descriptor names for an operand of a major mode, in units of 16 bytes: (M or N, K) to offsets, `m` and
/// `k` being as many as the instruction reads.
///
/// ```
/// use cute_hardware::Major;
/// use cute_hardware::descriptor::{Generation, MatrixDescriptor, canonical::form};
/// let descriptor = MatrixDescriptor::decode(Generation::Tcgen05, 0x4000_4008_0080_0000 & !(7 << 61))?;
/// assert_eq!(form(&descriptor, Major::K)?, "((8,m),(1,2)):((1,8),(1,128))");
/// let descriptor = MatrixDescriptor::decode(Generation::Wgmma, 0x4000_0040_0001_0000)?;
/// assert_eq!(form(&descriptor, Major::K)?, "Sw<3,0,3> o 0 o ((8,m),(1,2)):((8,64),(1,1))");
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: none for the spans that there are.
pub fn form(descriptor: &MatrixDescriptor, major: Major) -> Result<String, Refusal> {
    let (lbo, sbo) = (descriptor.leading_offset, descriptor.stride_offset);
    let units = descriptor.span.units();
    let layout = match (major, descriptor.span) {
        (Major::K, Span::B16) => format!("((8,m),(1,2)):((1,{sbo}),(1,{lbo}))"),
        (Major::K, _) => format!("((8,m),(1,2)):(({units},{sbo}),(1,1))"),
        (Major::Mn, Span::B16) => format!("((1,m),(8,k)):((1,{sbo}),(1,{lbo}))"),
        (Major::Mn, Span::B128Base32) => {
            format!("(({units},m),(4,k)):((1,{lbo}),({units},{sbo}))")
        }
        (Major::Mn, _) => format!("(({units},m),(8,k)):((1,{lbo}),({units},{sbo}))"),
    };
    if descriptor.span == Span::B16 {
        return Ok(layout);
    }
    let bytes = descriptor.span.swizzle()?;
    let base = bytes.base() - i64::from(UNIT.ilog2());
    let (bits, shift) = (bytes.bits(), bytes.shift());
    Ok(format!("Sw<{bits},{base},{shift}> o 0 o {layout}"))
}

/// Bytes of the units of a descriptor.
const UNIT: u32 = 16;

/// The first place at which the hardware reads another element than the layout says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The colexicographic coordinate of the tile.
    pub coordinate: i64,
    /// The element that the layout names, before the swizzle.
    pub expected: i64,
    /// The element that the descriptor names.
    pub got: i64,
}

/// Number of compared coordinates of a tile; the largest operand of one instruction has 256 x 256 elements.
pub const COMPARED_COORDINATES: i64 = 1 << 16;

/// Compares a descriptor with the tile that it was made from. CuTe checks strides in units of 16 bytes only, so it
/// accepts some layouts whose elements are elsewhere: a column-major tile for a K-major operand of `tcgen05.mma`.
///
/// Errors: as [`described_tile`], and when a size is not known.
pub fn first_departure(
    descriptor: &MatrixDescriptor,
    major: Major,
    tile: &SharedLayout,
) -> Result<Option<Departure>, Refusal> {
    let rows = known(&tile.layout.mode(0)?.size()?)?;
    let depth = known(&tile.layout.mode(1)?.size()?)?;
    let read = described_tile(descriptor, major, tile.element_bits, rows, depth)?;
    for coordinate in 0..(rows * depth).min(COMPARED_COORDINATES) {
        let expected = tile.layout.eval_number(coordinate)?;
        let got = read.layout.eval_number(coordinate)?;
        if expected != got {
            return Ok(Some(Departure {
                coordinate,
                expected,
                got,
            }));
        }
    }
    Ok(None)
}
