//! TMA descriptors, coordinate tensors and tiled copies, against CuTe.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod golden;

use cute_algebra::{Int, Shape, Tiler};
use cute_hardware::tma::{Severity, TmaAtom, TmaRequest};
use cute_hardware::{Element, Rule, SharedLayout, TemplateId};
use golden::{Failures, rows, text};
use serde_json::Value;

fn shared(print: &str, bits: i64) -> SharedLayout {
    if print.contains("smem_ptr") {
        print.parse().unwrap()
    } else {
        SharedLayout::plain(bits, print.parse().unwrap()).unwrap()
    }
}

fn request(
    operation: &str,
    element: &str,
    gmem: &str,
    smem: &str,
    tile: &str,
    multicast: i64,
) -> TmaRequest {
    let element = Element::named(element).unwrap();
    TmaRequest {
        operation: TemplateId::parse(operation).unwrap(),
        element,
        tma_element: None,
        global: gmem.parse().unwrap(),
        shared: shared(smem, element.bits()),
        tile: Tiler::of_shape(&tile.parse::<Shape>().unwrap()),
        multicast,
        cuts_boxes: false,
    }
}

fn numbers(values: &[Int]) -> String {
    format!(
        "{:?}",
        values
            .iter()
            .map(|value| value.value().unwrap())
            .collect::<Vec<_>>()
    )
}

fn list(value: &Value) -> String {
    format!(
        "{:?}",
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_i64().unwrap())
            .collect::<Vec<_>>()
    )
}

#[test]
fn descriptors_are_those_of_cute() {
    let mut failures = Failures::default();
    for row in rows("tma-open.jsonl").filter(|row| row.get("error").is_none()) {
        let id = text(&row, "id");
        let cluster: i64 = text(&row, "cluster")
            .trim_start_matches('_')
            .parse()
            .unwrap();
        let request = request(
            text(&row, "copy_op"),
            text(&row, "T"),
            text(&row, "gmem"),
            text(&row, "smem"),
            text(&row, "cta_tile"),
            cluster,
        );
        let atom = TmaAtom::new(&request).unwrap_or_else(|refusal| panic!("{id}: {refusal}"));
        let (map, theirs) = (&atom.map, &row["tma"]);
        let codes = [
            ("dtype", i64::from(map.data_type)),
            ("rank", i64::try_from(map.rank()).unwrap()),
            ("interleave", i64::from(map.interleave)),
            ("swizzle", i64::from(map.swizzle.code())),
            ("l2promotion", i64::from(map.l2_promotion)),
            ("oobFill", i64::from(map.oob_fill)),
        ];
        for (field, ours) in codes {
            failures.compare(
                &format!("{id} {field}"),
                &theirs[field].to_string(),
                &ours.to_string(),
            );
        }
        failures.compare(
            &format!("{id} dims"),
            &list(&theirs["globalDim"]),
            &numbers(&map.dims),
        );
        failures.compare(
            &format!("{id} strides"),
            &list(&theirs["globalStridesBytes"]),
            &numbers(&map.strides_bytes),
        );
        failures.compare(
            &format!("{id} box"),
            &list(&theirs["boxDim"]),
            &format!("{:?}", map.box_dims),
        );
        failures.compare(
            &format!("{id} steps"),
            &list(&theirs["elementStrides"]),
            &format!("{:?}", map.element_strides),
        );
        let tensor = text(&row, "tma_tensor").split_once(" o ").unwrap().1;
        failures.compare(
            &format!("{id} tensor"),
            tensor,
            &atom.coordinates.to_string(),
        );
        check_atom(&mut failures, &row, &atom, &request);
    }
    failures.finish(200);
}

