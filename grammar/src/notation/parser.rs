//! The parser of the notation: operators by precedence, brackets on their own stack.
//!
//! There is no recursion, each token is taken once, and nothing is looked up further back than the
//! innermost bracket: time is linear in the text whatever it holds.

mod bracket;
mod coefficient;
mod recovery;

use super::lexer::{self, Placed, Token};
use super::look_alike;
use crate::limits;
use crate::parse_error::ParseError;
use crate::tree::{BinaryOp, Expr, ExprKind, Path, Span, UnaryOp};
pub(super) use bracket::Bracket;
use bracket::Open;
pub(super) use coefficient::{rational, ungrouped, zero_denominator};

pub(super) type Parsed<T> = Result<T, ParseError>;

/// The place of a part that was not understood.
pub(super) const HOLE: &str = "error";

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    /// The token to be taken next.
    pub(super) next: Placed<'t>,
    /// The end of the token before it.
    taken: usize,
    /// Operands whose operator or bracket is not complete.
    operands: Vec<Operand>,
    /// Operators that wait for their right operand, and open brackets, innermost last.
    pending: Vec<Pending>,
    /// Numbers of open brackets, by the mark that closes them.
    open: [usize; 4],
    /// A path of which a name is due.
    pub(super) path: Option<PathSoFar>,
    nodes: usize,
    /// Goes on after an error, with a hole in the place of the text that was not understood.
    recovers: bool,
    errors: Vec<ParseError>,
}

/// An expression and how deep it nests.
struct Operand {
    expr: Expr,
    depth: usize,
}

/// The beginning of a path.
pub(super) struct PathSoFar {
    pub(super) path: Path,
    pub(super) span: Span,
    /// The depth of its template arguments.
    pub(super) depth: usize,
}

/// The construct due at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    Operand,
    /// The next name of the path that is being read.
    Name,
    /// An operator, a separator, a closing bracket or the end, behind an operand of this form.
    Operator(Form),
    /// Nothing: the text is read.
    Nothing,
}

/// The form of an operand, which decides the operators behind it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Arguments in parentheses or braces.
    Named,
    /// No multiplication: `1@0` is complete.
    Basis,
    Plain,
}

enum Pending {
    Operator(Operator),
    Open(Open),
}

#[derive(Clone, Copy)]
enum Operator {
    Compose,
    Divide,
    Product,
    Layout,
    Additive(BinaryOp),
    Multiplicative(BinaryOp),
    /// With the place of the sign.
    Minus(Span),
}

/// The precedence of an operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Infix,
    Layout,
    Additive,
    Basis,
    Multiplicative,
    Sign,
}

impl Operator {
    fn binding(self) -> Binding {
        match self {
            Self::Compose | Self::Divide | Self::Product => Binding::Infix,
            Self::Layout => Binding::Layout,
            Self::Additive(_) => Binding::Additive,
            Self::Multiplicative(_) => Binding::Multiplicative,
            Self::Minus(_) => Binding::Sign,
        }
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, recovers: bool) -> Self {
        let mut parser = Self {
            text,
            next: lexer::next(text, 0),
            taken: 0,
            operands: Vec::new(),
            pending: Vec::new(),
            open: [0; 4],
            path: None,
            nodes: 0,
            recovers,
            errors: Vec::new(),
        };
        parser.see_through();
        parser
    }

    /// The whole text, or its first error.
    pub(super) fn strict(text: &'t str) -> Parsed<Expr> {
        let mut parser = Self::new(text, false);
        parser.run()?;
        Ok(parser.result())
    }

    /// The whole text with holes, and its errors.
    pub(super) fn lenient(text: &'t str) -> (Expr, Vec<ParseError>) {
        let mut parser = Self::new(text, true);
        if let Err(error) = parser.run() {
            parser.record(error);
        }
        let expr = parser.result();
        (expr, parser.errors)
    }

    fn result(&mut self) -> Expr {
        match self.operands.pop() {
            Some(operand) => operand.expr,
            None => Expr::new(ExprKind::Opaque(HOLE), Span::new(0, self.text.len())),
        }
    }

