//! Rust sources: values of names, and findings.

mod support;

use cute_analysis::Options;
use proptest::prelude::*;
use support::{analysed, annotated_in, findings_in};
use tree_sitter_cute::Host;

fn annotated(text: &str) -> String {
    annotated_in(Host::Rust, text)
}

#[test]
fn names_lead_through_use_paths() {
    insta::assert_snapshot!(annotated(
        r"
use cute_algebra::{self as ca, Layout as Map, layout as map, ops};
mod tiles {
    use super::inner::*;
    pub const N: usize = 2 * M;
    pub mod deep { pub const K: usize = super::N / 4; }
    fn own() { let a = self::deep::K; let b = crate::tiles::N; }
}
mod inner { pub const M: usize = 16; pub fn twice(n: usize) -> usize { n * 2 } }
use tiles::deep::K;
fn f() {
    let a = map!((4, K):(K, 1));
    let b = Map::left(ca::shape!((4, 2)))?;
    let c = ops::composition(&a, &b).unwrap();
    let d = ca::layout!(4:1);
    let e = inner::twice(K);
    let g = layout!(4:1);
    let h = Layout::left(a)?;
}
"
    ));
}

#[test]
fn blocks_branches_and_generics() {
    insta::assert_snapshot!(annotated(
        r"
use cute_rs::{C, L, T2, ColMajor};
type Of<const N: usize, T> = L<T2<C<N>, C<{ N * 2 }>>, T2<C<1>, T>>;
type A = Of<8, C<32>>;
struct Tile<const M: usize> { extent: usize }
impl<const M: usize> Tile<M> {
    const SIZE: usize = M * 4;
    type Rows = ColMajor<M, 4>;
    fn size(&self) -> usize { Self::SIZE + self.extent }
}
fn pick<const N: usize>() -> usize { if N > 4 { N } else { 2 * N } }
fn f(flag: bool, n: usize) {
    let a = { let b = 4; b * 2 };
    let c = if a == 8 { 1 } else { 2 };
    let d = match n { 0 => 1, _ => 2 };
    let e = pick::<4>();
    let g = Tile::<16> { extent: 3 };
    let h = g.size();
    let i = Tile::<8>::SIZE;
    let mut j = 5;
    let (k, _, l) = (1, 2, 3);
    let m = |x: usize| x + 1;
    let o = m(4);
    let p = n as u32 / 4;
}
"
    ));
}

#[test]
fn what_may_change_is_not_reported_as_it_began() {
    insta::assert_snapshot!(annotated(
        r"
use cute_algebra::layout;
fn f(x: &mut usize) {
    let mut a = layout!(4:1);
    a = layout!(8:1);
    let mut n = 4;
    n += 1;
    let b = layout!({ n }:1);
    let c = n + 1;
}
"
    ));
}

#[test]
fn operations_are_judged_as_in_cuda() {
    let found = findings_in(
        Host::Rust,
        r"
use cute_algebra::{layout, ops::composition};
fn f() { let r = composition(&layout!((6, 2):(1, 7)), &layout!((3, 2):(2, 3)))?; }
",
    );
    insta::assert_snapshot!(found);
}

#[test]
fn a_remedy_is_written_into_the_literal_of_a_macro() {
    let options = Options {
        host: Host::Rust,
        ..Options::default()
    };
    let text = "use cute_algebra::{layout, ops::logical_divide, tiler};\n\
                impl Foreign { fn f(&self) { let t = logical_divide(&layout!((10, 8):(8, 1)), &tiler!(<4, 5>)); } }\n";
    let analysis = analysed(text, &options);
    let finding = analysis.findings.first().expect("a finding");
    assert_eq!(finding.rule, "over-covers");
    let edit = finding
        .remedies
        .first()
        .and_then(|remedy| remedy.edits.first());
    let edit = edit.expect("an edit");
    assert_eq!(edit.span.text(text), "4", "{edit:?}");
}

