//! Constructs of sources of others that were met while their layouts were counted.

mod support;

use support::annotated;

fn known(text: &str, expected: &[&str]) {
    let shown = annotated(text);
    for line in expected {
        assert!(shown.contains(line), "no {line} in\n{shown}");
    }
}

#[test]
fn what_is_added_to_a_pointer_at_run_time_leaves_its_type() {
    known(
        "using namespace cute;
struct Block {
  template <class Index> Index offset(Index const stride, int const batch) const {
    return sum == -1 ? batch * stride : uint32_t(sum) * stride;
  }
  int const sum;
};
void kernel(float* p, Block const& block, bool varlen, int n) {
  auto offset = varlen ? block.offset(n, 1) : 0;
  auto pointer = make_gmem_ptr(p + offset);
  auto tensor = make_tensor(pointer, make_layout(make_shape(n, _8{})));
}
",
        &["tensor = gmem_ptr[32b](PTR) o (n,_8):(_1,n)"],
    );
}

#[test]
fn tensors_are_seen_as_vectors_of_cuda() {
    known(
        "using namespace cute;
void kernel() {
  auto values = make_tensor<float>(Shape<_8, _3>{});
  auto pairs = recast<float2>(values);
  auto fours = recast<uint4>(values);
}
",
        &["pairs = ptr[64b]", "(_4,_3):(_1,_4)", "(_2,_3):(_1,_2)"],
    );
}

#[test]
fn an_atom_has_the_traits_of_its_operation() {
    known(
        "using namespace cute;
struct SM120_Own {};
namespace cute {
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
  using SFALayout = Layout<Shape<_8, _4>, Stride<_4, _1>>;
};
}
using Mma = TiledMMA<MMA_Atom<SM120_Own>, Layout<Shape<_2, _2, _1>>>;
using ScaleA = typename Mma::Atom::Traits::SFALayout;
",
        &["ScaleA = (_8,_4):(_4,_1)"],
    );
}

#[test]
fn tuples_take_room_for_the_objects_that_they_hold() {
    known(
        "struct Row { struct SharedStorage { float values[128]; }; };
struct Scalar { struct SharedStorage {}; };
template <class... Ops> struct Visitor {
  using SharedStorage = cute::tuple<typename Ops::SharedStorage...>;
};
using Tree = Visitor<Scalar, Row, Scalar>;
static constexpr int held = sizeof(typename Tree::SharedStorage);
static constexpr int nested = sizeof(typename Visitor<Tree, Row>::SharedStorage);
static constexpr int nothing = sizeof(typename Visitor<Scalar, Scalar>::SharedStorage);
",
        &["held = 512", "nested = 1024", "nothing = 1"],
    );
}

#[test]
fn barriers_of_a_pipeline_are_as_many_for_each_cluster() {
    known(
        "using namespace cute;
static constexpr int bytes =
    sizeof(typename cutlass::PipelineTmaUmmaAsync<3, Shape<int, int, _1>>::SharedStorage);
",
        &["bytes = 48"],
    );
}

#[test]
fn traits_of_a_source_name_layouts_of_cute_s_traits() {
    known(
        "namespace cute {
struct SM89_Own {};
template <> struct MMA_Traits<SM89_Own> {
  using ValTypeD = float;
  using ValTypeA = float_e4m3_t;
  using ValTypeB = float_e4m3_t;
  using ValTypeC = float;
  using Shape_MNK = Shape<_16, _8, _32>;
  using ThrID = Layout<_32>;
  using ALayout = Layout<Shape<Shape<_4, _8>, Shape<_4, _2, _2>>, Stride<Stride<_64, _1>, Stride<_16, _8, _256>>>;
  using BLayout = Layout<Shape<Shape<_4, _8>, Shape<_4, _2>>, Stride<Stride<_32, _1>, Stride<_8, _128>>>;
  using CLayout = SM80_16x8_Row;
};
}
using namespace cute;
struct Own { using SM80_8x4 = Layout<_7>; using Taken = SM80_8x4; };
using Quad = SM70_QuadPair;
using Columns = SM70_8x4_Col;
using Halves = SM80_8x8_Row;
void kernel() {
  TiledMMA<MMA_Atom<SM89_Own>, Layout<Shape<_2, _2, _1>>> mma;
  auto accumulators = partition_fragment_C(mma, Shape<_64, _32>{});
}
",
        &[
            "Quad = (_4,_2):(_1,_16)",
            "Columns = ((_4,_2),_4):((_8,_4),_1)",
            "Halves = ((_4,_8),_2):((_16,_1),_8)",
            "Taken = _7:_1",
            "mma = (_32,_2,_2,_1):(_1,_32,_64,_0)",
            "((_2,_2),_2,_2):((_1,_2),_4,_8)",
        ],
    );
}

