//! Tensors (paper §2.5): their print, figure 5 as tensors with a counting accessor, and the law of slicing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod generators;

use cute_algebra::coord::coordinates;
use cute_algebra::{
    Accessor, Coord, CoordLeaf, Int, IntTuple, Parse, Reading, Rule, Space, Tensor,
};
use generators::integer_layout;
use proptest::prelude::*;

fn tensor(text: &str) -> Tensor {
    Tensor::parse(text, Reading::Plain).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
}

fn coord(text: &str) -> Coord {
    Coord::parse(text, Reading::Plain).unwrap()
}

#[test]
fn every_print_of_cute_parses_back_to_the_same_value() {
    for text in [
        "gmem_ptr[16b](PTR) o (_128,_64):(_64,_1)",
        "smem_ptr[32b](PTR) o ((_8,4),_2):((_1,8),32)",
        "rmem_ptr[8b](PTR) o _4:_1",
        "ptr[32b](PTR) o (M,K):(_1,ldA)",
        "Sw<3,4,3>_smem_ptr[16b](PTR) o (_8,_64):(_64,_1)",
        "Sw<1,4,3>_smem_ptr[8b](PTR+24) o _8:_1",
        "tmem_[32b](PTR.0000) o ((_128,_32),_1,_1):((_65536,_1),_0,_0)",
        "ArithTuple(_0,_0) o (_4,_8):(_1@0,_1@1)",
        "ArithTuple(0,0) o (4,8):(_1@1,_1@0)",
        "counting_iter(5) o (3,2):(4,1)",
        "gmem_ptr[16b](PTR+8*ldA) o _8:_1",
        "gmem_ptr[16b](PTR+-3) o _8:_1",
        "smem_ptr[4b](PTR) o Sw<3,4,3> o _0 o (_8,_64):(_64,_1)",
    ] {
        let read: Tensor = text
            .parse()
            .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        assert_eq!(read.to_string(), text);
        let plain = tensor(&format!("{read:#}"));
        assert_eq!(tensor(&format!("{plain:#}")), plain, "{text}");
    }
}

#[test]
fn an_address_is_unknown_however_it_is_written() {
    let unknown = tensor("smem_ptr[16b](PTR) o 8:1");
    for text in [
        "smem_ptr[16b](unset) o 8:1",
        "smem_ptr[16b](0x7f12ab00) o 8:1",
        " smem_ptr [ 16b ] ( PTR ) o 8 : 1",
    ] {
        assert_eq!(tensor(text), unknown, "{text}");
    }
    let Accessor::Pointer(pointer) = unknown.accessor else {
        panic!("a pointer");
    };
    assert_eq!((pointer.space, pointer.element_bits), (Space::Shared, 16));
}

#[test]
fn malformed_tensors_are_refused() {
    for text in [
        "",
        "gmem_ptr[16b](PTR)",
        "gmem_ptr[16b]() o 8:1",
        "gmem_ptr[0b](PTR) o 8:1",
        "gmem_ptr[-1b](PTR) o 8:1",
        "gmem_ptr[99999999999b](PTR) o 8:1",
        "gmem_ptr(PTR) o 8:1",
        "hmem_ptr[16b](PTR) o 8:1",
        "Sw<3,4,3>smem_ptr[16b](PTR) o 8:1",
        "{0 o 8:1",
        "ArithTuple o 8:1",
        "gmem_ptr[16b](PTR) o 8:1 o",
    ] {
        assert_eq!(
            Tensor::parse(text, Reading::Plain).unwrap_err().rule,
            Rule::Malformed,
            "{text}"
        );
    }
}

/// Figure 5: the tensor {0} o ((3,2),((2,3),2)):((4,1),((2,15),100)) and its six slices, with the accessors of the figure.
#[test]
fn figure_5_slices_of_a_counting_tensor() {
    let a = tensor("{0} o ((3,2),((2,3),2)):((4,1),((2,15),100))");
    for (coordinate, figure) in [
        ("(2,_)", "{8} o ((2,3),2):((2,15),100)"),
        ("(_,5)", "{32} o (3,2):(4,1)"),
        ("(2,((0,_),_))", "{8} o (3,2):(15,100)"),
        ("((_,1),(_,0))", "{1} o (3,(2,3)):(4,(2,15))"),
        ("((_,0),((0,_),1))", "{100} o (3,3):(4,15)"),
        ("((1,_),((_,0),_))", "{4} o (2,(2,2)):(1,(2,100))"),
    ] {
        let (sliced, figure) = (a.slice(&coord(coordinate)).unwrap(), tensor(figure));
        assert_eq!(sliced.accessor, figure.accessor, "{coordinate}");
        let size = figure.layout.size().unwrap().value().unwrap();
        assert_eq!(sliced.layout.size().unwrap().value(), Some(size));
        for i in 0..size {
            let at = IntTuple::leaf(Int::fixed(i));
            assert_eq!(sliced.at(&at), figure.at(&at), "{coordinate} at {i}");
        }
    }
}

