//! Facts about classes: their members for each instance, and their methods.

use std::collections::VecDeque;
use std::sync::Arc;

use tree_sitter_cute::tree::{ItemKind, Record, Span};

use super::Interpreter;
use super::classes::ClassInstance;
use super::heads::{name_of, role_of};
use super::ids::{ModuleId, RecordId};
use super::records::MemberKind;
use crate::hash::{HashMap, HashSet};
use crate::role::Role;

/// The class instances that were reported.
#[derive(Debug, Default)]
pub(super) struct Reported {
    instances: HashSet<usize>,
    /// Number of used classes that were examined.
    next: usize,
    /// Those of them that come later, because a template parameter is open in them.
    open: VecDeque<usize>,
    /// The classes that have an instance in which nothing is open.
    closed: HashSet<RecordId>,
    /// Number of instances of each class.
    counts: HashMap<RecordId, usize>,
}

impl<'u> Interpreter<'u> {
    /// Keeps facts about the constants and aliases of a class that is not a template, or the full specialisation of
    /// one: it is compiled whether something uses it or not.
    pub(super) fn report_record(&mut self, record: &'u Record, module: ModuleId) {
        if !record.tparams.is_empty() || record.members.is_none() {
            return;
        }
        let id = self.program.record_id(record, module);
        if let Ok(instance) = self.instantiate(id, &[], Self::no_scopes(), None) {
            // `Layout<S, D>` in a specialisation is only named.
            self.report_members(instance, None, record.special_args.is_some());
        }
    }

    /// Keeps facts about the members of class templates, for each instance that was made, and about
    /// the methods of all classes. Those of `own`, of the file itself, that nothing instantiates are
    /// evaluated too, with their parameters open.
    ///
    /// Used classes come first: reporting them may use more classes. A class that is only named is not an instance: no
    /// compiler ever sees its definition.
    pub(super) fn report_classes(&mut self, own: Option<&[RecordId]>) {
        let open = own.is_some();
        let mut reported = Reported::default();
        self.report_used(open, false, &mut reported);
        for &id in own.unwrap_or_default() {
            let has_body = self
                .record(id)
                .is_some_and(|record| record.members.is_some());
            let is_named = self
                .computed
                .classes
                .iter()
                .any(|found| found.declaration == id);
            if !reported.counts.contains_key(&id)
                && has_body
                && self.is_record_in_focus(id)
                && !self.is_record_instantiated(id)
                && let Ok(instance) = self.instantiate(id, &[], Self::no_scopes(), None)
            {
                self.use_record(instance);
                self.report_used(open, is_named, &mut reported);
            }
        }
    }

    /// The class instances that are used by now, as if they were reported.
    pub(super) fn used_so_far(&self) -> Reported {
        let all = 0..self.computed.classes.len();
        let is_used = |instance: &usize| {
            let is_used = self
                .computed
                .classes
                .get(*instance)
                .is_some_and(ClassInstance::is_used);
            is_used || self.is_inside_of_used(*instance)
        };
        Reported {
            instances: all.filter(is_used).collect(),
            next: self.computed.classes.count_used(),
            ..Reported::default()
        }
    }

    /// Keeps facts about the class instances that are used since then; gives the classes of them in which nothing is
    /// open.
    pub(super) fn report_used_since(&mut self, mut reported: Reported) -> HashSet<RecordId> {
        self.report_used(true, false, &mut reported);
        reported.closed
    }

    /// Keeps facts about the class instances that are used by now: those of a template that is open
    /// where its arguments come from after the others, as it may have instances without it. The classes
    /// inside of them follow. `uncertain` says that nothing may need them.
    fn report_used(&mut self, open: bool, uncertain: bool, reported: &mut Reported) {
        self.report_needed(open, uncertain, reported);
        let mut generic = Vec::new();
        let mut instance = 0;
        while instance < self.computed.classes.len() {
            if !reported.instances.contains(&instance) && self.is_inside_of_used(instance) {
                generic.extend(self.report_class(instance, open, true, reported));
            }
            instance += 1;
        }
        for (instance, place) in generic {
            self.report_methods(instance, place.as_ref(), true, true);
        }
    }

    /// Whether a class that is not itself a template is a member of a class instance that is used.
    fn is_inside_of_used(&self, instance: usize) -> bool {
        let found = self.computed.classes.get(instance);
        let outer = found
            .filter(|found| {
                let record = self.record(found.declaration);
                record.is_some_and(|record| record.tparams.is_empty())
            })
            .and_then(|found| self.computed.classes.get(found.outer?));
        outer.is_some_and(ClassInstance::is_used)
    }

    fn report_needed(&mut self, open: bool, uncertain: bool, reported: &mut Reported) {
        loop {
            let mut generic = Vec::new();
            while let Some(instance) = self.next_used(reported) {
                for base in self.bases(instance).iter() {
                    self.use_type(base);
                }
                generic.extend(self.report_class(instance, open, uncertain, reported));
            }
            if !self.run_named() && generic.is_empty() {
                return;
            }
            for (instance, place) in generic {
                self.report_methods(instance, place.as_ref(), true, uncertain);
            }
        }
    }

    /// The next class instance that is used and not reported.
    fn next_used(&self, reported: &mut Reported) -> Option<usize> {
        while let Some(instance) = self.computed.classes.nth_used(reported.next) {
            reported.next += 1;
            if !self.computed.classes.is_open(instance) {
                return Some(instance);
            }
            reported.open.push_back(instance);
        }
        reported.open.pop_front()
    }

