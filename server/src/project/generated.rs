//! Sources that scripts of a project write when it is built: kernels are instantiated by a loop in Python, and no file
//! that is there instantiates them. The scripts are evaluated as any Python is here; what they would write is kept in
//! memory, and taken for files of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cute_analysis::{Positions, SourceFile, Sources, Stop, written_by};
use rustc_hash::FxHashMap;
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Host, cuda};

use super::files::read_text;
use super::modules::{find as find_module, outermost_package, package_of, search_path};
use super::tree::{is_translation_unit, normal, python_below};
use crate::limits::{
    GENERATED_TOGETHER, GENERATED_UNITS, GENERATING_SCRIPTS, GENERATING_STEPS, INCLUDED_PARSE_TIME,
    PACKAGED_STEPS,
};

/// Sources that scripts of a project write, by the paths that the files would have.
#[derive(Debug, Default)]
pub(super) struct Generated {
    texts: BTreeMap<PathBuf, Written>,
    scripts: BTreeSet<PathBuf>,
}

/// A source that a script writes.
#[derive(Debug)]
struct Written {
    text: Arc<str>,
    script: Arc<Path>,
}

impl Generated {
    /// Evaluates the scripts below a folder that write sources when they are run.
    pub(super) fn of(root: &Path) -> Self {
        Self::of_scripts(root, false, GENERATING_STEPS)
    }

    /// Evaluates the modules of packages below a folder that write sources when they are used: of those, all functions
    /// are called that take no argument.
    pub(super) fn of_packages(root: &Path) -> Self {
        Self::of_scripts(root, true, PACKAGED_STEPS)
    }

    fn of_scripts(root: &Path, in_packages: bool, mut steps: usize) -> Self {
        let mut all = Self::default();
        let paths = python_below(root).into_iter().map(|path| normal(&path));
        let wanted = paths.filter(|path| outermost_package(path).is_some() == in_packages);
        let scripts = wanted.filter_map(|path| {
            let text = read_text(&path).ok().filter(|text| may_generate(text))?;
            Some((path, text))
        });
        let mut scripts: Vec<(PathBuf, String)> = scripts.take(GENERATING_SCRIPTS).collect();
        // A template is written once for each of several arguments: it makes the most instances for a step.
        scripts.sort_by_key(|(_, text)| !text.contains("jinja"));
        let read = Arc::default();
        for (path, text) in scripts {
            let sources = Modules::of(root, &path, &read);
            let script = SourceFile::analysed(path.clone(), text, Unit::default());
            let written = written_by(&script, &sources, &mut steps, &Stop::default());
            all.add(root, &path, written);
            all.scripts.insert(path);
        }
        all
    }

    /// Adds what one script writes: headers, and of the translation units that include the same headers as many as fit,
    /// from the first to the last.
    fn add(&mut self, root: &Path, script: &Path, written: Vec<(String, String)>) {
        let mut units: BTreeMap<Vec<String>, Vec<(PathBuf, String)>> = BTreeMap::new();
        for (named, text) in written {
            let path = place_of(root, script, Path::new(&named));
            if path.is_file() || Host::of_path(&path) != Some(Host::CudaCpp) {
                continue;
            }
            if !is_translation_unit(&path) {
                self.keep(path, text, script);
                continue;
            }
            let includes = cuda::includes(&text).into_iter();
            let names = includes.map(|include| include.path.name.clone()).collect();
            units.entry(names).or_default().push((path, text));
        }
        for alike in units.into_values() {
            for (path, text) in spread(alike) {
                self.keep(path, text, script);
            }
        }
    }

    fn keep(&mut self, path: PathBuf, text: String, script: &Path) {
        let written = Written {
            text: text.into(),
            script: script.into(),
        };
        self.texts.insert(path, written);
    }

    /// The text of a file that a script writes.
    pub(super) fn text(&self, path: &Path) -> Option<&Arc<str>> {
        self.texts.get(path).map(|written| &written.text)
    }

    /// The script that writes a file.
    pub(super) fn script_of(&self, path: &Path) -> Option<&Path> {
        self.texts.get(path).map(|written| &*written.script)
    }

