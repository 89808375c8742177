//! Functions of the source that are one instruction of PTX on a barrier in shared memory each, whatever they are called
//! (PTX ISA, "mbarrier"): they do what the functions of CuTe and CUTLASS do that are named after these instructions.

use tree_sitter_cute::tree::{Binding, Item, ItemKind, Reference, Span};

use super::Interpreter;
use super::ids::FunctionId;
use crate::trace::Deed;
use crate::walk;

/// Instructions with their deeds, and the number of arguments besides the barrier.
const INSTRUCTIONS: &[(&str, Deed, usize)] = &[
    ("mbarrier.init", Deed::InitBarrier, 1),
    ("mbarrier.arrive.expect_tx", Deed::ArriveAndExpect, 1),
    ("mbarrier.expect_tx", Deed::Expect, 1),
    ("mbarrier.arrive.shared", Deed::Arrive, 0),
    ("mbarrier.arrive.release.cta.shared", Deed::Arrive, 0),
    ("mbarrier.try_wait.parity", Deed::WaitBarrier, 1),
    ("tcgen05.commit", Deed::Commit, 0),
];

/// Other instructions that change what a function does.
const OTHERS: &[&str] = &[
    "cp.",
    "mapa",
    "mbarrier.test_wait",
    "fence",
    "bar.",
    "barrier.",
];

/// Qualifiers of instructions on barriers of several CTAs, and of arrivals that do not count.
const QUALIFIERS: &[&str] = &["multicast", "cta_group::2", "noComplete"];

/// The mark of an instruction that only some threads execute.
const PREDICATE: char = '@';

/// A bulk copy into shared memory whose bytes arrive at a barrier (PTX ISA, "cp.async.bulk").
const BULK: &str = "cp.async.bulk.shared";
const COMPLETES: &str = "mbarrier::complete_tx::bytes";

impl Interpreter<'_> {
    /// Whether a function is one bulk copy, of as many bytes as its only number says, which arrive at a barrier.
    pub(super) fn is_bulk_copy(&self, ids: &[FunctionId]) -> bool {
        let [id] = ids else { return false };
        let Some(function) = self.program.functions.get(*id).map(|found| found.function) else {
            return false;
        };
        let body = function.body.as_deref();
        let Some(spans) = body.filter(|body| !has_loop(body)).and_then(assembly) else {
            return false;
        };
        let mut text = String::new();
        for span in spans {
            text.push_str(self.program.slice(span));
        }
        let mut numbers = function.params.iter().filter(|param| !is_address(param));
        let (Some(Some(bytes)), None) = (numbers.next().map(|param| &param.name), numbers.next())
        else {
            return false;
        };
        text.matches("cp.").count() == 1
            && text.contains(BULK)
            && has_operand(&text, "r", &bytes.name)
            && !text.contains(PREDICATE)
            && text.contains(COMPLETES)
            && !QUALIFIERS.iter().any(|qualifier| text.contains(qualifier))
            && !INSTRUCTIONS
                .iter()
                .any(|(instruction, ..)| text.contains(instruction))
    }

    /// The deed of a function that is one instruction on a barrier.
    pub(super) fn instruction_on_barrier(&self, ids: &[FunctionId]) -> Option<Deed> {
        let [id] = ids else { return None };
        let function = self.program.functions.get(*id)?.function;
        let body = function.body.as_deref()?;
        let [barrier, others @ ..] = function.params.as_slice() else {
            return None;
        };
        let is_memory = is_address(barrier);
        let mut text = String::new();
        for span in assembly(body)? {
            text.push_str(self.program.slice(span));
        }
        // Labels and predicates are not instructions.
        let mut found = INSTRUCTIONS
            .iter()
            .filter(|(instruction, ..)| text.contains(instruction));
        let (_, deed, count) = found.next()?;
        let goes_round = has_instruction(&text, "bra") || has_loop(body);
        let is_whole = *deed != Deed::WaitBarrier || goes_round;
        let is_one = found.next().is_none()
            && !OTHERS.iter().any(|other| has_instruction(&text, other))
            && !QUALIFIERS.iter().any(|qualifier| text.contains(qualifier));
        (is_memory && others.len() == *count && is_whole && is_one).then_some(*deed)
    }
}

/// Whether a parameter is a reference or pointer.
fn is_address(param: &Binding) -> bool {
    param.reference != Reference::None || param.ty.as_ref().is_some_and(walk::is_pointer_type)
}

/// Whether assembly has an operand that is one name: `"r"(bytes)`.
fn has_operand(text: &str, constraint: &str, name: &str) -> bool {
    let quoted = format!("\"{constraint}\"");
    let mut behind = text.split(quoted.as_str()).skip(1);
    behind.any(|operand| {
        let inner = operand.trim_start().strip_prefix('(');
        let inner = inner.and_then(|operand| operand.split_once(')'));
        inner.is_some_and(|(written, _)| written.trim() == name)
    })
}

/// Whether an instruction begins like this.
fn has_instruction(text: &str, begin: &str) -> bool {
    text.match_indices(begin).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
    })
}

/// The places of the assembly of a function that has nothing else; addresses may be computed and loops go round.
fn assembly(body: &[Item]) -> Option<Vec<Span>> {
    let mut found = Vec::new();
    for item in body {
        match &item.kind {
            ItemKind::Binding(_) | ItemKind::Jump(_) => {}
            ItemKind::Expr(expr) if walk::is_assembly(expr) => found.push(item.span),
            ItemKind::Opaque(_) => found.push(item.span),
            ItemKind::Loop(repeat) => found.extend(assembly(&repeat.body)?),
            ItemKind::Block(items) => found.extend(assembly(items)?),
            _ => return None,
        }
    }
    Some(found)
}

fn has_loop(body: &[Item]) -> bool {
    let mut found = false;
    walk::items(body, &mut |item| {
        found |= matches!(item.kind, ItemKind::Loop(_));
    });
    found
}
