//! The meaning of a name at its place: a local variable, a member, a declaration of the file, or a word of CuTe's
//! vocabulary, in this order.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Ident, Path, Qualifier, Segment, Span};

use super::frame::Frame;
use super::heads::name_of as record_name_of;
use super::heads::role_of;
use super::ids::{FunctionId, ModuleId, RecordId};
use super::integers::{QUALIFIED, is_arithmetic_type};
use super::libraries::{LibraryName, is_library};
use super::library_names::{is_architecture, other_word};
use super::program::Constant;
use super::{Callable, Interpreter, construct};
use crate::qualifiers::Qualifiers;
use crate::reason::Reason;
use crate::role::Role;
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary;

/// The meaning of a name.
#[derive(Debug)]
pub(super) enum Meaning<'u> {
    /// A value or type.
    Value(Value),
    /// Functions of the file under one name.
    Functions(Vec<FunctionId>),
    /// Methods of a class instance.
    Methods(usize, Vec<&'u Function>),
    /// A method of one of CuTe's types, named with the type: `TiledMma::make_fragment_A`.
    StaticMethod(Value, &'u Segment),
    /// A word of the vocabulary.
    Vocabulary(&'u Segment),
    /// A name of a Rust crate.
    Library(LibraryName<'u>),
    /// Nothing visible.
    Nothing(Reason),
}

impl<'u> Interpreter<'u> {
    pub(super) fn eval_name(&mut self, path: &'u Path, span: Span, frame: &mut Frame<'u>) -> Value {
        match self.meaning(path, frame) {
            Meaning::Value(value) => {
                self.recorder.mention(span, &value, frame);
                value
            }
            Meaning::Functions(ids) => {
                let segment = path.last();
                let explicit = self.template_arguments(segment, frame);
                self.note_naming(&ids, &explicit, span, frame);
                let name = segment.map_or("", |segment| &segment.name.name);
                self.callable(Callable::Functions(name, ids, explicit))
            }
            Meaning::Methods(..) | Meaning::StaticMethod(..) => construct("a pointer to a method"),
            Meaning::Vocabulary(segment) => {
                self.note_kernel_of_class(segment, frame);
                let value = self.vocabulary_name(segment, span, frame);
                if segment.args.is_some() {
                    self.recorder.mention(span, &value, frame);
                }
                match value {
                    Value::Unknown(Reason::Undeclared(name)) if self.settings.stands_alone => {
                        self.shared_symbol(&name, span)
                    }
                    value => value,
                }
            }
            Meaning::Library(name) => {
                let value = self.library_value(&name, span, frame);
                self.recorder.mention(span, &value, frame);
                value
            }
            Meaning::Nothing(reason) => Value::Unknown(reason),
        }
    }

    /// The meaning of a path at its place.
    pub(super) fn meaning(&mut self, path: &'u Path, frame: &mut Frame<'u>) -> Meaning<'u> {
        if self.is_rust() {
            return self.meaning_in_rust(path, frame);
        }
        for segment in &path.segments {
            self.program.note_named(&segment.name.name);
        }
        let Some((last, scopes)) = path.segments.split_last() else {
            return Meaning::Nothing(Reason::Construct("an empty name"));
        };
        if let Qualifier::Type(inner) = &path.qualifier {
            let ty = self.eval_type(inner, frame);
            return self.meaning_in_type(ty, &path.segments, frame);
        }
        let global = matches!(path.qualifier, Qualifier::Global);
        if scopes.is_empty() && !global {
            return self.meaning_of_plain(last, frame);
        }
        if let Some(class) = Self::class_of_cuda(&path.segments) {
            return Meaning::Value(class);
        }
        let names = scopes.iter().map(|scope| scope.name.name.as_str());
        if vocabulary::is_strided(names, &last.name.name) {
            return Meaning::Vocabulary(last);
        }
        if let Some(meaning) = self.meaning_in_hardware(&path.segments, frame) {
            return meaning;
        }
        self.read_declarations_of_path(&path.segments, global, frame);
        // As many leading segments as name modules, then types.
        let mut module = global.then_some(0);
        for (index, segment) in scopes.iter().enumerate() {
            let next = match module {
                Some(module) if index > 0 || global => {
                    self.child_module(module, &segment.name.name)
                }
                _ => self.visible_module(&segment.name.name, frame),
            };
            if let (Some(next), None) = (next, &segment.args) {
                module = Some(next);
                continue;
            }
            let rest = path.segments.get(index..).unwrap_or_default();
            return match module {
                Some(module) if index > 0 || global => {
                    match self.meaning_of_type_path(Some(module), rest, frame) {
                        // The rest of a library's namespace is not visible.
                        Meaning::Nothing(Reason::Undeclared(_)) if self.is_in_library(module) => {
                            self.meaning_in_library(rest, frame)
                        }
                        meaning => meaning,
                    }
                }
                _ if is_library(segment)
                    || vocabulary::is_hardware_scope(&segment.name.name)
                    || is_architecture(&segment.name.name)
                    || self.is_unseen_library(segment, frame) =>
                {
                    self.meaning_in_library(rest, frame)
                }
                _ => self.meaning_of_type_path(None, rest, frame),
            };
        }
        let Some(module) = module else {
            return self.meaning_of_plain(last, frame);
        };
        if let Some(found) = self.meaning_in_module(module, last, frame) {
            return found;
        }
        if let Some(other) = other_word(&path.segments) {
            return other;
        }
        // A library's namespace that the file adds to.
        if scopes.first().is_some_and(is_library) || self.is_in_library(module) {
            return Meaning::Vocabulary(last);
        }
        Meaning::Nothing(Reason::Undeclared(last.name.name.as_str().into()))
    }

    pub(super) fn meaning_of_type_path(
        &mut self,
        module: Option<ModuleId>,
        segments: &'u [Segment],
        frame: &mut Frame<'u>,
    ) -> Meaning<'u> {
        let Some((first, rest)) = segments.split_first() else {
            return Meaning::Nothing(Reason::Construct("an empty name"));
        };
        let meaning = match module {
            Some(module) => self
                .meaning_in_module(module, first, frame)
                .unwrap_or_else(|| {
                    Meaning::Nothing(Reason::Undeclared(first.name.name.as_str().into()))
                }),
            None => self.meaning_of_plain(first, frame),
        };
        let value = match meaning {
            Meaning::Value(value) => value,
            Meaning::Vocabulary(segment) => self.vocabulary_name(segment, segment.name.span, frame),
            other => return other,
        };
        self.recorder.mention(first.name.span, &value, frame);
        self.members_of(value, rest, frame)
    }

    fn meaning_in_type(
        &mut self,
        ty: Type,
        segments: &'u [Segment],
        frame: &mut Frame<'u>,
    ) -> Meaning<'u> {
        self.members_of(Value::Type(Box::new(ty)), segments, frame)
    }

    /// `A::B::C` from the value of the part left of the first `::`.
    pub(super) fn members_of(
        &mut self,
        value: Value,
        segments: &'u [Segment],
        frame: &mut Frame<'u>,
    ) -> Meaning<'u> {
        let mut value = value;
        for (index, segment) in segments.iter().enumerate() {
            let last = index + 1 == segments.len();
            if last
                && let Value::Type(ty) = &value
                && let Some(instance) = self.class_with_methods(ty)
                && let Some((owner, methods)) = self.inherited_methods(instance, &segment.name.name)
            {
                return Meaning::Methods(owner, methods);
            }
            let mut member = self.static_member(&value, segment, frame);
            if let (Value::Unknown(Reason::MemberNotEvaluated(..)), Value::Type(ty)) =
                (&member, &value)
                && let Some(found) = self.member_of_declared_atom(ty, &segment.name.name)
            {
                member = found;
            }
            if last
                && matches!(member, Value::Unknown(Reason::MemberNotEvaluated(..)))
                && let Value::Type(ty) = &value
                && let Type::Of(object) = &**ty
                && vocabulary::method(&segment.name.name).is_some()
            {
                return Meaning::StaticMethod((**object).clone(), segment);
            }
            value = member;
        }
        Meaning::Value(value)
    }

    /// The class instance of the sources that a type is.
    fn class_with_methods(&mut self, ty: &Type) -> Option<usize> {
        match ty {
            Type::Record(record) => Some(record.instance),
            Type::Named(name) => self.class_of_tag(name),
            Type::Of(value) => match &**value {
                Value::Collective(collective) => {
                    Some(self.class_of_collective(collective)?.instance)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The replacement of a macro without arguments that the function itself defines.
    fn meaning_of_local_macro(
        &mut self,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Meaning<'u>> {
        let name = segment.name.name.as_str();
        let Some(define) = frame.macros.named(name)? else {
            return Some(Meaning::Value(Value::Unknown(Reason::Ambiguous(
                name.into(),
            ))));
        };
        if define.params.is_some() {
            return None;
        }
        let value = define.value.as_ref()?;
        // A macro is never in its own replacement.
        if value.span.encloses(segment.name.span) {
            return None;
        }
        let meaning = self.nested(|it| match value.as_path() {
            Some(path) => it.meaning(path, frame),
            None => Meaning::Value(it.eval(value, frame)),
        });
        let too_deep = || Meaning::Nothing(Reason::Limit("too many macros inside macros"));
        Some(meaning.unwrap_or_else(too_deep))
    }

    pub(super) fn meaning_of_plain(
        &mut self,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Meaning<'u> {
        let name = segment.name.name.as_str();
        if let Some(meaning) = self.meaning_of_local_macro(segment, frame) {
            return meaning;
        }
        if let Some(variable) = frame.find_seen(name) {
            let (value, declared) = (variable.value.clone(), variable.declared);
            self.recorder.note_declaration(segment.name.span, declared);
            let value = match Self::referred(declared, frame) {
                Some(target) => self.seen_through(target, declared, frame),
                None => value,
            };
            let value = self.present_value(value, name, declared, frame);
            // `U<int>` with a template template parameter.
            if let Value::Type(ty) = &value
                && let Type::Template(id, _) = **ty
                && segment.args.is_some()
            {
                let records = self.same_template(id);
                return Meaning::Value(self.record_name(&records, segment, frame));
            }
            // The same of an instruction.
            if let Value::Type(ty) = &value
                && let Type::Named(instruction) = &**ty
                && segment.args.is_some()
            {
                let args = self.template_arguments(Some(segment), frame);
                let answer = vocabulary::instruction_with(instruction, &args);
                return Meaning::Value(match answer {
                    Ok(value) => value,
                    Err(vocabulary::Problem::Unknown(reason)) => Value::Unknown(reason),
                    Err(_) => Value::Unknown(Reason::Construct("this instruction")),
                });
            }
            return Meaning::Value(value);
        }
        if name == "this" {
            return match &frame.owner.this {
                Some(object) => Meaning::Value(object.clone()),
                None => Meaning::Nothing(Reason::Construct("`this`")),
            };
        }
        if frame.owner.record.is_some()
            && let Some(Value::Object(object)) = &frame.owner.this
            && let Some((_, field)) = object.fields.iter().find(|(field, _)| field == name)
        {
            return Meaning::Value(field.clone());
        }
        let mut around = frame.owner.record;
        while let Some(record) = around {
            around = self.computed.classes.around(record);
            // `using Element = Element;` takes the name from outside.
            if self.is_declared_here(record, segment) {
                continue;
            }
            // A base that depends on template parameters is not looked into ([temp.dep]).
            if self.is_of_dependent_base(record, name)
                && let Some(outside) = self.meaning_in_visible(segment, frame)
            {
                return outside;
            }
            if let Some(value) = self.record_member(record, segment, frame) {
                return Meaning::Value(value);
            }
            if let Some((owner, methods)) = self.inherited_methods(record, name) {
                // Constructors are not methods that a name finds: the name means the class, and with arguments its
                // template, which is outside.
                if self.record_declaration(owner).map(record_name_of) != Some(name) {
                    return Meaning::Methods(owner, methods);
                }
                if segment.args.is_none() {
                    let class = self.computed.classes.type_of(owner);
                    return Meaning::Value(Value::Type(Box::new(class)));
                }
            }
        }
        // Most names are the vocabulary's, and looked up many times.
        let key = (
            frame.owner.module,
            name,
            segment.args.as_ref().map(Vec::len),
        );
        let is_alone = frame.opened.is_empty();
        if is_alone && self.lookups.is_undeclared(&key) {
            return Meaning::Vocabulary(segment);
        }
        self.read_declarations_of(name, key.2);
        let found = self.meaning_in_visible(segment, frame);
        // A namespace that is opened further down may declare it there.
        if found.is_none() && is_alone && self.opened_later(segment.name.span, frame).is_empty() {
            self.lookups.note_undeclared(key);
        }
        found.unwrap_or(Meaning::Vocabulary(segment))
    }

    /// The declaration of a name in the namespaces that are visible here, before its use.
    fn meaning_in_visible(
        &mut self,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Meaning<'u>> {
        let visible = self.visible_modules(frame);
        let opened_later = self.opened_later(segment.name.span, frame);
        let mut later = None;
        for (index, &module) in visible.iter().enumerate() {
            let is_early = !opened_later.contains(&module);
            let found = if is_early {
                self.meaning_in_modules(module, segment, true, frame, &mut Vec::new())
            } else {
                None
            };
            if found.is_none() && later.is_none() && self.is_declared_later(module, segment) {
                later = Some(module);
            }
            if let Some(found) = found {
                return Some(match found {
                    Meaning::Functions(ids) => {
                        let others = visible.get(index + 1..).unwrap_or_default();
                        let ids = self.declared_before(ids, segment.name.span);
                        let others: Vec<ModuleId> = others
                            .iter()
                            .filter(|other| !opened_later.contains(other))
                            .copied()
                            .collect();
                        Meaning::Functions(self.with_opened(ids, &others, segment, frame))
                    }
                    found => found,
                });
            }
        }
        // A name without another meaning is not refused here.
        self.meaning_in_module(later?, segment, frame)
    }

    /// The functions of a name that a module itself declares.
    pub(super) fn functions_of_module(
        &self,
        module: ModuleId,
        name: &str,
    ) -> Option<&[FunctionId]> {
        let functions = self.program.module(module)?.functions.get(name);
        functions.map(Vec::as_slice)
    }

    /// The declaration of a name in a module itself; `segment` is the place of the use.
    pub(super) fn meaning_of_declared(
        &mut self,
        id: ModuleId,
        name: &'u str,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Meaning<'u>> {
        // The choices of a builder of the library come from our rules, not from its specialisations.
        let is_class_of_collectives = || vocabulary::is_class_of_collectives(name);
        if self.is_in_library(id) && vocabulary::is_library_word(name) && !is_class_of_collectives()
        {
            let declared = self.program.module(id)?.records.get(name);
            if let Some(records) = declared.filter(|_| vocabulary::is_collective_template(name)) {
                let records = records.clone();
                return Some(Meaning::Value(
                    self.collective_template(&records, segment, frame),
                ));
            }
            return Some(Meaning::Vocabulary(segment));
        }
        let module = self.program.module(id)?;
        let declared = module.declared(name)?;
        if self.is_of_vocabulary(declared, segment) && !is_class_of_collectives() {
            return None;
        }
        let module = self.program.module(id)?;
        let is_alias = segment.args.is_none() && self.is_alias_of_module(id, name);
        if let Some(functions) = module.functions.get(name).filter(|_| !is_alias) {
            return Some(Meaning::Functions(functions.clone()));
        }
        let records = module.records.get(name);
        if let Some(records) = records.filter(|_| !is_alias) {
            let records = records.clone();
            return Some(Meaning::Value(self.record_name(&records, segment, frame)));
        }
        if let Some(constant) = module.constants.get(name) {
            let constant = *constant;
            return Some(Meaning::Value(
                self.constant(id, name, constant, segment, frame),
            ));
        }
        None
    }

    /// Whether a name of a module is an alias, although the module seems to have class templates, or functions, of that name:
    /// these are in a namespace or class that a macro opens, as no scope declares both (C++ [basic.scope.scope]).
    fn is_alias_of_module(&self, id: ModuleId, name: &str) -> bool {
        let Some(module) = self.program.module(id) else {
            return false;
        };
        let Some(Constant::Binding(binding)) = module.constants.get(name) else {
            return false;
        };
        let mut records = module.records.get(name).into_iter().flatten();
        let is_template = |id: &RecordId| {
            self.record(*id)
                .is_some_and(|it| !it.tparams.is_empty() || it.special_args.is_some())
        };
        role_of(binding) == Role::Alias && binding.tparams.is_empty() && records.all(is_template)
    }

    fn meaning_in_module(
        &mut self,
        id: ModuleId,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Option<Meaning<'u>> {
        self.meaning_in_modules(id, segment, false, frame, &mut Vec::new())
    }

    /// The meaning of `module::name`: a declaration of the module or of its inline namespaces, else of the namespaces
    /// that it opens with `using namespace`, each looked at once (C++ [namespace.qual]). `only_early` is the look-up of
    /// a name alone: it leaves out declarations behind the use, and opened namespaces, which count as declared further
    /// out ([namespace.udir]).
    pub(super) fn meaning_in_modules(
        &mut self,
        id: ModuleId,
        segment: &'u Segment,
        only_early: bool,
        frame: &mut Frame<'u>,
        seen: &mut Vec<ModuleId>,
    ) -> Option<Meaning<'u>> {
        if seen.contains(&id) {
            return None;
        }
        seen.push(id);
        let name = segment.name.name.as_str();
        if !(only_early && self.is_declared_later(id, segment))
            && let Some(found) = self.meaning_of_declared(id, name, segment, frame)
        {
            return Some(match found {
                // Functions of the module are overloads beside those that it uses.
                Meaning::Functions(mut ids) => {
                    let used = self.meaning_of_used(id, segment, only_early, frame, seen);
                    if let Some(Some(Meaning::Functions(more))) = used {
                        ids.extend(
                            more.iter()
                                .filter(|id| !ids.contains(id))
                                .copied()
                                .collect::<Vec<_>>(),
                        );
                    }
                    Meaning::Functions(ids)
                }
                found => found,
            });
        }
        if let Some(found) = self.meaning_of_used(id, segment, only_early, frame, seen) {
            // One that is not read hides those further out, too: `using cute::Tensor;`.
            return Some(found.unwrap_or(Meaning::Vocabulary(segment)));
        }
        let module = self.program.module(id)?;
        let others: Vec<ModuleId> = if only_early {
            module.inline.clone()
        } else {
            let opened = module.opened.iter();
            let opened = opened.filter_map(|path| self.module_of_path(id, path));
            module.inline.iter().copied().chain(opened).collect()
        };
        others
            .into_iter()
            .find_map(|other| self.meaning_in_modules(other, segment, only_early, frame, seen))
    }

    pub(super) fn record_name(
        &mut self,
        records: &[RecordId],
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Value {
        let mut args = segment
            .args
            .as_ref()
            .map(|args| self.class_arguments(args, frame));
        if let (Some(values), Some(written)) = (&mut args, &segment.args) {
            hide_qualified(values, written, records.len() > 1, frame);
            self.hide_asked_about(values, written, records, frame);
        }
        match self.record_instance(records, args, None, frame) {
            Ok(ty) => Value::Type(Box::new(ty)),
            Err(reason) => Value::Unknown(reason),
        }
    }
}

/// Makes template arguments unknown that are written with parts that types do not have here: a `const`, a reference or
/// the extent of an array. Where there are specialisations all count, else those that programs ask about, numbers and
/// pointers.
pub(super) fn hide_qualified(
    values: &mut [Value],
    written: &[Expr],
    is_special: bool,
    frame: &Frame<'_>,
) {
    if values.len() != written.len() {
        return;
    }
    for (value, written) in values.iter_mut().zip(written) {
        // As an element of an array it is a number.
        let is_array = matches!(written.kind, ExprKind::Array(..))
            && !matches!(value, Value::Int(_) | Value::Bool(_));
        let is_pointer = matches!(value, Value::Type(ty) if matches!(**ty, Type::Pointer(_)));
        let counts = is_special || is_pointer || is_arithmetic_type(value);
        if is_array || counts && is_qualified(written, frame) {
            *value = Value::Unknown(QUALIFIED);
        }
    }
}

/// Whether a template argument is written as a constant or a reference, which types do not have here.
pub(super) fn is_qualified(argument: &Expr, frame: &Frame<'_>) -> bool {
    match &argument.kind {
        ExprKind::Const(_) | ExprKind::Reference(..) => true,
        ExprKind::Decltype(inner) => inner.as_plain_name().is_some_and(|name| {
            frame.find(name).is_none_or(|it| {
                let binding = frame.locals.declaration(it.declared);
                binding.is_none_or(|it| !Qualifiers::written_plainly(it))
            })
        }),
        _ => false,
    }
}

/// The name of an expression that is a plain name, for messages.
pub(super) fn shown_name(expr: &Expr) -> &str {
    expr.as_path()
        .and_then(Path::last)
        .map_or("an expression", |segment| &segment.name.name)
}

/// The identifier of the last segment of a name.
pub(super) fn last_ident(expr: &Expr) -> Option<&Ident> {
    expr.as_path()
        .and_then(Path::last)
        .map(|segment| &segment.name)
}
