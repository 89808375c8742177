//! Values as a person sees them: each declaration of a fixture with its value beside it.

mod support;

use cute_analysis::Options;
use support::{analysed, annotated, check};

#[test]
fn static_layouts_are_printed_as_cute_prints_them() {
    insta::assert_snapshot!(annotated(
        r"
#include <cute/tensor.hpp>
using namespace cute;
using Tile = Shape<_128, _64>;
constexpr int kStages = 3;
typedef Layout<Shape<_8, Shape<_8, _8>>, Stride<_8, Stride<_1, _64>>> Atom;

void host() {
  auto m = Int<128>{};
  auto k = _64{};
  auto c = C<8>{};
  auto packed = make_layout(make_shape(m, k));
  auto row = make_layout(make_shape(m, k), LayoutRight{});
  auto padded = make_layout(make_shape(m, k), make_stride(Int<1>{}, m + Int<1>{}));
  auto tiled = tile_to_shape(Atom{}, make_shape(m, k, Int<kStages>{}));
  auto swizzled = composition(Swizzle<3, 3, 3>{}, Atom{});
  auto inverse = right_inverse(row);
  auto rest = complement(make_layout(c, m), Int<1024>{});
  auto zipped = zipped_divide(packed, Tile{});
  auto blocked = blocked_product(make_layout(make_shape(c, c)), make_layout(make_shape(_2{}, _4{})));
  Layout deduced = make_layout(make_shape(_4{}, _8{}), make_stride(_8{}, _1{}));
  auto first = get<0>(shape(packed));
  auto whole = size(packed);
  auto half = size<0>(packed) / Int<2>{};
  auto flat = flatten(make_shape(m, make_shape(k, c)));
  auto part = select<0, 2>(make_shape(m, k, c));
  auto tiles = ceil_div(Int<100>{}, c);
}
"
    ));
}

#[test]
fn run_time_integers_are_symbols_of_their_names() {
    insta::assert_snapshot!(annotated(
        r#"
using namespace cute;
void host(int M, int N, int ldA, bool flag) {
  auto shape = make_shape(M, N);
  auto layout = make_layout(shape, make_stride(Int<1>{}, ldA));
  auto tiles = ceil_div(M, Int<128>{});
  int rows = 64;
  auto fixed = make_shape(rows, 8);
  int k = 4096;
  sscanf(text, "%d", &k);
  auto read = make_shape(k, Int<8>{});
  int late = 5;
  auto before = make_shape(late);
  late = 7;
  auto after = make_shape(late);
  for (int i = 0; i < 4; ++i) {
    auto inside = make_coord(i, _);
  }
  int chosen = flag ? 1 : 2;
  dim3 grid(size(tiles), 2);
}
"#
    ));
}

#[test]
fn blocks_scope_their_names_and_user_functions_win_over_the_vocabulary() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
namespace mine {
template <class A, class B>
auto composition(A a, B b) { return make_shape(b, a); }
void host() {
  auto x = Int<1>{};
  {
    auto x = Int<2>{};
    auto inner = make_shape(x);
  }
  auto outer = make_shape(x);
  auto own = composition(Int<3>{}, Int<4>{});
  auto theirs = cute::composition(Layout<_8, _2>{}, Layout<_4, _1>{});
}
}
void elsewhere() {
  auto theirs = composition(Layout<_8, _2>{}, Layout<_4, _1>{});
}
"
    ));
}

/// The values are those that a program with CuTe's headers prints.
#[test]
fn parts_and_shifts_are_evaluated() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class F, class... A> auto call(F&& f, A&&... a) { return f(static_cast<A&&>(a)...); }
template <class F, class... A> auto forwarded(F&& f, A&&... a) { return std::forward<F>(f)(std::forward<A>(a)...); }
void host() {
  auto left = shiftl(_3{}, _2{});
  auto right = shiftr(Int<32>{}, _2{});
  auto one = dice(make_coord(_, 2), Layout<Shape<_8, _16>>{});
  auto both = dice(make_coord(1, 2), Layout<Shape<_8, _16>>{});
  auto pairs = zip(Layout<Shape<_2, _3>>{}, Layout<Shape<_4, _5>>{});
  auto other = crd2crd(7, make_shape(_4{}, _5{}), make_shape(_2{}, _10{}));
  int m = 5;
  auto shape = call([](auto a, auto b) { return make_shape(a, b); }, Int<3>{}, m);
  auto same = forwarded([](auto a, auto b) { return make_shape(a, b); }, Int<3>{}, m);
}
"
    ));
}

#[test]
fn a_template_has_one_value_for_each_call() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class Tiler, class Threads, int Stages>
__global__ void kernel(Tiler tiler, Threads threads, Int<Stages>, float* out, int ld) {
  auto tile = make_layout(tiler);
  Tensor all = make_tensor(make_gmem_ptr(out), make_shape(ld, Int<64>{}));
  Tensor mine = local_partition(local_tile(all, tiler, make_coord(blockIdx.x, 0)), threads, threadIdx.x);
  auto ring = append(tiler, Int<Stages>{});
}
void host(float* out, int n) {
  auto threads = make_layout(make_shape(Int<8>{}, Int<8>{}));
  kernel<<<1, 64>>>(make_shape(Int<64>{}, Int<64>{}), threads, Int<3>{}, out, n);
  kernel<<<1, 64>>>(make_shape(Int<32>{}, Int<16>{}), threads, Int<2>{}, out, n);
}
"
    ));
}

#[test]
fn classes_hold_constants_aliases_and_members() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <int kM, int kN>
struct Traits {
  static constexpr int kRows = kM;
  using Tile = Shape<Int<kRows>, Int<kN>>;
  using Smem = decltype(make_layout(Tile{}, LayoutRight{}));
  static constexpr int kSize = cosize_v<Smem>;
};
template <> struct Traits<1, 1> { using Tile = Shape<_2, _2>; };
struct Params { int m; Shape<_4, int> tile; };
void host() {
  using Big = Traits<128, 64>;
  auto smem = typename Big::Smem{};
  auto size = Int<Big::kSize>{};
  using Special = Traits<1, 1>::Tile;
  Params params{7, {_4{}, 5}};
  auto tile = params.tile;
}
"
    ));
}

