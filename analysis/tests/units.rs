//! Law: the results of translation units for a header are the same whether they are evaluated for it alone or once for
//! all headers that are requested.

#![allow(clippy::expect_used)] // The texts are those below.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cute_analysis::{
    Analysis, Included, Options, Positions, Predefined, SourceFile, Sources, Units, analyse,
};
use tree_sitter_cute::tree::Include;
use tree_sitter_cute::{Budget, Host, Syntax};

/// Files in memory; those that end in `.cu` are translation units, and each includes every header. Those
/// in `library/` are a library's.
struct Files {
    all: BTreeMap<PathBuf, Arc<SourceFile>>,
    together: Option<Units>,
    /// Number of reads of a unit: its predefined macros are requested first.
    readings: AtomicUsize,
}

impl Files {
    fn of(texts: &[(&str, &str)], together: bool) -> Self {
        let positions = Positions::default();
        let read = |(name, text): &(&str, &str)| {
            let file = if name.starts_with("library/") {
                let time = Duration::from_secs(10);
                SourceFile::of_library(*name, *text, Host::CudaCpp, time, &positions)
            } else {
                SourceFile::other(*name, *text, lowered(text), &positions)
            };
            (PathBuf::from(name), Arc::new(file))
        };
        let all: BTreeMap<PathBuf, Arc<SourceFile>> = texts.iter().map(read).collect();
        let headers = all.keys().filter(|path| is_header(path)).cloned();
        let together = together.then(|| Units::for_headers(headers));
        Self {
            all,
            together,
            readings: AtomicUsize::new(0),
        }
    }

    fn analysed(&self, name: &str, text: &str) -> Analysis {
        let file = SourceFile::analysed(name, text, lowered(text));
        analyse(&file, self, &Options::default())
    }
}

impl Sources for Files {
    fn include(&self, _: &SourceFile, include: &Include) -> Included {
        let path = PathBuf::from(&include.path.name);
        let file = self.all.get(&path).cloned();
        file.map_or(Included::Known, Included::File)
    }

    fn users(&self, file: &SourceFile) -> Vec<Arc<SourceFile>> {
        let units = self.all.iter().filter(|(path, _)| !is_header(path));
        let units = units.map(|(_, unit)| Arc::clone(unit));
        units.filter(|_| is_header(file.path())).collect()
    }

    fn predefined(&self, file: &SourceFile) -> Vec<Predefined> {
        if !is_header(file.path()) {
            self.readings.fetch_add(1, Ordering::Relaxed);
        }
        Vec::new()
    }

    fn units(&self) -> Option<&(dyn std::any::Any + Send + Sync)> {
        Some(self.together.as_ref()?)
    }
}

fn is_header(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|ending| ending == "h")
}

fn lowered(text: &str) -> tree_sitter_cute::tree::Unit {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited());
    syntax.expect("parsed").lower(text)
}

