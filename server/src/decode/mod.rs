//! The log of a compiler, of a sanitizer or of a program that CUDA stopped: its content with numbers.
//!
//! A compiler's log has CuTe's static assertions, those of the other two are in `crash`.
//!
//! A log names the place of an assertion inside of CuTe and the way to it; the innermost place of it that is the user's
//! is where the mistake is. The analysis of that line is added: the finding of the same rule, and the values of the
//! expressions of the line.

mod compiler_log;
mod crash;
mod sanitizer;

use std::fmt::Write as _;
use std::path::Path;

use cute_analysis::{Analysis, Finding, Mention, Severity, Value};
use serde::Serialize;
use tree_sitter_cute::Host;

use crate::presentation::findings;
use crate::presentation::lines::Lines;
use crate::project::is_of_library;
use compiler_log::{CompileError, LogPlace, errors};
pub use crash::{Crash, crashes};

/// The texts of CuTe's assertions, or the part that several of them share, with the rule that each is about.
const ASSERTIONS: &[(&str, &str)] = &[
    ("Stride Divisibility Condition", "stride-divisibility"),
    ("Shape Divisibility Condition", "shape-divisibility"),
    ("Static shape_div failure", "not-divisible"),
    ("Left inverse divisibility condition", "not-divisible"),
    ("Divisibility Condition", "not-divisible"),
    ("Divisibility condition", "not-divisible"),
    (
        "Non-injective Layout detected in complement.",
        "not-injective",
    ),
    (
        "Dynamic-stride complement only for rank-1 layouts",
        "needs-static-strides",
    ),
    (
        "Left inverse requires static strides",
        "needs-static-strides",
    ),
    ("Too many modes in tiler", "rank-mismatch"),
    ("Mismatched ranks", "rank-mismatch"),
    ("Mismatched Ranks", "rank-mismatch"),
    ("CopyAtom rank-mismatch.", "rank-mismatch"),
    (
        "Downcast requires adjacent elements",
        "downcast-not-adjacent",
    ),
    (
        "tile_to_shape: block shape does not divide the target shape.",
        "tile-does-not-divide",
    ),
    ("abs(SShift) must be more than BBits.", "swizzle-illegal"),
    ("Static safe_div requires t % u == 0", "not-divisible"),
    ("Expected divisibility", "not-divisible"),
    ("Shape and Stride must be congruent", "rank-mismatch"),
    (
        "Rank of layout must be <= rank of target shape.",
        "rank-mismatch",
    ),
    ("TiledMMA requires rank-3", "rank-mismatch"),
    ("TiledCopy uses too few vals", "too-few-values"),
    ("TiledCopy uses too few thrs", "too-few-values"),
    ("failed to vectorize into registers", "copy-vector"),
    ("Unsupported layout swizzle", "unsupported-swizzle"),
    ("Not a canonical GMMA_", "unsupported-swizzle"),
    ("Not a canonical UMMA_", "unsupported-swizzle"),
    (
        "No eligible GMMA operator for request configuration.",
        "mma-shape",
    ),
    ("Tile_M must be a multiple of", "mma-shape"),
    ("Tile_N must be a multiple of", "mma-shape"),
    ("Tile_K must be a multiple of", "mma-shape"),
    ("-mode size should be", "mma-shape"),
    (
        "Could not find a common tile-gmem vectorization",
        "tma-tile",
    ),
    (
        "Majorness of smem doesn't match majorness of gmem",
        "tma-tile",
    ),
    ("Ambiguous race-condition detected.", "not-injective"),
    ("Ambiguous scatter detected", "not-injective"),
];

/// The words of compilers for an assertion, before its own text.
const STATIC_ASSERTION: &str = "static assertion failed";

/// The headers of CuTe whose assertions have no text, with the rule that most of them are about.
const WITHOUT_TEXT: &[(&str, &str)] = &[
    ("algorithm/gemm.hpp", "gemm-shape"),
    ("atom/mma_traits.hpp", "gemm-shape"),
    ("atom/mma_atom.hpp", "gemm-shape"),
    ("algorithm/copy.hpp", "copy-size"),
    ("atom/copy_atom.hpp", "copy-values"),
    ("atom/copy_traits.hpp", "copy-vector"),
    ("algorithm/axpby.hpp", "copy-size"),
    ("layout.hpp", "rank-mismatch"),
];

