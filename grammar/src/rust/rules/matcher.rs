//! The left side of a rule: what each of its parameters is in a call.

use std::collections::HashMap;

use super::trees::Tree;

/// Levels of repetitions in one another.
const LEVELS: usize = 8;

/// A parameter in a call.
#[derive(Debug, Clone)]
pub(super) enum Bound<'t> {
    /// The tokens, and whether they are one operand whatever is beside them.
    Once(Vec<Tree<'t>>, bool),
    /// One for each pass of a repetition.
    Each(Vec<Bound<'t>>),
}

/// The parameters by their names.
pub(super) type Bounds<'t> = HashMap<String, Bound<'t>>;

/// A part of a rule.
pub(super) enum Part<'a, 't> {
    Token(&'a Tree<'t>),
    /// `$name`, of a matcher with its kind: `$name:expr`.
    Parameter(&'a str, Option<&'a str>),
    /// `$( .. ) separator op`
    Repeated {
        inner: &'a [Tree<'t>],
        separator: &'a [Tree<'t>],
        is_optional: bool,
    },
}

/// The part that begins at an index, and the index behind it.
pub(super) fn part<'a, 't>(
    rule: &'a [Tree<'t>],
    at: usize,
    has_kinds: bool,
) -> Option<(Part<'a, 't>, usize)> {
    let first = rule.get(at)?;
    if !first.is_mark("$") {
        return Some((Part::Token(first), at + 1));
    }
    match rule.get(at + 1)? {
        Tree::Group { open, inner, .. } if open.text == "(" => {
            let rest = rule.get(at + 2..)?;
            let is_op = |tree: &&Tree<'_>| ["*", "+", "?"].iter().any(|op| tree.is_mark(op));
            let mut length = rest.iter().take_while(|tree| !is_op(tree)).count();
            // `$(..)+*`: the separator is itself such a mark.
            if length == 0
                && rest
                    .get(1)
                    .is_some_and(|next| is_op(&next) && next.touches(&rest[0]))
            {
                length = 1;
            }
            let separator = rest.get(..length)?;
            let op = rest.get(length)?;
            let repeated = Part::Repeated {
                inner,
                separator,
                is_optional: op.is_mark("?"),
            };
            Some((repeated, at + 3 + length))
        }
        name => {
            let name = name.word()?;
            if !has_kinds {
                return Some((Part::Parameter(name, None), at + 2));
            }
            if !rule.get(at + 2)?.is_mark(":") {
                return None;
            }
            let kind = rule.get(at + 3)?.word()?;
            Some((Part::Parameter(name, Some(kind)), at + 4))
        }
    }
}

