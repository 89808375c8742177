//! Calls: of functions, methods, operators and lambdas of the sources.

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Item, MemberInit, Path, Segment, UnaryOp};

use super::expressions::{is_placed, plain};
use super::library::is_standard;
use super::numbers::scalar;
use super::parameters::forwards_type;
use super::statements::Flow;
use super::store::{Content, Followed, Number, Place, Stop, Store};
use super::{Activation, Runner};
use crate::interpret::frame::{Frame, Scope};
use crate::interpret::heads::is_generic;
use crate::interpret::names::{Meaning, is_qualified};
use crate::interpret::overloads::{Asked, Candidate, Named, Selection};
use crate::interpret::site::Site;
use crate::interpret::written_arguments::is_constant;
use crate::limits;
use crate::types::{Scalar, Type};
use crate::value::Value;
use crate::vocabulary;

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum Outcome<'u> {
    Value(Content<'u>),
    /// A reference to something.
    Place(Place),
}

/// An argument of a call.
#[derive(Debug)]
pub(super) struct Given<'u> {
    pub(super) expr: &'u Expr,
    pub(super) content: Content<'u>,
    /// Its place, if it has a name.
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

    /// As the result of an operator.
    pub(super) fn into_outcome(self) -> Outcome<'u> {
        match self.place {
            Some(place) => Outcome::Place(place),
            None => Outcome::Value(self.content),
        }
    }

    /// Its value, for use; stops where it is unknown.
    pub(super) fn read(self) -> Followed<Content<'u>> {
        match self.content {
            Content::Unknown | Content::Unset(_) => Err(Stop),
            Content::Bits(number, width) => Ok(Content::Number(number.of_bits(width)?)),
            content => Ok(content),
        }
    }

    /// Its value in a separate object.
    pub(super) fn copy(self, store: &mut Store<'u>) -> Followed<Content<'u>> {
        let is_placed = self.place.is_some();
        let content = match self.content {
            // It keeps the type that it is declared with.
            Content::Bits(number, _) => Content::Number(number),
            content => Self { content, ..self }.read()?,
        };
        if is_placed {
            store.copied(content)
        } else {
            Ok(content)
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
        if self.store.has_changed() && given.len() > 1 {
            return Err(Stop);
        }
        Ok(given)
    }

    pub(super) fn given_in_order(
        &mut self,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Vec<Given<'u>>> {
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            match &arg.kind {
                ExprKind::Expand(pattern) => given.extend(self.expanded(pattern, act, frame)?),
                _ => given.push(self.evaluated(arg, act, frame)?),
            }
        }
        Ok(given)
    }

    /// An argument or initialiser, evaluated once: its value, and its place if it names one.
    pub(super) fn evaluated(
        &mut self,
        expr: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Given<'u>> {
        let is_variable = expr.as_path().is_none() || self.named(expr, act, frame).is_some();
        let found = match &expr.kind {
            _ if self.it.operator_respelt(expr, frame).is_some() => None,
            ExprKind::Name(_) if !is_variable && expr.as_plain_name() != Some("this") => {
                Some(self.constant(expr, frame)?)
            }
            ExprKind::Fold(op, left, right) => {
                Some(self.deeper(|it| it.fold(*op, left.as_deref(), right.as_deref(), act, frame))?)
            }
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
        // A reference to an object without a number yet may be passed on.
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
        if let Some(expansion) = self.it.expansion(expr, callee, frame) {
            return Ok(self.evaluated(expansion, act, frame)?.into_outcome());
        }
        if let Some(found) = self.limit_of(callee, frame) {
            return Ok(Outcome::Value(found?));
        }
        if let Some(types) = self.types_of_tuple(callee, frame) {
            return Ok(Outcome::Value(self.tuple(&types?, args, act, frame)?));
        }
        match &callee.kind {
            ExprKind::Member {
                object,
                member,
                arrow,
            } => {
                let is_qualified = matches!(&object.kind, ExprKind::Cast(_, ty, operand)
                    if ty.span.start > operand.span.start);
                let object_place = self.receiver(object, *arrow, act, frame)?;
                let constant = if *arrow {
                    match object.as_plain_name() {
                        Some("this") => frame.owner.constant_object,
                        _ => None,
                    }
                } else {
                    is_constant(object, frame)
                };
                let object = (&object_place, constant, is_qualified);
                self.call_member(object, member, args, act, frame)
            }
            ExprKind::Name(path) => self.call_named((expr, callee), path, args, act, frame),
            ExprKind::Unary(UnaryOp::Deref, inner) if self.is_function(inner, act, frame) => {
                self.call(expr, inner, args, act, frame)
            }
            _ => {
                let given = self.given(args, act, frame)?;
                let place = self.place(callee, act, frame)?;
                self.call_object(&place, callee, given, frame)
            }
        }
    }

    /// A call through the meaning of a name; `expr` is the whole call.
    fn call_named(
        &mut self,
        (expr, callee): (&'u Expr, &'u Expr),
        path: &'u Path,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        if let Some(place) = self.named(callee, act, frame) {
            let given = self.given(args, act, frame)?;
            return self.call_object(&place, callee, given, frame);
        }
        let meaning = self.it.meaning(path, frame);
        let segment = path.last().ok_or(Stop)?;
        match meaning {
            Meaning::Functions(ids) => {
                let given = self.given(args, act, frame)?;
                let ids = self.with_those_beside(ids, path, &given)?;
                let named = self.it.named_functions(&ids);
                let explicit = self.explicit(segment, frame)?;
                let chosen = self.chosen(&named, None, &explicit, &given, None, frame)?;
                self.run_chosen(&chosen, None, given)
            }
            Meaning::Methods(class, methods) => {
                let given = self.given(args, act, frame)?;
                if self.it.uses_name(class, &segment.name.name) {
                    return Err(Stop);
                }
                let this = match &act.this {
                    Some(this) => self.as_class(this, class).ok(),
                    None => None,
                };
                let constant = frame.owner.constant_object;
                let is_qualified = path.segments.len() > 1;
                self.call_method(
                    class,
                    &methods,
                    this,
                    constant,
                    Some(segment),
                    is_qualified,
                    given,
                    frame,
                )
            }
            Meaning::Value(Value::Type(ty)) => match &*ty {
                Type::Named(_) => {
                    let [only] = args else {
                        return Err(Stop);
                    };
                    let number = self.value(only, act, frame)?;
                    let value = self.as_enumerator(callee, &number, frame)?;
                    Ok(Outcome::Value(value))
                }
                ty => Ok(Outcome::Value(self.construct(ty, args, false, act, frame)?)),
            },
            Meaning::Value(_) => {
                let given = self.given(args, act, frame)?;
                let found = self.constant(callee, frame)?;
                let place = self.placed(found)?;
                self.call_object(&place, callee, given, frame)
            }
            Meaning::Vocabulary(word) if is_standard(callee) => {
                match self.call_standard(word, args, act, frame)? {
                    Some(found) => Ok(found),
                    None => self.call_library(expr, word, args, act, frame),
                }
            }
            Meaning::Vocabulary(word) => self.call_library(expr, word, args, act, frame),
            _ => Err(Stop),
        }
    }

    /// Whether an expression names a function, or a pointer to one.
    pub(super) fn is_function(
        &mut self,
        expr: &'u Expr,
        act: &Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> bool {
        if expr.as_path().is_none() {
            return false;
        }
        let found = match self.named(expr, act, frame) {
            Some(place) => self.store.read(&place),
            None => self
                .constant(expr, frame)
                .and_then(|found| self.read(found)),
        };
        matches!(found, Ok(Content::Function(_)))
    }

    /// Functions of a name with those beside the classes of arguments ([basic.lookup.argdep]).
    fn with_those_beside(
        &mut self,
        mut ids: Vec<usize>,
        path: &Path,
        given: &[Given<'u>],
    ) -> Followed<Vec<usize>> {
        let [only] = path.segments.as_slice() else {
            return Ok(ids);
        };
        for given in given {
            if let Content::Object(class, _) = &given.content {
                if self.it.befriends(class.instance, &only.name.name) {
                    return Err(Stop);
                }
                let module = self.it.module_of_record(class.instance);
                let beside = self.it.functions_of_module(module, &only.name.name);
                for id in beside.unwrap_or_default() {
                    if !ids.contains(id) {
                        ids.push(*id);
                    }
                }
            }
        }
        Ok(ids)
    }

    /// Template arguments that are written out.
    fn explicit(&mut self, segment: &'u Segment, frame: &mut Frame<'u>) -> Followed<Vec<Value>> {
        let mut written = segment.args.iter().flatten();
        // A reference as an argument makes parameters references that do not look like them.
        if written.any(|arg| is_qualified(arg, frame)) {
            return Err(Stop);
        }
        Ok(self.it.template_arguments(Some(segment), frame))
    }

    /// A method that is called on an object.
    fn call_member(
        &mut self,
        (object, constant, is_qualified): (&Place, Option<bool>, bool),
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
                if let Some((owner, methods)) = self.method_named(instance, name)? {
                    let this = Some(self.as_class(object, owner)?);
                    let method = Some(member);
                    return self.call_method(
                        owner,
                        &methods,
                        this,
                        constant,
                        method,
                        is_qualified,
                        given,
                        frame,
                    );
                }
                let field = plain(member).and_then(|name| self.field(object, name));
                let field = field.ok_or(Stop)?;
                match self.store.read(&field)? {
                    Content::Closure(closure) => self.call_closure(&closure, given),
                    Content::Function(id) => self.call_function(id, given, frame),
                    _ => Err(Stop),
                }
            }
            _ => Err(Stop),
        }
    }

    /// A function that is called through a pointer.
    fn call_function(
        &mut self,
        id: usize,
        given: Vec<Given<'u>>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let named = self.it.named_functions(&[id]);
        // A pointer gives no default arguments.
        if self.function_at(id)?.params.len() != given.len() {
            return Err(Stop);
        }
        let chosen = self.chosen(&named, None, &[], &given, None, frame)?;
        self.run_chosen(&chosen, None, given)
    }

    /// Methods of arrays.
    pub(super) fn call_array(
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
            Content::Function(id) => self.call_function(id, given, frame),
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
        let (owner, methods) = self.method_named(instance, name)?.ok_or(Stop)?;
        let this = Some(self.as_class(object, owner)?);
        self.call_method(owner, &methods, this, constant, None, false, given, frame)
    }

    #[allow(clippy::too_many_arguments)] // A method call has this many parts.
    pub(super) fn call_method(
        &mut self,
        class: usize,
        methods: &[&'u Function],
        this: Option<Place>,
        constant: Option<bool>,
        segment: Option<&'u Segment>,
        is_qualified: bool,
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
        let mut this = this.filter(|_| !chosen.function.flags.is_static);
        if this.is_none() && !chosen.function.flags.is_static {
            return Err(Stop);
        }
        if !is_qualified
            && let Some(object) = &this
            && self.it.is_virtual(class, &chosen.function.name.name)
        {
            let (owner, method, part) = self.final_overrider(chosen.function, class, object)?;
            chosen.function = method;
            chosen.record = Some(owner);
            chosen.module = self.it.module_of_record(owner);
            this = Some(part);
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
            match &given.content {
                Content::Number(number) | Content::Bits(number, _) => argument.write(number.ty),
                // Its type is that of an enumeration.
                Content::Enumerator(_) if named.len() > 1 || is_generic_of(named) => {
                    return Err(Stop);
                }
                _ => {}
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
            .and_then(|variable| frame.locals.declaration(variable.declared));
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

    pub(super) fn run_chosen(
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

    /// Runs a constructor on an object of which nothing is set yet: its bases, its members, then the body.
    pub(super) fn run_constructor_at(
        &mut self,
        object: &Place,
        chosen: &Candidate<'u>,
        given: Vec<Given<'u>>,
    ) -> Followed<()> {
        let function = chosen.function;
        let class = chosen.record.ok_or(Stop)?;
        let (mut act, mut inner) = self.entered(chosen, Some(object.clone()));
        self.bind_parameters(&function.params, given, &mut act, &mut inner)?;
        let members = self.it.data_members(class);
        let named = |init: &MemberInit| {
            let name = init.target.as_plain_name()?;
            members
                .iter()
                .position(|member| member.name.as_ref().is_some_and(|own| own.name == name))
        };
        // Those of bases, or another constructor.
        let mut of_bases: Vec<(usize, &'u MemberInit)> = Vec::new();
        for init in &function.member_inits {
            if named(init).is_none() {
                match self.it.eval_type(&init.target, &mut inner) {
                    Type::Record(base) => of_bases.push((base.instance, init)),
                    _ => return Err(Stop),
                }
            }
        }
        match of_bases.as_slice() {
            [(delegate, init)] if *delegate == class => {
                let Type::Record(own) = self.it.computed.classes.type_of(class) else {
                    return Err(Stop);
                };
                let content = self.object(&own, &init.args, false, &mut act, &mut inner)?;
                self.store.initialise(object, content)?;
            }
            _ => {
                self.begin_bases(object, class, &of_bases, &mut act, &mut inner)?;
                for (index, member) in members.iter().enumerate() {
                    let mut inits = function.member_inits.iter();
                    let init = inits.find(|init| named(init) == Some(index));
                    self.begin_member(object, class, member, init, &mut act, &mut inner)?;
                }
            }
        }
        if !function.flags.defaulted {
            let body = body_of(function)?;
            self.run_body_of(body, None, &mut act, &mut inner)?;
        }
        Ok(())
    }

    /// The frame inside of a function before its parameters are bound.
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
        frame.owner.this = None;
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
    pub(super) fn run_body_of(
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
            return Ok(Outcome::Value(
                self.construct(&ty, args, false, act, frame)?,
            ));
        }
        let function = vocabulary::function(name).ok_or(Stop)?;
        let given = self.given(args, act, frame)?;
        let mut values = Vec::with_capacity(given.len());
        let mut ty: Option<Scalar> = None;
        for given in &given {
            let Content::Number(number) = &given.content else {
                return Err(Stop);
            };
            // The type of the result is unknown where they differ.
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

/// Whether one of several functions is a template.
fn is_generic_of(named: &[Named<'_>]) -> bool {
    named.iter().any(|(_, function, _)| is_generic(function))
}

/// The statements of a function that are known to be complete.
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
