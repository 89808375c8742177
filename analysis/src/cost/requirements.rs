//! Conditions on run-time sizes and pointers.

use cute_algebra::{Delta, Int};
use tree_sitter_cute::tree::{Expr, ExprKind, Span};

use super::called::Called;
use super::counts::copy_count;
use super::tree::anchor;
use super::{Costs, Seen, rings};
use crate::finding::{Finding, Number, Severity};
use crate::tensor::{Space, Tensor};
use crate::trace::{Action, ActionKind};
use crate::value::Value;
use crate::walk;

/// Bytes of which the address and the strides of a TMA tensor are multiples (CUDA driver API,
/// `cuTensorMapEncodeTiled`).
const TMA_BYTES: i64 = 16;

/// The name under which preconditions of memory are listed.
const RULE: &str = "precondition";

/// Gathers the requirements of the lines of a function.
pub(super) fn gather(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let has_predicates = super::bounds::is_predicated(seen);
    let mut add = |needs: Vec<Finding>| {
        for need in needs {
            let known = costs
                .preconditions
                .iter()
                .any(|other| other.span == need.span && other.message == need.message);
            if !known {
                costs.preconditions.push(need);
            }
        }
    };
    for action in seen.run.actions.iter().filter(|action| action.is_reached()) {
        let found = match action.kind {
            ActionKind::MakeTma => of_tma(seen, action),
            ActionKind::Copy => {
                let mut found = of_vectors(seen, action);
                found.extend(of_written(seen, action));
                found
            }
            ActionKind::LocalTile if !has_predicates => of_tile(seen, action),
            _ => Vec::new(),
        };
        add(found);
    }
    add(of_elements(seen));
}

/// The condition.
pub(super) enum Condition {
    /// A size is a multiple of a number.
    Divisible(String, i64),
    /// A stride is 1.
    Contiguous(String),
    /// A pointer is aligned to this number of bytes.
    Aligned(String, i64),
    /// A stride is at least an extent.
    AtLeast(String, String),
}

fn need(seen: &Seen<'_, '_>, span: Span, condition: &Condition, why: &str) -> Finding {
    needed(seen.instance(), span, condition, why)
}

/// A condition as it is listed.
pub(super) fn needed(
    instance: Option<String>,
    span: Span,
    condition: &Condition,
    why: &str,
) -> Finding {
    let (text, of, number) = match condition {
        Condition::Divisible(size, by) => (
            format!("{size} % {by} == 0"),
            ("size", size),
            ("divisor", Number::Integer(*by)),
        ),
        Condition::Contiguous(stride) => (
            format!("{stride} == 1"),
            ("stride", stride),
            ("expected", Number::Integer(1)),
        ),
        Condition::Aligned(pointer, bytes) => (
            format!("{pointer} {bytes}-byte aligned"),
            ("pointer", pointer),
            ("bytes", Number::Integer(*bytes)),
        ),
        Condition::AtLeast(stride, extent) => (
            format!("{stride} >= {extent}"),
            ("stride", stride),
            ("extent", Number::Text(extent.clone())),
        ),
    };
    Finding {
        numbers: vec![
            (of.0.to_owned(), Number::Text(of.1.clone())),
            (number.0.to_owned(), number.1),
        ],
        instance,
        ..Finding::new(RULE, Severity::Information, span, format!("{text} ({why})"))
    }
}

/// `ldA % 8 == 0`, where it is not known to hold; an error in the numbers is the business of others.
fn divisible(value: &Int, by: i64) -> Option<Condition> {
    if by <= 1 || value.value().is_some() {
        return None;
    }
    let rest = value.rem(&Int::fixed(by)).ok()?;
    (rest.value() != Some(0)).then(|| Condition::Divisible(value.to_string(), by))
}

/// The run-time strides of a tensor.
fn run_time_strides(tensor: &Tensor) -> Vec<Int> {
    let mut found: Vec<Int> = Vec::new();
    for stride in tensor.layout.domain().stride().leaves() {
        if let Delta::Int(stride) = stride
            && stride.value().is_none()
            && !found.contains(stride)
        {
            found.push(stride.clone());
        }
    }
    found
}

/// The name of the pointer of a tensor, where the source gives it one.
fn pointer_name(seen: &Seen<'_, '_>, tensor: &tree_sitter_cute::tree::Expr) -> String {
    let declared = seen.variable(tensor);
    let init = declared.and_then(|declared| seen.initialiser(declared));
    let mut pointer = init.and_then(first_argument);
    for _ in 0..4 {
        match pointer.and_then(first_argument) {
            Some(inner) => pointer = Some(inner),
            None => break,
        }
    }
    match (pointer, declared) {
        (Some(pointer), _) if pointer.as_plain_name().is_some() => pointer.to_string(),
        (_, Some(declared)) => format!("{}.data()", seen.written(declared)),
        _ => "the tensor".to_owned(),
    }
}

