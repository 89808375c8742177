//! Instructions of the device as functions of `cuda_device`, and shared memory of other crates.

use cute_analysis::Cost;

use super::{accesses, analysed, analysed_for, rules};

/// Wavefronts of each access to shared memory, with the fewest that there can be.
fn costs(text: &str) -> Vec<Option<(i64, i64)>> {
    let analysis = analysed_for(text, true);
    let mut found: Vec<_> = analysis.accesses.iter().collect();
    found.sort_by_key(|access| (access.span.start, access.kind.name()));
    let costs = found.iter().map(|access| {
        let cost = access.map.as_ref().ok()?.cost.as_ref()?;
        (access.space.name() == "shared").then_some((cost.count, cost.ideal))
    });
    costs.collect()
}

#[test]
fn matrices_and_asynchronous_copies() {
    let text = "
use cuda_device::async_copy::{cp_async_cg_16, cp_async_commit_group, cp_async_wait_all};
use cuda_device::wmma::ldmatrix_x4;
use cuda_device::{DynamicSharedArray, kernel, thread};

const PITCH: u32 = 144;

#[kernel]
pub unsafe fn staged(a: *const u8, out: *mut u32) {
    // cute: assume blockDim.x=128
    let tid = thread::threadIdx_x();
    let smem = DynamicSharedArray::<u8, 128>::get_raw();
    let mut c = tid;
    while c < 512 {
        let (row, col) = (c / 8, c % 8);
        cp_async_cg_16(
            smem.add((row * PITCH + col * 16) as usize) as *mut u32,
            a.add((row * 128 + col * 16) as usize) as *const u32,
        );
        c += 128;
    }
    cp_async_commit_group();
    cp_async_wait_all();
    thread::sync_threads();
    let lane = tid % 32;
    let fragment = ldmatrix_x4(smem.add(((lane % 16) * PITCH + (lane / 16) * 16) as usize) as *const u32);
    *out.add(tid as usize) = fragment[0] + fragment[1];
}
";
    assert_eq!(
        accesses(text),
        [
            "global load a: (128,4):(16,2048) + 0",
            "shared store dynamic shared memory: ((8,16),4):((16,144),2304) + 0",
            "shared load dynamic shared memory: (16,2,4):(144,16,0) + 0",
            "global store out: 128:1 + 0",
        ]
    );
    assert_eq!(rules(text), Vec::<String>::new());
    let unpadded = text.replace("u32 = 144", "u32 = 128");
    assert_eq!(costs(text), [None, Some((4, 4)), Some((4, 4)), None]);
    assert_eq!(costs(&unpadded)[2], Some((32, 4)));
    let unwaited = text.replace("    cp_async_wait_all();\n", "");
    assert_eq!(rules(&unwaited), ["async-copy-wait"]);
}

#[test]
fn shared_memory_of_cuda_std() {
    let text = "
use cuda_std::prelude::*;
use cuda_std::{address_space, shared_array};

#[kernel]
pub unsafe fn staged(a: &[f32], c: *mut f32) {
    // cute: assume blockDim.x=16, blockDim.y=16
    #[address_space(shared)]
    static mut FIRST: [MaybeUninit<f32>; 256] = [const { MaybeUninit::uninit() }; 256];
    let second = shared_array![f32; 256];
    let (tx, ty) = (thread::thread_idx_x() as usize, thread::thread_idx_y() as usize);
    FIRST[ty * 16 + tx].write(a[ty * 16 + tx]);
    *second.add(ty * 16 + tx) = 0.0;
    thread::sync_threads();
    *c.add(ty * 16 + tx) = FIRST[tx * 16 + ty].assume_init() + *second.add(tx);
}
";
    assert_eq!(
        accesses(text),
        [
            "shared store FIRST: 256:1 + 0",
            "global load a: 256:1 + 0",
            "shared store second: 256:1 + 0",
            "global store c: 256:1 + 0",
            "shared load FIRST: (16,16):(16,1) + 0",
            "shared load second: (16,16):(1,0) + 0",
        ]
    );
    // Without the attribute it is an array of each thread.
    let own = text.replace("    #[address_space(shared)]\n", "");
    assert!(
        accesses(&own)
            .iter()
            .all(|access| !access.contains("FIRST"))
    );
}

