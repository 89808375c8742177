//! Headers of a library that are included, but of which no name was needed yet. Most of a library is never needed: it
//! is parsed, and its declarations are added, when a name is looked up that it may declare.

use std::sync::Arc;

use tree_sitter_cute::tree::{Condition, Expr, ExprKind, Item, ItemKind, Path, Segment};

use super::Interpreter;
use super::frame::Frame;
use super::ids::ModuleId;
use super::launchers::is_launcher;
use super::libraries::is_library;
use super::program::Program;
use super::unread_headers::IncludeSite;
use crate::sources::{Included, SourceFile};
use crate::vocabulary;
use crate::walk;
use crate::words::{Word, word_of};

impl<'u> Program<'u> {
    /// Leaves a header of a library unread, with all that it includes; `false` where it has to be read now: because
    /// its surface does not show all that it declares.
    pub(super) fn leave_unread(&mut self, file: &'u SourceFile, module: ModuleId) -> bool {
        let Some(environment) = self.environment else {
            return false;
        };
        if !file.is_library() || !file.surface().is_whole() {
            return false;
        }
        self.reading.files.insert(file.base(), file);
        self.reading.bytes += file.text().len();
        self.reading.depth += 1;
        let mut behind = Vec::new();
        for (include, within) in file.surface().includes_by_branch() {
            // A missing file is reported once the header itself is read.
            match environment.sources.include(file, include) {
                Included::File(found) if within => behind.push(found),
                Included::File(_) => self.add_included_from(file, include, module),
                _ => {}
            }
        }
        self.reading.depth -= 1;
        let index = self.unread.files.len();
        for name in file.surface().macros() {
            self.unread.macros.entry(*name).or_default().push(index);
        }
        let time = self.preprocessed.macros.tick();
        self.unread
            .files
            .push(Some((file, IncludeSite { module, time })));
        self.leave_behind(behind, index);
        // Names looked up before are looked up in this one, too, and in those behind it.
        let behind = self.unread.behind.iter();
        let behind = behind.filter(|(_, header)| *header == index);
        let mut files = behind.map(|(file, _)| &**file).chain(std::iter::once(file));
        let asked = &self.unread.asked;
        if files.any(|file| asked.iter().any(|name| file.surface().may_declare(*name))) {
            self.read(index);
        }
        true
    }

    /// Keeps the headers that a header includes in branches, with those behind them.
    fn leave_behind(&mut self, mut files: Vec<Arc<SourceFile>>, header: usize) {
        let Some(environment) = self.environment else {
            return;
        };
        let first = self.unread.behind.len();
        while let Some(file) = files.pop() {
            let mut known = self.unread.behind.iter().skip(first);
            let is_known = known.any(|(known, _)| Arc::ptr_eq(known, &file));
            if is_known || self.reading.files.contains_key(&file.base()) {
                continue;
            }
            for include in file.surface().includes() {
                if let Included::File(found) = environment.sources.include(&file, include) {
                    files.push(found);
                }
            }
            for name in file.surface().macros() {
                self.unread.macros.entry(*name).or_default().push(header);
            }
            self.unread.behind.push((file, header));
        }
    }

    /// The headers that wait to be read and may declare a name in their branches.
    fn in_front_of(&self, name: Word) -> Vec<usize> {
        let waits = |header: usize| matches!(self.unread.files.get(header), Some(Some(_)));
        let behind = self.unread.behind.iter();
        behind
            .filter(|(file, header)| waits(*header) && file.surface().may_declare(name))
            .map(|(_, header)| *header)
            .collect()
    }

    /// Reads the headers that include files whose facts are kept in the branches of `#if`s: it has to be known
    /// whether they do.
    pub(super) fn read_in_front_of(&mut self, is_wanted: &dyn Fn(&SourceFile) -> bool) {
        loop {
            // A header that is read may include others.
            let behind = self.unread.behind.iter();
            let in_front: Vec<usize> = behind
                .filter(|(file, _)| {
                    is_wanted(file) && !self.reading.files.contains_key(&file.base())
                })
                .map(|(_, header)| *header)
                .collect();
            let read = in_front.into_iter().filter(|header| self.read(*header));
            if read.count() == 0 {
                return;
            }
        }
    }

    /// Adds the declarations of a header, if that was not done.
    fn read(&mut self, index: usize) -> bool {
        let Some((file, place)) = self.unread.files.get_mut(index).and_then(Option::take) else {
            return false;
        };
        for name in file.surface().conditions() {
            self.read_macro_before(*name, index);
        }
        self.reading.depth += 1;
        let outer = self.preprocessed.macros.go_back_to(Some(place.time));
        self.add_all(&file.unit().items, place.module);
        self.preprocessed.macros.go_back_to(outer);
        self.reading.depth -= 1;
        self.left_alone.borrow_mut().clear();
        true
    }

    /// Whether a header waits to be read.
    pub(super) fn has_unread(&self) -> bool {
        !self.unread.files.is_empty()
    }

    /// Whether the headers that may declare a name were read.
    fn was_asked_for(&self, name: &str) -> bool {
        self.unread.asked.contains(&word_of_name(name))
    }

