//! Section 3 of the paper, "Layout Algebra": every worked example, table and figure of sections 3.1 to 3.4.

mod notation;

use cute_algebra::ops::{
    coalesce, coalesce_by, composition, composition_by, left_inverse, make_identity_layout,
    max_common_layout, max_common_vector, right_inverse,
};
use cute_algebra::{Int, IntTuple, Layout, LayoutView, Refusal};
use notation::{at, layout, offsets, shape, show, size, tiler, tuple};

fn compose(a: &str, b: &str) -> String {
    show(composition(&layout(a), &layout(b)))
}

/// Section 3.1, equation 11: a layout is the sum of its modes.
#[test]
fn section_3_1_concatenation() -> Result<(), Refusal> {
    let parts = ["4:2", "(3,2):(8,1)", "5:100"].map(layout);
    let whole = Layout::concat(parts.iter().map(Layout::view))?;
    assert_eq!(format!("{whole:#}"), "(4,(3,2),5):(2,(8,1),100)");
    for index in 0..size(&whole) {
        let (a, b, c) = (index % 4, index / 4 % 6, index / 24);
        assert_eq!(
            at(&whole, index),
            at(&parts[0], a) + at(&parts[1], b) + at(&parts[2], c)
        );
    }
    Ok(())
}

/// Section 3.1: layouts of unlike codomains have no sum.
#[test]
fn section_3_1_unlike_codomains() {
    let parts = ["4:2", "3:1@0"].map(layout);
    let both = Layout::concat(parts.iter().map(Layout::view));
    let sum = both.and_then(|both| both.eval(5));
    assert_eq!(show(sum), "refused: unlike-codomains");
}

/// Section 3.2: the three worked examples, whole and by mode.
#[test]
fn section_3_2_coalesce() {
    for (text, whole, by_mode) in [
        ("(2,(1,6)):(1,(6,2))", "12:1", "(2,6):(1,2)"),
        (
            "((4,3),5):((15,1),3)",
            "(4,15):(15,1)",
            "((4,3),5):((15,1),3)",
        ),
        ("(4,(3,5)):(15,(1,3))", "(4,15):(15,1)", "(4,15):(15,1)"),
    ] {
        let l = layout(text);
        assert_eq!(show(coalesce(&l)), whole);
        assert_eq!(show(coalesce_by(&l, &tuple("(1,1)"))), by_mode);
    }
}

/// Section 3.3.1: identity layouts of 24 and of (4,6), and that they are identities of composition.
#[test]
fn section_3_3_1_identities() -> Result<(), Refusal> {
    for text in ["24:1", "(4,6):(1,4)", "(3,(4,2)):(1,(3,12))"] {
        assert_eq!(
            offsets(&layout(text)),
            (0..24).collect::<Vec<_>>(),
            "{text}"
        );
    }
    let image = |l: &Layout| {
        (0..24)
            .map(|i| l.eval(i).map(|offset| offset.to_fixed()))
            .collect::<Result<Vec<_>, _>>()
    };
    let identity = layout("(4,6):(1@0,1@1)");
    assert_eq!(
        image(&identity)?,
        image(&layout("(4,(3,2)):(1@0,(1@1,3@1))"))?
    );
    assert_eq!(make_identity_layout(&shape("(4,6)"))?, identity);

    let b = layout("(3,(4,2)):(1,(3,12))");
    assert_eq!(show(composition(&layout("24:1"), &b)), format!("{b:#}"));
    let a = layout("(4,6):(7,50)");
    assert_eq!(show(composition(&a, &identity)), format!("{a:#}"));
    Ok(())
}

/// Section 3.3.1: associativity under condition 18, and the worked example where the condition fails.
#[test]
fn section_3_3_1_associativity() -> Result<(), Refusal> {
    let (a, b, c) = (layout("(5,3):(1,7)"), layout("4:1"), layout("2:5"));
    let right = composition(&a, &composition(&b, &c)?)?;
    let left = composition(&composition(&a, &b)?, &c)?;
    assert_eq!(
        (format!("{right:#}"), format!("{left:#}")),
        ("2:7".to_owned(), "2:5".to_owned())
    );

    let (a, b, c) = (
        layout("(4,6):(7,50)"),
        layout("(2,4):(12,2)"),
        layout("(2,2):(2,4)"),
    );
    let right = composition(&a, &composition(&b, &c)?)?;
    let left = composition(&composition(&a, &b)?, &c)?;
    assert_eq!(offsets(&right), offsets(&left));
    Ok(())
}

