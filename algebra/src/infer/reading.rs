//! One pass over a table: where each mode begins, and the first index that no layout can explain.
//!
//! Let `f` be a table with `f(0) = 0`, and let `b` be the index at which the newest mode began, with step `s = f(b)`.
//! Every layout with a mode that begins at `b` satisfies `f(x) = f(x - b) + s` until that mode ends, and it ends at a
//! multiple of `b`. The coalesced form of a layout is unique, so the first departure from this recurrence *must* be the
//! beginning of the next mode; when it is not at a multiple of `b`, no layout agrees with the table up to there. Hence
//! one pass, where the blog's search over candidate extents takes `O(M^2 log M)`.

/// The beginning of a mode: its first index, and its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beginning {
    /// The index at which it first contributes: the product of the extents of the modes before it.
    pub(super) at: usize,
    /// The increment of one step.
    pub(super) step: i64,
}

/// The extent to which a table follows the recurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// The starts of the modes, in ascending order; empty for a table of one value.
    pub(super) beginnings: Vec<Beginning>,
    /// The first index that no layout explains.
    pub(super) contradiction: Option<Contradiction>,
}

/// Two values of a table cannot both come from one layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contradiction {
    /// The index of the second value.
    pub(super) index: usize,
    /// The offset of the modes read so far, unless that is beyond 64 bits.
    pub(super) expected: Option<i64>,
    /// The offset in the table.
    pub(super) found: i64,
}

/// A table whose values are seen through a function: the identity, or a swizzle that is to be undone.
#[derive(Clone, Copy)]
pub(super) struct Table<'a, F> {
    values: &'a [i64],
    view: F,
}

impl<'a, F: Fn(i64) -> i64> Table<'a, F> {
    /// The values of `values`, each seen through `view`.
    pub(super) fn new(values: &'a [i64], view: F) -> Self {
        Table { values, view }
    }

    fn at(&self, index: usize) -> i64 {
        self.values.get(index).copied().map_or(0, &self.view)
    }

    /// The step from the value at 0 to the value at `index`.
    fn step_to(&self, index: usize) -> Option<i64> {
        self.at(index).checked_sub(self.at(0))
    }

    /// The first index from `from` on at which `f(x) = f(x - at) + step` fails.
    pub(super) fn first_departure(&self, newest: Beginning, from: usize) -> Option<usize> {
        let now = self.values.get(from..)?;
        let before = self.values.get(from.checked_sub(newest.at)?..)?;
        let follows = |(now, before): (&i64, &i64)| {
            (self.view)(*before).checked_add(newest.step) == Some((self.view)(*now))
        };
        now.iter()
            .zip(before)
            .position(|pair| !follows(pair))
            .map(|distance| from + distance)
    }

    /// Reads the whole table, or the longest prefix that is a layout.
    pub(super) fn read(&self) -> Reading {
        self.read_on(Vec::new(), 1)
    }

    /// Goes on at index `from`, where the modes that begin before `from` are known and explain everything before it.
    pub(super) fn read_on(&self, mut beginnings: Vec<Beginning>, from: usize) -> Reading {
        let mut departure = match beginnings.last() {
            Some(&newest) => self.first_departure(newest, from),
            None => (self.values.len() > from).then_some(from),
        };
        while let Some(index) = departure {
            let newest = beginnings.last().copied();
            let begins_a_mode = newest.is_none_or(|b| index.is_multiple_of(b.at));
            match self.step_to(index) {
                Some(step) if begins_a_mode => {
                    let beginning = Beginning { at: index, step };
                    beginnings.push(beginning);
                    departure = self.first_departure(beginning, index + 1);
                }
                _ => {
                    let expected = newest.and_then(|b| self.at(index - b.at).checked_add(b.step));
                    let contradiction = Contradiction {
                        index,
                        expected,
                        found: self.at(index),
                    };
                    return Reading {
                        beginnings,
                        contradiction: Some(contradiction),
                    };
                }
            }
        }
        Reading {
            beginnings,
            contradiction: None,
        }
    }
}

/// The extents and steps of modes with these beginnings over `length` indices; the last extent is rounded up.
pub(super) fn modes(beginnings: &[Beginning], length: usize) -> Vec<(i64, i64)> {
    let ends = beginnings.iter().skip(1).map(|b| b.at).chain([length]);
    beginnings
        .iter()
        .zip(ends)
        .map(|(b, end)| (end.div_ceil(b.at) as i64, b.step))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[i64]) -> Reading {
        Table::new(values, |v| v).read()
    }

    #[test]
    fn each_mode_begins_where_the_recurrence_departs() {
        let reading = read(&[0, 4, 8, 1, 5, 9]);
        assert_eq!(reading.contradiction, None);
        assert_eq!(modes(&reading.beginnings, 6), [(3, 4), (2, 1)]);
    }

    #[test]
    fn a_departure_inside_a_mode_is_a_contradiction() {
        let reading = read(&[0, 1, 2, 3, 10, 11, 12, 14]);
        assert_eq!(
            reading.contradiction,
            Some(Contradiction {
                index: 7,
                expected: Some(13),
                found: 14
            })
        );
    }

    #[test]
    fn a_departure_near_the_limit_does_not_wrap() {
        let reading = read(&[0, i64::MAX, -2]);
        assert_eq!(modes(&reading.beginnings, 3), [(2, i64::MAX), (2, -2)]);
        let reading = read(&[i64::MIN, i64::MAX, 0]);
        assert_eq!(reading.contradiction.map(|c| c.index), Some(1));
    }
}
