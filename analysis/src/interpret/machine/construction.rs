//! Construction of objects of classes: from lists, constructors and other objects, their bases first and then their
//! members.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Function, ItemKind, MemberInit, Path, RecordKind, Reference,
};

use super::given::Given;
use super::objects::{expands, pointer};
use super::store::{BASE, Content, Followed, Location, Number, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::Frame;
use crate::interpret::overloads::Named;
use crate::types::{RecordType, Scalar, Type};

impl<'u> Runner<'_, 'u> {
    /// An object that arguments make; in a `list` they are in braces.
    pub(super) fn object(
        &mut self,
        class: &RecordType,
        args: &'u [Expr],
        list: bool,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        self.deeper(|it| it.object_inside(class, args, list, act, frame))
    }

    fn object_inside(
        &mut self,
        class: &RecordType,
        args: &'u [Expr],
        list: bool,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let instance = class.instance;
        if let [only] = args
            && !matches!(
                only.kind,
                ExprKind::Braced(_) | ExprKind::Designated(..) | ExprKind::Expand(_)
            )
        {
            let given = self.evaluated(only, act, frame)?;
            let is_object = matches!(given.content, Content::Object(..));
            if !is_object && self.constructors(instance)?.is_empty() {
                return self.of_first_member(class, given, frame);
            }
            return self.object_of(class, given, list, frame);
        }
        let constructors = self.constructors(instance)?;
        if !constructors.is_empty() {
            let given = self.given(args, act, frame)?;
            return self.run_constructor(class, &constructors, given, list, frame);
        }
        self.aggregate(class, args, act, frame)
    }

    /// An object of a class without constructors: its bases and members in order ([dcl.init.aggr]).
    fn aggregate(
        &mut self,
        class: &RecordType,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let instance = class.instance;
        if expands(args) {
            return Err(Stop);
        }
        let place = self.unset_object(class)?;
        let bases = self.base_classes(instance)?;
        let is_designated = |arg: &&Expr| matches!(arg.kind, ExprKind::Designated(..));
        let designated = args.iter().any(|arg| is_designated(&arg));
        if args.is_empty() {
            self.begin_bases(&place, instance, &[], act, frame)?;
        } else {
            // Constructors of a base may be its own.
            let mut items = self
                .it
                .member_items(instance)
                .iter()
                .copied()
                .collect::<Vec<_>>();
            items.retain(|item| matches!(item.kind, ItemKind::Using(_)));
            if !items.is_empty() && !bases.is_empty() {
                return Err(Stop);
            }
        }
        let given_to_bases = if args.is_empty() || designated {
            0
        } else {
            bases.len()
        };
        if designated && !bases.is_empty() {
            return Err(Stop);
        }
        for (index, base) in bases.iter().enumerate().take(given_to_bases) {
            let content = match args.get(index) {
                Some(arg) => {
                    if let ExprKind::Braced(items) = &arg.kind {
                        self.object(base, items, true, act, frame)?
                    } else {
                        let given = self.evaluated(arg, act, frame)?;
                        // The braces of the base may be left out.
                        if !matches!(given.content, Content::Object(..)) {
                            return Err(Stop);
                        }
                        self.object_of(base, given, true, frame)?
                    }
                }
                None => self.object(base, &[], true, act, frame)?,
            };
            self.store.initialise(&place.part(index), content)?;
        }
        let rest = args.get(given_to_bases..).unwrap_or_default();
        let members = self.it.data_members(instance);
        let named: Vec<&'u Binding> = members.into_iter().filter(|it| it.name.is_some()).collect();
        if rest.len() > named.len() {
            return Err(Stop);
        }
        let mut given = 0;
        for (index, member) in named.into_iter().enumerate() {
            let name = member.name.as_ref().ok_or(Stop)?;
            let arg = if designated {
                rest.iter().find_map(|arg| match &arg.kind {
                    ExprKind::Designated(own, inner) if own.name == name.name => Some(&**inner),
                    _ => None,
                })
            } else {
                rest.get(index)
            };
            given += usize::from(arg.is_some());
            let part = self.own_part(&place, &name.name)?;
            let content = match arg {
                Some(arg) => self.member_from(instance, member, arg, act, frame)?,
                None => self.default_member(&place, instance, member, !args.is_empty())?,
            };
            self.store.initialise(&part, content)?;
        }
        if given < rest.len() {
            return Err(Stop);
        }
        self.store.take(&place)
    }

    /// An object of which nothing is set yet.
    fn unset_object(&mut self, class: &RecordType) -> Followed<Location> {
        let bases = self.base_classes(class.instance)?;
        let mut fields: Vec<(&'u str, Content<'u>)> =
            bases.iter().map(|_| (BASE, Content::Unknown)).collect();
        for member in self.it.data_members(class.instance) {
            match &member.name {
                Some(name) => fields.push((name.name.as_str(), Content::Unknown)),
                None if member.bits.is_some() => {}
                None => return Err(Stop),
            }
        }
        self.store.add(Content::Object(class.clone(), fields))
    }

    /// The classes that are the bases of a class, in order.
    fn base_classes(&mut self, instance: usize) -> Followed<Vec<RecordType>> {
        let bases = self.it.bases(instance);
        let classes = bases.iter().map(|base| match base {
            Type::Record(base) => Ok(base.clone()),
            _ => Err(Stop),
        });
        classes.collect()
    }

    /// The place of a member of the class itself.
    fn own_part(&self, object: &Location, name: &str) -> Followed<Location> {
        let Content::Object(_, fields) = self.store.at(object)? else {
            return Err(Stop);
        };
        let index = fields.iter().position(|(own, _)| *own == name);
        Ok(object.part(index.ok_or(Stop)?))
    }

    /// Initialises the bases of an object, some of them as the constructor says.
    pub(super) fn begin_bases(
        &mut self,
        object: &Location,
        instance: usize,
        inits: &[(usize, &'u MemberInit)],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        let bases = self.base_classes(instance)?;
        let is_base = |class: usize| bases.iter().any(|base| base.instance == class);
        if !inits.iter().all(|(class, _)| is_base(*class)) {
            return Err(Stop);
        }
        for (index, base) in bases.iter().enumerate() {
            let init = inits.iter().find(|(class, _)| *class == base.instance);
            let args = init.map_or(&[][..], |(_, init)| init.args.as_slice());
            let content = self.object(base, args, false, act, frame)?;
            self.store.initialise(&object.part(index), content)?;
        }
        Ok(())
    }

    /// Initialises a member in a constructor, which says how or leaves it to the declaration.
    pub(super) fn begin_member(
        &mut self,
        object: &Location,
        instance: usize,
        member: &'u Binding,
        init: Option<&'u MemberInit>,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        let Some(name) = &member.name else {
            return Ok(());
        };
        if let Some(init) = init {
            self.initialise_member(object, instance, member, &init.args, act, frame)
        } else {
            let content = self.default_member(object, instance, member, false)?;
            let part = self.own_part(object, &name.name)?;
            self.store.initialise(&part, content)
        }
    }

    /// An object that one argument makes: a copy of it, the result of a constructor, or its first member.
    pub(super) fn object_of(
        &mut self,
        class: &RecordType,
        given: Given<'u>,
        list: bool,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let instance = class.instance;
        let constructors = self.constructors(instance)?;
        if let Content::Object(own, _) = &given.content {
            let lists = constructors.iter().any(|it| takes_list(it));
            if own == class && !(list && lists) {
                return given.read();
            }
            // Of an object of a derived class the part that its base is.
            let own = own.instance;
            if own != instance && self.it.derives_from(own, instance) != Some(false) {
                if !constructors.is_empty() && may_take_derived(&constructors) {
                    return Err(Stop);
                }
                let place = match given.place {
                    Some(place) => place,
                    None => self.store.add(given.content)?,
                };
                let part = self.part_of_class(&place, instance)?.ok_or(Stop)?;
                return self.store.read(&part);
            }
            // A conversion of the other class may make it, too.
            if own != instance && !self.it.conversion_functions(own).is_empty() {
                return Err(Stop);
            }
        }
        if !constructors.is_empty() {
            return self.run_constructor(class, &constructors, vec![given], list, frame);
        }
        // In a list around it, it may be for the first member of a class whose braces are left out.
        Err(Stop)
    }

    /// An object without constructors from the value of its first member.
    fn of_first_member(
        &mut self,
        class: &RecordType,
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let instance = class.instance;
        let place = self.unset_object(class)?;
        if !self.base_classes(instance)?.is_empty() {
            return Err(Stop);
        }
        let mut first = Some(given);
        for member in self.it.data_members(instance) {
            let Some(name) = &member.name else { continue };
            let content = match first.take() {
                Some(given) => self.member_of(instance, member, given, frame)?,
                None => self.default_member(&place, instance, member, true)?,
            };
            let part = self.own_part(&place, &name.name)?;
            self.store.initialise(&part, content)?;
        }
        match first {
            None => self.store.take(&place),
            Some(_) => Err(Stop),
        }
    }

    /// The constructors of a class whose objects are followed.
    pub(super) fn constructors(&mut self, instance: usize) -> Followed<Vec<&'u Function>> {
        let record = self.it.record_declaration(instance).ok_or(Stop)?;
        if !self.is_plain_class(instance) {
            return Err(Stop);
        }
        let name = record.name.as_ref().ok_or(Stop)?;
        Ok(self.it.methods(instance, &name.name))
    }

    /// Whether objects of a class are their members and nothing else: to copy and to end them runs no code.
    pub(super) fn is_plain_class(&mut self, instance: usize) -> bool {
        let plain = self.deeper(|it| Ok(it.is_plain_class_inside(instance)));
        plain.unwrap_or(false)
    }

    fn is_plain_class_inside(&mut self, instance: usize) -> bool {
        let Some(record) = self.it.record_declaration(instance) else {
            return false;
        };
        let Some(name) = &record.name else {
            return false;
        };
        let has_virtual_base = record
            .alignas
            .iter()
            .any(|it| matches!(it.kind, ExprKind::Opaque("a virtual base")));
        if record.kind == RecordKind::Union || has_virtual_base {
            return false;
        }
        for base in self.it.bases(instance).iter() {
            let Type::Record(base) = base else {
                return false;
            };
            if base.instance == instance || !self.is_plain_class(base.instance) {
                return false;
            }
        }
        let acts = |function: &&Function| !function.flags.defaulted;
        let ends = self.it.methods(instance, &format!("~{}", name.name));
        let assigns = self.it.methods(instance, "operator=");
        let copies = self.it.copies_with_code(instance);
        !copies && !ends.iter().any(acts) && !assigns.iter().any(acts)
    }

    /// A data member that is given a value.
    fn member_from(
        &mut self,
        instance: usize,
        member: &'u Binding,
        arg: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        if member.reference != Reference::None || member.bits.is_some() {
            let arg = match &arg.kind {
                ExprKind::Braced(items) => match items.as_slice() {
                    [only] => only,
                    _ => return Err(Stop),
                },
                _ => arg,
            };
            let given = self.evaluated(arg, act, frame)?;
            return self.member_of(instance, member, given, frame);
        }
        match member.ty.as_ref().map(|ty| &ty.kind) {
            Some(ExprKind::Array(element, Some(count))) => {
                let ExprKind::Braced(items) = &arg.kind else {
                    return Err(Stop);
                };
                let mut scope = self.it.record_frame(instance);
                let count = self.value(count, act, &mut scope)?.number()?.value;
                let count = usize::try_from(count).map_err(|_| Stop)?;
                self.array(element, count, Some(items), act, frame)
            }
            _ if matches!(arg.kind, ExprKind::Braced(_)) => {
                let ty = self.it.known_type_of_member(instance, member);
                self.typed(&ty, Some(arg), act, frame)
            }
            _ => {
                let given = self.evaluated(arg, act, frame)?;
                self.member_of(instance, member, given, frame)
            }
        }
    }

    /// A data member that an argument was evaluated for.
    fn member_of(
        &mut self,
        instance: usize,
        member: &'u Binding,
        given: Given<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        if member.reference != Reference::None {
            let place = self.referred_member(instance, member, given)?;
            return Ok(Content::Alias(place));
        }
        if let Some(bits) = &member.bits {
            let width = self.width_of(instance, bits)?;
            let ty = self.it.known_type_of_member(instance, member);
            let content = self.converted_to(&ty, given, frame)?;
            return Ok(Content::Bits(content.number()?.cut(width)?, width));
        }
        match member.ty.as_ref().map(|ty| &ty.kind) {
            Some(ExprKind::Array(..)) => Err(Stop),
            Some(ExprKind::Pointer(target)) => {
                let pointer = pointer(given)?;
                let mut scope = self.it.record_frame(instance);
                self.pointer_to(target, pointer, &mut scope)
            }
            _ => {
                let ty = self.it.known_type_of_member(instance, member);
                self.converted_to(&ty, given, frame)
            }
        }
    }

    /// Number of bits of a bit-field.
    fn width_of(&mut self, instance: usize, bits: &'u Expr) -> Followed<u32> {
        let mut scope = self.it.record_frame(instance);
        let width = self.value(bits, &mut Activation::default(), &mut scope)?;
        u32::try_from(width.number()?.value).map_err(|_| Stop)
    }

    /// The referent of a member that is a reference.
    fn referred_member(
        &mut self,
        instance: usize,
        member: &'u Binding,
        given: Given<'u>,
    ) -> Followed<Location> {
        let mut scope = self.it.record_frame(instance);
        let ty = member.ty.as_ref().ok_or(Stop)?;
        let is_deduced = matches!(ty.kind, ExprKind::Auto | ExprKind::Pointer(_));
        if is_deduced || given.place.is_none() {
            return Err(Stop);
        }
        self.referred(member, given, &mut scope)
    }

    /// A data member that nothing is said of; in a list of initialisers it is zero then.
    fn default_member(
        &mut self,
        object: &Location,
        instance: usize,
        member: &'u Binding,
        in_list: bool,
    ) -> Followed<Content<'u>> {
        if member.reference != Reference::None {
            return Err(Stop);
        }
        let mut scope = self.it.record_frame(instance);
        scope.owner.constant_object = Some(false);
        let mut act = Activation {
            this: Some(object.clone()),
            ..Activation::default()
        };
        if let Some(class) = self.it.record_declaration(instance) {
            act.tparams.push(class.tparams.as_slice());
        }
        if let Some(bits) = &member.bits {
            let content = match &member.init {
                Some(init) => {
                    return self.member_from(instance, member, init, &mut act, &mut scope);
                }
                None if in_list => Number::int(0)?,
                None => return Ok(Content::Unknown),
            };
            let width = self.width_of(instance, bits)?;
            let Type::Scalar(ty) = self.it.known_type_of_member(instance, member) else {
                return Err(Stop);
            };
            return Ok(Content::Bits(content.converted(ty)?, width));
        }
        let ty = member.ty.as_ref().ok_or(Stop)?;
        match &member.init {
            None if in_list => self.zero_of(ty, &mut act, &mut scope),
            init => self.initial(ty, init.as_ref(), &mut act, &mut scope),
        }
    }

    fn run_constructor(
        &mut self,
        class: &RecordType,
        constructors: &[&'u Function],
        given: Vec<Given<'u>>,
        list: bool,
        frame: &mut Frame<'u>,
    ) -> Followed<Content<'u>> {
        let instance = class.instance;
        let module = self.it.module_of_record(instance);
        let is_empty = list && given.is_empty();
        let lists: Vec<&'u Function> = constructors
            .iter()
            .filter(|it| takes_list(it))
            .copied()
            .collect();
        // A list of initialisers comes before all others ([over.match.list]).
        if list
            && !is_empty
            && let Some(first) = lists.first()
        {
            let [only] = lists.as_slice() else {
                return Err(Stop);
            };
            let written = given.first().ok_or(Stop)?.expr;
            let mut items = Vec::with_capacity(given.len());
            for given in given {
                items.push(given.copy(&mut self.store)?);
            }
            let items = Given::of(written, Content::Array(items), None);
            let given = vec![items];
            let named = [(None, *only, module)];
            let chosen = self.chosen(&named, Some(instance), &[], &given, Some(false), frame)?;
            if first.flags.deleted || first.flags.defaulted {
                return Err(Stop);
            }
            let place = self.unset_object(class)?;
            self.run_constructor_at(&place, &chosen, given)?;
            return self.store.take(&place);
        }
        let others = constructors.iter().filter(|it| !takes_list(it));
        let named: Vec<Named<'u>> = others.map(|it| (None, *it, module)).collect();
        let chosen = self.chosen(&named, Some(instance), &[], &given, Some(false), frame)?;
        let function = chosen.function;
        if function.flags.deleted || function.flags.defaulted && !given.is_empty() {
            return Err(Stop);
        }
        let place = self.unset_object(class)?;
        self.run_constructor_at(&place, &chosen, given)?;
        self.store.take(&place)
    }

    /// The initial value of a member that a constructor initialises.
    fn initialise_member(
        &mut self,
        object: &Location,
        instance: usize,
        member: &'u Binding,
        args: &'u [Expr],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<()> {
        let name = member.name.as_ref().ok_or(Stop)?;
        let place = self.own_part(object, &name.name)?;
        let content = match args {
            [only] => self.member_from(instance, member, only, act, frame)?,
            [] if member.bits.is_some() => return Err(Stop),
            [] => {
                let ty = member.ty.as_ref().ok_or(Stop)?;
                let mut scope = self.it.record_frame(instance);
                self.zero_of(ty, act, &mut scope)?
            }
            args => {
                is_plain_member(member)?;
                let ty = self.it.known_type_of_member(instance, member);
                self.construct(&ty, args, false, act, frame)?
            }
        };
        self.store.initialise(&place, content)
    }
}

/// Whether a constructor takes a list of initialisers of any length.
fn takes_list(constructor: &Function) -> bool {
    let first = constructor
        .params
        .first()
        .and_then(|first| first.ty.as_ref());
    let last = first.and_then(Expr::as_path).and_then(Path::last);
    last.is_some_and(|last| last.name.name == "initializer_list")
}

/// Stops at a member that is not a separate object.
pub(super) fn is_plain_member(member: &Binding) -> Followed<()> {
    let is_plain = member.bits.is_none() && member.reference == Reference::None;
    if is_plain { Ok(()) } else { Err(Stop) }
}

/// Whether a constructor may take an object of a derived class better than a copy does.
fn may_take_derived(constructors: &[&Function]) -> bool {
    constructors.iter().any(|constructor| {
        let takes_one = constructor.params.first().is_some_and(|first| {
            let ty = first.ty.as_ref();
            let is_number = ty.and_then(Expr::as_plain_name);
            is_number.is_none_or(|name| Scalar::of_spelling(name).is_none())
        });
        takes_one || !constructor.tparams.is_empty()
    })
}
