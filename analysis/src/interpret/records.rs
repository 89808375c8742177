//! Classes of the file: their instances, members, objects and methods.

use std::collections::HashMap;
use std::sync::Arc;

use cute_algebra::Int;
use tree_sitter_cute::tree::{Binding, Branch, Item, ItemKind, Record, Segment, Span};

use super::declarations::role_of;
use super::frame::{Frame, Scope};
use super::program::{ModuleId, RecordId};
use super::{Interpreter, RecordInstance, construct};
use crate::fact::Role;
use crate::limits;
use crate::reason::Reason;
use crate::types::{RecordType, Type};
use crate::value::{Object, Value};

impl<'u> Interpreter<'u> {
    /// The class that a name with template arguments stands for; without arguments a template is
    /// a placeholder.
    pub(super) fn record_instance(
        &mut self,
        candidates: &[RecordId],
        args: Option<Vec<Value>>,
        frame: &mut Frame<'u>,
    ) -> Result<Type, Reason> {
        let primary = candidates
            .iter()
            .copied()
            .find(|id| {
                self.record(*id)
                    .is_some_and(|record| record.special_args.is_none())
            })
            .or(candidates.first().copied())
            .ok_or(Reason::Construct("a class"))?;
        let record = self.record(primary).ok_or(Reason::Construct("a class"))?;
        if args.is_none() && !record.tparams.is_empty() {
            // Inside the template its name means the instance itself.
            if let Some(inside) = frame.record
                && self
                    .records
                    .get(inside)
                    .is_some_and(|instance| instance.declaration == primary)
            {
                return Ok(self.record_type(inside));
            }
            return Ok(Type::Placeholder);
        }
        let args = args.unwrap_or_default();
        let specialised: Vec<RecordId> = candidates
            .iter()
            .copied()
            .filter(|id| self.specialisation_matches(*id, &args, frame))
            .collect();
        let (chosen, args) = match specialised.as_slice() {
            [] if candidates.len() > 1 && !all_known(&args) => {
                return Err(Reason::Ambiguous(name_of(record).into()));
            }
            [] => (primary, args),
            [only] => (*only, self.specialisation_bindings(*only, &args)),
            _ => return Err(Reason::Ambiguous(name_of(record).into())),
        };
        self.instantiate(chosen, &args, Self::no_scopes())
    }

    pub(super) fn local_record_instance(
        &mut self,
        id: RecordId,
        frame: &Frame<'u>,
    ) -> Result<Type, Reason> {
        self.instantiate(id, &[], frame.scopes.clone())
    }

