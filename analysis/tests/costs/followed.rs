//! Accesses and waits that are followed where they stand: bulk copies in PTX, stages, single elements, conversions of an index,
//! memory of other CTAs, streams, and threads that share a place.

use super::protocol::{found, silent};

/// A ring of one stage that a function in PTX fills.
const BULK: &str = r#"
#include <cute/tensor.hpp>
using namespace cute;
__device__ void fetch(void* to, void const* from, uint32_t bytes, uint64_t* full) {
  uint32_t at = cast_smem_ptr_to_uint(full);
  uint32_t place = cast_smem_ptr_to_uint(to);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :: "r"(place), "l"(from), "r"(bytes), "r"(at) : "memory");
}
__global__ void load(float const* p, float* q, int tiles) {
  __shared__ alignas(128) float buffer[256];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    initialize_barrier(full, 1);
  }
  __syncthreads();
  int phase = 0;
  for (int k = 0; k < tiles; ++k) {
    if (threadIdx.x == 0) {
      set_barrier_transaction_bytes(full, 1024);
      fetch(buffer, p + k * 256, 1024, &full);
    }
    wait_barrier(full, phase);
    phase ^= 1;
    q[k * 256 + threadIdx.x] = buffer[threadIdx.x];
    __syncthreads();
  }
}
void launch(float const* p, float* q, int tiles) {
  load<<<1, 256>>>(p, q, tiles);
}
"#;

const EXPECTED: &str = "set_barrier_transaction_bytes(full, 1024);";

#[test]
fn the_bytes_of_a_bulk_copy_in_ptx_arrive_at_its_barrier() {
    let with = |from: &str, to: &str| found(BULK, &[(from, to)]);
    let fetch = "      fetch(buffer, p + k * 256, 1024, &full);\n";
    for (from, to) in [
        (EXPECTED, "set_barrier_transaction_bytes(full, 512);"),
        (EXPECTED, "set_barrier_transaction_bytes(full, 2048);"),
        (fetch, ""),
    ] {
        let said = with(from, to);
        let [only] = said.as_slice() else {
            panic!("{said:?}");
        };
        assert!(
            only.starts_with("barrier-order: thread 0 waits for phase 0, which never completes"),
            "{only}"
        );
    }
    let twice = format!("{fetch}{fetch}");
    silent(
        BULK,
        &[
            // Two copies.
            &[
                (EXPECTED, "set_barrier_transaction_bytes(full, 2048);"),
                (fetch, &twice),
            ],
            // Bytes that are not known.
            &[
                (EXPECTED, "set_barrier_transaction_bytes(full, 2048);"),
                ("256, 1024, &full", "256, tiles, &full"),
            ],
            // Bytes that are computed.
            &[
                ("\"r\"(bytes)", "\"r\"(bytes * 4)"),
                ("256, 1024, &full", "256, 256, &full"),
            ],
            // Bytes of a template; the number is something else.
            &[
                (
                    "__device__ void fetch",
                    "template <int Bytes>\n__device__ void fetch",
                ),
                ("uint32_t bytes, uint64_t* full", "int hint, uint64_t* full"),
                ("\"r\"(bytes)", "\"n\"(Bytes)"),
                (
                    "fetch(buffer, p + k * 256, 1024",
                    "fetch<1024>(buffer, p + k * 256, 7",
                ),
            ],
            // Two copies in a loop.
            &[
                (
                    "  asm volatile",
                    "  for (int i = 0; i < 2; ++i) asm volatile",
                ),
                ("\"r\"(place)", "\"r\"(place + i * 512)"),
                ("256, 1024, &full", "256, 512, &full"),
            ],
            // One thread of a warp copies.
            &[
                (
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
                    "{ .reg .pred p; elect.sync _|p, 0xffffffff; @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3]; }",
                ),
                (
                    "    if (threadIdx.x == 0) {\n      set_",
                    "    if (threadIdx.x < 32) {\n      if (threadIdx.x == 0) set_",
                ),
            ],
            // To several CTAs.
            &[
                (EXPECTED, "set_barrier_transaction_bytes(full, 512);"),
                (
                    "cluster.global.mbarrier",
                    "cluster.global.multicast.mbarrier",
                ),
            ],
        ],
    );
}

