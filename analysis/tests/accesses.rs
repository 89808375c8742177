//! Loads and stores of plain CUDA as layouts: what is known of each, what a warp makes of it, what is wrong.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure in a helper fails the test"
)]

#[path = "accesses/assembly.rs"]
mod assembly;
#[path = "accesses/copies.rs"]
mod copies;
#[path = "accesses/departed.rs"]
mod departed;
#[path = "accesses/groups.rs"]
mod groups;
#[path = "accesses/left_out.rs"]
mod left_out;
#[path = "accesses/objects.rs"]
mod objects;
#[path = "accesses/open.rs"]
mod open;
#[path = "accesses/passes.rs"]
mod passes;
#[path = "accesses/races.rs"]
mod races;
#[path = "accesses/registers.rs"]
mod registers;
#[path = "accesses/rust.rs"]
mod rust;
#[path = "accesses/stages.rs"]
mod stages;
#[path = "accesses/strided.rs"]
mod strided;
#[path = "accesses/warps.rs"]
mod warps;
#[path = "accesses/ways.rs"]
mod ways;
#[path = "accesses/wraps.rs"]
mod wraps;

use cute_analysis::{
    Access, AccessKind, Alone, Analysis, BlockFrom, Judged, Options, SourceFile, analyse,
};
use tree_sitter_cute::{Budget, Host, Syntax};

fn judged(memory: bool) -> Judged {
    if memory {
        Judged::Plain
    } else {
        Judged::Nothing
    }
}

fn analysed(text: &str, memory: bool) -> Analysis {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
    let file = SourceFile::analysed("kernel.cu", text, syntax.lower(text));
    let options = Options {
        memory: judged(memory),
        ..Options::default()
    };
    analyse(&file, &Alone, &options)
}

/// A kernel with this body, launched with this block.
fn kernel(body: &str, block: &str) -> String {
    format!(
        "__global__ void kernel(const float* in, float* out, int* table, int n, int lda) {{\n{body}\n}}\n\
         void launch(float* a, float* b, int* t) {{ kernel<<<dim3(4, 4), {block}>>>(a, b, t, 37, 96); }}\n"
    )
}

/// The access whose text this is.
fn access<'a>(analysis: &'a Analysis, text: &str, written: &str) -> &'a Access {
    let found = analysis
        .accesses
        .iter()
        .find(|access| access.span.text(text) == written);
    found.unwrap_or_else(|| panic!("no access {written} in {:#?}", analysis.accesses))
}

/// `layout + base`, or why it is not known.
fn layout(body: &str, block: &str, written: &str) -> String {
    layout_in(&kernel(body, block), written)
}

/// The same of an access of a source.
fn layout_in(text: &str, written: &str) -> String {
    let analysis = analysed(text, false);
    match &access(&analysis, text, written).map {
        Ok(map) => match (&map.layout, &map.base) {
            (Some(layout), Some(base)) => format!("{layout} + {base}"),
            _ => format!("no layout: {}", map.expression),
        },
        Err(reason) => reason.clone(),
    }
}

/// The text of a value, where there is one.
fn shown(value: Option<&impl ToString>) -> Option<String> {
    value.map(ToString::to_string)
}

/// Sectors or wavefronts of the worst warp, with the fewest.
fn cost(body: &str, block: &str, written: &str) -> (i64, i64) {
    let text = kernel(body, block);
    let analysis = analysed(&text, false);
    let map = access(&analysis, &text, written).map.as_ref().unwrap();
    let cost = map.cost.unwrap();
    (cost.count, cost.ideal)
}

fn findings(text: &str, rule: &str) -> Vec<String> {
    let analysis = analysed(text, true);
    let found = analysis.findings.iter().filter(|it| it.rule == rule);
    found.map(|finding| finding.message.clone()).collect()
}

