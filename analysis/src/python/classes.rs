//! Classes: how they are made, and how their attributes are found.

use std::sync::Arc;

use tree_sitter_cute::script::{self, ArgKind};

use tree_sitter_cute::tree::Span;

use super::heap::{Class, ClassKind, Field, Id, Names, Object, Options, Wrapper};
use super::machine::{Frame, Machine, Run};
use super::metaclasses::Parts;
use super::native::Args;
use super::value::{Builtin, Py};
use crate::reason::Reason;

impl Machine<'_> {
    /// A class object of a `class` statement, with its decorators applied.
    pub(crate) fn class(&mut self, code: &Arc<script::Class>) -> Run<Py> {
        let mut bases = Vec::new();
        let mut named = Vec::new();
        let mut metaclass = None;
        for base in &code.bases {
            match &base.kind {
                ArgKind::Plain => bases.push(self.eval(&base.value)?),
                ArgKind::Named(name) if &*name.text == "metaclass" => {
                    metaclass = Some(self.eval(&base.value)?);
                }
                ArgKind::Named(name) => {
                    named.push((Arc::clone(&name.text), self.eval(&base.value)?));
                }
                ArgKind::Star | ArgKind::DoubleStar => {}
            }
        }
        let metaclass = self.metaclass_of(metaclass, &bases);
        let Some(outer) = self.frames.last() else {
            return Ok(Py::Unknown(Reason::Construct("a class")));
        };
        let (file, outer_scope) = (outer.file, outer.scope);
        let name = match &*outer.qualified {
            "" => Arc::clone(&code.name.text),
            outer => format!("{outer}.{}", code.name.text).into(),
        };
        let scope = self.new_scope(Some(outer_scope), true);
        let mut frame = Frame::of(scope, file, &name);
        frame.activation = self.frames.last().and_then(|frame| frame.activation);
        frame.numbering = self.numbering(&bases);
        self.prepare(metaclass.as_ref(), &code.name.text, &bases, scope)?;
        let (result, frame) = self.in_frame(frame, |machine| machine.block(&code.body));
        result?;
        let attributes = match self.heap.get(scope) {
            Object::Scope(scope) => scope.names.clone(),
            _ => Names::default(),
        };
        let annotated = frame.map(|frame| frame.annotated).unwrap_or_default();
        let mut value = match metaclass {
            Some(metaclass) => {
                let parts = Parts {
                    name: Arc::clone(&code.name.text),
                    bases,
                    attributes,
                    annotated,
                };
                self.class_of_metaclass(&metaclass, parts, named)?
            }
            None => {
                let id = self.new_class(&code.name.text, file, &bases, attributes, annotated)?;
                self.told_of_subclass(id, named)?;
                Py::Object(id)
            }
        };
        for decorator in code.decorators.iter().rev() {
            let span = decorator.span;
            let decorator = self.eval(decorator)?;
            value = match decorator {
                Py::Unknown(_) => value,
                decorator => self.call(&decorator, Args::of(vec![value], span))?,
            };
        }
        Ok(value)
    }

    /// `type(name, bases, members)`: a class that is made without a `class` statement.
    pub(super) fn class_of_parts(&mut self, args: &Args) -> Run<Py> {
        let unknown = || Py::Unknown(Reason::Construct("a class that is created at run time"));
        let [Py::Str(name), bases, members] = args.plain.as_slice() else {
            return Ok(unknown());
        };
        let name = Arc::clone(name);
        let (Ok(bases), Some(members)) = (self.iterate(bases)?, self.named_entries(members)) else {
            return Ok(unknown());
        };
        let mut attributes = Names::default();
        let mut annotated = Vec::new();
        for (member, value) in members {
            match &*member {
                "__annotations__" => match self.named_entries(&value) {
                    Some(types) => annotated = types,
                    None => return Ok(unknown()),
                },
                _ => attributes.set(member, value),
            }
        }
        let file = self.frames.last().map_or(0, |frame| frame.file);
        let class = self.new_class(&name, file, &bases, attributes, annotated)?;
        self.told_of_subclass(class, args.named.clone())?;
        Ok(Py::Object(class))
    }

    /// Calls `__init_subclass__` of the bases of a new class.
    fn told_of_subclass(&mut self, class: Id, named: Vec<(Arc<str>, Py)>) -> Run<()> {
        let Some(found) = self.next_attribute(class, class, "__init_subclass__") else {
            return Ok(());
        };
        // It is a class method, whether it says so or not.
        let function = match &found {
            Py::Object(id) => match self.heap.get(*id) {
                Object::Wrapped(Wrapper::ClassMethod, inner) => inner.clone(),
                Object::Function(_) => found.clone(),
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        let args = Args {
            named,
            ..Args::of(vec![Py::Object(class)], Span::default())
        };
        self.call(&function, args).map(drop)
    }

    /// `make_dataclass(name, [field, (field, type), (field, type, default), ...], bases=...)`
    pub(super) fn made_dataclass(&mut self, name: &Py, fields: &Py, bases: &Py) -> Run<Py> {
        let unknown = || Py::Unknown(Reason::Construct("a class that is created at run time"));
        let bases = match bases {
            Py::None => Vec::new(),
            bases => match self.iterate(bases)? {
                Ok(bases) => bases,
                Err(_) => return Ok(unknown()),
            },
        };
        let (Py::Str(name), Ok(fields)) = (name, self.iterate(fields)?) else {
            return Ok(unknown());
        };
        let mut attributes = Names::default();
        let mut annotated = Vec::with_capacity(fields.len());
        for field in &fields {
            if let Py::Str(field) = field {
                annotated.push((Arc::clone(field), Py::Builtin(Builtin::Object)));
                continue;
            }
            match self.iterate(field)?.as_deref() {
                Ok([Py::Str(field), ty, default @ ..]) => {
                    annotated.push((Arc::clone(field), ty.clone()));
                    if let Some(default) = default.first() {
                        attributes.set(Arc::clone(field), default.clone());
                    }
                }
                _ => return Ok(unknown()),
            }
        }
        let file = self.frames.last().map_or(0, |frame| frame.file);
        let class = self.new_class(name, file, &bases, attributes, annotated)?;
        if let Some(Object::Class(class)) = self.heap.get_mut(class) {
            class.kind = ClassKind::Dataclass;
        }
        Ok(Py::Object(class))
    }

    /// `NamedTuple(name, [(field, type), ...])`
    pub(super) fn named_tuple(&mut self, args: &Args) -> Run<Py> {
        let unknown = || Py::Unknown(Reason::Construct("a class that is created at run time"));
        let [Py::Str(name), fields] = args.plain.as_slice() else {
            return Ok(unknown());
        };
        let Ok(fields) = self.iterate(fields)? else {
            return Ok(unknown());
        };
        let mut annotated = Vec::with_capacity(fields.len());
        for field in &fields {
            match self.iterate(field)?.as_deref() {
                Ok([Py::Str(field), ty]) => annotated.push((Arc::clone(field), ty.clone())),
                _ => return Ok(unknown()),
            }
        }
        let file = self.frames.last().map_or(0, |frame| frame.file);
        let bases = [Py::Builtin(Builtin::NamedTuple)];
        let class = self.new_class(name, file, &bases, Names::default(), annotated)?;
        Ok(Py::Object(class))
    }

    /// A new class of its parts.
    pub(super) fn new_class(
        &mut self,
        name: &Arc<str>,
        file: usize,
        bases: &[Py],
        attributes: Names,
        annotated: Vec<(Arc<str>, Py)>,
    ) -> Run<Id> {
        let mut is_abc = false;
        let mut options = Options::default();
        let mut metaclass = None;
        let mut kind = ClassKind::Plain;
        let mut foreign = Vec::new();
        let mut orders: Vec<Arc<[Id]>> = Vec::new();
        let mut fields: Vec<Field> = Vec::new();
        for base in bases {
            match base {
                Py::Object(id) if matches!(self.heap.get(*id), Object::Class(_)) => {
                    let Object::Class(base) = self.heap.get(*id) else {
                        continue;
                    };
                    orders.push(Arc::clone(&base.order));
                    foreign.extend(base.foreign.iter().cloned());
                    fields.extend(base.fields.iter().map(|field| Field {
                        is_own: false,
                        ..field.clone()
                    }));
                    is_abc |= base.is_abc;
                    options.is_frozen |= base.options.is_frozen;
                    metaclass = metaclass.or(base.metaclass);
                    if base.kind != ClassKind::Plain && base.kind != ClassKind::Dataclass {
                        kind = base.kind;
                    }
                }
                Py::Builtin(Builtin::NamedTuple) => kind = ClassKind::NamedTuple,
                Py::Builtin(Builtin::Enum) => kind = ClassKind::Enum,
                Py::Builtin(
                    builtin @ (Builtin::IntEnum
                    | Builtin::StrEnum
                    | Builtin::Flag
                    | Builtin::IntFlag),
                ) => {
                    kind = ClassKind::Enum;
                    foreign.push(base.clone());
                    match builtin {
                        Builtin::IntEnum | Builtin::IntFlag => {
                            foreign.push(Py::Builtin(Builtin::Int));
                        }
                        Builtin::StrEnum => foreign.push(Py::Builtin(Builtin::Str)),
                        _ => {}
                    }
                }
                Py::Builtin(Builtin::Dsl("ABC")) => is_abc = true,
                Py::Builtin(Builtin::Dsl("TypedDict")) => {
                    foreign.push(Py::Builtin(Builtin::Dict));
                }
                Py::Builtin(Builtin::Object) => {}
                other => foreign.push(other.clone()),
            }
        }
        let module = self.files.get(file).map(|file| Arc::clone(&file.module));
        for (name, annotation) in annotated {
            if matches!(annotation, Py::Builtin(Builtin::Dsl("ClassVar"))) {
                continue;
            }
            let default = attributes.get(&name).cloned();
            let field = Field {
                is_internal: false,
                is_named: false,
                is_passed_on: false,
                is_ignored: false,
                is_own: true,
                name,
                annotation,
                default,
            };
            match fields.iter_mut().find(|known| known.name == field.name) {
                Some(known) => *known = field,
                None => fields.push(field),
            }
        }
        let id = self.heap.add(Object::Class(Class {
            qualified: match self.frames.last().map(|frame| &*frame.qualified) {
                None | Some("") => Arc::clone(name),
                Some(outer) => format!("{outer}.{name}").into(),
            },
            name: Arc::clone(name),
            module: module.unwrap_or_default(),
            order: Arc::from([]),
            foreign,
            attributes,
            kind,
            fields,
            options,
            metaclass,
            is_abc,
            is_abstract: false,
        }));
        let order = linear(id, &orders);
        if let Some(Object::Class(class)) = self.heap.get_mut(id) {
            class.order = order.into();
        }
        self.own_functions(id);
        self.name_descriptors(id)?;
        if kind == ClassKind::Enum {
            self.make_members(id)?;
        }
        let is_abstract = is_abc && self.has_open_methods(id);
        if let Some(Object::Class(class)) = self.heap.get_mut(id) {
            class.is_abstract = is_abstract;
        }
        Ok(id)
    }

    /// Tells the functions of a class which class they are of.
    fn own_functions(&mut self, class: Id) {
        let Object::Class(found) = self.heap.get(class) else {
            return;
        };
        let values: Vec<Py> = found.attributes.iter().map(|(_, it)| it.clone()).collect();
        for value in values {
            let mut at = value;
            // Through `property`, `staticmethod` and the like.
            while let Py::Object(id) = at {
                match self.heap.get_mut(id) {
                    Some(Object::Function(function)) => {
                        if function.class.is_none() {
                            function.class = Some(class);
                        }
                        break;
                    }
                    Some(Object::Wrapped(_, inner)) => at = inner.clone(),
                    _ => break,
                }
            }
        }
    }

    /// The declaration of a name in a class or one of its bases.
    pub(crate) fn class_attribute(&self, class: Id, name: &str) -> Option<Py> {
        let Object::Class(found) = self.heap.get(class) else {
            return None;
        };
        found.order.iter().find_map(|id| match self.heap.get(*id) {
            Object::Class(class) => class.attributes.get(name).cloned(),
            _ => None,
        })
    }

    /// The attribute behind a class in the resolution order of another one.
    pub(crate) fn next_attribute(&self, class: Id, of: Id, name: &str) -> Option<Py> {
        let Object::Class(found) = self.heap.get(of) else {
            return None;
        };
        let behind = found.order.iter().skip_while(|id| **id != class).skip(1);
        let mut behind = behind.copied();
        behind.find_map(|id| match self.heap.get(id) {
            Object::Class(class) => class.attributes.get(name).cloned(),
            _ => None,
        })
    }

    /// A method of an object, bound to it.
    pub(crate) fn method(&mut self, value: &Py, name: &str) -> Run<Option<Py>> {
        let Py::Object(id) = value else {
            return Ok(None);
        };
        let class = match self.heap.get(*id) {
            Object::Instance(instance) => instance.class,
            // A class is an object of its metaclass.
            Object::Class(class) => match class.metaclass {
                Some(metaclass) => metaclass,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        match self.class_attribute(class, name) {
            Some(Py::None) | None => Ok(None),
            Some(found) => self.bound_to(found, value, class).map(Some),
        }
    }

    /// An attribute of a class, as one of its objects sees it.
    pub(crate) fn bound_to(&mut self, found: Py, this: &Py, class: Id) -> Run<Py> {
        let Py::Object(id) = &found else {
            return Ok(match found {
                Py::Native(native) => Py::Method(native, Arc::new(this.clone())),
                other => other,
            });
        };
        Ok(match self.heap.get(*id) {
            Object::Function(_) => Py::Object(self.heap.add(Object::Bound {
                function: found,
                this: this.clone(),
            })),
            Object::Wrapped(Wrapper::Static, inner) => inner.clone(),
            Object::Wrapped(Wrapper::ClassMethod, inner) => {
                let function = inner.clone();
                Py::Object(self.heap.add(Object::Bound {
                    function,
                    this: Py::Object(class),
                }))
            }
            Object::Wrapped(Wrapper::Property | Wrapper::CachedProperty, inner) => {
                let getter = inner.clone();
                self.call(&getter, Args::of(vec![this.clone()], Span::default()))?
            }
            Object::Cached(_) | Object::Partial { .. } if self.is_method(&found) => {
                Py::Object(self.heap.add(Object::Bound {
                    function: found,
                    this: this.clone(),
                }))
            }
            Object::Accessors { get, .. } => {
                let getter = get.clone();
                self.call(&getter, Args::of(vec![this.clone()], Span::default()))?
            }
            Object::Instance(_) => match self.method(&found, "__get__")? {
                Some(method) => {
                    let args = vec![this.clone(), Py::Object(class)];
                    self.call(&method, Args::of(args, Span::default()))?
                }
                None => found,
            },
            _ => found,
        })
    }
}

impl Machine<'_> {
    /// Whether an attribute of a class is a function behind another object: a cached one.
    fn is_method(&self, value: &Py) -> bool {
        match value {
            Py::Object(id) => match self.heap.get(*id) {
                Object::Cached(cached) => match &cached.function {
                    Py::Object(inner) => matches!(self.heap.get(*inner), Object::Function(_)),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }
}

/// A class and its bases in the order of look-up (C3); where the bases contradict each other, depth first.
fn linear(class: Id, orders: &[Arc<[Id]>]) -> Vec<Id> {
    let mut rest: Vec<Vec<Id>> = orders.iter().map(|order| order.to_vec()).collect();
    rest.push(
        orders
            .iter()
            .filter_map(|order| order.first().copied())
            .collect(),
    );
    let mut order = vec![class];
    loop {
        rest.retain(|list| !list.is_empty());
        if rest.is_empty() {
            return order;
        }
        let heads: Vec<Id> = rest.iter().map(|list| list[0]).collect();
        let free = |head: &Id| rest.iter().all(|list| !list[1..].contains(head));
        let next = heads
            .iter()
            .copied()
            .find(|head| free(head))
            .unwrap_or(heads[0]);
        order.push(next);
        for list in &mut rest {
            list.retain(|id| *id != next);
        }
    }
}
