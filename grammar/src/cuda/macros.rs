//! Macros and compiler words that decorate declarations and statements and carry no layout.
//! A table: a library's own spelling is added by adding a line.

/// What the pre-pass does with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Overwrite it with spaces.
    Blank,
    /// Overwrite it and the parenthesised group behind it with spaces.
    BlankWithArguments,
    /// Overwrite it with this shorter text and spaces.
    Replace(&'static str),
}

/// The treatment of a known word.
pub(super) fn treatment(word: &str) -> Option<Treatment> {
    use Treatment::{Blank, BlankWithArguments, Replace};
    Some(match word {
        // CUDA and compiler words. `__global__` and `__shared__` stay: they are in the tree.
        "__device__" | "__host__" | "__forceinline__" | "__noinline__" | "__inline__"
        | "__restrict__" | "__restrict" | "__grid_constant__" | "__managed__" | "__extension__" => {
            Blank
        }
        "__launch_bounds__"
        | "__cluster_dims__"
        | "__maxnreg__"
        | "__attribute__"
        | "__block_size__"
        | "_Pragma"
        | "__pragma"
        | "__declspec"
        | "CUTLASS_DEPRECATED_MSG" => BlankWithArguments,
        // CuTe and CUTLASS.
        "CUTE_HOST_DEVICE"
        | "CUTE_DEVICE"
        | "CUTE_HOST"
        | "CUTE_INLINE_CONSTANT"
        | "CUTE_GRID_CONSTANT"
        | "CUTE_UNROLL"
        | "CUTE_NO_UNROLL"
        | "CUTE_RESTRICT"
        | "CUTE_GCC_UNREACHABLE"
        | "CUTE_LAMBDA_FUNC_INLINE"
        | "CUTLASS_HOST_DEVICE"
        | "CUTLASS_DEVICE"
        | "CUTLASS_HOST"
        | "CUTLASS_GRID_CONSTANT"
        | "CUTLASS_PRAGMA_UNROLL"
        | "CUTLASS_PRAGMA_NO_UNROLL"
        | "CUTLASS_GEMM_LOOP"
        | "CUTLASS_GEMM_LOOP_HEADER"
        | "CUTLASS_LAMBDA_FUNC_INLINE"
        | "CUTLASS_FORCEINLINE"
        | "CUTLASS_CONSTEXPR_IF_CXX17"
        | "CUTLASS_HOST_TRACE_INLINE"
        | "CUTLASS_API" => Blank,
        // The C++ spelling is in the tree: what a class needs of memory depends on it.
        "__align__" | "CUTE_ALIGNAS" | "CUTLASS_ALIGNAS" | "CUTLASS_ALIGN" => Replace("alignas"),
        "CUTLASS_GLOBAL" => Replace("__global__"),
        // Both assert that a value or its type is true; a class body takes no macro call.
        "CUTE_STATIC_ASSERT" | "CUTE_STATIC_ASSERT_V" => Replace("static_assert"),
        _ => return None,
    })
}

/// Whether a macro whose replacement consists of `word`s only decorates as well.
pub(super) fn is_decoration(word: &str) -> bool {
    matches!(treatment(word), Some(Treatment::Blank)) || matches!(word, "inline" | "__inline")
}

/// Whether `word` is written the way macros are: capitals, digits and at least one underscore.
pub(super) fn looks_like_macro(word: &str) -> bool {
    word.len() >= 4
        && word.contains('_')
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether a keyword can start a declaration or a loop but never follow a type or value, so that
/// a macro in front of it must be a decoration.
pub(super) fn starts_statement(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "auto"
            | "static"
            | "inline"
            | "constexpr"
            | "template"
            | "for"
            | "while"
            | "do"
            | "if"
            | "typename"
            | "explicit"
            | "virtual"
            | "friend"
            | "extern"
            | "bool"
            | "int"
            | "float"
            | "double"
            | "char"
            | "unsigned"
            | "__global__"
            | "class"
            | "struct"
            | "using"
    )
}
