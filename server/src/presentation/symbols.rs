//! The outline of a source: its layouts, by the function that they are in.

use cute_analysis::{Analysis, Fact, Kind, Role};
use tree_sitter_cute::tree::Span;

use super::abbreviation;
use super::instances::Chosen;

/// An entry of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name of the function, or of the layout.
    pub name: String,
    /// The value of the layout, in a few characters; empty for a function.
    pub value: String,
    /// The declaration; for a function, the declarations in it.
    pub span: Span,
    /// The name in it.
    pub name_span: Span,
    /// The layouts in the function.
    pub children: Vec<Symbol>,
}

/// The layouts of a source with the functions around them, in the order of the source. Functions
/// without any are left out: the outline of the language belongs to its own server.
pub fn symbols(analysis: &Analysis, chosen: &Chosen) -> Vec<Symbol> {
    let mut outline: Vec<Symbol> = Vec::new();
    let mut facts: Vec<&Fact> = analysis
        .facts
        .iter()
        .filter(|fact| is_shown(fact))
        .collect();
    facts.sort_by_key(|fact| (fact.name_span.start, fact.name_span.end));
    for instances in facts.chunk_by(|a, b| a.name_span == b.name_span) {
        let which = instances
            .iter()
            .map(|fact| (fact.function.as_deref(), fact.instance.as_deref()));
        let Some(fact) = instances.get(chosen.first(which)) else {
            continue;
        };
        let symbol = Symbol {
            name: fact.name.to_string(),
            value: abbreviation::label(&fact.value, analysis.dialect),
            span: fact.span.to(fact.name_span),
            name_span: fact.name_span,
            children: Vec::new(),
        };
        match &fact.function {
            None => outline.push(symbol),
            Some(function) => put(&mut outline, function, symbol),
        }
    }
    outline
}

/// Adds a layout to its function, which begins where its first layout does.
fn put(outline: &mut Vec<Symbol>, function: &str, symbol: Symbol) {
    match outline
        .last_mut()
        .filter(|last| last.name == *function && !last.children.is_empty())
    {
        Some(last) => {
            last.span = last.span.to(symbol.span);
            last.children.push(symbol);
        }
        None => outline.push(Symbol {
            name: function.to_owned(),
            value: String::new(),
            span: symbol.span,
            name_span: symbol.name_span,
            children: vec![symbol],
        }),
    }
}

fn is_shown(fact: &Fact) -> bool {
    matches!(fact.role, Role::Var | Role::Alias)
        && matches!(
            fact.kind(),
            Kind::Layout
                | Kind::ComposedLayout
                | Kind::Tensor
                | Kind::TiledCopy
                | Kind::TiledMma
                | Kind::CopyAtom
                | Kind::MmaAtom
        )
}
