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