#[test]
fn a_tiled_copy_has_the_tile_that_it_covers() {
    known(
        "using namespace cute;
using Copy = decltype(make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{}, Layout<Shape<_32, _4>, Stride<_1, _32>>{}, Layout<Shape<_1, _2>>{}));
auto coordinates = make_identity_tensor(typename Copy::Tiler_MN{});
",
        &["coordinates = ArithTuple o (_32,_8):(_1@0,_1@1)"],
    );
}

#[test]
fn scale_factors_of_b_have_an_operation_of_one_cta() {
    known(
        "using namespace cute;
template <class Op> struct Mainloop {
  using Mma = TiledMMA<MMA_Atom<Op>, Layout<Shape<_1, _1, _1>>, Tile<Underscore, Underscore, Underscore>>;
  using Scaled = TiledMMA<MMA_Atom<typename Mma::MMA_ScaleFactor>, Layout<Shape<_1, _1, _1>>, Tile<Underscore, Underscore, Underscore>>;
  using Tile_ = decltype(tile_shape(Scaled{}));
  using Threads = typename Scaled::AtomThrID;
};
using Pair = Mainloop<SM100_MMA_MXF4_2x1SM_SS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 256, 192, 16, UMMA::Major::K, UMMA::Major::K>>;
using Extents = typename Pair::Tile_;
using Ctas = typename Pair::Threads;
",
        &["Extents = (_128,_256,_64)", "Ctas = _1:_0"],
    );
}

#[test]
fn a_cluster_of_run_time_extents_leaves_the_box_of_the_type_whole() {
    known(
        "using namespace cute;
using Mma = TiledMMA<MMA_Atom<SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>>, Layout<Shape<_1, _1, _1>>>;
using Cluster = decltype(tiled_divide(make_layout(make_shape(uint32_t(0), uint32_t(0), Int<1>{})), make_tile(typename Mma::AtomThrID{})));
using Load = decltype(make_tma_atom_A_sm100<half_t>(
    SM90_TMA_LOAD_MULTICAST{},
    make_tensor(recast_ptr<half_t>(nullptr), make_shape(int32_t(0), int32_t(0)), make_stride(int64_t(0), _1{})),
    UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(Shape<_128, _16>{}, _1{}, _4{})),
    Shape<_128, _64, _64>{}, Mma{}, Cluster{}));
void kernel(Load const& load, int m, int k) {
  auto coordinates = load.get_tma_tensor(make_shape(m, k));
}
",
        &[
            "Load = (_1,_8192):(_0,_1)",
            "coordinates = ArithTuple o (m,k):(_1@1,_1@0)",
        ],
    );
}

