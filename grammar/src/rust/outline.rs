//! The outline of a file: modules, and the items in them as pieces of text that are parsed each on
//! its own.
//!
//! An item that an edit did not touch keeps its tree, a syntax error stays inside its item, and the result of an item
//! depends on its text alone. Too large a piece (several items) is harmless.

use super::scan::{Scanner, Token};
use crate::outline::{LEVELS, Part};
use crate::tree::{Ident, Span};
use crate::verbatim::Outline;

/// Finds the outline of `source`.
pub(super) fn outline(source: &str) -> Outline {
    let (outline, balanced) = Builder::new(source, false).run();
    if balanced {
        outline
    } else {
        Builder::new(source, true).run().0
    }
}

/// The end of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// Not known yet: attributes, `pub`, `unsafe`.
    Open,
    /// After `const`: a constant or a function.
    Constant,
    /// With `;`.
    Semicolon,
    /// With `}`, or with `;` where that comes first.
    Brace,
}

struct Module {
    name: Ident,
    start: usize,
    /// The parts of the module around it.
    outer: Vec<Part>,
}

struct Builder<'t> {
    source: &'t str,
    scanner: Scanner<'t>,
    /// Whether an item that starts a line ends unclosed brackets before it.
    resynchronises: bool,
    balanced: bool,
    outline: Outline,
    parts: Vec<Part>,
    modules: Vec<Module>,
    /// The start of the current item.
    start: Option<usize>,
    /// The closing brackets that are awaited inside the item.
    open: Vec<u8>,
    ends: Ends,
    /// The last token was `mod`.
    after_mod: bool,
    /// The last two tokens were `mod` and this name.
    module: Option<Ident>,
}

/// Words that start an item in the first column of formatted code.
const ITEM_WORDS: &[&str] = &[
    "pub",
    "fn",
    "struct",
    "enum",
    "union",
    "impl",
    "trait",
    "mod",
    "use",
    "const",
    "static",
    "type",
    "unsafe",
    "extern",
    "async",
    "macro_rules",
];

impl<'t> Builder<'t> {
    fn new(source: &'t str, resynchronises: bool) -> Self {
        Self {
            source,
            scanner: Scanner::new(source),
            resynchronises,
            balanced: true,
            outline: Outline::default(),
            parts: Vec::new(),
            modules: Vec::new(),
            start: None,
            open: Vec::new(),
            ends: Ends::Open,
            after_mod: false,
            module: None,
        }
    }

    /// The outline, and whether all brackets match.
    fn run(mut self) -> (Outline, bool) {
        while let Some(token) = self.scanner.next() {
            if self.resynchronises && !self.open.is_empty() && self.starts_an_item(token) {
                self.end_item(token.start());
                while !self.modules.is_empty() {
                    self.end_module(token.start());
                }
            }
            self.take(token);
        }
        let end = self.source.len();
        self.balanced &= self.open.is_empty() && self.modules.is_empty();
        self.end_item(end);
        while !self.modules.is_empty() {
            self.end_module(end);
        }
        self.outline.parts = self.parts;
        self.outline.comments = self.scanner.comments;
        (self.outline, self.balanced)
    }

    /// Whether a token is the first of its line and looks like the start of an item.
    fn starts_an_item(&self, token: Token) -> bool {
        let start = token.start();
        let first = start == 0 || self.source.as_bytes().get(start - 1) == Some(&b'\n');
        first
            && match token {
                Token::Word(span) => ITEM_WORDS.contains(&span.text(self.source)),
                Token::Mark(mark, _) => mark == b'#',
                Token::Literal(_) => false,
            }
    }

    fn take(&mut self, token: Token) {
        let module = self.module.take();
        let after_mod = std::mem::take(&mut self.after_mod);
        // A bracket that closes the module is not part of an item.
        if token == Token::Mark(b'}', token.start()) && self.open.is_empty() {
            if self.modules.is_empty() {
                self.balanced = false;
            } else {
                self.end_item(token.start());
                self.end_module(self.scanner.offset());
                return;
            }
        }
        let start = *self.start.get_or_insert(token.start());
        match token {
            Token::Word(span) if self.open.is_empty() => self.word(span, after_mod),
            Token::Mark(b'{', _)
                if self.open.is_empty() && module.is_some() && self.modules.len() < LEVELS =>
            {
                let Some(name) = module else { return };
                self.modules.push(Module {
                    name,
                    start,
                    outer: std::mem::take(&mut self.parts),
                });
                self.next_item();
            }
            Token::Mark(b'(', _) => self.open.push(b')'),
            Token::Mark(b'[', _) => self.open.push(b']'),
            Token::Mark(b'{', _) => self.open.push(b'}'),
            Token::Mark(close @ (b')' | b']' | b'}'), _) => self.close(close),
            Token::Mark(b';', _) if self.open.is_empty() => self.end_item(self.scanner.offset()),
            _ => {}
        }
    }

