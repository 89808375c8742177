//! Tiled MMAs and copies, and every partition and fragment of them, against CuTe.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod golden;

use cute_algebra::{AnyLayout, Delta, Int, Layout, Shape, Tiler, Tuple};
use cute_hardware::tiled::fragment::{accumulator, make_fragment};
use cute_hardware::{
    Argument, CopyAtom, Element, MmaAtom, Operand, Refusal, TemplateId, TiledCopy, TiledMma,
    ValueCopyAtom,
};
use golden::{Failures, rows, text};
use serde_json::Value;

/// The arguments of `callee(...)`, without the `{}` that makes values of types.
fn arguments(call: &str) -> Vec<String> {
    let inner = call
        .split_once('(')
        .expect("a call")
        .1
        .strip_suffix(')')
        .expect("a call");
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in inner.chars() {
        depth += i32::from(matches!(c, '<' | '(')) - i32::from(matches!(c, '>' | ')'));
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().unwrap().push(c);
        }
    }
    parts
        .iter()
        .map(|part| part.trim().trim_end_matches("{}").to_owned())
        .collect()
}

fn tuple_of(argument: &Argument) -> Tuple<Int> {
    match argument.type_id() {
        Some(id) if matches!(id.base(), "Shape" | "Stride") => {
            Tuple::group(id.args().iter().map(tuple_of)).unwrap()
        }
        _ => Tuple::leaf(Int::fixed(argument.value().expect("a constant"))),
    }
}

/// `Layout<Shape<..>, Stride<..>>`.
fn layout_of(id: &TemplateId) -> Layout {
    assert_eq!(id.base(), "Layout");
    let shape = tuple_of(&id.args()[0]);
    match id.args().get(1) {
        Some(stride) => {
            Layout::new(shape, tuple_of(stride).map(|n| Delta::Int(n.clone()))).unwrap()
        }
        None => Layout::left(shape).unwrap(),
    }
}

fn tiler_of(argument: &Argument) -> Tiler {
    match argument.type_id() {
        Some(id) if id.base() == "Layout" => Tiler::Layout(layout_of(id)),
        Some(id) if id.base() == "_" => Tiler::Skip,
        _ => Tiler::Int(Int::fixed(argument.value().expect("an extent"))),
    }
}

fn copy_atom(name: &str) -> ValueCopyAtom {
    let id = TemplateId::parse(name).unwrap();
    assert_eq!(id.base(), "Copy_Atom");
    let atom = CopyAtom::of_id(id.args()[0].type_id().unwrap(), &[]).unwrap();
    let element = Element::of_id(id.args()[1].type_id().unwrap()).unwrap();
    atom.with_value_bits(element.bits()).unwrap()
}

fn tiled_mma(definition: &str) -> TiledMma {
    let arguments = arguments(definition);
    let parsed: Vec<TemplateId> = arguments
        .iter()
        .map(|text| TemplateId::parse(text).unwrap())
        .collect();
    let atom = MmaAtom::of_id(&parsed[0], &[]).unwrap();
    let permutations = parsed
        .get(2)
        .map_or(vec![], |tile| tile.args().iter().map(tiler_of).collect());
    TiledMma::new(atom, parsed.get(1).map(layout_of), permutations).unwrap()
}

fn record<'a>(row: &'a Value, name: &str) -> Option<&'a Value> {
    row["records"]
        .as_array()
        .unwrap()
        .iter()
        .find(|record| record["name"] == name)
}

fn input(row: &Value, name: &str) -> Option<AnyLayout> {
    record(row, name).map(|record| text(record, "layout").parse().unwrap())
}

fn show(value: Result<impl ToString, Refusal>) -> String {
    value.map_or_else(
        |refusal| format!("refused: {refusal}"),
        |value| value.to_string(),
    )
}

/// Compares one text field of a record, when the record is there and has it.
fn compare(
    failures: &mut Failures,
    row: &Value,
    name: &str,
    field: &str,
    ours: impl FnOnce() -> String,
) {
    if let Some(record) = record(row, name).filter(|record| record.get(field).is_some()) {
        let id = format!("{} {name} {field}", text(row, "id"));
        failures.compare(&id, text(record, field), &ours());
    }
}