fn first_argument(expr: &tree_sitter_cute::tree::Expr) -> Option<&tree_sitter_cute::tree::Expr> {
    match &expr.kind {
        tree_sitter_cute::tree::ExprKind::Call(_, args) => args.first(),
        _ => None,
    }
}

/// Address and strides of a TMA tensor.
fn of_tma(seen: &Seen<'_, '_>, action: &Action<'_>) -> Vec<Finding> {
    let (Some(Value::Tensor(global)), Some(written)) = (action.values.get(1), action.args.get(1))
    else {
        return Vec::new();
    };
    tma_conditions(global, &action.result, pointer_name(seen, written))
        .iter()
        .map(|(condition, why)| need(seen, action.span(), condition, why))
        .collect()
}

/// The conditions of TMA on the address and the strides of its tensor, with the reason.
pub(super) fn tma_conditions(
    global: &Tensor,
    made: &Value,
    pointer: String,
) -> Vec<(Condition, String)> {
    let Some(bits) = global.engine.bits().map(i64::from) else {
        return Vec::new();
    };
    let mut found = vec![(
        Condition::Aligned(pointer, TMA_BYTES),
        "the address of a TMA tensor".to_owned(),
    )];
    let elements = TMA_BYTES * 8 / bits.max(1);
    let contiguous = contiguous_stride(global, made);
    if let Some(stride) = &contiguous {
        let why = "the shared-memory tile is contiguous along it";
        found.push((Condition::Contiguous(stride.to_string()), why.to_owned()));
    }
    for stride in run_time_strides(global) {
        if Some(&stride) == contiguous.as_ref() {
            continue;
        }
        if let Some(condition) = divisible(&stride, elements) {
            let why = format!("TMA needs strides that are multiples of {TMA_BYTES} bytes");
            found.push((condition, why));
        }
    }
    found
}

/// The run-time stride of the dimension along which the descriptor walks without one.
fn contiguous_stride(global: &Tensor, result: &Value) -> Option<Int> {
    let dimensions = super::counts::atom(result)?.tma_strides.as_ref()?;
    let first = |dimension: &Delta| {
        matches!(dimension, Delta::Basis(_)) && format!("{dimension:#}") == "1@0"
    };
    let strides = global.layout.domain().stride();
    if strides.leaves().len() != dimensions.leaves().len() {
        return None;
    }
    let mut pairs = strides.leaves().iter().zip(dimensions.leaves());
    pairs.find_map(|(stride, dimension)| match stride {
        Delta::Int(int) if int.value().is_none() && first(dimension) => Some(int.clone()),
        _ => None,
    })
}

/// Alignment of the memory that a vector copy touches.
fn of_vectors(seen: &Seen<'_, '_>, action: &Action<'_>) -> Vec<Finding> {
    let Some(count) = copy_count(action) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // The operation may be left out.
    let first = action.values.len().saturating_sub(2);
    for (value, written) in action.values.iter().zip(action.args).skip(first) {
        let Value::Tensor(tensor) = value else {
            continue;
        };
        let name = seen
            .variable(written)
            .map_or("the tensor", |name| seen.written(name));
        let pointer = format!("{name}.data()");
        let conditions = vector_conditions(tensor, count.bits, pointer);
        found.extend(
            conditions
                .iter()
                .map(|(condition, why)| need(seen, action.span(), condition, why)),
        );
    }
    found
}

/// The conditions of accesses of this width in bits on a tensor in global memory, with the reason.
pub(super) fn vector_conditions(
    tensor: &Tensor,
    access: i64,
    pointer: String,
) -> Vec<(Condition, String)> {
    let Some(bits) = tensor.engine.bits().map(i64::from) else {
        return Vec::new();
    };
    let vector = access / bits.max(1);
    if tensor.engine.space != Space::Global || vector < 2 {
        return Vec::new();
    }
    let bytes = access / 8;
    let mut found = vec![(
        Condition::Aligned(pointer, bytes),
        format!("one access moves {bytes} bytes"),
    )];
    for stride in run_time_strides(tensor) {
        if let Some(condition) = divisible(&stride, vector) {
            let why = format!("each access of {bytes} bytes is aligned");
            found.push((condition, why));
        }
    }
    found
}

/// The stride of a matrix that a copy writes to: rows of it must not overlap.
fn of_written(seen: &Seen<'_, '_>, action: &Action<'_>) -> Vec<Finding> {
    let written = action.args.last();
    written.map_or_else(Vec::new, |written| {
        without_overlap(seen, written, action.span())
    })
}

