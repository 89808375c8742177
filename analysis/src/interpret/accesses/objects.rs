//! Objects of classes of the sources: an object that a thread has for itself is its members, each with its value; of one
//! in memory each member is a place.

use std::collections::BTreeMap;

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Item, ItemKind, RecordKind, Reference};

use super::super::frame::Frame;
use super::held::{Count, Held, Local, Part, Parts, Pointer, Ty};
use super::layouts::is_layout;
use super::places::divisor;
use super::{AXES, Scope, Walker};
use crate::access::INDEX;
use crate::access::terms::{IntKind, SymbolKind};
use crate::types::Type;
use crate::value::Value;

/// Members of an object that is followed: parameters of a library's kernel have some dozens.
const MEMBERS: usize = 96;

/// Objects inside of objects that are followed.
const DEPTH: usize = 4;

/// A data member of a class or of one of its bases.
struct Member<'u> {
    name: &'u str,
    /// The class that declares it.
    class: usize,
    binding: &'u Binding,
    ty: Ty,
}

impl<'u> Walker<'_, 'u> {
    /// The data members of a class and of its bases; nothing where they are not simply one beside the other: of a union, with
    /// bit-fields, or with two members of one name.
    fn members_of(&mut self, instance: usize, depth: usize) -> Option<Vec<Member<'u>>> {
        let record = self.it.record_declaration(instance)?;
        record.members.as_ref()?;
        if depth == 0 || record.kind == RecordKind::Union {
            return None;
        }
        let items = self.it.member_items(instance);
        // The members of a class without a name are members here.
        let is_nameless =
            |item: &&Item| matches!(&item.kind, ItemKind::Record(inner) if inner.name.is_none());
        if items.iter().any(is_nameless) {
            return None;
        }
        let mut members = Vec::new();
        for binding in self.it.data_members(instance) {
            if !self.step() {
                return None;
            }
            let name = binding.name.as_ref().filter(|_| binding.bits.is_none())?;
            let ty = self.type_of_member(instance, binding);
            members.push(Member {
                name: &name.name,
                class: instance,
                binding,
                ty,
            });
        }
        if self.it.has_bases(instance) {
            let bases = self.it.bases(instance);
            for base in bases.iter() {
                let Type::Record(base) = base else {
                    return None;
                };
                if base.instance == instance {
                    return None;
                }
                members.extend(self.members_of(base.instance, depth - 1)?);
            }
        }
        let mut names: Vec<&str> = members.iter().map(|member| member.name).collect();
        names.sort_unstable();
        names.dedup();
        (names.len() == members.len() && members.len() <= MEMBERS).then_some(members)
    }

    /// The type of a data member.
    pub(super) fn type_of_member(&mut self, instance: usize, binding: &'u Binding) -> Ty {
        let Some(ty) = &binding.ty else {
            return Ty::Auto;
        };
        if self.it.is_rust() {
            let frame = self.it.record_frame(instance);
            let outer = std::mem::replace(&mut self.frame, frame);
            let ty = self.ty(ty);
            self.frame = outer;
            return ty;
        }
        if let Some(number) = divisor(ty) {
            let frame = self.it.record_frame(instance);
            let outer = std::mem::replace(&mut self.frame, frame);
            let ty = self.ty(number);
            self.frame = outer;
            return ty;
        }
        let (mut written, mut dimensions) = (ty, Vec::new());
        while let ExprKind::Array(element, count) = &written.kind {
            dimensions.push(count.as_deref());
            written = element;
        }
        let mut scope = self.it.record_frame(instance);
        let mut ty = if dimensions.is_empty() {
            match self.it.known_type_of_member(instance, binding) {
                pointer @ (Type::Pointer(_) | Type::Array(..)) => {
                    match self.array_of_alias(ty, scope.clone()) {
                        Some(array) => array,
                        None => self.ty_of(pointer),
                    }
                }
                unknown @ Type::Unknown(_) => self.open_member(instance, ty, unknown, &scope),
                ty => self.ty_of(ty),
            }
        } else {
            match self.it.eval_type(written, &mut scope) {
                unknown @ Type::Unknown(_) => self.open_member(instance, written, unknown, &scope),
                ty => self.ty_of(ty),
            }
        };
        for count in dimensions.into_iter().rev() {
            let count = count.map(|count| self.count_of_member(instance, count, &mut scope));
            ty = Ty::Array(Box::new(ty), count);
        }
        ty
    }

    /// The extent of an array in a class: a number, or a symbol where only the instance says it.
    fn count_of_member(
        &mut self,
        instance: usize,
        count: &'u Expr,
        scope: &mut Frame<'u>,
    ) -> Count {
        let value = self.it.eval(count, scope);
        if let Some(number) = value.as_int().and_then(cute_algebra::Int::value) {
            return Count::Known(number);
        }
        let class = self.it.computed.classes.type_of(instance);
        let name = format!("{class}::({})", self.text(count.span));
        let terms = self.terms();
        Count::Open(terms.shared(&name, SymbolKind::Uniform, INDEX, 1))
    }

    /// The type of a member that only the instance says, by its name in the class.
    fn open_member(
        &mut self,
        instance: usize,
        written: &'u Expr,
        unknown: Type,
        scope: &Frame<'u>,
    ) -> Ty {
        let class = self.it.computed.classes.type_of(instance);
        let name = format!("{class}::{}", self.text(written.span)).into();
        if self.refers_to_nothing(written, scope) {
            Ty::Values(name, unknown)
        } else {
            Ty::Open(name, unknown)
        }
    }

    /// An object of a thread whose members have no value that is known.
    pub(super) fn unset(&mut self, ty: &Ty, why: &str) -> Option<Parts<'u>> {
        self.unset_at(ty, why, DEPTH)
    }

    fn unset_at(&mut self, ty: &Ty, why: &str, depth: usize) -> Option<Parts<'u>> {
        let members = self.members_of(ty.instance()?, depth)?;
        let members = members.into_iter().map(|member| {
            let held = self.unset_member(&member, why, depth);
            (member.name, Local::own(held, member.ty))
        });
        Some(Parts {
            ty: Some(ty.clone()),
            members: members.collect(),
        })
    }

    fn unset_member(&mut self, member: &Member<'u>, why: &str, depth: usize) -> Held<'u> {
        if member.binding.reference != Reference::None {
            return Held::Other("a reference as a member".into(), None);
        }
        match &member.ty {
            Ty::Array(element, _) => Held::Pointer(self.register(Ty::clone(element))),
            ty => match self.unset_at(ty, why, depth - 1) {
                Some(parts) => Held::Parts(parts),
                None => self.converted(Held::Other(why.into(), None), ty),
            },
        }
    }

    /// A value of a variable of the thread that is an object: where its content is not known, it is still the thread's.
    pub(super) fn as_object(&mut self, held: Held<'u>, ty: &Ty) -> Held<'u> {
        match held {
            Held::Other(why, of) => match self.unset(ty, &why) {
                Some(parts) => Held::Parts(parts),
                None => Held::Other(why, of),
            },
            held => held,
        }
    }

    /// The members of an object in memory, as places.
    pub(super) fn members_at(&mut self, object: &Pointer) -> Option<Scope<'u>> {
        let members = self.members_of(object.target.instance()?, DEPTH)?;
        let mut scope = Scope::default();
        for member in members {
            let is_reference = member.binding.reference != Reference::None;
            let held = match self.member_of(object.clone(), member.name) {
                Ok(_) if is_reference => Held::Other("a reference as a member".into(), None),
                Ok(place) => match &member.ty {
                    Ty::Array(element, _) => Held::Pointer(Pointer {
                        target: Ty::clone(element),
                        ..place
                    }),
                    _ => Held::Pointed(place),
                },
                Err(why) => Held::Other(why, None),
            };
            scope.insert(member.name, Local::new(held, member.ty));
        }
        Some(scope)
    }

    /// An object that the kernel is given, by its name: numbers in it are the same for all threads.
    pub(super) fn given_object(&mut self, value: &Value, name: &str) -> Option<Parts<'u>> {
        self.given_object_at(value, name, DEPTH)
    }

    fn given_object_at(&mut self, value: &Value, name: &str, depth: usize) -> Option<Parts<'u>> {
        let record = match value {
            Value::Object(object) => object.class.clone(),
            Value::Instance(ty) => match &**ty {
                Type::Record(record) => record.clone(),
                _ => return None,
            },
            _ => return None,
        };
        let members = self.members_of(record.instance, depth)?;
        let made;
        let object = match value {
            Value::Object(object) => object,
            _ => match self.it.symbolic_object(&record, name) {
                Value::Object(object) => {
                    made = object;
                    &made
                }
                _ => return None,
            },
        };
        let count = members.len();
        let mut found = BTreeMap::new();
        for member in members {
            let field = object.fields.iter().find(|(field, _)| field == member.name);
            let (_, field) = field?;
            let own = format!("{name}.{}", member.name);
            let held = if let Some(parts) = self.given_object_at(field, &own, depth - 1) {
                Held::Parts(parts)
            } else if let Some(view) = self.given_strided(&member.ty, &own) {
                view
            } else {
                let held = self.known(field.clone(), &own, true);
                let held = match (held, &member.ty) {
                    // Whatever the number is, it is one for all threads.
                    (Held::Other(..), ty @ (Ty::Int(_) | Ty::Pointer(_))) => {
                        self.given_as(Part::member(&own), ty)
                    }
                    (held, _) => held,
                };
                if let Held::Int(term) = held {
                    self.terms().belongs(term, name, count);
                }
                self.converted(held, &member.ty)
            };
            found.insert(member.name, Local::own(held, member.ty));
        }
        let ty = self.ty_of(Type::Record(record));
        Some(Parts {
            ty: Some(ty),
            members: found,
        })
    }

    /// An object of these values of its members, as `T{a, b}` makes it of a class without constructors.
    pub(super) fn aggregate(
        &mut self,
        ty: &Ty,
        items: &'u [Expr],
        values: Vec<Held<'u>>,
    ) -> Option<Parts<'u>> {
        let instance = ty.instance()?;
        if self.it.has_constructor(instance) || self.it.has_bases(instance) {
            return None;
        }
        let members = self.members_of(instance, DEPTH)?;
        let mut parts = self.unset(ty, "it is not set")?;
        let mut set = vec![false; members.len()];
        let mut rest = None;
        for (index, (item, held)) in items.iter().zip(values).enumerate() {
            let index = match &item.kind {
                // `..other` of Rust has all other members.
                ExprKind::Designated(name, _) if name.name == ".." => {
                    rest = Some(held);
                    continue;
                }
                ExprKind::Designated(name, _) => {
                    members.iter().position(|member| member.name == name.name)?
                }
                _ => index,
            };
            let member = members.get(index)?;
            *set.get_mut(index)? = true;
            self.initialise(&mut parts, member, held);
        }
        for (member, _) in members.iter().zip(&set).filter(|(_, set)| !**set) {
            match &rest {
                Some(Held::Parts(other)) => {
                    let held = other.get(member.name)?.clone();
                    self.initialise(&mut parts, member, held);
                }
                Some(_) => return None,
                None => self.initialise_by_default(&mut parts, member, true),
            }
        }
        Some(parts)
    }

    fn initialise(&mut self, parts: &mut Parts<'u>, member: &Member<'u>, held: Held<'u>) {
        // The elements of an array are in registers, and are not followed.
        if matches!(member.ty, Ty::Array(..)) {
            return;
        }
        let held = self.converted(held, &member.ty);
        let held = self.as_object(held, &member.ty);
        if let Some(local) = parts.members.get_mut(member.name) {
            local.held = held;
        }
    }

    /// The value that a class gives a member, or 0 where all of the object is.
    fn initialise_by_default(&mut self, parts: &mut Parts<'u>, member: &Member<'u>, zero: bool) {
        let held = match (&member.binding.init, &member.ty) {
            (Some(init), _) => {
                let frame = self.it.record_frame(member.class);
                let outer = std::mem::replace(&mut self.frame, frame);
                let scopes = std::mem::replace(&mut self.scopes, vec![Scope::default()]);
                let held = self.value(init);
                self.scopes = scopes;
                let own = std::mem::replace(&mut self.frame, outer);
                self.frame.steps = self.frame.steps.min(own.steps);
                held
            }
            (None, Ty::Int(kind)) if zero => self.number(0, *kind),
            (None, Ty::Pointer(_)) if zero => Held::Null,
            _ => return,
        };
        self.initialise(parts, member, held);
    }

    /// An object of a class that nothing initialises, `T x;`: its members have the values that the class gives them.
    pub(super) fn uninitialised(&mut self, ty: &Ty, zero: bool) -> Option<Parts<'u>> {
        let members = self.members_of(ty.instance()?, DEPTH)?;
        let mut parts = self.unset(ty, "it has no value yet")?;
        for member in &members {
            self.initialise_by_default(&mut parts, member, zero);
        }
        Some(parts)
    }

    /// The names of the data members of a class in order, where it has no bases.
    pub(super) fn names_of_members(&mut self, instance: usize) -> Option<Vec<&'u str>> {
        if self.it.has_bases(instance) {
            return None;
        }
        let members = self.members_of(instance, DEPTH)?;
        Some(members.iter().map(|member| member.name).collect())
    }

    /// Gives a member of an object of the thread a value: `a.b.c = x`; whether it is one.
    pub(super) fn store_member(&mut self, target: &'u Expr, held: &Held<'u>) -> bool {
        let mut path = Vec::new();
        let mut root = target;
        while let ExprKind::Member {
            object,
            member,
            arrow,
        } = &root.kind
        {
            if *arrow && object.as_plain_name() != Some("this") {
                return false;
            }
            path.push(member.name.name.as_str());
            root = object;
        }
        let name = match root.as_plain_name() {
            // In a method, members are variables.
            Some("this") if self.is_in_method() => path.pop(),
            name => name,
        };
        let Some(local) = name.and_then(|name| self.find(name)) else {
            return false;
        };
        let mut part = local;
        for member in path.iter().rev() {
            let Held::Parts(parts) = &part.held else {
                return false;
            };
            let Some(inner) = parts.members.get(member) else {
                return false;
            };
            part = inner;
        }
        if matches!(part.held, Held::Pointed(_)) || matches!(part.ty, Ty::Array(..)) {
            return false;
        }
        let ty = part.ty.clone();
        let held = self.converted(held.clone(), &ty);
        let held = self.as_object(held, &ty);
        let held = match name {
            Some(name) => self.followed(name, held),
            None => held,
        };
        let Some(mut part) = name.and_then(|name| self.find_mut(name)) else {
            return false;
        };
        for member in path.iter().rev() {
            let Held::Parts(parts) = &mut part.held else {
                return false;
            };
            let Some(inner) = parts.members.get_mut(member) else {
                return false;
            };
            part = inner;
        }
        part.held = held;
        true
    }

    /// `T(x)`, `T{}`, `dim3(a, b)`, `make_int2(a, b)`.
    pub(super) fn construct(&mut self, expr: &'u Expr, ty: &'u Expr, args: &'u [Expr]) -> Held<'u> {
        if let Some(tuple) = ty.as_path().and_then(|path| self.tuple_made(path, args)) {
            return tuple;
        }
        let ty = self.ty(ty);
        // `Layout<Shape<_4, _16>>{}`
        if let (Ty::Other(Type::Of(layout), _), []) = (&ty, args)
            && is_layout(layout)
        {
            return Held::Layout(layout.clone());
        }
        let values: Vec<Held<'u>> = match ty {
            Ty::Other(Type::Record(_), _) => self.passed(args),
            Ty::Open(..) => args
                .iter()
                .map(|arg| self.open_array(arg).unwrap_or_else(|| self.value(arg)))
                .collect(),
            _ => self.values(args),
        };
        if let Some(made) = self.made_strided(&ty, &values) {
            return made;
        }
        match (&ty, values.as_slice()) {
            (Ty::Int(_) | Ty::Pointer(_), [only]) => self.converted(only.clone(), &ty),
            (Ty::Int(kind), []) => self.number(0, *kind),
            (Ty::Other(Type::Named(name), _), _) => self.parts(&name.clone(), values),
            (Ty::Other(Type::Record(_), _), _) => match self.made(&ty, (args, values)) {
                Some(parts) => Held::Parts(parts),
                None => Held::Other("an object".into(), Some(ty)),
            },
            _ if args.is_empty() => Held::Other("an object".into(), Some(ty)),
            _ => {
                let why = format!("`{}` is not followed", self.text(expr.span));
                Held::Other(why.into(), Some(ty))
            }
        }
    }

    /// A vector of integers that the kernel is given.
    pub(super) fn given_vector(&mut self, ty: &Ty, name: &str) -> Held<'u> {
        let class = vector_name(ty).unwrap_or_default();
        let count = match class.as_bytes() {
            [.., digit @ b'2'..=b'4'] => usize::from(digit - b'0'),
            _ => 0,
        };
        let kind = vector_kind(class).unwrap_or(IntKind::INT);
        let names = ["x", "y", "z", "w"];
        let values = names.into_iter().take(count).map(|member| {
            let own = format!("{name}.{member}");
            let terms = self.terms();
            let term = terms.shared(&own, SymbolKind::Uniform, kind, super::LEAST);
            terms.belongs(term, name, count);
            Held::Int(term)
        });
        let values = values.collect();
        self.parts(class, values)
    }

    /// The members of a vector of integers, by their values.
    pub(super) fn parts(&mut self, name: &str, values: Vec<Held<'u>>) -> Held<'u> {
        let Some(kind) = vector_kind(name) else {
            return Held::Other("it is not an integer".into(), None);
        };
        let mut values = values;
        if name == "dim3" {
            while values.len() < AXES.len() {
                let one = self.number(1, kind);
                values.push(one);
            }
        }
        let names = ["x", "y", "z", "w"];
        let parts = names.into_iter().zip(values).map(|(name, held)| {
            let held = self.converted(held, &Ty::Int(kind));
            (name, Local::own(held, Ty::Int(kind)))
        });
        Held::Parts(Parts {
            ty: None,
            members: parts.collect(),
        })
    }
}

/// The name of a vector of integers of CUDA.
pub(super) fn vector_name(ty: &Ty) -> Option<&str> {
    let name = match ty {
        Ty::Other(Type::Named(name), _) => name.text(),
        Ty::Other(Type::Class(class), _) => &class.name,
        _ => return None,
    };
    vector_kind(name).map(|_| &**name)
}

/// The elements of a vector of integers of CUDA.
fn vector_kind(name: &str) -> Option<IntKind> {
    match name {
        "dim3" | "uint2" | "uint3" | "uint4" => Some(IntKind::UNSIGNED),
        "int2" | "int3" | "int4" => Some(IntKind::INT),
        _ => None,
    }
}
