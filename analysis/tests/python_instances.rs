//! The evaluated instances of a kernel of Python: those that tests make, and those that comments request.

mod support;

use cute_analysis::Options;
use support::analysed;
use tree_sitter_cute::Host;

const KERNEL: &str = r"
import cutlass
import cutlass.cute as cute

class Kernel:
    def __init__(self, dtype, tile, twice=False):
        self.tile = tile * 2 if twice else tile

    @cute.jit
    def __call__(self, mA: cute.Tensor):  # (m, k)
        made = cute.make_layout((self.tile, 8))
        part = cute.zipped_divide(mA, (self.tile, 8))
";

fn options() -> Options {
    Options {
        host: Host::Python,
        ..Options::default()
    }
}

/// The values of a name with their instances, in the order in which they are shown.
fn values(text: &str, name: &str) -> Vec<(String, Option<String>)> {
    let analysis = analysed(text, &options());
    let facts = analysis.facts.iter().filter(|fact| &*fact.name == name);
    facts
        .map(|fact| {
            let instance = fact.instance.as_ref().map(ToString::to_string);
            (fact.value.to_string(), instance)
        })
        .collect()
}

#[test]
fn a_comment_asks_for_an_object_and_its_kernel_is_run() {
    let text = format!("{KERNEL}\n# cute: instantiate Kernel(BFloat16, 32, twice=True)\n");
    assert_eq!(values(&text, "made"), [("(_64,_8):(_1,_64)".into(), None)]);
    // The tensor is what the comment behind the parameter says.
    let part = &values(&text, "part")[0].0;
    assert!(part.contains("((_64,_8),((m+63)/64,(k+7)/8))"), "{part}");
    let two = format!("{text}# cute: instantiate Kernel(Float16, 4)\n");
    assert_eq!(
        values(&two, "made"),
        [
            (
                "(_64,_8):(_1,_64)".into(),
                Some("Kernel(BFloat16, 32, twice=True)".into())
            ),
            ("(_4,_8):(_1,_4)".into(), Some("Kernel(Float16, 4)".into())),
        ]
    );
    // Nothing asks: the argument `tile` can not even be supposed.
    assert_eq!(values(KERNEL, "made")[0].0, "?");
}

#[test]
fn a_comment_that_is_no_call_is_reported() {
    let text = format!("{KERNEL}\n# cute: instantiate Kernel<32>\n");
    let analysis = analysed(&text, &options());
    let found = analysis
        .findings
        .iter()
        .find(|it| it.rule == "malformed-directive");
    let found = found.expect("a finding");
    assert!(found.message.contains("a call"), "{}", found.message);
}

/// The labels of the instances of `made`, in the order in which they are shown.
fn labels(text: &str) -> Vec<String> {
    let instances = values(text, "made").into_iter();
    instances.filter_map(|(_, instance)| instance).collect()
}

#[test]
fn calls_are_told_apart_by_the_arguments_that_differ() {
    let calls = |calls: &[&str]| format!("{KERNEL}\na = make_tensor()\n{}\n", calls.join("\n"));
    // Attributes of the object follow the numbers; one that follows from another is left out.
    let text = calls(&[
        "Kernel(cutlass.Float16, 32)(a)",
        "Kernel(cutlass.Float16, 64)(a)",
    ]);
    assert_eq!(labels(&text), ["tile=32", "tile=64"]);
    let of_parameters = r"
import cutlass
import cutlass.cute as cute

def layout_of(dtype, rows, causal=False, shape=(8, 4)):
    made = cute.make_layout((rows, shape))
    width = dtype.width

layout_of(cutlass.Float16, 8)
layout_of(cutlass.BFloat16, 8)
layout_of(cutlass.BFloat16, 16, causal=True)
";
    assert_eq!(
        labels(of_parameters),
        [
            "Float16 · rows=8",
            "BFloat16 · rows=8",
            "BFloat16 · rows=16"
        ]
    );
    let truth = of_parameters.replace("rows, shape", "rows + 8 * causal, shape");
    let truth = truth.replace("16, causal", "8, causal");
    assert_eq!(labels(&truth), ["Float16", "BFloat16", "BFloat16 · causal"]);
    // Tuples come behind numbers and names.
    let tuples = of_parameters.replace(
        "layout_of(cutlass.BFloat16, 8)",
        "layout_of(cutlass.Float16, 8, shape=(2, 2))",
    );
    let tuples = tuples.replace(
        "BFloat16, 16, causal=True",
        "Float16, 8, causal=True, shape=(4, 8)",
    );
    assert_eq!(
        labels(&tuples),
        ["shape=(8, 4)", "shape=(2, 2)", "causal · shape=(4, 8)"]
    );
}

