//! The crates that a crate depends on: words of a library, under a name of the manifest, or sources of the project.

use tree_sitter_cute::tree::{
    Expr, ExprKind, Ident, Include, Item, ItemKind, Path, Using, Visitor, walk_expr, walk_item,
    walk_unit,
};

use crate::hash::HashMap;
use crate::interpret::ids::ModuleId;
use crate::interpret::program::Program;
use crate::limits;
use crate::sources::{Crate, Included, SourceFile};
use crate::vocabulary::rust::{self, Library};

/// The crates that the manifests of a program name, by the module that is the crate which depends on them.
#[derive(Debug, Default)]
pub(in crate::interpret) struct Crates(HashMap<ModuleId, HashMap<String, Dependency>>);

/// A crate that another one depends on.
#[derive(Debug, Clone, Copy)]
pub(in crate::interpret) enum Dependency {
    /// A library whose words are known here.
    Library(&'static Library),
    /// A crate whose sources were read: the module that it is.
    Sources(ModuleId),
}

impl<'u> Program<'u> {
    /// The crate of a name, as sources in a module name it.
    pub(in crate::interpret) fn dependency(
        &self,
        module: ModuleId,
        name: &str,
    ) -> Option<Dependency> {
        let named = self.reading.crates.0.get(&self.crate_of(module));
        let named = named.and_then(|crates| crates.get(name));
        let known = || rust::library(name).map(Dependency::Library);
        named.copied().or_else(known)
    }

    /// The module that is the crate of a module.
    pub(in crate::interpret) fn crate_of(&self, module: ModuleId) -> ModuleId {
        let mut outer = module;
        while let Some(parent) = self.module(outer).and_then(|module| module.parent) {
            outer = parent;
        }
        outer
    }

    /// Reads the crates of the project that the program names, and those that they name.
    pub(super) fn add_crates(&mut self) {
        let mut done = Vec::new();
        loop {
            let next = self.files().find(|file| !done.contains(&file.base()));
            let Some(file) = next else {
                return;
            };
            done.push(file.base());
            self.add_crates_of(file);
        }
    }

    fn add_crates_of(&mut self, file: &'u SourceFile) {
        let Some(environment) = self.environment else {
            return;
        };
        let mut named = Named::default();
        walk_unit(&mut named, file.unit());
        // Most files of most projects need no manifest.
        if named.0.iter().all(|name| is_of_language(&name.name)) {
            return;
        }
        let own = self.crate_of(self.module_of(file));
        let crates = environment.sources.crates(file);
        for name in &named.0 {
            let known = self.reading.crates.0.get(&own);
            let is_known = known.is_some_and(|known| known.contains_key(&name.name));
            let found = crates.iter().find(|found| found.name == name.name);
            let Some(found) = found.filter(|_| !is_known) else {
                continue;
            };
            if let Some(dependency) = self.read_crate(found, file, name) {
                let of_own = self.reading.crates.0.entry(own).or_default();
                of_own.insert(name.name.clone(), dependency);
            }
        }
    }

    /// The library of a package, or the module that its sources are.
    fn read_crate(
        &mut self,
        found: &Crate,
        from: &'u SourceFile,
        name: &Ident,
    ) -> Option<Dependency> {
        if let Some(library) = rust::library(&found.package.replace('-', "_")) {
            return Some(Dependency::Library(library));
        }
        let environment = self.environment?;
        let start = found.start.as_ref()?.to_string_lossy().into_owned();
        let include = Include {
            path: Ident {
                name: start,
                span: name.span,
            },
            system: false,
        };
        let Included::File(file) = environment.sources.include(from, &include) else {
            return None;
        };
        let known = self.files().find(|known| known.path() == file.path());
        if let Some(known) = known {
            return Some(Dependency::Sources(self.module_of(known)));
        }
        let is_within = self.files().count() <= limits::INCLUDED_FILES
            && self.reading.bytes + file.text().len() <= limits::INCLUDED_BYTES;
        if !is_within {
            return None;
        }
        let file = if file.path() == environment.focus.path() {
            environment.focus
        } else {
            environment.arena.file(file)
        };
        let module = self.new_crate();
        self.reading.file_modules.insert(file.path(), module);
        self.add_file(file, module);
        Some(Dependency::Sources(module))
    }

    /// The module that a file is.
    fn module_of(&self, file: &SourceFile) -> ModuleId {
        let modules = &self.reading.file_modules;
        modules.get(file.path()).copied().unwrap_or(0)
    }
}

/// Whether a first name of a path is a word of the language or a crate of its distribution.
fn is_of_language(name: &str) -> bool {
    matches!(
        name,
        "crate" | "self" | "Self" | "super" | "core" | "std" | "alloc"
    )
}

/// The libraries that paths of a program lead to.
pub(super) fn libraries_of(program: &Program<'_>) -> Vec<&'static Library> {
    let mut found: Vec<&'static Library> = Vec::new();
    for file in program.files() {
        let mut named = Named::default();
        walk_unit(&mut named, file.unit());
        for name in named.0 {
            let module = program.module_of(file);
            if let Some(Dependency::Library(library)) = program.dependency(module, &name.name)
                && !found.iter().any(|known| std::ptr::eq(*known, library))
            {
                found.push(library);
            }
        }
    }
    found
}

/// The first names of the paths of a file, each once.
#[derive(Default)]
struct Named(Vec<Ident>);

impl Named {
    fn path(&mut self, path: &Path) {
        if let [first, _, ..] = path.segments.as_slice() {
            self.name(&first.name);
        }
    }

    fn name(&mut self, name: &Ident) {
        if !self.0.iter().any(|known| known.name == name.name) {
            self.0.push(name.clone());
        }
    }
}

impl Visitor for Named {
    fn item(&mut self, item: &Item) {
        if let ItemKind::Using(Using { path, .. }) = &item.kind
            && let Some(first) = path.as_path().and_then(|path| path.segments.first())
        {
            self.name(&first.name);
        }
        walk_item(self, item);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(path) => self.path(path),
            ExprKind::Macro(call) => self.path(&call.path),
            _ => {}
        }
        walk_expr(self, expr);
    }
}
