//! Calls: the way of arguments to parameters, and the effect of a call of each kind of value.

use std::sync::Arc;

use tree_sitter_cute::script::{self, Expr, ExprKind, ParamKind};

use super::coroutines::yields_in_statements;
use super::heap::{Function, Id, Names, Object, Rewritten, Wrapper};
use super::machine::{Frame, Machine, Run, Stop, qualified};
use super::native::{Args, Given, Native};
use super::run::Flow;
use super::value::{Condition, Py};
use crate::reason::Reason;
use crate::types::Scalar;
use crate::value::Value;

/// Calls inside calls.
const CALLS: usize = 60;
/// Calls of one function inside of each other where a branch that may not be taken makes them: each level doubles the work.
const UNCERTAIN_CALLS: usize = 3;

impl Machine<'_> {
    /// A function object of a `def` or a lambda, with its decorators applied.
    pub(crate) fn function(&mut self, code: &Arc<script::Function>) -> Run<Py> {
        let mut defaults = Vec::with_capacity(code.params.len());
        for param in &code.params {
            defaults.push(match &param.default {
                Some(default) => Some(self.eval(default)?),
                None => None,
            });
        }
        let Some(frame) = self.frames.last() else {
            return Ok(Py::Unknown(Reason::Construct("a function")));
        };
        let outer = Arc::clone(&frame.qualified);
        let function = Function {
            code: Arc::clone(code),
            scope: frame.scope,
            file: frame.file,
            defaults: Arc::from(defaults),
            rewritten: Rewritten::No,
            class: None,
            qualified: qualified(&outer, code),
            attributes: Names::default(),
        };
        let mut value = Py::Object(self.heap.add(Object::Function(function)));
        for decorator in code.decorators.iter().rev() {
            let span = decorator.span;
            let decorator = self.eval(decorator)?;
            value = match decorator {
                // The result of an unknown decorator is unknown, but it hardly ever changes the values of a kernel.
                Py::Unknown(reason) => Py::Unknown(reason),
                decorator => self.call(&decorator, Args::of(vec![value], span))?,
            };
        }
        Ok(value)
    }

    /// Calls a value.
    pub(crate) fn call(&mut self, callee: &Py, args: Args) -> Run<Py> {
        self.step(1)?;
        let span = args.span;
        self.call_value(callee, args)
            .or_else(|stop| self.after_error(stop, span))
    }

    /// Calls a value for a call that is under way: an error ends that one.
    pub(super) fn call_value(&mut self, callee: &Py, args: Args) -> Run<Py> {
        match callee {
            Py::Native(native) => self.call_native(native, args),
            Py::Method(native, this) => {
                let mut args = args;
                args.plain.insert(0, Py::clone(this));
                self.call_native(native, args)
            }
            Py::Builtin(builtin) => self.construct(*builtin, args),
            Py::Scalar(scalar) => Ok(self.convert(scalar, &args)),
            Py::Object(id) => self.call_object(*id, args),
            Py::Leaf(value) => self.call_leaf(&value.clone(), args),
            Py::Unknown(reason) | Py::Open(_, reason) => {
                // Whoever it is may change the lists that it is given.
                let reason = reason.clone();
                self.lose_lists(&args, &reason);
                Ok(Py::Unknown(reason))
            }
            _ => Err(Stop::error(
                "TypeError",
                "a call of a value that is not a function",
            )),
        }
    }

    pub(crate) fn call_native(&mut self, native: &'static Native, args: Args) -> Run<Py> {
        let (span, names) = (
            args.span,
            args.named.iter().map(|(name, _)| Arc::clone(name)),
        );
        let names: Vec<Arc<str>> = names.collect();
        // Long texts take as long as many steps.
        let bytes = args.plain.iter().map(|value| match value {
            Py::Str(text) => text.len(),
            _ => 0,
        });
        self.step(bytes.sum::<usize>() / 1024)?;
        match Given::at(native, args) {
            Ok(given) => {
                let made = (native.run)(self, &given)?;
                self.note_made(&given, &made);
                Ok(made)
            }
            Err(reason) => {
                self.wrong_names(native, &names, span);
                Ok(Py::Unknown(reason))
            }
        }
    }

    /// A method that is not modelled may change its object, which is not known any more.
    #[inline(never)]
    pub(super) fn lose_receiver(&mut self, function: &Py, callee: &Expr) -> Run<()> {
        let (Py::Unknown(reason), ExprKind::Attribute(object, _)) = (function, &callee.kind) else {
            return Ok(());
        };
        // What is evaluated twice shall do nothing.
        if !is_path(object) {
            return Ok(());
        }
        let reason = reason.clone();
        if let Py::Object(id) = self.eval(object)?
            && matches!(
                self.heap.get(id),
                Object::List(_)
                    | Object::Dict(_)
                    | Object::Set(_)
                    | Object::Iterator(_)
                    | Object::Lazy(_)
            )
        {
            self.heap.put(id, Object::Lost(reason));
        }
        Ok(())
    }

    fn lose_lists(&mut self, args: &Args, reason: &Reason) {
        let named = args.named.iter().map(|(_, value)| value);
        let ids: Vec<Id> = args
            .plain
            .iter()
            .chain(named)
            .filter_map(|value| match value {
                Py::Object(id) => Some(*id),
                _ => None,
            })
            .collect();
        for id in ids {
            if matches!(self.heap.get(id), Object::Lazy(_)) {
                // It is very likely to take the elements.
                let _ = self.drained(&Py::Object(id));
            }
            if matches!(
                self.heap.get(id),
                Object::List(_) | Object::Iterator(_) | Object::Lazy(_)
            ) {
                self.heap.put(id, Object::Lost(reason.clone()));
            }
        }
    }

    fn call_object(&mut self, id: Id, args: Args) -> Run<Py> {
        match self.heap.get(id) {
            Object::Function(function) => {
                let function = function.clone();
                self.call_function(&function, args)
            }
            Object::Bound { function, this } => {
                let (function, this) = (function.clone(), this.clone());
                let mut args = args;
                args.plain.insert(0, this);
                self.call(&function, args)
            }
            Object::Partial {
                function,
                args: first,
                named,
            } => {
                let function = function.clone();
                let mut all = Args {
                    plain: first.clone(),
                    named: named.clone(),
                    span: args.span,
                    ..Args::default()
                };
                all.plain.extend(args.plain);
                for (name, value) in args.named {
                    all.named.retain(|(known, _)| *known != name);
                    all.named.push((name, value));
                }
                self.call(&function, all)
            }
            Object::Class(_) => match self.method(&Py::Object(id), "__call__")? {
                Some(method) => self.call(&method, args),
                None => self.instantiate(id, args),
            },
            Object::Cached(_) => self.call_cached(id, args),
            Object::Instance(_) => match self.method(&Py::Object(id), "__call__")? {
                Some(method) => self.call(&method, args),
                None => Ok(Py::Unknown(Reason::Construct("a call of this object"))),
            },
            Object::Wrapped(Wrapper::Static | Wrapper::ClassMethod, inner) => {
                let inner = inner.clone();
                self.call(&inner, args)
            }
            // `functools.wraps(f)(g)`, a decorator that is a dictionary, ...
            Object::Lost(reason) => Ok(Py::Unknown(reason.clone())),
            _ => Err(Stop::error(
                "TypeError",
                "a call of a value that is not a function",
            )),
        }
    }

    /// Runs a function of a source.
    pub(crate) fn call_function(&mut self, function: &Function, args: Args) -> Run<Py> {
        if self.frames.len() >= CALLS {
            return Ok(Py::Unknown(Reason::Limit("nesting of calls")));
        }
        if !self.uncertain.is_certain() && self.calls_under_way(function) >= UNCERTAIN_CALLS {
            return Ok(Py::Unknown(Reason::Limit(
                "calls of a function by itself whose end is not known",
            )));
        }
        let (span, callee) = (args.span, args.callee);
        let is_traced = self.is_traced();
        let mut bound = self.bound(function, args)?;
        let element = bound.iter().find_map(|(_, value)| match value {
            Py::Scalar(scalar) => Some(*scalar),
            _ => None,
        });
        if function.rewritten == Rewritten::Kernel
            || (function.rewritten == Rewritten::Jit && !is_traced)
        {
            self.at_run_time(function, &mut bound)?;
        }
        self.kernel.callee = callee;
        let made = self.run_function(function, bound, span)?;
        super::dsl::judge_chosen(self, function, element, &made, span);
        Ok(match function.rewritten {
            Rewritten::Kernel => Py::Kernel(self.kernel.last.take()),
            _ => made,
        })
    }

    /// Number of nested calls of a function that are under way.
    fn calls_under_way(&self, function: &Function) -> usize {
        let same =
            |frame: &&Frame| frame.file == function.file && frame.qualified == function.qualified;
        self.frames.iter().filter(same).count()
    }

    /// The parameters with their values.
    fn bound(&mut self, function: &Function, args: Args) -> Run<Vec<(Arc<str>, Py)>> {
        let code = &function.code;
        let mut plain = args.plain.into_iter();
        let mut named = args.named;
        let mut bound = Vec::with_capacity(code.params.len());
        for (param, default) in code.params.iter().zip(function.defaults.iter()) {
            let value = match param.kind {
                ParamKind::Rest => Py::tuple(plain.by_ref().collect()),
                ParamKind::NamedRest => {
                    let rest = std::mem::take(&mut named);
                    let entries = rest.into_iter().map(|(name, value)| (Py::Str(name), value));
                    let entries = entries.collect();
                    Py::Object(self.heap.add(Object::Dict(entries)))
                }
                ParamKind::Positional | ParamKind::Plain | ParamKind::Named => {
                    let positional = match param.kind {
                        ParamKind::Named => None,
                        _ => plain.next(),
                    };
                    let by_name = named
                        .iter()
                        .filter(|_| param.kind != ParamKind::Positional)
                        .position(|(name, _)| *name == param.name.text)
                        .map(|at| named.remove(at).1);
                    match positional.or(by_name).or_else(|| default.clone()) {
                        Some(value) => value,
                        None => {
                            return Err(Stop::error("TypeError", "a call without an argument"));
                        }
                    }
                }
            };
            bound.push((Arc::clone(&param.name.text), value));
        }
        named.retain(|(name, _)| !matches!(&**name, "loc" | "ip"));
        if plain.next().is_some() || !named.is_empty() {
            return Err(Stop::error("TypeError", "a call with too many arguments"));
        }
        Ok(bound)
    }

    /// Runs the body of a function with its parameters bound.
    pub(crate) fn run_function(
        &mut self,
        function: &Function,
        bound: Vec<(Arc<str>, Py)>,
        span: tree_sitter_cute::tree::Span,
    ) -> Run<Py> {
        let code = Arc::clone(&function.code);
        let scope = self.new_scope(Some(function.scope), false);
        let this = bound.first().map(|(_, value)| value.clone());
        let file = function.file;
        self.covered.ran.insert(self.place(file, code.span));
        self.budget.work.note(|done| {
            let of = done.functions.entry(function.qualified.to_string());
            of.or_default().count += 1;
        });
        let caller = self.frames.last().map(|frame| (frame.file, span));
        let mut frame = Frame::of(scope, file, &function.qualified);
        // A function that a traced one calls is traced, but only decorated ones are rewritten.
        frame.rewritten = function.rewritten;
        frame.class = function.class;
        frame.this = this;
        frame.called_at = span;
        frame.called_name = std::mem::take(&mut self.kernel.callee);
        let is_focus = self.files.get(file).is_some_and(|file| file.is_focus);
        if is_focus {
            let caller = caller.map(|(file, span)| self.place(file, span));
            let at = self
                .record
                .activation(&function.qualified, code.span, caller);
            self.record
                .declare(at, code.name.span, function.rewritten == Rewritten::Kernel);
            frame.activation = Some(at);
        }
        let activation = frame.activation;
        if code.is_generator && yields_in_statements(&code.body) {
            let generator = self.suspended(function, &frame);
            // Its parameters are bound at once.
            let (bind, _) = self.in_frame(frame, |machine| {
                machine.bind_parameters(&code, bound);
                Ok(())
            });
            bind?;
            return Ok(generator);
        }
        let (result, frame) = self.in_frame(frame, |machine| {
            machine.bind_parameters(&code, bound);
            machine.block(&code.body)
        });
        if is_focus && let Err(stop) = &result {
            self.note_ended(&function.qualified, &code.body, stop);
        }
        if function.rewritten == Rewritten::Kernel {
            self.kernel.last = activation;
        }
        let Some(mut frame) = frame else {
            return result.map(|_| Py::None);
        };
        let flow = match result {
            // It returned under a condition, and an error ends the trace: only its return value is left.
            Err(Stop::Raised(..)) if !frame.returned.is_empty() => {
                Flow::Return(frame.returned.remove(0))
            }
            result => result?,
        };
        if code.is_generator {
            return Ok(match frame.pausing.lost_yields {
                Some(reason) => Py::Object(self.heap.add(Object::Lost(reason))),
                None => self.iterator(frame.pausing.yields),
            });
        }
        let mut value = match flow {
            Flow::Return(value) => value,
            _ => Py::None,
        };
        for returned in frame.returned {
            value = self.joined(value, returned, &Condition::RunTime);
        }
        Ok(value)
    }

    /// Binds the parameters of the function that is run.
    fn bind_parameters(&mut self, code: &script::Function, bound: Vec<(Arc<str>, Py)>) {
        for ((name, value), param) in bound.into_iter().zip(&code.params) {
            self.recorded_parameter(param.name.span, &name, &value);
            self.bind(&name, value);
        }
    }

    /// A number of the DSL made of another: only the running kernel has it, even where it is made of a constant.
    fn convert(&mut self, scalar: &Scalar, args: &Args) -> Py {
        let named = args.named.first().map(|(_, value)| value);
        let Some(value) = args.plain.first().or(named) else {
            return Py::Leaf(Value::Number(*scalar));
        };
        // Whatever it is made of, its type is known.
        if !scalar.is_integer() || scalar.name == "bool" {
            return Py::Leaf(Value::Number(*scalar));
        }
        match value {
            Py::Leaf(Value::Int(int)) | Py::Whole(int, _) => {
                Py::of_type(int.clone(), Some(*scalar))
            }
            // Objects of other modules carry their numbers through loops of the kernel.
            Py::Int(number) if self.is_in_focus() => match self.numbers.constant(*number) {
                Py::Leaf(Value::Int(int)) => Py::of_type(int, Some(*scalar)),
                other => other,
            },
            _ => self.numbers.number("i", Some(*scalar)),
        }
    }
}

/// Whether an expression is a name, or an attribute of one.
fn is_path(expr: &Expr) -> bool {
    let mut inner = expr;
    while let ExprKind::Attribute(object, _) = &inner.kind {
        inner = object;
    }
    matches!(inner.kind, ExprKind::Name(_))
}