fn check_atom(failures: &mut Failures, row: &Value, atom: &TmaAtom, request: &TmaRequest) {
    let id = text(row, "id");
    let mut compare = |field: &str, ours: String| {
        if let Some(theirs) = row.get(field).and_then(Value::as_str) {
            failures.compare(&format!("{id} {field}"), theirs, &ours);
        }
    };
    for prefix in ["Val", "Atom"] {
        compare(&format!("{prefix}LayoutSrc"), atom.atom.source.to_string());
        compare(
            &format!("{prefix}LayoutDst"),
            atom.atom.destination.to_string(),
        );
        compare(
            &format!("{prefix}LayoutRef"),
            atom.atom.reference.to_string(),
        );
    }
    if row.get("TiledLayout_TV").is_some() {
        let copy = atom.tiled_copy(request).unwrap();
        compare("Tiler_MN", copy.tiler().to_string());
        compare("TiledLayout_TV", copy.thread_value_layout().to_string());
        compare("layoutS_TV", copy.source_layout().unwrap().to_string());
        compare("layoutD_TV", copy.destination_layout().unwrap().to_string());
        compare("size", copy.size().unwrap().to_string());
    }
}

const K_MAJOR: &str = "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))";

fn refusal(gmem: &str, smem: &str, tile: &str, multicast: i64) -> cute_hardware::Refusal {
    TmaAtom::new(&request(
        "SM90_TMA_LOAD",
        "half_t",
        gmem,
        smem,
        tile,
        multicast,
    ))
    .unwrap_err()
}

#[test]
fn what_cute_asserts_is_refused_with_the_number() {
    let wrong_major = refusal("(512,1024):(_1,512)", K_MAJOR, "(_128,_64)", 1);
    assert_eq!(
        (wrong_major.rule, wrong_major.cute.name()),
        (Rule::TmaMajor, "traps")
    );
    let odd_stride = refusal("(512,500):(500,_1)", K_MAJOR, "(_128,_64)", 1);
    assert_eq!(odd_stride.rule, Rule::TmaStrideAlignment);
    assert_eq!(
        odd_stride.number("stride_bytes").unwrap().to_string(),
        "1000"
    );
    assert_eq!(odd_stride.legal, ["992", "1008"]);
    let large_box = refusal("(1024,512):(512,_1)", "(_512,_8):(_8,_1)", "(_512,_8)", 1);
    assert_eq!(
        (large_box.rule, large_box.legal.as_slice()),
        (Rule::TmaBox, &["256".to_owned()][..])
    );
    let size = refusal("(512,1024):(1024,_1)", K_MAJOR, "(_64,_64)", 1);
    assert_eq!(size.rule, Rule::TmaTile);
    let swizzle = refusal(
        "(512,1024):(1024,_1)",
        &K_MAJOR.replace("Sw<3,4,3>", "Sw<3,3,3>"),
        "(_128,_64)",
        1,
    );
    assert_eq!(swizzle.rule, Rule::UnsupportedSwizzle);
    let multicast = refusal("(512,1024):(1024,_1)", K_MAJOR, "(_128,_64)", 3);
    assert_eq!(multicast.rule, Rule::TmaMulticast);
}

#[test]
fn what_only_the_driver_refuses_is_an_issue() {
    let issues = |gmem: &str, smem: &str, tile: &str| {
        let atom = TmaAtom::new(&request("SM90_TMA_LOAD", "half_t", gmem, smem, tile, 1)).unwrap();
        atom.issues(90)
            .into_iter()
            .map(|issue| issue.refusal.rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        issues("(512,1024):(1024,_1)", "(_64,_4):(_4,_1)", "(_64,_4)"),
        [Rule::TmaInnerBox]
    );
    let wide = "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_128):(_128,_1)";
    assert_eq!(
        issues("(512,1024):(1024,_1)", wide, "(_64,_128)"),
        [Rule::TmaInnerBox]
    );
    assert_eq!(issues("(512,1024):(1024,_1)", K_MAJOR, "(_128,_64)"), []);
}

#[test]
fn instructions_are_counted() {
    let count = |gmem: &str, smem: &str| {
        TmaAtom::new(&request(
            "SM90_TMA_LOAD",
            "half_t",
            gmem,
            smem,
            "(_128,_64)",
            1,
        ))
        .unwrap()
        .instructions
    };
    assert_eq!(count("(512,1024):(1024,_1)", K_MAJOR), 1);
    assert_eq!(count("(512,1024):(1024,_1)", "(_128,_64):(_72,_1)"), 128);
    let mn_major = "Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_2),(_8,_8)):((_1,_512),(_64,_1024))";
    assert_eq!(count("(1024,512):(_1,1024)", mn_major), 16);
    let by_columns =
        "Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_2),(_8,_8)):((_1,_4096),(_64,_512))";
    assert_eq!(count("(1024,512):(_1,1024)", by_columns), 2);
}

#[test]
fn symbolic_tensors_keep_their_symbols() {
    let request = request(
        "SM90_TMA_LOAD",
        "half_t",
        "(M,K):(ld,_1)",
        K_MAJOR,
        "(_128,_64)",
        1,
    );
    let atom = TmaAtom::new(&request).unwrap();
    let shown: Vec<String> = atom.map.dims.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["K", "M"]);
    assert_eq!(atom.map.strides_bytes[0].to_string(), "2*ld");
    let issues = atom.issues(90);
    assert_eq!(issues.len(), 1);
    assert!(
        issues[0].refusal.message().contains("2*ld"),
        "{}",
        issues[0].refusal
    );
}

