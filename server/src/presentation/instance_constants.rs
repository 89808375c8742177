//! The constants of classes in the labels of their instances: `Is_causal` instead of `true`.

use std::collections::{BTreeSet, HashMap};

use cute_analysis::{Analysis, Value};

/// The arguments of each instance, then the constants of the classes that tell more of the instances apart: a truth value by
/// its name where it is true, `Is_causal`, a number as `kStages=2`. Nothing where no constant does.
pub(super) fn with_constants(
    analysis: &Analysis,
    instances: &[&str],
    mut rows: Vec<Vec<String>>,
) -> Vec<Vec<String>> {
    let constants = constants_of_classes(analysis, instances);
    let mut keys: Vec<Vec<String>> = rows.clone();
    let (mut told_apart, mut tells) = (distinct(&keys), false);
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in constants.iter().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    for name in names {
        let values = constants.iter().map(|own| {
            let found = own.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| *value)
        });
        let values: Vec<Option<&Value>> = values.collect();
        let mut longer = keys.clone();
        for (key, value) in longer.iter_mut().zip(&values) {
            key.push(value.map(ToString::to_string).unwrap_or_default());
        }
        if distinct(&longer) == told_apart {
            continue;
        }
        (told_apart, tells, keys) = (distinct(&longer), true, longer);
        for (row, value) in rows.iter_mut().zip(values) {
            row.extend(match value {
                Some(Value::Bool(truth)) => truth.value.then(|| name.to_owned()),
                Some(value) => Some(format!("{name}={value:#}")),
                None => None,
            });
        }
    }
    if tells { rows } else { Vec::new() }
}

/// Number of rows that differ.
fn distinct(rows: &[Vec<String>]) -> usize {
    rows.iter().collect::<BTreeSet<_>>().len()
}

/// The truth values and numbers among the members of the classes that the names of the instances have, in the order of the
/// source.
fn constants_of_classes<'a>(
    analysis: &'a Analysis,
    instances: &[&str],
) -> Vec<Vec<(&'a str, &'a Value)>> {
    let mut members: HashMap<&str, Vec<(&str, &Value)>> = HashMap::new();
    let mut classes: BTreeSet<&str> = BTreeSet::new();
    for fact in &analysis.facts {
        let is_constant = match &*fact.value {
            Value::Bool(_) => true,
            Value::Int(number) => number.value().is_some(),
            _ => false,
        };
        let (Some(class), Some(instance)) = (fact.function.as_deref(), fact.instance.as_deref())
        else {
            continue;
        };
        let arguments = instance.strip_prefix(class);
        if is_constant && arguments.is_some_and(|rest| rest.starts_with('<')) {
            classes.insert(class);
            let own = members.entry(instance).or_default();
            own.push((&*fact.name, &*fact.value));
        }
    }
    let of_instance = |instance: &&str| {
        let named = classes.iter().filter_map(|class| {
            let begins = instance.match_indices(class).map(|(at, _)| at);
            let mut texts = begins.filter_map(|at| template_at(instance, at));
            texts.find_map(|text| members.get(text))
        });
        named.flatten().copied().collect()
    };
    instances.iter().map(of_instance).collect()
}

/// The class with its arguments at a byte of a text.
fn template_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let mut depth = 0_usize;
    for (end, letter) in rest.char_indices() {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return rest.get(..=end);
                }
            }
            _ => {}
        }
    }
    None
}
