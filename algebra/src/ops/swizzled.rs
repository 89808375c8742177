//! Compositions with swizzles, and the operations that CuTe specialises for them.
//!
//! A swizzle is not linear, so `Sw o L` stays a composed layout; most operations act on `L` and leave the swizzle in
//! front. A swizzle *behind* a layout is moved to the front when its two groups of bits map to two groups of bits:
//! `L o Sw = Sw' o L`.

use crate::composed::{AnyLayout, ComposedLayout, Outer};
use crate::coord::crd2idx;
use crate::int::Int;
use crate::layout::Layout;
use crate::ops::common;
use crate::ops::composition::{composition, composition_by};
use crate::ops::inverse;
use crate::ops::product::logical_product;
use crate::ops::recast;
use crate::refusal::{Refusal, Rule};
use crate::swizzle::Swizzle;
use crate::tiler::Tiler;
use crate::tuple::{IntTuple, Tuple};

/// `swizzle o offset o layout`; the identity swizzle without an offset disappears.
pub fn compose_swizzle(swizzle: Swizzle, offset: IntTuple, layout: Layout) -> AnyLayout {
    let no_offset = offset.as_leaf().is_some_and(|o| o.is_constant(0));
    if swizzle.is_identity() && no_offset {
        return AnyLayout::Affine(layout);
    }
    AnyLayout::Composed(ComposedLayout {
        outer: Outer::Swizzle(swizzle),
        offset,
        inner: layout,
    })
}

/// Two swizzles of the same shift as one.
pub fn compose_swizzles(first: Swizzle, second: Swizzle) -> Result<Swizzle, Refusal> {
    if first.shift() != second.shift() {
        return Err(Refusal::asserted(
            Rule::SwizzleIllegal,
            "Can only merge swizzles of the same shift.",
        )
        .with("left_shift", first.shift())
        .with("right_shift", second.shift()));
    }
    Swizzle::from_masks(
        first.source_mask() ^ second.source_mask(),
        first.target_mask() ^ second.target_mask(),
    )
}

/// `layout o swizzle`, as the swizzle of the images of its bits before the layout.
pub fn compose_layout_with_swizzle(
    layout: &Layout,
    swizzle: Swizzle,
) -> Result<AnyLayout, Refusal> {
    let source = static_offset(layout, &Int::fixed(swizzle.source_mask()))?;
    let target = static_offset(layout, &Int::fixed(swizzle.target_mask()))?;
    let moved = Swizzle::from_masks(source, target)?;
    Ok(compose_swizzle(
        moved,
        Tuple::leaf(Int::ZERO),
        layout.clone(),
    ))
}

/// The static offset of a static coordinate: a template argument in CuTe.
fn static_offset(layout: &Layout, coordinate: &Int) -> Result<i64, Refusal> {
    let offset = layout.eval_coord(&Tuple::leaf(coordinate.clone()))?;
    offset.as_leaf().and_then(Int::as_static).ok_or_else(|| {
        Refusal::uncompilable(
            Rule::NeedsStaticStrides,
            "the value is not usable in a constant expression",
        )
        .with("offset", offset.to_string())
    })
}

/// `a o b` where either may be composed.
pub fn compose_any(a: &AnyLayout, b: &AnyLayout) -> Result<AnyLayout, Refusal> {
    match (a, b) {
        (_, AnyLayout::Affine(b)) => a.map_domain(|inner| composition(inner, b)),
        (AnyLayout::Affine(a), AnyLayout::Composed(b)) => {
            if !b.offset.as_leaf().is_some_and(|o| o.is_constant(0)) {
                return Err(Refusal::asserted(Rule::Unsupported, "Require offset == 0.")
                    .with("offset", b.offset.to_string()));
            }
            let outer = match &b.outer {
                Outer::Swizzle(swizzle) => compose_layout_with_swizzle(a, *swizzle)?,
                Outer::Layout(outer) => AnyLayout::Affine(composition(a, outer)?),
            };
            outer.map_domain(|inner| composition(inner, &b.inner))
        }
        (AnyLayout::Composed(_), AnyLayout::Composed(_)) => Err(Refusal::uncompilable(
            Rule::Unsupported,
            "two composed layouts do not compose",
        )
        .with("left", a.to_string())
        .with("right", b.to_string())),
    }
}

/// `a o tiler`, acting on the inner layout of a composed one.
pub fn compose_any_by(a: &AnyLayout, tiler: &Tiler) -> Result<AnyLayout, Refusal> {
    a.map_domain(|inner| composition_by(inner, tiler))
}

/// The right inverse, with the swizzle moved to the front where that is possible.
pub fn right_inverse_any(layout: &AnyLayout) -> Result<AnyLayout, Refusal> {
    invert(layout, inverse::right_inverse)
}

/// The left inverse, with the swizzle moved to the front where that is possible.
pub fn left_inverse_any(layout: &AnyLayout) -> Result<AnyLayout, Refusal> {
    invert(layout, inverse::left_inverse)
}

