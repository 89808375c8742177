//! The worked examples of the other documents, where the settled meaning does not overrule them; each test names its source.
//! An example that is overruled is tested as that: the text, and what holds instead.

mod notation;

use cute_algebra::extension::Extension;
use cute_algebra::infer::{layout_admitting, layout_of};
use cute_algebra::ops::{
    coalesce, complement, composition, filter, filter_zeros, flat_divide, flat_product, group,
    logical_divide, logical_product, raked_product, tiled_divide, tiled_product, zipped_divide,
    zipped_product,
};
use cute_algebra::{Layout, Refusal, Swizzle, Tiler};
use notation::{at, layout, offsets, shape, show, size, tiler};

fn compose(a: &str, b: &str) -> String {
    show(composition(&layout(a), &layout(b)))
}

/// Specification, "Complement": `complement(4:2, 24) = (2,3):(1,8)`.
#[test]
fn specification_complement_example() -> Result<(), Refusal> {
    let rest = complement(&layout("4:2"), &shape("24"))?;
    assert_eq!(format!("{rest:#}"), "(2,3):(1,8)");
    let both = Layout::concat([layout("4:2").view(), rest.view()])?;
    let mut reached = offsets(&both);
    reached.sort_unstable();
    assert_eq!(reached, (0..24).collect::<Vec<_>>());
    Ok(())
}

/// Specification, "Coalesce": the rules, read for neighbours from left to right, and the postcondition.
#[test]
fn specification_coalesce_rules() {
    for (text, expected) in [
        ("(4,1):(3,7)", "4:3"),
        ("(1,4):(7,3)", "4:3"),
        ("(2,4):(3,6)", "8:3"),
        ("(2,4):(3,5)", "(2,4):(3,5)"),
    ] {
        let l = layout(text);
        assert_eq!(show(coalesce(&l)), expected);
        assert_eq!(coalesce(&l).map(|c| offsets(&c)), Ok(offsets(&l)));
    }
}

/// Specification, "Complement", overruled: the algorithm from the least stride holds for a single mode only. For
/// `(2,2):(1,4)` it misses the gap between the strides.
#[test]
fn specification_complement_algorithm_is_for_one_mode() {
    let algorithm = |extents: &[i64], strides: &[i64], target: i64| {
        let least = strides.iter().copied().min().unwrap_or(1);
        let period = extents.iter().product::<i64>() * least;
        (least, (target + period - 1) / period, period)
    };
    let (inner, periods, period) = algorithm(&[4], &[2], 24);
    assert_eq!(
        format!("({inner},{periods}):(1,{period})"),
        show(complement(&layout("4:2"), &shape("24")))
    );
    let (inner, periods, period) = algorithm(&[2, 2], &[1, 4], 8);
    assert_eq!((inner, periods, period), (1, 2, 4));
    assert_eq!(show(complement(&layout("(2,2):(1,4)"), &shape("8"))), "2:2");
}

/// Specification, "Division Variants" and "Product Variants": what the variants gather.
#[test]
fn specification_variants() {
    let matrix = layout("(8,16,3):(20,1,400)");
    let tiler = tiler("(4,8)");
    for (divided, expected) in [
        (
            logical_divide(&matrix, &tiler),
            "((4,2),(8,2),3):((20,80),(1,8),400)",
        ),
        (
            zipped_divide(&matrix, &tiler),
            "((4,8),(2,2,3)):((20,1),(80,8,400))",
        ),
        (
            tiled_divide(&matrix, &tiler),
            "((4,8),2,2,3):((20,1),80,8,400)",
        ),
        (flat_divide(&matrix, &tiler), "(4,8,2,2,3):(20,1,80,8,400)"),
    ] {
        assert_eq!(show(divided), expected);
    }
    let block = layout("(3,4):(4,1)");
    let grid = notation::tiler("(2,5)");
    for (product, expected) in [
        (zipped_product(&block, &grid), "((3,4),(2,5)):((4,1),(1,4))"),
        (tiled_product(&block, &grid), "((3,4),2,5):((4,1),1,4)"),
        (flat_product(&block, &grid), "(3,4,2,5):(4,1,1,4)"),
    ] {
        assert_eq!(show(product), expected);
    }
}

/// Specification, "cosize", settled otherwise: `L(size-1) + 1` fails for negative strides.
#[test]
fn specification_cosize_is_the_last_offset_without_negative_strides() {
    for text in ["(4,8):(1,5)", "(3,(2,2)):(4,(0,30))"] {
        let l = layout(text);
        assert_eq!(show(l.cosize()), (at(&l, size(&l) - 1) + 1).to_string());
    }
    let negative = layout("(2,2):(2,-1)");
    assert_eq!(show(negative.cosize()), "4");
    assert_ne!(at(&negative, 3) + 1, 4);
}

