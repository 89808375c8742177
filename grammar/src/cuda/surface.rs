//! The names that a source may declare where others can see them, read off its tokens without parsing it: a name that
//! is not among these words is declared nowhere in the source.

use super::includes::include;
use super::tokens::{Token, TokenKind, scan};
use crate::tree::{Include, Span};

/// The surface of a source.
#[derive(Debug, Clone, Default)]
pub struct Surface {
    /// The `#include` lines in order, each with whether it is in a branch of an `#if`; names of macros in their
    /// place (`#include NAME`) are left out.
    pub includes: Vec<(Include, bool)>,
    /// The names that the source declares in namespaces, enumerators included, and some that it only mentions. The names
    /// of the namespaces themselves are left out.
    pub words: Vec<Span>,
    /// The macros that it defines or takes back.
    pub macros: Vec<Span>,
    /// The words of the conditions of its `#if`s, wherever they are.
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
    if reader.is_outside() {
        reader.add_all();
    }
    reader.surface.is_whole &= reader.scopes.is_empty() && reader.branches.is_empty();
    reader.surface
}

/// The content of a pair of braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Declarations that others see: a namespace, or `extern "C"`.
    Namespace,
    /// Enumerators.
    Enum,
    /// A body.
    Body,
    /// Part of a declaration: `= {}` of a parameter.
    Part,
}

struct Reader<'t> {
    text: &'t str,
    surface: Surface,
    /// The braces that are open.
    scopes: Vec<Scope>,
    /// The words and punctuation of the declaration that is being read.
    statement: Vec<Token>,
    /// The braces that were open where each open `#if` began.
    branches: Vec<Vec<Scope>>,
}

