//! Swizzled shared-memory atoms, their tilings, and the matrix descriptors of tiles, against CuTe.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod golden;

use cute_hardware::descriptor::canonical::{describe, first_departure};
use cute_hardware::descriptor::{Generation, MatrixDescriptor};
use cute_hardware::smem_atom::{select_smem_atom, tile_to_mma_shape, tile_to_shape};
use cute_hardware::{Element, Major, Rule, SharedLayout, SmemAtom, TemplateId};
use golden::{Failures, parse_shape, rows, text};
use serde_json::Value;

fn major(row: &Value) -> Major {
    Major::named(text(row, "major")).expect("a major")
}

#[test]
fn atoms_and_their_offsets() {
    let mut failures = Failures::default();
    for row in rows("swizzle_atoms-open.jsonl").filter(|row| text(row, "op").starts_with("atom")) {
        let name = text(&row, "name");
        let atom = SmemAtom::named(name)
            .and_then(|atom| atom.layout())
            .expect("a known atom");
        failures.compare(name, text(&row, "layout"), &atom.to_string());
        if let Some(expected) = row.get("position_independent").and_then(Value::as_str) {
            let ours = atom.position_independent().expect("a swizzle in elements");
            failures.compare(name, expected, &ours.to_string());
            let offsets: Vec<i64> = (0..)
                .map_while(|i| ours.eval(i).ok())
                .take(atom_size(&atom))
                .map(|offset| number(&offset))
                .collect();
            let Some(expected) = row["pi_offsets"].as_array() else {
                continue;
            };
            let expected: Vec<i64> = expected.iter().filter_map(Value::as_i64).collect();
            failures.compare(name, &format!("{expected:?}"), &format!("{offsets:?}"));
        }
    }
    failures.finish(30);
}

fn atom_size(atom: &SharedLayout) -> usize {
    usize::try_from(atom.layout.size().unwrap().value().unwrap()).unwrap()
}

fn number(offset: &cute_algebra::Offset) -> i64 {
    offset
        .as_leaf()
        .and_then(cute_algebra::Int::value)
        .expect("a number")
}

#[test]
fn tilings_of_atoms() {
    let mut failures = Failures::default();
    for row in rows("swizzle_atoms-open.jsonl").filter(|row| text(row, "op").starts_with("tile_to"))
    {
        let id = text(&row, "id");
        let (name, shape, order) = golden::tile_arguments(id);
        let atom = SmemAtom::named(&name)
            .and_then(|atom| atom.layout())
            .expect("a known atom");
        let tiled = if text(&row, "op") == "tile_to_shape" {
            tile_to_shape(&atom, &shape, order.as_ref())
        } else {
            tile_to_mma_shape(&atom, &shape, order.as_ref())
        };
        match (row.get("error"), tiled) {
            (None, Ok(tiled)) => failures.compare(id, text(&row, "layout"), &tiled.to_string()),
            (Some(_), Err(refusal)) => {
                failures.compare(id, "tile-does-not-divide", refusal.rule.name());
            }
            (theirs, ours) => failures.compare(id, &format!("{theirs:?}"), &format!("{ours:?}")),
        }
    }
    failures.finish(100);
}

/// The tile of a descriptor row: what CuTe printed, or for a rejected row the expression that it was made from.
fn tile(row: &Value) -> Result<SharedLayout, cute_hardware::Refusal> {
    let element = Element::named(text(row, "T")).expect("a type");
    match row.get("tensor").and_then(Value::as_str) {
        Some(tensor) => tensor.parse(),
        None => golden::descriptor_operand(text(row, "id"), element),
    }
}

/// The rows whose layout is not the one that the hardware reads, though CuTe makes a descriptor of it.
const CUTE_ACCEPTS_AND_IS_WRONG: [&str; 1] = ["UMMA:K:half_t:make_layout(make_shape(_64{},_16{}))"];

