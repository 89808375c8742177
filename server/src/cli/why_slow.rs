//! `why-slow FILE[:LINE]`: the cost of an answer about a file, or about the lines of it that an editor shows, when it
//! is opened and at a key.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cute_analysis::{Amount, Analysis, Done, Options, Role, Shown, SourceFile, Work};
use serde::Serialize;
use tree_sitter_cute::lines::Lines;
use tree_sitter_cute::{Budget, Host, Syntax};

use super::Session;
use super::arguments::formats::TableFormat;
use super::output::{Outcome, complain};
use super::source::{FileLine, Source};
use crate::limits::{FUNCTIONS_THAT_ARE_SLOW, LINES_IN_VIEW};
use crate::project::{Overlay, View, normal};

/// The cost of one answer.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    /// The question.
    question: &'static str,
    /// From the text to the answer.
    milliseconds: f64,
    /// The work for it, by kind.
    done: Vec<Portion>,
    /// The functions that took longest.
    functions: Vec<Function>,
}

/// Work of one kind.
#[derive(Debug, Serialize)]
struct Portion {
    kind: &'static str,
    count: usize,
    bytes: usize,
    steps: usize,
    milliseconds: f64,
}

/// A function that was evaluated.
#[derive(Debug, Serialize)]
struct Function {
    name: String,
    instances: usize,
    steps: usize,
    milliseconds: f64,
}

/// The questions about a file.
struct Asked<'a> {
    path: &'a Path,
    host: Host,
    options: &'a Options,
    view: View,
    /// The bytes that are looked at.
    looked_at: Range<usize>,
}

/// The answers.
struct Answered {
    syntax: Arc<Syntax>,
    analysis: Analysis,
    took: Took,
}

/// The cost of an answer.
struct Took {
    all: Duration,
    parsed: Amount,
    done: Done,
}

pub(super) fn run(place: &str, format: TableFormat, session: &mut Session) -> io::Result<Outcome> {
    let place = FileLine::of(place).unwrap_or_else(|| FileLine {
        file: place.into(),
        line: None,
    });
    let path = place.file.as_path();
    let source = match Source::read(path) {
        Ok(source) => source,
        Err(error) => {
            complain(&error.to_string());
            return Ok(Outcome::Unusable);
        }
    };
    let Some(host) = Host::of_path(path) else {
        complain(&format!(
            "{}: no source of C++, Python or Rust",
            path.display()
        ));
        return Ok(Outcome::Unusable);
    };
    let here = normal(path);
    let asked = Asked {
        path: &here,
        host,
        options: &session.analyser.options,
        view: View::around(
            Arc::clone(&session.analyser.project),
            &here,
            Overlay::default(),
        ),
        looked_at: seen(&source.text, place.line),
    };
    let Some(took) = asked.all(&source.text) else {
        complain(&format!("{}: its syntax cannot be read", path.display()));
        return Ok(Outcome::Unusable);
    };
    for (question, took) in took {
        let row = Row::of(path, question, &took);
        match format {
            TableFormat::Text => session.out.text(&row.text())?,
            TableFormat::Json => session.out.json(&row)?,
        }
    }
    Ok(Outcome::Clean)
}

impl Asked<'_> {
    /// All questions with their costs; `None` where the file cannot be read.
    fn all(&self, text: &str) -> Option<Vec<(&'static str, Took)>> {
        let has_users = self.view.has_users(self.path);
        let mut all = Vec::new();
        if has_users {
            let shown = Shown::looked_at(self.looked_at.clone());
            let first = self.analysed(text, None, Some(shown))?;
            all.push(("opened, what is shown first", first.took));
        }
        let known = self.analysed(text, None, None)?;
        let prose = format!("{text} ");
        let edited = self.with_statement(text, &known.analysis);
        let began = Instant::now();
        let carried = known
            .analysis
            .carried(self.host, text, &prose, &known.syntax);
        if carried.is_some() {
            let took = Took {
                all: began.elapsed(),
                parsed: Amount::default(),
                done: Done::default(),
            };
            all.push(("a key in a comment or in white space", took));
        }
        if let Some((edited, at)) = edited {
            let is_seen = |byte: usize| self.looked_at.contains(&byte);
            let moved = |byte: usize| Some(byte + usize::from(byte >= at));
            let shown = Shown::of(&known.analysis, is_seen, |_| 0, moved);
            let tells = shown.tells_of(self.path, self.host, has_users);
            let shown = tells.then_some(shown);
            let body = self.analysed(&edited, Some(&known.syntax), shown)?;
            all.push(("a key in a function, what is shown first", body.took));
        }
        all.insert(usize::from(has_users), ("opened, all", known.took));
        Some(all)
    }

    /// The analysis of a text, with its cost; `None` where it cannot be parsed.
    fn analysed(
        &self,
        text: &str,
        before: Option<&Syntax>,
        shown: Option<Shown>,
    ) -> Option<Answered> {
        let began = Instant::now();
        let text: Arc<str> = text.into();
        let syntax = Syntax::parse(self.host, &text, before, Budget::unlimited()).ok()?;
        let syntax = Arc::new(syntax);
        let file = SourceFile::parsed(self.path, Arc::clone(&text), Arc::clone(&syntax));
        let parsed = Amount {
            count: 1,
            bytes: text.len(),
            steps: 0,
            time: began.elapsed(),
        };
        let work = Work::counted(move || began.elapsed());
        let options = Options {
            host: self.host,
            remedies: false,
            shown: shown.map(Arc::new),
            work: work.clone(),
            ..self.options.clone()
        };
        let analysis = self.view.analyse_first(&file, &options);
        let took = Took {
            all: began.elapsed(),
            parsed,
            done: work.done(),
        };
        Some(Answered {
            syntax,
            analysis,
            took,
        })
    }

    /// The text with one more, empty statement in the first function in view of which something is known, and its place.
    fn with_statement(&self, text: &str, analysis: &Analysis) -> Option<(String, usize)> {
        let mut facts = analysis.facts.iter();
        let inside = facts.find(|fact| {
            let is_inside = fact.role == Role::Var && fact.function.is_some();
            is_inside && self.looked_at.contains(&fact.name_span.start)
        })?;
        let behind = text.get(inside.span.end..)?;
        // Python ends a statement with its line, and takes a `;` there.
        let at = match self.host {
            Host::Python => inside.span.end,
            Host::CudaCpp | Host::Rust => inside.span.end + behind.find(';')? + 1,
        };
        let mut edited = text.to_owned();
        edited.insert(at, ';');
        Some((edited, at))
    }
}

