//! An effect of the kernel: a copy, memory that is taken, a launch.

use tree_sitter_cute::tree::Span;

use crate::cost::What;
use crate::reason::Reason;
use crate::tensor::Tensor;
use crate::value::Value;

/// Something that a call does.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    /// The call of the record that does it.
    pub(super) activation: usize,
    /// The call that does it; where it is in another file, the call that leads there.
    pub(super) span: Span,
    pub(super) kind: EffectKind,
}

/// The kind of an effect.
#[derive(Debug, Clone)]
pub(super) enum EffectKind {
    /// A copy, a product, an operation of TMA.
    Issued {
        what: What,
        /// The name that is called.
        anchor: Span,
        values: Vec<Value>,
        /// Names of the operands, where they have names.
        names: Vec<Option<String>>,
        made: Value,
    },
    /// A tensor that a thread owns.
    Kept {
        tensor: Box<Tensor>,
        is_of_product: bool,
    },
    /// An object in shared memory.
    Stored {
        is_dynamic: bool,
        gap: i64,
        size: Result<i64, Reason>,
        align: i64,
        members: Vec<(String, i64)>,
    },
    /// Columns of tensor memory.
    Columns(i64),
    /// `setmaxnreg`
    Registers(i64),
    /// The kernel of the activation is launched.
    Launch(Launch),
}

/// A launch.
#[derive(Debug, Clone)]
pub(super) struct Launch {
    pub(super) grid: String,
    /// The extents of the grid and of a CTA.
    pub(super) axes: [Value; 2],
    pub(super) block: Option<[i64; 3]>,
    pub(super) cluster: Option<[i64; 3]>,
    pub(super) bytes: Option<i64>,
    pub(super) blocks: Option<i64>,
}
