//! Values of Rust: options, arms of `match`, tuples, arrays of registers, parts of slices, methods of numbers.

use super::{accesses, rules};

/// A kernel of 256 threads with a body in which `tid` is the thread.
fn kernel(body: &str) -> String {
    format!(
        "
use cuda_device::{{DisjointSlice, SharedArray, kernel, thread}};
#[kernel]
pub fn k(a: &[f32], mut c: DisjointSlice<f32>, out: *mut f32, n: u32) {{
    // cute: assume blockDim.x=256
    let tid = thread::threadIdx_x() as usize;
    {body}
}}
"
    )
}

fn of(body: &str) -> Vec<String> {
    accesses(&kernel(body))
}

#[test]
fn an_option_is_there_under_its_condition() {
    let stored = "global store c: 256:1 + 256*blockIdx.x";
    for body in [
        "if let Some(slot) = c.get_mut(thread::index_1d()) { *slot = 1.0; }",
        "match c.get_mut(thread::index_1d()) { Some(slot) => *slot = 1.0, None => {} }",
        "match c.get_mut(thread::index_1d()) { None => return, Some(slot) => *slot = 1.0 }",
        "let Some(slot) = c.get_mut(thread::index_1d()) else { return }; *slot = 1.0;",
        "let slot = match c.get_mut(thread::index_1d()) { Some(slot) => slot, None => return }; *slot = 1.0;",
        "*c.get_mut(thread::index_1d()).unwrap() = 1.0;",
        "if let Some((slot, at)) = c.get_mut_indexed() { *slot = at.get() as f32; }",
        "if n > 3 && let Some(slot) = c.get_mut(thread::index_1d()) { *slot = 1.0; }",
    ] {
        assert_eq!(of(body), [stored], "{body}");
    }
    assert_eq!(
        of("let x = a.get(tid + 1).copied().unwrap_or(0.0); unsafe { *out.add(tid) = x; }"),
        ["global load a: 256:1 + 1", "global store out: 256:1 + 0"]
    );
    // Who goes on with the next pass stays in the block.
    let passes = "for i in 0..2 { let Some(slot) = c.get_mut(thread::index_1d()) else { continue }; *slot = 1.0; } thread::sync_threads();";
    assert_eq!(of(passes), [stored]);
    assert_eq!(rules(&kernel(passes)), Vec::<String>::new());
    // A barrier behind a thread's leave is one that not all threads reach.
    let barrier = "let Some(slot) = c.get_mut(thread::index_1d()) else { return }; thread::sync_threads(); *slot = 1.0;";
    assert_eq!(rules(&kernel(barrier)), ["barrier-after-exit"]);
    let before = "thread::sync_threads(); let Some(slot) = c.get_mut(thread::index_1d()) else { return }; *slot = 1.0;";
    assert_eq!(rules(&kernel(before)), Vec::<String>::new());
}

#[test]
fn an_arm_is_taken_where_its_pattern_matches_and_none_before() {
    assert_eq!(
        of(
            "let at = match tid { 0..=127 => tid * 2, _ => (tid - 128) * 2 + 1 }; unsafe { *out.add(at) = 1.0; }"
        ),
        ["global store out: (128,2):(2,1) + 0"]
    );
    // The second arm reaches 255 + 3.
    let arms = |elements: usize| {
        format!(
            "static mut T: SharedArray<f32, {elements}> = SharedArray::UNINIT;
             match tid & 3 {{ 0 | 1 => unsafe {{ T[tid] = 1.0; }}, other => unsafe {{ T[tid + other] = 1.0; }} }}"
        )
    };
    assert_eq!(rules(&kernel(&arms(258))), ["over-run"]);
    assert_eq!(rules(&kernel(&arms(259))), Vec::<String>::new());
    // The first arm reaches 255, where it is the only one.
    let first = arms(256).replace("0 | 1", "0..=3");
    assert_eq!(rules(&kernel(&first)), Vec::<String>::new());
    // A value that is not followed may take any arm.
    let unknown = of("match a[tid] as u32 { 0 => unsafe { *out.add(tid) = 1.0; }, _ => {} }");
    assert_eq!(unknown[0], "global load a: 256:1 + 0");
}

