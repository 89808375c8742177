//! The rules: each is declared once, with its severity and its sentence.
//!
//! A finding names its rule; `check --explain`, SARIF, the names that `cute: allow(...)` and project files take, and the
//! index of the pages come from here. Each rule has a page in `docs/rules` with a wrong and a right example.

use crate::finding::Severity;
use crate::nearest::nearest;

/// A rule that a source may break.
///
/// ```
/// use cute_analysis::{Rule, Severity};
/// let rule = Rule::named("not-a-composition").unwrap();
/// assert_eq!(rule.severity, Severity::Error);
/// assert!(Rule::named("not-a-rule").is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Its name, as findings, comments and project files write it.
    pub name: &'static str,
    /// The severity of its findings. Projects may change it.
    pub severity: Severity,
    /// One sentence on the mistake, in Markdown.
    pub summary: &'static str,
    /// The part of a source that it is about.
    pub about: About,
    /// Whether each finding shows a case: a coordinate, a thread or a size with which the program goes wrong. The findings of the
    /// other rules need none: what they name is never right.
    pub is_witnessed: bool,
    /// Whether its findings are marked in the text although they are information.
    is_marked: bool,
}

/// The part of a source that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The program.
    Program,
    /// The cost of accesses of warps, which is judged on request.
    Memory,
    /// A comment that states another layout or shape than its variable has.
    Comment,
}

impl Rule {
    const fn new(name: &'static str, severity: Severity, summary: &'static str) -> Self {
        Self {
            name,
            severity,
            summary,
            about: About::Program,
            is_witnessed: false,
            is_marked: false,
        }
    }

    const fn witnessed(self) -> Self {
        Self {
            is_witnessed: true,
            ..self
        }
    }

    const fn marked(self) -> Self {
        Self {
            is_marked: true,
            ..self
        }
    }

    const fn of_memory(self) -> Self {
        Self {
            about: About::Memory,
            ..self.marked()
        }
    }

    const fn of_comments(self) -> Self {
        Self {
            about: About::Comment,
            ..self.marked()
        }
    }

    /// Whether findings of this rule and severity are marked in the text: mere information is not, unless someone requested
    /// it, or wrote what is not so.
    ///
    /// ```
    /// use cute_analysis::{Rule, Severity};
    /// assert!(Rule::marks("stale-layout-comment", Severity::Information));
    /// assert!(!Rule::marks("twin-differs", Severity::Information));
    /// ```
    pub fn marks(name: &str, severity: Severity) -> bool {
        severity > Severity::Information || Self::named(name).is_some_and(|rule| rule.is_marked)
    }

    /// Whether the rule of a name is about this part of a source.
    pub fn is_about(name: &str, about: About) -> bool {
        Self::named(name).is_some_and(|rule| rule.about == about)
    }

    /// All rules, by name.
    pub fn all() -> &'static [Self] {
        RULES
    }

    /// The rule of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        let at = RULES.binary_search_by(|rule| rule.name.cmp(name)).ok()?;
        RULES.get(at)
    }

    /// Whether findings, or conditions on run-time values, have this name: a comment may allow them.
    pub fn is_known(name: &str) -> bool {
        Self::named(name).is_some() || CONDITIONS.contains(&name)
    }

    /// The rule whose name is nearest to a misspelled one.
    ///
    /// ```
    /// # use cute_analysis::Rule;
    /// let meant = Rule::most_like("over-cover").unwrap();
    /// assert_eq!(meant.name, "over-covers");
    /// assert!(Rule::most_like("tile").is_none());
    /// ```
    pub fn most_like(name: &str) -> Option<&'static Self> {
        let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        Self::named(nearest(name, &names)?)
    }
}

/// Names of conditions on run-time values, as `preconditions` lists them. They are not findings.
const CONDITIONS: [&str; 2] = ["not-provable", "precondition"];

/// Declares rules, in the order of their names: each with its severity, what else is special in brackets, and its sentence.
macro_rules! declare_rules {
    ($($name:literal $severity:ident $([$($flag:ident)*])? $summary:literal)*) => {
        const RULES: &[Rule] = &[$(
            Rule::new($name, Severity::$severity, $summary)$($(.$flag())*)?
        ),*];
    };
}

