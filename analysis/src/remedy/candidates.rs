//! Edits that might remove a finding: legal operands near by, then small changes of one literal.

use std::collections::BTreeSet;

use tree_sitter_cute::tree::{Expr, ExprKind};
use tree_sitter_cute::{Host, notation};

use super::Origins;
use super::sites::{Site, sites};
use super::spelling;
use crate::finding::{Edit, Finding, Number};
use crate::limits;
use crate::walk;

/// Edits that might remove a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) edits: Vec<Edit>,
    /// Its title, where it changes more than numbers.
    pub(super) title: Option<String>,
    /// The legal value that the operand becomes, if that is where they come from.
    pub(super) legal: Option<String>,
}

/// Candidate edits, the most promising first.
pub(super) fn candidates(
    finding: &Finding,
    call: &Expr,
    origins: &Origins<'_>,
    text: &str,
    host: Host,
) -> Vec<Candidate> {
    let operands = operands_by_blame(finding, call);
    let mut found: Vec<Candidate> = Vec::new();
    let forms = |found: &mut Vec<Candidate>, takes_modes_away: bool| {
        let Some(blamed) = operands.first() else {
            return;
        };
        let written = sites(blamed, origins);
        for legal in &finding.legal {
            if takes_a_mode_away(legal, &written) != Some(takes_modes_away) {
                continue;
            }
            if let Some(edits) = rewritten(&written, legal) {
                found.push(Candidate {
                    edits,
                    title: None,
                    legal: Some(legal.clone()),
                });
            } else if let Some(other) = rewritten_whole(call, blamed, legal, text, host) {
                found.push(other);
            }
        }
    };
    forms(&mut found, false);
    let numbers = related_numbers(finding, &operands, origins);
    for operand in &operands {
        let mut changes: Vec<(f64, Vec<Edit>)> = Vec::new();
        for site in sites(operand, origins) {
            for value in values_near(site.value, &numbers) {
                changes.push((distance(site.value, value), vec![site.becomes(value)]));
            }
        }
        changes.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, edits) in changes {
            if !found.iter().any(|candidate| candidate.edits == edits) {
                found.push(Candidate {
                    edits,
                    title: None,
                    legal: None,
                });
            }
        }
    }
    found.retain(|candidate| {
        let mut edits = candidate.edits.iter();
        candidate.title.is_some() || edits.all(|edit| is_editable(edit, text))
    });
    found.truncate(limits::CANDIDATES_PER_FINDING);
    forms(&mut found, true);
    found
}

/// The operands of a call, the one that causes the finding first.
pub(super) fn operands_by_blame<'e>(finding: &Finding, call: &'e Expr) -> Vec<&'e Expr> {
    let mut operands: Vec<&Expr> = match &call.kind {
        // `upcast<3>(layout)`: template arguments are operands too.
        ExprKind::Call(callee, args) => args.iter().chain(std::iter::once(&**callee)).collect(),
        ExprKind::Construct { ty, args, .. } => std::iter::once(&**ty).chain(args).collect(),
        // A name with template arguments is its own operand.
        _ => return vec![call],
    };
    operands.sort_by_key(|operand| {
        !finding
            .related
            .iter()
            .any(|related| related.span == operand.span)
    });
    operands
}

/// An operand of another form: a tiler for each mode instead of one for the whole, modes grouped otherwise. It is
/// written into the call, also where the call has a name, which others may use.
fn rewritten_whole(
    call: &Expr,
    operand: &Expr,
    legal: &str,
    text: &str,
    host: Host,
) -> Option<Candidate> {
    let ExprKind::Call(callee, args) = &call.kind else {
        return None;
    };
    // Not in the place of a template argument, nor of a value that comes from elsewhere.
    let is_argument = args.iter().any(|arg| arg.span == operand.span);
    let written = spelling::operand(legal, operand, callee, host, text)?;
    let is_other = written.span.text(text) != written.text;
    (is_argument && is_other).then(|| Candidate {
        title: Some(format!("Use {legal}: write {}", written.text)),
        edits: vec![Edit {
            span: written.span,
            new_text: written.text,
        }],
        legal: None,
    })
}

