//! Groups of declarations that no name connects are evaluated one after the other; nothing of one is taken for another's.

#![allow(clippy::expect_used)] // The texts are those below.

use std::sync::Arc;

use cute_analysis::{Included, Options, Positions, Predefined, SourceFile, Sources, analyse};
use tree_sitter_cute::tree::Include;
use tree_sitter_cute::{Budget, Host, Syntax};

const HEADER: &str = "#pragma once
template <int N> struct Box {
  static constexpr int sum() { int s = 0; for (int i = 0; i < N; ++i) { s += i; } return s; }
  static constexpr int kSum = sum();
};
";

const SOURCE: &str = "#include \"box.h\"
using namespace cute;
void first() { auto a = make_layout(Int<Box<4>::kSum>{}); }
void second() { auto b = make_layout(Int<Box<5>::kSum>{}); }
";

struct WithHeader;

impl Sources for WithHeader {
    fn include(&self, _: &SourceFile, include: &Include) -> Included {
        if include.path.name != "box.h" {
            return Included::Known;
        }
        let syntax = parsed(HEADER);
        let (unit, positions) = (syntax.lower(HEADER), Positions::default());
        let file = SourceFile::other("box.h", HEADER, unit, &positions);
        Included::File(Arc::new(file))
    }

    fn users(&self, _: &SourceFile) -> Vec<Arc<SourceFile>> {
        Vec::new()
    }

    fn predefined(&self, _: &SourceFile) -> Vec<Predefined> {
        Vec::new()
    }
}

fn parsed(text: &str) -> Syntax {
    Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).expect("parsed")
}

#[test]
fn constants_of_a_class_of_a_header_are_those_of_its_instance() {
    let file = SourceFile::parsed("x.cu", SOURCE, Arc::new(parsed(SOURCE)));
    let analysis = analyse(&file, &WithHeader, &Options::default());
    let values: Vec<String> = analysis
        .facts
        .iter()
        .map(|fact| format!("{} = {}", fact.name, fact.value))
        .collect();
    assert_eq!(values, ["a = _6:_1", "b = _10:_1"]);
}
