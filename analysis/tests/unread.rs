//! Headers of a library are parsed when a name is looked up that they may declare, and what is known is what is
//! known where all of them are read at once.

#![allow(clippy::expect_used)] // The texts are those below.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cute_analysis::{
    Analysis, Included, Options, Positions, Predefined, SourceFile, Sources, analyse,
};
use tree_sitter_cute::tree::Include;
use tree_sitter_cute::{Budget, Host, Syntax};

/// Headers in memory, all of a library.
struct Library(BTreeMap<PathBuf, Arc<SourceFile>>);

impl Library {
    /// `at_once` reads all of them as files of the project are read.
    fn of(texts: &[(&str, &str)], at_once: bool) -> Self {
        let positions = Positions::default();
        let time = Duration::from_secs(10);
        let read = |(name, text): &(&str, &str)| {
            let file = if at_once {
                SourceFile::other(*name, *text, lowered(text), &positions)
            } else {
                SourceFile::of_library(*name, *text, Host::CudaCpp, time, &positions)
            };
            (PathBuf::from(name), Arc::new(file))
        };
        Self(texts.iter().map(read).collect())
    }

    fn analysed(&self, text: &str) -> Analysis {
        let file = SourceFile::analysed("main.cu", text, lowered(text));
        analyse(&file, self, &Options::default())
    }

    /// The headers that were parsed.
    fn parsed(&self) -> Vec<String> {
        let parsed = self.0.values().filter(|file| file.is_parsed());
        parsed.map(|file| file.name()).collect()
    }
}

impl Sources for Library {
    fn include(&self, _: &SourceFile, include: &Include) -> Included {
        let file = self.0.get(&PathBuf::from(&include.path.name)).cloned();
        file.map_or(Included::Known, Included::File)
    }

    fn users(&self, _: &SourceFile) -> Vec<Arc<SourceFile>> {
        Vec::new()
    }

    fn predefined(&self, _: &SourceFile) -> Vec<Predefined> {
        Vec::new()
    }
}

fn lowered(text: &str) -> tree_sitter_cute::tree::Unit {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited());
    syntax.expect("parsed").lower(text)
}

/// `name = value` of the facts.
fn facts(analysis: &Analysis) -> Vec<String> {
    let facts = analysis.facts.iter();
    facts
        .map(|fact| format!("{} = {}", fact.name, fact.value))
        .collect()
}

const HEADERS: [(&str, &str); 9] = [
    (
        "all.h",
        "#pragma once\n#include \"bricks.h\"\n#include \"special.h\"\n#include \"switch.h\"\n#include \"branch.h\"\n\
         #include \"macros.h\"\n#include \"other.h\"\n",
    ),
    (
        "bricks.h",
        "#pragma once\nnamespace lib::inner { template <int N> struct Brick { static constexpr int size = 2 * N; }; \
         enum Mode { kRow = 3, kColumn }; }\nnamespace lib { using inner::Brick; }\nnamespace short_name = lib::inner;\n",
    ),
    (
        "special.h",
        "#pragma once\nnamespace lib::inner { template <int N> struct Brick; template <> struct Brick<5> { \
         static constexpr int size = 7; }; }\n",
    ),
    (
        "switch.h",
        "#pragma once\n#ifdef LIB_WIDE\nconstexpr int kWidth = 64;\n#else\nconstexpr int kWidth = 32;\n#endif\n",
    ),
    (
        "branch.h",
        "#pragma once\n#if LIB_LEVEL > 1\n#include \"behind.h\"\n#endif\n",
    ),
    ("behind.h", "#pragma once\nconstexpr int kBehind = 11;\n"),
    (
        "macros.h",
        "#pragma once\n#define LIB_WIDE\n#define LIB_LEVEL 2\n#define LIB_TWICE(x) (2 * (x))\n#define LIB_KERNEL(name) \
         __global__ void name(int count)\n",
    ),
    (
        "other.h",
        "#pragma once\n#if defined(LIB_LEVEL)\n#define LIB_COUNT 9\n#endif\nnamespace lib { inline int helper(int& n) { \
         return n++; }\ninline int looks(int n) { return n; } }\n",
    ),
    (
        "never.h",
        "#pragma once\nnamespace lib { struct Never { static constexpr int size = 1; }; }\n",
    ),
];

