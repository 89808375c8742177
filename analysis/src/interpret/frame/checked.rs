//! Conditions that hold where a frame is.

use crate::held::{AtCall, Held};

/// Conditions that hold in a frame.
#[derive(Debug, Clone, Default)]
pub(in crate::interpret) struct Checked {
    /// Those checked on the way to this point.
    pub(in crate::interpret) held: Vec<Held>,
    /// The number of those that the callers of this instance have checked.
    pub(in crate::interpret) guards: Option<usize>,
    /// Those at the call that made this instance, before the parameters are declared.
    pub(in crate::interpret) called_at: Option<AtCall>,
}
