//! Methods: of an object of the thread they see the members as variables, of one in memory as places.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, MemberInit, Segment};

use super::super::overloads::{Named, Selection};
use super::super::site::Site;
use super::bodies::Callee;
use super::changes::changed_in;
use super::held::{Held, Local, Parts, Pointer, Ty};
use super::places::is_place;
use super::roots::{is_this, root_of};
use super::rust::is_of_place;
use super::{Scope, Walker};
use crate::types::Type;
use crate::value::Value;

/// The object of a call.
pub(super) enum Receiver<'u> {
    /// One that the thread has for itself.
    Own(Parts<'u>),
    /// One in memory.
    At(Pointer),
    /// One that the kernel is given, which stays as it is.
    Given(Parts<'u>),
    /// The object of the method that is walked.
    This,
    /// Anything else.
    Value(Held<'u>),
}

/// A method that was chosen, and the class that has it.
struct Chosen<'u> {
    function: &'u Function,
    site: Site,
    tparams: Vec<Value>,
}

impl<'u> Walker<'_, 'u> {
    /// Whether the statements that are walked are those of a method of an object that is known.
    pub(super) fn is_in_method(&self) -> bool {
        self.scopes
            .first()
            .is_some_and(|scope| scope.contains_key("this"))
    }

    /// `m` of `this->m` and `(*this).m` in a method.
    pub(super) fn own_member(&self, expr: &'u Expr) -> Option<&'u str> {
        match &expr.kind {
            ExprKind::Member { object, member, .. } if self.is_this(object) => {
                Some(member.name.name.as_str())
            }
            _ => None,
        }
    }

    fn is_this(&self, object: &Expr) -> bool {
        self.is_in_method() && is_this(object)
    }

    /// The object of a call of a method by its name: methods of places of Rust get the place.
    pub(super) fn receiver_of(
        &mut self,
        object: &'u Expr,
        arrow: bool,
        method: &str,
    ) -> Receiver<'u> {
        let is_element = matches!(object.kind, ExprKind::Index(..));
        if self.it.is_rust()
            && is_element
            && is_of_place(method)
            && let Some(place) = self.place(object)
            && !matches!(&place, Ok(place) if matches!(place.target, Ty::Pointer(_)))
        {
            return Receiver::Value(match place {
                Ok(place) => Held::Pointer(place),
                Err(why) => Held::Other(why, None),
            });
        }
        self.receiver(object, arrow)
    }

    /// The object of a call of a method, evaluated once.
    pub(super) fn receiver(&mut self, object: &'u Expr, arrow: bool) -> Receiver<'u> {
        if self.it.is_rust() {
            if let Some(parts) = self.given_by_name(object) {
                return Receiver::Given(parts);
            }
            return match self.value(object) {
                Held::Parts(parts) if parts.instance().is_some() => Receiver::Own(parts),
                held => Receiver::Value(held),
            };
        }
        if self.is_this(object) {
            return Receiver::This;
        }
        if arrow {
            return match self.value(object) {
                Held::Pointer(pointer) => self.at(pointer),
                held => Receiver::Value(held),
            };
        }
        if let ExprKind::Index(inner, indices) = &object.kind
            && let Some(element) = self.strided_element(inner, indices)
        {
            return match element {
                Held::Pointed(place) => self.at(place),
                held => Receiver::Value(held),
            };
        }
        let local = object.as_plain_name().and_then(|name| self.find(name));
        if let Some(Held::Pointed(place)) = local.map(|local| local.held.clone()) {
            return self.at(place);
        }
        let is_member = self.own_member(object).is_some();
        if !is_member && is_place(object) {
            return match self.place(object) {
                Some(Ok(place)) if place.target.instance().is_some() => self.at(place),
                Some(place) => Receiver::Value(self.loaded_from(object, place)),
                None => Receiver::Value(self.value(object)),
            };
        }
        if !is_member && let Some(parts) = self.given_by_name(object) {
            return Receiver::Given(parts);
        }
        match self.value_or_place(object) {
            Held::Parts(parts) if parts.instance().is_some() => Receiver::Own(parts),
            Held::Pointed(place) => self.at(place),
            held => Receiver::Value(held),
        }
    }

    fn at(&mut self, place: Pointer) -> Receiver<'u> {
        if place.memory.is_some() {
            return Receiver::At(place);
        }
        match self.unset(&place.target, "it is kept in registers") {
            Some(parts) => Receiver::Own(parts),
            None => Receiver::Value(Held::Other(
                "it is kept in registers".into(),
                Some(place.target),
            )),
        }
    }

    /// `object.method(args)`.
    pub(super) fn method(
        &mut self,
        expr: &'u Expr,
        (receiver, object): (Receiver<'u>, &'u Expr),
        (name, segment): (&str, Option<&'u Segment>),
        args: &'u [Expr],
    ) -> Held<'u> {
        let (instance, own) = match &receiver {
            Receiver::Own(parts) | Receiver::Given(parts) if self.it.is_rust() => {
                let own = Local::own(Held::Parts(parts.clone()), Ty::Auto);
                (parts.instance(), Some(Scope::from_iter([("self", own)])))
            }
            Receiver::Own(parts) | Receiver::Given(parts) => {
                let members = parts.members.iter();
                let scope = members.map(|(name, local)| (*name, local.clone()));
                (parts.instance(), Some(scope.collect()))
            }
            Receiver::At(place) => {
                let own = self.members_at(place);
                (place.target.instance(), own)
            }
            Receiver::This => (self.frame.owner.record, self.scopes.first().cloned()),
            Receiver::Value(held) => match held.ty(&self.out.terms) {
                Some(ty) => (ty.instance(), None),
                None => (None, None),
            },
        };
        let found = instance.and_then(|instance| self.it.inherited_methods(instance, name));
        let Some((record, methods)) = found else {
            return self.called_member(expr, &receiver, name, args);
        };
        let values = self.passed(args);
        let chosen = self.chosen(record, &methods, segment, &values);
        let is_followed = chosen.as_ref().is_some_and(|chosen| {
            chosen.function.flags.is_static
                || own.is_some() && !self.may_confuse(&receiver, (chosen, record), (object, args))
        });
        let Some(chosen) = chosen.filter(|_| is_followed) else {
            let is_constant = methods.iter().all(|method| method.flags.constant);
            if !is_constant {
                self.lose_object(&receiver, object);
            }
            return self.not_walked(expr, (args, values), &methods);
        };
        let is_static = chosen.function.flags.is_static;
        let callee = Callee {
            function: chosen.function,
            site: chosen.site,
            tparams: chosen.tparams,
            own: own.filter(|_| !is_static),
        };
        let (held, after) = self.walk_function(callee, (args, values));
        let Some(after) = after else { return held };
        match receiver {
            Receiver::Own(mut parts) => {
                let before = parts.clone();
                for (name, local) in &mut parts.members {
                    if let Some(after) = after.get(name) {
                        local.held = after.held.clone();
                    }
                }
                if let Some(Held::Parts(after)) = after.get("self").map(|local| &local.held) {
                    parts = after.clone();
                }
                if parts != before {
                    // A loop does not see that an operator changes something.
                    if segment.is_none()
                        && let Some(name) = root_of(object)
                    {
                        self.lose(name, "an operator changes it");
                    }
                    self.store_variable(object, Held::Parts(parts));
                }
            }
            Receiver::This => self.set_own(after),
            _ => {}
        }
        held
    }

    /// A method by its name alone: of the object of the method that is walked, or a static one.
    pub(super) fn method_by_name(
        &mut self,
        expr: &'u Expr,
        (record, methods, segment): (usize, &[&'u Function], Option<&'u Segment>),
        args: &'u [Expr],
    ) -> Held<'u> {
        let values = self.passed(args);
        let chosen = self.chosen(record, methods, segment, &values);
        let is_of_this = self.is_in_method()
            && self.frame.owner.record.is_some_and(|own| {
                own == record || self.it.derives_from(own, record) == Some(true)
            });
        // In Rust a method by its name alone is given its object as an argument, which is not followed.
        let is_associated =
            |chosen: &Chosen<'_>| self.it.is_rust() && chosen.function.params.len() == args.len();
        let is_of_this = is_of_this && !self.it.is_rust();
        let chosen = chosen.filter(|chosen| {
            chosen.function.flags.is_static || is_of_this || is_associated(chosen)
        });
        let Some(chosen) = chosen else {
            if self.is_in_method() {
                self.lose_own();
            }
            return self.not_walked(expr, (args, values), methods);
        };
        let is_static = chosen.function.flags.is_static || self.it.is_rust();
        let callee = Callee {
            function: chosen.function,
            site: chosen.site,
            tparams: chosen.tparams,
            own: self.scopes.first().filter(|_| !is_static).cloned(),
        };
        let (held, after) = self.walk_function(callee, (args, values));
        if let Some(after) = after {
            self.set_own(after);
        }
        held
    }

    /// The method that a call means.
    fn chosen(
        &mut self,
        record: usize,
        methods: &[&'u Function],
        segment: Option<&'u Segment>,
        values: &[Held<'u>],
    ) -> Option<Chosen<'u>> {
        let name = methods.first()?.name.name.as_str();
        if self.it.uses_name(record, name) || self.it.is_virtual(record, name) {
            return None;
        }
        let explicit = self.it.explicit_arguments(segment, &mut self.frame);
        let module = self.it.module_of_record(record);
        let named: Vec<Named<'u>> = methods
            .iter()
            .map(|method| (None, *method, module))
            .collect();
        let Selection::One(chosen) = self.overload(&named, Some(record), &explicit, values) else {
            return None;
        };
        let function = self.it.specialised_method(record, chosen.function).ok()?;
        function.body.as_ref()?;
        Some(Chosen {
            function,
            site: Site {
                module,
                record: Some(record),
                this: None,
            },
            tparams: chosen.bound.tparams,
        })
    }

    /// Whether a method may change an object whose changes are not followed, or which it sees by two names.
    fn may_confuse(
        &mut self,
        receiver: &Receiver<'u>,
        (chosen, record): (&Chosen<'u>, usize),
        (object, args): (&'u Expr, &'u [Expr]),
    ) -> bool {
        if chosen.function.flags.constant {
            return false;
        }
        // In Rust nothing has two names while it changes.
        if self.it.is_rust() {
            let body = chosen.function.body.as_deref().unwrap_or_default();
            return matches!(receiver, Receiver::Given(_))
                && changed_in(body, &[]).contains(&"self");
        }
        if matches!(receiver, Receiver::Given(_)) {
            let body = chosen.function.body.as_deref().unwrap_or_default();
            let changed = changed_in(body, &[]);
            let members = self.it.data_members(record);
            let names = members.iter().filter_map(|member| member.name.as_ref());
            let has_bases = self.it.has_bases(record);
            return has_bases
                || calls_by_name(body)
                || changed.contains(&"this")
                || names
                    .into_iter()
                    .any(|name| changed.contains(&name.name.as_str()));
        }
        let root = root_of(object);
        root.is_some() && args.iter().any(|arg| root_of(arg) == root)
    }

    /// A call that is not walked, of functions of these heads.
    fn not_walked(
        &mut self,
        expr: &'u Expr,
        (args, values): (&'u [Expr], Vec<Held<'u>>),
        functions: &[&'u Function],
    ) -> Held<'u> {
        for (arg, held) in args.iter().zip(values) {
            match held {
                Held::Pointed(place) => {
                    self.loaded_from(arg, Ok(place));
                }
                Held::Lambda(closure) => self.lose_all_to(closure.lambda),
                _ => {}
            }
        }
        self.forget_changed_by(args, functions);
        self.unseen();
        let why = format!("`{}` is not followed", self.text(expr.span));
        Held::Other(why.into(), None)
    }

    /// `object.member(args)` where the member is not a method: a lambda, an object that is called.
    fn called_member(
        &mut self,
        expr: &'u Expr,
        receiver: &Receiver<'u>,
        name: &str,
        args: &'u [Expr],
    ) -> Held<'u> {
        let held = match receiver {
            Receiver::Own(parts) => parts.get(name).cloned(),
            _ => None,
        };
        match held {
            Some(Held::Lambda(closure)) => self.call_lambda(&closure, args),
            _ => self.not_followed(expr, args),
        }
    }

    /// A method that is not walked may have changed its object.
    fn lose_object(&mut self, receiver: &Receiver<'u>, object: &'u Expr) {
        let why = "a method that is not followed may have changed it";
        match receiver {
            Receiver::Own(parts) => {
                let ty = parts.ty.clone().unwrap_or(Ty::Auto);
                if let Some(parts) = self.unset(&ty, why) {
                    self.store_variable(object, Held::Parts(parts));
                }
            }
            Receiver::This => self.lose_own(),
            Receiver::Given(_) => {
                if let Some(root) = root_of(object) {
                    self.lose(root, why);
                }
            }
            Receiver::At(_) | Receiver::Value(_) => {}
        }
    }

    /// The object of the method that is walked may have changed.
    fn lose_own(&mut self) {
        let names: Vec<&'u str> = self.own_names();
        for name in names {
            self.forget(name, "a method that is not followed may have changed it");
        }
    }

    /// The members of the object of the method that is walked.
    pub(super) fn own_names(&self) -> Vec<&'u str> {
        let own = self.scopes.first().filter(|_| self.is_in_method());
        let names = own.into_iter().flat_map(|scope| scope.keys().copied());
        names.filter(|name| *name != "this").collect()
    }

    /// Takes the members of the object as a method of it has left them.
    fn set_own(&mut self, after: Scope<'u>) {
        if let Some(own) = self.scopes.first_mut() {
            for (name, local) in after {
                if let Some(known) = own.get_mut(name) {
                    known.held = local.held;
                }
            }
        }
    }

    /// `T(args)` and `T{args}` of a class of the sources.
    pub(super) fn made(
        &mut self,
        ty: &Ty,
        (args, values): (&'u [Expr], Vec<Held<'u>>),
    ) -> Option<Parts<'u>> {
        let instance = ty.instance()?;
        let values: Vec<Held<'u>> = args
            .iter()
            .zip(values)
            .map(|(arg, held)| match held {
                Held::Pointed(place) if place.target == *ty => self.loaded_from(arg, Ok(place)),
                held => held,
            })
            .collect();
        if let [Held::Parts(parts)] = values.as_slice()
            && parts.ty.as_ref() == Some(ty)
        {
            return (!self.it.copies_with_code(instance)).then(|| parts.clone());
        }
        if !self.it.has_constructor(instance) {
            if args.is_empty() {
                return self.uninitialised(ty, true);
            }
            let values = args
                .iter()
                .zip(values)
                .map(|(arg, held)| match held {
                    Held::Pointed(place) => self.loaded_from(arg, Ok(place)),
                    held => held,
                })
                .collect();
            return self.aggregate(ty, args, values);
        }
        let name = super::super::heads::name_of(self.it.record_declaration(instance)?);
        let constructors = self.it.methods(instance, name);
        let chosen = self.chosen(instance, &constructors, None, &values)?;
        let parts = self.uninitialised(ty, false)?;
        let own: Scope<'u> = parts.members.clone().into_iter().collect();
        let callee = Callee {
            function: chosen.function,
            site: chosen.site,
            tparams: chosen.tparams,
            own: Some(own),
        };
        let (_, after) = self.walk_function(callee, (args, values));
        let after = after?;
        let mut parts = parts;
        for (name, local) in &mut parts.members {
            local.held = after.get(name)?.held.clone();
        }
        Some(parts)
    }

    /// `member(args)` of a constructor, whose members are the variables.
    pub(super) fn initialise_member(&mut self, init: &'u MemberInit) {
        let local = init
            .target
            .as_plain_name()
            .and_then(|name| Some((name, self.scopes.first()?.get(name)?.ty.clone())));
        let Some((name, ty)) = local else {
            return self.initialise_base(init);
        };
        let values = self.passed(&init.args);
        let held = match (&ty, init.args.as_slice()) {
            (Ty::Other(Type::Record(_), _), args) => {
                let made = self.made(&ty, (args, values));
                made.map_or_else(|| Held::Other("an object".into(), None), Held::Parts)
            }
            (_, [arg]) => match values.into_iter().next() {
                Some(Held::Pointed(place)) => self.loaded_from(arg, Ok(place)),
                Some(held) => held,
                None => return,
            },
            (Ty::Int(kind), []) => self.number(0, *kind),
            _ => return,
        };
        if matches!(ty, Ty::Array(..)) {
            return;
        }
        let held = self.converted(held, &ty);
        let held = self.as_object(held, &ty);
        if let Some(local) = self.scopes.first_mut().and_then(|own| own.get_mut(name))
            && !matches!(local.held, Held::Pointed(_))
        {
            local.held = held;
        }
    }

    /// `Base(args)` of a constructor; the same for another constructor of the class itself.
    fn initialise_base(&mut self, init: &'u MemberInit) {
        let base = self.it.eval_type(&init.target, &mut self.frame);
        let base = self.ty_of(base);
        let values = self.passed(&init.args);
        if let Some(parts) = self.made(&base, (&init.args, values)) {
            self.set_own(parts.members.into_iter().collect());
        } else {
            self.lose_own();
        }
    }

    /// Gives a variable, or a part of one, a value.
    pub(super) fn store_variable(&mut self, target: &'u Expr, held: Held<'u>) {
        let Some(name) = target.as_plain_name() else {
            if !self.store_member(target, &held) {
                self.store_element(target, &held);
            }
            return;
        };
        let Some(Local {
            held: known, ty, ..
        }) = self.find(name)
        else {
            return;
        };
        if matches!(known, Held::Pointed(_)) || matches!(ty, Ty::Array(..)) {
            return;
        }
        let ty = ty.clone();
        let held = self.converted(held, &ty);
        let held = self.as_object(held, &ty);
        let held = self.followed(name, held);
        if let Some(local) = self.find_mut(name) {
            local.held = held;
        }
    }
}

/// Whether statements call something by its name alone, which may be a method.
fn calls_by_name(items: &[tree_sitter_cute::tree::Item]) -> bool {
    let mut found = false;
    crate::walk::expressions(items, &mut |expr| {
        if let ExprKind::Call(callee, _) = &expr.kind {
            found |= callee.as_plain_name().is_some();
        }
    });
    found
}