/// A header that is used through another one, by functions, by classes and by a plain function of it;
/// findings, budgets and preconditions in some of them; facts that hold in one of them; an odd length
/// before each, so that no two places agree.
const PROJECT: [(&str, &str); 6] = [
    (
        "tile.h",
        "#pragma once
#include <cute/tensor.hpp>
using namespace cute;
template <int N> struct Tile {
  using Whole = Layout<Shape<Int<N>, _8>>;
  static constexpr auto kCut = logical_divide(Layout<Int<N>>{}, Int<4>{});
  template <class T> CUTE_HOST_DEVICE static auto with(T rest) { auto l = make_layout(make_shape(Int<N>{}, rest)); return l; }
};
// cute: assume K % 8 == 0
template <class T> CUTE_HOST_DEVICE auto pair(T t, int K) {
  auto p = make_layout(make_shape(t, K));
  auto q = logical_divide(p, make_tile(_2{}, _8{}));
  return composition(q, make_layout(_4{}));
}
",
    ),
    (
        "middle.h",
        "#pragma once
// Leads to tile.h.
#include \"tile.h\"
CUTE_HOST_DEVICE void plain(int K) {
  auto twelve = pair(_12{}, K);
}
struct Plain {
  CUTE_HOST_DEVICE void method(int K) { auto inner = pair(_20{}, K); }
};
template <class T> CUTE_HOST_DEVICE auto through(int n) {
  auto whole = typename T::Whole{};
  auto more = T::with(_3{});
  return pair(whole, n);
}
",
    ),
    (
        "kernel.h",
        "#pragma once
// Another comment, so that lines differ.

#include \"middle.h\"
template <class T> struct Storage { cute::array_aligned<half_t, cosize_v<typename T::Whole>> data; };
template <class T> __global__ void kernel(half_t* out) {
  extern __shared__ char memory[];
  auto& storage = *reinterpret_cast<Storage<T>*>(memory);
  Tensor s = make_tensor(make_smem_ptr(storage.data.data()), typename T::Whole{});
  Tensor g = make_tensor(make_gmem_ptr(out), typename T::Whole{});
  copy(s, g);
  auto used = through<T>(threadIdx.x);
  auto bad = composition(make_layout(_6{}, _4{}), make_layout(_4{}, _4{}));
}
",
    ),
    ("unused.h", "#pragma once\n#include \"tile.h\"\nauto alone = pair(_7{}, 5);\n"),
    (
        "one.cu",
        "#include \"kernel.h\"
void run() { kernel<Tile<16>><<<1, 32>>>(nullptr); Plain p; p.method(3); }
",
    ),
    (
        "two.cu",
        "#include \"kernel.h\"
#include \"unused.h\"
void launch() {
  kernel<Tile<16>><<<1, 32>>>(nullptr);
  kernel<Tile<10>><<<1, 64>>>(nullptr); plain(7);
}
",
    ),
];

#[test]
fn headers_that_are_asked_for_together_are_what_each_is_alone() {
    let (alone, together) = (Files::of(&PROJECT, false), Files::of(&PROJECT, true));
    let mut seen = Analysis::default();
    for (name, text) in PROJECT {
        let (one, other) = (alone.analysed(name, text), together.analysed(name, text));
        assert_eq!(one.facts, other.facts, "{name}");
        assert_eq!(one.mentions(), other.mentions(), "{name}");
        assert_eq!(one.findings, other.findings, "{name}");
        assert_eq!(one.preconditions, other.preconditions, "{name}");
        assert_eq!(one.notes, other.notes, "{name}");
        assert_eq!(one.budgets, other.budgets, "{name}");
        assert_eq!(one.nominals, other.nominals, "{name}");
        assert_eq!(one.files, other.files, "{name}");
        assert_eq!(one.inclusions, other.inclusions, "{name}");
        assert_eq!(one.words(), other.words(), "{name}");
        assert!(one == other, "{name}");
        if is_header(name.as_ref()) {
            seen.facts.extend(one.facts);
            seen.findings.extend(one.findings);
            seen.budgets.extend(one.budgets);
            seen.notes.extend(one.notes);
        }
    }
    // There was something to compare: instances through other headers, findings, budgets, notes.
    let is_through = |instance: &&str| instance.contains(", from ");
    let instances = seen.facts.iter().filter_map(|it| it.instance.as_deref());
    assert!(instances.clone().filter(is_through).count() > 4, "{seen:?}");
    assert!(instances.clone().any(|it| it.contains("kernel.h:12")));
    assert!(seen.findings.len() > 1, "{:?}", seen.findings);
    assert!(!seen.budgets.is_empty() && !seen.notes.is_empty());
}

#[test]
fn a_header_that_changed_since_is_evaluated_for_itself() {
    let files = Files::of(&PROJECT, true);
    let text = PROJECT[0]
        .1
        .replace("p = make_layout", "renamed = make_layout");
    let changed = files.analysed("tile.h", &text.replace("(p,", "(renamed,"));
    let fact = changed.facts.iter().find(|fact| &*fact.name == "renamed");
    assert!(fact.is_some_and(|fact| !fact.value.to_string().contains('?')));
    assert!(changed.facts.iter().all(|fact| &*fact.name != "p"));
}

