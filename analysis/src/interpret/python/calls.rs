//! Calls: of words, of functions of the file, of types, of layouts.

use tree_sitter_cute::tree::{Expr, ExprKind};

use super::super::bound::Bound;
use super::super::frame::Frame;
use super::super::ids::FunctionId;
use super::super::overloads::Asked;
use super::super::site::{Caller, Site};
use super::super::{Callable, Interpreter, construct};
use super::statements::alter;
use crate::reason::Reason;
use crate::value::Value;
use crate::vocabulary::{self, Problem, python as words};

impl<'u> Interpreter<'u> {
    pub(super) fn call_python(
        &mut self,
        expr: &'u Expr,
        callee: &'u Expr,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let target = self.eval(callee, frame);
        let given = self.arguments(args, frame);
        // A method may change the list that it belongs to.
        if let ExprKind::Member { object, .. } = &callee.kind {
            alter(object, frame);
        }
        let given = match given {
            Ok(given) => given,
            Err(reason) => return Value::Unknown(reason),
        };
        self.call_target(expr, target, given, args, frame)
    }

    fn call_target(
        &mut self,
        expr: &'u Expr,
        target: Value,
        mut given: words::Arguments<'u>,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        match target {
            Value::Unknown(_) => target,
            Value::Callable(id) => self.call_of_file(expr, id, given, frame),
            Value::Function(name) => match &*name {
                words::COMPILE | words::JIT | words::KERNEL if !given.positional.is_empty() => {
                    let traced = given.positional.remove(0);
                    match (&*name, &traced) {
                        (words::COMPILE, Value::Callable(_)) => {
                            self.call_target(expr, traced, given, args, frame);
                            Value::Unknown(Reason::RunTime("a compiled function".into()))
                        }
                        (words::COMPILE, _) => construct("compiling this value"),
                        _ => traced,
                    }
                }
                _ => self.call_word(expr, &name, &given, args, frame),
            },
            Value::Type(ty) => self.construct_value(&ty, &given.positional, frame),
            Value::Layout(_) | Value::Composed(_) | Value::Swizzle(_) => {
                let answer = vocabulary::apply(
                    vocabulary::Surroundings::of_dsl(),
                    &target,
                    &given.positional,
                );
                self.answer(answer, Vec::new(), expr.span, args, frame)
            }
            _ => construct("a call of this value"),
        }
    }

    /// The arguments of a call, in the order of the source.
    fn arguments(
        &mut self,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Result<words::Arguments<'u>, Reason> {
        let mut given = words::Arguments::default();
        let mut spread = Ok(());
        for arg in args {
            match &arg.kind {
                ExprKind::Designated(name, value) => {
                    let value = self.eval(value, frame);
                    given.named.push((name.name.as_str(), value));
                }
                ExprKind::Expand(inner) => match self.eval(inner, frame) {
                    Value::Tuple(items) => given.positional.extend(items),
                    Value::Unknown(reason) => spread = Err(reason),
                    _ => spread = Err(Reason::Construct("`*` of this value")),
                },
                ExprKind::Opaque(what) => spread = Err(Reason::Construct(what)),
                _ => {
                    let value = self.eval(arg, frame);
                    given.positional.push(value);
                }
            }
        }
        spread.map(|()| given)
    }

    fn call_word(
        &mut self,
        expr: &'u Expr,
        name: &str,
        given: &words::Arguments<'u>,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let Some(word) = words::named(name) else {
            return Value::Unknown(match name {
                words::RANGE | words::RANGE_CONSTEXPR | words::BUILTIN_RANGE => {
                    Reason::RunTime("a range".into())
                }
                _ => Reason::NotEvaluated(name.into()),
            });
        };
        let mut remarks = Vec::new();
        let mut answer = word.call(given, &mut remarks);
        // Operands are counted as CuTe counts them; in the source they may be elsewhere.
        let written = |operand: Option<usize>| {
            let name = word.argument(operand?)?;
            args.iter().position(
                |arg| matches!(&arg.kind, ExprKind::Designated(given, _) if given.name == name),
            )
        };
        let place = |operand: &mut Option<usize>| {
            if let Some(found) = written(*operand) {
                *operand = Some(found);
            }
        };
        for remark in &mut remarks {
            place(&mut remark.operand);
        }
        if let Err(Problem::Refused(remark)) = &mut answer {
            place(&mut remark.operand);
        }
        self.answer(answer, remarks, expr.span, args, frame)
    }

    fn call_of_file(
        &mut self,
        expr: &'u Expr,
        callable: usize,
        given: words::Arguments<'u>,
        frame: &mut Frame<'u>,
    ) -> Value {
        let lambda = match self.computed.callable(callable) {
            Some(Callable::Functions(_, ids, _)) => match ids.first().copied() {
                Some(id) => return self.call_function_of_file(expr, id, given, frame),
                None => return construct("this call"),
            },
            Some(Callable::Lambda(lambda, _)) => *lambda,
            None => return construct("this call"),
        };
        match self.bind_python(&lambda.params, "lambda", given, false) {
            Ok(bound) => {
                let values: Vec<Value> = bound.into_iter().flatten().collect();
                let asked = Asked {
                    explicit: &[],
                    values: &values,
                    arguments: &[],
                    constant: None,
                };
                self.call_callable(expr, callable, &asked, frame)
            }
            Err(reason) => Value::Unknown(reason),
        }
    }

    fn call_function_of_file(
        &mut self,
        expr: &'u Expr,
        id: FunctionId,
        given: words::Arguments<'u>,
        frame: &mut Frame<'u>,
    ) -> Value {
        let Some(declaration) = self.program.functions.get(id).copied() else {
            return construct("this call");
        };
        let function = declaration.function;
        if frame.owner.function.is_none() {
            self.keep_globals(frame);
        }
        let from_host = !frame.mode.traced && self.is_traced(function);
        let name = &function.name.name;
        let bound = match self.bind_python(&function.params, name, given, from_host) {
            Ok(params) => Bound {
                tparams: Vec::new(),
                params,
            },
            Err(reason) => return Value::Unknown(reason),
        };
        if frame.mode.recording {
            let place = self.instance_name(expr.span, frame);
            let caller = Caller::of(frame);
            self.record_instance_of(id, &bound, Some(place), caller);
        }
        let site = Site {
            module: declaration.module,
            record: None,
            this: None,
        };
        self.evaluate_function(function, &site, &bound, frame)
    }
}
