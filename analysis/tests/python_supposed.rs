//! Kernels of Python that nothing makes: how assertions change what is supposed of their arguments, and the sides of an
//! `if` that other arguments take.

mod support;

use std::sync::Arc;
use std::time::Duration;

use cute_analysis::{Analysis, Options, Shown, Work};
use support::analysed;
use tree_sitter_cute::Host;

fn analysis(text: &str) -> Analysis {
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    analysed(text, &options)
}

/// The values of a name with their instances.
fn values(text: &str, name: &str) -> Vec<(String, String)> {
    let analysis = analysis(text);
    let facts = analysis.facts.iter().filter(|fact| &*fact.name == name);
    facts
        .map(|fact| {
            let value = match fact.reason() {
                Some(reason) => format!("? {reason}"),
                None => fact.value.to_string(),
            };
            let instance = fact.instance.as_deref().unwrap_or_default();
            (value, instance.to_owned())
        })
        .collect()
}

/// The only value of a name and its instance.
fn value(text: &str, name: &str) -> (String, String) {
    let found = values(text, name);
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0].clone()
}

fn said(value: &str, instance: &str) -> (String, String) {
    (value.to_owned(), instance.to_owned())
}

#[test]
fn an_assertion_says_which_argument_a_supposed_object_has() {
    let text = r#"
from typing import Optional, Tuple
import cutlass
import cutlass.cute as cute

def padded(heads, least):
    assert heads <= 128
    return max(heads, least)

class Kernel:
    def __init__(self, tiler: Tuple[int, int, int], heads: int, gather: bool = True, pack: bool = False):
        self.tiler = tiler
        assert tiler[0] == 128 and tiler[2] == 256, "only 128 by 256"
        if gather:
            assert pack
        self.rows = padded(heads, least=32)
        assert self.rows == 64, f"one tile of rows, not {self.rows}"

    @cute.jit
    def __call__(
        self,
        mQ: cute.Tensor,  # (b, h, d)
        mdQ: cute.Tensor,  # == mQ, fp32
        mScale: Optional[cute.Tensor] = None,  # (b, h)
    ):
        assert mScale is not None
        self.dtype = mdQ.element_type
        assert self.dtype.width == 32
        tile = cute.make_layout((self.tiler[2], self.rows))
        part = cute.zipped_divide(mdQ, (1, self.rows, 8))
"#;
    let instance =
        "supposed: tiler=(128, 128, 256), heads=64, pack=True; mScale of BFloat16, mdQ of Float32";
    assert_eq!(value(text, "tile"), said("(_256,_64):(_1,_256)", instance));
    let (part, _) = value(text, "part");
    assert!(part.starts_with("gmem_ptr[32b]"), "{part}");
    assert!(
        part.contains("((_1,_64,_8),(b_2,(h_2+63)/64,(d_2+7)/8))"),
        "{part}"
    );
    assert!(analysis(text).findings.is_empty());
}

#[test]
fn an_assertion_that_no_argument_fulfils_ends_the_trace_and_is_no_finding() {
    let text = r"
import cutlass
import cutlass.cute as cute

class Kernel:
    def __init__(self, tile_m: int):
        self.tile_m = tile_m

    @cute.jit
    def __call__(self):
        before = cute.make_layout(self.tile_m)
        assert self.tile_m < 0
        behind = cute.make_layout(self.tile_m)
";
    assert_eq!(
        value(text, "before"),
        said("_128:_1", "supposed: tile_m=128")
    );
    let (behind, _) = value(text, "behind");
    assert!(behind.contains("the trace ends at"), "{behind}");
    assert!(analysis(text).findings.is_empty());
    // An object that is there is as it is: its assertion is not argued with.
    let made = format!("{text}\ncute.compile(Kernel(64))\n");
    assert_eq!(value(&made, "before").0, "_64:_1");
    assert!(value(&made, "behind").0.contains("the trace ends at"));
}

