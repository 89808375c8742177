//! State of the evaluation of one function instance: scopes, changes, results.

use std::rc::Rc;
use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Define, Expr, Span};

use super::assignment::Fields;
use super::following::Handed;
use super::mutation::Untraceable;
use super::pipelines::Pipeline;
use super::program::ModuleId;
use super::ran::Ran;
use super::references::References;
use crate::hash::{HashMap, HashSet};
use crate::held::{AtCall, Held};
use crate::limits;
use crate::plain_names;
use crate::trace::{Address, Call, Step};
use crate::value::Value;

/// A name in a scope.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub(super) value: Value,
    /// The place of the declaration of the name.
    pub(super) declared: Span,
    /// Its value was seen, or is not a separate symbol: a change needs another symbol.
    pub(super) read: bool,
}

/// One block of names. Copies share them until one of them changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope<'u>(Option<Rc<Names<'u>>>);

type Names<'u> = HashMap<&'u str, Variable>;

impl<'u> Scope<'u> {
    pub(super) fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(super) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Variable> {
        self.0.as_deref()?.get(name)
    }

    /// The variable that a name refers to, to change it.
    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Variable> {
        // A shared map is copied only where it contains the name.
        let names = self.0.as_mut().filter(|names| names.contains_key(name))?;
        Rc::make_mut(names).get_mut(name)
    }

    pub(super) fn insert(&mut self, name: &'u str, variable: Variable) {
        let names = self.0.get_or_insert_default();
        Rc::make_mut(names).insert(name, variable);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'u str, &Variable)> {
        let names = self.0.iter().flat_map(|names| names.iter());
        names.map(|(name, variable)| (*name, variable))
    }
}

impl<'u> FromIterator<(&'u str, Variable)> for Scope<'u> {
    fn from_iter<I: IntoIterator<Item = (&'u str, Variable)>>(variables: I) -> Self {
        Self(Some(Rc::new(variables.into_iter().collect())))
    }
}

/// A macro that a function itself defines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalMacro<'u> {
    define: &'u Define,
    /// Whether its `#define` is in one of several branches that may be compiled.
    in_doubt: bool,
}

