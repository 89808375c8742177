//! Whether the tiles of a grid stay inside of the tensor.

use cute_algebra::{Expression, Int};
use tree_sitter_cute::tree::{ExprKind, ItemKind};

use super::requirements::tile_of;
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::Space;
use crate::trace::{Action, Deed, Launch, Way};
use crate::value::Value;
use crate::walk;

/// Problem sizes that are tried, in tiles.
const TILES_TRIED: i64 = 64;

const WITHOUT: &str = "CTAs without a tile store, too";
const WHOLE: &str = "the last tile is stored whole";

/// One mode of a tensor that the CTAs of one direction of the grid tile.
struct Tiled {
    /// The extent of the tensor.
    extent: Int,
    /// The extent of the tile.
    tile: i64,
    /// CTAs in this direction.
    ctas: Int,
}

/// Looks for stores that leave the tensor.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() || is_guarded(seen) {
        return;
    }
    for store in &seen.run.actions {
        if !store.is_reached() || store.is_uncertain || !is_unpredicated_store(store) {
            continue;
        }
        let Some(tile) = tile_behind(seen, store) else {
            continue;
        };
        for launch in &seen.run.launches {
            for tiled in modes(tile, launch) {
                if let Some(finding) = overrun(seen, store, tile, launch, &tiled) {
                    let known = costs
                        .findings
                        .iter()
                        .any(|other| other.rule == finding.rule && other.span == finding.span);
                    if !known {
                        costs.findings.push(finding);
                    }
                }
            }
        }
    }
}

/// Whether a thread may leave the function early, or a predicate is computed: then what is stored
/// may be in bounds in ways that are not followed.
fn is_guarded(seen: &Seen<'_, '_>) -> bool {
    let mut guarded = is_predicated(seen);
    walk::items(seen.run.body(), &mut |item| {
        guarded |= matches!(item.kind, ItemKind::Return(_) | ItemKind::Jump(_));
    });
    guarded
}

/// Whether a function compares coordinates with the bounds of a tensor.
pub(super) fn is_predicated(seen: &Seen<'_, '_>) -> bool {
    let mut guarded = seen.run.reached(Deed::CopyWhere).next().is_some();
    walk::expressions(seen.run.body(), &mut |expr| {
        if let ExprKind::Name(path) = &expr.kind
            && let Some(segment) = path.last()
        {
            guarded |= matches!(
                segment.name.name.as_str(),
                "elem_less" | "make_identity_tensor"
            );
        }
    });
    guarded
}

/// `copy(.., global)` or `axpby(.., global)` that every thread reaches.
fn is_unpredicated_store(action: &Action<'_>) -> bool {
    let stores = matches!(action.deed, Deed::Copy | Deed::Update);
    let to_global = matches!(
        action.values.last(),
        Some(Value::Tensor(tensor)) if tensor.engine.space == Space::Global
    );
    let by_tma = action
        .values
        .first()
        .and_then(super::counts::atom)
        .is_some_and(|atom| {
            matches!(
                atom.atom.operands,
                cute_hardware::copy::CopyOperands::Tma(_)
            )
        });
    stores
        && to_global
        && !by_tma
        && action
            .path
            .iter()
            .all(|step| matches!(step.way, Way::Loop(_)))
}

