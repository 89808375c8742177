//! Instances that no source makes: what is supposed of a template, that it is marked, and where nothing is.

mod support;

use cute_analysis::{Options, Role};
use support::analysed;

/// The layouts and types that are declared in supposed instances, each with its instance.
fn supposed(text: &str) -> Vec<String> {
    let analysis = analysed(text, &Options::default());
    let facts = analysis
        .facts
        .iter()
        .filter(|fact| fact.is_supposed() && matches!(fact.role, Role::Var | Role::Alias));
    facts
        .map(|fact| {
            let instance = fact.instance.as_deref().unwrap_or_default();
            format!("{} = {} [{instance}]", fact.name, fact.value)
        })
        .collect()
}

fn findings(text: &str) -> Vec<String> {
    let analysis = analysed(text, &Options::default());
    let findings = analysis.findings.iter();
    findings.map(|finding| finding.message.clone()).collect()
}

#[test]
fn names_and_assertions_suggest_arguments() {
    let text = "using namespace cute;
template <class Element, int kBlockM, bool kPadded> struct Traits {
  static_assert(kBlockM == 96 || kBlockM == 192);
  using Smem = Layout<Shape<Int<kBlockM>, Int<kPadded ? 40 : 32>>>;
  using Packed = decltype(recast<Element>(make_tensor<uint32_t>(Smem{})));
};
";
    assert_eq!(
        supposed(text),
        [
            "Smem = (_192,_32):(_1,_192) [supposed: Traits<cutlass::half_t, 192, false>]",
            "Packed = ptr[16b](PTR) o (_384,_32):(_1,_384) [supposed: Traits<cutlass::half_t, 192, false>]",
        ]
    );
}

#[test]
fn arguments_are_changed_until_every_assertion_holds() {
    let text = "using namespace cute;
template <int kBlockM, int kWarps> __global__ void kernel() {
  static_assert(kBlockM % (kWarps * 32) == 0 && kBlockM < 64);
  auto tile = make_layout(make_shape(Int<kBlockM>{}, Int<kWarps>{}));
}
";
    assert_eq!(
        supposed(text),
        ["tile = (_32,_1):(_1,_0) [supposed: kernel<32, 1>]"]
    );
}

#[test]
fn what_no_argument_satisfies_is_not_supposed() {
    let text = "using namespace cute;
template <int kBlockM> __global__ void kernel() {
  static_assert(kBlockM % 7 == 1 && kBlockM > 300);
  auto tile = make_layout(make_shape(Int<kBlockM>{}, _8{}));
}
";
    assert_eq!(supposed(text), [""; 0]);
    assert_eq!(findings(text), [""; 0]);
}

#[test]
fn what_is_refused_is_not_supposed() {
    let text = "using namespace cute;
template <int kBlockM> __global__ void kernel() {
  auto rows = make_layout(Shape<Int<2 * kBlockM + 1>, _7>{}, Stride<_1, _1000>{});
  auto tile = composition(rows, Layout<_4, Int<kBlockM + 1>>{});
}
";
    assert_eq!(supposed(text), [""; 0]);
}

#[test]
fn a_template_that_is_instantiated_is_not_supposed() {
    let text = "using namespace cute;
template <int kBlockM> __global__ void kernel() {
  auto tile = make_layout(make_shape(Int<kBlockM>{}, _8{}));
}
template <int kBlockM> struct Traits {
  using Smem = Layout<Shape<Int<kBlockM>, _8>>;
};
void host() {
  kernel<48><<<1, 32>>>();
  auto smem = Traits<24>::Smem{};
}
";
    assert_eq!(supposed(text), [""; 0]);
}

#[test]
fn a_class_that_has_the_members_is_supposed() {
    let text = "using namespace cute;
template <int kHeadDim> struct Small { static constexpr int kStages = 2; };
template <int kHeadDim> struct AttentionTraits {
  using Smem = Layout<Shape<Int<kHeadDim>, _8>>;
  static constexpr int kStages = 3;
};
template <class Traits> __global__ void kernel(float* p) {
  // Such as AttentionTraits, but not Small.
  auto shape = Traits::kStages;
  auto tile = make_tensor(make_smem_ptr(p), typename Traits::Smem{});
}
";
    let found = supposed(text);
    let tile =
        "tile = smem_ptr[32b](PTR) o (_128,_8):(_1,_128) [supposed: kernel<AttentionTraits<128>>]";
    assert!(found.iter().any(|line| line == tile), "{found:#?}");
}

#[test]
fn a_parameter_of_which_nothing_is_supposed_stays_open() {
    let text = "using namespace cute;
template <int kBlockM, class Visitor> struct Traits {
  using Smem = Layout<Shape<Int<kBlockM>, _8>>;
  using Seen = Layout<Shape<Int<Visitor::kSize>, _8>>;
};
";
    let found = supposed(text);
    let smem = "Smem = (_128,_8):(_1,_128) [supposed: Traits<128, Visitor>]";
    assert_eq!(found.first().map(String::as_str), Some(smem));
}

#[test]
fn nothing_of_a_supposed_instance_is_a_finding() {
    // The comment is wrong for every instance, and each is the reader's to judge.
    let text = "using namespace cute;
template <int kBlockM> __global__ void kernel(float* p) {
  auto tile = make_tensor(make_smem_ptr(p), make_layout(make_shape(Int<kBlockM>{}, Int<kBlockM>{})));
  auto part = tile(_, threadIdx.x);  // (64)
}
";
    assert_eq!(findings(text), [""; 0]);
    assert!(!supposed(text).is_empty());
}
