//! Names of functions in Python, with the places of their parameters in the functions of C++.

/// The treatment of a parameter by the function behind a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// As an argument.
    Argument,
    /// As a template argument.
    Template,
    /// A list of modes, each a template argument.
    Modes,
    /// Not at all: it does not change the value.
    Nothing,
}

/// A name of a function in `cutlass.cute`, or in a module beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    /// The module that has it.
    pub(super) module: &'static str,
    /// Its name in the module.
    pub(super) name: &'static str,
    /// Its parameters in order.
    pub(super) params: &'static [(&'static str, Takes)],
    /// Whether the last parameter takes all further arguments.
    pub(super) variadic: bool,
}

/// A name in `cutlass.cute`.
pub(crate) const fn word(name: &'static str, params: &'static [(&'static str, Takes)]) -> Word {
    Word {
        module: "cutlass.cute",
        name,
        params,
        variadic: false,
    }
}

/// A name in `cutlass.cute` of a function that takes any number of arguments.
pub(crate) const fn variadic(name: &'static str) -> Word {
    Word {
        variadic: true,
        ..word(name, &[("args", Argument)])
    }
}

impl Word {
    /// The name and its parameters; nothing where it takes any number of them.
    pub(super) fn signature(&self) -> Option<String> {
        let names: Vec<&str> = self.params.iter().map(|(name, _)| *name).collect();
        (!self.variadic).then(|| format!("{}({})", self.name, names.join(", ")))
    }

    /// The name with its module, where it is not `cutlass.cute`.
    pub(super) fn shown(&self) -> String {
        match self.module {
            "cutlass.cute" => self.name.to_owned(),
            module => format!("{module}.{}", self.name),
        }
    }

    /// The same in another module.
    pub(crate) const fn of(self, module: &'static str) -> Self {
        Self { module, ..self }
    }
}

use Takes::{Argument, Modes, Template};

pub(crate) const UNARY: &[(&str, Takes)] = &[("input", Argument)];
pub(crate) const DIVIDE: &[(&str, Takes)] = &[("target", Argument), ("tiler", Argument)];
pub(crate) const PRODUCT: &[(&str, Takes)] = &[("block", Argument), ("tiler", Argument)];
pub(crate) const PROFILED: &[(&str, Takes)] = &[("input", Argument), ("target_profile", Argument)];
pub(crate) const OF_MODES: &[(&str, Takes)] = &[("input", Argument), ("mode", Modes)];
pub(crate) const PAIR: &[(&str, Takes)] = &[("a", Argument), ("b", Argument)];
pub(crate) const TILER_TO_RANK: &[(&str, Takes)] = &[
    ("input", Argument),
    ("elem", Argument),
    ("up_to_rank", Template),
];
