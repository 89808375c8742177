//! Other orders of the threads and values of a tiled copy, so that a warp takes adjacent elements.

use cute_algebra::Layout;
use tree_sitter_cute::tree::{Expr, ExprKind};

use super::Origins;
use super::candidates::Candidate;
use super::layouts::{Source, layout_of, value_of};
use super::spelling::{CppForm, layout_in_cpp};
use crate::fact::Analysis;
use crate::finding::Edit;

/// Names and calls that are followed.
const STEPS: usize = 24;

/// Arrangements of the same threads and values, the nearest to the written one first.
pub(super) fn candidates(
    call: &Expr,
    origins: &Origins<'_>,
    before: &Analysis,
) -> Option<Vec<Candidate>> {
    let (threads, values) = arrangement(call, origins)?;
    let written = Written::of(threads, origins, before)?;
    let [rows, columns] = written.extents()?;
    let orders = [
        ([rows, columns], [columns, 1]),
        ([rows, columns], [1, rows]),
        ([columns, rows], [rows, 1]),
        ([columns, rows], [1, columns]),
    ];
    let orders: Vec<Layout> = orders
        .into_iter()
        .filter_map(|(shape, stride)| pair(shape, stride))
        .collect();
    let mut found = Vec::new();
    for threads in &orders {
        if !same(threads, &written.layout) {
            found.push(written.becoming(threads, "threads")?);
        }
    }
    // The values of a thread along the other mode.
    if let Some(values) = values.and_then(|values| Written::of(values, origins, before))
        && values.source.expr.span != written.source.expr.span
        && let Some([rows, columns]) = values.extents().filter(|[rows, columns]| rows != columns)
    {
        let mirrored = pair([columns, rows], [rows, 1])?;
        let turned = values.becoming(&mirrored, "values")?;
        for threads in &orders {
            let mut both = turned.clone();
            if !same(threads, &written.layout) {
                let other = written.becoming(threads, "threads")?;
                both.edits.extend(other.edits);
                both.title = both
                    .title
                    .zip(other.title)
                    .map(|(values, threads)| format!("{threads}; {values}"));
            }
            found.push(both);
        }
    }
    Some(found)
}

/// A layout of threads or values, and where it is written.
struct Written<'e> {
    source: Source<'e>,
    layout: Layout,
}

impl<'e> Written<'e> {
    fn of(expr: &'e Expr, origins: &Origins<'e>, before: &Analysis) -> Option<Self> {
        let source = layout_of(expr, origins)?;
        let layout = value_of(&source, before)?;
        Some(Self { source, layout })
    }

    /// The two extents of a flat layout of two modes.
    fn extents(&self) -> Option<[i64; 2]> {
        if self.layout.rank() != 2 {
            return None;
        }
        let extent = |mode: usize| {
            let mode = self.layout.mode(mode).ok()?;
            mode.view().as_leaf()?.0.value()
        };
        Some([extent(0)?, extent(1)?])
    }

    fn becoming(&self, layout: &Layout, what: &str) -> Option<Candidate> {
        let ty = layout_in_cpp(layout, CppForm::Type)?;
        let new_text = if self.source.is_type {
            ty
        } else {
            format!("{ty}{{}}")
        };
        Some(Candidate {
            edits: vec![Edit {
                span: self.source.expr.span,
                new_text,
            }],
            title: Some(format!("Arrange the {what} as {layout:#}")),
            legal: None,
        })
    }
}

fn pair(shape: [i64; 2], stride: [i64; 2]) -> Option<Layout> {
    let [rows, columns] = shape;
    let [down, across] = stride;
    format!("(_{rows},_{columns}):(_{down},_{across})")
        .parse()
        .ok()
}

/// Whether two layouts are the same function of the same shape.
fn same(one: &Layout, other: &Layout) -> bool {
    format!("{one:#}") == format!("{other:#}")
}

/// The layouts of threads and values that the tiled copy behind a partition is made with.
fn arrangement<'e>(call: &'e Expr, origins: &Origins<'e>) -> Option<(&'e Expr, Option<&'e Expr>)> {
    let mut at = call;
    for _ in 0..STEPS {
        at = match &at.kind {
            ExprKind::Call(callee, args) => match &callee.kind {
                // `copy.get_slice(thread).partition_S(tensor)`
                ExprKind::Member { object, .. } => object,
                ExprKind::Name(path) if path.last()?.name.name == "make_tiled_copy" => {
                    return match args.as_slice() {
                        [_, threads] => Some((threads, None)),
                        [_, threads, values] => Some((threads, Some(values))),
                        _ => None,
                    };
                }
                _ => return None,
            },
            ExprKind::Name(path) => origins.initialiser(path.last()?.name.span)?.1,
            _ => return None,
        };
    }
    None
}
