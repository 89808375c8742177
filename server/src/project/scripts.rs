//! The modules that a script of a project may import while it is evaluated, and the files that it may read.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cute_analysis::{Positions, SourceFile, Sources};
use rustc_hash::FxHashMap;
use tree_sitter_cute::Host;

use super::files::read_text;
use super::modules::{find, outermost_package, package_of, search_path};
use super::tree::normal;
use crate::limits::INCLUDED_PARSE_TIME;

/// The package in which CUTLASS writes kernels. A checkout has it in `python`, beside `include`; its wheel has its sources in
/// a folder of the package, `cutlass_library/source/include`.
const CUTLASS_PACKAGE: &str = "cutlass_library/__init__.py";

/// The modules of Python's own library (`sys.stdlib_module_names` of 3.11).
const STANDARD_MODULES: &str = "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii \
    bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections \
    colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes \
    curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum \
    errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt \
    getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp \
    importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox \
    mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt \
    ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools \
    pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile \
    pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy \
    sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket \
    socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep \
    struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios \
    textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty \
    turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref \
    webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

/// The modules that the scripts of a project may import.
#[derive(Debug)]
pub(super) struct Importable {
    root: PathBuf,
    /// The modules of the project by the last parts of their names.
    by_name: BTreeMap<String, Vec<PathBuf>>,
    /// The folders in which CUTLASS's package is that belongs to the headers.
    of_cutlass: Vec<PathBuf>,
    positions: Positions,
    /// Those that were read: the scripts of a package import the same ones.
    known: Mutex<FxHashMap<PathBuf, Option<Arc<SourceFile>>>>,
}

impl Importable {
    /// The modules of a project, by their normal paths, and those beside its folders of headers.
    pub(super) fn of(root: &Path, modules: &[PathBuf], included: &[PathBuf]) -> Self {
        let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for path in modules {
            if let Some(name) = last_name(path) {
                by_name
                    .entry(name.to_owned())
                    .or_default()
                    .push(path.clone());
            }
        }
        let beside = included.iter().flat_map(|folder| {
            let packages = ["../python", "../../.."];
            packages.map(|package| normal(&folder.join(package)))
        });
        Self {
            root: root.to_owned(),
            by_name,
            of_cutlass: beside
                .filter(|folder| folder.join(CUTLASS_PACKAGE).is_file())
                .collect(),
            positions: Positions::default(),
            known: Mutex::default(),
        }
    }

    /// The only module of the project whose path ends as its name says: a build may put its folder on the path. A module of
    /// Python's own library is never meant.
    fn alone(&self, name: &str) -> Option<PathBuf> {
        let parts: Vec<&str> = name.split('.').collect();
        let (first, last) = (parts.first()?, parts.last()?);
        if STANDARD_MODULES.split(' ').any(|module| module == *first) {
            return None;
        }
        let end: PathBuf = parts.iter().collect();
        let ends = [end.with_extension("py"), end.join("__init__.py")];
        let alike = self.by_name.get(*last)?.iter();
        let mut found = alike.filter(|path| ends.iter().any(|end| path.ends_with(end)));
        let only = found.next()?;
        found.next().is_none().then(|| only.clone())
    }

    fn read(&self, path: PathBuf) -> Option<Arc<SourceFile>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |path: &PathBuf| {
            let text = read_text(path).ok()?;
            let (host, time) = (Host::Python, INCLUDED_PARSE_TIME);
            let file = SourceFile::unread(path.clone(), text, host, time, &self.positions);
            Some(Arc::new(file))
        };
        known.entry(path).or_insert_with_key(read).clone()
    }
}

/// The last part of the name of the module in a file.
fn last_name(path: &Path) -> Option<&str> {
    let stem = path.file_stem()?.to_str()?;
    if stem == "__init__" {
        path.parent()?.file_name()?.to_str()
    } else {
        Some(stem)
    }
}

/// The modules and files of one script.
#[derive(Debug)]
pub(super) struct Modules {
    folders: Vec<PathBuf>,
    importable: Arc<Importable>,
}

impl Modules {
    /// Those of a script.
    pub(super) fn of(script: &Path, importable: &Arc<Importable>) -> Self {
        let root = &importable.root;
        let mut folders: Vec<PathBuf> = Vec::new();
        folders.extend(package_of(script).map(|(outer, _)| outer));
        folders.extend(script.parent().map(Path::to_owned));
        folders.extend(search_path(root, None));
        folders.retain(|folder| folder.starts_with(root));
        folders.extend(importable.of_cutlass.iter().cloned());
        Self {
            folders,
            importable: Arc::clone(importable),
        }
    }

    /// A file of the project: at its path, or where the end of the path is below the root. A package that is installed has
    /// its data elsewhere than its sources.
    fn file(&self, path: &Path) -> Option<PathBuf> {
        let root = &self.importable.root;
        let whole = normal(&root.join(path));
        if whole.starts_with(root) && whole.is_file() {
            return Some(whole);
        }
        let parts: Vec<&OsStr> = path.iter().collect();
        let ends = (1..parts.len().saturating_sub(1)).map(|skipped| {
            let end: PathBuf = parts.iter().skip(skipped).collect();
            normal(&root.join(end))
        });
        let mut ends = ends.filter(|end| end.starts_with(root));
        ends.find(|end| end.is_file())
    }
}

impl Sources for Modules {
    fn module(&self, _: &SourceFile, _: &SourceFile, name: &str) -> Option<Arc<SourceFile>> {
        let found = find(name, &self.folders, &|path| path.is_file());
        let found = found.or_else(|| self.importable.alone(name))?;
        self.importable.read(found)
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

    #[test]
    fn a_module_is_found_where_a_build_may_say_and_beside_headers_of_cutlass() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = normal(folder.path());
        let write = |path: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, "").expect("written");
            path
        };
        let modules: Vec<PathBuf> = [
            "project/a/kinds.py",
            "project/a/json.py",
            "project/a/tiles/__init__.py",
            "project/b/twice.py",
            "project/c/twice.py",
        ]
        .map(write)
        .into();
        write("cutlass/python/cutlass_library/__init__.py");
        let project = root.join("project");
        let included = [root.join("cutlass/include")];
        let importable = Arc::new(Importable::of(&project, &modules, &included));
        let modules = Modules::of(&write("project/tools/generate.py"), &importable);
        let script = SourceFile::analysed("x.py", "", tree_sitter_cute::tree::Unit::default());
        let is_found = |name: &str| modules.module(&script, &script, name).is_some();
        for name in ["kinds", "tiles", "cutlass_library"] {
            assert!(is_found(name), "{name}");
        }
        for name in ["json", "twice", "b.kinds", "nowhere"] {
            assert!(!is_found(name), "{name}");
        }
        assert!(is_found("a.kinds"));
    }
}
