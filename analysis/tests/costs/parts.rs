//! The takers of the parts of a tensor.

use super::costs_of;

const COPY: &str = include_str!("parts.cu");

/// The rules, lines and messages of a source.
fn said(text: &str) -> Vec<String> {
    let analysis = costs_of(text);
    let findings = analysis.findings.iter();
    findings
        .map(|finding| format!("{}: {}", finding.rule, finding.message))
        .collect()
}

/// Findings of the source after changes; without them there are none.
fn found(changes: &[(&str, &str)]) -> Vec<String> {
    assert_eq!(said(COPY), Vec::<String>::new());
    let mut text = COPY.to_owned();
    for (from, to) in changes {
        text = super::changed(&text, from, to);
    }
    said(&text)
}

const TILED: &str = "Layout<Shape<_32, _8>>{}, Layout<Shape<_4, _1>>{}";

#[test]
fn a_tile_that_is_larger_than_its_tensor_is_found() {
    let larger = (TILED, "Layout<Shape<_64, _8>>{}, Layout<Shape<_4, _1>>{}");
    let launch = ("load<<<1, 256>>>", "load<<<1, 512>>>");
    assert_eq!(
        found(&[larger, launch]),
        [
            "copy-beyond-tensor: the copy's tile has 256 elements in mode 0, but the tensor has 128: out of bounds"
        ]
    );
    let ragged = (TILED, "Layout<Shape<_16, _16>>{}, Layout<Shape<_3, _1>>{}");
    assert_eq!(found(&[ragged]).len(), 1);
}

#[test]
fn a_tile_beyond_its_tensor_is_silent_where_threads_are_kept_out() {
    let larger = (TILED, "Layout<Shape<_64, _8>>{}, Layout<Shape<_4, _1>>{}");
    let launch = ("load<<<1, 256>>>", "load<<<1, 512>>>");
    let call = "copy(tiled, slice.partition_S(global), slice.partition_D(shared));";
    for to in [
        "if (threadIdx.x % 64 < 32) { copy(tiled, slice.partition_S(global), slice.partition_D(shared)); }",
        "if (threadIdx.x >= 256) return; copy(tiled, slice.partition_S(global), slice.partition_D(shared));",
        "Tensor places = make_identity_tensor(shape(global)); copy(tiled, slice.partition_S(global), slice.partition_D(shared));",
        "copy_if(tiled, pred, slice.partition_S(global), slice.partition_D(shared));",
    ] {
        assert_eq!(
            found(&[larger, launch, (call, to)]),
            Vec::<String>::new(),
            "{to}"
        );
    }
}

#[test]
fn two_elements_at_one_place_are_found_where_they_differ() {
    let stride = |stride: &str| format!("make_stride(Int<1>{{}}, Int<{stride}>{{}})");
    assert_eq!(
        found(&[("LayoutLeft{}", &stride("127"))]),
        [
            "overlapping-store: elements (127,0) and (0,1) of the destination share an address: one value is lost"
        ]
    );
    // Padded; of one value for all columns; the same repetition in the source.
    assert_eq!(
        found(&[("LayoutLeft{}", &stride("128"))]),
        Vec::<String>::new()
    );
    assert_eq!(
        found(&[("LayoutLeft{}", &stride("0"))]),
        Vec::<String>::new()
    );
    let both = [
        ("LayoutLeft{}", &*stride("127")),
        (
            "make_shape(Int<128>{}, Int<8>{}));",
            "make_shape(Int<128>{}, Int<8>{}), make_stride(Int<1>{}, Int<127>{}));",
        ),
    ];
    assert_eq!(found(&both), Vec::<String>::new());
}

