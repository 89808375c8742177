//! A TMA copy whose tensors are contiguous along different modes.

use cute_analysis::Options;

use super::{body, remedied};

/// A copy into a tile of an atom, in several spellings of its layout.
fn copies(atom: &str) -> [String; 3] {
    let tile =
        format!("tile_to_shape(GMMA::Layout_{atom}_SW128_Atom<half_t>{{}}, Shape<_128, _64>{{}})");
    let copy = "auto gmem = make_tensor(make_gmem_ptr(p), make_shape(4096, 4096), make_stride(ld, Int<1>{}));
auto tma = make_tma_atom(SM90_TMA_LOAD{}, gmem, smem, Shape<_128, _64>{});
";
    [
        format!("int ld = 4096;\nauto smem = {tile};\n{copy}"),
        format!("int ld = 4096;\nusing Smem = decltype({tile});\nauto smem = Smem{{}};\n{copy}"),
        format!(
            "int ld = 4096;\nusing Atom = GMMA::Layout_{atom}_SW128_Atom<half_t>;\nauto smem = tile_to_shape(Atom{{}}, Shape<_128, _64>{{}});\n{copy}"
        ),
    ]
}

#[test]
fn the_atom_of_the_other_order_is_the_only_remedy() {
    for (wrong, right) in copies("MN").iter().zip(copies("K")) {
        let remedies = remedied(&body(wrong), "tma-major", &Options::default());
        let texts: Vec<&str> = remedies.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, [body(&right)], "{remedies:#?}");
        assert_eq!(
            remedies[0].0,
            "Use Layout_K_SW128_Atom, contiguous along the mode of the tensor"
        );
    }
}

#[test]
fn no_number_of_a_stride_is_proposed() {
    let text = body(
        "auto smem = make_layout(Shape<_128, _64>{});
auto gmem = make_tensor(make_gmem_ptr(p), make_shape(4096, 4096), make_stride(4096, Int<1>{}));
auto tma = make_tma_atom(SM90_TMA_LOAD{}, gmem, smem, Shape<_128, _64>{});
",
    );
    let remedies = remedied(&text, "tma-major", &Options::default());
    assert!(remedies.is_empty(), "{remedies:#?}");
}
