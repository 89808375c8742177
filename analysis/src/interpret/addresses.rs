//! The byte of shared memory at which a pointer or tensor begins, where names, members, casts and known numbers lead to
//! it.

use std::sync::Arc;

use tree_sitter_cute::tree::{
    BinaryOp, Binding, Expr, ExprKind, Ident, ItemKind, Path, Reference, UnaryOp,
};

use super::Interpreter;
use super::frame::Frame;
use crate::origin::Root;
use crate::tensor::Space;
use crate::trace::{Address, Base, Extent};
use crate::types::Type;
use crate::value::Value;

/// Functions whose result begins where their first argument does.
const SAME_PLACE: &[&str] = &[
    "make_smem_ptr",
    "raw_pointer_cast",
    "recast_ptr",
    "recast",
    "make_tensor",
    "as_position_independent_swizzle_tensor",
    "group_modes",
    "flatten",
    "coalesce",
];

/// Methods without arguments whose result begins where their object does.
const FIRST_ELEMENT: &[&str] = &["data", "begin", "get"];

/// Bits of a byte.
const BYTE: i64 = 8;

impl<'u> Interpreter<'u> {
    /// Keeps where a variable begins that is memory, or points to it.
    pub(super) fn note_address(
        &mut self,
        binding: &'u Binding,
        name: &'u Ident,
        value: &Value,
        frame: &mut Frame<'u>,
    ) {
        if frame.actions.run.is_none() || !frame.is_traced() {
            return;
        }
        let address = match &binding.init {
            _ if binding.specifiers.shared => self.address_of_array(binding, name, frame),
            // A pointer that changes later is somewhere else then.
            Some(_)
                if frame
                    .changes
                    .untraceable
                    .assigned
                    .contains(name.name.as_str()) =>
            {
                None
            }
            Some(init) if may_be_shared(value) => self.address(init, frame),
            _ => None,
        };
        match address {
            Some(address) => frame.locals.addresses.insert(name.span, address),
            None => frame.locals.addresses.remove(&name.span),
        };
    }

    /// The address of `__shared__ T array[n]`; all arrays without a size are at the start of dynamic memory.
    fn address_of_array(
        &mut self,
        binding: &'u Binding,
        name: &'u Ident,
        frame: &mut Frame<'u>,
    ) -> Option<Address> {
        if binding.specifiers.is_extern {
            return Some(Address::at(Base::Dynamic));
        }
        let recording = frame.mode.pause();
        let layout = self.object_layout(binding.ty.as_ref()?, frame);
        frame.mode.recording = recording;
        let within = Extent {
            name: name.name.as_str().into(),
            span: Some(name.span),
            start: 0,
            bits: bits_of(layout.ok()?.size)?,
        };
        Some(Address {
            within: Some(within),
            ..Address::at(Base::Object(Root::Variable(name.span)))
        })
    }

