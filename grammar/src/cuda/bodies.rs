//! The large bodies of functions, which are parsed apart from the text around them, and the parts of the largest.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::tokens::{Token, TokenKind, scan};
use crate::bodies::Place;
use crate::limits::{BODY_BYTES, BODY_PIECE_BYTES, PART_BYTES, STATEMENTS_IN_A_PART};
use crate::tree::Span;

/// The places of large bodies of functions in a text, with their braces, or of their parts, without; none where anything is
/// in doubt.
pub(super) fn bodies(text: &[u8]) -> Vec<Place> {
    if text.len() < BODY_PIECE_BYTES {
        return Vec::new();
    }
    let Ok(text) = std::str::from_utf8(text) else {
        return Vec::new();
    };
    let tokens = scan(text).tokens;
    let Some(partners) = partners(&tokens) else {
        return Vec::new();
    };
    let finder = Finder {
        text,
        tokens: &tokens,
        partners: &partners,
    };
    finder.run().unwrap_or_default()
}

/// The index of the closing bracket of each opening one; `None` where they do not nest.
fn partners(tokens: &[Token]) -> Option<Vec<usize>> {
    let mut partners = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Punct(byte @ (b'(' | b'[' | b'{')) => open.push((index, byte)),
            TokenKind::Punct(byte @ (b')' | b']' | b'}')) => {
                let (start, opening) = open.pop()?;
                if !matches!((opening, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')) {
                    return None;
                }
                *partners.get_mut(start)? = index;
            }
            _ => {}
        }
    }
    open.is_empty().then_some(partners)
}

/// The part of a declaration before a brace.
#[derive(Debug, Clone, Copy, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a mark of a kind of declaration"
)]
struct Head {
    /// `struct`, `class` or `union` is there.
    names_class: bool,
    /// A pair of parentheses is there.
    has_parameters: bool,
    /// Something is there that no head of a plain function has: `=`, `requires`, initialisers of members.
    is_other: bool,
    /// It ends as the head of a function does.
    ends_as_function: bool,
}

/// Words behind the parameters of a function.
const QUALIFIERS: [&str; 4] = ["const", "noexcept", "override", "final"];

struct Finder<'t> {
    text: &'t str,
    tokens: &'t [Token],
    partners: &'t [usize],
}

