//! Division and comparison of shapes (paper §2.2): `ceil_div`, `shape_div`, `round_up`, congruence, compatibility.
//!
//! All linear in the number of leaves.

use crate::int::Int;
use crate::refusal::{Refusal, Rule};
use crate::tuple::{IntTuple, Tuple, TupleView, product};

type View<'a> = TupleView<'a, Int>;

fn mismatched_ranks(a: View<'_>, b: View<'_>) -> Refusal {
    Refusal::asserted(Rule::RankMismatch, "Mismatched ranks")
        .with("left_rank", a.rank())
        .with("right_rank", b.rank())
}

fn group(modes: impl Iterator<Item = Result<IntTuple, Refusal>>) -> Result<IntTuple, Refusal> {
    Tuple::group(modes.collect::<Result<Vec<_>, _>>()?)
}

/// The number of tiles of `b` that cover `a`: element-wise for two tuples, folded over `a` for an integer `b`.
///
/// `ceil_div((6,8),(4,2)) = (2,4)`, `ceil_div((4,5,6),40) = (1,1,3)`; a shorter `b` leaves the other modes.
pub fn ceil_div(a: View<'_>, b: View<'_>) -> Result<IntTuple, Refusal> {
    fold_division(a, b, &|x, y| x.ceil_div(y), Missing::One)
}

/// [`ceil_div`] that asserts `a % b = 0 or b % a = 0` for static integers.
pub fn shape_div(a: View<'_>, b: View<'_>) -> Result<IntTuple, Refusal> {
    fold_division(a, b, &shape_div_integers, Missing::Refused)
}

fn shape_div_integers(a: &Int, b: &Int) -> Result<Int, Refusal> {
    if let (Some(x), Some(y)) = (a.as_static(), b.as_static()) {
        let divides = |n: i64, d: i64| n.checked_rem(d) == Some(0);
        if !divides(x, y) && !divides(y, x) {
            return Err(
                Refusal::asserted(Rule::NotDivisible, "Divisibility Condition")
                    .with("dividend", x)
                    .with("divisor", y),
            );
        }
    }
    a.ceil_div(b)
}

#[derive(Clone, Copy, PartialEq)]
enum Missing {
    One,
    Refused,
}

fn fold_division(
    a: View<'_>,
    b: View<'_>,
    divide: &dyn Fn(&Int, &Int) -> Result<Int, Refusal>,
    missing: Missing,
) -> Result<IntTuple, Refusal> {
    match (a.as_leaf(), b.as_leaf()) {
        (Some(x), Some(y)) => Ok(Tuple::leaf(divide(x, y)?)),
        (Some(x), None) => Ok(Tuple::leaf(divide(x, &product(b.leaves())?)?)),
        (None, Some(y)) => divide_in_turn(a, y, divide),
        (None, None) => {
            if a.rank() < b.rank() || (missing == Missing::Refused && a.rank() != b.rank()) {
                return Err(mismatched_ranks(a, b));
            }
            let one = Tuple::leaf(Int::ONE);
            let divisors = b.modes().chain(core::iter::repeat(one.view()));
            group(
                a.modes()
                    .zip(divisors)
                    .map(|(x, y)| fold_division(x, y, divide, missing)),
            )
        }
    }
}

/// A single divisor over the modes of a shape: each takes its part, and the rest goes on.
fn divide_in_turn(
    shape: View<'_>,
    divisor: &Int,
    divide: &dyn Fn(&Int, &Int) -> Result<Int, Refusal>,
) -> Result<IntTuple, Refusal> {
    let mut rest = divisor.clone();
    let mut modes = Vec::with_capacity(shape.rank());
    for mode in shape.modes() {
        if let Some(extent) = mode.as_leaf() {
            modes.push(Tuple::leaf(divide(extent, &rest)?));
            rest = divide(&rest, extent)?;
        } else {
            modes.push(divide_in_turn(mode, &rest, divide)?);
            rest = divide(&rest, &product(mode.leaves())?)?;
        }
    }
    Tuple::group(modes)
}

/// `a` rounded up to a multiple of `b`; a shorter `b` leaves the other modes.
pub fn round_up(a: View<'_>, b: View<'_>) -> Result<IntTuple, Refusal> {
    match (a.as_leaf(), b.as_leaf()) {
        (Some(x), Some(y)) => Ok(Tuple::leaf(x.ceil_div(y)?.mul(y)?)),
        (None, None) if a.rank() >= b.rank() => {
            let one = Tuple::leaf(Int::ONE);
            let multiples = b.modes().chain(core::iter::repeat(one.view()));
            group(a.modes().zip(multiples).map(|(x, y)| round_up(x, y)))
        }
        // A mode that the shorter operand does not name is rounded to a multiple of 1.
        (None, Some(y)) if y.is_constant(1) => Ok(a.to_tuple()),
        (None, None) => Err(mismatched_ranks(a, b)),
        _ => Err(
            Refusal::uncompilable(Rule::RankMismatch, "no match for operator+")
                .with("left_rank", a.rank())
                .with("right_rank", b.rank()),
        ),
    }
}