#[test]
fn a_range_compares_what_it_contains_once() {
    let loaded = of("if (3..9).contains(&(a[tid] as i32)) { unsafe { *out.add(tid) = 1.0; } }");
    assert_eq!(
        loaded,
        ["global load a: 256:1 + 0", "global store out: 256:1 + 0"]
    );
}

#[test]
fn tuples_arrays_and_parts_of_slices() {
    assert_eq!(
        of(
            "let (lo, hi) = (tid, tid + 256); let pair = (tid * 2, 7); unsafe { *out.add(lo) = a[hi] + a[pair.0 + pair.1]; }"
        ),
        [
            "global store out: 256:1 + 0",
            "global load a: 256:1 + 256",
            "global load a: 256:2 + 7"
        ]
    );
    let registers = "let mut v = [0.0f32; 4]; for i in 0..4 { v[i] = a[tid + 256 * i]; } unsafe { *out.add(tid) = v[n as usize]; }";
    assert_eq!(
        of(registers),
        [
            "global load a: (256,4):(1,256) + 0",
            "global store out: 256:1 + 0"
        ]
    );
    assert_eq!(rules(&kernel(registers)), ["local-memory"]);
    let fixed = registers.replace("v[n as usize]", "v[3]");
    assert_eq!(rules(&kernel(&fixed)), Vec::<String>::new());
    assert_eq!(
        of("let row = &a[tid * 16..tid * 16 + 16]; unsafe { *out.add(tid) = row[3]; }"),
        ["global store out: 256:1 + 0", "global load a: 256:16 + 3"]
    );
}

#[test]
fn methods_of_numbers() {
    let stored = |at: &str| of(&format!("unsafe {{ *out.add({at}) = 1.0; }}")).remove(0);
    for (at, layout) in [
        ("tid.pow(1)", "256:1 + 0"),
        ("tid.clamp(0, 255)", "256:1 + 0"),
        ("tid.saturating_sub(0)", "256:1 + 0"),
        ("tid.abs_diff(0)", "256:1 + 0"),
        ("(tid * 4).div_ceil(4)", "256:1 + 0"),
        ("(tid * 8).next_multiple_of(8)", "256:8 + 0"),
        ("(tid as i32).abs() as usize", "256:1 + 0"),
        ("tid.rem_euclid(256) + u8::MAX as usize", "256:1 + 255"),
    ] {
        assert_eq!(stored(at), format!("global store out: {layout}"), "{at}");
    }
    assert!(stored("tid.isqrt()").contains('?'));
}

#[test]
fn numbers_of_a_struct_that_was_not_read_are_the_same_for_all_threads() {
    let text = "
use cuda_device::{kernel, thread, DisjointSlice};
use other::Params;
#[kernel]
pub fn k(p: Params, q: &Params, mut r: Params, mut c: DisjointSlice<f32>) {
    let i = thread::threadIdx_x() as usize;
    unsafe { *c.get_unchecked_mut(i + p.first as usize) = 1.0; }
    unsafe { *c.get_unchecked_mut(i * q.stride) = 1.0; }
    r.first += thread::threadIdx_x();
    unsafe { *c.get_unchecked_mut(r.first as usize) = 1.0; }
}
";
    let found = accesses(text);
    assert_eq!(found[0], "global store c: 256:1 + p.first");
    assert_eq!(found[1], "global store c: 256:q.stride + 0");
    assert!(found[2].contains("? "), "{found:?}");
}

