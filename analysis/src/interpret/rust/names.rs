//! Paths.

use tree_sitter_cute::tree::{Path, Qualifier, Segment, Span};

use super::crates::Dependency;
use crate::interpret::frame::Frame;
use crate::interpret::ids::ModuleId;
use crate::interpret::libraries::LibraryName;
use crate::interpret::names::Meaning;
use crate::interpret::{Interpreter, construct};
use crate::limits;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::rust::{Library, primitive};

/// The target of the first names of a path.
#[derive(Debug, Clone)]
enum Target<'u> {
    Module(ModuleId),
    /// A declaration of a module, by name.
    Item(ModuleId, &'u str),
    /// Names inside a library.
    Library(&'static Library, Vec<&'u str>),
}

impl Target<'_> {
    /// The target of the name of a crate.
    fn of(dependency: Dependency) -> Self {
        match dependency {
            Dependency::Library(library) => Self::Library(library, Vec::new()),
            Dependency::Sources(module) => Self::Module(module),
        }
    }
}

/// The steps of one look-up: it ends where `use`s lead in circles.
#[derive(Debug, Default)]
struct Way {
    /// `use` paths followed.
    uses: usize,
    /// Modules whose `use name::*` were followed.
    opened: Vec<ModuleId>,
}

impl<'u> Interpreter<'u> {
    /// The meaning of a path of a Rust source.
    pub(in crate::interpret) fn meaning_in_rust(
        &mut self,
        path: &'u Path,
        frame: &mut Frame<'u>,
    ) -> Meaning<'u> {
        let Some((first, rest)) = path.segments.split_first() else {
            return Meaning::Nothing(Reason::Construct("an empty name"));
        };
        if let Qualifier::Type(inner) = &path.qualifier {
            let ty = self.eval_type(inner, frame);
            return self.members_of(Value::Type(Box::new(ty)), &path.segments, frame);
        }
        let name = first.name.name.as_str();
        if path.qualifier == Qualifier::None {
            if let Some(local) = self.local_before((first, rest), frame) {
                return match rest {
                    [] => Meaning::Value(local),
                    _ => self.members_of(local, rest, frame),
                };
            }
        } else if let Some(dependency) = self.program.dependency(frame.owner.module, name) {
            // `::name` is a crate.
            return match (dependency, rest.split_first()) {
                (Dependency::Library(library), _) => {
                    self.in_library(library, Vec::new(), rest, first)
                }
                (Dependency::Sources(module), Some((next, rest))) => {
                    self.item_in_rust(module, &next.name.name, next, rest, frame)
                }
                (Dependency::Sources(_), None) => Meaning::Nothing(Reason::Undeclared(name.into())),
            };
        }
        let mut target = None;
        for (index, segment) in path.segments.iter().enumerate() {
            let name = segment.name.name.as_str();
            let next = match &target {
                None => self.step_in_rust(frame.owner.module, name, true, &mut Way::default()),
                Some(Target::Module(module)) => {
                    self.step_in_rust(*module, name, false, &mut Way::default())
                }
                Some(_) => None,
            };
            let rest = path.segments.get(index + 1..).unwrap_or_default();
            match next {
                Some(Target::Module(module)) => target = Some(Target::Module(module)),
                Some(Target::Library(library, names)) => {
                    return self.in_library(library, names, rest, segment);
                }
                Some(Target::Item(module, item)) => {
                    return self.item_in_rust(module, item, segment, rest, frame);
                }
                None => {
                    return match primitive(name) {
                        Some(scalar) if rest.is_empty() => {
                            Meaning::Value(Value::Type(Box::new(Type::Scalar(scalar))))
                        }
                        _ => Meaning::Nothing(Reason::Undeclared(name.into())),
                    };
                }
            }
        }
        Meaning::Nothing(Reason::Construct("a module"))
    }

    /// A variable, or what may be the first name of a path: a generic parameter, `self` or `Self`. No path begins with a
    /// variable, which may have the name of a module.
    fn local_before(
        &mut self,
        (first, rest): (&'u Segment, &'u [Segment]),
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let is_type = |value: &Value| matches!(value, Value::Type(_));
        if !rest.is_empty() {
            let name = first.name.name.as_str();
            let variable = frame.find(name).filter(|found| !is_type(&found.value));
            let module = frame.owner.module;
            if variable.is_some()
                && self
                    .step_in_rust(module, name, true, &mut Way::default())
                    .is_some()
            {
                return None;
            }
        }
        self.local_in_rust(first, frame)
    }

    /// A variable, a generic parameter, `self` or `Self`.
    fn local_in_rust(&mut self, segment: &'u Segment, frame: &mut Frame<'u>) -> Option<Value> {
        let name = segment.name.name.as_str();
        if let Some(variable) = frame.find(name) {
            let (value, declared) = (variable.value.clone(), variable.declared);
            self.recorder.note_declaration(segment.name.span, declared);
            return Some(value);
        }
        match name {
            "self" => frame.owner.this.clone(),
            "Self" => {
                let record = frame.owner.record?;
                Some(Value::Type(Box::new(self.computed.classes.type_of(record))))
            }
            _ => None,
        }
    }

    /// A name inside a library; the segments after `segment` belong to it too.
    #[allow(clippy::unused_self)] // Beside its siblings.
    fn in_library(
        &self,
        library: &'static Library,
        mut names: Vec<&'u str>,
        rest: &'u [Segment],
        segment: &'u Segment,
    ) -> Meaning<'u> {
        names.extend(rest.iter().map(|segment| segment.name.name.as_str()));
        let last = rest.last().unwrap_or(segment);
        let outer = rest.len().checked_sub(2).and_then(|index| rest.get(index));
        let outer = outer.or(Some(segment).filter(|_| !rest.is_empty()));
        let generic = match outer {
            Some(outer) if last.args.is_none() => outer,
            _ => last,
        };
        Meaning::Library(LibraryName {
            library,
            names,
            segment: last,
            generic,
        })
    }

    fn item_in_rust(
        &mut self,
        module: ModuleId,
        item: &'u str,
        segment: &'u Segment,
        rest: &'u [Segment],
        frame: &mut Frame<'u>,
    ) -> Meaning<'u> {
        let Some(meaning) = self.meaning_of_declared(module, item, segment, frame) else {
            return Meaning::Nothing(Reason::Undeclared(item.into()));
        };
        match (meaning, rest) {
            (meaning, []) => meaning,
            (Meaning::Value(value), rest) => {
                self.recorder.mention(segment.name.span, &value, frame);
                self.members_of(value, rest, frame)
            }
            _ => Meaning::Nothing(Reason::Undeclared(item.into())),
        }
    }

    /// The target of one name in a module. `is_first` says that a crate's name may be there.
    fn step_in_rust(
        &self,
        module: ModuleId,
        name: &'u str,
        is_first: bool,
        way: &mut Way,
    ) -> Option<Target<'u>> {
        if way.uses > limits::USES_FOLLOWED {
            return None;
        }
        let found = self.program.module(module)?;
        match name {
            "crate" => return Some(Target::Module(self.program.crate_of(module))),
            "self" => return Some(Target::Module(module)),
            "super" => return found.parent.map(Target::Module),
            _ => {}
        }
        if found.functions.contains_key(name)
            || found.records.contains_key(name)
            || found.constants.contains_key(name)
        {
            return Some(Target::Item(module, name));
        }
        if let Some(child) = found.children.get(name) {
            return Some(Target::Module(*child));
        }
        if let Some(path) = found.used_path(name)
            && let Some(target) = self.follow_in_rust(module, path, Some(name), way)
        {
            return Some(target);
        }
        let opened: &[_] = if way.opened.contains(&module) {
            &[]
        } else {
            way.opened.push(module);
            &found.opened
        };
        for path in opened {
            match self.follow_in_rust(module, path, None, way) {
                Some(Target::Module(opened)) if opened != module => {
                    let found = self.step_in_rust(opened, name, false, way);
                    if found.is_some() {
                        return found;
                    }
                }
                Some(Target::Library(library, mut names)) => {
                    names.push(name);
                    if library.knows(&names) {
                        return Some(Target::Library(library, names));
                    }
                }
                _ => {}
            }
        }
        if is_first {
            return self.program.dependency(module, name).map(Target::of);
        }
        None
    }

    /// The target of the path of a `use`. `own` is the name that it brings, which it cannot start from.
    fn follow_in_rust(
        &self,
        module: ModuleId,
        path: &[&'u str],
        own: Option<&str>,
        way: &mut Way,
    ) -> Option<Target<'u>> {
        let (first, rest) = path.split_first()?;
        way.uses += 1;
        let mut target = if own == Some(*first) {
            // `use a::a`, `use cute_rs;`: a crate or a module beside.
            let beside = self.program.module(module)?.children.get(first);
            match beside {
                Some(child) => Target::Module(*child),
                None => Target::of(self.program.dependency(module, first)?),
            }
        } else {
            self.step_in_rust(module, first, true, way)?
        };
        for name in rest {
            target = match target {
                Target::Module(inner) => self.step_in_rust(inner, name, false, way)?,
                Target::Library(library, mut names) => {
                    names.push(name);
                    Target::Library(library, names)
                }
                Target::Item(..) => return None,
            };
        }
        Some(target)
    }

    /// A name of a library that is not called.
    pub(in crate::interpret) fn library_value(
        &mut self,
        name: &LibraryName<'u>,
        span: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(scalar) = name.names.last().and_then(|last| primitive(last)) {
            return Value::Type(Box::new(Type::Scalar(scalar)));
        }
        if let Some(generic) = name.library.generic(&name.names) {
            let targs = self.template_arguments(Some(name.segment), frame);
            let operands = name.segment.args.as_deref().unwrap_or_default();
            let mut remarks = Vec::new();
            let answer = generic.call(&targs, &[], &mut remarks);
            return self.answer(answer, remarks, span, operands, frame);
        }
        if name.library.function(&name.names).is_some() {
            return construct("a function that is named but not called");
        }
        match name.names.last() {
            // A type of the library whose values are evaluated.
            Some(last) if last.starts_with(char::is_uppercase) => {
                Value::Type(Box::new(Type::Placeholder))
            }
            last => Value::Unknown(Reason::NotEvaluated(last.map_or("", |last| *last).into())),
        }
    }
}
