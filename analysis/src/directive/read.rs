//! Reading the text of a directive.

use tree_sitter_cute::cuda;
use tree_sitter_cute::script::{ExprKind, Script, StmtKind};
use tree_sitter_cute::tree::{Comment, Expr, Item, ItemKind, Span, Unit};

use super::DirectiveKind;
use crate::assume::Assumption;
use crate::rules::Rule;
use crate::sources::SourceFile;

/// The words that a directive begins with.
const ORDERS: &str = "`assume`, `allow`, `instantiate` or `run`";

/// The text in the brackets of `allow`.
const A_RULE: &str = "the name of a rule, such as `over-covers`";

/// The start of the text of a directive.
const MARK: &str = "cute:";

/// Whether a text has the mark of a directive anywhere; `cute::` is C++.
pub(super) fn may_have_directives(text: &str) -> bool {
    let mut marks = text.match_indices(MARK);
    marks.any(|(at, _)| text.as_bytes().get(at + MARK.len()) != Some(&b':'))
}

/// The directive of a comment, if it is one: if its text starts with `cute:`.
pub(super) fn directive(file: &SourceFile, comment: &Comment) -> Option<DirectiveKind> {
    let content = file.slice(comment.content);
    let text = Text {
        text: content,
        start: comment.content.start,
    };
    // The third mark of `///` and `//!` belongs to the language.
    let said =
        text.skip(content.len() - content.trim_start_matches(['/', '!', '*', ' ', '\t']).len());
    let order = said.after(MARK)?;
    // `cute::` is C++.
    if order.text.starts_with(':') {
        return None;
    }
    let order = order.trimmed();
    let word = order.word();
    let rest = order.skip(word.len());
    Some(match word {
        "assume" => assume(rest),
        "allow" => allow(rest),
        // A comment of Python begins with a `#`.
        "instantiate" if file.slice(comment.span).starts_with('#') => make(rest.trimmed()),
        "instantiate" => instantiate(rest.trimmed()),
        "run" => match rest.text.parse() {
            Ok(order) => DirectiveKind::Run(order),
            Err(error) => malformed(rest, error.position, error.expected),
        },
        _ => malformed(order, 0, ORDERS),
    })
}

/// A piece of a comment, and where it starts.
#[derive(Debug, Clone, Copy)]
struct Text<'t> {
    text: &'t str,
    start: usize,
}

impl<'t> Text<'t> {
    fn skip(self, bytes: usize) -> Self {
        Self {
            text: self.text.get(bytes..).unwrap_or_default(),
            start: self.start + bytes,
        }
    }

    fn after(self, prefix: &str) -> Option<Self> {
        self.text
            .starts_with(prefix)
            .then(|| self.skip(prefix.len()))
    }

    /// Without white space around it.
    fn trimmed(self) -> Self {
        let inner = self.skip(self.text.len() - self.text.trim_start().len());
        Self {
            text: inner.text.trim_end(),
            ..inner
        }
    }

    /// The letters that it starts with.
    fn word(self) -> &'t str {
        let end = self
            .text
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(self.text.len());
        self.text.get(..end).unwrap_or_default()
    }

    fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }
}

/// The error for an unexpected byte of `text`, with the expected text.
fn malformed(text: Text<'_>, position: usize, expected: impl Into<String>) -> DirectiveKind {
    DirectiveKind::Malformed {
        span: text.skip(position).span(),
        expected: expected.into(),
    }
}

fn assume(facts: Text<'_>) -> DirectiveKind {
    let mut read = Vec::new();
    let mut rest = facts;
    loop {
        let length = rest.text.find(',').unwrap_or(rest.text.len());
        let part = Text {
            text: rest.text.get(..length).unwrap_or_default(),
            ..rest
        };
        match part.text.parse::<Assumption>() {
            Ok(fact) => read.push((fact, part.trimmed().span())),
            Err(error) => {
                let expected = format!("{} (as in m=5120, ldA % 8 == 0, K >= 64)", error.expected);
                return malformed(part, error.position, expected);
            }
        }
        if length == rest.text.len() {
            return DirectiveKind::Assume(read);
        }
        rest = rest.skip(length + 1);
    }
}

/// A call in Python.
fn make(call: Text<'_>) -> DirectiveKind {
    let script = Script::read(call.text);
    match script.body.as_slice() {
        [only] if matches!(&only.kind, StmtKind::Expr(value) if matches!(value.kind, ExprKind::Call(..))) => {
            DirectiveKind::Make(call.span())
        }
        _ => malformed(call, 0, "a call: `Kernel(BFloat16, 128)`"),
    }
}

fn allow(rules: Text<'_>) -> DirectiveKind {
    let rules = rules.trimmed();
    let Some(inside) = rules.after("(") else {
        return malformed(rules, 0, "`(rule, ...)`");
    };
    let Some(end) = inside.text.find(')') else {
        return malformed(inside, inside.text.len(), "`)`");
    };
    let mut names = Vec::new();
    let mut at = 0;
    for name in inside.text.get(..end).unwrap_or_default().split(',') {
        let trimmed = name.trim();
        let is_rule = !trimmed.is_empty()
            && trimmed
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !is_rule {
            return malformed(inside, at, A_RULE);
        }
        if !Rule::is_known(trimmed) {
            let expected = match Rule::most_like(trimmed) {
                Some(rule) => format!("a rule; the nearest is `{}`", rule.name),
                None => A_RULE.to_owned(),
            };
            return malformed(inside, at + name.len() - name.trim_start().len(), expected);
        }
        names.push(trimmed.to_owned());
        at += name.len() + 1;
    }
    DirectiveKind::Allow(names)
}

fn instantiate(target: Text<'_>) -> DirectiveKind {
    const EXPECTED: &str = "a template with its arguments, `NAME<...>`";
    let expr = match cuda::parse_expression(target.text) {
        Ok(expr) => expr,
        Err(error) => return malformed(target, error.span.start, EXPECTED),
    };
    let has_arguments = expr
        .as_path()
        .and_then(|path| path.last())
        .is_some_and(|last| last.args.is_some());
    if !has_arguments {
        return malformed(target, 0, EXPECTED);
    }
    match moved(expr, target.start) {
        Some(moved) => DirectiveKind::Instantiate(moved),
        None => malformed(target, 0, EXPECTED),
    }
}

/// An expression that was read from a separate text, at its place in the space of all files.
pub(crate) fn moved(expr: Expr, by: usize) -> Option<Expr> {
    // Only whole units move.
    let place = expr.span;
    let mut unit = Unit {
        items: vec![Item::new(ItemKind::Expr(expr), place)],
        ..Unit::default()
    };
    unit.shift(by);
    match unit.items.pop().map(|item| item.kind) {
        Some(ItemKind::Expr(moved)) => Some(moved),
        _ => None,
    }
}
