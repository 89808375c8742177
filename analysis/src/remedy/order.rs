//! Another order of atoms in a tile of shared memory, so that TMA fills it with fewer instructions.

use tree_sitter_cute::tree::{Expr, Span};

use super::{Search, Traces};
use crate::cost::{Cost, MmaCount, boxes};
use crate::fact::Analysis;
use crate::finding::{Edit, Finding, Remedy};
use crate::value::Value;

impl Search<'_> {
    /// The order that lays atoms along the second mode first. It is offered only if the tensor cores
    /// still take both operands as they are: each product has as many instructions as before.
    pub(super) fn reordered(&mut self, finding: &Finding, call: &Expr) -> Vec<Remedy> {
        let Some([_, shape]) = boxes::tile_to_shape(call) else {
            return Vec::new();
        };
        let rank = self.before.mentions.iter().find_map(|mention| {
            match (&mention.value, mention.span == shape.span) {
                (Value::Tuple(extents), true) => Some(extents.len()),
                _ => None,
            }
        });
        let Some(rank) = rank.filter(|rank| (2..=5).contains(rank)) else {
            return Vec::new();
        };
        if self.budget == 0 || self.options.stop.is_wanted() {
            return Vec::new();
        }
        self.budget -= 1;
        let order: Vec<String> = [2, 1]
            .into_iter()
            .chain(3..=rank)
            .map(|place| format!("_{place}"))
            .collect();
        let order = format!("Step<{}>{{}}", order.join(","));
        let edits = vec![Edit {
            span: Span::new(shape.span.end, shape.span.end),
            new_text: format!(", {order}"),
        }];
        let before = products(self.before);
        let same_products = |after: &Analysis, _: &Traces, _: Span| products(after) == before;
        if !self.is_proved(&edits, finding, &same_products) {
            return Vec::new();
        }
        vec![Remedy {
            title: format!("Lay the atoms out along the second mode first: {order}"),
            edits,
            preferred: true,
        }]
    }
}

/// The products of a file in the order of the source.
fn products(analysis: &Analysis) -> Vec<&MmaCount> {
    analysis
        .notes
        .iter()
        .filter_map(|note| match &note.cost {
            Cost::Mma(count) => Some(count),
            _ => None,
        })
        .collect()
}
