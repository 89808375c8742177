//! Legal neighbours: right operands in the place of a refused or wrong one.
//!
//! Three kinds: the nearest extents and strides, per mode where the tiler applies by mode; the by-mode form of an operand
//! that runs over several modes; and the regrouping of the operand that makes it legal. Every one is judged before it is
//! named: a composition by the theorem of [`proof::is_composition`], a divide by comparing it with its definition.

use crate::composed::AnyLayout;
use crate::int::Int;
use crate::judge::{self, Form};
use crate::layout::{Layout, LayoutView};
use crate::ops;
use crate::proof;
use crate::stride::Delta;
use crate::tiler::Tiler;
use crate::tuple::Tuple;

/// The largest number of neighbours of one kind that are named.
const MOST: usize = 3;

/// Divisors of an extent are looked for up to this one, so that a large prime costs nothing.
const LARGEST_DIVISOR: i64 = 4_096;

/// Right operands near `tiler` with which `a o tiler` agrees with the definition: the nearest ones first, then the
/// regroupings that keep all elements.
///
/// ```
/// use cute_algebra::{Layout, Tiler, neighbours};
/// let a: Layout = "(_15,_14):(_14,_1)".parse()?;
/// let near = neighbours::of_composition(&a, &Tiler::Int("_21".parse()?));
/// let texts: Vec<String> = near.iter().map(|tiler| format!("{tiler:#}")).collect();
/// assert!(texts.contains(&"15".to_owned()) && texts.contains(&"(3,7)".to_owned()));
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn of_composition(a: &Layout, tiler: &Tiler) -> Vec<Tiler> {
    let mut found = Vec::new();
    let mut add = |candidate: Tiler| {
        if candidate != *tiler && !found.contains(&candidate) && is_composed(a.view(), &candidate) {
            found.push(candidate);
        }
    };
    match tiler {
        Tiler::Skip => {}
        Tiler::Int(extent) => {
            let near = near_extents(extent).filter(|near| is_composed(a.view(), near));
            near.take(MOST).for_each(&mut add);
            whole_forms(a, extent).into_iter().for_each(&mut add);
        }
        Tiler::Layout(right) => {
            near_layouts(a, right).into_iter().for_each(&mut add);
            regroupings(right).into_iter().for_each(&mut add);
            if let Some((extent, step)) = right.view().as_leaf()
                && step.is_constant(1)
            {
                whole_forms(a, extent).into_iter().for_each(&mut add);
            }
        }
        Tiler::Modes(tilers) => by_mode(a, tilers, &|mode, tiler| {
            if is_composed(mode.view(), tiler) {
                vec![tiler.clone()]
            } else {
                of_composition(mode, tiler)
            }
        })
        .into_iter()
        .for_each(&mut add),
    }
    found
}

/// Tilers near `tiler` that divide `a` without a remainder: the nearest ones first, then the by-mode form and the
/// regroupings that keep all elements of a tile.
///
/// ```
/// use cute_algebra::{Layout, Tiler, neighbours};
/// let matrix: Layout = "(_10,_8):(_8,_1)".parse()?;
/// let near = neighbours::of_divide(&matrix, &"(_4,_5)".parse()?);
/// assert_eq!(near.first().map(|tiler| format!("{tiler:#}")).as_deref(), Some("(5,4)"));
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn of_divide(a: &Layout, tiler: &Tiler) -> Vec<Tiler> {
    let mut found = Vec::new();
    let mut add = |candidate: Tiler| {
        if candidate != *tiler && !found.contains(&candidate) && is_divided(a, &candidate) {
            found.push(candidate);
        }
    };
    match tiler {
        Tiler::Skip => {}
        Tiler::Int(extent) => {
            let near = divisors_near(a, extent).into_iter().take(MOST);
            near.map(|n| Tiler::Int(Int::fixed(n))).for_each(&mut add);
            whole_forms(a, extent).into_iter().for_each(&mut add);
        }
        Tiler::Layout(tile) => {
            near_layouts(a, tile).into_iter().for_each(&mut add);
            regroupings(tile).into_iter().for_each(&mut add);
            if let Some((extent, step)) = tile.view().as_leaf()
                && step.is_constant(1)
            {
                whole_forms(a, extent).into_iter().for_each(&mut add);
            }
        }
        Tiler::Modes(tilers) => by_mode(a, tilers, &|mode, tiler| {
            if is_divided(mode, tiler) {
                vec![tiler.clone()]
            } else {
                of_divide(mode, tiler)
            }
        })
        .into_iter()
        .for_each(&mut add),
    }
    found
}

/// Whether a theorem proves that `a o tiler` agrees with the definition.
fn is_composed(a: LayoutView<'_>, tiler: &Tiler) -> bool {
    let right = |b: &Layout| {
        ops::composition::composition_logged(a, b.view(), &mut crate::log::Log::silent())
            .is_ok_and(|r| proof::is_composition(a, b.view(), r.view()))
    };
    match tiler {
        Tiler::Skip => true,
        Tiler::Int(extent) => right(&Layout::single(extent.clone(), Int::ONE)),
        Tiler::Layout(b) => right(b),
        Tiler::Modes(tilers) => {
            tilers.len() <= a.rank()
                && a.modes()
                    .zip(tilers)
                    .all(|(mode, tiler)| is_composed(mode, tiler))
        }
    }
}

