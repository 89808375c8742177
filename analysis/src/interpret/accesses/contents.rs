//! Objects of a thread whose class is not known, but the template of it: whether their content can only be their own.

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, ItemKind, Record, Reference, Role};

use super::super::frame::Frame;
use super::Walker;
use crate::cuda_vectors::size_and_alignment;
use crate::types::Scalar;

impl<'u> Walker<'_, 'u> {
    /// Whether an object of a type refers to no other memory, whatever the arguments of its template are: all members of
    /// the template, and of each of its specialisations, are numbers, vectors of CUDA and arrays of them.
    pub(super) fn refers_to_nothing(&mut self, ty: &'u Expr, frame: &Frame<'u>) -> bool {
        let Some((candidates, _)) = self.it.template_in_sight(ty, frame) else {
            return false;
        };
        let mut has_some = false;
        for id in &candidates {
            let Some(record) = self.it.record(*id).filter(|it| has_plain_members(it)) else {
                return false;
            };
            let items = record.members.as_deref().unwrap_or_default();
            has_some |= items.iter().any(
                |item| matches!(&item.kind, ItemKind::Binding(binding) if is_of_object(binding)),
            );
        }
        has_some
    }
}

fn has_plain_members(record: &Record) -> bool {
    let items = record.members.as_deref().unwrap_or_default();
    record.bases.is_empty()
        && items.iter().all(|item| match &item.kind {
            ItemKind::Binding(binding) => is_plain(binding),
            ItemKind::Record(inner) => inner.name.is_some(),
            ItemKind::Conditional(_) | ItemKind::Opaque(_) => false,
            _ => true,
        })
}

fn is_of_object(member: &Binding) -> bool {
    member.role == Role::Member && !member.specifiers.is_static
}

/// Whether a member is neither a pointer nor a reference, nor an object that may have one.
fn is_plain(member: &Binding) -> bool {
    if !is_of_object(member) {
        return true;
    }
    let Some(mut ty) = member.ty.as_ref() else {
        return false;
    };
    while let ExprKind::Array(inner, _) | ExprKind::Const(inner) = &ty.kind {
        ty = inner;
    }
    member.reference == Reference::None
        && ty.as_plain_name().is_some_and(|name| {
            Scalar::of_spelling(name).is_some() || size_and_alignment(name).is_some()
        })
}
