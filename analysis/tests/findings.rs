//! Findings and remedies as a person sees them.

mod guards;
mod oracle;
mod reached;
mod remedies;
mod support;

use cute_analysis::{Alone, Options, SourceFile};
use support::{analysed, findings};
use tree_sitter_cute::tree::Span;
use tree_sitter_cute::{Budget, Host, Syntax};

#[test]
fn each_rule_shows_its_numbers_its_operand_and_its_remedies() {
    insta::assert_snapshot!(findings(
        r"
using namespace cute;
void refused() {
  auto columns = make_layout(make_shape(Int<4>{}, Int<3>{}), make_stride(Int<3>{}, Int<1>{}));
  auto every_sixth = Layout<_3, _6>{};
  auto picked = composition(columns, every_sixth);
}
void shape() {
  auto a = composition(Layout<Shape<_4, _6>, Stride<_1, _10>>{}, Layout<_6, _1>{});
}
void wrong() {
  auto a = Layout<Shape<_6, _2>, Stride<_1, _7>>{};
  auto b = Layout<Shape<_3, _2>, Stride<_2, _3>>{};
  auto r = composition(a, b);
}
void over() {
  auto matrix = make_layout(make_shape(Int<10>{}, Int<8>{}));
  auto tiles = logical_divide(matrix, make_tile(Int<4>{}, Int<5>{}));
  auto zipped = zipped_divide(matrix, Shape<_4, _4>{});
}
void collides() {
  auto rest = complement(Layout<Shape<_4, _4>, Stride<_1, _2>>{}, Int<32>{});
}
void swizzle() {
  using Bad = Swizzle<3, 4, 2>;
  auto worse = composition(Swizzle<2, -1, 3>{}, Layout<_64>{});
}
void tile() {
  auto smem = tile_to_shape(Layout<Shape<_8, _64>>{}, make_shape(Int<100>{}, Int<64>{}));
}
void ranks() {
  auto a = logical_divide(Layout<_8>{}, make_tile(Int<2>{}, Int<2>{}));
}
void run_time_strides(int ld) {
  auto a = complement(make_layout(make_shape(_4{}, _8{}), make_stride(_1{}, ld)), Int<1024>{});
}
void narrow() {
  auto a = downcast<2>(Layout<_4, _2>{});
  auto b = upcast<3>(Layout<_4, _2>{});
}
"
    ));
}

#[test]
fn what_comes_at_run_time_is_a_precondition_and_no_finding() {
    let text = r"
using namespace cute;
void host(int M, int N, int ld) {
  auto a = make_layout(make_shape(M, N), make_stride(Int<1>{}, ld));
  auto tiles = zipped_divide(a, make_tile(Int<128>{}, Int<64>{}));
  auto part = composition(a, make_layout(Int<32>{}, Int<8>{}));
}
";
    let analysis = analysed(text, &Options::default());
    assert_eq!(analysis.findings, []);
    assert!(!analysis.preconditions.is_empty());
}

#[test]
fn a_directive_silences_the_next_statement_only() {
    let line = "  auto t = logical_divide(Layout<_10>{}, Int<4>{});\n";
    let allowed = "  // cute: allow(over-covers)\n";
    let text = format!("using namespace cute;\nvoid f() {{\n{allowed}{line}{line}}}\n");
    let analysis = analysed(&text, &Options::default());
    assert_eq!(analysis.findings.len(), 1);
    let other = text.replace("over-covers", "not-injective");
    assert_eq!(analysed(&other, &Options::default()).findings.len(), 2);
    let whole =
        format!("// cute: allow(over-covers)\nusing namespace cute;\nvoid f() {{\n{line}}}\n");
    assert_eq!(analysed(&whole, &Options::default()).findings, []);
}

#[test]
fn a_finding_of_several_instances_is_reported_once() {
    let text = r"
using namespace cute;
template <class T> void f(T) { auto t = logical_divide(Layout<_10>{}, Int<4>{}); }
void g() { f(Int<1>{}); f(Int<2>{}); }
";
    assert_eq!(analysed(text, &Options::default()).findings.len(), 1);
}

