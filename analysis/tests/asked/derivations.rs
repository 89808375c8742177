//! Derivations by the name of the operation end in the answer by name.

use cute_algebra::Reading;
use cute_algebra::explain::{By, Value};
use cute_analysis::ask::{ask, explained};

/// Every recorded row of CuTe C++ and pycute: the derivation by name ends in the answer by name.
#[test]
fn every_recorded_operation_is_derived_to_its_answer() {
    let rows = include_str!("../../../tests/golden/algebra-open.jsonl").lines();
    let mut derived = 0;
    for line in rows {
        let row: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        let Some(op) = row["op"].as_str() else {
            continue;
        };
        let operands = row["args_raw"]
            .as_array()
            .or_else(|| row["args"].as_array());
        let args: Vec<&str> = operands
            .into_iter()
            .flatten()
            .filter_map(|arg| arg.as_str())
            .collect();
        let answer = ask(op, &args, Reading::Cute);
        let derivation = explained(op, &args, Reading::Cute);
        match (&derivation.value, &answer.result) {
            (Value::Refused(found), Err(refusal)) => assert_eq!(found, refusal, "{op} {args:?}"),
            (Value::Refused(_), Ok(_)) | (_, Err(_)) => panic!("{op} {args:?}: {derivation}"),
            (Value::Layout(found), Ok(_)) => {
                assert_eq!(Some(found.to_string()), answer.text(), "{op} {args:?}");
                derived += usize::from(derivation.steps.iter().any(|step| step.by != By::Meaning));
            }
            (Value::Tuple(found), Ok(_)) => assert_eq!(Some(found.to_string()), answer.text()),
            (Value::Number(found), Ok(_)) => assert_eq!(Some(found.to_string()), answer.text()),
            (Value::Expression(found), Ok(_)) => assert_eq!(Some(found), answer.text().as_ref()),
            (Value::None, Ok(_)) => panic!("{op} {args:?} has no value"),
        }
        assert!(!derivation.steps.is_empty() || derivation.to_string().lines().count() == 1);
    }
    assert!(
        derived > 500,
        "{derived} rows have a derivation of their own"
    );
}