    /// Keeps facts about an instance of a class, except about its generic methods; gives it back
    /// where those have to follow, with how it is named.
    fn report_class(
        &mut self,
        instance: usize,
        open: bool,
        uncertain: bool,
        reported: &mut Reported,
    ) -> Option<(usize, Option<Arc<str>>)> {
        if !reported.instances.insert(instance) {
            return None;
        }
        let found = self.computed.classes.get(instance)?;
        let declaration = found.declaration;
        let record = self.record(declaration);
        if record.is_some_and(|record| !self.goal.reports(name_of(record))) {
            return None;
        }
        if !found.open {
            reported.closed.insert(declaration);
        } else if reported.closed.contains(&declaration) {
            return None;
        }
        // A member of an instance of a template is another class in each of them.
        let place = self.name_of_instance(instance);
        let is_template = place.is_some();
        let in_focus = self.is_record_in_focus(declaration);
        let quota = self
            .recorder
            .focus
            .quota(self.record_name_span(declaration));
        // A class in another file counts for the calls that its methods make; a class that is not a template is the
        // same for everyone.
        let is_reported = in_focus && (is_template || open);
        let matters = is_reported || !open && (!in_focus || self.recorder.focus.only().is_none());
        let count = reported.counts.entry(declaration).or_default();
        *count += 1;
        if !matters || *count > quota {
            return None;
        }
        if !in_focus && self.is_record_of_library(declaration) {
            // Actions of a kernel on a collective of another header of its library.
            if self.library_leads_to_focus(instance) {
                self.report_methods(instance, place.as_ref(), false, uncertain);
            }
            return None;
        }
        if !in_focus && !self.class_leads_to_focus(instance, declaration) {
            return None;
        }
        if is_reported && let Some(name) = self.record_name_span(declaration) {
            self.recorder.note_instantiated(name);
        }
        if is_template {
            let around = self.begin_report(instance, None);
            self.report_members(instance, place.as_ref(), uncertain);
            self.end_report(around);
        }
        self.report_methods(instance, place.as_ref(), false, uncertain);
        Some((instance, place))
    }

    /// The name of an instance of a template, or of a class inside one; `None` for a class that is the same for
    /// everyone.
    fn name_of_instance(&self, instance: usize) -> Option<Arc<str>> {
        let found = self.computed.classes.get(instance)?;
        let around = found.outer.and_then(|outer| self.name_of_instance(outer));
        if let Some(around) = around {
            return Some(format!("{around}::{}", found.name).into());
        }
        let record = self.record(found.declaration)?;
        (!record.tparams.is_empty()).then(|| Arc::clone(&found.name))
    }

    pub(super) fn record_name_span(&self, id: RecordId) -> Option<Span> {
        Some(self.record(id)?.name.as_ref()?.span)
    }

    pub(super) fn is_record_in_focus(&self, id: RecordId) -> bool {
        match self.record(id) {
            Some(record) => match (&record.name, record.members.as_deref()) {
                (Some(name), _) => self.recorder.is_in_focus(name.span),
                (None, Some([first, ..])) => self.recorder.is_in_focus(first.span),
                _ => false,
            },
            None => false,
        }
    }

    pub(super) fn is_record_instantiated(&self, id: RecordId) -> bool {
        self.record_name_span(id)
            .is_some_and(|span| self.recorder.is_instantiated(span))
    }

    fn is_record_of_library(&self, id: RecordId) -> bool {
        self.record_name_span(id)
            .and_then(|span| self.program.file_of(span))
            .is_some_and(crate::sources::SourceFile::is_library)
    }

    fn report_members(&mut self, instance: usize, place: Option<&Arc<str>>, uncertain: bool) {
        let mut frame = self.record_frame(instance);
        frame.mode.recording = true;
        frame.mode.uncertain = uncertain;
        if let Some(place) = place {
            frame.owner.instance = Some(Arc::clone(place));
            frame.owner.function = self
                .computed
                .classes
                .get(instance)
                .and_then(|found| self.record(found.declaration))
                .map(|record| name_of(record).into());
            self.note_deferred_part(frame.owner.function.as_ref(), frame.owner.instance.as_ref());
        }
        let items = self.member_items(instance);
        for item in items.iter() {
            if let ItemKind::Record(record) = &item.kind
                && let Some(name) = &record.name
                && !uncertain
                && place.is_some()
                && record.tparams.is_empty()
                && record.members.is_some()
            {
                // Its instance in this class; nothing else need name it.
                self.named_member(instance, &name.name, None, None);
            }
            if let ItemKind::StaticAssert(assert) = &item.kind
                && !uncertain
            {
                self.exec_static_assert(assert, item.span, &mut frame);
            }
            let ItemKind::Binding(binding) = &item.kind else {
                continue;
            };
            let Some(name) = &binding.name else {
                continue;
            };
            if !binding.tparams.is_empty() {
                continue;
            }
            let is_constant = role_of(binding) == Role::Alias
                || binding.specifiers.is_static
                || binding.specifiers.constexpr;
            let value = if is_constant {
                self.binding_value(binding, &mut frame)
            } else {
                self.member_value(instance, MemberKind::Binding(binding), None)
            };
            if let Some(init) = &binding.init {
                self.note_initialiser(name.span, init);
            }
            self.declare_fact(name, role_of(binding), binding.span, &value, &frame);
        }
    }
}
