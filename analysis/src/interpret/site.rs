//! Calls: the function and all that its result depends on.

use tree_sitter_cute::tree::Function;

use super::bound::Bound;
use super::frame::Frame;
use super::ids::ModuleId;
use crate::held::AtCall;
use crate::value::Value;

/// Everything that the result of a call depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub(super) function: *const Function,
    pub(super) site: Site,
    pub(super) bound: Bound,
    /// Whether a template parameter is open where it is called.
    pub(super) open: bool,
}

/// The place of a function that is being called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Site {
    pub(super) module: ModuleId,
    pub(super) record: Option<usize>,
    pub(super) this: Option<Value>,
}

/// The place of a call that makes an instance.
#[derive(Debug, Default)]
pub(super) struct Caller {
    /// Whether it may not be instantiated.
    pub(super) uncertain: bool,
    /// Whether a template parameter is open there.
    pub(super) open: bool,
    /// Conditions at the call.
    pub(super) at: AtCall,
}

impl Caller {
    /// A call in a function.
    pub(super) fn of(frame: &Frame<'_>) -> Self {
        Self {
            uncertain: frame.mode.uncertain,
            open: frame.mode.open,
            at: AtCall {
                held: frame.checked.held.clone(),
                guards: frame.checked.guards,
            },
        }
    }
}
