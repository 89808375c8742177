//! Tensors in registers like other ones, as the DSL orders them.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use cute_algebra::{AnyLayout, Delta, Layout, Refusal, Tuple, ops};

use super::super::machine::{Machine, Run};
use super::super::native::{Given, Implementation, implementation};
use super::super::value::Py;
use super::words::leaf;
use crate::tensor::{Pointer, Space, Tensor};
use crate::types::Type;
use crate::value::Value;

/// Compact, in the order of strides; those that only the kernel knows are the widest, in the order of modes.
fn in_order(layout: &Layout) -> Result<Layout, Refusal> {
    let strides = layout.stride_view();
    let has_order = strides.leaves().iter().all(|step| step.as_int().is_some());
    if has_order {
        ops::make_layout_like(layout)
    } else {
        Layout::left(layout.shape())
    }
}

/// The layout of a fragment: where all numbers are static, mode 0 is innermost, as in C++; else all modes are in the
/// order of strides.
fn like_a_fragment(layout: &Layout) -> Result<Layout, Refusal> {
    let strides = layout.stride_view();
    let is_static = layout.is_static()
        && strides
            .leaves()
            .iter()
            .all(|step| matches!(step, Delta::Int(_)));
    if !is_static {
        return in_order(layout);
    }
    let like = ops::make_fragment_like(layout)?;
    // A single mode beside the first is a group of one in C++.
    if layout.rank() != 2 || like.shape() == layout.shape() {
        return Ok(like);
    }
    let strides = [like.mode(0)?.stride(), like.mode(1)?.mode(0)?.stride()];
    Layout::new(layout.shape(), Tuple::group(strides)?)
}

fn like(
    machine: &mut Machine<'_>,
    given: &Given,
    order: fn(&Layout) -> Result<Layout, Refusal>,
) -> Py {
    let source = leaf(machine, given.arg(0));
    let (layout, element) = match &source {
        Value::Tensor(tensor) => (
            tensor.layout.domain().clone(),
            tensor.engine.element.as_deref().cloned(),
        ),
        other => match other.as_any_layout() {
            Some(layout) => (layout.domain().clone(), None),
            None => return given.takes("a layout or a tensor"),
        },
    };
    let element = match given.arg(1) {
        Py::Scalar(scalar) => Some(Type::Scalar(*scalar)),
        _ => element,
    };
    let answer = order(&layout).map_err(Into::into).map(|layout| {
        Value::Tensor(Box::new(Tensor {
            engine: Pointer::generic(element).in_space(Space::Registers),
            layout: AnyLayout::Affine(layout),
        }))
    });
    machine.answered(answer, Vec::new(), given.span, &given.places)
}

fn make_fragment_like(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(like(machine, given, like_a_fragment))
}

fn make_rmem_tensor_like(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(like(machine, given, in_order))
}

pub(super) static FUNCTIONS: &[Implementation] = &[
    implementation("cutlass.cute.make_fragment_like", make_fragment_like),
    implementation("cutlass.cute.make_rmem_tensor_like", make_rmem_tensor_like),
];
