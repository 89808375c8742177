//! The modules (namespaces) whose names are visible at a place.

use std::rc::Rc;

use tree_sitter_cute::tree::{Segment, Span};

use super::Interpreter;
use super::frame::Frame;
use super::ids::{FunctionId, ModuleId};
use super::names::Meaning;
use super::program::{Declared, UsingName};
use crate::types::Type;
use crate::value::Value;

impl<'u> Interpreter<'u> {
    /// The modules that are opened only behind a place.
    pub(super) fn opened_later(&self, used: Span, frame: &Frame<'u>) -> Vec<ModuleId> {
        let (mut later, mut early) = (Vec::new(), Vec::new());
        for id in self.modules_around(frame.owner.module) {
            let Some(module) = self.program.module(id) else {
                continue;
            };
            for (path, at) in module.opened.iter().zip(&module.opened_at) {
                if self.is_behind(*at, used) {
                    later.extend(self.module_of_path(id, path));
                } else if !later.is_empty() || module.opened.len() > 1 {
                    early.extend(self.module_of_path(id, path));
                }
            }
        }
        let of_function = frame.opened.iter();
        early.extend(of_function.filter_map(|path| self.module_of_path(frame.owner.module, path)));
        let around = self.modules_around(frame.owner.module);
        later.retain(|id| !early.contains(id) && !around.contains(id));
        later
    }

    /// Whether a place is behind another one of the same file.
    pub(super) fn is_behind(&self, span: Span, other: Span) -> bool {
        let files = (self.program.file_of(span), self.program.file_of(other));
        span.start > other.start && matches!(files, (Some(a), Some(b)) if std::ptr::eq(a, b))
    }

    /// Functions without those that are declared behind where their name is used. Beside a declaration without a body
    /// all stay: one may be its definition.
    pub(super) fn declared_before(&self, mut ids: Vec<FunctionId>, used: Span) -> Vec<FunctionId> {
        let found = |id: &FunctionId| self.program.functions.get(*id).map(|it| it.function);
        let is_later = |id: &FunctionId| {
            found(id).is_some_and(|function| self.is_behind(function.name.span, used))
        };
        let is_defined = |id: &FunctionId| found(id).is_some_and(|it| it.body.is_some());
        if ids.iter().any(is_later) && ids.iter().all(is_defined) && !ids.iter().all(is_later) {
            ids.retain(|id| !is_later(id));
        }
        ids
    }

    /// Whether a module declares a name in this file, and only behind where it is used ([basic.scope.pdecl]).
    pub(super) fn is_declared_later(&self, module: ModuleId, segment: &Segment) -> bool {
        let name = segment.name.name.as_str();
        let declared = self
            .program
            .module(module)
            .and_then(|module| module.declared(name));
        let is_later = |span: Span| self.is_behind(span, segment.name.span);
        match declared {
            None => false,
            Some(Declared::At(span)) => span.is_some_and(is_later),
            Some(Declared::Records(ids)) => ids.iter().all(|id| {
                let record = self.record(*id).and_then(|record| record.name.as_ref());
                record.is_some_and(|name| is_later(name.span))
            }),
            Some(Declared::Functions(ids)) => ids.iter().all(|id| {
                let found = self.program.functions.get(*id);
                found.is_some_and(|found| is_later(found.function.name.span))
            }),
        }
    }

    /// The functions of a name that are visible beside those of a module: a function of a namespace opened with
    /// `using namespace` counts as declared in a namespace around it (C++ [namespace.udir]), where `others` are looked
    /// at next.
    pub(super) fn with_opened(
        &mut self,
        mut ids: Vec<FunctionId>,
        others: &[ModuleId],
        segment: &'u Segment,
        frame: &mut Frame<'u>,
    ) -> Vec<FunctionId> {
        let around = self.modules_around(frame.owner.module);
        let name = segment.name.name.as_str();
        for &other in others.iter().take_while(|other| !around.contains(other)) {
            if let Some(Meaning::Functions(more)) =
                self.meaning_of_declared(other, name, segment, frame)
            {
                let more = self.declared_before(more, segment.name.span);
                ids.extend(
                    more.iter()
                        .filter(|id| !ids.contains(id))
                        .copied()
                        .collect::<Vec<_>>(),
                );
            }
        }
        ids
    }

    /// Functions of a name that are declared beside the classes of arguments (C++ [basic.lookup.argdep]).
    pub(super) fn with_those_beside_classes(
        &self,
        mut ids: Vec<FunctionId>,
        name: &str,
        values: &[Value],
    ) -> Vec<FunctionId> {
        for value in values {
            let Type::Record(class) = Type::of(value) else {
                continue;
            };
            let module = self.program.module(self.module_of_record(class.instance));
            let beside = module.and_then(|module| module.functions.get(name));
            for id in beside.into_iter().flatten() {
                if !ids.contains(id) {
                    ids.push(*id);
                }
            }
        }
        ids
    }

    /// The modules whose names are visible, innermost first.
    pub(super) fn visible_modules(&self, frame: &Frame<'u>) -> Rc<[ModuleId]> {
        if !frame.opened.is_empty() {
            return self.modules_visible_in(frame).into();
        }
        self.lookups
            .visible_in(frame.owner.module, || self.modules_visible_in(frame).into())
    }

