//! `docs/functions.md`: each function of the catalogue with its parts, and the functions of CuTe without an entry.

use std::fmt::Write as _;
use std::path::PathBuf;

use cute_analysis::ask::ask;
use cute_analysis::offered_of_dsl;
use cute_analysis::vocabulary::{
    Function, Header, Makes, Picture, Verified, all, function, method,
};
use tree_sitter_cute::script::Script;

/// The public functions of `cutlass.cute` of the CuTe DSL 4.8: module and name.
const OF_DSL: &str = include_str!("dsl_functions.tsv");

/// The functions of the DSL that neither the catalogue nor our model of the DSL has, by module.
fn missing_of_dsl() -> Vec<(String, Vec<&'static str>)> {
    let script = Script::read("import cutlass\nimport cutlass.cute as cute\n");
    let mut missing: Vec<(String, Vec<&str>)> = Vec::new();
    for line in OF_DSL.lines() {
        let (module, name) = line.split_once('\t').expect(line);
        let path: Vec<&str> = module.split('.').collect();
        if offered_of_dsl(&script, &path)
            .iter()
            .any(|known| known == name)
        {
            continue;
        }
        match missing.last_mut().filter(|(last, _)| last == module) {
            Some((_, names)) => names.push(name),
            None => missing.push((module.to_owned(), vec![name])),
        }
    }
    missing
}

/// The functions that our model of the DSL has.
fn functions_of_dsl() -> Vec<String> {
    let source = "import cutlass\nimport cutlass.cute as cute\nimport cutlass.utils as utils\n";
    let script = Script::read(source);
    let modules: [&[&str]; 7] = [
        &["cute"],
        &["utils"],
        &["cute", "arch"],
        &["cute", "nvgpu"],
        &["cute", "nvgpu", "cpasync"],
        &["cute", "nvgpu", "tcgen05"],
        &["cute", "nvgpu", "warpgroup"],
    ];
    let names = modules
        .iter()
        .flat_map(|path| offered_of_dsl(&script, path));
    names.collect()
}

/// The start of the page.
const HEAD: &str = "# Functions\n\n\
    Each function that is evaluated, from the catalogue (`analysis/src/vocabulary`). The page is written by a test.\n\n\
    - *elsewhere*: the name in `cutlass.cute`, or behind its module or class. *same*: the DSL has the name, and a source in \
    `analysis/src/python/prelude` answers. *not modelled*: the DSL has the name, and we do not. *none*: the DSL 4.8 has no \
    function of the name, and no other name in Python leads to it. Crates in Rust that have it under the same name follow.\n\
    - *asked*: `eval --stdin` takes the name with the operands as texts. *expression*: `eval EXPR` takes the call. *acts*: \
    it acts on memory or barriers, and has no value.\n\
    - *explained*: *steps* are derived one by one; *meaning* is the sentence in hovers, where the value follows from it in one \
    step. *acts*: nothing is derived.\n\
    - *picture*: *own* shows operands and result; *result* is that of the value. *no layout*: the value has none to draw.\n\
    - *verified*: *yes*, each result is compared with its definition in the paper, and the first coordinate that departs is \
    named. *law*: the test in `algebra/tests` asks the law of random layouts. *as*: the result is that of another function, in \
    parts or in another wrapping. *assembled*: modes are put together or taken apart, their numbers are those of the \
    arguments. *instructions*: the result follows from the layouts of an instruction, which golden rows compare with CUTLASS. \
    *no layout*, *acts*: nothing can be compared.\n";

/// Whether the DSL has a function of a name, in one of its modules.
fn is_of_dsl(name: &str) -> bool {
    OF_DSL.lines().any(|line| {
        line.split_once('\t')
            .is_some_and(|(_, of_dsl)| of_dsl == name)
    })
}

