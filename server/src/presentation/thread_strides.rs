//! Strides that depend on the thread: what a swizzle leaves of a partition whose thread is not known, `d0` and `d1`.

use std::sync::Arc;

use cute_algebra::{Delta, Layout};
use cute_analysis::{Analysis, Nominal, Value};
use tree_sitter_cute::tree::Span;

/// The names of the strides of a value that depend on the thread, in their order. A size is at least 1, they are not.
fn names(value: &Value) -> Vec<Arc<str>> {
    let Some(layout) = value.as_any_layout() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for name in of_layout(layout.domain()) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn of_layout(layout: &Layout) -> Vec<Arc<str>> {
    let strides = layout.view().steps().iter().filter_map(|step| {
        let Delta::Int(int) = step else {
            return None;
        };
        let expression = int.to_expression();
        let symbols = expression.symbols();
        let [name] = symbols.as_slice() else {
            return None;
        };
        let is_alone = int.to_string() == **name;
        (is_alone && expression.least_of(name) == Some(0)).then(|| Arc::clone(name))
    });
    strides.collect()
}

/// `d0 and d1 depend on the thread: 16 and 32 for thread 0`; the numbers where all instances have the same.
pub(super) fn said(analysis: &Analysis, value: &Value, declared: Span) -> Option<String> {
    let names = names(value);
    let number = |name: &Arc<str>| {
        let own = |nominal: &&Nominal| *nominal.symbol == **name && declared.encloses(nominal.span);
        let mut numbers = analysis.nominals.iter().filter(own);
        let first = numbers.next()?.value;
        numbers.all(|other| other.value == first).then_some(first)
    };
    // A stride of another origin, such as `blockIdx.x`, has no number for the first thread.
    let numbers: Option<Vec<i64>> = names.iter().map(number).collect();
    let depend = if names.len() == 1 {
        "depends"
    } else {
        "depend"
    };
    let names = listed(&names)?;
    let numbers = listed(&numbers?)?;
    Some(format!(
        "{names} {depend} on the thread: {numbers} for thread 0"
    ))
}

/// `a`, `a and b`, `a, b and c`.
fn listed<T: ToString>(parts: &[T]) -> Option<String> {
    let texts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    let (last, others) = texts.split_last()?;
    Some(match others {
        [] => last.clone(),
        _ => format!("{} and {last}", others.join(", ")),
    })
}

/// Whether a number that starts as another is such a stride of a value that is declared there.
pub(super) fn is_one(analysis: &Analysis, nominal: &Nominal) -> bool {
    let declared = analysis.facts.iter();
    let mut here = declared.filter(|fact| fact.span.encloses(nominal.span));
    here.any(|fact| {
        names(&fact.value)
            .iter()
            .any(|name| **name == *nominal.symbol)
    })
}
