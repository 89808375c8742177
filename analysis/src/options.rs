//! Settings of an analysis besides the source.

use std::sync::Arc;

use tree_sitter_cute::Host;

use crate::assume::Assumption;
use crate::limits;
use crate::sequence::Sequence;
use crate::shown::Shown;
use crate::stop::Stop;
use crate::undecided::Undecideds;
use crate::wanted::Wanted;
use crate::work::Work;

/// The reading of plain integers in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Integers {
    /// Every plain integer is static, as in the paper's notation.
    #[default]
    Static,
    /// As CuTe prints: `_8` is static, `8` is a run-time size that happens to be 8.
    Cute,
}

/// The accesses of warps whose cost is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Judged {
    /// None.
    #[default]
    Nothing,
    /// Plain loads and stores.
    Plain,
    /// Those, and the copies of CuTe.
    All,
}

/// Settings of an analysis besides the source.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each switches on a part of the analysis that others do not depend on"
)]
pub struct Options {
    /// Facts about run-time values.
    pub assume: Vec<Assumption>,
    /// The reading of plain integers in a separate expression (sources are C++).
    pub integers: Integers,
    /// Steps that one file may take ([`limits::STEPS_PER_FILE`]).
    pub steps: usize,
    /// The language of the source: the meaning of names, and how a remedy is read back.
    pub host: Host,
    /// Whether remedies are looked for. Each candidate analyses the file once more, so an editor
    /// asks for them only when a menu is opened.
    pub remedies: bool,
    /// For which findings, where they are. Others have none.
    pub wanted: Wanted,
    /// The accesses of warps that are judged: `bank-conflict`, `uncoalesced`. These findings are about legal code
    /// and depend on the purpose of a kernel, so they are made only on request.
    pub memory: Judged,
    /// Whether the costs and needs of functions are computed: budgets, barriers, preconditions (the module `cost`).
    /// Without a request they take no time.
    pub costs: bool,
    /// Whether the offsets of plain loads and stores are computed, with their cost for a warp (the module `access`).
    /// Without a request they take no time.
    pub accesses: bool,
    /// Whether only the findings, with their remedies, are requested, so that an analysis may leave out results that
    /// they do not depend on: values of uses of names, meanings of words of CuTe, costs of lines. Findings are the
    /// same.
    pub only_findings: bool,
    /// The requested part of the instances of a header, where that is not all: the part that an editor shows first.
    /// Findings, costs and counts are then those of these instances alone.
    pub shown: Option<Arc<Shown>>,
    /// In which order declarations are evaluated that nothing orders.
    pub order: Sequence,
    /// The condition for giving up, as the result is not needed any more.
    pub stop: Stop,
    /// The counter of the work.
    pub work: Work,
    /// The collection of macros that nothing decides.
    pub undecided: Undecideds,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            assume: Vec::new(),
            integers: Integers::Static,
            steps: limits::STEPS_PER_FILE,
            host: Host::CudaCpp,
            remedies: true,
            wanted: Wanted::default(),
            memory: Judged::Nothing,
            costs: true,
            accesses: true,
            only_findings: false,
            shown: None,
            order: Sequence::default(),
            stop: Stop::default(),
            work: Work::default(),
            undecided: Undecideds::default(),
        }
    }
}
