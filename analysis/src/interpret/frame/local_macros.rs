//! Macros that a function itself defines.

use tree_sitter_cute::tree::Define;

/// A macro that a function itself defines.
#[derive(Debug, Clone, Copy)]
struct LocalMacro<'u> {
    define: &'u Define,
    /// Whether its `#define` is in one of several branches that may be compiled.
    in_doubt: bool,
}

/// The macros that a function defined so far.
#[derive(Debug, Clone, Default)]
pub(in crate::interpret) struct LocalMacros<'u> {
    all: Vec<LocalMacro<'u>>,
    /// Those without arguments.
    defined: Vec<&'u str>,
}

impl<'u> LocalMacros<'u> {
    /// The names of macros without arguments.
    pub(in crate::interpret) fn defined(&self) -> &[&'u str] {
        &self.defined
    }

    /// Notes a macro, which may not be compiled where it is `in_doubt`.
    pub(in crate::interpret) fn define(&mut self, define: &'u Define, in_doubt: bool) {
        if define.params.is_none() {
            self.defined.push(&define.name.name);
        }
        self.all.push(LocalMacro { define, in_doubt });
    }

    /// Takes back the macros of a name.
    pub(in crate::interpret) fn take_back(&mut self, name: &str) {
        self.all.retain(|local| local.define.name.name != name);
        self.defined.retain(|defined| *defined != name);
    }

    /// The macro of a name; nothing in it where it may as well be another.
    #[allow(clippy::option_option)] // Not told here; told not to be defined; defined.
    pub(in crate::interpret) fn named(&self, name: &str) -> Option<Option<&'u Define>> {
        let mut last = self.all.iter().rev();
        let named = last.find(|local| local.define.name.name == name)?;
        Some(Some(named.define).filter(|_| !named.in_doubt))
    }
}