/// The evaluation of one function instance (or of a record, or of the file).
#[derive(Debug, Clone)]
// Independent states of one evaluation.
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Frame<'u> {
    pub(super) scopes: Vec<Scope<'u>>,
    pub(super) module: ModuleId,
    /// The class instance whose members are visible.
    pub(super) record: Option<usize>,
    /// The object whose method is evaluated.
    pub(super) this: Option<Value>,
    pub(super) function: Option<Arc<str>>,
    pub(super) instance: Option<Arc<str>>,
    /// Names that change in ways that cannot be followed.
    pub(super) untraceable: Rc<Untraceable<'u>>,
    /// Referents of references and pointers.
    pub(super) references: References<'u>,
    /// The number of this call among those that the interpreter evaluates.
    pub(super) activation: usize,
    /// Inside of an operand that is not evaluated, `decltype(..)`: only its validity counts.
    pub(super) unevaluated: bool,
    /// Whether the object whose method is evaluated is constant there.
    pub(super) constant_object: Option<bool>,
    /// Number of scopes around the statements of the function itself.
    pub(super) body_depth: usize,
    /// Whether facts and findings are kept.
    pub(super) recording: bool,
    /// Inside of an operand of `decltype` whose function or class keeps its facts: nothing is done
    /// there, but types that are refused are findings.
    pub(super) in_type: bool,
    /// Symbols in use, so that two variables of one name stay apart; each with the number of requests for its name.
    pub(super) symbols: HashMap<String, usize>,
    /// Values of `return` so far.
    pub(super) returns: Vec<Value>,
    /// Control does not reach the rest.
    pub(super) ended: bool,
    /// Expressions and statements that may still be evaluated.
    pub(super) steps: usize,
    /// Namespaces opened inside the function.
    pub(super) opened: Vec<Vec<&'u str>>,
    /// Macros that the function itself defines.
    pub(super) macros: Vec<LocalMacro<'u>>,
    /// Macros without arguments that the function itself defines.
    pub(super) defined: Vec<&'u str>,
    /// Inside a branch of an `#if` that may not be compiled.
    pub(super) conditional: usize,
    /// Inside a branch of an `if constexpr` whose condition is not known: it may never be
    /// instantiated, so nothing in it is called wrong.
    pub(super) uncertain: bool,
    /// A template parameter is open here, or where this was called from: a number that a type leaves open may
    /// be that of the parameter.
    pub(super) open: bool,
    /// Python: the function is traced, and its callees with it.
    pub(super) traced: bool,
    /// Declarations of variables that cannot change.
    pub(super) constants: HashSet<Span>,
    /// Declarations of variables of a written type, by their place.
    pub(super) written_types: HashMap<Span, &'u Binding>,
    /// Declarations of all variables and parameters, by their place.
    pub(super) declarations: HashMap<Span, &'u Binding>,
    /// The types of template parameters that are values, by their place.
    pub(super) template_types: HashMap<Span, &'u Expr>,
    /// Names of the objects whose members are symbols, by the declaration of the variable that is, or points to, the
    /// object; for as long as the variable keeps its value.
    pub(super) objects: HashMap<Span, String>,
    /// Values assigned to members of local variables, by the declaration of the variable.
    pub(super) fields: HashMap<Span, Fields<'u>>,
    /// The pipelines of the libraries that the function makes, by their declaration.
    pub(super) pipelines: HashMap<Span, Rc<Pipeline<'u>>>,
    /// Expressions and statements that may still be evaluated in the functions that are followed from here.
    pub(super) followed_steps: usize,
    /// Conditions checked on the way to this point.
    pub(super) held: Vec<Held>,
    /// Conditions that the callers of this instance have checked.
    pub(super) guards: Option<usize>,
    /// Conditions at the call that made this instance, before the parameters are declared.
    pub(super) called_at: Option<AtCall>,
    /// Index of the record of the function's actions.
    pub(super) run: Option<usize>,
    /// The branches and loops that control is in.
    pub(super) path: Vec<Step<'u>>,
    /// The calls that led here, where a call is followed for its actions on memory.
    pub(super) calls: Vec<Call<'u>>,
    /// Arguments of such a call, before the parameters are declared.
    pub(super) handed: Vec<Handed<'u>>,
    /// Its parameters as they are in the caller, by their declarations.
    pub(super) aliases: HashMap<Span, Handed<'u>>,
    /// The members of launch parameters, by the declaration of the variable that holds them.
    pub(super) launch_params: HashMap<Span, Vec<Value>>,
    /// Addresses of variables in shared memory, by their declarations.
    pub(super) addresses: HashMap<Span, Address>,
    /// Results of the machine for the body.
    pub(super) ran: Option<Rc<Ran>>,
}

impl<'u> Frame<'u> {
    /// Notes a macro that the function defines.
    pub(super) fn define(&mut self, define: &'u Define) {
        if define.params.is_none() {
            self.defined.push(&define.name.name);
        }
        self.macros.push(LocalMacro {
            define,
            in_doubt: self.conditional > 0,
        });
    }

    /// Takes back the macros of a name that the function defines.
    pub(super) fn take_back(&mut self, name: &str) {
        self.macros.retain(|local| local.define.name.name != name);
        self.defined.retain(|defined| *defined != name);
    }

