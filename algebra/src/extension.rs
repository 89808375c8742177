//! Layouts beyond their last coordinate (blog, "Layout extensions"; paper §2.2.2, out-of-bounds coordinates).

use crate::int::Int;
use crate::layout::{Layout, Offset};
use crate::refusal::Refusal;
use core::fmt;

/// A layout whose last mode has no end: `(n0,..,n_{D-2},inf):(s0,..,s_{D-1})`.
///
/// It has the offsets of the layout on its domain and goes on with the step of the last mode. The blog's closed form
/// `L(x mod size) + cosize(L) * (x div size)` holds only where one more round of the last mode spans exactly the cosize;
/// the step of a round is `n_{D-1} * s_{D-1}` in general.
///
/// ```
/// use cute_algebra::{Layout, extension::Extension};
/// let layout: Layout = "(_2,_3):(_1,_10)".parse()?;
/// let extension = Extension::of(layout);
/// assert_eq!(extension.to_string(), "(_2,inf):(_1,_10)");
/// assert_eq!(extension.eval(7)?.to_string(), "31");
/// # Ok::<(), cute_algebra::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    layout: Layout,
}

impl Extension {
    /// The extension of a layout.
    pub fn of(layout: Layout) -> Self {
        Extension { layout }
    }

    /// The layout that it extends.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The offset at any index that is not negative.
    pub fn eval(&self, index: i64) -> Result<Offset, Refusal> {
        self.layout.eval(index)
    }

    /// Whether an index is one of the layout's own coordinates; `None` when a symbol leaves it open.
    pub fn is_inside(&self, index: i64) -> Result<Option<bool>, Refusal> {
        Ok(Int::fixed(index).less(&self.layout.size()?))
    }
}

impl fmt::Display for Extension {
    /// The flattened layout with its last extent replaced.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let view = self.layout.view();
        let list = |f: &mut fmt::Formatter<'_>, texts: &[String]| match texts {
            [single] => f.write_str(single),
            texts => write!(f, "({})", texts.join(",")),
        };
        let mut extents: Vec<String> = view.extents().iter().map(ToString::to_string).collect();
        if let Some(last) = extents.last_mut() {
            "inf".clone_into(last);
        }
        list(f, &extents)?;
        f.write_str(":")?;
        list(
            f,
            &view
                .steps()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
        )
    }
}
