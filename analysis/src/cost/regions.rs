//! Columns of tensor memory: which accumulator takes which, against those that are allocated.

use cute_algebra::Delta;
use cute_hardware::tensor_memory;
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span, UnaryOp};

use super::thread_sets::on_numbers;
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::{Space, Tensor};
use crate::trace::{Action, ActionKind};
use crate::value::Value;
use crate::vocabulary::number;
use crate::walk;

/// The stable name of the rule about numbers of columns.
const COLUMNS_RULE: &str = "tmem-columns";
/// The fewest columns of an allocation.
const FEWEST: i64 = 32;
/// Bits of a column of tensor memory in one lane.
const COLUMN_BITS: i64 = 32;
/// The step from one lane to the next in columns, as addresses of tensor memory count.
const LANE: i64 = 1 << 16;

/// An accumulator in tensor memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Columns.
    pub columns: i64,
    /// The address of the region: the expression without the columns that are added to it, and these columns.
    pub base: Option<(String, i64)>,
}

impl Region {
    /// Whether two regions have columns in common, where their addresses are comparable.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (&self.base, &other.base) {
            (Some((base, first)), Some((also, second))) if base == also => {
                *first < second + other.columns && *second < first + self.columns
            }
            _ => false,
        }
    }
}

/// The accumulators in tensor memory.
pub(super) fn regions(seen: &Seen<'_, '_>) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    for action in seen.run.reached(ActionKind::Fragment) {
        let Value::Tensor(tensor) = &action.result else {
            continue;
        };
        if tensor.engine.space != Space::TensorMemory {
            continue;
        }
        let (Some(name), Some(columns)) =
            (seen.declared.initialised_by(action.span()), columns(tensor))
        else {
            continue;
        };
        if found.iter().all(|region| region.span != name) {
            found.push(Region {
                name: seen.written(name).to_owned(),
                span: name,
                columns,
                base: base_of(seen, name),
            });
        }
    }
    found
}

/// The columns that a tensor of tensor memory spans.
pub(super) fn columns(tensor: &Tensor) -> Option<i64> {
    let bits = i64::from(tensor.engine.bits()?);
    let layout = tensor.layout.as_affine()?;
    // Strides count elements; a lane is as many of them as fill its columns.
    let lane = LANE.checked_mul(COLUMN_BITS)? / bits.max(1);
    let mut last = 0_i64;
    for (extent, stride) in layout.shape().leaves().iter().zip(layout.stride().leaves()) {
        let (extent, Delta::Int(stride)) = (extent.value()?, stride) else {
            return None;
        };
        let stride = stride.value()?;
        last = last.checked_add((extent - 1).checked_mul(stride.rem_euclid(lane.max(1)))?)?;
    }
    let used = last.checked_add(1)?.checked_mul(bits)?;
    Some((used + COLUMN_BITS - 1) / COLUMN_BITS)
}

/// `accumulator.data() = base + columns`.
fn base_of(seen: &Seen<'_, '_>, accumulator: Span) -> Option<(String, i64)> {
    let mut bases: Vec<(String, i64)> = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr: &Expr| {
        let ExprKind::Assign(assignment) = &expr.kind else {
            return;
        };
        let ExprKind::Call(callee, _) = &assignment.target.kind else {
            return;
        };
        let ExprKind::Member { object, member, .. } = &callee.kind else {
            return;
        };
        if member.name.name == "data" && seen.variable(object) == Some(accumulator) {
            bases.extend(address(&assignment.value));
        }
    });
    match bases.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// An address without the columns that are added to it, and those.
fn address(expr: &Expr) -> Option<(String, i64)> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add, base, columns) => match columns.kind {
            ExprKind::Int(columns) => Some((base.to_string(), columns)),
            _ => None,
        },
        ExprKind::Name(_) | ExprKind::Member { .. } => Some((expr.to_string(), 0)),
        _ => None,
    }
}

/// Columns that the function allocates.
pub(super) fn allocated(seen: &Seen<'_, '_>) -> Option<i64> {
    seen.run
        .reached(ActionKind::AllocateColumns)
        .find_map(|action| columns_of_allocation(action))
}

