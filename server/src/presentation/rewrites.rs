//! Other ways to write the same source: a value in the place of its expression, fewer modes, an assertion that keeps a
//! value.
//!
//! The rewrites made here are proposals. Whoever offers one proves it first: the edited source is analysed, and
//! [`Rewrite::holds`] compares.

use cute_algebra::ops::coalesce::coalesce;
use cute_algebra::{Int, LayoutView};
use cute_analysis::{Analysis, Edit, Fact, Role, Value, shape_and_stride_in_python};
use tree_sitter_cute::tree::{
    ExprKind, Ident, Item, ItemKind, Span, UnaryOp, Unit, Visitor, walk_item, walk_unit,
};

/// The kind of a rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The value replaces the expression; it stays the same.
    Inline,
    /// The value becomes its coalesced form: the same function of an index.
    Coalesce,
    /// A `static_assert` is added.
    Pin,
    /// An assertion of a run-time condition is added.
    Assert,
    /// A comment with an assumption is added; it decides an open condition.
    Assume,
    /// A comment is added that states a run-time truth value; it makes a value known.
    Decide,
    /// A comment with the value of a name is added.
    Describe,
    /// A layout replaces numbers that were written by hand: the same function.
    Infer,
    /// The index of a plain access becomes a layout of CuTe: each thread goes to the same place.
    AsCute,
    /// A comment is added that asks for the instance which was supposed.
    Instantiate,
}

/// A rewrite of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// Its title, as a menu shows it.
    pub title: String,
    /// The kind of rewrite.
    pub kind: Kind,
    /// The edit.
    pub edit: Edit,
    /// The name whose value it is about; for an assumption, the condition that it decides.
    pub(super) name: Span,
}

/// Proposals for the declaration at a byte of the source.
pub fn rewrites(analysis: &Analysis, text: &str, byte: usize) -> Vec<Rewrite> {
    let mut found = Vec::new();
    let declared = analysis.facts.iter().filter(|fact| {
        fact.role == Role::Var && (fact.span.contains(byte) || fact.name_span.end == byte)
    });
    let Some(fact) = declared.min_by_key(|fact| fact.span.len()) else {
        return found;
    };
    let instances = analysis.facts_at(fact.name_span.start);
    // With several instances no one literal is all their values.
    if instances.iter().any(|other| other.value != fact.value) {
        return found;
    }
    let Value::Layout(layout) = &*fact.value else {
        return found;
    };
    let Some(written) = written(layout.view()) else {
        return found;
    };
    let propose = |title: String, kind, span, new_text: String| Rewrite {
        title,
        kind,
        edit: Edit { span, new_text },
        name: fact.name_span,
    };
    if let Some(initialiser) = initialiser(analysis, fact) {
        if initialiser.text(text) != written {
            let title = format!("Replace it with its value {layout}");
            found.push(propose(title, Kind::Inline, initialiser, written.clone()));
        }
        if let Ok(simple) = coalesce(layout)
            && simple != **layout
            && let Some(written) = self::written(simple.view())
        {
            let title = format!("Replace it with the coalesced form {simple}");
            found.push(propose(title, Kind::Coalesce, initialiser, written));
        }
    }
    if let Some(end) = end_of_statement(text, fact.span.end) {
        let indent = indent(text, fact.span.start);
        let assertion = format!(
            "\n{indent}static_assert(is_same_v<decltype({}), {}>);",
            fact.name,
            written.trim_end_matches("{}")
        );
        let title = format!("Assert that {} stays {layout}", fact.name);
        found.push(propose(title, Kind::Pin, Span::new(end, end), assertion));
    }
    found
}

