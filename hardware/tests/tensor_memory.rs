//! Scale factors and metadata in tensor memory, and TMA atoms of `tcgen05` operands, as CuTe 4.2 prints them.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use cute_algebra::{Int, Shape, Tiler};
use cute_hardware::tensor_memory::fragment::{metadata, scale_factors};
use cute_hardware::tma::umma::operand_atom;
use cute_hardware::tma::{TmaAtom, TmaRequest};
use cute_hardware::{Element, MmaAtom, Operand, Rule, TemplateId, TiledMma};

const MAJORS: &str = "UMMA::Major::K, UMMA::Major::K";

fn atom(name: &str) -> MmaAtom {
    MmaAtom::named(name).unwrap()
}

fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

#[test]
fn scale_factors_are_where_cute_puts_them() {
    let print = |name: &str, operand, tile: &str| {
        let name = format!("{name}, {MAJORS}>");
        scale_factors(&atom(&name), operand, &shape(tile))
            .unwrap()
            .to_string()
    };
    let eight = "SM100_MMA_MXF8F6F4_SS<float_e4m3_t, float_e4m3_t, float, float_ue8m0_t, 128, 256";
    assert_eq!(
        print(eight, Operand::A, "((_128,(_32,_1)),_1,_4)"),
        "((((_32,_4),_4),(_32,_1)),_1,_4):((((_262144,_4),_8388608),(_0,_1)),_0,_1)"
    );
    assert_eq!(
        print(eight, Operand::B, "((_256,(_32,_1)),_1,_4)"),
        "((((_32,_8),_4),(_32,_1)),_1,_4):((((_262144,_4),_8388608),(_0,_1)),_0,_1)"
    );
    let four = "SM100_MMA_MXF4_SS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 128, 256, 16";
    assert_eq!(
        print(four, Operand::A, "((_128,(_16,_4)),_2,_4)"),
        "((((_32,_4),_4),(_16,_4)),_2,_4):((((_262144,_4),_8388608),(_0,_1)),_16,_32)"
    );
    let pair =
        "SM100_MMA_MXF4_2x1SM_SS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 128, 256, 16";
    assert_eq!(
        print(pair, Operand::B, "((_256,(_32,_1)),_1,_4)"),
        "((((_32,_4),_2,_2),(_32,_1)),_1,_4):((((_262144,_4),_16777216,_8388608),(_0,_1)),_0,_1)"
    );
}

#[test]
fn metadata_is_where_cute_puts_it() {
    let print = |name: &str, tile: &str| {
        let name = format!("{name}, 128, 64, {MAJORS}>");
        metadata(&atom(&name), &shape(tile)).unwrap().to_string()
    };
    assert_eq!(
        print(
            "SM100_MMA_TF32_SS_SPARSE<tfloat32_t, tfloat32_t, float",
            "((_128,_16),_1,_4)"
        ),
        "(((_8,_2,_8),(_8,_2)),_1,_4):(((_1048576,_8,_16777216),(_1,_8388608)),_0,_16)"
    );
    assert_eq!(
        print(
            "SM100_MMA_F16BF16_SS_SPARSE<half_t, half_t, float",
            "((_128,_32),_2,_4)"
        ),
        "(((_8,_2,_8),(_16,_2)),_2,_4):(((_2097152,_16,_33554432),(_1,_16777216)),_32,_64)"
    );
    assert_eq!(
        print(
            "SM100_MMA_F8F6F4_SS_SPARSE<float_e4m3_t, float_e4m3_t, float",
            "((_128,_64),_1,_4)"
        ),
        "((_128,_64),_1,_4):((_2097152,_1),_0,_64)"
    );
    let four = format!(
        "SM100_MMA_MXF4NVF4_SS_SPARSE<float_e2m1_t, float_e2m1_t, float, float_ue8m0_t, 128, 64, 32, {MAJORS}>"
    );
    assert_eq!(
        metadata(&atom(&four), &shape("((_128,_128),_1,_2)"))
            .unwrap()
            .to_string(),
        "((_128,_128),_1,_2):((_4194304,_1),_0,_128)"
    );
}

