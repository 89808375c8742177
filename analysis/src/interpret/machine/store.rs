//! Contents of the objects of a running program, each in its own place.

use std::rc::Rc;

use tree_sitter_cute::tree::{Lambda, Span};

use crate::hash::{HashMap, HashSet};
use crate::interpret::frame::Frame;
use crate::interpret::ids::FunctionId;
use crate::limits;
use crate::types::{RecordType, Scalar};
use crate::value::Value;

/// The program cannot be followed from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop;

/// A result, as long as the program can be followed.
pub(super) type Followed<T> = Result<T, Stop>;

/// An integer, a character or a truth value in its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: i64,
    pub(super) ty: Scalar,
}

/// The name of the part of an object that belongs to a base.
pub(super) const BASE: &str = "";

/// The content of a place.
#[derive(Debug, Clone)]
pub(super) enum Content<'u> {
    Number(Number),
    /// A number that nothing was stored in so far.
    Unset(Scalar),
    /// `nullptr`
    Null,
    /// The address of a place.
    Pointer(Location),
    /// A function of the sources, to be called later.
    Function(FunctionId),
    /// A member that is a bit-field: its number, the type that it is declared with, and its width.
    Bits(Number, u32),
    /// A value of an enumeration.
    Enumerator(Number),
    /// A member that is a reference.
    Alias(Location),
    /// An object of a class of the sources: its bases, named [`BASE`], and its data members, in order.
    Object(RecordType, Vec<(&'u str, Content<'u>)>),
    Array(Vec<Content<'u>>),
    /// A `std::pair` or a `std::tuple`.
    Tuple(Vec<Content<'u>>),
    Closure(Rc<Closure<'u>>),
    /// A value that no statement changes: a type, an integral constant.
    Fixed(Value),
    /// Not known; the program stops where it is read.
    Unknown,
}

impl Content<'_> {
    /// Number of numbers, pointers and the like in it.
    fn parts(&self) -> usize {
        match self {
            Self::Object(_, fields) => 1 + fields.iter().map(|(_, it)| it.parts()).sum::<usize>(),
            Self::Array(items) | Self::Tuple(items) => {
                1 + items.iter().map(Content::parts).sum::<usize>()
            }
            _ => 1,
        }
    }
}

/// A lambda with the variables that it sees.
#[derive(Debug, Clone)]
pub(super) struct Closure<'u> {
    pub(super) lambda: &'u Lambda,
    pub(super) frame: Frame<'u>,
    pub(super) places: HashMap<Span, Location>,
    /// Those that it owns: its captures by copy.
    pub(super) own: Vec<Span>,
    pub(super) this: Option<Location>,
}

/// An object, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    cell: usize,
    /// Members of objects and elements of arrays by their index.
    path: Vec<usize>,
}

impl Location {
    /// A part of the object here.
    pub(super) fn part(&self, index: usize) -> Self {
        let mut path = self.path.clone();
        path.push(index);
        Self {
            cell: self.cell,
            path,
        }
    }

    /// The array around an element, and its index.
    pub(super) fn array(&self) -> Option<(Self, usize)> {
        let (index, path) = self.path.split_last()?;
        let array = Self {
            cell: self.cell,
            path: path.to_vec(),
        };
        Some((array, *index))
    }
}

/// All objects of a run. None is taken away before the run ends.
#[derive(Debug, Default)]
pub(super) struct Store<'u> {
    cells: Vec<Content<'u>>,
    /// Constants, which nothing may change.
    kept: HashSet<usize>,
    /// Objects that were there before the run, which may be parts of others.
    outside: HashSet<usize>,
    /// The parts of all objects together.
    parts: usize,
    /// Operands that are evaluated in no certain order: how many objects there were before them, and whether one of
    /// these has changed since.
    watched: Vec<(usize, bool)>,
}

impl<'u> Store<'u> {
    /// A new object.
    pub(super) fn add(&mut self, content: Content<'u>) -> Followed<Location> {
        self.parts += content.parts();
        if self.cells.len() >= limits::MACHINE_CELLS || self.parts > limits::MACHINE_PARTS {
            return Err(Stop);
        }
        self.cells.push(content);
        Ok(Location {
            cell: self.cells.len() - 1,
            path: Vec::new(),
        })
    }

    /// A copy of an object.
    pub(super) fn copy(&mut self, place: &Location) -> Followed<Location> {
        let content = self.at(place)?.clone();
        let content = self.copied(content)?;
        self.add(content)
    }

