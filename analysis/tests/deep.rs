//! Sources that lead to themselves, are deeply nested or double with each line: each has an answer, on the stack of a
//! test thread (2 MB, that of the server's threads too) and with values of bounded size.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::fmt::Write;

use cute_analysis::{Analysis, Options};
use support::analysed;
use tree_sitter_cute::Host;

/// The depth.
const LEVELS: usize = 10_000;

fn analysed_in(host: Host, text: &str) -> Analysis {
    let options = Options {
        host,
        ..Options::default()
    };
    analysed(text, &options)
}

/// The value of the last declaration of a name.
fn value_of(analysis: &Analysis, name: &str) -> String {
    let fact = analysis.facts.iter().rfind(|fact| &*fact.name == name);
    let fact = fact.expect(name);
    match fact.reason() {
        Some(reason) => reason.to_string(),
        None => fact.value.to_string(),
    }
}

/// A text between as many copies of what opens and closes it.
fn inside(before: &str, open: &str, inner: &str, close: &str, after: &str) -> String {
    let (open, close) = (open.repeat(LEVELS), close.repeat(LEVELS));
    format!("{before}{open}{inner}{close}{after}\n")
}

/// A first line, and as many lines more, each made of its number and that of the line before.
fn lines(first: &str, line: impl Fn(usize, usize) -> String) -> String {
    let mut text = format!("{first}\n");
    for number in 1..=LEVELS {
        let _ = writeln!(text, "{}", line(number, number - 1));
    }
    text
}

#[test]
fn deep_sources_of_cuda_have_an_answer() {
    let deep = [
        inside("int x = ", "(", "1", ")", ";"),
        inside("int x = ", "{", "1", "}", ";"),
        inside("using T = ", "A<", "int", ">", ";"),
        inside("int ", "*", "p", "", ";"),
        inside("void f() ", "{", "", "}", ""),
        inside("void f(int a) { ", "if (a) { a = 1; } else ", "{}", "", "}"),
        inside("auto x = ", "Int<1>{} + ", "Int<1>{}", "", ";"),
        inside("const char* s = ", "\"a\" ", "", "", ";"),
        inside("int x = ", "-", "1", "", ";"),
        inside("int x = ", "1 ? 2 : ", "3", "", ";"),
        inside("", "namespace a {", "", "}", ""),
        inside("", "struct A {", "", "};", ""),
        inside("auto f = ", "[]{ return ", "1", "; }", ";"),
        inside("auto x = ", "make_shape(", "_1{}", ")", ";"),
        inside("auto x = a", ".b()", "", "", ";"),
        inside("auto x = a", "[1]", "", "", ";"),
        inside("auto x = a", "::b", "", "", ";"),
        inside("int ", "(*", "f", ")()", ";"),
        inside("decltype", "(", "1", ")", " x;"),
        inside("", "#if 1\n", "int x;\n", "#endif\n", ""),
        inside("#if ", "(", "1", ")", "\nint x;\n#endif"),
        inside("// ", "(", "8", ")", ":1\nauto x = make_layout(_8{});"),
        inside(
            "#define F(x) G(x)\n#define G(x) x\nint x = ",
            "F(",
            "1",
            ")",
            ";",
        ),
        inside(
            "#define F(x) G(x)\n#define G(x) x\n#if ",
            "F(",
            "1",
            ")",
            "\n#endif",
        ),
        inside(
            "#define F(...) int a; __VA_ARGS__\n",
            "F(",
            "int b;",
            ")",
            "",
        ),
        lines("#define A0 1", |n, m| format!("#define A{n} A{m}"))
            + "auto x = make_layout(A10000);\n",
        lines("#define A0(x) x", |n, m| format!("#define A{n}(x) A{m}(x)"))
            + "int x = A10000(1);\n",
        lines("auto f0() { return make_layout(_4{}); }", |n, m| {
            format!("auto f{n}() {{ return f{m}(); }}")
        }),
        lines("using A0 = int;", |n, m| format!("using A{n} = A{m};")),
        lines("constexpr int a0 = 1;", |n, m| {
            format!("constexpr int a{n} = a{m};")
        }),
        lines("struct A0 { int v; };", |n, m| {
            format!("struct A{n} : A{m} {{}};")
        }),
        lines("struct A0 { int v; };", |n, m| {
            format!("struct A{n} {{ A{m} m; }};")
        }),
        lines("constexpr int f0() { return 1; }", |n, m| {
            format!("constexpr int f{n}() {{ return f{m}(); }}")
        }),
    ];
    for text in deep {
        analysed_in(Host::CudaCpp, &text);
    }
}

