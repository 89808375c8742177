//! A coordinate that shows a departure from the definition.

use cute_algebra::Offset;

/// A coordinate at which the compiler's answer is not what the definition says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The colexicographic coordinate.
    pub coordinate: i64,
    /// What the definition says.
    pub expected: Offset,
    /// What the compiler computes.
    pub got: Offset,
    /// The definition reads beyond the domain there.
    pub outside_domain: bool,
}