/// The findings of a kernel that copies tiles of 64 by 64 elements, one for each CTA.
fn tiles(source: &str, destination: &str, (coordinate, grid): (&str, &str)) -> Vec<String> {
    let text = format!(
        "#include <cute/tensor.hpp>
using namespace cute;
template <class A, class B> __global__ void copy_tiles(A from, B to) {{
  auto threads = make_layout(make_shape(Int<32>{{}}, Int<8>{{}}), make_stride(Int<8>{{}}, Int<1>{{}}));
  auto tile = make_shape(Int<64>{{}}, Int<64>{{}});
  Tensor a = local_tile(from, tile, {coordinate});
  Tensor b = local_tile(to, tile, {coordinate});
  copy(local_partition(a, threads, threadIdx.x), local_partition(b, threads, threadIdx.x));
}}
void launch(float const* p, float* q, int blocks) {{
  auto shape = make_shape(Int<512>{{}}, Int<256>{{}});
  Tensor from = make_tensor(make_gmem_ptr(p), make_layout(shape, {source}));
  Tensor to = make_tensor(make_gmem_ptr(q), make_layout(shape, {destination}));
  copy_tiles<<<{grid}, 256>>>(from, to);
}}
"
    );
    let found = costs_of(&text).findings;
    let of_rule = found.iter().filter(|it| it.rule == "overlapping-store");
    of_rule.map(|it| it.message.clone()).collect()
}

#[test]
fn tiles_of_two_ctas_may_share_an_address() {
    let rows = |pitch: &str| format!("make_stride(Int<{pitch}>{{}}, Int<1>{{}})");
    let each = ("make_coord(blockIdx.x, blockIdx.y)", "dim3(8, 4)");
    let (good, bad) = (rows("256"), rows("128"));
    let found = |source: &str, destination: &str, at| tiles(source, destination, at);
    assert_eq!(
        found(&good, &bad, each),
        ["elements (1,0) and (0,128) of the destination share an address: one value is lost"]
    );
    // With padding; the source repeats its elements alike; one CTA alone; one tile for all.
    let nothing = Vec::<String>::new();
    assert_eq!(found(&good, &rows("264"), each), nothing);
    assert_eq!(found(&bad, &bad, each), nothing);
    assert_eq!(found(&good, &bad, (each.0, "1")), nothing);
    assert_eq!(
        found(&good, &bad, ("make_coord(blockIdx.x, 0)", "8")),
        nothing
    );
    // Along one diagonal; a copy of some CTAs.
    let diagonal = ("make_coord(blockIdx.x, blockIdx.x)", "32");
    assert_eq!(found(&good, &bad, diagonal), nothing);
    let some = (
        "make_coord(blockIdx.x, blockIdx.y)); if (blockIdx.y > 1) return; (void)(0",
        "dim3(8, 4)",
    );
    assert_eq!(found(&good, &bad, some), nothing);
    // A number of CTAs that only the running program knows is taken for enough.
    let open = "dim3(blocks, 4)";
    assert_eq!(found(&good, &bad, (each.0, open)).len(), 1);
}

#[test]
fn threads_are_compared_with_those_of_the_launch() {
    for (to, message) in [
        (
            "load<<<1, 128>>>",
            "thread-count-mismatch: 256 threads share the tensor, but only 128 take a part: the rest is never touched",
        ),
        (
            "load<<<1, 512>>>",
            "thread-count-mismatch: 256 threads share the tensor; thread 511 takes a part beyond it",
        ),
    ] {
        assert_eq!(found(&[("load<<<1, 256>>>", to)]), [message]);
    }
    let call = "copy(tiled, slice.partition_S(global), slice.partition_D(shared));";
    let slice = "tiled.get_slice(threadIdx.x)";
    for changes in [
        // A guard, a separate index, several launches, a number that is not known, other threads that take the rest.
        vec![
            ("load<<<1, 256>>>", "load<<<1, 512>>>"),
            (
                call,
                "if (threadIdx.x < 256) { copy(tiled, slice.partition_S(global), slice.partition_D(shared)); }",
            ),
        ],
        vec![
            ("load<<<1, 256>>>", "load<<<1, 512>>>"),
            (slice, "tiled.get_slice(threadIdx.x % 256)"),
        ],
        vec![(
            "multiply<<<1, 64>>>",
            "multiply<<<1, 64>>>(a, b, c); multiply<<<1, 32>>>",
        )],
        vec![("load<<<1, 256>>>", "load<<<1, n>>>")],
        vec![(
            call,
            "if (threadIdx.x < 128) { copy(tiled, slice.partition_S(global), slice.partition_D(shared)); } \
             else { copy(tiled, slice.partition_S(global), slice.partition_D(shared)); }",
        )],
    ] {
        assert_eq!(found(&changes), Vec::<String>::new(), "{changes:?}");
    }
}

