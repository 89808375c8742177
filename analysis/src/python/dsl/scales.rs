//! Scale factors of block-scaled products in tensor memory.

#![allow(clippy::unnecessary_wraps)] // The functions of a table have one type.

use cute_algebra::{Delta, Int, Layout, Tuple, ops};

use super::super::machine::{Machine, Run};
use super::super::native::{Given, Native};
use super::super::value::Py;
use super::words::leaf;
use crate::value::Value;

/// The distance of two lanes of tensor memory, in bytes.
const LANE: i64 = 1 << 18;
/// The rows of one block of factors.
const ROWS: i64 = 128;
/// The factors of a row that are side by side, one in each byte of a column.
const SIDE_BY_SIDE: i64 = 4;
/// Bytes of the columns that one block takes.
const COLUMNS: i64 = 16;

/// The layout in tensor memory of factors `((rows, (vector, factors)), 1, products)`: one block of rows takes 16
/// columns of bytes of 32 lanes, and the lanes are there four times. The place of the factors in shared memory makes no
/// difference. `None` for another shape.
fn in_tensor_memory(shared: &Layout) -> Option<Layout> {
    let tile = shared.mode(0).ok()?;
    let (rows, factors) = (tile.mode(0).ok()?, tile.mode(1).ok()?);
    let (instructions, products) = (shared.mode(1).ok()?, shared.mode(2).ok()?);
    let is_one = instructions.size().ok()?.is_constant(1);
    if shared.rank() != 3 || factors.rank() != 2 || !is_one {
        return None;
    }
    let rows = rows.size().ok()?.as_static()?;
    let blocks = (rows > 0 && rows % ROWS == 0).then_some(rows / ROWS)?;
    let each = factors.mode(1).ok()?.size().ok()?.as_static()?;
    let of_product = products.size().ok()?.as_static()?;
    // Four factors of a row, then those of the next columns.
    let groups = each.checked_mul(of_product)? / SIDE_BY_SIDE + 1;
    let columns: Layout = format!(
        "(_{SIDE_BY_SIDE},_{groups}):(_1,_{})",
        COLUMNS.checked_mul(blocks)?
    )
    .parse()
    .ok()?;
    let compact = Layout::left(products.shape()).ok()?;
    let steps = compact.stride().try_map(|step| {
        let step = step.as_int().and_then(Int::as_static).ok_or(())?;
        let step = step.checked_mul(each).ok_or(())?;
        Ok::<_, ()>(Delta::Int(Int::fixed(step)))
    });
    let products = Layout::new(compact.shape(), steps.ok()?).ok()?;
    let depth = ops::composition(&columns, &products).ok()?;
    let lanes: Layout = format!(
        "((_32,_{}),_4):((_{LANE},_4),_{})",
        blocks.checked_mul(4)?,
        32 * LANE
    )
    .parse()
    .ok()?;
    let within = match each {
        1 => "(_0,_0)",
        _ => "(_0,_1)",
    };
    let within: Layout = format!("(_1,_1):{within}").parse().ok()?;
    let shape = [
        Tuple::group([lanes.shape(), factors.shape()]).ok()?,
        instructions.shape(),
        depth.shape(),
    ];
    let stride = [
        Tuple::group([lanes.stride(), within.stride()]).ok()?,
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
