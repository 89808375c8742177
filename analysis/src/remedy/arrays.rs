//! Arrays of shared memory that plain code subscripts: where they are declared, and all their uses.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, ItemKind, Span, Unit};

use crate::access::Access;
use crate::fact::Analysis;
use crate::finding::Finding;
use crate::value::Value;
use crate::walk;

/// An array of shared memory, all of whose uses are subscripts down to an element, inside of known accesses.
pub(super) struct SharedArray<'u> {
    pub(super) name: &'u str,
    /// Its lengths, as written and as numbers, the outermost first; none for dynamic shared memory.
    pub(super) lengths: Vec<(&'u Expr, i64)>,
    /// The subscripts.
    pub(super) subscripts: Vec<Subscript<'u>>,
    /// The accesses through them, in the order of the analysis.
    pub(super) accesses: Vec<&'u Access>,
}

/// `tile[row][column]`.
pub(super) struct Subscript<'u> {
    pub(super) span: Span,
    /// The outermost first.
    pub(super) indices: Vec<&'u Expr>,
}

impl<'u> SharedArray<'u> {
    /// The array that the plain access of a finding reads or writes.
    pub(super) fn of(finding: &Finding, before: &'u Analysis, unit: &'u Unit) -> Option<Self> {
        let access = before
            .accesses
            .iter()
            .find(|access| access.span == finding.span)?;
        let declared = finding.related.first()?.span;
        let written = declaration(unit, declared)?;
        if written.len() != access.lengths.len() {
            return None;
        }
        let numbers = access.lengths.iter().copied();
        let lengths: Vec<(&Expr, i64)> = written.into_iter().zip(numbers).collect();
        let accesses = accesses_of(before, access);
        let subscripts = subscripts(unit, &access.memory, declared)?;
        // The accesses of another kernel, which calls the function of the array, are not compared.
        let of_another = |other: &Access| {
            let mut inside = subscripts.iter();
            other.function != access.function
                && inside.any(|subscript| other.span.encloses(subscript.span))
        };
        if before.accesses.iter().any(of_another) {
            return None;
        }
        let rank = lengths.len().max(1);
        let inside = |subscript: &Subscript<'_>| {
            let mut around = accesses.iter();
            subscript.indices.len() == rank
                && around.any(|access| access.span.encloses(subscript.span))
        };
        subscripts.iter().all(inside).then_some(Self {
            name: &access.memory,
            lengths,
            subscripts,
            accesses,
        })
    }
}

/// The accesses of the kernel of one of them to the same array.
pub(super) fn accesses_of<'a>(analysis: &'a Analysis, of: &Access) -> Vec<&'a Access> {
    let same = |access: &&Access| {
        access.memory == of.memory && access.space == of.space && access.function == of.function
    };
    analysis.accesses.iter().filter(same).collect()
}

/// The lengths of a declared array; none of dynamic shared memory.
fn declaration(unit: &Unit, declared: Span) -> Option<Vec<&Expr>> {
    let mut found = None;
    walk::items(&unit.items, &mut |item| {
        if let ItemKind::Binding(binding) = &item.kind
            && binding
                .name
                .as_ref()
                .is_some_and(|name| name.span == declared)
            && let Some(ty) = &binding.ty
        {
            found = lengths(ty);
        }
    });
    found
}

fn lengths(ty: &Expr) -> Option<Vec<&Expr>> {
    match &ty.kind {
        ExprKind::Array(_, None) => Some(Vec::new()),
        ExprKind::Array(..) => {
            let mut found = Vec::new();
            let mut at = ty;
            while let ExprKind::Array(inner, Some(length)) = &at.kind {
                found.push(&**length);
                at = inner;
            }
            found.sort_by_key(|length| length.span.start);
            Some(found)
        }
        // `SharedArray<f32, 1024>` of `cuda-oxide`.
        ExprKind::Name(path) => match path.last()?.args.as_deref()? {
            [_, length, ..] => Some(vec![length]),
            _ => None,
        },
        _ => None,
    }
}

/// The subscripts of an array; nothing if it is used in another way, too.
fn subscripts<'u>(unit: &'u Unit, name: &str, declared: Span) -> Option<Vec<Subscript<'u>>> {
    let mut found: Vec<Subscript<'u>> = Vec::new();
    let mut bases: Vec<Span> = Vec::new();
    let mut names: Vec<Span> = Vec::new();
    let scope = function_around(unit, declared);
    walk::expressions(&unit.items, &mut |expr| {
        if scope.is_some_and(|scope| !scope.contains(expr.span.start)) {
            return;
        }
        if expr.as_plain_name() == Some(name) {
            names.push(expr.span);
        }
        if let Some((base, indices)) = expr.as_subscript()
            && base.as_plain_name() == Some(name)
            && !bases.contains(&base.span)
        {
            bases.push(base.span);
            found.push(Subscript {
                span: expr.span,
                indices,
            });
        }
    });
    names.sort_by_key(|span| span.start);
    names.dedup();
    names
        .iter()
        .all(|name| bases.contains(name))
        .then_some(found)
}

/// The function that a place is in.
fn function_around(unit: &Unit, place: Span) -> Option<Span> {
    let mut found = None;
    walk::items(&unit.items, &mut |item| {
        if matches!(item.kind, ItemKind::Function(_)) && item.span.contains(place.start) {
            found = Some(item.span);
        }
    });
    found
}

/// A number that is written, or that a name has.
pub(super) fn number_of(expr: &Expr, before: &Analysis) -> Option<i64> {
    if let ExprKind::Int(number) = expr.kind {
        return Some(number);
    }
    let mention = before
        .mentions()
        .iter()
        .find(|mention| mention.span == expr.span)?;
    match &*mention.value {
        Value::Int(number) => number.value(),
        _ => None,
    }
}

/// The factors of products in an index.
pub(super) fn factors(index: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    walk::subexpressions(index, &mut |part| {
        if let ExprKind::Binary(BinaryOp::Mul, a, b) = &part.kind {
            found.extend([&**a, &**b]);
        }
    });
    found
}
