//! Objects of kernels in Rust: atomic numbers, groups of threads, vectors, structs that a kernel is given.

use super::accesses;

fn kernel(parameters: &str, body: &str) -> String {
    format!(
        "
use cuda_device::atomic::{{AtomicOrdering, BlockAtomicU32, DeviceAtomicU32}};
use cuda_device::{{SharedArray, kernel, launch_bounds, thread, vmem}};
#[derive(Clone, Copy)]
pub struct Extents {{ pub rows: u32, pub columns: u32 }}
impl Extents {{
    pub fn at(&self, row: u32, column: u32) -> usize {{ (row * self.columns + column) as usize }}
    pub fn widen(&mut self) {{ self.columns += 1; }}
}}
#[kernel]
#[launch_bounds(64)]
pub unsafe fn f(a: *const f32, c: *mut u32{parameters}) {{
    let t = thread::threadIdx_x();
    {body}
}}
"
    )
}

#[test]
fn atomic_numbers_are_changed_in_their_places() {
    assert_eq!(
        accesses(&kernel(
            "",
            "static mut BINS: SharedArray<BlockAtomicU32, 256> = SharedArray::UNINIT;
             let own = DeviceAtomicU32::from_ptr(c.add(t as usize * 2));
             let old = own.fetch_add(1, AtomicOrdering::Relaxed);
             BINS[t as usize % 8].fetch_max(2, AtomicOrdering::Relaxed);
             *c.add(old as usize) = 1;"
        )),
        [
            "global atomic c: 64:2 + 0",
            "shared atomic BINS: (8,8):(1,0) + 0",
            "global store c: ? `fetch_add` gives each thread another value",
        ]
    );
}

#[test]
fn a_tile_of_a_block_is_a_group() {
    assert_eq!(
        accesses(&kernel(
            "",
            "let tile = this_thread_block().tiled_partition::<16>();
             *c.add((tile.meta_group_rank() * 100 + tile.thread_rank()) as usize) = 0;"
        )),
        ["global store c: (16,4):(1,100) + 0"]
    );
}

#[test]
fn four_elements_are_loaded_at_once() {
    let text = kernel("", "let v = vmem::ld_global_v4_f32(a.add(t as usize * 4));");
    assert_eq!(accesses(&text), ["global load a: 64:4 + 0"]);
}

#[test]
fn methods_of_a_given_object_see_its_members() {
    let given = ", mut d: Extents";
    assert_eq!(
        accesses(&kernel(given, "*c.add(d.at(t, 3)) = 0;")),
        ["global store c: 64:d.columns + 3"]
    );
    // One that changes it is not followed.
    let changed = accesses(&kernel(given, "d.widen(); *c.add(d.at(t, 3)) = 0;"));
    assert!(changed[0].starts_with("global store c: ? "), "{changed:?}");
}

#[test]
fn indices_of_rust_cuda_are_vectors() {
    let text = "
use cuda_std::prelude::*;
#[kernel]
pub unsafe fn f(c: *mut f32, n: usize) {
    let at = thread::index_2d();
    *c.add(at.y as usize * n + at.x as usize) = 0.0;
    *c.add(thread::thread_idx().x as usize * 3) = 0.0;
}
fn main() { launch!(module.f<<<(4, 4), (16, 8), 0, stream>>>(c.as_device_ptr(), 512))?; }
";
    assert_eq!(
        accesses(text),
        [
            "global store c: (16,8):(1,n) + 16*blockIdx.x+8*blockIdx.y*n",
            "global store c: (16,8):(3,0) + 0",
        ]
    );
}

#[test]
fn an_object_of_cubecl_is_given_in_parts() {
    let text = "
use cubecl::prelude::*;
#[derive(CubeLaunch, CubeType)]
pub struct Pitch { pub columns: u32 }
#[cube(launch)]
fn f(y: &mut Array<f32>, p: &Pitch) { y[UNIT_POS_X * p.columns] = 0.0; }
fn main() {
    f::launch::<R>(&client, CubeCount::Static(1, 1, 1), CubeDim::new(64, 1, 1), y, PitchLaunch::new(ScalarArg::new(5)));
}
";
    assert_eq!(accesses(text), ["global store y: 64:p.columns + 0"]);
}