/// `assert_eq!(tile, cute_algebra::layout!((4, 8):(8, 1)));` behind the declaration of a Rust layout that is one of
/// `cute-algebra` for certain: a literal, or the value that `?`, `unwrap` or `expect` took out of a result.
pub fn rust_assertion(
    analysis: &Analysis,
    unit: &Unit,
    text: &str,
    byte: usize,
) -> Option<Rewrite> {
    struct Declared {
        byte: usize,
        binding: Option<(Ident, Span, bool)>,
    }
    impl Visitor for Declared {
        fn item(&mut self, item: &Item) {
            if !item.span.contains(self.byte) {
                return;
            }
            if let ItemKind::Binding(binding) = &item.kind
                && let (Some(name), Some(init)) = (&binding.name, &binding.init)
            {
                let is_plain = match &init.kind {
                    ExprKind::Macro(call) => call
                        .path
                        .last()
                        .is_some_and(|last| last.name.name == "layout"),
                    ExprKind::Unary(UnaryOp::Try, _) => true,
                    ExprKind::Call(callee, _) => match &callee.kind {
                        ExprKind::Member { member, .. } => {
                            matches!(member.name.name.as_str(), "unwrap" | "expect")
                        }
                        _ => false,
                    },
                    _ => false,
                };
                self.binding = Some((name.clone(), binding.span, is_plain));
            }
            walk_item(self, item);
        }
    }
    let is_of_crate = unit.items.iter().any(|item| match &item.kind {
        ItemKind::Using(using) => using.path.as_path().is_some_and(|path| {
            let first = path.segments.first();
            first.is_some_and(|first| first.name.name == "cute_algebra")
        }),
        _ => false,
    });
    let mut declared = Declared {
        byte,
        binding: None,
    };
    walk_unit(&mut declared, unit);
    let (name, span, true) = declared.binding.filter(|_| is_of_crate)? else {
        return None;
    };
    let facts = analysis.facts_at(name.span.start);
    let Value::Layout(layout) = &*facts.first()?.value else {
        return None;
    };
    let agree = facts
        .iter()
        .all(|fact| *fact.value == Value::Layout(layout.clone()));
    if !agree || !layout.is_static() {
        return None;
    }
    let end = end_of_statement(text, span.end)?;
    let indent = indent(text, span.start);
    // A `_` marks a static integer; in the macro every integer is static.
    let literal = format!("{layout:#}");
    Some(Rewrite {
        title: format!("Assert that {} stays {layout}", name.name),
        kind: Kind::Pin,
        edit: Edit {
            span: Span::new(end, end),
            new_text: format!(
                "\n{indent}assert_eq!({}, cute_algebra::layout!({literal}));",
                name.name
            ),
        },
        name: name.span,
    })
}

/// `assert (tile.shape, tile.stride) == ((4, 8), (8, 1))` behind the statement that names a static layout
/// in Python: both are tuples of integers while the DSL traces.
pub fn python_assertion(analysis: &Analysis, text: &str, byte: usize) -> Option<Rewrite> {
    let declared = analysis.facts.iter().filter(|fact| {
        fact.role == Role::Var && (fact.span.contains(byte) || fact.name_span.end == byte)
    });
    let fact = declared.min_by_key(|fact| fact.span.len())?;
    let Value::Layout(layout) = &*fact.value else {
        return None;
    };
    let instances = analysis.facts_at(fact.name_span.start);
    let agree = instances.iter().all(|other| other.value == fact.value);
    if !agree || !layout.is_static() || fact.span.start != fact.name_span.start {
        return None;
    }
    let [shape, stride] = shape_and_stride_in_python(layout)?;
    // The whole statement, and at most a comment behind it on its line.
    let line = text
        .get(fact.span.end..)?
        .lines()
        .next()
        .unwrap_or_default();
    if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
        return None;
    }
    let end = fact.span.end + line.len();
    let (indent, name) = (indent(text, fact.span.start), &fact.name);
    Some(Rewrite {
        title: format!("Assert that {name} stays {layout}"),
        kind: Kind::Pin,
        edit: Edit {
            span: Span::new(end, end),
            new_text: format!(
                "\n{indent}assert ({name}.shape, {name}.stride) == ({shape}, {stride})"
            ),
        },
        name: fact.name_span,
    })
}

