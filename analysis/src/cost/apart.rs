//! Barriers by their places: what they are called, and whether two places may be of one barrier.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span};

use super::Seen;
use crate::origin::{Index, Place, Root};

/// Bits of a barrier (PTX ISA, "mbarrier").
const BARRIER: i64 = 64;
/// Pointers that are made of each other, at most.
const FOLLOWED: usize = 16;

/// The name of a barrier, or of its array: the member, or the variable.
pub(super) fn name_of<'s>(seen: &'s Seen<'_, '_>, barrier: &'s Place) -> Option<&'s str> {
    if let Some(member) = barrier.path.last() {
        return Some(&**member);
    }
    match &barrier.root {
        Root::Variable(declared)
        | Root::Byte {
            named: declared, ..
        } => seen
            .file
            .contains(*declared)
            .then(|| seen.written(*declared)),
        Root::Record(_) => None,
    }
}

/// Whether two places are of one array of barriers, or may be by pointers to it.
pub(super) fn may_be_one(seen: &Seen<'_, '_>, one: &Place, other: &Place) -> bool {
    one.array() == other.array() || !are_apart(seen, one, other)
}

/// Whether two places are of two arrays. An index leads beyond its array only where it is a known number.
fn are_apart(seen: &Seen<'_, '_>, one: &Place, other: &Place) -> bool {
    if one.root == other.root {
        return one.path != other.path;
    }
    match (&one.root, &other.root) {
        (
            Root::Byte { of, bits, .. },
            Root::Byte {
                of: other_of,
                bits: other_bits,
                ..
            },
        ) if of == other_of => {
            let (first, distance) = if bits < other_bits {
                (one, other_bits - bits)
            } else {
                (other, bits - other_bits)
            };
            match first.index {
                Some(Index::Known(index)) => {
                    index.saturating_add(1).saturating_mul(BARRIER) <= distance
                }
                None => BARRIER <= distance,
                Some(_) => true,
            }
        }
        (Root::Variable(one), Root::Variable(other)) => {
            is_behind(seen, *one, *other)
                || is_behind(seen, *other, *one)
                || is_array(seen, *one) && is_array(seen, *other)
        }
        _ => false,
    }
}

/// Whether a variable is an array or object itself, and no pointer: nothing is assigned to its name.
fn is_array(seen: &Seen<'_, '_>, declared: Span) -> bool {
    seen.run.shared.iter().any(|object| object.span == declared)
}

/// Whether a pointer is made of another one and a number: `empty = full + STAGES`.
fn is_behind(seen: &Seen<'_, '_>, pointer: Span, base: Span) -> bool {
    let mut pointer = pointer;
    let mut is_moved = false;
    for _ in 0..FOLLOWED {
        if pointer == base {
            return is_moved;
        }
        let Some(init) = seen.initialiser(pointer) else {
            return false;
        };
        let mut init: &Expr = init;
        loop {
            match &init.kind {
                ExprKind::Cast(_, _, inner) => init = inner,
                ExprKind::Binary(BinaryOp::Add, inner, more) => {
                    is_moved |= is_something(seen, more);
                    init = inner;
                }
                _ => break,
            }
        }
        match seen
            .variable(init)
            .filter(|_| init.as_plain_name().is_some())
        {
            Some(next) => pointer = next,
            None => return false,
        }
    }
    false
}

/// Whether a number is known, and not zero.
fn is_something(seen: &Seen<'_, '_>, number: &Expr) -> bool {
    let known = match number.kind {
        ExprKind::Int(number) => Some(number),
        _ => seen.constant(number).or_else(|| {
            let declared = seen.variable(number)?;
            super::rings::value_of(seen, declared)?.as_int()?.value()
        }),
    };
    known.is_some_and(|known| known != 0)
}
