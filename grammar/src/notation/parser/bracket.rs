//! Brackets: their contents, and the results when they close.

use super::{Due, Form, Parsed, Parser, PathSoFar, Pending};
use crate::limits;
use crate::tree::{Expr, ExprKind, Span};

/// An open bracket.
pub(super) struct Open {
    pub(super) bracket: Bracket,
    /// The start of the construct that it belongs to.
    start: usize,
    /// Number of operands before its own.
    first: usize,
}

pub(in super::super) enum Bracket {
    Tuple,
    /// `<4:1, 8:2>`
    Angle,
    /// `[4:1; 8:2]`
    Square,
    /// Arguments of the operand in front.
    Arguments,
    /// Arguments in braces of the operand in front.
    Braces,
    /// Template arguments of the last name of a path.
    Template(PathSoFar),
}

impl Bracket {
    pub(super) fn closing(&self) -> char {
        match self {
            Self::Tuple | Self::Arguments => ')',
            Self::Angle | Self::Template(_) => '>',
            Self::Square => ']',
            Self::Braces => '}',
        }
    }

    pub(super) fn separator(&self) -> char {
        match self {
            Self::Square => ';',
            _ => ',',
        }
    }

    pub(super) fn separates(&self, mark: char) -> bool {
        mark == ',' || mark == self.separator()
    }
}

/// The index in `open` of the brackets that a mark closes.
pub(super) fn kind_of(closing: char) -> Option<usize> {
    [')', '>', ']', '}']
        .iter()
        .position(|mark| *mark == closing)
}

impl Parser<'_> {
    /// A bracket that follows the last operand and takes it as the callee.
    pub(super) fn apply(&mut self, bracket: Bracket) -> Parsed<Due> {
        let start = self
            .operands
            .last()
            .map_or(0, |callee| callee.expr.span.start);
        self.open(bracket, start)
    }

    /// Whether one argument is before the text that is read.
    pub(in super::super) fn is_second_argument(&self) -> bool {
        match self.pending.last() {
            Some(Pending::Open(open)) => {
                matches!(open.bracket, Bracket::Arguments) && self.operands.len() == open.first + 1
            }
            _ => false,
        }
    }

    /// Takes the opening mark, and the closing one too when it follows.
    pub(in super::super) fn open(&mut self, bracket: Bracket, start: usize) -> Parsed<Due> {
        if self.open.iter().sum::<usize>() >= limits::DEPTH {
            return Err(self.unexpected(&format!("at most {} levels", limits::DEPTH)));
        }
        self.take();
        let closing = bracket.closing();
        if let Some(count) = kind_of(closing).and_then(|kind| self.open.get_mut(kind)) {
            *count += 1;
        }
        let first = self.operands.len();
        self.pending.push(Pending::Open(Open {
            bracket,
            start,
            first,
        }));
        match self.eat(closing) {
            Some(end) => self.close(end.end),
            None => Ok(Due::Operand),
        }
    }

    /// Closes the innermost bracket, whose operators are complete.
    pub(super) fn close(&mut self, end: usize) -> Parsed<Due> {
        let Some(Pending::Open(open)) = self.pending.pop() else {
            return Err(self.unexpected_operator());
        };
        let closing = open.bracket.closing();
        if let Some(count) = kind_of(closing).and_then(|kind| self.open.get_mut(kind)) {
            *count = count.saturating_sub(1);
        }
        let mut depth = 0;
        let first = open.first.min(self.operands.len());
        let items = self.operands.drain(first..).map(|item| {
            depth = depth.max(item.depth);
            item.expr
        });
        let mut items: Vec<Expr> = items.collect();
        let span = Span::new(open.start, end);
        match open.bracket {
            Bracket::Tuple => {
                // Around one infix operation parentheses only group.
                let grouped = items.pop_if(|item| is_infix(item));
                match (grouped, items.is_empty()) {
                    (Some(inner), true) => self.push(inner.kind, span, depth, Form::Plain),
                    (inner, _) => {
                        items.extend(inner);
                        self.push(ExprKind::Tuple(items), span, depth + 1, Form::Plain)
                    }
                }
            }
            Bracket::Angle | Bracket::Square => {
                self.push(ExprKind::Tiler(items), span, depth + 1, Form::Plain)
            }
            Bracket::Arguments | Bracket::Braces => {
                let Some(callee) = self.operands.pop() else {
                    return Err(self.unexpected_operator());
                };
                let depth = depth.max(callee.depth) + 1;
                let ty = Box::new(callee.expr);
                let kind = match open.bracket {
                    Bracket::Arguments => ExprKind::Call(ty, items),
                    _ => ExprKind::Construct {
                        ty,
                        args: items,
                        braces: true,
                    },
                };
                self.push(kind, span, depth, Form::Named)
            }
            Bracket::Template(mut so_far) => {
                if let Some(segment) = so_far.path.segments.last_mut() {
                    segment.args = Some(items);
                }
                so_far.depth = so_far.depth.max(depth);
                so_far.span = span;
                self.path_continued(so_far)
            }
        }
    }
}

fn is_infix(item: &Expr) -> bool {
    matches!(
        item.kind,
        ExprKind::Composition(_) | ExprKind::Divide(..) | ExprKind::Product(..)
    )
}
