//! The width of the accesses of a copy operation, where its layouts choose that (`cute/algorithm/copy.hpp`):
//! `AutoVectorizingCopy`, `DefaultCopy`, `AutoCopyAsync`.

use cute_hardware::{Argument, TemplateId, ValueCopyAtom};

/// Bits that static layouts are taken to be aligned to, and the most of one access.
pub(crate) const WIDEST: i64 = 128;
/// Bits that run-time layouts are taken to be aligned to.
pub(crate) const BYTE: i64 = 8;

/// The alignment that an operation assumes where it leaves the width to the layouts, in bits; nothing
/// where it does not.
pub(crate) fn assumed_alignment(atom: &ValueCopyAtom) -> Option<i64> {
    let list = TemplateId::parse_list(&atom.atom.name).ok()?;
    let Argument::Name(id) = list.first()? else {
        return None;
    };
    match (id.base(), id.args()) {
        ("AutoVectorizingCopy" | "AutoVectorizingCopyWithAssumedAlignment", []) => Some(WIDEST),
        ("AutoVectorizingCopyWithAssumedAlignment", [bits]) => bits.value(),
        ("DefaultCopy", []) => Some(BYTE),
        _ => None,
    }
}

/// Whether the width of an access depends on the common part of both layouts, not on the atom.
pub(crate) fn is_vectorized_later(atom: &ValueCopyAtom) -> bool {
    let is_automatic = matches!(
        TemplateId::parse_list(&atom.atom.name).as_deref(),
        Ok([Argument::Name(id), ..]) if id.base() == "AutoCopyAsync"
    );
    is_automatic || assumed_alignment(atom).is_some()
}
