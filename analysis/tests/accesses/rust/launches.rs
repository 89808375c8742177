//! Launches of kernels in Rust: the blocks that they give.

use cute_analysis::BlockFrom;

use super::{accesses, analysed, rules};

const KERNEL: &str = "
use cuda_core::{LaunchConfig, LaunchConfig2D};
use cuda_device::{DisjointSlice, SharedArray, kernel, launch_bounds, launch_contract, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn transpose(input: &[f32], out: *mut f32, n: usize) {
        static mut TILE: SharedArray<f32, 256> = SharedArray::UNINIT;
        let (tx, ty) = (thread::threadIdx_x() as usize, thread::threadIdx_y() as usize);
        unsafe { TILE[ty * 16 + tx] = input[ty * n + tx]; }
        thread::sync_threads();
        unsafe { *out.add(ty * n + tx) = TILE[tx * 16 + ty]; }
    }
}

const SIDE: u32 = 16;
";

const IN_16_BY_16: [&str; 4] = [
    "shared store TILE: 256:1 + 0",
    "global load input: (16,16):(1,n) + 0",
    "global store out: (16,16):(1,n) + 0",
    "shared load TILE: (16,16):(16,1) + 0",
];

fn launched(host: &str) -> String {
    format!("{KERNEL}fn main() {{ {host} }}\n")
}

#[test]
fn a_method_of_the_module_launches_its_kernel() {
    let config = "let cfg = LaunchConfig { grid_dim: (8, 8, 1), block_dim: (SIDE, SIDE, 1), shared_mem_bytes: 0 };";
    let text = launched(&format!(
        "{config} unsafe {{ module.transpose(&stream, cfg, &a, b, 128) }}.expect(\"launch\");"
    ));
    assert_eq!(accesses(&text), IN_16_BY_16);
    // Without a launch the block has no known size.
    assert_eq!(
        accesses(KERNEL)[0],
        "shared store TILE: threadIdx.y*16 + threadIdx.x"
    );
    // A configuration that changes before the launch is not known.
    let changed = text.replace("let cfg", "let mut cfg");
    assert_eq!(accesses(&changed), accesses(KERNEL));
    // A method with other arguments launches nothing.
    let other = launched("list.transpose(&stream, 16, &a, b, 128);");
    assert_eq!(accesses(&other), accesses(KERNEL));
}

#[test]
fn macros_and_other_configurations_launch_kernels() {
    for host in [
        "cuda_launch! { kernel: transpose, stream: stream, module: module, \
         config: LaunchConfig2D::new((8, 8), (SIDE, SIDE), 0), args: [slice(a), b, 128usize] }?;",
        "launch!(module.transpose<<<(8, 8), (16, 16), 0, stream>>>(a.as_device_ptr(), b, 128))?;",
        "let n = 128usize; let cfg = LaunchConfig { grid_dim: (8, 8, 1), block_dim: (SIDE, SIDE, 1), shared_mem_bytes: 0 };
         cuda_launch! { kernel: transpose, stream: stream, module: module, config: cfg, args: [slice(a), b, n] }.unwrap();",
        "let side = SIDE; let cfg = LaunchConfig { grid_dim: (8, 8, 1), block_dim: (side, side, 1), shared_mem_bytes: 0 };
         module.transpose(&stream, cfg.clone(), &a, b, 128)?;",
    ] {
        assert_eq!(accesses(&launched(host)), IN_16_BY_16, "{host}");
    }
}

#[test]
fn kernels_of_cust_are_launched_by_name_with_slices_in_two_parts() {
    let text = |host: &str| {
        format!(
            "
use cuda_std::prelude::*;
use cust::prelude::*;
#[kernel]
pub unsafe fn scale(a: &[f32], n: u32, c: *mut f32) {{
    let i = thread::index_1d() as usize;
    if i < a.len() {{ *c.add(i) = a[i]; }}
}}
fn main() {{ {host} }}
"
        )
    };
    let launched = [
        "global store c: (32,4):(1,0) + 32*blockIdx.x",
        "global load a: (32,4):(1,0) + 32*blockIdx.x",
    ];
    for host in [
        "launch!(module.scale<<<16, (32, 4), 0, stream>>>(a.as_device_ptr(), a.len(), 7, c.as_device_ptr()))?;",
        "let f = module.get_function(\"scale\")?; launch!(f<<<16, (32, 4), 0, stream>>>(a.as_device_ptr(), a.len(), 7, c.as_device_ptr()))?;",
        "let f = module.get_function(\"scale\").unwrap(); let block = (32, 4); launch!(f<<<16, block, 0, stream>>>(a.as_device_ptr(), a.len(), 7, c.as_device_ptr()))?;",
    ] {
        assert_eq!(accesses(&text(host)), launched, "{host}");
    }
    // No launch of this kernel is seen.
    for host in [
        "let mut f = module.get_function(\"scale\")?; f = other; launch!(f<<<16, (32, 4), 0, stream>>>(a, b, 7, c))?;",
        "let f = module.get_function(\"other\")?; launch!(f<<<16, (32, 4), 0, stream>>>(a, b, 7, c))?;",
    ] {
        assert!(accesses(&text(host))[0].contains("256:1"), "{host}");
    }
}