const TOKENS: &[&str] = &[
    "use cute_algebra::{layout, ops::*, Layout};\n",
    "use cute_rs::*;\n",
    "use crate::a::b as c;\n",
    "use self::super::x;\n",
    "use a::a;\n",
    "mod a {",
    "}",
    "fn f<const N: usize>() {",
    "let x =",
    "layout!((4,8):(1,4))",
    "composition(&x, &x)?",
    "L<T2<C<8>, C<N>>, T2<C<1>, T>>",
    "C<{ N * 2 }>",
    ";",
    "type T = T;\n",
    "type A<const N: usize> = L<C<N>, C<1>>;\n",
    "A::<4>",
    "Self::",
    "self.",
    "impl T {",
    "const N: usize = N;\n",
    "struct S { a: usize }",
    "S { a: 1, ..x }",
    "match x { n => n, }",
    "if x {",
    "N",
    "zipped_divide::<4>()",
    "Swizzle<3, 3, 3>",
    "TmaDesc<f32, T>",
    "x",
    "|x| x",
    "(",
    ")",
    "-1",
    "as usize",
    "Layout::new(x, (1, -4))",
    "coalesce(x)",
    "<<",
    "9223372036854775807",
    "*",
    "&mut x",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_source_has_an_analysis(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..60)) {
        let text = format!("use cute_algebra::layout;\n{}", tokens.join(" "));
        let analysis = analysed(&text, &Options { host: Host::Rust, ..Options::default() });
        prop_assert!(analysis.facts.iter().all(|fact| fact.name_span.end <= text.len()));
    }
}

#[test]
fn a_swizzle_of_elements_is_one_of_bytes_for_a_type() {
    let source = |element: &str| {
        format!(
            "use cute_rs::{{Composed, RowMajor, Swizzle, TmaDesc}};\n\
             type D = TmaDesc<{element}, Composed<Swizzle<3, 3, 3>, 0, RowMajor<8, 64>>>;\n"
        )
    };
    assert_eq!(findings_in(Host::Rust, &source("f16")), "");
    insta::assert_snapshot!(findings_in(Host::Rust, &source("f32")));
    insta::assert_snapshot!(annotated(&source("f16")));
}

#[test]
fn an_illegal_swizzle_is_found_in_each_convention() {
    for (source, is_wrong) in [
        ("use cute_rs::Swizzle; type S = Swizzle<3, 4, 2>;", true),
        (
            "use cuda_device::swizzle::Swizzle; type S = Swizzle<3, 4, 7>;",
            false,
        ),
        (
            "use cuda_device::swizzle::Swizzle; type S = Swizzle<3, 4, 6>;",
            true,
        ),
        (
            "use cubecl_std::Swizzle; fn f() { let s = Swizzle::new(3, 4, 3); }",
            false,
        ),
        (
            "use cubecl_std::Swizzle; fn f() { let s = Swizzle::new(3, 4, 2); }",
            true,
        ),
        ("use other::Swizzle; type S = Swizzle<3, 4, 2>;", false),
    ] {
        let found = findings_in(Host::Rust, source);
        assert_eq!(
            found.contains("swizzle-illegal"),
            is_wrong,
            "{source}: {found}"
        );
    }
}

#[test]
fn a_source_without_a_crate_of_layouts_has_no_facts() {
    let options = Options {
        host: Host::Rust,
        ..Options::default()
    };
    let analysis = analysed("const N: usize = 4; fn f() { let x = N + 1; }", &options);
    assert!(analysis.facts.is_empty() && analysis.mentions().is_empty());
}

#[test]
fn directives_hold_in_rust() {
    let text = r"
use cute_algebra::{layout, ops::composition};
fn f() {
    // cute: allow(not-a-composition)
    let r = composition(&layout!((6, 2):(1, 7)), &layout!((3, 2):(2, 3)))?;
}
fn g(m: usize) {
    // cute: assume m=5120
    let n = m / 2;
}
";
    assert_eq!(findings_in(Host::Rust, text), "");
    insta::assert_snapshot!(annotated(text));
}

#[test]
fn elements_of_tuples_are_values() {
    insta::assert_snapshot!(annotated(
        r"
use cute_algebra::layout;
const TILE: (usize, usize) = (128, 64);
fn f() {
    let sizes: (usize, usize) = (TILE.1, 8);
    let (n, m) = (TILE.0, sizes.1);
    let rows = layout!((n, m):(m, 1));
    let third = TILE.2;
}
"
    ));
}
