//! Findings as commands of a GitHub workflow: each becomes an annotation of the changed file.

use cute_analysis::{Finding, Severity};

use super::source::Source;

/// The line that annotates a file.
pub(super) fn annotation(finding: &Finding, source: &Source) -> String {
    let (start, end) = (
        source.lines.place(finding.span.start),
        source.lines.place(finding.span.end),
    );
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "notice",
    };
    let file = source.path.display().to_string();
    let file = property(file.strip_prefix("./").unwrap_or(&file));
    format!(
        "::{command} file={file},line={},col={},endLine={},endColumn={},title={}::{}",
        start.line,
        start.column,
        end.line,
        end.column,
        property(finding.rule),
        data(&finding.message)
    )
}

/// The message of a command: `%` and line ends are escaped.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a command: characters that would end it are escaped, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_property_is_escaped() {
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
        assert_eq!(data("(1,2):(3,4)\n50%"), "(1,2):(3,4)%0A50%25");
    }
}
