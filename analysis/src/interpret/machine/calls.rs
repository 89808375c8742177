//! Calls: of functions, methods, operators and lambdas of the sources.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, Item, Lambda, Segment};

use super::expressions::{is_placed, plain};
use super::numbers::scalar;
use super::parameters::forwards_type;
use super::statements::Flow;
use super::store::{Closure, Content, Followed, Number, Place, Stop};
use super::{Activation, Runner};
use crate::hash::HashMap;
use crate::interpret::conversions::is_constant;
use crate::interpret::frame::{Frame, Scope};
use crate::interpret::instances::Site;
use crate::interpret::names::Meaning;
use crate::interpret::overloads::{Asked, Candidate, Named, Selection};
use crate::limits;
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::vocabulary;

/// What a call gives.
#[derive(Debug)]
pub(super) enum Outcome<'u> {
    Value(Content<'u>),
    /// A reference to something.
    Place(Place),
}

/// An argument of a call.
#[derive(Debug)]
pub(super) struct Given<'u> {
    expr: &'u Expr,
    pub(super) content: Content<'u>,
    /// Where it is, if it has a name.
    pub(super) place: Option<Place>,
}

impl<'u> Given<'u> {
    pub(super) fn of(expr: &'u Expr, content: Content<'u>, place: Option<Place>) -> Self {
        Self {
            expr,
            content,
            place,
        }
    }

    /// As what an operator gives.
    pub(super) fn into_outcome(self) -> Outcome<'u> {
        match self.place {
            Some(place) => Outcome::Place(place),
            None => Outcome::Value(self.content),
        }
    }

    /// Its value, to be used: what is not known cannot be.
    pub(super) fn read(self) -> Followed<Content<'u>> {
        match self.content {
            Content::Unknown | Content::Unset(_) => Err(Stop),
            content => Ok(content),
        }
    }
}

