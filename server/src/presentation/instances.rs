//! Instances of functions: which there are, and which one is shown first.
//!
//! A function template, or a function that is called with several layouts, has one value of a name for each call. The
//! first one is shown first, unless another was chosen.

use std::collections::BTreeMap;

use cute_analysis::{Analysis, Dialect, Fact, Reason, Role, Type, Value};
use serde::Serialize;

use super::instance_labels::{LONGEST_PART, labels};

/// The instances of one function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Instances {
    /// The function.
    pub function: String,
    /// The calls that make them, in the order in which they are numbered.
    pub instances: Vec<String>,
    /// The label of each in a list: the differences, `hdim128 · bf16 · Is_causal`.
    pub labels: Vec<String>,
    /// The number of the one that is shown, from 0.
    pub chosen: usize,
    /// The first byte of the first declaration in it.
    #[serde(skip)]
    pub byte: usize,
}

/// The functions that have several instances, in the order of the source.
pub fn of(analysis: &Analysis, chosen: &Chosen) -> Vec<Instances> {
    let mut found: Vec<Instances> = Vec::new();
    for fact in &analysis.facts {
        let (Some(function), Some(instance)) = (&fact.function, &fact.instance) else {
            continue;
        };
        // A template that nothing instantiates has none to choose from.
        if fact.is_supposed() && analysis.dialect == Dialect::Cute {
            continue;
        }
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
                labels: Vec::new(),
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
        let instances: Vec<&str> = known.instances.iter().map(String::as_str).collect();
        known.labels = labels(analysis, &known.function, &instances);
    }
    found.sort_by_key(|known| known.byte);
    found
}

/// A template that nothing visible instantiates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenTemplate {
    /// Its name.
    pub function: String,
    /// Its parameters, in the order of the source.
    pub parameters: Vec<String>,
    /// An argument for each: its default, else that of a parameter of the same name in a template that is instantiated, else
    /// the parameter.
    pub arguments: Vec<String>,
    /// The first byte of its first parameter.
    #[serde(skip)]
    pub byte: usize,
}

impl OpenTemplate {
    /// The instance that its arguments make, and whether each of them is known: `tile<half_t, 64>`.
    pub fn instance(&self) -> (String, bool) {
        let is_known = |(argument, parameter): (&String, &String)| argument != parameter;
        let are_known = self.arguments.iter().zip(&self.parameters).all(is_known);
        let instance = format!("{}<{}>", self.function, self.arguments.join(", "));
        (instance, are_known)
    }
}

impl OpenTemplate {
    /// Takes the arguments that are supposed, where other templates do not give all: all of them if they are known, else
    /// those for parameters that have none.
    fn fill_in(&mut self, supposed: Vec<String>) {
        if self.instance().1 {
            return;
        }
        let is_known = |(argument, parameter): (&String, &String)| argument != parameter;
        if supposed.iter().zip(&self.parameters).all(is_known) {
            self.arguments = supposed;
            return;
        }
        let slots = self.arguments.iter_mut().zip(&self.parameters);
        for ((argument, parameter), other) in slots.zip(supposed) {
            if *argument == *parameter {
                *argument = other;
            }
        }
    }
}

impl std::fmt::Display for OpenTemplate {
    /// As a directive names an instance of it: `tile<T, kM>`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}<{}>", self.function, self.parameters.join(", "))
    }
}

/// The templates that nothing visible instantiates, by name, each with all its parameters: at least one of them is
/// unknown.
pub fn open_templates(analysis: &Analysis) -> Vec<OpenTemplate> {
    let mut found: BTreeMap<&str, (OpenTemplate, bool)> = BTreeMap::new();
    for fact in &analysis.facts {
        let (Some(function), Role::TParam, None) = (&fact.function, fact.role, &fact.instance)
        else {
            continue;
        };
        let (template, is_open) = found.entry(function).or_insert_with(|| {
            let template = OpenTemplate {
                function: function.to_string(),
                parameters: Vec::new(),
                arguments: Vec::new(),
                byte: fact.name_span.start,
            };
            (template, false)
        });
        *is_open |= match &*fact.value {
            Value::Unknown(Reason::Unbound(_)) => true,
            Value::Type(ty) => matches!(&**ty, Type::Parameter(_)),
            _ => false,
        };
        template.byte = template.byte.min(fact.name_span.start);
        // A number that nothing binds is a symbol; an instance gives it, too.
        if !template.parameters.iter().any(|name| **name == *fact.name) {
            template.parameters.push(fact.name.to_string());
            let argument = told(fact).or_else(|| argument_elsewhere(analysis, &fact.name));
            template
                .arguments
                .push(argument.unwrap_or_else(|| fact.name.to_string()));
        }
    }
    let open = found.into_values().filter(|(_, is_open)| *is_open);
    let mut open: Vec<OpenTemplate> = open.map(|(template, _)| template).collect();
    for template in &mut open {
        if let Some(supposed) = supposed_arguments(analysis, template) {
            template.fill_in(supposed);
        }
    }
    open
}

