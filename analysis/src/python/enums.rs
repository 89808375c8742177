//! Enumerations: their members, and the operators of flags.

use std::sync::Arc;

use tree_sitter_cute::script::BinaryOp;
use tree_sitter_cute::tree::Span;

use super::contents::type_of_content;
use super::heap::{ClassKind, Id, Instance, Names, Object, Wrapper};
use super::machine::Numbering;
use super::machine::{Machine, Run, Stop};
use super::native::Args;
use super::value::{Builtin, Py};
use crate::reason::Reason;

/// Whether a base says that members are flags.
fn is_flag(base: &Py) -> bool {
    matches!(base, Py::Builtin(Builtin::Flag | Builtin::IntFlag))
}

impl Machine<'_> {
    /// The way in which the members of a class with these bases get values; nothing for a class without members.
    pub(super) fn numbering(&self, bases: &[Py]) -> Option<Numbering> {
        let mut found: Option<Numbering> = None;
        for base in bases {
            let (foreign, rule) = match base {
                Py::Builtin(
                    Builtin::Enum
                    | Builtin::IntEnum
                    | Builtin::StrEnum
                    | Builtin::Flag
                    | Builtin::IntFlag,
                ) => (vec![base.clone()], None),
                Py::Object(id) => match self.heap.get(*id) {
                    Object::Class(class) if class.kind == ClassKind::Enum => (
                        class.foreign.clone(),
                        self.class_attribute(*id, "_generate_next_value_"),
                    ),
                    _ => continue,
                },
                _ => continue,
            };
            let numbering = found.get_or_insert_default();
            numbering.is_flag |= foreign.iter().any(is_flag);
            numbering.is_text |= foreign.contains(&Py::Builtin(Builtin::StrEnum));
            numbering.rule = numbering.rule.take().or(rule);
        }
        found
    }

    /// The value of a name that is bound: in the body of an enumeration `auto()` is the next value.
    pub(super) fn value_of_member(&mut self, name: &Arc<str>, value: Py) -> Run<Py> {
        let Some(numbering) = self.frames.last().and_then(|it| it.numbering.clone()) else {
            return Ok(value);
        };
        if name.starts_with('_') || self.is_function(&value) {
            return Ok(value);
        }
        let value = match value == Py::AUTO {
            true => self.next_value(&numbering, name)?,
            false => value,
        };
        if let Some(numbering) = self.frames.last_mut().and_then(|it| it.numbering.as_mut()) {
            numbering.values.push(value.clone());
        }
        Ok(value)
    }

    fn next_value(&mut self, numbering: &Numbering, name: &Arc<str>) -> Run<Py> {
        let own = match self.look_up("_generate_next_value_") {
            Py::Unknown(_) => None,
            own => Some(own),
        };
        if let Some(rule) = own.or_else(|| numbering.rule.clone()) {
            let rule = match &rule {
                Py::Object(id) => match self.heap.get(*id) {
                    Object::Wrapped(Wrapper::Static, inner) => inner.clone(),
                    _ => rule,
                },
                _ => rule,
            };
            let count = i64::try_from(numbering.values.len()).unwrap_or(0);
            let values = self.list(numbering.values.clone());
            let args = vec![
                Py::Str(Arc::clone(name)),
                Py::Int(1),
                Py::Int(count),
                values,
            ];
            return self.call(&rule, Args::of(args, Span::default()));
        }
        if numbering.is_text {
            return Ok(Py::str(&name.to_lowercase()));
        }
        let numbers = numbering.values.iter().filter_map(Py::as_index);
        let largest = numbers.max().unwrap_or(0);
        Ok(match numbering.is_flag {
            true if largest <= 0 => Py::Int(1),
            true => match 1_i64.checked_shl(64 - largest.leading_zeros()) {
                Some(next) => Py::Int(next),
                None => Py::out_of_range(),
            },
            false => Py::Int(largest.saturating_add(1)),
        })
    }

    /// Turns the values of an `Enum` into its members.
    pub(super) fn make_members(&mut self, class: Id) -> Run<()> {
        let Object::Class(found) = self.heap.get(class) else {
            return Ok(());
        };
        let plain: Vec<(Arc<str>, Py)> = found
            .attributes
            .iter()
            .filter(|(name, value)| {
                let is_hidden = name.starts_with('_') && name.ends_with('_');
                !is_hidden && !self.is_function(value) && !self.is_member_of(value, class)
            })
            .cloned()
            .collect();
        for (name, value) in plain {
            let member = match self.member_of_value(class, &value)? {
                Some(known) => known,
                None => self.new_member(class, Py::Str(Arc::clone(&name)), value)?,
            };
            if let Some(Object::Class(found)) = self.heap.get_mut(class) {
                found.attributes.set(name, member);
            }
        }
        Ok(())
    }

    fn is_member_of(&self, value: &Py, class: Id) -> bool {
        self.class_of(value) == Some(class)
    }

    /// The member that has a value already.
    fn member_of_value(&mut self, class: Id, value: &Py) -> Run<Option<Py>> {
        for member in self.members(class).unwrap_or_default() {
            let own = self.find_attribute(&member, "value")?.unwrap_or(Py::None);
            if own == *value || self.equal(&own, value)? == Py::Bool(true) {
                return Ok(Some(member));
            }
        }
        Ok(None)
    }

    fn new_member(&mut self, class: Id, name: Py, value: Py) -> Run<Py> {
        let args = match &value {
            Py::Tuple(items) => items.to_vec(),
            value => vec![value.clone()],
        };
        let maker = self.class_attribute(class, "__new__");
        let made = match maker {
            Some(maker @ Py::Object(_)) => {
                let maker = self.unwrapped(maker);
                let mut with_class = vec![Py::Object(class)];
                with_class.extend(args.iter().cloned());
                self.call(&maker, Args::of(with_class, Span::default()))?
            }
            _ => self.bare(class),
        };
        let Py::Object(id) = made else {
            return Ok(made);
        };
        let content = match self.heap.get(class) {
            Object::Class(found) => type_of_content(found),
            _ => None,
        };
        let content = match content {
            Some(builtin) => {
                let args = Args::of(args.clone(), Span::default());
                self.construct(builtin, args)?
            }
            None => value.clone(),
        };
        if let Some(Object::Instance(instance)) = self.heap.get_mut(id) {
            let value = instance.attributes.get("_value_").cloned().unwrap_or(value);
            instance.attributes.set("value".into(), value.clone());
            instance.attributes.set("_value_".into(), value);
            instance.attributes.set("name".into(), name.clone());
            instance.attributes.set("_name_".into(), name);
            instance.built_in.get_or_insert(content);
        }
        if let Some(init) = self.class_attribute(class, "__init__") {
            let mut with_member = vec![Py::Object(id)];
            with_member.extend(args);
            self.call_value(&init, Args::of(with_member, Span::default()))?;
        }
        Ok(Py::Object(id))
    }

    /// Whether a value of a class body is not a member: a function, a class.
    pub(super) fn is_function(&self, value: &Py) -> bool {
        match value {
            Py::Object(id) => matches!(
                self.heap.get(*id),
                Object::Function(_)
                    | Object::Wrapped(..)
                    | Object::Class(_)
                    | Object::Accessors { .. }
                    | Object::Cached(_)
            ),
            Py::Native(_) | Py::Method(..) => true,
            _ => false,
        }
    }

    /// The members of an `Enum` class, those with two names once. Of flags those with a single bit.
    pub(crate) fn members(&self, class: Id) -> Option<Vec<Py>> {
        let Object::Class(found) = self.heap.get(class) else {
            return None;
        };
        if found.kind != ClassKind::Enum {
            return None;
        }
        let is_flags = found.foreign.iter().any(is_flag);
        let mut members: Vec<Py> = Vec::new();
        for (_, value) in found.attributes.iter() {
            if self.is_member_of(value, class) && !members.contains(value) {
                members.push(value.clone());
            }
        }
        if is_flags {
            members.retain(|member| {
                self.bits_of(member)
                    .is_some_and(|bits| bits.count_ones() == 1)
            });
        }
        Some(members)
    }

    /// The members of an enumeration by all of their names.
    pub(super) fn named_members(&self, class: Id) -> Vec<(Py, Py)> {
        let Object::Class(found) = self.heap.get(class) else {
            return Vec::new();
        };
        let named = found.attributes.iter();
        let members = named.filter(|(_, value)| self.is_member_of(value, class));
        members
            .map(|(name, value)| (Py::Str(Arc::clone(name)), value.clone()))
            .collect()
    }

    /// The bits of a flag.
    pub(super) fn bits_of(&self, value: &Py) -> Option<i64> {
        let class = self.class_of(value)?;
        let Object::Class(found) = self.heap.get(class) else {
            return None;
        };
        if !found.foreign.iter().any(is_flag) {
            return None;
        }
        let Py::Object(id) = value else {
            return None;
        };
        match self.heap.get(*id) {
            Object::Instance(instance) => instance.attributes.get("_value_")?.as_index(),
            _ => None,
        }
    }

    /// The members that a flag consists of.
    pub(super) fn flags_in(&self, value: &Py) -> Option<Vec<Py>> {
        let bits = self.bits_of(value)?;
        let members = self.members(self.class_of(value)?)?;
        let is_in = |member: &Py| self.bits_of(member).is_some_and(|own| own & bits == own);
        Some(members.into_iter().filter(is_in).collect())
    }

    /// `a | b`, `a & b`, `a ^ b` of flags of one class, or of one with an integer.
    pub(super) fn of_flags(&mut self, op: BinaryOp, left: &Py, right: &Py) -> Run<Option<Py>> {
        let class = match (self.bits_of(left), self.bits_of(right)) {
            (Some(_), _) => self.class_of(left),
            (None, Some(_)) => self.class_of(right),
            (None, None) => None,
        };
        let Some(class) = class else {
            return Ok(None);
        };
        let (a, b) = (
            self.bits_of(left).or_else(|| left.as_index()),
            self.bits_of(right).or_else(|| right.as_index()),
        );
        let (Some(a), Some(b)) = (a, b) else {
            return Ok(None);
        };
        let bits = match op {
            BinaryOp::Or => a | b,
            BinaryOp::And => a & b,
            BinaryOp::Xor => a ^ b,
            _ => return Ok(None),
        };
        self.flag(class, bits).map(Some)
    }

    /// `~flag`
    pub(super) fn inverted_flag(&mut self, value: &Py) -> Run<Option<Py>> {
        let (Some(bits), Some(class)) = (self.bits_of(value), self.class_of(value)) else {
            return Ok(None);
        };
        let members = self.members(class).unwrap_or_default();
        let all = members
            .iter()
            .filter_map(|member| self.bits_of(member))
            .fold(0, |all, bits| all | bits);
        self.flag(class, all & !bits).map(Some)
    }

    /// The flag of a class with these bits.
    fn flag(&mut self, class: Id, bits: i64) -> Run<Py> {
        let known = self.named_members(class);
        let known = known
            .into_iter()
            .find(|(_, member)| self.bits_of(member) == Some(bits));
        match known {
            Some((_, member)) => Ok(member),
            None => self.new_flag(class, bits),
        }
    }

    fn new_flag(&mut self, class: Id, bits: i64) -> Run<Py> {
        let mut attributes = Names::default();
        for (name, value) in [
            ("value", Py::Int(bits)),
            ("_value_", Py::Int(bits)),
            ("name", Py::None),
        ] {
            attributes.set(name.into(), value);
        }
        Ok(Py::Object(self.heap.add(Object::Instance(Instance {
            class,
            attributes,
            built_in: Some(Py::Int(bits)),
        }))))
    }

    /// The member of a class with a value.
    pub(super) fn member(&mut self, class: Id, args: &Args) -> Run<Py> {
        let wanted = match args.plain.as_slice() {
            [only] => only.clone(),
            all => Py::tuple(all.to_vec()),
        };
        if let Some(reason) = wanted.reason() {
            return Ok(Py::Unknown(reason.clone()));
        }
        if self.is_member_of(&wanted, class) {
            return Ok(wanted);
        }
        for (_, member) in self.named_members(class) {
            let own = self.find_attribute(&member, "value")?.unwrap_or(Py::None);
            if own == wanted || self.equal(&own, &wanted)? == Py::Bool(true) {
                return Ok(member);
            }
        }
        if let (Object::Class(found), Some(bits)) = (self.heap.get(class), wanted.as_index())
            && found.foreign.iter().any(is_flag)
        {
            return self.flag(class, bits);
        }
        // `_missing_` finds a member by another value.
        if let Some(finder) = self.class_attribute(class, "_missing_") {
            let finder = self.bound_to(finder, &Py::Object(class), class)?;
            let found = self.call(&finder, Args::of(vec![wanted], args.span))?;
            if let Py::Object(_) | Py::Unknown(_) = found {
                return Ok(found);
            }
        }
        Err(Stop::error("ValueError", "a value of no member"))
    }

    /// `Enum(name, names, start=1)`
    pub(super) fn class_of_members(&mut self, base: Builtin, args: &Args) -> Run<Py> {
        let unknown = || Py::Unknown(Reason::Construct("a class that is created at run time"));
        let names = args.plain.get(1).or_else(|| {
            let named = args.named.iter().find(|(name, _)| &**name == "names");
            named.map(|(_, names)| names)
        });
        let (Some(Py::Str(name)), Some(names)) = (args.plain.first(), names) else {
            return Ok(unknown());
        };
        let (name, names) = (Arc::clone(name), names.clone());
        let start = args.named.iter().find(|(name, _)| &**name == "start");
        let start = start.and_then(|(_, start)| start.as_index()).unwrap_or(1);
        let mut attributes = Names::default();
        let members = match (&names, self.entries_of(&names)) {
            (Py::Str(text), _) => {
                let parts = text.replace(',', " ");
                parts.split_whitespace().map(Py::str).collect()
            }
            (_, Ok(entries)) => entries
                .into_iter()
                .map(|(key, value)| Py::tuple(vec![key, value]))
                .collect(),
            _ => match self.iterate(&names)? {
                Ok(items) => items,
                Err(_) => return Ok(unknown()),
            },
        };
        for (number, member) in (start..).zip(members) {
            match &member {
                Py::Str(name) => {
                    let value = match base {
                        Builtin::StrEnum => Py::str(&name.to_lowercase()),
                        _ => Py::Int(number),
                    };
                    attributes.set(Arc::clone(name), value);
                }
                Py::Tuple(pair) => match &pair[..] {
                    [Py::Str(name), value] => attributes.set(Arc::clone(name), value.clone()),
                    _ => return Ok(unknown()),
                },
                _ => return Ok(unknown()),
            }
        }
        let file = self.frames.last().map_or(0, |frame| frame.file);
        let class = self.new_class(&name, file, &[Py::Builtin(base)], attributes, Vec::new())?;
        Ok(Py::Object(class))
    }
}
