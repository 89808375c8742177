//! Pipelines of CUTLASS: their `Params` against the copies and arrivals that are visible.

use std::fmt::Write as _;

use super::{Cost, changed, costs_of, findings, notes};

/// A kernel whose producer is one thread of the first warp group, its consumers the second.
const SOURCE: &str = include_str!("pipeline.cu");

/// The findings after each of some changes.
fn mutated(source: &str, changes: &[(&str, &str)]) -> String {
    let mut shown = String::new();
    for (from, to) in changes {
        let _ = writeln!(shown, "{from} -> {to}");
        for found in findings(&changed(source, from, to)) {
            let _ = writeln!(shown, "  {found}");
        }
    }
    shown
}

#[test]
fn a_pipeline_as_it_is_has_no_wrong_number() {
    assert_eq!(findings(SOURCE), Vec::<String>::new());
    let analysis = costs_of(SOURCE);
    let announced: Vec<_> = analysis
        .notes
        .iter()
        .filter_map(|note| match &note.cost {
            Cost::Transaction(found) => Some((found.announced, found.arriving())),
            _ => None,
        })
        .collect();
    // At the call that announces, and at the variable that holds the bytes.
    assert_eq!(
        announced,
        [(32_768, 32_768); 2],
        "{}",
        notes(SOURCE, &analysis, &[29, 46])
    );
}

#[test]
fn wrong_numbers_of_a_pipeline_are_found() {
    insta::assert_snapshot!(mutated(
        SOURCE,
        &[
            // The second copy is gone.
            (
                "copy(tma_b.with(*barrier, 0), tBgB(_, k), tBsB(_, write.index()));",
                "",
            ),
            // One operand is not announced.
            ("+ sizeof(make_tensor_like(tensor<0>(tBsB)))", ""),
            // Nothing is announced.
            ("params.transaction_bytes = tma_bytes;", ""),
            // All threads are counted, the producer's too.
            ("params.num_consumers = 128;", "params.num_consumers = 256;"),
            // One thread of each warp is to arrive.
            ("params.num_consumers = 128;", "params.num_consumers = 4;"),
            // Only one of them does.
            (
                "pipeline.consumer_release(read);",
                "if (threadIdx.x == 128) { pipeline.consumer_release(read); }",
            ),
            // More stages than the memory of a CTA has room for.
            ("Shape<_128, _64, _4>", "Shape<_128, _64, Int<12>>"),
        ],
    ));
}

#[test]
fn the_storage_and_the_barrier_may_be_named_in_other_ways() {
    let direct = changed(
        SOURCE,
        "auto* barrier = pipeline.producer_get_barrier(write);",
        "",
    );
    let direct = direct.replace(
        "(*barrier, 0)",
        "(*pipeline.producer_get_barrier(write), 0)",
    );
    let found = mutated(
        &direct,
        &[(
            "copy(tma_b.with(*pipeline.producer_get_barrier(write), 0), tBgB(_, k), tBsB(_, write.index()));",
            "",
        )],
    );
    assert!(
        found.contains("expects 32768 bytes, but 16384 arrive"),
        "{found}"
    );
}

#[test]
fn nothing_is_said_where_it_cannot_be_proved() {
    for (from, to) in [
        // Another function may issue the rest.
        (
            "copy(tma_b.with(*barrier, 0), tBgB(_, k), tBsB(_, write.index()));",
            "load_b(pipeline, write, k);",
        ),
        // The number is known only at run time, or in some cases only.
        ("= tma_bytes;", "= bytes_of_stage(k_tiles);"),
        (
            "params.transaction_bytes = tma_bytes;",
            "if (k_tiles > 4) { params.transaction_bytes = 7; }",
        ),
        (
            "params.num_consumers = 128;",
            "if (k_tiles > 4) { params.num_consumers = 7; }",
        ),
        // The parameters are changed by others.
        (
            "params.num_consumers = 128;",
            "params.transaction_bytes = 1; configure(params);",
        ),
        // Another stage is filled.
        (
            "auto* barrier = pipeline",
            "++write; auto* barrier = pipeline",
        ),
        // Consumers that leave early, or are chosen by what is not known.
        (
            "PipelineState read;",
            "PipelineState read; if (k_tiles == threadIdx.x) return;",
        ),
        (
            "pipeline.consumer_release(read);",
            "if (k > 0) { pipeline.consumer_release(read); }",
        ),
        // Two stages in one pass.
        (
            "pipeline.consumer_release(read);",
            "pipeline.consumer_release(read); ++read; pipeline.consumer_wait(read); pipeline.consumer_release(read);",
        ),
        // The barriers are set up elsewhere.
        (
            "params, Shape<_1, _1, _1>{});",
            "params, Shape<_1, _1, _1>{}, cute::false_type{}, cute::false_type{});",
        ),
    ] {
        let source = changed(SOURCE, from, to);
        assert_eq!(findings(&source), Vec::<String>::new(), "{from} -> {to}");
    }
}

/// Threads on both sides, without TMA.
fn by_threads(producers: &str, consumers: &str) -> String {
    format!(
        "using namespace cute;\n\
         struct Storage {{ cutlass::PipelineAsync<2>::SharedStorage pipeline; }};\n\
         __global__ void work() {{\n\
         extern __shared__ char bytes[];\n\
         Storage& smem = *reinterpret_cast<Storage*>(bytes);\n\
         using Pipeline = cutlass::PipelineAsync<2>;\n\
         typename Pipeline::Params params;\n\
         params.producer_arv_count = {producers};\n\
         params.consumer_arv_count = {consumers};\n\
         Pipeline pipeline(smem.pipeline, params);\n\
         cutlass::PipelineState<2> state;\n\
         int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);\n\
         if (warp == 0) {{\n\
         pipeline.producer_acquire(state);\n\
         pipeline.producer_commit(state);\n\
         }} else if (warp < 3) {{\n\
         pipeline.consumer_wait(state);\n\
         if (cute::elect_one_sync()) {{ pipeline.consumer_release(state); }}\n\
         }}\n}}\n\
         void launch() {{ work<<<1, 128, sizeof(Storage)>>>(); }}\n"
    )
}

#[test]
fn threads_of_both_sides_are_counted() {
    assert_eq!(findings(&by_threads("32", "2")), Vec::<String>::new());
    insta::assert_snapshot!(
        [("1", "2"), ("32", "64"), ("32", "3")]
            .map(|(producers, consumers)| findings(&by_threads(producers, consumers)).join("\n"))
            .join("\n")
    );
}
