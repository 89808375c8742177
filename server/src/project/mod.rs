//! The files that belong together: which one an `#include` names, who includes a header, and with
//! which flags each is compiled.
//!
//! A [`Project`] lives as long as the process and keeps what it has read; files that changed on
//! disk are noticed by their size and time. A [`View`] is the project as one analysis sees it, with the texts that an
//! editor has open in the place of those on disk. It answers the analysis' requests for files
//! ([`cute_analysis::Sources`]).

mod ahead;
mod answers;
mod asked;
mod bounds;
mod checkouts;
mod commands;
mod crates;
mod files;
mod flags;
mod generated;
mod importers;
mod includes;
mod index;
mod macros;
mod modules;
mod overlay;
mod packaged;
mod packages;
mod scripts;
mod tree;
mod view;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cute_analysis::{PackageVersion, Positions, SourceFile, Units, Worlds};
use rustc_hash::FxHashMap;
use tree_sitter_cute::Host;

pub use asked::Asked;
pub(crate) use files::{is_of_library, read_bytes, read_text};
pub use flags::Flags;
pub(crate) use flags::{architecture, defined};
pub use overlay::Overlay;
pub(crate) use tree::{is_header, walk};
pub use tree::{normal, workspace_sources};
pub use view::View;

use ahead::Ahead;
use answers::Answers;
use bounds::Bounds;
use commands::Commands;
use files::Files;
use generated::Generated;
use importers::Importers;
use index::Index;
use macros::Macros;
use packaged::Packaged;

/// Results for each root folder. Whoever needs it first makes it, the others wait.
type ByRoot<T> = Mutex<HashMap<PathBuf, Arc<OnceLock<Arc<T>>>>>;

/// Everything that is known of the files of this machine's projects.
#[derive(Debug, Default)]
pub struct Project {
    positions: Positions,
    files: Files,
    /// Flags that hold for every file: of the command line or the settings.
    flags: Flags,
    /// Instances that the project file asks for.
    instances: Option<Arc<SourceFile>>,
    /// The folders that a person works in, the most telling first.
    folders: Mutex<Vec<PathBuf>>,
    /// Those of them that sources may lead into.
    workspace: Mutex<Vec<PathBuf>>,
    found: Found,
    /// Files of `#include`s, by root folder, in a project that does not change.
    answers: Option<ByRoot<Answers>>,
    /// The roots of files, by their folders, in such a project.
    roots: Mutex<FxHashMap<PathBuf, PathBuf>>,
    /// Results of translation units for the requested headers.
    units: OnceLock<Units>,
    /// Results of modules of Python.
    worlds: Worlds,
    /// Files read ahead of analyses.
    ahead: Ahead,
}

/// Findings below root folders, each by its root.
#[derive(Debug, Default)]
struct Found {
    /// Bounds for the files of a project.
    bounds: ByRoot<Bounds>,
    /// Compile commands of files.
    commands: ByRoot<Commands>,
    /// Include relations.
    indexes: ByRoot<Index>,
    /// Sources that scripts write in a build.
    generated: ByRoot<Generated>,
    /// Sources that packages write when they are used.
    packaged: ByRoot<Packaged>,
    /// Macros that scripts pass to the compiler.
    macros: ByRoot<Macros>,
    /// Import relations.
    importers: ByRoot<Importers>,
    /// The versions of packages of Python.
    versions: ByRoot<FxHashMap<String, Option<PackageVersion>>>,
}

impl Project {
    /// A project in which every file is compiled with these flags besides its own, and in which
    /// these instances are evaluated.
    pub fn new(flags: Flags, instances: &[Asked]) -> Self {
        let positions = Positions::default();
        Self {
            instances: asked::placed(instances, &positions),
            positions,
            flags,
            ..Self::default()
        }
    }

    /// The same for a process that answers one question: files are looked for once, and changes on disk meanwhile are
    /// not noticed.
    #[must_use]
    pub fn of_this_moment(mut self) -> Self {
        self.answers = Some(Mutex::default());
        self
    }