#[test]
fn subscripts_are_layouts() {
    for (body, block, written, expected) in [
        (
            "out[blockIdx.x * blockDim.x + threadIdx.x] = 1;",
            "256",
            "out[blockIdx.x * blockDim.x + threadIdx.x]",
            "256:1 + 256*blockIdx.x",
        ),
        (
            "float x = in[(blockIdx.y * 16 + threadIdx.y) * lda + threadIdx.x];",
            "dim3(16, 16)",
            "in[(blockIdx.y * 16 + threadIdx.y) * lda + threadIdx.x]",
            "(16,16):(1,lda) + 16*blockIdx.y*lda",
        ),
        (
            "__shared__ float tile[32][33]; tile[threadIdx.y][threadIdx.x] = 1;",
            "dim3(32, 8)",
            "tile[threadIdx.y][threadIdx.x]",
            "(32,8):(1,33) + 0",
        ),
        (
            "int lane = threadIdx.x % 32; int warp = threadIdx.x >> 5; out[lane * 8 + warp] = 1;",
            "256",
            "out[lane * 8 + warp]",
            "(32,8):(8,1) + 0",
        ),
        // Vectors.
        (
            "float4 v = reinterpret_cast<const float4*>(in)[threadIdx.x];",
            "64",
            "reinterpret_cast<const float4*>(in)[threadIdx.x]",
            "64:4 + 0",
        ),
        // What is loaded for the whole block is a symbol.
        (
            "int row = table[blockIdx.x]; float x = in[row * lda + threadIdx.x];",
            "128",
            "in[row * lda + threadIdx.x]",
            "128:1 + lda*table[blockIdx.x]",
        ),
        // What differs by thread is not.
        (
            "int i = table[threadIdx.x]; float x = in[i];",
            "128",
            "in[i]",
            "`table[threadIdx.x]` is loaded and differs by thread",
        ),
    ] {
        assert_eq!(layout(body, block, written), expected, "{body}");
    }
}

#[test]
fn a_swizzle_is_found() {
    let body = "__shared__ float smem[4096]; int row = threadIdx.x / 8; int col = threadIdx.x % 8;\n\
                smem[row * 8 + (col ^ (row & 7))] = 1;";
    let found = layout(body, "64", "smem[row * 8 + (col ^ (row & 7))]");
    assert_eq!(found, "Sw<3,0,3> o 0 o 64:1 + 0");
}

#[test]
fn loops_are_modes_or_symbols() {
    for (body, written, expected) in [
        (
            "for (int j = 0; j < 4; ++j) out[j * 256 + threadIdx.x] = 1;",
            "out[j * 256 + threadIdx.x]",
            "(32,4):(1,256) + 0",
        ),
        (
            "for (int k0 = 0; k0 < n; k0 += 8) out[k0 * lda + threadIdx.x] = 1;",
            "out[k0 * lda + threadIdx.x]",
            "32:1 + k0*lda",
        ),
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = 1;",
            "out[i]",
            "32:1 + 32*blockIdx.x+32*gridDim.x*i.pass",
        ),
        (
            "const float* p = in + threadIdx.x; for (int k = 0; k < 3; ++k) { float x = p[0]; p += lda; }",
            "p[0]",
            "(32,3):(1,lda) + 0",
        ),
        (
            "for (int s = 16; s > 0; s >>= 1) out[threadIdx.x + s] = 1;",
            "out[threadIdx.x + s]",
            "32:1 + s",
        ),
        (
            "int at = threadIdx.x; for (int k = 0; k < 3; ++k) { out[at] = 1; at = at * 3 + 1; }",
            "out[at]",
            "32:2*(1 <= k.pass)+6*(1 <= k.pass)*(2 <= k.pass)+1 + (1 <= k.pass)+3*(1 <= k.pass)*(2 <= k.pass)",
        ),
        (
            "int at = threadIdx.x; for (int k = 0; k < n; ++k) { out[at] = 1; at = at * 3 + 1; }",
            "out[at]",
            "`at` changes from pass to pass",
        ),
        (
            "int at = 0; while (table[threadIdx.x] > at) ++at; out[at] = 1;",
            "out[at]",
            "how often the loop before changes `at` differs by thread",
        ),
    ] {
        assert_eq!(layout(body, "32", written), expected, "{body}");
    }
}

