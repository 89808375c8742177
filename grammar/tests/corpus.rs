//! Lowering of real CuTe sources: CUTLASS 4.2, which `cargo xtask fetch` brings.

#![allow(clippy::expect_used)] // A test may stop where its premise fails.

#[allow(dead_code)] // The example that prints them also measures times.
mod parsing;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use tree_sitter_cute::tree::{
    Expr, ExprKind, Ident, Item, ItemKind, Span, Unit, Visitor, walk_expr, walk_item, walk_unit,
};
use tree_sitter_cute::{Budget, Host, Syntax};

/// The folder with CUTLASS's `include` and `examples`.
fn cutlass() -> PathBuf {
    let folder = env::var_os("CUTE_CUTLASS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/oracles/cutlass"),
        PathBuf::from,
    );
    assert!(
        folder.join("include/cute").is_dir(),
        "{} has no CUTLASS sources: run `cargo xtask fetch`, or set CUTE_CUTLASS",
        folder.display()
    );
    folder
}

/// Sources below `folder`, in a fixed order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if Host::of_path(&path).is_some() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn lower(text: &str) -> Unit {
    let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited());
    syntax.expect("a source within the limits").lower(text)
}

/// The content of a tree, and whether its spans are true.
#[derive(Default)]
struct Census<'t> {
    text: &'t str,
    nodes: usize,
    opaque: usize,
    idents: usize,
    /// Names whose span holds another text, and parts that are outside of their whole.
    untrue: Vec<String>,
    inside: Option<Span>,
    depth: usize,
    deepest: usize,
}

impl Census<'_> {
    fn part(&mut self, span: Span, opaque: bool, what: &str) -> Option<Span> {
        self.nodes += 1;
        self.opaque += usize::from(opaque);
        if self.inside.is_some_and(|whole| !whole.encloses(span)) {
            self.untrue
                .push(format!("{what} {span:?} outside of {:?}", self.inside));
        }
        self.inside.replace(span)
    }
}

impl Visitor for Census<'_> {
    fn item(&mut self, item: &Item) {
        let opaque = matches!(item.kind, ItemKind::Opaque(_));
        let whole = self.part(item.span, opaque, "item");
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        walk_item(self, item);
        self.depth -= 1;
        self.inside = whole;
    }

    fn expr(&mut self, expr: &Expr) {
        let opaque = matches!(expr.kind, ExprKind::Opaque(_));
        let whole = self.part(expr.span, opaque, "expression");
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        walk_expr(self, expr);
        self.depth -= 1;
        self.inside = whole;
    }

    fn ident(&mut self, ident: &Ident) {
        self.idents += 1;
        let written = ident.span.text(self.text);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        // Two names represent a construct that spans more than its keyword.
        let keyword = ["asm", "defined"].contains(&ident.name.as_str());
        if words(written) != words(&ident.name) && !keyword {
            self.untrue.push(format!(
                "`{}` at {:?} says `{written}`",
                ident.name, ident.span
            ));
        }
    }
}

#[derive(Default)]
struct Row {
    files: usize,
    bytes: usize,
    with_errors: usize,
    errors: usize,
    nodes: usize,
    opaque: usize,
    deepest: usize,
}

fn census(folder: &Path) -> Row {
    let mut row = Row::default();
    for path in sources(folder) {
        let bytes = fs::read(&path).expect("a readable file");
        let text = String::from_utf8_lossy(&bytes);
        let unit = lower(&text);
        let mut census = Census {
            text: &text,
            ..Census::default()
        };
        walk_unit(&mut census, &unit);
        assert!(
            census.untrue.is_empty(),
            "{}: {:#?}",
            path.display(),
            census.untrue
        );
        assert!(!unit.truncated, "{} is cut", path.display());
        row.files += 1;
        row.bytes += text.len();
        row.with_errors += usize::from(!unit.errors.is_empty());
        row.errors += unit.errors.len();
        row.nodes += census.nodes;
        row.opaque += census.opaque;
        row.deepest = row.deepest.max(census.deepest);
        if env::var_os("CUTE_CORPUS_VERBOSE").is_some() {
            for error in &unit.errors {
                let line = text[..error.start].lines().count();
                let shown: String = text[error.start..].chars().take(70).collect();
                println!("{}:{line}: {shown:?}", path.display());
            }
        }
    }
    row
}

#[test]
fn the_tutorials_are_lowered_without_errors() {
    let row = census(&cutlass().join("examples/cute/tutorial"));
    assert!(row.files >= 13, "{} files", row.files);
    assert_eq!((row.with_errors, row.errors), (0, 0));
}

#[test]
fn every_source_is_lowered_and_every_span_is_true() {
    let cutlass = cutlass();
    let mut table = String::from(
        "folder             files      MB  files with errors  errors     nodes  opaque  deepest\n",
    );
    for folder in ["examples", "include/cute", "include/cutlass", "tools"] {
        let row = census(&cutlass.join(folder));
        let megabytes = row.bytes / 1_000_000;
        writeln!(
            table,
            "{folder:<17}{:>7}{megabytes:>8}{:>19}{:>8}{:>10}{:>8}{:>9}",
            row.files, row.with_errors, row.errors, row.nodes, row.opaque, row.deepest
        )
        .expect("a string takes text");
    }
    println!("{table}");
}

/// Files with errors, errors, places where a layout is made or named, and those that no error touches,
/// in each set of files. A change may make them better only, and then writes here what it reached.
const READ: [(&str, parsing::Reader, [[usize; 4]; 4]); 2] = [
    (
        "our grammar",
        parsing::Reader::Ours { prepared: false },
        [
            [0, 0, 518, 518],
            [5, 59, 2844, 2844],
            [9, 3891, 5210, 5210],
            [19, 207, 4068, 4068],
        ],
    ),
    (
        "pieces",
        parsing::Reader::Pieces,
        [
            [0, 0, 518, 518],
            [5, 21, 2844, 2844],
            [9, 3856, 5210, 5210],
            [15, 84, 4068, 4068],
        ],
    ),
];

#[test]
#[ignore = "reads the whole CUTLASS tree"]
fn errors_in_cutlass_become_fewer() {
    let cutlass = cutlass();
    for (at, set) in parsing::SETS.iter().enumerate() {
        let sources = parsing::sources(&cutlass.join(set)).expect("readable files");
        for (name, reader, expected) in &READ {
            let count = reader.count(&sources);
            let counted = [count.with_errors, count.errors, count.sites, count.clean];
            assert_eq!(counted, expected[at], "{set}, {name}");
        }
    }
}
