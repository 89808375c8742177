//! What an analysis is told besides the source.

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

/// How plain integers of an expression are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Integers {
    /// Every plain integer is static, as in the paper's notation.
    #[default]
    Static,
    /// As CuTe prints: `_8` is static, `8` comes at run time and happens to be 8.
    Cute,
}

/// What an analysis is told besides the source.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each switches on a part of the analysis that others do not depend on"
)]
pub struct Options {
    /// Facts about run-time values.
    pub assume: Vec<Assumption>,
    /// How plain integers are read in an expression that stands alone (sources are C++).
    pub integers: Integers,
    /// Steps that one file may take ([`limits::STEPS_PER_FILE`]).
    pub steps: usize,
    /// The language of the source: which names mean what, and how a remedy is read back.
    pub host: Host,
    /// Whether remedies are looked for. Each candidate analyses the file once more, so an editor
    /// asks for them only when a menu is opened.
    pub remedies: bool,
    /// For which findings, where they are. Others have none.
    pub wanted: Wanted,
    /// Whether the accesses of warps are judged: `bank-conflict`, `uncoalesced`. What they say is legal
    /// and depends on what a kernel is after, so it is said only where somebody asks.
    pub memory: bool,
    /// Whether it is found out what functions cost and need: budgets, barriers, preconditions
    /// (the module `cost`). What is not asked for takes no time.
    pub costs: bool,
    /// Whether the offsets of plain loads and stores are looked for, with what a warp makes of them
    /// (the module `access`). What is not asked for takes no time.
    pub accesses: bool,
    /// Whether only the findings, with their remedies, are asked for, so that an analysis need not have what they do
    /// not depend on: what uses of names are worth, what words of CuTe stand for, what lines cost. Findings are the
    /// same.
    pub only_findings: bool,
    /// What of the instances of a header is asked for, where that is not all: what an editor shows first. Findings,
    /// costs and counts are then those of these instances alone.
    pub shown: Option<Arc<Shown>>,
    /// In which order declarations are evaluated that nothing orders.
    pub order: Sequence,
    /// When to give up, as nobody wants the result any more.
    pub stop: Stop,
    /// What counts what is done.
    pub work: Work,
    /// What collects the macros that nothing decides.
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
            memory: false,
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
