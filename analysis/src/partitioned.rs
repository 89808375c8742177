//! The lanes of a warp that touch each element of a tensor in the copies of a source: the instructions of its
//! partitions by tiled copies.

use cute_hardware::memory::Access;
use tree_sitter_cute::tree::{Expr, ExprKind, Span, Unit};

use crate::fact::{Analysis, Mention};
use crate::value::Value;
use crate::vocabulary::warp_accesses;
use crate::walk;

/// A partition of a tensor by a tiled copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitioned {
    /// The call: `thread.partition_D(sA)`.
    pub span: Span,
    /// The first `copy` of the part; nothing where no visible copy has it.
    pub copy: Option<Span>,
    /// Whether the tensor is read.
    pub is_source: bool,
    /// The instructions of the first warp, with the byte address of each lane in the first tile: before the swizzle of the
    /// pointer, after the swizzle of the layout.
    pub instructions: Vec<Access>,
}

/// The partitions of the tensor that is declared at `declared` and has the value `tensor` in the shown instance. An
/// unknown one, or one whose width the compiler chooses, is left out.
pub fn partitions_of(
    unit: &Unit,
    analysis: &Analysis,
    declared: Span,
    tensor: &Value,
) -> Vec<Partitioned> {
    let Value::Tensor(whole) = tensor else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut copies: Vec<Span> = Vec::new();
    walk::expressions(&unit.items, &mut |expr| {
        if is_copy(expr) {
            copies.push(expr.span);
        }
        let Some((thread, is_source, part)) = partition(expr) else {
            return;
        };
        let is_it = analysis
            .facts_of_use(part.span)
            .first()
            .is_some_and(|fact| fact.name_span == declared);
        if !is_it {
            return;
        }
        let parts = mentions_of(analysis, part.span).filter(|part| *part.value == *tensor);
        let copy = parts.into_iter().find_map(|part| {
            let mut threads = mentions_of(analysis, thread.span);
            let thread = threads.find(|thread| thread.instance == part.instance)?;
            match &*thread.value {
                Value::ThrCopy(thread) => Some(thread.copy.clone()),
                _ => None,
            }
        });
        let instructions = copy.and_then(|copy| warp_accesses(&copy, is_source, whole));
        if let Some(instructions) = instructions.filter(|all| !all.is_empty()) {
            found.push(Partitioned {
                span: expr.span,
                copy: None,
                is_source,
                instructions,
            });
        }
    });
    for partition in &mut found {
        partition.copy = copy_of(analysis, partition.span, &copies);
    }
    found
}

fn mentions_of(analysis: &Analysis, span: Span) -> impl Iterator<Item = &Mention> {
    let mentions = analysis.mentions().iter();
    mentions.filter(move |mention| mention.span == span)
}

/// `thread.partition_S(tensor)`, `thread.partition_D(tensor)`: the thread, whether the tensor is read, and the tensor.
fn partition(expr: &Expr) -> Option<(&Expr, bool, &Expr)> {
    let ExprKind::Call(callee, args) = &expr.kind else {
        return None;
    };
    let (ExprKind::Member { object, member, .. }, [tensor]) = (&callee.kind, args.as_slice())
    else {
        return None;
    };
    let is_source = match member.name.name.as_str() {
        "partition_S" => true,
        "partition_D" => false,
        _ => return None,
    };
    Some((object, is_source, tensor))
}

/// `copy(...)`, `copy_if(...)`.
fn is_copy(expr: &Expr) -> bool {
    let ExprKind::Call(callee, _) = &expr.kind else {
        return false;
    };
    let name = callee.as_path().and_then(|path| path.last());
    name.is_some_and(|name| matches!(&*name.name.name, "copy" | "copy_if"))
}

/// The first copy that has the part, or the variable that is declared as it.
fn copy_of(analysis: &Analysis, partition: Span, copies: &[Span]) -> Option<Span> {
    let named = analysis
        .facts
        .iter()
        .find(|fact| fact.span.encloses(partition))
        .map(|fact| fact.name_span);
    let has_it = |copy: &&Span| {
        copy.encloses(partition)
            || named.is_some_and(|name| {
                let mut used = analysis.declarations_used_in(**copy);
                used.any(|used| used == name)
            })
    };
    copies.iter().find(has_it).copied()
}
