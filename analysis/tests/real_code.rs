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
