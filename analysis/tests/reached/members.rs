//! Members of classes that are complete: they are compiled whether something uses them or not.

use cute_analysis::Options;

use super::{instances, rules};
use crate::support::analysed;

fn values(text: &str, name: &str) -> Vec<String> {
    let text = format!("using namespace cute;\n{text}");
    instances(&analysed(&text, &Options::default()), name)
}

#[test]
fn the_members_of_a_full_specialisation_are_known() {
    for general in [
        "template <class E, class A> struct Tile;",
        "template <class E, class A> struct Tile { using S = Layout<_9>; };",
    ] {
        let text = format!("{general}
template <> struct Tile<half_t, int> {{ using L = Layout<Shape<_2, _3>>; static constexpr int N = 4; }};
template <> struct Tile<float, int>;
");
        assert_eq!(values(&text, "L"), ["(_2,_3):(_1,_2)"]);
        assert_eq!(values(&text, "N"), ["4"]);
        // Once, also where it is used.
        let used =
            format!("{text}void f() {{ typename Tile<half_t, int>::L l; Tile<half_t, int> t; }}");
        assert_eq!(values(&used, "L"), ["(_2,_3):(_1,_2)"]);
    }
}

#[test]
fn the_members_of_a_partial_specialisation_are_those_of_its_instances() {
    let text = "template <class E, int N> struct Tile;
template <int N> struct Tile<half_t, N> { using L = Layout<Shape<_2, Int<N>>>; };
";
    assert_eq!(values(text, "L"), ["(_2,N):(_1,_2)"]);
    let used = format!("{text}void f() {{ Tile<half_t, 8> t; }}");
    assert_eq!(values(&used, "L"), ["(_2,_8):(_1,_2)"]);
}

#[test]
fn a_specialisation_only_names_the_layouts_of_its_aliases() {
    let text = "template <class Op> struct Traits;
template <> struct Traits<int> { using L = Layout<Shape<_4,Shape<_2,_8>>, Stride<_1,Stride<Stride<_4>>>>; };
";
    assert_eq!(rules(text), [""; 0]);
}
