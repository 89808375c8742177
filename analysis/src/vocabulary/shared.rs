//! Layouts of shared memory with a swizzle of addresses: atoms, tilings, tensors of them.

use std::sync::Arc;

use cute_algebra::{ComposedLayout, Int, IntType, Layout, Outer, Swizzle};
use cute_hardware::{Argument, SharedLayout, SmemAtom, TemplateId, smem_atom};

use super::tiled::hardware;
use super::{Call, Evaluated, Function, Header, Makes, Problem, entry, python_words};
use crate::questions;
use crate::questions::answers;
use crate::tensor::Tensor;
use crate::types::Type;
use crate::value::Value;

/// `GMMA::Layout_K_SW128_Atom<half_t>` and its kin.
pub(super) fn atom(name: &str) -> Evaluated {
    match SmemAtom::named(name).and_then(|atom| atom.layout()) {
        Ok(layout) => Ok(Value::Shared(Arc::new(layout))),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

/// The tag of elements of a width in bits, in shared memory whose address is not known yet (`cute/pointer_flagged.hpp`).
pub(super) const FLAG: &str = "smem_ptr_flag_bits";
/// The same of sparse elements.
pub(super) const SPARSE_FLAG: &str = "smem_sparse_ptr_flag_bits";

/// `ComposedLayout<Swizzle, smem_ptr_flag_bits<B>, Layout>`; nothing with another tag.
pub(super) fn flagged(swizzle: Swizzle, flag: &str, layout: &Layout) -> Option<Value> {
    let flag = TemplateId::parse(flag).ok()?;
    let numbers: Option<Vec<i64>> = flag.args().iter().map(Argument::value).collect();
    let (sparsity, bits) = match (flag.base(), numbers?.as_slice()) {
        (FLAG, [bits]) => (1, *bits),
        (SPARSE_FLAG, [sparsity, bits]) => (*sparsity, *bits),
        _ => return None,
    };
    Some(Value::Shared(Arc::new(SharedLayout {
        sparsity,
        ..SharedLayout::new(swizzle, bits, layout.clone())
    })))
}

/// The tag of a layout of shared memory.
pub(super) fn flag_of(shared: &SharedLayout) -> Value {
    let bits = shared.element_bits;
    let flag = match shared.sparsity {
        1 => format!("{FLAG}<{bits}>"),
        sparsity => format!("{SPARSE_FLAG}<{sparsity}, {bits}>"),
    };
    Value::Instance(Box::new(Type::Named(flag.into())))
}

/// `as_position_independent_swizzle_tensor(tensor)`: the swizzle of addresses as one of offsets.
fn position_independent_tensor(call: &Call<'_>) -> Evaluated {
    let Value::Tensor(tensor) = call.arg(0)? else {
        return Err(call.takes("a tensor in shared memory"));
    };
    let Some(swizzle) = tensor.engine.swizzle else {
        return Ok(call.arg(0)?.clone());
    };
    let (Some(layout), Some(bits)) = (tensor.layout.as_affine(), tensor.engine.bits()) else {
        return Err(call.not_evaluated());
    };
    let shared = SharedLayout::new(swizzle, i64::from(bits), layout.clone());
    let layout = shared
        .position_independent()
        .map_err(|refusal| hardware(&refusal))?;
    let mut engine = tensor.engine.clone();
    engine.swizzle = None;
    Ok(Value::Tensor(Box::new(Tensor { engine, layout })))
}

fn position_independent_layout(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        Value::Shared(shared) => match shared.position_independent() {
            Ok(layout) => Ok(Value::of_layout(layout)),
            Err(refusal) => Err(hardware(&refusal)),
        },
        value @ (Value::Layout(_) | Value::Composed(_)) => Ok(value.clone()),
        _ => Err(call.takes("a layout of shared memory")),
    }
}

/// `UMMA::tile_to_mma_shape(atom, shape, order)`.
fn tile_to_mma_shape(call: &Call<'_>) -> Evaluated {
    let plain;
    let atom = match call.arg(0)? {
        Value::Shared(atom) => atom,
        // A layout without a swizzle is tiled in the same way.
        Value::Layout(layout) => {
            plain = SharedLayout::plain(8, Layout::clone(layout)).map_err(|it| hardware(&it))?;
            &plain
        }
        _ => return Err(call.takes("an atom of shared memory, or a layout")),
    };
    let order = match call.args.get(2) {
        Some(_) => Some(call.shape(2)?),
        None => None,
    };
    match smem_atom::tile_to_mma_shape(atom, &call.shape(1)?, order.as_ref()) {
        Ok(tiled) => Ok(match call.arg(0)? {
            Value::Shared(_) => Value::Shared(Arc::new(tiled)),
            _ => tiled.layout.into(),
        }),
        Err(refusal) => Err(hardware(&refusal)),
    }
}

/// `get_nonswizzle_portion(layout)`: the layout behind the swizzle.
fn nonswizzle_portion(call: &Call<'_>) -> Evaluated {
    match call.arg(0)? {
        Value::Shared(shared) => Ok(shared.layout.clone().into()),
        Value::Composed(composed) => match composed.swizzle() {
            Some(_) => Ok(composed.inner.clone().into()),
            None => Ok(call.arg(0)?.clone()),
        },
        Value::Tensor(tensor) => Ok(tensor.layout.domain().clone().into()),
        value @ Value::Layout(_) => Ok(value.clone()),
        _ => Err(call.takes("a layout")),
    }
}

/// `get_swizzle_portion(layout)`: the swizzle, of no bits where there is none.
fn swizzle_portion(call: &Call<'_>) -> Evaluated {
    portion(call).map(Value::Swizzle)
}

fn portion(call: &Call<'_>) -> Result<Swizzle, Problem> {
    let none = || Swizzle::new(0, 4, 3);
    Ok(match call.arg(0)? {
        Value::Shared(shared) => shared.swizzle,
        Value::Composed(composed) => match composed.swizzle() {
            Some(swizzle) => swizzle,
            None => none()?,
        },
        Value::Layout(_) => none()?,
        _ => return Err(call.takes("a layout")),
    })
}

/// `alignment_for_swizzle(layout)` and `alignment_for_swizzle(swizzle)`: `2^(B + M + |S|)` bytes
/// (`cutlass/detail/layout.hpp`).
fn alignment_for_swizzle(call: &Call<'_>) -> Evaluated {
    let swizzle = match call.arg(0)? {
        Value::Swizzle(swizzle) => *swizzle,
        _ => portion(call)?,
    };
    let bits = swizzle.bits() + swizzle.base() + swizzle.shift().abs();
    let bytes = u32::try_from(bits).ok();
    let bytes = bytes.and_then(|bits| 1_i64.checked_shl(bits));
    let bytes = bytes.filter(|bytes| *bytes > 0);
    bytes
        .map(|bytes| Value::Int(Int::dynamic(bytes).typed(IntType::UnsignedLong)))
        .ok_or_else(|| call.not_evaluated())
}

/// `make_composed_layout(outer, offset, inner)`.
fn make_composed_layout(call: &Call<'_>) -> Evaluated {
    let outer = match call.arg(0)? {
        Value::Swizzle(swizzle) => Outer::Swizzle(*swizzle),
        Value::Layout(layout) => Outer::Layout(Layout::clone(layout)),
        _ => return Err(call.takes("a swizzle or a layout")),
    };
    Ok(ComposedLayout {
        outer,
        offset: call.shape(1)?,
        inner: call.layout(2)?,
    }
    .into())
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "as_position_independent_swizzle_tensor",
        "Tensor as_position_independent_swizzle_tensor(tensor)",
        "the swizzle of addresses as a swizzle of offsets",
        position_independent_tensor,
    )
    .takes(&["tensor"])
    .header(Header::Cute("pointer_flagged.hpp"))
    .makes(Makes::Layout)
    .assembled(),
    entry(
        "as_position_independent_swizzle_layout",
        "Layout as_position_independent_swizzle_layout(layout)",
        "the swizzle of addresses as a swizzle of offsets",
        position_independent_layout,
    )
    .takes(&["layout"])
    .header(Header::Cute("pointer_flagged.hpp"))
    .makes(Makes::Layout)
    .assembled(),
    entry(
        "tile_to_mma_shape",
        "Layout tile_to_mma_shape(atom, shape)",
        "repeats a shared-memory atom over the shape of an MMA operand",
        tile_to_mma_shape,
    )
    .takes(&["atom", "shape"])
    .header(Header::Cute("atom/mma_traits_sm100.hpp"))
    .python(&[python_words::on_objects(
        "cutlass.cute.nvgpu.tcgen05",
        "tile_to_mma_shape",
        "atom mma_tile_shape order=",
    )]),
    entry(
        "get_nonswizzle_portion",
        "Layout get_nonswizzle_portion(layout)",
        "the layout without its swizzle",
        nonswizzle_portion,
    )
    .takes(&["layout"])
    .header(Header::Cute("swizzle_layout.hpp")),
    entry(
        "alignment_for_swizzle",
        "size_t alignment_for_swizzle(layout)",
        "the bytes that the first element of a swizzled layout is aligned to",
        alignment_for_swizzle,
    )
    .takes(&["layout"])
    .header(Header::Cutlass("detail/layout.hpp")),
    entry(
        "get_swizzle_portion",
        "Swizzle get_swizzle_portion(layout)",
        "the swizzle of a layout",
        swizzle_portion,
    )
    .takes(&["layout"])
    .header(Header::Cute("swizzle_layout.hpp")),
    entry(
        "make_composed_layout",
        "ComposedLayout make_composed_layout(outer, offset, inner)",
        "the layout of outer(offset + inner(c))",
        make_composed_layout,
    )
    .takes(&["outer", "offset", "inner"])
    .header(Header::Cute("layout_composed.hpp"))
    .asked(answers(3, 3, questions::algebra::composition)),
];