impl Finder<'_> {
    /// `None` where a bracket has no partner.
    fn run(&self) -> Option<Vec<Place>> {
        let mut found = Vec::new();
        let mut classes = 0_usize;
        let mut head = Head::default();
        let mut index = 0;
        while let Some(token) = self.tokens.get(index) {
            let next = index + 1;
            index = match token.kind {
                TokenKind::Word => self.word(index, &mut head)?,
                TokenKind::Punct(b'(' | b'[') => {
                    head.has_parameters |= token.is(b'(');
                    head.ends_as_function = token.is(b'(');
                    self.partner(index)? + 1
                }
                TokenKind::Punct(b'{') => {
                    let close = self.partner(index)?;
                    let is_function = head.has_parameters && head.ends_as_function;
                    let is_class = head.names_class && !is_function;
                    if is_class && !head.is_other {
                        classes += 1;
                        head = Head::default();
                        next
                    } else {
                        if is_function && !head.is_other {
                            self.body_into(index, close, &mut found);
                        }
                        head = Head {
                            // What is behind the braces of a value belongs to its declaration.
                            is_other: !is_function,
                            ..Head::default()
                        };
                        close + 1
                    }
                }
                TokenKind::Punct(b'}') => {
                    classes = classes.checked_sub(1)?;
                    head = Head {
                        is_other: true,
                        ..Head::default()
                    };
                    next
                }
                TokenKind::Punct(b';') => {
                    head = Head::default();
                    next
                }
                TokenKind::Punct(b':') if self.is(next, b':') => next + 1,
                TokenKind::Punct(b':') => {
                    head.is_other |= head.has_parameters;
                    if self.is_access(index) {
                        head = Head::default();
                    }
                    next
                }
                TokenKind::Punct(b'=') => {
                    head.is_other = true;
                    next
                }
                TokenKind::Punct(b'&') | TokenKind::Directive => next,
                TokenKind::Punct(_) | TokenKind::Literal => {
                    head.ends_as_function = false;
                    next
                }
            };
        }
        Some(found)
    }

    fn word(&self, index: usize, head: &mut Head) -> Option<usize> {
        match self.text_of(index) {
            "template" if self.is(index + 1, b'<') => return self.behind_angles(index + 1),
            "struct" | "class" | "union" => head.names_class = true,
            "enum" | "requires" | "concept" | "try" | "namespace" | "extern" | "operator" => {
                head.is_other = true;
            }
            word if QUALIFIERS.contains(&word) => return Some(index + 1),
            _ => {}
        }
        head.ends_as_function = false;
        Some(index + 1)
    }

    /// The index behind the angle brackets that open at one; `None` where they do not close.
    fn behind_angles(&self, start: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut index = start;
        loop {
            index = match self.tokens.get(index)?.kind {
                TokenKind::Punct(b'<') => {
                    depth += 1;
                    index + 1
                }
                TokenKind::Punct(b'>') => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(index + 1);
                    }
                    index + 1
                }
                TokenKind::Punct(b'(' | b'[' | b'{') => self.partner(index)? + 1,
                TokenKind::Punct(b';' | b'}') => return None,
                _ => index + 1,
            };
        }
    }

    fn partner(&self, index: usize) -> Option<usize> {
        self.partners
            .get(index)
            .copied()
            .filter(|partner| *partner > index)
    }

    fn is(&self, index: usize, byte: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(byte))
    }

    fn text_of(&self, index: usize) -> &str {
        let token = self.tokens.get(index);
        token.map_or("", |token| token.span().text(self.text))
    }

    /// Whether a colon ends `public:`.
    fn is_access(&self, colon: usize) -> bool {
        let before = colon.checked_sub(1).map_or("", |index| self.text_of(index));
        matches!(before, "public" | "private" | "protected")
    }

    /// The place of a body that is large, and inside of which `#if` and `#endif` nest; or those of its parts.
    fn body_into(&self, open: usize, close: usize, found: &mut Vec<Place>) {
        let (Some(first), Some(last)) = (self.tokens.get(open), self.tokens.get(close)) else {
            return;
        };
        let within = first.span().to(last.span());
        if within.len() < BODY_BYTES || !self.directives_nest(open, close) {
            return;
        }
        let cuts = self.cuts(open, close).unwrap_or_default();
        if cuts.is_empty() {
            found.push(Place::whole(within));
            return;
        }
        let mut start = within.start + 1;
        for end in cuts.into_iter().chain([within.end - 1]) {
            let span = Span::new(start, end);
            found.push(Place { span, within });
            start = end;
        }
    }

    fn directives_nest(&self, open: usize, close: usize) -> bool {
        let mut depth = Some(0);
        for token in self.tokens.get(open..close).unwrap_or_default() {
            depth = depth.and_then(|depth| self.depth_behind(token, depth));
        }
        depth == Some(0)
    }

    /// Number of `#if` groups around what is behind a token; `None` where they do not nest.
    fn depth_behind(&self, token: &Token, depth: usize) -> Option<usize> {
        if token.kind != TokenKind::Directive {
            return Some(depth);
        }
        let line = token.span().text(self.text);
        let word = line.trim_start_matches(['#', ' ', '\t']);
        match word.split(|letter: char| !letter.is_alphabetic()).next()? {
            "if" | "ifdef" | "ifndef" => Some(depth + 1),
            "endif" => depth.checked_sub(1),
            "else" | "elif" | "elifdef" | "elifndef" if depth == 0 => None,
            _ => Some(depth),
        }
    }

    /// The ends of some statements of a body, between which its parts are. Which ones depends on each statement alone, so
    /// that an edit of one leaves the parts of the others as they are.
    fn cuts(&self, open: usize, close: usize) -> Option<Vec<usize>> {
        let mut cuts = Vec::new();
        let mut depth = 0;
        let mut index = open + 1;
        while index < close {
            let mut first = index;
            let last = loop {
                if index >= close {
                    // What is behind the last end of a statement belongs to the last part.
                    return Some(cuts);
                }
                let token = self.tokens.get(index)?;
                depth = self.depth_behind(token, depth)?;
                if token.kind == TokenKind::Directive && first == index {
                    first += 1;
                }
                let last = match token.kind {
                    TokenKind::Punct(b'(' | b'[' | b'{') => self.partner(index)?,
                    _ => index,
                };
                index = last + 1;
                if self.ends_statement(first, last, index) {
                    break last;
                }
            };
            let end = self.tokens.get(last)?.span();
            let statement = self.tokens.get(first)?.span().to(end);
            if depth == 0 && index < close && self.is_cut_behind(statement) {
                cuts.push(end.end);
            }
        }
        Some(cuts)
    }

    /// Whether a statement ends with a token, before another one.
    fn ends_statement(&self, first: usize, last: usize, next: usize) -> bool {
        let behind = self.tokens.get(next..).unwrap_or_default();
        let directives = behind
            .iter()
            .take_while(|token| token.kind == TokenKind::Directive);
        let next = next + directives.count();
        if matches!(self.text_of(next), "else" | "while" | "catch") {
            return false;
        }
        if self.is(last, b';') {
            return true;
        }
        // A block ends a statement that begins as one with a block does, where nothing but another statement follows.
        let has_block = matches!(self.text_of(first), "if" | "for" | "while" | "switch" | "{");
        let starts_next =
            |next: &Token| next.kind == TokenKind::Word || next.is(b'{') || next.is(b'}');
        has_block && self.is(last, b'}') && self.tokens.get(next).is_some_and(starts_next)
    }

    fn is_cut_behind(&self, statement: Span) -> bool {
        if statement.len() >= PART_BYTES {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        statement.text(self.text).hash(&mut hasher);
        hasher.finish().is_multiple_of(STATEMENTS_IN_A_PART)
    }
}

