//! The cost of an edit, in exact counts: the function instances that are evaluated for its answer. Nothing here looks
//! at a clock.

#![allow(clippy::expect_used)] // The texts are those below.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cute_analysis::{
    Alone, Analysis, Included, Memo, Options, Positions, Predefined, Shown, SourceFile, Sources,
    Work, analyse, analyse_edited,
};
use tree_sitter_cute::tree::{Include, Unit};
use tree_sitter_cute::{Budget, Host, Syntax};

const LONE: &str = "#include <cute/tensor.hpp>
using namespace cute;
template <class T> auto tile(T t) { auto one = make_layout(make_shape(t, _8{})); return one; }
void first() { auto a = tile(_4{}); }
void second() { auto b = make_layout(_16{}); }
void third() { auto c = make_layout(_32{}); }
";

/// A kernel that a switch of the launcher instantiates eight times, and a helper beside it.
const HEADER: &str = "#pragma once
using namespace cute;
template <int N> auto helper() { auto inner = make_layout(Int<N>{}); return inner; }
template <int N, bool A, bool B> auto kernel() {
  auto lines = make_layout(make_shape(Int<N>{}, _4{}));
  auto rows = helper<N>();
  return lines;
}
";

/// Translation units that include a header.
struct Units(Vec<Arc<SourceFile>>);

impl Units {
    fn of(texts: impl IntoIterator<Item = String>) -> Self {
        let positions = Positions::default();
        let unit = |(index, text): (usize, String)| {
            let unit = parsed(Host::CudaCpp, &text).lower(&text);
            let path = format!("{:03}.cu", index + 1);
            Arc::new(SourceFile::other(path, text, unit, &positions))
        };
        Self(texts.into_iter().enumerate().map(unit).collect())
    }

