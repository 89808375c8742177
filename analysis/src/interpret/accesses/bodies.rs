//! Functions, methods and lambdas that are walked with their arguments, and the parameters of the kernel.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Function, Item, Lambda, MemberInit, Reference,
};

use super::super::site::Site;
use super::given::has_elements;
use super::held::{Held, Local, Part, Ty, not_a_number};
use super::objects::vector_name;
use super::passed::borrowed;
use super::{Scope, Walker};
use crate::access::AccessSpace;
use crate::access::terms::{SymbolKind, TermId};
use crate::limits;
use crate::types::Type;
use crate::value::Value;

/// A function that is called, where it is, and what it knows.
pub(super) struct Callee<'u> {
    pub(super) function: &'u Function,
    pub(super) site: Site,
    /// Its template arguments.
    pub(super) tparams: Vec<Value>,
    /// The members of the object whose method it is.
    pub(super) own: Option<Scope<'u>>,
}

/// The parameters and statements of a function or lambda.
struct Body<'u> {
    params: &'u [Binding],
    inits: &'u [MemberInit],
    items: &'u [Item],
    /// Whether it gives a reference, and whether to something constant.
    gives: Option<Gives>,
}

/// A reference that a function gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// To something that may be changed through it.
    Pointed,
    /// To something that stays as it is.
    Constant,
}

/// The reference that a return type is.
fn gives(ret: Option<&Expr>) -> Option<Gives> {
    match &ret?.kind {
        ExprKind::Reference(inner, _) => Some(match inner.kind {
            ExprKind::Const(_) => Gives::Constant,
            _ => Gives::Pointed,
        }),
        ExprKind::Const(inner) => gives(Some(inner)).map(|_| Gives::Constant),
        _ => None,
    }
}

