//! Members of CUTLASS's collectives beyond our rules for them, where their headers are visible.
//!
//! The choices of a builder come from rules ([`cute_hardware::collective`]), which make findings and need no header.
//! Where they end, its specialisations are read like those of any template: another architecture, a member that no rule
//! has (`SmemLayoutD`, `Params`), a method.

use std::sync::Arc;

use tree_sitter_cute::tree::{Segment, Span};

use super::Interpreter;
use super::frame::Frame;
use super::ids::RecordId;
use crate::collective::Collective;
use crate::limits;
use crate::reason::Reason;
use crate::types::{LibraryClass, RecordType, Type};
use crate::value::Value;
use crate::vocabulary;

/// The two ways to write the class of a collective.
#[derive(Debug)]
pub(super) enum Written<'u> {
    /// `CollectiveBuilder<...>`, `GemmUniversal<...>`: a template with its arguments.
    Template(Vec<RecordId>, Vec<Value>),
    /// `Builder::CollectiveOp`: a member of another one.
    Member(Arc<Collective>, &'u str),
    /// As this class, once it was found, or why none is.
    Class(Result<RecordType, Reason>),
}

/// Written forms of the collectives that rules know.
#[derive(Debug, Default)]
pub(super) struct Collectives<'u>(Vec<(Arc<Collective>, Written<'u>)>);

impl<'u> Collectives<'u> {
    fn position(&self, collective: &Arc<Collective>) -> Option<usize> {
        let mut all = self.0.iter();
        all.position(|(known, _)| Arc::ptr_eq(known, collective))
    }

    /// Keeps how a collective is written; `false` where that is known.
    fn add(&mut self, collective: &Arc<Collective>, written: Written<'u>) -> bool {
        let is_new = self.position(collective).is_none();
        if is_new {
            self.0.push((Arc::clone(collective), written));
        }
        is_new
    }

    /// The instance of the class that a collective is, where it was found before.
    pub(super) fn known_class(&self, collective: &Arc<Collective>) -> Option<usize> {
        match self.0.get(self.position(collective)?) {
            Some((_, Written::Class(Ok(class)))) => Some(class.instance),
            _ => None,
        }
    }

    /// Begins to look for the class of a collective: until it ends, it is defined in terms of itself.
    fn begin(&mut self, collective: &Arc<Collective>) -> Option<Written<'u>> {
        let place = self.position(collective)?;
        let (_, slot) = self.0.get_mut(place)?;
        let unfinished = Reason::Limit("a class that is defined in terms of itself");
        Some(std::mem::replace(slot, Written::Class(Err(unfinished))))
    }

    /// Keeps the class of a collective.
    fn end(&mut self, collective: &Arc<Collective>, class: &Result<RecordType, Reason>) {
        let place = self.position(collective);
        if let Some((_, slot)) = place.and_then(|place| self.0.get_mut(place)) {
            *slot = Written::Class(class.clone());
        }
    }
}

