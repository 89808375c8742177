//! The place of a launch's configuration: the variables that it is made of.

use tree_sitter_cute::tree::{ExprKind, Span};

use super::{Costs, Seen};
use crate::finding::Related;
use crate::trace::Launch;
use crate::value::Value;
use crate::walk;

/// The variables in a launch, and those that its parameters are made of.
fn variables(seen: &Seen<'_, '_>, launch: &Launch) -> Vec<Span> {
    let mut named: Vec<Span> = Vec::new();
    walk::expressions(&seen.file.unit().items, &mut |expr| {
        if launch.span.encloses(expr.span) && matches!(expr.kind, ExprKind::Name(_)) {
            named.extend(seen.variable(expr));
        }
    });
    // A variable of parameters of the launch is made of it.
    let made: Vec<Span> = named
        .iter()
        .filter_map(|declared| seen.declared.initialiser(*declared))
        .flat_map(|init| {
            let mut inside = Vec::new();
            walk::subexpressions(init, &mut |part| inside.extend(seen.variable(part)));
            inside
        })
        .collect();
    named.into_iter().chain(made).collect()
}

/// The declaration of the variable that is a part of the configuration.
pub(super) fn made_at(seen: &Seen<'_, '_>, launch: &Launch, part: &Value) -> Option<Span> {
    variables(seen, launch).into_iter().find(|declared| {
        let mut places = seen.declared.facts_of(*declared).iter();
        let facts = &seen.output.facts;
        places.any(|at| facts.get(*at).is_some_and(|fact| *fact.value == *part))
    })
}

/// The parameters of a launch that a variable holds: `ClusterLaunchParams params = {..}`.
fn parameters(seen: &Seen<'_, '_>, launch: &Launch) -> Option<Span> {
    variables(seen, launch).into_iter().find_map(|declared| {
        let init = seen.declared.initialiser(declared)?;
        let is_list = matches!(init.kind, ExprKind::Braced(_) | ExprKind::Construct { .. });
        let begins_before = init.span.end <= launch.span.start;
        let mut parts = 0;
        walk::children(init, &mut |_| parts += 1);
        // Grid, block, cluster, bytes.
        (is_list && begins_before && parts >= PARTS).then_some(init.span)
    })
}

/// Minimum number of members of an initialised `ClusterLaunchParams`.
const PARTS: usize = 4;

/// The assignments to a member of a configuration that the launch names: `config.blockDim = ..`.
fn assigned(seen: &Seen<'_, '_>, launch: &Launch, member: &str) -> Vec<Span> {
    let named = variables(seen, launch);
    let mut found = Vec::new();
    walk::expressions(&seen.file.unit().items, &mut |expr| {
        if let ExprKind::Assign(assignment) = &expr.kind
            && let ExprKind::Member {
                object, member: of, ..
            } = &assignment.target.kind
            && of.name.name == member
            && expr.span.end <= launch.span.start
            && seen.variable(object).is_some_and(|it| named.contains(&it))
        {
            found.push(expr.span);
        }
    });
    found
}

/// The launch, and where the part of its configuration is written, as places of a finding.
pub(super) fn related(
    seen: &Seen<'_, '_>,
    launch: &Launch,
    part: &Value,
    message: &str,
) -> Vec<Related> {
    let made = made_at(seen, launch, part);
    let places = [Some(launch.span), made, parameters(seen, launch)];
    let here = places.into_iter().flatten();
    here.filter(|span| seen.file.contains(*span))
        .map(|span| Related {
            span,
            message: message.to_owned(),
        })
        .collect()
}

/// A part of a launch.
type PartOf = fn(&Launch) -> &Value;

/// Rules about accesses of a kernel, with the part of the launch that they depend on, and its name in a `cudaLaunchConfig_t`.
const OF_LAUNCHES: &[(&str, PartOf, &str, &str)] = &[
    (
        "over-run",
        |launch| &launch.bytes,
        "dynamicSmemBytes",
        "its bytes are requested here",
    ),
    (
        "never-written",
        |launch| &launch.block,
        "blockDim",
        "the threads",
    ),
    (
        "thread-count-mismatch",
        |launch| &launch.block,
        "blockDim",
        "the threads",
    ),
    ("grid-axis", |launch| &launch.grid, "gridDim", "the grid"),
];

/// Adds the configuration of the launch to findings about the accesses of a kernel.
pub(super) fn lead(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let (Some(first), Some(last)) = (seen.run.body().first(), seen.run.body().last()) else {
        return;
    };
    let body = first.span.to(last.span);
    for finding in &seen.output.findings {
        let mut known = OF_LAUNCHES.iter();
        let Some((rule, part, member, message)) = known.find(|(rule, ..)| *rule == finding.rule)
        else {
            continue;
        };
        if !body.encloses(finding.span) {
            continue;
        }
        for launch in &seen.run.launches {
            let is_named = finding
                .related
                .iter()
                .any(|related| related.span == launch.span);
            if *rule == "over-run" && !is_named {
                continue;
            }
            for place in related(seen, launch, part(launch), message) {
                costs.more.push((rule, finding.span, place));
            }
            let set = assigned(seen, launch, member).into_iter();
            costs.more.extend(set.map(|span| {
                let message = (*message).to_owned();
                (*rule, finding.span, Related { span, message })
            }));
        }
    }
}
