//! Pairs, tuples and small functions of the standard library.

use tree_sitter_cute::tree::{Expr, ExprKind, Segment};

use super::given::{Given, Outcome};
use super::objects::is_followed;
use super::store::{Content, Followed, Location, Number, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::interpret::integers::numeric_limit;
use crate::limits;
use crate::types::Type;
use crate::value::Value;

/// Whether an expression names something of `std::`.
pub(super) fn is_standard(expr: &Expr) -> bool {
    let first = expr.as_path().and_then(|path| path.segments.first());
    first.is_some_and(|first| first.name.name == "std" && first.args.is_none())
}

/// `std::initializer_list<T>`
pub(super) fn element_of_list(ty: &Expr) -> Option<&Expr> {
    let last = ty.as_path().and_then(|path| path.last())?;
    match last.args.as_deref() {
        Some([element]) if is_standard(ty) && last.name.name == "initializer_list" => Some(element),
        _ => None,
    }
}

impl<'u> Runner<'_, 'u> {
    /// The types of the items of a `std::pair` or `std::tuple` that is written out; nothing where one is not a type.
    pub(super) fn types_of_tuple(
        &mut self,
        ty: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Followed<Vec<Type>>> {
        let path = ty.as_path()?;
        let last = path.last()?;
        let args = last.args.as_deref()?;
        if !is_standard(ty)
            || path.segments.len() != 2
            || !matches!(last.name.name.as_str(), "pair" | "tuple")
        {
            return None;
        }
        let mut types = Vec::with_capacity(args.len());
        for arg in args {
            let ty = match &arg.kind {
                ExprKind::Name(_) | ExprKind::Pointer(_) => self.it.eval_type(arg, frame),
                _ => return Some(Err(Stop)),
            };
            match ty {
                Type::Scalar(scalar) if is_followed(scalar) => types.push(ty),
                Type::Record(_) | Type::Pointer(_) => types.push(ty),
                _ => return Some(Err(Stop)),
            }
        }
        Some(Ok(types))
    }

    /// A pair or tuple of these types from initialisers.
    pub(super) fn tuple(
        &mut self,
        types: &[Type],
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let mut items = Vec::with_capacity(types.len());
        match args {
            [] => {
                for ty in types {
                    items.push(self.construct(ty, &[], true, act, frame)?);
                }
            }
            args if args.len() == types.len() && types.len() > 1 => {
                self.store.watch();
                for (ty, arg) in types.iter().zip(args) {
                    items.push(self.typed(ty, Some(arg), act, frame)?);
                }
                if self.store.has_changed() {
                    return Err(Stop);
                }
            }
            [only] => {
                let given = self.evaluated(only, act, frame)?;
                return self.as_tuple(types, given, frame);
            }
            _ => return Err(Stop),
        }
        Ok(Content::Tuple(items))
    }

    /// A pair or tuple of these types from another one.
    pub(super) fn as_tuple(
        &mut self,
        types: &[Type],
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let Content::Tuple(items) = given.content else {
            return Err(Stop);
        };
        if items.len() != types.len() {
            return Err(Stop);
        }
        let mut converted = Vec::with_capacity(items.len());
        for (ty, item) in types.iter().zip(items) {
            let item = match item {
                Content::Alias(place) => self.store.read(&place)?,
                item => item,
            };
            let item = Given::of(given.expr, item, None);
            converted.push(self.converted_to(ty, item, frame)?);
        }
        Ok(Content::Tuple(converted))
    }

    /// A function of `std::` whose effect follows from its name; nothing where it is another one.
    pub(super) fn call_standard(
        &mut self,
        word: &'u Segment,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Option<Outcome<'u>>> {
        let explicit = word.args.as_deref();
        let name = word.name.name.as_str();
        let is_known = matches!(
            name,
            "move"
                | "forward"
                | "as_const"
                | "swap"
                | "exchange"
                | "get"
                | "make_pair"
                | "make_tuple"
                | "tie"
                | "size"
                | "ssize"
                | "begin"
                | "end"
                | "data"
                | "empty"
                | "clamp"
                | "addressof"
                | "to_underlying"
                | "min"
                | "max"
        );
        if !is_known || explicit.is_some() && !matches!(name, "get" | "forward") {
            return Ok(None);
        }
        // The elements of a list: `min({a, b})`.
        if let ("min" | "max", [only]) = (name, args) {
            let ExprKind::Braced(items) = &only.kind else {
                return Err(Stop);
            };
            let given = self.given(items, act, frame)?;
            return Ok(Some(Outcome::Value(extreme(name == "max", &given)?)));
        }
        let given = self.given(args, act, frame)?;
        let places: Vec<Option<Location>> = given.iter().map(|it| it.place.clone()).collect();
        Ok(Some(match (name, places.as_slice()) {
            ("move" | "forward" | "as_const", [Some(place)]) => Outcome::Location(place.clone()),
            ("move" | "forward", [None]) => match given.into_iter().next() {
                Some(only) => only.into_outcome(),
                None => return Err(Stop),
            },
            ("addressof", [Some(place)]) => Outcome::Value(Content::Pointer(place.clone())),
            ("min" | "max", [_, _]) => {
                let found = extreme(name == "max", &given)?;
                Outcome::Value(found)
            }
            ("clamp", [_, _, _]) => {
                let [value, low, high] = given.as_slice() else {
                    return Err(Stop);
                };
                let value = extreme_of(false, value, high)?;
                let value = Given::of(low.expr, value, None);
                Outcome::Value(extreme_of(true, &value, low)?)
            }
            ("swap" | "exchange", [Some(_), _]) => self.exchanged(name == "swap", given)?,
            ("get", [place]) => {
                let index = match explicit {
                    Some([index]) => self.value(index, act, frame)?,
                    _ => return Err(Stop),
                };
                let index = self.integer(index, frame)?;
                let place = if let Some(place) = place {
                    place.clone()
                } else {
                    let only = given.into_iter().next().ok_or(Stop)?;
                    self.store.add(only.content)?
                };
                Outcome::Location(self.item(&place, index)?)
            }
            ("make_pair" | "make_tuple", _) => {
                let mut items = Vec::with_capacity(given.len());
                for given in given {
                    if matches!(given.content, Content::Array(_) | Content::Fixed(_)) {
                        return Err(Stop);
                    }
                    items.push(given.copy(&mut self.store)?);
                }
                Outcome::Value(Content::Tuple(items))
            }
            ("tie", _) => {
                let items: Option<Vec<Location>> = places.into_iter().collect();
                let items = items.ok_or(Stop)?.into_iter().map(Content::Alias);
                Outcome::Value(Content::Tuple(items.collect()))
            }
            ("size" | "ssize" | "empty" | "begin" | "end" | "data", [Some(array)]) => {
                let array = array.clone();
                return self.call_array(&array, name, &[]).map(Some);
            }
            _ => return Err(Stop),
        }))
    }

    /// `std::swap(a, b)` and `std::exchange(a, b)` of values that are not objects of classes.
    fn exchanged(&mut self, is_swap: bool, given: Vec<Given<'u>>) -> Followed<Outcome<'u>> {
        let Ok([first, second]) = <[Given<'u>; 2]>::try_from(given) else {
            return Err(Stop);
        };
        let place = first.place.ok_or(Stop)?;
        let before = self.store.read(&place)?;
        if matches!(before, Content::Object(..) | Content::Closure(_)) {
            return Err(Stop);
        }
        if is_swap {
            let other = second.place.ok_or(Stop)?;
            let after = self.store.read(&other)?;
            self.store.assign(&place, after)?;
            self.store.assign(&other, before)?;
            return Ok(Outcome::Value(Content::Unknown));
        }
        self.store.assign(&place, second.read()?)?;
        Ok(Outcome::Value(before))
    }

    /// An item of a tuple or an element of an array.
    fn item(&self, place: &Location, index: i64) -> Followed<Location> {
        match self.store.at(place)? {
            Content::Array(_) | Content::Tuple(_) => {
                let place = self.element(place, index)?;
                self.store.target_of(&place)
            }
            _ => Err(Stop),
        }
    }

    /// `std::numeric_limits<T>::max()`
    pub(super) fn limit_of(
        &mut self,
        callee: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Followed<Content<'u>>> {
        let path = callee.as_path().filter(|_| is_standard(callee))?;
        let [_, class, member] = path.segments.as_slice() else {
            return None;
        };
        if class.name.name != "numeric_limits" {
            return None;
        }
        let [ty] = class.args.as_deref()? else {
            return None;
        };
        let Type::Scalar(ty) = self.it.eval_type(ty, frame) else {
            return Some(Err(Stop));
        };
        let value = match numeric_limit(ty, &member.name.name) {
            Some(Value::Int(int)) => int.value(),
            _ => None,
        };
        let number = value.filter(|value| is_followed(ty) && ty.holds(*value));
        Some(number.map_or(Err(Stop), |value| Ok(Content::Number(Number { value, ty }))))
    }
}

/// The least or the greatest of some numbers of one type.
fn extreme<'u>(greatest: bool, given: &[Given<'u>]) -> Followed<Content<'u>> {
    let (first, rest) = given.split_first().ok_or(Stop)?;
    if given.len() > limits::MACHINE_ELEMENTS {
        return Err(Stop);
    }
    let mut found = Content::Number(first.content.number()?);
    for other in rest {
        let so_far = Given::of(first.expr, found, None);
        found = extreme_of(greatest, &so_far, other)?;
    }
    Ok(found)
}

fn extreme_of<'u>(greatest: bool, a: &Given<'u>, b: &Given<'u>) -> Followed<Content<'u>> {
    let (Content::Number(x), Content::Number(y)) = (&a.content, &b.content) else {
        return Err(Stop);
    };
    if x.ty.name != y.ty.name {
        return Err(Stop);
    }
    let is_second = if greatest {
        x.value < y.value
    } else {
        y.value < x.value
    };
    Ok(Content::Number(if is_second { *y } else { *x }))
}
