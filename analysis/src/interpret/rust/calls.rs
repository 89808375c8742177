//! Calls of a library's functions, methods and macros.

use tree_sitter_cute::tree::{Expr, MacroCall, Segment};

use crate::interpret::frame::Frame;
use crate::interpret::libraries::LibraryName;
use crate::interpret::names::Meaning;
use crate::interpret::{Interpreter, construct};
use crate::options::Integers;
use crate::reason::Reason;
use crate::value::Value;
use crate::vocabulary::Function;
use crate::vocabulary::rust::{passes_through, to_static};

impl<'u> Interpreter<'u> {
    /// A call of a function of a library.
    pub(in crate::interpret) fn call_library(
        &mut self,
        expr: &'u Expr,
        name: &LibraryName<'u>,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let last = name.names.last().copied().unwrap_or_default();
        let Some(function) = name.library.function(&name.names) else {
            return Value::Unknown(Reason::NotEvaluated(last.into()));
        };
        let targs = self.template_arguments(Some(name.generic), frame);
        self.ask_library(expr, function, &targs, values, args, frame)
    }

    fn ask_library(
        &mut self,
        expr: &'u Expr,
        function: &Function,
        targs: &[Value],
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let targs: Vec<Value> = targs.iter().map(to_static).collect();
        let values: Vec<Value> = values.iter().map(to_static).collect();
        let mut remarks = Vec::new();
        let answer = function.call(&targs, &values, &mut remarks);
        self.answer(answer, remarks, expr.span, args, frame)
    }

    /// `object.method(args)` where the object is not an object of the file.
    pub(in crate::interpret) fn call_library_method(
        &mut self,
        expr: &'u Expr,
        object: &Value,
        member: &'u Segment,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = member.name.name.as_str();
        if passes_through(name) {
            return object.clone();
        }
        // `a[b..c]`
        if name == ".." {
            return construct("a part of a slice");
        }
        if let Some(value) = self.launched_by_method(expr, member, args, frame) {
            return value;
        }
        let method = self
            .readings
            .libraries
            .iter()
            .find_map(|library| library.method(name));
        let Some(method) = method else {
            return match object {
                Value::Unknown(_) => object.clone(),
                _ => Value::Unknown(Reason::NoMember(name.into(), object.to_string().into())),
            };
        };
        let targs = self.template_arguments(Some(member), frame);
        let mut all = vec![object.clone()];
        all.extend(values.iter().cloned());
        self.ask_library(expr, method, &targs, &all, args, frame)
    }

    /// A macro call. The arguments of macros outside of libraries are evaluated for the names in them.
    pub(in crate::interpret) fn eval_macro(
        &mut self,
        expr: &'u Expr,
        call: &'u MacroCall,
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(value) = self.launched_by_macro(expr, call, frame) {
            return value;
        }
        if let Some(expansion) = self.expression_of_macro(expr, call, frame) {
            return self.eval(expansion, frame);
        }
        let args = call.args.as_deref().unwrap_or_default();
        let known = match self.meaning_in_rust(&call.path, frame) {
            Meaning::Library(name) => name.library.notation_macro(&name.names),
            _ => None,
        };
        let Some(function) = known else {
            let values = self.eval_all(args, frame);
            let name = call.path.last().map(|last| last.name.name.as_str());
            return match name {
                Some("vec") if call.path.segments.len() == 1 => Value::Tuple(values),
                _ => construct("a macro"),
            };
        };
        if call.args.is_none() {
            return construct("the argument of this macro");
        }
        let integers = std::mem::replace(&mut self.settings.integers, Integers::Static);
        let values = self.eval_all(args, frame);
        self.settings.integers = integers;
        self.ask_library(expr, function, &[], &values, args, frame)
    }
}
