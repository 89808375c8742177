//! The modules of a crate: `mod name;` is a file, `impl` adds to a type.

use std::path::{Component, PathBuf};

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{Function, Ident, Impl, Include, ItemKind, ModuleFile, UsingKind};

use crate::interpret::ids::ModuleId;
use crate::interpret::program::{Environment, Program};
use crate::limits;
use crate::reason::Reason;
use crate::sources::{Included, SourceFile};

/// Files in which a crate starts, as seen from a file of it, the nearest first.
const ROOTS: &[&str] = &[
    "lib.rs",
    "main.rs",
    "../lib.rs",
    "../main.rs",
    "../../lib.rs",
    "../../main.rs",
];

/// The file in which the crate of the analysed file starts: itself, unless a `mod` of a file around
/// it leads here.
pub(super) fn root_of(environment: Environment<'_>) -> &SourceFile {
    let focus = environment.focus;
    let is_root = |name: &str| matches!(name, "lib.rs" | "main.rs" | "build.rs");
    if is_root(&focus.name()) {
        return focus;
    }
    ROOTS
        .iter()
        .find_map(|name| file_at(environment, focus, name))
        .unwrap_or(focus)
}

/// The file at a path beside another.
fn file_at<'u>(
    environment: Environment<'u>,
    from: &'u SourceFile,
    name: &str,
) -> Option<&'u SourceFile> {
    let Included::File(file) = included_at(environment, from, name) else {
        return None;
    };
    // Sources look in other folders too; a module is where its crate says.
    if normal(file.path()) != normal(&from.path().parent()?.join(name)) {
        return None;
    }
    Some(if file.path() == environment.focus.path() {
        environment.focus
    } else {
        environment.arena.file(file)
    })
}

/// The file at a path beside another file, or in a folder of source search paths.
fn included_at(environment: Environment<'_>, from: &SourceFile, name: &str) -> Included {
    let path = Ident {
        name: name.to_owned(),
        span: from.span(),
    };
    let system = false;
    environment.sources.include(from, &Include { path, system })
}

/// A path without `.` and `name/..`.
fn normal(path: &std::path::Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

impl<'u> Program<'u> {
    /// Reads the file of `mod name;`.
    pub(in crate::interpret) fn add_module_file(&mut self, file: &'u ModuleFile, module: ModuleId) {
        let inner = self.child(&file.name.name, module);
        let Some(environment) = self.environment else {
            return;
        };
        let Some(from) = self.file_of(file.name.span) else {
            return;
        };
        let paths = self.module_paths(file, from, module);
        let found = paths
            .iter()
            .find_map(|path| file_at(environment, from, path));
        if found.is_none() {
            self.note_refused(file, &paths, |path| included_at(environment, from, path));
        }
        let Some(found) =
            found.filter(|found| self.files().all(|file| file.path() != found.path()))
        else {
            return;
        };
        let is_within = self.files().count() <= limits::INCLUDED_FILES
            && self.reading.bytes + found.text().len() <= limits::INCLUDED_BYTES
            && self.reading.depth <= limits::INCLUDE_DEPTH;
        if is_within {
            self.reading.file_modules.insert(found.path(), inner);
            self.add_file(found, inner);
        }
    }

    /// Notes that the file of a module is one that the project may not read.
    fn note_refused(
        &mut self,
        file: &ModuleFile,
        paths: &[String],
        look: impl Fn(&str) -> Included,
    ) {
        for path in paths {
            if let Included::Outside(leads_to) = look(path) {
                let span = file.path.as_ref().unwrap_or(&file.name).span;
                let name = path.clone();
                let include = Include {
                    path: Ident { name, span },
                    system: false,
                };
                return self.not_read(&include, Reason::outside(path, &leads_to));
            }
        }
    }

    /// Possible paths of the file of a module, as seen from the file that declares it.
    fn module_paths(&self, file: &ModuleFile, from: &SourceFile, module: ModuleId) -> Vec<String> {
        // Modules written inside one another in one file are folders.
        let mut folders = Vec::new();
        let own = self
            .reading
            .file_modules
            .get(from.path())
            .copied()
            .unwrap_or(0);
        let mut next = Some(module);
        while let Some(id) = next.filter(|id| *id != own) {
            let parent = self.module(id).and_then(|module| module.parent);
            let name = parent.and_then(|parent| self.name_of_module(parent, id));
            folders.extend(name);
            next = parent;
        }
        folders.reverse();
        if let Some(path) = &file.path {
            return vec![path.name.clone()];
        }
        let stem = from.path().file_stem().map(|stem| stem.to_string_lossy());
        if let Some(stem) = stem
            && !matches!(&*stem, "lib" | "main" | "mod" | "build")
            && own != 0
        {
            folders.insert(0, stem.into_owned());
        }
        folders.push(file.name.name.clone());
        let path = folders.join("/");
        vec![format!("{path}.rs"), format!("{path}/mod.rs")]
    }

    fn name_of_module(&self, parent: ModuleId, id: ModuleId) -> Option<String> {
        let parent = self.module(parent)?;
        let found = parent.children.iter().find(|(_, child)| **child == id);
        found.map(|(name, _)| (*name).to_owned())
    }

    /// In Rust a `use` at the start of a function counts for its module, where nothing else has the
    /// name.
    pub(in crate::interpret) fn add_local_uses(
        &mut self,
        function: &'u Function,
        module: ModuleId,
    ) {
        if !self.is_of(Host::Rust) {
            return;
        }
        for item in function.body.iter().flatten() {
            let ItemKind::Using(using) = &item.kind else {
                continue;
            };
            let last = using.path.as_path().and_then(|path| path.last());
            let name = match (&using.kind, last) {
                (UsingKind::Renamed(alias), _) => &alias.name,
                (_, Some(last)) => &last.name.name,
                (_, None) => continue,
            };
            let taken = self.module(module).is_some_and(|module| {
                using.kind != UsingKind::Namespace && module.used_names.contains_key(name.as_str())
            });
            if !taken {
                self.add_using(using, module);
            }
        }
    }

    /// Keeps the members of an `impl`; without a record of the module they are functions on their
    /// own.
    pub(in crate::interpret) fn add_impl(&mut self, apart: &'u Impl, module: ModuleId) {
        let target = apart.target.as_path().and_then(|path| path.last());
        if let Some(name) = target {
            let key = (module, name.name.name.as_str());
            self.apart.impls.entry(key).or_default().push(apart);
        }
        for item in &apart.items {
            if let ItemKind::Function(function) = &item.kind {
                self.add_local_uses(function, module);
            }
        }
    }

    /// The functions of `impl`s for types that are declared elsewhere.
    pub(in crate::interpret) fn add_functions_of_impls(&mut self) {
        let impls = std::mem::take(&mut self.apart.impls);
        for ((module, name), found) in &impls {
            let declared = self
                .module(*module)
                .is_some_and(|module| module.records.contains_key(name));
            if declared {
                continue;
            }
            for item in found.iter().flat_map(|apart| &apart.items) {
                if let ItemKind::Function(function) = &item.kind {
                    self.functions
                        .push(crate::interpret::program::FunctionDecl {
                            function,
                            module: *module,
                        });
                }
            }
        }
        self.apart.impls = impls;
    }
}
