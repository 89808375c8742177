//! Statements of a kernel.

use std::sync::Arc;

use tree_sitter_cute::tree::{
    Binding, Branch, Expr, ExprKind, Ident, If, Item, ItemKind, Jump, Reference, Role, Span,
};

use super::super::frame::Frame;
use super::super::ids::ModuleId;
use super::course::Leaving;
use super::held::{Held, Local, Parts, Pointer, Ty};
use super::options::ELEMENTS;
use super::places::Pointed;
use super::roots::root_of;
use super::{Scope, Walker};
use crate::access::alike::Alike;
use crate::access::terms::{IntKind, Operator, TermId};
use crate::access::{AccessSpace, Guard, INDEX, Memory};
use crate::hash::HashSet;

impl<'u> Walker<'_, 'u> {
    pub(super) fn walk_all(&mut self, items: &'u [Item]) {
        for item in items {
            if self.course.ended || !self.step() {
                return;
            }
            self.walk(item);
        }
    }

    pub(super) fn walk_block(&mut self, items: &'u [Item]) {
        self.scopes.push(Scope::default());
        self.frame
            .scopes
            .push(super::super::frame::Scope::default());
        self.nested(|it| it.walk_all(items));
        self.frame.scopes.pop();
        self.scopes.pop();
    }

    pub(super) fn walk(&mut self, item: &'u Item) {
        match &item.kind {
            ItemKind::Binding(binding) => self.walk_binding(binding, item),
            ItemKind::StructuredBinding(binding) => {
                let parts = match binding.init.as_ref() {
                    Some(init) if binding.members.is_empty() => self.in_order(init),
                    Some(init) => self.by_name(init, &binding.members),
                    None => Vec::new(),
                };
                self.declare_parts(&binding.names, parts);
            }
            ItemKind::If(branch) => self.walk_if(branch),
            ItemKind::Loop(repeat) => self.walk_loop(repeat),
            ItemKind::Switch(switch) => {
                let switch = self.it.with_made_cases(switch, item.span, &self.frame);
                self.walk_switch(switch);
            }
            ItemKind::Block(items) => self.walk_block(items),
            ItemKind::Return(value) => self.walk_return(value.as_ref()),
            ItemKind::Jump(jump) => self.walk_jump(*jump),
            ItemKind::Expr(expr) => match self.it.statements_of(expr, &self.frame) {
                Some(items) => {
                    self.expanded_from(expr, |it| it.nested(|it| it.walk_all(items)));
                }
                None => {
                    self.value(expr);
                }
            },
            ItemKind::Conditional(conditional) => {
                let defined = self.frame.macros.defined();
                let compiled = self
                    .it
                    .program
                    .compiled_branches_where(&conditional.branches, defined);
                match compiled.as_slice() {
                    [] => {}
                    [branch] if !self.it.program.may_be_skipped(branch) => {
                        self.walk_all(&branch.items);
                    }
                    branches => self.walk_alternatives(branches),
                }
            }
            ItemKind::Record(_)
            | ItemKind::Enum(_)
            | ItemKind::Using(_)
            | ItemKind::Define(_)
            | ItemKind::Undef(_) => self.it.exec(item, &mut self.frame),
            // `asm` and other unread statements.
            ItemKind::Opaque(_) => self.unseen(),
            _ => {}
        }
    }

    /// Branches of `#if` of which one may be compiled: what all of them leave is known behind them.
    fn walk_alternatives(&mut self, branches: &[&'u Branch]) {
        let why = "which branch of `#if` is compiled is not known";
        let condition = self.unknown(why, IntKind::BOOL);
        let is_one = branches
            .iter()
            .any(|branch| self.it.program.is_compiled(branch, &[]));
        let (before, known) = (self.scopes.clone(), self.frame.scopes.clone());
        let mut after = (!is_one).then(|| before.clone());
        let names = |scopes: &[Scope<'u>]| -> HashSet<&'u str> {
            let last = scopes.last().into_iter();
            last.flat_map(|scope| scope.keys().copied()).collect()
        };
        let (mut some, mut all) = (HashSet::default(), None);
        if !is_one {
            all = Some(names(&before));
        }
        let mut all_ended = is_one;
        for branch in branches {
            let depth = self.course.guards.len();
            // What a branch does by itself is said of the build that compiles it.
            if branches.len() > 1 {
                self.course.guards.push(Guard {
                    condition,
                    text: why.into(),
                    exit: None,
                });
            }
            self.walk_all(&branch.items);
            self.course.guards.truncate(depth);
            self.frame.scopes.clone_from(&known);
            let own = std::mem::replace(&mut self.scopes, before.clone());
            let ended = std::mem::replace(&mut self.course.ended, false);
            all_ended &= ended;
            if ended {
                continue;
            }
            let declared = names(&own);
            some.extend(declared.iter().copied());
            all = Some(match all {
                Some(all) => all.intersection(&declared).copied().collect(),
                None => declared,
            });
            after = Some(match after {
                Some(others) => {
                    let scopes = std::mem::replace(&mut self.scopes, own);
                    self.merge(condition, others);
                    std::mem::replace(&mut self.scopes, scopes)
                }
                None => own,
            });
        }
        if let Some(after) = after {
            self.scopes = after;
        }
        self.course.ended = all_ended;
        // What only some of them declare would hide a variable of the same name.
        let all = all.unwrap_or_default();
        for name in some.difference(&all) {
            self.declare(name, Local::new(Held::Other(why.into(), None), Ty::Auto));
        }
        if branches.len() > 1 {
            self.unseen();
        }
    }

    /// The members of an object in the order of their declaration; the elements of a tuple.
    fn in_order(&mut self, init: &'u Expr) -> Vec<Local<'u>> {
        if let ExprKind::Tuple(elements) = &init.kind {
            let values = self.values(elements);
            let locals = values.into_iter().map(|held| {
                let ty = held.ty(&self.out.terms).unwrap_or(Ty::Auto);
                Local::new(held, ty)
            });
            return locals.collect();
        }
        let object = self.value(init);
        self.parts_of(object)
    }

    /// Some members of an object.
    fn by_name(&mut self, init: &'u Expr, members: &'u [Ident]) -> Vec<Local<'u>> {
        let Held::Parts(parts) = self.value(init) else {
            return Vec::new();
        };
        let members = members.iter();
        let members = members.map_while(|member| parts.members.get(member.name.as_str()));
        members.cloned().collect()
    }

    /// Declares the names that the parts of an object are bound to.
    pub(super) fn declare_parts(&mut self, names: &'u [Ident], parts: Vec<Local<'u>>) {
        let mut parts = parts.into_iter();
        for name in names {
            let local = parts.next().unwrap_or_else(|| {
                let why = format!("`{}` is a part of an object", name.name);
                Local::new(Held::Other(why.into(), None), Ty::Auto)
            });
            self.declare(&name.name, local);
        }
    }

    /// The members of an object in the order of their declaration.
    pub(super) fn parts_of(&mut self, object: Held<'u>) -> Vec<Local<'u>> {
        let Held::Parts(Parts { ty, mut members }) = object else {
            return Vec::new();
        };
        let names = match ty.and_then(|ty| ty.instance()) {
            Some(instance) => self.names_of_members(instance).unwrap_or_default(),
            None if members.contains_key("0") => ELEMENTS.to_vec(),
            None => vec!["x", "y", "z", "w"],
        };
        let in_order = names.into_iter().map_while(|name| members.remove(name));
        in_order.collect()
    }

    /// Walks the expansion of the call of a macro, whose text is known meanwhile.
    pub(super) fn expanded_from<T>(
        &mut self,
        call: &'u Expr,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let text = self.it.replacement_of_call(call, &self.frame);
        let outer = std::mem::replace(&mut self.expanded, text);
        let result = walk(self);
        self.expanded = outer;
        result
    }

    fn walk_binding(&mut self, binding: &'u Binding, item: &'u Item) {
        if binding.role == Role::Alias {
            self.it.exec(item, &mut self.frame);
            return;
        }
        let Some(name) = &binding.name else { return };
        let ty = self.declared_type(binding);
        if self.it.is_rust()
            && (self.declare_static(binding) || self.declare_shared_of_rust(name, binding))
        {
            return;
        }
        if binding.specifiers.shared {
            return self.declare_shared(name, binding, &ty);
        }
        if let Ty::Array(..) = &ty {
            let is_constant = binding.ty.as_ref().is_some_and(has_constant_elements);
            if binding.specifiers.constexpr || binding.specifiers.constant || is_constant {
                self.declared.tables.push(&name.name);
            }
            self.begin_array(&name.name);
            let content = self.content_of(&ty, binding.init.as_ref());
            if let (None, Some(init)) = (&content, &binding.init) {
                self.value(init);
            }
            let held = Held::Pointer(self.register(element_of(&ty)));
            let local = Local {
                content,
                ..Local::own(held, ty)
            };
            return self.declare(&name.name, local);
        }
        if binding.reference != Reference::None
            && let Some(given) = binding.init.as_ref().and_then(|init| self.given_part(init))
        {
            return self.declare(&name.name, Local::declared(binding, given, ty));
        }
        if binding.reference != Reference::None
            && let Some(init) = &binding.init
            && !matches!(init.kind, ExprKind::Call(..))
            && let Some(place) = self.place(init)
        {
            let local = self.referred(binding, init, place, ty);
            return self.declare(&name.name, local);
        }
        let is_array = self.it.is_rust() && is_array_of_rust(binding);
        if is_array && binding.specifiers.constant {
            self.declared.tables.push(&name.name);
        }
        let held = if let Some(init) = &binding.init {
            let held = if binding.reference == Reference::None {
                self.initial(init, &ty)
            } else {
                self.value_or_place(init)
            };
            let held = self.converted(held, &ty);
            self.comes_from(&held, init, init.span);
            if let Held::Int(term) = &held {
                self.out.origins.declare(*term, name.span);
            }
            held
        } else {
            let why = format!("`{}` has no value yet", name.name);
            match self.made(&ty, (&[], Vec::new())) {
                Some(parts) => Held::Parts(parts),
                None => self.converted(Held::Other(why.into(), None), &ty),
            }
        };
        let held = if binding.reference == Reference::None {
            self.as_object(held, &ty)
        } else {
            held
        };
        let is_number =
            matches!(&held, Held::Int(term) if self.out.terms.as_number(*term).is_some());
        if binding.specifiers.constexpr || (binding.specifiers.constant && is_number) {
            self.it.exec(item, &mut self.frame);
        }
        let is_own = ty != Ty::Auto && binding.reference == Reference::None;
        let ty = match (ty, &held) {
            (Ty::Auto, Held::Pointer(array)) if is_array => {
                Ty::Array(Box::new(array.target.clone()), None)
            }
            (Ty::Auto, held) => held.ty(&self.out.terms).unwrap_or(Ty::Auto),
            (ty, _) => ty,
        };
        self.declare(
            &name.name,
            Local {
                is_own,
                ..Local::declared(binding, held, ty)
            },
        );
    }

    /// A reference to an object or a variable.
    fn referred(
        &mut self,
        binding: &'u Binding,
        init: &'u Expr,
        place: Pointed,
        ty: Ty,
    ) -> Local<'u> {
        let held = match place {
            // Two names of one variable: a change through one is seen through the other.
            Ok(Pointer {
                memory: None,
                target,
                offset,
                ..
            }) => {
                let written = binding.ty.as_ref().map(|ty| &ty.kind);
                let is_fixed =
                    binding.specifiers.constant || matches!(written, Some(ExprKind::Const(_)));
                if let Some(other) = root_of(init).filter(|_| !is_fixed) {
                    self.lose(other, "a reference to it may change it");
                }
                let ty = if ty == Ty::Auto { target } else { ty };
                if let Ty::Array(..) = &ty {
                    let target = element_of(&ty);
                    let memory = None;
                    let held = Held::Pointer(Pointer {
                        memory,
                        offset,
                        target,
                        length: None,
                    });
                    return Local::new(held, ty);
                }
                Held::Other("a reference to a variable".into(), Some(ty))
            }
            Ok(place) => Held::Pointed(place),
            Err(why) => Held::Other(why, Some(ty)),
        };
        let ty = held.ty(&self.out.terms).unwrap_or(Ty::Auto);
        Local::new(held, ty)
    }

    /// The initial value of a variable; `{a, b}` makes an object of its class.
    fn initial(&mut self, init: &'u Expr, ty: &Ty) -> Held<'u> {
        if let Some(parts) = self.given_by_name(init) {
            return Held::Parts(parts);
        }
        if let ExprKind::Braced(items) = &init.kind {
            let values = self.values(items);
            let made = self.made(ty, (items, values));
            return match (made, items.as_slice()) {
                (Some(parts), _) => Held::Parts(parts),
                (None, [only]) if !matches!(ty, Ty::Other(..)) => self.value(only),
                (None, _) => Held::Other("a list in braces".into(), None),
            };
        }
        self.value(init)
    }

    /// A variable in shared memory.
    fn declare_shared(&mut self, name: &'u Ident, binding: &'u Binding, ty: &Ty) {
        let align = self.it.alignment(&binding.alignas, &mut self.frame);
        let align = align.ok().and_then(|align| i64::try_from(align).ok());
        let is_dynamic = binding.specifiers.is_extern;
        self.walk_shared(name, ty, (is_dynamic, align.unwrap_or(1)));
    }

    /// Shared memory that is declared outside of functions.
    pub(super) fn declare_outside(&mut self) {
        if self.it.is_rust() {
            self.declare_statics();
        } else {
            self.declare_shared_outside();
        }
        let outside = self.scopes.last_mut().map(std::mem::take);
        self.declared.statics = outside.unwrap_or_default();
    }

    /// Variables of the same name hide each other from the innermost module around the kernel outwards; one of a module that
    /// is not around it counts where its name is the only one.
    fn declare_shared_outside(&mut self) {
        let around = self.it.modules_around(self.frame.owner.module);
        let mut outside = Vec::new();
        for (module, item) in &self.it.program.globals {
            if let ItemKind::Binding(binding) = &item.kind
                && binding.specifiers.shared
                && let Some(name) = &binding.name
            {
                let nearest = around.iter().position(|id| id == module);
                outside.push((nearest, *module, name, &**binding));
            }
        }
        let is_only = |name: &str| {
            let mut named = outside.iter().filter(|(.., other, _)| other.name == name);
            named.next().is_some() && named.next().is_none()
        };
        let seen = outside.iter().copied();
        let mut seen: Vec<_> = seen
            .filter(|(nearest, _, name, _)| nearest.is_some() || is_only(&name.name))
            .collect();
        // The innermost is the last one that is declared.
        seen.sort_by_key(|(nearest, ..)| std::cmp::Reverse(*nearest));
        for (_, module, name, binding) in seen {
            self.in_module(module, |walk| {
                let ty = walk.declared_type(binding);
                walk.declare_shared(name, binding, &ty);
            });
        }
    }

    /// Does something where the parameters of the kernel are not in scope, but what its file or a namespace declares.
    fn in_module(&mut self, module: ModuleId, act: impl FnOnce(&mut Self)) {
        let around = Frame::new(module, self.frame.steps);
        let kernel = std::mem::replace(&mut self.frame, around);
        act(self);
        self.frame = kernel;
    }

    /// An array in shared memory: whether it is dynamic, and the alignment that it is declared with.
    pub(super) fn walk_shared(
        &mut self,
        name: &'u Ident,
        ty: &Ty,
        (is_dynamic, align): (bool, i64),
    ) {
        let memory = Memory {
            name: name.name.as_str().into(),
            space: AccessSpace::Shared,
            element: self.size(ty.innermost()),
            extent: ty.bytes().filter(|bytes| *bytes > 0),
            lengths: ty.lengths(),
            declared: Some(name.span),
            align,
            is_dynamic,
        };
        let offset = self.terms().number(0, INDEX);
        let pointer = |target: Ty| Pointer {
            memory: Some(Arc::new(memory.clone())),
            offset,
            target,
            length: None,
        };
        let held = match ty {
            Ty::Array(..) => Held::Pointer(pointer(element_of(ty))),
            ty => Held::Pointed(pointer(ty.clone())),
        };
        self.declare(&name.name, Local::new(held, ty.clone()));
    }

    fn walk_if(&mut self, branch: &'u If) {
        self.scopes.push(Scope::default());
        let bound = if self.it.is_rust() {
            self.if_let(branch)
        } else {
            None
        };
        if let Some(condition) = bound {
            self.walk_branches(condition, &branch.then, branch.otherwise.as_deref());
            self.scopes.pop();
            return;
        }
        self.walk_all(&branch.init);
        let condition = if let Some(condition) = &branch.condition {
            let term = self.term(condition);
            let text = self.text(condition.span);
            (self.terms().truth(term), text)
        } else {
            let term = self.unknown("a declaration is the condition", IntKind::BOOL);
            (term, String::new())
        };
        self.walk_branches(condition, &branch.then, branch.otherwise.as_deref());
        self.scopes.pop();
    }

    fn walk_branches(
        &mut self,
        (condition, text): (TermId, String),
        then: &'u [Item],
        otherwise: Option<&'u [Item]>,
    ) {
        if let Some(value) = self.out.terms.as_number(condition) {
            let taken = if value != 0 { Some(then) } else { otherwise };
            if let Some(taken) = taken {
                self.walk_block(taken);
            }
            return;
        }
        let not = self.terms().not(condition);
        let before = self.scopes.clone();
        let (then_exits, then_ended) = self.walk_branch(condition, &text, then);
        let after_then = std::mem::replace(&mut self.scopes, before);
        let (else_exits, else_ended) = match otherwise {
            Some(otherwise) => self.walk_branch(not, &format!("!({text})"), otherwise),
            None => (Vec::new(), false),
        };
        match (then_ended, else_ended) {
            (true, true) => self.course.ended = true,
            (true, false) => self.course.guards.push(Guard {
                condition: not,
                text: format!("!({text})").into(),
                exit: self.exit_of(then),
            }),
            (false, true) => {
                self.scopes = after_then;
                self.course.guards.push(Guard {
                    condition,
                    text: text.into(),
                    exit: otherwise.and_then(|otherwise| self.exit_of(otherwise)),
                });
            }
            (false, false) => self.merge(condition, after_then),
        }
        // A thread that left in one branch is not here.
        for (of, exits) in [(not, then_exits), (condition, else_exits)] {
            for exit in exits {
                let stays = self.terms().binary(Operator::Either, of, exit.condition);
                self.course.guards.push(Guard {
                    condition: stays,
                    ..exit
                });
            }
        }
    }

    /// The `return` at the end of a branch of the kernel itself: who leaves a function that it calls stays in the block.
    fn exit_of(&self, branch: &[Item]) -> Option<Span> {
        let last = branch.last().filter(|_| self.calls.is_empty())?;
        match &last.kind {
            ItemKind::Return(_) => Some(last.span),
            ItemKind::Block(items) => self.exit_of(items),
            _ => None,
        }
    }

    /// Walks a branch: the conditions under which it did not end, and whether it always ends.
    fn walk_branch(
        &mut self,
        condition: TermId,
        text: &str,
        items: &'u [Item],
    ) -> (Vec<Guard>, bool) {
        let depth = self.course.guards.len();
        self.course.guards.push(Guard {
            condition,
            text: text.into(),
            exit: None,
        });
        self.walk_block(items);
        let exits = self
            .course
            .guards
            .split_off((depth + 1).min(self.course.guards.len()));
        self.course.guards.truncate(depth);
        let ended = std::mem::replace(&mut self.course.ended, false);
        (if ended { Vec::new() } else { exits }, ended)
    }

    /// Variables after two branches, of which the scopes now are those of the second.
    pub(super) fn merge(&mut self, condition: TermId, then: Vec<Scope<'u>>) {
        let mut merged = std::mem::take(&mut self.scopes);
        for (scope, other) in merged.iter_mut().zip(then) {
            for (name, local) in scope.iter_mut() {
                let Some(then) = other.get(name) else {
                    continue;
                };
                self.meet(condition, &mut local.held, &then.held);
                match (&mut local.content, &then.content) {
                    (Some(content), Some(then)) => {
                        for (local, then) in content.elements.iter_mut().zip(&then.elements) {
                            self.meet(condition, &mut local.held, &then.held);
                        }
                    }
                    (content, _) => *content = None,
                }
            }
        }
        self.scopes = merged;
    }

    /// The value of a variable after two branches.
    fn meet(&mut self, condition: TermId, held: &mut Held<'u>, then: &Held<'u>) {
        if then != held {
            let own = std::mem::replace(held, Held::Unset);
            *held = self.joined(condition, then.clone(), own);
        }
    }

    fn walk_return(&mut self, value: Option<&'u Expr>) {
        let held = match value {
            Some(value) => self.given_back(value),
            None => Held::Other("nothing".into(), None),
        };
        let own = self
            .course
            .guards
            .get(self.course.entry..)
            .unwrap_or_default();
        let conditions: Vec<TermId> = own.iter().map(|guard| guard.condition).collect();
        let condition = conditions
            .into_iter()
            .reduce(|all, one| self.terms().binary(Operator::Both, all, one));
        let held = if self.course.loops.len() > self.course.loops_at_entry {
            self.jump();
            Held::Other(
                "a `return` inside of a loop".into(),
                held.ty(&self.out.terms),
            )
        } else {
            held
        };
        self.returns.push((condition, held));
        self.course.ended = true;
    }

    fn walk_jump(&mut self, jump: Jump) {
        match jump {
            Jump::Break if self.course.in_switch => {}
            Jump::Break | Jump::Goto => {
                self.course.left.push(self.scopes.clone());
                self.jump();
            }
            Jump::Continue => self.leave_pass(),
        }
        self.course.ended = true;
    }

    /// Control leaves a loop in its middle.
    fn jump(&mut self) {
        let own = self.course.guards.get(self.course.at_loop..);
        let mut conditions = own.unwrap_or_default().iter().map(|it| it.condition);
        let alike = conditions.try_fold(Alike::Block, |worst, condition| {
            Some(worst.max(self.out.terms.alike(condition)?))
        });
        let leaving = alike.map_or(Leaving::Apart, Leaving::Together);
        self.course.leaving = self.course.leaving.max(leaving);
    }

    /// Control goes on with the next pass.
    fn leave_pass(&mut self) {
        let own = self.course.guards.get(self.course.at_pass..);
        let conditions: Vec<TermId> = own
            .unwrap_or_default()
            .iter()
            .map(|guard| guard.condition)
            .collect();
        let terms = self.terms();
        let always = terms.number(1, IntKind::BOOL);
        let condition = conditions
            .into_iter()
            .fold(always, |all, one| terms.binary(Operator::Both, all, one));
        let way = (condition, self.scopes.clone());
        self.course.continued.push(way);
    }
}

/// Whether a type is written as an array of constants.
fn has_constant_elements(ty: &Expr) -> bool {
    match &ty.kind {
        ExprKind::Array(element, _) => has_constant_elements(element),
        kind => matches!(kind, ExprKind::Const(_)),
    }
}

fn element_of(ty: &Ty) -> Ty {
    match ty {
        Ty::Array(element, _) => Ty::clone(element),
        other => other.clone(),
    }
}

/// Whether the initial value is `[a, b]` or `[a; n]`.
fn is_array_of_rust(binding: &Binding) -> bool {
    let init = binding.init.as_ref().map(|init| &init.kind);
    matches!(init, Some(ExprKind::Braced(_) | ExprKind::Array(..)))
}
