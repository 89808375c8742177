//! The location of an expression that names a variable or a part of one, through references and pointers to it.

use std::sync::Arc;

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, ItemKind, Reference, Span, StructuredBinding, UnaryOp,
};

use super::Interpreter;
use super::frame::Frame;
use super::locations::{Base, Location, Part};
use super::mutation;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::{Object, Value};
use crate::walk;

impl<'u> Interpreter<'u> {
    /// The variable or the part of one that an expression is; `None` where it is something else, or where that is
    /// known only when the program runs.
    pub(super) fn location(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Location<'u>> {
        match &expr.kind {
            ExprKind::Name(_) => {
                let name = expr.as_plain_name()?;
                if let Some(variable) = frame.find(name) {
                    let declared = variable.declared;
                    let named = frame.changes.references.of(declared).cloned();
                    return Some(named.unwrap_or(Location {
                        base: Base::Variable(name, declared),
                        path: Vec::new(),
                    }));
                }
                let path = match name {
                    "this" => return None,
                    name => vec![Part::Field(name)],
                };
                let location = Location {
                    base: Base::This,
                    path,
                };
                read(&location, frame).map(|_| location)
            }
            ExprKind::Unary(UnaryOp::Deref, inner) => self.pointed_location(inner, frame),
            ExprKind::Member {
                object,
                member,
                arrow,
            } => {
                let mut location = if *arrow {
                    self.pointed_location(object, frame)?
                } else {
                    self.location(object, frame)?
                };
                location.path.push(Part::Field(&member.name.name));
                Some(location)
            }
            ExprKind::Index(object, indices) => {
                let [index] = indices.as_slice() else {
                    return None;
                };
                let mut location = self.location(object, frame)?;
                let is_tuple = matches!(read(&location, frame), Some(Value::Tuple(_)));
                let index = self.plain_number(index, frame).filter(|_| is_tuple)?;
                location.path.push(Part::Element(index));
                Some(location)
            }
            // `get<0>(x)`
            ExprKind::Call(callee, args) => {
                let last = callee.as_path()?.last()?;
                let ([arg], Some([index])) = (args.as_slice(), last.args.as_deref()) else {
                    return None;
                };
                if last.name.name != "get" {
                    return None;
                }
                let mut location = self.location(arg, frame)?;
                let is_tuple = matches!(read(&location, frame), Some(Value::Tuple(_)));
                let index = self.plain_number(index, frame).filter(|_| is_tuple)?;
                location.path.push(Part::Element(index));
                Some(location)
            }
            _ => None,
        }
    }