#[test]
fn fragments_of_other_atoms_are_refused() {
    let dense = atom(&format!(
        "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, {MAJORS}>"
    ));
    let tile = shape("((_128,_32),_2,_4)");
    assert_eq!(metadata(&dense, &tile).unwrap_err().rule, Rule::MmaOperand);
    assert_eq!(
        scale_factors(&dense, Operand::A, &tile).unwrap_err().rule,
        Rule::MmaOperand
    );
    let sparse = atom(&format!(
        "SM100_MMA_F16BF16_SS_SPARSE<half_t, half_t, float, 64, 64, {MAJORS}>"
    ));
    let refusal = metadata(&sparse, &shape("((_64,_32),_2,_4)")).unwrap_err();
    assert_eq!(
        (refusal.rule, &refusal.legal[..]),
        (Rule::MmaShape, &["128".to_owned()][..])
    );
    let refusal = metadata(&sparse, &shape("(_128,_32)")).unwrap_err();
    assert_eq!(refusal.rule, Rule::MmaShape);
}

fn operand(
    operation: &str,
    mma: &str,
    tile: &str,
    shared_rows: i64,
    which: Operand,
    cluster: [i64; 4],
) -> TmaAtom {
    let mma = TiledMma::new(atom(&format!("{mma}, {MAJORS}>")), None, vec![]).unwrap();
    let request = TmaRequest {
        operation: TemplateId::parse(operation).unwrap(),
        element: Element::F16,
        tma_element: None,
        global: "(512,256):(256,_1)".parse().unwrap(),
        shared: format!(
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_{shared_rows},_16),_1,_4):((_64,_1),_0,_16)"
        )
        .parse()
        .unwrap(),
        tile: Tiler::of_shape(&shape(tile)),
        multicast: 1,
        cuts_boxes: false,
    };
    operand_atom(&request, &mma, which, cluster).unwrap()
}

#[test]
fn tma_atoms_of_operands_are_those_of_cute() {
    let one = "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256";
    let two = "SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 256";
    let (tile, pair_tile) = ("(_128,_256,_64)", "(_256,_256,_64)");
    let cases = [
        (
            "SM90_TMA_LOAD",
            one,
            tile,
            128,
            Operand::A,
            [1, 4, 4, 1],
            128,
            "(_1,_8192):(_0,_1)",
        ),
        (
            "SM90_TMA_LOAD_MULTICAST",
            one,
            tile,
            128,
            Operand::A,
            [1, 4, 4, 1],
            32,
            "(_1,_8192):(_0,_1)",
        ),
        (
            "SM90_TMA_LOAD_MULTICAST",
            one,
            tile,
            256,
            Operand::B,
            [1, 4, 4, 1],
            64,
            "(_1,_16384):(_0,_1)",
        ),
        (
            "SM100_TMA_2SM_LOAD",
            two,
            pair_tile,
            128,
            Operand::A,
            [2, 2, 4, 1],
            128,
            "(_2,_8192):(_8192,_1)",
        ),
        (
            "SM100_TMA_2SM_LOAD_MULTICAST",
            two,
            pair_tile,
            128,
            Operand::A,
            [2, 2, 4, 1],
            32,
            "(_2,_8192):(_8192,_1)",
        ),
        (
            "SM100_TMA_2SM_LOAD_MULTICAST",
            two,
            pair_tile,
            128,
            Operand::B,
            [2, 2, 4, 1],
            64,
            "(_2,_8192):(_8192,_1)",
        ),
    ];
    for (operation, mma, tile, rows, which, cluster, box_rows, source) in cases {
        let made = operand(operation, mma, tile, rows, which, cluster);
        let dims: Vec<Option<i64>> = made.map.dims.iter().map(Int::value).collect();
        assert_eq!(dims, [Some(256), Some(512)], "{operation}");
        assert_eq!(made.map.strides_bytes[0].value(), Some(512), "{operation}");
        assert_eq!(made.map.box_dims, [64, box_rows], "{operation}");
        assert_eq!(made.coordinates.to_string(), "(512,256):(_1@1,_1@0)");
        assert_eq!(made.atom.source.to_string(), source, "{operation}");
    }
}
