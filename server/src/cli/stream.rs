//! `eval --stdin`: questions as JSON lines, answers as JSON lines.

use std::io;

use cute_algebra::{Reading, Refusal, Rule, Verdict, Witness};
use cute_analysis::ask::{Answer, ask, operation_name};
use cute_analysis::{Options, Value as Evaluated};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tree_sitter_cute::notation;
use tree_sitter_cute::tree::{Expr, ExprKind};

use super::Session;
use super::arguments::Written;
use super::arguments::formats::{Form, Integers};
use super::eval::{self, evaluated, evaluated_of, parsed, printed};
use super::hardware;
use super::input_lines::for_each_line;
use super::json;
use super::output::Outcome;

/// One line of input. Keys that are not named here are ignored, so that rows of test data can be
/// asked as they are.
#[derive(Deserialize)]
struct Question {
    op: String,
    args: Option<Vec<String>>,
    /// An expression in C++, in place of `args`.
    expr: Option<String>,
    #[serde(default)]
    assume: Vec<String>,
    ints: Option<Ints>,
    /// The form of the value of `expr`.
    #[serde(rename = "as", default)]
    form: Form,
    /// For `"as": "linear"`: the tile of a layout of threads and values.
    tile: Option<String>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Ints {
    Static,
    Cute,
}

/// Answers every line of standard input; a malformed one is answered with an error.
pub(super) fn run(ints: Integers, session: &mut Session) -> io::Result<Outcome> {
    let options = session.analyser.options.clone();
    for_each_line(|line| {
        let answer = line
            .map_err(str::to_owned)
            .and_then(|line| answer(line, ints, &options));
        let row = answer.unwrap_or_else(|message| json!({ "error": message }));
        session.out.json(&row)?;
        session.out.flush()
    })?;
    Ok(Outcome::Clean)
}

/// The answer to a line, or why it is malformed.
fn answer(line: &str, ints: Integers, options: &Options) -> Result<Value, String> {
    let question: Question = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let ints = match question.ints {
        Some(Ints::Static) => Integers::Static,
        Some(Ints::Cute) => Integers::Cute,
        None => ints,
    };
    let mut options = options.clone();
    for fact in &question.assume {
        options.assume.push(
            fact.parse()
                .map_err(|error| format!("assume `{fact}`: {error}"))?,
        );
    }
    if hardware::is_asked(&question.op) {
        let row = serde_json::from_str(line).map_err(|error| error.to_string())?;
        return hardware::answer(&question.op, &row);
    }
    match (&question.args, &question.expr) {
        (Some(args), _) => operation(&question.op, args, ints, &options),
        (None, Some(expression)) => {
            let written = Written {
                form: question.form,
                tile: question.tile.clone(),
            };
            of_expression(expression, &written, ints, &options)
        }
        (None, None) => Err("`args` is missing".to_owned()),
    }
}

/// Asks the algebra for an operation by name.
fn operation(
    op: &str,
    args: &[String],
    ints: Integers,
    options: &Options,
) -> Result<Value, String> {
    let reading = match ints {
        Integers::Static => Reading::Plain,
        Integers::Cute => Reading::Cute,
    };
    let args = args
        .iter()
        .map(|arg| assumed(arg, ints, options))
        .collect::<Result<Vec<String>, String>>()?;
    if let Some(call) = on_shared_memory(op, &args, ints, options) {
        return of_parsed(&call, &Written::default(), ints, options);
    }
    let texts: Vec<&str> = args.iter().map(String::as_str).collect();
    row(&ask(op, &texts, reading))
}

/// The operation as an expression where an operand is a layout of shared memory: the algebra knows of no pointers.
fn on_shared_memory(op: &str, args: &[String], ints: Integers, options: &Options) -> Option<Expr> {
    let parsed: Vec<Expr> = args
        .iter()
        .map(|arg| notation::parse(arg).ok())
        .collect::<Option<_>>()?;
    let is_pointed = |expr: &Expr| match &expr.kind {
        ExprKind::Composition(parts) => parts
            .iter()
            .any(|part| matches!(part.kind, ExprKind::Engine(_))),
        _ => false,
    };
    let is_shared = |(arg, expr): (&String, &Expr)| {
        is_pointed(expr)
            && evaluated(arg, ints, options)
                .is_ok_and(|found| matches!(found.value, Evaluated::Shared(_)))
    };
    if !args.iter().zip(&parsed).any(is_shared) {
        return None;
    }
    if let ("layout", [_]) = (op, parsed.as_slice()) {
        return parsed.into_iter().next();
    }
    let mut call = notation::parse(&format!("{}()", operation_name(op))).ok()?;
    match &mut call.kind {
        ExprKind::Call(_, operands) => *operands = parsed,
        _ => return None,
    }
    Some(call)
}

/// An argument with the assumptions about its names put in.
fn assumed(arg: &str, ints: Integers, options: &Options) -> Result<String, String> {
    if options.assume.is_empty() {
        return Ok(arg.to_owned());
    }
    let evaluation = evaluated(arg, ints, options).map_err(|error| format!("`{arg}`: {error}"))?;
    match evaluation.value {
        Evaluated::Unknown(reason) => Err(format!("`{arg}`: {reason}")),
        value => Ok(printed(&value, ints)),
    }
}

/// An answer of the algebra as a line of output.
fn row(answer: &Answer) -> Result<Value, String> {
    match &answer.result {
        Ok(_) => {
            let mut row = Map::new();
            row.insert(
                "result".to_owned(),
                answer.text().unwrap_or_default().into(),
            );
            row.insert("cute".to_owned(), cute(answer.judgement.cute));
            if let Some(witness) = &answer.judgement.witness {
                row.insert("witness".to_owned(), witness_row(witness));
            }
            Ok(Value::from(row))
        }
        Err(refusal) if is_malformed(refusal) => Err(refusal.message()),
        Err(refusal) => Ok(json!({
            "refused": {
                "rule": refusal.rule.name(),
                "numbers": numbers(refusal),
                "legal": refusal.legal,
                "message": refusal.message(),
            },
            "cute": cute(answer.judgement.cute),
        })),
    }
}

/// Whether the question is at fault: a text that does not parse, something that is not an operation.
fn is_malformed(refusal: &Refusal) -> bool {
    refusal.rule == Rule::Malformed || refusal.number("operation").is_some()
}

/// The value of an expression as a line of output.
fn of_expression(
    expression: &str,
    written: &Written,
    ints: Integers,
    options: &Options,
) -> Result<Value, String> {
    let parsed = parsed(expression).map_err(|error| error.to_string())?;
    of_parsed(&parsed, written, ints, options)
}

/// The value of an expression that has been read.
fn of_parsed(
    expression: &Expr,
    written: &Written,
    ints: Integers,
    options: &Options,
) -> Result<Value, String> {
    let evaluation = evaluated_of(expression, ints, options);
    if let Some(finding) = evaluation
        .findings
        .iter()
        .find(|finding| finding.witness.is_none())
    {
        return Ok(json!({
            "refused": {
                "rule": finding.rule,
                "numbers": json::numbers(&finding.numbers),
                "legal": [],
                "message": finding.message,
            },
        }));
    }
    match &evaluation.value {
        Evaluated::Unknown(reason) => Err(reason.to_string()),
        value => Ok(json!({
            "result": eval::written(value, written, ints)?,
            "cute": cute(Verdict::Accepts),
        })),
    }
}

fn cute(verdict: Verdict) -> Value {
    match verdict.message() {
        Some(message) => json!({ "verdict": verdict.name(), "message": message }),
        None => json!({ "verdict": verdict.name() }),
    }
}

fn numbers(refusal: &Refusal) -> Map<String, Value> {
    let value = |number: &cute_algebra::Number| match number {
        cute_algebra::Number::Known(value) => Value::from(*value),
        cute_algebra::Number::Text(text) => Value::from(text.clone()),
    };
    refusal
        .numbers
        .iter()
        .map(|(name, number)| ((*name).to_owned(), value(number)))
        .collect()
}

fn witness_row(witness: &Witness) -> Value {
    json::witness(&cute_analysis::Witness {
        coordinate: witness.coordinate,
        expected: witness.expected.clone(),
        got: witness.got.clone(),
        outside_domain: witness.outside_domain,
    })
}
