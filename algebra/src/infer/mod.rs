//! From a table of offsets to the layout that has this function (blog, "What function can be admitted by a layout?").
//!
//! - [`layout_of`] finds the layout with exactly this function, or the first index that proves that there is none. It is
//!   one pass over the table.
//! - [`layout_admitting`] allows the table to stop before the layout does.
//! - [`infer`] goes on where no layout has the function: a swizzled layout, a layout with xor strides, and as a last
//!   resort a finite sequence of compositions, which exists for every table (paper §2.4.3).
//!
//! ```
//! use cute_algebra::infer::{infer, layout_of};
//! let row_major: Vec<i64> = (0..32).map(|i| (i % 4) * 8 + i / 4).collect();
//! assert_eq!(layout_of(&row_major)?.to_string(), "(_4,_8):(_8,_1)");
//!
//! let swizzled: Vec<i64> = (0..64).map(|i| i ^ (i >> 3)).collect();
//! assert_eq!(infer(&swizzled)?.to_string(), "Sw<3,0,3> o _0 o _64:_1");
//! # Ok::<(), cute_algebra::Refusal>(())
//! ```

mod reading;
mod sequence;
mod swizzled;

use crate::composed::ComposedLayout;
use crate::int::Int;
use crate::layout::Layout;
use crate::refusal::{Refusal, Rule};
use crate::stride::Delta;
use crate::tuple::Tuple;
use crate::verdict::Verdict;
use core::fmt;
use reading::{Contradiction, Reading, Table};

pub use swizzled::Searched;

/// Why no layout has the function of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoLayout {
    /// The table has no value; every layout has at least one coordinate.
    Empty,
    /// No layout agrees with the table up to and including this index, though one agrees with everything before it.
    Contradiction {
        /// The index that proves it.
        index: usize,
        /// The offset with which the layout before it goes on; `None` when that is beyond 64 bits.
        expected: Option<i64>,
        /// The offset in the table.
        found: i64,
        /// A layout with the values before `index`; `None` when the contradiction is at index 0.
        before: Option<Box<Layout>>,
    },
    /// The table stops inside the last mode of the layout whose first values it has.
    EndsInsideMode {
        /// The layout that has these values, and more.
        layout: Box<Layout>,
        /// The length of the table.
        length: usize,
    },
}

impl From<NoLayout> for Refusal {
    fn from(reason: NoLayout) -> Refusal {
        let refusal = Refusal::new(Rule::NoSuchLayout, Verdict::Accepts);
        match reason {
            NoLayout::Empty => refusal.with("length", 0_i64),
            NoLayout::Contradiction {
                index,
                expected,
                found,
                before,
            } => {
                let refusal = refusal.with("index", index);
                let refusal = match expected {
                    Some(expected) => refusal.with("expected", expected),
                    None => refusal,
                };
                let refusal = refusal.with("found", found);
                match before {
                    Some(layout) => refusal.with("before", layout.to_string()),
                    None => refusal,
                }
            }
            NoLayout::EndsInsideMode { layout, length } => {
                let text = layout.to_string();
                refusal
                    .with("length", length)
                    .with("layout", text.clone())
                    .legal(text)
            }
        }
    }
}

/// The layout with the function of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inferred {
    /// One layout.
    Layout(Layout),
    /// A swizzle after a layout; the offset is between the two.
    Swizzled(Box<ComposedLayout>),
    /// A layout whose strides are bit strings under xor (paper §2.3.1).
    Xor(Layout),
    /// Layouts of which the last is applied first; each is evaluated beyond its size where needed (paper §2.4.3).
    Sequence(Vec<Layout>),
}

/// The answer of [`infer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// The value at index 0, which is added to every value (xored into it when the strides are bit strings). 0 when
    /// the table begins with 0, and for a swizzled layout, which carries its own offset.
    pub offset: i64,
    /// The layout with the function.
    pub inferred: Inferred,
    /// Why a layout and an offset do not suffice, when they do not.
    pub why_no_layout: Option<NoLayout>,
    /// Whether every swizzle was tried before a more complicated answer.
    pub swizzles: Searched,
}