/// The rule of assertions of the user's own.
const OWN_RULE: &str = "static-assert-fails";

/// An assertion of CuTe in a compiler's log.
#[derive(Debug, Serialize)]
pub struct Assertion {
    /// The user's file, as the compiler names it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, where the compiler says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Our rule of the same meaning.
    pub rule: &'static str,
    /// CuTe's text, or the assertion itself.
    pub text: String,
    /// The lines of the user's files that lead there, the outermost last: which instance it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<usize>,
    /// Our findings, with the numbers.
    pub findings: Vec<String>,
    /// The values of the expressions of the line.
    pub operands: Vec<Operand>,
    /// The corrections.
    pub remedies: Vec<String>,
    /// The findings as people read them.
    #[serde(skip)]
    rendered: Vec<String>,
}

/// An expression with its value.
#[derive(Debug, Serialize)]
pub struct Operand {
    expression: String,
    value: String,
}

/// CuTe's assertions in a log, in order, each with its place only; the first one of several about the same call in the
/// same instance.
pub fn assertions(log: &str) -> Vec<Assertion> {
    let mut found: Vec<Assertion> = Vec::new();
    for assertion in errors(log).iter().filter_map(Assertion::of) {
        if !found.iter().any(|known| known.is_about_same(&assertion)) {
            found.push(assertion);
        }
    }
    found
}

impl Assertion {
    /// The assertion that an error is, and the innermost place of it that is the user's.
    fn of(error: &CompileError) -> Option<Self> {
        let known = ASSERTIONS
            .iter()
            .find(|(text, _)| error.message.contains(text));
        let (text, rule) = match known {
            Some((text, rule)) => (sentence(&error.message, text), *rule),
            None => Self::without_text(error)?,
        };
        let mut places = error.places.iter().filter(|place| is_users(place));
        let place = places.next().or(error.places.first())?;
        Some(Self {
            file: place.file.clone(),
            line: place.line,
            column: place.column,
            rule,
            text,
            from: places
                .filter(|outer| outer.file == place.file)
                .map(|outer| outer.line)
                .collect(),
            findings: Vec::new(),
            operands: Vec::new(),
            remedies: Vec::new(),
            rendered: Vec::new(),
        })
    }

    /// Whether another assertion is about the same call in the same instance: it follows from the first one.
    fn is_about_same(&self, other: &Self) -> bool {
        let is_of_one_place = self.file == other.file
            && (self.line, self.column) == (other.line, other.column)
            && self.from == other.from;
        is_of_one_place && (self.column.is_some() || self.text == other.text)
    }

    /// An assertion without a text: the user's, such as `CUTE_STATIC_ASSERT_V`, or one of CuTe.
    fn without_text(error: &CompileError) -> Option<(String, &'static str)> {
        if !error.message.starts_with(STATIC_ASSERTION) {
            return None;
        }
        let noticed = error.places.first()?;
        let header = WITHOUT_TEXT
            .iter()
            .find(|(header, _)| noticed.file.ends_with(header));
        let rule = match header {
            Some((_, rule)) if is_of_library(Path::new(&noticed.file)) => *rule,
            // The macro is expanded in CuTe's own header, as Clang and GCC say it.
            _ => OWN_RULE,
        };
        Some((error.message.clone(), rule))
    }

