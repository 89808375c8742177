//! The verdict of CuTe C++ 4.2 on an operation, stated beside our answer.

use core::fmt;

/// The behaviour of CuTe C++ 4.2 on the same operands.
///
/// Static and run-time integers are told apart as CuTe does: an assertion fires only where both of its operands are
/// static, so the same ill-formed composition may be refused with `_8` and accepted silently with `8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It compiles and yields a result (which may still break the definition).
    Accepts,
    /// A `static_assert` fires, with this text.
    StaticAssert(&'static str),
    /// It does not compile for another reason, described in our words.
    CompileError(&'static str),
    /// It compiles, and the program divides by zero when it runs.
    Traps,
}

impl Verdict {
    /// The stable name: `accepts`, `static_assert`, `compile-error` or `traps`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accepts => "accepts",
            Verdict::StaticAssert(_) => "static_assert",
            Verdict::CompileError(_) => "compile-error",
            Verdict::Traps => "traps",
        }
    }

    /// The text of the assertion, or the reason why it does not compile.
    pub fn message(self) -> Option<&'static str> {
        match self {
            Verdict::StaticAssert(text) | Verdict::CompileError(text) => Some(text),
            Verdict::Accepts | Verdict::Traps => None,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message() {
            Some(text) => write!(f, "{}: {text}", self.name()),
            None => f.write_str(self.name()),
        }
    }
}