    fn run(&mut self) -> Parsed<()> {
        let mut due = Due::Operand;
        while due != Due::Nothing {
            let start = self.next.span.start;
            let step = match due {
                Due::Operand => self.operand(),
                Due::Name => self.name(),
                Due::Operator(form) => self.operator(form),
                Due::Nothing => return Ok(()),
            };
            due = match step {
                Ok(due) => due,
                Err(error) if self.recovers => self.recovered(error, due, start),
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    // ---- Tokens and errors ----

    pub(super) fn take(&mut self) -> Placed<'t> {
        let taken = self.next;
        self.next = lexer::next(self.text, taken.span.end);
        self.taken = taken.span.end;
        self.see_through();
        taken
    }

    /// Goes on behind `end`, which is not a border of tokens.
    pub(super) fn take_up_to(&mut self, end: usize) {
        self.next = lexer::next(self.text, end);
        self.taken = end;
        self.see_through();
    }

    /// A look-alike is an error during recovery and counts as the mark that it looks like.
    fn see_through(&mut self) {
        if self.recovers
            && let Token::LookAlike(mark) = self.next.token
        {
            self.record(self.unexpected(""));
            self.next.token = match mark {
                '\u{2218}' => Token::Compose("o"),
                '\u{2298}' => Token::Divide,
                '\u{2297}' => Token::Product,
                mark => Token::Mark(mark),
            };
        }
    }

    /// Takes `mark` if it is next.
    pub(super) fn eat(&mut self, mark: char) -> Option<Span> {
        (self.next.token == Token::Mark(mark)).then(|| self.take().span)
    }

    pub(super) fn expect(&mut self, mark: char) -> Parsed<Span> {
        match self.eat(mark) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(&format!("`{mark}`"))),
        }
    }

    /// The next token does not fit.
    pub(super) fn unexpected(&self, expected: &str) -> ParseError {
        let span = self.next.span;
        let letter = match self.next.token {
            Token::Mark(mark) => {
                look_alike::letter(mark).or(look_alike::is_invisible(mark).then_some(' '))
            }
            _ => None,
        };
        let code = |c: char| format!("U+{:04X}", u32::from(c));
        let found = span.text(self.text).chars().next().unwrap_or_default();
        let expected = match (self.next.token, letter) {
            (Token::TooLarge, _) => "an integer of at most 64 bits".to_owned(),
            (Token::LookAlike(mark), _) => {
                format!("`{mark}` rather than its look-alike {}", code(found))
            }
            (_, Some(' ')) => format!("{expected}, without the invisible {}", code(found)),
            (_, Some(letter)) => format!("`{letter}` rather than its look-alike {}", code(found)),
            _ => expected.to_owned(),
        };
        self.invalid(span, expected)
    }

    /// The error for a text at `span` that does not fit.
    pub(super) fn invalid(&self, span: Span, expected: String) -> ParseError {
        ParseError {
            span,
            expected,
            found: span.text(self.text).to_owned(),
        }
    }

    /// Keeps an error, unless another one of the same place is kept.
    fn record(&mut self, error: ParseError) {
        let known = self
            .errors
            .last()
            .is_some_and(|last| last.span == error.span);
        if !known && self.errors.len() < limits::PARSE_ERRORS {
            self.errors.push(error);
        }
    }

    // ---- Operands ----

    fn operand(&mut self) -> Parsed<Due> {
        let Placed { token, span } = self.next;
        let kind = match token {
            Token::Integer(value) => ExprKind::Int(value),
            Token::Static(value) => ExprKind::Static(value),
            Token::Underscore => ExprKind::Underscore,
            Token::BasisVector(coefficient, mode) => {
                let coefficient = Expr::new(ExprKind::Int(coefficient), span);
                self.take();
                let kind = ExprKind::Basis(Box::new(coefficient), vec![mode]);
                return self.push(kind, span, 2, Form::Plain);
            }
            Token::Mark('-') => {
                self.take();
                let minus = Operator::Minus(span);
                self.pending.push(Pending::Operator(minus));
                return Ok(Due::Operand);
            }
            Token::Mark('(') => return self.open(Bracket::Tuple, span.start),
            Token::Mark('<') => return self.open(Bracket::Angle, span.start),
            Token::Mark('[') => return self.open(Bracket::Square, span.start),
            Token::Mark('?') => return self.unknown(),
            Token::Name(_) | Token::Compose("o") | Token::Scope => return self.named(),
            _ => return Err(self.unexpected("a layout, a tuple, an integer or a name")),
        };
        self.take();
        self.push(kind, span, 1, Form::Plain)
    }

