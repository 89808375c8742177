//! Section 2 of the paper, "Layout Representation": every worked example, table and figure of it.

mod notation;

use cute_algebra::coord::{crd2idx_colex, idx2crd, is_inside};
use cute_algebra::f2::BitMatrix;
use cute_algebra::infer::{Inferred, infer};
use cute_algebra::ops::shape_arithmetic::compatible;
use cute_algebra::ops::{coalesce, flatten, slice_and_offset};
use cute_algebra::{IntTuple, Layout, Refusal};
use notation::{at, coord, layout, offsets, shape, show, size, tuple};

/// Definition 2.2 and the examples below it.
#[test]
fn section_2_1_rank_and_depth() {
    for (text, rank, depth) in [
        ("31", 1, 0),
        ("(16,32)", 2, 1),
        ("(3,-8,7)", 3, 1),
        ("(2,(4,1),-1)", 3, 2),
        ("((4,6),(3,(2,2),8))", 2, 3),
    ] {
        let tuple = tuple(text);
        assert_eq!((tuple.rank(), tuple.depth()), (rank, depth), "{text}");
    }
}

/// Definition 2.3: symbols are the elements of other sets.
#[test]
fn section_2_1_congruence() {
    let congruent = |a: &str, b: &str| tuple(a).is_congruent(&tuple(b));
    assert!(congruent("(4,8)", "(5,7)"));
    assert!(congruent("(4,(2,4))", "(7,(3,2))"));
    assert!(congruent("(v,((p,3)))", "(0,((0,0)))"));
    assert!(!congruent("(4,8)", "(4,(2,4))"));
    assert!(!congruent("(4,(2,4))", "(0,((0,0)))"));
}

/// Definition 2.4.
#[test]
fn section_2_1_weak_congruence() {
    let refines = |a: &str, b: &str| tuple(a).view().is_weakly_congruent(tuple(b).view());
    for chain in [
        ["30", "(a,b)", "(v,(0,alpha))"],
        ["30", "(a,b,c)", "((0,0),0,0)"],
    ] {
        assert!(
            refines(chain[0], chain[1])
                && refines(chain[1], chain[2])
                && refines(chain[0], chain[2])
        );
        assert!(!refines(chain[1], chain[0]));
    }
    assert!(!refines("(a,b)", "(a,b,c)") && !refines("(a,b,c)", "(a,b)"));
    assert!(!refines("(v,(0,alpha))", "((0,0),0)") && !refines("((0,0),0)", "(v,(0,alpha))"));
}

/// Definition 2.7.
#[test]
fn section_2_2_1_compatibility() {
    let coarsens = |a: &str, b: &str| show(compatible(tuple(a).view(), tuple(b).view())) == "1";
    assert!(
        coarsens("30", "(2,15)") && coarsens("(2,15)", "(2,(3,5))") && coarsens("30", "(2,(3,5))")
    );
    assert!(coarsens("30", "(6,5)") && coarsens("(6,5)", "((3,2),5)"));
    assert!(!coarsens("(2,(3,5))", "((3,2),5)") && !coarsens("((3,2),5)", "(2,(3,5))"));
    assert!(!coarsens("31", "(2,15)"));
}

fn coordinates(text: &str, through: &str) -> Vec<String> {
    let (shape, through) = (shape(text), shape(through));
    let count = shape.size().ok().and_then(|size| size.value()).unwrap_or(0);
    (0..count)
        .map(|index| {
            let index: IntTuple = cute_algebra::Int::fixed(index).into();
            show(idx2crd(index.view(), through.view()))
        })
        .collect()
}

/// Figure 2: the coordinate lists of (2,3) and ((2,3),2).
#[test]
fn figure_2_coordinate_lists() {
    assert_eq!(coordinates("4", "4"), ["0", "1", "2", "3"]);
    assert_eq!(
        coordinates("(2,3)", "(2,3)"),
        ["(0,0)", "(1,0)", "(0,1)", "(1,1)", "(0,2)", "(1,2)"]
    );
    let by_column = [
        "(0,0)", "(1,0)", "(2,0)", "(3,0)", "(4,0)", "(5,0)", "(0,1)", "(1,1)", "(2,1)", "(3,1)",
        "(4,1)", "(5,1)",
    ];
    assert_eq!(coordinates("((2,3),2)", "(6,2)"), by_column);
    let natural = [
        "((0,0),0)",
        "((1,0),0)",
        "((0,1),0)",
        "((1,1),0)",
        "((0,2),0)",
        "((1,2),0)",
        "((0,0),1)",
        "((1,0),1)",
        "((0,1),1)",
        "((1,1),1)",
        "((0,2),1)",
        "((1,2),1)",
    ];
    assert_eq!(coordinates("((2,3),2)", "((2,3),2)"), natural);
}

