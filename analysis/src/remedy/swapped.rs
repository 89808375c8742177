//! Two arguments in each other's place: axes of a grid, coordinates of a CTA, strides of a tensor.

use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Path, Span};

use super::Search;
use crate::finding::{Edit, Finding, Remedy};
use crate::walk;

/// Calls whose first two arguments may be in each other's place, by rule.
const SWAPPED: &[(&str, &[&str])] = &[
    ("grid-axis", &["dim3", "make_coord"]),
    ("overlapping-modes", &["make_stride"]),
];

impl Search<'_> {
    /// The two arguments the other way round, where that removes the finding and brings no other.
    pub(super) fn exchanged(&mut self, finding: &Finding) -> Option<Remedy> {
        let (_, words) = SWAPPED.iter().find(|(rule, _)| *rule == finding.rule)?;
        let related = finding.related.iter().map(|related| related.span);
        let places: Vec<Span> = related.chain([finding.span]).collect();
        for (one, other) in self.pairs(&places, words) {
            let text = self.file.text();
            let between = text.get(one.end..other.start)?;
            let (first, second) = (one.text(text), other.text(text));
            let edit = Edit {
                span: one.to(other),
                new_text: format!("{second}{between}{first}"),
            };
            let title = format!("Swap `{first}` and `{second}`");
            let remedy = self.proved(finding, edit, title);
            if remedy.is_some() {
                return remedy;
            }
        }
        None
    }

    /// The first two arguments of such calls in the statements around some places, each once.
    fn pairs(&self, places: &[Span], words: &[&str]) -> Vec<(Span, Span)> {
        let statements: Vec<Span> = places
            .iter()
            .filter_map(|place| self.statement_around(*place))
            .collect();
        let mut found: Vec<(Span, Span)> = Vec::new();
        let mut add = |args: &[Expr]| {
            if let [one, other, ..] = args
                && statements
                    .iter()
                    .any(|statement| statement.encloses(one.span))
                && !found.contains(&(one.span, other.span))
            {
                found.push((one.span, other.span));
            }
        };
        let is_word = |path: Option<&Path>| {
            let last = path.and_then(Path::last);
            last.is_some_and(|last| words.contains(&last.name.name.as_str()))
        };
        let items = &self.file.unit().items;
        // `dim3 grid(x, y);`
        walk::items(items, &mut |item| {
            if let ItemKind::Binding(binding) = &item.kind
                && is_word(binding.ty.as_ref().and_then(Expr::as_path))
                && let Some(
                    ExprKind::Construct { args, .. }
                    | ExprKind::Call(_, args)
                    | ExprKind::Braced(args),
                ) = binding.init.as_ref().map(|init| &init.kind)
            {
                add(args);
            }
        });
        walk::expressions(items, &mut |expr| match &expr.kind {
            ExprKind::Call(callee, args) if is_word(callee.as_path()) => add(args),
            ExprKind::Construct { ty, args, .. } if is_word(ty.as_path()) => add(args),
            _ => {}
        });
        found
    }
}
