//! Values with identity: lists, objects, scopes. A change inside a branch that may not be taken is kept apart until
//! both branches are known.

use std::collections::VecDeque;
use std::sync::Arc;

use tree_sitter_cute::script;

use super::suspended::Lazy;
use super::value::Py;
use crate::hash::HashMap;

/// The place of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    /// The place of the object that was made as the one of that number.
    pub(crate) fn nth(at: usize) -> Self {
        Self(u32::try_from(at).unwrap_or(u32::MAX))
    }
}

/// Names with values, in the order in which they were bound first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Names {
    order: Vec<(Arc<str>, Py)>,
    index: HashMap<Arc<str>, usize>,
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<&Py> {
        let at = *self.index.get(name)?;
        self.order.get(at).map(|(_, value)| value)
    }

    pub(crate) fn set(&mut self, name: Arc<str>, value: Py) {
        match self.index.get(&name).and_then(|at| self.order.get_mut(*at)) {
            Some((_, old)) => *old = value,
            None => {
                self.index.insert(Arc::clone(&name), self.order.len());
                self.order.push((name, value));
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let Some(at) = self.index.remove(name) else {
            return false;
        };
        self.order.remove(at);
        for place in self.index.values_mut().filter(|place| **place > at) {
            *place -= 1;
        }
        true
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Arc<str>, Py)> {
        self.order.iter()
    }
}

/// Something with identity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Object {
    List(Vec<Py>),
    /// Keys and values in order.
    Dict(Vec<(Py, Py)>),
    Set(Vec<Py>),
    /// The names of a call, a module or a class body.
    Scope(Scope),
    Instance(Instance),
    Class(Class),
    Function(Function),
    /// A method with its object.
    Bound {
        function: Py,
        this: Py,
    },
    Module(Module),
    /// `property`, `staticmethod`, ...
    Wrapped(Wrapper, Py),
    /// `functools.partial`.
    Partial {
        function: Py,
        args: Vec<Py>,
        named: Vec<(Arc<str>, Py)>,
    },
    /// `super()`: the classes behind `class` in the order of `this`.
    Super {
        class: Id,
        this: Py,
    },
    /// The elements that an iterator has left, all of which are known.
    Iterator(VecDeque<Py>),
    /// An iterator whose elements are made when they are taken.
    Lazy(Lazy),
    /// A property with a setter or a deleter.
    Accessors {
        get: Py,
        set: Option<Py>,
        delete: Option<Py>,
    },
    /// An error of a class that is built in.
    Raised(Raised),
    /// `object.__dict__`: the attributes of an object.
    Attributes(Id),
    /// `functools.cache(function)`
    Cached(Cached),
    /// `itertools.repeat(value)`: the value without end.
    Repeated(Py),
    /// It was changed in a way that could not be followed.
    Lost(crate::reason::Reason),
}

/// Names of a call, a module or a class body.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scope {
    pub(crate) names: Names,
    /// The scope around it.
    pub(crate) parent: Option<Id>,
    /// Names that are those of a scope around it: `nonlocal`, `global`.
    pub(crate) outer: Vec<(Arc<str>, Id)>,
    /// Names of a class body are not seen by its functions.
    pub(crate) is_class: bool,
}

/// An object of a class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Instance {
    pub(crate) class: Id,
    pub(crate) attributes: Names,
    /// Its value as a built-in: the elements of a `NamedTuple`, the value of an `Enum`.
    pub(crate) built_in: Option<Py>,
}

/// A class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Class {
    pub(crate) name: Arc<str>,
    /// Its name with those of the classes and functions around it.
    pub(crate) qualified: Arc<str>,
    /// The module that declares it.
    pub(crate) module: Arc<str>,
    /// Itself and its bases, in the order of look-up.
    pub(crate) order: Arc<[Id]>,
    /// Bases that are not classes of a source.
    pub(crate) foreign: Vec<Py>,
    pub(crate) attributes: Names,
    pub(crate) kind: ClassKind,
    /// The fields of a dataclass, `NamedTuple` or struct, with their annotations, in order.
    pub(crate) fields: Vec<Field>,
    /// The options of a dataclass.
    pub(crate) options: Options,
    /// Its class, where that is not `type`.
    pub(crate) metaclass: Option<Id>,
    /// Whether `abc.ABC` is among its bases.
    pub(crate) is_abc: bool,
    /// Whether it has methods without an implementation, so that no object of it can be made.
    pub(crate) is_abstract: bool,
}

