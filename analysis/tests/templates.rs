//! Templates and types as a person sees them: which specialisation a name means, what its members
//! are, when two types are one.

mod support;

use cute_analysis::Options;
use support::{analysed, annotated};

#[test]
fn two_names_of_one_type_are_the_same() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class Stride_> struct Main {
  using StrideA = Stride_;
  using InternalA = cute::remove_pointer_t<StrideA>;
};
template <class M> struct Kernel {
  using StrideA = typename M::StrideA;
  using InternalA = typename M::InternalA;
  using L = cute::conditional_t<cute::is_same_v<StrideA, InternalA>, Layout<_1>, Layout<_2>>;
};
using Strided = Kernel<Main<Stride<int64_t, _1, int64_t>>>::L;
using Grouped = Kernel<Main<Stride<int64_t, _1, _0>*>>::L;
template <class A, class B> struct Open {
  using L = cute::conditional_t<cute::is_same_v<A, B>, Layout<_1>, Layout<_2>>;
};
using Widths = Open<Stride<int, _1>, Stride<int64_t, _1>>::L;
"
    ));
}

#[test]
fn a_trait_has_its_type_as_a_member() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
struct Has { using type = Layout<_7>; };
template <class T> using Plain = typename std::remove_cvref<T>::type;
using Kept = Plain<Has>::type;
using Chosen = std::conditional<true, Layout<_3>, Has>::type;
template <class T, class E = typename std::enable_if<sizeof(T) == 4>::type> struct Sized {
  using L = Layout<_5>;
};
using Enabled = Sized<float>::L;
"
    ));
}

#[test]
fn elements_of_containers_are_values_of_their_own() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
std::vector<Stride<int64_t, _1, _0>> strides;
std::vector<Shape<int, int, int>> problems;
void host(int i, Layout<Shape<_4, _2>>* fixed) {
  auto [m, n, k] = problems.at(i);
  auto first = make_layout(make_shape(m, k, 1), strides.at(i));
  auto second = make_layout(make_shape(m, k, 1), strides[i]);
  auto last = strides.back();
  auto of_type = fixed[2];
}
"
    ));
}

#[test]
fn a_packed_stride_has_a_batch_where_there_are_several() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
void host(int M, int K, int L) {
  auto open = cutlass::make_cute_packed_stride(Stride<int64_t, _1, int64_t>{}, make_shape(M, K, L));
  auto several = cutlass::make_cute_packed_stride(Stride<_1, int64_t, int64_t>{}, make_shape(M, K, 3));
  auto one = cutlass::make_cute_packed_stride(Stride<_1, int64_t, int64_t>{}, make_shape(M, K, 1));
  auto plain = cutlass::make_cute_packed_stride(Stride<int64_t, _1>{}, make_shape(M, K, L));
}
"
    ));
}

#[test]
fn a_specialisation_takes_defaults_and_drops_out_without_its_members() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
enum class Fill { kLower = 1, kUpper };
enum class Mode { kPlain, kOther };
template <Fill F, Mode M = Mode::kPlain> struct Rank;
template <Fill F> struct Rank<F> { using L = Layout<_3>; };
template <Fill F> struct Rank<F, Mode::kOther> { using L = Layout<_4>; };
using Omitted = Rank<Fill::kLower>::L;
using Stated = Rank<Fill::kLower, Mode::kPlain>::L;
using Other = Rank<Fill::kUpper, Mode::kOther>::L;
struct With { using Feature = void; };
struct Without {};
template <class T, class Enable = void> struct Select { using L = Layout<_5>; };
template <class T> struct Select<T, typename T::Feature> { using L = Layout<_6>; };
using Special = Select<With>::L;
using General = Select<Without>::L;
template <class T> struct Constants {
  static Fill const kFill = Fill::kUpper;
  enum Kind { kFirst, kSecond };
  using L = Layout<Int<int(kFill) + kSecond>>;
};
using Numbers = Constants<int>::L;
"
    ));
}

