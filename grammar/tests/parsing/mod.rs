//! The quality of the trees of CUTLASS's sources: errors in the trees, and layouts that an error touches. Shared by the
//! corpus test, which keeps the counts, and by the example that prints them.

mod sites;

use std::path::Path;
use std::time::{Duration, Instant};

use tree_sitter::{InputEdit, Language, Parser, Point, Tree};
use tree_sitter_cute::tree::Span;
use tree_sitter_cute::{Budget, Host, Syntax, cuda};

/// A source file.
pub(crate) struct Source {
    /// As written.
    pub(crate) text: String,
    /// After the pre-pass.
    prepared: Vec<u8>,
    /// The places where layouts are made or named.
    sites: Vec<Span>,
}

/// A way to read sources.
pub(crate) enum Reader {
    /// The CUDA grammar of tree-sitter, on the text as written or after the pre-pass.
    TreeSitterCuda { prepared: bool },
    /// Our grammar, likewise.
    Ours { prepared: bool },
    /// The way of this crate: our grammar on the pre-passed text, declaration by declaration.
    Pieces,
}

/// All of them, with their names.
pub(crate) const READERS: [(&str, Reader); 5] = [
    (
        "tree-sitter-cuda",
        Reader::TreeSitterCuda { prepared: false },
    ),
    (
        "tree-sitter-cuda, pre-pass",
        Reader::TreeSitterCuda { prepared: true },
    ),
    ("our grammar", Reader::Ours { prepared: false }),
    ("our grammar, pre-pass", Reader::Ours { prepared: true }),
    ("our grammar, pre-pass, pieces", Reader::Pieces),
];

/// The sets of files that are counted.
pub(crate) const SETS: [&str; 4] = [
    "examples/cute/tutorial",
    "examples",
    "include/cute",
    "include/cutlass",
];

/// Header files beyond this are generated tables; they count, but their layouts do not.
const GENERATED: usize = 300_000;

/// The result of reading a set of files.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) files: usize,
    /// Files with an error.
    pub(crate) with_errors: usize,
    /// Nodes of the trees that are errors, or that the parser invented.
    pub(crate) errors: usize,
    /// Places where a layout is made or named.
    pub(crate) sites: usize,
    /// Those that no error touches.
    pub(crate) clean: usize,
}

/// The sources below a folder, in a fixed order.
pub(crate) fn sources(folder: &Path) -> std::io::Result<Vec<Source>> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if Host::of_path(&path) == Some(Host::CudaCpp) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| source(path)).collect()
}

/// One source.
pub(crate) fn source(path: &Path) -> std::io::Result<Source> {
    let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
    let prepared = cuda::prepared(&text);
    let sites = if text.len() > GENERATED {
        Vec::new()
    } else {
        sites::sites(&prepared)
    };
    Ok(Source {
        text,
        prepared,
        sites,
    })
}

impl Reader {
    /// Counts errors and the sites that they touch.
    pub(crate) fn count(&self, sources: &[Source]) -> Count {
        let mut count = Count::default();
        for source in sources {
            let errors = self.errors(source);
            let touched = |site: &&Span| errors.iter().any(|e| touch(**site, *e));
            count.files += 1;
            count.with_errors += usize::from(!errors.is_empty());
            count.errors += errors.len();
            count.sites += source.sites.len();
            count.clean += source.sites.len() - source.sites.iter().filter(touched).count();
        }
        count
    }

    /// The time to read the sources once.
    pub(crate) fn time(&self, sources: &[Source]) -> Duration {
        let start = Instant::now();
        for source in sources {
            if let Some(language) = self.language() {
                std::hint::black_box(tree(&language, self.text(source), None));
            } else {
                let budget = Budget::unlimited();
                let syntax = Syntax::parse(Host::CudaCpp, &source.text, None, budget);
                let _ = std::hint::black_box(syntax);
            }
        }
        start.elapsed()
    }

    /// The times to read a source again after a character was typed at each of `places`.
    pub(crate) fn times_after_edit(&self, source: &Source, places: &[usize]) -> Vec<Duration> {
        let old_tree = self
            .language()
            .and_then(|language| tree(&language, self.text(source), None));
        let old = Syntax::parse(Host::CudaCpp, &source.text, None, Budget::unlimited()).ok();
        let time = |place: &usize| {
            let text = [&source.text[..*place], "x", &source.text[*place..]].concat();
            let start = Instant::now();
            if let (Some(language), Some(old)) = (self.language(), &old_tree) {
                let prepared = self.is_prepared().then(|| cuda::prepared(&text));
                let text = prepared.as_deref().unwrap_or(text.as_bytes());
                let mut old = old.clone();
                old.edit(&typed(text, *place));
                std::hint::black_box(tree(&language, text, Some(&old)));
            } else {
                let budget = Budget::unlimited();
                let syntax = Syntax::parse(Host::CudaCpp, &text, old.as_ref(), budget);
                let _ = std::hint::black_box(syntax);
            }
            start.elapsed()
        };
        places.iter().map(time).collect()
    }

    fn errors(&self, source: &Source) -> Vec<Span> {
        match self.language() {
            Some(language) => tree(&language, self.text(source), None)
                .map(|tree| error_spans(&tree))
                .unwrap_or_default(),
            None => Syntax::parse(Host::CudaCpp, &source.text, None, Budget::unlimited())
                .map(|syntax| syntax.lower(&source.text).errors)
                .unwrap_or_default(),
        }
    }

    /// The grammar with which whole files are read.
    fn language(&self) -> Option<Language> {
        match self {
            Self::TreeSitterCuda { .. } => Some(tree_sitter_cuda::LANGUAGE.into()),
            Self::Ours { .. } => Some(tree_sitter_cute_cuda::LANGUAGE.into()),
            Self::Pieces => None,
        }
    }

    fn is_prepared(&self) -> bool {
        match self {
            Self::TreeSitterCuda { prepared } | Self::Ours { prepared } => *prepared,
            Self::Pieces => true,
        }
    }

    fn text<'s>(&self, source: &'s Source) -> &'s [u8] {
        if self.is_prepared() {
            &source.prepared
        } else {
            source.text.as_bytes()
        }
    }
}

/// Places evenly spread over a source, each behind a `;`.
pub(crate) fn places(source: &Source, count: usize) -> Vec<usize> {
    let ends: Vec<usize> = source
        .text
        .match_indices(";\n")
        .map(|(at, _)| at + 1)
        .collect();
    let step = (ends.len() / count).max(1);
    ends.into_iter().step_by(step).take(count).collect()
}

fn tree(language: &Language, text: &[u8], old: Option<&Tree>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    parser.parse(text, old)
}

/// The edit that typed one byte at `place` of `text`.
fn typed(text: &[u8], place: usize) -> InputEdit {
    let before = &text[..place];
    let row = before.split(|byte| *byte == b'\n').count() - 1;
    let line = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let start = Point::new(row, place - line);
    InputEdit {
        start_byte: place,
        old_end_byte: place,
        new_end_byte: place + 1,
        start_position: start,
        old_end_position: start,
        new_end_position: Point::new(row, place - line + 1),
    }
}

fn error_spans(tree: &Tree) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            spans.push(Span::new(node.start_byte(), node.end_byte()));
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return spans;
            }
        }
    }
}

/// Whether an error is in a site, around it, or at its border.
fn touch(site: Span, error: Span) -> bool {
    error.start < site.end && site.start < error.end.max(error.start + 1)
}
