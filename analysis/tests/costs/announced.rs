//! Bytes that are announced for copies by tensor maps, which do not say how many they move.

use super::launched::{found, silent};

const MAPS: &str = r"
#include <cuda.h>
#include <cuda/barrier>
#include <utility>
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
constexpr int kRows = 32;
constexpr int kColumns = 32;
__global__ void twice(const __grid_constant__ CUtensorMap from, float* to) {
  __shared__ alignas(128) float tile[kRows][kColumns];
  __shared__ alignas(128) float other[kColumns];
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &from, 0, 0, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  to[threadIdx.x] = 2 * tile[0][threadIdx.x];
}
void launch(CUtensorMap from, float* to) { twice<<<1, 32>>>(from, to); }
";

const ANNOUNCED: &str = "sizeof(tile))";
const COPY: &str = "cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &from, 0, 0, bar);";

#[test]
fn more_bytes_than_the_array_of_a_tensor_map_never_arrive() {
    let said = found(MAPS, &[(ANNOUNCED, "2 * sizeof(tile))")]);
    let [only] = said.as_slice() else {
        panic!("{said:?}");
    };
    assert!(
        only.starts_with(
            "tx-bytes-mismatch: barrier expects 8192 bytes, but the arrays that its copies fill have 4096"
        ),
        "{only}"
    );
}

#[test]
fn bytes_that_may_arrive_are_not_judged() {
    let second = format!(
        "{COPY}\n    cde::cp_async_bulk_tensor_2d_global_to_shared(&other, &from, 0, 0, bar);"
    );
    silent(
        MAPS,
        &[
            &[(ANNOUNCED, ANNOUNCED)],
            // The box may be smaller.
            &[(ANNOUNCED, "sizeof(tile) / 2)")],
            // Two arrays are filled.
            &[
                (COPY, second.as_str()),
                (ANNOUNCED, "sizeof(tile) + sizeof(other))"),
            ],
            // Another function may fill more.
            &[
                (COPY, &format!("{COPY}\n    fill_more(&bar);")),
                (ANNOUNCED, "2 * sizeof(tile))"),
            ],
            // The length of the array is the launch's.
            &[
                (
                    "__shared__ alignas(128) float tile[kRows][kColumns];",
                    "extern __shared__ alignas(128) float tile[][kColumns];",
                ),
                (ANNOUNCED, "8192)"),
                ("<<<1, 32>>>", "<<<1, 32, 8192>>>"),
            ],
        ],
    );
}
