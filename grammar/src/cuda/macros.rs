//! Macros and compiler words that decorate declarations and statements and carry no layout.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Those that the grammar reads as attributes.
static ATTRIBUTES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| tree_sitter_cute_cuda::DECORATIONS.lines().collect());

/// Whether a macro whose replacement consists of `word`s only decorates.
pub(super) fn is_decoration(word: &str) -> bool {
    let is_compiler_word = matches!(
        word,
        "__device__"
            | "__host__"
            | "__forceinline__"
            | "__noinline__"
            | "__inline__"
            | "__inline"
            | "inline"
            | "__restrict__"
            | "__restrict"
            | "CUTE_RESTRICT"
            | "CUTLASS_RESTRICT"
            | "__grid_constant__"
            | "__managed__"
            | "__extension__"
    );
    is_compiler_word || ATTRIBUTES.contains(word)
}

/// Whether the grammar reads `word` as its meaning.
pub(super) fn is_known(word: &str) -> bool {
    // Other words are all names.
    let may_be = word.starts_with('_') || word.starts_with('C');
    may_be && (is_decoration(word) || word == "CUTLASS_GLOBAL" || ALIGNMENTS.contains(&word))
}

/// Macros for `alignas`.
const ALIGNMENTS: [&str; 4] = [
    "CUTE_ALIGNAS",
    "CUTLASS_ALIGN",
    "CUTLASS_ALIGNAS",
    "__CUDA_ALIGN__",
];

/// Whether `word` is written the way macros are: capitals, digits and at least one underscore between them. Those of
/// an implementation begin with their own underscores (`_CCCL_API`).
pub(super) fn looks_like_macro(word: &str) -> bool {
    let word = word.trim_start_matches('_');
    word.len() >= 4
        && word.contains('_')
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether `word` is a name that only an implementation may give, as those of its attributes
/// (`__device_builtin__`), and not one that says where something is kept.
pub(super) fn is_of_implementation(word: &str) -> bool {
    word.len() > 4
        && word.starts_with("__")
        && word.ends_with("__")
        && !matches!(word, "__shared__" | "__constant__" | "__global__")
}

/// Whether a keyword begins the definition of a class or an enum.
pub(super) fn is_class_key(word: &str) -> bool {
    matches!(word, "class" | "struct" | "union" | "enum")
}

/// Whether a keyword can start a declaration or a loop but never follow a type or value, so that
/// a macro before it must be a decoration.
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
