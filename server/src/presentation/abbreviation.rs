//! Values in few characters, for a hint that stands inside a line of code.

use cute_algebra::{AnyLayout, Layout, LayoutView};
use cute_analysis::Value;

/// Longest label in characters: VS Code cuts hints at 43.
pub const LONGEST: usize = 40;

/// A value in at most [`LONGEST`] characters: shape first, stride where it fits.
///
/// Static integers lose their underscore, run-time ones keep their names. Inside a nested mode an
/// extent of 1 is left out, since it has one coordinate only: `((1,8),4):((0,1),8)` reads
/// `(8,4):(1,8)`.
pub fn label(value: &Value) -> String {
    match value.as_any_layout() {
        Some(AnyLayout::Affine(layout)) => of_layout("", &layout),
        Some(AnyLayout::Composed(composed)) => {
            let outer = format!("{:#}", composed.outer);
            let offset = format!("{:#}", composed.offset);
            let prefix = if offset == "0" {
                format!("{outer} o ")
            } else {
                format!("{outer} o {offset} o ")
            };
            of_layout(&prefix, &composed.inner)
        }
        None => cut(format!("{value:#}")),
    }
}

fn of_layout(prefix: &str, layout: &Layout) -> String {
    let (shape, stride) = without_units(layout.view(), true);
    let whole = format!("{prefix}{shape}:{stride}");
    if whole.chars().count() <= LONGEST {
        return whole;
    }
    let shape_only = format!("{prefix}{shape}:…");
    if shape_only.chars().count() <= LONGEST {
        shape_only
    } else {
        cut(shape_only)
    }
}

/// Shape and stride as text, without static extents of 1 inside nested modes.
fn without_units(layout: LayoutView<'_>, outermost: bool) -> (String, String) {
    if let Some((extent, step)) = layout.as_leaf() {
        return (format!("{extent:#}"), format!("{step:#}"));
    }
    let is_unit = |mode: &LayoutView<'_>| {
        mode.as_leaf()
            .is_some_and(|(extent, _)| extent.is_constant(1))
    };
    let kept: Vec<(String, String)> = layout
        .modes()
        .filter(|mode| outermost || !is_unit(mode))
        .map(|mode| without_units(mode, false))
        .collect();
    match kept.as_slice() {
        [] if !outermost => ("1".to_owned(), "0".to_owned()),
        [only] if !outermost => only.clone(),
        _ => {
            let (shapes, strides): (Vec<String>, Vec<String>) = kept.into_iter().unzip();
            (
                format!("({})", shapes.join(",")),
                format!("({})", strides.join(",")),
            )
        }
    }
}

/// A text of at most [`LONGEST`] characters, the last of which says that something is missing.
fn cut(text: String) -> String {
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(layout: &str) -> String {
        label(&Value::from(
            layout.parse::<cute_algebra::Layout>().unwrap(),
        ))
    }

    #[test]
    fn static_integers_lose_their_underscore_and_names_stay() {
        assert_eq!(shown("(_128,_8):(_1,_128)"), "(128,8):(1,128)");
    }

    #[test]
    fn extents_of_1_inside_nested_modes_are_left_out() {
        assert_eq!(shown("((_1,_8),_4):((_0,_1),_8)"), "(8,4):(1,8)");
        assert_eq!(shown("((_1,_1),_4):((_0,_0),_8)"), "(1,4):(0,8)");
        assert_eq!(shown("(_1,_4):(_0,_1)"), "(1,4):(0,1)");
        // A run-time 1 may be another number in the next run.
        assert_eq!(shown("((1,_8),_4):((_0,_1),_8)"), "((1,8),4):((0,1),8)");
    }

    #[test]
    fn a_long_layout_keeps_its_shape() {
        assert_eq!(
            shown("((_4,_8),(_2,_2,_2)):((_1024,_4096),(_512,_8192,_16384))"),
            "((4,8),(2,2,2)):…"
        );
    }

    #[test]
    fn no_label_is_longer_than_the_limit() {
        let long = format!("({}_2):({}_1)", "_2,".repeat(100), "_1,".repeat(100));
        let label = shown(&long);
        assert_eq!(label.chars().count(), LONGEST);
        assert!(label.ends_with('…'));
    }
}