/// Looks for accumulators that reach beyond the columns of the only allocation.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    judge_numbers(seen, costs);
    let allocations: Vec<&Action<'_>> = seen.run.reached(ActionKind::AllocateColumns).collect();
    let [allocation] = allocations.as_slice() else {
        return;
    };
    let (Some(columns), Some(base)) = (
        columns_of_allocation(allocation),
        allocation.args.get(1).and_then(written_to),
    ) else {
        return;
    };
    for region in regions(seen) {
        let end = match &region.base {
            Some((at, first)) if *at == base => first + region.columns,
            _ => continue,
        };
        if end > columns && !allocation.is_uncertain {
            costs.findings.push(Finding {
                numbers: vec![
                    ("end".to_owned(), Number::Integer(end)),
                    ("allocated".to_owned(), Number::Integer(columns)),
                ],
                ..seen.finding(
                    "tmem-exceeds-allocation",
                    Severity::Error,
                    region.span,
                    format!(
                        "`{}` ends at column {end} of tensor memory, but only {columns} are allocated",
                        region.name
                    ),
                )
            });
        }
    }
}

/// The variable behind the pointer that an allocation writes the first column to, as it is written.
fn written_to(pointer: &Expr) -> Option<String> {
    match &pointer.kind {
        ExprKind::Unary(UnaryOp::AddressOf, variable) => Some(variable.to_string()),
        _ => None,
    }
}

/// Columns requested from an allocator.
pub(super) fn columns_of_allocation(action: &Action<'_>) -> Option<i64> {
    let written = action.args.first().and_then(written_columns);
    written.or_else(|| action.values.first().and_then(number))
}

/// Columns that an allocator is given back.
fn columns_freed(action: &Action<'_>) -> Option<i64> {
    let written = action.args.last().and_then(written_columns);
    written.or_else(|| action.values.last().and_then(number))
}

/// A number of columns that is made of the allocator's own constant.
fn written_columns(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(number) => Some(*number),
        // TMEM::Allocator::Sm100TmemCapacityColumns
        ExprKind::Name(path) => {
            let is_all = path
                .last()
                .is_some_and(|segment| segment.name.name == "Sm100TmemCapacityColumns");
            is_all.then_some(tensor_memory::COLUMNS)
        }
        ExprKind::Binary(op, left, right) => {
            on_numbers(*op, written_columns(left)?, written_columns(right)?)
        }
        // `(columns) - 32` is a conversion only where `columns` is a type.
        ExprKind::Cast(_, columns, signed) => match &signed.kind {
            ExprKind::Unary(UnaryOp::Minus, by) => {
                written_columns(columns)?.checked_sub(written_columns(by)?)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Columns that one allocation may have (PTX ISA, `tcgen05.alloc`: a power of two, at least 32).
fn is_legal(columns: i64) -> bool {
    columns >= FEWEST && columns & (columns - 1) == 0
}

/// Allocations of numbers of columns that there are not, and columns that are not given back as they were taken.
fn judge_numbers(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let allocations: Vec<&Action<'_>> = seen.run.reached(ActionKind::AllocateColumns).collect();
    let frees: Vec<&Action<'_>> = seen.run.reached(ActionKind::FreeColumns).collect();
    for allocation in &allocations {
        let Some(columns) = columns_of_allocation(allocation) else {
            continue;
        };
        // On sm_107 all columns may be taken at once, which are not a power of two.
        let is_known = columns <= tensor_memory::COLUMNS && !allocation.is_uncertain;
        if is_known && !is_legal(columns) {
            costs.findings.push(Finding {
                numbers: vec![("columns".to_owned(), Number::Integer(columns))],
                ..seen.finding(
                    COLUMNS_RULE,
                    Severity::Error,
                    allocation.span(),
                    format!("{columns} columns are requested, but only powers of two from {FEWEST} up can be allocated"),
                )
            });
        }
    }
    let ([allocation], [free]) = (allocations.as_slice(), frees.as_slice()) else {
        return;
    };
    let (Some(taken), Some(given)) = (columns_of_allocation(allocation), columns_freed(free))
    else {
        return;
    };
    if taken == given || allocation.is_uncertain || free.is_uncertain {
        return;
    }
    costs.findings.push(Finding {
        numbers: vec![
            ("columns".to_owned(), Number::Integer(taken)),
            ("freed".to_owned(), Number::Integer(given)),
        ],
        related: vec![Related {
            span: allocation.span(),
            message: format!("{taken} columns are allocated"),
        }],
        ..seen.finding(
            COLUMNS_RULE,
            Severity::Error,
            free.span(),
            format!("{given} columns are freed, but {taken} were allocated"),
        )
    });
}
