//! Multicast masks: which CTAs of the cluster they name.

use std::collections::BTreeSet;

use cute_algebra::{Expression, Int, Layout};
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, ItemKind};

use super::counts::tma_count;
use super::tree::anchor;
use super::{Cost, Costs, Seen, three};
use crate::finding::{Finding, Number, Related, Severity};
use crate::trace::{Action, ActionKind, Launch};
use crate::value::Value;
use crate::walk;

/// The CTAs of a mask: bits of 16.
pub(super) const CTAS: i64 = cute_hardware::multiprocessor::LARGEST_CLUSTER;

/// A mask of CTAs, as each CTA of the cluster computes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MulticastMask {
    /// The CTAs of the cluster: V, M, N and K to the index of the CTA.
    pub cluster: Layout,
    /// The mask of each CTA, in the order of their indices.
    pub masks: Vec<MaskOfCta>,
}

/// The mask of one CTA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskOfCta {
    /// The index of the CTA in its cluster.
    pub cta: i64,
    /// The CTAs that it names.
    pub ctas: Vec<i64>,
}

impl MaskOfCta {
    /// The mask as the instruction takes it, one bit for each CTA.
    pub fn bits(&self) -> u16 {
        self.ctas
            .iter()
            .filter_map(|cta| u32::try_from(*cta).ok())
            .fold(0, |mask, cta| mask | 1_u16.checked_shl(cta).unwrap_or(0))
    }
}

/// Notes the CTAs of each mask, and flags masks that do not fit their copy.
pub(super) fn explain(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let mut variables = BTreeSet::new();
    for action in seen.run.reached(ActionKind::MulticastMask) {
        if let Some(mask) = mask(seen, action.call) {
            costs
                .notes
                .push(seen.note(anchor(action), Cost::Mask(mask)));
        }
        let holder = seen.declared.initialised_around(action.span()).next();
        if let Some((declared, init)) = holder
            && variables.insert(declared.start)
            && let Some(mask) = mask(seen, init)
        {
            costs.notes.push(seen.note(declared, Cost::Mask(mask)));
        }
    }
    for action in seen.run.reached(ActionKind::Copy) {
        costs.findings.extend(misfit(seen, action));
    }
}

/// The parts of one multicast.
struct Multicast<'s, 'u> {
    /// CTAs that share the tile.
    sharing: i64,
    /// The expression of the mask.
    written: &'u Expr,
    /// Whom it names.
    mask: MulticastMask,
    /// The partition of the tile among them, where it is visible.
    partition: Option<&'s Action<'u>>,
}

impl Multicast<'_, '_> {
    /// Two CTAs of one mask that load the same part of the tile.
    fn doubled(&self) -> Option<(i64, i64, i64)> {
        let part = self.partition?.values.get(1)?.as_int()?;
        for of in &self.mask.masks {
            let mut loaded: Vec<(i64, i64)> = Vec::new();
            for cta in &of.ctas {
                let part = in_cta(part, *cta)?;
                if let Some((other, _)) = loaded.iter().find(|(_, known)| *known == part) {
                    return Some((*other, *cta, part));
                }
                loaded.push((*cta, part));
            }
        }
        None
    }
}

/// A multicast whose mask names other CTAs than those that its tile is split among.
fn misfit(seen: &Seen<'_, '_>, action: &Action<'_>) -> Option<Finding> {
    let count = tma_count(action)?;
    let written = action.mask?;
    if action.is_uncertain || seen.run.is_uncertain || count.sharing < 2 {
        return None;
    }
    let multicast = Multicast {
        sharing: count.sharing,
        written,
        mask: mask(seen, written)?,
        partition: partition_behind(seen, action),
    };
    let named = named_by_each(&multicast.mask)?;
    let message = if named == count.sharing {
        let (one, other, part) = multicast.doubled()?;
        format!(
            "the mask names CTAs {one} and {other}, which both load part {part}: the others never arrive"
        )
    } else {
        format!(
            "{} CTAs share the tile, but the multicast mask names {named}",
            multicast.sharing
        )
    };
    Some(Finding {
        numbers: vec![
            ("sharing".to_owned(), Number::Integer(multicast.sharing)),
            ("named".to_owned(), Number::Integer(named)),
        ],
        related: vec![Related {
            span: multicast.written.span,
            message: "the mask".to_owned(),
        }],
        ..seen.finding("multicast-mask", Severity::Error, action.span(), message)
    })
}

