//! Sizes, alignments and offsets of classes: what g++ says of them
//! (`tests/golden/sizeof-open.jsonl`).

#![allow(clippy::expect_used, clippy::panic)] // A test fails so.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use cute_analysis::{Options, Value};
use serde_json::Value as Json;
use support::analysed;

fn rows(kind: &str) -> Vec<Json> {
    rows_of("sizeof-open.jsonl", kind)
}

fn rows_of(file: &str, kind: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/golden")
        .join(file);
    let text = std::fs::read_to_string(path).expect("the golden sizes are in the repository");
    text.lines()
        .map(|line| serde_json::from_str::<Json>(line).expect("a JSON line"))
        .filter(|row| row["kind"] == kind)
        .collect()
}

/// The constants that a source declares, by name; what is not known as its reason.
fn constants(source: &str) -> BTreeMap<String, Result<i64, String>> {
    let analysis = analysed(source, &Options::default());
    analysis
        .facts
        .iter()
        .map(|fact| {
            let value = match &*fact.value {
                Value::Int(int) => int.value().ok_or_else(|| int.to_string()),
                Value::Unknown(reason) => Err(reason.to_string()),
                other => Err(other.to_string()),
            };
            (fact.name.to_string(), value)
        })
        .collect()
}

/// A source that measures a type: `size`, `align` and one `at_<member>` for each offset.
fn measuring(row: &Json, ty: &str) -> (String, BTreeMap<String, i64>) {
    let mut source = String::new();
    let mut expected = BTreeMap::new();
    for (name, operator, key) in [
        ("size", "sizeof", "sizeof"),
        ("align", "alignof", "alignof"),
    ] {
        let _ = writeln!(source, "constexpr size_t {name} = {operator}({ty});");
        expected.insert(name.to_owned(), row[key].as_i64().expect("a number"));
    }
    for (member, offset) in row["offsets"].as_object().into_iter().flatten() {
        let _ = writeln!(
            source,
            "constexpr size_t at_{member} = offsetof({ty}, {member});"
        );
        expected.insert(format!("at_{member}"), offset.as_i64().expect("a number"));
    }
    (source, expected)
}

/// Differences from the expectation: (unknown, wrong).
fn compare(
    id: &str,
    source: &str,
    expected: &BTreeMap<String, i64>,
    unknown: &mut Vec<String>,
    wrong: &mut Vec<String>,
) {
    let found = constants(source);
    for (name, number) in expected {
        match found.get(name) {
            Some(Ok(value)) if value == number => {}
            Some(Ok(value)) => wrong.push(format!("{id}: {name} = {value}, not {number}")),
            Some(Err(reason)) => unknown.push(format!("{id}: {name}: {reason}")),
            None => unknown.push(format!("{id}: {name} is not reported")),
        }
    }
}

#[test]
fn generated_classes_are_laid_out_as_the_compiler_does() {
    let (mut unknown, mut wrong) = (Vec::new(), Vec::new());
    let rows = rows("generated");
    for row in &rows {
        let id = row["id"].as_str().expect("an id");
        let (measure, expected) = measuring(row, id);
        let source = format!("{}{measure}", row["source"].as_str().expect("a source"));
        compare(id, &source, &expected, &mut unknown, &mut wrong);
    }
    assert!(rows.len() > 100);
    assert!(wrong.is_empty(), "wrong: {wrong:#?}");
    assert!(unknown.is_empty(), "unknown: {unknown:#?}");
}

#[test]
fn classes_of_the_libraries_have_their_sizes() {
    let (mut unknown, mut wrong) = (Vec::new(), Vec::new());
    let rows = rows("library");
    for row in &rows {
        let (source, expected) = measuring(row, row["source"].as_str().expect("a type"));
        let id = row["id"].as_str().expect("an id");
        compare(id, &source, &expected, &mut unknown, &mut wrong);
    }
    assert!(rows.len() > 30);
    assert!(wrong.is_empty(), "wrong: {wrong:#?}");
    // `make_shape(4,8)` in a `decltype`: the width of its run-time integers is not part of a layout.
    unknown.retain(|line| !line.starts_with("lib69: "));
    assert!(unknown.is_empty(), "unknown: {unknown:#?}");
}

