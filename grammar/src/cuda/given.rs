//! Calls of macros that no expression grammar can read, because they are given statements
//! (`SWITCH(dtype, T, run<T>(p);)`) or types, or because no `;` follows them (`INSTANTIATE(float)` on its own line).
//!
//! The first are read as labelled blocks, `SWITCH:{ run<T>(p);}`, the others as calls without arguments,
//! `INSTANTIATE();`. Both are as long as the source, and the source tells them from code that is written so.

use super::macros;
use super::tokens::{Token, TokenKind};
use crate::tree::Span;

/// Tokens before a `{` in which the head of a class is looked for.
const HEAD: usize = 64;

/// Brackets around a call that is looked at: deeper ones are data.
const DEPTH: usize = 32;

/// Calls of macros in a row that are looked through.
const MACROS_OF_A_LINE: usize = 64;

/// The call of a macro that is given statements.
#[derive(Debug, PartialEq)]
pub(super) struct Given {
    /// The byte that becomes the `:` behind the label.
    colon: usize,
    /// The byte that becomes the `{` before the statements.
    brace: usize,
    /// The blanked part: the arguments before the statements, and the text around them.
    blank: Span,
    /// Commas between statements, which become blank.
    commas: Vec<usize>,
    /// The `)`, which becomes a `;` where nothing ends the last statement and a `;` follows.
    end: Option<usize>,
    /// The `)`, or that `;`, which becomes a `}`.
    close: usize,
}

impl Given {
    /// Writes it as a labelled block.
    pub(super) fn write(&self, out: &mut [u8]) {
        super::prepass::blank(out, self.blank.start, self.blank.end);
        for comma in &self.commas {
            super::prepass::blank(out, *comma, comma + 1);
        }
        let end = self.end.map(|end| (end, b';'));
        let others = [(self.colon, b':'), (self.brace, b'{'), (self.close, b'}')];
        for (place, byte) in others.into_iter().chain(end) {
            if let Some(there) = out.get_mut(place) {
                *there = byte;
            }
        }
    }
}

/// The partners of brackets among tokens, and how deep each token is in them.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    partners: Vec<Option<u32>>,
    depths: Vec<u16>,
    /// Whether the innermost braces around each token are those of a class.
    in_class: Vec<bool>,
}

impl Brackets {
    pub(super) fn of(source: &str, tokens: &[Token]) -> Self {
        let mut brackets = Self {
            partners: vec![None; tokens.len()],
            depths: Vec::with_capacity(tokens.len()),
            in_class: Vec::with_capacity(tokens.len()),
        };
        let mut open: Vec<(u8, usize)> = Vec::new();
        let mut classes: Vec<bool> = Vec::new();
        // Namespaces have braces around declarations that are read separately.
        let mut depth = 0_u16;
        let deepens = |bracket: u8| u16::from(bracket != b'{');
        for (index, token) in tokens.iter().enumerate() {
            let closes = match token.kind {
                TokenKind::Punct(b')') => Some(b'('),
                TokenKind::Punct(b']') => Some(b'['),
                TokenKind::Punct(b'}') => Some(b'{'),
                _ => None,
            };
            if let Some((bracket, start)) = open.last().copied()
                && closes == Some(bracket)
            {
                open.pop();
                if bracket == b'{' {
                    classes.pop();
                }
                depth = depth.saturating_sub(deepens(bracket));
                brackets.join(start, index);
            }
            brackets.depths.push(depth);
            brackets
                .in_class
                .push(classes.last().copied().unwrap_or_default());
            if let TokenKind::Punct(bracket @ (b'(' | b'[' | b'{')) = token.kind {
                open.push((bracket, index));
                if bracket == b'{' {
                    classes.push(begins_class(
                        source,
                        tokens.get(..index).unwrap_or_default(),
                    ));
                }
                depth = depth.saturating_add(deepens(bracket));
            }
        }
        brackets
    }

    fn join(&mut self, start: usize, end: usize) {
        if let Some(partner) = self.partners.get_mut(start) {
            *partner = u32::try_from(end).ok();
        }
    }

    /// The index of the token that closes the bracket at an index.
    pub(super) fn partner(&self, index: usize) -> Option<usize> {
        self.partners
            .get(index)
            .copied()
            .flatten()
            .map(|end| end as usize)
    }