/// CuTe's arguments for the driver for more than five modes: the last ones are added up, whatever the box.
#[test]
fn six_modes_share_five_dimensions() {
    let gmem = "(64,8,4,4,4,4):(_1,64,512,2048,8192,32768)";
    let atom = |tile: &str, smem: &str| {
        TmaAtom::new(&request("SM90_TMA_LOAD", "half_t", gmem, smem, tile, 1)).unwrap()
    };
    let compact = |tile: &str| {
        let shape: Shape = tile.parse().unwrap();
        cute_algebra::Layout::left(shape).unwrap().to_string()
    };
    let both = "(_64,_8,_1,_1,_2,_2)";
    let made = atom(both, &compact(both));
    assert_eq!(numbers(&made.map.dims), "[64, 8, 4, 4, 16]");
    assert_eq!(
        numbers(&made.map.strides_bytes),
        "[128, 16384, 65536, 1024]"
    );
    assert_eq!(made.map.box_dims, [64, 8, 2, 2, 1]);
    assert_eq!(
        made.coordinates.to_string(),
        "(64,8,4,4,4,4):(_1@0,_1@1,1@4,4@4,_1@2,_1@3)"
    );
    let one = "(_64,_8,_1,_1,_2,_1)";
    let made = atom(one, &compact(one));
    assert_eq!(numbers(&made.map.dims), "[64, 8, 4, 4, 52]");
    assert_eq!(numbers(&made.map.strides_bytes), "[128, 16384, 1024, 4096]");
    assert_eq!(
        made.coordinates.to_string(),
        "(64,8,4,4,4,4):(_1@0,_1@1,_1@3,1@4,_1@2,16@4)"
    );
    // The box is right, but a coordinate beyond one of the shared modes is not out of bounds.
    let issues = made.issues(90);
    assert_eq!(issues.len(), 1);
    assert_eq!(
        (issues[0].refusal.rule, issues[0].severity),
        (Rule::TmaRank, Severity::Warning)
    );
    assert_eq!(
        issues[0]
            .refusal
            .number("global_modes")
            .unwrap()
            .to_string(),
        "6"
    );
}

#[test]
fn a_box_over_modes_that_are_added_up_wrongly_is_an_error() {
    // Five modes are walked by the box before the last two, which are not contiguous: CuTe's greatest common divisor tears it.
    let gmem = "(8,2,2,2,2,2):(_1,8,24,80,1000,3008)";
    let smem = "(_8,_2,_2,_2,_2,_2):(_1,_8,_16,_32,_64,_128)";
    let atom = TmaAtom::new(&request(
        "SM90_TMA_LOAD",
        "half_t",
        gmem,
        smem,
        "(_8,_2,_2,_2,_2,_2)",
        1,
    ))
    .unwrap();
    let torn: Vec<Rule> = atom
        .issues(90)
        .into_iter()
        .map(|issue| issue.refusal.rule)
        .collect();
    assert!(torn.contains(&Rule::TmaMerged), "{torn:?}");
}

