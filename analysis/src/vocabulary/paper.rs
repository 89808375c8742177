//! Entries that no source calls: operations of the paper that CuTe has no function for, and words of questions.

use cute_algebra::explain;

use super::{Call, Evaluated, Function, Header, Makes, entry, form, python_words};
use crate::questions::{self, steps::Steps};
use crate::questions::{OfTensor, answers};

/// Sources have no such function.
fn nowhere(call: &Call<'_>) -> Evaluated {
    Err(call.not_evaluated())
}

pub(super) const FUNCTIONS: &[Function] = &[
    entry(
        "ScaledBasis",
        "ScaledBasis<value, mode>",
        "a stride that steps along one mode of a coordinate",
        nowhere,
    )
    .section("§2.3.1")
    .header(Header::Cute("numeric/arithmetic_tuple.hpp"))
    .forms(&[form(
        &["value", "mode"],
        "a stride that steps along one mode of a coordinate",
    )]),
    entry(
        "bijective",
        "bool bijective(A, size)",
        "whether each offset below the size has exactly one coordinate",
        nowhere,
    )
    .takes(&["A", "size"])
    .header(Header::Paper)
    .asked(answers(1, 2, questions::beyond::bijective)),
    entry(
        "common_coarsening",
        "Shape common_coarsening(a, b)",
        "the finest shape of which both are refinements",
        nowhere,
    )
    .takes(&["a", "b"])
    .header(Header::Paper)
    .asked(answers(2, 2, questions::beyond::common_coarsening)),
    entry(
        "common_domain",
        "Shape common_domain(a, b)",
        "the shape whose coordinates both have",
        nowhere,
    )
    .takes(&["a", "b"])
    .header(Header::Paper)
    .asked(answers(2, 2, questions::beyond::common_domain)),
    entry(
        "common_refinement",
        "Shape common_refinement(a, b)",
        "the coarsest shape that refines both",
        nowhere,
    )
    .takes(&["a", "b"])
    .header(Header::Paper)
    .asked(answers(2, 2, questions::beyond::common_refinement)),
    entry(
        "compact",
        "bool compact(A)",
        "whether the layout is a bijection onto the offsets below its size",
        nowhere,
    )
    .takes(&["A"])
    .header(Header::Paper)
    .asked(answers(1, 1, questions::beyond::compact)),
    entry(
        "concatenate",
        "Layout concatenate(A, B, ...)",
        "a layout whose modes are the layouts",
        nowhere,
    )
    .takes(&["A", "B", "..."])
    .section("§3.1")
    .header(Header::Paper)
    .makes(Makes::Layout)
    .asked(answers(1, usize::MAX, questions::modes::concatenate))
    .assembled(),
    entry(
        "contiguous",
        "bool contiguous(A)",
        "whether coordinates in order have offsets in order, without a gap",
        nowhere,
    )
    .takes(&["A"])
    .header(Header::Paper)
    .asked(answers(1, 1, questions::beyond::contiguous)),
    entry(
        "coordinates",
        "tuple coordinates(shape)",
        "all coordinates of a shape, leftmost mode fastest",
        nowhere,
    )
    .takes(&["shape"])
    .section("§2.2.2")
    .header(Header::Paper)
    .asked(answers(1, 1, questions::beyond::coordinates)),
    entry(
        "coprofile",
        "tuple coprofile(A)",
        "a 0 for each coordinate of the codomain",
        nowhere,
    )
    .takes(&["A"])
    .header(Header::Cute("layout.hpp"))
    .asked(answers(1, 1, questions::inquiries::coprofile)),
    entry(
        "domain_distribute",
        "Shape domain_distribute(shape, workers)",
        "the shape split evenly over that many workers",
        nowhere,
    )
    .takes(&["shape", "workers"])
    .header(Header::Cute("layout.hpp"))
    .asked(answers(2, 2, questions::layouts::domain_distribute)),
    entry(
        "eval",
        "auto eval(A, coordinate)",
        "the offset of the coordinate",
        nowhere,
    )
    .takes(&["A", "coordinate"])
    .section("§2.3")
    .header(Header::Paper)
    .by_steps(Steps::AtCoordinate(explain::evaluate))
    .asked(
        answers(2, 2, questions::coordinates::eval)
            .of_tensor(OfTensor::Own(questions::tensors::eval)),
    ),
    entry(
        "exactly_admissible",
        "bool exactly_admissible(A, B)",
        "whether A(B(c)) is a layout, and no coordinate of A is reached twice",
        nowhere,
    )
    .takes(&["A", "B"])
    .section("§3.3.2")
    .header(Header::Paper)
    .asked(answers(2, 2, questions::beyond::exactly_admissible)),
    entry(
        "full_inverse",
        "Layout full_inverse(A)",
        "the inverse of a bijection",
        nowhere,
    )
    .takes(&["A"])
    .section("§3.4")
    .header(Header::Paper)
    .makes(Makes::Layout)
    .asked(answers(1, 1, questions::beyond::inverse_of))
    .by_law("compact_layouts_have_a_full_inverse"),
    entry(
        "hier_unzip",
        "Layout hier_unzip(splitter, A, tiler)",
        "the two parts of each split mode, all first parts first",
        nowhere,
    )
    .takes(&["splitter", "A", "tiler"])
    .section("§3.5.2")
    .header(Header::Paper)
    .asked(answers(3, 3, questions::beyond::hier_unzip)),
    entry(
        "image",
        "tuple image(A)",
        "the offsets that the layout reaches, each once",
        nowhere,
    )
    .takes(&["A"])
    .header(Header::Paper)
    .asked(answers(1, 1, questions::beyond::image_of)),
    entry(
        "injective",
        "bool injective(A)",
        "whether no two coordinates have one offset",
        nowhere,
    )
    .takes(&["A"])
    .header(Header::Paper)
    .asked(answers(1, 1, questions::beyond::injective)),
    entry(
        "make_layout_right",
        "Layout make_layout_right(shape)",
        "the shape with compact strides, rightmost mode fastest",
        nowhere,
    )
    .takes(&["shape"])
    .section("§2.4")
    .header(Header::Paper)
    .makes(Makes::Layout)
    .asked(answers(1, 2, questions::layouts::make_layout_right))
    .assembled(),
    entry(
        "max_alignment",
        "int max_alignment(A)",
        "the largest number that divides every offset",
        nowhere,
    )
    .takes(&["A"])
    .header(Header::Cute("layout.hpp"))
    .asked(answers(1, 1, questions::algebra::max_alignment))
    .python(&[python_words::on_objects("Layout", "max_alignment", "self")]),
    entry(
        "prefix_product",
        "Stride prefix_product(shape)",
        "the compact strides, leftmost mode fastest",
        nowhere,
    )
    .takes(&["shape"])
    .section("§2.4")
    .header(Header::Paper)
    .asked(answers(1, 1, questions::shapes::prefix_product)),
    entry(
        "surjective",
        "bool surjective(A, size)",
        "whether each offset below the size has a coordinate",
        nowhere,
    )
    .takes(&["A", "size"])
    .header(Header::Paper)
    .asked(answers(1, 2, questions::beyond::surjective)),
    entry(
        "swizzle_apply",
        "auto swizzle_apply(swizzle, A)",
        "the offsets of the layout, swizzled",
        nowhere,
    )
    .takes(&["swizzle", "A"])
    .header(Header::Paper)
    .asked(answers(1, 2, questions::algebra::composition)),
    entry(
        "weakly_admissible",
        "bool weakly_admissible(A, B)",
        "whether A(B(c)) is a layout",
        nowhere,
    )
    .takes(&["A", "B"])
    .section("§3.3.2")
    .header(Header::Paper)
    .asked(answers(2, 2, questions::beyond::weakly_admissible)),
];
