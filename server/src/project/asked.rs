//! Instances of templates that the project file asks for.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cute_analysis::{Positions, SourceFile};
use tree_sitter_cute::cuda;
use tree_sitter_cute::tree::{Item, ItemKind, Unit};

/// An instance as the project file has it: `gemm_device<half_t, 128>`.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    file: PathBuf,
    text: Arc<str>,
    /// The template with its arguments, as a statement; its spans are in the text.
    statement: Unit,
}

impl Asked {
    /// The instance that is between quotes at `place` of a file; nothing where it is not a template
    /// with arguments.
    pub fn new(file: &Path, text: &Arc<str>, place: Range<usize>, instance: &str) -> Option<Self> {
        let target = cuda::parse_expression(instance).ok()?;
        target.as_path()?.last()?.args.as_ref()?;
        let mut statement = Unit {
            items: vec![Item {
                span: target.span,
                kind: ItemKind::Expr(target),
            }],
            ..Unit::default()
        };
        // Behind the quote.
        statement.shift(place.start + 1);
        Some(Self {
            file: file.to_owned(),
            text: Arc::clone(text),
            statement,
        })
    }
}

/// The instances as a file of statements, at its own place.
pub(super) fn placed(asked: &[Asked], positions: &Positions) -> Option<Arc<SourceFile>> {
    let first = asked.first()?;
    let statements = asked.iter().flat_map(|asked| asked.statement.items.clone());
    let unit = Unit {
        items: statements.collect(),
        ..Unit::default()
    };
    let text = Arc::clone(&first.text);
    Some(Arc::new(SourceFile::other(
        &first.file,
        text,
        unit,
        positions,
    )))
}