const SIDES: &str = r"
from typing import Optional
import cutlass
import cutlass.cute as cute
from cutlass import const_expr

class Kernel:
    def __init__(self, tile_m: int, causal: bool = False):
        self.tile_m = tile_m
        self.causal = causal

    @cute.jit
    def __call__(self, mQ: cute.Tensor, mIndex: Optional[cute.Tensor] = None):  # (rows)
        if const_expr(self.causal):
            masked = cute.make_layout((self.tile_m, 2))
        else:
            whole = cute.make_layout((self.tile_m, 4))
        common = cute.make_layout((self.tile_m, 8 if self.causal else 16))
        if const_expr(mIndex is not None):
            assert mIndex.element_type.width == 32
            gathered = cute.make_layout((self.tile_m, 32))
";

#[test]
fn the_side_of_an_if_that_a_supposed_object_does_not_take_is_that_of_another_one() {
    assert_eq!(
        value(SIDES, "whole"),
        said("(_128,_4):(_1,_128)", "supposed: tile_m=128")
    );
    assert_eq!(
        value(SIDES, "masked"),
        said("(_128,_2):(_1,_128)", "supposed: tile_m=128, causal=True")
    );
    assert_eq!(
        value(SIDES, "gathered"),
        said(
            "(_128,_32):(_1,_128)",
            "supposed: tile_m=128; mIndex of Int32"
        )
    );
    // What the first one says is not said again.
    assert_eq!(
        value(SIDES, "common"),
        said("(_128,_16):(_1,_128)", "supposed: tile_m=128")
    );
}

#[test]
fn a_supposed_object_tells_only_what_calls_that_are_there_leave_open() {
    let text = format!("{SIDES}\ncute.compile(Kernel(64), unknown)\n");
    assert_eq!(value(&text, "whole"), said("(_64,_4):(_1,_64)", ""));
    assert_eq!(value(&text, "common"), said("(_64,_16):(_1,_64)", ""));
    assert_eq!(
        value(&text, "masked"),
        said("(_128,_2):(_1,_128)", "supposed: tile_m=128, causal=True")
    );
    // An argument of which nothing is known leaves its side open.
    let text = format!("{SIDES}\ncute.compile(Kernel(64, option), unknown)\n");
    let common = values(&text, "common");
    assert!(
        common[0].0.starts_with('?') && common[0].1.is_empty(),
        "{common:?}"
    );
    assert_eq!(
        common[1],
        said("(_128,_16):(_1,_128)", "supposed: tile_m=128")
    );
}

#[test]
fn a_tensor_has_as_many_modes_as_its_kernel_puts_in_another_order_or_gives_an_index() {
    let text = r"
import cutlass.cute as cute

class Kernel:
    def __init__(self):
        self.tile = 64

    @cute.jit
    def __call__(self, mQ: cute.Tensor, mK: cute.Tensor, mO: cute.Tensor, mV: cute.Tensor):
        tensors = [cute.make_tensor(t.iterator, cute.select(t.layout, mode=[1, 2, 0])) for t in (mQ, mK)]
        query = cute.zipped_divide(tensors[0], (self.tile, 8))
        row = mO[None, 3]
        part = cute.select(mV.layout, mode=[2, 0])
        front = cute.select(mV.layout, mode=[0, 1])
";
    let (query, instance) = value(text, "query");
    assert!(
        query.contains("((_64,_8),((mQ_1+63)/64,(mQ_2+7)/8,mQ_0))"),
        "{query}"
    );
    assert_eq!(instance, "supposed");
    let (row, _) = value(text, "row");
    assert!(row.ends_with("(mO_0):(stride_mO_0)"), "{row}");
    // A part of the modes does not say how many there are.
    assert!(value(text, "part").0.starts_with('?'));
    assert!(value(text, "front").0.starts_with('?'));
}