    /// Announces the requested files of a project that does not change, one after the other: a translation unit is then
    /// evaluated once for all headers among them.
    pub fn will_analyse(&self, files: &[PathBuf]) {
        let files = files.iter().map(|path| normal(path));
        let headers = files.filter(|path| tree::is_header(path));
        self.units.get_or_init(|| Units::for_headers(headers));
    }

    /// Sets the folders that a person works in, the most telling first; each is the root of the files below it and has
    /// no mark of a project.
    pub fn work_in(&self, folders: impl IntoIterator<Item = PathBuf>) {
        *lock(&self.folders) = folders.into_iter().collect();
        lock(&self.roots).clear();
    }

    /// Says which folders are the workspace: files below them, and in the repositories around them, may be read where a
    /// source names it. The root of a machine is never a workspace.
    pub fn may_read(&self, folders: impl IntoIterator<Item = PathBuf>) {
        let folders = folders.into_iter();
        *lock(&self.workspace) = folders.filter(|folder| folder.parent().is_some()).collect();
        lock(&self.found.bounds).clear();
    }

    /// The version of a package of Python in the project of `root`, which is found out once.
    fn version_of(
        &self,
        root: &Path,
        modules: &[PathBuf],
        package: &str,
    ) -> Option<PackageVersion> {
        let known = kept(&self.found.versions, root, || {
            let version = packages::version(root, modules, package);
            std::iter::once((package.to_owned(), version)).collect()
        });
        match known.get(package) {
            Some(version) => version.clone(),
            None => packages::version(root, modules, package),
        }
    }

    /// Bounds of the sources below `root`.
    fn bounds(&self, root: &Path) -> Arc<Bounds> {
        kept(&self.found.bounds, root, || {
            let workspace = lock(&self.workspace).clone();
            let of_build = self.commands(root).all_flags().include;
            let of_crates = checkouts::checkouts();
            let named = self.flags.include.iter().chain(&of_build);
            let named = named.chain(&of_crates);
            Bounds::of(
                workspace.iter().map(PathBuf::as_path).chain([root]),
                named.map(PathBuf::as_path),
            )
        })
    }

    /// The root of the project that a file belongs to.
    pub fn root_of(&self, file: &Path) -> PathBuf {
        let folder = file.parent().unwrap_or(file);
        if self.answers.is_some()
            && let Some(known) = lock(&self.roots).get(folder)
        {
            return known.clone();
        }
        // A folder on the include path has the headers of whoever includes them from there.
        let included = self.flags.include.iter().map(|folder| normal(folder));
        let known: Vec<PathBuf> = lock(&self.folders)
            .iter()
            .cloned()
            .chain(included)
            .collect();
        let root = tree::root_of(file, &known);
        if self.answers.is_some() {
            lock(&self.roots).insert(folder.to_owned(), root.clone());
        }
        root
    }

    /// Files of `#include`s below `root`, where analyses share them.
    fn answers(&self, root: &Path) -> Option<Arc<Answers>> {
        let answers = self.answers.as_ref()?;
        Some(kept(answers, root, Answers::default))
    }

    /// The index of the folder tree below `root`, made on first use.
    fn index(&self, root: &Path) -> Arc<Index> {
        kept(&self.found.indexes, root, || {
            let flags = self.all_flags(root);
            let mut index = Index::of(root, root, &flags);
            index.add_generated(&self.generated(root), root, &flags);
            index
        })
    }

    /// The sources that scripts below `root` write, evaluated on first use.
    fn generated(&self, root: &Path) -> Arc<Generated> {
        kept(&self.found.generated, root, || {
            Generated::of(root, &self.all_flags(root).include)
        })
    }

    /// The same, after the first use.
    fn generated_so_far(&self, root: &Path) -> Option<Arc<Generated>> {
        let all = lock(&self.found.generated);
        all.get(root).and_then(|made| made.get().map(Arc::clone))
    }

