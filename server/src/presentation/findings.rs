//! Findings as people read them on a terminal.

use std::fmt::Write as _;

use anstyle::Style;
use cute_analysis::{Analysis, Edit, Finding, Remedy, Role, Rule, Severity};
use tree_sitter_cute::ParseError;
use tree_sitter_cute::tree::Span;

use super::excerpt::{printable, underline};
use super::lines::Lines;
use super::style;

/// The folder of the rules' pages.
pub const RULE_PAGES: &str = "docs/rules";

/// Whether a finding is marked in the text, as a diagnostic. Mere information is not, unless someone requested it (memory
/// accesses of warps are judged only then), or wrote what is not so: a comment, a barrier of all threads.
pub fn is_diagnosed(finding: &Finding) -> bool {
    Rule::marks(finding.rule, finding.severity)
}

/// The findings in the initialiser of a name that is declared at a span: a finding about the value is one about the
/// name.
pub fn in_declaration(analysis: &Analysis, name: Span) -> Vec<&Finding> {
    let declared = analysis.facts.iter().find(|fact| fact.name_span == name);
    let whole = declared.filter(|fact| fact.role == Role::Var || fact.role == Role::Alias);
    let Some(whole) = whole.map(|fact| fact.span) else {
        return Vec::new();
    };
    let inside =
        |finding: &&Finding| whole.encloses(finding.span) && name.end <= finding.span.start;
    analysis.findings.iter().filter(inside).collect()
}

/// The text of a finding, with ANSI colours.
///
/// The first line is `file:line:column: severity[rule]: message`, with the first line of the message; the source line, the
/// other lines of the message, the operand that causes it and the remedies follow.
pub fn render(finding: &Finding, file: &str, lines: &Lines) -> String {
    let mut out = String::new();
    let mut said = finding.message.lines();
    let headline = said.next().unwrap_or_default();
    let place = lines.place(finding.span.start);
    let severity = severity_style(finding.severity);
    let _ = writeln!(
        out,
        "{bold}{file}:{}:{}:{bold:#} {severity}{}[{}]{severity:#}{bold}: {}{bold:#}",
        place.line,
        place.column,
        finding.severity.name(),
        finding.rule,
        printable(headline),
        bold = style::EMPHASIS,
    );
    let gutter = gutter_width(finding, lines);
    underline(&mut out, lines, finding.span, '^', severity, gutter);
    let note = |out: &mut String, label: &str, text: &str| {
        let (bar, bold) = (style::GUTTER, style::EMPHASIS);
        let _ = writeln!(
            out,
            "{bar}{:gutter$} ={bar:#} {bold}{label}:{bold:#} {text}",
            ""
        );
    };
    for line in said {
        let bar = style::GUTTER;
        let _ = writeln!(out, "{bar}{:gutter$} ={bar:#} {}", "", printable(line));
    }
    if let Some(instance) = &finding.instance {
        note(&mut out, "instance", &printable(instance));
    }
    for related in &finding.related {
        let at = lines.place(related.span.start);
        let (bar, cyan) = (style::GUTTER, style::INFORMATION);
        let _ = writeln!(
            out,
            "{bar}{:gutter$} >{bar:#} {file}:{}:{}: {cyan}{}{cyan:#}",
            "",
            at.line,
            at.column,
            printable(&related.message)
        );
        if at.line != place.line {
            underline(&mut out, lines, related.span, '-', cyan, gutter);
        }
    }
    for remedy in &finding.remedies {
        proposal(&mut out, remedy, lines, gutter);
    }
    note(
        &mut out,
        "rule",
        &format!("{RULE_PAGES}/{}.md", finding.rule),
    );
    out
}

/// The text of an error in an expression that was typed on a command line, with ANSI colours.
pub fn unreadable(text: &str, error: &ParseError) -> String {
    let mut out = String::new();
    let (bold, red) = (style::EMPHASIS, style::ERROR);
    let message = printable(&error.to_string());
    let _ = writeln!(out, "{red}error{red:#}{bold}: {message}{bold:#}");
    underline(&mut out, &Lines::new(text), error.span, '^', red, 1);
    out
}

fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Error => style::ERROR,
        Severity::Warning => style::WARNING,
        Severity::Information => style::INFORMATION,
    }
}

