//! A source line with a piece of it underlined, as compilers show it.

use std::fmt::Write as _;

use anstyle::Style;
use tree_sitter_cute::tree::Span;
use unicode_width::UnicodeWidthChar as _;

use super::lines::Lines;

/// Terminal columns of a source line that are shown; a longer line is cut around the mark.
const WIDEST: usize = 120;
/// Columns kept before the mark where a line is cut.
const BEFORE_MARK: usize = 40;
/// Columns of a tab.
const TAB: usize = 4;

/// Appends the line on which `span` starts and a line of `mark`s below the part of it in `span`.
///
/// `gutter` is the width of the widest line number of the report, so that its lines align.
pub(crate) fn underline(
    out: &mut String,
    lines: &Lines,
    span: Span,
    mark: char,
    style: Style,
    gutter: usize,
) {
    let start = lines.place(span.start);
    let end = lines.place(span.end.max(span.start));
    let line = Columns::of(&lines.line(start.line));
    let from = line.start_of(start.column - 1);
    let to = if end.line == start.line {
        line.start_of(end.column - 1)
    } else {
        line.width()
    };
    let to = to.max(from + 1);
    let cut = if line.width() > WIDEST {
        from.saturating_sub(BEFORE_MARK)
    } else {
        0
    };
    let until = cut + WIDEST;
    let bar = super::style::GUTTER;
    let ellipsis = |is_cut: bool| if is_cut { "…" } else { "" };
    let _ = writeln!(out, "{bar}{:gutter$} |{bar:#}", "");
    let _ = writeln!(
        out,
        "{bar}{:>gutter$} |{bar:#} {}{}{}",
        start.line,
        ellipsis(cut > 0),
        line.between(cut, until).trim_end(),
        ellipsis(line.width() > until)
    );
    let marks: String = std::iter::repeat_n(mark, to.min(until) - from).collect();
    let margin = from - cut + usize::from(cut > 0);
    let continues = if end.line > start.line { " …" } else { "" };
    let _ = writeln!(
        out,
        "{bar}{:gutter$} |{bar:#} {:margin$}{style}{marks}{continues}{style:#}",
        "", ""
    );
}

/// A line as characters with the terminal columns they take.
struct Columns {
    /// The text shown for each character of the line, and its width.
    characters: Vec<(String, usize)>,
}

impl Columns {
    fn of(line: &str) -> Self {
        let shown = |character: char| match character {
            '\t' => (" ".repeat(TAB), TAB),
            // An escape sequence of the source must not reach the terminal.
            control if control.is_control() => ("\u{fffd}".to_owned(), 1),
            other => (other.to_string(), other.width().unwrap_or(0)),
        };
        Self {
            characters: line.chars().map(shown).collect(),
        }
    }

    fn width(&self) -> usize {
        self.start_of(self.characters.len())
    }

    /// The terminal column at which a character starts.
    fn start_of(&self, character: usize) -> usize {
        self.characters
            .iter()
            .take(character)
            .map(|(_, width)| width)
            .sum()
    }

    /// The characters that are between two terminal columns.
    fn between(&self, from: usize, until: usize) -> String {
        let mut column = 0;
        let mut text = String::new();
        for (shown, width) in &self.characters {
            if column >= from && column + width <= until {
                text.push_str(shown);
            }
            column += width;
        }
        text
    }
}

/// The text without characters that would move a terminal's cursor.
pub(crate) fn printable(text: &str) -> String {
    Columns::of(text)
        .characters
        .into_iter()
        .map(|(shown, _)| shown)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, marked: &str) -> String {
        let start = text.find(marked).unwrap();
        let span = Span::new(start, start + marked.len());
        let mut out = String::new();
        underline(&mut out, &Lines::new(text), span, '^', Style::new(), 2);
        anstream::adapter::strip_str(&out).to_string()
    }

    #[test]
    fn the_mark_stands_under_what_is_marked() {
        assert_eq!(
            shown("auto x = f(a);", "f(a)"),
            concat!("   |\n", " 1 | auto x = f(a);\n", "   |          ^^^^\n",)
        );
    }

    #[test]
    fn tabs_and_wide_characters_take_their_columns() {
        assert_eq!(
            shown("\t幅 = f(a);", "f(a)"),
            concat!("   |\n", " 1 |     幅 = f(a);\n", "   |          ^^^^\n",)
        );
    }

    #[test]
    fn a_mark_over_several_lines_says_that_it_goes_on() {
        assert_eq!(
            shown("x = f(\n  a);", "f(\n  a)"),
            concat!("   |\n", " 1 | x = f(\n", "   |     ^^ …\n",)
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let text = format!("{}f(a){}", "x".repeat(5_000), "y".repeat(5_000));
        let out = shown(&text, "f(a)");
        assert!(
            out.lines().all(|line| line.chars().count() < WIDEST + 10),
            "{out}"
        );
        let marked: Vec<&str> = out.lines().collect();
        let at = marked[2].find('^').unwrap();
        let source: String = marked[1].chars().skip(at).take(4).collect();
        assert_eq!(source, "f(a)");
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        let mut out = String::new();
        let text = "a\u{1b}[31mb";
        underline(
            &mut out,
            &Lines::new(text),
            Span::new(0, 1),
            '^',
            Style::new(),
            1,
        );
        assert!(!out.contains("\u{1b}[31m"));
    }
}
