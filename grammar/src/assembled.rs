//! Text that is put together of parts of sources, and where each part comes from.

use crate::limits::SOURCE_BYTES;
use crate::tree::Span;

/// The place of a token in the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The start of the text that it is from: a call or a definition.
    pub(crate) text: usize,
    /// Its index there.
    pub(crate) number: usize,
    /// Its start.
    pub(crate) start: usize,
}

impl Origin {
    /// Whether a token is behind another in one text.
    pub(crate) fn follows(own: Option<Self>, before: Option<Self>) -> bool {
        match (before, own) {
            (Some(before), Some(own)) => before.text == own.text && before.number + 1 == own.number,
            _ => false,
        }
    }
}

/// The text of an expansion.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) text: String,
    /// Places in `text`, each with where it starts in the source, in order.
    chunks: Vec<(Span, usize)>,
    /// The call that is expanded.
    whole: Span,
    /// The origin of the last token.
    last: Option<Origin>,
}

impl Assembled {
    /// No text yet, in the place of `whole`.
    pub(crate) fn new(whole: Span) -> Self {
        Self {
            text: String::new(),
            chunks: Vec::new(),
            whole,
            last: None,
        }
    }

    /// Appends a token: behind `gap` where that is between it and the last one in one text, else behind the separator.
    pub(crate) fn add(&mut self, token: &str, gap: &str, origin: Option<Origin>, separator: char) {
        let before = std::mem::replace(&mut self.last, origin);
        if Origin::follows(origin, before) {
            self.text.push_str(gap);
            self.text.push_str(token);
            if let Some((chunk, _)) = self.chunks.last_mut() {
                chunk.end = self.text.len();
            }
            return;
        }
        self.text.push(separator);
        let start = self.text.len();
        self.text.push_str(token);
        if let Some(origin) = origin {
            self.chunks
                .push((Span::new(start, self.text.len()), origin.start));
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