#[test]
fn calls_with_the_same_arguments_are_told_apart_by_their_lines() {
    let text = r"
import cutlass.cute as cute

ROWS = 4

def layout_of(columns):
    made = cute.make_layout((ROWS, columns))

layout_of(8)
ROWS = 8
layout_of(8)
layout_of(16)
";
    assert_eq!(
        labels(text),
        ["columns=8 · line 9", "columns=8 · line 11", "columns=16"]
    );
}

#[test]
fn a_test_gives_the_values_that_it_is_run_with() {
    let text = format!(
        r#"{KERNEL}
import pytest
import torch

@pytest.fixture
def rows():
    return 256

@pytest.mark.skipif(not torch.cuda.is_available(), reason="no device")
@pytest.mark.parametrize("tile", [16, pytest.param(32, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dtype, twice", [(torch.float16, False), (torch.float32, True)])
def test_kernel(dtype, twice, tile, rows):
    a = torch.empty(rows, 64, dtype=dtype)
    cute.compile(Kernel(cutlass.Float16, tile, twice), a)

class TestOther:
    @pytest.mark.parametrize("tile", [8, 8, 8, 8, 8, 8, 8, 8])
    def test_one(self, tile):
        cute.compile(Kernel(cutlass.Float16, tile), torch.empty(8, 8))
"#
    );
    let made = values(&text, "made");
    let of = |value: &str, instance: &str| (value.to_owned(), Some(instance.to_owned()));
    assert_eq!(
        made[..2],
        [
            of(
                "(_16,_8):(_1,_16)",
                "test_kernel[float16-False-16], one of 4"
            ),
            of(
                "(_64,_8):(_1,_64)",
                "test_kernel[float32-True-32], one of 4"
            ),
        ]
    );
    // The rows of a test are many: a few are run.
    let others = made.iter().filter(|(value, _)| value == "(_8,_8):(_1,_8)");
    assert!((1..=4).contains(&others.count()), "{made:?}");
    assert!(values(&text, "part")[0].0.starts_with("gmem_ptr[16b]"));
}

#[test]
fn functions_that_compile_a_kernel_are_run_where_nothing_calls_them() {
    let compile = |head: &str, made: &str| {
        format!(
            "{KERNEL}\nfrom cutlass.cute.runtime import make_fake_compact_tensor\n\n{head}\n    n = cute.sym_int()\n    \
             a = make_fake_compact_tensor(cutlass.Float16, (n, 64), stride_order=(1, 0))\n    \
             return cute.compile({made}, a)\n"
        )
    };
    // Without parameters nothing is supposed.
    let text = compile("def compile():", "Kernel(cutlass.Float16, 32)");
    assert_eq!(values(&text, "made"), [("(_32,_8):(_1,_32)".into(), None)]);
    // With parameters they are supposed, and each is said.
    let text = compile(
        "def compile(dtype, N, has_bias, tile_m: int):",
        "Kernel(dtype, tile_m, has_bias)",
    );
    let said = "supposed: compile(dtype=BFloat16, N=4096, has_bias=False, tile_m=128)";
    assert_eq!(
        values(&text, "made"),
        [("(_128,_8):(_1,_128)".into(), Some(said.into()))]
    );
    // What may be anything is not supposed.
    let text = compile("def compile(tile):", "Kernel(cutlass.Float16, tile)");
    assert_eq!(values(&text, "made")[0].0, "?");
}

#[test]
fn of_a_supposed_object_what_nothing_says_is_unknown_and_the_rest_is_known() {
    let text = r"
import cutlass
import cutlass.cute as cute

class Kernel:
    def __init__(self, dtype, experts: int, scheduler):
        self.dtype = dtype
        self.rows = experts * 2
        self.stages = 3 if experts > 4 else 3

    @cute.jit
    def __call__(self, mA: cute.Tensor):
        fixed = cute.make_layout((self.dtype.width, self.stages))
        open = cute.make_layout((self.rows, 8))

    @cute.jit
    def other(self):
        never = cute.make_layout(4)
";
    let said = "supposed: dtype=BFloat16, experts=?, scheduler=?";
    assert_eq!(
        values(text, "fixed"),
        [("(_16,_3):(_1,_16)".into(), Some(said.into()))]
    );
    assert_eq!(values(text, "open"), [("?".into(), Some(said.into()))]);
    // A call that is there is another matter.
    let text = format!("{text}\nKernel(cutlass.Float32, 4, None)(unknown)\n");
    assert_eq!(values(&text, "open"), [("(_8,_8):(_1,_8)".into(), None)]);
}

#[test]
fn what_is_supposed_makes_no_finding_and_what_is_given_does() {
    let text = r"
import cutlass.cute as cute

class Kernel:
    def __init__(self, tile_m):
        self.tile_m = tile_m

    @cute.jit
    def __call__(self):
        cut = cute.composition(cute.make_layout((4, 6), stride=(2, 3)), cute.make_layout(self.tile_m // 16, stride=3))
";
    let rules = |text: &str| -> Vec<&'static str> {
        let analysis = analysed(text, &options());
        analysis.findings.iter().map(|it| it.rule).collect()
    };
    assert!(rules(text).is_empty(), "{:?}", rules(text));
    assert!(!rules(&format!("{text}\ncute.compile(Kernel(128))\n")).is_empty());
}

#[test]
fn the_rank_of_a_supposed_tensor_is_what_its_kernel_names_of_it() {
    let text = r"
import cutlass
import cutlass.cute as cute

class Kernel:
    def __init__(self):
        self.tile = 64

    @cute.jit
    def __call__(self, q: cute.Tensor, k: cute.Tensor, lse: cute.Tensor):
        q = cute.make_tensor(q.iterator, cute.make_layout((q.shape[1], q.shape[2]), stride=(q.stride[1], q.stride[2])))
        part = cute.zipped_divide(q, (self.tile, 8))
        b, h = lse.shape
        rows = cute.make_layout((self.tile, lse.stride[1]))
        other = k.layout
";
    let found = &values(text, "part")[0];
    assert!(
        found.0.contains("((_64,_8),((q_1+63)/64,(q_2+7)/8))"),
        "{found:?}"
    );
    assert_eq!(found.1.as_deref(), Some("supposed"));
    assert_eq!(values(text, "rows")[0].0, "(_64,_1):(_1,_0)");
    assert_eq!(values(text, "other")[0].0, "?");
}

/// The value of a name of a file without instances.
fn value(text: &str, name: &str) -> String {
    let found = values(text, name).into_iter().next();
    found.map(|(value, _)| value).unwrap_or_default()
}

#[test]
fn parts_and_views_of_torch_tensors_have_the_strides_of_torch() {
    let text = r"
import torch
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

t = torch.empty((8, 4, 6), dtype=torch.float16)
rows = from_dlpack(t[1:3])
both = from_dlpack(t[tuple(slice(a, b) for a, b in zip((0, 1), (5, 4)))])
one = from_dlpack(t[..., None, 2])
inner = from_dlpack(t[0])
view = from_dlpack(t.reshape(32, -1))
merged = from_dlpack(t.permute(2, 0, 1).reshape(6, 32))
copied = from_dlpack(t.permute(1, 0, 2).reshape(4, 48))
listed = from_dlpack(torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.int32))
leading = from_dlpack(torch.empty((8, 1))).mark_layout_dynamic()
";
    for (name, layout) in [
        ("rows", "(_2,_4,_6):(_24,_6,_1)"),
        ("both", "(_5,_3,_6):(_24,_6,_1)"),
        ("one", "(_8,_4,_1):(_24,_6,_6)"),
        ("inner", "(_4,_6):(_6,_1)"),
        ("view", "(_32,_6):(_6,_1)"),
        ("merged", "(_6,_32):(_1,_6)"),
        ("copied", "(_4,_48):(_48,_1)"),
        ("listed", "(_2,_3):(_3,_1)"),
        ("leading", "(n,n_2):(_1,stride)"),
    ] {
        let value = value(text, name);
        assert!(value.ends_with(layout), "{name}: {value}");
    }
}

#[test]
fn extents_that_only_the_program_knows_are_open_and_the_others_are_not() {
    let text = r"
import random
import torch
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

count = random.randint(1, 8)
fixed = from_dlpack(torch.empty((count, 64), dtype=torch.float16))
lists = from_dlpack(torch.tensor(random.sample(range(9), 3)))
";
    assert!(value(text, "fixed").ends_with("(n,_64):(_64,_1)"));
    assert_eq!(value(text, "lists"), "?");
}

#[test]
fn the_types_of_the_dsl_are_imported_with_a_star_and_hide_nothing() {
    let text = r"
import cutlass.cute as cute
from cutlass.cute.typing import *

width = BFloat16.width + Int8.width
most = max(3, 4)
made = cute.make_layout((width, most))
";
    assert_eq!(value(text, "made"), "(_24,_4):(_1,_24)");
}

#[test]
fn a_member_of_an_enumeration_is_found_by_its_own_rule_and_keeps_the_reason_of_what_is_not_known() {
    let text = r#"
import enum
import random
import cutlass.cute as cute

class Major(enum.Enum):
    K = 1
    MN = 2

    @classmethod
    def _missing_(cls, value):
        return cls.K if value == "k" else None

SIZES = {Major.K: 8, Major.MN: 64}
made = cute.make_layout(SIZES[Major("k")])
other = Major(random.choice([1, 2]))
size = SIZES[other]
lost = cute.make_layout(size)
"#;
    assert_eq!(value(text, "made"), "_8:_1");
    let analysis = analysed(text, &options());
    let reason = |name: &str| {
        let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
        fact.and_then(|fact| fact.reason()).map(ToString::to_string)
    };
    let why = Some("`random.choice` is not evaluated yet".to_owned());
    assert_eq!(reason("other"), why);
    assert_eq!(reason("size"), why);
    assert_eq!(reason("lost"), why);
}

#[test]
fn attributes_that_setattr_binds_have_values() {
    let text = r#"
import cutlass.cute as cute

class Kernel:
    def __init__(self):
        for name, rows in (("q", 8), ("k", 16)):
            setattr(self, f"{name}_layout", cute.make_layout(rows))
            setattr(other, "lost", rows)

class Other:
    pass

other = Other()
kernel = Kernel()
"#;
    assert_eq!(value(text, "self.q_layout"), "_8:_1");
    assert_eq!(value(text, "self.k_layout"), "_16:_1");
    assert!(values(text, "self.lost").is_empty());
}

#[test]
fn the_type_of_the_elements_of_a_tensor_can_be_set() {
    let text = r"
import torch
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

def made(dtype):
    tensor = from_dlpack(torch.empty((8, 4), dtype=torch.uint8))
    tensor.element_type = dtype
    return tensor

width = made(cutlass.Float8E4M3FN).element_type.width
kept = made(cutlass.TFloat32).element_type is cutlass.TFloat32
lost = made(unknown).element_type
both = [from_dlpack(torch.empty((8, 4), dtype=torch.uint8)) for _ in range(2)]
both[1].element_type = cutlass.Float32
layout = cute.make_layout((width, kept))
widths = (both[0].element_type.width, both[1].element_type.width)
";
    assert_eq!(value(text, "layout"), "(_8,_1):(_1,_0)");
    assert_eq!(value(text, "widths"), "(_8,_32)");
    assert_eq!(value(text, "lost"), "?");
}