#[test]
fn a_slice_of_threads_by_the_index_of_a_cta_is_found() {
    let slice = "tiled.get_slice(threadIdx.x)";
    assert_eq!(
        found(&[(slice, "tiled.get_slice(blockIdx.x)")]),
        [
            "slice-by-cta: blockIdx.x slices a tiled copy of 256 threads: all threads of a CTA get the same part"
        ]
    );
    // Whatever is made of it is the same for all threads.
    assert_eq!(
        found(&[(slice, "tiled.get_slice(blockIdx.x - 128)")]).len(),
        1
    );
    for right in [
        "tiled.get_slice(threadIdx.x + 0 * blockIdx.x)",
        "tiled.get_slice((threadIdx.x + blockIdx.x) % 256)",
    ] {
        assert_eq!(found(&[(slice, right)]), Vec::<String>::new(), "{right}");
    }
}

#[test]
fn an_operand_that_was_made_for_the_other_one_is_found() {
    let swapped = found(&[("gemm(mma, rA, rB, rC);", "gemm(mma, rB, rA, rC);")]);
    assert_eq!(
        swapped,
        [
            "swapped-operand: the fragment was made for operand B but is passed to the MMA as operand A"
        ]
    );
    // The transposed problem: its names are the other way round, its partitions are not.
    let transposed = [
        (
            "rA = part.partition_fragment_A(gA)",
            "rA = part.partition_fragment_B(gA)",
        ),
        (
            "rB = part.partition_fragment_B(gB)",
            "rB = part.partition_fragment_A(gB)",
        ),
        ("gemm(mma, rA, rB, rC);", "gemm(mma, rB, rA, rC);"),
    ];
    assert_eq!(found(&transposed), Vec::<String>::new());
}

#[test]
fn one_of_two_parts_by_the_cta_is_found() {
    let (whole, tiled) = (
        "  copy(tiled, slice.partition_S(global), slice.partition_D(shared));\n",
        "  auto threads = make_layout(make_shape(Int<32>{}, Int<8>{}));\n",
    );
    let parts = |from: &str, to: &str| {
        format!(
            "{tiled}  copy(local_partition(global, threads, {from}), local_partition(shared, threads, {to}));\n"
        )
    };
    let by_cta = parts("blockIdx.x", "threadIdx.x");
    assert_eq!(
        found(&[(whole, &by_cta)]),
        [
            "slice-by-cta: blockIdx.x takes one of 256 parts for the whole CTA; threads share what it is copied with"
        ]
    );
    // Both are of the CTA: then one thread copies.
    for right in [
        parts("threadIdx.x", "threadIdx.x"),
        parts("blockIdx.x", "blockIdx.x"),
    ] {
        assert_eq!(found(&[(whole, &right)]), Vec::<String>::new());
    }
}

#[test]
fn what_all_threads_use_is_computed_by_all() {
    let gemm = "  gemm(mma, rA, rB, rC);\n";
    let with = |text: &str| found(&[(gemm, text)]);
    assert_eq!(
        with("  if (threadIdx.x == 0) { gemm(mma, rA, rB, rC); }\n"),
        ["thread-count-mismatch: rC is used by all 64 threads, but computed by only 1"]
    );
    for right in [
        // The others compute theirs elsewhere, or nothing is known of the condition.
        "  if (threadIdx.x < 32) { gemm(mma, rA, rB, rC); } else { gemm(mma, rB, rA, rC); }\n",
        "  if (a != nullptr) { gemm(mma, rA, rB, rC); }\n",
        "  if (threadIdx.x == 0) { gemm(mma, rA, rB, rC); }\n  finish(rC);\n",
        "  if (threadIdx.x < 64) { gemm(mma, rA, rB, rC); }\n",
    ] {
        let said = with(right);
        assert!(
            said.iter()
                .all(|said| !said.starts_with("thread-count-mismatch")),
            "{right}: {said:?}"
        );
    }
}