    /// The sources that packages below `root` write. While a project may change, those that are known:
    /// [`read_packages`](Self::read_packages) evaluates them behind the first answers.
    fn packaged(&self, root: &Path) -> Option<Arc<Packaged>> {
        let make = || Packaged::of(root, &self.all_flags(root));
        self.of_builds(&self.found.packaged, root, make)
    }

    /// The same, after the first use.
    fn packaged_so_far(&self, root: &Path) -> Option<Arc<Packaged>> {
        let all = lock(&self.found.packaged);
        all.get(root).and_then(|made| made.get().map(Arc::clone))
    }

    /// The macros that scripts below `root` pass to the compiler, known as [`packaged`](Self::packaged) sources are; none
    /// where there are compile commands, which say them.
    fn macros(&self, root: &Path) -> Option<Arc<Macros>> {
        if self.commands(root).say_macros() {
            return None;
        }
        self.of_builds(&self.found.macros, root, || Macros::of(root))
    }

    fn of_builds<T>(
        &self,
        all: &ByRoot<T>,
        root: &Path,
        make: impl FnOnce() -> T,
    ) -> Option<Arc<T>> {
        if self.answers.is_some() {
            return Some(kept(all, root, make));
        }
        let all = lock(all);
        all.get(root).and_then(|made| made.get().map(Arc::clone))
    }

    /// Reads the macros that scripts around a file pass to the compiler, unless that was done; whether values of sources
    /// may be others now.
    pub fn read_macros(&self, file: &Path) -> bool {
        let root = self.root_of(file);
        let mut is_news = false;
        let macros = kept(&self.found.macros, &root, || {
            is_news = true;
            Macros::of(&root)
        });
        is_news && !macros.is_empty() && !self.commands(&root).say_macros()
    }

    /// Evaluates the packages around a file that write sources, as [`read_macros`](Self::read_macros) does scripts.
    pub fn read_packages(&self, file: &Path) -> bool {
        let root = self.root_of(file);
        let mut is_news = false;
        let packaged = kept(&self.found.packaged, &root, || {
            is_news = true;
            Packaged::of(&root, &self.all_flags(&root))
        });
        is_news && !packaged.is_empty()
    }

    /// The flags of all files together.
    fn all_flags(&self, root: &Path) -> Flags {
        self.flags.clone().and(&self.commands(root).all_flags())
    }

    /// The include relation in the folder of a file, where that of the whole tree is not known yet and translation
    /// units there include the file: the first answer does not wait for thousands of files.
    fn nearby(&self, root: &Path, file: &Path) -> Option<Index> {
        let is_made = |made: &Arc<OnceLock<Arc<Index>>>| made.get().is_some();
        if lock(&self.found.indexes).get(root).is_some_and(is_made) {
            return None;
        }
        let folder = file.parent().filter(|folder| *folder != root)?;
        let index = Index::of(folder, root, &self.all_flags(root));
        (!index.translation_units_of(file).is_empty()).then_some(index)
    }

    /// The import relation below `root`, found on first use.
    fn importers(&self, root: &Path) -> Arc<Importers> {
        kept(&self.found.importers, root, || Importers::of(root))
    }

    /// The compile commands of the files below `root`, read on first use.
    fn commands(&self, root: &Path) -> Arc<Commands> {
        kept(&self.found.commands, root, || Commands::of(root))
    }

    /// Notes that a file on disk may have changed; whether it includes others than those that were found before.
    pub fn note(&self, path: &Path) -> bool {
        self.files.forget(path);
        if Host::of_path(path) == Some(Host::Python) {
            let generates = self.forget_generated(path);
            let builds = self.forget_builds(path);
            return self.forget_importers(path) || generates || builds;
        }
        let made: Vec<(PathBuf, Arc<Index>)> = lock(&self.found.indexes)
            .iter()
            .filter(|(root, _)| path.starts_with(root))
            .filter_map(|(root, index)| Some((root.clone(), Arc::clone(index.get()?))))
            .collect();
        made.iter()
            .any(|(root, index)| index.differs(path, root, &self.all_flags(root)))
    }

