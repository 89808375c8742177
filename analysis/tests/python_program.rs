//! Python is run as the DSL traces it: objects with identity, closures, classes, and what only the kernel knows.

mod support;

use cute_analysis::Options;
use support::analysed;
use tree_sitter_cute::Host;

/// The values of a name, each once, in the order of the source.
fn values(text: &str, name: &str) -> Vec<String> {
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let mut found: Vec<String> = Vec::new();
    for fact in &analysed(text, &options).facts {
        let value = fact.value.to_string();
        if &*fact.name == name && !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// A source inside of a traced function.
fn traced(body: &str) -> String {
    let mut text =
        "import cutlass\nimport cutlass.cute as cute\n\n@cute.jit\ndef traced():\n".to_owned();
    for line in body.trim_matches('\n').lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn value(body: &str, name: &str) -> String {
    let found = values(&traced(body), name);
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0].clone()
}

#[test]
fn a_closure_sees_what_its_names_are_bound_to_when_it_runs() {
    let body = r"
n = 4
def inner():
    return cute.make_layout(n)
n = 8
made = inner()
w = 2
late = lambda: cute.make_layout(w)
w = 12
later = late()
";
    assert_eq!(value(body, "made"), "_8:_1");
    assert_eq!(value(body, "later"), "_12:_1");
}

#[test]
fn two_names_of_one_list_see_each_other_s_changes() {
    let body = r"
a = [2, 4]
b = a
b.append(8)
both = cute.make_layout(tuple(a))
c = b
c += [2]
longer = cute.make_layout(tuple(a))
own = list(a)
own[0] = 16
kept = cute.make_layout(tuple(a))
";
    assert_eq!(value(body, "both"), "(_2,_4,_8):(_1,_2,_8)");
    assert_eq!(value(body, "longer"), "(_2,_4,_8,_2):(_1,_2,_8,_64)");
    assert_eq!(value(body, "kept"), "(_2,_4,_8,_2):(_1,_2,_8,_64)");
}

#[test]
fn a_decorator_is_called() {
    let text = r"
import cutlass.cute as cute

def three(function):
    return lambda: 3

@three
def four():
    return 4

made = cute.make_layout(four())
";
    assert_eq!(values(text, "made"), ["_3:_1"]);
}

#[test]
fn a_stride_of_coordinates_is_no_integer() {
    let body = "made = cute.make_layout((4, 8), stride=(cute.E(1), cute.E(0)))";
    assert_eq!(value(body, "made"), "(_4,_8):(_1@1,_1@0)");
}

#[test]
fn classes_have_bases_properties_and_fields() {
    let text = r"
import cutlass.cute as cute
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

class Kind(Enum):
    SMALL = 4
    LARGE = 8

@dataclass(frozen=True)
class Config:
    m: int = 64
    n: int = 32

class Pair(NamedTuple):
    first: int
    second: int = 2

class Base:
    tile = 16
    def __init__(self, tile):
        self.tile = tile
    def shape(self):
        return (self.tile, 8)

class Kernel(Base):
    def __init__(self, tile):
        super().__init__(tile * 2)
    @property
    def half(self):
        return self.tile // 2

kernel = Kernel(32)
shape = cute.make_layout(kernel.shape())
half = cute.make_layout(kernel.half)
config = cute.make_layout((Config(n=8).m, Config(n=8).n))
kind = cute.make_layout(Kind.LARGE.value)
same = Kind(8) is Kind.LARGE
pair = cute.make_layout(Pair(4))
kernel.tile = 128
changed = cute.make_layout(kernel.shape())
";
    assert_eq!(values(text, "shape"), ["(_64,_8):(_1,_64)"]);
    assert_eq!(values(text, "half"), ["_32:_1"]);
    assert_eq!(values(text, "config"), ["(_64,_8):(_1,_64)"]);
    assert_eq!(values(text, "kind"), ["_8:_1"]);
    assert_eq!(values(text, "same"), ["true"]);
    assert_eq!(values(text, "pair"), ["(_4,_2):(_1,_4)"]);
    assert_eq!(values(text, "changed"), ["(_128,_8):(_1,_128)"]);
}

#[test]
fn comprehensions_slices_and_exceptions_are_run() {
    let body = r"
doubled = cute.make_layout(tuple(i * 2 for i in (1, 2, 3) if i != 2))
back = cute.make_layout((2, 4, 8)[::-1])
first, *rest = (2, 3, 4)
left = cute.make_layout(tuple(rest))
try:
    t = 3
    raise ValueError('no')
except ValueError:
    t = 5
caught = cute.make_layout(t)
table = {'a': 4, **{'b': 6}}
looked_up = cute.make_layout(tuple(table.values()))
";
    assert_eq!(value(body, "doubled"), "(_2,_6):(_1,_2)");
    assert_eq!(value(body, "back"), "(_8,_4,_2):(_1,_8,_32)");
    assert_eq!(value(body, "left"), "(_3,_4):(_1,_3)");
    assert_eq!(value(body, "caught"), "_5:_1");
    assert_eq!(value(body, "looked_up"), "(_4,_6):(_1,_4)");
}

#[test]
fn loops_of_the_kernel_make_their_numbers_unknown_and_keep_layouts() {
    let body = r"
phase = 0
tile = cute.make_layout((8, 4))
for k in range(4):
    phase = phase + 1
    inner = cute.make_layout(k)
after = cute.make_layout(phase)
kept = tile
m = 1
for i in cutlass.range_constexpr(3):
    m = m * 2
counted = cute.make_layout(m)
q = 0
while q < 5:
    q += 1
waited = cute.make_layout(q)
";
    for name in ["inner", "after", "waited"] {
        let text = value(body, name);
        assert!(!text.starts_with('_') && text.ends_with(":_1"), "{text}");
    }
    assert_eq!(value(body, "kept"), "(_8,_4):(_1,_8)");
    assert_eq!(value(body, "counted"), "_8:_1");
}

#[test]
fn what_a_branch_may_have_changed_is_not_known_behind_it() {
    let text = r"
import cutlass
import cutlass.cute as cute
import elsewhere

tile = 64
kept = 8
if elsewhere.flag:
    tile = 128
either = cute.make_layout(tile)
same = cute.make_layout(kept)
items = [1]
for one in elsewhere.items:
    items.append(one)
lost = cute.make_layout(tuple(items))
";
    assert_eq!(values(text, "either"), ["?"]);
    assert_eq!(values(text, "same"), ["_8:_1"]);
    assert_eq!(values(text, "lost"), ["?"]);
}

#[test]
fn a_kernel_that_is_compiled_for_fake_tensors_is_known_whole() {
    let text = r"
import cutlass
import cutlass.cute as cute
import cutlass.utils as utils
from cutlass.cute.runtime import make_fake_compact_tensor

class Kernel:
    def __init__(self, tile=(128, 64)):
        self.tile = tile

    @cute.jit
    def __call__(self, mA: cute.Tensor, count: cutlass.Int32, flag: cutlass.Constexpr = True):
        self.dtype = mA.element_type
        atom = cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))
        self.sA_layout = cute.tile_to_shape(atom, self.tile, (0, 1))
        @cute.struct
        class Storage:
            bar: cute.struct.MemRange[cutlass.Int64, 4]
            sA: cute.struct.Align[cute.struct.MemRange[self.dtype, cute.cosize(self.sA_layout)], 1024]
        self.storage = Storage
        size = Storage.size_in_bytes()
        self.kernel(mA, self.sA_layout, count).launch(grid=(1, 1, 1), block=(128, 1, 1))

    @cute.kernel
    def kernel(self, mA: cute.Tensor, sA_layout: cute.ComposedLayout, count: cutlass.Int32):
        bidx, _, _ = cute.arch.block_idx()
        storage = utils.SmemAllocator().allocate(self.storage)
        sA = storage.sA.get_tensor(sA_layout.outer, swizzle=sA_layout.inner)
        swizzle = sA.iterator.type.swizzle_type
        bits = (swizzle.num_bits, swizzle.num_base, swizzle.num_shift)
        gA = cute.local_tile(mA, self.tile, (bidx, None))
        for k in range(count):
            gAk = gA[None, None, k]

m = cute.sym_int(divisibility=8)
a = make_fake_compact_tensor(cutlass.Float16, (m, 256), stride_order=(1, 0), assumed_align=16)
cute.compile(Kernel(), a, 5)
";
    assert_eq!(
        values(text, "self.sA_layout"),
        ["Sw<3,4,3> o _0 o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))"]
    );
    assert_eq!(values(text, "size"), ["_17408"]);
    assert_eq!(
        values(text, "gAk"),
        ["gmem_ptr[16b](PTR) o (_128,_64):(_256,_1)"]
    );
    assert_eq!(
        values(text, "gA"),
        ["gmem_ptr[16b](PTR) o (_128,_64,_4):(_256,_1,_64)"]
    );
    assert_eq!(
        values(text, "sA"),
        ["Sw<3,4,3>_smem_ptr[16b](PTR) o ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))"]
    );
    assert_eq!(values(text, "bits"), ["(_3,_4,_3)"]);
}

