//! Text that is put together of parts of sources, and where each part comes from.

use crate::limits::SOURCE_BYTES;
use crate::tree::Span;

/// The text of an expansion.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) text: String,
    /// Places in `text`, each with where it starts in the source, in order.
    chunks: Vec<(Span, usize)>,
    /// The call that is expanded.
    whole: Span,
}

impl Assembled {
    /// No text yet, in the place of `whole`.
    pub(crate) fn new(whole: Span) -> Self {
        Self {
            text: String::new(),
            chunks: Vec::new(),
            whole,
        }
    }

    /// Appends a token that is directly behind the last one in its source; `gap` is between them there.
    pub(crate) fn go_on(&mut self, gap: &str, token: &str) {
        self.text.push_str(gap);
        self.text.push_str(token);
        if let Some((chunk, _)) = self.chunks.last_mut() {
            chunk.end = self.text.len();
        }
    }

    /// Appends a token from another place: where it starts in the source, if it is in one.
    pub(crate) fn begin(&mut self, separator: char, token: &str, origin: Option<usize>) {
        self.text.push(separator);
        let start = self.text.len();
        self.text.push_str(token);
        if let Some(origin) = origin {
            self.chunks
                .push((Span::new(start, self.text.len()), origin));
        }
    }

    /// The same where it is not too long to be read.
    pub(crate) fn within_limit(self) -> Option<Self> {
        (self.text.len() <= SOURCE_BYTES).then_some(self)
    }

    /// The origin of a span of the text: the call, where several parts make it up.
    pub(crate) fn origin(&self, span: Span) -> Span {
        let behind = self
            .chunks
            .partition_point(|(part, _)| part.start <= span.start);
        let part = behind
            .checked_sub(1)
            .and_then(|index| self.chunks.get(index));
        match part {
            Some((part, base)) if part.encloses(span) => {
                Span::new(span.start - part.start + base, span.end - part.start + base)
            }
            _ => self.whole,
        }
    }
}
