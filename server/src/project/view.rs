//! The project as one analysis sees it.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use cute_analysis::limits::{USERS_OF_A_HEADER, USERS_OF_A_MODULE};
use cute_analysis::{
    Analysis, Crate, Included, Options, PackageVersion, Predefined, SourceFile, Sources, analyse,
};
use rustc_hash::FxHashMap;
use tree_sitter_cute::tree::{Include, ItemKind};
use tree_sitter_cute::{Host, cuda};

use super::ahead::includes_of;
use super::answers::Answers;
use super::bounds::Bounds;
use super::crates::crates_of;
use super::generated::Generated;
use super::importers::ends_with;
use super::includes::{Target, resolve};
use super::index::Index;
use super::modules::{find as find_module, namespaces, outermost_package, package_of, search_path};
use super::overlay::Overlay;
use super::tree::{is_header, normal};
use super::{Flags, Project, lock};

/// The project as one analysis sees it: disk and open texts at one moment.
#[derive(Clone)]
pub struct View {
    project: Arc<Project>,
    /// The root of the analysed file's project.
    root: PathBuf,
    overlay: Overlay,
    /// The include relation, where the folder of the analysed file is searched alone.
    nearby: Option<Arc<Index>>,
    /// The answers about files so far.
    answers: Arc<Answers>,
    /// Search paths of modules of Python, once requested.
    modules: Arc<OnceLock<Vec<PathBuf>>>,
    /// The folders that the packages around files are in, by the files' folders.
    packages: Arc<Mutex<FxHashMap<PathBuf, PathBuf>>>,
    /// Bounds of included files.
    bounds: Arc<OnceLock<Arc<Bounds>>>,
    /// Bounds of modules of Python, once requested.
    module_bounds: Arc<OnceLock<Bounds>>,
    /// The modules that are beyond it, with where they are.
    refused: Arc<Mutex<BTreeMap<String, PathBuf>>>,
    /// The modules that no file has.
    missing: Arc<Mutex<BTreeSet<String>>>,
    /// The files of Rust modules that are not there.
    missing_files: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl View {
    /// The project around a file; `overlay` gives the texts of open ones.
    pub fn around(project: Arc<Project>, file: &Path, overlay: Overlay) -> Self {
        let root = project.root_of(file);
        Self {
            nearby: None,
            answers: project.answers(&root).unwrap_or_default(),
            modules: Arc::default(),
            packages: Arc::default(),
            bounds: Arc::default(),
            module_bounds: Arc::default(),
            refused: Arc::default(),
            missing: Arc::default(),
            missing_files: Arc::default(),
            project,
            root,
            overlay,
        }
    }

    /// The same for the first answer: as long as the include relation of the whole tree is unknown, the translation
    /// units beside the file, where some include it.
    pub fn nearest(project: Arc<Project>, file: &Path, overlay: Overlay) -> Self {
        let view = Self::around(project, file, overlay);
        match view.project.nearby(&view.root, file) {
            Some(index) => Self {
                nearby: Some(Arc::new(index)),
                answers: Arc::default(),
                ..view
            },
            None => view,
        }
    }

    /// The file of the module of a name that one file imports, for the analysis of another one.
    fn module_path(&self, focus: &Path, from: &Path, name: &str) -> Option<PathBuf> {
        let near = [focus, from].map(|file| self.outer_folder(file));
        let is_there = |path: &Path| self.is_there(path);
        let find = || {
            let first = name.split('.').next().unwrap_or(name);
            let all = near.iter().chain(self.search_path());
            let folders: Vec<&Path> = all
                .map(PathBuf::as_path)
                .filter(|folder| self.has_modules(&folder.join(first)))
                .collect();
            find_module(name, &folders, &is_there).map(|found| normal(&found))
        };
        let [of_focus, of_importer] = &near;
        let found = self.answers.module(of_focus, of_importer, name, find);
        found.or_else(|| {
            let around = namespaces(from, name);
            find_module(name, &around, &is_there).map(|found| normal(&found))
        })
    }

    /// Whether a module or a package is at a path, which has no extension.
    fn has_modules(&self, path: &Path) -> bool {
        let is_open = || self.overlay.has_below(path);
        self.answers.has_module(path, is_open)
    }

    /// Whether a file is on disk or open.
    fn is_there(&self, path: &Path) -> bool {
        self.answers.is_on_disk(path) || self.overlay.has(path)
    }

    /// The include relation.
    fn index(&self) -> Arc<Index> {
        let of_tree = || self.project.index(&self.root);
        self.nearby.as_ref().map_or_else(of_tree, Arc::clone)
    }

    /// Analyses a file of C++ that was not analysed before: its headers, and for a header also those of its users, are
    /// read on all cores first.
    pub fn analyse_first(&self, file: &SourceFile, options: &Options) -> Analysis {
        let ahead = &self.project.ahead;
        let running = ahead.running();
        if options.host == Host::CudaCpp {
            let users = std::iter::once_with(|| self.users(file)).flatten();
            let roots = includes_of(file, self).chain(users);
            ahead.read(self, roots, &options.stop);
        }
        let analysis = analyse(file, self, options);
        drop(running);
        analysis
    }

    /// Whether translation units include a file.
    pub fn has_users(&self, path: &Path) -> bool {
        is_header(path) && {
            let index = self.index();
            !self.units_of(&index, path).is_empty()
        }
    }

    /// The translation units that include a file, of the tree and of what packages write; the nearest first.
    fn units_of(&self, index: &Index, path: &Path) -> Vec<PathBuf> {
        let packaged = self.project.packaged(&self.root);
        match packaged.filter(|_| self.nearby.is_none()) {
            Some(packaged) => packaged.translation_units_of(index, path),
            None => index.translation_units_of(path),
        }
    }

    /// A file of C++ as others include it, where that is read in any case: headers are requested with the files that
    /// include them.
    pub(crate) fn shared(&self, path: &Path) -> Option<Arc<SourceFile>> {
        let units = self.project.units.get()?;
        let is_shared = !units.are_for_none() && Host::of_path(path) == Some(Host::CudaCpp);
        is_shared.then(|| self.file(path).ok()).flatten()
    }

    fn file(&self, path: &Path) -> Result<Arc<SourceFile>, String> {
        self.answers.file(path, || {
            let open = self
                .overlay
                .text(path)
                .or_else(|| self.generated_text(path));
            self.project.files.get(path, open, &self.project.positions)
        })
    }

    /// The text of a file that is not there, and that a script of the project writes.
    fn generated_text(&self, path: &Path) -> Option<String> {
        let text_in = |all: &Generated| all.text(path).map(|text| text.as_ref().to_owned());
        self.in_generated(text_in).filter(|_| !path.is_file())
    }

    /// The target of an `#include` of a generated file, where no flag leads to one.
    fn included_by_generated(&self, from: &Path, include: &Include) -> Option<PathBuf> {
        let name = &include.path.name;
        let target = |all: &Generated| all.included(from, name).map(Path::to_owned);
        self.in_generated(target).filter(|_| !from.is_file())
    }

    /// Looks for something in the sources that scripts write, then in those that packages write, of which only headers
    /// have users.
    fn in_generated<T>(&self, find: impl Fn(&Generated) -> Option<T>) -> Option<T> {
        let scripts = self.project.generated_so_far(&self.root);
        let found = scripts.and_then(|generated| find(&generated));
        found.or_else(|| {
            let packaged = self.project.packaged_so_far(&self.root)?;
            find(&packaged.generated)
        })
    }

    /// The macros that scripts of the project define for a file, where no flag does.
    fn macros_of_scripts(&self, file: &Path, flags: &Flags) -> Vec<Predefined> {
        // Python has no macros.
        if Host::of_path(file) == Some(Host::Python) {
            return Vec::new();
        }
        let Some(macros) = self.project.macros(&self.root) else {
            return Vec::new();
        };
        let script = self.in_generated(|all| all.script_of(file).map(Path::to_owned));
        let found = macros.of_file(file, script.as_deref()).into_iter();
        let others = found.filter(|(name, _)| flags.defines.iter().all(|(given, _)| given != name));
        others
            .map(|(name, text)| Predefined {
                name: name.to_owned(),
                value: cuda::parse_expression(text).ok(),
            })
            .collect()
    }

    /// The macros in which the CUTLASS on the include path says its version. None of its headers includes the one that
    /// defines them, but the rules of its builders depend on it.
    fn cutlass_version(&self, flags: &Flags) -> Vec<Predefined> {
        let conventional = self.root.join("include");
        let header = flags
            .include
            .iter()
            .chain([&conventional])
            .map(|folder| normal(&folder.join("cutlass/version.h")))
            .find(|path| path.is_file() && self.bounds().beyond(path).is_none());
        let Some(Ok(file)) = header.map(|path| self.file(&path)) else {
            return Vec::new();
        };
        file.unit()
            .items
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::Define(define) => Some(define),
                _ => None,
            })
            .filter(|define| matches!(&*define.name.name, "CUTLASS_MAJOR" | "CUTLASS_MINOR"))
            .map(|define| Predefined {
                name: define.name.name.clone(),
                value: define.value.clone(),
            })
            .collect()
    }

    /// Looks for the file of an `#include`.
    fn find(&self, from: &SourceFile, include: &Include) -> Included {
        let is_there = |path: &Path| self.is_there(path);
        let flags = self.flags_of(from.path());
        let found = resolve(include, from.path(), &flags, &self.root, &is_there);
        let found = match found {
            Target::File(path) => Target::File(path),
            other => self
                .included_by_generated(from.path(), include)
                .map_or(other, Target::File),
        };
        match found {
            Target::Known => Included::Known,
            Target::Missing => Included::Missing("no such file".to_owned()),
            Target::File(path) => match self.bounds().beyond(&path) {
                Some(leads_to) => Included::Outside(leads_to),
                None => match self.file(&path) {
                    Ok(file) => Included::File(file),
                    Err(why) => Included::Missing(why),
                },
            },
        }
    }

    /// Bounds of included files.
    fn bounds(&self) -> &Bounds {
        self.bounds.get_or_init(|| self.project.bounds(&self.root))
    }

    /// Bounds of the modules that the analysis of a file requests: in the project, in the package of the file, and in
    /// the environment.
    fn module_bounds(&self, focus: &SourceFile) -> &Bounds {
        self.module_bounds.get_or_init(|| {
            let workspace = lock(&self.project.workspace).clone();
            let package = outermost_package(focus.path());
            let own = workspace.iter().chain(&package).map(PathBuf::as_path);
            let named = self.search_path().iter().map(PathBuf::as_path);
            Bounds::of(own.chain([self.root.as_path()]), named)
        })
    }

    /// The modules that import one, the nearest first.
    fn importers_of(&self, path: &Path) -> Vec<Arc<SourceFile>> {
        let importers = self.project.importers(&self.root).of_module(path);
        let importers = importers.iter().take(USERS_OF_A_MODULE);
        importers.filter_map(|path| self.file(path).ok()).collect()
    }

    /// The folder that contains the outermost package of a file of Python.
    fn outer_folder(&self, path: &Path) -> PathBuf {
        let folder = path.parent().unwrap_or(path);
        let mut packages = lock(&self.packages);
        if let Some(known) = packages.get(folder) {
            return known.clone();
        }
        let outer = package_of(path).map_or_else(|| folder.to_owned(), |(outer, _)| outer);
        packages.insert(folder.to_owned(), outer.clone());
        outer
    }

    /// Search paths of modules outside of the package of the file that imports them.
    fn search_path(&self) -> &[PathBuf] {
        let python = self.project.flags.python.as_deref();
        self.modules.get_or_init(|| search_path(&self.root, python))
    }

    fn flags_of(&self, path: &Path) -> Flags {
        let own = self.project.commands(&self.root).flags_of(path);
        self.project.flags.clone().and(&own)
    }
}