    /// Units that launch the kernel for each of four truth values, and do other things afterwards.
    fn launches(count: usize) -> Self {
        Self::of((1..=count).map(|index| {
            format!(
                "#include \"tile.h\"\n\
                 template <int N> auto launch(bool a, bool b) {{\n\
                   if (a) {{ if (b) {{ kernel<N, true, true>(); }} else {{\n kernel<N, true, false>(); }} }}\n\
                   else {{ if (b) {{ kernel<N, false, true>(); }} else {{\n kernel<N, false, false>(); }} }}\n\
                   return 0;\n\
                 }}\n\
                 template <int N> auto other() {{ return helper<N + 1000>(); }}\n\
                 void run(bool a, bool b) {{ launch<{index}>(a, b);\n launch<{index} + 500>(a, b); }}\n\
                 void more() {{ other<{index}>(); }}\n"
            )
        }))
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

fn file(host: Host, text: &str) -> SourceFile {
    SourceFile::parsed("tile.h", text, Arc::new(parsed(host, text)))
}

fn counted(host: Host) -> Options {
    Options {
        host,
        remedies: false,
        work: Work::counted(|| Duration::ZERO),
        ..Options::default()
    }
}

/// Number of evaluations of each function: `first 1, tile 2`.
fn functions(options: &Options) -> String {
    let done = options.work.done();
    let counts = done.functions.iter();
    let counts = counts.map(|(name, amount)| format!("{name} {}", amount.count));
    counts.collect::<Vec<_>>().join(", ")
}

/// The values of the names that two analyses both show, of the first instance of each.
fn shown_values(analysis: &Analysis) -> Vec<(String, String)> {
    let facts: Vec<_> = analysis.facts.iter().collect();
    let names = facts.chunk_by(|one, other| one.name_span == other.name_span);
    let first = names.filter_map(|of_name| of_name.first());
    first
        .map(|fact| (fact.name.to_string(), fact.value.to_string()))
        .collect()
}

#[test]
fn an_edit_of_a_body_evaluates_what_is_connected_with_it() {
    let mut memo = Memo::default();
    let options = counted(Host::CudaCpp);
    analyse_edited(&file(Host::CudaCpp, LONE), &Alone, &options, &mut memo);
    assert_eq!(functions(&options), "first 1, second 1, third 1, tile 2");
    for (of, with, evaluated, reused) in [
        ("_16{}", "_17{}", "second 1", 2),
        ("_4{}", "_5{}", "first 1, tile 2", 2),
        ("_8{}", "_9{}", "first 1, tile 2", 2),
    ] {
        let (options, mut memo) = (counted(Host::CudaCpp), memo.clone());
        let edited = LONE.replace(of, with);
        analyse_edited(&file(Host::CudaCpp, &edited), &Alone, &options, &mut memo);
        assert_eq!(functions(&options), evaluated, "{with}");
        assert_eq!(options.work.done().reused, reused, "{with}");
    }
}

#[test]
fn an_edit_of_a_header_evaluates_the_instances_that_are_shown_and_nothing_behind_them() {
    let units = Units::launches(64);
    let options = counted(Host::CudaCpp);
    let known = analyse(&file(Host::CudaCpp, HEADER), &units, &options);
    assert_eq!(options.work.done().units.count, 65);
    let all = "helper 256, kernel 128, launch 256, more 64, other 64, run 64";
    assert_eq!(functions(&options), all);
    let edited = HEADER.replace("_4{}", "_5{}");
    let options = Options {
        shown: Some(Arc::new(Shown::of(&known, |_| true, |_| 0, Some))),
        ..counted(Host::CudaCpp)
    };
    let first = analyse(&file(Host::CudaCpp, &edited), &units, &options);
    // One instance of each, and the host that leads to it; `helper` again for what `kernel` has of it.
    assert_eq!(functions(&options), "helper 2, kernel 1, launch 1, run 1");
    let whole = analyse(
        &file(Host::CudaCpp, &edited),
        &units,
        &counted(Host::CudaCpp),
    );
    assert_eq!(shown_values(&first), shown_values(&whole));
    assert!(shown_values(&first).contains(&("lines".to_owned(), "(_1,_5):(_0,_1)".to_owned())));
}

#[test]
fn a_chosen_instance_is_reached_and_nothing_behind_it_is_evaluated() {
    let units = Units::launches(8);
    let known = analyse(
        &file(Host::CudaCpp, HEADER),
        &units,
        &counted(Host::CudaCpp),
    );
    let is_lines = |fact: &&cute_analysis::Fact| &*fact.name == "lines";
    let lines: Vec<_> = known.facts.iter().filter(is_lines).collect();
    // The last one that the first unit makes.
    let at = lines
        .iter()
        .rposition(|fact| fact.value.to_string().contains("501"))
        .expect("an instance");
    let wanted = lines[at];
    let choice =
        |facts: &[&cute_analysis::Fact]| facts.iter().position(|it| *it == wanted).unwrap_or(0);
    let shown = Shown::of(&known, |byte| byte == wanted.name_span.start, choice, Some);
    let options = Options {
        shown: Some(Arc::new(shown)),
        ..counted(Host::CudaCpp)
    };
    let first = analyse(&file(Host::CudaCpp, HEADER), &units, &options);
    let found = first.facts.iter().find(is_lines).expect("a value");
    assert_eq!(found.value, wanted.value);
    // `more` comes behind what is shown.
    assert!(
        !functions(&options).contains("other"),
        "{}",
        functions(&options)
    );
}

const PYTHON: &str = "import cutlass.cute as cute

@cute.jit
def first(n: int):
    a = cute.make_layout((n, 8))

@cute.jit
def second(n: int):
    b = cute.make_layout((n, 4))
";

#[test]
fn a_key_in_a_comment_of_python_runs_nothing_and_one_in_a_function_all() {
    let options = counted(Host::Python);
    let known = analyse(&file(Host::Python, PYTHON), &Alone, &options);
    let all = functions(&options);
    // Each is run, and read for what nothing runs.
    assert_eq!(all, "first 2, second 2");
    let (edited, syntax) = (
        PYTHON.replace("8))", "8))  # eight"),
        parsed(Host::Python, PYTHON),
    );
    let carried = known.carried(Host::Python, PYTHON, &edited, &syntax);
    assert!(carried.is_some());
    assert_eq!(functions(&options), all);
    let options = counted(Host::Python);
    let edited = PYTHON.replace("8))", "16))");
    analyse(&file(Host::Python, &edited), &Alone, &options);
    assert_eq!(functions(&options), all);
}

/// A class of traits that a launcher's switches instantiate, as kernels of attention have it, beside one of another kernel.
const TRAITS: &str = "#pragma once
using namespace cute;
template <int N, bool A> struct Forward {
  static constexpr int kRows = N * 2;
  using Rows = Layout<Shape<Int<kRows>, _8>>;
  template <class T> static auto with(T rest) { auto pair = make_layout(make_shape(Int<N>{}, rest)); return pair; }
  auto whole() { auto all = make_layout(make_shape(Int<N>{}, _3{})); return all; }
};
template <int N> struct Backward {
  using Columns = Layout<Shape<_8, Int<N>>>;
};
template <class T> auto nobody(T t) { auto open = make_layout(make_shape(t, _16{})); return open; }
";

/// Units that make instances of the one class or of the other, behind switches.
fn switches(count: usize) -> Units {
    Units::of((1..=count).map(|index| {
        if index * 2 <= count {
            return format!(
                "#include \"tile.h\"\n\
                 template <class Traits> void backward() {{ typename Traits::Columns columns; }}\n\
                 void run() {{ backward<Backward<{index}>>(); }}\n"
            );
        }
        format!(
            "#include \"tile.h\"\n\
             using Traits = Forward<{index}, true>;\n\
             template <class Traits> void launch(bool a) {{\n\
               if (a) {{ typename Traits::Rows rows; }} else {{ typename Traits::Rows rows; }}\n\
             }}\n\
             void run(bool a) {{ launch<Traits>(a);\n launch<Forward<{index}, false>>(a); }}\n\
             void more() {{ Forward<{index} + 500, true> other; }}\n"
        )
    }))
}

/// The part that is shown first, of a text of `TRAITS` and its lines, where `known` was known before; and the whole.
fn first_and_whole(
    text: &str,
    of: &str,
    known: Option<&Analysis>,
) -> (Options, Analysis, Analysis) {
    let units = switches(8);
    let at = text.find(of).expect("it is there");
    let is_seen = |byte: usize| (at..at + of.len()).contains(&byte);
    let shown = match known {
        Some(known) => Shown::of(known, is_seen, |_| 0, Some),
        None => Shown::looked_at(at..at + of.len()),
    };
    let options = Options {
        shown: Some(Arc::new(shown)),
        ..counted(Host::CudaCpp)
    };
    let first = analyse(&file(Host::CudaCpp, text), &units, &options);
    let whole = analyse(&file(Host::CudaCpp, text), &units, &counted(Host::CudaCpp));
    (options, first, whole)
}

#[test]
fn members_of_a_class_are_reported_once_its_instance_is_used_and_nothing_behind_it_is_evaluated() {
    let known = analyse(
        &file(Host::CudaCpp, TRAITS),
        &switches(8),
        &counted(Host::CudaCpp),
    );
    let edited = TRAITS.replace("N * 2", "N * 3");
    let of = "kRows = N * 3;\n  using Rows";
    let (options, first, whole) = first_and_whole(&edited, of, Some(&known));
    // `run` and the first of the two launches; nothing of the second, nor of `more`. Of the function without a caller
    // there is a supposed instance beside the open one.
    assert_eq!(functions(&options), "launch 1, nobody 2, run 1");
    assert_eq!(options.work.done().units.count, 2);
    let (first, whole) = (shown_values(&first), shown_values(&whole));
    assert!(
        first.contains(&("Rows".to_owned(), "(_15,_8):(_1,_15)".to_owned())),
        "{first:?}"
    );
    assert!(first.iter().all(|value| whole.contains(value)), "{first:?}");
}

#[test]
fn of_a_header_that_is_opened_the_first_unit_that_makes_what_is_looked_at_is_evaluated() {
    let mut found = Vec::new();
    for (of, name) in [
        ("kRows = N", "Rows"),
        ("using Columns", "Columns"),
        ("auto all =", "all"),
        ("auto pair =", "pair"),
    ] {
        let (options, first, whole) = first_and_whole(TRAITS, of, None);
        assert!(!first.lacks_shown(), "{of}");
        let (first, whole) = (shown_values(&first), shown_values(&whole));
        assert!(
            first.iter().all(|value| whole.contains(value)),
            "{of}: {first:?} {whole:?}"
        );
        let value = first.iter().find(|(of, _)| of == name);
        let value = value.map_or("none", |(_, value)| value);
        found.push(format!("{name} = {value}: {}", functions(&options)));
    }
    assert_eq!(
        found,
        [
            "Rows = (_10,_8):(_1,_10): launch 1, run 1",
            "Columns = (_8,_1):(_1,_0): run 1",
            "all = (_5,_3):(_1,_5): launch 1, run 1, whole 1",
            "pair = ?: launch 2, more 1, run 1, whole 1, with 1",
        ]
    );
}

#[test]
fn what_no_unit_makes_that_is_read_first_is_said_to_be_missing() {
    let (options, first, whole) = first_and_whole(TRAITS, "auto open =", None);
    assert!(first.lacks_shown() && !whole.lacks_shown());
    assert_eq!(functions(&options), "");
}

/// What a kernel does, in a header of its own.
const BODY: &str = "#pragma once
using namespace cute;
template <int N> struct Chosen { static constexpr bool value = N != 9; };
template <int N> auto body() { auto tile = make_layout(make_shape(Int<N>{}, _4{})); return tile; }
";

/// Units with seven launchers each, whose kernels lead to the header only when all functions are evaluated.
fn deferred(kernel: &str, name: &str) -> Units {
    Units::of((1..=8).map(|unit| {
        let launch = |index: usize| format!("launch<{unit} * 10 + {index}>(); ");
        let launches: String = (1..=7).map(launch).collect();
        format!(
            "#include \"tile.h\"\n\
             {kernel}\n\
             template <int N> void launch() {{ auto rows = make_layout(Int<N>{{}}); auto kernel = {name}; }}\n\
             void run() {{ {launches}}}\n"
        )
    }))
}

/// The functions that are evaluated for a text of the header after an edit, and whether its values are those of all.
fn after_edit_of_body(units: &Units, edited: &str) -> String {
    let known = analyse(&file(Host::CudaCpp, BODY), units, &counted(Host::CudaCpp));
    let options = Options {
        shown: Some(Arc::new(Shown::of(&known, |_| true, |_| 0, Some))),
        ..counted(Host::CudaCpp)
    };
    let first = analyse(&file(Host::CudaCpp, edited), units, &options);
    let whole = analyse(&file(Host::CudaCpp, edited), units, &counted(Host::CudaCpp));
    let of_body = |analysis: &Analysis| {
        let values = shown_values(analysis);
        values.into_iter().find(|(name, _)| name == "tile")
    };
    assert!(of_body(&whole).is_some());
    assert_eq!(of_body(&first), of_body(&whole));
    functions(&options)
}

const KERNEL_CLASS: &str = "template <int N> struct Kernel {\n\
    void operator()(int) { if constexpr (Chosen<N>::value) { body<N>(); } }\n\
    void other() { auto host = make_layout(_7{}); }\n\
};";

#[test]
fn launchers_that_do_not_lead_to_the_shown_instance_of_a_kernel_class_are_left_out() {
    let units = deferred(KERNEL_CLASS, "cutlass::device_kernel<Kernel<N>>");
    let done = after_edit_of_body(&units, &BODY.replace("_4{}", "_5{}"));
    assert_eq!(done, "body 1, launch 1, operator() 1, run 1");
}

#[test]
fn launchers_that_do_not_lead_to_the_shown_instance_of_a_named_kernel_are_left_out() {
    let kernel = "template <int N> __global__ void kernel() { body<N>(); }";
    let units = deferred(kernel, "(void const*) kernel<N>");
    let done = after_edit_of_body(&units, &BODY.replace("_4{}", "_5{}"));
    assert_eq!(done, "body 1, kernel 1, launch 1, run 1");
}

#[test]
fn where_the_kernel_no_longer_makes_what_is_shown_the_other_launchers_are_evaluated() {
    let units = deferred(KERNEL_CLASS, "cutlass::device_kernel<Kernel<N>>");
    let edited = BODY.replace("N != 9", "N != 11");
    let done = after_edit_of_body(&units, &edited);
    assert!(done.contains("launch 8"), "{done}");
}

#[test]
fn a_class_that_only_the_report_on_another_one_uses_is_shown_when_its_header_is_opened() {
    let header = "#pragma once\nusing namespace cute;\n\
        template <int N> struct Inner { auto rows() { auto tile = make_layout(Int<N>{}); return tile; } };\n";
    let kernel = "template <int N> struct Kernel { void operator()(int) { Inner<N> inner; auto one = inner.rows(); } };";
    let units = deferred(kernel, "cutlass::device_kernel<Kernel<N>>");
    let at = header.find("auto tile").expect("it is there");
    let options = Options {
        shown: Some(Arc::new(Shown::looked_at(at..at + 9))),
        ..counted(Host::CudaCpp)
    };
    let first = analyse(&file(Host::CudaCpp, header), &units, &options);
    let value = shown_values(&first)
        .into_iter()
        .find(|(name, _)| name == "tile");
    assert_eq!(value, Some(("tile".to_owned(), "_11:_1".to_owned())));
}

/// A file that no other includes: a kernel of many statements that 20 launchers instantiate, and a template that nothing
/// does.
fn much() -> String {
    let line = |line: usize| {
        format!("  auto line{line} = make_layout(make_shape(Int<N>{{}}, _{line}{{}}));\n")
    };
    let lines: String = (1..=60).map(line).collect();
    let launch = |index: usize| format!("  launch<{index}>();\n");
    let launches: String = (1..=20).map(launch).collect();
    format!(
        "using namespace cute;\n\
         template <int N> auto body() {{\n{lines}  return line1;\n}}\n\
         template <int N> void launch() {{ auto rows = make_layout(Int<N>{{}}); body<N>(); }}\n\
         template <class Element> void nobody(Element* p) {{ auto open = make_layout(_3{{}}); }}\n\
         void run(int m) {{\n  auto host = make_layout(m);\n{launches}}}\n"
    )
}

/// What an edit of a file that no other includes evaluates first: the part around some text, of which a certain instance is
/// shown. `None` where no part of it tells what is shown.
fn part_of_much(
    around: &str,
    edited: &str,
    choice: impl Fn(&[&cute_analysis::Fact]) -> usize,
) -> Option<(Options, Analysis)> {
    let text = much();
    let known = analyse(&file(Host::CudaCpp, &text), &Alone, &counted(Host::CudaCpp));
    let at = text.find(around).expect("it is there");
    let is_seen = |byte: usize| (at..at + around.len()).contains(&byte);
    let shown = Shown::of(&known, is_seen, choice, Some);
    if !shown.tells_of(Path::new("tile.h"), Host::CudaCpp, false) {
        return None;
    }
    let options = Options {
        shown: Some(Arc::new(shown)),
        ..counted(Host::CudaCpp)
    };
    let first = analyse(&file(Host::CudaCpp, edited), &Alone, &options);
    Some((options, first))
}

/// The value of the shown instance of a name.
fn shown_value(analysis: &Analysis, name: &str) -> Option<String> {
    let values = shown_values(analysis).into_iter();
    let mut of_name = values.filter(|(other, _)| other == name);
    of_name.next().map(|(_, value)| value)
}

#[test]
fn of_a_file_that_costs_much_the_shown_instance_is_evaluated_first() {
    let text = much();
    let edited = text.replace("Int<N>{}, _7{}", "Int<N>{}, _77{}");
    let (options, first) = part_of_much("line7 =", &edited, |_| 0).expect("a part");
    assert_eq!(functions(&options), "body 1, launch 1, run 1");
    assert!(!first.lacks_shown());
    let options = counted(Host::CudaCpp);
    let whole = analyse(&file(Host::CudaCpp, &edited), &Alone, &options);
    assert!(
        functions(&options).starts_with("body 20, launch 20, nobody "),
        "{}",
        functions(&options)
    );
    for name in ["line7", "line60"] {
        assert_eq!(shown_value(&first, name), shown_value(&whole, name));
    }
    assert_eq!(
        shown_value(&first, "line7").as_deref(),
        Some("(_1,_77):(_0,_1)")
    );
}

#[test]
fn a_chosen_instance_of_a_file_that_costs_much_is_reached() {
    let (options, first) =
        part_of_much("line7 =", &much(), |facts| facts.len().min(10) - 1).expect("a part");
    assert_eq!(functions(&options), "body 10, launch 10, run 1");
    assert_eq!(
        shown_value(&first, "line7").as_deref(),
        Some("(_10,_7):(_1,_10)")
    );
}

#[test]
fn a_function_that_is_no_template_is_evaluated_to_its_end() {
    let (options, first) = part_of_much("host =", &much(), |_| 0).expect("a part");
    assert!(
        functions(&options).contains("launch 20, run 1"),
        "{}",
        functions(&options)
    );
    assert_eq!(shown_value(&first, "host").as_deref(), Some("m:_1"));
}

#[test]
fn what_the_file_no_longer_makes_is_missing_in_its_part() {
    let edited = much().replace("body<N>(); }", "}");
    let (_, first) = part_of_much("line7 =", &edited, |_| 0).expect("a part");
    assert!(first.lacks_shown());
}

#[test]
fn a_template_that_nothing_instantiates_and_a_file_that_costs_little_have_no_part() {
    assert!(part_of_much("open =", &much(), |_| 0).is_none());
    let known = analyse(&file(Host::CudaCpp, LONE), &Alone, &counted(Host::CudaCpp));
    assert!(!known.comes_in_part());
}