#[test]
fn rows_by_the_index_of_a_slice() {
    let text = "
use cuda_device::{DisjointSlice, kernel, thread};

#[kernel]
pub fn scaled(a: &[f32], mut c: DisjointSlice<f32, thread::Index2D<64>>, mut d: DisjointSlice<f32, thread::Runtime2DIndex>) {
    // cute: assume blockDim.x=16, blockDim.y=16
    if let Some(idx) = thread::index_2d::<64>()
        && let Some(slot) = c.get_mut(idx)
    {
        *slot = a[0];
    }
    if let Some(idx) = unsafe { thread::index_2d_runtime(&d) } {
        if let Some(slot) = d.get_mut(idx) { *slot = 1.0; }
    }
}
";
    assert_eq!(
        accesses(text),
        [
            "global store c: (16,16):(1,64) + 16*blockIdx.x+1024*blockIdx.y",
            "global load a: 256:0 + 0",
            "global store d: (16,16):(1,d.row_stride) + 16*blockIdx.x+16*blockIdx.y*d.row_stride",
        ]
    );
}

/// A kernel that makes a descriptor of a product.
fn product(call: &str, built: &str) -> String {
    format!(
        "
use cuda_device::shared::cvta_generic_to_shared_offset;
use cuda_device::{{SharedArray, kernel}};

fn build(address: u64, leading: u32, stride: u32, swizzle: u8) -> u64 {{
    let address = (address >> 4) & 0x3FFF;
    let leading = ((leading >> 4) & 0x3FFF) as u64;
    let stride = ((stride >> 4) & 0x3FFF) as u64;
    address | (leading << 16) | (stride << 32) | {built} | (swizzle as u64) << 61
}}

#[kernel]
pub unsafe fn product(tmem: u32, idesc: u32, leading: u32) {{
    static mut A: SharedArray<u8, 16384, 1024> = SharedArray::UNINIT;
    let base = cvta_generic_to_shared_offset(&raw const A as *const u8);
    let mut j: u32 = 0;
    while j < 4 {{
        let a = build(base + (j * 4096) as u64, {call});
        tcgen05_mma_f16(tmem, a, a, idesc, j > 0);
        j += 1;
    }}
}}
"
    )
}

#[test]
fn descriptors_that_code_makes_are_read_where_they_are_taken() {
    let fields = |text: &str| -> Vec<Vec<(&'static str, u64)>> {
        let made = analysed(text).notes;
        let made = made.into_iter().filter_map(|note| match note.cost {
            Cost::Descriptor(made) => Some(made),
            _ => None,
        });
        let fields = made.map(|made| {
            let fields = made.fields.iter();
            fields.map(|field| (field.name, field.value)).collect()
        });
        fields.collect()
    };
    let of = |leading, stride, swizzle| {
        vec![
            ("leading_byte_offset", leading),
            ("stride_byte_offset", stride),
            ("version", 1),
            ("base_offset", 0),
            ("lbo_mode", 0),
            ("layout_type", swizzle),
        ]
    };
    let plain = product("2048, 128, 0", "1u64 << 46");
    // Twice as operands, once where the variable is made.
    let one = || of(128, 8, 0);
    assert_eq!(fields(&plain), [one(), one(), one()]);
    let anchors = analysed(&plain)
        .notes
        .into_iter()
        .map(|note| note.anchor.start);
    let variable = plain.find("let a = build").map(|at| at + 4).unwrap();
    assert!(anchors.into_iter().any(|at| at == variable));
    assert_eq!(rules(&plain), Vec::<String>::new());
    for swizzle in [1, 2, 4, 6] {
        let swizzled = product(&format!("16, 1024, {swizzle}"), "1u64 << 46");
        assert_eq!(fields(&swizzled)[0], of(1, 64, swizzle), "{swizzle}");
        assert_eq!(rules(&swizzled), Vec::<String>::new());
    }
    for wrong in [
        product("16, 1024, 3", "1u64 << 46"),
        product("16, 1024, 7", "1u64 << 46"),
        // The version is left out, or bits without a meaning are set.
        product("16, 1024, 2", "0"),
        product("16, 1024, 2", "(1u64 << 46) | (1u64 << 55)"),
    ] {
        assert_eq!(rules(&wrong), ["matrix-descriptor", "matrix-descriptor"]);
        assert_eq!(fields(&wrong), Vec::<Vec<_>>::new());
    }
    // A field that only the running kernel knows.
    let open = product("leading, 1024, 3", "1u64 << 46");
    assert_eq!(fields(&open), Vec::<Vec<_>>::new());
    assert_eq!(rules(&open), Vec::<String>::new());
    let hopper = product("16, 1024, 2", "0").replace(
        "tcgen05_mma_f16(tmem, a, a, idesc, j > 0)",
        "wgmma_mma_m64n64k16_f32_bf16(a, a)",
    );
    let of_hopper = [
        ("leading_byte_offset", 1),
        ("stride_byte_offset", 64),
        ("base_offset", 0),
        ("layout_type", 1),
    ];
    assert_eq!(fields(&hopper)[0], of_hopper);
    assert_eq!(rules(&hopper), Vec::<String>::new());
    // What no product takes may be anything.
    let other = product("16, 1024, 3", "1u64 << 46").replace("tcgen05_mma_f16(", "keep(");
    assert_eq!(rules(&other), Vec::<String>::new());
}

