//! The length-preserving pre-pass: text that no grammar can know is overwritten before parsing, so that every byte
//! offset stays true.
//!
//! The grammar (`grammar/cuda/grammar.js`) knows the macros of CuTe and CUTLASS. Those of other
//! projects that only decorate are found here, by their definition in the same source or by where
//! they are, and become spaces, as do comments and `#pragma` lines.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::given::{Brackets, Calls};
use super::macros;
use super::outline::{self, Outline, Piece};
use super::tokens::{self, Token, TokenKind};
use super::unpaired::{unpaired_braces, unpaired_conditions};
use crate::tree::{Comment, Span};

/// The text that the parser sees behind a piece under `#pragma pack`.
pub(super) const PACKED: &[u8] = b"\n#pragma pack\n";

/// A source made ready for the parser.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prepared {
    /// As long as the source, line ends at the same places.
    pub(crate) text: Vec<u8>,
    /// The comments that were overwritten.
    pub(crate) comments: Vec<Comment>,
    /// The parts of it that are parsed separately.
    pub(crate) outline: Outline,
    /// The braces and `#if` lines without a partner, which the parser does not see.
    pub(crate) unpaired: Vec<Span>,
    /// The macros of the source that only decorate.
    pub(super) own: Arc<HashSet<Box<str>>>,
}

impl Prepared {
    /// The text of a piece as it is parsed. The line of a condition is completed to an `#if` group by itself; its bytes
    /// keep their places.
    pub(crate) fn text_of(&self, piece: Piece) -> Cow<'_, [u8]> {
        let text = self
            .text
            .get(piece.span.start..piece.span.end)
            .unwrap_or_default();
        if piece.is_packed {
            return Cow::Owned([text, PACKED].concat());
        }
        if !piece.is_condition {
            return Cow::Borrowed(text);
        }
        let mut text = text.to_vec();
        if let Some(word) = text.windows(4).position(|word| word == b"elif") {
            // `elif` becomes `if`, `elifdef` becomes `ifdef`.
            let rest = text.split_off(word + 4);
            text.truncate(word);
            let name = rest
                .iter()
                .take_while(|byte| byte.is_ascii_alphabetic())
                .count();
            let (name, rest) = rest.split_at(name);
            text.extend([b"if", name, b"  ", rest].concat());
        }
        text.extend_from_slice(b"\n#endif\n");
        Cow::Owned(text)
    }
}

/// Prepares `source`.
pub(crate) fn prepare(source: &str) -> Prepared {
    let mut scan = tokens::scan(source);
    let unpaired = take_unpaired(source, &mut scan.tokens);
    let own = decorations_of(source, &scan.tokens);
    let mut outline = outline::outline(source, &scan.tokens);
    outline.nests &= unpaired.is_empty();
    outline.mark_packed(&packings(source, &scan.tokens));
    let mut text = Pass::over_tokens(source, scan.tokens, &own).run(0);
    for place in &unpaired {
        blank(&mut text, place.start, place.end);
    }
    for comment in &scan.comments {
        blank(&mut text, comment.span.start, comment.span.end);
    }
    Prepared {
        text,
        comments: scan.comments,
        outline,
        unpaired,
        own: Arc::new(own),
    }
}

/// Takes the braces and `#if` lines without a partner out of the tokens of a source; their places.
fn take_unpaired(source: &str, tokens: &mut Vec<Token>) -> Vec<Span> {
    let mut places = taken(tokens, &unpaired_conditions(source, tokens));
    if !outline::brackets_match(tokens) {
        places.extend(taken(tokens, &unpaired_braces(source, tokens)));
        places.sort_unstable();
    }
    places
}

/// Takes the tokens at some indices, in their order, out; their places.
fn taken(tokens: &mut Vec<Token>, indices: &[usize]) -> Vec<Span> {
    if indices.is_empty() {
        return Vec::new();
    }
    let places = indices.iter().filter_map(|index| tokens.get(*index));
    let places = places.map(|token| token.span()).collect();
    let mut index = 0;
    tokens.retain(|_| {
        index += 1;
        indices.binary_search(&(index - 1)).is_err()
    });
    places
}

