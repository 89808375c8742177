//! Python sources: values of names, and findings.

mod support;

use cute_analysis::Options;
use support::{analysed, annotated_in, findings_in};
use tree_sitter_cute::Host;

fn annotated(text: &str) -> String {
    annotated_in(Host::Python, text)
}

#[test]
fn layouts_are_made_with_the_words_of_the_dsl() {
    insta::assert_snapshot!(annotated(
        r"
import cutlass
import cutlass.cute as cute
from cutlass.cute import make_layout as ml, size

M, N = 128, 0x40
row = cute.make_layout((M, N), stride=(N, 1))
nested = ml(((2, 4), 8), stride=((1, 16), 2))
by_name = cute.make_layout(stride=(1, 8), shape=(8, 4))
ordered = cute.make_ordered_layout((4, 8, 2), order=(1, 0, 2))
same = cute.composition(lhs=row, rhs=ml(64))
rest = cute.complement(ml(4, stride=2), 32)
flat = cute.coalesce(ml((2, (1, 6)), stride=(1, (6, 2))))
tiles = cute.logical_divide(row, (32, None))
blocked = cute.blocked_product(ml((2, 2)), ml((3, 4)))
atom = cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))
shape = cute.tile_to_shape(atom, (128, 64), (0, 1))
tiler, tv = cute.make_layout_tv(cute.make_layout((4, 32), stride=(32, 1)), cute.make_layout((4, 4), stride=(4, 1)))
wide = cute.recast_layout(32, 16, ml((8, 4), stride=(1, 8)))
count = size(row)
first = cute.size(row, mode=[0])
last = row.shape[-1]
one = nested[0]
offset = row((2, 3))
blocks = cute.ceil_div((1000, M), (128, 3))
grouped = cute.group_modes(ml((2, 3, 4)), 1)
half = M // 3 % 5 ** 2
both = (M,) + (N, 2) * 2
inverse = cute.right_inverse(row)
column = cute.slice_(row, (None, 3))
bits = cutlass.Float16.width
missing = cute.make_something(row)
other = numpy.zeros(4)
ratio = M / 3
"
    ));
}

#[test]
fn names_are_found_through_imports_only() {
    insta::assert_snapshot!(annotated(
        r"
import cutlass
import cutlass.cute
from cutlass import cute as c
from elsewhere import make_layout
from .shared import make_layout as theirs
from cutlass.cute import *

whole = cutlass.cute.make_layout(4)
short = c.make_layout(4)
foreign = make_layout(4)
relative = theirs(4)
opened = coalesce(c.make_layout((2, 2)))

def shadowed():
    c = 4
    x = c.make_layout(4)

class cute:
    y = cute.make_layout(4)
"
    ));
}

#[test]
fn parameters_are_symbols_and_calls_are_instances() {
    insta::assert_snapshot!(annotated(
        r"
import cutlass
import cutlass.cute as cute

@cute.kernel
def kernel(gA: cute.Tensor, layout, n: cutlass.Int32, tile: cutlass.Constexpr[int], threads=128):
    tidx, _, _ = cute.arch.thread_idx()
    rows = cute.make_layout((n, tile))
    tiles = cute.logical_divide(layout, (tile, 8))
    per_thread = rows.shape[0] // threads
    gA[tidx, None] = 0

@cute.jit
def host(gA: cute.Tensor, m: int, tile: cutlass.Constexpr = 32):
    # cute: assume m % 8 == 0
    layout = cute.make_layout((m, 64), stride=(64, 1))
    kernel(gA, cute.make_layout((64, 16)), m, tile).launch(grid=(1, 1, 1), block=(128, 1, 1))
    padded = with_padding(layout, pad=8)

def with_padding(layout, *, pad):
    return cute.make_layout(layout.shape, stride=(layout.stride[0] + pad, 1))

def alone(shape, k: cutlass.Int64, cond: bool, alpha: cutlass.Float32):
    unknown = cute.make_layout(shape)
    known = cute.make_layout((k, 4))

host(None, 512)
"
    ));
}

