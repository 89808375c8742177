//! The values and names that facts and mentions say, each once: hundreds of instances have the same layouts.

use std::sync::Arc;

use crate::hash::HashSet;
use crate::reason::Reason;
use crate::value::{Room, Value};

/// Values and names that are shared by all that say them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedValues {
    values: HashSet<Arc<Value>>,
    names: HashSet<Arc<str>>,
}

impl SharedValues {
    /// The value that equals one, or a copy of it that is kept from now on; it takes room once. Each fact or mention that
    /// says it takes a part.
    pub(crate) fn value(&mut self, value: &Value, room: &mut Room) -> Option<Arc<Value>> {
        if !room.admits_one_more() {
            return None;
        }
        if let Some(known) = self.values.get(value) {
            return Some(Arc::clone(known));
        }
        if !room.admits(value) {
            return None;
        }
        let kept = Arc::new(value.clone());
        self.values.insert(Arc::clone(&kept));
        Some(kept)
    }

    /// The same for a value that was kept elsewhere.
    pub(crate) fn join(&mut self, value: &mut Arc<Value>) {
        match self.values.get(&**value) {
            Some(known) => value.clone_from(known),
            None => {
                self.values.insert(Arc::clone(value));
            }
        }
    }

    /// A name.
    pub(crate) fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let kept: Arc<str> = name.into();
        self.names.insert(Arc::clone(&kept));
        kept
    }

    /// The value in the place of one for which there is no room.
    pub(crate) fn without_room() -> Value {
        Value::Unknown(Reason::Limit("values kept for one file"))
    }
}

#[cfg(test)]
mod tests {
    use cute_algebra::AnyLayout;

    use super::*;

    fn layout(text: &str) -> Value {
        let layout: cute_algebra::Layout = text.parse().expect("a layout");
        Value::of_layout(AnyLayout::Affine(layout))
    }

    #[test]
    fn equal_values_are_one_and_take_room_once() {
        let (mut shared, mut room) = (SharedValues::default(), Room::KEPT);
        let one = shared.value(&layout("(4,8):(8,1)"), &mut room).expect("room");
        let left = room.left();
        let other = shared.value(&layout("(4,8):(8,1)"), &mut room).expect("room");
        assert!(Arc::ptr_eq(&one, &other));
        assert_eq!(left - room.left(), 1);
        let third = shared.value(&layout("(4,8):(1,4)"), &mut room).expect("room");
        assert!(!Arc::ptr_eq(&one, &third));
    }

    #[test]
    fn without_room_there_is_no_value() {
        let (mut shared, mut room) = (SharedValues::default(), Room::KEPT);
        while room.admits_one_more() {}
        assert!(shared.value(&layout("4:1"), &mut room).is_none());
    }
}
