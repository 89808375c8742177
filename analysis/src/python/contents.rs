//! Objects whose class is derived from a type that is built in, and the entries of dictionaries.

use std::sync::Arc;

use tree_sitter_cute::script::CompareOp;

use super::heap::{Class, ClassKind, Id, Names, Object};
use super::machine::{Machine, Run, may_be_one_key};
use super::native::Args;
use super::value::{Builtin, Py};
use crate::reason::Reason;

/// The type that holds the content of objects of a class.
pub(super) fn type_of_content(class: &Class) -> Option<Builtin> {
    class.foreign.iter().find_map(|base| match base {
        Py::Builtin(
            builtin @ (Builtin::Int
            | Builtin::Bool
            | Builtin::Float
            | Builtin::Str
            | Builtin::Tuple
            | Builtin::List
            | Builtin::Dict
            | Builtin::Set),
        ) => Some(*builtin),
        _ => None,
    })
}

impl Machine<'_> {
    /// The class of an object.
    pub(super) fn class_of(&self, value: &Py) -> Option<Id> {
        let Py::Object(id) = value else {
            return None;
        };
        match self.heap.get(*id) {
            Object::Instance(instance) => Some(instance.class),
            _ => None,
        }
    }

    /// The value of a type that is built in which an object is: the tuple of a `NamedTuple`, the list of a class that
    /// is derived from `list`. A member of a plain `Enum` has no such value.
    pub(super) fn content_of(&self, value: &Py) -> Option<Py> {
        let Py::Object(id) = value else {
            return None;
        };
        let Object::Instance(instance) = self.heap.get(*id) else {
            return None;
        };
        let content = instance.built_in.as_ref()?;
        let Object::Class(class) = self.heap.get(instance.class) else {
            return None;
        };
        let is_plain = class.kind == ClassKind::Enum && type_of_content(class).is_none();
        (!is_plain).then(|| content.clone())
    }

    /// Whether an object has a base of which nothing is known.
    pub(super) fn is_foreign(&self, value: &Py) -> bool {
        let class = self.class_of(value).map(|class| self.heap.get(class));
        match class {
            Some(Object::Class(class)) => class
                .foreign
                .iter()
                .any(|base| matches!(base, Py::Unknown(_) | Py::Native(_) | Py::Leaf(_))),
            _ => false,
        }
    }

    /// Gives a new object the content that its constructor is given.
    pub(super) fn fill_content(&mut self, object: Id, args: Args) -> Run<()> {
        let Object::Instance(instance) = self.heap.get(object) else {
            return Ok(());
        };
        let Object::Class(class) = self.heap.get(instance.class) else {
            return Ok(());
        };
        let Some(builtin) = type_of_content(class) else {
            return Ok(());
        };
        let made = self.construct(builtin, args)?;
        // A list that is known elsewhere stays the same list.
        let Object::Instance(instance) = self.heap.get(object) else {
            return Ok(());
        };
        if let (Some(Py::Object(own)), Py::Object(made)) = (&instance.built_in, &made) {
            let (own, content) = (*own, self.heap.get(*made).clone());
            self.heap.put(own, content);
        } else if let Some(Object::Instance(instance)) = self.heap.get_mut(object) {
            instance.built_in = Some(made);
        }
        Ok(())
    }

    /// The attributes of an object as entries of a dictionary.
    pub(super) fn attributes_of(&self, object: Id) -> Vec<(Py, Py)> {
        let entries = |names: &Names| {
            let names = names.iter();
            names
                .map(|(name, value)| (Py::Str(Arc::clone(name)), value.clone()))
                .collect()
        };
        match self.heap.get(object) {
            Object::Instance(instance) => entries(&instance.attributes),
            Object::Function(function) => entries(&function.attributes),
            Object::Scope(scope) => entries(&scope.names),
            _ => Vec::new(),
        }
    }

    /// The entries of a dictionary.
    pub(super) fn entries_of(&self, value: &Py) -> Result<Vec<(Py, Py)>, Reason> {
        let content = self.content_of(value);
        let value = content.as_ref().unwrap_or(value);
        match value {
            Py::Unknown(reason) => Err(reason.clone()),
            Py::Object(id) => match self.heap.get(*id) {
                Object::Dict(entries) => Ok(entries.clone()),
                Object::Attributes(of) => Ok(self.attributes_of(*of)),
                Object::Lost(reason) => Err(reason.clone()),
                _ => Err(Reason::Construct("the entries of this object")),
            },
            _ => Err(Reason::Construct("the entries of this value")),
        }
    }

    /// Puts entries in the place of those of a dictionary.
    pub(super) fn put_entries(&mut self, dictionary: &Py, entries: Vec<(Py, Py)>) {
        let content = self.content_of(dictionary);
        let Py::Object(id) = content.as_ref().unwrap_or(dictionary) else {
            return;
        };
        let Object::Attributes(of) = self.heap.get(*id) else {
            self.heap.put(*id, Object::Dict(entries));
            return;
        };
        let mut names = Names::default();
        for (key, value) in entries {
            if let Py::Str(name) = key {
                names.set(name, value);
            }
        }
        match self.heap.get_mut(*of) {
            Some(Object::Instance(instance)) => instance.attributes = names,
            Some(Object::Function(function)) => function.attributes = names,
            Some(Object::Scope(scope)) => scope.names = names,
            _ => {}
        }
    }

    /// The place of a key among entries.
    pub(super) fn place_of_key(&mut self, entries: &[(Py, Py)], key: &Py) -> Run<Option<usize>> {
        self.step(1 + entries.len() / 64)?;
        if let Some(at) = entries.iter().position(|(known, _)| known == key) {
            return Ok(Some(at));
        }
        for (at, (known, _)) in entries.iter().enumerate() {
            if !may_be_one_key(known, key) {
                continue;
            }
            self.step(1)?;
            if self.compare(CompareOp::Eq, known, key)? == Py::Bool(true) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}
