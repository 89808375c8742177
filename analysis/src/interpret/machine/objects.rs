//! Initial values of objects: from constants, lists, constructors and other objects.

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::given::Given;
use super::store::{Content, Followed, Number, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::limits;
use crate::reason::Reason;
use crate::types::{LibraryClass, Scalar, ScalarClass, Type};
use crate::value::Value;

/// Whether numbers of a type are followed.
pub(super) fn is_followed(scalar: Scalar) -> bool {
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
    /// The initial value of an object of a written type.
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
                if let Some(items) = items.filter(|items| expands(items)) {
                    return self.expanded_array(element, count.as_deref(), items, act, frame);
                }
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
            (ExprKind::Pointer(target), Some(init)) => {
                let init = match &init.kind {
                    ExprKind::Braced(items) | ExprKind::Construct { args: items, .. } => {
                        match items.as_slice() {
                            [] => return Ok(Content::Null),
                            [only] => only,
                            _ => return Err(Stop),
                        }
                    }
                    _ => init,
                };
                let given = self.evaluated(init, act, frame)?;
                let pointer = pointer(given)?;
                self.pointer_to(target, pointer, frame)
            }
            (ExprKind::Pointer(_), None) => Ok(Content::Unknown),
            (ExprKind::Auto, Some(init)) => {
                let given = self.evaluated(init, act, frame)?;
                match (&given.content, &given.place) {
                    // An array decays.
                    (Content::Array(_), Some(place)) if is_plain_array(init, frame) => {
                        Ok(Content::Pointer(place.part(0)))
                    }
                    _ => given.copy(&mut self.store),
                }
            }
            (_, init) => {
                if let Some(types) = self.types_of_tuple(ty, frame) {
                    let types = types?;
                    return match init.map(|init| &init.kind) {
                        None => self.tuple(&types, &[], act, frame),
                        Some(ExprKind::Braced(items) | ExprKind::Construct { args: items, .. }) => {
                            self.tuple(&types, items, act, frame)
                        }
                        Some(_) => {
                            let given = self.evaluated(init.ok_or(Stop)?, act, frame)?;
                            self.as_tuple(&types, given, frame)
                        }
                    };
                }
                let ty = self.it.eval_type(ty, frame);
                self.typed(&ty, init, act, frame)
            }
        }
    }

    /// An array of numbers from initialisers with packs among them.
    fn expanded_array(
        &mut self,
        element: &'u Expr,
        count: Option<&'u Expr>,
        items: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let element = self.it.eval_type(element, frame);
        if !matches!(element, Type::Scalar(_)) {
            return Err(Stop);
        }
        let mut contents = Vec::new();
        for given in self.given_in_order(items, act, frame)? {
            contents.push(self.converted_to(&element, given, frame)?);
        }
        if let Some(count) = count {
            let count = self.value(count, act, frame)?.number()?.value;
            let count = usize::try_from(count).map_err(|_| Stop)?;
            if count > limits::MACHINE_ELEMENTS || count < contents.len() {
                return Err(Stop);
            }
            while contents.len() < count {
                contents.push(self.construct(&element, &[], true, act, frame)?);
            }
        }
        Ok(Content::Array(contents))
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
        let too_many = |items: &'u [Expr]| items.len() > count || expands(items);
        if count > limits::MACHINE_ELEMENTS || items.is_some_and(too_many) {
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

    pub(super) fn zero_of(
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
                self.construct(&ty, &[], true, act, frame)
            }
        }
    }

    /// The initial value of an object of a type.
    pub(super) fn typed(
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
            (_, None) => self.construct(ty, &[], false, act, frame),
            (_, Some(init)) => {
                if let ExprKind::Braced(items) = &init.kind {
                    return self.construct(ty, items, true, act, frame);
                }
                let given = self.evaluated(init, act, frame)?;
                self.converted_to(ty, given, frame)
            }
        }
    }

    /// `T(args)` and `T{args}`.
    pub(super) fn construct(
        &mut self,
        ty: &Type,
        args: &'u [Expr],
        list: bool,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match ty {
            Type::Scalar(scalar) if is_followed(*scalar) => match args {
                [] => Ok(Content::Number(Number::int(0)?.converted(*scalar)?)),
                [only] => {
                    let given = self.evaluated(only, act, frame)?;
                    self.converted_to(ty, given, frame)
                }
                _ => Err(Stop),
            },
            Type::Class(class) => {
                let (element, count) = array_of(class).ok_or(Stop)?;
                let items = match args {
                    [only] => match &only.kind {
                        ExprKind::Braced(items) => items.as_slice(),
                        _ => args,
                    },
                    args => args,
                };
                if items.len() > count || expands(items) {
                    return Err(Stop);
                }
                let mut contents = Vec::with_capacity(count);
                for index in 0..count {
                    contents.push(match items.get(index) {
                        Some(item) => self.typed(element, Some(item), act, frame)?,
                        None => self.construct(element, &[], true, act, frame)?,
                    });
                }
                Ok(Content::Array(contents))
            }
            Type::Record(class) => self.object(class, args, list, act, frame),
            Type::Pointer(_) if args.is_empty() => Ok(Content::Null),
            Type::Of(value) if args.is_empty() && value.is_static() => {
                Ok(Content::Fixed((**value).clone()))
            }
            _ => Err(Stop),
        }
    }

    /// A pointer to a type: one to an object of a derived class points to the part of its base.
    pub(super) fn pointer_to(
        &mut self,
        target: &'u Expr,
        pointer: Content<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let Content::Pointer(place) = &pointer else {
            return Ok(pointer);
        };
        if !matches!(self.store.at(place), Ok(Content::Object(..))) {
            return Ok(pointer);
        }
        match self.it.eval_type(target, frame) {
            Type::Record(class) => {
                let part = self.part_of_class(place, class.instance)?.ok_or(Stop)?;
                Ok(Content::Pointer(part))
            }
            _ => Ok(pointer),
        }
    }
}

