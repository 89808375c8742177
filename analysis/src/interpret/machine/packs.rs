//! Parameter packs: the expansion of a pattern for each of their elements, and folds over them.

use tree_sitter_cute::tree::{BinaryOp, Expr, Span};

use super::given::{Given, Outcome};
use super::store::{Content, Followed, Location, Number, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::{Frame, Variable};
use crate::value::Value;
use crate::walk;

/// A pack that a pattern names.
struct Pack<'u> {
    name: &'u str,
    declared: Span,
    /// Places of its elements, for a pack of parameters.
    places: Option<Vec<Location>>,
    /// Values of its elements otherwise.
    values: Vec<Value>,
}

impl<'u> Runner<'_, 'u> {
    /// The packs of a pattern and how many elements they have.
    fn packs_of(
        pattern: &'u Expr,
        act: &Activation<'u>,
        frame: &Frame<'u>,
    ) -> Followed<(Vec<Pack<'u>>, usize)> {
        let mut packs: Vec<Pack<'u>> = Vec::new();
        walk::subexpressions(pattern, &mut |part: &'u Expr| {
            let Some(first) = part.as_path().and_then(|path| path.segments.first()) else {
                return;
            };
            let name = first.name.name.as_str();
            if let Some(variable) = frame.find(name)
                && let Value::Pack(values) = &variable.value
                && packs.iter().all(|known| known.name != name)
            {
                packs.push(Pack {
                    name,
                    declared: variable.declared,
                    places: act.packs.get(&variable.declared).cloned(),
                    values: values.clone(),
                });
            }
        });
        let count = packs.first().ok_or(Stop)?.values.len();
        // The values of parameters are in their places only.
        let is_lost = |pack: &Pack<'u>| {
            pack.places.is_none() && frame.locals.declaration(pack.declared).is_some()
        };
        let is_same = |pack: &Pack<'u>| {
            let places = pack.places.as_ref().map_or(count, Vec::len);
            places == count && pack.values.len() == count
        };
        if !packs.iter().all(is_same) || packs.iter().any(is_lost) {
            return Err(Stop);
        }
        Ok((packs, count))
    }

    /// The pattern for one element of its packs.
    fn element_of(
        &mut self,
        pattern: &'u Expr,
        packs: &[Pack<'u>],
        index: usize,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Given<'u>> {
        let mut scope = Vec::with_capacity(packs.len());
        for pack in packs {
            let variable = Variable {
                value: pack.values.get(index).ok_or(Stop)?.clone(),
                declared: pack.declared,
                read: true,
            };
            scope.push((pack.name, variable));
            if let Some(places) = &pack.places {
                let place = places.get(index).ok_or(Stop)?.clone();
                act.places.insert(pack.declared, place);
            }
        }
        frame.scopes.push(scope.into_iter().collect());
        let given = self.evaluated(pattern, act, frame);
        frame.scopes.pop();
        for pack in packs.iter().filter(|pack| pack.places.is_some()) {
            act.places.remove(&pack.declared);
        }
        given
    }

    /// `pattern...` among arguments.
    pub(super) fn expanded(
        &mut self,
        pattern: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Vec<Given<'u>>> {
        let (packs, count) = Self::packs_of(pattern, act, frame)?;
        let mut given = Vec::with_capacity(count);
        for index in 0..count {
            given.push(self.element_of(pattern, &packs, index, act, frame)?);
        }
        Ok(given)
    }

    /// `(... op pack)`, `(init op ... op pack)` and their mirrors ([expr.prim.fold]).
    pub(super) fn fold(
        &mut self,
        op: BinaryOp,
        left: Option<&'u Expr>,
        right: Option<&'u Expr>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        let packs_of = |side: Option<&'u Expr>| Self::packs_of(side?, act, frame).ok();
        // The side with the pack, and whether it is on the right.
        let (pattern, (packs, count), init, is_left) = match (packs_of(left), packs_of(right)) {
            (Some(packs), None) => (left.ok_or(Stop)?, packs, right, false),
            (None, Some(packs)) => (right.ok_or(Stop)?, packs, left, true),
            _ => return Err(Stop),
        };
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let truth =
                self.fold_truths(op, (pattern, &packs, count), init, is_left, act, frame)?;
            return Ok(Outcome::Value(Content::Number(Number::truth(truth)?)));
        }
        let is_ordered = op == BinaryOp::Comma;
        self.store.watch();
        let mut terms = Vec::with_capacity(count + 1);
        if let Some(init) = init.filter(|_| is_left) {
            terms.push(self.evaluated(init, act, frame)?);
        }
        for index in 0..count {
            terms.push(self.element_of(pattern, &packs, index, act, frame)?);
        }
        if let Some(init) = init.filter(|_| !is_left) {
            terms.push(self.evaluated(init, act, frame)?);
        }
        if self.store.has_changed() && !is_ordered {
            return Err(Stop);
        }
        if is_ordered {
            return Ok(match terms.pop() {
                Some(last) => last.into_outcome(),
                None => Outcome::Value(Content::Unknown),
            });
        }
        let mut terms: std::collections::VecDeque<Given<'u>> = terms.into();
        let take = |terms: &mut std::collections::VecDeque<Given<'u>>| {
            if is_left {
                terms.pop_front()
            } else {
                terms.pop_back()
            }
        };
        let mut sum = take(&mut terms).ok_or(Stop)?;
        while let Some(term) = take(&mut terms) {
            let (a, b) = if is_left { (sum, term) } else { (term, sum) };
            let found = self.combined(op, a, b, frame)?;
            sum = match found {
                Outcome::Value(content) => Given::of(pattern, content, None),
                Outcome::Location(place) => {
                    let content = self.store.at(&place)?.clone();
                    Given::of(pattern, content, Some(place))
                }
            };
        }
        Ok(sum.into_outcome())
    }

    fn fold_truths(
        &mut self,
        op: BinaryOp,
        (pattern, packs, count): (&'u Expr, &[Pack<'u>], usize),
        init: Option<&'u Expr>,
        is_left: bool,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<bool> {
        let decides = op == BinaryOp::Or;
        if let Some(init) = init.filter(|_| is_left) {
            let value = self.value(init, act, frame)?;
            if self.condition(value, frame)? == decides {
                return Ok(decides);
            }
        }
        for index in 0..count {
            let given = self.element_of(pattern, packs, index, act, frame)?;
            let value = given.read()?;
            if self.condition(value, frame)? == decides {
                return Ok(decides);
            }
        }
        if let Some(init) = init.filter(|_| !is_left) {
            let value = self.value(init, act, frame)?;
            if self.condition(value, frame)? == decides {
                return Ok(decides);
            }
        }
        Ok(!decides)
    }
}