impl Sources for View {
    fn include(&self, from: &SourceFile, include: &Include) -> Included {
        let find = || self.find(from, include);
        let included = self.answers.get(from.path(), include, find);
        if Host::of_path(from.path()) == Some(Host::Rust)
            && let Some(folder) = from.path().parent()
        {
            let path = normal(&folder.join(&include.path.name));
            // Another folder may have a file of that name.
            if !matches!(&included, Included::File(file) if file.path() == path) {
                lock(&self.missing_files).insert(path);
            }
        }
        included
    }

    fn users(&self, file: &SourceFile) -> Vec<Arc<SourceFile>> {
        if Host::of_path(file.path()) == Some(Host::Python) {
            let find = || self.importers_of(file.path());
            return self.answers.users(file.path(), find).to_vec();
        }
        if !is_header(file.path()) {
            return Vec::new();
        }
        let find = || {
            let index = self.index();
            let units = self.units_of(&index, file.path());
            units
                .iter()
                .take(USERS_OF_A_HEADER)
                .filter_map(|path| self.file(path).ok())
                .collect()
        };
        self.answers.users(file.path(), find).to_vec()
    }

    fn count_users(&self, file: &SourceFile) -> usize {
        if self.users(file).is_empty() {
            return 0;
        }
        let index = self.index();
        self.units_of(&index, file.path()).len()
    }