/// A ring of three stages with counters of its own.
const RING: &str = r"
#include <cute/tensor.hpp>
using namespace cute;
__global__ void sum(float const* p, float* q, int tiles) {
  __shared__ alignas(16) float buffer[3 * 1024];
  Tensor shared = make_tensor(make_smem_ptr(buffer), Layout<Shape<_128, _8, _3>>{});
  Tensor from = make_tensor(make_gmem_ptr(p), make_layout(make_shape(Int<128>{}, Int<8>{}, tiles)));
  Tensor to = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<128>{}, Int<8>{})));
  auto rows = make_layout(make_shape(Int<128>{}, Int<2>{}));
  Tensor source = local_partition(from, rows, threadIdx.x);
  Tensor mine = local_partition(shared, rows, threadIdx.x);
  Tensor out = local_partition(to, rows, threadIdx.x);
  Tensor values = make_tensor_like(out);
  clear(values);
  auto tiled = Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint32_t>, float>{};
  int next = 0;
  for (int pipe = 0; pipe < 2; ++pipe) {
    copy(tiled, source(_, _, next), mine(_, _, pipe));
    cp_async_fence();
    ++next;
  }
  int read = 0;
  int write = 2;
  for (int k = 0; k < tiles; ++k) {
    cp_async_wait<1>();
    __syncthreads();
    copy(mine(_, _, read), values);
    if (next < tiles) {
      copy(tiled, source(_, _, next), mine(_, _, write));
    }
    cp_async_fence();
    ++next;
    write = read;
    read = (read + 1) % 3;
  }
  copy(values, out);
}
void launch(float const* p, float* q, int tiles) {
  sum<<<1, 256>>>(p, q, tiles);
}
";

const READ: &str = "    read = (read + 1) % 3;\n";

#[test]
fn a_stage_is_compared_statement_by_statement() {
    let message = "stage-out-of-range: index can reach 3, but shared has 3 stages: out of bounds";
    assert_eq!(
        found(RING, &[("int write = 2;", "int write = 3;")]),
        [message]
    );
    assert_eq!(found(RING, &[(READ, "    ++read;\n")]), [message]);
    assert_eq!(
        found(
            RING,
            &[(READ, "    ++read;\n"), ("(p, q, tiles);", "(p, q, 9);")]
        ),
        [message]
    );
    silent(
        RING,
        &[
            &[(READ, "    if (++read == 3) read = 0;\n")],
            &[(READ, "    read = read == 2 ? 0 : read + 1;\n")],
            // A function that is not known.
            &[(READ, "    read = behind(read);\n")],
            // As many passes as stages.
            &[(READ, "    ++read;\n"), ("k < tiles; ++k", "k < 3; ++k")],
            // As many tiles as stages: the host says so.
            &[(READ, "    ++read;\n"), ("(p, q, tiles);", "(p, q, 3);")],
            &[
                (READ, "    ++read;\n"),
                ("  sum<<<", "  if (tiles > 3) return;\n  sum<<<"),
            ],
            &[
                (READ, "    ++read;\n"),
                ("  sum<<<", "  if (tiles <= 3) sum<<<"),
            ],
            // The kernel leaves with more tiles.
            &[
                (READ, "    ++read;\n"),
                (
                    "  int next = 0;",
                    "  if (tiles > 3) return;\n  int next = 0;",
                ),
            ],
        ],
    );
}

/// A tile that threads write element by element, and TMA stores.
const ELEMENTS: &str = r"
#include <cute/tensor.hpp>
using namespace cute;
template <class Atom>
__global__ void store(float const* p, Atom const atom) {
  __shared__ alignas(128) float buffer[32 * 32];
  auto tile = make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{});
  Tensor shared = make_tensor(make_smem_ptr(buffer), tile);
  Tensor to = atom.get_tma_tensor(make_shape(Int<32>{}, Int<32>{}));
  auto [of_global, of_shared] = tma_partition(atom, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(shared), group_modes<0, 2>(to));
  for (int row = 0; row < 32; ++row) {
    shared(row, threadIdx.x) = p[row * 32 + threadIdx.x];
  }
  tma_store_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    copy(atom, of_shared, of_global);
    tma_store_arrive();
    tma_store_wait<0>();
  }
}
void launch(float const* p, float* q) {
  Tensor all = make_tensor(make_gmem_ptr(q), make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{}));
  auto atom = make_tma_atom(SM90_TMA_STORE{}, all, make_layout(make_shape(Int<32>{}, Int<32>{}), LayoutRight{}), make_shape(Int<32>{}, Int<32>{}));
  store<<<1, 32>>>(p, atom);
}
";

const FENCE: &str = "  tma_store_fence();\n";

