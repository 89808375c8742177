//! Launch bounds with a minimum of CTAs.

use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Span};

use super::Search;
use crate::cost::LaunchBounds;
use crate::finding::{Edit, Finding, Remedy};
use crate::walk;

impl Search<'_> {
    /// `__launch_bounds__(384, 1)` for `__launch_bounds__(384)`, where warp groups then have the registers they ask for.
    pub(super) fn with_minimum(&mut self, finding: &Finding) -> Vec<Remedy> {
        let Some(edit) = self.bounds_at(finding.span).and_then(and_one) else {
            return Vec::new();
        };
        if self.budget == 0 || self.options.stop.is_wanted() {
            return Vec::new();
        }
        self.budget -= 1;
        let text = finding.span.text(self.file.text());
        let title = format!(
            "Allow one CTA or more: {text} → {}, 1)",
            text.trim_end_matches(')')
        );
        let edits = vec![edit];
        let is_proved = self.is_proved(&edits, finding, &|after, _, _| {
            let bounds = after
                .budgets
                .iter()
                .filter_map(|budget| budget.launch_bounds);
            bounds
                .map(LaunchBounds::obeys_roles)
                .any(|obeys| obeys == Some(true))
        });
        let remedy = Remedy {
            title,
            edits,
            preferred: true,
        };
        is_proved.then_some(remedy).into_iter().collect()
    }

    /// The launch bounds of a function, which are at a place.
    fn bounds_at(&self, place: Span) -> Option<&Expr> {
        let mut found = None;
        walk::items(&self.file.unit().items, &mut |item| {
            if let ItemKind::Function(function) = &item.kind {
                let bounds = function.decorators.first();
                found = found.or(bounds.filter(|bounds| bounds.span == place));
            }
        });
        found
    }
}

/// One more argument.
fn and_one(bounds: &Expr) -> Option<Edit> {
    let ExprKind::Call(_, args) = &bounds.kind else {
        return None;
    };
    let end = args.last()?.span.end;
    Some(Edit {
        span: Span::new(end, end),
        new_text: ", 1".to_owned(),
    })
}