    fn module(&self, focus: &SourceFile, from: &SourceFile, name: &str) -> Option<Arc<SourceFile>> {
        let found = match self.module_path(focus.path(), from.path(), name) {
            Some(found) => found,
            None if ends_with(focus.path(), name) => focus.path().to_owned(),
            None => {
                lock(&self.missing).insert(name.to_owned());
                return None;
            }
        };
        if let Some(leads_to) = self.module_bounds(focus).beyond(&found) {
            lock(&self.refused).insert(name.to_owned(), leads_to);
            return None;
        }
        self.file(&found).ok()
    }

    fn package_version(&self, _: &SourceFile, package: &str) -> Option<PackageVersion> {
        self.project
            .version_of(&self.root, self.search_path(), package)
    }

    fn refused_modules(&self) -> Vec<(String, PathBuf)> {
        let refused = lock(&self.refused);
        let each = refused.iter();
        each.map(|(name, leads_to)| (name.clone(), leads_to.clone()))
            .collect()
    }

    fn missing_modules(&self) -> Vec<String> {
        lock(&self.missing).iter().cloned().collect()
    }

    fn crates(&self, file: &SourceFile) -> Vec<Crate> {
        let may_read = |path: &Path| self.bounds().beyond(path).is_none();
        crates_of(file.path(), &may_read)
    }