#[test]
fn a_branch_that_may_never_be_instantiated_is_not_called_wrong() {
    let text = r"
using namespace cute;
template <class T> void f() {
  if constexpr (T::kOdd) { auto t = logical_divide(Layout<_10>{}, Int<4>{}); }
}
";
    assert_eq!(analysed(text, &Options::default()).findings, []);
}

/// A class template that is wrong for 10 and right for 12, and a class that makes what of it `uses` says.
fn with_a_wrong_class(uses: &str) -> String {
    format!(
        r"
using namespace cute;
template <int N> struct Tiles {{
  static_assert(N > 0);
  using Whole = Layout<Int<N>>;
  static constexpr auto kCut = logical_divide(Whole{{}}, Int<4>{{}});
  static constexpr int kCount = N / 4;
  using type = Tiles;
  int data[N];
  void run() {{ auto cut = logical_divide(Layout<Int<N>>{{}}, Int<4>{{}}); }}
}};
template <class T> struct Around {{
  using Inner = T;
}};
{uses}
"
    )
}

/// A compiler sees no definition of what is only named (C++ [temp.inst]/2).
#[test]
fn what_of_a_template_is_only_named_is_not_called_wrong() {
    let named = [
        "using Alias = Tiles<10>;",
        "template <class T> using Of = Tiles<10>; using Alias = Of<int>;",
        "using Chosen = conditional_t<true, Tiles<12>, Tiles<10>>;
         void f() { typename Chosen::Whole whole; }",
        "template <bool kBig> struct Traits {
           using Big = Tiles<10>;
           using Small = Tiles<12>;
           using Used = conditional_t<kBig, Big, Small>;
           static constexpr int kCount = Used::kCount;
         };
         void f() { Traits<false> traits; }",
        "using Alias = Around<Tiles<10>>; void f() { Alias around; }",
        "void f() { using Alias = Tiles<10>; Tiles<10>* pointer = nullptr; }",
        "template <class T> void g() {} void f() { g<Tiles<10>>(); }",
        "constexpr bool kSame = std::is_same_v<Tiles<10>, Tiles<12>>;",
        "struct Outer { Tiles<10>* tiles; };",
        "auto declared() -> decltype(declval<Tiles<10>*>());",
        "template <class T> struct Other { using Wrong = typename Tiles<10>::Whole; };
         using Alias = Other<int>;",
    ];
    for uses in named {
        let analysis = analysed(&with_a_wrong_class(uses), &Options::default());
        assert_eq!(analysis.findings, [], "{uses}");
        // Its values are shown all the same.
        let shown = |fact: &&cute_analysis::Fact| &*fact.name == "Whole";
        assert!(analysis.facts.iter().any(|fact| shown(&fact)), "{uses}");
    }
}

