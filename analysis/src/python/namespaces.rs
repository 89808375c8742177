//! `types.SimpleNamespace`: objects of named values, which some functions of the library return.

use std::sync::Arc;

use super::heap::{Class, ClassKind, Names, Object, Options};
use super::machine::{Machine, Run};
use super::native::{Given, Native, native};
use super::value::Py;

/// `SimpleNamespace(**named)`
pub(super) static NAMESPACE: Native = native("types.SimpleNamespace", "**named", namespace);

fn namespace(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let class = machine.heap.add(Object::Class(Class {
        name: "SimpleNamespace".into(),
        qualified: "SimpleNamespace".into(),
        options: Options::default(),
        metaclass: None,
        is_abc: false,
        is_abstract: false,
        module: "types".into(),
        order: Arc::from([]),
        foreign: Vec::new(),
        attributes: Names::default(),
        kind: ClassKind::Plain,
        fields: Vec::new(),
    }));
    if let Some(Object::Class(found)) = machine.heap.get_mut(class) {
        found.order = Arc::from([class]);
    }
    let mut attributes = Names::default();
    for (name, value) in &given.named {
        attributes.set(Arc::clone(name), value.clone());
    }
    Ok(Py::Object(machine.heap.add(Object::Instance(
        super::heap::Instance {
            class,
            attributes,
            built_in: None,
        },
    ))))
}