    /// Adds the facts about the line in the analysis of the file, whose text is `text`.
    pub fn explain(&mut self, analysis: &Analysis, text: &str, lines: &Lines) {
        let on_line = |start: usize| lines.place(start).line == self.line;
        let findings = analysis.findings.iter();
        let here: Vec<&Finding> = findings
            .filter(|finding| on_line(finding.span.start))
            .collect();
        let rule = self.rule;
        let has_own = here.iter().any(|finding| finding.rule == rule);
        // The rule is only probable: the findings on the line are reported, whatever their rule is.
        let is_said = |finding: &Finding| {
            finding.rule == rule || (!has_own && finding.severity == Severity::Error)
        };
        for finding in here.iter().filter(|finding| is_said(finding)) {
            self.findings.push(finding.message.clone());
            let titles = finding.remedies.iter().map(|remedy| remedy.title.clone());
            self.remedies.extend(titles);
            self.rendered
                .push(findings::render(finding, &self.file, lines));
        }
        let other = here
            .iter()
            .find(|finding| finding.severity == Severity::Error);
        if let Some(other) = other.filter(|_| !has_own) {
            self.rule = other.rule;
        }
        let all = analysis.mentions().iter();
        let all: Vec<&Mention> = all.filter(|mention| on_line(mention.span.start)).collect();
        // Where the log names the instance, that one; else all.
        let failing = here.iter().filter(|finding| is_said(finding));
        let failing: Vec<&str> = failing.filter_map(|it| it.instance.as_deref()).collect();
        let is_of_it = |mention: &Mention| {
            mention.instance.as_deref().is_none_or(|instance| {
                let mut outer = self.from.iter();
                outer.any(|line| is_called_on(instance, *line))
                    && (failing.is_empty() || failing.contains(&instance))
            })
        };
        let of_it: Vec<&Mention> = all.iter().copied().filter(|it| is_of_it(it)).collect();
        let shown = if of_it.is_empty() { all } else { of_it };
        let only_numbers = shown.iter().all(|mention| is_number(mention));
        for mention in shown {
            let expression = mention.span.text(text);
            let mut known = self.operands.iter();
            let is_new = known.all(|known| known.expression != expression);
            let says_something = only_numbers || !is_number(mention);
            if !expression.contains('\n') && is_new && says_something {
                self.operands.push(Operand {
                    expression: expression.to_owned(),
                    value: mention.value.to_string(),
                });
            }
        }
    }

    /// For a person, ending in an empty line.
    pub fn shown(&self) -> String {
        let column = self
            .column
            .map(|column| format!(":{column}"))
            .unwrap_or_default();
        let mut shown = format!(
            "{}:{}{column}: error[{}]: {} \"{}\"\n",
            self.file,
            self.line,
            self.rule,
            if self.rule == OWN_RULE {
                "the compiler says"
            } else {
                "CuTe says"
            },
            self.text
        );
        for operand in &self.operands {
            // Writing to a String cannot fail.
            let _ = writeln!(shown, "  {} = {}", operand.expression, operand.value);
        }
        for rendered in &self.rendered {
            shown.push_str(rendered);
        }
        shown.push('\n');
        shown
    }
}

/// Whether a place is in a file of the user: one of a language that we read, outside of the libraries.
fn is_users(place: &LogPlace) -> bool {
    let path = Path::new(&place.file);
    Host::of_path(path).is_some() && !is_of_library(path) && !path.starts_with("/usr/include")
}

/// The whole sentence of an assertion around what is known of it: `src failed to vectorize into registers. Layout ..`.
fn sentence(message: &str, known: &str) -> String {
    let said = message.strip_prefix(STATIC_ASSERTION).unwrap_or(message);
    let said = said.trim_start_matches([':', ' ']);
    let said = said.strip_prefix("with ").unwrap_or(said);
    let said = said.trim_matches('"');
    // Clang puts the condition in front: `due to requirement '..': text`.
    let from = said.find(known).unwrap_or_default();
    let start = said
        .get(..from)
        .and_then(|before| before.rfind("': ").map(|at| at + 3))
        .unwrap_or_default();
    let end = said
        .get(from..)
        .and_then(|behind| behind.find(". "))
        .map_or(said.len(), |at| from + at);
    said.get(start..end).unwrap_or(known).to_owned()
}

/// Whether the name of an instance, `f, line 12, from g, line 30`, has a call on this line.
fn is_called_on(instance: &str, line: usize) -> bool {
    let mut words = instance
        .split([',', ' ', ':'])
        .filter(|word| !word.is_empty());
    let number = line.to_string();
    words.any(|word| word == number)
}

/// Whether a value is a number: its kind counts, not its spelling.
fn is_number(mention: &Mention) -> bool {
    matches!(&*mention.value, Value::Int(_) | Value::Underscore)
}