/// A row of the page for an entry.
fn row(function: &Function, of_dsl: &[String]) -> String {
    let acts = function.makes == Makes::Nothing;
    let names: Vec<String> = function
        .names_in_python()
        .map(|name| format!("`{name}`"))
        .collect();
    let python = match names.is_empty() {
        false => names.join(", "),
        true if of_dsl.iter().any(|name| name == function.name) => "same".to_owned(),
        true if is_of_dsl(function.name) => "not modelled".to_owned(),
        true => "none".to_owned(),
    };
    let asked = match (function.is_asked(), acts) {
        (true, _) => "`--stdin`",
        (false, true) => "acts",
        (false, false) => "expression",
    };
    let explained = match (function.is_derived(), acts) {
        (_, true) => "acts",
        (true, _) => "steps",
        (false, _) => "meaning",
    };
    let picture = match (function.picture, function.makes) {
        (Picture::Result, Makes::Other | Makes::Nothing) => "no layout",
        (Picture::Result, _) => "result",
        _ => "own",
    };
    let verified = match function.verified {
        Verified::Compared => "yes".to_owned(),
        Verified::Law(test) => format!("law `{test}`"),
        Verified::MadeOf(other) => format!("as `{other}`"),
        Verified::Assembled => "assembled".to_owned(),
        Verified::OfInstructions => "instructions".to_owned(),
        Verified::NoLayout if acts => "acts".to_owned(),
        Verified::NoLayout => "no layout".to_owned(),
    };
    let rust = match function.crates() {
        [] => String::new(),
        crates => format!(", `{}`", crates.join("`, `")),
    };
    let python = format!("{python}{rust}");
    let defined = match (function.defined.section, function.defined.header.path()) {
        (Some(section), Some(path)) => format!("{section}, `{path}`"),
        (Some(section), None) => section.to_owned(),
        (None, Some(path)) => format!("`{path}`"),
        (None, None) => match function.defined.header {
            Header::Cuda => "CUDA",
            Header::Python => "Python",
            _ => "here",
        }
        .to_owned(),
    };
    format!(
        "| `{}` | {defined} | {python} | {asked} | {explained} | {picture} | {verified} |",
        function.name
    )
}

const COLUMNS: &str = "\n| function | defined in | elsewhere | asked | explained | picture | verified |\n\
    |---|---|---|---|---|---|---|\n";

/// The page.
fn page() -> String {
    let of_dsl = functions_of_dsl();
    let mut page = HEAD.to_owned();
    let mut add = |title: &str, functions: Vec<&Function>| {
        let _ = write!(page, "\n## {title}\n{COLUMNS}");
        let mut rows: Vec<(&str, String)> = functions
            .into_iter()
            .map(|function| (function.name, row(function, &of_dsl)))
            .collect();
        rows.sort();
        for (_, row) in rows {
            let _ = writeln!(page, "{row}");
        }
    };
    let is = |of: fn(&str) -> Option<&'static Function>| {
        all().filter(move |it| of(it.name).is_some_and(|found| std::ptr::eq(found, *it)))
    };
    add("Functions of C++", is(function).collect());
    add("Methods of C++", is(method).collect());
    add(
        "Functions that only Python has",
        all()
            .filter(|it| it.defined.header == Header::Python)
            .collect(),
    );
    add(
        "Operations of the paper and of questions",
        all()
            .filter(|it| function(it.name).is_none() && method(it.name).is_none())
            .filter(|it| it.defined.header != Header::Python)
            .collect(),
    );
    page.push_str(WITHOUT);
    for line in include_str!("without_entry.tsv").lines() {
        if let Some((header, names)) = line.split_once('\t') {
            let _ = writeln!(page, "- `cute/{header}`: {names}");
        }
    }
    page.push_str(WITHOUT_IN_PYTHON);
    for (module, names) in missing_of_dsl() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "- `{module}`: {}", names.join(", "));
    }
    page
}

const WITHOUT_IN_PYTHON: &str = "\n## Functions of the CuTe DSL 4.8 without an entry\n\n\
    Where the package is installed they are read from it, if they are written in Python; else their values are unknown.\n\n";

const WITHOUT: &str = "\n## Functions of CuTe 4.2 without an entry\n\n\
    Their bodies are read from the headers on the include path, where they are called; without headers their values are \
    unknown. A test compares the list with the headers.\n\n";

