//! Options of Rust: values that there are under a condition, and the statements that ask for them.

use tree_sitter_cute::tree::{Expr, ExprKind, If, Item, ItemKind, UnaryOp};

use super::Walker;
use super::held::{Held, Local, Parts, Ty};
use crate::access::Guard;
use crate::access::terms::{IntKind, Operator, TermId};

/// An option.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Maybe<'u> {
    /// Whether it has a value.
    pub(super) condition: TermId,
    /// The condition, as a person writes it.
    pub(super) text: String,
    /// The value.
    pub(super) held: Held<'u>,
}

/// Names of the elements of a tuple.
pub(super) const ELEMENTS: [&str; 8] = ["0", "1", "2", "3", "4", "5", "6", "7"];

impl<'u> Walker<'_, 'u> {
    /// An option that has a value where `left < right`.
    pub(super) fn below(
        &mut self,
        (left, right): (TermId, TermId),
        text: String,
        held: Held<'u>,
    ) -> Held<'u> {
        let condition = self.terms().binary(Operator::Less, left, right);
        Held::Maybe(Box::new(Maybe {
            condition,
            text,
            held,
        }))
    }

    /// An option whose condition is known: `Some(value)` or `None`.
    pub(super) fn option(&mut self, value: Option<Held<'u>>, text: String) -> Held<'u> {
        let condition = i64::from(value.is_some());
        Held::Maybe(Box::new(Maybe {
            condition: self.terms().number(condition, IntKind::BOOL),
            text,
            held: value.unwrap_or(Held::Unset),
        }))
    }

    /// The one option under a condition, else the other.
    pub(super) fn joined_options(
        &mut self,
        condition: TermId,
        then: Maybe<'u>,
        otherwise: Maybe<'u>,
    ) -> Held<'u> {
        let is_there = self
            .terms()
            .select(condition, then.condition, otherwise.condition);
        let none =
            |it: &Self, maybe: &Maybe<'u>| it.out.terms.as_number(maybe.condition) == Some(0);
        let text = if none(self, &then) {
            otherwise.text
        } else {
            then.text
        };
        Held::Maybe(Box::new(Maybe {
            condition: is_there,
            text,
            held: self.joined(condition, then.held, otherwise.held),
        }))
    }

    /// A tuple.
    pub(super) fn tuple(&mut self, elements: &'u [Expr]) -> Held<'u> {
        let values = self.values(elements);
        self.tuple_of(values)
    }

    /// A tuple of values.
    pub(super) fn tuple_of(&self, values: Vec<Held<'u>>) -> Held<'u> {
        let named = ELEMENTS.iter().zip(values);
        let members = named.map(|(name, held)| {
            let ty = held.ty(&self.out.terms).unwrap_or(Ty::Auto);
            (*name, Local::new(held, ty))
        });
        Held::Parts(Parts {
            ty: None,
            members: members.collect(),
        })
    }

    /// `option?`: without a value the thread leaves the function.
    pub(super) fn content_or_leave(&mut self, expr: &'u Expr, option: &'u Expr) -> Held<'u> {
        match self.value(option) {
            Held::Maybe(maybe) => {
                let Maybe {
                    condition,
                    text,
                    held,
                } = *maybe;
                let exit = self.calls.is_empty().then_some(expr.span);
                self.course.guards.push(Guard {
                    condition,
                    text: text.into(),
                    exit,
                });
                held
            }
            held => held,
        }
    }

    /// A method of an option.
    pub(super) fn method_of_option(
        &mut self,
        expr: &'u Expr,
        maybe: Maybe<'u>,
        (name, args): (&str, &'u [Expr]),
    ) -> Option<Held<'u>> {
        match (name, args) {
            ("unwrap" | "unwrap_unchecked", []) | ("expect", [_]) => Some(maybe.held),
            ("is_some", []) => Some(Held::Int(maybe.condition)),
            ("is_none", []) => {
                let none = self.terms().not(maybe.condition);
                Some(Held::Int(none))
            }
            ("copied" | "cloned", []) => {
                let Maybe {
                    condition,
                    text,
                    held,
                } = maybe;
                let held = match held {
                    Held::Pointer(element) => {
                        self.under_guard(condition, &text, |it| it.load(expr.span, Ok(element)))
                    }
                    held => held,
                };
                Some(Held::Maybe(Box::new(Maybe {
                    condition,
                    text,
                    held,
                })))
            }
            ("unwrap_or", [other]) => {
                let otherwise = self.value(other);
                Some(self.joined(maybe.condition, maybe.held, otherwise))
            }
            ("unwrap_or_default", []) => {
                let zero = match maybe.held.ty(&self.out.terms) {
                    Some(Ty::Int(kind)) => self.number(0, kind),
                    ty => Held::Other("it is not an integer".into(), ty),
                };
                Some(self.joined(maybe.condition, maybe.held, zero))
            }
            ("unwrap_or_else" | "map" | "and_then" | "map_or", _) => {
                self.function_of_option(maybe, (name, args))
            }
            ("ok_or", [_]) | ("ok" | "as_ref" | "as_mut" | "as_deref" | "as_deref_mut", []) => {
                Some(Held::Maybe(Box::new(maybe)))
            }
            _ => None,
        }
    }

    /// A method of an option that takes a function: of the content, or of nothing where there is none.
    fn function_of_option(
        &mut self,
        maybe: Maybe<'u>,
        (name, args): (&str, &'u [Expr]),
    ) -> Option<Held<'u>> {
        let Held::Lambda(function) = self.value(args.last()?) else {
            return None;
        };
        let Maybe {
            condition,
            text,
            held,
        } = maybe;
        if name == "unwrap_or_else" {
            let not = self.terms().not(condition);
            let otherwise = self.under_guard(not, &text, |it| {
                it.call_lambda_with(&function, (&[], Vec::new()))
            });
            return Some(self.joined(condition, held, otherwise));
        }
        let result = self.under_guard(condition, &text, |it| {
            it.call_lambda_with(&function, (&[], vec![held]))
        });
        Some(match (name, args) {
            ("map_or", [otherwise, _]) => {
                let otherwise = self.value(otherwise);
                self.joined(condition, result, otherwise)
            }
            ("and_then", _) => match result {
                Held::Maybe(inner) => Held::Maybe(Box::new(Maybe {
                    condition: self
                        .terms()
                        .binary(Operator::Both, condition, inner.condition),
                    ..*inner
                })),
                other => other,
            },
            _ => Held::Maybe(Box::new(Maybe {
                condition,
                text,
                held: result,
            })),
        })
    }

    /// Walks something under a condition.
    pub(super) fn under_guard<T>(
        &mut self,
        condition: TermId,
        text: &str,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.course.guards.push(Guard {
            condition,
            text: text.into(),
            exit: None,
        });
        let result = walk(self);
        self.course.guards.pop();
        result
    }

    /// `if let Some(x) = option && condition { .. }`: declares the names, and gives the condition. Nothing for any other
    /// statement.
    pub(super) fn if_let(&mut self, branch: &'u If) -> Option<(TermId, String)> {
        if branch.condition.is_some() || branch.init.is_empty() {
            return None;
        }
        let before = self.course.guards.len();
        let mut all = self.terms().number(1, IntKind::BOOL);
        let mut texts = Vec::new();
        for (index, item) in branch.init.iter().enumerate() {
            let next = branch.init.get(index + 1);
            let Some((condition, text)) = self.condition_of(item, next) else {
                continue;
            };
            all = self.terms().binary(Operator::Both, all, condition);
            // What is behind it is evaluated under it only.
            self.course.guards.push(Guard {
                condition,
                text: text.as_str().into(),
                exit: None,
            });
            texts.push(text);
        }
        self.course.guards.truncate(before);
        Some((all, texts.join(" && ")))
    }

    /// One part of the condition of an `if let`, behind which `next` is.
    fn condition_of(&mut self, item: &'u Item, next: Option<&'u Item>) -> Option<(TermId, String)> {
        match &item.kind {
            ItemKind::Binding(_) | ItemKind::StructuredBinding(_) => {
                let Some(option) = option_of(item) else {
                    // A name that a pattern binds.
                    self.walk(item);
                    return None;
                };
                let (condition, text, held) = match self.value(option) {
                    Held::Maybe(maybe) => (maybe.condition, maybe.text, maybe.held),
                    held => {
                        let text = self.text(option.span);
                        let why = format!("whether `{text}` has a value");
                        (self.unknown(&why, IntKind::BOOL), text, held)
                    }
                };
                self.declare_content(item, held);
                Some((condition, text))
            }
            ItemKind::Expr(expr) if next.is_some_and(is_of_pattern) => {
                self.value(expr);
                let text = self.text(expr.span);
                let why = format!("whether `{text}` matches a pattern");
                Some((self.unknown(&why, IntKind::BOOL), text))
            }
            ItemKind::Expr(expr) if !matches!(expr.kind, ExprKind::Opaque(_)) => {
                let term = self.term(expr);
                Some((self.terms().truth(term), self.text(expr.span)))
            }
            _ => None,
        }
    }

    /// Declares the names that the content of an option is bound to.
    fn declare_content(&mut self, item: &'u Item, held: Held<'u>) {
        match &item.kind {
            ItemKind::Binding(binding) => {
                let Some(name) = &binding.name else { return };
                let ty = held.ty(&self.out.terms).unwrap_or(Ty::Auto);
                self.declare(&name.name, Local::new(held, ty));
            }
            ItemKind::StructuredBinding(binding) => {
                let parts = self.parts_of(held);
                self.declare_parts(&binding.names, parts);
            }
            _ => {}
        }
    }
}

/// The option whose content a binding has: `let x = option?`.
fn option_of(item: &Item) -> Option<&Expr> {
    let init = match &item.kind {
        ItemKind::Binding(binding) => binding.init.as_ref(),
        ItemKind::StructuredBinding(binding) => binding.init.as_ref(),
        _ => None,
    };
    match &init?.kind {
        ExprKind::Unary(UnaryOp::Try, option) => Some(option),
        _ => None,
    }
}

/// Whether an item belongs to the pattern of the value before it.
fn is_of_pattern(item: &Item) -> bool {
    match &item.kind {
        ItemKind::Binding(binding) => binding
            .init
            .as_ref()
            .is_some_and(|init| matches!(init.kind, ExprKind::Opaque(_))),
        ItemKind::Expr(expr) => matches!(expr.kind, ExprKind::Opaque(_)),
        _ => false,
    }
}
