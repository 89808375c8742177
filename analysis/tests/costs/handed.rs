//! Barriers and pipelines that functions of the source are given.

use cute_analysis::Options;

use super::support::analysed;
use super::{changed, findings};

/// The kernel of `pipeline.cu` with its work in functions.
fn source() -> String {
    let kernel = include_str!("pipeline.cu");
    let helpers = "\
template <class Pipeline, class State, class Tma, class Global, class Shared>
__device__ void load(Pipeline& pipeline, State const& state, Tma const& tma, Global const& from, Shared const& to, int k) {
  copy(tma.with(*pipeline.producer_get_barrier(state), 0), from(_, k), to(_, state.index()));
}

template <class Pipeline, class State>
__device__ void release(Pipeline& pipeline, State& state) {
  pipeline.consumer_release(state);
  ++state;
}

template <class TmaA, class TmaB, class Mma>
__global__ void";
    let text = changed(
        kernel,
        "template <class TmaA, class TmaB, class Mma>\n__global__ void",
        helpers,
    );
    let text = changed(
        &text,
        "copy(tma_a.with(*barrier, 0), tAgA(_, k), tAsA(_, write.index()));",
        "load(pipeline, write, tma_a, tAgA, tAsA, k);",
    );
    let text = changed(
        &text,
        "copy(tma_b.with(*barrier, 0), tBgB(_, k), tBsB(_, write.index()));",
        "load(pipeline, write, tma_b, tBgB, tBsB, k);",
    );
    changed(
        &text,
        "      pipeline.consumer_release(read);\n      ++read;",
        "      release(pipeline, read);",
    )
}

/// The same with the functions as methods of a class.
fn methods() -> String {
    let text = changed(
        &source(),
        "template <class Pipeline, class State, class Tma",
        "struct Mainloop {\ntemplate <class Pipeline, class State, class Tma",
    );
    let text = changed(
        &text,
        "template <class TmaA, class TmaB, class Mma>",
        "};\n\ntemplate <class TmaA, class TmaB, class Mma>",
    );
    let text = text.replace(" load(pipeline, write", " mainloop.load(pipeline, write");
    let text = changed(
        &text,
        " release(pipeline, read)",
        " mainloop.release(pipeline, read)",
    );
    changed(
        &text,
        "  int warp_group =",
        "  Mainloop mainloop;\n  int warp_group =",
    )
}

/// A long function that is followed at each of many calls takes no steps from the values of names.
#[test]
fn values_do_not_wait_for_what_is_followed() {
    let long = "auto more = make_layout(Int<8>{});\n  ".repeat(200);
    let source = changed(
        &source(),
        "  copy(tma.with(*pipeline",
        &format!("  {{ {long} }}\n  copy(tma.with(*pipeline"),
    );
    let call = "load(pipeline, write, tma_a, tAgA, tAsA, k);";
    let source = changed(&source, call, &call.repeat(20));
    let facts = |costs| {
        let options = Options {
            steps: 12_000,
            costs,
            remedies: false,
            ..Options::default()
        };
        analysed(&source, &options).facts
    };
    assert!(facts(true) == facts(false));
}

#[test]
fn what_functions_do_with_a_pipeline_counts() {
    for source in [source(), methods()] {
        assert_eq!(findings(&source), Vec::<String>::new());
        let load_b = source
            .lines()
            .find(|line| line.contains("tma_b, tBgB, tBsB, k);"))
            .expect("a call");
        for (from, to, expected) in [
            (load_b, "", "expects 32768 bytes, but 16384 arrive"),
            (
                "+ sizeof(make_tensor_like(tensor<0>(tBsB)))",
                "",
                "expects 16384 bytes, but 32768 arrive",
            ),
            (
                "params.num_consumers = 128;",
                "params.num_consumers = 256;",
                "expects 256 arrivals per phase, but 128 arrive",
            ),
            (
                "  pipeline.consumer_release(state);\n",
                "  if (cute::elect_one_sync()) { pipeline.consumer_release(state); }\n",
                "expects 128 arrivals per phase, but 4 arrive",
            ),
        ] {
            let found = findings(&changed(&source, from, to));
            assert_eq!(found.len(), 1, "{from} -> {to}: {found:?}");
            assert!(found[0].contains(expected), "{from} -> {to}: {found:?}");
        }
    }
}