#[test]
fn elements_that_threads_write_need_a_fence_before_tma_reads_them() {
    assert_eq!(
        found(ELEMENTS, &[(FENCE, "")]),
        ["proxy-fence: TMA stores buffer, which threads write on line 12: no proxy fence"]
    );
    silent(
        ELEMENTS,
        &[
            &[(FENCE, "  publish();\n")],
            &[(FENCE, "  fence_proxy_async();\n")],
            // Whoever writes does not store.
            &[
                (FENCE, ""),
                ("    shared(row,", "    if (threadIdx.x > 3) shared(row,"),
            ],
            // Another array.
            &[
                (FENCE, ""),
                (
                    "  for (int row",
                    "  __shared__ float others[1024];\n  Tensor other = make_tensor(make_smem_ptr(others), tile);\n  for (int row",
                ),
                ("shared(row, threadIdx.x) =", "other(row, threadIdx.x) ="),
            ],
            // The other half of the array.
            &[
                (FENCE, ""),
                ("buffer[32 * 32]", "buffer[2 * 32 * 32]"),
                (
                    "  for (int row",
                    "  Tensor other = make_tensor(make_smem_ptr(buffer + 1024), tile);\n  for (int row",
                ),
                ("shared(row, threadIdx.x) =", "other(row, threadIdx.x) ="),
            ],
            // Registers.
            &[
                (FENCE, ""),
                (
                    "  for (int row",
                    "  Tensor other = make_tensor<float>(Shape<_32, _32>{});\n  for (int row",
                ),
                ("shared(row, threadIdx.x) =", "other(row, threadIdx.x) ="),
            ],
        ],
    );
}

/// An index of 64 bits.
const WIDE: &str = r"
#include <cute/tensor.hpp>
using namespace cute;
__global__ void rows(float const* p, float* q) {
  int64_t wide = 65536;
  int64_t at = blockIdx.x * wide + threadIdx.x;
  q[blockIdx.x * 128 + threadIdx.x] = p[at];
}
void launch(float const* p, float* q) {
  rows<<<65536, 128>>>(p, q);
}
";

#[test]
fn an_index_is_kept_in_a_type_that_is_too_narrow() {
    let narrow = ("int64_t at =", "int at =");
    let message = "offset-overflow: the index reaches 4294901887, but an int holds 2147483647 at most: it wraps around\nCTA (65535,0,0), thread (127,0,0)";
    assert_eq!(found(WIDE, &[narrow]), [message]);
    let cast = ("p[at]", "p[static_cast<int>(at)]");
    assert_eq!(found(WIDE, &[cast]), [message]);
    silent(
        WIDE,
        &[
            // It fits.
            &[narrow, ("<<<65536", "<<<32768")],
            &[("int64_t at =", "unsigned at =")],
            // It is made smaller before.
            &[
                narrow,
                (
                    "blockIdx.x * wide + threadIdx.x;",
                    "(blockIdx.x * wide + threadIdx.x) / 4;",
                ),
            ],
            &[
                narrow,
                (
                    "blockIdx.x * wide + threadIdx.x;",
                    "(blockIdx.x * wide + threadIdx.x) % 1024;",
                ),
            ],
            // Arithmetic of unsigned numbers makes it right again.
            &[
                (
                    "int64_t at = blockIdx.x * wide + threadIdx.x;",
                    "int at = blockIdx.x * wide;",
                ),
                ("p[at]", "p[at + threadIdx.x]"),
            ],
            &[narrow, ("p[at]", "p[(unsigned)at]")],
            // Only the rest counts.
            &[narrow, ("p[at]", "p[at % 1024]")],
            // A condition may keep it smaller.
            &[narrow, ("  q[", "  if (at < 1000) q[")],
        ],
    );
}

/// The memory of the other CTA, which has no name.
const PEER: &str = r"
#include <cute/tensor.hpp>
#include <cooperative_groups.h>
using namespace cute;
__global__ void add(float const* p, float* q) {
  __shared__ float part[128];
  auto cluster = cooperative_groups::this_cluster();
  int at = blockIdx.x * 128 + threadIdx.x;
  part[threadIdx.x] = p[at];
  cluster.sync();
  q[at] = part[threadIdx.x] + *cluster.map_shared_rank(&part[threadIdx.x], cluster.block_rank() ^ 1);
  cluster.sync();
}
void launch(float const* p, float* q) {
  add<<<2, 128>>>(p, q);
}
";

