//! Rust: meanings of paths, words of crates, modules in other files.
//!
//! A name is looked up as the language does: local variables and generic parameters, then the module
//! with its `use`s, then the crates. A crate's word means something only where a path leads to it.

mod calls;
mod launches;
mod modules;
mod names;
mod records;
mod shared;

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{
    Expr, ExprKind, Ident, Item, ItemKind, Path, Using, Visitor, walk_item, walk_unit,
};

use super::Interpreter;
use super::focus::Focus;
use super::program::{Environment, Program};
use crate::output::Output;

use crate::limits;
use crate::options::Options;
use crate::sources::SourceFile;
use crate::types::Type;
use crate::vocabulary::rust::{self, Library};

/// Evaluates a Rust file in its crate.
pub(super) fn interpret_rust(environment: Environment<'_>, options: &Options) -> Output {
    let root = modules::root_of(environment);
    let mut program = Program::of(root, environment);
    let focus = environment.focus;
    let read: Vec<&SourceFile> = program.files().collect();
    if !read.iter().any(|file| std::ptr::eq(*file, focus)) {
        // No `mod` leads here from the root.
        program = Program::of(focus, environment);
    }
    let used = libraries_of(&program);
    let mut output = if used.is_empty() {
        Output::default()
    } else {
        evaluated(program, used, focus, options)
    };
    // With other texts of these files one could be of the program, or a library could be used.
    for file in read {
        if !std::ptr::eq(file, focus) {
            output.add_file(file.base(), file.path());
        }
    }
    output
}

/// The results of a file in a program that uses libraries.
fn evaluated<'u>(
    program: Program<'u>,
    used: Vec<&'static Library>,
    focus: &'u SourceFile,
    options: &Options,
) -> Output {
    let mut interpreter = Interpreter::new(program, options);
    interpreter.settings.host = Host::Rust;
    interpreter.readings.libraries = used;
    interpreter.recorder.focus = Focus::on(focus, limits::INSTANCES_PER_FUNCTION);
    interpreter.read_directives();
    interpreter.interpret_focus(focus, options.order, false)
}

/// The libraries that paths of a program lead to.
fn libraries_of(program: &Program<'_>) -> Vec<&'static Library> {
    let mut found = Crates(Vec::new());
    for file in program.files() {
        walk_unit(&mut found, file.unit());
    }
    found.0
}

/// Finds the crates that are named first in paths.
struct Crates(Vec<&'static Library>);

impl Crates {
    fn path(&mut self, path: &Path) {
        let Some(first) = path.segments.first() else {
            return;
        };
        if path.segments.len() > 1 {
            self.name(&first.name);
        }
    }

    fn name(&mut self, name: &Ident) {
        if let Some(library) = rust::library(&name.name)
            && !self.0.iter().any(|known| std::ptr::eq(*known, library))
        {
            self.0.push(library);
        }
    }
}

impl Visitor for Crates {
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
        tree_sitter_cute::tree::walk_expr(self, expr);
    }
}

impl Interpreter<'_> {
    /// Whether the sources are Rust.
    pub(super) fn is_rust(&self) -> bool {
        self.settings.host == Host::Rust
    }

    /// The type that an annotation gives a value: in Rust it never converts one, so an unknown type says nothing.
    pub(super) fn annotated(&self, ty: Type) -> Type {
        match ty {
            Type::Unknown(_) | Type::Named(_) | Type::Parameter(_) | Type::Pointer(_)
                if self.is_rust() =>
            {
                Type::Placeholder
            }
            ty => ty,
        }
    }
}