    /// A word of an item outside of all brackets.
    fn word(&mut self, span: Span, after_mod: bool) {
        let word = span.text(self.source);
        if after_mod {
            self.module = Some(Ident {
                name: word.to_owned(),
                span,
            });
        }
        self.after_mod = word == "mod";
        self.ends = match (self.ends, word) {
            (Ends::Open, "pub" | "unsafe" | "async" | "extern" | "default" | "crate") => Ends::Open,
            (Ends::Open, "const") => Ends::Constant,
            (Ends::Open, "static" | "type" | "use" | "let") => Ends::Semicolon,
            (Ends::Constant, "fn" | "unsafe" | "async" | "extern") | (Ends::Open, _) => Ends::Brace,
            (Ends::Constant, _) => Ends::Semicolon,
            (known, _) => known,
        };
    }

    fn close(&mut self, bracket: u8) {
        match self.open.last() {
            Some(expected) if *expected == bracket => {
                self.open.pop();
            }
            _ => self.balanced = false,
        }
        let ended = bracket == b'}' && self.open.is_empty() && self.ends != Ends::Semicolon;
        // `impl Foo<{ N }> for Bar`, `x! {} .y()`: more of the item comes.
        if ended
            && !matches!(
                self.scanner.peek(),
                b'>' | b',' | b'=' | b'.' | b'?' | b')' | b']'
            )
        {
            self.end_item(self.scanner.offset());
        }
    }

    fn end_item(&mut self, end: usize) {
        if let Some(start) = self.start {
            let text = self.source.get(start..end).unwrap_or_default();
            let end = start + text.trim_end().len();
            self.parts.push(Part::Piece(self.outline.pieces.len()));
            self.outline.pieces.push(Span::new(start, end));
        }
        self.next_item();
    }

    fn next_item(&mut self) {
        self.start = None;
        self.open.clear();
        self.ends = Ends::Open;
        self.after_mod = false;
        self.module = None;
    }

    fn end_module(&mut self, end: usize) {
        if let Some(module) = self.modules.pop() {
            let parts = std::mem::replace(&mut self.parts, module.outer);
            self.parts.push(Part::Namespace {
                names: vec![module.name],
                inline: false,
                span: Span::new(module.start, end),
                parts,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let outline = outline(text);
        outline.pieces.iter().map(|span| span.text(text)).collect()
    }

    #[test]
    fn items_end_where_rust_ends_them() {
        assert_eq!(
            pieces(
                "use a::{b, c};\nconst A: T = T { a: 1 };\nconst fn f() { 1; }\nstruct S;\n\
                 impl X<{ N }> for Y<{ M }> { fn g() {} }\nm! { x }\nm!(y);\n// c\nfn h() {}"
            ),
            [
                "use a::{b, c};",
                "const A: T = T { a: 1 };",
                "const fn f() { 1; }",
                "struct S;",
                "impl X<{ N }> for Y<{ M }> { fn g() {} }",
                "m! { x }",
                "m!(y);",
                "fn h() {}",
            ]
        );
    }

    #[test]
    fn modules_are_opened() {
        let text = "#[cfg(test)]\nmod a { fn f() {} mod b { use c; } }\nmod d;";
        let outline = outline(text);
        assert_eq!(pieces(text), ["fn f() {}", "use c;", "mod d;"]);
        let [
            Part::Namespace {
                names, parts, span, ..
            },
            Part::Piece(2),
        ] = outline.parts.as_slice()
        else {
            panic!("{:?}", outline.parts);
        };
        assert_eq!((names[0].name.as_str(), parts.len()), ("a", 2));
        assert!(span.text(text).ends_with("} }"));
    }

    #[test]
    fn an_unclosed_item_ends_before_the_next_that_starts_a_line() {
        assert_eq!(
            pieces("fn f() {\n  g(\nfn h() {}\n#[x]\nfn i() {}\n"),
            ["fn f() {\n  g(", "fn h() {}", "#[x]\nfn i() {}"]
        );
    }
}
