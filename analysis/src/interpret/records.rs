//! Class instances: their members, bases and methods.

use std::rc::Rc;
use std::sync::Arc;

use cute_algebra::Int;
use tree_sitter_cute::tree::{Binding, Enum, Function, Ident, Item, ItemKind, Record, Segment};

use super::Interpreter;
use super::classes::SETTLED_DEPTH;
use super::frame::Frame;
pub(super) use super::heads::name_of;
use super::heads::role_of;
use super::ids::{ModuleId, RecordId};
use super::last_constant::Declared;
use super::object_layouts::unnamed_records;
use super::outside::Home;
use crate::hash::HashMap;
use crate::limits;
use crate::reason::Reason;
use crate::role::Role;
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    pub(super) fn record(&self, id: RecordId) -> Option<&'u Record> {
        self.program.records.get(id).map(|found| found.record)
    }

    pub(super) fn module_of_record(&self, instance: usize) -> ModuleId {
        self.computed
            .classes
            .get(instance)
            .and_then(|found| self.program.records.get(found.declaration))
            .map_or(0, |declaration| declaration.module)
    }

    pub(super) fn members(&self, instance: usize) -> &'u [Item] {
        self.computed
            .classes
            .get(instance)
            .and_then(|found| self.record(found.declaration))
            .and_then(|record| record.members.as_deref())
            .unwrap_or_default()
    }

    pub(super) fn record_frame(&self, instance: usize) -> Frame<'u> {
        let mut frame = Frame::new(self.module_of_record(instance), limits::STEPS_PER_INSTANCE);
        frame.scopes = self.computed.classes.scopes_of(instance);
        frame.owner.record = Some(instance);
        frame.mode.open = self.computed.classes.is_open(instance);
        frame
    }

    /// Notes that the definition of a class instance is needed.
    pub(super) fn use_record(&mut self, instance: usize) {
        if self.computed.classes.note_used(instance) {
            self.defer_report(instance);
            self.note_used_class(instance);
        }
    }

    /// Notes that the definition of a type is needed, where it is a class of the sources.
    pub(super) fn use_type(&mut self, ty: &Type) {
        if let Type::Record(record) = ty {
            self.use_record(record.instance);
        }
    }

    /// A constant, alias or nested class of a class instance.
    pub(super) fn record_member(
        &mut self,
        instance: usize,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let name = segment.name.name.as_str();
        let args = segment.args.as_ref().map(|args| self.eval_all(args, frame));
        let value = self.named_member(instance, name, args, Some(segment))?;
        let may_change = matches!(value, Value::Int(_) | Value::Tuple(_) | Value::Object(_));
        if !may_change || value.is_static() {
            return Some(value);
        }
        let owner = match self.computed.last_constant {
            Some(Declared::Of(owner, _)) => owner,
            _ => instance,
        };
        Some(match self.find_member(owner, name) {
            Some(MemberKind::Binding(binding)) if binding.specifiers.is_static => {
                self.present_global(value, binding, name, frame)
            }
            _ => value,
        })
    }

    /// Whether a name is in the type of the member that has this name, which is evaluated: the member is not declared yet.
    pub(super) fn is_declared_here(&mut self, instance: usize, segment: &Segment) -> bool {
        let name = segment.name.name.as_str();
        let class = self.computed.classes.get(instance);
        let is_evaluated = class.is_some_and(|it| matches!(it.known_member(name), Some(None)));
        if segment.args.is_some() || !is_evaluated {
            return false;
        }
        let Some(MemberKind::Binding(binding)) = self.find_member(instance, name) else {
            return false;
        };
        let ty = match role_of(binding) {
            Role::Alias => &binding.init,
            _ => &binding.ty,
        };
        ty.as_ref()
            .is_some_and(|ty| ty.span.encloses(segment.name.span))
    }

    /// Keeps the declaration of a member that is used.
    fn note_member(&mut self, member: MemberKind<'u>, used: &Segment) {
        if let MemberKind::Binding(binding) = member
            && let Some(declared) = &binding.name
        {
            self.recorder
                .note_declaration(used.name.span, declared.span);
        }
    }

    pub(super) fn named_member(
        &mut self,
        instance: usize,
        name: &'u str,
        args: Option<Vec<Value>>,
        segment: Option<&'u Segment>,
    ) -> Option<Value> {
        self.use_record(instance);
        if args.is_none()
            && let Some(known) = self.computed.classes.get(instance)?.known_member(name)
        {
            let known = known.clone();
            self.computed.last_constant = Some(Declared::Of(instance, name));
            if let Some(segment) = segment
                && let Some(found) = self.find_member(instance, name)
            {
                self.note_member(found, segment);
            }
            return Some(known.unwrap_or(Value::Unknown(Reason::Limit(
                "a member that is defined in terms of itself",
            ))));
        }
        // `using Policy = Policy<..>;`: a name with arguments is the template outside of the class.
        let is_no_template = |found: &MemberKind<'u>| matches!(found, MemberKind::Binding(binding) if binding.tparams.is_empty());
        let found = self
            .find_member(instance, name)
            .filter(|found| args.is_none() || !is_no_template(found));
        let Some(found) = found else {
            return self.inherited_member(instance, name, args.as_ref(), segment);
        };
        let simple = args.is_none();
        if simple && let Some(record) = self.computed.classes.get_mut(instance) {
            record.keep_member(name, None);
        }
        let value = self.member_value(instance, found, args);
        if let Some(segment) = segment {
            self.note_member(found, segment);
        }
        if simple && let Some(record) = self.computed.classes.get_mut(instance) {
            record.keep_member(name, Some(value.clone()));
        }
        self.computed.last_constant = simple.then_some(Declared::Of(instance, name));
        Some(value)
    }

    pub(super) fn member_value(
        &mut self,
        instance: usize,
        member: MemberKind<'u>,
        args: Option<Vec<Value>>,
    ) -> Value {
        let mut frame = self.record_frame(instance);
        match member {
            MemberKind::Binding(binding) => {
                if !binding.tparams.is_empty() {
                    let args = args.unwrap_or_default();
                    self.template_scope(&binding.tparams, &args, &mut frame);
                }
                let is_static = binding.specifiers.is_static || binding.specifiers.constexpr;
                if role_of(binding) == Role::Alias || is_static {
                    return self.binding_value(binding, &mut frame);
                }
                // A data member without an object: only its type counts.
                let ty = self.type_of_member(instance, binding, &mut frame);
                match (&binding.name, ty) {
                    (_, Type::Of(value)) if value.is_static() => *value,
                    (Some(name), ty) => self.symbolic_value(&ty, name, &mut frame),
                    _ => Value::Nothing,
                }
            }
            MemberKind::Enum(name, declared) => {
                let class = self.computed.classes.type_of(instance);
                let whole = format!("{class}::{}", name.name);
                self.enumeration_type((&whole, Some(instance)), declared, &mut frame)
            }
            MemberKind::Enumerators(enumerators) => {
                let count = enumerators.len();
                let stated = enumerators.iter().rposition(|e| e.value.is_some());
                let base = match stated.and_then(|index| enumerators.get(index)?.value.as_ref()) {
                    Some(value) => self.eval(value, &mut frame),
                    None => Value::Int(Int::dynamic(0)),
                };
                let after = count - 1 - stated.unwrap_or(0);
                super::on_values::binary(
                    tree_sitter_cute::tree::BinaryOp::Add,
                    base,
                    Value::Int(Int::dynamic(i64::try_from(after).unwrap_or(i64::MAX))),
                )
            }
            MemberKind::Record(record) if self.is_specialised_outside(instance, record) => {
                Value::Unknown(Reason::Construct("a specialised member class"))
            }
            MemberKind::Record(record) => {
                let candidates = self.nested_records(record, instance);
                match self.record_instance(&candidates, args, Some(instance), &mut frame) {
                    Ok(ty) => Value::Type(Box::new(ty)),
                    Err(reason) => Value::Unknown(reason),
                }
            }
        }
    }

    /// Whether a class inside of a class may be specialised for the very arguments of the class around it.
    fn is_specialised_outside(&self, outer: usize, inner: &Record) -> bool {
        let around = self.record_declaration(outer);
        let outside =
            around.and_then(|around| self.program.apart.outside_records.get(name_of(around)));
        outside.is_some_and(|outside| {
            outside.iter().any(|other| {
                let of_arguments = other.scope.as_ref().and_then(|scope| scope.last());
                name_of(other) == name_of(inner)
                    && other.tparams.len() <= inner.tparams.len()
                    && of_arguments.is_some_and(|last| last.args.is_some())
            })
        })
    }

    /// A class inside of a class, with its specialisations.
    pub(super) fn nested_records(&mut self, record: &'u Record, outer: usize) -> Vec<RecordId> {
        let module = self.module_of_record(outer);
        let name = record.name.as_ref().map(|name| &name.name);
        let items = self.member_items(outer);
        items
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::Record(found)
                    if found.members.is_some()
                        && found.name.as_ref().map(|name| &name.name) == name =>
                {
                    Some(self.program.record_id(found, module))
                }
                _ => None,
            })
            .collect()
    }

    /// The members of a class instance; of the branches of an `#if` those that are compiled, with the definitions of
    /// methods that are outside of the class.
    pub(super) fn member_items(&mut self, instance: usize) -> Rc<[&'u Item]> {
        Rc::clone(&self.class_members(instance).items)
    }

    pub(super) fn class_members(&mut self, instance: usize) -> Rc<Members<'u>> {
        let Some(declaration) = self
            .computed
            .classes
            .get(instance)
            .map(|found| found.declaration)
        else {
            return Rc::default();
        };
        if let Some(known) = self.readings.class_members.get(&declaration) {
            return Rc::clone(known);
        }
        let mut items = Vec::new();
        let mut left_out = false;
        for list in self.member_lists(instance) {
            left_out |= !self.add_compiled(list, &mut items);
        }
        let classes = self.classes_around(instance);
        let home = Home {
            classes: &classes,
            module: self.module_of_record(instance),
            members: &items,
        };
        let defined: Vec<&'u Item> = items
            .iter()
            .map(|item| self.program.definition_of(&home, item).unwrap_or(item))
            .collect();
        let mut members = Members::of(defined);
        members.left_out = left_out;
        let members = Rc::new(members);
        self.readings
            .class_members
            .insert(declaration, Rc::clone(&members));
        members
    }

    /// The classes around an instance, outermost first, and its own.
    pub(super) fn classes_around(&self, instance: usize) -> Vec<&'u Record> {
        let around = |instance: &usize| self.computed.classes.around(*instance);
        let mut classes: Vec<&'u Record> = std::iter::successors(Some(instance), around)
            .filter_map(|instance| self.record_declaration(instance))
            .collect();
        classes.reverse();
        classes
    }

    /// Adds the compiled items, and tells whether these are all possible ones.
    fn add_compiled(&self, list: &'u [Item], items: &mut Vec<&'u Item>) -> bool {
        let mut all = true;
        for item in list {
            match &item.kind {
                ItemKind::Conditional(conditional) => {
                    // Of several that may be compiled none is taken for the one.
                    self.program.note_choice(&conditional.branches);
                    let branches = self.program.compiled_branches(&conditional.branches);
                    all &= match branches.as_slice() {
                        [] => true,
                        [only] => self.add_compiled(&only.items, items),
                        _ => false,
                    };
                }
                _ => items.push(item),
            }
        }
        all
    }

    pub(super) fn find_member(&mut self, instance: usize, name: &str) -> Option<MemberKind<'u>> {
        self.class_members(instance).named.get(name).copied()
    }

    fn inherited_member(
        &mut self,
        instance: usize,
        name: &'u str,
        args: Option<&Vec<Value>>,
        segment: Option<&'u Segment>,
    ) -> Option<Value> {
        let found = self.nested(|it| {
            let bases = it.bases(instance);
            bases.iter().find_map(|base| match base {
                Type::Record(record) if record.instance != instance => {
                    it.named_member(record.instance, name, args.cloned(), segment)
                }
                Type::Unknown(reason) => Some(Value::Unknown(reason.clone())),
                // `struct Trait : true_type {}`
                Type::Of(value) => super::members::member_of_static(value, name),
                _ => None,
            })
        });
        let too_deep = || Some(Value::Unknown(Reason::Limit("number of base classes")));
        found.unwrap_or_else(too_deep)
    }

    /// Whether all members of a class instance are visible: no branch of an `#if` is left out of it that may be
    /// compiled, and its bases are classes of the sources.
    pub(super) fn is_all_in_sight(&mut self, instance: usize) -> bool {
        if self.class_members(instance).left_out {
            return false;
        }
        let known = self.nested(|it| {
            it.bases(instance).iter().all(|base| match base {
                Type::Record(base) => it.is_all_in_sight(base.instance),
                Type::Of(_) => true,
                _ => false,
            })
        });
        known == Some(true)
    }

    /// The template that a class is an instance of, with its arguments; those of a pack one by one.
    pub(super) fn template_of(&self, instance: usize) -> Option<(&'u str, Vec<Value>)> {
        let found = self.computed.classes.get(instance)?;
        let name = name_of(self.record(found.primary)?);
        let args = found.arguments.iter().flat_map(|arg| match arg {
            Value::Pack(items) => items.clone(),
            other => vec![other.clone()],
        });
        Some((name, args.collect()))
    }

    pub(super) fn has_bases(&self, instance: usize) -> bool {
        self.record_declaration(instance)
            .is_some_and(|record| !record.bases.is_empty())
    }

    /// Whether a class is another one or has it as a base; `None` where a base is not known.
    pub(super) fn derives_from(&mut self, instance: usize, base: usize) -> Option<bool> {
        if instance == base {
            return Some(true);
        }
        let known = self.nested(|it| {
            let mut known = Some(false);
            for found in it.bases(instance).iter() {
                // A base may be a tag of the library, which its headers declare.
                let derived = match &it.with_class_of_tag(found) {
                    Type::Record(record) => it.derives_from(record.instance, base),
                    Type::Of(_) | Type::Class(_) => Some(false),
                    _ => None,
                };
                match derived {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => known = None,
                }
            }
            known
        });
        known.flatten()
    }

    /// The bases of a class instance. One that is not known while the class is still being read may be
    /// known later, so only classes are remembered.
    pub(super) fn bases(&mut self, instance: usize) -> Rc<[Type]> {
        self.use_record(instance);
        let Some(found) = self.computed.classes.get(instance) else {
            return self.computed.classes.no_bases();
        };
        if let Some(known) = found.known_bases() {
            return Rc::clone(known);
        }
        let Some(record) = self.record(found.declaration) else {
            return self.computed.classes.no_bases();
        };
        if record.bases.is_empty() {
            return self.computed.classes.no_bases();
        }
        // The name of a base is outside of the class, and inside of the one around it.
        let outer = found.outer;
        let mut frame = self.record_frame(instance);
        frame.owner.record = outer;
        let bases: Rc<[Type]> = record
            .bases
            .iter()
            .map(|base| self.eval_type(base, &mut frame))
            .collect();
        let is_settled =
            |base: &Type| matches!(base, Type::Record(_)) && self.is_settled(base, SETTLED_DEPTH);
        let settled = bases.iter().all(is_settled);
        if let Some(found) = self.computed.classes.get_mut(instance) {
            found.keep_bases(&bases, settled);
        }
        bases
    }

    /// Whether a type is a class and nothing of its arguments is unknown so far, looking into at
    /// most `depth` of them.
    pub(super) fn is_settled(&self, ty: &Type, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let all = |values: &[Value]| {
            values
                .iter()
                .all(|value| self.is_settled_value(value, depth))
        };
        match ty {
            Type::Record(class) => self
                .computed
                .classes
                .get(class.instance)
                .is_some_and(|found| all(&found.arguments)),
            Type::Class(class) => all(&class.args),
            Type::Pointer(pointee) => self.is_settled(pointee, depth),
            Type::Of(value) => self.is_settled_value(value, depth),
            Type::Unknown(_) | Type::Placeholder => false,
            _ => true,
        }
    }

    pub(super) fn is_settled_value(&self, value: &Value, depth: usize) -> bool {
        match value {
            Value::Unknown(_) => false,
            Value::Type(ty) | Value::Instance(ty) => self.is_settled(ty, depth),
            Value::Tuple(items) | Value::Pack(items) => {
                items.iter().all(|item| self.is_settled_value(item, depth))
            }
            _ => true,
        }
    }

    /// The record that a class instance is an instance of.
    pub(super) fn record_declaration(&self, instance: usize) -> Option<&'u Record> {
        self.record(self.computed.classes.get(instance)?.declaration)
    }
}

