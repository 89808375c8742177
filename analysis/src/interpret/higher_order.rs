//! CuTe's functions that call a function given to them: `transform`, `for_each`, `fold`, ...

use cute_algebra::Int;
use tree_sitter_cute::tree::Expr;

use super::Interpreter;
use super::frame::Frame;
use crate::reason::Reason;
use crate::value::{Truth, Value};
use crate::vocabulary;

impl<'u> Interpreter<'u> {
    /// The value of such a call; `None` when the function is another one.
    pub(super) fn call_higher_order(
        &mut self,
        expr: &'u Expr,
        name: &'static str,
        values: &[Value],
        frame: &mut Frame<'u>,
    ) -> Option<Value> {
        if !vocabulary::is_higher_order(name) {
            return None;
        }
        let mut caller = Caller {
            interpreter: self,
            expr,
            frame,
        };
        let sources = values.get(..values.len().saturating_sub(1));
        let open = sources.and_then(|sources| sources.iter().find_map(Value::open_parameter));
        if let Some(reason) = open {
            // It may be a tuple.
            return Some(Value::Unknown(reason));
        }
        Some(match (name, values) {
            // `lazy::transform` of a tensor computes its elements when they are read.
            ("transform", [tensor @ Value::Tensor(_), _]) => tensor.clone(),
            // The elements of tensors are known only at run time.
            (_, [Value::Tensor(_), ..]) => Value::Nothing,
            ("transform", [sources @ .., f]) if !sources.is_empty() => caller.transform(sources, f),
            ("transform_layout", [source, f]) => caller.transform_layout(&[source], f),
            ("transform_layout", [first, second, f]) => {
                caller.transform_layout(&[first, second], f)
            }
            ("transform_leaf", [sources @ .., f]) if !sources.is_empty() => {
                caller.transform_leaf(sources, f)
            }
            ("transform_apply", [sources @ .., f, g]) if !sources.is_empty() => {
                match caller.transform(sources, f) {
                    Value::Tuple(items) => caller.call(g, &items),
                    Value::Unknown(reason) => Value::Unknown(reason),
                    one => caller.call(g, &[one]),
                }
            }
            ("filter_tuple", [sources @ .., f]) if !sources.is_empty() => {
                caller.filter_tuple(sources, f)
            }
            ("for_each", [source, f]) => caller.for_each(source, f),
            ("for_each_leaf", [source, f]) => {
                caller.transform_leaf(std::slice::from_ref(source), f);
                Value::Nothing
            }
            ("fold", [source, start, f]) => caller.fold(&elements(source), start.clone(), f),
            ("fold_first", [source, f]) => match elements(source).split_first() {
                Some((first, rest)) => caller.fold(rest, first.clone(), f),
                None => return None,
            },
            ("apply", [Value::Tuple(items), f]) => caller.call(f, items),
            ("any_of", [source, f]) => caller.quantified(source, f, true),
            ("all_of", [source, f]) => caller.quantified(source, f, false),
            ("none_of", [source, f]) => match caller.quantified(source, f, true) {
                Value::Bool(truth) => Value::Bool(truth.not()),
                other => other,
            },
            ("find_if", [source, f]) => caller.find_if(source, f),
            _ => return None,
        })
    }
}

/// The elements of a tuple; anything else is one element.
fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::Tuple(items) | Value::Pack(items) => items.clone(),
        other => vec![other.clone()],
    }
}

/// The modes of a layout, the elements of a tuple.
fn modes(value: &Value) -> Vec<Value> {
    match value {
        Value::Layout(layout) => (0..layout.rank())
            .filter_map(|index| layout.mode(index).ok())
            .map(Value::from)
            .collect(),
        other => elements(other),
    }
}

struct Caller<'i, 'u, 'f> {
    interpreter: &'i mut Interpreter<'u>,
    expr: &'u Expr,
    frame: &'f mut Frame<'u>,
}

