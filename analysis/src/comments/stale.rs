//! The verdict on one comment: `stale-layout-comment`, `stale-shape-comment`.

use cute_algebra::sentence::FIRST_LINE;
use cute_algebra::{AnyLayout, Layout, Outer};
use tree_sitter_cute::lines::Lines;
use tree_sitter_cute::tree::{Comment, Expr, ExprKind, Span};
use tree_sitter_cute::{Annotation, AnnotationKind};

use super::Verdict;
use super::difference::{ShapeDifference, layouts_differ, shape_difference};
use super::nominal::Nominals;
use super::stated::{Stated, StatedLayout};
use crate::fact::{Fact, Nominal};
use crate::finding::{Edit, Finding, Number, Related, Severity};
use crate::value::Value;
use crate::walk;

/// A comment that states another layout than the variable beside it has.
pub(crate) const STALE_LAYOUT: &str = "stale-layout-comment";
/// A comment that states another rank or size than the variable beside it has.
pub(crate) const STALE_SHAPE: &str = "stale-shape-comment";

/// The fault of a comment, before it is put into words.
struct Difference {
    rule: &'static str,
    /// The statement of the comment and the fact.
    sentence: String,
    /// Whether the numbers that sizes start with play a part.
    with_nominals: bool,
    numbers: Vec<(String, Number)>,
    correction: Option<Edit>,
}

/// Whether a comment is right in at least one instance of the variable that it describes; `None` where that is not
/// known, or where there is nothing to compare.
pub(super) fn verdict(
    comment: &Comment,
    annotation: &Annotation,
    facts: &[&Fact],
    nominals: &Nominals<'_>,
    text: &str,
) -> Option<Verdict> {
    let mut first = None;
    let mut corrections = Vec::new();
    let mut shapes = Vec::new();
    for fact in facts {
        let seen = Seen::of(&fact.value, nominals)?;
        let difference = match annotation.kind {
            AnnotationKind::Layout => {
                layout_difference(&StatedLayout::of(&annotation.expr)?, fact, &seen, text)?
            }
            AnnotationKind::Shape => shape_difference_of(&annotation.expr, fact, &seen, text),
        };
        let Some(difference) = difference else {
            return Some(Verdict::Agrees);
        };
        corrections.push(difference.correction.clone());
        shapes.push(seen.symbolic_shape);
        first.get_or_insert((difference, fact, seen.used));
    }
    let (difference, fact, used) = first?;
    // A correction for one instance is offered only where it is right in all.
    let correction = match corrections.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.clone(),
        _ => with_names(&annotation.expr, &shapes, text),
    };
    let finding = finding(difference, comment.span, fact, &used, text);
    Some(Verdict::Stale {
        finding: Box::new(finding),
        correction,
    })
}

/// A shape of as many modes as all instances have, with the names that the comment gives to the first of them; `None`
/// where a mode without a name is not the same in all instances, or where the comment has as many.
fn with_names(literal: &Expr, shapes: &[Value], text: &str) -> Option<Edit> {
    let ExprKind::Tuple(stated) = &literal.kind else {
        return None;
    };
    let (first, rest) = shapes.split_first()?;
    let modes = modes_of(first)?;
    if modes.len() <= stated.len() {
        return None;
    }
    let mut written = Vec::with_capacity(modes.len());
    for (index, mode) in modes.iter().enumerate() {
        let name = stated
            .get(index)
            .filter(|mode| mode.as_plain_name().is_some());
        written.push(match name {
            Some(name) => name.span.text(text).to_owned(),
            None => in_style_of(literal, mode),
        });
        let is_same = |other: &Value| {
            modes_of(other).is_some_and(|others| {
                others.len() == modes.len() && (name.is_some() || others.get(index) == Some(mode))
            })
        };
        if !rest.iter().all(is_same) {
            return None;
        }
    }
    Some(Edit {
        span: literal.span,
        new_text: format!("({})", written.join(",")),
    })
}

/// The modes of a shape, behind a group around all of them.
fn modes_of(shape: &Value) -> Option<&[Value]> {
    match shape {
        Value::Tuple(modes) => match modes.as_slice() {
            [only @ Value::Tuple(_)] => modes_of(only),
            modes => Some(modes),
        },
        _ => None,
    }
}