impl<'u> Walker<'_, 'u> {
    /// Walks a function with its arguments: its result, and the members of its object afterwards.
    pub(super) fn walk_function(
        &mut self,
        callee: Callee<'u>,
        (args, values): (&'u [Expr], Vec<Held<'u>>),
    ) -> (Held<'u>, Option<Scope<'u>>) {
        let function = callee.function;
        let key = std::ptr::from_ref(function);
        if self.calls.len() >= limits::ACCESS_DEPTH || self.calls.contains(&key) {
            self.forget_passed(args);
            self.unseen();
            return (Held::Other("calls inside calls".into(), None), None);
        }
        let body = function.body.as_deref().unwrap_or_default();
        let values = self.seen_by((&function.params, body), args, values);
        let mut frame = self
            .it
            .function_frame(function, &callee.site, self.frame.steps);
        self.it
            .template_scope(&function.tparams, &callee.tparams, &mut frame);
        frame.scopes.push(super::super::frame::Scope::default());
        let outer = std::mem::replace(&mut self.frame, frame);
        let is_method = callee.own.is_some();
        let mut own = callee.own.unwrap_or_default();
        if is_method {
            let this = Held::Other("the object of a method".into(), None);
            own.insert("this", Local::new(this, Ty::Auto));
        }
        let scopes = std::mem::replace(&mut self.scopes, vec![own]);
        self.outer.push((scopes, Box::new(outer)));
        self.calls.push(key);
        self.names.called += 1;
        let caller = std::mem::replace(&mut self.names.call, self.names.called);
        let body = Body {
            params: &function.params,
            inits: &function.member_inits,
            items: function.body.as_deref().unwrap_or_default(),
            gives: gives(function.ret.as_ref()),
        };
        let (held, after) = self.walk_body(&body, args, &values);
        self.calls.pop();
        let mut members = None;
        let mut held = held;
        if let Some((scopes, frame)) = self.outer.pop() {
            let own = std::mem::replace(&mut self.scopes, scopes)
                .into_iter()
                .next();
            members = own.filter(|_| is_method);
            let callee = std::mem::replace(&mut self.frame, *frame);
            self.frame.steps = callee.steps;
            self.give_back(&function.params, args, &after);
            // The result has a type of the callee.
            let own = std::mem::replace(&mut self.frame, callee);
            held = self.as_returned(function, held);
            self.frame = own;
        }
        self.names.call = caller;
        (held, members)
    }

    /// The return value of a function, in its declared type.
    fn as_returned(&mut self, function: &'u Function, held: Held<'u>) -> Held<'u> {
        let ret = function.ret.as_ref();
        match ret {
            Some(ret) if !super::super::deduction::is_deduced(ret, &function.tparams) => {
                let ty = match &ret.kind {
                    ExprKind::Auto => Ty::Auto,
                    ExprKind::Reference(..) => return held,
                    _ => self.ty(ret),
                };
                if matches!(ty, Ty::Int(_) | Ty::Pointer(_)) {
                    self.converted(held, &ty)
                } else {
                    held
                }
            }
            _ => held,
        }
    }

    /// The value that a `return` gives back; of a function that gives a reference to memory, the place.
    pub(super) fn given_back(&mut self, value: &'u Expr) -> Held<'u> {
        let Some(gives) = self.course.gives else {
            return self.value(value);
        };
        if gives == Gives::Pointed
            && let Some(local) = self.part(value).cloned()
            && !matches!(local.held, Held::Pointed(_))
        {
            let held = self.lost(&local, "a reference to it may change it");
            self.store_variable(value, held);
        }
        self.value_or_place(value)
    }

    /// Walks the body of a lambda. `is_home` says that its arguments are variables around it.
    pub(super) fn walk_called(
        &mut self,
        lambda: &'u Lambda,
        (args, is_home): (&'u [Expr], bool),
        values: &[Held<'u>],
    ) -> Held<'u> {
        let params = &lambda.params;
        let body = Body {
            params,
            inits: &[],
            items: &lambda.body,
            gives: gives(lambda.ret.as_ref()),
        };
        let (held, after) = self.walk_body(&body, args, values);
        if is_home {
            self.give_back(params, args, &after);
        }
        held
    }

    /// Walks the body of a function or lambda: its result, and its parameters afterwards.
    fn walk_body(
        &mut self,
        body: &Body<'u>,
        args: &'u [Expr],
        values: &[Held<'u>],
    ) -> (Held<'u>, Scope<'u>) {
        self.scopes.push(Scope::default());
        for (index, param) in body.params.iter().enumerate() {
            let Some(name) = &param.name else { continue };
            let ty = param.ty.as_ref().map_or(Ty::Auto, |ty| self.ty(ty));
            let ty = match ty {
                // The type deduced from a pointer is that of its pointee.
                Ty::Pointer(target) if matches!(*target, Ty::Open(..)) => Ty::Auto,
                ty => ty,
            };
            let given = values.get(index).cloned();
            let held = match (given, &param.init) {
                // Another name of the same memory.
                (Some(held @ Held::Pointed(_)), _) if param.reference != Reference::None => held,
                // An array in memory, of a class that only the instance says, is a pointer to its first element.
                (Some(Held::Pointed(place)), _)
                    if matches!((&place.target, &ty), (Ty::Open(..), Ty::Pointer(_))) =>
                {
                    self.converted(Held::Pointer(place), &ty)
                }
                (Some(Held::Pointed(place)), _) => {
                    let held = match args.get(index) {
                        Some(arg) => self.loaded_from(arg, Ok(place)),
                        None => Held::Other("an argument".into(), None),
                    };
                    self.converted(held, &ty)
                }
                // A type that only the instance says is the one of the argument.
                (Some(held @ Held::Int(_)), _) if matches!(ty, Ty::Open(..)) => held,
                (Some(held), _) => self.converted(held, &ty),
                (None, Some(init)) => {
                    let held = self.value(init);
                    self.converted(held, &ty)
                }
                (None, None) => {
                    Held::Other("an argument that is not given".into(), Some(ty.clone()))
                }
            };
            let ty = match ty {
                Ty::Auto | Ty::Other(..) => held.ty(&self.out.terms).unwrap_or(ty),
                ty => ty,
            };
            self.declare(&name.name, Local::declared(param, held, ty));
        }
        let returns = std::mem::take(&mut self.returns);
        let (entry, loops) = (self.course.entry, self.course.loops_at_entry);
        self.course.entry = self.course.guards.len();
        self.course.loops_at_entry = self.course.loops.len();
        let ended = std::mem::replace(&mut self.course.ended, false);
        let switch = std::mem::replace(&mut self.course.in_switch, false);
        let gives = std::mem::replace(&mut self.course.gives, body.gives);
        self.scopes.push(Scope::default());
        for init in body.inits {
            self.initialise_member(init);
        }
        let integral = self.names.enter(body.items);
        self.walk_all(body.items);
        self.names.integral = integral;
        self.scopes.pop();
        self.course.guards.truncate(self.course.entry);
        (
            self.course.entry,
            self.course.loops_at_entry,
            self.course.ended,
            self.course.in_switch,
        ) = (entry, loops, ended, switch);
        self.course.gives = gives;
        let own = std::mem::replace(&mut self.returns, returns);
        let after = self.scopes.pop().unwrap_or_default();
        (self.returned(own), after)
    }

    /// Gives the arguments of reference parameters the values of the parameters afterwards.
    fn give_back(&mut self, params: &'u [Binding], args: &'u [Expr], after: &Scope<'u>) {
        for (param, arg) in params.iter().zip(args) {
            let written = param.ty.as_ref().map(|ty| &ty.kind);
            let (is_changed, arg) = match borrowed(arg) {
                Some(variable) if self.it.is_rust() => (
                    matches!(written, Some(ExprKind::Reference(_, true))),
                    variable,
                ),
                _ => (
                    param.reference == Reference::Lvalue && !param.specifiers.constant,
                    arg,
                ),
            };
            if let (true, Some(name)) = (is_changed, &param.name)
                && let Some(local) = after.get(name.name.as_str())
                && !matches!(local.held, Held::Pointed(_))
                && !matches!(local.ty, Ty::Array(..))
            {
                let held = local.held.clone();
                self.store_variable(arg, held);
            }
        }
    }

    /// The value of a function with these `return`s, each with the condition under which it is reached.
    fn returned(&mut self, returns: Vec<(Option<TermId>, Held<'u>)>) -> Held<'u> {
        let mut returns = returns.into_iter().rev();
        let Some((_, last)) = returns.next() else {
            return Held::Other("it returns nothing".into(), None);
        };
        returns.fold(last, |after, (condition, held)| match condition {
            Some(condition) => self.joined(condition, held, after),
            None => held,
        })
    }

    /// A parameter of the kernel.
    pub(super) fn declare_parameter(&mut self, param: &'u Binding, assigned: &[&str]) {
        let (Some(name), Some(ty)) = (&param.name, &param.ty) else {
            return;
        };
        let ty = self.ty(ty);
        if self.it.is_rust() && self.declare_builtin(param, name, &ty) {
            return;
        }
        let held = match &ty {
            Ty::Int(kind) => {
                let kind = *kind;
                if let Some(value) = self.it.assumed_value(&name.name, name.span) {
                    let own = name.name.as_str().into();
                    self.out.assumed.push((own, value));
                    self.number(value, kind)
                } else {
                    Held::Int(self.terms().shared(
                        &name.name,
                        SymbolKind::Uniform,
                        kind,
                        super::LEAST,
                    ))
                }
            }
            Ty::Pointer(target) => {
                let target = Ty::clone(target);
                self.pointer_to(&name.name, target, AccessSpace::Global, None)
            }
            Ty::Other(Type::Record(_), _) if assigned.contains(&name.name.as_str()) => {
                self.own_parameter(param, &ty)
            }
            ty if vector_name(ty).is_some() => self.given_vector(ty, &name.name),
            Ty::Other(Type::Class(_), _) => match self.given_strided(&ty, &name.name) {
                Some(held) => held,
                None if has_elements(&ty) => Held::Given(Part::whole(&name.name)),
                None => return,
            },
            // Its members are looked up where they are named.
            Ty::Other(Type::Record(_), _) => return,
            Ty::Open(..) if self.it.settings.is_cpp() => Held::Given(Part::whole(&name.name)),
            _ => Held::Other(not_a_number(&name.name), Some(ty.clone())),
        };
        if let Held::Int(term) = &held {
            self.out.origins.declare(*term, name.span);
            if let Some(symbol) = self.out.terms.as_symbol(*term) {
                self.out.origins.give(symbol);
            }
        }
        self.declare(&name.name, Local::declared(param, held, ty));
    }

    /// An object that the kernel is given and changes: its members are variables.
    fn own_parameter(&mut self, param: &'u Binding, ty: &Ty) -> Held<'u> {
        let written = param.name.as_ref().map(|name| name.name.as_str());
        let value = written.and_then(|name| Some(self.frame.find(name)?.value.clone()));
        let parts = value.zip(written);
        let parts = parts.and_then(|(value, name)| self.given_object(&value, name));
        match parts {
            Some(parts) => Held::Parts(parts),
            None => Held::Other("the kernel changes it".into(), Some(ty.clone())),
        }
    }
}