    pub(super) fn modules_visible_in(&self, frame: &Frame<'u>) -> Vec<ModuleId> {
        let around = self.modules_around(frame.owner.module);
        // An opened module counts as declared in the innermost namespace around both it and the directive
        // ([namespace.udir]).
        let mut opened: Vec<(ModuleId, ModuleId)> = Vec::new();
        for path in &frame.opened {
            opened.extend(self.opened_from(frame.owner.module, path));
        }
        for &id in &around {
            let module = self.program.module(id);
            for path in module.iter().flat_map(|module| &module.opened) {
                opened.extend(self.opened_from(id, path));
            }
        }
        // A namespace that an opened namespace opens is visible, too.
        let mut next = 0;
        while let Some((id, _)) = opened.get(next).copied() {
            next += 1;
            let module = self.program.module(id);
            for path in module.iter().flat_map(|module| &module.opened) {
                let found = self.opened_from(id, path);
                opened.extend(found.filter(|(found, _)| opened.iter().all(|(it, _)| it != found)));
            }
        }
        let mut modules = Vec::new();
        for &level in &around {
            self.add_with_inline(level, &mut modules);
            for (id, _) in opened.iter().filter(|(_, at)| *at == level) {
                self.add_with_inline(*id, &mut modules);
            }
        }
        for (id, _) in opened {
            self.add_with_inline(id, &mut modules);
        }
        modules
    }

    /// A module and those around it, innermost first.
    pub(super) fn modules_around(&self, module: ModuleId) -> Vec<ModuleId> {
        let mut around = Vec::new();
        let mut next = Some(module);
        while let Some(id) = next {
            around.push(id);
            next = self.program.module(id).and_then(|module| module.parent);
        }
        around
    }

    /// The module that a directive of a module opens, and the one in which its names count as declared.
    pub(super) fn opened_from(
        &self,
        from: ModuleId,
        path: &[&str],
    ) -> Option<(ModuleId, ModuleId)> {
        let found = self.module_of_path(from, path)?;
        let around = self.modules_around(found);
        let mut of_both = self.modules_around(from).into_iter();
        let level = of_both.find(|id| around.contains(id)).unwrap_or(0);
        Some((found, level))
    }

    pub(super) fn add_with_inline(&self, id: ModuleId, modules: &mut Vec<ModuleId>) {
        if modules.contains(&id) {
            return;
        }
        modules.push(id);
        if let Some(module) = self.program.module(id) {
            for inner in &module.inline {
                self.add_with_inline(*inner, modules);
            }
        }
    }

    /// The module that a path names, seen from a module.
    pub(super) fn module_of_path(&self, from: ModuleId, path: &[&str]) -> Option<ModuleId> {
        let (first, rest) = path.split_first()?;
        let mut next = Some(from);
        while let Some(id) = next {
            if let Some(found) = self.child_module(id, first) {
                return rest
                    .iter()
                    .try_fold(found, |module, name| self.child_module(module, name));
            }
            next = self.program.module(id)?.parent;
        }
        None
    }

    pub(super) fn child_module(&self, module: ModuleId, name: &str) -> Option<ModuleId> {
        let found = self.program.module(module)?;
        if let Some(child) = found.children.get(name) {
            return Some(*child);
        }
        found
            .inline
            .iter()
            .find_map(|inner| self.child_module(*inner, name))
    }

    pub(super) fn visible_module(&self, name: &str, frame: &Frame<'u>) -> Option<ModuleId> {
        let renamed = frame.scopes.iter().rev().find_map(|it| it.renamed(name));
        if let Some(path) = renamed {
            return self.module_of_path(frame.owner.module, path);
        }
        let mut next = Some(frame.owner.module);
        while let Some(id) = next {
            if let Some(found) = self.child_module(id, name) {
                return Some(found);
            }
            let module = self.program.module(id)?;
            if let Some(path) = module.aliases.get(name) {
                return self.module_of_path(id, path);
            }
            // `using a::Tag;` of an enum.
            if let Some(found) = self.used_module(id, name) {
                return Some(found);
            }
            next = module.parent;
        }
        // `using namespace a;` shows the namespaces and enums of `a`.
        let visible = self.visible_modules(frame);
        visible.iter().find_map(|id| {
            self.child_module(*id, name)
                .or_else(|| self.used_module(*id, name))
        })
    }

    /// The module that a `using` declaration of a module names.
    pub(super) fn used_module(&self, module: ModuleId, name: &str) -> Option<ModuleId> {
        let path = self.program.module(module)?.used_path(name)?;
        self.module_of_path(module, path)
    }

    /// The meaning of the using-declarations of a name in a module, which is that of their qualified names: the last one's, or
    /// the functions of all. Nothing where there are none, or none before the use.
    #[allow(
        clippy::option_option,
        reason = "a declaration of an unknown name hides others"
    )]
    pub(super) fn meaning_of_used(
        &mut self,
        id: ModuleId,
        segment: &'u Segment,
        only_early: bool,
        frame: &mut Frame<'u>,
        seen: &mut Vec<ModuleId>,
    ) -> Option<Option<Meaning<'u>>> {
        let name = segment.name.name.as_str();
        let used = self.program.module(id)?.used_names.get(name)?;
        let is_seen =
            |used: &&UsingName<'u>| !only_early || !self.is_behind(used.at, segment.name.span);
        let paths: Vec<Vec<&'u str>> = used
            .iter()
            .filter(is_seen)
            .map(|used| used.path.clone())
            .collect();
        let mut found = None;
        for path in paths.iter().rev() {
            let (last, scopes) = path.split_last()?;
            let target = self
                .module_of_path(id, scopes)
                .filter(|target| *target != id || *last != name);
            let meaning = target
                .and_then(|target| self.meaning_in_modules(target, segment, false, frame, seen));
            found = Some(match (found.flatten(), meaning) {
                (Some(Meaning::Functions(mut ids)), Some(Meaning::Functions(more))) => {
                    ids.extend(more);
                    Some(Meaning::Functions(ids))
                }
                (Some(found), _) => Some(found),
                (None, meaning) => meaning,
            });
        }
        found
    }
}
