//! How objects begin: from constants, lists, constructors and other objects.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, Path, RecordKind, Reference};

use super::calls::{Given, pointer_to};
use super::numbers::scalar;
use super::store::{Content, Followed, Number, Place, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::interpret::overloads::Named;
use crate::limits;
use crate::reason::Reason;
use crate::types::{LibraryClass, RecordType, Scalar, ScalarClass, Type};
use crate::value::{Object, Truth, Value};
use cute_algebra::Int;

/// Whether numbers of a type are followed.
fn is_followed(scalar: Scalar) -> bool {
    scalar.is_integer() || matches!(scalar.class, ScalarClass::Bool | ScalarClass::Char)
}

/// The element and the number of elements of `std::array`.
fn array_of(class: &LibraryClass) -> Option<(&Type, usize)> {
    match (&*class.name, class.args.as_slice()) {
        ("array", [Value::Type(element), Value::Int(count)]) => {
            let count = usize::try_from(count.value()?).ok()?;
            (count <= limits::MACHINE_ELEMENTS).then_some((element, count))
        }
        _ => None,
    }
}

impl<'u> Runner<'_, 'u> {
    /// What an object of a written type begins with.
    pub(super) fn initial(
        &mut self,
        ty: &'u Expr,
        init: Option<&'u Expr>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match (&ty.kind, init) {
            (ExprKind::Const(inner) | ExprKind::Reference(inner, _), _) => {
                self.initial(inner, init, act, frame)
            }
            (ExprKind::Array(element, count), _) => {
                let items = match init.map(|init| &init.kind) {
                    Some(ExprKind::Braced(items)) => Some(items.as_slice()),
                    Some(ExprKind::Construct { args, .. }) => Some(args.as_slice()),
                    Some(_) => return Err(Stop),
                    None => None,
                };
                let count = match (count, items) {
                    (Some(count), _) => {
                        let count = self.value(count, act, frame)?.number()?.value;
                        usize::try_from(count).map_err(|_| Stop)?
                    }
                    (None, Some(items)) => items.len(),
                    (None, None) => return Err(Stop),
                };
                self.array(element, count, items, act, frame)
            }
            (ExprKind::Pointer(_), Some(init)) => {
                let given = self.evaluated(init, act, frame)?;
                pointer(given)
            }
            (ExprKind::Pointer(_), None) => Ok(Content::Unknown),
            (ExprKind::Auto, Some(init)) => {
                let given = self.evaluated(init, act, frame)?;
                match (&given.content, &given.place) {
                    // An array decays.
                    (Content::Array(_), Some(place)) if is_plain_array(init, frame) => {
                        Ok(Content::Pointer(place.part(0)))
                    }
                    _ => given.read(),
                }
            }
            (_, init) => {
                let ty = self.it.eval_type(ty, frame);
                self.typed(&ty, init, act, frame)
            }
        }
    }

    /// An array whose first elements are given; those behind them are zero.
    pub(super) fn array(
        &mut self,
        element: &'u Expr,
        count: usize,
        items: Option<&'u [Expr]>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        if count > limits::MACHINE_ELEMENTS || items.is_some_and(|items| items.len() > count) {
            return Err(Stop);
        }
        let mut contents = Vec::with_capacity(count);
        for index in 0..count {
            self.tick()?;
            let given = items.and_then(|items| items.get(index));
            contents.push(match (given, items) {
                (Some(item), _) => self.initial(element, Some(item), act, frame)?,
                (None, Some(_)) => self.zero_of(element, act, frame)?,
                (None, None) => self.initial(element, None, act, frame)?,
            });
        }
        Ok(Content::Array(contents))
    }

    fn zero_of(
        &mut self,
        element: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match &element.kind {
            ExprKind::Array(inner, Some(count)) => {
                let count = self.value(count, act, frame)?.number()?.value;
                let count = usize::try_from(count).map_err(|_| Stop)?;
                self.array(inner, count, Some(&[]), act, frame)
            }
            ExprKind::Pointer(_) => Ok(Content::Null),
            _ => {
                let ty = self.it.eval_type(element, frame);
                self.construct(&ty, &[], act, frame)
            }
        }
    }

    /// What an object of a type begins with.
    fn typed(
        &mut self,
        ty: &Type,
        init: Option<&'u Expr>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match (ty, init) {
            (Type::Scalar(ty), None) if is_followed(*ty) => Ok(Content::Unset(*ty)),
            (Type::Class(class), None) => {
                let (element, count) = array_of(class).ok_or(Stop)?;
                let Type::Scalar(element) = element else {
                    return Err(Stop);
                };
                Ok(Content::Array(vec![Content::Unset(*element); count]))
            }
            (_, None) => self.construct(ty, &[], act, frame),
            (_, Some(init)) => {
                if let ExprKind::Braced(items) = &init.kind {
                    return self.construct(ty, items, act, frame);
                }
                let given = self.evaluated(init, act, frame)?;
                match ty {
                    Type::Record(class) => self.object_of(class, given, frame),
                    _ => converted(given.read()?, ty),
                }
            }
        }
    }

    /// `T(args)` and `T{args}`.
    pub(super) fn construct(
        &mut self,
        ty: &Type,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match ty {
            Type::Scalar(ty) if is_followed(*ty) => {
                let number = match args {
                    [] => Number::int(0)?,
                    [only] => self.value(only, act, frame)?.number()?,
                    _ => return Err(Stop),
                };
                Ok(Content::Number(number.converted(*ty)?))
            }
            Type::Class(class) => {
                let (element, count) = array_of(class).ok_or(Stop)?;
                let items = match args {
                    [only] => match &only.kind {
                        ExprKind::Braced(items) => items.as_slice(),
                        _ => args,
                    },
                    args => args,
                };
                if items.len() > count {
                    return Err(Stop);
                }
                let mut contents = Vec::with_capacity(count);
                for index in 0..count {
                    contents.push(match items.get(index) {
                        Some(item) => self.typed(element, Some(item), act, frame)?,
                        None => self.construct(element, &[], act, frame)?,
                    });
                }
                Ok(Content::Array(contents))
            }
            Type::Record(class) => self.object(class, args, act, frame),
            Type::Of(value) if args.is_empty() && value.is_static() => {
                Ok(Content::Fixed((**value).clone()))
            }
            _ => Err(Stop),
        }
    }

    fn object(
        &mut self,
        class: &RecordType,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let instance = class.instance;
        if let [only] = args
            && !matches!(only.kind, ExprKind::Braced(_) | ExprKind::Designated(..))
        {
            let given = self.evaluated(only, act, frame)?;
            return self.object_of(class, given, frame);
        }
        let constructors = self.constructors(instance)?;
        if !constructors.is_empty() {
            let given = self.given(args, act, frame)?;
            return self.run_constructor(class, &constructors, given, frame);
        }
        let members = self.it.data_members(instance);
        if args.len() > members.len() {
            return Err(Stop);
        }
        let mut fields = Vec::with_capacity(members.len());
        for (index, member) in members.into_iter().enumerate() {
            let name = member.name.as_ref().ok_or(Stop)?;
            let content = match args.get(index) {
                Some(arg) if matches!(arg.kind, ExprKind::Designated(..)) => return Err(Stop),
                Some(arg) => self.member_from(instance, member, arg, act, frame)?,
                None => self.default_member(instance, member, !args.is_empty())?,
            };
            fields.push((name.name.as_str(), content));
        }
        Ok(Content::Object(class.clone(), fields))
    }

    /// An object that one argument makes: a copy of it, what a constructor makes of it, or its first member.
    fn object_of(
        &mut self,
        class: &RecordType,
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let instance = class.instance;
        let constructors = self.constructors(instance)?;
        if matches!(&given.content, Content::Object(own, _) if own == class) {
            return given.read();
        }
        if !constructors.is_empty() {
            return self.run_constructor(class, &constructors, vec![given], frame);
        }
        let mut first = Some(given);
        let mut fields = Vec::new();
        for member in self.it.data_members(instance) {
            let name = member.name.as_ref().ok_or(Stop)?;
            let content = match first.take() {
                Some(given) => self.member_of(instance, member, given, frame)?,
                None => self.default_member(instance, member, true)?,
            };
            fields.push((name.name.as_str(), content));
        }
        match first {
            None => Ok(Content::Object(class.clone(), fields)),
            Some(_) => Err(Stop),
        }
    }

    /// The constructors of a class whose objects are followed.
    fn constructors(&mut self, instance: usize) -> Followed<Vec<&'u Function>> {
        let record = self.it.record_declaration(instance).ok_or(Stop)?;
        if !self.is_plain_class(instance) {
            return Err(Stop);
        }
        let name = record.name.as_ref().ok_or(Stop)?;
        Ok(self.it.methods(instance, &name.name))
    }

    /// Whether objects of a class are their members and nothing else: to copy and to end them runs no code.
    fn is_plain_class(&mut self, instance: usize) -> bool {
        let Some(record) = self.it.record_declaration(instance) else {
            return false;
        };
        let Some(name) = &record.name else {
            return false;
        };
        if record.kind == RecordKind::Union || self.it.has_bases(instance) {
            return false;
        }
        let copies = |constructor: &&Function| {
            let [first, ..] = constructor.params.as_slice() else {
                return false;
            };
            let of = first.ty.as_ref().and_then(Expr::as_path);
            let of_class = of
                .and_then(Path::last)
                .is_some_and(|last| last.name.name == name.name);
            first.reference != Reference::None && of_class && !constructor.flags.defaulted
        };
        let acts = |function: &&Function| !function.flags.defaulted;
        let constructors = self.it.methods(instance, &name.name);
        let ends = self.it.methods(instance, &format!("~{}", name.name));
        let assigns = self.it.methods(instance, "operator=");
        !constructors.iter().any(copies) && !ends.iter().any(acts) && !assigns.iter().any(acts)
    }

    /// A data member that is given a value.
    fn member_from(
        &mut self,
        instance: usize,
        member: &'u Binding,
        arg: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        is_plain_member(member)?;
        match member.ty.as_ref().map(|ty| &ty.kind) {
            Some(ExprKind::Array(element, Some(count))) => {
                let ExprKind::Braced(items) = &arg.kind else {
                    return Err(Stop);
                };
                let mut scope = self.it.record_frame(instance);
                let count = self.value(count, act, &mut scope)?.number()?.value;
                let count = usize::try_from(count).map_err(|_| Stop)?;
                self.array(element, count, Some(items), act, frame)
            }
            _ if matches!(arg.kind, ExprKind::Braced(_)) => {
                let ty = self.it.known_type_of_member(instance, member);
                self.typed(&ty, Some(arg), act, frame)
            }
            _ => {
                let given = self.evaluated(arg, act, frame)?;
                self.member_of(instance, member, given, frame)
            }
        }
    }

    /// A data member that an argument was evaluated for.
    fn member_of(
        &mut self,
        instance: usize,
        member: &'u Binding,
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        is_plain_member(member)?;
        match member.ty.as_ref().map(|ty| &ty.kind) {
            Some(ExprKind::Array(..)) => Err(Stop),
            Some(ExprKind::Pointer(_)) => pointer(given),
            _ => match self.it.known_type_of_member(instance, member) {
                Type::Record(class) => self.object_of(&class, given, frame),
                ty => converted(given.read()?, &ty),
            },
        }
    }

    /// A data member that nothing is said of; in a list of initialisers it is zero then.
    fn default_member(
        &mut self,
        instance: usize,
        member: &'u Binding,
        in_list: bool,
    ) -> Followed<Content<'u>> {
        is_plain_member(member)?;
        let mut scope = self.it.record_frame(instance);
        let mut act = Activation::default();
        let ty = member.ty.as_ref().ok_or(Stop)?;
        match &member.init {
            None if in_list => self.zero_of(ty, &mut act, &mut scope),
            init => self.initial(ty, init.as_ref(), &mut act, &mut scope),
        }
    }

    fn run_constructor(
        &mut self,
        class: &RecordType,
        constructors: &[&'u Function],
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let instance = class.instance;
        let members = self.it.data_members(instance);
        let module = self.it.module_of_record(instance);
        let named: Vec<Named<'u>> = constructors.iter().map(|it| (None, *it, module)).collect();
        let chosen = self.chosen(&named, Some(instance), &[], &given, Some(false), frame)?;
        let function = chosen.function;
        if function.flags.deleted || function.flags.defaulted && !given.is_empty() {
            return Err(Stop);
        }
        let mut fields = Vec::with_capacity(members.len());
        for member in &members {
            let name = member.name.as_ref().ok_or(Stop)?;
            let is_given = function
                .member_inits
                .iter()
                .any(|init| init.target.as_plain_name() == Some(&name.name));
            let content = if is_given {
                Content::Unknown
            } else {
                self.default_member(instance, member, false)?
            };
            fields.push((name.name.as_str(), content));
        }
        let place = self.store.add(Content::Object(class.clone(), fields))?;
        if !function.flags.defaulted {
            self.run_constructor_at(&place, &chosen, &members, given)?;
        }
        self.store.take(&place)
    }

    /// What a member begins with that a constructor initialises.
    pub(super) fn initialise_member(
        &mut self,
        object: &Place,
        instance: usize,
        member: &'u Binding,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        let name = member.name.as_ref().ok_or(Stop)?;
        let place = self.field(object, &name.name).ok_or(Stop)?;
        let content = match args {
            [only] => self.member_from(instance, member, only, act, frame)?,
            [] => {
                let ty = member.ty.as_ref().ok_or(Stop)?;
                let mut scope = self.it.record_frame(instance);
                self.zero_of(ty, act, &mut scope)?
            }
            args => {
                is_plain_member(member)?;
                let ty = self.it.known_type_of_member(instance, member);
                self.construct(&ty, args, act, frame)?
            }
        };
        self.store.initialise(&place, content)
    }

    /// The type of what is stored.
    pub(super) fn type_of(content: &Content<'u>) -> Option<Type> {
        match content {
            Content::Number(Number { ty, .. }) | Content::Unset(ty) => Some(Type::Scalar(*ty)),
            Content::Object(class, _) => Some(Type::Record(class.clone())),
            _ => None,
        }
    }

    /// What is stored, as everyone else sees it.
    pub(super) fn seen(&self, content: &Content<'u>) -> Followed<Value> {
        match content {
            Content::Number(number) if number.ty.class == ScalarClass::Bool => {
                Ok(Value::Bool(Truth::run_time(number.value != 0)))
            }
            Content::Number(number) => Ok(Value::Int(Int::dynamic(number.value))),
            Content::Unset(ty) if ty.is_integer() => Ok(Value::Unknown(Reason::RunTime(
                "a number that nothing set".into(),
            ))),
            Content::Null => Ok(Value::Pointer(crate::tensor::Pointer::generic(None))),
            Content::Pointer(place) => {
                let target = self.store.at(place)?;
                Ok(pointer_to(Self::type_of(target).ok_or(Stop)?))
            }
            Content::Object(class, fields) => {
                let fields = fields.iter().map(|(name, field)| {
                    let value = self.seen(field);
                    let unknown = || Value::Unknown(Reason::RunTime((*name).into()));
                    ((*name).to_owned(), value.unwrap_or_else(|_| unknown()))
                });
                Ok(Value::Object(std::sync::Arc::new(Object {
                    class: class.clone(),
                    fields: fields.collect(),
                })))
            }
            Content::Array(items) => {
                let items: Followed<Vec<Value>> = items.iter().map(|it| self.seen(it)).collect();
                Ok(Value::Tuple(items?))
            }
            Content::Fixed(value) => Ok(value.clone()),
            Content::Closure(_) => Ok(Value::Unknown(Reason::Construct(CLOSURE))),
            Content::Unset(_) | Content::Unknown => Err(Stop),
        }
    }

    /// A value of the evaluation around the run, in an object of a type.
    pub(super) fn taken_over(&mut self, value: &Value, ty: &Type) -> Content<'u> {
        let number = |value: i64, ty: Scalar| {
            let long = scalar("long").ok()?;
            Number { value, ty: long }.converted(ty).ok()
        };
        match (value, ty) {
            (Value::Int(int), Type::Scalar(ty)) if is_followed(*ty) => int
                .value()
                .and_then(|value| number(value, *ty))
                .map_or(Content::Unknown, Content::Number),
            (Value::Bool(truth), Type::Scalar(ty)) if is_followed(*ty) => {
                number(i64::from(truth.value), *ty).map_or(Content::Unknown, Content::Number)
            }
            (Value::Object(object), Type::Record(class)) if object.class == *class => {
                if !self.is_plain_class(class.instance) {
                    return Content::Unknown;
                }
                let mut fields = Vec::new();
                for member in self.it.data_members(class.instance) {
                    let Some(name) = &member.name else {
                        return Content::Unknown;
                    };
                    let ty = self.it.known_type_of_member(class.instance, member);
                    let value = object.fields.iter().find(|(own, _)| *own == name.name);
                    let content = match value {
                        Some((_, value)) if !matches!(ty, Type::Record(_)) => {
                            self.taken_over(value, &ty)
                        }
                        _ => Content::Unknown,
                    };
                    fields.push((name.name.as_str(), content));
                }
                Content::Object(class.clone(), fields)
            }
            _ => Content::Unknown,
        }
    }
}