fn check_copy(failures: &mut Failures, row: &Value, name: &str, copy: &TiledCopy) {
    let fields: [(&str, String); 8] = [
        ("Tiler_MN", copy.tiler().to_string()),
        ("TiledLayout_TV", copy.thread_value_layout().to_string()),
        ("AtomThrID", copy.atom().atom.thread_id.to_string()),
        ("AtomLayoutSrc", copy.atom().source.to_string()),
        ("AtomLayoutDst", copy.atom().destination.to_string()),
        ("AtomLayoutRef", copy.atom().reference.to_string()),
        ("layoutS_TV", show(copy.source_layout())),
        ("layoutD_TV", show(copy.destination_layout())),
    ];
    for (field, ours) in fields {
        compare(failures, row, name, field, || ours);
    }
    compare(failures, row, name, "size", || show(copy.size()));
}

fn check_copy_partitions(failures: &mut Failures, row: &Value, copy: &TiledCopy) {
    let zero = Int::fixed(0);
    for index in 0.. {
        let Some(tensor) = input(row, &format!("tensor{index}")) else {
            break;
        };
        let source = copy
            .partition_source(&zero, &tensor)
            .map(|part| part.layout);
        let destination = copy
            .partition_destination(&zero, &tensor)
            .map(|part| part.layout);
        let fragment = destination
            .clone()
            .and_then(|part| Ok(cute_algebra::ops::order::make_fragment_like(part.domain())?));
        let named = |name: &str| format!("{name}{index}");
        compare(failures, row, &named("partition_S"), "layout", || {
            show(source)
        });
        compare(failures, row, &named("partition_D"), "layout", || {
            show(destination)
        });
        compare(failures, row, &named("tidfrg_S"), "layout", || {
            show(copy.source_fragments(&tensor))
        });
        compare(failures, row, &named("tidfrg_D"), "layout", || {
            show(copy.destination_fragments(&tensor))
        });
        compare(
            failures,
            row,
            &named("make_fragment_like_D"),
            "layout",
            || show(fragment),
        );
    }
}

fn check_mma(failures: &mut Failures, row: &Value, mma: &TiledMma) {
    let tiled = |operand| show(mma.thread_value_layout(operand));
    let fields: [(&str, String); 11] = [
        ("Shape_MNK", mma.atom().shape_tuple().to_string()),
        ("ThrID", mma.atom().thread_id.to_string()),
        ("LayoutA_TV", mma.atom().a.layout.to_string()),
        ("LayoutB_TV", mma.atom().b.layout.to_string()),
        ("LayoutC_TV", mma.atom().c.layout.to_string()),
        ("ThrLayoutVMNK", mma.thread_layout().to_string()),
        ("tile_mnk", show(mma.tile_shape())),
        ("size", show(mma.size())),
        ("tiledA_TV", tiled(Operand::A)),
        ("tiledB_TV", tiled(Operand::B)),
        ("tiledC_TV", tiled(Operand::C)),
    ];
    for (field, ours) in fields {
        compare(failures, row, "tiled_mma", field, || ours);
    }
}

/// The first two modes of a tensor of pipeline stages: `sA(_,_,0)`.
fn stage(tensor: &AnyLayout) -> AnyLayout {
    tensor
        .map_domain(|layout| cute_algebra::ops::modes::take(layout, 0, 2))
        .unwrap()
}

fn check_mma_partitions(failures: &mut Failures, row: &Value, mma: &TiledMma) {
    let slice = mma.slice(&Int::fixed(0)).unwrap();
    let operands = [
        (Operand::A, "sA", "A"),
        (Operand::B, "sB", "B"),
        (Operand::C, "gC", "C"),
    ];
    for (operand, input_name, letter) in operands {
        let Some(tensor) = input(row, input_name) else {
            continue;
        };
        let named = |name: &str| format!("{name}_{letter}");
        let single = stage(&tensor);
        let part = mma
            .partition(&slice, operand, &tensor)
            .map(|part| part.layout);
        compare(failures, row, &named("partition"), "layout", || {
            show(part.clone())
        });
        let fragments = mma.thread_fragments(operand, &single);
        compare(failures, row, &named("thrfrg"), "layout", || {
            show(fragments)
        });
        let extents = single.domain().shape_view();
        let extents: Shape = cute_algebra::ops::shape_arithmetic::product_each(extents).unwrap();
        compare(failures, row, &named("partition_shape"), "print", || {
            show(mma.partition_shape(operand, &extents))
        });
        let registers = match operand {
            Operand::C => accumulator(mma, &extents),
            _ => mma
                .partition(&slice, operand, &single)
                .and_then(|part| make_fragment(mma.atom(), operand, part.layout.domain())),
        };
        compare(
            failures,
            row,
            &named("partition_fragment"),
            "layout",
            || show(registers),
        );
        let made = match operand {
            Operand::C => accumulator(mma, &extents),
            _ => part.and_then(|part| make_fragment(mma.atom(), operand, part.domain())),
        };
        compare(failures, row, &named("make_fragment"), "layout", || {
            show(made)
        });
    }
}