#[test]
fn a_number_of_modes_that_the_dsl_refuses_is_not_supposed() {
    let text = r"
import cutlass.cute as cute

class Kernel:
    def __init__(self):
        self.tile = 64

    @cute.jit
    def __call__(self, mQ: cute.Tensor, mK: cute.Tensor):
        first = cute.make_layout((self.tile, mQ.shape), stride=(1, (64, 64, 64)))
        turned = cute.select(mQ.layout, mode=[1, 0])
        key = cute.zipped_divide(cute.make_tensor(mK.iterator, cute.select(mK.layout, mode=[1, 0])), (self.tile, 8))
";
    // Two modes of `mQ` would not be congruent with three strides.
    assert!(value(text, "first").0.starts_with('?'));
    assert!(value(text, "turned").0.starts_with('?'));
    assert!(
        value(text, "key")
            .0
            .contains("((_64,_8),((mK_1+63)/64,(mK_0+7)/8))")
    );
}

#[test]
fn a_static_function_of_a_class_that_compiles_its_kernel_is_run() {
    let text = r"
import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor

def cached(function):
    return lambda *args: function(*args)

class Kernel:
    def __init__(self, dtype, tile):
        self.tile = tile

    @cute.jit
    def __call__(self, mA, lengths):
        rows = cute.zipped_divide(mA, (self.tile, 8))

    def compile_one(self, dtype):
        return cute.compile(self, dtype)

    @staticmethod
    @cached
    def compile(dtype, seqlen_dtype, tile_m: int):
        n = cute.sym_int()
        a = make_fake_compact_tensor(dtype, (n, 64), stride_order=(1, 0))
        lengths = make_fake_compact_tensor(seqlen_dtype, (n,))
        return cute.compile(Kernel(dtype, tile_m), a, lengths)
";
    let (rows, instance) = value(text, "rows");
    assert!(rows.contains("((_128,_8),("), "{rows}");
    assert_eq!(
        instance,
        "supposed: compile(dtype=BFloat16, seqlen_dtype=Int32, tile_m=128)"
    );
}

/// A kernel whose assertion refuses what is supposed first, and one side of an `if` that its flag leaves out.
const TILED: &str = r"
import cutlass
import cutlass.cute as cute

class Kernel:
    def __init__(self, tile_m: int, wide: bool):
        self.tile_m = tile_m
        self.wide = wide
        assert tile_m == 64

    @cute.jit
    def __call__(self):
        tile = cute.make_layout((self.tile_m, 8))
        if cutlass.const_expr(self.wide):
            other = cute.make_layout((self.tile_m, 16))
";

/// Number of calls of functions, and the values of a text; of a first answer with what `before` says.
fn called(text: &str, before: Option<Shown>) -> (usize, Analysis) {
    let options = Options {
        host: Host::Python,
        remedies: false,
        shown: before.map(Arc::new),
        work: Work::counted(|| Duration::ZERO),
        ..Options::default()
    };
    let analysis = analysed(text, &options);
    (options.work.done().all_functions().count, analysis)
}

/// The values of a name, without what is not known.
fn known(analysis: &Analysis, name: &str) -> Vec<String> {
    let facts = analysis.facts.iter();
    let of_name = facts.filter(|fact| &*fact.name == name && fact.reason().is_none());
    of_name.map(|fact| fact.value.to_string()).collect()
}

#[test]
fn a_first_answer_about_an_edited_module_searches_for_no_arguments() {
    let (all, before) = called(TILED, None);
    assert!(known(&before, "tile").contains(&"(_64,_8):(_1,_64)".to_owned()));
    assert_eq!(known(&before, "other"), ["(_64,_16):(_1,_64)"]);
    let edited = TILED.replace("self.tile_m, 8", "self.tile_m, 4");
    let shown = Shown::of(&before, |_| true, |_| 0, Some);
    let (first, analysis) = called(&edited, Some(shown));
    // To find its arguments and its variant took more.
    assert!(first < all, "{first}, {all}");
    assert_eq!(known(&analysis, "tile"), ["(_64,_4):(_1,_64)"]);
    // The other side of the `if` follows with all.
    assert!(known(&analysis, "other").is_empty());
}

