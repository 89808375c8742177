//! The value of a call for its caller: the numbers that only the called function names are symbols of the caller's.

use std::sync::Arc;

use tree_sitter_cute::tree::Function;

use super::alternatives::is_choice;
use super::bound::Bound;
use super::frame::{Frame, Symbols};
use super::site::Site;
use crate::hash::{HashMap, HashSet};
use crate::plain_names;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;

/// The names of symbols that a call is given, in its arguments and its object.
fn given_symbols(site: &Site, bound: &Bound, captured: &[String]) -> HashSet<Arc<str>> {
    let arguments = bound.params.iter().flatten().chain(&bound.tparams);
    let mut given: HashSet<Arc<str>> = arguments
        .chain(&site.this)
        .flat_map(Value::symbols)
        .collect();
    given.extend(captured.iter().map(|name| Arc::from(name.as_str())));
    given
}

/// Prefix of the symbols of a function in its result, until a caller has renamed them.
const INNER: char = '@';

/// A result whose symbols of the function itself are marked as such: each call has its own.
pub(super) fn with_own_names(
    value: Value,
    function: &Function,
    site: &Site,
    bound: &Bound,
    captured: &[String],
    frame: &Frame<'_>,
) -> Value {
    let given = given_symbols(site, bound, captured);
    let leaks: HashSet<Arc<str>> = value
        .symbols()
        .into_iter()
        .filter(|symbol| !given.contains(symbol) && !is_of_the_grid(symbol, frame))
        .collect();
    if leaks.is_empty() {
        return value;
    }
    let marked = |name: &str| leaks.contains(name).then(|| format!("{INNER}{name}"));
    // The quotient of a number that is known to be a multiple has its name from that number.
    let has_quotient = leaks
        .iter()
        .any(|name| name.starts_with('(') && !is_choice(name));
    let marked = value.renamed(&marked).filter(|_| !has_quotient);
    marked.unwrap_or_else(|| {
        let what = format!("the result of `{}`", function.name.name);
        Value::Unknown(Reason::RunTime(what.into()))
    })
}

/// A result with names of the caller for the symbols of the function itself: `f.x`.
pub(super) fn named_for_caller(value: Value, function: &Function, caller: &mut Frame<'_>) -> Value {
    let mut names: HashMap<Arc<str>, String> = HashMap::default();
    for symbol in value.symbols() {
        let Some(inner) = symbol.strip_prefix(INNER) else {
            continue;
        };
        if !names.contains_key(&symbol) {
            let plain = plain_names::without_numbers(inner);
            // Never a bare name: the caller may have a variable of it.
            let name = format!("{}.{plain}", function.name.name);
            names.insert(symbol.clone(), caller.symbol_name(&name));
        }
    }
    if names.is_empty() {
        return value;
    }
    value
        .renamed(&|name| names.get(name).cloned())
        .unwrap_or_else(|| {
            let what = format!("the result of `{}`", function.name.name);
            Value::Unknown(Reason::RunTime(what.into()))
        })
}

/// Whether a symbol is the same in every function: `threadIdx.x`, but no number that the function named itself, and no
/// member of an object that it named.
fn is_of_the_grid(symbol: &str, frame: &Frame<'_>) -> bool {
    let dots = symbol.match_indices('.').map(|(dot, _)| dot);
    let mut named = dots
        .chain([symbol.len()])
        .filter_map(|end| symbol.get(..end));
    symbol.contains('.') && !named.any(|name| frame.symbols.contains(name))
}

/// The result of a lambda whose own symbols have names that the caller uses for nothing else: each call has its own.
pub(super) fn apart_from_caller(
    value: Value,
    args: &[Value],
    captured: &Symbols,
    inner: &Frame<'_>,
    caller: &mut Frame<'_>,
) -> Value {
    let given: Vec<Arc<str>> = args.iter().flat_map(Value::symbols).collect();
    let mut names: HashMap<Arc<str>, String> = HashMap::default();
    for symbol in value.symbols() {
        let is_own = !captured.contains(&symbol)
            && !given.contains(&symbol)
            && !is_of_the_grid(&symbol, inner);
        if is_own && !names.contains_key(&symbol) {
            let name = caller.symbol_name(&symbol);
            names.insert(symbol, name);
        }
    }
    names.retain(|symbol, name| **symbol != **name);
    if names.is_empty() {
        return value;
    }
    value
        .renamed(&|name| names.get(name).cloned())
        .unwrap_or_else(|| Value::Unknown(Reason::RunTime("the result of a lambda".into())))
}

/// Whether two values differ only in run-time numbers.
pub(super) fn have_one_type(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Unknown(_), _) | (_, Value::Unknown(_)) => false,
        (Value::Int(a), Value::Int(b)) => !a.is_static() && !b.is_static() || a == b,
        (Value::Tuple(a), Value::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| have_one_type(a, b))
        }
        (Value::Layout(_), Value::Layout(_)) => Type::of(a) == Type::of(b),
        (Value::Tensor(a), Value::Tensor(b)) => {
            a.engine == b.engine && have_one_type(&a.layout_value(), &b.layout_value())
        }
        (Value::Object(a), Value::Object(b)) => {
            a.class == b.class
                && a.fields.len() == b.fields.len()
                && a.fields
                    .iter()
                    .zip(&b.fields)
                    .all(|(a, b)| a.0 == b.0 && have_one_type(&a.1, &b.1))
        }
        _ => a == b,
    }
}
