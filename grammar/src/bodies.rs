//! Large bodies of the functions of a class, parsed apart from the class: a key in one costs that body, and not the class.
//!
//! The class is parsed with empty bodies in their places. The result is that of the whole text; where it could be another
//! one, the text is parsed as a whole.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use tree_sitter::{Parser, Tree};

use crate::incremental::parse_edited;
use crate::lowered::LoweredPiece;
use crate::tree::Span;

/// A parsed body.
#[derive(Debug)]
pub(crate) struct Body {
    /// As written.
    source: Box<str>,
    /// As the parser saw it, behind a head.
    parsed: Box<[u8]>,
    tree: Tree,
    /// Filled when it is first lowered; `None` where it is not the body of a function.
    lowered: OnceLock<Option<LoweredPiece>>,
}

/// A body and its place in its piece.
#[derive(Debug, Clone)]
pub(crate) struct PlacedBody {
    pub(crate) span: Span,
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
        head: &str,
        text: PieceText<'_>,
        old: Option<&Self>,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Option<Self> {
        let parsed: Box<[u8]> = [head.as_bytes(), text.parsed].concat().into();
        let old = old.map(|old| (&*old.parsed, &old.tree));
        Some(Self {
            source: text.source.into(),
            tree: parse_edited(parser, &parsed, old, goes_on)?,
            parsed,
            lowered: OnceLock::new(),
        })
    }

    fn is_of(&self, text: PieceText<'_>) -> bool {
        &*self.source == text.source && self.parsed.ends_with(text.parsed)
    }
}

impl PlacedBody {
    /// The statements of the body, with spans from its start, which `lower` makes of its tree, its source and the
    /// text that was parsed where nothing did before; `None` where it is not the body of a function.
    pub(crate) fn lowered(
        &self,
        lower: impl FnOnce(&Tree, &str, &[u8]) -> Option<LoweredPiece>,
    ) -> Option<&LoweredPiece> {
        let body = &*self.body;
        let lowered = body
            .lowered
            .get_or_init(|| lower(&body.tree, &body.source, &body.parsed));
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
    /// The head of the function that a body is parsed with.
    pub(crate) head: &'static str,
    /// Whether a body may be parsed from the tree of its text before an edit.
    pub(crate) from_tree: bool,
}

/// Parses the bodies at some places of a text, with those that it shares with an earlier version of it; `None` when `goes_on`
/// said stop.
pub(crate) fn parse(
    parser: &mut Parser,
    manner: Manner,
    text: PieceText<'_>,
    places: &[Span],
    old: &[PlacedBody],
    goes_on: &mut impl FnMut() -> bool,
) -> Option<Vec<PlacedBody>> {
    let of = |place: &Span| PieceText {
        source: place.text(text.source),
        parsed: text.parsed.get(place.start..place.end).unwrap_or_default(),
    };
    let is_same = |(place, old): &(&Span, &PlacedBody)| old.body.is_of(of(place));
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
                Arc::new(Body::new(parser, manner.head, of(place), old, goes_on)?)
            }
        };
        bodies.push(PlacedBody { span: *place, body });
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
