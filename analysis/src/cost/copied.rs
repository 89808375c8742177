//! Copies whose parts do not fit the whole: a tile larger than its tensor, a destination in which two elements are one.

use cute_algebra::coord::idx2crd;
use cute_algebra::ops::filter_zeros;
use cute_algebra::properties::is_injective;
use cute_algebra::{Int, IntTuple, Layout, Shape};
use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::axes::is_of_every_cta;
use super::bounds::Tiled;
use super::partitions::{FOLLOWED, Part, behind, part};
use super::thread_sets::{asks_for_thread, condition_of, leaves_before};
use super::{Costs, Seen, bounds, sizes};
use crate::finding::{Finding, Number, Related, Severity};
use crate::hash::HashMap;
use crate::tensor::{Space, Tensor};
use crate::trace::{Action, ActionKind, Launch, Way};
use crate::value::Value;

/// Elements of a destination that are looked through for two at one place.
const ELEMENTS: i64 = 1 << 18;
/// Variables and calls inside each other that are followed in a condition.
const DEPTH: usize = 24;

/// Looks at all copies of a function.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let mut found: Vec<Finding> = Vec::new();
    for copy in seen.run.reached(ActionKind::Copy) {
        if copy.is_uncertain {
            continue;
        }
        let Some((source, destination)) = operands(copy) else {
            continue;
        };
        // Both tensors of a copy are tiled alike: one of them is enough.
        let beyond = [destination, source]
            .into_iter()
            .find_map(|operand| beyond_the_tensor(seen, copy, operand));
        found.extend(beyond);
        found.extend(written_twice(seen, copy, source, destination));
    }
    for finding in found {
        let is_known = |known: &Finding| known.rule == finding.rule && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// The two tensors of `copy(atom, source, destination)`, `copy(source, destination)`.
fn operands<'u>(copy: &Action<'u>) -> Option<(&'u Expr, &'u Expr)> {
    match copy.args {
        [source, destination] | [_, source, destination] => Some((source, destination)),
        _ => None,
    }
}

/// A tile of threads and values that is larger than the tensor it is laid over, or does not divide it.
fn beyond_the_tensor<'u>(
    seen: &Seen<'_, 'u>,
    copy: &Action<'u>,
    operand: &'u Expr,
) -> Option<Finding> {
    let part = part(seen, operand)?;
    let (tile, what) = match part.action.values.first()? {
        Value::ThrCopy(thread) => (thread.copy.tile_shape().ok()?, "copy"),
        _ => return None,
    };
    let is_memory = matches!(part.whole.engine.space, Space::Shared | Space::Global);
    if !is_memory
        || part.whole.is_of_coordinates()
        || part.sliced.is_none()
        || bounds::is_predicated(seen)
        || is_for_some_threads(seen, copy)
    {
        return None;
    }
    let shape = part.whole.layout.domain().shape();
    let (mode, tiled, extent) = extents(&tile, &shape)
        .find(|(_, tile, extent)| *tile > 0 && *extent > 0 && extent % tile != 0)?;
    let message = format!(
        "the {what}'s tile has {tiled} elements in mode {mode}, but the tensor has {extent}: out of bounds"
    );
    Some(Finding {
        numbers: vec![
            ("tile".to_owned(), Number::Integer(tiled)),
            ("extent".to_owned(), Number::Integer(extent)),
        ],
        related: vec![Related {
            span: copy.span(),
            message: "copied here".to_owned(),
        }],
        ..seen.finding(
            "copy-beyond-tensor",
            Severity::Error,
            part.action.span(),
            message,
        )
    })
}

/// The extents of a tile and of a tensor, mode by mode, where both are known.
fn extents(tile: &Shape, shape: &Shape) -> impl Iterator<Item = (usize, i64, i64)> {
    let size = |shape: &Shape| {
        shape
            .modes()
            .map(|mode| mode.size().ok()?.value())
            .collect()
    };
    let (tile, shape): (Vec<Option<i64>>, Vec<Option<i64>>) = (size(tile), size(shape));
    let pairs = tile.into_iter().zip(shape).enumerate();
    pairs.filter_map(|(mode, (tile, extent))| Some((mode, tile?, extent?)))
}