#[test]
fn deep_sources_of_python_and_rust_have_an_answer() {
    let python = [
        inside("x = ", "(", "1", ")", ""),
        inside("x = ", "[", "1", "]", ""),
        inside("x = ", "not ", "1", "", ""),
        inside("x = ", "lambda: ", "1", "", ""),
        inside("x = ", "1 if a else ", "2", "", ""),
        inside("x = a", ".b", "", "", ""),
        inside("x = ", "f(", "1", ")", ""),
        inside("if a:\n  x = 1\n", "elif b:\n  x = 2\n", "", "", ""),
        lines("import cutlass.cute as cute\nx = (1,)", |_, _| {
            "x = (x,)".into()
        }),
        lines("import cutlass.cute as cute\na0 = 1", |n, m| {
            format!("a{n} = a{m}")
        }),
    ];
    for text in python {
        analysed_in(Host::Python, &text);
    }
    let rust = [
        inside("const X: u32 = ", "(", "1", ")", ";"),
        inside("type T = ", "A<", "u8", ">", ";"),
        inside("const X: u32 = ", "1 + ", "1", "", ";"),
        inside("fn f() ", "{", "", "}", ""),
        inside("", "mod a {", "", "}", ""),
        inside("fn f(x: ", "&", "u8", "", ") {}"),
        inside("fn f(a: u32) { ", "if a == 1 { } else ", "{}", "", " }"),
        inside("use ", "a::{", "b", "}", ";"),
    ];
    for text in rust {
        analysed_in(Host::Rust, &text);
    }
}

#[test]
fn what_leads_to_itself_is_unknown() {
    for (text, name, reason) in [
        ("struct A { Foo x; }\nFoo g;", "Foo", "A"),
        ("struct A { Foo x; } Foo;", "Foo", "A"),
        (
            "struct B; struct A { B b; }; struct B { A a; }; A x;",
            "x",
            "A",
        ),
        (
            "constexpr int a = b; constexpr int b = a;",
            "a",
            "`b` is defined in terms of itself",
        ),
        (
            "using T = U; using U = T;",
            "T",
            "`U` is defined in terms of itself",
        ),
    ] {
        assert_eq!(value_of(&analysed_in(Host::CudaCpp, text), name), reason);
    }
    for text in [
        "template <int N> struct W { W<N + 1> next; static constexpr int v = W<N + 1>::v; };
         W<0> w; constexpr int x = W<0>::v;",
        "template <int N> struct W : W<N + 1> {}; W<0> w; auto x = w.v;",
        "struct A : B {}; struct B : A {}; A q; auto z = q.x;",
        "constexpr int f(); constexpr int g() { return f(); } constexpr int f() { return g(); } constexpr int k = f();",
        "struct A { static constexpr int x = B::x; }; struct B { static constexpr int x = A::x; };
         auto v = make_layout(Int<A::x>{});",
        "struct P { Q q = Q{}; }; struct Q { P p = P{}; }; P pp; int h(int a = h()); int hh = h();",
        "template <class T> using X = X<T>; X<int> z; decltype(y) y = y;",
    ] {
        support::check(text);
    }
}

/// A line for each level, each with twice the parts of the one before.
fn doubled(first: &str, line: impl Fn(usize, usize) -> String) -> String {
    let lines = (1..=30).map(|number| line(number, number - 1));
    format!("{first}{}", lines.collect::<String>())
}

