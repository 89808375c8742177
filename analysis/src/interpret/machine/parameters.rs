//! Parameters and variables: their initial values or referents.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, Reference};

use super::given::Given;
use super::library::element_of_list;
use super::objects::pointer;
use super::store::{Content, Followed, Location, Stop};
use super::{Activation, Runner};
use crate::interpret::deduction::position;
use crate::interpret::frame::{Frame, Variable};
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::walk;

impl<'u> Runner<'_, 'u> {
    /// Stops at a name for a type that may hide a reference: an alias.
    pub(super) fn is_written_out(
        &mut self,
        ty: &'u Expr,
        act: &Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        let Some(path) = ty.as_path() else {
            return Ok(());
        };
        if self.types_of_tuple(ty, frame).is_some() || element_of_list(ty).is_some() {
            return Ok(());
        }
        let name = path.last().ok_or(Stop)?.name.name.as_str();
        let is_parameter = act.tparams.iter().any(|it| position(it, name).is_some());
        if Scalar::of_spelling(name).is_some() || is_parameter {
            return Ok(());
        }
        let is_itself = match self.it.eval_type(ty, frame) {
            Type::Record(class) => {
                let record = self.it.record_declaration(class.instance);
                record
                    .and_then(|record| record.name.as_ref())
                    .is_some_and(|own| own.name == name)
            }
            Type::Class(class) => &*class.name == name,
            // An enumeration has no other name here.
            Type::Named(whole) => whole.rsplit("::").next() == Some(name),
            _ => false,
        };
        if is_itself { Ok(()) } else { Err(Stop) }
    }

    /// Declares the parameters of a function, with the arguments of a call.
    pub(super) fn bind_parameters(
        &mut self,
        params: &'u [Binding],
        given: Vec<Given<'u>>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        let has_pack = params.last().is_some_and(|last| last.specifiers.pack);
        if given.len() > params.len() && !has_pack {
            return Err(Stop);
        }
        let mut given = given.into_iter();
        for param in params {
            if param.specifiers.pack {
                let rest: Vec<Given<'u>> = given.collect();
                return self.bind_pack(param, rest, act, frame);
            }
            if let Some(ty) = &param.ty {
                self.is_written_out(ty, act, frame)?;
            }
            let given = given.next();
            let place = match (param.reference, given) {
                (Reference::None, Some(given)) => {
                    let content = self.stored(param.ty.as_ref(), given, frame)?;
                    self.store.add(content)?
                }
                (_, Some(given)) => self.referred(param, given, frame)?,
                (_, None) => {
                    let init = param.init.as_ref().ok_or(Stop)?;
                    let content = match &param.ty {
                        Some(ty) => self.initial(ty, Some(init), act, frame)?,
                        None => self.value(init, act, frame)?,
                    };
                    self.store.add(content)?
                }
            };
            self.declare(param, place, act, frame);
        }
        Ok(())
    }

    /// Declares the parameters of a pack whose types are deduced.
    fn bind_pack(
        &mut self,
        param: &'u Binding,
        given: Vec<Given<'u>>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        let ty = param.ty.as_ref().ok_or(Stop)?;
        let types = match ty.as_plain_name().and_then(|name| frame.find(name)) {
            Some(variable) => match &variable.value {
                Value::Pack(types) => types.clone(),
                _ => return Err(Stop),
            },
            None => return Err(Stop),
        };
        if types.len() != given.len() {
            return Err(Stop);
        }
        let mut places = Vec::with_capacity(given.len());
        let mut values = Vec::with_capacity(given.len());
        for (ty, given) in types.iter().zip(given) {
            // Its type may be given, and another one.
            match (ty, &given.content) {
                (Value::Type(ty), Content::Number(number)) => match &**ty {
                    Type::Scalar(own) if own.name == number.ty.name => {}
                    _ => return Err(Stop),
                },
                (Value::Type(ty), Content::Object(class, _)) => match &**ty {
                    Type::Record(own) if own == class => {}
                    _ => return Err(Stop),
                },
                _ => return Err(Stop),
            }
            let place = match (param.reference, &given.place) {
                (Reference::None, _) | (_, None) => {
                    let content = given.copy(&mut self.store)?;
                    self.store.add(content)?
                }
                (_, Some(place)) => place.clone(),
            };
            values.push(self.seen(self.store.at(&place)?).unwrap_or(Value::Nothing));
            places.push(place);
        }
        let Some(name) = &param.name else {
            return Ok(());
        };
        let variable = Variable {
            value: Value::Pack(values),
            declared: name.span,
            read: true,
        };
        frame.declare(&name.name, variable);
        frame.locals.declare(name.span, param, false);
        act.packs.insert(name.span, places);
        Ok(())
    }

    /// The stored value of a parameter passed by value.
    fn stored(
        &mut self,
        ty: Option<&'u Expr>,
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let Some(ty) = ty else {
            return given.copy(&mut self.store);
        };
        match &ty.kind {
            ExprKind::Pointer(target) => {
                let pointer = pointer(given)?;
                self.pointer_to(target, pointer, frame)
            }
            ExprKind::Array(..) => pointer(given),
            // An array decays.
            ExprKind::Auto if matches!(given.content, Content::Array(_)) => Err(Stop),
            ExprKind::Auto => given.copy(&mut self.store),
            _ => {
                if let Some(types) = self.types_of_tuple(ty, frame) {
                    return self.as_tuple(&types?, given, frame);
                }
                if let Some(element) = element_of_list(ty) {
                    let element = self.it.eval_type(element, frame);
                    let Content::Array(items) = given.content else {
                        return Err(Stop);
                    };
                    let mut converted = Vec::with_capacity(items.len());
                    for item in items {
                        let item = Given::of(given.expr, item, None);
                        converted.push(self.converted_to(&element, item, frame)?);
                    }
                    return Ok(Content::Array(converted));
                }
                let ty = self.it.eval_type(ty, frame);
                self.converted_to(&ty, given, frame)
            }
        }
    }

    /// The referent of a parameter or variable that is a reference.
    pub(super) fn referred(
        &mut self,
        param: &'u Binding,
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Location> {
        let target = param.ty.as_ref().map(|ty| match &ty.kind {
            ExprKind::Auto | ExprKind::Array(..) | ExprKind::Pointer(_) => None,
            _ => Some(self.it.eval_type(ty, frame)),
        });
        let target = target.flatten();
        let mut given = given;
        // A reference to a base refers to a part of an object.
        if let (Some(Type::Record(class)), Content::Object(own, _)) = (&target, &given.content)
            && own != class
        {
            let place = match given.place {
                Some(place) => place,
                None => self.store.add(given.content)?,
            };
            let part = self.part_of_class(&place, class.instance)?.ok_or(Stop)?;
            let content = self.store.at(&part)?.clone();
            given = Given::of(given.expr, content, Some(part));
        }
        let is_same = match (&target, &given.content) {
            // A bit-field is never the referent of a constant reference.
            (_, Content::Bits(..)) => false,
            // The elements of a list have the type that it says.
            _ if param
                .ty
                .as_ref()
                .is_some_and(|ty| element_of_list(ty).is_some()) =>
            {
                return Err(Stop);
            }
            (Some(Type::Scalar(ty)), Content::Number(number)) => number.ty.name == ty.name,
            (Some(Type::Scalar(ty)), Content::Unset(own)) => own.name == ty.name,
            (Some(Type::Scalar(_)), _) => false,
            (Some(Type::Record(class)), Content::Object(own, _)) => class == own,
            // The result of a constructor is not followed.
            (Some(Type::Record(_)), _) => return Err(Stop),
            _ => true,
        };
        match given.place {
            Some(place) if is_same => Ok(place),
            // A constant reference to another type refers to a copy.
            Some(_) if !param.specifiers.constant => Err(Stop),
            _ => {
                let content = match &target {
                    Some(ty @ Type::Scalar(_)) => self.converted_to(ty, given, frame)?,
                    _ if matches!(given.content, Content::Bits(..)) => {
                        given.copy(&mut self.store)?
                    }
                    _ => given.content,
                };
                self.store.add(content)
            }
        }
    }

    /// Declares a variable whose object is there.
    pub(super) fn declare(
        &mut self,
        binding: &'u Binding,
        place: Location,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) {
        let Some(name) = &binding.name else { return };
        let value = self
            .store
            .at(&place)
            .and_then(|content| self.seen(content))
            .unwrap_or(Value::Nothing);
        let variable = Variable {
            value,
            declared: name.span,
            read: true,
        };
        frame.declare(&name.name, variable);
        let is_constant = binding.specifiers.constant || binding.specifiers.constexpr;
        frame.locals.declare(name.span, binding, is_constant);
        act.places.insert(name.span, place);
    }
}

/// Whether a parameter `T&&` takes a variable in a function that uses `T`, which is a reference then.
pub(super) fn forwards_type(function: &Function, given: &[Given<'_>]) -> bool {
    let body = function.body.as_deref().unwrap_or_default();
    function.params.iter().zip(given).any(|(param, given)| {
        let name = param.ty.as_ref().and_then(Expr::as_plain_name);
        let name = name.filter(|name| position(&function.tparams, name).is_some());
        let Some(name) = name.filter(|_| param.reference == Reference::Rvalue) else {
            return false;
        };
        let mut is_used = false;
        walk::expressions(body, &mut |expr| {
            is_used |= expr.as_plain_name() == Some(name);
        });
        given.place.is_some() && is_used
    })
}