/// A remedy: its title, and the first line that it changes as it would read.
fn proposal(out: &mut String, remedy: &Remedy, lines: &Lines, gutter: usize) {
    let (bar, green) = (style::GUTTER, style::PROPOSAL);
    let _ = writeln!(
        out,
        "{bar}{:gutter$} ={bar:#} {green}proposal:{green:#} {}",
        "",
        printable(&remedy.title)
    );
    if let Some((line, text)) = edited_line(remedy, lines) {
        let _ = writeln!(
            out,
            "{bar}{line:>gutter$} |{bar:#} {green}{}{green:#}",
            printable(&text)
        );
    }
}

/// The line after the remedy, where all its edits are in one line and add none.
fn edited_line(remedy: &Remedy, lines: &Lines) -> Option<(usize, String)> {
    let first = lines.place(remedy.edits.first()?.span.start).line;
    let in_line = |edit: &Edit| {
        lines.place(edit.span.start).line == first
            && lines.place(edit.span.end).line == first
            && !edit.new_text.contains(['\n', '\r'])
    };
    if !remedy.edits.iter().all(in_line) {
        return None;
    }
    let mut characters: Vec<char> = lines.line(first).chars().collect();
    let mut edits: Vec<&Edit> = remedy.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    for edit in edits {
        let from = lines.place(edit.span.start).column - 1;
        let to = lines.place(edit.span.end).column - 1;
        if from > to || to > characters.len() {
            return None;
        }
        characters.splice(from..to, edit.new_text.chars());
    }
    Some((first, characters.into_iter().collect()))
}

/// The width of the widest line number that the report shows.
fn gutter_width(finding: &Finding, lines: &Lines) -> usize {
    let edits = finding
        .remedies
        .iter()
        .flat_map(|remedy| &remedy.edits)
        .map(|edit| edit.span);
    let spans = std::iter::once(finding.span).chain(finding.related.iter().map(|r| r.span));
    let digits = |span: Span| lines.place(span.start).line.to_string().len();
    spans.chain(edits).map(digits).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use cute_algebra::{Int, Tuple};
    use cute_analysis::{Number, Related, Witness};

    use super::*;

    const SOURCE: &str =
        "void f() {\n  auto b = make_layout(_6{}, _3{});\n  auto r = composition(a, b);\n}\n";

    fn span_of(text: &str) -> Span {
        let start = SOURCE.find(text).unwrap();
        Span::new(start, start + text.len())
    }

    fn finding() -> Finding {
        Finding {
            rule: "not-a-composition",
            severity: Severity::Error,
            span: span_of("composition(a, b)"),
            message: "the result is not the composition".to_owned(),
            numbers: vec![
                ("left_shape".to_owned(), Number::Integer(4)),
                ("stride".to_owned(), Number::Text("M".to_owned())),
            ],
            witness: Some(Witness {
                coordinate: 2,
                expected: Tuple::leaf(Int::dynamic(7)),
                got: Tuple::leaf(Int::dynamic(1)),
                outside_domain: false,
            }),
            related: vec![Related {
                span: span_of("make_layout(_6{}, _3{})"),
                message: "b is _6:_3".to_owned(),
            }],
            legal: Vec::new(),
            remedies: vec![Remedy {
                title: "take every 4th element".to_owned(),
                edits: vec![Edit {
                    span: span_of("_3{}"),
                    new_text: "_4{}".to_owned(),
                }],
                preferred: true,
            }],
            instance: None,
        }
    }

    #[test]
    fn a_finding_reads_like_a_compilers() {
        let text = render(&finding(), "a.cu", &Lines::new(SOURCE));
        insta::assert_snapshot!(anstream::adapter::strip_str(&text), @r"
        a.cu:3:12: error[not-a-composition]: the result is not the composition
          |
        3 |   auto r = composition(a, b);
          |            ^^^^^^^^^^^^^^^^^
          > a.cu:2:12: b is _6:_3
          |
        2 |   auto b = make_layout(_6{}, _3{});
          |            -----------------------
          = proposal: take every 4th element
        2 |   auto b = make_layout(_6{}, _4{});
          = rule: docs/rules/not-a-composition.md
        ");
    }

    #[test]
    fn a_remedy_over_several_lines_shows_its_title_only() {
        let mut finding = finding();
        finding.remedies[0].edits.push(Edit {
            span: span_of("a, b"),
            new_text: "a, c".to_owned(),
        });
        let text = render(&finding, "a.cu", &Lines::new(SOURCE));
        assert!(
            text.contains("take every 4th element") && !text.contains("_4{}"),
            "{text}"
        );
    }
}