fn invert(
    layout: &AnyLayout,
    of_layout: fn(&Layout) -> Result<Layout, Refusal>,
) -> Result<AnyLayout, Refusal> {
    let composed = match layout {
        AnyLayout::Affine(layout) => return of_layout(layout).map(AnyLayout::Affine),
        AnyLayout::Composed(composed) => composed,
    };
    let inner = of_layout(&composed.inner)?;
    let no_offset = composed.offset.as_leaf().is_some_and(|o| o.is_constant(0));
    match &composed.outer {
        Outer::Swizzle(swizzle) if no_offset => compose_layout_with_swizzle(&inner, *swizzle),
        // (A o k o B)^-1 = B^-1 o -k o A^-1, which has a layout inside only if A is one.
        Outer::Layout(outer) => {
            let offset = composed.offset.try_map(Int::neg)?;
            Ok(AnyLayout::Composed(ComposedLayout {
                outer: Outer::Layout(inner),
                offset,
                inner: of_layout(outer)?,
            }))
        }
        Outer::Swizzle(_) => Err(
            Refusal::new(Rule::Unsupported, crate::verdict::Verdict::Accepts)
                .with("offset", composed.offset.to_string()),
        ),
    }
}

/// Elements `n` times as large: the swizzle's base shrinks with the layout.
pub fn upcast_any(layout: &AnyLayout, n: i64) -> Result<AnyLayout, Refusal> {
    cast(
        layout,
        &|l| recast::upcast(l, n),
        &|s| upcast_swizzle(s, n),
        &|o| o.div_exact(&Int::fixed(n)),
    )
}

/// Elements `n` times as small: the swizzle's base grows with the layout.
pub fn downcast_any(layout: &AnyLayout, n: i64) -> Result<AnyLayout, Refusal> {
    cast(
        layout,
        &|l| recast::downcast(l, n),
        &|s| downcast_swizzle(s, n),
        &|o| o.mul(&Int::fixed(n)),
    )
}

type Cast<'a, T> = &'a dyn Fn(&T) -> Result<T, Refusal>;

fn cast(
    layout: &AnyLayout,
    of_layout: Cast<'_, Layout>,
    of_swizzle: Cast<'_, Swizzle>,
    of_offset: Cast<'_, Int>,
) -> Result<AnyLayout, Refusal> {
    match layout {
        AnyLayout::Affine(layout) => of_layout(layout).map(AnyLayout::Affine),
        AnyLayout::Composed(composed) => {
            let inner = of_layout(&composed.inner)?;
            let offset = composed.offset.try_map(of_offset)?;
            // CuTe casts the offset to unsigned, so that even an identity swizzle is kept.
            let outer = match &composed.outer {
                Outer::Swizzle(swizzle) => Outer::Swizzle(of_swizzle(swizzle)?),
                Outer::Layout(outer) => Outer::Layout(of_layout(outer)?),
            };
            Ok(AnyLayout::Composed(ComposedLayout {
                outer,
                offset,
                inner,
            }))
        }
    }
}

/// `log2(n)`, when it is a power of two.
fn log2(n: i64) -> Result<i64, Refusal> {
    if n > 0 && n.count_ones() == 1 {
        return Ok(i64::from(n.trailing_zeros()));
    }
    Err(Refusal::asserted(Rule::NotDivisible, "N must be a power of two").with("factor", n))
}

/// The swizzle of elements `n` times as large; bits below the new base are lost.
pub fn upcast_swizzle(swizzle: &Swizzle, n: i64) -> Result<Swizzle, Refusal> {
    let base = swizzle.base() - log2(n)?;
    if base >= 0 {
        Swizzle::new(swizzle.bits(), base, swizzle.shift())
    } else {
        Swizzle::new((swizzle.bits() + base).max(0), 0, swizzle.shift())
    }
}

/// The swizzle of elements `n` times as small.
pub fn downcast_swizzle(swizzle: &Swizzle, n: i64) -> Result<Swizzle, Refusal> {
    Swizzle::new(swizzle.bits(), swizzle.base() + log2(n)?, swizzle.shift())
}

/// Elements of `new_bits` where elements of `old_bits` were.
pub fn recast_any(layout: &AnyLayout, old_bits: i64, new_bits: i64) -> Result<AnyLayout, Refusal> {
    match recast::ratio(old_bits, new_bits)? {
        (1, 1) => Ok(layout.clone()),
        (1, down) => downcast_any(layout, down),
        (up, 1) => upcast_any(layout, up),
        (up, down) => downcast_any(&upcast_any(layout, up)?, down),
    }
}