#[test]
fn attributes_bound_the_blocks() {
    let from = |attribute: &str| {
        let text = KERNEL.replace("#[kernel]\n", &format!("#[kernel]\n    {attribute}\n"));
        let analysis = analysed(&text);
        let access = analysis.accesses.first().expect("the kernel has accesses");
        let map = access.map.as_ref().expect("it is known");
        map.block
    };
    assert_eq!(
        from("#[launch_contract(domain = 2, coordinates = u32, block = (16, 16, 1))]"),
        Some(([16, 16, 1], BlockFrom::Contract))
    );
    // The most threads say nothing about two directions.
    assert_eq!(from("#[launch_bounds(256)]"), None);
    let flat = "
use cuda_device::{kernel, launch_bounds, thread};
#[kernel]
#[launch_bounds(128, 2)]
pub fn clear(out: *mut f32) { unsafe { *out.add(thread::threadIdx_x() as usize) = 0.0; } }
";
    assert_eq!(accesses(flat), ["global store out: 128:1 + 0"]);
    let plain = flat.replace("#[launch_bounds(128, 2)]\n", "");
    assert_eq!(accesses(&plain), ["global store out: 256:1 + 0"]);
}

#[test]
fn generic_kernels_have_the_arguments_of_their_launches() {
    let text = "
use cuda_core::LaunchConfig;
use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
pub fn gather<T: Copy, const N: usize>(input: &[T], mut out: DisjointSlice<T>) {
    let idx = thread::index_1d();
    let i = idx.get();
    if let Some(slot) = out.get_mut(idx) { *slot = input[i * N]; }
}

fn main() {
    let cfg = LaunchConfig::for_num_elems(1024);
    module.gather::<f32, 4>(&stream, cfg, &a, &mut b).unwrap();
}
";
    assert_eq!(
        accesses(text),
        [
            "global store out: 256:1 + 256*blockIdx.x",
            "global load input: 256:4 + 1024*blockIdx.x",
        ]
    );
    let dense = text.replace("<f32, 4>", "<f32, 1>");
    assert_eq!(
        accesses(&dense)[1],
        "global load input: 256:1 + 256*blockIdx.x"
    );
}

#[test]
fn cubecl_launches_by_a_path() {
    let text = "
use cubecl::prelude::*;

#[cube(launch_unchecked)]
fn rows<F: Float>(input: &Tensor<F>, output: &mut Tensor<F>) {
    let mut tile = SharedMemory::<F>::new(64usize);
    tile[UNIT_POS_Y * 8 + UNIT_POS_X] = input[UNIT_POS_Y * input.stride(0) + UNIT_POS_X];
    sync_cube();
    output[UNIT_POS_X * 8 + UNIT_POS_Y] = tile[UNIT_POS_Y * 8 + UNIT_POS_X];
}

fn run<R: Runtime>(client: ComputeClient<R>) {
    rows::launch_unchecked::<f32, R>(&client, CubeCount::Static(1, 1, 1), CubeDim { x: 8, y: 8, z: 1 }, a, b);
}
";
    assert_eq!(
        accesses(text),
        [
            "shared store tile: 64:1 + 0",
            "global load input: (8,8):(1,input.stride(0)) + 0",
            "global store output: (8,8):(8,1) + 0",
            "shared load tile: 64:1 + 0",
        ]
    );
    let method = text.replace("CubeDim { x: 8, y: 8, z: 1 }", "CubeDim::new(8, 8, 1)");
    assert_eq!(accesses(&method), accesses(text));
}

