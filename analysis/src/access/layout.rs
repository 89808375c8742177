//! The layout that a table of offsets is: one mode for the threads of a block, one for each loop around the access.

use std::fmt;
use std::sync::Arc;

use cute_algebra::infer::{Inferred, infer};
use cute_algebra::symbol::Expression;
use cute_algebra::{AnyLayout, ComposedLayout, Int, Layout};

/// A layout from the threads of a block, and the passes of loops, to offsets: `((8,4),2):((1,64),32)`.
///
/// Its integers are numbers of the source, or expressions of run-time numbers; none is a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AccessLayout {
    /// A mode for the threads, then one for each loop; of each the extents and strides, the fastest first.
    Strided(Vec<Vec<(i64, Expression)>>),
    /// One layout of all threads and passes, whose strides are numbers.
    Plain(Arc<Layout>),
    /// A swizzle of one.
    Swizzled(Arc<ComposedLayout>),
}

impl AccessLayout {
    /// The offset of an index: the thread, the passes of the innermost loop above it.
    pub fn offset(&self, index: i64) -> Option<Expression> {
        match self {
            Self::Strided(modes) => {
                let mut rest = index;
                let mut sum = Expression::known(0);
                for (extent, stride) in modes.iter().flatten() {
                    sum = sum.add(&stride.scale(rest.checked_rem(*extent)?)?)?;
                    rest = rest.checked_div(*extent)?;
                }
                Some(sum)
            }
            Self::Plain(layout) => Some(Expression::known(layout.eval_number(index).ok()?)),
            Self::Swizzled(composed) => {
                let offset = composed.eval(index).ok()?;
                Some(Expression::known(offset.as_leaf()?.value()?))
            }
        }
    }

    /// It as a layout of the algebra, whose integers are dynamic; nothing where a mode is too large for one.
    pub fn to_layout(&self) -> Option<AnyLayout> {
        match self {
            Self::Strided(modes) => {
                let modes: Option<Vec<Layout>> =
                    modes.iter().map(|mode| layout_of_mode(mode)).collect();
                joined(modes?).map(AnyLayout::Affine)
            }
            Self::Plain(layout) => Some(AnyLayout::Affine(Layout::clone(layout))),
            Self::Swizzled(composed) => Some(AnyLayout::Composed(ComposedLayout::clone(composed))),
        }
    }
}

/// The layout of one mode: its extents and strides, the fastest first.
fn layout_of_mode(mode: &[Mode]) -> Option<Layout> {
    let leaf = |(extent, stride): &Mode| {
        Layout::single(Int::dynamic(*extent), Int::expression(stride.clone()))
    };
    match mode {
        [] => Some(leaf(&(1, Expression::known(0)))),
        several => joined(several.iter().map(leaf).collect()),
    }
}

/// The only layout, or one with all of them as modes.
fn joined(modes: Vec<Layout>) -> Option<Layout> {
    match <[Layout; 1]>::try_from(modes) {
        Ok([only]) => Some(only),
        Err(several) => Layout::concat(several.iter().map(Layout::view)).ok(),
    }
}

impl fmt::Display for AccessLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Strided(modes) => f.write_str(&shown(modes)),
            Self::Plain(layout) => f.write_str(&layout.to_string().replace('_', "")),
            Self::Swizzled(composed) => f.write_str(&composed.to_string().replace('_', "")),
        }
    }
}

/// The layout of a table of offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// From threads and passes.
    pub(super) layout: AccessLayout,
    /// The summand of all: the same for all threads of the block.
    pub(super) base: Expression,
}

/// The layout with these offsets. `groups` has the extents of the modes, each a product of extents, the fastest first.
/// The answer has the offset of each entry: that is how it is found.
pub(super) fn layout_of(table: &[Expression], groups: &[Vec<i64>]) -> Option<Found> {
    let first = table.first()?;
    affine(table, groups)
        .map(|layout| Found {
            layout,
            base: first.clone(),
        })
        .or_else(|| swizzled(table))
}

/// A mode: its extent and its stride.
type Mode = (i64, Expression);

/// A difference of two offsets: numbers alone are compared much faster than expressions.
trait Difference: Clone + PartialEq {
    fn minus(&self, other: &Self) -> Option<Self>;
    fn times(&self, factor: i64) -> Option<Self>;
    fn to_expression(&self) -> Expression;
}

impl Difference for i64 {
    fn minus(&self, other: &Self) -> Option<Self> {
        self.checked_sub(*other)
    }

    fn times(&self, factor: i64) -> Option<Self> {
        self.checked_mul(factor)
    }

    fn to_expression(&self) -> Expression {
        Expression::known(*self)
    }
}

impl Difference for Expression {
    fn minus(&self, other: &Self) -> Option<Self> {
        self.sub(other)
    }

    fn times(&self, factor: i64) -> Option<Self> {
        self.scale(factor)
    }

    fn to_expression(&self) -> Expression {
        self.clone()
    }
}

fn affine(table: &[Expression], groups: &[Vec<i64>]) -> Option<AccessLayout> {
    let first = table.first()?;
    let differences = table.iter().map(|entry| entry.sub(first)?.as_known());
    match differences.collect::<Option<Vec<i64>>>() {
        Some(numbers) => strided(&numbers, groups),
        None => strided(table, groups),
    }
}