    fn record(&self, id: RecordId) -> Option<&'u Record> {
        self.program.records.get(id).map(|found| found.record)
    }

    /// Whether an explicit specialisation (`template <> struct S<8>`, `struct S<T, 8>`) takes
    /// these arguments.
    fn specialisation_matches(
        &mut self,
        id: RecordId,
        args: &[Value],
        frame: &mut Frame<'u>,
    ) -> bool {
        let Some(record) = self.record(id) else {
            return false;
        };
        let Some(special) = &record.special_args else {
            return false;
        };
        if special.len() != args.len() {
            return false;
        }
        special.iter().zip(args).all(|(pattern, arg)| {
            if let Some(name) = pattern.as_plain_name()
                && super::deduction::position(&record.tparams, name).is_some()
            {
                return true;
            }
            let wanted = self.eval(pattern, frame);
            wanted.same_numbers(arg) && !matches!(arg, Value::Unknown(_))
        })
    }

    /// The template parameters of a specialisation from the arguments of the primary template.
    fn specialisation_bindings(&self, id: RecordId, args: &[Value]) -> Vec<Value> {
        let Some(record) = self.record(id) else {
            return Vec::new();
        };
        let special = record.special_args.as_deref().unwrap_or_default();
        record
            .tparams
            .iter()
            .map(|tparam| {
                let name = tparam.name.as_ref().map_or("", |name| &name.name);
                special
                    .iter()
                    .position(|pattern| pattern.as_plain_name() == Some(name))
                    .and_then(|index| args.get(index).cloned())
                    .unwrap_or(Value::Nothing)
            })
            .collect()
    }

    fn instantiate(
        &mut self,
        id: RecordId,
        args: &[Value],
        scopes: Vec<Scope<'u>>,
    ) -> Result<Type, Reason> {
        let declaration = self
            .program
            .records
            .get(id)
            .copied()
            .ok_or(Reason::Construct("a class"))?;
        let local = scopes.iter().any(|scope| !scope.is_empty());
        let key = (id, format!("{args:?}"));
        if let Some(known) = self.record_index.get(&key)
            && !local
        {
            return Ok(self.record_type(*known));
        }
        if self.records.len() >= limits::RECORDS {
            return Err(Reason::Limit("too many class instances"));
        }
        let mut frame = Frame::new(declaration.module, limits::STEPS_PER_INSTANCE);
        frame.scopes = scopes;
        self.template_scope(&declaration.record.tparams, args, &mut frame);
        let name = shown(declaration.record, args);
        let instance = self.records.len();
        self.records.push(RecordInstance {
            declaration: id,
            scopes: frame.scopes,
            name,
            members: HashMap::new(),
        });
        self.record_index.insert(key, instance);
        Ok(self.record_type(instance))
    }

    pub(super) fn record_type(&self, instance: usize) -> Type {
        let name = self
            .records
            .get(instance)
            .map_or_else(|| Arc::from("class"), |found| Arc::clone(&found.name));
        Type::Record(RecordType { instance, name })
    }

    pub(super) fn module_of_record(&self, instance: usize) -> ModuleId {
        self.records
            .get(instance)
            .and_then(|found| self.program.records.get(found.declaration))
            .map_or(0, |declaration| declaration.module)
    }

    pub(super) fn record_scopes(&self, instance: usize) -> Vec<Scope<'u>> {
        self.records
            .get(instance)
            .map_or_else(Self::no_scopes, |found| found.scopes.clone())
    }

    pub(super) fn members(&self, instance: usize) -> &'u [Item] {
        self.records
            .get(instance)
            .and_then(|found| self.record(found.declaration))
            .and_then(|record| record.members.as_deref())
            .unwrap_or_default()
    }

    pub(super) fn record_frame(&self, instance: usize) -> Frame<'u> {
        let mut frame = Frame::new(self.module_of_record(instance), limits::STEPS_PER_INSTANCE);
        frame.scopes = self.record_scopes(instance);
        frame.record = Some(instance);
        frame
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
        self.named_member(instance, name, args, Some(segment))
    }

    fn named_member(
        &mut self,
        instance: usize,
        name: &'u str,
        args: Option<Vec<Value>>,
        segment: Option<&'u Segment>,
    ) -> Option<Value> {
        if args.is_none()
            && let Some(known) = self.records.get(instance)?.members.get(name)
        {
            return Some(known.clone().unwrap_or(Value::Unknown(Reason::Limit(
                "a member that is defined by itself",
            ))));
        }
        let found = self.find_member(instance, name);
        let Some(found) = found else {
            return self.inherited_member(instance, name, args.as_ref(), segment);
        };
        let simple = args.is_none();
        if simple && let Some(record) = self.records.get_mut(instance) {
            record.members.insert(name, None);
        }
        let value = self.member_value(instance, found, args);
        if let (Some(segment), MemberKind::Binding(binding)) = (segment, found)
            && let Some(declared) = &binding.name
        {
            self.output
                .declarations
                .insert(segment.name.span, declared.span);
        }
        if simple && let Some(record) = self.records.get_mut(instance) {
            record.members.insert(name, Some(value.clone()));
        }
        Some(value)
    }

    fn member_value(
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
                let ty = match &binding.ty {
                    Some(ty) => self.eval_type(ty, &mut frame),
                    None => Type::Placeholder,
                };
                match (&binding.name, ty) {
                    (_, Type::Of(value)) if value.is_static() => *value,
                    (Some(name), ty) => self.symbolic_value(&ty, name, &mut frame),
                    _ => Value::Nothing,
                }
            }
            MemberKind::Enumerators(enumerators) => {
                let count = enumerators.len();
                let stated = enumerators.iter().rposition(|e| e.value.is_some());
                let base = match stated.and_then(|index| enumerators.get(index)?.value.as_ref()) {
                    Some(value) => self.eval(value, &mut frame),
                    None => Value::Int(Int::dynamic(0)),
                };
                let after = count - 1 - stated.unwrap_or(0);
                super::operators::binary(
                    tree_sitter_cute::tree::BinaryOp::Add,
                    base,
                    Value::Int(Int::dynamic(i64::try_from(after).unwrap_or(i64::MAX))),
                )
            }
            MemberKind::Record(record) => {
                let id = self.nested_record(record, instance);
                let scopes = self.record_scopes(instance);
                match self.instantiate(id, &args.unwrap_or_default(), scopes) {
                    Ok(ty) => Value::Type(Box::new(ty)),
                    Err(reason) => Value::Unknown(reason),
                }
            }
        }
    }

    fn nested_record(&mut self, record: &'u Record, outer: usize) -> RecordId {
        let module = self.module_of_record(outer);
        self.program.record_id(record, module)
    }

    fn find_member(&self, instance: usize, name: &str) -> Option<MemberKind<'u>> {
        let compiled =
            |branches: &'u [Branch]| match self.program.compiled_branches(branches).as_slice() {
                [only] => Some(*only),
                _ => None,
            };
        let mut lists = self.member_lists(instance).into_iter();
        lists.find_map(|members| find_in(members, name, &compiled))
    }

    fn inherited_member(
        &mut self,
        instance: usize,
        name: &'u str,
        args: Option<&Vec<Value>>,
        segment: Option<&'u Segment>,
    ) -> Option<Value> {
        for base in self.bases(instance) {
            match base {
                Type::Record(record) if record.instance != instance => {
                    if let Some(value) =
                        self.named_member(record.instance, name, args.cloned(), segment)
                    {
                        return Some(value);
                    }
                }
                Type::Unknown(reason) => return Some(Value::Unknown(reason)),
                _ => {}
            }
        }
        None
    }

    pub(super) fn bases(&mut self, instance: usize) -> Vec<Type> {
        let Some(record) = self
            .records
            .get(instance)
            .and_then(|found| self.record(found.declaration))
        else {
            return Vec::new();
        };
        let mut frame = self.record_frame(instance);
        frame.record = None;
        record
            .bases
            .iter()
            .map(|base| self.eval_type(base, &mut frame))
            .collect()
    }

    /// Whether a class instance has methods that do something.
    pub(super) fn has_methods(&self, instance: usize) -> bool {
        self.members(instance).iter().any(
            |item| matches!(&item.kind, ItemKind::Function(function) if function.body.is_some()),
        )
    }

    /// The methods of a name in a class instance.
    pub(super) fn methods(&self, instance: usize, name: &str) -> Vec<&'u Item> {
        let lists = self.member_lists(instance).into_iter();
        lists
            .flatten()
            .filter(|item| {
                matches!(&item.kind, ItemKind::Function(function) if function.name.name == name)
            })
            .collect()
    }

    /// What a class instance is an instance of.
    pub(super) fn record_declaration(&self, instance: usize) -> Option<&'u Record> {
        self.record(self.records.get(instance)?.declaration)
    }

    pub(super) fn has_constructor(&self, instance: usize) -> bool {
        self.record_declaration(instance)
            .and_then(|record| record.name.as_ref())
            .is_some_and(|name| !self.methods(instance, &name.name).is_empty())
    }

    /// `T{args}` of a class without constructors: its members in order.
    pub(super) fn construct_object(
        &mut self,
        record: &RecordType,
        args: &[Value],
        _place: Span,
        _frame: &mut Frame<'u>,
    ) -> Value {
        let has_constructor = self.has_constructor(record.instance);
        if let [Value::Object(object)] = args
            && object.class == *record
        {
            return Value::Object(Arc::clone(object));
        }
        if has_constructor && !args.is_empty() {
            return Value::Instance(Box::new(Type::Record(record.clone())));
        }
        let mut fields = Vec::new();
        for (index, binding) in self.data_members(record.instance).into_iter().enumerate() {
            let Some(name) = &binding.name else {
                continue;
            };
            let mut scope = self.record_frame(record.instance);
            let ty = match &binding.ty {
                Some(ty) => self.eval_type(ty, &mut scope),
                None => Type::Placeholder,
            };
            let value = match args.get(index) {
                Some(Value::Tuple(items)) => {
                    self.construct_value(&ty, items, name.span, &mut scope)
                }
                Some(value) => super::conversion::convert(value.clone(), &ty),
                None => self.initial_value(binding, name, &mut scope),
            };
            fields.push((name.name.clone(), value));
        }
        if args.len() > fields.len() {
            return construct("more initialisers than members");
        }
        Value::Object(Arc::new(Object {
            class: record.clone(),
            fields,
        }))
    }

    /// An object of which only the class is known.
    pub(super) fn symbolic_object(&mut self, record: &RecordType, name: &str) -> Value {
        let mut fields = Vec::new();
        for binding in self.data_members(record.instance) {
            let Some(field) = &binding.name else {
                continue;
            };
            let mut scope = self.record_frame(record.instance);
            let ty = match &binding.ty {
                Some(ty) => self.eval_type(ty, &mut scope),
                None => Type::Placeholder,
            };
            let value = match &ty {
                Type::Record(_) => Value::Instance(Box::new(ty.clone())),
                Type::Scalar(scalar) if scalar.is_integer() => {
                    let symbol = format!("{name}.{}", field.name);
                    match self.assumed_value(&symbol, field.span) {
                        Some(value) => Value::Int(Int::dynamic(value)),
                        None => Value::Int(Int::symbol(&symbol)),
                    }
                }
                ty => self.symbolic_value(ty, field, &mut scope),
            };
            fields.push((field.name.clone(), value));
        }
        Value::Object(Arc::new(Object {
            class: record.clone(),
            fields,
        }))
    }

    pub(super) fn data_members(&self, instance: usize) -> Vec<&'u Binding> {
        self.members(instance)
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

    /// Keeps facts about the constants and aliases of a class that is no template.
    pub(super) fn report_record(&mut self, record: &'u Record, module: ModuleId) {
        if !record.tparams.is_empty() || record.special_args.is_some() {
            return;
        }
        let id = self.program.record_id(record, module);
        let Ok(Type::Record(ty)) = self.instantiate(id, &[], Self::no_scopes()) else {
            return;
        };
        self.report_members(ty.instance, None);
    }

    /// Keeps facts about the members of class templates, for each instance that was made, and about
    /// the methods of all classes. `open` says whether templates of the file that nothing
    /// instantiates are evaluated too, with their parameters open.
    pub(super) fn report_classes(&mut self, open: bool) {
        if open {
            for id in 0..self.program.records.len() {
                let made = self.records.iter().any(|found| found.declaration == id);
                if !made && self.is_record_in_focus(id) && !self.is_record_instantiated(id) {
                    let _ = self.instantiate(id, &[], Self::no_scopes());
                }
            }
        }
        let mut reported: HashMap<RecordId, usize> = HashMap::new();
        let mut instance = 0;
        while let Some(found) = self.records.get(instance) {
            let (declaration, name) = (found.declaration, Arc::clone(&found.name));
            instance += 1;
            let is_template = self
                .record(declaration)
                .is_some_and(|record| !record.tparams.is_empty());
            let in_focus = self.is_record_in_focus(declaration);
            // What is in other files counts for the calls that its methods make; what is no
            // template is the same for everyone.
            let matters = if in_focus { is_template || open } else { !open };
            let count = reported.entry(declaration).or_default();
            *count += 1;
            if !matters
                || *count > self.quota
                || !in_focus && self.is_record_of_library(declaration)
            {
                continue;
            }
            if in_focus && let Some(name) = self.record_name_span(declaration) {
                let total = self.output.instantiated.entry(name).or_default();
                if *total >= limits::INSTANCES_IN_A_HEADER {
                    continue;
                }
                *total += 1;
            }
            let place = is_template.then_some(name);
            if is_template {
                self.report_members(instance - 1, place.as_ref());
            }
            self.report_methods(instance - 1, place.as_ref());
        }
    }

    fn record_name_span(&self, id: RecordId) -> Option<Span> {
        Some(self.record(id)?.name.as_ref()?.span)
    }

    pub(super) fn is_record_in_focus(&self, id: RecordId) -> bool {
        match self.record(id) {
            Some(record) => match (&record.name, record.members.as_deref()) {
                (Some(name), _) => self.is_in_focus(name.span),
                (None, Some([first, ..])) => self.is_in_focus(first.span),
                _ => false,
            },
            None => false,
        }
    }

    fn is_record_instantiated(&self, id: RecordId) -> bool {
        self.record_name_span(id)
            .is_some_and(|span| self.output.instantiated.contains_key(&span))
    }

    fn is_record_of_library(&self, id: RecordId) -> bool {
        self.record_name_span(id)
            .and_then(|span| self.program.file_of(span))
            .is_some_and(crate::sources::SourceFile::is_library)
    }

    fn report_members(&mut self, instance: usize, place: Option<&Arc<str>>) {
        let mut frame = self.record_frame(instance);
        frame.recording = true;
        if let Some(place) = place {
            frame.instance = Some(Arc::clone(place));
            frame.function = self
                .records
                .get(instance)
                .and_then(|found| self.record(found.declaration))
                .map(|record| name_of(record).into());
        }
        for item in self.member_lists(instance).into_iter().flatten() {
            let ItemKind::Binding(binding) = &item.kind else {
                continue;
            };
            let Some(name) = &binding.name else {
                continue;
            };
            if !binding.tparams.is_empty() {
                continue;
            }
            let is_constant = role_of(binding) == Role::Alias
                || binding.specifiers.is_static
                || binding.specifiers.constexpr;
            let value = if is_constant {
                self.binding_value(binding, &mut frame)
            } else {
                self.member_value(instance, MemberKind::Binding(binding), None)
            };
            if let Some(init) = &binding.init {
                self.output.initialisers.insert(name.span, init);
            }
            self.declare_fact(name, role_of(binding), binding.span, &value, &frame);
        }
    }
}