/// A tile in shared memory whose elements the threads change.
const ELEMENTS: &str = "#include <cute/tensor.hpp>
using namespace cute;
__global__ void scale(float const* p, float* q) {
  __shared__ float buffer[1024];
  Tensor shared = make_tensor(make_smem_ptr(buffer), make_layout(make_shape(Int<128>{}, Int<8>{})));
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) buffer[i] = p[i];
  __syncthreads();
  Tensor mine = local_partition(shared, make_layout(make_shape(Int<32>{}, Int<4>{})), threadIdx.x);
  for (int i = 0; i < size(mine); ++i) mine(i) = mine(i) * 2.0f;
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) q[i] = buffer[i];
}
void launch(float const* p, float* q) {
  scale<<<1, 128>>>(p, q);
}
";

#[test]
fn elements_of_a_partition_are_for_the_threads_of_the_launch() {
    use super::protocol::{found, silent};
    let rules = |changes: &[(&str, &str)]| -> Vec<String> {
        let said = found(ELEMENTS, changes).into_iter();
        said.filter_map(|said| Some(said.split_once(':')?.0.to_owned()))
            .collect()
    };
    let by_cta = ("Int<4>{})), threadIdx.x)", "Int<4>{})), blockIdx.x)");
    let loop_of = "  for (int i = 0; i < size(mine); ++i) mine(i)";
    assert_eq!(rules(&[by_cta]), ["slice-by-cta"]);
    let launched = |threads: &str| found(ELEMENTS, &[("<<<1, 128>>>", threads)]);
    assert_eq!(
        launched("<<<1, 64>>>"),
        [
            "thread-count-mismatch: 128 threads share the tensor, but only 64 take a part: the rest is never touched"
        ]
    );
    // `idx2crd` gives the rest of a division: the part is that of an earlier thread, and both change it.
    assert_eq!(
        launched("<<<1, 256>>>"),
        [
            "thread-count-mismatch: 128 threads share the tensor; thread 255 takes part 127 again",
            "shared-race: thread (0,0,0) overwrites byte 0 of `buffer` that thread (128,0,0) may still read: no barrier",
        ]
    );
    silent(
        ELEMENTS,
        &[
            // Only threads with a part come.
            &[
                ("<<<1, 128>>>", "<<<1, 256>>>"),
                (
                    loop_of,
                    "  if (threadIdx.x < 128) for (int i = 0; i < size(mine); ++i) mine(i)",
                ),
            ],
            // The rest is taken, too.
            &[
                ("<<<1, 128>>>", "<<<1, 64>>>"),
                (
                    loop_of,
                    "  Tensor rest = local_partition(shared, make_layout(make_shape(Int<32>{}, Int<4>{})), threadIdx.x + 64);\n  for (int i = 0; i < size(rest); ++i) rest(i) = rest(i) * 2.0f;\n  for (int i = 0; i < size(mine); ++i) mine(i)",
                ),
            ],
            // How many threads there are is not known.
            &[
                ("<<<1, 128>>>", "<<<1, n>>>"),
                (
                    "launch(float const* p, float* q)",
                    "launch(float const* p, float* q, int n)",
                ),
            ],
        ],
    );
}

/// Copies of TMA, which one thread issues, do not do the rest of what threads do to a tile.
#[test]
fn copies_of_tma_do_not_take_the_parts_of_threads() {
    use super::protocol::{found, silent};
    const TILES: &str = include_str!("../../../tests/data/kernels/tma_round_trip.cu");
    assert_eq!(
        found(TILES, &[("dim3 block(128)", "dim3 block(64)")]),
        [
            "thread-count-mismatch: 128 threads share the tensor, but only 64 take a part: the rest is never touched"
        ]
    );
    silent(TILES, &[&[]]);
}
