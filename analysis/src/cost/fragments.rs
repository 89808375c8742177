//! Registers: the values that a thread keeps, and their number at once.

use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Span};

use super::counts::{Accumulator, size};
use super::{Cost, Costs, Seen};
use crate::hash::HashSet;
use crate::tensor::{Space, Tensor};
use crate::trace::{Action, ActionKind};
use crate::value::Value;
use crate::walk;

/// Bits of a register.
const REGISTER_BITS: i64 = 32;

/// A variable that owns registers.
#[derive(Debug, Clone)]
pub(super) struct Fragment {
    /// Its name.
    pub(super) name: Span,
    /// Its registers.
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
    let mut used = None;
    for action in seen.run.reached(ActionKind::Fragment) {
        let Some(name) = seen.declared.initialised_by(action.span()) else {
            continue;
        };
        let Some(mut cost) = registers(action) else {
            continue;
        };
        let mut products = seen.run.reached(ActionKind::Gemm);
        cost.is_of_product |= products.any(|product| {
            let added_to = product.args.last();
            added_to.and_then(|added_to| seen.variable(added_to)) == Some(name)
        });
        if found.iter().all(|known| known.name != name) {
            let used = used.get_or_insert_with(|| Used::in_function(seen));
            let live = used.live_range(seen, name);
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
    Some(Accumulator {
        is_of_product: is_of_product(action.call),
        ..registers_of(tensor)?
    })
}

/// The registers of a tensor that a thread owns.
pub(super) fn registers_of(tensor: &Tensor) -> Option<Accumulator> {
    if tensor.engine.space != Space::Registers {
        return None;
    }
    // The allocation is the span of the layout, which for a stride of 0 is less than its size.
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
        is_of_product: false,
    })
}

/// Whether a call makes the fragment of a product's result.
fn is_of_product(call: &Expr) -> bool {
    let ExprKind::Call(callee, _) = &call.kind else {
        return false;
    };
    let name = match &callee.kind {
        ExprKind::Member { member, .. } => Some(&member.name.name),
        _ => callee
            .as_path()
            .and_then(|path| path.last())
            .map(|last| &last.name.name),
    };
    name.is_some_and(|name| matches!(&**name, "partition_fragment_C" | "make_fragment_C"))
}

/// Uses of names in a function.
struct Used {
    /// The names in order, with where each is declared.
    places: Vec<(Span, Span)>,
    loops: Vec<Span>,
}

impl Used {
    fn in_function(seen: &Seen<'_, '_>) -> Self {
        let mut places = Vec::new();
        walk::expressions(seen.run.body(), &mut |expr| {
            if let ExprKind::Name(path) = &expr.kind
                && let Some(segment) = path.last()
                && let Some(declared) = seen.output.declarations.get(&segment.name.span)
            {
                places.push((segment.name.span, *declared));
            }
        });
        places.sort_by_key(|(place, _)| place.start);
        let mut loops = Vec::new();
        walk::items(seen.run.body(), &mut |item| {
            if matches!(item.kind, ItemKind::Loop(_)) {
                loops.push(item.span);
            }
        });
        Self { places, loops }
    }

    /// From the declaration of a variable to the last use of it or of a view of it; where that is in a
    /// loop that the declaration is not in, to the end of the loop.
    fn live_range(&self, seen: &Seen<'_, '_>, name: Span) -> Span {
        let mut names = HashSet::from_iter([name]);
        let last = self.places.last().map_or(0, |(place, _)| place.start);
        // Views are declared behind their tensors, so one pass in order finds them all.
        for (view, init) in seen.declared.between(name.start, last) {
            let mut inside = self.inside(*init);
            if inside.any(|of| names.contains(&of)) && seen.declared.is_register_tensor(*view) {
                names.insert(*view);
            }
        }
        let uses = self.places.iter().filter(|(_, of)| names.contains(of));
        let mut end = uses.fold(name.end, |end, (place, _)| end.max(place.end));
        for span in &self.loops {
            if span.contains(end.saturating_sub(1)) && !span.contains(name.start) {
                end = end.max(span.end);
            }
        }
        Span::new(name.start, end)
    }

    /// Declarations of the names that are used inside an expression.
    fn inside(&self, expr: Span) -> impl Iterator<Item = Span> {
        let first = self
            .places
            .partition_point(|(place, _)| place.start < expr.start);
        let behind = self.places.iter().skip(first);
        behind
            .take_while(move |(place, _)| place.start <= expr.end)
            .filter(move |(place, _)| expr.encloses(*place))
            .map(|(_, of)| *of)
    }
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
