//! Coverage of CUTLASS 4.2's own sources, each file alone: a part of `docs/coverage.md`.

#![allow(clippy::expect_used, clippy::panic)] // A test fails so.

use std::path::Path;
use std::time::{Duration, Instant};

use cute_analysis::{Alone, Kind, Knowledge, LayoutNames, Options, Role, SourceFile, analyse};
use cute_tests::oracles::cutlass;
use cute_tests::page;
use tree_sitter_cute::{Budget, Host, Syntax};

/// No file may take longer; the slowest header of CUTLASS is generated and has 3 MB.
const PATIENCE: Duration = Duration::from_secs(60);

/// Numbers of declarations: all numbers known, all but symbols, nothing.
#[derive(Default)]
struct Count {
    concrete: usize,
    symbolic: usize,
    unknown: usize,
}

impl Count {
    fn columns(&self) -> String {
        let all = self.concrete + self.symbolic + self.unknown;
        #[allow(clippy::cast_precision_loss)] // A percentage.
        let share = 100.0 * (self.concrete + self.symbolic) as f64 / all.max(1) as f64;
        let Self {
            concrete,
            symbolic,
            unknown,
        } = self;
        format!("{concrete} | {symbolic} | {unknown} | {share:.1} %")
    }
}

/// Declarations of layouts, and values of variables and aliases of any kind.
#[derive(Default)]
struct Tally {
    files: usize,
    layouts: Count,
    values: Count,
}

impl Tally {
    fn add(&mut self, path: &Path, names: &LayoutNames) {
        let Ok(text) = std::fs::read_to_string(path) else {
            return;
        };
        if !text.contains("cute") {
            return;
        }
        let start = Instant::now();
        let syntax = Syntax::parse(Host::CudaCpp, &text, None, Budget::unlimited());
        let unit = syntax.expect("a source within the limits").lower(&text);
        let file = SourceFile::analysed(path, text.as_str(), unit);
        let options = Options {
            remedies: false,
            ..Options::default()
        };
        let analysis = analyse(&file, &Alone, &options);
        assert!(start.elapsed() < PATIENCE, "{}", path.display());
        self.files += 1;
        for fact in analysis.facts.iter().filter(|fact| !fact.is_supposed()) {
            match (fact.role, fact.kind()) {
                (Role::Param | Role::TParam, _) => {}
                (_, Kind::Unknown) => self.values.unknown += 1,
                _ if fact.value.is_known() => self.values.concrete += 1,
                _ => self.values.symbolic += 1,
            }
        }
        for declaration in names.declarations(&file, &analysis.facts) {
            *match declaration.knowledge {
                Knowledge::Concrete => &mut self.layouts.concrete,
                Knowledge::Symbolic => &mut self.layouts.symbolic,
                Knowledge::Unknown => &mut self.layouts.unknown,
            } += 1;
        }
    }

    fn row(&self, name: &str) -> String {
        format!(
            "| `{name}` | {} | {} | {} |\n",
            self.files,
            self.layouts.columns(),
            self.values.columns()
        )
    }
}

/// The names that are declared as layouts below a folder.
fn names_below(folder: &Path, names: &mut LayoutNames) {
    each_source(folder, &mut |path| {
        let Ok(text) = std::fs::read_to_string(path) else {
            return;
        };
        let syntax = Syntax::parse(Host::CudaCpp, &text, None, Budget::unlimited());
        names.add(&syntax.expect("a source within the limits").lower(&text));
    });
}

fn each_source(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; `cargo xtask fetch` brings it, or set CUTE_CUTLASS",
            folder.display()
        )
    });
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            each_source(&path, visit);
        } else if Host::of_path(&path) == Some(Host::CudaCpp) {
            visit(&path);
        }
    }
}

#[test]
#[ignore = "reads all of CUTLASS"]
fn the_coverage_of_cutlass() {
    let mut table = String::new();
    for folder in [
        "examples/cute/tutorial",
        "examples",
        "include/cutlass",
        "include/cute",
        "tools",
    ] {
        let mut names = LayoutNames::default();
        names_below(&cutlass().join(folder), &mut names);
        let mut tally = Tally::default();
        each_source(&cutlass().join(folder), &mut |path| tally.add(path, &names));
        assert!(tally.files > 0, "{folder} has no sources");
        table.push_str(&tally.row(folder));
    }
    let columns = "| sources | files | layouts: concrete | symbolic | unknown | concrete or symbolic | values: concrete | symbolic | unknown | concrete or symbolic |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";
    page::print("coverage.md", "alone", &format!("{columns}{table}"));
}