#[test]
fn functions_and_macros_are_followed() {
    let text = "#define AT(r, c) ((r) * 33 + (c))\n\
        template <int W, typename T> __device__ T at(T r, T c) { if (c < 0) return r; return r * W + c; }\n\
        __device__ void clamped(int& i, int n) { i = min(i, n); }\n\
        __global__ void kernel(float* out) {\n\
          out[AT(threadIdx.y, threadIdx.x)] = 1;\n\
          out[at<64>(int(threadIdx.y), int(threadIdx.x))] = 2;\n\
          int i = threadIdx.x; clamped(i, 7); out[i] = 3;\n\
        }\n\
        void launch(float* o) { kernel<<<1, dim3(16, 2)>>>(o); }\n";
    let analysis = analysed(text, false);
    let said = |written| access(&analysis, text, written).map.clone().unwrap().layout;
    assert_eq!(
        shown(said("out[AT(threadIdx.y, threadIdx.x)]").as_ref()).as_deref(),
        Some("(16,2):(1,33)")
    );
    let inlined = "out[at<64>(int(threadIdx.y), int(threadIdx.x))]";
    assert_eq!(
        shown(said(inlined).as_ref()).as_deref(),
        Some("(16,2):(1,64)")
    );
    // `min` is not a layout; it is known all the same.
    let map = access(&analysis, text, "out[i]").map.clone().unwrap();
    assert_eq!(
        (map.layout, map.expression.as_str()),
        (None, "min(threadIdx.x, 7)")
    );
}

#[test]
fn macros_are_places_that_are_stored_to() {
    let text = "#define FLOAT4(value) (reinterpret_cast<float4*>(&(value))[0])\n\
        #define PLACE(p) *reinterpret_cast<float2*>(p)\n\
        __global__ void kernel(float* in, float* out) {\n\
          int i = 4 * threadIdx.x;\n\
          FLOAT4(out[i]) = FLOAT4(in[i]);\n\
          PLACE(&out[i + 128]) = make_float2(1, 2);\n\
          FLOAT4(out[i + 256]).y = FLOAT4(in[i + 4]).z;\n\
        }\n\
        void launch(float* a, float* o) { kernel<<<1, 32>>>(a, o); }\n";
    let analysis = analysed(text, false);
    for (written, is_store, bytes, base) in [
        ("FLOAT4(out[i])", true, 16, "0"),
        ("FLOAT4(in[i])", false, 16, "0"),
        ("PLACE(&out[i + 128])", true, 8, "128"),
        ("FLOAT4(out[i + 256]).y", true, 4, "257"),
        ("FLOAT4(in[i + 4]).z", false, 4, "6"),
    ] {
        let found = access(&analysis, text, written);
        let map = found.map.as_ref().unwrap();
        assert_eq!(found.kind == AccessKind::Store, is_store, "{written}");
        assert_eq!(found.bytes, bytes, "{written}");
        assert_eq!(
            shown(map.layout.as_ref()).as_deref(),
            Some("32:4"),
            "{written}"
        );
        assert_eq!(shown(map.base.as_ref()).as_deref(), Some(base), "{written}");
    }
}

#[test]
fn a_block_is_what_somebody_says_it_is() {
    let body = "__global__ void BOUNDS kernel(float* out) { out[threadIdx.x] = 1; }\n";
    let block = |head: &str, bounds: &str, rest: &str| {
        let text = format!("{head}{}{rest}", body.replace("BOUNDS", bounds));
        let analysis = analysed(&text, false);
        let found = analysis.accesses.first().unwrap();
        found.map.clone().unwrap().block.unwrap()
    };
    let launch = "void launch(float* o) { kernel<<<2, 64>>>(o); }\n";
    assert_eq!(block("", "", launch), ([64, 1, 1], BlockFrom::Launch));
    assert_eq!(
        block("", "__launch_bounds__(512)", ""),
        ([512, 1, 1], BlockFrom::Bounds)
    );
    assert_eq!(
        block("// cute: assume blockDim.x = 128\n", "", ""),
        ([128, 1, 1], BlockFrom::Directive)
    );
    assert_eq!(block("", "", ""), ([256, 1, 1], BlockFrom::Assumed));
}