/// Of g++ with CuTe's headers are all numbers of this test and of the next two.
#[test]
fn members_of_specialisations_and_of_members_lead_to_their_classes() {
    let text = "using namespace cute;
template <class A, class B> struct S { template <class C> void f(C); void g(); void h(int); void h(float); };
template <class X, class Y> struct S<X, Y*> { using T = Layout<Shape<X, Y>>; template <class C> void f(C); void g(); };
template <> struct S<_1, _2> { void g(); };
template <class A, class B> template <class C> void S<A, B*>::f(C c) { auto partial_f = make_layout(make_shape(A{}, B{}, c)); }
template <class A, class B> void S<A, B*>::g() { auto partial_g = T{}; }
template <class P, class Q> template <class R> void S<P, Q>::f(R c) { auto primary_f = make_layout(make_shape(P{}, Q{}, c)); }
template <class P, class Q> void S<P, Q>::g() { auto primary_g = make_layout(make_shape(P{}, Q{})); }
void S<_1, _2>::g() { auto full_g = make_layout(Int<77>{}); }
template <class P, class Q> void S<P, Q>::h(int) { auto whole = make_layout(make_shape(P{}, Q{})); }
template <class P, class Q> void S<P, Q>::h(float) { auto real = make_layout(make_shape(Q{}, P{})); }
template <class A> struct Outer {
  template <class B> struct Inner { template <class C> void f(C); void g(); };
  struct Plain { void g(); template <class C> void f(C); };
};
template <class A> template <class B> template <class C> void Outer<A>::Inner<B>::f(C c) { auto inner_f = make_layout(make_shape(A{}, B{}, c)); }
template <class T> template <class U> void Outer<T>::Inner<U>::g() { auto inner_g = make_layout(make_shape(T{}, U{})); }
template <class A> void Outer<A>::Plain::g() { auto plain_g = make_layout(make_shape(A{})); }
template <class A> template <class C> void Outer<A>::Plain::f(C c) { auto plain_f = make_layout(make_shape(A{}, c)); }
struct Other { struct Plain { void g(); }; };
void Other::Plain::g() { auto other_g = make_layout(make_shape(_5{})); }
void use() {
  S<_3, _4*> p; p.f(_5{}); p.g();
  S<_6, _7> q; q.f(_8{}); q.g(); q.h(1); q.h(1.0f);
  S<_1, _2> r; r.g();
  Outer<_9>::Inner<_10> i; i.f(_6{}); i.g();
  Outer<_12>::Plain k; k.g(); k.f(_7{});
  Other::Plain o; o.g();
}
";
    known(
        text,
        &[
            "partial_f = (_3,_4,_5):(_1,_3,_12)",
            "partial_g = (_3,_4):(_1,_3)",
            "primary_f = (_6,_7,_8):(_1,_6,_42)",
            "primary_g = (_6,_7):(_1,_6)",
            "full_g = _77:_1",
            "whole = (_6,_7):(_1,_6)",
            "real = (_7,_6):(_1,_7)",
            "inner_f = (_9,_10,_6):(_1,_9,_90)",
            "inner_g = (_9,_10):(_1,_9)",
            "plain_g = (_12):(_1)",
            "plain_f = (_12,_7):(_1,_12)",
            "other_g = (_5):(_1)",
        ],
    );
    let shown = annotated(text);
    for wrong in ["partial_f = (_6", "plain_g = (_5)", "other_g = (_12)"] {
        assert!(!shown.contains(wrong), "{wrong} in\n{shown}");
    }
}

#[test]
fn definitions_have_what_only_their_declarations_say() {
    known(
        "using namespace cute;
template <class A, class B> struct S { void h(int); };
template <> void S<_32, _64>::h(int) { auto special = make_layout(_128{}); }
template <class A, class B> void S<A, B>::h(int) { auto whole = make_layout(make_shape(A{}, B{})); }
struct Defaults { static auto make(int n = 4); template <class T = _6> auto type(); };
auto Defaults::make(int n) { return make_layout(make_shape(n, _2{})); }
template <class T> auto Defaults::type() { return make_layout(T{}); }
void use() {
  S<_32, _64> s; s.h(1);
  S<_6, _7> t; t.h(1);
  auto made = Defaults::make();
  auto typed = Defaults{}.type();
}
",
        &[
            "special = _128:_1",
            "whole = (_6,_7):(_1,_6)",
            "made = (4,_2):(_1,4)",
            "typed = _6:_1",
        ],
    );
}

#[test]
fn names_of_a_definition_are_those_of_its_class_and_nothing_else() {
    let shown = annotated(
        "using namespace cute;
using T = _3;
template <class T> struct S { void f(); };
template <class U> void S<U>::f() { auto other = make_layout(make_shape(U{}, T{})); }
template <class A> struct R { using V = _9; void f(); };
template <class V> void R<V>::f() { auto member = make_layout(V{}); }
void use() { S<_6> s; s.f(); R<_6> r; r.f(); }
",
    );
    for wrong in ["other = (_6,_6)", "member = _6"] {
        assert!(!shown.contains(wrong), "{wrong} in\n{shown}");
    }
}