/// The bytes of the lines that an editor shows which has a line in its upper third; all where no line is given.
fn seen(text: &str, line: Option<usize>) -> Range<usize> {
    let Some(line) = line else {
        return 0..text.len();
    };
    let first = line.saturating_sub(1 + LINES_IN_VIEW / 3);
    let lines = Lines::of(text);
    let start_of = |index: usize| lines.start(index + 1).unwrap_or(text.len());
    start_of(first)..start_of(first + LINES_IN_VIEW)
}

impl Row {
    fn of(path: &Path, question: &'static str, took: &Took) -> Self {
        let Took { all, parsed, done } = took;
        let kinds = [
            ("the file, parsed", *parsed),
            ("files that are declared", done.declared),
            ("of them headers of libraries that were parsed", done.parsed),
            ("units that were evaluated", done.units),
            ("function instances", done.all_functions()),
            ("lambdas", done.lambdas),
            (
                "groups of declarations that were known",
                Amount {
                    count: done.reused,
                    ..Amount::default()
                },
            ),
        ];
        let mut functions: Vec<(&String, &Amount)> = done.functions.iter().collect();
        functions.sort_by_key(|(_, amount)| std::cmp::Reverse((amount.time, amount.steps)));
        functions.truncate(FUNCTIONS_THAT_ARE_SLOW);
        let functions = functions.into_iter().map(|(name, amount)| Function {
            name: name.clone(),
            instances: amount.count,
            steps: amount.steps,
            milliseconds: milliseconds(amount.time),
        });
        Self {
            file: path.display().to_string(),
            question,
            milliseconds: milliseconds(*all),
            done: kinds
                .into_iter()
                .filter(|(_, amount)| amount.count > 0)
                .map(|(kind, amount)| Portion {
                    kind,
                    count: amount.count,
                    bytes: amount.bytes,
                    steps: amount.steps,
                    milliseconds: milliseconds(amount.time),
                })
                .collect(),
            functions: functions.collect(),
        }
    }

    fn text(&self) -> String {
        let head = format!("{}: {:.1} ms\n", self.question, self.milliseconds);
        let kinds = self.done.iter().map(|kind| {
            let bytes = match kind.bytes {
                0 => String::new(),
                bytes => format!("  {bytes} bytes"),
            };
            let steps = match kind.steps {
                0 => String::new(),
                steps => format!("  {steps} steps"),
            };
            let Portion { kind, count, .. } = kind;
            format!("  {count:>6} {kind}{bytes}{steps}{}\n", self.time_of(kind))
        });
        let functions = self.functions.iter().map(|function| {
            let Function {
                name,
                instances,
                steps,
                milliseconds,
            } = function;
            format!("         {milliseconds:>8.1} ms {instances:>5} x {name}  {steps} steps\n")
        });
        head + &kinds.chain(functions).collect::<String>()
    }

    /// The time of a kind, where it was taken.
    fn time_of(&self, kind: &str) -> String {
        let mut kinds = self.done.iter().filter(|of| of.kind == kind);
        match kinds.next() {
            Some(of) if of.milliseconds > 0.0 => format!("  {:.1} ms", of.milliseconds),
            _ => String::new(),
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