/// The `tma_partition` that a copy's source was taken from: `auto [tAgA, tAsA] = tma_partition(..)`.
fn partition_behind<'s, 'u>(seen: &'s Seen<'_, 'u>, copy: &Action<'u>) -> Option<&'s Action<'u>> {
    let source = seen.variable(copy.args.get(1)?)?;
    let mut init = None;
    walk::items(seen.run.body(), &mut |item| {
        if let ItemKind::StructuredBinding(binding) = &item.kind
            && binding.names.iter().any(|name| name.span == source)
        {
            init = binding.init.as_ref().map(|init| init.span);
        }
    });
    seen.run
        .reached(ActionKind::TmaPartition)
        .find(|action| Some(action.span()) == init && action.args.len() > 3)
}

/// Number of CTAs in every mask, where it is the same for all.
pub(super) fn named_by_each(mask: &MulticastMask) -> Option<i64> {
    let first = i64::try_from(mask.masks.first()?.ctas.len()).ok()?;
    mask.masks
        .iter()
        .all(|of| i64::try_from(of.ctas.len()) == Ok(first))
        .then_some(first)
}

/// Whether a mask is the number that names all CTAs of a cluster: `0b11` of two.
pub(super) fn names_the_cluster(seen: &Seen<'_, '_>, mask: &Expr, ctas: i64) -> bool {
    let number = match &seen.resolved(mask).kind {
        ExprKind::Int(number) => *number,
        _ => return false,
    };
    let is_of_all = |launch: &Launch| {
        let cluster = launch.cluster.as_ref().and_then(three);
        cluster.is_some_and(|cluster| cluster.iter().product::<i64>() == ctas)
    };
    let launches = &seen.run.launches;
    (1..=CTAS).contains(&ctas)
        && number == (1 << ctas) - 1
        && !launches.is_empty()
        && launches.iter().all(is_of_all)
}

/// Number of CTAs that lead an MMA and name each CTA, where that is the same for all.
pub(super) fn receptions(mask: &MulticastMask, leaders_only: bool) -> Option<i64> {
    let leads = |cta: i64| {
        coordinate(&mask.cluster, cta)
            .and_then(|coordinate| coordinate.first().copied())
            .is_some_and(|group| group == 0)
    };
    let counts: Vec<usize> = mask
        .masks
        .iter()
        .map(|receiver| {
            mask.masks
                .iter()
                .filter(|sender| !leaders_only || leads(sender.cta))
                .filter(|sender| sender.ctas.contains(&receiver.cta))
                .count()
        })
        .collect();
    let first = *counts.first()?;
    counts
        .iter()
        .all(|count| *count == first)
        .then(|| i64::try_from(first).ok())?
}

/// The mask that an expression is, for every CTA of the cluster.
pub(super) fn mask<'u>(seen: &Seen<'_, 'u>, expr: &'u Expr) -> Option<MulticastMask> {
    let cluster = cluster_of(seen, expr)?;
    let size = cluster.size().ok()?.value()?;
    if !(1..=CTAS).contains(&size) {
        return None;
    }
    let masks: Option<Vec<MaskOfCta>> = (0..size)
        .map(|cta| {
            Some(MaskOfCta {
                cta,
                ctas: named(seen, expr, cta)?.into_iter().collect(),
            })
        })
        .collect();
    Some(MulticastMask {
        cluster,
        masks: masks?,
    })
}

