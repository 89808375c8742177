//! Real values in the compiled CUTLASS tutorials, row by row (`tests/golden/tutorials-open.jsonl`).
//!
//! A row counts as *right* when an instance has exactly the value, *unknown* when no instance has
//! a value without symbols, and *wrong* when one does and none is equal. No row may be wrong.

#![allow(clippy::expect_used, clippy::panic)] // A test fails so.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use cute_analysis::{
    Alone, Analysis, Assumption, Fact, Kind, Options, SourceFile, Value, analyse, parts,
};
use cute_tests::page;
use serde_json::Value as Json;
use tree_sitter_cute::{Budget, Host, Syntax};

/// The sources of CUTLASS 4.2: `CUTE_CUTLASS`, or what `cargo xtask fetch` left.
fn cutlass() -> PathBuf {
    let root = workspace();
    std::env::var_os("CUTE_CUTLASS")
        .map_or_else(|| root.join("target/oracles/cutlass"), PathBuf::from)
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// `tutorials-more.jsonl` has the other tutorials: their variables as the compiled programs print
/// them, thread 0 of block 0.
fn rows() -> Vec<Json> {
    ["tutorials-open.jsonl", "tutorials-more.jsonl"]
        .iter()
        .flat_map(|file| {
            let path = workspace().join("tests/golden").join(file);
            let text = std::fs::read_to_string(&path).expect("golden data of the repository");
            text.lines()
                .map(|line| serde_json::from_str(line).expect("a JSON line"))
                .collect::<Vec<Json>>()
        })
        .collect()
}

fn source(file: &str) -> String {
    let path = cutlass().join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; `cargo xtask fetch` brings it, or set CUTE_CUTLASS",
            path.display()
        )
    })
}

fn text_of<'r>(row: &'r Json, key: &str) -> &'r str {
    row.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// Results of `main` from the arguments: sizes, leading dimensions; the first thread of the first block.
fn assumptions(argv: &str) -> Vec<Assumption> {
    let mut facts: Vec<Assumption> = sizes(argv)
        .into_iter()
        .filter_map(|(name, number)| format!("{name}={number}").parse().ok())
        .collect();
    for builtin in ["blockIdx", "threadIdx"] {
        for axis in ["x", "y", "z"] {
            facts.extend(format!("{builtin}.{axis}=0").parse::<Assumption>().ok());
        }
    }
    facts
}

fn sizes(argv: &str) -> Vec<(&'static str, &str)> {
    let parts: Vec<&str> = argv.split(' ').collect();
    let [m, n, k, rest @ ..] = parts.as_slice() else {
        return Vec::new();
    };
    let (lda, ldb) = match rest {
        ["N", "T", ..] => (m, n),
        ["N", "N", ..] => (m, k),
        _ => (k, k), // "T N"
    };
    vec![
        ("m", m),
        ("n", n),
        ("k", k),
        ("Gemm_M", m),
        ("Gemm_N", n),
        ("Gemm_K", k),
        ("ldA", lda),
        ("ldB", ldb),
        ("ldC", m),
    ]
}

fn analysed(text: &str, argv: &str) -> Analysis {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).expect("parsed");
    let options = Options {
        assume: assumptions(argv),
        ..Options::default()
    };
    let file = SourceFile::analysed("tutorial.cu", text, syntax.lower(text));
    analyse(&file, &Alone, &options)
}

/// The row in our words; `None` for kinds that are not compared.
fn expected(row: &Json) -> Option<&str> {
    let text = match text_of(row, "kind") {
        "Layout" | "ComposedLayout" | "Tensor" => text_of(row, "layout"),
        "TiledCopy" => text_of(row, "TiledLayout_TV"),
        "TiledMMA" | "ThrMMA" => text_of(row, "ThrLayoutVMNK"),
        "Copy_Atom" => text_of(row, "ValLayoutSrc"),
        "tuple" => text_of(row, "print"),
        "int" if row.get("static") == Some(&Json::Bool(true)) => text_of(row, "print"),
        _ => return None,
    };
    (!text.is_empty() && row.get("variant").is_none()).then_some(text)
}

fn printed(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => tensor.layout_value().to_string(),
        value => value.to_string(),
    }
}

fn line_of(text: &str, byte: usize) -> u64 {
    text[..byte].matches('\n').count() as u64 + 1
}

#[derive(Default)]
struct Tally {
    right: usize,
    unknown: usize,
    wrong: usize,
}

/// The outcomes of all rows, by file and kind, and the rows that are wrong, in words.
struct Comparison {
    tallies: BTreeMap<(String, String), Tally>,
    wrong: String,
}

