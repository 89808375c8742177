//! The signature shown while the arguments of a call are typed: the parameters of CuTe's function, and the value of the
//! argument at the cursor.

use cute_analysis::{Analysis, Value, WrittenCall, calls_around};
use tree_sitter_cute::tree::Unit;

use super::reference::{self, Entry};

/// The functions that a call may mean.
#[derive(Debug, Clone)]
pub struct Signatures {
    /// One for each number of parameters.
    pub entries: Vec<Entry>,
    /// The one that fits the number of arguments.
    pub active: usize,
    /// The argument at the cursor.
    pub argument: usize,
    /// The value of that argument; empty where it is not known yet.
    pub value: String,
}

/// The signatures of the innermost call of one of CuTe's functions around a byte.
pub fn signatures(analysis: &Analysis, unit: &Unit, byte: usize) -> Option<Signatures> {
    let calls = calls_around(unit, byte);
    let (call, entries) = calls.iter().rev().find_map(|call| {
        // Between name and parenthesis there is no argument yet.
        let inside = call.name_span.end < byte && byte < call.span.end;
        let entries: Vec<Entry> = reference::of(&call.name).collect();
        (inside && !entries.is_empty()).then_some((call, entries))
    })?;
    let argument = argument_at(call, byte);
    let wanted = call.arguments.len().max(argument + 1);
    let fits = |entry: &Entry| entry.parameters().len() >= wanted;
    let active = entries.iter().position(fits).unwrap_or(entries.len() - 1);
    Some(Signatures {
        active,
        argument,
        value: value_of(analysis, call, argument),
        entries,
    })
}

/// The number of the argument in which a byte is: that of the last one that begins before it.
fn argument_at(call: &WrittenCall, byte: usize) -> usize {
    let before = call
        .arguments
        .iter()
        .filter(|argument| argument.end < byte)
        .count();
    before.min(call.arguments.len())
}

fn value_of(analysis: &Analysis, call: &WrittenCall, argument: usize) -> String {
    let Some(span) = call.arguments.get(argument) else {
        return String::new();
    };
    let known = analysis
        .mentions()
        .iter()
        .find(|mention| mention.span == *span);
    match known.map(|mention| &*mention.value) {
        Some(Value::Unknown(_)) | None => String::new(),
        Some(value) => analysis.dialect.text(value),
    }
}
