//! Statements, one after the other.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, If, Item, ItemKind, Jump, Loop, LoopKind, Reference, Role,
    StructuredBinding, Switch,
};

use super::given::Outcome;
use super::objects::converted;
use super::store::{BASE, Content, Followed, Location, Stop};
use super::{Activation, Runner};
use crate::interpret::frame::{Frame, Scope, Variable};
use crate::interpret::switches::have_cases;
use crate::value::Value;

/// The flow of control behind a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Break,
    Continue,
    Return,
}

impl<'u> Runner<'_, 'u> {
    pub(super) fn all(
        &mut self,
        items: &'u [Item],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        for item in items {
            let flow = self.deeper(|it| it.statement(item, act, frame))?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn block(
        &mut self,
        items: &'u [Item],
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        self.scoped(frame, |it, frame| it.all(items, act, frame))
    }

    fn scoped<T>(
        &mut self,
        frame: &mut Frame<'u>,
        inside: impl FnOnce(&mut Self, &mut Frame<'u>) -> Followed<T>,
    ) -> Followed<T> {
        frame.scopes.push(Scope::default());
        let result = inside(self, frame);
        frame.scopes.pop();
        result
    }

    pub(super) fn statement(
        &mut self,
        item: &'u Item,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        match &item.kind {
            ItemKind::StaticAssert(_) => Ok(Flow::On),
            // Declarations that make no object.
            ItemKind::Record(_) | ItemKind::Enum(_) | ItemKind::Using(_) => {
                self.it.exec(item, frame);
                Ok(Flow::On)
            }
            ItemKind::Binding(binding) if binding.role == Role::Alias => {
                self.it.exec(item, frame);
                Ok(Flow::On)
            }
            ItemKind::Binding(binding) => self.binding(binding, act, frame),
            ItemKind::StructuredBinding(binding) => self.take_apart(binding, act, frame),
            ItemKind::If(branch) => self.branch(branch, act, frame),
            ItemKind::Loop(repeat) => self.scoped(frame, |it, frame| match repeat.kind {
                LoopKind::Range => it.range(repeat, act, frame),
                _ => it.repeat(repeat, act, frame),
            }),
            ItemKind::Switch(switch) => {
                let switch = self.it.with_made_cases(switch, item.span, frame);
                self.switch(switch, act, frame)
            }
            ItemKind::Block(items) => self.block(items, act, frame),
            ItemKind::Expr(expr) => {
                if let Some(items) = self.it.statements_of(expr, frame) {
                    return self.all(items, act, frame);
                }
                self.effect(expr, act, frame)?;
                Ok(Flow::On)
            }
            ItemKind::Conditional(conditional) => {
                let defined = frame.macros.defined();
                let branches = &conditional.branches;
                let items = self.it.program.surely_compiled(branches, defined);
                self.all(items.ok_or(Stop)?, act, frame)
            }
            ItemKind::Return(value) => {
                act.returned = Some(match value {
                    Some(value) => self.result(value, act, frame)?,
                    None => Outcome::Value(Content::Unknown),
                });
                Ok(Flow::Return)
            }
            ItemKind::Jump(Jump::Break) => Ok(Flow::Break),
            ItemKind::Jump(Jump::Continue) => Ok(Flow::Continue),
            _ => Err(Stop),
        }
    }

    fn result(
        &mut self,
        value: &'u Expr,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Outcome<'u>> {
        match act.ret {
            Some(ret) if matches!(ret.kind, ExprKind::Reference(..)) => {
                Ok(Outcome::Location(self.place(value, act, frame)?))
            }
            Some(ret) => Ok(Outcome::Value(self.initial(
                ret,
                Some(value),
                act,
                frame,
            )?)),
            None => Ok(Outcome::Value(self.value(value, act, frame)?)),
        }
    }

    fn binding(
        &mut self,
        binding: &'u Binding,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        let specifiers = &binding.specifiers;
        if specifiers.is_static && !specifiers.constexpr
            || specifiers.is_extern
            || specifiers.shared
            || !binding.tparams.is_empty()
        {
            return Err(Stop);
        }
        let name = binding.name.as_ref().ok_or(Stop)?;
        let ty = binding.ty.as_ref().ok_or(Stop)?;
        self.is_written_out(ty, act, frame)?;
        let place = match (binding.reference, &binding.init) {
            (Reference::None, init) => {
                let content = self.initial(ty, init.as_ref(), act, frame)?;
                self.store.add(content)?
            }
            (_, Some(init)) if matches!(init.kind, ExprKind::Braced(_)) => {
                let content = self.initial(ty, Some(init), act, frame)?;
                self.store.add(content)?
            }
            (_, Some(init)) => {
                let given = self.evaluated(init, act, frame)?;
                self.referred(binding, given, frame)?
            }
            (_, None) => return Err(Stop),
        };
        self.note(name.span, &place);
        self.declare(binding, place, act, frame);
        Ok(Flow::On)
    }

    /// `auto [a, b] = x`
    fn take_apart(
        &mut self,
        binding: &'u StructuredBinding,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        let init = binding.init.as_ref().ok_or(Stop)?;
        let mut place = self.place(init, act, frame)?;
        if binding.reference == Reference::None {
            place = self.store.copy(&place)?;
        }
        self.name_parts(binding, &place, act, frame)
    }

    fn name_parts(
        &mut self,
        binding: &'u StructuredBinding,
        place: &Location,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        // In Rust a pattern names the members.
        if !binding.members.is_empty() {
            return Err(Stop);
        }
        let count = match self.store.at(place)? {
            Content::Object(_, fields) if fields.iter().all(|(name, _)| *name != BASE) => {
                fields.len()
            }
            Content::Array(items) | Content::Tuple(items) => items.len(),
            _ => return Err(Stop),
        };
        if count != binding.names.len() {
            return Err(Stop);
        }
        for (index, name) in binding.names.iter().enumerate() {
            let part = self.store.target_of(&place.part(index))?;
            self.note(name.span, &part);
            let value = self.seen(self.store.at(&part)?).unwrap_or(Value::Nothing);
            let variable = Variable {
                value,
                declared: name.span,
                read: true,
            };
            frame.declare(&name.name, variable);
            if binding.specifiers.constant {
                frame.locals.keep_constant(name.span);
            }
            act.places.insert(name.span, part);
        }
        Ok(Flow::On)
    }

    fn branch(
        &mut self,
        branch: &'u If,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        self.scoped(frame, |it, frame| {
            it.all(&branch.init, act, frame)?;
            let condition = branch.condition.as_ref().ok_or(Stop)?;
            let value = it.value(condition, act, frame)?;
            if it.condition(value, frame)? {
                it.block(&branch.then, act, frame)
            } else {
                match &branch.otherwise {
                    Some(otherwise) => it.block(otherwise, act, frame),
                    None => Ok(Flow::On),
                }
            }
        })
    }

    fn repeat(
        &mut self,
        repeat: &'u Loop,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        self.all(&repeat.init, act, frame)?;
        let mut tests = repeat.kind != LoopKind::DoWhile;
        loop {
            self.tick()?;
            if let Some(condition) = repeat.condition.as_ref().filter(|_| tests) {
                let value = self.value(condition, act, frame)?;
                if !self.condition(value, frame)? {
                    return Ok(Flow::On);
                }
            }
            tests = true;
            match self.block(&repeat.body, act, frame)? {
                Flow::Break => return Ok(Flow::On),
                Flow::Return => return Ok(Flow::Return),
                Flow::On | Flow::Continue => {}
            }
            if let Some(step) = &repeat.step {
                self.effect(step, act, frame)?;
            }
        }
    }

    /// `for (auto& x : array)`
    fn range(
        &mut self,
        repeat: &'u Loop,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        let [init] = repeat.init.as_slice() else {
            return Err(Stop);
        };
        let range = repeat.condition.as_ref().ok_or(Stop)?;
        let array = match &range.kind {
            ExprKind::Braced(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.value(item, act, frame)?);
                }
                self.store.add(Content::Array(values))?
            }
            _ => self.place(range, act, frame)?,
        };
        let Content::Array(items) = self.store.at(&array)? else {
            return Err(Stop);
        };
        for index in 0..items.len() {
            self.tick()?;
            let element = array.part(index);
            let flow = self.scoped(frame, |it, frame| {
                match &init.kind {
                    ItemKind::Binding(binding) => {
                        let place = it.pass(binding, element, act, frame)?;
                        it.declare(binding, place, act, frame);
                    }
                    ItemKind::StructuredBinding(binding) => {
                        let mut place = element;
                        if binding.reference == Reference::None {
                            let copy = it.store.read(&place)?;
                            place = it.store.add(copy)?;
                        }
                        it.name_parts(binding, &place, act, frame)?;
                    }
                    _ => return Err(Stop),
                }
                it.block(&repeat.body, act, frame)
            })?;
            match flow {
                Flow::Break => return Ok(Flow::On),
                Flow::Return => return Ok(Flow::Return),
                Flow::On | Flow::Continue => {}
            }
        }
        Ok(Flow::On)
    }

    /// The variable of one pass over an array.
    fn pass(
        &mut self,
        binding: &'u Binding,
        element: Location,
        act: &Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Location> {
        let ty = binding.ty.as_ref().ok_or(Stop)?;
        self.is_written_out(ty, act, frame)?;
        let is_auto = matches!(ty.kind, ExprKind::Auto);
        let content = self.store.read(&element)?;
        let ty = if is_auto {
            None
        } else {
            Some(self.it.eval_type(ty, frame))
        };
        let own = match &ty {
            Some(ty) => converted(content.clone(), ty)?,
            None => content.clone(),
        };
        if binding.reference == Reference::None {
            return self.store.add(own);
        }
        match (&content, &own) {
            (Content::Number(old), Content::Number(new)) if old.ty != new.ty => Err(Stop),
            _ => Ok(element),
        }
    }

    fn switch(
        &mut self,
        switch: &'u Switch,
        act: &mut Activation<'u>,
        frame: &mut Frame<'u>,
    ) -> Followed<Flow> {
        let condition = switch.condition.as_ref().ok_or(Stop)?;
        // Cases in loops and blocks inside of it.
        if switch.cases.iter().any(|case| have_cases(&case.body)) {
            return Err(Stop);
        }
        let selected = self.value(condition, act, frame)?;
        let selected = self.integer(selected, frame)?;
        let mut start = None;
        for (index, case) in switch.cases.iter().enumerate() {
            if let Some(value) = &case.value
                && self.value(value, act, frame)?.number()?.value == selected
            {
                start = Some(index);
                break;
            }
        }
        let default = || switch.cases.iter().rposition(|case| case.value.is_none());
        let Some(start) = start.or_else(default) else {
            return Ok(Flow::On);
        };
        self.scoped(frame, |it, frame| {
            for item in &switch.before {
                // The rest is jumped over; a macro that is not visible may have cases.
                match &item.kind {
                    ItemKind::Binding(binding) if binding.init.is_none() => {
                        it.statement(item, act, frame)?;
                    }
                    ItemKind::Expr(_) | ItemKind::Conditional(_) => return Err(Stop),
                    _ => {}
                }
            }
            for case in switch.cases.get(start..).unwrap_or_default() {
                match it.all(&case.body, act, frame)? {
                    Flow::On => {}
                    Flow::Break => return Ok(Flow::On),
                    flow => return Ok(flow),
                }
            }
            Ok(Flow::On)
        })
    }
}
