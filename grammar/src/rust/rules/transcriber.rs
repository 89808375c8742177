//! The right side of a rule: the tokens that it gives for the parameters of a call.

use super::matcher::{Bound, Bounds, Part, part};
use super::trees::Tree;

/// The tokens that a body gives; `left` is the number of tokens that may still be made.
pub(super) fn transcribed<'t>(
    body: &[Tree<'t>],
    bound: &Bounds<'t>,
    left: &mut usize,
) -> Option<Vec<Tree<'t>>> {
    let mut made = Vec::new();
    let mut index = 0;
    while index < body.len() {
        let (part, next) = part(body, index, false)?;
        index = next;
        match part {
            Part::Token(Tree::Group { open, inner, close }) => made.push(Tree::Group {
                open: open.clone(),
                inner: transcribed(inner, bound, left)?,
                close: close.clone(),
            }),
            Part::Token(token) => {
                *left = left.checked_sub(1)?;
                made.push(token.clone());
            }
            Part::Parameter(name, _) => match bound.get(name) {
                Some(Bound::Once(tokens, is_operand)) => {
                    for tree in tokens {
                        tree.leaves(&mut |_| *left = left.saturating_sub(1));
                    }
                    *left = left.checked_sub(1)?;
                    if *is_operand {
                        made.extend(tokens.iter().cloned());
                    } else {
                        made.push(Tree::in_parentheses(tokens.clone()));
                    }
                }
                // `$crate` is the crate of the macro.
                None if name == "crate" => made.push(body.get(next - 1)?.clone()),
                Some(Bound::Each(_)) | None => return None,
            },
            Part::Repeated {
                inner, separator, ..
            } => repeated((inner, separator), bound, left, &mut made)?,
        }
    }
    Some(made)
}

/// Appends the passes of a repetition.
fn repeated<'t>(
    (inner, separator): (&[Tree<'t>], &[Tree<'t>]),
    bound: &Bounds<'t>,
    left: &mut usize,
    made: &mut Vec<Tree<'t>>,
) -> Option<()> {
    let mut passes = None;
    let mut names = Vec::new();
    named(inner, &mut names);
    for name in &names {
        if let Some(Bound::Each(each)) = bound.get(*name) {
            // All that are repeated together are so as often.
            if passes.is_some_and(|passes| passes != each.len()) {
                return None;
            }
            passes = Some(each.len());
        }
    }
    for pass in 0..passes? {
        let mut own = bound.clone();
        for name in &names {
            if let Some(Bound::Each(each)) = bound.get(*name) {
                own.insert((*name).to_owned(), each.get(pass)?.clone());
            }
        }
        if pass > 0 {
            made.extend(separator.iter().cloned());
        }
        made.extend(transcribed(inner, &own, left)?);
    }
    Some(())
}

/// The names of the parameters in a part of a body.
fn named<'a>(body: &'a [Tree<'_>], names: &mut Vec<&'a str>) {
    let mut index = 0;
    while let Some((part, next)) = part(body, index, false) {
        index = next;
        match part {
            Part::Parameter(name, _) => names.push(name),
            Part::Repeated { inner, .. } => named(inner, names),
            Part::Token(Tree::Group { inner, .. }) => named(inner, names),
            Part::Token(Tree::Leaf(_)) => {}
        }
    }
}
