//! Registers: what a thread keeps, and how much of it at once.

use tree_sitter_cute::tree::{ExprKind, ItemKind, Span};

use super::counts::{Accumulator, size};
use super::{Cost, Costs, Seen};
use crate::tensor::Space;
use crate::trace::{Action, Deed};
use crate::value::Value;
use crate::walk;

/// Bits of a register.
const REGISTER_BITS: i64 = 32;

/// A variable that owns registers.
#[derive(Debug, Clone)]
pub(super) struct Fragment {
    /// Its name.
    pub(super) name: Span,
    /// What it keeps.
    pub(super) cost: Accumulator,
    /// From its declaration to its last use.
    pub(super) live: Span,
}

/// Notes the registers of each variable that owns some.
pub(super) fn count(seen: &Seen<'_, '_>, costs: &mut Costs) {
    for fragment in fragments(seen) {
        costs
            .notes
            .push(seen.note(fragment.name, Cost::Accumulator(fragment.cost)));
    }
}

/// The variables of a function that own registers, in the order of their declarations.
pub(super) fn fragments(seen: &Seen<'_, '_>) -> Vec<Fragment> {
    let mut found: Vec<Fragment> = Vec::new();
    for action in seen.run.reached(Deed::Fragment) {
        let Some(name) = seen.initialised_by(action.span()) else {
            continue;
        };
        let Some(cost) = registers(action) else {
            continue;
        };
        if found.iter().all(|known| known.name != name) {
            let live = live_range(seen, name);
            found.push(Fragment { name, cost, live });
        }
    }
    found.sort_by_key(|fragment| fragment.name.start);
    found
}

/// The registers of a tensor, which are as many as hold its elements packed.
fn registers(action: &Action<'_>) -> Option<Accumulator> {
    let Value::Tensor(tensor) = &action.result else {
        return None;
    };
    if tensor.engine.space != Space::Registers {
        return None;
    }
    // What is allocated is the span of the layout, which for a stride of 0 is less than its size.
    let elements = tensor.layout.as_affine()?.cosize().ok()?.value()?;
    size(tensor)?;
    let bits = elements.checked_mul(i64::from(tensor.engine.bits()?))?;
    Some(Accumulator {
        elements,
        element: match &tensor.engine.element {
            Some(element) => element.to_string(),
            None => format!("{} bits", tensor.engine.bits()?),
        },
        registers: (bits + REGISTER_BITS - 1) / REGISTER_BITS,
    })
}

/// From the declaration of a variable to the last use of it or of a view of it; where that is in a
/// loop that the declaration is not in, to the end of the loop.
fn live_range(seen: &Seen<'_, '_>, name: Span) -> Span {
    let mut names = vec![name];
    let mut end = name.end;
    // Views are declared behind what they are views of, so one pass in order finds them all.
    let mut declared: Vec<(Span, Span)> = seen
        .initialisers
        .iter()
        .filter(|(declared, _)| declared.start > name.start)
        .map(|(declared, init)| (*declared, init.span))
        .collect();
    declared.sort_by_key(|(declared, _)| declared.start);
    let uses: Vec<(Span, Span)> = uses(seen);
    for (view, init) in declared {
        let is_view = uses
            .iter()
            .any(|(place, of)| init.encloses(*place) && names.contains(of));
        if is_view && is_register_tensor(seen, view) {
            names.push(view);
        }
    }
    for (place, of) in &uses {
        if names.contains(of) {
            end = end.max(place.end);
        }
    }
    walk::items(seen.run.body(), &mut |item| {
        if matches!(item.kind, ItemKind::Loop(_))
            && item.span.contains(end.saturating_sub(1))
            && !item.span.contains(name.start)
        {
            end = end.max(item.span.end);
        }
    });
    Span::new(name.start, end)
}

/// The uses of names in the function, with where each is declared.
fn uses(seen: &Seen<'_, '_>) -> Vec<(Span, Span)> {
    let mut found = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr| {
        if let ExprKind::Name(path) = &expr.kind
            && let Some(segment) = path.last()
            && let Some(declared) = seen.output.declarations.get(&segment.name.span)
        {
            found.push((segment.name.span, *declared));
        }
    });
    found
}

fn is_register_tensor(seen: &Seen<'_, '_>, declared: Span) -> bool {
    seen.output.facts.iter().any(|fact| {
        fact.name_span == declared
            && matches!(&*fact.value, Value::Tensor(tensor) if tensor.engine.space == Space::Registers)
    })
}

/// The most registers that are live at one place, with the place.
pub(super) fn peak(fragments: &[Fragment]) -> Option<(i64, Span)> {
    fragments
        .iter()
        .map(|at| {
            let live = fragments
                .iter()
                .filter(|other| other.live.contains(at.name.start))
                .map(|other| other.cost.registers)
                .sum();
            (live, at.name)
        })
        .max_by_key(|(live, at)| (*live, std::cmp::Reverse(at.start)))
}
