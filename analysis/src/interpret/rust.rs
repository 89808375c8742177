//! Rust: meanings of paths, words of crates, modules in other files.
//!
//! A name is looked up as the language does: local variables and generic parameters, then the module
//! with its `use`s, then the crates. A crate's word means something only where a path leads to it.

pub(super) mod barriers;
mod calls;
pub(super) mod crates;
mod launches;
mod macros;
mod modules;
mod names;
mod records;
mod shared;

use tree_sitter_cute::Host;

use self::crates::libraries_of;
use super::Interpreter;
use super::focus::Focus;
use super::program::{Environment, Program};
use crate::output::Output;

use crate::limits;
use crate::options::Options;
use crate::sources::SourceFile;
use crate::types::Type;
use crate::vocabulary::rust::Library;

/// Evaluates a Rust file in its crate.
pub(super) fn interpret_rust(environment: Environment<'_>, options: &Options) -> Output {
    let root = modules::root_of(environment);
    let mut program = Program::of(root, environment);
    program.add_crates();
    let focus = environment.focus;
    let read: Vec<&SourceFile> = program.files().collect();
    if !read.iter().any(|file| std::ptr::eq(*file, focus)) {
        // No `mod` leads here from the root.
        program = Program::of(focus, environment);
        program.add_crates();
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

impl Interpreter<'_> {
    /// Whether the sources are Rust.
    pub(super) fn is_rust(&self) -> bool {
        self.settings.host == Host::Rust
    }

    /// The type that an annotation gives a value: in Rust it never converts one, so an unknown type says nothing.
    pub(super) fn annotated(&self, ty: Type) -> Type {
        match ty {
            Type::Unknown(_)
            | Type::Named(_)
            | Type::Parameter(_)
            | Type::Pointer(_)
            | Type::Array(..)
                if self.is_rust() =>
            {
                Type::Placeholder
            }
            ty => ty,
        }
    }
}