impl Rewrite {
    /// Whether the edited source keeps the promise of the rewrite: there is no new finding, and the name still has its
    /// value, or an equal function.
    pub fn holds(&self, before: &Analysis, after: &Analysis) -> bool {
        if after.findings.len() > before.findings.len() {
            return false;
        }
        // The numbers were compared, and the new text has the value of the layout.
        if self.kind == Kind::Infer {
            return true;
        }
        if self.kind == Kind::AsCute {
            return super::as_cute::is_the_same(self, before, after);
        }
        if self.kind == Kind::Assert {
            return after.facts.len() == before.facts.len();
        }
        // Text before the edit keeps its place; text behind it moves.
        let moved = if self.edit.span.start <= self.name.start {
            self.name.start + self.edit.new_text.len() - self.edit.span.len()
        } else {
            self.name.start
        };
        let value = |analysis: &Analysis, byte| {
            let facts = analysis.facts_at(byte);
            facts.first().map(|fact| fact.value.clone())
        };
        if self.kind == Kind::Assume {
            let open = |analysis: &Analysis, span| {
                let mut open = analysis.preconditions.iter();
                open.any(|found| found.span == span)
            };
            let by = self.edit.new_text.len();
            let moved = Span::new(self.name.start + by, self.name.end + by);
            return open(before, self.name) && !open(after, moved);
        }
        if self.kind == Kind::Instantiate {
            let facts = after.facts_at(moved);
            return facts
                .iter()
                .any(|fact| !fact.is_supposed() && fact.reason().is_none());
        }
        let (Some(was), Some(is)) = (value(before, self.name.start), value(after, moved)) else {
            return false;
        };
        match self.kind {
            Kind::AsCute | Kind::Assume | Kind::Assert | Kind::Infer | Kind::Instantiate => false,
            Kind::Decide => {
                matches!(&*was, Value::Unknown(_)) && !matches!(&*is, Value::Unknown(_))
            }
            Kind::Inline | Kind::Pin | Kind::Describe => was == is,
            Kind::Coalesce => match (&*was, &*is) {
                (Value::Layout(was), Value::Layout(is)) => coalesce(was).as_ref() == Ok(&**is),
                _ => false,
            },
        }
    }
}

/// The expression that a declared name is initialised with: the largest one behind the name.
fn initialiser(analysis: &Analysis, fact: &Fact) -> Option<Span> {
    let inside = analysis.mentions().iter().filter(|mention| {
        fact.span.encloses(mention.span)
            && mention.span.start >= fact.name_span.end
            && mention.value == fact.value
    });
    Some(inside.max_by_key(|mention| mention.span.len())?.span)
}

/// A static layout as C++ writes it; nothing where a part is known only at run time.
fn written(layout: LayoutView<'_>) -> Option<String> {
    let shape = tuple(layout, "Shape", &|leaf| Some(leaf.as_leaf()?.0.clone()))?;
    let stride = tuple(layout, "Stride", &|leaf| {
        Some(leaf.as_leaf()?.1.as_int()?.clone())
    })?;
    Some(format!("Layout<{shape}, {stride}>{{}}"))
}

