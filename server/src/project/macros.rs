//! Macros that scripts of a project pass to the compiler: a package that compiles its sources at run time, or in a
//! `setup.py`, has no compile commands; its `-D` flags are literals of Python.
//!
//! A literal counts where nothing decides whether it is reached. One in a function that names sources is for them, any
//! other for all sources.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tree_sitter_cute::script::{Expr, ExprKind, Function, Script, Stmt, StmtKind};

use super::files::read_text;
use super::flags::defined;
use super::tree::{is_translation_unit, normal, python_below};
use crate::limits::{COMPILING_SCRIPTS, SCRIPT_NESTING};

/// A macro with its replacement text; without one where scripts give several.
type Defines = BTreeMap<String, Option<String>>;

/// The macros of a project's scripts.
#[derive(Debug, Default)]
pub(super) struct Macros {
    everywhere: Defines,
    /// Macros of the sources whose paths end so.
    by_source: BTreeMap<PathBuf, Defines>,
    /// Macros of the sources that scripts write.
    by_script: BTreeMap<PathBuf, Defines>,
}

impl Macros {
    /// Reads the scripts below a folder.
    pub(super) fn of(root: &Path) -> Self {
        let mut macros = Self::default();
        let paths = python_below(root).into_iter();
        let scripts = paths.filter_map(|path| {
            let text = read_text(&path).ok().filter(|text| may_compile(text))?;
            Some((normal(&path), text))
        });
        for (path, text) in scripts.take(COMPILING_SCRIPTS) {
            let mut own = Defines::default();
            for scope in scopes(&Script::read(&text)) {
                macros.add(scope, &mut own);
            }
            macros.by_script.insert(path, own);
        }
        macros
    }

    fn add(&mut self, scope: Scope<'_>, of_script: &mut Defines) {
        if scope.configures {
            return;
        }
        let sources: Vec<PathBuf> = scope.sources.into_iter().map(PathBuf::from).collect();
        for flag in scope.flags {
            let (name, value) = defined(flag);
            note(of_script, &name, &value);
            if sources.is_empty() {
                note(&mut self.everywhere, &name, &value);
            }
            for source in &sources {
                let own = self.by_source.entry(source.clone()).or_default();
                note(own, &name, &value);
            }
        }
    }

    /// The macros of a source, by their names: one that a script writes, or one that is there.
    pub(super) fn of_file(&self, file: &Path, script: Option<&Path>) -> BTreeMap<&str, &str> {
        let own = self.by_source.iter();
        let own = own.filter(|(source, _)| file.ends_with(source));
        let own = own.map(|(_, defines)| defines);
        let written = script.and_then(|script| self.by_script.get(script));
        let all = std::iter::once(&self.everywhere).chain(own).chain(written);
        let each = all.flatten();
        each.filter_map(|(name, value)| Some((name.as_str(), value.as_deref()?)))
            .collect()
    }

    /// Whether the scripts define no macro.
    pub(super) fn is_empty(&self) -> bool {
        self.everywhere.is_empty() && self.by_source.is_empty()
    }

    /// Whether a file of Python passes macros, or did.
    pub(super) fn depends_on(&self, path: &Path) -> bool {
        self.by_script.contains_key(path) || read_text(path).is_ok_and(|text| may_compile(&text))
    }
}

fn note(defines: &mut Defines, name: &str, value: &str) {
    let known = defines
        .entry(name.to_owned())
        .or_insert_with(|| Some(value.to_owned()));
    if known.as_deref() != Some(value) {
        *known = None;
    }
}

/// Whether a script may pass macros to a compiler, by its words alone.
fn may_compile(text: &str) -> bool {
    text.contains("-D")
        && [".cu", "nvcc", "CUDAExtension"]
            .iter()
            .any(|it| text.contains(it))
}

/// The literals of a function, or of a file without its functions.
#[derive(Debug, Default)]
struct Scope<'s> {
    /// Flags `-D`, without it, that nothing decides.
    flags: Vec<&'s str>,
    /// Translation units that are named.
    sources: Vec<&'s str>,
    /// Whether these are the settings of a build by `CMake`, and no macros.
    configures: bool,
}

