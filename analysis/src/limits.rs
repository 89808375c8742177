//! Limits on the work of one analysis. Each limit keeps an editor alive on a hostile source; a value beyond one is
//! Unknown, with the limit as its reason.

/// Expressions and statements evaluated in one function instance. The largest kernels of CUTLASS
/// take a few thousand.
pub const STEPS_PER_INSTANCE: usize = 50_000;

/// Expressions and statements evaluated in one file, all instances together: about a second. The
/// largest sources of CUTLASS take a tenth of it.
pub const STEPS_PER_FILE: usize = 1_000_000;

/// An analysis checks after this number of steps whether to stop: a fraction of a millisecond.
pub const STEPS_BETWEEN_STOPS: usize = 256;

/// Steps of a group of declarations below which an edit of it is evaluated at once. Above, what is shown comes first.
pub(crate) const STEPS_AT_ONCE: usize = 4_000;

/// Nested evaluations (expressions, calls, template instances together).
pub const NESTING: usize = 160;

/// Parts of one value, or of all arguments of a call: integers, types, modes of layouts, members of objects. A value takes at most 64 bytes a part,
/// so 2 MB.
pub const VALUE_PARTS: usize = 32_768;

/// Parts of a value that count as one step where it is evaluated: values of a function instance take no more than 64
/// bytes for each of them.
pub const PARTS_PER_STEP: usize = 64;

/// Parts of all values that one analysis keeps for hints and hovers, 200 MB; a collective of CUTLASS has 140,000.
pub const KEPT_PARTS: usize = 3_000_000;

/// Parts of all values that are kept of the translation units which include a header.
pub const KEPT_PARTS_OF_USERS: usize = 12_000_000;

/// Types and tuples inside one another in a value or in an argument of a template. One that grows with each instance
/// is stopped here, long before a copy of it fills a stack.
pub const ARGUMENT_DEPTH: usize = 128;

/// Files that one translation unit may include; a kernel with all of CUTLASS behind it takes 600.
pub const INCLUDED_FILES: usize = 2_048;

/// Bytes of all files that one translation unit may include.
pub const INCLUDED_BYTES: usize = 64_000_000;

/// Words and operators of a condition behind `#if`, and of the replacements of its macros.
pub(crate) const CONDITION_TOKENS: usize = 4_096;

/// Parentheses inside one another in a condition behind `#if`, and macros that are replaced with one another.
pub(crate) const CONDITION_DEPTH: usize = 64;

/// Includes inside includes, as many as compilers allow.
pub const INCLUDE_DEPTH: usize = 200;

/// Translation units that are read for the instances of a header: a kernel of `FlashAttention` 3 has 401. Their steps
/// and their kept results have limits for all together.
pub const USERS_OF_A_HEADER: usize = 1_024;

/// Modules of Python that are run for their instances of the declarations of another one: each more takes the time of
/// its kernels.
pub const USERS_OF_A_MODULE: usize = 16;

/// Translation units that make the instances of a header which are shown first, at most: those behind them follow
/// with all others.
pub const UNITS_SHOWN_FIRST: usize = 2;

/// Translation units of a header that was just opened in which an instance to show first is looked for: many a unit
/// includes a header and makes nothing of it.
pub const UNITS_TRIED_FIRST: usize = 4;

/// Translation units whose declarations are put together to find one that makes the visible part of a header that was
/// just opened: each takes about a millisecond, and an evaluation many.
pub const UNITS_READ_FIRST: usize = 32;

/// Expressions and statements evaluated for one header in the translation units that use it. All of CUTLASS's examples
/// together take as much for a collective of Hopper.
pub const STEPS_FOR_USERS: usize = 6_000_000;

/// Expressions and statements evaluated for the classes of a header in one translation unit, even
/// where its functions took all there were.
pub const STEPS_FOR_CLASSES: usize = 20_000;

/// Calls inside calls through which a barrier is followed: a kernel, its collective, a helper of that.
pub const FOLLOWED_CALLS: usize = 4;

/// Steps of all calls through which barriers of one function instance are followed: those of the caller are not
/// taken for them.
pub const FOLLOWED_STEPS: usize = 20_000;

/// Calls inside calls: deeper is a recursion whose end is not visible to us.
pub const CALL_DEPTH: usize = 24;

/// `use` paths that the look-up of one name of a Rust source follows, those of `use name::*` counted.
pub const USES_FOLLOWED: usize = 256;

/// Ways in which the types of a call's arguments may be that are followed to find the overload.
pub const OVERLOAD_WORLDS: usize = 64;

/// Instances that are kept of one function template.
pub const INSTANCES_PER_FUNCTION: usize = 32;

/// Overloads that are evaluated where the types that select one are not known.
pub const OVERLOADS: usize = 4;

/// Instances that are kept of one function or class of a header, shared out among the translation
/// units that use it; each keeps two at least.
pub const INSTANCES_IN_A_HEADER: usize = 64;

/// Instances of class templates in one file.
pub const RECORDS: usize = 4_096;

/// Modes of a tuple that an index, a pack or an initialiser list may make.
pub const TUPLE_RANK: usize = 4_096;

/// Candidate edits that are tried for one finding before it is shown without a remedy.
pub const CANDIDATES_PER_FINDING: usize = 12;

