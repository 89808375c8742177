//! The definition is the judge: what CuTe computes, and whether it is what the paper defines.
//!
//! CuTe checks less than the definition needs, and for static integers only. So each judged operation returns CuTe's
//! result and a [`Judgement`]: what CuTe does, the first coordinate at which its result departs from the definition, how
//! far that was checked, the conditions that rest on unknown numbers, and how much the tiles cover.
//!
//! Nothing is enumerated while a theorem decides ([`crate::proof`]); otherwise at most [`limits::BUDGET`] coordinates.

use crate::ask::Value;
use crate::composed::AnyLayout;
use crate::int::Int;
use crate::layout::{Layout, LayoutView, Offset};
use crate::limits;
use crate::log::{Condition, Conditions, Log};
use crate::ops::{self, divide, product, swizzled};
use crate::proof;
use crate::refusal::{Refusal, Rule};
use crate::stride::{Delta, add_points};
use crate::tiler::Tiler;
use crate::tuple::{IntTuple, Shape, Tuple};
use crate::verdict::Verdict;
use crate::witness::{Checked, Comparison, Witness, compare};

/// How many elements a divided layout covers, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The size of the result.
    pub covered: Int,
    /// The size of the layout that is divided.
    pub size: Int,
}

impl Coverage {
    /// Whether more is covered than there is: `None` when symbols leave it open.
    pub fn over_covers(&self) -> Option<bool> {
        self.size.less(&self.covered)
    }
}

/// What there is to say beside a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What CuTe C++ 4.2 does.
    pub cute: Verdict,
    /// Where CuTe's result departs from the definition.
    pub witness: Option<Witness>,
    /// How far the result was compared with the definition.
    pub checked: Checked,
    /// What the result relies on and the numbers do not decide.
    pub conditions: Vec<Condition>,
    /// What the tiles of a divide cover.
    pub coverage: Option<Coverage>,
    /// The size of a composition and that of its right operand, when CuTe's run-time arithmetic lost elements.
    pub lost_elements: Option<(i64, i64)>,
}

impl Judgement {
    /// CuTe accepts, and nothing was compared.
    pub fn accepted() -> Self {
        Judgement {
            cute: Verdict::Accepts,
            witness: None,
            checked: Checked::Not,
            conditions: Vec::new(),
            coverage: None,
            lost_elements: None,
        }
    }

    /// There is no result, for this reason.
    pub fn refused(refusal: &Refusal) -> Self {
        Judgement {
            cute: refusal.cute,
            ..Judgement::accepted()
        }
    }

    fn compared(mut self, comparison: Comparison) -> Self {
        match comparison {
            Comparison::Holds(checked) => self.checked = checked,
            Comparison::Departs(witness) => self.witness = Some(witness),
        }
        self
    }

    /// The rule that the result breaks although CuTe accepts it, if any.
    pub fn finding(&self) -> Option<Rule> {
        if self.witness.is_some() || self.lost_elements.is_some() {
            return Some(Rule::NotAComposition);
        }
        let over = self.coverage.as_ref().and_then(Coverage::over_covers);
        (over == Some(true)).then_some(Rule::OverCovers)
    }
}

/// A result with its judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged<T> {
    /// CuTe's result, or why there is none.
    pub result: Result<T, Refusal>,
    /// What there is to say beside it.
    pub judgement: Judgement,
}

impl<T> Judged<T> {
    fn refused(refusal: Refusal) -> Self {
        Judged {
            judgement: Judgement::refused(&refusal),
            result: Err(refusal),
        }
    }
}

impl<T: Into<Value>> Judged<T> {
    pub(crate) fn into_answer(self) -> Result<(Value, Judgement), Refusal> {
        self.result.map(|value| (value.into(), self.judgement))
    }
}

/// How a divide or a product arranges its tiles and rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `(tile, rest)` in each mode.
    Logical,
    /// `((tile,..),(rest,..))`.
    Zipped,
    /// `((tile,..),rest,..)`.
    Tiled,
    /// `(tile,..,rest,..)`.
    Flat,
}

impl Form {
    fn arrange(self, logical: &Layout, tiler: &Tiler) -> Result<Layout, Refusal> {
        if self == Form::Logical {
            return Ok(logical.clone());
        }
        let zipped = ops::zip::tile_unzip(logical, tiler)?;
        match self {
            Form::Logical | Form::Zipped => Ok(zipped),
            Form::Tiled => ops::zip::unpack(&zipped, false, true),
            Form::Flat => ops::zip::unpack(&zipped, true, true),
        }
    }
}

