//! A refusal is reported wherever it is instantiated, and nowhere else.

mod macros;
mod members;
mod namings;

use cute_analysis::{Analysis, Options, Severity};

use crate::support::analysed;

fn rules(text: &str) -> Vec<String> {
    let analysis = analysed(
        &format!("using namespace cute;\n{text}"),
        &Options::default(),
    );
    let mut rules: Vec<String> = analysis
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Information)
        .map(|finding| finding.rule.to_owned())
        .collect();
    rules.sort();
    rules
}

/// The values of a name, one for each instance that a source makes of what it is declared in.
fn instances(analysis: &Analysis, name: &str) -> Vec<String> {
    let facts = analysis.facts.iter();
    let named = facts.filter(|fact| &*fact.name == name && !fact.is_supposed());
    named.map(|fact| fact.value.to_string()).collect()
}

/// Two overloads of which the narrower one is called, with a kernel that only it calls rightly.
fn overloads(narrow: &str, wide: &str) -> String {
    format!(
        "template <class L, class T> __global__ void kernel(T const* p, L layout) {{
  CUTE_STATIC_ASSERT_V(size(layout) == Int<64>{{}});
}}
template <class Alpha>
void go(Alpha a, half_t const* p) {{ kernel<<<1, 32>>>(p, make_layout(Int<{narrow}>{{}})); }}
template <class T, class Alpha>
void go(Alpha a, T const* p) {{ kernel<<<1, 32>>>(p, make_layout(Int<{wide}>{{}})); }}
template <class T> void gemm(T const* p) {{ go(1.0f, p); }}
int main() {{ half_t const* p = nullptr; gemm(p); }}
"
    )
}

#[test]
fn the_overload_that_is_called_is_an_instance_and_the_other_is_none() {
    assert_eq!(rules(&overloads("32", "64")), ["static-assert-fails"]);
    assert_eq!(rules(&overloads("64", "32")), [""; 0]);
    let text = format!("using namespace cute;\n{}", overloads("64", "32"));
    let analysis = analysed(&text, &Options::default());
    assert_eq!(instances(&analysis, "layout"), ["_64:_1"]);
}

#[test]
fn partial_ordering_looks_at_all_parameters() {
    let overloads = |first: &str, second: &str, call: &str| {
        format!(
            "template <class T> __global__ void k(T t) {{ CUTE_STATIC_ASSERT_V(size(t) == Int<1>{{}}); }}
template <class A, class B> void go({first}) {{ k<<<1, 1>>>(Layout<_1>{{}}); }}
template <class A, class B> void go({second}) {{ k<<<1, 1>>>(Layout<_2>{{}}); }}
void host(float* f, half_t const* h) {{ {call} }}
"
        )
    };
    let narrower = overloads("A const* a, B* b", "A a, B b", "go(h, f);");
    assert_eq!(rules(&narrower), [""; 0]);
    let narrower = overloads("A a, B b", "A const* a, B* b", "go(h, f);");
    assert_eq!(rules(&narrower), ["static-assert-fails"]);
    // Neither takes all that the other takes: the call does not compile, and which is meant is not guessed.
    let neither = overloads("A* a, B b", "A a, B* b", "go(f, f);");
    assert_eq!(rules(&neither), [""; 0]);
}

const ILLEGAL: &str = "composition(Swizzle<4,3,3>{}, Layout<Shape<_8,_32>,Stride<_32,_1>>{})";

#[test]
fn what_decltype_is_given_is_refused_as_elsewhere() {
    for text in [
        format!("using A = decltype({ILLEGAL});"),
        format!("struct C {{ using A = decltype({ILLEGAL}); }};"),
        format!("void f() {{ using A = decltype({ILLEGAL}); }}"),
        format!("void f() {{ decltype({ILLEGAL}) a; }}"),
        format!(
            "template <int B> struct C {{ using A = decltype({ILLEGAL}); }};
template <class K> __global__ void k() {{ typename K::A a; }}
int main() {{ k<C<64>><<<1,1>>>(); }}"
        ),
        format!(
            "template <int B> struct C {{ using A = decltype({ILLEGAL}); }}; using X = C<1>::A;"
        ),
    ] {
        assert_eq!(rules(&text), ["swizzle-illegal"], "{text}");
    }
    let legal = ILLEGAL.replace("4,3,3", "3,3,3");
    assert_eq!(rules(&format!("using A = decltype({legal});")), [""; 0]);
}

