//! Programs whose values g++ computed: what is known of a variable is what the program has in it.
//!
//! Behind a line is the value of the variable that it declares: after `=` it is known, after `?` it is that or not
//! known. Where there is a g++ it checks the truths again.

#![allow(clippy::expect_used, clippy::panic)]

mod support;

use std::fmt::Write;
use std::process::Command;

use cute_analysis::Options;

/// A line that says what the variable is that it declares.
struct Line<'t> {
    number: usize,
    start: usize,
    code: &'t str,
    name: &'t str,
    truth: &'t str,
    is_known: bool,
    outside: bool,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if let Some((code, comment)) = line.split_once("//")
            && let Some((mark, truth)) = comment.trim().split_once(' ')
            && let Some((declared, _)) = code.split_once(" = ")
            && let Some(name) = declared.split_whitespace().next_back()
        {
            lines.push(Line {
                number: index + 1,
                start,
                code: code.trim_end(),
                name,
                truth,
                is_known: mark == "=",
                outside: depth == 0 || code.trim_start().starts_with("constexpr "),
            });
        }
        depth += line.matches('{').count();
        depth -= line.matches('}').count();
        start += line.len();
    }
    lines
}

/// The report on a program that is wrong, or unknown where it should not be.
fn wrong(text: &str) -> String {
    let analysis = support::analysed(text, &Options::default());
    let mut wrong = String::new();
    for line in lines(text) {
        let end = line.start + line.code.len();
        let named = analysis.facts.iter().filter(|fact| {
            (line.start..end).contains(&fact.name_span.start) && &*fact.name == line.name
        });
        let shown: Vec<String> = named.map(|fact| fact.value.to_string()).collect();
        let truth = match line.truth {
            "true" => ["true", "1"],
            "false" => ["false", "0"],
            number => [number, number],
        };
        // A symbol is any number; a number is that one.
        let is_number =
            |value: &String| value.parse::<i64>().is_ok() || value == "true" || value == "false";
        let is_right = |value: &String| truth.contains(&value.as_str());
        let is_fine = |value: &String| is_right(value) || !line.is_known && !is_number(value);
        if shown.is_empty() || !shown.iter().all(is_fine) {
            let _ = writeln!(wrong, "{}: {} is {shown:?}", line.number, line.code.trim());
        }
    }
    wrong
}