/// Names that each source needs, and the headers that are parsed for it: those whose surface declares a name of it (a
/// namespace is opened by many and declared by none), and those that define the macros of their `#if`s.
const SOURCES: [(&str, &[&str]); 11] = [
    ("auto l = cute::make_layout(cute::_8{});", &[]),
    (
        "constexpr int a = lib::inner::Brick<4>::size;",
        &["bricks.h", "special.h"],
    ),
    (
        "constexpr int a = lib::Brick<5>::size;",
        &["bricks.h", "special.h"],
    ),
    (
        "constexpr int a = short_name::Brick<3>::size;",
        &["bricks.h", "special.h"],
    ),
    ("constexpr int a = lib::inner::kColumn;", &["bricks.h"]),
    (
        "using namespace lib::inner;\nconstexpr int a = kRow;",
        &["bricks.h"],
    ),
    ("constexpr int a = LIB_TWICE(21);", &["macros.h"]),
    (
        "#if LIB_COUNT == 9\nconstexpr int a = 1;\n#else\nconstexpr int a = 2;\n#endif",
        &["macros.h", "other.h"],
    ),
    (
        "LIB_KERNEL(run) { auto l = cute::make_layout(count); }",
        &["macros.h"],
    ),
    (
        "void f() { int n = 4; for (int i = 0; i < 2; ++i) { auto l = cute::make_layout(n); lib::looks(n); } }",
        &["macros.h", "other.h"],
    ),
    (
        "void f() { int n = 4; for (int i = 0; i < 2; ++i) { auto l = cute::make_layout(n); lib::helper(n); } }",
        &["macros.h", "other.h"],
    ),
];

#[test]
fn what_is_known_is_what_is_known_where_all_headers_are_read_at_once() {
    for (source, needed) in SOURCES {
        let text = format!("#include \"all.h\"\n{source}\n");
        let (lazy, eager) = (Library::of(&HEADERS, false), Library::of(&HEADERS, true));
        let (found, expected) = (lazy.analysed(&text), eager.analysed(&text));
        assert_eq!(facts(&found), facts(&expected), "{source}");
        assert!(!found.facts.is_empty(), "{source}");
        assert_eq!(lazy.parsed(), needed, "{source}");
    }
}

#[test]
fn a_header_sees_the_macros_that_stand_before_it() {
    // The version of the library's own order: `switch.h` is before `macros.h`.
    let library = Library::of(&HEADERS, false);
    let found = library.analysed("#include \"all.h\"\nconstexpr int a = kWidth;\n");
    assert!(
        facts(&found).contains(&"a = 32".to_owned()),
        "{:?}",
        facts(&found)
    );
}

#[test]
fn what_a_branch_includes_is_found_behind_its_header() {
    let text = "#include \"macros.h\"\n#include \"branch.h\"\nconstexpr int a = kBehind;\n";
    let library = Library::of(&HEADERS, false);
    assert_eq!(facts(&library.analysed(text)), ["a = 11"]);
    assert_eq!(library.parsed(), ["behind.h", "branch.h", "macros.h"]);
    // Where the branch is not compiled it declares nothing.
    let text = "#define LIB_LEVEL 1\n#include \"branch.h\"\nconstexpr int a = kBehind;\n";
    let library = Library::of(&HEADERS, false);
    let found = facts(&library.analysed(text));
    assert!(found.iter().all(|fact| fact != "a = 11"), "{found:?}");
}

#[test]
fn a_header_whose_surface_does_not_show_all_is_read_at_once() {
    let pasting = "#define PASTE(a) constexpr int k##a = 4;\nPASTE(Four)\n";
    let library = Library::of(&[("paste.h", pasting)], false);
    library.analysed("#include \"paste.h\"\nauto l = cute::make_layout(cute::_8{});\n");
    assert_eq!(library.parsed(), ["paste.h"]);
}