/// The examples that every course on CUDA has, with what Nsight shows of them.
#[test]
fn warps_pay_what_the_hardware_takes() {
    let naive = "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\nout[x * 1024 + y] = in[y * 1024 + x];";
    assert_eq!(cost(naive, "dim3(32, 8)", "in[y * 1024 + x]"), (4, 4));
    assert_eq!(cost(naive, "dim3(32, 8)", "out[x * 1024 + y]"), (32, 4));
    let tile = |width: i64| {
        format!("__shared__ float tile[32][{width}]; float x = tile[threadIdx.x][threadIdx.y];")
    };
    assert_eq!(
        cost(&tile(32), "dim3(32, 8)", "tile[threadIdx.x][threadIdx.y]"),
        (32, 1)
    );
    assert_eq!(
        cost(&tile(33), "dim3(32, 8)", "tile[threadIdx.x][threadIdx.y]"),
        (1, 1)
    );
    let swizzled = "__shared__ float tile[1024]; float x = tile[threadIdx.x * 32 + (threadIdx.y ^ threadIdx.x)];";
    assert_eq!(
        cost(
            swizzled,
            "dim3(32, 8)",
            "tile[threadIdx.x * 32 + (threadIdx.y ^ threadIdx.x)]"
        ),
        (1, 1)
    );
    let reduction = "__shared__ float sums[256];\n\
        for (int s = 1; s < blockDim.x; s *= 2) { int i = 2 * s * threadIdx.x; if (i < blockDim.x) sums[i] = 0; }";
    assert_eq!(cost(reduction, "256", "sums[i]"), (8, 1));
    let halving = "__shared__ float sums[256];\n\
        for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) sums[threadIdx.x + s] = 0; }";
    assert_eq!(cost(halving, "256", "sums[threadIdx.x + s]"), (1, 1));
    // Only active lanes count, and lanes on one word share it.
    assert_eq!(
        cost(
            "if (threadIdx.x < 8) out[threadIdx.x] = 1;",
            "32",
            "out[threadIdx.x]"
        ),
        (1, 1)
    );
    assert_eq!(
        cost(
            "float x = in[threadIdx.x / 32];",
            "64",
            "in[threadIdx.x / 32]"
        ),
        (1, 1)
    );
    // 16 bytes a lane: eight lanes are a phase.
    let vectors = "__shared__ float4 rows[256]; float4 x = rows[threadIdx.x * 2];";
    assert_eq!(cost(vectors, "32", "rows[threadIdx.x * 2]"), (8, 4));
    // A stencil: one sector more for what is not aligned.
    let stencil = "int x = blockIdx.x * 128 + threadIdx.x; out[x] = in[x + 1] - in[x];";
    assert_eq!(cost(stencil, "128", "in[x + 1]"), (5, 4));
}

#[test]
fn what_runs_past_an_array_has_a_witness() {
    let text = |row: &str, guard: &str| {
        kernel(
            &format!("__shared__ float tile[16][33]; {guard} tile[{row}][threadIdx.x] = 1;"),
            "dim3(32, 32)",
        )
    };
    let found = findings(&text("threadIdx.y", ""), "over-run");
    assert_eq!(
        found,
        ["thread (0,16,0) writes 4 bytes at byte 2112 of `tile`, which has 2112"]
    );
    for (row, guard) in [
        ("threadIdx.y / 2", ""),
        ("threadIdx.y", "if (threadIdx.y < 16)"),
        // Whether control comes there is not known.
        ("threadIdx.y", "if (in[threadIdx.y] > 0)"),
        ("threadIdx.y", "if (threadIdx.y < n / 4)"),
        ("threadIdx.y", "if (threadIdx.y >= 16) return;"),
        (
            "threadIdx.y",
            "if (n > 3) { if (threadIdx.y >= 16) return; }",
        ),
    ] {
        let found = findings(&text(row, guard), "over-run");
        let is_silent = !guard.starts_with("if (n > 3)");
        assert!(found.is_empty() || !is_silent, "{guard}: {found:?}");
    }
    // The launch gives 37 rows.
    let found = findings(&text("threadIdx.y", "if (threadIdx.y < n)"), "over-run");
    assert_eq!(
        found,
        ["thread (0,16,0) writes 4 bytes at byte 2112 of `tile`, which has 2112\nwith n = 37"]
    );
    // Nothing says that there are this many threads.
    let alone = "__global__ void __launch_bounds__(64) kernel(int n) { __shared__ float tile[32]; tile[threadIdx.x] = n; }";
    assert!(findings(alone, "over-run").is_empty());
}

