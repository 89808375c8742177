//! One place of shared memory that threads of two warps access, one of them by a store, with no barrier on the way.
//!
//! The walk of a kernel keeps its accesses in the order of the program, and the places where threads may wait for each
//! other. Two accesses without such a place between them are compared for all threads. Sizes of the running program that
//! only bound an index from above are taken to be large enough.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::describe::{Describer, Pass, WARP};
use super::judge::index_of;
use super::lanes::Cell;
use super::terms::{Operator, SymbolId, SymbolKind, Term, TermId, Terms};
use super::{AccessKind, AccessSpace, Fence, Memory, Met};
use crate::finding::{Finding, Number, Related, Severity};
use crate::hash::HashMap;

/// The stable name of the rule.
const RULE: &str = "shared-race";
/// Passes of a loop whose end only the running program knows that are looked at.
const PASSES_TAKEN: i64 = 3;
/// Passes of the loops around one access that are looked at.
const PLACES: usize = 64;
/// Passes of a loop around both accesses that are looked at.
const PASSES_SHARED: usize = 16;
/// Pairs of accesses that are looked at in one kernel.
const PAIRS: usize = 512;

/// Two accesses without a barrier between them.
#[derive(Debug, Clone, Copy)]
struct Pair<'m> {
    /// The one that comes first.
    first: (usize, &'m Met),
    second: (usize, &'m Met),
    /// The loop in whose next pass the second one comes; nothing where it comes in the same one.
    around: Option<usize>,
}

/// Two threads that meet.
struct Meeting {
    first: usize,
    second: usize,
    byte: i64,
}

/// An access with its offsets at the passes of the loops around it.
struct Placed {
    /// The pass of each loop.
    passes: BTreeMap<usize, usize>,
    /// The first byte of each thread that comes; nothing for the others.
    bytes: Vec<Option<i64>>,
}

/// Looks for such pairs in a kernel. Nothing is said of memory that something else may order.
pub(super) fn races(
    describer: &mut Describer<'_>,
    met: &[Met],
    instance: Option<&str>,
) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let Some(block) = describer.threads_of_launch() else {
        return found;
    };
    let fences = &describer.walked().order.fences;
    for pair in pairs(met, fences) {
        let (_, second) = pair.second;
        let is_known = |known: &Finding| known.span == second.span;
        if found.iter().any(is_known) || describer.is_spent() {
            continue;
        }
        if let Some(meeting) = meeting(describer, &pair) {
            found.extend(told(&pair, &meeting, block, instance));
        }
    }
    found
}

/// The pairs without a fence between them, each once.
fn pairs<'m>(met: &'m [Met], fences: &[Fence]) -> Vec<Pair<'m>> {
    let mut found = Vec::new();
    let shared: Vec<(usize, &Met, &Arc<Memory>)> = met
        .iter()
        .enumerate()
        .filter_map(|(index, met)| {
            let (memory, _) = met.address.as_ref().ok()?;
            let is_one = memory.space == AccessSpace::Shared
                && met.bytes > 0
                && met.kind != AccessKind::Atomic;
            is_one.then_some((index, met, memory))
        })
        .collect();
    for (place, (index, one, memory)) in shared.iter().enumerate() {
        for (other_index, other, other_memory) in shared.iter().skip(place + 1) {
            if found.len() >= PAIRS {
                return found;
            }
            if !Arc::ptr_eq(memory, other_memory) || one.kind == other.kind {
                continue;
            }
            let (first, second) = ((*index, *one), (*other_index, *other));
            let is_between = |fence: &Fence| fence.before > first.0 && fence.before <= second.0;
            if !fences.iter().any(is_between) {
                found.push(Pair {
                    first,
                    second,
                    around: None,
                });
            }
            // From the later one around a loop to the earlier one.
            let mut common = one.loops.iter().filter(|index| other.loops.contains(index));
            let open = common.find(|repeat| {
                let is_on_the_way = |fence: &Fence| {
                    fence.loops.contains(repeat)
                        && (fence.before > second.0 || fence.before <= first.0)
                };
                !fences.iter().any(is_on_the_way)
            });
            if let Some(repeat) = open {
                found.push(Pair {
                    first: second,
                    second: first,
                    around: Some(*repeat),
                });
            }
        }
    }
    found
}