#[test]
fn lambdas_and_constant_conditions_are_evaluated() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <bool kRow>
auto pick() {
  if constexpr (kRow) { return LayoutRight{}; } else { return LayoutLeft{}; }
}
constexpr int round_up_to(int a, int b) { return (a + b - 1) / b * b; }
void host(int n) {
  auto make = [&](auto m) { return make_layout(make_shape(m, Int<8>{}), pick<true>()); };
  auto layout = make(Int<4>{});
  auto padded = Int<round_up_to(13, 8)>{};
  auto run_time = make_shape(round_up_to(n, 8));
  auto [rows, columns] = make_shape(Int<3>{}, Int<5>{});
  auto product = rows * columns;
}
"
    ));
}

#[test]
fn what_is_not_known_says_why() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class T> void generic(T layout) { auto s = size(layout); }
void host(Unseen u) {
  auto a = helper(Int<4>{});
  auto b = make_layout(a);
  auto c = missing;
  auto d = u.shape();
  auto e = make_layout(_8{}, some::where::kStride);
  auto f = composition(Layout<_4, _3>{}, u);
}
int recursive(int n) { return recursive(n - 1); }
void loop() { auto r = make_shape(recursive(4)); }
"
    ));
}

#[test]
fn assumptions_and_directives_give_numbers() {
    insta::assert_snapshot!(annotated(
        r"
// cute: assume n=256
using namespace cute;
void one(int m, int n) {
  // cute: assume m=5120
  auto shape = make_shape(m, n);
}
void two(int m, int n) {
  auto shape = make_shape(m, n);
}
"
    ));
}

#[test]
fn half_typed_code_keeps_what_can_be_known() {
    check("using namespace cute; void f() { auto a = make_shape(_4{}, ; auto b = _8{}; ");
    check("template <class T struct X { using Y = typename T::; }; auto z = X<int>::Y");
    check("using A = B; using B = A; A x; auto y = make_layout(A{});");
    check("struct S { static constexpr int a = b; static constexpr int b = a; }; auto z = S::a;");
    check("template <int N> struct F { static constexpr int v = F<N + 1>::v; }; auto z = F<0>::v;");
    check("auto f = [](auto self) { return self(self); }; auto z = f(f);");
    check(&format!(
        "auto x = {}1{};",
        "(".repeat(2_000),
        ")".repeat(2_000)
    ));
    check(&format!(
        "auto x = {}_1{{}}{};",
        "make_shape(".repeat(400),
        ")".repeat(400)
    ));
    check(&format!("auto x = 0 {};", "+ 1".repeat(5_000)));
}

#[test]
fn templates_choose_specialisations_and_overloads_as_the_compiler_does() {
    insta::assert_snapshot!(annotated(
        r"
#include <cute/tensor.hpp>
using namespace cute;
template <class A, class B = void, class = void> class Pick;
template <class A> class Pick<A, void, enable_if_t<is_same_v<A, float>>> { public: using L = Layout<_1>; };
template <class A> class Pick<A*, void> { public: using L = Layout<_2>; };
template <class A> class Pick<A, int, void> { public: using L = Layout<_3>; };
using ByCondition = typename Pick<float>::L;
using ByForm = typename Pick<half_t*>::L;
using ByArgument = typename Pick<float, int>::L;
namespace options {
enum class Tag { a, b };
template <auto T, class V> struct Option { static constexpr auto tag = T; using option_value = V; };
template <auto kTag, class Default, class... Options> struct find_option;
template <auto kTag, class Default> struct find_option<kTag, Default> { using option_value = Default; };
template <auto kTag, class Default, class Option, class... Options>
struct find_option<kTag, Default, Option, Options...>
    : std::conditional_t<Option::tag == kTag, Option, find_option<kTag, Default, Options...>> {};
template <auto kTag, class Default, class... Options>
using find_option_t = typename find_option<kTag, Default, Options...>::option_value;
}
using namespace options;
using Found = find_option_t<Tag::b, _7, Option<Tag::a, _5>, Option<Tag::b, _6>>;
using NotFound = find_option_t<Tag::b, _7>;
template <class T, template <int...> class U> struct is_of : false_type {};
template <template <int...> class U, int... Args> struct is_of<U<Args...>, U> : true_type {};
template <int N> struct One {};
template <int N> struct Two {};
constexpr bool yes = is_of<One<3>, One>::value;
constexpr bool no = is_of<One<3>, Two>::value;
template <int stages> struct Count {};
template <int bytes> struct Auto {};
template <int capacity, int stages> constexpr int stage_count(Count<stages>) { return stages; }
template <int capacity, int bytes> constexpr int stage_count(Auto<bytes>) { return (capacity - bytes) / 64; }
constexpr int given = stage_count<1024>(Count<3>{});
constexpr int computed = stage_count<1024>(Auto<static_cast<int>(sizeof(Found))>{});
template <class T> constexpr auto form(T) { return Int<1>{}; }
template <class S, class D> constexpr auto form(Layout<S, D>) { return Int<2>{}; }
using OfLayout = decltype(form(Layout<_8>{}));
using OfTuple = decltype(form(Shape<_8>{}));
struct Base { using Inner = Layout<_4>; CUTE_HOST_DEVICE auto inner() { return Inner{}; } };
struct Derived : Base { };
constexpr bool derives = std::is_base_of_v<Base, Derived>;
constexpr bool derives_not = std::is_base_of_v<Derived, Base>;
template <class E> struct Outside { using L = Layout<_4>; template <class T> auto run(T t); };
template <class E> template <class T> auto Outside<E>::run(T t) {
  auto own = make_layout(L{}, t);
  return own;
}
void host() {
  Derived derived;
  auto inherited = derived.inner();
  Outside<float> outside;
  auto result = outside.run(Layout<_2>{});
  cute::array<int, 3> zeros{};
  auto shape = make_shape(zeros[0], get<2>(zeros));
}
"
    ));
}

