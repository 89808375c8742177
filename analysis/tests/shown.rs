//! The first evaluation of a header with many users: the units of one of them, with the results that an analysis of all
//! of them shows. Nothing here looks at a clock.

#![allow(clippy::expect_used)] // The texts are those below.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cute_analysis::{
    Analysis, Fact, Included, Options, Positions, Predefined, Shown, SourceFile, Sources, analyse,
};
use tree_sitter_cute::tree::Include;
use tree_sitter_cute::{Budget, Host, Syntax};

const HEADER: &str = "#pragma once
using namespace cute;
template <int N> struct Tile {
  using Rows = Layout<Shape<Int<N>, _8>>;
  template <class T> static auto with(T rest) { auto pair = make_layout(make_shape(Int<N>{}, rest)); return pair; }
};
template <int N> auto whole() {
  auto lines = make_layout(make_shape(Int<N>{}, _4{}));
  auto rows = Tile<N>::with(_2{});
  return lines;
}
template <int N> auto late() { auto last = make_layout(Int<N>{}); return last; }
template <class T> auto nobody(T t) { auto open = make_layout(make_shape(t, _16{})); return open; }
auto plain() { auto fixed = make_layout(_32{}); return fixed; }
";

/// A header and its users. User k makes the instances k * 10 + 1 and k * 10 + 2 of `whole`; the last one alone
/// instantiates `late`.
struct Project {
    users: Vec<Arc<SourceFile>>,
    /// Number of reads of a user: its predefined macros are requested first.
    readings: AtomicUsize,
}

impl Project {
    fn with_users(count: usize) -> Self {
        let positions = Positions::default();
        let user = |index: usize| {
            let late = if index + 1 == count {
                "late<77>();"
            } else {
                ""
            };
            let (one, two) = (index * 10 + 1, index * 10 + 2);
            let text = format!(
                "#include \"tile.h\"\nvoid run() {{\n  whole<{one}>();\n  whole<{two}>();\n  {late}\n}}\n"
            );
            let name = format!("user{index:03}.cu");
            let unit = parsed(&text).lower(&text);
            Arc::new(SourceFile::other(name, text, unit, &positions))
        };
        Self {
            users: (0..count).map(user).collect(),
            readings: AtomicUsize::new(0),
        }
    }

    /// The analysis of a text of the header, and the number of units that were read for it.
    fn analysed(&self, text: &str, shown: Option<Shown>) -> (Analysis, usize) {
        let syntax = Arc::new(parsed(text));
        let file = SourceFile::parsed("tile.h", text, syntax);
        let options = Options {
            shown: shown.map(Arc::new),
            remedies: false,
            ..Options::default()
        };
        self.readings.store(0, Ordering::Relaxed);
        let analysis = analyse(&file, self, &options);
        (analysis, self.readings.load(Ordering::Relaxed))
    }
}

impl Sources for Project {
    fn include(&self, _: &SourceFile, include: &Include) -> Included {
        if include.path.name != "tile.h" {
            return Included::Known;
        }
        // The file that is analysed is in its place.
        let unit = tree_sitter_cute::tree::Unit::default();
        let file = SourceFile::other("tile.h", "", unit, &Positions::default());
        Included::File(Arc::new(file))
    }

    fn users(&self, file: &SourceFile) -> Vec<Arc<SourceFile>> {
        let is_header = file.path() == Path::new("tile.h");
        self.users.iter().filter(|_| is_header).cloned().collect()
    }

    fn predefined(&self, file: &SourceFile) -> Vec<Predefined> {
        if file.path() != Path::new("tile.h") {
            self.readings.fetch_add(1, Ordering::Relaxed);
        }
        Vec::new()
    }
}

fn parsed(text: &str) -> Syntax {
    Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).expect("parsed")
}

/// The first value of each name, as hints show it.
fn first_values(analysis: &Analysis) -> Vec<(String, String)> {
    let facts: Vec<&Fact> = analysis.facts.iter().collect();
    let names = facts.chunk_by(|one, other| one.name_span == other.name_span);
    let first = names.filter_map(<[&Fact]>::first);
    first
        .map(|fact| (fact.name.to_string(), fact.value.to_string()))
        .collect()
}