impl<'u> Runner<'_, 'u> {
    /// The arguments of a call, in order.
    pub(super) fn given(
        &mut self,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Vec<Given<'u>>> {
        self.store.watch();
        let given = self.given_in_order(args, act, frame)?;
        // Arguments are evaluated in any order.
        if self.store.has_changed() && args.len() > 1 {
            return Err(Stop);
        }
        Ok(given)
    }

    fn given_in_order(
        &mut self,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Vec<Given<'u>>> {
        let given = args.iter().map(|arg| self.evaluated(arg, act, frame));
        given.collect()
    }

    /// An argument or initialiser, evaluated once: its value, and its place if it names one.
    pub(super) fn evaluated(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Given<'u>> {
        let is_variable = expr.as_plain_name().is_none() || self.named(expr, act, frame).is_some();
        let found = match &expr.kind {
            ExprKind::Call(callee, args) => {
                Some(self.deeper(|it| it.call(expr, callee, args, act, frame))?)
            }
            ExprKind::Binary(op, left, right) => {
                Some(self.deeper(|it| it.binary(*op, left, right, act, frame))?)
            }
            _ => None,
        };
        let place = match found {
            Some(Outcome::Place(place)) => place,
            Some(Outcome::Value(value)) => return Ok(Given::of(expr, value, None)),
            None if is_placed(expr) && is_variable => self.place(expr, act, frame)?,
            None => return Ok(Given::of(expr, self.value(expr, act, frame)?, None)),
        };
        // A reference to what holds no number yet may be passed on.
        let content = self.store.at(&place)?.clone();
        Ok(Given::of(expr, content, Some(place)))
    }

    pub(super) fn call(
        &mut self,
        expr: &'u Expr,
        callee: &'u Expr,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        match &callee.kind {
            ExprKind::Member {
                object,
                member,
                arrow,
            } => {
                let object_place = self.receiver(object, *arrow, act, frame)?;
                let constant = if *arrow {
                    match object.as_plain_name() {
                        Some("this") => frame.constant_object,
                        _ => None,
                    }
                } else {
                    is_constant(object, frame)
                };
                self.call_member(&object_place, constant, member, args, act, frame)
            }
            ExprKind::Name(path) => {
                if let Some(place) = self.named(callee, act, frame) {
                    let given = self.given(args, act, frame)?;
                    return self.call_object(&place, callee, given, frame);
                }
                let meaning = self.it.meaning(path, frame);
                let segment = path.last().ok_or(Stop)?;
                match meaning {
                    Meaning::Functions(ids) => {
                        let given = self.given(args, act, frame)?;
                        let named = self.it.named_functions(&ids);
                        let explicit = self.explicit(segment, frame)?;
                        let chosen = self.chosen(&named, None, &explicit, &given, None, frame)?;
                        self.run_chosen(&chosen, None, given)
                    }
                    Meaning::Methods(class, methods) => {
                        let given = self.given(args, act, frame)?;
                        let this = act.this.clone();
                        let constant = frame.constant_object;
                        self.call_method(
                            class,
                            &methods,
                            this,
                            constant,
                            Some(segment),
                            given,
                            frame,
                        )
                    }
                    Meaning::Value(Value::Type(ty)) => {
                        Ok(Outcome::Value(self.construct(&ty, args, act, frame)?))
                    }
                    Meaning::Vocabulary(word) => self.call_library(expr, word, args, act, frame),
                    _ => Err(Stop),
                }
            }
            _ => {
                let Content::Closure(closure) = self.value(callee, act, frame)? else {
                    return Err(Stop);
                };
                let given = self.given(args, act, frame)?;
                self.call_closure(&closure, given)
            }
        }
    }

    /// Template arguments that are written out.
    fn explicit(&mut self, segment: &'u Segment, frame: &mut Frame<'u>) -> Followed<Vec<Value>> {
        let written = segment.args.iter().flatten();
        // A reference as an argument makes parameters references that do not look like them.
        if written
            .into_iter()
            .any(|arg| matches!(arg.kind, ExprKind::Reference(..)))
        {
            return Err(Stop);
        }
        Ok(self.it.template_arguments(Some(segment), frame))
    }

    /// A method that is called on an object.
    fn call_member(
        &mut self,
        object: &Place,
        constant: Option<bool>,
        member: &'u Segment,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let name = member.name.name.as_str();
        match self.store.at(object)? {
            Content::Array(_) => {
                let given = self.given(args, act, frame)?;
                self.call_array(object, name, &given)
            }
            Content::Object(class, _) => {
                let instance = class.instance;
                let given = self.given(args, act, frame)?;
                if let Some((owner, methods)) = self.it.inherited_methods(instance, name) {
                    // A base has its members at other places.
                    if owner != instance {
                        return Err(Stop);
                    }
                    let this = Some(object.clone());
                    let method = Some(member);
                    return self.call_method(owner, &methods, this, constant, method, given, frame);
                }
                let field = plain(member).and_then(|name| self.field(object, name));
                match self.store.read(&field.ok_or(Stop)?)? {
                    Content::Closure(closure) => self.call_closure(&closure, given),
                    _ => Err(Stop),
                }
            }
            _ => Err(Stop),
        }
    }

    /// Methods of arrays.
    fn call_array(
        &mut self,
        array: &Place,
        name: &str,
        given: &[Given<'u>],
    ) -> Followed<Outcome<'u>> {
        let Content::Array(items) = self.store.at(array)? else {
            return Err(Stop);
        };
        let count = items.len();
        let size = i64::try_from(count).map_err(|_| Stop)?;
        match (name, given) {
            ("size" | "max_size", []) => Ok(Outcome::Value(Content::Number(Number {
                value: size,
                ty: scalar("unsigned long")?,
            }))),
            ("empty", []) => Ok(Outcome::Value(Content::Number(Number::truth(count == 0)?))),
            ("front", []) => Ok(Outcome::Place(self.element(array, 0)?)),
            ("back", []) => Ok(Outcome::Place(self.element(array, size - 1)?)),
            ("at", [index]) => {
                let index = index.content.number()?.value;
                Ok(Outcome::Place(self.element(array, index)?))
            }
            ("begin" | "data" | "cbegin", []) => {
                Ok(Outcome::Value(Content::Pointer(array.part(0))))
            }
            ("end" | "cend", []) => Ok(Outcome::Value(Content::Pointer(array.part(count)))),
            ("fill", [value]) => {
                for index in 0..count {
                    self.store
                        .assign(&array.part(index), value.content.clone())?;
                }
                Ok(Outcome::Value(Content::Unknown))
            }
            _ => Err(Stop),
        }
    }

    /// `x(args)` of a variable.
    fn call_object(
        &mut self,
        place: &Place,
        written: &'u Expr,
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        match self.store.read(place)? {
            Content::Closure(closure) => self.call_closure(&closure, given),
            Content::Object(..) => self.operator(place, written, "operator()", given, frame),
            _ => Err(Stop),
        }
    }

    /// An operator of an object that is a method.
    pub(super) fn operator(
        &mut self,
        object: &Place,
        written: &'u Expr,
        name: &str,
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let Content::Object(class, _) = self.store.at(object)? else {
            return Err(Stop);
        };
        let instance = class.instance;
        let written = match &written.kind {
            ExprKind::Index(inner, _) => inner,
            _ => written,
        };
        let constant = is_constant(written, frame);
        let (owner, methods) = self.it.inherited_methods(instance, name).ok_or(Stop)?;
        if owner != instance {
            return Err(Stop);
        }
        let this = Some(object.clone());
        self.call_method(owner, &methods, this, constant, None, given, frame)
    }

    #[allow(clippy::too_many_arguments)] // A method call has this many parts.
    fn call_method(
        &mut self,
        class: usize,
        methods: &[&'u Function],
        this: Option<Place>,
        constant: Option<bool>,
        segment: Option<&'u Segment>,
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let module = self.it.module_of_record(class);
        let named: Vec<Named<'u>> = methods.iter().map(|it| (None, *it, module)).collect();
        let explicit = match segment {
            Some(segment) => self.explicit(segment, frame)?,
            None => Vec::new(),
        };
        let mut chosen = self.chosen(&named, Some(class), &explicit, &given, constant, frame)?;
        chosen.function = self
            .it
            .specialised_method(class, chosen.function)
            .map_err(|_| Stop)?;
        let this = this.filter(|_| !chosen.function.flags.is_static);
        if this.is_none() && !chosen.function.flags.is_static || chosen.function.flags.is_virtual {
            return Err(Stop);
        }
        self.run_chosen(&chosen, this, given)
    }

    /// The function that a call calls.
    pub(super) fn chosen(
        &mut self,
        named: &[Named<'u>],
        record: Option<usize>,
        explicit: &[Value],
        given: &[Given<'u>],
        constant: Option<bool>,
        frame: &mut Frame<'u>,
    ) -> Followed<Candidate<'u>> {
        let mut values = Vec::with_capacity(given.len());
        let mut arguments = Vec::with_capacity(given.len());
        for given in given {
            let value = self.passed(given, frame)?;
            let mut argument = self.it.argument_of(Some(given.expr), &value, frame);
            if let Content::Number(number) = &given.content {
                argument.write(number.ty);
            }
            values.push(value);
            arguments.push(argument);
        }
        let asked = Asked {
            explicit,
            values: &values,
            arguments: &arguments,
            constant,
        };
        match self.it.overload(named, record, &asked) {
            Selection::One(chosen) => Ok(chosen),
            _ => Err(Stop),
        }
    }

    /// An argument as those see it who choose among functions.
    fn passed(&self, given: &Given<'u>, frame: &Frame<'u>) -> Followed<Value> {
        let declared = given
            .expr
            .as_plain_name()
            .and_then(|name| frame.find(name))
            .and_then(|variable| frame.declarations.get(&variable.declared));
        let is_plain_array = declared
            .and_then(|binding| binding.ty.as_ref())
            .is_some_and(|ty| matches!(ty.kind, ExprKind::Array(..)));
        match &given.content {
            Content::Array(items) if is_plain_array => {
                let element = items.first().and_then(Self::type_of).ok_or(Stop)?;
                Ok(pointer_to(element))
            }
            content => self.seen(content),
        }
    }

    fn run_chosen(
        &mut self,
        chosen: &Candidate<'u>,
        this: Option<Place>,
        given: Vec<Given<'u>>,
    ) -> Followed<Outcome<'u>> {
        let function = chosen.function;
        let body = body_of(function)?;
        let (mut act, mut inner) = self.entered(chosen, this);
        if forwards_type(function, &given) {
            return Err(Stop);
        }
        self.bind_parameters(&function.params, given, &mut act, &mut inner)?;
        self.run_body_of(body, function.ret.as_ref(), &mut act, &mut inner)
    }

    /// Runs a constructor on an object whose members have their defaults.
    pub(super) fn run_constructor_at(
        &mut self,
        object: &Place,
        chosen: &Candidate<'u>,
        members: &[&'u Binding],
        given: Vec<Given<'u>>,
    ) -> Followed<()> {
        let function = chosen.function;
        let class = chosen.record.ok_or(Stop)?;
        let (mut act, mut inner) = self.entered(chosen, Some(object.clone()));
        self.bind_parameters(&function.params, given, &mut act, &mut inner)?;
        let is_of_member = |target: &Expr, member: &Binding| {
            let name = member.name.as_ref().map(|name| name.name.as_str());
            name.is_some() && target.as_plain_name() == name
        };
        let inits = &function.member_inits;
        // Another constructor, or that of a base.
        if inits.iter().any(|init| {
            !members
                .iter()
                .any(|member| is_of_member(&init.target, member))
        }) {
            return Err(Stop);
        }
        for member in members {
            if let Some(init) = inits.iter().find(|init| is_of_member(&init.target, member)) {
                self.initialise_member(object, class, member, &init.args, &mut act, &mut inner)?;
            }
        }
        let body = body_of(function)?;
        self.run_body_of(body, None, &mut act, &mut inner)?;
        Ok(())
    }

    /// What is known inside of a function before its parameters are bound.
    fn entered(
        &mut self,
        chosen: &Candidate<'u>,
        this: Option<Place>,
    ) -> (Activation<'u>, Frame<'u>) {
        let function = chosen.function;
        let site = Site {
            module: chosen.module,
            record: chosen.record,
            this: this.as_ref().map(|_| Value::Nothing),
        };
        let steps = limits::STEPS_PER_INSTANCE;
        let mut frame = self.it.function_frame(function, &site, steps);
        frame.this = None;
        let bound = &chosen.bound.tparams;
        self.it.template_scope(&function.tparams, bound, &mut frame);
        frame.scopes.push(Scope::default());
        let mut tparams = vec![function.tparams.as_slice()];
        let class = chosen
            .record
            .and_then(|class| self.it.record_declaration(class));
        tparams.extend(class.map(|class| class.tparams.as_slice()));
        let act = Activation {
            this,
            tparams,
            ..Activation::default()
        };
        (act, frame)
    }

    /// Runs the statements of a function or lambda whose parameters are bound.
    fn run_body_of(
        &mut self,
        body: &'u [Item],
        ret: Option<&'u Expr>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        if self.calls >= limits::MACHINE_DEPTH {
            return Err(Stop);
        }
        act.ret = ret;
        // `decltype(auto)` may give a reference.
        if ret.is_some_and(|ret| self.it.program.slice(ret.span).starts_with("decltype")) {
            return Err(Stop);
        }
        if let Some(ret) = ret {
            self.is_written_out(ret, act, frame)?;
        }
        frame.scopes.push(Scope::default());
        self.calls += 1;
        let flow = self.all(body, act, frame);
        self.calls -= 1;
        match flow? {
            Flow::Return => act.returned.take().ok_or(Stop),
            Flow::On => Ok(Outcome::Value(Content::Unknown)),
            _ => Err(Stop),
        }
    }

    /// What a lambda keeps of the variables around it.
    pub(super) fn captured(
        &mut self,
        lambda: &'u Lambda,
        act: &Activation<'u>,
        frame: &Frame<'u>,
    ) -> Followed<HashMap<tree_sitter_cute::tree::Span, Place>> {
        let mut places = HashMap::default();
        match lambda.default_capture {
            Some('&') => places.clone_from(&act.places),
            Some(_) => {
                for (span, place) in &act.places {
                    places.insert(*span, self.store.keep(place)?);
                }
            }
            None => {}
        }
        for capture in &lambda.captures {
            if capture.init.is_some() {
                return Err(Stop);
            }
            if capture.name.name == "this" {
                continue;
            }
            let variable = frame.find(&capture.name.name).ok_or(Stop)?;
            let place = act.places.get(&variable.declared).ok_or(Stop)?;
            let place = if capture.by_reference {
                place.clone()
            } else {
                self.store.keep(place)?
            };
            places.insert(variable.declared, place);
        }
        Ok(places)
    }

    fn call_closure(
        &mut self,
        closure: &Closure<'u>,
        given: Vec<Given<'u>>,
    ) -> Followed<Outcome<'u>> {
        let mut frame = closure.frame.clone();
        let mut act = Activation {
            places: closure.places.clone(),
            this: closure.this.clone(),
            ..Activation::default()
        };
        let lambda = closure.lambda;
        if !lambda.tparams.is_empty() {
            return Err(Stop);
        }
        frame.scopes.push(Scope::default());
        self.bind_parameters(&lambda.params, given, &mut act, &mut frame)?;
        self.run_body_of(&lambda.body, lambda.ret.as_ref(), &mut act, &mut frame)
    }

    /// Functions of the standard library and of CuTe on numbers.
    fn call_library(
        &mut self,
        expr: &'u Expr,
        word: &'u Segment,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let name = word.name.name.as_str();
        if Scalar::of_spelling(name).is_some() {
            let ty = self.it.eval_type(expr_of_callee(expr)?, frame);
            return Ok(Outcome::Value(self.construct(&ty, args, act, frame)?));
        }
        let function = vocabulary::function(name).ok_or(Stop)?;
        let given = self.given(args, act, frame)?;
        let mut values = Vec::with_capacity(given.len());
        let mut ty: Option<Scalar> = None;
        for given in &given {
            let Content::Number(number) = &given.content else {
                return Err(Stop);
            };
            // What types the result has is not known where they differ.
            if ty
                .replace(number.ty)
                .is_some_and(|other| other != number.ty)
            {
                return Err(Stop);
            }
            values.push(self.seen(&given.content)?);
        }
        if word.args.is_some() {
            return Err(Stop);
        }
        match self.it.ask_vocabulary(function, &[], &values).0 {
            Ok(Value::Int(int)) if !int.is_static() => {
                let number = Number {
                    value: int.value().ok_or(Stop)?,
                    ty: ty.ok_or(Stop)?,
                };
                Ok(Outcome::Value(Content::Number(number)))
            }
            _ => Err(Stop),
        }
    }
}

/// The statements of a function that are known to be what is written.
fn body_of(function: &Function) -> Followed<&[Item]> {
    let body = function.body.as_deref().filter(|_| !function.flags.damaged);
    body.ok_or(Stop)
}

/// The callee of a call.
fn expr_of_callee(expr: &Expr) -> Followed<&Expr> {
    match &expr.kind {
        ExprKind::Call(callee, _) => Ok(callee),
        _ => Err(Stop),
    }
}

pub(super) fn pointer_to(element: Type) -> Value {
    Value::Pointer(crate::tensor::Pointer::generic(Some(element)))
}
