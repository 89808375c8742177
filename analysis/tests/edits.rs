//! Law: a file that is edited with headers around it has the values that it has when read afresh, also where a header
//! mentions what an edit declares.

#![allow(clippy::expect_used)] // The texts are those below.

use std::sync::Arc;

use cute_analysis::{
    Alone, Analysis, Included, Memo, Options, Positions, Predefined, SourceFile, Sources, analyse,
    analyse_edited,
};
use tree_sitter_cute::tree::Include;
use tree_sitter_cute::{Budget, Host, Syntax};

/// One header, which calls what whoever includes it may declare.
struct Header(Arc<SourceFile>);

impl Sources for Header {
    fn include(&self, _: &SourceFile, include: &Include) -> Included {
        match &*include.path.name {
            "header.h" => Included::File(Arc::clone(&self.0)),
            _ => Included::Known,
        }
    }

    fn users(&self, file: &SourceFile) -> Vec<Arc<SourceFile>> {
        Alone.users(file)
    }

    fn predefined(&self, file: &SourceFile) -> Vec<Predefined> {
        Alone.predefined(file)
    }
}

const HEADER: &str = "template <class T> auto call(T t) { return late(t); }\n\
    auto of_header(int n) { return make_layout(n, Int<3>{}); }\n";

const SOURCE: &str = "#include \"header.h\"\nusing namespace cute;\n\
    void first(int n) { auto a = of_header(n); }\n\
    auto second(int n) { return make_layout(Int<8>{}, n); }\n\
    void third(int n) { auto c = second(n); auto d = call(n); }\n";

fn parsed(text: &str, before: Option<&Syntax>) -> Arc<Syntax> {
    let syntax = Syntax::parse(Host::CudaCpp, text, before, Budget::unlimited());
    Arc::new(syntax.expect("within the limits"))
}

fn options() -> Options {
    Options {
        remedies: false,
        ..Options::default()
    }
}

fn fresh(text: &str, header: &Header) -> Analysis {
    let file = SourceFile::analysed("a.cu", text, parsed(text, None).lower(text));
    analyse(&file, header, &options())
}

/// Makes one replacement after the other; how many groups the last one had evaluated, and how many there
/// are.
fn after(replacements: &[(&str, &str)]) -> (usize, usize) {
    let positions = Positions::default();
    let unit = parsed(HEADER, None).lower(HEADER);
    let header = Header(Arc::new(SourceFile::other(
        "header.h", HEADER, unit, &positions,
    )));
    let (mut text, mut memo) = (SOURCE.to_owned(), Memo::default());
    let mut syntax = parsed(&text, None);
    for (what, with) in [("", "")].iter().chain(replacements) {
        assert!(text.contains(what), "{what}\n{text}");
        text = text.replacen(what, with, 1);
        syntax = parsed(&text, Some(&syntax));
        let file = SourceFile::parsed("a.cu", text.as_str(), Arc::clone(&syntax));
        let known = analyse_edited(&file, &header, &options(), &mut memo);
        assert_eq!(known, fresh(&text, &header), "{text}");
    }
    (memo.evaluated(), memo.groups())
}

#[test]
fn what_an_edit_can_change_is_evaluated_and_nothing_else() {
    assert_eq!(after(&[("Int<8>", "Int<16>")]), (1, 2));
    assert_eq!(after(&[("of_header(n)", "of_header(7)")]), (1, 2));
    assert_eq!(after(&[("first", "last"), ("last", "first")]), (1, 2));
}

#[test]
fn an_edit_may_declare_what_a_header_mentions() {
    let declares = (
        "void first",
        "auto late(int n) { return make_layout(n); }\nvoid first",
    );
    let again = ("make_layout(n); }", "make_layout(n, _2{}); }");
    let elsewhere = ("auto a", "auto b = Int<4>{}; auto a");
    after(&[declares]);
    after(&[elsewhere, declares, again, elsewhere]);
    // And no more.
    after(&[declares, again, ("late(int", "early(int"), elsewhere]);
}

#[test]
fn an_edit_may_change_the_environment() {
    after(&[("using namespace cute;\n", ""), ("Int<8>", "Int<4>")]);
    after(&[("#include \"header.h\"\n", ""), ("Int<8>", "Int<4>")]);
    let defines = (
        "void first",
        "#define MADE(name) void name() { auto m = _1{}; }\nvoid first",
    );
    after(&[
        defines,
        ("void third", "MADE(one)\nvoid third"),
        ("one", "two"),
        ("Int<8>", "Int<4>"),
    ]);
}

/// A class of a header is another instance in each group of declarations.
#[test]
fn members_of_a_class_of_a_header_are_those_of_its_arguments() {
    let class = "template <int N> struct Box { cute::Layout<cute::Int<N>> inner; };\n";
    let unit = parsed(class, None).lower(class);
    let header = SourceFile::other("header.h", class, unit, &Positions::default());
    let text = "#include \"header.h\"\n\
        void f(Box<4> first) { auto x = first.inner; }\n\
        void g(Box<8> second) { auto y = second.inner; }\n";
    let analysis = fresh(text, &Header(Arc::new(header)));
    let value = |name: &str| {
        let fact = analysis.facts.iter().find(|fact| &*fact.name == name);
        fact.map(|fact| fact.value.to_string())
    };
    assert_eq!(value("x").as_deref(), Some("_4:_1"));
    assert_eq!(value("y").as_deref(), Some("_8:_1"));
}
