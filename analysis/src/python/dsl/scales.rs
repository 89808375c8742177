//! Scale factors of block-scaled products in tensor memory.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use cute_algebra::{Delta, Int, Layout, Tuple};

use super::super::machine::{Machine, Run};
use super::super::native::{Given, Native};
use super::super::value::Py;
use super::words::leaf;
use crate::value::Value;

/// How far two lanes of tensor memory are apart, in bytes.
const LANE: i64 = 1 << 18;
/// The factors of one block in shared memory: 128 rows of four.
const BLOCK: i64 = 512;

/// The layout in tensor memory of factors that lie in blocks in shared memory, as `make_smem_layout_sfa` makes them: one
/// block takes 16 columns of bytes of 32 lanes, and the lanes are there four times. `None` for another layout.
fn in_tensor_memory(shared: &Layout) -> Option<Layout> {
    let tile = shared.mode(0).ok()?;
    let (rows, factors) = (tile.mode(0).ok()?, tile.mode(1).ok()?);
    let of_block = rows.mode(0).ok()?.to_string() == "(_32,_4):(_16,_4)";
    let blocks = rows.mode(1).ok()?.size().ok()?.as_static()?;
    let instructions = shared.mode(1).ok()?;
    if !of_block || shared.rank() != 3 || !instructions.size().ok()?.is_constant(1) {
        return None;
    }
    let depth = shared.mode(2).ok()?;
    let strides = depth.stride().try_map(|step| {
        let step = step.as_int().and_then(Int::as_static).ok_or(())?;
        match step {
            0..4 => Ok(Delta::Int(Int::fixed(step))),
            step if step % BLOCK == 0 => {
                let columns = (step / BLOCK).checked_mul(16 * blocks).ok_or(())?;
                Ok(Delta::Int(Int::fixed(columns)))
            }
            _ => Err(()),
        }
    });
    let depth = Layout::new(depth.shape(), strides.ok()?).ok()?;
    let lanes = format!(
        "((_32,_{}),_4):((_{LANE},_4),_{})",
        blocks.checked_mul(4)?,
        32 * LANE
    );
    let lanes: Layout = lanes.parse().ok()?;
    let shape = [
        Tuple::group([lanes.shape(), factors.shape()]).ok()?,
        instructions.shape(),
        depth.shape(),
    ];
    let stride = [
        Tuple::group([lanes.stride(), factors.stride()]).ok()?,
        instructions.stride().map(|_| Delta::ZERO),
        depth.stride(),
    ];
    Layout::new(Tuple::group(shape).ok()?, Tuple::group(stride).ok()?).ok()
}

fn layout_of_scales(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    Ok(match leaf(machine, given.arg(0)) {
        Value::Layout(shared) => match in_tensor_memory(&shared) {
            Some(layout) => Py::Leaf(layout.into()),
            None => given.takes("blocks of scale factors"),
        },
        _ => given.takes("a layout of shared memory"),
    })
}

const fn of(name: &'static str) -> Native {
    Native {
        name,
        params: "smem_layout *rest",
        run: layout_of_scales,
    }
}

pub(super) static NATIVES: &[Native] = &[
    of("_cute.layout_of_scales"),
    of("cutlass._mlir.dialects.cute_nvgpu.make_tmem_layout_sfa"),
    of("cutlass._mlir.dialects.cute_nvgpu.make_tmem_layout_sfb"),
    Native {
        name: "cutlass._mlir.dialects.cute.static",
        params: "value **named",
        run: |_, given| Ok(given.arg(0).clone()),
    },
];