/// A kernel in a header that only a method outside of its class leads to.
#[test]
fn a_method_outside_of_its_class_leads_to_a_header_as_one_inside() {
    let kernel = "#pragma once
#include <cute/tensor.hpp>
template <class T> struct Kernel { CUTE_HOST_DEVICE void operator()() { auto l = cute::make_layout(typename T::S{}); } };
template <int N> struct Builder { using S = cute::Shape<cute::Int<N>, cute::_4>; };
template <class T> void launch() { Kernel<T> kernel; kernel(); }
";
    let inside = "#include \"kernel.h\"
template <class T> struct Runner { void go() { launch<Builder<8>>(); } };
template struct Runner<float>;
";
    let outside = "#include \"kernel.h\"
template <class T> struct Runner { void go(); };
template <class T> void Runner<T>::go() { launch<Builder<8>>(); }
template struct Runner<float>;
";
    // Nothing makes an instance of the class.
    let never = outside.replace("template struct Runner<float>;", "");
    for (unit, expected) in [
        (inside, &["(_8,_4):(_1,_8)"][..]),
        (outside, &["(_8,_4):(_1,_8)"]),
        (&never, &["?"]),
    ] {
        for together in [false, true] {
            let files = Files::of(&[("kernel.h", kernel), ("one.cu", unit)], together);
            let analysis = files.analysed("kernel.h", kernel);
            let facts = analysis.facts.iter();
            let facts = facts.filter(|fact| &*fact.name == "l" && !fact.is_supposed());
            let values: Vec<String> = facts.map(|fact| fact.value.to_string()).collect();
            assert_eq!(values, expected, "{together} {unit}");
        }
    }
}

#[test]
fn what_is_asked_for_twice_is_there_twice() {
    let files = Files::of(&PROJECT, true);
    for (name, text) in PROJECT {
        let (one, again) = (files.analysed(name, text), files.analysed(name, text));
        assert!(one == again, "{name}");
    }
}

#[test]
fn units_are_evaluated_once_for_all_headers() {
    // A remedy is another text, which is evaluated for itself.
    let options = Options {
        remedies: false,
        ..Options::default()
    };
    let readings = |together| {
        let files = Files::of(&PROJECT, together);
        for (name, text) in PROJECT {
            if is_header(name.as_ref()) {
                analyse(
                    &SourceFile::analysed(name, text, lowered(text)),
                    &files,
                    &options,
                );
            }
        }
        files.readings.into_inner()
    };
    // Four headers, each in two units; and the two units.
    assert_eq!((readings(false), readings(true)), (8, 2));
}

#[test]
fn a_header_of_a_library_is_what_it_is_alone() {
    let project = [
        (
            "library/atom.h",
            "#pragma once
#include <cute/tensor.hpp>
namespace cute {
template <class T> CUTE_HOST_DEVICE auto column(T t) { auto c = make_layout(make_shape(t, _2{})); return c; }
}
",
        ),
        (
            "tile.h",
            "#pragma once
#include \"library/atom.h\"
template <class T> CUTE_HOST_DEVICE auto tile(T t) { auto p = cute::column(t); return p; }
",
        ),
        ("one.cu", "#include \"tile.h\"\nvoid run() { auto four = tile(cute::_4{}); }\n"),
    ];
    let (alone, together) = (Files::of(&project, false), Files::of(&project, true));
    for (name, text) in project {
        let (one, other) = (alone.analysed(name, text), together.analysed(name, text));
        assert!(one == other, "{name}: {:?} {:?}", one.facts, other.facts);
        let is_concrete = |fact: &cute_analysis::Fact| fact.value.to_string().contains("_4");
        assert!(
            other.facts.iter().any(is_concrete),
            "{name}: {:?}",
            other.facts
        );
    }
}

