//! Instructions in functions, lambdas and macros, and groups of asynchronous copies.

use super::findings;

#[test]
fn assembly_in_macros_is_an_access() {
    let text = |bytes: &str, between: &str| {
        format!(
            "#define PUT(to, from) asm volatile(\"cp.async.cg.shared.global [%0], [%1], %2;\\n\" ::\"r\"(to), \"l\"(from), \"n\"(16))\n\
             #define CLOSE() asm volatile(\"cp.async.commit_group;\\n\" ::)\n\
             #define AWAIT(n) asm volatile(\"cp.async.wait_group %0;\\n\" ::\"n\"(n))\n\
             __global__ void kernel(const float* in, float* out) {{\n\
               __shared__ __align__(16) float s[{bytes}];\n\
               unsigned to = __cvta_generic_to_shared(&s[4 * threadIdx.x]);\n\
               PUT(to, in + 4 * threadIdx.x);\n\
               CLOSE();\n\
               AWAIT(0);\n\
               {between}\n\
               out[threadIdx.x] = s[255 - threadIdx.x];\n\
             }}\n\
             void launch(float* a, float* o) {{ kernel<<<1, 64>>>(a, o); }}\n"
        )
    };
    assert!(findings(&text("256", "__syncthreads();"), "over-run").is_empty());
    // The copy and the read.
    assert_eq!(
        findings(&text("192", "__syncthreads();"), "over-run").len(),
        2
    );
    assert_eq!(findings(&text("256", ""), "shared-race").len(), 1);
    for orders in [
        "__syncthreads();",
        "asm volatile(\"bar.sync 0;\");",
        "asm volatile(\"barrier.cta.sync 0;\" ::: \"memory\");",
        "finish();",
    ] {
        let found = findings(&text("256", orders), "shared-race");
        assert!(found.is_empty(), "{orders}: {found:?}");
    }
}

/// A ring of two buffers that are filled by instructions in a function, a lambda or a macro.
fn ring(fill: &str, wait: &str, commit: &str) -> String {
    format!(
        "#include <cuda_pipeline_primitives.h>\n\
         #define PUT(to, from) asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\\n\" ::\"r\"(to), \"l\"(from))\n\
         __device__ inline void put(unsigned to, const void* from) {{ asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" ::\"r\"(to), \"l\"(from)); }}\n\
         __device__ inline void close() {{ asm volatile(\"cp.async.commit_group;\"); }}\n\
         template <int N> __device__ inline void leave() {{ asm volatile(\"cp.async.wait_group %0;\" ::\"n\"(N)); }}\n\
         __global__ void kernel(const float* in, float* out, int tiles) {{\n\
           __shared__ __align__(16) float s[2][256];\n\
           auto load = [&](int buffer, int tile) {{\n\
             {fill}\n\
             {commit}\n\
           }};\n\
           load(0, 0);\n\
           for (int t = 0; t < tiles; ++t) {{\n\
             int now = t & 1;\n\
             if (t + 1 < tiles) {{ load(now ^ 1, t + 1); {wait} }} else {{ leave<0>(); }}\n\
             __syncthreads();\n\
             out[t * 64 + threadIdx.x] = s[now][255 - threadIdx.x];\n\
             __syncthreads();\n\
           }}\n\
         }}\n\
         void launch(float* a, float* o, int n) {{ kernel<<<1, 64>>>(a, o, n); }}\n"
    )
}

#[test]
fn groups_of_copies_in_assembly_are_counted() {
    let address = "unsigned to = __cvta_generic_to_shared(&s[buffer][4 * threadIdx.x]);";
    let from = "in + tile * 256 + 4 * threadIdx.x";
    let fills = [
        format!("{address} PUT(to, {from});"),
        format!("{address} put(to, {from});"),
        format!("__pipeline_memcpy_async(&s[buffer][4 * threadIdx.x], {from}, 16);"),
    ];
    let all = |fill: &str, wait: &str, commit: &str| {
        let text = ring(fill, wait, commit);
        let mut all = findings(&text, "copy-group-wait");
        all.extend(findings(&text, "async-copy-wait"));
        all
    };
    for fill in &fills {
        for (wait, commit) in [
            ("leave<1>();", "close();"),
            ("leave<0>();", "close();"),
            ("__pipeline_wait_prior(1);", "__pipeline_commit();"),
            ("asm volatile(\"cp.async.wait_all;\");", ""),
            // It may wait for them.
            ("arrived();", "close();"),
            ("leave<2>(); arrived();", "close();"),
        ] {
            let found = all(fill, wait, commit);
            assert!(found.is_empty(), "{fill} {wait}: {found:?}");
        }
        for (wait, commit, said) in [
            (
                "leave<2>();",
                "close();",
                "a wait for all but 2 leaves s open, which is read next: one group follows",
            ),
            (
                "__pipeline_wait_prior(2);",
                "__pipeline_commit();",
                "a wait for all but 2 leaves s open, which is read next: one group follows",
            ),
            (
                "leave<1>();",
                "",
                "a wait for all but 1 leaves s open, which is read next: it is in no group",
            ),
            (
                "",
                "close();",
                "s is read before its asynchronous copy has arrived: no wait",
            ),
        ] {
            assert_eq!(all(fill, wait, commit), [said], "{fill} {wait}");
        }
    }
}

#[test]
fn the_wait_of_a_case_that_a_macro_makes_counts() {
    let fill = "__pipeline_memcpy_async(&s[buffer][4 * threadIdx.x], in + tile * 256 + 4 * threadIdx.x, 16);";
    let found = |left: usize, cases: &str| {
        let wait = format!(
            "\n#define AWAITED(n) case n: leave<n>(); break;\nswitch ({left}) {{\n{cases}\n}}\n"
        );
        findings(&ring(fill, &wait, "close();"), "copy-group-wait")
    };
    for cases in [
        "AWAITED(0) AWAITED(1) AWAITED(2)",
        "AWAITED(0)\nAWAITED(1)\n#if 1\nAWAITED(2)\n#endif\ndefault: break;",
    ] {
        assert!(found(0, cases).is_empty(), "{cases}: {:?}", found(0, cases));
        assert!(found(1, cases).is_empty(), "{cases}: {:?}", found(1, cases));
        assert_eq!(found(2, cases).len(), 1, "{cases}");
    }
    // What a macro that is not visible has is not known.
    let unseen = "OTHERS(0)\ncase 2: leave<2>(); break;";
    assert!(found(1, unseen).is_empty(), "{:?}", found(1, unseen));
}
