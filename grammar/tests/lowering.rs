//! Lowered trees of sources, as text.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Budget, Host, Syntax};

const KERNEL: &str = include_str!("fixtures/kernel.cu");

fn lower(text: &str) -> Unit {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited());
    syntax.expect("within the limits").lower(text)
}

#[test]
fn a_source_with_most_idioms() {
    let unit = lower(KERNEL);
    assert_eq!(unit.errors, []);
    insta::assert_snapshot!(unit);
}

#[test]
fn a_rust_source_with_most_idioms() {
    let text = include_str!("fixtures/kernel.rs");
    let syntax = Syntax::parse(Host::Rust, text, None, Budget::unlimited());
    let unit = syntax.expect("within the limits").lower(text);
    assert_eq!(unit.errors, []);
    insta::assert_snapshot!(unit);
}

#[test]
fn values_inside_of_values_are_lowered_once() {
    let mut value = "0".to_owned();
    for _ in 0..24 {
        value = format!("1 + match x {{ Some(y) => {value}, None => a[b[1]..2][0] }}");
    }
    let text = format!("fn g() {{ let v = {value}; last(); }}");
    let syntax = Syntax::parse(Host::Rust, &text, None, Budget::unlimited());
    let unit = syntax.expect("within the limits").lower(&text);
    assert!(unit.to_string().ends_with("last()\n"), "{unit}");
}

/// The cost of an unfinished line: the lines of the lowered tree that are lost, per mille, on average over all places
/// between statements.
fn lost_to(half_typed: &str) -> usize {
    let lines = |text: &str| lower(text).to_string().lines().count();
    let whole = lines(KERNEL);
    let places: Vec<_> = KERNEL.match_indices(";\n").map(|(at, _)| at + 1).collect();
    let kept: usize = places
        .iter()
        .map(|at| {
            let (before, after) = KERNEL.split_at(*at);
            lines(&[before, half_typed, after].concat()).min(whole)
        })
        .sum();
    1000 - 1000 * kept / (whole * places.len())
}

#[test]
fn an_unfinished_line_leaves_the_others_readable() {
    for (half_typed, bound) in [
        ("\n  auto x = ", 30),
        ("\n  x.", 30),
        ("\n  auto x = make_layout(", 30),
        ("\n  if (x) {", 60),
        ("\n  f(Layout<Shape<_3,", 100),
    ] {
        let lost = lost_to(half_typed);
        assert!(lost <= bound, "{half_typed:?} loses {lost} of 1000 lines");
    }
}

