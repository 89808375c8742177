//! Whether the tiles of a grid stay inside of the tensor.

use cute_algebra::Int;
use tree_sitter_cute::tree::{Expr, ExprKind, Item, ItemKind, Span};

use super::sizes::{self, Given};
use super::{Costs, Seen, called, rings};
use crate::finding::{Finding, Number, Related, Severity};
use crate::held::at;
use crate::tensor::Space;
use crate::trace::{Action, ActionKind, Launch, Way};
use crate::value::Value;
use crate::walk;

/// Problem sizes that are tried, in tiles.
const TILES_TRIED: i64 = 64;

/// Tiles of which a divisor may be made, and multiples of it that are tried.
const TILES_OF_A_DIVISOR: i64 = 32;
const DIVISORS_TRIED: i64 = 8;

/// CTAs that have one tile together, at most: those of a cluster.
const CTAS_OF_A_TILE: i64 = 16;

const WITHOUT: &str = "CTAs without a tile store too";
const WHOLE: &str = "the last tile is stored in full";

/// One mode of a tensor that the CTAs of one direction of the grid tile.
pub(super) struct Tiled {
    /// The direction.
    pub(super) axis: &'static str,
    /// The extent of the tensor, in symbols of the launch.
    pub(super) extent: Int,
    /// It in symbols of the kernel.
    own: Int,
    /// The extent of the tile.
    pub(super) tile: i64,
    /// CTAs in this direction.
    pub(super) ctas: Int,
}

impl Tiled {
    /// Another extent along the same direction.
    pub(super) fn with(&self, extent: Int, tile: i64) -> Self {
        Self {
            axis: self.axis,
            own: extent.clone(),
            extent,
            tile,
            ctas: self.ctas.clone(),
        }
    }
}

/// A store to global memory that all threads come to.
struct Store<'u> {
    span: Span,
    /// The tensor.
    target: &'u Expr,
    /// Whether other accesses of the kernel have predicates.
    is_the_only_one: bool,
}

