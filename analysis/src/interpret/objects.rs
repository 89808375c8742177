//! Objects of classes of the file: made from arguments, or known by their class only.

use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Item, ItemKind, Span};

use super::frame::Frame;
use super::heads::role_of;
use super::nesting::Underway;
use super::object_layouts::unnamed_records;
use super::{Interpreter, construct};
use crate::hash::HashSet;
use crate::origin::{Origin, Place, Root};
use crate::reason::Reason;
use crate::role::Role;
use crate::tensor::Pointer;
use crate::types::{RecordType, ScalarClass, Type};
use crate::value::{Object, Value};

/// Classes inside of one another in which a member is looked for.
const NESTED: usize = 8;

impl<'u> Interpreter<'u> {
    pub(super) fn has_constructor(&mut self, instance: usize) -> bool {
        let name = self
            .record_declaration(instance)
            .and_then(|record| record.name.as_ref());
        name.is_some_and(|name| !self.methods(instance, &name.name).is_empty())
    }

    /// `T{args}` of a class without constructors: its bases, then its members in order.
    pub(super) fn construct_object(
        &mut self,
        record: &RecordType,
        args: &[Value],
        frame: &mut Frame<'u>,
    ) -> Value {
        let made = self.once_inside(Underway::Object(record.instance), |it| {
            it.object_of(record, args, frame)
        });
        made.unwrap_or_else(|| Value::Unknown(Reason::Circular((*record.name).into())))
    }

    fn object_of(&mut self, record: &RecordType, args: &[Value], frame: &mut Frame<'u>) -> Value {
        let has_constructor = self.has_constructor(record.instance);
        if let [Value::Object(object)] = args
            && object.class == *record
        {
            if self.copies_with_code(record.instance) {
                return Value::Instance(Box::new(Type::Record(record.clone())));
            }
            return Value::Object(Arc::clone(object));
        }
        if let [object @ Value::Object(_)] = args {
            let part = self.as_declared(object.clone(), &Type::Record(record.clone()));
            if matches!(&part, Value::Object(part) if part.class == *record) {
                return part;
            }
        }
        let unseen = || Value::Instance(Box::new(Type::Record(record.clone())));
        if has_constructor && (!args.is_empty() || self.default_constructor_acts(record.instance)) {
            return unseen();
        }
        let of_bases = args.is_empty();
        let Some(args) = self.initialisers_of_members(record.instance, args) else {
            return unseen();
        };
        let mut fields = Vec::new();
        for (index, binding) in self.data_members(record.instance).into_iter().enumerate() {
            let Some(name) = &binding.name else {
                continue;
            };
            let mut scope = self.record_frame(record.instance);
            let ty = self.type_of_member(record.instance, binding, &mut scope);
            let value = match args.get(index) {
                _ if binding.bits.is_some() => bit_field(),
                None if binding.init.is_none() && matches!(ty, Type::Record(_)) => {
                    self.construct_value(&ty, &[], &mut scope)
                }
                Some(Value::Tuple(items)) => self.construct_value(&ty, items, &mut scope),
                Some(value) => super::conversion::convert(value.clone(), &ty),
                None => self.initial_value(binding, name, &mut scope),
            };
            fields.push((name.name.clone(), value));
        }
        if args.len() > fields.len() {
            return construct("more initialisers than members");
        }
        self.add_fields_of_bases(record.instance, &mut fields, &mut |interpreter, base| {
            let name = format!("{}::{}", record.name, base.name);
            if of_bases {
                interpreter.construct_object(base, &[], frame)
            } else {
                interpreter.symbolic_object(base, &frame.symbol_name(&name))
            }
        });
        Value::Object(Arc::new(Object {
            class: record.clone(),
            fields,
        }))
    }

