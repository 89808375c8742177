//! Names of functions and methods that act on memory and barriers.

use tree_sitter_cute::tree::{Expr, ExprKind, Segment};

use super::libraries::is_library;
use super::tracing::BARRIER_CLASSES;
use crate::object_layout::BARRIER_OF_CUDA;
use crate::tensor::Space;
use crate::trace::ActionKind;
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary;

/// Methods of CUTLASS's barriers, called on the class with the barrier first or on an object.
pub(super) const BARRIER_METHODS: &[(&str, ActionKind)] = &[
    ("init", ActionKind::InitBarrier),
    ("arrive", ActionKind::Arrive),
    ("arrive_and_expect_tx", ActionKind::ArriveAndExpect),
    ("arrive_and_reset_bytes", ActionKind::ArriveAndExpect),
    ("expect_transaction", ActionKind::Expect),
    ("reset_bytes", ActionKind::Expect),
    ("wait", ActionKind::WaitBarrier),
];

/// The words with which bytes are announced to a barrier.
pub(super) fn announcing_words() -> impl Iterator<Item = &'static str> {
    let announces =
        |kind: ActionKind| matches!(kind, ActionKind::ArriveAndExpect | ActionKind::Expect);
    let words = vocabulary::acting().chain(BARRIER_METHODS.iter().copied());
    words
        .filter(move |(_, kind)| announces(*kind))
        .map(|(word, _)| word)
        .chain(super::pipelines::ANNOUNCING.iter().copied())
}

pub(super) fn kind_of(table: &[(&str, ActionKind)], name: &str) -> Option<ActionKind> {
    table
        .iter()
        .find(|(word, _)| *word == name)
        .map(|(_, kind)| *kind)
}

/// Whether a word does something.
pub(super) fn is_action(segment: &Segment) -> bool {
    vocabulary::action(&segment.name.name).is_some()
}

/// Whether a name is written with the namespace of a library.
pub(super) fn is_of_library(callee: &Expr) -> bool {
    let path = callee.as_path();
    path.and_then(|path| path.segments.split_last())
        .and_then(|(_, scopes)| scopes.first())
        .is_some_and(is_library)
}

pub(super) fn is_barrier_class(ty: &Type) -> bool {
    match ty {
        Type::Class(class) => BARRIER_CLASSES.contains(&&*class.name),
        _ => false,
    }
}

/// Whether a type is `cuda::barrier` of the threads of a block.
pub(super) fn is_barrier_of_cuda(ty: &Type) -> bool {
    match ty {
        Type::Class(class) => &*class.name == BARRIER_OF_CUDA,
        _ => false,
    }
}

/// Whether a type is one of CuTe's allocators of tensor memory.
pub(super) fn is_allocator(ty: &Type) -> bool {
    match ty {
        Type::Named(name) => matches!(&**name, "TMEM::Allocator1Sm" | "TMEM::Allocator2Sm"),
        _ => false,
    }
}

/// Whether buffers of several stages are kept there.
pub(super) fn has_stages(space: Space) -> bool {
    matches!(
        space,
        Space::Shared | Space::TensorMemory | Space::WgmmaDescriptors | Space::UmmaDescriptors
    )
}

/// Whether tiles of a tensor are given to the CTAs of a grid.
pub(super) fn is_global(space: Space) -> bool {
    matches!(space, Space::Global | Space::Coordinates)
}

/// Whether a coordinate is made of `blockIdx`.
pub(super) fn is_of_cta(coordinate: &Value) -> bool {
    let symbols = coordinate.symbols();
    symbols.iter().any(|symbol| symbol.starts_with("blockIdx."))
}

/// Whether a tensor is memory that a thread owns.
pub(super) fn is_owned(value: &Value) -> bool {
    match value {
        Value::Tensor(tensor) => {
            matches!(tensor.engine.space, Space::Registers | Space::TensorMemory)
        }
        _ => false,
    }
}

/// Whether a value is a tiled copy or MMA, or a thread's slice of one.
pub(super) fn is_tiled(value: &Value) -> bool {
    matches!(
        value,
        Value::TiledCopy(_) | Value::TiledMma(_) | Value::ThrCopy(_) | Value::ThrMma(_)
    )
}

/// Whether a tensor is a view of shared memory.
pub(super) fn is_laid_on_shared_memory(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if tensor.engine.space == Space::Shared)
}

/// Whether a function or method gives a view of memory, or computes.
pub(super) fn is_view(callee: &Expr) -> bool {
    match &callee.kind {
        ExprKind::Name(path) => path.last().is_some_and(|segment| {
            let name = segment.name.name.as_str();
            vocabulary::function(name).is_some()
                && matches!(
                    vocabulary::action(name),
                    None | Some(ActionKind::Fragment | ActionKind::Partition)
                )
        }),
        ExprKind::Member { member, .. } => vocabulary::method(&member.name.name).is_some(),
        _ => false,
    }
}