#[test]
fn what_of_a_template_is_used_is_called_wrong() {
    let used = [
        "void f() { typename Tiles<10>::Whole whole; }",
        "using Type = typename Tiles<10>::type;",
        "constexpr int kCount = Tiles<10>::kCount;",
        "using Alias = Tiles<10>; constexpr int kCount = Alias::kCount;",
        "void f() { Tiles<10> tiles; }",
        "void f() { auto tiles = Tiles<10>{}; }",
        "using Alias = Tiles<10>; void f(Alias tiles) {}",
        "struct Outer { Tiles<10> tiles; }; void f() { Outer outer; }",
        "struct Derived : Tiles<10> {};",
        "template <class T> struct Derived : T {}; void f() { Derived<Tiles<10>> derived; }",
        "constexpr int kBytes = sizeof(Tiles<10>);",
        "constexpr int kAlign = alignof(Tiles<10>);",
        "template struct Tiles<10>;",
        "// cute: instantiate Other<Tiles<10>>
         template <class T> struct Other { static constexpr int kCount = T::kCount; };",
        "void f(Tiles<10>* tiles) { tiles->run(); }",
        "template <class T> void g() { constexpr int count = T::kCount; }
         void f() { g<Tiles<10>>(); }",
        "template <class T> void g(T tiles) {} void f() { g(Tiles<10>{}); }",
        "template <class T> __global__ void kernel() { typename T::Whole whole; }
         void f() { kernel<Tiles<10>><<<1, 32>>>(); }",
        "using Chosen = conditional_t<true, Tiles<10>, Tiles<12>>;
         void f() { typename Chosen::Whole whole; }",
        "void f() { typename Around<Tiles<10>>::Inner::Whole whole; }",
        "constexpr bool kBase = std::is_base_of_v<Tiles<12>, Tiles<10>>;",
        "template <class T> struct Other { using Wrong = typename Tiles<10>::Whole; };
         void f() { Other<int> other; }",
        "using Alias = Tiles<10>; using Later = Around<Alias>;
         constexpr int kCount = Later::Inner::kCount;",
    ];
    for uses in used {
        let findings = analysed(&with_a_wrong_class(uses), &Options::default()).findings;
        // In the constant, and in the method.
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, ["over-covers"; 2], "{uses}");
    }
}

/// With nothing that names an instance the parameters are open, and what is wrong for all of them is
/// wrong.
#[test]
fn a_template_without_instances_is_judged_with_its_parameters_open() {
    let text = "using namespace cute;
template <class T> struct Tiles {
  static constexpr auto kCut = logical_divide(Layout<_10>{}, Int<4>{});
};";
    assert_eq!(analysed(text, &Options::default()).findings.len(), 1);
}

#[test]
fn a_layout_behind_decltype_is_shown_and_corrected_at_each_of_its_uses() {
    let text = "using namespace cute;
struct Config {
  using B = decltype(make_layout(make_shape(Int<3>{}, Int<2>{}), make_stride(Int<2>{}, Int<3>{})));
};
auto a = make_layout(make_shape(Int<4>{}, Int<2>{}), make_stride(Int<2>{}, Int<1>{}));
auto r = composition(a, Config::B{});
auto s = composition(a, Config::B{});
";
    let findings = analysed(text, &Options::default()).findings;
    assert_eq!(findings.len(), 2, "{findings:#?}");
    for finding in &findings {
        let made = finding.related.last().expect("the operand");
        assert_eq!(made.message, "`B` is made here");
        assert!(made.span.text(text).starts_with("decltype(make_layout("));
        let edits = finding.remedies.iter().flat_map(|remedy| &remedy.edits);
        let places: Vec<Span> = edits.map(|edit| edit.span).collect();
        assert!(!places.is_empty(), "{finding:#?}");
        assert!(places.iter().all(|place| made.span.encloses(*place)));
    }
}

#[test]
fn a_block_that_covers_an_offset_twice_is_blamed_for_its_tiling() {
    let text = "using namespace cute;
auto block = make_layout(Shape<_8, _64>{}, make_stride(Int<63>{}, Int<1>{}));
auto tiled = tile_to_shape(block, Shape<_64, _64>{});
";
    let findings = analysed(text, &Options::default()).findings;
    let [finding] = findings.as_slice() else {
        panic!("{findings:#?}");
    };
    assert_eq!(finding.rule, "not-injective");
    assert_eq!(finding.related[0].span.text(text), "block");
}

#[test]
fn asking_for_the_remedies_of_one_finding_gives_the_same() {
    let text = "using namespace cute;\nvoid f() { auto t = zipped_divide(Layout<_10>{}, _4{}); }\n";
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).expect("parsed");
    let file = SourceFile::analysed("test.cu", text, syntax.lower(text));
    let analysis = analysed(text, &Options::default());
    let finding = &analysis.findings[0];
    let asked = cute_analysis::remedies(&file, &Alone, finding, &Options::default());
    assert_eq!(asked, finding.remedies);
    assert!(asked[0].preferred);
}

