//! The memory that the types of a source take: `sizeof`, `alignof`, and the places of members.

use std::sync::Arc;

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Function, Item, ItemKind, Record, RecordKind, Reference, Span, UnaryOp,
};

use super::Interpreter;
use super::frame::Frame;
use super::heads::role_of;
use super::library_layouts::{
    applied, is_tuple_name, layout_of_value, number, scalar_layout, tuple,
};
use super::names::Meaning;
use crate::object_layout::{self, Argument, ObjectLayout, RecordBuilder};
use crate::reason::Reason;
use crate::role::Role;
use crate::tensor::Pointer;
use crate::types::{LibraryClass, ScalarClass, Type};
use crate::value::Value;

/// Bytes of a pointer in device code and in 64-bit host code.
pub(super) const POINTER: u64 = 8;

impl<'u> Interpreter<'u> {
    /// Whether the operand of `sizeof` is the type of a function: a text that may be a type is one ([dcl.ambig.res]),
    /// so that `sizeof(long(short(x)))` asks for a function from a `short` called `x` to a `long`.
    pub(super) fn is_function_type(&mut self, operand: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let Some((result, parameters)) = applied(operand) else {
            return false;
        };
        self.is_named_type(result, frame)
            && parameters
                .iter()
                .all(|it| self.is_named_type(it, frame) || self.is_parameter(it, frame))
    }

    /// Whether an expression may declare a parameter: `short(x)`, `short()`.
    fn is_parameter(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> bool {
        let Some((ty, inside)) = applied(expr) else {
            return false;
        };
        let declares = |it: &mut Self, frame: &mut Frame<'u>| match inside {
            [name] if name.as_plain_name().is_some() => true,
            inside => inside
                .iter()
                .all(|inner| it.nested(|it| it.is_parameter(inner, frame)) == Some(true)),
        };
        self.is_named_type(ty, frame) && declares(self, frame)
    }