    /// A new operand that nests `depth` levels.
    #[inline]
    pub(super) fn push(
        &mut self,
        kind: ExprKind,
        span: Span,
        depth: usize,
        form: Form,
    ) -> Parsed<Due> {
        self.nodes += 1;
        if self.nodes > limits::NODES || depth > limits::DEPTH {
            return self.push_beyond_limits(span, depth);
        }
        let expr = Expr::new(kind, span);
        self.operands.push(Operand { expr, depth });
        Ok(Due::Operator(form))
    }

    #[cold]
    fn push_beyond_limits(&mut self, span: Span, depth: usize) -> Parsed<Due> {
        let limit = if depth > limits::DEPTH {
            format!("at most {} levels", limits::DEPTH)
        } else {
            format!("at most {} parts", limits::NODES)
        };
        let error = self.invalid(self.next.span, limit);
        if !self.recovers {
            return Err(error);
        }
        self.record(error);
        self.push_hole(span);
        Ok(Due::Operator(Form::Plain))
    }

    fn push_hole(&mut self, span: Span) {
        let expr = Expr::new(ExprKind::Opaque(HOLE), span);
        self.operands.push(Operand { expr, depth: 1 });
    }

    // ---- Operators ----

    fn operator(&mut self, form: Form) -> Parsed<Due> {
        // Behind anything but a name, `:::x` is `:` and `::x`.
        if self.next.token == Token::Scope {
            let start = self.next.span.start;
            self.next.token = Token::Mark(':');
            self.next.span = Span::new(start, start + 1);
        }
        let operator = match self.next.token {
            Token::Mark('(') if form == Form::Named => return self.apply(Bracket::Arguments),
            Token::Mark('{') if form == Form::Named => return self.apply(Bracket::Braces),
            Token::Mark('@') => return self.basis(),
            Token::Mark('*') if form != Form::Basis => Operator::Multiplicative(BinaryOp::Mul),
            Token::Mark('/') if form != Form::Basis => Operator::Multiplicative(BinaryOp::Div),
            Token::Mark('%') if form != Form::Basis => Operator::Multiplicative(BinaryOp::Rem),
            Token::Mark('+') => Operator::Additive(BinaryOp::Add),
            Token::Mark('-') => Operator::Additive(BinaryOp::Sub),
            Token::Mark(':') => Operator::Layout,
            Token::Compose(_) => Operator::Compose,
            Token::Divide => Operator::Divide,
            Token::Product => Operator::Product,
            Token::End if self.open == [0; 4] => {
                self.reduce(Binding::Infix)?;
                return Ok(Due::Nothing);
            }
            Token::Mark(mark) => return self.separator_or_end(mark),
            _ => return Err(self.unexpected_operator()),
        };
        self.reduce(operator.binding())?;
        // `a:b:c` means nothing: the stride of `a:b` is complete at the second colon.
        if matches!(operator, Operator::Layout) && self.stride_is_complete() {
            return Err(self.unexpected_operator());
        }
        self.take();
        self.pending.push(Pending::Operator(operator));
        Ok(Due::Operand)
    }

    /// Whether the last operand is a layout that its colon just made, not one in brackets.
    fn stride_is_complete(&self) -> bool {
        let last = self.operands.last();
        last.is_some_and(|last| matches!(last.expr.kind, ExprKind::Layout(..)))
    }

    fn separator_or_end(&mut self, mark: char) -> Parsed<Due> {
        self.reduce(Binding::Infix)?;
        match self.pending.last() {
            Some(Pending::Open(open)) if open.bracket.separates(mark) => {
                self.take();
                Ok(Due::Operand)
            }
            Some(Pending::Open(open)) if open.bracket.closing() == mark => {
                let end = self.take().span;
                self.close(end.end)
            }
            _ => Err(self.unexpected_operator()),
        }
    }