    fn is_in_class(&self, index: usize) -> bool {
        self.in_class.get(index).copied().unwrap_or_default()
    }

    fn depth(&self, index: usize) -> usize {
        self.depths.get(index).copied().map_or(0, usize::from)
    }
}

/// Whether the braces behind some tokens are those of a class: `struct Name<A> : Base {`.
fn begins_class(source: &str, tokens: &[Token]) -> bool {
    let head = tokens.iter().enumerate().rev().take(HEAD);
    let head = head.take_while(|(_, token)| {
        let ends = |byte| matches!(byte, b';' | b'{' | b'}' | b')');
        !matches!(token.kind, TokenKind::Punct(byte) if ends(byte))
    });
    // `class T` among the parameters of a template is followed by `,`, `>` or `=`.
    let mut keys = head.filter(|(index, token)| {
        let behind = tokens.get(index + 2);
        token.kind == TokenKind::Word
            && matches!(token.span().text(source), "struct" | "class" | "union")
            && !behind.is_some_and(|behind| behind.is(b',') || behind.is(b'>') || behind.is(b'='))
    });
    keys.next().is_some()
}

/// A source in which calls of macros are looked for.
#[derive(Clone, Copy)]
pub(super) struct Calls<'s> {
    pub(super) source: &'s str,
    pub(super) tokens: &'s [Token],
    pub(super) brackets: &'s Brackets,
}