/// Section 3.3.3: compositions with a single mode on the left.
#[test]
fn section_3_3_3_single_mode() {
    assert_eq!(compose("7:11", "3:4"), "3:44");
    assert_eq!(compose("7:11", "(3,5):(6,3)"), "(3,5):(66,33)");
}

/// Section 3.3.3: dividing out and keeping, in both orders.
#[test]
fn section_3_3_3_divide_out_and_keep() {
    assert_eq!(compose("(4,6,8,10):(2,3,5,7)", "6:12"), "(2,3):(9,5)");
    assert_eq!(compose("(2,8,10):(9,5,7)", "6:1"), "(2,3):(9,5)");
    assert_eq!(compose("(4,6,3):(2,3,5)", "6:12"), "(2,3):(9,5)");
}

/// Section 3.3.3: violations of the divisibility conditions. CuTe's compiler accepts the first one (semantics, "The
/// compiler is weaker than the definition"), so our result is CuTe's and the departure is judged elsewhere; no layout has
/// the function, which is what the paper says.
#[test]
fn section_3_3_3_violations() {
    let function = |a: &str, b: &str| -> Vec<i64> {
        let (a, b) = (layout(a), layout(b));
        (0..size(&b)).map(|i| at(&a, at(&b, i))).collect()
    };
    for (a, b) in [
        ("(4,6,8):(2,3,5)", "6:3"),
        ("(4,6,8):(2,3,5)", "6:1"),
        ("(4,2,8):(3,12,97)", "4:3"),
        ("(4,2,8):(3,15,97)", "3:3"),
    ] {
        let table = function(a, b);
        assert!(
            cute_algebra::infer::layout_of(&table).is_err(),
            "{a} o {b} is {table:?}"
        );
        let answer = composition(&layout(a), &layout(b));
        if let Ok(answer) = answer {
            assert_ne!(offsets(&answer), table, "{a} o {b}");
        }
    }
    assert_eq!(
        compose("(4,6,8):(2,3,5)", "6:1"),
        "refused: shape-divisibility"
    );
}

/// Section 3.3.3: an apparent violation, which coalescing and truncating resolve.
#[test]
fn section_3_3_3_apparent_violation() {
    for a in ["(4,2,8):(3,12,97)", "(8,8):(3,97)", "8:3"] {
        assert_eq!(compose(a, "3:3"), "3:9");
    }
}

/// Figure 6 and section 3.3.4: which thread and value holds each element of the 8x8 matrix.
#[test]
fn figure_6_thread_values() {
    let thread_value = layout("((4,8),2):((16,1),8)");
    for (thread, value) in (0..64).map(|i| (i % 32, i / 32)) {
        let (row, column) = (thread / 4, 2 * (thread % 4) + value);
        assert_eq!(
            at(&thread_value, thread + 32 * value),
            row + 8 * column,
            "T{thread} V{value}"
        );
    }
}

/// Table 4: data layouts composed with the thread-value layout.
#[test]
fn table_4_partitioning() {
    for (name, data, result) in [
        ("ColMajor", "(8,8):(1,8)", "((4,8),2):((16,1),8)"),
        ("RowMajor", "(8,8):(8,1)", "((4,8),2):((2,8),1)"),
        ("Padded", "(8,8):(1,9)", "((4,8),2):((18,1),9)"),
        (
            "ColInterleaved",
            "((4,2),(2,4)):((2,16),(1,8))",
            "((4,(4,2)),2):((8,(2,16)),1)",
        ),
        ("Swizzled", "(8,8):(f1,f9)", "((4,8),2):((f18,f1),f9)"),
        ("Coordinate", "(8,8):(1@0,1@1)", "((4,8),2):((2@1,1@0),1@1)"),
    ] {
        assert_eq!(compose(data, "((4,8),2):((16,1),8)"), result, "{name}");
    }
}

