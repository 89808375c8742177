//! From the refusal of a call to a finding: its span, sentence and numbers.

use cute_algebra::sentence::SentenceLines;
use cute_algebra::{Rule, Verdict};
use tree_sitter_cute::tree::Span;

use crate::finding::{Finding, Number, Related, Severity};
use crate::vocabulary::Remark;

/// Whether a remark is about a condition that only the running program can decide: no squiggle, but something that must
/// hold.
pub(crate) fn is_unproved(remark: &Remark) -> bool {
    match &remark.hardware {
        Some(refusal) => refusal.rule == cute_hardware::Rule::Algebra(Rule::NotProvable),
        None => remark.refusal.rule == Rule::NotProvable,
    }
}

/// An operand of a call as the source has it.
#[derive(Debug, Clone)]
pub(crate) struct Operand {
    /// The place of the call.
    pub(crate) span: Span,
    /// Its name, where it is one.
    pub(crate) name: Option<String>,
}

/// The finding of a remark about the call at `span` with these operands.
pub(crate) fn finding(remark: &Remark, span: Span, operands: &[Operand]) -> Finding {
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
            message(remark, operands),
        )
    }
}

/// The operand that causes it, where one does.
fn related(remark: &Remark, operands: &[Operand]) -> Vec<Related> {
    let blamed = remark.operand.and_then(|index| operands.get(index));
    let related = blamed.map(|operand| Related {
        span: operand.span,
        message: match &operand.name {
            Some(name) => format!("because of `{name}`"),
            None => "because of this operand".to_owned(),
        },
    });
    related.into_iter().collect()
}

/// The finding of a refusal by the hardware.
fn of_hardware(
    refusal: &cute_hardware::Refusal,
    remark: &Remark,
    span: Span,
    operands: &[Operand],
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
            hardware_message(refusal, remark),
        )
    }
}

/// The sentence of a refusal of the hardware, the correction, and the message of CuTe, a collective builder or another
/// compiler.
fn hardware_message(refusal: &cute_hardware::Refusal, remark: &Remark) -> String {
    use cute_hardware::Rule::{CollectiveStages, CollectiveTile, CollectiveUnsupported};
    let builders = matches!(
        refusal.rule,
        CollectiveStages | CollectiveTile | CollectiveUnsupported
    );
    let library = if builders { "CUTLASS" } else { "CuTe" };
    lines(refusal.told(&[]), said(library, refusal.cute, remark.note))
}

/// The compiler's message about it.
fn said(library: &str, verdict: Verdict, note: Option<&str>) -> Option<String> {
    match (note, verdict) {
        (Some(note), _) => Some(note.to_owned()),
        (None, Verdict::StaticAssert(text)) => Some(format!("{library}: \"{text}\"")),
        (None, _) => None,
    }
}

/// A message: the first line names the error, the next ones the other facts.
fn lines(told: SentenceLines, said: Option<String>) -> String {
    std::iter::once(told.line)
        .chain(told.rest)
        .chain(said)
        .collect::<Vec<_>>()
        .join("\n")
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

fn message(remark: &Remark, operands: &[Operand]) -> String {
    let mut words = vec![("compiler", remark.compiler.to_owned())];
    if let Some(witness) = &remark.witness {
        words.push(("coordinate", witness.coordinate.to_string()));
        words.push(("expected", format!("{:#}", witness.expected)));
        words.push(("got", format!("{:#}", witness.got)));
    }
    let named = |index: Option<usize>| operands.get(index?)?.name.clone();
    if remark.composed_with.is_some() {
        match (named(remark.composed_with), named(remark.operand)) {
            (Some(left), Some(right)) => words.extend([
                ("A", left.clone()),
                ("B", right.clone()),
                ("left", left),
                ("right", right),
            ]),
            _ => words.extend([("A", "A".to_owned()), ("B", "B".to_owned())]),
        }
    }
    lines(
        remark.refusal.told(&words),
        said("CuTe", remark.refusal.cute, remark.note),
    )
}