/// Section 2.2.1: the coordinate sets written out there.
#[test]
fn section_2_2_1_coordinate_sets() {
    let twelve = [
        "(0,0)", "(1,0)", "(2,0)", "(0,1)", "(1,1)", "(2,1)", "(0,2)", "(1,2)", "(2,2)", "(0,3)",
        "(1,3)", "(2,3)",
    ];
    assert_eq!(coordinates("(3,4)", "(3,4)"), twelve);
    let six = [
        "((0,0),0)",
        "((1,0),0)",
        "((0,0),1)",
        "((1,0),1)",
        "((0,0),2)",
        "((1,0),2)",
    ];
    assert_eq!(coordinates("((2,1),3)", "((2,1),3)"), six);
}

/// Section 2.2.2: an index beyond the size always has a coordinate out of bounds; the converse fails.
#[test]
fn section_2_2_2_out_of_bounds() -> Result<(), Refusal> {
    let shape = shape("((2,3),2)");
    for index in 0..40 {
        let index_tuple: IntTuple = cute_algebra::Int::fixed(index).into();
        let coordinate = idx2crd(index_tuple.view(), shape.view())?;
        assert_eq!(
            is_inside(coordinate.view(), shape.view())?,
            Some(index < 12),
            "{index}"
        );
        assert_eq!(
            crd2idx_colex(coordinate.view(), shape.view())?.value(),
            Some(index)
        );
    }
    let outside = tuple("((5,0),0)");
    assert_eq!(is_inside(outside.view(), shape.view())?, Some(false));
    assert!(crd2idx_colex(outside.view(), shape.view())?.value() < Some(12));
    Ok(())
}

/// Section 2.3.1: with strides e0 and e1 a layout gives coordinates, element by element.
#[test]
fn section_2_3_1_basis_elements() -> Result<(), Refusal> {
    let identity = layout("(4,6):(1@0,1@1)");
    assert_eq!(
        format!("{:#}", identity.eval_coord(&tuple("(3,5)"))?.to_fixed()),
        "(3,5)"
    );
    let scaled = layout("(4,6):(2@1,3@0)");
    assert_eq!(
        format!("{:#}", scaled.eval_coord(&tuple("(3,5)"))?.to_fixed()),
        "(15,6)"
    );
    Ok(())
}

/// Figure 1: a 2x2x2 tensor, folded into 4x2 and into 2x4.
#[test]
fn figure_1_folding() {
    let tensor = layout("(2,2,2):(2,1,4)");
    let tall = layout("((2,2),2):((2,4),1)");
    let wide = layout("(2,(2,2)):(2,(1,4))");
    for (i, j, k) in (0..8).map(|n| (n & 1, n >> 1 & 1, n >> 2)) {
        let offset = at(&tensor, i + 2 * j + 4 * k);
        assert_eq!(at(&tall, i + 2 * k + 4 * j), offset);
        assert_eq!(at(&wide, i + 2 * (j + 2 * k)), offset);
    }
    // The flat 4x2 form exists and is the coalesced one; no step represents the second mode of the 2x4 matrix.
    let by_mode = |l: &Layout, mode| show(l.mode(mode).and_then(|mode| coalesce(&mode)));
    assert_eq!(
        (by_mode(&tall, 0), by_mode(&tall, 1)),
        ("4:2".to_owned(), "2:1".to_owned())
    );
    assert_eq!(by_mode(&wide, 1), "(2,2):(1,4)");
}

/// Section 2.4.1: L(22) = L(2,5) = L((0,1),(1,1)) = 26.
#[test]
fn section_2_4_1_evaluation() -> Result<(), Refusal> {
    let l = layout("((2,2),(4,2)):((1,8),(2,16))");
    for coordinate in ["22", "(2,5)", "((0,1),(1,1))"] {
        assert_eq!(
            l.eval_coord(&tuple(coordinate))?
                .as_leaf()
                .and_then(cute_algebra::Int::value),
            Some(26)
        );
    }
    Ok(())
}

