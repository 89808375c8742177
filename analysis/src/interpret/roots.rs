//! Roots of the evaluation.

use tree_sitter_cute::tree::{Instantiation, Item, Span};

use super::ids::{FunctionId, ModuleId, RecordId};
use super::islands::Islands;
use super::program::Program;
use crate::sequence::Sequence;
use crate::sources::SourceFile;

/// Roots of the evaluation: the declarations of the file, or of one island of it.
#[derive(Debug, Default)]
pub(super) struct Roots<'u> {
    pub(super) globals: Vec<(ModuleId, &'u Item)>,
    pub(super) instantiations: Vec<(ModuleId, &'u Instantiation, Span)>,
    pub(super) functions: Vec<FunctionId>,
    pub(super) records: Vec<RecordId>,
    /// Functions that may call them.
    pub(super) callers: Vec<FunctionId>,
}

impl<'u> Roots<'u> {
    /// Everything in the focus, and the instances of the translation unit.
    pub(super) fn of_file(program: &Program<'u>, focus: &SourceFile) -> Self {
        let in_focus = |id: &FunctionId| {
            let found = program.functions.get(*id);
            found
                .and_then(|found| program.file_of(found.function.name.span))
                .is_some_and(|file| std::ptr::eq(file, focus))
        };
        let functions = 0..program.functions.len();
        Self {
            globals: program
                .globals
                .iter()
                .filter(|(_, item)| focus.contains(item.span))
                .copied()
                .collect(),
            instantiations: program.instantiations.clone(),
            functions: functions.clone().filter(in_focus).collect(),
            records: (0..program.records.len()).collect(),
            callers: functions.collect(),
        }
    }

    /// Puts all into another order than that of the source.
    pub(super) fn put_in(&mut self, order: Sequence) {
        order.put(&mut self.globals);
        order.put(&mut self.instantiations);
        order.put(&mut self.functions);
        order.put(&mut self.records);
    }

    /// The same for each island; `None` where something is in no island.
    pub(super) fn of_islands(
        program: &Program<'u>,
        focus: &SourceFile,
        islands: &Islands,
    ) -> Option<Vec<Self>> {
        let mut roots: Vec<Self> = Vec::new();
        roots.resize_with(islands.all.len(), Self::default);
        let whole = Self::of_file(program, focus);
        for (module, item) in whole.globals {
            let island = islands.of_place(item.span)?;
            roots.get_mut(island)?.globals.push((module, item));
        }
        for (module, instantiation, span) in whole.instantiations {
            // No other file mentions anything of this one.
            if focus.contains(span) {
                let island = islands.of_place(span)?;
                let own = roots.get_mut(island)?;
                own.instantiations.push((module, instantiation, span));
            }
        }
        for id in whole.functions {
            let found = program.functions.get(id)?;
            let own = roots.get_mut(islands.of_place(found.function.name.span)?)?;
            own.functions.push(id);
            own.callers.push(id);
        }
        for id in whole.records {
            let record = program.records.get(id)?.record;
            let first = record.members.as_deref().and_then(<[_]>::first);
            let place = record.name.as_ref().map(|name| name.span);
            let Some(place) = place.or(first.map(|item| item.span)) else {
                continue;
            };
            if focus.contains(place) {
                roots.get_mut(islands.of_place(place)?)?.records.push(id);
            }
        }
        Some(roots)
    }
}