impl<'s> Scope<'s> {
    fn note(&mut self, literal: &'s str, is_certain: bool) {
        // A pattern names no source.
        if is_translation_unit(Path::new(literal)) && !literal.contains('*') {
            self.sources.push(literal);
        }
        let Some(flag) = literal.strip_prefix("-D") else {
            self.configures |= literal == "cmake";
            return;
        };
        self.configures |= flag.starts_with("CMAKE_");
        if is_certain && is_define(flag) {
            self.flags.push(flag);
        }
    }
}

/// Whether a text is `NAME`, or `NAME=VALUE` with a number or a name.
fn is_define(flag: &str) -> bool {
    let (name, value) = flag.split_once('=').unwrap_or((flag, "1"));
    let is_word = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|it| it == b'_' || it.is_ascii_alphanumeric())
    };
    is_word(name) && is_word(value) && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// Something that a scope contains.
enum Part<'s> {
    Stmt(&'s Stmt),
    Expr(&'s Expr),
    Function(&'s Function),
}

/// The literals of a script, by scopes.
fn scopes(script: &Script) -> Vec<Scope<'_>> {
    let mut scopes = vec![Scope::default()];
    // The index of the scope, whether nothing decides that it is reached, and the depth.
    let mut open: Vec<(Part<'_>, usize, bool, usize)> = Vec::new();
    let body = script.body.iter().rev();
    open.extend(body.map(|stmt| (Part::Stmt(stmt), 0, true, 0)));
    while let Some((part, at, certain, depth)) = open.pop() {
        if depth > SCRIPT_NESTING {
            continue;
        }
        match part {
            Part::Function(function) => {
                scopes.push(Scope::default());
                let own = scopes.len() - 1;
                let body = function.body.iter().rev();
                open.extend(body.map(|stmt| (Part::Stmt(stmt), own, true, depth + 1)));
            }
            Part::Stmt(stmt) => {
                of_stmt(&stmt.kind, &mut |part, stays| {
                    open.push((part, at, certain && stays, depth + 1));
                });
            }
            Part::Expr(expr) => {
                if let (ExprKind::Str(text), Some(scope)) = (&expr.kind, scopes.get_mut(at)) {
                    scope.note(text, certain);
                }
                of_expr(&expr.kind, &mut |part, stays| {
                    open.push((part, at, certain && stays, depth + 1));
                });
            }
        }
    }
    scopes
}

/// The parts of a statement, each with whether it is evaluated whenever the statement is.
fn of_stmt<'s>(kind: &'s StmtKind, visit: &mut impl FnMut(Part<'s>, bool)) {
    let mut block = |body: &'s [Stmt], stays: bool| {
        for stmt in body {
            visit(Part::Stmt(stmt), stays);
        }
    };
    match kind {
        StmtKind::If(_, body, orelse)
        | StmtKind::While(_, body, orelse)
        | StmtKind::For { body, orelse, .. } => {
            block(body, false);
            block(orelse, false);
        }
        StmtKind::With(_, body) => block(body, true),
        StmtKind::Try {
            body,
            handlers,
            orelse,
            finally,
        } => {
            block(body, true);
            block(orelse, false);
            block(finally, true);
            for handler in handlers {
                block(&handler.body, false);
            }
        }
        StmtKind::Match(_, cases) => {
            for case in cases {
                block(&case.body, false);
            }
        }
        StmtKind::Class(class) => block(&class.body, true),
        StmtKind::Function(function) => visit(Part::Function(function), true),
        StmtKind::Expr(value)
        | StmtKind::Assign(_, value)
        | StmtKind::Augmented(_, _, value)
        | StmtKind::Return(Some(value))
        | StmtKind::Annotated {
            value: Some(value), ..
        } => visit(Part::Expr(value), true),
        _ => {}
    }
}

/// The parts of an expression, each with whether it is evaluated whenever the expression is.
fn of_expr<'s>(kind: &'s ExprKind, visit: &mut impl FnMut(Part<'s>, bool)) {
    match kind {
        ExprKind::Tuple(items) | ExprKind::List(items) | ExprKind::Set(items) => {
            for item in items {
                visit(Part::Expr(item), true);
            }
        }
        ExprKind::Dict(items) => {
            for (_, value) in items {
                visit(Part::Expr(value), true);
            }
        }
        ExprKind::Binary(_, one, two) => {
            visit(Part::Expr(one), true);
            visit(Part::Expr(two), true);
        }
        ExprKind::Starred(inner) => visit(Part::Expr(inner), true),
        ExprKind::Call(callee, args) => {
            visit(Part::Expr(callee), true);
            for arg in args {
                visit(Part::Expr(&arg.value), true);
            }
        }
        ExprKind::Attribute(object, _) => visit(Part::Expr(object), true),
        ExprKind::Conditional(choice) => {
            visit(Part::Expr(&choice.then), false);
            visit(Part::Expr(&choice.orelse), false);
        }
        ExprKind::Logical(_, one, two) => {
            visit(Part::Expr(one), false);
            visit(Part::Expr(two), false);
        }
        ExprKind::Comprehension(all) => visit(Part::Expr(&all.element), false),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn macros(text: &str) -> Macros {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("setup.py"), text).expect("written");
        Macros::of(&normal(folder.path()))
    }

    fn of_file(text: &str, file: &str) -> Vec<(String, String)> {
        let macros = macros(text);
        let found = macros.of_file(Path::new(file), None).into_iter();
        found
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    fn names(text: &str, file: &str) -> Vec<String> {
        let found = of_file(text, file).into_iter();
        found.map(|(name, _)| name).collect()
    }

    #[test]
    fn a_flag_that_nothing_decides_is_a_macro_of_all_sources() {
        let text = "\
class Context:
    COMMON = ['-DCOMMON', '-O3']

flags = ['-DALL=2', '-lineinfo'] + Context.COMMON

def compile(sources, extra):
    nvcc = [*extra, '-DIN_A_CALL']
    nvcc += ['-DADDED']
    run('nvcc', nvcc)
";
        let found = of_file(text, "/p/csrc/a.cu");
        let named: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(named, ["ADDED", "ALL", "COMMON", "IN_A_CALL"]);
        assert_eq!(found[1].1, "2");
        assert_eq!(found[0].1, "1");
    }

    #[test]
    fn a_flag_that_depends_on_something_is_none() {
        let text = "\
flags = ['-DALWAYS'] + (['-DCHOSEN'] if DEBUG else [])
if DEBUG:
    flags += ['-DIN_A_BRANCH']
for name in names:
    flags += ['-DIN_A_LOOP', f'-D{name}']
flags += ['-DEACH' for _ in names]
flags += DEBUG and ['-DAND'] or ['-DOR']
try:
    import torch
except ImportError:
    flags += ['-DHANDLED']
nvcc(flags)
";
        assert_eq!(names(text, "/p/a.cu"), ["ALWAYS"]);
    }

    #[test]
    fn flags_beside_sources_are_theirs() {
        let text = "\
def gemm():
    return spec('gemm', ['gemm/a.cu', CSRC / 'b.cu'], flags=['-DGEMM'])

def norm():
    return spec('norm', ['norm.cu'], flags=['-DNORM'])

def rest():
    return spec('rest', glob('*.cu'), flags=['-DREST'])
";
        assert_eq!(names(text, "/p/csrc/gemm/a.cu"), ["GEMM", "REST"]);
        assert_eq!(names(text, "/p/csrc/b.cu"), ["GEMM", "REST"]);
        assert_eq!(names(text, "/p/norm.cu"), ["NORM", "REST"]);
        assert_eq!(names(text, "/p/other/a.cu"), ["REST"]);
    }

    #[test]
    fn what_scripts_do_not_agree_on_is_no_macro() {
        let text = "\
def one():
    nvcc(['-DWIDTH=1', '-DSAME=3'])

def two():
    nvcc(['-DWIDTH=2', '-DSAME=3'])
";
        assert_eq!(names(text, "/p/a.cu"), ["SAME"]);
    }

    #[test]
    fn settings_of_cmake_and_other_texts_are_no_macros() {
        let text = "\
def configure():
    run(['cmake', '-DUSE_CUDA=ON', 'kernel.cu'])

def also():
    run([tool, '-DCMAKE_BUILD_TYPE=Release', '-DUSE_MPI=ON'])

nvcc('-D', '-DPATH=\"a b\"', '-D1', 'A -DB')
";
        assert!(macros(text).is_empty());
        assert!(!macros("nvcc('-DA')").is_empty());
    }
}