#[test]
fn what_no_instance_binds_is_a_symbol_where_it_is_a_number() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class TileShape, class Traits>
__global__ void kernel(float* p) {
  constexpr int kBlockM = Traits::kBlockM;
  auto tile = make_layout(make_shape(Int<kBlockM>{}, Int<Traits::kHeadDim>{}), LayoutRight{});
  auto rows = size<0>(TileShape{});
  auto shape = make_shape(get<0>(TileShape{}), get<2>(TileShape{}));
  auto [M, N, K] = TileShape{};
  auto layout = make_layout(make_shape(M, K), make_stride(K, _1{}));
  using Open = typename Traits::SmemLayout;
}
"
    ));
}

#[test]
fn a_part_of_a_swizzled_tensor_has_symbols_for_what_depends_on_the_thread() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
__global__ void kernel(half_t* p, int stage) {
  auto swizzled = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  auto s = make_tensor(make_smem_ptr(p), swizzled);
  auto copy = make_tiled_copy(Copy_Atom<UniversalCopy<half_t>, half_t>{},
                              Layout<Shape<_16, _8>, Stride<_8, _1>>{});
  auto part = copy.get_slice(threadIdx.x).partition_S(s);
  auto first = copy.get_slice(0).partition_S(s);
}
"
    ));
}

/// g++ of CuTe 4.2 holds these types: the registers of a thread have separate strides, which no thread changes.
#[test]
fn registers_for_a_part_of_a_swizzled_tensor_are_the_same_for_every_thread() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
__global__ void kernel(half_t* data) {
  auto mma = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_4, _2, _1>>, Tile<_64, _32, _16>>{};
  auto rows = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  auto sA = make_tensor(make_smem_ptr(data), tile_to_shape(rows, Shape<_64, _64>{}));
  auto thread = mma.get_thread_slice(threadIdx.x);
  auto a = thread.partition_fragment_A(sA);
  auto b = thread.partition_fragment_B(sA);
  auto same = thread.make_fragment_A(thread.partition_A(sA));
}
"
    ));
}

#[test]
fn whether_an_open_parameter_is_a_number_or_a_tuple_is_not_guessed() {
    let source = r"
using namespace cute;
template <class T>
void open(T shape) {
  auto rank = cute::rank(shape);
  auto depth = cute::depth(shape);
  auto nested = cute::depth(make_shape(shape, _2{}));
  auto flat = flatten(make_shape(shape, _2{}));
  auto longer = append<3>(shape, _1{});
  auto tuple = wrap(shape);
  auto all = all_of(shape, [](auto x) { return true; });
  auto folded = fold(shape, _0{}, [](auto sum, auto x) { return sum; });
  auto like = repeat_like(shape, _0{});
  auto fixed = is_static<decltype(make_shape(shape, _2{}))>::value;
  auto pair = make_shape(shape, _2{});
  auto two = cute::rank(pair);
}
";
    insta::assert_snapshot!(annotated(source));
}

/// As a value an array is a pointer; that its type is not a pointer is not forgotten.
#[test]
fn an_array_is_not_taken_for_another_type_than_its_own() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
using Fragment = cutlass::Array<half_t, 8>;
Fragment visit();
void f(float* pointer) {
  Fragment fragment;
  constexpr bool same = is_same_v<decltype(fragment), Fragment>;
  constexpr bool returned = is_same_v<decltype(visit()), Fragment>;
  constexpr bool number = is_same_v<float, Fragment>;
  constexpr bool pointers = is_same_v<decltype(pointer), float*>;
}
"
    ));
}

#[test]
fn what_never_ends_stops_and_says_so() {
    let text = r"
using namespace cute;
template <int N> struct Endless { using type = typename Endless<N + 1>::type; };
using A = typename Endless<0>::type;
template <int N> struct Deeper : Deeper<N + 1> {};
constexpr int b = Deeper<0>::value;
struct Circle { using X = typename Circle::Y; using Y = typename Circle::X; };
using C = Circle::X;
template <int N> constexpr int count() { return 1 + count<N + 1>(); }
constexpr int d = count<0>();
";
    let analysis = support::analysed(text, &cute_analysis::Options::default());
    for name in ["A", "b", "C", "d"] {
        let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
        let reason = fact.and_then(|fact| fact.reason()).map(ToString::to_string);
        assert!(
            reason
                .as_deref()
                .is_some_and(|text| text.contains("evaluation limit reached")),
            "{name}: {reason:?}"
        );
    }
}

#[test]
fn thousands_of_instances_are_bounded() {
    use std::fmt::Write as _;
    let mut text = String::from(
        "using namespace cute;\ntemplate <int N> struct T { using L = Layout<Int<N>>; };\ntemplate <class L> void f(L l) { auto m = l; }\nvoid host() {\n",
    );
    for n in 1..=5_000 {
        let _ = writeln!(text, "f(typename T<{n}>::L{{}});");
    }
    text.push_str("}\n");
    let analysis = support::analysed(&text, &cute_analysis::Options::default());
    let shown = analysis
        .facts
        .iter()
        .filter(|fact| &*fact.name == "m")
        .count();
    assert_eq!(shown, cute_analysis::limits::INSTANCES_PER_FUNCTION);
}

