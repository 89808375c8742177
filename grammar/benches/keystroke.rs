//! The cost of opening a file and typing in it: parse and lowering of files of 5,000 lines, and the notation.

#[path = "../../algebra/benches/cpu_time/mod.rs"]
mod cpu_time;

use std::hint::black_box;
use std::time::Duration;

use cpu_time::CpuTime;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tree_sitter::{InputEdit, Parser, Point, Tree};
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax, notation};

const LINES: usize = 5_000;

/// A host language: a source of it, where a line ends at which one can type, and what is typed.
struct Typed {
    name: &'static str,
    host: Host,
    source: &'static str,
    line_end: &'static str,
    whole: &'static str,
    half: &'static str,
}

const HOSTS: [Typed; 3] = [
    Typed {
        name: "cuda",
        host: Host::CudaCpp,
        source: include_str!("../tests/fixtures/kernel.cu"),
        line_end: ";\n",
        whole: "\n  auto x = y;",
        half: "\n  f(y",
    },
    Typed {
        name: "rust",
        host: Host::Rust,
        source: include_str!("../tests/fixtures/kernel.rs"),
        line_end: ";\n",
        whole: "\n    let x = y;",
        half: "\n    f(y",
    },
    Typed {
        name: "python",
        host: Host::Python,
        source: include_str!("../tests/fixtures/kernel.py"),
        line_end: ")\n",
        whole: "\n    x = y",
        half: "\n    f(y",
    },
];

fn parse(host: Host, text: &str, old: Option<&Syntax>) -> Option<Syntax> {
    Syntax::parse(host, text, old, Budget::unlimited()).ok()
}

fn read(host: Host, text: &str, old: Option<&Syntax>) -> Option<Unit> {
    Some(parse(host, text, old)?.lower(text))
}

fn source_files(criterion: &mut Criterion<CpuTime>) {
    for typed in HOSTS {
        let text = typed
            .source
            .repeat(LINES.div_ceil(typed.source.lines().count()));
        let ends: Vec<usize> = text
            .match_indices(typed.line_end)
            .map(|(at, _)| at + 1)
            .collect();
        let middle = ends.get(ends.len() / 2).copied().unwrap_or_default();
        let (before, after) = text.split_at(middle);
        let host = typed.host;
        let old = parse(host, &text, None);
        let mut group = criterion.benchmark_group(typed.name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.sample_size(20);
        group.bench_function("open", |bencher| {
            bencher.iter_with_large_drop(|| read(host, black_box(&text), None));
        });
        for (name, typed) in [
            ("keystroke", typed.whole),
            ("half-typed keystroke", typed.half),
        ] {
            let edited = [before, typed, after].concat();
            group.bench_function(name, |bencher| {
                bencher.iter_batched(
                    || old.clone(),
                    |old| read(host, black_box(&edited), old.as_ref()),
                    BatchSize::SmallInput,
                );
            });
            group.bench_function(format!("{name}, parse only"), |bencher| {
                bencher.iter_batched(
                    || old.clone(),
                    |old| parse(host, black_box(&edited), old.as_ref()),
                    BatchSize::SmallInput,
                );
            });
        }
        group.finish();
    }
}

const LAYOUT: &str = "((2,2),(4,(8,16))):((1@0,8@1),(_2,(64,M*128)))";

/// The grammar that editors use, anew or from the tree before an edit.
fn tree(text: &str, old: Option<&Tree>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&notation::LANGUAGE.into()).ok()?;
    parser.parse(text, old)
}

fn notations(criterion: &mut Criterion<CpuTime>) {
    let text = format!("({})", [LAYOUT; 1_000].join(","));
    let mut group = criterion.benchmark_group("notation");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("values", |bencher| {
        bencher.iter_with_large_drop(|| notation::parse(black_box(&text)));
    });
    group.bench_function("values, with holes", |bencher| {
        bencher.iter_with_large_drop(|| notation::parse_partial(black_box(&text)));
    });
    group.sample_size(20);
    group.bench_function("tree-sitter tree", |bencher| {
        bencher.iter_with_large_drop(|| tree(black_box(&text), None));
    });
    let lines = format!("{LAYOUT};\n").repeat(LINES);
    let place = lines.len() / 2 / (LAYOUT.len() + 2) * (LAYOUT.len() + 2);
    // A digit before a line in the middle, `5((2,2)..`, is an error until more is typed.
    let edited = [&lines[..place], "5", &lines[place..]].concat();
    let mut old = tree(&lines, None);
    let at = |column| Point::new(LINES / 2, column);
    if let Some(old) = &mut old {
        old.edit(&InputEdit {
            start_byte: place,
            old_end_byte: place,
            new_end_byte: place + 1,
            start_position: at(0),
            old_end_position: at(0),
            new_end_position: at(1),
        });
    }
    group.throughput(Throughput::Bytes(edited.len() as u64));
    group.bench_function("tree-sitter tree, keystroke", |bencher| {
        bencher.iter_batched(
            || old.clone(),
            |old| tree(black_box(&edited), old.as_ref()),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(CpuTime::new())
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(2));
    targets = source_files, notations
}
criterion_main!(benches);