#[test]
fn patterns_of_structs_and_references_to_variables_are_followed() {
    let head = "
struct Tile { row: usize, col: usize }
fn tile_of(t: usize) -> Tile { Tile { row: t / 8, col: t % 8 } }
fn down(t: &mut Tile, by: usize) { t.row += by; }
fn bump(c: &mut usize) { *c += 2; }
fn read(c: &usize) -> usize { *c * 4 }
";
    for (body, expected) in [
        (
            "let Tile { row, col } = tile_of(tid); unsafe { *out.add(row * 64 + col) = 1.0; }",
            "(8,32):(1,64) + 0",
        ),
        (
            "let Tile { col: c, .. } = tile_of(tid); unsafe { *out.add(c) = 1.0; }",
            "(8,32):(1,0) + 0",
        ),
        (
            "let t = Tile { row: 3, ..tile_of(tid) }; unsafe { *out.add(t.row * 64 + t.col) = 1.0; }",
            "(8,32):(1,0) + 192",
        ),
        (
            "let mut t = tile_of(tid); down(&mut t, 4); unsafe { *out.add(t.row * 64 + t.col) = 1.0; }",
            "(8,32):(1,64) + 256",
        ),
        (
            "let mut c = tid; bump(&mut c); bump(&mut c); unsafe { *out.add(read(&c)) = 1.0; }",
            "256:4 + 16",
        ),
        (
            "let at = if tid < 200 { tid * 2 } else { return }; unsafe { *out.add(at) = 1.0; }",
            "256:2 + 0",
        ),
        (
            "for &o in [1usize, 5, 9].iter() { unsafe { *out.add(tid + o * 256) = 1.0; } }",
            "(256,3):(1,1024) + 256",
        ),
        (
            "for (i, o) in [4usize, 2].into_iter().enumerate() { unsafe { *out.add(tid + o * 256 + i) = 1.0; } }",
            "(256,2):(1,-511) + 1024",
        ),
    ] {
        let text = format!("{head}{}", kernel(body));
        let expected = format!("global store out: {expected}");
        assert_eq!(accesses(&text), [expected], "{body}");
    }
    // The other threads have left.
    let guarded = "let v = if tid < 40 { a[tid] } else { return }; thread::sync_threads(); unsafe { *out.add(tid) = v; }";
    assert_eq!(rules(&kernel(guarded)), ["barrier-after-exit"]);
    // Neither is one that a closure changes by reference.
    let closure = "let mut c = tid; let add = |x: &mut usize| *x += 2; add(&mut c); unsafe { *out.add(c) = 1.0; }";
    assert!(!of(closure)[0].ends_with("256:1 + 0"), "{:?}", of(closure));
    // A variable whose address other code keeps is not followed.
    let kept = "let mut c = tid; keep(&mut c); unsafe { *out.add(c) = 1.0; }";
    assert!(of(kept)[0].contains("is taken") || of(kept)[0].contains("followed"));
}

#[test]
fn the_largest_number_says_that_there_is_none() {
    let none = "let at = if tid < n as usize { tid as u64 * 2 } else { u64::MAX };";
    for body in [
        "if at == u64::MAX { return; } unsafe { *out.add(at as usize) = 1.0; }",
        "if at != u64::MAX { unsafe { *out.add(at as usize) = 1.0; } }",
        "let most = if at != u64::MAX { n } else { 0 }; if (tid as u32) < most { unsafe { *out.add(at as usize) = 1.0; } }",
        "let (start, most): (*mut f32, u32) = if at != u64::MAX { (unsafe { out.add(at as usize) }, n) } else { (core::ptr::null_mut(), 0) }; \
         if (tid as u32) < most { unsafe { *start = 1.0; } }",
    ] {
        assert_eq!(
            of(&format!("{none} {body}")),
            ["global store out: 256:2 + 0"],
            "{body}"
        );
    }
    let open = format!("{none} unsafe {{ *out.add(at as usize) = 1.0; }}");
    assert_eq!(
        of(&open),
        ["global store out: ((threadIdx.x < n) ? threadIdx.x*2 : 18446744073709551615)"]
    );
}

#[test]
fn arrays_of_arrays_are_registers() {
    let body = "let mut ring = [[[0u32; 4]; 2]; 3]; ring[0][1] = [1, 2, 3, 4]; ring[1][1][2] = 5; unsafe { *out.add(tid) = ring[0][1][0] as f32; }";
    assert_eq!(of(body), ["global store out: 256:1 + 0"]);
}