#[test]
fn two_threads_that_store_different_numbers_to_one_place() {
    let text = |body: &str| kernel(body, "64");
    let found = findings(&text("table[threadIdx.x / 2] = threadIdx.x;"), "write-race");
    assert_eq!(
        found,
        ["threads (0,0,0) and (1,0,0) store 0 and 1 to `table[0]`: one is lost"]
    );
    // All threads make both passes.
    let passes = "for (int j = 0; j < 2; ++j) table[threadIdx.x / 2] = threadIdx.x;";
    assert_eq!(findings(&text(passes), "write-race"), found);
    for silent in [
        "for (int j = 0; j < n; ++j) table[threadIdx.x / 2] = threadIdx.x;",
        "for (int j = 0; j < 2; ++j) if (threadIdx.x % 2 == j) table[threadIdx.x / 2] = threadIdx.x;",
        "table[threadIdx.x] = threadIdx.x;",
        "table[threadIdx.x / 2] = 1;",
        "table[threadIdx.x / 2] = threadIdx.x / 2;",
        "if (threadIdx.x % 2 == 0) table[threadIdx.x / 2] = threadIdx.x;",
        "if (in[threadIdx.x] > 0) table[threadIdx.x / 2] = threadIdx.x;",
        "table[0] = table[threadIdx.x];",
    ] {
        let found = findings(&text(silent), "write-race");
        assert!(found.is_empty(), "{silent}: {found:?}");
    }
}

#[test]
fn costly_accesses_are_said_where_somebody_asks() {
    let text = kernel(
        "__shared__ float tile[32][32]; tile[threadIdx.x][0] = in[threadIdx.x * 32];",
        "32",
    );
    assert_eq!(
        findings(&text, "bank-conflict"),
        ["this shared store takes 32 wavefronts in warp 0; without bank conflicts 1"]
    );
    assert_eq!(
        findings(&text, "uncoalesced"),
        ["this global load moves 32 sectors of 32 bytes in warp 0; its data needs 4"]
    );
    let analysis = analysed(&text, false);
    assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
}

/// `expression` of an access of a kernel without a launch, or the reason why it is unknown.
fn expression(text: &str, written: &str) -> String {
    let analysis = analysed(text, false);
    match &access(&analysis, text, written).map {
        Ok(map) => map.expression.clone(),
        Err(reason) => reason.clone(),
    }
}

#[test]
fn what_only_the_instance_says_is_a_symbol() {
    let text = "template <typename T, int N, bool kFlag>\n\
        __global__ void kernel(const T* in, T* out, const float* mask, int n) {\n\
          __shared__ T tile[N][N + 1];\n\
          int x = blockIdx.x * N + threadIdx.x;\n\
          tile[threadIdx.y][threadIdx.x] = in[n + x];\n\
          out[x + (kFlag ? N : 2 * threadIdx.x)] = T(1);\n\
          int m = mask == nullptr ? 1 : 3;\n\
          reinterpret_cast<unsigned char*>(out)[x * sizeof(T)] = m;\n\
        }\n";
    assert_eq!(
        expression(text, "tile[threadIdx.y][threadIdx.x]"),
        "threadIdx.y*(N + 1) + threadIdx.x"
    );
    assert_eq!(
        expression(text, "in[n + x]"),
        "n + (blockIdx.x*N + threadIdx.x)"
    );
    assert_eq!(
        expression(text, "out[x + (kFlag ? N : 2 * threadIdx.x)]"),
        "blockIdx.x*N + threadIdx.x + ((kFlag != 0) ? N : 2*threadIdx.x)"
    );
    let analysis = analysed(text, false);
    let store = access(&analysis, text, "in[n + x]");
    assert_eq!((store.bytes, store.unit), (0, 0));
    let bytes = access(
        &analysis,
        text,
        "reinterpret_cast<unsigned char*>(out)[x * sizeof(T)]",
    );
    assert_eq!((bytes.bytes, bytes.unit), (1, 0));
    assert!(bytes.map.as_ref().unwrap().cost.is_none());
}