#[cfg(test)]
mod tests {
    use cute_tests::files::{files_below, text_of};
    use cute_tests::oracles::cutlass;

    use super::*;
    use crate::cuda::{PieceTexts as _, Source, lower, parser};

    /// Statements that make a body large.
    fn statements(name: &str) -> String {
        let one = |at| format!("    auto {name}{at} = make_layout(Shape<_{at}, _8>{{}});\n");
        (0..40).map(one).collect::<Vec<_>>().concat()
    }

    fn class(members: &str) -> String {
        let others = "  void other(int a) { int b = a; }\n".repeat(2 * BODY_PIECE_BYTES / 32);
        format!(
            "template <class T, int N = (3 > 2)>\nstruct S : B<T> {{\n public:\n{others}{members}}};\n"
        )
    }

    /// Number of bodies, whether they have parts or not.
    fn names(members: &str) -> usize {
        let mut found = bodies(class(members).as_bytes());
        found.dedup_by_key(|place| place.within);
        found.len()
    }

    /// The parts of the body of a function.
    fn parts(body: &str) -> Vec<String> {
        let text = format!("void f() {{{body}}}");
        let found = bodies(text.as_bytes()).into_iter();
        found
            .map(|place| place.span.text(&text).to_owned())
            .collect()
    }

    #[test]
    fn bodies_of_functions_are_found_and_no_other_braces() {
        let body = format!("{{\n{}  }}\n", statements("a"));
        for head in [
            "void f()",
            "template <class A = int, class B = X<A>> static constexpr auto f(A const& a) const",
            "CUTE_DEVICE auto operator()(int n) noexcept(false)",
            "T const& f() &&",
            "void f() override final",
            "private: int f(int a = 3)",
            "auto f() -> decltype(g())",
        ] {
            let found = names(&format!("  {head} {body}"));
            let expected = usize::from(!head.contains("operator"));
            assert_eq!(found, expected, "{head}");
        }
        for head in [
            "S() : a(1), b{2}",
            "static constexpr int a[] =",
            "X a = [](int b)",
            "enum class E : int",
            "requires requires(T t)",
            "void f() try",
            "int b",
            "Y y(1), z",
        ] {
            assert_eq!(names(&format!("  {head} {body};")), 0, "{head}");
        }
        assert_eq!(names(&format!("  struct Inner {{ void f() {body} }};")), 1);
        assert_eq!(
            names(&format!("  void f() {{ struct L {{ void g() {body} }}; }}")),
            1
        );
        assert_eq!(names("  void f() { int a; }\n"), 0);
    }

    #[test]
    fn a_body_that_directives_cross_stays_with_its_class() {
        let body = statements("a");
        let crossed = format!("  void f() {{\n{body}\n#else\n{body}  }}\n");
        assert_eq!(names(&crossed), 0);
        let inside = format!("  void f() {{\n#if A\n{body}\n#else\n{body}\n#endif\n  }}\n");
        assert_eq!(names(&inside), 1);
        let open = format!("  void f() {{\n#if A\n{body}  }}\n#endif\n");
        assert_eq!(names(&open), 0);
        assert_eq!(names(&format!("  void f() {{\n{body}(\n  }}\n")), 0);
    }