#[test]
fn what_a_function_does_in_its_own_way_is_not_guessed() {
    // Both numbers are wrong, by the visible code.
    let source = changed(&source(), "+ sizeof(make_tensor_like(tensor<0>(tBsB)))", "");
    let source = changed(
        &source,
        "params.num_consumers = 128;",
        "params.num_consumers = 256;",
    );
    assert_eq!(findings(&source).len(), 2);
    let bytes = "tx-bytes-mismatch";
    let arrivals = "arrival-count-mismatch";
    let load_b = "load(pipeline, write, tma_b, tBgB, tBsB, k);";
    let copy = "  copy(tma.with";
    let release = "  pipeline.consumer_release(state);\n";
    for (from, to, silent) in [
        // Not all of the function is understood, or known.
        (
            copy,
            "  asm volatile(\"fence.proxy.async;\");\n  copy(tma.with",
            bytes,
        ),
        (
            copy,
            "  asm volatile(\"fence.proxy.async;\");\n  copy(tma.with",
            arrivals,
        ),
        (copy, "  fill_the_rest(pipeline);\n  copy(tma.with", bytes),
        (copy, "  if (k > 1) copy(tma.with", bytes),
        (
            copy,
            "  load(pipeline, state, tma, from, to, k);\n  copy(tma.with",
            bytes,
        ),
        (load_b, &format!("if (k > 1) {load_b}"), bytes),
        (load_b, "load_elsewhere(pipeline, write, k);", bytes),
        // It may end before.
        (copy, "  if (k > 1) return;\n  copy(tma.with", bytes),
        (
            load_b,
            &format!("if (k == k_tiles / 2) continue; {load_b}"),
            bytes,
        ),
        // Another stage is filled.
        (load_b, &format!("++write; {load_b}"), bytes),
        (load_b, &format!("advance(write, 1); {load_b}"), bytes),
        // Some threads come back before.
        (
            release,
            &format!("  if (state.count() == threadIdx.x) return;\n{release}"),
            arrivals,
        ),
        // Two stages in one pass.
        (
            "  ++state;",
            "  ++state; pipeline.consumer_release(state);",
            arrivals,
        ),
    ] {
        let found = findings(&changed(&source, from, to));
        assert!(
            found.iter().all(|found| !found.contains(silent)),
            "{from} -> {to}: {found:?}"
        );
    }
}

/// A barrier that two functions work on.
const BARRIER: &str = "\
using namespace cute;
struct Storage { alignas(128) half_t a[64 * 64]; alignas(128) half_t b[64 * 64]; uint64_t full[2]; uint64_t empty[2]; };
template <class Tma, class From, class To>
__device__ void announce(Storage& smem, int stage, int bytes) {
  cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&smem.full[stage], bytes);
}
template <class Tma, class From, class To>
__device__ void fill(uint64_t* barrier, Tma const& tma, From const& from, To const& to) {
  copy(tma.with(*barrier), from, to);
}
__device__ void arrive(uint64_t& barrier) { cutlass::arch::ClusterBarrier::arrive(&barrier); }
template <class TmaA, class TmaB>
__global__ void load(TmaA tma_a, TmaB tma_b, int stage) {
  extern __shared__ char bytes[];
  Storage& smem = *reinterpret_cast<Storage*>(bytes);
  auto layout = Layout<Shape<_64, _64>, Stride<_64, _1>>{};
  Tensor sA = make_tensor(make_smem_ptr(smem.a), layout);
  Tensor sB = make_tensor(make_smem_ptr(smem.b), layout);
  Tensor gA = local_tile(tma_a.get_tma_tensor(make_shape(512, 512)), Shape<_64, _64>{}, make_coord(0, 0));
  Tensor gB = local_tile(tma_b.get_tma_tensor(make_shape(512, 512)), Shape<_64, _64>{}, make_coord(0, 0));
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] = tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));
  if (threadIdx.x == 0) {
    initialize_barrier(smem.empty[0], 128);
    cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&smem.full[stage], 16384);
    fill(&smem.full[stage], tma_a, tAgA, tAsA);
    fill(&smem.full[stage], tma_b, tBgB, tBsB);
  }
  __syncthreads();
  arrive(smem.empty[0]);
}
void launch(half_t* a, half_t* b, int stage) {
  auto gmem = make_layout(make_shape(512, 512), make_stride(512, Int<1>{}));
  auto smem = Layout<Shape<_64, _64>, Stride<_64, _1>>{};
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, make_tensor(a, gmem), smem, Shape<_64, _64>{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD{}, make_tensor(b, gmem), smem, Shape<_64, _64>{});
  load<<<64, 128, sizeof(Storage)>>>(tma_a, tma_b, stage);
}
";

