//! One name in each of its instances.

use cute_analysis::{Analysis, Dialect, Fact, SUPPOSED, Value};

use crate::presentation::instances::Chosen;

/// The same thing seen in one instance.
pub(super) struct Seen<'a> {
    pub(super) value: &'a Value,
    pub(super) function: Option<&'a str>,
    pub(super) instance: Option<&'a str>,
    /// The number of the instance, from 1.
    pub(super) number: usize,
}

impl Seen<'_> {
    pub(super) fn is_known(&self) -> bool {
        !matches!(self.value, Value::Unknown(_))
    }

    /// Whether no source of C++ makes the instance.
    pub(super) fn is_supposed(&self, analysis: &Analysis) -> bool {
        let instance = self.instance;
        analysis.dialect == Dialect::Cute
            && instance.is_some_and(|instance| instance.starts_with(SUPPOSED))
    }
}

/// The instances by their numbers, the one that is shown first in front.
pub(super) fn in_order<'a>(mut seen: Vec<Seen<'a>>, chosen: &Chosen) -> Vec<Seen<'a>> {
    for (index, seen) in seen.iter_mut().enumerate() {
        seen.number = index + 1;
    }
    let mut first = chosen.first(seen.iter().map(|seen| (seen.function, seen.instance)));
    if first == 0 {
        first = seen.iter().position(Seen::is_known).unwrap_or(0);
    }
    if first > 0 && first < seen.len() {
        let first = seen.remove(first);
        seen.insert(0, first);
    }
    seen
}

pub(super) fn seen_fact(fact: &Fact) -> Seen<'_> {
    Seen {
        value: &fact.value,
        function: fact.function.as_deref(),
        instance: fact.instance.as_deref(),
        number: 0,
    }
}
