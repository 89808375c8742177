//! What a source may declare where others can see it, read off its tokens without parsing it: a name that is
//! not among these words is declared nowhere in the source.

use super::includes::include;
use super::tokens::{Token, TokenKind, scan};
use crate::tree::{Include, Span};

/// The surface of a source.
#[derive(Debug, Clone, Default)]
pub struct Surface {
    /// The `#include` lines in order, each with whether it stands in a branch of an `#if`; names of macros in their
    /// place (`#include NAME`) are left out.
    pub includes: Vec<(Include, bool)>,
    /// Every word outside of the bodies of functions and classes, and the enumerators of enums: all names that the
    /// source declares in namespaces, and some that it only mentions. The names of the namespaces are left out.
    pub words: Vec<Span>,
    /// The macros that it defines or takes back.
    pub macros: Vec<Span>,
    /// The words of the conditions of its `#if`s, wherever they stand.
    pub conditions: Vec<Span>,
    /// Whether the above is all: its braces belong together, and no macro of it pastes words.
    pub is_whole: bool,
}

/// Reads the surface of a source.
///
/// ```
/// # use tree_sitter_cute::cuda::surface;
/// let text = "#define TILE 128\nnamespace a { struct S { int inner; }; auto f(S s) { return s.inner; } }";
/// let found = surface(text);
/// let words: Vec<&str> = found.words.iter().map(|word| word.text(text)).collect();
/// assert!(words.contains(&"S") && words.contains(&"f") && !words.contains(&"inner"));
/// assert_eq!(found.macros[0].text(text), "TILE");
/// assert!(found.is_whole);
/// ```
pub fn surface(text: &str) -> Surface {
    let mut reader = Reader {
        text,
        surface: Surface {
            is_whole: true,
            ..Surface::default()
        },
        scopes: Vec::new(),
        statement: Vec::new(),
        branches: Vec::new(),
    };
    for token in scan(text).tokens {
        reader.take(token);
    }
    reader.add_words(false);
    reader.surface.is_whole &= reader.scopes.is_empty() && reader.branches.is_empty();
    reader.surface
}

/// What a pair of braces holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Declarations that others see: a namespace, or `extern "C"`.
    Namespace,
    /// Enumerators.
    Enum,
    /// A body.
    Body,
}

struct Reader<'t> {
    text: &'t str,
    surface: Surface,
    /// The braces that are open.
    scopes: Vec<Scope>,
    /// The words of the declaration that is being read.
    statement: Vec<Span>,
    /// The braces that were open where each open `#if` began.
    branches: Vec<Vec<Scope>>,
}

