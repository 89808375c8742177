//! Repeating a layout.

use cute_algebra::judge::Form;
use cute_algebra::{Layout, Refusal, ops};

use super::call::blamed;
use super::{Answer, Call, Function, entry, judged};

fn product(call: &Call<'_>, form: Form) -> Answer {
    let tiler = call.tiler(1)?;
    call.on_layout(|block| call.judged(judged::product(block, &tiler, form), 0, &Vec::new))
}

fn product_by_rank(call: &Call<'_>, by: fn(&Layout, &Layout) -> Result<Layout, Refusal>) -> Answer {
    let tiler = call.layout(1)?;
    call.on_layout(|block| Ok(block.with_domain(blamed(by(block.domain(), &tiler), 0)?)))
}

fn logical_product(call: &Call<'_>) -> Answer {
    product(call, Form::Logical)
}

fn zipped_product(call: &Call<'_>) -> Answer {
    product(call, Form::Zipped)
}

fn tiled_product(call: &Call<'_>) -> Answer {
    product(call, Form::Tiled)
}

fn flat_product(call: &Call<'_>) -> Answer {
    product(call, Form::Flat)
}

fn blocked_product(call: &Call<'_>) -> Answer {
    product_by_rank(call, ops::blocked_product)
}

fn raked_product(call: &Call<'_>) -> Answer {
    product_by_rank(call, ops::raked_product)
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "logical_product",
        "Layout logical_product(A, tiler)",
        "A repeated: (A, copies).",
        logical_product,
    ),
    entry(
        "zipped_product",
        "Layout zipped_product(A, tiler)",
        "Repeats A: all of A in mode 0.",
        zipped_product,
    ),
    entry(
        "tiled_product",
        "Layout tiled_product(A, tiler)",
        "Repeats A: then one mode per repetition.",
        tiled_product,
    ),
    entry(
        "flat_product",
        "Layout flat_product(A, tiler)",
        "Repeats A: every part is one mode.",
        flat_product,
    ),
    entry(
        "blocked_product",
        "Layout blocked_product(A, B)",
        "Copies of A as blocks in the order of B.",
        blocked_product,
    ),
    entry(
        "raked_product",
        "Layout raked_product(A, B)",
        "Copies of A interleaved in the order of B.",
        raked_product,
    ),
];
