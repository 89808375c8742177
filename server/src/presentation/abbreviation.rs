//! Values in few characters, for a hint inside a line of code.
//!
//! A short text says less than the value, never something else: a part that does not fit is an ellipsis. No extent,
//! stride or swizzle is changed or left out without one.

use std::fmt::Display;

use cute_algebra::{AnyLayout, ComposedLayout, Delta, Int, Layout, TupleView};
use cute_analysis::{Dialect, Tensor, Value};

use super::member_names::MemberNames;

/// Longest label in characters where nothing else is requested: VS Code cuts hints there.
pub const LONGEST: usize = 43;

/// Below this width the beginning of a layout says more than the rest of it between ellipses.
const NARROW: usize = 20;

/// Characters from which a run-time extent is left out before all strides are.
const LONG_EXTENT: usize = 8;

/// Leaves of a shape or a stride that are tried one by one; a label has room for fewer.
const TRIED: usize = 24;

/// A value in at most [`LONGEST`] characters.
pub fn label(value: &Value, dialect: Dialect) -> String {
    label_within(value, dialect, LONGEST)
}

/// A value in at most `width` characters: a swizzle and the shape first, then the strides that fit.
///
/// Static integers lose their underscore, run-time ones keep their names, without the object of a member where it does not
/// fit. Of a swizzle on addresses in shared memory
/// `16b` remains, the width of an element: `Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)` reads
/// `Sw<3,4,3> o 16b o (8,64):(64,1)`.
pub fn label_within(value: &Value, dialect: Dialect, width: usize) -> String {
    let (prefix, layout) = match value {
        Value::Shared(shared) if !shared.swizzle.is_identity() => {
            let elements = match shared.sparsity {
                1 => format!("{}b", shared.element_bits),
                sparsity => format!("sparse<{sparsity}> {}b", shared.element_bits),
            };
            (
                format!("{} o {elements} o ", shared.swizzle),
                AnyLayout::Affine(shared.layout.clone()),
            )
        }
        Value::Tensor(tensor) => (swizzled(tensor, dialect), tensor.layout.clone()),
        other => match other.as_any_layout() {
            Some(layout) => (String::new(), layout),
            None => return cut(&fitting(dialect.short(value), width), width),
        },
    };
    match layout {
        AnyLayout::Affine(layout) => of_layout(&prefix, &layout, width),
        AnyLayout::Composed(composed) => of_layout(
            &(prefix + &before(&composed, dialect)),
            &composed.inner,
            width,
        ),
    }
}

/// The swizzle that the pointer of a tensor applies to addresses, and the width of an element: `Sw<3,4,3> o 16b o `.
pub fn swizzled(tensor: &Tensor, dialect: Dialect) -> String {
    let swizzle = tensor
        .engine
        .swizzle
        .filter(|swizzle| !swizzle.is_identity());
    let bits = tensor
        .engine
        .bits()
        .map_or_else(|| "?".to_owned(), |bits| bits.to_string());
    swizzle.map_or_else(String::new, |swizzle| {
        format!("{} o {bits}b o ", dialect.swizzle(swizzle))
    })
}

/// The functions after the inner layout: `Sw<3,3,3> o `, `Sw<3,3,3> o 64 o `.
fn before(composed: &ComposedLayout, dialect: Dialect) -> String {
    let outer = dialect.outer(&composed.outer);
    match format!("{:#}", composed.offset).as_str() {
        "0" => format!("{outer} o "),
        offset => format!("{outer} o {offset} o "),
    }
}

/// A text, without the objects of members where it does not fit.
fn fitting(text: String, width: usize) -> String {
    if is_within(&text, width) {
        return text;
    }
    MemberNames::of(&text).short(&text)
}

/// Shape and stride behind a prefix. The whole shape comes before any stride; of the strides 1 comes first, then those
/// of modes that have more than one coordinate.
fn of_layout(prefix: &str, layout: &Layout, width: usize) -> String {
    let full = format!("{prefix}{layout:#}");
    if is_within(&full, width) || width < NARROW {
        return cut(&full, width);
    }
    let names = MemberNames::of(&full);
    let whole = names.short(&full);
    if is_within(&whole, width) {
        return whole;
    }
    let (shape, stride) = (layout.shape(), layout.stride());
    let leaves = layout.view().extents().len();
    let in_order: Vec<usize> = (0..leaves.min(TRIED)).collect();
    let shape_alone = names.short(&format!("{shape:#}"));
    let text = if is_within(&format!("{prefix}{shape_alone}:{ELLIPSIS}"), width) {
        let written = |kept: &[usize]| {
            let stride = names.short(&elided(stride.view(), kept));
            format!("{prefix}{shape_alone}:{stride}")
        };
        let text = most_of(&by_importance(layout), width, written);
        if text.ends_with(":…") {
            without_long_extents(prefix, layout, &names, width).unwrap_or(text)
        } else {
            text
        }
    } else {
        let written = |kept: &[usize]| {
            let shape = names.short(&elided(shape.view(), kept));
            format!("{prefix}{shape}:{ELLIPSIS}")
        };
        most_of(&in_order, width, written)
    };
    cut(&text, width)
}

