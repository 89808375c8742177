//! The answers of one session, shown in lenses and hovers for as long as their subject stays the same.

use std::collections::VecDeque;

use tower_lsp::lsp_types::Url;

use super::orders::Key;
use super::report::Report;

/// Answers that are kept; the oldest go first.
const KEPT: usize = 256;

/// Answers with their subjects.
#[derive(Debug, Default)]
pub struct Results(VecDeque<(Url, Key, Report)>);

impl Results {
    /// Keeps an answer, in the place of an older one to the same question.
    pub fn keep(&mut self, uri: Url, key: Key, report: Report) {
        self.0
            .retain(|(other, known, _)| (other, known) != (&uri, &key));
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0.push_back((uri, key, report));
    }

    /// The answer to a question.
    pub fn of(&self, uri: &Url, key: &Key) -> Option<&Report> {
        let found = self
            .0
            .iter()
            .find(|(other, known, _)| (other, known) == (uri, key));
        found.map(|(.., report)| report)
    }

    /// All answers of a document, with their questions.
    pub fn in_document(&self, uri: &Url) -> Vec<(Key, Report)> {
        let of_document = self.0.iter().filter(|(other, ..)| other == uri);
        of_document
            .map(|(_, key, report)| (key.clone(), report.clone()))
            .collect()
    }
}