#[test]
fn a_condition_of_the_whole_block_is_a_symbol() {
    let body = "int m = in == nullptr ? 1 : 3; out[threadIdx.x * m] = 1;";
    assert_eq!(
        layout(body, "32", "out[threadIdx.x * m]"),
        "32:2*(in != nullptr)+1 + 0"
    );
    let differs = "int m = in[threadIdx.x] > 0 ? 1 : 3; out[threadIdx.x * m] = 1;";
    let found = layout(differs, "32", "out[threadIdx.x * m]");
    assert!(found.contains("differs by thread"), "{found}");
}

#[test]
fn what_a_thread_keeps_for_itself_is_no_access() {
    let text = "struct Block { short d; signed char qs[32]; };\nstruct Pack { float elt[4]; };\n\
        __global__ void kernel(const Block* b, const float4* v, float* out) {\n\
          const Block* x = b + threadIdx.x;\n\
          Pack r; r.elt[threadIdx.x & 3] = x->qs[threadIdx.x % 8];\n\
          float4 g = v[threadIdx.x]; g.x = 2;\n\
          out[threadIdx.x] = g.x + r.elt[0];\n\
        }\n";
    let analysis = analysed(text, false);
    let written: Vec<&str> = analysis
        .accesses
        .iter()
        .map(|access| access.span.text(text))
        .collect();
    assert_eq!(
        written,
        [
            "x->qs[threadIdx.x % 8]",
            "v[threadIdx.x]",
            "out[threadIdx.x]"
        ]
    );
    // 34 bytes of a block, 2 before the array.
    let map = access(&analysis, text, "x->qs[threadIdx.x % 8]")
        .map
        .clone();
    let map = map.unwrap();
    assert_eq!(
        shown(map.layout.as_ref()).as_deref(),
        Some("(8,32):(35,272)")
    );
    assert_eq!(shown(map.base.as_ref()).as_deref(), Some("2"));
}

#[test]
fn an_address_may_be_a_number_on_the_way() {
    let text = "__global__ void kernel(float* out) {\n\
          extern __shared__ char bytes[];\n\
          unsigned long long start = (reinterpret_cast<unsigned long long>(bytes) + 127) & ~127;\n\
          float* p = reinterpret_cast<float*>(start + 512);\n\
          p[threadIdx.x] = 2;\n\
          float* q = reinterpret_cast<float*>(reinterpret_cast<unsigned long long>(out) + 64);\n\
          q[threadIdx.x] = 2;\n\
          float* r = reinterpret_cast<float*>(reinterpret_cast<unsigned long long>(out) * threadIdx.x);\n\
          r[0] = 2;\n\
        }\n";
    let analysis = analysed(text, false);
    let found = |written| {
        let access = access(&analysis, text, written);
        let map = access
            .map
            .clone()
            .map(|map| (shown(map.layout.as_ref()), shown(map.base.as_ref())));
        (access.memory.clone(), map)
    };
    let (memory, map) = found("p[threadIdx.x]");
    assert!(memory.contains("&bytes + 127"), "{memory}");
    assert_eq!(map, Ok((Some("256:1".into()), Some("128".into()))));
    let at = (Some("256:1".into()), Some("16".into()));
    assert_eq!(found("q[threadIdx.x]"), ("out".into(), Ok(at)));
    assert!(found("r[0]").1.is_err());
}

#[test]
fn lambdas_change_what_they_hold_by_reference_where_they_are_called() {
    let text = "__device__ void other();\n\
        template <class F> __device__ void apply(F f, int n) { if (n > 3) f(); }\n\
        __global__ void kernel(float* out, const float* in, int n) {\n\
          int at = threadIdx.x;\n\
          auto next = [&]() { at += 32; };\n\
          next(); if (n > 2) next();\n\
          out[at] = 3;\n\
          for (int i = 0; i < 4; ++i) next();\n\
          out[at + 1] = 3;\n\
          int late = threadIdx.x;\n\
          auto change = [&]() { late += 32; };\n\
          apply(change, n);\n\
          out[late] = 4;\n\
        }\n";
    assert_eq!(
        expression(text, "out[at]"),
        "((2 < n) ? threadIdx.x + 32 + 32 : threadIdx.x + 32)"
    );
    assert!(expression(text, "out[at + 1]").contains("+ 128 + 1"));
    assert_eq!(expression(text, "out[late]"), "a lambda changes it");
}