fn compared() -> Comparison {
    let mut tallies: BTreeMap<(String, String), Tally> = BTreeMap::new();
    let mut analyses: HashMap<(String, String), (String, Analysis)> = HashMap::new();
    let mut wrong = String::new();
    for row in rows() {
        let Some(expected) = expected(&row) else {
            continue;
        };
        let (file, argv) = (
            text_of(&row, "file").to_owned(),
            text_of(&row, "argv").to_owned(),
        );
        let (text, analysis) = analyses
            .entry((file.clone(), argv.clone()))
            .or_insert_with(|| {
                let text = source(&file);
                let analysis = analysed(&text, &argv);
                (text, analysis)
            });
        let line = row.get("line").and_then(Json::as_u64).unwrap_or_default();
        let found: Vec<&Fact> = analysis
            .facts
            .iter()
            .filter(|fact| {
                &*fact.name == text_of(&row, "name")
                    && fact.role.name() == text_of(&row, "role")
                    && line_of(text, fact.name_span.start) == line
            })
            .collect();
        let kind = text_of(&row, "kind").to_owned();
        let tally = tallies.entry((file.clone(), kind)).or_default();
        if let Some(fact) = found.iter().find(|fact| printed(&fact.value) == expected) {
            for (part, ours) in parts(&fact.value) {
                if let Some(theirs) = row.get(part).and_then(Json::as_str)
                    && theirs != ours
                {
                    let _ = writeln!(
                        wrong,
                        "{file}:{line} {part}: {theirs} compiled, {ours} printed"
                    );
                }
            }
            tally.right += 1;
        } else if let Some(fact) = found.iter().find(|fact| fact.value.is_known()) {
            tally.wrong += 1;
            let _ = writeln!(
                wrong,
                "{file}:{line} {} in {} ({argv}): {expected} compiled, {} printed",
                fact.name,
                text_of(&row, "fn"),
                printed(&fact.value),
            );
        } else {
            tally.unknown += 1;
            if std::env::var_os("CUTE_SHOW_UNKNOWN").is_some() {
                let why = found.first().map_or_else(
                    || "no fact".to_owned(),
                    |fact| match fact.reason() {
                        Some(reason) => reason.to_string(),
                        None => printed(&fact.value),
                    },
                );
                println!(
                    "unknown {file}:{line} {} = {expected}: {why}",
                    text_of(&row, "name")
                );
            }
        }
    }
    Comparison { tallies, wrong }
}

#[test]
fn no_value_of_a_tutorial_is_wrong() {
    let Comparison { wrong, .. } = compared();
    assert!(wrong.is_empty(), "{wrong}");
}

/// The part of `docs/coverage.md` about the tutorials.
#[test]
#[ignore = "prints a table of the documentation"]
fn the_table_of_the_tutorials() {
    let Comparison { tallies, .. } = compared();
    let mut table = String::from(
        "| tutorial | kind | right | unknown | wrong |\n| --- | --- | --- | --- | --- |\n",
    );
    let mut total = Tally::default();
    for ((file, kind), tally) in &tallies {
        let name = file.strip_prefix("examples/cute/tutorial/").unwrap_or(file);
        let _ = writeln!(
            table,
            "| `{name}` | {kind} | {} | {} | {} |",
            tally.right, tally.unknown, tally.wrong
        );
        total.right += tally.right;
        total.unknown += tally.unknown;
        total.wrong += tally.wrong;
    }
    let _ = writeln!(
        table,
        "| all | | {} | {} | {} |",
        total.right, total.unknown, total.wrong
    );
    page::print("coverage.md", "tutorials", &table);
    assert_eq!(total.wrong, 0);
}

/// Without any assumption: what a newcomer sees in the first tutorial.
#[test]
fn each_static_host_value_of_the_first_tutorial_is_right() {
    let file = "examples/cute/tutorial/sgemm_1.cu";
    let text = source(file);
    let syntax = Syntax::parse(Host::CudaCpp, &text, None, Budget::unlimited()).expect("parsed");
    let read = SourceFile::analysed(file, text.as_str(), syntax.lower(&text));
    let analysis = analyse(&read, &Alone, &Options::default());
    let mut compared = 0;
    for row in rows() {
        let host = matches!(text_of(&row, "fn"), "gemm_nt" | "gemm_tn");
        let is_static = row.get("static") == Some(&Json::Bool(true));
        let Some(expected) = expected(&row).filter(|_| host && is_static) else {
            continue;
        };
        if text_of(&row, "file") != file {
            continue;
        }
        let line = row.get("line").and_then(Json::as_u64).unwrap_or_default();
        let values: Vec<String> = analysis
            .facts
            .iter()
            .filter(|fact| {
                &*fact.name == text_of(&row, "name") && line_of(&text, fact.name_span.start) == line
            })
            .map(|fact| printed(&fact.value))
            .collect();
        assert_eq!(
            values,
            [expected],
            "{file}:{line} {}",
            text_of(&row, "name")
        );
        compared += 1;
    }
    assert!(compared >= 20, "{compared} values compared");
}

/// Coverage of all of CUTLASS's examples, and that none of them stops the analysis.
#[test]
fn every_example_of_cutlass_is_analysed() {
    let mut folders = vec![cutlass().join("examples")];
    let (mut files, mut known, mut symbolic, mut unknown, mut findings) = (0, 0, 0, 0, 0);
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| {
            panic!(
                "{}: {error}; `cargo xtask fetch` brings it",
                folder.display()
            )
        });
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_source = Host::of_path(&path).is_some();
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            if !is_source || !text.contains("cute") {
                continue;
            }
            let analysis = analysed(&text, "");
            files += 1;
            findings += analysis.findings.len();
            for fact in &analysis.facts {
                match fact.kind() {
                    Kind::Unknown => unknown += 1,
                    _ if !fact.value.is_known() => symbolic += 1,
                    _ => known += 1,
                }
            }
        }
    }
    println!(
        "{files} files: {known} values known, {symbolic} symbolic, {unknown} unknown; \
         {findings} findings"
    );
    assert!(files >= 100, "{files} files");
}
