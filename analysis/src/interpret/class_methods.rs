//! The methods and friends of class instances.

use tree_sitter_cute::tree::{Expr, Function, Item, ItemKind, Reference, Segment};

use super::Interpreter;
use super::heads::name_of;
use crate::types::Type;
use crate::value::Value;
use crate::walk;

impl<'u> Interpreter<'u> {
    /// Whether a class instance has methods that do something.
    pub(super) fn has_methods(&self, instance: usize) -> bool {
        self.members(instance).iter().any(
            |item| matches!(&item.kind, ItemKind::Function(function) if function.body.is_some()),
        )
    }

    /// The methods of a name in a class instance itself.
    pub(super) fn methods(&mut self, instance: usize, name: &str) -> Vec<&'u Function> {
        self.use_record(instance);
        let members = self.class_members(instance);
        members.methods.get(name).cloned().unwrap_or_default()
    }

    /// Whether a class takes methods of a name from a base, `using Base::f;`, beside its own.
    pub(super) fn uses_name(&mut self, instance: usize, name: &str) -> bool {
        let items = self.member_items(instance);
        items.iter().any(|item| match &item.kind {
            ItemKind::Using(using) => using
                .path
                .as_path()
                .and_then(|path| path.last())
                .is_some_and(|last| last.name.name == name),
            _ => false,
        })
    }

    /// Whether a class of a template has not itself declared a name, and all of its bases depend on template parameters.
    pub(super) fn is_of_dependent_base(&mut self, instance: usize, name: &str) -> bool {
        let Some(record) = self.record_declaration(instance) else {
            return false;
        };
        let depends = |base: &Expr| {
            let mut named = false;
            walk::subexpressions(base, &mut |part| {
                let params = record.tparams.iter();
                let mut params = params.filter_map(|param| param.name.as_ref());
                named |= params.any(|param| part.as_plain_name() == Some(&param.name));
            });
            named
        };
        !record.tparams.is_empty()
            && !record.bases.is_empty()
            && record.bases.iter().all(depends)
            && name_of(record) != name
            && self.find_member(instance, name).is_none()
            && self.methods(instance, name).is_empty()
            && !self.uses_name(instance, name)
    }

    /// The methods of a name in a class instance or the first base that has some, and which class
    /// that is.
    pub(super) fn inherited_methods(
        &mut self,
        instance: usize,
        name: &str,
    ) -> Option<(usize, Vec<&'u Function>)> {
        let own = self.methods(instance, name);
        if !own.is_empty() {
            return Some((instance, own));
        }
        let found = self.nested(|it| {
            let bases = it.bases(instance);
            bases.iter().find_map(|base| match base {
                Type::Record(record) if record.instance != instance => {
                    it.inherited_methods(record.instance, name)
                }
                _ => None,
            })
        });
        found.flatten()
    }

    /// The class itself or a base of it by its own name, which it has inside of the class, too ([class.pre]).
    pub(super) fn class_named_in(&mut self, instance: usize, member: &Segment) -> Option<Value> {
        if member.args.is_some() {
            return None;
        }
        let record = self.record_declaration(instance)?;
        if name_of(record) == member.name.name {
            return Some(Value::Type(Box::new(
                self.computed.classes.type_of(instance),
            )));
        }
        let found = self.nested(|it| {
            let bases = it.bases(instance);
            bases.iter().find_map(|base| match base {
                Type::Record(base) if base.instance != instance => {
                    it.class_named_in(base.instance, member)
                }
                _ => None,
            })
        });
        found.flatten()
    }

    /// The conversion functions of a class itself.
    pub(super) fn conversion_functions(&mut self, instance: usize) -> Vec<&'u Function> {
        let items = self.member_items(instance);
        let functions = items.iter().filter_map(|item| match &item.kind {
            ItemKind::Function(function) if function.name.name.starts_with("operator ") => {
                Some(&**function)
            }
            _ => None,
        });
        functions.collect()
    }

    /// Whether a class or a base of it names a friend so, which may be a function that is defined in it.
    pub(super) fn befriends(&mut self, instance: usize, name: &str) -> bool {
        let items = self.member_items(instance);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let names = |item: &&'u Item| {
            let text = self.program.slice(item.span);
            text.split(|c| !is_word(c)).any(|word| word == name)
        };
        let is_friend =
            |item: &&&'u Item| matches!(item.kind, ItemKind::Opaque("friend_declaration"));
        if items.iter().filter(is_friend).any(names) {
            return true;
        }
        if !self.has_bases(instance) {
            return false;
        }
        let of_bases = self.nested(|it| {
            let bases = it.bases(instance);
            bases.iter().any(|base| match base {
                Type::Record(base) if base.instance != instance => {
                    it.befriends(base.instance, name)
                }
                _ => false,
            })
        });
        of_bases.unwrap_or(true)
    }

    /// Whether to copy an object of a class runs code: it declares a copy constructor.
    pub(super) fn copies_with_code(&mut self, instance: usize) -> bool {
        let name = self
            .record_declaration(instance)
            .and_then(|record| record.name.as_ref());
        let Some(name) = name else {
            return false;
        };
        self.methods(instance, &name.name)
            .iter()
            .any(|constructor| {
                let first = constructor.params.first();
                let of = first.and_then(|first| first.ty.as_ref()?.as_path()?.last());
                first.is_some_and(|first| first.reference != Reference::None)
                    && of.is_some_and(|last| last.name.name == name.name)
                    && !constructor.flags.defaulted
            })
    }

    /// Whether a class has friends, which may be functions that are defined in it.
    pub(super) fn has_friends(&mut self, instance: usize) -> bool {
        let items = self.member_items(instance);
        let is_friend = |item: &&Item| matches!(item.kind, ItemKind::Opaque("friend_declaration"));
        items.iter().any(is_friend)
    }

    /// Whether a class or a base of it declares a virtual method of a name.
    pub(super) fn is_virtual(&mut self, instance: usize, name: &str) -> bool {
        let own = self.methods(instance, name);
        if own.iter().any(|method| method.flags.is_virtual) {
            return true;
        }
        if !self.has_bases(instance) {
            return false;
        }
        let found = self.nested(|it| {
            let bases = it.bases(instance);
            bases.iter().any(|base| match base {
                Type::Record(record) if record.instance != instance => {
                    it.is_virtual(record.instance, name)
                }
                _ => false,
            })
        });
        found.unwrap_or(true)
    }
}
