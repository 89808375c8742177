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
    /// Its parameters where our model of the DSL calls it with objects of Python: `src coord`, `dtype=` where one may be left
    /// out, `*rest` and `**named` for all others.
    pub(super) on_objects: Option<&'static str>,
}

/// A name in `cutlass.cute`.
pub(crate) const fn word(name: &'static str, params: &'static [(&'static str, Takes)]) -> Word {
    Word {
        module: "cutlass.cute",
        name,
        params,
        variadic: false,
        on_objects: None,
    }
}

/// A name in a module, or a member of a class, that our model of the DSL calls with objects of Python.
pub(crate) const fn on_objects(
    module: &'static str,
    name: &'static str,
    params: &'static str,
) -> Word {
    word(name, &[]).of(module).on_objects(params)
}

/// A name in `cutlass.cute` of a function that takes any number of arguments.
pub(crate) const fn variadic(name: &'static str) -> Word {
    Word {
        variadic: true,
        ..word(name, &[("args", Argument)])
    }
}

impl Word {
    /// The name and its parameters, those that may be left out as `name=...`; nothing where it takes any number of them. A
    /// member that is read without a call has no parameters.
    pub(super) fn signature(&self) -> Option<String> {
        if self.on_objects == Some("self") {
            return Some(self.shown());
        }
        let names = self.parameters();
        let takes_any = self.variadic || (names.is_empty() && self.on_objects.is_some());
        (!takes_any).then(|| format!("{}({})", self.name, names.join(", ")))
    }

    /// Its parameters, those that may be left out as `name=...`.
    pub(super) fn parameters(&self) -> Vec<String> {
        let Some(params) = self.on_objects else {
            return self
                .params
                .iter()
                .map(|(name, _)| (*name).to_owned())
                .collect();
        };
        let params = params.split_whitespace();
        let params = params.filter(|param| *param != "self" && !param.starts_with(['*', '_']));
        params
            .map(|param| match param.strip_suffix('=') {
                Some(name) => format!("{name}=..."),
                None => param.to_owned(),
            })
            .collect()
    }

    /// Whether its arguments have places in the function of C++.
    pub(super) fn is_placed(&self) -> bool {
        self.on_objects.is_none() || !self.params.is_empty()
    }

    /// The name with its module or class.
    pub(super) fn dotted(&self) -> String {
        format!("{}.{}", self.module, self.name)
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

    /// The same, called with objects of Python.
    pub(crate) const fn on_objects(self, params: &'static str) -> Self {
        Self {
            on_objects: Some(params),
            ..self
        }
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