/// Section 3.3.4: a slice by thread of the composition are that thread's elements.
#[test]
fn section_3_3_4_compose_and_slice() -> Result<(), Refusal> {
    let thread_value = layout("((4,8),2):((16,1),8)");
    let data = layout("(8,8):(8,1)");
    let partition = composition(&data, &thread_value)?;
    for thread in 0..32 {
        let coordinate = notation::coord(&format!("({thread},_)"));
        let (values, origin) = cute_algebra::ops::slice_and_offset(&coordinate, &partition)?;
        let origin = origin.as_leaf().and_then(Int::value).unwrap_or(-1);
        for value in 0..2 {
            let (row, column) = (thread / 4, 2 * (thread % 4) + value);
            assert_eq!(origin + at(&values, value), 8 * row + column);
        }
    }
    Ok(())
}

/// Figure 7: tilers that extract a 4x8 sublayout from an 8x16 layout.
#[test]
fn figure_7_tilers() {
    let matrix = "(8,16):(20,1)";
    for (text, result) in [
        ("(4,8)", "(4,8):(20,1)"),
        ("(4:1,8:1)", "(4,8):(20,1)"),
        ("(4:2,8:1)", "(4,8):(40,1)"),
        ("(4:1,8:2)", "(4,8):(20,2)"),
        ("(4:2,8:2)", "(4,8):(40,2)"),
        ("((2,2):(1,4),(2,4):(1,4))", "((2,2),(2,4)):((20,80),(1,4))"),
    ] {
        assert_eq!(
            show(composition_by(&layout(matrix), &tiler(text))),
            result,
            "{text}"
        );
    }
}

/// Section 3.3.5: shapes, tuples of integers, tuples of layouts and coordinate layouts are the same tiler.
#[test]
fn section_3_3_5_equivalent_tilers() -> Result<(), Refusal> {
    let matrix = layout("(8,16):(20,1)");
    let expected = composition_by(&matrix, &tiler("(4,8)"))?;
    for text in ["(4:1,8:1)", "(4,8):(1@0,1@1)"] {
        assert_eq!(composition_by(&matrix, &tiler(text))?, expected);
    }
    // L o T = L o ((M,N):(e0,e1) o T).
    let identity = make_identity_layout(&shape("(8,16)"))?;
    for text in ["(4,8)", "(4:2,8:1)", "((2,2):(1,4),8:2)"] {
        let tiler = tiler(text);
        let through = composition(&matrix, &composition_by(&identity, &tiler)?)?;
        assert_eq!(through, composition_by(&matrix, &tiler)?, "{text}");
    }
    Ok(())
}

/// Equation 24 in the case of integers: L(R(k)) = k.
fn is_right_inverse(layout: &Layout, inverse: &Layout) -> bool {
    (0..size(inverse)).all(|k| at(layout, at(inverse, k)) == k)
}

/// Equation 26: L(R(L(k))) = L(k).
fn is_left_inverse(layout: &Layout, inverse: &Layout) -> bool {
    (0..size(layout)).all(|k| at(layout, at(inverse, at(layout, k))) == at(layout, k))
}

/// Table 5: right inverses of layouts into the integers.
///
/// The row of `((2,2),(2,4)):((0,1),(0,2))` says `(2,2):(4,8)`, which is not a right inverse: L(4) = 0, not 1. The
/// modes with strides 1 and 2 come after extents 2 and 2*2*2 = 8, so the inverse is `(2,4):(2,8)`.
#[test]
fn table_5_right_inverses() {
    for (text, expected) in [
        ("(4,8):(1,4)", "32:1"),
        ("(4,8):(8,1)", "(8,4):(4,1)"),
        ("(3,7,5):(5,15,1)", "(5,21):(21,1)"),
        ("(4,8):(1,5)", "4:1"),
        ("(4,(4,2)):(4,(1,16))", "(4,4,2):(4,1,16)"),
        ("((2,2),(4,2)):((1,8),(2,16))", "(2,4,2,2):(1,4,2,16)"),
        ("((2,2),(2,4)):((0,1),(0,2))", "(2,4):(2,8)"),
        ("((2,2),(2,4)):((0,2),(0,4))", "1:0"),
    ] {
        let l = layout(text);
        assert_eq!(show(right_inverse(&l)), expected, "{text}");
        assert!(
            right_inverse(&l).is_ok_and(|inverse| is_right_inverse(&l, &inverse)),
            "{text}"
        );
    }
    assert!(!is_right_inverse(
        &layout("((2,2),(2,4)):((0,1),(0,2))"),
        &layout("(2,2):(4,8)")
    ));
}