    /// The only file whose path ends as an `#include` names it: where the build puts it is not known.
    pub(super) fn ending_with(&self, name: &str) -> Option<&Path> {
        let mut found = self.texts.keys().filter(|path| path.ends_with(name));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The files with their texts.
    pub(super) fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        let texts = self.texts.iter();
        texts.map(|(path, written)| (path.as_path(), &*written.text))
    }

    /// Whether a file of Python is a script that writes sources, or was one.
    pub(super) fn depends_on(&self, path: &Path) -> bool {
        self.scripts.contains(path) || read_text(path).is_ok_and(|text| may_generate(&text))
    }
}

/// Whether a script may write sources, by its words alone.
fn may_generate(text: &str) -> bool {
    text.contains(".cu")
        && text.contains("write")
        && (text.contains("#include") || text.contains("jinja"))
}

/// The path of a file that a script names: an existing folder says whether the name begins at the root of the project or in
/// the script's own folder. A file outside of the project, in a cache, is taken for one beside the script.
fn place_of(root: &Path, script: &Path, named: &Path) -> PathBuf {
    let own = script.parent().unwrap_or(root);
    let first = named.components().next().map(|first| root.join(first));
    let from_root = named.components().count() > 1 && first.is_some_and(|first| first.is_dir());
    let folder = if from_root { root } else { own };
    let path = normal(&folder.join(named));
    if path.starts_with(root) {
        return path;
    }
    let parts: Vec<&OsStr> = path.iter().collect();
    let end: PathBuf = parts.iter().skip(parts.len().saturating_sub(2)).collect();
    own.join(end)
}

/// Some of several units, evenly from the first to the last: no more than [`GENERATED_UNITS`], and one more than fit
/// into [`GENERATED_TOGETHER`].
fn spread(alike: Vec<(PathBuf, String)>) -> Vec<(PathBuf, String)> {
    let count = alike.len();
    let bytes: usize = alike.iter().map(|(_, text)| text.len()).sum();
    let fit = GENERATED_TOGETHER * count / bytes.max(1) + 1;
    let kept = fit.min(GENERATED_UNITS).min(count);
    let is_kept = |at: usize| match kept {
        0 | 1 => at == 0,
        _ => (0..kept).any(|nth| nth * (count - 1) / (kept - 1) == at),
    };
    let alike = alike.into_iter().enumerate();
    let kept = alike.filter(|(at, _)| is_kept(*at));
    kept.map(|(_, unit)| unit).collect()
}

/// The modules that a script may import, and the files that it may read: those of its project.
#[derive(Debug)]
struct Modules {
    root: PathBuf,
    folders: Vec<PathBuf>,
    read: Arc<Read>,
}

/// Modules that were read: the scripts of a package import the same ones.
#[derive(Debug, Default)]
struct Read {
    positions: Positions,
    known: Mutex<FxHashMap<PathBuf, Option<Arc<SourceFile>>>>,
}

impl Modules {
    fn of(root: &Path, script: &Path, read: &Arc<Read>) -> Self {
        let mut folders: Vec<PathBuf> = Vec::new();
        folders.extend(package_of(script).map(|(outer, _)| outer));
        folders.extend(script.parent().map(Path::to_owned));
        folders.extend(search_path(root, None));
        folders.retain(|folder| folder.starts_with(root));
        Self {
            root: root.to_owned(),
            folders,
            read: Arc::clone(read),
        }
    }

    /// A file of the project: at its path, or where the end of the path is below the root. A package that is installed has
    /// its data elsewhere than its sources.
    fn file(&self, path: &Path) -> Option<PathBuf> {
        let whole = normal(&self.root.join(path));
        if whole.starts_with(&self.root) && whole.is_file() {
            return Some(whole);
        }
        let parts: Vec<&OsStr> = path.iter().collect();
        let ends = (1..parts.len().saturating_sub(1)).map(|skipped| {
            let end: PathBuf = parts.iter().skip(skipped).collect();
            normal(&self.root.join(end))
        });
        let mut ends = ends.filter(|end| end.starts_with(&self.root));
        ends.find(|end| end.is_file())
    }
}