/// Blog, Definition 2: `(m,n):(n,1)` has its (i,j) entry at n*i + j.
#[test]
fn blog_row_major() {
    let (m, n) = (5, 7);
    let l = layout(&format!("({m},{n}):({n},1)"));
    for (i, j) in (0..m * n).map(|x| (x % m, x / m)) {
        assert_eq!(at(&l, i + m * j), n * i + j);
    }
}

/// Blog, `test_find_layout`: the three cases of that test.
#[test]
fn blog_find_layout() {
    for text in ["(3,5,7):(4,9,8)", "(3,2):(10,13)", "9:4"] {
        let found = layout_of(&offsets(&layout(text))).map(|l| format!("{l:#}"));
        assert_eq!(found.as_deref(), Ok(text));
    }
}

/// Blog, `test_layout_function`: the coordinates of (3,4):(1,3).
#[test]
fn blog_layout_function() {
    let l = layout("(3,4):(1,3)");
    assert_eq!(offsets(&l), (0..12).collect::<Vec<_>>());
}

/// Blog, "Layout extensions": the extension goes on with the last mode. Its closed form by the cosize is overruled: it
/// holds only where one round of the last mode spans the cosize.
#[test]
fn blog_layout_extension() -> Result<(), Refusal> {
    let by_cosize = |l: &Layout, x: i64| {
        let cosize = l.cosize().ok().and_then(|c| c.value()).unwrap_or(0);
        at(l, x % size(l)) + cosize * (x / size(l))
    };
    let value = |l: &Layout, x: i64| {
        Extension::of(l.clone())
            .eval(x)
            .map(|offset| offset.to_fixed().to_string())
    };
    let compact = layout("(2,3):(1,2)");
    let padded = layout("(2,3):(1,10)");
    for x in 0..40 {
        assert_eq!(value(&compact, x)?, format!("_{}", by_cosize(&compact, x)));
        assert_eq!(value(&padded, x)?, format!("_{}", x % 2 + 10 * (x / 2)));
    }
    assert_eq!(
        (value(&padded, 6)?, by_cosize(&padded, 6)),
        ("_30".to_owned(), 22)
    );
    Ok(())
}

/// Blog, claims 1 and 2: of all first extents that are consistent, the largest is the one to take; the others divide it.
#[test]
fn blog_the_largest_consistent_extent() {
    let values = offsets(&layout("(2,6,5):(3,6,1)"));
    let consistent: Vec<usize> = (2..values.len())
        .filter(|n| {
            (0..values.len()).all(|x| values[x] == values[n * (x / n)] + 3 * (x % n) as i64)
        })
        .collect();
    assert_eq!(consistent, [2, 3, 4, 6, 12]);
    assert_eq!(
        layout_of(&values).map(|l| format!("{l:#}")).as_deref(),
        Ok("(12,5):(3,1)")
    );
}

/// Blog, Definition 5: the complement as a bijection exists where inference finds it.
#[test]
fn blog_table_with_a_partial_last_column() {
    assert_eq!(
        layout_admitting(&[0, 4, 8, 1, 5])
            .map(|l| format!("{l:#}"))
            .as_deref(),
        Ok("(3,2):(4,1)")
    );
}

/// Blog, Definition 4: concatenation indexes the first layout fastest. Its sum of cosizes is overruled: the span of a sum
/// is the sum of the spans less one.
#[test]
fn blog_concatenation() -> Result<(), Refusal> {
    let (a, b) = (layout("(3,2):(1,10)"), layout("4:100"));
    let both = Layout::concat([a.view(), b.view()])?;
    for x in 0..size(&both) {
        assert_eq!(at(&both, x), at(&a, x % 6) + at(&b, x / 6));
    }
    let cosize = |l: &Layout| l.cosize().map(|c| c.value());
    assert_eq!(
        (cosize(&a)?, cosize(&b)?, cosize(&both)?),
        (Some(13), Some(301), Some(313))
    );
    Ok(())
}

/// Descriptor page, "Layout Model": row-major and column-major tiles.
#[test]
fn descriptor_page_layout_model() {
    let (rows, columns) = (layout("(2,2):(2,1)"), layout("(2,2):(1,2)"));
    for (row, column) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        assert_eq!(at(&rows, row + 2 * column), row * 2 + column);
        assert_eq!(at(&columns, row + 2 * column), row + column * 2);
    }
}

