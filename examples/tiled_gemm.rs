//! The layouts of `tiled_gemm.cu` beside Rust host code.
//!
//! It names no crate of layouts (see `rust/` for those that do); the comments are in the notation that the
//! command line reads: `cute-analyzer draw '(128,8):(1,128)'`. The layout of a function is found, too:
//! `cute-analyzer infer --function smem_a --shape '(128,8)' --in examples/tiled_gemm.rs`.

/// Rows, columns and depth of the tile that one block computes.
const TILE: (usize, usize, usize) = (128, 64, 8);

/// An offset into the shared memory of A's tile.
fn smem_a(m: usize, k: usize) -> usize {
    // layout: (128,8):(1,128)
    m + TILE.0 * k
}

/// An offset into the shared memory of B's tile, one element of padding per column.
fn smem_b(n: usize, k: usize) -> usize {
    // layout: (64,8):(1,65)
    n + (TILE.1 + 1) * k
}

/// The thread that owns a place of C's tile, 16 x 16 threads row by row.
fn owner(m: usize, n: usize) -> usize {
    // layout: (16,16):(16,1)
    16 * (m % 16) + n % 16
}

fn main() {
    // logical_divide((128,64):(1,128), <16,16>) is ((16,8),(16,4)):((1,16),(128,2048)):
    // mode 0.0 and 1.0 pick the thread, mode 0.1 and 1.1 its 8 x 4 values.
    let values_of_thread = (TILE.0 / 16) * (TILE.1 / 16);
    assert_eq!(values_of_thread, 32);

    // composition((128,8):(1,128), 64:2) is 64:2, every other row of the first column.
    let every_other: Vec<usize> = (0..64).map(|c| smem_a(2 * c, 0)).collect();
    assert_eq!(every_other.last(), Some(&126));

    assert_eq!(smem_b(0, 1), 65);
    assert_eq!(owner(17, 3), 19);
    println!("the layouts hold");
}