/// The same for `tensor(i, j) = x`.
fn of_elements(seen: &Seen<'_, '_>) -> Vec<Finding> {
    let mut found = Vec::new();
    walk::expressions(seen.run.body(), &mut |expr| {
        if let ExprKind::Assign(assignment) = &expr.kind
            && let ExprKind::Call(target, _) = &assignment.target.kind
            && target.as_plain_name().is_some()
        {
            found.extend(without_overlap(seen, target, target.span));
        }
    });
    found
}

fn without_overlap(seen: &Seen<'_, '_>, written: &Expr, at: Span) -> Vec<Finding> {
    let Some((name, tensor)) = whole_of(seen, written) else {
        return Vec::new();
    };
    let layout = tensor.layout.domain();
    let (shape, stride) = (layout.shape(), layout.stride());
    let ([first, second], [Delta::Int(one), Delta::Int(other)]) = (shape.leaves(), stride.leaves())
    else {
        return Vec::new();
    };
    // (m,n):(ld,1) and (m,n):(1,ld).
    let (outer, inner) = match (one.value(), other.value()) {
        (None, Some(1)) => (one, second),
        (Some(1), None) => (other, first),
        _ => return Vec::new(),
    };
    let is_known = outer == inner
        || outer
            .sub(inner)
            .is_ok_and(|rest| rest.bounds().0.is_some_and(|least| least >= 0));
    if is_known {
        return Vec::new();
    }
    let condition = Condition::AtLeast(outer.to_string(), inner.to_string());
    let why = format!("elements of {} would overlap", seen.written(name));
    vec![need(seen, at, &condition, &why)]
}

/// The tensor in global memory that an operand is a part of, and where it is declared.
fn whole_of<'s>(seen: &'s Seen<'_, '_>, operand: &Expr) -> Option<(Span, &'s Tensor)> {
    let mut declared = seen.variable(operand)?;
    for _ in 0..8 {
        let of = seen
            .initialiser(declared)
            .filter(|_| !seen.is_ambiguous(declared))
            .and_then(Called::of)
            .filter(|called| PARTS.contains(&called.name))
            .and_then(|called| seen.variable(called.args.first()?));
        match of {
            Some(of) => declared = of,
            None => break,
        }
    }
    match rings::value_of(seen, declared)? {
        Value::Tensor(tensor) if tensor.engine.space == Space::Global => Some((declared, tensor)),
        _ => None,
    }
}

/// Functions and methods that give a part of their first argument.
const PARTS: &[&str] = &[
    "local_partition",
    "local_tile",
    "partition_C",
    "partition_D",
];

/// Extents that tiles have to divide, as nothing in the function is predicated.
fn of_tile(seen: &Seen<'_, '_>, action: &Action<'_>) -> Vec<Finding> {
    let Some(Value::Tensor(tensor)) = action.values.first() else {
        return Vec::new();
    };
    // TMA knows the bounds of its tensor.
    if tensor.engine.space == Space::Coordinates {
        return Vec::new();
    }
    let Some(tile) = tile_of(action) else {
        return Vec::new();
    };
    let shape = tensor.layout.domain().shape();
    let divisors = super::bounds::divisors(seen, action);
    let mut found = Vec::new();
    for (extent, tile) in shape.modes().zip(tile) {
        let (Ok(extent), Some(tile)) = (extent.size(), tile) else {
            continue;
        };
        let of_grid = divisors.iter().filter(|(of, _)| *of == extent);
        let of_grid = of_grid.map(|(_, divisor)| *divisor).max();
        let why = match of_grid {
            Some(_) => "the grid rounds up and the tiles have no predicates",
            None => "the tiles have no predicates",
        };
        if let Some(condition) = divisible(&extent, of_grid.unwrap_or(tile)) {
            found.push(need(seen, anchor(action), &condition, why));
        }
    }
    found
}

/// The extents of the tile of a `local_tile` that its projection keeps.
pub(super) fn tile_of(action: &Action<'_>) -> Option<Vec<Option<i64>>> {
    let Value::Tuple(tile) = action.values.get(1)? else {
        return None;
    };
    let kept = |index: usize| match action.values.get(3) {
        None => true,
        Some(Value::Tuple(marks)) => !matches!(marks.get(index), Some(Value::Underscore)),
        Some(_) => false,
    };
    Some(
        tile.iter()
            .enumerate()
            .filter(|(index, _)| kept(*index))
            .map(|(_, extent)| extent.as_int().and_then(Int::value))
            .collect(),
    )
}