/// Table 5, last row: the right inverse of a layout with xor strides is a matrix inverse over F2.
#[test]
fn table_5_right_inverse_over_xor() -> Result<(), Box<dyn std::error::Error>> {
    let l = layout("(4,(4,4)):(f1,(f5,f16))");
    let inverse = cute_algebra::f2::BitMatrix::of_layout(&l)?
        .inverse()
        .ok_or("not a bijection")?;
    assert_eq!(
        format!("{:#}", inverse.to_xor_layout()),
        "(4,4,4):(f1,f5,f16)"
    );
    assert!(is_right_inverse(&l, &inverse.to_xor_layout()));
    Ok(())
}

/// Tables 5 and 6, the rows of layouts into coordinates: the domain of the inverse has a mode per coordinate.
#[test]
fn tables_5_and_6_inverses_into_coordinates() -> Result<(), Refusal> {
    for (text, right, left) in [
        ("(4,8):(1@0,1@1)", "(4,8):(1,4)", "(4,8):(1,4)"),
        (
            "(4,(4,2)):(1@1,(1@0,6@1))",
            "(4,4):(4,1)",
            "(4,(6,2)):(4,(1,16))",
        ),
    ] {
        let l = layout(text);
        assert_eq!(show(right_inverse(&l)), right, "{text}");
        assert_eq!(show(left_inverse(&l)), left, "{text}");
        // Equation 26, with the offset as a coordinate of the inverse's domain.
        let inverse = left_inverse(&l)?;
        for index in 0..size(&l) {
            let offset = l.eval(index)?;
            let found = inverse.eval_coord(&offset)?;
            assert_eq!(
                found.as_leaf().and_then(Int::value),
                Some(index),
                "{text} at {index}"
            );
        }
    }
    Ok(())
}

/// Table 6: left inverses of layouts into the integers.
///
/// The table swaps its rows 7 and 8 against Table 5, and its inverses of layouts with stride-0 modes are, as it says, not
/// unique: equation 26 is what is tested for those two.
#[test]
fn table_6_left_inverses() {
    for (text, expected) in [
        ("(4,8):(1,4)", "32:1"),
        ("(4,8):(8,1)", "(8,4):(4,1)"),
        ("(3,7,5):(5,15,1)", "(5,21):(21,1)"),
        ("(4,8):(1,5)", "(5,8):(1,4)"),
        ("(4,(4,2)):(4,(1,16))", "(4,4,2):(4,1,16)"),
        ("((2,2),(4,2)):((1,8),(2,16))", "(2,4,2,2):(1,4,2,16)"),
    ] {
        let l = layout(text);
        assert_eq!(show(left_inverse(&l)), expected, "{text}");
        assert!(
            left_inverse(&l).is_ok_and(|inverse| is_left_inverse(&l, &inverse)),
            "{text}"
        );
    }
    for text in ["((2,2),(2,4)):((0,2),(0,4))", "((2,2),(2,4)):((0,1),(0,2))"] {
        let l = layout(text);
        assert!(
            left_inverse(&l).is_ok_and(|inverse| is_left_inverse(&l, &inverse)),
            "{text}"
        );
    }
}

