//! Sources that scripts of a project write when it is built: kernels are instantiated by a loop in Python, and no file
//! that is there instantiates them. The scripts are evaluated as any Python is here; what they would write is kept in
//! memory, and taken for files of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cute_analysis::{SourceFile, Stop, written_by};
use tree_sitter_cute::tree::Unit;
use tree_sitter_cute::{Host, cuda};

use super::files::read_text;
use super::importers::Importers;
use super::modules::outermost_package;
use super::scripts::{Importable, Modules};
use super::tree::{is_translation_unit, normal, python_below, sources_below};
use crate::limits::{
    GENERATED_TOGETHER, GENERATED_UNITS, GENERATING_SCRIPTS, GENERATING_STEPS, PACKAGED_STEPS,
};

/// Sources that scripts of a project write, by the paths that the files would have.
#[derive(Debug, Default)]
pub(super) struct Generated {
    texts: BTreeMap<PathBuf, Written>,
    scripts: BTreeSet<PathBuf>,
    /// The files of the project that they include by the ends of their paths: the flags of a build, which a script passes to
    /// the compiler, are not known.
    of_project: BTreeMap<String, PathBuf>,
    /// Those that they include from their own folders, which need not be there: `../kernel.cuh`.
    near: BTreeSet<PathBuf>,
}

/// A source that a script writes.
#[derive(Debug)]
struct Written {
    text: Arc<str>,
    script: Arc<Path>,
}

impl Generated {
    /// Evaluates the scripts below a folder that write sources when they are run. `included` are the folders of headers.
    pub(super) fn of(root: &Path, included: &[PathBuf]) -> Self {
        Self::of_scripts(root, included, false, GENERATING_STEPS)
    }

    /// Evaluates the modules of packages below a folder that write sources when they are used: of those, all functions
    /// are called that take no argument.
    pub(super) fn of_packages(root: &Path, included: &[PathBuf]) -> Self {
        Self::of_scripts(root, included, true, PACKAGED_STEPS)
    }

    fn of_scripts(root: &Path, included: &[PathBuf], in_packages: bool, mut steps: usize) -> Self {
        let mut all = Self::default();
        let paths: Vec<PathBuf> = python_below(root).iter().map(|path| normal(path)).collect();
        let importable = Arc::new(Importable::of(root, &paths, included));
        let wanted = paths.into_iter();
        let wanted = wanted.filter(|path| outermost_package(path).is_some() == in_packages);
        let scripts = wanted.filter_map(|path| {
            let text = read_text(&path).ok().filter(|text| may_generate(text))?;
            Some((path, text))
        });
        let mut scripts: Vec<(PathBuf, String)> = scripts.take(GENERATING_SCRIPTS).collect();
        // A template is written once for each of several arguments: it makes the most instances for a step.
        scripts.sort_by_key(|(_, text)| !text.contains("jinja"));
        if in_packages {
            let program = program_of(root, &scripts);
            scripts.splice(0..0, program);
        }
        for (path, text) in scripts {
            let sources = Modules::of(&path, &importable);
            let script = SourceFile::analysed(path.clone(), text, Unit::default());
            let written = written_by(&script, &sources, &mut steps, &Stop::default());
            all.add(root, &path, written);
            all.scripts.insert(path);
        }
        all.find_in_project(root);
        all
    }