impl Inference {
    /// The value at `index` in the table.
    pub fn eval(&self, index: i64) -> Result<i64, Refusal> {
        let value = match &self.inferred {
            Inferred::Layout(layout) | Inferred::Xor(layout) => layout.eval_number(index)?,
            Inferred::Swizzled(composed) => {
                let offset = composed.eval(index)?;
                let number = offset.as_leaf().and_then(Int::value);
                number.ok_or_else(|| {
                    Refusal::new(Rule::NotProvable, Verdict::Accepts)
                        .with("offset", offset.to_string())
                })?
            }
            Inferred::Sequence(layouts) => layouts
                .iter()
                .rev()
                .try_fold(index, |coordinate, layout| layout.eval_number(coordinate))?,
        };
        match self.inferred {
            Inferred::Xor(_) => Ok(value ^ self.offset),
            _ => value
                .checked_add(self.offset)
                .ok_or_else(|| Refusal::overflow("offset").with("coordinate", index)),
        }
    }
}

impl fmt::Display for Inferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inferred::Layout(layout) | Inferred::Xor(layout) => layout.fmt(f),
            Inferred::Swizzled(composed) => composed.fmt(f),
            Inferred::Sequence(layouts) => {
                layouts.iter().enumerate().try_for_each(|(i, layout)| {
                    if i > 0 {
                        f.write_str(" o ")?;
                    }
                    layout.fmt(f)
                })
            }
        }
    }
}

impl fmt::Display for Inference {
    /// The layout, behind the paper's counting iterator `{8} o` when the table does not begin with 0 (paper §2.5).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.offset != 0 {
            write!(f, "{{{}}} o ", self.offset)?;
        }
        self.inferred.fmt(f)
    }
}

/// The layout whose function is exactly this table: same size, same offset at every index.
///
/// The answer is coalesced, hence unique; extents and steps are static. Steps may be zero or negative. One pass over the
/// table.
///
/// ```
/// use cute_algebra::infer::{NoLayout, layout_of};
/// let why = layout_of(&[0, 1, 2, 5, 4]);
/// assert!(matches!(why, Err(NoLayout::Contradiction { index: 4, expected: Some(6), found: 4, .. })));
/// ```
pub fn layout_of(table: &[i64]) -> Result<Layout, NoLayout> {
    let layout = layout_admitting(table)?;
    let size = layout.size().ok().and_then(|size| size.value());
    if size == i64::try_from(table.len()).ok() {
        Ok(layout)
    } else {
        Err(NoLayout::EndsInsideMode {
            layout: Box::new(layout),
            length: table.len(),
        })
    }
}

/// The smallest layout that agrees with this table where the table is defined (the blog's "admits").
///
/// ```
/// use cute_algebra::infer::layout_admitting;
/// let layout = layout_admitting(&[0, 1, 2, 3, 10, 11, 12]).map(|l| l.to_string());
/// assert_eq!(layout.as_deref(), Ok("(_4,_2):(_1,_10)"));
/// ```
pub fn layout_admitting(table: &[i64]) -> Result<Layout, NoLayout> {
    match table.first() {
        None => return Err(NoLayout::Empty),
        Some(&found) if found != 0 => {
            return Err(NoLayout::Contradiction {
                index: 0,
                expected: Some(0),
                found,
                before: None,
            });
        }
        Some(_) => {}
    }
    let reading = Table::new(table, |value| value).read();
    match reading.contradiction {
        None => Ok(flat_layout(&reading::modes(
            &reading.beginnings,
            table.len(),
        ))),
        Some(contradiction) => Err(contradicted(&reading, contradiction)),
    }
}

