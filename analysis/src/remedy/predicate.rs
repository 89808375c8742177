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
    /// The statement of a division again, with coordinates in the place of the data. The copied elements are then
    /// decided by it: `elem_less(coordinate, shape)`, `copy_if`.
    pub(super) fn predicated(&self, finding: &Finding, call: &Expr) -> Option<Candidate> {
        if finding.rule != RULE {
            return None;
        }
        let ExprKind::Call(callee, args) = &call.kind else {
            return None;
        };
        let data = args.first()?;
        let (binding, end) = self.statement_of(call)?;
        let text = self.file.text();
        let declared = &binding.name.as_ref()?.name;
        let head = Span::new(call.span.start, data.span.start).text(text);
        let tail = Span::new(data.span.end, call.span.end).text(text);
        let data = data.span.text(text);
        let line = text
            .get(..binding.span.start)?
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let before = text.get(line..binding.span.start)?;
        let indent: String = before.chars().take_while(|c| c.is_whitespace()).collect();
        let (shape, new_text) = match (self.options.host, &callee.kind) {
            (Host::CudaCpp, _) => {
                let name = format!("c{}", capitalised(declared));
                let shape = format!("shape({data})");
                let new_text = format!(
                    "\n{indent}// In bounds where elem_less({name}(i), {shape}): the predicate of copy_if.\n\
                     {indent}auto {name} = {head}make_identity_tensor({shape}){tail};"
                );
                (shape, new_text)
            }
            // `cute.zipped_divide(..)`: the other names are in the same module.
            (Host::Python, ExprKind::Member { object, .. }) => {
                let module = object.span.text(text);
                let name = format!("{declared}_coord");
                let shape = format!("{data}.shape");
                let new_text = format!(
                    "\n{indent}# In bounds where {module}.elem_less({name}[i], {shape}): the predicate of the copy.\n\
                     {indent}{name} = {head}{module}.make_identity_tensor({shape}){tail}"
                );
                (shape, new_text)
            }
            _ => return None,
        };
        let edit = Edit {
            span: Span::new(end, end),
            new_text,
        };
        Some(Candidate {
            edits: vec![edit],
            title: Some(format!(
                "Add a predicate: tile the coordinates of {shape} the same way"
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
        if self.options.host == Host::Python {
            // Nothing but a comment is behind it on its line.
            let line = rest.lines().next().unwrap_or_default();
            let is_alone = line.trim().is_empty() || line.trim_start().starts_with('#');
            return is_alone.then_some((binding, call.span.end + line.len()));
        }
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