/// A value with numbers for the sizes that start with one.
struct Seen<'a> {
    /// The layout of a value that has one.
    layout: Option<Layout>,
    /// The shape, or the tuple itself.
    shape: Value,
    /// The same as it is, with names for run-time sizes.
    symbolic_shape: Value,
    /// As printed; and whether it permutes addresses rather than offsets.
    swizzle: Option<(String, bool)>,
    bits: Option<i64>,
    used: Vec<&'a Nominal>,
}

impl<'a> Seen<'a> {
    /// `None` for a value that has neither a layout nor modes.
    fn of(value: &Value, nominals: &Nominals<'a>) -> Option<Self> {
        if let Value::Tuple(_) = value {
            let (shape, used) = nominals.applied(value);
            return Some(Self {
                layout: None,
                shape,
                symbolic_shape: value.clone(),
                swizzle: None,
                bits: None,
                used,
            });
        }
        let any = match value {
            Value::Layout(_) | Value::Composed(_) | Value::Tensor(_) | Value::Shared(_) => {
                value.as_any_layout()?
            }
            _ => return None,
        };
        let (layout, used) = nominals.applied(&Value::from(any.domain().clone()));
        let Value::Layout(layout) = layout else {
            return None;
        };
        let (swizzle, bits) = match value {
            Value::Shared(shared) => (
                Some((shared.swizzle.to_string(), true)),
                Some(shared.element_bits),
            ),
            Value::Tensor(tensor) => {
                let of_addresses = tensor
                    .engine
                    .swizzle
                    .map(|swizzle| (swizzle.to_string(), true));
                (of_addresses, tensor.engine.bits().map(i64::from))
            }
            _ => (None, None),
        };
        let of_offsets = match &any {
            AnyLayout::Composed(composed) => match &composed.outer {
                Outer::Swizzle(swizzle) => Some((swizzle.to_string(), false)),
                Outer::Layout(_) => return None,
            },
            AnyLayout::Affine(_) => None,
        };
        Some(Self {
            shape: Value::of_shape(&layout.shape()),
            symbolic_shape: Value::of_shape(&any.domain().shape()),
            layout: Some(Layout::clone(&layout)),
            swizzle: swizzle.or(of_offsets),
            bits,
            used,
        })
    }
}

/// `None` where there is nothing to compare, `Some(None)` where nothing differs.
#[allow(clippy::option_option)] // "Cannot be told" and "nothing differs" are different answers.
fn layout_difference(
    stated: &StatedLayout<'_>,
    fact: &Fact,
    seen: &Seen<'_>,
    text: &str,
) -> Option<Option<Difference>> {
    let layout = seen.layout.as_ref()?;
    let name = &fact.name;
    if layouts_differ(&stated.shape, &stated.stride, layout.view()) {
        let written = stated.layout.span.text(text);
        let evaluated = in_style_of(stated.layout, &Value::from(layout.clone()));
        return Some(Some(Difference {
            rule: STALE_LAYOUT,
            sentence: format!("the comment says {written}, but `{name}` is {evaluated}"),
            with_nominals: true,
            numbers: said(written, &evaluated),
            correction: Some(Edit {
                span: stated.layout.span,
                new_text: evaluated,
            }),
        }));
    }
    if let (Some(said_swizzle), Some(swizzle)) = (&stated.swizzle, &seen.swizzle)
        && said_swizzle.1 == swizzle.1
        && said_swizzle.0 != swizzle.0
    {
        let (written, evaluated) = (&said_swizzle.0, &swizzle.0);
        return Some(Some(Difference {
            rule: STALE_LAYOUT,
            sentence: format!("the comment says {written}, but `{name}` has {evaluated}"),
            with_nominals: false,
            numbers: said(written, evaluated),
            correction: None,
        }));
    }
    if let (Some(written), Some(evaluated)) = (stated.bits, seen.bits)
        && written != evaluated
    {
        return Some(Some(Difference {
            rule: STALE_LAYOUT,
            sentence: format!(
                "the comment says {written}-bit elements, but `{name}` has {evaluated}-bit elements"
            ),
            with_nominals: false,
            numbers: said(&written.to_string(), &evaluated.to_string()),
            correction: None,
        }));
    }
    Some(None)
}