declare_rules! {
    "accumulate-flag" Error "An MMA accumulates onto uninitialised tensor memory or registers, or never accumulates."
    "argument-type" Error "A function of the CuTe DSL does not take an argument of this type."
    "arrival-count-mismatch" Error "A barrier expects a different number of arrivals than each phase delivers."
    "async-copy-wait" Error "Shared memory is read while asynchronous copies into it may still be running."
    "atom-parameters" Error "An instruction does not exist with these template arguments."
    "bank-conflict" Information [of_memory] "Lanes of a warp access different words of one shared-memory bank in the same cycle."
    "barrier-after-exit" Information [marked] "Some threads of a block return before a barrier that waits for the whole block."
    "barrier-never-arrived" Error "A kernel waits for a barrier at which nothing ever arrives."
    "barrier-never-waited" Error "A barrier signals that MMAs or copies have completed, but nothing waits for it."
    "barrier-not-visible" Error
        "All threads wait for a barrier that one warp initialises, but nothing orders the initialisation before the wait."
    "barrier-order" Error
        "Threads wait for a barrier that never completes, race on a stage, or exit before their copies have completed."
    "barrier-phase" Error [witnessed] "A loop waits for the same phase of a barrier in every iteration."
    "cluster-exit" Error
        "A CTA accesses the shared memory of another CTA before that CTA has started, or after it may have exited."
    "cluster-grid" Error "An axis of the grid is not a multiple of the cluster's."
    "collective-stages" Error "A collective builder has shared memory for fewer than two mainloop stages."
    "collective-tile" Error "A collective builder or its kernel does not support this tile."
    "collective-unsupported" Error
        "CUTLASS has no collective builder for this combination of types, layouts, alignments and schedules."
    "copy-beyond-tensor" Error "The tile of a tiled copy is larger than its tensor or does not divide it."
    "copy-group-wait" Error "`cp_async_wait<N>` waits for nothing: at most N groups are committed before it."
    "copy-size" Error "The two tensors of a copy differ in size or in rank."
    "copy-values" Error
        "The first mode of a partition does not match the values that one instruction of the copy atom moves."
    "copy-vector" Error "The values that one instruction moves are not contiguous."
    "divergent-collective" Error
        "Only some threads of a warp, warp group or CTA reach an instruction that all of them must execute."
    "division-by-zero" Error "A known number is divided by zero."
    "downcast-not-adjacent" Error "A layout is recast to a smaller type, but no mode has stride 1."
    "gemm-shape" Error "The modes of the operands of `gemm` do not match each other or the MMA."
    "grid-axis" Warning [witnessed] "An axis of the grid has fewer CTAs than the mode that it indexes has tiles."
    "grid-dependency" Error "A kernel that is launched early reads memory that the previous kernel may still write."
    "grid-overrun" Warning [witnessed] "The grid has CTAs beyond the last tile, and they store out of bounds."
    "index-out-of-range" Warning "A static index of a tensor is beyond its mode."
    "instruction-not-available" Warning "A kernel uses an instruction that the target architecture does not have."
    "known-fault" Warning
        "A source uses what the project's version of the CuTe DSL is known to get wrong."
    "launch-bounds" Error "A launch has more threads or CTAs than the kernel or the hardware allows."
    "local-memory" Information "An array of a thread is indexed at run time, so it is kept in local memory, not in registers."
    "malformed-directive" Warning "A comment begins with `cute:` but is not a valid directive."
    "matrix-descriptor" Error "A matrix descriptor has a field that the instruction does not take."
    "misaligned-vector" Warning [witnessed] "Of the vectors of an access in global memory, not all are aligned."
    "mma-operand" Error "The tensor core does not accept an operand's type, majorness or block of scale factors."
    "mma-shape" Error "The tensor cores do not support this M, N or K."
    "multicast-mask" Error "The multicast mask does not match the CTAs that share the tile."
    "named-barrier" Error "A named barrier has a number that no CTA has, or counts parts of warps."
    "narrow-swizzle" Information "A helper of the CuTe DSL chose a narrow swizzle because no wider one divides the tile."
    "needs-static-strides" Error "The operation needs strides that are known at compile time."
    "negative-stride" Error "The operation is not defined for a negative stride."
    "never-written" Warning [witnessed] "A thread reads shared memory that no thread of its block writes."
    "no-such-argument" Error "A function of the CuTe DSL has no argument of this name."
    "no-such-member" Error
        "A layout, an atom, a tiled copy or a tiled MMA of the CuTe DSL has no member of this name."
    "no-such-mode" Error "A mode index is beyond the last mode."
    "not-a-composition" Error [witnessed] "CuTe compiles this composition and returns a layout that is not A(B(c))."
    "not-an-inverse" Error [witnessed] "CuTe compiles this inverse and returns a layout that does not undo the original."
    "not-canonical" Error "No matrix descriptor can express this shared-memory tile."
    "not-congruent" Error "A shape and its stride, or a coordinate and its shape, are nested differently."
    "not-divisible" Error "A static division that must be exact leaves a remainder."
    "not-injective" Error [witnessed] "A layout maps two coordinates to one offset, so it has no complement."
    "offset-overflow" Error [witnessed] "An offset is computed in 32 bits and does not fit."
    "over-covers" Warning "The tiles of a division cover more elements than the layout has."
    "over-run" Warning [witnessed] "A thread reads or writes beyond an array of a known size."
    "overflow" Error "A known number exceeds 64 bits."
    "overlapping-modes" Warning
        "A mode of a tensor in global memory has its own extent as its stride, so two elements share an address."
    "overlapping-store" Error [witnessed] "A copy writes two different elements to one address."
    "proxy-fence" Error
        "TMA or the tensor core reads shared memory that threads wrote, with no proxy fence in between."
    "ragged-store" Information [witnessed] "The grid rounds up, and the last tile is stored without a predicate."
    "rank-mismatch" Error "The ranks of two operands do not match."
    "register-pool-exceeded" Error "The warp groups of a CTA request more registers than the CTA owns."
    "register-spill" Warning "The accumulators of a loop need more registers than a thread has."
    "setmaxnreg-ignored" Warning
        "A kernel distributes registers among its warp groups, but `ptxas` ignores every `setmaxnreg`."
    "shape-divisibility" Error
        "A composition takes part of a mode of the left operand whose extent does not divide evenly."
    "shared-race" Error [witnessed]
        "Two threads access one shared-memory address, one of them writes, and no barrier separates them."
    "slice-by-cta" Error "A tiled copy or MMA is sliced by a CTA index instead of a thread index."
    "smem-alignment" Warning
        "A tile or vector in shared memory is not aligned as the instruction that accesses it requires."
    "smem-exceeds-capacity" Error "A kernel needs more shared memory than a CTA can have."
    "smem-extent" Error "A tensor extends beyond the shared memory it was given."
    "stage-order" Error "A stage of shared memory is filled again before anything has read it."
    "stage-out-of-range" Error "A stage index exceeds the stages of the buffer or of the barrier array."
    "stale-layout-comment" Information [of_comments] "A comment states a different layout than its variable has."
    "stale-shape-comment" Information [of_comments] "A comment states a different rank or extent than its variable has."
    "static-assert-fails" Error "A `static_assert` on layouts or sizes is false."
    "store-type" Error "Values are stored to a tensor of a narrower type."
    "stride-divisibility" Error "A stride of the right operand crosses a mode of the left operand unevenly."
    "swapped-operand" Error "A fragment made for one operand of an MMA is passed as the other."
    "swizzle-illegal" Error "The two bit groups of a swizzle overlap."
    "thread-count-mismatch" Error
        "A tensor is partitioned among a different number of threads than take part."
    "tile-does-not-divide" Error "The block of `tile_to_shape` does not divide the target shape."
    "tma-box" Error "An extent of a TMA box is not between 1 and 256."
    "tma-box-bytes" Error "A TMA box is larger than the shared memory of a CTA."
    "tma-box-small" Information "TMA needs more instructions for this tile than necessary."
    "tma-dimension" Error "An extent of a TMA tensor is not between 1 and 2^32."
    "tma-element-stride" Error "An element stride of a TMA tensor map is not between 1 and 8."
    "tma-fill" Error "A TMA tensor map fills elements with NaN that have none."
    "tma-inner-box" Error
        "The contiguous extent of a TMA box is not a multiple of 16 bytes or exceeds its swizzle span."
    "tma-interleave" Error "The interleave of a TMA tensor map does not fit its swizzle or its elements."
    "tma-major" Error "The tensors of a TMA copy are contiguous along different modes."
    "tma-merged" Error "A TMA tensor has more than five modes, and the last ones do not merge into one dimension."
    "tma-multicast" Error "The number of multicast CTAs does not divide the TMA box."
    "tma-store-wait" Error "Shared memory is overwritten, or given away at the end of the CTA, while a TMA store may still read it."
    "tma-stride-alignment" Error "A stride of a TMA tensor is not a multiple of 16 bytes."
    "tma-stride-range" Error "A stride of a TMA tensor is 2^40 bytes or more."
    "tma-tile" Error "The tile and the shared-memory layout of a TMA copy do not match."
    "tma-type" Error "TMA has no data type for these elements."
    "tmem-columns" Error
        "A tensor-memory allocation has an invalid number of columns, or another number is freed than was allocated."
    "tmem-exceeds-allocation" Error "An accumulator extends beyond the allocated tensor-memory columns."
    "tmem-lanes" Error [witnessed] "A warp accesses tensor-memory lanes that belong to another warp."
    "tmem-lifetime" Error
        "Tensor-memory columns are never freed, are freed while in use, or are allocated when that is not allowed."
    "tmem-wait" Error
        "Tensor memory is released or read while a thread's asynchronous load or store may still be in flight."
    "too-few-values" Error
        "A tiled copy has fewer threads or values than one instruction of its atom moves, or not a multiple of them."
    "twin-differs" Information
        "A declaration for operand B mirrors the one for A, but one of its words still belongs to A."
    "tx-bytes-mismatch" Error "A barrier waits for a different number of bytes than its TMA copies deliver."
    "uncoalesced" Information [of_memory] "A warp moves more 32-byte sectors of global memory than its data needs."
    "unlike-codomains" Error "Strides of different kinds are added: integers and basis elements."
    "unsupported-swizzle" Error "TMA does not support this shared-memory swizzle."
    "unused-assumption" Information "An assumption names a run-time integer that does not exist."
    "wgmma-arrive" Error "No `warpgroup_arrive` comes before the first MMA of a warp group."
    "wgmma-wait" Error "Accumulators are read while an asynchronous `wgmma` may still write them."
    "write-race" Warning [witnessed] "Two threads of a block store different values to one address with one instruction."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_in_order_and_each_is_found_by_its_name() {
        assert!(RULES.is_sorted_by(|one, next| one.name < next.name));
        for rule in Rule::all() {
            assert_eq!(Rule::named(rule.name), Some(rule));
            assert!(rule.summary.ends_with('.'), "{}", rule.name);
        }
    }
}