#[test]
fn memory_of_another_cta_is_used_where_it_is_mapped() {
    let first = ("  cluster.sync();\n  q[at]", "  __syncthreads();\n  q[at]");
    assert_eq!(
        found(PEER, &[first]),
        [
            "cluster-exit: no cluster barrier before another CTA's shared memory is accessed: it may not have started"
        ]
    );
    silent(
        PEER,
        &[
            &[("  cluster.sync();\n  q[at]", "  meet();\n  q[at]")],
            // An address that is kept, before the other CTA is known to run.
            &[
                first,
                (
                    "  __syncthreads();",
                    "  float* peer = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);\n  cluster.sync();",
                ),
                (
                    "*cluster.map_shared_rank(&part[threadIdx.x], cluster.block_rank() ^ 1)",
                    "peer[threadIdx.x]",
                ),
            ],
            &[
                first,
                (
                    "  __syncthreads();",
                    "  float* peer;\n  peer = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);\n  cluster.sync();",
                ),
                (
                    "*cluster.map_shared_rank(&part[threadIdx.x], cluster.block_rank() ^ 1)",
                    "peer[threadIdx.x]",
                ),
            ],
            &[
                first,
                (
                    "  __syncthreads();",
                    "  float* peer = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);\n  float* mine = peer + threadIdx.x;\n  cluster.sync();",
                ),
                (
                    "*cluster.map_shared_rank(&part[threadIdx.x], cluster.block_rank() ^ 1)",
                    "*mine",
                ),
            ],
            &[
                first,
                (
                    "  __syncthreads();",
                    "  float* peer = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);\n  float* mine = &peer[threadIdx.x];\n  cluster.sync();",
                ),
                (
                    "*cluster.map_shared_rank(&part[threadIdx.x], cluster.block_rank() ^ 1)",
                    "*mine",
                ),
            ],
            &[
                first,
                (
                    "  __syncthreads();",
                    "  float* peer[1];\n  peer[0] = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);\n  cluster.sync();",
                ),
                (
                    "*cluster.map_shared_rank(&part[threadIdx.x], cluster.block_rank() ^ 1)",
                    "peer[0][threadIdx.x]",
                ),
            ],
            // Its own memory.
            &[first, ("cluster.block_rank() ^ 1", "cluster.block_rank()")],
        ],
    );
}

/// Two launches in one stream.
const STREAMS: &str = r"
#include <cute/tensor.hpp>
using namespace cute;
__global__ void scale(float const* p, float* q) {
  int at = blockIdx.x * 256 + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  q[at] = 2 * p[at];
}
__global__ void shift(float const* q, float* r) {
  int at = blockIdx.x * 256 + threadIdx.x;
  cudaGridDependencySynchronize();
  r[at] = q[at] + 1;
}
void launch(float const* p, float* q, float* r, cudaStream_t stream, cudaStream_t other) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 64;
  config.blockDim = 256;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  scale<<<64, 256, 0, stream>>>(p, q);
  cudaLaunchKernelEx(&config, shift, (float const*)q, r);
}
";

#[test]
fn launches_of_one_stream_depend_on_each_other() {
    let early = ("  cudaGridDependencySynchronize();\n", "");
    let message =
        "grid-dependency: q is read before griddepcontrol.wait: scale may still write it on line 7";
    assert_eq!(found(STREAMS, &[early]), [message]);
    silent(
        STREAMS,
        &[
            // Another stream.
            &[early, ("config.stream = stream", "config.stream = other")],
            &[early, ("  config.stream = stream;\n", "")],
            &[early, ("<<<64, 256, 0, stream>>>", "<<<64, 256>>>")],
        ],
    );
}

/// A tiled copy with a layout of threads.
const THREADS: &str = r"
#include <cute/tensor.hpp>
using namespace cute;
__global__ void load(float const* p) {
  __shared__ float buffer[1024];
  auto layout = make_layout(make_shape(Int<128>{}, Int<8>{}));
  Tensor shared = make_tensor(make_smem_ptr(buffer), layout);
  Tensor global = make_tensor(make_gmem_ptr(p), layout);
  auto tiled = make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{}, Layout<Shape<_32, _8>, Stride<_1, _32>>{}, Layout<Shape<_4, _1>>{});
  auto slice = tiled.get_slice(threadIdx.x);
  copy(tiled, slice.partition_S(global), slice.partition_D(shared));
}
void launch(float const* p) {
  load<<<1, 256>>>(p);
}
";

#[test]
fn two_threads_of_a_tiled_copy_have_one_place() {
    let strides = "Stride<_1, _32>";
    let said = found(THREADS, &[(strides, "Stride<_1, _16>")]);
    assert_eq!(
        said.first().and_then(|first| first.lines().next()),
        Some("not-injective: stride 16 is smaller than 32, the end of the modes before it")
    );
    silent(
        THREADS,
        &[
            &[(strides, "Stride<_8, _1>")],
            // Threads with gaps between them.
            &[(strides, "Stride<_1, _64>")],
            // Threads that do the same.
            &[(strides, "Stride<_1, _0>")],
        ],
    );
}