    /// The macro of a name that the function defines; nothing in it where it may as well be another.
    #[allow(clippy::option_option)] // Not told here; told not to be defined; defined.
    pub(super) fn macro_named(&self, name: &str) -> Option<Option<&'u Define>> {
        let mut last = self.macros.iter().rev();
        let named = last.find(|local| local.define.name.name == name)?;
        Some(Some(named.define).filter(|_| !named.in_doubt))
    }

    /// A frame with one empty scope.
    pub(super) fn new(module: ModuleId, steps: usize) -> Self {
        Self {
            scopes: vec![Scope::default()],
            module,
            record: None,
            this: None,
            function: None,
            instance: None,
            untraceable: Rc::default(),
            references: References::default(),
            activation: 0,
            unevaluated: false,
            constant_object: None,
            body_depth: 0,
            recording: false,
            in_type: false,
            symbols: HashMap::default(),
            returns: Vec::new(),
            ended: false,
            steps,
            opened: Vec::new(),
            macros: Vec::new(),
            defined: Vec::new(),
            conditional: 0,
            uncertain: false,
            open: false,
            traced: false,
            constants: HashSet::default(),
            written_types: HashMap::default(),
            declarations: HashMap::default(),
            template_types: HashMap::default(),
            objects: HashMap::default(),
            fields: HashMap::default(),
            pipelines: HashMap::default(),
            followed_steps: limits::FOLLOWED_STEPS,
            held: Vec::new(),
            guards: None,
            called_at: None,
            run: None,
            path: Vec::new(),
            calls: Vec::new(),
            handed: Vec::new(),
            aliases: HashMap::default(),
            launch_params: HashMap::default(),
            addresses: HashMap::default(),
            ran: None,
        }
    }

    /// A number that a variable begins with, where the machine alone knows it.
    pub(super) fn begun(&self, value: Value, declared: Span) -> Value {
        let is_known = match &value {
            Value::Int(int) => int.is_static() || int.value().is_some(),
            Value::Unknown(_) => false,
            _ => true,
        };
        let begun = || self.ran.as_ref()?.begins_with(declared).cloned();
        if is_known {
            value
        } else {
            begun().unwrap_or(value)
        }
    }

    /// Whether the actions here are recorded.
    pub(super) fn is_traced(&self) -> bool {
        self.recording || !self.calls.is_empty()
    }

    /// The variable that a name refers to.
    pub(super) fn find(&self, name: &str) -> Option<&Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The same, to change it.
    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut Variable> {
        self.scopes
            .iter_mut()
            .rev()
            .find_map(|scope| scope.get_mut(name))
    }

    /// The variable of a name that is declared at a place, which another one may hide.
    pub(super) fn find_declared(&self, name: &str, declared: Span) -> Option<&Variable> {
        let mut named = self.scopes.iter().rev().filter_map(|scope| scope.get(name));
        named.find(|variable| variable.declared == declared)
    }

    /// The same, to change it.
    pub(super) fn find_declared_mut(
        &mut self,
        name: &str,
        declared: Span,
    ) -> Option<&mut Variable> {
        let is_it = |scope: &Scope<'u>| scope.get(name).is_some_and(|it| it.declared == declared);
        let index = self.scopes.iter().rposition(is_it)?;
        self.scopes.get_mut(index)?.get_mut(name)
    }

    /// The variable that a name refers to; from now on it counts as seen.
    pub(super) fn find_seen(&mut self, name: &str) -> Option<&Variable> {
        let mut scopes = self.scopes.iter().enumerate().rev();
        let (index, read) =
            scopes.find_map(|(index, scope)| Some((index, scope.get(name)?.read)))?;
        let scope = self.scopes.get_mut(index)?;
        if !read {
            scope.get_mut(name)?.read = true;
        }
        scope.get(name)
    }

    /// Whether control comes here whenever it comes to the declaration of a variable, and the variable
    /// is changed by nothing but assignments that can be followed.
    pub(super) fn is_straight(&self, name: &str) -> bool {
        self.conditional == 0
            && !self.untraceable.changed.contains(name)
            && self
                .scopes
                .last()
                .is_some_and(|scope| scope.contains_key(name))
    }

    /// Whether a variable may have another value after a lambda was made that captured it.
    pub(super) fn may_change_later(&self, name: &str, declared: Span) -> bool {
        !self.constants.contains(&declared) && self.untraceable.assigned.contains(name)
    }

    pub(super) fn declare(&mut self, name: &'u str, variable: Variable) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, variable);
        }
    }

    /// A name for a new symbol: the given one, numbered where it is taken.
    pub(super) fn symbol_name(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut count = self.symbols.get(name).copied().unwrap_or(0).max(1);
        while self.symbols.contains_key(&unique) {
            count += 1;
            unique = plain_names::numbered(name, count);
        }
        self.symbols.insert(name.to_owned(), count);
        self.symbols.entry(unique.clone()).or_insert(0);
        unique
    }
}