    /// A copy of the content, in which lambdas have copies of their captures.
    pub(super) fn copied(&mut self, content: Content<'u>) -> Followed<Content<'u>> {
        let Content::Closure(closure) = content else {
            return Ok(content);
        };
        let mut copy = (*closure).clone();
        for span in &closure.own {
            let place = closure.places.get(span).ok_or(Stop)?;
            let place = self.copy(place)?;
            copy.places.insert(*span, place);
        }
        Ok(Content::Closure(Rc::new(copy)))
    }

    /// An object that was there before the run.
    pub(super) fn add_outside(&mut self, content: Content<'u>) -> Followed<Location> {
        let place = self.add(content)?;
        self.outside.insert(place.cell);
        Ok(place)
    }

    /// Whether an object was there before the run.
    pub(super) fn is_outside(&self, place: &Location) -> bool {
        self.outside.contains(&place.cell)
    }

    /// A constant.
    pub(super) fn add_constant(&mut self, content: Content<'u>) -> Followed<Location> {
        let place = self.add(content)?;
        self.kept.insert(place.cell);
        Ok(place)
    }

    pub(super) fn at(&self, place: &Location) -> Followed<&Content<'u>> {
        let mut found = self.cells.get(place.cell).ok_or(Stop)?;
        for index in &place.path {
            found = match found {
                Content::Object(_, fields) => &fields.get(*index).ok_or(Stop)?.1,
                Content::Array(items) | Content::Tuple(items) => items.get(*index).ok_or(Stop)?,
                _ => return Err(Stop),
            };
        }
        Ok(found)
    }

