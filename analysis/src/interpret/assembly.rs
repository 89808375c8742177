//! Functions of the source that are one instruction of PTX on a barrier in shared memory each, whatever they are called
//! (PTX ISA, "mbarrier"): they do what the functions of CuTe and CUTLASS do that are named after these instructions.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Item, ItemKind, Reference};

use super::Interpreter;
use super::ids::FunctionId;
use crate::ptx;
use crate::trace::ActionKind;
use crate::walk;

/// Instructions with the kinds of their actions, and the number of arguments besides the barrier.
const INSTRUCTIONS: &[(&str, ActionKind, usize)] = &[
    ("mbarrier.init", ActionKind::InitBarrier, 1),
    ("mbarrier.arrive.expect_tx", ActionKind::ArriveAndExpect, 1),
    ("mbarrier.expect_tx", ActionKind::Expect, 1),
    ("mbarrier.arrive.shared", ActionKind::Arrive, 0),
    ("mbarrier.arrive.release.cta.shared", ActionKind::Arrive, 0),
    ("mbarrier.try_wait.parity", ActionKind::WaitBarrier, 1),
    ("tcgen05.commit", ActionKind::Commit, 0),
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
    /// Whether a function is one bulk copy, of as many bytes as one of its numbers says, which arrive at a barrier.
    pub(super) fn is_bulk_copy(&self, ids: &[FunctionId]) -> bool {
        let [id] = ids else { return false };
        let Some(function) = self.program.functions.get(*id).map(|found| found.function) else {
            return false;
        };
        let body = function.body.as_deref();
        let Some((text, operands)) = body
            .filter(|body| !has_loop(body))
            .and_then(|body| self.assembly_of(body))
        else {
            return false;
        };
        let bytes = bulk_copy(&text).and_then(|places| operands.get(places[2]).copied());
        // Addresses may be numbers, too.
        let of_bytes = |param: &&Binding| bytes.is_some_and(|bytes| is_parameter(bytes, param));
        function.params.iter().filter(of_bytes).count() == 1
            && !text.contains(PREDICATE)
            && text.matches("cp.").count() == 1
            && !QUALIFIERS.iter().any(|qualifier| text.contains(qualifier))
            && !INSTRUCTIONS
                .iter()
                .any(|(instruction, ..)| text.contains(instruction))
    }

    /// The kind of a function that is one instruction on a barrier.
    pub(super) fn instruction_on_barrier(&self, ids: &[FunctionId]) -> Option<ActionKind> {
        let [id] = ids else { return None };
        let function = self.program.functions.get(*id)?.function;
        let body = function.body.as_deref()?;
        let [barrier, others @ ..] = function.params.as_slice() else {
            return None;
        };
        let (text, operands) = self.assembly_of(body)?;
        let goes_round = has_instruction(&text, "bra") || has_loop(body);
        let (kind, name, count) = one_instruction(&text, goes_round)?;
        let is_memory = is_address(barrier) || is_address_operand(&text, &operands, name, barrier);
        (is_memory && others.len() == count).then_some(kind)
    }

    /// The kind of an assembly statement that is one instruction on a barrier, or a bulk copy that arrives at one, with the
    /// place of its first operand; the others follow in order.
    pub(super) fn assembly_on_barrier(
        &self,
        call: &Expr,
        args: &[Expr],
    ) -> Option<(ActionKind, usize)> {
        let text = self.program.slice(call.span);
        let is_output = |arg: &&Expr| walk::written_by_assembly(arg).is_some();
        let first = args.iter().take_while(is_output).count();
        let given = args.len().checked_sub(first)?;
        let in_order = |places: &[usize]| places.iter().copied().eq(first..first + places.len());
        if let Some(places) = bulk_copy(text) {
            let is_one = !text.contains(PREDICATE)
                && text.matches("cp.").count() == 1
                && !QUALIFIERS.iter().any(|qualifier| text.contains(qualifier));
            return (is_one && in_order(&places)).then_some((ActionKind::BulkCopy, first));
        }
        let goes_round = has_instruction(text, "bra");
        let (kind, name, count) = one_instruction(text, goes_round)?;
        let template = ptx::template(text);
        let mut instructions = ptx::instructions(&template);
        let instruction = instructions.find(|found| found.name.starts_with(name))?;
        let places = ptx::places(instruction.operands);
        let places = places
            .strip_prefix(&[0])
            .filter(|_| first == 1)
            .unwrap_or(&places);
        let is_whole = !instruction.is_predicated && given == count + 1 && places.len() == given;
        (is_whole && in_order(places)).then_some((kind, first))
    }

    /// The assembly of a function that has nothing else, and its operands.
    fn assembly_of<'t>(&self, body: &'t [Item]) -> Option<(String, Vec<&'t Expr>)> {
        let (mut text, mut operands) = (String::new(), Vec::new());
        for item in assembly(body)? {
            text.push_str(self.program.slice(item.span));
            if let ItemKind::Expr(expr) = &item.kind
                && let ExprKind::Call(_, args) = &expr.kind
            {
                operands.extend(args);
            }
        }
        Some((text, operands))
    }
}