/// The cluster that the first call in an expression is about; all have to be about the same.
fn cluster_of<'u>(seen: &Seen<'_, 'u>, expr: &'u Expr) -> Option<Layout> {
    let expr = seen.resolved(expr);
    if let ExprKind::Binary(BinaryOp::BitOr, left, right) = &expr.kind {
        let (left, right) = (cluster_of(seen, left)?, cluster_of(seen, right)?);
        return (left == right).then_some(left);
    }
    match call(seen, expr)?.values.first()? {
        Value::Layout(layout) => Some(Layout::clone(layout)),
        _ => None,
    }
}

fn call<'s>(seen: &'s Seen<'s, '_>, expr: &Expr) -> Option<&'s Action<'s>> {
    seen.run
        .actions
        .iter()
        .find(|action| action.kind == ActionKind::MulticastMask && action.span() == expr.span)
}

/// The CTAs that an expression names in one CTA.
fn named<'u>(seen: &Seen<'_, 'u>, expr: &'u Expr, cta: i64) -> Option<BTreeSet<i64>> {
    let expr = seen.resolved(expr);
    if let ExprKind::Binary(BinaryOp::BitOr, left, right) = &expr.kind {
        let mut all = named(seen, left, cta)?;
        all.extend(named(seen, right, cta)?);
        return Some(all);
    }
    let action = call(seen, expr)?;
    let [Value::Layout(cluster), own, ..] = action.values.as_slice() else {
        return None;
    };
    let own = own_coordinate(own, cta)?;
    let mut modes = Vec::with_capacity(action.targs.len());
    for mode in &action.targs {
        modes.push(usize::try_from(crate::vocabulary::number(mode)?).ok()?);
    }
    if own.len() != cluster.rank() || modes.iter().any(|mode| *mode >= own.len()) {
        return None;
    }
    // Modes that are not requested keep the coordinate of the CTA; the others take all their coordinates.
    let mut offsets = BTreeSet::from([0]);
    for (index, at) in own.iter().enumerate() {
        let mode = cluster.mode(index).ok()?;
        let extent = mode.size().ok()?.value()?;
        let coordinates = if modes.contains(&index) {
            0..extent
        } else {
            *at..at.checked_add(1)?
        };
        let mut next = BTreeSet::new();
        for coordinate in coordinates {
            let step = mode.eval_number(coordinate).ok()?;
            next.extend(offsets.iter().map(|offset| offset + step));
        }
        offsets = next;
    }
    offsets
        .iter()
        .all(|offset| (0..CTAS).contains(offset))
        .then_some(offsets)
}

/// The coordinate that an expression of `block_rank_in_cluster()` has in one CTA.
fn own_coordinate(value: &Value, cta: i64) -> Option<Vec<i64>> {
    let Value::Tuple(items) = value else {
        return None;
    };
    items
        .iter()
        .map(|item| in_cta(item.as_int()?, cta))
        .collect()
}

/// The value of an integer in one CTA of the cluster.
fn in_cta(int: &Int, cta: i64) -> Option<i64> {
    if int.value().is_some() {
        return int.value();
    }
    let rank = Expression::known(cta);
    int.to_expression()
        .substitute(&|name| (name == "block_rank_in_cluster").then(|| rank.clone()))?
        .as_known()
}

/// The coordinate of a CTA of a cluster in each of its modes.
pub(super) fn coordinate(cluster: &Layout, cta: i64) -> Option<Vec<i64>> {
    let extents: Option<Vec<i64>> = cluster
        .shape()
        .modes()
        .map(|mode| mode.size().ok().as_ref().and_then(Int::value))
        .collect();
    let size = cluster.size().ok()?.value()?;
    let index = (0..size).find(|index| cluster.eval_number(*index).is_ok_and(|at| at == cta))?;
    let mut rest = index;
    Some(
        extents?
            .into_iter()
            .map(|extent| {
                let at = rest % extent.max(1);
                rest /= extent.max(1);
                at
            })
            .collect(),
    )
}
