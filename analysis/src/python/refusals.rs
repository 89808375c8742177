//! Findings of the DSL's own: its refusals while it traces, and its silent errors.
//!
//! Our classes that replace the DSL's check their parameters as it does. Such a refusal is raised like an error of
//! Python, and becomes a finding at the call of the user's code that caused it.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::machine::{Machine, Run, Stop};
use super::native::Native;
use super::refusal::Refusal;
use super::value::{Builtin, Py};
use crate::finding::{Finding, Number};
use crate::nearest::nearest;

impl Machine<'_> {
    /// Whether the code that is run is the DSL's, and not that of the file that is analysed.
    fn is_of_dsl(&self) -> bool {
        let file = self.frames.last().map(|frame| frame.file);
        file.and_then(|file| self.files.get(file))
            .is_some_and(|file| {
                let top = file.module.split('.').next();
                !file.is_focus && top == Some("cutlass")
            })
    }

    /// Whether the DSL is sure to run the same code, with these values, and nothing takes its errors.
    pub(super) fn is_certain(&self) -> bool {
        self.is_in_focus()
            && self.errors.tries == 0
            && self.uncertain.is_certain()
            && self.record.supposed.is_none()
    }

    /// Adds a finding about the code that is run, where that is the file that is analysed.
    pub(crate) fn report(&mut self, refusal: Refusal, span: Span) {
        if !self.is_certain() {
            return;
        }
        let found = Finding {
            numbers: refusal.numbers,
            ..Finding::new(refusal.rule, refusal.severity, span, refusal.message)
        };
        let is_known = |known: &Finding| {
            known.rule == found.rule && known.span == found.span && known.message == found.message
        };
        if !self.findings.iter().any(is_known) {
            self.findings.push(found);
        }
    }

    /// Ends the call of the DSL that is run: it refuses its arguments.
    pub(crate) fn refuse(&mut self, refusal: Refusal) -> Stop {
        let reason = refusal.reason();
        self.errors.refusal = Some(refusal);
        Stop::Raised(Py::Builtin(Builtin::Error("Exception")), reason)
    }

    /// The result of a call that an error ended: where code of the user called the DSL and was refused, a finding, and
    /// an unknown value. The trace of the DSL would end here.
    pub(super) fn after_error(&mut self, stop: Stop, span: Span) -> Run<Py> {
        let Stop::Raised(_, raised) = &stop else {
            return Err(stop);
        };
        let is_it = |refusal: &Refusal| refusal.reason() == *raised;
        if !self.errors.refusal.as_ref().is_some_and(is_it) || self.is_of_dsl() {
            return Err(stop);
        }
        match self.errors.refusal.take() {
            Some(refusal) if self.is_in_focus() && self.errors.tries == 0 => {
                let reason = refusal.reason();
                self.report(refusal, span);
                Ok(Py::Unknown(reason))
            }
            _ => Err(stop),
        }
    }

    /// Reports an argument by a name that a function of the DSL does not have.
    pub(crate) fn no_such_argument(
        &mut self,
        function: &str,
        name: &str,
        parameters: &[&str],
        span: Span,
    ) {
        let function = last_part(function);
        let first = format!("`{function}` has no argument `{name}`");
        let message = match nearest(name, parameters) {
            Some(near) => format!("{first}; the nearest is `{near}`"),
            None => first,
        };
        let said = format!(
            "the DSL: \"{function}() got an unexpected keyword argument '{name}'\"\narguments: {}",
            parameters.join(", ")
        );
        let refusal = Refusal::error("no-such-argument", format!("{message}\n{said}"))
            .with("argument", Number::Text(name.to_owned()))
            .with("function", Number::Text(function.to_owned()));
        self.report(refusal, span);
    }

    /// Reports a member that values of a class of the DSL do not have.
    pub(crate) fn no_such_member(&mut self, class: &str, name: &str, members: &[&str], span: Span) {
        let first = format!("`{class}` has no member `{name}`");
        let message = match nearest(name, members) {
            Some(near) => format!("{first}; the nearest is `{near}`"),
            None => first,
        };
        let said = format!("the DSL: \"'{class}' object has no attribute '{name}'\"");
        let refusal = Refusal::error("no-such-member", format!("{message}\n{said}"))
            .with("class", Number::Text(class.to_owned()))
            .with("member", Number::Text(name.to_owned()));
        self.report(refusal, span);
    }

    /// Reports arguments by names that a built-in function of the DSL does not have.
    pub(super) fn wrong_names(&mut self, native: &Native, names: &[Arc<str>], span: Span) {
        if !native.name.starts_with("cutlass.") {
            return;
        }
        let parameters: Vec<&str> = native
            .params
            .split_whitespace()
            .map(|name| name.trim_end_matches('='))
            .collect();
        if parameters.iter().any(|name| name.starts_with('*')) {
            return;
        }
        for name in names {
            let is_known = parameters.contains(&&**name) || matches!(&**name, "loc" | "ip");
            if !is_known {
                self.no_such_argument(native.name, name, &parameters, span);
            }
        }
    }
}

fn last_part(dotted: &str) -> &str {
    dotted.rsplit('.').next().unwrap_or(dotted)
}
