//! Repeating a layout.

use cute_algebra::judge::Form;
use cute_algebra::{Layout, Refusal, ops};

use super::call::blamed;
use super::{Call, Evaluated, Function, Header, Makes, Picture, entry, judged, python_words};
use crate::questions;
use crate::questions::answers;
use crate::questions::steps::Steps;
use cute_algebra::explain;

fn product(call: &Call<'_>, form: Form) -> Evaluated {
    let tiler = call.tiler(1)?;
    call.on_layout(|block| call.judged(judged::product(block, &tiler, form), 0, &Vec::new))
}

fn product_by_rank(
    call: &Call<'_>,
    by: fn(&Layout, &Layout) -> Result<Layout, Refusal>,
) -> Evaluated {
    let tiler = call.layout(1)?;
    call.on_layout(|block| Ok(block.with_domain(blamed(by(block.domain(), &tiler), 0)?)))
}

fn logical_product(call: &Call<'_>) -> Evaluated {
    product(call, Form::Logical)
}

fn zipped_product(call: &Call<'_>) -> Evaluated {
    product(call, Form::Zipped)
}

fn tiled_product(call: &Call<'_>) -> Evaluated {
    product(call, Form::Tiled)
}

fn flat_product(call: &Call<'_>) -> Evaluated {
    product(call, Form::Flat)
}

fn blocked_product(call: &Call<'_>) -> Evaluated {
    product_by_rank(call, ops::blocked_product)
}

fn raked_product(call: &Call<'_>) -> Evaluated {
    product_by_rank(call, ops::raked_product)
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "logical_product",
        "Layout logical_product(block, tiler)",
        "repeats the block in the pattern of the tiler: mode 0 = inside a \
         block, mode 1 = which block",
        logical_product,
    )
    .takes(&["block", "tiler"])
    .section("§3.5.1")
    .judged()
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::LogicalProduct)
    .by_steps(Steps::WithTiler(explain::logical_product))
    .asked(answers(2, 2, questions::tiles::logical_product))
    .python(&[python_words::word("logical_product", python_words::PRODUCT)]),
    entry(
        "zipped_product",
        "Layout zipped_product(block, tiler)",
        "repeats the block: mode 0 = inside a block, mode 1 = which block",
        zipped_product,
    )
    .takes(&["block", "tiler"])
    .section("§3.5.1")
    .judged()
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::LogicalProduct)
    .by_steps(Steps::WithTiler(explain::zipped_product))
    .asked(answers(2, 2, questions::tiles::zipped_product))
    .python(&[python_words::word("zipped_product", python_words::PRODUCT)]),
    entry(
        "tiled_product",
        "Layout tiled_product(block, tiler)",
        "(block, mode, mode, ...): mode 0 = inside a block, then the modes of the tiler",
        tiled_product,
    )
    .takes(&["block", "tiler"])
    .section("§3.5.1")
    .judged()
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::LogicalProduct)
    .by_steps(Steps::WithTiler(explain::tiled_product))
    .asked(answers(2, 2, questions::tiles::tiled_product))
    .python(&[
        python_words::word("tiled_product", python_words::PRODUCT).on_objects("block tiler")
    ]),
    entry(
        "flat_product",
        "Layout flat_product(block, tiler)",
        "the modes of a block, then those of the tiler, all at one level",
        flat_product,
    )
    .takes(&["block", "tiler"])
    .section("§3.5.1")
    .judged()
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::LogicalProduct)
    .by_steps(Steps::WithTiler(explain::flat_product))
    .asked(answers(2, 2, questions::tiles::flat_product))
    .python(&[python_words::word("flat_product", python_words::PRODUCT).on_objects("block tiler")]),
    entry(
        "blocked_product",
        "Layout blocked_product(block, tiler)",
        "copies of the block side by side, mode by mode: each block stays in one piece",
        blocked_product,
    )
    .takes(&["block", "tiler"])
    .section("§3.5.1")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::BlockedProduct)
    .by_steps(Steps::WithLayout(explain::blocked_product))
    .asked(answers(2, 2, questions::tiles::blocked_product))
    .python(&[python_words::word("blocked_product", python_words::PRODUCT)])
    .made_of("logical_product"),
    entry(
        "raked_product",
        "Layout raked_product(block, tiler)",
        "copies of the block interleaved element by element, mode by mode",
        raked_product,
    )
    .takes(&["block", "tiler"])
    .section("§3.5.1")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::RakedProduct)
    .by_steps(Steps::WithLayout(explain::raked_product))
    .asked(answers(2, 2, questions::tiles::raked_product))
    .python(&[python_words::word("raked_product", python_words::PRODUCT)])
    .made_of("logical_product"),
];