#[test]
fn a_program_with_options_and_tensors_of_torch_makes_the_instance() {
    let text = r"
import argparse
import torch
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

@cute.jit
def host(mA: cute.Tensor, mB: cute.Tensor, tile: cutlass.Constexpr):
    gA = cute.zipped_divide(mA, (tile, tile))
    open = mB.layout

if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--tile-size', type=int, default=32)
    args = parser.parse_args()
    a = torch.empty(128, 64, dtype=torch.float16)
    b = torch.empty(128, 64, dtype=torch.float16)
    cute.compile(host, from_dlpack(a), b, args.tile_size)
";
    assert_eq!(
        values(text, "gA"),
        ["gmem_ptr[16b](PTR) o ((_32,_32),(_4,_2)):((_64,_1),(_2048,_32))"]
    );
    // What is given as a tensor of torch has sizes that only the kernel knows.
    assert_eq!(values(text, "open"), ["(n,n_2):(stride,_1)"]);
}

#[test]
fn an_object_may_become_one_of_another_class() {
    let text = r"
import cutlass.cute as cute

class Before:
    def rows(self):
        return 4

class After(Before):
    def rows(self):
        return 8

it = Before()
before = cute.make_layout(it.rows())
object.__setattr__(it, '__class__', After)
after = cute.make_layout(it.rows())
";
    assert_eq!(values(text, "before"), ["_4:_1"]);
    assert_eq!(values(text, "after"), ["_8:_1"]);
}

