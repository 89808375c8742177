//! The parser of the notation: recursive descent, one function per rule, depth and size bounded.

use super::lexer::{self, Placed, Token};
use crate::limits;
use crate::parse_error::ParseError;
use crate::tree::{
    BinaryOp, Engine, Expr, ExprKind, Ident, Path, Qualifier, Rational, Segment, Span, UnaryOp,
};

type Parsed<T> = Result<T, ParseError>;

pub(super) struct Parser<'t> {
    text: &'t str,
    /// The token to be taken next.
    next: Placed<'t>,
    depth: usize,
    nodes: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            next: lexer::next(text, 0),
            depth: 0,
            nodes: 0,
        }
    }

    /// `expression END`
    pub(super) fn whole(&mut self) -> Parsed<Expr> {
        let expr = self.expression()?;
        match self.next.token {
            Token::End => Ok(expr),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    fn take(&mut self) -> Placed<'t> {
        let taken = self.next;
        self.next = lexer::next(self.text, taken.span.end);
        taken
    }

    /// Takes `mark` if it is next.
    fn eat(&mut self, mark: char) -> Option<Span> {
        (self.next.token == Token::Mark(mark)).then(|| self.take().span)
    }

    fn expect(&mut self, mark: char) -> Parsed<Span> {
        match self.eat(mark) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(&format!("`{mark}`"))),
        }
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        let span = self.next.span;
        if let Token::TooLarge(_) = self.next.token {
            return ParseError {
                span,
                expected: "an integer of at most 64 bits".to_owned(),
                found: span.text(self.text).to_owned(),
            };
        }
        ParseError {
            span,
            expected: expected.to_owned(),
            found: span.text(self.text).to_owned(),
        }
    }

    /// Counts a node; the tree stays within the limits of every tree.
    fn node(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        self.nodes += 1;
        if self.nodes > limits::NODES {
            return Err(ParseError {
                span,
                expected: format!("at most {} parts", limits::NODES),
                found: span.text(self.text).to_owned(),
            });
        }
        Ok(Expr::new(kind, span))
    }

    /// One level deeper, for nesting and for each operator of a chain that nests to the left.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= limits::DEPTH {
            return Err(self.unexpected(&format!("at most {} levels", limits::DEPTH)));
        }
        self.depth += 1;
        let parsed = rule(self);
        self.depth -= 1;
        parsed
    }

    /// `layout { (o | ⊘ | ⊗) layout }`, from left to right; a chain of `o` is one composition.
    fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let mut left = parser.layout()?;
            let depth = parser.depth;
            loop {
                let token = parser.next.token;
                if !matches!(token, Token::Compose(_) | Token::Divide | Token::Product) {
                    break;
                }
                parser.take();
                let right = parser.layout()?;
                let span = left.span.to(right.span);
                let kind = match (token, left.kind) {
                    (Token::Compose(_), ExprKind::Composition(mut operands)) => {
                        operands.push(right);
                        left = Expr::new(ExprKind::Composition(operands), span);
                        continue;
                    }
                    (Token::Compose(_), kind) => {
                        ExprKind::Composition(vec![Expr::new(kind, left.span), right])
                    }
                    (Token::Divide, kind) => {
                        ExprKind::Divide(Box::new(Expr::new(kind, left.span)), Box::new(right))
                    }
                    (_, kind) => {
                        ExprKind::Product(Box::new(Expr::new(kind, left.span)), Box::new(right))
                    }
                };
                left = parser.node(kind, span)?;
                parser.chain()?;
            }
            parser.depth = depth;
            Ok(left)
        })
    }

    /// Counts one more operator of a chain whose left operand nests; the caller resets the depth.
    fn chain(&mut self) -> Parsed<()> {
        self.deeper(|_| Ok(()))?;
        self.depth += 1;
        Ok(())
    }

    /// `sum [ : sum ]`
    fn layout(&mut self) -> Parsed<Expr> {
        let shape = self.sum()?;
        if self.eat(':').is_none() {
            return Ok(shape);
        }
        let stride = self.sum()?;
        let span = shape.span.to(stride.span);
        self.node(ExprKind::Layout(Box::new(shape), Box::new(stride)), span)
    }

    /// `term { (+ | -) term }`
    fn sum(&mut self) -> Parsed<Expr> {
        self.binary_chain(Self::basis, |token| match token {
            Token::Mark('+') => Some(BinaryOp::Add),
            Token::Mark('-') => Some(BinaryOp::Sub),
            _ => None,
        })
    }

    /// `term { @ mode }`: the coefficient is the whole term.
    fn basis(&mut self) -> Parsed<Expr> {
        let coefficient = self.term()?;
        let mut span = coefficient.span;
        let mut path = Vec::new();
        while self.eat('@').is_some() {
            let mode = match self.next.token {
                Token::Integer(mode) => usize::try_from(mode).ok(),
                _ => None,
            };
            let Some(mode) = mode else {
                return Err(self.unexpected("the number of a mode"));
            };
            path.push(mode);
            span = span.to(self.take().span);
            if path.len() > limits::DEPTH {
                return Err(self.unexpected(&format!("at most {} modes", limits::DEPTH)));
            }
        }
        if path.is_empty() {
            return Ok(coefficient);
        }
        let coefficient = Box::new(self.rational(coefficient)?);
        self.node(ExprKind::Basis(coefficient, path), span)
    }

    /// A quotient of two literals in front of `@` is exact.
    fn rational(&self, coefficient: Expr) -> Parsed<Expr> {
        let ExprKind::Binary(BinaryOp::Div, numerator, denominator) = &coefficient.kind else {
            return Ok(coefficient);
        };
        let (Some(numerator), ExprKind::Int(divisor)) = (literal(numerator), &denominator.kind)
        else {
            return Ok(coefficient);
        };
        let (divisor, place) = (*divisor, denominator.span);
        if divisor == 0 {
            return Err(ParseError {
                span: place,
                expected: "a denominator other than zero".to_owned(),
                found: place.text(self.text).to_owned(),
            });
        }
        let rational = Rational {
            numerator,
            denominator: divisor,
        };
        Ok(Expr::new(ExprKind::Rational(rational), coefficient.span))
    }

    /// `factor { (* | / | %) factor }`
    fn term(&mut self) -> Parsed<Expr> {
        self.binary_chain(Self::factor, |token| match token {
            Token::Mark('*') => Some(BinaryOp::Mul),
            Token::Mark('/') => Some(BinaryOp::Div),
            Token::Mark('%') => Some(BinaryOp::Rem),
            _ => None,
        })
    }

    fn binary_chain(
        &mut self,
        operand: impl Fn(&mut Self) -> Parsed<Expr>,
        operator: impl Fn(Token<'_>) -> Option<BinaryOp>,
    ) -> Parsed<Expr> {
        let mut left = operand(self)?;
        let depth = self.depth;
        while let Some(op) = operator(self.next.token) {
            self.take();
            let right = ungrouped(operand(self)?);
            let span = left.span.to(right.span);
            left = ungrouped(left);
            left = self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)?;
            self.chain()?;
        }
        self.depth = depth;
        Ok(left)
    }

    /// What an operator takes: literals, names, calls, groups.
    fn factor(&mut self) -> Parsed<Expr> {
        let span = self.next.span;
        let kind = match self.next.token {
            Token::Integer(value) => ExprKind::Int(value),
            Token::Static(value) => ExprKind::Static(value),
            Token::Underscore => ExprKind::Underscore,
            Token::BasisVector(coefficient, mode) => {
                let coefficient = Expr::new(ExprKind::Int(coefficient.unwrap_or(1)), span);
                ExprKind::Basis(Box::new(coefficient), vec![mode])
            }
            Token::Mark('-') => return self.negative(),
            Token::Mark('(') => return self.deeper(Self::tuple),
            Token::Mark('<') => return self.deeper(|p| p.tiler('>', ',')),
            Token::Mark('[') => return self.deeper(|p| p.tiler(']', ';')),
            Token::Mark('?') => return self.unknown(),
            Token::Name(_) | Token::Compose("o") | Token::Scope => return self.deeper(Self::named),
            _ => return Err(self.unexpected("a layout, a tuple, an integer or a name")),
        };
        self.take();
        self.node(kind, span)
    }

    fn negative(&mut self) -> Parsed<Expr> {
        let sign = self.take().span;
        let operand = self.deeper(Self::factor)?;
        let span = sign.to(operand.span);
        self.node(ExprKind::Unary(UnaryOp::Minus, Box::new(operand)), span)
    }

    /// `( [expression { , expression }] )`; around one infix operation the parentheses only group.
    fn tuple(&mut self) -> Parsed<Expr> {
        let open = self.take().span;
        let (mut modes, close) = self.list(&[','], ')')?;
        let groups = matches!(
            modes.as_slice(),
            [Expr {
                kind: ExprKind::Composition(_) | ExprKind::Divide(..) | ExprKind::Product(..),
                ..
            }]
        );
        if let Some(inner) = modes.pop_if(|_| groups) {
            return Ok(Expr::new(inner.kind, open.to(close)));
        }
        self.node(ExprKind::Tuple(modes), open.to(close))
    }

    fn tiler(&mut self, close: char, separator: char) -> Parsed<Expr> {
        let open = self.take().span;
        let (modes, end) = self.list(&[separator, ','], close)?;
        self.node(ExprKind::Tiler(modes), open.to(end))
    }

    /// Expressions up to and including `close`.
    fn list(&mut self, separators: &[char], close: char) -> Parsed<(Vec<Expr>, Span)> {
        let mut items = Vec::new();
        if let Some(end) = self.eat(close) {
            return Ok((items, end));
        }
        loop {
            items.push(self.expression()?);
            if let Some(end) = self.eat(close) {
                return Ok((items, end));
            }
            if !separators
                .iter()
                .any(|separator| self.eat(*separator).is_some())
            {
                let separator = separators.first().copied().unwrap_or(',');
                return Err(self.unexpected(&format!("`{separator}` or `{close}`")));
            }
        }
    }

    /// `?` or `?{div=8}`
    fn unknown(&mut self) -> Parsed<Expr> {
        let mut span = self.take().span;
        let mut divisor = None;
        if self.eat('{').is_some() {
            if self.next.token != Token::Name("div") {
                return Err(self.unexpected("`div`"));
            }
            self.take();
            self.expect('=')?;
            let value = self.integer()?;
            if value == 0 {
                return Err(self.unexpected("a divisor other than zero in front of `}`"));
            }
            divisor = Some(value);
            span = span.to(self.expect('}')?);
        }
        self.node(ExprKind::Unknown(divisor), span)
    }

    /// A plain integer with its sign.
    fn integer(&mut self) -> Parsed<i64> {
        let negative = self.eat('-').is_some();
        let (Token::Integer(value) | Token::Static(value)) = self.next.token else {
            return Err(self.unexpected("an integer"));
        };
        self.take();
        Ok(if negative { -value } else { value })
    }

    /// A name and what may follow it: template arguments, `::`, arguments, braces; swizzles, xor
    /// strides, `E<..>` and printed pointers are names with a form of their own.
    fn named(&mut self) -> Parsed<Expr> {
        let start = self.next.span;
        if let Token::Name(name) = self.next.token {
            if let Some(mask) = name.strip_prefix('f').and_then(|mask| mask.parse().ok()) {
                self.take();
                return self.node(ExprKind::Xor(mask), start);
            }
            let after = lexer::next(self.text, start.end).token;
            match (name, after) {
                ("Sw" | "S" | "Swizzle", Token::Mark('<')) => return self.swizzle(),
                ("E", Token::Mark('<')) => return self.nested_basis(),
                (_, Token::Mark('[')) => return self.engine(None, start),
                _ => {}
            }
        }
        let path = self.path()?;
        let span = start.to(path.1);
        let mut expr = self.node(ExprKind::Name(path.0), span)?;
        let depth = self.depth;
        loop {
            if self.eat('(').is_some() {
                let (args, close) = self.list(&[','], ')')?;
                let callee = Box::new(expr);
                expr = self.node(ExprKind::Call(callee, args), start.to(close))?;
            } else if self.eat('{').is_some() {
                let (args, close) = self.list(&[','], '}')?;
                let kind = ExprKind::Construct {
                    ty: Box::new(expr),
                    args,
                    braces: true,
                };
                expr = self.node(kind, start.to(close))?;
            } else {
                self.depth = depth;
                return Ok(expr);
            }
            self.chain()?;
        }
    }

    /// `[::] name [<args>] { :: name [<args>] }` and where it ends.
    fn path(&mut self) -> Parsed<(Path, Span)> {
        let mut path = Path {
            qualifier: Qualifier::None,
            segments: Vec::new(),
        };
        if self.next.token == Token::Scope {
            self.take();
            path.qualifier = Qualifier::Global;
        }
        loop {
            let (Token::Name(name) | Token::Compose(name @ "o")) = self.next.token else {
                return Err(self.unexpected("a name"));
            };
            let mut end = self.take().span;
            let name = Ident {
                name: name.to_owned(),
                span: end,
            };
            let mut args = None;
            if self.eat('<').is_some() {
                let (list, close) = self.list(&[','], '>')?;
                args = Some(list);
                end = close;
            }
            path.segments.push(Segment { name, args });
            if self.next.token != Token::Scope {
                return Ok((path, end));
            }
            self.take();
        }
    }

    /// `Sw<b,m,s>`, or a pointer printed with its swizzle, `Sw<b,m,s>_smem_ptr[16b](..)`.
    fn swizzle(&mut self) -> Parsed<Expr> {
        let start = self.take().span;
        self.expect('<')?;
        let bits = self.integer()?;
        self.expect(',')?;
        let base = self.integer()?;
        self.expect(',')?;
        let shift = self.integer()?;
        let close = self.expect('>')?;
        if let Token::Name(name) = self.next.token
            && name.starts_with('_')
            && self.next.span.start == close.end
        {
            return self.engine(Some((bits, base, shift)), start);
        }
        let mut span = start.to(close);
        // `Swizzle<3,4,3>{}` says the same.
        if self.eat('{').is_some() {
            span = span.to(self.expect('}')?);
        }
        self.node(ExprKind::Swizzle(bits, base, shift), span)
    }

    /// `E<0,1>` is `_1@1@0`.
    fn nested_basis(&mut self) -> Parsed<Expr> {
        let start = self.take().span;
        self.expect('<')?;
        let mut path = Vec::new();
        let close = loop {
            let mode = match self.next.token {
                Token::Integer(mode) => usize::try_from(mode).ok(),
                _ => None,
            };
            let Some(mode) = mode else {
                return Err(self.unexpected("the number of a mode"));
            };
            self.take();
            path.push(mode);
            if let Some(close) = self.eat('>') {
                break close;
            }
            self.expect(',')?;
            if path.len() > limits::DEPTH {
                return Err(self.unexpected(&format!("at most {} modes", limits::DEPTH)));
            }
        };
        let mut span = start.to(close);
        if self.eat('{').is_some() {
            span = span.to(self.expect('}')?);
        }
        path.reverse();
        let one = Box::new(Expr::new(ExprKind::Static(1), start));
        self.node(ExprKind::Basis(one, path), span)
    }

    /// `smem_ptr[16b](unset)`
    fn engine(&mut self, swizzle: Option<(i64, i64, i64)>, start: Span) -> Parsed<Expr> {
        let Token::Name(name) = self.take().token else {
            return Err(self.unexpected("a pointer"));
        };
        let space = match swizzle {
            Some(_) => name.strip_prefix('_').unwrap_or(name),
            None => name,
        };
        self.expect('[')?;
        let bits = self.integer()?;
        if self.next.token != Token::Name("b") {
            return Err(self.unexpected("`b` for bits"));
        }
        self.take();
        self.expect(']')?;
        if self.next.token != Token::Mark('(') {
            return Err(self.unexpected("`(`"));
        }
        let open = self.next.span.end;
        let rest = self.text.get(open..).unwrap_or_default();
        let Some(length) = rest.find(')') else {
            self.next = lexer::next(self.text, self.text.len());
            return Err(self.unexpected("`)`"));
        };
        let address = rest.get(..length).unwrap_or_default().trim().to_owned();
        let close = Span::new(open + length, open + length + 1);
        self.next = lexer::next(self.text, close.end);
        let engine = Engine {
            swizzle,
            space: space.to_owned(),
            bits,
            address,
        };
        self.node(ExprKind::Engine(engine), start.to(close))
    }
}

/// Parentheses around an operand of arithmetic only group.
fn ungrouped(operand: Expr) -> Expr {
    let span = operand.span;
    match operand.kind {
        ExprKind::Tuple(mut modes) => match (modes.pop(), modes.is_empty()) {
            (Some(inner), true) => Expr::new(inner.kind, span),
            (last, _) => {
                modes.extend(last);
                Expr::new(ExprKind::Tuple(modes), span)
            }
        },
        kind => Expr::new(kind, span),
    }
}

/// The value of an integer literal with its sign.
fn literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Minus, operand) => literal(operand)?.checked_neg(),
        _ => None,
    }
}