#[test]
fn numbers_that_decltype_is_given_are_placeholders() {
    // The extents of a tensor in `decltype` are often 0; its type is the same for all.
    let tma = |extent: &str| {
        format!(
            "make_tma_copy(SM90_TMA_LOAD{{}}, make_tensor(make_gmem_ptr((half_t*)nullptr), \
             make_shape({extent}, {extent}), make_stride({extent}, Int<1>{{}})), \
             GMMA::Layout_K_SW128_Atom<half_t>{{}}, Shape<_8, _64>{{}}, _1{{}})"
        )
    };
    assert_eq!(
        rules(&format!("using T = decltype({});", tma("0"))),
        [""; 0]
    );
    assert_eq!(
        rules(&format!("void f() {{ auto t = {}; }}", tma("0"))),
        ["tma-dimension"]
    );
}

#[test]
fn a_class_that_is_instantiated_asserts() {
    let with = |number: &str| {
        format!(
            "template <int B> struct C {{ static_assert(B % 48 == 0); using A = Layout<Int<B>>; }};
template <class K> __global__ void k() {{ typename K::A a; }}
int main() {{ k<C<{number}>><<<1,1>>>(); }}"
        )
    };
    assert_eq!(rules(&with("64")), ["static-assert-fails"]);
    assert_eq!(rules(&with("96")), [""; 0]);
    assert_eq!(
        rules("constexpr int k = 4;\nstatic_assert(k == 5);"),
        ["static-assert-fails"]
    );
    // Unsigned numbers are not below 0, and what is only named asserts nothing.
    assert_eq!(
        rules("template <unsigned N> struct C { static_assert(N - 65 > 0); }; C<64> c;"),
        [""; 0]
    );
    assert_eq!(
        rules("template <int B> struct C { static_assert(B == 1); }; using X = C<2>;"),
        [""; 0]
    );
}

#[test]
fn a_class_that_is_only_named_has_no_instance() {
    let text = "using namespace cute;
template <int N> struct NeverUsed { using A = Layout<Shape<Int<N>, _4>>; };
template <int N> struct Used { using A = Layout<Shape<Int<N>, _8>>; };
template <int Arch> void run() {
  using T = std::conditional_t<Arch >= 90, Used<32>, NeverUsed<32>>;
  auto l = typename T::A{};
}
void go() { run<90>(); }
";
    let analysis = analysed(text, &Options::default());
    assert_eq!(
        instances(&analysis, "A"),
        ["(N,_4):(_1,N)", "(_32,_8):(_1,_32)"]
    );
    let other = analysed(&text.replace("run<90>", "run<80>"), &Options::default());
    assert_eq!(
        instances(&other, "A"),
        ["(_32,_4):(_1,_32)", "(N,_8):(_1,N)"]
    );
}

#[test]
fn a_template_that_nothing_instantiates_makes_no_instances_of_one_that_has_some() {
    let text = "using namespace cute;
template <class T> __global__ void kernel(T t) { auto tile = t; }
template <class T> void never(T t) { kernel<<<1, 1>>>(make_layout(Int<8>{})); }
void host() { kernel<<<1, 1>>>(make_layout(Int<4>{})); }
";
    let analysis = analysed(text, &Options::default());
    assert_eq!(instances(&analysis, "tile"), ["_4:_1"]);
    let alone = text.replace(
        "void host() { kernel<<<1, 1>>>(make_layout(Int<4>{})); }",
        "",
    );
    let analysis = analysed(&alone, &Options::default());
    assert_eq!(instances(&analysis, "tile"), ["_8:_1"]);
}