    /// The address at which something begins; `None` where it is unknown.
    pub(super) fn address(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Option<Address> {
        match &expr.kind {
            ExprKind::Name(path) => self.address_of_name(path, frame),
            ExprKind::Unary(UnaryOp::AddressOf | UnaryOp::Deref, inner)
            | ExprKind::Cast(_, _, inner) => self.address(inner, frame),
            ExprKind::Index(base, index) => match index.as_slice() {
                [index] => self.address_of_element(base, index, frame),
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Add, base, index) => {
                self.address_of_element(base, index, frame)
            }
            ExprKind::Member { object, member, .. } => {
                let recording = frame.mode.pause();
                let value = self.eval(expr, frame);
                frame.mode.recording = recording;
                // A tensor that a member holds is a view of memory elsewhere.
                if matches!(value, Value::Tensor(_)) {
                    return None;
                }
                self.address_of_member(object, &member.name.name, frame)
            }
            ExprKind::Call(callee, args) => match (&callee.kind, args.as_slice()) {
                (ExprKind::Member { object, member, .. }, [])
                    if FIRST_ELEMENT.contains(&member.name.name.as_str()) =>
                {
                    self.address(object, frame)
                }
                (ExprKind::Name(path), [first, ..]) => {
                    let name = path.last()?.name.name.as_str();
                    SAME_PLACE
                        .contains(&name)
                        .then(|| self.address(first, frame))?
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn address_of_name(&mut self, path: &'u Path, frame: &mut Frame<'u>) -> Option<Address> {
        let [segment] = path.segments.as_slice() else {
            return None;
        };
        let name = segment.name.name.as_str();
        if let Some(variable) = frame.find(name) {
            let known = frame.locals.addresses.get(&variable.declared);
            return known.cloned();
        }
        // A member of the object whose method this is.
        if let Some(own) = frame
            .owner
            .record
            .and_then(|own| self.member_of(own, name, None))
        {
            return Some(own);
        }
        // `extern __shared__ char bytes[]` outside of functions.
        let is_dynamic = self.program.globals.iter().any(|(_, item)| {
            matches!(&item.kind, ItemKind::Binding(binding)
                if binding.specifiers.shared
                    && binding.specifiers.is_extern
                    && binding.name.as_ref().is_some_and(|declared| declared.name == name))
        });
        is_dynamic.then(|| Address::at(Base::Dynamic))
    }

    /// `base[index]`, which may be a row of an array of arrays, and `base + index`.
    fn address_of_element(
        &mut self,
        base: &'u Expr,
        index: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Option<Address> {
        let address = self.address(base, frame)?;
        let recording = frame.mode.pause();
        let (pointer, index) = (self.eval(base, frame), self.eval(index, frame));
        frame.mode.recording = recording;
        let Value::Pointer(pointer) = pointer else {
            return None;
        };
        // A pointer is in memory, and what it points to is elsewhere.
        if matches!(pointer.element.as_deref(), Some(Type::Pointer(_))) {
            return None;
        }
        let bits = i64::from(pointer.bits()?);
        let bits = index.as_int()?.value()?.checked_mul(bits)?;
        Some(Address {
            start: address.start.checked_add(bits)?,
            ..address
        })
    }

    fn address_of_member(
        &mut self,
        object: &'u Expr,
        member: &str,
        frame: &mut Frame<'u>,
    ) -> Option<Address> {
        let recording = frame.mode.pause();
        let value = self.eval(object, frame);
        frame.mode.recording = recording;
        let instance = instance_of(&value)?;
        let outer = self.address(object, frame);
        self.member_of(instance, member, outer)
    }

    /// The address of a member of an object of a class. Of an object that is somewhere in shared memory only the
    /// members are known.
    fn member_of(
        &mut self,
        instance: usize,
        member: &str,
        object: Option<Address>,
    ) -> Option<Address> {
        let mut declared = self.data_members(instance).into_iter();
        let binding = declared.find(|binding| {
            let name = binding.name.as_ref();
            name.is_some_and(|name| name.name == member)
        })?;
        // A pointer or reference is in the object, its target is not.
        let is_array = matches!(
            binding.ty.as_ref().map(|ty| &ty.kind),
            Some(ExprKind::Array(..))
        );
        let leads_away = binding.reference != Reference::None
            || (!is_array
                && matches!(
                    self.known_type_of_member(instance, binding),
                    Type::Pointer(_) | Type::Unknown(_)
                ));
        if leads_away {
            return None;
        }
        let outer = object.unwrap_or_else(|| Address::at(Base::Object(Root::Record(instance))));
        let layout = self.layout_of_record(instance).ok()?;
        let mut places = layout.members.iter();
        let place = places.find(|place| &*place.name == member)?;
        let start = outer.start.checked_add(bits_of(place.offset)?)?;
        let within = Extent {
            name: Arc::clone(&place.name),
            span: binding.name.as_ref().map(|name| name.span),
            start,
            bits: bits_of(place.size)?,
        };
        Some(Address {
            start,
            within: Some(within),
            ..outer
        })
    }
}

/// The class of an object, or of the pointee of a pointer.
fn instance_of(value: &Value) -> Option<usize> {
    let ty = match value {
        Value::Object(object) => return Some(object.class.instance),
        Value::Instance(ty) => &**ty,
        Value::Pointer(pointer) => pointer.element.as_deref()?,
        _ => return None,
    };
    match ty {
        Type::Record(record) => Some(record.instance),
        _ => None,
    }
}

/// Whether a variable may be, or point to, shared memory.
fn may_be_shared(value: &Value) -> bool {
    match value {
        Value::Tensor(tensor) => tensor.engine.space == Space::Shared,
        Value::Pointer(pointer) => pointer.is_generic() || pointer.space == Space::Shared,
        Value::Object(_) | Value::Instance(_) => true,
        _ => false,
    }
}

fn bits_of(bytes: u64) -> Option<i64> {
    i64::try_from(bytes).ok()?.checked_mul(BYTE)
}