    /// The location that `this`, or a pointer variable that keeps its address, points to.
    pub(super) fn pointed_location(
        &mut self,
        pointer: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Location<'u>> {
        match &pointer.kind {
            ExprKind::Name(_) if pointer.as_plain_name() == Some("this") => Some(Location {
                base: Base::This,
                path: Vec::new(),
            }),
            ExprKind::Name(_) => {
                let declared = frame.find(pointer.as_plain_name()?)?.declared;
                frame.changes.references.pointers.get(&declared).cloned()
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => self.location(inner, frame),
            _ => None,
        }
    }

    /// The number that an index without effects is.
    fn plain_number(&mut self, index: &'u Expr, frame: &mut Frame<'u>) -> Option<usize> {
        if !matches!(index.kind, ExprKind::Int(_) | ExprKind::Name(_)) {
            return None;
        }
        let recording = frame.mode.pause();
        let value = self.eval(index, frame);
        frame.mode.recording = recording;
        usize::try_from(value.as_int()?.value()?).ok()
    }

    /// Notes the referent of a declared reference or pointer.
    pub(super) fn note_reference(&mut self, binding: &'u Binding, frame: &mut Frame<'u>) {
        let (Some(name), Some(init)) = (&binding.name, &binding.init) else {
            return;
        };
        if binding.reference != Reference::None {
            if let Some(location) = self.location(init, frame)
                && has_parts_that_change(&location, frame)
            {
                frame.changes.references.named.insert(name.span, location);
            }
            return;
        }
        let address = match &init.kind {
            ExprKind::Unary(UnaryOp::AddressOf, inner) => self.location(inner, frame),
            // `int* q = p;`
            ExprKind::Name(_) => self.pointed_location(init, frame),
            _ => None,
        };
        if let Some(location) = address.filter(|location| has_parts_that_change(location, frame)) {
            frame
                .changes
                .references
                .pointers
                .insert(name.span, location);
        }
    }

    /// Notes the referents of the names of `auto& [a, b] = x`.
    pub(super) fn note_references(
        &mut self,
        binding: &'u StructuredBinding,
        value: &Value,
        frame: &mut Frame<'u>,
    ) {
        let Some(init) = binding
            .init
            .as_ref()
            .filter(|_| binding.reference != Reference::None)
        else {
            return;
        };
        let Some(whole) = self.location(init, frame) else {
            return;
        };
        for (index, name) in binding.names.iter().enumerate() {
            let mut location = whole.clone();
            match value {
                Value::Tuple(_) => location.path.push(Part::Element(index)),
                Value::Object(object) => {
                    let fields = self.data_members(object.class.instance);
                    let field = fields
                        .into_iter()
                        .filter_map(|field| field.name.as_ref())
                        .nth(index);
                    let Some(field) = field else { return };
                    location.path.push(Part::Field(&field.name));
                }
                _ => return,
            }
            if has_parts_that_change(&location, frame) {
                frame.changes.references.named.insert(name.span, location);
            }
        }
    }

    /// The present value of the referent of a reference.
    pub(super) fn referred(declared: Span, frame: &Frame<'u>) -> Option<Value> {
        let location = frame.changes.references.of(declared)?;
        Some(
            read(location, frame).unwrap_or_else(|| {
                Value::Unknown(Reason::RunTime("the target of a reference".into()))
            }),
        )
    }

    /// The value of a variable for one reader: another one each time where something may have changed it since.
    pub(super) fn present_value(
        &mut self,
        value: Value,
        name: &'u str,
        declared: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        let may_differ = frame.changes.untraceable.escaped.contains(name)
            && !frame.locals.is_constant(declared)
            && matches!(
                value,
                Value::Int(_) | Value::Bool(_) | Value::Tuple(_) | Value::Object(_)
            )
            && !value.is_static();
        if may_differ {
            self.fresh_copy(value, name, declared, frame)
        } else {
            value
        }
    }

    /// The value of a variable outside of functions for one reader: another one each time where something may have
    /// changed it since.
    pub(super) fn present_global(
        &mut self,
        value: Value,
        binding: &'u Binding,
        name: &'u str,
        frame: &mut Frame<'u>,
    ) -> Value {
        let names = &frame.changes.untraceable;
        let is_variable = matches!(value, Value::Int(_) | Value::Tuple(_) | Value::Object(_))
            && !value.is_static()
            && !binding.specifiers.constant
            && !binding.specifiers.constexpr
            && !self.is_rust();
        match &binding.name {
            Some(declared) if is_variable && (names.calls || names.assigned.contains(name)) => {
                self.fresh_copy(value, name, declared.span, frame)
            }
            _ => value,
        }
    }

    /// An object of which only the class is known gets separate members, which stay the same until they change.
    pub(super) fn with_members(
        &mut self,
        value: Value,
        written: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Value {
        let class = match &value {
            Value::Instance(ty) => match &**ty {
                Type::Record(class) => class.clone(),
                _ => return value,
            },
            _ => return value,
        };
        let location = self.location(written, frame);
        let name = match &location {
            Some(location) => frame.symbol_name(&Self::shown_location(location).0),
            None => self.object_name(Some(written), frame),
        };
        let object = self.symbolic_object_at(&class, &name, Some(written.span));
        if let Some(location) = location {
            write(&location, object.clone(), frame);
        }
        object
    }

    /// The present value of the pointee of a pointer, `written`, where that is known.
    pub(super) fn pointed(&mut self, written: &'u Expr, frame: &mut Frame<'u>) -> Option<Value> {
        let location = self.pointed_location(written, frame)?;
        if location.base == Base::This && location.path.is_empty() {
            return None;
        }
        read(&location, frame)
    }

    /// A variable or a part of it has another value from here on.
    pub(super) fn change_location(&mut self, location: &Location<'u>, frame: &mut Frame<'u>) {
        if self.is_rust() {
            return;
        }
        if let (Base::Variable(name, declared), []) = (location.base, location.path.as_slice()) {
            self.change_variable(name, declared, frame);
            return;
        }
        if let Base::Variable(_, declared) = location.base
            && frame.locals.is_constant(declared)
        {
            return;
        }
        self.renew(location, frame);
    }

    /// The same for a part that may change where the whole is constant.
    pub(super) fn renew(&mut self, location: &Location<'u>, frame: &mut Frame<'u>) {
        let Some(old) = read(location, frame) else {
            // Where the part is not known the whole may have changed.
            if !location.path.is_empty() {
                let whole = Location {
                    base: location.base,
                    path: Vec::new(),
                };
                self.change_location(&whole, frame);
            }
            return;
        };
        // Its symbols are not free for the new value.
        for symbol in old.symbols() {
            frame.symbols.add(&symbol);
        }
        let (name, place) = Self::shown_location(location);
        let new = self.fresh_copy(old, &name, place, frame);
        write(location, new, frame);
    }

    /// The printed name of a location, and a place for it.
    fn shown_location(location: &Location<'u>) -> (String, Span) {
        let (mut name, place) = match location.base {
            Base::Variable(name, declared) => (name.to_owned(), declared),
            Base::This => ("this".to_owned(), Span::default()),
        };
        for part in &location.path {
            match part {
                Part::Field(field) => name = format!("{name}.{field}"),
                Part::Element(index) => name = format!("{name}[{index}]"),
            }
        }
        (name, place)
    }

    /// Everything at the bottom of an expression has another value from here on.
    pub(super) fn change(&mut self, target: &'u Expr, frame: &mut Frame<'u>) {
        if let Some(location) = self.location(target, frame) {
            self.change_location(&location, frame);
            return;
        }
        let mut names = Vec::new();
        mutation::roots(target, &mut |name| names.push(name));
        // `f(x) = 4`, where f gives a reference.
        if let ExprKind::Call(callee, args) = &target.kind
            && let Some(path) = callee.as_path()
            && self.program.has_function(path)
            && callee
                .as_plain_name()
                .is_none_or(|name| frame.find(name).is_none())
        {
            for arg in args {
                mutation::roots(arg, &mut |name| names.push(name));
            }
        }
        // `g() = 4`, where a lambda gives a reference to what it captures or is given.
        if let ExprKind::Call(callee, args) = &target.kind
            && let Some(lambda) = self.lambda_of(callee, frame)
        {
            for arg in args {
                mutation::roots(arg, &mut |name| names.push(name));
            }
            walk::items(&lambda.body, &mut |item| {
                if let ItemKind::Return(Some(given)) = &item.kind {
                    mutation::roots(given, &mut |name| names.push(name));
                }
            });
        }
        for name in names {
            self.change_name(name, frame);
        }
    }
}

/// Whether another name for a location matters: its value is not fixed by its type.
fn has_parts_that_change(location: &Location<'_>, frame: &Frame<'_>) -> bool {
    read(location, frame).is_some_and(|value| {
        matches!(
            value,
            Value::Int(_) | Value::Bool(_) | Value::Tuple(_) | Value::Object(_) | Value::Unknown(_)
        )
    })
}

/// The value at a location.
pub(super) fn read(location: &Location<'_>, frame: &Frame<'_>) -> Option<Value> {
    let mut value = match location.base {
        Base::Variable(name, declared) => &frame.find_declared(name, declared)?.value,
        Base::This => frame.owner.this.as_ref()?,
    };
    for part in &location.path {
        value = match (part, value) {
            (Part::Field(name), Value::Object(object)) => {
                let (_, field) = object.fields.iter().find(|(field, _)| field == name)?;
                field
            }
            (Part::Element(index), Value::Tuple(items)) => items.get(*index)?,
            _ => return None,
        };
    }
    Some(value.clone())
}

/// Puts a value at a location.
pub(super) fn write(location: &Location<'_>, new: Value, frame: &mut Frame<'_>) {
    let target = match location.base {
        Base::Variable(name, declared) => frame
            .find_declared_mut(name, declared)
            .map(|variable| &mut variable.value),
        Base::This => frame.owner.this.as_mut(),
    };
    if let Some(target) = target {
        put(target, &location.path, new);
    }
}

fn put(target: &mut Value, path: &[Part<'_>], new: Value) {
    let Some((part, rest)) = path.split_first() else {
        *target = new;
        return;
    };
    match (part, target) {
        (Part::Field(name), Value::Object(object)) => {
            let object: &mut Object = Arc::make_mut(object);
            let field = object.fields.iter_mut().find(|(field, _)| field == name);
            if let Some((_, field)) = field {
                put(field, rest, new);
            }
        }
        (Part::Element(index), Value::Tuple(items)) => {
            if let Some(item) = items.get_mut(*index) {
                put(item, rest, new);
            }
        }
        _ => {}
    }
}