/// An argument in a pointer: an array decays.
pub(super) fn pointer(given: Given<'_>) -> Followed<Content<'_>> {
    match (given.content, given.place) {
        (content @ (Content::Pointer(_) | Content::Null | Content::Function(_)), _) => Ok(content),
        (Content::Array(_), Some(place)) => Ok(Content::Pointer(place.part(0))),
        _ => Err(Stop),
    }
}

/// Whether there is a pack among initialisers.
pub(super) fn expands(items: &[Expr]) -> bool {
    items
        .iter()
        .any(|item| matches!(item.kind, ExprKind::Expand(_)))
}

/// The value of a lambda for code that only sees that there is one.
pub(super) const CLOSURE: &str = "a lambda";

/// Whether a variable is declared as a C array.
fn is_plain_array(expr: &Expr, frame: &Frame<'_>) -> bool {
    let declared = expr
        .as_plain_name()
        .and_then(|name| frame.find(name))
        .and_then(|variable| frame.locals.declaration(variable.declared));
    // A name that is not a variable may be the array of a class.
    declared.is_none_or(|binding| {
        matches!(
            binding.ty.as_ref().map(|ty| &ty.kind),
            Some(ExprKind::Array(..))
        )
    })
}

/// A value as one of another type.
pub(super) fn converted<'u>(value: Content<'u>, ty: &Type) -> Followed<Content<'u>> {
    match (ty, value) {
        // A scoped enumeration converts to no number without a cast, so that this is one.
        (
            Type::Scalar(ty),
            value @ (Content::Pointer(_) | Content::Null | Content::Function(_)),
        ) if ty.class == ScalarClass::Bool => Ok(Content::Number(Number::truth(value.truth()?)?)),
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
        (Type::Named(_), value @ Content::Enumerator(_))
        | (Type::Placeholder, value)
        | (Type::Pointer(_), value @ (Content::Pointer(_) | Content::Null))
        | (Type::Unknown(Reason::Construct(CLOSURE)), value @ Content::Closure(_)) => Ok(value),
        _ => Err(Stop),
    }
}
