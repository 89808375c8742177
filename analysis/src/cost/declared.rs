//! Initialisers of the names of a file: gathered once, looked up by every function.

use std::cell::OnceCell;

use tree_sitter_cute::tree::{Binding, Expr, Function, Item, ItemKind, Span};

use crate::hash::{HashMap, HashSet};
use crate::output::Output;
use crate::tensor::Space;
use crate::value::Value;
use crate::walk;

/// Initialisers of declared names, by the span of the name.
type Initialisers<'u> = HashMap<Span, &'u Expr>;

/// The declared names of all functions, with their facts.
pub(crate) struct Declared<'s, 'u> {
    initialisers: &'s Initialisers<'u>,
    output: &'s Output,
    functions: HashMap<&'s str, Vec<&'s Function>>,
    bindings: HashMap<Span, &'s Binding>,
    by_initialiser: OnceCell<HashMap<Span, Span>>,
    in_order: OnceCell<InOrder>,
    register_tensors: OnceCell<HashSet<Span>>,
    /// The places of the facts about a name in the output.
    facts: OnceCell<HashMap<Span, Vec<usize>>>,
}

/// Names and initialisers in the order of the names.
#[derive(Default)]
struct InOrder {
    all: Vec<(Span, Span)>,
    /// The largest distance from the start of an initialiser to its name behind it.
    lead: usize,
}

impl<'s, 'u> Declared<'s, 'u> {
    pub(super) fn new(
        initialisers: &'s Initialisers<'u>,
        output: &'s Output,
        items: &'s [Item],
    ) -> Self {
        let mut functions: HashMap<&'s str, Vec<&'s Function>> = HashMap::default();
        let mut bindings: HashMap<Span, &'s Binding> = HashMap::default();
        let mut declare = |binding: &'s Binding| {
            if let Some(name) = &binding.name {
                bindings.insert(name.span, binding);
            }
        };
        walk::items(items, &mut |item| match &item.kind {
            ItemKind::Binding(binding) => declare(binding),
            ItemKind::Function(function) => {
                function.params.iter().for_each(&mut declare);
                let name = function.name.name.as_str();
                functions.entry(name).or_default().push(function);
            }
            _ => {}
        });
        Self {
            initialisers,
            output,
            functions,
            bindings,
            by_initialiser: OnceCell::new(),
            in_order: OnceCell::new(),
            register_tensors: OnceCell::new(),
            facts: OnceCell::new(),
        }
    }

    /// The initialiser of the name at a place.
    pub(super) fn initialiser(&self, name: Span) -> Option<&'u Expr> {
        self.initialisers.get(&name).copied()
    }

    /// The functions and methods of a name that the file has.
    pub(super) fn functions(&self, name: &str) -> &[&'s Function] {
        let functions = self.functions.get(name);
        functions.map(Vec::as_slice).unwrap_or_default()
    }

    /// The declaration of the variable or parameter whose name is at a place of the file.
    pub(super) fn binding(&self, name: Span) -> Option<&'s Binding> {
        self.bindings.get(&name).copied()
    }

    /// The name that is initialised with exactly this expression.
    pub(super) fn initialised_by(&self, init: Span) -> Option<Span> {
        let by_initialiser = self.by_initialiser.get_or_init(|| {
            let mut found = HashMap::default();
            for (name, init) in self.initialisers {
                if name.start < init.span.start {
                    found.entry(init.span).or_insert(*name);
                }
            }
            found
        });
        by_initialiser.get(&init).copied()
    }

    /// The names whose initialisers have a part at a place, with those.
    pub(super) fn initialised_around(&self, part: Span) -> impl Iterator<Item = (Span, &'u Expr)> {
        let initialisers = self.initialisers.iter();
        let around = initialisers.filter(move |(_, init)| init.span.encloses(part));
        around.map(|(name, init)| (*name, *init))
    }

    /// The names that are declared behind one place, with their initialisers, in order: at least those whose
    /// initialisers begin no later than another place.
    pub(super) fn between(&self, behind: usize, until: usize) -> &[(Span, Span)] {
        let InOrder { all, lead } = self.in_order.get_or_init(|| {
            let initialisers = self.initialisers.iter();
            let mut all: Vec<_> = initialisers
                .map(|(name, init)| (*name, init.span))
                .collect();
            all.sort_by_key(|(name, _)| name.start);
            let leads = all
                .iter()
                .map(|(name, init)| name.start.saturating_sub(init.start));
            let lead = leads.max().unwrap_or(0);
            InOrder { all, lead }
        });
        let first = all.partition_point(|(name, _)| name.start <= behind);
        let end = all.partition_point(|(name, _)| name.start <= until.saturating_add(*lead));
        all.get(first..end).unwrap_or_default()
    }

    /// The indices of the facts about the name at a place, of all instances, in the output.
    pub(super) fn facts_of(&self, name: Span) -> &[usize] {
        let places = self.facts.get_or_init(|| {
            let mut places: HashMap<Span, Vec<usize>> = HashMap::default();
            for (place, fact) in self.output.facts.iter().enumerate() {
                places.entry(fact.name_span).or_default().push(place);
            }
            places
        });
        places.get(&name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the name at a place is a tensor in registers, in some instance.
    pub(super) fn is_register_tensor(&self, name: Span) -> bool {
        let found = self.register_tensors.get_or_init(|| {
            let facts = self.output.facts.iter();
            let tensors = facts.filter(|fact| {
                matches!(&*fact.value, Value::Tensor(tensor) if tensor.engine.space == Space::Registers)
            });
            tensors.map(|fact| fact.name_span).collect()
        });
        found.contains(&name)
    }
}
