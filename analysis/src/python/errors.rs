//! Errors of Python as values: their classes, and how handlers take them.

use std::sync::Arc;

use super::heap::Raised;
use super::heap::{Id, Names, Object};
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Builtin, Py};
use crate::reason::Reason;

/// The classes of errors, each with its base.
const CLASSES: &[(&str, &str)] = &[
    ("BaseException", ""),
    ("Exception", "BaseException"),
    ("SystemExit", "BaseException"),
    ("KeyboardInterrupt", "BaseException"),
    ("GeneratorExit", "BaseException"),
    ("ValueError", "Exception"),
    ("UnicodeError", "ValueError"),
    ("TypeError", "Exception"),
    ("LookupError", "Exception"),
    ("KeyError", "LookupError"),
    ("IndexError", "LookupError"),
    ("AttributeError", "Exception"),
    ("NameError", "Exception"),
    ("UnboundLocalError", "NameError"),
    ("RuntimeError", "Exception"),
    ("NotImplementedError", "RuntimeError"),
    ("RecursionError", "RuntimeError"),
    ("AssertionError", "Exception"),
    ("ImportError", "Exception"),
    ("ModuleNotFoundError", "ImportError"),
    ("ArithmeticError", "Exception"),
    ("ZeroDivisionError", "ArithmeticError"),
    ("OverflowError", "ArithmeticError"),
    ("FloatingPointError", "ArithmeticError"),
    ("OSError", "Exception"),
    ("FileNotFoundError", "OSError"),
    ("FileExistsError", "OSError"),
    ("PermissionError", "OSError"),
    ("TimeoutError", "OSError"),
    ("ConnectionError", "OSError"),
    ("EOFError", "Exception"),
    ("MemoryError", "Exception"),
    ("BufferError", "Exception"),
    ("SyntaxError", "Exception"),
    ("StopIteration", "Exception"),
    ("StopAsyncIteration", "Exception"),
    ("FrozenInstanceError", "AttributeError"),
    ("Warning", "Exception"),
    ("UserWarning", "Warning"),
    ("DeprecationWarning", "Warning"),
    ("FutureWarning", "Warning"),
    ("RuntimeWarning", "Warning"),
    ("ImportWarning", "Warning"),
    ("SyntaxWarning", "Warning"),
    ("PendingDeprecationWarning", "Warning"),
    ("ResourceWarning", "Warning"),
];

/// Classes with another name.
const ALIASES: &[(&str, &str)] = &[("IOError", "OSError"), ("EnvironmentError", "OSError")];

/// The class of errors of a name.
pub(super) fn class(name: &str) -> Option<Py> {
    let name = ALIASES
        .iter()
        .find(|(alias, _)| *alias == name)
        .map_or(name, |(_, name)| name);
    let (name, _) = CLASSES.iter().find(|(known, _)| *known == name)?;
    Some(Py::Builtin(Builtin::Error(name)))
}

/// Whether a class of errors is another one or derived from it.
pub(super) fn derives(name: &str, from: &str) -> bool {
    let mut at = name;
    // The table has no longer way than its length.
    for _ in 0..CLASSES.len() {
        if at == from {
            return true;
        }
        match CLASSES.iter().find(|(known, _)| *known == at) {
            Some((_, base)) => at = base,
            None => return false,
        }
    }
    false
}

/// A `ValueError`.
pub(super) fn of_value(why: &str) -> Stop {
    Stop::error("ValueError", why)
}

impl Raised {
    /// The attribute of an error that is built in.
    pub(super) fn attribute(&self, name: &str) -> Option<Py> {
        if let Some(found) = self.attributes.get(name) {
            return Some(found.clone());
        }
        let unknown = || Py::Unknown(Reason::Construct("the text of this error"));
        Some(match (name, &self.args) {
            ("args" | "value" | "code" | "name", None) => unknown(),
            ("args", Some(args)) => Py::tuple(args.clone()),
            ("value" | "code", Some(args)) => args.first().cloned().unwrap_or(Py::None),
            ("__cause__" | "__context__" | "__traceback__", _) => Py::None,
            ("__class__", _) => Py::Builtin(Builtin::Error(self.class)),
            _ => return None,
        })
    }
}

