//! Kernels in Rust, in the spelling of NVIDIA's `cuda-oxide`: each load and store is a layout from threads to offsets.
//!
//! `layouts --accesses examples/rust/kernels.rs` lists them, `check --all` says which of them are slow, `budget` what a
//! launch needs. The blocks are those of the launches in `main`.

use cuda_core::LaunchConfig;
use cuda_device::swizzle::Swizzle;
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, thread};

const SIDE: usize = 32;

#[cuda_module]
mod kernels {
    use super::*;

    /// The column of the tile is read from one bank: 32 wavefronts for each warp.
    #[kernel]
    pub fn transposed(a: &[f32], mut c: DisjointSlice<f32, thread::Index2D<SIDE>>) {
        static mut TILE: SharedArray<f32, { SIDE * SIDE }> = SharedArray::UNINIT;
        let (tx, ty) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
        unsafe { TILE[ty * SIDE + tx] = a[ty * SIDE + tx]; }
        thread::sync_threads();
        if let Some(at) = thread::index_2d::<SIDE>()
            && let Some(out) = c.get_mut(at)
        {
            *out = unsafe { TILE[tx * SIDE + ty] };
        }
    }

    /// The same with a swizzled tile: one wavefront for each warp.
    #[kernel]
    pub fn swizzled(a: &[f32], mut c: DisjointSlice<f32, thread::Index2D<SIDE>>) {
        static mut TILE: SharedArray<f32, { SIDE * SIDE }> = SharedArray::UNINIT;
        let (tx, ty) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
        unsafe { TILE[Swizzle::<5, 0, 5>::apply(ty * SIDE + tx)] = a[ty * SIDE + tx]; }
        thread::sync_threads();
        if let Some(at) = thread::index_2d::<SIDE>()
            && let Some(out) = c.get_mut(at)
        {
            *out = unsafe { TILE[Swizzle::<5, 0, 5>::apply(tx * SIDE + ty)] };
        }
    }

    /// A sum over a block: each pass halves the threads that add.
    #[kernel]
    pub fn summed(n: u32, a: &[f32], mut c: DisjointSlice<f32>) {
        static mut SUMS: SharedArray<f32, 256> = SharedArray::UNINIT;
        let tid = thread::threadIdx_x() as usize;
        let mut sum = 0.0f32;
        let mut i = tid;
        while i < n as usize {
            sum += a[i];
            i += 256;
        }
        unsafe { SUMS[tid] = sum; }
        thread::sync_threads();
        let mut stride = 128usize;
        while stride > 0 {
            if tid < stride {
                unsafe { SUMS[tid] += SUMS[tid + stride]; }
            }
            thread::sync_threads();
            stride /= 2;
        }
        if tid == 0 {
            unsafe { *c.get_unchecked_mut(0) = SUMS[0]; }
        }
    }
}

fn main() {
    let square = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (SIDE as u32, SIDE as u32, 1),
        shared_mem_bytes: 0,
    };
    module.transposed(&stream, square, &a, &mut c).unwrap();
    module.swizzled(&stream, square, &a, &mut c).unwrap();
    let line = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    module.summed(&stream, line, 1024, &a, &mut sums).unwrap();
}
