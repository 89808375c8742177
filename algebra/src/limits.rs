//! The largest sizes of values that the library accepts. Each limit is checked once, at the border, with a clear
//! refusal.

/// Most modes that one tuple may have. A hand-written layout has fewer than ten; generated ones reach hundreds.
pub const RANK: usize = 4_096;

/// Deepest nesting of a tuple. It bounds every recursion of the library, so that no text can exhaust the stack.
pub const DEPTH: usize = 256;

/// Most nodes (leaves and groups) of one tuple.
pub const NODES: usize = 1_000_000;

/// Most bytes of one text that is parsed.
pub const TEXT: usize = 16 * 1024 * 1024;

/// Most terms of one symbolic expression; products of sums grow quickly.
pub const TERMS: usize = 256;

/// Most symbols and operators inside one symbolic expression, each counted as often as it is printed. Parts are shared,
/// so without this limit a chain of `x = x / y + x % y` would double the printed size at each step.
pub const ATOMS: usize = 1_024;

/// Coordinates that a check visits when no theorem decides and the caller names no budget.
pub const BUDGET: u64 = 65_536;