#[test]
fn definitions_without_an_end_are_unknown_with_the_reason_and_hide_nothing_else() {
    let analysis = analysed(
        "#define _1 _2\nusing namespace cute;\n\
         template <int N> struct Endless { using Type = typename Endless<N + 1>::Type; };\n\
         template <int N> auto deeper() { return make_layout(deeper<N + 1>()); }\n\
         using First = Second;\nusing Second = First;\n\
         void f() {\n  auto endless = make_layout(typename Endless<0>::Type{});\n\
           auto around = make_layout(deeper<0>());\n  auto alias = make_layout(First{});\n\
           auto renamed = make_layout(make_shape(_4{}, _1{}));\n}\n",
        &Options::default(),
    );
    let value = |name: &str| {
        let found = analysis.facts.iter().find(|fact| &*fact.name == name);
        found.map(|fact| (fact.value.to_string(), fact.reason().is_some()))
    };
    // A macro of the vocabulary's name means what the macro says.
    assert_eq!(
        value("renamed"),
        Some(("(_4,_2):(_1,_4)".to_owned(), false))
    );
    for name in ["endless", "around", "alias"] {
        assert!(value(name).is_some_and(|(_, unknown)| unknown), "{name}");
    }
}

#[test]
fn an_argument_that_grows_with_each_base_ends() {
    // Each would be one tuple, array or pointer deeper than the class that it is a base of.
    for base in ["tuple<Ts...>", "array<Ts..., 4>", "Ts*..."] {
        let text = format!(
            "using namespace cute;\ntemplate <class... Ts> struct Grows : Grows<{base}> {{}};\n\
             Grows<_1> grows;\nauto after = make_layout(_4{{}});\n"
        );
        let shown = annotated(&text);
        assert!(shown.contains("Layout after = _4:_1"), "{shown}");
    }
}

#[test]
fn a_function_that_takes_too_long_says_after_how_many_steps() {
    let steps = cute_analysis::limits::STEPS_PER_INSTANCE;
    let mut text = "using namespace cute;\nvoid f() {\n".to_owned();
    text.push_str(&"  1;\n".repeat(steps / 2));
    text.push_str("  auto last = make_layout(_8{});\n}\nauto other = make_layout(_4{});\n");
    let analysis = analysed(&text, &Options::default());
    let fact = |name: &str| analysis.facts.iter().find(|fact| &*fact.name == name);
    let reason = fact("last")
        .and_then(|fact| fact.reason())
        .map(ToString::to_string);
    let expected = format!("evaluation limit reached: {steps} steps in one function");
    assert_eq!(reason.as_deref(), Some(expected.as_str()));
    assert_eq!(
        fact("other").map(|fact| fact.value.to_string()).as_deref(),
        Some("_4:_1")
    );
}

#[test]
fn a_variable_that_changes_keeps_its_name_however_often() {
    let shape = |changes: usize| {
        let text = format!(
            "using namespace cute;\nvoid f(int x) {{\n{}  auto last = make_layout(x);\n}}\n",
            "  x = unknown(x);\n".repeat(changes)
        );
        let analysis = analysed(&text, &Options::default());
        let fact = analysis.facts.iter().find(|fact| &*fact.name == "last");
        fact.map(|fact| fact.value.to_string()).unwrap_or_default()
    };
    assert_eq!(shape(1), "x:_1");
    // Thousands of names, one tried after the other, take minutes.
    assert_eq!(shape(4_000), "x:_1");
}

#[test]
fn sizes_of_one_name_have_numbers_only_beside_each_other() {
    let text = "using namespace cute;\nstruct Params { int b, h; };\n\
        void f(int n, Params const& params, bool wide) {\n\
          auto before = make_layout(make_shape(n, params.b));\n\
          n = unknown(n);\n\
          auto after = make_layout(make_shape(n, wide ? 1 : params.h));\n\
          auto both = make_layout(make_shape(size<0>(before), n));\n\
        }\n\
        void g(Params params) { params.b = 3; unknown(&params); f(1, params, true); }\n";
    let analysis = analysed(text, &Options::default());
    let of = |name: &str| {
        let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
        fact.map(|fact| fact.value.to_string()).unwrap_or_default()
    };
    assert_eq!(of("before"), "(n,params.b):(_1,n)");
    assert_eq!(of("after"), "(n,(wide ? 1 : params.h)):(_1,n)");
    assert_eq!(of("both"), "(n,n#2):(_1,n)");
    for name in ["before", "after"] {
        let uses = analysis.mentions().iter();
        let texts: Vec<String> = uses.map(|used| used.value.to_string()).collect();
        assert!(
            !texts.iter().any(|text| text.contains('\'')),
            "{name}: {texts:?}"
        );
    }
}

#[test]
fn leaves_beside_a_tuple_are_unknown_with_the_reason() {
    let analysis = analysed(
        "using namespace cute;\nvoid f() {\n\
         auto both = transform_leaf(make_tuple(_2{}, _3{}), _4{}, [](auto a, auto b) { return a * b; });\n\
         auto layout = make_layout(both);\n\
         auto other = make_layout(_4{});\n}\n",
        &Options::default(),
    );
    let fact = |name: &str| analysis.facts.iter().find(|fact| &*fact.name == name);
    let reason = fact("layout").and_then(|fact| fact.reason());
    let reason = reason.map(ToString::to_string).unwrap_or_default();
    assert!(reason.contains("transform_leaf"), "{reason}");
    assert!(fact("other").is_some_and(|fact| fact.reason().is_none()));
}

#[test]
fn a_pack_of_a_sequence_has_its_numbers_and_one_that_nothing_binds_is_not_known() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class F, int... I>
constexpr auto shape_of(F&& f, seq<I...>) {
  return make_shape(f(I)...);
}
template <int N, class F>
constexpr auto shape_from(F&& f) {
  return shape_of(f, make_seq<N>{});
}
template <class... Ts>
constexpr auto together(Ts const&... parts) {
  return make_tuple(parts...);
}
void called(int n) {
  auto rising = shape_from<3>([&](auto const& i) { return i + n; });
  auto elements = shape_of([&](auto const& i) { return i; }, tuple_seq<Shape<_3, _4>>{});
  auto two = together(_1{}, n);
  auto none = together();
}
void open() {
  auto unseen = shape_of([&](auto const& i) { return i; }, unseen_sequence<4>{});
  auto layout = make_layout(unseen);
  auto first = get<0>(unseen);
}
template <class... Ts>
void alone(Ts... parts) {
  auto all = make_shape(parts...);
  auto types = tuple<Ts...>{};
  auto count = sizeof...(Ts);
}
"
    ));
}

