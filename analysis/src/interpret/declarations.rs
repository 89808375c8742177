//! Constants, aliases and enums outside of functions, and classes and enums inside of them.

use tree_sitter_cute::tree::{
    Binding, Enum, Expr, ExprKind, Ident, Item, ItemKind, Record, Segment, Span,
};

use super::Interpreter;
use super::classes::SETTLED_DEPTH;
use super::computed::Global;
use super::frame::{Frame, Scope, Variable};
use super::heads::role_of;
use super::ids::ModuleId;
use super::integers::is_arithmetic_type;
use super::last_constant::Declared;
use super::names::hide_qualified;
use super::nesting::Underway;
use crate::limits;
use crate::reason::Reason;
use crate::role::Role;
use crate::types::Type;
use crate::value::Value;
use crate::walk;

impl<'u> Interpreter<'u> {
    /// Keeps facts about declarations outside of functions.
    pub(super) fn declare_globals(&mut self, globals: &[(ModuleId, &'u Item)]) {
        for &(module, item) in globals {
            let mut frame = Frame::new(module, limits::STEPS_PER_INSTANCE);
            frame.mode.recording = true;
            match &item.kind {
                ItemKind::Binding(binding) if binding.tparams.is_empty() => {
                    let Some(name) = &binding.name else {
                        continue;
                    };
                    let value = self.binding_value(binding, &mut frame);
                    let role = role_of(binding);
                    self.declare_fact(name, role, binding.span, &value, &frame);
                    if let Some(init) = &binding.init {
                        self.note_initialiser(name.span, init);
                    }
                    self.recorder.note_declaration(name.span, name.span);
                }
                ItemKind::Record(record) => self.report_record(record, module),
                ItemKind::StaticAssert(assert) => {
                    self.exec_static_assert(assert, item.span, &mut frame);
                }
                _ => {}
            }
        }
    }

    /// The value of a variable or alias outside of functions, seen from inside one.
    pub(super) fn global_binding(
        &mut self,
        module: ModuleId,
        binding: &'u Binding,
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Value {
        let args = match &segment.args {
            Some(written) => {
                let mut args = self.class_arguments(written, frame);
                hide_seen(&mut args, written, binding, frame);
                args
            }
            None if binding.tparams.is_empty() => Vec::new(),
            None => return Value::Type(Box::new(Type::Placeholder)),
        };
        let (binding, args) = match self.variable_for(module, binding, args) {
            Ok(chosen) => chosen,
            Err(reason) => return Value::Unknown(reason),
        };
        let is_plain = segment.args.is_none() && binding.tparams.is_empty();
        let declared = Declared::In(module, binding);
        if is_plain && let Some(known) = self.known_global(module, binding, frame) {
            self.computed.last_constant = Some(declared);
            return known;
        }
        let (before, own_before) = (self.budget.steps, frame.steps);
        let mut scope = Frame::new(module, frame.steps);
        if !binding.tparams.is_empty() {
            self.template_scope(&binding.tparams, &args, &mut scope);
        }
        let value = if is_plain {
            let underway = Underway::Global(std::ptr::from_ref(binding));
            self.once_inside(underway, |it| it.binding_value(binding, &mut scope))
                .unwrap_or_else(|| {
                    Value::Unknown(Reason::Circular(segment.name.name.as_str().into()))
                })
        } else {
            self.binding_value(binding, &mut scope)
        };
        frame.steps = scope.steps;
        // Where there are more steps it may be known.
        if is_plain && self.budget.steps > 0 && frame.steps > 0 && self.is_same_again(&value) {
            let known = Global {
                value: value.clone(),
                steps: before - self.budget.steps,
                own_steps: own_before - frame.steps,
            };
            self.computed
                .globals
                .known
                .insert((module, std::ptr::from_ref(binding)), known);
        }
        self.computed.last_constant = Some(declared);
        value
    }

    /// The earlier value of an alias or constant outside of functions. It counts as if it were found out again, so no
    /// result depends on whether it was.
    fn known_global(
        &mut self,
        module: ModuleId,
        binding: &Binding,
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        let known = self
            .computed
            .globals
            .known
            .get(&(module, std::ptr::from_ref(binding)))?;
        if self.budget.steps <= known.steps || frame.steps <= known.own_steps {
            return None;
        }
        self.budget.steps -= known.steps;
        frame.steps -= known.own_steps;
        Some(known.value.clone())
    }

    /// Whether a value outside of functions is the same at each request: a value that is unknown so far may be known
    /// later.
    fn is_same_again(&self, value: &Value) -> bool {
        match value {
            Value::Type(ty) => self.is_settled(ty, SETTLED_DEPTH),
            Value::Int(int) => int.is_static(),
            _ => false,
        }
    }

    /// The value of a binding outside of functions; a variable that anyone may change has only the parts that its type
    /// fixes.
    pub(super) fn binding_value(&mut self, binding: &'u Binding, frame: &mut Frame<'u>) -> Value {
        let Some(name) = &binding.name else {
            return Value::Nothing;
        };
        if role_of(binding) == Role::Alias {
            return match binding
                .init
                .as_ref()
                .map(|init| self.eval_type(init, frame))
            {
                Some(Type::Unknown(reason)) => Value::Unknown(reason),
                Some(ty) => Value::Type(Box::new(ty)),
                None => Value::Unknown(Reason::Construct("an alias without a target")),
            };
        }
        let fixed = binding.specifiers.constexpr || binding.specifiers.constant;
        let class = frame.owner.record;
        let is_plain = binding.tparams.is_empty();
        if is_plain && let Some(Some(known)) = self.made_constant(binding, class) {
            return known.clone();
        }
        let value = self.initial_value(binding, name, frame);
        if fixed && self.settings.is_cpp() && is_open_to_machine(&value) && !frame.mode.open {
            let is_new = !is_plain || self.made_constant(binding, class).is_none();
            if !is_new || self.nesting.in_machine {
                return value;
            }
            let made = self.constant_by_machine(binding, frame);
            // A value that is unknown while another declaration is under way may be known later.
            if is_plain && (made.is_some() || self.nesting.is_alone()) {
                self.keep_made_constant(binding, class, made.clone());
            }
            return made.unwrap_or(value);
        }
        if fixed || value.is_static() {
            value
        } else {
            self.changeable(value, name, frame)
        }
    }

    /// The value of a constant that the machine computed before; nothing in it where it does not know.
    fn made_constant(&self, binding: &Binding, class: Option<usize>) -> Option<&Option<Value>> {
        let binding = std::ptr::from_ref(binding);
        let of_all = self.constants.get(&binding).filter(|_| class.is_none());
        of_all.or_else(|| self.computed.globals.made.get(&(binding, class)))
    }

    /// Keeps the value of a constant that the machine computed; one that names no class holds for all declarations.
    fn keep_made_constant(&mut self, binding: &Binding, class: Option<usize>, made: Option<Value>) {
        let binding = std::ptr::from_ref(binding);
        let names_none =
            |made: &Value| matches!(made, Value::Int(_) | Value::Bool(_) | Value::Number(_));
        if class.is_none() && made.as_ref().is_none_or(names_none) {
            self.constants.insert(binding, made);
        } else {
            let computed = &mut self.computed.globals.made;
            computed.insert((binding, class), made);
        }
    }

    pub(super) fn declare_local_record(
        &mut self,
        record: &'u Record,
        place: Span,
        frame: &mut Frame<'u>,
    ) {
        if record.members.is_none() {
            return;
        }
        // A class without a name is found by its text, where it is the type of a variable.
        let (name, declared) = match &record.name {
            Some(name) => (name.name.as_str(), name.span),
            None => (self.written(place), place),
        };
        let id = self.program.record_id(record, frame.owner.module);
        let value = match self.local_record_instance(id, frame) {
            Ok(ty) => Value::Type(Box::new(ty)),
            Err(reason) => Value::Unknown(reason),
        };
        frame.declare(
            name,
            Variable {
                value,
                declared,
                read: true,
            },
        );
    }

    pub(super) fn declare_local_enum(&mut self, declared: &'u Enum, frame: &mut Frame<'u>) {
        if let Some(name) = &declared.name {
            let value = self.enumeration_type((&name.name, None), declared, frame);
            frame.declare(
                &name.name,
                Variable {
                    value,
                    declared: name.span,
                    read: true,
                },
            );
        }
        if declared.scoped {
            return;
        }
        let mut last = None;
        for enumerator in &declared.enumerators {
            let value = match (&enumerator.value, last) {
                (Some(value), _) => self.eval(value, frame),
                (None, None) => Value::Int(cute_algebra::Int::dynamic(0)),
                (None, Some(last)) => super::on_values::binary(
                    tree_sitter_cute::tree::BinaryOp::Add,
                    last,
                    Value::Int(cute_algebra::Int::dynamic(1)),
                ),
            };
            last = Some(value.clone());
            frame.declare(
                &enumerator.name.name,
                Variable {
                    value,
                    declared: enumerator.name.span,
                    read: true,
                },
            );
        }
    }

    /// An empty scope stack, for members evaluated on their own.
    pub(super) fn no_scopes() -> Vec<Scope<'u>> {
        vec![Scope::default()]
    }
}

/// Whether a value is not known, or not all of it, for a reason that does not hold for the machine as well.
pub(super) fn is_open_to_machine(value: &Value) -> bool {
    match value {
        Value::Unknown(reason) => !matches!(
            reason,
            Reason::Unbound(_) | Reason::Limit(_) | Reason::Steps(_) | Reason::Circular(_)
        ),
        Value::Object(object) => {
            let mut fields = object.fields.iter();
            fields
                .any(|(_, field)| matches!(field, Value::Instance(_)) || is_open_to_machine(field))
        }
        Value::Instance(ty) => matches!(**ty, Type::Record(_)),
        Value::Int(int) => !int.is_static() && int.value().is_none(),
        _ => false,
    }
}

/// Makes template arguments unknown that are written with qualifiers, where the template may see them: arithmetic types
/// of a parameter that it names as `remove_cvref_t<T>` only are known.
fn hide_seen(args: &mut [Value], written: &[Expr], binding: &Binding, frame: &Frame<'_>) {
    let mut hidden = args.to_vec();
    hide_qualified(&mut hidden, written, false, frame);
    for (index, (arg, hidden)) in args.iter_mut().zip(hidden).enumerate() {
        let tparam = binding.tparams.get(index).filter(|tparam| !tparam.pack);
        let name = tparam.and_then(|tparam| tparam.name.as_ref());
        let is_array = written
            .get(index)
            .is_some_and(|written| matches!(written.kind, ExprKind::Array(..)))
            && !matches!(arg, Value::Int(_) | Value::Bool(_));
        let is_dropped = |name: &Ident| {
            binding
                .init
                .as_ref()
                .is_some_and(|init| drops_qualifiers(init, &name.name))
        };
        if is_array || !is_arithmetic_type(arg) || !name.is_some_and(is_dropped) {
            *arg = hidden;
        }
    }
}

/// Whether each mention of a parameter is in `remove_cvref_t<T>`.
fn drops_qualifiers(init: &Expr, parameter: &str) -> bool {
    let (mut mentioned, mut dropped) = (0_usize, 0_usize);
    let is_parameter = |part: &Expr| part.as_plain_name() == Some(parameter);
    walk::subexpressions(init, &mut |part| {
        mentioned += usize::from(is_parameter(part));
        let last = part.as_path().and_then(|path| path.last());
        let args = last.filter(|last| last.name.name == "remove_cvref_t");
        if let Some([arg]) = args.and_then(|last| last.args.as_deref()) {
            dropped += usize::from(is_parameter(arg));
        }
    });
    mentioned == dropped
}
