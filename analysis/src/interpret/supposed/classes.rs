//! Classes of the sources that are supposed as arguments: those that have the members which a template asks of a
//! parameter, and those that are called like it.

use std::collections::BTreeSet;

use tree_sitter_cute::tree::{Ident, ItemKind, Record};

use super::candidates::{Witnesses, words};
use super::{Around, Written};
use crate::interpret::Interpreter;
use crate::interpret::ids::{ModuleId, RecordId};

/// The shortest name by which a class is looked for: a shorter one is in too many others.
const SHORTEST: usize = 4;

/// Classes that are tried.
const MOST: usize = 3;

impl<'u> Interpreter<'u> {
    /// The classes that have some members, the ones that are called most like a parameter first.
    pub(super) fn classes_with(
        &mut self,
        members: &BTreeSet<&'u str>,
        name: &str,
        written: &Written<'u>,
        around: Around<'_>,
    ) -> Vec<String> {
        let wanted = words(name);
        let mut found: Vec<(usize, RecordId)> = Vec::new();
        for id in self.candidates(written, around.own) {
            let has_all = self
                .record(id)
                .is_some_and(|record| members.iter().all(|member| declares(record, member)));
            if has_all && let Some(called) = self.record(id).and_then(|it| it.name.as_ref()) {
                let called = words(&called.name);
                let alike = called.iter().filter(|word| wanted.contains(word)).count();
                found.push((alike, id));
            }
        }
        found.sort_by_key(|(alike, _)| std::cmp::Reverse(*alike));
        let mut texts = Vec::new();
        for (_, id) in found.into_iter().take(MOST) {
            texts.extend(self.instance_of(id, around));
        }
        texts
    }

    /// The classes that end as a parameter is called: `CausalMask` for `Mask_`.
    pub(super) fn classes_called(
        &mut self,
        name: &str,
        written: &Written<'u>,
        around: Around<'_>,
    ) -> Vec<String> {
        let wanted = name.trim_end_matches('_');
        if wanted.len() < SHORTEST {
            return Vec::new();
        }
        let candidates = self.candidates(written, around.own);
        let candidates = candidates.into_iter().filter(|id| {
            let called = self.record(*id).and_then(|record| record.name.as_ref());
            called.is_some_and(|called| called.name != wanted && called.name.ends_with(wanted))
        });
        let candidates: Vec<RecordId> = candidates.take(MOST).collect();
        let mut texts = Vec::new();
        for id in candidates {
            texts.extend(self.instance_of(id, around));
        }
        texts
    }

    /// The classes that a template may be given: those of other files, and of the group of declarations around it, as
    /// the facts of the group depend on nothing else.
    fn candidates(&self, written: &Written<'u>, own: &[RecordId]) -> Vec<RecordId> {
        let records = 0..self.program.records.len();
        let is_candidate = |id: &RecordId| {
            let Some(record) = self.record(*id) else {
                return false;
            };
            let is_whole = record.members.is_some() && record.special_args.is_none();
            let place = record.name.as_ref().map(|name| name.span);
            is_whole
                && place.is_some_and(|place| place != written.place)
                && (own.contains(id) || !self.is_record_in_focus(*id))
        };
        records.filter(is_candidate).collect()
    }

    /// The written form of an instance of a class, whose parameters are supposed, too.
    fn instance_of(&mut self, id: RecordId, around: Around<'_>) -> Option<String> {
        let written = self.written_template(super::Template::Class(id))?;
        let mut text = self.path_to(written.module)?;
        text.push_str(written.name);
        if written.tparams.is_empty() {
            return Some(text);
        }
        let around = Around {
            depth: around.depth.checked_sub(1)?,
            ..around
        };
        let witnesses = Witnesses::of(written.tparams, written.items);
        let choices = self.choices(&written, &witnesses, around);
        let arguments: Option<Vec<&str>> = choices
            .iter()
            .map(|choice| choice.texts.first().map(String::as_str))
            .collect();
        Some(format!("{text}<{}>", arguments?.join(", ")))
    }

    /// The namespaces around the declarations of a module, `a::b::`; `None` where one has no name.
    fn path_to(&self, module: ModuleId) -> Option<String> {
        let mut names = Vec::new();
        let mut at = module;
        while let Some(parent) = self.program.module(at)?.parent {
            let children = &self.program.module(parent)?.children;
            let (name, _) = children.iter().find(|(_, child)| **child == at)?;
            names.push(*name);
            at = parent;
        }
        let path = names.iter().rev().map(|name| format!("{name}::"));
        Some(path.collect())
    }
}

/// Whether a class itself declares a member; one with bases may have it from them.
fn declares(record: &Record, member: &str) -> bool {
    let is_called = |name: &Ident| name.name == member;
    let mut members = record.members.iter().flatten();
    members.any(|item| match &item.kind {
        ItemKind::Binding(binding) => binding.name.as_ref().is_some_and(is_called),
        ItemKind::Function(function) => is_called(&function.name),
        ItemKind::Record(inner) => inner.name.as_ref().is_some_and(is_called),
        ItemKind::Enum(inner) => inner.name.as_ref().is_some_and(is_called),
        _ => false,
    }) || !record.bases.is_empty()
}
