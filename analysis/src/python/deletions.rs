//! `del`.

use std::sync::Arc;

use tree_sitter_cute::script::{Expr, ExprKind};
use tree_sitter_cute::tree::Span;

use super::containers;
use super::heap::Object;
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::Py;
use crate::reason::Reason;

impl Machine<'_> {
    pub(super) fn delete(&mut self, target: &Expr) -> Run<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                let is_of_function = self
                    .frames
                    .last()
                    .is_some_and(|it| !it.qualified.is_empty());
                match self.scope().map(|scope| self.heap.get(scope)) {
                    Some(Object::Scope(scope)) if is_of_function && !scope.is_class => {
                        let why = "the name whose value was deleted";
                        let gone = Py::Unknown(Reason::Raised("UnboundLocalError", why.into()));
                        self.bind(name, gone);
                    }
                    _ => self.unbind(name),
                }
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                for target in targets {
                    self.delete(target)?;
                }
            }
            ExprKind::Attribute(object, name) => {
                let object = self.eval(object)?;
                self.delete_attribute(&object, &name.text)?;
            }
            ExprKind::Subscript(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                self.delete_item(&object, &index)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Forgets a name of a module or a class body.
    fn unbind(&mut self, name: &Arc<str>) {
        if let Some(scope) = self.scope()
            && let Some(Object::Scope(scope)) = self.heap.get_mut(scope)
        {
            scope.names.remove(name);
        }
    }

    /// `del object.name`
    pub(super) fn delete_attribute(&mut self, object: &Py, name: &Arc<str>) -> Run<()> {
        if let Some(method) = self.method(object, "__delattr__")? {
            let args = vec![Py::Str(Arc::clone(name))];
            self.call(&method, Args::of(args, Span::default()))?;
            return Ok(());
        }
        if let Some(class) = self.class_of(object)
            && let Some(Py::Object(found)) = self.class_attribute(class, name)
        {
            let delete = match self.heap.get(found) {
                Object::Accessors { delete, .. } => delete.clone(),
                _ => self.method(&Py::Object(found), "__delete__")?,
            };
            if let Some(delete) = delete {
                self.call(&delete, Args::of(vec![object.clone()], Span::default()))?;
                return Ok(());
            }
        }
        let Py::Object(id) = object else {
            return Ok(());
        };
        let was_there = match self.heap.get_mut(*id) {
            Some(Object::Instance(instance)) => instance.attributes.remove(name),
            Some(Object::Function(function)) => function.attributes.remove(name),
            Some(Object::Class(class)) => class.attributes.remove(name),
            _ => true,
        };
        match was_there || self.is_foreign(object) {
            true => Ok(()),
            false => Err(Stop::error(
                "AttributeError",
                &format!("the missing attribute `{name}`"),
            )),
        }
    }

    /// `del object[index]`
    pub(super) fn delete_item(&mut self, object: &Py, index: &Py) -> Run<()> {
        if let Some(method) = self.method(object, "__delitem__")? {
            self.call(&method, Args::of(vec![index.clone()], Span::default()))?;
            return Ok(());
        }
        let content = self.content_of(object);
        let object = content.as_ref().unwrap_or(object);
        let Py::Object(id) = object else {
            return Ok(());
        };
        match self.heap.get(*id) {
            Object::Dict(_) | Object::Attributes(_) => {
                let mut entries = self.entries_of(object).unwrap_or_default();
                let Some(at) = self.place_of_key(&entries, index)? else {
                    return Err(Stop::error("KeyError", "a missing key"));
                };
                entries.remove(at);
                self.put_entries(object, entries);
            }
            Object::List(items) => {
                let places = match index {
                    Py::Slice(parts) => containers::slice(parts, items.len()),
                    index => containers::index_of(index, items.len()).map(|at| vec![at]),
                };
                let Some(mut places) = places else {
                    let why = Reason::Construct("`del` of an element");
                    self.heap.put(*id, Object::Lost(why));
                    return Ok(());
                };
                places.sort_unstable();
                if let Some(Object::List(items)) = self.heap.get_mut(*id) {
                    for at in places.into_iter().rev() {
                        items.remove(at);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}