#[test]
fn operands_of_copies_and_products_fit_and_assertions_hold() {
    insta::assert_snapshot!(findings(
        r"
using namespace cute;
void copies(half_t* p) {
  Tensor rows = make_tensor<half_t>(Shape<_8, _4>{});
  Tensor more = make_tensor<half_t>(Shape<_8, _8>{});
  copy(rows, more);
  copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, rows, more);
  copy(Copy_Atom<UniversalCopy<uint64_t>, half_t>{}, rows, rows);
  Tensor strided = make_tensor(make_smem_ptr(p), Layout<Shape<_8, _4>, Stride<_4, _1>>{});
  copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, strided, rows);
}
void products() {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{});
  Tensor a = make_tensor<half_t>(Shape<_8, _2, _4>{});
  Tensor b = make_tensor<half_t>(Shape<_4, _4, _2>{});
  Tensor c = make_tensor<float>(Shape<_4, _2, _4>{});
  gemm(mma, a, b, c);
  gemm(mma, c, b, c);
}
void assertions() {
  auto tile = make_layout(make_shape(Int<128>{}, Int<8>{}));
  static_assert(size(tile) == 1024 && size<1>(tile) == 16);
  CUTE_STATIC_ASSERT_V(rank(tile) == Int<3>{});
}
"
    ));
}

#[test]
fn an_assertion_may_name_the_type_of_a_layout() {
    let text = r"
using namespace cute;
template <int M>
struct Tile {
  static void check() {
    auto tile = make_layout(Shape<Int<M>, _4>{});
    static_assert(decltype(size<0>(tile))::value % 16 == 0);
    static_assert(decltype(rank(tile))::value == 2);
  }
};
void all() { Tile<16>::check(); Tile<24>::check(); }
";
    let found = analysed(text, &Options::default()).findings;
    let said: Vec<_> = found.iter().map(|it| (it.rule, &*it.message)).collect();
    assert_eq!(
        said,
        [(
            "static-assert-fails",
            "the assertion is false: left is 8, right is 0"
        )]
    );
}

#[test]
fn operands_that_fit_are_left_alone() {
    let text = r"
using namespace cute;
template <class Copy>
void kernel(half_t* p, int M, Copy) {
  Tensor g = make_tensor(make_gmem_ptr(p), make_shape(M, Int<8>{}), make_stride(Int<8>{}, Int<1>{}));
  Tensor r = make_tensor<half_t>(Shape<_8, _4>{});
  copy(g, r);
  copy(Copy{}, r, r);
  copy(Copy_Atom<AutoVectorizingCopy, half_t>{}, r, make_tensor<half_t>(Shape<_4, _8>{}));
  if constexpr (Copy::kOdd) { static_assert(size(r) == 7); }
}
";
    assert_eq!(analysed(text, &Options::default()).findings, []);
}

#[test]
fn what_is_assumed_of_a_run_time_size_decides() {
    let text = |fact: &str| {
        format!(
            "using namespace cute;\nvoid host(int K) {{\n{fact}  auto a = make_layout(make_shape(K, Int<8>{{}}));\n  \
             auto part = composition(a, make_layout(Int<4>{{}}, Int<64>{{}}));\n  \
             auto tiles = ceil_div(K, Int<64>{{}});\n}}\n"
        )
    };
    let open = analysed(&text(""), &Options::default());
    assert!(!open.preconditions.is_empty());
    let decided = analysed(
        &text("  // cute: assume K % 256 == 0\n"),
        &Options::default(),
    );
    assert_eq!(decided.preconditions, []);
    let value = |name: &str| {
        let fact = decided.facts.iter().find(|fact| &*fact.name == name);
        fact.map(|fact| fact.value.to_string())
    };
    assert_eq!(value("a").as_deref(), Some("(K,_8):(_1,K)"));
    assert_eq!(value("tiles").as_deref(), Some("K/64"));
    // Told with the analysis it does the same.
    let told = Options {
        assume: vec!["K % 256 == 0".parse().expect("a fact")],
        ..Options::default()
    };
    assert_eq!(analysed(&text(""), &told).preconditions, []);
}

