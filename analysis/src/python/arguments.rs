//! Arguments of a compiled function: numbers become the kernel's, unless they are declared to be constants.

use std::sync::Arc;

use tree_sitter_cute::script::{BinaryOp, Expr, ExprKind, Param};
use tree_sitter_cute::tree::Span;

use super::dsl;
use super::heap::{ClassKind, Function, Id, Instance, Object};
use super::machine::{Frame, Machine, Run};
use super::native::Args;
use super::value::{Builtin, Py};
use crate::types::Scalar;
use crate::value::Value;

/// Annotations under which a number stays one of the trace: the DSL's own types of shapes.
const OF_SHAPES: [&str; 6] = ["Shape", "Stride", "Coord", "Tile", "Tiler", "IntTuple"];

impl Machine<'_> {
    /// Arguments of a function that is compiled: numbers are the kernel's, those inside of tuples too.
    pub(super) fn at_run_time(
        &mut self,
        function: &Function,
        bound: &mut [(Arc<str>, Py)],
    ) -> Run<()> {
        for (at, ((name, value), param)) in bound.iter_mut().zip(&function.code.params).enumerate()
        {
            if let Some(tensor) = self.as_tensor(value)? {
                *value = tensor;
                continue;
            }
            // The object whose method is compiled is the trace's.
            let is_receiver = at == 0 && matches!(&**name, "self" | "cls");
            if is_receiver || self.is_constant(function, param)? {
                continue;
            }
            let ty = match value {
                Py::Int(_) | Py::Float(_) => self.declared_type(function, param)?,
                _ => None,
            };
            *value = self.of_kernel(name, value)?;
            if let (Some(ty), Some(int)) = (ty, value.as_int()) {
                *value = Py::of_type(int, Some(ty));
            }
        }
        Ok(())
    }

    /// A value as the kernel gets it.
    fn of_kernel(&mut self, name: &str, value: &Py) -> Run<Py> {
        Ok(match value {
            Py::Bool(_) => Py::run_time_bool(),
            Py::Float(_) => match Scalar::of_spelling("float") {
                Some(float) => Py::Leaf(Value::Number(float)),
                None => value.clone(),
            },
            Py::Int(_) => self.numbers.symbol(name),
            Py::Leaf(Value::Int(int)) | Py::Whole(int, _)
                if self.numbers.constant_of(int).is_some() =>
            {
                let ty = dsl::number_type(value).flatten();
                self.numbers.number(name, ty)
            }
            Py::Tuple(items) => Py::tuple(self.all_of_kernel(name, items)?),
            Py::Object(id) => self.object_of_kernel(name, *id)?,
            other => other.clone(),
        })
    }

    fn all_of_kernel(&mut self, name: &str, items: &[Py]) -> Run<Vec<Py>> {
        self.step(items.len())?;
        let mut made = Vec::with_capacity(items.len());
        for item in items {
            made.push(self.deeper(|machine| machine.of_kernel(name, item))?);
        }
        Ok(made)
    }

    /// A list, a `NamedTuple` or a dataclass is made anew of the kernel's values. A value with its own way of being
    /// passed keeps its content.
    fn object_of_kernel(&mut self, name: &str, id: Id) -> Run<Py> {
        let same = Py::Object(id);
        let made = match self.heap.get(id) {
            Object::List(items) => {
                let items = items.clone();
                let made = self.all_of_kernel(name, &items)?;
                (made != items).then_some(Object::List(made))
            }
            Object::Instance(instance) => {
                let instance = instance.clone();
                self.instance_of_kernel(name, &instance)?
                    .map(Object::Instance)
            }
            _ => None,
        };
        Ok(match made {
            Some(made) => Py::Object(self.heap.add(made)),
            None => same,
        })
    }

    fn instance_of_kernel(&mut self, name: &str, instance: &Instance) -> Run<Option<Instance>> {
        let Object::Class(class) = self.heap.get(instance.class) else {
            return Ok(None);
        };
        let kind = class.kind;
        let fields = class.fields.clone();
        let is_of_fields = matches!(kind, ClassKind::Dataclass | ClassKind::NamedTuple);
        let passes_itself = self
            .class_attribute(instance.class, "__extract_mlir_values__")
            .is_some();
        if !is_of_fields || passes_itself {
            return Ok(None);
        }
        let mut made = instance.clone();
        for field in &fields {
            if field.annotation == Py::Builtin(Builtin::Dsl("Constexpr")) {
                continue;
            }
            if let Some(value) = instance.attributes.get(&field.name) {
                let value = value.clone();
                let value = self.deeper(|machine| machine.of_kernel(name, &value))?;
                made.attributes.set(Arc::clone(&field.name), value);
            }
        }
        if kind == ClassKind::NamedTuple
            && let Some(Py::Tuple(items)) = &instance.built_in
        {
            let mut values = Vec::with_capacity(items.len());
            for (item, field) in items.iter().zip(&fields) {
                let own = made.attributes.get(&field.name).cloned();
                values.push(match own {
                    Some(own) => own,
                    None if field.annotation == Py::Builtin(Builtin::Dsl("Constexpr")) => {
                        item.clone()
                    }
                    None => self.deeper(|machine| machine.of_kernel(name, item))?,
                });
            }
            made.built_in = Some(Py::tuple(values));
        }
        Ok((made != *instance).then_some(made))
    }

    /// A tensor of `torch` as compiled code sees it: all sizes but the stride 1 are known only at run time.
    fn as_tensor(&mut self, value: &Py) -> Run<Option<Py>> {
        let Py::Object(id) = value else {
            return Ok(None);
        };
        let Object::Instance(instance) = self.heap.get(*id) else {
            return Ok(None);
        };
        match self.heap.get(instance.class) {
            Object::Class(class) if &*class.module == "torch" && &*class.name == "Tensor" => {}
            _ => return Ok(None),
        }
        let runtime = Py::Object(self.module("cutlass.cute.runtime")?);
        let from = self.attribute(&runtime, "from_dlpack")?;
        let tensor = self.call(&from, Args::of(vec![value.clone()], Span::default()))?;
        let mark = self.attribute(&tensor, "mark_layout_dynamic")?;
        self.call(&mark, Args::default()).map(Some)
    }

    /// The numeric type of the DSL that a parameter is declared with.
    fn declared_type(&mut self, function: &Function, param: &Param) -> Run<Option<Scalar>> {
        let Some(annotation) = &param.annotation else {
            return Ok(None);
        };
        let frame = Frame::of(function.scope, function.file, "");
        let (found, _) = self.in_frame(frame, |machine| machine.eval(annotation));
        Ok(match found.or_else(super::statements::ignore_error)? {
            Py::Scalar(scalar) => Some(scalar),
            _ => None,
        })
    }

    /// Whether the numbers of a parameter are declared to be constants of the trace.
    fn is_constant(&mut self, function: &Function, param: &Param) -> Run<bool> {
        let Some(annotation) = &param.annotation else {
            return Ok(false);
        };
        let frame = Frame::of(function.scope, function.file, "");
        let (found, _) = self.in_frame(frame, |machine| machine.says_constant(annotation));
        found
    }

    fn says_constant(&mut self, annotation: &Expr) -> Run<bool> {
        match &annotation.kind {
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                return Ok(self.says_constant(left)? || self.says_constant(right)?);
            }
            ExprKind::Subscript(outer, inner) if is_union(outer) => {
                return match &inner.kind {
                    ExprKind::Tuple(items) => {
                        for item in items {
                            if self.says_constant(item)? {
                                return Ok(true);
                            }
                        }
                        Ok(false)
                    }
                    _ => self.says_constant(inner),
                };
            }
            _ => {}
        }
        let ty = self.eval(annotation);
        Ok(match ty.or_else(super::statements::ignore_error)? {
            Py::Builtin(Builtin::Dsl(name)) => name == "Constexpr" || OF_SHAPES.contains(&name),
            _ => false,
        })
    }
}

/// `Optional[...]` and `Union[...]`, under whatever module.
fn is_union(outer: &Expr) -> bool {
    let name = match &outer.kind {
        ExprKind::Name(name) => &**name,
        ExprKind::Attribute(_, name) => &*name.text,
        _ => return false,
    };
    matches!(name, "Optional" | "Union")
}