/// Whether a branch or an early return keeps some threads from an action.
pub(super) fn is_for_some_threads<'u>(seen: &Seen<'_, 'u>, action: &Action<'u>) -> bool {
    leaves_before(seen, action)
        || action.path.iter().any(|step| match step.way {
            Way::Then(condition) => asks_for_thread(seen, condition, DEPTH),
            Way::Else => condition_of(seen, step.span)
                .is_none_or(|condition| asks_for_thread(seen, condition, DEPTH)),
            Way::Loop(_) => false,
            Way::Case(_) | Way::Aside | Way::Lambda => true,
        })
}

/// A copy that writes two elements to one place.
fn written_twice<'u>(
    seen: &Seen<'_, 'u>,
    copy: &Action<'u>,
    source: &'u Expr,
    destination: &'u Expr,
) -> Option<Finding> {
    let to = part(seen, destination)?;
    if !matches!(to.whole.engine.space, Space::Shared | Space::Global)
        || to.whole.is_of_coordinates()
    {
        return None;
    }
    let of_tile = one_place(to.whole)
        .filter(|(first, second)| {
            may_differ(seen, source, &|part| Some(part.whole), (first, second))
        })
        .map(|places| (to.whole, places));
    let (whole, (first, second)) = of_tile.or_else(|| {
        let reaches = is_of_every_cta(seen, copy) && !leaves_before(seen, copy);
        let whole = of_all_ctas(seen, &to).filter(|_| reaches)?;
        let (first, second) = one_place(whole)?;
        // The same tiles of a tensor of the same extents.
        let shape = whole.layout.domain().shape();
        let source_of = |part: &Part<'_, 'u>| {
            let of_source = of_all_ctas(seen, part)?;
            (of_source.layout.domain().shape() == shape).then_some(of_source)
        };
        let differ = may_differ(seen, source, &source_of, (&first, &second));
        differ.then_some((whole, (first, second)))
    })?;
    Some(of_one_address(
        seen,
        copy.span(),
        (&to, whole),
        (&first, &second),
    ))
}

/// The finding about a store of a part of a tensor, of which two elements share an address.
pub(super) fn of_one_address(
    seen: &Seen<'_, '_>,
    store: Span,
    (to, whole): (&Part<'_, '_>, &Tensor),
    (first, second): (&IntTuple, &IntTuple),
) -> Finding {
    let message = format!(
        "elements {first} and {second} of the destination share an address: one value is lost"
    );
    Finding {
        numbers: vec![
            ("first".to_owned(), Number::Text(first.to_string())),
            ("second".to_owned(), Number::Text(second.to_string())),
        ],
        related: vec![Related {
            span: to.action.span(),
            message: format!("a part of {:#}", whole.layout_value()),
        }],
        ..seen.finding("overlapping-store", Severity::Error, store, message)
    }
}

/// The coordinates of two elements of a tensor at one place, apart from those along modes without a stride.
pub(super) fn one_place(tensor: &Tensor) -> Option<(IntTuple, IntTuple)> {
    let moving = filter_zeros(tensor.layout.domain()).ok()?;
    let size = moving.size().ok()?.value()?;
    if size > ELEMENTS || is_injective(&moving).holds != Some(false) {
        return None;
    }
    let mut earlier: HashMap<i64, i64> = HashMap::default();
    for index in 0..size {
        let offset = moving.eval_number(index).ok()?;
        if let Some(first) = earlier.insert(offset, index) {
            return Some((coordinate(&moving, first)?, coordinate(&moving, index)?));
        }
    }
    None
}

fn coordinate(layout: &Layout, index: i64) -> Option<IntTuple> {
    let index = IntTuple::leaf(Int::dynamic(index));
    idx2crd(index.view(), layout.shape().view()).ok()
}