/// Descriptor page, "Composition": both worked examples, in the paper's order of the operands.
#[test]
fn descriptor_page_composition() {
    assert_eq!(compose("8:2", "4:1"), "4:2");
    // Its result `(2,2):(1,2)` keeps the mode that CuTe's form keeps too.
    assert_eq!(compose("(4,2):(1,4)", "(2,2):(1,2)"), "(2,2):(1,2)");
}

/// Descriptor page, "Complement, gap-filling case": 4:32 in [0,256). The page stops at the first factor `32:1`; the
/// complement goes on to the target.
#[test]
fn descriptor_page_complement() {
    assert_eq!(show(complement(&layout("4:32"), &shape("128"))), "32:1");
    assert_eq!(
        show(complement(&layout("4:32"), &shape("256"))),
        "(32,2):(1,128)"
    );
}

/// Descriptor page, "Logical divide, one-mode case".
#[test]
fn descriptor_page_divide() {
    assert_eq!(show(complement(&layout("32:1"), &shape("128"))), "4:32");
    assert_eq!(
        show(logical_divide(&layout("128:1"), &tiler("32:1"))),
        "(32,4):(1,32)"
    );
}

/// Descriptor page, "Logical product, one-mode case": its complement is right, and so is the result for the grid `4:1`,
/// which it calls illegal; for the grid `4:32` the paper's copies are 32*128 apart.
#[test]
fn descriptor_page_product() {
    assert_eq!(show(complement(&layout("128:1"), &shape("512"))), "4:128");
    assert_eq!(
        show(logical_product(&layout("128:1"), &tiler("4:1"))),
        "(128,4):(1,128)"
    );
    assert_eq!(
        show(logical_product(&layout("128:1"), &tiler("4:32"))),
        "(128,4):(1,4096)"
    );
}

/// Descriptor page, "Coalesce", overruled: it reads the rightmost mode as the fastest. In colexicographic order
/// `(2,4):(4,1)` stays, and it is `(4,2):(1,4)` that is `8:1`.
#[test]
fn descriptor_page_coalesce_is_lexicographic() {
    assert_eq!(show(coalesce(&layout("(2,4):(4,1)"))), "(2,4):(4,1)");
    assert_eq!(show(coalesce(&layout("(4,2):(1,4)"))), "8:1");
    assert_eq!(show(coalesce(&layout("(2,4):(8,1)"))), "(2,4):(8,1)");
}

/// Descriptor page, "Filter-zeros": the broadcast mode adds no offset. The page drops the mode, which is CuTe's `filter`;
/// CuTe's `filter_zeros` keeps the hierarchy.
#[test]
fn descriptor_page_filter_zeros() {
    let l = layout("(4,3):(1,0)");
    assert_eq!(show(filter_zeros(&l)), "(4,1):(1,0)");
    assert_eq!(show(filter(&l)), "4:1");
}

/// Descriptor page, "Invariants": shape and stride are congruent, the size is the product of the extents, the cosize the
/// maximum reachable offset plus one.
#[test]
fn descriptor_page_invariants() -> Result<(), Refusal> {
    for text in ["(4,8):(1,(2,3))", "((2,2),4):(1,4)", "(4,8):1", "4:(1,2)"] {
        assert!(text.parse::<Layout>().is_err(), "{text}");
    }
    for (text, product) in [
        ("((2,3),4):((1,8),2)", 24),
        ("(5,(2,2)):(0,(7,3))", 20),
        ("():()", 1),
    ] {
        let l = layout(text);
        assert_eq!(size(&l), product, "{text}");
        let last = offsets(&l).into_iter().max();
        assert_eq!(l.cosize()?.value(), last.map(|last| last + 1), "{text}");
    }
    Ok(())
}

/// Descriptor page, "Invariants", overruled: composition is not only defined where the inner image fits the outer domain;
/// the outer layout's last mode extends.
#[test]
fn descriptor_page_composition_beyond_the_domain() {
    assert_eq!(compose("(2,4):(4,1)", "2:4"), "2:2");
    assert_eq!(compose("4:3", "8:1"), "8:3");
}

