//! Values that a thread keeps in an array of its own.

use super::layout;

/// `layout + base` of the last access, or why it is not known; 64 threads.
fn of(body: &str) -> String {
    layout(body, "64", "out[at]")
}

#[test]
fn elements_of_an_array_have_values() {
    for (body, expected) in [
        (
            "int a[2]; a[0] = 4 * threadIdx.x; a[1] = 7; int at = a[0] + a[1]; out[at] = 1;",
            "64:4 + 7",
        ),
        (
            "int a[] = {threadIdx.x, 5}; int at = a[0] + a[1]; out[at] = 1;",
            "64:1 + 5",
        ),
        (
            "int a[4] = {3}; int at = a[0] + a[3] + threadIdx.x; out[at] = 1;",
            "64:1 + 3",
        ),
        (
            "int a[2][3]; a[1][2] = 2 * threadIdx.x; int at = a[1][2]; out[at] = 1;",
            "64:2 + 0",
        ),
        // Two ways to an element.
        (
            "int a[2] = {1, 2}; if (threadIdx.x < 32) a[0] = 9; int at = a[0] * 64 + threadIdx.x; out[at] = 1;",
            "(32,2):(1,-480) + 576",
        ),
        (
            "int a[2]; a[threadIdx.x & 1] = 8; int at = a[1] + threadIdx.x; out[at] = 1;",
            "64:1 + 8",
        ),
        (
            "int a[2] = {0, 0}; a[threadIdx.x & 1] = 100; int at = a[1] + threadIdx.x; out[at] = 1;",
            "(2,32):(101,2) + 0",
        ),
        (
            "int a[2] = {0, 100}; int at = a[threadIdx.x & 1] + threadIdx.x; out[at] = 1;",
            "(2,32):(101,2) + 0",
        ),
        (
            "int a[2] = {3, n}; int at = a[1] + threadIdx.x; out[at] = 1;",
            "64:1 + n",
        ),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
    let pointers = "const float* p[2]; p[1] = in + 4; float x = p[1][threadIdx.x];";
    assert_eq!(layout(pointers, "64", "p[1][threadIdx.x]"), "64:1 + 4");
}

#[test]
fn loops_fill_arrays_and_change_them() {
    for (body, expected) in [
        (
            "int a[4]; for (int i = 0; i < 4; ++i) a[i] = i * 100 + threadIdx.x; int at = a[2]; out[at] = 1;",
            "64:1 + 200",
        ),
        (
            "int a[4]; for (int i = 0; i < 4; ++i) a[i] = i * 100 + threadIdx.x;
             for (int j = 0; j < 4; ++j) { int at = a[j]; out[at] = 1; }",
            "(64,4):(1,100) + 0",
        ),
        (
            "int a[2][2]; for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) a[i][j] = i * 100 + j * 500 + threadIdx.x;
             for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) { int at = a[i][j]; out[at] = 1; }",
            "(64,2,2):(1,500,100) + 0",
        ),
        (
            "int a[2]; for (int i = 0; i < 2; ++i) a[i] = i * 100 + threadIdx.x;
             for (int k = 0; k < 3; ++k) { for (int i = 0; i < 2; ++i) { int at = a[i]; out[at] = 1; a[i] += 1000; } }",
            "(64,2,3):(1,100,1000) + 0",
        ),
        (
            "int a[2] = {0, 0}; for (int k = 0; k < n; ++k) a[1] += 64; int at = a[1] + threadIdx.x; out[at] = 1;",
            "64:1 + 64*k.passes",
        ),
        (
            "int a[2] = {0, 0}; for (int k = 0; k < n; ++k) a[0] += threadIdx.x; int at = a[1] + threadIdx.x; out[at] = 1;",
            "64:1 + 0",
        ),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

#[test]
fn code_that_has_the_address_of_an_array_may_change_it() {
    for body in [
        "int a[2] = {1, 2}; int* p = a; p[0] = table[threadIdx.x]; int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; int* p = &a[0]; *p = 5; int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; int& r = a[0]; r = 5; int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; unseen(a); int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; unseen(a[0]); int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; auto f = [&]() { a[0] = 5; }; f(); int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; for (int k = 0; k < 2; ++k) { int at = a[0]; out[at] = 1; unseen(&a[0]); }",
        "int a[2] = {1, 2}; *reinterpret_cast<int2*>(a) = *reinterpret_cast<int2*>(table); int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; reinterpret_cast<int&>(a[0]) = 6; int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; for (int& x : a) x = 5; int at = a[0]; out[at] = 1;",
        "int a[2] = {1, 2}; a[table[threadIdx.x] & 1] = 3; int at = a[0]; out[at] = 1;",
    ] {
        let found = of(body);
        assert!(!found.contains(':'), "{body}: {found}");
    }
}