#[test]
fn what_was_returned_under_a_condition_is_known_where_the_rest_is_an_error() {
    let text = r"
import cutlass.cute as cute
import elsewhere

def rows(kind):
    if kind == 1:
        return 4
    raise ValueError('no such kind')

made = cute.make_layout(rows(elsewhere.kind))
";
    assert_eq!(values(text, "made"), ["_4:_1"]);
}

#[test]
fn functions_of_the_dsl_that_choose_and_divide_are_known() {
    let body = r"
from cutlass.cutlass_dsl import if_generate
import elsewhere
largest = cute.make_layout(cutlass.max(4, 8))
both = cute.make_layout(divmod(14, 4))
divisor = cute.FastDivmodDivisorV2(4)
parts = divmod(cute.arch.thread_idx()[0], divisor)
kept = if_generate(elsewhere.flag, lambda t: t, lambda t: t, [(4, 8)], [cutlass.Int32])
same = cute.make_layout(kept)
converted = cutlass.Float32(elsewhere.number)
a = cute.make_tensor(cute.make_ptr(cutlass.Float16, 0, cute.AddressSpace.smem), cute.make_layout((8, 8)))
atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), cutlass.Float16)
tiled = cute.make_tiled_copy_tv(atom, cute.make_layout((4, 8)), cute.make_layout((2, 1)))
again = tiled.get_slice(3).get_slice(0).partition_S(a)
first = tiled.get_slice(0).partition_S(a)
";
    assert_eq!(value(body, "largest"), "_8:_1");
    assert_eq!(value(body, "both"), "(_3,_2):(_1,_3)");
    assert!(!value(body, "parts").contains("Unknown"));
    assert_eq!(value(body, "same"), "(_4,_8):(_1,_4)");
    assert_eq!(value(body, "converted"), "float");
    assert_eq!(value(body, "again"), value(body, "first"));
    assert_eq!(
        value(body, "again"),
        "smem_ptr[16b](PTR) o ((_1,_2),_1,_1):((_0,_1),_0,_0)"
    );
}

#[test]
fn hostile_programs_end() {
    let programs = [
        "def f(n):\n    return f(n + 1)\nx = f(0)\n",
        "x = 0\nwhile True:\n    x += 1\n",
        "x = (1,)\nfor i in range(60000):\n    x = (x,)\n",
        "x = (1, 2)\nfor i in range(60):\n    x = (x, x)\n",
        "x = 'a'\nfor i in range(60):\n    x = x + x\n",
        "x = [1]\nfor i in range(60):\n    x = x + x\n",
        "x = []\nx.append(x)\ny = x == x\nz = tuple(x)\n",
        "class A:\n    def __getattr__(self, n):\n        return self.other\nx = A().b\n",
        "class A(A):\n    pass\nx = A()\n",
        "f = lambda: f()\nx = f()\n",
        "x = {}\nx['a'] = x\ny = str(x)\n",
        "import test\nx = test.x\n",
        "x = range(10 ** 18)\ny = list(x)\n",
        "x = 10 ** 18 * 10 ** 18\ny = 1 << 1000000\n",
    ];
    for program in programs {
        let options = Options {
            host: Host::Python,
            ..Options::default()
        };
        analysed(program, &options);
    }
    let deep = format!("x = {}1{}\n", "(".repeat(5000), ")".repeat(5000));
    let nested = format!("x = {}1{}\n", "[".repeat(3000), "]".repeat(3000));
    let sum = format!("x = {}\n", vec!["1"; 20_000].join(" + "));
    for program in [deep, nested, sum] {
        let options = Options {
            host: Host::Python,
            ..Options::default()
        };
        analysed(&program, &options);
    }
}

