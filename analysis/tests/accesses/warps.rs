//! Numbers that each warp has for itself: its layout and cost are known, and nothing is said of two warps.

use super::{access, analysed, cost, kernel, layout};

#[test]
fn a_number_of_each_warp_is_a_summand_of_its_threads() {
    let cases = [
        (
            "int row = table[threadIdx.x / 32]; out[row * 64 + threadIdx.x % 32] = 4;",
            "out[row * 64 + threadIdx.x % 32]",
            "(32,4):(1,0) + 64*table[threadIdx.x / 32]",
        ),
        (
            "int row = __shfl_sync(0xffffffff, table[threadIdx.x], 0); out[row * 64 + threadIdx.x] = 4;",
            "out[row * 64 + threadIdx.x]",
            "128:1 + 64*__shfl_sync(0xffffffff, table[threadIdx.x], 0)",
        ),
        (
            "unsigned any = __ballot_sync(0xffffffff, in[threadIdx.x] > 0); out[any % 4 * 32 + threadIdx.x % 32] = 4;",
            "out[any % 4 * 32 + threadIdx.x % 32]",
            "(32,4):(1,0) + 32*(__ballot_sync(0xffffffff, in[threadIdx.x] > 0)%4)",
        ),
        (
            "unsigned stage = threadIdx.x / 64;\n\
             for (int i = 0; i < n; ++i) { out[stage * 128 + threadIdx.x % 64] = 4; if (++stage == 3) stage = 0; }",
            "out[stage * 128 + threadIdx.x % 64]",
            "(64,2):(1,0) + 128*stage",
        ),
        // How often a warp goes through the loop is its own, too.
        (
            "int stage = 0;\n\
             for (int i = threadIdx.x / 32; i < n; i += 4) { stage = (stage + 1) % 3; }\n\
             out[stage * 128 + threadIdx.x] = 4;",
            "out[stage * 128 + threadIdx.x]",
            "128:1 + 128*stage'2",
        ),
    ];
    for (body, written, expected) in cases {
        assert_eq!(layout(body, "128", written), expected, "{body}");
    }
    let (body, written, _) = cases[0];
    assert_eq!(cost(body, "128", written), (4, 4));
    // Rows of 16 threads: a warp is two of them.
    assert_eq!(
        layout(body, "dim3(16, 8)", written),
        "a number of one warp, in blocks whose rows are not whole warps"
    );
}

#[test]
fn numbers_of_lanes_are_none_of_a_warp() {
    let cases = [
        (
            "int row = table[threadIdx.x / 16]; out[row] = 4;",
            "out[row]",
            "`table[threadIdx.x / 16]` is loaded and differs by thread",
        ),
        (
            "int row = __shfl_sync(0xffffffff, table[threadIdx.x], threadIdx.x ^ 1); out[row] = 4;",
            "out[row]",
            "a number of another lane",
        ),
        // Segments of 16 lanes have two numbers.
        (
            "int row = __shfl_sync(0xffffffff, table[threadIdx.x], 0, 16); out[row] = 4;",
            "out[row]",
            "a number of another lane",
        ),
        (
            "int stage = threadIdx.x / 64;\n\
             for (int i = 0; i < n; ++i) { out[stage] = 4; if (threadIdx.x < 100) stage = (stage + 1) % 3; }",
            "out[stage]",
            "`stage` changes from pass to pass",
        ),
    ];
    for (body, written, expected) in cases {
        assert_eq!(layout(body, "128", written), expected, "{body}");
    }
}

#[test]
fn two_warps_are_not_compared() {
    let bodies = [
        // Each warp may write a row of its own.
        "int row = table[threadIdx.x / 32]; table[row * 32 + threadIdx.x % 32] = threadIdx.x;",
        "__shared__ int s[512]; int part = threadIdx.x / 32; int stage = part;\n\
         for (int i = 0; i < n; ++i) { s[stage * 32 + threadIdx.x % 32] = part; stage = (stage + 4) % 16; }",
        "__shared__ float s[128]; int row = table[threadIdx.x / 32]; s[row * 32 + threadIdx.x % 32] = in[threadIdx.x];\n\
         out[threadIdx.x] = s[row * 32 + threadIdx.x % 32 ^ 0];",
    ];
    for body in bodies {
        let analysis = analysed(&kernel(body, "128"), false);
        assert_eq!(analysis.findings, [], "{body}");
    }
    // Lanes of one warp are.
    let body =
        "int row = table[threadIdx.x / 32]; table[row * 32 + threadIdx.x % 16] = threadIdx.x;";
    let text = kernel(body, "128");
    let analysis = analysed(&text, false);
    assert!(
        access(&analysis, &text, "table[row * 32 + threadIdx.x % 16]")
            .map
            .is_ok()
    );
    let rules: Vec<&str> = analysis.findings.iter().map(|it| it.rule).collect();
    assert_eq!(rules, ["write-race"]);
}

#[test]
fn a_loop_that_a_warp_leaves_in_its_middle_has_its_variables_behind_it() {
    let cases = [
        // The threads of the loop are those of the branch around it.
        (
            "if (threadIdx.x >= 32) { int stage = 0;\n\
             for (;;) { if (++stage == 3) stage = 0; if (table[stage] == 0) break; }\n\
             out[stage * 64 + threadIdx.x] = 4; }",
            "out[stage * 64 + threadIdx.x]",
            "64:1 + 64*stage'2",
        ),
        // One of the two counts may have gone on once more.
        (
            "int i = 0, j = 0; while (true) { ++i; if (i == n) break; ++j; } int t = threadIdx.x; out[i - j + t] = 4;",
            "out[i - j + t]",
            "64:1 + i.passes-j.passes",
        ),
        (
            "int at = n; while (true) { int old = at; at = 5; if (table[1] == n) break; at = old; } out[at + threadIdx.x] = 4;",
            "out[at + threadIdx.x]",
            "the loop before ends in the middle of a change of `at`",
        ),
        (
            "int at = 0; while (true) { ++at; if (in[threadIdx.x + at] > 0) break; } out[at] = 4;",
            "out[at]",
            "how often the loop before changes `at` differs by thread",
        ),
    ];
    for (body, written, expected) in cases {
        assert_eq!(layout(body, "64", written), expected, "{body}");
    }
}
