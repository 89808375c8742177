//! The hints of all sources of the examples, of the test programs and of the corpus: however short, a hint names no other layout than the
//! value.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cute_algebra::AnyLayout;
use cute_analysis::{Alone, Dialect, Options, SourceFile, Value, analyse};
use cute_analyzer::presentation::hints::hints;
use cute_analyzer::presentation::hints::label::{Hint, Said};
use cute_analyzer::presentation::instances::Chosen;
use cute_analyzer::presentation::placement;
use tree_sitter_cute::{Budget, Host, Syntax};

use cute_tests::oracles::{cutlass, flash_attention};

use crate::ask::root;

/// The folders with sources.
const FOLDERS: [&str; 4] = ["examples", "analysis/tests", "server/tests", "tests"];

/// Widths that hints are cut to: hardly anything fits the first, the second is the default, the last is wide.
const WIDTHS: [usize; 4] = [12, 24, 43, 80];

/// Wider than any hint.
const ALL: usize = 1 << 20;

/// The sources of the repository.
fn sources() -> Vec<(PathBuf, Host)> {
    let mut found = sources_in(FOLDERS.iter().map(|folder| root().join(folder)).collect());
    // The example in Rust is a program of ours; other files of Rust are tests.
    let rust = root().join("examples/tiled_gemm.rs");
    found.push((rust, Host::Rust));
    found
}

/// The sources in C++ and Python below some folders.
fn sources_in(mut folders: Vec<PathBuf>) -> Vec<(PathBuf, Host)> {
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = path.path();
            let host = match path.extension().and_then(|extension| extension.to_str()) {
                Some("cu" | "cuh" | "cpp" | "h" | "hpp") => Host::CudaCpp,
                Some("py") => Host::Python,
                _ => {
                    folders.extend(path.is_dir().then_some(path));
                    continue;
                }
            };
            found.push((path, host));
        }
    }
    found
}

fn hints_of(path: &Path, host: Host) -> Vec<Hint> {
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("a source")).into_owned();
    let syntax = Syntax::parse(host, &text, None, Budget::unlimited()).expect("a tree");
    let file = SourceFile::analysed(path, text.as_str(), syntax.lower(&text));
    let analysis = analyse(&file, &Alone, &Options::default());
    hints(&analysis, &text, &Chosen::default())
}

/// Whether a label leaves out parts of another, and changes none.
fn is_part_of(label: &str, whole: &str) -> bool {
    let mut rest = whole;
    label.split('…').all(|piece| match rest.split_once(piece) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// The text with members without their object, `h` for `params.h`; the text as it is where two names would become one.
fn without_objects(whole: &str) -> String {
    let is_of_name = |letter: char| letter.is_alphanumeric() || "_.#".contains(letter);
    let names: BTreeSet<&str> = whole.split(|letter| !is_of_name(letter)).collect();
    let is_number = |part: &str| {
        part.trim_start_matches('_')
            .starts_with(|c: char| c.is_numeric())
    };
    let short = |name: &str| match name.rsplit_once('.') {
        Some((_, member)) if !is_number(member) => member.to_owned(),
        _ => name.to_owned(),
    };
    let mut text = whole.to_owned();
    // The longest first: `a.b` may be a part of `a.b.c`.
    let mut in_turn: Vec<&str> = names.iter().copied().collect();
    in_turn.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in in_turn {
        let twins = names.iter().filter(|other| short(other) == short(name));
        if twins.count() == 1 {
            text = text.replace(name, &short(name));
        }
    }
    text
}

/// The parts that a hint of a value has to name: its layout, and the swizzle where there is one.
fn named(value: &Value, dialect: Dialect) -> Vec<String> {
    match (value, value.as_any_layout()) {
        (Value::Shared(shared), _) if !shared.swizzle.is_identity() => {
            vec![
                dialect.swizzle(shared.swizzle),
                format!("{:#}", shared.layout),
            ]
        }
        (_, Some(AnyLayout::Affine(layout))) => vec![format!("{layout:#}")],
        (_, Some(AnyLayout::Composed(composed))) => {
            let swizzle = composed.swizzle().map(|swizzle| dialect.swizzle(swizzle));
            let inner = format!("{:#}", composed.inner);
            swizzle.into_iter().chain([inner]).collect()
        }
        (_, None) => Vec::new(),
    }
}

#[test]
fn no_hint_names_another_layout_than_its_value() {
    let (checked, layouts) = compared(sources());
    assert!(
        checked > 400 && layouts > 100,
        "{checked} labels, {layouts} layouts"
    );
}

#[test]
#[ignore = "reads all of CUTLASS and FlashAttention; `cargo xtask test` runs it"]
fn no_hint_of_the_corpus_names_another_layout_than_its_value() {
    let folders = vec![
        cutlass().join("examples"),
        cutlass().join("include/cute"),
        cutlass().join("include/cutlass"),
        flash_attention(),
    ];
    let (checked, layouts) = compared(sources_in(folders));
    println!("{checked} labels, {layouts} layouts");
    assert!(
        checked > 4000 && layouts > 1000,
        "{checked} labels, {layouts} layouts"
    );
}

/// Compares the hints of sources, cut to each width, with their values. How many labels were compared, and how many
/// layouts they have.
fn compared(sources: Vec<(PathBuf, Host)>) -> (usize, usize) {
    let (mut checked, mut layouts) = (0, 0);
    for (path, host) in sources {
        for hint in hints_of(&path, host) {
            let whole = hint.label(ALL);
            assert!(!whole.contains('…'), "{}: {whole}", path.display());
            // The names of the source, never primes.
            assert!(!whole.contains('\''), "{}: {whole}", path.display());
            for width in WIDTHS {
                let label = hint.label(width);
                assert!(label.chars().count() <= width, "{label}");
                assert!(
                    is_part_of(&label, &whole) || is_part_of(&label, &without_objects(&whole)),
                    "{}: `{label}` of `{whole}`",
                    path.display()
                );
                checked += 1;
            }
            for shown in &hint.shown {
                let Said::Evaluated(value, dialect) = &shown.said else {
                    continue;
                };
                layouts += usize::from(placement::known(value).is_some());
                for part in named(value, *dialect) {
                    assert!(
                        whole.contains(&part),
                        "{}: `{whole}` lacks `{part}`",
                        path.display()
                    );
                }
                if let Value::Tensor(tensor) = &**value
                    && let Some(swizzle) = tensor.engine.swizzle.filter(|one| !one.is_identity())
                {
                    let swizzle = dialect.swizzle(swizzle);
                    for label in [hint.label(0), whole.clone()] {
                        assert!(label.contains(&swizzle), "`{label}` lacks `{swizzle}`");
                    }
                }
                // The names of `auto [a, b]`, each before its value.
                if hint.shown.len() > 1 {
                    let name = format!("{} ", shown.name);
                    assert!(whole.contains(&name), "{whole}");
                }
            }
        }
    }
    (checked, layouts)
}