    fn missing_files(&self) -> Vec<PathBuf> {
        lock(&self.missing_files).iter().cloned().collect()
    }

    fn module_name(&self, file: &SourceFile) -> Option<String> {
        package_of(file.path()).map(|(_, name)| name)
    }

    fn worlds(&self) -> Option<&(dyn Any + Send + Sync)> {
        // One question is not asked again.
        let is_asked_again = self.project.answers.is_none();
        is_asked_again.then_some(&self.project.worlds)
    }

    fn units(&self) -> Option<&(dyn Any + Send + Sync)> {
        Some(self.project.units.get()?)
    }

    fn asked(&self) -> Option<Arc<SourceFile>> {
        self.project.instances.clone()
    }

    fn predefined(&self, file: &SourceFile) -> Vec<Predefined> {
        let flags = self.flags_of(file.path());
        flags
            .defines
            .iter()
            .map(|(name, text)| Predefined {
                name: name.clone(),
                value: cuda::parse_expression(text).ok(),
            })
            .chain(self.macros_of_scripts(file.path(), &flags))
            .chain(self.cutlass_version(&flags))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use ropey::Rope;

    use super::*;

    #[test]
    fn a_view_gives_the_same_file_however_others_see_it_meanwhile() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("size.h");
        std::fs::write(&path, "int size;\n").expect("written");
        let project = Arc::new(Project::default());
        let seen = |text: Option<&'static str>| {
            let open = text.map(|text| (path.clone(), Rope::from_str(text)));
            let overlay = Overlay::of(open);
            View::around(Arc::clone(&project), &path, overlay)
        };
        let (disk, editor) = (seen(None), seen(Some("int size, more;\n")));
        let first = disk.file(&path).expect("a file");
        let open = editor.file(&path).expect("a file");
        assert_eq!(open.text(), "int size, more;\n");
        assert!(Arc::ptr_eq(&first, &disk.file(&path).expect("a file")));
        assert!(Arc::ptr_eq(&open, &editor.file(&path).expect("a file")));
        // Neither takes the place of the other for those who look later.
        assert!(Arc::ptr_eq(
            &first,
            &seen(None).file(&path).expect("a file")
        ));
        let again = seen(Some("int size, more;\n"));
        assert!(Arc::ptr_eq(&open, &again.file(&path).expect("a file")));
        // A file that is saved or changed later is seen by views that begin later.
        std::fs::write(&path, "int else_;\n").expect("written");
        project.note(&path);
        assert!(Arc::ptr_eq(&first, &disk.file(&path).expect("a file")));
        let later = seen(None).file(&path).expect("a file");
        assert_eq!(later.text(), "int else_;\n");
        // A text that is opened as it is on disk is the same file.
        let opened = seen(Some("int else_;\n"));
        assert!(Arc::ptr_eq(&later, &opened.file(&path).expect("a file")));
    }
}