#[test]
fn what_functions_do_with_a_barrier_counts() {
    let source = BARRIER.replace(
        "template <class Tma, class From, class To>\n__device__ void announce",
        "__device__ void announce",
    );
    assert_eq!(findings(&source), Vec::<String>::new());
    for (from, to, expected) in [
        (
            "    fill(&smem.full[stage], tma_b, tBgB, tBsB);\n",
            "",
            "expects 16384 bytes, but 8192 arrive",
        ),
        ("16384);", "8192);", "expects 8192 bytes, but 16384 arrive"),
        (
            "initialize_barrier(smem.empty[0], 128);",
            "initialize_barrier(smem.empty[0], 1);",
            "expects 1 arrival per phase, but 128 arrive",
        ),
        // Announced by a function, too.
        (
            "cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&smem.full[stage], 16384);",
            "announce(smem, stage, 8192);",
            "expects 8192 bytes, but 16384 arrive",
        ),
        (
            "  arrive(smem.empty[0]);",
            "  if (threadIdx.x < 64) { arrive(smem.empty[0]); }",
            "but 64 arrive",
        ),
    ] {
        let found = findings(&changed(&source, from, to));
        assert_eq!(found.len(), 1, "{from} -> {to}: {found:?}");
        assert!(found[0].contains(expected), "{from} -> {to}: {found:?}");
    }
    for (from, to) in [
        // The same, by a function.
        (
            "cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&smem.full[stage], 16384);",
            "announce(smem, stage, 16384);",
        ),
        // Another barrier.
        (
            "fill(&smem.full[stage], tma_b",
            "fill(&smem.full[stage ^ 1], tma_b",
        ),
        (
            "fill(&smem.full[stage], tma_b",
            "stage = other(); fill(&smem.full[stage], tma_b",
        ),
        // A function without a visible body, or one that works by assembly.
        (
            "    fill(&smem.full[stage], tma_b, tBgB, tBsB);\n",
            "    fill_b(smem, stage);\n",
        ),
        (
            "    fill(&smem.full[stage], tma_b, tBgB, tBsB);\n",
            "    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1];\" :: \"r\"(0), \"r\"(1));\n",
        ),
    ] {
        assert_eq!(
            findings(&changed(&source, from, to)),
            Vec::<String>::new(),
            "{from} -> {to}"
        );
    }
}

#[test]
fn of_a_barrier_that_a_function_is_given_the_caller_may_do_the_rest() {
    let source = "\
using namespace cute;
struct Storage { alignas(128) half_t a[64 * 64]; uint64_t full; };
template <class Tma>
__device__ void load(Tma tma, Storage& smem) {
  Tensor sA = make_tensor(make_smem_ptr(smem.a), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  Tensor gA = local_tile(tma.get_tma_tensor(make_shape(512, 512)), Shape<_64, _64>{}, make_coord(0, 0));
  auto [tAgA, tAsA] = tma_partition(tma, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  cutlass::arch::ClusterTransactionBarrier::arrive_and_expect_tx(&smem.full, 16384);
  copy(tma.with(smem.full), tAgA, tAsA);
}
void use(half_t* a, Storage& smem) {
  auto tma = make_tma_atom(SM90_TMA_LOAD{}, make_tensor(a, make_layout(make_shape(512, 512), make_stride(512, Int<1>{}))), Layout<Shape<_64, _64>, Stride<_64, _1>>{}, Shape<_64, _64>{});
  load(tma, smem);
}
";
    assert_eq!(findings(source), Vec::<String>::new());
}
