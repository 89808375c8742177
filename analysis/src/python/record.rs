//! The record of a run: the values of the names of the analysed file, call by call.

use std::sync::Arc;

use tree_sitter_cute::tree::Span;

use super::runs::Runs;
use super::suited::Supposing;
use super::value::Py;
use crate::hash::{HashMap, HashSet};
use crate::role::Role;

/// Calls of one function by one maker that are kept apart.
const CALLS: usize = 32;

/// Values that are kept of one run.
const BINDINGS: usize = 1 << 17;

/// Values of one call behind which names at the place of another are not looked for.
const SETS: usize = 1 << 12;

/// Who makes a call, where that decides whether it is shown.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Maker {
    /// A test, a directive, the statements of the file itself.
    #[default]
    Any,
    /// The part of the analysed file that runs only where it is the program: its example.
    Example,
    /// Another program, which imports the file.
    Program,
}

/// The values of one call.
#[derive(Debug, Clone)]
pub(crate) struct Activation {
    /// The function's name with those around it.
    pub(crate) function: Arc<str>,
    /// The place of its code.
    pub(crate) code: Span,
    /// Its name in the source; nothing for the file itself.
    pub(crate) declared: Span,
    /// Whether it is a kernel.
    pub(crate) is_kernel: bool,
    /// The place of the call, among all files.
    pub(crate) caller: Option<Span>,
    /// The suppositions about the object whose kernel it is, where no visible code makes one.
    pub(crate) supposed: Option<Arc<str>>,
    /// Whether later calls are not kept apart from it: their actions are not its own.
    pub(crate) is_of_several: bool,
    /// Whether only those of its values are shown that no other call has: of the function a call is known whose arguments
    /// are not supposed, or it is a variant of another supposed one.
    pub(crate) fills: bool,
    /// Its origin, where that is not a call of the file: a test with its values, a directive.
    pub(crate) origin: Option<Arc<str>>,
    /// Who makes it.
    pub(crate) maker: Maker,
    /// The run that it is made in.
    pub(crate) run: Arc<str>,
    /// Its values in order.
    pub(crate) bindings: Vec<Binding>,
    known: HashMap<Span, usize>,
}

/// The value of a name at one place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Binding {
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    /// The declaration around it.
    pub(crate) declaration: Span,
    pub(crate) role: Role,
    pub(crate) value: Py,
}

/// The record of a run.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) activations: Vec<Activation>,
    /// The suppositions about the object whose kernel is run.
    pub(crate) supposed: Option<Arc<str>>,
    /// The arguments that are supposed of kernels.
    pub(super) supposing: Supposing,
    /// The runs that make calls.
    pub(super) runs: Runs,
    /// Whether it is a variant of an object that is supposed already.
    pub(crate) is_variant: bool,
    /// The origin of the calls that are run.
    pub(crate) origin: Option<Arc<str>>,
    /// Who makes them.
    pub(crate) maker: Maker,
    /// Functions of which calls are known that nothing supposes.
    told: HashSet<Span>,
    counts: HashMap<Counted, usize>,
    kept: usize,
}

/// Calls of one function by one maker, or by one supposition.
type Counted = (Span, Maker, Option<Arc<str>>);

/// A moment of a record that it can be taken back to.
#[derive(Debug)]
pub(super) struct Mark {
    activations: usize,
    counts: HashMap<Counted, usize>,
    kept: usize,
}

impl Recorder {
    /// A new call of a function.
    pub(crate) fn activation(
        &mut self,
        function: &Arc<str>,
        code: Span,
        caller: Option<Span>,
    ) -> usize {
        if self.supposed.is_none() {
            self.told.insert(code);
        }
        let counted = (code, self.maker, self.supposed.clone());
        let count = self.counts.entry(counted).or_default();
        *count += 1;
        if *count > CALLS {
            // Later calls are not kept apart; the first bindings are shown.
            let mut all = self.activations.iter();
            let last = all.rposition(|it| {
                it.code == code && it.maker == self.maker && it.supposed == self.supposed
            });
            if let Some(last) = last {
                if let Some(activation) = self.activations.get_mut(last) {
                    activation.is_of_several = true;
                }
                return last;
            }
        }
        self.activations.push(Activation {
            function: Arc::clone(function),
            code,
            declared: Span::default(),
            is_kernel: false,
            caller,
            supposed: self.supposed.clone(),
            is_of_several: false,
            fills: self.is_variant || (self.supposed.is_some() && self.told.contains(&code)),
            origin: self.origin.clone(),
            maker: self.maker,
            run: Arc::clone(&self.runs.present),
            bindings: Vec::new(),
            known: HashMap::default(),
        });
        self.activations.len() - 1
    }

    /// The moment that calls which are only tried are taken back to. They are supposed, so they tell of no function.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            activations: self.activations.len(),
            counts: self.counts.clone(),
            kept: self.kept,
        }
    }

    /// Forgets the calls behind a moment.
    pub(super) fn take_back(&mut self, mark: Mark) {
        self.activations.truncate(mark.activations);
        self.counts = mark.counts;
        self.kept = mark.kept;
    }

    /// Says of a call where its function is named, and whether that is a kernel.
    pub(crate) fn declare(&mut self, activation: usize, name: Span, is_kernel: bool) {
        if let Some(activation) = self.activations.get_mut(activation) {
            activation.declared = name;
            activation.is_kernel = is_kernel;
        }
    }

    pub(super) fn bind(&mut self, activation: usize, binding: Binding) {
        let Some(activation) = self.activations.get_mut(activation) else {
            return;
        };
        let of_name = |at: &usize| {
            let known = activation.bindings.get(*at);
            known.is_some_and(|known| known.name == binding.name)
        };
        // `setattr` binds several names at one place.
        let at = match activation.known.get(&binding.span).copied() {
            Some(at) if !of_name(&at) => {
                if activation.bindings.len() >= SETS {
                    return;
                }
                let mut all = activation.bindings.iter();
                all.rposition(|it| it.span == binding.span && it.name == binding.name)
            }
            known => known,
        };
        match &at {
            // A pass of a loop that knows more than the one before.
            Some(at) => {
                if let Some(known) = activation.bindings.get_mut(*at)
                    && matches!(known.value, Py::Unknown(_))
                    && !matches!(binding.value, Py::Unknown(_))
                {
                    known.value = binding.value;
                }
            }
            None if self.kept >= BINDINGS => {}
            None => {
                self.kept += 1;
                activation
                    .known
                    .insert(binding.span, activation.bindings.len());
                activation.bindings.push(binding);
            }
        }
    }
}
