//! The standard library: pairs, tuples, arrays, sequences, traits, lists of initialisers.

use super::source::Writer;
use super::structures::{Entry, entry, write_some};

/// Uses of the library.
pub(super) fn libraries(writer: &mut Writer<'_>) {
    let n: Vec<i64> = (0..4).map(|_| writer.between(1, 9)).collect();
    let (a, b, c, d) = (n[0], n[1], n[2], n[3]);
    let pool = [
        entry(
            format!(
                "struct Made {{ int k; constexpr Made() : k(1) {{}} constexpr Made(int) : k(2) {{}} constexpr Made(std::initializer_list<int> l) : k({a} + l.size()) {{}} constexpr Made(int, int) : k(3) {{}} }};"
            ),
            &[
                "Made{}.k",
                "Made{5}.k",
                "Made(5).k",
                "Made{5, 6}.k",
                "Made(5, 6).k",
                "Made().k",
            ],
        ),
        entry(
            format!(
                "constexpr std::array<int, 3> arr{{{a}, {b}, {c}}}; constexpr std::array deduced{{1, 2, 3, {d}}};"
            ),
            &[
                "int(arr.size())",
                "arr.back()",
                "arr[1]",
                "arr.front()",
                "deduced[3]",
                "sizeof(std::array<short, 5>)",
                "int(deduced.size())",
            ],
        ),
        entry(
            "",
            &[
                "std::tuple_size_v<std::array<int, 7>>",
                "std::integral_constant<int, 5>::value",
                "std::integral_constant<int, 5>{}",
                "std::integral_constant<int, 5>{}()",
                "sizeof(std::conditional_t<(2 > 3), char, long>)",
                "std::is_same<int, long>::value",
                "sizeof(std::pair<char, int>)",
            ],
        ),
        entry(
            format!(
                "constexpr std::pair<int, long> pr{{{a}, {b}}}; constexpr auto made = std::make_pair({c}, 'a');"
            ),
            &["pr.first", "pr.second", "made.first"],
        ),
        entry(
            "template <int... N> constexpr int squares(std::integer_sequence<int, N...>) { return ((N * N) + ... + 0); } template <std::size_t... N> constexpr int counted(std::index_sequence<N...>) { return sizeof...(N); } template <std::size_t... N> constexpr int digits(std::index_sequence<N...>) { int s = 0; ((s = s * 10 + N), ...); return s; }",
            &[
                "squares(std::make_integer_sequence<int, 5>{})",
                "counted(std::make_index_sequence<4>{})",
                "digits(std::make_index_sequence<4>{})",
                "counted(std::index_sequence<4, 5>{})",
            ],
        ),
        entry(
            format!(
                "constexpr int lesser = std::min({a}, {b}); constexpr int greater = std::max({a}, {b});"
            ),
            &[
                "lesser * 10 + greater",
                "std::max(lesser, 4)",
                "std::min(greater, 3)",
            ],
        ),
    ];
    let pool: Vec<Entry> = pool.into_iter().chain(traits()).collect();
    write_some(writer, &pool, 3);
}

/// Traits of types.
fn traits() -> [Entry; 3] {
    [
        entry(
            "",
            &[
                "std::is_same_v<int const, int>",
                "std::is_same_v<std::remove_cvref_t<int const&>, int>",
                "std::is_same_v<std::remove_reference_t<int const&>, int>",
                "std::is_same_v<std::common_type_t<int, long>, long>",
                "std::is_same_v<std::make_unsigned_t<int>, unsigned>",
                "std::is_same_v<std::decay_t<int const&>, int>",
            ],
        ),
        entry(
            "",
            &[
                "std::is_integral_v<long>",
                "std::is_signed_v<short>",
                "std::is_unsigned_v<bool>",
                "std::is_arithmetic_v<float>",
                "std::is_pointer_v<int*>",
                "std::is_convertible_v<int, double>",
                "std::is_base_of_v<int, int>",
                "std::is_floating_point_v<float>",
            ],
        ),
        entry(
            "",
            &[
                "std::is_void_v<void>",
                "std::is_class_v<std::array<int, 2>>",
                "std::is_enum_v<int>",
                "std::is_array_v<int[3]>",
                "std::is_reference_v<int&>",
                "std::is_const_v<int const>",
            ],
        ),
    ]
}