fn shape_difference_of(
    literal: &Expr,
    fact: &Fact,
    seen: &Seen<'_>,
    text: &str,
) -> Option<Difference> {
    let ExprKind::Tuple(modes) = &literal.kind else {
        return None;
    };
    let stated: Vec<Stated> = modes.iter().map(Stated::of).collect();
    let difference = shape_difference(&stated, &seen.shape)?;
    let name = &fact.name;
    Some(match difference {
        ShapeDifference::Rank { stated, actual } => Difference {
            rule: STALE_SHAPE,
            sentence: format!(
                "the comment has {stated} modes, but `{name}` has {actual}: {}",
                in_style_of(literal, &seen.symbolic_shape)
            ),
            with_nominals: false,
            numbers: vec![
                ("stated_rank".to_owned(), count(stated)),
                ("rank".to_owned(), count(actual)),
            ],
            correction: Some(Edit {
                span: literal.span,
                new_text: in_style_of(literal, &seen.symbolic_shape),
            }),
        },
        ShapeDifference::Size { mode } => {
            let written = modes.get(mode)?;
            let evaluated = in_style_of(literal, mode_of(&seen.shape, mode)?);
            let mut numbers = vec![("mode".to_owned(), count(mode))];
            numbers.extend(said(written.span.text(text), &evaluated));
            Difference {
                rule: STALE_SHAPE,
                sentence: format!(
                    "the comment says mode {mode} is {}, but `{name}` has {}",
                    written.span.text(text),
                    in_style_of(literal, &seen.shape)
                ),
                with_nominals: true,
                numbers,
                correction: Some(Edit {
                    span: written.span,
                    new_text: evaluated,
                }),
            }
        }
    })
}

/// A mode of a shape, behind a group around all modes.
fn mode_of(shape: &Value, mode: usize) -> Option<&Value> {
    match shape {
        Value::Tuple(modes) => match modes.as_slice() {
            [only @ Value::Tuple(_)] => mode_of(only, mode),
            modes => modes.get(mode),
        },
        _ => None,
    }
}

fn finding(
    difference: Difference,
    comment: Span,
    fact: &Fact,
    used: &[&Nominal],
    text: &str,
) -> Finding {
    let mut message = difference.sentence;
    let mut numbers = difference.numbers;
    let mut related = vec![Related {
        span: fact.name_span,
        message: format!("`{}` is declared here", fact.name),
    }];
    if difference.with_nominals && !used.is_empty() {
        let with: Vec<String> = used
            .iter()
            .map(|nominal| {
                let starts = format!("{} = {}", nominal.symbol, nominal.value);
                // It may be declared in another file.
                match text.get(..nominal.span.start) {
                    Some(before) => format!("{starts}, line {}", Lines::of(before).count()),
                    None => starts,
                }
            })
            .collect();
        message.push_str(" (with ");
        message.push_str(&with.join("; "));
        message.push(')');
        numbers.push(("with".to_owned(), Number::Text(with.join("; "))));
        let in_file = used.iter().filter(|nominal| nominal.span.end <= text.len());
        related.extend(in_file.map(|nominal| Related {
            span: nominal.span,
            message: format!("`{}` starts as {}", nominal.symbol, nominal.value),
        }));
    }
    Finding {
        numbers,
        related,
        ..Finding::new(
            difference.rule,
            Severity::Information,
            comment,
            in_lines(message, difference.rule, &fact.name),
        )
    }
}

/// A message; one that is too long for a first line has a short one above it.
fn in_lines(message: String, rule: &str, name: &str) -> String {
    if message.chars().count() <= FIRST_LINE {
        return message;
    }
    let what = if rule == STALE_LAYOUT {
        "layout"
    } else {
        "shape"
    };
    format!("the comment states a different {what} than `{name}`\n{message}")
}

fn said(written: &str, evaluated: &str) -> Vec<(String, Number)> {
    [("stated", written), ("evaluated", evaluated)]
        .into_iter()
        .map(|(name, text)| {
            let number = text
                .parse()
                .map_or_else(|_| Number::Text(text.to_owned()), Number::Integer);
            (name.to_owned(), number)
        })
        .collect()
}

fn count(number: usize) -> Number {
    i64::try_from(number).map_or_else(|_| Number::Text(number.to_string()), Number::Integer)
}

/// The print of a value, with the underscores of static integers where the comment has some.
fn in_style_of(literal: &Expr, value: &Value) -> String {
    let mut fixed = false;
    walk::subexpressions(literal, &mut |part| {
        fixed |= matches!(part.kind, ExprKind::Static(_));
    });
    if fixed {
        value.to_string()
    } else {
        format!("{value:#}")
    }
}