    #[test]
    fn parts_of_a_body_are_whole_statements() {
        let large = |head: &str| format!("{head} {{\n{}}}", statements("a"));
        let last = large("\n  if (z)");
        for statement in [
            large("\n  if (x)") + &large("else"),
            large("\n  if (x) y(); else"),
            large("\n  do") + "while (x);",
            large("\n#pragma unroll\n  for (int i = 0; i < 3; ++i)"),
            "\n#if A".to_owned() + &large("\n  if (x)") + "\n#else\n  y();\n#endif\n  y();",
            large("\n  if (x)") + "\n#if A\n" + &large("else") + "\n#endif\n  y();",
            large("\n  auto f = [&] (int i)") + ";",
            large("\n  struct S") + " s;",
            large("\n  for (;;)") + "*p = 3;",
        ] {
            let found = parts(&format!("{statement}{last}{last}"));
            assert!(found.len() > 1, "{}", &statement[..40]);
            for part in &found {
                let broken = [
                    "else",
                    "while (x);",
                    "s;",
                    ";",
                    "*p",
                    "#else",
                    "#if A\nelse",
                ];
                let start = part.trim();
                let is_whole = !broken.iter().any(|it| start.starts_with(it));
                assert!(is_whole, "{}: {}", &statement[..40], &start[..10]);
            }
        }
    }

    #[test]
    fn an_edit_of_a_statement_leaves_other_parts_as_they_are() {
        let body = statements("a").repeat(4);
        let before = parts(&body);
        assert!(before.len() > 10, "{}", before.len());
        let after = parts(&body.replacen("auto a7 =", "auto another = x +", 1));
        let is_new = |part: &&String| !before.contains(part);
        assert!(after.iter().filter(is_new).count() <= 2, "{after:#?}");
    }

    /// Compares each piece with what it is when it is parsed as a whole; the number of bodies that were parsed apart.
    fn compared(text: &str, place: &str) -> usize {
        let source = Source::parse(text, None, || true).unwrap();
        let mut apart = 0;
        for index in 0..source.0.texts().count() {
            let texts = source.0.texts();
            let parsed = texts.parsed(index);
            let mut found = texts.bodies(index, &parsed);
            found.dedup_by_key(|place| place.within);
            let found = found.len();
            if found == 0 {
                continue;
            }
            let tree = parser().unwrap().parse(&parsed, None).unwrap();
            if tree.root_node().has_error() {
                continue;
            }
            apart += found;
            let whole = lower::lower_piece(&tree, texts.written(index), &parsed, &[]);
            let ours = source.lowered(index, text, false).unwrap();
            assert_eq!(ours.errors, [], "{place}, piece {index}");
            assert_eq!(ours.items, whole.items, "{place}, piece {index}");
        }
        apart
    }

    #[test]
    fn a_class_is_what_it_is_as_a_whole() {
        let two = format!(
            "  void f() {{\n{}  }}\n  int a;\n  S() {{\n{}  }}\n",
            statements("a"),
            statements("b")
        );
        assert_eq!(compared(&class(&two), "a class"), 2);
        let function = format!("void f() {{\n{}}}\n", statements("a").repeat(4));
        assert_eq!(compared(&function, "a function"), 1);
    }

    #[test]
    fn a_class_that_is_typed_is_that_of_a_fresh_reading() {
        let body = statements("a");
        let text = class(&format!(
            "  void f() {{\n{body}  }}\n  int a;\n  void g() const {{\n{body}  }}\n"
        ));
        let in_body = text.find("auto a7").unwrap();
        let places = [
            in_body,
            text.find("  int a;").unwrap(),
            text.rfind("auto a3 ").unwrap(),
            text.find("void f()").unwrap(),
        ];
        let lowered = |source: &Source, text: &str| source.lower(text, true);
        for place in places {
            let mut text = text.clone();
            let mut old = Source::parse(&text, None, || true).unwrap();
            for (at, letter) in "if (x) { y(1); }\nint n = 2;\n#else\n}".char_indices() {
                text.insert(place + at, letter);
                let new = Source::parse(&text, Some(&old), || true).unwrap();
                let fresh = Source::parse(&text, None, || true).unwrap();
                let typed = lowered(&new, &text);
                assert_eq!(typed, lowered(&fresh, &text), "{place}, {at}");
                old = new;
            }
        }
    }

    #[test]
    fn classes_of_cutlass_are_what_they_are_as_a_whole() {
        let mut apart = 0;
        for ending in ["h", "hpp", "cuh", "cu", "inl"] {
            for path in files_below(&cutlass(), ending) {
                let text = text_of(&path).unwrap_or_default();
                apart += compared(&text, &path.display().to_string());
            }
        }
        assert!(apart > 1_500, "{apart} bodies");
    }
}
