//! Dividing a layout into tiles.

use cute_algebra::judge::Form;
use cute_algebra::{Int, Rule, neighbours, ops};

use super::call::{blamed, texts};
use super::{Answer, Call, Function, entry, judged};

fn divide(call: &Call<'_>, form: Form) -> Answer {
    let tiler = call.tiler(1)?;
    call.on_layout(|layout| {
        let legal = || texts(&neighbours::of_divide(layout.domain(), &tiler));
        call.judged(judged::divide(layout, &tiler, form), 1, &legal)
    })
}

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
    // Of a layout its shape is the target.
    let target = match call.arg(1)? {
        crate::value::Value::Layout(layout) => layout.shape(),
        _ => call.shape(1)?,
    };
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
        // A block that covers an offset twice has no complement, whatever the shape.
        let of_block = inner
            .as_ref()
            .is_err_and(|refusal| refusal.rule == Rule::NotInjective);
        Ok(block.with_domain(blamed(inner, usize::from(!of_block))?))
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
        "Splits: all tiles in mode 0, all rests in mode 1.",
        zipped_divide,
    ),
    entry(
        "tiled_divide",
        "Layout tiled_divide(A, tiler)",
        "Splits: tiles in mode 0, then one mode per rest.",
        tiled_divide,
    ),
    entry(
        "flat_divide",
        "Layout flat_divide(A, tiler)",
        "Splits: each tile and each rest is one mode.",
        flat_divide,
    ),
    entry(
        "tile_to_shape",
        "Layout tile_to_shape(block, shape, order)",
        "Repeats a block until it has a shape.",
        tile_to_shape,
    ),
];