#[test]
fn names_of_members_and_bases_are_looked_up_where_they_stand() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class T> struct Policy { using L = Layout<_8>; };
struct Core { using Policy = Policy<int>; };
using Inner = Core::Policy::L;
template <class T> struct Kernel { using L = T; };
template <class T> struct Outer {
  using Chosen = Layout<T>;
  template <class S> class Base : public Kernel<Chosen> {};
  using K = Base<int>;
};
using FromBase = Outer<_9>::K::L;
"
    ));
}

#[test]
fn constants_of_tiles_and_instructions_are_members() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
using Tile = cutlass::gemm::GemmShape<128, 64, 32>;
using Extents = Layout<Shape<Int<Tile::kM>, Int<Tile::kKN>, Int<Tile::kCount>>>;
using Traits = MMA_Traits<SM80_16x8x16_F32F16F16F32_TN>;
using A = typename Traits::ALayout;
using Shape_ = typename Traits::Shape_MNK;
using Scaled = TiledMMA<MMA_Atom<SM100_MMA_MXF4_SS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 128, 128, 16, UMMA::Major::K, UMMA::Major::K>>>;
using Vector = Layout<Int<Scaled::SFVecSize>>;
using Depth = Layout<Int<Scaled::K>>;
auto tiled = tile_to_shape(Layout<Shape<_2, _4>>{}, Layout<Shape<_4, _8>, Stride<_8, _1>>{});
auto fastest = SM90::GMMA::rs_op_selector<half_t, half_t, float, Shape<_64, _16, _32>>();
"
    ));
}

#[test]
fn initialisers_of_bases_stand_in_front() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
struct Empty {};
struct Held : Empty { int rows; int columns; };
struct Base { Base(int); };
struct Using : Base { using Base::Base; int rows; };
void host() {
  Held held{{}, 4, 8};
  auto layout = make_layout(make_shape(held.rows, held.columns));
  auto used = Using{1};
}
"
    ));
}

#[test]
fn a_number_of_an_open_template_parameter_is_never_taken_for_0() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <int N> struct Tile {
  using Whole = decltype(make_layout(make_shape(Int<N>{}, _8{})));
  static constexpr auto halves() { return make_layout(make_shape(Int<N>{}, Int<ceil_div(N, 2)>{})); }
  template <class T> static auto again(T) { return T{}; }
  void method(int m) {
    auto whole = Whole{};
    auto half = decltype(halves()){};
    auto other = again(make_layout(Int<N>{}));
    auto known = decltype(make_layout(_4{})){};
  }
};
void host(int m) {
  auto zero = decltype(make_layout(m)){};
}
"
    ));
}

#[test]
fn what_a_specialisation_leaves_out_is_the_default_of_its_template() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
struct Old {}; struct New {};
template <class Tag, class Arch, class Problem = void> struct Selector {};
template <class Arch> struct Selector<void, Arch> { using Scheduler = Layout<_2>; };
template <> struct Selector<void, New> { using Scheduler = Layout<_3>; };
template <class Problem> struct Selector<void, New, Problem> { using Scheduler = Layout<_4>; };
auto of_new = typename Selector<void, New>::Scheduler{};
auto of_old = typename Selector<void, Old>::Scheduler{};
auto of_problem = typename Selector<void, New, int>::Scheduler{};
"
    ));
}

#[test]
fn a_constructor_deduces_the_arguments_of_its_class() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class T> struct Loop {
  template <class K, class A> struct Inputs {
    K tiles; A whole; T own; int mask;
    Inputs(K tiles_, A whole_, int mask_) : tiles(tiles_), whole(whole_), mask(mask_) {}
  };
  auto load_init(int m) const {
    auto whole = make_layout(make_shape(m, _8{}));
    return Inputs{_3{}, whole, 5};
  }
  template <class K, class A> auto load(Inputs<K, A> const& inputs) {
    auto [tiles, whole, own, mask] = inputs;
    auto column = whole(_, 0);
    return own;
  }
};
template <class A> struct Pair { A a; Pair(A a_, A b_) {} Pair(float* a_, int b_) {} };
template <class A> struct Free { template <class B> Free(B b_) {} };
void run(int m) {
  Loop<Layout<_7>> loop;
  auto inputs = loop.load_init(m);
  auto own = loop.load(inputs);
  auto two = Pair(m, m);
  auto free = Free(_1{}, _2{});
}
"
    ));
}

