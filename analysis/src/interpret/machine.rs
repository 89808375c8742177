//! The machine of C++: runs a body whose values are all known, statement by statement, with objects that have places,
//! so that changes through members, references, pointers, captures and loops are known afterwards.
//!
//! It only gives results of code that it has run. Where a value is not known, or a construct is not followed, it stops,
//! and the rest is left to the evaluation around it, as if there were no machine.

mod bases;
mod calls;
mod closures;
mod comparison;
mod constants;
mod construction;
mod entered;
mod expressions;
mod extents;
mod given;
mod library;
mod numbers;
mod objects;
mod operators;
mod packs;
mod parameters;
mod statements;
mod store;
mod views;

use std::rc::Rc;

use tree_sitter_cute::tree::{Binding, Expr, Function, Item, ItemKind, Span, TemplateParam};

use super::Interpreter;
use super::frame::Frame;
use super::ran::Ran;
use crate::hash::HashMap;
use crate::limits;
use crate::stack::with_room;
use crate::value::Value;
use given::Outcome;
use statements::Flow;
use store::{Content, Followed, Location, Stop, Store};

/// One run of a function.
#[derive(Debug, Default)]
struct Activation<'u> {
    /// Places of its variables, by their declarations.
    places: HashMap<Span, Location>,
    /// Places of the elements of its parameter packs.
    packs: HashMap<Span, Vec<Location>>,
    /// The object whose method it is.
    this: Option<Location>,
    /// The type that it gives, as it is written.
    ret: Option<&'u Expr>,
    returned: Option<Outcome<'u>>,
    /// The template parameters of the function and of its class.
    tparams: Vec<&'u [TemplateParam]>,
}

/// The run of one body and of all that it calls.
struct Runner<'r, 'u> {
    it: &'r mut Interpreter<'u>,
    store: Store<'u>,
    steps: usize,
    /// Expressions and calls that are underway.
    depth: usize,
    calls: usize,
    /// The initial value of each variable; nothing where it began with several values.
    begun: HashMap<Span, Option<Value>>,
    /// Constants outside of functions, by their declarations and classes; nothing where one is not known.
    constants: HashMap<(*const Binding, Option<usize>), Option<Location>>,
}

impl<'r, 'u> Runner<'r, 'u> {
    fn new(it: &'r mut Interpreter<'u>) -> Self {
        Self {
            it,
            store: Store::default(),
            steps: limits::MACHINE_STEPS,
            depth: 0,
            calls: 0,
            begun: HashMap::default(),
            constants: HashMap::default(),
        }
    }
}

impl<'u> Runner<'_, 'u> {
    /// An operator with its macros replaced, where the text of one of them is not one operand.
    fn respelt(&mut self, expr: &'u Expr, frame: &Frame<'u>) -> Followed<Option<&'u Expr>> {
        self.it
            .operator_respelt(expr, frame)
            .transpose()
            .map_err(|_| Stop)
    }
}

impl Runner<'_, '_> {
    fn tick(&mut self) -> Followed<()> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop)?;
        Ok(())
    }

    /// Runs `inside` one level deeper; stops at `MACHINE_NESTING` levels or where no step is left.
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Followed<T>) -> Followed<T> {
        self.tick()?;
        if self.depth >= limits::MACHINE_NESTING {
            return Err(Stop);
        }
        self.depth += 1;
        let result = with_room(|| inside(self));
        self.depth -= 1;
        result
    }

    /// Notes the initial value of a variable.
    fn note(&mut self, declared: Span, place: &Location) {
        let number = match self.store.at(place) {
            Ok(content @ (Content::Number(_) | Content::Bits(..))) => self.seen(content).ok(),
            _ => None,
        };
        let known = self.begun.entry(declared).or_insert_with(|| number.clone());
        if *known != number {
            *known = None;
        }
    }
}

impl<'u> Interpreter<'u> {
    /// The statements of a function whose parameters are bound, run by the machine first.
    pub(super) fn exec_body(
        &mut self,
        function: &'u Function,
        body: &'u [Item],
        frame: &mut Frame<'u>,
    ) {
        let ran = self.run_by_machine(function, body, frame).map(Rc::new);
        let Some(ran) = ran else {
            return self.exec_all(body, frame);
        };
        let outer = frame.changes.ran.replace(Rc::clone(&ran));
        for (index, item) in body.iter().enumerate() {
            if frame.control.ended {
                break;
            }
            self.exec_all(std::slice::from_ref(item), frame);
            for (name, declared, value) in ran.behind.get(index).into_iter().flatten() {
                hold(name, *declared, value, frame);
            }
        }
        frame.changes.ran = outer;
        if let Some(value) = &ran.returned {
            frame.control.returns = vec![value.clone()];
        }
    }

    /// Runs a body in which something changes; `None` where that says nothing.
    fn run_by_machine(
        &mut self,
        function: &'u Function,
        body: &'u [Item],
        frame: &Frame<'u>,
    ) -> Option<Ran> {
        let names = &frame.changes.untraceable;
        let is_plain = names.changed.is_empty() && names.assigned.is_empty() && !names.calls;
        if !self.settings.is_cpp()
            || function.flags.damaged
            || is_plain && !body.iter().any(branches)
        {
            return None;
        }
        let mut inner = frame.clone();
        inner.mode.recording = false;
        inner.actions.run = None;
        let outer = std::mem::replace(&mut self.nesting.in_machine, true);
        let ran = self.run_known_body(function, body, inner);
        self.nesting.in_machine = outer;
        ran
    }