/// More of them, in one source: what is not known says so, and no number is wrong.
#[test]
fn more_classes_of_the_libraries_have_their_sizes_or_none() {
    let rows = rows_of("sizeof-more.jsonl", "library");
    let mut source = String::new();
    for (index, row) in rows.iter().enumerate() {
        let ty = row["source"].as_str().expect("a type");
        let _ = writeln!(source, "constexpr size_t size_{index} = sizeof({ty});");
        let _ = writeln!(source, "constexpr size_t align_{index} = alignof({ty});");
    }
    let found = constants(&source);
    let (mut known, mut wrong) = (0, Vec::new());
    for (index, row) in rows.iter().enumerate() {
        for (name, key) in [("size", "sizeof"), ("align", "alignof")] {
            if let Some(Ok(value)) = found.get(&format!("{name}_{index}")) {
                known += 1;
                if Some(*value) != row[key].as_i64() {
                    wrong.push(format!("{}: {name} = {value}", row["source"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "wrong: {wrong:#?}");
    // Tags of block-scaled types, elements that are erased and pipelines as objects are not known.
    println!("{known} of {} numbers are known", 2 * rows.len());
    assert!(known > 1_300, "{known} of {}", 2 * rows.len());
}

/// A sequence of numbers that look random (Knuth's linear congruence).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }
}

/// A class of plain C++: scalars, arrays, bit fields, unions, classes within, bases with a tail.
fn class(random: &mut Random, number: u64) -> String {
    const SCALARS: &[&str] = &[
        "char", "bool", "short", "int", "float", "double", "int64_t", "void*",
    ];
    let mut text = String::new();
    let mut bases = Vec::new();
    for base in 0..random.below(3) {
        let body = match random.below(4) {
            0 => String::new(),
            1 => format!("B{number}_{base}() {{}} double a; char b;"),
            2 => format!("{} a; char b;", random.one_of(SCALARS)),
            _ => format!("B{number}_{base}() {{}} int a : 3; E{number} e;"),
        };
        let _ = writeln!(text, "struct B{number}_{base} {{ {body} }};");
        bases.push(format!("B{number}_{base}"));
    }
    let mut members = String::new();
    for member in 0..=random.below(6) {
        let align = match random.below(5) {
            0 => format!("alignas({}) ", 8 << random.below(5)),
            _ => String::new(),
        };
        let ty = random.one_of(SCALARS);
        let length = 1 + random.below(9);
        let _ = match random.below(9) {
            0 => writeln!(members, "  {align}{ty} m{member}[{length}][2];"),
            1 => writeln!(
                members,
                "  unsigned m{member} : {length}, : 3, n{member} : 7;"
            ),
            2 => writeln!(members, "  long m{member} : {length}; char : 0;"),
            3 => writeln!(
                members,
                "  union {{ {ty} m{member}; {align}char u{member}[{length}]; }};"
            ),
            4 => writeln!(
                members,
                "  {align}struct {{ {ty} a; char b; }} m{member}[{length}];"
            ),
            5 => writeln!(
                members,
                "  struct {{ E{number} a{member}; {ty} m{member}; }};"
            ),
            6 => writeln!(members, "  E{number} m{member};"),
            _ => writeln!(members, "  {align}{ty} m{member};"),
        };
    }
    let bases = if bases.is_empty() {
        String::new()
    } else {
        format!(" : {}", bases.join(", "))
    };
    format!("struct E{number} {{}};\n{text}struct S{number}{bases} {{\n{members}}};\n")
}

/// The sizes of the classes by a compiler: one line `number size align` for each.
fn compiled(source: &str, count: u64) -> Option<Vec<(i64, i64)>> {
    let folder = std::env::temp_dir().join(format!("object-layouts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let mut program = format!("#include <cstdint>\n#include <cstdio>\n{source}int main() {{\n");
    for number in 0..count {
        let _ = writeln!(
            program,
            "std::printf(\"%zu %zu\\n\", sizeof(S{number}), alignof(S{number}));"
        );
    }
    program.push_str("}\n");
    let (file, binary) = (folder.join("program.cpp"), folder.join("program"));
    std::fs::write(&file, program).expect("the program is written");
    let build = std::process::Command::new("g++")
        .args(["-std=c++17", "-w", "-o"])
        .args([&binary, &file])
        .output();
    let printed = match build {
        Err(_) => return None,
        Ok(output) => {
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            std::process::Command::new(&binary)
                .output()
                .expect("the program runs")
                .stdout
        }
    };
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    let lines = String::from_utf8(printed).expect("text");
    Some(
        lines
            .lines()
            .map(|line| {
                let (size, align) = line.split_once(' ').expect("two numbers");
                (
                    size.parse().expect("a number"),
                    align.parse().expect("a number"),
                )
            })
            .collect(),
    )
}

#[test]
fn fresh_classes_are_laid_out_as_the_compiler_does() {
    const CLASSES: u64 = 400;
    let seed = std::time::UNIX_EPOCH
        .elapsed()
        .map_or(1, |time| time.as_secs());
    let mut random = Random(seed);
    let source: String = (0..CLASSES)
        .map(|number| class(&mut random, number))
        .collect();
    let Some(expected) = compiled(&source, CLASSES) else {
        println!("not compared: there is no g++ on this machine");
        return;
    };
    let mut measured = source.clone();
    for number in 0..CLASSES {
        let _ = writeln!(
            measured,
            "constexpr size_t size_{number} = sizeof(S{number});"
        );
        let _ = writeln!(
            measured,
            "constexpr size_t align_{number} = alignof(S{number});"
        );
    }
    let found = constants(&measured);
    for (number, (size, align)) in expected.iter().enumerate() {
        for (name, value) in [("size", size), ("align", align)] {
            let ours = found.get(&format!("{name}_{number}"));
            assert_eq!(
                ours,
                Some(&Ok(*value)),
                "{name} of S{number}, seed {seed}:\n{}",
                class_text(&source, number)
            );
        }
    }
}

/// The text of one generated class.
fn class_text(source: &str, number: usize) -> &str {
    let start = source.find(&format!("struct E{number} {{}}")).unwrap_or(0);
    let end = source
        .find(&format!("struct E{} {{}}", number + 1))
        .unwrap_or(source.len());
    &source[start..end]
}

/// An array of a declaration does not decay in `sizeof`; an invisible declaration is not guessed.
#[test]
fn what_an_operand_names_has_the_size_of_its_declaration() {
    let source = r"
using namespace cute;
template <class T> struct Base { cute::array<T, 8> inherited; };
struct Storage : Base<float> {
  cute::array_aligned<half_t, 1024, 128> smem;
  half_t raw[32];
  float* pointer;
  int inside() { constexpr int of_member = sizeof(smem); return of_member; }
};
template <class Of> struct User {
  static constexpr int of_dependent = sizeof(decltype((typename Of::Type{}).smem));
};
struct Traits { using Type = Storage; };
void f(Storage& s, Storage* p, float decayed[4]) {
  half_t local[24];
  cute::array<float, 4> held;
  auto alias = local;
  constexpr int of_object = sizeof(s.smem);
  constexpr int of_type = sizeof(decltype(s.raw));
  constexpr int of_base = sizeof(p->inherited);
  constexpr int of_pointer = sizeof(s.pointer);
  constexpr int of_local = sizeof(local);
  constexpr int of_held = sizeof(held);
  constexpr int of_alias = sizeof(alias);
  constexpr int of_argument = sizeof(decayed);
  constexpr int of_qualified = sizeof(Storage::smem);
  User<Traits> user;
}
";
    let found = constants(source);
    for (name, bytes) in [
        ("of_member", 2048),
        ("of_dependent", 2048),
        ("of_object", 2048),
        ("of_type", 64),
        ("of_base", 32),
        ("of_pointer", 8),
        ("of_local", 48),
        ("of_held", 16),
        ("of_alias", 8),
        ("of_argument", 8),
    ] {
        assert_eq!(found.get(name), Some(&Ok(bytes)), "{name}");
    }
    assert!(
        matches!(found.get("of_qualified"), Some(Err(_))),
        "{:?}",
        found.get("of_qualified")
    );
}

/// The numbers are what CUTLASS 4.2's `alignment_for_swizzle` returns, run by g++.
#[test]
fn shared_memory_is_aligned_to_its_swizzle() {
    let source = r"
        using namespace cute;
        using cutlass::detail::alignment_for_swizzle;
        auto sw128 = tile_to_shape(GMMA::Layout_K_SW128_Atom<float>{}, Shape<_32, _32>{});
        auto sw32 = tile_to_shape(GMMA::Layout_K_SW32_Atom<half_t>{}, Shape<_32, _32>{});
        auto of_offsets = composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{});
        constexpr size_t a = alignment_for_swizzle(sw128);
        constexpr size_t b = alignment_for_swizzle(sw32);
        constexpr size_t c = alignment_for_swizzle(of_offsets);
        constexpr size_t d = alignment_for_swizzle(Layout<_32>{});
        constexpr size_t e = alignment_for_swizzle(Swizzle<1, 2, -3>{});
        template <class T, class L> struct Storage {
          cute::array_aligned<T, cute::cosize_v<L>, alignment_for_swizzle(L{})> tile;
          cutlass::arch::ClusterTransactionBarrier full;
        };
        constexpr int bytes = sizeof(Storage<float, decltype(sw128)>);
    ";
    let found = constants(source);
    for (name, expected) in [
        ("a", 1024),
        ("b", 256),
        ("c", 256),
        ("d", 128),
        ("e", 64),
        ("bytes", 5120),
    ] {
        assert_eq!(found.get(name), Some(&Ok(expected)), "{name}");
    }
}

/// The layouts are what g++ prints with CUTLASS 4.2's headers.
#[test]
fn copies_of_arrays_have_the_bits_of_the_array() {
    let copy = |ty: &str, element: &str, count: i64| {
        let source = format!(
            "using namespace cute;\n\
             auto copy = make_tiled_copy(Copy_Atom<UniversalCopy<{ty}>, {element}>{{}}, \
             Layout<Shape<_32, _8>, Stride<_8, _1>>{{}}, Layout<Shape<_1, _{count}>>{{}});\n"
        );
        let analysis = analysed(&source, &Options::default());
        let fact = analysis.facts.iter().find(|fact| &*fact.name == "copy");
        fact.map(|fact| fact.value.to_string()).unwrap_or_default()
    };
    let of_four = "((_8,_32),_4):((_128,_1),_32)";
    assert_eq!(copy("cutlass::AlignedArray<float, 4>", "float", 4), of_four);
    assert_eq!(
        copy("cutlass::AlignedArray<half_t, 2>", "half_t", 4),
        of_four
    );
    assert_eq!(copy("cute::array_aligned<float, 4>", "float", 4), of_four);
    let of_eight = copy("cutlass::Array<half_t, 8>", "half_t", 8);
    assert_eq!(of_eight, "((_8,_32),_8):((_256,_1),_32)");
    // Its size is not that of its elements.
    assert_eq!(copy("cute::array_aligned<half_t, 4>", "half_t", 4), "?");
}
