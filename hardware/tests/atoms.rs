//! Every atom of the golden data, and laws that hold for all of them.

mod golden;

use cute_hardware::mma::selector::{WgmmaRequest, select_wgmma};
use cute_hardware::{CopyAtom, Element, Major, MmaAtom, OperandMemory, Rule, TemplateId};
use golden::{rows, text};

#[test]
fn mma_atoms_are_those_of_cutlass() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for row in rows("atoms-open.jsonl").filter(|row| text(row, "kind") == "mma") {
        let name = text(&row, "name");
        checked += 1;
        let atom = match MmaAtom::named(name) {
            Ok(atom) => atom,
            Err(refusal) => {
                failures.push(format!("{name}: {refusal}"));
                continue;
            }
        };
        let optional = |layout: Option<&cute_algebra::Layout>| layout.map(ToString::to_string);
        let scale = |scale: &Option<cute_hardware::mma::ScaleFactors>| {
            optional(scale.as_ref().and_then(|scale| scale.layout.as_ref()))
        };
        let ours = [
            ("Shape_MNK", Some(atom.shape_tuple().to_string())),
            ("ThrID", Some(atom.thread_id.to_string())),
            ("ALayout", Some(atom.declared_a_layout())),
            ("BLayout", Some(atom.b.layout.to_string())),
            ("CLayout", Some(atom.c.layout.to_string())),
            ("ELayout", optional(atom.metadata.as_ref())),
            ("SFALayout", scale(&atom.scale_a)),
            ("SFBLayout", scale(&atom.scale_b)),
        ];
        for (field, value) in ours {
            let theirs = row.get(field).and_then(|value| value.as_str());
            if theirs != value.as_deref() {
                failures.push(format!("{name} {field}: {theirs:?}, ours {value:?}"));
            }
        }
    }
    assert!(checked > 1000, "golden rows: {checked}");
    assert!(
        failures.is_empty(),
        "{} of {checked}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn copy_atoms_are_those_of_cutlass() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for row in rows("atoms-open.jsonl").filter(|row| text(row, "kind") == "copy") {
        let name = text(&row, "name");
        checked += 1;
        let atom = match CopyAtom::named(name) {
            Ok(atom) => atom,
            Err(refusal) => {
                failures.push(format!("{name}: {refusal}"));
                continue;
            }
        };
        let ours = [
            ("ThrID", &atom.thread_id),
            ("SrcLayout", &atom.source),
            ("DstLayout", &atom.destination),
            ("RefLayout", &atom.reference),
        ];
        for (field, value) in ours {
            if text(&row, field) != value.to_string() {
                failures.push(format!(
                    "{name} {field}: {}, ours {value}",
                    text(&row, field)
                ));
            }
        }
    }
    assert!(checked > 100, "golden rows: {checked}");
    assert!(
        failures.is_empty(),
        "{} of {checked}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Every operand in registers has each of its elements exactly once, except for the two atoms that CUTLASS declares
/// wrongly, operands whose threads share elements (stride 0), and sparse operands that name more than they store.
#[test]
fn register_operands_are_bijective() {
    let mut checked = 0;
    for row in rows("atoms-open.jsonl").filter(|row| text(row, "kind") == "mma") {
        let atom = MmaAtom::named(text(&row, "name")).expect("a known atom");
        if atom
            .not_issuable
            .as_ref()
            .is_some_and(|refusal| refusal.rule == Rule::AtomDefect)
        {
            continue;
        }
        let [m, n, k] = atom.shape_mnk();
        for (operand, elements) in [(&atom.a, m * k), (&atom.b, n * k), (&atom.c, m * n)] {
            if operand.place != OperandMemory::Registers {
                continue;
            }
            let size = operand.layout.size().unwrap().value().unwrap();
            let mut seen: Vec<i64> = (0..size)
                .map(|i| operand.layout.eval_number(i).unwrap())
                .collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..elements).collect::<Vec<_>>(), "{}", atom.name);
            checked += 1;
        }
    }
    assert!(checked > 500, "operands: {checked}");
}

#[test]
fn what_cutlass_declares_wrongly_is_said() {
    let atom = MmaAtom::named("SM80_16x8x32_S32S4S4S32_TN").unwrap();
    let refusal = atom.not_issuable.unwrap();
    assert_eq!(refusal.rule, Rule::AtomDefect);
    assert_eq!(
        refusal.number("fragment").unwrap().to_string(),
        "((_4,_8),(_8)):((_64,_1),(_8))"
    );
}

#[test]
fn selected_operations_are_those_of_cutlass() {
    let mut failures = golden::Failures::default();
    for row in rows("selectors-open.jsonl").filter(|row| text(row, "op").ends_with("op_selector")) {
        let element = |field: &str| Element::named(text(&row, field)).unwrap();
        let tile = row["tile"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_i64().unwrap());
        let major = |field: &str| {
            row.get(field)
                .and_then(|major| major.as_str())
                .map_or(Major::K, |name| Major::named(name).unwrap())
        };
        let request = WgmmaRequest {
            a: element("A"),
            b: element("B"),
            accumulator: element("C"),
            tile: tile.collect::<Vec<_>>().try_into().unwrap(),
            major_a: major("majorA"),
            major_b: major("majorB"),
            a_in_registers: text(&row, "op").starts_with("rs"),
            sparse: false,
            extended_shapes: false,
        };
        let atom = select_wgmma(&request).unwrap();
        let id = text(&row, "id");
        failures.compare(id, text(&row, "Shape_MNK"), &atom.shape_tuple().to_string());
        let base = |name: &str| {
            TemplateId::parse(name)
                .unwrap()
                .base()
                .replace("MMA_64", "SM90_64")
        };
        // Enumerators are printed as numbers: `(cute::SM90::GMMA::Major)1`.
        let operation = text(&row, "op_type")
            .split_once('<')
            .map_or(text(&row, "op_type"), |(name, _)| name);
        failures.compare(id, &base(operation), &base(&atom.name));
        if let OperandMemory::Shared(major_b) = atom.b.place {
            let expected = if major("majorB") == Major::Mn {
                Major::Mn
            } else {
                Major::K
            };
            failures.compare(id, expected.name(), major_b.name());
        }
    }
    failures.finish(150);
}

#[test]
fn copies_of_tensor_memory_touch_the_bits_that_cute_says() {
    let mut failures = golden::Failures::default();
    for row in rows("tmem-values.jsonl") {
        let name = text(&row, "name");
        let atom = CopyAtom::named(name).unwrap();
        let ours = atom.tensor_memory.map(|layout| layout.to_string());
        failures.compare(name, text(&row, "ValID"), &ours.unwrap_or_default());
    }
    failures.finish(150);
}
