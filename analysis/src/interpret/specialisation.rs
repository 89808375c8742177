//! The class of a template with arguments: its arguments completed by defaults, and the specialisation that takes them.

use tree_sitter_cute::tree::{Expr, ExprKind, Record, TemplateParam, TemplateParamKind};

use super::Interpreter;
use super::classes::{ClassInstance, Named};
use super::declarations::is_open_to_machine;
use super::deduction::{as_template_argument, expands_open_pack};
use super::frame::{Frame, Scope};
use super::heads::name_of;
use super::ids::RecordId;
use super::integers::QUALIFIED;
use super::matching::Fit;
use super::records::shown;
use super::special_order::covers_all;
use crate::limits;
use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::{Room, Value};

impl<'u> Interpreter<'u> {
    /// The class that a name with template arguments denotes; without arguments a template is a placeholder. `outer` is
    /// the class instance that the class is a member of.
    pub(super) fn record_instance(
        &mut self,
        candidates: &[RecordId],
        args: Option<Vec<Value>>,
        outer: Option<usize>,
        frame: &mut Frame<'u>,
    ) -> Result<Type, Reason> {
        let primary = self
            .primary(candidates)
            .ok_or(Reason::Construct("a class"))?;
        let record = self.record(primary).ok_or(Reason::Construct("a class"))?;
        if args.is_none() && !record.tparams.is_empty() {
            // Inside the template its name means the instance itself.
            let inside = self
                .enclosing_records(frame)
                .into_iter()
                .find(|inside| self.computed.classes.is_instance_of(*inside, candidates));
            return Ok(inside.map_or(Type::Placeholder, |inside| {
                self.computed.classes.type_of(inside)
            }));
        }
        let explicit = args.unwrap_or_default();
        if let Some(open) = expands_open_pack(&explicit) {
            // All arguments of a class that takes no pack: each of its parameters is one of them.
            let is_all = explicit.len() == 1 && *candidates == [primary];
            let is_one_each = |tparam: &TemplateParam| !tparam.pack && tparam.default.is_none();
            if !is_all || !record.tparams.iter().all(is_one_each) {
                return Err(open);
            }
            let scopes = outer.map_or_else(Self::no_scopes, |outer| {
                self.computed.classes.scopes_of(outer)
            });
            let instance = self.instantiate(primary, &[], scopes, outer)?;
            return Ok(self.computed.classes.type_of(instance));
        }
        // A recursion that was stopped has no instance behind its end.
        if let Some(limit) = explicit.iter().find_map(|arg| match arg {
            Value::Unknown(reason @ Reason::Limit(_)) => Some(reason.clone()),
            _ => None,
        }) {
            return Err(limit);
        }
        let key: Named = (candidates.into(), outer, explicit);
        if let Some(known) = self.computed.classes.of_name(&key) {
            return Ok(self.computed.classes.type_of(known));
        }
        let scopes = outer.map_or_else(Self::no_scopes, |outer| {
            self.computed.classes.scopes_of(outer)
        });
        let instance = if *candidates == [primary] && record.special_args.is_none() {
            self.instantiate(primary, &key.2, scopes, outer)?
        } else {
            self.special_instance(primary, candidates, &key.2, scopes, outer)?
        };
        self.computed.classes.keep_name(key, instance);
        Ok(self.computed.classes.type_of(instance))
    }

    /// The instance of a template with specialisations.
    fn special_instance(
        &mut self,
        primary: RecordId,
        candidates: &[RecordId],
        explicit: &[Value],
        scopes: Vec<Scope<'u>>,
        outer: Option<usize>,
    ) -> Result<usize, Reason> {
        let all = self.completed(primary, explicit, &scopes);
        let stated = explicit.len();
        let Some((chosen, args)) =
            self.specialisation(candidates, primary, &all, stated, &scopes)?
        else {
            return self.instantiate(primary, explicit, scopes, outer);
        };
        let instance = self.instantiate(chosen, &args, scopes, outer)?;
        if chosen != primary
            && let Some(record) = self.record(primary)
            && let Some(found) = self.computed.classes.get_mut(instance)
        {
            found.arguments = all;
            found.primary = primary;
            found.name = shown(record, explicit);
        }
        Ok(instance)
    }