#[test]
fn composed_layouts_are_made_of_their_parts() {
    known(
        "using namespace cute;
void kernel() {
  auto a = composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  auto b = ComposedLayout{Swizzle<3, 3, 3>{}, Int<0>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}};
  auto c = ComposedLayout{a.layout_a(), a.offset(), a.layout_b()};
  ComposedLayout d{Swizzle<2, 3, 3>{}, _0{}, Layout<_8, _1>{}};
  auto e = ComposedLayout(Swizzle<3, 3, 3>{}, 0, Layout<Shape<_8, _64>, Stride<_64, _1>>{});
  auto u = ComposedLayout{Layout<Shape<_4, _4>, Stride<_4, _1>>{}, 2, Layout<_16>{}};
}
",
        &[
            "b = Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
            "c = Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
            "d = Sw<2,3,3> o _0 o _8:_1",
            "e = Sw<3,3,3> o 0 o (_8,_64):(_64,_1)",
            "u = (_4,_4):(_4,_1) o 2 o _16:_1",
        ],
    );
}

#[test]
fn modes_are_grouped_up_to_the_last() {
    known(
        "using namespace cute;
void kernel() {
  auto t = make_tensor<float>(Shape<Shape<_2, _3>, _4, _5>{});
  auto last = group_modes<1, -1>(t);
  auto all = group_modes<0, -1>(t);
  auto none = group<1, 1>(t.layout());
  auto tuple = group<1, -1>(make_shape(_1{}, _2{}, _3{}));
  auto same = group<1, 1>(make_shape(_1{}, _2{}, _3{}));
  auto behind = group<3, -1>(t.layout());
  auto leaf = group<0, -1>(Layout<_8>{});
  auto vectors = group_modes<1, -1>(zipped_divide(t(_, _, 0), Int<2>{}));
  constexpr int R = decltype(t)::rank;
}
",
        &[
            "last = ptr[32b](PTR) o ((_2,_3),(_4,_5)):((_1,_2),(_6,_24))",
            "all = ptr[32b](PTR) o (((_2,_3),_4,_5)):(((_1,_2),_6,_24))",
            "none = ((_2,_3),_4,_5):((_1,_2),_6,_24)",
            "tuple = (_1,(_2,_3))",
            "same = (_1,_2,_3)",
            "behind = ((_2,_3),_4,_5):((_1,_2),_6,_24)",
            "leaf = ((_8)):((_1))",
            "vectors = ptr[32b](PTR) o (_2,(_12)):(_1,(_2))",
            "R = 3",
        ],
    );
}

/// `Layout<Shape<_2>, Stride<_8, _0>>` is a type, and g++ compiles the copy of it and partitions with it.
#[test]
fn modes_that_only_a_stride_has_are_ignored_by_the_tensors_of_a_copy() {
    let text = "using namespace cute;
using Values = Layout<Shape<Shape<_4, _8, _2, _2>, Shape<_2>>, Stride<Stride<_0, _1, _16, _0>, Stride<_8, _0>>>;
using Copy = decltype(make_tiled_copy_impl(Copy_Atom<UniversalCopy<float>, float>{}, Values{}, Shape<_32, _1>{}));
void kernel(float* p) {
  Copy copy;
  auto shared = make_tensor(p, Layout<Shape<_64, _4>>{});
  auto thread = copy.get_slice(threadIdx.x);
  auto from = thread.partition_S(shared);
  auto to = thread.partition_D(shared);
  auto fragment = make_fragment_like(to);
  auto again = thread.retile_D(fragment);
}
";
    known(
        text,
        &[
            "from = ptr[32b](PTR) o ((_1,_2),_2,_4):((_0,_8),_32,_64)",
            "to = ptr[32b](PTR) o ((_1,_2),_2,_4):((_0,_8),_32,_64)",
            "fragment = ptr[32b](PTR) o ((_1,_2),_2,_4):((_0,_1),_2,_4)",
            "again = ptr[32b](PTR) o ((_1,_2),_2,_4):((_0,_1),_2,_4)",
            "Values = ? a stride has more modes than its shape",
            "Copy = ? a stride has more modes than its shape",
        ],
    );
    assert_eq!(support::findings(text), "");
}

#[test]
fn integers_in_memory_are_numbers_of_the_running_program() {
    let text = "using namespace cute;
struct Lengths { int* starts; int longest; };
void kernel(Lengths s, int const* starts, float* values, bool* flags, int i) {
  auto first = starts[i];
  auto length = starts[i + 1] - starts[i];
  auto rows = make_layout(make_shape(first, length));
  auto own = s.starts[i];
  auto columns = make_layout(make_shape(own, _8{}));
  auto again = starts[i];
  auto both = make_layout(make_shape(first, again));
  auto value = values[i];
  auto flag = flags[i];
  auto& place = starts[i];
}
";
    known(
        text,
        &[
            "rows = (first,length):(_1,first)",
            "columns = (own,_8):(_1,own)",
            "both = (first,again):(_1,first)",
        ],
    );
    let shown = annotated(text);
    for name in ["value = ? ", "flag = ? ", "place = ? "] {
        assert!(shown.contains(name), "no {name} in\n{shown}");
    }
}

