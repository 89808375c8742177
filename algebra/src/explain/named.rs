//! Derivations by the name of the operation, on textual operands.

use super::tree::{By, Derivation, Notation, Value};
use super::{coalesce, complement, composition, defined, evaluate, inverse, regroup};
use crate::ask::{self, Answer, ask, operation_name};
use crate::layout::Layout;
use crate::refusal::Refusal;
use crate::text::{Parse, Reading};
use crate::tiler::Tiler;

/// Explains the answer of [`ask()`](crate::ask::ask()) to `op(args...)`.
///
/// Operations with a derivation get it; the others are explained by their meaning. The value at the root is the answer
/// either way.
///
/// ```
/// use cute_algebra::{Reading, explain};
/// let derivation = explain::named("upcast", &["(4,8):(1,4)", "2"], Reading::Plain);
/// assert_eq!(
///     derivation.to_string(),
///     "upcast((4,8):(1,4), 2) = (2,8):(1,2)\n  4:1 becomes 2:1\n  8:4 becomes 8:2\n"
/// );
/// ```
pub fn named(op: &str, args: &[&str], reading: Reading) -> Derivation {
    let answer = ask(op, args, reading);
    let name = operation_name(op);
    match derived(name, args, reading) {
        Ok(Some(derivation)) if is_same(&derivation.value, &answer) => derivation,
        _ => meant(name, args, &answer, reading),
    }
}

/// The derivation of an operation that has one, when its operands are plain layouts.
fn derived(name: &str, args: &[&str], reading: Reading) -> Result<Option<Derivation>, Refusal> {
    let layout = |text: &str| Layout::parse(text, reading);
    Ok(Some(match (name, args) {
        ("coalesce", [a]) => coalesce::coalesce(&layout(a)?),
        ("filter", [a]) => coalesce::filter(&layout(a)?),
        ("right_inverse", [a]) => inverse::right_inverse(&layout(a)?),
        ("left_inverse", [a]) => inverse::left_inverse(&layout(a)?),
        ("complement", [a, target]) => {
            complement::complement(&layout(a)?, &Parse::parse(target, reading)?)
        }
        ("eval", [a, c]) | ("crd2idx", [c, a]) => {
            evaluate::evaluate(&layout(a)?, &Parse::parse(c, reading)?)
        }
        ("slice", [c, a]) => defined::slice(&Parse::parse(c, reading)?, &layout(a)?),
        ("upcast" | "downcast", [a, factor]) => {
            let Ok(factor) = factor.trim_start_matches('_').parse() else {
                return Ok(None);
            };
            match name {
                "upcast" => defined::upcast(&layout(a)?, factor),
                _ => defined::downcast(&layout(a)?, factor),
            }
        }
        ("max_common_layout", [a, b]) => defined::max_common_layout(&layout(a)?, &layout(b)?),
        ("max_common_vector", [a, b]) => defined::max_common_vector(&layout(a)?, &layout(b)?),
        ("tile_to_shape", [a, target]) => {
            defined::tile_to_shape(&layout(a)?, &Parse::parse(target, reading)?, None)
        }
        ("blocked_product", [a, b]) => regroup::blocked_product(&layout(a)?, &layout(b)?),
        ("raked_product", [a, b]) => regroup::raked_product(&layout(a)?, &layout(b)?),
        (name, [a, tiler]) => {
            let Some(by_tiler) = by_tiler(name) else {
                return Ok(None);
            };
            by_tiler(&layout(a)?, &Tiler::parse(tiler, reading)?)
        }
        _ => return Ok(None),
    }))
}

/// The derivations that take a layout and a tiler.
fn by_tiler(name: &str) -> Option<fn(&Layout, &Tiler) -> Derivation> {
    Some(match name {
        "composition" => composition::composition_by,
        "logical_divide" => regroup::logical_divide,
        "zipped_divide" => regroup::zipped_divide,
        "tiled_divide" => regroup::tiled_divide,
        "flat_divide" => regroup::flat_divide,
        "logical_product" => regroup::logical_product,
        "zipped_product" => regroup::zipped_product,
        "tiled_product" => regroup::tiled_product,
        "flat_product" => regroup::flat_product,
        _ => return None,
    })
}

/// Whether a derivation ends in the answer.
fn is_same(value: &Value, answer: &Answer) -> bool {
    match (value, &answer.result) {
        (Value::Layout(found), Ok(ask::Value::Layout(layout))) => **found == *layout,
        (Value::Tuple(found), Ok(ask::Value::Tuple(tuple))) => found == tuple,
        (Value::Number(found), Ok(ask::Value::Tuple(tuple))) => tuple.as_leaf() == Some(found),
        (Value::Refused(found), Err(refusal)) => found == refusal,
        _ => false,
    }
}

