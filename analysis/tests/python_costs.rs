//! Resources and needs of kernels of Python: shared memory, registers, launches, instructions, preconditions.

#[path = "python_costs/kernels.rs"]
mod kernels;
mod support;

use cute_analysis::{Analysis, Budget, Cost, Options};
use support::analysed;
use tree_sitter_cute::Host;

const HEAD: &str = "import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.nvgpu import cpasync, warp
from cutlass.cute.runtime import make_fake_compact_tensor

";

fn of(text: &str) -> Analysis {
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    analysed(&format!("{HEAD}{text}"), &options)
}

fn only(analysis: &Analysis) -> &Budget {
    assert_eq!(analysis.budgets.len(), 1, "{:?}", analysis.budgets);
    &analysis.budgets[0]
}

const KERNEL: &str = r"
class Gemm:
    @cute.jit
    def __call__(self, mA: cute.Tensor):
        layout = cute.make_layout((64, 64))

        @cute.struct
        class Storage:
            bar: cute.struct.MemRange[cutlass.Int64, 3]
            a: cute.struct.Align[cute.struct.MemRange[cutlass.Float16, cute.cosize(layout)], 1024]

        self.storage = Storage
        self.kernel(mA, layout).launch(
            grid=(cute.ceil_div(mA.shape[0], 64), 1, 1),
            block=[128, 1, 1],
            cluster=(2, 1, 1),
            min_blocks_per_mp=2,
        )

    @cute.kernel
    def kernel(self, mA: cute.Tensor, layout: cute.Layout):
        smem = utils.SmemAllocator()
        storage = smem.allocate(self.storage)
        scale = smem.allocate_tensor(cutlass.Float32, cute.make_layout(4), byte_alignment=16)
        part = cute.make_rmem_tensor((4, 8), cutlass.Float32)
        view = cute.make_tensor(part.iterator, cute.make_layout(32))
        other = cute.make_rmem_tensor(16, cutlass.Float16)
        view.fill(0.0)
        cute.arch.setmaxregister_increase(232)

def main():
    m = cute.sym_int()
    a = make_fake_compact_tensor(cutlass.Float16, (m, 64), stride_order=(1, 0))
    cute.compile(Gemm(), a)

main()
";

#[test]
fn a_kernel_of_python_has_a_budget() {
    let analysis = of(KERNEL);
    let budget = only(&analysis);
    assert!(budget.is_kernel);
    assert_eq!(budget.function, "Gemm.kernel");
    let [storage, scale] = budget.shared.as_slice() else {
        panic!("{:?}", budget.shared);
    };
    assert_eq!((&*storage.name, &*scale.name), ("storage", "scale"));
    assert_eq!((storage.size.clone(), storage.padding), (Ok(9216), 1000));
    let members: Vec<(&str, i64)> = storage
        .buffers
        .iter()
        .map(|part| (&*part.name, part.bytes))
        .collect();
    assert_eq!(members, [("bar", 24), ("a", 8192)]);
    assert_eq!(
        (scale.size.clone(), budget.shared_bytes()),
        (Ok(16), Some(9232))
    );
    let fragments: Vec<(&str, i64)> = budget
        .fragments
        .iter()
        .map(|it| (&*it.name, it.cost.registers))
        .collect();
    assert_eq!(fragments, [("part", 32), ("other", 8)]);
    // `part` lives as long as its view.
    assert_eq!(budget.registers(), 40);
    assert_eq!(budget.threads(), Some(128));
    assert_eq!(budget.launches[0].cluster, Some([2, 1, 1]));
    assert_eq!(budget.launches[0].grid, "((n+63)/64, 1, 1)");
    let bounds = budget.launch_bounds.expect("bounds");
    assert_eq!((bounds.threads, bounds.blocks), (128, Some(2)));
    assert_eq!(budget.roles[0].registers, 232);
}

#[test]
fn a_launch_without_known_numbers_says_nothing_of_them() {
    let text = KERNEL
        .replace("block=[128, 1, 1]", "block=[mA.shape[0], 1, 1]")
        .replace("cute.cosize(layout)", "cute.cosize(unknown)");
    let analysis = of(&text);
    let budget = only(&analysis);
    assert_eq!((budget.threads(), budget.launch_bounds), (None, None));
    assert!(budget.shared[0].size.is_err(), "{:?}", budget.shared);
    assert_eq!(budget.shared_bytes(), None);
}

#[test]
fn more_shared_memory_than_a_cta_can_have_is_found() {
    let rule = |analysis: &Analysis| {
        let mut found = analysis.findings.iter();
        found
            .find(|it| it.rule == "smem-exceeds-capacity")
            .map(|it| it.message.clone())
    };
    let text = KERNEL.replace("cute.make_layout((64, 64))", "cute.make_layout((512, 256))");
    let message = rule(&of(&text)).expect("a finding");
    assert!(message.starts_with("263184 bytes"), "{message}");
    assert_eq!(rule(&of(KERNEL)), None);
    // As much as there is, is not too much.
    let text = KERNEL
        .replace("cute.make_layout((64, 64))", "cute.make_layout((1808, 64))")
        .replace("cute.make_layout(4), byte", "cute.make_layout(1), byte");
    let analysis = of(&text);
    assert_eq!(only(&analysis).shared_bytes(), Some(232_452));
    let text = text.replace("(1808, 64)", "(1800, 64)");
    assert_eq!(rule(&of(&text)), None);
}

