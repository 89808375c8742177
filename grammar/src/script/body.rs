//! The bodies of functions. A large one is read when it is first needed: of a library most functions are called by nothing.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use tree_sitter::{Node, Point, Range};

use super::shift::Shift as _;
use super::{Reader, Stmt, children, parser, without_error};
use crate::python::functions::LargeFunction;
use crate::tree::Span;

/// The statements of a function.
#[derive(Clone)]
pub struct Body(Kind);

#[derive(Clone)]
enum Kind {
    Read(Arc<Statements>),
    Later(Arc<Later>),
}

/// Statements that were read.
#[derive(Clone, Default)]
struct Statements {
    all: Vec<Stmt>,
    /// Whether there is a `yield` among them.
    yields: bool,
}

/// A large body.
struct Later {
    /// The source of the file.
    text: Arc<str>,
    place: LargeFunction,
    around: Around,
    /// The statements in another version of the file, and how far they were moved since.
    before: Option<(Arc<Statements>, isize)>,
    read: OnceLock<Arc<Statements>>,
}

/// The place of a function in what is around it.
#[derive(Debug, Clone, PartialEq)]
struct Around {
    depth: usize,
    /// The class, without the underscores before its name.
    class: Option<Arc<str>>,
}

impl From<Vec<Stmt>> for Body {
    fn from(all: Vec<Stmt>) -> Self {
        let yields = false;
        Self(Kind::Read(Arc::new(Statements { all, yields })))
    }
}

impl Default for Body {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl Deref for Body {
    type Target = [Stmt];

