//! Sizes that a literal may have: those with which nothing is wrong.

use cute_analysis::{Analysis, Value};
use tree_sitter_cute::tree::{Expr, ExprKind, Span, Unit};

use super::abbreviation;

/// The sizes that are tried, a power of two each: larger tiles fit no shared memory.
pub const TRIED: std::ops::RangeInclusive<u32> = 0..=9;

/// An integer literal of a static size: the `8` of `Int<8>` or of `_8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal {
    /// The digits.
    pub digits: Span,
    /// Their value.
    pub value: i64,
}

/// The literal at a byte of the source, or right before it.
pub fn literal_at(unit: &Unit, text: &str, byte: usize) -> Option<Literal> {
    let mut found = None;
    cute_analysis::each_expression(unit, &mut |expr: &Expr| {
        if let Some(literal) = literal(expr, text)
            && literal.digits.start <= byte
            && byte <= literal.digits.end
        {
            found = Some(literal);
        }
    });
    found
}

/// `8` as a template argument or an operand, `_8` as a name.
fn literal(expr: &Expr, text: &str) -> Option<Literal> {
    match &expr.kind {
        ExprKind::Int(value) => is_plain(expr.span, text).then_some(Literal {
            digits: expr.span,
            value: *value,
        }),
        ExprKind::Name(path) => {
            let name = &path.last()?.name;
            let value = name.name.strip_prefix('_')?.parse().ok()?;
            let digits = Span::new(name.span.start + 1, name.span.end);
            is_plain(digits, text).then_some(Literal { digits, value })
        }
        _ => None,
    }
}

fn is_plain(span: Span, text: &str) -> bool {
    let written = span.text(text);
    !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_digit())
}

/// The value of the smallest declaration or expression around a literal, for the menu.
pub fn consequence(analysis: &Analysis, literal: Span) -> Option<String> {
    let around = |span: Span| span.encloses(literal);
    let fact = analysis
        .facts
        .iter()
        .filter(|fact| around(fact.span))
        .min_by_key(|fact| fact.span.len());
    let value = if let Some(fact) = fact {
        &fact.value
    } else {
        let mentions = analysis.mentions().iter();
        let found = mentions.filter(|mention| around(mention.span));
        &found.max_by_key(|mention| mention.span.len())?.value
    };
    (!matches!(**value, Value::Unknown(_))).then(|| abbreviation::label(value, analysis.dialect))
}