#[test]
fn a_store_of_tensor_memory_is_that_of_its_load() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
void kernel() {
  auto load = SM100_TMEM_LOAD_32dp32b32x{};
  auto store = TMEM::tmem_load_to_store(load);
  auto mma = make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 128, UMMA::Major::K, UMMA::Major::K>{});
  auto whole = partition_fragment_C(mma, Shape<_128, _128>{});
  auto data = whole(make_coord(_, _), _0{}, _0{});
  auto from = make_tmem_copy(load, data);
  auto to = make_tmem_copy(store, data);
  auto unseen = make_tmem_copy(TMEM::another_function(load), data);
}
"
    ));
}

#[test]
fn a_load_of_tensor_memory_is_repeated_over_a_row() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class Tile> constexpr auto load_of() {
  constexpr int bits = size<1>(Tile{}) * sizeof_bits_v<float>;
  return TMEM::op_repeater<SM100_TMEM_LOAD_16dp256b1x, bits>();
}
void kernel() {
  auto wide = load_of<Shape<_32, _64>>();
  auto split = TMEM::op_repeater<SM100_TMEM_LOAD_16dp32b1x, 512>();
  auto none = TMEM::op_repeater<SM100_TMEM_LOAD_32dp32b1x, 24>();
}
"
    ));
}

#[test]
fn an_integer_reversed_is_the_integer() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class Tile> auto half_tile() {
  auto [m, n, k] = Tile{};
  return make_shape(reverse(shape_div(reverse(m), _2{})), n, k);
}
auto flat = half_tile<Shape<_256, _128, _64>>();
auto nested = half_tile<Shape<Shape<_128, _4>, _128, _64>>();
"
    ));
}

#[test]
fn a_copy_behind_a_pointer_has_its_methods() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class Tma> struct Loader {
  Tma const* observed = nullptr;
  auto load(int m, int n) {
    auto whole = observed->get_tma_tensor(make_shape(m, n));
    auto part = observed->get_slice(_0{});
    return whole;
  }
};
void run(half_t* p, int m, int n) {
  auto whole = make_tensor(make_gmem_ptr(p), make_shape(m, n), make_stride(n, _1{}));
  auto tma = make_tma_copy(SM90_TMA_LOAD{}, whole, make_layout(make_shape(_64{}, _32{}), make_stride(_32{}, _1{})));
  Loader<decltype(tma)> loader;
  auto coordinates = loader.load(m, n);
}
"
    ));
}

#[test]
fn the_shape_of_a_tiler_is_those_of_its_layouts() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
using Tiler = Tile<Layout<_128>, Layout<Shape<_16, _2>, Stride<_1, _64>>>;
auto whole = shape(Tiler{});
auto sizes = product_each(shape(Tiler{}));
"
    ));
}

#[test]
fn a_tuple_that_changes_keeps_the_types_of_its_items() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
__global__ void kernel(half_t* p, int m, int n) {
  auto inputs = make_tuple(make_tensor(make_gmem_ptr(p), make_shape(m, _8{})), Layout<_4>{}, n);
  for (int i = 0; i < n; ++i) {
    inputs = make_tuple(make_tensor(make_gmem_ptr(p + i), make_shape(i, _8{})), Layout<_4>{}, i);
    auto first = get<0>(inputs);
    auto second = get<1>(inputs);
    auto third = get<2>(inputs);
  }
}
"
    ));
}

#[test]
fn a_macro_that_may_not_be_defined_decides_nothing() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
#ifndef CUTLASS_ROWS
#define CUTLASS_ROWS 64
#endif
#if defined(CUTLASS_FAST)
#define IS_FAST
#define STEP 2
#else
#define STEP 1
#endif
#if defined(IS_FAST)
constexpr bool fast = true;
#else
constexpr bool fast = false;
#endif
#if STEP == 1
constexpr int by = 1;
#else
constexpr int by = 2;
#endif
#if defined(CUTLASS_ROWS)
using Rows = Int<CUTLASS_ROWS>;
#else
using Rows = _1;
#endif
#undef IS_FAST
#ifdef IS_FAST
constexpr bool faster = true;
#else
constexpr bool faster = false;
#endif
auto is_fast = bool_constant<fast>{};
auto step = Int<by>{};
auto rows = Rows{};
auto is_faster = bool_constant<faster>{};
"
    ));
}

#[test]
fn what_a_source_demands_of_its_build_is_taken_for_given() {
    insta::assert_snapshot!(annotated(
        r#"
using namespace cute;
#if defined(WIDE) && WIDE > 1
using Rows = _64;
#else
using Rows = _16;
#endif
struct Config {
#ifdef BYTES
  using Atom = Layout<_16>;
#elif HALVES
  using Atom = Layout<_8>;
#else
  #error "Either BYTES or HALVES"
#endif
};
void kernel() {
  using Atom = Config::Atom;
#if BYTES
  auto of_bytes = make_layout(Rows{});
#elif HALVES
  auto of_halves = make_layout(Rows{});
#endif
}
"#
    ));
}

#[test]
fn what_is_given_or_cannot_be_given_is_not_demanded() {
    insta::assert_snapshot!(annotated(
        r#"
using namespace cute;
#define HALVES
#ifdef BYTES
using Atom = Layout<_16>;
#elif defined(HALVES)
using Atom = Layout<_8>;
#else
#error "Either"
#endif
#ifdef BYTES
#error "Not with BYTES"
#endif
#if !defined(LEVEL)
#error "LEVEL is missing"
#endif
#ifdef LEVEL
using Level = Layout<_2>;
#endif
"#
    ));
}

