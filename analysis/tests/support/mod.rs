//! One way to write a fixture: a source, and what is known of it beside or under its lines.

#![allow(dead_code, unreachable_pub, clippy::expect_used)] // Each test binary uses a part of it.

use std::fmt::Write;

use cute_analysis::{Alone, Analysis, Options, SourceFile, analyse};
use tree_sitter_cute::{Budget, Host, Syntax};

/// The analysis of a source.
pub fn analysed(text: &str, options: &Options) -> Analysis {
    let syntax = Syntax::parse(options.host, text, None, Budget::unlimited()).expect("parsed");
    let file = SourceFile::analysed("test.cu", text, syntax.lower(text));
    analyse(&file, &Alone, options)
}

/// Analyses a source for its own sake: whatever it is, there is an answer.
pub fn check(text: &str) {
    let analysis = analysed(text, &Options::default());
    assert!(
        analysis
            .facts
            .iter()
            .all(|fact| fact.name_span.end <= text.len())
    );
}

/// The lines of a source, each with the values of the names that it declares.
pub fn annotated(text: &str) -> String {
    annotated_in(Host::CudaCpp, text)
}

/// The same for a source of another language.
pub fn annotated_in(host: Host, text: &str) -> String {
    let options = Options {
        host,
        ..Options::default()
    };
    let analysis = analysed(text, &options);
    let mut shown = String::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let _ = write!(shown, "{}", line.trim_end());
        let mut notes: Vec<String> = Vec::new();
        for fact in &analysis.facts {
            // Supposed values have separate tests.
            let is_supposed = host == Host::CudaCpp && fact.is_supposed();
            if is_supposed || !(start..end).contains(&fact.name_span.start) {
                continue;
            }
            let value = match fact.reason() {
                Some(reason) => format!("? {reason}"),
                None => fact.value.to_string(),
            };
            let instance = fact
                .instance
                .as_ref()
                .map_or_else(String::new, |instance| format!(" [{instance}]"));
            notes.push(format!(
                "{} {} = {value}{instance}",
                fact.kind().name(),
                fact.name
            ));
        }
        if !notes.is_empty() {
            let _ = write!(shown, "  ⟸ {}", notes.join(" | "));
        }
        shown.push('\n');
        start = end;
    }
    shown
}

/// The lines with findings of a source: under each the marked span, the message, what is related
/// and the remedies.
pub fn findings(text: &str) -> String {
    findings_in(Host::CudaCpp, text)
}

/// The same for a source of another language.
pub fn findings_in(host: Host, text: &str) -> String {
    let options = Options {
        host,
        ..Options::default()
    };
    let analysis = analysed(text, &options);
    let mut shown = String::new();
    for finding in &analysis.findings {
        mark(&mut shown, text, finding.span.start, finding.span.end, '^');
        let _ = writeln!(
            shown,
            "{}[{}]: {}",
            finding.severity.name(),
            finding.rule,
            finding.message
        );
        let numbers: Vec<String> = finding
            .numbers
            .iter()
            .map(|(name, number)| format!("{name}={number}"))
            .collect();
        let _ = writeln!(shown, "numbers: {}", numbers.join(" "));
        for related in &finding.related {
            mark(&mut shown, text, related.span.start, related.span.end, '-');
        }
        for remedy in &finding.remedies {
            let star = if remedy.preferred { "*" } else { "" };
            let _ = writeln!(shown, "remedy{star}: {}", remedy.title);
        }
        shown.push('\n');
    }
    shown
}

fn mark(shown: &mut String, text: &str, start: usize, end: usize, with: char) {
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let marks = text[start..end.min(line_end)].chars().count();
    let _ = writeln!(shown, "{}", &text[line_start..line_end]);
    let _ = writeln!(
        shown,
        "{}{}",
        " ".repeat(text[line_start..start].chars().count()),
        with.to_string().repeat(marks)
    );
}
