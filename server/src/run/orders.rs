//! The runs that a source orders: `// cute: run ...` before the line that binds a layout, or of a comment that states
//! one.

use cute_analysis::{Analysis, Annotation, Fact, RunKind, RunOrder, Value};
use cute_hardware::descriptor::Generation;
use cute_runner::fragments::Direction;
use cute_runner::product::Role;

use super::question::{Question, Subject};

/// Bits of an element whose type is not known.
pub const ELEMENT_BITS: i64 = 32;

/// One layout that an order is about.
#[derive(Debug, Clone)]
pub struct Ordered {
    /// The name that it is bound to; the layout of a comment, where it is one.
    pub name: String,
    /// The instance of the function, where there are several.
    pub instance: Option<String>,
    /// The position of the name, in bytes.
    pub byte: usize,
    /// The order and all that it depends on.
    pub key: Key,
    /// The question, or the reason why it cannot be answered.
    pub asked: Result<(Subject, Question), String>,
}

impl Ordered {
    /// The name with its instance.
    pub fn title(&self) -> String {
        match &self.instance {
            Some(instance) => format!("{} [{instance}]", self.name),
            None => self.name.clone(),
        }
    }
}

/// The layouts that an order is about, one for each instance.
pub fn of(annotation: &Annotation, analysis: &Analysis) -> Vec<Ordered> {
    let facts = analysis.facts_of_order(annotation);
    if facts.is_empty() {
        return stated(annotation, analysis);
    }
    let ordered = |fact: &&Fact| {
        let destination = bound_beside(&annotation.order, fact, analysis);
        Ordered {
            name: fact.name.to_string(),
            instance: fact.instance.as_deref().map(str::to_owned),
            byte: fact.name_span.start,
            key: key(&annotation.order, &fact.value, destination),
            asked: asked(&annotation.order, &fact.value, destination),
        }
    };
    facts.iter().map(ordered).collect()
}

/// The layout that a comment on the line states.
fn stated(annotation: &Annotation, analysis: &Analysis) -> Vec<Ordered> {
    // Outer expressions come first.
    let mention = analysis
        .mentions()
        .iter()
        .find(|mention| annotation.line.encloses(mention.span));
    let ordered = mention.map(|mention| Ordered {
        name: mention.value.to_string(),
        instance: mention.instance.as_deref().map(str::to_owned),
        byte: mention.span.start,
        key: key(&annotation.order, &mention.value, None),
        asked: asked(&annotation.order, &mention.value, None),
    });
    ordered.into_iter().collect()
}

/// A question with all that it depends on: an answer is valid as long as this is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The kind of question, in a word or two.
    pub kind: String,
    /// Number of samples.
    pub samples: Option<u64>,
    /// The value that is run.
    pub value: String,
    /// The destination of a copy.
    pub destination: Option<String>,
}

fn key(order: &RunOrder, value: &Value, destination: Option<&Value>) -> Key {
    Key {
        kind: kind(order),
        samples: order.samples,
        value: value.to_string(),
        destination: destination.map(ToString::to_string),
    }
}

fn asked(
    order: &RunOrder,
    value: &Value,
    destination: Option<&Value>,
) -> Result<(Subject, Question), String> {
    let subject = Subject::of(value, ELEMENT_BITS)?;
    let question = match (&order.kind, order.samples) {
        (RunKind::Offsets, samples) => {
            let most = samples.map(|samples| i64::try_from(samples).unwrap_or(i64::MAX));
            Question::Offsets(most)
        }
        (_, Some(_)) => return Err("only offsets can be sampled: leave `n=` out".to_owned()),
        (RunKind::Copy { destination: name }, None) => {
            let target = destination
                .ok_or_else(|| format!("no `{name}` is declared in the same function"))?;
            Question::Copy(Box::new(Subject::of(target, subject.element_bits)?.layout))
        }
        (RunKind::Banks, None) => Question::Banks,
        (RunKind::Tma, None) => Question::Tma(None),
        (RunKind::LoadMatrix, None) => Question::Fragments(Direction::Load),
        (RunKind::StoreMatrix, None) => Question::Fragments(Direction::Store),
        (RunKind::Wgmma, None) => Question::Identity(Generation::Wgmma, Role::A),
        (RunKind::Tcgen05, None) => Question::Identity(Generation::Tcgen05, Role::A),
    };
    Ok((subject, question))
}

/// The value of the destination that an order names, in the function and instance of a fact.
fn bound_beside<'a>(order: &RunOrder, fact: &Fact, analysis: &'a Analysis) -> Option<&'a Value> {
    let RunKind::Copy { destination } = &order.kind else {
        return None;
    };
    let beside = analysis.facts.iter().find(|other| {
        *other.name == **destination
            && other.function == fact.function
            && other.instance == fact.instance
    });
    beside.map(|fact| &*fact.value)
}

/// The kind of an order in a word, for a lens.
pub fn kind(order: &RunOrder) -> String {
    match &order.kind {
        RunKind::Offsets => "offsets".to_owned(),
        RunKind::Copy { destination } => format!("copy to {destination}"),
        RunKind::Banks => "banks".to_owned(),
        RunKind::Tma => "tma".to_owned(),
        RunKind::LoadMatrix => "ldmatrix".to_owned(),
        RunKind::StoreMatrix => "stmatrix".to_owned(),
        RunKind::Wgmma => "wgmma".to_owned(),
        RunKind::Tcgen05 => "tcgen05".to_owned(),
    }
}
