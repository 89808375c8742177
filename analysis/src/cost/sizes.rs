//! The sizes that a kernel works on, in symbols of its launch: each integer parameter is what the host gives for it.

use std::sync::Arc;

use cute_algebra::{Expression, Int};

use super::requirements::tile_of;
use super::{Seen, rings};
use crate::held::Held;
use crate::trace::{Action, ActionKind, Launch};
use crate::value::Value;

/// The arguments of a launch, by the symbols of the kernel's parameters.
pub(super) struct Given {
    /// The symbol of a parameter, with its argument.
    arguments: Vec<(Arc<str>, Expression)>,
    /// Names of parameters without a known argument.
    unknown: Vec<String>,
}

impl Given {
    /// The arguments of a launch.
    pub(super) fn of(seen: &Seen<'_, '_>, launch: &Launch) -> Self {
        let mut arguments = Vec::new();
        let mut unknown = Vec::new();
        for (index, param) in seen.run.function.params.iter().enumerate() {
            let Some(name) = &param.name else { continue };
            let symbol =
                rings::value_of(seen, name.span).and_then(|value| only_symbol(value.as_int()?));
            let argument = launch.arguments.get(index).and_then(Option::as_ref);
            match (symbol, argument) {
                (Some(symbol), Some(Value::Int(argument))) => {
                    arguments.push((symbol, argument.to_expression()));
                }
                (symbol, _) => {
                    unknown.push(symbol.map_or(name.name.clone(), |symbol| symbol.to_string()));
                }
            }
        }
        Self { arguments, unknown }
    }

    /// A number of the kernel in symbols of the host; nothing where a parameter in it has no known argument.
    pub(super) fn on_host(&self, int: &Int) -> Option<Int> {
        let Some(expression) = int.as_expression() else {
            return Some(int.clone());
        };
        let symbols = expression.symbols();
        if symbols
            .iter()
            .any(|symbol| self.unknown.iter().any(|name| **name == **symbol))
        {
            return None;
        }
        let given = expression.substitute(&|name| {
            let mut arguments = self.arguments.iter();
            let found = arguments.find(|(symbol, _)| **symbol == *name);
            found.map(|(_, argument)| argument.clone())
        })?;
        Some(Int::expression(given))
    }
}

/// The number that a run-time size of a kernel may be: the assumed one, or that which all launches give; nothing where
/// launches differ, or where the host has checked before that it is another one.
pub(super) fn assumed(seen: &Seen<'_, '_>, size: &Int, assumed: i64) -> Option<i64> {
    let mut known = None;
    for launch in &seen.run.launches {
        let Some(given) = Given::of(seen, launch).on_host(size) else {
            return Some(assumed);
        };
        if let Some(number) = given.to_expression().as_known() {
            if known.is_some_and(|other| other != number) {
                return None;
            }
            known = Some(number);
        } else if may_be(launch, &given, assumed) {
            return Some(assumed);
        }
    }
    known.or(seen.run.launches.is_empty().then_some(assumed))
}

/// Whether nothing that the host has checked before a launch keeps a number from having a value.
fn may_be(launch: &Launch, number: &Int, value: i64) -> bool {
    let symbols = number.as_expression().map(Expression::symbols);
    let only = only_symbol(number);
    let is_excluded = |held: &Held| match &only {
        Some(symbol) => held.may_exclude(symbol, value),
        None => symbols.iter().flatten().any(|symbol| held.mentions(symbol)),
    };
    !launch.held.iter().any(is_excluded)
}

/// The symbol that an integer is.
fn only_symbol(int: &Int) -> Option<Arc<str>> {
    let symbols = int.as_expression()?.symbols();
    match symbols.as_slice() {
        [only] if int.to_string() == **only => Some(Arc::clone(only)),
        _ => None,
    }
}

/// A mode of a tensor, the part of it that a CTA takes, and at which index.
pub(super) struct Mode<'a> {
    /// The extent of the tensor.
    pub(super) extent: Int,
    /// The extent of the part, where it is known.
    pub(super) tile: Option<i64>,
    /// The index.
    pub(super) at: &'a Value,
}

/// The modes of the tensor of a `local_tile` or of `tensor(_, blockIdx.x, ..)`.
pub(super) fn modes_of<'a>(taken: &'a Action<'_>) -> Vec<Mode<'a>> {
    let Some(Value::Tensor(tensor)) = taken.values.first() else {
        return Vec::new();
    };
    let shape = tensor.layout.domain().shape();
    let (coordinate, tiles): (Vec<&Value>, Vec<Option<i64>>) = if taken.kind == ActionKind::CtaSlice
    {
        let coordinate: Vec<&Value> = taken.values.iter().skip(1).collect();
        let tiles = vec![Some(1); coordinate.len()];
        (coordinate, tiles)
    } else {
        let (Some(Value::Tuple(coordinate)), Some(tiles)) = (taken.values.get(2), tile_of(taken))
        else {
            return Vec::new();
        };
        let is_kept = |index: usize| match taken.values.get(3) {
            Some(Value::Tuple(marks)) => !matches!(marks.get(index), Some(Value::Underscore)),
            _ => true,
        };
        let kept = coordinate
            .iter()
            .enumerate()
            .filter(|(index, _)| is_kept(*index));
        (kept.map(|(_, at)| at).collect(), tiles)
    };
    let modes = shape.modes().zip(tiles).zip(coordinate);
    modes
        .filter_map(|((extent, tile), at)| {
            Some(Mode {
                extent: extent.size().ok()?,
                tile,
                at,
            })
        })
        .collect()
}