/// Element-wise `a * product(b)` at the leaves of `a`.
pub fn elem_scale(a: View<'_>, b: View<'_>) -> Result<IntTuple, Refusal> {
    match a.as_leaf() {
        Some(x) => Ok(Tuple::leaf(x.mul(&product(b.leaves())?)?)),
        None if a.rank() == b.rank() => {
            group(a.modes().zip(b.modes()).map(|(x, y)| elem_scale(x, y)))
        }
        None => Err(mismatched_ranks(a, b)),
    }
}

/// The product of each mode.
pub fn product_each(shape: View<'_>) -> Result<IntTuple, Refusal> {
    group(
        shape
            .modes()
            .map(|mode| Ok(Tuple::leaf(product(mode.leaves())?))),
    )
}

/// The product of all extents before each one, 1 for the first.
pub fn prefix_product(shape: View<'_>) -> Result<IntTuple, Refusal> {
    let mut before = Int::ONE;
    shape.to_tuple().try_map(|extent| {
        let next = before.mul(extent)?;
        Ok(core::mem::replace(&mut before, next))
    })
}

/// The products of `shape` at the leaves of `guide`.
pub fn product_like<T>(shape: View<'_>, guide: TupleView<'_, T>) -> Result<IntTuple, Refusal> {
    if guide.is_leaf() {
        return Ok(Tuple::leaf(product(shape.leaves())?));
    }
    if shape.is_leaf() || guide.rank() != shape.rank() {
        return Err(
            Refusal::asserted(Rule::RankMismatch, "Mismatched tuple_size")
                .with("left_rank", shape.rank())
                .with("right_rank", guide.rank()),
        );
    }
    group(
        shape
            .modes()
            .zip(guide.modes())
            .map(|(s, g)| product_like(s, g)),
    )
}

/// `a <= b`: each leaf of `a` equals the size of the mode of `b` that it corresponds to (paper §2.2.1), so that a
/// coordinate of `a` is one of `b`. Static or run-time 1 or 0 as CuTe's; refused when symbols leave it open.
pub fn compatible(a: View<'_>, b: View<'_>) -> Result<Int, Refusal> {
    match (a.as_leaf(), b.as_leaf()) {
        (Some(x), _) => equal(x, &product(b.leaves())?),
        (None, Some(_)) => Ok(Int::fixed_bool(false)),
        (None, None) if a.rank() != b.rank() => Ok(Int::fixed_bool(false)),
        (None, None) => a
            .modes()
            .zip(b.modes())
            .try_fold(Int::ONE, |all, (x, y)| all_of(&all, &compatible(x, y)?)),
    }
}

/// Whether tiles of `tiler` cover `shape` exactly.
pub fn evenly_divides(shape: View<'_>, tiler: View<'_>) -> Result<Int, Refusal> {
    let Some(extents) = tiled_extents(shape, tiler)? else {
        return Ok(Int::fixed_bool(false));
    };
    extents.iter().try_fold(Int::ONE, |all, (extent, covered)| {
        all_of(&all, &equal(extent, covered)?)
    })
}

/// The extent of each part of `shape` that a leaf of `tiler` divides, and the extent that its whole tiles
/// cover: the tiler divides the shape evenly where all pairs are equal. `None` where the tiler has more modes.
pub fn tiled_extents(shape: View<'_>, tiler: View<'_>) -> Result<Option<Vec<(Int, Int)>>, Refusal> {
    if tiler.is_leaf() {
        let tiles = ceil_div(shape, tiler)?;
        let covered = product(tiler.leaves())?.mul(&tiles.size()?)?;
        return Ok(Some(vec![(product(shape.leaves())?, covered)]));
    }
    if tiler.rank() > shape.rank() {
        return Ok(None);
    }
    let mut extents = Vec::new();
    for (tiler, shape) in tiler.modes().zip(shape.modes()) {
        let Some(inner) = tiled_extents(shape, tiler)? else {
            return Ok(None);
        };
        extents.extend(inner);
    }
    Ok(Some(extents))
}

/// `a == b` as CuTe's operator: static when both are.
fn equal(a: &Int, b: &Int) -> Result<Int, Refusal> {
    let same = a.equals(b).ok_or_else(|| {
        Refusal::new(Rule::NotProvable, crate::verdict::Verdict::Accepts)
            .with("left", a)
            .with("right", b)
    })?;
    Ok(if a.is_static() && b.is_static() {
        Int::fixed_bool(same)
    } else {
        Int::dynamic(i64::from(same))
    })
}

/// `a && b` as CuTe's operator: a static false decides.
fn all_of(a: &Int, b: &Int) -> Result<Int, Refusal> {
    if a.is_constant(0) || b.is_constant(0) {
        return Ok(Int::fixed_bool(false));
    }
    a.mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> IntTuple {
        text.parse().unwrap_or_else(|_| Tuple::leaf(Int::ZERO))
    }

    #[test]
    fn an_integer_divides_mode_after_mode() {
        let result = shape_div(shape("(_4,_5,_6)").view(), shape("_40").view());
        assert_eq!(result.map(|t| t.to_string()), Ok("(_1,_1,_3)".to_owned()));
    }

    #[test]
    fn a_shorter_divisor_leaves_the_other_modes() {
        let result = ceil_div(shape("(_6,_8,(_3,_2))").view(), shape("(_4,_2)").view());
        assert_eq!(
            result.map(|t| t.to_string()),
            Ok("(_2,_4,(_3,_2))".to_owned())
        );
    }
}
