//! The class instances of declarations that are evaluated together: their arguments, and the results that belong to one.

use std::rc::Rc;
use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Function};

use super::effect::Effect;
use super::frame::Scope;
use super::ids::RecordId;
use crate::hash::HashMap;
use crate::limits;
use crate::object_layout::ObjectLayout;
use crate::reason::Reason;
use crate::types::{RecordType, Type};
use crate::value::Value;

/// Arguments inside arguments that are looked into before the bases of a class are remembered.
pub(super) const SETTLED_DEPTH: usize = 16;

/// A name of a class with template arguments: the declarations under the name, the class around them, and
/// the arguments.
pub(super) type Named = (Box<[RecordId]>, Option<usize>, Vec<Value>);

/// A template with its arguments, inside of a class instance or of none.
pub(super) type Key = (RecordId, Option<usize>, Vec<Value>);

/// An instance of a class.
#[derive(Debug)]
pub(super) struct ClassInstance<'u> {
    pub(super) declaration: RecordId,
    /// The template that the declaration specialises, else the declaration.
    pub(super) primary: RecordId,
    /// The arguments of that template with its defaults; those of a pack are one.
    pub(super) arguments: Vec<Value>,
    /// The class instance that the class is a member of.
    pub(super) outer: Option<usize>,
    /// Template parameters, then the scopes around a local class.
    pub(super) scopes: Vec<Scope<'u>>,
    pub(super) name: Arc<str>,
    /// Whether one of its template parameters, or of those of the classes around it, is open.
    pub(super) open: bool,
    /// Whether something needs its definition: a member, an object, its size, a class that has it as a base. To name it
    /// instantiates nothing.
    used: bool,
    /// Members evaluated so far; `None` while one is being evaluated.
    members: HashMap<&'u str, Option<Value>>,
    bases: Bases,
}

/// The bases of a class instance.
#[derive(Debug, Default)]
struct Bases {
    /// All of them, once they are known: every name in the class is looked for in them.
    known: Option<Rc<[Type]>>,
    /// As they were read last, known or not.
    so_far: Option<Rc<[Type]>>,
}

impl<'u> ClassInstance<'u> {
    /// A new instance of the class that `key` names; nothing uses it so far.
    pub(super) fn new(key: &Key, scopes: Vec<Scope<'u>>, name: Arc<str>, open: bool) -> Self {
        let (declaration, outer, arguments) = key;
        Self {
            declaration: *declaration,
            primary: *declaration,
            arguments: arguments.clone(),
            outer: *outer,
            scopes,
            name,
            open,
            used: false,
            members: HashMap::default(),
            bases: Bases::default(),
        }
    }

    /// Whether something needs its definition.
    pub(super) fn is_used(&self) -> bool {
        self.used
    }

    /// A member that was evaluated before: nothing in it while it is being evaluated.
    pub(super) fn known_member(&self, name: &str) -> Option<&Option<Value>> {
        self.members.get(name)
    }

    /// Keeps a member, or that it is being evaluated.
    pub(super) fn keep_member(&mut self, name: &'u str, value: Option<Value>) {
        self.members.insert(name, value);
    }

    /// Its bases, where all of them are known.
    pub(super) fn known_bases(&self) -> Option<&Rc<[Type]>> {
        self.bases.known.as_ref()
    }

    /// Its bases as they were read last.
    pub(super) fn bases_so_far(&self) -> &[Type] {
        self.bases.so_far.as_deref().unwrap_or_default()
    }

    /// Keeps its bases; those that are not `settled` are read again.
    pub(super) fn keep_bases(&mut self, bases: &Rc<[Type]>, settled: bool) {
        self.bases = Bases {
            known: settled.then(|| Rc::clone(bases)),
            so_far: Some(Rc::clone(bases)),
        };
    }
}

/// All class instances, by their numbers, with the results that belong to one of them. The numbers mean nothing
/// elsewhere: it is replaced as a whole.
#[derive(Debug, Default)]
pub(super) struct Classes<'u> {
    instances: Vec<ClassInstance<'u>>,
    /// Those whose definitions are needed, in the order in which they first were.
    used: Vec<usize>,
    index: HashMap<Key, usize>,
    /// Those that names with template arguments denote.
    named: HashMap<Named, usize>,
    /// The list of bases that all classes without bases share.
    no_bases: Rc<[Type]>,
    /// The classes of tags, by name, where they were looked up.
    pub(super) tags: HashMap<String, Option<usize>>,
    results: Results<'u>,
}