/// A function that one mode of a result has to have.
enum Part {
    /// `a(b(x))`.
    Composition { a: Layout, b: Layout },
    /// `block(x % size) + free(grid(x / size))`.
    Product {
        block: Layout,
        free: Layout,
        grid: Layout,
    },
    /// `layout(x)`.
    Same(Layout),
}

impl Part {
    /// The offset of a coordinate, and whether it was read beyond the domain of `a`.
    fn eval(&self, x: i64) -> Result<(Offset, bool), Refusal> {
        match self {
            Part::Same(layout) => layout.eval(x).map(|offset| (offset, false)),
            Part::Composition { a, b } => eval_composition(a.view(), b.view(), x),
            Part::Product { block, free, grid } => {
                let size = block.size()?.value().filter(|s| *s > 0).unwrap_or(1);
                let (copy, outside) = eval_composition(free.view(), grid.view(), x / size)?;
                Ok((
                    add_points(block.eval(x % size)?.view(), copy.view())?,
                    outside,
                ))
            }
        }
    }

    /// Whether a theorem says that CuTe's composition is right here.
    fn is_proved(&self) -> bool {
        match self {
            Part::Same(_) => true,
            Part::Composition { a, b } => ops::composition(a, b)
                .is_ok_and(|r| proof::is_composition(a.view(), b.view(), r.view())),
            Part::Product { free, grid, .. } => ops::composition(free, grid)
                .is_ok_and(|r| proof::is_composition(free.view(), grid.view(), r.view())),
        }
    }
}

/// `a(b(x))`, and whether `b(x)` lies outside of the domain of `a`.
fn eval_composition(
    a: LayoutView<'_>,
    b: LayoutView<'_>,
    x: i64,
) -> Result<(Offset, bool), Refusal> {
    let inner = b.eval(x)?;
    match inner.as_leaf().and_then(Int::value) {
        Some(index) => {
            let outside = a
                .size()?
                .value()
                .is_some_and(|size| index >= size || index < 0);
            Ok((a.eval(index)?, outside))
        }
        None => {
            let padded = pad_with_zeros(&inner, a)?;
            let outside = crate::coord::is_inside(padded.view(), a.shape_view())? == Some(false);
            let offset = crate::coord::crd2idx(padded.view(), a.shape_view(), a.stride_view())?;
            Ok((offset, outside))
        }
    }
}

/// A point of a codomain as a coordinate of `a`: coordinates that it does not name are 0.
fn pad_with_zeros(point: &IntTuple, a: LayoutView<'_>) -> Result<IntTuple, Refusal> {
    if point.is_leaf() || a.is_leaf() {
        return Ok(point.clone());
    }
    let zero = Tuple::leaf(Int::ZERO);
    let modes = a.modes().enumerate().map(|(i, mode)| match point.get(i) {
        Some(p) => pad_with_zeros(&p.to_tuple(), mode),
        None => Ok(zero.clone()),
    });
    Tuple::group(modes.collect::<Result<Vec<_>, _>>()?)
}

/// The parts of a result, and where in it the coordinates of each part stand.
struct Definition {
    parts: Vec<Part>,
    /// Maps a coordinate of the logical result to the coordinate `x_p` of each part `p`, as `x_p@p`.
    coordinates: Layout,
}

impl Definition {
    fn of_divide(layout: LayoutView<'_>, tiler: &Tiler) -> Result<Self, Refusal> {
        let mut parts = Vec::new();
        let coordinates = collect_parts(layout, tiler, &mut parts, &|mode, tile| {
            let target = ops::coalesce(&mode.to_layout())?.shape();
            let rest = ops::complement(tile, &target)?;
            let split = Layout::concat([tile.view(), rest.view()])?;
            let sizes = (tile.size()?, rest.size()?);
            Ok((
                Part::Composition {
                    a: mode.to_layout(),
                    b: split,
                },
                sizes,
            ))
        })?;
        Ok(Definition { parts, coordinates })
    }

    fn of_product(layout: LayoutView<'_>, tiler: &Tiler) -> Result<Self, Refusal> {
        let mut parts = Vec::new();
        let coordinates = collect_parts(layout, tiler, &mut parts, &|mode, grid| {
            let block = mode.to_layout();
            let target = block.size()?.mul(&grid.cosize()?)?;
            let free = ops::complement(&block, &Tuple::leaf(target))?;
            let sizes = (block.size()?, grid.size()?);
            Ok((
                Part::Product {
                    block,
                    free,
                    grid: grid.clone(),
                },
                sizes,
            ))
        })?;
        Ok(Definition { parts, coordinates })
    }