/// Two threads of different warps that access one byte.
fn meeting(describer: &mut Describer<'_>, pair: &Pair<'_>) -> Option<Meeting> {
    if is_one_number(describer, pair) {
        return None;
    }
    let common: Vec<usize> = common_loops(pair);
    let mut firsts = placed(describer, pair, pair.first.1)?;
    let mut seconds = placed(describer, pair, pair.second.1)?;
    if pair.around.is_none() {
        leave_ordered(describer, pair, Side::First, &mut firsts);
        leave_ordered(describer, pair, Side::Second, &mut seconds);
    }
    let grain = pair.first.1.bytes.min(pair.second.1.bytes);
    let mut owners: HashMap<(Vec<usize>, i64), Vec<usize>> = HashMap::default();
    for place in &firsts {
        let key = key(&place.passes, &common, pair.around, 1);
        for (thread, byte) in place.bytes.iter().enumerate() {
            let Some(byte) = byte else { continue };
            for grain_of in grains(*byte, pair.first.1.bytes, grain)? {
                let known = owners.entry((key.clone(), grain_of)).or_default();
                // One of each of two warps is enough.
                let is_new = known.iter().all(|other| other / WARP != thread / WARP);
                if known.len() < 2 && is_new {
                    known.push(thread);
                }
            }
        }
    }
    for place in &seconds {
        let key = key(&place.passes, &common, pair.around, 0);
        for (thread, byte) in place.bytes.iter().enumerate() {
            let Some(byte) = byte else { continue };
            for grain_of in grains(*byte, pair.second.1.bytes, grain)? {
                let known = owners.get(&(key.clone(), grain_of));
                let mut others = known.into_iter().flatten();
                if let Some(other) = others.find(|other| *other / WARP != thread / WARP) {
                    return Some(Meeting {
                        first: *other,
                        second: thread,
                        byte: grain_of * grain,
                    });
                }
            }
        }
    }
    None
}

/// One of the two accesses of a pair.
#[derive(Clone, Copy)]
enum Side {
    First,
    Second,
}

/// Takes out the passes of a loop around only one of the two between which and the other one there is a barrier of another
/// pass: `for (l = 0; l < 2; ++l) { if (l == 1) __syncthreads(); if (l == 0) x = s[i]; } s[j] = x;`.
fn leave_ordered(
    describer: &mut Describer<'_>,
    pair: &Pair<'_>,
    side: Side,
    places: &mut Vec<Placed>,
) {
    let ((index, met), (_, other)) = match side {
        Side::First => (pair.first, pair.second),
        Side::Second => (pair.second, pair.first),
    };
    let own = met
        .loops
        .iter()
        .filter(|repeat| !other.loops.contains(repeat));
    let own: Vec<usize> = own.copied().collect();
    let fences: Vec<Fence> = describer.walked().order.fences.clone();
    let is_there = |fence: &&Fence, repeat: usize| {
        fence.loops.contains(&repeat)
            && match side {
                // One behind it in the loop is between the two in any pass.
                Side::First => fence.before <= index,
                Side::Second => fence.before > index,
            }
    };
    for repeat in own {
        let Some(passes) = taken(describer, repeat) else {
            continue;
        };
        let between: Vec<&Fence> = fences.iter().filter(|it| is_there(it, repeat)).collect();
        if between.is_empty() {
            continue;
        }
        let mut reached = Vec::with_capacity(passes.len());
        for pass in &passes {
            let comes = between.iter().any(|fence| may_come(describer, fence, pass));
            reached.push(comes);
        }
        places.retain(|place| {
            let at = place.passes.get(&repeat).copied().unwrap_or(0);
            let others = match side {
                Side::First => reached.get(at + 1..),
                Side::Second => reached.get(..at),
            };
            !others.unwrap_or_default().contains(&true)
        });
    }
}