/// A member that is no function.
#[derive(Debug, Clone, Copy)]
enum MemberKind<'u> {
    Binding(&'u Binding),
    Enumerators(&'u [tree_sitter_cute::tree::Enumerator]),
    Record(&'u Record),
}

fn find_in<'u>(
    items: &'u [Item],
    name: &str,
    compiled: &dyn Fn(&'u [Branch]) -> Option<&'u Branch>,
) -> Option<MemberKind<'u>> {
    for item in items {
        match &item.kind {
            ItemKind::Binding(binding)
                if binding
                    .name
                    .as_ref()
                    .is_some_and(|found| found.name == name) =>
            {
                return Some(MemberKind::Binding(binding));
            }
            ItemKind::Record(record)
                if record.members.is_some()
                    && record.name.as_ref().is_some_and(|found| found.name == name) =>
            {
                return Some(MemberKind::Record(record));
            }
            ItemKind::Enum(declared) if !declared.scoped => {
                if let Some(index) = declared
                    .enumerators
                    .iter()
                    .position(|enumerator| enumerator.name.name == name)
                {
                    return declared
                        .enumerators
                        .get(..=index)
                        .map(MemberKind::Enumerators);
                }
            }
            ItemKind::Conditional(conditional) => {
                if let Some(found) = compiled(&conditional.branches)
                    .and_then(|branch| find_in(&branch.items, name, compiled))
                {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether template arguments say which specialisation is meant.
fn all_known(args: &[Value]) -> bool {
    args.iter().all(|arg| match arg {
        Value::Type(ty) => !matches!(**ty, Type::Unknown(_) | Type::Parameter(_)),
        other => other.is_known(),
    })
}

fn name_of(record: &Record) -> &str {
    record.name.as_ref().map_or("class", |name| &name.name)
}

fn shown(record: &Record, args: &[Value]) -> Arc<str> {
    let name = name_of(record);
    if args.is_empty() {
        return name.into();
    }
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    format!("{name}<{}>", args.join(",")).into()
}