/// Figure 3: layouts compatible with (4,8). Their images say what they are.
#[test]
fn figure_3_data_layouts() {
    let rows = |text: &str| {
        let l = layout(text);
        (0..4)
            .map(|m| (0..8).map(|n| at(&l, m + 4 * n)).collect())
            .collect::<Vec<Vec<i64>>>()
    };
    let grid = |f: &dyn Fn(i64, i64) -> i64| {
        (0..4)
            .map(|m| (0..8).map(|n| f(m, n)).collect())
            .collect::<Vec<Vec<i64>>>()
    };
    assert_eq!(rows("(4,8):(1,4)"), grid(&|m, n| m + 4 * n));
    assert_eq!(rows("(4,8):(8,1)"), grid(&|m, n| 8 * m + n));
    assert_eq!(rows("(4,8):(1,5)"), grid(&|m, n| m + 5 * n));
    assert_eq!(
        rows("(4,(4,2)):(4,(1,16))"),
        grid(&|m, n| 4 * m + n % 4 + 16 * (n / 4))
    );
    assert_eq!(
        rows("((2,2),(4,2)):((1,8),(2,16))"),
        grid(&|m, n| m % 2 + 8 * (m / 2) + 2 * (n % 4) + 16 * (n / 4))
    );
}

/// Figure 4: layouts whose strides are coordinates, and one whose strides are xored.
#[test]
fn figure_4_other_codomains() -> Result<(), Refusal> {
    let coordinates = layout("(4,8):(1@0,1@1)");
    let transposed = layout("(4,(4,2)):(1@1,(1@0,6@1))");
    for (m, n) in (0..32).map(|i| (i % 4, i / 4)) {
        let index = m + 4 * n;
        assert_eq!(
            format!("{:#}", coordinates.eval(index)?.to_fixed()),
            plain(&[m, n])
        );
        assert_eq!(
            format!("{:#}", transposed.eval(index)?.to_fixed()),
            plain(&[n % 4, m + 6 * (n / 4)])
        );
    }
    let swizzled = layout("(4,(4,3)):(f1,(f5,f16))");
    for (m, n) in (0..48).map(|i| (i % 4, i / 4)) {
        let carryless = |c: i64, f: i64| {
            (0..2)
                .filter(|bit| c >> bit & 1 == 1)
                .fold(0, |sum, bit| sum ^ f << bit)
        };
        assert_eq!(
            at(&swizzled, m + 4 * n),
            m ^ carryless(n % 4, 5) ^ carryless(n / 4, 16)
        );
    }
    Ok(())
}

fn plain(point: &[i64]) -> String {
    let numbers: Vec<String> = point.iter().map(|n| format!("_{n}")).collect();
    format!("({})", numbers.join(",")).replace('_', "")
}

/// Section 2.4.3: the sequence of compositions that has any function; the paper's own factors.
#[test]
fn section_2_4_3_completeness() -> Result<(), Refusal> {
    let table = [0, 9, 2, 77, 5, 31, 4];
    let found = infer(&table)?;
    assert_eq!(
        found.to_string(),
        "(_2,_2,_2,_2,_2,_2):(_9,_2,_77,_5,_31,_4) o (_3,_1):(_1,_4) o (_4,_1):(_1,_6) o (_5,_1):(_1,_8) o (_6,_1):(_1,_10)"
    );
    let Inferred::Sequence(layouts) = &found.inferred else {
        panic!("{found}")
    };
    for (index, value) in (0..).zip(table) {
        assert_eq!(
            layouts
                .iter()
                .rev()
                .fold(index, |reached, layout| at(layout, reached)),
            value
        );
    }
    // The rightmost N - 3 layouts send i to 2^(i-1).
    for index in 1..7 {
        assert_eq!(
            layouts
                .iter()
                .skip(1)
                .rev()
                .fold(index, |reached, layout| at(layout, reached)),
            1 << (index - 1)
        );
    }
    Ok(())
}

/// Section 2.4.4: linear in the natural coordinates, not in the others.
#[test]
fn section_2_4_4_semi_linearity() {
    let l = layout("((2,2),(4,2)):((1,8),(2,16))");
    assert_ne!(at(&l, 1 + 1), at(&l, 1) + at(&l, 1));
    let natural = |c: [i64; 4]| c[0] + 8 * c[1] + 2 * c[2] + 16 * c[3];
    let (x, y) = ([1, 0, 2, 1], [0, 1, 1, 0]);
    let sum = [3, 2, 8, 3].map(|c| c);
    assert_eq!(natural(sum), 3 * natural(x) + 2 * natural(y));
    let index = |c: [i64; 4]| c[0] + 2 * c[1] + 4 * c[2] + 16 * c[3];
    assert_eq!(at(&l, index(x)), natural(x));
    assert_eq!(at(&l, index(y)), natural(y));
}