/// Whether the threads may come to a barrier in a pass of a loop.
fn may_come(describer: &mut Describer<'_>, fence: &Fence, pass: &Pass) -> bool {
    let Some(lanes) = describer.lanes_of(pass) else {
        return true;
    };
    fence.guards.iter().all(|guard| {
        let column = lanes.column(*guard);
        (0..lanes.threads()).any(|thread| match column.at(thread) {
            Cell::Known(value) => *value != 0,
            Cell::Open(_) | Cell::Unknown(_) => true,
        })
    })
}

/// The loops whose passes the two share.
fn common_loops(pair: &Pair<'_>) -> Vec<usize> {
    let both = pair.first.1.loops.iter();
    let both = both.filter(|index| pair.second.1.loops.contains(index));
    let mut common = Vec::new();
    for index in both {
        common.push(*index);
        // Behind the loop that is gone around, passes are others.
        if Some(*index) == pair.around {
            break;
        }
    }
    common
}

/// The passes of some loops, with `more` more of the one that is gone around.
fn key(
    passes: &BTreeMap<usize, usize>,
    common: &[usize],
    around: Option<usize>,
    more: usize,
) -> Vec<usize> {
    let of = |index: &usize| {
        let pass = passes.get(index).copied().unwrap_or(0);
        if Some(*index) == around {
            pass + more
        } else {
            pass
        }
    };
    common.iter().map(of).collect()
}

/// The pieces that an access is made of; nothing where it begins inside of one.
fn grains(byte: i64, bytes: i64, grain: i64) -> Option<std::ops::Range<i64>> {
    (grain > 0 && byte % grain == 0 && bytes % grain == 0)
        .then(|| byte / grain..(byte + bytes) / grain)
}

/// Whether a store writes a known number to one place: a flag that may be set more than once.
fn is_one_number(describer: &mut Describer<'_>, pair: &Pair<'_>) -> bool {
    [pair.first.1, pair.second.1].into_iter().any(|met| {
        let terms = &describer.walked().terms;
        met.kind == AccessKind::Store
            && met
                .stored
                .as_ref()
                .is_some_and(|stored| stored.as_number(terms).is_some())
            && met
                .address
                .as_ref()
                .is_ok_and(|(_, offset)| !terms.varies(*offset))
    })
}

/// An access at the passes of its loops; nothing where an offset is not known.
fn placed(describer: &mut Describer<'_>, pair: &Pair<'_>, met: &Met) -> Option<Vec<Placed>> {
    let (_, offset) = met.address.as_ref().ok()?;
    let mut known = Vec::new();
    for index in &met.loops {
        known.push(taken(describer, *index)?);
    }
    let chosen = chosen(pair, &met.loops, &known);
    let mut all: Vec<(BTreeMap<usize, usize>, Pass)> = vec![(BTreeMap::new(), Pass::new())];
    for ((index, passes), chosen) in met.loops.iter().zip(&known).zip(chosen) {
        let mut next = Vec::new();
        for (places, fixed) in &all {
            for ordinal in &chosen {
                let Some(pass) = passes.get(*ordinal) else {
                    continue;
                };
                let (mut places, mut fixed) = (places.clone(), fixed.clone());
                places.insert(*index, *ordinal);
                fixed.extend(pass.iter().map(|(symbol, value)| (*symbol, *value)));
                next.push((places, fixed));
            }
        }
        all = next;
    }
    let mut found = Vec::new();
    for (passes, fixed) in all {
        let comes = coming(describer, pair, met, &fixed)?;
        let lanes = describer.lanes_of(&fixed)?;
        let column = lanes.column(*offset);
        let bytes = comes
            .iter()
            .enumerate()
            .map(|(thread, comes)| match column.at(thread) {
                Cell::Known(byte) if *comes => Some(*byte),
                _ => None,
            });
        let bytes: Vec<Option<i64>> = bytes.collect();
        describer.works(bytes.len());
        found.push(Placed { passes, bytes });
    }
    Some(found)
}