#[test]
fn matrices_that_are_stored() {
    let text = "
use cuda_device::tcgen05::stmatrix_m8n8_x2;
use cuda_device::{SharedArray, kernel, thread, warp};

#[kernel]
pub unsafe fn stored(tile: *mut u8) {
    // cute: assume blockDim.x=32
    static mut OUT: SharedArray<u8, 2048> = SharedArray::UNINIT;
    let lane = warp::lane_id();
    let column = if (8..16).contains(&lane) { 16 } else { 0 };
    let row = (lane % 8) as usize;
    stmatrix_m8n8_x2((&raw mut OUT as *mut u8).add(row * 256 + column), 0, 0);
}
";
    // Of 16 lanes that name rows, the 8 of a matrix meet in one group of banks.
    assert_eq!(costs(text), [Some((16, 2))]);
    // Rows side by side fill the banks.
    let dense = text
        .replace("row * 256", "row * 16")
        .replace("{ 16 }", "{ 128 }");
    assert_eq!(costs(&dense), [Some((2, 2))]);
}

/// The fields other than 0 of the descriptors that the variable `it` holds.
fn fields_of(made: &str) -> Vec<Vec<(&'static str, u64)>> {
    let text = |made: &str| {
        format!(
            "
use cuda_device::shared::{{SharedArray, cvta_generic_to_shared_offset}};
use cuda_device::tcgen05::*;
use cuda_device::wgmma::*;
use cuda_device::kernel;
#[kernel]
pub unsafe fn product(tmem: u32) {{
    static mut A: SharedArray<u8, 16384, 1024> = SharedArray::UNINIT;
    let base = cvta_generic_to_shared_offset(&raw const A as *const u8);
    {made}
}}
"
        )
    };
    let text = text(made);
    let variable = text.find("let it").map(|at| at + 4);
    let notes = analysed(&text).notes.into_iter();
    let notes = notes.filter(|note| Some(note.anchor.start) == variable);
    let fields = notes.filter_map(|note| match note.cost {
        Cost::Descriptor(made) => Some(made.fields),
        Cost::Instruction(made) => Some(made.fields().to_vec()),
        _ => None,
    });
    let of_one = |fields: Vec<cute_hardware::descriptor::Field>| {
        let fields = fields.iter().filter(|field| field.value != 0);
        fields.map(|field| (field.name, field.value)).collect()
    };
    fields.map(of_one).collect()
}

#[test]
fn builders_of_descriptors_are_read_at_their_variables_and_operands() {
    let taken = |made: &str| {
        format!("let it = {made}; tcgen05_mma_f16(tmem, it.raw(), it.raw(), 0, true);")
    };
    let shared = |leading, stride, layout| {
        let mut fields = vec![
            ("leading_byte_offset", leading),
            ("stride_byte_offset", stride),
            ("version", 1),
        ];
        fields.extend((layout != 0).then_some(("layout_type", layout)));
        vec![fields]
    };
    for (made, expected) in [
        (
            "Tcgen05SmemDescriptor::builder().address(base).leading_dim_bytes(16).stride_bytes(1024).swizzle(Tcgen05SwizzleMode::Swizzle64B).build()",
            shared(1, 64, 4),
        ),
        (
            "Tcgen05SmemDescriptor::for_k_major(&raw const A as u64, 128, 16, 2, Tcgen05SwizzleMode::None)",
            shared(128, 8, 0),
        ),
        (
            "Tcgen05SmemDescriptor::from_bytes(base + 32, 16, 1024, Tcgen05SwizzleMode::Swizzle128B)",
            shared(1, 64, 2),
        ),
        // A field is set once more.
        (
            "Tcgen05SmemDescriptor::builder().stride_bytes(4096).stride_bytes(1024).address(base).build()",
            vec![vec![("stride_byte_offset", 64), ("version", 1)]],
        ),
    ] {
        assert_eq!(fields_of(&taken(made)), expected, "{made}");
    }
    let of_wgmma = "let it = make_smem_desc(&raw const A as *const u8); wgmma_mma_m64n64k16_f32_f16(&mut acc, it, it);";
    assert_eq!(
        fields_of(of_wgmma),
        [[
            ("leading_byte_offset", 8),
            ("stride_byte_offset", 8),
            ("layout_type", 3)
        ]]
    );
}

