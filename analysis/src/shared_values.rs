//! The values and names that facts and mentions say, each once: hundreds of instances have the same layouts.

use std::sync::Arc;

use crate::hash::{HashMap, HashSet};
use crate::origin::Place;
use crate::value::{Room, Value};

/// Values and names that are shared by all that say them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedValues {
    /// By the memory that they came from: it is not part of a tensor's value, and costs depend on it.
    values: HashMap<Option<Arc<Place>>, HashSet<Arc<Value>>>,
    names: HashSet<Arc<str>>,
}

impl SharedValues {
    /// The value that equals one, or a copy of it that is kept from now on; it takes room once. Each fact or mention that
    /// says it takes a part.
    pub(crate) fn value(&mut self, value: &Value, room: &mut Room) -> Option<Arc<Value>> {
        if !room.admits_one_more() {
            return None;
        }
        let alike = self.values.entry(origin_of(value)).or_default();
        if let Some(known) = alike.get(value) {
            return Some(Arc::clone(known));
        }
        if !room.admits(value) {
            return None;
        }
        let kept = Arc::new(value.clone());
        alike.insert(Arc::clone(&kept));
        Some(kept)
    }

    /// The same for a value that was kept elsewhere.
    pub(crate) fn join(&mut self, value: &mut Arc<Value>) {
        let alike = self.values.entry(origin_of(value)).or_default();
        match alike.get(&**value) {
            Some(known) => value.clone_from(known),
            None => {
                alike.insert(Arc::clone(value));
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
}

/// The memory that a tensor or pointer came from.
fn origin_of(value: &Value) -> Option<Arc<Place>> {
    match value {
        Value::Tensor(tensor) => tensor.engine.origin.0.clone(),
        Value::Pointer(pointer) => pointer.origin.0.clone(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use cute_algebra::AnyLayout;
    use tree_sitter_cute::tree::Span;

    use super::*;
    use crate::origin::{Origin, Root};
    use crate::tensor::Pointer;

    fn layout(text: &str) -> Value {
        let layout: cute_algebra::Layout = text.parse().expect("a layout");
        Value::of_layout(AnyLayout::Affine(layout))
    }

    #[test]
    fn equal_values_are_one_and_take_room_once() {
        let (mut shared, mut room) = (SharedValues::default(), Room::KEPT);
        let one = shared
            .value(&layout("(4,8):(8,1)"), &mut room)
            .expect("room");
        let left = room.left();
        let other = shared
            .value(&layout("(4,8):(8,1)"), &mut room)
            .expect("room");
        assert!(Arc::ptr_eq(&one, &other));
        assert_eq!(left - room.left(), 1);
        let third = shared
            .value(&layout("(4,8):(1,4)"), &mut room)
            .expect("room");
        assert!(!Arc::ptr_eq(&one, &third));
    }

    #[test]
    fn pointers_to_other_memory_are_apart() {
        let (mut shared, mut room) = (SharedValues::default(), Room::KEPT);
        let mut at = |start| {
            let place = Place::of(Root::Variable(Span::new(start, start + 1)));
            let pointer = Pointer {
                origin: Origin(Some(Arc::new(place))),
                ..Pointer::generic(None)
            };
            let value = Value::Pointer(pointer);
            shared.value(&value, &mut room).expect("room")
        };
        let (one, other, again) = (at(4), at(9), at(4));
        assert_eq!(one, other);
        assert!(!Arc::ptr_eq(&one, &other) && Arc::ptr_eq(&one, &again));
    }

    #[test]
    fn without_room_there_is_no_value() {
        let (mut shared, mut room) = (SharedValues::default(), Room::KEPT);
        while room.admits_one_more() {}
        assert!(shared.value(&layout("4:1"), &mut room).is_none());
    }
}