impl Reader<'_> {
    fn take(&mut self, token: Token) {
        match token.kind {
            TokenKind::Directive => self.directive(token.span()),
            TokenKind::Literal => {}
            TokenKind::Punct(b'{') => {
                let scope = self.opened();
                if matches!(scope, Scope::Enum | Scope::Body) && self.is_outside() {
                    self.add_declared(true);
                }
                if scope != Scope::Part {
                    self.statement.clear();
                }
                self.scopes.push(scope);
            }
            TokenKind::Punct(b'}') => match self.scopes.pop() {
                Some(Scope::Part) => {}
                Some(scope) => {
                    if scope == Scope::Enum {
                        self.add_all();
                    }
                    self.statement.clear();
                }
                None => self.surface.is_whole = false,
            },
            TokenKind::Punct(b';') if self.is_outside() => {
                self.add_declared(false);
                self.statement.clear();
            }
            _ if self.is_outside() => self.statement.push(token),
            _ => {}
        }
    }

    /// Whether a declaration here can be seen by others.
    fn is_outside(&self) -> bool {
        let hides = |scope: &Scope| matches!(scope, Scope::Body | Scope::Part);
        !self.scopes.iter().any(hides)
    }

    /// The content of the brace that opens here.
    fn opened(&self) -> Scope {
        let has = |text: &str| self.statement.iter().any(|token| self.is(*token, text));
        let words = self
            .statement
            .iter()
            .filter(|token| token.kind == TokenKind::Word);
        let is_nested = || {
            let open = self.statement.iter().filter(|token| token.is(b'(')).count();
            let closed = self.statement.iter().filter(|token| token.is(b')')).count();
            open > closed
        };
        if !self.is_outside() {
            Scope::Body
        } else if is_nested() {
            Scope::Part
        } else if has("enum") {
            Scope::Enum
        } else if has("namespace") || (has("extern") && words.count() == 1) {
            Scope::Namespace
        } else {
            Scope::Body
        }
    }

    fn is(&self, token: Token, text: &str) -> bool {
        token.kind == TokenKind::Word && token.span().text(self.text) == text
    }

    /// Adds every word of the declaration.
    fn add_all(&mut self) {
        let words = self
            .statement
            .iter()
            .filter(|token| token.kind == TokenKind::Word);
        self.surface.words.extend(words.map(|token| token.span()));
    }

    /// Adds the words of a declaration that may be names which it declares; `has_body` says that a brace follows.
    fn add_declared(&mut self, has_body: bool) {
        let Some(outer) = outside_of_brackets(&self.statement, self.text) else {
            return self.add_all();
        };
        let word = |index: usize| {
            outer
                .get(index)
                .copied()
                .filter(|it| it.kind == TokenKind::Word)
        };
        let is_at = |index: usize, text: &str| word(index).is_some_and(|it| self.is(it, text));
        let punct = |index: usize, punct: u8| outer.get(index).is_some_and(|it| it.is(punct));
        let starts = usize::from(is_at(0, "template"));
        if is_at(starts, "using") {
            if punct(starts + 2, b'=') {
                self.surface.words.extend(word(starts + 1).map(Token::span));
            } else if !is_at(starts + 1, "namespace") {
                let words = outer.iter().filter(|it| it.kind == TokenKind::Word);
                self.surface.words.extend(words.map(|it| it.span()));
            }
            return;
        }
        if is_at(0, "namespace") {
            self.surface.words.extend(word(1).map(Token::span));
            return;
        }
        let call = outer.iter().position(|token| token.is(b'('));
        let words_before = call.map_or(0, |call| {
            let before = outer.iter().take(call);
            before.filter(|token| token.kind == TokenKind::Word).count()
        });
        let is_declarator = call.is_some_and(|call| punct(call + 1, b'*') || punct(call + 1, b'&'));
        if call.is_some() && (words_before < 2 || is_declarator) {
            // The call of a macro, or a pointer to a function.
            return self.add_all();
        }
        let is_class = ["struct", "class", "union"]
            .iter()
            .any(|key| outer.iter().any(|token| self.is(*token, key)));
        let colon = |index: usize| {
            punct(index, b':') && !punct(index + 1, b':') && !(index > 0 && punct(index - 1, b':'))
        };
        let end = if has_body && is_class && call.is_none() {
            (0..outer.len())
                .find(|index| colon(*index))
                .unwrap_or(outer.len())
        } else {
            outer.len()
        };
        let is_function = !is_class
            && call.is_some()
            && !outer
                .iter()
                .take(call.unwrap_or(0))
                .any(|token| token.is(b'='));
        let mut found = Vec::new();
        for index in 0..end {
            let Some(name) = word(index) else { continue };
            let is_scope = punct(index + 1, b':') && punct(index + 2, b':');
            let may_be_declared = if is_function {
                punct(index + 1, b'(') || is_scope || self.is(name, "operator")
            } else {
                has_body || !is_scope
            };
            if may_be_declared {
                found.push(name.span());
            }
        }
        self.surface.words.extend(found);
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

/// The tokens of a declaration without those in angle brackets, and with the parentheses but not the tokens between
/// them; `None` where the brackets do not belong together.
fn outside_of_brackets(tokens: &[Token], text: &str) -> Option<Vec<Token>> {
    let mut open: Vec<u8> = Vec::new();
    let mut outer: Vec<Token> = Vec::new();
    let mut before: Option<Token> = None;
    for token in tokens {
        let follows_name = before
            .is_some_and(|it| it.kind == TokenKind::Word && it.span().text(text) != "operator");
        let opens_angle = token.is(b'<') && follows_name;
        // `(*name)` is seen to declare one.
        let is_declarator = (token.is(b'*') || token.is(b'&'))
            && open.as_slice() == [b'(']
            && before.is_some_and(|it| it.is(b'('));
        if is_declarator || (open.is_empty() && !opens_angle) {
            outer.push(*token);
        }
        if opens_angle {
            open.push(b'<');
        } else if token.is(b'(') {
            open.push(b'(');
        } else if token.is(b'>') && open.last() == Some(&b'<') {
            open.pop();
        } else if token.is(b')') && open.pop() != Some(b'(') {
            return None;
        }
        before = Some(*token);
    }
    open.is_empty().then_some(outer)
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
    fn what_is_declared_is_found_and_what_is_only_mentioned_mostly_not() {
        let cases: [(&str, &[&str], &[&str]); 16] = [
            (
                "template <class E, int N = (4 > 3)> struct S<E, N> : detail::B<E> { };",
                &["S"],
                &["E", "N", "B", "detail"],
            ),
            (
                "template <class E> using A = detail::X<E>;",
                &["A"],
                &["E", "X", "detail"],
            ),
            ("using a::b, a::c;", &["b", "c"], &[]),
            ("namespace n = a::b;", &["n"], &["a", "b"]),
            (
                "template <class T> HD constexpr enable_if_t<ok<T>, R> f(T const& t, int n = {}) { }",
                &["f"],
                &["T", "t", "n", "enable_if_t", "R"],
            ),
            ("HD auto g(X x) -> decltype(x);", &["g"], &["X"]),
            (
                "template <class T> HD void Foo<T>::bar() { }",
                &["Foo", "bar"],
                &["T"],
            ),
            ("static constexpr int k = a::b;", &["k"], &["a"]),
            (
                "int list[] = {kMore}, other = 4;",
                &["list", "other"],
                &["kMore"],
            ),
            ("DECLARE(name)", &["name", "DECLARE"], &[]),
            ("KERNEL(run, int count) { body; }", &["run"], &["body"]),
            ("static void (*pointer)(Arg);", &["pointer"], &[]),
            ("struct alignas(16) Padded : Base { };", &["Padded"], &[]),
            (
                "HD bool operator<(A a, B b) { }",
                &["operator"],
                &["A", "B"],
            ),
            ("extern template class Made<int>;", &["Made"], &[]),
            ("typedef struct { int m; } Typed;", &["Typed"], &["m"]),
        ];
        for (text, declared, mentioned) in cases {
            let found = words(text);
            assert!(surface(text).is_whole, "{text}");
            for name in declared {
                assert!(found.contains(name), "{name} of {text} in {found:?}");
            }
            for name in mentioned {
                assert!(!found.contains(name), "{name} of {text} in {found:?}");
            }
        }
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
