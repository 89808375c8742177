//! Consequences of layouts: counts, budgets, barriers, masks, bounds, preconditions.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // A test fails so.

#[path = "costs/announced.rs"]
mod announced;
#[path = "costs/collectives.rs"]
mod collectives;
#[path = "costs/covered.rs"]
mod covered;
#[path = "costs/cuda_barriers.rs"]
mod cuda_barriers;
#[path = "costs/followed.rs"]
mod followed;
#[path = "costs/handed.rs"]
mod handed;
#[path = "costs/interleaved.rs"]
mod interleaved;
#[path = "costs/launched.rs"]
mod launched;
#[path = "costs/lifetimes.rs"]
mod lifetimes;
#[path = "costs/maps.rs"]
mod maps;
#[path = "costs/memory.rs"]
mod memory;
#[path = "costs/named.rs"]
mod named;
#[path = "costs/offsets.rs"]
mod offsets;
#[path = "costs/order.rs"]
mod order;
#[path = "costs/parts.rs"]
mod parts;
#[path = "costs/pipelines.rs"]
mod pipelines;
#[path = "costs/pointers.rs"]
mod pointers;
#[path = "costs/protocol.rs"]
mod protocol;
#[path = "costs/rehearsed.rs"]
mod rehearsed;
#[path = "costs/stages.rs"]
mod stages;
#[path = "costs/stored_tiles.rs"]
mod stored_tiles;
#[path = "costs/strides.rs"]
mod strides;
mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cute_analysis::{Analysis, Cost, Occupancy, Options};
use cute_hardware::multiprocessor::{Limit, Multiprocessor};
use support::analysed;

/// The sources of CUTLASS 4.2: `CUTE_CUTLASS`, or what `cargo xtask fetch` left.
fn tutorial(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cutlass = std::env::var_os("CUTE_CUTLASS")
        .map_or_else(|| root.join("target/oracles/cutlass"), PathBuf::from);
    let path = cutlass.join("examples/cute/tutorial").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; `cargo xtask fetch` brings it, or set CUTE_CUTLASS",
            path.display()
        )
    })
}

fn costs_of(text: &str) -> Analysis {
    let options = Options {
        remedies: false,
        ..Options::default()
    };
    analysed(text, &options)
}

/// The notes of the lines of a source: line, instance, cost.
fn notes(text: &str, analysis: &Analysis, lines: &[usize]) -> String {
    let mut shown = String::new();
    for note in &analysis.notes {
        let line = text[..note.anchor.start].matches('\n').count() + 1;
        if lines.contains(&line) {
            let _ = writeln!(
                shown,
                "{line} [{}]: {:?}",
                note.instance.as_deref().unwrap_or("-"),
                note.cost
            );
        }
    }
    shown
}

#[test]
fn the_lines_of_the_hopper_tutorial_cost_what_the_program_does() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let analysis = costs_of(&text);
    let shown = notes(&text, &analysis, &[135, 174, 198, 229, 292, 312, 376]);
    insta::assert_snapshot!(shown);
}