/// The passes that are looked at, of each loop: the first ones where both accesses are in it, as the two are compared at the
/// same pass or at one and the next; of the others all, or some from the first to the last one.
fn chosen(pair: &Pair<'_>, loops: &[usize], known: &[Vec<Pass>]) -> Vec<Vec<usize>> {
    let common = common_loops(pair);
    let counts = loops.iter().zip(known).map(|(index, passes)| {
        let most = if common.contains(index) {
            PASSES_SHARED
        } else {
            usize::MAX
        };
        most.min(passes.len())
    });
    let mut counts: Vec<usize> = counts.collect();
    while counts.iter().product::<usize>() > PLACES {
        let Some(most) = counts.iter_mut().max() else {
            break;
        };
        *most = most.div_ceil(2);
    }
    let of_loop = |((index, passes), count): ((&usize, &Vec<Pass>), usize)| {
        let last = passes.len().saturating_sub(1);
        let is_shared = common.contains(index);
        let of = |number: usize| {
            if is_shared {
                number
            } else {
                number * last / count.saturating_sub(1).max(1)
            }
        };
        (0..count).map(of).collect()
    };
    loops.iter().zip(known).zip(counts).map(of_loop).collect()
}

/// The passes of a loop: all of them where they are known, else the first ones.
pub(super) fn taken(describer: &mut Describer<'_>, index: usize) -> Option<Vec<Pass>> {
    let (block, _) = describer.block()?;
    if let Some(known) = describer.passes(index, block) {
        return Some(known);
    }
    let repeat = describer.walked().loops.get(index)?.clone();
    let mut fixed = Pass::new();
    for (symbol, first, _) in &repeat.followed {
        let lanes = describer.lanes_of(&fixed)?;
        if let Cell::Known(value) = lanes.column(*first).at(0) {
            fixed.insert(*symbol, *value);
        }
    }
    let mut passes = Vec::new();
    for trip in 0..PASSES_TAKEN {
        fixed.insert(repeat.trip, trip);
        passes.push(fixed.clone());
        let mut next = Pass::new();
        for (symbol, _, following) in &repeat.followed {
            let lanes = describer.lanes_of(&fixed)?;
            if fixed.contains_key(symbol)
                && let Cell::Known(value) = lanes.column(*following).at(0)
            {
                next.insert(*symbol, *value);
            }
        }
        fixed = next;
    }
    Some(passes)
}

/// The threads that come to an access at a pass; a thread of which that is unknown does not.
fn coming(
    describer: &mut Describer<'_>,
    pair: &Pair<'_>,
    met: &Met,
    fixed: &Pass,
) -> Option<Vec<bool>> {
    let mut allowed = Vec::new();
    for guard in &met.guards {
        let terms = &describer.walked().terms;
        allowed
            .push(is_bound(terms, guard.condition) || is_of_both(describer, pair, guard.condition));
    }
    let lanes = describer.lanes_of(fixed)?;
    let mut comes = vec![true; lanes.threads()];
    for (guard, allowed) in met.guards.iter().zip(allowed) {
        let column = lanes.column(guard.condition);
        for (thread, comes) in comes.iter_mut().enumerate() {
            *comes &= match column.at(thread) {
                Cell::Known(value) => *value != 0,
                Cell::Open(_) | Cell::Unknown(_) => allowed,
            };
        }
    }
    Some(comes)
}

/// Whether both accesses are under one condition that is the same for all threads, and in all passes where one of a later
/// pass is looked at.
fn is_of_both(describer: &Describer<'_>, pair: &Pair<'_>, condition: TermId) -> bool {
    let terms = &describer.walked().terms;
    let stands_in = |met: &Met| met.guards.iter().any(|guard| guard.condition == condition);
    let is_steady = || {
        let Some(repeat) = pair.around else {
            return true;
        };
        let trip = describer
            .walked()
            .loops
            .get(repeat)
            .map(|repeat| repeat.trip);
        trip.is_some_and(|trip| {
            let mut symbols = terms.symbols_of(condition).into_iter();
            symbols.all(|symbol| terms.is_older(symbol, trip))
        })
    };
    !terms.varies(condition)
        && terms.unknown_in(condition).is_none()
        && stands_in(pair.first.1)
        && stands_in(pair.second.1)
        && is_steady()
}