/// Object-like macros of this very source whose replacement only decorates, or is empty.
fn decorations_of(source: &str, tokens: &[Token]) -> HashSet<Box<str>> {
    let mut own = HashSet::new();
    for token in tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Directive)
    {
        let line = token.span().text(source);
        let Some((b"define", rest)) = directive_word(line) else {
            continue;
        };
        let Some(name_end) = rest.find(|c: char| !c.is_ascii() || !tokens::is_word_byte(c as u8))
        else {
            own.insert(rest.into());
            continue;
        };
        let (name, body) = rest.split_at(name_end);
        if body.starts_with('(') {
            continue;
        }
        let words = tokens::scan(body).tokens;
        let all_decorate = words.iter().all(|word| {
            let text = word.span().text(body);
            word.kind == TokenKind::Word && (macros::is_decoration(text) || own.contains(text))
        });
        if all_decorate && !name.is_empty() {
            own.insert(name.into());
        }
    }
    own
}

/// Whether a token of `source` is a `#define`.
pub(super) fn defines(token: Token, source: &str) -> bool {
    token.kind == TokenKind::Directive
        && matches!(
            directive_word(token.span().text(source)),
            Some((b"define", _))
        )
}

/// Whether a token of `source` is a `#pragma pack`.
pub(super) fn packs(token: Token, source: &str) -> bool {
    packing(token, source).is_some()
}

/// The text behind `#pragma pack`.
fn packing(token: Token, source: &str) -> Option<&str> {
    if token.kind != TokenKind::Directive {
        return None;
    }
    match directive_word(token.span().text(source))? {
        (b"pragma", rest) => {
            let rest = rest.strip_prefix("pack")?.trim_start();
            rest.starts_with('(').then_some(rest)
        }
        _ => None,
    }
}

/// The places of `#pragma pack`, and whether members are packed from there on.
fn packings(source: &str, tokens: &[Token]) -> Vec<(usize, bool)> {
    let mut outer = Vec::new();
    let mut is_packed = false;
    let mut changes = Vec::new();
    for token in tokens {
        let Some(said) = packing(*token, source) else {
            continue;
        };
        let words = tokens::scan(said).tokens;
        let mut words = words.iter().map(|word| word.span().text(said));
        match words.find(|word| *word != "(") {
            Some(")") | None => is_packed = false,
            Some("push") => {
                outer.push(is_packed);
                is_packed |= words.any(|word| word == ",");
            }
            Some("pop") => is_packed = outer.pop().unwrap_or(false),
            Some(_) => is_packed = true,
        }
        changes.push((token.span().start, is_packed));
    }
    changes
}

/// The name of a directive and the text behind it, without white space between.
fn directive_word(line: &str) -> Option<(&[u8], &str)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let end = rest
        .bytes()
        .position(|b| !tokens::is_word_byte(b))
        .unwrap_or(rest.len());
    let (word, rest) = rest.split_at_checked(end)?;
    Some((word.as_bytes(), rest.trim()))
}

