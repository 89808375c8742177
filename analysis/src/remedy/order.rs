//! Another order of atoms in a tile of shared memory, so that TMA fills it with fewer instructions.

use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::{Search, Traces};
use crate::cost::{Cost, MmaCount, boxes};
use crate::fact::Analysis;
use crate::finding::{Edit, Finding, Remedy};
use crate::value::Value;

impl Search<'_> {
    /// Another order in which the atoms are laid out. It is offered only if the tensor cores still take
    /// both operands as they are: each product has as many instructions as before.
    pub(super) fn reordered(&mut self, finding: &Finding, call: &Expr) -> Vec<Remedy> {
        let (shape, written) = match boxes::tile_to_shape(call) {
            Some([_, shape]) => (shape, None),
            Some([_, shape, order]) => (shape, Some(order)),
            _ => return Vec::new(),
        };
        let rank = self.before.mentions().iter().find_map(|mention| {
            match (&*mention.value, mention.span == shape.span) {
                (Value::Tuple(extents), true) => Some(extents.len()),
                _ => None,
            }
        });
        // In a `decltype` no value is kept.
        let rank = rank.or_else(|| written_rank(shape));
        let Some(rank) = rank.filter(|rank| (2..=5).contains(rank)) else {
            return Vec::new();
        };
        let before = products(self.before);
        for order in orders(rank, written.is_some()) {
            if self.budget == 0 || self.options.stop.is_wanted() {
                break;
            }
            self.budget -= 1;
            let places: Vec<String> = order.iter().map(|place| format!("_{place}")).collect();
            let order = format!("Step<{}>{{}}", places.join(","));
            let edit = match written {
                Some(written) => Edit {
                    span: written.span,
                    new_text: order.clone(),
                },
                None => Edit {
                    span: Span::new(shape.span.end, shape.span.end),
                    new_text: format!(", {order}"),
                },
            };
            let same_products = |after: &Analysis, _: &Traces, _: Span| products(after) == before;
            if self.is_proved(std::slice::from_ref(&edit), finding, &same_products) {
                return vec![Remedy {
                    title: format!("Lay the atoms out in the order {order}"),
                    edits: vec![edit],
                    preferred: true,
                }];
            }
        }
        Vec::new()
    }
}

/// The number of modes of a shape, as it is written: `Shape<_128,_64>{}`, `make_shape(_128{}, _64{})`.
fn written_rank(shape: &Expr) -> Option<usize> {
    match &shape.kind {
        ExprKind::Construct { ty, args, .. } if args.is_empty() => {
            Some(ty.as_path()?.last()?.args.as_ref()?.len())
        }
        ExprKind::Call(_, args) if args.len() > 1 => Some(args.len()),
        _ => None,
    }
}

/// The order that lays atoms along the second mode first, and the usual one where another is written.
/// The modes behind them, stages of a pipeline, stay last: a tile is whole before the next begins.
fn orders(rank: usize, is_written: bool) -> Vec<Vec<usize>> {
    let usual: Vec<usize> = (1..=rank).collect();
    let mut swapped = usual.clone();
    swapped.swap(0, 1);
    let mut found = vec![swapped];
    if is_written {
        found.push(usual);
    }
    found
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