impl<'s> Calls<'s> {
    fn word(&self, index: usize) -> Option<&'s str> {
        let token = self.tokens.get(index)?;
        (token.kind == TokenKind::Word).then(|| token.span().text(self.source))
    }

    fn is(&self, index: usize, byte: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(byte))
    }

    /// The call at an index, if it is one of a macro that is given statements.
    pub(super) fn given(&self, index: usize) -> Option<Given> {
        let name = self.tokens.get(index)?.span();
        let (open, close) = self.call(index)?;
        let arguments = self.arguments(open, close)?;
        let is_statement = |(start, end): &(usize, usize)| self.is_statement(*start, *end);
        let statement = arguments.iter().position(is_statement)?;
        let begin = self.begin_of(arguments.get(..=statement)?)?;
        let first = self.tokens.get(begin)?.span().start;
        let mut commas = Vec::new();
        for (start, _) in arguments.get(statement + 1..)? {
            let [before, comma] = [2, 1].map(|back| start.checked_sub(back));
            if self.is(before?, b'}') || self.is(before?, b';') {
                commas.push(self.tokens.get(comma?)?.span().start);
            }
        }
        let is_room = |place: &usize| {
            let byte = self.source.as_bytes().get(*place);
            byte.is_some_and(|byte| !matches!(byte, b'\n' | b'\r'))
        };
        let mut room = (name.end..first).filter(is_room);
        let (colon, brace) = match (room.next(), room.next()) {
            (Some(colon), Some(brace)) => (colon, brace),
            (Some(brace), None) if name.len() > 1 => (name.end - 1, brace),
            _ => return None,
        };
        let is_ended = self.is(close - 1, b';') || self.is(close - 1, b'}');
        let (end, last) = if !is_ended && self.is(close + 1, b';') {
            (Some(self.tokens.get(close)?.span().start), close + 1)
        } else {
            (None, close)
        };
        Some(Given {
            colon,
            brace,
            blank: Span::new(name.end, first),
            commas,
            end,
            close: self.tokens.get(last)?.span().start,
        })
    }

    /// The brackets of a call of a possible macro.
    fn call(&self, index: usize) -> Option<(usize, usize)> {
        let name = self.word(index)?;
        let open = index + 1;
        if !self.is(open, b'(') || is_keyword(name) || self.brackets.depth(index) > DEPTH {
            return None;
        }
        Some((open, self.brackets.partner(open)?))
    }

    /// The first tokens of the arguments between two brackets, each with the token behind it; `None` where directives
    /// are between them.
    fn arguments(&self, open: usize, close: usize) -> Option<Vec<(usize, usize)>> {
        let mut arguments = Vec::new();
        let mut start = open + 1;
        let mut at = start;
        while at < close {
            let token = self.tokens.get(at)?;
            match token.kind {
                TokenKind::Directive => return None,
                TokenKind::Punct(b'(' | b'[' | b'{') => at = self.brackets.partner(at)?,
                TokenKind::Punct(b',') => {
                    arguments.push((start, at));
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        arguments.push((start, close));
        Some(arguments)
    }

    /// The start of the statement that the last of some arguments ends: the commas between template arguments
    /// (`run<A, B>();`) are no more to the preprocessor than others.
    fn begin_of(&self, arguments: &[(usize, usize)]) -> Option<usize> {
        let (last, _) = arguments.last()?;
        let mut closed = 0;
        for (start, end) in arguments.iter().rev() {
            closed += self.angles_closed(*start, *end);
            if closed <= 0 {
                return Some(*start);
            }
        }
        // Those are not angle brackets.
        Some(*last)
    }

    /// Number of closed angle brackets less the opened ones between two tokens.
    fn angles_closed(&self, start: usize, end: usize) -> isize {
        let mut closed = 0;
        let mut at = start;
        while at < end && !self.is(at, b';') {
            if self.is(at, b'<') {
                closed -= 1;
            } else if self.is(at, b'>') && !self.is(at.wrapping_sub(1), b'-') {
                closed += 1;
            }
            at = self.brackets.partner(at).unwrap_or(at) + 1;
        }
        closed
    }

    /// Whether an argument has statements in it, outside of lambdas.
    fn is_statement(&self, start: usize, end: usize) -> bool {
        if self.is(start, b'{') && self.brackets.partner(start) == end.checked_sub(1) {
            return self.has_semicolon(start + 1, end - 1) || self.begins_statement(start + 1);
        }
        self.has_semicolon(start, end) || self.begins_statement(start)
    }

    /// Whether a `;` is between two tokens and not in brackets there.
    fn has_semicolon(&self, start: usize, end: usize) -> bool {
        let mut at = start;
        while at < end {
            if self.is(at, b';') {
                return true;
            }
            at = self.brackets.partner(at).unwrap_or(at) + 1;
        }
        false
    }

    /// Whether a statement begins at a token that no expression begins with.
    fn begins_statement(&self, index: usize) -> bool {
        match self.word(index) {
            Some(word) if is_keyword(word) => {
                !self.is(index + 1, b',') && !self.is(index + 1, b')')
            }
            Some(_) => self.given(index).is_some(),
            None => false,
        }
    }

    /// The call of a macro at an index, if no `;` ends it or it is given types: it is read as one
    /// without arguments.
    pub(super) fn unended(&self, index: usize) -> Option<Unended> {
        let name = self.word(index)?;
        let (open, close) = self.call(index)?;
        let end = self.tokens.get(close)?.span().end;
        if macros::is_known(name)
            || !is_in_capitals(name)
            // An argument with statements inside is read in any case.
            || (open..close).any(|at| self.is(at, b'{'))
            || !(self.is_unended(index, close)? || self.is_given_types(index, open, close))
        {
            return None;
        }
        let bytes = self.source.as_bytes();
        let open = self.tokens.get(open)?.span().start;
        let is_room = |place: &usize| {
            bytes
                .get(*place)
                .is_some_and(|byte| !matches!(byte, b'\n' | b'\r'))
        };
        let mut room = (open + 1..end).filter(is_room);
        Some(Unended {
            open,
            places: [room.next()?, room.next()?],
            end,
            close,
        })
    }
}

impl Calls<'_> {
    /// Whether behind the bracket that closes a call another statement begins, or none does.
    fn is_unended(&self, index: usize, close: usize) -> Option<bool> {
        let Some(next) = self
            .tokens
            .get(close + 1)
            .filter(|next| next.kind != TokenKind::Directive)
        else {
            return Some(true);
        };
        let between = self.tokens.get(close)?.span().end..next.span().start;
        let goes_on = |word: &str| {
            matches!(
                word,
                "const"
                    | "noexcept"
                    | "override"
                    | "final"
                    | "requires"
                    | "volatile"
                    | "mutable"
                    | "throw"
            )
        };
        let begins = self.word(close + 1).is_some_and(|word| !goes_on(word));
        Some(
            begins && self.source.get(between)?.contains('\n')
                || self.is_among_statements(index) && self.is_before_statement(close),
        )
    }

    /// Whether a call where a statement may begin is not in the braces of a class or of a value.
    fn is_among_statements(&self, index: usize) -> bool {
        let is_behind = |open: usize| {
            let before = open.checked_sub(1);
            before.is_some_and(|before| {
                self.is(before, b')')
                    || matches!(
                        self.word(before),
                        Some("else" | "do" | "const" | "noexcept")
                    )
            })
        };
        !self.brackets.is_in_class(index)
            && index
                .checked_sub(1)
                .is_some_and(|before| !self.is(before, b'{') || is_behind(before))
    }

    /// Whether behind a call, and other calls of macros on its line, a block ends or a keyword begins a statement.
    fn is_before_statement(&self, close: usize) -> bool {
        let mut next = close + 1;
        for _ in 0..MACROS_OF_A_LINE {
            match self.word(next) {
                Some(word) if begins_statement(word) => return true,
                Some(word) if is_in_capitals(word) && !macros::is_known(word) => {
                    let Some((_, close)) = self.call(next) else {
                        return false;
                    };
                    next = close + 1;
                }
                _ => return self.is(next, b'}'),
            }
        }
        false
    }

    /// Whether a call that something ends has an argument that can only be a type. In a class it is a constructor.
    fn is_given_types(&self, index: usize, open: usize, close: usize) -> bool {
        let is_type = |(start, end): (usize, usize)| {
            let begins = self.word(start).is_some_and(is_word_for_type)
                && !self.is(start + 1, b'(')
                && !self.is(start + 1, b'{');
            let ends = end > start + 1 && (self.is(end - 1, b'*') || self.is(end - 1, b'&'));
            begins || ends
        };
        (self.is(close + 1, b';') || self.is(close + 1, b'}'))
            && !self.brackets.is_in_class(index)
            && self.arguments(open, close).is_some_and(|all| {
                // Commas between template arguments are not ends of arguments: `is_same_v<A, typename B::type>`.
                let mut open = 0;
                all.into_iter().any(|(start, end)| {
                    let before = open;
                    open -= self.angles_closed(start, end);
                    before <= 0 && is_type((start, end))
                })
            })
    }
}

/// A call of a macro that is read as one without arguments.
pub(super) struct Unended {
    open: usize,
    /// The bytes that become `);`.
    places: [usize; 2],
    end: usize,
    /// The token that closes it.
    pub(super) close: usize,
}

impl Unended {
    /// Writes it as a call without arguments that is a statement.
    pub(super) fn write(&self, out: &mut [u8]) {
        super::prepass::blank(out, self.open + 1, self.end);
        for (place, byte) in self.places.into_iter().zip(*b");") {
            if let Some(there) = out.get_mut(place) {
                *there = byte;
            }
        }
    }
}

/// Whether a word of C++ begins statements only.
fn begins_statement(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "break"
            | "continue"
            | "case"
            | "default"
            | "if"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "goto"
    )
}

