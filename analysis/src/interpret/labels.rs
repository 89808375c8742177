//! Names of instances of functions for a person: the calls that lead to them.
//!
//! A call in the file that is shown is told by its line, another one by its file too. Where facts of several files are
//! kept at once, the reader of each is only known at the end: until then a place is written by its position.

use std::fmt::Write as _;
use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::Interpreter;
use super::frame::Frame;
use crate::hash::HashMap;
use crate::instance_names::FROM;
use crate::sources::SourceFile;

/// Calls behind the names of instances; only where facts of several files are kept.
pub(super) type Labels = HashMap<Arc<str>, Label>;

/// A call that makes an instance.
#[derive(Debug)]
pub(super) struct Label {
    /// The function that calls, or the instantiated template.
    head: Option<Arc<str>>,
    place: Span,
    /// The instance that calls.
    outer: Option<Arc<str>>,
}

impl<'u> Interpreter<'u> {
    /// The name of an instance: the function that calls it and the line.
    pub(super) fn instance_name(&mut self, span: Span, frame: &Frame<'u>) -> Arc<str> {
        self.label(Label {
            head: frame.owner.function.as_deref().map(Arc::from),
            place: span,
            outer: frame.owner.instance.clone(),
        })
    }

    /// The same for an explicit instantiation.
    pub(super) fn instantiation_name(&mut self, target: &str, place: Span) -> Arc<str> {
        self.label(Label {
            head: Some(target.into()),
            place,
            outer: None,
        })
    }

    fn label(&mut self, label: Label) -> Arc<str> {
        let place = self.place_of(label.place);
        let text: Arc<str> = joined(label.head.as_deref(), &place, label.outer.as_deref()).into();
        if self.recorder.focus.files().len() > 1 {
            self.recorder.labels.insert(Arc::clone(&text), label);
        }
        text
    }

    fn place_of(&mut self, span: Span) -> String {
        if self.recorder.focus.files().len() > 1 {
            return format!("@{}", span.start);
        }
        self.recorder.output.names_lines |= self.recorder.focus.contains(span);
        self.place_shown_in(self.recorder.focus.only(), span)
    }

    /// A place for a person: its line in the file that is shown, elsewhere the file too.
    fn place_shown_in(&self, shown: Option<&SourceFile>, span: Span) -> String {
        match self.program.file_of(span) {
            Some(file) if shown.is_none_or(|shown| std::ptr::eq(shown, file)) => {
                format!("line {}", file.line(span))
            }
            Some(file) => format!("{}:{}", file.name(), file.line(span)),
            None => "another place".to_owned(),
        }
    }

    /// The name of an instance for who is shown a file.
    pub(super) fn label_shown_in(&self, shown: &SourceFile, name: &str) -> String {
        match self.recorder.labels.get(name) {
            Some(label) => {
                let place = self.place_shown_in(Some(shown), label.place);
                let outer = label.outer.as_deref();
                let outer = outer.map(|outer| self.label_shown_in(shown, outer));
                joined(label.head.as_deref(), &place, outer.as_deref())
            }
            None => name.to_owned(),
        }
    }
}

fn joined(head: Option<&str>, place: &str, outer: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(head) = head {
        text.push_str(head);
        text.push_str(", ");
    }
    text.push_str(place);
    if let Some(outer) = outer {
        // Writing to a string never fails.
        let _ = write!(text, "{FROM}{outer}");
    }
    text
}