/// A TMA copy of a tensor of `strides` into a layout of shared memory.
fn tma(strides: &str, shared: &str) -> String {
    format!(
        "void host(half_t const* A, int M, int K, int ldA) {{
  Tensor mA = make_tensor(A, make_shape(M, K), make_stride({strides}));
  auto tma = make_tma_atom(SM90_TMA_LOAD{{}}, mA, tile_to_shape({shared}, Shape<_128, _64>{{}}), Shape<_128, _64>{{}});
}}
"
    )
}

#[test]
fn tma_reads_and_writes_along_the_same_mode() {
    let (k, mn) = (
        "GMMA::Layout_K_SW128_Atom<half_t>{}",
        "GMMA::Layout_MN_SW128_Atom<half_t>{}",
    );
    assert_eq!(rules(&tma("ldA, Int<1>{}", mn)), ["tma-major"]);
    assert_eq!(rules(&tma("Int<1>{}, ldA", k)), ["tma-major"]);
    assert_eq!(rules(&tma("ldA, Int<1>{}", k)), [""; 0]);
    assert_eq!(rules(&tma("Int<1>{}, ldA", mn)), [""; 0]);
    // Where both strides are known only at run time, one of them has to be 1.
    let text = format!("using namespace cute;\n{}", tma("ldA, K", mn));
    let analysis = analysed(&text, &Options::default());
    assert_eq!(analysis.findings, []);
    let needs: Vec<&str> = analysis
        .preconditions
        .iter()
        .filter_map(|need| need.message.split(" (").next())
        .collect();
    assert!(needs.contains(&"ldA == 1"), "{needs:?}");
    assert!(!needs.contains(&"ldA % 8 == 0"), "{needs:?}");
    assert!(needs.contains(&"K % 8 == 0"), "{needs:?}");
}

#[test]
fn rules_of_descriptors_are_findings_with_their_numbers() {
    let box_of = |rows: &str| {
        format!(
            "using namespace cute;
void host(half_t const* A, int M, int K) {{
  Tensor mA = make_tensor(A, make_shape(M, K), make_stride(K, Int<1>{{}}));
  auto tma = make_tma_atom(SM90_TMA_LOAD{{}}, mA, make_layout(Shape<Int<{rows}>, _64>{{}}, GenRowMajor{{}}), Shape<Int<{rows}>, _64>{{}});
}}
"
        )
    };
    let analysis = analysed(&box_of("512"), &Options::default());
    let found: Vec<_> = analysis.findings.iter().map(|found| found.rule).collect();
    assert_eq!(found, ["tma-box"]);
    let message = analysis
        .findings
        .first()
        .map(|found| found.message.as_str());
    assert!(message.is_some_and(|message| message.contains("512 elements")));
    assert_eq!(analysed(&box_of("256"), &Options::default()).findings, []);
}

#[test]
fn cp_async_has_three_widths() {
    let copy = |cache: &str, element: &str| {
        format!(
            "__global__ void k({element} const* A) {{
  __shared__ {element} buf[1024];
  auto l = make_layout(make_shape(Int<128>{{}}, Int<8>{{}}));
  auto tc = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_{cache}<{element}>, {element}>{{}}, Layout<Shape<_32,_8>>{{}}, Layout<Shape<_1,_1>>{{}});
  auto th = tc.get_slice(threadIdx.x);
  copy(tc, th.partition_S(make_tensor(make_gmem_ptr(A), l)), th.partition_D(make_tensor(make_smem_ptr(buf), l)));
}}
int main() {{ k<<<1, 256>>>(nullptr); }}
"
        )
    };
    assert_eq!(rules(&copy("CACHEALWAYS", "half_t")), ["atom-parameters"]);
    assert_eq!(rules(&copy("CACHEGLOBAL", "float")), ["atom-parameters"]);
    assert_eq!(rules(&copy("CACHEALWAYS", "float")), [""; 0]);
}
