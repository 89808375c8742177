//! Derivations by the name of the operation, on textual operands.

use cute_algebra::Reading;
use cute_algebra::explain::{Derivation, Value};

use super::{ask, operation_name};
use crate::questions::{Answer, Value as Answered};
use crate::vocabulary::{self, Explained};

/// Explains the answer of [`ask()`] to `op(args...)`.
///
/// Operations with a derivation get it; the others are explained by their meaning. The value at the root is the answer
/// either way.
///
/// ```
/// use cute_algebra::Reading;
/// let derivation = cute_analysis::ask::explained("upcast", &["(4,8):(1,4)", "2"], Reading::Plain);
/// assert_eq!(
///     derivation.to_string(),
///     "upcast((4,8):(1,4), 2) = (2,8):(1,2)\n  4:1 becomes 2:1\n  8:4 becomes 8:2\n"
/// );
/// ```
pub fn explained(op: &str, args: &[&str], reading: Reading) -> Derivation {
    let answer = ask(op, args, reading);
    let name = operation_name(op);
    let function = vocabulary::operation(name);
    if let Some(Explained::BySteps(steps)) = function.map(|function| function.explained)
        && let Ok(Some(derivation)) = steps.derived(args, reading)
        && is_same(&derivation.value, &answer)
    {
        return derivation;
    }
    let meaning = function.map(vocabulary::Function::meaning);
    meant(name, args, &answer, meaning.as_deref())
}

/// Whether a derivation ends in the answer.
fn is_same(value: &Value, answer: &Answer) -> bool {
    match (value, &answer.result) {
        (Value::Layout(found), Ok(Answered::Layout(layout))) => **found == *layout,
        (Value::Tuple(found), Ok(Answered::Tuple(tuple))) => found == tuple,
        (Value::Number(found), Ok(Answered::Tuple(tuple))) => tuple.as_leaf() == Some(found),
        (Value::Refused(found), Err(refusal)) => found == refusal,
        _ => false,
    }
}

/// The answer, with the meaning of the operation and its judgement.
fn meant(name: &str, args: &[&str], answer: &Answer, meaning: Option<&str>) -> Derivation {
    let witness = answer.judgement.witness.as_ref();
    let value = match &answer.result {
        Ok(Answered::Layout(layout)) => Value::Layout(Box::new(layout.clone())),
        Ok(Answered::Tuple(tuple)) => Value::Tuple(tuple.clone()),
        Ok(_) => Value::Expression(answer.text().unwrap_or_default()),
        Err(refusal) => Value::Refused(refusal.clone()),
    };
    Derivation::by_meaning(
        format!("{name}({})", args.join(", ")),
        meaning,
        witness.map(ToString::to_string),
        value,
        answer.reading,
    )
}