/// The one instruction of some assembly that is about a barrier: its kind, its name, and the number of operands besides the
/// barrier. A wait has to go round until it succeeds.
fn one_instruction(text: &str, goes_round: bool) -> Option<(ActionKind, &'static str, usize)> {
    // Line breaks, as the source writes them, separate words.
    let text = &text.replace("\\n", " ").replace("\\t", " ");
    // Labels and predicates are not instructions.
    let mut found = INSTRUCTIONS
        .iter()
        .filter(|(instruction, ..)| text.contains(instruction));
    let (name, kind, count) = found.next()?;
    let is_whole = *kind != ActionKind::WaitBarrier || goes_round;
    let is_one = found.next().is_none()
        && !OTHERS.iter().any(|other| has_instruction(text, other))
        && !QUALIFIERS.iter().any(|qualifier| text.contains(qualifier));
    (is_whole && is_one).then_some((*kind, name, *count))
}

/// The operands of a bulk copy into shared memory that arrives at a barrier, by their places: to, from, bytes, barrier.
fn bulk_copy(text: &str) -> Option<[usize; 4]> {
    let template = ptx::template(text);
    let mut instructions = ptx::instructions(&template);
    let copy = instructions.find(|instruction| instruction.name.starts_with(BULK))?;
    let places = ptx::places(copy.operands);
    let first = places.get(..4)?.try_into().ok()?;
    copy.name.contains(COMPLETES).then_some(first)
}

/// Whether a number that a function is given is the address on which its instruction works.
fn is_address_operand(text: &str, operands: &[&Expr], instruction: &str, param: &Binding) -> bool {
    let template = ptx::template(text);
    let mut instructions = ptx::instructions(&template);
    let found = instructions.find(|found| found.name.starts_with(instruction));
    let address = found.and_then(|found| ptx::address(found.operands));
    let operand = address.and_then(|place| operands.get(place));
    operand.is_some_and(|operand| is_parameter(operand, param))
}

/// Whether an operand is a parameter as it was given.
fn is_parameter(operand: &Expr, param: &Binding) -> bool {
    let name = param.name.as_ref();
    name.is_some_and(|name| operand.as_plain_name() == Some(name.name.as_str()))
}

/// Whether a parameter is a reference or pointer.
fn is_address(param: &Binding) -> bool {
    param.reference != Reference::None || param.ty.as_ref().is_some_and(walk::is_pointer_type)
}

/// Whether an instruction begins like this.
fn has_instruction(text: &str, begin: &str) -> bool {
    text.match_indices(begin).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
    })
}

/// The assembly of a function that has nothing else; addresses may be computed and loops go round.
fn assembly(body: &[Item]) -> Option<Vec<&Item>> {
    let mut found = Vec::new();
    for item in body {
        match &item.kind {
            ItemKind::Binding(_) | ItemKind::Jump(_) => {}
            ItemKind::Expr(expr) if walk::is_assembly(expr) => found.push(item),
            ItemKind::Opaque(_) => found.push(item),
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
