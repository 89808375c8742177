//! What opening a file and typing in it cost: parse and lowering of a file of 2,000 lines.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax, notation};

const KERNEL: &str = include_str!("../tests/fixtures/kernel.cu");

fn parse(text: &str, old: Option<&Syntax>) -> Option<Syntax> {
    Syntax::parse(Host::CudaCpp, text, old, Budget::unlimited()).ok()
}

fn read(text: &str, old: Option<&Syntax>) -> Option<Unit> {
    Some(parse(text, old)?.lower(text))
}

fn source_files(criterion: &mut Criterion) {
    let text = KERNEL.repeat(2_000 / KERNEL.lines().count());
    let middle = text
        .match_indices(";\n")
        .nth(text.matches(";\n").count() / 2);
    let (before, after) = text.split_at(middle.map_or(0, |(at, _)| at + 1));
    let old = parse(&text, None);
    let mut group = criterion.benchmark_group("cuda");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("open", |bencher| {
        bencher.iter(|| read(black_box(&text), None));
    });
    for (name, typed) in [
        ("keystroke", "\n  auto x = y;"),
        ("half-typed keystroke", "\n  f(y"),
    ] {
        let edited = [before, typed, after].concat();
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || old.clone(),
                |old| read(black_box(&edited), old.as_ref()),
                BatchSize::SmallInput,
            );
        });
        group.bench_function(format!("{name}, parse only"), |bencher| {
            bencher.iter_batched(
                || old.clone(),
                |old| parse(black_box(&edited), old.as_ref()),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn notations(criterion: &mut Criterion) {
    let layout = "((2,2),(4,(8,16))):((1@0,8@1),(_2,(64,M*128))),";
    let text = format!("({})", layout.repeat(1_000).trim_end_matches(','));
    let mut group = criterion.benchmark_group("notation");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| notation::parse(black_box(&text)));
    });
    group.finish();
}

criterion_group!(benches, source_files, notations);
criterion_main!(benches);