#[test]
fn an_open_pack_of_all_arguments_leaves_each_open() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class Shape, class Tile> struct Args { Shape problem; Tile tile; };
template <class Whole, class Part = int> struct Few { Whole whole; };
struct Store {
  template <class... Ts> auto callbacks(Args<Ts...> const& args) {
    auto [m, n] = args.problem;
    auto layout = make_layout(make_shape(m, n, _4{}));
    return layout;
  }
  template <class... Ts> auto other(Few<Ts...> const& args) {
    auto [m, n] = args.whole;
    return make_layout(make_shape(m, n));
  }
};
"
    ));
}

#[test]
fn a_call_of_a_method_that_is_not_there_makes_no_type() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
struct Zero { bool is_zero() const { return false; } };
struct Other {};
template <class T, class = void> struct Has { using Kind = Layout<_1>; };
template <class T> struct Has<T, void_t<decltype(declval<T>().is_zero())>> { using Kind = Layout<_2>; };
auto with = typename Has<Zero>::Kind{};
auto without = typename Has<Other>::Kind{};
auto of_number = typename Has<int>::Kind{};
"
    ));
}

#[test]
fn a_class_in_a_class_has_its_own_names_where_it_lies_in_memory() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class E, bool Wide> struct Epilogue {
  struct One { alignas(128) ArrayEngine<E, 64> values; };
  union Other { ArrayEngine<E, 32> values; };
  struct SharedStorage {
    struct Tensors { using Kind = conditional_t<Wide, One, Other>; Kind values; int more; } tensors;
  };
};
constexpr int wide = sizeof(typename Epilogue<float, true>::SharedStorage);
constexpr int narrow = sizeof(typename Epilogue<float, false>::SharedStorage);
"
    ));
}

#[test]
fn the_numbers_of_a_swizzle_are_deduced() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <int B, int M, int S> constexpr int alignment(Swizzle<B, M, S>) { return 1 << (B + M + cute::abs(S)); }
template <class T> struct Bits { static constexpr int value = 0; };
template <int B, int M, int S> struct Bits<Swizzle<B, M, S>> { static constexpr int value = B; };
constexpr int wide = alignment(Swizzle<3, 4, 3>{});
constexpr int reversed = alignment(Swizzle<2, 5, -2>{});
constexpr int bits = Bits<Swizzle<2, 4, 3>>::value;
constexpr int none = Bits<Layout<_4>>::value;
"
    ));
}

#[test]
fn this_is_an_object_whose_operators_are_called() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
struct Op {
  template <bool Twice = false, class Shape>
  auto operator()(Shape shape) { return make_tuple(make_layout(shape)); }
};
template <class Base> struct Adapter : Base {
  template <bool Twice, class Shape> auto store(Shape shape) {
    auto [first] = (*this).template operator()<Twice>(shape);
    auto [second] = (*this)(shape);
    return first;
  }
};
void host() {
  Adapter<Op> adapter;
  auto stored = adapter.template store<true>(make_shape(_4{}, _8{}));
}
"
    ));
}

#[test]
fn a_namespace_shows_what_the_namespaces_do_that_it_opens() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
namespace fused {
namespace detail { template <class T> struct Impl { using L = Layout<_2>; }; using Own = Layout<_3>; }
namespace deep { using Far = Layout<_4>; }
namespace detail { using namespace deep; using namespace detail; }
using namespace detail;
using Own = Layout<_5>;
inline namespace v2 { using Inner = Layout<_6>; }
}
using Found = typename fused::Impl<int>::L;
using Own = fused::Own;
using Far = fused::Far;
using Inner = fused::Inner;
namespace user { using namespace fused; using Opened = Far; }
"
    ));
}