/// Whether a word of C++ begins types and no expressions.
fn is_word_for_type(word: &str) -> bool {
    matches!(
        word,
        "float"
            | "double"
            | "int"
            | "bool"
            | "char"
            | "void"
            | "unsigned"
            | "signed"
            | "long"
            | "short"
            | "const"
            | "typename"
    )
}

/// Whether a word has no small letters, as the names of macros have none.
fn is_in_capitals(word: &str) -> bool {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic);
    letters.clone().count() > 1 && letters.clone().all(|letter| letter.is_ascii_uppercase())
}

/// Whether a word begins a statement, and is not a name of a macro.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "for"
            | "while"
            | "switch"
            | "do"
            | "return"
            | "using"
            | "constexpr"
            | "static_assert"
            | "catch"
            | "case"
    )
}

#[cfg(test)]
mod tests {
    use super::super::prepass::prepare;
    use crate::{Budget, Host, Syntax};

    fn prepared(source: &str) -> String {
        let text = prepare(source).text;
        assert_eq!(text.len(), source.len());
        String::from_utf8_lossy(&text).into_owned()
    }

    fn read(source: &str) -> (String, usize) {
        let syntax = Syntax::parse(Host::CudaCpp, source, None, Budget::unlimited());
        let unit = syntax.expect("parsed").lower(source);
        (unit.to_string(), unit.errors.len())
    }