#[test]
fn what_is_no_tma_tensor_is_refused_with_the_number() {
    let four_bits = TmaAtom::new(&request(
        "SM90_TMA_LOAD",
        "int4b_t",
        "(512,1024):(1024,_1)",
        "(_64,_64):(_64,_1)",
        "(_64,_64)",
        1,
    ))
    .unwrap_err();
    assert_eq!(
        (four_bits.rule, four_bits.cute.name()),
        (Rule::TmaType, "static_assert")
    );
    let empty = refusal("(0,1024):(1024,_1)", K_MAJOR, "(_128,_64)", 1);
    assert_eq!(empty.rule, Rule::TmaDimension);
    assert_eq!(
        (
            empty.number("extent").unwrap().to_string(),
            &empty.legal[..]
        ),
        ("0".to_owned(), &["1".to_owned()][..])
    );
    let zero = TmaAtom::new(&request(
        "SM90_TMA_LOAD",
        "half_t",
        "(512,1024):(1024,_1)",
        "(_0,_64):(_64,_1)",
        "(_0,_64)",
        1,
    ));
    assert!(zero.is_err());
    let far = refusal("(512,1024):(1099511627776,_1)", K_MAJOR, "(_128,_64)", 1);
    assert_eq!(far.rule, Rule::TmaStrideRange);
}

/// The elements of a tile, by the definition: what the descriptor loads at the tile's coordinates is what the tensor has at
/// the coordinates of the tile, where the shared layout says.
#[test]
fn a_load_moves_the_tile() {
    let cases = [
        ("(512,1024):(1024,_1)", K_MAJOR, "(_128,_64)"),
        (
            "(512,1024):(_1,512)",
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_2),(_8,_8)):((_1,_4096),(_64,_512))",
            "(_128,_64)",
        ),
        (
            "(512,1024,8):(1024,_1,524288)",
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_64,_1),(_1,_2)):((_64,_512),(_1,_0),(_0,_4096))",
            "(_64,_64,_2)",
        ),
        (
            "(1024,32,512):(64,_1,65536)",
            "smem_ptr[16b](unset) o (_16,_8,_2):(_16,_1,_8)",
            "(_16,_8,_2)",
        ),
    ];
    for (gmem, smem, tile) in cases {
        let request = request("SM90_TMA_LOAD", "half_t", gmem, smem, tile, 1);
        let atom = TmaAtom::new(&request).unwrap();
        let function = request.shared.position_independent().unwrap();
        let moves =
            cute_hardware::tma::load::load(&atom.map, &vec![0; atom.map.rank()], 0).unwrap();
        let count = i64::try_from(moves.len()).unwrap();
        let mut expected = Vec::new();
        for index in 0..request.shared.layout.size().unwrap().value().unwrap() {
            let shared = function
                .eval(index)
                .unwrap()
                .as_leaf()
                .and_then(Int::value)
                .unwrap();
            // One instruction has the first part of the buffer.
            if request.shared.layout.eval_number(index).unwrap() < count {
                let tile_shape: Shape = tile.parse().unwrap();
                let coordinate = cute_algebra::coord::idx2crd(
                    cute_algebra::Tuple::leaf(Int::fixed(index)).view(),
                    tile_shape.view(),
                )
                .unwrap();
                let global = request.global.eval_coord(&coordinate).unwrap();
                expected.push((
                    2 * shared,
                    global.as_leaf().and_then(Int::value).map(|n| 2 * n),
                ));
            }
        }
        let mut found: Vec<(i64, Option<i64>)> = moves
            .iter()
            .map(|m| (m.shared_byte, m.global_byte))
            .collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{gmem} {tile}");
    }
}

#[test]
fn modes_of_which_the_program_knows_the_extent_share_a_dimension() {
    let heads = "((_16,n),_64,_1,b):((_64,_1024),_1,_1024,s)";
    let smem = "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_64,_1)):((_64,_512),(_1,_0))";
    let atom = TmaAtom::new(&request(
        "SM90_TMA_LOAD",
        "f16",
        heads,
        smem,
        "(_64,_64)",
        1,
    ))
    .unwrap();
    // 16 heads of 64 elements and rows of 1024: one dimension of 16 n rows.
    assert_eq!(atom.map.box_dims, [64, 64, 1]);
    let dims: Vec<String> = atom.map.dims.iter().map(ToString::to_string).collect();
    assert_eq!(dims, ["_64", "16*n", "b"]);
    let coordinates = atom.coordinates.to_string();
    assert!(coordinates.contains("(1@1,16@1)"), "{coordinates}");
    assert!(
        atom.issues(90)
            .iter()
            .all(|issue| issue.severity != Severity::Error)
    );
}