#[test]
fn the_name_of_a_base_with_constructors_is_its_class() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class... Ops> struct Base {
  using Storage = tuple<Layout<_1>>;
  Base() {}
  Base(Storage const& storage) {}
};
template <class Op> struct Base<Op> {
  using Storage = tuple<Layout<_2>>;
  Base() {}
};
template <class... Ops> struct Derived : Base<Ops...> {
  using Impl = Base<Ops...>;
  using Storage = typename Impl::Storage;
  using Same = typename Base<Ops...>::Storage;
  Derived() {}
};
using One = typename Derived<int>::Storage;
using Two = typename Derived<int, float>::Same;
"
    ));
}

#[test]
fn a_specialisation_for_a_template_is_for_that_one() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
namespace thread {
template <class T> struct Relu {};
template <class T> struct Gelu {};
}
template <template <class> class Activation, class T, class = void> struct Compute { using L = Layout<_1>; };
template <class T> struct Compute<thread::Relu, T> { using L = Layout<_2>; };
using Other = typename Compute<thread::Gelu, float>::L;
using Special = typename Compute<thread::Relu, float>::L;
"
    ));
}

#[test]
fn what_only_the_running_program_knows_has_a_type() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
struct Scalar { float scalar; bool is_zero() const { return scalar == 0.f; } };
struct Nothing {};
template <class Op, class = void> struct Skips { using L = Layout<_1>; };
template <class Op> struct Skips<Op, void_t<decltype(declval<Op>().is_zero())>> { using L = Layout<_2>; };
using Has = typename Skips<Scalar>::L;
using HasNot = typename Skips<Nothing>::L;
"
    ));
}

#[test]
fn a_lambda_gives_a_value_of_one_type_and_each_call_its_own() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
void host(int m, int n, bool grouped) {
  auto first = [&]() { if (grouped) { return make_shape(m, _4{}); } return make_shape(n, _4{}); }();
  auto pick = [&](int k) { if (grouped) { return make_shape(n, _4{}); } return make_shape(k, _4{}); };
  auto second = pick(3);
  auto third = pick(5);
  auto apart = make_layout(make_shape(get<0>(first), get<0>(second), get<0>(third)));
  auto other = [&]() { if (grouped) { return make_shape(_2{}, m); } return make_shape(_4{}, m); }();
}
"
    ));
}

#[test]
fn the_mma_of_sm120_with_scale_factors_depends_on_the_storage_of_elements() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
using Packed = decltype(rr_blockscaled_op_selector_sm120<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 16, false>());
using Unpacked = decltype(rr_blockscaled_op_selector_sm120<float_e5m2_t, float_e4m3_t, float, float_ue8m0_t, 32, true>());
using Mma = TiledMMA<MMA_Atom<Packed>>;
"
    ));
}

#[test]
fn the_strides_of_groups_are_behind_a_pointer() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
using Strides = Stride<int64_t, _1, _0>*;
constexpr bool by_value = cutlass::detail::is_major<1>(Strides{});
constexpr bool by_type = cutlass::detail::is_major<1, Strides>();
constexpr bool other = cutlass::detail::is_major<0>(Strides{});
template <class StrideA> struct Open {
  static constexpr bool of_open = cutlass::detail::is_major<0>(Stride<StrideA, _1>{});
};
"
    ));
}

#[test]
fn a_visitor_that_is_declared_in_sight_has_its_members() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
namespace cutlass::epilogue::fusion {
struct Sm90AccFetch { using SharedStorage = Layout<_5>; };
template <class Op, class... Children> struct Sm90TreeVisitor { using SharedStorage = typename Op::SharedStorage; };
template <class Op, class... Children> using Sm90EVT = Sm90TreeVisitor<Op, Children...>;
}
using Tree = cutlass::epilogue::fusion::Sm90EVT<cutlass::epilogue::fusion::Sm90AccFetch>;
using Storage = typename Tree::SharedStorage;
"
    ));
}

