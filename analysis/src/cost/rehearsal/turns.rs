//! The positions of pipelines: a stage, and the parity of the phase that is waited for there.

use tree_sitter_cute::tree::{Expr, ExprKind};

use crate::types::Type;
use crate::vocabulary::number;

/// The position of a `PipelineState`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) index: i64,
    pub(super) phase: i64,
    pub(super) stages: i64,
}

impl Turn {
    pub(super) fn advance(&mut self) {
        self.index += 1;
        if self.index >= self.stages {
            self.index = 0;
            self.phase ^= 1;
        }
    }
}

/// The initial position of a state of a pipeline: `PipelineState<3>{}`, `make_producer_start_state<Pipeline>()`.
pub(super) fn turn(ty: &Type, init: &Expr) -> Option<Turn> {
    let first = first_turn(ty)?;
    let phase = match &init.kind {
        ExprKind::Construct { args, .. } if args.is_empty() => 0,
        ExprKind::Call(callee, args) if args.is_empty() => {
            let last = callee.as_path()?.last()?;
            i64::from(last.name.name == "make_producer_start_state")
        }
        _ => return None,
    };
    Some(Turn { phase, ..first })
}

/// The start of a state of a pipeline without an initialiser.
pub(super) fn first_turn(ty: &Type) -> Option<Turn> {
    let Type::Class(class) = ty else { return None };
    let stages = class.args.first().and_then(number);
    let stages = stages.filter(|stages| &*class.name == "PipelineState" && *stages > 0)?;
    Some(Turn {
        index: 0,
        phase: 0,
        stages,
    })
}
