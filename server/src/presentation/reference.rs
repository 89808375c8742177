//! One line about each function of CuTe: the text in hovers, completions and signatures.
//!
//! The catalogue has the sentences, and the section of the paper ("CuTe Layout Representation and Algebra") or the header
//! that defines each function.

use std::fmt;

use cute_analysis::Dialect;
use cute_analysis::vocabulary::{self, Form, Function, Header};

/// The paper's title, and where it is.
const PAPER_TITLE: &str = "CuTe Layout Representation and Algebra";
const PAPER_ADDRESS: &str = "https://arxiv.org/abs/2603.02298";

/// CUTLASS's repository at the version of the catalogue's headers.
const REPOSITORY: &str = "https://github.com/NVIDIA/cutlass/blob/v4.2.0/";

/// A form of a function of CuTe.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    function: &'static Function,
    form: Form,
}

impl Entry {
    /// The names of its parameters.
    pub fn parameters(&self) -> &'static [&'static str] {
        self.form.parameters
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.function.name
    }

    /// A phrase on its result or effect.
    pub fn sentence(&self) -> &'static str {
        self.form.doc
    }

    /// `logical_divide(layout, tiler)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name(), self.parameters().join(", "))
    }

    /// The sentence with the place of the definition.
    pub fn sentence_and_source(&self) -> String {
        format!("{}{}", self.sentence(), Source(self.function))
    }

    /// Signature, sentence and source in one line.
    pub fn line(&self) -> String {
        format!("{}: {}", self.signature(), self.sentence_and_source())
    }
}

/// The place of a definition, in parentheses; nothing for a function of the language.
struct Source(&'static Function);

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.defined.section, self.0.defined.header) {
            (Some(section), _) => write!(f, " (paper {section})"),
            (None, Header::Cute(path)) => write!(f, " ({path})"),
            (None, header) => match header.path() {
                Some(path) => write!(f, " ({path})"),
                None => Ok(()),
            },
        }
    }
}

/// The function or the method of a name.
fn named(name: &str) -> Option<&'static Function> {
    vocabulary::function(name)
        .or_else(|| vocabulary::method(name))
        .or_else(|| vocabulary::operation(name))
}

/// One line about a function of the DSL, by its name with or without its module: its parameters, its result, and its
/// definition in C++.
pub fn line_in_python(name: &str) -> Option<String> {
    let (function, signature) = vocabulary::in_python(name)?;
    let last = name.rsplit('.').next().unwrap_or(name);
    let signature = signature.unwrap_or_else(|| format!("{last}(...)"));
    let (doc, source) = (function.doc, Source(function));
    Some(format!("{signature}: {doc}{source}"))
}

/// The sentence on a function of the DSL, by the last part of its name.
pub fn sentence_in_python(name: &str) -> Option<&'static str> {
    vocabulary::in_python(name).map(|(function, _)| function.doc)
}

/// The forms of a name, one for each number of parameters.
pub fn of(name: &str) -> impl Iterator<Item = Entry> {
    let forms = named(name).map(|function| {
        let only = Form {
            parameters: function.parameters,
            doc: function.doc,
        };
        let only = function.forms.is_empty().then_some(only);
        let forms = function.forms.iter().copied().chain(only);
        forms.map(move |form| Entry { function, form })
    });
    forms.into_iter().flatten()
}

/// The definition of a function or method, as a link in Markdown: the section of the paper, or the header.
pub fn source_link(name: &str) -> Option<String> {
    let function = named(name)?;
    if let Some(section) = function.defined.section {
        return Some(format!("[{PAPER_TITLE}, {section}]({PAPER_ADDRESS})"));
    }
    let shown = function.defined.header.path()?;
    let path = function.defined.header.path_in_repository()?;
    Some(format!("[{shown}]({REPOSITORY}{path})"))
}

/// One line about a function or method, as the language of a source spells it: its result, and its definition.
pub fn documentation(name: &str, dialect: Dialect) -> Option<String> {
    if dialect == Dialect::Dsl
        && let Some(line) = line_in_python(name)
    {
        return Some(line);
    }
    let function = named(name)?;
    if !function.forms.is_empty() {
        return of(name).last().map(|entry| entry.line());
    }
    let (signature, doc) = (function.signature, function.doc);
    Some(format!("{signature}: {doc}{}", Source(function)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_leads_to_the_paper_or_to_its_header() {
        let paper = source_link("composition").unwrap();
        assert!(paper.contains(", §") && paper.ends_with("](https://arxiv.org/abs/2603.02298)"));
        for name in ["cp_async_wait", "fill"] {
            let header = source_link(name).unwrap();
            let (shown, address) = header.split_once("](").unwrap();
            let path = shown.strip_prefix('[').unwrap();
            assert_eq!(address, format!("{REPOSITORY}include/{path})"));
        }
        assert_eq!(source_link("__syncthreads"), None);
        assert_eq!(source_link("make_tea"), None);
    }

    #[test]
    fn a_function_has_an_entry_for_each_number_of_parameters() {
        let lines: Vec<String> = of("make_layout").map(|entry| entry.signature()).collect();
        assert_eq!(lines, ["make_layout(shape)", "make_layout(shape, stride)"]);
        let only: Vec<String> = of("make_layout_like")
            .map(|entry| entry.signature())
            .collect();
        assert_eq!(only.len(), 1);
        assert_eq!(of("make_tea").count(), 0);
    }
}
