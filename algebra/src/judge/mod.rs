//! The definition is the judge: the result of CuTe, and whether it is the one of the paper's definition.
//!
//! CuTe checks less than the definition needs, and for static integers only. So each judged operation returns CuTe's
//! result and a [`Judgement`]: the verdict of CuTe, the first coordinate at which its result departs from the
//! definition, how far that was checked, the conditions that rest on unknown numbers, and how much the tiles cover.
//!
//! Nothing is enumerated while a theorem decides ([`crate::proof`]); otherwise at most [`limits::BUDGET`] coordinates.

mod definition;
mod plan;

use crate::composed::AnyLayout;
use crate::int::Int;
use crate::layout::{Layout, LayoutView, Offset};
use crate::limits;
use crate::log::{Condition, Conditions, Log};
use crate::neighbours;
use crate::ops::{self, divide, product, swizzled};
use crate::proof;
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::tiler::Tiler;
use crate::tuple::{Shape, Tuple};
use crate::verdict::Verdict;
use crate::witness::{Checked, Comparison, Witness, compare, compare_unless};
use definition::{Definition, Part, collect_compositions, eval_composition};
use plan::Plan;

/// Number of elements that a divided layout covers, and number of elements.
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

/// The judgement on a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict of CuTe C++ 4.2.
    pub cute: Verdict,
    /// The first coordinate at which CuTe's result departs from the definition.
    pub witness: Option<Witness>,
    /// The rule that a witness breaks: each operation has a separate definition.
    pub law: Rule,
    /// The extent of the comparison with the definition.
    pub checked: Checked,
    /// Conditions that the result relies on and the numbers do not decide.
    pub conditions: Vec<Condition>,
    /// The coverage of the tiles of a divide.
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
            law: Rule::NotAComposition,
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
            return Some(self.law);
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
    /// The judgement on it.
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

/// The arrangement of tiles and rests by a divide or a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// [`compare_composition`] with a separate budget.
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
    let part = Part::Composition {
        a: a.clone(),
        b: b.clone(),
    };
    let mut plan = size.and_then(|size| {
        let along = Layout::single(Int::fixed(size), Delta::basis(Int::ONE, [0]));
        Plan::of(&[part], &along, result)
    });
    compare_unless(
        size,
        budget,
        &mut || plan.as_mut().is_some_and(Plan::next_agrees),
        &|c| eval_composition(a.view(), b.view(), c),
        &|c| result.eval(c),
    )
}

/// A by-mode composition: modes that the tiler does not name are dropped.
fn compare_by_mode(a: &Layout, tiler: &Tiler, result: &Layout) -> Comparison {
    let mut parts = Vec::new();
    let Ok(coordinates) = collect_compositions(a.view(), tiler, &mut parts) else {
        return Comparison::Holds(Checked::Not);
    };
    Definition {
        parts,
        coordinates: coordinates.clone(),
    }
    .compare_with(&coordinates, result)
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
    if matches!(
        refusal.rule,
        Rule::StrideDivisibility | Rule::ShapeDivisibility
    ) {
        let near = neighbours::of_composition(a, tiler);
        refusal
            .legal
            .extend(near.iter().map(|near| format!("{near:#}")));
    }
    refusal
}

/// A divide in any form, judged: mode 0 of each pair is `A o T`, mode 1 is `A o T*`.
pub fn divide(a: &AnyLayout, tiler: &Tiler, form: Form) -> Judged<AnyLayout> {
    let mut judged = divide_alone(a, tiler, form);
    if let Err(refusal) = &mut judged.result
        && matches!(
            refusal.rule,
            Rule::StrideDivisibility | Rule::ShapeDivisibility
        )
    {
        let near = neighbours::of_divide(a.domain(), tiler);
        refusal
            .legal
            .extend(near.iter().map(|near| format!("{near:#}")));
    }
    judged
}

/// [`divide`] without legal neighbours.
pub(crate) fn divide_alone(a: &AnyLayout, tiler: &Tiler, form: Form) -> Judged<AnyLayout> {
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
        law: Rule::NotAnInverse,
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