impl Reader<'_> {
    fn take(&mut self, token: Token) {
        let span = token.span();
        match token.kind {
            TokenKind::Directive => self.directive(span),
            TokenKind::Punct(b'{') => {
                let scope = self.opened();
                self.add_words(scope == Scope::Namespace);
                self.scopes.push(scope);
                self.statement.clear();
            }
            TokenKind::Punct(b'}') => {
                self.add_words(false);
                if self.scopes.pop().is_none() {
                    self.surface.is_whole = false;
                }
                self.statement.clear();
            }
            TokenKind::Punct(b';') => {
                let is_opening = matches!(
                    self.statement.as_slice(),
                    [using, namespace, ..] if self.is(*using, "using") && self.is(*namespace, "namespace")
                );
                self.add_words(is_opening);
                self.statement.clear();
            }
            TokenKind::Word if !self.scopes.contains(&Scope::Body) => self.statement.push(span),
            _ => {}
        }
    }

    fn is(&self, word: Span, text: &str) -> bool {
        word.text(self.text) == text
    }

    /// Adds the words of a declaration, if they are more than names of namespaces.
    fn add_words(&mut self, are_namespaces: bool) {
        if !are_namespaces {
            self.surface.words.extend_from_slice(&self.statement);
        }
    }

    /// What the brace holds that opens here.
    fn opened(&self) -> Scope {
        let has = |text: &str| self.statement.iter().any(|word| self.is(*word, text));
        if self.scopes.contains(&Scope::Body) {
            Scope::Body
        } else if has("enum") {
            Scope::Enum
        } else if has("namespace")
            || matches!(self.statement.as_slice(), [only] if self.is(*only, "extern"))
        {
            Scope::Namespace
        } else {
            Scope::Body
        }
    }

    /// Adds the words of a condition that starts at a byte.
    fn add_conditions(&mut self, start: usize, text: &str) {
        let words = scan(text).tokens.into_iter();
        let words = words.filter(|token| token.kind == TokenKind::Word);
        let places = words.map(Token::span);
        self.surface
            .conditions
            .extend(places.map(|span| Span::new(start + span.start, start + span.end)));
    }

    fn directive(&mut self, span: Span) {
        let line = span.text(self.text);
        let word_start = line.find(|c: char| c.is_ascii_alphabetic());
        let line = line.get(word_start.unwrap_or(line.len())..).unwrap_or("");
        let name_end = line.find(|c: char| !c.is_ascii_alphabetic());
        let (name, rest) = line.split_at(name_end.unwrap_or(line.len()));
        match name {
            "include" => {
                if let Some(found) = include(self.text, span) {
                    let within = !self.branches.is_empty();
                    self.surface.includes.push((found, within));
                }
            }
            "define" | "undef" => {
                self.surface.is_whole &= !rest.contains("##");
                let start = span.end - rest.len();
                let skipped = rest.len() - rest.trim_start().len();
                let word = rest.trim_start();
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                let length = word.find(|c| !is_part(c)).unwrap_or(word.len());
                let start = start + skipped;
                self.surface.macros.push(Span::new(start, start + length));
            }
            "if" | "ifdef" | "ifndef" => {
                self.add_conditions(span.end - rest.len(), rest);
                self.branches.push(self.scopes.clone());
            }
            "else" | "elif" => {
                self.add_conditions(span.end - rest.len(), rest);
                match self.branches.last() {
                    Some(open) => self.scopes.clone_from(open),
                    None => self.surface.is_whole = false,
                }
            }
            "endif" => self.surface.is_whole &= self.branches.pop().is_some(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let words = surface(text).words;
        words.into_iter().map(|word| word.text(text)).collect()
    }

    #[test]
    fn bodies_are_left_out_and_namespaces_are_not() {
        let text = "namespace a::b { inline namespace c { template <class T> struct S : B<T> { int m; }; } \
                    enum E { kOne, kTwo }; using namespace a; extern \"C\" { void g(); } int f() { if (x) { y(); } } } int last;";
        let found = words(text);
        for declared in ["S", "E", "kOne", "kTwo", "g", "f", "last"] {
            assert!(found.contains(&declared), "{declared} in {found:?}");
        }
        for inside in ["a", "b", "c", "m", "x", "y"] {
            assert!(!found.contains(&inside), "{inside} in {found:?}");
        }
        assert!(surface(text).is_whole);
    }

    #[test]
    fn a_brace_that_branches_open_is_one() {
        let text = "#if A\nstruct S {\n#else\nstruct S : T {\n#endif\n int m; };\nint last;";
        assert!(surface(text).is_whole);
        assert!(words(text).contains(&"last"));
        assert!(!words(text).contains(&"m"));
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_whole() {
        let texts = [
            "#define PASTE(a) a##_t\n",
            "}",
            "struct S {",
            "#if A\n",
            "#endif\n",
            "#else\n",
        ];
        for text in texts {
            assert!(!surface(text).is_whole, "{text}");
        }
    }

    #[test]
    fn includes_and_macros_are_found() {
        let text = "#pragma once\n#include <a.hpp>\n#ifdef X\n#  include \"b.h\"\n#  define K(a) \\\n a\n#undef L\n#endif\n";
        let found = surface(text);
        let includes: Vec<(&str, bool)> = found
            .includes
            .iter()
            .map(|(include, within)| (include.path.name.as_str(), *within))
            .collect();
        assert_eq!(includes, [("a.hpp", false), ("b.h", true)]);
        let macros: Vec<&str> = found.macros.iter().map(|name| name.text(text)).collect();
        assert_eq!(macros, ["K", "L"]);
        let text =
            "#if defined(A) && (B > 1)\nvoid f() {\n#ifdef C\n#elif D // E\n#endif\n}\n#endif";
        let conditions = surface(text).conditions.into_iter();
        let conditions: Vec<&str> = conditions.map(|word| word.text(text)).collect();
        assert_eq!(conditions, ["defined", "A", "B", "C", "D"]);
    }
}
