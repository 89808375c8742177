//! The effect of an evaluation besides its value.

/// Independent states of one evaluation.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is set and read alone")]
pub(in crate::interpret) struct Mode {
    /// Whether facts and findings are kept.
    pub(in crate::interpret) recording: bool,
    /// Inside of an operand that is not evaluated, `decltype(..)`: only its validity counts.
    pub(in crate::interpret) unevaluated: bool,
    /// Inside of an operand of `decltype` whose function or class keeps its facts: nothing is done
    /// there, but types that are refused are findings.
    pub(in crate::interpret) in_type: bool,
    /// Inside a branch of an `if constexpr` whose condition is not known: it may never be
    /// instantiated, so nothing in it is called wrong.
    pub(in crate::interpret) uncertain: bool,
    /// A template parameter is open here, or where this was called from: a number that a type leaves open may
    /// be that of the parameter.
    pub(in crate::interpret) open: bool,
    /// Python: the function is traced, and its callees with it.
    pub(in crate::interpret) traced: bool,
}

impl Mode {
    /// Stops to keep facts and findings; gives whether they were kept.
    pub(in crate::interpret) fn pause(&mut self) -> bool {
        std::mem::replace(&mut self.recording, false)
    }
}
