//! Numbers and witnesses as JSON: integers where they are ones, else their print.

use cute_analysis::{Number, Witness};

use serde_json::{Map, Value, json};

/// Named numbers as an object, in their order.
pub(super) fn numbers(numbers: &[(String, Number)]) -> Map<String, Value> {
    let value = |number: &Number| match number {
        Number::Integer(integer) => Value::from(*integer),
        Number::Text(text) => Value::from(text.clone()),
    };
    numbers
        .iter()
        .map(|(name, number)| (name.clone(), value(number)))
        .collect()
}

/// A witness; offsets outside the integers are as their print, `"(1,2)"`.
pub(super) fn witness(witness: &Witness) -> Value {
    json!({
        "coordinate": witness.coordinate,
        "expected": offset(&format!("{:#}", witness.expected)),
        "got": offset(&format!("{:#}", witness.got)),
        "outside_domain": witness.outside_domain,
    })
}

fn offset(print: &str) -> Value {
    print
        .parse::<i64>()
        .map_or_else(|_| Value::from(print), Value::from)
}
