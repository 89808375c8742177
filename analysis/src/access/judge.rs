//! Faults of an access whose offsets are known.

use tree_sitter_cute::tree::Span;

use super::describe::{At, WARP};
use super::lanes::Cell;
use super::stored::StoredValue;
use super::{Access, AccessKind, AccessSpace, Memory};
use crate::finding::{Finding, Number, Related, Severity};
use crate::hash::HashMap;

/// An access with all that was computed of it.
pub(super) struct Seen<'s> {
    pub(super) access: &'s Access,
    pub(super) memory: &'s Memory,
    pub(super) at: &'s [At],
    /// Whether threads may wait for each other between two passes of the loops around it.
    pub(super) is_ordered: bool,
    pub(super) judges_memory: bool,
}

/// The value that a thread stores at a pass, where it is a known number or an element of memory.
type Stored<'s> = dyn FnMut(usize, &At) -> Option<StoredValue> + 's;

/// The findings about an access.
pub(super) fn findings(seen: &Seen<'_>, stored: &mut Stored<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let Ok(map) = &seen.access.map else {
        return found;
    };
    let Some((block, from)) = map.block else {
        return found;
    };
    // Only threads that exist do something wrong.
    if from.is_certain() {
        found.extend(over_run(seen, block));
        found.extend(race(seen, block, stored));
    }
    if seen.judges_memory {
        found.extend(costly(seen));
    }
    found
}

/// The index of a thread as CUDA counts: `(x,y,z)`.
pub(super) fn index_of(thread: usize, block: [i64; 3]) -> String {
    let thread = i64::try_from(thread).unwrap_or(0);
    let [x, y, _] = block.map(|extent| extent.max(1));
    format!("({},{},{})", thread % x, thread / x % y, thread / x / y)
}

/// The declaration of the memory of an access.
fn declared(seen: &Seen<'_>) -> Vec<Related> {
    let declared = seen.memory.declared.map(|span| Related {
        span,
        message: "declared here".to_owned(),
    });
    declared.into_iter().collect()
}

fn finding(seen: &Seen<'_>, rule: &'static str, severity: Severity, message: String) -> Finding {
    Finding {
        instance: seen.access.instance.clone(),
        ..Finding::new(rule, severity, seen.access.span, message)
    }
}

/// An access beyond an array whose size is known.
fn over_run(seen: &Seen<'_>, block: [i64; 3]) -> Option<Finding> {
    let extent = seen.memory.extent?;
    let (unit, bytes) = (seen.access.unit, seen.access.bytes);
    if unit == 0 || bytes == 0 {
        return None;
    }
    for at in seen.at {
        for (thread, cell) in at.offsets.iter().enumerate() {
            let (Cell::Known(offset), Some(Some(true))) = (cell, at.active.get(thread)) else {
                continue;
            };
            let first = offset.checked_mul(unit)?;
            if first >= 0 && first.checked_add(bytes)? <= extent {
                continue;
            }
            let verb = match seen.access.kind {
                AccessKind::Load => "reads",
                AccessKind::Store => "writes",
                AccessKind::Atomic => "changes",
            };
            let who = index_of(thread, block);
            let name = &seen.access.memory;
            let message = format!(
                "thread {who} {verb} {bytes} bytes at byte {first} of `{name}`, which has {extent}"
            );
            return Some(Finding {
                numbers: vec![
                    ("thread".to_owned(), Number::Text(who)),
                    ("byte".to_owned(), Number::Integer(first)),
                    ("bytes".to_owned(), Number::Integer(bytes)),
                    ("extent".to_owned(), Number::Integer(extent)),
                ],
                related: declared(seen),
                ..finding(seen, "over-run", Severity::Warning, message)
            });
        }
    }
    None
}

/// Two threads that store different numbers to one place, or elements from different places: in one pass of the loops around
/// the store, or in two passes between which they do not wait for each other.
fn race(seen: &Seen<'_>, block: [i64; 3], stored: &mut Stored<'_>) -> Option<Finding> {
    if seen.access.kind != AccessKind::Store {
        return None;
    }
    let mut owners: HashMap<&Cell, (usize, usize, StoredValue)> = HashMap::default();
    for (pass, at) in seen.at.iter().enumerate() {
        if seen.is_ordered {
            owners.clear();
        }
        for (thread, cell) in at.offsets.iter().enumerate() {
            if at.active.get(thread) != Some(&Some(true)) {
                continue;
            }
            let value = stored(thread, at)?;
            let (other, of_pass, before) =
                owners.entry(cell).or_insert((thread, pass, value.clone()));
            // The passes of one warp follow each other.
            let is_earlier = *of_pass != pass && *other / WARP == thread / WARP;
            if *before == value || is_earlier {
                continue;
            }
            let (first, second) = (index_of(*other, block), index_of(thread, block));
            let offset = match cell {
                Cell::Known(offset) => offset.to_string(),
                Cell::Open(offset) => offset.to_string(),
                Cell::Unknown(_) => return None,
            };
            let name = &seen.access.memory;
            let message = format!(
                "threads {first} and {second} store {before} and {value} to `{name}[{offset}]`: one is lost"
            );
            return Some(Finding {
                numbers: vec![
                    ("first_thread".to_owned(), Number::Text(first)),
                    ("second_thread".to_owned(), Number::Text(second)),
                    ("first_value".to_owned(), before.to_number()),
                    ("second_value".to_owned(), value.to_number()),
                    ("offset".to_owned(), Number::Text(offset)),
                ],
                ..finding(seen, "write-race", Severity::Warning, message)
            });
        }
    }
    None
}

/// An index of an array of a thread that only the running program knows.
pub(super) fn local(at: Span, index: &str, instance: Option<&str>) -> Finding {
    let message =
        format!("the array is in local memory, not registers: {index} is known only at run time");
    Finding {
        numbers: vec![("index".to_owned(), Number::Text(index.to_owned()))],
        instance: instance.map(str::to_owned),
        ..Finding::new("local-memory", Severity::Information, at, message)
    }
}

/// An access for which a warp moves more than its data needs.
fn costly(seen: &Seen<'_>) -> Option<Finding> {
    let cost = seen.access.map.as_ref().ok()?.cost?;
    // A misaligned start takes one sector more, and is not a pattern of the threads.
    let (rule, least) = match seen.access.space {
        AccessSpace::Shared => ("bank-conflict", cost.ideal + 1),
        AccessSpace::Global => ("uncoalesced", cost.ideal + 2),
    };
    if cost.count < least {
        return None;
    }
    let (kind, taken, needed, warp) = (seen.access.kind.name(), cost.count, cost.ideal, cost.warp);
    let (message, count, ideal) = match seen.access.space {
        AccessSpace::Shared => (
            format!(
                "this shared {kind} takes {taken} wavefronts in warp {warp}; without bank conflicts {needed}"
            ),
            "wavefronts",
            "without_conflicts",
        ),
        AccessSpace::Global => (
            format!(
                "this global {kind} moves {taken} sectors of 32 bytes in warp {warp}; its data needs {needed}"
            ),
            "sectors",
            "fewest",
        ),
    };
    Some(Finding {
        numbers: vec![
            (count.to_owned(), Number::Integer(cost.count)),
            (ideal.to_owned(), Number::Integer(cost.ideal)),
            (
                "bytes_of_a_lane".to_owned(),
                Number::Integer(seen.access.bytes),
            ),
        ],
        related: declared(seen),
        ..finding(seen, rule, Severity::Information, message)
    })
}