    /// Reads the headers that may declare a name; whether there were any.
    pub(super) fn read_declarations_of(&mut self, name: &str) -> bool {
        let word = word_of_name(name);
        if self.unread.files.is_empty() || !self.unread.asked.insert(word) {
            return false;
        }
        let mut found = false;
        for header in self.in_front_of(word) {
            found |= self.read(header);
        }
        for index in 0..self.unread.files.len() {
            let waits = self.unread.files.get(index).copied().flatten();
            if waits.is_some_and(|(file, _)| file.surface().may_declare(word)) {
                found |= self.read(index);
            }
        }
        found
    }

    /// Reads the headers that define a macro; whether there were any.
    pub(super) fn read_macro(&mut self, name: &str) -> bool {
        !self.unread.macros.is_empty()
            && self.read_macro_before(word_of(name.as_bytes()), usize::MAX)
    }

    /// Reads the headers before the header of an index.
    fn read_macro_before(&mut self, word: Word, end: usize) -> bool {
        let mut found = false;
        let mut later = Vec::new();
        // A header that is read may include others.
        while let Some(indices) = self.unread.macros.remove(&word) {
            for index in indices {
                if index < end {
                    found |= self.read(index);
                } else {
                    later.push(index);
                }
            }
        }
        if !later.is_empty() {
            let known = self.unread.macros.entry(word).or_default();
            known.extend(later);
        }
        found
    }

    /// Reads the headers that define the macros of the `#if`s in an item.
    pub(super) fn read_macros_of(&mut self, item: &'u Item) {
        // Those of a library's header were read when it was read.
        let is_of_library = || {
            let file = self.file_of(item.span);
            file.is_some_and(SourceFile::is_library)
        };
        if self.unread.macros.is_empty() || is_of_library() {
            return;
        }
        let mut asked: Vec<&'u str> = Vec::new();
        match &item.kind {
            ItemKind::Conditional(conditional) => {
                for branch in &conditional.branches {
                    add_macros(&branch.condition, &mut asked);
                }
            }
            ItemKind::Function(_) | ItemKind::Record(_) => {
                walk::items(std::slice::from_ref(item), &mut |inner| {
                    if let ItemKind::Conditional(conditional) = &inner.kind {
                        for branch in &conditional.branches {
                            add_macros(&branch.condition, &mut asked);
                        }
                    }
                });
            }
            _ => {}
        }
        for name in asked {
            self.read_macro(name);
        }
    }
}

/// The word under which a name is found in the surface of a header.
fn word_of_name(name: &str) -> Word {
    // `operator+` is a word and punctuation.
    let is_operator = name
        .strip_prefix("operator")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    word_of(if is_operator { "operator" } else { name }.as_bytes())
}

/// Adds the macros that a condition asks for.
fn add_macros<'u>(condition: &'u Condition, asked: &mut Vec<&'u str>) {
    match condition {
        Condition::Defined(name) | Condition::NotDefined(name) => asked.push(&name.name),
        Condition::If(expr) => walk::subexpressions(expr, &mut |part: &'u Expr| {
            asked.extend(part.as_plain_name());
        }),
        Condition::Else => {}
    }
}

impl<'u> Interpreter<'u> {
    /// Reads the headers of libraries that may declare the functions that statements call by plain names.
    pub(super) fn read_functions_called_in(&mut self, items: &'u [Item]) {
        if !self.program.has_unread() {
            return;
        }
        let mut called: Vec<&'u str> = Vec::new();
        walk::expressions(items, &mut |expr| {
            if let ExprKind::Call(callee, args) = &expr.kind
                && args.iter().any(|arg| arg.as_plain_name().is_some())
                && let Some(segment) = callee.as_path().and_then(Path::last)
            {
                called.push(&segment.name.name);
            }
        });
        for name in called {
            self.read_declarations_of(name, None);
        }
    }

    /// Reads headers that may declare the names of a path, up to the first that is a type.
    pub(super) fn read_declarations_of_path(
        &mut self,
        segments: &'u [Segment],
        global: bool,
        frame: &mut Frame<'u>,
    ) {
        if !self.program.has_unread() {
            return;
        }
        for (index, segment) in segments.iter().enumerate() {
            let name = segment.name.name.as_str();
            if index == 0 && !global && frame.find(name).is_some() {
                return;
            }
            if is_library(segment) {
                continue;
            }
            self.read_declarations_of(name, segment.args.as_ref().map(Vec::len));
            let is_declared = |module: &ModuleId| {
                let module = self.program.module(*module);
                module.is_some_and(|module| module.declared(name).is_some())
            };
            if segment.args.is_some()
                || index == 0 && self.visible_modules(frame).iter().any(is_declared)
            {
                return;
            }
        }
    }

    /// Reads the headers of libraries that may declare a name, before it is looked up; `arguments` is how many template
    /// arguments it has. The vocabulary's meaning of a name holds whatever a library declares.
    pub(super) fn read_declarations_of(&mut self, name: &str, arguments: Option<usize>) {
        let is_said = || {
            (vocabulary::knows(name, arguments) || is_launcher(name))
                && !vocabulary::is_class_of_collectives(name)
                && !vocabulary::is_collective_template(name)
        };
        if self.program.has_unread() && !self.program.was_asked_for(name) && !is_said() {
            self.read_headers_with(name);
        }
    }

    /// Reads the headers of libraries that may declare a name, also one that the vocabulary knows.
    pub(super) fn read_headers_with(&mut self, name: &str) {
        if self.program.read_declarations_of(name) {
            self.lookups.forget();
        }
    }
}
