//! The lines about a value that depends on a macro that no flag decides.

use cute_analysis::{Analysis, Fact, Otherwise, Value, WhatIf};

use super::hover::Hover;
use super::instances::Chosen;
use super::lines::Lines;
use super::meaning;

/// The macro of the architecture of device code, whose flag is not a `-D`.
const ARCHITECTURE: &str = "__CUDA_ARCH__";

/// The most macros that a hover names.
const MACROS: usize = 3;

/// A hover with one sentence for each macro that would change the value at a byte: `With -DWIDE: (_128):(_1); no flag decides
/// WIDE (line 3).` Where nothing was said of the value, as it is not known without one, that is said.
pub fn added_to(
    hover: Option<Hover>,
    analysis: &Analysis,
    what_if: &WhatIf,
    lines: &Lines,
    byte: usize,
    chosen: &Chosen,
) -> Option<Hover> {
    let Some(fact) = fact_at(analysis, byte, chosen) else {
        return hover;
    };
    let sentences: Vec<String> = what_if
        .of(fact)
        .into_iter()
        .take(MACROS)
        .map(|(otherwise, value)| sentence(fact, otherwise, value, lines))
        .collect();
    if sentences.is_empty() {
        return hover;
    }
    let unknown = || {
        let why = fact.reason().map(ToString::to_string).unwrap_or_default();
        Hover::saying(&format!("{}: unknown, {why}", fact.name), fact.name_span)
    };
    let mut hover = hover.unwrap_or_else(unknown);
    hover.add(&sentences);
    Some(hover)
}

fn sentence(fact: &Fact, otherwise: &Otherwise, value: &Value, lines: &Lines) -> String {
    let place = otherwise
        .asked
        .map(|asked| format!(" (line {})", lines.place(asked.start).line))
        .unwrap_or_default();
    let (flag, name) = (flag(otherwise), &otherwise.name);
    let value = told_apart(value, &fact.value);
    format!("With {flag}: {value}; no flag decides {name}{place}.")
}

/// The declaration at a byte, or that of the name used there, in the instance that is shown.
fn fact_at<'a>(analysis: &'a Analysis, byte: usize, chosen: &Chosen) -> Option<&'a Fact> {
    let mut facts = analysis.facts_at(byte);
    if facts.is_empty() {
        let used = analysis.mentions_at(byte).first()?.span;
        facts = analysis.facts_of_use(used);
    }
    facts.get(chosen.first_of(&facts)).copied()
}

/// The text of a value, or the first fact about it that differs for another one with the same text: the atom of a tiled
/// MMA.
fn told_apart(value: &Value, other: &Value) -> String {
    let text = value.to_string();
    if text != other.to_string() {
        return text;
    }
    meaning::differing(value, other).unwrap_or_else(|| format!("another {}", value.kind().name()))
}

/// The flag that defines it so.
fn flag(otherwise: &Otherwise) -> String {
    let Otherwise { name, number, .. } = otherwise;
    match (&**name, number) {
        (ARCHITECTURE, _) => format!("--arch sm_{}", number / 10),
        (_, 1) => format!("-D{name}"),
        _ => format!("-D{name}={number}"),
    }
}
