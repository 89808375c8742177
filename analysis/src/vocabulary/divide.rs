//! Dividing a layout into tiles.

use cute_algebra::judge::Form;
use cute_algebra::{Int, Rule, neighbours, ops};

use super::call::{blamed, texts};
use super::python_words::Takes::Argument;
use super::{Call, Evaluated, Function, Header, Makes, Picture, entry, judged, python_words};
use crate::questions;
use crate::questions::steps::{self, Steps};
use crate::questions::{OfTensor, answers};
use cute_algebra::explain;

fn divide(call: &Call<'_>, form: Form) -> Evaluated {
    let tiler = call.tiler(1)?;
    call.on_layout(|layout| {
        let legal = || texts(&neighbours::of_divide(layout.domain(), &tiler));
        call.judged(judged::divide(layout, &tiler, form), 1, &legal)
    })
}

fn logical_divide(call: &Call<'_>) -> Evaluated {
    divide(call, Form::Logical)
}

fn zipped_divide(call: &Call<'_>) -> Evaluated {
    divide(call, Form::Zipped)
}

fn tiled_divide(call: &Call<'_>) -> Evaluated {
    divide(call, Form::Tiled)
}

fn flat_divide(call: &Call<'_>) -> Evaluated {
    divide(call, Form::Flat)
}

fn tile_to_shape(call: &Call<'_>) -> Evaluated {
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
        "Layout logical_divide(layout, tiler)",
        "splits the layout into tiles: mode 0 = inside a tile, mode 1 = which tile",
        logical_divide,
    )
    .judged()
    .takes(&["layout", "tiler"])
    .section("§3.5.2")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::Division)
    .by_steps(Steps::WithTiler(explain::logical_divide))
    .asked(answers(2, 2, questions::tiles::logical_divide).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("logical_divide", python_words::DIVIDE)]),
    entry(
        "zipped_divide",
        "Layout zipped_divide(layout, tiler)",
        "splits into tiles: mode 0 = inside a tile, mode 1 = which tile",
        zipped_divide,
    )
    .judged()
    .takes(&["layout", "tiler"])
    .section("§3.5.2")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::Division)
    .by_steps(Steps::WithTiler(explain::zipped_divide))
    .asked(answers(2, 2, questions::tiles::zipped_divide).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("zipped_divide", python_words::DIVIDE)]),
    entry(
        "tiled_divide",
        "Layout tiled_divide(layout, tiler)",
        "(tile, count, count, ...): mode 0 = inside a tile, then one mode per tile count",
        tiled_divide,
    )
    .judged()
    .takes(&["layout", "tiler"])
    .section("§3.5.2")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::Division)
    .by_steps(Steps::WithTiler(explain::tiled_divide))
    .asked(answers(2, 2, questions::tiles::tiled_divide).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("tiled_divide", python_words::DIVIDE).on_objects("target tiler")]),
    entry(
        "flat_divide",
        "Layout flat_divide(layout, tiler)",
        "the modes of one tile, then one mode per tile count, all at one level",
        flat_divide,
    )
    .judged()
    .takes(&["layout", "tiler"])
    .section("§3.5.2")
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .drawn(Picture::Division)
    .by_steps(Steps::WithTiler(explain::flat_divide))
    .asked(answers(2, 2, questions::tiles::flat_divide).of_tensor(OfTensor::Changed))
    .python(&[python_words::word("flat_divide", python_words::DIVIDE).on_objects("target tiler")]),
    entry(
        "tile_to_shape",
        "Layout tile_to_shape(block, shape)",
        "repeats the block until it fills the shape",
        tile_to_shape,
    )
    .takes(&["block", "shape"])
    .rust(&["cute_algebra"])
    .header(Header::Cute("layout.hpp"))
    .makes(Makes::Layout)
    .by_steps(Steps::WithShape(steps::tile_to_shape))
    .asked(answers(2, 3, questions::tiles::tile_to_shape))
    .python(&[python_words::word(
        "tile_to_shape",
        &[
            ("atom", Argument),
            ("trg_shape", Argument),
            ("order", Argument),
        ],
    )])
    .made_of("blocked_product"),
];
