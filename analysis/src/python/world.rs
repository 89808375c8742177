//! Modules that do not depend on the file that is analysed: they are run before it, and their results are kept for its
//! next analysis.
//!
//! A kept heap is never changed: changes of an analysis to an object of it belong to the analysis.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tree_sitter_cute::script::{Script, StmtKind};
use tree_sitter_cute::tree::Span;

use super::dsl;
use super::heap::{Heap, Id};
use super::machine::{File, Machine, ModuleLookup, Parametrized};
use super::modules::absolute_from;
use super::numbers::Numbers;
use crate::hash::{HashMap, HashSet};
use crate::sources::{SourceFile, Sources};

/// Files whose modules are kept: those that a person edits at a time. The modules of a large package take 20 MB.
const WORLDS: usize = 4;
/// Modules that are looked through for who imports the file.
const MODULES: usize = 2_000;

/// Results of modules of Python, for the next analysis of the files that import them, and the files as they were read.
#[derive(Debug, Default)]
pub struct Worlds {
    worlds: Kept<World>,
    scripts: Kept<Script>,
}

/// Something of each of the files that were analysed last.
#[derive(Debug)]
struct Kept<T>(Mutex<Vec<(PathBuf, Arc<T>)>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Results of the modules around one file.
#[derive(Debug)]
pub(crate) struct World {
    wanted: Wanted,
    answers: Vec<ModuleLookup>,
    heap: Heap,
    modules: HashMap<Arc<str>, Id>,
    files: Vec<File>,
    ran: HashSet<Span>,
    parametrized: Vec<Parametrized>,
    numbers: Numbers,
    /// Steps that were left.
    steps: usize,
}

/// Inputs of the modules that are run, beside their texts.
#[derive(Debug, Clone, PartialEq)]
struct Wanted {
    /// The name of the file that is analysed.
    module: Arc<str>,
    /// Its imports.
    imports: Vec<Imported>,
    architecture: &'static str,
}

impl<T> Kept<T> {
    fn get(&self, path: &Path) -> Option<Arc<T>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().find(|(known, _)| known == path);
        found.map(|(_, it)| Arc::clone(it))
    }

    fn put(&self, path: &Path, it: Arc<T>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| known != path);
        if all.len() >= WORLDS {
            all.remove(0);
        }
        all.push((path.to_owned(), it));
    }
}

/// The file that is analysed, read with what it shares with its version of the last analysis.
pub(super) fn script_of(focus: &SourceFile, sources: &dyn Sources) -> Arc<Script> {
    let Some(worlds) = worlds(sources) else {
        return focus.script();
    };
    let before = worlds.scripts.get(focus.path()).unwrap_or_default();
    let script = focus.script_after(&before);
    worlds.scripts.put(focus.path(), Arc::clone(&script));
    script
}

fn worlds(sources: &dyn Sources) -> Option<&Worlds> {
    sources.worlds()?.downcast_ref()
}

impl World {
    /// Whether the modules are those that would be run now.
    fn is_of(&self, wanted: &Wanted, focus: &SourceFile, sources: &dyn Sources) -> bool {
        let is_same = |(from, name, found): &ModuleLookup| {
            let now = sources.module(focus, from.as_deref().unwrap_or(focus), name);
            match (found, now) {
                // No module here depends on the text of the file itself.
                (Some(found), Some(now)) => {
                    Arc::ptr_eq(found, &now)
                        || found.path() == focus.path() && now.path() == focus.path()
                }
                (None, None) => true,
                _ => false,
            }
        };
        self.wanted == *wanted && self.answers.iter().all(is_same)
    }
}