#[test]
fn kernels_have_budgets() {
    let text = "
use cuda_core::LaunchConfig;
use cuda_device::barrier::Barrier;
use cuda_device::{SharedArray, kernel, thread};

const BYTES: usize = 128 * 64 * 2;

#[kernel]
#[launch_bounds(128, 2)]
pub unsafe fn staged(out: *mut u32) {
    static mut A: SharedArray<u8, BYTES, 1024> = SharedArray::UNINIT;
    static mut SUMS: SharedArray<f32, { 32 * 4 }> = SharedArray::UNINIT;
    static mut BAR: Barrier = Barrier::UNINIT;
    *out.add(thread::threadIdx_x() as usize) = 0;
}

fn main() {
    let cfg = LaunchConfig { grid_dim: (8, 1, 1), block_dim: (128, 1, 1), shared_mem_bytes: 0 };
    module.staged(&stream, cfg, out).unwrap();
}
";
    let analysis = analysed(text);
    let budget = analysis.budgets.first().expect("it is a kernel");
    let shared: Vec<_> = budget
        .shared
        .iter()
        .map(|object| (object.name.as_str(), object.size.clone().ok()))
        .collect();
    assert_eq!(
        shared,
        [("A", Some(16_384)), ("SUMS", Some(512)), ("BAR", Some(8))]
    );
    assert_eq!(analysis.budgets.len(), 1);
    assert_eq!(
        budget.launches.first().and_then(|launch| launch.block),
        Some([128, 1, 1])
    );
    assert_eq!(rules(text), Vec::<String>::new());
    // More threads than the attribute allows.
    let wide = text.replace("block_dim: (128, 1, 1)", "block_dim: (16, 16, 1)");
    assert_eq!(rules(&wide), ["launch-bounds"]);
    let contract = |block: &str| {
        let attribute = format!("#[launch_contract(domain = 1, block = {block})]");
        rules(&text.replace("#[launch_bounds(128, 2)]", &attribute))
    };
    assert_eq!(contract("(64, 2, 1)"), ["launch-bounds"]);
    assert_eq!(contract("(128, 1, 1)"), Vec::<String>::new());
    // More shared memory than any CTA has.
    let large = text.replace("128 * 64 * 2", "1024 * 512");
    assert_eq!(rules(&large), ["smem-exceeds-capacity"]);
}

#[test]
fn kernels_of_rust_gpu_have_their_block_and_indices_from_attributes() {
    let text = "
use spirv_std::{glam::UVec3, spirv};
#[spirv(compute(threads(64)))]
pub fn summed(
    #[spirv(global_invocation_id)] id: UVec3,
    #[spirv(local_invocation_id)] local: UVec3,
    #[spirv(workgroup_id)] group: UVec3,
    #[spirv(local_invocation_index)] index: u32,
    #[spirv(storage_buffer, descriptor_set = 0, binding = 0)] input: &[f32],
    #[spirv(storage_buffer, descriptor_set = 0, binding = 1)] output: &mut [f32],
    #[spirv(workgroup)] shared: &mut [f32; 64],
) {
    let i = id.x as usize;
    shared[local.x as usize] = input[i];
    unsafe { spirv_std::arch::workgroup_memory_barrier_with_group_sync() };
    output[group.x as usize * 64 + index as usize] = shared[63 - local.x as usize];
    shared[index as usize * 2] = 1.0;
}
";
    assert_eq!(
        accesses(text),
        [
            "shared store shared: 64:1 + 0",
            "global load input: 64:1 + 64*blockIdx.x",
            "global store output: 64:1 + 64*blockIdx.x",
            "shared load shared: 64:-1 + 63",
            "shared store shared: 64:2 + 0"
        ]
    );
    assert!(
        rules(text).contains(&"over-run".to_owned()),
        "{:?}",
        rules(text)
    );
    // A shader of another kind has no threads.
    let other = text.replace("compute(threads(64))", "fragment");
    assert_eq!(accesses(&other), [""; 0]);
}

#[test]
fn a_function_may_give_the_configuration() {
    let text = format!(
        "{KERNEL}
fn square(n: u32) -> LaunchConfig {{
    let blocks = n / SIDE;
    LaunchConfig {{ grid_dim: (blocks, blocks, 1), block_dim: (SIDE, SIDE, 1), shared_mem_bytes: 0 }}
}}
fn main() {{
    let config = square(64);
    module.transpose(&stream, config, &a, out, 64).unwrap();
}}
"
    );
    assert_eq!(accesses(&text)[0], IN_16_BY_16[0]);
    // Which one it is depends on something.
    let either = text.replace(
        "    let blocks",
        "    if n > 8 { return other(); }\n    let blocks",
    );
    assert!(
        !accesses(&either)[0].starts_with(IN_16_BY_16[0]),
        "{:?}",
        accesses(&either)
    );
}

#[test]
fn positions_that_count_all_threads_ask_for_no_direction() {
    let text = "
use cubecl::prelude::*;
#[cube(launch)]
fn sum(input: &Array<f32>, output: &mut Array<f32>) {
    let mut sums = SharedMemory::<f32>::new(256usize);
    sums[UNIT_POS as usize] = input[(CUBE_POS * CUBE_DIM + UNIT_POS) as usize];
    sync_cube();
    output[ABSOLUTE_POS] = sums[UNIT_POS as usize];
}
";
    let found = accesses(text);
    let layouts = [
        "shared store sums: 256:1 + 0",
        "global load input: 256:1 + 256*blockIdx.x+256*blockIdx.y*gridDim.x+256*blockIdx.z*gridDim.x*gridDim.y",
        "global store output: 256:1 + 256*blockIdx.x+256*blockIdx.y*gridDim.x+256*blockIdx.z*gridDim.x*gridDim.y",
        "shared load sums: 256:1 + 0",
    ];
    assert_eq!(found, layouts);
    // A direction by its name may be one of several.
    let along_y = text.replace("ABSOLUTE_POS]", "ABSOLUTE_POS_Y as usize]");
    assert!(accesses(&along_y)[0].contains("threadIdx.y"));
}
