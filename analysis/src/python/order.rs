//! The order of elements: `sorted`, `list.sort`.

use tree_sitter_cute::script::CompareOp;

use super::machine::{Machine, Run};
use super::native::{Args, Given};
use super::value::{Condition, Py};
use crate::reason::Reason;

/// Elements in the order of `key` and `reverse`, which are the next arguments. Equal ones keep their order.
pub(super) fn in_order(
    machine: &mut Machine<'_>,
    items: Vec<Py>,
    given: &Given,
) -> Run<Result<Vec<Py>, Reason>> {
    let Condition::Known(is_reversed) = machine.condition(given.arg(2))? else {
        return Ok(Err(Reason::RunTime("an order".into())));
    };
    let mut keyed: Vec<(Py, Py)> = Vec::new();
    for item in items {
        let key = match given.arg(1) {
            Py::None => item.clone(),
            function => machine.call(function, Args::of(vec![item.clone()], given.span))?,
        };
        let mut at = keyed.len();
        for (place, (known, _)) in keyed.iter().enumerate() {
            let is_before = match is_reversed {
                true => machine.compare(CompareOp::Lt, known, &key)?,
                false => machine.compare(CompareOp::Lt, &key, known)?,
            };
            match machine.condition(&is_before)? {
                Condition::Known(true) => {
                    at = place;
                    break;
                }
                Condition::Known(false) => {}
                _ => return Ok(Err(Reason::RunTime("an order".into()))),
            }
        }
        machine.step(1 + keyed.len())?;
        keyed.insert(at, (key, item));
    }
    Ok(Ok(keyed.into_iter().map(|(_, item)| item).collect()))
}
