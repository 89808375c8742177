//! Names that are not variables of the run: constants of namespaces and classes, enumerators, functions.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Function, Reference, Segment};

use super::given::Outcome;
use super::store::{Content, Followed, Location, Number, Stop};
use super::{Activation, Runner};
use crate::interpret::Interpreter;
use crate::interpret::frame::Frame;
use crate::interpret::heads::is_generic;
use crate::interpret::last_constant::Declared;
use crate::interpret::names::Meaning;
use crate::interpret::records::MemberKind;
use crate::limits;
use crate::types::{Scalar, Type};
use crate::value::Value;

impl<'u> Runner<'_, 'u> {
    /// The value of a constant or a template argument, or the function that a name is that of.
    pub(super) fn constant(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let Some(path) = expr.as_path() else {
            return Ok(Outcome::Value(self.fixed(expr, frame)?));
        };
        if let Some(binding) = constant_of_function(expr, frame) {
            let made = self.deeper(|it| {
                let ty = binding.ty.as_ref().ok_or(Stop)?;
                it.initial(ty, binding.init.as_ref(), &mut Activation::default(), frame)
            })?;
            return Ok(Outcome::Location(self.store.add_constant(made)?));
        }
        if self.it.is_enumerator(expr, frame) {
            return Ok(Outcome::Value(self.enumerator(expr, frame)?));
        }
        if let Some(held) = self.it.type_of_member_enumerator(path, frame) {
            return Ok(Outcome::Value(self.enumerator_in(held, expr, frame)?));
        }
        self.it.computed.last_constant = None;
        let meaning = self.it.meaning(path, frame);
        let declared = self.it.computed.last_constant.take();
        match meaning {
            Meaning::Functions(ids) => match ids.as_slice() {
                [only] if self.is_plain_function(*only) => {
                    Ok(Outcome::Value(Content::Function(*only)))
                }
                _ => Err(Stop),
            },
            Meaning::Value(value) => match declared {
                Some(declared) => Ok(Outcome::Location(self.declared_constant(declared, &value)?)),
                None => Ok(Outcome::Value(self.number_of(expr, value, frame)?)),
            },
            _ => Err(Stop),
        }
    }

    /// The value of an expression that the evaluation around the run knows.
    pub(super) fn fixed(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Followed<Content<'u>> {
        let value = self.it.eval(expr, frame);
        self.number_of(expr, value, frame)
    }

    fn number_of(
        &mut self,
        expr: &'u Expr,
        value: Value,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        match &value {
            Value::Int(int) if !int.is_static() => {
                let value = int.value().ok_or(Stop)?;
                let ty = self.it.written_integer(expr, frame).ok_or(Stop)?;
                Ok(Content::Number(Number { value, ty }))
            }
            Value::Bool(truth) if !truth.fixed => Ok(Content::Number(Number::truth(truth.value)?)),
            Value::Int(_) | Value::Bool(_) => Ok(Content::Fixed(value)),
            _ => Err(Stop),
        }
    }

    /// Whether there is one function of a name, and no template.
    fn is_plain_function(&self, id: usize) -> bool {
        let named = self.it.named_functions(&[id]);
        named.iter().any(|(_, function, _)| !is_generic(function))
    }

    /// The functions that a pointer may point to.
    pub(super) fn function_at(&self, id: usize) -> Followed<&'u Function> {
        let named = self.it.named_functions(&[id]);
        named.first().map(|(_, function, _)| *function).ok_or(Stop)
    }

    /// A static member that is named with an object.
    pub(super) fn constant_of_object(
        &mut self,
        object: &Location,
        member: &'u Segment,
    ) -> Followed<Location> {
        let Content::Object(class, _) = self.store.at(object)? else {
            return Err(Stop);
        };
        let instance = class.instance;
        if member.args.is_some() {
            return Err(Stop);
        }
        self.it.computed.last_constant = None;
        let name = member.name.name.as_str();
        let value = self.it.named_member(instance, name, None, None);
        let declared = self.it.computed.last_constant.take().ok_or(Stop)?;
        self.declared_constant(declared, &value.ok_or(Stop)?)
    }

    /// A constant by its declaration, made once; `value` is its value in the evaluation around the run.
    fn declared_constant(&mut self, declared: Declared<'u>, value: &Value) -> Followed<Location> {
        let (binding, mut frame) = match declared {
            Declared::In(module, binding) => {
                (binding, Frame::new(module, limits::STEPS_PER_INSTANCE))
            }
            Declared::Of(class, name) => match self.it.find_member(class, name) {
                Some(MemberKind::Binding(binding)) => (binding, self.it.record_frame(class)),
                _ => return Err(Stop),
            },
        };
        let specifiers = &binding.specifiers;
        if !(specifiers.constexpr || specifiers.constant)
            || binding.reference != Reference::None
            || !binding.tparams.is_empty()
        {
            return Err(Stop);
        }
        let key = (std::ptr::from_ref(binding), frame.owner.record);
        if let Some(known) = self.constants.get(&key) {
            return known.clone().ok_or(Stop);
        }
        self.constants.insert(key, None);
        let ty = binding.ty.as_ref().ok_or(Stop)?;
        let mut act = Activation::default();
        let made = match (value, self.it.eval_type(ty, &mut frame)) {
            // A value that the machine has made already.
            (Value::Object(object), Type::Record(class)) if object.class == class => {
                let content = self.taken_over(value, &Type::Record(class));
                match content {
                    Content::Object(_, fields) if fields.iter().all(|(_, it)| is_number(it)) => {
                        Ok(Content::Object(object.class.clone(), fields))
                    }
                    _ => Err(Stop),
                }
            }
            (Value::Int(int), Type::Scalar(ty)) if !int.is_static() && ty.is_integer() => {
                known_number(int.value(), ty)
            }
            (Value::Bool(truth), Type::Scalar(_)) if !truth.fixed => {
                Number::truth(truth.value).map(Content::Number)
            }
            (Value::Int(int), _) if int.is_static() => Ok(Content::Fixed(value.clone())),
            _ => Err(Stop),
        };
        let content = match made {
            Ok(content) => content,
            Err(Stop) => {
                self.deeper(|it| it.initial(ty, binding.init.as_ref(), &mut act, &mut frame))?
            }
        };
        let place = self.store.add_constant(content)?;
        self.constants.insert(key, Some(place.clone()));
        Ok(place)
    }

    /// One of the values of an enumeration.
    fn enumerator(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Followed<Content<'u>> {
        let held = self.it.underlying_type(expr, frame).ok_or(Stop)?;
        self.enumerator_in(held, expr, frame)
    }

    fn enumerator_in(
        &mut self,
        held: Scalar,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let value = self.it.eval(expr, frame);
        let value = value.as_int().and_then(cute_algebra::Int::value);
        match known_number(value, held)? {
            Content::Number(number) => Ok(Content::Enumerator(number)),
            _ => Err(Stop),
        }
    }

    /// A number cast to an enumeration.
    pub(super) fn as_enumerator(
        &mut self,
        ty: &'u Expr,
        number: &Content<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let held = match self.it.underlying_type(ty, frame) {
            Some(held) => held,
            // A member of a class.
            None => match self.it.eval_type(ty, frame) {
                Type::Named(name) => name.holds().ok_or(Stop)?,
                _ => return Err(Stop),
            },
        };
        Ok(Content::Enumerator(number.number()?.converted(held)?))
    }
}