fn value_of<'v>(values: &'v [(String, String)], name: &str) -> Option<&'v str> {
    let found = values.iter().find(|(of, _)| of == name);
    found.map(|(_, value)| value.as_str())
}

/// The part that is shown after an edit, where all of the header is visible and the first instances are shown.
fn after_edit(known: &Analysis) -> Shown {
    Shown::of(known, |_| true, |_| 0, Some)
}

#[test]
fn a_header_with_64_users_is_shown_after_one_of_them_was_read() {
    let project = Project::with_users(64);
    let (first, readings) = project.analysed(HEADER, Some(Shown::default()));
    assert_eq!(readings, 1);
    let (whole, readings) = project.analysed(HEADER, None);
    assert_eq!(readings, 64);
    let (first, whole) = (first_values(&first), first_values(&whole));
    for name in ["N", "Rows", "pair", "lines", "rows", "fixed"] {
        assert!(value_of(&whole, name).is_some(), "{name}");
        assert_eq!(value_of(&first, name), value_of(&whole, name), "{name}");
    }
    // Whether a later unit instantiates them is not known yet.
    assert_eq!(value_of(&first, "last"), None);
    assert_eq!(value_of(&first, "open"), None);
}

#[test]
fn an_edit_in_a_header_with_64_users_reads_the_units_that_make_what_is_shown() {
    let project = Project::with_users(64);
    let (known, _) = project.analysed(HEADER, None);
    let edited = HEADER.replace("_4{}", "_5{}");
    let (first, readings) = project.analysed(&edited, Some(after_edit(&known)));
    // The first unit, and the last one for `late`.
    assert_eq!(readings, 2);
    let (whole, _) = project.analysed(&edited, None);
    assert_eq!(first_values(&first), first_values(&whole));
    assert_eq!(
        value_of(&first_values(&first), "lines"),
        Some("(_1,_5):(_0,_1)")
    );
    // Without `late` among what is looked at, one is enough.
    let late = HEADER
        .find("template <int N> auto late")
        .expect("it is there");
    let shown = Shown::of(&known, |byte| byte < late, |_| 0, Some);
    let (first, readings) = project.analysed(&edited, Some(shown));
    assert_eq!(readings, 1);
    assert_eq!(value_of(&first_values(&first), "last"), None);
    let values = first_values(&whole);
    assert_eq!(
        value_of(&first_values(&first), "open"),
        value_of(&values, "open")
    );
}

#[test]
fn a_chosen_instance_is_evaluated_in_its_unit() {
    let project = Project::with_users(40);
    let (known, _) = project.analysed(HEADER, None);
    let wanted = "(_152,_4):(_1,_152)";
    let is_wanted = |fact: &&Fact| fact.value.to_string() == wanted;
    let chosen = known.facts.iter().find(is_wanted).expect("the instance");
    let choice = |facts: &[&Fact]| {
        let same =
            |fact: &&Fact| (&fact.function, &fact.instance) == (&chosen.function, &chosen.instance);
        facts.iter().position(same).unwrap_or(0)
    };
    let is_seen = |byte: usize| byte == chosen.name_span.start;
    let shown = Shown::of(&known, is_seen, choice, Some);
    let (first, readings) = project.analysed(HEADER, Some(shown));
    assert_eq!(readings, 1);
    assert_eq!(value_of(&first_values(&first), "lines"), Some(wanted));
    // Nothing else is said of the name.
    let about = first.facts.iter().filter(|fact| &*fact.name == "lines");
    assert_eq!(about.count(), 1);
}

#[test]
fn where_nothing_looked_at_is_instantiated_no_unit_is_read() {
    let project = Project::with_users(8);
    let (known, _) = project.analysed(HEADER, None);
    let plain = HEADER
        .find("template <class T> auto nobody")
        .expect("it is there");
    let shown = Shown::of(&known, |byte| byte >= plain, |_| 0, Some);
    let (first, readings) = project.analysed(HEADER, Some(shown));
    assert_eq!(readings, 0);
    let (first, whole) = (first_values(&first), first_values(&known));
    for name in ["open", "fixed"] {
        assert!(value_of(&whole, name).is_some(), "{name}");
        assert_eq!(value_of(&first, name), value_of(&whole, name), "{name}");
    }
    // What units instantiate is not evaluated for itself instead.
    assert_eq!(value_of(&first, "lines"), None);
}
