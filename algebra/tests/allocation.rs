//! Operations on layouts of up to eight leaves do not allocate on their common path.
#![allow(clippy::expect_used, reason = "a test may panic")]

mod notation;

use cute_algebra::ops::{
    coalesce, complement, composition, logical_divide, logical_product, right_inverse, upcast,
};
use cute_algebra::{Layout, Refusal, Tiler};
use notation::{layout, shape};
use std::alloc::{GlobalAlloc, System};
use std::cell::Cell;

/// Counts what each thread allocates. An allocator is unsafe by its trait; this one adds a counter to the system's.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: std::alloc::Layout) {
        // SAFETY: the pointer comes from `alloc`, which is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of allocations of `operation`; it must have a result.
fn allocations(operation: impl FnOnce() -> Result<Layout, Refusal>) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    let result = operation();
    let after = ALLOCATIONS.with(Cell::get);
    result.expect("the operands are admissible");
    after - before
}

#[test]
fn rank_4_operations_do_not_allocate() {
    let a = layout("(8,16,4,8):(64,4,1,512)");
    let b = layout("(2,4,16,8):(1,2,8,512)");
    let tile = Tiler::Layout(layout("(2,4,4):(1,2,32)"));
    let grid = Tiler::Layout(layout("(3,5):(5,1)"));
    let (sparse, target) = (layout("(4,2,4,2):(1,8,32,256)"), shape("4096"));
    assert_eq!(allocations(|| composition(&a, &b)), 0, "composition");
    assert_eq!(
        allocations(|| logical_divide(&a, &tile)),
        0,
        "logical_divide"
    );
    assert_eq!(
        allocations(|| logical_product(&a, &grid)),
        0,
        "logical_product"
    );
    assert_eq!(
        allocations(|| complement(&sparse, &target)),
        0,
        "complement"
    );
    assert_eq!(allocations(|| right_inverse(&a)), 0, "right_inverse");
    assert_eq!(allocations(|| coalesce(&a)), 0, "coalesce");
    assert_eq!(allocations(|| upcast(&a, 4)), 0, "upcast");
}

#[test]
fn the_counter_counts() {
    let wide = layout(&format!(
        "({}):({})",
        ["2"; 20].join(","),
        ["3"; 20].join(",")
    ));
    assert!(allocations(|| coalesce(&wide)) > 0);
}
