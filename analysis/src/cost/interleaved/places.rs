//! The places that belong to a fault, besides those where it happens.

use super::super::rehearsal::{Event, Slot};
use super::search::Search;
use crate::trace::Action;

impl<'s, 'u> Search<'_, 's, 'u> {
    /// The last wait of a role before it reads for the first time.
    pub(super) fn wait_before(&self, role: usize, read: &Action<'u>) -> Option<&'s Action<'u>> {
        let events = &self.roles.get(role)?.events;
        let is_it =
            |event: &Event<'s, 'u>| matches!(event, Event::Read(it, ..) if std::ptr::eq(*it, read));
        let before = events.iter().take_while(|event| !is_it(event));
        let waits = before.filter_map(|event| match event {
            Event::Phase(wait, ..) => Some(*wait),
            _ => None,
        });
        waits.last()
    }

    /// The first announcement of bytes at a barrier.
    pub(super) fn announced_for(&self, slot: Slot) -> Option<(&'s Action<'u>, i64)> {
        let mut events = self.roles.iter().flat_map(|role| &role.events);
        events.find_map(|event| match event {
            Event::Announce(action, of, bytes, _) if *of == slot && *bytes > 0 => {
                Some((*action, *bytes))
            }
            _ => None,
        })
    }

    /// Whether a barrier is a named one.
    pub(super) fn is_named(&self, slot: Slot) -> bool {
        let mut events = self.roles.iter().flat_map(|role| &role.events);
        events.any(|event| matches!(event, Event::Meet(_, of, _) if *of == slot))
    }

    /// The initialisation of a barrier, with the arrivals that it counts.
    pub(super) fn init_of(&self, slot: Slot) -> Option<(&'s Action<'u>, i64)> {
        let mut events = self.roles.iter().flat_map(|role| &role.events);
        events.find_map(|event| match event {
            Event::Init(action, of, count) if *of == slot => Some((*action, *count)),
            _ => None,
        })
    }
}
