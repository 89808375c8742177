//! The lines of a hover, and how they are written as Markdown and as plain text.

use crate::presentation::markdown::{code, in_markdown};

/// One line of a hover and how it is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// Name and kind.
    Title(String),
    /// A value in CuTe's print.
    Code(String),
    /// A sentence.
    Text(String),
    /// A value in CuTe's print, with its description.
    Valued {
        /// Before the colon.
        said: String,
        /// Behind it.
        value: String,
    },
    /// A finding.
    Finding(String),
}

pub(super) fn plain(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        match line {
            Line::Title(text) | Line::Code(text) | Line::Text(text) | Line::Finding(text) => {
                out.push_str(text);
            }
            Line::Valued { said, value } => {
                out.extend([said, ": ", value]);
            }
        }
        out.push('\n');
    }
    out
}

pub(super) fn markdown(lines: &[Line]) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for line in lines {
        let block = match line {
            Line::Title(text) => format!("**{}**", in_markdown(text)),
            Line::Code(text) => format!("```text\n{text}\n```"),
            Line::Text(text) => in_markdown(text),
            Line::Valued { said, value } => format!("{}: {}", in_markdown(said), code(value)),
            Line::Finding(text) => format!("⚠ {}", in_markdown(text)),
        };
        // Lines of one paragraph are kept apart by the two blanks that mean a line break.
        match blocks.last_mut() {
            Some(last) if !last.ends_with("```") && !block.starts_with("```") => {
                last.push_str("  \n");
                last.push_str(&block);
            }
            _ => blocks.push(block),
        }
    }
    blocks.join("\n")
}
