//! Functions that are built in: how they are declared and how they take their arguments.

use std::fmt;
use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::machine::{Machine, Run};
use super::value::Py;
use crate::reason::Reason;
use crate::vocabulary::python::ON_OBJECTS;

/// A function that is built in.
pub(crate) struct Native {
    /// Its whole name, `cutlass.cute.make_layout`; that of a method starts with a dot.
    pub(crate) name: &'static str,
    /// Its parameters, separated by blanks; `*rest` and `**named` take the rest, `=` behind a name says that it may be
    /// left out.
    pub(crate) params: &'static str,
    /// Its implementation.
    pub(crate) run: fn(&mut Machine<'_>, &Given) -> Run<Py>,
}

/// A function that is built in, for a table.
pub(crate) const fn native(
    name: &'static str,
    params: &'static str,
    run: fn(&mut Machine<'_>, &Given) -> Run<Py>,
) -> Native {
    Native { name, params, run }
}

/// The evaluation of a function of the DSL, or of a member of its values. The catalogue has its parameters and its sentence.
pub(crate) struct Implementation {
    /// Its whole name, `cutlass.cute.make_layout`; that of a member starts with the name of its class.
    name: &'static str,
    run: fn(&mut Machine<'_>, &Given) -> Run<Py>,
}

/// The evaluation of a function, for a table.
pub(crate) const fn implementation(
    name: &'static str,
    run: fn(&mut Machine<'_>, &Given) -> Run<Py>,
) -> Implementation {
    Implementation { name, run }
}

impl Implementation {
    /// With the parameters that the catalogue says.
    pub(crate) fn with_parameters(&self) -> Native {
        Native {
            name: self.name,
            params: ON_OBJECTS.get(self.name).copied().unwrap_or_default(),
            run: self.run,
        }
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Native {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Arguments of a call, as they are written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Args {
    /// Those by position.
    pub(crate) plain: Vec<Py>,
    /// Those by name.
    pub(crate) named: Vec<(Arc<str>, Py)>,
    /// The place of the call.
    pub(crate) span: Span,
    /// The place of the callee's name.
    pub(crate) callee: Span,
    /// The places of the arguments by position, then of those by name.
    pub(crate) places: Vec<Span>,
}

impl Args {
    /// Arguments by position.
    pub(crate) fn of(plain: Vec<Py>, span: Span) -> Self {
        Self {
            plain,
            span,
            ..Self::default()
        }
    }

    /// The first reason for which an argument is not known.
    pub(crate) fn reason(&self) -> Option<&Reason> {
        let named = self.named.iter().map(|(_, value)| value);
        self.plain.iter().chain(named).find_map(Py::reason)
    }
}

/// Arguments at the parameters of a function that is built in.
#[derive(Debug)]
pub(crate) struct Given {
    /// The function's name.
    pub(crate) name: &'static str,
    /// One for each parameter; `None` where it was left out.
    values: Vec<Option<Py>>,
    /// Arguments beyond the parameters.
    pub(crate) rest: Vec<Py>,
    /// Arguments by names that no parameter has.
    pub(crate) named: Vec<(Arc<str>, Py)>,
    /// The place of the call.
    pub(crate) span: Span,
    /// The place of the callee's name.
    pub(crate) callee: Span,
    /// The places of the arguments by position.
    pub(crate) places: Vec<Span>,
}

impl Given {
    /// Puts arguments where a function takes them.
    pub(crate) fn at(native: &Native, args: Args) -> Result<Self, Reason> {
        let mut given = Self {
            name: native.name,
            values: Vec::new(),
            rest: Vec::new(),
            named: Vec::new(),
            span: args.span,
            callee: args.callee,
            places: args.places,
        };
        let mut plain = args.plain.into_iter();
        let mut named = args.named;
        let (mut takes_rest, mut takes_named) = (false, false);
        for param in native.params.split_whitespace() {
            if param.starts_with("**") {
                takes_named = true;
                continue;
            }
            if param.starts_with('*') {
                takes_rest = true;
                given.rest = plain.by_ref().collect();
                continue;
            }
            let name = param.trim_end_matches('=');
            let value = plain.next().or_else(|| {
                let at = named.iter().position(|(given, _)| &**given == name)?;
                Some(named.remove(at).1)
            });
            if value.is_none() && !param.ends_with('=') {
                return Err(Reason::Unsuitable(native.name.into(), "more arguments"));
            }
            given.values.push(value);
        }
        if !takes_rest && plain.next().is_some() {
            return Err(Reason::Unsuitable(native.name.into(), "fewer arguments"));
        }
        named.retain(|(name, _)| !matches!(&**name, "loc" | "ip"));
        if !takes_named && !named.is_empty() {
            return Err(Reason::Unsuitable(
                native.name.into(),
                "arguments with other names",
            ));
        }
        given.named = named;
        Ok(given)
    }

    /// The argument of the parameter at a place; `None` of Python where it was left out.
    pub(crate) fn arg(&self, index: usize) -> &Py {
        match self.values.get(index) {
            Some(Some(value)) => value,
            _ => &Py::None,
        }
    }

    /// Whether an argument was given.
    pub(crate) fn has(&self, index: usize) -> bool {
        matches!(self.values.get(index), Some(Some(_)))
    }

    /// All arguments of parameters; `None` of Python for those that were left out at the end are not among them.
    pub(crate) fn all(&self) -> Vec<Py> {
        let mut all: Vec<Py> = Vec::new();
        let last = self.values.iter().rposition(Option::is_some);
        if let Some(last) = last {
            for value in &self.values[..=last] {
                all.push(value.clone().unwrap_or(Py::None));
            }
        }
        all.extend(self.rest.iter().cloned());
        all
    }

    /// The reason for which an argument is not known, if one is not.
    pub(crate) fn unknown(&self) -> Option<Py> {
        let values = self.values.iter().flatten().chain(&self.rest);
        values
            .chain(self.named.iter().map(|(_, value)| value))
            .find_map(Py::reason)
            .map(|reason| Py::Unknown(reason.clone()))
    }

    /// The result for an argument that the function does not take: an unknown value.
    pub(crate) fn takes(&self, what: &'static str) -> Py {
        self.unknown()
            .unwrap_or_else(|| Py::Unknown(Reason::Unsuitable(self.name.into(), what)))
    }
}