    /// The initialisers of the members, behind those of the bases; `None` where a constructor of a base is used, or the
    /// members of a base are without braces.
    fn initialisers_of_members<'v>(
        &mut self,
        instance: usize,
        args: &'v [Value],
    ) -> Option<&'v [Value]> {
        let bases = self
            .record_declaration(instance)
            .map_or(0, |record| record.bases.len());
        if bases == 0 || args.is_empty() {
            return Some(args);
        }
        let is_using = |item: &&'u Item| matches!(item.kind, ItemKind::Using(_));
        if self.member_items(instance).iter().any(is_using) {
            return None;
        }
        let (of_bases, rest) = args.split_at(bases.min(args.len()));
        let is_whole = |value: &Value| {
            matches!(
                value,
                Value::Tuple(_) | Value::Object(_) | Value::Instance(_)
            )
        };
        of_bases.iter().all(is_whole).then_some(rest)
    }

    /// Whether initialisers of C++ say which members they are for.
    pub(super) fn has_designators(&self, items: &[Expr]) -> bool {
        let is_designated = |item: &Expr| matches!(item.kind, ExprKind::Designated(..));
        self.settings.is_cpp() && items.iter().any(is_designated)
    }

    /// Initialisers `.m = x` of the first members of a class, in order; not known where they leave one out.
    pub(super) fn designated(
        &mut self,
        ty: &Type,
        items: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        if !self.has_designators(items) {
            return None;
        }
        let Type::Record(class) = ty else {
            return Some(construct("designated initialisers"));
        };
        let members = self.data_members(class.instance);
        let names = members.iter().map(|it| it.name.as_ref());
        let mut names = names.map(|name| name.map_or("", |name| name.name.as_str()));
        let mut values = Vec::with_capacity(items.len());
        let mut is_first = !self.has_bases(class.instance);
        for item in items {
            let (name, inner) = match &item.kind {
                ExprKind::Designated(name, inner) => (name.name.as_str(), &**inner),
                _ => ("", item),
            };
            is_first &= !name.is_empty() && names.next() == Some(name);
            values.push(self.eval(inner, frame));
        }
        Some(if is_first {
            Value::Tuple(values)
        } else {
            construct("designated initialisers that leave out a member")
        })
    }

    /// A value as one of a declared type: of an object of a derived class the part that its base is.
    pub(super) fn as_declared(&mut self, value: Value, ty: &Type) -> Value {
        let (Value::Object(object), Type::Record(class)) = (&value, ty) else {
            return value;
        };
        let own = object.class.instance;
        if own == class.instance || self.derives_from(own, class.instance) != Some(true) {
            return value;
        }
        let mut names = HashSet::default();
        self.add_member_names(class.instance, &mut names);
        let fields = object.fields.iter();
        let fields = fields.filter(|(name, _)| names.contains(name.as_str()));
        Value::Object(Arc::new(Object {
            class: class.clone(),
            fields: fields.cloned().collect(),
        }))
    }

    /// The value that a reference shows of its referent.
    pub(super) fn seen_through(
        &mut self,
        value: Value,
        declared: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        let binding = frame.locals.declaration(declared);
        let written = binding.and_then(|binding| binding.ty.as_ref());
        match (&value, written) {
            (Value::Object(_), Some(ty)) if !matches!(ty.kind, ExprKind::Auto) => {
                let recording = frame.mode.pause();
                let ty = self.eval_type(ty, frame);
                frame.mode.recording = recording;
                self.as_declared(value, &ty)
            }
            _ => value,
        }
    }

    /// The names of the data members of a class and its bases.
    fn add_member_names(&mut self, instance: usize, names: &mut HashSet<&'u str>) {
        for binding in self.data_members(instance) {
            names.extend(binding.name.as_ref().map(|name| name.name.as_str()));
        }
        if !self.has_bases(instance) {
            return;
        }
        for base in self.bases(instance).iter() {
            let Type::Record(base) = base else { continue };
            let base = base.instance;
            if base != instance {
                self.nested(|it| it.add_member_names(base, names));
            }
        }
    }

    /// An object of which only the class is known.
    pub(super) fn symbolic_object(&mut self, record: &RecordType, name: &str) -> Value {
        self.symbolic_object_at(record, name, None)
    }

    /// The same of an object that is named at a place: assumptions about its members there hold.
    pub(super) fn symbolic_object_at(
        &mut self,
        record: &RecordType,
        name: &str,
        place: Option<Span>,
    ) -> Value {
        let mut fields = Vec::new();
        for binding in self.data_members(record.instance) {
            let Some(field) = &binding.name else {
                continue;
            };
            let ty = self.known_type_of_member(record.instance, binding);
            let value = match &ty {
                _ if binding.bits.is_some() => bit_field(),
                Type::Record(_) => Value::Instance(Box::new(ty.clone())),
                Type::Scalar(scalar) if scalar.is_integer() => {
                    let symbol = format!("{name}.{}", field.name);
                    let place = self.assumed_at(&symbol, place, field.span);
                    self.shared_symbol(&symbol, place)
                }
                Type::Scalar(scalar) if scalar.class == ScalarClass::Bool => {
                    let truth = format!("{name}.{}", field.name);
                    let place = self.assumed_at(&truth, place, field.span);
                    self.run_time_truth(&truth, place)
                }
                ty => {
                    let place = Place::of(Root::Record(record.instance)).member(&field.name);
                    let mut scope = self.record_frame(record.instance);
                    match self.symbolic_value(ty, field, &mut scope) {
                        Value::Pointer(pointer) => Value::Pointer(Pointer {
                            origin: Origin(Some(Arc::new(place))),
                            ..pointer
                        }),
                        value => value,
                    }
                }
            };
            fields.push((field.name.clone(), value));
        }
        self.add_fields_of_bases(record.instance, &mut fields, &mut |interpreter, base| {
            interpreter.symbolic_object_at(base, name, place)
        });
        Value::Object(Arc::new(Object {
            class: record.clone(),
            fields,
        }))
    }

    /// Adds the members that an object has from the bases of its class, behind its own, which hide them.
    fn add_fields_of_bases(
        &mut self,
        instance: usize,
        fields: &mut Vec<(String, Value)>,
        part: &mut dyn FnMut(&mut Self, &RecordType) -> Value,
    ) {
        if !self.has_bases(instance) {
            return;
        }
        for base in self.bases(instance).iter() {
            let Type::Record(base) = base else { continue };
            if base.instance == instance {
                continue;
            }
            let whole = self.nested(|it| match part(it, base) {
                Value::Instance(_) => it.symbolic_object(base, &base.name),
                whole => whole,
            });
            if let Some(Value::Object(object)) = whole {
                for (name, value) in &object.fields {
                    match fields.iter_mut().find(|(known, _)| known == name) {
                        // The choice between the two is not followed.
                        Some((_, known)) => *known = construct("a name of two members"),
                        None => fields.push((name.clone(), value.clone())),
                    }
                }
            }
        }
    }

    /// Whether a constructor without arguments does something.
    fn default_constructor_acts(&mut self, instance: usize) -> bool {
        let Some(name) = self
            .record_declaration(instance)
            .and_then(|record| record.name.as_ref())
        else {
            return false;
        };
        let constructors = self.methods(instance, &name.name);
        constructors.iter().any(|constructor| {
            let takes_nothing = constructor
                .params
                .iter()
                .all(|param| param.init.is_some() || param.specifiers.pack);
            let is_empty = constructor.body.as_ref().is_some_and(Vec::is_empty)
                && constructor.member_inits.is_empty();
            takes_nothing && !constructor.flags.defaulted && !is_empty
        })
    }

    /// The type of a data member, evaluated once.
    pub(super) fn known_type_of_member(&mut self, instance: usize, binding: &'u Binding) -> Type {
        if let Some(known) = self.computed.classes.member_type(instance, binding) {
            return known.clone();
        }
        let mut scope = self.record_frame(instance);
        let ty = self.type_of_member(instance, binding, &mut scope);
        let classes = &mut self.computed.classes;
        classes.keep_member_type(instance, binding, &ty);
        ty
    }

    /// The type of a data member; a class that is defined in its declaration, `union { .. } m;`, has
    /// no name to be found by.
    pub(super) fn type_of_member(
        &mut self,
        instance: usize,
        binding: &'u Binding,
        frame: &mut Frame<'u>,
    ) -> Type {
        let Some(ty) = &binding.ty else {
            return Type::Placeholder;
        };
        let (element, is_array) = match &ty.kind {
            ExprKind::Array(element, _) => (&**element, true),
            _ => (ty, false),
        };
        let items = self.member_items(instance);
        let in_place = items.iter().find_map(|item| match &item.kind {
            ItemKind::Record(record) if record.name.is_none() && item.span == element.span => {
                Some(&**record)
            }
            _ => None,
        });
        let Some(record) = in_place else {
            return self.eval_type(ty, frame);
        };
        let id = self
            .program
            .record_id(record, self.module_of_record(instance));
        match self.record_instance(&[id], None, Some(instance), frame) {
            Ok(class) if is_array => Type::Array(Box::new(class), None),
            Ok(class) => class,
            Err(reason) => Type::Unknown(reason),
        }
    }

    /// The data member that a name reaches, with the instance of the class that declares it: the class, an unnamed union or
    /// struct in it, or a base.
    pub(super) fn reached_member(
        &mut self,
        instance: usize,
        name: &str,
    ) -> Option<(usize, &'u Binding)> {
        self.reached_member_within(instance, name, NESTED)
    }

    fn reached_member_within(
        &mut self,
        instance: usize,
        name: &str,
        depth: usize,
    ) -> Option<(usize, &'u Binding)> {
        let is_named = |binding: &&Binding| {
            let own = binding.name.as_ref();
            own.is_some_and(|own| own.name == name)
        };
        if let Some(found) = self.data_members(instance).into_iter().find(is_named) {
            return Some((instance, found));
        }
        let depth = depth.checked_sub(1)?;
        let module = self.module_of_record(instance);
        let mut inside: Vec<usize> = Vec::new();
        for record in unnamed_records(&self.member_items(instance)) {
            let id = self.program.record_id(record, module);
            let mut frame = self.record_frame(instance);
            let class = self.record_instance(&[id], None, Some(instance), &mut frame);
            if let Ok(Type::Record(class)) = class {
                inside.push(class.instance);
            }
        }
        for base in self.bases(instance).iter() {
            if let Type::Record(base) = base {
                inside.push(base.instance);
            }
        }
        inside
            .into_iter()
            .find_map(|inner| self.reached_member_within(inner, name, depth))
    }

    pub(super) fn data_members(&mut self, instance: usize) -> Vec<&'u Binding> {
        self.use_record(instance);
        self.member_items(instance)
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::Binding(binding)
                    if role_of(binding) != Role::Alias
                        && !binding.specifiers.is_static
                        && !binding.specifiers.constexpr =>
                {
                    Some(&**binding)
                }
                _ => None,
            })
            .collect()
    }
}

/// A number that is cut to its bits wherever it is stored.
fn bit_field() -> Value {
    construct("a bit-field")
}