#[test]
fn lengths_that_depend_on_the_class_of_a_mode_keep_its_other_modes() {
    let text = "using namespace cute;
struct VariableLength {
  int max_length;
  int* cumulative_length = nullptr;
  operator int() const { return max_length; }
};
template <class T> struct is_variable_impl : std::false_type {};
template <> struct is_variable_impl<VariableLength> : std::true_type {};
template <class T> constexpr bool is_variable_v = is_variable_impl<remove_cvref_t<T>>::value;
template <class Shape> constexpr auto lengths(Shape const& shape, int idx) {
  return transform_leaf(shape, [&](auto const& s) {
    if constexpr (is_variable_v<decltype(s)>) {
      return s.cumulative_length[idx + 1] - s.cumulative_length[idx];
    } else {
      return s;
    }
  });
}
void kernel(int a, int b, int* p, int i) {
  auto fixed = make_layout(lengths(make_tuple(a, _3{}, make_tuple(b, a)), i));
  auto varied = make_layout(lengths(make_tuple(VariableLength{a, p}, b), i));
}
";
    known(text, &["fixed = (a,_3,(b,a)):"]);
    let shown = annotated(text);
    let is_varied = |line: &str| line.contains("varied = (") && line.contains(",b):");
    assert!(shown.lines().any(is_varied), "{shown}");
}

#[test]
fn a_variable_template_that_sees_qualifiers_is_not_asked_about_a_reference() {
    let text = "using namespace cute;
template <class T> struct is_plain_impl : std::false_type {};
template <> struct is_plain_impl<int> : std::true_type {};
template <class T> constexpr bool is_plain_v = is_plain_impl<T>::value;
template <class T> constexpr bool is_number_v = is_plain_impl<remove_cvref_t<T>>::value;
template <class T> constexpr bool is_either_v = is_plain_impl<remove_cvref_t<T>>::value && is_plain_impl<T>::value;
void kernel(int const& s) {
  constexpr bool sees = is_plain_v<decltype(s)>;
  constexpr bool drops = is_number_v<decltype(s)>;
  constexpr bool does_both = is_either_v<int const&>;
}
";
    known(text, &["drops = true"]);
    let shown = annotated(text);
    assert!(!shown.contains("sees = true"), "{shown}");
    assert!(!shown.contains("does_both = true"), "{shown}");
}

#[test]
fn an_alias_that_is_declared_again_is_the_same() {
    let text = "using namespace cute;
namespace one { using Number = _4; }
namespace two { using Number = _8; }
using Same = one::Number;
using Same = one::Number;
using Same = one::Number;
using Other = one::Number;
using Other = two::Number;
auto same = make_layout(Same{});
auto other = make_layout(Other{});
";
    known(text, &["same = _4:_1"]);
    let shown = annotated(text);
    assert!(shown.contains("other = ? "), "{shown}");
}

#[test]
fn a_parameter_that_a_pointer_to_a_constant_deduces_is_not_constant_itself() {
    known(
        "using namespace cute;
template <class T, class L> struct Storage { array_aligned<T, cosize_v<L>> data; };
template <class T> void product(T const* a, T* out, int m) {
  using L = Layout<Shape<Int<sizeof_bits_v<T>>, _8>>;
  Storage<T, L> storage;
  auto tile = make_tensor(make_smem_ptr(storage.data.data()), L{});
}
struct Memory {
  half_t* data;
  half_t* get() { return data; }
};
void host(half_t const* a, Memory memory, int m) { product(a, memory.get(), m); }
",
        &["tile = smem_ptr[16b](PTR) o (_16,_8):(_1,_16)"],
    );
}