    /// Notes that a file of Python changed; whether it writes sources.
    fn forget_generated(&self, path: &Path) -> bool {
        let depends = |(root, made): (&PathBuf, &Arc<OnceLock<Arc<Generated>>>)| {
            let depends = made.get().is_some_and(|made| made.depends_on(path));
            (path.starts_with(root) && depends).then(|| root.clone())
        };
        let roots: Vec<PathBuf> = lock(&self.found.generated)
            .iter()
            .filter_map(depends)
            .collect();
        for root in &roots {
            lock(&self.found.generated).remove(root);
            lock(&self.found.indexes).remove(root);
        }
        !roots.is_empty()
    }

    /// Notes that a file of Python changed; whether it says how sources are compiled.
    fn forget_builds(&self, path: &Path) -> bool {
        let mut all = lock(&self.found.packaged);
        let packages = all.len();
        all.retain(|root, made| {
            let depends = made
                .get()
                .is_some_and(|made| made.generated.depends_on(path));
            !(path.starts_with(root) && depends)
        });
        let is_written = all.len() != packages;
        let mut all = lock(&self.found.macros);
        let macros = all.len();
        all.retain(|root, made| {
            let depends = made.get().is_some_and(|made| made.depends_on(path));
            !(path.starts_with(root) && depends)
        });
        is_written || all.len() != macros
    }

    /// Notes that a file of Python changed; whether it imports others than before.
    fn forget_importers(&self, path: &Path) -> bool {
        let mut importers = lock(&self.found.importers);
        let before = importers.len();
        importers.retain(|root, made| {
            !path.starts_with(root) || made.get().is_none_or(|made| !made.differs(path))
        });
        importers.len() != before
    }

    /// Forgets who includes whom and how files are compiled, as files came, went or changed.
    pub fn forget(&self) {
        lock(&self.found.indexes).clear();
        lock(&self.found.generated).clear();
        lock(&self.found.packaged).clear();
        lock(&self.found.macros).clear();
        lock(&self.found.importers).clear();
        lock(&self.found.commands).clear();
        lock(&self.found.bounds).clear();
        self.ahead.forget();
    }
}

/// The value kept for a root folder, made where there is none yet.
fn kept<T>(all: &ByRoot<T>, root: &Path, make: impl FnOnce() -> T) -> Arc<T> {
    let known = lock(all).get(root).map(Arc::clone);
    let place = known.unwrap_or_else(|| Arc::clone(lock(all).entry(root.to_owned()).or_default()));
    Arc::clone(place.get_or_init(|| Arc::new(make())))
}

fn lock<T>(all: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_on_the_include_path_is_the_root_of_what_has_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("csrc/kernels");
        std::fs::create_dir_all(&inner).expect("folders");
        let file = inner.join("x.cuh");
        assert_eq!(Project::default().root_of(&file), inner);
        let csrc = folder.path().join("csrc");
        let flags = Flags {
            include: vec![folder.path().join("other"), inner.join("..")],
            ..Flags::default()
        };
        let project = Project::new(flags, &[]);
        assert_eq!(project.root_of(&file), csrc);
        project.work_in([folder.path().to_owned()]);
        assert_eq!(project.root_of(&file), folder.path());
    }

    #[test]
    fn the_root_of_a_folder_is_looked_for_once_in_a_project_of_this_moment() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a");
        std::fs::create_dir(&inner).expect("a folder");
        let file = inner.join("x.cu");
        let (lasting, moment) = (Project::default(), Project::default().of_this_moment());
        for project in [&lasting, &moment] {
            project.work_in([inner.clone()]);
            assert_eq!(project.root_of(&file), inner);
        }
        std::fs::write(folder.path().join(".clangd"), "").expect("a file");
        assert_eq!(lasting.root_of(&file), folder.path());
        assert_eq!(moment.root_of(&file), inner);
        moment.work_in([folder.path().to_owned()]);
        assert_eq!(moment.root_of(&file), folder.path());
    }
}