/// The tile of global memory that a store's part was taken from.
fn tile_behind<'s>(seen: &'s Seen<'s, '_>, store: &Action<'_>) -> Option<&'s Action<'s>> {
    let mut expr = store.args.last()?;
    for _ in 0..8 {
        if let Some(action) = seen
            .run
            .actions
            .iter()
            .find(|action| action.deed == Deed::LocalTile && action.span() == expr.span)
        {
            return Some(action);
        }
        expr = match &expr.kind {
            ExprKind::Name(_) => seen.initialiser(seen.variable(expr)?)?,
            ExprKind::Call(callee, args) => match &callee.kind {
                // thread.partition_C(tile)
                ExprKind::Member { .. } => args.first()?,
                // tensor(_, _, i) is a part of it; a function is not followed.
                ExprKind::Name(_) if seen.variable(callee).is_some() => callee,
                ExprKind::Name(path)
                    if path.last().is_some_and(|segment| {
                        matches!(
                            segment.name.name.as_str(),
                            "local_partition" | "group_modes" | "flatten"
                        )
                    }) =>
                {
                    args.first()?
                }
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// The modes of a tile that one direction of the grid selects: `blockIdx.x` in the coordinate.
fn modes(tile: &Action<'_>, launch: &Launch) -> Vec<Tiled> {
    let (Some(Value::Tensor(tensor)), Some(extents), Some(Value::Tuple(coordinate))) =
        (tile.values.first(), tile_of(tile), tile.values.get(2))
    else {
        return Vec::new();
    };
    let kept: Vec<&Value> = coordinate
        .iter()
        .enumerate()
        .filter(|(index, _)| match tile.values.get(3) {
            Some(Value::Tuple(marks)) => !matches!(marks.get(*index), Some(Value::Underscore)),
            _ => true,
        })
        .map(|(_, at)| at)
        .collect();
    let Value::Tuple(grid) = &launch.grid else {
        return Vec::new();
    };
    let shape = tensor.layout.domain().shape();
    let mut found = Vec::new();
    for ((extent, size), at) in shape.modes().zip(extents).zip(kept) {
        let axis = ["blockIdx.x", "blockIdx.y", "blockIdx.z"]
            .iter()
            .position(|axis| at.as_int().is_some_and(|at| at.to_string() == **axis));
        if let (Ok(extent), Some(tile), Some(axis)) = (extent.size(), size, axis)
            && let Some(ctas) = grid.get(axis).and_then(Value::as_int)
        {
            found.push(Tiled {
                extent,
                tile,
                ctas: ctas.clone(),
            });
        }
    }
    found
}

/// The number that an expression of one symbol has for a value of the symbol.
fn at(int: &Int, symbol: &str, value: i64) -> Option<i64> {
    if int.value().is_some() {
        return int.value();
    }
    let value = Expression::known(value);
    int.to_expression()
        .substitute(&|name| (name == symbol).then(|| value.clone()))?
        .as_known()
}

fn overrun(
    seen: &Seen<'_, '_>,
    store: &Action<'_>,
    tile: &Action<'_>,
    launch: &Launch,
    tiled: &Tiled,
) -> Option<Finding> {
    let known = tiled.extent.value();
    let symbols = tiled
        .extent
        .as_expression()
        .map(cute_algebra::Expression::symbols)
        .unwrap_or_default();
    let symbol = match (symbols.as_slice(), known) {
        ([symbol], None) => &**symbol,
        ([], Some(_)) => "the size",
        _ => return None,
    };
    // A parameter of the kernel has the name that the kernel gives it, not the launch.
    let is_parameter = |name: &str| {
        let mut params = seen.run.function.params.iter();
        params.any(|param| param.name.as_ref().is_some_and(|param| param.name == name))
    };
    if is_parameter(symbol) {
        return None;
    }
    // Only what is this symbol itself: sizes of other forms are not tried.
    if known.is_none() && tiled.extent.to_string() != symbol {
        return None;
    }
    let covered = |size: i64| at(&tiled.ctas, symbol, size)?.checked_mul(tiled.tile);
    // Sizes that the tile divides, so that the caller did all that the tile asks for.
    let whole = (1..=TILES_TRIED)
        .map(|tiles| tiles * tiled.tile)
        .find(|size| covered(*size).is_some_and(|covered| covered > *size));
    let ragged = || {
        (tiled.tile + 1..=tiled.tile * 2)
            .find(|size| covered(*size).is_some_and(|covered| covered > *size))
    };
    // Sizes that the tile does not divide may never come; the others a caller has to expect.
    let (rule, severity, size, why) = match (known, whole) {
        (Some(size), _) if covered(size)? <= size => return None,
        (Some(size), _) if size % tiled.tile == 0 => {
            ("grid-overrun", Severity::Warning, size, WITHOUT)
        }
        (Some(size), _) => ("ragged-store", Severity::Warning, size, WHOLE),
        (None, Some(size)) => ("grid-overrun", Severity::Warning, size, WITHOUT),
        (None, None) => ("ragged-store", Severity::Information, ragged()?, WHOLE),
    };
    let ctas = at(&tiled.ctas, symbol, size)?;
    let reached = covered(size)?;
    Some(Finding {
numbers: vec![
            ("size".to_owned(), Number::Integer(size)),
            ("ctas".to_owned(), Number::Integer(ctas)),
            ("tile".to_owned(), Number::Integer(tiled.tile)),
            ("covered".to_owned(), Number::Integer(reached)),
        ],
related: [
            (tile.span(), "the tile of a CTA"),
            (launch.span, "the launch"),
        ]
        .into_iter()
        .filter(|(span, _)| seen.file.contains(*span))
        .map(|(span, message)| Related {
            span,
            message: message.to_owned(),
        })
        .collect(),
..seen.finding(rule, severity, store.span(), format!(
            "with {symbol} = {size} the grid has {ctas} CTAs of {} and stores up to {reached}: {why}",
            tiled.tile
        ))
})
}
