//! The declared name that a comment describes.

use tree_sitter_cute::Host;
use tree_sitter_cute::tree::{ExprKind, Ident, Item, ItemKind, Span, Unit};

use crate::walk;

/// A declared name, with the part of the source in which it can be used.
struct Declared<'u> {
    name: &'u Ident,
    /// The declaration.
    whole: Span,
    scope: Span,
    is_parameter: bool,
}

/// The declared names of a file.
pub(super) struct Declarations<'u> {
    all: Vec<Declared<'u>>,
    comments: Vec<Span>,
    /// The comments that state a layout or a shape.
    stating: Vec<Span>,
    text: &'u str,
    host: Host,
}

impl<'u> Declarations<'u> {
    pub(super) fn of(unit: &'u Unit, text: &'u str, host: Host, stating: Vec<Span>) -> Self {
        let mut declarations = Self {
            all: Vec::new(),
            comments: unit.comments.iter().map(|comment| comment.span).collect(),
            stating,
            text,
            host,
        };
        declarations.add_all(&unit.items, Span::new(0, text.len()));
        walk::expressions(&unit.items, &mut |expr| {
            if let ExprKind::Lambda(lambda) = &expr.kind {
                declarations.add_all(&lambda.body, expr.span);
            }
        });
        declarations
    }

    fn add_all(&mut self, items: &'u [Item], scope: Span) {
        for item in items {
            self.add(item, scope);
        }
    }

    fn add(&mut self, item: &'u Item, scope: Span) {
        let mut declare = |name: &'u Ident, whole, scope, is_parameter| {
            self.all.push(Declared {
                name,
                whole,
                scope,
                is_parameter,
            });
        };
        match &item.kind {
            ItemKind::Binding(binding) => {
                // The operand behind a list of Python's tells what its elements are.
                let is_list = self.host == Host::Python
                    && matches!(
                        binding.init.as_ref().map(|init| &init.kind),
                        Some(ExprKind::Braced(_))
                    );
                if let Some(name) = binding.name.as_ref().filter(|_| !is_list) {
                    declare(name, binding.span, scope, false);
                }
            }
            ItemKind::StructuredBinding(binding) => {
                for name in &binding.names {
                    declare(name, item.span, scope, false);
                }
            }
            ItemKind::Function(function) => {
                for param in &function.params {
                    if let Some(name) = &param.name {
                        declare(name, param.span, item.span, true);
                    }
                }
                self.add_all(function.body.as_deref().unwrap_or_default(), item.span);
            }
            ItemKind::If(branch) => {
                self.add_all(&branch.init, item.span);
                let otherwise = branch.otherwise.as_deref().unwrap_or_default();
                let end = otherwise
                    .first()
                    .map_or(item.span.end, |first| first.span.start);
                self.add_all(&branch.then, Span::new(item.span.start, end));
                self.add_all(otherwise, item.span);
            }
            // A declaration in an `#if` is declared around it.
            ItemKind::Conditional(conditional) => {
                for branch in &conditional.branches {
                    self.add_all(&branch.items, scope);
                }
            }
            _ => {
                walk::inner_items(item, &mut |list| self.add_all(list, item.span));
            }
        }
    }

    /// The place of the name that a comment describes: the given one, as it is visible there, or the one whose
    /// declaration is before the comment or right below it.
    pub(super) fn described(&self, comment: Span, name: Option<&Ident>) -> Option<Span> {
        let Some(name) = name else {
            return self
                .declared_on_line(comment)
                .or_else(|| self.declared_below(comment));
        };
        let visible = self
            .all
            .iter()
            .filter(|declared| {
                declared.name.name == name.name
                    && declared.whole.end <= comment.start
                    && declared.scope.encloses(comment)
            })
            .min_by_key(|declared| {
                (
                    declared.scope.len(),
                    std::cmp::Reverse(declared.whole.start),
                )
            });
        match visible {
            Some(declared) => Some(declared.name.span),
            None => self.declared_below(comment).filter(|below| {
                let mut all = self.all.iter();
                all.any(|declared| declared.name.span == *below && declared.name.name == name.name)
            }),
        }
    }

    /// The only name whose declaration ends on the line of a comment, right before it.
    fn declared_on_line(&self, comment: Span) -> Option<Span> {
        let line = start_of_line(comment, self.text);
        let mut ending = self
            .all
            .iter()
            .filter(|declared| line <= declared.whole.end && declared.whole.end <= comment.start);
        let (declared, None) = (ending.next()?, ending.next()) else {
            return None;
        };
        // Where each argument has its comment, the last one is of the last argument.
        let mut stating = self.stating.iter();
        if stating.any(|other| declared.whole.encloses(*other)) {
            return None;
        }
        let between = Span::new(declared.whole.end, comment.start).text(self.text);
        let before = Span::new(line, declared.whole.start).text(self.text);
        let only_marks = between
            .chars()
            .all(|c| c.is_whitespace() || matches!(c, ';' | ',' | ')'));
        // Behind the last parameter of a line a comment may speak of the whole function.
        let is_own = !between.contains(')') || (declared.is_parameter && before.trim().is_empty());
        (only_marks && is_own).then_some(declared.name.span)
    }

    /// The name whose declaration begins on the line below a comment that has its line for itself
    /// and belongs to no other comment.
    fn declared_below(&self, comment: Span) -> Option<Span> {
        let line = start_of_line(comment, self.text);
        if !Span::new(line, comment.start)
            .text(self.text)
            .trim()
            .is_empty()
        {
            return None;
        }
        let before = self.text.get(..line)?.trim_end().len();
        let has_own_line = |other: &Span| {
            let line = start_of_line(*other, self.text);
            Span::new(line, other.start)
                .text(self.text)
                .trim()
                .is_empty()
        };
        let mut others = self.comments.iter();
        if others.any(|other| other.end == before && has_own_line(other)) {
            return None;
        }
        let below = self
            .text
            .get(comment.end..)?
            .trim_start_matches([' ', '\t', '\r']);
        let code = below.strip_prefix('\n')?.trim_start_matches([' ', '\t']);
        let start = self.text.len() - code.len();
        let mut beginning = self
            .all
            .iter()
            .filter(|declared| declared.whole.start == start && !declared.is_parameter);
        match (beginning.next(), beginning.next()) {
            (Some(declared), None) => Some(declared.name.span),
            _ => None,
        }
    }
}

/// The last byte of code before a comment on its line.
pub(super) fn end_of_code_before(comment: Span, text: &str) -> Option<usize> {
    let line = start_of_line(comment, text);
    let code = Span::new(line, comment.start).text(text).trim_end();
    let code = code.trim_end_matches([';', ',', ')']);
    (!code.trim().is_empty()).then(|| line + code.len() - 1)
}

fn start_of_line(comment: Span, text: &str) -> usize {
    text.get(..comment.start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |newline| newline + 1)
}
