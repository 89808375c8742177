//! Objects of classes of the file: made from arguments, or known by their class only.

use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, ExprKind, Item, ItemKind};

use super::declarations::role_of;
use super::frame::Frame;
use super::nesting::Underway;
use super::{Interpreter, construct};
use crate::fact::Role;
use crate::origin::{Origin, Place, Root};
use crate::reason::Reason;
use crate::tensor::Pointer;
use crate::types::{RecordType, Type};
use crate::value::{Object, Value};

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
            return Value::Object(Arc::clone(object));
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

    /// What is left of initialisers for the members, as those of the bases stand in front of them;
    /// `None` where a constructor of a base is used, or the members of a base stand without braces.
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

    /// An object of which only the class is known.
    pub(super) fn symbolic_object(&mut self, record: &RecordType, name: &str) -> Value {
        let mut fields = Vec::new();
        for binding in self.data_members(record.instance) {
            let Some(field) = &binding.name else {
                continue;
            };
            let ty = self.known_type_of_member(record.instance, binding);
            let value = match &ty {
                Type::Record(_) => Value::Instance(Box::new(ty.clone())),
                Type::Scalar(scalar) if scalar.is_integer() => {
                    let symbol = format!("{name}.{}", field.name);
                    self.shared_symbol(&symbol, field.span)
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
            interpreter.symbolic_object(base, name)
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
                    if fields.iter().all(|(known, _)| known != name) {
                        fields.push((name.clone(), value.clone()));
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
        let key = (instance, std::ptr::from_ref(binding));
        if let Some(known) = self.member_types.get(&key) {
            return known.clone();
        }
        let mut scope = self.record_frame(instance);
        let ty = self.type_of_member(instance, binding, &mut scope);
        // What is not known while a class is still being read may be known later.
        if !matches!(ty, Type::Unknown(_)) {
            self.member_types.insert(key, ty.clone());
        }
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
            Ok(class) if is_array => Type::Pointer(Box::new(class)),
            Ok(class) => class,
            Err(reason) => Type::Unknown(reason),
        }
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