#[test]
fn descriptors_are_those_of_cute() {
    let mut failures = Failures::default();
    for row in rows("gmma_desc-open.jsonl") {
        let id = text(&row, "id");
        let generation = if text(&row, "op") == "make_gmma_desc" {
            Generation::Wgmma
        } else {
            Generation::Tcgen05
        };
        let tile = tile(&row);
        let ours = tile
            .clone()
            .and_then(|tile| describe(generation, major(&row), &tile));
        let Some(error) = row.get("error").and_then(Value::as_str) else {
            let (tile, descriptor) = (
                tile.expect("a tile"),
                ours.unwrap_or_else(|refusal| panic!("{id}: {refusal}")),
            );
            let hex = text(&row, "desc_hex").trim_start_matches('x');
            let word = u64::from_str_radix(hex, 16).expect("a number");
            failures.compare(
                id,
                &format!("{word:016x}"),
                &format!("{:016x}", descriptor.encode().unwrap()),
            );
            failures.compare(
                id,
                "Ok(true)",
                &format!(
                    "{:?}",
                    MatrixDescriptor::decode(generation, word).map(|d| d == descriptor)
                ),
            );
            let departure =
                first_departure(&descriptor, major(&row), &tile).expect("a tile of known size");
            let departs = departure.is_some();
            failures.compare(
                id,
                &CUTE_ACCEPTS_AND_IS_WRONG.contains(&id).to_string(),
                &departs.to_string(),
            );
            continue;
        };
        let refusal = ours.expect_err("CuTe rejects it");
        match error.strip_prefix("static_assert: ") {
            Some(assertion) => {
                failures.compare(id, assertion, refusal.cute.message().unwrap_or(""));
            }
            None => failures.compare(id, "compile-error", refusal.cute.name()),
        }
    }
    failures.finish(80);
}

#[test]
fn selected_atoms_are_those_of_cutlass() {
    let mut failures = Failures::default();
    for row in rows("selectors-open.jsonl").filter(|row| text(row, "op") == "ss_smem_selector") {
        let element = Element::named(text(&row, "T")).expect("a type");
        let extent = |field: &str| row[field].as_i64().expect("an extent");
        let atom = select_smem_atom(major(&row), element, extent("BLK_MN"), extent("BLK_K"));
        let ours = atom
            .and_then(|atom| atom.layout())
            .map(|layout| layout.to_string());
        failures.compare(
            text(&row, "id"),
            text(&row, "layout"),
            &ours.unwrap_or_else(|refusal| refusal.to_string()),
        );
    }
    failures.finish(40);
}

#[test]
fn refusals_name_the_atom_that_would_do() {
    let tile: SharedLayout = "smem_ptr[16b](PTR) o (_64,_16):(_16,_1)".parse().unwrap();
    let refusal = describe(Generation::Wgmma, Major::K, &tile).unwrap_err();
    assert_eq!(refusal.rule, Rule::NotCanonical);
    assert_eq!(
        refusal.legal,
        [
            "GMMA::Layout_K_SW32_Atom<uint16_t>",
            "GMMA::Layout_K_INTER_Atom<uint16_t>"
        ]
    );
}

#[test]
fn a_symbolic_stride_asks_for_a_fact() {
    let tile: SharedLayout = "Sw<1,4,3>_smem_ptr[16b](PTR) o (_64,_16):(ld,_1)"
        .parse()
        .unwrap();
    let refusal = describe(Generation::Wgmma, Major::K, &tile).unwrap_err();
    assert!(matches!(refusal.rule, Rule::Algebra(_)), "{refusal}");
}

#[test]
fn atoms_of_sparse_operands_and_of_the_32_byte_base() {
    let layout = |name| {
        SmemAtom::named(name)
            .and_then(|atom| atom.layout())
            .unwrap()
            .to_string()
    };
    assert_eq!(
        layout("UMMA::Layout_MN_SW128_32B_Atom<tfloat32_t>"),
        "Sw<2,5,2> o smem_ptr[32b](unset) o (_32,_4):(_1,_32)"
    );
    assert!(
        layout("GMMA::Layout_K_SW128_SpAtom<half_t, 2>")
            .starts_with("Sw<3,4,3> o smem_sparse<2>_ptr[16b](unset) o ")
    );
    assert!(TemplateId::parse("x").is_ok());
}

#[test]
fn shapes_parse() {
    assert_eq!(
        parse_shape("make_shape(make_shape(Int<64>{},Int<16>{}),Int<2>{})").to_string(),
        "((_64,_16),_2)"
    );
}
