//! Templates whose arguments are deduced, packed, folded and qualified.

use super::source::Writer;
use super::structures::{entry, write_some};

/// Templates, and their values for some arguments.
pub(super) fn generic(writer: &mut Writer<'_>) {
    let n: Vec<i64> = (0..4).map(|_| writer.between(1, 9)).collect();
    let (a, b, c, d) = (n[0], n[1], n[2], n[3]);
    let pool = [
        entry(
            format!("template <class T> constexpr auto picked() {{ if constexpr (sizeof(T) == 1) {{ return char({a}); }} else if constexpr (sizeof(T) == 4) {{ return long({b}); }} else {{ return short({c}); }} }}"),
            &["sizeof(picked<char>())", "sizeof(picked<int>())", "sizeof(decltype(picked<long>()))", "picked<int>()", "picked<long>()", "picked<double>() + 1"],
        ),
        entry(
            "template <class... T> struct Seq { static constexpr int n = sizeof...(T); }; template <class A, class B> struct Cat; template <class... A, class... B> struct Cat<Seq<A...>, Seq<B...>> { using type = Seq<A..., B...>; static constexpr int n = sizeof...(A) * 10 + sizeof...(B); };",
            &["Cat<Seq<int, char>, Seq<long>>::n", "Cat<Seq<int, char>, Seq<long>>::type::n", "Cat<Seq<>, Seq<long>>::n", "Cat<Seq<int>, Seq<>>::type::n"],
        ),
        entry(
            "template <int... N> struct Ints { static constexpr int n = sizeof...(N); }; template <class A, int N> struct Push; template <int... A, int N> struct Push<Ints<A...>, N> { using type = Ints<A..., N>; static constexpr int last = N; };",
            &["Push<Ints<1, 2>, 7>::last", "Push<Ints<1, 2>, 7>::type::n", "Push<Ints<>, 3>::type::n"],
        ),
        entry(
            "template <int... N> struct Folds { static constexpr int left = (... - N); static constexpr int right = (N - ...); static constexpr int begun = (100 - ... - N); static constexpr int ended = (N - ... - 100); static constexpr int all = (... && (N > 2)); };".to_owned(),
            &["Folds<7, 3, 2>::left", "Folds<7, 3, 2>::right", "Folds<7, 3, 2>::begun", "Folds<7, 3, 2>::ended", "Folds<7, 3, 2>::all"],
        ),
        entry(
            format!("template <class... T> constexpr int weighed(T... t) {{ int s = {a}; ((s = s * 2 + t), ...); return s; }}"),
            &["weighed(1, 2, 3)", "weighed()"],
        ),
        entry(
            format!("template <class T> struct IsInt {{ static constexpr int v = {a}; }}; template <> struct IsInt<int> {{ static constexpr int v = {b} + 10; }}; constexpr int constant = 3;"),
            &["IsInt<int>::v", "IsInt<int const>::v", "IsInt<int&>::v", "IsInt<decltype(constant)>::v", "IsInt<long>::v", "IsInt<decltype(1)>::v", "IsInt<std::remove_cv_t<int const>>::v"],
        ),
        entry(
            format!("template <class T> struct Points {{ static constexpr int v = {a}; }}; template <class T> struct Points<T*> {{ static constexpr int v = {b} + 10; }};"),
            &["Points<int*>::v", "Points<int* const>::v", "Points<int const*>::v", "Points<int>::v", "Points<int**>::v", "Points<int*&>::v"],
        ),
        entry(
            "template <class T, int N = sizeof(T), int M = N * 2> struct Defaults { static constexpr int v = N * 100 + M; };",
            &["Defaults<int>::v", "Defaults<int, 3>::v", "Defaults<int, 3, 5>::v", "Defaults<char>::v"],
        ),
        entry(
            "template <template <class...> class F, class... A> struct Apply { static constexpr int v = F<A...>::v + sizeof...(A); }; template <class... A> struct Count { static constexpr int v = 10 * sizeof...(A); };",
            &["Apply<Count, int, char, long>::v", "Apply<Count>::v"],
        ),
        entry(
            "template <class A, class B> struct Order { static constexpr int v = 1; }; template <class A, class B> struct Order<A*, B> { static constexpr int v = 2; }; template <class A, class B> struct Order<A*, B*> { static constexpr int v = 3; }; template <class A> struct Order<A*, A*> { static constexpr int v = 4; };",
            &["Order<int*, char*>::v", "Order<int*, int*>::v", "Order<int*, int>::v", "Order<int, int*>::v"],
        ),
        entry(
            format!("template <class T> constexpr int width = sizeof(T); template <> constexpr int width<char> = 50 + {a};"),
            &["width<int>", "width<char>", "width<long>"],
        ),
        entry(
            format!("template <class H, class... T> struct Total {{ static constexpr int v = sizeof(H) * {a} + Total<T...>::v; }}; template <class H> struct Total<H> {{ static constexpr int v = sizeof(H); }};"),
            &["Total<int, char, long>::v", "Total<char>::v", "Total<short, int>::v"],
        ),
        entry(
            format!("template <class T, class... R> constexpr int last(T t, R... r) {{ if constexpr (sizeof...(R) == 0) {{ return t; }} else {{ return last(r...) + {d}; }} }}"),
            &["last(1, 2, 7)", "last(5)"],
        ),
    ];
    write_some(writer, &pool, 3);
    sums_like_casts(writer);
}

/// `(Named::v) - 1`, which reads as a cast until it is known that the name is a number.
fn sums_like_casts(writer: &mut Writer<'_>) {
    let value = writer.between(2, 9);
    let text = format!("struct Named {{ static constexpr int v = {value}; using type = int; }};");
    if writer.has(&text) {
        return;
    }
    writer.line(text);
    let pick = |writer: &mut Writer<'_>, of: &[&str]| {
        let last = of.len() as i64 - 1;
        of[writer.between(0, last) as usize].to_owned()
    };
    let mut sums = Vec::new();
    for name in ["Named", "T"] {
        let named = format!("({name}::v)");
        let mut sum = pick(
            writer,
            &["7", &named, &format!("-{named}"), &format!("(int){named}")],
        );
        for _ in 0..writer.between(1, 4) {
            let op = pick(writer, &[" + ", " - ", " * ", " / ", " % ", " & "]);
            let operand = pick(writer, &["3", "20", &named, &named, &format!("-{named}")]);
            sum = format!("{sum}{op}{operand}");
        }
        sums.push(sum);
    }
    let [plain, dependent] = [&sums[0], &sums[1]];
    writer.line(format!(
        "template <class T> struct Sums {{ static constexpr int v = {dependent}; }};"
    ));
    writer.probe("int", plain);
    writer.probe("int", "Sums<Named>::v");
    writer.probe("int", "(Named::type) - 3 + 1");
}