#[test]
fn a_macro_that_a_build_must_define_has_no_known_value() {
    insta::assert_snapshot!(annotated(
        r#"
using namespace cute;
#ifndef HEAD_DIM
#error "HEAD_DIM is missing"
#endif
#if !defined(STAGES)
#error "STAGES is missing"
#endif
static_assert(HEAD_DIM == 128);
static_assert(HEAD_DIM % (16 * STAGES) == 0);
auto row = make_layout(Int<HEAD_DIM>{});
auto ring = make_layout(make_shape(Int<64>{}, Int<STAGES>{}));
#if HEAD_DIM == 64
using Atom = Layout<_8>;
#else
using Atom = Layout<_16>;
#endif
Atom atom;
#ifdef HEAD_DIM
using Known = Layout<_4>;
#endif
"#
    ));
}

#[test]
fn a_name_of_the_library_hides_one_further_out() {
    insta::assert_snapshot!(annotated(
        r"
namespace engine {
struct Tensor { int n; };
struct Swizzle { int bits; };
namespace detail {
using namespace cute;
using cute::Tensor;
template <class T> void f(T const* p, int m, int n) {
  Tensor a = make_tensor(p, make_layout(make_shape(m, n), make_stride(Int<1>{}, m)));
  auto c = local_tile(a, Shape<_8, _8>{}, make_coord(0, 0));
}
void g(float const* p, int m, int n) { f(p, m, n); }
}
void h(float const* p) {
  using cute::Swizzle;
  Tensor other{3};
  auto swizzled = cute::composition(Swizzle<3, 3, 3>{}, cute::Layout<cute::_64>{});
}
}
"
    ));
}

#[test]
fn layouts_of_shared_memory_have_the_width_of_their_elements() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
auto wider = upcast<2>(GMMA::Layout_K_SW128_Atom<half_t>{});
auto narrower = downcast<2>(GMMA::Layout_K_SW128_Atom<half_t>{});
auto recast = recast_layout<half_t, uint32_t>(GMMA::Layout_K_SW128_Atom<half_t>{});
using Bits = ComposedLayout<Swizzle<3, 4, 3>, smem_ptr_flag, Layout<Shape<_8, _1024>, Stride<_1024, _1>>>;
template <class T> using Atom = decltype(upcast<sizeof_bits<T>::value>(Bits{}));
auto tiled = tile_to_shape(Atom<half_t>{}, Shape<_64, _64>{});
using Sparse = ComposedLayout<Swizzle<3, 4, 3>, smem_sparse_ptr_flag_bits<2, 8>, Layout<Shape<_8, _128>, Stride<_128, _1>>>;
auto not_in_cute = upcast<2>(Sparse{});
SM90::GMMA::Layout_MN_SW128_Atom<half_t> in_its_namespace;
"
    ));
}

#[test]
fn what_fills_a_source_that_is_empty_without_is_taken_for_given() {
    insta::assert_snapshot!(annotated(
        r#"
#pragma once
#ifndef GUARD_H
#define GUARD_H
#include "cute/tensor.hpp"
using namespace cute;
namespace kernels {
#if defined(WITH_KERNELS) && WITH_HOPPER
#ifdef WITH_HALVES
using Atom = Layout<_8>;
#else
using Atom = Layout<_16>;
#endif
#endif
}
#ifdef WITH_MORE
using More = Layout<_4>;
#endif
#endif
"#
    ));
}

#[test]
fn what_is_not_needed_to_fill_a_source_is_not_taken_for_given() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
#ifdef DEBUG
using Debug = Layout<_4>;
#endif
#if 0
using Never = Layout<_8>;
#endif
using Atom = Layout<_16>;
"
    ));
}

#[test]
fn using_declarations_reach_into_namespaces_of_libraries() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
namespace cutlass::own::parts {
enum class Part { kRows, kColumns };
template <Part P, int N> struct Extent { using type = Int<P == Part::kRows ? N : 2 * N>; };
template <Part P, int N> using extent_t = typename Extent<P, N>::type;
}
namespace cutlass::own::whole {
using cutlass::own::parts::extent_t;
using cutlass::own::parts::Part;
template <int N> struct Tile {
  using Shape_MN = cute::Shape<extent_t<Part::kRows, N>, extent_t<Part::kColumns, N>>;
};
}
auto tile = make_layout(cutlass::own::whole::Tile<4>::Shape_MN{});
"
    ));
}

#[test]
fn truth_values_are_numbers_and_parts_of_tuples() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
constexpr std::tuple<int, int, bool, float> f(int d) {
  if (d < 3) { return {64, 2, true, 1.f}; } else { return {128, 3, false, 2.f}; }
}
template <int D, bool B> struct S {
  static constexpr std::tuple<int, int, bool, float> t = f(D);
  static constexpr bool b = std::get<2>(t);
  static constexpr int n = b ? 8 : 16;
  using L = Layout<Int<n>>;
  static constexpr int V = CUTE_STATIC_V(size(L{})) / 2;
  static constexpr auto W = Int<CUTE_STATIC_V(get<1>(Shape<_3, _8>{})) / 4>{};
  static constexpr bool X = CUTE_STATIC_V(size(L{})) == 8;
};
using L1 = S<1, true>::L;
using L2 = S<9, true>::L;
static constexpr bool wide = size(shape<0>(Shape<_128, _8>{}) > 64);
using Wide = Layout<Int<wide ? 2 : 1>>;
"
    ));
}

