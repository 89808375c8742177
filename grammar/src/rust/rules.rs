//! Calls of macros that `macro_rules!` defines, expanded by the rule that they match and read as Rust.
//!
//! The result has the spans of the source: an argument is where the call has it, the rest is where the rule is written.
//! The reference is The Rust Reference, "Macros by example".

mod matcher;
mod transcriber;
mod trees;

use crate::assembled::Assembled;
use crate::limits::{EXPANSION_DEPTH, EXPANSION_TOKENS};
use crate::tree::{Expr, Item, ItemKind, Shift, Span};
use crate::{Budget, Host, Syntax};

use self::matcher::matched;
use self::trees::{Tree, trees};

/// Bytes that are read in the time in which a token is made.
const BYTES_OF_TOKEN: usize = 16;

/// The rules of a macro.
#[derive(Debug, Clone, Copy)]
pub struct RulesText<'t> {
    /// The text of the definition, from `macro_rules!` to the bracket that closes the rules.
    pub text: &'t str,
    /// Its start in the source.
    pub start: usize,
}

/// A call of a macro.
#[derive(Debug, Clone, Copy)]
pub struct RulesCall<'t> {
    /// The rules of the macro.
    pub rules: RulesText<'t>,
    /// The call, from the name of the macro to the bracket that closes it.
    pub call: &'t str,
    /// The start of that text.
    pub call_start: usize,
}

/// The macros in force by their names.
pub type RulesByName<'f, 't> = dyn Fn(&str) -> Option<RulesText<'t>> + 'f;

impl<'t> RulesCall<'t> {
    /// The expansion, where it is an expression; `macros` are those in force.
    ///
    /// ```
    /// # use tree_sitter_cute::rust::{RulesCall, RulesText};
    /// let rules = RulesText { text: "macro_rules! at { ($r:expr, $c:expr) => { $r * 33 + $c }; }", start: 0 };
    /// let call = RulesCall { rules, call: "at!(ty + 1, tx)", call_start: 100 };
    /// let index = call.expression(&|_| None).unwrap();
    /// assert_eq!(index.to_string(), "(((ty + 1) * 33) + tx)");
    /// ```
    pub fn expression(&self, macros: &RulesByName<'_, 't>) -> Option<Expr> {
        let expansion = self.expanded(macros)?;
        let mut expr = super::parse_expression(&expansion.text).ok()?;
        expr.map_spans(&|span| expansion.origin(span));
        Some(expr)
    }

    /// The statements that the expansion is.
    pub fn statements(&self, macros: &RulesByName<'_, 't>) -> Option<Vec<Item>> {
        const FRAME: (&str, &str) = ("fn f() {", "\n;}");
        let expansion = self.expanded(macros)?;
        let text = [FRAME.0, &expansion.text, FRAME.1].concat();
        let [item] = <[Item; 1]>::try_from(file(&text)?).ok()?;
        let ItemKind::Function(function) = item.kind else {
            return None;
        };
        let mut items = function.body?;
        let place = |at: usize| at.saturating_sub(FRAME.0.len());
        items.map_spans(&|span| expansion.origin(Span::new(place(span.start), place(span.end))));
        Some(items)
    }

    /// The items of a file or a module that the expansion is.
    pub fn items(&self, macros: &RulesByName<'_, 't>) -> Option<Vec<Item>> {
        let expansion = self.expanded(macros)?;
        let mut items = file(&expansion.text)?;
        items.map_spans(&|span| expansion.origin(span));
        Some(items)
    }

    fn expanded(&self, macros: &RulesByName<'_, 't>) -> Option<Assembled> {
        let call = trees(self.call, self.call_start)?;
        let mut left = EXPANSION_TOKENS;
        let made = expanded(self.rules, arguments_of(&call)?, macros, (0, &mut left))?;
        let end = self.call_start + self.call.len();
        let mut assembled = Assembled::new(Span::new(self.call_start, end));
        for tree in &made {
            tree.leaves(&mut |leaf| assembled.add(&leaf.text, leaf.gap, leaf.origin, ' '));
        }
        assembled.within_limit()
    }
}