    fn run_known_body(
        &mut self,
        function: &'u Function,
        body: &'u [Item],
        mut inner: Frame<'u>,
    ) -> Option<Ran> {
        let mut runner = Runner::new(self);
        let mut act = Activation {
            ret: function.ret.as_ref(),
            tparams: vec![function.tparams.as_slice()],
            ..Activation::default()
        };
        runner.enter(function, &mut act, &mut inner).ok()?;
        let mut behind: Vec<Vec<(String, Span, Value)>> = Vec::new();
        let mut held: HashMap<Span, Value> = HashMap::default();
        let mut stopped = false;
        let mut returned = false;
        for item in body {
            let flow = runner.deeper(|it| it.statement(item, &mut act, &mut inner));
            let Ok(flow) = flow else {
                stopped = true;
                break;
            };
            behind.push(runner.changed(&act, &inner, &mut held));
            if flow == Flow::Return {
                returned = true;
                break;
            }
        }
        let result = match act.returned.take().filter(|_| returned) {
            Some(Outcome::Value(content @ (Content::Number(_) | Content::Object(..)))) => {
                runner.seen(&content).ok()
            }
            Some(Outcome::Location(place)) => {
                let content = runner.store.read(&place).ok();
                content.and_then(|content| runner.seen(&content).ok())
            }
            _ => None,
        };
        let begun = std::mem::take(&mut runner.begun);
        // A run that stopped says nothing of variables that change, which are symbols from there on.
        let is_kept = |value: &Option<Value>| value.is_some();
        let begun = begun.into_iter().filter(|(_, value)| is_kept(value));
        let begun: HashMap<Span, Value> = begun
            .filter_map(|(declared, value)| Some((declared, value?)))
            .filter(|(declared, _)| !stopped || !may_change(*declared, &inner))
            .collect();
        Some(Ran {
            begun,
            behind: if stopped { Vec::new() } else { behind },
            returned: result,
        })
    }
}

impl<'u> Runner<'_, 'u> {
    /// Makes the parameters of the body, and the object whose method it is, objects of the run.
    fn enter(
        &mut self,
        function: &'u Function,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        if let Some(this) = frame.owner.this.clone() {
            let ty = crate::types::Type::of(&this);
            let content = self.taken_over(&this, &ty);
            act.this = Some(self.store.add_outside(content)?);
        }
        if let Some(class) = frame
            .owner
            .record
            .and_then(|class| self.it.record_declaration(class))
        {
            act.tparams.push(class.tparams.as_slice());
        }
        for param in &function.params {
            let Some(name) = &param.name else { continue };
            let Some(variable) = frame.find(&name.name) else {
                continue;
            };
            let (value, declared) = (variable.value.clone(), variable.declared);
            let content = match &param.ty {
                Some(ty) if !param.specifiers.pack => {
                    let ty = self.it.eval_type(ty, frame);
                    self.taken_over(&value, &ty)
                }
                _ => Content::Unknown,
            };
            let place = self.store.add_outside(content)?;
            act.places.insert(declared, place);
        }
        Ok(())
    }

    /// The new values of variables of the body that held another value before.
    fn changed(
        &mut self,
        act: &Activation<'u>,
        frame: &Frame<'u>,
        held: &mut HashMap<Span, Value>,
    ) -> Vec<(String, Span, Value)> {
        let mut changed = Vec::new();
        for scope in &frame.scopes {
            for (name, variable) in scope.iter() {
                let Some(place) = act.places.get(&variable.declared) else {
                    continue;
                };
                let value = match self.store.at(place) {
                    Ok(
                        content @ (Content::Number(_)
                        | Content::Bits(..)
                        | Content::Enumerator(_)
                        | Content::Object(..)
                        | Content::Array(_)),
                    ) => self.seen(content),
                    _ => Err(Stop),
                };
                let Ok(value) = value else { continue };
                if held.get(&variable.declared) != Some(&value) {
                    held.insert(variable.declared, value.clone());
                    changed.push((name.to_owned(), variable.declared, value));
                }
            }
        }
        changed
    }
}

/// Gives a variable the value that the machine found, where it is one of the same kind.
fn hold(name: &str, declared: Span, value: &Value, frame: &mut Frame<'_>) {
    let Some(variable) = frame.find_declared(name, declared) else {
        return;
    };
    let fits = match (&variable.value, value) {
        (old, _) if old.is_static() => false,
        (Value::Object(old), Value::Object(new)) => old.class == new.class,
        (Value::Tuple(old), Value::Tuple(new)) => old.len() == new.len(),
        (Value::Pointer(_), _) => false,
        (_, Value::Int(_) | Value::Bool(_)) => true,
        _ => false,
    };
    if fits && let Some(variable) = frame.find_declared_mut(name, declared) {
        variable.value = value.clone();
        variable.read = true;
    }
}

/// Whether a variable may change after it is declared.
fn may_change(declared: Span, frame: &Frame<'_>) -> bool {
    let names = &frame.changes.untraceable;
    let Some(binding) = frame.locals.declaration(declared) else {
        return true;
    };
    let name = binding.name.as_ref().map_or("", |name| name.name.as_str());
    names.changed.contains(name) || names.assigned.contains(name)
}

/// Whether a statement chooses or repeats others.
fn branches(item: &Item) -> bool {
    matches!(
        item.kind,
        ItemKind::If(_) | ItemKind::Loop(_) | ItemKind::Switch(_) | ItemKind::Block(_)
    )
}