#[test]
fn methods_are_found_by_the_type_and_on_what_changes() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
struct Scheduler {
  int block;
  auto coordinate() { return make_coord(block, _0{}, make_coord(blockIdx.y, block)); }
  auto tile() { return Shape<_128, _64>{}; }
  Scheduler& operator++() { block += gridDim.x; return *this; }
};
void kernel(Scheduler scheduler) {
  for (; scheduler.block < 8; ++scheduler) {
    auto coordinate = scheduler.coordinate();
    auto fixed = scheduler.tile();
    auto none = scheduler.another();
  }
  using Mma = decltype(make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 128, UMMA::Major::K, UMMA::Major::K>{}));
  auto accumulator = Mma::make_fragment_C(partition_shape_C(Mma{}, Shape<_128, _128>{}));
  auto unknown = Mma::another(_1{});
}
"
    ));
}

#[test]
fn a_type_is_told_from_others_by_what_it_is_an_instance_of() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class T, class U> struct Pair {};
template <class T> void kernel(int n) {
  constexpr bool a = is_same_v<decltype(make_layout(make_shape(n, _4{}))), float>;
  constexpr bool b = is_same_v<cutlass::Array<float, 4>, cutlass::Array<half_t, 4>>;
  constexpr bool c = is_same_v<cutlass::Array<float, 4>, cutlass::Array<float, 4>>;
  constexpr bool d = is_same_v<cutlass::Array<T, 4>, cutlass::Array<half_t, 4>>;
  constexpr bool e = is_same_v<decltype(n), int>;
  constexpr bool f = is_complex<tuple<float, float>>::value;
  constexpr bool g = is_complex<Pair<float, float>>::value;
  constexpr bool h = is_same_v<Shape<int, _1>, Shape<int64_t, _1>>;
}
"
    ));
}

#[test]
fn members_of_two_objects_are_two_numbers() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
struct Problem { int n; int half() const { return n / 2; } };
Problem read(int which);
int behind(Problem* p) { return p->n; }
int local(int which) { auto* p = &table[which]; return p->n; }
int stage() { cutlass::PipelineState<4> state; return state.index(); }
void kernel(Problem* p, Problem* q, Problem given) {
  auto apart = p->n - q->n;
  auto same = p->n - p->n;
  auto layout = make_layout(make_shape(p->n, q->n));
  auto calls = behind(p) - behind(q);
  auto stages = stage() - stage();
  auto halves = p->half() - q->half();
  Problem copy = given;
  auto copied = copy.n - given.n;
  auto before = p->n;
  p = q;
  auto after = before - p->n;
}
"
    ));
}

#[test]
fn a_result_with_numbers_of_its_own_has_symbols_of_them() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
int read(int const*);
auto rows_of(int const* p) {
  int n = read(p);
  return make_shape(n, _8{}, 2 * n);
}
auto longer(int M, int N) {
  if (M > N) { return make_shape(M, _4{}); }
  return make_shape(N + 1, _4{});
}
auto two_types(bool flag) {
  if (flag) { return make_shape(_1{}); }
  return make_shape(_2{});
}
template <class F>
auto with_its_own(int const* p, F f) {
  int n = read(p);
  return make_shape(n, f());
}
void host(int M, int N, int n, int const* p) {
  auto rows = rows_of(p);
  auto others = rows_of(p);
  auto layout = make_layout(rows);
  auto difference = get<0>(rows) - get<0>(others);
  auto one_of_two = longer(M, N);
  auto either = two_types(M > N);
  auto apart = with_its_own(p, [&]() { return n; });
}
"
    ));
}

#[test]
fn template_arguments_of_instructions_are_deduced() {
    insta::assert_snapshot!(annotated(
        r"
#include <cute/tensor.hpp>
using namespace cute;
template <template <GMMA::Major, GMMA::Major, GMMA::ScaleIn, GMMA::ScaleIn> class Op,
          GMMA::Major a, GMMA::Major b, GMMA::ScaleIn sa, GMMA::ScaleIn sb>
constexpr auto in_registers(MMA_Atom<Op<a, b, sa, sb>> const&) {
  using Atom = MMA_Atom<Op<a, b, sa, sb>>;
  return MMA_Atom<decltype(GMMA::rs_op_selector<typename Atom::ValTypeA, typename Atom::ValTypeB,
                                                typename Atom::ValTypeC, typename Atom::Shape_MNK, a, b>())>{};
}
template <template <GMMA::ScaleIn, GMMA::ScaleIn> class Op, GMMA::ScaleIn sa, GMMA::ScaleIn sb>
constexpr auto in_registers(MMA_Atom<Op<sa, sb>> const&) {
  return _0{};
}
template <class Atom, class... Args>
constexpr auto in_registers(TiledMMA<Atom, Args...> const&) {
  return TiledMMA<decltype(in_registers(Atom{})), Args...>{};
}
template <class A, class B, class C, int M, int N, UMMA::Major a, UMMA::Major b, UMMA::ScaleIn sa, UMMA::ScaleIn sb,
          class... TAs, class... TMs>
constexpr auto in_tensor_memory(TiledMMA<MMA_Atom<SM100_MMA_F16BF16_SS<A, B, C, M, N, a, b, sa, sb>, TAs...>, TMs...>) {
  return TiledMMA<MMA_Atom<SM100_MMA_F16BF16_TS<A, B, C, M, N, a, b, sa, sb, UMMA::Saturate::False>, TAs...>, TMs...>{};
}
template <class A, class... Rest, class... TMs>
constexpr auto in_tensor_memory(TiledMMA<MMA_Atom<MMA_Traits<SM100_MMA_F8F6F4_SS, A, Rest...>>, TMs...>) {
  return A{};
}
template <template <class> class U, class T>
constexpr auto argument_of(U<T> const&) {
  return T{};
}
template <class T> struct Box { T value; };
void host() {
  auto wgmma = make_tiled_mma(SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}, Layout<Shape<_2, _1, _1>>{});
  auto registers = in_registers(wgmma);
  auto dense = make_tiled_mma(SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>{});
  auto tmem = in_tensor_memory(dense);
  using Narrow = MMA_Traits<SM100_MMA_F8F6F4_SS, float_e4m3_t, float_e4m3_t, float, C<128>, C<64>,
                            integral_constant<UMMA::Major, UMMA::Major::K>, integral_constant<UMMA::Major, UMMA::Major::K>,
                            integral_constant<UMMA::ScaleIn, UMMA::ScaleIn::One>,
                            integral_constant<UMMA::ScaleIn, UMMA::ScaleIn::One>>;
  auto narrow = in_tensor_memory(make_tiled_mma(MMA_Atom<Narrow>{}));
  Box<_8> box;
  auto argument = argument_of(box);
}
"
    ));
}