/// Remedies shown for one finding.
pub const REMEDIES_PER_FINDING: usize = 3;

/// Candidate edits that are tried in one file.
pub const CANDIDATES_PER_FILE: usize = 128;

/// Literals in comments and strings that are evaluated in one file. The most that a source of
/// CUTLASS has are about forty.
pub const LITERALS_PER_FILE: usize = 2_048;

/// Judgements of compositions, divisions and products that a thread remembers. A translation unit of
/// CUTLASS takes some hundreds, of about a kilobyte each.
pub const JUDGEMENTS: usize = 4_096;

/// Mainloops of builders that a thread remembers: the instances of a template ask for the same ones again.
pub const MAINLOOPS: usize = 512;

/// Macros without which a source refuses to be compiled that are taken for defined. Each makes its
/// declarations be read again.
pub const DEMANDED_MACROS: usize = 4;

/// Conditions kept from the checks of a function; later ones are ignored.
pub(crate) const GUARDS: usize = 64;

/// Terms of the addresses of one kernel: a large kernel of a library has some thousands.
pub const ACCESS_TERMS: usize = 60_000;

/// Bytes of the text of an offset: one or two lines for a person.
pub(crate) const ACCESS_TEXT: usize = 240;

/// Statements and expressions that are walked for the accesses of one kernel; each loop is walked twice. Loops that are walked
/// pass by pass take up to half as many besides.
pub const ACCESS_STEPS: usize = 60_000;

/// Statements and expressions that are walked for one loop pass by pass, to find the values of its variables.
pub(crate) const ACCESS_UNROLLED_STEPS: usize = 4_000;

/// Passes of a loop that is walked pass by pass.
pub(crate) const ACCESS_UNROLLED_PASSES: usize = 16;

/// Statements and expressions that are walked for the accesses of all kernels which names connect: ten large ones.
pub const ACCESS_STEPS_TOGETHER: usize = 600_000;

/// Threads times passes of one access that are compared one by one.
pub const ACCESS_COMPARED: i64 = 1 << 16;

/// Values of threads that are computed for the accesses of one kernel: about a fifth of a second.
pub const ACCESS_WORK: usize = 8_000_000;

/// Offsets in the table of one access, threads times passes of loops.
pub const ACCESS_TABLE: i64 = 16_384;

/// Passes of a loop that become a mode of a layout.
pub const ACCESS_PASSES: i64 = 64;

/// Passes of loops whose values are kept at a time: 256 threads and some hundred terms each.
pub(crate) const ACCESS_KEPT_PASSES: usize = 64;

/// Accesses of one kernel: a large kernel of a library has some hundreds.
pub(crate) const ACCESSES: usize = 4_096;

/// Sizes of a block for which the accesses of one kernel are computed: a library launches one with a few.
pub(crate) const ACCESS_BLOCKS: usize = 4;

/// Calls inside calls that are walked for accesses.
pub(crate) const ACCESS_DEPTH: usize = 12;

/// Edits at different places that are told apart since all instances of a header were known; of more the text between two
/// counts as edited.
pub const MOVES: usize = 64;

/// Expressions and statements that the machine runs of one body: loops over the extents of a tile, at about 0.3 µs each.
pub(crate) const MACHINE_STEPS: usize = 8_192;

/// The same for all constants outside of functions of one file together: about a fifth of a second.
pub(crate) const MACHINE_STEPS_FOR_CONSTANTS: usize = 400_000;

/// Objects that one run of the machine makes: each pass of a loop makes those of its body.
pub(crate) const MACHINE_CELLS: usize = 4_096;

/// Numbers, pointers and the like in all objects of one run together: an object may hold another one twice, and so on.
pub(crate) const MACHINE_PARTS: usize = 65_536;

/// Calls inside calls that the machine runs.
pub(crate) const MACHINE_DEPTH: usize = 32;

/// Elements of an array that the machine makes.
pub(crate) const MACHINE_ELEMENTS: usize = 1_024;

/// Expressions, statements and calls inside each other that the machine runs.
pub(crate) const MACHINE_NESTING: usize = 200;

/// Undecided macros whose effects are tried: a source of CUTLASS's headers depends on a few.
pub(crate) const UNDECIDED_MACROS: usize = 16;

/// Definitions that are tried of all of them, each by a separate analysis.
pub(crate) const TRIED_DEFINITIONS: usize = 32;

/// Steps of one attempt to suppose an instance of a template: those of a function instance, and as many for its
/// instances.
pub const STEPS_PER_SUPPOSED: usize = 100_000;

/// Steps of all attempts to suppose an instance of one template: most end at the first assertion that does not hold.
pub const STEPS_TO_SUPPOSE: usize = 400_000;

/// Attempts to suppose an instance of one template: two parameters, each with a few arguments.
pub const SUPPOSED_ATTEMPTS: usize = 64;

/// Combinations of arguments that are put in order: a third parameter adds no more combinations.
pub const SUPPOSED_COMBINATIONS: usize = 512;

/// The same for all templates of one group of declarations together: as many as a file has for its own declarations.
pub const STEPS_TO_SUPPOSE_TOGETHER: usize = 1_000_000;

/// Values that are kept of one name in supposed instances: the others say the same.
pub const SUPPOSED_VALUES: usize = 2;