#[test]
fn findings_are_the_same_where_only_they_are_asked_for() {
    let lean = Options {
        only_findings: true,
        ..Options::default()
    };
    // A division is not a finding where coordinates are divided in the same way: uses of names say so.
    let predicated = |tiler: &str| {
        format!(
            "#include \"tile.h\"
template <class T> __global__ void divided(T* out) {{
  Tensor mA = make_tensor(make_gmem_ptr(out), make_shape(Int<10>{{}}, Int<8>{{}}));
  auto cA = local_tile(make_identity_tensor(shape(mA)), make_tile({tiler}, Int<8>{{}}), make_coord(_, 0));
  auto gA = local_tile(mA, make_tile(Int<4>{{}}, Int<8>{{}}), make_coord(_, 0));
  static_assert(size(Layout<_8>{{}}) == 9);
}}
void run() {{ divided<float><<<1, 1>>>(nullptr); }}
"
        )
    };
    let (good, bad) = (predicated("Int<4>{}"), predicated("Int<5>{}"));
    let mut project = PROJECT.to_vec();
    project.extend([("good.cu", good.as_str()), ("bad.cu", bad.as_str())]);
    for together in [false, true] {
        let (full, files) = (Files::of(&project, together), Files::of(&project, together));
        let mut rules = Vec::new();
        for (name, text) in &project {
            let file = SourceFile::analysed(*name, *text, lowered(text));
            let found = analyse(&file, &files, &lean).findings;
            assert_eq!(full.analysed(name, text).findings, found, "{name}");
            rules.extend(found.into_iter().map(|finding| (*name, finding.rule)));
        }
        assert!(rules.contains(&("bad.cu", "over-covers")), "{rules:?}");
        assert!(!rules.contains(&("good.cu", "over-covers")), "{rules:?}");
        assert!(rules.contains(&("good.cu", "static-assert-fails")));
    }
}

#[test]
fn what_findings_do_not_depend_on_is_left_out_where_only_they_are_asked_for() {
    let lean = Options {
        only_findings: true,
        ..Options::default()
    };
    let files = Files::of(&PROJECT, true);
    let text = "#include \"tile.h\"\nvoid f() { auto l = make_layout(_8{}); auto m = l; }\n";
    let file = SourceFile::analysed("other.cu", text, lowered(text));
    let analysis = analyse(&file, &files, &lean);
    assert_eq!(analysis.findings, []);
    assert!(analysis.mentions().is_empty() && analysis.words().is_empty());
    assert!(!files.analysed("other.cu", text).mentions().is_empty());
}

#[test]
fn a_header_that_a_library_includes_in_a_branch_is_what_it_is_alone() {
    let project = [
        (
            "library/all.h",
            "#pragma once
#if !defined(LIBRARY_IS_SMALL)
#include \"library/more.h\"
#endif
",
        ),
        (
            "library/more.h",
            "#pragma once
#include <cute/tensor.hpp>
#if !defined(LIBRARY_IS_SMALL)
#include \"brick.h\"
#endif
#if defined(LIBRARY_IS_SMALL)
#include \"small.h\"
#endif
",
        ),
        (
            "brick.h",
            "#pragma once
template <int N> struct Brick { using Whole = cute::Layout<cute::Shape<cute::Int<N>, cute::_8>>; };
",
        ),
        (
            "small.h",
            "#pragma once
template <int N> struct Small { using Whole = cute::Layout<cute::Shape<cute::Int<N>, cute::_2>>; };
",
        ),
        (
            "one.cu",
            "#include \"library/all.h\"\nvoid run() { auto four = typename Brick<4>::Whole{}; }\n",
        ),
    ];
    let (alone, together) = (Files::of(&project, false), Files::of(&project, true));
    for (name, text) in project {
        let (one, other) = (alone.analysed(name, text), together.analysed(name, text));
        assert_eq!(one.facts, other.facts, "{name}");
    }
    let facts = together.analysed("brick.h", project[2].1).facts;
    let values: Vec<String> = facts.iter().map(|fact| fact.value.to_string()).collect();
    assert!(values.contains(&"(_4,_8):(_1,_4)".to_owned()), "{values:?}");
}