#[test]
fn a_first_answer_about_a_module_that_is_opened_supposes_what_names_and_types_say() {
    // The constructor refuses it.
    let (_, analysis) = called(TILED, Some(Shown::default()));
    assert!(known(&analysis, "tile").is_empty());
    let (_, analysis) = called(
        &TILED.replace("tile_m == 64", "tile_m > 64"),
        Some(Shown::default()),
    );
    assert_eq!(known(&analysis, "tile"), ["(_128,_8):(_1,_128)"]);
}

/// Two kernels with a number of the same name.
const TWO: &str = "
import cutlass
import cutlass.cute as cute

class First:
    def __init__(self, tile_m: int):
        self.tile_m = tile_m

    @cute.jit
    def __call__(self, rows: cutlass.Int32):
        one = cute.make_layout((self.tile_m, rows))

class Second:
    def __init__(self, tile_m: int):
        self.tile_m = tile_m

    @cute.jit
    def __call__(self, rows: cutlass.Int32):
        two = cute.make_layout((self.tile_m, rows))
";

#[test]
fn a_first_answer_runs_what_made_the_values_that_are_looked_at() {
    let (_, before) = called(TWO, None);
    assert_eq!(known(&before, "one"), ["(_128,rows):(_1,_128)"]);
    let edited = TWO.replace(
        "two = cute.make_layout((self",
        "two = cute.make_layout((4, self",
    );
    let (all, now) = called(&edited, None);
    // The other kernel makes two symbols of the same name: of its call, and of its search.
    assert_eq!(known(&now, "two"), ["(_4,_128,rows_3):(_1,_4,_512)"]);
    let at = TWO.find("two =").expect("it is there");
    let shown = Shown::of(&before, |byte| byte == at, |_| 0, Some);
    let (first, part) = called(&edited, Some(shown));
    assert_eq!(known(&part, "two"), known(&now, "two"));
    assert!(known(&part, "one").is_empty());
    assert!(first < all, "{first}, {all}");
}

#[test]
fn a_first_answer_about_a_module_that_is_opened_supposes_no_more_kernels_than_those_looked_at() {
    let at = TWO.find("one =").expect("it is there");
    let (first, part) = called(TWO, Some(Shown::looked_at(at..at + 3)));
    let (all, _) = called(TWO, None);
    assert_eq!(known(&part, "one"), ["(_128,rows):(_1,_128)"]);
    assert!(known(&part, "two").is_empty());
    assert!(first < all, "{first}, {all}");
    // What is outside of functions needs none of them.
    let (none, _) = called(TWO, Some(Shown::looked_at(1..7)));
    assert!(none < first, "{none}, {first}");
}

#[test]
fn a_tensor_of_which_the_kernel_asks_something_is_not_missing() {
    let text = r"
from typing import Optional
import cutlass.cute as cute

class Kernel:
    def __init__(self, tile_m: int):
        self.tile_m = tile_m

    @cute.jit
    def __call__(self, mQ: cute.Tensor, mMax: Optional[cute.Tensor] = None):  # (rows, columns)
        largest = cute.make_layout(self.tile_m, stride=mMax.element_type.width)
        never = mMax.no_such_member
        end = cute.make_layout(self.tile_m)
";
    let instance = "supposed: tile_m=128; mMax of BFloat16";
    assert_eq!(value(text, "largest"), said("_128:_16", instance));
    assert_eq!(value(text, "end"), said("_128:_1", instance));
    assert!(analysis(text).findings.is_empty());
    // What is given is what it is.
    let made = format!("{text}\ncute.compile(Kernel(64), unknown)\n");
    assert!(values(&made, "largest")[0].0.starts_with('?'));
    assert_eq!(value(&made, "end"), said("_64:_1", ""));
}