/// The constant of the function around that an expression names, where it is more than a number. Its initialiser names no other
/// variable of the function: another one may have the name here.
fn constant_of_function<'u>(expr: &Expr, frame: &Frame<'u>) -> Option<&'u Binding> {
    let variable = frame.find(expr.as_plain_name()?)?;
    if matches!(
        variable.value,
        Value::Int(_) | Value::Bool(_) | Value::Type(_)
    ) {
        return None;
    }
    let binding = frame.locals.declaration(variable.declared)?;
    let is_plain = binding.reference == Reference::None && binding.tparams.is_empty();
    if !binding.specifiers.constexpr || !is_plain {
        return None;
    }
    let mut is_apart = true;
    for written in binding.ty.iter().chain(&binding.init) {
        crate::walk::subexpressions(written, &mut |part| {
            is_apart &= part
                .as_plain_name()
                .is_none_or(|name| frame.find(name).is_none());
        });
    }
    is_apart.then_some(binding)
}

fn is_number(content: &Content<'_>) -> bool {
    matches!(content, Content::Number(_))
}

/// A number that is known, in its type.
fn known_number<'u>(value: Option<i64>, ty: Scalar) -> Followed<Content<'u>> {
    let value = value.filter(|value| ty.holds(*value)).ok_or(Stop)?;
    Ok(Content::Number(Number { value, ty }))
}

impl<'u> Interpreter<'u> {
    /// The value of a constant of a namespace or class that the evaluation does not know: the machine runs its
    /// initialiser.
    pub(in crate::interpret) fn constant_by_machine(
        &mut self,
        binding: &'u Binding,
        frame: &Frame<'u>,
    ) -> Option<Value> {
        let ty = binding.ty.as_ref()?;
        self.on_machine(frame, |it, act, frame| {
            it.initial(ty, binding.init.as_ref(), act, frame)
        })
    }

    /// The number that a template argument is, where the evaluation does not know it. The grammar reads `sizes[1]` inside
    /// angle brackets as the type of an array.
    pub(in crate::interpret) fn argument_by_machine(
        &mut self,
        arg: &'u Expr,
        frame: &Frame<'u>,
    ) -> Option<Value> {
        if !self.nesting.begin_argument() {
            return None;
        }
        let found = self.on_machine(frame, |it, act, frame| match &arg.kind {
            ExprKind::Array(..) => {
                let place = it.element_as_type(arg, act, frame)?;
                it.store.read(&place)
            }
            _ => it.value(arg, act, frame),
        });
        self.nesting.end_argument();
        let found = found?;
        matches!(found, Value::Int(_) | Value::Bool(_)).then_some(found)
    }

    /// The value that the machine finds for a place outside of the functions that it runs.
    fn on_machine(
        &mut self,
        frame: &Frame<'u>,
        find: impl FnOnce(
            &mut Runner<'_, 'u>,
            &mut Activation<'u>,
            &mut Frame<'u>,
        ) -> Followed<Content<'u>>,
    ) -> Option<Value> {
        let mut inner = frame.clone();
        inner.mode.recording = false;
        inner.actions.run = None;
        let steps = limits::MACHINE_STEPS.min(self.budget.constant_steps);
        let outer = std::mem::replace(&mut self.nesting.in_machine, true);
        let mut runner = Runner::new(self);
        runner.steps = steps;
        let mut act = Activation::default();
        if let Some(class) = inner.owner.record
            && let Some(record) = runner.it.record_declaration(class)
        {
            act.tparams.push(record.tparams.as_slice());
        }
        let made = runner.deeper(|it| find(it, &mut act, &mut inner));
        let value = made.and_then(|content| runner.seen(&content)).ok();
        let taken = steps - runner.steps;
        self.nesting.in_machine = outer;
        self.budget.constant_steps = self.budget.constant_steps.saturating_sub(taken);
        value
    }
}
