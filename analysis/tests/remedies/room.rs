//! Remedies elsewhere than in the call that is wrong: an array, a launch, the index of a slice.

use cute_analysis::Options;

use super::remedied;

/// A kernel with one mistake among its numbers: an array of 1,024 elements, a tile of 256 threads and a launch are right.
fn kernel(array: &str, index: &str, launch: &str) -> String {
    format!(
        "#include <cute/tensor.hpp>
using namespace cute;
__global__ void load(float const* p) {{
  {array}
  auto layout = make_layout(make_shape(Int<128>{{}}, Int<8>{{}}));
  Tensor shared = make_tensor(make_smem_ptr(reinterpret_cast<float*>(buffer)), layout);
  Tensor global = make_tensor(make_gmem_ptr(p), layout);
  auto tiled = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{{}}, Layout<Shape<_32, _8>>{{}}, Layout<Shape<_4, _1>>{{}});
  auto slice = tiled.get_slice({index});
  copy(tiled, slice.partition_S(global), slice.partition_D(shared));
}}
void launch(float const* p) {{ load<<<{launch}>>>(p); }}
"
    )
}

#[test]
fn an_array_a_launch_or_an_index_is_made_what_the_kernel_uses() {
    const ARRAY: &str = "__shared__ float buffer[1024];";
    const DYNAMIC: &str = "extern __shared__ char buffer[];";
    const INDEX: &str = "threadIdx.x";
    for (rule, wrong, right) in [
        (
            "smem-extent",
            kernel("__shared__ float buffer[512];", INDEX, "1, 256"),
            kernel(ARRAY, INDEX, "1, 256"),
        ),
        (
            "smem-extent",
            kernel(DYNAMIC, INDEX, "1, 256, 128 * 8"),
            kernel(DYNAMIC, INDEX, "1, 256, 4096"),
        ),
        (
            "thread-count-mismatch",
            kernel(ARRAY, INDEX, "1, 128"),
            kernel(ARRAY, INDEX, "1, 256"),
        ),
        (
            "slice-by-cta",
            kernel(ARRAY, "blockIdx.x", "1, 256"),
            kernel(ARRAY, INDEX, "1, 256"),
        ),
    ] {
        let remedies = remedied(&wrong, rule, &Options::default());
        assert!(
            remedies.iter().any(|(_, text)| *text == right),
            "{rule}: {remedies:#?}"
        );
    }
}
