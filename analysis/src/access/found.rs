//! All that is found of the accesses of a kernel: their layouts and costs, and the findings of each rule.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::beyond::Launches;
use super::describe::{Describer, Offset, in_units, names_of_trips};
use super::judge::{self, Seen};
use super::lanes::Names;
use super::terms::TermId;
use super::trials::SizedBlock;
use super::{
    Access, AccessSpace, BlockFrom, Met, Walked, arrived, beyond, crossed, departed, left_out,
    misaligned, unordered, unwritten, wraps,
};
use crate::finding::{Finding, Number};
use crate::hash::{HashMap, HashSet};

/// The results for a kernel's accesses.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) accesses: Vec<Access>,
    pub(crate) findings: Vec<Finding>,
    /// The calls in the kernel through which accesses in other functions are reached, by the places of these.
    pub(crate) sites: HashMap<Span, Span>,
}

/// Describes the accesses of one instance of a kernel. `judges_memory` requests findings about their cost for a warp.
pub(crate) fn describe(
    mut walked: Walked,
    block: Option<([i64; 3], BlockFrom)>,
    function: &Arc<str>,
    instance: Option<&str>,
    judges_memory: bool,
    given: &Launches<'_>,
) -> Found {
    let launches = given.seen;
    let mut found = Found::default();
    let mut known = HashSet::default();
    let met = std::mem::take(&mut walked.met);
    let units: Vec<(i64, Option<TermId>)> = met
        .iter()
        .map(|met| in_units(met, &mut walked.terms))
        .collect();
    let names = names_of_trips(&walked);
    let mut describer = Describer::new(&walked, &names, block);
    found
        .sites
        .extend(met.iter().filter_map(|met| Some((met.span, met.site?))));
    for (met, (unit, offset)) in met.iter().zip(units.iter().copied()) {
        let described = describer.map(met, unit, offset);
        let (map, seen) = match described {
            Ok((map, seen)) => (Ok(map), seen),
            Err(reason) => (Err(reason.to_string()), Vec::new()),
        };
        let (space, memory, lengths) = match &met.address {
            Ok((memory, _)) => {
                let lengths = Arc::clone(&memory.lengths);
                (memory.space, memory.name.to_string(), lengths)
            }
            Err(_) => (AccessSpace::Global, String::new(), Arc::default()),
        };
        let access = Access {
            span: met.span,
            function: Arc::clone(function),
            instance: instance.map(str::to_owned),
            kind: met.kind,
            space,
            bytes: met.bytes,
            memory,
            lengths,
            unit,
            map,
        };
        if let Ok((memory, _)) = &met.address {
            let seen = Seen {
                access: &access,
                memory,
                at: &seen,
                is_ordered: walked.order.is_open
                    || walked
                        .order
                        .fences
                        .iter()
                        .any(|fence| fence.loops.iter().any(|index| met.loops.contains(index))),
                judges_memory,
            };
            found
                .findings
                .extend(judge::findings(&seen, &mut |value, at| {
                    describer.stored(met, value, at)
                }));
        }
        // A function that is called twice with the same has the same accesses twice.
        if known.insert((access.span, access.kind, access.map.clone())) {
            found.accesses.push(access);
        }
    }
    let races = unordered::races(&mut describer, &met, instance);
    found.findings.extend(races);
    if describer.threads_of_launch().is_none() {
        let races = races_at(given.sized, (&walked, &names), &met, instance);
        found.findings.extend(races);
    }
    let arrived = arrived::reads(&mut describer, &met, instance);
    found.findings.extend(arrived);
    let offsets: Vec<Offset<'_>> = met
        .iter()
        .zip(&units)
        .map(|(met, (unit, offset))| (met, *unit, *offset))
        .collect();
    let beyond = beyond::overruns(&mut describer, &offsets, given, &found.findings, instance);
    found.findings.extend(beyond);
    let stages = beyond::stages(&mut describer, given, instance);
    found.findings.extend(stages);
    let unwritten = unwritten::reads(&mut describer, &offsets, launches, instance);
    found.findings.extend(unwritten);
    let misaligned = misaligned::vectors(&mut describer, &offsets, launches, instance);
    found.findings.extend(misaligned);
    // Another launch may have the rest.
    let only = launches
        .first()
        .filter(|_| given.is_all && launches.len() == 1);
    let crossed =
        only.and_then(|launch| crossed::stores(&mut describer, &offsets, launch, instance));
    found.findings.extend(crossed);
    let left_out = left_out::elements(&mut describer, &offsets, (launches, only), instance);
    found.findings.extend(left_out);
    let departed = departed::barriers(&mut describer, launches, given.any, instance);
    found.findings.extend(departed);
    found.findings.extend(local_arrays(&walked, instance));
    let wraps = wraps::overflows(&walked, &met, block, launches, instance);
    found.findings.extend(wraps);
    found
}

/// Arrays of registers whose index keeps them in local memory.
fn local_arrays(walked: &Walked, instance: Option<&str>) -> Vec<Finding> {
    let mut registers = walked.marks.registers.clone();
    registers.sort_by_key(|(span, _)| (span.start, span.end));
    registers.dedup();
    let local = registers.iter();
    local
        .map(|(span, index)| judge::local(*span, index, instance))
        .collect()
}

/// Races under a launch whose sizes decide on its block: those that are there with each of the usual ones, as a kernel
/// may be made for one block.
fn races_at(
    sized: &[SizedBlock],
    (walked, names): (&Walked, &Names),
    met: &[Met],
    instance: Option<&str>,
) -> Vec<Finding> {
    let races = |sized: &SizedBlock| {
        let block = Some((sized.block, BlockFrom::Launch));
        unordered::races(&mut Describer::new(walked, names, block), met, instance)
    };
    let Some((first, others)) = sized.split_first() else {
        return Vec::new();
    };
    let mut found = races(first);
    for other in others {
        if found.is_empty() {
            break;
        }
        let again = races(other);
        found.retain(|finding| again.iter().any(|it| it.span == finding.span));
    }
    for finding in &mut found {
        finding.message = format!("{}, with {}", finding.message, first.sizes);
        let sizes = Number::Text(first.sizes.clone());
        finding.numbers.push(("sizes".to_owned(), sizes));
    }
    found
}
