//! Pipelines of CUTLASS that a function makes.

use tree_sitter_cute::tree::Expr;

use crate::origin::Place;
use crate::value::Value;

/// Actions of a pipeline on its barriers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::interpret) enum Kind {
    /// `PipelineTmaAsync` and the pipelines built on it: acquiring a stage announces its bytes.
    Tma,
    /// `PipelineTransactionAsync`: bytes are announced and threads arrive by separate calls.
    Transaction,
    /// `PipelineAsync`: threads arrive on both sides.
    Threads,
}

/// A pipeline and the numbers of its `Params`.
#[derive(Debug)]
pub(in crate::interpret) struct Pipeline<'u> {
    pub(in crate::interpret) kind: Kind,
    /// Its shared storage.
    pub(in crate::interpret) storage: Place,
    /// The bytes of a stage, and where they are given.
    pub(in crate::interpret) bytes: Option<(Value, Option<&'u Expr>)>,
    /// Whether it sets its barriers up itself and all arrivals stay in this CTA.
    pub(in crate::interpret) is_local: bool,
}