/// The shape without its longest run-time extents, so that the strides that matter fit: `((8,1),2,…):((1,0),64,…)`.
/// Nothing where no stride fits all the same.
fn without_long_extents(
    prefix: &str,
    layout: &Layout,
    names: &MemberNames<'_>,
    width: usize,
) -> Option<String> {
    let (shape, stride) = (layout.shape(), layout.stride());
    let extents = layout.view().extents();
    let length = |leaf: &usize| {
        let text = extents.get(*leaf).map(|extent| format!("{extent:#}"));
        names.short(&text.unwrap_or_default()).chars().count()
    };
    let mut kept: Vec<usize> = (0..extents.len()).collect();
    while let Some(longest) = kept.iter().copied().max_by_key(length) {
        if length(&longest) < LONG_EXTENT {
            return None;
        }
        kept.retain(|leaf| *leaf != longest);
        let shape = names.short(&elided(shape.view(), &kept));
        let written = |kept: &[usize]| {
            let stride = names.short(&elided(stride.view(), kept));
            format!("{prefix}{shape}:{stride}")
        };
        let text = most_of(&by_importance(layout), width, written);
        if is_within(&text, width) && !text.ends_with(":…") {
            return Some(text);
        }
    }
    None
}

/// The mark of left out text.
const ELLIPSIS: char = '…';

fn is_within(text: &str, width: usize) -> bool {
    text.chars().count() <= width
}

/// The text with as many of these leaves as fit, tried in this order.
fn most_of(order: &[usize], width: usize, written: impl Fn(&[usize]) -> String) -> String {
    let mut kept = Vec::new();
    for leaf in order {
        kept.push(*leaf);
        if !is_within(&written(&kept), width) {
            kept.pop();
        }
    }
    written(&kept)
}

/// The leaves of the stride by importance: the contiguous one, those that step, the others.
fn by_importance(layout: &Layout) -> Vec<usize> {
    let view = layout.view();
    let rank = |extent: &Int, step: &Delta| {
        let step = step.as_int().and_then(Int::value);
        match (extent.is_constant(1) || step == Some(0), step) {
            (true, _) => 2,
            (false, Some(1)) => 0,
            (false, _) => 1,
        }
    };
    let leaves = view.extents().iter().zip(view.steps());
    let mut order: Vec<(usize, usize)> = leaves
        .enumerate()
        .map(|(leaf, (extent, step))| (rank(extent, step), leaf))
        .collect();
    order.sort_unstable();
    order
        .into_iter()
        .take(TRIED)
        .map(|(_, leaf)| leaf)
        .collect()
}

/// A tuple of which only some leaves are written; each run of others is one ellipsis.
fn elided<T: Display>(tuple: TupleView<'_, T>, kept: &[usize]) -> String {
    let mut next = 0;
    part(tuple, kept, &mut next).unwrap_or_else(|| ELLIPSIS.to_string())
}

/// Nothing for a part of which no leaf is kept. Tuples are at most 256 levels deep.
fn part<T: Display>(tuple: TupleView<'_, T>, kept: &[usize], next: &mut usize) -> Option<String> {
    if let Some(leaf) = tuple.as_leaf() {
        let is_kept = kept.contains(next);
        *next += 1;
        return is_kept.then(|| format!("{leaf:#}"));
    }
    let mut written: Vec<String> = Vec::new();
    let (mut is_after_gap, mut is_kept) = (false, false);
    for mode in tuple.modes() {
        match part(mode, kept, next) {
            Some(text) => {
                written.push(text);
                (is_after_gap, is_kept) = (false, true);
            }
            None if is_after_gap => {}
            None => {
                written.push(ELLIPSIS.to_string());
                is_after_gap = true;
            }
        }
    }
    is_kept.then(|| format!("({})", written.join(",")))
}

/// Between the parts of `tile (32,16,16), 128 threads x 8 values`.
const SEPARATORS: [&str; 2] = [", ", " x "];

/// A text in words of at most `width` characters: the parts of it that fit, or the beginning of the first.
pub fn parts_within(text: &str, width: usize) -> String {
    if is_within(text, width) {
        return text.to_owned();
    }
    let ends = SEPARATORS
        .iter()
        .flat_map(|separator| text.match_indices(separator));
    let starts = ends.filter_map(|(end, _)| text.get(..end));
    let shorter = starts.map(|start| format!("{start}{ELLIPSIS}"));
    let fitting = shorter.filter(|start| is_within(start, width));
    let longest = fitting.max_by_key(String::len);
    longest.unwrap_or_else(|| cut(text, width))
}

