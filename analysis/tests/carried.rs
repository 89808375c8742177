//! Results carried over to a text with the same code are those of an analysis of that text, and take none.

#![allow(clippy::expect_used)] // The texts are those below.

use std::path::Path;
use std::sync::Arc;

use cute_analysis::{
    Alone, Analysis, Included, Options, Positions, Predefined, SourceFile, Sources, analyse,
};
use tree_sitter_cute::tree::{Include, Unit};
use tree_sitter_cute::{Budget, Host, Syntax};

const CPP: &str = "#define N 8 // how many
// one (M,K)
auto f(int M) {
  auto a = cute::make_layout(cute::make_shape(M, N)); // (M,N)
  int m = 512; /* as a rule */ auto t = cute::make_tensor(p, a);
  auto wrong = cute::composition(a, cute::make_layout(3, 5)); // why
  return \"// no comment (2,1):(1,2)\";
}
";

const PYTHON: &str = "import cutlass.cute as cute
# one
def f(M):
    a = cute.make_layout((M, 8))  # the first
    s = \"# none\"
    b = cute.make_layout((4, 8), stride=(1, 4))
    return b
";

const RUST: &str = "use cute_algebra::*; // all
fn f() {
    let a = layout!((4, 8):(1, 4)); // what
    let s = \"// none\";
}
";

/// A template that two units instantiate, each twice.
const HEADER: &str = "#pragma once
using namespace cute;
template <int N> auto whole() {
  auto lines = make_layout(make_shape(Int<N>{}, _4{})); // each
  /* a product */ auto both = make_layout(make_shape(_2{}, Int<N>{}));
  return lines;
}
";

/// The header and its units.
struct Units(Vec<Arc<SourceFile>>);

impl Units {
    fn new() -> Self {
        let positions = Positions::default();
        let unit = |index: usize| {
            let text =
                format!("#include \"tile.h\"\nvoid run() {{ whole<{index}>(); whole<9>(); }}\n");
            let unit = parsed(Host::CudaCpp, &text).lower(&text);
            Arc::new(SourceFile::other(
                format!("{index}.cu"),
                text,
                unit,
                &positions,
            ))
        };
        Self((3..5).map(unit).collect())
    }
}

impl Sources for Units {
    fn include(&self, _: &SourceFile, include: &Include) -> Included {
        if include.path.name != "tile.h" {
            return Included::Known;
        }
        // The file that is analysed is in its place.
        let file = SourceFile::other("tile.h", "", Unit::default(), &Positions::default());
        Included::File(Arc::new(file))
    }

    fn users(&self, file: &SourceFile) -> Vec<Arc<SourceFile>> {
        let is_header = file.path() == Path::new("tile.h");
        self.0.iter().filter(|_| is_header).cloned().collect()
    }

    fn predefined(&self, _: &SourceFile) -> Vec<Predefined> {
        Vec::new()
    }
}

fn parsed(host: Host, text: &str) -> Syntax {
    Syntax::parse(host, text, None, Budget::unlimited()).expect("parsed")
}

fn analysed(host: Host, text: &str, sources: &dyn Sources) -> Analysis {
    let file = SourceFile::parsed("tile.h", text, Arc::new(parsed(host, text)));
    let options = Options {
        host,
        remedies: false,
        ..Options::default()
    };
    analyse(&file, sources, &options)
}

/// Puts each of some words at each place of a text, one after the other: where something is carried over, it is what an
/// analysis of the new text says. How often it was.
fn carried(host: Host, text: &str, sources: &dyn Sources, words: &[&str]) -> usize {
    let known = analysed(host, text, sources);
    let syntax = parsed(host, text);
    let mut count = 0;
    for at in 0..=text.len() {
        for word in words {
            let mut edited = text.to_owned();
            edited.insert_str(at, word);
            let Some((carried, _)) = known.carried(host, text, &edited, &syntax) else {
                continue;
            };
            count += 1;
            let fresh = analysed(host, &edited, sources);
            assert!(carried == fresh, "{word:?} at {at} of {host:?}:\n{edited}");
        }
    }
    count
}

#[test]
fn what_is_carried_over_is_what_a_fresh_analysis_says() {
    let words = [" ", "x", "// y ", "/* z */", "\n"];
    assert!(carried(Host::CudaCpp, CPP, &Alone, &words) > 150);
    assert!(carried(Host::CudaCpp, HEADER, &Units::new(), &words) > 150);
    assert!(carried(Host::Python, PYTHON, &Alone, &["x", " ", "# y "]) > 20);
    assert!(carried(Host::Rust, RUST, &Alone, &["x", " ", "// y "]) > 20);
}

#[test]
fn a_text_that_was_carried_over_is_carried_on() {
    let (host, units) = (Host::CudaCpp, Units::new());
    let (mut text, mut known) = (HEADER.to_owned(), analysed(host, HEADER, &units));
    let syntax = parsed(host, HEADER);
    // At two places in turn, more often than replaced places are told apart.
    for key in 0..300 {
        let behind = if key % 2 == 0 { "// each" } else { "/* a" };
        let at = text.find(behind).expect("it is there") + behind.len();
        let mut edited = text.clone();
        edited.insert(at, 'x');
        (known, _) = known
            .carried(host, &text, &edited, &syntax)
            .expect("carried over");
        text = edited;
    }
    assert!(known == analysed(host, &text, &units));
    assert!(!known.mentions().is_empty());
}

#[test]
fn what_may_mean_something_else_is_not_carried_over() {
    let known = analysed(Host::CudaCpp, CPP, &Alone);
    let syntax = parsed(Host::CudaCpp, CPP);
    for (of, with) in [
        ("N 8", "N 9"),
        ("// (M,N)", "// (M,K)"),
        ("// why", "// cute: allow(over-covers)"),
        ("// why", "// (3,4):(1,2)"),
        ("no comment", "a comment"),
        ("m = 512", "m = 51"),
        ("*/ auto t", "*/\n auto t"),
    ] {
        let edited = CPP.replace(of, with);
        assert_ne!(edited, CPP);
        let carried = known.carried(Host::CudaCpp, CPP, &edited, &syntax);
        assert!(carried.is_none(), "{edited}");
    }
}