/// Number of elements contiguous in both: a swizzle keeps at most `2^M` of them together.
pub fn max_common_vector_any(a: &AnyLayout, b: &AnyLayout) -> Result<Int, Refusal> {
    let common = common::max_common_vector(a.domain(), b.domain())?;
    match (swizzle_of(a)?, swizzle_of(b)?) {
        (None, None) => Ok(common),
        (Some(s), None) | (None, Some(s)) => common.min(&Int::fixed(1 << s.base())),
        (Some(s), Some(t)) if s == t => Ok(common),
        (Some(s), Some(t)) => {
            common.min(&Int::fixed(1 << s.base()).min(&Int::fixed(1 << t.base()))?)
        }
    }
}

/// The coordinates of the elements that are contiguous in both.
pub fn max_common_layout_any(a: &AnyLayout, b: &AnyLayout) -> Result<Layout, Refusal> {
    let (a, b, swizzle) = match (swizzle_of(a)?, swizzle_of(b)?) {
        (None, None) => return common::max_common_layout(a.domain(), b.domain()),
        (Some(s), None) => (a, b, s),
        (None, Some(s)) => (b, a, s),
        (Some(_), Some(_)) => {
            return Err(
                Refusal::uncompilable(Rule::Unsupported, "no match for max_common_layout")
                    .with("left", a.to_string())
                    .with("right", b.to_string()),
            );
        }
    };
    let common = common::max_common_layout(a.domain(), b.domain())?;
    let base = Int::fixed(1 << swizzle.base());
    if base.less(&common.size()?) == Some(true) {
        return composition_by(&common, &Tiler::Int(base));
    }
    Ok(common)
}

fn swizzle_of(layout: &AnyLayout) -> Result<Option<Swizzle>, Refusal> {
    match layout {
        AnyLayout::Affine(_) => Ok(None),
        AnyLayout::Composed(composed) => composed.swizzle().map(Some).ok_or_else(|| {
            Refusal::uncompilable(Rule::Unsupported, "no match for max_common_vector")
                .with("layout", composed.to_string())
        }),
    }
}

/// The shape and strides that show only the bits that a swizzle exchanges, or all the others.
pub(crate) struct Projections {
    /// Keeps the exchanged bits.
    pub(crate) only_exchanged: Layout,
    /// Keeps the bits that the swizzle does not touch.
    pub(crate) untouched: Layout,
}

impl Projections {
    pub(crate) fn new(swizzle: Swizzle) -> Result<Self, Refusal> {
        let power = |e: i64| Int::fixed(1 << e);
        let (bits, base, distance) = (swizzle.bits(), swizzle.base(), swizzle.shift().abs());
        let shape = Tuple::flat([
            power(base),
            power(bits),
            power(distance - bits),
            power(bits),
            Int::ONE,
        ])?;
        let compact = Layout::left(shape.clone())?;
        let stride = |keep: [bool; 4], last: Int| {
            let steps = compact.view().steps().iter().zip(keep).map(|(step, keep)| {
                if keep {
                    step.clone()
                } else {
                    crate::stride::Delta::ZERO
                }
            });
            Tuple::flat(steps.chain([crate::stride::Delta::Int(last)]))
        };
        let only = stride([false, true, false, true], Int::ZERO)?;
        let untouched = stride([true, false, true, false], compact.size()?)?;
        Ok(Projections {
            only_exchanged: Layout::new(shape.clone(), only)?,
            untouched: Layout::new(shape, untouched)?,
        })
    }
}

/// The product of a layout with a swizzled tiler: the swizzle moves to where the copies are.
pub fn logical_product_with_swizzled(
    block: &Layout,
    tiler: &ComposedLayout,
) -> Result<AnyLayout, Refusal> {
    let (Some(swizzle), true) = (
        tiler.swizzle(),
        tiler.offset.as_leaf().is_some_and(|o| o.is_constant(0)),
    ) else {
        return Err(
            Refusal::asserted(Rule::Unsupported, "Require Swizzle offset == 0.")
                .with("tiler", tiler.to_string()),
        );
    };
    let product = logical_product(block, &Tiler::Layout(tiler.inner.clone()))?;
    let exchanged = composition(&Projections::new(swizzle)?.only_exchanged, &tiler.inner)?;
    let last = exchanged.size()?.sub(&Int::ONE)?;
    let active = static_offset(&exchanged, &last)?;
    let moved = |mask: i64| -> Result<i64, Refusal> {
        let at = static_offset(&tiler.inner, &Int::fixed(active & mask))?;
        let coordinate = Tuple::flat([Int::ZERO, Int::fixed(at)])?;
        let offset = crd2idx(
            coordinate.view(),
            product.shape_view(),
            product.stride_view(),
        )?;
        offset.as_leaf().and_then(Int::as_static).ok_or_else(|| {
            Refusal::uncompilable(
                Rule::NeedsStaticStrides,
                "the value is not usable in a constant expression",
            )
            .with("offset", offset.to_string())
        })
    };
    let swizzle =
        Swizzle::from_masks(moved(swizzle.source_mask())?, moved(swizzle.target_mask())?)?;
    Ok(compose_swizzle(swizzle, Tuple::leaf(Int::ZERO), product))
}
