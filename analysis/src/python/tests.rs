//! Tests of `pytest` as evidence about the functions that they call: the values that they are run with.

use std::sync::Arc;

use tree_sitter_cute::script::{Param, ParamKind};
use tree_sitter_cute::tree::Span;

use super::attributes::text_of;
use super::heap::{Id, Object};
use super::machine::{Machine, Parametrized, Run};
use super::native::{Args, Given, Native, native};
use super::value::Py;
use crate::reason::Reason;

/// Tests of one module that are run.
const TESTS: usize = 64;
/// Rows of values that one test is run with: each more takes the time of a kernel.
const ROWS: usize = 4;
/// Bytes of one value in the name of a row.
const LABEL: usize = 40;

/// A test with the object whose method it is.
struct Test {
    function: Id,
    class: Option<Id>,
}

fn parametrized(machine: &mut Machine<'_>, given: &Given) -> Run<Py> {
    let Py::Object(test) = given.arg(0) else {
        return Ok(given.arg(0).clone());
    };
    let mut names = Vec::new();
    if let Ok(items) = machine.iterate(given.arg(1))? {
        for item in items {
            if let Py::Str(name) = item {
                names.push(name);
            }
        }
    }
    let mut rows = Vec::new();
    if let Ok(items) = machine.iterate(given.arg(2))? {
        for item in items {
            if let Py::Tuple(values) = item {
                rows.push(values.to_vec());
            }
        }
    }
    if !rows.is_empty() {
        machine.covered.parametrized.push(Parametrized {
            test: *test,
            names,
            rows,
        });
    }
    Ok(given.arg(0).clone())
}

pub(super) static NATIVES: &[Native] = &[native(
    "_cute.parametrized",
    "test names rows",
    parametrized,
)];

impl Machine<'_> {
    /// Runs the tests of a module. A test that runs nothing of the file that is analysed is run once.
    pub(super) fn run_tests(&mut self, scope: Id) -> Run<()> {
        for test in self.tests_of(scope) {
            let Object::Function(function) = self.heap.get(test.function) else {
                continue;
            };
            let function = function.clone();
            let is_of =
                |it: &&Parametrized| it.test == test.function || Some(it.test) == test.class;
            let given: Vec<Parametrized> = self
                .covered
                .parametrized
                .iter()
                .filter(is_of)
                .cloned()
                .collect();
            let most = given.iter().map(|it| it.rows.len()).max().unwrap_or(1);
            let all = given.iter().map(|it| it.rows.len()).product::<usize>();
            for at in 0..most.min(ROWS) {
                let row: Vec<(Arc<str>, Py)> = given.iter().flat_map(|it| it.row(at)).collect();
                let said = self.said(&function.code.name.text, &row, all);
                let mut args = Args::default();
                if let Some(class) = test.class {
                    let Ok(this) = self.instantiate(class, Args::default()) else {
                        break;
                    };
                    args.plain.push(this);
                }
                for param in function.code.params.iter().skip(args.plain.len()) {
                    if let Some(value) = self.value_of(param, &row, scope) {
                        args.named.push((Arc::clone(&param.name.text), value));
                    }
                }
                let before = self.record.activations.len();
                let outer = self.record.origin.replace(said.into());
                // An error ends this test, not the others.
                let _ = self.call_function(&function, args);
                self.record.origin = outer;
                self.step(1)?;
                if self.record.activations.len() == before {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The functions `test...` of a module, and those of its classes `Test...`.
    fn tests_of(&self, scope: Id) -> Vec<Test> {
        let mut tests = Vec::new();
        let Object::Scope(scope) = self.heap.get(scope) else {
            return tests;
        };
        for (name, value) in scope.names.iter() {
            let Py::Object(id) = value else { continue };
            match self.heap.get(*id) {
                Object::Function(_) if name.starts_with("test") => tests.push(Test {
                    function: *id,
                    class: None,
                }),
                Object::Class(class) if name.starts_with("Test") => {
                    for (name, value) in class.attributes.iter() {
                        if let Py::Object(method) = value
                            && name.starts_with("test")
                            && matches!(self.heap.get(*method), Object::Function(_))
                        {
                            tests.push(Test {
                                function: *method,
                                class: Some(*id),
                            });
                        }
                    }
                }
                _ => {}
            }
        }
        tests.truncate(TESTS);
        tests
    }

    /// The argument of a parameter of a test: a value of the row, or the result of the fixture of its name.
    fn value_of(&mut self, param: &Param, row: &[(Arc<str>, Py)], scope: Id) -> Option<Py> {
        let name = &param.name.text;
        if let Some((_, value)) = row.iter().find(|(known, _)| known == name) {
            return Some(value.clone());
        }
        if param.default.is_some() || matches!(param.kind, ParamKind::Rest | ParamKind::NamedRest) {
            return None;
        }
        let unknown = Py::Unknown(Reason::Parameter(Arc::clone(name)));
        let fixture = match self.heap.get(scope) {
            Object::Scope(scope) => scope.names.get(name).cloned(),
            _ => None,
        };
        let made =
            fixture.and_then(|it| self.call(&it, Args::of(Vec::new(), Span::default())).ok());
        Some(made.unwrap_or(unknown))
    }

    /// The name that an object gives itself: a type of `torch`, a member of an enumeration.
    pub(super) fn name_of(&self, value: &Py) -> Option<String> {
        let Py::Object(id) = value else { return None };
        let Object::Instance(instance) = self.heap.get(*id) else {
            return None;
        };
        match instance.attributes.get("name") {
            Some(Py::Str(name)) => Some(name.to_string()),
            _ => None,
        }
    }

    /// A test with its values, as `pytest` names it, and of how many it is one.
    fn said(&self, test: &str, row: &[(Arc<str>, Py)], all: usize) -> String {
        let written = |name: &Arc<str>, value: &Py| {
            let known = text_of(value).filter(|text| text.len() <= LABEL);
            known
                .or_else(|| self.name_of(value))
                .unwrap_or_else(|| format!("{name}=..."))
        };
        let values: Vec<String> = row
            .iter()
            .map(|(name, value)| written(name, value))
            .collect();
        match (values.is_empty(), all > 1) {
            (true, _) => test.to_owned(),
            (false, false) => format!("{test}[{}]", values.join("-")),
            (false, true) => format!("{test}[{}], one of {all}", values.join("-")),
        }
    }
}

impl Parametrized {
    /// The values of a row; the last where there are fewer.
    fn row(&self, at: usize) -> Vec<(Arc<str>, Py)> {
        let row = self.rows.get(at).or_else(|| self.rows.last());
        let values = row.into_iter().flatten().cloned();
        self.names.iter().cloned().zip(values).collect()
    }
}
