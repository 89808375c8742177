//! What the objects of a running program hold, each in a place of its own.

use std::rc::Rc;

use tree_sitter_cute::tree::{Lambda, Span};

use crate::hash::{HashMap, HashSet};
use crate::interpret::frame::Frame;
use crate::limits;
use crate::types::{RecordType, Scalar};
use crate::value::Value;

/// The program cannot be followed from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop;

/// What is found as long as the program can be followed.
pub(super) type Followed<T> = Result<T, Stop>;

/// An integer, a character or a truth value in its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: i64,
    pub(super) ty: Scalar,
}

/// What a place holds.
#[derive(Debug, Clone)]
pub(super) enum Content<'u> {
    Number(Number),
    /// A number that nothing was stored in so far.
    Unset(Scalar),
    /// `nullptr`
    Null,
    /// The address of a place.
    Pointer(Place),
    /// An object of a class of the sources, its data members in order.
    Object(RecordType, Vec<(&'u str, Content<'u>)>),
    Array(Vec<Content<'u>>),
    Closure(Rc<Closure<'u>>),
    /// What no statement changes: a type, an integral constant.
    Fixed(Value),
    /// Not known; the program stops where it is read.
    Unknown,
}

/// A lambda with what it sees.
#[derive(Debug, Clone)]
pub(super) struct Closure<'u> {
    pub(super) lambda: &'u Lambda,
    pub(super) frame: Frame<'u>,
    pub(super) places: HashMap<Span, Place>,
    pub(super) this: Option<Place>,
}

/// An object, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    cell: usize,
    /// Members of objects and elements of arrays by their index.
    path: Vec<usize>,
}

impl Place {
    /// A part of what is here.
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
    /// What lambdas captured by copy. Copies of a lambda share it, so that nothing may change it.
    kept: HashSet<usize>,
    /// Operands that are evaluated in no certain order: how many objects there were before them, and whether one of
    /// these has changed since.
    watched: Vec<(usize, bool)>,
}

impl<'u> Store<'u> {
    /// A new object.
    pub(super) fn add(&mut self, content: Content<'u>) -> Followed<Place> {
        if self.cells.len() >= limits::MACHINE_CELLS {
            return Err(Stop);
        }
        self.cells.push(content);
        Ok(Place {
            cell: self.cells.len() - 1,
            path: Vec::new(),
        })
    }

    /// A copy of an object that nothing may change.
    pub(super) fn keep(&mut self, place: &Place) -> Followed<Place> {
        let copy = self.at(place)?.clone();
        let kept = self.add(copy)?;
        self.kept.insert(kept.cell);
        Ok(kept)
    }

    pub(super) fn at(&self, place: &Place) -> Followed<&Content<'u>> {
        let mut found = self.cells.get(place.cell).ok_or(Stop)?;
        for index in &place.path {
            found = match found {
                Content::Object(_, fields) => &fields.get(*index).ok_or(Stop)?.1,
                Content::Array(items) => items.get(*index).ok_or(Stop)?,
                _ => return Err(Stop),
            };
        }
        Ok(found)
    }

    fn at_mut(&mut self, place: &Place) -> Followed<&mut Content<'u>> {
        let mut found = self.cells.get_mut(place.cell).ok_or(Stop)?;
        for index in &place.path {
            found = match found {
                Content::Object(_, fields) => &mut fields.get_mut(*index).ok_or(Stop)?.1,
                Content::Array(items) => items.get_mut(*index).ok_or(Stop)?,
                _ => return Err(Stop),
            };
        }
        Ok(found)
    }

    /// What is stored, to be used: what is not known cannot be.
    pub(super) fn read(&self, place: &Place) -> Followed<Content<'u>> {
        match self.at(place)? {
            Content::Unknown | Content::Unset(_) => Err(Stop),
            content => Ok(content.clone()),
        }
    }

    /// Takes an object away to where it stays. Who kept its address while it was made can use that no more.
    pub(super) fn take(&mut self, place: &Place) -> Followed<Content<'u>> {
        Ok(std::mem::replace(self.at_mut(place)?, Content::Unknown))
    }

    /// Whether two pointers are equal; stops at one to an object that was taken away.
    pub(super) fn is_same(&self, a: &Place, b: &Place) -> Followed<bool> {
        let is_taken = |place: &Place| matches!(self.cells.get(place.cell), Some(Content::Unknown));
        if is_taken(a) || is_taken(b) {
            return Err(Stop);
        }
        Ok(a == b)
    }

    /// Begins with operands that are evaluated in no certain order.
    pub(super) fn watch(&mut self) {
        self.watched.push((self.cells.len(), false));
    }

    /// Ends with them, and says whether one of them has changed what the others may read.
    pub(super) fn has_changed(&mut self) -> bool {
        self.watched.pop().is_some_and(|(_, changed)| changed)
    }

    /// Stores a value in what is declared already: a number takes the type of the object.
    pub(super) fn assign(&mut self, place: &Place, new: Content<'u>) -> Followed<()> {
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
            (Content::Null | Content::Pointer(_), new @ (Content::Null | Content::Pointer(_))) => {
                new
            }
            (Content::Object(class, _), new @ Content::Object(..)) => match &new {
                Content::Object(other, _) if other == class => new,
                _ => return Err(Stop),
            },
            (Content::Array(old), Content::Array(items)) if old.len() == items.len() => {
                Content::Array(items)
            }
            // Of what type it is, is not known.
            _ => return Err(Stop),
        };
        Ok(())
    }

    /// Makes an object what a constructor makes it.
    pub(super) fn initialise(&mut self, place: &Place, new: Content<'u>) -> Followed<()> {
        *self.at_mut(place)? = new;
        Ok(())
    }
}