/// Table 1: the linear form of an integer layout, of a coordinate layout, and of a binary layout.
#[test]
fn table_1_linear_forms() -> Result<(), Box<dyn std::error::Error>> {
    let integers = layout("((2,2),(4,2)):((1,8),(2,16))");
    let columns: Vec<String> = flatten(&integers)?
        .view()
        .steps()
        .iter()
        .map(|step| format!("{step:#}"))
        .collect();
    assert_eq!(columns, ["1", "8", "2", "16"]);

    let coordinates = layout("(4,(4,2)):(1@1,(1@0,6@1))");
    let unit = |i: i64| {
        coordinates
            .eval(i)
            .map(|offset| format!("{:#}", offset.to_fixed()))
    };
    // The columns of [0 1 0; 1 0 6]: the offsets of the unit coordinates.
    assert_eq!([unit(1)?, unit(4)?, unit(16)?], ["(0,1)", "(1,0)", "(0,6)"]);

    for text in ["(4,4):(f1,f5)", "((2,2),(2,2)):((f1,f2),(f5,f10))"] {
        let binary = BitMatrix::of_layout(&layout(text))?;
        assert_eq!(
            binary.to_string(),
            "[1 0 1 0]\n[0 1 0 1]\n[0 0 1 0]\n[0 0 0 1]"
        );
    }
    assert_eq!(
        offsets(&layout("(4,4):(f1,f5)")),
        offsets(&layout("((2,2),(2,2)):((f1,f2),(f5,f10))"))
    );
    Ok(())
}

/// Figure 5: the six slices of a 6x12 tensor.
///
/// The offsets are the paper's. CuTe's own form keeps a tuple around a single mode that is left, and writes the modes that
/// are left of two modes in a row: `(2,2,2)` where the paper has `(2,(2,2))`.
#[test]
fn figure_5_slices() -> Result<(), Refusal> {
    let a = layout("((3,2),((2,3),2)):((4,1),((2,15),100))");
    for (coordinate, origin, sliced) in [
        ("(2,_)", 8, "((2,3),2):((2,15),100)"),
        ("(_,5)", 32, "(3,2):(4,1)"),
        ("(2,((0,_),_))", 8, "(3,2):(15,100)"),
        ("((_,1),(_,0))", 1, "(3,(2,3)):(4,(2,15))"),
        ("((_,0),((0,_),1))", 100, "(3,3):(4,15)"),
        ("((1,_),((_,0),_))", 4, "(2,(2,2)):(1,(2,100))"),
    ] {
        let (slice, offset) = slice_and_offset(&coord(coordinate), &a)?;
        assert_eq!(
            offset.as_leaf().and_then(cute_algebra::Int::value),
            Some(origin),
            "{coordinate}"
        );
        assert_eq!(offsets(&slice), offsets(&layout(sliced)), "{coordinate}");
        assert_eq!(flatten(&slice)?, flatten(&layout(sliced))?, "{coordinate}");
    }
    Ok(())
}

/// Figure 5: the numbers of the tensor itself, row by row.
#[test]
fn figure_5_tensor() {
    let a = layout("((3,2),((2,3),2)):((4,1),((2,15),100))");
    let first_row: Vec<i64> = (0..12).map(|n| at(&a, 6 * n)).collect();
    assert_eq!(
        first_row,
        [0, 2, 15, 17, 30, 32, 100, 102, 115, 117, 130, 132]
    );
    let first_column: Vec<i64> = (0..6).map(|m| at(&a, m)).collect();
    assert_eq!(first_column, [0, 4, 8, 1, 5, 9]);
    for (m, n) in (0..72).map(|i| (i % 6, i / 6)) {
        assert_eq!(
            at(&a, m + 6 * n),
            first_column[m as usize] + first_row[n as usize]
        );
    }
}

/// Section 2.5.1: ranged slices. One is a layout, the other is not.
#[test]
fn section_2_5_1_ranged_slices() {
    let a = layout("((3,2),((2,3),2)):((4,1),((2,15),100))");
    let columns: Vec<i64> = (0..12).step_by(2).map(|n| at(&a, 6 * n)).collect();
    assert_eq!(
        infer(&columns).map(|found| found.to_string()),
        Ok("(_3,_2):(_15,_100)".to_owned())
    );
    let rows: Vec<i64> = (0..6).step_by(2).map(|m| at(&a, m)).collect();
    assert!(cute_algebra::infer::layout_of(&rows).is_err(), "{rows:?}");
}