    /// Compares a result whose coordinates are arranged like `arranged`.
    fn compare_with(&self, arranged: &Layout, result: &Layout) -> Comparison {
        if self.parts.iter().all(Part::is_proved) {
            return Comparison::Holds(Checked::ByTheorem);
        }
        let size = result.size().ok().and_then(|size| size.value());
        let expected = |c: i64| {
            let point = arranged.eval(c)?;
            let mut sum = Tuple::leaf(Int::ZERO);
            let mut outside = false;
            for (p, part) in self.parts.iter().enumerate() {
                let x = point
                    .get(p)
                    .and_then(|x| x.as_leaf().and_then(Int::value))
                    .unwrap_or(0);
                let (offset, beyond) = part.eval(x)?;
                sum = add_points(sum.view(), offset.view())?;
                outside |= beyond;
            }
            Ok((sum, outside))
        };
        compare(size, limits::BUDGET, &expected, &|c| result.eval(c))
    }
}

type SplitMode<'a> = &'a dyn Fn(LayoutView<'_>, &Layout) -> Result<(Part, (Int, Int)), Refusal>;

/// Collects the parts of a by-mode operation, and builds the layout of their coordinates.
fn collect_parts(
    layout: LayoutView<'_>,
    tiler: &Tiler,
    parts: &mut Vec<Part>,
    split: SplitMode<'_>,
) -> Result<Layout, Refusal> {
    let tile = match tiler {
        Tiler::Skip => return untouched(layout, parts),
        Tiler::Int(extent) => Layout::single(extent.clone(), Int::ONE),
        Tiler::Layout(tile) => tile.clone(),
        Tiler::Modes(tilers) => {
            let mut modes = Vec::with_capacity(layout.rank());
            for (mode, tiler) in layout.modes().zip(tilers) {
                modes.push(collect_parts(mode, tiler, parts, split)?);
            }
            for mode in layout.modes().skip(tilers.len()) {
                modes.push(untouched(mode, parts)?);
            }
            return Layout::concat(modes.iter().map(Layout::view));
        }
    };
    let path = part_path(parts)?;
    let (part, (first, second)) = split(layout, &tile)?;
    parts.push(part);
    let shape = Tuple::flat([first.clone(), second])?;
    let stride = Tuple::flat([Delta::basis(Int::ONE, [path]), Delta::basis(first, [path])])?;
    Layout::new(shape, stride)
}

fn untouched(layout: LayoutView<'_>, parts: &mut Vec<Part>) -> Result<Layout, Refusal> {
    let path = part_path(parts)?;
    parts.push(Part::Same(layout.to_layout()));
    let start = Delta::basis(Int::ONE, [path]);
    Layout::new(
        layout.shape(),
        ops::compact::compact_left(layout.shape_view(), &start)?,
    )
}

fn part_path(parts: &[Part]) -> Result<u16, Refusal> {
    u16::try_from(parts.len()).map_err(|_| Refusal::limit("rank", limits::RANK))
}

/// `A o T`, judged: `R(c) = A(T(c))` at every coordinate.
pub fn composition(a: &AnyLayout, tiler: &Tiler) -> Judged<AnyLayout> {
    let mut conditions = Conditions::default();
    let inner = a.domain();
    let result = match ops::composition::composition_by_logged(
        inner.view(),
        tiler,
        &mut Log::to(&mut conditions),
    ) {
        Ok(result) => result,
        Err(refusal) => return Judged::refused(with_legal_operands(refusal, inner, tiler)),
    };
    let comparison = match tiler {
        Tiler::Layout(b) => compare_composition(inner, b, &result),
        Tiler::Int(extent) => {
            compare_composition(inner, &Layout::single(extent.clone(), Int::ONE), &result)
        }
        _ => compare_by_mode(inner, tiler, &result),
    };
    let lost_elements = match tiler {
        Tiler::Layout(b) => sizes(&result, b).filter(|(got, wanted)| got != wanted),
        _ => None,
    };
    let judgement = Judgement {
        conditions: undecided(conditions),
        lost_elements,
        ..Judgement::accepted()
    };
    Judged {
        judgement: judgement.compared(comparison),
        result: Ok(a.with_domain(result)),
    }
}

/// Two known sizes.
fn sizes(a: &Layout, b: &Layout) -> Option<(i64, i64)> {
    a.size().ok()?.value().zip(b.size().ok()?.value())
}

/// Compares a layout with the composition of two others, by theorem or at up to [`limits::BUDGET`] coordinates.
pub fn compare_composition(a: &Layout, b: &Layout, result: &Layout) -> Comparison {
    compare_composition_within(a, b, result, limits::BUDGET)
}

/// [`compare_composition`] with a budget of its own.
pub fn compare_composition_within(
    a: &Layout,
    b: &Layout,
    result: &Layout,
    budget: u64,
) -> Comparison {
    if proof::is_composition(a.view(), b.view(), result.view()) {
        return Comparison::Holds(Checked::ByTheorem);
    }
    let size = b.size().ok().and_then(|size| size.value());
    compare(
        size,
        budget,
        &|c| eval_composition(a.view(), b.view(), c),
        &|c| result.eval(c),
    )
}

/// A by-mode composition: modes that the tiler does not name are dropped.
fn compare_by_mode(a: &Layout, tiler: &Tiler, result: &Layout) -> Comparison {
    let mut parts = Vec::new();
    let coordinates = match collect_compositions(a.view(), tiler, &mut parts) {
        Ok(coordinates) => coordinates,
        Err(_) => return Comparison::Holds(Checked::Not),
    };
    Definition {
        parts,
        coordinates: coordinates.clone(),
    }
    .compare_with(&coordinates, result)
}

fn collect_compositions(
    a: LayoutView<'_>,
    tiler: &Tiler,
    parts: &mut Vec<Part>,
) -> Result<Layout, Refusal> {
    let b = match tiler {
        Tiler::Skip => return untouched(a, parts),
        Tiler::Int(extent) => Layout::single(extent.clone(), Int::ONE),
        Tiler::Layout(b) => b.clone(),
        Tiler::Modes(tilers) => {
            let modes = a
                .modes()
                .zip(tilers)
                .map(|(mode, tiler)| collect_compositions(mode, tiler, parts));
            let modes = modes.collect::<Result<Vec<_>, _>>()?;
            return Layout::concat(modes.iter().map(Layout::view));
        }
    };
    let start = Delta::basis(Int::ONE, [part_path(parts)?]);
    let domain = Layout::new(
        b.shape(),
        ops::compact::compact_left(b.shape_view(), &start)?,
    )?;
    parts.push(Part::Composition {
        a: a.to_layout(),
        b,
    });
    Ok(domain)
}

fn undecided(conditions: Conditions) -> Vec<Condition> {
    conditions
        .0
        .into_iter()
        .filter(|condition| condition.holds != Some(true))
        .collect()
}

/// Adds the nearest right operands that would be legal to a refused composition.
fn with_legal_operands(mut refusal: Refusal, a: &Layout, tiler: &Tiler) -> Refusal {
    if let (Rule::StrideDivisibility | Rule::ShapeDivisibility, Tiler::Layout(b)) =
        (refusal.rule, tiler)
    {
        refusal.legal.extend(
            proof::legal_right_operands(a, b)
                .iter()
                .map(|b| format!("{b:#}")),
        );
    }
    refusal
}

/// A divide in any form, judged: mode 0 of each pair is `A o T`, mode 1 is `A o T*`.
pub fn divide(a: &AnyLayout, tiler: &Tiler, form: Form) -> Judged<AnyLayout> {
    let inner = a.domain();
    let mut conditions = Conditions::default();
    let logical = divide::logical_divide_logged(inner.view(), tiler, &mut Log::to(&mut conditions));
    let mut judged = arranged(a, logical, tiler, form, conditions, Definition::of_divide);
    if let Ok(result) = &judged.result
        && let (Ok(covered), Ok(size)) = (result.size(), inner.size())
    {
        judged.judgement.coverage = Some(Coverage { covered, size });
    }
    judged
}

/// A product in any form, judged: mode 0 of each pair is the block, mode 1 is `A* o T`.
pub fn product(a: &AnyLayout, tiler: &Tiler, form: Form) -> Judged<AnyLayout> {
    let mut conditions = Conditions::default();
    let logical =
        product::logical_product_logged(a.domain().view(), tiler, &mut Log::to(&mut conditions));
    arranged(a, logical, tiler, form, conditions, Definition::of_product)
}

fn arranged(
    a: &AnyLayout,
    logical: Result<Layout, Refusal>,
    tiler: &Tiler,
    form: Form,
    conditions: Conditions,
    definition: fn(LayoutView<'_>, &Tiler) -> Result<Definition, Refusal>,
) -> Judged<AnyLayout> {
    let result = match logical.and_then(|logical| form.arrange(&logical, tiler)) {
        Ok(result) => result,
        Err(refusal) => return Judged::refused(refusal),
    };
    let comparison = definition(a.domain().view(), tiler)
        .and_then(|d| {
            let coordinates = form.arrange(&d.coordinates, tiler)?;
            Ok(d.compare_with(&coordinates, &result))
        })
        .unwrap_or(Comparison::Holds(Checked::Not));
    let judgement = Judgement {
        conditions: undecided(conditions),
        ..Judgement::accepted()
    }
    .compared(comparison);
    Judged {
        result: Ok(a.with_domain(result)),
        judgement,
    }
}

/// The complement, judged: refused for negative strides, for which CuTe returns negative extents.
pub fn complement(layout: &Layout, cotarget: Option<&Shape>) -> Judged<AnyLayout> {
    let result = match cotarget {
        Some(cotarget) => ops::complement(layout, cotarget),
        None => ops::complement_default(layout),
    };
    match result {
        Err(refusal) => Judged::refused(with_collision(refusal, layout)),
        Ok(_) if has_negative_stride(layout) => Judged::refused(negative(layout)),
        Ok(result) => Judged {
            result: Ok(AnyLayout::Affine(result)),
            judgement: Judgement {
                cute: verdict_in_coordinates(layout),
                ..Judgement::accepted()
            },
        },
    }
}

/// CuTe sorts and divides integer strides only: complements and inverses of coordinate layouts do not compile.
fn verdict_in_coordinates(layout: &Layout) -> Verdict {
    if layout
        .view()
        .steps()
        .iter()
        .any(|step| step.as_basis().is_some())
    {
        Verdict::CompileError("no match for an operator on ScaledBasis")
    } else {
        Verdict::Accepts
    }
}

fn has_negative_stride(layout: &Layout) -> bool {
    let view = layout.view();
    view.extents()
        .iter()
        .zip(view.steps())
        .any(|(extent, step)| {
            extent.value() != Some(1) && step.value().less(&Int::ZERO) == Some(true)
        })
}

fn negative(layout: &Layout) -> Refusal {
    Refusal::new(Rule::NegativeStride, Verdict::Accepts)
        .with("stride", format!("{:#}", layout.stride()))
}

/// Adds two coordinates of the same offset to a refusal for not being injective.
fn with_collision(mut refusal: Refusal, layout: &Layout) -> Refusal {
    if refusal.rule == Rule::NotInjective
        && let Ok(filtered) = ops::filter(layout)
        && let Some((first, second, offset)) = proof::first_collision(&filtered, limits::BUDGET)
    {
        refusal.numbers.push(("first_coordinate", first.into()));
        refusal.numbers.push(("second_coordinate", second.into()));
        refusal.numbers.push(("offset", offset.into()));
    }
    refusal
}

/// The right inverse, judged: `L(R(k)) = k`.
pub fn right_inverse(layout: &AnyLayout) -> Judged<AnyLayout> {
    inverse(layout, swizzled::right_inverse_any, |layout, inverse, k| {
        let at = inverse.eval(k)?;
        Ok((Tuple::leaf(Int::dynamic(k)), layout.eval_coord(&at)?))
    })
}

/// The left inverse, judged: `L(R(L(k))) = L(k)`.
pub fn left_inverse(layout: &AnyLayout) -> Judged<AnyLayout> {
    inverse(layout, swizzled::left_inverse_any, |layout, inverse, k| {
        let offset = layout.eval(k)?;
        let again = layout.eval_coord(&inverse.eval_coord(&offset)?)?;
        Ok((offset, again))
    })
}

fn inverse(
    layout: &AnyLayout,
    compute: fn(&AnyLayout) -> Result<AnyLayout, Refusal>,
    law: impl Fn(&AnyLayout, &AnyLayout, i64) -> Result<(Offset, Offset), Refusal>,
) -> Judged<AnyLayout> {
    let result = match compute(layout) {
        Ok(result) => result,
        Err(refusal) => return Judged::refused(refusal),
    };
    if has_negative_stride(layout.domain()) {
        return Judged::refused(negative(layout.domain()));
    }
    let judgement = Judgement {
        cute: verdict_in_coordinates(layout.domain()),
        ..Judgement::accepted()
    };
    if judgement.cute != Verdict::Accepts {
        return Judged {
            result: Ok(result),
            judgement,
        };
    }
    // The budget is small: the law follows from how the inverse is built wherever strides divide one another.
    let size = layout.size().ok().and_then(|size| size.value());
    let inverse_size = result.size().ok().and_then(|size| size.value());
    let size = size.zip(inverse_size).map(|(a, b)| a.min(b));
    let budget = limits::BUDGET / 64;
    let comparison = compare(
        size,
        budget,
        &|k| law(layout, &result, k).map(|(expected, _)| (expected, false)),
        &|k| law(layout, &result, k).map(|(_, got)| got),
    );
    Judged {
        judgement: judgement.compared(comparison),
        result: Ok(result),
    }
}