#[test]
fn a_kernel_of_a_library_calls_what_another_header_of_it_has() {
    let project = [
        (
            "library/kernel.h",
            "#pragma once
namespace library {
template <class Loop> struct Kernel {
  struct Params { int m; };
  void operator()(Params const& params) {
    Loop loop;
    auto whole = cute::make_layout(cute::make_shape(params.m, cute::_64{}));
    loop.load(whole);
  }
};
}
",
        ),
        (
            "library/loop.h",
            "#pragma once
namespace library {
template <int N> struct Loop {
  template <class L> auto load(L whole) { auto tiles = cute::zipped_divide(whole, cute::make_shape(cute::_1{}, cute::Int<N>{})); return tiles; }
};
}
",
        ),
        (
            "one.cu",
            "#include <cute/tensor.hpp>
#include \"library/loop.h\"
#include \"library/kernel.h\"
template <class K> __global__ void device_kernel(typename K::Params const params) { K kernel; kernel(params); }
void run(int m) { device_kernel<library::Kernel<library::Loop<16>>><<<1, 32>>>({m}); }
",
        ),
    ];
    for together in [false, true] {
        let files = Files::of(&project, together);
        let facts = files.analysed("library/loop.h", project[1].1).facts;
        let tiles = facts.iter().filter(|fact| &*fact.name == "tiles");
        let values: Vec<String> = tiles.map(|fact| fact.value.to_string()).collect();
        let has_numbers = |value: &String| value.contains("(_1,_16)") && value.contains(",_4)");
        assert!(values.iter().any(has_numbers), "{together} {values:?}");
    }
}

#[test]
fn a_kernel_of_a_library_calls_what_a_base_of_its_collective_has() {
    let project = [
        (
            "library/kernel.h",
            "#pragma once
namespace library {
template <class Loop> struct Kernel {
  struct Params { typename Loop::Extent m; };
  void operator()(Params const& params) {
    Loop loop;
    loop.run(cute::make_layout(cute::make_shape(params.m, cute::_64{})));
  }
};
}
",
        ),
        (
            "library/loop.h",
            "#pragma once
namespace library {
template <int N> struct Loop {
  using Extent = int;
  template <class L> auto operator()(L whole) { auto tiles = cute::zipped_divide(whole, cute::make_shape(cute::_1{}, cute::Int<N>{})); return tiles; }
};
}
",
        ),
        (
            "library/adapter.h",
            "#pragma once
namespace library {
template <class Base> struct Adapter : Base {
  template <class L> auto run(L whole) { return (*this)(whole); }
};
template <int N> struct Named : Adapter<Loop<N>> {};
}
",
        ),
        (
            "one.cu",
            "#include <cute/tensor.hpp>
#include \"library/loop.h\"
#include \"library/adapter.h\"
#include \"library/kernel.h\"
template <class K> __global__ void device_kernel(typename K::Params const params) { K kernel; kernel(params); }
using Kernel = library::Kernel<library::Named<16>>;
void run(int m) { library::Loop<1> mentioned; typename Kernel::Params params{m}; device_kernel<Kernel><<<1, 32>>>(params); }
",
        ),
    ];
    for together in [false, true] {
        let files = Files::of(&project, together);
        let facts = files.analysed("library/loop.h", project[1].1).facts;
        let tiles = facts.iter().filter(|fact| &*fact.name == "tiles");
        let values: Vec<String> = tiles.map(|fact| fact.value.to_string()).collect();
        let has_numbers = |value: &String| value.contains("(_1,_16)") && value.contains(",_4)");
        assert!(values.iter().any(has_numbers), "{together} {values:?}");
    }
}