#[test]
fn a_loop_that_some_threads_leave_counts_on_for_the_others() {
    for (body, written, expected) in [
        (
            "for (int k = 0; k < n; ++k) { if (threadIdx.x + k >= n) break; out[k * 128 + threadIdx.x] = 1; }",
            "out[k * 128 + threadIdx.x]",
            "64:1 + 128*k",
        ),
        (
            "for (int k = 0; k < n; ++k) { if (in[threadIdx.x + k] > 0) continue; out[k * 64 + threadIdx.x] = 1; }",
            "out[k * 64 + threadIdx.x]",
            "64:1 + 64*k",
        ),
        // What comes behind the `continue` some leave out.
        (
            "int at = 0; for (int k = 0; k < n; ++k) { if (in[threadIdx.x + k] > 0) continue; out[at] = 1; ++at; }",
            "out[at]",
            "`in[threadIdx.x + k]` is loaded and differs by thread",
        ),
        (
            "int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0); out[warp * 100 + threadIdx.x % 32] = 4;",
            "out[warp * 100 + threadIdx.x % 32]",
            "(32,2):(1,100) + 0",
        ),
    ] {
        assert_eq!(layout(body, "64", written), expected, "{body}");
    }
    // A warp has two rows of such a block.
    let body =
        "int row = __shfl_sync(0xffffffff, threadIdx.x / 32, 0); out[row + threadIdx.y] = 4;";
    let found = layout(body, "dim3(48, 2)", "out[row + threadIdx.y]");
    assert_eq!(
        found,
        "a number of one warp, in blocks whose rows are not whole warps"
    );
}

#[test]
fn each_launch_gives_a_block() {
    let text = "__global__ void kernel(float* out) { out[threadIdx.x] = 1; }\n\
        void launch(float* o) { kernel<<<2, 64>>>(o); kernel<<<2, 128>>>(o); kernel<<<4, 64>>>(o); }\n";
    let analysis = analysed(text, false);
    let blocks: Vec<_> = analysis
        .accesses
        .iter()
        .map(|access| access.map.clone().unwrap().block.unwrap().0[0])
        .collect();
    assert_eq!(blocks, [64, 128]);
}

#[test]
fn branches_of_the_preprocessor_that_agree_are_known() {
    let agree = "#if __CUDA_ARCH__ == 1000\nint i = int(threadIdx.x) * 2;\n#else\nint i = 2 * 0 + int(threadIdx.x) * 2;\n#endif\nout[i] = 1;";
    assert_eq!(layout(agree, "64", "out[i]"), "64:2 + 0");
    let differ = agree.replace("2 * 0 + int(threadIdx.x) * 2", "int(threadIdx.x) * 3");
    let found = layout(&differ, "64", "out[i]");
    assert!(found.contains("`#if`"), "{found}");
    // What one branch declares is not the variable around it.
    let hidden = "int i = threadIdx.x;\n{\n#if __CUDA_ARCH__ == 1000\nint i = threadIdx.x * 2;\n#endif\nout[i] = 1;\n}";
    let found = layout(hidden, "64", "out[i]");
    assert!(found.contains("`#if`"), "{found}");
}

#[test]
fn the_default_of_a_switch_is_none_of_its_cases() {
    let body = "int i = 0; switch (n) { case 1: i = 32; break; default: i = 64; break; }\n\
                out[i + int(threadIdx.x)] = 1;";
    let found = layout(body, "32", "out[i + int(threadIdx.x)]");
    assert!(found.starts_with("32:1 + "), "{found}");
    // The first case goes on into the default.
    let falls = body.replace("i = 32; break;", "i = 32;");
    let found = layout(&falls, "32", "out[i + int(threadIdx.x)]");
    assert_eq!(found, "32:1 + 64");
}

