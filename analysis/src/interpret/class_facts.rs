//! What is reported of classes: their members for each instance, and their methods.

use std::sync::Arc;

use tree_sitter_cute::tree::{ItemKind, Record, Span};

use super::Interpreter;
use super::declarations::role_of;
use super::program::{ModuleId, RecordId};
use super::records::{MemberKind, name_of};
use crate::fact::Role;
use crate::hash::{HashMap, HashSet};

/// The class instances that were reported.
#[derive(Default)]
struct Reported {
    instances: HashSet<usize>,
    /// How many there are of each class.
    counts: HashMap<RecordId, usize>,
}

impl<'u> Interpreter<'u> {
    /// Keeps facts about the constants and aliases of a class that is no template.
    pub(super) fn report_record(&mut self, record: &'u Record, module: ModuleId) {
        if !record.tparams.is_empty() || record.special_args.is_some() {
            return;
        }
        let id = self.program.record_id(record, module);
        if let Ok(instance) = self.instantiate(id, &[], Self::no_scopes(), None) {
            self.report_members(instance, None, false);
        }
    }

    /// Keeps facts about the members of class templates, for each instance that was made, and about
    /// the methods of all classes. Those of `own`, of the file itself, that nothing instantiates are
    /// evaluated too, with their parameters open.
    ///
    /// What is used comes first: reporting it may use more classes. What is only named then shows
    /// its values, but nothing in it is called wrong, as no compiler ever sees its definition.
    pub(super) fn report_classes(&mut self, own: Option<&[RecordId]>) {
        let open = own.is_some();
        for &id in own.unwrap_or_default() {
            let made = self.records.iter().any(|found| found.declaration == id);
            let has_body = self
                .record(id)
                .is_some_and(|record| record.members.is_some());
            if !made
                && has_body
                && self.is_record_in_focus(id)
                && !self.is_record_instantiated(id)
                && let Ok(instance) = self.instantiate(id, &[], Self::no_scopes(), None)
            {
                self.use_record(instance);
            }
        }
        let mut reported = Reported::default();
        let mut next = 0;
        while next < self.used_records.len() {
            let mut generic = Vec::new();
            while let Some(instance) = self.used_records.get(next).copied() {
                next += 1;
                for base in self.bases(instance).iter() {
                    self.use_type(base);
                }
                generic.extend(self.report_class(instance, open, false, &mut reported));
            }
            for (instance, place) in generic {
                self.report_methods(instance, place.as_ref(), true, false);
            }
        }
        let mut generic = Vec::new();
        let mut instance = 0;
        while instance < self.records.len() {
            if !reported.instances.contains(&instance) {
                generic.extend(self.report_class(instance, open, true, &mut reported));
            }
            instance += 1;
        }
        for (instance, place) in generic {
            self.report_methods(instance, place.as_ref(), true, true);
        }
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
        reported.instances.insert(instance);
        let found = self.records.get(instance)?;
        let declaration = found.declaration;
        // A member of an instance of a template is another class in each of them.
        let place = self.name_of_instance(instance);
        let is_template = place.is_some();
        let in_focus = self.is_record_in_focus(declaration);
        let quota = self.focus.quota(self.record_name_span(declaration));
        // What is in other files counts for the calls that its methods make; what is no
        // template is the same for everyone.
        let is_reported = in_focus && (is_template || open);
        let matters = is_reported || !open && (!in_focus || self.focus.only().is_none());
        let count = reported.counts.entry(declaration).or_default();
        *count += 1;
        if !matters || *count > quota {
            return None;
        }
        if !in_focus && self.is_record_of_library(declaration) {
            // What a kernel does with a collective of another header of its library.
            if self.library_leads_to_focus(instance) {
                self.report_methods(instance, place.as_ref(), false, uncertain);
            }
            return None;
        }
        if !in_focus && !self.class_leads_to_focus(instance, declaration) {
            return None;
        }
        if is_reported && let Some(name) = self.record_name_span(declaration) {
            self.output.instantiated.insert(name);
        }
        if is_template {
            self.report_members(instance, place.as_ref(), uncertain);
        }
        self.report_methods(instance, place.as_ref(), false, uncertain);
        Some((instance, place))
    }

    /// What an instance of a template, or of a class inside one, is called; `None` for a class that is the same for
    /// everyone.
    fn name_of_instance(&self, instance: usize) -> Option<Arc<str>> {
        let found = self.records.get(instance)?;
        let around = found.outer.and_then(|outer| self.name_of_instance(outer));
        if let Some(around) = around {
            return Some(format!("{around}::{}", found.name).into());
        }
        let record = self.record(found.declaration)?;
        (!record.tparams.is_empty()).then(|| Arc::clone(&found.name))
    }

    fn record_name_span(&self, id: RecordId) -> Option<Span> {
        Some(self.record(id)?.name.as_ref()?.span)
    }

    pub(super) fn is_record_in_focus(&self, id: RecordId) -> bool {
        match self.record(id) {
            Some(record) => match (&record.name, record.members.as_deref()) {
                (Some(name), _) => self.is_in_focus(name.span),
                (None, Some([first, ..])) => self.is_in_focus(first.span),
                _ => false,
            },
            None => false,
        }
    }

    fn is_record_instantiated(&self, id: RecordId) -> bool {
        self.record_name_span(id)
            .is_some_and(|span| self.output.instantiated.contains(&span))
    }

    fn is_record_of_library(&self, id: RecordId) -> bool {
        self.record_name_span(id)
            .and_then(|span| self.program.file_of(span))
            .is_some_and(crate::sources::SourceFile::is_library)
    }

    fn report_members(&mut self, instance: usize, place: Option<&Arc<str>>, uncertain: bool) {
        let mut frame = self.record_frame(instance);
        frame.recording = true;
        frame.uncertain = uncertain;
        if let Some(place) = place {
            frame.instance = Some(Arc::clone(place));
            frame.function = self
                .records
                .get(instance)
                .and_then(|found| self.record(found.declaration))
                .map(|record| name_of(record).into());
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
