//! Colours of terminal text. They are taken out where the output is not a terminal.

use anstyle::{AnsiColor, Style};

/// Line numbers and bars beside source lines.
pub(crate) const GUTTER: Style = AnsiColor::Blue.on_default().bold();
/// Findings of severity error, and their marks.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// Findings of severity warning, and their marks.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Findings of severity information, related places.
pub(crate) const INFORMATION: Style = AnsiColor::Cyan.on_default().bold();
/// The text that a reader should see first.
pub(crate) const EMPHASIS: Style = Style::new().bold();
/// Proposals.
pub(crate) const PROPOSAL: Style = AnsiColor::Green.on_default().bold();
