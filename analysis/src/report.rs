//! From what a call refused to a finding: its span, sentence and numbers.

use cute_algebra::{Rule, Verdict};
use tree_sitter_cute::tree::Span;

use crate::finding::{Finding, Number, Related, Severity};
use crate::vocabulary::Remark;

/// Whether a remark is about what only the running program can decide: no squiggle, but something
/// that must hold.
pub(crate) fn is_unproved(remark: &Remark) -> bool {
    match &remark.hardware {
        Some(refusal) => refusal.rule == cute_hardware::Rule::Algebra(Rule::NotProvable),
        None => remark.refusal.rule == Rule::NotProvable,
    }
}

/// The finding of a remark about the call at `span` with operands at `operands`.
pub(crate) fn finding(remark: &Remark, span: Span, operands: &[Span]) -> Finding {
    if let Some(refusal) = &remark.hardware {
        return of_hardware(refusal, remark, span, operands);
    }
    let mut numbers: Vec<(String, Number)> = remark
        .refusal
        .numbers
        .iter()
        .map(|(name, number)| ((*name).to_owned(), number_of(number)))
        .collect();
    if let Some(witness) = &remark.witness {
        numbers.push(("coordinate".into(), Number::Integer(witness.coordinate)));
        numbers.push(("expected".into(), offset_number(&witness.expected)));
        numbers.push(("got".into(), offset_number(&witness.got)));
    }
    Finding {
        numbers,
        witness: remark.witness.clone(),
        related: related(remark, operands),
        legal: remark.refusal.legal.clone(),
        ..Finding::new(
            remark.refusal.rule.name(),
            severity(remark),
            span,
            message(remark),
        )
    }
}

/// The operand that causes it, where one does.
fn related(remark: &Remark, operands: &[Span]) -> Vec<Related> {
    let blamed = remark.operand.and_then(|index| operands.get(index));
    let related = blamed.map(|span| Related {
        span: *span,
        message: "this operand causes it".to_owned(),
    });
    related.into_iter().collect()
}

/// The finding of what the hardware refuses.
fn of_hardware(
    refusal: &cute_hardware::Refusal,
    remark: &Remark,
    span: Span,
    operands: &[Span],
) -> Finding {
    let numbers = refusal.numbers.iter();
    Finding {
        numbers: numbers
            .map(|(name, number)| ((*name).to_owned(), number_of(number)))
            .collect(),
        related: related(remark, operands),
        legal: refusal.legal.clone(),
        ..Finding::new(
            refusal.rule.name(),
            remark.severity,
            span,
            hardware_message(refusal, remark.note),
        )
    }
}

/// The sentence of a refusal of the hardware, with what CuTe or a collective builder says to it, or
/// whoever else compiles it.
fn hardware_message(refusal: &cute_hardware::Refusal, note: Option<&str>) -> String {
    use cute_hardware::Rule::{CollectiveStages, CollectiveTile, CollectiveUnsupported};
    let message = refusal.message();
    let builders = matches!(
        refusal.rule,
        CollectiveStages | CollectiveTile | CollectiveUnsupported
    );
    match (note, refusal.cute) {
        (Some(note), _) => format!("{message} ({note})"),
        (None, Verdict::StaticAssert(text)) if builders => {
            format!("{message} (CUTLASS: \"{text}\")")
        }
        (None, Verdict::StaticAssert(text)) => format!("{message} (CuTe: \"{text}\")"),
        _ => message,
    }
}

/// An integer where the offset is one, a tuple of coordinates elsewhere.
fn offset_number(offset: &cute_algebra::Offset) -> Number {
    match offset.as_leaf().and_then(cute_algebra::Int::value) {
        Some(value) => Number::Integer(value),
        None => Number::Text(format!("{offset:#}")),
    }
}

fn severity(remark: &Remark) -> Severity {
    if is_unproved(remark) {
        Severity::Information
    } else {
        remark.severity
    }
}

fn number_of(number: &cute_algebra::Number) -> Number {
    match number {
        cute_algebra::Number::Known(value) => Number::Integer(*value),
        cute_algebra::Number::Text(text) => Number::Text(text.clone()),
    }
}

fn message(remark: &Remark) -> String {
    let mut message = remark.refusal.message();
    if let Some(witness) = &remark.witness {
        use std::fmt::Write;
        // Writing to a String cannot fail.
        let _ = write!(
            message,
            "; coordinate {}: {:#} expected, {:#} computed",
            witness.coordinate, witness.expected, witness.got
        );
    }
    if let Some(note) = remark.note {
        message.push_str(" (");
        message.push_str(note);
        message.push(')');
        return message;
    }
    match remark.refusal.cute {
        Verdict::StaticAssert(text) => {
            message.push_str(" (CuTe: \"");
            message.push_str(text);
            message.push_str("\")");
        }
        Verdict::Accepts if remark.witness.is_some() => {
            message.push_str(" (CuTe accepts it silently)");
        }
        _ => {}
    }
    message
}
