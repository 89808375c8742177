//! Where in memory an expression stands, and the types of what is there.

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind, UnaryOp};

use super::Walker;
use super::held::{Held, Pointer, Ty};
use crate::access::INDEX;
use crate::access::terms::{IntKind, Operator};
use crate::types::Type;

/// A place; or why it is not known where it is.
type Place = Result<Pointer, Arc<str>>;

impl<'u> Walker<'_, 'u> {
    /// The place that an expression is; nothing for a value.
    pub(super) fn place(&mut self, expr: &'u Expr) -> Option<Place> {
        match &expr.kind {
            ExprKind::Name(_) => {
                let local = self.find(expr.as_plain_name()?)?;
                match &local.held {
                    Held::Place(place) => Some(Ok(place.clone())),
                    Held::Pointer(pointer) if matches!(local.ty, Ty::Array(..)) => {
                        Some(Ok(Pointer {
                            target: local.ty.clone(),
                            ..pointer.clone()
                        }))
                    }
                    // What a thread keeps for itself.
                    _ => {
                        let target = local.ty.clone();
                        let offset = self.terms().number(0, INDEX);
                        Some(Ok(Pointer {
                            memory: None,
                            offset,
                            target,
                            counts: None,
                        }))
                    }
                }
            }
            ExprKind::Index(object, indices) => {
                let base = self.value(object);
                let mut held = base;
                for index in indices {
                    let by = self.term(index);
                    held = match held {
                        Held::Pointer(pointer) => self.stepped(pointer, by, false),
                        other => other,
                    };
                }
                Some(to_place(held))
            }
            ExprKind::Unary(UnaryOp::Deref, inner) => Some(to_place(self.value(inner))),
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
            _ => None,
        }
    }

    /// A member of an object in memory.
    fn member_of(&mut self, object: Pointer, member: &str) -> Place {
        if object.counts.is_some() {
            return Err("the size of its type is not known".into());
        }
        let Ty::Other(ty, _) = &object.target else {
            return Err("a member of a value that is not an object".into());
        };
        let (by, target) = match vector(ty) {
            Some(element) => {
                let index = ["x", "y", "z", "w"].iter().position(|name| *name == member);
                let index = index.and_then(|index| i64::try_from(index).ok());
                let (Some(index), Some(bytes)) = (index, element.bytes()) else {
                    return Err("a member of an object".into());
                };
                (index * bytes, element)
            }
            None => self
                .member_of_class(ty, member)
                .ok_or_else(|| Arc::from("a member of a class in memory"))?,
        };
        let by = self.terms().number(by, INDEX);
        let offset = self.terms().binary(Operator::Add, object.offset, by);
        Ok(Pointer {
            offset,
            target,
            ..object
        })
    }

    fn member_of_class(&mut self, ty: &Type, member: &str) -> Option<(i64, Ty)> {
        let Type::Record(record) = ty else {
            return None;
        };
        let layout = self.it.layout_of_record(record.instance).ok()?;
        let offset = i64::try_from(layout.offset_of(member).ok()?).ok()?;
        let members = self.it.data_members(record.instance);
        let binding = members.into_iter().find(|binding| {
            binding
                .name
                .as_ref()
                .is_some_and(|name| name.name == member)
        })?;
        let written = binding.ty.as_ref()?;
        if let ExprKind::Array(..) = written.kind {
            return None;
        }
        let ty = self.it.known_type_of_member(record.instance, binding);
        Some((offset, self.ty_of(ty)))
    }

    /// What is loaded from the place that an expression is.
    pub(super) fn loaded(&mut self, expr: &'u Expr) -> Held<'u> {
        match self.place(expr) {
            Some(place) => self.loaded_from(expr, place),
            None => self.ask(expr),
        }
    }

    pub(super) fn loaded_from(&mut self, expr: &'u Expr, place: Place) -> Held<'u> {
        match place {
            // An array is not loaded: it is a pointer to its first element.
            Ok(Pointer {
                memory,
                offset,
                target: Ty::Array(element, _),
                counts,
            }) => Held::Pointer(Pointer {
                memory,
                offset,
                target: *element,
                counts,
            }),
            place => self.load(expr.span, place),
        }
    }

    /// A written type.
    pub(super) fn ty(&mut self, ty: &'u Expr) -> Ty {
        match &ty.kind {
            ExprKind::Auto => Ty::Auto,
            ExprKind::Const(inner) | ExprKind::Reference(inner, _) => self.ty(inner),
            ExprKind::Pointer(inner) => Ty::Pointer(Box::new(self.ty(inner))),
            ExprKind::Array(inner, count) => {
                let count = count.as_ref().map(|count| self.term(count));
                let count = count.and_then(|count| self.out.terms.as_number(count));
                Ty::Array(Box::new(self.ty(inner)), count)
            }
            _ => {
                let ty = self.it.eval_type(ty, &mut self.frame);
                self.ty_of(ty)
            }
        }
    }

    /// A type that the interpreter knows.
    pub(super) fn ty_of(&mut self, ty: Type) -> Ty {
        match ty {
            Type::Scalar(scalar) => Ty::of_scalar(scalar),
            Type::Pointer(target) => Ty::Pointer(Box::new(self.ty_of(*target))),
            Type::Placeholder => Ty::Auto,
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

fn to_place(held: Held<'_>) -> Place {
    match held {
        Held::Pointer(pointer) => Ok(pointer),
        other => Err(other.reason()),
    }
}

/// What a vector type of CUDA has in its members `x`, `y`, `z`, `w` (CUDA C++ programming guide, "Built-in Vector Types").
fn vector(ty: &Type) -> Option<Ty> {
    let Type::Named(name) = ty else {
        return None;
    };
    let scalar = |spelling| crate::types::Scalar::of_spelling(spelling).map(Ty::of_scalar);
    match &**name {
        "float1" | "float2" | "float3" | "float4" => scalar("float"),
        "double1" | "double2" | "double3" | "double4" => scalar("double"),
        "half2" | "__half2" => scalar("half_t"),
        "__nv_bfloat162" => scalar("bfloat16_t"),
        "int1" | "int2" | "int3" | "int4" => Some(Ty::Int(IntKind::INT)),
        "uint1" | "uint2" | "uint3" | "uint4" => Some(Ty::Int(IntKind::UNSIGNED)),
        _ => None,
    }
}