/// Whether a condition holds where the sizes that a kernel is given are large: `i < n`, `!(n <= i)`, both of two such ones.
pub(super) fn is_bound(terms: &Terms, condition: TermId) -> bool {
    match terms.term(condition) {
        Term::Binary(Operator::Less | Operator::LessEqual, low, high) => {
            is_size(terms, *low, *high)
        }
        Term::Binary(Operator::Both, one, other) => {
            is_bound(terms, *one) && is_bound(terms, *other)
        }
        Term::Not(inner) => is_bound_otherwise(terms, *inner),
        _ => false,
    }
}

/// Whether a condition fails where the sizes that a kernel is given are large: `n <= i`, one of two such ones.
pub(super) fn is_bound_otherwise(terms: &Terms, condition: TermId) -> bool {
    match terms.term(condition) {
        Term::Binary(Operator::Less | Operator::LessEqual, low, high) => {
            is_size(terms, *high, *low)
        }
        Term::Binary(Operator::Either, one, other) => {
            is_bound_otherwise(terms, *one) && is_bound_otherwise(terms, *other)
        }
        _ => false,
    }
}

/// Whether a number is made of sizes that a kernel is given, one of which another number is not made of: it may be as
/// large as one likes beside that.
fn is_size(terms: &Terms, other: TermId, size: TermId) -> bool {
    let (others, sizes) = (terms.symbols_of(other), terms.symbols_of(size));
    terms.unknown_in(other).is_none()
        && terms.unknown_in(size).is_none()
        && sizes
            .iter()
            .all(|symbol| is_given(terms, *symbol) || is_index(terms, *symbol))
        && sizes
            .iter()
            .any(|symbol| is_given(terms, *symbol) && !others.contains(symbol))
}

/// Whether a symbol is the index of a thread or CTA.
fn is_index(terms: &Terms, symbol: SymbolId) -> bool {
    terms.symbol(symbol).is_some_and(|symbol| {
        matches!(symbol.kind, SymbolKind::Thread(_)) || symbol.name.starts_with("blockIdx")
    })
}

fn is_given(terms: &Terms, symbol: SymbolId) -> bool {
    terms.symbol(symbol).is_some_and(|symbol| {
        symbol.is_lasting
            && symbol.kind == SymbolKind::Uniform
            && !symbol.name.starts_with("blockIdx")
    })
}

/// The calls through which accesses in other functions are reached.
pub(super) fn called(met: [&Met; 2]) -> impl Iterator<Item = Related> {
    let sites = met.into_iter().filter_map(|met| met.site);
    sites.map(|span| Related {
        span,
        message: "called here".to_owned(),
    })
}

fn told(
    pair: &Pair<'_>,
    meeting: &Meeting,
    block: [i64; 3],
    instance: Option<&str>,
) -> Option<Finding> {
    let (_, first) = pair.first;
    let (_, second) = pair.second;
    let (memory, _) = first.address.as_ref().ok()?;
    let (one, other) = (
        index_of(meeting.first, block),
        index_of(meeting.second, block),
    );
    let (name, byte) = (&memory.name, meeting.byte);
    let is_read = second.kind == AccessKind::Load;
    let (message, there) = if is_read {
        (
            format!(
                "thread {one} writes byte {byte} of `{name}`, thread {other} reads it: no barrier"
            ),
            "written here",
        )
    } else {
        (
            format!(
                "thread {other} overwrites byte {byte} of `{name}` that thread {one} may still read: no barrier"
            ),
            "read here",
        )
    };
    let there = match pair.around {
        Some(_) => format!("{there}, in the previous iteration"),
        None => there.to_owned(),
    };
    let (writer, reader) = if is_read { (one, other) } else { (other, one) };
    Some(Finding {
        numbers: vec![
            ("writer".to_owned(), Number::Text(writer)),
            ("reader".to_owned(), Number::Text(reader)),
            ("byte".to_owned(), Number::Integer(byte)),
        ],
        related: std::iter::once(Related {
            span: first.span,
            message: there,
        })
        .chain(called([first, second]))
        .collect(),
        instance: instance.map(str::to_owned),
        ..Finding::new(RULE, Severity::Error, second.span, message)
    })
}
