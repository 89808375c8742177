//! Large bodies of functions, parsed apart from the text around them, and the parts of the largest: a key costs the part it is
//! in, and not the function or the class.
//!
//! The text around them is parsed with empty bodies in their places. The result is that of the whole text; where it could be
//! another one, the text is parsed as a whole.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use tree_sitter::{Parser, Tree};

use crate::incremental::parse_edited;
use crate::lowered::LoweredPiece;
use crate::tree::Span;

/// A body, or some of its statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The text that is parsed apart.
    pub(crate) span: Span,
    /// The body that it is, or that it is a part of.
    pub(crate) within: Span,
}

impl Place {
    /// A body as a whole.
    pub(crate) const fn whole(span: Span) -> Self {
        Self { span, within: span }
    }

    const fn is_whole(self) -> bool {
        self.span.start == self.within.start
    }
}

/// The texts around one that is parsed apart, which make it a function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) head: &'static str,
    pub(crate) tail: &'static str,
}

/// A parsed body, or a part of one.
#[derive(Debug)]
pub(crate) struct Body {
    /// As written.
    source: Box<str>,
    /// As the parser saw it, in its frame.
    parsed: Box<[u8]>,
    frame: Frame,
    tree: Tree,
    /// Filled when it is first lowered; `None` where it is not the body of a function.
    lowered: OnceLock<Option<LoweredPiece>>,
}

/// A body, or a part of one, and its place in its piece.
#[derive(Debug, Clone)]
pub(crate) struct PlacedBody {
    pub(crate) place: Place,
    body: Arc<Body>,
}

/// The two texts of a piece, equally long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceText<'t> {
    /// As written.
    pub(crate) source: &'t str,
    /// As the parser sees it.
    pub(crate) parsed: &'t [u8],
}

impl Body {
    fn new(
        parser: &mut Parser,
        frame: Frame,
        text: PieceText<'_>,
        old: Option<&Self>,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Option<Self> {
        let around = [frame.head, frame.tail].map(str::as_bytes);
        let parsed: Box<[u8]> = [around[0], text.parsed, around[1]].concat().into();
        let old = old.map(|old| (&*old.parsed, &old.tree));
        Some(Self {
            source: text.source.into(),
            tree: parse_edited(parser, &parsed, old, goes_on)?,
            parsed,
            frame,
            lowered: OnceLock::new(),
        })
    }

    fn is_of(&self, text: PieceText<'_>) -> bool {
        let frame = self.frame.head.len() + self.frame.tail.len();
        let parsed = self.parsed.get(self.frame.head.len()..).unwrap_or_default();
        &*self.source == text.source
            && self.parsed.len() == frame + text.parsed.len()
            && parsed.starts_with(text.parsed)
    }
}

impl PlacedBody {
    /// The statements, with spans from the start of their place, which `lower` makes of its tree, its source, the text that
    /// was parsed and the frame of it, where nothing did before; `None` where it is not the body of a function.
    pub(crate) fn lowered(
        &self,
        lower: impl FnOnce(&Tree, &str, &[u8], Frame) -> Option<LoweredPiece>,
    ) -> Option<&LoweredPiece> {
        let body = &*self.body;
        let lowered = body
            .lowered
            .get_or_init(|| lower(&body.tree, &body.source, &body.parsed, body.frame));
        lowered.as_ref()
    }
}

/// A text with blanks in its bodies. Lines stay as they are.
pub(crate) fn skeleton(
    text: Cow<'_, [u8]>,
    bodies: impl IntoIterator<Item = Span>,
) -> Cow<'_, [u8]> {
    let mut text = text;
    for body in bodies {
        let inside = body.start + 1..body.end.saturating_sub(1);
        for byte in text.to_mut().get_mut(inside).unwrap_or_default() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    text
}

/// The way in which the bodies of a language are parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// The frame of a body.
    pub(crate) whole: Frame,
    /// The frame of statements of a body.
    pub(crate) part: Frame,
    /// Whether a body may be parsed from the tree of its text before an edit.
    pub(crate) from_tree: bool,
}

/// Parses the bodies at some places of a text, with those that it shares with an earlier version of it; `None` when `goes_on`
/// said stop.
pub(crate) fn parse(
    parser: &mut Parser,
    manner: Manner,
    text: PieceText<'_>,
    places: &[Place],
    old: &[PlacedBody],
    goes_on: &mut impl FnMut() -> bool,
) -> Option<Vec<PlacedBody>> {
    let of = |Place { span, .. }: &Place| PieceText {
        source: span.text(text.source),
        parsed: text.parsed.get(span.start..span.end).unwrap_or_default(),
    };
    let is_same = |(place, old): &(&Place, &PlacedBody)| {
        place.is_whole() == old.place.is_whole() && old.body.is_of(of(place))
    };
    let before = places.iter().zip(old).take_while(is_same).count();
    let back = places.iter().rev().zip(old.iter().rev());
    let most = places.len().min(old.len()) - before;
    let behind = back.take(most).take_while(is_same).count();
    let mut bodies = Vec::with_capacity(places.len());
    for (index, place) in places.iter().enumerate() {
        let is_shared = index < before || index + behind >= places.len();
        let old_index = if index < before {
            Some(index)
        } else {
            (index + old.len()).checked_sub(places.len())
        };
        // The edited ones are paired where their number is the same.
        let of_old = old_index
            .filter(|_| is_shared || old.len() == places.len())
            .and_then(|index| old.get(index));
        let body = match of_old {
            Some(old) if is_shared => Arc::clone(&old.body),
            old => {
                let old = old.map(|old| &*old.body).filter(|_| manner.from_tree);
                let frame = if place.is_whole() {
                    manner.whole
                } else {
                    manner.part
                };
                Arc::new(Body::new(parser, frame, of(place), old, goes_on)?)
            }
        };
        let place = *place;
        bodies.push(PlacedBody { place, body });
    }
    Some(bodies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skeleton_keeps_braces_and_lines() {
        let text = b"a {\n b; } c {d}";
        let bodies = [Span::new(2, 9), Span::new(12, 15)];
        let skeleton = skeleton(Cow::Borrowed(text), bodies);
        assert_eq!(&*skeleton, b"a {\n    } c { }");
    }
}