#[test]
fn the_layout_of_a_tiled_object_is_its_type_whoever_holds_a_reference_to_it() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class M> void use(M& mma) {}
template <int N> void kernel(int thread) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_1, Int<N>>>{});
  auto copy = make_tiled_copy(Copy_Atom<UniversalCopy<half_t>, half_t>{}, Layout<Shape<_4, Int<N>>>{});
  use(mma);
  use(copy);
  auto part = mma.get_slice(thread);
  auto moved = copy.get_slice(thread);
  decltype(mma) other{};
}
"
    ));
}

#[test]
fn the_type_of_a_size_that_a_template_parameter_leaves_open_is_that_size() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
template <class Copy> void kernel(Copy const& copy, int given) {
  using Threads = decltype(size(copy));
  using Run = decltype(size(given));
  auto open = Layout<Shape<_1, Threads>, Stride<_0, _1>>{};
  auto fixed = Layout<Shape<_1, Run>, Stride<_0, _1>>{};
}
"
    ));
}

#[test]
fn traits_of_a_copy_stand_for_its_instruction() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
using Traits = Copy_Traits<SM75_U32x4_LDSM_N>;
using Loaded = Copy_Atom<Traits, half_t>;
using Plain = Copy_Atom<SM75_U32x4_LDSM_N, half_t>;
using Cached = Copy_Atom<Copy_Traits<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>>, half_t>;
void host(float* p) {
  auto counted = make_counting_tensor(Layout<Shape<_4, _8>>{});
  auto read = lazy::transform(make_tensor(p, Layout<Shape<_4, _8>>{}), [](float x) { return x; });
}
"
    ));
}

#[test]
fn a_define_of_a_keyword_for_old_compilers_replaces_nothing() {
    insta::assert_snapshot!(annotated(
        r"
#if (!defined(_MSC_VER) && (__cplusplus < 201103L)) || (defined(_MSC_VER) && (_MSC_VER < 1900))
#ifndef constexpr
#define constexpr
#endif
#ifndef static_assert
#define static_assert(e, m) typedef int assertion[(e) ? 1 : -1]
#endif
#endif
#define BOOL_SWITCH(COND, NAME, ...) \
  [&] {                              \
    if (COND) {                      \
      constexpr static bool NAME = true;  \
      return __VA_ARGS__();          \
    } else {                         \
      constexpr static bool NAME = false; \
      return __VA_ARGS__();          \
    }                                \
  }()
using namespace cute;
template <bool Even, bool Causal> __global__ void kernel(int n) {
  auto tile = make_layout(Shape<Int<Even ? 8 : 16>, Int<Causal ? 3 : 5>>{});
}
void host(int n) {
#define decltype(e) int
  BOOL_SWITCH(n > 3, Even, [&] {
    BOOL_SWITCH(n > 1, Causal, [&] { kernel<Even, Causal><<<1, 32>>>(n); });
  });
  decltype(Layout<_7>{}) declared;
}
"
    ));
}

#[test]
fn a_macro_that_is_nothing_is_left_out_inside_the_arguments_of_another_one() {
    let text = r"
#ifndef USE_ROCM
#define ROCM_ONLY(x)
#else
#define ROCM_ONLY(x) x
#endif
#define BOOL_SWITCH(COND, NAME, ...) \
  [&] { if (COND) { constexpr bool NAME = true; return __VA_ARGS__(); } \
        else { constexpr bool NAME = false; return __VA_ARGS__(); } }()
using namespace cute;
template <bool Even> __global__ void kernel(int n) {
  auto tile = make_layout(Int<Even ? 8 : 16>{});
}
void host(int n) {
  BOOL_SWITCH(n > 3, Even, [&] {
    auto kernel_of = &kernel<Even>;
    CHECK(cudaFuncSetAttribute(ROCM_ONLY((void *)) kernel_of, cudaFuncAttributeMaxDynamicSharedMemorySize, n));
    ROCM_ONLY(log(n));
    kernel_of<<<1, 32>>>(n);
  });
}
";
    let annotated = annotated(text);
    assert!(
        annotated.contains("_8:_1") && annotated.contains("_16:_1"),
        "{annotated}"
    );
}

