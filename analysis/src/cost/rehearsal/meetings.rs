//! Named barriers on the way of a thread: a thread that waits there waits for the phase in which it arrives.

use tree_sitter_cute::tree::{Expr, Item, ItemKind, Span};

use super::super::named::calls::{self, AtBarrier, Kind, Operand};
use super::super::{Seen, thread_sets};
use super::{DEPTH, Done, Event, Stopped, Thread, Until, barriers};
use crate::hash::HashMap;
use crate::origin::Root;
use crate::trace::Action;
use crate::walk;

/// The calls at named barriers, by their places, each as an action.
pub(in crate::cost) type Meetings<'u> = HashMap<Span, (AtBarrier<'u>, Action<'u>)>;

/// The sides of the barriers: those that CUTLASS numbers for its users, and those of assembly.
const OF_USERS: &str = "users";
const OF_ASSEMBLY: &str = "assembly";
/// The first number at which the two sides may be one barrier.
const SHARED_FROM: i64 = 6;

/// All calls at named barriers of a kernel and of the functions that it gives memory to; nothing where one is not understood.
pub(in crate::cost) fn all<'u>(seen: &Seen<'_, 'u>) -> Option<Meetings<'u>> {
    let mut found = Meetings::default();
    for body in seen.bodies() {
        let calls = calls::all(seen, body)?;
        if calls.iter().any(|call| is_in_uneven_loop(seen, body, call)) {
            return None;
        }
        for call in calls {
            let action = Action::of_element(call.call, Vec::new());
            found.insert(call.call.span, (call, action));
        }
    }
    Some(found)
}

/// Whether a loop around a call goes as often as the index of the thread says.
fn is_in_uneven_loop(seen: &Seen<'_, '_>, body: &[Item], call: &AtBarrier<'_>) -> bool {
    let mut is_uneven = false;
    walk::items(body, &mut |item| {
        let ItemKind::Loop(repeat) = &item.kind else {
            return;
        };
        if !item.span.encloses(call.call.span) {
            return;
        }
        let init = repeat.init.iter().filter_map(|item| match &item.kind {
            ItemKind::Binding(binding) => binding.init.as_ref(),
            _ => None,
        });
        let mut header = init.chain(&repeat.condition).chain(&repeat.step);
        is_uneven |= header.any(|part| thread_sets::asks_for_thread(seen, part, DEPTH));
    });
    is_uneven
}

/// The numbers that decide on the barrier of a thread, where they depend on the thread.
pub(in crate::cost) fn deciding<'u>(seen: &Seen<'_, 'u>, meetings: &Meetings<'u>) -> Vec<&'u Expr> {
    let operands = meetings
        .values()
        .flat_map(|(call, _)| [call.number, call.count]);
    let written = operands.filter_map(|operand| match operand {
        Operand::Written(expr) => Some(expr),
        Operand::Known(_) => None,
    });
    written
        .filter(|expr| thread_sets::asks_for_thread(seen, expr, DEPTH))
        .collect()
}

impl<'s, 'u> Thread<'s, '_, 'u> {
    /// The call at a named barrier at a place, where threads are told apart.
    pub(super) fn meeting_at(&self, place: Span) -> Option<&'s (AtBarrier<'u>, Action<'u>)> {
        self.followed.meetings?.get(&place)
    }

    /// Comes to a named barrier; whether a statement does.
    pub(super) fn at_meeting(&mut self, expr: &'u Expr) -> Done<bool> {
        let (Some(part), Some((call, action))) = (self.part, self.meeting_at(expr.span)) else {
            return Ok(false);
        };
        let mut operand = |operand: Operand<'u>| match operand {
            Operand::Known(number) => Some(number),
            Operand::Written(expr) => self.number(expr, DEPTH),
        };
        let number = operand(call.number).ok_or(Stopped)?;
        let count = operand(call.count).ok_or(Stopped)?;
        let side = match (call.is_of_users, number) {
            (true, _) => OF_USERS,
            // It may be one of those that CUTLASS numbers, and 0 is that of the whole CTA.
            (false, 1..SHARED_FROM) => OF_ASSEMBLY,
            (false, _) if self.is_of_assembly_alone() && number > 0 => OF_ASSEMBLY,
            (false, _) => return Err(Stopped),
        };
        let root = Root::Variable(Span::default());
        let slot = barriers::slot_of(&root, &[side.into()], number, part);
        self.events.push(Event::Meet(action, slot, count));
        if call.kind == Kind::Sync {
            let arrival = self.events.len() - 1;
            self.events
                .push(Event::Phase(action, slot, Until::Of(arrival)));
        }
        Ok(true)
    }

    fn is_of_assembly_alone(&self) -> bool {
        let mut all = self.followed.meetings.into_iter().flat_map(HashMap::values);
        all.all(|(call, _)| !call.is_of_users)
    }
}
