//! Common domains of two shapes: coordinates and loops that serve two layouts at once.
//!
//! Compatibility (paper §2.2.1, Definition 2.7) orders the shapes of one size: `P <= S` says that every coordinate of `P` is
//! a coordinate of `S`. In this order
//! * [`common_coarsening`] is the greatest lower bound: the coordinates that both shapes understand are exactly those
//!   of it (and of coarser ones). It always exists for equal sizes, since `30 <= (2,(3,5))` and `30 <= ((3,2),5)`.
//! * [`common_refinement`] is the least upper bound, and exists only where both shapes group alike.
//!
//! [`common_domain`] compares the shapes as mixed radices instead: the coarsest flat shape whose digits make up the digits
//! of both. Over it both layouts are affine, so one loop nest walks both.

use crate::int::Int;
use crate::refusal::{Refusal, Rule};
use crate::tuple::{IntTuple, Shape, Tuple, TupleView};
use crate::verdict::Verdict;

type View<'a> = TupleView<'a, Int>;

/// Whether two sizes are equal; refused when symbols leave it open.
fn same_size(a: &Int, b: &Int) -> Result<bool, Refusal> {
    a.equals(b).ok_or_else(|| {
        Refusal::new(Rule::NotProvable, Verdict::Accepts)
            .with("left_size", a)
            .with("right_size", b)
    })
}

fn require_same_size(a: View<'_>, b: View<'_>) -> Result<(), Refusal> {
    let (left, right) = (a.size()?, b.size()?);
    if same_size(&left, &right)? {
        return Ok(());
    }
    Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)
        .with("left_size", &left)
        .with("right_size", &right))
}

/// The greatest shape that is compatible with both (paper §2.2.1): the common coordinates of two domains.
///
/// Refused for different sizes, and where symbols leave it open whether two modes have the same size.
///
/// ```
/// use cute_algebra::{Shape, ops::common_coarsening};
/// let (a, b): (Shape, Shape) = ("(2,(3,5))".parse()?, "((3,2),5)".parse()?);
/// assert_eq!(common_coarsening(a.view(), b.view())?.to_string(), "30");
/// let (a, b): (Shape, Shape) = ("((4,2),(3,5))".parse()?, "((2,4),(3,5))".parse()?);
/// assert_eq!(common_coarsening(a.view(), b.view())?.to_string(), "(8,(3,5))");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn common_coarsening(a: View<'_>, b: View<'_>) -> Result<Shape, Refusal> {
    require_same_size(a, b)?;
    if a.is_leaf() || b.is_leaf() || a.rank() != b.rank() {
        return a.size().map(Tuple::leaf);
    }
    for (x, y) in a.modes().zip(b.modes()) {
        if !same_size(&x.size()?, &y.size()?)? {
            return a.size().map(Tuple::leaf);
        }
    }
    let modes = a
        .modes()
        .zip(b.modes())
        .map(|(x, y)| common_coarsening(x, y))
        .collect::<Result<Vec<_>, _>>()?;
    Tuple::group(modes)
}

/// The least shape that both are compatible with (paper §2.2.1): its coordinates include those of both.
///
/// Refused for different sizes, and with [`Rule::NotCongruent`] where the two group differently, at that mode.
///
/// ```
/// use cute_algebra::{Shape, ops::common_refinement};
/// let (a, b): (Shape, Shape) = ("(8,(3,5))".parse()?, "((2,4),15)".parse()?);
/// assert_eq!(common_refinement(a.view(), b.view())?.to_string(), "((2,4),(3,5))");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn common_refinement(a: View<'_>, b: View<'_>) -> Result<Shape, Refusal> {
    require_same_size(a, b)?;
    if a.is_leaf() {
        return Ok(b.to_tuple());
    }
    if b.is_leaf() {
        return Ok(a.to_tuple());
    }
    if a.rank() != b.rank() {
        return Err(Refusal::new(Rule::NotCongruent, Verdict::Accepts)
            .with("left", a.to_string())
            .with("right", b.to_string()));
    }
    let modes = a
        .modes()
        .zip(b.modes())
        .enumerate()
        .map(|(i, (x, y))| common_refinement(x, y).map_err(|r| r.inside(i)))
        .collect::<Result<Vec<_>, _>>()?;
    Tuple::group(modes)
}

/// The coarsest flat shape of which every extent of both shapes is a product of neighbours, in colexicographic order.
///
/// It exists exactly when, of any two products of leading extents of the two shapes, one divides the other; then
/// `A o R` and `B o R`, with `R` compact over it, have the functions of `A` and `B` for all layouts over the two shapes.
/// Refused for different sizes, and with [`Rule::ShapeDivisibility`] at the first two digits that overlap.
/// Linear in the leaves.
///
/// ```
/// use cute_algebra::{Shape, ops::common_domain};
/// let (a, b): (Shape, Shape) = ("(6,4)".parse()?, "(2,12)".parse()?);
/// assert_eq!(common_domain(a.view(), b.view())?.to_string(), "(2,3,4)");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn common_domain(a: View<'_>, b: View<'_>) -> Result<Shape, Refusal> {
    require_same_size(a, b)?;
    let mut left = Digits::of(a);
    let mut right = Digits::of(b);
    let mut extents: Vec<Int> = Vec::new();
    while let (Some(x), Some(y)) = (left.take(), right.take()) {
        if let Ok(rest) = x.div_exact(&y) {
            left.give_back(rest);
            extents.push(y);
        } else if let Ok(rest) = y.div_exact(&x) {
            right.give_back(rest);
            extents.push(x);
        } else {
            return Err(overlapping(&x, &y));
        }
    }
    match <[Int; 1]>::try_from(extents) {
        Ok([only]) => Ok(Tuple::leaf(only)),
        Err(extents) if extents.is_empty() => Ok(Tuple::leaf(Int::ONE)),
        Err(extents) => IntTuple::flat(extents),
    }
}

fn overlapping(x: &Int, y: &Int) -> Refusal {
    let known = x.value().is_some() && y.value().is_some();
    let rule = if known {
        Rule::ShapeDivisibility
    } else {
        Rule::NotProvable
    };
    Refusal::new(rule, Verdict::Accepts)
        .with("left_extent", x)
        .with("right_extent", y)
}

/// The extents of a shape other than 1, of which the first may be used up in parts.
struct Digits<'a> {
    pending: Option<Int>,
    leaves: core::slice::Iter<'a, Int>,
}

impl<'a> Digits<'a> {
    fn of(shape: View<'a>) -> Self {
        Digits {
            pending: None,
            leaves: shape.leaves().iter(),
        }
    }

    fn take(&mut self) -> Option<Int> {
        self.pending
            .take()
            .or_else(|| self.leaves.find(|n| n.value() != Some(1)).cloned())
    }

    fn give_back(&mut self, rest: Int) {
        self.pending = Some(rest).filter(|rest| rest.value() != Some(1));
    }
}