/// Whether dividing by the tiler agrees with the definition, and covers no more than there is.
fn is_divided(a: &Layout, tiler: &Tiler) -> bool {
    let judged = judge::divide_alone(&AnyLayout::Affine(a.clone()), tiler, Form::Logical);
    let over = judged
        .judgement
        .coverage
        .as_ref()
        .and_then(judge::Coverage::over_covers);
    judged.result.is_ok() && judged.judgement.witness.is_none() && over == Some(false)
}

/// Integers near an extent, the nearest first.
fn near_extents(extent: &Int) -> impl Iterator<Item = Tiler> {
    let extent = extent.value().unwrap_or(0);
    (1..=proof::NEIGHBOURS)
        .flat_map(move |distance| [extent.checked_sub(distance), extent.checked_add(distance)])
        .flatten()
        .filter(|near| *near > 0)
        .map(|near| Tiler::Int(Int::fixed(near)))
}

/// Layouts with one extent or stride changed.
fn near_layouts(a: &Layout, right: &Layout) -> Vec<Tiler> {
    proof::legal_right_operands(a, right)
        .into_iter()
        .map(Tiler::Layout)
        .collect()
}

/// The `extent` first elements in forms that respect the modes of `a`: by mode, and as a layout over the whole.
fn whole_forms(a: &Layout, extent: &Int) -> Vec<Tiler> {
    let Some(mut rest) = extent.value().filter(|n| *n > 0) else {
        return Vec::new();
    };
    let mut tiles = Vec::with_capacity(a.rank());
    for mode in a.view().modes() {
        let Some(size) = mode.size().ok().and_then(|size| size.value()) else {
            return Vec::new();
        };
        let taken = greatest_common_divisor(size, rest);
        if taken == 0 {
            return Vec::new();
        }
        rest /= taken;
        tiles.push(Tiler::Int(Int::fixed(taken)));
    }
    let mut forms = Vec::new();
    if rest == 1 && tiles.len() > 1 {
        forms.push(Tiler::Modes(tiles));
    }
    if let Ok(spread) = ops::domain_distribute(&a.shape().to_fixed(), &extent.to_fixed())
        && spread
            .size()
            .is_ok_and(|size| size.value() == extent.value())
    {
        forms.push(Tiler::Layout(spread));
    }
    forms
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 {
        a.saturating_abs()
    } else {
        greatest_common_divisor(b, a.checked_rem(b).unwrap_or(0))
    }
}

/// The same elements with neighbouring modes merged, as they come and in ascending order of their steps.
fn regroupings(right: &Layout) -> Vec<Tiler> {
    let mut forms: Vec<Tiler> = ops::coalesce(right)
        .ok()
        .map(Tiler::Layout)
        .into_iter()
        .collect();
    let view = right.view();
    let mut modes: Vec<(i64, &Int, &Delta)> = Vec::with_capacity(view.extents().len());
    for (extent, step) in view.extents().iter().zip(view.steps()) {
        match step.as_int().and_then(Int::value) {
            Some(number) => modes.push((number, extent, step)),
            None => return forms,
        }
    }
    modes.sort_by_key(|(number, ..)| *number);
    let shape = Tuple::flat(modes.iter().map(|(_, extent, _)| (*extent).clone()));
    let stride = Tuple::flat(modes.iter().map(|(.., step)| (*step).clone()));
    if let (Ok(shape), Ok(stride)) = (shape, stride)
        && let Ok(sorted) = Layout::new(shape, stride).and_then(|sorted| ops::coalesce(&sorted))
    {
        forms.push(Tiler::Layout(sorted));
    }
    forms
}

/// By-mode tilers of which each mode is one of the choices for that mode: the first choices, then one mode varied. The
/// choices themselves where there is one mode only.
fn by_mode(
    a: &Layout,
    tilers: &[Tiler],
    choices: &dyn Fn(&Layout, &Tiler) -> Vec<Tiler>,
) -> Vec<Tiler> {
    let choices: Vec<Vec<Tiler>> = a
        .view()
        .modes()
        .zip(tilers)
        .map(|(mode, tiler)| choices(&mode.to_layout(), tiler))
        .collect();
    let Some(first) = choices
        .iter()
        .map(|choices| choices.first().cloned())
        .collect::<Option<Vec<_>>>()
    else {
        return Vec::new();
    };
    let mut found = vec![Tiler::Modes(first.clone())];
    for other in 1..MOST {
        for (mode, choices) in choices.iter().enumerate() {
            if let (Some(choice), Some(place)) = (choices.get(other), first.get(mode))
                && place != choice
                && found.len() < MOST
            {
                let mut varied = first.clone();
                varied.splice(mode..=mode, [choice.clone()]);
                found.push(Tiler::Modes(varied));
            }
        }
    }
    match a.rank() {
        // A single mode is the whole.
        1 => choices.into_iter().flatten().take(MOST).collect(),
        _ => found,
    }
}

/// The divisors of the size of a layout, the nearest to an extent first; 1 and the whole are not tiles and come last.
fn divisors_near(a: &Layout, extent: &Int) -> Vec<i64> {
    let (Some(size), Some(extent)) = (a.size().ok().and_then(|size| size.value()), extent.value())
    else {
        return Vec::new();
    };
    let mut divisors: Vec<i64> = (1..=LARGEST_DIVISOR)
        .take_while(|divisor| divisor * divisor <= size)
        .filter(|divisor| size % divisor == 0)
        .flat_map(|divisor| [divisor, size / divisor])
        .collect();
    divisors.sort_unstable();
    divisors.dedup();
    divisors.sort_by_key(|divisor| {
        let trivial = *divisor == 1 || *divisor == size;
        (trivial, divisor.abs_diff(extent), -divisor)
    });
    divisors
}