#[test]
fn an_operation_of_the_source_has_the_traits_that_it_specialises() {
    insta::assert_snapshot!(annotated(
        r"
namespace cute {
struct SM120_Own {};
struct Described {};
struct TooLarge {};
template <> struct MMA_Traits<SM120_Own> {
  using ValTypeD = float;
  using ValTypeA = half_t;
  using ValTypeB = half_t;
  using ValTypeC = float;
  using Shape_MNK = Shape<_16, _8, _16>;
  using ThrID = Layout<_32>;
  using ALayout = Layout<Shape<Shape<_4, _8>, Shape<_2, _2, _2>>, Stride<Stride<_32, _1>, Stride<_16, _8, _128>>>;
  using BLayout = Layout<Shape<Shape<_4, _8>, Shape<_2, _2>>, Stride<Stride<_16, _1>, Stride<_8, _64>>>;
  using CLayout = Layout<Shape<Shape<_4, _8>, Shape<_2, _2>>, Stride<Stride<_32, _1>, Stride<_16, _8>>>;
};
template <> struct MMA_Traits<Described> : MMA_Traits<SM120_Own> {
  using FrgTypeA = GMMA::smem_desc<GMMA::Major::K>;
};
template <> struct MMA_Traits<TooLarge> : MMA_Traits<SM120_Own> {
  using Shape_MNK = Shape<_16, _4, _16>;
};
}
using namespace cute;
using ByOperation = TiledMMA<MMA_Atom<SM120_Own>, Layout<Shape<_2, _2, _1>>>;
using ByTraits = TiledMMA<MMA_Atom<MMA_Traits<SM120_Own>>, Layout<Shape<_2, _2, _1>>>;
using Standard = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_2, _2, _1>>>;
using OfDescriptors = TiledMMA<MMA_Atom<Described>>;
using OfTooMuch = TiledMMA<MMA_Atom<TooLarge>>;
template <int N> struct Traits {
  using Mma = decltype(make_tiled_mma(cute::SM120_Own{}, Layout<Shape<Int<N>, _1, _1>>{}, Tile<Int<16 * N>, _32, _16>{}));
};
template <class T> __global__ void kernel() {
  typename T::Mma mma;
  auto thread = mma.get_thread_slice(threadIdx.x);
  auto acc = partition_fragment_C(mma, Shape<_128, _64>{});
}
void host() { kernel<Traits<4>><<<1, 128>>>(); }
"
    ));
}

#[test]
fn the_name_space_of_the_library_is_another_where_the_build_says_so() {
    insta::assert_snapshot!(annotated(
        r"
namespace cutlass { using Four = cute::_4; constexpr int six = 6; }
#ifdef CUTLASS_NAMESPACE
#define concat_tok(a, b) a ## b
#define mkcutlassnamespace(pre, ns) concat_tok(pre, ns)
#define cutlass mkcutlassnamespace(cutlass_, CUTLASS_NAMESPACE)
#endif
#define SWITCH(NAME, ...) { constexpr int NAME = 2; __VA_ARGS__ }
void host() {
  SWITCH(Twice, auto tile = cute::make_layout(cute::Shape<cutlass::Four, cute::Int<cutlass::six * Twice>>{});)
}
"
    ));
}

#[test]
fn a_copy_of_c_takes_a_tile_of_m_and_n_alone() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
using Smem = decltype(tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_64, _64>{}));
using Removed = decltype(remove<2>(Shape<_64, _32>{}));
using Beyond = decltype(remove<2>(Shape<_64>{}));
void host(half_t* p, int m, int n) {
  auto d = make_tensor(make_gmem_ptr(p), make_shape(m, n), make_stride(int64_t(n), _1{}));
  auto of_three = make_tma_copy_C_sm90(SM90_TMA_STORE{}, d, Smem{}, Shape<_64, _64, _32>{});
  auto of_two = make_tma_copy_C_sm90(SM90_TMA_STORE{}, d, Smem{}, Shape<_64, _64>{});
  auto of_one = make_tma_copy_C_sm90(SM90_TMA_STORE{}, d, Smem{}, Shape<_64>{});
}
"
    ));
}