    fn unexpected_operator(&self) -> ParseError {
        let open = self.pending.iter().rev().find_map(|pending| match pending {
            Pending::Open(open) => Some(open),
            Pending::Operator(_) => None,
        });
        match open {
            Some(Open { bracket, .. }) => {
                let (separator, closing) = (bracket.separator(), bracket.closing());
                self.unexpected(&format!("`{separator}` or `{closing}`"))
            }
            None => self.unexpected("an operator or the end"),
        }
    }

    /// `@` and a mode, once or more: the coefficient is the whole term in front.
    fn basis(&mut self) -> Parsed<Due> {
        self.reduce(Binding::Basis)?;
        let mut path = Vec::new();
        while self.eat('@').is_some() {
            let mode = match self.next.token {
                Token::Integer(mode) => usize::try_from(mode).ok(),
                _ => None,
            };
            let Some(mode) = mode else {
                return Err(self.unexpected("the number of a mode"));
            };
            if path.len() >= limits::DEPTH {
                return Err(self.unexpected(&format!("at most {} modes", limits::DEPTH)));
            }
            path.push(mode);
            self.take();
        }
        let end = self.taken;
        if let Some(zero) = self
            .operands
            .last()
            .and_then(|last| zero_denominator(&last.expr))
        {
            return Err(self.invalid(zero, "a denominator other than zero".to_owned()));
        }
        let Some(Operand { expr, depth }) = self.operands.pop() else {
            return Err(self.unexpected("a coefficient"));
        };
        let span = Span::new(expr.span.start, end);
        let coefficient = rational(ungrouped(expr));
        // `e1@2` is `1@1@2`.
        let kind = match coefficient.kind {
            ExprKind::Basis(coefficient, mut inner) => {
                inner.append(&mut path);
                ExprKind::Basis(coefficient, inner)
            }
            _ => ExprKind::Basis(Box::new(coefficient), path),
        };
        self.push(kind, span, depth + 1, Form::Basis)
    }

    /// Completes the operators that bind at least as tightly as `least`, up to the bracket.
    fn reduce(&mut self, least: Binding) -> Parsed<()> {
        while let Some(Pending::Operator(operator)) = self.pending.last()
            && operator.binding() >= least
        {
            let operator = *operator;
            self.pending.pop();
            self.complete(operator)?;
        }
        Ok(())
    }

    fn complete(&mut self, operator: Operator) -> Parsed<()> {
        let Some(right) = self.operands.pop() else {
            return Err(self.unexpected("an operand"));
        };
        if let Operator::Minus(sign) = operator {
            let span = sign.to(right.expr.span);
            let operand = Box::new(ungrouped(right.expr));
            let kind = ExprKind::Unary(UnaryOp::Minus, operand);
            self.push(kind, span, right.depth + 1, Form::Plain)?;
            return Ok(());
        }
        let Some(left) = self.operands.pop() else {
            return Err(self.unexpected("an operand"));
        };
        let span = left.expr.span.to(right.expr.span);
        let depth = left.depth.max(right.depth) + 1;
        let (left, left_depth, right) = (left.expr, left.depth, right.expr);
        let kind = match operator {
            Operator::Compose => match left.kind {
                // A chain is one composition of many operands.
                ExprKind::Composition(mut operands) => {
                    operands.push(right);
                    let depth = left_depth.max(depth - 1);
                    self.push(ExprKind::Composition(operands), span, depth, Form::Plain)?;
                    return Ok(());
                }
                _ => ExprKind::Composition(vec![left, right]),
            },
            Operator::Divide => ExprKind::Divide(Box::new(left), Box::new(right)),
            Operator::Product => ExprKind::Product(Box::new(left), Box::new(right)),
            Operator::Layout => ExprKind::Layout(Box::new(left), Box::new(right)),
            Operator::Additive(op) | Operator::Multiplicative(op) => {
                ExprKind::Binary(op, Box::new(ungrouped(left)), Box::new(ungrouped(right)))
            }
            Operator::Minus(_) => return Ok(()),
        };
        self.push(kind, span, depth, Form::Plain)?;
        Ok(())
    }
}