#[test]
fn a_class_of_a_library_is_followed_into_the_classes_of_the_sources_that_it_is_given() {
    let project = [
        (
            "library/kernel.h",
            "#pragma once
#include <cute/tensor.hpp>
namespace lib {
template <class Visitors> struct Tree { Visitors visitors; };
template <class Tree> struct Epilogue {
  Tree tree;
  template <class T> CUTE_DEVICE void store(T const& t) { auto made = cute::get<0>(tree.visitors).made(t); }
};
template <class E> struct Kernel {
  E epilogue;
  CUTE_DEVICE void operator()(int m) { epilogue.store(cute::make_layout(cute::make_shape(m, cute::_8{}))); }
};
template <class K> struct Adapter {
  static void run(int m) { K kernel; kernel(m); }
};
}
",
        ),
        (
            "visitor.h",
            "#pragma once
#include \"library/kernel.h\"
struct Visitor {
  template <class T> CUTE_DEVICE auto made(T const& t) {
    auto rows = cute::logical_divide(t, cute::Shape<cute::_4>{});
    return rows;
  }
};
",
        ),
        (
            "one.cu",
            "#include \"visitor.h\"
void run(int m) {
  lib::Adapter<lib::Kernel<lib::Epilogue<lib::Tree<cute::tuple<Visitor>>>>> adapter;
  adapter.run(m);
}
",
        ),
    ];
    let (alone, together) = (Files::of(&project, false), Files::of(&project, true));
    let (name, text) = project[1];
    let (one, other) = (alone.analysed(name, text), together.analysed(name, text));
    assert!(one == other, "{:?} {:?}", one.facts, other.facts);
    let mut facts = one.facts.iter().filter(|fact| &*fact.name == "rows");
    let is_known = |fact: &cute_analysis::Fact| fact.value.to_string().contains("_8)");
    assert!(facts.any(is_known), "{:?}", one.facts);
}

#[test]
fn what_functions_of_a_header_do_in_a_kernel_is_told_at_their_calls() {
    let header = "#pragma once\n\
        __device__ inline void put(float* s, float x) { s[threadIdx.x] = x; }\n\
        __device__ inline float get(float* s) { return s[blockDim.x - 1 - threadIdx.x]; }\n";
    let unit = |room: usize, between: &str| {
        format!(
            "#include \"parts.h\"\n\
             __global__ void kernel(float* out) {{\n  \
               __shared__ float s[{room}];\n  \
               put(s, 1.f);{between}\n  \
               out[threadIdx.x] = get(s);\n}}\n\
             void launch(float* out) {{ kernel<<<1, 64>>>(out); }}\n"
        )
    };
    let said = |room: usize, between: &str| {
        let text = unit(room, between);
        let files = Files::of(&[("parts.h", header), ("unit.cu", &text)], false);
        assert_eq!(files.analysed("parts.h", header).findings, []);
        let told = files.analysed("unit.cu", &text).findings.into_iter();
        told.map(|finding| {
            assert!(
                finding
                    .related
                    .iter()
                    .all(|related| related.span.end <= text.len())
            );
            let place = text
                .get(finding.span.start..finding.span.end)
                .unwrap_or_default();
            format!("{place}: {}", finding.message)
        })
        .collect::<Vec<String>>()
    };
    assert_eq!(
        said(64, ""),
        [
            "get(s): thread (63,0,0) writes byte 252 of `s`, thread (0,0,0) reads it: no barrier, \
          the access at parts.h:3, written at parts.h:2"
        ]
    );
    assert_eq!(
        said(32, " __syncthreads();"),
        [
            "put(s, 1.f): thread (32,0,0) writes 4 bytes at byte 128 of `s`, which has 128, the access at parts.h:2",
            "get(s): thread (0,0,0) reads 4 bytes at byte 252 of `s`, which has 128, the access at parts.h:3",
        ]
    );
    assert_eq!(said(64, " __syncthreads();"), [""; 0]);
}