#[test]
fn an_if_of_the_kernel_is_traced_both_ways_whatever_its_test_is() {
    let body = r"
zeroes = False
count = 1
if zeroes:
    tile = cute.make_layout((4, 8))
    count = 2
if cutlass.const_expr(zeroes):
    never = cute.make_layout(2)
made = cute.make_layout((count, 8))
";
    assert_eq!(value(body, "tile"), "(_4,_8):(_1,_4)");
    assert!(values(&traced(body), "never").is_empty());
    let made = value(body, "made");
    assert!(
        !made.starts_with("(_1,") && !made.starts_with("(_2,"),
        "{made}"
    );
}

#[test]
fn numbers_that_a_kernel_is_given_are_never_one_another() {
    let text = r"
import cutlass
import cutlass.cute as cute
@cute.jit
def entry(m: cutlass.Int32, n: cutlass.Int32, more: tuple):
    ratio = cute.make_layout(m // n)
    other = cute.make_layout(more[0] // m)
    k = more[1]
one = cutlass.Int32(1024)
cute.compile(entry, one, one, (one, 3))
";
    for name in ["ratio", "other"] {
        let found = values(text, name);
        assert!(found.len() == 1 && found[0].contains('/'), "{found:?}");
    }
    // A number of Python is one of the kernel in a tuple, too.
    assert_eq!(values(text, "k"), ["more"]);
}

#[test]
fn what_a_traced_program_gives_a_function_stays_a_constant_through_plain_functions() {
    let text = r"
import cutlass
import cutlass.cute as cute
from cutlass import Int32

def passes(n, flag):
    return inner(n, flag=flag)

@cute.jit
def inner(n: Int32, *, flag: bool = False, count: int = 3):
    if cutlass.const_expr(flag):
        return cute.make_layout((4, count))
    return cute.make_layout(5)

@cute.jit
def outer(n: Int32, flag: cutlass.Constexpr):
    got = passes(n, flag)

@cute.jit
def entry(rows: int):
    open = cute.make_layout((rows, 2))

cute.compile(outer, Int32(5), True)
cute.compile(entry, 8)
";
    assert_eq!(values(text, "got"), ["(_4,_3):(_1,_4)"]);
    // What the program itself gives is a number of the run.
    assert_eq!(values(text, "open"), ["(rows,_2):(_1,rows)"]);
}

#[test]
fn a_star_stands_for_the_whole_call_behind_it() {
    let body = r"
class Tile:
    shape = (3, 5)
def pair():
    return (3, 4)
a = *pair(), 1
b = *Tile.shape, 1
c = *[(2, 7)][0], 1
";
    assert_eq!(value(body, "a"), "(_3,_4,_1)");
    assert_eq!(value(body, "b"), "(_3,_5,_1)");
    assert_eq!(value(body, "c"), "(_2,_7,_1)");
}

#[test]
fn a_member_that_is_not_known_here_is_unknown_and_the_rest_is_traced() {
    let body = r"
made = cute.arch.not_known_here(3)
other = cute.nvgpu.tcgen05.not_known_here
tile = cute.make_layout((4, 8))
";
    assert_eq!(value(body, "made"), "?");
    assert_eq!(value(body, "other"), "?");
    assert_eq!(value(body, "tile"), "(_4,_8):(_1,_4)");
}

#[test]
fn descriptors_of_scale_factors_count_sixteen_bytes() {
    // As the DSL 4.8.1 prints it in NVIDIA's block scaled product.
    let body = r"
smem = cutlass.utils.SmemAllocator()
bytes = smem.allocate_tensor(cutlass.Float8E4M3FN, cute.make_layout(16384), 128)
parts = cute.make_layout(
    ((((32, 4, 4), 4), 1), 1, 1, 4, 7), stride=((((16, 4, 4), 0), 0), 0, 0, 512, 2048)
)
tensor = cute.make_tensor(bytes.iterator, parts)
atom = cute.make_copy_atom(cute.nvgpu.tcgen05.Cp4x32x128bOp(cute.nvgpu.tcgen05.CtaGroup.ONE), cutlass.Float8E4M3FN)
made = cute.nvgpu.tcgen05.get_s2t_smem_desc_tensor(atom, tensor)
";
    let made = value(body, "made");
    let wanted = "UMMA::DescriptorIterator o ((((_32,_1,_1),_4),_1),_1,_1,_4,_7):\
                  ((((_1,_1,_1),_0),_0),_0,_0,_32,_128)";
    assert_eq!(made, wanted);
}

#[test]
fn a_class_that_is_deprecated_is_the_class_and_has_the_fields_of_its_base() {
    let body = r"
from dataclasses import dataclass
from typing_extensions import deprecated
@dataclass(frozen=True)
class Base:
    rows: int
@deprecated('use Base')
class Old(Base):
    pass
tile = cute.make_layout((Old(4).rows, 8))
";
    assert_eq!(value(body, "tile"), "(_4,_8):(_1,_4)");
}

#[test]
fn what_a_kernel_is_given_is_its_own_inside_of_tuples_and_objects_too() {
    // What the DSL 4.8.1 prints of the same calls.
    let text = r"
import cutlass
import cutlass.cute as cute
from cutlass import Constexpr
from dataclasses import dataclass
from typing import NamedTuple, Optional
class Pair(NamedTuple):
    a: int
    b: cutlass.Int32
@dataclass
class Sizes:
    a: int
    c: cutlass.Constexpr
    s: tuple
@cute.kernel
def kernel(t: tuple, shape: cute.Shape, maybe: Optional[cute.Shape], l: list, p: Pair, d: Sizes, c: cutlass.Constexpr, e: Constexpr[tuple], u: cute.Shape | None):
    e0, u0 = e[0], u[0]
    t0, shape0, maybe0, l0, p0, d0, d1, d2, c0 = t[0], shape[0], maybe[0], l[0], p.a, d.a, d.c, d.s[0], c[0]
@cute.jit
def helper(t: tuple):
    plain = t[0]
@cute.jit
def entry(n: cutlass.Int32):
    kernel((1, (2, n)), (3, 4), (5, 6), [7, 8], Pair(9, 10), Sizes(11, 12, (13, 14)), (15,), (16,), (17, 18)).launch(grid=[1, 1, 1], block=[32, 1, 1])
    helper((1, 2))
cute.compile(entry, 4)
";
    for (name, expected) in [
        ("shape0", Some("_3")),
        ("maybe0", Some("_5")),
        ("d1", Some("_12")),
        ("c0", Some("_15")),
        ("e0", Some("_16")),
        ("u0", Some("_17")),
        ("plain", Some("_1")),
        ("t0", None),
        ("l0", None),
        ("p0", None),
        ("d0", None),
        ("d2", None),
    ] {
        let found = values(text, name);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        let is_static = found[0].starts_with('_') && found[0] != "_";
        assert_eq!(is_static, expected.is_some(), "{name}: {found:?}");
        if let Some(expected) = expected {
            assert_eq!(found[0], expected, "{name}");
        }
    }
}

#[test]
fn named_tuples_have_their_fields_by_name() {
    let body = r"
from typing import NamedTuple
class Pair(NamedTuple):
    rows: int
    columns: int
pair = Pair(4, 8)
names = [name for name in Pair._fields]
first = {name: value for name, value in zip(pair._fields, pair)}['columns']
second = pair._asdict()['rows']
third = Pair._make([5, 6]).columns
fourth = pair._replace(rows=7).rows
";
    for (name, expected) in [
        ("first", "_8"),
        ("second", "_4"),
        ("third", "_6"),
        ("fourth", "_7"),
    ] {
        assert_eq!(value(body, name), expected, "{name}");
    }
}

#[test]
fn what_an_error_leaves_without_a_value_says_where_the_trace_ends() {
    let text = r"
import cutlass.cute as cute
@cute.jit
def entry():
    before = cute.make_layout(4)
    raise ValueError('no')
    behind = cute.make_layout(8)
    a, b = 1, 2
cute.compile(entry)
";
    assert_eq!(values(text, "before"), ["_4:_1"]);
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let analysis = analysed(text, &options);
    for name in ["behind", "a", "b"] {
        let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
        let reason = match fact.map(|fact| &*fact.value) {
            Some(cute_analysis::Value::Unknown(reason)) => reason.to_string(),
            _ => String::new(),
        };
        assert!(
            reason.contains("the trace ends at") && reason.contains(":6"),
            "{name}: {reason}"
        );
    }
}

#[test]
fn coordinates_are_numbers_of_the_kernel_as_many_as_are_asked_for() {
    let body = r"
tile = cute.make_identity_tensor((8, 4))
m, n = tile[3]
row = tile[3][0]
part = cute.make_layout((row, 8))
";
    for name in ["m", "n", "row"] {
        assert!(
            !value(body, name).starts_with('?'),
            "{name}: {}",
            value(body, name)
        );
    }
    assert!(
        value(body, "part").contains(",_8):(_1,"),
        "{}",
        value(body, "part")
    );
}

#[test]
fn a_tma_takes_a_tile_of_coordinates_and_counts_halves_of_them() {
    let body = r"
from cutlass.cute.nvgpu import cpasync
def full(dtype, shape, order):
    return cute.runtime.make_fake_compact_tensor(dtype, shape, stride_order=order, assumed_align=16)
whole = full(cutlass.BFloat16, (512, 256), (1, 0))
tile = cute.composition(cute.make_identity_layout((512, 256)), (cute.make_layout(128), cute.make_layout(32)))
shared = cute.make_layout((128, 32), stride=(32, 1))
atom, tensor = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileS2GOp(), whole, shared, tile)
factors = full(cutlass.Float8E8M0FNU, (512, 256), (0, 1))
lines = cute.make_layout((128, 16), stride=(1, 128))
_, halves = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), factors, lines, (128, 16), internal_type=cutlass.Int16)
";
    assert!(
        value(body, "tensor").contains("(_512,_256):(_1@1,_1@0)"),
        "{}",
        value(body, "tensor")
    );
    assert!(
        value(body, "halves").contains("(_1/2@0,_1@1)"),
        "{}",
        value(body, "halves")
    );
}