fn tuple(
    layout: LayoutView<'_>,
    name: &str,
    leaf: &dyn Fn(LayoutView<'_>) -> Option<Int>,
) -> Option<String> {
    if layout.is_leaf() {
        let int = leaf(layout)?;
        return int
            .is_static()
            .then(|| int.value())
            .flatten()
            .map(|value| format!("Int<{value}>"));
    }
    let modes: Option<Vec<String>> = layout.modes().map(|mode| tuple(mode, name, leaf)).collect();
    Some(format!("{name}<{}>", modes?.join(", ")))
}

/// The byte behind the semicolon that ends a statement, if nothing but blanks is before it.
fn end_of_statement(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    if text.get(..from)?.ends_with(';') {
        return Some(from);
    }
    let blanks = rest.len() - rest.trim_start().len();
    rest.trim_start()
        .starts_with(';')
        .then_some(from + blanks + 1)
}

pub(super) fn start_of_line(text: &str, byte: usize) -> usize {
    let before = text.get(..byte).unwrap_or_default();
    before.rfind(['\n', '\r']).map_or(0, |at| at + 1)
}

pub(super) fn indent(text: &str, byte: usize) -> &str {
    let line = text.get(start_of_line(text, byte)..).unwrap_or_default();
    let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blanks).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use cute_algebra::Layout;

    use super::*;

    #[test]
    fn a_layout_of_rust_is_asserted_where_it_is_one_for_certain() {
        use cute_analysis::{Alone, Options, SourceFile, analyse};
        use tree_sitter_cute::{Budget, Host, Syntax};
        let asserted = |init: &str| {
            let text = format!(
                "use cute_algebra::{{layout, ops::coalesce}};\nfn f() {{\n    let tile = {init};\n}}\n"
            );
            let syntax = Syntax::parse(Host::Rust, &text, None, Budget::unlimited()).unwrap();
            let options = Options {
                host: Host::Rust,
                ..Options::default()
            };
            let unit = syntax.lower(&text);
            let file = SourceFile::analysed("test.rs", text.as_str(), syntax.lower(&text));
            let analysis = analyse(&file, &Alone, &options);
            let at = text.find("tile").unwrap();
            let found = rust_assertion(&analysis, &unit, &text, at)?;
            assert!(found.edit.new_text.starts_with("\n    assert_eq!(tile, "));
            Some(found.edit.new_text.trim_start().to_owned())
        };
        assert_eq!(
            asserted("layout!((4, (2, 4)):(1, (4, 8)))").as_deref(),
            Some("assert_eq!(tile, cute_algebra::layout!((4,(2,4)):(1,(4,8))));")
        );
        assert_eq!(
            asserted("coalesce(&layout!((4, 8):(1, 4)))?").as_deref(),
            Some("assert_eq!(tile, cute_algebra::layout!(32:1));")
        );
        // A result that is not a layout.
        assert_eq!(asserted("coalesce(&layout!((4, 8):(1, 4)))"), None);
    }

    #[test]
    fn a_layout_of_python_is_asserted_by_its_shape_and_stride() {
        use cute_analysis::{Alone, Options, SourceFile, analyse};
        use tree_sitter_cute::{Budget, Host, Syntax};
        let analysed = |text: &str| {
            let syntax = Syntax::parse(Host::Python, text, None, Budget::unlimited()).unwrap();
            let options = Options {
                host: Host::Python,
                ..Options::default()
            };
            let file = SourceFile::analysed("test.py", text, syntax.lower(text));
            analyse(&file, &Alone, &options)
        };
        let text = "import cutlass.cute as cute\n\n@cute.jit\ndef f(n: cute.Int32):\n    \
                    tile = cute.make_layout((4, (2, 8)), stride=(16, (1, 2)))  # the tile\n    \
                    open = cute.make_layout((4, n))\n    return tile\n";
        let before = analysed(text);
        let at = |name: &str| text.find(name).unwrap();
        let found = python_assertion(&before, text, at("tile")).unwrap();
        assert_eq!(
            found.edit.new_text,
            "\n    assert (tile.shape, tile.stride) == ((4, (2, 8)), (16, (1, 2)))"
        );
        let mut edited = text.to_owned();
        let Span { start, end } = found.edit.span;
        edited.replace_range(start..end, &found.edit.new_text);
        assert!(edited.contains("# the tile\n    assert "), "{edited}");
        assert!(found.holds(&before, &analysed(&edited)));
        assert_eq!(python_assertion(&before, text, at("open =")), None);
    }

    #[test]
    fn a_static_layout_is_written_in_full() {
        let written = |text: &str| written(text.parse::<Layout>().unwrap().view());
        assert_eq!(
            written("((_2,_4),_8):((_1,_16),_2)").as_deref(),
            Some(
                "Layout<Shape<Shape<Int<2>, Int<4>>, Int<8>>, Stride<Stride<Int<1>, Int<16>>, Int<2>>>{}"
            )
        );
        assert_eq!(
            written("_8:_1").as_deref(),
            Some("Layout<Int<8>, Int<1>>{}")
        );
        assert_eq!(written("(_8,M):(_1,_8)"), None);
        assert_eq!(written("(_8,_4):(1@0,1@1)"), None);
    }
}
