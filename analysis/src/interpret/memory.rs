//! The place in memory of an expression.

use std::sync::Arc;

use tree_sitter_cute::tree::{BinaryOp, Binding, Expr, ExprKind, Span, UnaryOp};

use super::Interpreter;
use super::frame::Frame;
use super::shared_addresses::index_of_bytes;
use crate::origin::{Index, Origin, Place, Root};
use crate::tensor::Pointer;
use crate::trace::{Address, Base};
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The place of something in memory, where a name and members lead to it.
    pub(super) fn place_in_memory(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Place> {
        if let Some(barrier) = self.barrier_of_pipeline(expr, frame) {
            return Some(barrier);
        }
        if let Some(pointer) = self.pointer_behind(expr, frame) {
            return self.place_in_memory(pointer, frame);
        }
        match &expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf | UnaryOp::Deref, inner)
            | ExprKind::Cast(_, _, inner) => self.place_in_memory(inner, frame),
            ExprKind::Index(base, index) => {
                let [index] = index.as_slice() else {
                    return None;
                };
                let base = self.place_in_memory(base, frame)?;
                Some(base.element(self.index_of(index, frame)))
            }
            ExprKind::Binary(BinaryOp::Add, base, index) => {
                let index = match self.pointer_behind(base, frame) {
                    Some(_) => index_of_bytes(index)?,
                    None => index,
                };
                let base = self.place_in_memory(base, frame)?;
                Some(base.element(self.index_of(index, frame)))
            }
            ExprKind::Member { object, member, .. } => {
                let object = self.place_in_memory(object, frame)?;
                Some(object.member(&member.name.name))
            }
            ExprKind::Call(callee, args) if args.is_empty() => match &callee.kind {
                ExprKind::Member { object, member, .. }
                    if matches!(member.name.name.as_str(), "data" | "begin" | "get") =>
                {
                    self.place_in_memory(object, frame)
                }
                _ => None,
            },
            ExprKind::Name(_) => place_of_name(expr.as_plain_name()?, frame),
            _ => None,
        }
    }

    pub(super) fn index_of(&mut self, index: &'u Expr, frame: &mut Frame<'u>) -> Index {
        let recording = frame.mode.pause();
        let value = self.eval(index, frame);
        frame.mode.recording = recording;
        let known = value.as_int().and_then(cute_algebra::Int::value);
        let name = index
            .as_plain_name()
            .and_then(|name| frame.find(name))
            .map(|variable| variable.declared);
        match (known, name) {
            (Some(number), _) => Index::Known(number),
            (None, Some(declared)) => match frame.actions.aliases.get(&declared) {
                Some(given) => given.index.clone(),
                None => Index::Variable(declared),
            },
            (None, None) => Index::Other(index.to_string().into()),
        }
    }

    /// A member that is memory remembers where it is.
    pub(super) fn with_origin(
        &mut self,
        value: Value,
        member: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Value {
        match value {
            Value::Pointer(pointer) if frame.actions.run.is_some() => {
                let place = self.place_in_memory(member, frame);
                Value::Pointer(match place {
                    Some(place) => Pointer {
                        origin: Origin(Some(Arc::new(place))),
                        ..pointer
                    },
                    None => pointer,
                })
            }
            value => value,
        }
    }
}

/// An array in shared memory is where it is declared; one of objects is their class's.
pub(super) fn of_own_place(value: Value, binding: &Binding, declared: Span) -> Value {
    match value {
        Value::Pointer(pointer)
            if binding.specifiers.shared
                && !binding.specifiers.is_extern
                && pointer.origin.0.is_none()
                && !matches!(pointer.element.as_deref(), Some(Type::Record(_))) =>
        {
            let place = Place::of(Root::Variable(declared));
            Value::Pointer(Pointer {
                origin: Origin(Some(Arc::new(place))),
                ..pointer
            })
        }
        value => value,
    }
}

/// The memory that a variable points to. Where its address is known, that is what all pointers to it point to.
fn pointed_to(declared: Span, frame: &Frame<'_>) -> Place {
    let addresses = &frame.locals.addresses;
    let Some(address) = addresses.get(&declared) else {
        return Place::of(Root::Variable(declared));
    };
    let of = match &address.base {
        Base::Dynamic => None,
        Base::Object(root @ Root::Variable(_)) if address.start == 0 => {
            return Place::of(root.clone());
        }
        Base::Object(root) => Some(Box::new(root.clone())),
    };
    let is_there = |other: &Address| (&other.base, other.start) == (&address.base, address.start);
    let same = addresses.iter().filter(|(_, other)| is_there(other));
    let named = same
        .map(|(declared, _)| *declared)
        .min_by_key(|span| span.start);
    Place::of(Root::Byte {
        named: named.unwrap_or(declared),
        of,
        bits: address.start,
    })
}

/// The memory of a name.
fn place_of_name(name: &str, frame: &mut Frame<'_>) -> Option<Place> {
    if let Some(storage) = super::pipelines::storage_of(name, frame) {
        return Some(storage);
    }
    let declared = frame.find(name).map(|variable| variable.declared);
    if let Some(given) = declared.and_then(|declared| frame.actions.aliases.get(&declared))
        && given.place.is_some()
    {
        return given.place.clone();
    }
    if let Some(variable) = frame.find(name) {
        return match &variable.value {
            Value::Pointer(Pointer {
                origin: Origin(Some(origin)),
                ..
            }) => Some(Place::clone(origin)),
            Value::Pointer(pointer) => match pointer.element.as_deref() {
                Some(Type::Record(record)) => Some(Place::of(Root::Record(record.instance))),
                _ => Some(pointed_to(variable.declared, frame)),
            },
            Value::Object(object) => Some(Place::of(Root::Record(object.class.instance))),
            Value::Instance(ty) => match &**ty {
                Type::Record(record) => Some(Place::of(Root::Record(record.instance))),
                _ => Some(Place::of(Root::Variable(variable.declared))),
            },
            Value::Int(int) if int.value().is_none() => {
                Some(Place::of(Root::Variable(variable.declared)))
            }
            // `static mut BAR: Barrier` of Rust.
            _ => {
                let written = frame.locals.written_types.get(&variable.declared);
                let is_static = written.is_some_and(|binding| binding.specifiers.is_static);
                is_static.then(|| Place::of(Root::Variable(variable.declared)))
            }
        };
    }
    // A member of the object whose method this is.
    match &frame.owner.this {
        Some(Value::Object(this)) if this.fields.iter().any(|(field, _)| field == name) => {
            Some(Place::of(Root::Record(this.class.instance)).member(name))
        }
        _ => None,
    }
}
