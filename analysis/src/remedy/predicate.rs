//! Tiles that reach beyond a tensor, kept as they are: an identity tensor, divided in the same way,
//! says which elements exist.

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Item, ItemKind, Span};

use super::Search;
use super::candidates::Candidate;
use crate::finding::{Edit, Finding};
use crate::predicates::RULE;
use crate::walk;

impl Search<'_> {
    /// The statement of a division again, with coordinates in the place of the data. What is copied
    /// is then decided by it: `elem_less(coordinate, shape)`, `copy_if`.
    pub(super) fn predicated(&self, finding: &Finding, call: &Expr) -> Option<Candidate> {
        if finding.rule != RULE || self.options.host != Host::CudaCpp {
            return None;
        }
        let ExprKind::Call(_, args) = &call.kind else {
            return None;
        };
        let data = args.first()?;
        let (binding, end) = self.statement_of(call)?;
        let text = self.file.text();
        let name = format!("c{}", capitalised(&binding.name.as_ref()?.name));
        let shape = format!("shape({})", data.span.text(text));
        let head = Span::new(call.span.start, data.span.start).text(text);
        let tail = Span::new(data.span.end, call.span.end).text(text);
        let line = text
            .get(..binding.span.start)?
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let before = text.get(line..binding.span.start)?;
        let indent: String = before.chars().take_while(|c| c.is_whitespace()).collect();
        let new_text = format!(
            "\n{indent}// In bounds where elem_less({name}(i), {shape}): the predicate of copy_if.\n\
             {indent}auto {name} = {head}make_identity_tensor({shape}){tail};"
        );
        let edit = Edit {
            span: Span::new(end, end),
            new_text,
        };
        Some(Candidate {
            edits: vec![edit],
            title: Some(format!(
                "Predicate it: tile the coordinates of {shape} alike"
            )),
            legal: None,
        })
    }

    /// The variable that a call initialises, and the byte behind its statement.
    fn statement_of(&self, call: &Expr) -> Option<(&Binding, usize)> {
        let mut found: Option<&Binding> = None;
        walk::items(&self.file.unit().items, &mut |item: &Item| {
            if let ItemKind::Binding(binding) = &item.kind
                && binding
                    .init
                    .as_ref()
                    .is_some_and(|init| init.span == call.span)
            {
                found = Some(binding);
            }
        });
        let binding = found?;
        let rest = self.file.text().get(call.span.end..)?;
        let blanks = rest.len() - rest.trim_start().len();
        rest.trim_start()
            .starts_with(';')
            .then_some((binding, call.span.end + blanks + 1))
    }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
