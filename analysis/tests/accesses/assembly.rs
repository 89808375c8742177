//! Accesses of PTX in a kernel.

use super::layout;

#[test]
fn inputs_stay_as_they_are() {
    let body = "int i = threadIdx.x * 2; asm volatile(\"prefetch.global.L2 [%0];\" :: \"l\"(in), \"r\"(i)); out[i] = 1;";
    assert_eq!(layout(body, "64", "out[i]"), "64:2 + 0");
    let written = "int i = threadIdx.x * 2; asm(\"add.s32 %0, %0, 1;\" : \"+r\"(i)); out[i] = 1;";
    assert_eq!(layout(written, "64", "out[i]"), "assembly is not followed");
}

#[test]
fn registers_are_moved() {
    for (template, expected) in [
        ("mov.u32 %0, %%laneid;", "(32,2):(1,0) + 0"),
        ("mov.u32 %0, %%tid.x;", "64:1 + 0"),
        ("mov.b32 %0, %1;", "64:3 + 0"),
        ("{ .reg .b32 t; mov.b32 t, %1; mov.b32 %0, t; }", "64:3 + 0"),
        (
            "mov.b32 %0, %1; add.s32 %0, %0, 1;",
            "assembly is not followed",
        ),
        ("@p mov.b32 %0, %1;", "assembly is not followed"),
        ("L: mov.b32 %0, %1; bra L;", "assembly is not followed"),
    ] {
        let body = format!(
            "int j = threadIdx.x * 3; int i; asm(\"{template}\" : \"=r\"(i) : \"r\"(j)); out[i] = 1;"
        );
        assert_eq!(layout(&body, "64", "out[i]"), expected, "{template}");
    }
}

#[test]
fn addresses_are_computed() {
    let start = "__shared__ float tile[1024]; int base; \
                 asm volatile(\"{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }\" : \"=r\"(base) : \"l\"(tile));";
    let store = "asm volatile(\"st.shared.v4.b32 [%0+16], {%1, %1, %1, %1};\" :: \"r\"(base + int(threadIdx.x) * 16), \"r\"(n))";
    let body = format!("{start} {store};");
    // The bytes that assembly names are elements of their own.
    assert_eq!(layout(&body, "64", store), "64:16 + 16");
    let load = "asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\" : \"=r\"(a), \"=r\"(b) : \"r\"(base + int(threadIdx.x % 16) * 64))";
    let body = format!("{start} int a, b; {load};");
    assert_eq!(layout(&body, "32", load), "(16,2):(64,0) + 0");
}