#[test]
fn slicing_moves_every_kind_of_accessor() {
    for (whole, at, part) in [
        (
            "gmem_ptr[16b](PTR) o (4,8):(8,1)",
            "(3,_)",
            "gmem_ptr[16b](PTR+24) o (8):(1)",
        ),
        (
            "gmem_ptr[16b](PTR+5) o (4,8):(8,1)",
            "(_,2)",
            "gmem_ptr[16b](PTR+7) o (4):(8)",
        ),
        (
            "gmem_ptr[16b](PTR) o (4,8):(ldA,1)",
            "(3,_)",
            "gmem_ptr[16b](PTR+3*ldA) o (8):(1)",
        ),
        (
            "ArithTuple(0,0) o (4,8):(1@0,1@1)",
            "(3,_)",
            "ArithTuple(3,0) o (8):(1@1)",
        ),
        (
            "ArithTuple(1,2) o (4,8):(1@1,2@0)",
            "(_,3)",
            "ArithTuple(7,2) o (4):(1@1)",
        ),
        (
            "gmem_ptr[16b](PTR) o (4,8):(8,1)",
            "_",
            "gmem_ptr[16b](PTR) o (4,8):(8,1)",
        ),
        (
            "gmem_ptr[16b](PTR) o (4,8):(8,1)",
            "(3,5)",
            "gmem_ptr[16b](PTR+29) o ():()",
        ),
    ] {
        let sliced = tensor(whole).slice(&coord(at)).unwrap();
        assert_eq!(format!("{sliced:#}"), part, "{whole} at {at}");
    }
    let crossed = tensor("gmem_ptr[16b](PTR) o (4,8):(1@0,1@1)");
    assert_eq!(
        crossed.slice(&coord("(3,_)")).unwrap_err().rule,
        Rule::UnlikeCodomains
    );
    let far = tensor("gmem_ptr[16b](PTR+9223372036854775807) o (4,8):(8,1)");
    assert_eq!(far.slice(&coord("(1,_)")).unwrap_err().rule, Rule::Overflow);
}

#[test]
fn bytes_of_swizzled_and_of_narrow_elements() {
    let at = |text: &str, at: &str| {
        tensor(text).byte_address(&IntTuple::parse(at, Reading::Plain).unwrap())
    };
    let known = |text, place| at(text, place).map(|byte| byte.value().unwrap());
    assert_eq!(
        known("gmem_ptr[16b](PTR+1) o (8,64):(64,1)", "(1,8)"),
        Ok(146)
    );
    // Row 1 of 128 bytes: bit 7 of the address is xored into bit 4.
    assert_eq!(
        known("Sw<3,4,3>_smem_ptr[16b](PTR) o (8,64):(64,1)", "(1,8)"),
        Ok((128 + 16) ^ 16)
    );
    assert_eq!(known("smem_ptr[4b](PTR) o 8:1", "6"), Ok(3));
    assert_eq!(
        at("smem_ptr[4b](PTR) o 8:1", "5").unwrap_err().rule,
        Rule::NotDivisible
    );
    // 2^60 elements of 4 bytes: the bytes fit in 64 bits, their bits do not.
    assert_eq!(
        known("gmem_ptr[32b](PTR) o 2:1152921504606846976", "1"),
        Ok(1 << 62)
    );
    assert_eq!(
        at("gmem_ptr[64b](PTR) o 2:1152921504606846976", "1")
            .unwrap_err()
            .rule,
        Rule::Overflow
    );
    assert!(at("{0} o 8:1", "1").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// T.slice(c).at(x) = T.at(c with x for _), for every coordinate that fixes some of the top-level modes.
    #[test]
    fn a_slice_is_the_tensor_with_the_indices_filled_in(
        layout in integer_layout(), fixed in any::<u8>(), seed in 0_i64..1000
    ) {
        let start = Int::fixed(7);
        let whole = Tensor::new(Accessor::Counting(start), layout.clone());
        let kept = |mode: usize| fixed & (1 << mode) == 0;
        let index = |mode: usize| {
            let size = layout.mode(mode).unwrap().size().unwrap().value().unwrap();
            seed % size
        };
        let chosen = (0..layout.rank()).map(|mode| if kept(mode) {
            CoordLeaf::Underscore
        } else {
            CoordLeaf::Int(Int::fixed(index(mode)))
        });
        let sliced = whole.slice(&Coord::flat(chosen).unwrap()).unwrap();
        for x in coordinates(&sliced.shape()).unwrap().take(200) {
            let x = x.unwrap();
            let mut left = x.modes();
            let filled = (0..layout.rank()).map(|mode| if kept(mode) {
                left.next().unwrap().to_tuple()
            } else {
                IntTuple::leaf(Int::fixed(index(mode)))
            });
            let filled = IntTuple::group(filled.collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(sliced.at(&x).unwrap(), whole.at(&filled).unwrap());
        }
    }
}
