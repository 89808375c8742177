//! The meaning of a name at its place: a local variable, a member, a declaration of the file, or a word of CuTe's
//! vocabulary, in this order.

use super::libraries::{LIBRARIES, LibraryName, is_library};
use std::rc::Rc;

use cute_algebra::Int;
use tree_sitter_cute::tree::{
    Enum, Expr, ExprKind, Function, Ident, Path, Qualifier, Segment, Span,
};

use super::deduction::expands_open_pack;
use super::enumeration::Enumeration;
use super::frame::Frame;
use super::heads::name_of as record_name_of;
use super::ids::{FunctionId, ModuleId, RecordId};
use super::integers::{QUALIFIED, integral_type, is_arithmetic_type, numeric_limit};
use super::program::{Constant, Declared};
use super::{Callable, Interpreter, construct};
use crate::fact::WordKind;
use crate::qualifiers::Qualifiers;
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::{Truth, Value};
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

/// Words of the vocabulary that are something else in a namespace: `cutlass::Coord<3>` is a vector of three
/// integers, `cute::Coord<..>` a tuple.
const OTHER_WORDS: &[(&str, &str)] = &[("cutlass", "Coord")];

/// Namespaces inside of CUTLASS and CuTe, which sources inside or after `using namespace cutlass` name
/// without it.
const NESTED_LIBRARIES: &[&str] = &[
    "arch",
    "collective",
    "conv",
    "detail",
    "epilogue",
    "fusion",
    "gemm",
    "kernel",
    "layout",
    "lazy",
    "platform",
    "thread",
    "threadblock",
    "transform",
    "warp",
];

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

    /// Whether a module is a namespace of a library, or inside of one.
    fn is_in_library(&self, module: ModuleId) -> bool {
        self.lookups
            .is_of_library(module, || self.is_inside_of_library(module))
    }

    fn is_inside_of_library(&self, module: ModuleId) -> bool {
        let mut next = Some(module);
        while let Some(id) = next {
            let is_library = self.program.module(0).is_some_and(|root| {
                LIBRARIES
                    .iter()
                    .any(|name| root.children.get(name) == Some(&id))
            });
            if is_library {
                return true;
            }
            next = self.program.module(id).and_then(|module| module.parent);
        }
        false
    }

    /// Whether a scope is a namespace inside a library whose names are visible here: `detail::x` in
    /// `cutlass::gemm`.
    fn is_unseen_library(&self, segment: &Segment, frame: &Frame<'u>) -> bool {
        let name = segment.name.name.as_str();
        if segment.args.is_some() || !NESTED_LIBRARIES.contains(&name) {
            return false;
        }
        let opens_library = |paths: &[Vec<&str>]| {
            paths
                .iter()
                .any(|path| path.first().is_some_and(|first| LIBRARIES.contains(first)))
        };
        let mut next = Some(frame.owner.module);
        while let Some(id) = next {
            let Some(module) = self.program.module(id) else {
                break;
            };
            if opens_library(&module.opened) {
                return true;
            }
            next = module.parent;
        }
        opens_library(&frame.opened) || self.is_in_library(frame.owner.module)
    }

    /// `cute::GMMA::Major::K`: names of the hardware's that live in separate scopes.
    fn meaning_in_hardware(
        &mut self,
        segments: &'u [Segment],
        frame: &mut Frame<'u>,
    ) -> Option<Meaning<'u>> {
        let first = segments
            .iter()
            .position(|segment| !LIBRARIES.contains(&segment.name.name.as_str()))?;
        let segments = segments.get(first..)?;
        let (last, scopes) = segments.split_last()?;
        if !vocabulary::is_hardware_scope(&scopes.first()?.name.name)
            || vocabulary::function(&last.name.name).is_some()
        {
            return None;
        }
        let args = last.args.as_ref().map(|args| self.eval_all(args, frame));
        let names: Vec<&str> = scopes
            .iter()
            .map(|segment| segment.name.name.as_str())
            .collect();
        let answer = vocabulary::hardware_name(&names, &last.name.name, args.as_deref());
        Some(Meaning::Value(self.answer(
            answer,
            Vec::new(),
            last.name.span,
            &[],
            frame,
        )))
    }

    /// `cute::x`, `cutlass::arch::X`, `std::is_same_v<..>`, `cute::conditional_t<..>::member`.
    fn meaning_in_library(
        &mut self,
        segments: &'u [Segment],
        frame: &mut Frame<'u>,
    ) -> Meaning<'u> {
        let Some((last, scopes)) = segments.split_last() else {
            return Meaning::Nothing(Reason::Construct("an empty name"));
        };
        if let Some(other) = other_word(segments) {
            return other;
        }
        let typed = scopes.iter().position(|segment| segment.args.is_some());
        let Some(typed) = typed else {
            return Meaning::Vocabulary(last);
        };
        let Some(segment) = scopes.get(typed) else {
            return Meaning::Vocabulary(last);
        };
        let rest = segments.get(typed + 1..).unwrap_or_default();
        if let (Some([ty]), [member], "numeric_limits") =
            (segment.args.as_deref(), rest, segment.name.name.as_str())
        {
            let limit = match self.eval_type(ty, frame) {
                Type::Scalar(ty) => numeric_limit(ty, &member.name.name),
                _ => None,
            };
            let unknown = || Value::Unknown(Reason::NotEvaluated("numeric_limits".into()));
            return Meaning::Value(limit.unwrap_or_else(unknown));
        }
        let value = self.vocabulary_name(segment, segment.name.span, frame);
        self.members_of(value, rest, frame)
    }

    fn meaning_of_type_path(
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

    /// The modules that are opened only behind a place.
    fn opened_later(&self, used: Span, frame: &Frame<'u>) -> Vec<ModuleId> {
        let (mut later, mut early) = (Vec::new(), Vec::new());
        for id in self.modules_around(frame.owner.module) {
            let Some(module) = self.program.module(id) else {
                continue;
            };
            for (path, at) in module.opened.iter().zip(&module.opened_at) {
                if self.is_behind(*at, used) {
                    later.extend(self.module_of_path(id, path));
                } else if !later.is_empty() || module.opened.len() > 1 {
                    early.extend(self.module_of_path(id, path));
                }
            }
        }
        let of_function = frame.opened.iter();
        early.extend(of_function.filter_map(|path| self.module_of_path(frame.owner.module, path)));
        let around = self.modules_around(frame.owner.module);
        later.retain(|id| !early.contains(id) && !around.contains(id));
        later
    }

    /// Whether an expression names an enumerator, whose value says nothing of its type.
    pub(super) fn is_enumerator(&self, expr: &Expr, frame: &Frame<'u>) -> bool {
        let named = self.constants_named(expr, frame);
        named
            .iter()
            .any(|constant| matches!(constant, Constant::Enumerator(..)))
    }

    /// The enumeration that an expression names, by itself or by one of its values; `None` where that may be another one.
    pub(super) fn enumeration_of(&self, expr: &Expr, frame: &Frame<'u>) -> Option<Enumeration> {
        let is_plain = expr.as_plain_name().is_some();
        // A class may have a member of the name.
        if is_plain && frame.owner.record.is_some() {
            return None;
        }
        let named = self.constants_named(expr, frame);
        let mut found = named.iter().map(|constant| match constant {
            Constant::Enumerator(declared, _) | Constant::Enum(declared) => {
                Enumeration::of(declared)
            }
            _ => None,
        });
        let first = found.next()??;
        found.all(|other| other == Some(first)).then_some(first)
    }

    /// The type that holds the values of the enumeration that an expression names, or one of whose values it names.
    pub(super) fn underlying_type(&mut self, expr: &'u Expr, frame: &Frame<'u>) -> Option<Scalar> {
        if expr.as_plain_name().is_some() && frame.owner.record.is_some() {
            return None;
        }
        let named = self.constants_named(expr, frame);
        let [Constant::Enumerator(declared, _) | Constant::Enum(declared)] = named.as_slice()
        else {
            return None;
        };
        let declared: &'u Enum = declared;
        if let Some(base) = &declared.base {
            let mut scope = Frame::new(frame.owner.module, frame.steps);
            integral_type(&self.eval_type(base, &mut scope))
        } else {
            let is_int = declared.scoped || Enumeration::of(declared)?.promotes_to_int;
            Scalar::of_spelling("int").filter(|_| is_int)
        }
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

    /// Constants and variables of a name that the visible modules declare.
    fn constants_named(&self, expr: &Expr, frame: &Frame<'u>) -> Vec<Constant<'u>> {
        let Some((last, scopes)) = expr.as_path().and_then(|path| path.segments.split_last())
        else {
            return Vec::new();
        };
        let name = last.name.name.as_str();
        let modules = match scopes.last() {
            None if frame.find(name).is_some() => Vec::new(),
            None => self.visible_modules(frame).to_vec(),
            Some(scope) => {
                let of_path: Vec<&str> = scopes
                    .iter()
                    .map(|scope| scope.name.name.as_str())
                    .collect();
                let named = self.module_of_path(frame.owner.module, &of_path);
                let named = named.or_else(|| self.visible_module(&scope.name.name, frame));
                named.into_iter().collect()
            }
        };
        let modules = modules.iter().filter_map(|id| self.program.module(*id));
        modules
            .filter_map(|module| module.constants.get(name).copied())
            .collect()
    }

    /// Whether a place is behind another one of the same file.
    fn is_behind(&self, span: Span, other: Span) -> bool {
        let files = (self.program.file_of(span), self.program.file_of(other));
        span.start > other.start && matches!(files, (Some(a), Some(b)) if std::ptr::eq(a, b))
    }

    /// Functions without those that are declared behind where their name is used. Beside a declaration without a body
    /// all stay: one may be its definition.
    fn declared_before(&self, mut ids: Vec<FunctionId>, used: Span) -> Vec<FunctionId> {
        let found = |id: &FunctionId| self.program.functions.get(*id).map(|it| it.function);
        let is_later = |id: &FunctionId| {
            found(id).is_some_and(|function| self.is_behind(function.name.span, used))
        };
        let is_defined = |id: &FunctionId| found(id).is_some_and(|it| it.body.is_some());
        if ids.iter().any(is_later) && ids.iter().all(is_defined) && !ids.iter().all(is_later) {
            ids.retain(|id| !is_later(id));
        }
        ids
    }

    /// Whether a module declares a name in this file, and only behind where it is used ([basic.scope.pdecl]).
    fn is_declared_later(&self, module: ModuleId, segment: &Segment) -> bool {
        let name = segment.name.name.as_str();
        let declared = self
            .program
            .module(module)
            .and_then(|module| module.declared(name));
        let is_later = |span: Span| self.is_behind(span, segment.name.span);
        match declared {
            None => false,
            Some(Declared::At(span)) => span.is_some_and(is_later),
            Some(Declared::Records(ids)) => ids.iter().all(|id| {
                let record = self.record(*id).and_then(|record| record.name.as_ref());
                record.is_some_and(|name| is_later(name.span))
            }),
            Some(Declared::Functions(ids)) => ids.iter().all(|id| {
                let found = self.program.functions.get(*id);
                found.is_some_and(|found| is_later(found.function.name.span))
            }),
        }
    }

    /// The functions of a name that are visible beside those of a module: a function of a namespace opened with
    /// `using namespace` counts as declared in a namespace around it (C++ [namespace.udir]), where `others` are looked
    /// at next.
    fn with_opened(
        &mut self,
        mut ids: Vec<FunctionId>,
        others: &[ModuleId],
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Vec<FunctionId> {
        let around = self.modules_around(frame.owner.module);
        let name = segment.name.name.as_str();
        for &other in others.iter().take_while(|other| !around.contains(other)) {
            if let Some(Meaning::Functions(more)) =
                self.meaning_of_declared(other, name, segment, frame)
            {
                let more = self.declared_before(more, segment.name.span);
                ids.extend(
                    more.iter()
                        .filter(|id| !ids.contains(id))
                        .copied()
                        .collect::<Vec<_>>(),
                );
            }
        }
        ids
    }

    /// Functions of a name that are declared beside the classes of arguments (C++ [basic.lookup.argdep]).
    pub(super) fn with_those_beside_classes(
        &self,
        mut ids: Vec<FunctionId>,
        name: &str,
        values: &[Value],
    ) -> Vec<FunctionId> {
        for value in values {
            let Type::Record(class) = Type::of(value) else {
                continue;
            };
            let module = self.program.module(self.module_of_record(class.instance));
            let beside = module.and_then(|module| module.functions.get(name));
            for id in beside.into_iter().flatten() {
                if !ids.contains(id) {
                    ids.push(*id);
                }
            }
        }
        ids
    }

    /// The modules whose names are visible, innermost first.
    pub(super) fn visible_modules(&self, frame: &Frame<'u>) -> Rc<[ModuleId]> {
        if !frame.opened.is_empty() {
            return self.modules_visible_in(frame).into();
        }
        self.lookups
            .visible_in(frame.owner.module, || self.modules_visible_in(frame).into())
    }

    fn modules_visible_in(&self, frame: &Frame<'u>) -> Vec<ModuleId> {
        let around = self.modules_around(frame.owner.module);
        // An opened module counts as declared in the innermost namespace around both it and the directive
        // ([namespace.udir]).
        let mut opened: Vec<(ModuleId, ModuleId)> = Vec::new();
        for path in &frame.opened {
            opened.extend(self.opened_from(frame.owner.module, path));
        }
        for &id in &around {
            let module = self.program.module(id);
            for path in module.iter().flat_map(|module| &module.opened) {
                opened.extend(self.opened_from(id, path));
            }
        }
        // A namespace that an opened namespace opens is visible, too.
        let mut next = 0;
        while let Some((id, _)) = opened.get(next).copied() {
            next += 1;
            let module = self.program.module(id);
            for path in module.iter().flat_map(|module| &module.opened) {
                let found = self.opened_from(id, path);
                opened.extend(found.filter(|(found, _)| opened.iter().all(|(it, _)| it != found)));
            }
        }
        let mut modules = Vec::new();
        for &level in &around {
            self.add_with_inline(level, &mut modules);
            for (id, _) in opened.iter().filter(|(_, at)| *at == level) {
                self.add_with_inline(*id, &mut modules);
            }
        }
        for (id, _) in opened {
            self.add_with_inline(id, &mut modules);
        }
        modules
    }

    /// A module and those around it, innermost first.
    fn modules_around(&self, module: ModuleId) -> Vec<ModuleId> {
        let mut around = Vec::new();
        let mut next = Some(module);
        while let Some(id) = next {
            around.push(id);
            next = self.program.module(id).and_then(|module| module.parent);
        }
        around
    }

    /// The module that a directive of a module opens, and the one in which its names count as declared.
    fn opened_from(&self, from: ModuleId, path: &[&str]) -> Option<(ModuleId, ModuleId)> {
        let found = self.module_of_path(from, path)?;
        let around = self.modules_around(found);
        let mut of_both = self.modules_around(from).into_iter();
        let level = of_both.find(|id| around.contains(id)).unwrap_or(0);
        Some((found, level))
    }

    fn add_with_inline(&self, id: ModuleId, modules: &mut Vec<ModuleId>) {
        if modules.contains(&id) {
            return;
        }
        modules.push(id);
        if let Some(module) = self.program.module(id) {
            for inner in &module.inline {
                self.add_with_inline(*inner, modules);
            }
        }
    }

    /// The module that a path names, seen from a module.
    pub(super) fn module_of_path(&self, from: ModuleId, path: &[&str]) -> Option<ModuleId> {
        let (first, rest) = path.split_first()?;
        let mut next = Some(from);
        while let Some(id) = next {
            if let Some(found) = self.child_module(id, first) {
                return rest
                    .iter()
                    .try_fold(found, |module, name| self.child_module(module, name));
            }
            next = self.program.module(id)?.parent;
        }
        None
    }

    fn child_module(&self, module: ModuleId, name: &str) -> Option<ModuleId> {
        let found = self.program.module(module)?;
        if let Some(child) = found.children.get(name) {
            return Some(*child);
        }
        found
            .inline
            .iter()
            .find_map(|inner| self.child_module(*inner, name))
    }

    fn visible_module(&self, name: &str, frame: &Frame<'u>) -> Option<ModuleId> {
        let mut next = Some(frame.owner.module);
        while let Some(id) = next {
            if let Some(found) = self.child_module(id, name) {
                return Some(found);
            }
            let module = self.program.module(id)?;
            if let Some(path) = module.aliases.get(name) {
                return self.module_of_path(id, path);
            }
            // `using a::Tag;` of an enum.
            if let Some(found) = self.used_module(id, name) {
                return Some(found);
            }
            next = module.parent;
        }
        // `using namespace a;` shows the namespaces and enums of `a`.
        let visible = self.visible_modules(frame);
        visible.iter().find_map(|id| {
            self.child_module(*id, name)
                .or_else(|| self.used_module(*id, name))
        })
    }

    /// The module that a `using` declaration of a module names.
    fn used_module(&self, module: ModuleId, name: &str) -> Option<ModuleId> {
        let path = self.program.module(module)?.used_names.get(name)?;
        self.module_of_path(module, path)
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
        if let Some(functions) = module.functions.get(name) {
            return Some(Meaning::Functions(functions.clone()));
        }
        if let Some(records) = module.records.get(name) {
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

    /// Whether the declarations of a name in a library are those of the vocabulary: all of them are in the library's
    /// own files, and the vocabulary has the name.
    fn is_of_vocabulary(&self, declared: Declared<'u>, segment: &Segment) -> bool {
        let of_library = |span: Span| {
            let file = self.program.file_of(span);
            file.is_some_and(crate::sources::SourceFile::is_library)
        };
        let all_of_library = match declared {
            Declared::Functions(ids) => ids.iter().all(|id| {
                self.file_of_function(*id)
                    .is_some_and(crate::sources::SourceFile::is_library)
            }),
            Declared::Records(ids) => ids.iter().all(|id| {
                self.record(*id)
                    .and_then(|record| record.name.as_ref())
                    .is_some_and(|name| of_library(name.span))
            }),
            Declared::At(span) => span.is_some_and(of_library),
        };
        let name = segment.name.name.as_str();
        all_of_library
            && (vocabulary::knows(name, segment.args.as_ref().map(Vec::len))
                || super::launchers::is_launcher(name))
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
    fn meaning_in_modules(
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
            return Some(found);
        }
        let module = self.program.module(id)?;
        let others: Vec<ModuleId> = if let Some(path) = module.used_names.get(name) {
            let (last, scopes) = path.split_last()?;
            let target = self.module_of_path(id, scopes)?;
            if target == id && *last == name {
                return None;
            }
            // A using-declaration has the meaning of its qualified name.
            return self.meaning_in_modules(target, segment, false, frame, seen);
        } else if only_early {
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

    fn constant(
        &mut self,
        module: ModuleId,
        name: &'u str,
        constant: Constant<'u>,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Value {
        match constant {
            Constant::Ambiguous => match self.program.macro_value(name, segment.name.span) {
                Some(value) => self.eval(value, frame),
                None => Value::Unknown(Reason::Ambiguous(name.into())),
            },
            Constant::Binding(binding) => {
                if let Some(ident) = &binding.name {
                    self.recorder
                        .note_declaration(segment.name.span, ident.span);
                }
                let value = self.global_binding(module, binding, segment, frame);
                self.present_global(value, binding, name, frame)
            }
            Constant::Enumerator(declared, index) => {
                let up_to = declared.enumerators.get(..=index).unwrap_or_default();
                self.enumerator(module, up_to, frame)
            }
            Constant::Enum(declared) => {
                if let Some(declared) = &declared.name {
                    self.recorder
                        .note_declaration(segment.name.span, declared.span);
                }
                let whole = self.program.path_of_name(module, name);
                Value::Type(Box::new(Type::Named(whole.into())))
            }
            Constant::Macro => match self.program.macro_value(name, segment.name.span) {
                Some(value) => self.eval(value, frame),
                None => Value::Unknown(Reason::Construct("a macro")),
            },
        }
    }

    /// The value of an enumerator: its own, or one more than the one before it.
    fn enumerator(
        &mut self,
        module: ModuleId,
        enumerators: &'u [tree_sitter_cute::tree::Enumerator],
        frame: &mut Frame<'u>,
    ) -> Value {
        let stated = enumerators
            .iter()
            .rposition(|enumerator| enumerator.value.is_some());
        let (base, after) = match stated {
            Some(index) => {
                let mut scope = Frame::new(module, frame.steps);
                scope.owner.record = frame.owner.record;
                let value = enumerators
                    .get(index)
                    .and_then(|enumerator| enumerator.value.as_ref())
                    .map_or(Value::Nothing, |value| self.eval(value, &mut scope));
                (value, enumerators.len() - 1 - index)
            }
            None => (
                Value::Int(cute_algebra::Int::dynamic(0)),
                enumerators.len().saturating_sub(1),
            ),
        };
        let after = cute_algebra::Int::dynamic(i64::try_from(after).unwrap_or(i64::MAX));
        super::operators::binary(
            tree_sitter_cute::tree::BinaryOp::Add,
            base,
            Value::Int(after),
        )
    }

    /// A word of the vocabulary that is not called.
    pub(super) fn vocabulary_name(
        &mut self,
        segment: &'u Segment,
        span: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(answer) = self
            .standard_question(segment, frame)
            .or_else(|| self.standard_trait(segment, frame))
        {
            return answer;
        }
        let name = self.standard_name(segment);
        let args = segment.args.as_ref().map(|args| self.eval_all(args, frame));
        if let Some(open) = args.as_deref().and_then(expands_open_pack) {
            return Value::Unknown(open);
        }
        let args = args.map(|args| self.with_open_numbers(name, args, segment));
        let args = args.map(|args| self.with_values_of_traits(name, args));
        if let Some(answer) = args.as_deref().and_then(|args| self.base_trait(name, args)) {
            return answer;
        }
        if let Some(args) = args.as_deref()
            && let Some(answer) = self
                .same_by_origin(segment, args, frame)
                .or_else(|| self.declared_atom_type(name, args))
        {
            return answer;
        }
        if let Some(builtin) = vocabulary::builtin(name) {
            return Value::Builtin(builtin);
        }
        if let Some(args) = args.as_deref()
            && let Some(answer) = vocabulary::collective(name, args, self.surroundings())
        {
            let operands = segment.args.as_deref().unwrap_or_default();
            return self.answer(answer, Vec::new(), span, operands, frame);
        }
        if let Some(answer) = vocabulary::name(name, args.as_deref()) {
            let values = args.as_deref().unwrap_or_default();
            let answer = self.told_by_qualifiers(name, segment, answer, values, frame);
            if let Some(operation) = vocabulary::operation_of(name, &answer) {
                self.recorder
                    .note_word(segment.name.span, WordKind::Operation(operation), frame);
            }
            let operands = segment.args.as_deref().unwrap_or_default();
            return self.answer(answer, Vec::new(), span, operands, frame);
        }
        if vocabulary::function(name).is_some() {
            return Value::Function(name.into());
        }
        Value::Unknown(Reason::Undeclared(name.into()))
    }

    /// The word of the vocabulary for a name, which CuTe and the standard may both have and mean differently.
    fn standard_name(&self, segment: &'u Segment) -> &'u str {
        let name = segment.name.name.as_str();
        let start = segment.name.span.start;
        let is_standard = || {
            let scope = Span::new(start.saturating_sub("std::".len()), start);
            self.program.slice(scope) == "std::"
        };
        match name {
            "is_integral" if is_standard() => "is_std_integral",
            "is_integral_v" if is_standard() => "is_std_integral_v",
            // CuTe's counts modes.
            "rank_v" | "rank" if is_standard() && segment.args.is_some() => "std::rank",
            _ => name,
        }
    }

    /// `Int<Traits::kN>` of an open parameter is an integer in any case: a symbol.
    fn with_open_numbers(
        &self,
        name: &str,
        mut args: Vec<Value>,
        segment: &'u Segment,
    ) -> Vec<Value> {
        const LONGEST: usize = 40;
        if matches!(name, "Int" | "C")
            && let [arg @ Value::Unknown(Reason::Unbound(_))] = args.as_mut_slice()
            && let Some([written]) = segment.args.as_deref()
        {
            let words: Vec<&str> = self
                .program
                .slice(written.span)
                .split_whitespace()
                .collect();
            let text = words.join(" ");
            if text.len() <= LONGEST {
                *arg = Value::Int(Int::symbol(&text));
            }
        }
        args
    }

    /// `is_base_of<Base, Derived>` of classes of the sources.
    fn base_trait(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let is_value = match name {
            "is_base_of_v" => true,
            "is_base_of" => false,
            _ => return None,
        };
        if let Some(unknown) = args.iter().find(|arg| matches!(arg, Value::Unknown(_))) {
            return Some(unknown.clone());
        }
        let [Value::Type(base), Value::Type(derived)] = args else {
            return None;
        };
        let (base, derived) = (
            self.with_class_of_tag(base),
            self.with_class_of_tag(derived),
        );
        let decided = match (&base, &derived) {
            (Type::Unknown(reason), _) | (_, Type::Unknown(reason)) => {
                return Some(Value::Unknown(reason.clone()));
            }
            (Type::Parameter(name), _) | (_, Type::Parameter(name)) => {
                return Some(Value::Unknown(Reason::Unbound(name.clone())));
            }
            (Type::Record(base), Type::Record(derived)) => {
                self.derives_from(derived.instance, base.instance)
            }
            // A class of the sources is a base of other classes of the sources only.
            (
                Type::Record(_),
                Type::Scalar(_) | Type::Pointer(_) | Type::Of(_) | Type::Class(_),
            ) => Some(false),
            _ => None,
        };
        let Some(truth) = decided else {
            let takes = Reason::Unsuitable(name.into(), "classes with visible bases");
            return Some(Value::Unknown(takes));
        };
        Some(if is_value {
            Value::Bool(Truth::run_time(truth))
        } else {
            let constant = Value::Bool(Truth::fixed(truth));
            Value::Type(Box::new(Type::Of(Box::new(constant))))
        })
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
        let is_array = matches!(written.kind, ExprKind::Array(..));
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

/// A name of a library that is not the vocabulary's word.
fn other_word<'u>(segments: &[Segment]) -> Option<Meaning<'u>> {
    let [scope, last] = segments else {
        return None;
    };
    let name = (scope.name.name.as_str(), last.name.name.as_str());
    OTHER_WORDS.contains(&name).then(|| {
        let text = format!("{}::{}", name.0, name.1);
        Meaning::Nothing(Reason::NotEvaluated(text.into()))
    })
}

/// Whether a namespace is that of an architecture: `SM90::GMMA`.
fn is_architecture(name: &str) -> bool {
    name.strip_prefix("SM").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
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
