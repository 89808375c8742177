//! Elements of objects: `object[index]`, its assignment, and the entries of dictionaries.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::heap::{Id, Object};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{COORDINATE, Condition, Py};
use super::{containers, dsl};
use crate::reason::Reason;

impl Machine<'_> {
    /// `object[index]`
    pub(crate) fn subscript(&mut self, object: &Py, index: &Py, span: Span) -> Run<Py> {
        self.note_indexed(object, index);
        match object {
            Py::Unknown(reason) | Py::Open(_, reason) => Ok(Py::Unknown(reason.clone())),
            Py::Coordinate => Ok(match index {
                Py::Slice(_) => Py::Coordinate,
                _ => self.numbers.symbol(COORDINATE),
            }),
            Py::Leaf(value) => dsl::element(self, &value.clone(), index, span),
            Py::Tuple(items) => {
                let items = items.to_vec();
                Ok(match containers::element(&items, index)? {
                    Ok(value) => value,
                    Err(items) => Py::tuple(items),
                })
            }
            Py::Str(text) => {
                let letters: Vec<Py> = text.chars().map(|it| Py::str(&it.to_string())).collect();
                Ok(match containers::element(&letters, index)? {
                    Ok(value) => value,
                    Err(letters) => Py::str(
                        &letters
                            .iter()
                            .filter_map(|letter| match letter {
                                Py::Str(letter) => Some(&**letter),
                                _ => None,
                            })
                            .collect::<String>(),
                    ),
                })
            }
            // `tuple[int]`, `Optional[int]`: a type of typing is its argument.
            Py::Builtin(_) => Ok(object.clone()),
            // `struct.Function[T]`: a type argument changes nothing.
            Py::Native(_) => Ok(object.clone()),
            Py::Object(id) => self.object_element(*id, object, index, span),
            _ => Err(Stop::error(
                "TypeError",
                "an element of a value without elements",
            )),
        }
    }

    fn object_element(&mut self, id: Id, object: &Py, index: &Py, span: Span) -> Run<Py> {
        self.element_of_class(id, object, index, span, false)
    }

    /// An element of an object; of a class, its metaclass may have been asked before.
    fn element_of_class(
        &mut self,
        id: Id,
        object: &Py,
        index: &Py,
        span: Span,
        is_of_metaclass: bool,
    ) -> Run<Py> {
        match self.heap.get(id) {
            Object::List(items) => {
                let items = items.clone();
                Ok(match containers::element(&items, index)? {
                    Ok(value) => value,
                    Err(items) => self.list(items),
                })
            }
            Object::Dict(_) | Object::Attributes(_) => self.entry(object, index),
            Object::Instance(_) => match self.method(object, "__getitem__")? {
                Some(method) => self.call(&method, Args::of(vec![index.clone()], span)),
                None => match self.content_of(object) {
                    Some(content) => self.element_of_content(object, &content, index, span),
                    None => Ok(dsl::instance_element(self, id, index)),
                },
            },
            Object::Class(class) if class.metaclass.is_some() && !is_of_metaclass => {
                match self.method(object, "__getitem__")? {
                    Some(method) => self.call(&method, Args::of(vec![index.clone()], span)),
                    None => self.element_of_class(id, object, index, span, true),
                }
            }
            Object::Class(class) => {
                if let (super::heap::ClassKind::Enum, Py::Unknown(reason)) = (class.kind, index) {
                    return Ok(Py::Unknown(reason.clone()));
                }
                // `Color["RED"]`, `MemRange[T, n]`
                if let (super::heap::ClassKind::Enum, Py::Str(name)) = (class.kind, index) {
                    let name = Arc::clone(name);
                    return self.attribute(object, &name);
                }
                match self.class_attribute(id, "__class_getitem__") {
                    Some(method) => {
                        self.call(&method, Args::of(vec![object.clone(), index.clone()], span))
                    }
                    None => Ok(object.clone()),
                }
            }
            Object::Lost(reason) => Ok(Py::Unknown(reason.clone())),
            _ => Ok(Py::Unknown(Reason::Construct("an element of this object"))),
        }
    }

    /// The value of a key of a dictionary.
    fn entry(&mut self, dictionary: &Py, key: &Py) -> Run<Py> {
        if let Py::Unknown(reason) = key {
            return Ok(Py::Unknown(reason.clone()));
        }
        let mut unknown = None;
        let entries = self.entries_of(dictionary).unwrap_or_default();
        for (known, value) in entries {
            let equal = match known == *key && !key.is_run_time() {
                true => Py::Bool(true),
                false => self.compare(tree_sitter_cute::script::CompareOp::Eq, &known, key)?,
            };
            match self.condition(&equal)? {
                Condition::Known(true) => return Ok(value),
                Condition::Known(false) => {}
                Condition::Unknown(reason) => unknown = Some(reason),
                Condition::RunTime => {
                    unknown = Some(Reason::RunTime("a key of a dictionary".into()));
                }
            }
        }
        match unknown {
            Some(reason) => Ok(Py::Unknown(reason)),
            None => Err(Stop::error("KeyError", "a missing key")),
        }
    }

    /// An element of an object whose class is derived from a container.
    fn element_of_content(&mut self, object: &Py, content: &Py, index: &Py, span: Span) -> Run<Py> {
        match self.subscript(content, index, span) {
            Err(Stop::Raised(error, reason)) if self.is_raised(&error, "KeyError") => {
                match self.method(object, "__missing__")? {
                    Some(method) => self.call(&method, Args::of(vec![index.clone()], span)),
                    None => Err(Stop::Raised(error, reason)),
                }
            }
            other => other,
        }
    }

    /// `object[index] = value`
    pub(crate) fn set_item(&mut self, object: &Py, index: Py, value: Py) -> Run<()> {
        if let Py::Tuple(_) | Py::Str(_) = object {
            return Err(Stop::error(
                "TypeError",
                "an element of a value that never changes",
            ));
        }
        let Py::Object(id) = object else {
            return Ok(());
        };
        if let Some(method) = self.method(object, "__setitem__")? {
            self.call(&method, Args::of(vec![index, value], Span::default()))?;
            return Ok(());
        }
        if let Some(content) = self.content_of(object) {
            return self.set_item(&content, index, value);
        }
        match self.heap.get(*id) {
            Object::List(items) if matches!(index, Py::Slice(_)) => {
                let items = items.clone();
                return self.set_slice(*id, items, &index, &value);
            }
            Object::List(items) => {
                let at = containers::index_of(&index, items.len());
                if at.is_none() && index.as_index().is_some() {
                    return Err(Stop::error("IndexError", "an index out of range"));
                }
                if let Some(Object::List(items)) = self.heap.get_mut(*id) {
                    match at.and_then(|at| items.get_mut(at)) {
                        Some(place) => *place = value,
                        None => {
                            let why = Reason::RunTime("the element that is changed".into());
                            self.heap.put(*id, Object::Lost(why));
                        }
                    }
                }
            }
            Object::Dict(_) | Object::Attributes(_) => {
                let mut entries = self.entries_of(object).unwrap_or_default();
                self.put_entry(&mut entries, index, value)?;
                self.put_entries(object, entries);
            }
            _ => {}
        }
        Ok(())
    }

    /// `list[a:b] = values`
    fn set_slice(&mut self, list: Id, items: Vec<Py>, index: &Py, value: &Py) -> Run<()> {
        let Py::Slice(parts) = index else {
            return Ok(());
        };
        let is_plain = matches!(parts[2], Py::None | Py::Int(1));
        let (Some(places), Ok(values)) =
            (containers::slice(parts, items.len()), self.iterate(value)?)
        else {
            let why = Reason::RunTime("the elements that are changed".into());
            self.heap.put(list, Object::Lost(why));
            return Ok(());
        };
        let mut items = items;
        if is_plain {
            let start = match places.first() {
                Some(first) => *first,
                None => containers::start_of(parts, items.len()),
            };
            let end = (start + places.len()).min(items.len());
            items.splice(start.min(end)..end, values);
        } else if places.len() == values.len() {
            for (at, value) in places.into_iter().zip(values) {
                if let Some(place) = items.get_mut(at) {
                    *place = value;
                }
            }
        } else {
            return Err(Stop::error("ValueError", "a slice of another length"));
        }
        self.heap.put(list, Object::List(items));
        Ok(())
    }

    /// Puts an entry into those of a dictionary.
    pub(crate) fn put_entry(&mut self, entries: &mut Vec<(Py, Py)>, key: Py, value: Py) -> Run<()> {
        match self.place_of_key(entries, &key)? {
            Some(at) => {
                if let Some((_, old)) = entries.get_mut(at) {
                    *old = value;
                }
            }
            None => entries.push((key, value)),
        }
        Ok(())
    }
}