/// The layout, swizzled layout, xor layout or sequence of layouts that has the function of this table.
///
/// Tried in this order; the first that has the function at every index is the answer. A plain layout or a swizzled one
/// must have exactly the size of the table. Every table of up to 64 irregular values has at least a sequence; for a longer one
/// whose sequence would need offsets beyond 64 bits, the answer is the refusal that says why no layout has the function.
///
/// ```
/// use cute_algebra::infer::infer;
/// // Every third element of (4,6,8):(2,3,5), which no layout represents (paper §3.3.3).
/// let table = [0, 6, 7, 5, 9, 15];
/// let found = infer(&table)?;
/// assert_eq!((0..6).map(|i| found.eval(i)).collect::<Result<Vec<_>, _>>()?, table);
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
pub fn infer(table: &[i64]) -> Result<Inference, Refusal> {
    let Some(&offset) = table.first() else {
        return Err(NoLayout::Empty.into());
    };
    let reading = Table::new(table, |value| value).read();
    let why = match reading.contradiction {
        None => {
            let layout = flat_layout(&reading::modes(&reading.beginnings, table.len()));
            let size = layout.size()?.value();
            if size == i64::try_from(table.len()).ok() {
                let inferred = Inferred::Layout(layout);
                return Ok(Inference {
                    offset,
                    inferred,
                    why_no_layout: None,
                    swizzles: Searched::NotNeeded,
                });
            }
            NoLayout::EndsInsideMode {
                layout: Box::new(layout),
                length: table.len(),
            }
        }
        Some(contradiction) => contradicted(&reading, contradiction),
    };
    let (swizzled, swizzles) = swizzled::swizzled_layout_of(table, &reading);
    if let Some(composed) = swizzled {
        let inferred = Inferred::Swizzled(Box::new(composed));
        return Ok(Inference {
            offset: 0,
            inferred,
            why_no_layout: Some(why),
            swizzles,
        });
    }
    if let Some(layout) = swizzled::xor_layout_of(table) {
        return Ok(Inference {
            offset,
            inferred: Inferred::Xor(layout),
            why_no_layout: Some(why),
            swizzles,
        });
    }
    match sequence::sequence_of(table) {
        Some(layouts) => {
            let inferred = Inferred::Sequence(layouts);
            Ok(Inference {
                offset,
                inferred,
                why_no_layout: Some(why),
                swizzles,
            })
        }
        None => Err(why.into()),
    }
}

fn contradicted(reading: &Reading, contradiction: Contradiction) -> NoLayout {
    let Contradiction {
        index,
        expected,
        found,
    } = contradiction;
    let before = Some(Box::new(flat_layout(&reading::modes(
        &reading.beginnings,
        index,
    ))));
    NoLayout::Contradiction {
        index,
        expected,
        found,
        before,
    }
}

/// The flat static layout of these extents and steps; `_1:_0` for none.
fn flat_layout(modes: &[(i64, i64)]) -> Layout {
    let single =
        |(extent, step): (i64, i64)| Layout::single(Int::fixed(extent), Delta::fixed(step));
    match modes {
        [] => Layout::unit(),
        [mode] => single(*mode),
        // A table has at most 63 modes, far below the limit on the rank.
        modes => {
            let shape = Tuple::flat(modes.iter().map(|mode| Int::fixed(mode.0)));
            let stride = Tuple::flat(modes.iter().map(|mode| Delta::fixed(mode.1)));
            shape
                .and_then(|shape| Layout::new(shape, stride?))
                .unwrap_or_else(|_| Layout::unit())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(table: &[i64]) -> String {
        match layout_of(table) {
            Ok(layout) => layout.to_string(),
            Err(why) => Refusal::from(why).message(),
        }
    }

    #[test]
    fn one_value_is_the_unit() {
        assert_eq!(text(&[0]), "_1:_0");
        assert_eq!(layout_of(&[]), Err(NoLayout::Empty));
        assert!(matches!(
            layout_of(&[7]),
            Err(NoLayout::Contradiction {
                index: 0,
                found: 7,
                ..
            })
        ));
    }

    #[test]
    fn steps_may_be_zero_or_negative() {
        assert_eq!(text(&[0, 0, 0, 0]), "_4:_0");
        assert_eq!(text(&[0, 0, -3, -3, -6, -6]), "(_2,_3):(_0,_-3)");
        assert_eq!(text(&[0, -1, 0, -1]), "(_2,_2):(_-1,_0)");
    }

    #[test]
    fn a_table_that_stops_early_says_which_layout_it_begins() {
        assert_eq!(
            text(&[0, 1, 2, 3, 10, 11, 12]),
            "no layout has this property: length 7, layout (_4,_2):(_1,_10); would work: (_4,_2):(_1,_10)"
        );
    }

    #[test]
    fn a_table_with_an_origin_keeps_it() -> Result<(), Refusal> {
        assert_eq!(
            infer(&[8, 12, 16, 9, 13, 17])?.to_string(),
            "{8} o (_3,_2):(_4,_1)"
        );
        Ok(())
    }
}
