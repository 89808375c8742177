//! Places in memory of expressions, and the types of their contents.

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind, UnaryOp};

use super::Walker;
use super::held::{Count, Held, Local, Pointer, Ty};
use crate::access::INDEX;
use crate::access::alike::Alike;
use crate::access::terms::{Operator, SymbolId, SymbolKind};
use crate::types::Type;

/// A place; or why it is not known where it is.
pub(super) type Pointed = Result<Pointer, Arc<str>>;

impl<'u> Walker<'_, 'u> {
    /// The place that an expression is; nothing for a value.
    pub(super) fn place(&mut self, expr: &'u Expr) -> Option<Pointed> {
        if let Some(name) = expr.as_plain_name() {
            self.escape_named(name);
        }
        if let Some(local) = self.part(expr) {
            return Some(Ok(match &local.held {
                Held::Pointed(place) => place.clone(),
                Held::Pointer(pointer) if matches!(local.ty, Ty::Array(..)) => Pointer {
                    target: local.ty.clone(),
                    ..pointer.clone()
                },
                // Memory private to a thread.
                _ => {
                    let target = local.ty.clone();
                    self.register(target)
                }
            }));
        }
        match &expr.kind {
            ExprKind::Index(object, indices) if self.in_registers(object).is_some() => {
                let target = self.in_registers(object)?;
                // Code that has the place may change the element.
                self.escape(object);
                for index in indices {
                    let array = object
                        .as_plain_name()
                        .filter(|name| self.find(name).is_some_and(|local| is_array(&local.ty)));
                    match array {
                        Some(array) => self.index_of_registers(array, index),
                        None => self.value(index),
                    };
                }
                Some(Ok(self.register(element_of(&target))))
            }
            ExprKind::Index(object, indices) => {
                if let Some(element) = self.strided_element(object, indices) {
                    return Some(match element {
                        Held::Pointed(place) => Ok(place),
                        other => Err(other.reason()),
                    });
                }
                let held = match self.subscripted(expr, object, indices) {
                    Ok(Held::Pointed(place)) => return Some(Ok(place)),
                    Ok(held) => return Some(Err(held.reason())),
                    Err(base) => base,
                };
                let mut held = self.elements_of(held);
                for index in indices {
                    let by = self.term(index);
                    held = match held {
                        Held::Pointer(pointer) => self.stepped(pointer, by, false),
                        other => other,
                    };
                }
                Some(to_place(held))
            }
            ExprKind::Unary(UnaryOp::Deref, inner) => {
                let held = self.value(inner);
                Some(to_place(self.elements_of(held)))
            }
            ExprKind::Member {
                object,
                member,
                arrow,
            } => {
                let object = if *arrow {
                    to_place(self.value(object))
                } else {
                    self.place(object)?
                };
                Some(object.and_then(|object| self.member_of(object, &member.name.name)))
            }
            ExprKind::Cast(_, ty, inner) => {
                // `reinterpret_cast<T&>(x)`
                let ExprKind::Reference(target, _) = &ty.kind else {
                    return None;
                };
                let place = self.place(inner)?;
                let target = self.ty(target);
                Some(place.map(|place| Pointer { target, ..place }))
            }
            // `FLOAT4(tile[i])` of a macro.
            ExprKind::Call(callee, _) => {
                if let Some(expansion) = self.it.expansion(expr, callee, &self.frame) {
                    return self.place(expansion);
                }
                Some(match self.called(expr) {
                    Held::Pointed(place) => Ok(place),
                    held => Err(held.reason()),
                })
            }
            ExprKind::Macro(call) => {
                let expansion = self.it.expression_of_macro(expr, call, &self.frame)?;
                self.place(expansion)
            }
            _ => None,
        }
    }

    /// The same as [`is_place`], with the calls of macros as they are expanded.
    pub(super) fn is_place(&mut self, expr: &'u Expr) -> bool {
        match &expr.kind {
            ExprKind::Member {
                object,
                arrow: false,
                ..
            } => self.names_place(object) || self.is_place(object),
            ExprKind::Call(callee, _) => {
                let expansion = self.it.expansion(expr, callee, &self.frame);
                expansion.is_some_and(is_place)
            }
            ExprKind::Macro(call) => {
                let expansion = self.it.expression_of_macro(expr, call, &self.frame);
                expansion.is_some_and(is_place)
            }
            _ => is_place(expr),
        }
    }

    /// Whether an expression is the name of a place in memory.
    pub(super) fn names_place(&self, expr: &Expr) -> bool {
        let local = expr.as_plain_name().and_then(|name| self.find(name));
        local.is_some_and(|local| matches!(local.held, Held::Pointed(_)))
    }

    /// A member of an object in memory.
    pub(super) fn member_of(&mut self, object: Pointer, member: &str) -> Pointed {
        let member_of_known = match &object.target {
            Ty::Other(ty, _) => match vector(ty) {
                Some(element) => {
                    let index = ["x", "y", "z", "w"].iter().position(|name| *name == member);
                    let index = index.and_then(|index| i64::try_from(index).ok());
                    let by = index
                        .zip(element.bytes())
                        .map(|(index, bytes)| index * bytes);
                    by.map(|by| (Some(by), element))
                }
                None => self.member_of_class(ty, member),
            },
            _ => None,
        };
        if object.memory.is_none() {
            let target = member_of_known.map_or(Ty::Auto, |(_, target)| target);
            return Ok(self.register(target));
        }
        let open = match &object.target {
            Ty::Open(class, ty) => {
                let target = Ty::Open(format!("{class}::{member}").into(), ty.clone());
                Some((None, target))
            }
            _ => None,
        };
        let Some((by, target)) = member_of_known.or(open) else {
            return Err("a member of a class in memory".into());
        };
        let by = if let Some(by) = by {
            self.terms().number(by, INDEX)
        } else {
            let class = match &object.target {
                Ty::Open(class, _) => class.to_string(),
                class => class.to_type().map(|ty| ty.to_string()).unwrap_or_default(),
            };
            let name = format!("offsetof({class}, {member})");
            let terms = self.terms();
            terms.shared(&name, SymbolKind::Uniform, INDEX, 0)
        };
        let offset = self.terms().binary(Operator::Add, object.offset, by);
        Ok(Pointer {
            offset,
            target,
            ..object
        })
    }

    /// The bytes before a member, where they are known, and its type.
    fn member_of_class(&mut self, ty: &Type, member: &str) -> Option<(Option<i64>, Ty)> {
        let Type::Record(record) = ty else {
            return None;
        };
        let layout = self.it.layout_of_record(record.instance).ok();
        let offset = match layout {
            Some(layout) => {
                let offset = layout.offset_of(member).ok();
                offset.and_then(|offset| i64::try_from(offset).ok())
            }
            // All members of a union are at its start.
            None => self.it.is_union(record.instance).then_some(0),
        };
        let (class, binding) = self.it.reached_member(record.instance, member)?;
        let ty = self.type_of_member(class, binding);
        Some((offset, ty))
    }

    /// Whether an expression is an object of a class of the sources, whose operators are functions.
    fn is_object(&mut self, expr: &'u Expr) -> bool {
        let terms = &self.out.terms;
        let ty = self.part(expr).and_then(|local| local.held.ty(terms));
        ty.is_some_and(|ty| ty.instance().is_some())
    }

    /// The result of the operator of an object for a subscript; or the value of the object, where it has no such operator.
    fn subscripted(
        &mut self,
        expr: &'u Expr,
        object: &'u Expr,
        indices: &'u [Expr],
    ) -> Result<Held<'u>, Held<'u>> {
        if !self.is_object(object) {
            let array = self.open_array(object);
            return Err(array.unwrap_or_else(|| self.value(object)));
        }
        let receiver = self.receiver(object, false);
        Ok(self.method(expr, (receiver, object), ("operator[]", None), indices))
    }

    /// Whether a number of which all is known depends on the thread or on a number that the kernel is given.
    pub(super) fn is_run_time(&self, held: &Held<'u>) -> bool {
        let Held::Int(term) = held else { return false };
        let terms = &self.out.terms;
        let is_given = |symbol: &SymbolId| {
            self.out.origins.is_parameter(*symbol)
                || terms
                    .symbol(*symbol)
                    .is_some_and(|known| matches!(known.kind, SymbolKind::Thread(_)))
        };
        terms.unknown_in(*term).is_none() && terms.symbols_of(*term).iter().any(is_given)
    }

    /// Memory private to a thread: it has no address.
    pub(super) fn register(&mut self, target: Ty) -> Pointer {
        Pointer {
            memory: None,
            offset: self.terms().number(0, INDEX),
            target,
            length: None,
        }
    }

    /// The type of an object of a thread that an expression is a part of, where its elements are parts of it, too: an array, a
    /// vector or a container, and no pointer.
    fn in_registers(&mut self, expr: &'u Expr) -> Option<Ty> {
        let mut members = Vec::new();
        let mut expr = expr;
        let local = loop {
            if let Some(local) = self.part(expr) {
                break local.clone();
            }
            match &expr.kind {
                ExprKind::Member {
                    object,
                    member,
                    arrow: false,
                } => {
                    members.push(Some(member.name.name.as_str()));
                    expr = object;
                }
                ExprKind::Index(object, _) => {
                    members.push(None);
                    expr = object;
                }
                _ => return None,
            }
        };
        let is_object = local.is_own;
        let is_own = match &local.held {
            Held::Other(..) | Held::Parts(_) => true,
            Held::Pointer(pointer) => pointer.memory.is_none() && is_array(&local.ty),
            Held::Pointed(place) => place.memory.is_none(),
            _ => false,
        };
        let mut ty = local.ty.clone();
        if !is_own {
            return None;
        }
        // A class that is not known: the content of an object of a thread is taken for the thread's own. Of a class that
        // refers to no memory, all is.
        let mut inside = false;
        for member in members.into_iter().rev() {
            inside |= matches!(ty, Ty::Values(..));
            ty = match member {
                _ if inside => Ty::Auto,
                None => element_of(&ty),
                Some(_) if is_object && matches!(ty, Ty::Open(..)) => {
                    inside = true;
                    Ty::Auto
                }
                Some(member) => {
                    let object = self.register(ty);
                    self.member_of(object, member).ok()?.target
                }
            };
        }
        let has_elements = match &ty {
            Ty::Array(..) | Ty::Values(..) => true,
            Ty::Other(Type::Class(class), _) => class.element().is_some(),
            Ty::Other(named, _) => vector(named).is_some(),
            _ => false,
        };
        (has_elements || inside).then_some(ty)
    }

    /// The variable that an expression names, or the part of one that has its own value.
    pub(super) fn part(&self, expr: &'u Expr) -> Option<&Local<'u>> {
        if let Some(name) = expr.as_plain_name().or(self.own_member(expr)) {
            return self.find(name);
        }
        let ExprKind::Member {
            object,
            member,
            arrow: false,
        } = &expr.kind
        else {
            return None;
        };
        match &self.part(object)?.held {
            Held::Parts(parts) => parts.members.get(member.name.name.as_str()),
            _ => None,
        }
    }

    /// The value of an expression; of one that is a place in memory, the place.
    pub(super) fn value_or_place(&mut self, expr: &'u Expr) -> Held<'u> {
        if matches!(expr.kind, ExprKind::Call(..)) {
            return self.called(expr);
        }
        let is_part = self
            .part(expr)
            .is_some_and(|local| matches!(local.held, Held::Pointed(_)));
        if !is_part && !self.is_place(expr) {
            return self.value(expr);
        }
        if let ExprKind::Index(object, indices) = &expr.kind
            && let Some(element) = self.strided_element(object, indices)
        {
            return element;
        }
        match self.place(expr) {
            Some(Ok(place)) if !matches!(place.target, Ty::Array(..)) => Held::Pointed(place),
            Some(place) => self.loaded_from(expr, place),
            None => self.value(expr),
        }
    }

    /// The value loaded from the place of an expression.
    pub(super) fn loaded(&mut self, expr: &'u Expr) -> Held<'u> {
        if let Some(held) = self.read_element(expr) {
            return held;
        }
        if let ExprKind::Index(object, indices) = &expr.kind
            && let [index] = indices.as_slice()
            && let Some(element) = self.given_element(object, index)
        {
            return element;
        }
        if let ExprKind::Unary(UnaryOp::Deref, inner) = &expr.kind
            && let Some(held) = self.behind_reference(inner)
        {
            return held.clone();
        }
        if let ExprKind::Index(object, indices) = &expr.kind
            && let Some(element) = self.strided_element(object, indices)
        {
            return match element {
                Held::Pointed(place) => self.loaded_from(expr, Ok(place)),
                other => other,
            };
        }
        if let ExprKind::Index(object, indices) = &expr.kind
            && self.in_registers(object).is_none()
            && self.is_object(object)
        {
            return match self.subscripted(expr, object, indices) {
                Ok(Held::Pointed(place)) => self.loaded_from(expr, Ok(place)),
                Ok(held) => held,
                Err(base) => Held::Other(base.reason(), None),
            };
        }
        match self.place(expr) {
            Some(place) => self.loaded_from(expr, place),
            None => self.ask(expr),
        }
    }

    pub(super) fn loaded_from(&mut self, expr: &'u Expr, place: Pointed) -> Held<'u> {
        match place {
            // An array is not loaded: it is a pointer to its first element.
            Ok(Pointer {
                memory,
                offset,
                target: Ty::Array(element, _),
                ..
            }) => Held::Pointer(Pointer {
                memory,
                offset,
                target: *element,
                length: None,
            }),
            place => self.load(expr.span, place),
        }
    }

    /// A written type.
    pub(super) fn ty(&mut self, ty: &'u Expr) -> Ty {
        if self.it.is_rust()
            && let Some(found) = self.rust_type(ty)
        {
            return found;
        }
        match &ty.kind {
            ExprKind::Auto => Ty::Auto,
            ExprKind::Const(inner) | ExprKind::Reference(inner, _) => self.ty(inner),
            ExprKind::Pointer(inner) => Ty::Pointer(Box::new(self.ty(inner))),
            ExprKind::Array(inner, count) => {
                let count = count.as_ref().map(|count| self.term(count));
                let count = count.and_then(|count| {
                    let terms = &self.out.terms;
                    let is_open = terms.alike(count) == Some(Alike::Block);
                    let known = terms.as_number(count).map(Count::Known);
                    known.or(is_open.then_some(Count::Open(count)))
                });
                Ty::Array(Box::new(self.ty(inner)), count)
            }
            _ if let Some(number) = divisor(ty) => self.ty(number),
            _ => match self.it.eval_type(ty, &mut self.frame) {
                unknown @ Type::Unknown(_) => {
                    let name = self.own_name(self.text(ty.span));
                    let frame = self.frame.clone();
                    if self.refers_to_nothing(ty, &frame) {
                        Ty::Values(name, unknown)
                    } else {
                        Ty::Open(name, unknown)
                    }
                }
                pointer @ (Type::Pointer(_) | Type::Array(..)) => {
                    let frame = self.frame.clone();
                    match self.array_of_alias(ty, frame) {
                        Some(array) => array,
                        None => self.ty_of(pointer),
                    }
                }
                ty => self.ty_of(ty),
            },
        }
    }

    /// A type that the interpreter knows.
    pub(super) fn ty_of(&mut self, ty: Type) -> Ty {
        match ty {
            Type::Scalar(scalar) => Ty::of_scalar(scalar),
            Type::Pointer(target) | Type::Array(target, _) => {
                Ty::Pointer(Box::new(self.ty_of(*target)))
            }
            Type::Placeholder => Ty::Auto,
            Type::Parameter(name) => Ty::Open(Arc::clone(&name), Type::Parameter(name)),
            other => {
                let bytes = self.it.layout_of_type(&other).ok();
                let bytes = bytes.and_then(|layout| i64::try_from(layout.size).ok());
                Ty::Other(other, bytes)
            }
        }
    }
}

/// Whether an expression is a subscript or goes through a pointer.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Index(..) | ExprKind::Unary(UnaryOp::Deref, _) => true,
        ExprKind::Member { object, arrow, .. } => *arrow || is_place(object),
        _ => false,
    }
}

fn is_array(ty: &Ty) -> bool {
    matches!(ty, Ty::Array(..))
}

/// The elements of an object.
fn element_of(ty: &Ty) -> Ty {
    match ty {
        Ty::Array(element, _) => Ty::clone(element),
        Ty::Other(named, _) => vector(named).unwrap_or(Ty::Auto),
        _ => Ty::Auto,
    }
}

fn to_place(held: Held<'_>) -> Pointed {
    match held {
        Held::Pointer(pointer) => Ok(pointer),
        other => Err(other.reason()),
    }
}

/// The type of the numbers that a divisor of CUDA's library divides, `cuda::fast_mod_div<uint32_t>` (libcu++, `cuda/cmath`): it
/// divides as the number does of which it is made.
pub(super) fn divisor(ty: &Expr) -> Option<&Expr> {
    let (last, scopes) = ty.as_path()?.segments.split_last()?;
    let is_of_library = scopes.iter().any(|scope| scope.name.name == "cuda");
    match last.args.as_deref() {
        Some([number, ..]) if is_of_library && last.name.name == "fast_mod_div" => Some(number),
        _ => None,
    }
}

/// The names of CUDA's vector types without their number of elements, and their types.
const VECTORS: &[(&str, &str)] = &[
    ("char", "int8_t"),
    ("uchar", "uint8_t"),
    ("short", "int16_t"),
    ("ushort", "uint16_t"),
    ("int", "int"),
    ("uint", "uint32_t"),
    ("long", "int64_t"),
    ("ulong", "uint64_t"),
    ("longlong", "int64_t"),
    ("ulonglong", "uint64_t"),
    ("float", "float"),
    ("double", "double"),
];

/// The type of the members `x`, `y`, `z`, `w` of a vector type of CUDA (CUDA C++ programming guide, "Built-in Vector
/// Types").
fn vector(ty: &Type) -> Option<Ty> {
    let name = match ty {
        Type::Named(name) => name.text(),
        Type::Class(class) if class.args.is_empty() => &class.name,
        _ => return None,
    };
    let scalar = |spelling| crate::types::Scalar::of_spelling(spelling).map(Ty::of_scalar);
    match &**name {
        "half2" | "__half2" | "nv_half2" => scalar("half_t"),
        "__nv_bfloat162" | "nv_bfloat162" => scalar("bfloat16_t"),
        name => {
            let element = name.strip_suffix(['1', '2', '3', '4'])?;
            let (_, spelling) = VECTORS.iter().find(|(known, _)| *known == element)?;
            scalar(spelling)
        }
    }
}