/// CUTLASS's builders and `FlashAttention` 3 choose the instruction so, also where CUTLASS's headers are not read.
#[test]
fn the_load_of_a_mode_of_a_cluster_is_a_multicast_for_several_ctas() {
    let text = r"
using namespace cute;
template <class ClusterShape> struct Mainloop {
  using Load = decltype(cutlass::gemm::collective::detail::sm90_cluster_shape_to_tma_atom(shape<0>(ClusterShape{})));
};
using Alone = Mainloop<Shape<_1, _2, _1>>::Load;
using Shared = Mainloop<Shape<_2, _1, _1>>::Load;
void f(int n) { auto open = cutlass::gemm::collective::detail::sm90_cluster_shape_to_tma_atom(n); }
";
    let analysis = analysed(text, &Options::default());
    let of = |name: &str| {
        let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
        fact.map(|fact| fact.value.to_string())
    };
    assert_eq!(of("Alone").as_deref(), Some("SM90_TMA_LOAD"));
    assert_eq!(of("Shared").as_deref(), Some("SM90_TMA_LOAD_MULTICAST"));
    assert_eq!(of("open").as_deref(), Some("?"));
}

#[test]
fn an_alias_may_have_the_name_of_what_it_names() {
    let text = r"
using namespace cute;
using Element = cutlass::half_t;
using Tile = Shape<_4, _8>;
template <class T> struct Main { using L = Layout<T>; };
struct Params {
  using Element = Element;
  using Tile = Tile;
  using L = Layout<Tile>;
};
template <class P> struct Kernel {
  using Main = Main<typename P::Tile>;
  using Inner = typename Main::L;
};
template <class P> void run() {
  using Main = Main<typename P::Tile>;
  using Local = typename Main::L;
}
void host() { run<Params>(); }
using Own = Params::L;
using Outer = Kernel<Params>::Inner;
struct Open { using Missing = Missing; };
using Unknown = Open::Missing;
";
    let analysis = analysed(text, &Options::default());
    let value = |name: &str| {
        let facts = analysis.facts.iter().filter(|fact| &*fact.name == name);
        let known = facts.filter(|fact| fact.reason().is_none());
        known.map(|fact| fact.value.to_string()).collect::<Vec<_>>()
    };
    for name in ["Own", "Outer", "Local"] {
        assert!(
            value(name).contains(&"(_4,_8):(_1,_4)".to_owned()),
            "{name}"
        );
    }
    assert!(value("Unknown").is_empty());
}

#[test]
fn a_class_template_is_an_argument_of_functions() {
    insta::assert_snapshot!(annotated(
        r"
using namespace cute;
namespace fusions {
template <class A, class B> struct Row { using L = Layout<Shape<A, B>>; };
template <class A, class B> struct Column { using L = Layout<Shape<B, A>>; };
}
template <template <class, class> class Fusion, class Tile> struct Gemm {
  using Fused = Fusion<Tile, Int<4>>;
};
template <template <class, class> class Fusion, class... Args> void dispatch(int m, Args&&... args) {
  auto l = typename Gemm<Fusion, _8>::Fused::L{};
}
template <template <class, class> class Fusion> __global__ void kernel() {
  auto l = typename Fusion<_2, _3>::L{};
}
template <template <class, class> class Fusion> void instantiated() {
  auto l = typename Fusion<_5, _6>::L{};
}
template void instantiated<fusions::Row>();
struct Runner {
  template <template <class, class> class Fusion> void run() {
    auto l = typename Fusion<_7, _8>::L{};
  }
};
template <template <class, class> class Fusion> constexpr int rows() {
  int rows = 0;
  for (int i = 0; i < 2; ++i) {
    rows += size<0>(typename Fusion<_2, _3>::L{});
  }
  return rows;
}
void host(int m) {
  dispatch<fusions::Row>(m, m);
  kernel<fusions::Column><<<1, 32>>>();
  Runner{}.template run<fusions::Column>();
  auto l = make_layout(Int<rows<fusions::Column>()>{});
}
"
    ));
}