/// Results that belong to class instances; with more steps there may be more of them.
#[derive(Debug, Default)]
struct Results<'u> {
    /// The types of data members, where they are known.
    member_types: HashMap<(usize, *const Binding), Type>,
    /// Possible changes of methods to their objects.
    effects: HashMap<(usize, *const Function), Effect<'u>>,
    /// The memory of objects; `None` while it is computed.
    layouts: HashMap<usize, Option<Result<ObjectLayout, Reason>>>,
}

impl<'u> Classes<'u> {
    pub(super) fn get(&self, instance: usize) -> Option<&ClassInstance<'u>> {
        self.instances.get(instance)
    }

    pub(super) fn get_mut(&mut self, instance: usize) -> Option<&mut ClassInstance<'u>> {
        self.instances.get_mut(instance)
    }

    pub(super) fn len(&self) -> usize {
        self.instances.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ClassInstance<'u>> {
        self.instances.iter()
    }

    /// The instance of a template for these arguments, if it was made before.
    pub(super) fn of_key(&self, key: &Key) -> Option<usize> {
        self.index.get(key).copied()
    }

    /// The instance that a name with template arguments denotes, if it was found before.
    pub(super) fn of_name(&self, name: &Named) -> Option<usize> {
        self.named.get(name).copied()
    }

    /// Keeps the instance that a name denotes. An argument that is not known while a class is still being read may be
    /// known later: then nothing is kept.
    pub(super) fn keep_name(&mut self, name: Named, instance: usize) {
        let found = self.get(instance);
        if found.is_some_and(|found| found.arguments.iter().all(Value::is_known)) {
            self.named.insert(name, instance);
        }
    }

    /// The bases of a class that has none.
    pub(super) fn no_bases(&self) -> Rc<[Type]> {
        Rc::clone(&self.no_bases)
    }

    /// Adds an instance, and gives its number.
    pub(super) fn add(&mut self, key: Key, made: ClassInstance<'u>) -> Result<usize, Reason> {
        self.has_room()?;
        let instance = self.instances.len();
        self.instances.push(made);
        self.index.insert(key, instance);
        Ok(instance)
    }

    /// Refuses where there are too many instances already.
    pub(super) fn has_room(&self) -> Result<(), Reason> {
        if self.instances.len() >= limits::RECORDS {
            return Err(Reason::Limit("number of class instances"));
        }
        Ok(())
    }

    pub(super) fn type_of(&self, instance: usize) -> Type {
        let found = self.get(instance);
        let name = found.map_or_else(|| Arc::from("class"), |found| Arc::clone(&found.name));
        Type::Record(RecordType { instance, name })
    }

    /// The scopes in which the members of an instance are evaluated.
    pub(super) fn scopes_of(&self, instance: usize) -> Vec<Scope<'u>> {
        self.get(instance)
            .map_or_else(|| vec![Scope::default()], |found| found.scopes.clone())
    }

    /// The class instance around another one.
    pub(super) fn around(&self, instance: usize) -> Option<usize> {
        self.get(instance)?.outer
    }

    /// Whether a template parameter of an instance, or of a class around it, is open.
    pub(super) fn is_open(&self, instance: usize) -> bool {
        self.get(instance).is_some_and(|found| found.open)
    }

    /// Whether an instance is one of these declarations.
    pub(super) fn is_instance_of(&self, instance: usize, declarations: &[RecordId]) -> bool {
        self.get(instance)
            .is_some_and(|found| declarations.contains(&found.declaration))
    }

    /// Notes that the definition of an instance is needed; whether it is for the first time.
    pub(super) fn note_used(&mut self, instance: usize) -> bool {
        let Some(found) = self.instances.get_mut(instance) else {
            return false;
        };
        let is_new = !found.used;
        if is_new {
            found.used = true;
            self.used.push(instance);
        }
        is_new
    }

    /// The instance whose definition was needed as the `index`-th one.
    pub(super) fn nth_used(&self, index: usize) -> Option<usize> {
        self.used.get(index).copied()
    }

    /// Number of instances whose definitions are needed.
    pub(super) fn count_used(&self) -> usize {
        self.used.len()
    }

    /// Takes back that definitions are needed, of all but the first `count` of them.
    pub(super) fn take_back_used(&mut self, count: usize) {
        self.used.truncate(count);
        for found in &mut self.instances {
            found.used = false;
        }
        for instance in &self.used {
            if let Some(found) = self.instances.get_mut(*instance) {
                found.used = true;
            }
        }
    }

    /// Forgets results that may have been cut short: with more steps they are known.
    pub(super) fn forget_results(&mut self) {
        for found in &mut self.instances {
            found.members.clear();
            found.bases = Bases::default();
        }
        self.results = Results::default();
    }

    /// The type of a data member, where it is known.
    pub(super) fn member_type(&self, instance: usize, member: &Binding) -> Option<&Type> {
        let key = (instance, std::ptr::from_ref(member));
        self.results.member_types.get(&key)
    }

    /// Keeps the type of a data member. One that is unknown while a class is still being read may be known later.
    pub(super) fn keep_member_type(&mut self, instance: usize, member: &Binding, ty: &Type) {
        if !matches!(ty, Type::Unknown(_)) {
            let key = (instance, std::ptr::from_ref(member));
            self.results.member_types.insert(key, ty.clone());
        }
    }

    /// The possible changes of a method to its object, where they are known.
    pub(super) fn effect(&self, instance: usize, method: *const Function) -> Option<&Effect<'u>> {
        self.results.effects.get(&(instance, method))
    }

    /// Keeps the possible changes of a method to its object.
    pub(super) fn keep_effect(
        &mut self,
        instance: usize,
        method: *const Function,
        effect: &Effect<'u>,
    ) {
        let effects = &mut self.results.effects;
        effects.insert((instance, method), effect.clone());
    }

    /// The layout of the objects of an instance, where it is known or why it never is; `None` where it begins to be
    /// computed now.
    pub(super) fn begin_layout(&mut self, instance: usize) -> Option<Result<ObjectLayout, Reason>> {
        let layouts = &mut self.results.layouts;
        if let Some(known) = layouts.get(&instance) {
            let within = Err(Reason::Limit("a class that contains itself"));
            return Some(known.clone().unwrap_or(within));
        }
        if layouts.len() >= limits::RECORDS {
            return Some(Err(Reason::Limit("number of class instances")));
        }
        layouts.insert(instance, None);
        None
    }

    /// Keeps the layout of the objects of an instance.
    pub(super) fn keep_layout(&mut self, instance: usize, layout: &Result<ObjectLayout, Reason>) {
        self.results.layouts.insert(instance, Some(layout.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(classes: &mut Classes<'_>, declaration: RecordId) -> usize {
        let key: Key = (declaration, None, Vec::new());
        let instance = ClassInstance::new(&key, Vec::new(), "A".into(), false);
        classes.add(key, instance).unwrap_or(usize::MAX)
    }

    #[test]
    fn an_instance_is_used_for_the_first_time_once() {
        let mut classes = Classes::default();
        let (a, b) = (made(&mut classes, 0), made(&mut classes, 1));
        assert!(classes.note_used(b) && classes.note_used(a) && !classes.note_used(b));
        assert_eq!(
            (classes.nth_used(0), classes.nth_used(1)),
            (Some(b), Some(a))
        );
        classes.take_back_used(1);
        let used = |instance| classes.get(instance).map(ClassInstance::is_used);
        assert_eq!((used(a), used(b)), (Some(false), Some(true)));
        assert_eq!(classes.count_used(), 1);
    }

    #[test]
    fn results_are_forgotten_and_instances_are_not() {
        let mut classes = Classes::default();
        let a = made(&mut classes, 0);
        let reason = Reason::Limit("test");
        assert_eq!(classes.begin_layout(a), None);
        assert!(classes.begin_layout(a).is_some_and(|it| it.is_err()));
        classes.keep_layout(a, &Err(reason.clone()));
        assert_eq!(classes.begin_layout(a), Some(Err(reason)));
        let bases: Rc<[Type]> = Rc::new([Type::Placeholder]);
        if let Some(found) = classes.get_mut(a) {
            found.keep_bases(&bases, false);
            found.keep_member("x", Some(Value::Nothing));
        }
        classes.forget_results();
        assert_eq!(classes.begin_layout(a), None);
        assert_eq!(classes.of_key(&(0, None, Vec::new())), Some(a));
        let found = classes.get(a);
        assert!(found.is_some_and(|it| it.known_member("x").is_none()));
        assert!(found.is_some_and(|it| it.bases_so_far().is_empty()));
    }
}
