//! Operands with a separate form: names and paths, swizzles, pointers, unknowns.

use super::lexer::{Token, is_number};
use super::parser::{Bracket, Due, Form, Parsed, Parser, PathSoFar};
use crate::limits;
use crate::tree::{Engine, Expr, ExprKind, Ident, Path, Qualifier, Segment, Span};

impl Parser<'_> {
    /// A name and its parts; swizzles, xor strides, `E<..>` and printed pointers are names with a separate form.
    pub(super) fn named(&mut self) -> Parsed<Due> {
        let start = self.next.span;
        let Token::Name(name) = self.next.token else {
            return self.path(start);
        };
        if let Some(mask) = name.strip_prefix('f').filter(|mask| is_number(mask)) {
            let Ok(mask) = mask.parse() else {
                return Err(self.unexpected("an integer of at most 64 bits"));
            };
            self.take();
            return self.push(ExprKind::Xor(mask), start, 1, Form::Plain);
        }
        self.take();
        let (mut name, mut start) = (name, start);
        // `cute.composition` of Python is `composition`.
        while matches!(name, "cutlass" | "cute") && self.eat('.').is_some() {
            let Token::Name(member) = self.next.token else {
                return Err(self.unexpected("a name"));
            };
            (name, start) = (member, self.next.span);
            self.take();
        }
        if name == "stride" && self.is_second_argument() && self.eat('=').is_some() {
            return Ok(Due::Operand);
        }
        match (name, self.next.token) {
            ("Sw" | "S" | "Swizzle", Token::Mark('<')) => self.swizzle(start),
            ("E", Token::Mark('<')) => self.nested_basis_vector(start),
            (_, Token::Mark('[')) => self.pointer(None, name, start),
            _ => {
                let path = Path {
                    qualifier: Qualifier::None,
                    segments: vec![segment(name, start)],
                };
                self.name_continued(PathSoFar {
                    path,
                    span: start,
                    depth: 0,
                })
            }
        }
    }

    /// `[::] name [<args>] { :: name [<args>] }`
    fn path(&mut self, start: Span) -> Parsed<Due> {
        let mut qualifier = Qualifier::None;
        if self.next.token == Token::Scope {
            self.take();
            qualifier = Qualifier::Global;
        }
        let path = Path {
            qualifier,
            segments: Vec::with_capacity(1),
        };
        self.path = Some(PathSoFar {
            path,
            span: start,
            depth: 0,
        });
        self.name()
    }

    /// The next name of the path that is being read.
    pub(super) fn name(&mut self) -> Parsed<Due> {
        let so_far = self.path.take();
        let name = match self.next.token {
            Token::Name(name) | Token::Compose(name @ "o") => name,
            // Behind `::` `e1` and `_8` are names.
            Token::BasisVector(..) | Token::Static(_) => self.next.span.text(self.text),
            _ => "",
        };
        let starts_one = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        if !name.as_bytes().first().is_some_and(starts_one) || name.contains('-') {
            return Err(self.unexpected("a name"));
        }
        let Some(mut so_far) = so_far else {
            return Err(self.unexpected("an operand"));
        };
        let place = self.take().span;
        so_far.path.segments.push(segment(name, place));
        so_far.span = so_far.span.to(place);
        self.name_continued(so_far)
    }

    /// The rest that may follow a name: template arguments, and the rest behind those.
    fn name_continued(&mut self, so_far: PathSoFar) -> Parsed<Due> {
        if self.next.token == Token::Mark('<') {
            let start = so_far.span.start;
            return self.open(Bracket::Template(so_far), start);
        }
        self.path_continued(so_far)
    }

    /// The rest that may follow a name with its arguments: another name, or something that is not a path.
    pub(super) fn path_continued(&mut self, so_far: PathSoFar) -> Parsed<Due> {
        if self.next.token == Token::Scope {
            self.take();
            self.path = Some(so_far);
            return Ok(Due::Name);
        }
        let PathSoFar { path, span, depth } = so_far;
        self.push(ExprKind::Name(path), span, depth + 1, Form::Named)
    }

    /// `?` or `?{div=8}`
    pub(super) fn unknown(&mut self) -> Parsed<Due> {
        let mut span = self.take().span;
        let mut divisor = None;
        if self.eat('{').is_some() {
            if self.next.token != Token::Name("div") {
                return Err(self.unexpected("`div`"));
            }
            self.take();
            self.expect('=')?;
            let place = self.next.span;
            let value = self.integer()?;
            if value < 1 {
                return Err(self.invalid(place, "a divisor of at least 1".to_owned()));
            }
            divisor = Some(value);
            span = span.to(self.expect('}')?);
        }
        self.push(ExprKind::Unknown(divisor), span, 1, Form::Plain)
    }

    /// A plain integer with its sign.
    fn integer(&mut self) -> Parsed<i64> {
        let negative = self.eat('-').is_some();
        let (Token::Integer(value) | Token::Static(value)) = self.next.token else {
            return Err(self.unexpected("an integer"));
        };
        let value = if negative {
            value.checked_neg()
        } else {
            Some(value)
        };
        match value {
            Some(value) => {
                self.take();
                Ok(value)
            }
            None => Err(self.unexpected("an integer of at most 64 bits")),
        }
    }

    /// `Sw<b,m,s>`, or a pointer printed with its swizzle, `Sw<b,m,s>_smem_ptr[16b](..)`.
    fn swizzle(&mut self, start: Span) -> Parsed<Due> {
        self.expect('<')?;
        let bits = self.integer()?;
        self.expect(',')?;
        let base = self.integer()?;
        self.expect(',')?;
        let shift = self.integer()?;
        let close = self.expect('>')?;
        if let Token::Name(name) = self.next.token {
            self.take();
            let space = name.strip_prefix('_').unwrap_or(name);
            return self.pointer(Some((bits, base, shift)), space, start);
        }
        // `Swizzle<3,4,3>{}` says the same.
        let span = start.to(self.empty_braces()?.unwrap_or(close));
        self.push(ExprKind::Swizzle(bits, base, shift), span, 1, Form::Plain)
    }

    /// `E<0,1>` is `_1@1@0`.
    fn nested_basis_vector(&mut self, start: Span) -> Parsed<Due> {
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
            if path.len() >= limits::DEPTH {
                return Err(self.unexpected(&format!("at most {} modes", limits::DEPTH)));
            }
            self.take();
            path.push(mode);
            match self.eat('>') {
                Some(close) => break close,
                None if self.eat(',').is_some() => {}
                None => return Err(self.unexpected("`,` or `>`")),
            }
        };
        let span = start.to(self.empty_braces()?.unwrap_or(close));
        path.reverse();
        let one = Box::new(Expr::new(ExprKind::Static(1), start));
        self.push(ExprKind::Basis(one, path), span, 2, Form::Plain)
    }

    fn empty_braces(&mut self) -> Parsed<Option<Span>> {
        match self.eat('{') {
            Some(_) => self.expect('}').map(Some),
            None => Ok(None),
        }
    }

    /// `smem_ptr[16b](unset)`; its name is taken.
    fn pointer(
        &mut self,
        swizzle: Option<(i64, i64, i64)>,
        space: &str,
        start: Span,
    ) -> Parsed<Due> {
        self.expect('[')?;
        let Token::Integer(bits) = self.next.token else {
            return Err(self.unexpected("how many bits an element has"));
        };
        self.take();
        if self.next.token != Token::Name("b") {
            return Err(self.unexpected("`b` for bits"));
        }
        self.take();
        self.expect(']')?;
        if self.next.token != Token::Mark('(') {
            return Err(self.unexpected("`(`"));
        }
        // An address is not an expression: `0x7f00`, `PTR.0000`.
        let open = self.next.span.end;
        let rest = self.text.get(open..).unwrap_or_default();
        let inside = rest.trim_start();
        let length = inside.bytes().position(|byte| !is_address_byte(byte));
        let address = inside.get(..length.unwrap_or(inside.len()));
        let address = address.unwrap_or_default();
        self.take_up_to(open + (rest.len() - inside.len()) + address.len());
        let close = self.expect(')')?;
        let engine = Engine {
            swizzle,
            space: space.to_owned(),
            bits,
            address: address.to_owned(),
        };
        self.push(ExprKind::Engine(engine), start.to(close), 1, Form::Plain)
    }
}

fn is_address_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

fn segment(name: &str, span: Span) -> Segment {
    let name = name.to_owned();
    Segment {
        name: Ident { name, span },
        args: None,
    }
}