#[test]
fn what_may_be_bound_in_several_ways_is_not_known() {
    insta::assert_snapshot!(annotated(
        r#"
import cutlass
import cutlass.cute as cute

DEBUG = True
COUNT = 4
COUNT = 8
TOTAL = 0

def add():
    global TOTAL
    TOTAL = 7

def f(n: cutlass.Int32, flag):
    x = cute.make_layout(4)
    y = 4
    if n > 3:
        x = cute.make_layout(8)
        only = 8
    else:
        x = cute.make_layout(16)
    after = cute.size(x)
    still = y
    if DEBUG:
        x = cute.make_layout(COUNT)
    else:
        x = 3
    taken = x
    for i in range(4):
        inside = cute.make_layout((y, 2))
        y += 1
        z = i * 2
    behind = y
    layout = cute.make_layout(2)
    while n > 0:
        layout = cute.make_layout(2)
        n -= 1
        if flag:
            break
    stays = layout
    modes = [0, 1]
    modes.append(2)
    changed = cute.make_layout((modes[0], TOTAL))
    if cutlass.const_expr(flag):
        return cute.make_layout(1)
    try:
        t = 4
    except ValueError as error:
        t = 5
    tried = t
    match n:
        case 4:
            m = 4
        case _:
            m = 4
    matched = m
    pick = lambda s, d=1: cute.make_layout(s, stride=d)
    picked = pick((4))
    print(f"{picked}", *modes, sep="")
    return x
"#
    ));
}

#[test]
fn wrong_calls_have_findings_with_what_the_dsl_does() {
    insta::assert_snapshot!(findings_in(
        Host::Python,
        r"
import cutlass
import cutlass.cute as cute

A = cute.make_layout((6, 2), stride=(1, 7))
silent = cute.composition(A, cute.make_layout((3, 2), stride=(2, 3)))
refused = cute.composition(rhs=cute.make_layout(3, stride=6), lhs=cute.make_layout((4, 3), stride=(3, 1)))
over = cute.logical_divide(cute.make_layout((10, 8)), (4, 5))
swizzle = cute.make_swizzle(3, 4, 2)
overlap = cute.complement(cute.make_layout((4, 4), stride=(1, 2)), 32)

def kernel(flag):
    if cutlass.const_expr(flag):
        maybe = cute.composition(A, cute.make_layout((3, 2), stride=(2, 3)))
    # cute: allow(over-covers)
    quiet = cute.logical_divide(cute.make_layout((10, 8)), (4, 5))
"
    ));
}

#[test]
fn an_illegal_swizzle_is_the_identity_that_the_dsl_makes_of_it() {
    let text = "import cutlass.cute as cute\ns = cute.make_swizzle(3, 4, 2)\no = s(1024)\n";
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let analysis = analysed(text, &options);
    let fact = analysis.facts.iter().find(|fact| &*fact.name == "o");
    assert_eq!(
        fact.map(|fact| fact.value.to_string()).as_deref(),
        Some("_1024")
    );
}

#[test]
fn what_stands_behind_a_list_is_of_its_elements() {
    let text = r"
import cutlass.cute as cute
launches: list[tuple[int, int]] = []  # (start, correlation)
pairs = [(1, 2)]  # (first, second)
shape = (4, 8)  # (rows, columns, batches)
";
    let found = analysed(
        text,
        &Options {
            host: Host::Python,
            ..Options::default()
        },
    );
    let rules: Vec<_> = found.findings.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["stale-shape-comment"]);
    assert!(found.findings[0].message.contains("shape"), "{found:?}");
}

#[test]
fn one_element_is_seen_as_the_first_of_its_halves() {
    insta::assert_snapshot!(findings_in(
        Host::Python,
        r"
import cutlass
import cutlass.cute as cute

@cute.jit
def f():
    one = cute.make_rmem_tensor((1,), cutlass.Int32)
    low = cute.recast_tensor(one, cutlass.BFloat16)
    apart = cute.make_rmem_tensor(cute.make_layout(4, stride=2), cutlass.Int32)
    lost = cute.recast_tensor(apart, cutlass.BFloat16)
"
    ));
}