/// The answer, with the meaning of the operation and its judgement.
fn meant(name: &str, args: &[&str], answer: &Answer, reading: Reading) -> Derivation {
    let n = Notation::read_as(reading);
    let mut steps = Vec::new();
    if let Some((_, meaning)) = MEANINGS.iter().find(|(known, _)| *known == name) {
        steps.push(Derivation::note(By::Meaning, *meaning, n));
    }
    if let Some(witness) = &answer.judgement.witness {
        steps.push(Derivation::note(By::Departure, witness.to_string(), n));
    }
    let value = match &answer.result {
        Ok(ask::Value::Layout(layout)) => Value::Layout(Box::new(layout.clone())),
        Ok(ask::Value::Tuple(tuple)) => Value::Tuple(tuple.clone()),
        Ok(_) => Value::Expression(answer.text().unwrap_or_default()),
        Err(refusal) => Value::Refused(refusal.clone()),
    };
    Derivation::of(format!("{name}({})", args.join(", ")), steps, value, n)
}

/// Meanings of the operations without a derivation.
const MEANINGS: [(&str, &str); 44] = [
    (
        "append",
        "a mode after the last one; up to a rank, modes 1:0",
    ),
    (
        "ceil_div",
        "how many of the right shape cover the left one, mode by mode",
    ),
    (
        "coalesce",
        "each leaf of the profile selects a part that is coalesced separately; of a swizzled layout the inner one",
    ),
    (
        "compatible",
        "whether every coordinate of the left shape is one of the right shape (paper 2.2.1)",
    ),
    (
        "complement",
        "the offsets that the layout leaves out, up to its own cosize (paper 3.5)",
    ),
    (
        "composition",
        "the right function first, then the left one; a swizzle stays outermost",
    ),
    (
        "congruent",
        "whether both have the same profile (paper 2.1)",
    ),
    ("coprofile", "a 0 for each coordinate of the codomain"),
    (
        "coshape",
        "1 + sum of (extent-1)*|stride|, for each coordinate of the codomain",
    ),
    (
        "cosize",
        "1 + sum of (extent-1)*|stride|: the span of the image",
    ),
    (
        "crd2crd",
        "the coordinate of the second shape with the same index",
    ),
    (
        "crd2idx",
        "the inner product of the natural coordinate and the strides (paper 2.2.2)",
    ),
    ("depth", "the deepest nesting"),
    ("dice", "the modes that the coordinate does not keep with _"),
    (
        "domain_distribute",
        "the shape split evenly over that many workers",
    ),
    (
        "elem_scale",
        "leaf by leaf, the left times the size of the right",
    ),
    ("eval", "the offset of the coordinate"),
    (
        "evenly_divides",
        "whether the right shape divides the left one, mode by mode",
    ),
    (
        "filter",
        "stride-0 and size-1 modes taken away, the rest coalesced",
    ),
    (
        "filter_zeros",
        "an extent of stride 0 becomes 1; the hierarchy stays",
    ),
    ("flatten", "the same leaves without hierarchy"),
    ("get", "one mode"),
    ("group", "a range of modes becomes one mode"),
    ("group_modes", "a range of modes becomes one mode"),
    (
        "idx2crd",
        "digits of the index, leftmost mode fastest (paper 2.2.2)",
    ),
    (
        "make_fragment_like",
        "a compact layout for registers, ordered as the strides are; stride 0 stays 0",
    ),
    (
        "make_identity_layout",
        "each coordinate is its own offset: strides are unit coordinates (paper 3.3.1)",
    ),
    (
        "make_layout",
        "the shape with compact strides, leftmost mode fastest unless said otherwise",
    ),
    (
        "make_layout_like",
        "a compact layout ordered as the strides are; stride 0 stays 0",
    ),
    (
        "make_layout_right",
        "the shape with compact strides, rightmost mode fastest",
    ),
    (
        "make_ordered_layout",
        "compact strides, given to the modes in the order of the numbers",
    ),
    (
        "max_alignment",
        "the largest number that divides every offset",
    ),
    ("nullspace", "the coordinates that all have offset 0"),
    (
        "prefix_product",
        "the compact strides, leftmost mode fastest",
    ),
    (
        "prepend",
        "a mode before the first one; up to a rank, modes 1:0",
    ),
    ("product_each", "the size of each mode"),
    ("product_like", "the size of each part that the guide names"),
    (
        "recast_layout",
        "the same memory as elements of other bits: upcast, downcast, or both",
    ),
    ("replace", "one mode replaced"),
    (
        "round_up",
        "the left rounded up to a multiple of the right, mode by mode",
    ),
    ("select", "the named modes, in that order"),
    (
        "shape_div",
        "the left divided by the right, which has to divide it or be divided by it",
    ),
    ("take", "a range of modes"),
    (
        "weakly_congruent",
        "whether the profile of the left is refined by that of the right (paper 2.1)",
    ),
];
