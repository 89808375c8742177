//! Dividing a layout into tiles.

use cute_algebra::judge::{self, Form};
use cute_algebra::{Int, Layout, Tiler, ops};

use super::call::blamed;
use super::{Answer, Call, Function, entry};

fn divide(call: &Call<'_>, form: Form) -> Answer {
    let tiler = call.tiler(1)?;
    call.on_layout(|layout| {
        let legal = || dividing_tilers(layout.domain(), &tiler);
        call.judged(judge::divide(layout, &tiler, form), 1, &legal)
    })
}

/// Tilers near by that divide the layout, as texts: each extent becomes the nearest divisor of the
/// size of its mode.
fn dividing_tilers(layout: &Layout, tiler: &Tiler) -> Vec<String> {
    let extents: Option<Vec<(i64, i64)>> = match tiler {
        Tiler::Int(extent) => known_pair(layout.size().ok(), extent).map(|pair| vec![pair]),
        Tiler::Modes(modes) => layout
            .view()
            .modes()
            .zip(modes)
            .map(|(mode, tile)| match tile {
                Tiler::Int(extent) => known_pair(mode.size().ok(), extent),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    let Some(extents) = extents else {
        return Vec::new();
    };
    let choices: Vec<Vec<i64>> = extents
        .iter()
        .map(|(size, extent)| divisors_near(*size, *extent))
        .collect();
    let mut tilers: Vec<Vec<i64>> = Vec::new();
    for other in 0..NEIGHBOURS {
        for varied in 0..choices.len() {
            let tiler: Option<Vec<i64>> = choices
                .iter()
                .enumerate()
                .map(|(mode, divisors)| {
                    let rank = if mode == varied { other } else { 0 };
                    divisors.get(rank).copied()
                })
                .collect();
            if let Some(tiler) = tiler
                && !tilers.contains(&tiler)
            {
                tilers.push(tiler);
            }
        }
    }
    tilers
        .iter()
        .take(NEIGHBOURS)
        .map(|tiler| match (tiler.as_slice(), extents.len()) {
            ([only], 1) if matches!(layout.rank(), 1) => only.to_string(),
            (all, _) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                format!("({})", all.join(","))
            }
        })
        .collect()
}

/// How many tilers are proposed.
const NEIGHBOURS: usize = 3;

fn known_pair(size: Option<Int>, extent: &Int) -> Option<(i64, i64)> {
    Some((size?.value()?, extent.value()?))
}

/// The divisors of a size, the one nearest to an extent first; the whole and 1 last, as they are
/// no tiling.
fn divisors_near(size: i64, extent: i64) -> Vec<i64> {
    if size % extent.max(1) == 0 {
        return vec![extent];
    }
    let mut divisors: Vec<i64> = (1..=LARGEST_DIVISOR)
        .take_while(|divisor| divisor * divisor <= size)
        .filter(|divisor| size % divisor == 0)
        .flat_map(|divisor| [divisor, size / divisor])
        .collect();
    divisors.sort_unstable();
    divisors.dedup();
    divisors.sort_by_key(|divisor| {
        let trivial = *divisor == 1 || *divisor == size;
        (trivial, (divisor - extent).abs(), -divisor)
    });
    divisors
}

/// Divisors are looked for up to here, so that a large prime costs nothing.
const LARGEST_DIVISOR: i64 = 4_096;

fn logical_divide(call: &Call<'_>) -> Answer {
    divide(call, Form::Logical)
}

fn zipped_divide(call: &Call<'_>) -> Answer {
    divide(call, Form::Zipped)
}

fn tiled_divide(call: &Call<'_>) -> Answer {
    divide(call, Form::Tiled)
}

fn flat_divide(call: &Call<'_>) -> Answer {
    divide(call, Form::Flat)
}

fn tile_to_shape(call: &Call<'_>) -> Answer {
    let target = call.shape(1)?;
    let order = match call.args.get(2) {
        None | Some(crate::value::Value::Order(crate::value::Order::Left)) => None,
        Some(crate::value::Value::Order(crate::value::Order::Right)) => {
            let rank = i64::try_from(target.rank()).unwrap_or(i64::MAX);
            Some(cute_algebra::Tuple::flat((0..rank).rev().map(Int::fixed))?)
        }
        Some(_) => Some(call.shape(2)?),
    };
    call.on_layout(|block| {
        let inner = ops::tile_to_shape(block.domain(), &target, order.as_ref());
        Ok(block.with_domain(blamed(inner, 1)?))
    })
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "logical_divide",
        "Layout logical_divide(A, tiler)",
        "Each mode split into (tile, rest).",
        logical_divide,
    ),
    entry(
        "zipped_divide",
        "Layout zipped_divide(A, tiler)",
        "Split, all tiles in mode 0 and all rests in mode 1.",
        zipped_divide,
    ),
    entry(
        "tiled_divide",
        "Layout tiled_divide(A, tiler)",
        "Split, the tiles in mode 0, each rest a mode of its own.",
        tiled_divide,
    ),
    entry(
        "flat_divide",
        "Layout flat_divide(A, tiler)",
        "Split, each tile and each rest a mode of its own.",
        flat_divide,
    ),
    entry(
        "tile_to_shape",
        "Layout tile_to_shape(block, shape, order)",
        "Repeats a block until it has a shape.",
        tile_to_shape,
    ),
];