/// Asks g++ whether the truths are true; `None` where there is none.
fn compiled(name: &str, text: &str) -> Option<String> {
    let mut program = String::from("#include <cstdio>\n");
    let told = lines(text);
    for (index, line) in text.lines().enumerate() {
        program.push_str(line.split("//").next().unwrap_or_default());
        if let Some(line) = told.iter().find(|line| line.number == index + 1) {
            let (name, truth) = (line.name, line.truth);
            let _ = if line.outside {
                write!(program, " static_assert({name} == {truth});")
            } else {
                write!(
                    program,
                    " if ({name} != {truth}) std::printf(\"{}: {name} is %d\\n\", int({name}));",
                    line.number
                )
            };
        }
        program.push('\n');
    }
    let folder = std::env::temp_dir().join(format!("programs-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, binary) = (folder.join("program.cpp"), folder.join("program"));
    std::fs::write(&source, program).expect("the program");
    let built = Command::new("g++")
        .args(["-std=c++20", "-w", "-o"])
        .args([&binary, &source])
        .output()
        .ok()?;
    let said = if built.status.success() {
        let run = Command::new(&binary).output().expect("it runs");
        String::from_utf8_lossy(&run.stdout).into_owned()
    } else {
        String::from_utf8_lossy(&built.stderr).into_owned()
    };
    let _ = std::fs::remove_dir_all(&folder);
    Some(said)
}

fn judge(name: &str, text: &str) {
    assert!(lines(text).len() > 20, "{name} says what its values are");
    assert_eq!(wrong(text), "", "{name}");
    if let Some(said) = compiled(name, text) {
        assert_eq!(said, "", "{name} by g++");
    }
}

#[test]
fn objects_that_change() {
    judge("objects", include_str!("programs/objects.cu"));
}

#[test]
fn initialisers_are_evaluated_once() {
    judge("effects", include_str!("programs/effects.cu"));
}

#[test]
fn hidden_effects_are_effects() {
    judge("hidden", include_str!("programs/hidden.cu"));
}

#[test]
fn overloads_are_chosen_by_type() {
    judge("overloads", include_str!("programs/overloads.cu"));
}

#[test]
fn a_name_means_what_its_scope_declares_before_it() {
    judge("lookups", include_str!("programs/lookups.cu"));
}

#[test]
fn constraints_are_never_ignored() {
    judge("constraints", include_str!("programs/constraints.cu"));
}

#[test]
fn classes_and_templates_are_what_they_are_declared_as() {
    judge("classes", include_str!("programs/classes.cu"));
}

#[test]
fn integers_have_types() {
    judge("integers", include_str!("programs/integers.cu"));
}

#[test]
fn enumerations_hold_their_values() {
    judge("enumerations", include_str!("programs/enumerations.cu"));
}

#[test]
fn integers_have_the_types_that_are_deduced() {
    judge("integer_types", include_str!("programs/integer_types.cu"));
}

#[test]
fn arrays_are_no_pointers() {
    judge("arrays", include_str!("programs/arrays.cu"));
}

#[test]
fn arguments_are_passed_on() {
    judge("forwarded", include_str!("programs/forwarded.cu"));
}

#[test]
fn arguments_are_elements_of_arrays() {
    judge("arguments", include_str!("programs/arguments.cu"));
}

#[test]
fn classes_have_sizes() {
    judge("sizes", include_str!("programs/sizes.cu"));
}

#[test]
fn macros_are_replaced_and_names_have_points_of_declaration() {
    judge("macros", include_str!("programs/macros.cu"));
}

#[test]
fn a_wrong_value_is_noticed() {
    let text = "int const a = 3;  // = 4\nint const b = 3;  // ? 3\n";
    assert_eq!(wrong(text), "1: int const a = 3; is [\"3\"]\n");
}

/// The sides of `?:` become integers where they are different constants.
#[test]
fn constants_of_different_types_have_a_common_type() {
    let text = r"using namespace cute;
void f(bool c) {
  auto l_0 = make_layout(c ? _4{} : _4{});  // = _4:_1
  auto l_1 = make_layout(true ? _4{} : _8{});  // = 4:_1
  auto l_2 = make_layout(false ? _4{} : 8);  // = 8:_1
  auto l_3 = make_layout(true ? _4{} : 8);  // = 4:_1
  auto l_4 = make_layout(c ? _4{} : _8{});  // = (c ? 4 : 8):_1
  bool known = true;
  auto l_5 = make_layout(known ? _4{} : _8{});  // = 4:_1
  auto l_6 = make_layout(known ? Int<2 + 2>{} : _4{});  // = _4:_1
  dim3 block = 128;
  auto l_7 = make_layout(block.x);  // = 128:_1
  auto l_8 = make_layout(block.y);  // = 1:_1
}
";
    assert_eq!(wrong(text), "");
}

/// CuTe's own integers, whose values `tests/golden` and g++ with CuTe's headers confirm.
#[test]
fn integral_constants_choose_overloads() {
    let text = r"using namespace cute;
template <int N> constexpr int kind(Int<N>) { return 1; }
constexpr int kind(int) { return 2; }
constexpr int kind_1 = kind(_7{});  // = 1
constexpr int kind_2 = kind(7);  // = 2
template <int N> constexpr auto stages(Int<N>) { return Int<2 * N>{}; }
constexpr auto stages(int n) { return n; }
constexpr int stages_1 = stages(Int<3>{});  // = 6
constexpr int stages_2 = stages(3);  // = 3
template <int N, int M> constexpr int two(Int<N>, Int<M>) { return 1; }
template <int N> constexpr int two(Int<N>, Int<N>) { return 2; }
template <int N> constexpr int two(Int<N>, _4) { return 3; }
constexpr int two_1 = two(_3{}, _5{});  // = 1
constexpr int two_2 = two(_3{}, _3{});  // = 2
constexpr int two_3 = two(_3{}, _4{});  // = 3
constexpr int wide(long) { return 1; }
constexpr int wide(int) { return 2; }
constexpr int wide_1 = wide(_7{});  // = 2
template <class S, class D> constexpr int form(Layout<S, D> const&) { return 1; }
template <class T> constexpr int form(T const&) { return 2; }
constexpr int form_1 = form(Layout<_8>{});  // = 1
constexpr int form_2 = form(_8{});  // = 2
template <class... Ts> constexpr int tup(cute::tuple<Ts...> const&) { return 1; }
constexpr int tup(int) { return 2; }
constexpr int tup_1 = tup(make_shape(_1{}, 2));  // = 1
constexpr int tup_2 = tup(_2{});  // = 2
constexpr bool integral_1 = std::is_integral_v<_4>;  // = false
constexpr bool integral_2 = cute::is_integral<_4>::value;  // = true
constexpr bool integral_3 = std::is_integral<_4>::value;  // = false
";
    assert_eq!(wrong(text), "");
}

#[test]
fn classes_with_bases_operators_and_packs_run() {
    judge("classes_run", include_str!("programs/classes_run.cu"));
}

#[test]
fn the_standard_library_is_what_it_says() {
    judge("library", include_str!("programs/library.cu"));
}

#[test]
fn the_language_is_right_or_unknown() {
    judge("language", include_str!("programs/language.cu"));
}

#[test]
fn algorithms_and_templates_of_lambdas_are_right_or_unknown() {
    judge("algorithms", include_str!("programs/algorithms.cu"));
}

#[test]
fn traits_answer_for_the_types_of_template_parameters() {
    judge("traits", include_str!("programs/traits.cu"));
}

#[test]
fn functions_run_statement_by_statement() {
    judge("running", include_str!("programs/running.cu"));
}