impl Sources for Modules {
    fn module(&self, _: &SourceFile, _: &SourceFile, name: &str) -> Option<Arc<SourceFile>> {
        let found = find_module(name, &self.folders, &|path| path.is_file())?;
        let mut known = (self.read.known.lock()).unwrap_or_else(PoisonError::into_inner);
        let read = |path: &PathBuf| {
            let text = read_text(path).ok()?;
            let (host, time) = (Host::Python, INCLUDED_PARSE_TIME);
            let file = SourceFile::unread(path.clone(), text, host, time, &self.read.positions);
            Some(Arc::new(file))
        };
        let file = known.entry(found).or_insert_with_key(read);
        file.clone()
    }

    fn module_name(&self, file: &SourceFile) -> Option<String> {
        outermost_package(file.path())?;
        package_of(file.path()).map(|(_, name)| name)
    }

    fn text(&self, path: &Path) -> Option<Arc<str>> {
        read_text(&self.file(path)?).ok().map(Arc::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    const SCRIPT: &str = r##"
import argparse
import itertools
from dataclasses import dataclass
from pathlib import Path

TEMPLATE = """#include "kernel.cuh"
template void run<{width}, {causal}>(Params{{}});
"""


@dataclass
class Kernel:
    width: int
    causal: bool

    @property
    def text(self):
        return TEMPLATE.format(width=self.width, causal=str(self.causal).lower())


def main(folder):
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    for width, causal in itertools.product([32, 64], [False, True]):
        name = f"run_{width}{'_causal' if causal else ''}.cu"
        (folder / name).write_text(Kernel(width, causal).text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", default="src/made")
    main(parser.parse_args().output)
"##;

    #[test]
    fn a_script_that_writes_instances_gives_their_texts() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(folder.path());
        write(&root, "src/kernel.cuh", "");
        write(&root, "tools/generate.py", SCRIPT);
        let generated = Generated::of(&root);
        let text = generated.text(&root.join("src/made/run_64_causal.cu"));
        assert_eq!(
            text.map(|text| &**text),
            Some("#include \"kernel.cuh\"\ntemplate void run<64, true>(Params{});\n")
        );
        assert_eq!(generated.files().count(), 4);
        assert!(generated.depends_on(&root.join("tools/generate.py")));
        assert!(!generated.depends_on(&root.join("src/kernel.cuh")));
    }

    #[test]
    fn what_is_on_disk_is_not_generated_and_nothing_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(&folder.path().join("project"));
        write(&root, "src/made/run_64.cu", "// by hand");
        write(&root, "generate.py", SCRIPT);
        let outside = SCRIPT.replace("src/made", "../elsewhere");
        write(&root, "other.py", &outside);
        let generated = Generated::of(&root);
        assert_eq!(generated.text(&root.join("src/made/run_64.cu")), None);
        assert_eq!(generated.files().count(), 7);
        assert!(generated.text(&root.join("elsewhere/run_64.cu")).is_some());
        assert!(!folder.path().join("elsewhere").exists() && !root.join("elsewhere").exists());
    }

    #[test]
    fn what_depends_on_the_machine_is_not_generated() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(folder.path());
        let script = "import socket\n\nif socket.gethostname() == 'a':\n    with open('a.cu', 'w') as f:\n        \
                      f.write('#include \"k.h\"')\nwith open('b.cu', 'w') as f:\n    f.write(socket.gethostname())\n";
        write(&root, "generate.py", script);
        assert_eq!(Generated::of(&root).files().count(), 0);
    }

    #[test]
    fn of_many_units_some_are_kept_evenly() {
        let unit = |at: usize| (PathBuf::from(format!("{at:04}.cu")), "x".repeat(4_000));
        let kept = spread((0..1_000).map(unit).collect());
        assert_eq!(
            kept.first().map(|(path, _)| path.as_path()),
            Some(Path::new("0000.cu"))
        );
        assert_eq!(
            kept.last().map(|(path, _)| path.as_path()),
            Some(Path::new("0999.cu"))
        );
        assert_eq!(kept.len(), GENERATED_TOGETHER / 4_000 + 1);
        assert_eq!(spread(vec![unit(0)]).len(), 1);
    }
}