/// A member that is not a function.
#[derive(Debug, Clone, Copy)]
pub(super) enum MemberKind<'u> {
    Binding(&'u Binding),
    Enumerators(&'u [tree_sitter_cute::tree::Enumerator]),
    /// An enum as a type.
    Enum(&'u Ident, &'u Enum),
    Record(&'u Record),
}

/// The members of a class, found by name.
#[derive(Debug, Default)]
pub(super) struct Members<'u> {
    items: Rc<[&'u Item]>,
    /// The first of each name that is not a function.
    named: HashMap<&'u str, MemberKind<'u>>,
    pub(super) methods: HashMap<&'u str, Vec<&'u Function>>,
    /// Whether branches of an `#if` that may be compiled are not among them.
    left_out: bool,
}

impl<'u> Members<'u> {
    fn of(items: Vec<&'u Item>) -> Self {
        let mut members = Self::default();
        for item in &items {
            members.add(item);
        }
        for record in unnamed_records(&items) {
            members.add_unnamed(record);
        }
        members.items = items.into();
        members
    }

    /// Adds the members of an unnamed record, which are members of the class.
    fn add_unnamed(&mut self, record: &'u Record) {
        let items: Vec<&'u Item> = record.members.iter().flatten().collect();
        for item in &items {
            self.add(item);
        }
        for inner in unnamed_records(&items) {
            self.add_unnamed(inner);
        }
    }

    fn add(&mut self, item: &'u Item) {
        match &item.kind {
            ItemKind::Binding(binding) => {
                self.name(binding.name.as_ref(), MemberKind::Binding(binding));
            }
            ItemKind::Record(record) if record.members.is_some() => {
                self.name(record.name.as_ref(), MemberKind::Record(record));
            }
            ItemKind::Enum(declared) => {
                if let Some(name) = &declared.name {
                    self.name(Some(name), MemberKind::Enum(name, declared));
                }
                if declared.scoped {
                    return;
                }
                for (index, enumerator) in declared.enumerators.iter().enumerate() {
                    if let Some(up_to) = declared.enumerators.get(..=index) {
                        self.name(Some(&enumerator.name), MemberKind::Enumerators(up_to));
                    }
                }
            }
            ItemKind::Function(function) => {
                let named = self.methods.entry(&function.name.name).or_default();
                named.push(function);
            }
            _ => {}
        }
    }

    fn name(&mut self, name: Option<&'u Ident>, member: MemberKind<'u>) {
        if let Some(name) = name {
            self.named.entry(&name.name).or_insert(member);
        }
    }
}

pub(super) fn shown(record: &Record, args: &[Value]) -> Arc<str> {
    let name = name_of(record);
    if args.is_empty() {
        return name.into();
    }
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    format!("{name}<{}>", args.join(",")).into()
}
