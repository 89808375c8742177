//! Metaclasses, descriptors and abstract methods: what a class does when it is made.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::heap::{Id, Names, Object};
use super::machine::{Machine, Run};
use super::native::Args;
use super::value::Py;

/// The parts of a class that its metaclass makes.
pub(super) struct Parts {
    pub(super) name: Arc<str>,
    pub(super) bases: Vec<Py>,
    pub(super) attributes: Names,
    pub(super) annotated: Vec<(Arc<str>, Py)>,
}

impl Machine<'_> {
    /// The metaclass of a class, where it is one of a source.
    pub(super) fn metaclass_of(&self, said: Option<Py>, bases: &[Py]) -> Option<Py> {
        let is_class = |value: &Py| matches!(value, Py::Object(id) if matches!(self.heap.get(*id), Object::Class(_)));
        if let Some(said) = said {
            return is_class(&said).then_some(said);
        }
        bases.iter().find_map(|base| match base {
            Py::Object(id) => match self.heap.get(*id) {
                Object::Class(class) => class.metaclass.map(Py::Object),
                _ => None,
            },
            _ => None,
        })
    }

    /// Binds the names that `__prepare__` of a metaclass says.
    pub(super) fn prepare(
        &mut self,
        metaclass: Option<&Py>,
        name: &Arc<str>,
        bases: &[Py],
        scope: Id,
    ) -> Run<()> {
        let Some(Py::Object(metaclass)) = metaclass else {
            return Ok(());
        };
        let Some(prepare) = self.class_attribute(*metaclass, "__prepare__") else {
            return Ok(());
        };
        let bound = self.bound_to(prepare, &Py::Object(*metaclass), *metaclass)?;
        let function = match &bound {
            // It is called with the name and the bases alone, whatever it is declared as.
            Py::Object(id) => match self.heap.get(*id) {
                Object::Bound { function, this } if *this == Py::Object(*metaclass) => {
                    match self.heap.get(*metaclass) {
                        Object::Class(class)
                            if class.attributes.get("__prepare__") == Some(function) =>
                        {
                            function.clone()
                        }
                        _ => bound.clone(),
                    }
                }
                _ => bound.clone(),
            },
            _ => bound,
        };
        let args = vec![Py::Str(Arc::clone(name)), Py::tuple(bases.to_vec())];
        let names = self.call(&function, Args::of(args, Span::default()))?;
        for (name, value) in self.named_entries(&names).unwrap_or_default() {
            self.bind_in(scope, name, value);
        }
        Ok(())
    }

    /// The class that a metaclass makes.
    pub(super) fn class_of_metaclass(
        &mut self,
        metaclass: &Py,
        parts: Parts,
        named: Vec<(Arc<str>, Py)>,
    ) -> Run<Py> {
        let Py::Object(id) = metaclass else {
            return Ok(Py::None);
        };
        let mut entries: Vec<(Py, Py)> = parts
            .attributes
            .iter()
            .map(|(name, value)| (Py::Str(Arc::clone(name)), value.clone()))
            .collect();
        if !parts.annotated.is_empty() {
            let types = parts.annotated.into_iter();
            let types = types.map(|(name, ty)| (Py::Str(name), ty)).collect();
            let types = Py::Object(self.heap.add(Object::Dict(types)));
            entries.push((Py::str("__annotations__"), types));
        }
        let members = Py::Object(self.heap.add(Object::Dict(entries)));
        let args = vec![Py::Str(parts.name), Py::tuple(parts.bases), members];
        let made = match self.class_attribute(*id, "__new__") {
            Some(maker) => {
                let maker = self.unwrapped(maker);
                let mut all = vec![metaclass.clone()];
                all.extend(args.iter().cloned());
                let args = Args {
                    named: named.clone(),
                    ..Args::of(all, Span::default())
                };
                self.call(&maker, args)?
            }
            None => self.class_of_parts(&Args {
                named: named.clone(),
                ..Args::of(args.clone(), Span::default())
            })?,
        };
        if let Py::Object(class) = &made
            && let Some(Object::Class(class)) = self.heap.get_mut(*class)
        {
            class.metaclass = Some(*id);
        }
        if let Some(init) = self.method(&made, "__init__")? {
            let args = Args {
                named,
                ..Args::of(args, Span::default())
            };
            self.call(&init, args)?;
        }
        Ok(made)
    }

    /// Tells the descriptors of a class their names.
    pub(super) fn name_descriptors(&mut self, class: Id) -> Run<()> {
        let Object::Class(found) = self.heap.get(class) else {
            return Ok(());
        };
        let attributes: Vec<(Arc<str>, Py)> = found.attributes.iter().cloned().collect();
        for (name, value) in attributes {
            if self.class_of(&value).is_some()
                && let Some(method) = self.method(&value, "__set_name__")?
            {
                let args = vec![Py::Object(class), Py::Str(name)];
                self.call(&method, Args::of(args, Span::default()))?;
            }
        }
        Ok(())
    }

    /// Whether a class has methods that only its subclasses have.
    pub(super) fn has_open_methods(&self, class: Id) -> bool {
        let Object::Class(found) = self.heap.get(class) else {
            return false;
        };
        let mut names: Vec<Arc<str>> = Vec::new();
        for id in found.order.iter() {
            if let Object::Class(base) = self.heap.get(*id) {
                names.extend(base.attributes.iter().map(|(name, _)| Arc::clone(name)));
            }
        }
        names
            .iter()
            .filter_map(|name| self.class_attribute(class, name))
            .any(|value| self.is_open_method(&value))
    }

    fn is_open_method(&self, value: &Py) -> bool {
        let mut at = value.clone();
        loop {
            let Py::Object(id) = at else {
                return false;
            };
            at = match self.heap.get(id) {
                Object::Function(function) => {
                    return function.attributes.get("__isabstractmethod__").is_some();
                }
                Object::Wrapped(_, inner) => inner.clone(),
                Object::Accessors { get, .. } => get.clone(),
                _ => return false,
            };
        }
    }
}
