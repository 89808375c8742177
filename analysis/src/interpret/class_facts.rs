//! What is reported of classes: their members for each instance, and their methods.

use std::collections::HashMap;
use std::sync::Arc;

use tree_sitter_cute::tree::{ItemKind, Record, Span};

use super::Interpreter;
use super::declarations::role_of;
use super::program::{ModuleId, RecordId};
use super::records::{MemberKind, name_of};
use crate::fact::Role;
use crate::limits;
use crate::types::Type;

impl<'u> Interpreter<'u> {
    /// Keeps facts about the constants and aliases of a class that is no template.
    pub(super) fn report_record(&mut self, record: &'u Record, module: ModuleId) {
        if !record.tparams.is_empty() || record.special_args.is_some() {
            return;
        }
        let id = self.program.record_id(record, module);
        let Ok(Type::Record(ty)) = self.instantiate(id, &[], Self::no_scopes(), None) else {
            return;
        };
        self.report_members(ty.instance, None);
    }

    /// Keeps facts about the members of class templates, for each instance that was made, and about
    /// the methods of all classes. Those of `own`, of the file itself, that nothing instantiates are
    /// evaluated too, with their parameters open.
    pub(super) fn report_classes(&mut self, own: Option<&[RecordId]>) {
        let open = own.is_some();
        for &id in own.unwrap_or_default() {
            let made = self.records.iter().any(|found| found.declaration == id);
            let has_body = self
                .record(id)
                .is_some_and(|record| record.members.is_some());
            if !made && has_body && self.is_record_in_focus(id) && !self.is_record_instantiated(id)
            {
                let _ = self.instantiate(id, &[], Self::no_scopes(), None);
            }
        }
        let mut reported: HashMap<RecordId, usize> = HashMap::new();
        let mut generic: Vec<(usize, Option<Arc<str>>)> = Vec::new();
        let mut instance = 0;
        while let Some(found) = self.records.get(instance) {
            let (declaration, name) = (found.declaration, Arc::clone(&found.name));
            instance += 1;
            let is_template = self
                .record(declaration)
                .is_some_and(|record| !record.tparams.is_empty());
            let in_focus = self.is_record_in_focus(declaration);
            // What is in other files counts for the calls that its methods make; what is no
            // template is the same for everyone.
            let matters = if in_focus { is_template || open } else { !open };
            let count = reported.entry(declaration).or_default();
            *count += 1;
            if !matters
                || *count > self.quota
                || !in_focus && self.is_record_of_library(declaration)
            {
                continue;
            }
            if in_focus && let Some(name) = self.record_name_span(declaration) {
                let total = self.output.instantiated.entry(name).or_default();
                if *total >= limits::INSTANCES_IN_A_HEADER {
                    continue;
                }
                *total += 1;
            }
            let place = is_template.then_some(name);
            if is_template {
                self.report_members(instance - 1, place.as_ref());
            }
            self.report_methods(instance - 1, place.as_ref(), false);
            generic.push((instance - 1, place));
        }
        for (instance, place) in generic {
            self.report_methods(instance, place.as_ref(), true);
        }
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
            .is_some_and(|span| self.output.instantiated.contains_key(&span))
    }

    fn is_record_of_library(&self, id: RecordId) -> bool {
        self.record_name_span(id)
            .and_then(|span| self.program.file_of(span))
            .is_some_and(crate::sources::SourceFile::is_library)
    }

    fn report_members(&mut self, instance: usize, place: Option<&Arc<str>>) {
        let mut frame = self.record_frame(instance);
        frame.recording = true;
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
                self.output.initialisers.insert(name.span, init.span);
                self.written.insert(name.span, init);
            }
            self.declare_fact(name, role_of(binding), binding.span, &value, &frame);
        }
    }
}