/// Fails where a page is not what the catalogue says; with `UPDATE_DOCS` it writes the page.
fn is_written(path: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).expect("the page can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == text,
        "{} is old: UPDATE_DOCS=1 cargo test -p cute-analysis --test asked page",
        path.display()
    );
}

#[test]
fn the_page_of_functions_is_what_the_catalogue_says() {
    is_written("docs/functions.md", &page());
}

/// Whether a test in `algebra/tests` has a name.
fn is_a_law(name: &str) -> bool {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../algebra/tests");
    let files = std::fs::read_dir(folder).expect("the folder of tests");
    files.flatten().any(|file| {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        text.contains(&format!("fn {name}("))
    })
}

#[test]
fn each_entry_has_its_parts() {
    for function in all() {
        let name = function.name;
        assert!(function.signature.contains(name), "{name}");
        assert_ne!(
            function.defined.header,
            Header::Rust,
            "{name} has no header"
        );
        assert!(
            !function.doc.is_empty() && !function.doc.ends_with('.'),
            "{name}"
        );
        let section = function.defined.section;
        assert!(
            section.is_none_or(|section| section.starts_with('§')),
            "{name}"
        );
        for parameter in function.parameters {
            assert!(
                function.signature.contains(parameter),
                "{name}: {parameter}"
            );
        }
        for form in function.forms {
            assert!(!form.doc.is_empty() && !form.doc.ends_with('.'), "{name}");
        }
        let acts = function.makes == Makes::Nothing;
        assert!(
            !(acts && function.is_asked()),
            "{name} has no value to ask for"
        );
        let has_own_picture = function.picture != Picture::Result;
        assert!(
            !has_own_picture || function.makes == Makes::Layout || name == "slice",
            "{name}"
        );
        if function.is_derived() {
            assert!(function.is_asked(), "{name} is derived and cannot be asked");
        }
        let has_layout = matches!(function.makes, Makes::Layout | Makes::Argument);
        assert!(
            !has_layout || function.verified != Verified::NoLayout,
            "{name} has a layout: why is it trusted?"
        );
        match function.verified {
            Verified::Law(test) => assert!(is_a_law(test), "{name}: {test}"),
            Verified::MadeOf(other) => assert!(
                all().any(|it| it.name == other && it.verified != Verified::NoLayout),
                "{name}: {other}"
            ),
            _ => {}
        }
    }
}

/// An example of each operation whose result is compared with its definition.
const JUDGED: [(&str, &[&str]); 11] = [
    ("composition", &["(6,2):(8,2)", "(4,3):(3,1)"]),
    ("flat_divide", &["(4,8):(1,4)", "(2,4)"]),
    ("flat_product", &["(2,5):(5,1)", "(3,4):(1,3)"]),
    ("left_inverse", &["(4,8):(8,1)"]),
    ("logical_divide", &["(4,8):(1,4)", "(2,4)"]),
    ("logical_product", &["(2,5):(5,1)", "(3,4):(1,3)"]),
    ("right_inverse", &["(4,8):(8,1)"]),
    ("tiled_divide", &["(4,8):(1,4)", "(2,4)"]),
    ("tiled_product", &["(2,5):(5,1)", "(3,4):(1,3)"]),
    ("zipped_divide", &["(4,8):(1,4)", "(2,4)"]),
    ("zipped_product", &["(2,5):(5,1)", "(3,4):(1,3)"]),
];

#[test]
fn what_is_called_judged_is_compared_with_its_definition() {
    let mut judged: Vec<&str> = all()
        .filter(|it| it.verified == Verified::Compared)
        .map(|it| it.name)
        .collect();
    judged.sort_unstable();
    assert_eq!(judged, JUDGED.map(|(name, _)| name));
    for (name, args) in JUDGED {
        let answer = ask(name, args, cute_algebra::Reading::Plain);
        let checked = answer.judgement.checked;
        assert_ne!(checked, cute_algebra::Checked::Not, "{name}");
    }
}