/// The parameters of a rule in a call; `None` where it does not match.
pub(super) fn matched<'t>(pattern: &[Tree<'t>], call: &[Tree<'t>]) -> Option<Bounds<'t>> {
    let mut bound = Bounds::new();
    let end = match_from(pattern, call, 0, (&mut bound, 0))?;
    (end == call.len()).then_some(bound)
}

/// Matches a pattern from a token of the call; the index behind it.
fn match_from<'t>(
    pattern: &[Tree<'t>],
    call: &[Tree<'t>],
    mut at: usize,
    (bound, level): (&mut Bounds<'t>, usize),
) -> Option<usize> {
    let mut index = 0;
    while index < pattern.len() {
        let (part, next) = part(pattern, index, true)?;
        index = next;
        match part {
            Part::Token(Tree::Group { open, inner, .. }) => {
                let Tree::Group {
                    open: own,
                    inner: given,
                    ..
                } = call.get(at)?
                else {
                    return None;
                };
                let is_whole = own.text == open.text
                    && match_from(inner, given, 0, (&mut *bound, level))? == given.len();
                if !is_whole {
                    return None;
                }
                at += 1;
            }
            Part::Token(token) => {
                if !call.get(at)?.is_same(token) {
                    return None;
                }
                at += 1;
            }
            Part::Parameter(name, kind) => {
                let rest = call.get(at..)?;
                let kind = kind?;
                let length = extent(kind, rest)?;
                let tokens = rest.get(..length)?.to_vec();
                let is_operand = kind != "expr" || length == 1;
                bound.insert(name.to_owned(), Bound::Once(tokens, is_operand));
                at += length;
            }
            Part::Repeated {
                inner,
                separator,
                is_optional,
            } => {
                if level >= LEVELS {
                    return None;
                }
                at = repeated(
                    (inner, separator, is_optional),
                    call,
                    at,
                    (bound, level + 1),
                );
            }
        }
    }
    Some(at)
}

/// Matches a repetition as often as it goes.
fn repeated<'t>(
    (inner, separator, is_optional): (&[Tree<'t>], &[Tree<'t>], bool),
    call: &[Tree<'t>],
    mut at: usize,
    (bound, level): (&mut Bounds<'t>, usize),
) -> usize {
    let mut passes: Vec<Bounds<'t>> = Vec::new();
    loop {
        let mut from = at;
        if !passes.is_empty() && !separator.is_empty() {
            let given = call.get(at..at + separator.len()).unwrap_or_default();
            let mut pairs = given.iter().zip(separator);
            if given.is_empty() || !pairs.all(|(own, wanted)| own.is_same(wanted)) {
                break;
            }
            from += separator.len();
        }
        let mut own = Bounds::new();
        match match_from(inner, call, from, (&mut own, level)) {
            Some(end) if end > from => {
                at = end;
                passes.push(own);
            }
            _ => break,
        }
        if is_optional {
            break;
        }
    }
    for name in names_in(inner) {
        let each = passes.iter_mut().filter_map(|pass| pass.remove(&name));
        let each = each.collect();
        bound.insert(name, Bound::Each(each));
    }
    at
}

/// The names of the parameters in a pattern.
fn names_in(pattern: &[Tree<'_>]) -> Vec<String> {
    let mut names = Vec::new();
    let mut index = 0;
    while let Some((part, next)) = part(pattern, index, true) {
        index = next;
        match part {
            Part::Parameter(name, _) => names.push(name.to_owned()),
            Part::Repeated { inner, .. } => names.extend(names_in(inner)),
            Part::Token(Tree::Group { inner, .. }) => names.extend(names_in(inner)),
            Part::Token(Tree::Leaf(_)) => {}
        }
    }
    names
}

/// The tokens that a parameter of a kind takes; `None` where it takes none of these.
fn extent(kind: &str, rest: &[Tree<'_>]) -> Option<usize> {
    let until = |ends: &[&str]| {
        let is_end = |tree: &Tree<'_>| ends.iter().any(|end| tree.is_mark(end));
        // The `=` of `==`, `<=`, `>=` and `!=` ends nothing.
        let length = rest.iter().take_while(|tree| !is_end(tree)).count();
        (length > 0).then_some(length)
    };
    match kind {
        "ident" => rest.first()?.word().map(|_| 1),
        "tt" => (!rest.is_empty()).then_some(1),
        "lifetime" => rest.first()?.is_lifetime().then_some(1),
        "block" => rest.first()?.is_block().then_some(1),
        "literal" => {
            let sign = usize::from(rest.first()?.is_mark("-"));
            rest.get(sign)?.is_literal().then_some(sign + 1)
        }
        "vis" => Some(visibility(rest)),
        // What is behind an expression is `=>`, `,` or `;`.
        "expr" | "expr_2021" | "stmt" => {
            let length = expression(rest);
            (length > 0).then_some(length)
        }
        "ty" | "path" => {
            let length = type_extent(rest);
            (length > 0).then_some(length)
        }
        "pat" | "pat_param" => {
            let length = rest.iter().take_while(|tree| {
                !tree.is_mark(",")
                    && !tree.is_mark("=")
                    && !matches!(tree.word(), Some("if" | "in"))
            });
            let length = length.count();
            (length > 0).then_some(length)
        }
        "meta" => until(&[",", ";"]),
        "item" => {
            let last = rest
                .iter()
                .position(|tree| tree.is_mark(";") || tree.is_block())?;
            Some(last + 1)
        }
        _ => None,
    }
}

/// The tokens of an expression: what is behind it is `=>`, `,` or `;`.
fn expression(rest: &[Tree<'_>]) -> usize {
    let mut angles = 0_usize;
    for (index, tree) in rest.iter().enumerate().skip(parameters(rest)) {
        let next = rest.get(index + 1);
        if tree.is_mark(";") || tree.is_mark(",") && angles == 0 {
            return index;
        }
        if tree.is_mark("=") && next.is_some_and(|next| next.is_mark(">") && next.touches(tree)) {
            return index;
        }
        // `f::<A, B>(x)`: the comma is between arguments of a type.
        let is_path = index >= 2
            && rest
                .get(index - 1)
                .is_some_and(|before| before.is_mark(":"))
            && rest
                .get(index - 2)
                .is_some_and(|before| before.is_mark(":"));
        if tree.is_mark("<") && (angles > 0 || is_path) {
            angles += 1;
        } else if tree.is_mark(">") && angles > 0 {
            angles -= 1;
        }
    }
    rest.len()
}

/// The tokens of the parameters of a closure: `move |x, y|`.
fn parameters(rest: &[Tree<'_>]) -> usize {
    let word = usize::from(
        rest.first()
            .is_some_and(|first| first.word() == Some("move")),
    );
    let is_bar = |tree: &Tree<'_>| tree.is_mark("|");
    match rest.get(word) {
        Some(first) if is_bar(first) => {
            let inside = rest.iter().skip(word + 1);
            let length = inside.take_while(|tree| !is_bar(tree)).count();
            word + 1 + length
        }
        _ => 0,
    }
}

/// The tokens of a type or a path.
fn type_extent(rest: &[Tree<'_>]) -> usize {
    let mut angles = 0_usize;
    for (index, tree) in rest.iter().enumerate() {
        let ends = [",", "=", ";", "|", ">"]
            .iter()
            .any(|end| tree.is_mark(end))
            || tree.is_block()
            || matches!(tree.word(), Some("as" | "where"))
            || tree.is_mark(":") && !is_double_colon(rest, index);
        let before = index.checked_sub(1).and_then(|before| rest.get(before));
        let is_arrow = tree.is_mark(">")
            && before.is_some_and(|before| before.is_mark("-") && tree.touches(before));
        if angles == 0 && ends && !is_arrow {
            return index;
        }
        if tree.is_mark("<") {
            angles += 1;
        } else if tree.is_mark(">") && !is_arrow {
            angles = angles.saturating_sub(1);
        }
    }
    rest.len()
}

/// Whether a colon is one of two.
fn is_double_colon(rest: &[Tree<'_>], index: usize) -> bool {
    let is_colon = |at: Option<usize>| {
        let tree = at.and_then(|at| rest.get(at));
        tree.is_some_and(|tree| tree.is_mark(":"))
    };
    is_colon(index.checked_sub(1)) || is_colon(index.checked_add(1))
}

/// The tokens of `pub`, `pub(crate)` or nothing.
fn visibility(rest: &[Tree<'_>]) -> usize {
    match rest {
        [first, Tree::Group { open, .. }, ..]
            if first.word() == Some("pub") && open.text == "(" =>
        {
            2
        }
        [first, ..] if first.word() == Some("pub") => 1,
        _ => 0,
    }
}
