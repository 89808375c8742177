//! Remedies do what they promise: each is applied here, and the edited source analysed.

mod banks;
mod generated;
mod major;
mod missing;
mod room;

use std::sync::Arc;

use cute_analysis::{Alone, Analysis, Edit, Finding, Judged, Options, SourceFile, Wanted, analyse};
use tree_sitter_cute::{Budget, Host, Syntax};

use crate::support::analysed;

/// Applies a remedy to the text.
pub(crate) fn applied(text: &str, edits: &[Edit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut edited = text.to_owned();
    for edit in edits {
        edited.replace_range(edit.span.start..edit.span.end, &edit.new_text);
    }
    edited
}

/// The findings after each remedy of the only finding of a rule: titles, and the edited texts.
fn remedied(text: &str, rule: &str, options: &Options) -> Vec<(String, String)> {
    let before = analysed(text, options);
    let found: Vec<&Finding> = before.findings.iter().filter(|f| f.rule == rule).collect();
    assert_eq!(found.len(), 1, "{text}\n{:#?}", before.findings);
    let finding = found[0];
    assert!(
        finding
            .remedies
            .iter()
            .filter(|remedy| remedy.preferred)
            .count()
            <= 1,
        "{finding:#?}"
    );
    let each = finding.remedies.iter().map(|remedy| {
        let edited = applied(text, &remedy.edits);
        let options = Options {
            remedies: false,
            ..options.clone()
        };
        let after: Analysis = analysed(&edited, &options);
        assert!(after.findings.iter().all(|f| f.rule != rule), "{edited}");
        assert!(after.findings.len() < before.findings.len(), "{edited}");
        (remedy.title.clone(), edited)
    });
    each.collect()
}

fn body(statements: &str) -> String {
    format!(
        "#include <cute/tensor.hpp>\nusing namespace cute;\nvoid f(half_t* p) {{\n{statements}}}\n"
    )
}

/// Whether some remedy writes a text.
fn writes(remedies: &[(String, String)], text: &str) {
    let texts: Vec<&str> = remedies.iter().map(|(_, text)| text.as_str()).collect();
    assert!(
        texts.iter().any(|edited| edited.contains(text)),
        "{texts:#?}"
    );
}

/// Two mistakes: a division that covers too much, and a comment.
fn two_mistakes() -> String {
    body(
        "  auto rows = make_layout(make_shape(Int<10>{}, Int<8>{}));  // (10,8):(8,1)\n  \
         auto tiles = zipped_divide(rows, make_tile(Int<4>{}, Int<8>{}));\n",
    )
}

#[test]
fn only_what_is_wanted_is_remedied() {
    let all = analysed(&two_mistakes(), &Options::default());
    assert_eq!(all.findings.len(), 2);
    assert!(
        all.findings
            .iter()
            .all(|finding| !finding.remedies.is_empty())
    );
    for rule in ["over-covers", "stale-layout-comment", "no-such-rule"] {
        let options = Options {
            wanted: Wanted::those(move |finding| finding.rule == rule),
            ..Options::default()
        };
        let mut expected = all.findings.clone();
        for finding in expected.iter_mut().filter(|finding| finding.rule != rule) {
            finding.remedies.clear();
        }
        assert_eq!(analysed(&two_mistakes(), &options).findings, expected);
    }
}

/// Copies may share what they have in common with the file, and no remedy depends on it.
#[test]
fn remedies_are_the_same_whatever_is_shared_with_the_copies() {
    let text = two_mistakes();
    let syntax = Syntax::parse(Host::CudaCpp, &text, None, Budget::unlimited()).unwrap();
    let unit = syntax.lower(&text);
    let file = SourceFile::analysed("test.cu", text.as_str(), unit).with_syntax(Arc::new(syntax));
    let shared = analyse(&file, &Alone, &Options::default());
    let alone = analysed(&text, &Options::default());
    assert_eq!(shared.findings, alone.findings);
    assert!(
        shared
            .findings
            .iter()
            .all(|finding| !finding.remedies.is_empty())
    );
}

#[test]
fn a_tiler_for_each_mode_stands_for_one_over_all() {
    let text = body(
        "  auto rows = make_layout(make_shape(Int<10>{}, Int<8>{}), make_stride(Int<16>{}, Int<1>{}));\n  \
         auto tiles = zipped_divide(rows, Int<4>{});\n",
    );
    let found = remedied(&text, "over-covers", &Options::default());
    writes(&found, "zipped_divide(rows, make_tile(Int<2>{}, Int<2>{}))");
    let rust = "use cute_algebra::{layout, ops::logical_divide, tiler};\n\
                fn f() { let t = logical_divide(&layout!((10, 8):(16, 1)), &tiler!(4)); }\n";
    let options = Options {
        host: Host::Rust,
        ..Options::default()
    };
    let found = remedied(rust, "over-covers", &options);
    writes(&found, "&tiler!((2, 2))");
    let python = "import cutlass.cute as cute\n@cute.jit\ndef f():\n    \
                  t = cute.zipped_divide(cute.make_layout((10, 8), stride=(16, 1)), 4)\n";
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let found = remedied(python, "over-covers", &options);
    writes(&found, ", (2, 2))");
}

#[test]
fn a_tile_that_reaches_beyond_a_tensor_can_be_predicated() {
    let text = body(
        "  Tensor mA = make_tensor(make_gmem_ptr(p), make_shape(Int<10>{}, Int<8>{}));\n  \
         Tensor gA = local_tile(mA, make_tile(Int<4>{}, Int<8>{}), make_coord(_, 0));\n",
    );
    let found = remedied(&text, "over-covers", &Options::default());
    writes(
        &found,
        "auto cGA = local_tile(make_identity_tensor(shape(mA)), make_tile(Int<4>{}, Int<8>{}), make_coord(_, 0));",
    );
    writes(&found, "local_tile(mA, make_tile(Int<5>{}, Int<8>{})");
    // Another tiler for the coordinates does not predicate it.
    let other = text.replace(
        "  Tensor gA",
        "  auto cA = local_tile(make_identity_tensor(shape(mA)), make_tile(Int<5>{}, Int<8>{}), make_coord(_, 0));\n  Tensor gA",
    );
    assert_eq!(analysed(&other, &Options::default()).findings.len(), 1);
}

#[test]
fn a_tile_that_no_descriptor_says_is_made_of_atoms() {
    let kernel = |layout: &str| {
        body(&format!(
            "  {layout}  auto sA = make_tensor(make_smem_ptr(p), SmemLayout{{}});\n  \
             auto mma = make_tiled_mma(SM90_64x64x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>{{}});\n  \
             auto tCrA = mma.get_slice(0).make_fragment_A(mma.get_slice(0).partition_A(sA));\n"
        ))
    };
    let plain = kernel("using SmemLayout = Layout<Shape<_128, _64>, Stride<_64, _1>>;\n");
    let found = remedied(&plain, "not-canonical", &Options::default());
    writes(
        &found,
        "using SmemLayout = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(Int<128>{}, Int<64>{})));",
    );
    let right = kernel(
        "using SmemLayout = decltype(tile_to_shape(GMMA::Layout_K_SW64_Atom<half_t>{}, Shape<_128, _64>{}));\n",
    );
    assert_eq!(analysed(&right, &Options::default()).findings, []);
}

#[test]
fn a_written_order_is_changed_where_it_costs_boxes() {
    let text = body(
        "  using Smem = decltype(tile_to_shape(GMMA::Layout_MN_SW128_Atom<half_t>{}, Shape<_128, _64>{}, Step<_1, _2>{}));\n  \
         auto gmem = make_tensor(make_gmem_ptr(p), make_shape(512, 1024), make_stride(Int<1>{}, 512));\n  \
         auto tma = make_tma_copy(SM90_TMA_LOAD{}, gmem, Smem{}, Shape<_128, _64>{}, _1{});\n",
    );
    let found = remedied(&text, "tma-box-small", &Options::default());
    writes(&found, "Shape<_128, _64>{}, Step<_2,_1>{}))");
}

#[test]
fn a_swizzle_or_padding_frees_a_warp_of_conflicts() {
    let text = body(
        "  Tensor sA = make_tensor(make_smem_ptr(p), Layout<Shape<_64, _64>, Stride<_64, _1>>{});\n  \
         auto copy = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_32, _4>, Stride<_1, _32>>{}, Layout<Shape<_1, _8>>{});\n  \
         Tensor part = copy.get_slice(0).partition_S(sA);\n",
    );
    let options = Options {
        memory: Judged::All,
        ..Options::default()
    };
    let found = remedied(&text, "bank-conflict", &options);
    writes(
        &found,
        "composition(Swizzle<3,3,3>{}, Layout<Shape<_64, _64>, Stride<_64, _1>>{})",
    );
    writes(
        &found,
        "Layout<Shape<Int<64>, Int<64>>, Stride<Int<72>, Int<1>>>{}",
    );
    // Only on request.
    assert_eq!(analysed(&text, &Options::default()).findings, []);
}

/// A partition of a tensor of global memory by a tiled copy.
fn copied(tensor: &str, copy: &str) -> String {
    body(&format!(
        "  float* q = nullptr;\n  Tensor g = make_tensor(make_gmem_ptr(q), {tensor});\n  \
         auto copy = {copy};\n  auto thread = copy.get_slice(threadIdx.x);\n  \
         Tensor part = thread.partition_S(g);\n"
    ))
}

#[test]
fn threads_and_values_in_another_order_take_what_lies_side_by_side() {
    let options = Options {
        memory: Judged::All,
        ..Options::default()
    };
    let rows = "Layout<Shape<_128, _64>, Stride<_64, _1>>{}";
    let columns = "Layout<Shape<_128, _64>, Stride<_1, _128>>{}";
    let single = "Copy_Atom<UniversalCopy<float>, float>{}";
    let four = "Copy_Atom<UniversalCopy<uint128_t>, float>{}";
    // Threads run down the columns of rows.
    let found = remedied(
        &copied(
            rows,
            &format!("make_tiled_copy({single}, Layout<Shape<_32, _8>>{{}})"),
        ),
        "uncoalesced",
        &options,
    );
    assert_eq!(found[0].0, "Arrange the threads as (32,8):(8,1)");
    writes(
        &found,
        "Layout<Shape<Int<32>, Int<8>>, Stride<Int<8>, Int<1>>>{}",
    );
    // Threads run along the rows of columns, in a separate variable.
    let text = copied(
        columns,
        &format!("make_tiled_copy({single}, threads, Layout<Shape<_1, _1>>{{}})"),
    )
    .replace(
        "auto copy",
        "auto threads = Layout<Shape<_16, _16>, Stride<_16, _1>>{};\n  auto copy",
    );
    let found = remedied(&text, "uncoalesced", &options);
    writes(
        &found,
        "auto threads = Layout<Shape<Int<16>, Int<16>>, Stride<Int<1>, Int<16>>>{};",
    );
    // Four values of a thread are adjacent, the next four in another row.
    let found = remedied(
        &copied(
            rows,
            &format!(
                "make_tiled_copy({four}, Layout<Shape<_64, _4>>{{}}, Layout<Shape<_1, _4>>{{}})"
            ),
        ),
        "uncoalesced",
        &options,
    );
    writes(
        &found,
        "Layout<Shape<Int<64>, Int<4>>, Stride<Int<4>, Int<1>>>{}",
    );
    // Values across what is contiguous.
    let found = remedied(
        &copied(
            rows,
            &format!(
                "make_tiled_copy({single}, Layout<Shape<_32, _8>, Stride<_8, _1>>{{}}, Layout<Shape<_1, _4>>{{}})"
            ),
        ),
        "uncoalesced",
        &options,
    );
    writes(
        &found,
        "Layout<Shape<Int<4>, Int<1>>, Stride<Int<1>, Int<1>>>{}",
    );
}

#[test]
fn a_tile_beyond_a_tensor_of_python_is_predicated_by_coordinates() {
    let text = "import cutlass.cute as cute\n\n@cute.jit\ndef f():\n    \
                a = cute.make_layout((100, 64), stride=(64, 1))\n    \
                tiles = cute.zipped_divide(a, (8, 8))  # tiles\n";
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let found = remedied(text, "over-covers", &options);
    writes(
        &found,
        "# tiles\n    # In bounds where cute.elem_less(tiles_coord[i], a.shape): the predicate of the copy.\n    \
         tiles_coord = cute.zipped_divide(cute.make_identity_tensor(a.shape), (8, 8))\n",
    );
}
