//! Macros that `macro_rules!` defines, and `unroll!`: the accesses of their expansions.

use super::accesses;

/// A kernel with a body, behind some macros.
fn kernel(macros: &str, body: &str) -> String {
    format!(
        "
use cuda_device::{{DisjointSlice, SharedArray, kernel, launch_bounds, thread, unroll}};
{macros}
#[kernel]
#[launch_bounds(64)]
pub unsafe fn f(a: &[f32], c: *mut f32, n: usize) {{
    static mut T: SharedArray<f32, 1024> = SharedArray::UNINIT;
    let t = thread::threadIdx_x() as usize;
    {body}
}}
"
    )
}

#[test]
fn an_expression_is_one_operand() {
    let at = "macro_rules! at { ($row:expr, $col:expr) => { $row * 33 + $col }; }";
    assert_eq!(
        accesses(&kernel(at, "T[at!(t + 1, 2)] = a[2 * at!(t, 1 + 1)];")),
        ["shared store T: 64:33 + 35", "global load a: 64:66 + 4",]
    );
}

#[test]
fn rules_are_tried_in_order_and_call_one_another() {
    let most = "
macro_rules! one { ($i:expr) => { $i * 8 }; }
macro_rules! most {
    ($x:expr) => { one!($x) };
    ($x:expr, $($rest:expr),+ $(,)?) => {{ let m = most!($($rest),+); if $x > m { $x } else { m } }};
}";
    assert_eq!(
        accesses(&kernel(
            most,
            "let k = most!(1, 3, 2,); *c.add(t * k) = 0.0;"
        )),
        ["global store c: 64:16 + 0"]
    );
}

#[test]
fn statements_repeat_and_change_what_they_are_given() {
    let fill = "
macro_rules! fill { ($to:ident, $i:ident, [$($k:literal),*]) => { $( $to[$i] = $k as f32; $i += 64; )* }; }";
    assert_eq!(
        accesses(&kernel(
            fill,
            "let mut i = t; fill!(T, i, [0, 1]); *c.add(i) = 0.0;"
        )),
        [
            "shared store T: 64:1 + 0",
            "shared store T: 64:1 + 64",
            "global store c: 64:1 + 128",
        ]
    );
}

#[test]
fn kernels_and_local_macros_are_expanded() {
    let made = "
macro_rules! map {
    ($name:ident, |$x:ident| $body:expr, $step:literal) => {
        #[kernel]
        #[launch_bounds(32)]
        pub unsafe fn $name(a: &[f32], c: *mut f32) {
            let i = thread::threadIdx_x() as usize * $step;
            let $x = a[i];
            *c.add(i) = $body;
        }
    };
}
map!(twice, |x| 2.0 * x, 2);
mod inner { use super::*; map!(thrice, |y| y + y + y, 3); }";
    assert_eq!(
        accesses(&kernel(
            made,
            "macro_rules! own { ($k:expr) => { a[t * $k] }; } *c.add(t) = own!(5);"
        )),
        [
            "global load a: 32:2 + 0",
            "global load a: 32:3 + 0",
            "global store c: 32:2 + 0",
            "global store c: 32:3 + 0",
            "global store c: 64:1 + 0",
            "global load a: 64:5 + 0",
        ]
    );
}

#[test]
fn a_name_of_the_rule_is_not_that_of_the_call() {
    let twice = "macro_rules! twice { ($x:expr) => {{ let k = 2; $x * k }}; }";
    let of = |body: &str| accesses(&kernel(twice, body));
    assert_eq!(
        of("let m = 3; *c.add(t * twice!(m)) = 0.0;"),
        ["global store c: 64:6 + 0"]
    );
    // In Rust it is 6, too; as text it would be 4.
    let found = of("let k = 3; *c.add(t * twice!(k)) = 0.0;");
    assert!(!found[0].contains("64:4"), "{found:?}");
}

#[test]
fn unrolled_loops_are_loops() {
    assert_eq!(
        accesses(&kernel(
            "",
            "unroll!(i in 0..4 => { T[t * 4 + i] = 0.0; }); unroll!(i in [0, 8] => { T[t + i] = 1.0; });"
        )),
        [
            "shared store T: (64,4):(4,1) + 0",
            "shared store T: (64,2):(1,8) + 0",
        ]
    );
}

#[test]
fn parts_of_slices_have_lengths() {
    assert_eq!(
        accesses(&kernel(
            "",
            "let row = &a[n * 8..][..16]; *c.add(row.len() * t) = row[t];
             let part = &a[2..=9]; *c.add(part.len() * t) = part[t];
             let rest = &part[3..]; *c.add(rest.len() * t) = rest[t];
             for (i, x) in a[..4].iter().enumerate() { *c.add(i + t) = *x; }"
        )),
        [
            "global store c: 64:16 + 0",
            "global load a: 64:1 + 8*n",
            "global store c: 64:8 + 0",
            "global load a: 64:1 + 2",
            "global store c: 64:5 + 0",
            "global load a: 64:1 + 5",
            "global store c: (64,4):(1,1) + 0",
            "global load a: (64,4):(0,1) + 0",
        ]
    );
}

#[test]
fn a_path_does_not_begin_with_a_variable() {
    let span = "mod part { pub struct Part<T> { pub start: *mut T } }";
    let text = format!(
        "
use cuda_device::{{kernel, launch_bounds, thread}};
{span}
#[kernel]
#[launch_bounds(64)]
pub unsafe fn f(part: part::Part<f32>) {{
    let place = part.start.add(thread::threadIdx_x() as usize);
    place.write(0.0);
}}
"
    );
    assert_eq!(accesses(&text), ["global store part.start: 64:1 + 0"]);
}

#[test]
fn shared_memory_may_be_a_local_variable() {
    assert_eq!(
        accesses(&kernel(
            "",
            "let mut own = SharedArray::<f32, 64>::UNINIT; own[t] = a[t];"
        )),
        ["shared store own: 64:1 + 0", "global load a: 64:1 + 0"]
    );
}
