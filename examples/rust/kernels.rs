//! Kernels in Rust, in the spelling of NVIDIA's `cuda-oxide`: each load and store is a layout from threads to offsets.
//!
//! `layouts --accesses examples/rust/kernels.rs` lists them, `check --all` says which of them are slow, `budget` what a
//! launch needs. The blocks are those of the launches in `main`.

use cuda_core::LaunchConfig;
use cuda_device::swizzle::Swizzle;
use cuda_device::{DisjointSlice, SharedArray, cuda_module, kernel, thread, warp};

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

    /// The same with padded rows: one wavefront for each warp.
    #[kernel]
    pub fn padded(a: &[f32], mut c: DisjointSlice<f32, thread::Index2D<SIDE>>) {
        static mut TILE: SharedArray<f32, { SIDE * (SIDE + 1) }> = SharedArray::UNINIT;
        let (tx, ty) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
        unsafe { TILE[ty * (SIDE + 1) + tx] = a[ty * SIDE + tx]; }
        thread::sync_threads();
        if let Some(at) = thread::index_2d::<SIDE>()
            && let Some(out) = c.get_mut(at)
        {
            *out = unsafe { TILE[tx * (SIDE + 1) + ty] };
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

    /// A stencil of five points: the tile has the neighbours of the block, too.
    #[kernel]
    pub fn blurred(a: &[f32], mut c: DisjointSlice<f32>) {
        static mut LINE: SharedArray<f32, 260> = SharedArray::UNINIT;
        let tid = thread::threadIdx_x() as usize;
        let x = thread::blockIdx_x() as usize * 256 + tid;
        unsafe {
            LINE[tid + 2] = a[x + 2];
            if tid < 2 {
                LINE[tid] = a[x];
                LINE[tid + 258] = a[x + 258];
            }
        }
        thread::sync_threads();
        let mut sum = 0.0f32;
        for k in 0..5 {
            sum += unsafe { LINE[tid + k] };
        }
        if let Some(out) = c.get_mut(thread::index_1d()) {
            *out = sum / 5.0;
        }
    }

    /// A product of tiles.
    #[kernel]
    pub fn multiplied(n: usize, k: usize, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
        static mut LEFT: SharedArray<f32, { SIDE * SIDE }> = SharedArray::UNINIT;
        static mut RIGHT: SharedArray<f32, { SIDE * SIDE }> = SharedArray::UNINIT;
        let (tx, ty) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
        let row = thread::blockIdx_y() as usize * SIDE + ty;
        let column = thread::blockIdx_x() as usize * SIDE + tx;
        let mut sum = 0.0f32;
        for k0 in (0..k).step_by(SIDE) {
            unsafe {
                LEFT[ty * SIDE + tx] = a[row * k + k0 + tx];
                RIGHT[ty * SIDE + tx] = b[(k0 + ty) * n + column];
            }
            thread::sync_threads();
            for i in 0..SIDE {
                sum += unsafe { LEFT[ty * SIDE + i] * RIGHT[i * SIDE + tx] };
            }
            thread::sync_threads();
        }
        unsafe { *c.get_unchecked_mut(row * n + column) = sum; }
    }

    /// A softmax of rows of 1,024: a warp for each row, the row in registers.
    #[kernel]
    pub fn softmax(a: &[f32], mut c: DisjointSlice<f32>) {
        let row = thread::blockIdx_x() as usize * 4 + thread::threadIdx_y() as usize;
        let lane = thread::threadIdx_x() as usize;
        let mut values = [0.0f32; 32];
        let mut most = f32::MIN;
        for i in 0..32usize {
            values[i] = a[row * 1024 + i * 32 + lane];
            most = most.max(values[i]);
        }
        let mut mask = 16u32;
        while mask > 0 {
            most = most.max(warp::shuffle_xor_f32(most, mask));
            mask /= 2;
        }
        let mut sum = 0.0f32;
        for i in 0..32usize {
            values[i] = (values[i] - most).exp();
            sum += values[i];
        }
        mask = 16;
        while mask > 0 {
            sum += warp::shuffle_xor_f32(sum, mask);
            mask /= 2;
        }
        for i in 0..32usize {
            unsafe { *c.get_unchecked_mut(row * 1024 + i * 32 + lane) = values[i] / sum; }
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
    module.padded(&stream, square, &a, &mut c).unwrap();
    module.swizzled(&stream, square, &a, &mut c).unwrap();
    module.multiplied(&stream, square, SIDE, SIDE, &a, &b, &mut c).unwrap();
    let line = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    module.summed(&stream, line, 1024, &a, &mut sums).unwrap();
    module.blurred(&stream, line, &a, &mut c).unwrap();
    let rows = LaunchConfig {
        grid_dim: (8, 1, 1),
        block_dim: (32, 4, 1),
        shared_mem_bytes: 0,
    };
    module.softmax(&stream, rows, &a, &mut c).unwrap();
}