#[test]
fn a_result_keeps_what_is_chosen_at_run_time_in_it() {
    known(
        "using namespace cute;
struct Params { int n; bool broadcast; half_t const* p; };
struct Routine {
  auto tiles(int m, Params const& params) {
    bool const broadcast = params.broadcast;
    auto bias = make_tensor(make_gmem_ptr(params.p), make_shape(m, params.n), make_stride(broadcast ? Int<0>{} : params.n * 2, _1{}));
    return make_tuple(local_tile(bias, Shape<_64, _32>{}, make_coord(_, _)), m);
  }
  void run(Params const& params, int m) {
    auto [bias, rows] = tiles(m, params);
    auto first = bias(_, _, 0, 0);
  }
};
__global__ void kernel(Params params, int m) { Routine{}.run(params, m); }
void host() { kernel<<<1, 128>>>(Params{}, 3); }
",
        &["first = gmem_ptr[16b](PTR) o (_64,_32):"],
    );
}

#[test]
fn a_list_of_types_keeps_its_integers_and_a_shape_has_sizes() {
    known(
        "using namespace cute;
template <class List> struct Elements {
  using First = tuple_element_t<0, List>;
  using Bits = Layout<Int<sizeof_bits_v<First>>>;
};
void host(int m) {
  using Four = Elements<tuple<int4b_t, half_t>>;
  using Eight = Elements<tuple<uint8_t, half_t, half_t>>;
  using Wide = Elements<tuple<int32_t, float>>;
  Four::Bits four;
  Eight::Bits eight;
  Wide::Bits wide;
  tuple<int, float> pair{4, 2.f};
  auto sized = make_layout(get<0>(pair));
  tuple<uint16_t, uint16_t> sizes{};
  auto empty = make_layout(get<1>(sizes));
}
",
        &[
            "four = _4:_1",
            "eight = _8:_1",
            "wide = _32:_1",
            "sized = 4:_1",
            "empty = 0:_1",
        ],
    );
}

#[test]
fn a_call_of_a_class_template_makes_an_object_of_the_class_that_its_arguments_say() {
    known(
        "using namespace cute;
namespace detail {
template <class Shape, class Tile, class Fragment> struct Args {
  Shape shape;
  Tile tile;
  Fragment& fragment;
  int thread;
  CUTE_DEVICE Args(Shape shape, Tile tile, Fragment& fragment, int thread)
      : shape(shape), tile(tile), fragment(fragment), thread(thread) {}
};
template <class T> struct Only {
  T t;
  CUTE_DEVICE Only(T t) : t(t) {}
};
}
template <class... A> void visit(detail::Args<A...> const& args) {
  auto tile = make_layout(args.tile);
  auto fragment = layout(args.fragment);
}
void kernel(int m) {
  auto fragment = make_tensor<float>(Shape<_4, _2>{});
  auto args = detail::Args(make_shape(m), Shape<_8, _3>{}, fragment, 0);
  visit(args);
  auto only = detail::Only(Layout<_5>{});
  auto inside = only.t;
}
",
        &[
            "tile = (_8,_3):(_1,_8)",
            "fragment = (_4,_2):(_1,_4)",
            "only = Only<_5:_1>",
            "inside = _5:_1",
        ],
    );
}

#[test]
fn elements_of_a_declared_tuple_are_objects() {
    known(
        "using namespace cute;
struct First { auto tile(int m) const { return make_layout(m); } };
struct Second { auto tile(int m) const { return make_layout(Int<4>{}); } };
template <class... Ops> struct Visitor {
  tuple<Ops...> ops;
  auto tiles(int m) {
    return transform_apply(ops, [&](auto& op) { return op.tile(m); },
                           [](auto&&... all) { return cute::make_tuple(cute::forward<decltype(all)>(all)...); });
  }
};
void kernel(int m) {
  Visitor<First, Second> visitor;
  auto second = get<1>(visitor.tiles(m));
  tuple<Second, First> both;
  auto of_first = get<0>(both).tile(m);
  auto moved = cute::move(of_first);
}
",
        &["second = _4:_1", "of_first = _4:_1", "moved = _4:_1"],
    );
}

#[test]
fn strides_begin_with_the_step_that_is_given() {
    known(
        "using namespace cute;
auto left = make_layout(Shape<_4, _3>{}, compact_col_major(Shape<_4, _3>{}, _64{}));
auto right = make_layout(Shape<_4, _3>{}, compact_row_major(Shape<_4, _3>{}, _64{}));
",
        &["left = (_4,_3):(_64,_256)", "right = (_4,_3):(_192,_64)"],
    );
}