impl Caller<'_, '_, '_> {
    fn call(&mut self, f: &Value, args: &[Value]) -> Value {
        self.interpreter
            .call_value(self.expr, f, args, &[], self.frame)
    }

    /// Calls f with the elements at each place of the sources.
    fn transform(&mut self, sources: &[Value], f: &Value) -> Value {
        self.by_element(sources, |caller, parts| caller.call(f, parts))
    }

    /// `make_layout` of the results of f for the modes at each place of the sources; the modes of the longer source
    /// beyond the shorter one follow as they are.
    fn transform_layout(&mut self, sources: &[&Value], f: &Value) -> Value {
        let rows: Vec<Vec<Value>> = sources.iter().map(|source| modes(source)).collect();
        let common = rows.iter().map(Vec::len).min().unwrap_or(0);
        let mut made = Vec::new();
        for index in 0..common {
            let parts: Vec<Value> = rows
                .iter()
                .filter_map(|row| row.get(index))
                .cloned()
                .collect();
            made.push(self.call(f, &parts));
        }
        for row in &rows {
            made.extend(row.get(common..).unwrap_or_default().iter().cloned());
        }
        if let Some(unknown) = made.iter().find(|mode| matches!(mode, Value::Unknown(_))) {
            return unknown.clone();
        }
        match vocabulary::function("make_layout") {
            Some(function) => {
                let answer = function.call(&[], &made, &mut Vec::new());
                let span = self.expr.span;
                self.interpreter
                    .answer(answer, Vec::new(), span, &[], self.frame)
            }
            None => Value::Unknown(Reason::NotEvaluated("transform_layout".into())),
        }
    }

    fn transform_leaf(&mut self, sources: &[Value], f: &Value) -> Value {
        let is_tuple = |source: &Value| matches!(source, Value::Tuple(_));
        if !sources.first().is_some_and(is_tuple) {
            return self.call(f, sources);
        }
        if let Some(other) = sources.iter().find(|source| !is_tuple(source)) {
            return match other {
                Value::Unknown(_) => other.clone(),
                _ => Value::Unknown(Reason::Unsuitable(
                    "transform_leaf".into(),
                    "tuples of one profile",
                )),
            };
        }
        self.by_element(sources, |caller, parts| caller.transform_leaf(parts, f))
    }

    fn by_element(
        &mut self,
        sources: &[Value],
        mut f: impl FnMut(&mut Self, &[Value]) -> Value,
    ) -> Value {
        let rows: Option<Vec<&[Value]>> = sources
            .iter()
            .map(|source| match source {
                Value::Tuple(items) => Some(items.as_slice()),
                _ => None,
            })
            .collect();
        let Some(rows) = rows else {
            return match sources.iter().find(|s| matches!(s, Value::Unknown(_))) {
                Some(unknown) => unknown.clone(),
                // An element is a tuple of itself.
                None => f(self, sources),
            };
        };
        let rank = rows.first().map_or(0, |row| row.len());
        if rows.iter().any(|row| row.len() != rank) {
            return Value::Unknown(Reason::Unsuitable("transform".into(), "tuples of one rank"));
        }
        let mut items = Vec::with_capacity(rank);
        for index in 0..rank {
            let parts: Vec<Value> = rows
                .iter()
                .filter_map(|row| row.get(index).cloned())
                .collect();
            items.push(f(self, &parts));
        }
        Value::Tuple(items)
    }

    fn filter_tuple(&mut self, sources: &[Value], f: &Value) -> Value {
        let mut all = Vec::new();
        match self.transform(sources, f) {
            Value::Tuple(parts) => {
                for part in parts {
                    match part {
                        Value::Tuple(items) => all.extend(items),
                        Value::Unknown(reason) => return Value::Unknown(reason),
                        _ => {
                            return Value::Unknown(Reason::Unsuitable(
                                "filter_tuple".into(),
                                "a function that gives tuples",
                            ));
                        }
                    }
                }
                Value::Tuple(all)
            }
            other => other,
        }
    }

    fn for_each(&mut self, source: &Value, f: &Value) -> Value {
        for element in elements(source) {
            self.call(f, &[element]);
        }
        Value::Nothing
    }

    fn fold(&mut self, items: &[Value], start: Value, f: &Value) -> Value {
        items
            .iter()
            .fold(start, |so_far, item| self.call(f, &[so_far, item.clone()]))
    }

    /// `any_of` (`wanted` is true) and `all_of`.
    fn quantified(&mut self, source: &Value, f: &Value, wanted: bool) -> Value {
        let (mut fixed, mut open) = (true, None);
        for element in elements(source) {
            match self.call(f, &[element]) {
                Value::Bool(truth) if truth.value == wanted => return Value::Bool(truth),
                Value::Bool(truth) => fixed &= truth.fixed,
                other => open = Some(other),
            }
        }
        match open {
            Some(Value::Unknown(reason)) => Value::Unknown(reason),
            Some(_) => super::on_values::run_time_truth(),
            None => Value::Bool(Truth {
                value: !wanted,
                fixed,
            }),
        }
    }

    fn find_if(&mut self, source: &Value, f: &Value) -> Value {
        let items = elements(source);
        for (index, element) in items.iter().enumerate() {
            match self.call(f, std::slice::from_ref(element)) {
                Value::Bool(Truth {
                    value: true,
                    fixed: true,
                }) => return Value::Int(Int::fixed(index as i64)),
                Value::Bool(Truth {
                    value: false,
                    fixed: true,
                }) => {}
                Value::Unknown(reason) => return Value::Unknown(reason),
                _ => return super::on_values::run_time_truth(),
            }
        }
        Value::Int(Int::fixed(items.len() as i64))
    }
}
