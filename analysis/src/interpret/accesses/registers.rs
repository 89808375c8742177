//! Arrays that a thread keeps for itself: the values of their elements.

use tree_sitter_cute::tree::{Expr, ExprKind, Item};

use super::Walker;
use super::changes::indexed_in;
use super::held::{Content, Count, Held, Local, Ty};
use super::roots::root_of_array;
use crate::access::INDEX;
use crate::access::terms::{Operator, Term, TermId};

/// Elements of an array whose values are kept.
const ELEMENTS: usize = 64;

/// Elements from which a symbolic index may choose.
const CHOICES: usize = 16;

/// The element of an array that an expression names.
struct Element<'u> {
    array: &'u str,
    /// Its place among all elements, the last index first.
    index: TermId,
}

impl<'u> Walker<'_, 'u> {
    /// The elements of a new array of numbers or pointers, where all are known by their number.
    pub(super) fn content_of(
        &mut self,
        ty: &Ty,
        init: Option<&'u Expr>,
    ) -> Option<Box<Content<'u>>> {
        let sized;
        let ty = match (ty, init.map(|init| &init.kind)) {
            // `int a[] = {1, 2}`
            (Ty::Array(element, None), Some(ExprKind::Braced(items))) => {
                let count = i64::try_from(items.len()).ok().map(Count::Known);
                sized = Ty::Array(element.clone(), count);
                &sized
            }
            (ty, _) => ty,
        };
        let (extents, element) = ty.elements()?;
        if self.it.is_rust() || !matches!(element, Ty::Int(_) | Ty::Pointer(_)) {
            return None;
        }
        let known = |extent: &Count| match extent {
            Count::Known(extent) => usize::try_from(*extent).ok(),
            Count::Open(_) => None,
        };
        let extents: Vec<usize> = extents.iter().map(known).collect::<Option<_>>()?;
        let size = extents
            .iter()
            .try_fold(1_usize, |size, extent| size.checked_mul(*extent))?;
        if size == 0 || size > ELEMENTS {
            return None;
        }
        let values = match init.map(|init| &init.kind) {
            None => Vec::new(),
            Some(ExprKind::Braced(items)) if items.is_empty() || extents.len() == 1 => {
                let is_plain = |item: &Expr| {
                    !matches!(item.kind, ExprKind::Braced(_) | ExprKind::Designated(..))
                };
                if items.len() > size || !items.iter().all(is_plain) {
                    return None;
                }
                let given: Vec<Held<'u>> = items.iter().map(|item| self.value(item)).collect();
                let mut values: Vec<Held<'u>> = given
                    .into_iter()
                    .map(|held| self.converted(held, element))
                    .collect();
                let zero = match element {
                    Ty::Int(kind) => self.number(0, *kind),
                    _ => Held::Null,
                };
                values.resize(size, zero);
                values
            }
            Some(_) => return None,
        };
        let mut values = values.into_iter();
        let elements = (0..size).map(|_| {
            let held = values.next().unwrap_or(Held::Unset);
            Local::own(held, element.clone())
        });
        Some(Box::new(Content {
            elements: elements.collect(),
            extents,
        }))
    }

    /// The element that an expression names, where the values of the array are known. Its indices are evaluated.
    fn element(&mut self, expr: &'u Expr) -> Option<Element<'u>> {
        let (array, indices) = indexed(expr)?;
        if self.elsewhere.escaped.contains(&array) {
            return None;
        }
        let extents = self.find(array)?.content.as_ref()?.extents.clone();
        if extents.len() != indices.len() {
            return None;
        }
        let mut index = self.terms().number(0, INDEX);
        for (written, extent) in indices.into_iter().zip(extents) {
            let own = self.index_of_registers(array, written);
            let own = self.term_of(&own);
            let extent = i64::try_from(extent).ok()?;
            let terms = self.terms();
            let extent = terms.number(extent, INDEX);
            let own = terms.convert(own, INDEX);
            let rows = terms.binary(Operator::Mul, index, extent);
            index = terms.binary(Operator::Add, rows, own);
        }
        Some(Element { array, index })
    }

    /// The value of an index into an array of registers; one that only the running kernel has is noted.
    pub(super) fn index_of_registers(&mut self, array: &str, index: &'u Expr) -> Held<'u> {
        let held = self.value(index);
        if self.recording && !self.declared.tables.contains(&array) && self.is_run_time(&held) {
            let written = self.text(index.span);
            self.out.marks.registers.push((index.span, written));
        }
        held
    }

    /// The value of an element of an array.
    pub(super) fn read_element(&mut self, expr: &'u Expr) -> Option<Held<'u>> {
        let element = self.element(expr)?;
        let elements = &self.find(element.array)?.content.as_ref()?.elements;
        if let Some(index) = self.out.terms.as_number(element.index) {
            let index = usize::try_from(index).ok();
            let local = index.and_then(|index| elements.get(index));
            let ty = elements.first().map(|local| local.ty.clone())?;
            let why = match local.map(|local| &local.held) {
                None => "it is outside of its array",
                Some(Held::Unset) => "it has no value yet",
                Some(held) => return Some(held.clone()),
            };
            return Some(self.converted(Held::Other(why.into(), None), &ty));
        }
        let elements = elements.clone();
        Some(self.chosen_element(expr, &elements, element.index))
    }

    /// The value of one of the elements, by its index.
    fn chosen_element(
        &mut self,
        expr: &'u Expr,
        elements: &[Local<'u>],
        index: TermId,
    ) -> Held<'u> {
        let ty = elements.first().map_or(Ty::Auto, |local| local.ty.clone());
        if let Some(why) = self.out.terms.unknown_in(index) {
            return self.converted(Held::Other(why, None), &ty);
        }
        let mut set: Vec<(usize, Held<'u>)> = Vec::new();
        for (place, local) in elements.iter().enumerate() {
            if local.held != Held::Unset {
                let own = self.is_element(index, place);
                set.push((place, self.where_true(own, local.held.clone())));
            }
        }
        let Some((_, first)) = set.first().cloned() else {
            return self.converted(Held::Other("it has no value yet".into(), None), &ty);
        };
        if set.iter().all(|(_, held)| *held == first) {
            return first;
        }
        if set.len() <= CHOICES {
            let mut chosen = set.pop().map_or(first, |(_, held)| held);
            while let Some((place, held)) = set.pop() {
                let own = self.is_element(index, place);
                chosen = self.joined(own, held, chosen);
            }
            return chosen;
        }
        let terms = &self.out.terms;
        let alike = set.iter().try_fold(terms.alike(index), |worst, (_, held)| {
            let Held::Int(term) = held else { return None };
            Some(
                worst
                    .zip(terms.alike(*term))
                    .map(|(one, other)| one.max(other)),
            )
        });
        let name = self.text(expr.span);
        if let (Some(alike), Ty::Int(kind)) = (alike.flatten(), &ty) {
            let terms = self.terms();
            return Held::Int(terms.fresh_from(&name, alike.kind(), *kind, super::LEAST));
        }
        let why = format!("`{name}` is kept in registers");
        self.converted(Held::Other(why.into(), None), &ty)
    }

    /// Whether an index is that of the element at a place.
    fn is_element(&mut self, index: TermId, place: usize) -> TermId {
        let terms = self.terms();
        let place = terms.number(i64::try_from(place).unwrap_or(i64::MAX), INDEX);
        terms.binary(Operator::Equal, index, place)
    }

    /// A value where a condition holds: of `condition ? x : y` it is `x`.
    fn where_true(&self, condition: TermId, held: Held<'u>) -> Held<'u> {
        match held {
            Held::Int(term) => match self.out.terms.term(term) {
                Term::Select(own, then, _) if *own == condition => Held::Int(*then),
                _ => Held::Int(term),
            },
            held => held,
        }
    }

    /// Gives an element of an array a value; whether the values of its array are known.
    pub(super) fn store_element(&mut self, target: &'u Expr, held: &Held<'u>) -> bool {
        let Some(element) = self.element(target) else {
            return false;
        };
        let content = self
            .find(element.array)
            .and_then(|local| local.content.clone());
        let Some(mut content) = content else {
            return false;
        };
        let index = self.out.terms.as_number(element.index);
        let only = index.and_then(|index| usize::try_from(index).ok());
        let choices = content.elements.len();
        for (place, local) in content.elements.iter_mut().enumerate() {
            if index.is_some() && only != Some(place) {
                continue;
            }
            let new = self.converted(held.clone(), &local.ty);
            let old = std::mem::replace(&mut local.held, Held::Unset);
            local.held = if index.is_some() {
                new
            } else if choices <= CHOICES {
                let own = self.is_element(element.index, place);
                self.joined(own, new, old)
            } else if old == new {
                old
            } else {
                let why = format!("`{}` is kept in registers", element.array);
                self.converted(Held::Other(why.into(), None), &local.ty)
            };
        }
        if let Some(local) = self.find_mut(element.array) {
            local.content = Some(content);
        }
        true
    }

    /// The arrays with known values of which statements may change elements.
    pub(super) fn indexed_in(&self, items: &'u [Item], more: &[&'u Expr]) -> Vec<&'u str> {
        let mut names = indexed_in(items, more);
        names.retain(|name| self.find(name).is_some_and(|local| local.content.is_some()));
        names
    }

    /// From here on, the elements of an array are not known: other code has its address.
    pub(super) fn escape(&mut self, expr: &'u Expr) {
        if let Some(name) = root_of_array(expr) {
            self.escape_named(name);
        }
    }

    /// A new array has no address that other code has, unless one around it has the same name.
    pub(super) fn begin_array(&mut self, name: &str) {
        let mut around = self.outer.iter().flat_map(|(scopes, _)| scopes);
        let is_first = self.find(name).is_none() && !around.any(|scope| scope.contains_key(name));
        if is_first {
            self.elsewhere.escaped.retain(|known| *known != name);
        }
    }

    /// The same of the array of a name.
    pub(super) fn escape_named(&mut self, name: &'u str) {
        if let Some(local) = self.find_mut(name)
            && local.content.take().is_some()
        {
            self.elsewhere.escaped.push(name);
        }
    }
}

/// The array and the indices of `a[i][j]`, the first index first.
fn indexed(expr: &Expr) -> Option<(&str, Vec<&Expr>)> {
    match &expr.kind {
        ExprKind::Index(object, own) => {
            let (name, mut indices) = match object.as_plain_name() {
                Some(name) => (name, Vec::new()),
                None => indexed(object)?,
            };
            indices.extend(own);
            Some((name, indices))
        }
        _ => None,
    }
}
