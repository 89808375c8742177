//! Instances of functions: which there are, and which one is shown first.
//!
//! A function template, or a function that is called with several layouts, has one value of a name
//! for each call. What is shown first is the first, unless another was chosen.

use std::collections::BTreeMap;

use cute_analysis::{Analysis, Fact, Role};
use serde::Serialize;

/// The instances of one function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Instances {
    /// The function.
    pub function: String,
    /// The calls that make them, in the order in which they are numbered.
    pub instances: Vec<String>,
    /// The number of the one that is shown, from 0.
    pub chosen: usize,
    /// The first byte of the first declaration in it.
    #[serde(skip)]
    pub byte: usize,
}

/// What tells the instances of a function apart: its template parameters with their values,
/// `TA=half_t, kBlockM=128`; empty where they are all alike.
pub fn parameters(analysis: &Analysis, function: &str, instance: &str) -> String {
    const MOST: usize = 3;
    const LONGEST: usize = 28;
    let of_function =
        |fact: &&Fact| fact.role == Role::TParam && fact.function.as_deref() == Some(function);
    let parameters: Vec<&Fact> = analysis.facts.iter().filter(of_function).collect();
    let differs = |fact: &&Fact| {
        let mut others = parameters.iter();
        others.any(|other| other.name_span == fact.name_span && other.value != fact.value)
    };
    let shown = parameters
        .iter()
        .filter(|fact| fact.instance.as_deref() == Some(instance) && differs(fact))
        .filter(|fact| fact.reason().is_none())
        .map(|fact| format!("{}={:#}", fact.name, fact.value))
        .filter(|text| text.chars().count() <= LONGEST)
        .take(MOST);
    shown.collect::<Vec<_>>().join(", ")
}

/// The functions that have several instances, in the order of the source.
pub fn of(analysis: &Analysis, chosen: &Chosen) -> Vec<Instances> {
    let mut found: Vec<Instances> = Vec::new();
    for fact in &analysis.facts {
        let (Some(function), Some(instance)) = (&fact.function, &fact.instance) else {
            continue;
        };
        let byte = fact.span.start;
        match found.iter_mut().find(|known| *known.function == **function) {
            Some(known) => {
                if !known.instances.iter().any(|known| **known == **instance) {
                    known.instances.push(instance.to_string());
                }
                known.byte = known.byte.min(byte);
            }
            None => found.push(Instances {
                function: function.to_string(),
                instances: vec![instance.to_string()],
                chosen: 0,
                byte,
            }),
        }
    }
    found.retain(|known| known.instances.len() > 1);
    for known in &mut found {
        let wanted = chosen.of(&known.function);
        let at = known
            .instances
            .iter()
            .position(|instance| Some(instance.as_str()) == wanted);
        known.chosen = at.unwrap_or(0);
    }
    found.sort_by_key(|known| known.byte);
    found
}

/// The instances that were chosen, by function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen(BTreeMap<String, String>);

impl Chosen {
    /// Chooses an instance of a function; `None` is the first one again.
    pub fn choose(&mut self, function: &str, instance: Option<String>) {
        match instance {
            Some(instance) => self.0.insert(function.to_owned(), instance),
            None => self.0.remove(function),
        };
    }

    /// Takes over what another choice says.
    pub fn override_by(&mut self, other: &Self) {
        let other = other.0.iter();
        self.0
            .extend(other.map(|(function, instance)| (function.clone(), instance.clone())));
    }

    /// The chosen instance of a function.
    pub fn of(&self, function: &str) -> Option<&str> {
        self.0.get(function).map(String::as_str)
    }

    /// Which of several values of a name is shown first: the position of the one whose function and
    /// instance were chosen, else 0.
    pub fn first<'a>(
        &self,
        values: impl IntoIterator<Item = (Option<&'a str>, Option<&'a str>)>,
    ) -> usize {
        let is_chosen = |(function, instance): (Option<&str>, Option<&str>)| {
            instance.is_some() && function.and_then(|function| self.of(function)) == instance
        };
        values.into_iter().position(is_chosen).unwrap_or(0)
    }
}
