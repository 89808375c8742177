//! A compiler's log: CuTe's static assertions in it, said again with numbers.
//!
//! A log names the place of an assertion inside of CuTe and the way to it; the innermost place of it
//! that is the user's is where the mistake is. What the analysis knows of that line is added: the
//! finding of the same rule, and what the expressions of the line are worth.

mod compiler_log;

use std::fmt::Write as _;
use std::path::Path;

use cute_analysis::Analysis;
use serde::Serialize;

use crate::presentation::findings;
use crate::presentation::lines::Lines;
use crate::project::is_of_library;
use compiler_log::{CompileError, Place, errors};

/// The texts of CuTe's assertions, or what is the same in several of them, with the rule that each is
/// about.
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
    ("failed to vectorize into registers", "too-few-values"),
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
    /// What CuTe says.
    pub text: &'static str,
    /// What we say, with the numbers.
    pub findings: Vec<String>,
    /// What the expressions of the line are worth.
    pub operands: Vec<Operand>,
    /// What would put it right.
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

/// CuTe's assertions in a log, in order, each with its place only.
pub fn assertions(log: &str) -> Vec<Assertion> {
    errors(log).iter().filter_map(Assertion::of).collect()
}

impl Assertion {
    /// The assertion that an error is, and the innermost place of it that is the user's.
    fn of(error: &CompileError) -> Option<Self> {
        let (text, rule) = ASSERTIONS
            .iter()
            .find(|(text, _)| error.message.contains(text))?;
        let is_users = |place: &&Place| !is_of_library(Path::new(&place.file));
        let place = error.places.iter().find(is_users);
        let place = place.or(error.places.first())?;
        Some(Self {
            file: place.file.clone(),
            line: place.line,
            column: place.column,
            rule,
            text,
            findings: Vec::new(),
            operands: Vec::new(),
            remedies: Vec::new(),
            rendered: Vec::new(),
        })
    }

    /// Adds what the analysis of the file, whose text is `text`, knows of the line.
    pub fn explain(&mut self, analysis: &Analysis, text: &str, lines: &Lines) {
        let on_line = |start: usize| lines.place(start).line == self.line;
        for finding in &analysis.findings {
            if finding.rule == self.rule && on_line(finding.span.start) {
                self.findings.push(finding.message.clone());
                let titles = finding.remedies.iter().map(|remedy| remedy.title.clone());
                self.remedies.extend(titles);
                self.rendered
                    .push(findings::render(finding, &self.file, lines));
            }
        }
        for mention in analysis.mentions() {
            let expression = mention.span.text(text);
            let mut known = self.operands.iter();
            let is_new = known.all(|known| known.expression != expression);
            if on_line(mention.span.start) && !expression.contains('\n') && is_new {
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
            "{}:{}{column}: error[{}]: CuTe says \"{}\"\n",
            self.file, self.line, self.rule, self.text
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