/// The template of a function that nothing visible instantiates.
pub fn open_template(analysis: &Analysis, function: &str) -> Option<OpenTemplate> {
    let mut templates = open_templates(analysis).into_iter();
    templates.find(|template| template.function == function)
}

/// The arguments of the instance that is supposed of a template: `supposed: tile<cutlass::half_t, 64>`.
fn supposed_arguments(analysis: &Analysis, template: &OpenTemplate) -> Option<Vec<String>> {
    let mut facts = analysis.facts.iter().filter(|fact| {
        fact.is_supposed()
            && fact.role == Role::TParam
            && fact.function.as_deref() == Some(&template.function)
    });
    let written = facts.find_map(|fact| {
        let (_, instance) = fact.instance.as_deref()?.split_once(": ")?;
        let arguments = instance.strip_prefix(template.function.as_str())?;
        arguments.strip_prefix('<')?.strip_suffix('>')
    })?;
    let mut arguments = vec![String::new()];
    let mut depth = 0_usize;
    for character in written.chars() {
        match character {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            last.push(character);
        }
    }
    let arguments = arguments.iter().map(|argument| argument.trim().to_owned());
    Some(arguments.collect())
}

/// The argument that a parameter of this name has in the first instance of another template.
fn argument_elsewhere(analysis: &Analysis, name: &str) -> Option<String> {
    let same = |fact: &&Fact| fact.role == Role::TParam && *fact.name == *name;
    let mut known = analysis.facts.iter().filter(same).filter_map(told);
    known.find(|argument| argument.chars().count() <= LONGEST_PART)
}

/// A template parameter's argument as a source writes it; nothing where it is not known.
fn told(fact: &Fact) -> Option<String> {
    match &*fact.value {
        Value::Int(int) => int.value().map(|number| number.to_string()),
        Value::Bool(truth) => Some(truth.value.to_string()),
        Value::Type(ty) if is_named(ty) => Some(ty.to_string()),
        _ => None,
    }
}

/// Whether a type is known and has a name that a source may write.
fn is_named(ty: &Type) -> bool {
    let text = ty.to_string();
    let begins = text.starts_with(|first: char| first.is_alphabetic() || first == '_');
    begins
        && !text.contains(['?', '(', '{'])
        && !matches!(ty, Type::Parameter(_) | Type::Unknown(_))
}

/// The function that a byte of the source is in, judged by its declarations: that of the last one before the byte.
pub fn function_at(analysis: &Analysis, byte: usize) -> Option<&str> {
    let before = analysis.facts.iter().filter(|fact| fact.span.start <= byte);
    let last = before.max_by_key(|fact| fact.span.start)?;
    last.function.as_deref()
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

    /// Takes over another choice.
    pub fn override_by(&mut self, other: &Self) {
        let other = other.0.iter();
        self.0
            .extend(other.map(|(function, instance)| (function.clone(), instance.clone())));
    }

    /// The chosen instance of a function.
    pub fn of(&self, function: &str) -> Option<&str> {
        self.0.get(function).map(String::as_str)
    }

    /// The same of the facts of a name.
    pub fn first_of(&self, facts: &[&Fact]) -> usize {
        let labels = facts.iter();
        self.first(labels.map(|fact| (fact.function.as_deref(), fact.instance.as_deref())))
    }

    /// The value of a name that is shown first: the position of the one whose function and instance were chosen,
    /// else 0.
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

#[cfg(test)]
mod tests {
    use cute_analysis::DeclaredValue;
    use tree_sitter_cute::tree::Span;

    use super::*;

    #[test]
    fn the_function_at_a_byte_is_that_of_the_declaration_before_it() {
        let fact = |function: &str, start: usize| {
            let content = DeclaredValue {
                name: "t".into(),
                role: Role::Var,
                function: Some(function.into()),
                value: Value::Nothing.into(),
                instance: None,
            };
            let name = Span::new(start, start + 1);
            Fact::new(name, Span::new(start, start + 9), content)
        };
        let mut analysis = Analysis::default();
        analysis.facts = vec![fact("f", 10), fact("f", 30), fact("g", 50)];
        let found: Vec<_> = [0, 10, 40, 99]
            .map(|byte| function_at(&analysis, byte))
            .into();
        assert_eq!(found, [None, Some("f"), Some("f"), Some("g")]);
    }
}