#[test]
fn an_address_is_rounded_by_a_mask_of_64_bits() {
    let aligned = "extern __shared__ char raw[];\n\
                   size_t at = (reinterpret_cast<size_t>(raw) + 127) & ~(static_cast<size_t>(128 - 1));\n\
                   float* s = reinterpret_cast<float*>(at + 256);\n\
                   s[threadIdx.x * 4] = 1;";
    assert_eq!(layout(aligned, "128", "s[threadIdx.x * 4]"), "128:4 + 64");
    // All 64 bits are one number that is too large for us: it stays a part of an expression.
    let large = "size_t ones = ~size_t(0); out[(ones >> 60) + threadIdx.x] = 1;";
    assert_eq!(
        layout(large, "128", "out[(ones >> 60) + threadIdx.x]"),
        "no layout: (18446744073709551615 >> 60) + threadIdx.x"
    );
}

#[test]
fn a_number_that_the_kernel_is_given_is_an_address() {
    let launch = "void launch(long long p) { kernel<<<4, 64>>>(p, 3); }";
    let kernel = |body: &str| {
        format!("__global__ void kernel(long long start, long long n) {{ {body} }}\n{launch}\n")
    };
    let text = kernel("reinterpret_cast<float*>(start + 256)[threadIdx.x * 2] = 1;");
    let written = "reinterpret_cast<float*>(start + 256)[threadIdx.x * 2]";
    let analysis = analysed(&text, false);
    let found = access(&analysis, &text, written);
    assert_eq!(&*found.memory, "start");
    let map = found.map.as_ref().unwrap();
    assert_eq!(shown(map.layout.as_ref()).as_deref(), Some("64:2"));
    assert_eq!(shown(map.base.as_ref()).as_deref(), Some("64"));
    for silent in [
        // Of a sum of two, any may be the start.
        "reinterpret_cast<float*>(start + n)[threadIdx.x] = 1;",
        // A number of 32 bits is not an address.
        "reinterpret_cast<float*>(int(n) + threadIdx.x)[threadIdx.x] = 1;",
        "reinterpret_cast<float*>(n - start)[threadIdx.x] = 1;",
    ] {
        let analysis = analysed(&kernel(silent), false);
        let mut accesses = analysis.accesses.iter();
        assert!(accesses.all(|access| access.map.is_err()), "{silent}");
        assert_eq!(analysis.accesses.len(), 1, "{silent}");
    }
}

#[test]
fn layouts_of_cute_are_functions_of_an_index() {
    let text = "using namespace cute;\n\
        using Rows = Layout<Shape<_32, _8>, Stride<_1, _33>>;\n\
        __global__ void kernel(float* out, int n) {\n\
          auto tile = make_layout(make_shape(Int<32>{}, Int<8>{}), make_stride(Int<1>{}, 4 * n));\n\
          out[tile(threadIdx.x, threadIdx.y)] = 1;\n\
          out[tile(make_coord(threadIdx.x, 2)) + 3] = 1;\n\
          out[Rows{}(threadIdx.x + 32 * threadIdx.y)] = 1;\n\
          out[composition(Swizzle<3, 0, 5>{}, make_layout(Int<256>{}))(threadIdx.x + 32 * threadIdx.y)] = 1;\n\
          out[tile(threadIdx.x, _, threadIdx.y)] = 1;\n\
        }\n\
        void run(float* a, int n) { kernel<<<1, dim3(32, 8)>>>(a, n); }\n";
    for (written, layout) in [
        ("out[tile(threadIdx.x, threadIdx.y)]", "(32,8):(1,4*n) + 0"),
        (
            "out[tile(make_coord(threadIdx.x, 2)) + 3]",
            "(32,8):(1,0) + 8*n+3",
        ),
        (
            "out[Rows{}(threadIdx.x + 32 * threadIdx.y)]",
            "(32,8):(1,33) + 0",
        ),
        (
            "out[composition(Swizzle<3, 0, 5>{}, make_layout(Int<256>{}))(threadIdx.x + 32 * threadIdx.y)]",
            "Sw<3,0,5> o 0 o 256:1 + 0",
        ),
    ] {
        assert_eq!(layout_in(text, written), layout, "{written}");
    }
    let other = layout_in(text, "out[tile(threadIdx.x, _, threadIdx.y)]");
    assert!(other.contains("is not followed"), "{other}");
}