#[test]
fn classes_inside_templates_have_members_in_each_instance() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class L>
struct Collective {
  struct Params {
    L layout;
    int n;
  };
  struct Storage {
    using Shared = union {
      float first[cosize_v<L>];
      int second;
    };
    Shared shared;
  };
  void load(Params const& params) {
#if defined(__SOME_FEATURE__)
#  define IS_ENABLED 1
#endif
#if !defined(IS_ENABLED)
    return;
#else
    auto loaded = params.layout;
#endif
  }
};
void host() {
  Collective<Layout<Shape<_8, _4>>> small;
  Collective<Layout<Shape<_2, _2>>> smaller;
  auto bytes = sizeof(Collective<Layout<Shape<_8, _4>>>::Storage);
}
"
    ));
}

#[test]
fn modes_are_transformed_and_fragments_have_shapes() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
void host() {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _1, _1>>{});
  using Accumulators = typename decltype(mma)::LayoutC_TV;
  auto both = transform_layout(Layout<Shape<_2, _4>>{}, make_tuple(_3{}, _5{}),
                               [](auto const& mode, auto const& r) { return make_layout(r, r); });
  auto one = transform_layout(Layout<Shape<_2, _4>>{}, [](auto const& mode) { return make_layout(mode, mode); });
  auto longer = transform_layout(Layout<Shape<_2>>{}, Layout<Shape<_2, _3>>{}, [](auto const& a, auto const& b) { return a; });
  auto eight = make_fragment_like<float>(_8{});
  auto words = make_tensor<uint32_t>(Shape<_4, _2>{});
  auto pairs = recast<Array<half_t, 2>>(words);
  auto fours = recast<Array<half_t, 4>>(words);
}
"
    ));
}

/// Minus an unsigned number is what is missing to 2^32 or 2^64, so that `(-n) % n` is not 0.
#[test]
fn minus_an_unsigned_number_is_not_its_negative() {
    let source = r"
void host(unsigned n, size_t wide, int m, short s) {
  auto of_unsigned = (-n) % n;
  auto of_wide = (-wide) % wide;
  auto of_int = (-m) % m;
  auto of_short = (-s) % s;
  auto of_zero = (0 - n) % n;
  auto of_product = (-1 * n) % n;
  auto of_signed_product = (-1 * m) % m;
}
";
    let text = annotated(source);
    let line = |name: &str| text.lines().find(|line| line.contains(name));
    for name in ["of_unsigned", "of_wide", "of_zero", "of_product"] {
        let line = line(name).unwrap_or_default();
        assert!(
            line.contains(name) && !line.trim_end().ends_with('0'),
            "{line}"
        );
    }
    for name in ["of_int", "of_short", "of_signed_product"] {
        let line = line(name).unwrap_or_default();
        assert!(line.trim_end().ends_with('0'), "{line}");
    }
}

/// The numbers are those that the compiled program prints.
#[test]
fn types_of_static_truths_and_constants_of_tables_are_known_in_templates() {
    insta::assert_snapshot!(annotated(
        r"
#include <cute/tensor.hpp>
using namespace cute;
template <class Stage> auto of_stage(Stage stage) {
  if constexpr (decltype(stage == _0{})::value) { return make_layout(_8{}); }
  else { static_assert(decltype(stage == _1{})::value); return make_layout(_16{}); }
}
struct Tile { int m, n, k; };
constexpr Tile kTiles[] = {{128, 128, 64}, {256, 128, 32}};
template <int I> struct Config {
  static constexpr Tile t = kTiles[I];
  using Shape_MNK = Shape<Int<t.m>, Int<t.n>, Int<t.k>>;
};
using Second = Config<1>::Shape_MNK;
template <int I> void host() {
  auto first = of_stage(_0{});
  auto second = of_stage(_1{});
  auto either = make_layout(Int<decltype((_2{} == _2{}) || (_1{} == _2{}))::value + 1>{});
  auto smaller = make_layout(Int<decltype(_2{} < _3{} && _2{} > _0{})::value ? 5 : 6>{});
  constexpr Tile tile = kTiles[I];
  auto packed = make_layout(make_shape(Int<tile.m>{}, Int<tile.k>{}), LayoutRight{});
  constexpr int bits[] = {1, 2, 3};
  auto swizzled = composition(Swizzle<bits[I + 1], 3, 3>{}, packed);
  auto measured = make_layout(Int<decltype(size(packed))::value / 64>{});
}
template void host<0>();
"
    ));
}

#[test]
fn members_of_an_unnamed_union_are_members_of_the_class() {
    insta::assert_snapshot!(annotated(
        r"
#include <cute/tensor.hpp>
using namespace cute;
struct Mainloop { array_aligned<half_t, 1024> smem_q; };
struct Epilogue { using Element = float; array_aligned<Element, 512> smem_o; };
struct Storage {
  union {
    Mainloop mainloop;
    Epilogue epilogue;
  };
};
template <class T> void store(T& storage) {
  auto tile = make_tensor(make_smem_ptr(storage.smem_o.data()), Layout<Int<512 / sizeof(typename T::Element)>>{});
}
__global__ void k() {
  extern __shared__ char raw[];
  Storage& storage = *reinterpret_cast<Storage*>(raw);
  store(storage.epilogue);
  using Last = decltype(storage.epilogue);
}
"
    ));
}