/// An argument in a pointer: an array decays.
pub(super) fn pointer(given: Given<'_>) -> Followed<Content<'_>> {
    match (given.content, given.place) {
        (content @ (Content::Pointer(_) | Content::Null), _) => Ok(content),
        (Content::Array(_), Some(place)) => Ok(Content::Pointer(place.part(0))),
        _ => Err(Stop),
    }
}

/// What a lambda is to those who only see that it has a value.
pub(super) const CLOSURE: &str = "a lambda";

/// Whether a variable is declared as a C array.
fn is_plain_array(expr: &Expr, frame: &Frame<'_>) -> bool {
    let declared = expr
        .as_plain_name()
        .and_then(|name| frame.find(name))
        .and_then(|variable| frame.declarations.get(&variable.declared));
    // What is no variable may be the array of a class.
    declared.is_none_or(|binding| {
        matches!(
            binding.ty.as_ref().map(|ty| &ty.kind),
            Some(ExprKind::Array(..))
        )
    })
}

/// Stops at a member that is no object of its own.
fn is_plain_member(member: &Binding) -> Followed<()> {
    let is_plain = member.bits.is_none() && member.reference == Reference::None;
    if is_plain { Ok(()) } else { Err(Stop) }
}

/// A value as one of another type.
pub(super) fn converted<'u>(value: Content<'u>, ty: &Type) -> Followed<Content<'u>> {
    match (ty, value) {
        (Type::Scalar(ty), value @ (Content::Pointer(_) | Content::Null))
            if ty.class == ScalarClass::Bool =>
        {
            Ok(Content::Number(Number::truth(value.truth()?)?))
        }
        (Type::Scalar(ty), value) => Ok(Content::Number(value.number()?.converted(*ty)?)),
        (Type::Record(class), value) => match &value {
            Content::Object(own, _) if own == class => Ok(value),
            _ => Err(Stop),
        },
        (Type::Class(class), value) => match (&value, array_of(class)) {
            (Content::Array(items), Some((_, count))) if items.len() == count => Ok(value),
            _ => Err(Stop),
        },
        // A template parameter is deduced as the unknown type of a lambda.
        (Type::Placeholder, value)
        | (Type::Pointer(_), value @ (Content::Pointer(_) | Content::Null))
        | (Type::Unknown(Reason::Construct(CLOSURE)), value @ Content::Closure(_)) => Ok(value),
        _ => Err(Stop),
    }
}
