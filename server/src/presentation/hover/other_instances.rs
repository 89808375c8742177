//! The values of the other instances, each value once.

use cute_analysis::{Analysis, SUPPOSED, Value};

use super::line::Line;
use super::seen::Seen;
use crate::presentation::instance_labels::labels;
use crate::presentation::instances::open_template;
use crate::presentation::{meaning, supposed};

/// The instances by value, where there are several values: which one is shown, the others with how many have each, and
/// the calls that lead to the one that is shown.
pub(super) fn instance_lines(analysis: &Analysis, seen: &[Seen<'_>]) -> Vec<Line> {
    let Some(first) = seen.first() else {
        return Vec::new();
    };
    if let Some(instance) = first.instance.filter(|_| first.is_supposed(analysis)) {
        let template = first
            .function
            .and_then(|function| open_template(analysis, function));
        let lines = supposed::lines(instance, template.as_ref());
        return lines.into_iter().map(Line::Text).collect();
    }
    let (supposed, seen): (Vec<&Seen<'_>>, Vec<&Seen<'_>>) =
        seen.iter().partition(|seen| seen.is_supposed(analysis));
    let mut lines = lines_of_made(analysis, &seen);
    if let Some(other) = supposed
        .iter()
        .find(|other| !reads_alike(analysis, other.value, first.value))
    {
        let said = other.instance.unwrap_or(SUPPOSED).to_owned();
        lines.push(other_value(analysis, said, other.value, first.value));
    }
    lines
}

/// The same of the instances that sources make.
fn lines_of_made(analysis: &Analysis, seen: &[&Seen<'_>]) -> Vec<Line> {
    const MOST: usize = 3;
    let Some(first) = seen.first() else {
        return Vec::new();
    };
    if seen
        .iter()
        .all(|other| reads_alike(analysis, other.value, first.value))
    {
        return Vec::new();
    }
    let labels = labels_of(analysis, seen);
    let label = |at: usize| labels.get(at).map_or("elsewhere", String::as_str);
    let same = seen
        .iter()
        .filter(|other| reads_alike(analysis, other.value, first.value))
        .count();
    let beside = match same - 1 {
        0 => String::new(),
        others => format!("; same value in {others} more"),
    };
    let mut lines = vec![Line::Text(format!(
        "shown: instance {} of {}, {}{beside}",
        first.number,
        seen.len(),
        label(0)
    ))];
    let mut groups: Vec<(&Value, Vec<usize>)> = Vec::new();
    for (at, other) in seen.iter().enumerate() {
        if reads_alike(analysis, other.value, first.value) {
            continue;
        }
        match groups
            .iter_mut()
            .find(|(value, _)| reads_alike(analysis, value, other.value))
        {
            Some((_, members)) => members.push(at),
            None => groups.push((other.value, vec![at])),
        }
    }
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    for (value, members) in groups.iter().take(MOST) {
        let one = members.first().map_or("elsewhere", |at| label(*at));
        let said = match members.len() {
            1 => format!("in {one}"),
            count => format!("in {count}, such as {one}"),
        };
        lines.push(other_value(analysis, said, value, first.value));
    }
    if groups.len() > MOST {
        let more = groups.len() - MOST;
        lines.push(Line::Text(format!("{more} more values in other instances")));
    }
    if let Some(calls) = first.instance.filter(|calls| *calls != label(0)) {
        lines.push(Line::Text(format!("how it gets here: {calls}")));
    }
    lines
}

/// The difference of another instance: its value, and where that prints as the shown one the first fact that differs.
fn other_value(analysis: &Analysis, said: String, value: &Value, shown: &Value) -> Line {
    if let Value::Unknown(reason) = value {
        return Line::Text(format!("{said}: {reason}"));
    }
    let text = analysis.dialect.text(value);
    let prints_alike = text == analysis.dialect.text(shown);
    match meaning::differing(value, shown).filter(|_| prints_alike) {
        Some(fact) => Line::Text(format!("{said}: {fact}")),
        None => Line::Valued { said, value: text },
    }
}

/// Whether a hover says the same of two values: tensors of `half_t` and `bfloat16_t` with one layout do.
pub(super) fn reads_alike(analysis: &Analysis, one: &Value, other: &Value) -> bool {
    one == other
        || (one.kind() == other.kind()
            && analysis.dialect.text(one) == analysis.dialect.text(other)
            && meaning::of(one) == meaning::of(other))
}

/// The label of each instance. They are of one function but where a macro or a header has several.
fn labels_of(analysis: &Analysis, seen: &[&Seen<'_>]) -> Vec<String> {
    let function = seen
        .iter()
        .find_map(|seen| seen.function)
        .unwrap_or_default();
    let calls: Vec<&str> = seen
        .iter()
        .map(|seen| seen.instance.unwrap_or("elsewhere"))
        .collect();
    labels(analysis, function, &calls)
}