/// Table 2: source and destination of each application of COPY have the same size, and it does what its name says.
#[test]
fn table_2_copy() {
    for (application, source, destination) in [
        ("1D arrays", "8:1", "8:1"),
        ("ND arrays", "(8,2,3):(1,16,32)", "(8,2,3):(1,16,32)"),
        ("gather", "(2,3,2):(42,1,128)", "12:1"),
        ("scatter", "12:1", "(2,3,2):(42,1,128)"),
        ("broadcast", "7:0", "7:1"),
        ("constant", "7:0", "7:0"),
        ("transpose", "(8,3):(1,8)", "(8,3):(3,1)"),
        ("tensor transpose", "(8,(3,5)):(1,(57,8))", "(8,15):(1,8)"),
    ] {
        let (source, destination) = (layout(source), layout(destination));
        assert_eq!(size(&source), size(&destination), "{application}");
        let distinct = |l: &Layout| {
            offsets(l)
                .into_iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len() as i64
        };
        let repeats = |l: &Layout| distinct(l) < size(l);
        assert_eq!(
            repeats(&source),
            matches!(application, "broadcast" | "constant"),
            "{application}"
        );
        assert_eq!(
            repeats(&destination),
            application == "constant",
            "{application}"
        );
    }
    let (source, destination) = (layout("(8,3):(1,8)"), layout("(8,3):(3,1)"));
    for (i, j) in (0..24).map(|n| (n % 8, n / 8)) {
        assert_eq!(at(&source, i + 8 * j), i + 8 * j);
        assert_eq!(at(&destination, i + 8 * j), j + 3 * i);
    }
}

/// Table 3: the preconditions of GEMM hold for every application, for symbolic sizes.
#[test]
fn table_3_gemm() -> Result<(), Refusal> {
    for (application, a, b, c) in [
        ("NT GEMM", "(M,K):(1,lda)", "(N,K):(1,ldb)", "(M,N):(1,ldc)"),
        ("TN GEMM", "(M,K):(lda,1)", "(N,K):(ldb,1)", "(M,N):(1,ldc)"),
        (
            "NTT GEMM",
            "(N,K):(1,ldb)",
            "(M,K):(1,lda)",
            "(N,M):(1,ldc)",
        ),
        (
            "BLIS GEMM",
            "(M,K):(dma,dka)",
            "(N,K):(dnb,dkb)",
            "(M,N):(dmc,dnc)",
        ),
        (
            "GETT",
            "((M1,M2),K):((1,W),X)",
            "(N,K):(K,1)",
            "((M1,M2),N):((1,Y),Z)",
        ),
        (
            "GETT",
            "(M,(K1,K2)):((W,X),1)",
            "(N,(K1,K2)):((Y,Z),1)",
            "(M,N):(1,M)",
        ),
    ] {
        let modes = [("A", a), ("B", b), ("C", c)].map(|(_, text)| layout_or_stride_shape(text));
        let [a, b, c] = modes;
        assert_eq!(a[0], c[0], "{application}: M");
        assert_eq!(b[0], c[1], "{application}: N");
        assert_eq!(a[1], b[1], "{application}: K");
    }
    // CONV folds its modes into the same three.
    let a = shape("(K,(C,T,R,S))");
    let b = shape("((N,Z,P,Q),(C,T,R,S))");
    let c = shape("(K,(N,Z,P,Q))");
    let mode = |shape: &cute_algebra::Shape, i| {
        shape
            .get(i)
            .map(|mode| mode.size().map(|size| size.to_string()))
            .transpose()
    };
    assert_eq!(mode(&a, 0)?, mode(&c, 0)?);
    assert_eq!(mode(&b, 0)?, mode(&c, 1)?);
    assert_eq!(mode(&a, 1)?, mode(&b, 1)?);
    Ok(())
}

/// The sizes of the two modes of a matrix. The second GETT row of the table writes a stride `((W,X),1)` beside the shape
/// `(M,(K1,K2))`: shape and stride are not congruent there, so the stride's modes are read in the order `(1,(W,X))`.
fn layout_or_stride_shape(text: &str) -> Vec<String> {
    let corrected = match text {
        "(M,(K1,K2)):((W,X),1)" => "(M,(K1,K2)):(1,(W,X))",
        "(N,(K1,K2)):((Y,Z),1)" => "(N,(K1,K2)):(1,(Y,Z))",
        text => {
            assert!(text.parse::<Layout>().is_ok(), "{text}");
            text
        }
    };
    assert!(corrected == text || text.parse::<Layout>().is_err());
    let matrix = layout(corrected);
    matrix
        .view()
        .modes()
        .filter_map(|mode| mode.size().ok().map(|size| size.to_string()))
        .collect()
}