    pub(super) fn local_record_instance(
        &mut self,
        id: RecordId,
        frame: &Frame<'u>,
    ) -> Result<Type, Reason> {
        let instance = self.instantiate(id, &[], frame.scopes.clone(), frame.owner.record)?;
        self.use_record(instance);
        Ok(self.computed.classes.type_of(instance))
    }

    /// The class instances around a place, innermost first.
    pub(super) fn enclosing_records(&self, frame: &Frame<'u>) -> Vec<usize> {
        let mut around = Vec::new();
        let mut next = frame.owner.record;
        while let Some(instance) = next {
            around.push(instance);
            next = self.computed.classes.around(instance);
        }
        around
    }

    /// The template that specialisations specialise; its declaration may have no body.
    pub(super) fn primary(&self, candidates: &[RecordId]) -> Option<RecordId> {
        let is_primary = |id: &&RecordId| {
            self.record(**id)
                .is_some_and(|record| record.special_args.is_none())
        };
        if let Some(found) = candidates.iter().find(is_primary) {
            return Some(*found);
        }
        let first = self.program.records.get(*candidates.first()?)?;
        let module = self.program.module(first.module)?;
        let declared = module.declared_templates.get(name_of(first.record));
        declared.copied().or(candidates.first().copied())
    }

    /// The arguments of a template with its defaults, those of a pack as one.
    pub(super) fn completed(
        &mut self,
        primary: RecordId,
        explicit: &[Value],
        scopes: &[Scope<'u>],
    ) -> Vec<Value> {
        let Some(declaration) = self.program.records.get(primary).copied() else {
            return explicit.to_vec();
        };
        let tparams = &declaration.record.tparams;
        let given = packed(tparams, explicit);
        let mut frame = Frame::new(declaration.module, limits::STEPS_PER_INSTANCE);
        frame.scopes = scopes.to_vec();
        self.template_scope(tparams, &given, &mut frame);
        tparams
            .iter()
            .enumerate()
            .map(|(index, tparam)| {
                let found = tparam
                    .name
                    .as_ref()
                    .and_then(|name| frame.scopes.last()?.get(name.name.as_str()))
                    .map(|variable| variable.value.clone());
                match (found, given.get(index), &tparam.default) {
                    (Some(value), _, _) => value,
                    (None, Some(value), _) if *value != Value::Nothing => value.clone(),
                    (None, _, Some(default)) => self.eval(default, &mut frame),
                    _ => Value::Unknown(Reason::Unbound("a parameter without a name".into())),
                }
            })
            .collect()
    }

    /// The specialisation that takes these arguments, with its own; `None` for the primary template. `stated` of the
    /// arguments are explicit, the others are defaults.
    fn specialisation(
        &mut self,
        candidates: &[RecordId],
        primary: RecordId,
        args: &[Value],
        stated: usize,
        scopes: &[Scope<'u>],
    ) -> Result<Option<(RecordId, Vec<Value>)>, Reason> {
        let mut fits: Vec<(RecordId, Vec<Value>)> = Vec::new();
        let mut open: Vec<(RecordId, Reason)> = Vec::new();
        for id in candidates {
            match self.bindings_of(*id, primary, args, stated, scopes) {
                (Fit::Yes, bindings) => fits.push((*id, bindings)),
                (Fit::Open(reason), _) => open.push((*id, reason)),
                (Fit::No, _) => {}
            }
        }
        let best = fits
            .iter()
            .position(|(id, _)| {
                fits.iter()
                    .all(|(other, _)| other == id || self.is_more_special(*id, *other))
            })
            .or((fits.len() == 1).then_some(0));
        match best {
            Some(best) => {
                let (id, bindings) = fits.swap_remove(best);
                // One that may fit too matters only where it would be preferred.
                let preferred = open
                    .into_iter()
                    .find(|(other, _)| !self.is_more_special(id, *other));
                match preferred {
                    Some((_, reason)) => Err(reason),
                    None => Ok(Some((id, bindings))),
                }
            }
            None if !fits.is_empty() => {
                let record = candidates.first().and_then(|id| self.record(*id));
                Err(Reason::Ambiguous(record.map_or("", name_of).into()))
            }
            None => match open.into_iter().next() {
                Some((_, reason)) => Err(reason),
                None => Ok(None),
            },
        }
    }

    /// One number for all declarations of a class template.
    pub(super) fn first_of(&self, id: RecordId) -> RecordId {
        let candidates = self.same_template(id);
        candidates.into_iter().min().unwrap_or(id)
    }

    /// The declarations of a class template and of its specialisations.
    pub(super) fn same_template(&self, id: RecordId) -> Vec<RecordId> {
        let Some(found) = self.program.records.get(id) else {
            return Vec::new();
        };
        let name = name_of(found.record);
        let Some(module) = self.program.module(found.module) else {
            return vec![id];
        };
        let mut all = module.records.get(name).cloned().unwrap_or_default();
        all.extend(module.declared_templates.get(name));
        if !all.contains(&id) {
            all.push(id);
        }
        all
    }

    /// Template arguments; the name of a class template denotes the template.
    pub(super) fn class_arguments(
        &mut self,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Vec<Value> {
        let mut values = self.library_arguments(args, frame);
        if values.len() == args.len() {
            for (value, arg) in values.iter_mut().zip(args) {
                self.name_template(value, arg, frame);
            }
        }
        values
    }

    /// The template arguments of a name of the libraries.
    pub(super) fn library_arguments(
        &mut self,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Vec<Value> {
        let mut values = self.eval_all(args, frame);
        if values.len() == args.len() {
            for (value, arg) in values.iter_mut().zip(args) {
                if self.may_be_number(value, arg, frame)
                    && let Some(number) = self.argument_by_machine(arg, frame)
                {
                    *value = number;
                }
            }
        }
        self.hide_arrays(&mut values, args, frame);
        values
    }

    /// Whether a template argument may be a number that the evaluation does not know: an element of an array, or what is
    /// computed with one.
    fn may_be_number(&mut self, value: &Value, arg: &'u Expr, frame: &mut Frame<'u>) -> bool {
        if !self.settings.is_cpp() || frame.mode.open {
            return false;
        }
        match &arg.kind {
            ExprKind::Array(..) => {
                let mut object = arg;
                while let ExprKind::Array(inner, Some(_)) = &object.kind {
                    object = inner;
                }
                let recording = frame.mode.pause();
                let named = self.eval(object, frame);
                frame.mode.recording = recording;
                object.as_path().is_some() && !matches!(named, Value::Type(_) | Value::Unknown(_))
            }
            ExprKind::Index(..)
            | ExprKind::Member { .. }
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Ternary(..)
            | ExprKind::Cast(..)
            | ExprKind::Call(..) => is_open_to_machine(value),
            _ => false,
        }
    }

    /// Makes template arguments unknown that are types of arrays: as values they are pointers.
    pub(super) fn hide_arrays(
        &mut self,
        values: &mut [Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) {
        if values.len() != args.len() {
            return;
        }
        for (value, arg) in values.iter_mut().zip(args) {
            let is_pointer = matches!(value, Value::Type(ty) if matches!(**ty, Type::Pointer(_)));
            if is_pointer
                && (matches!(arg.kind, ExprKind::Array(..))
                    || self.array_behind(arg, frame).is_some())
            {
                *value = Value::Unknown(QUALIFIED);
            }
        }
    }

    /// A template argument or a pattern of one; the name of a class template denotes the template.
    pub(super) fn class_argument(&mut self, arg: &'u Expr, frame: &mut Frame<'u>) -> Value {
        let mut value = self.eval(arg, frame);
        self.name_template(&mut value, arg, frame);
        value
    }

    fn name_template(&mut self, value: &mut Value, arg: &'u Expr, frame: &Frame<'u>) {
        let is_placeholder = matches!(value, Value::Type(ty) if matches!(**ty, Type::Placeholder));
        if is_placeholder
            && let ExprKind::Name(path) = &arg.kind
            && let Some(first) = self
                .templates_named(path, frame.owner.module)
                .into_iter()
                .min()
            && let Some(record) = self.record(first)
        {
            *value = Value::Type(Box::new(Type::Template(first, name_of(record).into())));
        }
    }

    /// Whether every argument that a specialisation takes is taken by the other too, so that it is
    /// preferred. Patterns with conditions count as equal.
    fn is_more_special(&self, a: RecordId, b: RecordId) -> bool {
        let primary = self.primary(&self.same_template(a));
        let primary = primary.and_then(|id| self.record(id));
        let defaults = primary.filter(|record| record.special_args.is_none());
        let (Some(a), Some(b)) = (self.record(a), self.record(b)) else {
            return false;
        };
        let (Some(a_args), Some(b_args)) = (&a.special_args, &b.special_args) else {
            return false;
        };
        // An argument that a specialisation leaves out is the default of its template.
        let whole = |args: &'u [Expr]| {
            let left_out = defaults.and_then(|record| record.tparams.get(args.len()..));
            let left_out = left_out.unwrap_or_default().iter();
            let defaults = left_out.map_while(|tparam| tparam.default.as_ref());
            args.iter().chain(defaults).collect::<Vec<&'u Expr>>()
        };
        let (a_args, b_args) = (whole(a_args), whole(b_args));
        let (takes_a, takes_b) = (
            covers_all(&b_args, &a_args, &b.tparams),
            covers_all(&a_args, &b_args, &a.tparams),
        );
        // Of two for the same arguments the one with a constraint is preferred.
        takes_a && (!takes_b || has_constraint(a) && !has_constraint(b))
    }

    pub(super) fn instantiate(
        &mut self,
        id: RecordId,
        args: &[Value],
        scopes: Vec<Scope<'u>>,
        outer: Option<usize>,
    ) -> Result<usize, Reason> {
        let declaration = self
            .program
            .records
            .get(id)
            .copied()
            .ok_or(Reason::Construct("a class"))?;
        // The captures of a class inside of a function are not part of its arguments.
        let is_member =
            outer.is_some_and(|outer| self.computed.classes.scopes_of(outer).len() == scopes.len());
        let local = !is_member && scopes.iter().any(|scope| !scope.is_empty());
        let arguments = self.completed(id, args, &scopes);
        let mut room = Room::ONE_VALUE;
        if !arguments.iter().all(|argument| room.admits(argument)) {
            return Err(Reason::Limit("nesting of templates"));
        }
        let key = (id, outer, arguments);
        if let Some(known) = self.computed.classes.of_key(&key)
            && !local
        {
            return Ok(known);
        }
        self.computed.classes.has_room()?;
        let mut frame = Frame::new(declaration.module, limits::STEPS_PER_INSTANCE);
        frame.scopes = scopes;
        self.template_scope(&declaration.record.tparams, &key.2, &mut frame);
        let name = shown(declaration.record, args);
        let classes = &mut self.computed.classes;
        let open = frame.mode.open || outer.is_some_and(|outer| classes.is_open(outer));
        let made = ClassInstance::new(&key, frame.scopes, name, open);
        let instance = classes.add(key, made)?;
        if outer.is_none() && declaration.record.tparams.is_empty() {
            self.use_record(instance);
        }
        Ok(instance)
    }
}

/// Whether a `requires` clause, or a word before a parameter that may be a concept, is in the head of a class.
fn has_constraint(record: &Record) -> bool {
    record.requires.is_some()
        || record.tparams.iter().any(|tparam| {
            matches!(&tparam.kind, TemplateParamKind::Value(ty) if ty.as_plain_name().is_none_or(|name| Scalar::of_spelling(name).is_none()))
        })
}

/// The arguments of a template, those that a pack takes as one.
fn packed(tparams: &[TemplateParam], explicit: &[Value]) -> Vec<Value> {
    let mut given = Vec::with_capacity(tparams.len());
    for (index, tparam) in tparams.iter().enumerate() {
        if tparam.pack {
            // The argument found for each parameter.
            if let Some(Value::Pack(items)) = explicit.get(index) {
                given.push(Value::Pack(items.clone()));
                continue;
            }
            let rest = explicit.get(index..).unwrap_or_default();
            given.push(Value::Pack(rest.to_vec()));
            break;
        }
        given.push(match explicit.get(index) {
            Some(value) => as_template_argument(value, tparam),
            None => Value::Nothing,
        });
    }
    given
}
