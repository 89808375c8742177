//! Loops whose variables follow no simple rule, and passes that end before their end.

use super::layout;

fn of(body: &str) -> String {
    layout(body, "64", "out[at]")
}

#[test]
fn a_pass_may_end_in_its_middle() {
    for (body, expected) in [
        // All changes of the ways to the next pass count.
        (
            "int j = threadIdx.x; for (int i = 0; i < 4; ++i) { if (i & 1) { ++j; continue; } j += 2; } int at = j; out[at] = 1;",
            "64:1 + 6",
        ),
        (
            "int j = 0; for (int i = 0; i < n; ++i) { if (threadIdx.x & 1) { ++j; continue; } } int at = j + threadIdx.x; out[at] = 1;",
            "`j` changes from pass to pass",
        ),
        (
            "int j = 0; for (int i = 0; i < n; ++i) { if (table[threadIdx.x] > i) continue; j += 1; } int at = j + threadIdx.x; out[at] = 1;",
            "`table[threadIdx.x]` is loaded and differs by thread",
        ),
        (
            "int j = 0; for (int i = 0; i < n; ++i) { if (table[threadIdx.x] > i) continue; out[i * 64 + threadIdx.x] = 1; } int at = j + threadIdx.x; out[at] = 1;",
            "64:1 + 0",
        ),
        (
            "int j = 0; for (int i = 0; i < n; ++i) { if (i == 7) continue; j += 1; } int at = j + threadIdx.x; out[at] = 1;",
            "64:1 + j'2",
        ),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

#[test]
fn a_short_loop_is_walked_pass_by_pass() {
    for (body, expected) in [
        (
            "int x = threadIdx.x; for (int i = 0; i < 4; ++i) { x = (x ^ 1) + 64; } int at = x; out[at] = 1;",
            "64:1 + 256",
        ),
        (
            "int x = threadIdx.x; for (int i = 0; i < 4; ++i) { int at = x; out[at] = 1; x = x * 2; }",
            "64:(1 <= i.pass)+2*(1 <= i.pass)*(2 <= i.pass)+4*(1 <= i.pass)*(2 <= i.pass)*(3 <= i.pass)+1 + 0",
        ),
        (
            "int x = 0; int y = 1; for (int i = 0; i < 5; ++i) { int z = x + y; x = y; y = z; } int at = y + threadIdx.x; out[at] = 1;",
            "64:1 + y'2",
        ),
        (
            "int x = threadIdx.x; int i = 3; do { x = x ^ i; i -= 1; } while (i > 0); int at = x; out[at] = 1;",
            "64:1 + 0",
        ),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

#[test]
fn an_argument_by_value_stays_what_it_is_in_a_loop_around() {
    let body = "const float* p = in + threadIdx.x; int by = lda;
        for (int k = 0; k < n; k += 32) { for (int j = 0; j < 4; ++j) { float x = p[0]; known(by, n); p += by; } }";
    let functions = "__device__ void known(int by, int n) {}\n";
    let text = format!("{functions}{}", super::kernel(body, "64"));
    let found = super::layout_in(&text, "p[0]");
    assert!(found.starts_with("(64,4):(1,lda) + "), "{found}");
    // Nobody changes a constant.
    let body = "const int by = table[0]; unseen(by); int at = by * 64 + threadIdx.x; out[at] = 1;";
    assert_eq!(of(body), "64:1 + 64*table[0]");
}

#[test]
fn many_loops_inside_loops_end_within_the_steps_that_there_are() {
    let inner = "x = (x ^ 3) + i + j + k; y = y * 5 + x; z = z ^ y;".repeat(12);
    let nest = format!(
        "for (int i = 0; i < 9; ++i) for (int j = 0; j < 9; ++j) for (int k = 0; k < 9; ++k) {{ {inner} }}\n"
    );
    let body = format!(
        "int x = threadIdx.x, y = 1, z = 2; {} int at = z; out[at] = 1; out[threadIdx.x] = 2;",
        nest.repeat(6)
    );
    assert_eq!(of(&body), "`z` changes from pass to pass");
    assert_eq!(layout(&body, "64", "out[threadIdx.x]"), "64:1 + 0");
}

#[test]
fn an_index_that_a_number_of_the_kernel_bounds_is_an_expression() {
    for (body, expected) in [
        (
            "int at = min(int(threadIdx.x), n - 1); out[at] = 1;",
            "no layout: min(threadIdx.x, n - 1)",
        ),
        (
            "int i = threadIdx.x; int at = i < n ? i : n - 1; out[at] = 1;",
            "no layout: ((threadIdx.x < n) ? threadIdx.x : n - 1)",
        ),
        (
            "int at = (threadIdx.x ^ n) * 2; out[at] = 1;",
            "no layout: (threadIdx.x ^ n)*2",
        ),
        // An index that each thread loads is not known, bounded or not.
        (
            "int at = min(table[threadIdx.x], n - 1); out[at] = 1;",
            "`table[threadIdx.x]` is loaded and differs by thread",
        ),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

#[test]
fn a_lambda_has_the_variables_that_it_copies_as_they_were() {
    for (body, expected) in [
        (
            "int x = 1; auto f = [=](int i) { return x + i; }; x = 50; int at = f(threadIdx.x); out[at] = 1;",
            "64:1 + 1",
        ),
        (
            "int x = 1; auto f = [x](int i) { return x + i; }; x = 50; int at = f(threadIdx.x); out[at] = 1;",
            "64:1 + 1",
        ),
        (
            "int x = 1; auto f = [&](int i) { return x + i; }; x = 50; int at = f(threadIdx.x); out[at] = 1;",
            "64:1 + 50",
        ),
        (
            "int x = 1; auto f = [=, &x](int i) { return x + i; }; x = 50; int at = f(threadIdx.x); out[at] = 1;",
            "64:1 + 50",
        ),
        (
            "int x = 1; auto f = [y = x + 2](int i) { return y + i; }; x = 50; int at = f(threadIdx.x); out[at] = 1;",
            "64:1 + 3",
        ),
        (
            "int a[2] = {1, 2}; auto f = [=](int i) { return a[0] + i; }; a[0] = 70; int at = f(threadIdx.x); out[at] = 1;",
            "64:1 + 1",
        ),
        (
            "int x = 1; int at = [=]() mutable { x += 4; return x; }() + x + threadIdx.x; out[at] = 1;",
            "a lambda changes it",
        ),
        // The second call would have the number that the first one left.
        (
            "int x = 1; auto f = [=]() mutable { x += 4; return x; }; f(); int at = f() + threadIdx.x; out[at] = 1;",
            "a lambda changes it",
        ),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

#[test]
fn the_rows_of_a_warp_in_many_passes_are_one_layout() {
    let body = "int lane = threadIdx.x % 32, base = threadIdx.x / 32 * 32; \
        for (int e = lane * 2; e < 4096; e += 64) { int at = (base + e / 128) * 128 + e % 128; out[at] = 1; }";
    assert_eq!(
        layout(body, "256", "out[at]"),
        "((32,8),64):((2,4096),64) + 0"
    );
}