/// The items of a text, read as a file; `None` where it is not one.
fn file(text: &str) -> Option<Vec<Item>> {
    let syntax = Syntax::parse(Host::Rust, text, None, Budget::unlimited()).ok()?;
    let unit = syntax.lower(text);
    unit.errors.is_empty().then_some(unit.items)
}

/// The tokens that a call is given: those in its brackets.
fn arguments_of<'a, 't>(call: &'a [Tree<'t>]) -> Option<&'a [Tree<'t>]> {
    let bang = call.iter().position(|tree| tree.is_mark("!"))?;
    match call.get(bang + 1)? {
        Tree::Group { inner, .. } => Some(inner),
        Tree::Leaf(_) => None,
    }
}

/// The tokens of the first rule that the arguments match, with calls of macros in them expanded.
fn expanded<'t>(
    rules: RulesText<'t>,
    arguments: &[Tree<'t>],
    macros: &RulesByName<'_, 't>,
    (depth, left): (usize, &mut usize),
) -> Option<Vec<Tree<'t>>> {
    if depth > EXPANSION_DEPTH {
        return None;
    }
    // A definition is read for each call of it.
    *left = left.checked_sub(rules.text.len() / BYTES_OF_TOKEN)?;
    let definition = trees(rules.text, rules.start)?;
    let (bound, body) = rules_of(&definition)?
        .find_map(|(pattern, body)| Some((matched(pattern, arguments)?, body)))?;
    // Names that the rule binds are others than those of the call, even if they are written alike.
    let own = trees::bound_names(body);
    if arguments.iter().any(|tree| tree.names_one_of(&own)) {
        return None;
    }
    let made = transcriber::transcribed(body, &bound, left)?;
    nested(made, macros, (depth, left))
}

/// The patterns of a definition, each with its body.
fn rules_of<'a, 't>(
    definition: &'a [Tree<'t>],
) -> Option<impl Iterator<Item = (&'a [Tree<'t>], &'a [Tree<'t>])>> {
    let group = |tree: &'a Tree<'t>| match tree {
        Tree::Group { inner, .. } => Some(inner.as_slice()),
        Tree::Leaf(_) => None,
    };
    let inner = definition.iter().rev().find_map(group)?;
    let rules = inner.windows(4).filter_map(move |rule| match rule {
        [pattern, equals, greater, body] if equals.is_mark("=") && greater.is_mark(">") => {
            Some((group(pattern)?, group(body)?))
        }
        _ => None,
    });
    Some(rules)
}

/// Tokens with the calls of known macros in them expanded.
fn nested<'t>(
    made: Vec<Tree<'t>>,
    macros: &RulesByName<'_, 't>,
    (depth, left): (usize, &mut usize),
) -> Option<Vec<Tree<'t>>> {
    let mut result: Vec<Tree<'t>> = Vec::new();
    let mut rest = made.into_iter().peekable();
    while let Some(tree) = rest.next() {
        let known = match (&tree, rest.peek()) {
            (Tree::Leaf(leaf), Some(bang)) if bang.is_mark("!") => macros(&leaf.text),
            _ => None,
        };
        let Some(rules) = known else {
            result.push(match tree {
                Tree::Group { open, inner, close } => Tree::Group {
                    open,
                    inner: nested(inner, macros, (depth, &mut *left))?,
                    close,
                },
                leaf @ Tree::Leaf(_) => leaf,
            });
            continue;
        };
        let _ = rest.next();
        let Some(Tree::Group { inner, .. }) = rest.next() else {
            return None;
        };
        let own = expanded(rules, &inner, macros, (depth + 1, &mut *left))?;
        let is_first = result
            .last()
            .is_none_or(|before| before.is_mark(";") || before.is_block());
        let ends = rest.peek().is_some_and(|next| next.is_mark(";"));
        let has_statements = own.iter().any(|tree| tree.is_mark(";"));
        if is_first && (ends || has_statements) || own.len() == 1 {
            result.extend(own);
        } else {
            result.push(Tree::in_parentheses(own));
        }
    }
    Some(result)
}