fn check_copies_of_mma(failures: &mut Failures, row: &Value, mma: &TiledMma) {
    let element = |operand: Operand| match operand {
        Operand::A => mma.atom().a.element,
        Operand::B => mma.atom().b.element,
        Operand::C => mma.atom().c.element,
    };
    let copies = [
        (
            "make_tiled_copy_A(LDSM_x4)",
            "SM75_U32x4_LDSM_N",
            Operand::A,
        ),
        (
            "make_tiled_copy_B(LDSM_x2)",
            "SM75_U32x2_LDSM_N",
            Operand::B,
        ),
        (
            "make_tiled_copy_C(STSM_x4)",
            "SM90_U32x4_STSM_N",
            Operand::C,
        ),
    ];
    let of_mma = |name: &str, bits, operand| {
        let atom = CopyAtom::named(name).and_then(|atom| atom.with_value_bits(bits))?;
        TiledCopy::of_mma(atom, mma, operand)
    };
    for (record_name, atom, operand) in copies {
        if record(row, record_name).is_none() {
            continue;
        }
        let bits = if atom.contains("STSM") {
            16
        } else {
            element(operand).bits()
        };
        let copy = of_mma(atom, bits, operand).unwrap();
        check_copy(failures, row, record_name, &copy);
        if operand == Operand::A {
            let tensor = AnyLayout::Affine("(_128,_64,_3):(_1,_128,_8192)".parse().unwrap());
            let zero = Int::fixed(0);
            let part = copy
                .partition_source(&zero, &tensor)
                .map(|part| part.layout);
            compare(failures, row, "partition_S(sA)", "layout", || show(part));
            let fragment = mma
                .slice(&zero)
                .and_then(|slice| mma.partition(&slice, operand, &stage(&tensor)))
                .and_then(|part| make_fragment(mma.atom(), operand, part.layout.domain()));
            let retiled = fragment.and_then(|fragment| copy.retile(&fragment.into()));
            compare(failures, row, "retile_D(tCrA)", "layout", || show(retiled));
        }
    }
    if record(row, "make_tiled_copy_C(Universal)").is_some() {
        let bits = element(Operand::C).bits();
        let copy = of_mma(&format!("UniversalCopy<uint{bits}_t>"), bits, Operand::C).unwrap();
        check_copy(failures, row, "make_tiled_copy_C(Universal)", &copy);
    }
}

#[test]
fn tiled_copies_are_those_of_cute() {
    let mut failures = Failures::default();
    for row in rows("tiled-open.jsonl")
        .chain(rows("hardware-more.jsonl"))
        .filter(|row| row.get("records").is_some() && text(row, "op") == "tiled_copy")
    {
        let arguments = arguments(text(&row, "def"));
        let layout = |index: usize| layout_of(&TemplateId::parse(&arguments[index]).unwrap());
        let copy = TiledCopy::of_layouts(copy_atom(&arguments[0]), &layout(1), &layout(2)).unwrap();
        check_copy(&mut failures, &row, "tiled_copy", &copy);
        check_copy_partitions(&mut failures, &row, &copy);
    }
    failures.finish(90);
}

#[test]
fn tiled_mmas_are_those_of_cute() {
    let mut failures = Failures::default();
    for row in rows("tiled-open.jsonl")
        .chain(rows("hardware-more.jsonl"))
        .filter(|row| row.get("records").is_some() && !text(row, "op").ends_with("_copy"))
    {
        let mma = tiled_mma(text(&row, "def"));
        check_mma(&mut failures, &row, &mma);
        check_mma_partitions(&mut failures, &row, &mma);
        check_copies_of_mma(&mut failures, &row, &mma);
    }
    failures.finish(200);
}

#[test]
fn a_copy_with_too_few_values_is_refused() {
    let mma = tiled_mma("make_tiled_mma(SM75_16x8x8_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{})");
    let atom = CopyAtom::named("SM75_U32x4_LDSM_N")
        .and_then(|atom| atom.with_value_bits(16))
        .unwrap();
    let refusal = TiledCopy::of_mma(atom, &mma, Operand::A).unwrap_err();
    assert_eq!(
        refusal.cute.message(),
        Some("TiledCopy uses too few vals for selected CopyAtom")
    );
    assert_eq!(refusal.rule.name(), "too-few-values");
}