/// A text of at most `width` characters. It ends between two tokens: half a number would be another number.
pub fn cut(text: &str, width: usize) -> String {
    if is_within(text, width) {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().take(width).collect();
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let is_inside = kept.last().is_some_and(is_word);
    kept.pop();
    if is_inside {
        while kept.last().is_some_and(is_word) {
            kept.pop();
        }
    }
    kept.into_iter().chain([ELLIPSIS]).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn layout(text: &str) -> Value {
        Value::from(text.parse::<cute_algebra::Layout>().unwrap())
    }

    fn shown(text: &str) -> String {
        label(&layout(text), Dialect::Cute)
    }

    #[test]
    fn static_integers_lose_their_underscore_and_names_stay() {
        assert_eq!(shown("(_128,_8):(_1,_128)"), "(128,8):(1,128)");
    }

    #[test]
    fn the_profile_is_that_of_the_value() {
        assert_eq!(shown("((_1,_8),_4):((_0,_1),_8)"), "((1,8),4):((0,1),8)");
        assert_eq!(shown("((1,_8),_4):((_0,_1),_8)"), "((1,8),4):((0,1),8)");
    }

    #[test]
    fn a_swizzle_of_addresses_is_never_left_out() {
        let shared = |text: &str| {
            label(
                &Value::Shared(Arc::new(text.parse().unwrap())),
                Dialect::Cute,
            )
        };
        assert_eq!(
            shared("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"),
            "Sw<3,4,3> o 16b o (8,64):(64,1)"
        );
        assert_eq!(
            shared(
                "Sw<2,4,3> o smem_ptr[32b](unset) o ((_8,_16),(_32,_2),(_1,_3)):((_32,_256),(_1,_4096),(_0,_8192))"
            ),
            "Sw<2,4,3> o 32b o ((8,16),(32,2),(1,3)):…"
        );
        assert_eq!(
            shared("smem_ptr[16b](unset) o (_8,_64):(_64,_1)"),
            "(8,64):(64,1)"
        );
    }

    #[test]
    fn a_long_layout_keeps_its_shape_and_the_strides_that_fit() {
        assert_eq!(
            shown("((_4,_8),(_2,_2,_2)):((_1024,_4096),(_512,_8192,_16384))"),
            "((4,8),(2,2,2)):((1024,4096),(512,8192,…))"
        );
        assert_eq!(
            shown("((_8,_16),(_64,_1),(_1,_3)):((_64,_512),(_1,_0),(_0,_8192))"),
            "((8,16),(64,1),(1,3)):((64,512),(1,0),…)"
        );
        // The contiguous mode comes first.
        assert_eq!(
            shown("(_128,_128,_128,_128,_128):(_16384,_2097152,_268435456,_128,_1)"),
            "(128,128,128,128,128):(16384,2097152,…,1)"
        );
    }

    #[test]
    fn members_lose_their_object_where_it_does_not_fit() {
        let layout = |shape: &[&str], stride: &[&str]| {
            let ints = |names: &[&str]| -> Vec<Value> {
                names
                    .iter()
                    .map(|name| Value::Int(Int::symbol(name)))
                    .collect()
            };
            let of = |names: &[&str]| Value::Tuple(ints(names)).to_shape().unwrap();
            let stride = of(stride).map(|int| Delta::Int(int.clone()));
            Value::from(Layout::new(of(shape), stride).unwrap())
        };
        let fits = layout(&["p.h", "p.d"], &["p.s", "p.t"]);
        assert_eq!(label(&fits, Dialect::Cute), "(p.h,p.d):(p.s,p.t)");
        let long = layout(
            &["binfo.actual_seqlen_q", "params.d"],
            &["params.o_row_stride", "params.o_head_stride"],
        );
        assert_eq!(
            label(&long, Dialect::Cute),
            "(actual_seqlen_q,d):(o_row_stride,…)"
        );
    }

    #[test]
    fn a_long_run_time_extent_makes_room_for_the_strides() {
        let extents = [8, 2, 2].map(Int::fixed).into_iter();
        let shape = extents.chain([Int::symbol("number_of_all_blocks_of_the_keys")]);
        let strides = [1, 1024, 64, 2048].map(|step| Delta::Int(Int::fixed(step)));
        let layout = Layout::new(
            cute_algebra::Shape::flat(shape).unwrap(),
            cute_algebra::Stride::flat(strides).unwrap(),
        );
        assert_eq!(
            label(&Value::from(layout.unwrap()), Dialect::Cute),
            "(8,2,2,…):(1,1024,64,2048)"
        );
    }

    #[test]
    fn no_label_is_longer_than_the_limit_nor_ends_in_half_a_number() {
        let long = format!("({}_2):({}_1)", "_12,".repeat(100), "_1,".repeat(100));
        for width in 1..60 {
            let label = label_within(&layout(&long), Dialect::Cute, width);
            assert!(label.chars().count() <= width, "{label}");
            assert!(label.ends_with('…'), "{label}");
            assert!(!label.replace("12", "").contains(['1', '2']), "{label}");
        }
    }
}