#[test]
fn builders_of_instruction_descriptors_are_read() {
    let instruction = |made: &str, call: &str| {
        fields_of(&format!(
            "let it = Tcgen05InstructionDescriptor::{made}; {call}(tmem, base, base, it.raw(), true);"
        ))
    };
    assert_eq!(
        instruction(
            "builder().shape(Tcgen05MmaShape::M64_N128).element_type(Tcgen05ElementType::BF16).transpose_b(true).build()",
            "tcgen05_mma_f16"
        ),
        [[
            ("d_format", 1),
            ("a_format", 1),
            ("b_format", 1),
            ("b_major", 1),
            ("n", 16),
            ("m", 4)
        ]]
    );
    assert_eq!(
        instruction("builder().m(128).n(tmem).build()", "tcgen05_mma_f16"),
        Vec::<Vec<_>>::new()
    );
    // Its types are not those of the instruction.
    assert_eq!(
        instruction("new_tf32()", "tcgen05_mma_f16"),
        Vec::<Vec<_>>::new()
    );
    assert_eq!(instruction("new_tf32()", "tcgen05_mma_ws_tf32").len(), 1);
}

#[test]
fn assembly_is_read_as_in_cpp() {
    let kernel = |body: &str| {
        format!(
            "
use cuda_device::shared::cvta_generic_to_shared_u32;
use cuda_device::{{SharedArray, kernel, ptx_asm, thread}};
#[kernel]
pub unsafe fn staged(a: *const u32, out: *mut u32) {{
    // cute: assume blockDim.x=128
    static mut TILE: SharedArray<u32, 256, 8> = SharedArray::UNINIT;
    let tid = thread::threadIdx_x();
    let to = unsafe {{ (core::ptr::addr_of_mut!(TILE) as *mut u32).add(tid as usize * 2) }};
    {body}
}}
"
        )
    };
    let copy = "let at = cvta_generic_to_shared_u32(to as *const u8); let from = a.add(tid as usize * 2) as u64;
        ptx_asm!(\"cp.async.ca.shared.global [%0], [%1], 8;\", in(\"r\") at, in(\"l\") from, clobber(\"memory\"));
        cuda_device::ptx_asm!(\"cp.async.wait_all;\", clobber(\"memory\"));
        thread::sync_threads();
        let value: u32;
        ptx_asm!(\"ld.shared.u32 %0, [%1];\", out(\"=r\") value, in(\"r\") at);
        *out.add(tid as usize) = value;";
    assert_eq!(
        accesses(&kernel(copy)),
        [
            "global load a: 128:2 + 0",
            "shared store TILE: 128:2 + 0",
            "shared load TILE: 128:2 + 0",
            "global store out: 128:1 + 0",
        ]
    );
    assert_eq!(rules(&kernel(copy)), Vec::<String>::new());
    let forgotten = kernel(
        &copy
            .replace("thread::sync_threads();", "")
            .replace("[%1];\", out", "[%1+8];\", out"),
    );
    assert_eq!(rules(&forgotten), ["over-run", "shared-race"]);
    let moved = "let other: u32; ptx_asm!(\"mov.u32 %0, %1;\", out(\"=r\") other, in(\"r\") tid); *out.add(other as usize) = 1;";
    assert_eq!(accesses(&kernel(moved)), ["global store out: 128:1 + 0"]);
}

#[test]
fn memory_of_another_block_is_other_memory() {
    let text = "
use cuda_device::{SharedArray, cluster, kernel, thread};
#[kernel]
#[cluster_launch(4, 1, 1)]
pub unsafe fn ring(out: *mut u32, n: usize) {
    // cute: assume blockDim.x=128
    static mut TILE: SharedArray<u32, 128> = SharedArray::UNINIT;
    let tid = thread::threadIdx_x() as usize;
    let next = (cluster::block_rank() + 1) % cluster::cluster_size();
    TILE[tid] = 1;
    cluster::cluster_sync();
    let there = cluster::map_shared_rank(TILE.as_ptr(), next);
    let value = *there.add(tid) + cluster::dsmem_read_u32(TILE.as_ptr().add(tid ^ 1), next);
    cluster::cluster_sync();
    *out.add(cluster::cluster_ctaidX() as usize * n + tid) = value;
}
";
    assert_eq!(
        accesses(text),
        [
            "shared store TILE: 128:1 + 0",
            "shared load TILE of block next: 128:1 + 0",
            "shared load TILE of block next: (2,64):(-1,2) + 1",
            "global store out: 128:1 + %cluster_ctaid.x*n",
        ]
    );
    assert_eq!(rules(text), Vec::<String>::new());
}
