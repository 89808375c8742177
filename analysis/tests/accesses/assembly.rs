//! Accesses of PTX in a kernel.

use cute_analysis::Cost;

use super::rust::listed;
use super::{analysed, layout};

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

#[test]
fn matrix_descriptors_in_assembly_are_read() {
    let text = |swizzle: &str| {
        format!(
            "__device__ unsigned long encode(unsigned long x) {{ return (x & 0x3FFFF) >> 4; }}
__device__ unsigned long made(float* tile) {{
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  unsigned long made = 0;
  made |= encode(address);
  made |= encode(16ul) << 16;
  made |= encode(1024ul) << 32;
  made |= {swizzle};
  return made;
}}
__global__ void product(float* out) {{
  __shared__ float tile[4096];
  unsigned long a = made(tile);
  float d[4];
  asm volatile(\"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{%0, %1, %2, %3}}, %4, %5, 1, 1, 1, 0, 0;\"
    : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) : \"l\"(a), \"l\"(a));
  out[threadIdx.x] = d[0];
}}
"
        )
    };
    // They are said at the variable that holds the descriptor, and at the instruction.
    let fields = |text: &str| -> Vec<(&'static str, u64)> {
        let notes = super::analysed(text, false).notes;
        let made = notes.iter().filter_map(|note| match &note.cost {
            Cost::Descriptor(made) => Some((note.anchor, &made.fields)),
            _ => None,
        });
        let made: Vec<_> = made.collect();
        let places: Vec<usize> = made.iter().map(|(anchor, _)| anchor.start).collect();
        let variable = text.find("a = made(tile)").unwrap();
        let instruction = text.find("asm volatile").unwrap();
        assert!(
            made.is_empty() || places == [variable, instruction],
            "{places:?}"
        );
        let first = made.first().into_iter();
        first
            .flat_map(|(_, fields)| fields.iter())
            .map(|field| (field.name, field.value))
            .collect()
    };
    assert_eq!(
        fields(&text("1ul << 62")),
        [
            ("leading_byte_offset", 1),
            ("stride_byte_offset", 64),
            ("base_offset", 0),
            ("layout_type", 1)
        ]
    );
    assert_eq!(fields(&text("(unsigned long)out << 62")), []);
    let blackwell = text("1ul << 46 | 2ul << 61").replace(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;",
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %4, %5, %1, 1;",
    );
    assert!(fields(&blackwell).contains(&("layout_type", 2)));
    let unversioned = blackwell.replace("1ul << 46 | ", "");
    let said = super::analysed(&unversioned, false).findings;
    assert!(said.iter().any(|it| it.rule == "matrix-descriptor"));
}

#[test]
fn an_input_may_be_the_address_of_an_element() {
    let copy = "cp.async.cg.shared.global [%0], [%1], 16;";
    let text = format!(
        "extern __shared__ __align__(128) unsigned char bytes[];
         __global__ void f(const float *in) {{
           float *tile = reinterpret_cast<float *>(bytes);
           unsigned to = __cvta_generic_to_shared(&tile[threadIdx.x * 4]);
           asm volatile(\"{copy}\" ::\"r\"(to), \"l\"(&in[threadIdx.x * 8]));
         }}
         void run() {{ f<<<1, 64, 1024>>>(nullptr); }}"
    );
    let found = listed(&analysed(&text, true));
    assert_eq!(
        found,
        ["global load in: 64:8 + 0", "shared store bytes: 64:16 + 0"]
    );
}

#[test]
fn shared_memory_may_be_declared_outside_of_functions() {
    let text = "extern __shared__ float rows[];
         __shared__ float sums[8];
         __device__ float table[64];
         template <int N> __device__ void put() { sums[threadIdx.x / 32] = rows[threadIdx.x * N]; }
         __global__ void f() { put<2>(); table[threadIdx.x] = 1; }
         __global__ void g() { __shared__ float rows[64]; rows[threadIdx.x] = 1; }
         void run() { f<<<1, 64, 1024>>>(); g<<<1, 64>>>(); }";
    assert_eq!(
        listed(&analysed(text, true)),
        [
            "shared store sums: (32,2):(0,1) + 0",
            "shared load rows: 64:2 + 0",
            "global store table: 64:1 + 0",
            "shared store rows: 64:1 + 0",
        ]
    );
}

#[test]
fn shared_memory_of_a_name_is_that_of_the_nearest_module() {
    let text = "namespace a { __shared__ float rows[64]; }
         namespace b { __shared__ int rows[8];
           __global__ void f() { rows[threadIdx.x / 8] = 1; } }
         void run() { b::f<<<1, 64>>>(); }";
    let analysis = analysed(text, true);
    assert_eq!(listed(&analysis), ["shared store rows: (8,8):(0,1) + 0"]);
    assert!(analysis.findings.iter().all(|it| it.rule != "over-run"));
}

#[test]
fn the_length_of_shared_memory_outside_of_functions_is_that_of_its_file() {
    let text = "constexpr int N = 32;
         __shared__ float rows[N];
         template <int N> __global__ void f() { rows[threadIdx.x] = 1; }
         void run() { f<64><<<1, 64>>>(); }";
    let findings = analysed(text, true).findings;
    assert!(
        findings.iter().any(|it| it.rule == "over-run"),
        "{findings:?}"
    );
}
