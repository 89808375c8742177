//! Stages of arrays and tensors whose index goes too far: no launch is needed to see it.

use super::findings;

fn ring(declared: &str, next: &str) -> String {
    format!(
        "constexpr int STAGES = 4;\n\
         __global__ void ring(const float* in, float* out, int n) {{\n\
           __shared__ float buffer[STAGES][256];\n\
           {declared}\n\
           for (int i = 0; i < n; ++i) {{\n\
             buffer[stage][threadIdx.x] = in[i * 256 + threadIdx.x];\n\
             __syncthreads();\n\
             out[i * 256 + threadIdx.x] = buffer[stage][255 - threadIdx.x];\n\
             {next}\n\
             __syncthreads();\n\
           }}\n\
         }}\n"
    )
}

#[test]
fn a_stage_beyond_the_array_needs_no_launch() {
    for next in [
        "stage = stage == STAGES ? 0 : stage + 1;",
        "stage = (stage + 1) % (STAGES + 1);",
        "if (++stage > STAGES) stage = 0;",
    ] {
        let found = findings(&ring("int stage = 0;", next), "over-run");
        assert!(!found.is_empty(), "{next}");
        assert!(
            found[0].starts_with(
                "thread (0,0,0) writes 4 bytes at byte 4096 of `buffer`, which has 4096"
            ),
            "{found:?}"
        );
    }
    for (declared, next) in [
        ("int stage = 0;", "stage = (stage + 1) % STAGES;"),
        (
            "int stage = 0;",
            "stage = stage == STAGES - 1 ? 0 : stage + 1;",
        ),
        ("int stage = 0;", "if (++stage == STAGES) stage = 0;"),
        ("int stage = 0;", "stage ^= 1;"),
        // The caller keeps it small: nothing puts it back.
        ("int stage = 0;", "++stage;"),
        ("int stage = n;", ""),
        ("int stage = blockIdx.x;", ""),
        ("int stage = threadIdx.x / 64;", ""),
    ] {
        let found = findings(&ring(declared, next), "over-run");
        assert_eq!(found, Vec::<String>::new(), "{declared} {next}");
    }
}

#[test]
fn the_stage_of_a_tensor_may_be_any_expression() {
    let text = |index: &str| {
        format!(
            "#include <cute/tensor.hpp>\n\
             using namespace cute;\n\
             __global__ void ring(const float* in, float* out, int n) {{\n\
               __shared__ float smem[3 * 128];\n\
               Tensor all = make_tensor(make_smem_ptr(smem), make_shape(Int<128>{{}}, Int<3>{{}}));\n\
               for (int k = 0; k < n; ++k) {{\n\
                 Tensor one = all(_, {index});\n\
                 out[k] = one(threadIdx.x);\n\
               }}\n\
             }}\n"
        )
    };
    for index in ["(k + 1) % 4", "k % 2 + 2", "k % 3 == 2 ? 3 : k % 3"] {
        let found = findings(&text(index), "stage-out-of-range");
        assert_eq!(
            found,
            ["index can reach 3, but mode 1 of the tensor has 3 stages: out of bounds"],
            "{index}"
        );
    }
    for index in ["(k + 1) % 3", "k % 2 + 1", "k", "n - 1", "k & 1"] {
        let found = findings(&text(index), "stage-out-of-range");
        assert_eq!(found, Vec::<String>::new(), "{index}");
    }
}