/// Section 3.4.1: a layout with a full inverse is compact, and its right inverse is its left inverse.
#[test]
fn section_3_4_1_full_inverse() -> Result<(), Refusal> {
    for text in [
        "(4,8):(1,4)",
        "(4,8):(8,1)",
        "(3,7,5):(5,15,1)",
        "((2,2),(4,2)):((1,8),(2,16))",
    ] {
        let l = layout(text);
        let (right, left) = (right_inverse(&l)?, left_inverse(&l)?);
        assert_eq!(size(&right), size(&l));
        assert_eq!(right, left);
        assert!(is_right_inverse(&l, &right) && is_left_inverse(&l, &right));
    }
    Ok(())
}

/// Section 3.4.2: both 4x8 layouts index 32 contiguous elements; the common vector of two layouts.
#[test]
fn section_3_4_2_vectorization() -> Result<(), Refusal> {
    let (columns, rows) = (layout("(4,8):(1,4)"), layout("(4,8):(8,1)"));
    assert_eq!(size(&right_inverse(&columns)?), 32);
    assert_eq!(size(&right_inverse(&rows)?), 32);
    assert_eq!(show(max_common_vector(&columns, &rows)), "1");
    assert_eq!(show(max_common_vector(&columns, &columns)), "32");
    // Offsets 0..4 are at coordinates 0, 2, 8, 10 in both, and nowhere common after that (as in figure 8b).
    let source = layout("((2,2),(2,4)):((8,1),(16,2))");
    let source = composition(&layout("32:1"), &source)?;
    let destination = layout("((2,2),(2,4)):((4,1),(8,2))");
    let common = max_common_layout(&source, &destination)?;
    let count = size(&common);
    for k in 0..count {
        assert_eq!(
            (
                at(&source, at(&common, k)),
                at(&destination, at(&common, k))
            ),
            (k, k)
        );
    }
    assert_eq!(
        show(max_common_vector(&source, &destination)),
        count.to_string()
    );
    Ok(())
}

/// Section 3.4.4: the offsets that the tensor-memory instructions touch, found in a data layout by its left inverse.
#[test]
fn section_3_4_4_tensor_memory() -> Result<(), Refusal> {
    let lanes = 16_384;
    let instructions = [
        layout(&format!("(1,128):(1,{lanes})")),
        layout(&format!("(2,128):(1,{lanes})")),
        layout(&format!("(8,(16,4)):(1,({lanes},{}))", 32 * lanes)),
    ];
    let data = layout(&format!("(128,16):({lanes},1)"));
    let find = left_inverse(&data)?;
    for instruction in &instructions {
        let mut found: Vec<i64> = Vec::new();
        for i in 0..size(instruction) {
            let coordinate = at(&find, at(instruction, i));
            assert!((0..size(&data)).contains(&coordinate));
            assert_eq!(at(&data, coordinate), at(instruction, i));
            found.push(coordinate);
        }
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len() as i64, size(instruction), "{instruction}");
    }
    // Two columns wide, the data cannot hold what the eight-column instruction touches.
    let narrow = layout(&format!("(128,2):({lanes},1)"));
    let find = left_inverse(&narrow)?;
    let missing = (0..size(&instructions[2])).any(|i| {
        let offset = at(&instructions[2], i);
        let coordinate = at(&find, offset);
        coordinate >= size(&narrow) || at(&narrow, coordinate) != offset
    });
    assert!(missing);
    Ok(())
}

/// The modes of a layout, printed.
fn modes(layout: &Layout) -> Vec<String> {
    layout
        .view()
        .modes()
        .map(LayoutView::to_layout)
        .map(|mode| format!("{mode:#}"))
        .collect()
}

/// Section 3.1: by-mode operations apply to each mode on its own (equation 12).
#[test]
fn section_3_1_by_mode() -> Result<(), Refusal> {
    let matrix = layout("(8,(4,4)):(20,(1,160))");
    let by_mode = composition_by(&matrix, &tiler("(4:2,8:2)"))?;
    let separately = [("8:20", "4:2"), ("(4,4):(1,160)", "8:2")].map(|(a, b)| compose(a, b));
    assert_eq!(modes(&by_mode), separately);
    let point: IntTuple = tuple("(1,3)");
    assert!(by_mode.eval_coord(&point).is_ok());
    Ok(())
}