    fn at_mut(&mut self, place: &Location) -> Followed<&mut Content<'u>> {
        let mut found = self.cells.get_mut(place.cell).ok_or(Stop)?;
        for index in &place.path {
            found = match found {
                Content::Object(_, fields) => &mut fields.get_mut(*index).ok_or(Stop)?.1,
                Content::Array(items) | Content::Tuple(items) => {
                    items.get_mut(*index).ok_or(Stop)?
                }
                _ => return Err(Stop),
            };
        }
        Ok(found)
    }

    /// The stored content, for use; stops where it is unknown.
    pub(super) fn read(&self, place: &Location) -> Followed<Content<'u>> {
        match self.at(place)? {
            Content::Unknown | Content::Unset(_) => Err(Stop),
            Content::Bits(number, width) => Ok(Content::Number(number.of_bits(*width)?)),
            content => Ok(content.clone()),
        }
    }

    /// Moves an object to its final place. Pointers to it that its constructor made become invalid.
    pub(super) fn take(&mut self, place: &Location) -> Followed<Content<'u>> {
        Ok(std::mem::replace(self.at_mut(place)?, Content::Unknown))
    }

    /// Whether two pointers are equal; stops at one to an object that no longer exists.
    pub(super) fn is_same(&self, a: &Location, b: &Location) -> Followed<bool> {
        let is_taken =
            |place: &Location| matches!(self.cells.get(place.cell), Some(Content::Unknown));
        if is_taken(a) || is_taken(b) {
            return Err(Stop);
        }
        Ok(a == b)
    }

    /// Begins with operands that are evaluated in no certain order.
    pub(super) fn watch(&mut self) {
        self.watched.push((self.cells.len(), false));
    }

    /// Ends with them, and tells whether one of them has changed an object that the others may read.
    pub(super) fn has_changed(&mut self) -> bool {
        self.watched.pop().is_some_and(|(_, changed)| changed)
    }

    /// Stores a value in a declared object: a number takes the type of the object.
    pub(super) fn assign(&mut self, place: &Location, new: Content<'u>) -> Followed<()> {
        if self.kept.contains(&place.cell) {
            return Err(Stop);
        }
        for (before, changed) in &mut self.watched {
            *changed |= place.cell < *before;
        }
        let target = self.at_mut(place)?;
        *target = match (&*target, new) {
            (Content::Number(Number { ty, .. }) | Content::Unset(ty), Content::Number(number)) => {
                Content::Number(number.converted(*ty)?)
            }
            (Content::Bits(Number { ty, .. }, width), Content::Number(number)) => {
                Content::Bits(number.converted(*ty)?.cut(*width)?, *width)
            }
            (Content::Enumerator(Number { ty, .. }), Content::Enumerator(new)) if *ty == new.ty => {
                Content::Enumerator(new)
            }
            (Content::Null | Content::Pointer(_), new @ (Content::Null | Content::Pointer(_)))
            | (Content::Function(_), new @ Content::Function(_)) => new,
            (Content::Object(class, _), new @ Content::Object(..)) => match &new {
                Content::Object(other, _) if other == class => new,
                _ => return Err(Stop),
            },
            (Content::Array(old), Content::Array(items)) if old.len() == items.len() => {
                Content::Array(items)
            }
            // Each item keeps its type.
            (Content::Tuple(old), Content::Tuple(items)) if old.len() == items.len() => {
                let count = items.len();
                for (index, item) in items.into_iter().enumerate() {
                    self.assign(&self.target_of(&place.part(index))?, item)?;
                }
                return if count > 0 { Ok(()) } else { Err(Stop) };
            }
            // Its type is unknown.
            _ => return Err(Stop),
        };
        Ok(())
    }

    /// The target of a place: the referent of a reference.
    pub(super) fn target_of(&self, place: &Location) -> Followed<Location> {
        Ok(match self.at(place)? {
            Content::Alias(target) => target.clone(),
            _ => place.clone(),
        })
    }

    /// Sets an object to the result of a constructor.
    pub(super) fn initialise(&mut self, place: &Location, new: Content<'u>) -> Followed<()> {
        *self.at_mut(place)? = new;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(name: &str) -> Scalar {
        Scalar::of_spelling(name).unwrap()
    }

    fn number(value: i64, ty: &str) -> Content<'static> {
        let ty = scalar(ty);
        Content::Number(Number { value, ty })
    }

    fn value(store: &Store<'_>, place: &Location) -> Followed<i64> {
        store.read(place)?.number().map(|number| number.value)
    }

    #[test]
    fn an_object_keeps_its_type_when_it_is_assigned() {
        let mut store = Store::default();
        let place = store.add(number(1, "unsigned char")).unwrap();
        store.assign(&place, number(300, "int")).unwrap();
        assert_eq!(value(&store, &place), Ok(44));
        let unset = store.add(Content::Unset(scalar("int"))).unwrap();
        assert_eq!(value(&store, &unset), Err(Stop));
        store.assign(&unset, number(5, "int")).unwrap();
        assert_eq!(value(&store, &unset), Ok(5));
    }

    #[test]
    fn a_part_is_changed_in_its_array_and_not_in_a_copy_of_it() {
        let mut store = Store::default();
        let items = vec![number(1, "int"), number(2, "int")];
        let array = store.add(Content::Array(items)).unwrap();
        let copy = store.copy(&array).unwrap();
        store.assign(&array.part(1), number(7, "int")).unwrap();
        assert_eq!(value(&store, &array.part(1)), Ok(7));
        assert_eq!(value(&store, &copy.part(1)), Ok(2));
        assert_eq!(array.part(1).array(), Some((array.clone(), 1)));
        assert_eq!(value(&store, &array.part(2)), Err(Stop));
    }

    #[test]
    fn a_constant_is_never_assigned() {
        let mut store = Store::default();
        let place = store.add_constant(number(1, "int")).unwrap();
        assert_eq!(store.assign(&place, number(2, "int")), Err(Stop));
        assert_eq!(value(&store, &place), Ok(1));
    }

    #[test]
    fn a_reference_leads_to_its_referent_and_a_moved_object_to_nothing() {
        let mut store = Store::default();
        let place = store.add(number(3, "int")).unwrap();
        let alias = store.add(Content::Alias(place.clone())).unwrap();
        assert_eq!(store.target_of(&alias), Ok(place.clone()));
        assert_eq!(store.is_same(&place, &place), Ok(true));
        store.take(&place).unwrap();
        assert_eq!(value(&store, &place), Err(Stop));
        assert_eq!(store.is_same(&place, &alias), Err(Stop));
    }

    #[test]
    fn a_change_is_noticed_among_operands_without_an_order_if_the_object_was_there_before() {
        let mut store = Store::default();
        let place = store.add(number(1, "int")).unwrap();
        store.watch();
        let own = store.add(number(1, "int")).unwrap();
        store.assign(&own, number(2, "int")).unwrap();
        assert!(!store.has_changed());
        store.watch();
        store.assign(&place, number(2, "int")).unwrap();
        assert!(store.has_changed());
    }

    #[test]
    fn a_run_stops_at_its_number_of_objects() {
        let mut store = Store::default();
        let added = (0..=limits::MACHINE_CELLS).take_while(|_| store.add(Content::Null).is_ok());
        assert_eq!(added.count(), limits::MACHINE_CELLS);
    }
}
