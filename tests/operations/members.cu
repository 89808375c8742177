// Members of atoms, of what repeats them and of their threads, and CuTe's function objects: the stage `oracle` compares the
// results with those of g++.
#include <cute/tensor.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/atom/mma_traits_sm120.hpp>
using namespace cute;

// Of a tiled MMA, whatever the names in its class are.
template <class M>
void of_mma(M const& mma) {
  auto of_a = typename M::LayoutA_TV{};
  auto of_c = typename M::AtomLayoutC_TV{};
  auto threads = typename M::ThrLayoutVMNK{};
  auto one_atom = typename M::AtomThrID{};
  auto of_traits = typename M::Traits::BLayout{};
  auto of_operation = typename MMA_Traits<typename M::MMA_Op>::CLayout{};
  auto of_atom = typename M::Atom::LayoutB_TV{};
  auto kept = mma.thr_layout_vmnk_;
  auto extents = make_layout(typename M::AtomShape_MNK{});
  auto rows = make_layout(size(mma.template permutation_mnk<0>()));
  auto depth = make_layout(mma.template tile_size_mnk<2>());
  auto bits = make_layout(Int<sizeof_bits_v<typename M::ValTypeA> * 100 + sizeof_bits_v<typename M::ValTypeC>>{});
}

// Of the part of one thread, which is a tiled MMA, and that an atom.
template <class A, class T, class P>
auto threads_of(TiledMMA<A, T, P> const& mma) {
  return mma.thrfrg_A(Layout<Shape<_128, _64>>{});
}
template <class Op>
auto shape_of(MMA_Atom<Op> const& atom) {
  return typename MMA_Atom<Op>::Shape_MNK{};
}
template <class M>
void of_thread(M const& mma) {
  auto thread = mma.get_slice(0);
  auto as_whole = threads_of(thread);
  auto as_atom = make_layout(shape_of(mma));
  auto quad = typename decltype(thread)::ThrLayoutVMNK{};
}

// Of a tiled copy.
template <class C>
void of_copy(C const& copy) {
  auto source = typename C::AtomLayoutSrc{};
  auto destination = typename C::AtomLayoutDst{};
  auto reference = typename C::ValLayoutRef{};
  auto bits = typename C::BitLayoutRef{};
  auto of_traits = typename C::Traits::DstLayout{};
  auto threads = typename C::AtomThrID{};
  auto counts = Layout<Shape<typename C::AtomNumThr, typename C::AtomNumVal>, Stride<typename C::TiledNumThr, typename C::TiledNumVal>>{};
  auto again = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, typename C::ValType>{}, Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, Int<128 / sizeof_bits_v<typename C::ValType>>>>{});
  auto retiled = copy.retile(make_layout(Shape<_8, _2, _2>{}));
}

// The registers of an operand, as words.
template <class M>
void of_registers(M const& mma) {
  auto fragment = mma.get_slice(0).partition_fragment_A(make_tensor(make_smem_ptr(static_cast<uint8_t*>(nullptr)), Layout<Shape<_128, _128>>{}));
  auto words = recast<uint32_t>(fragment);
}

// Types that look alike and have run-time numbers.
struct RowMajor {};
template <class L> struct ToStride { using type = L; };
template <> struct ToStride<RowMajor> { using type = Stride<int64_t, _1, int64_t>; };
template <class L>
constexpr auto groups() {
  using S = typename ToStride<L>::type;
  using Inner = remove_pointer_t<S>;
  if constexpr (!is_same_v<Inner, S>) {
    return _1{};
  } else {
    return _2{};
  }
}

// A member that only some have.
struct Some { static constexpr int N = 5; };
struct None {};
template <class T, class = void> struct Number { static constexpr int value = 2; };
template <class T> struct Number<T, void_t<decltype(T::N)>> { static constexpr int value = T::N; };

int main() {
  auto plain = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{}, Tile<_32, _32, _16>{});
  auto bytes = make_tiled_mma(SM120_16x8x32_TN<float_e2m1_t, float_e3m2_t, float>{}, Layout<Shape<_2>>{});
  auto nibbles = make_tiled_mma(SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 16>{});
  of_mma(plain);
  of_mma(bytes);
  of_mma(nibbles);
  of_thread(plain);
  of_registers(bytes);
  auto factors = typename decltype(nibbles)::Traits::SFALayout{};
  of_copy(make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{}));
  of_copy(make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, plain));
  auto tile = UMMA::tile_to_mma_shape(Layout<Shape<_1, _128>, Stride<_0, _0>>{}, Shape<Shape<_128, _16>, _1, _8, _4>{}, Step<_1, _2, _3>{});
  auto zipped = zip(Layout<Shape<Shape<_4, _8>, Shape<_2, _16>>, Stride<Stride<_8, _1>, Stride<_32, _64>>>{});
  auto sums = make_layout(transform(cute::tuple<_2, _10>{}, cute::tuple<_5, _6>{}, plus{}));
  auto largest = make_layout(fold(cute::tuple<_2, _10, _16>{}, _1{}, max_fn{}));
  auto signless = make_layout(transform_leaf(cute::tuple<_2, C<-1>, cute::tuple<C<-5>, _1>>{}, abs_fn{}));
  auto place = make_layout(find(cute::tuple<_1, _4, _5, _2, _6>{}, _5{}));
  auto packed = make_layout(Int<sizeof_bits_v<cutlass::detail::float_e3m2_unpacksmem_t>>{});
  auto grouped = make_layout(groups<RowMajor>());
  auto by_pointer = make_layout(groups<Stride<int64_t, _1>*>());
  auto with = make_layout(Int<Number<Some>::value>{});
  auto without = make_layout(Int<Number<None>::value>{});
}
