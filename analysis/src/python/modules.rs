//! Modules: their sources, and the values of their names.

use std::path::Path;
use std::sync::Arc;

use tree_sitter_cute::script::{Alias, Name, Script, Stmt, StmtKind};

use tree_sitter_cute::tree::Span;

use super::heap::{Id, Module, Object};
use super::machine::{File, Frame, Machine, Run, Stop};
use super::native::Args;
use super::value::Py;
use super::world::{is_package, script_of};
use super::{builtins, dsl, files, library, own_texts};
use crate::reason::Reason;
use crate::sources::SourceFile;

/// The part of the steps that a package around the analysed file leaves to the file.
const FOR_THE_FILE: usize = 2;

impl Machine<'_> {
    /// Makes the module of the file that is analysed; it is run when it is imported, or as a program.
    pub(crate) fn declare_focus(&mut self, name: &str) {
        let script = script_of(self.focus, self.sources);
        let (module, scope) = self.add_file(name, script, None, true);
        self.bind_path(scope, self.focus.path());
        self.bind_in(scope, "__name__".into(), Py::str("__main__"));
        self.loaded.focus_module = Some((module, scope));
    }

    /// Runs the file that is analysed, after the packages around it as if it were imported; its names.
    pub(crate) fn run_focus(&mut self, name: &str) -> Run<Option<Id>> {
        let declared = self.loaded.focus_module;
        // A script that writes files needs no more of its package than it imports.
        let packages = name.match_indices('.').filter(|_| self.writes.is_none());
        let packages: Vec<usize> = packages.map(|(at, _)| at).collect();
        for at in packages {
            // A package may be as large as it likes: the file itself has the rest of the steps.
            let kept = self.budget.steps / FOR_THE_FILE;
            self.budget.steps -= kept;
            let ran = self.module(&name[..at]);
            self.budget.steps += kept;
            if self.budget.is_over() {
                ran?;
            }
        }
        self.start_focus()?;
        Ok(declared.map(|(_, scope)| scope))
    }

    /// Runs the file that is analysed where nothing has imported it yet.
    fn start_focus(&mut self) -> Run<()> {
        if self.loaded.answers.is_some() {
            self.loaded.met_focus = true;
            return Ok(());
        }
        match self.loaded.focus_module.take() {
            Some((module, scope)) => self.run_file(module, scope, 0),
            None => Ok(()),
        }
    }

    /// Runs another file as a program; its names. A file that was imported already is not run again.
    pub(crate) fn run_program(&mut self, name: &str, source: &Arc<SourceFile>) -> Run<Option<Id>> {
        if self.file_of(source.path()).is_some() {
            return Ok(None);
        }
        self.step(source.text().len() / 64)?;
        let (module, scope) = self.add_file(name, source.script(), Some(Arc::clone(source)), false);
        self.bind_in(scope, "__name__".into(), Py::str("__main__"));
        self.run_file(module, scope, self.files.len() - 1)?;
        Ok(Some(scope))
    }

    /// Makes a module of a program that a script has made of a template; its names.
    pub(super) fn template(&mut self, program: &Arc<Script>) -> Id {
        self.files.push(File {
            module: "_template".into(),
            script: Arc::clone(program),
            source: None,
            is_focus: false,
        });
        self.new_scope(None, false)
    }

    /// Binds the path of a file, for a script that writes others beside it.
    fn bind_path(&mut self, scope: Id, path: &Path) {
        if self.writes.is_some() {
            let path = Py::str(&path.to_string_lossy());
            self.bind_in(scope, "__file__".into(), path);
        }
    }

    /// The place of a file among those that were run.
    pub(super) fn file_of(&self, path: &Path) -> Option<usize> {
        self.files.iter().position(|file| match &file.source {
            Some(source) => source.path() == path,
            None => file.is_focus && self.focus.path() == path,
        })
    }

    fn add_file(
        &mut self,
        name: &str,
        script: Arc<Script>,
        source: Option<Arc<SourceFile>>,
        is_focus: bool,
    ) -> (Id, Id) {
        self.files.push(File {
            module: name.into(),
            script,
            source,
            is_focus,
        });
        let (module, scope) = self.new_module(name, Some(self.files.len() - 1));
        self.bind_in(scope, "__name__".into(), Py::str(name));
        (module, scope)
    }

    fn run_file(&mut self, module: Id, scope: Id, file: usize) -> Run<()> {
        let Some(found) = self.files.get(file) else {
            return Ok(());
        };
        let script = Arc::clone(&found.script);
        let is_focus = found.is_focus;
        let mut frame = Frame::of(scope, file, "");
        if is_focus {
            let whole = self.record.activation(&"".into(), Span::default(), None);
            frame.activation = Some(whole);
        }
        let (result, _) = self.in_frame(frame, |machine| machine.block(&script.body));
        match result {
            Ok(_) => Ok(()),
            // Everything before the error is known.
            Err(stop @ Stop::Raised(..)) => {
                if is_focus {
                    self.note_ended(&"".into(), &script.body, &stop);
                }
                let Stop::Raised(_, reason) = stop else {
                    return Err(stop);
                };
                if let Some(Object::Module(module)) = self.heap.get_mut(module) {
                    module.failed = Some(reason);
                }
                Ok(())
            }
            Err(limit) => Err(limit),
        }
    }

    /// The module of a whole name, run if it was not yet.
    pub(crate) fn module(&mut self, dotted: &str) -> Run<Id> {
        let dotted = dsl::canonical(dotted);
        if let Some(known) = self.loaded.modules.get(dotted).copied() {
            if self
                .loaded
                .focus_module
                .is_some_and(|(focus, _)| focus == known)
            {
                self.start_focus()?;
            }
            return Ok(known);
        }
        // A package that imports the file is not run before it.
        if self.loaded.dependent.contains(dotted) {
            return Ok(self.heap.add(Object::Module(Module {
                name: dotted.into(),
                scope: None,
                file: None,
                failed: None,
            })));
        }
        let of_scripts = self.writes.as_ref().and_then(|_| files::prelude(dotted));
        let of_scripts = of_scripts.or_else(|| library::text(dotted));
        if let Some(prelude) = dsl::prelude(dotted).or(of_scripts)
            && (of_scripts.is_some() || !self.is_installed(dotted))
        {
            let script = own_texts::script_of(prelude);
            let (module, scope) = self.add_file(dotted, script, None, false);
            self.run_file(module, scope, self.files.len() - 1)?;
            return Ok(module);
        }
        if !builtins::has_module(dotted)
            && let Some(source) = self.source_of(dotted)
        {
            // Two names of one file: a test may reach it by another way.
            if source.path() == self.focus.path()
                && let Some(name) = self.files.first().map(|file| Arc::clone(&file.module))
                && let Some(known) = self.loaded.modules.get(&name).copied()
            {
                self.loaded.modules.insert(dotted.into(), known);
                self.start_focus()?;
                return Ok(known);
            }
            self.step(source.text().len() / 64)?;
            let script = source.script();
            let (module, scope) = self.add_file(dotted, script, Some(Arc::clone(&source)), false);
            self.bind_path(scope, source.path());
            self.run_file(module, scope, self.files.len() - 1)?;
            return Ok(module);
        }
        let module = self.heap.add(Object::Module(Module {
            name: dotted.into(),
            scope: None,
            file: None,
            failed: None,
        }));
        self.loaded.modules.insert(dotted.into(), module);
        Ok(module)
    }

    /// Whether a module that has a fallback of ours is installed, and can be read.
    fn is_installed(&self, dotted: &str) -> bool {
        self.source_of(dotted).is_some()
    }

    pub(super) fn source_of(&self, dotted: &str) -> Option<Arc<SourceFile>> {
        match dsl::is_read(dotted) {
            true => self.installed(dotted),
            false => None,
        }
    }

    /// The source of a module as an import finds it, whether its statements are run or not.
    pub(super) fn installed(&self, dotted: &str) -> Option<Arc<SourceFile>> {
        let running = self
            .frames
            .last()
            .and_then(|frame| self.files.get(frame.file));
        let from = running.and_then(|file| file.source.as_ref());
        let asking = from.map_or(self.focus, |from| from);
        let found = self.sources.module(self.focus, asking, dotted);
        if let Some(answers) = &self.loaded.answers {
            let answer = (from.cloned(), dotted.into(), found.clone());
            answers.borrow_mut().push(answer);
        }
        found
    }

    /// The member of a module, by name.
    pub(crate) fn module_attribute(
        &mut self,
        id: Id,
        module: &Module,
        name: &str,
    ) -> Run<Option<Py>> {
        if let Some(scope) = module.scope
            && let Object::Scope(scope) = self.heap.get(scope)
            && let Some(value) = scope.names.get(name)
        {
            return Ok(Some(value.clone()));
        }
        let of_ours =
            builtins::member(&module.name, name).or_else(|| dsl::member(&module.name, name));
        if let Some(value) = of_ours {
            return Ok(Some(value));
        }
        let dotted: Arc<str> = format!("{}.{name}", module.name).into();
        let known = self.loaded.modules.contains_key(&dotted)
            || builtins::has_module(&dotted)
            || dsl::is_native_module(&dotted)
            || (module.file.is_some() && self.source_of(&dotted).is_some());
        if known && self.loaded.modules.get(&dotted) != Some(&id) {
            return Ok(Some(Py::Object(self.module(&dotted)?)));
        }
        if let Some(scope) = module.scope
            && let Object::Scope(scope) = self.heap.get(scope)
            && let Some(getter) = scope.names.get("__getattr__")
            && name != "__getattr__"
        {
            let getter = getter.clone();
            let args = Args::of(vec![Py::str(name)], Span::default());
            return match self.call(&getter, args) {
                Ok(value) => Ok(Some(value)),
                Err(Stop::Raised(..)) => Ok(None),
                Err(limit) => Err(limit),
            };
        }
        Ok(None)
    }

    /// `import a.b as c`
    pub(super) fn import(&mut self, alias: &Alias) -> Run<()> {
        let names: Vec<&str> = alias.path.iter().map(|name| &*name.text).collect();
        let mut dotted = String::new();
        let mut first = None;
        let mut last = None;
        for name in &names {
            if !dotted.is_empty() {
                dotted.push('.');
            }
            dotted.push_str(name);
            let module = self.module(&dotted)?;
            if let Some(outer) = last {
                self.bind_submodule(outer, name, module);
            }
            first.get_or_insert(module);
            last = Some(module);
        }
        match (&alias.alias, first, last, names.first()) {
            (Some(alias), _, Some(last), _) => self.bind(&alias.text, Py::Object(last)),
            (None, Some(first), _, Some(name)) => {
                let name: Arc<str> = (*name).into();
                self.bind(&name, Py::Object(first));
            }
            _ => {}
        }
        Ok(())
    }

    fn bind_submodule(&mut self, outer: Id, name: &str, module: Id) {
        if let Object::Module(Module {
            scope: Some(scope), ..
        }) = self.heap.get(outer)
        {
            let scope = *scope;
            self.bind_in(scope, name.into(), Py::Object(module));
        }
    }

    /// `from a.b import c`
    pub(super) fn import_from(
        &mut self,
        level: usize,
        path: &[Name],
        names: Option<&[Alias]>,
    ) -> Run<()> {
        let path: Vec<&str> = path.iter().map(|name| &*name.text).collect();
        let dotted = self.absolute(level, &path.join("."));
        // The packages around it run first.
        let mut at = 0;
        while let Some(dot) = dotted[at..].find('.') {
            self.module(&dotted[..at + dot])?;
            at += dot + 1;
        }
        let id = self.module(&dotted)?;
        let Object::Module(module) = self.heap.get(id).clone() else {
            return Ok(());
        };
        let Some(names) = names else {
            self.import_all(&module, &dotted);
            return Ok(());
        };
        for alias in names {
            let Some(name) = alias.path.first() else {
                continue;
            };
            let value = match self.module_attribute(id, &module, &name.text)? {
                Some(value) => value,
                None => {
                    let inner = format!("{dotted}.{}", name.text);
                    // A module that is not run is known by name, and so are its members.
                    match self.installed(&inner) {
                        Some(_) => Py::Object(self.module(&inner)?),
                        None => Py::Unknown(missing(&module, &inner)),
                    }
                }
            };
            let bound = alias.alias.as_ref().unwrap_or(name);
            self.bind(&bound.text, value);
        }
        Ok(())
    }

    fn import_all(&mut self, module: &Module, dotted: &str) {
        if let Some(types) = dsl::types_of(dotted) {
            for (name, value) in types {
                self.bind(&name, value);
            }
            return;
        }
        let mut names: Vec<(Arc<str>, Py)> = match module.scope {
            Some(scope) => match self.heap.get(scope) {
                Object::Scope(scope) => scope.names.iter().cloned().collect(),
                _ => Vec::new(),
            },
            None => Vec::new(),
        };
        names.extend(dsl::members(&module.name));
        let listed = names.iter().find(|(name, _)| &**name == "__all__");
        let listed = match listed {
            Some((_, Py::Object(id))) => match self.heap.get(*id) {
                Object::List(items) => Some(items.clone()),
                _ => None,
            },
            Some((_, Py::Tuple(items))) => Some(items.to_vec()),
            _ => None,
        };
        for (name, value) in names {
            let is_taken = match &listed {
                Some(listed) => listed.contains(&Py::Str(Arc::clone(&name))),
                None => !name.starts_with('_'),
            };
            if is_taken {
                self.bind(&name, value);
            }
        }
    }

    /// Runs the modules that statements import which may be skipped: what a module declares does not depend on who
    /// imports it.
    pub(super) fn import_ahead(&mut self, stmts: &[Stmt]) -> Run<()> {
        let mut open = vec![stmts.iter()];
        while let Some(block) = open.last_mut() {
            let Some(stmt) = block.next() else {
                open.pop();
                continue;
            };
            match &stmt.kind {
                StmtKind::If(_, body, orelse) => open.extend([orelse.iter(), body.iter()]),
                kind => {
                    for name in self.modules_of(kind) {
                        for (dot, _) in name.match_indices('.') {
                            self.module(&name[..dot])?;
                        }
                        self.module(&name)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The modules that a statement imports, by whole names.
    pub(super) fn modules_of(&self, kind: &StmtKind) -> Vec<String> {
        let joined = |path: &[Name]| {
            let path: Vec<&str> = path.iter().map(|name| &*name.text).collect();
            path.join(".")
        };
        match kind {
            StmtKind::Import(aliases) => aliases.iter().map(|it| joined(&it.path)).collect(),
            StmtKind::ImportFrom {
                level,
                module,
                names,
            } => {
                let whole = self.absolute(*level, &joined(module));
                let names = names.iter().flatten();
                let inner = names.map(|alias| format!("{whole}.{}", joined(&alias.path)));
                let inner: Vec<String> = inner
                    .filter(|name| self.source_of(name).is_some())
                    .collect();
                [vec![whole], inner].concat()
            }
            _ => Vec::new(),
        }
    }

    /// The whole name of a module that is named from the file that is run.
    fn absolute(&self, level: usize, path: &str) -> String {
        if level == 0 {
            return path.to_owned();
        }
        let file = self
            .frames
            .last()
            .and_then(|frame| self.files.get(frame.file));
        let Some(file) = file else {
            return path.to_owned();
        };
        let own = file.source.as_deref().unwrap_or(self.focus);
        absolute_from(&file.module, is_package(own), level, path)
    }
}

/// The whole name of a module that is named in a module, with dots in front.
pub(super) fn absolute_from(module: &str, is_package: bool, level: usize, path: &str) -> String {
    if level == 0 {
        return path.to_owned();
    }
    let mut package: Vec<&str> = module.split('.').collect();
    for _ in 0..level - usize::from(is_package).min(level) {
        package.pop();
    }
    if !path.is_empty() {
        package.push(path);
    }
    package.join(".")
}

/// Why a module has no name of an import.
fn missing(module: &Module, dotted: &str) -> Reason {
    if let Some(reason) = &module.failed {
        return reason.clone();
    }
    match module.name.split('.').next() {
        Some("cutlass") => Reason::NotEvaluated(dotted.into()),
        _ => Reason::Undeclared(dotted.into()),
    }
}
