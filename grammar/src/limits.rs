//! The largest size of an input. Each limit is a promise to the editor: a hostile or generated file costs bounded
//! stack, memory and time, and an input beyond a limit is reported, never guessed.

/// Nesting of the lowered tree (items and expressions together).
///
/// A node that nests deeper becomes opaque. CUTLASS's own sources stay below 60; 256 levels of recursion fit the
/// smallest thread stack in use (2 MB) with a wide margin.
pub const DEPTH: usize = 256;

/// Nodes of one lowered tree. Beyond it the rest of the file is left out and
/// [`Unit::truncated`](crate::tree::Unit::truncated) is set. A node takes around 100 bytes, so a
/// tree stays near 100 MB at worst.
pub const NODES: usize = 1_000_000;

/// Bytes of one source file; larger ones are refused before they are parsed. The largest header of
/// CUTLASS (generated) has 3 MB.
pub const SOURCE_BYTES: usize = 10_000_000;

/// Macros inside of macros in one expansion.
pub const EXPANSION_DEPTH: usize = 32;

/// Tokens that one call of a macro may make. The widest dispatch of types and sizes makes a few thousand.
pub const EXPANSION_TOKENS: usize = 100_000;

/// Bytes in which the end of a macro's call is looked for.
pub const CALL_BYTES: usize = 65_536;

/// Bytes of a declaration in which large bodies of functions are parsed apart from the text around them; a smaller one is
/// quickly parsed as a whole.
pub const BODY_PIECE_BYTES: usize = 4_096;

/// Bytes of such a body; a smaller one stays with its class, as each has a tree and texts to itself.
pub const BODY_BYTES: usize = 1_024;

/// Bytes of a statement of such a body behind which a part of it ends, which is parsed apart from the others.
pub const PART_BYTES: usize = 512;

/// Statements in a part of a body, on average. Each part has a tree and texts to itself.
pub const STATEMENTS_IN_A_PART: u64 = 8;

/// Bytes of the body of a function of Python from which on it is parsed apart from the text around it.
pub const PYTHON_BODY_BYTES: usize = 512;

/// Bytes of expansions whose trees are kept for one file that defines macros.
pub const FRAGMENT_BYTES: usize = 262_144;

/// Errors told of one text in the notation; more would not be read.
pub const PARSE_ERRORS: usize = 100;

/// Bytes of a declaration in which a line that is not finished is looked for: it is parsed again without the line. The largest
/// kernels have a tenth of it.
pub const UNFINISHED_BYTES: usize = 1 << 20;

/// Lines that are left out for a try, one at a time; one is being typed.
pub const UNFINISHED_LINES: usize = 4;

/// Braces without a partner in one source that are looked for by the indentation; few are being typed.
pub const UNPAIRED_BRACES: usize = 4;

/// Levels of braces, and of `#if` groups, in a source in which braces without a partner are looked for.
pub const UNPAIRED_LEVELS: usize = 256;
