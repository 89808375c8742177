//! Objects that the kernel is given and whose type is not known, such as a parameter of its template: each member is a
//! number or a pointer by its use, and the same for all threads.

use std::sync::Arc;

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind};

use super::Walker;
use super::held::{Held, Part, Pointer, Ty, not_a_number};
use crate::access::terms::{IntKind, Operator, SymbolKind, TermId};
use crate::access::{AccessSpace, INDEX, text};
use crate::types::Type;
use crate::value::Value;

impl<'u> Walker<'_, 'u> {
    /// Such an object, or a part of one, that an expression names.
    pub(super) fn given_part(&self, expr: &Expr) -> Option<Held<'u>> {
        match &expr.kind {
            ExprKind::Member {
                object,
                member,
                arrow: false,
            } => match self.given_part(object)? {
                Held::Given(object) => Some(self.member_of_given(&object, &member.name.name)),
                _ => None,
            },
            _ => match &self.find(expr.as_plain_name()?)?.held {
                given @ Held::Given(_) => Some(given.clone()),
                _ => None,
            },
        }
    }

    fn member_of_given(&self, object: &Part, member: &str) -> Held<'u> {
        let name = format!("{}.{member}", object.name);
        // Elements that are loaded are other objects at each load.
        if object.number.is_some() || object.plus.is_some() {
            return Held::Other(not_a_number(&name), None);
        }
        if self
            .declared
            .changed
            .iter()
            .any(|changed| **changed == *name)
        {
            return Held::Other("the kernel changes it".into(), None);
        }
        Held::Given(Part::member(&name))
    }

    /// Notes a change of a part of such an object; whether a target is one.
    pub(super) fn changes_given(&mut self, target: &Expr) -> bool {
        match self.given_part(target) {
            Some(Held::Given(part)) => self.declared.changed.push(part.name),
            Some(_) => {}
            None => return false,
        }
        true
    }

    /// A number that the kernel is given, by its name.
    pub(super) fn given_symbol(&mut self, name: &str, kind: IntKind) -> TermId {
        let terms = self.terms();
        terms.shared(name, SymbolKind::Uniform, kind, super::LEAST)
    }

    /// Such a value as a number.
    pub(super) fn given_number(&mut self, part: &Part, kind: IntKind) -> TermId {
        let number = match part.number {
            Some(number) => self.terms().convert(number, kind),
            None => self.given_symbol(&part.name, kind),
        };
        match part.plus {
            Some(plus) => {
                let terms = self.terms();
                let plus = terms.convert(plus, kind);
                terms.binary(Operator::Add, number, plus)
            }
            None => number,
        }
    }

    /// Such a value as a pointer.
    fn given_pointer(&mut self, part: &Part, target: Ty) -> Held<'u> {
        let start = self.pointer_to(&part.name, target, AccessSpace::Global, None);
        match (start, part.plus) {
            (Held::Pointer(start), Some(plus)) => self.stepped(start, plus, false),
            (start, _) => start,
        }
    }

    /// Such a value as another type.
    pub(super) fn given_as(&mut self, part: Part, ty: &Ty) -> Held<'u> {
        match ty {
            Ty::Int(kind) => Held::Int(self.given_number(&part, *kind)),
            Ty::Pointer(target) => self.given_pointer(&part, Ty::clone(target)),
            Ty::Auto | Ty::Open(..) => Held::Given(part),
            Ty::Other(class @ Type::Record(_), _) if part.number.is_none() => {
                let object = Value::Instance(Box::new(class.clone()));
                match self.given_object(&object, &part.name) {
                    Some(parts) => Held::Parts(parts),
                    None => Held::Other(not_a_number(&part.name), Some(ty.clone())),
                }
            }
            ty if has_elements(ty) && part.number.is_none() => Held::Given(part),
            ty => Held::Other(not_a_number(&part.name), Some(ty.clone())),
        }
    }

    /// Such a value with a number added or taken away: it may still be a pointer.
    pub(super) fn given_sum(
        &mut self,
        op: BinaryOp,
        left: &Held<'u>,
        right: &Held<'u>,
    ) -> Option<Held<'u>> {
        let (part, by, operator) = match (op, left, right) {
            (BinaryOp::Add, Held::Given(part), Held::Int(by))
            | (BinaryOp::Add, Held::Int(by), Held::Given(part)) => (part, *by, Operator::Add),
            (BinaryOp::Sub, Held::Given(part), Held::Int(by)) => (part, *by, Operator::Sub),
            _ => return None,
        };
        if part.is_whole {
            return Some(Held::Other(not_a_number(&part.name), None));
        }
        let terms = self.terms();
        let zero = terms.number(0, INDEX);
        let before = part.plus.unwrap_or(zero);
        let by = terms.convert(by, INDEX);
        let plus = Some(terms.binary(operator, before, by));
        Some(Held::Given(Part {
            plus,
            ..part.clone()
        }))
    }

    /// Such a value as an operand of another operator: a number.
    pub(super) fn as_operand(&mut self, held: Held<'u>) -> Held<'u> {
        match held {
            Held::Given(part) if !part.is_whole => {
                Held::Int(self.given_number(&part, IntKind::LONG))
            }
            held => held,
        }
    }

    /// An element of a container of integers that the kernel is given, `sizes[i]` of a `std::array`: it is in no memory that
    /// threads share.
    pub(super) fn given_element(&mut self, object: &'u Expr, index: &'u Expr) -> Option<Held<'u>> {
        let local = self.part(object)?;
        let (Held::Given(part), Ty::Other(Type::Class(class), _)) = (&local.held, &local.ty) else {
            return None;
        };
        let (name, element) = (Arc::clone(&part.name), class.element()?.clone());
        let Ty::Int(kind) = self.ty_of(element) else {
            return None;
        };
        let index = self.term(index);
        let terms = &self.out.terms;
        let number = match (terms.as_number(index), terms.alike(index)) {
            (Some(number), _) => self.given_symbol(&format!("{name}[{number}]"), kind),
            (None, Some(alike)) => {
                let name = format!("{name}[{}]", text::of(terms, index));
                self.terms()
                    .fresh_from(&name, alike.kind(), kind, super::LEAST)
            }
            (None, None) => {
                let why = format!("which element of `{name}` it is differs by thread");
                self.unknown(&why, kind)
            }
        };
        Some(Held::Int(number))
    }

    /// The elements of a value that is subscripted: it is a pointer, or an array in an object that the kernel is given.
    pub(super) fn elements_of(&mut self, held: Held<'u>) -> Held<'u> {
        match held {
            Held::Given(part) if !part.is_whole => {
                let target = element_of(&part.name);
                self.given_pointer(&part, target)
            }
            held => held,
        }
    }

    /// An array of which only the instance says the type, in an object in shared memory: pointers there are not expected.
    pub(super) fn open_array(&mut self, expr: &'u Expr) -> Option<Held<'u>> {
        let member = match &expr.kind {
            ExprKind::Index(array, _) => array,
            _ => expr,
        };
        // A member of the object of a method is a variable.
        let is_own = self.own_member(member).is_some();
        if is_own || !matches!(member.kind, ExprKind::Member { .. }) || !self.is_place(member) {
            return None;
        }
        let place = self.place(expr)?;
        match place {
            Ok(Pointer {
                memory: Some(memory),
                offset,
                target: Ty::Open(class, _),
                ..
            }) if memory.space == AccessSpace::Shared => Some(Held::Pointer(Pointer {
                memory: Some(memory),
                offset,
                target: element_of(&class),
                length: None,
            })),
            place => Some(self.loaded_from(expr, place)),
        }
    }
}

/// The type of the elements of a value of an unknown type.
fn element_of(name: &str) -> Ty {
    let element: Arc<str> = format!("{name}[0]").into();
    Ty::Open(Arc::clone(&element), Type::Parameter(element))
}

/// Whether a type is a container of integers.
pub(super) fn has_elements(ty: &Ty) -> bool {
    let Ty::Other(Type::Class(class), _) = ty else {
        return false;
    };
    let element = class.element();
    matches!(element, Some(Type::Scalar(scalar)) if scalar.is_integer())
}