    /// Finds the files whose paths end as an `#include` names them: of each name with a folder the only one.
    fn find_in_project(&mut self, root: &Path) {
        let near = self.texts.iter().flat_map(|(path, written)| {
            let folder = path.parent().unwrap_or(root);
            let includes = cuda::includes(&written.text).into_iter();
            includes.map(|include| normal(&folder.join(&include.path.name)))
        });
        self.near = near
            .filter(|path| path.starts_with(root) && path.is_file())
            .collect();
        let texts = self.texts.values();
        let included = texts.flat_map(|written| cuda::includes(&written.text));
        let names: BTreeSet<String> = included
            .map(|include| include.path.name.clone())
            .filter(|name| name.contains('/') && !name.starts_with("cute/"))
            .collect();
        if names.is_empty() {
            return;
        }
        let mut by_name: BTreeMap<&OsStr, Vec<&Path>> = BTreeMap::new();
        let sources = sources_below(root);
        for source in &sources {
            let name = source.file_name().unwrap_or_default();
            by_name.entry(name).or_default().push(source);
        }
        for name in names {
            let last = Path::new(&name).file_name().unwrap_or_default();
            let alike = by_name.get(last).map_or(&[][..], Vec::as_slice);
            let mut ending = alike.iter().filter(|path| path.ends_with(&name));
            if let (Some(only), None) = (ending.next(), ending.next()) {
                self.of_project.insert(name, normal(only));
            }
        }
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

    /// The target of an `#include` of a file that a script writes, where no flag leads to one: the file beside it, or the only
    /// one whose path ends so, as where the build puts it is not known.
    pub(super) fn included(&self, from: &Path, name: &str) -> Option<&Path> {
        self.texts.get(from)?;
        let beside = from.parent().map(|folder| normal(&folder.join(name)));
        if let Some(beside) = beside {
            let generated = self.texts.get_key_value(&beside).map(|(path, _)| path);
            if let Some(path) = generated.or_else(|| self.near.get(&beside)) {
                return Some(path);
            }
        }
        let mut found = self.texts.keys().filter(|path| path.ends_with(name));
        let first = found.next().filter(|_| found.next().is_none());
        let of_project = || self.of_project.get(name).map(PathBuf::as_path);
        first.map(PathBuf::as_path).or_else(of_project)
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

/// The program of the packages that imports the most of the modules that write sources, from them or from their package: it
/// knows the arguments that their functions are called with.
fn program_of(root: &Path, scripts: &[(PathBuf, String)]) -> Option<(PathBuf, String)> {
    if scripts.is_empty() {
        return None;
    }
    let importers = Importers::of(root);
    let mut imported: BTreeMap<&Path, usize> = BTreeMap::new();
    for (script, _) in scripts {
        let importing: BTreeSet<&Path> = importers.of_package(script).into_iter().collect();
        for path in importing {
            *imported.entry(path).or_default() += 1;
        }
    }
    imported.retain(|path, _| scripts.iter().all(|(script, _)| script != path));
    let mut others: Vec<(&Path, usize)> = imported.into_iter().collect();
    others.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    others.into_iter().find_map(|(path, _)| {
        let text = read_text(path).ok().filter(|text| is_program(text))?;
        Some((path.to_owned(), text))
    })
}

/// Whether a module does something when it is run, by its words alone.
fn is_program(text: &str) -> bool {
    text.contains("__main__")
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
        let generated = Generated::of(&root, &[]);
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
    fn a_script_imports_from_elsewhere_and_its_sources_include_from_a_folder_that_is_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(folder.path());
        let script = "import os\nfrom kinds import WIDTHS\n\nfor width in WIDTHS:\n    \
                      with open(os.path.join(os.path.dirname(__file__), 'made', f'k{width}.cu'), 'w') as f:\n        \
                      f.write(f'#include \"../kernel.cuh\"\\ntemplate void run<{width}>();\\n')\n";
        write(&root, "gemm/kernel.cuh", "");
        write(&root, "gemm/generate.py", script);
        write(&root, "extensions/kinds.py", "WIDTHS = [32, 64]\n");
        let generated = Generated::of(&root, &[]);
        let unit = root.join("gemm/made/k64.cu");
        assert!(generated.text(&unit).is_some());
        let included = generated.included(&unit, "../kernel.cuh");
        assert_eq!(included, Some(root.join("gemm/kernel.cuh").as_path()));
        assert_eq!(generated.included(&unit, "../other.cuh"), None);
    }

    #[test]
    fn what_is_on_disk_is_not_generated_and_nothing_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(&folder.path().join("project"));
        write(&root, "src/made/run_64.cu", "// by hand");
        write(&root, "generate.py", SCRIPT);
        let outside = SCRIPT.replace("src/made", "../elsewhere");
        write(&root, "other.py", &outside);
        let generated = Generated::of(&root, &[]);
        assert_eq!(generated.text(&root.join("src/made/run_64.cu")), None);
        assert_eq!(generated.files().count(), 7);
        assert!(generated.text(&root.join("elsewhere/run_64.cu")).is_some());
        assert!(!folder.path().join("elsewhere").exists() && !root.join("elsewhere").exists());
    }

    #[test]
    fn what_some_machines_write_is_generated_and_a_text_that_depends_on_the_machine_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(folder.path());
        let script = "import socket\n\nif socket.gethostname() == 'a':\n    with open('a.cu', 'w') as f:\n        \
                      f.write('#include \"k.h\"')\nwith open('b.cu', 'w') as f:\n    f.write(socket.gethostname())\n";
        write(&root, "generate.py", script);
        let generated = Generated::of(&root, &[]);
        let names = generated.files().filter_map(|(path, _)| path.file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["a.cu"]);
    }

    #[test]
    fn a_program_of_a_package_calls_the_functions_that_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(folder.path());
        let maker = "def make(folder, width):\n    with open(f'{folder}/run_{width}.cu', 'w') as f:\n        \
                     f.write(f'#include \"k.h\"\\ntemplate void run<{width}>();\\n')\n";
        let program = "import os\nimport sys\nfrom .jit import make\n\n\ndef main():\n    \
                       folder = os.environ.get('FOLDER', 'made')\n    make(folder, 32)\n    \
                       if 'sm90' in sys.argv:\n        make(folder, 64)\n\n\nif __name__ == '__main__':\n    main()\n";
        write(&root, "pkg/__init__.py", "");
        write(&root, "pkg/jit/__init__.py", "from .maker import make\n");
        write(&root, "pkg/jit/maker.py", maker);
        write(&root, "pkg/aot.py", program);
        let generated = Generated::of_packages(&root, &[]);
        let names = generated.files().filter_map(|(path, _)| path.file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["run_32.cu", "run_64.cu"]);
    }

    #[test]
    fn what_a_generated_source_includes_is_beside_it_or_the_only_file_with_this_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(folder.path());
        let script = "for width in (32, 64):\n    with open(f'made/{width}/config.inc', 'w') as f:\n        \
                      f.write(f'constexpr int kWidth = {width};\\n')\n    with open(f'made/{width}/run.cu', 'w') as f:\n        \
                      f.write('#include \"config.inc\"\\n#include \"kernels/run.inl\"\\n#include \"kernels/two.h\"\\n')\n";
        write(&root, "generate.py", script);
        write(&root, "src/kernels/run.inl", "");
        write(&root, "src/kernels/two.h", "");
        write(&root, "other/kernels/two.h", "");
        let generated = Generated::of(&root, &[]);
        let from = root.join("made/64/run.cu");
        let included = |name: &str| generated.included(&from, name).map(Path::to_owned);
        assert_eq!(
            included("config.inc"),
            Some(root.join("made/64/config.inc"))
        );
        assert_eq!(
            included("kernels/run.inl"),
            Some(root.join("src/kernels/run.inl"))
        );
        assert_eq!(included("kernels/two.h"), None);
        assert_eq!(
            generated.included(&root.join("src/a.cu"), "config.inc"),
            None
        );
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
