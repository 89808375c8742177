//! The launches of a kernel that was walked, and the size of its blocks.

use std::sync::Arc;

use cute_algebra::Int;

use super::rust::{is_slice, length_of};
use crate::access::trials::{Given, SizedBlock, is_a_block};
use crate::access::{BlockFrom, Walked};
use crate::limits;
use crate::trace::Run;
use crate::value::Value;

/// Threads of a block of unknown size: most kernels in one direction are launched with this number.
const ASSUMED_THREADS: i64 = 256;

/// The sizes of a block of a kernel, each once: those of its launches, or the one from another source.
pub(super) fn blocks_of(run: &Run<'_>, walked: &Walked) -> Vec<Option<([i64; 3], BlockFrom)>> {
    let mut found = vec![block_of(run, walked)];
    if let Some(Some((_, BlockFrom::Launch))) = found.first() {
        for launch in run.launches.iter().skip(1) {
            let block = crate::cost::three(&launch.block).filter(is_a_block);
            let block = block.map(|block| (block, BlockFrom::Launch));
            if block.is_some() && !found.contains(&block) && found.len() < limits::ACCESS_BLOCKS {
                found.push(block);
            }
        }
    }
    found
}

/// The launches of a kernel with blocks of a size, in symbols of the host.
pub(super) fn launches_of(run: &Run<'_>, block: Option<([i64; 3], BlockFrom)>) -> Vec<Given> {
    let Some((block, BlockFrom::Launch)) = block else {
        return Vec::new();
    };
    let launches = run.launches.iter();
    let of_block = launches.filter(|launch| crate::cost::three(&launch.block) == Some(block));
    let given = of_block.filter_map(|launch| {
        let params = run.function.params.iter().zip(&launch.arguments);
        let arguments = params.filter_map(|(param, argument)| {
            let name = param.name.as_ref()?.name.as_str().into();
            Some((name, argument.as_ref()?.as_int()?.clone()))
        });
        let arguments = arguments.chain(lengths(run));
        Some(Given {
            span: launch.span,
            grid: extents(&launch.grid)?,
            bytes: crate::vocabulary::number(&launch.bytes),
            arguments: arguments.collect(),
            held: launch.held.clone(),
        })
    });
    given.collect()
}

/// The extents of a grid or block in each direction.
fn extents(of: &Value) -> Option<Vec<Int>> {
    match of {
        Value::Int(extent) => Some(vec![extent.clone()]),
        Value::Tuple(extents) => extents
            .iter()
            .map(|extent| extent.as_int().cloned())
            .collect(),
        _ => None,
    }
}

/// The blocks of the first launch that depends on sizes.
pub(super) fn sized_blocks(run: &Run<'_>) -> Vec<SizedBlock> {
    let launches = run.launches.iter();
    let mut blocks = launches.filter_map(|launch| {
        let extents = extents(&launch.block)?;
        Some(SizedBlock::of(&extents, &launch.held))
    });
    blocks.find(|blocks| !blocks.is_empty()).unwrap_or_default()
}

/// A launch of a kernel with any arguments.
pub(super) fn any_launch(run: &Run<'_>) -> Given {
    let params = run.function.params.iter();
    let arguments = params.filter_map(|param| {
        let name: Arc<str> = param.name.as_ref()?.name.as_str().into();
        let symbol = Int::symbol(&name);
        Some((name, symbol))
    });
    let arguments = arguments.chain(lengths(run));
    Given {
        span: run.function.name.span,
        grid: Vec::new(),
        bytes: None,
        arguments: arguments.collect(),
        held: Vec::new(),
    }
}

/// The lengths of the slices that a kernel of Rust is given.
fn lengths(run: &Run<'_>) -> impl Iterator<Item = (Arc<str>, Int)> {
    let slices = run.function.params.iter().filter(|param| {
        let ty = param.ty.as_ref();
        ty.is_some_and(is_slice)
    });
    slices.filter_map(|param| {
        let name: Arc<str> = length_of(&param.name.as_ref()?.name).into();
        let symbol = Int::symbol(&name);
        Some((name, symbol))
    })
}

/// The size of a block of a kernel, and who says it.
fn block_of(run: &Run<'_>, walked: &Walked) -> Option<([i64; 3], BlockFrom)> {
    let [x, y, z] = walked.directive;
    if let Some(x) = x {
        let block = [x, y.unwrap_or(1), z.unwrap_or(1)];
        return is_a_block(&block).then_some((block, BlockFrom::Directive));
    }
    if let [launch, ..] = run.launches.as_slice()
        && let Some(block) = crate::cost::three(&launch.block).filter(is_a_block)
    {
        return Some((block, BlockFrom::Launch));
    }
    if let Some(only) = &run.bounds.only
        && let Some(block) = crate::cost::three(only).filter(is_a_block)
    {
        return Some((block, BlockFrom::Contract));
    }
    if walked.axes[1] || walked.axes[2] {
        return None;
    }
    let most = run.bounds.most.first().and_then(crate::vocabulary::number);
    if let Some(block) = most.map(|threads| [threads, 1, 1]).filter(is_a_block) {
        return Some((block, BlockFrom::Bounds));
    }
    Some(([ASSUMED_THREADS, 1, 1], BlockFrom::Assumed))
}