/// A kernel that is being typed: nothing is closed.
#[test]
fn an_unfinished_function_has_its_parameters_and_statements() {
    let text = "template <class T, int N>\n__global__ void kernel(T const* A, int M) {\n  \
                auto x = make_shape(M, Int<N>{});\n  auto y = make_layout(x";
    insta::assert_snapshot!(lower(text), @r"
    __global__ function <class T, int N> kernel(A: T const*, M: int) -> void
      var x: auto = make_shape(M, Int<N>{})
    ");
}

#[test]
fn what_the_grammar_reads_in_two_ways_is_lowered_in_one() {
    let lowered = |statement: &str| {
        let text = format!("void f() {{ {statement} }}");
        lower(&text)
            .to_string()
            .lines()
            .skip(1)
            .map(str::trim)
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(lowered("dim3 g(M, N);"), "var g: dim3 = dim3!(M, N)");
    assert_eq!(lowered("dim3 g(M, 2);"), "var g: dim3 = dim3!(M, 2)");
    assert_eq!(
        lowered("dim3 g(a * b, c(d), e[1]);"),
        "var g: dim3 = dim3!((a * b), c(d), e[1])"
    );
    assert_eq!(lowered("T t(ts...);"), "var t: T = T!(ts...)");
    assert_eq!(lowered("T g(int);"), "function g(_unnamed: int) -> T");
    assert_eq!(lowered("T g();"), "function g() -> T");
    assert_eq!(lowered("f<g(x)>();"), "f<g(x)>()");
    assert_eq!(lowered("f<g(1)>();"), "f<g(1)>()");
    // Operations that could be functions which return a reference.
    assert_eq!(
        lowered("f<is<A, int> && (is<A, B>)>();"),
        "f<(is<A, int> && is<A, B>)>()"
    );
    assert_eq!(
        lowered("f<is<A>::value && (is<B>::value && is<C>)>();"),
        "f<(is<A>::value && (is<B>::value && is<C>))>()"
    );
    assert_eq!(lowered("f<a<T> && (not b<T>)>();"), "f<(a<T> && !b<T>)>()");
    assert_eq!(
        lowered("f<a<T> && (b<T>) && (c<T>)>();"),
        "f<((a<T> && b<T>) && c<T>)>()"
    );
    let types = [
        "f<int && (T)>();",
        "f<T* (U)>();",
        "f<T& (U)>();",
        "f<T && (int)>();",
        "f<T && (U, V)>();",
    ];
    for text in types {
        let lowered = lowered(text);
        assert!(
            !lowered.contains("f<(T") && !lowered.contains("f<(int"),
            "{lowered}"
        );
    }
    assert_eq!(lowered("y = (T)(x);"), "y = T(x)");
    assert_eq!(lowered("y = (T::X)(x);"), "y = T::X(x)");
    assert_eq!(lowered("y = (int)(x);"), "y = (x as[CStyle] int)");
    assert_eq!(lowered("f (x);"), "f(x)");
    assert_eq!(
        lowered("y = sizeof(T) + sizeof(int);"),
        "y = (sizeof(T) + sizeof(int))"
    );
}

#[test]
fn alignment_and_width_of_members() {
    let text = "struct __align__(8) alignas(16) S {
        alignas(int) char a;
        CUTE_ALIGNAS(32) int b[2];
        uint32_t c : 3, d : 5;
        union alignas(64) { int e; } f;
    };
    extern __shared__ __align__(1024) char smem[];";
    let unit = lower(text);
    assert_eq!(unit.errors, []);
    let expected = "\
struct alignas(8) alignas(16) S
  member alignas(int) a: char
  member alignas(32) b: int[2]
  member c: uint32_t (3 bits)
  member d: uint32_t (5 bits)
  union alignas(64) _unnamed
    member e: int
  member f: <?union_specifier?>
var extern __shared__ alignas(1024) smem: char[]
";
    assert_eq!(unit.to_string(), expected);
    assert!(
        lower("struct S { int : 0; };")
            .to_string()
            .contains("member _unnamed: int (0 bits)")
    );
}

/// The statement in `void f() { STATEMENT }`.
fn statement(text: &str) -> String {
    let unit = lower(&format!("void f() {{ {text} }}"));
    assert_eq!(unit.errors, [], "{text}");
    let lowered = unit.to_string();
    let lines: Vec<&str> = lowered.lines().skip(1).map(str::trim).collect();
    lines.join(" ")
}

#[test]
fn an_angle_bracket_opens_a_list_or_compares() {
    let cases = [
        // Lists, with more readings than a parser can follow at once.
        (
            "auto t = make_tile(Layout<Shape<Int<A>, Int<B>, _2>,  // (8, 2, 2)\n Stride<_1, Int<M>, _8> >{}, x);",
            "var t: auto = make_tile(Layout<Shape<Int<A>, Int<B>, _2>, Stride<_1, Int<M>, _8>>{}, x)",
        ),
        (
            "NS::Softmax<2 * size<1>(acc)> softmax;",
            "var softmax: NS::Softmax<(2 * size<1>(acc))>",
        ),
        (
            "for (int i = 0; i < size<1>(t); i++) g();",
            "for (var i: int = 0; (i < size<1>(t)); i++) g()",
        ),
        (
            "auto x = f<(N > 4), sizeof(T) < 8, 1'000, '>'>(y);",
            "var x: auto = f<(N > 4), (sizeof(T) < 8), 1000, '>'>(y)",
        ),
        ("auto x = A<B<C>>::value;", "var x: auto = A<B<C>>::value"),
        ("k<<<1, 2>>>(x);", "k<<<1, 2>>>(x)"),
        // Comparisons, however close they are.
        (
            "for (int i=0; i<n; i++) g();",
            "for (var i: int = 0; (i < n); i++) g()",
        ),
        ("bool b = i<n && j>m;", "var b: bool = ((i < n) && (j > m))"),
        ("int x = a<<2;", "var x: int = (a << 2)"),
        ("bool b = a<=2;", "var b: bool = (a <= 2)"),
    ];
    for (text, lowered) in cases {
        assert_eq!(statement(text), lowered, "{text}");
    }
}

/// A macro that no one knows hides what is declared behind it; what the parser makes of it is not a name.
#[test]
fn keywords_are_never_declared() {
    for text in [
        "my_push\nint x;\n",
        "my_push int f();\n",
        "my_push unsigned int f() { return 1; }\n",
        "typedef my_push int word;\n",
        "my_push template <class T> void f(T);\n",
    ] {
        let lowered = lower(text).to_string();
        for keyword in ["int", "template", "unsigned"] {
            for declared in ["var", "function", "alias"] {
                let garbled = format!("{declared} {keyword}");
                assert!(!lowered.contains(&garbled), "{text} is {lowered}");
            }
        }
    }
}
