//! The largest size of a value: its parts, and the depth of their nesting.

use crate::limits;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;

/// Room for the parts of values: integers, types, modes of layouts, members of objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    parts: usize,
}

impl Room {
    /// Room for one value, or for all arguments of a call.
    pub(crate) const ONE_VALUE: Self = Self {
        parts: limits::VALUE_PARTS,
    };

    /// Room for all values that an analysis keeps.
    pub(crate) const KEPT: Self = Self {
        parts: limits::KEPT_PARTS,
    };

    /// Room for all values that are kept of the translation units which include a header.
    pub(crate) const OF_USERS: Self = Self {
        parts: limits::KEPT_PARTS_OF_USERS,
    };

    /// As much of it as one analysis gets.
    pub(crate) fn first(self, one: Self) -> Self {
        Self {
            parts: self.parts.min(one.parts),
        }
    }

    /// Takes the use of an analysis that got the first of it and has `left` over.
    pub(crate) fn take(&mut self, one: Self, left: Self) {
        let used = self.first(one).parts.saturating_sub(left.parts);
        self.parts = self.parts.saturating_sub(used);
    }

    /// The parts for which there is room left.
    pub(crate) fn left(self) -> usize {
        self.parts
    }

    /// Takes the room that a value needs; `false` where there is not as much, or where its parts are nested too deeply
    /// to be copied and compared on a small stack. Reads no more parts than there is room for.
    pub(crate) fn admits(&mut self, value: &Value) -> bool {
        self.takes(value, limits::ARGUMENT_DEPTH)
    }

    /// Takes the room that one more use of a kept value needs; `false` where there is none.
    pub(crate) fn admits_one_more(&mut self) -> bool {
        let is_room = self.parts > 0;
        self.parts = self.parts.saturating_sub(1);
        is_room
    }

    /// A tuple of some values again and again, as often as there is room for.
    pub(crate) fn repeated(items: &[Value], count: usize) -> Value {
        let mut room = Self::ONE_VALUE;
        let whole = items.iter().all(|item| room.admits(item));
        let parts = (limits::VALUE_PARTS - room.left()).max(items.len());
        if !whole || parts.saturating_mul(count) > limits::VALUE_PARTS {
            return Value::Unknown(Reason::Limit("a value with too many parts"));
        }
        let copies = std::iter::repeat_n(items, count);
        Value::Tuple(copies.flatten().cloned().collect())
    }

    fn takes(&mut self, value: &Value, levels: usize) -> bool {
        match value {
            Value::Tuple(items) | Value::Pack(items) => {
                self.takes_parts(1)
                    && levels > 0
                    && items.iter().all(|item| self.takes(item, levels - 1))
            }
            Value::Object(object) => {
                self.takes_parts(1)
                    && levels > 0
                    && object
                        .fields
                        .iter()
                        .all(|(_, field)| self.takes(field, levels - 1))
            }
            Value::Type(ty) | Value::Instance(ty) => self.takes_type(ty, levels),
            Value::Layout(layout) => self.takes_parts(layout.shape_view().leaves().len()),
            Value::Composed(composed) => {
                self.takes_parts(composed.inner.shape_view().leaves().len())
            }
            Value::Tensor(tensor) => {
                self.takes_parts(tensor.layout.domain().shape_view().leaves().len())
            }
            _ => self.takes_parts(1),
        }
    }

    fn takes_type(&mut self, ty: &Type, levels: usize) -> bool {
        let Some(inner) = levels.checked_sub(1) else {
            return false;
        };
        match ty {
            Type::Of(value) => self.takes(value, inner),
            Type::Pointer(ty) | Type::Array(ty, _) => self.takes_type(ty, inner),
            Type::Class(class) => {
                self.takes_parts(1) && class.args.iter().all(|arg| self.takes(arg, inner))
            }
            _ => self.takes_parts(1),
        }
    }

    fn takes_parts(&mut self, parts: usize) -> bool {
        match self.parts.checked_sub(parts) {
            Some(left) => {
                self.parts = left;
                true
            }
            None => false,
        }
    }
}

/// The limits of parts, in bytes.
const _: () = assert!(size_of::<Value>() <= 64);
