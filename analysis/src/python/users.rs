//! Instances that something outside of the file makes: comments that ask for them, tests and programs of the project
//! that import it.

use std::sync::Arc;

use tree_sitter_cute::script::{Function as Code, Script, Stmt, StmtKind};
use tree_sitter_cute::tree::Span;

use super::choices::Changes;
use super::functions_in::functions_in;
use super::heap::{Id, Object, Rewritten};
use super::machine::{File, Frame, Machine, Run};
use super::record::Maker;
use super::runs::inside;
use super::value::Py;
use super::{builtins, dsl};
use crate::directive::DirectiveKind;
use crate::hash::HashSet;
use crate::limits;
use crate::sources::SourceFile;

/// The part of all steps that the users of a file may take: objects that no code makes are supposed with the rest.
const SHARE: usize = 2;
/// The part of the steps that one user leaves to those behind it.
const OTHERS: usize = 4;
/// Users of a file that are run although its kernels have been: each makes other instances, and takes the time of its
/// kernels.
const TELLING: usize = 3;
/// The run of the tests of the file itself.
const TESTS: &str = "tests";

impl Machine<'_> {
    /// Makes the objects and calls that comments ask for: `# cute: instantiate Kernel(BFloat16, 128)`.
    pub(super) fn make_what_is_asked(&mut self, scope: Id) {
        let focus = self.focus;
        for directive in focus.directives() {
            let DirectiveKind::Make(call) = directive.kind else {
                continue;
            };
            let text = focus.slice(call);
            if !self.begins_run(&inside("", text)) {
                continue;
            }
            let outer = self.record.origin.replace(text.into());
            self.make(scope, text);
            self.record.origin = outer;
        }
    }

    /// Evaluates a call of a comment where the file ends, and runs the kernel of the object that it makes.
    fn make(&mut self, scope: Id, text: &str) {
        let script = Arc::new(Script::read(text));
        let value = script.body.first().and_then(|stmt| match &stmt.kind {
            StmtKind::Expr(value) => Some(value),
            _ => None,
        });
        let Some(value) = value else { return };
        // Its spans are not those of the file, so it is a separate file.
        self.files.push(File {
            module: "".into(),
            script: Arc::clone(&script),
            source: None,
            is_focus: false,
        });
        let inner = self.new_scope(Some(scope), false);
        for name in names_of(text) {
            self.bind_word(inner, scope, name);
        }
        let frame = Frame::of(inner, self.files.len() - 1, "");
        let (made, _) = self.in_frame(frame, |machine| machine.eval(value));
        let Ok(this @ Py::Object(object)) = made else {
            return;
        };
        let Object::Instance(instance) = self.heap.get(object) else {
            return;
        };
        let class = instance.class;
        if let Some(call) = self.jit_call_of(class) {
            let args = self.supposed_call(&call, this, &Changes::default());
            // An error ends this kernel, not the others.
            let _ = self.call_function(&call, args);
        }
    }

    /// Binds a name of the DSL that the file does not bind: `BFloat16` is `cutlass.BFloat16`.
    fn bind_word(&mut self, scope: Id, outer: Id, name: &str) {
        let is_bound = match self.heap.get(outer) {
            Object::Scope(outer) => outer.names.get(name).is_some(),
            _ => false,
        };
        if is_bound || builtins::named(name).is_some() {
            return;
        }
        let word = dsl::member("cutlass", name).or_else(|| dsl::member("cutlass.cute", name));
        if let Some(word) = word {
            self.bind_in(scope, name.into(), word);
        }
    }

    /// Runs the tests of the file, then the modules that import it, until a few of them have run its kernels: its
    /// `main` shows one instance of many.
    pub(super) fn run_users(&mut self, scope: Id) {
        let reserve = self.budget.steps / SHARE;
        self.budget.steps -= reserve;
        let tested = match self.begins_run(TESTS) {
            true => self.run_tests(scope),
            false => Ok(()),
        };
        let has_kernels = self.has_kernels();
        if tested.is_ok() && (has_kernels || self.is_of_kernels()) {
            let mut telling = 0;
            for user in self.users().iter().take(limits::USERS_OF_A_MODULE) {
                let before = self.record.activations.len();
                let kept = self.budget.steps / OTHERS;
                self.budget.steps -= kept;
                let ran = self.run_user(user);
                self.budget.steps += kept;
                if ran.is_err() && self.budget.is_over() {
                    break;
                }
                let tells = match has_kernels {
                    true => self.ran_kernels_since(before),
                    false => self.ran_functions_since(before),
                };
                telling += usize::from(tells);
                if telling >= TELLING && !self.has_kernels_left() {
                    break;
                }
            }
        }
        self.run_compilers(0);
        self.budget.steps += reserve;
    }

    /// The modules that import the file: programs and tests before the modules of the same package, whose calls pass on
    /// what they are given.
    pub(super) fn users(&self) -> Vec<Arc<SourceFile>> {
        let package = |file: &SourceFile| {
            let name = self.sources.module_name(file)?;
            let (first, _) = name.split_once('.')?;
            Some(first.to_owned())
        };
        let own = package(self.focus);
        let mut users = self.sources.users(self.focus);
        users.sort_by_key(|user| own.is_some() && package(user) == own);
        users
    }

    /// Runs a module that imports the file, with its tests.
    fn run_user(&mut self, user: &Arc<SourceFile>) -> Run<()> {
        if !self.begins_run(&user.path().to_string_lossy()) {
            return Ok(());
        }
        let name = self.sources.module_name(user);
        let name = name.unwrap_or_else(|| user.name());
        let outer = self.record.origin.replace(user.name().into());
        self.record.maker = Maker::Program;
        let ran = self.run_program(&name, user);
        self.record.maker = Maker::Any;
        let ran = ran.and_then(|scope| match scope {
            Some(scope) => self.run_tests(scope),
            None => Ok(()),
        });
        if let (Ok(()), Some(file)) = (&ran, self.file_of(user.path())) {
            self.run_compilers(file);
        }
        self.record.origin = outer;
        ran
    }

    /// The functions of the file that are traced, and the place of each.
    fn kernels(&self) -> impl Iterator<Item = Span> {
        (self.heap.first_own()..self.heap.len()).filter_map(|at| match self.heap.get(Id::nth(at)) {
            Object::Function(function) => {
                let is_kernel = function.rewritten != Rewritten::No
                    && self
                        .files
                        .get(function.file)
                        .is_some_and(|file| file.is_focus);
                is_kernel.then(|| self.place(function.file, function.code.span))
            }
            _ => None,
        })
    }

    fn has_kernels(&self) -> bool {
        self.kernels().next().is_some()
    }

    /// Whether kernels of others may call functions of the file, or functions of the file make kernels: it imports the
    /// DSL.
    fn is_of_kernels(&self) -> bool {
        let Some(file) = self.files.first() else {
            return false;
        };
        let imports = |stmt: &Stmt| {
            let names = self.modules_of(&stmt.kind);
            let mut packages = names.iter().filter_map(|name| name.split('.').next());
            packages.any(|package| package == "cutlass")
        };
        file.script.body.iter().any(imports)
    }

    /// Whether calls that were made since then run a function of the file.
    fn ran_functions_since(&self, before: usize) -> bool {
        let since = self.record.activations.get(before..).unwrap_or_default();
        since.iter().any(|call| !call.function.is_empty())
    }

    /// Whether calls that were made since then run a kernel of the file.
    fn ran_kernels_since(&self, before: usize) -> bool {
        let since = self.record.activations.get(before..).unwrap_or_default();
        let codes: HashSet<Span> = since.iter().map(|call| call.code).collect();
        !codes.is_empty() && self.kernels().any(|code| codes.contains(&code))
    }

    /// Whether the file has functions that were not run.
    pub(super) fn has_functions_left(&self) -> bool {
        let mut all = self.functions_of_file();
        all.any(|it| !self.covered.ran.contains(&it.span))
    }

    /// Number of functions of the file that were run.
    pub(super) fn functions_run(&self) -> usize {
        let all = self.functions_of_file();
        all.filter(|it| self.covered.ran.contains(&it.span)).count()
    }

    pub(super) fn functions_of_file(&self) -> impl Iterator<Item = Arc<Code>> {
        let file = self.files.first();
        let all = file.map(|file| functions_in(&file.script.body));
        all.into_iter().flatten()
    }

    /// Whether the file has kernels that were not run.
    pub(super) fn has_kernels_left(&self) -> bool {
        self.kernels().any(|code| !self.covered.ran.contains(&code))
    }
}

/// The words of a text that may be names.
fn names_of(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| it != '_' && !it.is_alphanumeric());
    words.filter(|word| word.starts_with(|it: char| it == '_' || it.is_alphabetic()))
}
