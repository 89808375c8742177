//! The layouts that a source orders to be run: `// cute: run ...` in front of the line that binds one.

use std::path::{Path, PathBuf};

use cute_algebra::AnyLayout;
use cute_analysis::{Analysis, Annotation, Fact, RunKind, RunOrder, Value};
use cute_hardware::{Refusal, SharedLayout};

use super::Asked;
use super::experiment::Experiment;
use crate::cli::Session;
use crate::cli::output::{Outcome, complain};
use crate::cli::source::Source;

/// Bits of an element whose type is not known.
const ELEMENT_BITS: u16 = 32;

/// A file, or one of its lines.
pub(super) struct Place {
    file: PathBuf,
    line: Option<usize>,
}

/// The place that a text names: `FILE` or `FILE:LINE` of a file that there is.
pub(super) fn place(text: &str) -> Option<Place> {
    let whole = Path::new(text);
    if whole.is_file() {
        let (file, line) = (whole.to_owned(), None);
        return Some(Place { file, line });
    }
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Path::new(file).is_file().then(|| Place {
        file: file.into(),
        line: Some(line),
    })
}

/// What a file orders to be run; of a line, what is ordered there or of it.
pub(super) fn asked(place: &Place, session: &Session) -> Result<Vec<Asked>, Outcome> {
    let read = Source::read(&place.file).and_then(|source| Ok((session.analyse(&source)?, source)));
    let (analysis, source) = read.map_err(|error| {
        complain(&error.to_string());
        Outcome::Unusable
    })?;
    let line_of = |byte| source.lines.place(byte).line;
    let name = place.file.display();
    let mut found = Vec::new();
    for order in &analysis.orders {
        let lines = line_of(order.span.start)..=line_of(order.line.start);
        if place.line.is_some_and(|line| !lines.contains(&line)) {
            continue;
        }
        let line = line_of(order.line.start);
        let facts = analysis.facts_of_order(order);
        if facts.is_empty() {
            found.push(Asked {
                heading: Some(format!("{name}:{line}")),
                experiment: Err("`cute: run` is followed by no declaration".to_owned()),
            });
        }
        for fact in facts {
            let instance = fact.instance.as_ref();
            let instance = instance.map_or_else(String::new, |instance| format!(" [{instance}]"));
            found.push(Asked {
                heading: Some(format!("{name}:{line} {}{instance}", fact.name)),
                experiment: experiment(order, fact, &analysis),
            });
        }
    }
    if found.is_empty() {
        let place = place
            .line
            .map_or_else(|| name.to_string(), |line| format!("{name}:{line}"));
        complain(&format!("{place}: no layout stands behind a `cute: run`"));
        return Err(Outcome::Found);
    }
    Ok(found)
}

fn experiment(
    annotation: &Annotation,
    fact: &Fact,
    analysis: &Analysis,
) -> Result<Experiment, String> {
    let RunOrder { kind, samples } = &annotation.order;
    let refused = |refusal: Refusal| format!("{}: {}", refusal.rule.name(), refusal.message());
    let layout = layout_of(&fact.value)?;
    let bits = element_bits(&fact.value);
    let made = match (kind, samples) {
        (RunKind::Offsets, None) => Experiment::offsets(&layout),
        (RunKind::Offsets, Some(samples)) => {
            let samples = i64::try_from(*samples).unwrap_or(i64::MAX);
            Experiment::some_offsets(&layout, samples)
        }
        (_, Some(_)) => return Err("only offsets can be sampled: leave `n=` out".to_owned()),
        (RunKind::Copy { destination }, None) => {
            let target = bound_beside(destination, fact, analysis)
                .ok_or_else(|| format!("no `{destination}` is declared in the same function"))?;
            Experiment::copy(&layout, &layout_of(&target.value)?, bits)
        }
        (RunKind::Banks, None) => Experiment::banks(&layout, i64::from(bits)),
        (RunKind::Tma, None) => match &fact.value {
            Value::Shared(shared) => Experiment::tma(shared),
            _ => SharedLayout::of_offsets(&layout, i64::from(bits))
                .and_then(|shared| Experiment::tma(&shared)),
        },
    };
    made.map_err(refused)
}

/// The function from coordinates to offsets of a value.
fn layout_of(value: &Value) -> Result<AnyLayout, String> {
    let layout = match value {
        Value::Shared(shared) => shared.position_independent().ok(),
        other => other.as_any_layout(),
    };
    layout.ok_or_else(|| match value {
        Value::Unknown(reason) => reason.to_string(),
        other => format!("is no layout, but a {}", other.kind().name()),
    })
}

/// The fact of a name in the function and instance of another.
fn bound_beside<'a>(name: &str, fact: &Fact, analysis: &'a Analysis) -> Option<&'a Fact> {
    analysis.facts.iter().find(|other| {
        other.name == name && other.function == fact.function && other.instance == fact.instance
    })
}

fn element_bits(value: &Value) -> u16 {
    let bits = match value {
        Value::Tensor(tensor) => tensor.engine.bits(),
        Value::Shared(shared) => u32::try_from(shared.element_bits).ok(),
        _ => None,
    };
    bits.and_then(|bits| u16::try_from(bits).ok())
        .unwrap_or(ELEMENT_BITS)
}