    fn deref(&self) -> &[Stmt] {
        match &self.0 {
            Kind::Read(read) => &read.all,
            Kind::Later(later) => &later.statements().all,
        }
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Body {
    /// The statements, at their places some bytes further.
    pub(super) fn moved(&self, by: isize) -> Self {
        let mut moved = self.to_vec();
        moved.shift(by);
        Self::from(moved)
    }

    /// The statements of a body that was moved by some bytes; nothing where it was not read.
    fn known(&self, by: isize) -> Option<(Arc<Statements>, isize)> {
        let Kind::Later(later) = &self.0 else {
            return None;
        };
        match (later.read.get(), &later.before) {
            (Some(read), _) => Some((Arc::clone(read), by)),
            (None, Some((read, moved))) => Some((Arc::clone(read), moved.checked_add(by)?)),
            (None, None) => None,
        }
    }

    /// Whether there is a `yield` among the statements.
    fn yields(&self) -> bool {
        match &self.0 {
            Kind::Read(read) => read.yields,
            Kind::Later(later) => later.statements().yields,
        }
    }

    fn is_of(&self, text: &str) -> bool {
        match &self.0 {
            Kind::Later(later) => later.text() == text,
            Kind::Read(_) => false,
        }
    }
}

impl Later {
    /// The text from the head of the function on.
    fn text(&self) -> &str {
        self.place.whole().text(&self.text)
    }

    fn statements(&self) -> &Statements {
        self.read.get_or_init(|| match &self.before {
            Some((read, 0)) => Arc::clone(read),
            Some((read, by)) => {
                let mut moved = Statements::clone(read);
                moved.all.shift(*by);
                Arc::new(moved)
            }
            None => Arc::new(self.parsed().unwrap_or_default()),
        })
    }

    /// Parses the function alone, where it is in the file.
    fn parsed(&self) -> Option<Statements> {
        let mut parser = parser()?;
        let Span { start, end } = self.place.whole();
        // The grammar counts the columns of lines by itself; rows are not needed.
        let range = Range {
            start_byte: start,
            end_byte: end,
            start_point: Point::new(0, 0),
            end_point: Point::new(usize::MAX, usize::MAX),
        };
        parser.set_included_ranges(&[range]).ok()?;
        let text = self.text.as_bytes();
        let tree = parser.parse(text, None)?;
        let tree = without_error(parser, tree, text);
        let mut reader = Reader {
            depth: self.around.depth,
            class: self.around.class.clone(),
            ..Reader::of(&self.text)
        };
        let mut all = Vec::new();
        for node in children(tree.root_node()) {
            match node.child_by_field_name("body") {
                Some(block) if node.start_byte() == start => all.extend(reader.statements(block)),
                // An error has ended the function; or it is all of it, with the statements that were understood.
                _ if node.is_error() => all.extend(reader.statements(node)),
                _ => all.push(reader.read(node)),
            }
        }
        Some(Statements {
            all,
            yields: reader.yields,
        })
    }
}

impl LargeFunction {
    /// From its head to the end of its body.
    fn whole(&self) -> Span {
        Span::new(self.head, self.body.end)
    }
}

/// The bodies in another version of a file of the large functions in a text: those with equal texts, from the front and from
/// the back.
pub(super) fn shared(
    text: &str,
    functions: &[LargeFunction],
    before: &[Body],
) -> Vec<Option<Body>> {
    let is_same =
        |(function, body): &(&LargeFunction, &Body)| body.is_of(function.whole().text(text));
    let front = functions.iter().zip(before).take_while(is_same).count();
    let most = functions.len().min(before.len()) - front;
    let back = functions.iter().rev().zip(before.iter().rev());
    let back = back.take(most).take_while(is_same).count();
    let of = |index: usize| {
        if index < front {
            before.get(index).cloned()
        } else if index + back >= functions.len() {
            let index = (index + before.len()).checked_sub(functions.len())?;
            before.get(index).cloned()
        } else {
            None
        }
    };
    (0..functions.len()).map(of).collect()
}

impl Reader<'_> {
    /// The body of a function whose block is a node.
    pub(super) fn body(&mut self, block: Node<'_>) -> Body {
        let start = block.start_byte();
        let index = self
            .functions
            .binary_search_by_key(&start, |function| function.body.start);
        let Some((index, place)) = index
            .ok()
            .and_then(|index| Some((index, *self.functions.get(index)?)))
        else {
            return Body::from(self.statements(block));
        };
        let around = Around {
            depth: self.depth,
            class: self.class.clone(),
        };
        let before = self.before.get_mut(index).and_then(Option::take);
        let body = match before {
            Some(Body(Kind::Later(before))) if before.around == around => {
                if before.place == place {
                    Body(Kind::Later(before))
                } else {
                    let by = signed(place.head) - signed(before.place.head);
                    let known = Body(Kind::Later(before)).known(by);
                    self.later(place, around, known)
                }
            }
            _ => self.later(place, around, None),
        };
        // Few functions yield, and the kind of a function is needed before it is called.
        self.yields |= place.body.text(self.text).contains("yield") && body.yields();
        self.bodies.push(body.clone());
        body
    }

    fn later(
        &self,
        place: LargeFunction,
        around: Around,
        before: Option<(Arc<Statements>, isize)>,
    ) -> Body {
        Body(Kind::Later(Arc::new(Later {
            text: Arc::clone(self.text),
            place,
            around,
            before,
            read: OnceLock::new(),
        })))
    }
}

fn signed(place: usize) -> isize {
    isize::try_from(place).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{Script, StmtKind};
    use super::*;
    use crate::limits::PYTHON_BODY_BYTES;

    fn source(first: &str, second: &str) -> Arc<str> {
        let long = "        y = [i for i in f(x, k=2)]\n".repeat(PYTHON_BODY_BYTES / 32);
        format!(
            "class _K:\n    def f(self):\n{long}        {first}\n    @jit\n    def g(self):\n        \
             z = self.__z\n{long}        {second}\n\nx = 1\n"
        )
        .into()
    }

    /// The bodies of the two methods.
    fn bodies(script: &Script) -> Vec<&Body> {
        let Some(StmtKind::Class(class)) = script.body.first().map(|stmt| &stmt.kind) else {
            return Vec::new();
        };
        let of = |stmt: &'_ Stmt| match &stmt.kind {
            StmtKind::Function(function) => Some(Arc::clone(function)),
            _ => None,
        };
        assert_eq!(class.body.iter().filter_map(of).count(), 2);
        script.bodies.iter().collect()
    }

    #[test]
    fn a_version_of_a_file_is_read_as_a_new_file() {
        let first = source("return 1", "return 2");
        let mut before = Script::read(&first);
        for (one, other) in [
            ("return 10", "return 2"),
            ("return 10", "yield 2"),
            ("return (", "yield 2"),
            ("return 1", "return lambda: (yield)"),
            ("return 1", "return 2"),
        ] {
            let text = source(one, other);
            // Reading forces the bodies, which the next version then moves.
            let script = Script::read_after(&text, &before);
            assert_eq!(script, Script::read(&text), "{one} {other}");
            assert_eq!(bodies(&script).len(), 2);
            let last = script.bodies.last().and_then(|body| body.last());
            let end = last.map(|stmt| stmt.span.end).unwrap_or_default();
            assert_eq!(text.get(end..), Some("\n\nx = 1\n"), "{one} {other}");
            before = script;
        }
    }

    #[test]
    fn a_body_is_read_once_and_with_the_names_of_its_class() {
        let text = source("return 1", "return 2");
        let before = Script::read(&text);
        let is_read = |body: &Body| match &body.0 {
            Kind::Later(later) => later.read.get().is_some(),
            Kind::Read(_) => true,
        };
        assert!(!before.bodies.iter().any(is_read));
        let shown = format!("{:?}", before.bodies);
        assert!(shown.contains("_K__z"), "{shown}");
        let after = Script::read_after(&text, &before);
        assert!(after.bodies.iter().all(is_read));
    }
}
