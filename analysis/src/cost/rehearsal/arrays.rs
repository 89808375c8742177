//! Arrays in shared memory that bulk copies fill: a stage of one is as much as a copy fills.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span, UnaryOp};

use super::super::called::Called;
use super::super::{Seen, rings};
use super::{DEPTH, Done, Event, Thread, View};
use crate::addresses::{CONVERSIONS, is_conversion};
use crate::cuda_vectors;
use crate::hash::HashMap;
use crate::trace::{Action, ActionKind};
use crate::types::Scalar;
use crate::vocabulary::number;
use crate::walk;

/// The arrays, by their declarations, with the bytes of a copy; nothing where copies differ.
pub(super) type Filled = HashMap<Span, Option<i64>>;

/// A place in an array of shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
struct At {
    /// The declaration of the array.
    array: Span,
    /// Bytes from its start.
    bytes: i64,
    /// Bytes of an element.
    unit: i64,
    /// Extents of the modes behind the first one.
    rows: Vec<i64>,
    /// Subscripts up to an element.
    subscripts: usize,
}

impl At {
    /// Bytes from one index to the next.
    fn step(&self) -> Option<i64> {
        self.rows
            .iter()
            .try_fold(self.unit, |all, extent| all.checked_mul(*extent))
    }

    fn moved(self, by: i64) -> Option<Self> {
        let bytes = by.checked_mul(self.step()?)?.checked_add(self.bytes)?;
        Some(Self { bytes, ..self })
    }
}

/// The indices on the way to an element.
type Indices<'i, 'u> = dyn FnMut(&'u Expr) -> Option<i64> + 'i;

/// The address that an expression is, or that of the element that it is; nothing where something of it is not known.
fn locate<'u>(
    seen: &Seen<'_, 'u>,
    expr: &'u Expr,
    index_of: &mut Indices<'_, 'u>,
    depth: usize,
) -> Option<At> {
    let depth = depth.checked_sub(1)?;
    match &expr.kind {
        ExprKind::Name(_) => {
            expr.as_plain_name()?;
            let declared = seen.variable(expr)?;
            if let Some(array) = array(seen, declared) {
                return Some(array);
            }
            if seen.is_assigned(declared, 0..usize::MAX) {
                return None;
            }
            let at = locate(seen, seen.initialiser(declared)?, index_of, depth)?;
            let ty = seen.declared.binding(declared)?.ty.as_ref()?;
            match &ty.kind {
                ExprKind::Auto => Some(at),
                ExprKind::Pointer(of) => Some(At {
                    unit: bytes_of(of)?,
                    rows: Vec::new(),
                    subscripts: 1,
                    ..at
                }),
                // An address as a number.
                _ => Some(At {
                    unit: 1,
                    rows: Vec::new(),
                    subscripts: 0,
                    ..at
                }),
            }
        }
        ExprKind::Cast(_, ty, inner) => {
            let at = locate(seen, inner, index_of, depth)?;
            match &ty.kind {
                ExprKind::Pointer(of) => Some(At {
                    unit: bytes_of(of)?,
                    rows: Vec::new(),
                    subscripts: 1,
                    ..at
                }),
                _ => Some(at),
            }
        }
        ExprKind::Unary(UnaryOp::AddressOf, inner) => locate(seen, inner, index_of, depth),
        ExprKind::Index(base, indices) => {
            let [index] = indices.as_slice() else {
                return None;
            };
            let index = index_of(index)?;
            let mut at = locate(seen, base, index_of, depth)?.moved(index)?;
            if !at.rows.is_empty() {
                at.rows.remove(0);
            }
            at.subscripts = at.subscripts.checked_sub(1)?;
            Some(at)
        }
        ExprKind::Binary(BinaryOp::Add, base, more) => {
            let more = index_of(more)?;
            let at = locate(seen, base, index_of, depth)?;
            at.moved(more)
        }
        ExprKind::Call(..) => {
            let called = Called::of(expr)?;
            let [pointer] = called.args else { return None };
            let mut functions = seen.declared.functions(called.name).iter();
            let converts = CONVERSIONS.contains(&called.name)
                || functions.any(|it| is_conversion(it, |span| seen.written(span)));
            let at = locate(seen, pointer, index_of, depth).filter(|_| converts)?;
            Some(At {
                unit: 1,
                rows: Vec::new(),
                subscripts: 0,
                ..at
            })
        }
        _ => None,
    }
}

/// The start of an array in shared memory.
fn array(seen: &Seen<'_, '_>, declared: Span) -> Option<At> {
    let binding = seen.declared.binding(declared)?;
    let mut ty = binding.ty.as_ref().filter(|_| binding.specifiers.shared)?;
    let mut rows = Vec::new();
    let mut is_first = true;
    while let ExprKind::Array(of, extent) = &ty.kind {
        if !std::mem::take(&mut is_first) {
            rows.push(rings::number_of(seen, extent.as_deref()?)?);
        }
        ty = of;
    }
    (!is_first).then_some(At {
        array: declared,
        bytes: 0,
        unit: bytes_of(ty)?,
        subscripts: rows.len() + 1,
        rows,
    })
}

/// The bytes of a type of numbers.
fn bytes_of(ty: &Expr) -> Option<i64> {
    let name = match &ty.kind {
        ExprKind::Const(inner) => return bytes_of(inner),
        _ => &ty.as_path()?.last()?.name.name,
    };
    if let Some((size, _)) = cuda_vectors::size_and_alignment(name) {
        return i64::try_from(size).ok();
    }
    let bits = i64::from(Scalar::of_spelling(name)?.bits);
    (bits % 8 == 0).then_some(bits / 8)
}

