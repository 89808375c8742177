//! The time of an operation: the cases of `cases.tsv`, which `peers.py` measures in other libraries; the growth with
//! the number of modes; and reading a table of 2^20 offsets.

mod cpu_time;

use cpu_time::CpuTime;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cute_algebra::infer::infer;
use cute_algebra::ops::{
    coalesce, complement, composition, left_inverse, logical_divide, logical_product, right_inverse,
};
use cute_algebra::{Layout, Parse, Reading, Refusal, Shape, Tiler};
use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

/// An operation of `cases.tsv` with its operands ready.
struct Case {
    name: &'static str,
    run: Box<dyn Fn() -> Result<Layout, Refusal>>,
}

fn cases() -> Result<Vec<Case>, Box<dyn Error>> {
    let lines = include_str!("cases.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'));
    lines.map(case).collect()
}

fn case(line: &'static str) -> Result<Case, Box<dyn Error>> {
    let mut fields = line.split('\t');
    let mut next = || {
        fields
            .next()
            .ok_or("a case has a name, an operation and its operands")
    };
    let (name, operation, first) = (next()?, next()?, next()?);
    let a = layout(first)?;
    let run: Box<dyn Fn() -> Result<Layout, Refusal>> = match operation {
        "composition" => {
            let b = layout(next()?)?;
            Box::new(move || composition(black_box(&a), black_box(&b)))
        }
        "logical_divide" | "logical_product" => {
            let tiler = Tiler::Layout(layout(next()?)?);
            let function = if operation == "logical_divide" {
                logical_divide
            } else {
                logical_product
            };
            Box::new(move || function(black_box(&a), black_box(&tiler)))
        }
        "complement" => {
            let target = Shape::parse(next()?, Reading::Plain)?;
            Box::new(move || complement(black_box(&a), black_box(&target)))
        }
        "right_inverse" => Box::new(move || right_inverse(black_box(&a))),
        "left_inverse" => Box::new(move || left_inverse(black_box(&a))),
        "coalesce" => Box::new(move || coalesce(black_box(&a))),
        "parse" => Box::new(move || {
            let parsed = layout(black_box(first))?;
            black_box(format!("{parsed:#}"));
            Ok(parsed)
        }),
        other => return Err(format!("no operation is named {other}").into()),
    };
    // A refusal is not a measurement.
    run()?;
    Ok(Case { name, run })
}

fn layout(text: &str) -> Result<Layout, Refusal> {
    Layout::parse(text, Reading::Plain)
}

fn operations(criterion: &mut Criterion<CpuTime>) {
    match cases() {
        Ok(cases) => {
            for case in cases {
                criterion.bench_function(case.name, |bencher| bencher.iter(|| (case.run)()));
            }
        }
        Err(error) => eprintln!("cases.tsv: {error}"),
    }
}

/// A layout of `rank` modes of extent 2, the strides of each pair exchanged, so that nothing merges. From rank 62 on
/// extents of 1 are between them, for 2^63 is not a size.
fn exchanged(rank: usize) -> String {
    let extents: Vec<&str> = (0..rank)
        .map(|mode| if mode < 60 { "2" } else { "1" })
        .collect();
    let stride = |mode: usize| if mode < 60 { 1_i64 << (mode ^ 1) } else { 0 };
    let strides: Vec<String> = (0..rank).map(|mode| stride(mode).to_string()).collect();
    format!("({}):({})", extents.join(","), strides.join(","))
}

fn growth(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("modes");
    for rank in [4, 8, 16, 32, 64] {
        let text = exchanged(rank);
        let Ok(a) = layout(&text) else { continue };
        group.throughput(Throughput::Elements(rank as u64));
        group.bench_function(BenchmarkId::new("coalesce", rank), |bencher| {
            bencher.iter(|| coalesce(black_box(&a)));
        });
        group.bench_function(
            BenchmarkId::new("composition with one mode", rank),
            |bencher| {
                let Ok(b) = layout("8:4") else { return };
                bencher.iter(|| composition(black_box(&a), black_box(&b)));
            },
        );
        group.bench_function(BenchmarkId::new("right_inverse", rank), |bencher| {
            bencher.iter(|| right_inverse(black_box(&a)));
        });
        group.bench_function(BenchmarkId::new("parse and print", rank), |bencher| {
            bencher.iter(|| layout(black_box(&text)).map(|layout| format!("{layout:#}")));
        });
    }
    group.finish();
}

fn tables(criterion: &mut Criterion<CpuTime>) {
    let size = 1_i64 << 20;
    let mut group = criterion.benchmark_group("infer 2^20 offsets");
    group.sample_size(20);
    let tables: [(&str, Vec<i64>); 4] = [
        (
            "layout",
            (0..size)
                .map(|i| (i % 16) * 8192 + (i / 16 % 8) + (i / 128) * 131_072)
                .collect(),
        ),
        (
            "swizzled, a power of two",
            (0..size).map(|i| i ^ (i >> 3 & 0x70)).collect(),
        ),
        (
            "swizzled, any size",
            (0..size - 5).map(|i| i ^ (i >> 3 & 0x70)).collect(),
        ),
        (
            "none but a sequence",
            (0..size)
                .map(|i| if i == size - 1 { 7 } else { i })
                .collect(),
        ),
    ];
    for (name, table) in &tables {
        group.bench_function(*name, |bencher| bencher.iter(|| infer(black_box(table))));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(CpuTime::new())
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(2));
    targets = operations, growth, tables
}
criterion_main!(benches);