impl Machine<'_> {
    /// Runs the modules that the file imports, directly or not, and that do not import it; or takes their results of an
    /// earlier analysis.
    pub(super) fn enter_world(&mut self, name: &Arc<str>) {
        let focus = self.focus;
        let is_package = is_package(focus);
        let wanted = Wanted {
            module: Arc::clone(name),
            imports: imported(&focus.script(), name, is_package),
            architecture: self.architecture(),
        };
        let worlds = worlds(self.sources).map(|worlds| &worlds.worlds);
        let kept = worlds.and_then(|worlds| worlds.get(focus.path()));
        if let Some(world) = kept.filter(|world| world.is_of(&wanted, focus, self.sources)) {
            self.take(&world);
            return;
        }
        self.loaded.answers = Some(RefCell::default());
        let nothing = self.kept(wanted.clone(), Vec::new());
        let before = self.independent(&wanted);
        let ran = before
            .iter()
            .try_for_each(|name| self.module(name).map(drop));
        self.loaded.dependent.clear();
        if std::mem::take(&mut self.loaded.met_focus) {
            // A call of a module imports the file: the modules are run when the file imports them.
            self.loaded.answers = None;
            self.take(&nothing);
            return;
        }
        self.heap.freeze();
        let mut asked = HashSet::default();
        let mut answers = self.loaded.answers.take().unwrap_or_default().into_inner();
        answers.retain(|(from, name, _)| {
            let from = from.as_ref().map(|from| from.path().to_owned());
            asked.insert((from, Arc::clone(name)))
        });
        // A run that ended by a limit is not kept.
        if let (Some(worlds), Ok(())) = (worlds, ran) {
            let world = self.kept(wanted, answers);
            worlds.put(focus.path(), Arc::new(world));
        }
    }

    fn take(&mut self, world: &World) {
        self.heap = world.heap.clone();
        self.loaded.modules.clone_from(&world.modules);
        self.covered.ran.clone_from(&world.ran);
        self.covered.parametrized.clone_from(&world.parametrized);
        self.numbers.clone_from(&world.numbers);
        self.budget.steps = world.steps;
        let focus = self.files.drain(..).next();
        let others = world.files.iter().skip(1).cloned();
        self.files = focus.into_iter().chain(others).collect();
    }

    fn kept(&self, wanted: Wanted, answers: Vec<ModuleLookup>) -> World {
        World {
            wanted,
            answers,
            heap: self.heap.clone(),
            modules: self.loaded.modules.clone(),
            files: self.files.clone(),
            ran: self.covered.ran.clone(),
            parametrized: self.covered.parametrized.clone(),
            numbers: self.numbers.clone(),
            steps: self.budget.steps,
        }
    }

    /// The modules that are imported, directly or not, and do not import the file themselves; those nearest to it first.
    /// The others are noted as such.
    fn independent(&mut self, wanted: &Wanted) -> Vec<Arc<str>> {
        let mut next: VecDeque<Arc<str>> = VecDeque::new();
        self.follow(&wanted.module, &wanted.imports, &mut next);
        let mut importers: HashMap<Arc<str>, Vec<Arc<str>>> = HashMap::default();
        let mut seen: Vec<Arc<str>> = Vec::new();
        let mut known: HashSet<Arc<str>> = HashSet::default();
        let mut leading: Vec<Arc<str>> = vec![Arc::clone(&wanted.module)];
        while let Some(name) = next.pop_front() {
            if seen.len() >= MODULES || !known.insert(Arc::clone(&name)) {
                continue;
            }
            let Some(source) = self.module_source(&name) else {
                if dsl::prelude(dsl::canonical(&name)).is_some() {
                    seen.push(name);
                }
                continue;
            };
            seen.push(Arc::clone(&name));
            if source.path() == self.focus.path() {
                leading.push(name);
                continue;
            }
            let imports = imported(&source.script(), &name, is_package(&source));
            for inner in self.follow(&name, &imports, &mut next) {
                importers.entry(inner).or_default().push(Arc::clone(&name));
            }
        }
        let mut dependent: HashSet<Arc<str>> = HashSet::default();
        while let Some(name) = leading.pop() {
            if dependent.insert(Arc::clone(&name)) {
                leading.extend(importers.get(&name).into_iter().flatten().cloned());
            }
        }
        seen.retain(|name| !dependent.contains(name));
        self.loaded.dependent = dependent;
        seen
    }

    /// The modules that imports of a module need. All that are run with them, packages around them too, are put to those
    /// that are looked through next.
    fn follow(
        &self,
        module: &Arc<str>,
        imports: &[Imported],
        next: &mut VecDeque<Arc<str>>,
    ) -> Vec<Arc<str>> {
        let mut needed = Vec::new();
        for import in imports {
            let is_module = |name: &&Arc<str>| self.module_source(name).is_some();
            let inner: Vec<Arc<str>> = import.names.iter().filter(is_module).cloned().collect();
            // A package of which only modules are named is needed for nothing else.
            if import.names.is_empty() || inner.len() < import.names.len() {
                needed.push(Arc::clone(&import.module));
            }
            needed.extend(inner);
        }
        let mut around: Vec<Arc<str>> = Vec::new();
        for name in &needed {
            around.extend(outer_names(name));
        }
        next.extend(around.iter().cloned());
        next.extend(outer_names(module));
        next.extend(needed.iter().cloned());
        // The file itself may be named as if it were a package.
        let is_focus = |name: &Arc<str>| {
            let source = self.module_source(name);
            source.is_some_and(|source| source.path() == self.focus.path())
        };
        needed.extend(around.into_iter().filter(is_focus));
        needed
    }

    /// The source of a module, read from its file.
    fn module_source(&self, name: &str) -> Option<Arc<SourceFile>> {
        let is_ours = dsl::canonical(name) != name || super::builtins::has_module(name);
        (!is_ours).then(|| self.source_of(name)).flatten()
    }
}