/// Looks for stores that leave the tensor.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() || may_leave(seen) {
        return;
    }
    let stores = if is_predicated(seen) {
        stores_of_elements(seen)
    } else {
        stores(seen)
    };
    for store in stores {
        let Some(tile) = tile_behind(seen, store.target) else {
            continue;
        };
        for launch in &seen.run.launches {
            for tiled in modes(seen, tile, launch) {
                if let Some(finding) = overrun(seen, &store, tile, launch, &tiled) {
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

/// The copies into global memory without a predicate.
fn stores<'u>(seen: &Seen<'_, 'u>) -> Vec<Store<'u>> {
    let stores =
        seen.run.actions.iter().filter(|store| {
            store.is_reached() && !store.is_uncertain && is_unpredicated_store(store)
        });
    let stores = stores.filter_map(|store| {
        Some(Store {
            span: store.span(),
            target: store.args.last()?,
            is_the_only_one: false,
        })
    });
    stores.collect()
}

/// `tensor(i) = x` under no condition, in a kernel that has predicates for other accesses: for its loads.
fn stores_of_elements<'u>(seen: &Seen<'_, 'u>) -> Vec<Store<'u>> {
    let mut found = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr| {
        let ExprKind::Assign(assignment) = &expr.kind else {
            return;
        };
        let ExprKind::Call(target, _) = &assignment.target.kind else {
            return;
        };
        let declared = target.as_plain_name().and_then(|_| seen.variable(target));
        let is_global = declared
            .and_then(|declared| rings::value_of(seen, declared))
            .is_some_and(|value| {
                matches!(value, Value::Tensor(tensor) if tensor.engine.space == Space::Global)
            });
        // A loop that goes as often in all launches: no other one leaves elements out.
        let is_whole = |item: &Item| {
            let mut counters = seen.run.counters.iter();
            matches!(item.kind, ItemKind::Loop(_))
                && counters.any(|counter| counter.repeat == item.span)
        };
        if is_global && called::around(seen, expr.span).into_iter().all(is_whole) {
            found.push(Store {
                span: expr.span,
                target,
                is_the_only_one: true,
            });
        }
    });
    found
}

/// Whether a thread may leave the function early: then a store may be in bounds in ways that are not followed.
pub(super) fn may_leave(seen: &Seen<'_, '_>) -> bool {
    let mut guarded = false;
    walk::items(seen.run.body(), &mut |item| {
        guarded |= matches!(item.kind, ItemKind::Return(_) | ItemKind::Jump(_));
    });
    guarded
}

/// Whether a function compares coordinates with the bounds of a tensor.
pub(super) fn is_predicated(seen: &Seen<'_, '_>) -> bool {
    let mut guarded = seen.run.reached(ActionKind::CopyWhere).next().is_some();
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
    let stores = matches!(action.kind, ActionKind::Copy | ActionKind::Update);
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
fn tile_behind<'s, 'u>(seen: &'s Seen<'_, 'u>, target: &'u Expr) -> Option<&'s Action<'u>> {
    let mut expr = target;
    for _ in 0..8 {
        if let Some(action) = seen.run.actions.iter().find(|action| {
            matches!(action.kind, ActionKind::LocalTile | ActionKind::CtaSlice)
                && action.span() == expr.span
        }) {
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
pub(super) fn modes(seen: &Seen<'_, '_>, tile: &Action<'_>, launch: &Launch) -> Vec<Tiled> {
    let Value::Tuple(grid) = &launch.grid else {
        return Vec::new();
    };
    let given = Given::of(seen, launch);
    let mut found = Vec::new();
    for mode in sizes::modes_of(tile) {
        let axis = ["blockIdx.x", "blockIdx.y", "blockIdx.z"]
            .into_iter()
            .enumerate()
            .find_map(|(index, axis)| {
                Some((index, axis, ctas_of_a_tile(mode.at.as_int()?, axis)?))
            });
        if let (Some(extent), Some(tile), Some((index, axis, each))) =
            (given.on_host(&mode.extent), mode.tile, axis)
            && let Some(ctas) = grid.get(index).and_then(Value::as_int)
            && let Ok(ctas) = ctas.div(&Int::fixed(each))
        {
            found.push(Tiled {
                axis,
                extent,
                own: mode.extent,
                tile,
                ctas,
            });
        }
    }
    found
}

/// Number of consecutive CTAs along an axis that have one tile: 1 for `blockIdx.x`, 2 for `blockIdx.x / 2`.
fn ctas_of_a_tile(coordinate: &Int, axis: &str) -> Option<i64> {
    let symbols = coordinate.as_expression()?.symbols();
    if symbols.len() != 1 || symbols.first().is_none_or(|symbol| **symbol != *axis) {
        return None;
    }
    let each = (1..=CTAS_OF_A_TILE).find(|index| at(coordinate, axis, *index) == Some(1))?;
    let is_divided = (0..4 * each).all(|index| at(coordinate, axis, index) == Some(index / each));
    is_divided.then_some(each)
}

/// A run-time size: the symbol that decides it, and the size for each value of the symbol.
pub(super) struct Size<'t> {
    tiled: &'t Tiled,
    pub(super) symbol: String,
    /// Its name.
    pub(super) name: String,
    /// A number that it is assumed to be a multiple of.
    step: i64,
    /// The least value of the symbol.
    least: i64,
}

impl<'t> Size<'t> {
    /// The size of a tensor; `None` unless it is a symbol.
    pub(super) fn of(seen: &Seen<'_, '_>, tiled: &'t Tiled) -> Option<Self> {
        let expression = tiled.extent.as_expression()?;
        let symbols = expression.symbols();
        let [symbol] = symbols.as_slice() else {
            return None;
        };
        let multiples = seen.output.multiples.iter();
        let shown = multiples.fold(tiled.extent.clone(), |int, multiple| {
            multiple.restored(&int)
        });
        let shown_symbols = shown.as_expression()?.symbols();
        let [name] = shown_symbols.as_slice() else {
            return None;
        };
        if shown.to_string() != **name {
            return None;
        }
        Some(Self {
            tiled,
            symbol: symbol.to_string(),
            name: name.to_string(),
            step: at(&tiled.extent, symbol, 1).filter(|step| *step > 0)?,
            least: expression.least_of(symbol).unwrap_or(1),
        })
    }

    /// A size that it is not below, small enough for the trials from there on.
    pub(super) fn least_size(&self) -> i64 {
        const MOST: i64 = 1 << 31;
        let least = self.least.clamp(0, MOST).checked_mul(self.step);
        least
            .map_or(MOST, |least| least.min(MOST))
            .saturating_sub(1)
    }

    /// The value of the symbol with which the size is a number.
    pub(super) fn value(&self, size: i64) -> Option<i64> {
        let value = size / self.step;
        (size % self.step == 0 && value >= self.least).then_some(value)
    }

    fn ctas(&self, size: i64) -> Option<i64> {
        at(&self.tiled.ctas, &self.symbol, self.value(size)?)
    }

    /// The extent that the tiles of the grid cover.
    pub(super) fn covered(&self, size: i64) -> Option<i64> {
        self.ctas(size)?.checked_mul(self.tiled.tile)
    }

    /// Whether the tiles of the grid reach beyond it, and nothing that was checked before keeps it from being so.
    fn is_exceeded(&self, launch: &Launch, size: i64) -> bool {
        self.covered(size).is_some_and(|covered| covered > size)
            && self.value(size).is_some_and(|value| {
                let mut held = launch.held.iter();
                !held.any(|held| held.may_exclude(&self.symbol, value))
            })
    }

    /// The smallest multiple of the tile whose multiples the grid covers and does not exceed.
    fn divisor(&self) -> Option<i64> {
        (1..=TILES_OF_A_DIVISOR)
            .map(|tiles| tiles * self.tiled.tile)
            .find(|divisor| {
                let sizes = (1..=DIVISORS_TRIED).map(|count| count * divisor);
                let mut sizes = sizes.filter(|size| size % self.step == 0).peekable();
                let is_covered = |size: i64| {
                    let ctas = at(&self.tiled.ctas, &self.symbol, size / self.step);
                    ctas.and_then(|ctas| ctas.checked_mul(self.tiled.tile)) == Some(size)
                };
                sizes.peek().is_some() && sizes.all(is_covered)
            })
    }
}

/// Required divisors of the extents of a tensor, beyond its tile, so that the CTAs of a launch have a tile each.
pub(super) fn divisors(seen: &Seen<'_, '_>, tile: &Action<'_>) -> Vec<(Int, i64)> {
    let mut found = Vec::new();
    for launch in &seen.run.launches {
        for tiled in modes(seen, tile, launch) {
            let divisor = Size::of(seen, &tiled).and_then(|size| size.divisor());
            if let Some(divisor) = divisor.filter(|divisor| *divisor > tiled.tile) {
                found.push((tiled.own, divisor));
            }
        }
    }
    found
}

fn overrun(
    seen: &Seen<'_, '_>,
    store: &Store<'_>,
    tile: &Action<'_>,
    launch: &Launch,
    tiled: &Tiled,
) -> Option<Finding> {
    let (name, rule, severity, size, ctas) = if let Some(size) = tiled.extent.value() {
        let ctas = tiled.ctas.value()?;
        if ctas.checked_mul(tiled.tile)? <= size {
            return None;
        }
        let rule = if size % tiled.tile == 0 {
            "grid-overrun"
        } else {
            "ragged-store"
        };
        ("the size".to_owned(), rule, Severity::Warning, size, ctas)
    } else {
        // A grid with a fixed number of CTAs may be meant for one size only, or be made of what the size was before.
        if tiled.ctas.value().is_some() {
            return None;
        }
        let found = Size::of(seen, tiled)?;
        // Sizes that the tile divides, so that the caller did all that the tile asks for. The others may never
        // come.
        let first = found.least_size() / tiled.tile;
        let whole = (1..=TILES_TRIED)
            .map(|tiles| (first + tiles) * tiled.tile)
            .find(|size| found.is_exceeded(launch, *size));
        let (rule, severity, size) = if let Some(size) = whole {
            ("grid-overrun", Severity::Warning, size)
        } else {
            let first = (first + 1) * tiled.tile;
            let mut sizes = first + 1..=first + tiled.tile;
            let size = sizes.find(|size| found.is_exceeded(launch, *size))?;
            // Who has predicates for the loads expects such sizes.
            let severity = if store.is_the_only_one {
                Severity::Warning
            } else {
                Severity::Information
            };
            ("ragged-store", severity, size)
        };
        let ctas = found.ctas(size)?;
        (found.name, rule, severity, size, ctas)
    };
    let why = if rule == "grid-overrun" {
        WITHOUT
    } else {
        WHOLE
    };
    let reached = ctas.checked_mul(tiled.tile)?;
    let places = [
        (tile.span(), "the tile of a CTA"),
        (launch.span, "the launch"),
    ];
    Some(Finding {
        numbers: vec![
            ("size".to_owned(), Number::Integer(size)),
            ("ctas".to_owned(), Number::Integer(ctas)),
            ("tile".to_owned(), Number::Integer(tiled.tile)),
            ("covered".to_owned(), Number::Integer(reached)),
        ],
        related: places
            .into_iter()
            .filter(|(span, _)| seen.file.contains(*span))
            .map(|(span, message)| Related {
                span,
                message: message.to_owned(),
            })
            .collect(),
        ..seen.finding(
            rule,
            severity,
            store.span,
            format!(
                "{name} = {size}, but {ctas} CTAs of {} store up to {reached}: {why}",
                tiled.tile
            ),
        )
    })
}