/// The tensor in global memory of which each CTA takes another tile, where a partition is one of such a tile.
fn of_all_ctas<'s, 'u>(seen: &'s Seen<'_, 'u>, part: &Part<'_, 'u>) -> Option<&'s Tensor> {
    let mut expr = part.action.args.first()?;
    for _ in 0..FOLLOWED {
        let mut tiles = seen.run.reached(ActionKind::LocalTile);
        if let Some(tile) = tiles.find(|tile| tile.span() == expr.span && !tile.is_uncertain) {
            let Some(Value::Tensor(whole)) = tile.values.first() else {
                return None;
            };
            let is_global = whole.engine.space == Space::Global && !whole.is_of_coordinates();
            return (is_global && has_cta_for_each(seen, tile)).then_some(&**whole);
        }
        expr = behind(seen, expr)?;
    }
    None
}

/// Whether the grids of all launches have a CTA for each tile, where their numbers are known, and each CTA comes there.
fn has_cta_for_each<'u>(seen: &Seen<'_, 'u>, tile: &Action<'u>) -> bool {
    let chosen = sizes::modes_of(tile).into_iter();
    let chosen = chosen.filter(|mode| !matches!(mode.at, Value::Underscore));
    let count = chosen.count();
    let covers = |tiled: &Tiled| match (tiled.extent.value(), tiled.ctas.value()) {
        (Some(extent), Some(ctas)) => extent <= tiled.tile.saturating_mul(ctas),
        (extent, _) => extent.is_some(),
    };
    let covered = |launch: &Launch| {
        let modes = bounds::modes(seen, tile, launch);
        let mut axes: Vec<&str> = modes.iter().map(|tiled| tiled.axis).collect();
        axes.sort_unstable();
        axes.dedup();
        axes.len() == count && modes.iter().all(covers)
    };
    let launches = seen.run.launches.as_slice();
    !launches.is_empty() && launches.iter().all(covered) && is_of_every_cta(seen, tile)
}

/// Whether the source has two values at two coordinates of the destination; `tensor_of` is the tensor of a part of it that
/// has these coordinates.
pub(super) fn may_differ<'s, 'u>(
    seen: &'s Seen<'_, 'u>,
    source: &'u Expr,
    tensor_of: &dyn Fn(&Part<'s, 'u>) -> Option<&'s Tensor>,
    (first, second): (&IntTuple, &IntTuple),
) -> bool {
    match part(seen, source) {
        Some(part) => tensor_of(&part).is_some_and(|whole| {
            let layout = whole.layout.domain();
            match (layout.eval_coord(first), layout.eval_coord(second)) {
                (Ok(first), Ok(second)) => first != second,
                _ => false,
            }
        }),
        None => is_computed(seen, source),
    }
}

/// Whether an operand is registers that a product or a copy writes: their elements are separate values.
fn is_computed<'u>(seen: &Seen<'_, 'u>, operand: &'u Expr) -> bool {
    let Some(own) = registers(seen, operand) else {
        return false;
    };
    let writes = seen.run.actions.iter();
    let mut writes =
        writes.filter(|action| matches!(action.kind, ActionKind::Gemm | ActionKind::Copy));
    writes.any(|action| {
        let written = action.args.last();
        written.and_then(|written| registers(seen, written)) == Some(own)
    })
}

/// The variable of registers that an operand is, is a slice of, or arranges anew.
pub(super) fn registers<'u>(seen: &Seen<'_, 'u>, operand: &'u Expr) -> Option<Span> {
    let declared = seen.variable(operand)?;
    match seen.initialiser(declared).map(|init| &init.kind) {
        Some(ExprKind::Call(callee, args)) => match (&callee.kind, args.as_slice()) {
            (ExprKind::Member { member, .. }, [arranged])
                if matches!(member.name.name.as_str(), "retile_S" | "retile_D") =>
            {
                seen.variable(arranged)
            }
            _ => Some(declared),
        },
        _ => Some(declared),
    }
}