/// The names of the packages around a module.
fn outer_names(module: &str) -> impl Iterator<Item = Arc<str>> {
    let dots = module.match_indices('.');
    dots.filter_map(|(at, _)| module.get(..at)).map(Arc::from)
}

/// Whether a file is the one of a package.
pub(super) fn is_package(file: &SourceFile) -> bool {
    file.path()
        .file_stem()
        .is_some_and(|stem| stem == "__init__")
}

/// An import by whole names.
#[derive(Debug, Clone, PartialEq)]
struct Imported {
    module: Arc<str>,
    /// The imported names: things in it, or modules below it; nothing where it is imported itself, or all of it.
    names: Vec<Arc<str>>,
}

/// Imports of the statements of a file; those of its functions come later.
fn imported(script: &Script, module: &str, is_package: bool) -> Vec<Imported> {
    let mut imports = Vec::new();
    // The blocks that are not read to their ends; the innermost is the last. Sources may be as deep as they are long.
    let mut open = vec![script.body.iter()];
    while let Some(block) = open.last_mut() {
        let Some(stmt) = block.next() else {
            open.pop();
            continue;
        };
        match &stmt.kind {
            StmtKind::If(_, body, orelse) => open.extend([orelse.iter(), body.iter()]),
            StmtKind::Try { body, handlers, .. } => {
                let handlers = handlers.iter().rev();
                open.extend(handlers.map(|handler| handler.body.iter()));
                open.push(body.iter());
            }
            kind => add_imported(kind, module, is_package, &mut imports),
        }
    }
    imports
}