/// The options of a dataclass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is an argument of `dataclass`.
pub(crate) struct Options {
    pub(crate) is_frozen: bool,
    pub(crate) is_ordered: bool,
    pub(crate) is_slotted: bool,
    /// `eq=False`: an object equals itself alone.
    pub(crate) has_identity: bool,
}

/// The kind of class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClassKind {
    Plain,
    Dataclass,
    NamedTuple,
    Enum,
}

/// A field of a class that is made of its annotations.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // Each is an argument of `field`.
pub(crate) struct Field {
    pub(crate) name: Arc<str>,
    pub(crate) annotation: Py,
    pub(crate) default: Option<Py>,
    /// `field(init=False)`.
    pub(crate) is_internal: bool,
    /// Whether it takes an argument by name only.
    pub(crate) is_named: bool,
    /// `InitVar`: an argument of `__post_init__`, and no attribute.
    pub(crate) is_passed_on: bool,
    /// `field(compare=False)`.
    pub(crate) is_ignored: bool,
    /// Whether the class itself declares it, not a base.
    pub(crate) is_own: bool,
}

/// A function of a source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Function {
    pub(crate) code: Arc<script::Function>,
    /// The scope that it was made in.
    pub(crate) scope: Id,
    /// The file it is in, by its place among the machine's files.
    pub(crate) file: usize,
    pub(crate) defaults: Arc<[Option<Py>]>,
    pub(crate) rewritten: Rewritten,
    /// The class whose body it was made in, for `super()`.
    pub(crate) class: Option<Id>,
    /// Its name with those of the classes and functions around it.
    pub(crate) qualified: Arc<str>,
    /// The attributes that were set on it.
    pub(crate) attributes: Names,
}

/// The treatment of a function by the DSL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewritten {
    /// Python's own.
    No,
    /// `@cute.jit`: statements may be the kernel's.
    Jit,
    /// `@cute.kernel`.
    Kernel,
}

/// A module.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Module {
    pub(crate) name: Arc<str>,
    /// Its names; `None` for a module of which only the vocabulary knows something.
    pub(crate) scope: Option<Id>,
    /// Its file, by its place among the machine's files.
    pub(crate) file: Option<usize>,
    /// Why its statements were not run to the end.
    pub(crate) failed: Option<crate::reason::Reason>,
}

/// A function with its results.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cached {
    pub(super) function: Py,
    /// The results that are kept at most.
    pub(super) size: usize,
    /// Arguments and results, those used last at the end.
    pub(super) results: Vec<(Py, Py)>,
    pub(super) hits: i64,
    pub(super) misses: i64,
    /// The run that the results are of: each run shows the values of the calls that it makes.
    pub(super) run: Arc<str>,
}

/// An error that is built in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Raised {
    /// Its class.
    pub(super) class: &'static str,
    /// Its arguments; nothing where the machine itself raised it, without Python's words.
    pub(super) args: Option<Vec<Py>>,
    pub(super) attributes: Names,
}

/// The access to an attribute of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrapper {
    Property,
    CachedProperty,
    Static,
    ClassMethod,
}

/// All objects.
#[derive(Debug, Clone)]
pub(crate) struct Heap {
    /// The first objects, which others may share: they are never changed here.
    frozen: Arc<Vec<Object>>,
    /// New states of some of them.
    changed: HashMap<Id, Object>,
    /// Those behind them.
    objects: Vec<Object>,
    /// The object of an identity that does not exist.
    nowhere: Object,
    /// The objects before each branch that is being followed.
    branches: Vec<HashMap<Id, Object>>,
}

impl Default for Heap {
    fn default() -> Self {
        Self {
            frozen: Arc::default(),
            changed: HashMap::default(),
            objects: Vec::new(),
            nowhere: Object::Lost(crate::reason::Reason::Limit("number of objects")),
            branches: Vec::new(),
        }
    }
}