/// Descriptor page, "sanity invariant": coalescing after filtering is idempotent and keeps the image.
#[test]
fn descriptor_page_filter_then_coalesce_is_idempotent() -> Result<(), Refusal> {
    for text in [
        "(4,3):(1,0)",
        "((2,2),(2,4)):((0,1),(0,2))",
        "(2,(1,6)):(1,(6,2))",
    ] {
        let once = coalesce(&filter_zeros(&layout(text))?)?;
        assert_eq!(coalesce(&filter_zeros(&once)?)?, once);
        let image = |l: &Layout| {
            offsets(l)
                .into_iter()
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(image(&once), image(&layout(text)));
    }
    Ok(())
}

/// Descriptor page, `group_modes`: `(M,N,K)` becomes `((M,N),K)`.
#[test]
fn descriptor_page_group_modes() {
    let grouped = group(&layout("(3,5,7):(1,3,15)"), 0, 2);
    assert_eq!(show(grouped), "((3,5),7):((1,3),15)");
}

/// Descriptor page, "Swizzle Operator", overruled: it reads the source bits at `S`; CuTe reads them at `M + S`. The
/// page's numbers follow from its own convention, under which `<3,4,3>` is not an involution.
#[test]
fn descriptor_page_swizzle_convention() -> Result<(), Refusal> {
    let page = |offset: i64| offset ^ ((offset & 0x38) >> 3) << 4;
    let numbers: Vec<i64> = (0..8).map(|row| page(8 * row)).collect();
    assert_eq!(numbers, [0x00, 0x18, 0x30, 0x28, 0x60, 0x78, 0x50, 0x48]);
    assert_ne!(page(page(0x18)), 0x18);

    let cute = Swizzle::new(3, 4, 3)?;
    for offset in 0..1024 {
        assert_eq!(cute.apply(cute.apply(offset)), offset);
        assert_eq!(cute.apply(offset), offset ^ (offset >> 7 & 7) << 4);
    }
    Ok(())
}

/// Descriptor page, "Canonical SMEM Swizzle Modes": the four triples are legal in CuTe's convention, and the first is the
/// identity.
#[test]
fn descriptor_page_swizzle_modes() -> Result<(), Refusal> {
    assert!(Swizzle::new(0, 0, 0)?.is_identity());
    for bits in 1..=3 {
        let swizzle = Swizzle::new(bits, 4, 3)?;
        let image: std::collections::BTreeSet<i64> =
            (0..1024).map(|offset| swizzle.apply(offset)).collect();
        assert_eq!(image.len(), 1024);
    }
    Ok(())
}

/// Page "`partition_C` explained", "The Permutation": which positions each thread gets, and the divided strides.
#[test]
fn partition_page_permutations() -> Result<(), Refusal> {
    for (permutation, first, rest, divided) in [
        (
            "(16,4):(4,1)",
            vec![0, 1, 2, 3],
            2,
            "((16,4),2):((512,128),8192)",
        ),
        (
            "(16,4):(1,16)",
            vec![0, 16, 32, 48],
            2,
            "((16,4),2):((128,2048),8192)",
        ),
        (
            "(16,8):(8,1)",
            vec![0, 1, 2, 3, 4, 5, 6, 7],
            1,
            "((16,8),1):((1024,128),0)",
        ),
    ] {
        let p = layout(permutation);
        let thread = |k: i64| {
            (0..size(&p) / 16)
                .map(|r| at(&p, k + 16 * r))
                .collect::<Vec<_>>()
        };
        assert_eq!(thread(0), first, "{permutation}");
        assert_eq!(128 / size(&p), rest, "{permutation}");
        let result = logical_divide(&layout("128:128"), &Tiler::Layout(p))?;
        let without_unit =
            |l: &Layout| coalesce(&l.mode(1)?).map(|rest| (l.mode(0), offsets(&rest)));
        assert_eq!(
            without_unit(&result)?,
            without_unit(&layout(divided))?,
            "{permutation}"
        );
    }
    let p = layout("(16,4):(4,1)");
    assert_eq!(
        (0..4).map(|r| at(&p, 15 + 16 * r)).collect::<Vec<_>>(),
        [60, 61, 62, 63]
    );
    Ok(())
}

/// Page "`partition_C` explained", steps 3 and 4: a nested mode is a nested loop, and the offset formula of a thread.
#[test]
fn partition_page_nested_modes() {
    let rows = layout("(4,2):(128,8192)");
    assert_eq!(offsets(&rows), [0, 128, 256, 384, 8192, 8320, 8448, 8576]);
    let thread = layout("(1,(4,2),(4,2)):(0,(128,8192),(1,64))");
    assert_eq!(size(&thread), 64);
    let (m0, m1, n0, n1) = (2, 1, 3, 0);
    assert_eq!(at(&thread, m0 + 4 * m1 + 8 * (n0 + 4 * n1)), 8451);
}

/// Specification, `raked_product`: rest first in each mode.
#[test]
fn specification_raked_product() {
    let product = raked_product(&layout("(2,2):(1,2)"), &layout("(3,5):(1,3)"));
    assert_eq!(show(product), "((3,2),(5,2)):((4,1),(12,2))");
}