    /// Whether an expression names a type.
    fn is_named_type(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> bool {
        if expr.as_path().is_none() {
            return false;
        }
        let recording = frame.mode.pause();
        let value = self.eval(expr, frame);
        frame.mode.recording = recording;
        matches!(value, Value::Type(_))
    }

    /// The layout of the type of an operand of `sizeof` or `alignof`.
    pub(super) fn object_layout(
        &mut self,
        operand: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Result<ObjectLayout, Reason> {
        if let Some((array, mut scope)) = self.array_behind(operand, frame) {
            return self.object_layout(array, &mut scope);
        }
        if let ExprKind::Index(base, _) | ExprKind::Unary(UnaryOp::Deref, base) = &operand.kind
            && let Value::Pointer(Pointer {
                element: Some(element),
                ..
            }) = self.eval(base, frame)
        {
            return self.layout_of_type(&element);
        }
        match &operand.kind {
            ExprKind::Array(element, Some(length)) => {
                let element = self.object_layout(element, frame)?;
                let length = self.constant_number(length, frame)?;
                element.array(length).ok_or_else(too_large)
            }
            ExprKind::Array(_, None) => Err(Reason::Construct("an array without a length")),
            ExprKind::Char(_) if self.written_integer(operand, frame).is_none() => {
                Err(Reason::Construct("a character of another type"))
            }
            ExprKind::Const(inner) | ExprKind::Reference(inner, _) => {
                self.object_layout(inner, frame)
            }
            ExprKind::Name(path)
                if path
                    .last()
                    .is_some_and(|segment| is_tuple_name(&segment.name.name)) =>
            {
                self.named_tuple(operand, frame)
            }
            ExprKind::Name(_) if self.underlying_type(operand, frame).is_some() => {
                let held = self.underlying_type(operand, frame);
                held.map_or(Err(Reason::UNDECLARED_INTEGER), |held| {
                    self.layout_of_type(&Type::Scalar(held))
                })
            }
            _ if self.makes_fragment(operand, frame) => self.layout_of_fragment(operand, frame),
            kind => {
                let is_computed = matches!(
                    kind,
                    ExprKind::Int(_)
                        | ExprKind::Unary(..)
                        | ExprKind::Binary(..)
                        | ExprKind::Ternary(..)
                        | ExprKind::Cast(..)
                        | ExprKind::Construct { .. }
                        | ExprKind::Name(_)
                        | ExprKind::Member { .. }
                );
                let may_convert = is_computed || matches!(kind, ExprKind::Call(..));
                if may_convert && let Some(integer) = self.written_integer(operand, frame) {
                    return self.layout_of_type(&Type::Scalar(integer));
                }
                if let Some(named) = self.layout_of_named(operand, frame) {
                    return named;
                }
                let value = self.eval(operand, frame);
                let is_computed =
                    is_computed || matches!(value, Value::Int(_)) && !gives_int(operand);
                let is_symbol = matches!(&value, Value::Int(int) if int.value().is_none());
                if is_computed && (self.has_types(&value) || is_symbol && self.settings.is_cpp()) {
                    return Err(Reason::UNDECLARED_INTEGER);
                }
                self.layout_of_type(&Type::of(&value))
            }
        }
    }

    /// `cute::tuple<int, _1>`: its arguments as written, since the width of a run-time integer is not part of the value
    /// that the type has for layouts.
    fn named_tuple(
        &mut self,
        operand: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Result<ObjectLayout, Reason> {
        if let ExprKind::Name(path) = &operand.kind
            && let Meaning::Vocabulary(segment) = self.meaning(path, frame)
            && let Some(args) = &segment.args
        {
            let parts: Result<Vec<ObjectLayout>, Reason> = args
                .iter()
                .map(|arg| self.object_layout(arg, frame))
                .collect();
            let parts = parts?;
            // The strides are products of the extents, whose types are not told.
            if let ("Layout", [shape]) = (segment.name.name.as_str(), parts.as_slice())
                && !shape.is_empty
            {
                let ty = self.eval_type(operand, frame);
                let whole = self.layout_of_type(&ty);
                return whole.map_err(|_| Reason::Construct("strides of undeclared types"));
            }
            return Ok(tuple(&parts, &operand.to_string()));
        }
        let ty = self.eval_type(operand, frame);
        self.layout_of_type(&ty)
    }

    pub(super) fn constant_number(
        &mut self,
        expr: &'u Expr,
        frame: &mut Frame<'u>,
    ) -> Result<u64, Reason> {
        let value = match self.eval(expr, frame) {
            Value::Unknown(reason) => return Err(reason),
            Value::Type(ty) => match *ty {
                Type::Of(value) => *value,
                _ => return Err(Reason::Construct("this length")),
            },
            value => value,
        };
        value
            .as_int()
            .and_then(cute_algebra::Int::value)
            .and_then(|value| u64::try_from(value).ok())
            .ok_or(Reason::Construct("a length that is not a constant"))
    }

    pub(super) fn layout_of_type(&mut self, ty: &Type) -> Result<ObjectLayout, Reason> {
        match ty {
            Type::Scalar(scalar) => scalar_layout(*scalar),
            Type::Pointer(_) => Ok(ObjectLayout::plain(POINTER, POINTER)),
            Type::Array(element, Some(length)) => {
                let element = self.layout_of_type(element)?;
                element.array(*length).ok_or_else(too_large)
            }
            Type::Array(_, None) => Err(Reason::Construct("an array of unknown length")),
            Type::Of(value) => self.layout_of_part(value),
            Type::Class(class) => self.layout_of_class(class),
            Type::Record(record) => self.layout_of_record(record.instance),
            Type::Unknown(reason) => Err(reason.clone()),
            Type::Parameter(name) | Type::Part(name) => Err(Reason::Unbound(name.clone())),
            Type::Named(name) => match name.holds() {
                Some(held) => scalar_layout(held),
                None => Err(Reason::NotEvaluated(Arc::clone(name.text()))),
            },
            Type::Placeholder | Type::Template(..) => {
                Err(Reason::Construct("`sizeof` of this type"))
            }
        }
    }

    /// The layout of the type of a value; a tuple may hold objects of classes.
    fn layout_of_part(&mut self, value: &Value) -> Result<ObjectLayout, Reason> {
        match value {
            Value::Tuple(items) => {
                let parts = items.iter().map(|item| self.layout_of_part(item));
                let parts: Result<Vec<ObjectLayout>, Reason> = parts.collect();
                Ok(tuple(&parts?, &value.to_string()))
            }
            Value::Instance(ty) | Value::Type(ty) => self.layout_of_type(ty),
            Value::Object(_) | Value::Number(_) => self.layout_of_type(&Type::of(value)),
            value => layout_of_value(value),
        }
    }

    fn layout_of_class(&mut self, class: &LibraryClass) -> Result<ObjectLayout, Reason> {
        let mut args = Vec::with_capacity(class.args.len());
        for arg in &class.args {
            args.push(match arg {
                Value::Unknown(reason) => return Err(reason.clone()),
                Value::Type(ty) => match &**ty {
                    Type::Of(value) if value.as_int().is_some() => number(value)?,
                    Type::Scalar(scalar) if scalar.class == ScalarClass::Void => Argument::Void,
                    ty => match self.layout_of_type(ty) {
                        Ok(layout) => {
                            let bits = ty.bits().map_or(layout.size.saturating_mul(8), u64::from);
                            Argument::Type { layout, bits }
                        }
                        // `Shape<int, int, _1>`, a cluster whose size is known only at run time.
                        Err(_) if object_layout::holds_no_argument(&class.name) => {
                            Argument::NotHeld
                        }
                        Err(reason) => return Err(reason),
                    },
                },
                value => number(value)?,
            });
        }
        let printed = class.to_string();
        object_layout::layout_of(&class.name, &args, &printed)
            .ok_or_else(|| Reason::NotEvaluated(printed.into()))
    }

    /// The layout of a class of the source, computed once per instance.
    pub(super) fn layout_of_record(&mut self, instance: usize) -> Result<ObjectLayout, Reason> {
        if let Some(known) = self.computed.classes.begin_layout(instance) {
            return known;
        }
        let layout = self.record_layout(instance);
        self.computed.classes.keep_layout(instance, &layout);
        layout
    }

    fn record_layout(&mut self, instance: usize) -> Result<ObjectLayout, Reason> {
        let record = self
            .record_declaration(instance)
            .ok_or(Reason::Construct("a class"))?;
        if record.members.is_none() {
            return Err(Reason::NotEvaluated(
                self.computed.classes.type_of(instance).to_string().into(),
            ));
        }
        let mut builder = builder_of(record);
        let bases = self.bases(instance);
        let bases: Result<Vec<_>, _> = bases.iter().map(|base| self.layout_of_type(base)).collect();
        let mut bases = bases?;
        let primary = bases.iter().position(|base| base.is_dynamic);
        if primary.is_some() || self.declares_virtual(instance) {
            let pointer = ObjectLayout::plain(POINTER, POINTER);
            builder.dynamic(primary.is_none().then_some(&pointer));
        }
        if let Some(primary) = primary {
            // The first base with its own table lends it, and is first.
            bases[..=primary].rotate_right(1);
        }
        for base in &bases {
            builder.base(base);
        }
        match self.is_plain_data(instance) {
            Some(true) => {}
            Some(false) => builder.not_plain(),
            None => builder.maybe_not_plain(),
        }
        let mut frame = self.record_frame(instance);
        let class = format!("{}#{instance}", self.computed.classes.type_of(instance));
        let members = self.members(instance);
        self.place_members(members, &mut builder, &class, &mut frame)?;
        let align = self.alignment(&record.alignas, &mut frame)?;
        finished(builder, &class, align)
    }

    fn declares_virtual(&mut self, instance: usize) -> bool {
        let members = self.member_items(instance);
        members.iter().any(|item| match &item.kind {
            ItemKind::Function(function) => function.flags.is_virtual,
            _ => false,
        })
    }

    /// Whether a class is plain data as C++03 has it, judged by its functions and the access of its members; `None`
    /// where compilers or standards differ.
    fn is_plain_data(&mut self, instance: usize) -> Option<bool> {
        let record = self.record_declaration(instance)?;
        let own = record.name.as_ref().map(|name| name.name.as_str());
        let mut is_plain = Some(true);
        for item in self.member_items(instance).iter() {
            let says = match &item.kind {
                ItemKind::Function(function) => function_of_plain(function, own),
                ItemKind::Binding(binding) if is_data(binding) => data_of_plain(binding),
                _ => Some(true),
            };
            match says {
                Some(true) => {}
                Some(false) => return Some(false),
                None => is_plain = None,
            }
        }
        is_plain
    }

    fn place_members(
        &mut self,
        items: &'u [Item],
        builder: &mut RecordBuilder,
        class: &str,
        frame: &mut Frame<'u>,
    ) -> Result<(), Reason> {
        for item in items {
            match &item.kind {
                ItemKind::Binding(binding) if is_data(binding) => {
                    self.place_member(binding, items, builder, class, frame)?;
                }
                ItemKind::Record(record)
                    if record.name.is_none() && !is_type_of_member(item.span, items) =>
                {
                    let part = self.unnamed_layout(record, item.span, class, frame)?;
                    builder.member(None, &part, 1);
                }
                ItemKind::Conditional(conditional) => {
                    match self
                        .program
                        .compiled_branches(&conditional.branches)
                        .as_slice()
                    {
                        [] => {}
                        [only] => self.place_members(&only.items, builder, class, frame)?,
                        _ => return Err(Reason::Ambiguous(class.into())),
                    }
                }
                ItemKind::Opaque(what) => return Err(Reason::Construct(what)),
                _ => {}
            }
        }
        Ok(())
    }

    fn place_member(
        &mut self,
        binding: &'u Binding,
        siblings: &'u [Item],
        builder: &mut RecordBuilder,
        class: &str,
        frame: &mut Frame<'u>,
    ) -> Result<(), Reason> {
        let ty = binding
            .ty
            .as_ref()
            .ok_or(Reason::Construct("a member without a type"))?;
        let layout = match binding.reference {
            Reference::None => self.member_layout(ty, siblings, class, frame)?,
            _ => ObjectLayout::plain(POINTER, POINTER),
        };
        let name = binding.name.as_ref().map(|name| name.name.as_str());
        if let Some(width) = &binding.bits {
            let width = self.constant_number(width, frame)?;
            builder.bit_field(name, &layout, width);
        } else {
            let align = self.alignment(&binding.alignas, frame)?;
            if binding.specifiers.no_unique_address {
                builder.overlapping_member(name, &layout, align);
            } else {
                builder.member(name, &layout, align);
            }
        }
        Ok(())
    }

    /// The layout of a member's type, which may be a record that is defined in its declaration.
    fn member_layout(
        &mut self,
        ty: &'u Expr,
        siblings: &'u [Item],
        class: &str,
        frame: &mut Frame<'u>,
    ) -> Result<ObjectLayout, Reason> {
        match &ty.kind {
            ExprKind::Array(element, Some(length)) => {
                let element = self.member_layout(element, siblings, class, frame)?;
                let length = self.constant_number(length, frame)?;
                element.array(length).ok_or_else(too_large)
            }
            ExprKind::Array(_, None) => Err(Reason::Construct("an array of unknown length")),
            _ => match record_in_place(ty, siblings) {
                Some((record, place)) => {
                    let members = record.members.as_deref().unwrap_or_default();
                    if record.name.is_some() && !has_no_names(members) {
                        // Its members are looked up in it, where a path leads to it.
                        match self.object_layout(ty, frame) {
                            Err(Reason::Undeclared(_)) => {}
                            found => return found,
                        }
                    }
                    self.unnamed_layout(record, place, class, frame)
                }
                None => self.object_layout(ty, frame),
            },
        }
    }

    fn unnamed_layout(
        &mut self,
        record: &'u Record,
        place: Span,
        class: &str,
        frame: &mut Frame<'u>,
    ) -> Result<ObjectLayout, Reason> {
        let class = format!("{class}@{}", place.start);
        let mut builder = builder_of(record);
        let members = record.members.as_deref().unwrap_or_default();
        self.place_members(members, &mut builder, &class, frame)?;
        let align = self.alignment(&record.alignas, frame)?;
        finished(builder, &class, align)
    }

    /// The strictest of the operands of `alignas`, in bytes; 1 without any.
    pub(super) fn alignment(
        &mut self,
        operands: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Result<u64, Reason> {
        let mut strictest = 1;
        for operand in operands {
            let align = match self.eval(operand, frame) {
                Value::Type(ty) if !matches!(&*ty, Type::Of(value) if value.as_int().is_some()) => {
                    self.layout_of_type(&ty)?.align
                }
                _ => self.constant_number(operand, frame)?,
            };
            if align != 0 && !align.is_power_of_two() {
                return Err(Reason::Construct("an alignment that is not a power of two"));
            }
            strictest = strictest.max(align);
        }
        Ok(strictest)
    }

    /// Whether a class is a union.
    pub(super) fn is_union(&self, instance: usize) -> bool {
        let class = self.computed.classes.get(instance);
        let record = class.and_then(|class| self.record(class.declaration));
        record.is_some_and(|record| matches!(record.kind, RecordKind::Union))
    }
}

pub(super) fn too_large() -> Reason {
    Reason::Limit("a type larger than memory")
}

fn builder_of(record: &Record) -> RecordBuilder {
    match record.kind {
        RecordKind::Union => RecordBuilder::union(),
        RecordKind::Struct | RecordKind::Class | RecordKind::Trait => RecordBuilder::structure(),
    }
}

fn finished(builder: RecordBuilder, class: &str, align: u64) -> Result<ObjectLayout, Reason> {
    if builder.is_doubtful() {
        return Err(Reason::Construct(
            "a base class whose tail padding compilers treat differently",
        ));
    }
    Ok(builder.finish(class, align))
}

/// Whether a class with this function may be plain data; `None` where compilers or standards differ.
fn function_of_plain(function: &Function, class: Option<&str>) -> Option<bool> {
    let name = function.name.name.as_str();
    let is_given = !function.flags.defaulted && !function.flags.deleted;
    let differs = |matters: bool| if matters { None } else { Some(true) };
    if class == Some(name) {
        return if is_given { Some(false) } else { None };
    }
    if name.starts_with('~') {
        return if is_given {
            Some(false)
        } else {
            differs(function.flags.deleted)
        };
    }
    if name == "operator=" {
        let of_class = match function.params.as_slice() {
            [only] => {
                only.ty
                    .as_ref()
                    .map(innermost)
                    .and_then(Expr::as_plain_name)
                    == class
            }
            _ => false,
        };
        let copies = of_class
            && function
                .params
                .iter()
                .all(|param| param.reference == Reference::Lvalue);
        return if copies && is_given {
            Some(false)
        } else {
            differs(of_class && (is_given || function.flags.deleted))
        };
    }
    Some(true)
}

/// The same of a data member.
fn data_of_plain(binding: &Binding) -> Option<bool> {
    if binding.specifiers.hidden || binding.reference != Reference::None {
        return Some(false);
    }
    // The initialiser of a member made C++11's class no aggregate.
    if binding.init.is_some() {
        None
    } else {
        Some(true)
    }
}

fn is_data(binding: &Binding) -> bool {
    role_of(binding) != Role::Alias
        && !binding.specifiers.is_static
        && !binding.specifiers.constexpr
}

/// The record that is defined at the place of a member's type, or beside it under its name: inside an unnamed record no
/// path leads to it.
fn record_in_place<'u>(ty: &Expr, siblings: &'u [Item]) -> Option<(&'u Record, Span)> {
    siblings.iter().find_map(|item| match &item.kind {
        ItemKind::Record(record) => {
            let is_meant = match &record.name {
                None => item.span == ty.span,
                Some(name) => {
                    ty.as_plain_name() == Some(&name.name)
                        && record.members.is_some()
                        && record.tparams.is_empty()
                        && record.bases.is_empty()
                }
            };
            is_meant.then_some((&**record, item.span))
        }
        _ => None,
    })
}

/// Whether no member of a class takes its type from a name that the class declares.
fn has_no_names(members: &[Item]) -> bool {
    members.iter().all(|item| match &item.kind {
        ItemKind::Binding(binding) => is_data(binding),
        ItemKind::Record(record) => record.name.is_none(),
        ItemKind::Using(_) | ItemKind::Enum(_) => false,
        _ => true,
    })
}

/// The unnamed records among the members of a class whose members are members of the class, too.
pub(super) fn unnamed_records<'u>(items: &[&'u Item]) -> Vec<&'u Record> {
    items
        .iter()
        .filter_map(|item| match &item.kind {
            ItemKind::Record(record)
                if record.name.is_none()
                    && !is_type_of_member(item.span, items.iter().copied()) =>
            {
                Some(&**record)
            }
            _ => None,
        })
        .collect()
}

/// Whether an unnamed record is the type of a member: `union { .. } m;`.
fn is_type_of_member<'i>(record: Span, siblings: impl IntoIterator<Item = &'i Item>) -> bool {
    siblings.into_iter().any(|item| match &item.kind {
        ItemKind::Binding(binding) => binding
            .ty
            .as_ref()
            .is_some_and(|ty| innermost(ty).span == record),
        _ => false,
    })
}

fn innermost(ty: &Expr) -> &Expr {
    match &ty.kind {
        ExprKind::Array(inner, _)
        | ExprKind::Pointer(inner)
        | ExprKind::Const(inner)
        | ExprKind::Reference(inner, _) => innermost(inner),
        _ => ty,
    }
}

/// Whether a call is one of CuTe's functions that measure something: their numbers have the type `int`. An element of a tuple
/// has its own type.
pub(super) fn gives_int(expr: &Expr) -> bool {
    let ExprKind::Call(callee, _) = &expr.kind else {
        return false;
    };
    let name = callee.as_path().and_then(|path| path.last());
    name.is_some_and(|last| {
        let name = last.name.name.as_str();
        name != "get" && crate::vocabulary::function(name).is_some()
    })
}
