//! Hints of plain loads and stores: the layout from threads to offsets, and the cost where it is not the least.

use std::ops::RangeInclusive;

use cute_analysis::{Access, AccessSpace, Analysis};

use super::ends::end_of_statement;
use super::label::{Class, Hint, Said, Shown};
use crate::presentation::access::sentences;
use crate::presentation::instances::Chosen;

/// The hints of accesses whose statements end on these lines.
pub(super) fn hints_of(
    analysis: &Analysis,
    text: &str,
    lines: &RangeInclusive<usize>,
    chosen: &Chosen,
) -> Vec<Hint> {
    let mut here: Vec<(usize, &Access)> = Vec::new();
    for access in &analysis.accesses {
        if access.span.start > *lines.end() || access.span.end > text.len() {
            continue;
        }
        let end = end_of_statement(text, access.span.end);
        if lines.contains(&end) {
            here.push((end, access));
        }
    }
    // The loads of a statement before its store, where both end with it.
    here.sort_by_key(|(end, access)| (*end, access.span.start, access.span.end));
    here.chunk_by(|one, other| one.0 == other.0)
        .filter_map(|statement| hint_of(statement, chosen))
        .collect()
}

fn hint_of(statement: &[(usize, &Access)], chosen: &Chosen) -> Option<Hint> {
    let mut hint = Hint::default();
    for same in statement.chunk_by(|(_, one), (_, other)| one.span == other.span) {
        let which = same
            .iter()
            .map(|(_, access)| (Some(&*access.function), access.instance.as_deref()));
        let (end, access) = same.get(chosen.first(which))?;
        let Some((short, full)) = said(access) else {
            continue;
        };
        hint.differs |= same.iter().any(|(_, other)| other.map != access.map);
        if hint.shown.is_empty() {
            hint.byte_offset = *end;
            hint.declared = access.span.start..access.span.end;
        } else {
            hint.tooltip.push('\n');
        }
        hint.tooltip.push_str(&full);
        hint.shown.push(Shown {
            class: Class::Access,
            name: access.memory.as_str().into(),
            said: Said::Written {
                full: short.clone(),
                short,
            },
        });
    }
    (!hint.shown.is_empty()).then_some(hint)
}

/// The label and the tooltip of an access; nothing where its layout is not known, or has a number that no name of the source
/// is. The label leaves out what all threads of the block have in common.
fn said(access: &Access) -> Option<(String, String)> {
    let map = access.map.as_ref().ok()?;
    let mut label = map.layout.as_ref()?.to_string();
    if label.contains('\'') {
        return None;
    }
    if let Some(cost) = map.cost.filter(|cost| cost.count > cost.ideal) {
        let unit = match access.space {
            AccessSpace::Shared => "wavefronts",
            AccessSpace::Global => "sectors",
        };
        label = format!("{label}, {} {unit} for {}", cost.count, cost.ideal);
    }
    Some((label, sentences(access).join("\n")))
}