#[test]
fn parts_of_an_mma_are_made_of_layouts_and_registers_of_values() {
    let body = r"
from cutlass.cute.nvgpu import warp
mma = cute.make_tiled_mma(warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16)), (2, 2, 1))
parts = mma._thrfrg_C(cute.make_layout((32, 16)))
fragment = mma.make_fragment_A(cute.make_layout((8, 2, 4))).layout
ssa = cute.TensorSSA(None, (4, 2), cutlass.Float32).layout
";
    assert!(
        value(body, "parts").starts_with("(((_4,_8),(_2,_2))"),
        "{}",
        value(body, "parts")
    );
    assert!(
        value(body, "fragment").starts_with("(_8,_2,_4)"),
        "{}",
        value(body, "fragment")
    );
    assert_eq!(value(body, "ssa"), "(_4,_2):(_1,_4)");
}

#[test]
fn classes_are_made_without_a_class_statement() {
    let body = r"
from typing import NamedTuple
made = type('Made', (), {'__annotations__': {'a': 4}, 'rows': 8})
first = made.rows
second = made.__annotations__['a']
Pair = NamedTuple('Pair', [('x', int), ('y', int)])
third = Pair(2, 3).y
class Kept:
    def __init__(self, inner):
        self.inner = inner
    def __class_getitem__(cls, inner):
        return cls(inner)
class Plain:
    size: Kept[16]
fourth = dict(Plain.__annotations__)['size'].inner
";
    for (name, expected) in [
        ("first", "_8"),
        ("second", "_4"),
        ("third", "_3"),
        ("fourth", "_16"),
    ] {
        assert_eq!(value(body, name), expected, "{name}");
    }
}

