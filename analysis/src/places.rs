//! Places that belong to places.

use tree_sitter_cute::tree::Span;

/// A place for each of some places: where the name used there is declared, say.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Places(Vec<(Span, Span)>);

impl Places {
    /// From pairs in any order; of several with one place the first counts.
    pub(crate) fn of(mut pairs: Vec<(Span, Span)>) -> Self {
        // A sorted list costs little here.
        pairs.sort_by_key(|(place, _)| *place);
        pairs.dedup_by_key(|(place, _)| *place);
        Self(pairs)
    }

    /// The span that belongs to a place.
    pub(crate) fn get(&self, place: Span) -> Option<Span> {
        let index = self.0.binary_search_by_key(&place, |(place, _)| *place);
        Some(self.0.get(index.ok()?)?.1)
    }

    /// All of them, in the order of the source.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Span, Span)> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_what_was_said_of_it_first() {
        let at = |start| Span::new(start, start + 1);
        let places = Places::of(vec![(at(4), at(0)), (at(1), at(7)), (at(4), at(2))]);
        assert_eq!(places.get(at(4)), Some(at(0)));
        assert_eq!(places.get(at(1)), Some(at(7)));
        assert_eq!(places.get(at(2)), None);
        assert_eq!(places.iter().count(), 2);
    }
}