impl Heap {
    /// A new object.
    pub(crate) fn add(&mut self, object: Object) -> Id {
        let id = Id(u32::try_from(self.len()).unwrap_or(u32::MAX));
        self.objects.push(object);
        id
    }

    /// Number of objects.
    pub(crate) fn len(&self) -> usize {
        self.frozen.len() + self.objects.len()
    }

    /// The number of the first object that is not frozen.
    pub(crate) fn first_own(&self) -> usize {
        self.frozen.len()
    }

    /// Forgets the objects behind the first ones, to which nothing leads any more.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.objects.truncate(len.saturating_sub(self.frozen.len()));
    }

    /// Makes all objects ones that may be shared with other heaps; later changes to them stay here.
    pub(crate) fn freeze(&mut self) {
        let mut all: Vec<Object> = (0..self.frozen.len())
            .map(|at| self.get(Id::nth(at)).clone())
            .collect();
        all.append(&mut self.objects);
        self.changed.clear();
        self.frozen = Arc::new(all);
    }

    /// The object at a place.
    pub(crate) fn get(&self, id: Id) -> &Object {
        let at = id.0 as usize;
        let object = match at.checked_sub(self.frozen.len()) {
            Some(at) => self.objects.get(at),
            None => self.changed.get(&id).or_else(|| self.frozen.get(at)),
        };
        object.unwrap_or(&self.nowhere)
    }

    /// The object at a place, to be changed.
    pub(crate) fn get_mut(&mut self, id: Id) -> Option<&mut Object> {
        let object = place(&self.frozen, &mut self.changed, &mut self.objects, id)?;
        if let Some(branch) = self.branches.last_mut() {
            branch.entry(id).or_insert_with(|| object.clone());
        }
        Some(object)
    }

    /// Follows a branch: changes from here on can be taken back.
    pub(crate) fn enter(&mut self) {
        self.branches.push(HashMap::default());
    }

    /// Takes back the changes of the branch that was entered last, and returns them.
    pub(crate) fn take_back(&mut self) -> HashMap<Id, Object> {
        let before = self.branches.pop().unwrap_or_default();
        let mut after = HashMap::default();
        for (id, object) in before {
            let now = place(&self.frozen, &mut self.changed, &mut self.objects, id);
            if let Some(now) = now {
                after.insert(id, std::mem::replace(now, object));
            }
        }
        after
    }

    /// Puts an object in the place of another.
    pub(crate) fn put(&mut self, id: Id, object: Object) {
        if let Some(place) = self.get_mut(id) {
            *place = object;
        }
    }
}

/// The object of a heap at a place, to be changed: a frozen one is copied first.
fn place<'h>(
    frozen: &[Object],
    changed: &'h mut HashMap<Id, Object>,
    objects: &'h mut [Object],
    id: Id,
) -> Option<&'h mut Object> {
    let at = id.0 as usize;
    match (at.checked_sub(frozen.len()), frozen.get(at)) {
        (Some(at), _) => objects.get_mut(at),
        (None, Some(object)) => Some(changed.entry(id).or_insert_with(|| object.clone())),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_to_a_frozen_object_stays_in_the_heap_that_writes() {
        let list = |count| Object::List(vec![Py::Int(count)]);
        let mut first = Heap::default();
        let id = first.add(list(1));
        first.freeze();
        let mut second = first.clone();
        second.enter();
        second.put(id, list(2));
        assert_eq!((first.get(id), second.get(id)), (&list(1), &list(2)));
        let changed = second.take_back();
        assert_eq!(
            (changed.get(&id), second.get(id)),
            (Some(&list(2)), &list(1))
        );
        let gone = second.add(list(5));
        second.truncate(1);
        let own = second.add(list(3));
        assert_eq!(gone, own);
        assert_eq!((second.get(own), first.len()), (&list(3), 1));
        second.put(id, list(4));
        second.freeze();
        assert_eq!((second.get(id), second.get(own)), (&list(4), &list(3)));
    }
}