#[test]
fn what_a_load_of_tensor_memory_brought_a_store_brings_back() {
    let text = r"
using namespace cute;
void kernel(float* p) {
  auto load = SM100_TMEM_LOAD_32dp32b32x{};
  auto mma = make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 128, UMMA::Major::K, UMMA::Major::K>{});
  auto data = partition_fragment_C(mma, Shape<_128, _128>{})(make_coord(_, _), _0{}, _0{});
  auto from = make_tmem_copy(load, data);
  auto to = make_tmem_copy(TMEM::tmem_load_to_store(load), data);
  auto thread = from.get_slice(threadIdx.x);
  auto memory = thread.partition_S(data);
  auto out = thread.partition_D(make_tensor(make_gmem_ptr(p), Shape<_128, _128>{}, make_stride(0, 0)));
  auto registers = make_tensor<float>(shape(out));
  copy(from, memory, registers);
  copy(to, registers, memory);
}
";
    assert_eq!(analysed(text, &Options::default()).findings, []);
}

#[test]
fn what_has_no_known_rank_lacks_no_mode() {
    let text = r"
using namespace cute;
template <class F, int... I>
constexpr auto shape_of(F&& f, seq<I...>) { return make_shape(f(I)...); }
void kernel() {
  auto layout = make_layout(shape_of([&](auto const& i) { return i; }, unseen_sequence<4>{}));
  bool fits = size<0>(layout) == 4 && size<1>(layout) == 3;
}
";
    assert_eq!(analysed(text, &Options::default()).findings, []);
}

/// The lines of false assertions in the methods of a class template, numbered from 1.
fn false_assertions(uses: &str) -> Vec<usize> {
    let text = format!(
        r"using namespace cute;
template <class Shape> struct Pipe {{
  void release() {{
    static_assert(size(Shape{{}}) == 2); }}
  void inner() {{
    static_assert(size(Shape{{}}) == 3); }}
  void outer() {{ inner(); }}
  template <class T> void generic(T) {{
    static_assert(size(Shape{{}}) == 4); }}
  void through() {{ generic(1); }}
  int begin() {{ return 0; }}
}};
{uses}
"
    );
    let analysed = analysed(&text, &Options::default());
    let failed = analysed
        .findings
        .iter()
        .filter(|it| it.rule == "static-assert-fails");
    let line = |finding: &cute_analysis::Finding| text[..finding.span.start].matches('\n').count();
    let mut lines: Vec<usize> = failed.map(|it| line(it) + 1).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn an_assertion_in_a_method_that_nothing_calls_refuses_nothing() {
    let object = |calls: &str| format!("void f() {{ Pipe<Shape<_1, _1>> pipe; {calls} }}");
    assert_eq!(
        false_assertions(&object("int n = pipe.begin();")),
        [] as [usize; 0]
    );
    assert_eq!(false_assertions(&object("pipe.release();")), [4]);
    // Through another method, which nothing but `f` calls.
    assert_eq!(false_assertions(&object("pipe.outer();")), [6]);
    assert_eq!(false_assertions(&object("pipe.through();")), [9]);
    // By an object in an object, a pointer, and a lambda.
    assert_eq!(
        false_assertions(
            "struct Both { Pipe<Shape<_1, _1>> one; };\nvoid f(Both& both) { both.one.release(); }"
        ),
        [4]
    );
    assert_eq!(
        false_assertions(&object("auto run = [&]() { pipe.release(); }; run();")),
        [4]
    );
    // An explicit instantiation makes all methods that are not templates, and the template that one of them calls.
    assert_eq!(
        false_assertions("template struct Pipe<Shape<_1, _1>>;"),
        [4, 6, 9]
    );
    // Another instance is called, for which it holds.
    assert_eq!(
        false_assertions(&format!(
            "{}\nvoid g(Pipe<Shape<_2, _1>>& other) {{ other.release(); }}",
            object("int n = pipe.begin();")
        )),
        [] as [usize; 0]
    );
}