/// Whether a legal value has an extent of 1 that is not written already: then a mode has no tile any
/// more, which is the last thing to propose. `None` where every extent is 1, which tiles nothing.
fn takes_a_mode_away(legal: &str, written: &[Site]) -> Option<bool> {
    let shape = legal.split_once(':').map_or(legal, |(shape, _)| shape);
    let extents = integers_of(shape)?;
    if extents.iter().all(|extent| *extent == 1) {
        return None;
    }
    let is_new = |(index, extent): (usize, &i64)| {
        *extent == 1 && written.get(index).is_none_or(|site| site.value != 1)
    };
    Some(extents.iter().enumerate().any(is_new))
}

/// The edits that turn the literals of an operand into those of a legal value.
fn rewritten(written: &[Site], legal: &str) -> Option<Vec<Edit>> {
    let wanted = integers_of(legal)?;
    if wanted.len() != written.len() {
        return None;
    }
    let edits: Vec<Edit> = written
        .iter()
        .zip(wanted)
        .filter(|(site, value)| site.value != *value)
        .map(|(site, value)| site.becomes(value))
        .collect();
    (!edits.is_empty()).then_some(edits)
}

/// The integers of a text of the notation, from left to right.
fn integers_of(text: &str) -> Option<Vec<i64>> {
    let expr = notation::parse(text).ok()?;
    let mut integers = Vec::new();
    walk::subexpressions(&expr, &mut |part| match part.kind {
        ExprKind::Int(value) | ExprKind::Static(value) => integers.push(value),
        ExprKind::Swizzle(bits, base, shift) => integers.extend([bits, base, shift]),
        _ => {}
    });
    Some(integers)
}

/// Numbers that a legal value is likely to divide or to be a multiple of.
fn related_numbers(finding: &Finding, operands: &[&Expr], origins: &Origins<'_>) -> BTreeSet<i64> {
    let stated = finding
        .numbers
        .iter()
        .filter_map(|(_, number)| match number {
            Number::Integer(value) => Some(*value),
            Number::Text(_) => None,
        });
    let written = operands
        .iter()
        .flat_map(|operand| sites(operand, origins))
        .map(|site| site.value);
    stated
        .chain(written)
        .filter(|value| (2..=1 << 40).contains(value))
        .collect()
}

/// Other values for a literal: its neighbours, its halves and doubles, and the nearest divisors and
/// multiples of related numbers. Never 0 or 1: a remedy takes nothing away.
fn values_near(value: i64, numbers: &BTreeSet<i64>) -> BTreeSet<i64> {
    let mut near: BTreeSet<i64> = [value - 1, value + 1, value / 2, value.saturating_mul(2)].into();
    for number in numbers {
        near.insert(*number);
        near.insert(nearest_divisor(*number, value));
        let below = value / number * number;
        near.insert(below);
        near.insert(below.saturating_add(*number));
    }
    near.retain(|other| *other != value && *other > 1);
    near
}

/// The divisor of a number nearest to a value, looked for nearby only.
fn nearest_divisor(number: i64, value: i64) -> i64 {
    const REACH: i64 = 64;
    (0..=REACH)
        .flat_map(|step| [value - step, value + step])
        .find(|divisor| *divisor > 1 && number % divisor == 0)
        .unwrap_or(number)
}

/// The size of a change: by ratio, as a tile of 4 is nearer to 8 than a tile of 64.
#[allow(clippy::cast_precision_loss)] // A ranking needs no exact logarithms.
fn distance(from: i64, to: i64) -> f64 {
    ((to.max(1) as f64) / (from.max(1) as f64)).ln().abs()
}

/// A literal is edited only where it is written as a plain decimal number.
fn is_editable(edit: &Edit, text: &str) -> bool {
    let written = edit.span.text(text);
    let digits = written.strip_prefix('_').unwrap_or(written);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