    #[test]
    fn a_macro_that_is_given_statements_is_a_labelled_block() {
        for (source, expected) in [
            ("f(); SW(c, F, g<F>(p);)", "f(); SW:{     g<F>(p);}"),
            ("SW(c, { g(); }, { h(); });", "SW:{  { g(); }  { h(); }};"),
            ("EACH(g(); int a, b;)", "EAC:{g(); int a, b;}"),
            ("SW(c, F, run<A, B>(p);)", "SW:{     run<A, B>(p);}"),
            ("SW(a < b, if (c) { g(); })", "SW:{      if (c) { g(); }}"),
            ("SW(f(), return 1);", "SW:{    return 1;}"),
            ("SW(f(), return 1)", "SW:{    return 1}"),
            ("SW(a, SW(b, g(); ))", "SW:{  SW:{  g(); }}"),
            ("SW(a,\n\n  x,\n  g();)", "SW:{ \n\n    \n  g();}"),
        ] {
            assert_eq!(prepared(source), expected);
        }
        let text = "void f() { if (c) SW(a, F, g<F>();) else { SW(d, h();); } }";
        let expected = "function f() -> void\n  if  c\n    given SW\n      g<F>()\n  else\n    given SW\n      h()\n";
        let (read, errors) = read(text);
        assert_eq!((read.as_str(), errors), (expected, 0));
    }

    #[test]
    fn what_is_given_no_statements_stays() {
        for source in [
            "f({1, 2}, x);",
            "f([&] { g(); h(); }, 3);",
            "for (int i = 0; i < 3; ++i) {}",
            "if (int x = f(); x) {}",
            "while (f()) g();",
            "x = f(g, T{});",
            "asm(\"a; b;\" : \"=r\"(x));",
            "f(return_type, using_this);",
            "F(;",
            "E(a;)",
        ] {
            assert_eq!(prepared(source), source);
        }
    }

    #[test]
    fn a_macro_that_nothing_ends_is_a_statement() {
        for (source, expected) in [
            (
                "INST(float)\nINST(int)\nint x;",
                "INST();    \nINST();  \nint x;",
            ),
            ("INST(\nf)\nint x;", "INST(\n);\nint x;"),
            ("INST(f)\n#undef INST\n", "INST();\n#undef INST\n"),
            ("INST(f)", "INST();"),
            ("INST(a, float);", "INST();       ;"),
            ("int x[] = { INST(f) };", "int x[] = { INST(f) };"),
            (
                "void f() { INST(T const*); }",
                "void f() { INST();       ; }",
            ),
            ("INST(float(3), g(a, int));", "INST(float(3), g(a, int));"),
            (
                "ASSERT(same<A, typename B::type>);",
                "ASSERT(same<A, typename B::type>);",
            ),
            ("INST(same<A, B>, float);", "INST();                ;"),
            ("struct TILE { TILE(int); };", "struct TILE { TILE(int); };"),
            // A function, a constructor, an unfinished item.
            ("INST(float)\n{}", "INST(float)\n{}"),
            (
                "struct TILE { TILE(int a)\n noexcept; };",
                "struct TILE { TILE(int a)\n noexcept; };",
            ),
            ("f(a)\ng(b);", "f(a)\ng(b);"),
            ("x = F_(a)\ny;", "x = F_(a)\ny;"),
            ("RUN(x) foo;", "RUN(x) foo;"),
            (
                "struct S { CUTE_ALIGNAS(N)\n Engine<typename M::T> b; };",
                "struct S { CUTE_ALIGNAS(N)\n Engine<typename M::T> b; };",
            ),
            (
                "RUN(x, [&] { f(); })\nfoo();",
                "RUN(x, [&] { f(); })\nfoo();",
            ),
        ] {
            assert_eq!(prepared(source), expected);
        }
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        for part in [
            "A(", ";A(", "A({;", "A(b;", "SW(a, {", "A(b,", "<A(;", ")A(;",
        ] {
            let text = part.repeat(20_000);
            assert_eq!(prepared(&text).len(), text.len());
            let closed = format!("{text}{}", ")".repeat(20_000));
            assert_eq!(prepared(&closed).len(), closed.len());
            let braces = format!("{text}{}", "})".repeat(20_000));
            assert_eq!(prepared(&braces).len(), braces.len());
        }
    }
}