#[test]
fn a_part_of_a_shape_has_sizes_where_an_mma_is_permuted() {
    // What the DSL 4.8.1 prints.
    let body = r"
from cutlass.cute.nvgpu import warp
op = warp.MmaF16BF16Op(cutlass.BFloat16, cutlass.Float32, (16, 8, 16))
order = cute.make_layout((8, 2, 2), stride=(1, 16, 8))
mma = cute.make_tiled_mma(op, (4, 2, 1), permutation_mnk=(64, order, 16))
shape = mma.partition_shape_C((128, 128))
part = mma.get_slice(0).partition_C(cute.make_rmem_tensor((128, 128), cutlass.Float32)).layout
six = cutlass.Float6E3M2FN.width
";
    assert_eq!(value(body, "shape"), "((_2,_2),_2,_8)");
    assert!(value(body, "part").starts_with("((_2,_2),_2,(_2,_4))"));
    assert_eq!(value(body, "six"), "_6");
}

#[test]
fn classes_hear_of_their_subclasses_and_dataclasses_are_made_of_lists() {
    let text = r#"
import cutlass.cute as cute
from dataclasses import make_dataclass, MISSING

class Part:
    def __init__(self, name, default):
        self.name = name
        self.default = default

class Composed:
    parts = ()

    def __init_subclass__(cls, scale=1, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.parts and "Params" not in cls.__dict__:
            needed = [(it.name, object) for it in cls.parts if it.default is MISSING]
            others = [(it.name, object, it.default) for it in cls.parts if it.default is not MISSING]
            cls.Params = make_dataclass("Params", needed + others)
        cls.scale = scale

class Kernel(Composed, scale=4):
    parts = (Part("rows", 8), Part("columns", MISSING))

params = Kernel.Params(columns=16)
other = Kernel.Params(2, rows=3)
made = cute.make_layout((params.rows, params.columns * Kernel.scale))
again = cute.make_layout((other.columns, other.rows))
"#;
    assert_eq!(values(text, "made"), ["(_8,_64):(_1,_8)"]);
    assert_eq!(values(text, "again"), ["(_2,_3):(_1,_2)"]);
}

#[test]
fn a_list_is_shown_as_it_was_where_a_name_was_bound_to_it() {
    let text = traced(
        "first = [1, 2]\nsecond = first\nfirst.append([3])\nthird = first\nfirst[2].append(4)\nmade = cute.make_layout(tuple(first[:2]))",
    );
    assert_eq!(values(&text, "first"), ["(_1,_2)"]);
    assert_eq!(values(&text, "second"), ["(_1,_2)"]);
    assert_eq!(values(&text, "third"), ["(_1,_2,(_3))"]);
    assert_eq!(values(&text, "made"), ["(_1,_2):(_0,_1)"]);
}

#[test]
fn a_recursion_whose_end_is_not_known_is_followed_a_little_and_one_that_ends_to_its_end() {
    let text = r"
import cutlass
import cutlass.cute as cute

@cute.jit
def halves(n: cutlass.Constexpr):
    if cutlass.const_expr(n > 1):
        halves(n // 2)
        halves(n - n // 2)

@cute.jit
def run(n: cutlass.Constexpr):
    halves(n)
    made = cute.make_layout((4, 8))

def ends(n):
    return 1 if n < 2 else 2 * ends(n // 2)

power = ends(64)
";
    // Followed to its end it would take all steps that there are.
    assert_eq!(values(text, "made"), ["(_4,_8):(_1,_4)"]);
    assert_eq!(values(text, "power"), ["_64"]);
}

#[test]
fn a_colon_and_dots_in_an_index_of_a_tensor_are_whole_modes() {
    let text = r"
import cutlass
import cutlass.cute as cute

@cute.jit
def host():
    tensor = cute.make_rmem_tensor(((2, 3), 4, 5), cutlass.Float32)
    last = tensor[..., 0]
    first = tensor[0, ...]
    middle = tensor[:, 1, :]
    inner = tensor[(..., 1), 0, ...]
    all = tensor[...]
    one = tensor[0, 1, 2]
    many = tensor[..., 0, ...]

host()
";
    let tail = |name| {
        let found = values(text, name);
        found[0]
            .split_once(" o ")
            .map(|(_, layout)| layout.to_owned())
    };
    for (name, layout) in [
        ("last", "((_2,_3),_4):((_1,_2),_6)"),
        ("first", "(_4,_5):(_6,_24)"),
        ("middle", "((_2,_3),_5):((_1,_2),_24)"),
        ("inner", "(_2,_5):(_1,_24)"),
        ("all", "((_2,_3),_4,_5):((_1,_2),_6,_24)"),
    ] {
        assert_eq!(tail(name).as_deref(), Some(layout), "{name}");
    }
    // One element has no layout; the rest can be named once only.
    assert_eq!(tail("one"), None);
    assert_eq!(tail("many"), None);
}

#[test]
fn what_a_kernel_computes_is_its_own_number_whatever_follows() {
    let text = r"
import cutlass
import cutlass.cute as cute

@cute.kernel
def kernel(flag: cutlass.Boolean, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    of_one = tid % 1
    same = n // n
    none = n - n
    whole = flag * n
    known = cute.make_layout((4, same))
    of_trace = 7 % 1

@cute.jit
def host(flag: cutlass.Boolean, n: cutlass.Int32):
    kernel(flag, n).launch(grid=(1, 1, 1), block=(128, 1, 1))

cute.compile(host, True, 8)
";
    for name in ["of_one", "same", "none", "whole"] {
        let found = &values(text, name)[0];
        let is_symbol = found.starts_with(|it: char| it.is_ascii_alphabetic());
        assert!(is_symbol && !found.contains("Float"), "{name}: {found}");
    }
    assert!(values(text, "known")[0].starts_with("(_4,v"));
    assert_eq!(values(text, "of_trace"), ["_0"]);
}

#[test]
fn attributes_of_objects_have_values_where_they_are_bound() {
    let text = r"
from types import SimpleNamespace
import cutlass.cute as cute

@cute.jit
def host():
    params = SimpleNamespace()
    params.layout = cute.make_layout((4, 8))
    params.inner = SimpleNamespace()
    params.inner.layout = cute.make_layout(2)
    params.name = 'text'

host()
";
    assert_eq!(values(text, "params.layout"), ["(_4,_8):(_1,_4)"]);
    // A text is not shown, nor is an attribute of an attribute.
    assert!(values(text, "params.name").is_empty());
    assert!(values(text, "params.inner.layout").is_empty());
}

#[test]
fn a_member_of_the_dsl_that_is_not_known_here_may_be_there() {
    let text = r"
import cutlass
import cutlass.cute as cute
from cutlass._mlir.dialects import nvvm

class Own:
    rows = 4

there = hasattr(cute, 'make_layout')
open = hasattr(nvvm, 'some_operation')
default = getattr(cute, 'some_function', None)
own = hasattr(Own, 'columns')
of_own = getattr(Own(), 'columns', 8)
sure = cute.make_layout((int(there), 4 if own else of_own))
unsure = cute.make_layout(4 if open else 8)
other = cute.make_layout(4 if default is None else 8)
";
    assert_eq!(values(text, "sure"), ["(_1,_8):(_0,_1)"]);
    assert_eq!(values(text, "unsure"), ["?"]);
    assert_eq!(values(text, "other"), ["?"]);
}

#[test]
fn the_device_that_torch_tells_of_is_the_one_that_is_compiled_for() {
    let text = r"
import torch
import cutlass.cute as cute
from cutlass.cute.nvgpu import tcgen05

major, minor = torch.cuda.get_device_capability()
props = torch.cuda.get_device_properties(torch.cuda.current_device())
fits = 200 * 1024 <= props.shared_memory_per_block_optin
layout = cute.make_layout((major, minor + 1, 2 if fits else 4))
open = props.multi_processor_count
lost = props.some_other_number
";
    assert_eq!(values(text, "layout"), ["(_10,_1,_2):(_1,_0,_10)"]);
    assert!(values(text, "open")[0].starts_with("sm_count"));
    assert_eq!(values(text, "lost"), ["?"]);
}

#[test]
fn iterators_are_used_up() {
    let body = r"
it = iter((1, 2, 3, 4))
pairs = tuple(zip(it, it))
none = tuple(it)
squares = (v * v for v in (1, 2, 3))
first = next(squares)
rest = tuple(squares)
again = tuple(squares)
both = iter((1, 2, 3))
found = 2 in both
behind = tuple(both)
def inner(n):
    for i in range(n):
        yield i
    return 77
def outer(n):
    returned = yield from inner(n)
    yield returned
chained = tuple(outer(2))
counted = inner(3)
counted.send(None)
sent = tuple(counted)
";
    for (name, expected) in [
        ("pairs", "((_1,_2),(_3,_4))"),
        ("none", "()"),
        ("first", "_1"),
        ("rest", "(_4,_9)"),
        ("again", "()"),
        ("behind", "(_3)"),
    ] {
        assert_eq!(value(body, name), expected, "{name}");
    }
    assert_eq!(value(body, "chained"), "(_0,_1,_77)");
    assert_eq!(value(body, "sent"), "(_1,_2)");
}

#[test]
fn methods_of_lists_and_sets_change_them() {
    let body = r#"
sizes = [3, 1, 2]
sizes.sort(key=lambda n: -n)
down = tuple(sizes)
sizes.remove(1)
fewer = tuple(sizes)
stable = sorted([(1, 5), (2, 4), (1, 3)], key=lambda t: t[0], reverse=True)
ties = tuple(stable)
other = sizes
sizes *= 2
shared = tuple(other)
names = {1, 1, 2}
names.discard(2)
names.update([4, 1])
members = len(names)
table = {"a": 1, "b": 2}
table.popitem()
keys = len(table)
octal = int("20", 8)
last = [k for n in range(6) if (k := n * 3) % 2 == 0]
leaked = k
lost = [1, 2, 3]
lost.__setitem__(0, 5)
unknown = tuple(lost)
"#;
    for (name, expected) in [
        ("down", "(_3,_2,_1)"),
        ("fewer", "(_3,_2)"),
        ("ties", "((_2,_4),(_1,_5),(_1,_3))"),
        ("shared", "(_3,_2,_3,_2)"),
        ("members", "_2"),
        ("keys", "_1"),
        ("octal", "_16"),
        ("leaked", "_15"),
    ] {
        assert_eq!(value(body, name), expected, "{name}");
    }
    assert_eq!(value(body, "unknown"), "?");
}

#[test]
fn attributes_are_what_their_class_makes_of_them() {
    let text = r#"
import functools
import cutlass.cute as cute

class Doubled:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, it, owner=None):
        return it.hidden + 1
    def __set__(self, it, value):
        it.hidden = value * 2

class Tile:
    width = Doubled()
    calls = 0
    def __init__(self, m):
        self._m = m
    @property
    def m(self):
        return self._m
    @m.setter
    def m(self, value):
        self._m = value * 2
    @functools.cached_property
    def once(self):
        self.calls += 1
        return self._m
    def __iadd__(self, other):
        self._m += other
        return self
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self._m = 9

class Key:
    def __init__(self, n):
        self.n = n
    def __eq__(self, other):
        return self.n == other.n
    def __hash__(self):
        return self.n

@cute.jit
def traced():
    tile = Tile(4)
    before = tile.m
    tile.m = 7
    after = tile.m
    tile.width = 5
    width = tile.width
    first, second = tile.once, tile.once
    runs = tile.calls
    alias = tile
    tile += 3
    added = alias.m
    tile.extra = 1
    del tile.extra
    extra = hasattr(tile, "extra")
    with tile as inside:
        within = inside.m
    closed = tile.m
    different = len({Key(1), Key(1), Key(2)})
"#;
    for (name, expected) in [
        ("before", "_4"),
        ("after", "_14"),
        ("width", "_11"),
        ("runs", "_1"),
        ("added", "_17"),
        ("extra", "false"),
        ("within", "_17"),
        ("closed", "_9"),
        ("different", "_2"),
    ] {
        let found = values(text, name);
        assert_eq!(found, [expected], "{name}");
    }
}