fn strided<D: Difference>(table: &[D], groups: &[Vec<i64>]) -> Option<AccessLayout> {
    let first = table.first()?;
    let mut step = 1_usize;
    let mut modes: Vec<Vec<Mode>> = Vec::new();
    for group in groups {
        let mut own: Vec<(i64, D)> = Vec::new();
        for factor in group.iter().flat_map(|extent| factors(*extent)) {
            let stride = table.get(step)?.minus(first)?;
            let next = step.checked_mul(usize::try_from(factor).ok()?)?;
            // Each index of this digit is one more step of the stride than the index before it.
            for index in step..next {
                let before = table.get(index.checked_sub(step)?)?;
                if table.get(index)?.minus(before)? != stride {
                    return None;
                }
            }
            step = next;
            match own.last_mut() {
                Some((extent, inner)) if inner.times(*extent).as_ref() == Some(&stride) => {
                    *extent *= factor;
                }
                _ => own.push((factor, stride)),
            }
        }
        let own = own.into_iter();
        modes.push(own.map(|(extent, d)| (extent, d.to_expression())).collect());
    }
    (step == table.len()).then_some(AccessLayout::Strided(modes))
}

/// The prime factors of an extent, the smallest first: any layout of it has its modes' borders among their products, where
/// the extent is a power of one prime; of others it finds those whose modes are in this order.
fn factors(extent: i64) -> Vec<i64> {
    let mut rest = extent;
    let mut found = Vec::new();
    let mut factor = 2;
    while rest > 1 {
        while rest % factor == 0 {
            found.push(factor);
            rest /= factor;
        }
        factor += 1;
        if factor * factor > rest && rest > 1 {
            found.push(rest);
            break;
        }
    }
    found
}

fn shown(modes: &[Vec<Mode>]) -> String {
    let group = |of: &dyn Fn(&Mode) -> String, own: &[Mode], none: &str| match own {
        [] => none.to_owned(),
        [only] => of(only),
        several => {
            let parts: Vec<String> = several.iter().map(of).collect();
            format!("({})", parts.join(","))
        }
    };
    let side = |of: &dyn Fn(&Mode) -> String, none: &str| {
        let parts: Vec<String> = modes.iter().map(|own| group(of, own, none)).collect();
        match parts.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(",")),
        }
    };
    let shape = side(&|(extent, _)| extent.to_string(), "1");
    let stride = side(&|(_, stride)| stride.to_string(), "0");
    format!("{shape}:{stride}")
}

/// A swizzled layout, where all that differs between the entries is a number.
fn swizzled(table: &[Expression]) -> Option<Found> {
    let first = table.first()?;
    let constant = first
        .substitute(&|_| Some(Expression::known(0)))?
        .as_known()?;
    let base = first.sub(&Expression::known(constant))?;
    let numbers: Option<Vec<i64>> = table
        .iter()
        .map(|entry| entry.sub(&base)?.as_known())
        .collect();
    let numbers = numbers?;
    if numbers.iter().any(|number| *number < 0) {
        return None;
    }
    let found = infer(&numbers).ok()?;
    let layout = match &found.inferred {
        Inferred::Layout(layout) => AccessLayout::Plain(Arc::new(layout.clone())),
        Inferred::Swizzled(composed) => {
            AccessLayout::Swizzled(Arc::new(ComposedLayout::clone(composed)))
        }
        Inferred::Xor(_) | Inferred::Sequence(_) => return None,
    };
    let is_same = |(index, number): (usize, &i64)| {
        i64::try_from(index).is_ok_and(|index| found.eval(index).ok() == Some(*number))
    };
    if !numbers.iter().enumerate().all(is_same) {
        return None;
    }
    Some(Found {
        layout,
        base: base.add(&Expression::known(found.offset))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(table: impl IntoIterator<Item = i64>) -> Vec<Expression> {
        table.into_iter().map(Expression::known).collect()
    }

    #[test]
    fn threads_and_loops_have_modes_of_their_own() {
        let table = numbers((0..64).map(|i| i % 8 + i / 8 % 4 * 64 + i / 32 * 32));
        let found = layout_of(&table, &[vec![32], vec![2]]).expect("a layout");
        assert_eq!(found.layout.to_string(), "((8,4),2):((1,64),32)");
    }

    #[test]
    fn strides_may_be_symbols() {
        let lda = Expression::symbol("lda", 1);
        let entry = |i: i64| {
            lda.scale(i / 16)
                .and_then(|row| row.add(&Expression::known(i % 16)))
                .expect("small")
        };
        let table: Vec<Expression> = (0..256).map(entry).collect();
        let found = layout_of(&table, &[vec![16, 16]]).expect("a layout");
        assert_eq!(found.layout.to_string(), "(16,16):(1,lda)");
    }

    #[test]
    fn a_swizzle_is_found_and_a_table_of_nothing_is_not() {
        let table = numbers((0..64).map(|i| i ^ (i / 8)));
        let found = layout_of(&table, &[vec![64]]).expect("a swizzle");
        assert!(
            found.layout.to_string().starts_with("Sw<3,0,3>"),
            "{}",
            found.layout
        );
        let table = numbers([0, 3, 1, 4, 1, 5, 9, 2]);
        assert_eq!(layout_of(&table, &[vec![8]]), None);
    }
}