/// Whether an action fills shared memory, and the bytes arrive at a barrier.
fn fills(action: &Action<'_>) -> bool {
    matches!(action.kind, ActionKind::BulkCopy | ActionKind::AwaitedCopy)
}

/// The bytes that a copy says it has.
pub(super) fn stated(action: &Action<'_>) -> Option<i64> {
    let mut numbers = action.values.iter().filter_map(number);
    numbers.next().filter(|_| numbers.next().is_none())
}

/// The array that a copy fills, and where; the first operand that is one.
fn destination<'u>(
    seen: &Seen<'_, 'u>,
    copy: &Action<'u>,
    index_of: &mut Indices<'_, 'u>,
) -> Option<At> {
    let places = copy.args.iter().zip(&copy.places);
    let mut operands = places.filter(|(_, place)| place.is_none() || **place != copy.barrier);
    operands.find_map(|(operand, _)| locate(seen, operand, index_of, DEPTH))
}

/// The array that a copy fills, and the bytes of all of it.
pub(in crate::cost) fn whole_array(seen: &Seen<'_, '_>, copy: &Action<'_>) -> Option<(Span, i64)> {
    let declared = destination(seen, copy, &mut |_| Some(0))?.array;
    let ty = seen.declared.binding(declared)?.ty.as_ref()?;
    let ExprKind::Array(_, extent) = &ty.kind else {
        return None;
    };
    let extent = rings::number_of(seen, extent.as_deref()?)?;
    let bytes = array(seen, declared)?.step()?.checked_mul(extent)?;
    Some((declared, bytes))
}

/// All arrays that copies of a kernel fill.
pub(super) fn filled(seen: &Seen<'_, '_>) -> Filled {
    let mut found = Filled::default();
    for copy in seen.run.everything().filter(|action| fills(action)) {
        let Some(at) = destination(seen, copy, &mut |_| Some(0)) else {
            continue;
        };
        // A tensor map does not say how much it is: all of what is named.
        let bytes = stated(copy).or_else(|| at.step());
        let known = found.entry(at.array).or_insert(bytes);
        if *known != bytes {
            *known = None;
        }
    }
    found
}

/// The reads of single elements of these arrays, as actions by their places.
pub(in crate::cost) fn reads<'u>(seen: &Seen<'_, 'u>) -> HashMap<Span, Action<'u>> {
    let filled = filled(seen);
    let mut found = HashMap::default();
    if filled.is_empty() {
        return found;
    }
    let mut left_out: Vec<Span> = Vec::new();
    let mut visit = |expr: &'u Expr| {
        let target = match &expr.kind {
            ExprKind::Assign(assignment) if assignment.op.is_none() => Some(&assignment.target),
            ExprKind::Unary(UnaryOp::AddressOf, inner) | ExprKind::Sizeof(inner) => Some(&**inner),
            // Of two subscripts, the outer one.
            ExprKind::Index(base, _) => Some(&**base),
            _ => None,
        };
        left_out.extend(target.map(|target| target.span));
        if matches!(expr.kind, ExprKind::Index(..)) && !left_out.contains(&expr.span) {
            let at = locate(seen, expr, &mut |_| Some(0), DEPTH);
            if at.is_some_and(|at| at.subscripts == 0 && filled.contains_key(&at.array)) {
                found.insert(expr.span, Action::of_element(expr, Vec::new()));
            }
        }
    };
    for body in seen.bodies() {
        walk::expressions(body, &mut visit);
    }
    found
}

impl<'u> Thread<'_, '_, 'u> {
    /// The reads of single elements of shared memory in an expression.
    pub(super) fn read_elements(&mut self, expr: &'u Expr) -> Done<()> {
        if self.followed.elements.is_empty() {
            return Ok(());
        }
        let mut reads: Vec<&'u Expr> = Vec::new();
        walk::subexpressions(expr, &mut |part| {
            if self.followed.elements.contains_key(&part.span) {
                reads.push(part);
            }
        });
        for read in reads {
            let elements = self.followed.elements;
            if let (Some(action), Some(view)) = (elements.get(&read.span), self.operand(read)?)
                && view.is_shared
                && !self.was_read(action, view)
            {
                self.events.push(Event::Read(action, read, view));
            }
        }
        Ok(())
    }

    /// Whether the same was read last.
    fn was_read(&self, action: &Action<'u>, view: View) -> bool {
        matches!(self.events.last(), Some(Event::Read(last, _, known))
            if std::ptr::eq(*last, action) && *known == view)
    }

    fn stage_at(&self, at: &At) -> Option<View> {
        let each = self.filled.get(&at.array).copied().flatten()?;
        (each > 0 && at.bytes >= 0).then(|| View {
            tensor: at.array,
            is_staged: true,
            stage: Some(at.bytes / each),
            stages: None,
            is_shared: true,
            counter: None,
        })
    }

    /// The stage that an element of such an array is in.
    pub(super) fn element_of_array(&mut self, expr: &'u Expr) -> Option<View> {
        if self.filled.is_empty() {
            return None;
        }
        let seen = self.seen;
        let at = locate(seen, expr, &mut |index| self.number(index, DEPTH), DEPTH)?;
        self.stage_at(&at)
    }

    /// The stage that a copy fills; nothing where it fills parts of two.
    pub(super) fn stage_filled(&mut self, copy: &Action<'u>) -> Option<View> {
        let seen = self.seen;
        let at = destination(seen, copy, &mut |index| self.number(index, DEPTH))?;
        let each = self.filled.get(&at.array).copied().flatten()?;
        (each > 0 && at.bytes % each == 0).then(|| self.stage_at(&at))?
    }
}