impl Machine<'_> {
    /// A new error of a class that is built in.
    pub(super) fn error(&mut self, class: &'static str, args: Vec<Py>) -> Py {
        self.new_error(class, Some(args))
    }

    fn new_error(&mut self, class: &'static str, args: Option<Vec<Py>>) -> Py {
        Py::Object(self.heap.add(Object::Raised(Raised {
            class,
            args,
            attributes: Names::default(),
        })))
    }

    /// The error that `raise value` raises: of a class a new object.
    pub(super) fn raised(&mut self, value: Py) -> Run<Py> {
        match &value {
            Py::Builtin(Builtin::Error(class)) => Ok(self.error(class, Vec::new())),
            Py::Object(id) if matches!(self.heap.get(*id), Object::Class(_)) => {
                self.call(&value, Args::default())
            }
            _ => Ok(value),
        }
    }

    /// An error as a handler has it: one that the machine raised has no arguments that are known.
    pub(super) fn caught(&mut self, error: &Py) -> Py {
        match error {
            Py::Builtin(Builtin::Error(class)) => self.new_error(class, None),
            error => error.clone(),
        }
    }

    /// Whether an error is of a class that is built in.
    pub(super) fn is_raised(&self, error: &Py, class: &str) -> bool {
        match error {
            Py::Builtin(Builtin::Error(own)) => derives(own, class),
            Py::Object(id) => match self.heap.get(*id) {
                Object::Raised(raised) => derives(raised.class, class),
                Object::Instance(instance) => self.class_derives(instance.class, class),
                Object::Class(_) => self.class_derives(*id, class),
                _ => false,
            },
            _ => false,
        }
    }

    pub(super) fn class_derives(&self, id: Id, class: &str) -> bool {
        match self.heap.get(id) {
            Object::Class(found) => found.foreign.iter().any(
                |base| matches!(base, Py::Builtin(Builtin::Error(base)) if derives(base, class)),
            ),
            _ => false,
        }
    }

    /// Whether a handler for `kind` takes an error; it does where that is not known.
    pub(super) fn is_error_of(&self, error: &Py, kind: &Py) -> bool {
        match kind {
            Py::Tuple(kinds) => kinds.iter().any(|kind| self.is_error_of(error, kind)),
            Py::Builtin(Builtin::Error(kind)) => match error {
                Py::Unknown(_) => true,
                error => self.is_raised(error, kind),
            },
            Py::Object(class) => match (self.heap.get(*class), error) {
                (_, Py::Unknown(_)) => true,
                (Object::Class(_), Py::Object(error)) => match self.heap.get(*error) {
                    Object::Instance(instance) => match self.heap.get(instance.class) {
                        Object::Class(own) => own.order.contains(class),
                        _ => true,
                    },
                    Object::Raised(_) => false,
                    _ => true,
                },
                (Object::Class(_), _) => false,
                _ => true,
            },
            _ => true,
        }
    }

    /// The first argument of an error.
    pub(super) fn error_argument(&self, error: &Py) -> Option<Py> {
        let Py::Object(id) = error else {
            return None;
        };
        match self.heap.get(*id) {
            Object::Raised(raised) => raised.args.as_ref()?.first().cloned(),
            Object::Instance(instance) => match instance.attributes.get("args") {
                Some(Py::Tuple(items)) => items.first().cloned(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The text of an error; nothing where that is not known.
    pub(super) fn error_text(&mut self, error: &Py) -> Run<Option<String>> {
        let Py::Object(id) = error else {
            return Ok(None);
        };
        let (args, is_key) = match self.heap.get(*id) {
            Object::Raised(raised) => (raised.args.clone(), derives(raised.class, "KeyError")),
            Object::Instance(instance) => match instance.attributes.get("args") {
                Some(Py::Tuple(items)) => (Some(items.to_vec()), false),
                _ => (None, false),
            },
            _ => (None, false),
        };
        let Some(args) = args else {
            return Ok(None);
        };
        match args.as_slice() {
            [] => Ok(Some(String::new())),
            [only] if is_key => self.repr_of(only),
            [only] => self.str_of(&only.clone()),
            _ => self.repr_of(&Py::tuple(args.clone())),
        }
    }

    /// Notes the error that another one is raised from.
    pub(super) fn set_cause(&mut self, error: &Py, cause: Py) {
        self.put_attribute(error, &Arc::from("__cause__"), cause);
    }
}
