//! `eval EXPR`: the value of one expression.

use std::io;

use cute_algebra::{AnyLayout, Shape};
use cute_analysis::{Evaluation, Finding, Options, Severity, Value};
use cute_hardware::SharedLayout;
use tree_sitter_cute::ParseError;
use tree_sitter_cute::tree::Expr;

use super::Session;
use super::arguments::Written;
use super::arguments::formats::{Form, Integers};
use super::output::{Outcome, complain, complain_at_length};
pub(super) use crate::expression::parsed;

use crate::presentation::lines::Lines;
use crate::presentation::placement;
use crate::presentation::{findings, meaning};
use crate::triton;

/// The name of the file in messages about an expression.
const EXPRESSION: &str = "expression";

/// Prints the value on standard output, the findings on standard error.
pub(super) fn run(
    text: &str,
    form: &Written,
    ints: Integers,
    session: &mut Session,
) -> io::Result<Outcome> {
    let evaluation = match evaluated(text, ints, &session.analyser.options) {
        Ok(evaluation) => evaluation,
        Err(error) => {
            complain_at_length(&findings::unreadable(text, &error));
            return Ok(Outcome::Unusable);
        }
    };
    let known = match &evaluation.value {
        Value::Unknown(reason) => {
            if evaluation.findings.is_empty() {
                complain(&reason.to_string());
            }
            false
        }
        value => match written(value, form, ints) {
            Ok(line) => {
                session.out.line(&line)?;
                true
            }
            Err(reason) => {
                complain(&reason);
                false
            }
        },
    };
    if let (Value::Triton(layout), Form::Cute) = (&evaluation.value, form.form)
        && let Some(note) = meaning::no_integer_strides(layout)
    {
        complain(&note);
    }
    let sound = report(text, &evaluation.findings);
    Ok(if known && sound {
        Outcome::Clean
    } else {
        Outcome::Found
    })
}

/// Evaluates an expression of the notation or of C++; with `Integers::Static` every plain integer
/// is static.
pub(super) fn evaluated(
    text: &str,
    ints: Integers,
    options: &Options,
) -> Result<Evaluation, ParseError> {
    Ok(evaluated_of(&parsed(text)?, ints, options))
}

/// Evaluates an expression that has been read.
pub(super) fn evaluated_of(expression: &Expr, ints: Integers, options: &Options) -> Evaluation {
    let mut options = options.clone();
    options.integers = match ints {
        Integers::Static => cute_analysis::Integers::Static,
        Integers::Cute => cute_analysis::Integers::Cute,
    };
    cute_analysis::evaluate(expression, &options)
}

/// A value in the form that is requested; why it has none.
pub(super) fn written(value: &Value, form: &Written, ints: Integers) -> Result<String, String> {
    match form.form {
        Form::Cute => Ok(printed(value, ints)),
        Form::Linear => {
            let tile = form.tile.as_deref().map(str::parse::<Shape>).transpose();
            triton::by_bases(value, tile.map_err(|refusal| refusal.message())?.as_ref())
        }
    }
}

/// A value as integers are read: without underscores where every plain integer is static.
pub(super) fn printed(value: &Value, ints: Integers) -> String {
    match ints {
        Integers::Static => format!("{value:#}"),
        Integers::Cute => value.to_string(),
    }
}

/// Shows findings on standard error; whether none has severity error.
pub(super) fn report(text: &str, found: &[Finding]) -> bool {
    let lines = Lines::new(text);
    for finding in found
        .iter()
        .filter(|finding| finding.severity > Severity::Information)
    {
        complain_at_length(&findings::render(finding, EXPRESSION, &lines));
    }
    !found
        .iter()
        .any(|finding| finding.severity == Severity::Error)
}

/// The layout of shared memory that an expression is, if it is one: it knows its element's width and
/// swizzles addresses.
pub(super) fn shared_of(text: &str, session: &Session) -> Option<SharedLayout> {
    let evaluation = evaluated(text, Integers::Static, &session.analyser.options).ok()?;
    match evaluation.value {
        Value::Shared(shared) => Some((*shared).clone()),
        _ => None,
    }
}

/// The layout that an expression has as its value; otherwise the reason is told, and how the
/// command ends is returned.
pub(super) fn layout_of(text: &str, session: &Session) -> Result<AnyLayout, Outcome> {
    let evaluation =
        evaluated(text, Integers::Static, &session.analyser.options).map_err(|error| {
            complain_at_length(&findings::unreadable(text, &error));
            Outcome::Unusable
        })?;
    report(text, &evaluation.findings);
    let shape = evaluation.value.to_compact_layout();
    let layout = placement::of(shape.as_ref().unwrap_or(&evaluation.value));
    match (&evaluation.value, layout) {
        (_, Some(Ok(layout))) => Ok(layout),
        (_, Some(Err(reason))) => {
            complain(&reason);
            Err(Outcome::Found)
        }
        (Value::Unknown(reason), None) => {
            if evaluation.findings.is_empty() {
                complain(&reason.to_string());
            }
            Err(Outcome::Found)
        }
        (other, None) => {
            complain(&format!(
                "`{other:#}` is not a layout but a {}",
                other.kind().name()
            ));
            Err(Outcome::Found)
        }
    }
}