const COPIES: &str = r"
@cute.kernel
def kernel(mA: cute.Tensor, mB: cute.Tensor, pred: cutlass.Constexpr):
    atom = cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float16, num_bits_per_copy=128)
    threads = cute.make_layout((16, 8), stride=(8, 1))
    copy = cute.make_tiled_copy_tv(atom, threads, cute.make_layout((2, 8), stride=(8, 1)))
    tx, _, _ = cute.arch.thread_idx()
    thr = copy.get_slice(tx)
    gA = cute.local_tile(mA, (64, 64), (0, 0))
    smem = utils.SmemAllocator()
    sA = smem.allocate_tensor(cutlass.Float16, cute.make_layout((64, 64), stride=(64, 1)), 16)
    tAgA = thr.partition_S(gA)
    tAsA = thr.partition_D(sA)
    cute.copy(copy, tAgA, tAsA, pred=pred)
    mma = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)), (2, 2, 1))
    part = mma.get_slice(tx)
    rA = mma.make_fragment_A(part.partition_A(sA))
    rB = mma.make_fragment_B(part.partition_B(sA))
    acc = cute.make_rmem_tensor(mma.partition_shape_C((64, 64)), cutlass.Float32)
    cute.gemm(mma, acc, rA, rB, acc)

@cute.jit
def run(mA: cute.Tensor, mB: cute.Tensor, pred: cutlass.Constexpr):
    kernel(mA, mB, pred).launch(grid=(1, 1, 1), block=(128, 1, 1))

def main():
    n = cute.sym_int()
    a = make_fake_compact_tensor(cutlass.Float16, (512, n), stride_order=(1, 0))
    cute.compile(run, a, a, None)

main()
";

fn cost_at<'a>(analysis: &'a Analysis, text: &str, call: &str) -> Option<&'a Cost> {
    let at = HEAD.len() + text.find(call)? + "cute.".len();
    let mut notes = analysis.notes.iter();
    notes
        .find(|note| note.anchor.start == at)
        .map(|note| &note.cost)
}

#[test]
fn copies_and_products_count_their_instructions() {
    let analysis = of(COPIES);
    let copy = cost_at(&analysis, COPIES, "cute.copy(copy");
    let Some(Cost::Copy(count)) = copy else {
        panic!("{copy:?}");
    };
    assert_eq!((count.instructions, count.bits), (4, 128));
    let product = cost_at(&analysis, COPIES, "cute.gemm(");
    let Some(Cost::Mma(count)) = product else {
        panic!("{product:?}");
    };
    assert_eq!((count.instructions, count.shape), (32, [16, 8, 16]));
    assert_eq!(only(&analysis).architecture, Some(80));
    // Under predicates the number of issued ones is unknown.
    let text = COPIES.replace("run, a, a, None", "run, a, a, 1");
    assert_eq!(cost_at(&of(&text), &text, "cute.copy(copy"), None);
}

#[test]
fn what_vectors_need_is_a_precondition() {
    let needed = |text: &str| -> Vec<String> {
        let needed = of(text).preconditions;
        needed.into_iter().map(|it| it.message).collect()
    };
    assert_eq!(
        needed(COPIES),
        [
            "tAgA.iterator 16-byte aligned (one access moves 16 bytes)",
            "n % 8 == 0 (each access of 16 bytes is aligned)"
        ]
    );
    // A stride that is known to be a multiple needs nothing more.
    let text = COPIES.replace("sym_int()", "sym_int(divisibility=8)");
    assert_eq!(
        needed(&text),
        ["tAgA.iterator 16-byte aligned (one access moves 16 bytes)"]
    );
}

#[test]
fn nothing_is_wrong_with_a_kernel_whose_arguments_are_supposed() {
    let text = KERNEL
        .replace("cute.make_layout((64, 64))", "cute.make_layout((512, 256))")
        .replace("\nmain()\n", "\n")
        .replace("cute.compile(Gemm(), a)", "return a")
        .replace(
            "mA: cute.Tensor):\n        layout",
            "mA: cute.Tensor):  # (m, k)\n        layout",
        );
    let analysis = of(&text);
    assert_eq!(only(&analysis).shared_bytes(), Some(263_184));
    let rules: Vec<&str> = analysis.findings.iter().map(|it| it.rule).collect();
    assert!(!rules.contains(&"smem-exceeds-capacity"), "{rules:?}");
}

#[test]
fn what_many_calls_do_is_not_added_up() {
    let calls = "    for n in range(40):\n        cute.compile(Gemm(), a)\n        cute.compile(Gemm(), make_fake_compact_tensor(cutlass.Float16, (n + 1, 64), stride_order=(1, 0)))\n";
    let text = KERNEL.replace("    cute.compile(Gemm(), a)\n", calls);
    let analysis = of(&text);
    assert!(analysis.budgets.len() > 20, "{}", analysis.budgets.len());
    for budget in &analysis.budgets {
        assert_eq!(budget.shared_bytes(), Some(9232));
    }
}