#[test]
fn masks_and_transaction_of_a_pair_of_ctas() {
    let text = tutorial("blackwell/04_mma_tma_2sm_sm100.cu");
    let analysis = costs_of(&text);
    let mut shown = String::new();
    for note in &analysis.notes {
        let line = text[..note.anchor.start].matches('\n').count() + 1;
        match &note.cost {
            Cost::Mask(mask) if line <= 299 => {
                let first = &mask.masks[0];
                let _ = writeln!(shown, "{line}: {:#06x} {:?}", first.bits(), first.ctas);
            }
            Cost::Transaction(found) => {
                let _ = writeln!(
                    shown,
                    "{line}: {} = {} CTAs x {:?}",
                    found.announced,
                    found.ctas,
                    found
                        .arrived
                        .iter()
                        .map(|part| part.bytes)
                        .collect::<Vec<_>>()
                );
            }
            _ => {}
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_budget_of_the_hopper_tutorial() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let analysis = costs_of(&text);
    let hopper = Multiprocessor::of(90).expect("sm_90");
    let [nt, tn] = analysis.budgets.as_slice() else {
        panic!("{:#?}", analysis.budgets);
    };
    for budget in [nt, tn] {
        let storage = &budget.shared[0];
        assert_eq!(storage.size, Ok(98_432));
        let bytes = |parts: &[cute_analysis::BufferCost]| -> Vec<(i64, Option<i64>)> {
            parts.iter().map(|part| (part.bytes, part.stages)).collect()
        };
        assert_eq!(
            bytes(&storage.buffers),
            [(49_152, Some(3)), (49_152, Some(3))]
        );
        assert_eq!(bytes(&storage.barriers), [(24, Some(3)), (24, Some(3))]);
        assert_eq!(storage.padding, 80);
        assert_eq!(storage.most_stages(hopper.shared_of_a_cta), Some(7));
        assert_eq!(budget.registers(), 64);
        assert_eq!(budget.threads(), Some(128));
        assert_eq!(
            budget.occupancy(hopper),
            Some(Occupancy {
                ctas: 2,
                limit: Limit::Shared
            })
        );
    }
}

#[test]
fn the_small_boxes_of_the_hopper_tutorial_get_another_order() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let analysis = analysed(&text, &Options::default());
    let small: Vec<_> = analysis
        .findings
        .iter()
        .filter(|finding| finding.rule == "tma-box-small")
        .collect();
    let lines: Vec<usize> = small
        .iter()
        .map(|finding| text[..finding.span.start].matches('\n').count() + 1)
        .collect();
    assert_eq!(lines, [292, 293]);
    for finding in small {
        assert_eq!(finding.remedies.len(), 1, "{finding:#?}");
        assert_eq!(finding.remedies[0].edits[0].new_text, ", Step<_2,_1,_3>{}");
    }
}

/// The rule, line and message of each finding about barriers, masks and memory.
fn findings(text: &str) -> Vec<String> {
    const RULES: &[&str] = &[
        "tx-bytes-mismatch",
        "arrival-count-mismatch",
        "multicast-mask",
        "smem-exceeds-capacity",
        "launch-bounds",
        "register-pool-exceeded",
        "setmaxnreg-ignored",
        "register-spill",
        "tmem-exceeds-allocation",
    ];
    costs_of(text)
        .findings
        .iter()
        .filter(|finding| RULES.contains(&finding.rule))
        .map(|finding| {
            let line = text[..finding.span.start].matches('\n').count() + 1;
            format!("{line} {}: {}", finding.rule, finding.message)
        })
        .collect()
}

/// A source with one place changed.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn tutorials_as_they_are_have_no_wrong_barrier() {
    for name in [
        "hopper/wgmma_tma_sm90.cu",
        "hopper/wgmma_sm90.cu",
        "blackwell/01_mma_sm100.cu",
        "blackwell/02_mma_tma_sm100.cu",
        "blackwell/03_mma_tma_multicast_sm100.cu",
        "blackwell/04_mma_tma_2sm_sm100.cu",
        "blackwell/05_mma_tma_epi_sm100.cu",
    ] {
        assert_eq!(findings(&tutorial(name)), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn mutations_of_a_pipeline_are_found() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let mut shown = String::new();
    for (from, to) in [
        // One operand is not announced.
        ("+ sizeof(make_tensor_like(tensor<0>(tBsB)));", ";"),
        // The first copy of B is gone.
        (
            "copy(tma_b.with(producer_mbar[pipe]), tBgB(_,k_tile), tBsB(_,pipe));",
            "",
        ),
        // The consumers are not all counted.
        (
            "ConsumerBarType::init(&consumer_mbar[pipe], 128);",
            "ConsumerBarType::init(&consumer_mbar[pipe], 1);",
        ),
        // More stages than fit.
        ("auto bP = Int<  3>{};", "auto bP = Int<  8>{};"),
    ] {
        let _ = writeln!(shown, "{from} -> {to}");
        for found in findings(&changed(&text, from, to)) {
            let _ = writeln!(shown, "  {found}");
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn mutations_of_a_pair_of_ctas_are_found() {
    let text = tutorial("blackwell/04_mma_tma_2sm_sm100.cu");
    let mut shown = String::new();
    for (from, to) in [
        // Only the bytes of one CTA.
        (
            "size<0>(cluster_layout_vmnk) * sizeof(make_tensor_like(tAsA))",
            "sizeof(make_tensor_like(tAsA))",
        ),
        // The mask of the other operand.
        (
            "tma_atom_A.with(shared_storage.tma_barrier,tma_mcast_mask_a)",
            "tma_atom_A.with(shared_storage.tma_barrier,tma_mcast_mask_b)",
        ),
        // This CTA counts twice.
        (
            "size<1>(cluster_layout_vmnk) + size<2>(cluster_layout_vmnk) - 1",
            "size<1>(cluster_layout_vmnk) + size<2>(cluster_layout_vmnk)",
        ),
        // The copy of B is gone.
        (
            "copy(tma_atom_B.with(shared_storage.tma_barrier,tma_mcast_mask_b), tBgB(_,k_tile), tBsB);",
            "",
        ),
        // Only one thread of the leading CTA arrives.
        (
            "cute::initialize_barrier(shared_storage.tma_barrier, /* num_threads */ 1);",
            "cute::initialize_barrier(shared_storage.tma_barrier, /* num_threads */ 2);",
        ),
    ] {
        let _ = writeln!(shown, "{from} -> {to}");
        for found in findings(&changed(&text, from, to)) {
            let _ = writeln!(shown, "  {found}");
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_mask_along_the_wrong_mode_is_found_where_it_names_as_many_ctas() {
    let text = tutorial("blackwell/03_mma_tma_multicast_sm100.cu");
    let mut shown = String::new();
    for (from, to) in [
        (
            "tma_mcast_mask_a = create_tma_multicast_mask<2>",
            "tma_mcast_mask_a = create_tma_multicast_mask<1>",
        ),
        (
            "tma_mcast_mask_b = create_tma_multicast_mask<1>",
            "tma_mcast_mask_b = create_tma_multicast_mask<2>",
        ),
    ] {
        let _ = writeln!(shown, "{from} -> {to}");
        for found in findings(&changed(&text, from, to)) {
            let _ = writeln!(shown, "  {found}");
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn mutations_of_the_other_tutorials_are_found() {
    let mut shown = String::new();
    for (name, from, to) in [
        // The copy of A is gone.
        (
            "blackwell/02_mma_tma_sm100.cu",
            "copy(tma_atom_A.with(shared_storage.tma_barrier), tAgA(_,k_tile), tAsA);",
            "",
        ),
        // One operand is not announced.
        (
            "blackwell/03_mma_tma_multicast_sm100.cu",
            "+ sizeof(make_tensor_like(tBsB));",
            ";",
        ),
        // Only the bytes of one CTA of the pair, of a variable that is used again later.
        (
            "blackwell/05_mma_tma_epi_sm100.cu",
            "int tma_transaction_bytes = size<0>(cluster_layout_vmnk) * sizeof(make_tensor_like(tAsA))",
            "int tma_transaction_bytes = sizeof(make_tensor_like(tAsA))",
        ),
        // The epilogue waits for what the main loop did.
        (
            "blackwell/05_mma_tma_epi_sm100.cu",
            "tma_transaction_bytes = sizeof(make_tensor_like(tGS_sC));",
            "",
        ),
        // Half of the tile of C is announced.
        (
            "blackwell/05_mma_tma_epi_sm100.cu",
            "tma_transaction_bytes = sizeof(make_tensor_like(tGS_sC));",
            "tma_transaction_bytes = sizeof(make_tensor_like(tGS_sC)) / 2;",
        ),
        // The copy of B is gone.
        (
            "blackwell/05_mma_tma_epi_sm100.cu",
            "copy(tma_atom_B.with(shared_storage.tma_barrier,tma_mcast_mask_b), tBgB(_,k_tile), tBsB);",
            "",
        ),
        // Fewer columns than the accumulator has.
        (
            "blackwell/04_mma_tma_2sm_sm100.cu",
            "tmem_allocator.allocate(TmemAllocator::Sm100TmemCapacityColumns,",
            "tmem_allocator.allocate(128,",
        ),
        // More stages than fit.
        (
            "hopper/wgmma_sm90.cu",
            "auto bP = Int<3>{};",
            "auto bP = Int<8>{};",
        ),
        // Fewer threads than are launched.
        (
            "sgemm_1.cu",
            "__launch_bounds__(decltype(size(CThreadLayout{}))::value)",
            "__launch_bounds__(128)",
        ),
    ] {
        let _ = writeln!(shown, "{name}: {from} -> {to}");
        for found in findings(&changed(&tutorial(name), from, to)) {
            let _ = writeln!(shown, "  {found}");
        }
    }
    insta::assert_snapshot!(shown);
}

/// The copies of a source, in their order: accesses, name, bits.
fn copies(text: &str) -> Vec<(i64, String, i64)> {
    let notes = costs_of(text).notes;
    let counts = notes.into_iter().filter_map(|note| match note.cost {
        Cost::Copy(count) => Some((count.instructions, count.instruction, count.bits)),
        _ => None,
    });
    counts.collect()
}

#[test]
fn copies_without_a_width_are_as_wide_as_their_layouts_have_in_common() {
    let source = |global: &str, body: &str| {
        format!(
            "using namespace cute;\nvoid f(half_t* p, half_t* s, int ld) {{\n\
             auto g = make_tensor(make_gmem_ptr(p), {global});\n\
             auto r = make_tensor<half_t>(Shape<_8, _4>{{}});\n{body}\n}}\n"
        )
    };
    let row = |count, name: &str, bits| vec![(count, name.to_owned(), bits)];
    // Static on both sides: 128 bits are taken to be aligned.
    let fixed = "Layout<Shape<_8, _4>, Stride<_1, _64>>{}";
    assert_eq!(
        copies(&source(fixed, "copy(g, r);")),
        row(4, "ld.global", 128)
    );
    // A stride that only divides by 4 elements.
    let odd = "Layout<Shape<_8, _4>, Stride<_1, Int<12>>>{}";
    assert_eq!(copies(&source(odd, "copy(r, g);")), row(8, "st.global", 64));
    // A run-time stride: nothing is assumed, or what the policy says.
    let open = "make_layout(Shape<_8, _4>{}, make_stride(_1{}, ld))";
    assert_eq!(
        copies(&source(open, "copy(g, r);")),
        row(32, "ld.global", 16)
    );
    assert_eq!(
        copies(&source(
            open,
            "copy(Copy_Atom<AutoVectorizingCopyWithAssumedAlignment<64>, half_t>{}, g, r);"
        )),
        row(8, "ld.global", 64)
    );
    assert_eq!(
        copies(&source(
            open,
            "copy(Copy_Atom<DefaultCopy, half_t>{}, g, r);"
        )),
        row(32, "ld.global", 16)
    );
    // A swizzle keeps 8 elements together; another order has one in common.
    let shared = "auto t = make_tensor(make_smem_ptr(s), composition(Swizzle<2, 3, 3>{}, \
                  Layout<Shape<_8, _4>, Stride<_1, _8>>{}));\ncopy(t, r);";
    assert_eq!(copies(&source(fixed, shared)), row(4, "ld.shared", 128));
    let across = "Layout<Shape<_8, _4>, Stride<_4, _1>>{}";
    assert_eq!(
        copies(&source(across, "copy(g, r);")),
        row(32, "ld.global", 16)
    );
}

#[test]
fn launch_bounds_and_roles_limit_registers() {
    let text = "using namespace cute;\n\
        template <int kThreads> __global__ void __launch_bounds__(kThreads, 2) work(float* p) {\n\
        auto role = WarpGroupRole(canonical_warp_group_idx());\n\
        if (role == WarpGroupRole::Producer) { cutlass::arch::warpgroup_reg_dealloc<40>(); }\n\
        else { cutlass::arch::warpgroup_reg_alloc<104>(); }\n}\n\
        void launch(float* p) { work<384><<<1, 384>>>(p); }\n";
    let analysis = costs_of(text);
    let [budget] = analysis.budgets.as_slice() else {
        panic!("{:#?}", analysis.budgets);
    };
    let bounds = budget.launch_bounds.expect("launch bounds");
    assert_eq!((bounds.threads, bounds.blocks), (384, Some(2)));
    assert_eq!(bounds.registers(), 80);
    let roles: Vec<_> = budget
        .roles
        .iter()
        .map(|role| (role.registers, role.warp_groups))
        .collect();
    assert_eq!(roles, [(40, Some(1)), (104, Some(2))]);
    assert_eq!(budget.registers_of_roles(), Some((40 + 2 * 104) * 128));
    assert_eq!(budget.registers_allowed(), 104);
    // Two CTAs have 80 registers a thread each, 30,720 together.
    let found = findings(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("request 31744 registers, but their CTA has 30720"));
    assert_eq!(findings(&text.replace("104", "96")), Vec::<String>::new());
}

#[test]
fn registers_move_where_the_launch_bounds_say_how_many_there_are() {
    let source = |bounds: &str| {
        format!(
            "using namespace cute;\n\
             __global__ void {bounds} work(float* p) {{\n\
             __shared__ float sums[384];\n\
             if (threadIdx.x / 128 == 0) {{ cutlass::arch::warpgroup_reg_dealloc<40>(); }}\n\
             else {{ cutlass::arch::warpgroup_reg_alloc<240>(); }}\n}}\n\
             void launch(float* p) {{ work<<<1, 384>>>(p); }}\n"
        )
    };
    let judged = |bounds: &str| {
        let text = source(bounds);
        let budget = costs_of(&text).budgets.remove(0);
        (budget.registers_allowed(), findings(&text))
    };
    // What ptxas 13.0 makes of each: obeyed, ignored (C7508), and as a flag decides.
    let (allowed, found) = judged("__launch_bounds__(384, 1)");
    assert_eq!(allowed, 240);
    assert!(found[0].contains("request 66560 registers, but their CTA has 64512"));
    let (allowed, found) = judged("__launch_bounds__(384)");
    assert_eq!(
        (allowed, found),
        (
            168,
            vec![
                "2 setmaxnreg-ignored: ptxas ignores setmaxnreg: the launch bounds have no minimum of CTAs"
                    .to_owned()
            ]
        )
    );
    for undecided in ["", "__launch_bounds__(384, LEAST)"] {
        let (allowed, found) = judged(undecided);
        assert!(allowed >= 240, "{undecided}");
        assert_eq!(found, Vec::<String>::new(), "{undecided}");
    }
}

#[test]
fn accumulators_that_a_loop_begins_anew_are_not_carried() {
    let source = |inside: &str| {
        format!(
            "using namespace cute;\ntemplate <class Mma> __global__ void work(Mma mma, int n) {{\n\
             Tensor acc = partition_fragment_C(mma, Shape<_256, _256>{{}});\n\
             Tensor a = make_tensor<half_t>(Shape<Shape<_2, _2, _2>, _8, _1>{{}});\n\
             Tensor b = make_tensor<half_t>(Shape<Shape<_2, _2>, _16, _1>{{}});\n\
             for (int i = 0; i < n; ++i) {{ {inside} gemm(mma, a, b, acc); }}\n}}\n\
             void launch(int n) {{ auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{{}}, \
             Layout<Shape<_2, _2>>{{}}); work<<<1, 128>>>(mma, n); }}\n"
        )
    };
    assert_eq!(findings(&source("")).len(), 1);
    assert_eq!(findings(&source("clear(acc);")), Vec::<String>::new());
}

#[test]
fn what_a_launch_asks_for_limits_the_ctas_and_what_is_not_known_is_no_bound() {
    let ctas = |bytes: &str| {
        let text = format!(
            "using namespace cute;
extern __shared__ char memory[];
struct Traits {{ static constexpr int kSmemSize = 64 * 1024; int bytes = 32 * 1024; }};
__global__ void kernel(int n) {{
  auto kept = make_tensor<float>(Shape<_200>{{}});
  clear(kept);
}}
template <class T> void host(int n) {{
  constexpr size_t smem = T::kSmemSize;
  kernel<<<1, 128{bytes}>>>(n);
}}
int main(int argc, char** argv) {{ host<Traits>(argc); }}
"
        );
        let analysis = analysed(&text, &Options::default());
        let hopper = cute_hardware::multiprocessor::Multiprocessor::of(90).unwrap();
        let found = analysis
            .budgets
            .first()
            .and_then(|budget| budget.occupancy(hopper));
        found.map(|found| (found.ctas, found.limit.name()))
    };
    // 200 registers of fragments would allow 2: the compiler may keep fewer.
    assert_eq!(ctas(""), Some((16, "threads")));
    assert_eq!(ctas(", 49152"), Some((4, "shared memory")));
    assert_eq!(ctas(", Traits::kSmemSize"), Some((3, "shared memory")));
    assert_eq!(ctas(", smem"), Some((3, "shared memory")));
    assert_eq!(ctas(", n * 1024"), None);
}