/// Adds the imports of one statement.
fn add_imported(kind: &StmtKind, module: &str, is_package: bool, imports: &mut Vec<Imported>) {
    match kind {
        StmtKind::Import(aliases) => {
            for alias in aliases {
                let mut dotted = String::new();
                for part in &alias.path {
                    if !dotted.is_empty() {
                        dotted.push('.');
                    }
                    dotted.push_str(&part.text);
                    imports.push(Imported {
                        module: dotted.as_str().into(),
                        names: Vec::new(),
                    });
                }
            }
        }
        StmtKind::ImportFrom {
            level,
            module: path,
            names,
        } => {
            let path: Vec<&str> = path.iter().map(|name| &*name.text).collect();
            let dotted = absolute_from(module, is_package, *level, &path.join("."));
            let names = names
                .iter()
                .flatten()
                .filter_map(|alias| alias.path.first());
            let names = names.map(|name| format!("{dotted}.{}", name.text).into());
            imports.push(Imported {
                names: names.collect(),
                module: dotted.into(),
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use tree_sitter_cute::Host;

    use super::super::entries::trace;
    use super::*;
    use crate::options::Options;
    use crate::sources::Positions;

    /// Modules by name, and their kept results.
    #[derive(Default)]
    struct Modules {
        positions: Positions,
        all: Vec<(&'static str, Arc<SourceFile>)>,
        worlds: Worlds,
    }

    impl Modules {
        fn put(&mut self, name: &'static str, text: &'static str) {
            self.all.retain(|(known, _)| *known != name);
            let path = match name {
                "pkg" => "pkg/__init__.py".to_owned(),
                name => format!("{}.py", name.replace('.', "/")),
            };
            let time = std::time::Duration::from_secs(1);
            let file = SourceFile::unread(path, text, Host::Python, time, &self.positions);
            self.all.push((name, Arc::new(file)));
        }

        /// The values of a name of a file.
        fn values(&self, text: &str, name: &str) -> Vec<String> {
            let unit = tree_sitter_cute::tree::Unit::default();
            let file = SourceFile::analysed("pkg/focus.py", text, unit);
            let trace = trace(&file, self, &Options::default());
            let (facts, _) = trace.over(Vec::new(), Vec::new());
            let named = facts.iter().filter(|fact| &*fact.name == name);
            named.map(|fact| fact.value.to_string()).collect()
        }

        fn kept(&self) -> Arc<World> {
            self.worlds
                .worlds
                .get(Path::new("pkg/focus.py"))
                .expect("kept")
        }
    }

    impl Sources for Modules {
        fn module(&self, _: &SourceFile, _: &SourceFile, name: &str) -> Option<Arc<SourceFile>> {
            let found = self.all.iter().find(|(known, _)| *known == name);
            found.map(|(_, file)| Arc::clone(file))
        }

        fn module_name(&self, _: &SourceFile) -> Option<String> {
            Some("pkg.focus".into())
        }

        fn worlds(&self) -> Option<&(dyn std::any::Any + Send + Sync)> {
            Some(&self.worlds)
        }
    }

    #[test]
    fn a_module_is_run_once_and_what_an_analysis_writes_to_it_is_gone_in_the_next() {
        let mut modules = Modules::default();
        modules.put("sizes", "ROWS = [4]\nclass Tile:\n    rows = 2\n");
        let text = "from sizes import ROWS, Tile\nbefore = ROWS[0] + Tile.rows\nROWS[0] = 8\n\
                    Tile.rows = 5\nafter = ROWS[0] + Tile.rows\n";
        for _ in 0..2 {
            assert_eq!(modules.values(text, "before"), ["_6"]);
            assert_eq!(modules.values(text, "after"), ["_13"]);
        }
        let first = modules.kept();
        let edited = format!("{text}more = ROWS[0] + 1\n");
        assert_eq!(modules.values(&edited, "more"), ["_9"]);
        assert!(Arc::ptr_eq(&first, &modules.kept()), "it was run again");
        // Another text of the module, and another import of the file.
        modules.put("sizes", "ROWS = [16]\nclass Tile:\n    rows = 2\n");
        assert_eq!(modules.values(text, "before"), ["_18"]);
        assert!(!Arc::ptr_eq(&first, &modules.kept()));
        let other = "import sizes\nbefore = sizes.ROWS[0]\n";
        assert_eq!(modules.values(other, "before"), ["_16"]);
    }

    #[test]
    fn modules_that_import_the_file_are_run_after_it() {
        let mut modules = Modules::default();
        modules.put("pkg", "from .interface import make\n");
        modules.put("pkg.leaf", "WIDTH = 4\n");
        modules.put(
            "pkg.interface",
            "from .focus import double\nfrom .leaf import WIDTH\ndef make():\n    return double(WIDTH)\n\
             made = make()\n",
        );
        // A name that is declared behind the import of the package is there when the package imports it.
        let text = "from .leaf import WIDTH\nfrom . import leaf\n\ndef double(n):\n    result = n * 2\n    return result\n\
                    own = leaf.WIDTH\n";
        modules.all.retain(|(name, _)| *name != "pkg.focus");
        for _ in 0..2 {
            assert_eq!(modules.values(text, "result"), ["_8"]);
            assert_eq!(modules.values(text, "own"), ["_4"]);
        }
        assert!(modules.kept().modules.contains_key("pkg.leaf"));
        assert!(!modules.kept().modules.contains_key("pkg.interface"));
        // Another text of the file changes nothing of the modules that do not import it.
        modules.put("pkg.focus", "");
        let edited = format!("{text}more = own + 1\n");
        assert_eq!(modules.values(&edited, "more"), ["_5"]);
        let kept = modules.kept();
        modules.put("pkg.focus", "other = 1\n");
        assert_eq!(modules.values(&edited, "more"), ["_5"]);
        assert!(Arc::ptr_eq(&kept, &modules.kept()), "they were run again");
    }

    #[test]
    fn a_file_is_run_once_however_a_module_before_it_imports_it() {
        let text = "from .interface import double\nimport cutlass.cute as cute\n\n@cute.jit\ndef kernel():\n    \
                    tile = cute.make_layout(4)\n";
        let modules = [
            // In a function that the module calls.
            "def load():\n    from .focus import kernel\n    return kernel\nload()\ndouble = 2\n",
            // As if it were a package: a line that is being typed.
            "from .focus i\nfrom .other import double\n",
        ];
        for text_of_module in modules {
            let mut modules = Modules::default();
            modules.put("pkg", "");
            modules.put("pkg.other", "double = 2\n");
            modules.put("pkg.interface", text_of_module);
            let time = std::time::Duration::from_secs(1);
            let positions = &modules.positions;
            let own = SourceFile::unread("pkg/focus.py", text, Host::Python, time, positions);
            modules.all.push(("pkg.focus", Arc::new(own)));
            for _ in 0..2 {
                assert_eq!(modules.values(text, "tile"), ["_4:_1"], "{text_of_module}");
            }
        }
    }
}