impl<'u> Interpreter<'u> {
    /// A builder or a kernel that the sources declare: the choice of the rules, else of its specialisations.
    pub(super) fn collective_template(
        &mut self,
        records: &[RecordId],
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Value {
        let Some(written) = &segment.args else {
            return self.record_name(records, segment, frame);
        };
        let args = self.class_arguments(written, frame);
        let asked: Vec<Value> = args
            .iter()
            .map(|arg| self.as_collective(arg.clone()))
            .collect();
        self.program.note_asked(vocabulary::EXTENDED_SHAPES);
        let answer = vocabulary::collective(&segment.name.name, &asked, self.surroundings());
        let place: Span = segment.name.span;
        let value = answer.map(|answer| self.answer(answer, Vec::new(), place, written, frame));
        match value {
            Some(value) if !matches!(value, Value::Unknown(_)) => {
                self.note_collective(&value, Written::Template(records.to_vec(), args));
                value
            }
            of_rules => match self.record_instance(records, Some(args), None, frame) {
                Ok(ty) => Value::Type(Box::new(ty)),
                // Where the rules end, the specialisations supply the rest.
                Err(reason) => match of_rules {
                    Some(Value::Unknown(refused @ Reason::Refused(..))) => Value::Unknown(refused),
                    _ => Value::Unknown(reason),
                },
            },
        }
    }

    /// An argument of a builder as the rules take it: `StageCount<3>` of the sources is theirs.
    fn as_collective(&mut self, arg: Value) -> Value {
        let instance = match &arg {
            Value::Type(ty) => match &**ty {
                Type::Record(record) => record.instance,
                _ => return arg,
            },
            _ => return arg,
        };
        let Some((name, args)) = self.template_of(instance) else {
            return arg;
        };
        if !vocabulary::is_class_of_collectives(name) {
            return arg;
        }
        let args: Vec<Value> = args
            .into_iter()
            .map(|inner| self.as_collective(inner))
            .collect();
        match vocabulary::collective(name, &args, self.surroundings()) {
            Some(Ok(value)) => value,
            Some(Err(vocabulary::Problem::Unknown(reason))) => Value::Unknown(reason),
            _ => arg,
        }
    }

    /// Keeps how a collective is written. A header's facts come from the classes that translation
    /// units make, so there the class is made at once.
    pub(super) fn note_collective(&mut self, value: &Value, written: Written<'u>) {
        let Some(collective) = collective_of(value) else {
            return;
        };
        let is_new = self.computed.collectives.add(collective, written);
        if is_new && self.recorder.of_user {
            let _ = self.class_of_collective(collective);
        }
    }

    /// The class of the sources that a collective is, or why none is known; `None` where no header is visible.
    fn found_class(&mut self, collective: &Arc<Collective>) -> Option<Result<RecordType, Reason>> {
        let class = match self.computed.collectives.begin(collective)? {
            Written::Class(class) => class,
            Written::Template(records, args) => {
                let mut frame = Frame::new(0, limits::STEPS_PER_INSTANCE);
                let made = self.record_instance(&records, Some(args), None, &mut frame);
                made.and_then(|ty| self.class_of_type(&ty))
            }
            Written::Member(outer, name) => match self.found_class(&outer)? {
                Ok(outer) => match self.named_member(outer.instance, name, None, None) {
                    Some(Value::Type(ty)) => self.class_of_type(&ty),
                    Some(Value::Unknown(reason)) => Err(reason),
                    _ => Err(Reason::NoMember(name.into(), outer.name)),
                },
                Err(reason) => Err(reason),
            },
        };
        self.computed.collectives.end(collective, &class);
        Some(class)
    }

    /// The class of the sources that a type is.
    fn class_of_type(&mut self, ty: &Type) -> Result<RecordType, Reason> {
        match ty {
            Type::Record(record) => Ok(record.clone()),
            Type::Unknown(reason) => Err(reason.clone()),
            Type::Of(value) => match &**value {
                Value::Collective(inner) => self
                    .found_class(inner)
                    .unwrap_or_else(|| Err(Reason::NotEvaluated(inner.to_string().into()))),
                other => Err(Reason::NotEvaluated(other.to_string().into())),
            },
            other => Err(Reason::NotEvaluated(other.to_string().into())),
        }
    }

    /// The class of the sources that a collective is, where that is known.
    pub(super) fn class_of_collective(
        &mut self,
        collective: &Arc<Collective>,
    ) -> Option<RecordType> {
        self.found_class(collective)?.ok()
    }

    /// `collective::member`: by the rules, else by the class.
    pub(super) fn member_of_collective(
        &mut self,
        collective: &Arc<Collective>,
        member: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let name = member.name.name.as_str();
        if let Some(value) = collective.member(name) {
            self.note_collective(&value, Written::Member(Arc::clone(collective), name));
            return Some(value);
        }
        match self.found_class(collective)? {
            Ok(class) => self.record_member(class.instance, member, frame),
            Err(reason) => Some(Value::Unknown(reason)),
        }
    }

    /// The class without parameters that a library declares under the name of a tag: `Sm90`,
    /// `KernelTmaWarpSpecialized`. A tag is its name everywhere; its bases and members are here.
    pub(super) fn class_of_tag(&mut self, name: &str) -> Option<usize> {
        if let Some(known) = self.computed.classes.tags.get(name) {
            return *known;
        }
        self.read_headers_with(name);
        let declared = self.program.modules.iter().find_map(|module| {
            let ids = module.records.get(name)?;
            ids.iter().copied().find(|id| {
                self.record(*id).is_some_and(|record| {
                    record.tparams.is_empty() && record.special_args.is_none()
                })
            })
        });
        let class = declared
            .filter(|_| vocabulary::is_library_word(name))
            .and_then(|id| self.instantiate(id, &[], Self::no_scopes(), None).ok());
        self.computed.classes.tags.insert(name.to_owned(), class);
        class
    }

    /// The class of a library that a source declares, with these arguments: `PipelineTmaAsync<4>`, whose
    /// memory the rules know and whose members its header has.
    pub(super) fn class_of_library(&mut self, class: &LibraryClass) -> Option<RecordType> {
        self.read_headers_with(&class.name);
        let records = self.program.modules.iter().find_map(|module| {
            let ids = module.records.get(&*class.name)?;
            (!ids.is_empty()).then(|| ids.clone())
        })?;
        let mut frame = Frame::new(0, limits::STEPS_PER_INSTANCE);
        let made = self.record_instance(&records, Some(class.args.clone()), None, &mut frame);
        match made {
            Ok(Type::Record(record)) => Some(record),
            _ => None,
        }
    }

    /// The class of the sources behind a value that the vocabulary knows by its name alone.
    pub(super) fn class_behind(&mut self, value: &Value) -> Option<RecordType> {
        match value {
            Value::Collective(collective) => self.class_of_collective(collective),
            Value::Instance(ty) => match &**ty {
                Type::Class(class) => self.class_of_library(&Arc::clone(class)),
                Type::Named(tag) => {
                    let instance = self.class_of_tag(&Arc::clone(tag.text()))?;
                    match self.computed.classes.type_of(instance) {
                        Type::Record(record) => Some(record),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A type with the class of a tag in its place, for questions about bases.
    pub(super) fn with_class_of_tag(&mut self, ty: &Type) -> Type {
        match ty {
            Type::Named(name) => match self.class_of_tag(name) {
                Some(instance) => self.computed.classes.type_of(instance),
                None => ty.clone(),
            },
            _ => ty.clone(),
        }
    }

    /// `conjunction<A, B>` with traits of the sources among its arguments: each as its `value`.
    pub(super) fn with_values_of_traits(&mut self, name: &str, args: Vec<Value>) -> Vec<Value> {
        let is_logical = matches!(
            name,
            "conjunction"
                | "conjunction_v"
                | "disjunction"
                | "disjunction_v"
                | "negation"
                | "negation_v"
        );
        if !is_logical {
            return args;
        }
        args.into_iter()
            .map(|arg| match &arg {
                Value::Type(ty) => match &**ty {
                    Type::Record(record) => self
                        .named_member(record.instance, "value", None, None)
                        .unwrap_or(arg),
                    _ => arg,
                },
                _ => arg,
            })
            .collect()
    }
}

/// The collective that a value is, or is the type of.
fn collective_of(value: &Value) -> Option<&Arc<Collective>> {
    match value {
        Value::Collective(collective) => Some(collective),
        Value::Type(ty) => match &**ty {
            Type::Of(inner) => match &**inner {
                Value::Collective(collective) => Some(collective),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