pub(super) fn blank(out: &mut [u8], start: usize, end: usize) {
    for byte in out.get_mut(start..end).unwrap_or_default() {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

/// Goes through tokens and overwrites those that only decorate.
pub(super) struct Pass<'s> {
    source: &'s str,
    out: Vec<u8>,
    own: &'s HashSet<Box<str>>,
    tokens: Vec<Token>,
    brackets: Brackets,
    /// The token behind the last call of a macro that no `;` ends.
    ended: Option<usize>,
}

impl<'s> Pass<'s> {
    pub(super) fn over_tokens(
        source: &'s str,
        tokens: Vec<Token>,
        own: &'s HashSet<Box<str>>,
    ) -> Self {
        Self {
            source,
            out: source.as_bytes().to_vec(),
            own,
            brackets: Brackets::of(source, &tokens),
            tokens,
            ended: None,
        }
    }

    /// The text without the decorations among the tokens from `first` on.
    pub(super) fn run(mut self, first: usize) -> Vec<u8> {
        let mut index = first;
        while let Some(token) = self.tokens.get(index).copied() {
            index = if let Some((last, end)) = self.end_of_decorations(index) {
                blank(&mut self.out, token.span().start, end);
                last + 1
            } else {
                self.visit(index, token);
                index + 1
            };
        }
        self.out
    }

    fn visit(&mut self, index: usize, token: Token) {
        let span = token.span();
        match token.kind {
            TokenKind::Directive => {
                if matches!(directive_word(span.text(self.source)), Some((b"pragma", _))) {
                    blank(&mut self.out, span.start, span.end);
                }
            }
            TokenKind::Word => {
                if self.only_decorates(index, span.text(self.source)) {
                    blank(&mut self.out, span.start, span.end);
                } else if self.is_punct(index + 1, b'(') {
                    self.visit_call(index);
                }
            }
            TokenKind::Literal | TokenKind::Punct(_) => {}
        }
    }

    /// The last token of the `#if` group that begins at a token, and its end, where the group is between the parameters of a
    /// template and its declaration and all its branches only decorate.
    ///
    /// ```text
    /// template <int N>
    /// #if defined(MACRO)
    /// __launch_bounds__(N, 1)
    /// #endif
    /// __global__ void f() {}
    /// ```
    fn end_of_decorations(&self, index: usize) -> Option<(usize, usize)> {
        let directive = |index: usize| {
            let token = self.tokens.get(index)?;
            let line = token.span().text(self.source);
            (token.kind == TokenKind::Directive).then(|| directive_word(line))?
        };
        let follows_parameters = index
            .checked_sub(1)
            .is_some_and(|before| self.is_punct(before, b'>'));
        let is_first = matches!(directive(index), Some((b"if" | b"ifdef" | b"ifndef", _)));
        if !follows_parameters || !is_first {
            return None;
        }
        let mut depth = 0_usize;
        let mut at = index;
        loop {
            match directive(at) {
                Some((b"if" | b"ifdef" | b"ifndef", _)) => depth += 1,
                Some((b"endif", _)) if depth == 1 => break,
                Some((b"endif", _)) => depth -= 1,
                Some((b"else" | b"elif" | b"elifdef" | b"elifndef", _)) => {}
                Some(_) => return None,
                None => {
                    let word = self.word(at)?;
                    let has_arguments = self.is_punct(at + 1, b'(');
                    let decorates = macros::is_decoration(word)
                        || macros::is_of_implementation(word)
                        || macros::looks_like_macro(word) && has_arguments;
                    if !decorates {
                        return None;
                    }
                    if has_arguments {
                        at = self.brackets.partner(at + 1)?;
                    }
                }
            }
            at += 1;
        }
        // A declaration follows.
        self.word(at + 1)?;
        Some((at, self.tokens.get(at)?.span().end))
    }

    /// Writes the call of a macro so that the grammar can read it.
    fn visit_call(&mut self, index: usize) {
        let calls = Calls {
            source: self.source,
            tokens: &self.tokens,
            brackets: &self.brackets,
        };
        let (stands_apart, may_be_statement) = self.place_of_call(index);
        if may_be_statement && let Some(given) = calls.given(index) {
            given.write(&mut self.out);
        } else if stands_apart && let Some(unended) = calls.unended(index) {
            unended.write(&mut self.out);
            self.ended = Some(unended.close + 1);
        }
    }

    /// Whether the text before a call ends a declaration or statement, and whether the call may be a statement at all:
    /// behind a condition, or as the argument of a macro.
    fn place_of_call(&self, index: usize) -> (bool, bool) {
        let Some(previous) = index.checked_sub(1) else {
            return (true, true);
        };
        match self.tokens.get(previous).map(|token| token.kind) {
            Some(TokenKind::Punct(b';' | b'{' | b'}') | TokenKind::Directive) | None => {
                (true, true)
            }
            Some(TokenKind::Punct(byte)) => (
                self.ended == Some(index),
                matches!(byte, b')' | b':' | b',' | b'('),
            ),
            Some(TokenKind::Word) => (false, matches!(self.word(previous), Some("else" | "do"))),
            Some(TokenKind::Literal) => (false, false),
        }
    }

    fn only_decorates(&self, index: usize, word: &str) -> bool {
        if macros::is_known(word) {
            return macros::is_decoration(word) && self.stands_apart(index);
        }
        self.own.contains(word)
            || (macros::is_of_implementation(word) && self.decorates_class(index))
            || (macros::looks_like_macro(word) && self.stands_as_decoration(index))
    }

    /// Whether a word that looks like a macro is where only a decoration can be.
    fn stands_as_decoration(&self, index: usize) -> bool {
        let previous = index
            .checked_sub(1)
            .and_then(|i| self.tokens.get(i))
            .copied();
        // Of several macros in a row the last one tells for all.
        let mut following = (index + 1..).map_while(|i| self.word(i));
        let next_word = following.find(|word| !macros::looks_like_macro(word));
        let starts_statement = previous.is_none_or(|p| match p.kind {
            TokenKind::Punct(byte) => matches!(byte, b';' | b'{' | b'}' | b'>' | b')' | b':'),
            TokenKind::Directive => true,
            TokenKind::Word => self.word(index - 1).is_some_and(|word| {
                macros::looks_like_macro(word)
                    || macros::is_decoration(word)
                    || macros::starts_statement(word)
            }),
            TokenKind::Literal => false,
        });
        if starts_statement && next_word.is_some_and(macros::starts_statement) {
            return true;
        }
        self.decorates_class(index) || self.belongs_to_lambda(index)
    }

    /// Whether a word is between `class` and the name of the class, alone or among others like it, or before `class`.
    fn decorates_class(&self, index: usize) -> bool {
        let is_like_it =
            |word: &&str| macros::looks_like_macro(word) || macros::is_of_implementation(word);
        match self.word(index + 1) {
            // `final` follows the name.
            None | Some("final") => return false,
            Some(next) if macros::is_of_implementation(self.word(index).unwrap_or_default()) => {
                if macros::is_class_key(next) {
                    return true;
                }
            }
            Some(_) => {}
        }
        let before = (0..index).rev().map_while(|i| self.word(i));
        let mut before = before.skip_while(is_like_it);
        before.next().is_some_and(macros::is_class_key)
    }

    /// Whether a decoration that the grammar knows is where it does not expect one: at a lambda,
    /// before `template`, alone in the branch of an `#if`.
    fn stands_apart(&self, index: usize) -> bool {
        let is_alone = self
            .tokens
            .get(index + 1)
            .is_some_and(|next| next.kind == TokenKind::Directive);
        is_alone || self.word(index + 1) == Some("template") || self.belongs_to_lambda(index)
    }

    /// Whether a word is as in `[&] MACRO (int x) {..}`, `[&](int x) MACRO {..}` or
    /// `f() MACRO {..}`.
    fn belongs_to_lambda(&self, index: usize) -> bool {
        let Some(next) = self.tokens.get(index + 1) else {
            return false;
        };
        let previous = index.checked_sub(1).and_then(|i| self.tokens.get(i));
        let after_bracket = previous.is_some_and(|p| p.is(b']'));
        let after_parameters = previous.is_some_and(|p| p.is(b')'));
        (after_bracket && (next.is(b'(') || next.is(b'{')))
            || (after_parameters && (next.is(b'{') || self.is_arrow(index + 1)))
    }

    fn word(&self, index: usize) -> Option<&'s str> {
        let token = self.tokens.get(index)?;
        (token.kind == TokenKind::Word).then(|| token.span().text(self.source))
    }

    fn is_punct(&self, index: usize, byte: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(byte))
    }

    fn is_arrow(&self, index: usize) -> bool {
        self.is_punct(index, b'-') && self.is_punct(index + 1, b'>')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(source: &str) -> String {
        let text = prepare(source).text;
        assert_eq!(text.len(), source.len());
        // Runs of spaces say nothing in these tests.
        String::from_utf8_lossy(&text)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn decorations_that_nobody_listed_go() {
        assert_eq!(
            prepared("template <int N> FLASH_DEVICE void f();"),
            "template <int N> void f();"
        );
        assert_eq!(prepared("MY_UNROLL\nfor (;;) {}"), "for (;;) {}");
        assert_eq!(
            prepared("_MY_PUSH\ntemplate <class T> class _MY_VISIBLE MY_OLD name : base {};"),
            "template <class T> class name : base {};"
        );
        assert_eq!(prepared("_MY_PUSH _MY_API int f();"), "int f();");
        assert_eq!(
            prepared("typedef __my_builtin__ struct __my_builtin__ pair { int a; } pair;"),
            "typedef struct pair { int a; } pair;"
        );
    }

    #[test]
    fn conditions_of_decorations_go() {
        assert_eq!(
            prepared(
                "template <int N>\n#if A && \\\n B\n__launch_bounds__(N, (2))\n#elif C\nMY_API(3)\n#else\n#if D\n__launch_bounds__(N)\n#endif\n#endif\nstatic __global__ void f();"
            ),
            "template <int N> static __global__ void f();"
        );
        for source in [
            "template <int N>\n#if A\nvoid f();\n#else\nvoid g();\n#endif\nint h();",
            "template <int N>\n#if A\nvoid\n#else\nint\n#endif\nf();",
        ] {
            assert_eq!(prepare(source).text, source.as_bytes(), "{source}");
        }
    }

    #[test]
    fn decorations_where_the_grammar_expects_none_go() {
        assert_eq!(
            prepared("CUTE_DEVICE template <> int f();"),
            "template <> int f();"
        );
        assert_eq!(
            prepared("#if X\nCUTE_DEVICE\n#endif\nint f();"),
            "#if X #endif int f();"
        );
    }

    #[test]
    fn what_the_grammar_knows_stays() {
        for text in [
            "CUTE_HOST_DEVICE Foo f();",
            "CUTLASS_GLOBAL void k();",
            "__launch_bounds__(f(1), 2) void g();",
            "size(typename T::X{}, decltype(x){})",
            "void f(T a = {-2, 2});",
            "enum : std::uint8_t { A };",
        ] {
            assert_eq!(prepared(text), text);
        }
    }

    #[test]
    fn names_in_capitals_that_may_be_types_or_values_stay() {
        for text in [
            "MY_TYPE x;",
            "MY_TYPE const x;",
            "f(MY_VALUE);",
            "x = MY_VALUE;",
            "x = _MY_VALUE;",
            "MY_CALL(x);",
            "struct SM90_64x64 final {};",
            "__shared__ struct A a;",
            "struct MY_CLASS final {};",
        ] {
            assert_eq!(prepared(text), text);
        }
    }

    #[test]
    fn macros_of_this_file_that_only_decorate_go() {
        let text = "#define DEV __device__ inline\n#define ALSO DEV\n#define N 3\nALSO Foo f(N);";
        assert!(prepared(text).ends_with("Foo f(N);") && !prepared(text).contains("ALSO Foo"));
    }

    #[test]
    fn comments_and_pragmas_become_spaces_of_the_same_shape() {
        let source = "int a; // ü\n#pragma unroll \\\n 4\r\nint b;";
        let text = prepare(source).text;
        let lines = |bytes: &[u8]| bytes.iter().positions_of(b'\n');
        assert_eq!(lines(&text), lines(source.as_bytes()));
        assert_eq!(prepared(source), "int a; int b;");
    }

    #[test]
    fn lambda_attributes_go() {
        assert_eq!(prepared("[&] MY_LAMBDA (int x) { }"), "[&] (int x) { }");
        assert_eq!(prepared("[=] __device__ (int x) { }"), "[=] (int x) { }");
    }

    trait PositionsOf {
        fn positions_of(self, byte: u8) -> Vec<usize>;
    }

    impl<'b, I: Iterator<Item = &'b u8>> PositionsOf for I {
        fn positions_of(self, byte: u8) -> Vec<usize> {
            self.enumerate()
                .filter(|(_, b)| **b == byte)
                .map(|(i, _)| i)
                .collect()
        }
    }
}