#[test]
fn a_value_has_a_bounded_number_of_parts() {
    const TOO_LARGE: &str = "evaluation limit reached: a value with too many parts";
    let shapes = doubled("void f() { auto a0 = make_shape(_2{}, _3{});\n", |n, m| {
        format!("auto a{n} = make_shape(a{m}, a{m});\n")
    });
    let analysis = analysed_in(Host::CudaCpp, &format!("using namespace cute;\n{shapes}}}"));
    assert_eq!(
        value_of(&analysis, "a2"),
        "(((_2,_3),(_2,_3)),((_2,_3),(_2,_3)))"
    );
    assert!(!value_of(&analysis, "a10").contains("stopped"));
    assert_eq!(value_of(&analysis, "a14"), TOO_LARGE);

    let tuples = doubled("def f():\n  a0 = (2, 3)\n", |n, m| {
        format!("  a{n} = (a{m}, a{m})\n")
    });
    let python = format!("import cutlass.cute as cute\n@cute.jit\n{tuples}");
    let analysis = analysed_in(Host::Python, &python);
    assert_eq!(value_of(&analysis, "a1"), "((_2,_3),(_2,_3))");
    assert_eq!(value_of(&analysis, "a14"), TOO_LARGE);

    for text in [
        "template <class T> auto b(T);
         template <class T> auto a(T x) { return b(make_shape(x, x)); }
         template <class T> auto b(T x) { return a(make_shape(x, x)); }
         void g() { auto l = a(_2{}); }",
        "template <class... T> auto h(T... t) { return h(t..., t...); }
         void g() { auto l = h(_2{}); }",
        "template <int N> struct F { using T = tuple<typename F<N - 1>::T, typename F<N - 1>::T>; };
         template <> struct F<0> { using T = tuple<_1, _2>; };
         void g() { auto l = make_layout(typename F<30>::T{}); }",
    ] {
        let analysis = analysed_in(Host::CudaCpp, &format!("using namespace cute;\n{text}"));
        let fact = analysis.facts.iter().find(|fact| &*fact.name == "l");
        assert!(fact.is_some_and(|fact| fact.reason().is_some()), "{text}");
    }
}

#[test]
fn a_function_whose_conditions_ask_for_it_takes_few_steps() {
    // As `cuda::std::swap` does: each condition looks both templates up again.
    let text = r"
        using namespace cute;
        template <bool B, class T = void> struct enable_if {};
        template <class T> struct enable_if<true, T> { using type = T; };
        template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
        template <class T> T&& declval();
        struct nat {};
        template <class T> struct movable;
        template <class T> struct swappable;
        template <class T, size_t N> struct open_array;
        template <class T> auto probe(T& a, T& b) -> decltype(swap(a, b));
        auto probe(...) -> nat;
        template <class T> struct open : is_same<decltype(probe(declval<T&>(), declval<T&>())), nat> {};
        template <class T, size_t N> struct open_array : is_same<decltype(probe(declval<T (&)[N]>(), declval<T (&)[N]>())), nat> {};
        template <class T> enable_if_t<open<T>::value && movable<T>::value> swap(T& a, T& b);
        template <class T, size_t N> enable_if_t<open_array<T, N>::value && swappable<T>::value> swap(T (&a)[N], T (&b)[N]);
        template <class T, class U> struct swappable_with {
          template <class L, class R> static decltype(swap(declval<L>(), declval<R>())) test(int);
          template <class, class> static nat test(long);
          using one = decltype((test<T, U>(0)));
          using other = decltype((test<U, T>(0)));
          static const bool value = !is_same<one, nat>::value && !is_same<other, nat>::value;
        };
        template <class T, bool B> struct integral { static const bool value = B; };
        template <class T> struct swappable : integral<T, swappable_with<T&, T&>::value> {};
        template <class T> struct movable : integral<T, swappable_with<T, T&>::value> {};
        void f() {
          unsigned k[4];
          auto r = swap(k[1], k[2]);
          auto l = make_layout(Int<4>{});
        }
    ";
    let options = Options {
        steps: 2_000,
        ..Options::default()
    };
    let analysis = analysed(text, &options);
    assert_eq!(value_of(&analysis, "l"), "_4:_1");
}
